"""Triangles that fill upright rectangles: halves of the cells of a grid whose lines become close near all edges."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .triangles import SAME_POINT, Bools, Floats, Ints

#: finer and finer grids: the first piece beside an edge, as a share of the narrowest strip between edges, and the
#: longest one in a strip, as a share of it
GRIDS = ((0.2, 1 / 6), (0.05, 1 / 8), (0.015, 1 / 12))


def are_upright(polygons: list[Floats]) -> bool:
    """Return whether all polygons are rectangles with sides along the axes."""
    sides = [np.abs(np.roll(polygon, -1, axis=0) - polygon) > SAME_POINT for polygon in polygons]
    return all(len(its) == 4 and (np.count_nonzero(its, axis=1) == 1).all() for its in sides)


def fill_grid(parts: list[Floats], holes: list[Floats], grid: tuple[float, float]) -> tuple[Floats, Ints]:
    """Return points (n, 2) and triangles (m, 3), counter-clockwise, that fill upright rectangles less holes.

    ``grid`` is one of GRIDS.
    """
    edges = [_distinct(np.concatenate([polygon[:, k] for polygon in parts + holes])) for k in (0, 1)]
    first = grid[0] * min(float(np.diff(lines).min()) for lines in edges)
    y, z = (_divided(lines, first, grid[1]) for lines in edges)
    kept = np.zeros((len(y) - 1, len(z) - 1), dtype=bool)
    for polygons, value in ((parts, True), (holes, False)):
        for polygon in polygons:
            across, up = (_between(lines, polygon[:, k]) for k, lines in enumerate((y, z)))
            kept[np.ix_(across, up)] = value
    i, j = np.nonzero(kept)
    a = i * len(z) + j
    b, c, d = a + len(z), a + len(z) + 1, a + 1
    triangles = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    used, corners = np.unique(triangles, return_inverse=True)
    points = np.stack(np.meshgrid(y, z, indexing="ij"), axis=2).reshape(-1, 2)
    return points[used], corners.reshape(-1, 3)


def _distinct(values: Floats) -> Floats:
    """Return numbers in order, each once."""
    ordered = np.sort(values)
    found: Floats = ordered[np.diff(ordered, prepend=-np.inf) > SAME_POINT]
    return found


def _divided(lines: Floats, first: float, longest: float) -> Floats:
    """Return lines with others between them: from both sides of each strip pieces that double from the first one on."""
    found = [lines[:1]]
    for start, end in pairwise(lines):
        width = float(end - start)
        pieces = [min(first, longest * width)]
        while sum(pieces) < width / 2:
            pieces.append(min(2 * pieces[-1], longest * width))
        half = np.cumsum(pieces) / sum(pieces) * width / 2
        found += [start + half, (end - half)[-2::-1], np.array([end])]
    return np.concatenate(found)


def _between(lines: Floats, corners: Floats) -> Bools:
    """Return which strips between lines lie between the least and the largest of some corners."""
    middle = 0.5 * (lines[1:] + lines[:-1])
    found: Bools = (middle > corners.min()) & (middle < corners.max())
    return found
