"""Users' functions of time compiled by numba if it is installed, for functions that can't be recorded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.time_laws import agrees, law_address

Fill = Callable[[float], tuple[float, float, float]]


def has_numba() -> bool:
    """Return whether numba is installed."""
    return importlib.util.find_spec("numba") is not None


def jitted(function: Callable, signature: tuple[str, ...] | None = ("float64",)):
    """Return the function compiled for arguments of these types, or without a signature at the first call."""
    import numba

    compiled = numba.njit(function, error_model="numpy")
    if signature is not None:
        compiled.compile(tuple(getattr(numba, name) for name in signature))
    return compiled


def compiled_law(make: Callable, fill: Fill, t_end: float) -> tuple[tuple[int, int] | None, Any]:
    """Return the pair of addresses of the compiled law that ``make`` returns, and an object that keeps them valid.

    (None, None) if numba is not installed, can't compile the law, or computes other values than Python.
    """
    if not has_numba():
        return None, None
    try:
        import numba

        inner = make()

        def law(t, out):
            values = numba.carray(out, 3)
            try:
                values[0], values[1], values[2] = inner(t)
            except Exception:  # an exception would be printed and forgotten
                values[0] = values[1] = values[2] = np.nan

        pointer = numba.cfunc(numba.void(numba.float64, numba.types.CPointer(numba.float64)))(law)
        pair = law_address("call_plain"), int(pointer.address or 0)
        return (pair, pointer) if agrees(pair, fill, t_end) else (None, None)
    except Exception:  # numba raises many kinds; the law is then called back
        return None, None
