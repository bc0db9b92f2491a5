"""Component mode synthesis: from a finite-element structure to a few base functions.

A basis is a set of displacement fields; :func:`reduce` makes a flexible body of it, which
:class:`flexbody.FlexibleBody` takes::

    basis = modal.craig_bampton(structure, interfaces=("big_end", "small_end"), n_normal=8)
    body = modal.reduce(structure, basis, frame=modal.MeanDisplacement(), markers=("middle",))
    body.save("rod.h5")
"""

from typing import TYPE_CHECKING

import fem
from fem.common.names import no_attribute

from . import assumed
from .bases.basis import Basis
from .bases.constraint_modes import constraint_modes, craig_bampton
from .bases.eigenmodes import eigenmodes
from .bases.following_modes import following_modes
from .bases.interfaces import Averaged, Rigid
from .bases.selection import all_degrees_of_freedom, combine
from .bases.static_modes import (
    attachment_modes,
    craig_chang,
    displacement_modes,
    inertia_modes,
    static_modes,
)
from .body.export import export
from .body.reduced_body import Marker as Marker
from .body.reduced_body import Recovery as Recovery
from .body.reduced_body import ReducedBody
from .body.sid import read_sid
from .body.station_shapes import StationShapes as StationShapes
from .body.store import load, save
from .body.stress_modes import StressModes as StressModes
from .quality.accuracy import Accuracy as Accuracy
from .quality.accuracy import accuracy
from .quality.interface_effect import InterfaceEffect as InterfaceEffect
from .quality.interface_effect import interface_effect
from .quality.lumping import Lumping as Lumping
from .quality.lumping import lumping
from .quality.recommendation import Recommendation as Recommendation
from .quality.recommendation import recommend
from .quality.report import report, with_accuracy
from .quality.stress_error import StressError as StressError
from .quality.stress_error import stress_error
from .reduction.axial_modes import AxialEnergy as AxialEnergy
from .reduction.axial_modes import AxialModes
from .reduction.frames import Chord, FixedPoint, MeanDisplacement, Prescribed, Unchanged
from .reduction.reduce import reduce
from .reduction.shifting import lower, tune

__flexbody__ = "modal"  # marker: this is flexbody's own package, see flexbody/__init__.py

# a reduced body is data; the functions that write, compare and report it stand above it
ReducedBody.save = save
ReducedBody.export = export
ReducedBody.with_accuracy = with_accuracy
ReducedBody.report = report

__all__ = [
    "Averaged",
    "AxialModes",
    "Basis",
    "Chord",
    "FixedPoint",
    "MeanDisplacement",
    "Prescribed",
    "ReducedBody",
    "Rigid",
    "Unchanged",
    "accuracy",
    "all_degrees_of_freedom",
    "assumed",
    "attachment_modes",
    "combine",
    "constraint_modes",
    "craig_bampton",
    "craig_chang",
    "displacement_modes",
    "eigenmodes",
    "following_modes",
    "inertia_modes",
    "interface_effect",
    "load",
    "lower",
    "lumping",
    "read_sid",
    "recommend",
    "reduce",
    "static_modes",
    "stress_error",
    "tune",
]

#: Types of what functions return. Scripts read their attributes and name them in annotations, but construct none.
RESULT_TYPES = (
    "Accuracy",
    "AxialEnergy",
    "InterfaceEffect",
    "Lumping",
    "Marker",
    "Recommendation",
    "Recovery",
    "StationShapes",
    "StressError",
    "StressModes",
)

#: what other programs and other engineers call what is here
_WORDS = {
    "cms": "craig_bampton",
    "guyan": "constraint_modes",
    "modes": "eigenmodes",
    "read": "load",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> None:
        """Say which name is meant by one that does not exist (PEP 562)."""
        raise no_attribute(__name__, name, [*__all__, *RESULT_TYPES], _WORDS, {"fem": fem.__all__})
