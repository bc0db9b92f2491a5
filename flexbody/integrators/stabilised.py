"""Integration of all coordinates with feedback of the constraints' errors: Baumgarte, Park and Haug; Koppens 4.4.1."""

from __future__ import annotations

import logging
from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..compile.plan import Plan
from ..core.kinds import DONE
from ..equations.start import Start
from .base import check_positive
from .external import CONSTRAINT_DECAY, ExternalRun, SciPy, Sundials, solver_of
from .partitioned import PartitionedRun

logger = logging.getLogger("flexbody")

#: A constant that is adapted changes by this factor at most in a step.
LARGEST_CHANGE = 2.0
#: Time constant of the feedback, at least this part of an output step: steps are no longer than time constants.
SHORTEST_DECAY = 1e-3
#: Violation that is corrected, and that adapted constants aim at, in tolerances of the integrator.
VIOLATION_FACTOR = 10.0


@dataclass(frozen=True)
class Stabilised:
    """The constants and the integrator of a method with feedback; base class of both methods."""

    alpha: float | None = None
    beta: float | None = None
    _: KW_ONLY
    integrator: SciPy | Sundials = field(default_factory=lambda: SciPy(scipy.integrate.LSODA))

    step: ClassVar[None] = None

    def __post_init__(self) -> None:
        owner = type(self).__name__
        check_positive(owner, {"alpha": self.alpha, "beta": self.beta})
        if self.alpha is None and self.beta is not None:
            raise InputError(
                f"{owner}: beta is {self.beta:g} 1/s without alpha; give both, or none to adapt them"
            )

    @property
    def decay(self) -> tuple[float, float] | None:
        """Both constants (1/s), None if they are adapted."""
        return None if self.alpha is None else (self.alpha, self.alpha if self.beta is None else self.beta)

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
            If the package of the integrator is not installed, or the description has no such coordinates.
        """
        run = self._run(self.integrator, solver_of(self.integrator), plan, start, t_end, output_step)
        run.asked = self
        return run

    def _run(self, *given) -> ExternalRun:
        """Return a run of the method; ``given``: as for :class:`ExternalRun`."""
        raise NotImplementedError


@check_arguments
@dataclass(frozen=True)
class Baumgarte(Stabilised):
    """Constraint stabilisation: constraints are differentiated twice, and their errors are fed back [1]_ [2]_.

    Parameters
    ----------
    alpha, beta : float, optional
        Constants in ``Phi.. + 2 alpha Phi. + beta^2 Phi = 0``, 1/s. ``beta`` is by default equal to ``alpha``: critical
        damping. Without ``alpha`` both are adapted after each step, as proposed by Chang and Nikravesh [3]_.
    integrator : SciPy or Sundials, optional
        What integrates all coordinates. The default is Adams' method of variable order and step.

    Notes
    -----
    All coordinates are integrated, and nothing puts the stored states on the constraints; ``result.statistics.why``
    tells by how much they are missed at most. This error isn't controlled. Large constants reduce it, but add fast
    decay to the equations, which needs small steps: a thousandth of the output step is the shortest time constant,
    ``1 / alpha`` or ``1 / beta``, that a run begins with. This way is meant for comparison.

    Adapted constants are equal. An error of the accelerations that persists violates critically damped constraints in
    proportion to ``1 / alpha^2``; after each step ``alpha`` is therefore multiplied by the root of the violation over
    the wanted one, which is ten tolerances ``rtol`` of the machine's length. It changes by a factor of two at most, and
    remains between one per duration of the run and two per output step. (The idea is that of [3]_, the rule our own.)

    References
    ----------
    .. [1] J. Baumgarte, "Stabilization of constraints and integrals of motion in dynamical systems", Comput. Methods
       Appl. Mech. Eng. 1 (1972) 1.
    .. [2] W. P. Koppens, The dynamics of systems of deformable bodies, 1989, (4.24).
    .. [3] C. O. Chang, P. E. Nikravesh, "An adaptive constraint violation stabilization method for dynamic analysis of
       mechanical systems", J. Mech. Transm. Autom. Des. 107 (1985) 488.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Baumgarte(50.0).decay
    (50.0, 50.0)
    """

    def _run(self, *given) -> BaumgarteRun:
        """Return a run of the method; ``given``: as for :class:`ExternalRun`."""
        return BaumgarteRun(*given, decay=self.decay)


@check_arguments
@dataclass(frozen=True)
class Hybrid(Stabilised):
    """All coordinates are integrated with feedback; the constraints are solved where they are missed [1]_ [2]_.

    Parameters
    ----------
    alpha, beta : float, optional
        Constants as for :class:`Baumgarte`, 1/s; adapted without ``alpha``.
    violation : float, optional
        Largest error of a constraint relative to the length of the machine, at least ``rtol`` of the integrator. Where
        it is exceeded, dependent coordinates are found again from the constraints, as :class:`Partitioned` does at each
        evaluation. The default is ten times ``rtol``.
    integrator : SciPy or Sundials, optional
        What integrates all coordinates. The default is Adams' method of variable order and step.

    Notes
    -----
    Independent coordinates are chosen and exchanged as by :class:`Partitioned`. Their error is controlled to ``rtol``,
    that of the others only to ``violation``. (Park and Haug don't control it at all; then a fast vibration of dependent
    coordinates diverges where the steps suit the independent ones.) ``result.statistics.why`` tells how often they were
    exchanged and how often dependent coordinates were corrected; the integrator starts again there.

    References
    ----------
    .. [1] T. W. Park, E. J. Haug, "A hybrid numerical integration method for machine dynamic simulation", J. Mech.
       Transm. Autom. Des. 108 (1986) 211.
    .. [2] W. P. Koppens, The dynamics of systems of deformable bodies, 1989, 4.4.1.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Hybrid(50.0, violation=1e-6).decay
    (50.0, 50.0)
    """

    _: KW_ONLY
    violation: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("Hybrid", {"violation": self.violation})
        rtol = self.integrator.rtol
        if self.violation is not None and self.violation < rtol:
            raise InputError(
                f"Hybrid: violation is {self.violation:g}, below the tolerance of the integrator, {rtol:g}: each step "
                f"would be corrected; give at least {rtol:g}, or reduce rtol of the integrator"
            )

    def _run(self, *given) -> HybridRun:
        """Return a run of the method; ``given``: as for :class:`ExternalRun`."""
        return HybridRun(*given, decay=self.decay, violation=self.violation)


class _Feedback:
    """The constants of the feedback, and the violation of the constraints over a run.

    Parameters
    ----------
    run : ExternalRun
        The run.
    decay : (float, float) or None
        alpha and beta, 1/s; None if they are adapted.
    wanted : float
        The violation that adapted constants aim at, m.
    """

    def __init__(self, run: ExternalRun, decay: tuple[float, float] | None, wanted: float) -> None:
        interval = float(run.times[1] - run.times[0])
        _check_decay(run.name, decay, interval)
        self._run, self._wanted, self._adapted = run, wanted, decay is None
        self._fastest = CONSTRAINT_DECAY / interval
        self._alpha, self._beta = decay or (self._fastest, self._fastest)
        self._least, self._most = self._alpha, self._alpha
        self.largest, self._when = 0.0, run.t

    @property
    def gain(self) -> np.ndarray:
        """What is fed back, (4,), see :func:`flexbody.core.external.fed_back_rates`."""
        return np.array([0.0, self._beta**2, 2.0 * self._alpha, self._alpha])

    def measured(self, t: float) -> float:
        """Return the largest error of the constraints of positions that was evaluated last, m; ``t``: its time, s."""
        found = float(np.abs(self._run.work.phi).max(initial=0.0))
        if found > self.largest:
            self.largest, self._when = found, t
        return found

    def adapt(self, violation: float) -> None:
        """Adapt the constants to a violation (m)."""
        if not self._adapted:
            return
        factor = np.clip(np.sqrt(violation / self._wanted), 1.0 / LARGEST_CHANGE, LARGEST_CHANGE)
        slowest = 1.0 / float(self._run.times[-1] - self._run.times[0])
        self._alpha = self._beta = float(np.clip(self._alpha * factor, slowest, self._fastest))
        self._least, self._most = min(self._least, self._alpha), max(self._most, self._alpha)

    def __str__(self) -> str:
        constants = f"alpha = {self._alpha:.3g}, beta = {self._beta:.3g} 1/s"
        if self._adapted:
            constants = f"alpha = beta from {self._least:.3g} to {self._most:.3g} 1/s"
        return f"largest error of a constraint {self.largest:.2g} m at t = {self._when:.4g} s; {constants}"


def _check_decay(what: str, decay: tuple[float, float] | None, interval: float) -> None:
    """Raise InputError for constants (1/s) that need too many steps in an output step of ``interval`` (s)."""
    if decay is None or max(decay) * interval * SHORTEST_DECAY <= 1.0:
        return
    name, value = ("alpha", decay[0]) if decay[0] >= decay[1] else ("beta", decay[1])
    raise InputError(
        f"{what}: {name} is {value:g} 1/s, a time constant of {1 / value:.3g} s; steps can't be longer, and an output "
        f"step of {interval:g} s holds {value * interval:.3g} of them. Give at most "
        f"{1 / (SHORTEST_DECAY * interval):.3g} 1/s, or a shorter output_step"
    )


class BaumgarteRun(ExternalRun):
    """A run with feedback of the constraints' errors; parameters as for :class:`ExternalRun`, and the constants."""

    closed = False

    def __init__(self, method: SciPy | Sundials, *given, decay: tuple[float, float] | None) -> None:
        super().__init__(method, *given)
        self._feedback = _Feedback(
            self, decay, VIOLATION_FACTOR * method.rtol * float(self.plan.layout.length)
        )
        self._gain = self._feedback.gain

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return f"Baumgarte({super().name})"

    @property
    def why(self) -> str:
        """The largest error of a constraint, and the constants."""
        return f"it was asked for; {self._feedback}"

    @why.setter
    def why(self, reason: str) -> None:
        """Nothing: the reason is the errors."""

    def _take(self, t: float, y: np.ndarray) -> int:
        """Take the state at the end of a step as it is; adapt the constants to its errors."""
        status = super()._take(t, y)
        if status == DONE:
            self._feedback.adapt(self._feedback.measured(t))
            self._gain = self._feedback.gain
        return status


class HybridRun(PartitionedRun):
    """A run of the hybrid method; parameters as for :class:`ExternalRun`, the constants, and the largest violation."""

    closed = False
    _corrections = 0

    def __init__(
        self,
        method: SciPy | Sundials,
        *given,
        decay: tuple[float, float] | None,
        violation: float | None,
    ) -> None:
        self._share = VIOLATION_FACTOR * method.rtol if violation is None else violation
        super().__init__(method, *given)
        self._most = self._share * float(self.plan.layout.length)
        self._feedback = _Feedback(self, decay, self._most)
        self._gain = self._feedback.gain

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        return super().name.replace("Partitioned", "Hybrid", 1)

    @property
    def why(self) -> str:
        """How often coordinates were exchanged and corrected, the largest error of a constraint, and the constants."""
        corrected = f"dependent coordinates were corrected {self._corrections} times"
        return f"{super().why}; {corrected}; {self._feedback}"

    @why.setter
    def why(self, reason: str) -> None:
        """Nothing: the reason is the exchanges."""

    def _unknowns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the whole state, the sizes of its entries, and those that control errors: large of dependent ones."""
        parts, sets = self._parts, self._sets
        controlled = self._of_state * (self._share / self._method.rtol)
        controlled[parts.positions + parts.speeds :] = self._of_state[parts.positions + parts.speeds :]
        for chosen in (sets.positions, parts.positions + sets.speeds):
            controlled[chosen] = self._of_state[chosen]
        return self._last, self._of_state, controlled

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Return dy/dt (ny,) with feedback, or NaN if a mass matrix is not positive definite."""
        return ExternalRun.rates(self, t, y)

    def _take(self, t: float, y: np.ndarray) -> int:
        """Take the state at the end of a step; correct it where the constraints are missed by too much."""
        self._evaluate(t, y.copy(), np.empty(y.size))
        violation = self._feedback.measured(t)
        self._feedback.adapt(violation)
        self._gain = self._feedback.gain
        wrong = violation > self._most
        if wrong:
            # independent coordinates of a step's end may be bad at the next one, where they would amplify errors
            self._last = y.copy()
            self._sets = self._choose(self._jacobian(t, y.copy())[0] * self._units)
            completed = self._completed(t, self._independent(y))
            y = np.full(y.size, np.nan) if completed is None else completed
        status = ExternalRun._take(self, t, y)
        if status != DONE:
            return status
        self._last = self._state.y.copy()
        if not self._exchange() and wrong:
            self._corrections += 1
            self._solver = self._new_solver()
        return DONE
