"""Names and sequences that a user gives: one of them, or several."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .errors import InputError, called


def as_names(given: Any) -> tuple[str, ...]:
    """Return one name or several as a tuple of names; InputError for other values."""
    names = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{called(name)} is not a name; give one as text, or several in a list")
    return names


def as_list(given: Any) -> list[Any]:
    """Return one object or a sequence of them as a list."""
    return list(given) if isinstance(given, Sequence) else [given]
