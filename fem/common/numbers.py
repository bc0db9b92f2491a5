"""Conversion and checks of the numbers that a user gives."""

from __future__ import annotations

import operator
from numbers import Integral, Real
from reprlib import Repr
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError

#: Above it lies no quantity in SI units, and below its inverse none that is positive by nature. Powers and products of
#: a few such numbers can still be computed.
LARGEST = 1e60

_PLAIN = (float, str)
_COUNTS = {2: "two", 3: "three", 4: "four", 6: "six"}
_short = Repr()
_short.maxother = _short.maxstring = 60


def numbers(value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    """Return ``value`` as a new float array of this shape; InputError if it does not hold finite numbers.

    ``what`` names it in the message, e.g. "the force of 'tip'". Text, None, booleans and complex numbers are not
    accepted.
    """
    array = floats(value)
    if array is None or array.shape != shape or not (np.abs(array) <= LARGEST).all():
        raise InputError(f"{what} must be {_words(shape)}, not {shown(value)}")
    return array


def is_number(value: Any) -> bool:
    """Return whether ``value`` is one finite real number, of Python or numpy, and not a boolean."""
    array = floats(value)
    return array is not None and array.shape == () and abs(float(array)) <= LARGEST


def number(value: Any, what: str) -> float:
    """Return ``value`` as a float; InputError if it is not one finite number."""
    return float(numbers(value, (), what))


def as_float(value: Real) -> Real | float:
    """Return a fraction, or an integer of more than 64 bits, as a float; any other real number as it is."""
    if isinstance(value, float | np.generic) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    try:
        return float(value)
    except OverflowError:  # above all floats
        return value


def as_floats(value: Any, depth: int = 3) -> Any:
    """Return a number as :func:`as_float` does, also in lists, tuples and arrays; anything else as it is."""
    if isinstance(value, np.ndarray):
        array = floats(value) if value.dtype == object else None
        return value if array is None else array
    if type(value) not in (list, tuple):
        return as_float(value) if isinstance(value, Real) else value
    if depth == 0 or all(type(x) in _PLAIN for x in value):
        return value
    found = [as_floats(x, depth - 1) for x in value]
    return value if all(map(operator.is_, found, value)) else type(value)(found)


def shown(value: Any) -> str:
    """Return a value for a message: a number in short form, anything else as its shortened repr."""
    return f"{float(value):g}" if _is_real(value) and floats(value) is not None else _short.repr(value)


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def floats(value: Any) -> np.ndarray | None:
    """Return ``value`` as a new array of floats, finite or not; None if it holds anything but numbers."""
    try:
        raw = np.asarray(value)
        if raw.dtype == object and not all(map(_is_real, raw.ravel())):
            return None
        return np.array(raw, dtype=float) if raw.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def _words(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a finite number"
    if len(shape) == 1:
        return f"{_COUNTS.get(shape[0], shape[0])} finite numbers"
    return " x ".join(map(str, shape)) + " finite numbers"


def vector(value: ArrayLike, what: str) -> np.ndarray:
    """Return three finite numbers as an array.

    Parameters
    ----------
    value : array_like
        The numbers.
    what : str
        Their name in the message of an error.

    Returns
    -------
    numpy.ndarray
        The numbers, (3,).

    Raises
    ------
    fem.InputError
        The value is not three finite numbers.
    """
    array = floats(value)
    if array is None:
        raise InputError(f"{what} must be three numbers, not {value!r}")
    if array.shape != (3,) or not all(abs(number) <= LARGEST for number in array.tolist()):
        raise InputError(f"{what} must be three finite numbers, not {value!r}")
    return array


def vector_problems(value: ArrayLike, what: str) -> list[str]:
    """Return as sentences why a value is not a vector of three numbers."""
    try:
        vector(value, what)
    except InputError as error:
        return [str(error)]
    return []


def is_integer(value: Any) -> bool:
    """Return whether a value is an integer, of Python or numpy, and not a boolean."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Return whether a value is an integer of at least one."""
    return is_integer(value) and bool(value >= 1)
