"""A reduced body as a superelement: stiffness and mass between markers and internal coordinates, Craig and Bampton."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy

from fem.common.errors import InputError

from .inertia import FloatArray
from .reduced_body import ReducedBody
from .rigid_motion import rigid_mass

#: a marker whose motion depends on that of others, to this part of its own, is not retained
_DEPENDENCE_TOLERANCE = 1e-6
#: names of the matrices in Abaqus
_KINDS = {"K": "STIFFNESS", "M": "MASS", "D": "VISCOUS DAMPING"}


def superelement(body: ReducedBody) -> tuple[list[str], dict[str, FloatArray]]:
    """Return the retained markers, and K, M and any D (6 + N, 6 + N) over their six motions and internal coordinates.

    Markers are retained in their order as far as six motions and N base functions determine all of theirs. The
    internal coordinates are the modes with all retained markers held, in ascending order of their frequencies.
    """
    N = body.N
    K, M = np.zeros((6 + N, 6 + N)), np.zeros((6 + N, 6 + N))
    K[6:, 6:] = body.K
    rigid, coupled = rigid_mass(body)
    M[:6, :6], M[:6, 6:], M[6:, :6], M[6:, 6:] = rigid, coupled.T, coupled, body.C8
    names, A = _independent(body)
    if not names:
        raise InputError(
            f"body '{body.name}' has no marker with a rotation; a superelement needs one: markers= of modal.reduce"
        )
    size, own = _units(body)
    other = np.tile([1.0] * 3 + [size] * 3, len(names))  # rotations as displacements at that distance
    scaled = other[:, None] * A * own
    _, values, right = np.linalg.svd(scaled)
    free = own[:, None] * right[len(values) :].T  # motions that leave the markers where they are
    X = own[:, None] * np.linalg.pinv(scaled) * other
    if free.shape[1]:
        squares, shapes = scipy.linalg.eigh(free.T @ K @ free, free.T @ M @ free)
        Z = free @ shapes
        for _ in range(2):  # static shapes; repeated for the digits
            X = X - Z @ ((Z.T @ K @ X) / squares[:, None])
        X = np.hstack([X, Z])
    matrices = {"K": K, "M": M}
    if body.D is not None:
        matrices["D"] = scipy.linalg.block_diag(np.zeros((6, 6)), body.D)
    return names, {name: _symmetric(X.T @ A @ X) for name, A in matrices.items()}


def _units(body: ReducedBody) -> tuple[float, FloatArray]:
    """Return the size of a body, m, and units (6 + N,) of its six rigid motions and amplitudes that are comparable."""
    size = max((float(np.abs(m.point).max()) for m in body.markers.values()), default=0.0) or 1.0
    moved = [np.abs(np.vstack([m.Phi, size * m.B])).max(axis=0) for m in body.markers.values()]
    largest = np.max([*moved, np.zeros(body.N)], axis=0)
    least = 1e-6 * largest.max(initial=0.0) or 1.0  # of modes that move no marker
    return size, np.concatenate([np.ones(3), np.full(3, 1 / size), 1 / np.maximum(largest, least)])


def _symmetric(A: FloatArray) -> FloatArray:
    return 0.5 * (A + A.T)


def _independent(body: ReducedBody) -> tuple[list[str], FloatArray]:
    """Return markers, and their motions (6 k, 6 + N) from six motions of the rigid body and N base functions."""
    names: list[str] = []
    rows = np.empty((0, 6 + body.N))
    _, scale = _units(body)
    for name, marker in body.markers.items():
        arm = np.cross(np.eye(3), marker.point).T  # e_k x point
        own = np.block([[np.eye(3), arm, marker.Phi], [np.zeros((3, 3)), np.eye(3), marker.B]])
        if not marker.has_rotation or len(rows) + 6 > 6 + body.N:
            continue
        more = np.vstack([rows, own])
        scaled = more * scale
        scaled = scaled / np.linalg.norm(scaled, axis=1)[:, None]
        if np.linalg.svd(scaled, compute_uv=False)[-1] > _DEPENDENCE_TOLERANCE:
            names.append(name)
            rows = more
    return names, rows


def superelement_text(name: str, points: Mapping[str, FloatArray], matrices: Mapping[str, FloatArray]) -> str:
    """Return a superelement in the form of Abaqus' ``*SUBSTRUCTURE MATRIX OUTPUT``.

    The points (m) of the retained markers stand in comments; each internal coordinate is a node with one component.
    """
    retained, internal = len(points), len(matrices["K"]) - 6 * len(points)
    numbers = list(range(1, retained + internal + 1))
    out = [
        "**",
        f"** SUPERELEMENT {name}",
        *(f"** NODE {k}, {_row(p)}, {n}" for k, (n, p) in enumerate(points.items(), 1)),
    ]
    out += [f"*USER ELEMENT, NODES={len(numbers):10d}, LINEAR", "** ELEMENT NODES"]
    out += [f"** {', '.join(f'{k:10d}' for k in numbers[at : at + 10])}" for at in range(0, len(numbers), 10)]
    out.append(", ".join(f"{k:10d}" for k in range(1, 7)))
    if internal:
        out.append(f"{retained + 1:10d}, {1:10d}")
    for key, matrix in matrices.items():
        out.append(f"*MATRIX,TYPE={_KINDS[key]}")
        for k, row in enumerate(matrix):
            out += [_row(row[at : min(at + 4, k + 1)]) for at in range(0, k + 1, 4)]
    return "\n".join([*out, ""])


def _row(values: FloatArray) -> str:
    return ", ".join(f"{value:.17g}" for value in values) + ("," if len(values) == 1 else "")
