"""Fonts, and lines of text that fit into a width, for texts on pictures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from PIL import ImageFont

from ..geometry import colours

#: Smallest letters, and the distance of their lines, pixels.
SMALLEST_FONT, SMALLEST_LINE = 8.0, 12.0


@cache
def font(size: float, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return the font that is part of matplotlib, with letters of this size, pixels."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(
        str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), max(SMALLEST_FONT, round(size))
    )


def line(size: float) -> float:
    """Return the distance of lines, pixels: ``size``, but at least that of the smallest letters."""
    return max(size, SMALLEST_LINE)


def ink(pale: float = 0.0) -> tuple[int, int, int]:
    """Return the colour of texts; ``pale`` from 0 to 1 makes it lighter."""
    r, g, b = (int(255 * (c + pale * (1 - c))) for c in colours.INK)
    return r, g, b


def fitted(
    text: str, size: float, room: float, most: int, bold: bool = False
) -> tuple[ImageFont.FreeTypeFont, list[str]]:
    """Return a font and a text in at most ``most`` lines that fit into ``room`` (pixels), with letters up to ``size``.

    Lines are broken after commas and semicolons if each part fits into a line, otherwise between words. With the
    smallest letters, more lines and words that are too long are cut.
    """
    while True:
        letters = font(size, bold)
        found = _lines(text, letters, room)
        fits = len(found) <= most and all(letters.getlength(each) <= room for each in found)
        if fits or size <= SMALLEST_FONT:
            rest = [" ".join(found[most - 1 :])] if len(found) > most else found[most - 1 :]
            return letters, [shortened(each, letters, room) for each in found[: most - 1] + rest]
        size *= 0.92


def shortened(text: str, letters: ImageFont.FreeTypeFont, room: float) -> str:
    """Return a text without its middle if it is wider than ``room`` (pixels): names differ at their ends."""
    kept = len(text) - 1
    short = text
    while letters.getlength(short) > room and kept > 1:
        short = f"{text[: (kept + 1) // 2]}…{text[len(text) - kept // 2 :]}"
        kept -= 1
    return short


def _lines(text: str, letters: ImageFont.FreeTypeFont, room: float) -> list[str]:
    """Return a text in lines that fit into ``room`` (pixels) if its words do."""
    parts = re.sub(r"(?<=[;,:]) ", "\n", text).split("\n")
    if any(letters.getlength(part) > room for part in parts):
        parts = text.split()
    lines: list[str] = []
    for part in filter(None, parts):
        longer = f"{lines[-1]} {part}" if lines else part
        if lines and letters.getlength(longer) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines
