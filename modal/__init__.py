"""Modal synthesis: from a finite-element structure to a few base functions.

basis = modal.craig_bampton(structure, interfaces=("big_end", "small_end"), n_normal=8)
body = modal.reduce(structure, basis, frame=modal.MeanDisplacement(), markers=("middle",))
body.save("rod.h5")
"""

from . import assumed
from .attachment import (
    attachment_modes,
    craig_chang,
    displacement_modes,
    inertia_modes,
    static_modes,
)
from .axial import AxialEnergy, AxialModes
from .basis import Basis
from .comparison import InterfaceEffect, interface_effect
from .conditions import AsGiven, Chord, FixedPoint, MeanDisplacement, Prescribed
from .eigen import eigenmodes
from .judgement import Judgement, judge
from .lumping import Lumping, lumping
from .recommendation import Recommendation, recommend
from .reduced_body import Marker, Recovery, ReducedBody
from .reduction import reduce
from .selection import all_freedoms, combine
from .shifting import lower, tune
from .static import constraint_modes, craig_bampton
from .store import load
from .stress import StressModes
from .stress_error import StressError, stress_error

__flexbody__ = "modal"  # marker: this is flexbody's own package, see flexbody/__init__.py

__all__ = [
    "AsGiven",
    "AxialEnergy",
    "AxialModes",
    "Basis",
    "Chord",
    "FixedPoint",
    "InterfaceEffect",
    "Judgement",
    "Lumping",
    "Marker",
    "MeanDisplacement",
    "Prescribed",
    "Recommendation",
    "Recovery",
    "ReducedBody",
    "StressError",
    "StressModes",
    "all_freedoms",
    "assumed",
    "attachment_modes",
    "combine",
    "constraint_modes",
    "craig_bampton",
    "craig_chang",
    "displacement_modes",
    "eigenmodes",
    "inertia_modes",
    "interface_effect",
    "judge",
    "load",
    "lower",
    "lumping",
    "recommend",
    "reduce",
    "static_modes",
    "stress_error",
    "tune",
]
