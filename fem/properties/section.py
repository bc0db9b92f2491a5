"""Cross-sections of beams.

Axes of a section: x along the beam through the centroid, y to the side, z upwards (the beam's ``up``); so ``Iy``
belongs to bending in the plane of x and z. Shear factors are Cowper's (The shear coefficient in Timoshenko's
beam theory, J. Appl. Mech. 33, 1966), for nu = 0 unless ``nu`` is given: 5/6 for the rectangle, 6/7 for the
circle, 1/2 for the thin tube.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..common.errors import InputError
from ..common.numbers import is_number, number, numbers, shown

Pair = tuple[float, float]


@dataclass(frozen=True)
class Section:
    """Constants of a cross-section about its centroid, SI units.

    ``A`` area m^2; ``Iy`` = int z^2 dA, ``Iz`` = int y^2 dA, ``Iyz`` = int y z dA in m^4; ``J`` torsion constant
    m^4 (warping is free: there is no bimoment); ``ky``, ``kz`` shear factors, so that k G A is the stiffness
    against forces along y and z (along the principal axes nearest to them if ``Iyz`` is not zero).
    ``shear_centre`` (y, z) in m. ``wagner`` (m) = (int z (y^2 + z^2) dA / Iy, int y (y^2 + z^2) dA / Iz), zero
    for two axes of symmetry, is used by the geometric stiffness only.

    For stresses: ``points`` (y, z) in m where the normal stress can be extreme, or ``radius`` of a round section
    (m); ``torsion_modulus`` = T / max shear stress (m^3); ``shear_peak`` = greatest / mean shear stress under
    forces along y and z. What is not known here comes out as nan there. ``outline`` (y, z) in m, in turn, is for
    pictures where it is more than the points or the circle.
    Raises InputError that lists all impossible values.
    """

    A: float
    Iy: float
    Iz: float
    J: float
    ky: float = 5 / 6
    kz: float = 5 / 6
    Iyz: float = 0.0
    shear_centre: Pair = (0.0, 0.0)
    wagner: Pair = (0.0, 0.0)
    points: tuple[Pair, ...] = ()
    radius: float | None = None
    torsion_modulus: float | None = None
    shear_peak: Pair | None = None
    outline: tuple[Pair, ...] = ()

    def __post_init__(self) -> None:
        """Check the numbers."""
        units = {"A": "m^2", "Iy": "m^4", "Iz": "m^4", "J": "m^4", "ky": "", "kz": ""}
        sizes = {name: getattr(self, name) for name in units}
        for name in ("radius", "torsion_modulus"):
            if getattr(self, name) is not None:
                sizes[name], units[name] = getattr(self, name), {"radius": "m"}.get(name, "m^3")
        wrong = _not_positive(sizes, units)
        if not is_number(self.Iyz):
            wrong.append(f"Iyz = {shown(self.Iyz)} m^4 must be a number")
        elif not wrong and self.Iyz**2 >= self.Iy * self.Iz:
            wrong.append(
                f"Iyz = {self.Iyz:g} m^4: its square must be below Iy Iz = {self.Iy * self.Iz:g} m^8"
            )
        for name in ("shear_centre", "wagner", "points", "shear_peak", "outline"):
            value = getattr(self, name)
            pairs = value if name in ("points", "outline") else () if value is None else (value,)
            if not _pairs(pairs):
                wrong.append(f"{name} = {value} must hold pairs of finite numbers (y, z)")
        if wrong:
            raise InputError("this cross-section can't exist: " + "; ".join(wrong))

    @property
    def polar(self) -> float:
        """Polar moment of inertia Iy + Iz, in m^4."""
        return self.Iy + self.Iz

    @property
    def angle(self) -> float:
        """Angle in radians from y to the principal axis nearest to it, positive from y to z."""
        if self.Iyz == 0.0:
            return 0.0
        # in axes turned by a, int y'z' dA = cos(2a) Iyz + sin(2a) (Iy - Iz) / 2
        angle = 0.5 * math.atan2(2 * self.Iyz, self.Iz - self.Iy)
        return angle if abs(angle) <= math.pi / 4 else angle - math.copysign(math.pi / 2, angle)

    @property
    def principal(self) -> Section:
        """The same section in its principal axes, that is, turned by :attr:`angle`."""
        if self.Iyz == 0.0:
            return self
        c, s = math.cos(self.angle), math.sin(self.angle)

        def turn(pair: Pair) -> Pair:
            y, z = pair
            return (c * y + s * z, c * z - s * y)

        Iz = c * c * self.Iz + s * s * self.Iy + 2 * s * c * self.Iyz
        Iy = c * c * self.Iy + s * s * self.Iz - 2 * s * c * self.Iyz
        by, bz = self.wagner  # third moments (by Iy, bz Iz) = int (z, y) r^2 dA turn as a vector (z, y)
        y3, z3 = turn((bz * self.Iz, by * self.Iy))
        return replace(
            self,
            Iy=Iy,
            Iz=Iz,
            Iyz=0.0,
            shear_centre=turn(self.shear_centre),
            wagner=(z3 / Iy, y3 / Iz),
            points=tuple(turn(point) for point in self.points),
            outline=tuple(turn(point) for point in self.outline),
        )


def Circle(d: float, nu: float = 0.0) -> Section:
    """Return a full circle of diameter ``d`` (m); shear factor 6 (1 + nu) / (7 + 6 nu), Cowper."""
    _demand("circle", {"diameter d": d}, nu)
    return _round(d, 0.0, nu)


def Tube(
    outer: float, inner: float | None = None, thickness: float | None = None, nu: float = 0.0
) -> Section:
    """Return a circular tube: diameters ``outer`` and ``inner``, or wall ``thickness`` (m); shear factor of Cowper."""
    if (inner is None) == (thickness is None):
        raise InputError("a tube needs either its inner diameter or its wall thickness, not both")
    sizes = {
        "outer diameter": outer,
        **({"thickness": thickness} if inner is None else {"inner diameter": inner}),
    }
    _demand("tube", sizes, nu)  # type: ignore[arg-type]
    bore = outer - 2 * thickness if thickness is not None else inner
    if not 0 < bore < outer:  # type: ignore[operator]
        raise InputError(
            f"a tube of outer diameter {outer:g} m can't have an inner diameter of {bore:g} m: it must lie between 0 "
            f"and {outer:g}"
        )
    return _round(outer, bore, nu)  # type: ignore[arg-type]


def _round(outer: float, inner: float, nu: float) -> Section:
    R, r = outer / 2, inner / 2
    A, I = math.pi * (R**2 - r**2), math.pi / 4 * (R**4 - r**4)
    m2 = (r / R) ** 2
    k = 6 * (1 + nu) * (1 + m2) ** 2 / ((7 + 6 * nu) * (1 + m2) ** 2 + (20 + 12 * nu) * m2)
    peak = 4 / 3 * (R * R + R * r + r * r) / (R * R + r * r)  # V S / (I b) in the middle, over V / A
    angles = np.arange(24) * math.pi / 12
    rim = tuple((float(R * math.cos(a)), float(R * math.sin(a))) for a in angles)
    return Section(
        A, I, I, 2 * I, k, k, points=rim, radius=R, torsion_modulus=2 * I / R, shear_peak=(peak, peak)
    )


def Rectangle(width_y: float, height_z: float, nu: float = 0.0) -> Section:
    """Return a full rectangle, sides in m along y and z.

    Torsion by Saint-Venant's series (Timoshenko & Goodier, Theory of Elasticity, art. 109); shear factor
    10 (1 + nu) / (12 + 11 nu), Cowper: 5/6 for nu = 0.
    """
    _demand("rectangle", {"width_y": width_y, "height_z": height_z}, nu)
    a, b = min(width_y, height_z), max(width_y, height_z)
    n = np.arange(1, 40, 2)
    x = n * math.pi * b / (2 * a)
    J = a**3 * b / 3 * (1 - 192 * a / (math.pi**5 * b) * float(np.sum(np.tanh(x) / n**5)))
    steepest = a * (1 - 8 / math.pi**2 * float(np.sum(1 / (n**2 * np.cosh(np.minimum(x, 700.0))))))
    k = 10 * (1 + nu) / (12 + 11 * nu)
    y, z = width_y / 2, height_z / 2
    return Section(
        A=a * b,
        Iy=width_y * height_z**3 / 12,
        Iz=height_z * width_y**3 / 12,
        J=J,
        ky=k,
        kz=k,
        points=((-y, -z), (y, -z), (y, z), (-y, z)),
        torsion_modulus=J / steepest,
        shear_peak=(1.5, 1.5),
    )


def ISection(
    height: float, width: float, web: float, flange: float, radius: float = 0.0, nu: float = 0.0
) -> Section:
    """Return a doubly symmetric I or H: web along z, flanges along y; all in m.

    ``height`` over all (z), ``width`` of the flanges (y), thicknesses ``web`` and ``flange``, ``radius`` of the
    four fillets. ``J`` by El Darwish & Johnston (Torsion of structural shapes, J. Struct. Div. ASCE 91, 1965, the
    formula behind the tables of rolled beams; within 2 % up to a web 1.7 times as thick as the flanges, 5 % at
    twice, and the sum of b t^3 / 3 beyond). Shear factor along the web by Cowper, across it 5/6 of the
    flanges' share of the area. Warping is free (see Section): a restrained I is stiffer in torsion.
    """
    sizes = {"height": height, "width": width, "web": web, "flange": flange}
    _demand("I-section", sizes, nu)
    radius = number(radius, "the radius of an I-section's fillets")
    wrong = []
    if 2 * (flange + radius) >= height:
        wrong.append(f"flanges and fillets, 2 ({flange:g} + {radius:g}) m, fill the height of {height:g} m")
    if web + 2 * radius >= width:
        wrong.append(f"web and fillets, {web:g} + 2 {radius:g} m, fill the width of {width:g} m")
    if radius < 0:
        wrong.append(f"radius = {radius:g} m must not be negative")
    if wrong:
        raise InputError("this I-section can't exist: " + "; ".join(wrong))
    inside, r = height - 2 * flange, radius
    # one fillet: square minus quarter circle, its centroid from the corner and its own moment
    area = (1 - math.pi / 4) * r**2
    away = r * (10 - 3 * math.pi) / (12 - 3 * math.pi)
    own = r**4 * (1 / 3 - math.pi / 16 - 1 / (9 * (4 - math.pi)))
    A = 2 * width * flange + inside * web + 4 * area
    Iy = (width * height**3 - (width - web) * inside**3) / 12
    Iy += 4 * (own + area * (inside / 2 - away) ** 2)
    Iz = (2 * flange * width**3 + inside * web**3) / 12 + 4 * (own + area * (web / 2 + away) ** 2)
    return Section(
        A=A,
        Iy=Iy,
        Iz=Iz,
        J=_junctions(height, width, web, flange, r),
        ky=5 / 6 * 2 * width * flange / A,
        kz=_cowper_I(height - flange, width, web, flange, nu),
        points=tuple((sy * width / 2, sz * height / 2) for sy, sz in ((-1, -1), (1, -1), (1, 1), (-1, 1))),
        torsion_modulus=_junctions(height, width, web, flange, r) / max(web, flange),
        shear_peak=(
            0.75 * A / (width * flange),
            A * (width * flange * (height - flange) / 2 + web * inside**2 / 8) / (Iy * web),
        ),
        outline=_around_I(width / 2, height / 2, web / 2, inside / 2, radius),
    )


def _around_I(b: float, h: float, w: float, i: float, radius: float) -> tuple[Pair, ...]:
    """The outline of an I from its half sizes (flange, height, web, height between flanges), counter-clockwise."""
    turns = [k * math.pi / 8 for k in range(5)] if radius > 0 else [0.0]
    upper = [(w + radius * (1 - math.sin(a)), i - radius * (1 - math.cos(a))) for a in turns]  # flange to web
    lower = [(y, -z) for y, z in upper]
    right = [(b, -h), (b, -i), *lower, *reversed(upper), (b, i), (b, h)]
    return tuple(right) + tuple((-y, -z) for y, z in right)


def _junctions(height: float, width: float, web: float, flange: float, r: float) -> float:
    """Torsion constant of an I with its two junctions, El Darwish & Johnston (1965)."""
    ratio, round_ = web / flange, r / flange
    if ratio > 2:  # beyond what was fitted
        return (2 * width * flange**3 + (height - 2 * flange) * web**3) / 3
    factor = -0.042 + 0.2204 * ratio + 0.1355 * round_ - 0.0865 * ratio * round_ - 0.0725 * ratio**2
    disc = ((flange + r) ** 2 + web * (r + web / 4)) / (
        2 * r + flange
    )  # largest circle inscribed in a junction
    plates = 2 / 3 * width * flange**3 + (height - 2 * flange) * web**3 / 3
    return plates + 2 * factor * disc**4 - 0.420 * flange**4


def _cowper_I(h: float, b: float, tw: float, tf: float, nu: float) -> float:
    """Cowper's shear coefficient of a thin-walled I, ``h`` between the middles of the flanges."""
    m, n2 = 2 * b * tf / (h * tw), (b / h) ** 2
    below = 12 + 72 * m + 150 * m**2 + 90 * m**3 + nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
    below += 30 * n2 * (m + m**2) + 5 * nu * n2 * (8 * m + 9 * m**2)
    return 10 * (1 + nu) * (1 + 3 * m) ** 2 / below


def _not_positive(sizes: dict[str, float], units: dict[str, str]) -> list[str]:
    """Return a sentence for each size that is not a positive number."""
    return [
        f"{name} = {shown(value)} {units.get(name, 'm')}".rstrip() + " must be a positive number"
        for name, value in sizes.items()
        if not (is_number(value) and value > 0)
    ]


def _pairs(values: Any) -> bool:
    """Return whether these are pairs of finite numbers."""
    try:
        for pair in values:
            numbers(pair, (2,), "")
    except (TypeError, InputError):
        return False
    return True


def _demand(what: str, sizes: dict[str, float], nu: float) -> None:
    """Raise an InputError that lists all sizes that are not positive, and a nu that no material has."""
    wrong = _not_positive(sizes, {})
    if not (is_number(nu) and -1 < nu <= 0.5):
        wrong.append(f"nu = {shown(nu)} must lie between -1 and 0.5")
    if wrong:
        raise InputError(f"this {what} can't exist: " + "; ".join(wrong))
