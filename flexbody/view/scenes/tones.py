"""What the flexible bodies of a machine are coloured by: their deformation, or a stress."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fem.common.errors import InputError
from modal.body.reduced_body import stress_modes_of as needed

from ..geometry.parts import Flexible, Part
from ..geometry.scale import Scale, words
from .fields import STRESSES

#: colours reach to what this share of the surface's points stays below all the time, if the largest lies far above
SHARE = 0.995
FAR = 1.25
#: stored states that are looked at for the range of colours
STATES = 400
#: names that mean the same, as in pictures of solutions
SAME = {"displacement": "deformation"}
KINDS = ("deformation", "plain", *(name for name in STRESSES if name != "jump"))

Paint = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Tones:
    """How flexible bodies are painted: values at a body's own points from its alpha, what they mean, and words."""

    paints: Mapping[str, Paint] = field(default_factory=dict)
    scale: Scale | None = None
    note: str = ""
    plain: bool = False

    def on(self, part: Part) -> Part:
        """Return the part painted so."""
        if not isinstance(part, Flexible) or (not self.plain and part.body not in self.paints):
            return part
        return replace(part, paint=self.paints.get(part.body), plain=self.plain)


def tones_of(result: Any, flexible: list[Flexible], colour: str | None, limits: Any) -> Tones:
    """Return how the flexible bodies of a result are painted; InputError for a colour that is none.

    colour : "deformation" (out of the chord of the body's joints; None), "plain", "von_mises", "principal_1",
    "principal_3", or a component such as "xx" in the body's base. limits : where the colours begin and end, SI; the
    range over the run where not given.
    """
    name = (
        "deformation" if colour is None else SAME.get(colour, colour) if isinstance(colour, str) else colour
    )
    if not (isinstance(name, str) and name in KINDS):
        raise InputError(f"colour={colour!r} is none of {', '.join(map(repr, KINDS))}")
    given = _checked(limits)
    if name == "plain" or not flexible:
        return Tones(plain=name == "plain")
    if name == "deformation":
        high = max(part.largest(result.alpha(part.body)) for part in flexible)
        low, high = given or (0.0, high)
        return Tones(scale=Scale(name, float(low), float(high)) if high > low else None)
    return _stresses(result, flexible, name, given)


def _checked(limits: Any) -> tuple[float, float] | None:
    if limits is None:
        return None
    given = np.asarray(limits)
    number = np.issubdtype(given.dtype, np.number)
    if given.shape != (2,) or not number or not np.isfinite(given).all() or not given[0] < given[1]:
        raise InputError(f"limits: {limits!r} is no range of colours; give (low, high) in SI units")
    return float(given[0]), float(given[1])


def _stresses(result: Any, flexible: list[Flexible], name: str, given: tuple[float, float] | None) -> Tones:
    with_modes, without = [], None
    for part in flexible:
        body = result.system.body(part.body)
        if body.turned.stress_modes is None:
            without = body
        else:
            with_modes.append(body)
    if not with_modes and without is not None:
        needed(without.turned, (without.name,))
    every = np.unique(np.linspace(0, len(result.t) - 1, STATES).astype(int))
    lows, highs = [], []
    for body in with_modes:
        low, high = result.stress(body, times=result.t[every]).range(name)
        lows.append(low[np.isfinite(low)])
        highs.append(high[np.isfinite(high)])
    low, high = np.concatenate(lows), np.concatenate(highs)
    if not len(high):
        raise InputError(f"colour={name!r}: beams and trusses have no components of stress, but 'von_mises'")
    bottom, top = given or (min(-_end(-low), 0.0), max(_end(high), 0.0))
    paints: dict[str, Paint] = {body.name: _paint(body, name) for body in with_modes}
    if without is not None:
        paints |= {p.body: _unknown(len(p.x)) for p in flexible if p.body not in paints}
    scale = Scale(STRESSES[name], bottom, top, "Pa") if top > bottom else None
    return Tones(paints, scale, _words(float(low.min()), float(high.max()), bottom, top))


def _end(values: np.ndarray) -> float:
    """Return where colours end: at the largest, or where 99.5 % of the points stay below if few are far above."""
    usual, largest = float(np.quantile(values, SHARE)), float(values.max())
    return largest if largest <= FAR * usual or usual <= 0 else usual


def _words(low: float, high: float, bottom: float, top: float) -> str:
    """Return where the colours end and the extremes of the run, if these lie beyond."""
    ends = [(top, high)] * (high > top * (1 + 1e-9)) + [(bottom, low)] * (low < bottom * (1 + 1e-9))
    return ", ".join(
        f"colours end at {words(end, 'Pa')}, stresses at {words(far, 'Pa')}" for end, far in ends
    )


def _paint(body: Any, name: str) -> Paint:
    modes = body.turned.stress_modes
    return lambda alpha: modes.on_surface(name, alpha)


def _unknown(n: int) -> Paint:
    return lambda alpha: np.full(n, np.nan)
