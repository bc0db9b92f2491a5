"""Colours of the flexible bodies of a machine: their deformation or a stress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem.common.errors import InputError
from fem.common.names import with_match
from modal.body.reduced_body import stress_modes_of as needed

from ...results.round_off import is_round_off, sizes_of
from ..geometry.parts import Flexible, Paint, Part
from ..geometry.scale import Scale
from .fields import STRESS_LABELS

#: The colour scale ends at the value that this fraction of the points never exceeds, if the largest value is more than
#: OUTLIER_RATIO times as large.
COLOURED_QUANTILE = 0.995
OUTLIER_RATIO = 1.25
#: Largest number of stored states that determine the range of the colours.
MAX_STATES = 400
#: Number of stored states that determine the size of stresses, beside which values are round-off.
SIZE_STATES = 16
#: What the colours can show, and other names of it, as in pictures of solutions.
COLOURINGS = ("deformation", "plain", *(name for name in STRESS_LABELS if name != "jump"))
SYNONYMS = {None: "deformation", "displacement": "deformation"}


@dataclass(frozen=True)
class Colouring:
    """The colours of flexible bodies: values at the points of a body from its alpha, the colour scale, and a note."""

    paints: Mapping[str, Paint] = field(default_factory=dict)
    scale: Scale | None = None
    note: str = ""
    plain: bool = False

    def on(self, part: Part) -> Part:
        """Return the part with these colours."""
        return part.coloured(self.paints, self.plain)


def colouring_of(result: Any, flexible: Sequence[Flexible], colour: str | None, limits: Any) -> Colouring:
    """Return the colours of the flexible bodies of a result.

    Parameters
    ----------
    result : Result
        The result.
    flexible : sequence of Flexible
        The flexible parts of the scene.
    colour : str or None
        "deformation" (relative to the joints that hold the body; the default), "plain", "von_mises", "principal_1",
        "principal_3", or a stress component such as "xx" in the base of the body.
    limits : array_like or None
        Values at both ends of the colour scale, SI units; by default the range over the run.

    Raises
    ------
    fem.InputError
        For an unknown colour.
    """
    name = SYNONYMS.get(colour, colour) if isinstance(colour, str | None) else ""
    if name not in COLOURINGS:
        raise InputError(
            f"colour is {with_match(colour, COLOURINGS)}; it must be one of {', '.join(map(repr, COLOURINGS))}"
        )
    given = _checked(limits)
    if name == "plain" or not flexible:
        asked = colour is not None and name != "plain"
        return Colouring(
            plain=name == "plain", note=f"{_label(name)}: no flexible body to draw" if asked else ""
        )
    if name == "deformation":
        most = max(part.largest(result.alpha(part.body)) for part in flexible)
        if is_round_off(most, "m", sizes_of(result)["m"]):
            return Colouring(plain=True, note="deformation: zero")
        low, high = given or (0.0, most)
        scale = Scale(name, low, high, "m", (0.0, most))
        return Colouring(scale=scale, note=scale.note())
    return _stresses(result, flexible, name, given)


def _checked(limits: Any) -> tuple[float, float] | None:
    if limits is None:
        return None
    given = np.asarray(limits)
    number = np.issubdtype(given.dtype, np.number)
    if given.shape != (2,) or not number or not np.isfinite(given).all() or not given[0] < given[1]:
        raise InputError(f"limits is {limits!r}; give (low, high) in SI units, low below high")
    return float(given[0]), float(given[1])


def _label(name: str) -> str:
    return STRESS_LABELS.get(name, name).replace("\n", " ")


def _stresses(
    result: Any, flexible: Sequence[Flexible], name: str, given: tuple[float, float] | None
) -> Colouring:
    with_modes, without = [], None
    for part in flexible:
        body = result.system.body(part.body)
        if body.turned.stress_modes is None:
            without = body
        else:
            with_modes.append(body)
    if not with_modes and without is not None:
        needed(without.turned, (without.name,))
    every = np.unique(np.linspace(0, len(result.t) - 1, MAX_STATES).astype(int))
    lows, highs = [], []
    for body in with_modes:
        low, high = result.stress(body, times=result.t[every]).range(name)
        lows.append(low[np.isfinite(low)])
        highs.append(high[np.isfinite(high)])
    low, high = np.concatenate(lows), np.concatenate(highs)
    if not len(high):
        raise InputError(
            f"colour is {name!r}, but beams and trusses have no stress components; use colour='von_mises'"
        )
    bottom, top = given or (min(-_end(-low), 0.0), max(_end(high), 0.0))
    size = _size(result, with_modes)
    label = STRESS_LABELS[name]
    nothing = is_round_off(max(float(high.max()), -float(low.min())), "Pa", size)
    paints: dict[str, Paint] = {b.name: _zero(b) if nothing else _paint(b, name) for b in with_modes}
    if without is not None:
        paints |= {p.body: _unknown(len(p.x)) for p in flexible if p.body not in paints}
    if nothing:
        bottom, top = given or (-size, size)
        scale = Scale(label, bottom, top, "Pa") if top > bottom else None
        return Colouring(paints, scale, f"{label}: zero".replace("\n", " "), scale is None)
    extremes = (float(low.min()), float(high.max()))
    scale = Scale(label, bottom, top, "Pa", extremes)
    return Colouring(paints, scale, scale.note())


def _end(values: np.ndarray) -> float:
    """Return the end of the colour scale: the largest value, or the 99.5 % quantile if few values are much larger."""
    usual, largest = float(np.quantile(values, COLOURED_QUANTILE)), float(values.max())
    return largest if largest <= OUTLIER_RATIO * usual or usual <= 0 else usual


def _paint(body: Any, name: str) -> Paint:
    modes = body.turned.stress_modes
    return lambda alpha: modes.on_surface(name, alpha)


def _size(result: Any, bodies: Sequence[Any]) -> float:
    """Return the largest von Mises stress (Pa) of some bodies at some times; zero if they don't deform."""
    t, length = result.t, sizes_of(result)["m"]
    some = t[np.unique(np.linspace(0, len(t) - 1, SIZE_STATES).astype(int))]
    deformed = [body for body in bodies if not is_round_off(_deformation(result, body), "m", length)]
    highs = [result.stress(body, times=some).range("von_mises")[1] for body in deformed]
    return max((float(high[np.isfinite(high)].max(initial=0.0)) for high in highs), default=0.0)


def _deformation(result: Any, body: Any) -> float:
    """Return the largest displacement by deformation of a body's surface, m, at about a hundred points and times."""
    Phi, alpha = body.turned.recovery.Phi, result.alpha(body)
    some, times = Phi[:: len(Phi) // 100 + 1], alpha[:: len(alpha) // 100 + 1]
    return float(np.abs(some @ times.T).max(initial=0.0))


def _zero(body: Any) -> Paint:
    n = len(body.turned.recovery.points)
    return lambda alpha: np.zeros(n)


def _unknown(n: int) -> Paint:
    return lambda alpha: np.full(n, np.nan)
