"""Laws that a user writes in Python: compiled by themselves, or called back."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError

from .law import SIGNATURE, ForceLaw, Pointer, check_start

_DOUBLES = ctypes.POINTER(ctypes.c_double)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, *(6 * [_DOUBLES]))


@dataclass(frozen=True, eq=False)
class UserLaw(ForceLaw):
    """A law in Python: ``force(t, x, rate)`` gives the force against a growing deformation, N (Nm).

    x, rate : deformation (m, rad) and its rate. With states: ``rates(t, x, rate, z)`` gives their rates (n,), and
    ``force(t, x, rate, z)`` depends on them; start : their values at t = 0 (n,).

    The functions are compiled where numba can do it, and called back otherwise (some microseconds a call). An
    exception, or a value that is not finite, ends a step, which is then tried shorter; if that does not help, the run
    ends with an error that names the law. All work of such a law counts as input.
    """

    force: Callable
    rates: Callable | None = None
    start: ArrayLike = ()

    @property
    def n_states(self) -> int:
        """Number of states, from ``start``."""
        return len(np.atleast_1d(np.asarray(self.start, float))) if self.rates is not None else 0

    def start_states(self) -> np.ndarray:
        """Return the states at t = 0."""
        return np.atleast_1d(np.asarray(self.start, float)) if self.rates is not None else np.zeros(0)

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        found = []
        for name in ("force", "rates"):
            value = getattr(self, name)
            if not callable(value) and not (name == "rates" and value is None):
                found.append(f"{label}: {name} is {value!r}; it must be a function")
        states = np.size(np.asarray(self.start)) if self.start is not None else 0
        if self.rates is None and states:
            found.append(f"{label} has start values and no rates= of states")
        if self.rates is not None and not states:
            found.append(f"{label} has rates= of states and no start= values of them")
        elif self.rates is not None:
            found += check_start(self.start, states, label, none=False)
        return found

    def pointer(self, t_end: float, drawn: float, label: str) -> Pointer:
        """Return the law behind an address."""
        return UserPointer(self, t_end, drawn, label)


class UserPointer:
    """A user's law behind an address; what it raised last is kept."""

    def __init__(self, law: UserLaw, t_end: float, drawn: float, what: str) -> None:
        self.law, self.what = law, what
        self.error: BaseException | None = None  # an interrupt
        self.values(0.0, drawn, 0.0, law.start_states())  # complains before any work is done
        compiled = _compiled(law, self, t_end, drawn)
        self.compiled = compiled is not None
        self._keep = compiled if compiled is not None else _CALLBACK(self._called)
        self.address = (
            int(compiled.address)
            if compiled is not None
            else ctypes.cast(self._keep, ctypes.c_void_p).value or 0
        )

    def values(self, t: float, x: float, rate: float, z: np.ndarray) -> np.ndarray:
        """Return force and state rates in plain Python; InputError in words if that fails."""
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
        """Return nothing: what is wrong depends on more than the time; see :func:`element_complaint`."""

    def _called(self, t: float, u, x, rate, z, p, out) -> None:
        n = self.law.n_states
        try:
            values = _plain(self.law, max(t, 0.0), x[0], rate[0], np.array(z[:n]))
        except BaseException as error:
            if not isinstance(error, Exception):
                self.error = error
            values = np.full(n + 1, math.nan)
        for k in range(n + 1):
            out[k] = values[k]
        out[n + 1] = out[n + 2] = 0.0
        out[n + 3] = -values[0] * rate[0]


def _plain(law: UserLaw, t: float, x: float, rate: float, z: np.ndarray) -> np.ndarray:
    if law.rates is None:
        return np.array([float(law.force(t, x, rate))])
    rates = np.atleast_1d(np.asarray(law.rates(t, x, rate, z), dtype=float))
    if rates.shape != z.shape:
        raise ValueError(f"rates= gives {len(rates)} values for {len(z)} states")
    return np.concatenate([[float(law.force(t, x, rate, z))], rates])


def _compiled(law: UserLaw, plain: UserPointer, t_end: float, drawn: float):
    """Return the compiled law, None where numba can't, or where it computes something else than Python does."""
    n = law.n_states
    try:
        force = numba.njit(law.force, error_model="numpy")
        if law.rates is None:

            def function(t, u, x, rate, z, p, out):
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

            def function(t, u, x, rate, z, p, out):
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

        pointer = numba.cfunc(SIGNATURE, error_model="numpy")(function)
        return pointer if _agree(pointer, plain, t_end, drawn) else None
    except Exception:  # numba raises many kinds; the law is then called back
        return None


def _agree(pointer, plain: UserPointer, t_end: float, drawn: float) -> bool:
    z = plain.law.start_states()
    rng = np.random.default_rng(0)
    size = abs(drawn) if drawn != 0 else 0.1
    none = (ctypes.c_double * 3)()
    for share in (0.0, 0.137, 0.5, 0.861, 1.0):
        x, rate = drawn + 0.2 * size * share * rng.normal(), size * share * rng.normal()
        states = z * (1 + 0.1 * rng.normal(size=len(z)))
        try:
            expected = _plain(plain.law, share * t_end, x, rate, states)
        except Exception:  # out of its range, which the run may never be
            continue
        arrays = [(ctypes.c_double * max(len(v), 1))(*v) for v in ([x], [rate], states)]
        out = (ctypes.c_double * (len(z) + 4))()
        pointer.ctypes(share * t_end, none, *arrays, none, out)
        atol = 1e-9 * float(np.abs(np.nan_to_num(expected)).max())
        if not np.allclose(out[: len(z) + 1], expected, rtol=1e-6, atol=atol, equal_nan=True):
            return False
    return True


class Replayed(UserLaw):
    """A user's law out of a file, which can't hold functions: it gives the forces of that run back, by time."""
