"""The same values in other types: numbers of numpy, integers, fractions, lists for tuples, paths for text."""

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np


def equal_arguments(target: Callable[..., Any], arguments: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names of arguments of a valid call, and values that are equal to those given."""
    annotated = inspect.get_annotations(target.__init__ if inspect.isclass(target) else target)
    for name, value in arguments.items():
        if name == "self":
            continue
        yield from ((name, other) for other in equal_values(value))
        text = str(annotated.get(name, ""))
        if isinstance(value, tuple | list) and text.startswith("Iterable"):
            yield name, iter(value)
        if isinstance(value, str) and "PathLike" in text:
            yield name, Path(value)


def equal_values(value: Any) -> Iterator[Any]:
    """Yield values that are equal to a number, or to a list of numbers, and of other types."""
    if isinstance(value, bool):
        yield np.bool_(value)
    elif isinstance(value, int):
        yield from (np.int64(value), np.array(value))
    elif isinstance(value, float):
        yield from (np.array(value), Fraction(value))
        if value.is_integer():
            yield from (int(value), np.float32(value))
    elif isinstance(value, tuple | list) and value and all(isinstance(one, int | float) for one in value):
        yield from (list(value), tuple(value), np.array(value), list(np.array(value)))
    elif isinstance(value, np.ndarray) and value.ndim:
        yield value.tolist()
