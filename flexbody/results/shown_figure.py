"""Figures that a notebook displays."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def shown(figure: Figure) -> Figure:
    """Return the figure, which a notebook displays as the value of a cell.

    A notebook knows figures of matplotlib only once pyplot is imported, which draws a second time those that pyplot has
    made. Ours are made without pyplot, and so appear once in either case.
    """
    displayed: Any = figure
    displayed._repr_png_ = partial(_png, figure)
    return figure


def _png(figure: Figure) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    return content.getvalue()
