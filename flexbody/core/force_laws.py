"""The built-in laws of force elements, as addresses for compiled code and as functions of arrays.

Each is a function ``law(t, u, x, rate, z, p, out)``:

- t: time, s;
- u (1,) or more: the input at t (a voltage, a pressure, a force);
- x, rate (m,): deformations of the element and their rates, one or six;
- z (nz,): states;
- p: parameters of the law;
- out (m + nz + 3,): forces F against growing deformations, the rates of the states, then stored energy U (J),
  dissipated and input power (W), with ``F . rate = dU/dt + dissipated - input``.

A law is found by its name. Its equation, its numbers p in their order, and its slope stand beside its code, in
``force_laws.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from fem.common.compiled import address, function, library

_piece = function("flexbody_piece", "input", "int", "real", "reals")
_sample = function("flexbody_sample_force_law", "int", "input", "int", "int", *("input",) * 4, "reals")


@cache
def law(name: str) -> Callable[..., None]:
    """Return the built-in law ``name`` as a function of arrays."""
    return function(f"flexbody_law_{name}", "real", *("input",) * 5, "reals")


@cache
def slope(name: str) -> Callable[..., None] | None:
    """Return the slope ``slope(u, x, rate, p, out)`` of a built-in law, None if it brings none: see the header."""
    if not hasattr(library(), f"flexbody_law_{name}_slope"):
        return None
    return function(f"flexbody_law_{name}_slope", *("input",) * 4, "reals")


def law_address(name: str) -> int:
    """Return the address of the built-in law ``name``, of type ForceLaw in law.hpp."""
    return address(f"flexbody_law_{name}")


def slope_address(name: str) -> int:
    """Return the address of the slope of the built-in law ``name``, 0 if it brings none."""
    return address(f"flexbody_law_{name}_slope") if slope(name) else 0


def piece(p, first: int, x: float) -> tuple[float, float]:
    """Return the value and integral at ``x`` of a function in cubic pieces.

    Parameters
    ----------
    p : array_like
        From ``first`` on: n, breaks (n,), coefficients (n + 1, 5). In piece i, from break i - 1 (the first piece
        belongs to the first break), the function is ``a + b s + c s^2 + d s^3`` with s = x - break; the fifth
        coefficient is the integral up to the break.
    first : int
        Offset of the function in ``p``.
    x : float
        Argument.

    Returns
    -------
    tuple of float
        Value and integral.
    """
    out = np.empty(2)
    _piece(p, first, x, out)
    return float(out[0]), float(out[1])


def samples(
    address: int, p: Sequence[float], x: np.ndarray, z: np.ndarray, size: int, times: np.ndarray
) -> np.ndarray:
    """Return the results of a law without an input over time, for deformations (m,) and states (nz,) at rest.

    Parameters
    ----------
    address : int
        The law.
    p : sequence of float
        Its numbers.
    x, z : numpy.ndarray
        Deformations and states.
    size : int
        Number of results, m + nz + 3.
    times : numpy.ndarray
        Times (n,), s.

    Returns
    -------
    numpy.ndarray
        Results, (n, size).
    """
    count = len(times)
    out = np.empty((count, size))
    given = [*x, 0.0], np.zeros(len(x) + 1), [*z, 0.0], [*p, 0.0]
    _sample(address, np.ascontiguousarray(times), count, size, *given, out)
    return out
