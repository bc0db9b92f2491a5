"""The homogeneous solid that the mass and the inertia of a body suggest: a ball, a cylinder, a disc, a rod, a block."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .shapes import Solid, box, cylinder, sphere

#: Principal moments of inertia are equal if they differ by less than this fraction of the largest.
SAME_MOMENT = 1e-6
#: A body is a rod if its smallest moment is below this fraction of the largest: 70 times as long as it is thick.
ROD_MOMENT = 2.5e-4
#: Least radius of a drawn rod and least thickness of a drawn plate, relative to its largest dimension.
LEAST_THICKNESS = 0.01


def symmetry_axis(inertia: np.ndarray) -> np.ndarray | None:
    """Return the unit vector (3,) of the axis about which an inertia tensor (3, 3) is symmetric.

    None if there is no such axis, or if every axis is one. The axis of a rod is that of the smallest moment.
    """
    moments, axes = np.linalg.eigh(inertia)
    low, high = np.diff(moments) < SAME_MOMENT * moments[2]
    if low and high:
        return None
    if high or moments[0] < ROD_MOMENT * moments[2]:
        return axes[:, 0]
    return axes[:, 2] if low else None


def inertia_solid(mass: float, inertia: np.ndarray, center: ArrayLike) -> Solid:
    """Return the homogeneous solid with this mass (kg) and inertia tensor (3, 3), kg m^2, about ``center`` (3,), m.

    With the axial moment A and the transverse moment B of a body with an axis of symmetry, and the principal moments
    I_k of any other, it is

    - a ball if all moments are equal, ``r^2 = 5 A / (2 m)``;
    - a cylinder (a disc, a rod) if two are equal, ``r^2 = 2 A / m`` and ``h^2 = 12 (B - A / 2) / m``;
    - a block otherwise, with the squared edges ``6 (I_1 + I_2 + I_3 - 2 I_k) / m``.
    """
    moments, axes = np.linalg.eigh(inertia)
    if moments[2] - moments[0] < SAME_MOMENT * moments[2]:
        return sphere(center, np.sqrt(2.5 * moments.mean() / mass))
    axis = symmetry_axis(inertia)
    if axis is None:
        squares = 6 * (moments.sum() - 2 * moments) / mass
        return box(center, axes.T, np.sqrt(np.maximum(squares, LEAST_THICKNESS**2 * squares.max())))
    axial = float(axis @ inertia @ axis)
    transverse = (moments.sum() - axial) / 2
    radius = np.sqrt(2 * axial / mass)
    height = np.sqrt(max(12 * (transverse - axial / 2) / mass, 0.0))
    half = max(height, 2 * LEAST_THICKNESS * radius) / 2 * axis
    return cylinder(
        np.asarray(center) - half, np.asarray(center) + half, max(radius, LEAST_THICKNESS * height)
    )
