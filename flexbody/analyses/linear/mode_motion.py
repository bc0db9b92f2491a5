"""A mode of a machine as a motion, for animations."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from fem.common.errors import InputError
from fem.common.foreseen import check_memory

from ...core.rotation import matrices
from ...equations.position import advance_position
from ...equations.tangent import units
from ..result import Result, State

#: period (s) at which a mode without frequency is shown
IDLE_PERIOD = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class ModeMotion(Result):
    """One period of a mode.

    Attributes
    ----------
    caption : str
        Its number, counted from 1, and its frequency; the amplitude of a mode is arbitrary.
    """

    caption: str = ""


def mode_motion(
    state: State, shapes: np.ndarray, eigenvalues: np.ndarray, mode: int, size: float, frames: int
) -> Result:
    """Return a result of ``frames`` states over one period of a mode, see :meth:`flexbody.Linearization.motion`."""
    n = shapes.shape[1]
    if not -n <= mode < n:
        raise InputError(f"mode is {mode}; this linearisation has {n}, from 0 to {n - 1}")
    if not (size > 0 and frames >= 2):
        raise InputError(f"size is {size} and frames {frames}; give a size above zero and at least 2 frames")
    plan, one = state.plan, state.result
    kept = (
        one.c,
        one.q,
        one.all_alpha,
        one.v,
        one.vdot,
        one.multipliers,
        one.law_states,
        one.counted_coordinates,
    )
    check_memory(frames, float(sum(x[0].nbytes for x in kept) + one.energies[0].nbytes), "frames")
    shape, rate = shapes[:, mode].copy(), abs(eigenvalues[mode].imag)
    # lengths of the largest displacement or rotation: shapes have their largest entry at one unit already
    shape *= size / np.max(np.abs(shape) / units(plan, plan.work(), state.numbers))
    t = np.linspace(0, 2 * np.pi / rate if rate else IDLE_PERIOD, frames)
    turn = np.exp(2j * np.pi * t / t[-1])
    Q = matrices(state.q)
    c, q, alpha = (np.repeat(x, frames, axis=0) for x in (one.c, one.q, one.all_alpha))
    v = np.zeros((frames, plan.n_velocities))
    for k, factor in enumerate(turn):
        xi = (shape * factor).real
        v[k] = (1j * (rate or 2 * np.pi / IDLE_PERIOD) * shape * factor).real
        xi, v[k] = plan.turn_translations(Q, xi), plan.turn_translations(Q, v[k])
        advance_position(plan, c[k], q[k], alpha[k], xi)
    none = np.zeros_like(v)
    run = replace(
        one, t=t, c=c, q=q, all_alpha=alpha, v=v, vdot=none, multipliers=np.repeat(one.multipliers, frames, axis=0),
        law_states=np.repeat(one.law_states, frames, axis=0),
        counted_coordinates=np.repeat(one.counted_coordinates, frames, axis=0),
        energies=np.repeat(one.energies, frames, axis=0),
    )  # fmt: skip
    caption = f"mode {mode % n + 1}: {rate / (2 * np.pi):.5g} Hz, amplitude arbitrary"
    return ModeMotion(
        **{item.name: getattr(run, item.name) for item in fields(run) if item.init}, caption=caption
    )
