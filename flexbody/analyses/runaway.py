"""Bodies that an unstable control loop drives faster and faster."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..integrators.base import Run
from .control_loops import control_loops

#: No body that is meant is faster, m/s.
SPEED_OF_LIGHT = 3e8


def refuse_runaway(plan: Plan, run: Run) -> None:
    """Raise :class:`fem.ConvergenceError` if a controller has driven a body faster than light: its loop is unstable."""
    if (
        not plan.n_bodies
        or np.abs(run.state.v).max() * max(1.0, plan.layout.body_size.max()) < SPEED_OF_LIGHT
    ):
        return
    speeds = _speeds(plan, run)
    if not speeds.max() < SPEED_OF_LIGHT:
        raise ConvergenceError(
            f"the run stops at t = {run.t:.6g} s: {fastest(plan, run)}, which is more than that of light. "
            f"{control_loops(plan.system, {})}, look at the signs of feedback, or run for a shorter time to see how it "
            "grows: the error's .result is the motion so far"
        )


def _speeds(plan: Plan, run: Run) -> np.ndarray:
    """Return the speeds (nb,) of the bodies, m/s, of which each has that of a point at its size away."""
    v, sizes = run.state.v, plan.layout.body_size
    parts = [(v[plan.translation(b)], sizes[b] * v[plan.rotation(b)]) for b in range(plan.n_bodies)]
    return np.array([np.linalg.norm(np.concatenate(both)) for both in parts])


def fastest(plan: Plan, run: Run) -> str:
    """Return the speed of the fastest body in words."""
    speeds = _speeds(plan, run)
    b = int(np.argmax(speeds))
    return f"body '{plan.system.bodies[b].name}' has reached a speed of {speeds[b]:.3g} m/s"
