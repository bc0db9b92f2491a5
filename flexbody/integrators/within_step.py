"""The state inside a step, from the states at its ends, by cubic Hermite interpolation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..formulations.state import MachineState


def hermite(
    x0: np.ndarray, x1: np.ndarray, rate0: np.ndarray, rate1: np.ndarray, h: float, s: float
) -> np.ndarray:
    """Return the cubic with values ``x0``, ``x1`` and rates at both ends of a step ``h`` (s), at the part ``s``."""
    rise, up = s * s * (3.0 - 2.0 * s), h * s * (1.0 - s)
    return x0 + rise * (x1 - x0) + up * ((1.0 - s) * rate0 - s * rate1)


def euler_rates(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Return the rates of Euler parameters (nb, 4) for angular velocities (nb, 3) in components of the bodies."""
    scalar, part = q[:, :1], q[:, 1:]
    along = np.sum(part * omega, axis=1, keepdims=True)
    return 0.5 * np.concatenate([-along, scalar * omega + np.cross(part, omega)], axis=1)


def state_within(
    first: MachineState, last: MachineState, t: float, v_at: np.ndarray, modal: np.ndarray
) -> MachineState:
    """Return the state at a time inside a step; its accelerations and multipliers are those on a straight line.

    Positions follow the cubic of positions and velocities, velocities that of velocities and accelerations. The error
    is h^4 / 384 times the fourth derivative.

    Parameters
    ----------
    first, last : MachineState
        States at the ends of the step.
    t : float
        The time, s.
    v_at : numpy.ndarray
        Where the velocities of each body begin, (nb,).
    modal : numpy.ndarray
        Mask of the rates of modal coordinates among the velocities, (nv,).

    Returns
    -------
    MachineState
        The state.
    """
    h = last.t - first.t
    s = (t - first.t) / h
    translation, rotation = v_at[:, None] + np.arange(3), v_at[:, None] + np.arange(3, 6)
    sign = np.where(np.sum(first.q * last.q, axis=1, keepdims=True) < 0.0, -1.0, 1.0)
    ends = euler_rates(first.q, first.v[rotation]), sign * euler_rates(last.q, last.v[rotation])
    q = hermite(first.q, sign * last.q, *ends, h, s)
    return replace(
        first,
        t=t,
        c=hermite(first.c, last.c, first.v[translation], last.v[translation], h, s),
        q=q / np.linalg.norm(q, axis=1, keepdims=True),
        all_alpha=hermite(first.all_alpha, last.all_alpha, first.v[modal], last.v[modal], h, s),
        v=hermite(first.v, last.v, first.vdot, last.vdot, h, s),
        vdot=first.vdot + s * (last.vdot - first.vdot),
        multipliers=first.multipliers + s * (last.multipliers - first.multipliers),
        counted_coordinates=first.counted_coordinates
        + s * (last.counted_coordinates - first.counted_coordinates),
    )
