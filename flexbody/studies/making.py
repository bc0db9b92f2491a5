"""How a study makes a machine from the values of its parameters: by a function, or by replaced fields of a machine."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match

from ..model.system import System

#: lists of a system whose entries have names
LISTS = ("bodies", "joints", "forces")


@dataclass(frozen=True)
class ByFunction:
    """Machines of a user's function of the parameters, and of the bodies that are made once.

    Parameters that only bodies need (``left_out``) are not given to it.
    """

    function: Callable[..., Any]
    left_out: frozenset[str]

    def problems(self, names: Collection[str]) -> Iterator[str]:
        """Yield as sentences which of the names the function doesn't take, and which others it needs."""
        yield from misfits(self.function, "build", [name for name in names if name not in self.left_out])

    def machine(self, values: Mapping[str, Any]) -> Any:
        """Return the machine of these values by name."""
        return self.function(**{name: value for name, value in values.items() if name not in self.left_out})


@dataclass(frozen=True)
class ByReplacement:
    """Machines with other values in fields of a given one; a parameter is a path such as "slider.mass"."""

    system: System

    def problems(self, names: Collection[str]) -> Iterator[str]:
        """Yield as sentences which paths lead nowhere."""
        for name in names:
            try:
                self._owner(name)
            except InputError as error:
                yield str(error)

    def machine(self, values: Mapping[str, Any]) -> System:
        """Return the machine with these values by path."""
        system = self.system
        for path, value in values.items():
            system = _with(system, path, value)
        return system

    def _owner(self, path: str) -> None:
        """Raise InputError if a path leads to nothing in the machine."""
        start, rest = _start(self.system, path)
        if not rest:
            raise InputError(
                f"parameter {path!r} names a part, not one of its fields; {_fields(start, path)}"
            )
        _reach(start, rest, path)


def misfits(function: Callable[..., Any], what: str, names: Collection[str]) -> Iterator[str]:
    """Yield as sentences which arguments a function doesn't take, and which others it needs."""
    parameters = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    takes = [p.name for p in parameters if p.kind in kinds]
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters)
    title = getattr(function, "__name__", type(function).__name__)
    unknown = [name for name in names if name not in takes and not open_ended]
    if unknown:
        yield f"{what} '{title}' has no parameter {with_match(unknown, takes)}; it has {listing(takes)}"
    if missing := [
        p.name for p in parameters if p.name in takes and p.default is p.empty and p.name not in names
    ]:
        yield f"{what} '{title}' needs a value of {listing(missing)}, which no variant gives"


def _start(system: System, path: str) -> tuple[Any, Sequence[str]]:
    """Return the part of a machine that a path begins with, and the rest of the path; the machine itself otherwise."""
    parts = {item.name: item for what in LISTS for item in getattr(system, what)}
    named = [name for name in parts if path == name or path.startswith(f"{name}.")]
    if not named:
        first = path.split(".")[0]
        if first != "gravity":
            raise InputError(
                f"parameter {with_match(path, [*parts, 'gravity'])} "
                f"begins with no part of the machine; it has {listing([*parts, 'gravity'], None)}"
            )
        return system, path.split(".")
    name = max(named, key=len)
    rest = path[len(name) + 1 :]
    return parts[name], rest.split(".") if rest else []


def _fields(thing: Any, path: str) -> str:
    if is_dataclass(thing):
        return f"{called(thing)} has {listing([f.name for f in fields(thing) if f.init and f.name != 'name'], None)}"
    if isinstance(thing, np.ndarray | list | tuple):
        return f"it has the entries 0 to {len(thing) - 1}"
    return f"{called(thing)} has no fields"


def _reach(thing: Any, rest: Sequence[str], path: str) -> None:
    """Raise InputError if the rest of a path leads to nothing in a part."""
    for step in rest:
        if is_dataclass(thing) and step in {f.name for f in fields(thing) if f.init}:
            thing = getattr(thing, step)
        elif isinstance(thing, np.ndarray | list | tuple) and step.isdecimal() and int(step) < len(thing):
            thing = thing[int(step)]
        else:
            raise InputError(f"parameter {path!r}: there is no '{step}'; {_fields(thing, path)}")


def _with(system: System, path: str, value: Any) -> System:
    """Return a machine with another value at a path."""
    start, rest = _start(system, path)
    changed = _replaced(start, rest, value)
    if start is system:
        return changed
    lists: dict[str, Any] = {
        what: [changed if item is start else item for item in getattr(system, what)]
        for what in LISTS
        if any(item is start for item in getattr(system, what))
    }
    return replace(system, **lists)


def _replaced(thing: Any, rest: Sequence[str], value: Any) -> Any:
    """Return a part with another value at the rest of a path."""
    if not rest:
        return value
    step, *further = rest
    if is_dataclass(thing) and not isinstance(thing, type):
        return replace(thing, **{step: _replaced(getattr(thing, step), further, value)})
    entries = list(thing)
    entries[int(step)] = _replaced(entries[int(step)], further, value)
    return tuple(entries)


def maker_of(build: Any, bodies: Mapping[str, Callable[..., Any]]) -> ByFunction | ByReplacement:
    """Return how machines are made from what a user gives; ``bodies`` are functions of parameters."""
    if isinstance(build, System):
        return ByReplacement(build)
    of_bodies = {
        name for body in bodies.values() if callable(body) for name in inspect.signature(body).parameters
    }
    parameters = inspect.signature(build).parameters.values()
    open_ended = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return ByFunction(build, frozenset(of_bodies - {p.name for p in parameters} if not open_ended else ()))
