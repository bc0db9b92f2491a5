"""Cross sections of beams in Abaqus and CalculiX files."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...properties.section import Circle, ISection, Rectangle, Section, Tube
from .dialect import ABAQUS, CALCULIX
from .keywords import Keyword

_SIZES = {"RECT": 2, "CIRC": 1, "PIPE": 2, "I": 7, "BOX": 6}


def section_of(word: Keyword, sub: list[Keyword], length: float, nu: float, dialect: str = "") -> Section:
    """Return the section of *Beam Section or *Beam General Section in SI; ``length``: the file's unit of length in m.

    Its z axis is Abaqus' direction 1 of the section, its y axis direction 2 reversed.
    """
    kind = word.options.get("SECTION", "GENERAL").upper()
    if kind == "GENERAL":
        return turned(_general(word, sub, length))
    if kind not in _SIZES:
        raise ValueError(f"the section {kind} is not supported; give its constants (*Beam General Section)")
    sizes = [length * value for value in word.floats()]
    count = _SIZES[kind]
    if len(sizes) < count:
        raise ValueError(f"the section {kind} has {count} sizes, here are {len(sizes)}")
    if kind == "RECT":
        return turned(Rectangle(sizes[0], sizes[1], nu=nu))
    if kind == "CIRC":
        return turned(Circle(_diameter(sizes, dialect), nu=nu))
    if kind == "PIPE":
        return turned(Tube(2 * sizes[0], thickness=sizes[1], nu=nu))
    return turned(_box(*sizes[:6]) if kind == "BOX" else _i(*sizes[:7], nu=nu))


def is_radius(sizes: list[float], dialect: str) -> bool:
    """Return whether the size of a round section is its radius, as in Abaqus: CalculiX has one or two diameters."""
    return dialect == ABAQUS or (len(sizes) < 2 and dialect != CALCULIX)


def _diameter(sizes: list[float], dialect: str) -> float:
    if is_radius(sizes, dialect):
        return 2 * sizes[0]
    if len(sizes) > 1 and abs(sizes[1] - sizes[0]) > 1e-9 * sizes[0]:
        raise ValueError("an elliptical section is not supported; give its constants (*Beam General Section)")
    return sizes[0]


def _i(low: float, h: float, b1: float, b2: float, t1: float, t2: float, t3: float, *, nu: float) -> Section:
    if not np.allclose([low, b1, t1], [h / 2, b2, t2], rtol=1e-6):
        raise ValueError(
            "an I section with unequal flanges, or with its nodes beside the middle, is not supported; give its "
            "constants (*Beam General Section)"
        )
    return ISection(h, b1, web=t3, flange=t1, nu=nu)


def _box(a: float, b: float, t1: float, t2: float, t3: float, t4: float) -> Section:
    """Return a box of width a (direction 1) and height b, with walls t1 right, t2 top, t3 left, t4 bottom.

    J is that of Bredt, the shear factors are the walls' shares of the area.
    """
    if not np.allclose([t1, t2], [t3, t4], rtol=1e-6):
        raise ValueError(
            "a box with unequal walls is not supported; give its constants (*Beam General Section)"
        )
    inner = (a - 2 * t1, b - 2 * t2)
    if min(inner) <= 0 or min(t1, t2) <= 0:
        raise ValueError(f"a box of {a:g} x {b:g} m can't have walls of {t1:g} and {t2:g} m")
    A = a * b - inner[0] * inner[1]
    Iy = (a * b**3 - inner[0] * inner[1] ** 3) / 12
    Iz = (b * a**3 - inner[1] * inner[0] ** 3) / 12
    middle = ((a - t1), (b - t2))
    J = 4 * (middle[0] * middle[1]) ** 2 / (2 * middle[1] / t1 + 2 * middle[0] / t2)
    corners = tuple((y * a / 2, z * b / 2) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return Section(
        A=A, Iy=Iy, Iz=Iz, J=J, ky=2 * t2 * middle[0] / A, kz=2 * t1 * middle[1] / A, points=corners
    )


def _general(word: Keyword, sub: list[Keyword], length: float) -> Section:
    """Return the section of A, I11, I12, I22, J; the shear factors are 1 unless the shear stiffness is given."""
    values = word.floats()
    if len(values) < 5:
        raise ValueError(f"a general section has A, I11, I12, I22 and J, here are {len(values)} numbers")
    moved = [its for its in sub if its.name in ("CENTROID", "SHEAR CENTER") and any(its.floats())]
    if moved:
        raise ValueError(f"{moved[0]} beside the nodes is not supported")
    A, I11, I12, I22, J = values[:5]
    I4 = length**4
    return Section(A=A * length**2, Iy=I11 * I4, Iz=I22 * I4, J=J * I4, ky=1.0, kz=1.0, Iyz=I12 * I4)


def turned(section: Section) -> Section:
    """Return a section whose y and z are directions 1 and 2 with z along direction 1 and y against direction 2."""

    def turn(pair: tuple[float, float]) -> tuple[float, float]:
        return -pair[1], pair[0]

    third_z, third_y = section.wagner[0] * section.Iy, section.wagner[1] * section.Iz
    peak = section.shear_peak
    return replace(
        section,
        Iy=section.Iz,
        Iz=section.Iy,
        Iyz=-section.Iyz,
        ky=section.kz,
        kz=section.ky,
        shear_centre=turn(section.shear_centre),
        wagner=(third_y / section.Iz, -third_z / section.Iy),
        points=tuple(turn(point) for point in section.points),
        outline=tuple(turn(point) for point in section.outline),
        shear_peak=None if peak is None else (peak[1], peak[0]),
    )
