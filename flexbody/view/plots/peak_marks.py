"""Marks of the largest forces of a run in plots over time, where they lie between stored states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...results.element_history import ElementHistory, Peak
from ...results.peaks import forces_with_peaks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: A peak is marked if it is larger than all stored values by this part.
NOTABLE = 0.02
#: So many peaks of a graph, the largest ones, are in the legend.
NAMED = 3
#: Colour of the peaks of curves without a name.
UNNAMED = "#6b7680"


def peaks_of(curves: Mapping[str, np.ndarray], histories: Mapping[str, ElementHistory]) -> dict[str, Peak]:
    """Return the peaks between stored states of those curves (nt,) that are forces of elements, the largest first.

    ``histories`` are those of the elements by their names, which label the curves.
    """
    found = {}
    for label, curve in curves.items():
        history = histories.get(label) or histories.get(label.split(":")[0])
        if history is None:
            continue
        for stored, peak in zip(forces_with_peaks(history), (history.peak, history.peak_moment), strict=True):
            if peak is None or stored is None or not np.array_equal(curve, stored):
                continue
            if abs(peak.force) > (1 + NOTABLE) * float(np.abs(curve).max()):
                found[label] = peak
    return dict(sorted(found.items(), key=lambda item: -abs(item[1].force)))


def mark_peaks(
    ax: Axes, peaks: Mapping[str, Peak], scale: tuple[float, str], time: tuple[float, str]
) -> None:
    """Draw a triangle at each peak in the colour of its curve, and name the largest ones in the legend.

    ``scale`` and ``time`` are factors and units of the axes of forces and of time.
    """
    colours = {str(line.get_gid()): line.get_color() for line in ax.lines}
    for k, (label, peak) in enumerate(peaks.items()):
        t, force = peak.t * time[0], peak.force * scale[0]
        said = f"peak {force:.4g} {scale[1]}\nat {t:.4g} {time[1]},\nbetween stored states"
        ax.plot(
            [t], [force], "^", color=colours.get(label, UNNAMED), markersize=6, clip_on=False,
            label=f"{label}: {said}" if k < NAMED else "_",
        )  # fmt: skip
