"""Finite elements: from a mesh to stiffness and mass."""

__flexbody__ = "fem"  # marker: this is flexbody's own package, see flexbody/__init__.py
