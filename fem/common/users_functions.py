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
