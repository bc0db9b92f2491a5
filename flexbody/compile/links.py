"""Constants of the rigid bodies of a tree, seen from the outer frames of their hinges, see link.hpp."""

from __future__ import annotations

import numpy as np

from ..core.kinds import (
    C3,
    CLOUD,
    CONTROL,
    COORDINATE_FIRST,
    COORDINATE_SECOND,
    FIRST,
    GEOMETRY,
    LOAD_FRAME,
    SECOND,
    SURFACE,
    TANGENTS,
)
from ..core.structures import Layout

#: Numbers of a link, a row of ``Tree.link``.
LINK_SIZE = 60


def rigid_links(
    L: Layout, body: np.ndarray, carrier: np.ndarray, frame: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return ``Tree.seat`` and ``Tree.rigid``; zeros where the carrier or the body is flexible.

    ``body``, ``carrier``, ``frame``: of each hinge, see :class:`flexbody.core.structures.Tree`.
    """
    nb = len(body)
    seat, rigid = np.zeros((nb, 12)), np.zeros((nb, 10))
    bases = [_pose(L, f) for f in frame[:, 1]]
    for k, b in enumerate(body):
        A, x = _pose(L, frame[k, 0])
        if carrier[k] >= 0:
            A0, x0 = bases[carrier[k]]
            A, x = A0.T @ A, A0.T @ (x - x0)
        seat[k] = *A.flat, *x
        if L.body_modes[b] == 0:
            A0, x0 = bases[k]
            at = L.coefficient_at[b, C3]
            J, m, center = L.coefficients[at : at + 9].reshape(3, 3), L.body_mass[b], -A0.T @ x0
            J = A0.T @ J @ A0 + m * (center @ center * np.eye(3) - np.outer(center, center))
            rigid[k] = m, *center, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]
    return seat, rigid


def _pose(L: Layout, f: int) -> tuple[np.ndarray, np.ndarray]:
    """Return axes (columns) and origin of a frame in the base of its undeformed body; -1 is this base."""
    return (np.eye(3), np.zeros(3)) if f < 0 else (L.frame_A[f], L.frame_x[f])


def watched_frames(L: Layout) -> np.ndarray:
    """Return the frames that forces act on, and those of joint coordinates, which forces may follow."""
    if len(L.element) + len(L.load_frame) == 0:
        return np.zeros(0, dtype=np.int64)
    columns = (
        L.load_frame[:, LOAD_FRAME],
        *(L.element[:, side] for side in (FIRST, SECOND)),
        *(
            np.arange(one[FIRST], one[SECOND])
            for one in L.element
            if one[GEOMETRY] in (CLOUD, CONTROL, SURFACE, TANGENTS)
        ),
        *(L.coordinate[:, side] for side in (COORDINATE_FIRST, COORDINATE_SECOND)),
    )
    found = np.unique(np.concatenate(columns)).astype(np.int64)
    return found[found >= 0]


def ground_link(nb: int) -> np.ndarray:
    """Return ``Tree.link`` with the ground at rest in its first row."""
    link = np.zeros((nb + 1, LINK_SIZE))
    link[0, [0, 4, 8]] = 1.0
    return link
