"""Modal synthesis: from a finite-element structure to a few base functions."""

from . import assumed
from .conditions import AsGiven, Chord, MeanDisplacement
from .reduced_body import Marker, Recovery, ReducedBody
from .store import load

__flexbody__ = "modal"  # marker: this is flexbody's own package, see flexbody/__init__.py

__all__ = [
    "AsGiven",
    "Chord",
    "Marker",
    "MeanDisplacement",
    "Recovery",
    "ReducedBody",
    "assumed",
    "load",
]
