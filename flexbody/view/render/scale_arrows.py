"""Scale arrows: a force and a moment of a round size, as long as such arrows are in the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

#: Sizes relative to the height of the picture: the room below the parts, the place of the arrows in it.
ROOM, BASE, LEFT, GAP = 0.085, 0.035, 0.035, 0.012
LINE, HEAD, CIRCLE = 0.0045, 0.016, 0.017


@dataclass(frozen=True)
class PlacedArrow:
    """A scale arrow in a picture; positions and sizes are relative to the height of the picture.

    Parameters
    ----------
    x, y : float
        Position from the upper left corner: of the tail of a straight arrow, or of the centre of a curved one.
    size : float
        Length of a straight arrow, or angle of a curved one, rad.
    text : str
        Its value.
    curved : bool, optional
        Whether the arrow is that of a moment.
    """

    x: float
    y: float
    size: float
    text: str
    curved: bool = False

    @property
    def end(self) -> float:
        """Position of the end of the arrow, from the left."""
        return self.x + (CIRCLE if self.curved else self.size)

    def draw(
        self, draw: ImageDraw.ImageDraw, height: int, font: ImageFont.FreeTypeFont, ink: tuple[int, int, int]
    ) -> None:
        """Draw the arrow and its value on a picture of this height, pixels."""
        line = self._line() * height
        head = min(HEAD, 0.6 * self.size) * height
        along = line[-1] - line[-2]
        along = along / max(float(np.linalg.norm(along)), 1e-9)
        foot, side = line[-1] - head * along, 0.4 * head * np.array([-along[1], along[0]])
        shaft = [tuple(p) for p in line[:-1]] + ([] if self.curved else [tuple(foot)])
        draw.line(shaft, fill=ink, width=max(1, round(LINE * height)))
        draw.polygon([tuple(line[-1]), tuple(foot + side), tuple(foot - side)], fill=ink)
        at = ((self.end + GAP) * height, self.y * height)
        draw.text(at, self.text, font=font, fill=ink, anchor="lm")

    def _line(self) -> np.ndarray:
        """Return the points of the arrow from its tail to its tip, (k, 2), downward from the upper left corner."""
        if not self.curved:
            return np.array([[self.x, self.y], [self.x + self.size, self.y]])
        head = min(HEAD, 0.6 * self.size * CIRCLE) / CIRCLE
        angle = np.append(np.linspace(0.0, self.size - 0.7 * head, 40), self.size - 0.7 * head)
        line = np.array([self.x, self.y]) + CIRCLE * np.column_stack([np.cos(angle), -np.sin(angle)])
        tangent = np.array([-np.sin(angle[-1]), -np.cos(angle[-1])])
        line[-1] = line[-2] + CIRCLE * head * tangent
        return line
