"""A warning of energy that the time integration has taken out of a run, or put into it."""

from __future__ import annotations

import numpy as np

from fem.common.errors import percent, warn

from ..core.kinds import LOAD_FRAME
from ..integrators.base import Run
from ..results.energy import energy as balance
from ..results.loads import load_over_time
from ..results.record import Record
from .drive_jumps import jump_near

#: A larger residual of the energy balance, relative to the largest energy of the run, gives a warning: of methods that
#: damp what they do not resolve, and of those without damping.
LARGEST_LOSS, LARGEST_ERROR = 0.05, 0.02
#: The rate of a drive without one is found by differences of its values, which may reach over this part of the run.
RATE_DIFFERENCES = 0.1
#: A machine stands still if nothing could go so far in the run, in parts of its length: round-off moves it.
STANDING_WAY = 1e-10
#: Loads that are held leave at most this part of them: some units of the last place.
ROUND_OFF = 1e-15


def warn_of_lost_energy(record: Record, run: Run) -> None:
    """Warn if the residual of the energy balance is not small.

    It is small below :data:`LARGEST_LOSS` or :data:`LARGEST_ERROR` of the largest of the energy stored in motion and
    deformation, the energy put in, and the energy dissipated; the largest kinetic energy of a body at steps counts
    too. Potential energy counts as far as it becomes one of these. Nothing is said if the function of a drive jumps
    there: no energy goes with the jump, which has an error or a warning of its own.

    Parameters
    ----------
    record : Record
        The states that are stored.
    run : Run
        The run, at its end.
    """
    damps = run.damps_vibrations
    if not (damps or run.keeps_energy):
        return
    if _stands(record, run):
        return
    t, energy = record.t, balance(record)
    if not energy.balance_error > 0.0:  # within round-off
        return
    stored = energy.kinetic + energy.strain
    largest = max(float(np.abs(part).max()) for part in (stored, energy.input, energy.dissipated))
    largest = max(largest, _in_motion(run, record.plan.layout.body_mass[: record.plan.n_bodies]))
    residual, permitted = np.abs(energy.residual), LARGEST_LOSS if damps else LARGEST_ERROR
    beyond = np.flatnonzero(residual > permitted * largest)
    if not beyond.size or residual.max() <= _of_round_off(record):
        return
    most = int(np.argmax(residual))
    if jump_near(record.plan, *_around(t, beyond[0], most, run)) is not None:
        return
    what = "lost" if energy.residual[most] < 0 else "added"
    share, first = residual[most] / largest, t[beyond[0]]
    warn(
        f"the time integration has {what} {residual[most]:.3g} J by t = {t[most]:.6g} s, {percent(share)} of the "
        f"largest energy of the run ({percent(permitted)} by t = {first:.6g} s): {_why(damps, what, run.fixed)}; "
        "result.energy.residual shows it over time"
    )


def _stands(record: Record, run: Run) -> bool:
    """Return whether only round-off moves the machine; rotations count by the size of the body."""
    L, n = record.plan.layout, record.plan.n_bodies
    sizes = np.ones(record.v.shape[1])
    sizes[L.v_at[:n, None] + np.arange(3, 6)] = L.body_size[:n, None]
    fastest = max(float(np.abs(v).max(initial=0.0)) for v in (sizes * record.v, run.top_speeds))
    return fastest * float(record.t[-1] - record.t[0]) <= STANDING_WAY * float(L.length)


def _in_motion(run: Run, mass: np.ndarray) -> float:
    """Return the largest kinetic energy of a body at the steps of a run, J.

    States that are stored once in a period of a vibration, or once in several, may all have none.
    """
    return float(np.max(0.5 * mass * np.square(run.top_speeds[: len(mass)]).max(axis=1), initial=0.0))


def _of_round_off(record: Record) -> float:
    """Return the energy (J) that loads put in by round-off where joints or other loads hold them.

    A load F leaves a part of it, which gives the body a velocity e F h / m in a time h: F does the work e F^2 h T / m.
    """
    plan, L, T = record.plan, record.plan.layout, float(record.t[-1] - record.t[0])
    h, masses = T / max(len(record.t) - 1, 1), L.body_mass[: plan.n_bodies]
    forces = masses * np.linalg.norm(L.gravity)
    for load, b in zip(plan.system.loads, L.frame_body[L.load_frame[:, LOAD_FRAME]].tolist(), strict=True):
        if b >= 0 and masses[b] > 0.0:
            arm = float(L.body_size[b]) if load.is_moment else 1.0
            forces[b] += float(np.abs(load_over_time(record, load)).max(initial=0.0)) / arm
    heavy = masses > 0.0
    return float(ROUND_OFF * np.max(forces[heavy] ** 2 / masses[heavy], initial=0.0) * h * T)


def _around(t: np.ndarray, first: int, last: int, run: Run) -> tuple[float, float]:
    """Return the interval (s) in which the cause of a residual that begins and is largest at these states may lie."""
    end = float(run.times[-1])
    room = RATE_DIFFERENCES * (end - float(t[0]))
    return float(t[max(first - 1, 0)]) - room, min(float(t[last]) + room, max(end, run.t))


def _why(damps: bool, what: str, fixed: bool) -> str:
    if not damps:
        small = (
            "Long steps damp vibrations below the tolerance, as those of a stiff mount. "
            if what == "lost"
            else ""
        )
        return (
            f"the motion is wrong from there on. {small}Near a singular position, where constraints lose rank, it may "
            "have taken another branch; take fb.GeneralizedAlpha(), which passes them, a smaller rtol or a smaller step"
        )
    if what == "added":
        return (
            "its steps do not resolve what forces do, so that the motion or the energy dissipated and put in is wrong "
            f"from there on. Take {'a smaller step' if fixed else 'a smaller rtol or a smaller max_step'}, or "
            "integrator=fb.Explicit() to compare"
        )
    if fixed:
        return (
            "its fixed steps damp vibrations that they do not resolve. If they matter, take a smaller step, or leave "
            "step= out: then the error chooses the steps"
        )
    return (
        "it damps vibrations that its steps do not resolve. If they matter, resolve them with "
        "integrator=fb.GeneralizedAlpha(vibrations=0), a smaller rtol or a smaller max_step"
    )
