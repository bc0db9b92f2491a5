"""Several views in one picture, side by side or two by two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from fem.common.errors import InputError
from fem.common.numbers import is_number

from ..geometry.camera import Box
from ..geometry.poses import Poses

#: Largest number of views in one picture.
MAX_VIEWS = 4
#: Width (pixels) and grey level of the lines between views.
LINE_WIDTH, LINE_GREY = 2, 222


class _Renderer(Protocol):
    def image(self, poses: Poses) -> np.ndarray: ...

    def close(self) -> None: ...


def views_of(view: Any) -> list[Any]:
    """Return the requested views as a list: one, or those of a list of names and directions."""
    several = isinstance(view, list | tuple) and not all(map(is_number, view))
    views = list(view) if several else [view]
    if not 1 <= len(views) <= MAX_VIEWS:
        raise InputError(f"view has {len(views)} views; a picture can have 1 to {MAX_VIEWS}")
    return views


def grid(n: int, size: tuple[int, int]) -> tuple[tuple[int, int], list[tuple[int, int]]]:
    """Return the numbers of rows and columns of ``n`` views, and the size (width, height) of each view."""
    width, height = size
    rows, columns = (2, 2) if n == MAX_VIEWS else (1, n)
    widths = np.diff(np.linspace(0, width, columns + 1).round().astype(int))
    heights = np.diff(np.linspace(0, height, rows + 1).round().astype(int))
    return (rows, columns), [(int(w), int(h)) for h in heights for w in widths]


class Subviews:
    """Renderers whose pictures are combined to one, row by row.

    ``boxes`` are the places of texts, which the lines between the views leave free.
    """

    def __init__(
        self, makers: Sequence[Callable[[], _Renderer]], shape: tuple[int, int], boxes: Sequence[Box]
    ) -> None:
        self._shape, self._boxes = shape, boxes
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
        lines = np.zeros(whole.shape[:2], dtype=bool)
        for x in np.cumsum([image.shape[1] for image in images[: columns - 1]]):
            lines[:, x : x + LINE_WIDTH] = True
        for y in np.cumsum([image.shape[0] for image in images[: columns * (rows - 1) : columns]]):
            lines[y : y + LINE_WIDTH] = True
        for box in self._boxes:
            lines[int(box.top) : int(np.ceil(box.bottom)), int(box.left) : int(np.ceil(box.right))] = False
        whole[lines] = LINE_GREY
        return whole

    def close(self) -> None:
        """Release the resources of all renderers."""
        for renderer in self._renderers:
            renderer.close()
