"""The accuracy of a reduced body, and the choice of its base functions."""
