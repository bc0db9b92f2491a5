"""Modal synthesis: from a finite-element structure to a few base functions.

basis = modal.craig_bampton(structure, interfaces=("big_end", "small_end"), n_normal=8)
body = modal.reduce(structure, basis, frame=modal.MeanDisplacement(), markers=("middle",))
body.save("rod.h5")
"""

from . import assumed
from .basis import Basis
from .comparison import InterfaceEffect, interface_effect
from .conditions import AsGiven, Chord, MeanDisplacement
from .eigen import eigenmodes
from .reduced_body import Marker, Recovery, ReducedBody
from .reduction import reduce
from .static import constraint_modes, craig_bampton
from .store import load

__flexbody__ = "modal"  # marker: this is flexbody's own package, see flexbody/__init__.py

__all__ = [
    "AsGiven",
    "Basis",
    "Chord",
    "InterfaceEffect",
    "Marker",
    "MeanDisplacement",
    "Recovery",
    "ReducedBody",
    "assumed",
    "constraint_modes",
    "craig_bampton",
    "eigenmodes",
    "interface_effect",
    "load",
    "reduce",
]
