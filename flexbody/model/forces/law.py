"""What every law of a force element has, and its address."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol

import numpy as np

from ...core.force_laws import law_address
from ...functions.captured_values import Captured
from ...functions.function_pointers import Law, scalar_law
from ...functions.inputs import Signal
from ...rotation import finite

Input = float | Callable[[float], float]


class Pointer(Protocol):
    """A law behind an address, which stays valid as long as the object is kept."""

    address: int
    numbers: list[float]
    what: str
    error: BaseException | None
    captured: Captured  # numbers that its function has read, where it is recorded


class BuiltInLaw:
    """One of the program's own laws; it can't fail."""

    error: BaseException | None = None
    captured = Captured()

    def __init__(self, law: ForceLaw, what: str) -> None:
        self.what, self.numbers = what, law.numbers()
        self.address = law_address(law.function)

    def complaint(self, *times: float) -> None:
        """Return nothing: there is nothing of the user's in it."""


class ForceLaw:
    """A law: force against deformation, from time, deformation, rate and states. See the subclasses."""

    #: the compiled law's name, see :mod:`flexbody.core.force_laws`
    function: ClassVar[str]
    #: the field that is the law's input, a number or a function of time
    input: ClassVar[str | None] = None

    def numbers(self) -> list[float]:
        """Return the law's numbers as its kernel reads them."""
        return []

    @property
    def n_states(self) -> int:
        """Number of states."""
        return 0

    def state_names(self, turns: bool) -> list[tuple[str, str]]:
        """Return name and unit of each state; ``turns``: of a law along an angle."""
        return [(f"state {k + 1}" if self.n_states > 1 else "state", "") for k in range(self.n_states)]

    def start_states(self) -> np.ndarray | None:
        """Return the states at t = 0, or None: where they stay."""
        return np.zeros(self.n_states)

    def problems(self, label: str) -> list[str]:
        """What is wrong with this law, as sentences."""
        return []

    def pointer(self, t_end: float, drawn: float, label: str) -> Pointer:
        """Return the law behind an address. ``drawn`` is the deformation as drawn."""
        return BuiltInLaw(self, label)

    def input_law(self, t_end: float, label: str) -> Law | None:
        """Return the compiled law of an input that is a function of time, or None."""
        value = getattr(self, self.input) if self.input else 0.0
        return scalar_law(value, t_end, f"{label}: {self.input}") if callable(value) else None

    def input_value(self) -> float:
        """Return the input, 0 for a function of time."""
        value = getattr(self, self.input) if self.input else 0.0
        return 0.0 if callable(value) else float(value)


def check_numbers(
    law: object, label: str, positive: Sequence[str] = (), not_negative: Sequence[str] = ()
) -> list[str]:
    """Sentences about fields that are no numbers, or not above (below) zero."""
    found = []
    for name in (*positive, *not_negative):
        value = getattr(law, name)
        if isinstance(value, Signal):
            found.append(
                f"{label}: {name} is {value!r}; of this law only {getattr(law, 'input', None)} can be one"
            )
            continue
        good = finite(value) and (value > 0 if name in positive else value >= 0)
        if not good:
            limit = "above zero" if name in positive else "not below zero"
            found.append(f"{label}: {name} is {value!r}; it must be a number, {limit}" + instead(name, value))
    return found


def instead(name: str, value: object) -> str:
    """Return how a negative stiffness or damping is written, for the end of a message; else nothing."""
    if not finite(value) or name not in ("stiffness", "damping") or not float(value) < 0:  # type: ignore[arg-type]
        return ""
    number = f"{float(value):g}"  # type: ignore[arg-type]
    if name == "stiffness":
        return f". A spring whose force falls is a table: law=SpringTable((-1, 1), ({number[1:]}, {number}))"
    return f". What drives where a damper holds is a law of your own: law=UserLaw(lambda t, x, rate: {number} * rate)"


def check_input(law: ForceLaw, label: str) -> list[str]:
    """Sentences about an input that is neither a number nor a function."""
    value = getattr(law, law.input) if law.input else 0.0
    if callable(value) or finite(value):
        return []
    return [f"{label}: {law.input} is {value!r}; it must be a number or a function of time"]


def check_start(start: object, n: int, label: str, none: bool = True) -> list[str]:
    """Sentences about start values that are not ``n`` numbers."""
    if start is None and none:
        return []
    try:
        values = np.atleast_1d(np.asarray(start, dtype=float))
    except (TypeError, ValueError):
        values = np.full(n, np.nan)
    if values.shape == (n,) and np.isfinite(values).all():
        return []
    what = "a number" if n == 1 else f"{n} numbers"
    return [
        f"{label}: start is {start!r}; it must be {what}{', or None for where the states stay' if none else ''}"
    ]
