"""Particles with the mass, the center of mass and the moments of inertia of a rigid body.

H. A. Attia, "A computer method for the dynamic analysis of a system of rigid bodies in plane motion", 2003, section 2;
in space four particles take the place of his three.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.values import Positive

#: Lengths below this part of the size of a body count as zero.
LENGTH_TOLERANCE = 1e-9
#: Particles of a body that are lighter than this part of its mass would lie far from it.
LIGHTEST_PART = 1e-6


class Particles(NamedTuple):
    """Particles that are equivalent to a rigid body.

    Parameters
    ----------
    x : numpy.ndarray
        Positions in the base of the body, (n, 2) or (n, 3), m.
    mass : numpy.ndarray
        Mass matrix (n, n), kg: the kinetic energy is half the sum of ``mass[i, j]`` times the scalar product of the
        velocities of i and j. It is diagonal but for a rod, whose particle in the middle follows those at its ends.
    """

    x: np.ndarray
    mass: np.ndarray


@check_arguments
def equivalent_particles(
    mass: Annotated[float, Positive],
    center: Sequence[float],
    inertia: Annotated[float, Positive],
    *,
    second: Sequence[float],
    second_mass: float | None = None,
) -> Particles:
    """Return three particles that are equivalent to a rigid body in plane motion.

    Parameters
    ----------
    mass : float
        Mass of the body, kg.
    center : sequence of float
        Its center of mass, (2,), m, in a base whose origin is the first particle.
    inertia : float
        Its moment of inertia about the first particle (not about the center of mass), kg m^2.
    second : sequence of float
        Position of the second particle, (2,), m.
    second_mass : float, optional
        Mass of the second particle, which is free to choose, kg; by default a third of the mass.

    Returns
    -------
    Particles
        Three particles; or, if the center of mass lies on the line to the second particle and its mass is not given,
        the two ends of a rod, whose third particle in the middle is eliminated.

    Raises
    ------
    fem.InputError
        No body has these numbers: its central moment of inertia would be negative. Or the second particle can't have
        this mass.

    References
    ----------
    H. A. Attia (2003), (1) and (7). His formulas of the masses m2 and m3 of a rod are exchanged.

    Examples
    --------
    A uniform rod of 1 kg and 2 m: a sixth of the mass at each end and the rest in the middle, which follows the ends.

    >>> import flexbody as fb
    >>> rod = fb.equivalent_particles(1.0, (1, 0), 4 / 3, second=(2, 0))
    >>> (6 * rod.mass).round(12).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    G, b = np.array([*center], dtype=float), np.array([*second], dtype=float)
    if G.shape != (2,) or b.shape != (2,):
        raise InputError(f"center is {center!r} and second is {second!r}; give two numbers for each")
    central = inertia - mass * (G @ G)
    if central < -1e-12 * inertia:
        raise InputError(
            f"the central moment of inertia would be inertia - mass * distance^2 = {inertia:g} - {mass:g} * {G @ G:.5g}"
            f" = {central:.5g} kg m^2, which no body has; inertia is that about the first particle: if {inertia:g} "
            f"kg m^2 is the central one, give {inertia + mass * (G @ G):.6g}"
        )
    length = float(np.hypot(*b))
    size = max(length, float(np.sqrt(inertia / mass)))
    if length < LENGTH_TOLERANCE * size:
        raise InputError("the second particle coincides with the first; give second= another place")
    aside = abs(G[0] * b[1] - G[1] * b[0]) / length
    if second_mass is None and aside < LENGTH_TOLERANCE * size:
        return _rod(mass, float(G @ b) / length, inertia, b)
    return _three(mass, G, inertia, b, mass / 3 if second_mass is None else second_mass)


def _three(mass: float, G: np.ndarray, inertia: float, b: np.ndarray, m2: float) -> Particles:
    """Attia (1)."""
    rest, left = mass * G - m2 * b, inertia - m2 * (b @ b)
    if np.hypot(*rest) < 1e-9 * mass * np.sqrt(inertia / mass) or abs(left) < 1e-9 * inertia:
        raise InputError(
            f"a second particle of {m2:g} kg leaves no place for the third: mass * center - second_mass * second = "
            f"{rest}, inertia - second_mass * |second|^2 = {left:.3g}; give another second_mass"
        )
    m3 = float(rest @ rest) / left
    return Particles(np.array([np.zeros(2), b, rest / m3]), np.diag([mass - m2 - m3, m2, m3]))


def _rod(mass: float, arm: float, inertia: float, b: np.ndarray) -> Particles:
    """Attia (7): particles at both ends and in the middle, which is the mean of the ends."""
    length = float(np.hypot(*b))
    m2 = 2 / length**2 * (inertia - 0.5 * mass * length * arm)
    m3 = 4 / length**2 * (mass * length * arm - inertia)
    M = np.diag([mass - m2 - m3, m2]) + m3 / 4
    return Particles(np.array([np.zeros(2), b]), M)


def spatial_particles(mass: float, center: np.ndarray, inertia: np.ndarray) -> tuple[Particles, bool]:
    """Return four particles that are equivalent to a rigid body, and whether the first is at the origin.

    ``center`` (3,), m; ``inertia`` (3, 3) central, kg m^2. With L L' = E / m, where E is the second moment of mass,
    positions ``center + L y`` need weights w and vectors y with ``sum w = 1, sum w y = 0, sum w y y' = 1``: the first
    y follows from the origin, the others are an equilateral triangle at a right angle to it.
    """
    values, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    scale = np.sqrt(np.maximum(values, 0.0) / mass)
    L = axes * scale
    y = np.where(
        scale > LENGTH_TOLERANCE * scale.max(),
        axes.T @ -center / np.maximum(scale, LENGTH_TOLERANCE * scale.max()),
        0.0,
    )
    first = 1.0 / (1.0 + y @ y)
    reached = np.linalg.norm(center + L @ y) <= LENGTH_TOLERANCE * scale.max()
    shared = bool(reached and LIGHTEST_PART < first < 1 - LIGHTEST_PART)
    if not shared:
        first, y = 0.25, np.array([0.0, 0.0, np.sqrt(3.0)])
    along = y / np.linalg.norm(y)
    across = np.linalg.svd(along[None])[2][1:]
    angles = 2 * np.pi * np.arange(3) / 3
    triangle = np.column_stack([np.cos(angles), np.sin(angles)]) @ across
    others = -np.sqrt(first / (1 - first)) * along + np.sqrt(2 / (1 - first)) * triangle
    weights = np.array([first, *[(1 - first) / 3] * 3])
    return Particles(center + np.array([y, *others]) @ L.T, mass * np.diag(weights)), shared
