"""Recorded functions and their exact derivatives, see ``tape.hpp``.

A tape (n, 3) has rows (operation, first argument, second argument), arguments being earlier rows; its constants are
(n,). :mod:`flexbody.functions.tracing` records them.
"""

from __future__ import annotations

import math

import numpy as np

from fem.common.compiled import function

#: operations; the first two have a constant and the number of an input in place of arguments
CONSTANT, INPUT, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, ARCTAN2 = range(8)
NEGATIVE, ABSOLUTE, SQRT, EXP, LOG, SIN, COS, TAN, ARCSIN, ARCCOS, ARCTAN, SINH, COSH, TANH = range(8, 22)

#: relations that a function compared while it was recorded
BELOW, AT_MOST, EQUAL = range(3)

_gradient = function(
    "flexbody_gradient", "indices", "input", "int", "input", "int", "input", "reals", "int", result=float
)
_along = function("flexbody_along", "indices", "input", "int", "input", "input", "input", "int", "reals")
_comparisons_hold = function(
    "flexbody_comparisons_hold", "indices", "input", "int", "input", "int", "indices", "int", result=bool
)
_unary = function("flexbody_unary", "int", "real", result=float)
_binary = function("flexbody_binary", "int", "real", "real", result=float)


def unary(op: int, x: float) -> float:
    """Return f(x) of an operation.

    Raises
    ------
    ArithmeticError
        The value or one of its first two derivatives is not finite.
    """
    value = _unary(op, x)
    if math.isnan(value):
        raise ArithmeticError(f"it is not smooth or not finite at {x:g}")
    return value


def binary(op: int, x: float, y: float) -> float:
    """Return f(x, y) of an operation, NaN if one of its first two derivatives is not finite."""
    return _binary(op, x, y)


def comparisons_hold(tape: np.ndarray, constants: np.ndarray, x: np.ndarray, comparisons: np.ndarray) -> bool:
    """Return whether all comparisons of a recorded function come out as they were recorded.

    Parameters
    ----------
    tape : numpy.ndarray
        Operations, (n, 3).
    constants : numpy.ndarray
        Constants, (n,).
    x : numpy.ndarray
        Inputs, (n,).
    comparisons : numpy.ndarray
        Rows (relation, a, b, outcome), (m, 4): a and b are rows of the tape.

    Returns
    -------
    bool
        False also where a compared value is not finite.
    """
    return _comparisons_hold(tape, constants, len(tape), x, len(x), comparisons, len(comparisons))


def gradient(
    tape: np.ndarray, constants: np.ndarray, x: np.ndarray, seeds: np.ndarray, out: np.ndarray
) -> float:
    """Return the value of the last row of a tape, and set ``out`` to its gradient.

    Parameters
    ----------
    tape : numpy.ndarray
        Operations, (n, 3).
    constants : numpy.ndarray
        Constants, (n,).
    x : numpy.ndarray
        Inputs, (n,).
    seeds : numpy.ndarray
        Derivatives of the inputs by the m variables, (n, m).
    out : numpy.ndarray
        Receives the gradient, (m,).

    Returns
    -------
    float
        The value.
    """
    return _gradient(tape, constants, len(tape), x, len(x), seeds, out, len(out))


def along(
    tape: np.ndarray, constants: np.ndarray, x: np.ndarray, first: np.ndarray, second: np.ndarray
) -> tuple[float, float, float]:
    """Return the value, first and second derivative of the last row of a tape along a path.

    Parameters
    ----------
    tape : numpy.ndarray
        Operations, (n, 3).
    constants : numpy.ndarray
        Constants, (n,).
    x, first, second : numpy.ndarray
        Inputs, and their first and second derivatives by the parameter of the path, (n,).

    Returns
    -------
    tuple of float
        Value, first and second derivative.
    """
    out = np.empty(3)
    _along(tape, constants, len(tape), x, first, second, len(x), out)
    f, d, e = out.tolist()
    return f, d, e
