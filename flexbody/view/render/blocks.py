"""Blocks of text on a picture, each with its place: title and note, legend, colour bar.

All sizes are relative to the height of the picture unless they are in pixels; letters have a smallest size.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Protocol

import numpy as np
from PIL import Image, ImageDraw

from ..geometry import colours
from ..geometry.camera import Box
from ..geometry.scale import Scale
from .lettering import fitted, font, ink, line, shortened

#: Sizes: margins, the way from a block to parts, fonts, lines of text, the colour bar.
LEFT, TOP, GAP = 0.035, 0.03, 0.02
TITLE_FONT, TIME_FONT, NOTE_FONT, BAR_FONT = 0.034, 0.030, 0.024, 0.022
TITLE_LINE, NOTE_LINE, LEGEND_LINE = 0.045, 0.031, 0.042
BAR_WIDTH, BAR_GAP, BAR_TICK = 0.026, 0.012, 0.007
#: Sides of the squares of a legend.
SQUARE = 0.022
#: Largest number of lines of a title and of a note; longer texts get smaller letters.
TITLE_LINES, NOTE_LINES = 3, 4
#: Largest width of the names of a legend, relative to the width of the picture.
LEGEND_WIDTH = 0.42
#: The colour bar: its highest upper end, its least lower end, its length below a legend.
BAR_TOP, BAR_BOTTOM, BAR_LENGTH = 0.28, 0.78, 0.3
PAPER: colours.Colour = (1.0, 1.0, 1.0)


class Block(Protocol):
    """Something written on a picture."""

    box: Box

    def draw(self, draw: ImageDraw.ImageDraw, picture: Image.Image) -> None:
        """Draw the block on a picture of the size that it is made for."""


class Heading:
    """Title and note in the upper left corner, beside a block of the width ``beside`` (pixels) at the right."""

    def __init__(self, title: str, note: str, size: tuple[int, int], beside: float) -> None:
        width, height = size
        self._left, y = LEFT * height, TOP * height
        room = max(width - 2 * self._left - beside, 0.3 * width)
        texts = (
            (fitted(title, TITLE_FONT * height, room, TITLE_LINES, bold=True), TITLE_LINE, 0.0),
            (fitted(note, NOTE_FONT * height, room, NOTE_LINES), NOTE_LINE, 0.35),
        )
        self._lines = []
        for (letters, lines), step, pale in texts:
            for text in lines:
                self._lines.append((y, text, letters, ink(pale)))
                y += line(step * height)
        wide = max((letters.getlength(text) for _, text, letters, _ in self._lines), default=0.0)
        self.box = Box(0.0, 0.0, self._left + wide + GAP * height, y) if wide else Box(0.0, 0.0, 0.0, 0.0)

    def draw(self, draw: ImageDraw.ImageDraw, picture: Image.Image) -> None:
        """Draw the lines."""
        for y, text, letters, colour in self._lines:
            draw.text((self._left, y), text, font=letters, fill=colour)


class Legend:
    """Names with coloured squares at the right, the first line below ``top`` (pixels), the last above ``bottom``."""

    def __init__(
        self, names: Mapping[str, colours.Colour], size: tuple[int, int], top: float, bottom: float
    ) -> None:
        width, height = size
        self._letters, self._row = font(NOTE_FONT * height), line(LEGEND_LINE * height)
        self._right, self._side = width - LEFT * height, max(SQUARE * height, 6.0)
        room = LEGEND_WIDTH * width
        shown = _cut(names, max(1, int((bottom - top) / self._row)))
        self._names = [(shortened(name, self._letters, room), colour) for name, colour in shown.items()]
        self._first = top + self._row / 2
        wide = max((self._letters.getlength(name) for name, _ in self._names), default=0.0)
        left = self._right - 1.6 * self._side - wide - GAP * height
        self.box = Box(left, top, width, top + self._row * len(self._names))

    def draw(self, draw: ImageDraw.ImageDraw, picture: Image.Image) -> None:
        """Draw the names."""
        right, side = self._right, self._side
        for k, (name, colour) in enumerate(self._names):
            y = self._first + self._row * k
            fill = tuple(int(255 * c) for c in colour)
            draw.rectangle((right - side, y - side / 2, right, y + side / 2), fill=fill)
            draw.text((right - 1.6 * side, y), name, font=self._letters, fill=ink(), anchor="rm")


def _cut(names: Mapping[str, colours.Colour], lines: int) -> dict[str, colours.Colour]:
    """Return the first names for a number of lines, the last of which counts the others."""
    if len(names) <= lines:
        return dict(names)
    first = dict(islice(names.items(), lines - 1))
    return first | {f"and {len(names) - len(first)} more": PAPER}


class ColourBar:
    """A colour scale at the right, its heading below ``top`` (pixels)."""

    def __init__(self, scale: Scale, size: tuple[int, int], top: float) -> None:
        width, height = size
        self._scale, self._height = scale, height
        self._letters = font(BAR_FONT * height)
        self._thick = int(BAR_WIDTH * height)
        self._cap = int(0.75 * self._thick)  # height of a triangle
        lines = scale.heading().split("\n")
        step = self._letters.size + 0.006 * height + 2
        heading = step * len(lines) + 0.016 * height + (self._cap if scale.capped[1] else 0)
        self._top = int(max(BAR_TOP * height, top + heading))
        end = max(BAR_BOTTOM * height, min(self._top + BAR_LENGTH * height, 0.95 * height))
        self._bottom = int(max(end, self._top + 1))
        long = self._bottom - self._top
        row = 1.3 * self._letters.size
        self._ticks = scale.ticks(int(long / row), row / long)
        labels = max(self._letters.getlength(text) for _, text in self._ticks)
        beside = max(0.125 * height, self._thick + BAR_GAP * height + labels + 0.01 * height)
        self._left = int(width - beside)
        half = max(self._letters.getlength(each) for each in lines) / 2
        self._middle = min(self._left + self._thick, width - half - 0.01 * height)
        left = min(self._left, self._middle - half) - GAP * height
        self.box = Box(left, self._top - heading, width, self._bottom + self._cap)

    def draw(self, draw: ImageDraw.ImageDraw, picture: Image.Image) -> None:
        """Draw the bar with its labels, and a triangle at each end that values exceed."""
        scale, left, top, bottom, thick = self._scale, self._left, self._top, self._bottom, self._thick
        values = np.linspace(scale.high, scale.low, bottom - top)
        bar = np.repeat((scale.colour(values) * 255).astype(np.uint8)[:, None], thick, axis=1)
        picture.paste(Image.fromarray(bar), (left, top))
        draw.rectangle((left - 1, top - 1, left + thick, bottom), outline=ink(0.2))
        for beyond, y, way, end in zip(scale.capped, (bottom, top - 1), (1, -1), (-1, 0), strict=True):
            if beyond:
                corners = [(left - 1, y), (left + thick, y), (left + thick / 2, y + way * self._cap)]
                draw.polygon(corners, fill=tuple(int(c) for c in bar[end, 0]), outline=ink(0.2))
        gap, tick = BAR_GAP * self._height, BAR_TICK * self._height
        for value, text in self._ticks:
            y = bottom - (bottom - top) * (value - scale.low) / (scale.high - scale.low)
            draw.line((left + thick, y, left + thick + tick, y), fill=ink(0.2))
            draw.text((left + thick + gap, y), text, font=self._letters, fill=ink(), anchor="lm")
        y = top - 0.016 * self._height - (self._cap if scale.capped[1] else 0)
        draw.text(
            (self._middle, y), scale.heading(), font=self._letters, fill=ink(), anchor="md", align="center",
            spacing=0.006 * self._height,
        )  # fmt: skip
