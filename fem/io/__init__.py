"""Mesh files."""

from .read import read_mesh

__all__ = ["read_mesh"]
