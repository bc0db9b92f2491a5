"""Texts on pictures: title, note, time, legend, colour scale and scale arrows, for all renderers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..geometry import colours
from ..geometry.scale import Scale
from .scale_arrows import PlacedArrow

#: Sizes relative to the height of the picture: margins, fonts, lines of text, the colour bar.
LEFT, TOP = 0.035, 0.03
TITLE_FONT, TIME_FONT, NOTE_FONT, BAR_FONT = 0.034, 0.030, 0.024, 0.022
TITLE_LINE, NOTE_LINE, LEGEND_LINE = 0.045, 0.031, 0.042
BAR_WIDTH, BAR_GAP = 0.026, 0.012
#: Room for the time at the right.
TIME_WIDTH = 0.25
#: Largest number of lines of a title and of a note; longer texts get smaller letters.
TITLE_LINES, NOTE_LINES = 3, 4
#: Largest number of lines of a legend, above a colour bar and alone; the last line counts the names that are left out.
LINES_ABOVE_BAR, LINES_ALONE = 12, 20
PAPER: colours.Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Caption:
    """The texts on every frame: title, note, colour scale, a legend {name: colour}, and scale arrows."""

    title: str
    note: str = ""
    scale: Scale | None = None
    legend: Mapping[str, colours.Colour] = field(default_factory=dict)
    arrows: tuple[PlacedArrow, ...] = ()
    _stencils: dict[tuple, tuple] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lines = LINES_ALONE if self.scale is None else LINES_ABOVE_BAR
        if len(self.legend) > lines:
            first = dict(islice(self.legend.items(), lines - 1))
            more = {f"and {len(self.legend) - len(first)} more": PAPER}
            object.__setattr__(self, "legend", first | more)

    @property
    def margin(self) -> float:
        """Width of legend and colour scale at the right, relative to the height of the picture."""
        widest = max((_font(1000 * NOTE_FONT).getlength(name) for name in self.legend), default=0.0) / 1000
        bar = max(0.16, _labels(self.scale) + 0.10) if self.scale is not None else 0.0
        return max(bar, widest + 0.04 if self.legend else 0.0)

    def top(self, aspect: float) -> float:
        """Return the height of title and note, relative to the height of a picture with this width per height."""
        title, note = self._texts(1000.0, 1000 * aspect, True)
        lines = TITLE_LINE * len(title[1]) + NOTE_LINE * len(note[1])
        return 1.5 * TOP + lines if lines else 0.0

    def on(self, image: np.ndarray, time: str) -> np.ndarray:
        """Return the picture (height, width, 3) with title, note, time, legend, colour scale and scale arrows."""
        height, width = image.shape[:2]
        key = (height, width, bool(time))
        if key not in self._stencils:
            self._stencils[key] = self._stencil(*key)
        where, ink, kept = self._stencils[key]
        found = image.copy()
        flat = found.reshape(-1, 3)
        flat[where] = ink + (flat[where] * kept + 127) // 255
        if time:
            picture = Image.fromarray(found)
            at = (width - LEFT * height, TOP * height)
            ImageDraw.Draw(picture).text(at, time, font=_font(TIME_FONT * height), fill=_ink(), anchor="ra")
            found = np.asarray(picture)
        return found

    def _stencil(self, height: int, width: int, timed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the pixels (k,) that the texts cover, the colour to add, and the part to keep of 255, (k, 3)."""
        black, white = (np.full((height, width, 3), level, dtype=np.uint8) for level in (0, 255))
        ink, above = (
            self._drawn_on(image, timed).reshape(-1, 3).astype(np.uint16) for image in (black, white)
        )
        kept = above - ink  # on black only the texts are visible
        where = np.flatnonzero((kept != 255).any(axis=1))
        return where, ink[where], kept[where]

    def _texts(
        self, height: float, width: float, timed: bool
    ) -> list[tuple[ImageFont.FreeTypeFont, list[str]]]:
        """Return font and lines of the title and of the note in a picture of this size, pixels."""
        room = width - 2 * LEFT * height
        beside = TIME_WIDTH * height if timed else 0.0
        if self.legend:
            beside = max(beside, (self.margin + LEFT) * height)
        room = max(room - beside, 0.4 * width)
        return [
            _fitted(self.title, TITLE_FONT * height, room, TITLE_LINES, bold=True),
            _fitted(self.note, NOTE_FONT * height, room, NOTE_LINES),
        ]

    def _drawn_on(self, image: np.ndarray, timed: bool) -> np.ndarray:
        """Return the picture with everything that is equal in all frames; ``timed`` leaves room for the time."""
        picture = Image.fromarray(image)
        draw = ImageDraw.Draw(picture)
        width, height = picture.size
        left, y = LEFT * height, TOP * height
        texts = self._texts(height, width, timed)
        for (font, lines), step, pale in zip(texts, (TITLE_LINE, NOTE_LINE), (0.0, 0.35), strict=True):
            for line in lines:
                draw.text((left, y), line, font=font, fill=_ink(pale))
                y += step * height
        start = (TOP + 0.012) * height + (max(0.05 * height, SMALLEST_LINE) if timed else 0.0)
        row = max(LEGEND_LINE * height, SMALLEST_LINE)
        for k, (name, colour) in enumerate(self.legend.items()):
            y, side = start + row * k, 0.022 * height
            fill = tuple(int(255 * c) for c in colour)
            draw.rectangle((width - left - side, y - side / 2, width - left, y + side / 2), fill=fill)
            draw.text(
                (width - left - 1.6 * side, y), name, font=_font(NOTE_FONT * height), fill=_ink(), anchor="rm"
            )
        if self.scale is not None:
            heading = SMALLEST_LINE * (self.scale.heading().count("\n") + 1.5)
            below = start + row * len(self.legend) + max(0.11 * height, heading)
            self._bar(draw, picture, self.scale, max(0.28, below / height))
        for arrow in self.arrows:
            arrow.draw(draw, height, _font(BAR_FONT * height), _ink())
        return np.asarray(picture)

    def _bar(self, draw: ImageDraw.ImageDraw, picture: Image.Image, scale: Scale, at: float) -> None:
        """Draw the colour bar with its labels, and a triangle at each end that values exceed."""
        width, height = picture.size
        top, bottom = int(at * height), int(max(0.78, min(at + 0.3, 0.95)) * height)
        thick = int(BAR_WIDTH * height)
        room = max(0.125 - BAR_WIDTH - BAR_GAP, _labels(scale) + 0.01)
        left = int(width - (room + BAR_WIDTH + BAR_GAP) * height)
        values = np.linspace(scale.high, scale.low, bottom - top)
        bar = np.repeat((scale.colour(values) * 255).astype(np.uint8)[:, None], thick, axis=1)
        picture.paste(Image.fromarray(bar), (left, top))
        draw.rectangle((left - 1, top - 1, left + thick, bottom), outline=_ink(0.2))
        tall = int(0.75 * thick)
        for beyond, y, way, end in zip(scale.capped, (bottom, top - 1), (1, -1), (-1, 0), strict=True):
            if beyond:
                corners = [(left - 1, y), (left + thick, y), (left + thick / 2, y + way * tall)]
                draw.polygon(corners, fill=tuple(int(c) for c in bar[end, 0]), outline=_ink(0.2))
        font = _font(BAR_FONT * height)
        for value, text in scale.ticks():
            y = bottom - (bottom - top) * (value - scale.low) / (scale.high - scale.low)
            draw.line((left + thick, y, left + thick + 0.007 * height, y), fill=_ink(0.2))
            draw.text((left + thick + BAR_GAP * height, y), text, font=font, fill=_ink(), anchor="lm")
        half = max(font.getlength(line) for line in scale.heading().split("\n")) / 2
        middle = min(left + thick, width - half - 0.01 * height)
        head = (middle, top - 0.016 * height - (tall if scale.capped[1] else 0))
        draw.text(
            head, scale.heading(), font=font, fill=_ink(), anchor="md", align="center", spacing=0.006 * height
        )


def _labels(scale: Scale) -> float:
    """Return the width of the labels of a colour bar, relative to the height of the picture."""
    return max(_font(1000 * BAR_FONT).getlength(text) for _, text in scale.ticks()) / 1000


def _fitted(
    text: str, size: float, room: float, most: int, bold: bool = False
) -> tuple[ImageFont.FreeTypeFont, list[str]]:
    """Return a font and a text in at most ``most`` lines that fit into ``room`` (pixels), with letters up to ``size``.

    Lines are broken after commas and semicolons if each part fits into a line, otherwise between words.
    """
    while True:
        font = _font(size, bold)
        lines = _lines(text, font, room)
        fits = len(lines) <= most and all(font.getlength(line) <= room for line in lines)
        if fits or size <= SMALLEST_FONT:
            return font, lines
        size *= 0.92


#: Smallest letters, and the distance of their lines, pixels.
SMALLEST_FONT, SMALLEST_LINE = 8.0, 12.0


def _lines(text: str, font: ImageFont.FreeTypeFont, room: float) -> list[str]:
    """Return a text in lines that fit into ``room`` (pixels) if its words do."""
    parts = re.sub(r"(?<=[;,:]) ", "\n", text).split("\n")
    if any(font.getlength(part) > room for part in parts):
        parts = text.split()
    lines: list[str] = []
    for part in filter(None, parts):
        longer = f"{lines[-1]} {part}" if lines else part
        if lines and font.getlength(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _ink(pale: float = 0.0) -> tuple[int, int, int]:
    r, g, b = (int(255 * (c + pale * (1 - c))) for c in colours.INK)
    return r, g, b


@cache
def _font(size: float, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return the font that is part of matplotlib."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(
        str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), max(SMALLEST_FONT, round(size))
    )
