"""Texts on pictures: title, note, time, legend and colour scale, for all renderers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..geometry import colours
from ..geometry.scale import Scale


@dataclass(frozen=True)
class Caption:
    """The texts on every frame: title, note, colour scale, and a legend {name: colour}."""

    title: str
    note: str = ""
    scale: Scale | None = None
    legend: Mapping[str, colours.Colour] = field(default_factory=dict)
    _stencils: dict[tuple, tuple] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def margin(self) -> float:
        """Width of legend and colour scale at the right, relative to the height of the picture."""
        widest = max((_font(24.0).getlength(name) for name in self.legend), default=0.0) / 1000
        return max(0.16 if self.scale is not None else 0.0, widest + 0.04 if self.legend else 0.0)

    def on(self, image: np.ndarray, time: str) -> np.ndarray:
        """Return the picture (height, width, 3) with title, note, time, legend and colour scale."""
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
            at = (width - 0.035 * height, 0.03 * height)
            ImageDraw.Draw(picture).text(at, time, font=_font(0.030 * height), fill=_ink(), anchor="ra")
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

    def _drawn_on(self, image: np.ndarray, timed: bool) -> np.ndarray:
        """Return the picture with everything that is equal in all frames; ``timed`` leaves room for the time."""
        picture = Image.fromarray(image)
        draw = ImageDraw.Draw(picture)
        width, height = picture.size
        left, top = 0.035 * height, 0.03 * height
        draw.text((left, top), self.title, font=_font(0.034 * height, bold=True), fill=_ink())
        room = width - 2 * left - (self.margin * height if self.legend else 0.0)
        for k, line in enumerate(_lines(self.note, _font(0.024 * height), room)):
            at = (left, top + ((0.047 if self.title else 0.0) + 0.031 * k) * height)
            draw.text(at, line, font=_font(0.024 * height), fill=_ink(0.35))
        start = top + (0.012 + (0.05 if timed else 0.0)) * height
        for k, (name, colour) in enumerate(self.legend.items()):
            y, side = start + 0.042 * k * height, 0.022 * height
            fill = tuple(int(255 * c) for c in colour)
            draw.rectangle((width - left - side, y - side / 2, width - left, y + side / 2), fill=fill)
            draw.text(
                (width - left - 1.6 * side, y), name, font=_font(0.024 * height), fill=_ink(), anchor="rm"
            )
        if self.scale is not None:
            below = start / height + 0.042 * len(self.legend) + 0.09
            self._bar(draw, picture, self.scale, max(0.28, below))
        return np.asarray(picture)

    def _bar(self, draw: ImageDraw.ImageDraw, picture: Image.Image, scale: Scale, at: float) -> None:
        width, height = picture.size
        top, bottom = int(at * height), int(max(0.78, min(at + 0.3, 0.95)) * height)
        left, thick = int(width - 0.125 * height), int(0.026 * height)
        values = np.linspace(scale.high, scale.low, bottom - top)
        bar = np.repeat((scale.colour(values) * 255).astype(np.uint8)[:, None], thick, axis=1)
        picture.paste(Image.fromarray(bar), (left, top))
        draw.rectangle((left - 1, top - 1, left + thick, bottom), outline=_ink(0.2))
        font = _font(0.022 * height)
        for value, text in scale.ticks():
            y = bottom - (bottom - top) * (value - scale.low) / (scale.high - scale.low)
            draw.line((left + thick, y, left + thick + 0.007 * height, y), fill=_ink(0.2))
            draw.text((left + thick + 0.012 * height, y), text, font=font, fill=_ink(), anchor="lm")
        half = max(font.getlength(line) for line in scale.heading().split("\n")) / 2
        middle = min(left + thick, width - half - 0.01 * height)
        head = (middle, top - 0.016 * height)
        draw.text(
            head, scale.heading(), font=font, fill=_ink(), anchor="md", align="center", spacing=0.006 * height
        )


def _lines(note: str, font: ImageFont.FreeTypeFont, room: float) -> list[str]:
    """Return a note in lines that fit into ``room`` (pixels), broken after commas."""
    lines = [""]
    for piece in note.split(", "):
        longer = f"{lines[-1]}, {piece}" if lines[-1] else piece
        if lines[-1] and font.getlength(longer) > room:
            lines[-1] += ","
            lines.append(piece)
        else:
            lines[-1] = longer
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
        str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), max(8, round(size))
    )
