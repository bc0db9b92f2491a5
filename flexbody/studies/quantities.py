"""The quantities of a study: numbers that each variant gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fem.common.errors import InputError, called
from fem.common.numbers import floats

from ..results.record import Record
from ..results.tables import Quantity, quantity
from .said import said

#: what the last letters of the labels of a vector's components are
AXES = ("x", "y", "z")


def value_of(result: Any, wanted: Any) -> np.ndarray:
    """Return the number, or array, that a result gives for a quantity.

    Parameters
    ----------
    result : Result or object
        What the analysis has returned.
    wanted : callable, str, tuple or object
        A function of the result; or a quantity as in :meth:`flexbody.Result.table`, whose largest magnitude over time
        is taken, of a vector its length.

    Raises
    ------
    fem.InputError
        The function gives anything but finite numbers, or the result has no such quantity.
    """
    if not callable(wanted):
        return np.asarray(_largest(columns_of(result, wanted)))
    given = wanted(result)
    found = floats(given)
    if found is None or not np.isfinite(found).all():
        raise InputError(f"the function returns {called(given)}, which is not made of finite numbers")
    return found


def unit_of(result: Any, wanted: Any) -> str:
    """Return the unit of a named quantity; "" of a function."""
    return "" if callable(wanted) else columns_of(result, wanted).unit


def columns_of(result: Any, wanted: Any) -> Quantity:
    """Return a named quantity over time; raise InputError unless it is one number or one vector at each time."""
    if not isinstance(result, Record):
        raise InputError(
            f"{called(wanted)} names a quantity of a run, and the analysis returns {called(result)}; give a function "
            "of it"
        )
    found = quantity(result, wanted)
    n = len(found.columns)
    vector = tuple(label[-1:] for label in found.columns) == AXES
    if n != 1 and not vector:
        raise InputError(
            f"{called(wanted)} has {n} columns ({', '.join(found.columns)}); give a function that returns what you "
            "mean, or an array"
        )
    return found


def _largest(found: Quantity) -> float:
    """Return the largest magnitude over time; of three components their length."""
    return float(np.sqrt(np.sum(np.square(list(found.columns.values())), axis=0)).max())


def all_values(result: Any, wanted: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Return all quantities by name; an error names the quantity."""
    found = {}
    for name, one in wanted.items():
        try:
            found[name] = value_of(result, one)
        except Exception as error:
            raise InputError(f"quantity {name!r}: {said(error)}") from error
    return found
