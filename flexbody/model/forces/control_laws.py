"""The laws of controllers: PID, a linear system, a function of the user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.numbers import floats, shown
from fem.common.short_repr import short_repr
from fem.common.values import NotNegative, Positive


class Update(NamedTuple):
    """Outputs (m,) of a sampled controller, and its states (k,) for the next sample."""

    outputs: np.ndarray
    states: np.ndarray


class ControlLaw:
    """How the outputs of a controller follow from its errors; base class."""

    #: Name of the compiled law.
    compiled: ClassVar[str]
    #: Whether the law repeats the outputs of an earlier run.
    is_replay: ClassVar[bool] = False

    @property
    def needs_rates(self) -> bool:
        """Whether the law needs the rates of the errors."""
        return False

    @property
    def smooth(self) -> bool:
        """Whether the outputs have no limits."""
        return True

    @property
    def settles(self) -> bool:
        """Whether its states have stationary values for each error."""
        return True

    def sizes(self) -> tuple[int | None, int | None]:
        """Return the numbers of inputs and outputs, None for any.

        Returns
        -------
        tuple
            Both numbers.
        """
        return None, None

    def numbers(self) -> list[float]:
        """Return the numbers of the law in the order of the compiled core.

        Returns
        -------
        list of float
            The numbers.
        """
        return []

    def state_names(self, sampled: bool) -> list[tuple[str, str]]:
        """Return name and unit of each state.

        Parameters
        ----------
        sampled : bool
            Whether the controller is sampled.

        Returns
        -------
        list of (str, str)
            Names and units.
        """
        return []

    def start(self, sampled: bool) -> np.ndarray:
        """Return the states at the start.

        Parameters
        ----------
        sampled : bool
            Whether the controller is sampled.

        Returns
        -------
        numpy.ndarray
            States, (k,).
        """
        return np.zeros(len(self.state_names(sampled)))

    def update(self, t: float, period: float, first: bool, e: np.ndarray, x: np.ndarray) -> Update:
        """Return outputs and states at a sample.

        Parameters
        ----------
        t : float
            Time, s.
        period : float
            Time between samples, s.
        first : bool
            Whether it is the first sample.
        e : numpy.ndarray
            The errors, (n,).
        x : numpy.ndarray
            The states, (k,).

        Returns
        -------
        Update
            Outputs, and the states for the next sample.
        """
        raise NotImplementedError

    def problems(self, label: str) -> list[str]:
        """Return the problems of the law as sentences.

        Parameters
        ----------
        label : str
            Name of the controller in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []


@check_arguments
@dataclass(frozen=True)
class PID(ControlLaw):
    """A PID controller of one error e: ``y = kp e + ki (integral of e) + kd de/dt``.

    Parameters
    ----------
    kp, ki, kd : float, optional
        Gains: units of the output by those of the error; ``ki`` per second, ``kd`` times a second.
    filter_time : float, optional
        Time constant T of the filter of the derivative, s: ``kd s / (T s + 1)``. 0: no filter.
    limits : array_like, optional
        The least and the largest output, (2,). While the output is limited, the integral follows it back (anti-windup).
    tracking_time : float, optional
        Time constant of this, s; by default ``kp / ki``.

    Notes
    -----
    In a sampled controller the integral is a sum, ``I + ki T e`` after each sample, and the derivative a backward
    difference, with the period T.

    References
    ----------
    K. J. Astrom, T. Hagglund, Advanced PID Control, ISA 2006, 3.5.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.PID(kp=20.0, ki=5.0, kd=2.0, limits=(-10.0, 10.0))
    PID(kp=20.0, ki=5.0, kd=2.0, limits=(-10.0, 10.0))
    """

    kp: float = 0.0
    ki: float = 0.0
    kd: float = 0.0
    _: KW_ONLY
    filter_time: Annotated[float, NotNegative] = 0.0
    limits: ArrayLike | None = None
    tracking_time: Annotated[float, Positive] | None = None

    compiled: ClassVar = "pid"

    def __repr__(self) -> str:
        fields = ("kp", "ki", "kd", "filter_time", "limits", "tracking_time")
        given = [f"{name}={getattr(self, name)!r}" for name in fields if np.any(getattr(self, name))]
        return f"PID({', '.join(given)})"

    @property
    def needs_rates(self) -> bool:
        """Whether the derivative has no filter."""
        return self.kd != 0 and self.filter_time == 0

    @property
    def smooth(self) -> bool:
        """Whether the output has no limits."""
        return self.limits is None

    @property
    def settles(self) -> bool:
        """Whether there is no integral."""
        return self.ki == 0

    def sizes(self) -> tuple[int, int]:
        """Return one input and one output."""
        return 1, 1

    @property
    def _tracking(self) -> float:
        """Time constant of the anti-windup, s; 0 without limits."""
        if self.limits is None or self.ki == 0:
            return 0.0
        return float(self.tracking_time or abs(self.kp / self.ki))

    @property
    def _limits(self) -> tuple[float, float]:
        low, high = (-np.inf, np.inf) if self.limits is None else np.asarray(self.limits, dtype=float)
        return float(low), float(high)

    def numbers(self) -> list[float]:
        """Return gains, filter time, limits and tracking time."""
        return [self.kp, self.ki, self.kd, self.filter_time, *self._limits, self._tracking]

    def state_names(self, sampled: bool) -> list[tuple[str, str]]:
        """Return the integral's part of the output, and the filtered (or last) error, as far as it has them."""
        found = [("integral", "")] if self.ki != 0 else []
        remembers = self.kd != 0 and (sampled or self.filter_time > 0)
        return [*found, ("last error" if sampled else "filtered error", "")] if remembers else found

    def update(self, t: float, period: float, first: bool, e: np.ndarray, x: np.ndarray) -> Update:
        """Return output and states at a sample."""
        error, at = float(e[0]), int(self.ki != 0)
        y, new = self.kp * error + (x[0] if self.ki != 0 else 0.0), x.copy()
        if self.kd != 0:
            before = error if first else x[at]
            slope = (error - before) / (self.filter_time + period)
            y += self.kd * slope
            new[at] = before + period * slope if self.filter_time else error
        low, high = self._limits
        limited = min(max(y, low), high)
        if self.ki != 0:
            new[0] += period * self.ki * error
            if self._tracking:
                new[0] += min(period / self._tracking, 1.0) * (limited - y)
        return Update(np.array([limited]), new)

    def problems(self, label: str) -> list[str]:
        """Return the problems of gains and limits as sentences."""
        found = []
        if not (self.kp or self.ki or self.kd):
            found.append(f"{label}: all gains are zero; give kp=, ki= or kd=")
        if self.limits is not None:
            limits = floats(self.limits)
            if limits is None or limits.shape != (2,) or not limits[0] < limits[1]:
                found.append(f"{label}: limits is {self.limits!r}; give the least and the largest output")
            elif self.ki and not self.kp and self.tracking_time is None:
                found.append(f"{label}: limits with ki and without kp needs tracking_time= (s)")
        return found


@check_arguments
@dataclass(frozen=True, eq=False)
class LinearControl(ControlLaw):
    """A linear controller, ``dx/dt = A x + B e``, ``y = C x + D e``; sampled ``x_next = A x + B e``.

    Parameters
    ----------
    A, B, C, D : array_like
        Matrices (k, k), (k, n), (m, k), (m, n) for n errors, k states and m outputs. ``D`` alone is a matrix of gains.

    Examples
    --------
    State feedback: angle and rate of a joint are measured, their targets are zero:

    >>> import flexbody as fb
    >>> law = fb.LinearControl(D=[[30.0, 4.0]])
    """

    A: ArrayLike | None = None
    B: ArrayLike | None = None
    C: ArrayLike | None = None
    D: ArrayLike | None = None

    __repr__ = short_repr

    compiled: ClassVar = "linear_control"

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the matrices, with zeros for those that are not given.

        Returns
        -------
        tuple of numpy.ndarray
            A (k, k), B (k, n), C (m, k), D (m, n).
        """
        A, B, C, D = (None if x is None else np.atleast_2d(np.asarray(x, float)) for x in self._given)
        k = 0 if A is None else len(A)
        n = B.shape[1] if B is not None else 0 if D is None else D.shape[1]
        m = len(C) if C is not None else 0 if D is None else len(D)
        zeros = (np.zeros((k, k)), np.zeros((k, n)), np.zeros((m, k)), np.zeros((m, n)))
        found = [z if x is None else x for x, z in zip((A, B, C, D), zeros, strict=True)]
        return found[0], found[1], found[2], found[3]

    @property
    def _given(self) -> tuple[Any, ...]:
        return self.A, self.B, self.C, self.D

    @property
    def settles(self) -> bool:
        """Whether A is regular."""
        A = self.matrices()[0]
        return bool(len(A) == 0 or np.linalg.cond(A) < 1e12)

    def sizes(self) -> tuple[int, int]:
        """Return the numbers of inputs and outputs."""
        D = self.matrices()[3]
        return D.shape[1], D.shape[0]

    def numbers(self) -> list[float]:
        """Return numbers of inputs, outputs and states, and the matrices by rows."""
        A, B, C, D = self.matrices()
        sizes = [float(D.shape[1]), float(D.shape[0]), float(len(A))]
        return [*sizes, *A.ravel(), *B.ravel(), *C.ravel(), *D.ravel()]

    def state_names(self, sampled: bool) -> list[tuple[str, str]]:
        """Return a name of each state."""
        return [(f"x{k + 1}", "") for k in range(len(self.matrices()[0]))]

    def update(self, t: float, period: float, first: bool, e: np.ndarray, x: np.ndarray) -> Update:
        """Return outputs and states at a sample."""
        A, B, C, D = self.matrices()
        return Update(C @ x + D @ e, A @ x + B @ e)

    def problems(self, label: str) -> list[str]:
        """Return a sentence if the matrices do not fit each other."""
        for name, given in zip("ABCD", self._given, strict=True):
            matrix = None if given is None else floats(given)
            if given is not None and (matrix is None or matrix.ndim > 2 or not np.isfinite(matrix).all()):
                return [f"{label}: {name} is {shown(given)}; give a matrix of finite numbers"]
        A, B, C, D = self.matrices()
        k, n, m = len(A), D.shape[1], D.shape[0]
        if A.shape != (k, k) or B.shape != (k, n) or C.shape != (m, k) or not (n and m):
            sizes = ", ".join(f"{name} {x.shape}" for name, x in zip("ABCD", (A, B, C, D), strict=True))
            return [f"{label}: its matrices do not fit: {sizes}; give (k, k), (k, n), (m, k), (m, n)"]
        return []


@check_arguments
@dataclass(frozen=True, eq=False)
class UserControl(ControlLaw):
    """A controller in Python: any function of what is measured.

    Parameters
    ----------
    function : callable
        ``function(t, e)`` returns the outputs for time t, s, and errors e (n,): a number or (m,). With ``states``,
        ``function(t, e, x)`` returns the outputs, and the time derivatives of the states x; if the controller is
        sampled, their values for the next sample.
    states : array_like, optional
        The states at the start, (k,).

    Notes
    -----
    What the function remembers belongs into ``states``, which results store: a run that is continued goes on with them.

    Without ``period`` of the :class:`Controller` the function acts at all times: an element of any number of places,
    such as the film of a bearing, whose two forces depend on two displacements and their rates. A function of
    elementary operations is recorded and runs as compiled code; others are called back. The iteration of
    :class:`GeneralizedAlpha` does not know its stiffness: for a stiff one use ``fb.SciPy(scipy.integrate.BDF)`` or
    :class:`Sundials`. The force along one line or coordinate, or between two frames, is a :class:`UserLaw`, whose
    stiffness all integrators know. If the function raises an exception or returns a value that is not finite, the step
    is tried again with a shorter time step; if that does not help, the run ends with an error that names the
    controller.

    Examples
    --------
    A two-point controller, for samples:

    >>> import flexbody as fb
    >>> law = fb.UserControl(lambda t, e: 10.0 if e[0] > 0 else -10.0)

    Drag that grows with the square of the speed in a plane:

    >>> puck = fb.RigidBody("puck", mass=0.2, inertia=(1e-4, 1e-4, 2e-4), velocity=(3.0, 4.0, 0))
    >>> places = [fb.PointAlong(puck, (1, 0, 0)), fb.PointAlong(puck, (0, 1, 0))]
    >>> drag = fb.UserControl(lambda t, e: 0.1 * (e[0] ** 2 + e[1] ** 2) ** 0.5 * e)
    >>> air = fb.Controller("air", [fb.Rate(place) for place in places], drag, acts_on=places)
    >>> result = fb.simulate(fb.System([puck], forces=[air]), 1.0, show_progress=False)
    >>> round(float(result.velocity(puck)[-1] @ (0.6, 0.8, 0)), 4)  # 1 / (1 / 5 + 0.1 / 0.2)
    1.4286
    """

    function: Callable[..., Any]
    states: ArrayLike = ()

    __repr__ = short_repr

    compiled: ClassVar = "user"

    @property
    def smooth(self) -> bool:
        """Whether the outputs have no limits: nothing is known of a function."""
        return False

    def state_names(self, sampled: bool) -> list[tuple[str, str]]:
        """Return a name of each state."""
        return [(f"x{k + 1}", "") for k in range(np.size(np.asarray(self.states)))]

    def start(self, sampled: bool) -> np.ndarray:
        """Return the states at the start."""
        return np.atleast_1d(np.asarray(self.states, dtype=float))

    def update(self, t: float, period: float, first: bool, e: np.ndarray, x: np.ndarray) -> Update:
        """Return outputs and states at a sample."""
        if not x.size:
            return Update(np.atleast_1d(np.asarray(self.function(t, e), dtype=float)), x)
        outputs, states = self.function(t, e, x)
        new = np.atleast_1d(np.asarray(states, dtype=float))
        if new.shape != x.shape:
            raise InputError(f"it returns {new.size} states for {x.size}")
        return Update(np.atleast_1d(np.asarray(outputs, dtype=float)), new)

    def problems(self, label: str) -> list[str]:
        """Return a sentence if the function or the states are wrong."""
        if not callable(self.function):
            return [f"{label}: function is {self.function!r}; give a function of time and errors"]
        states = floats(self.states)
        if states is None or states.ndim > 1 or not np.isfinite(states).all():
            return [f"{label}: states is {self.states!r}; give a list of numbers"]
        return []


class ReplayedControl(UserControl):
    """A continuous user's law that was read from a file: it gives the outputs of that run as a function of time.

    A file can't hold functions.
    """

    is_replay: ClassVar = True


class NotStored:
    """A function of a user in a controller that was read from a file, which stores no functions.

    Parameters
    ----------
    what : str
        Where the function belongs, for messages.
    """

    def __init__(self, what: str) -> None:
        self.what = what

    def __call__(self, *arguments: Any) -> float:
        """Raise :class:`fem.InputError`.

        Parameters
        ----------
        *arguments : object
            Those of the function.

        Returns
        -------
        float
            Nothing.
        """
        raise InputError(
            f"{self.what} is a function, which the file that the machine was read from does not store; give it again: "
            "dataclasses.replace(controller, ...)"
        )
