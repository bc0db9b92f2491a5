"""Marks of events in plots over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...results.occurrences import Occurrence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colour of lines and labels.
COLOUR = "#6b7680"
#: Labels closer than this part of the axis share one label.
LABEL_ROOM = 0.02


def mark_events(axes: Sequence[Axes], events: Sequence[Occurrence], factor: float) -> None:
    """Draw a dotted line at each event through all graphs, and name the first of each name above the upper one.

    Parameters
    ----------
    axes : sequence of matplotlib.axes.Axes
        The graphs from top to bottom, over time.
    events : sequence of Occurrence
        The events.
    factor : float
        Unit of the axis of time per second.
    """
    for event in events:
        for ax in axes:
            ax.axvline(event.t * factor, color=COLOUR, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    first: dict[str, float] = {}
    for event in events:
        first.setdefault(event.name, event.t)
    end = max((event.t for event in events), default=0.0)
    labels: list[tuple[float, list[str]]] = []
    for name, t in sorted(first.items(), key=lambda item: item[1]):
        if labels and t - labels[-1][0] < LABEL_ROOM * end:
            labels[-1][1].append(name)
        else:
            labels.append((t, [name]))
    for t, names in labels:
        axes[0].annotate(
            ", ".join(names), (t * factor, 1.0), xycoords=("data", "axes fraction"), xytext=(1, 3),
            textcoords="offset points", fontsize=8, color=COLOUR, rotation=25, ha="left", va="bottom",
        )  # fmt: skip
