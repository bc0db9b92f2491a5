"""Texts on pictures: title, note, time, legend, colour scale and scale arrows, for all renderers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw

from ..geometry import colours
from ..geometry.camera import Box
from ..geometry.scale import Scale
from .blocks import BAR_FONT, GAP, LEFT, LEGEND_LINE, TIME_FONT, TOP, Block, ColourBar, Heading, Legend
from .lettering import font, ink, line
from .scale_arrows import PlacedArrow

#: Room for the time at the right, relative to the height of the picture, and for its letters.
TIME_WIDTH, TIME_TEXT = 0.25, "t = 1000.00 ms"
#: End of a legend above a colour bar, and alone, relative to the height of the picture.
ABOVE_BAR, ALONE = 0.56, 0.93


@dataclass(frozen=True)
class Caption:
    """The texts on every frame: title, note, colour scale, a legend {name: colour}, and scale arrows."""

    title: str
    note: str = ""
    scale: Scale | None = None
    legend: Mapping[str, colours.Colour] = field(default_factory=dict)
    arrows: tuple[PlacedArrow, ...] = ()
    _stencils: dict[tuple, tuple] = field(default_factory=dict, init=False, repr=False, compare=False)

    def boxes(self, size: tuple[int, int], timed: bool) -> list[Box]:
        """Return the places of the texts on a picture of this size (pixels), with the time if ``timed``."""
        found = [block.box for block in self._blocks(size, timed)]
        return found + ([_time_box(size)] if timed else [])

    def on(self, image: np.ndarray, time: str) -> np.ndarray:
        """Return the picture (height, width, 3) with title, note, time, legend, colour scale and scale arrows."""
        height, width = image.shape[:2]
        key = (height, width, bool(time))
        if key not in self._stencils:
            self._stencils[key] = self._stencil(*key)
        where, colour, kept = self._stencils[key]
        found = image.copy()
        flat = found.reshape(-1, 3)
        flat[where] = colour + (flat[where] * kept + 127) // 255
        if time:
            picture = Image.fromarray(found)
            at = (width - LEFT * height, TOP * height)
            ImageDraw.Draw(picture).text(at, time, font=font(TIME_FONT * height), fill=ink(), anchor="ra")
            found = np.asarray(picture)
        return found

    def _stencil(self, height: int, width: int, timed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pixels (k,) that the texts cover, the colour to add, and the part to keep of 255, (k, 3)."""
        black, white = (np.full((height, width, 3), level, dtype=np.uint8) for level in (0, 255))
        colour, above = (
            self._drawn_on(image, timed).reshape(-1, 3).astype(np.uint16) for image in (black, white)
        )
        kept = above - colour  # on black only the texts are visible
        where = np.flatnonzero((kept != 255).any(axis=1))
        return where, colour[where], kept[where]

    def _blocks(self, size: tuple[int, int], timed: bool) -> list[Block]:
        """Return the blocks of text of a picture of this size, pixels."""
        width, height = size
        y = _time_box(size).bottom if timed else 0.5 * TOP * height
        blocks: list[Block] = []
        if self.legend:
            end = ALONE if self.scale is None else ABOVE_BAR
            blocks.append(Legend(self.legend, size, y, end * height))
            y = blocks[-1].box.bottom
        if self.scale is not None:
            blocks.append(ColourBar(self.scale, size, y + 0.5 * LEGEND_LINE * height))
        boxes = [block.box for block in blocks] + ([_time_box(size)] if timed else [])
        beside = width - min((box.left for box in boxes), default=float(width))
        return [Heading(self.title, self.note, size, beside), *blocks]

    def _drawn_on(self, image: np.ndarray, timed: bool) -> np.ndarray:
        """Return the picture with everything that is equal in all frames; ``timed`` leaves room for the time."""
        picture = Image.fromarray(image)
        draw = ImageDraw.Draw(picture)
        for block in self._blocks(picture.size, timed):
            block.draw(draw, picture)
        for arrow in self.arrows:
            arrow.draw(draw, picture.height, font(BAR_FONT * picture.height), ink())
        return np.asarray(picture)


def _time_box(size: tuple[int, int]) -> Box:
    """Return the place of the time."""
    width, height = size
    wide = max(TIME_WIDTH * height, font(TIME_FONT * height).getlength(TIME_TEXT))
    bottom = TOP * height + line((TIME_FONT + GAP) * height)
    return Box(width - LEFT * height - wide, 0.0, float(width), bottom)
