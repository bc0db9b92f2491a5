"""A user's functions of time as function pointers of one fixed signature.

``void law(double t, double out[3])``: a law is compiled by itself and called through its address, so that a new
law never recompiles the time loop. A function that can't be compiled is called back; its exception is kept and
raised again by the program that runs the loop.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numba
import numpy as np
from numba import types

from fem.common.errors import InputError

_SIGNATURE = types.void(types.float64, types.CPointer(types.float64))
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.POINTER(ctypes.c_double))


class Law:
    """A function of time behind an address. Keep the object as long as the address is in use.

    fill : a plain function ``fill(t) -> (a, b, c)``; compiled is tried first where ``parts`` (functions that numba
    can compile) are given. what : names the law in errors.
    """

    def __init__(self, fill: Callable[[float], tuple[float, float, float]], what: str, compiled=None):
        self.error: BaseException | None = None
        self.what = what
        self.compiled = compiled is not None
        if compiled is not None:
            self._keep = compiled
            self.address = int(compiled.address)
            return

        def called(t: float, out) -> None:
            try:
                out[0], out[1], out[2] = fill(t)
            except BaseException as error:  # a ctypes callback would swallow it
                self.error = self.error or error
                out[0] = out[1] = out[2] = math.nan

        self._keep = _CALLBACK(called)
        self.address = ctypes.cast(self._keep, ctypes.c_void_p).value or 0


def differences(function: Callable, t: float, step: float) -> tuple[float, float]:
    """First and second derivative of ``function`` at ``t`` by five-point central differences, O(step^4)."""
    low2, low, mid, high, high2 = (float(function(t + k * step)) for k in (-2, -1, 0, 1, 2))
    first = (low2 - 8 * low + 8 * high - high2) / (12 * step)
    second = (-low2 + 16 * low - 30 * mid + 16 * high - high2) / (12 * step * step)
    return first, second


def drive_law(
    value: Callable, rate: Callable | None, acceleration: Callable | None, step: float, what: str
) -> Law:
    """Return the law (value, rate, acceleration) of a drive; missing derivatives by differences with ``step`` (s)."""

    def fill(t: float) -> tuple[float, float, float]:
        v = float(value(t))
        if rate is not None and acceleration is not None:
            return v, float(rate(t)), float(acceleration(t))
        if rate is not None:
            return v, float(rate(t)), differences(rate, t, step)[0]
        first, second = differences(value, t, 16 * step)
        return v, first, second

    check(fill, what)
    return Law(fill, what, _compiled_drive(value, rate, acceleration, step))


def load_law(function: Callable, what: str) -> Law:
    """Return the law of a load: three components as a function of time."""

    def fill(t: float) -> tuple[float, float, float]:
        a, b, c = function(t)
        return float(a), float(b), float(c)

    check(fill, what)
    return Law(fill, what, _compiled_load(function))


def scalar_law(function: Callable, what: str) -> Law:
    """Return the law of a scalar, such as an actuator's force."""

    def fill(t: float) -> tuple[float, float, float]:
        return float(function(t)), 0.0, 0.0

    check(fill, what)
    return Law(fill, what, _compiled_load(lambda t: (function(t), 0.0, 0.0), function))


def check(fill: Callable, what: str) -> None:
    """Call the law once at t = 0; an exception or a value that is not finite becomes an :class:`InputError`."""
    try:
        values = fill(0.0)
    except Exception as error:
        raise InputError(
            f"{what}: the function fails at t = 0 with {type(error).__name__}: {error}"
        ) from error
    if not np.isfinite(values).all():
        raise InputError(f"{what}: the function gives {values} at t = 0")


def _jitted(function: Callable):
    compiled = numba.njit(function, error_model="numpy")
    compiled.compile((types.float64,))
    return compiled


def _compiled_drive(value, rate, acceleration, step):
    """Return a compiled drive law, or None where numba can't compile one of the functions."""
    try:
        f = _jitted(value)
        g = _jitted(rate) if rate is not None else None
        h = _jitted(acceleration) if acceleration is not None else None
        wide = 16 * step
        if g is not None and h is not None:

            def fill(t, out):
                out[0], out[1], out[2] = f(t), g(t), h(t)
        elif g is not None:

            def fill(t, out):
                out[0], out[1] = f(t), g(t)
                out[2] = (g(t - 2 * step) - 8 * g(t - step) + 8 * g(t + step) - g(t + 2 * step)) / (12 * step)
        else:

            def fill(t, out):
                a, b, c, d, e = f(t - 2 * wide), f(t - wide), f(t), f(t + wide), f(t + 2 * wide)
                out[0], out[1] = c, (a - 8 * b + 8 * d - e) / (12 * wide)
                out[2] = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * wide * wide)

        return _pointer(fill)
    except Exception:  # numba raises many kinds; the law is then called back
        return None


def _compiled_load(function, scalar=None):
    try:
        if scalar is not None:
            f = _jitted(scalar)

            def fill(t, out):
                out[0] = f(t)
        else:
            f = _jitted(function)

            def fill(t, out):
                r = f(t)
                out[0], out[1], out[2] = r[0], r[1], r[2]

        return _pointer(fill)
    except Exception:
        return None


def _pointer(fill):
    inner = numba.njit(fill, error_model="numpy")

    def law(t, out):
        inner(t, numba.carray(out, 3))

    return numba.cfunc(_SIGNATURE)(law)
