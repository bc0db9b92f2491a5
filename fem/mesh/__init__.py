"""Meshes: nodes, blocks of elements, sets; checked, divided, merged."""
