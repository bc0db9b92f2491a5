"""Thin walls along a polyline as quadrilaterals."""

from __future__ import annotations

import numpy as np

#: walls that turn by more than this are not mitred, rad
_SHARPEST = np.radians(150.0)


def mitred(points: np.ndarray, thickness: np.ndarray) -> list[np.ndarray]:
    """Return a quadrilateral (4, 2) for each segment between points (n + 1, 2): both sides half a thickness away.

    Where two segments meet their sides are cut where they cross, at the end of a closed polyline too; where they go on
    straight, or turn back, each ends square.
    """
    along = np.diff(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    closed = np.allclose(points[0], points[-1], rtol=0, atol=1e-9 * np.ptp(points))
    n, parts = len(along), []
    for k in range(n):
        corners = []
        for at, other in ((points[k], k - 1), (points[k + 1], k + 1)):
            meets = closed or 0 <= other < n
            for side in (-1, 1):
                square = side * thickness[k] / 2 * normal[k]
                corners.append(
                    at + (_mitre(side, k, other % n, along, normal, thickness) if meets else square)
                )
        parts.append(np.array([corners[0], corners[2], corners[3], corners[1]]))
    return parts


def _mitre(
    side: int, k: int, other: int, along: np.ndarray, normal: np.ndarray, thickness: np.ndarray
) -> np.ndarray:
    """Return where the sides of two segments cross, from the point in which they meet; square if they don't."""
    turn = np.arccos(np.clip(along[k] @ along[other], -1, 1))
    if not 1e-6 < turn < _SHARPEST:
        return side * thickness[k] / 2 * normal[k]
    away = side * np.array([thickness[k], thickness[other]]) / 2
    return np.linalg.solve(np.array([normal[k], normal[other]]), away)
