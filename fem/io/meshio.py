"""VTK's files, through meshio."""

from __future__ import annotations

import contextlib
import io
import warnings
from pathlib import Path

import numpy as np

from ..common.errors import FileError, FlexbodyWarning
from ..elements import ELEMENTS
from ..mesh import Block
from .raw import RawMesh, distinct

#: endings that are read through meshio, with its name of the format
FORMATS = {".vtu": "vtu", ".vtk": "vtk"}
_SOLIDS = {element.meshio: element.name for element in ELEMENTS.values()}


def read_with_meshio(path: Path) -> RawMesh:
    """Read a ``.vtu`` or ``.vtk`` file.

    meshio keeps VTK's node order, which is ours. Point data that hold only 0 and 1 (integer or bool) become
    node sets. Whatever meshio does on failure (raise anything, print, exit) becomes :class:`FileError`; what
    it prints on success, a warning.
    """
    import meshio  # an eighth of the time that "import fem" takes, and only needed here

    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            mesh = meshio.read(path, file_format=FORMATS[path.suffix.lower()])
    except (Exception, SystemExit) as error:
        heard = " ".join(said.getvalue().split())
        reason = heard or f"{type(error).__name__}: {error}"
        raise FileError(
            f"can't read {path} as {FORMATS[path.suffix.lower()]}: {reason}; write the file again, for "
            "example with ParaView or gmsh, or save it as gmsh 4.1 (.msh)"
        ) from None
    if said.getvalue().strip():
        warnings.warn(f"{path}: {' '.join(said.getvalue().split())}", FlexbodyWarning, stacklevel=4)
    points = np.asarray(mesh.points, dtype=float)
    if points.shape[1] == 2:
        points = np.hstack([points, np.zeros((len(points), 1))])
    raw, start = RawMesh(points, []), 1
    for cells in mesh.cells:
        if cells.type in _SOLIDS:
            ids = np.arange(start, start + len(cells.data))
            raw.solids.append(Block(_SOLIDS[cells.type], cells.data, ids))
        else:
            raw.other[cells.type] = raw.other.get(cells.type, 0) + len(cells.data)
        start += len(cells.data)
    raw.solids, _ = distinct([(block, []) for block in raw.solids])
    for name, values in mesh.point_data.items():
        flags = np.asarray(values)
        if flags.ndim == 1 and flags.dtype.kind in "iub" and np.isin(flags, (0, 1)).all() and flags.any():
            raw.node_sets[name] = np.flatnonzero(flags)
    return raw
