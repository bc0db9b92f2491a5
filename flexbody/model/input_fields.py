"""The fields of forces, drives and force laws that contain inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from fem.common.errors import InputError

from ..functions.inputs import Input, Signal, inputs_in, inputs_used, signal
from .forces.law import ForceLaw


def signals(item: Any) -> Iterator[tuple[str, Signal]]:
    """Yield the fields of a force or drive (a dataclass) that contain inputs, with their signals."""
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if inputs_in(value):
            yield field.name, signal(value)
        elif isinstance(value, ForceLaw):
            yield from ((f"{field.name}.{name}", source) for name, source in signals(value))


def input_problems(item: Any) -> list[str]:
    """Return as sentences which functions of a force, drive or constraint use an input."""
    found = []
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if isinstance(value, ForceLaw):
            found += [f"{item.label}: {problem}" for problem in input_problems(value)]
        elif callable(value) and (used := inputs_used(value)):
            where = "" if isinstance(item, ForceLaw) else f"{item.label}: "
            found.append(
                f"{where}the function {field.name} uses {used[0]!r}. A function is evaluated at any time of a run, but "
                f"an input has a value only at the present time. Give the input instead of the function, by itself or "
                f"in arithmetic such as 2 * {used[0].name}, and give the part that depends on time as a separate load "
                "or force"
            )
    return found


def inputs_of(system) -> dict[str, Input]:
    """Return the inputs of a system by name.

    Raises
    ------
    fem.InputError
        If two inputs with the same name have different initial values.
    """
    found: dict[str, Input] = {}
    for item in (*system.joints, *system.forces):
        for _, value in signals(item):
            for part, _ in value.parts:
                other = found.setdefault(part.name, part)
                if not np.array_equal(other.initial_value, part.initial_value):
                    raise InputError(
                        f"two inputs have the name '{part.name}' and the initial values "
                        f"{other.initial_value.tolist()} and {part.initial_value.tolist()}; use one Input object"
                    )
    return found


def replace_signals(item: Any, make) -> Any:
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
