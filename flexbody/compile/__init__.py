"""Compilation of a system description to the flat arrays of the compiled core."""
