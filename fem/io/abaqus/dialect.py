"""Which of the two programs, Abaqus or CalculiX, a file is for, where they read the same words in different ways."""

from __future__ import annotations

import os
import re

from .model import Model

ABAQUS, CALCULIX = "Abaqus", "CalculiX"
#: beams that only one of the programs has
_BEAMS = {
    **dict.fromkeys(("B31R", "B32R"), CALCULIX),
    **dict.fromkeys(("B31H", "B32H", "B33", "B33H", "PIPE31", "PIPE31H", "PIPE32", "PIPE32H"), ABAQUS),
}
#: words that programs which write files for CalculiX leave in comments
_WRITERS = (b"calculix", b"prepomax")
#: choices of a solver of equations that only CalculiX has, behind ``SOLVER=``, at the end of a file
_SOLVERS = re.compile(
    rb"^\*(?!\*)[^\n]*(?:,\s*\n[^\n]*)?solver\s*=\s*(matrixstorage|spooles|pastix|pardiso|iterative\s*(scaling|cholesky))",
    re.M | re.I,
)
#: numbers of bytes in which these stand
_HEAD_SIZE = _TAIL_SIZE = 20_000


def dialect_of(model: Model) -> str:
    """Return "Abaqus", which alone has parts and instances, "CalculiX", or "" where nothing tells."""
    if model.parts or model.instances:
        return ABAQUS
    for its in model.assembly.elements:
        if its.kind in _BEAMS:
            return _BEAMS[its.kind]
    with model.path.open("rb") as file:
        head = file.read(_HEAD_SIZE).lower()
        file.seek(max(file.seek(0, os.SEEK_END) - _TAIL_SIZE, 0))
        tail = file.read()
    return CALCULIX if any(word in head for word in _WRITERS) or _SOLVERS.search(tail) else ""
