"""Elimination of unknowns by linear equations between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from .freedoms import Freedoms

#: part of an equation that is rounding after others have been inserted
ROUNDING_PART = 1e-10
#: part of the largest coefficient from which on the first motion of an equation is the one that follows
LEAST_PIVOT = 0.01


@dataclass(frozen=True, eq=False)
class Elimination:
    """Degrees of freedom under equations; ``kept`` equations that don't repeat others, and the unknown each removes.

    ``A`` (kept, unknowns before): the equations over the unknowns before the elimination.
    """

    freedoms: Freedoms
    kept: np.ndarray
    removed: np.ndarray
    A: scipy.sparse.csr_array

    def multipliers(self, force: np.ndarray) -> np.ndarray:
        """Return the multipliers (kept,) of the equations that balance a force on the unknowns before."""
        square = scipy.sparse.csc_array(self.A[:, self.removed].T)
        return np.asarray(scipy.sparse.linalg.splu(square).solve(-force[self.removed]))


def eliminated(freedoms: Freedoms, rows: Sequence[tuple[np.ndarray, np.ndarray]], size: float) -> Elimination:
    """Return the degrees of freedom under equations.

    Each equation is given by motions and coefficients; ``size`` in m of the structure makes coefficients of rotations
    comparable. Gauss-Jordan elimination; each equation removes the motion of its first term, or that of its largest
    coefficient if the first is small.
    """
    unit = np.ones(freedoms.n_motions)
    for k in range(3):
        unit[freedoms.first[:-1][freedoms.count == 6] + 3 + k] = 1.0 / size
    free = np.arange(freedoms.n_motions) if freedoms.free is None else freedoms.free
    scale = unit[free]
    table = [_over_unknowns(freedoms, motions, row) for motions, row in rows]
    solved: dict[int, dict[int, float]] = {}  # removed unknown: its row over those that stay
    users: dict[int, set[int]] = {}  # unknown: the removed ones whose rows hold it
    kept, removed = [], []
    for number, row in enumerate(table):
        left = _inserted(row, solved, scale)
        if not left:
            continue
        pivot = _pivot(left, scale)
        kept.append(number)
        removed.append(pivot)
        own = {k: -value / left[pivot] for k, value in left.items() if k != pivot}
        for user in users.pop(pivot, ()):
            factor = solved[user].pop(pivot)
            for k, value in own.items():
                solved[user][k] = solved[user].get(k, 0.0) + factor * value
                users.setdefault(k, set()).add(user)
        for k in own:
            users.setdefault(k, set()).add(pivot)
        solved[pivot] = own
    return _result(freedoms, free, table, solved, np.array(kept, np.int64), np.array(removed, np.int64))


def _over_unknowns(freedoms: Freedoms, motions: np.ndarray, row: np.ndarray) -> dict[int, float]:
    """Return an equation over the unknowns, in the order of its terms."""
    found: dict[int, float] = {}
    for motion, value in zip(motions.tolist(), row.tolist(), strict=True):
        if freedoms.L is None:
            pairs = [(motion, 1.0)]
        else:
            its = slice(freedoms.L.indptr[motion], freedoms.L.indptr[motion + 1])
            pairs = zip(freedoms.L.indices[its].tolist(), freedoms.L.data[its].tolist(), strict=True)
        for k, factor in pairs:
            found[k] = found.get(k, 0.0) + factor * value
    return found


def _inserted(
    row: dict[int, float], solved: dict[int, dict[int, float]], scale: np.ndarray
) -> dict[int, float]:
    """Return an equation with the removed unknowns replaced, without what is rounding."""
    left = {k: value for k, value in row.items() if k not in solved}
    largest = max((abs(value) * scale[k] for k, value in row.items()), default=0.0)
    for k, value in row.items():
        for other, factor in solved.get(k, {}).items():
            left[other] = left.get(other, 0.0) + value * factor
            largest = max(largest, abs(value * factor) * scale[other])
    return {k: value for k, value in left.items() if abs(value) * scale[k] > ROUNDING_PART * largest}


def _pivot(row: dict[int, float], scale: np.ndarray) -> int:
    size = {k: abs(value) * scale[k] for k, value in row.items()}
    least = LEAST_PIVOT * max(size.values())
    return next(k for k in row if size[k] >= least)


def _result(freedoms, free, table, solved, kept, removed) -> Elimination:
    n = freedoms.n
    stays = np.setdiff1d(np.arange(n), removed)
    number = np.full(n, -1)
    number[stays] = np.arange(len(stays))
    rows, columns, values = [stays], [np.arange(len(stays))], [np.ones(len(stays))]
    for k, own in solved.items():
        rows.append(np.full(len(own), k))
        columns.append(number[np.array(list(own), dtype=np.int64)])
        values.append(np.array(list(own.values()), dtype=float))
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    D = scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(n, len(stays))))
    L = D if freedoms.L is None else scipy.sparse.csr_array(freedoms.L @ D)
    pieces = [table[k] for k in kept]
    at = (
        np.repeat(np.arange(len(pieces)), [len(piece) for piece in pieces]),
        np.array([k for piece in pieces for k in piece], dtype=np.int64),
    )
    data = np.array([value for piece in pieces for value in piece.values()], dtype=float)
    A = scipy.sparse.csr_array(scipy.sparse.coo_array((data, at), shape=(len(pieces), n)))
    return Elimination(Freedoms(freedoms.count, L, free[stays]), kept, removed, A)
