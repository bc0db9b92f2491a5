"""How good a reduced body is, and which base functions to take."""
