"""Force laws that a user writes in Python: recorded, compiled by numba if it is installed, or called back."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError
from fem.common.numbers import floats

from ...core.force_laws import law_address
from ...functions.captured_values import Captured
from ...functions.tracing import Tape, is_pure, with_numpy
from ...functions.with_numba import has_numba
from .law import ForceLaw, Pointer, check_start
from .symbol import Symbol

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, *(6 * [_DOUBLES]))
_CALLBACK = ctypes.CFUNCTYPE(None, *(3 * [ctypes.c_double]))


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

    Notes
    -----
    A function of elementary operations is recorded and runs as compiled code. Other functions are compiled by numba if
    it is installed, or called back otherwise; a call back takes some tenths of a microsecond, more with states.

    If the function raises an exception or returns a value that is not finite, the step is tried again with a shorter
    time step. If that does not help, the run ends with an error that names the law. The energy balance counts all work
    of such a law as input.

    Examples
    --------
    >>> import flexbody as fb
    >>> cubic = fb.UserLaw(lambda t, x, rate: 2e5 * x**3 + 10.0 * rate)
    """

    force: Callable[..., Any]
    rates: Callable[..., Any] | None = None
    _: KW_ONLY
    start: ArrayLike = ()

    symbols: ClassVar = (Symbol("actuator"),)

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


class UserPointer:
    """The address of a user's law; the last exception of its functions is stored in ``error``."""

    slope = 0

    def __init__(self, law: UserLaw, t_end: float, drawn: float, what: str) -> None:
        self.law, self.what = law, what
        self.error: BaseException | None = None  # an interrupt
        self.values(0.0, drawn, 0.0, law.start_states())  # raises an error before any work is done
        found = _recorded(law, self, t_end, drawn) or _jitted(law, self, t_end, drawn)
        self.compiled = found is not None
        self.captured = Captured(*((law.force, law.rates) if self.compiled else ()))
        self.address, self.numbers, self._keep = found or self._called_back()

    def values(self, t: float, x: float, rate: float, z: np.ndarray) -> np.ndarray:
        """Return force and state rates, computed in Python.

        Raises
        ------
        fem.InputError
            If the functions fail or return values that are not finite.
        """
        where = f"t = {t:.6g} s, deformation {x:.6g}, rate {rate:.6g}"
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
        force, rates, n = self.law.force, self.law.rates, self.law.n_states
        numbers = (ctypes.c_double * (1 + 2 * n))()  # force, rates of states, states
        states = np.ctypeslib.as_array(numbers)[1 + n :]

        def called(t: float, x: float, rate: float) -> None:
            try:
                if rates is None:
                    numbers[0] = force(t, x, rate)
                else:
                    z = states.copy()
                    found: Any = rates(t, x, rate, z)
                    try:
                        numbers[1 : 1 + n] = found
                    except TypeError:  # a single number
                        numbers[1 : 1 + n] = list(np.atleast_1d(found))
                    numbers[0] = force(t, x, rate, z)
            except BaseException as error:
                if not isinstance(error, Exception):
                    self.error = error
                numbers[: 1 + n] = [math.nan] * (1 + n)

        pointer = _CALLBACK(called)
        addresses = ctypes.cast(pointer, ctypes.c_void_p).value or 0, ctypes.addressof(numbers)
        bits = np.array(addresses, dtype=np.int64).view(float)
        return law_address("called_back"), [*bits.tolist(), float(n)], (pointer, numbers)


def _plain(law: UserLaw, t: float, x: float, rate: float, z: np.ndarray) -> np.ndarray:
    if law.rates is None:
        return np.array([float(law.force(t, x, rate))])
    rates = np.atleast_1d(np.asarray(law.rates(t, x, rate, z), dtype=float))
    if rates.shape != z.shape:
        raise ValueError(f"rates= gives {len(rates)} values for {len(z)} states")
    return np.concatenate([[float(law.force(t, x, rate, z))], rates])


#: Address of a law, its numbers, and an object that keeps the address valid.
Found = tuple[int, list[float], Any]


def _recorded(law: UserLaw, plain: UserPointer, t_end: float, drawn: float) -> Found | None:
    """Return the law as recorded operations, or None if it can't be recorded.

    A function can't be recorded if its operations depend on values, or if it uses operations that are not supported.
    The inputs are numbered t, u, x, rate, z. The results are force, rates, stored energy (0), dissipated power (0) and
    input power.
    """
    if not all(f is None or is_pure(f) for f in (law.force, law.rates)):
        return None
    n, tape = law.n_states, Tape()
    start = law.start_states()
    inputs = tape.inputs([0.0, 0.0, drawn, 0.0, *start])
    t, _, x, rate, *z = inputs
    try:
        states = () if law.rates is None else (np.array(z, dtype=object),)
        force = tape.number(_single(with_numpy(law.force)(t, x, rate, *states)))
        rates: Any = [] if law.rates is None else np.ravel(with_numpy(law.rates)(t, x, rate, *states))
        results = [force, *(tape.number(_single(value)) for value in rates), 0.0, 0.0, -(force * rate)]
        ends = [tape.number(value).index for value in results]
    except Exception:  # a user's function may raise anything when it is called with recording objects
        return None
    if tape.branched or len(ends) != n + 4:
        return None
    numbers = [0.0, 1.0, float(n), float(len(tape.rows))]
    for (op, first, second), constant in zip(tape.rows, tape.constants, strict=True):
        numbers += [float(op), float(first), float(second), constant]
    numbers += [float(end) for end in ends]
    address = law_address("recorded")
    return (address, numbers, None) if _agree(address, numbers, plain, t_end, drawn) else None


def _single(value: Any) -> Any:
    return value.item() if isinstance(value, np.ndarray) else value


def _jitted(law: UserLaw, plain: UserPointer, t_end: float, drawn: float) -> Found | None:
    """Return the law compiled by numba.

    None if numba is not installed, can't compile it, or computes other values than Python.
    """
    if not has_numba():
        return None
    n = law.n_states
    try:
        import numba

        force = numba.njit(law.force, error_model="numpy")
        if law.rates is None:

            def function(
                t: float,
                u: np.ndarray,
                x: np.ndarray,
                rate: np.ndarray,
                z: np.ndarray,
                p: np.ndarray,
                out: np.ndarray,
            ) -> None:
                value = np.nan
                try:
                    value = 1.0 * force(max(t, 0.0), x[0], rate[0])
                except Exception:  # an exception would be printed and forgotten
                    value = np.nan
                out[0] = value
                out[1] = out[2] = 0.0
                out[3] = -value * rate[0]
        else:
            rates = numba.njit(law.rates, error_model="numpy")

            def function(
                t: float,
                u: np.ndarray,
                x: np.ndarray,
                rate: np.ndarray,
                z: np.ndarray,
                p: np.ndarray,
                out: np.ndarray,
            ) -> None:
                states = numba.carray(z, n)
                value = np.nan
                try:
                    value = 1.0 * force(max(t, 0.0), x[0], rate[0], states)
                    found = rates(max(t, 0.0), x[0], rate[0], states)
                    for k in range(n):
                        out[1 + k] = found[k]
                except Exception:
                    value = np.nan
                out[0] = value
                out[1 + n] = out[2 + n] = 0.0
                out[3 + n] = -value * rate[0]

        numbers = numba.types.CPointer(numba.float64)
        pointer = numba.cfunc(numba.void(numba.float64, *6 * [numbers]), error_model="numpy")(function)
        address = int(pointer.address or 0)
        return (address, [], pointer) if _agree(address, [], plain, t_end, drawn) else None
    except Exception:  # numba raises many kinds; the law is then called back
        return None


def _agree(address: int, numbers: list[float], plain: UserPointer, t_end: float, drawn: float) -> bool:
    """Return whether the compiled law gives the same values as the Python functions at a few points."""
    p = (ctypes.c_double * (len(numbers) + 1))(*numbers)
    z = plain.law.start_states()
    rng = np.random.default_rng(0)
    size = abs(drawn) if drawn != 0 else 0.1
    none = (ctypes.c_double * 3)()
    for share in (0.0, 0.137, 0.5, 0.861, 1.0):
        x, rate = drawn + 0.2 * size * share * rng.normal(), size * share * rng.normal()
        states = z * (1 + 0.1 * rng.normal(size=len(z)))
        try:
            expected = _plain(plain.law, share * t_end, x, rate, states)
        except Exception:  # outside the range of the function, which the run may never reach
            continue
        arrays = [(ctypes.c_double * max(len(v), 1))(*v) for v in ([x], [rate], states)]
        out = (ctypes.c_double * (len(z) + 4))()
        _LAW(address)(share * t_end, none, *arrays, p, out)
        atol = 1e-9 * float(np.abs(np.nan_to_num(expected)).max())
        if not np.allclose(out[: len(z) + 1], expected, rtol=1e-6, atol=atol, equal_nan=True):
            return False
    return True


class Replayed(UserLaw):
    """A user's law that was read from a file: it gives the recorded forces of that run as a function of time.

    A file can't hold functions.
    """

    is_replay: ClassVar = True
