"""Modal synthesis: from a finite-element structure to a few base functions."""

__flexbody__ = "modal"  # marker: this is flexbody's own package, see flexbody/__init__.py
