"""The fields of forces, drives and force laws that contain inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from fem.common.errors import InputError

from ..functions.inputs import Input, Signal, inputs_in, inputs_used, signal
from .forces.law import ForceLaw
from .joints.base import Interaction


def signals(item: Any) -> Iterator[tuple[str, Signal]]:
    """Yield the fields of a force or drive (a dataclass) that contain inputs, with their signals."""
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if inputs_in(value):
            yield field.name, signal(value)
        elif isinstance(value, ForceLaw):
            yield from ((f"{field.name}.{name}", source) for name, source in signals(value))


def input_problems(item: Any) -> list[str]:
    """Return as sentences which functions of a force, drive or constraint, or of its force law, use an input."""
    return [f"{item.label}: {problem}" for problem in _function_problems(item)]


def _function_problems(item: Any) -> list[str]:
    found = []
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if _is_gone(value):
            found.append(
                f"{field.name} is a weak reference to an object that is gone; give the object itself"
            )
        elif isinstance(value, ForceLaw):
            found += _function_problems(value)
        elif callable(value) and (used := inputs_used(value)):
            found.append(
                f"the function {field.name} uses {used[0]!r}. A function is evaluated at any time of a run, but an "
                "input has a value only at the present time. Give the input instead of the function, by itself or in "
                f"arithmetic such as 2 * {used[0].name}, and give the part that depends on time as a separate load or "
                "force"
            )
    return found


def _is_gone(value: Any) -> bool:
    """Return whether a value is a weak proxy of an object that does not exist any more."""
    try:
        return value.__class__ is None
    except ReferenceError:
        return True


def inputs_of(items: Iterable[Interaction]) -> dict[str, Input]:
    """Return the inputs of joints and forces by name.

    Raises
    ------
    fem.InputError
        If two inputs with the same name have different initial values.
    """
    found: dict[str, Input] = {}
    for item in items:
        for _, value in signals(item):
            for part, _ in value.parts:
                other = found.setdefault(part.name, part)
                if not np.array_equal(other.initial_value, part.initial_value):
                    raise InputError(
                        f"two inputs have the name '{part.name}' and the initial values "
                        f"{other.initial_value.tolist()} and {part.initial_value.tolist()}; use one Input object"
                    )
    return found


def replace_signals(item: Any, make: Callable[[Signal], Any]) -> Any:
    """Return a force or drive with ``make(signal)`` instead of every signal.

    Raises
    ------
    fem.InputError
        For an input in a field of a force law that is not its input (such as a voltage or pressure).
    """
    changes: dict[str, Any] = {}
    for name, value in signals(item):
        part, _, inner = name.partition(".")
        if not inner:
            changes[name] = make(value)
            continue
        law = changes.get(part, getattr(item, part))
        if inner != law.input:
            raise InputError(
                f"{item.label}: {inner} is {value!r}, an Input; only {law.input} of this law can be one"
            )
        changes[part] = replace(law, **{inner: make(value)})
    return replace(item, **changes) if changes else item
