"""Short representations of objects that hold long tables and arrays."""

from __future__ import annotations

import reprlib
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

#: arrays with more numbers are represented by their shape and range
SHOWN_NUMBERS = 6
#: characters of a field's value, without numbers, lists and mappings
SHOWN_CHARACTERS = 160


def short_repr(thing: Any) -> str:
    """Return the class and the fields of a dataclass that differ from their defaults, long values shortened.

    A class takes it as its method: ``__repr__ = short_repr``.
    """
    shown = [
        f"{field.name}={SHORT.repr(getattr(thing, field.name))}"
        for field in fields(thing)
        if field.repr and not _is_default(getattr(thing, field.name), field.default)
    ]
    return f"{type(thing).__name__}({', '.join(shown)})"


def in_words(thing: Any) -> str:
    """Return what :func:`short_repr` shows as words of a report: ``Isotropic: E = 2.1e+11, nu = 0.3, rho = 7850``."""
    if is_dataclass(thing):
        shown = [
            f"{field.name} = {_value(getattr(thing, field.name))}"
            for field in fields(thing)
            if field.repr and not _is_default(getattr(thing, field.name), field.default)
        ]
        return type(thing).__name__ + f": {', '.join(shown)}" * bool(shown)
    if isinstance(thing, dict):
        return "; ".join(f"{name!r}: {in_words(value)}" for name, value in thing.items())
    if isinstance(thing, list | tuple):
        return "; ".join(in_words(one) for one in thing)
    return SHORT.repr(thing)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and any(map(is_dataclass, value)):
        kinds = ", ".join(dict.fromkeys(type(one).__name__ for one in value))
        return f"{len(value)} of {kinds}"
    return f"({in_words(value)})" if is_dataclass(value) else SHORT.repr(value)


def _is_default(value: Any, default: Any) -> bool:
    """Return whether a value is that of its field; arrays are not compared."""
    return value is default or (type(value) is type(default) and bool(np.all(value == default)))


def numbers_in(values: Any) -> str:
    """Return the numbers of an array, or its shape and range where there are many."""
    array = np.asarray(values)
    if array.size <= SHOWN_NUMBERS:
        return np.array2string(array, separator=", ", precision=6).replace("\n", "")
    shape = " x ".join(map(str, array.shape))
    return f"<{shape} numbers from {array.min():.6g} to {array.max():.6g}>"


class _Short(reprlib.Repr):
    """Representations of values by their type, see :mod:`reprlib`."""

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxstring = SHOWN_CHARACTERS
        self.maxlist = self.maxtuple = self.maxdict = SHOWN_NUMBERS

    def repr_ndarray(self, array: np.ndarray, level: int) -> str:
        """Return an array's numbers, or its shape and range."""
        return numbers_in(array) if array.dtype.kind in "iuf" else f"<{array.size} entries>"

    def repr_float(self, number: float, level: int) -> str:
        """Return a number without digits of round-off."""
        return f"{number:.6g}"

    repr_float64 = repr_float  # NumPy's, whose name reprlib looks for


SHORT = _Short()
