"""Cross sections of bars and beams: PBAR, PBARL, PBEAM and PBEAML.

Nastran's element axes: plane 1 holds x and y, the orientation vector; I1 = int y^2 dA, I2 = int z^2 dA. Our z axis is
its y axis, our y axis its -z axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...common.errors import InputError
from ...properties.drawn import DrawnSection
from ...properties.section import Circle, ISection, Rectangle, Section, Tube
from ..units import Units
from .cards import Row
from .walls import WALLED, section_of_walls

#: shear factor of a direction in which a section is rigid, where the other is not
_RIGID_SHEAR_FACTOR = 1e6
#: torsion constant over I1 + I2 of a section to which a card gives none
_NO_TORSION = 1e-9


@dataclass(eq=False)
class BarSection:
    """A section in the units of the file: number of its material, mass of a unit length beside its own.

    ``shape`` makes the section (SI) from Poisson's ratio; ``shift`` (y, z) of the centroid from the shear centre.
    """

    material: int
    extra_mass: float
    shear: bool
    shape: Callable[[float, Units], Section]
    shift: np.ndarray

    def section(self, nu: float, units: Units) -> Section:
        """Return the section in SI."""
        return self.shape(nu, units)


def section_of(row: Row, doubts: list[str]) -> BarSection:
    """Return the section of a property card; CardError for forms that are not supported."""
    return _READERS[row.name](row, doubts)


@dataclass(frozen=True)
class _Constants:
    """Constants in the units of the file and Nastran's axes; K1 = K2 = 0 without shear."""

    A: float
    I1: float
    I2: float
    I12: float
    J: float
    K1: float
    K2: float
    points: tuple[tuple[float, float], ...] = ()
    shear_centre: tuple[float, float] = (0.0, 0.0)

    def __call__(self, nu: float, units: Units) -> Section:
        """Return the section in SI and our axes."""
        l = units.length
        return Section(
            A=self.A * l**2,
            Iy=self.I1 * l**4,
            Iz=self.I2 * l**4,
            J=(self.J or _NO_TORSION * (self.I1 + self.I2)) * l**4,
            Iyz=-self.I12 * l**4,
            points=tuple((-z * l, y * l) for y, z in self.points),
            shear_centre=(-self.shear_centre[1] * l, self.shear_centre[0] * l),
            ky=self.K2 or _RIGID_SHEAR_FACTOR,
            kz=self.K1 or _RIGID_SHEAR_FACTOR,
        )


def _checked(row: Row, it: _Constants, doubts: list[str]) -> _Constants:
    wrong = [f"{name} = {getattr(it, name):g}" for name in ("A", "I1", "I2") if not getattr(it, name) > 0]
    if it.I12**2 >= it.I1 * it.I2 > 0:
        wrong.append(f"I12 = {it.I12:g}")
    if it.J < 0:
        wrong.append(f"J = {it.J:g}")
    if wrong:
        raise row.error(f"{row.name} {row.whole(1)} is no section of a beam: {', '.join(wrong)}")
    if it.J == 0:
        doubts.append(
            f"{row.name} {row.whole(1)} has no torsion constant J: its bars turn freely about their axes"
        )
    return it


def _points(row: Row, first: int) -> tuple[tuple[float, float], ...]:
    """Return the four points (y, z) of stresses, those that are given."""
    pairs = row.reals(first, 8, 0.0).reshape(4, 2)
    return tuple((float(y), float(z)) for y, z in pairs if y or z)


def _pbar(row: Row, doubts: list[str]) -> BarSection:
    K1, K2 = row.real(17, 0.0), row.real(18, 0.0)
    I1, I2 = row.real(4, 0.0), row.real(5, 0.0)
    it = _Constants(row.real(3, 0.0), I1, I2, row.real(19, 0.0), row.real(6, 0.0), K1, K2, _points(row, 9))
    return BarSection(row.whole(2), row.real(7, 0.0), K1 + K2 > 0, _checked(row, it, doubts), np.zeros(2))


def _mean(along: dict[float, float]) -> float:
    """Return the mean over the length of values by station, 0 to 1, linear between and constant beyond them."""
    x = np.unique([0.0, *along, 1.0])
    return float(np.trapezoid(np.interp(x, sorted(along), [along[k] for k in sorted(along)]), x))


def _tell_taper(row: Row, along: list[dict[float, float]], doubts: list[str]) -> None:
    """Say which values vary along the beam, and by how much the mean changes its stiffness in bending."""
    vary = [
        f"{name} from {values[min(values)]:.4g} to {values[max(values)]:.4g}"
        for name, values in zip(("A", "I1", "I2", "I12", "J", "NSM"), along, strict=True)
        if np.ptp([*values.values()]) > 1e-9 * max(map(abs, values.values()))
    ]
    if not vary:
        return
    s, weight = np.polynomial.legendre.leggauss(40)
    x, error = 0.5 * (s + 1), 0.0
    for values in along[1:3]:
        here = np.interp(x, sorted(values), [values[k] for k in sorted(values)])
        for arm in (
            x,
            1 - x,
        ):  # clamped at either end, loaded at the other: the deflection is int arm^2 / E I
            if (here > 0).all():
                error = max(error, abs(3 * _mean(values) * float(0.5 * weight @ (arm**2 / here)) - 1))
    doubts.append(
        f"{row.name} {row.whole(1)} varies along the beam ({', '.join(vary)}); the means are taken for each element, "
        f"which as a cantilever is off by up to {100 * error:.2g} % in stiffness. Divide such beams into several "
        "elements with properties of their own"
    )


def _pbeam(row: Row, doubts: list[str]) -> BarSection:
    """Return a constant section: the means over the length of what is given at stations along it."""
    first = row.reals(3, 6, 0.0)  # A, I1, I2, I12, J, NSM
    stations = ("YES", "YESA", "NO")
    points, last = ((), 9) if row.word(9) in stations else (_points(row, 9), 17)
    along: list[dict[float, float]] = [{0.0: float(value)} for value in first]
    while row.word(last) in stations:
        for k, values in enumerate(along):
            if row.word(last + 2 + k):
                values[row.real(last + 1)] = row.real(last + 2 + k)
        last += 16 if row.word(last) == "YES" else 8
    first = np.array([_mean(values) for values in along])
    _tell_taper(row, along, doubts)
    K1, K2 = row.real(last, 1.0), row.real(last + 1, 1.0)
    if any(row.real(last + k, 0.0) for k in (2, 3, 4, 5, 8, 9, 10, 11)):
        raise row.error(f"PBEAM {row.whole(1)}: S1, S2, NSI and M are not supported")
    if any(row.real(last + k, 0.0) for k in (6, 7)):
        doubts.append(f"PBEAM {row.whole(1)}: warping (CW) is left out")
    shift = row.reals(last + 12, 2, 0.0)
    other = [row.real(last + 14 + k, float(value)) for k, value in enumerate(shift)]
    if not np.allclose(other, shift, rtol=1e-9, atol=0.0):
        raise row.error(f"PBEAM {row.whole(1)}: its neutral axis is not parallel to its shear centres")
    A, I1, I2, I12, J, extra = map(float, first)
    if extra and shift.any():
        raise row.error(
            f"PBEAM {row.whole(1)}: NSM beside the neutral axis (N1, N2) is not supported; use CONM2"
        )
    it = _Constants(A, I1, I2, I12, J, K1, K2, points, (-float(shift[0]), -float(shift[1])))
    return BarSection(row.whole(2), extra, K1 + K2 > 0, _checked(row, it, doubts), shift)


def _library(row: Row, doubts: list[str]) -> BarSection:
    """Return a section of the library, of PBARL or PBEAML; of sizes along a PBEAML the means of its constants."""
    kind, what = row.word(4), f"{row.name} {row.whole(1)}"
    if row.word(3) not in ("", "MSCBML0"):
        raise row.error(f"{what}: sections of the group {row.word(3)} are not supported")
    if kind not in _SHAPES:
        known = ", ".join(sorted(_SHAPES))
        raise row.error(f"{what}: a section of type {kind!r} is not supported; there are {known}")
    count, make = _SHAPES[kind]
    along = {0.0: np.append(_sizes(row, kind, count), row.real(9 + count, 0.0))}  # sizes and NSM
    if row.name == "PBEAML":
        _add_stations(row, 10 + count, along)

    def sections(nu: float, length: float) -> dict[float, Section]:
        try:
            return {x: make(row, sizes[:-1] * length, nu) for x, sizes in along.items()}
        except InputError as error:
            raise row.error(f"{what}: {error}") from None

    shifts = [np.zeros(2)]
    if row.name == "PBEAML":  # the axis of a PBARL's bars is both that of centroids and that of shear centres
        shifts = [
            np.array([-its.shear_centre[1], its.shear_centre[0]]) for its in sections(0.3, 1.0).values()
        ]
    shift = shifts[0]
    if np.ptp(shifts, axis=0).max() > 1e-9 * np.abs(shifts).max():
        raise row.error(f"{what}: its neutral axis is not parallel to its shear centres")
    extra = {x: float(sizes[-1]) for x, sizes in along.items()}
    if len(along) > 1:
        found = sections(0.3, 1.0)
        columns = [
            {x: getattr(its, name) for x, its in found.items()} for name in ("A", "Iy", "Iz", "Iyz", "J")
        ]
        _tell_taper(row, [*columns, extra], doubts)

    def shape(nu: float, units: Units) -> Section:
        centre = (float(shift[1]) * units.length, -float(shift[0]) * units.length)
        first, *others = (found := sections(nu, units.length)).values()
        if not others:
            return replace(first, shear_centre=centre, centroid=(0.0, 0.0))
        A, Iy, Iz, J, ky, kz, Iyz = (
            _mean({x: getattr(its, name) for x, its in found.items()})
            for name in ("A", "Iy", "Iz", "J", "ky", "kz", "Iyz")
        )
        # stresses vary along the beam: without points they are nan
        return Section(A=A, Iy=Iy, Iz=Iz, J=J, ky=ky, kz=kz, Iyz=Iyz, shear_centre=centre)

    if _mean(extra) and shift.any():
        raise row.error(f"{what}: NSM beside the neutral axis is not supported; use CONM2")
    return BarSection(row.whole(2), _mean(extra), True, shape, shift)


def _sizes(row: Row, kind: str, count: int) -> np.ndarray:
    """Return the sizes; blank walls of a DBOX are as thick as its left side, of its right cell as the right one."""
    if kind != "DBOX":
        return row.reals(9, count)
    sizes = list(row.reals(9, 4))
    for k in range(4, count):
        sizes.append(row.real(9 + k, sizes[3] if k < 8 else sizes[5]))
    return np.array(sizes)


def _add_stations(row: Row, at: int, along: dict[float, np.ndarray]) -> None:
    """Add the sizes and NSM at stations along a PBEAML; what is blank at its second end is as at its first."""
    first = along[0.0]
    while row.word(at) in ("YES", "NO"):
        x = row.real(at + 1, 1.0)
        given = [row.real(at + 2 + k, float(value) if x == 1 else None) for k, value in enumerate(first)]
        along[x] = np.array(given)
        at += 2 + len(first)
    if all(np.allclose(sizes, first, rtol=1e-9, atol=0.0) for sizes in along.values()):
        along.clear()
        along[0.0] = first


def _i_section(row: Row, sizes: np.ndarray, nu: float) -> Section:
    height, lower, upper, web, below, above = sizes
    if abs(lower - upper) > 1e-9 * lower or abs(below - above) > 1e-9 * below:
        return section_of_walls("I", sizes, nu)
    return ISection(height, lower, web=web, flange=below, nu=nu)


def _hexagon(row: Row, sizes: np.ndarray, nu: float) -> Section:
    """Return a hexagon alike about both axes, whose tips stand out on either side."""
    tip, width, height = sizes
    if not (tip > 0 and height > 0 and width > 2 * tip):
        raise InputError(f"a hexagon of {width:g} x {height:g} m with tips of {tip:g} m has no flat sides")
    half = [(width / 2, 0.0), (width / 2 - tip, height / 2), (tip - width / 2, height / 2)]
    return DrawnSection([half + [(-y, -z) for y, z in half]], nu=nu)


def _walled(kind: str) -> tuple[int, Callable[[Row, np.ndarray, float], Section]]:
    return WALLED[kind][0], lambda row, sizes, nu: section_of_walls(kind, sizes, nu)


_SHAPES: dict[str, tuple[int, Callable[[Row, np.ndarray, float], Section]]] = {
    **{kind: _walled(kind) for kind in WALLED},
    "BAR": (2, lambda row, d, nu: Rectangle(width_y=d[0], height_z=d[1], nu=nu)),
    "ROD": (1, lambda row, d, nu: Circle(2 * d[0], nu=nu)),
    "TUBE": (2, lambda row, d, nu: Tube(2 * d[0], 2 * d[1], nu=nu) if d[1] > 0 else Circle(2 * d[0], nu=nu)),
    "TUBE2": (2, lambda row, d, nu: Tube(2 * d[0], thickness=d[1], nu=nu)),
    "I": (6, _i_section),
    "BOX": (4, lambda row, d, nu: section_of_walls("BOX1", d[[0, 1, 2, 2, 3, 3]], nu)),
    "HEXA": (3, _hexagon),
}
_READERS: dict[str, Callable[[Row, list[str]], BarSection]] = {
    "PBAR": _pbar,
    "PBARL": _library,
    "PBEAM": _pbeam,
    "PBEAML": _library,
}
