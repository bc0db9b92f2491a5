"""Numbers that a user's recorded function reads from outside: they are stored, and later changes are reported."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np


class Captured:
    """The numbers that plain functions read from their module and from enclosing functions, with their values."""

    def __init__(self, *functions: Any) -> None:
        self._numbers = [item for function in functions for item in _numbers(function, ())]

    def change(self) -> str:
        """Return a description of a number that has changed, or an empty string."""
        for name, place, key, value in self._numbers:
            now = _read(place, key)
            if now is not value and now != value:
                return f"'{name}', which was {value!r} when the machine was laid out and is {now!r} now"
        return ""


def _read(place: Any, key: str) -> Any:
    """Return a global variable of a module, or the content of a closure cell."""
    if isinstance(place, dict):
        return place.get(key)
    try:
        return place.cell_contents
    except ValueError:  # an empty cell
        return None


def _numbers(function: Any, seen: tuple) -> Iterator[tuple[str, Any, str, Any]]:
    """Yield name, place, key and value of each number that a function, or a function that it calls, reads."""
    if not isinstance(function, FunctionType) or function in seen:
        return
    names = {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}
    places: list[tuple[str, Any]] = [
        (name, function.__globals__) for name in sorted(names) if name in function.__globals__
    ]
    places += list(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, place in places:
        value = _read(place, name)
        if isinstance(value, int | float | np.generic):
            yield name, place, name, value
        else:
            yield from _numbers(value, (*seen, function))
