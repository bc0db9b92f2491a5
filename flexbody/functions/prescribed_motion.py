"""A prescribed value: a number or a function of time with its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fem.common.numbers import is_number

Motion = float | Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Prescribed:
    """A constant, a value with a constant rate, or a function of time, optionally with its derivatives."""

    value: Motion
    rate: float = 0.0
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    def constants(self) -> tuple[float, float]:
        """Return value at t = 0 and rate, for motions without a law."""
        return (0.0 if callable(self.value) else float(self.value)), self.rate

    def problems(self, label: str, what: str) -> list[str]:
        """Return the problems of this motion as sentences; ``what`` is the user's name of the value."""
        found = []
        if not callable(self.value) and not is_number(self.value):
            found.append(f"{label}: {what} is {self.value!r}; it must be a number or a function of time")
        for name in ("velocity", "acceleration"):
            given = getattr(self, name)
            if given is not None and not (callable(self.value) and callable(given)):
                found.append(
                    f"{label}: {name}= must be a function, the derivative of a function of time; leave it out for a "
                    "constant"
                )
        if self.acceleration is not None and self.velocity is None:
            found.append(f"{label} has acceleration= but no velocity=; give both or neither")
        return found
