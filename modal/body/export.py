"""Reduced bodies as files of other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.files import check_file, new_file, path_of

from .reduced_body import ReducedBody
from .sid import sid_of
from .superelement import superelement, superelement_text

#: endings of SID files
SID_ENDINGS = (".sid", ".sid_fem")


@check_arguments
def export(body: ReducedBody, path: str | os.PathLike, *, by_mode: bool = False) -> Path:
    """Write the body for other programs; the ending determines the format.

    Parameters
    ----------
    path : str or path
        ``.SID_FEM`` or ``.sid``: Standard Input Data, for Simpack, Modelica and others. ``.npz``: all arrays of the
        body by their names, and its superelement. ``.mtx``: a superelement in the form of Abaqus, stiffness, mass and
        damping by dampers over the motions of markers and internal coordinates. :func:`fem.from_matrices` reads both,
        without the damping.
    by_mode : bool
        Order of the columns of Gr and Ge in a SID file: False, by axis, as FEMBS writes it; True, by mode, for EMBSlib
        and pymbs.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Raises
    ------
    InputError
        The ending is another one, or the format can't hold the body: axial modes in a SID file.
    FileError
        The file can't be written there.

    Notes
    -----
    A SID file has no place for the second order of the moment equation (:mod:`modal.body.sid`). Its positions are those
    of the mesh in the mean-displacement frame, and are measured from the origin of the frame in others.

    A superelement has the six motions of as many markers as the modes determine, in the order of ``markers``, and then
    internal coordinates: node k is the k-th marker, and the internal coordinates are the first component of further
    nodes. Linear programs use it as it is; the large motion of a body needs one of the other two formats.

    Examples
    --------
    >>> import numpy as np, tempfile, modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sorted(np.load(beam.export(folder + "/beam.npz")))[:4]
    ['B', 'C1', 'C2', 'C3']
    """
    check_file(path, tuple(_WRITERS), f"body '{body.name}'")
    path = path_of(path)
    with new_file(path) as partial:
        _WRITERS[path.suffix.lower()](body, partial, by_mode)
    return path


def _write_sid(body: ReducedBody, path: Path, by_mode: bool) -> None:
    path.write_text(sid_of(body, by_mode), encoding="latin-1", errors="replace")


def _write_archive(body: ReducedBody, path: Path, by_mode: bool) -> None:
    """Write the arrays of a body and of its markers by their names."""
    N, markers = body.N, list(body.markers.values())
    names = ("origin", "mass", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K")
    arrays = {name: np.asarray(getattr(body, name)) for name in names}
    arrays |= {
        "name": np.array(body.name),
        "frame": np.array(body.frame),
        "markers": np.array(list(body.markers)),
    }
    arrays["points"] = np.array([m.point for m in markers]).reshape(-1, 3)
    for key in ("Phi", "B"):
        arrays[key] = np.array([getattr(m, key) for m in markers]).reshape(-1, 3, N)
    if body.C5_stiffening is not None:
        arrays["C5_stiffening"] = body.C5_stiffening
    if body.D is not None:
        arrays["D"] = body.D
    if markers and all(m.GF is not None for m in markers):
        arrays |= {key: np.array([getattr(m, key) for m in markers]) for key in ("GF", "GM")}
    if any(m.has_rotation for m in markers):
        kept, matrices = superelement(body)
        points = np.array([body.markers[name].point + body.origin for name in kept])
        dofs = [(1 + k // 6, 1 + k % 6) for k in range(6 * len(kept))] + [(-1, 0)] * (
            len(matrices["K"]) - 6 * len(kept)
        )
        one = {**matrices, "points": points, "dofs": np.array(dofs), "names": np.array(kept)}
        arrays |= {f"superelement_{key}": value for key, value in one.items()}
    np.savez_compressed(path, allow_pickle=False, **arrays)  # type: ignore[arg-type]


def _write_superelement(body: ReducedBody, path: Path, by_mode: bool) -> None:
    names, matrices = superelement(body)
    points = {name: body.markers[name].point + body.origin for name in names}
    path.write_text(superelement_text(body.name, points, matrices), encoding="latin-1", errors="replace")


_WRITERS: dict[str, Callable[[ReducedBody, Path, bool], None]] = {
    **dict.fromkeys(SID_ENDINGS, _write_sid),
    ".npz": _write_archive,
    ".mtx": _write_superelement,
}
