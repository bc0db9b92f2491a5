"""What is prescribed as a number or as a function of time, with its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..rotation import finite
from .function_pointers import Law, drive_law

Motion = float | Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Prescribed:
    """A number, a number growing at a rate, or a function of time with its derivatives where they are given."""

    value: Motion
    rate: float = 0.0
    velocity: Callable[[float], float] | None = None
    acceleration: Callable[[float], float] | None = None

    def constants(self) -> tuple[float, float]:
        """Value at t = 0 and rate, where there is no law."""
        return (0.0 if callable(self.value) else float(self.value)), self.rate

    def law(self, t_end: float, label: str) -> Law | None:
        """Return the compiled law of a function of time for a run to ``t_end`` (s), or None."""
        if not callable(self.value):
            return None
        return drive_law(self.value, self.velocity, self.acceleration, t_end, label)

    def problems(self, label: str, what: str) -> list[str]:
        """What is wrong with it, as sentences; ``what`` is how the user's own words call the value."""
        found = []
        if not callable(self.value) and not finite(self.value):
            found.append(f"{label}: {what} is {self.value!r}; it must be a number or a function of time")
        for name in ("velocity", "acceleration"):
            given = getattr(self, name)
            if given is not None and not (callable(self.value) and callable(given)):
                found.append(f"{label}: {name}= is the derivative of a function of time, and a function")
        if self.acceleration is not None and self.velocity is None:
            found.append(f"{label} has acceleration= and no velocity=; give both, or neither")
        return found
