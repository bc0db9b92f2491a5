"""Sizes of generalized vectors, weighted by mass: what tolerances are measured in."""

import numpy as np

from fem.common.jit import jit

from ..kernels.arrays import C8
from ..kernels.lean import lean
from .base import EPS

#: an iteration that contracts no better has met round-off
STALLED = 0.3
#: of the smallest pivot, below which round-off may be more than noise: 4e-4 of the velocities
LEAST = 1e-11


@jit(inline="always")
def body_squares(L, W, b, x):
    """Squares of what :func:`body_norms` returns."""
    first, n, J = L.v_at[b], L.body_modes[b], W.J
    u, v, w = x[first + 3], x[first + 4], x[first + 5]
    rigid = L.body_mass[b] * (x[first] * x[first] + x[first + 1] * x[first + 1] + x[first + 2] * x[first + 2])
    rigid += u * (J[b, 0, 0] * u + 2.0 * (J[b, 0, 1] * v + J[b, 0, 2] * w))
    rigid += v * (J[b, 1, 1] * v + 2.0 * J[b, 1, 2] * w) + w * J[b, 2, 2] * w
    modal = 0.0
    at = L.coefficient_at[b, C8]
    for i in range(n):
        for j in range(n):
            modal += x[first + 6 + i] * L.coefficients[at + i * n + j] * x[first + 6 + j]
    # round-off may leave a sum slightly below zero, NaN must stay NaN
    return abs(rigid) / L.body_mass[b], abs(modal) / L.body_mass[b]


@jit(inline="always")
def body_norms(L, W, b, x):
    """Size of a generalized vector of body ``b``: of its rigid and of its modal part, root mean square over mass.

    A displacement gives m, a velocity m/s, an acceleration m/s^2. Needs ``J`` of the body.
    """
    rigid, modal = body_squares(L, W, b, x)
    return np.sqrt(rigid), np.sqrt(modal)


@lean
def system_norm(L, W, x):
    """Largest size of a generalized vector over the bodies; NaN if any entry is."""
    largest = 0.0
    for b in range(L.body_mass.size):
        rigid, modal = body_squares(L, W, b, x)
        if not (rigid + modal < np.inf):
            return np.nan
        largest = max(largest, rigid, modal)
    return np.sqrt(largest)


@lean
def none_above(x, limit):
    """Whether no entry of ``x`` is larger than ``limit``, or NaN."""
    for k in range(x.size):  # noqa: SIM110 (compiled)
        if not abs(x[k]) <= limit:
            return False
    return True


@lean
def round_off(L, c):
    """Return the round-off of positions, m: that of the machine's length, or of its distance from the origin."""
    largest = L.length[0]
    for b in range(c.shape[0]):
        for k in range(3):
            largest = max(largest, abs(c[b, k]))
    return EPS * largest


@lean
def is_magnified_noise(W, size, shift, length, speed, h):
    """Whether corrections of accelerations (m/s^2) and positions (m) are round-off that a singular position magnifies.

    Near one, that of positions by one over the root of the smallest pivot; velocities are turned by what moves
    positions, and what takes that back is magnified once more, over the step ``h``. No iteration gets below it.
    """
    root = np.sqrt(max(W.pivot[0], LEAST))
    blurred = 16.0 * EPS * length / root
    return shift <= blurred and size <= blurred * speed / (length * h * root)


@lean
def next_step(wanted, last, remaining):
    """Return a step that divides what remains, and stays at the last one where that is near enough."""
    parts = remaining / last
    if abs(parts - np.rint(parts)) < 1e-6 and parts > 0.5 and 0.85 * last <= wanted <= 1.5 * last:
        return remaining / np.rint(parts)
    return remaining / np.ceil(remaining / wanted - 1e-9)


@lean
def worst_row(W):
    """Return the constraint row with the largest residual, -1 if there is none."""
    worst, largest = -1, 0.0
    for k in range(W.phi.size):
        if not abs(W.phi[k]) <= largest:
            worst, largest = k, abs(W.phi[k])
    return worst
