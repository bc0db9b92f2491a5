"""Other people's integrators around the compiled right-hand side: to compare with, and for whoever prefers them.

The equations are those of the explicit method (accelerations from the constraints' second derivatives); constraints
are an invariant that attracts, see :mod:`.outside_kernel`. Every stored state is projected on the constraints.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from fem.common.errors import InputError

from ..core.kinds import DONE, NOT_FINITE, PAUSED, STUCK
from ..core.outside import attracted_rates, take_state
from ..core.structures import Tracked
from ..initial import Start
from ..layout import Plan
from .base import check_positive
from .explicit import StateRun

logger = logging.getLogger("flexbody")

#: constraints are pulled back at this rate, over the output interval
PULL = 2.0
#: evaluations that are not finite after which CVODE is stopped
LOST = 100
#: deformations are this part of the machine's length, for absolute tolerances
SMALL = 1e-3


@dataclass(frozen=True)
class SciPy:
    """An integrator of SciPy: DOP853, RK45, RK23 (explicit), Radau or BDF (implicit, for stiff machines).

    rtol : the integrator's relative tolerance, of every coordinate and velocity; its absolute one is ``rtol`` times
    their sizes: the machine's length and a radian, a thousandth of the length for deformations, and for velocities
    these per time that the machine takes for its length. max_step : largest step, s.

    Each evaluation goes through Python, and implicit ones find derivatives by differences: many times slower than
    :class:`GeneralizedAlpha` and :class:`Explicit`.
    """

    method: str = "DOP853"
    rtol: float = 1e-8
    max_step: float | None = None

    methods: ClassVar = ("DOP853", "RK45", "RK23", "Radau", "BDF")

    def __post_init__(self) -> None:
        _check(self)

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> OutsideRun:
        """Return a run from a consistent start."""
        return OutsideRun(self, _SciPySteps, plan, start, t_end, output_step)


@dataclass(frozen=True)
class Sundials:
    """CVODE of SUNDIALS: "BDF" (implicit, orders 1-5) or "Adams" (orders 1-12), variable order and step.

    A. C. Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363. Needs the package scikit-sundae. rtol, max_step :
    as for :class:`SciPy`.
    """

    method: str = "BDF"
    rtol: float = 1e-8
    max_step: float | None = None

    methods: ClassVar = ("BDF", "Adams")

    def __post_init__(self) -> None:
        _check(self)

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> OutsideRun:
        """Return a run from a consistent start; InputError where the package is missing."""
        _cvode()
        return OutsideRun(self, _CvodeSteps, plan, start, t_end, output_step)


def _check(method: SciPy | Sundials) -> None:
    name = type(method).__name__
    check_positive(name, {"rtol": method.rtol, "max_step": method.max_step})
    if method.method not in method.methods:
        raise InputError(f"{name}: method is {method.method!r}; it is one of {', '.join(method.methods)}")
    if method.rtol < 3e-14:
        raise InputError(f"{name}: rtol is {method.rtol:g}, below round-off; give at least 3e-14")


def _cvode() -> Any:
    """Return the class that wraps CVODE."""
    try:
        return importlib.import_module("sksundae.cvode").CVODE
    except ImportError as error:
        raise InputError(
            "integrator=Sundials() needs the package scikit-sundae, which holds SUNDIALS: "
            f"pip install scikit-sundae ({error})"
        ) from error


class OutsideRun(StateRun):
    """A run of an integrator from outside, one of its own steps after the other."""

    def __init__(
        self,
        method: SciPy | Sundials,
        steps: Callable[..., _SciPySteps | _CvodeSteps],
        plan: Plan,
        start: Start,
        t_end: float,
        output_step: float | None,
    ) -> None:
        super().__init__(plan, start, t_end, output_step, None)
        self._method = method
        interval = self.times[1] - self.times[0]
        self._pull, self._sizes = PULL / interval, _sizes(plan, start, self.times[-1] - self.times[0])
        y = self._state.y.copy()
        self._solver = steps(self, y, method, method.rtol * self._sizes, method.max_step or interval)

    @property
    def name(self) -> str:
        """The method, for :class:`flexbody.Statistics`."""
        return f"{type(self._method).__name__}({self._method.method!r}, rtol={self._method.rtol:g})"

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return dy/dt, (ny,); NaN where a mass matrix is not definite."""
        out = np.empty(y.size)
        good = attracted_rates(self.plan.layout, self.work, self._state, t, y, self._pull, out)
        return out if good else np.full(y.size, np.nan)

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return the derivative of the rates by ``y``, (ny, ny), by differences; nothing depends on the energies."""
        out, value = np.zeros((y.size, y.size)), self.rates(t, y)
        for j in range(y.size - 2):
            shifted = y.copy()
            shifted[j] += 1e-7 * max(abs(y[j]), self._sizes[j])
            out[:, j] = (self.rates(t, shifted) - value) / (shifted[j] - y[j])
        return out

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``; see :class:`flexbody.integrators.base.Run`."""
        for _ in range(max_steps):
            if self.t >= t_out:
                return DONE
            found = self._solver.step(t_out)
            if found is None:
                # a law that fails does so a little later, if it has stopped the step
                self._state.last = max(self._state.last, 1e-6 * (t_out - self.times[0]))
                return STUCK
            t, y = found
            if not np.isfinite(y).all():
                return NOT_FINITE
            status = take_state(self.plan.layout, self.work, self._state, t, y)
            if status != DONE:
                return status
        return DONE if self.t >= t_out else PAUSED

    def restart(self) -> None:
        """Nothing: the state that these methods integrate holds no multipliers."""

    def proceed(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        """Not for stepping from outside, see :class:`flexbody.Stepper`."""
        raise InputError(f"{self.name} can't be stepped from outside")

    def fit(self, interval: float) -> None:
        """Not for stepping from outside."""
        raise InputError(f"{self.name} can't be stepped from outside")


def _sizes(plan: Plan, start: Start, duration: float) -> np.ndarray:
    """Return the size of each entry of the state: what its absolute tolerance refers to; energies have none."""
    L = plan.layout
    length = float(L.length)
    fall = np.sqrt(float(np.linalg.norm(L.gravity)) * length)
    place = [np.full(start.c.size, length), np.ones(start.q.size), np.full(start.alpha.size, SMALL * length)]
    turning = float(np.abs(start.v).max(initial=0.0))  # m/s and rad/s: which is larger is no matter here
    rate = max(turning / max(length, 1.0), fall / length, 1.0 / duration)
    speed = np.empty(start.v.size)
    for b, first in enumerate(L.v_at[:-1]):
        speed[first : first + 3], speed[first + 3 : first + 6] = length * rate, rate
        speed[first + 6 : L.v_at[b + 1]] = SMALL * length * rate
    states = np.maximum(np.abs(start.states), SMALL)
    return np.concatenate([*place, speed, states, np.full(2, 1e30)])


class _LostError(Exception):
    """Ends a step that finds no finite rates."""


class _SciPySteps:
    """Steps of one of SciPy's solvers."""

    def __init__(
        self, run: OutsideRun, y: np.ndarray, method: SciPy, atol: np.ndarray, largest: float
    ) -> None:
        more = {"jac": run.jacobian} if method.method in ("Radau", "BDF") else {}
        self._solver: Any = getattr(scipy.integrate, method.method)(
            run.rates, run.t, y, float(run.times[-1]), rtol=method.rtol, atol=atol, max_step=largest, **more
        )

    def step(self, t_out: float) -> tuple[float, np.ndarray] | None:
        """Take one step that ends at ``t_out`` at the latest."""
        self._solver.t_bound, self._solver.status = t_out, "running"
        message = self._solver.step()
        if self._solver.status == "failed":
            logger.debug("SciPy: %s", message)
            return None
        return float(self._solver.t), self._solver.y


class _CvodeSteps:
    """Steps of CVODE."""

    def __init__(
        self, run: OutsideRun, y: np.ndarray, method: Sundials, atol: np.ndarray, largest: float
    ) -> None:
        self._lost = 0  # evaluations that were not finite, at which CVODE itself does not stop

        def rates(t, y, out):
            out[:] = run.rates(t, y)
            self._lost += not np.isfinite(out).all()
            if self._lost > LOST:
                raise _LostError

        def jacobian(t, y, rates, out):
            out[:, :] = run.jacobian(t, y)

        self._solver = _cvode()(
            rates, method=method.method, rtol=method.rtol, atol=atol, max_step=largest, jacfn=jacobian,
            max_num_steps=100_000,
        )  # fmt: skip
        self._solver.init_step(run.t, y)

    def step(self, t_out: float) -> tuple[float, np.ndarray] | None:
        """Take one step that ends at ``t_out`` at the latest."""
        try:
            found = self._solver.step(t_out, method="onestep", tstop=t_out)
        except _LostError:
            return None
        if not found.success:
            logger.debug("CVODE: %s", found.message)
            return None
        t = float(found.t)
        return t_out if abs(t - t_out) <= 1e-12 * abs(t_out) else t, np.array(found.y).ravel()
