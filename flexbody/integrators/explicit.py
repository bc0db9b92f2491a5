"""An explicit Runge-Kutta method of order 8 with projection, for machines that are not stiff and for references.

J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19, as DOP853 in E. Hairer, S. P. Norsett, G. Wanner,
Solving Ordinary Differential Equations I, II.5; the coefficients are SciPy's. Accelerations follow from the
constraints' second derivatives (index 1); after each step positions and velocities are projected on the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..core.drive_misses import new_misses
from ..core.explicit import parts, rates, step_explicit
from ..core.kinds import GIVEN
from ..core.structures import (
    Counts,
    DriveMisses,
    ExplicitSettings,
    ExplicitState,
    Tableau,
    Tracked,
    Work,
)
from ..initial import Start
from ..layout import Plan
from .base import check_positive, describe_steps, no_counts, output_times, untracked

NONE = untracked()


@dataclass(frozen=True)
class Explicit:
    """Explicit integration of order 8, with error control or a fixed step.

    rtol : error per step relative to each body's size, deformation and speeds (no less than its size over the time
    of the run). step : fixed time step, s; None
    chooses steps by the error. max_step, min_step : bounds of the chosen step, s; without a ``min_step`` the run stops
    where a step of 1e-10 of its end is too long. Steps are bounded by the highest frequency present (about 6 / omega),
    so that stiff bodies are left to :class:`GeneralizedAlpha`.
    """

    rtol: float = 1e-8
    step: float | None = None
    max_step: float | None = None
    min_step: float | None = None

    def __post_init__(self) -> None:
        names = ("rtol", "step", "max_step", "min_step")
        check_positive("Explicit", {name: getattr(self, name) for name in names})

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> ExplicitRun:
        """Return a run from a consistent start."""
        return ExplicitRun(self, plan, start, t_end, output_step)


class StateRun:
    """A run whose state is ``y`` of :mod:`.explicit_kernel`, with accelerations from the second derivatives."""

    why = ""

    def __init__(
        self, plan: Plan, start: Start, t_end: float, output_step: float | None, step: float | None
    ) -> None:
        L = plan.layout
        self.plan, self.work = plan, plan.work()
        self.work.active[:] = start.active
        self.work.turn[:] = start.turn
        self.times, h = output_times(t_end - start.t, output_step, step)
        if step is None:
            h = min(h, self.times[1])
        self.times += start.t
        self.work.law_mode = GIVEN
        y = np.concatenate(
            [start.c.ravel(), start.q.ravel(), start.alpha, start.v, start.states, np.zeros(2)]
        )
        nv, nr, m, z = plan.n_velocities, plan.n_rows, len(L.elimination), np.zeros
        self._state = ExplicitState(
            t=start.t, wanted=h, last=h, y=y, rate=z(y.size), trial=z(y.size), stages=z((13, y.size)),
            multipliers=z(m), trial_multipliers=z(m), error=z(nv), error_rate=z(nv), no_acceleration=z(nv),
            no_multipliers=z(nr), miss=z(nr), compliance=z(len(L.force_frame)), top=z((len(L.body_mass), 3)),
            law_pace=z(start.states.size), law_top=np.abs(start.states), bad_row=-1, counts=no_counts(),
            misses=new_misses(L.length),
        )  # fmt: skip
        if start.states.size:  # (before the rates at the start, whose placement stays)
            self._state.law_pace[:] = _reach(plan, self.work, self._state, y)
        rates(L, self.work, self._state, start.t, y, self._state.rate, self._state.multipliers)

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on."""
        return (*self._state.memory(), *self.work.memory())

    @property
    def misses(self) -> DriveMisses:
        """What drives were missed by."""
        return self._state.misses

    @property
    def t(self) -> float:
        """Time, s."""
        return self._state.t

    @property
    def step(self) -> float:
        """Last step, s."""
        return self._state.last

    @property
    def counts(self) -> Counts:
        """Steps, rejected steps, evaluations, factorisations, losses of rank."""
        return self._state.counts

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual where a step failed."""
        return self._state.bad_row

    @property
    def state(self) -> tuple[np.ndarray, ...]:
        """(c, q, alpha, v, vdot, multipliers) at ``t``."""
        L = self.plan.layout
        vdot = parts(L, self._state.rate)[3]
        return *parts(L, self._state.y), vdot, self._state.multipliers[: self.plan.n_rows]

    @property
    def states(self) -> np.ndarray:
        """States of force laws at ``t``, (nz,)."""
        return self._state.y[-2 - self._state.law_top.size : -2]

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._state.y[-2:]


class ExplicitRun(StateRun):
    """A run of the explicit method."""

    def __init__(
        self, method: Explicit, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> None:
        super().__init__(plan, start, t_end, output_step, method.step)
        self._method = method
        largest = method.max_step or self.times[1] - self.times[0]
        if method.step is None:
            self._state.wanted = self._state.last = min(self._state.wanted, largest)
        self.settings = ExplicitSettings(
            rtol=0.0 if method.step else method.rtol,
            min_step=method.min_step or 1e-10 * t_end,
            max_step=largest,
            always=int(method.min_step is not None),
            pace=1.0 / (t_end - start.t),
        )
        A, B, C, E3, E5 = _coefficients()
        self._tableau = Tableau(A=A, B=B, C=C, E3=E3, E5=E5)

    @property
    def name(self) -> str:
        """The method, for :class:`flexbody.Statistics`."""
        return f"Explicit({describe_steps(self._method)})"

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        return self.proceed(t_out, max_steps, False, NONE)

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self.proceed(self.t, 1, True, NONE)

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, if asked for from a restart, and read the joint coordinates."""
        return step_explicit(
            self.plan.layout,
            self.work,
            self._state,
            self._tableau,
            t_out,
            self.settings,
            max_steps,
            restart,
            tracked,
        )

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or bound a chosen one, for advancing by ``interval`` (s)."""
        step = self._method.step
        self.settings.max_step = self._method.max_step or interval
        if step is not None:
            self._state.wanted = interval / max(1.0, np.ceil(interval / step * (1 - 1e-9)))


def _reach(plan: Plan, W: Work, S: ExplicitState, y: np.ndarray) -> np.ndarray:
    """Return by how much the rate of each state of a law changes where positions do by the machine's length, (nz,)."""
    L, near = plan.layout, y.copy()
    small = 1e-6 * np.random.default_rng(0).uniform(-1, 1, (len(L.body_mass), 7))
    c, q, _, _ = parts(L, near)
    c += small[:, :3] * L.length
    q += small[:, 3:]
    here, there = np.empty_like(y), np.empty_like(y)
    rates(L, W, S, S.t, y, here, S.trial_multipliers)
    rates(L, W, S, S.t, near, there, S.trial_multipliers)
    S.counts.iterations = S.counts.factorisations = 0
    return np.abs(there - here)[-2 - S.law_top.size : -2] / 1e-6


def _coefficients() -> tuple[np.ndarray, ...]:
    table = scipy.integrate.DOP853
    return table.A[:12, :12], table.B, table.C[:12], table.E3, table.E5
