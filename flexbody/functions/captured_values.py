"""What a user's plain function reads from outside: its variables, and their numbers.

The numbers are stored where the function is recorded, so that later changes are reported.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from functools import partial
from types import CellType, FunctionType
from typing import Any

import numpy as np


def is_plain(function: Any) -> bool:
    """Return whether an object is a function of ``def`` or ``lambda``; other objects may depend on anything.

    The object itself isn't asked: a weak proxy fails if what it stands for is gone.
    """
    return type(function) is FunctionType


def global_names(function: Any) -> list[str]:
    """Return the names of the variables that a plain function reads from its module."""
    loaded = {i.argval for i in dis.get_instructions(function) if i.opname == "LOAD_GLOBAL"}
    return sorted(loaded & function.__globals__.keys())


def content(cell: CellType) -> Any:
    """Return the value of a variable of an enclosing function; None if it has none."""
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None


def variables(function: Any) -> list[tuple[str, Callable[[], Any]]]:
    """Return the variables that a plain function reads from its module and from enclosing functions.

    Each variable is its name and a function that returns its present value.
    """
    scope = function.__globals__
    found: list[tuple[str, Callable[[], Any]]] = [
        (name, partial(scope.get, name)) for name in global_names(function)
    ]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return found + [(name, partial(content, cell)) for name, cell in cells]


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
        if issubclass(type(value), int | float | np.generic):
            yield name, read, value
        else:
            yield from _numbers(value, (*seen, function))
