"""Hollows of rails that are too narrow for what rolls in them: a run stops where it touches at a second place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..core.structures import Work
from ..integrators.base import Run
from ..model.path import Path
from ..model.rails import Rail, round_distance
from ..model.rolling import Rolling

#: Places between two points of a rail at which its distance is computed.
SAMPLES = 8
#: A second place is touched where the rail comes nearer by this part of the radius.
MAX_INTRUSION = 1e-4


@dataclass(frozen=True)
class _Hollow:
    """A rail with a hollow that may be too narrow: its frame, and places (k,), x (k, 3), Phi (k, 3, N) along it."""

    label: str
    frame: int
    radius: float
    line: Path
    s: np.ndarray
    x: np.ndarray
    Phi: np.ndarray


class Hollows:
    """The rails of a run on which something may touch twice: those whose curvature reaches that of what rolls.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    work : Work
        Work arrays, which are changed.
    """

    def __init__(self, plan: Plan, work: Work) -> None:
        self._plan, self._work = plan, work
        self._hollows: list[_Hollow] = []
        bodies = plan.system.bodies_by_name()
        for joint in plan.system.joints:
            if not (isinstance(joint, Rolling) and isinstance(joint.first, Rail)):
                continue
            line, radius = joint.frames(bodies)[0].path, joint.second.sizes[0]
            assert line is not None
            s = np.linspace(0.0, line.length, SAMPLES * len(line.breaks))
            if radius * np.linalg.norm(line.columns(s, 2)[:, :3], axis=1).max() < 0.9:
                continue
            columns, f = line.columns(s), plan.frames[joint.name][0]
            n = (columns.shape[1] - 6 - len(line.terms)) // 6
            Phi = columns[:, 6 : 6 + 3 * n].reshape(len(s), 3, n)
            self._hollows.append(_Hollow(joint.label, f, radius, line, s, columns[:, :3], Phi))

    def check(self, run: Run) -> None:
        """Raise an error if something touches its rail twice; the state of the run is not stored yet."""
        if not self._hollows:
            return
        L, W, state = self._plan.layout, self._work, run.state
        self._plan.formulation.observe(L, W, state, np.empty(3))
        for one in self._hollows:
            b, guest = int(L.frame_body[one.frame]), one.frame + 1
            alpha = state.all_alpha[L.alpha_at[b] : L.alpha_at[b + 1]] if b >= 0 else np.zeros(0)
            x = one.x + one.Phi @ alpha
            x = state.c[b] + x @ W.Q[b].T if b >= 0 else x
            D = round_distance(one.line, x - W.frame_r[guest], W.frame_R[guest][:, 2])
            k = int(np.argmin(D))
            if D[k] < one.line.sizes[2] - MAX_INTRUSION * one.radius:
                raise ConvergenceError(
                    f"the run stops at t = {run.t:.6g} s: {one.label} touches at a second place, "
                    f"{np.round(x[k], 6).tolist()} m, {one.s[k]:.4g} m along its rail, which is hollow there and too "
                    f"narrow for a radius of {one.radius:.4g} m; give a smaller radius, or round the hollow"
                )
