"""Scenes: the contents of pictures of machines, structures and results."""
