"""Plain Python functions, whose code shows which variables they read from outside."""

from __future__ import annotations

import dis
from collections.abc import Callable
from functools import partial
from types import CellType, FunctionType
from typing import Any


def is_plain(function: Any) -> bool:
    """Return whether an object is a function of ``def`` or ``lambda``; other objects may depend on anything."""
    return isinstance(function, FunctionType)


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
