"""Cross sections of beams in Abaqus and CalculiX files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...properties.drawn import DrawnSection
from ...properties.section import Circle, ISection, Rectangle, Section, Tube
from .dialect import ABAQUS, CALCULIX
from .keywords import Keyword
from .mitred import mitred


def section_of(word: Keyword, sub: list[Keyword], length: float, nu: float, dialect: str = "") -> Section:
    """Return the section of *Beam Section or *Beam General Section in SI; ``length``: the file's unit of length in m.

    Its z axis is Abaqus' direction 1 of the section, its y axis direction 2 reversed; its ``centroid`` is where the
    centroid is from the nodes, with *Beam Section Offset.
    """
    section = _section(word, sub, length, nu, dialect)
    x1, x2 = length * _point(sub, "BEAM SECTION OFFSET")
    return turned(replace(section, centroid=(section.centroid[0] + x1, section.centroid[1] + x2)))


def _section(word: Keyword, sub: list[Keyword], length: float, nu: float, dialect: str) -> Section:
    """Return the section with y along direction 1 and z along direction 2."""
    kind = word.options.get("SECTION", "GENERAL").upper()
    if kind == "GENERAL":
        return _general(word, sub, length)
    if kind == "ARBITRARY":
        return _walls(word, length, nu)
    sizes = [length * value for value in word.floats()]
    if kind == "CIRC" and sizes:
        return _round(sizes, dialect, nu)
    if kind not in _SHAPES:
        raise ValueError(
            f"the section {kind} is not supported; there are ARBITRARY, CIRC, GENERAL, {', '.join(_SHAPES)}. Give its "
            "constants (*Beam General Section)"
        )
    count, make = _SHAPES[kind]
    if len(sizes) < count:
        raise ValueError(f"the section {kind} has {count} sizes, here are {len(sizes)}")
    return make(sizes[:count], nu)


def lines_of_sizes(word: Keyword) -> int:
    """Return how many data lines hold the sizes of a section, one but for ARBITRARY; the next one is direction 1."""
    first = word.floats()
    arbitrary = word.options.get("SECTION", "").upper() == "ARBITRARY" and first
    return int(min(max(first[0], 1.0), len(word.data))) if arbitrary else 1


def is_radius(sizes: list[float], dialect: str) -> bool:
    """Return whether the size of a round section is its radius, as in Abaqus: CalculiX has one or two diameters."""
    return dialect == ABAQUS or (len(sizes) < 2 and dialect != CALCULIX)


def _round(sizes: list[float], dialect: str, nu: float) -> Section:
    if is_radius(sizes, dialect):
        return Circle(2 * sizes[0], nu=nu)
    if len(sizes) > 1 and abs(sizes[1] - sizes[0]) > 1e-9 * sizes[0]:
        return _ellipse(sizes[0] / 2, sizes[1] / 2, nu)
    return Circle(sizes[0], nu=nu)


def _ellipse(a: float, b: float, nu: float) -> Section:
    """Return an ellipse with half axes a along direction 1 and b: J of Saint-Venant, shear factors of Cowper (1966)."""

    def factor(a: float, b: float) -> float:  # of a force along a
        below = (40 + 37 * nu) * a**4 + (16 + 10 * nu) * a**2 * b**2 + nu * b**4
        return 12 * (1 + nu) * a**2 * (3 * a**2 + b**2) / below

    if not (a > 0 and b > 0):
        raise ValueError(f"an ellipse of {2 * a:g} x {2 * b:g} m is no section")
    angles = np.arange(24) * np.pi / 12
    rim = tuple((float(a * np.cos(t)), float(b * np.sin(t))) for t in angles)
    A = np.pi * a * b
    return Section(
        A=A,
        Iy=A * b**2 / 4,
        Iz=A * a**2 / 4,
        J=np.pi * a**3 * b**3 / (a**2 + b**2),
        ky=factor(a, b),
        kz=factor(b, a),
        points=rim,
        torsion_modulus=A * min(a, b) / 2,
    )


def _rectangle(y0: float, y1: float, z0: float, z1: float) -> list[tuple[float, float]]:
    return [(y0, z0), (y1, z0), (y1, z1), (y0, z1)]


def _i(sizes: list[float], nu: float) -> Section:
    """Return an I of l, h, b1, b2, t1, t2, t3: its nodes are l above its lower edge; a flange of no width is none."""
    low, h, below, above, t_below, t_above, web = sizes
    flanges = [(below, t_below, -low, t_below - low), (above, t_above, h - low - t_above, h - low)]
    if np.allclose([below, t_below], [above, t_above], rtol=1e-6):
        return replace(ISection(h, below, web=web, flange=t_below, nu=nu), centroid=(0.0, h / 2 - low))
    if min(h - t_below - t_above, web, below + above) <= 0 or min(sizes[2:6]) < 0:
        raise ValueError(
            f"the sizes of the section I, {', '.join(f'{size:g}' for size in sizes)} m, don't fit"
        )
    parts = [_rectangle(-b / 2, b / 2, z0, z1) for b, t, z0, z1 in flanges if b > 0 and t > 0]
    inner = [t if b > 0 else 0.0 for b, t, *_ in flanges]
    parts.append(_rectangle(-web / 2, web / 2, inner[0] - low, h - inner[1] - low))
    return DrawnSection(parts, nu=nu)


def _trapezoid(sizes: list[float], nu: float) -> Section:
    """Return a trapezoid of a (lower edge), b (height), c (upper edge), d: its nodes are d above its lower edge."""
    lower, height, upper, at = sizes
    corners = [(-lower / 2, -at), (lower / 2, -at), (upper / 2, height - at), (-upper / 2, height - at)]
    return DrawnSection([corners], nu=nu)


def _hexagon(sizes: list[float], nu: float) -> Section:
    """Return a regular hexagonal tube by the radius of its outer corners and its wall.

    All its axes are alike, so that nothing but the points of stresses depends on where its corners are: it has none.
    """
    radius, wall = sizes
    inner = radius - 2 * wall / 3**0.5
    if min(inner, wall) <= 0:
        raise ValueError(f"a hexagon with a radius of {radius:g} m can't have walls of {wall:g} m")
    ring = np.stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)], axis=1)
    drawn = DrawnSection([radius * ring], holes=[inner * ring], nu=nu)
    return replace(drawn, points=(), outline=(), Iyz=0.0)


def _box(sizes: list[float], nu: float) -> Section:
    """Return a box of width a (direction 1) and height b, with walls t1 right, t2 top, t3 left, t4 bottom.

    The walls are placed as CalculiX, which takes the words of Abaqus, places them (``beamintscheme.f``); the nodes are
    in the middle of the outer rectangle.
    """
    a, b, right, top, left, bottom = sizes
    if min(a - left - right, b - top - bottom, *sizes) <= 0:
        raise ValueError(
            f"a box of {a:g} x {b:g} m can't have walls of {right:g}, {top:g}, {left:g} and {bottom:g} m"
        )
    inner = _rectangle(left - a / 2, a / 2 - right, bottom - b / 2, b / 2 - top)
    return DrawnSection([_rectangle(-a / 2, a / 2, -b / 2, b / 2)], holes=[inner], nu=nu)


def _angle(sizes: list[float], nu: float) -> Section:
    """Return an L whose legs a (along direction 1, t1 thick) and b (t2) have middles that meet at the nodes."""
    a, b, t1, t2 = sizes
    if min(a - t2, b - t1, *sizes) <= 0:
        raise ValueError(f"an L of {a:g} x {b:g} m can't have legs of {t1:g} and {t2:g} m")
    legs = [_rectangle(-t2 / 2, a - t2 / 2, -t1 / 2, t1 / 2), _rectangle(-t2 / 2, t2 / 2, t1 / 2, b - t1 / 2)]
    return DrawnSection(legs, nu=nu)


def _walls(word: Keyword, length: float, nu: float) -> Section:
    """Return thin walls along straight segments from point to point, mitred where they meet.

    The first line has the number of segments, both ends of the first one and its thickness, each further line the end
    of the next one and its thickness.
    """
    first = word.floats()
    if len(first) < 6 or first[0] < 2:
        raise ValueError(
            "the section ARBITRARY needs two or more segments: their number, A, B and the thickness AB"
        )
    count = lines_of_sizes(word)
    if count != first[0]:
        raise ValueError(
            f"the section ARBITRARY has {first[0]:g} segments, but {len(word.data)} lines of data"
        )
    rows = [first[3:6], *(word.floats(k)[:3] for k in range(1, count))]
    if any(len(row) < 3 for row in rows):
        raise ValueError(
            f"the section ARBITRARY needs a point and a thickness for each of its {count} segments"
        )
    points = length * np.array([first[1:3], *(row[:2] for row in rows)])
    t = length * np.array([row[2] for row in rows])
    sides = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (sides > 0).all() or not (t > 0).all():
        raise ValueError("a segment of the section ARBITRARY has no length or no thickness")
    section = DrawnSection(mitred(points, t), nu=nu)
    if abs(section.A - sides @ t) > 0.02 * section.A:
        raise ValueError(
            f"the walls of the section ARBITRARY overlap: they cover {section.A:.4g} m^2, lengths times thicknesses "
            f"are {sides @ t:.4g} m^2. Give its constants (*Beam General Section)"
        )
    return section


_SHAPES: dict[str, tuple[int, Callable[[list[float], float], Section]]] = {
    "BOX": (6, _box),
    "HEX": (2, _hexagon),
    "I": (7, _i),
    "L": (4, _angle),
    **dict.fromkeys(("PIPE", "THICK PIPE"), (2, lambda d, nu: Tube(2 * d[0], thickness=d[1], nu=nu))),
    "RECT": (2, lambda d, nu: Rectangle(d[0], d[1], nu=nu)),
    "TRAPEZOID": (4, _trapezoid),
}


#: what no public text says of a kind of section, and how it is taken
ASSUMED = {
    "L": "t1 is the thickness of the leg along direction 1, and the middles of both legs meet at the nodes",
}


def _point(sub: list[Keyword], name: str) -> np.ndarray:
    """Return the point (2,) along directions 1 and 2 that a keyword gives; zero without it."""
    given = [value for its in sub if its.name == name for value in its.floats()]
    return np.array([*given, 0.0, 0.0][:2])


def _general(word: Keyword, sub: list[Keyword], length: float) -> Section:
    """Return the section of A, I11, I12, I22, J; the shear factors are 1 unless the shear stiffness is given.

    *Centroid and *Shear Center are points from the nodes.
    """
    values = word.floats()
    if len(values) < 5:
        raise ValueError(f"a general section has A, I11, I12, I22 and J, here are {len(values)} numbers")
    A, I11, I12, I22, J = values[:5]
    I4 = length**4
    centroid, centre = length * _point(sub, "CENTROID"), length * _point(sub, "SHEAR CENTER")
    return Section(
        A=A * length**2,
        Iy=I11 * I4,
        Iz=I22 * I4,
        J=J * I4,
        ky=1.0,
        kz=1.0,
        Iyz=I12 * I4,
        centroid=tuple(centroid.tolist()),
        shear_centre=tuple((centre - centroid).tolist()),
    )


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
        centroid=turn(section.centroid),
        shear_peak=None if peak is None else (peak[1], peak[0]),
    )
