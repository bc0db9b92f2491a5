"""Files of VTK and XDMF, by meshio."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..common.errors import FileError, warn
from ..elements import SHAPES
from ..mesh.block import Block
from .damaged_text import damaged_line
from .order import turned_wedges
from .raw import USABLE, RawMesh, check_nodes, distinct, last_line

#: endings that are read through meshio, with its name of the format
FORMATS = {".vtu": "vtu", ".vtk": "vtk", ".xdmf": "xdmf", ".xmf": "xdmf"}
_NAMES = {shape.meshio: shape.name for shape in SHAPES.values()}
#: message of meshio 5.3.5 on VTK's voxel, which it leaves out
_VOXEL = "cannot handle (type 11)"

#: dimensions of cells that meshio 5.3.5 knows in VTK's files, but whose dimension it lacks
_MISSING = {"wedge15": 3, "pyramid13": 3, "hexahedron24": 3}


@contextlib.contextmanager
def _all_dimensions() -> Iterator[None]:
    """Set the dimensions of all cells in meshio while a file is read."""
    from meshio import _mesh

    table = _mesh.topological_dimension
    missing = {name: dim for name, dim in _MISSING.items() if name not in table}
    table.update(missing)
    try:
        yield
    finally:
        for name in missing:
            table.pop(name, None)


#: where a file says how many points and cells it holds
_COUNTS = {
    ".vtk": {"points": rb"^\s*POINTS\s+(\d+)", "cells": rb"^\s*CELL_TYPES\s+(\d+)"},
    ".vtu": {"points": rb"NumberOfPoints\s*=\s*[\"'](\d+)", "cells": rb"NumberOfCells\s*=\s*[\"'](\d+)"},
}


def _announced(path: Path) -> dict[str, int]:
    """Return the numbers of points and cells that a file announces; :class:`FileError` if it is too short for them.

    meshio reserves memory for any number, and takes what it finds of a file that was cut off.
    """
    data = path.read_bytes()
    found = {}
    for what, pattern in _COUNTS.get(path.suffix.lower(), {}).items():
        if numbers := re.findall(pattern, data, re.MULTILINE | re.IGNORECASE):
            found[what] = sum(map(int, numbers))
    if path.suffix.lower() == ".vtk" and any(n > len(data) for n in found.values()):
        said = " and ".join(f"{n} {what}" for what, n in found.items())
        raise FileError(f"{path} is damaged: it announces {said} in {len(data)} bytes; write it again")
    return found


def read_with_meshio(path: Path) -> RawMesh:
    """Read a ``.vtu``, ``.vtk`` or ``.xdmf`` file.

    The cells of the highest dimension in the file become elements. meshio keeps the node order of VTK, which is also
    ours (wedges: see :func:`turned_wedges`). Point data that hold only 0 and 1 (integer or bool) become node sets.
    Every failure of meshio (an exception, printed text, an exit) becomes :class:`FileError`; text that it prints on
    success becomes a warning.
    """
    announced = _announced(path)
    import meshio  # an eighth of the time that "import fem" takes, and only needed here

    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said), _all_dimensions():
            mesh = meshio.read(path, file_format=FORMATS[path.suffix.lower()])
    except (Exception, SystemExit) as error:
        heard = " ".join(said.getvalue().split())
        reason = heard or f"{type(error).__name__}: {error}".removesuffix(": ")
        line = damaged_line(path)
        raise FileError(
            f"can't read {path}{f', line {line},' if line else ''} as {FORMATS[path.suffix.lower()]}: {reason}"
            f"{'' if line else last_line(path)}; write the file again, for example with ParaView or gmsh, or save it "
            "as gmsh 4.1 (.msh)"
        ) from None
    if _VOXEL in " ".join(said.getvalue().split()):
        raise FileError(
            f"{path} holds voxels, which are not supported; write them as hexahedra (VTK's type 12)"
        )
    if said.getvalue().strip():
        warn(f"{path}: {' '.join(said.getvalue().split())}")
    points = np.asarray(mesh.points, dtype=float)
    if points.shape[1] == 2:
        points = np.hstack([points, np.zeros((len(points), 1))])
    found = {"points": len(points), "cells": sum(len(cells.data) for cells in mesh.cells)}
    wrong = [
        f"{n} {what}, of which {found[what]} were found" for what, n in announced.items() if n != found[what]
    ]
    if wrong:
        raise FileError(
            f"{path} is incomplete or damaged: it announces {' and '.join(wrong)}{last_line(path)}; write it again"
        )
    raw, start = RawMesh(points, []), 1
    highest = max((cells.dim for cells in mesh.cells), default=0)
    for cells in mesh.cells:
        kind, count = _NAMES.get(cells.type, cells.type), len(cells.data)
        if cells.dim < highest or cells.dim == 0:
            raw.other[kind] = raw.other.get(kind, 0) + count
        elif kind in USABLE:
            block = Block(kind, cells.data, np.arange(start, start + count))
            check_nodes([block], len(points), path)
            raw.blocks.append(turned_wedges(block, points) if kind.startswith("wedge") else block)
        else:
            raw.refused[cells.dim, kind] = raw.refused.get((cells.dim, kind), 0) + count
        start += count
    raw.blocks, _ = distinct([(block, []) for block in raw.blocks])
    for name, values in mesh.point_data.items():
        flags = np.asarray(values)
        if flags.ndim == 1 and flags.dtype.kind in "iub" and np.isin(flags, (0, 1)).all() and flags.any():
            raw.node_sets[name] = np.flatnonzero(flags)
    return raw
