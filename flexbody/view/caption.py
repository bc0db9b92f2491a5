"""Words on pictures: title, time, the scale of colours. The same with every renderer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import colours


@dataclass(frozen=True)
class Caption:
    """What stands on every frame. largest : value (m) at the top of the scale, 0 for no scale."""

    title: str
    note: str
    largest: float = 0.0

    #: room for the scale of colours at the picture's right, in shares of its height
    @property
    def margin(self) -> float:
        """Room that the scale of colours takes at the right, in shares of the picture's height."""
        return 0.16 if self.largest > 0 else 0.0

    def on(self, image: np.ndarray, time: str, legend: dict[str, colours.Colour] | None = None) -> np.ndarray:
        """Return the picture (height, width, 3) with title, note, time, legend and scale of colours."""
        picture = Image.fromarray(image)
        draw = ImageDraw.Draw(picture)
        width, height = picture.size
        left, top = 0.035 * height, 0.03 * height
        draw.text((left, top), self.title, font=_font(0.034 * height, bold=True), fill=_ink())
        draw.text((left, top + 0.047 * height), self.note, font=_font(0.024 * height), fill=_ink(0.35))
        draw.text((width - left, top), time, font=_font(0.030 * height), fill=_ink(), anchor="ra")
        for k, (name, colour) in enumerate((legend or {}).items()):
            y, side = top + (0.012 + 0.042 * k) * height, 0.022 * height
            fill = tuple(int(255 * c) for c in colour)
            draw.rectangle((width - left - side, y - side / 2, width - left, y + side / 2), fill=fill)
            draw.text(
                (width - left - 1.6 * side, y), name, font=_font(0.024 * height), fill=_ink(), anchor="rm"
            )
        if self.largest > 0:
            self._scale(draw, picture)
        return np.asarray(picture)

    def _scale(self, draw: ImageDraw.ImageDraw, picture: Image.Image) -> None:
        width, height = picture.size
        top, bottom = int(0.28 * height), int(0.78 * height)
        left, thick = int(width - 0.125 * height), int(0.026 * height)
        ramp = colours.magnitude(np.linspace(1, 0, bottom - top))
        bar = np.repeat((ramp * 255).astype(np.uint8)[:, None], thick, axis=1)
        picture.paste(Image.fromarray(bar), (left, top))
        draw.rectangle((left - 1, top - 1, left + thick, bottom), outline=_ink(0.2))
        font = _font(0.022 * height)
        power, unit = length_unit(self.largest)
        for value in ticks(self.largest * power):
            y = bottom - (bottom - top) * value / (self.largest * power)
            draw.line((left + thick, y, left + thick + 0.007 * height, y), fill=_ink(0.2))
            draw.text((left + thick + 0.012 * height, y), f"{value:g}", font=font, fill=_ink(), anchor="lm")
        head = (left + thick, top - 0.062 * height)
        draw.text(head, f"deformation\n({unit})", font=font, fill=_ink(), anchor="ma", align="center")


def machine_title(system) -> str:
    """Return what a picture of a machine is called if nobody says: its bodies."""
    names = ", ".join(body.name for body in system.bodies)
    return names if len(names) < 60 else f"{len(system.bodies)} bodies"


def length_unit(size: float) -> tuple[float, str]:
    """Return the factor and name of the unit in which a length (m) reads well."""
    for power, name in ((1.0, "m"), (1e3, "mm"), (1e6, "µm")):
        if size * power >= 0.1:
            return power, name
    return 1e9, "nm"


def ticks(largest: float) -> list[float]:
    """Return 3 to 6 round values from 0 to ``largest``."""
    step = 10.0 ** np.floor(np.log10(largest))
    step = next(s for s in (step / 5, step / 2.5, step / 2, step, 2 * step) if largest / s < 6)
    return [round(k * step, 12) for k in range(int(largest / step + 1e-9) + 1)]


def _ink(pale: float = 0.0) -> tuple[int, int, int]:
    r, g, b = (int(255 * (c + pale * (1 - c))) for c in colours.INK)
    return r, g, b


@cache
def _font(size: float, bold: bool = False) -> ImageFont.FreeTypeFont:
    """Return the font that matplotlib brings."""
    import matplotlib

    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(
        str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name), max(8, round(size))
    )
