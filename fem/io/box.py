"""The closed box of files."""

from __future__ import annotations

from ..common.errors import InputError
from ..properties.section import Section


def box(width: float, height: float, flange: float, side: float) -> Section:
    """Return a closed box: width along y, height along z, walls ``flange`` above and below, ``side`` at the sides.

    Torsion by Bredt's second formula, shear by Cowper's thin-walled box as flanges and webs.
    """
    if not (0 < 2 * flange < height and 0 < 2 * side < width):
        raise InputError("the walls of a box fill it")
    w, h = width - 2 * side, height - 2 * flange
    A = width * height - w * h
    Iy, Iz = (width * height**3 - w * h**3) / 12, (height * width**3 - h * w**3) / 12
    middle = (width - side) * (height - flange)
    J = 4 * middle**2 / (2 * (width - side) / flange + 2 * (height - flange) / side)
    corners = tuple((y * width / 2, z * height / 2) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    webs, flanges = 2 * side * height / A, 2 * flange * width / A
    return Section(A=A, Iy=Iy, Iz=Iz, J=J, ky=5 / 6 * flanges, kz=5 / 6 * webs, points=corners)
