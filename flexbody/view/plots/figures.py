"""The common look of all plots, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fem.common.files import new_file

from ...results.shown_figure import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Size of titles, points; height of a line of a legend, inches.
TITLE_SIZE, LEGEND_LINE = 13, 0.2
#: File endings of plots.
PLOT_ENDINGS = (".png", ".pdf", ".svg", ".jpg")


def style(axes: Iterable[Axes]) -> None:
    """Draw a grid, and no frame above and at the right."""
    for ax in axes:
        _without_offset(ax)
        ax.grid(color="#d9dfe4", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)


def _without_offset(ax: Axes) -> None:
    """Write values at the axis in full, not as differences from an offset."""
    from matplotlib.ticker import ScalarFormatter

    formatter = ax.yaxis.get_major_formatter()
    if isinstance(formatter, ScalarFormatter):
        formatter.set_useOffset(False)


def add_legend(ax: Axes, height: float) -> None:
    """Add the legend at the right of a graph of this height (inches), in as many columns as it needs."""
    names = [str(line.get_label()) for line in ax.lines if not str(line.get_label()).startswith("_")]
    rows = sum(name.count("\n") + 1 for name in names)
    columns = max(1, int(np.ceil(rows * LEGEND_LINE / height)))
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=9,
        ncols=columns,
        handlelength=2.8,
    )


def time_unit(end: float) -> tuple[float, str]:
    """Return factor and name of a unit that is suitable for a run to the time ``end``, s."""
    return (1e3, "ms") if end < 1 else (1.0, "s")


def finish(figure: Figure, title: str | None, path: str | os.PathLike | None) -> Figure:
    """Add the title, in several lines if it is long, write the figure to ``path`` if there is one, and return it."""
    if title:
        room = 0.97 * 72 * figure.get_figwidth()  # points
        figure.suptitle(_in_lines(title, room), fontsize=TITLE_SIZE, fontweight="bold", x=0.01, ha="left")
    if path is not None:
        with new_file(path) as partial:
            figure.savefig(partial, dpi=130)
    return shown(figure)


def _in_lines(title: str, room: float) -> str:
    """Return a title with line breaks between words, so that each line fits into ``room``, points."""
    space = text_width(" ", TITLE_SIZE, "bold")
    lines: list[list[str]] = []
    taken = room
    for word in title.split():
        taken += space + text_width(word, TITLE_SIZE, "bold")
        if taken > room:
            lines.append([])
            taken = text_width(word, TITLE_SIZE, "bold")
        lines[-1].append(word)
    return "\n".join(" ".join(words) for words in lines)


@lru_cache(maxsize=1000)
def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a text in the font of plots, points, with the space that it leaves beside the letters."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(weight=weight)

    def drawn(text: str) -> float:
        return float(TextPath((0, 0), text, size=size, prop=font).get_extents().width)

    return drawn(f"x{text}x") - drawn("xx")
