"""The order in which constraint rows are eliminated, and the positions of the entries of the factor, once for a system.

Rows (and deformations of force elements) that connect the same bodies form a panel. Two panels are coupled in the Schur
complement if they share a body; eliminating one couples all its neighbours. Panels whose neighbours are already coupled
come first, which eliminates a tree without any fill (D. J. Rose, J. Math. Anal. Appl. 32 (1970) 597). Then come those
with the fewest rows in their neighbours (minimum degree: A. George, J. W. H. Liu, Computer Solution of Large Sparse
Positive Definite Systems, 1981, 5.3). :mod:`flexbody.core.elimination` does the computation.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

import numpy as np


def minimum_degree(meets: list[set[int]], sizes: Sequence[int]) -> tuple[list[int], list[set[int]]]:
    """Return the order of elimination and, for each panel, the later panels below it in the factor.

    Parameters
    ----------
    meets : list of set of int
        For each panel, those that share a body with it.
    sizes : sequence of int
        Numbers of rows.
    """
    left = [set(neighbours) for neighbours in meets]
    degree = {g: sum(sizes[h] for h in left[g]) for g in range(len(left))}
    joins = [_joins(left, g) for g in range(len(left))]
    order, below = [], [set[int]() for _ in left]
    candidates = [(joins[g], degree[g], g) for g in degree]
    heapify(candidates)
    while degree:
        candidate = heappop(candidates)
        g = candidate[2]
        if g not in degree or candidate != (joins[g], degree[g], g):
            continue  # it has changed since, and is listed again
        del degree[g]
        order.append(g)
        below[g] = left[g]
        changed = set(left[g])
        for h in left[g]:
            left[h] |= left[g]
            left[h] -= {g, h}
            degree[h] = sum(sizes[k] for k in left[h])
            if joins[g]:
                changed |= left[h]
        for h in changed:  # a panel whose neighbours are coupled remains so
            joins[h] = joins[h] and _joins(left, h)
            heappush(candidates, (joins[h], degree[h], h))
    return order, below


def _joins(left: list[set[int]], g: int) -> bool:
    """Return whether eliminating ``g`` couples panels that are not coupled yet."""
    return any(len(left[g] - left[h]) > 1 for h in left[g])


def elimination_arrays(row_bodies: Sequence[Sequence[int]], sizes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of :class:`flexbody.core.structures.Layout` for the elimination.

    Parameters
    ----------
    row_bodies : sequence of sequence of int
        For each of the m rows, the moving bodies that it acts on, each once.
    sizes : numpy.ndarray
        Number of velocities of each body, (nb,).
    """
    panels: dict[tuple[int, ...], list[int]] = {}
    for k, bodies in enumerate(row_bodies):
        panels.setdefault(tuple(sorted(bodies)), []).append(k)
    keys, members = list(panels), list(panels.values())
    touching: dict[int, set[int]] = {}
    for g, key in enumerate(keys):
        for b in key:
            touching.setdefault(b, set()).add(g)
    meets = [set().union(*(touching[b] for b in key)) - {g} for g, key in enumerate(keys)]
    order, below = minimum_degree(meets, [len(rows) for rows in members])
    sequence = [k for g in order for k in members[g]]
    place = np.empty(len(sequence), dtype=np.int64)
    place[sequence] = np.arange(len(sequence))
    columns = [place[members[g]] for g in order]
    under = [
        np.sort(np.concatenate([np.zeros(0, np.int64), *(place[members[h]] for h in below[g])]))
        for g in order
    ]
    factor = _Factor(columns, under)
    return {
        "elimination": np.array(sequence, dtype=np.int64),
        "panel_row_at": _offsets(len(c) for c in columns),
        "panel_at": factor.at,
        "below_at": _offsets(len(u) for u in under),
        "below": _joined(under),
        "update": factor.pairs(under),
        "update_at": _offsets(len(u) * (len(u) + 1) // 2 for u in under),
        "diagonal_at": factor.diagonal(),
        **_body_arrays(row_bodies, sizes, place, factor),
    }


def _body_arrays(row_bodies, sizes, place, factor: _Factor) -> dict[str, np.ndarray]:
    """Return the rows that act on each body, their Jacobian blocks, and the positions of products of two."""
    rows: list[list[int]] = [[] for _ in sizes]
    for k in np.argsort(place):
        for b in row_bodies[k]:
            rows[b].append(place[k])
    touching = [np.array(r, dtype=np.int64) for r in rows]
    return {
        "body_row_at": _offsets(len(r) for r in touching),
        "body_row": _joined(touching),
        "body_block_at": _offsets(len(r) * size for r, size in zip(touching, sizes, strict=True)),
        "body_pair_at": _offsets(len(r) * (len(r) + 1) // 2 for r in touching),
        "pair": factor.pairs(touching),
    }


def side_blocks(row_bodies, side_row, side_body, sizes, arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return the offset in ``Work.G`` of the block that each side (a row and a moving body) adds to."""
    place = np.empty(len(row_bodies), dtype=np.int64)
    place[arrays["elimination"]] = np.arange(len(row_bodies))
    found = {}
    for b, size in enumerate(sizes):
        start, stop = arrays["body_row_at"][b : b + 2]
        for r, p in enumerate(arrays["body_row"][start:stop]):
            found[b, p] = arrays["body_block_at"][b] + r * size
    return np.array([found[b, place[k]] for k, b in zip(side_row, side_body, strict=True)], dtype=np.int64)


class _Factor:
    """Offsets of the entries of the factor: a panel holds its own rows, then the rows below it."""

    def __init__(self, columns: list[np.ndarray], under: list[np.ndarray]) -> None:
        self.rows = [np.concatenate([c, u]) for c, u in zip(columns, under, strict=True)]
        self.width = np.array([len(c) for c in columns], dtype=np.int64)
        self.at = _offsets(len(r) * len(c) for r, c in zip(self.rows, columns, strict=True))
        self.first = _offsets(self.width)
        self.owner = np.repeat(np.arange(len(columns)), self.width)
        # the rows of all panels, in one increasing sequence
        self.start = _offsets(len(r) for r in self.rows)
        self.keys = _joined([g * len(self.owner) + r for g, r in enumerate(self.rows)])

    def entries(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Return the offsets of entries (i, j), where i is not before j in the elimination."""
        g = self.owner[j]
        inside = np.searchsorted(self.keys, g * len(self.owner) + i) - self.start[g]
        return self.at[g] + inside * self.width[g] + j - self.first[g]

    def diagonal(self) -> np.ndarray:
        """Return the offsets of all entries (i, i): a panel's own rows come first in it."""
        inside = np.arange(len(self.owner)) - self.first[self.owner]
        return self.at[self.owner] + inside * (self.width[self.owner] + 1)

    def pairs(self, groups: list[np.ndarray]) -> np.ndarray:
        """Return the offsets of the lower triangles of squares of increasing rows, row by row, of all groups."""
        triangles = {n: np.tril_indices(n) for n in {len(rows) for rows in groups}}
        first, second = (_joined([rows[triangles[len(rows)][side]] for rows in groups]) for side in range(2))
        return self.entries(first, second)


def _offsets(lengths) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(np.asarray(list(lengths), dtype=np.int64))]).astype(np.int64)


def _joined(pieces: list[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, dtype=np.int64), *pieces])
