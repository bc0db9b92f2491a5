"""Numbers that a user's recorded function reads from outside: they are stored, and later changes are reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .plain_functions import is_plain, variables


class Captured:
    """The numbers that plain functions read from their module and from enclosing functions, with their values."""

    def __init__(self, *functions: Any) -> None:
        self._numbers = [item for function in functions for item in _numbers(function, ())]

    def change(self) -> str:
        """Return a description of a number that has changed, or an empty string."""
        for name, read, value in self._numbers:
            now = read()
            if now is not value and now != value:
                return f"'{name}', which was {value!r} when the machine was compiled and is {now!r} now"
        return ""


def _numbers(function: Any, seen: tuple) -> Iterator[tuple[str, Callable[[], Any], Any]]:
    """Yield each number that a plain function, or one that it calls, reads: its name, a reader, and its value."""
    if not is_plain(function) or function in seen:
        return
    for name, read in variables(function):
        value = read()
        if isinstance(value, int | float | np.generic):
            yield name, read, value
        else:
            yield from _numbers(value, (*seen, function))
