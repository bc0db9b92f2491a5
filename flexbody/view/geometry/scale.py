"""Colour scales: a quantity with its range, its unit and round values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fem.common.errors import InputError, called
from fem.common.numbers import is_number

from . import colours

#: Distance of labels from the ends of a colour bar, relative to its length, and the largest number of steps.
TICK_ROOM, MAX_TICKS = 0.06, 6
_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))


@dataclass(frozen=True)
class Scale:
    """A quantity from ``low`` to ``high`` (SI) in ``unit``; with negative values the neutral colour is at zero.

    Values beyond an end have its colour; triangles at the ends of the colour bar and a note say so.
    """

    label: str
    low: float
    high: float
    unit: str = "m"
    range: tuple[float, float] | None = None  # smallest and largest value; None if the scale holds them

    @property
    def signed(self) -> bool:
        """Whether there are values below zero."""
        return self.low < 0

    def colour(self, values: np.ndarray) -> np.ndarray:
        """Return colours (..., 3) in 0..1 for values (...,); unknown values (nan) are grey."""
        size = max(abs(self.low), abs(self.high)) or 1.0
        known = np.isfinite(values)
        part = np.where(known, values, 0.0)
        if self.signed:
            found = colours.signed(np.clip(part, self.low, self.high) / size)
        else:
            found = colours.magnitude((part - self.low) / ((self.high - self.low) or 1.0))
        found[~known] = colours.UNKNOWN
        return found

    @property
    def capped(self) -> tuple[bool, bool]:
        """Whether values are below the lower end and above the upper end."""
        least, most = self.range or (self.low, self.high)
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        return least < self.low - slack, most > self.high + slack

    def note(self) -> str:
        """Return a note on the values beyond the ends; empty if there are none."""
        if self.range is None or not any(self.capped):
            return ""
        ends, values = (
            [with_unit(v, self.unit) for v, beyond in zip(pair, self.capped, strict=True) if beyond]
            for pair in ((self.low, self.high), self.range)
        )
        what = "range" if all(self.capped) else "peak" if self.capped[1] else "minimum"
        return f"scale capped at {' and '.join(ends)}; {what} {' to '.join(values)}"

    @property
    def shown_unit(self) -> tuple[float, str]:
        """Factor and name of a unit that is suitable for the values."""
        return readable_unit(max(abs(self.low), abs(self.high)), self.unit)

    def ticks(self, most: int = MAX_TICKS, room: float = TICK_ROOM) -> list[tuple[float, str]]:
        """Return both ends and round values between them (SI), with their labels.

        There are at most about ``most`` values, ``room`` from the ends, relative to the length of the scale.
        """
        factor, _ = self.shown_unit
        low, high = self.low * factor, self.high * factor
        free = max(room, TICK_ROOM) * (high - low)
        steps = max(2, min(most, MAX_TICKS))
        between = [value for value in ticks(low, high, steps) if low + free < value < high - free]
        return [(value / factor, _text(float(f"{value:.3g}"))) for value in (low, *between, high)]

    def heading(self) -> str:
        """Return the text above the colour scale."""
        unit = self.shown_unit[1]
        return f"{self.label}\n({unit})" if unit else self.label


def readable_unit(size: float, unit: str) -> tuple[float, str]:
    """Return factor and name of a unit that is suitable for a value of this size (SI)."""
    if not unit or not size > 0:
        return 1.0, unit
    if unit == "m":  # no kilometres
        return length_unit(size)
    # 0.5 N rather than 500 mN
    power, prefix = next(
        (p for p in _PREFIXES if size >= (0.1 if p[0] == 1 else p[0]) * 0.9999), _PREFIXES[-1]
    )
    return 1 / power, f"{prefix}{unit}"


def with_unit(value: float, unit: str) -> str:
    """Return a value (SI) with its unit and three digits, such as ``"5 kN"``."""
    factor, name = readable_unit(abs(value), unit)
    return f"{_text(float(f'{value * factor:.3g}'))} {name}".strip()


def _text(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def length_unit(size: float) -> tuple[float, str]:
    """Return factor and name of a unit that is suitable for a length (m)."""
    for power, name in ((1.0, "m"), (1e3, "mm"), (1e6, "µm")):
        if size * power >= 0.1:
            return power, name
    return 1e9, "nm"


def ticks(low: float, high: float, most: int = MAX_TICKS) -> list[float]:
    """Return round values from ``low`` to ``high``, with fewer than ``most`` steps between them."""
    span = high - low
    if not span > 0:
        return [low]
    step = 10.0 ** np.floor(np.log10(span))
    factors = (0.2, 0.4, 0.5, 1.0, 2.0, 5.0, 10.0)
    step = next(f * step for f in factors if span / (f * step) < most)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(k * step, 12) for k in range(first, last + 1)]


def round_factor(factor: float) -> float:
    """Return the largest of ... 0.5, 1, 2, 5, 10, 20 ... that is not above ``factor``."""
    power = 10.0 ** np.floor(np.log10(factor))
    return float(next(m * power for m in (5, 2, 1) if m * power <= factor * (1 + 1e-9)))


def drawn_factor(scale: float | None, what: str, automatic: Callable[[], float] | None = None) -> float:
    """Return the factor on drawn displacements.

    Parameters
    ----------
    scale : float or None
        The number that the user gives.
    what : str
        What the factor is, in messages.
    automatic : callable, optional
        Function that returns the factor for None; by default None is not possible.

    Raises
    ------
    fem.InputError
        If ``scale`` is neither a number from zero up nor None.
    """
    if scale is None and automatic is not None:
        return automatic()
    if scale is not None and is_number(scale) and float(scale) >= 0:
        return float(scale)
    mend = "" if automatic is None else ", or None to make them visible"
    raise InputError(f"scale is {called(scale)}; give a number not below zero, {what}{mend}")
