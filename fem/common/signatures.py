"""Calls that don't fit the signature of what is called: argument names that don't exist, or are missing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Self

from .errors import listing
from .names import with_match

_IN_ORDER = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def misfit(target: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return in words why a call doesn't fit a signature; "" if it does.

    Parameters
    ----------
    target : callable
        The function or class.
    args, kwargs : sequence, dict
        The arguments by position and by name.
    """
    signature = inspect.signature(target)
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        pass
    else:
        return ""
    known = [p for p in signature.parameters.values() if p.name != "self"]
    names = [p.name for p in known]
    if unknown := [name for name in kwargs if name not in names]:
        return f"there is no argument {with_match(unknown, names)}; there are {', '.join(names)}"
    in_order = [p.name for p in known if p.kind in _IN_ORDER]
    given = args[len(signature.parameters) - len(known) :]
    if len(given) > len(in_order):
        by_name = [name for name in names if name not in in_order]
        allowed = f"and only {', '.join(in_order)} may be" if in_order else "which none may be"
        return (
            f"{len(given)} arguments are given by position, {allowed}; "
            f"give the others by name: {', '.join(f'{name}=' for name in by_name)}"
        )
    first = in_order[: len(given)]
    if twice := [name for name in first if name in kwargs]:
        return f"{listing(twice)} is given by position and by name"
    missing = [p.name for p in known if p.default is p.empty and p.name not in {*first, *kwargs}]
    return f"{listing(missing)} must be given"


@cache
def _needed(cls: type) -> frozenset[str]:
    """Return the names of the fields of a dataclass that have no default; none of any other class."""
    own = fields(cls) if is_dataclass(cls) else ()
    return frozenset(f.name for f in own if f.init and f.default is MISSING and f.default_factory is MISSING)


class Described:
    """Base of descriptions, which are dataclasses: a call with wrong or missing names is refused with their names."""

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Return the object, whose fields ``__init__`` sets."""
        known, in_order = getattr(cls, "__dataclass_fields__", {}), getattr(cls, "__match_args__", ())
        suspect = not kwargs.keys() <= known.keys() or len(args) > len(in_order)
        if args or kwargs:  # copies are made without arguments
            suspect |= not _needed(cls) <= {*in_order[: len(args)], *kwargs}  # type: ignore[arg-type]
        if suspect and (why := misfit(cls, args, kwargs)):
            raise TypeError(f"{cls.__name__}: {why}")
        return super().__new__(cls)
