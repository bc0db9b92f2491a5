"""Marks of events in plots over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...results.occurrences import Occurrence
from .figures import text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colour of lines and labels.
COLOUR = "#6b7680"
#: Size of labels, points, and the height of a row of them, inches.
LABEL_SIZE, LABEL_ROW = 8, 0.16
#: Width of the axis of time that labels can count on, and the room between two labels, inches.
LEAST_WIDTH, ROOM = 5.6, 0.1
#: Largest number of rows; further names share the upper row, which gives their number.
MAX_ROWS = 10


class EventLabel(NamedTuple):
    """A name above the graphs: the time of its line, s, the text, and its row, counted from the graph."""

    t: float
    text: str
    row: int


def event_labels(events: Sequence[Occurrence], span: tuple[float, float]) -> list[EventLabel]:
    """Return the labels of events, each name once, so that none lies on another one or on its line.

    A label stands at the right of its line. It is above all labels whose lines it would cross.

    Parameters
    ----------
    events : sequence of Occurrence
        The events.
    span : tuple of float
        Begin and end of the axis of time, s.
    """
    counts = Counter(event.name for event in events)
    first: dict[str, float] = {}
    for event in events:
        first.setdefault(event.name, event.t)
    length = span[1] - span[0] or 1.0
    placed: list[tuple[EventLabel, float]] = []  # with the place of its line, inches
    for name, t in sorted(first.items(), key=lambda item: -item[1]):  # from the right
        text = name if counts[name] == 1 else f"{name} ({counts[name]} times)"
        x = (t - span[0]) / length * LEAST_WIDTH
        end = x + text_width(text, LABEL_SIZE) / 72 + ROOM
        row = 1 + max((label.row for label, at in placed if at <= end), default=-1)
        placed.append((EventLabel(t, text, row), x))
    labels = [label for label, _ in reversed(placed)]
    beyond = [label for label in labels if label.row >= MAX_ROWS]
    if len(beyond) > 1:
        text = f"{beyond[0].text} and {len(beyond) - 1} more names"
        labels = [beyond[0]._replace(text=text), *(label for label in labels if label.row < MAX_ROWS)]
    return [label._replace(row=min(label.row, MAX_ROWS)) for label in labels]


def mark_events(
    axes: Sequence[Axes], events: Sequence[Occurrence], labels: Sequence[EventLabel], factor: float
) -> None:
    """Draw a dotted line at each event through all graphs, and the labels above the upper one.

    Parameters
    ----------
    axes : sequence of matplotlib.axes.Axes
        The graphs from top to bottom, over time.
    events : sequence of Occurrence
        The events.
    labels : sequence of EventLabel
        Their names, see :func:`event_labels`.
    factor : float
        Unit of the axis of time per second.
    """
    look: dict[str, Any] = {"color": COLOUR, "linewidth": 0.9, "linestyle": (0, (1, 2))}
    for event in events:
        for ax in axes:
            ax.axvline(event.t * factor, zorder=1, **look)
    for label in labels:
        up = 72 * LABEL_ROW * label.row + 3  # points
        axes[0].annotate(
            label.text, (label.t * factor, 1.0), xycoords=("data", "axes fraction"), xytext=(2, up),
            textcoords="offset points", fontsize=LABEL_SIZE, color=COLOUR, ha="left", va="bottom",
        )  # fmt: skip
        axes[0].annotate(
            "", (label.t * factor, 1.0), xycoords=("data", "axes fraction"), xytext=(0, up + LABEL_SIZE),
            textcoords="offset points", arrowprops={"arrowstyle": "-", "shrinkA": 0, "shrinkB": 0, **look},
        )  # fmt: skip
