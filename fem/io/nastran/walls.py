"""Sections of Nastran's library that are made of flat walls: open ones (I, T, CHAN, HAT, ...) and BOX1, HAT1, DBOX.

Walls are rectangles in Nastran's axes of the section, y along the orientation vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.errors import InputError
from ...properties.drawn import DrawnSection
from ...properties.section import Section


class Wall(NamedTuple):
    """A rectangle: its centre, and its sizes along y and z."""

    y: float
    z: float
    h: float
    b: float


def _i(d: np.ndarray) -> list[Wall]:
    height, lower, upper, web, below, above = d
    clear = height - below - above
    return [
        Wall(below / 2, 0, below, lower),
        Wall(below + clear / 2, 0, clear, web),
        Wall(height - above / 2, 0, above, upper),
    ]


def _i1(d: np.ndarray) -> list[Wall]:
    overhang, web, clear, height = d
    flange = (height - clear) / 2
    return _i(np.array([height, overhang + web, overhang + web, web, flange, flange]))


def _h(d: np.ndarray) -> list[Wall]:
    clear, legs, height, bar = d
    at = clear / 2 + legs / 4
    return [Wall(0, -at, height, legs / 2), Wall(0, at, height, legs / 2), Wall(0, 0, bar, clear)]


def _cross(d: np.ndarray) -> list[Wall]:
    arms, web, height, bar = d
    at = web / 2 + arms / 4
    return [Wall(0, 0, height, web), Wall(0, -at, bar, arms / 2), Wall(0, at, bar, arms / 2)]


def _t(d: np.ndarray) -> list[Wall]:
    width, height, flange, web = d
    return [Wall(0, 0, flange, width), Wall(-height / 2, 0, height - flange, web)]


def _t1(d: np.ndarray) -> list[Wall]:
    height, length, flange, web = d
    return [Wall(0, 0, height, flange), Wall(0, (flange + length) / 2, web, length)]


def _t2(d: np.ndarray) -> list[Wall]:
    return [Wall(-y, z, h, b) for y, z, h, b in _t(d)]


def _chan(d: np.ndarray) -> list[Wall]:
    width, height, web, flange = d
    at = (height - flange) / 2
    return [
        Wall(-at, width / 2, flange, width),
        Wall(at, width / 2, flange, width),
        Wall(0, web / 2, height - 2 * flange, web),
    ]


def _chan1(d: np.ndarray) -> list[Wall]:
    overhang, web, clear, height = d
    return _chan(np.array([overhang + web, height, web, (height - clear) / 2]))


def _chan2(d: np.ndarray) -> list[Wall]:
    side, bottom, height, width = d
    at = (width - side) / 2
    return [
        Wall(bottom / 2, 0, bottom, width - 2 * side),
        Wall(height / 2, -at, height, side),
        Wall(height / 2, at, height, side),
    ]


def _hat(d: np.ndarray) -> list[Wall]:
    height, t, width, foot = d
    side, at = (width - t) / 2, width / 2 + (foot - t) / 2
    return [
        Wall(height - t / 2, 0, t, width),
        *(Wall(height / 2, z, height - 2 * t, t) for z in (-side, side)),
        *(Wall(t / 2, z, t, foot + t) for z in (-at, at)),
    ]


def _z(d: np.ndarray) -> list[Wall]:
    flange, web, clear, height = d
    t, at = (height - clear) / 2, (flange + web) / 2
    return [
        Wall((height - t) / 2, -at, t, flange),
        Wall(0, 0, height, web),
        Wall((t - height) / 2, at, t, flange),
    ]


def _l(d: np.ndarray) -> list[Wall]:
    width, height, foot, leg = d
    return [Wall(0, (width - leg) / 2, foot, width), Wall(height / 2, 0, height - foot, leg)]


def _hat1(d: np.ndarray) -> list[Wall]:
    plate, height, width, t, bottom = d
    foot, side = (plate - width) / 2, (width - t) / 2
    return [
        Wall(bottom / 2, 0, bottom, plate),
        *(Wall(bottom + t / 2, z, t, foot) for z in (-(width + foot) / 2, (width + foot) / 2) if foot),
        *(Wall((bottom + height) / 2, z, height - bottom, t) for z in (-side, side)),
        Wall(height - t / 2, 0, t, width - 2 * t),
    ]


def _dbox(d: np.ndarray) -> list[Wall]:
    width, height, at, *t = d
    first, second = at - t[1] / 2 - t[0], width - t[2] - at - t[1] / 2
    z1, z2 = t[0] + first / 2, width - t[2] - second / 2
    return [
        Wall(height / 2, t[0] / 2, height, t[0]),
        Wall(height / 2, at, height, t[1]),
        Wall(height / 2, width - t[2] / 2, height, t[2]),
        Wall(height - t[3] / 2, z1, t[3], first),
        Wall(t[4] / 2, z1, t[4], first),
        Wall(height - t[5] / 2, z2, t[5], second),
        Wall(t[6] / 2, z2, t[6], second),
    ]


def _box1(d: np.ndarray) -> list[Wall]:
    width, height, top, bottom, left, right = d
    clear, middle = height - top - bottom, (top - bottom) / 2
    return [
        Wall((height - top) / 2, 0, top, width),
        Wall((bottom - height) / 2, 0, bottom, width),
        Wall(-middle, (left - width) / 2, clear, left),
        Wall(-middle, (width - right) / 2, clear, right),
    ]


#: how many sizes a type has, and its walls
WALLED: dict[str, tuple[int, Callable[[np.ndarray], list[Wall]]]] = {
    "I": (6, _i),
    "I1": (4, _i1),
    "H": (4, _h),
    "CROSS": (4, _cross),
    "T": (4, _t),
    "T1": (4, _t1),
    "T2": (4, _t2),
    "CHAN": (4, _chan),
    "CHAN1": (4, _chan1),
    "CHAN2": (4, _chan2),
    "HAT": (4, _hat),
    "Z": (4, _z),
    "L": (4, _l),
    "BOX1": (6, _box1),
    "HAT1": (5, _hat1),
    "DBOX": (10, _dbox),
}


def section_of_walls(kind: str, sizes: np.ndarray, nu: float) -> Section:
    """Return a section in our axes: our y is Nastran's -z, our z its y. InputError for sizes that don't fit."""
    walls = np.array(WALLED[kind][1](sizes))
    if not (walls[:, 2:] > 0).all() or not (sizes > 0).all():
        raise InputError(
            f"the walls of a section {kind} of {', '.join(f'{size:g}' for size in sizes)} m don't fit"
        )
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    return DrawnSection([(-z, y) + corners * (b, h) for y, z, h, b in walls], nu=nu)
