"""The built-in laws of time, see ``time_laws.cpp``.

A law is a pair: the address of a function ``law(t, context, out)`` and of its context. Whoever uses the pair keeps
what lies at the context.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from fem.common.compiled import address
from fem.common.structures import Ints2, Reals1, Structure


class CalledBack(Structure):
    """A user's function that is called back, for times from 0 to t_end. It leaves its results in an array of doubles.

    derivatives = 0: ``void function(double t)`` leaves the three numbers of the law. 1, 2: so many of the three are
    found by differences; ``void function(double t, double t0, ..., double t4)`` leaves those that are not, at t, and
    the last of them at the five times, which lie ``step`` apart.
    """

    function: int  # its address
    numbers: int  # the address of the doubles
    t_end: float  # s
    step: float  # s
    derivatives: int


class ScalarFunction(Structure):
    """A user's C function ``double function(double t)``, for times from 0 to t_end."""

    function: int  # its address
    t_end: float  # s


class RecordedLaw(Structure):
    """A recorded function of time, from 0 to t_end; see :mod:`flexbody.core.tape`."""

    operations: Ints2  # (*, 3)
    constants: Reals1  # (*,)
    t_end: float  # s
    derivatives: int  # 1: value, rate, acceleration; 0: value, 0, 0


class RecordedLoad(Structure):
    """Three recorded functions of time: the components of a load."""

    x: Ints2  # (*, 3) operations
    x_constants: Reals1  # (*,)
    y: Ints2
    y_constants: Reals1
    z: Ints2
    z_constants: Reals1
    t_end: float  # s


def law_address(name: str) -> int:
    """Return the address of a built-in law by its name.

    name : the contexts are in brackets. ``call_plain`` (the address of a user's ``void law(double t, double out[3])``),
    ``call_back`` (:class:`CalledBack`), ``call_scalar`` (:class:`ScalarFunction`), ``read_numbers`` (the address of
    three doubles that are set from outside), ``recorded_law`` (:class:`RecordedLaw`), ``recorded_load``
    (:class:`RecordedLoad`).
    """
    return address(f"flexbody_{name}")


def agrees(pair: tuple[int, int], fill: Callable[[float], tuple[float, float, float]], t_end: float) -> bool:
    """Whether a compiled law gives what the plain function does at some times."""
    for share in (0.0, 0.137, 0.5, 0.861, 1.0):
        try:
            expected = fill(share * t_end)
        except Exception:
            return False
        found, size = call(pair, share * t_end), 1e-9 * float(np.abs(np.nan_to_num(expected)).max())
        if not np.allclose(found, expected, rtol=1e-6, atol=size, equal_nan=True):
            return False
    return True


_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))


def call(pair: tuple[int, int], t: float) -> tuple[float, float, float]:
    """Return what a compiled law gives at time ``t``."""
    out = (ctypes.c_double * 3)()
    _LAW(pair[0])(t, pair[1], out)
    return out[0], out[1], out[2]
