"""The built-in laws of time, see ``time_laws.cpp``.

A law is a pair: the address of a function ``law(t, context, out)`` and the address of its context. The user of the pair
keeps the context in memory.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from fem.common.compiled import address, function
from fem.common.structures import Ints2, Reals1, Structure


class CalledBack(Structure):
    """A user's function that is called back, for times from 0 to t_end; it writes its results to an array of doubles.

    Notes
    -----
    With ``derivatives`` = 0, ``void function(double t)`` writes the three numbers of the law. With 1 or 2, so many of
    the three numbers are found by differences: ``void function(double t, double t0, ..., double t4)`` writes the
    others at t, and the last of them at the five times, which lie between the same corners as t.
    """

    function: int  # its address
    numbers: int  # the address of the doubles
    t_end: float  # s
    derivatives: int
    corners: Reals1  # (n,) times at which derivatives jump, s
    steps: Reals1  # (n + 1,) interval of the five times in each part between corners, s


class LawWithCorners(Structure):
    """A law of a function with corners, which is then called for times beside them."""

    law: int  # its address
    context: int  # and that of its context
    corners: Reals1  # (*,) s
    begin: float  # s, before which the law has the value there: it jumps as it begins


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
    """Return the address of a built-in law.

    Parameters
    ----------
    name : str
        One of, with its context: ``call_plain`` (the address of a user's ``void law(double t, double out[3])``),
        ``call_back`` (:class:`CalledBack`), ``call_scalar`` (:class:`ScalarFunction`), ``read_numbers`` (the address of
        three doubles that are set from outside), ``recorded_law`` (:class:`RecordedLaw`), ``recorded_load``
        (:class:`RecordedLoad`), ``law_with_corners`` (:class:`LawWithCorners`).

    Returns
    -------
    int
        The address.
    """
    return address(f"flexbody_{name}")


def agrees(pair: tuple[int, int], fill: Callable[[float], tuple[float, float, float]], t_end: float) -> bool:
    """Return whether a compiled law and the plain function have the same values at some times."""
    for share in (0.0, 0.137, 0.5, 0.861, 1.0):
        try:
            expected = fill(share * t_end)
        except Exception:
            return False
        found, size = call(pair, share * t_end), 1e-9 * float(np.abs(np.nan_to_num(expected)).max())
        if not np.allclose(found, expected, rtol=1e-6, atol=size, equal_nan=True):
            return False
    return True


_sample_time_law = function("flexbody_sample_time_law", "int", "int", "input", "int", "reals")


def samples(pair: tuple[int, int], times: np.ndarray) -> np.ndarray:
    """Return the numbers of a law at ``times`` (n,), s: (n, 3)."""
    out = np.empty((len(times), 3))
    _sample_time_law(*pair, np.ascontiguousarray(times, dtype=float), len(times), out)
    return out


_LAW = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.POINTER(ctypes.c_double))


def call(pair: tuple[int, int], t: float) -> tuple[float, float, float]:
    """Return the three numbers of a compiled law at time ``t`` (s)."""
    out = (ctypes.c_double * 3)()
    _LAW(pair[0])(t, pair[1], out)
    return out[0], out[1], out[2]
