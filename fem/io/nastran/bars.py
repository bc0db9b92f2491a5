"""Rods, bars and beams of bulk data: CROD, CTUBE, CONROD, CBAR, CBEAM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ...elements.properties import Beam, Truss
from ...mesh.left_out import Omissions
from ...model.parts import Part, Spring
from ...properties.material import Isotropic
from ..units import Units
from .bar_sections import BarSection
from .cards import Deck, Row
from .elements import Elements, Key
from .grids import Grids
from .materials import Materials, Missing
from .shells import rounded

#: the freedoms of Nastran's element axes in ours: its y axis is our z, its z axis our -y
_RELEASES = {"1": "ux", "2": "uz", "3": "uy", "4": "rx", "5": "rz", "6": "ry"}
#: how the orientation may be given: in the axes of the first grid point, or in basic axes; offsets always in the former
_ORIENTATIONS = {"": True, "GGG": True, "BGG": False}


def add_rods(elements: Elements, deck: Deck, grids: Grids) -> dict[int, Row]:
    """Add CROD, CTUBE and CONROD; return the CONROD cards by a number of property that no other has (negative)."""
    for table in deck.of("CROD", "CTUBE"):
        ids, pids = table.ints(1), table.ints(2, 0)
        nodes = grids.index(np.column_stack([table.ints(3), table.ints(4)]), table.lines)
        elements.add("line2", nodes, ids, np.where(pids == 0, ids, pids), table.lines)
    alone = {}
    for row in deck.rows("CONROD"):
        number, line = row.whole(1), np.array([row.line])
        nodes = grids.index(np.array([[row.whole(2), row.whole(3)]]), line)
        elements.add("line2", nodes, np.array([number]), np.array([-number]), line)
        alone[-number] = row
    return alone


def add_bars(elements: Elements, deck: Deck, grids: Grids, shifts: dict[int, np.ndarray]) -> None:
    """Add CBAR and CBEAM; the key is (up, offset of both ends, releases of both ends).

    ``shifts``: (y, z) in Nastran's element axes of the centroid from the line of shear centres, by property.
    """
    found: list[tuple[list[int], int, int, int, Key]] = []
    for row in deck.rows("CBAR", "CBEAM"):
        number = row.whole(1)
        a, b = grids.index(np.array([row.whole(3), row.whole(4)]), row.line)
        pid = row.whole(2, number)
        key = _key(row, grids, int(a), int(b), shifts.get(pid, np.zeros(2)))
        found.append(([int(a), int(b)], number, pid, row.line, key))
    if found:
        nodes, ids, pids, lines, keys = zip(*found, strict=True)
        elements.add("line2", np.array(nodes), np.array(ids), np.array(pids), np.array(lines), list(keys))


def _key(row: Row, grids: Grids, a: int, b: int, shift: np.ndarray) -> Key:
    where = f"{row.name} {row.whole(1)}"
    if row.word(8) not in _ORIENTATIONS:
        raise row.error(f"{where}: OFFT = {row.word(8)} is not supported; only GGG and BGG are")
    if row.name == "CBEAM" and (row.word(17) or row.word(18)):
        raise row.error(f"{where}: warping (SA, SB) is not supported")
    up = _up(row, grids, a, _ORIENTATIONS[row.word(8)])
    arms = np.zeros((2, 3))
    for end, (node, first) in enumerate(((a, 11), (b, 14))):
        given = row.reals(first, 3, 0.0)
        arms[end] = given @ grids.axes(int(grids.ids[node]), row.line) if given.any() else 0.0
    x = grids.points[b] - grids.points[a]
    length = np.linalg.norm(x)
    if length == 0:
        raise row.error(f"{where} has no length")
    along = x + arms[1] - arms[0]
    if np.linalg.norm(np.cross(up, along)) < 1e-9 * np.linalg.norm(up) * np.linalg.norm(along):
        raise row.error(f"{where}: its orientation is parallel to it")
    if shift.any():  # from the shear centres to the centroids, in the element's own axes
        axis = along / np.linalg.norm(along)
        y = up - (up @ axis) * axis
        y /= np.linalg.norm(y)
        arms = arms + shift[0] * y + shift[1] * np.cross(axis, y)
    offset: tuple = ()
    if arms.any():
        axis = x / length
        z = up - (up @ axis) * axis
        if np.linalg.norm(z) < 1e-9 * np.linalg.norm(up):
            raise row.error(f"{where}: its orientation is parallel to the line between its grid points")
        z /= np.linalg.norm(z)
        local = arms @ np.array([axis, np.cross(z, axis), z]).T
        local[np.abs(local) < 1e-12 * np.abs(arms).max()] = 0.0
        offset = tuple(tuple(map(rounded, end)) for end in local)
    pins = tuple(tuple(_released(row, k)) for k in (9, 10))
    return tuple(map(rounded, up)), offset, pins


def _up(row: Row, grids: Grids, a: int, of_grid: bool) -> np.ndarray:
    """Return the direction of Nastran's element y axis, which is our z, of length one."""
    word = row.word(5)
    if word and word.isdecimal() and not row.word(6) and not row.word(7):
        up = grids.at(int(word), row.line) - grids.points[a]
    else:
        up = row.reals(5, 3, 0.0)
        if of_grid and grids.turned[a]:
            up = up @ grids.axes(int(grids.ids[a]), row.line)
    length = np.linalg.norm(up)
    if not length > 0:
        raise row.error(f"{row.name} {row.whole(1)} has no orientation (X1, X2, X3 or G0)")
    return up / length


def _released(row: Row, k: int) -> list[str]:
    pins = row.word(k, "0")
    if not pins.isdecimal() or set(pins) - set("0123456"):
        raise row.error(f"{row.name} {row.whole(1)}: {pins!r} are no freedoms to release")
    return [_RELEASES[pin] for pin in sorted(set(pins) - {"0"})]


@dataclass(eq=False)
class BarProperty:
    """A PBAR, PBARL, PBEAM or PBEAML with its section in Nastran's axes."""

    row: Row
    section: BarSection
    units: Units
    mass_factor: float

    def beam(self, materials: Materials, key: Key) -> Beam:
        """Return the property of elements with a key of :func:`add_bars`."""
        material = isotropic(self.row, materials, self.section.material)
        up, offset, pins = key
        section = self.section.section(material.nu, self.units)
        extra = self.section.extra_mass * self.units.density * self.units.length**2 * self.mass_factor
        releases = {end: names for end, names in zip(("start", "end"), pins, strict=True) if names}
        length = self.units.length
        return Beam(
            material,
            section,
            up=up,
            shear=self.section.shear,
            line_mass=material.rho * section.A + extra if extra else None,
            offset=tuple(tuple(length * x for x in end) for end in offset) or (0.0, 0.0),
            releases=releases,
        )


def tube(row: Row) -> Row:
    """Return a PTUBE as a PROD has it: material, area, torsion constant, radius, mass of a unit length."""
    outer, t, other = row.real(3), row.real(4, 0.0), row.real(6, 0.0)
    if other and other != outer:
        raise row.error(
            f"PTUBE {row.whole(1)} is tapered (OD2 = {other:g}), which is for heat conduction only (QRG, PTUBE); write "
            "a PBEAM, or tubes of several diameters"
        )
    inner = outer - 2 * t if t else 0.0
    if not (outer > 0 and 0 <= inner < outer):
        raise row.error(f"PTUBE {row.whole(1)}: no tube of {outer:g} has walls of {t:g}")
    area, J = np.pi / 4 * (outer**2 - inner**2), np.pi / 32 * (outer**4 - inner**4)
    return Row(row.name, row.line, [row.word(1), row.word(2), f"{area:.17G}", f"{J:.17G}", "", row.word(5)])


def rod(row: Row, materials: Materials, units: Units, mass_factor: float) -> Truss:
    """Return the property of a PROD or CONROD card, or of a PTUBE by :func:`tube`."""
    first = 4 if row.name == "CONROD" else 2
    area, extra = row.real(first + 1, 0.0), row.real(first + 4, 0.0)
    if not area > 0:
        raise row.error(f"{row.name} {row.whole(1)} has no area")
    material = isotropic(row, materials, row.whole(first))
    if extra:
        more = extra * units.density * units.length**2 * mass_factor / (area * units.length**2)
        material = replace(material, rho=material.rho + more)
    return Truss(material, area * units.length**2)


def torsion_of_rods(
    deck: Deck, grids: Grids, turning: np.ndarray, materials: Materials, units: Units, left_out: Omissions
) -> Iterator[tuple[int, Part]]:
    """Yield, with their lines, springs G J / l about the axes of rods; left out where a grid point has no rotations."""
    given = [*deck.rows("PROD"), *map(tube, deck.rows("PTUBE"))]
    properties = {row.whole(1): row for row in given if row.real(4, 0.0)}
    rods = [(row, properties.get(row.whole(2, row.whole(1))), 3, 2) for row in deck.rows("CROD", "CTUBE")]
    rods += [(row, row, 2, 4) for row in deck.rows("CONROD") if row.real(6, 0.0)]
    for row, its, at, first in rods:
        if its is None:
            continue
        try:
            material = isotropic(its, materials, its.whole(first))
        except Missing:  # the property of the rod, which lacks the same, is told
            continue
        ends = [row.whole(at), row.whole(at + 1)]
        a, b = grids.index(np.array(ends), row.line)
        along = grids.points[b] - grids.points[a]
        length = float(np.linalg.norm(along))
        if not length:
            continue
        if not turning[[a, b]].all():
            left_out.add(f"J of {its.name} {its.whole(1)}", "grid points of its rods have no rotations")
            continue
        G = material.E / (2 * (1 + material.nu))
        six = [0.0, 0.0, 0.0, G * its.real(first + 2) * units.length**3 / length, 0.0, 0.0]
        across = np.linalg.svd(along[None])[2][1]
        axes = np.array([along / length, across, np.cross(along / length, across)])
        yield row.line, Spring(str(ends[0]), str(ends[1]), six, axes=axes)


def isotropic(row: Row, materials: Materials, number: int) -> Isotropic:
    """Return the material of a property; CardError for others than MAT1."""
    material = materials.of(number)
    if not isinstance(material, Isotropic):
        raise row.error(
            f"{row.name} {row.whole(1)} needs an isotropic material (MAT1), not material {number}"
        )
    return material
