"""Force laws that a user writes in Python: recorded, compiled by numba if it is installed, or called back."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import floats, is_number

from ...functions.ahead import Ahead
from ...functions.captured_values import Captured
from ...functions.copies import copied
from ...functions.tracing import Tape, is_pure, with_numpy
from ...functions.with_numba import has_numba
from .law import ForceLaw, Pointer, check_start
from .symbol import Symbol
from .user_function import (
    BesideJumps,
    Found,
    Sizes,
    called_back_law,
    law_over_time,
    law_values,
    recorded_law,
)


@dataclass(frozen=True, eq=False)
class UserLaw(ForceLaw):
    """A force law written in Python.

    Parameters
    ----------
    force : callable
        ``force(t, x, rate)`` returns the force against an increasing deformation, N (Nm), from time t (s), deformation
        x (m, rad) and its rate (m/s, rad/s). With states: ``force(t, x, rate, z)``.
    rates : callable, optional
        ``rates(t, x, rate, z)`` returns the time derivatives of the states z, (n,).
    start : array_like, optional
        States at t = 0, (n,); needed with ``rates``. A run that starts from a state, a result or in equilibrium begins
        with those of that state instead.
    components : int, optional
        Number of deformations: 1, or 6 between two frames (:class:`Between`): then x and rate are arrays (6,), a
        displacement and a rotation vector, and ``force`` returns six values, three forces (N) and three moments (Nm).

    Notes
    -----
    A function of elementary operations is recorded and runs as compiled code. Other functions are compiled by numba if
    it is installed, or called back otherwise; a call back takes some tenths of a microsecond, more with states. Before
    the run begins, functions are evaluated over its time at the drawn deformation, at 8193 times (fewer if they are
    slow), so that steps do not pass over pulses and end where the force jumps with time.

    If the function raises an exception or returns a value that is not finite, the step is tried again with a shorter
    time step. If that does not help, the run ends with an error that names the law. The energy balance counts all work
    of such a law as input.

    The force does the work ``-F . dx/dt``: of the six components, too, each force belongs to its deformation, not to a
    rotation about a fixed axis. A law that follows from an energy, ``F = dU/dx``, therefore conserves it for rotations
    of any size. A law between more than two frames is a continuous :class:`Controller` with a :class:`UserControl`.

    Examples
    --------
    >>> import flexbody as fb
    >>> cubic = fb.UserLaw(lambda t, x, rate: 2e5 * x**3 + 10.0 * rate)

    A mount whose sideways stiffness grows with the load along z:

    >>> stiffness = np.array([1e6, 1e6, 1e6, 1e3, 1e3, 1e3])
    >>> def stiffening(t, x, rate):
    ...     energy_of_bending = 0.5 * 1e9 * (x[0] ** 2 + x[1] ** 2)
    ...     extra = [1e9 * x[2] * x[0], 1e9 * x[2] * x[1], energy_of_bending, 0.0, 0.0, 0.0]
    ...     return stiffness * x + extra + 1e-4 * stiffness * rate
    >>> block = fb.RigidBody("block", mass=2.0, inertia=(0.01, 0.01, 0.01))
    >>> place = fb.Between(fb.GROUND, block, first_point=(0, 0, 0), second_point=(0, 0, 0))
    >>> mount = fb.ForceElement("mount", place, fb.UserLaw(stiffening, components=6))
    """

    force: Callable[..., Any]
    rates: Callable[..., Any] | None = None
    _: KW_ONLY
    start: ArrayLike = ()
    components: int = 1

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of deformations."""
        return self.components

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """An actuator; between two frames a plain element."""
        return (Symbol("actuator" if self.components == 1 else "element"),)

    @property
    def n_states(self) -> int:
        """Number of states: the length of ``start``."""
        return len(np.atleast_1d(np.asarray(self.start, float))) if self.rates is not None else 0

    def start_states(self) -> np.ndarray:
        """Return the states at t = 0, (n_states,)."""
        return np.atleast_1d(np.asarray(self.start, float)) if self.rates is not None else np.zeros(0)

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences."""
        found = []
        if not is_number(self.components) or self.components not in (1, 6):
            found.append(f"{label}: components is {self.components!r}; give 1, or 6 between two frames")
        for name in ("force", "rates"):
            value = getattr(self, name)
            if not callable(value) and not (name == "rates" and value is None):
                found.append(f"{label}: {name} is {value!r}; it must be a function")
        start = floats(self.start)
        states = start.size if start is not None else int(self.start is not None)
        if self.rates is None and states:
            found.append(f"{label} has start= of states but no rates=; give both or neither")
        if self.rates is not None and not states:
            found.append(f"{label} has rates= of states but no start=; give both or neither")
        elif self.rates is not None:
            found += check_start(self.start, states, label, none=False)
        return found

    def pointer(self, t_end: float, drawn: float, label: str) -> Pointer:
        """Return the address of the compiled law."""
        return UserPointer(self, t_end, drawn, label)


class UserPointer(BesideJumps):
    """The address of a user's law.

    The last exception of its functions is stored in ``error`` if it is an interrupt. In ``failed`` it is stored if the
    law is called back and has six components, of which no more than the first is known afterwards.
    """

    slope = 0

    def __init__(self, law: UserLaw, t_end: float, drawn: float, what: str) -> None:
        self.law, self.what = law, what
        self.sizes = Sizes(law.count, True, law.count, law.n_states)
        self.error: BaseException | None = None
        self.failed: InputError | None = None
        x = np.array([drawn]) if law.count == 1 else np.zeros(law.count)
        self.values(
            0.0, x, np.zeros(law.count), law.start_states()
        )  # raises an error before any work is done
        found = _recorded(law, self, t_end, x) or _jitted(law, self, t_end, x)
        self.compiled = found is not None
        self.captured = Captured(*((law.force, law.rates) if self.compiled else ()))
        self._found, self._drawn = found or self._called_back(), x
        self._call_beside_jumps(self._found)

    @cached_property
    def ahead(self) -> Ahead:  # type: ignore[override]
        """What the law gives over time as drawn and at rest, (n, m + k); found by copies of functions that keep state.

        What fails here, at a motion that the run may never have, fails in the run if at all.
        """
        other = self
        if not self.compiled:
            other = copy.copy(self)
            rates = self.law.rates and copied(self.law.rates)
            other.law = replace(self.law, force=copied(self.law.force), rates=rates)
            other._found = other._called_back()
        given = other._found, self.sizes, self._drawn, self.law.start_states()
        functions = (self.law.force, self.law.rates)
        return Ahead(lambda times: law_over_time(*given, times), self.what, "its arguments", functions)

    def values(self, t: float, x: np.ndarray, rate: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Return forces and state rates, (m + n,), computed in Python from deformations and their rates, (m,).

        Raises
        ------
        fem.InputError
            If the functions fail or return values that are not finite.
        """
        where = f"t = {t:.6g} s, deformation {_shown(x)}, rate {_shown(rate)}"
        try:
            out = _plain(self.law, t, x, rate, z)
        except Exception as error:
            raise InputError(
                f"{self.what}: the law fails at {where} with {type(error).__name__}: {error}"
            ) from error
        if not np.isfinite(out).all():
            raise InputError(f"{self.what}: the law gives {', '.join(f'{v:g}' for v in out)} at {where}")
        return out

    def complaint(self, *times: float) -> None:
        """Return None: this law depends on more than the time; see :func:`element_complaint`."""

    def _called_back(self) -> Found:
        """Return the law of the core that calls the user's functions back."""
        m, n = self.law.count, self.law.n_states
        nothing = [math.nan] * (m + n)

        def call(t: float, given: np.ndarray) -> list[float]:
            try:
                if m == 1:  # the common case, which is quicker by itself
                    return _single_called(self.law, t, given)
                if np.isfinite(given).all():  # a motion that is not finite is not the cause of what fails
                    x, rate, z = np.split(given.copy(), (m, 2 * m))
                    return [*map(float, self.values(t, x, rate, z))]
            except InputError as error:
                self.failed = error
            except BaseException as error:
                if not isinstance(error, Exception):
                    self.error = error
            return nothing

        return called_back_law(call, self.sizes)


def _single_called(law: UserLaw, t: float, given: np.ndarray) -> list[float]:
    """Return the force of a law of one deformation, and the rates of its states."""
    x, rate = given.item(0), given.item(1)
    if law.rates is None:
        return [law.force(t, x, rate)]
    z = given[2:].copy()
    rates = law.rates(t, x, rate, z)
    listed = rates if isinstance(rates, list | tuple) else np.ravel(rates).tolist()
    return [law.force(t, x, rate, z), *listed]


def _shown(x: np.ndarray) -> str:
    return f"{x[0]:.6g}" if x.size == 1 else f"({', '.join(f'{v:.6g}' for v in x)})"


def _plain(law: UserLaw, t: float, x: np.ndarray, rate: np.ndarray, z: np.ndarray) -> np.ndarray:
    deformation: Any = (x, rate) if law.count > 1 else (float(x[0]), float(rate[0]))
    states = () if law.rates is None else (z,)
    force = np.ravel(np.asarray(law.force(t, *deformation, *states), dtype=float))
    if force.shape != (law.count,):
        raise ValueError(f"force= gives {len(force)} values for {law.count} components")
    if law.rates is None:
        return force
    rates = np.ravel(np.asarray(law.rates(t, *deformation, z), dtype=float))
    if rates.shape != z.shape:
        raise ValueError(f"rates= gives {len(rates)} values for {len(z)} states")
    return np.concatenate([force, rates])


def _recorded(law: UserLaw, plain: UserPointer, t_end: float, drawn: np.ndarray) -> Found | None:
    """Return the law as recorded operations, or None if it can't be recorded.

    A function can't be recorded if its operations depend on values, or if it uses operations that are not supported.
    The inputs are numbered t, u, x, rate, z. The results are forces, rates, stored energy (0), dissipated power (0) and
    input power.
    """
    if not all(f is None or is_pure(f) for f in (law.force, law.rates)):
        return None
    m, n, tape = law.count, law.n_states, Tape()
    inputs = tape.inputs([0.0, 0.0, *drawn, *np.zeros(m), *law.start_states()])
    x, rate, z = (
        np.array(part, dtype=object)
        for part in (inputs[2 : 2 + m], inputs[2 + m : 2 + 2 * m], inputs[2 + 2 * m :])
    )
    deformation: Any = (x, rate) if m > 1 else (x[0], rate[0])
    states = () if law.rates is None else (z,)
    try:
        forces = [
            tape.number(one) for one in _entries(with_numpy(law.force)(inputs[0], *deformation, *states))
        ]
        rates: Any = [] if law.rates is None else _entries(with_numpy(law.rates)(inputs[0], *deformation, z))
        power: Any = -sum(force * speed for force, speed in zip(forces, rate, strict=True))
        results = [*forces, *rates, 0.0, 0.0, power]
        ends = [tape.number(_single(value)).index for value in results]
    except Exception:  # a user's function may raise anything when it is called with recording objects
        return None
    if tape.branched or len(ends) != m + n + 3:
        return None
    found = recorded_law(tape, plain.sizes, ends)
    return found if _agree(found, plain, t_end, drawn) else None


def _entries(value: Any) -> list[Any]:
    return [_single(one) for one in np.ravel(np.array(value, dtype=object))]


def _single(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) else value


def _jitted(law: UserLaw, plain: UserPointer, t_end: float, drawn: np.ndarray) -> Found | None:
    """Return the law compiled by numba.

    None if numba is not installed, can't compile it, or computes other values than Python.
    """
    if not has_numba():
        return None
    m, n = law.count, law.n_states
    try:
        import numba

        force = numba.njit(law.force, error_model="numpy")
        rates = numba.njit(law.rates or _nothing, error_model="numpy")
        ways = {
            (True, False): (lambda t, x, rate, z: (force(t, x[0], rate[0]),), lambda t, x, rate, z: (0.0,)),
            (True, True): (
                lambda t, x, rate, z: (force(t, x[0], rate[0], z),), lambda t, x, rate, z: rates(t, x[0], rate[0], z)
            ),
            (False, False): (lambda t, x, rate, z: force(t, x, rate), lambda t, x, rate, z: (0.0,)),
            (False, True): (lambda t, x, rate, z: force(t, x, rate, z), lambda t, x, rate, z: rates(t, x, rate, z)),
        }  # fmt: skip
        forces_of, rates_of = (
            numba.njit(f, error_model="numpy") for f in ways[m == 1, law.rates is not None]
        )

        def function(
            t: float,
            u: np.ndarray,
            x: np.ndarray,
            rate: np.ndarray,
            z: np.ndarray,
            p: np.ndarray,
            out: np.ndarray,
        ) -> None:
            given, speeds, states = numba.carray(x, m), numba.carray(rate, m), numba.carray(z, n)
            try:
                forces = forces_of(max(t, 0.0), given, speeds, states)
                slopes = rates_of(max(t, 0.0), given, speeds, states)
                for k in range(m):
                    out[k] = 1.0 * forces[k]
                for k in range(n):
                    out[m + k] = 1.0 * slopes[k]
            except Exception:  # an exception would be printed and forgotten
                out[0] = np.nan
            power = 0.0
            for k in range(m):
                power -= out[k] * rate[k]
            out[m + n] = out[m + n + 1] = 0.0
            out[m + n + 2] = power

        numbers = numba.types.CPointer(numba.float64)
        pointer = numba.cfunc(numba.void(numba.float64, *6 * [numbers]), error_model="numpy")(function)
        found: Found = int(pointer.address or 0), [], pointer
        return found if _agree(found, plain, t_end, drawn) else None
    except Exception:  # numba raises many kinds; the law is then called back
        return None


def _nothing(t: float, x: Any, rate: Any, z: Any) -> Any:
    """Return the rates of the states of a law without states."""
    return (0.0,)


def _agree(found: Found, plain: UserPointer, t_end: float, drawn: np.ndarray) -> bool:
    """Return whether the compiled law gives the same values as the Python functions at a few points."""
    z = plain.law.start_states()
    rng = np.random.default_rng(0)
    size = np.where(drawn != 0, np.abs(drawn), 0.1)
    for share in (0.0, 0.137, 0.5, 0.861, 1.0):
        x = drawn + 0.2 * size * share * rng.normal(size=len(drawn))
        rate = size * share * rng.normal(size=len(drawn))
        states = z * (1 + 0.1 * rng.normal(size=len(z)))
        try:
            with np.errstate(all="ignore"):
                expected = _plain(plain.law, share * t_end, x, rate, states)
        except Exception:  # outside the range of the function, which the run may never reach
            continue
        values = law_values(found, plain.sizes, share * t_end, x, rate, states)[: expected.size]
        atol = 1e-9 * float(np.abs(np.nan_to_num(expected)).max())
        if not np.allclose(values, expected, rtol=1e-6, atol=atol, equal_nan=True):
            return False
    return True


class Replayed(UserLaw):
    """A user's law that was read from a file: it gives the recorded forces of that run as a function of time.

    A file can't hold functions.
    """

    is_replay: ClassVar = True
