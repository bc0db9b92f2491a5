"""Calls of functions that users give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import InputError
from .numbers import floats


def floats_of(function: Callable[..., Any], *arguments: Any, what: str) -> np.ndarray | None:
    """Return what a user's function returns as an array of floats, None if it holds anything but numbers.

    Raises :class:`InputError` that names ``what`` if the function fails.
    """
    try:
        return floats(function(*arguments))
    except Exception as error:
        raise InputError(f"the function {what} fails: {type(error).__name__}: {error}") from error


def values_at(
    function: Callable[..., Any], places: np.ndarray, shape: tuple[int, ...], *, what: str, values: str
) -> np.ndarray:
    """Return the values (n, *shape) of a user's function at places (n, 3).

    Raises :class:`InputError` that names the argument ``what`` and its ``values``, such as "stresses", if the function
    fails or returns anything but finite numbers of this shape.
    """
    found, wanted = floats_of(function, places, what=what), (len(places), *shape)
    if found is None or found.shape != wanted or not np.isfinite(found).all():
        given = "something else" if found is None else f"an array {found.shape}"
        given += " that is not finite" * (found is not None and found.shape == wanted)
        raise InputError(f"{what} must return finite {values} {wanted} for as many places, not {given}")
    return found
