"""Integration of independent coordinates: generalized coordinate partitioning, Wehage and Haug; Koppens 4.2."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import scipy

from fem.common.arguments import check_arguments

from ..compile.plan import Plan
from ..core.kinds import DONE, HOLONOMIC
from ..equations.start import Start
from .external import DEFORMATION_SIZE, ExternalRun, SciPy, Sundials, solver_of
from .partition import Coordinates, allowed_motions, coordinates_of, full_pivots

logger = logging.getLogger("flexbody")

#: Dependent coordinates that change by more than this for a unit of an independent one call for another set.
LARGEST_GROWTH = 2.0
#: Another set is taken if it reduces this growth at least by this factor.
LEAST_GAIN = 1.5
#: Newton's method for dependent positions: corrections below this (of each size) leave round-off, as they are squared.
CORRECTION_TOLERANCE, MAX_CORRECTIONS = 1e-8, 12


@check_arguments
@dataclass(frozen=True)
class Partitioned:
    """Coordinate partitioning: only independent coordinates are integrated [1]_ [2]_.

    Parameters
    ----------
    integrator : SciPy or Sundials, optional
        What integrates the independent coordinates. The default is Adams' method of variable order and step.

    Notes
    -----
    The others follow from the constraints: at each evaluation, dependent positions are found by Newton's method,
    dependent velocities from a linear system, so that no constraint drifts. Full pivoting of the constraint Jacobian
    chooses the independent coordinates. A set is exchanged after a step where dependent coordinates change twice
    as much as independent ones, and the integrator starts again; ``result.statistics.why`` tells how often and when.
    Both :class:`Absolute` and :class:`Relative` are partitioned in this way; an open tree has no dependent
    coordinates but one of each four Euler parameters.

    Each evaluation passes through Python, with matrices that are not sparse: this way is meant for comparison, and for
    small machines.

    References
    ----------
    .. [1] R. A. Wehage, E. J. Haug, "Generalized coordinate partitioning for dimension reduction in analysis of
       constrained dynamic systems", J. Mech. Des. 104 (1982) 247.
    .. [2] W. P. Koppens, The dynamics of systems of deformable bodies, 1989, (4.22), (4.23).

    Examples
    --------
    >>> import flexbody as fb
    >>> import scipy
    >>> integrator = fb.Partitioned(fb.SciPy(scipy.integrate.LSODA, rtol=1e-9))
    """

    integrator: SciPy | Sundials = field(default_factory=lambda: SciPy(scipy.integrate.LSODA))

    step: ClassVar[None] = None

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> PartitionedRun:
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

        Raises
        ------
        fem.InputError
            If the package of the integrator is not installed, or the description has no such coordinates.
        """
        given = self.integrator, solver_of(self.integrator), plan, start, t_end, output_step
        run = PartitionedRun(*given)
        run.asked = self
        return run


@dataclass(frozen=True, eq=False)
class _Sets:
    """The independent coordinates: positions, speeds, and the speeds that depend on these."""

    positions: np.ndarray
    speeds: np.ndarray
    dependent: np.ndarray
    growth: float  # largest change of a dependent coordinate for a unit of an independent one


class PartitionedRun(ExternalRun):
    """A run of an external integrator with independent coordinates; parameters as for :class:`ExternalRun`."""

    _sets: _Sets
    _of_state: np.ndarray  # sizes of all entries of the state
    _prepared = False
    _last: np.ndarray  # the state that was completed last
    _rows: np.ndarray  # rows that hold the unknowns
    _exchanges: tuple[float, ...] = ()
    _parts: Coordinates
    _units: np.ndarray  # what counts as one unit of each speed
    _places: np.ndarray  # and of each position

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return f"Partitioned({super().name})"

    @property
    def why(self) -> str:
        """How often the independent coordinates were exchanged."""
        if not self._exchanges:
            return "it was asked for; one set of independent coordinates has served"
        times = ", ".join(f"{t:.4g}" for t in self._exchanges[:10])
        more = ", ..." if len(self._exchanges) > 10 else ""
        count = len(self._exchanges)
        return (
            f"it was asked for; independent coordinates were exchanged {count} times, at t = {times}{more} s"
        )

    @why.setter
    def why(self, reason: str) -> None:
        """Nothing: the reason is the exchanges."""

    def _new_solver(self, first: float | None = None):
        """Return the solver of the independent coordinates at the state of the run."""
        if not self._prepared:
            self._prepared = True
            L, tree, forms = self.plan.layout, self._state.tree, self.plan.formulation
            self._of_state = self._sizes
            self._parts = coordinates_of(L, tree)
            bent = DEFORMATION_SIZE * float(L.length)
            self._units = forms.speed_sizes(L, tree, bent)
            self._places = np.concatenate([forms.position_sizes(L, tree), np.full(int(L.alpha_at[-1]), bent)])
        self._last = self._state.y.copy()
        self._rows = self.plan.formulation.holding_rows(self.work)
        self._sets = self._choose(self._jacobian(self.t, self._last)[0] * self._units)
        z, self._sizes, controlled = self._unknowns()
        return self._steps(
            self,
            z,
            self._method,
            self._method.rtol * controlled,
            self._longest(self.t, self.times[-1]),
            first,
        )

    def _unknowns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what is integrated, the sizes of its entries, and those that control the error."""
        sizes = self._independent(self._of_state)
        return self._independent(self._last), sizes, sizes

    def restart(self) -> None:
        """Start again where loads jump or other rows are kept."""
        self._solver = self._new_solver()

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return the rates of the independent coordinates ``y``, or NaN where the others can't be found."""
        state = self._completed(t, y)
        if state is None:
            return np.full(y.size, np.nan)
        out = np.empty(state.size)
        good = self._evaluate(t, state, out)
        return self._independent(out) if good else np.full(y.size, np.nan)

    def _independent(self, y: np.ndarray) -> np.ndarray:
        """Return the independent entries of a state, or of its rates."""
        np_, n = self._parts.positions, self._parts.speeds
        return np.concatenate([y[self._sets.positions], y[np_ + self._sets.speeds], y[np_ + n :]])

    def _evaluate(self, t: float, y: np.ndarray, out: np.ndarray) -> bool:
        """Set ``out`` to the rates of a whole state."""
        S = self._state
        return self.plan.formulation.rates(self.plan.layout, self.work, S, t, y, out, S.trial_multipliers)

    def _jacobian(self, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return J (r, n) and the rates (r,) of the rows that hold the unknowns, at a whole state."""
        self._evaluate(t, y, np.empty(y.size))
        J, miss = np.empty((self.plan.n_rows, self._parts.speeds)), np.empty(self.plan.n_rows)
        self.plan.formulation.speed_rows(self.plan.layout, self.work, self._state, J, miss)
        return J[self._rows], miss[self._rows]

    def _of_positions(self) -> np.ndarray:
        """Return which of the rows that hold the unknowns are constraints of positions."""
        return self.plan.layout.row_kind[self._rows] <= HOLONOMIC

    def _split(self, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the dependent and the independent speeds that full pivoting of J (r, n) chooses."""
        free = self._parts.free
        pivots = full_pivots(J[:, free])[1] if len(J) else np.zeros(0, dtype=np.int64)
        return free[pivots], np.setdiff1d(free, free[pivots])

    def _choose(self, J: np.ndarray) -> _Sets:
        """Return the coordinates that full pivoting chooses; J (r, n) in units of the speeds."""
        dependent, speeds = self._split(J)
        positions = full_pivots(self._moved(J))[0]
        return _Sets(positions, speeds, dependent, self._growth(J, positions, speeds, dependent))

    def _moved(self, J: np.ndarray) -> np.ndarray:
        """Return the changes (np, f) of the positions in independent motions, all in units."""
        held = J[self._of_positions()]
        N = self._parts.rate_rows(self._last[: self._parts.positions])
        return (N * self._units) @ allowed_motions(held, *self._split(held)) / self._places[:, None]

    def _growth(
        self, J: np.ndarray, positions: np.ndarray, speeds: np.ndarray, dependent: np.ndarray
    ) -> float:
        """Return by how much dependent coordinates change, at most, for a unit of an independent one."""
        moved = self._moved(J)
        try:
            Z = allowed_motions(J, dependent, speeds)
            across = np.linalg.solve(moved[positions].T, moved.T)
        except np.linalg.LinAlgError:
            return np.inf
        return float(max(np.abs(Z).max(initial=0.0), np.abs(across).max(initial=0.0)))

    def _completed(self, t: float, z: np.ndarray) -> np.ndarray | None:
        """Return the whole state with these independent entries, None if the others can't be found."""
        parts, sets = self._parts, self._sets
        np_, n, free = parts.positions, parts.speeds, parts.free
        y, f = self._last.copy(), len(sets.positions)
        y[np_ + sets.speeds] = z[f : f + len(sets.speeds)]
        y[np_ + n :] = z[f + len(sets.speeds) :]
        held = self._of_positions()
        try:
            for _ in range(MAX_CORRECTIONS):
                J, miss = self._jacobian(t, y)
                N = parts.rate_rows(y[:np_])[sets.positions]
                right = np.concatenate([-self.work.phi[self._rows[held]], z[:f] - y[sets.positions]])
                x = np.zeros(n)
                x[free] = np.linalg.solve(np.concatenate([J[held], N])[:, free], right)
                y[:np_] = parts.displaced(y[:np_], x)
                if not np.isfinite(x).all():
                    return None
                if np.abs(x / self._units).max(initial=0.0) < CORRECTION_TOLERANCE:
                    break
            else:
                return None
            J, miss = self._jacobian(t, y)
            if len(sets.dependent):
                y[np_ + sets.dependent] -= np.linalg.solve(J[:, sets.dependent], miss)
        except np.linalg.LinAlgError:
            return None
        self._last = y.copy()
        return y

    def _take(self, t: float, y: np.ndarray) -> int:
        """Take independent coordinates at the end of a step; exchange them where others have become better."""
        state = self._completed(t, y)
        status = super()._take(t, np.full(self._state.y.size, np.nan) if state is None else state)
        if status != DONE:
            return status
        self._last = self._state.y.copy()
        self._exchange()
        return DONE

    def _exchange(self) -> bool:
        """Choose other independent coordinates where these have become bad; return whether they are others."""
        J, sets = self._jacobian(self.t, self._last)[0] * self._units, self._sets
        growth = self._growth(J, sets.positions, sets.speeds, sets.dependent)
        if growth <= LARGEST_GROWTH or growth <= LEAST_GAIN * self._choose(J).growth:
            return False
        self._exchanges += (self.t,)
        logger.info("%s: other independent coordinates from t = %.6g s", self.name, self.t)
        self._solver = self._new_solver()
        return True
