"""Integrators of SciPy and SUNDIALS for the compiled right-hand side, mainly for comparison.

The equations are those of the explicit method: accelerations follow from the second derivatives of the constraints.
Errors of the constraints decay, see ``core/external.cpp``. Every stored state is projected on the constraints.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import ConvergenceError, InputError

from ..compile.plan import Plan
from ..core.kinds import DONE, NOT_FINITE, PAUSED, SINGULAR, STUCK, TOP_RIGID_SPEED
from ..core.structures import Tracked, Tree
from ..equations.start import Start
from ..functions.pieces import AT_CORNER
from .base import Within, check_positive
from .explicit import VectorRun
from .peaks_inside import larger_forces, look_inside

logger = logging.getLogger("flexbody")

#: Methods of SciPy that take one step after the other, in terms of their state; the last two are implicit.
_SCIPY = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
#: Decay rate of constraint errors times the output interval.
CONSTRAINT_DECAY = 2.0
#: CVODE is stopped after this number of evaluations that are not finite.
MAX_FAILED_EVALUATIONS = 100
#: Steps below this part of a run crawl: by them methods of many steps, and implicit ones, pass singular positions.
CRAWLING_SHARE = 1e-5
#: A crawling step stops where a pivot of the constraints has fallen below this part of the largest: bodies are within
#: about a thousandth of a radian of a singular position.
SINGULAR_LOSS = 1e-6
#: Size of deformations relative to the length of the system, for absolute tolerances.
DEFORMATION_SIZE = 1e-3


@check_arguments(own=("method",))
@dataclass(frozen=True)
class SciPy:
    """An integrator of SciPy.

    Parameters
    ----------
    method : type, optional
        A class of ``scipy.integrate``: ``DOP853`` (default), ``RK45``, ``RK23`` (explicit), ``Radau`` or ``BDF``
        (implicit, for stiff systems), or ``LSODA``: Adams' method of order 1 to 12, which changes to BDF where the
        system is stiff.
    rtol : float, optional
        Relative tolerance of the integrator for every coordinate and velocity.
    max_step : float, optional
        Largest step, s, by default the output step. Steps also end where a function of time begins to change, so that
        they do not pass over a pulse that lasts longer than a 4000th of the run, or whose times its function names.

    Notes
    -----
    The absolute tolerance is ``rtol`` times the size of each coordinate: the length of the system, one radian, a
    thousandth of the length for deformations. The size of a velocity is that of its coordinate divided by the time that
    the system needs to move by its length.

    Each evaluation passes through Python, and implicit methods compute derivatives by differences. The run is therefore
    many times slower than with :class:`GeneralizedAlpha` or :class:`Explicit`.

    LSODA does not end its steps at given times; it reads the state there from a step that may pass them. Where a load
    jumps, it is therefore less exact than the others. :class:`Partitioned`, :class:`Baumgarte` and :class:`Hybrid` use
    it by default: of a pulse that is shorter than a thousandth of the run they can lose a fifth.

    Examples
    --------
    >>> import flexbody as fb, scipy
    >>> fb.SciPy(scipy.integrate.Radau, rtol=1e-6).name
    'Radau'
    """

    method: type | None = None
    _: KW_ONLY
    rtol: float = 1e-8
    max_step: float | None = None

    step: ClassVar[None] = None

    def __post_init__(self) -> None:
        name = getattr(self.method, "__name__", "")
        if self.method is not None and (
            name not in _SCIPY or getattr(scipy.integrate, name) is not self.method
        ):
            raise InputError(
                f"SciPy: method is {self.method!r}; give one of the classes "
                f"{', '.join(f'scipy.integrate.{name}' for name in _SCIPY)}"
            )
        _check(self)

    @property
    def name(self) -> str:
        """Name of the method."""
        return "DOP853" if self.method is None else self.method.__name__

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> ExternalRun:
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
        return ExternalRun(self, solver_of(self), plan, start, t_end, output_step)


@check_arguments
@dataclass(frozen=True)
class Sundials:
    """The integrator CVODE of SUNDIALS, with variable order and step [1]_.

    Parameters
    ----------
    stiff : bool, optional
        True: backward differentiation formulas (BDF, orders 1 to 5), for stiff systems. False: Adams' formulas
        (orders 1 to 12).
    rtol : float, optional
        Relative tolerance as for :class:`SciPy`.
    max_step : float, optional
        Largest step, s, by default the output step. Steps also end where a function of time begins to change, so that
        they do not pass over a pulse that lasts longer than a 4000th of the run, or whose times its function names.

    Notes
    -----
    It needs the package scikit-sundae.

    References
    ----------
    .. [1] A. C. Hindmarsh et al., "SUNDIALS: suite of nonlinear and differential/algebraic equation solvers", ACM
       Trans. Math. Softw. 31 (2005) 363.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Sundials(stiff=False, rtol=1e-8).name
    'Adams'
    """

    _: KW_ONLY
    stiff: bool = True
    rtol: float = 1e-8
    max_step: float | None = None

    step: ClassVar[None] = None

    def __post_init__(self) -> None:
        _check(self)

    @property
    def name(self) -> str:
        """Name of the formulas."""
        return "BDF" if self.stiff else "Adams"

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> ExternalRun:
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
            If the package scikit-sundae is not installed.
        """
        return ExternalRun(self, solver_of(self), plan, start, t_end, output_step)


def _check(method: SciPy | Sundials) -> None:
    name = type(method).__name__
    check_positive(name, {"rtol": method.rtol, "max_step": method.max_step})


def _cvode() -> Any:
    """Return the class that wraps CVODE."""
    try:
        return importlib.import_module("sksundae.cvode").CVODE
    except ImportError as error:
        raise InputError(
            "integrator=Sundials() needs the package scikit-sundae, which contains SUNDIALS: "
            f"pip install scikit-sundae ({error})"
        ) from error


class ExternalRun(VectorRun):
    """A run of an external integrator, one of its own steps at a time."""

    #: Whether states are projected on the constraints when they are taken.
    closed = True
    of_period = 4.0

    def __init__(
        self,
        method: SciPy | Sundials,
        steps: Callable[..., _SciPySteps | _CvodeSteps],
        plan: Plan,
        start: Start,
        t_end: float,
        output_step: float | None,
    ) -> None:
        super().__init__(method, plan, start, t_end, output_step)
        interval = self.times[1] - self.times[0]
        decay = CONSTRAINT_DECAY / interval
        self._gain = np.array([decay, 0.0, decay, decay])
        self._sizes = _sizes(plan, self._state.tree, start, self.times[-1] - self.times[0])
        self._steps = steps
        self._at_ends = (np.zeros_like(self.work.peak),) * 2  # forces at the ends of the step before
        self._step_before = 0.0
        self._solver = self._new_solver()

    def _new_solver(self, first: float | None = None) -> _SciPySteps | _CvodeSteps:
        """Return the solver at the state of the run, with a first step, s, which is its own choice by default."""
        tolerances = self._method.rtol * self._sizes
        return self._steps(
            self, self._state.y.copy(), self._method, tolerances, self._longest(self.t, self.times[-1]), first
        )

    @cached_property
    def memory(self) -> tuple[np.ndarray, ...]:  # type: ignore[override]
        """All arrays that the rest of the run depends on; they are the same ones all the time."""
        return (*self._state.memory(), *self.work.memory())

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return f"{type(self._method).__name__}({self._method.name}, rtol={self._method.rtol:g})"

    @property
    def bound(self) -> float:
        """The time beyond which no step may go, s: a corner of a function of time, or the end of the run."""
        corners = [
            corner.t * (1 + 0.5 * AT_CORNER) for law in self.plan.with_corners for corner in law.corners
        ]
        return min([t for t in corners if t > self.t], default=float(self.times[-1]))

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return dy/dt, (ny,), or NaN if a mass matrix is not positive definite."""
        out = np.empty(y.size)
        good = self.plan.formulation.fed_back_rates(
            self.plan.layout, self.work, self._state, t, y, self._gain, out
        )
        return out if good else np.full(y.size, np.nan)

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return the derivative of the rates with respect to ``y``, (ny, ny), by differences.

        Nothing depends on the last two entries, which are energies. Where a law has no value at the predicted state,
        the derivative at the end of the last step is returned, with which the solver tries a shorter step: it fails
        itself with a derivative that is not finite.
        """
        out, value = np.zeros((y.size, y.size)), self.rates(t, y)
        if not np.isfinite(value).all():
            t, y = self.t, self._state.y.copy()
            value = self.rates(t, y)
        for j in range(y.size - 2):
            shifted = y.copy()
            shifted[j] += 1e-7 * max(abs(y[j]), self._sizes[j])
            out[:, j] = (self.rates(t, shifted) - value) / (shifted[j] - y[j])
        return np.where(np.isfinite(out), out, 0.0)

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        for _ in range(max_steps):
            if self.t >= t_out:
                return DONE
            stop, first_step = self._next_stop(t_out)
            found = self._solver.step(stop)
            if found is None:
                # (a law that has stopped the step fails a little later than the present time)
                self._state.last = max(self._state.last, 1e-6 * (t_out - self.times[0]))
                return STUCK
            t, y = found
            if not np.isfinite(y).all():
                return NOT_FINITE
            status = self._take_step(t, y)
            if status != DONE:
                return status
            self._keep_top_speeds()
            if self._crawls_to_singular_position() and t < t_out:
                return SINGULAR
            if np.isfinite(first_step) and t >= stop:
                self._solver = self._new_solver(first_step)
            elif not np.array_equal(self._law_states(y), self._law_states(self._state.y)):
                self._solver = self._new_solver()  # other pairs of spheres touch, whose bristles are states
        return DONE if self.t >= t_out else PAUSED

    def _keep_top_speeds(self) -> None:
        """Keep the largest speed of each body; rotations count by the size of the body."""
        L, v, n = self.plan.layout, self.state.v, self.plan.n_bodies
        parts = v[L.v_at[:n, None] + np.arange(6)]
        squares = np.square(parts[:, :3]).sum(axis=1) + L.body_size[:n] ** 2 * np.square(parts[:, 3:]).sum(
            axis=1
        )
        top = self._state.top[:n, TOP_RIGID_SPEED]
        np.maximum(top, np.sqrt(squares), out=top)

    def _law_states(self, y: np.ndarray) -> np.ndarray:
        """Return the states of force laws, (nz,), in a vector of the state or of its independent part."""
        return y[len(y) - 2 - self.plan.elements.n_states : len(y) - 2]

    def _crawls_to_singular_position(self) -> bool:
        """Return whether small steps come near a position where constraints lose rank."""
        S, pivot = self._state, self.work.pivot
        S.largest_pivot = max(S.largest_pivot, pivot)
        small = self.step < CRAWLING_SHARE * float(self.times[-1] - self.times[0])
        return small and pivot < SINGULAR_LOSS * S.largest_pivot

    def within(self, t: float) -> Within:
        """Return the state at a time inside the last step, from the polynomial of the library, on the constraints."""
        y = self._solver.within(t)

        def go() -> int:
            return self._take(t, y)

        return self.from_before(go)

    def _take_step(self, t: float, y: np.ndarray) -> int:
        """Take the end of a step, and keep the largest forces inside it; return DONE or what went wrong."""
        peaks, begin = self.work.peak, self.t
        if not peaks.size:
            return self._take(t, y)
        self.remember()
        known = peaks.copy()
        peaks[:] = 0.0
        status = self._take(t, y)
        at_end = peaks.copy()
        peaks[:] = larger_forces(known, at_end)
        if status == DONE and t > begin:
            h = t - begin
            ends = (*self._at_ends, at_end)
            look_inside(lambda at: self._forces_at(begin + at * h), ends, self._step_before / h, peaks)
            self._at_ends, self._step_before = ends[1:], h
        return status

    def _forces_at(self, t: float) -> np.ndarray:
        """Return the forces, (ne, 4) as Work.peak, at a time inside the last step, or else those of its begin."""

        def go() -> int:
            self.work.peak[:] = 0.0
            return self._take(t, self._solver.within(t))

        try:
            return self.from_before(go).peaks
        except ConvergenceError:
            return self._at_ends[1]

    def _take(self, t: float, y: np.ndarray) -> int:
        """Take the solver's vector at the end of a step; return DONE or what went wrong."""
        return self.plan.formulation.take_state(self.plan.layout, self.work, self._state, t, y, self.closed)

    def change_law_states(self, values: np.ndarray) -> None:
        """Set the states of force laws (nz,), and begin with a new solver."""
        self.state.law_states[:] = values
        form, S = self.plan.formulation, self._state
        form.take_state(self.plan.layout, self.work, S, S.t, S.y.copy(), self.closed)
        self._solver = self._new_solver()

    def go_behind(self, t: float, change: np.ndarray | None, work: float) -> None:
        """Go on behind a corner of a function of time with a new solver; see :class:`.base.Run`."""
        super().go_behind(t, change, work)
        form, S = self.plan.formulation, self._state
        form.take_state(self.plan.layout, self.work, S, t, S.y.copy(), self.closed)
        self._solver = self._new_solver()

    def restart(self) -> None:
        """Nothing: the state that these methods integrate holds no multipliers."""

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Raise InputError: an external integrator can't be used in a :class:`flexbody.Stepper`."""
        raise InputError(f"{self.name} can't be stepped from outside")

    def fit(self, interval: float) -> None:
        """Raise InputError: an external integrator can't be used in a :class:`flexbody.Stepper`."""
        raise InputError(f"{self.name} can't be stepped from outside")


def _sizes(plan: Plan, tree: Tree, start: Start, duration: float) -> np.ndarray:
    """Return the size of each entry of the state, for the absolute tolerance; energies have none."""
    L = plan.layout
    length = float(L.length)
    fall = np.sqrt(float(np.linalg.norm(L.gravity)) * length)
    turning = float(np.abs(start.v).max(initial=0.0))  # m/s and rad/s: the unit does not matter here
    rate = max(turning / max(length, 1.0), fall / length, 1.0 / duration)
    place = [
        plan.formulation.position_sizes(L, tree),
        np.full(start.all_alpha.size, DEFORMATION_SIZE * length),
    ]
    speed = rate * plan.formulation.speed_sizes(L, tree, DEFORMATION_SIZE * length)
    states = np.maximum(np.abs(start.law_states), DEFORMATION_SIZE + plan.elements.state_sizes)
    return np.concatenate([*place, speed, states, np.full(2, 1e30)])


class _LostError(Exception):
    """Ends a step after too many rates that are not finite."""


class _SciPySteps:
    """Steps of a SciPy solver."""

    def __init__(
        self,
        run: ExternalRun,
        y: np.ndarray,
        method: SciPy,
        atol: np.ndarray,
        largest: float,
        first: float | None,
    ) -> None:
        more: dict[str, Any] = {"jac": run.jacobian} if method.name in ("Radau", "BDF") else {}
        bound = run.bound
        more["first_step"] = first and min(first, bound - run.t)
        self._solver: Any = getattr(scipy.integrate, method.name)(
            run.rates, run.t, y, bound, rtol=method.rtol, atol=atol, max_step=largest, **more
        )
        # a method of many steps goes on beyond output times, which lie on its polynomial
        self._beyond = method.name == "LSODA"

    def step(self, t_out: float) -> tuple[float, np.ndarray] | None:
        """Take one step that ends at ``t_out`` or earlier."""
        if not self._beyond:
            self._solver.t_bound, self._solver.status = t_out, "running"
        if not self._beyond or self._solver.t < t_out:
            message = self._solver.step()
            if self._solver.status == "failed":
                logger.debug("SciPy: %s", message)
                return None
        if self._solver.t > t_out:
            return t_out, self._solver.dense_output()(t_out)
        return float(self._solver.t), self._solver.y

    def within(self, t: float) -> np.ndarray:
        """Return y (ny,) at a time inside the last step."""
        return self._solver.dense_output()(t)


class _CvodeSteps:
    """Steps of CVODE."""

    def __init__(
        self,
        run: ExternalRun,
        y: np.ndarray,
        method: Sundials,
        atol: np.ndarray,
        largest: float,
        first: float | None,
    ) -> None:
        self._lost = 0  # evaluations that are not finite; CVODE itself does not stop at them

        def rates(t, y, out):
            out[:] = run.rates(t, y)
            self._lost += not np.isfinite(out).all()
            if self._lost > MAX_FAILED_EVALUATIONS:
                raise _LostError

        def jacobian(t, y, rates, out):
            out[:, :] = run.jacobian(t, y)

        self._solver = _cvode()(
            rates, method=method.name, rtol=method.rtol, atol=atol, max_step=largest, first_step=first or 0.0,
            jacfn=jacobian, max_num_steps=100_000,
        )  # fmt: skip
        self._solver.init_step(run.t, y)

    def step(self, t_out: float) -> tuple[float, np.ndarray] | None:
        """Take one step that ends at ``t_out`` or earlier."""
        try:
            found = self._solver.step(t_out, method="onestep", tstop=t_out)
        except _LostError:
            return None
        if not found.success:
            logger.debug("CVODE: %s", found.message)
            return None
        self._t = t = float(found.t)
        return t_out if abs(t - t_out) <= 1e-12 * abs(t_out) else t, np.array(found.y).ravel()

    def within(self, t: float) -> np.ndarray:
        """Return y (ny,) at a time inside the last step."""
        y = np.array(self._solver.step(t, method="normal").y).ravel()
        self._solver.step(self._t, method="normal")  # the next step begins where the last one ended
        return y


def solver_of(method: SciPy | Sundials) -> Callable[..., _SciPySteps | _CvodeSteps]:
    """Return the class that makes the steps of an integrator.

    Parameters
    ----------
    method : SciPy or Sundials
        The integrator.

    Returns
    -------
    callable
        Makes a solver from a run, its vector, the integrator, absolute tolerances and the largest step.

    Raises
    ------
    fem.InputError
        If its package is not installed.
    """
    if isinstance(method, SciPy):
        return _SciPySteps
    _cvode()
    return _CvodeSteps
