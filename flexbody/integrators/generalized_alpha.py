"""The generalized-alpha method for mechanical systems with constraints, on the group of rotations.

J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185
(index 3); M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149 (stabilized index 2); O. Bruels,
A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121 (Euler parameters are updated by the exponential map, so
their length is one without a constraint).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fem.common.errors import InputError
from fem.common.jit import direct

from ..initial import Start, accelerations
from ..kernels.arrays import GIVEN, Work
from ..kernels.element_memory import element_z
from ..kernels.equations import move, place, residual
from ..kernels.leap import new_leap
from ..kernels.packed import turns_of
from ..kernels.rotation import turned_euler
from ..layout import Plan
from ..rotation import finite, is_count
from .alpha_kernel import SHARE, SLOW
from .alpha_state import BALANCED, State, Trial
from .base import check_positive, describe_steps, output_times
from .law_states import first_order
from .stepping import Tracked, step_alpha, untracked

NONE = untracked()
#: Newton's tolerance refers to no less than this part of the accelerations that balanced forces would cause singly
BALANCE = 1e-2


@dataclass(frozen=True)
class GeneralizedAlpha:
    """Second-order implicit integration of the constrained equations, with or without error control.

    rho_inf : spectral radius at infinite frequency, 0 (all high frequencies die at once) to 1 (nothing is
    dissipated). step : fixed time step, s; None chooses steps by the error. rtol : with error control, the error of
    positions that each step may add, relative to the distance that each body travels (and that its deformation
    travels) in the step at top speed. max_step, min_step : bounds of the chosen step, s. newton_rtol : Newton's
    iteration stops at this error of the accelerations, relative to those that occur; by default 1e-9 with a fixed
    step, and a hundredth of ``rtol`` with error control, where it stops earlier if what
    it leaves is a small share of the step's own errors.

    index : 2 satisfies the constraints of positions and of velocities in every step (the stabilized index-2 form:
    positions are moved in the range of ``M^-1 G^T``); positions, velocities and multipliers converge with order 2,
    at fixed and at varying steps. 3 satisfies those of positions only; it needs a fixed step, because it answers
    each change of the step with an oscillation of the multipliers that grows as steps shrink.
    """

    rho_inf: float = 0.8
    step: float | None = None
    rtol: float = 1e-5
    max_step: float | None = None
    min_step: float | None = None
    newton_rtol: float | None = None
    max_iterations: int = 12
    index: int = 2

    def __post_init__(self) -> None:
        if not (finite(self.rho_inf) and 0 <= self.rho_inf <= 1):
            raise InputError(f"GeneralizedAlpha: rho_inf is {self.rho_inf!r}; it is a number between 0 and 1")
        names = ("step", "rtol", "max_step", "min_step", "newton_rtol")
        check_positive("GeneralizedAlpha", {name: getattr(self, name) for name in names})
        if not is_count(self.max_iterations):
            raise InputError(
                f"GeneralizedAlpha: max_iterations is {self.max_iterations!r}; give a whole number, at least one"
            )
        if self.index not in (2, 3):
            raise InputError(f"GeneralizedAlpha: index is {self.index!r}; it is 2 (stabilized) or 3")

    def coefficients(self) -> np.ndarray:
        """Return (alpha_m, alpha_f, beta, gamma, position error constant)."""
        rho = self.rho_inf
        alpha_m = (2 * rho - 1) / (rho + 1)
        alpha_f = rho / (rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        beta = 0.25 * (gamma + 0.5) ** 2
        error = abs(beta + 0.5 * (alpha_m - alpha_f) - 1 / 6)
        return np.array([alpha_m, alpha_f, beta, gamma, error])

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> AlphaRun:
        """Return a run from a consistent start."""
        if self.index == 3 and self.step is None:
            raise InputError("GeneralizedAlpha(index=3) needs a fixed step=; index=2 chooses its steps")
        return AlphaRun(self, plan, start, t_end, output_step)


class AlphaRun:
    """A run of the generalized-alpha method."""

    why = ""

    def __init__(
        self, method: GeneralizedAlpha, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> None:
        self.plan, self.work, self._method = plan, plan.work(), method
        self.work.active[:] = start.active
        turns_of(self.work.more)[:] = start.turn
        self.times, first = output_times(t_end - start.t, output_step, method.step)
        interval = self.times[1]
        self.times += start.t
        largest = method.max_step or interval
        self.settings = np.zeros(12)
        self.settings[:5] = method.coefficients()
        self.settings[5] = 0.0 if method.step else method.rtol
        tolerance = method.newton_rtol or (1e-9 if method.step else 0.01 * method.rtol)
        self.settings[6:8] = tolerance, method.max_iterations
        self.settings[8:11] = method.min_step or 1e-9 * t_end, largest, method.index == 2
        self.settings[11] = 0.0 if method.newton_rtol or method.step else SHARE
        self._state = _first_state(
            plan, self.work, start, self.settings, first if method.step else min(first, largest)
        )
        self._trial = _trial(plan)
        # where all forces balance, the accelerations that occur are round-off and no measure of it
        self._state.scale[BALANCED] = BALANCE * start.balanced
        self._arrays = plan.layout, self.work, self._state, self._trial
        self._step: Callable | None = None

    @property
    def name(self) -> str:
        """The method, for :class:`flexbody.Statistics`."""
        return f"GeneralizedAlpha({describe_steps(self._method)})"

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        return self.proceed(t_out, max_steps, False, NONE)

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, if asked for from a restart, and read the joint coordinates."""
        arguments = *self._arrays, float(t_out), self.settings, max_steps, restart, tracked
        self._step = self._step or direct(step_alpha, *arguments)
        return self._step(*arguments)

    def fit(self, interval: float) -> None:
        """Choose a fixed step, or bound a chosen one, for advancing by ``interval`` (s)."""
        step = self._method.step
        self.settings[9] = self._method.max_step or interval
        if step is not None:
            self._state.time[1] = interval / max(1.0, np.ceil(interval / step * (1 - 1e-9)))

    @property
    def memory(self) -> tuple[np.ndarray, ...]:
        """All arrays that the rest of the run depends on."""
        return (*self._state, *self.work)

    @property
    def leap(self) -> np.ndarray:
        """What drives were missed by."""
        return self._state.leap

    @property
    def t(self) -> float:
        """Time, s."""
        return float(self._state.time[0])

    @property
    def step(self) -> float:
        """Last step, s."""
        return float(self._state.time[2])

    @property
    def count(self) -> np.ndarray:
        """Steps, rejected steps, iterations, factorisations, losses of rank."""
        return self._state.counts

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual where a step failed."""
        return int(self._state.bad[0])

    @property
    def state(self) -> tuple[np.ndarray, ...]:
        """(c, q, alpha, v, vdot, multipliers) at ``t``."""
        s = self._state
        return s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers

    @property
    def states(self) -> np.ndarray:
        """States of force laws at ``t``, (nz,)."""
        return self._state.z[0]

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._state.energy[:2]


def _first_state(plan: Plan, W: Work, s: Start, settings: np.ndarray, h: float) -> State:
    L = plan.layout
    W.element[0] = GIVEN
    element_z(W.element)[0] = s.states
    jerk, slope = _jerk(plan, W, s, h)
    element_z(W.element)[0] = s.states
    place(L, W, s.t, s.c, s.q, s.alpha)
    move(L, W, s.alpha, s.v)
    residual(L, W, s.t, s.alpha, s.v, s.vdot, s.multipliers)
    rate = element_z(W.element)[1].copy()
    delta_m, delta_f, _ = first_order(settings[1])
    z = np.array([s.states, rate, rate + (delta_m - delta_f) * h * slope, slope, abs(rate), abs(s.states)])
    return State(
        time=np.array([s.t, h, h, 0.0, 0.0, 0.0, 0.0, 0.0, SLOW, 0.0]), c=s.c.copy(), q=s.q.copy(),
        alpha=s.alpha.copy(), v=s.v.copy(), vdot=s.vdot.copy(),
        a=s.vdot + (settings[0] - settings[1]) * h * jerk, jerk=jerk,
        mean=s.vdot.copy(), slope=0.5 * jerk, curve=np.zeros_like(jerk),
        multipliers=s.multipliers.copy(), multipliers_rate=np.zeros(plan.n_rows),
        multipliers_curve=np.zeros(plan.n_rows), energy=np.array([0.0, 0.0, W.power[0], W.power[1]]), z=z,
        scale=np.zeros(2 * len(L.body_mass) + 2), compliance=np.zeros(len(L.force_frame)),
        counts=np.zeros(5, dtype=np.int64), bad=np.full(1, -1, dtype=np.int64),
        leap=new_leap(float(L.length[0])),
    )  # fmt: skip


def _trial(plan: Plan) -> Trial:
    L = plan.layout
    nb, na, m = len(L.body_mass), int(L.alpha_at[-1]), len(L.elimination)
    nv, nr = plan.n_velocities, plan.n_rows
    z = np.zeros
    return Trial(
        c=z((nb, 3)), q=z((nb, 4)), alpha=z(na), v=z(nv), vdot=z(nv), a=z(nv), multipliers=z(nr), delta=z(nv),
        ydelta=z(m), increment=z(nv), p=z(nv), move=z(nv), miss=z(nr),
    )  # fmt: skip


def _jerk(plan: Plan, W: Work, s: Start, h: float) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the accelerations and of the state rates at the start, by differences as small as in a restart.

    After the start: functions of time need not go on before it.
    """
    L, q, d = plan.layout, np.empty(4), 1e-4 * h
    place(L, W, s.t, s.c, s.q, s.alpha)
    move(L, W, s.alpha, s.v)
    residual(L, W, s.t, s.alpha, s.v, s.vdot, s.multipliers)
    rate = element_z(W.element)[1].copy()
    shift = d * s.v
    near_c, near_q, near_alpha = s.c.copy(), s.q.copy(), s.alpha.copy()
    for b, first in enumerate(L.v_at[:-1]):
        near_c[b] += shift[first : first + 3]
        turned_euler(s.q[b], shift[first + 3 : first + 6], q)
        near_q[b] = q
        near_alpha[L.alpha_at[b] : L.alpha_at[b + 1]] += shift[first + 6 : L.v_at[b + 1]]
    element_z(W.element)[0] = s.states + d * rate
    vdot = accelerations(plan, W, s.t + d, near_c, near_q, near_alpha, s.v + d * s.vdot)[0]
    return (vdot - s.vdot) / d, (element_z(W.element)[1] - rate) / d
