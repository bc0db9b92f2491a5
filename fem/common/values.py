"""Values that users give: which of them a rule takes, and the words for them in a message."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .numbers import LARGEST, floats, is_integer, shown


@dataclass(frozen=True)
class Fault:
    """What is wrong in a value: at ``place`` ("[2]", "" for all of it) stands ``value``, where ``words`` belong."""

    place: str
    words: str
    value: Any

    def about(self, name: str) -> str:
        """Return the sentence about an argument."""
        return f"{name}{self.place} must be {self.words}, not {shown(self.value)}"


@dataclass(frozen=True)
class Rule:
    """Which values an annotation takes.

    Attributes
    ----------
    one, many : str
        The words for one such value, and for several.
    takes : callable
        Whether a value is one.
    inside : callable, optional
        Yields what is wrong with the parts of a value that is one.
    """

    one: str
    many: str
    takes: Callable[[Any], bool]
    inside: Callable[[Any], Iterator[Fault]] | None = None

    def fault(self, value: Any) -> Fault | None:
        """Return what is wrong with a value, None if nothing is."""
        if not self.takes(value):
            return Fault("", self.one, value)
        return next(self.inside(value), None) if self.inside is not None else None


class Array:
    """Stands for ``ArrayLike`` in annotations: a union of numpy's that takes text and complex numbers too."""


def in_range(least: float, most: float = LARGEST, infinite: bool = False) -> Callable[[Any], bool]:
    """Return the function that tells whether a value is one real number in a range, of Python or numpy."""

    def takes(value: Any) -> bool:
        if type(value) is not float:
            array = floats(value)
            if array is None or array.shape:
                return False
            value = float(array)
        return least <= value <= most or (infinite and value in (np.inf, -np.inf))

    return takes


def _is_array(value: Any) -> bool:
    array = value if isinstance(value, np.ndarray) and value.dtype.kind in "iuf" else floats(value)
    return array is not None and bool((np.abs(array) <= LARGEST).all())


def _is_integer(value: Any) -> bool:
    if isinstance(value, np.ndarray) and not value.shape:
        value = value[()]
    return is_integer(value) and abs(int(value)) < 2**63


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_path(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) and _is_text(os.fspath(value))


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


ANYTHING = Rule("anything", "anything", lambda value: True)
NOTHING = Rule("None", "None", lambda value: value is None)
FLAG = Rule("True or False", "True or False", lambda value: isinstance(value, bool | np.bool_))
INTEGER = Rule("an integer", "integers", _is_integer)
NUMBER = Rule("a finite number", "finite numbers", in_range(-LARGEST))
NUMBERS = Rule("finite numbers", "arrays of finite numbers", _is_array)
ARRAY = Rule(
    "an array of finite numbers",
    "arrays of finite numbers",
    lambda value: _is_array(value) and np.ndim(value) > 0,
)
TEXT = Rule("text", "texts", _is_text)
PATH = Rule("the name of a file: text or a Path", "names of files", _is_path)
FUNCTION = Rule("a function", "functions", callable)


def components(n: int, words: str, finite: bool = True) -> Rule:
    """Return the rule of arrays whose last axis has ``n`` components."""

    def takes(value: Any) -> bool:
        array = floats(value)
        return array is not None and array.shape[-1:] == (n,) and (not finite or _is_array(array))

    return Rule(words, words, takes)


def _is_rotation(value: Any) -> bool:
    array = floats(value)
    return (
        array is not None and array.shape == (3, 3) and bool(np.abs(array @ array.T - np.eye(3)).max() < 1e-6)
    )


def _are_indices(value: Any) -> bool:
    array = np.asarray(value) if _is_array(value) else np.zeros(())
    return array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)


# what narrows an annotation: Annotated[float, Positive]
Positive = Rule("a finite number above zero", "finite numbers above zero", in_range(1 / LARGEST))
NotNegative = Rule("a finite number, zero or above", "finite numbers, zero or above", in_range(0.0))
Extended = Rule("a number", "numbers", in_range(-LARGEST, infinite=True))
Name = Rule("text on one line that is not empty", "texts on one line that are not empty", _is_name)
Count = Rule("a whole number from 1", "whole numbers from 1", lambda value: _is_integer(value) and value > 0)
Rotation = Rule("a rotation matrix (3, 3)", "rotation matrices (3, 3)", _is_rotation)
Indices = Rule("a list of integers", "lists of integers", _are_indices)
