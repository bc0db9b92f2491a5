"""Graphs of quantities over time: which curves are drawn and named, in which unit, between which limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from ...results.curve_colours import CURVES
from ...results.element_history import ElementHistory, Peak
from ...results.round_off import ROUND_OFF, is_round_off
from ...results.tables import Quantity, quantity
from ..geometry.scale import length_unit, readable_unit
from .peak_marks import mark_peaks, peaks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Weight of a graph whose values are drawn as zero.
NOTHING_WEIGHT = 1.4
#: Largest curves from this value on have a unit without a prefix such as m (SI).
LARGEST_SMALL = 1e-2
#: So many curves of a default graph have names, and the colour of all others.
NAMED_CURVES, OTHERS = 8, "#b4bcc4"
#: Curves that differ by less than this part of the height of their graph coincide to the eye, and share a name.
COINCIDENT_PART = 5e-3
#: So many curves that coincide are all listed in the legend.
LISTED_CURVES = 4
#: A curve that changes by less than this part of its size is constant to the eye, and shown together with zero.
CONSTANT_PART = 1e-5
#: Colour of notes.
NOTE = "#6b7680"
#: Units that get a prefix such as k or M.
PREFIXED_UNITS = ("N", "N m", "J", "W", "Pa")
#: Quantities whose graphs say "no load" where they are zero.
LOADS = ("reaction force", "reaction moment")


@dataclass(frozen=True, eq=False)
class Graph:
    """Quantities of one unit in one graph.

    Parameters
    ----------
    parts : list of Quantity
        The quantities.
    weight : float, optional
        Relative height.
    label : str, optional
        Label of the axis; by default the names of the quantities.
    floor : bool, optional
        Whether the axis starts at zero.
    legend : bool, optional
        Whether to draw a legend.
    few : float, optional
        Curves below this fraction of the largest curve are left out. What a user names is never left out.
    default : bool, optional
        Whether nobody asked for this graph: lengths and angles below 1e-9 of the machine's size are drawn as zero, too,
        and the smaller ones of many curves are grey lines without names.
    histories : mapping of str to ElementHistory, optional
        Histories of force elements by their names, whose peaks are marked.
    """

    parts: list[Quantity]
    weight: float = 3.0
    label: str = ""
    floor: bool = False
    legend: bool = True
    few: float = 0.0
    default: bool = False
    histories: Mapping[str, ElementHistory] = field(default_factory=dict)

    @property
    def curves(self) -> dict[str, np.ndarray]:
        """The curves (nt,) by their labels; those of several quantities with one label also name the quantity."""
        counts = Counter(label for part in self.parts for label in part.columns)
        return {
            label if counts[label] == 1 else f"{label}: {part.name}": values
            for part in self.parts
            for label, values in part.columns.items()
        }

    @property
    def peaks(self) -> dict[str, Peak]:
        """The peaks between stored states by the labels of their curves."""
        return peaks_of(self.curves, self.histories)

    @property
    def unit(self) -> str:
        """The unit (SI)."""
        return self.parts[0].unit

    @property
    def largest(self) -> float:
        """The largest value in size (SI)."""
        values = [float(np.abs(curve).max()) for curve in self.curves.values()]
        return max([0.0, *values, *(abs(peak.force) for peak in self.peaks.values())])

    def is_nothing(self, sizes: Mapping[str, float]) -> bool:
        """Return whether all values are drawn as zero; ``sizes`` holds the size of quantities by unit."""
        return self._is_zero(self.largest, sizes)

    def height(self, sizes: Mapping[str, float]) -> float:
        """Return the relative height."""
        return min(self.weight, NOTHING_WEIGHT) if self.is_nothing(sizes) else self.weight

    def _is_zero(self, largest: float, sizes: Mapping[str, float]) -> bool:
        """Return whether a curve with this largest value is drawn as zero."""
        size = sizes.get(self.unit, 0.0)
        return is_round_off(largest, self.unit, size) or (self.default and largest <= ROUND_OFF * size)

    def draw(
        self,
        ax: Axes,
        clock: np.ndarray,
        sizes: Mapping[str, float],
        time: tuple[float, str],
    ) -> None:
        """Draw the graph over times (nt,).

        ``sizes`` holds the size of quantities by unit; curves that are round-off beside it are drawn as zero. ``time``
        is factor and unit of the times.
        """
        largest, size, nothing = self.largest, sizes.get(self.unit, 0.0), self.is_nothing(sizes)
        peaks = {} if nothing else self.peaks
        highest = {name: float(np.abs(values).max()) for name, values in self.curves.items()}
        kept = {
            name: values
            if name in peaks or not self._is_zero(highest[name], sizes)
            else np.zeros_like(values)
            for name, values in self.curves.items()
            if name in peaks or highest[name] >= self.few * largest
        }
        factor, unit = curve_unit(size if nothing else largest, self.unit)
        ends = [np.array([peak.force * factor]) for peak in peaks.values()]
        low, high = limits([*(values * factor for values in kept.values()), *ends], self.floor)
        if nothing:
            ax.set_yticks([0.0])
        groups = alike(kept, COINCIDENT_PART * (high - low) / factor if self.default else 0.0)
        named = _largest(kept, groups, NAMED_CURVES) if self.default else groups
        words = [_together(group, LISTED_CURVES if self.default else len(group)) for group in named]
        _draw(ax, clock, kept, dict(zip(words, named, strict=True)), factor)
        mark_peaks(ax, peaks, (factor, unit), time)
        if nothing:
            look: dict[str, Any] = {"fontsize": 8, "color": NOTE, "ha": "right", "va": "top"}
            ax.text(0.99, 0.93, self._said_of_nothing(), transform=ax.transAxes, **look)
        ax.set_ylim(low, high)
        ax.set_ylabel("\n".join(filter(None, [self._words(), f"({unit})" if unit else ""])))
        if not nothing and not 1e-2 <= largest * factor < 1e6:
            ax.ticklabel_format(axis="y", style="sci", scilimits=(-2, 2), useMathText=True)

    def _words(self) -> str:
        """Return the label of the axis without its unit."""
        names = [f"{part.name}\n{part.reference}".strip() for part in self.parts]
        return self.label or ", ".join(filter(None, dict.fromkeys(names)))

    def _said_of_nothing(self) -> str:
        """Return what the graph says where all values are drawn as zero."""
        unit = "" if self.unit == "relative" else f" {self.unit}"
        if all(part.name in LOADS for part in self.parts):
            return "no load" + (f" (at most {self.largest:.0e}{unit})" if self.largest > 0 else "")
        return f"at most {self.largest:.0e}{unit}: drawn as zero" if self.largest > 0 else "zero at all times"


def requested(result: Any, show: Sequence[Sequence[Any]]) -> list[Graph]:
    """Return the graphs of quantities of a result, one for each unit in each list of ``show``."""
    graphs = []
    for quantities in show:
        parts = [part for each in quantities for part in quantity(result, each).parts()]
        for unit in dict.fromkeys(part.unit for part in parts):
            graphs.append(Graph([part for part in parts if part.unit == unit]))
    return graphs


def limits(curves: list[np.ndarray], floor: bool) -> tuple[float, float]:
    """Return the ends of an axis with a margin on both sides, also for a constant curve.

    If ``floor`` is True, the axis starts at zero.
    """
    low = min((float(np.min(values)) for values in curves), default=0.0)
    high = max((float(np.max(values)) for values in curves), default=0.0)
    constant = high - low <= CONSTANT_PART * max(abs(low), abs(high))
    if constant:  # show it together with zero
        low, high = min(low, 0.0), max(high, 0.0)
    low = 0.0 if floor else low
    span = high - low or 1.0
    below, above = (0.3 if constant and end else 0.08 for end in (low, high))
    return low - (0.04 if floor else below) * span, high + above * span


def curve_unit(largest: float, unit: str) -> tuple[float, str]:
    """Return factor and name of a suitable unit for curves up to ``largest`` (SI)."""
    if unit == "m":
        return length_unit(largest) if largest > 0 else (1.0, unit)
    if unit not in PREFIXED_UNITS or LARGEST_SMALL <= largest < (1e4 if unit == "N" else 1.0):
        return 1.0, unit
    return readable_unit(largest, unit)


def alike(curves: Mapping[str, np.ndarray], near: float) -> list[list[str]]:
    """Return the labels of curves (nt,) in groups, each of curves that differ from its first by at most ``near``.

    Curves that differ by round-off are alike in any case.
    """
    groups: list[list[str]] = []
    for label, curve in curves.items():
        same = (group for group in groups if _difference(curves[group[0]], curve) <= near)
        group = next(same, None)
        if group is None:
            groups.append([label])
        else:
            group.append(label)
    return groups


def _difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the largest difference of two curves (nt,); zero for round-off."""
    far = float(np.abs(one - other).max())
    return far if far > ROUND_OFF * float(np.abs(one).max()) else 0.0


def _largest(curves: Mapping[str, np.ndarray], groups: list[list[str]], most: int) -> list[list[str]]:
    """Return the groups of the largest curves (nt,), in their order; all if there are hardly more than ``most``."""
    if len(groups) <= most + 1:
        return groups
    large = sorted(groups, key=lambda group: -float(np.abs(curves[group[0]]).max()))[:most]
    return [group for group in groups if group in large]


def _draw(
    ax: Axes, clock: np.ndarray, curves: Mapping[str, np.ndarray], named: dict[str, list[str]], factor: float
) -> None:
    """Draw curves (nt,) times ``factor``: groups by their names with colours and line styles, the others grey.

    What is known at one time alone are dots.
    """
    dot: dict[str, Any] = {"marker": "o"} if len(clock) == 1 else {}
    for (words, group), look in zip(named.items(), cycle(CURVES), strict=False):
        for name in group:
            label = words if name == group[0] else f"_{name}"
            ax.plot(clock, curves[name] * factor, linewidth=1.4, label=label, gid=name, **look, **dot)
    known = {name for group in named.values() for name in group}
    others = [name for name in curves if name not in known]
    for k, name in enumerate(others):
        label = f"{len(others)} smaller ones" if k == 0 else f"_{name}"
        ax.plot(
            clock,
            curves[name] * factor,
            linewidth=0.8,
            label=label,
            gid=name,
            color=OTHERS,
            zorder=1.5,
            **dot,
        )


def _together(names: list[str], most: int) -> str:
    """Return the names of curves that coincide, up to so many one below the other."""
    if len(names) == 1:
        return names[0]
    if len(names) > most:
        names = [names[0], f"… ({len(names)} alike)", names[-1]]
    return "\n".join(name.replace("\n", " ") for name in names)
