"""The colours and line styles of curves in all plots."""

from itertools import cycle
from math import lcm
from typing import Any

#: of the first curve, the second and so on: those of Okabe and Ito (Color universal design, 2008) without yellow
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: of the first curve, the second and so on: solid, dashed, dash-dotted, dotted; dashes in line widths
LINE_STYLES = ("-", (0, (5, 1.5)), (0, (6, 1.3, 1.2, 1.3)), (0, (1.4, 1.2)))
#: Colour and line style of each curve; 28 differ.
CURVES: tuple[dict[str, Any], ...] = tuple(
    {"color": colour, "linestyle": style}
    for colour, style, _ in zip(
        cycle(COLOURS), cycle(LINE_STYLES), range(lcm(len(COLOURS), len(LINE_STYLES))), strict=False
    )
)
