"""Element types of Abaqus and CalculiX, and the elements that they become."""

from __future__ import annotations

import re

from ...elements import SHAPES
from ...elements.properties import Membrane, Shell

_SOLID = re.compile(r"C3D(\d+)[RHIMS]*(?:OS)?")
_SOLIDS = {
    "4": "tet4",
    "5": "pyramid5",
    "6": "wedge6",
    "8": "hex8",
    "10": "tet10",
    "13": "pyramid13",
    "15": "wedge15",
    "20": "hex20",
    "27": "hex27",
}
_SHELLS = {
    **dict.fromkeys(("S3", "S3R", "S3S", "S3RS", "STRI3"), "tri3"),
    **dict.fromkeys(("S4", "S4R", "S4RS", "S4R5"), "quad4"),
    **dict.fromkeys(("STRI65", "S6"), "tri6"),
    **dict.fromkeys(("S8R", "S8R5", "S8"), "quad8"),
    "S9R5": "quad9",
}
_MEMBRANES = {
    "M3D3": "tri3",
    **dict.fromkeys(("M3D4", "M3D4R"), "quad4"),
    "M3D6": "tri6",
    **dict.fromkeys(("M3D8", "M3D8R"), "quad8"),
    **dict.fromkeys(("M3D9", "M3D9R"), "quad9"),
}
#: beams of three nodes, each of which becomes two of two nodes
_HALVED = ("B32", "B32H", "B32R", "PIPE32", "PIPE32H")
_LINES = {
    **dict.fromkeys(_HALVED, "line2"),
    **dict.fromkeys(("B31", "B31H", "B31R", "PIPE31", "PIPE31H", "B33", "B33H", "T3D2", "T3D2H"), "line2"),
    **dict.fromkeys(("T3D3", "T3D3H"), "line3"),
}
#: elements of one or two nodes that are parts of the structure, and how many nodes they have
POINTS = {
    **{"MASS": 1, "ROTARYI": 1, "SPRING1": 1, "SPRING2": 2, "SPRINGA": 2},
    **{"DASHPOT1": 1, "DASHPOT2": 2, "DASHPOTA": 2},
}
#: surface elements without mass or stiffness, and why they are left out
_WITHOUT = {
    "SFM3D": "surface elements without stiffness",
    "R3D": "elements of rigid surfaces; their rigid body keeps its nodes",
    "RB3D": "elements of rigid surfaces; their rigid body keeps its nodes",
}
#: what is said of types that are integrated in another way than in their program
INTEGRATION = {
    "C3D8R": "full integration with incompatible modes stands for the reduced one with hourglass control",
    "M3D4": "the hybrid element of Pian and Sumihara, which bends in its plane, stands for plain displacements",
    "M3D4R": "the hybrid element of Pian and Sumihara stands for reduced integration with hourglass control",
    **dict.fromkeys(("M3D8R", "M3D9R"), "full integration stands for the reduced one"),
    **dict.fromkeys(
        ("B31", "B31R", "PIPE31"),
        "Timoshenko's beam with its whole shear stiffness stands for the one whose shear stiffness is reduced where it "
        "is slender (slenderness compensation)",
    ),
    **dict.fromkeys(
        _HALVED, "two of Timoshenko's beams of two nodes; the second one has a number of its own"
    ),
}
#: the same of variants of solids, by the letter behind their number of nodes
_VARIANTS = {
    "M": "plain quadratic tetrahedra stand for the modified ones",
    "H": "displacements alone stand for the mixed formulation with a pressure",
}
MEND = (
    "leave them out, or use solids C3D4, C3D5, C3D6, C3D8, C3D10, C3D13, C3D15, C3D20 or C3D27 (and their R, H, I, M "
    f"variants), shells {', '.join(k for k, v in _SHELLS.items() if v in Shell.kinds)}, membranes "
    f"{', '.join(_MEMBRANES)}, beams B31, B32, B33, "
    "PIPE31 or PIPE32, trusses T3D2 or T3D3, MASS, ROTARYI, SPRING1, SPRING2, SPRINGA, DASHPOT1, DASHPOT2 or DASHPOTA"
)


def shape_of(kind: str) -> str | None:
    """Return the name of the shape of an element type; None if it is not supported."""
    if match := _SOLID.fullmatch(kind):
        return _SOLIDS.get(match.group(1))
    if _SHELLS.get(kind) in Shell.kinds:
        return _SHELLS[kind]
    if is_membrane(kind):
        return _MEMBRANES[kind]
    return _LINES.get(kind)


def without_stiffness(kind: str) -> str | None:
    """Return why elements of a type may be left out, None if they may not."""
    return next((why for start, why in _WITHOUT.items() if kind.startswith(start)), None)


def other_formulation(kind: str) -> str:
    """Return what is said of elements of a type that are computed in another way than in their program, or nothing."""
    if kind in INTEGRATION or not _SOLID.fullmatch(kind):
        return INTEGRATION.get(kind, "")
    return "; ".join(why for letter, why in _VARIANTS.items() if letter in kind)


def is_halved(kind: str) -> bool:
    """Return whether an element has a middle node at which it becomes two."""
    return kind in _HALVED


def n_nodes(kind: str) -> int | None:
    """Return how many nodes an element of a supported type has."""
    if is_halved(kind):
        return 3
    shape = shape_of(kind)
    return len(SHAPES[shape].nodes) if shape else POINTS.get(kind)


def has_mean_dilatation(kind: str) -> bool:
    """Return whether a linear brick takes the volume strain of its mean (B-bar)."""
    return kind in ("C3D8", "C3D8H")


def is_membrane(kind: str) -> bool:
    """Return whether elements of a type are membranes."""
    return _MEMBRANES.get(kind) in Membrane.kinds


def is_beam(kind: str) -> bool:
    """Return whether elements of a type are beams."""
    return kind.startswith(("B", "PIPE"))


def is_reduced(kind: str) -> bool:
    """Return whether a solid is integrated at few points: quadratic bricks at 2 x 2 x 2, wedges at 2 and 9."""
    return re.fullmatch(r"C3D(20R[HIMS]*|(6|15)[HIMSR]*)", kind) is not None
