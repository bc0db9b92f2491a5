"""From a structure and base functions to a reduced body."""
