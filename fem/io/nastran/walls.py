"""Sections of Nastran's library that are made of flat walls: I, I1, H, CROSS, T to T2, CHAN to CHAN2, HAT, Z, L, BOX1.

Walls are rectangles in Nastran's axes of the section, y along the orientation vector. Torsion is that of thin walls,
sum of length times thickness^3 / 3, of BOX1 Bredt's; the shear factor of a direction is 5/6 of the share of the area in
the walls along it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...common.errors import InputError
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


def _box1(d: np.ndarray) -> list[Wall]:
    width, height, top, bottom, left, right = d
    clear, middle = height - top - bottom, (top - bottom) / 2
    return [
        Wall((height - top) / 2, 0, top, width),
        Wall((bottom - height) / 2, 0, bottom, width),
        Wall(-middle, (left - width) / 2, clear, left),
        Wall(-middle, (width - right) / 2, clear, right),
    ]


#: how many sizes a type has, its walls, and whether it is alike about both axes, or about a point
WALLED: dict[str, tuple[int, Callable[[np.ndarray], list[Wall]], bool]] = {
    "I": (6, _i, False),
    "I1": (4, _i1, True),
    "H": (4, _h, True),
    "CROSS": (4, _cross, True),
    "T": (4, _t, False),
    "T1": (4, _t1, False),
    "T2": (4, _t2, False),
    "CHAN": (4, _chan, False),
    "CHAN1": (4, _chan1, False),
    "CHAN2": (4, _chan2, False),
    "HAT": (4, _hat, False),
    "Z": (4, _z, True),
    "L": (4, _l, False),
    "BOX1": (6, _box1, False),
}


def section_of_walls(kind: str, sizes: np.ndarray) -> Section:
    """Return a section in our axes about its centroid; its shear centre is there, as a CBAR has it.

    InputError for sizes of walls that are not positive.
    """
    walls = np.array(WALLED[kind][1](sizes))
    if not (walls[:, 2:] > 0).all() or not (sizes > 0).all():
        raise InputError(
            f"the walls of a section {kind} of {', '.join(f'{size:g}' for size in sizes)} m don't fit"
        )
    h, b = walls[:, 2], walls[:, 3]
    areas = h * b
    A = float(areas.sum())
    y, z = (walls[:, :2] - areas @ walls[:, :2] / A).T
    upright = h > b
    product = -float(areas @ (y * z))
    if kind == "BOX1":
        width, height, top, bottom, left, right = sizes
        w, v = width - (left + right) / 2, height - (top + bottom) / 2
        J = 4 * (w * v) ** 2 / (w / top + w / bottom + v / left + v / right)
    else:
        J = float((np.maximum(h, b) * np.minimum(h, b) ** 3).sum() / 3)
    corners = np.array([(z + s * b / 2, y + u * h / 2) for s in (-1, 1) for u in (-1, 1)])
    points = np.unique(corners.transpose(0, 2, 1).reshape(-1, 2) * [-1, 1], axis=0)
    return Section(
        A=A,
        Iy=float((b * h**3 / 12 + areas * y**2).sum()),
        Iz=float((h * b**3 / 12 + areas * z**2).sum()),
        Iyz=product if abs(product) > 1e-12 * A**2 else 0.0,
        J=J,
        ky=5 / 6 * float(areas[~upright].sum()) / A,
        kz=5 / 6 * float(areas[upright].sum()) / A,
        points=tuple((float(p), float(q)) for p, q in points),
    )


def from_shear_centre(kind: str, sizes: np.ndarray) -> float | None:
    """Return the y of the centroid from the shear centre in Nastran's axes; None where it is not known here.

    The shear centre of an I lies between its flanges as their moments of inertia, of a T in its flange.
    """
    if WALLED[kind][2]:
        return 0.0
    if kind not in ("I", "T", "T2"):
        return None
    walls = np.array(WALLED[kind][1](sizes))
    flanges = walls[[0, 2]] if kind == "I" else walls[:1]
    weight = flanges[:, 2] * flanges[:, 3] ** 3
    areas = walls[:, 2] * walls[:, 3]
    return float(areas @ walls[:, 0] / areas.sum() - weight @ flanges[:, 0] / weight.sum())
