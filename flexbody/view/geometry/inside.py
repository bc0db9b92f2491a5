"""Which points lie inside closed surfaces, by their winding numbers."""

from __future__ import annotations

import numpy as np

#: Largest number of points of a part that are looked at.
SOME_POINTS = 64


def share_inside(points: np.ndarray, surfaces: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """Return the part of some points (n, 3), 0..1, that lie inside one of the closed surfaces (points, triangles)."""
    some = points[:: len(points) // SOME_POINTS + 1]
    inside = np.zeros(len(some), dtype=bool)
    for corners, triangles in surfaces:
        low, high = corners.min(axis=0), corners.max(axis=0)
        near = ~inside & ((some >= low) & (some <= high)).all(axis=1)
        if near.any() and len(triangles):
            inside[near] = np.abs(_winding(some[near], corners[triangles])) > 0.5
    return float(inside.mean())


def _winding(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Return how often triangles (m, 3, 3) surround points (k, 3): their solid angles over 4 pi.

    The solid angle of a triangle is that of A. Van Oosterom and J. Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125.
    """
    found = []
    for point in points:
        a, b, c = (corners - point).transpose(1, 0, 2)
        x, y, z = (np.linalg.norm(way, axis=1) for way in (a, b, c))
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        dots = [np.einsum("ij,ij->i", *pair) for pair in ((a, b), (a, c), (b, c))]
        angle = 2 * np.arctan2(volume, x * y * z + dots[0] * z + dots[1] * y + dots[2] * x)
        found.append(angle.sum() / (4 * np.pi))
    return np.array(found)
