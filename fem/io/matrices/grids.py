"""Grid points of bulk data that belongs to matrices: their positions, rows along the basic axes, and their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from ...common.errors import FileError
from ..nastran.cards import Deck, deck_of
from ..nastran.grids import Grids, grids_of
from ..nastran.lines import CardError, Lines
from .content import MatrixFile
from .turned_rows import turned_rows

_KEPT = ("GRID", "GRDSET", "CORD", "EXTRN")


def with_grids(path: Path, text: str, file: MatrixFile) -> MatrixFile:
    """Return the matrices with the positions of their grid points, as far as the text holds GRID entries.

    Rows of grid points with displacement axes of their own (CD) are turned into the basic axes; FileError for points
    whose rows can't be turned, and for damaged entries.
    """
    kept = list(_kept(text))
    if not any(line.upper().startswith("GRID") for line in kept):
        return file
    grids = _read(path, kept, grids_of)
    assert file.labels is not None
    used = np.isin(grids.ids, file.labels[:, 0])
    if not used.any():
        return file
    T = _turn(path, grids, file.labels)
    matrices = {name: scipy.sparse.csr_array(T.T @ A @ T) for name, A in file.matrices.items()}
    return MatrixFile(matrices, file.labels, grids.points[used], grids.ids[used])


def with_punch(path: Path, file: MatrixFile) -> MatrixFile:
    """Return the matrices of an external superelement (EXTSEOUT) with what the punch file of the same name tells.

    EXTRN lists the grid points and components of the rows, and the scalar points of internal coordinates.
    """
    other = path.with_suffix(".pch")
    kept = list(_kept(other.read_text(encoding="latin-1"))) if other.is_file() else []
    if not any(line.upper().startswith("EXTRN") for line in kept):
        return file
    labels = np.array(_read(other, kept, _external), dtype=np.int64).reshape(-1, 2)
    fitting = {name: A for name, A in file.matrices.items() if A.shape[0] == len(labels)}
    if not fitting:
        return file
    return with_grids(other, "\n".join(kept), MatrixFile(fitting, labels))


def _external(deck: Deck) -> list[tuple[int, int]]:
    """Return node and component of each row that EXTRN lists."""
    found = []
    for row in deck.rows("EXTRN"):
        for k in range(1, len(row.words) + 1, 2):
            if row.word(k):
                components = [int(c) for c in str(row.whole(k + 1, 0))]
                found += [(row.whole(k), c) for c in components]
    return found


def _read(path: Path, kept: list[str], reader: Callable[[Deck], Any]) -> Any:
    lines = Lines([path], [line.encode("latin-1") for line in kept], list(range(1, len(kept) + 1)))
    try:
        return reader(deck_of(lines, range(len(kept))))
    except CardError as error:
        raise FileError(f"{path}, line {lines.place(error.line)}: {error}") from None


def _kept(text: str) -> Iterator[str]:
    """Yield the lines, all but those of grid points and coordinate systems replaced by comments."""
    keep = False
    for line in text.splitlines():
        if line[:1].isalpha():
            keep = line.upper().startswith(_KEPT)
        yield line if keep and line[:1] != "$" else "$"


def _turn(path: Path, grids: Grids, labels: np.ndarray) -> scipy.sparse.csr_array:
    """Return T (rows, rows): motions along the axes of grid points are T times those along the basic axes."""
    cd = {
        int(grids.ids[k]): int(grids.cd[k])
        for k in np.flatnonzero(grids.turned & np.isin(grids.ids, labels[:, 0]))
    }
    at = dict(zip(grids.ids.tolist(), grids.points, strict=True))
    axes = {number: grids.system(system, 0).axes_at(at[number]) for number, system in cd.items()}
    return turned_rows(
        labels,
        axes,
        lambda number: f"{path}: GRID {number} has displacement axes of its own (CD = {cd[number]})",
    )
