"""An explicit Runge-Kutta method of order 8 with projection, for systems that are not stiff.

Accelerations follow from the second derivatives of the constraints (index 1). After each step, positions and velocities
are projected on the constraints. The method is DOP853: J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19;
E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.5; the coefficients are those of
SciPy.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import scipy

from fem.common.arguments import check_arguments

from ..compile.plan import Plan
from ..core.drive_errors import new_misses
from ..core.kinds import GIVEN, LAST_ANGLE
from ..core.structures import ExplicitSettings, ExplicitState, Tableau, Tracked, Work
from ..equations.start import Start
from ..formulations.state import MachineState
from .base import NO_COORDINATES, CoreRun, Within, check_positive, describe_steps, no_counts

#: steps below this part of the run's duration are too small where the constraints are about to lose rank
SMALLEST_SHARE = 1e-6


@check_arguments
@dataclass(frozen=True)
class Explicit:
    """Explicit Runge-Kutta integration of order 8 (DOP853), with error control or with a fixed step.

    Parameters
    ----------
    rtol : float, optional
        Error per step, relative to the size, deformation and speeds of each body. The speeds count as at least the size
        divided by the duration of the run.
    step : float, optional
        Fixed time step, s. By default the error control chooses the steps.
    max_step : float, optional
        Largest variable step, s, by default the output step. No step is longer than a third of the period of a load,
        drive or input that goes to and fro. Steps also end where a function of time begins to change, so that they do
        not pass over a pulse that lasts longer than a 4000th of the run, or whose times its function names.
    min_step : float, optional
        Smallest variable step, s. By default the run stops if it needs steps below 1e-10 of its end time.

    Notes
    -----
    The highest frequency omega limits the step to about ``6 / omega``; use :class:`GeneralizedAlpha` for stiff bodies.
    Accelerations follow from the second derivatives of the constraints (index 1). After each step, positions and
    velocities are projected on the constraints.

    References
    ----------
    .. [1] J. R. Dormand, P. J. Prince, "A family of embedded Runge-Kutta formulae", J. Comput. Appl. Math. 6 (1980) 19.
    .. [2] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.5.

    Examples
    --------
    >>> import flexbody as fb
    >>> integrator = fb.Explicit(rtol=1e-9)
    """

    rtol: float = 1e-8
    _: KW_ONLY
    step: float | None = None
    max_step: float | None = None
    min_step: float | None = None

    def __post_init__(self) -> None:
        names = ("rtol", "step", "max_step", "min_step")
        check_positive("Explicit", {name: getattr(self, name) for name in names})

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> ExplicitRun:
        """Return a run from a consistent start.

        Parameters
        ----------
        plan : Plan
            The compiled system.
        start : Start
            The consistent start.
        t_end : float
            End of the run, s.
        output_step : float or None
            Distance of the output times, s.

        Returns
        -------
        Run
            The run, see :class:`flexbody.integrators.base.Run`.
        """
        return ExplicitRun(self, plan, start, t_end, output_step)


class VectorRun(CoreRun):
    """A run with the state vector ``y`` of :mod:`flexbody.core.explicit`; parameters as for :class:`CoreRun`."""

    def __init__(
        self, method: Any, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> None:
        super().__init__(method, plan, start, t_end, output_step)
        L, h = plan.layout, self._first_step
        if method.step is None:
            h = min(h, self._interval)
        self.work.law_mode = GIVEN
        tree = plan.formulation.new_tree()
        y = np.concatenate(
            [plan.formulation.vector(L, self.work, tree, start), start.law_states, np.zeros(2)]
        )
        n = int(tree.speed_at[-1]) + plan.n_modes if len(tree.body) else plan.n_velocities
        end = y.size - start.law_states.size - 2
        self._speeds = y[end - n : end]
        nv, nr, m, z = plan.n_velocities, plan.n_rows, len(L.elimination), np.zeros
        self._state = ExplicitState(
            t=start.t, wanted=h, last=h, largest_pivot=0.0, pace=1.0 / (t_end - start.t), y=y,
            rate=z(y.size), trial=z(y.size), stages=z((16, y.size)),
            multipliers=z(m), trial_multipliers=z(m), error=z(nv), error_rate=z(nv), no_acceleration=z(nv),
            no_multipliers=z(nr), miss=z(nr), compliance=z(len(L.deformation_element)), top=z((len(L.body_mass), 3)),
            law_pace=z(start.law_states.size), law_top=np.maximum(np.abs(start.law_states), plan.elements.state_sizes),
            law_size=plan.elements.state_sizes, forces=z((6, 2 * len(plan.elements.elements))), smallest=0, bad_row=-1,
            counts=no_counts(), misses=new_misses(L.length), tree=tree,
        )  # fmt: skip
        # (before the rates at the start, which leave the frames at the start position)
        if start.law_states.size:
            self._state.law_pace[:] = _law_paces(plan, self.work, self._state, y)
        S = self._state
        plan.formulation.rates(L, self.work, S, start.t, y, S.rate, S.multipliers)
        plan.formulation.keep_state(S)
        S.largest_pivot = self.work.pivot

    @property
    def keeps_energy(self) -> bool:
        """True."""
        return True

    @property
    def state(self) -> MachineState:
        """The state at ``t``."""
        s, multipliers = self._state, self._state.multipliers[: self.plan.n_rows]
        c, q, alpha, v, vdot = self.plan.formulation.motion(self.plan.layout, s)
        law_states, counted = s.y[-2 - s.law_top.size : -2], self.work.revolutions[:, LAST_ANGLE]
        return MachineState(self.t, c, q, alpha, v, vdot, multipliers, law_states, counted)

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._state.y[-2:]


class ExplicitRun(VectorRun):
    """A run of the explicit method."""

    of_period = 4.0

    def __init__(
        self, method: Explicit, plan: Plan, start: Start, t_end: float, output_step: float | None
    ) -> None:
        super().__init__(method, plan, start, t_end, output_step)
        if method.step is None:
            self._state.wanted = self._state.last = min(self._state.wanted, self._largest)
        self.settings = ExplicitSettings(
            rtol=0.0 if method.step else method.rtol,
            min_step=method.min_step or 1e-10 * t_end,
            max_step=self._largest,
            always=int(method.min_step is not None),
            pace=1.0 / (t_end - start.t),
            crawl=SMALLEST_SHARE * (t_end - start.t),
        )
        self._tableau = _tableau()

    @property
    def is_explicit(self) -> bool:
        """True."""
        return True

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return f"Explicit({describe_steps(self._method.step, self._method.rtol)})"

    def _make_steps(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        return self.plan.formulation.step_explicit(
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

    def within(self, t: float) -> Within:
        """Return the state at a time inside the last step: that of a shorter step from its beginning."""

        def go() -> int:
            self._state.wanted = t - self.t
            return self.proceed(t, 1000, False, NO_COORDINATES)

        return self.from_before(go)


def _law_paces(plan: Plan, W: Work, S: ExplicitState, y: np.ndarray) -> np.ndarray:
    """Return the change of the rate of each law state when positions change by the length of the system, (nz,)."""
    L, near = plan.layout, y.copy()
    sizes = plan.formulation.position_sizes(L, S.tree)
    near[: sizes.size] += 1e-6 * np.random.default_rng(0).uniform(-1, 1, sizes.size) * sizes
    here, there = np.empty_like(y), np.empty_like(y)
    plan.formulation.rates(L, W, S, S.t, y, here, S.trial_multipliers)
    plan.formulation.rates(L, W, S, S.t, near, there, S.trial_multipliers)
    S.counts.iterations = S.counts.factorisations = 0
    return np.abs(there - here)[-2 - S.law_top.size : -2] / 1e-6


def _tableau() -> Tableau:
    table = scipy.integrate.DOP853
    return Tableau(
        A=table.A[:12, :12], B=table.B, C=table.C[:12], E3=table.E3, E5=table.E5, A_more=table.A_EXTRA,
        C_more=table.C_EXTRA, D=table.D,
    )  # fmt: skip
