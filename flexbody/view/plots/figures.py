"""The common look of all plots, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fem.common.files import new_file

from ...results.shown_figure import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: File endings of plots.
PLOT_ENDINGS = (".png", ".pdf", ".svg", ".jpg")


def style(axes: Iterable[Axes]) -> None:
    """Draw a grid, and no frame above and at the right."""
    for ax in axes:
        ax.grid(color="#d9dfe4", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)


def add_legend(ax: Axes) -> None:
    """Add the legend at the right of a graph."""
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)


def time_unit(end: float) -> tuple[float, str]:
    """Return factor and name of a unit that is suitable for a run to the time ``end``, s."""
    return (1e3, "ms") if end < 1 else (1.0, "s")


def finish(figure: Figure, title: str | None, path: str | os.PathLike | None) -> Figure:
    """Add the title, write the figure to ``path`` if there is one, and return it."""
    if title:
        figure.suptitle(title, fontsize=13, fontweight="bold", x=0.01, ha="left")
    if path is not None:
        with new_file(path) as partial:
            figure.savefig(partial, dpi=130)
    return shown(figure)
