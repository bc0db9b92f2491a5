"""Sections of Nastran's library that are made of flat walls: open ones (I, T, CHAN, HAT, ...) and BOX1, HAT1, DBOX.

Walls are rectangles in Nastran's axes of the section, y along the orientation vector. Torsion of open sections is that
of thin walls, sum of length times thickness^3 / 3, of closed ones Bredt's. The shear factor of a direction is 5/6 of
the share of the area in the walls along it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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


def _bredt(width: float, height: float, walls: Sequence[float]) -> float:
    """Return J of one cell by its sizes between the middles of its walls: across (two), up (two)."""
    across, up = sum(1 / t for t in walls[:2]), sum(1 / t for t in walls[2:])
    return 4 * (width * height) ** 2 / (width * across + height * up)


def _box1_torsion(d: np.ndarray) -> float:
    width, height, top, bottom, left, right = d
    return _bredt(width - (left + right) / 2, height - (top + bottom) / 2, (top, bottom, left, right))


def _hat1_torsion(d: np.ndarray) -> float:
    """Return that of the cell between hat and plate, and of the feet, which lie on the plate, as open walls."""
    plate, height, width, t, bottom = d
    cell = _bredt(width - t, height - (t + bottom) / 2, (t, bottom, t, t))
    return cell + (plate - width) * (t + bottom) ** 3 / 3


def _dbox_torsion(d: np.ndarray) -> float:
    """Return J = 4 A^T delta^-1 A of two cells: A their areas, delta the int ds/t around them and of their wall."""
    width, height, at, left, middle, right, *t = d
    widths = np.array([at - left / 2, width - at - right / 2])
    heights = height - np.array([t[0] + t[1], t[2] + t[3]]) / 2
    shared = heights.mean() / middle
    around = [
        b * (1 / above + 1 / below) + h / side + shared
        for b, h, above, below, side in zip(widths, heights, t[::2], t[1::2], (left, right), strict=True)
    ]
    areas = widths * heights
    delta = np.array([[around[0], -shared], [-shared, around[1]]])
    return float(4 * areas @ np.linalg.solve(delta, areas))


#: torsion of closed sections
_CLOSED: dict[str, Callable[[np.ndarray], float]] = {
    "BOX1": _box1_torsion,
    "HAT1": _hat1_torsion,
    "DBOX": _dbox_torsion,
}
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
    "HAT1": (5, _hat1, False),
    "DBOX": (10, _dbox, False),
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
    open_torsion = float((np.maximum(h, b) * np.minimum(h, b) ** 3).sum() / 3)
    J = _CLOSED[kind](sizes) if kind in _CLOSED else open_torsion
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


def from_shear_centre(kind: str, sizes: np.ndarray) -> np.ndarray | None:
    """Return (y, z) of the centroid from the shear centre in Nastran's axes; None where it is not known here.

    The shear centre of an I lies between its flanges as their moments of inertia, of a T in its flange, of an L where
    the middles of its legs meet, of a CHAN beside its web (3 b^2 t / (h s + 6 b t); thin walls).
    """
    if WALLED[kind][2]:
        return np.zeros(2)
    walls = np.array(WALLED[kind][1](sizes))
    y, z, h, b = walls.T
    areas = h * b
    if kind in ("I", "T", "T1", "T2"):
        flanges = [0, 2] if kind == "I" else [0]
        weight = h[flanges] * b[flanges] ** 3
        centre = np.array([weight @ y[flanges] / weight.sum(), z[0]])
    elif kind == "L":
        centre = np.array([y[0], z[1]])
    elif kind in ("CHAN", "CHAN1"):
        flange, web = b[0] - b[2] / 2, y[1] - y[0]
        centre = np.array([0.0, z[2] - 3 * flange**2 * h[0] / (web * b[2] + 6 * flange * h[0])])
    elif kind == "CHAN2":
        flange, web = h[1] - h[0] / 2, z[2] - z[1]
        centre = np.array([y[0] - 3 * flange**2 * b[1] / (web * h[0] + 6 * flange * b[1]), 0.0])
    else:
        return None
    found: np.ndarray = areas @ walls[:, :2] / areas.sum() - centre
    return found
