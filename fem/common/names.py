"""Names and sequences that a user gives: one of them, or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def as_names(given: Any) -> tuple[str, ...]:
    """Return one name or several as a tuple of names."""
    return (given,) if isinstance(given, str) else tuple(given)


def as_list(given: Any) -> list[Any]:
    """Return one object or a sequence of them as a list."""
    return list(given) if isinstance(given, Sequence) else [given]
