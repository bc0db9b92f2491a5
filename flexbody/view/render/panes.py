"""Several views in one picture, beside each other, or two and two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from fem.common.errors import InputError

from ..geometry.poses import Poses

#: views that one picture holds at most
MOST = 4
#: pixels and colour of the lines between views
LINE, GREY = 2, 222
#: room for the title and the scale of colours, in shares of the picture's height
TITLE, SCALE = 0.125, 0.17


class _Renderer(Protocol):
    def image(self, poses: Poses) -> np.ndarray: ...

    def close(self) -> None: ...


def views_of(view: Any) -> list[Any]:
    """Return the views that are asked for: one, or those of a list of names and directions."""
    listed = isinstance(view, list | tuple) and any(
        isinstance(v, str | list | tuple | np.ndarray) for v in view
    )
    views = list(view) if listed else [view]
    if not 1 <= len(views) <= MOST:
        raise InputError(f"view: {len(views)} views don't go into one picture; give 1 to {MOST}")
    return views


def grid(n: int, size: tuple[int, int]) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Return rows and columns of ``n`` views, and the size (width, height) of each in a picture of ``size``."""
    width, height = size
    rows, columns = (2, 2) if n == MOST else (1, n)
    widths = np.diff(np.linspace(0, width, columns + 1).round().astype(int))
    heights = np.diff(np.linspace(0, height, rows + 1).round().astype(int))
    return (rows, columns), [(int(w), int(h)) for h in heights for w in widths]


class Panes:
    """Renderers whose pictures make one, row by row."""

    def __init__(self, makers: Sequence[Callable[[], _Renderer]], shape: tuple[int, int]) -> None:
        self._shape = shape
        self._renderers: list[_Renderer] = []
        try:
            for make in makers:
                self._renderers.append(make())
        except BaseException:
            self.close()
            raise

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture at these poses, (height, width, 3) bytes, with lines between the views."""
        rows, columns = self._shape
        images = [renderer.image(poses) for renderer in self._renderers]
        whole = np.vstack([np.hstack(images[k * columns : (k + 1) * columns]) for k in range(rows)])
        height, width = whole.shape[:2]
        across = np.cumsum([image.shape[1] for image in images[: columns - 1]])
        down = np.cumsum([image.shape[0] for image in images[: columns * (rows - 1) : columns]])
        for x in across:  # below the title, and beside the scale of colours
            whole[int(TITLE * height) :, x : x + LINE] = GREY
        for y in down:
            whole[y : y + LINE, : width - int(SCALE * height)] = GREY
        return whole

    def close(self) -> None:
        """Free what is held."""
        for renderer in self._renderers:
            renderer.close()
