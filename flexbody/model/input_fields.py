"""Which fields of forces, drives and force laws hold inputs, and putting something else in their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from fem.common.errors import InputError

from ..functions.inputs import Input, Signal, holds_input, inside, signal
from .forces.law import ForceLaw


def signals(item: Any) -> Iterator[tuple[str, Signal]]:
    """Yield the fields of a force or drive (a dataclass) that hold inputs, with their signals."""
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if holds_input(value):
            yield field.name, signal(value)
        elif isinstance(value, ForceLaw):
            yield from ((f"{field.name}.{name}", source) for name, source in signals(value))


def unheard(item: Any) -> list[str]:
    """Return the problems of the functions of a force, drive or constraint that use an input as sentences."""
    found = []
    for field in fields(item) if is_dataclass(item) else ():
        value = getattr(item, field.name)
        if isinstance(value, ForceLaw):
            found += [f"{item.label}: {problem}" for problem in unheard(value)]
        elif callable(value) and (used := inside(value)):
            where = "" if isinstance(item, ForceLaw) else f"{item.label}: "
            found.append(
                f"{where}the function {field.name} uses {used[0]!r}. A function is asked for any time of a run, and "
                f"an input has a value only now. Give the input in place of the function, alone or in arithmetic as "
                f"in 2 * {used[0].name}, and what depends on time as a load or force of its own"
            )
    return found


def inputs_of(system) -> dict[str, Input]:
    """Return the inputs of a system by name; InputError if two of one name differ in their initial value."""
    found: dict[str, Input] = {}
    for item in (*system.joints, *system.forces):
        for _, value in signals(item):
            for part, _ in value.parts:
                other = found.setdefault(part.name, part)
                if not np.array_equal(other.initial_value, part.initial_value):
                    raise InputError(
                        f"two inputs are called '{part.name}', with the initial values "
                        f"{other.initial_value.tolist()} and {part.initial_value.tolist()}; use one Input object"
                    )
    return found


def rewired(item: Any, make) -> Any:
    """Return a force or drive with ``make(signal)`` in the place of every signal.

    Of the law of a force element, its input may be one (a voltage, a pressure); InputError for its other numbers.
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
                f"{item.label}: {inner} is {value!r}, an input; of this law only {law.input} can be one"
            )
        changes[part] = replace(law, **{inner: make(value)})
    return replace(item, **changes) if changes else item
