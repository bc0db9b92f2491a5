"""The generalized-alpha method for mechanical systems with constraints, on the group of rotations.

J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185
(index 3); M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149 (stabilized index 2); O. Bruels,
A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121 (Euler parameters are updated by the exponential map, so
their length is one without a constraint).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.errors import InputError

from ..core.alpha import SHARE, SLOW, step_alpha
from ..core.drive_misses import new_misses
from ..core.equations import move, place, residual
from ..core.kinds import GIVEN
from ..core.law_states import first_order
from ..core.rotation import turned_euler
from ..core.structures import AlphaSettings, AlphaState, AlphaTrial, Counts, DriveMisses, Tracked, Work
from ..initial import Start, accelerations
from ..layout import Plan
from ..rotation import finite, is_count
from .base import check_positive, describe_steps, no_counts, output_times, untracked

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
        self.work.turn[:] = start.turn
        self.times, first = output_times(t_end - start.t, output_step, method.step)
        interval = self.times[1]
        self.times += start.t
        largest = method.max_step or interval
        alpha_m, alpha_f, beta, gamma, error_constant = method.coefficients()
        self.settings = AlphaSettings(
            alpha_m=alpha_m, alpha_f=alpha_f, beta=beta, gamma=gamma, error_constant=error_constant,
            rtol=0.0 if method.step else method.rtol,
            newton_rtol=method.newton_rtol or (1e-9 if method.step else 0.01 * method.rtol),
            max_iterations=method.max_iterations, min_step=method.min_step or 1e-9 * t_end, max_step=largest,
            stabilized=int(method.index == 2), share=0.0 if method.newton_rtol or method.step else SHARE,
        )  # fmt: skip
        step = first if method.step else min(first, largest)
        self._state = _first_state(plan, self.work, start, self.settings, step)
        self._trial = _trial(plan)

    @property
    def name(self) -> str:
        """The method, for :class:`flexbody.Statistics`."""
        return f"GeneralizedAlpha({describe_steps(self._method)})"

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        return self.proceed(t_out, max_steps, False, NONE)

    def restart(self) -> None:
        """Make accelerations and multipliers consistent with the state."""
        self.proceed(self.t, 1, True, NONE)

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Advance, if asked for from a restart, and read the joint coordinates."""
        return step_alpha(
            self.plan.layout,
            self.work,
            self._state,
            self._trial,
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
        """Steps, rejected steps, iterations, factorisations, losses of rank."""
        return self._state.counts

    @property
    def bad_row(self) -> int:
        """Constraint row with the largest residual where a step failed."""
        return self._state.bad_row

    @property
    def state(self) -> tuple[np.ndarray, ...]:
        """(c, q, alpha, v, vdot, multipliers) at ``t``."""
        s = self._state
        return s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers

    @property
    def states(self) -> np.ndarray:
        """States of force laws at ``t``, (nz,)."""
        return self._state.law_state

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._state.energy


def _first_state(plan: Plan, W: Work, s: Start, settings: AlphaSettings, h: float) -> AlphaState:
    L = plan.layout
    W.law_mode = GIVEN
    W.law_state[:] = s.states
    jerk, slope = _jerk(plan, W, s, h)
    W.law_state[:] = s.states
    place(L, W, s.t, s.c, s.q, s.alpha)
    move(L, W, s.alpha, s.v)
    residual(L, W, s.t, s.alpha, s.v, s.vdot, s.multipliers)
    rate = W.law_rate.copy()
    delta_m, delta_f, _ = first_order(settings.alpha_f)
    return AlphaState(
        t=s.t, wanted=h, last=h, factored=0.0, tries=0, first_try=0.0, before=0.0, earlier=0.0, changed=0.0,
        contraction=SLOW, recent=0.0, stiffest=0.0,
        # where all forces balance, the accelerations that occur are round-off and no measure of it
        balanced=BALANCE * s.balanced,
        c=s.c.copy(), q=s.q.copy(), alpha=s.alpha.copy(), v=s.v.copy(), vdot=s.vdot.copy(),
        a=s.vdot + (settings.alpha_m - settings.alpha_f) * h * jerk, jerk=jerk,
        mean=s.vdot.copy(), slope=0.5 * jerk, curve=np.zeros_like(jerk),
        multipliers=s.multipliers.copy(), multipliers_rate=np.zeros(plan.n_rows),
        multipliers_curve=np.zeros(plan.n_rows), energy=np.zeros(2), power=W.power.copy(),
        law_state=s.states.copy(), law_rate=rate, law_variable=rate + (delta_m - delta_f) * h * slope,
        law_slope=slope, law_top_rate=abs(rate), law_top=abs(s.states), top_speed=np.zeros((len(L.body_mass), 2)),
        compliance=np.zeros(len(L.force_frame)), bad_row=-1, counts=no_counts(),
        misses=new_misses(L.length),
    )  # fmt: skip


def _trial(plan: Plan) -> AlphaTrial:
    L = plan.layout
    nb, na, m = len(L.body_mass), int(L.alpha_at[-1]), len(L.elimination)
    nv, nr = plan.n_velocities, plan.n_rows
    z = np.zeros
    return AlphaTrial(
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
    rate = W.law_rate.copy()
    shift = d * s.v
    near_c, near_q, near_alpha = s.c.copy(), s.q.copy(), s.alpha.copy()
    for b, first in enumerate(L.v_at[:-1]):
        near_c[b] += shift[first : first + 3]
        turned_euler(s.q[b], shift[first + 3 : first + 6], q)
        near_q[b] = q
        near_alpha[L.alpha_at[b] : L.alpha_at[b + 1]] += shift[first + 6 : L.v_at[b + 1]]
    W.law_state[:] = s.states + d * rate
    vdot = accelerations(plan, W, s.t + d, near_c, near_q, near_alpha, s.v + d * s.vdot)[0]
    return (vdot - s.vdot) / d, (W.law_rate - rate) / d
