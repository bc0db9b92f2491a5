"""Cross-sections of beams.

Axes of a section: x along the beam through the centroid, y to the side, z upwards (the beam's ``up``); so ``Iy``
belongs to bending in the plane of x and z. Shear factors are Cowper's (The shear coefficient in Timoshenko's
beam theory, J. Appl. Mech. 33, 1966), for nu = 0 unless ``nu`` is given: 5/6 for the rectangle, 6/7 for the
circle, 1/2 for the thin tube.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import is_number, number, numbers, shown
from ..common.short_repr import short_repr
from ..common.values import Positive

Pair = tuple[float, float]


@check_arguments
@dataclass(frozen=True)
class Section:
    """Constants of a beam's cross-section about its centroid.

    Local axes: x along the beam through the centroid, y to the side, z upward (the beam's ``up``).


    Parameters
    ----------
    A : float, m^2
        Area.
    Iy, Iz : float, m^4
        Second moments of area, Iy = int z^2 dA and Iz = int y^2 dA.
    J : float, m^4
        Torsion constant; warping is free (there is no bimoment).
    ky, kz : float
        Shear factors: k G A is the stiffness against forces along y and z (along the nearest principal axes if
        ``Iyz`` is not zero).
    Iyz : float, m^4
        Product of area, int y z dA.
    shear_centre : (y, z), m
        Shear centre.
    wagner : pair of float, m
        (int z (y^2 + z^2) dA / Iy, int y (y^2 + z^2) dA / Iz), zero for two axes of symmetry; for the geometric
        stiffness only.
    points : tuple of (y, z), m
        Points with extreme normal stress.
    radius : float, m, optional
        Radius of a round section, in place of points.
    torsion_modulus : float, m^3, optional
        T / max shear stress.
    shear_peak : pair of float, optional
        Greatest over mean shear stress under forces along y and z.
    outline : tuple of (y, z), m
        Outline for pictures, in order, where it has more corners than ``points``.
    centroid : (y, z), m
        Centroid in the axes in which the section was drawn (:func:`DrawnSection`); nothing else depends on it.

    Raises
    ------
    InputError
        A value is outside its range; the message lists all such values.

    Notes
    -----
    Stresses that need a constant that is not given are nan.

    Examples
    --------
    >>> import fem
    >>> fem.Section(A=1e-4, Iy=8.3e-10, Iz=8.3e-10, J=1.4e-9).polar
    1.66e-09
    """

    _: KW_ONLY
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
    centroid: Pair = (0.0, 0.0)

    __repr__ = short_repr

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
        for name in ("shear_centre", "wagner", "points", "shear_peak", "outline", "centroid"):
            value = getattr(self, name)
            pairs = value if name in ("points", "outline") else () if value is None else (value,)
            if not _pairs(pairs):
                wrong.append(f"{name} = {value} must hold pairs of finite numbers (y, z)")
        if wrong:
            raise InputError("this cross-section is not valid: " + "; ".join(wrong))
        for name in ("shear_centre", "wagner", "shear_peak", "centroid"):  # so that sections can be compared
            if (pair := getattr(self, name)) is not None:
                object.__setattr__(self, name, _pair(pair))
        for name in ("points", "outline"):
            object.__setattr__(self, name, tuple(_pair(pair) for pair in getattr(self, name)))

    @property
    def polar(self) -> float:
        """Polar moment of area Iy + Iz, in m^4."""
        return self.Iy + self.Iz

    @property
    def angle(self) -> float:
        """Angle in rad from y to the nearest principal axis, positive from y to z."""
        if self.Iyz == 0.0:
            return 0.0
        # in axes turned by a, int y'z' dA = cos(2a) Iyz + sin(2a) (Iy - Iz) / 2
        angle = 0.5 * math.atan2(2 * self.Iyz, self.Iz - self.Iy)
        return angle if abs(angle) <= math.pi / 4 else angle - math.copysign(math.pi / 2, angle)

    @property
    def principal(self) -> Section:
        """The same section in its principal axes, that is, rotated by :attr:`angle`."""
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
            centroid=turn(self.centroid),
        )


@check_arguments(own=("d", "nu"))
def Circle(d: float, *, nu: float = 0.0) -> Section:
    """Return a solid circular section.

    Parameters
    ----------
    d : float, m
        Diameter.
    nu : float
        Poisson's ratio, for the shear factor 6 (1 + nu) / (7 + 6 nu) of Cowper.

    Returns
    -------
    Section
        The section.

    Raises
    ------
    InputError
        The diameter is not positive.

    Examples
    --------
    >>> import fem
    >>> round(fem.Circle(0.02).A * 1e6, 2)  # mm^2
    314.16
    """
    demand("circle", {"diameter d": d}, nu)
    return _round(d, 0.0, nu)


@check_arguments(own=("outer", "inner", "thickness", "nu"))
def Tube(
    outer: float, inner: float | None = None, *, thickness: float | None = None, nu: float = 0.0
) -> Section:
    """Return a circular tube; shear factor of Cowper.

    Parameters
    ----------
    outer : float, m
        Outer diameter.
    inner : float, m, optional
        Inner diameter; or give ``thickness``.
    thickness : float, m, optional
        Wall thickness.
    nu : float
        Poisson's ratio, for the shear factor.

    Returns
    -------
    Section
        The section.

    Raises
    ------
    InputError
        A size is not positive, both or none of ``inner`` and ``thickness`` are given, or the bore does not fit.

    Examples
    --------
    >>> import fem
    >>> fem.Tube(0.05, thickness=0.002).radius
    0.025
    """
    if (inner is None) == (thickness is None):
        raise InputError("a tube needs either its inner diameter or its wall thickness, not both")
    sizes = {
        "outer diameter": outer,
        **({"thickness": thickness} if inner is None else {"inner diameter": inner}),
    }
    demand("tube", sizes, nu)  # type: ignore[arg-type]
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
        A=A,
        Iy=I,
        Iz=I,
        J=2 * I,
        ky=k,
        kz=k,
        points=rim,
        radius=R,
        torsion_modulus=2 * I / R,
        shear_peak=(peak, peak),
    )


@check_arguments(own=("width_y", "height_z", "nu"))
def Rectangle(width_y: float, height_z: float, *, nu: float = 0.0) -> Section:
    """Return a solid rectangular section.

    Parameters
    ----------
    width_y, height_z : float, m
        Sides along y and z.
    nu : float
        Poisson's ratio, for the shear factor 10 (1 + nu) / (12 + 11 nu) of Cowper: 5/6 for nu = 0.

    Returns
    -------
    Section
        The section.

    Raises
    ------
    InputError
        A side is not positive.

    References
    ----------
    Torsion by Saint-Venant's series: S. P. Timoshenko, J. N. Goodier, Theory of Elasticity, art. 109.

    Examples
    --------
    >>> import fem
    >>> round(fem.Rectangle(0.01, 0.02).Iy * 1e12, 1)  # mm^4
    6666.7
    """
    demand("rectangle", {"width_y": width_y, "height_z": height_z}, nu)
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


@check_arguments(own=("height", "width", "web", "flange", "radius", "nu"))
def ISection(
    height: float, width: float, *, web: float, flange: float, radius: float = 0.0, nu: float = 0.0
) -> Section:
    """Return a doubly symmetric I or H section: web along z, flanges along y.

    Parameters
    ----------
    height : float, m
        Overall height (z).
    width : float, m
        Width of the flanges (y).
    web, flange : float, m
        Thicknesses.
    radius : float, m
        Radius of the four fillets.
    nu : float
        Poisson's ratio, for the shear factor.

    Returns
    -------
    Section
        The section.

    Raises
    ------
    InputError
        A size is not positive, or the sizes do not fit each other.

    Notes
    -----
    ``J`` is that of El Darwish and Johnston, the formula behind the tables of rolled beams: within 2 % up to a web
    1.7 times as thick as the flanges, 5 % at twice, and the sum of b t^3 / 3 beyond. The shear factor along the web
    is Cowper's, across it 5/6 of the flanges' share of the area. Warping is free (see :class:`Section`): a restrained
    I is stiffer in torsion.

    References
    ----------
    I. A. El Darwish, B. G. Johnston: Torsion of structural shapes. J. Struct. Div. ASCE 91 (1965).

    Examples
    --------
    >>> import fem
    >>> ipe200 = fem.ISection(0.2, 0.1, web=0.0056, flange=0.0085, radius=0.012)
    >>> round(ipe200.Iy * 1e8)  # cm^4
    1943
    """
    sizes = {"height": height, "width": width, "web": web, "flange": flange}
    demand("I-section", sizes, nu)
    radius = number(radius, "the radius of an I-section's fillets")
    wrong = []
    if 2 * (flange + radius) >= height:
        wrong.append(f"flanges and fillets, 2 ({flange:g} + {radius:g}) m, fill the height of {height:g} m")
    if web + 2 * radius >= width:
        wrong.append(f"web and fillets, {web:g} + 2 {radius:g} m, fill the width of {width:g} m")
    if radius < 0:
        wrong.append(f"radius = {radius:g} m must not be negative")
    if wrong:
        raise InputError("this I-section is not valid: " + "; ".join(wrong))
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
    """Return the outline of an I from half sizes (flange, height, web, between flanges), counter-clockwise."""
    turns = [k * math.pi / 8 for k in range(5)] if radius > 0 else [0.0]
    upper = [(w + radius * (1 - math.sin(a)), i - radius * (1 - math.cos(a))) for a in turns]  # flange to web
    lower = [(y, -z) for y, z in upper]
    right = [(b, -h), (b, -i), *lower, *reversed(upper), (b, i), (b, h)]
    return tuple(right) + tuple((-y, -z) for y, z in right)


def _junctions(height: float, width: float, web: float, flange: float, r: float) -> float:
    """Torsion constant of an I with its two junctions, El Darwish & Johnston (1965)."""
    ratio, round_ = web / flange, r / flange
    if ratio > 2:  # beyond the range of the fit
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
        if not Positive.takes(value)
    ]


def _pair(values: Any) -> Pair:
    """Return two numbers as a tuple."""
    first, second = values
    return float(first), float(second)


def _pairs(values: Any) -> bool:
    """Return whether these are pairs of finite numbers."""
    try:
        for pair in values:
            numbers(pair, (2,), "")
    except (TypeError, InputError):
        return False
    return True


def demand(what: str, sizes: dict[str, float], nu: float) -> None:
    """Raise an InputError that lists all sizes that are not positive, and an impossible nu."""
    wrong = _not_positive(sizes, {})
    if not (is_number(nu) and -1 < nu <= 0.5):
        wrong.append(f"nu = {shown(nu)} must lie between -1 and 0.5")
    if wrong:
        raise InputError(f"this {what} is not valid: " + "; ".join(wrong))
