"""Shells of bulk data: CQUAD4, CTRIA3, CQUADR, CTRIAR, CQUAD8, CTRIA6 with PSHELL."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from ...elements import SHAPES
from ...elements.properties import GeneralShell, Membrane, Shell
from ...elements.property import Property
from ...elements.shell.layered import Layer, LayeredShell
from ...elements.shell.material import SHEAR_FACTOR, plane_stress
from ...elements.shell.varying import FirstSide
from ...properties.material import Isotropic, Material
from ..place_thickness import PlaceThickness
from ..system_axes import SystemAxes, SystemAxis
from ..units import Units
from .cards import Deck, Row, Table
from .elements import Elements, Key
from .grids import Grids
from .lines import CardError
from .materials import Materials

#: thickness in the key of elements whose corners have different ones
VARIES = -1.0
#: difference from 5/6 of TS/T as it is written with few digits
_WRITTEN_FACTOR = 1e-3
#: digits to which directions and offsets of elements are compared
COMPARED_DIGITS = 12


class _Form(NamedTuple):
    """The kind of a card's elements, and its fields: THETA or MCID, ZOFFS, TFLAG, first thickness."""

    kind: str
    theta: int
    offset: int
    flag: int
    thickness: int


_FORMS = {
    "CQUAD4": _Form("quad4", 7, 8, 10, 11),
    "CQUADR": _Form("quad4", 7, 8, 10, 11),
    "CTRIA3": _Form("tri3", 6, 7, 10, 11),
    "CTRIAR": _Form("tri3", 6, 7, 10, 11),
    "CQUAD8": _Form("quad8", 15, 16, 17, 11),
    "CTRIA6": _Form("tri6", 9, 10, 14, 11),
}


def add_shells(elements: Elements, deck: Deck, grids: Grids, turned: set[int], plates: Plates) -> None:
    """Add shells.

    ``turned``: properties whose stiffness depends on a direction in the shell. The key of a shell is (thickness or 0,
    offset), and for these axis 1 of the material. The thickness is VARIES where that of the corners differs.
    """
    for card, form in _FORMS.items():
        for table in deck.of(card):
            _add(elements, table, form, grids, turned, plates)


def _add(
    elements: Elements, table: Table, form: _Form, grids: Grids, turned: set[int], plates: Plates
) -> None:
    count = SHAPES[form.kind].n_nodes
    ids = table.ints(1)
    pids = table.ints(2, 0)
    pids = np.where(pids == 0, ids, pids)
    numbers = table.numbers(3, count)
    if (numbers == 0).any():
        k = int(np.flatnonzero((numbers == 0).any(axis=1))[0])
        raise CardError(
            int(table.lines[k]),
            f"{table.name} {ids[k]} has {(numbers[k] != 0).sum()} grid points; all {count} must be given",
        )
    nodes = grids.index(numbers, table.lines)
    thickness, offset = _thickness(table, form, pids, plates), table.reals(form.offset, 0.0)
    for pid in np.unique(pids[uneven := thickness.uneven]):
        mine = uneven & (pids == pid)
        X = grids.points[nodes[mine]] * plates.length
        plates.varied.setdefault(int(pid), PlaceThickness()).add(X, thickness.mean[mine] * plates.length)
    given = np.where(uneven, VARIES, thickness.mean)
    keys: list[Key] = [(0.0, 0.0)] * len(ids)
    wanted = np.isin(pids, [*turned])
    if given.any() or offset.any() or wanted.any():
        axes = _axes(table, form, grids, nodes, wanted)
        keys = [(rounded(t), rounded(z), *its) for t, z, its in zip(given, offset, axes, strict=True)]
    elements.add(form.kind, nodes, ids, pids, table.lines, keys)


def rounded(value: float) -> float:
    """Return a number with as many digits as are compared."""
    return float(f"{value:.{COMPARED_DIGITS}g}") + 0.0 if abs(value) > 1e-13 else 0.0


class _Thickness(NamedTuple):
    """Mean thickness (n,) of elements, 0 for that of the property; and where it differs between the corners."""

    mean: np.ndarray
    uneven: np.ndarray


def _thickness(table: Table, form: _Form, pids: np.ndarray, plates: Plates) -> _Thickness:
    """Return the thicknesses that elements give for their corners: T1 to T4, over T of PSHELL with TFLAG = 1."""
    corners = 4 if form.kind.startswith("quad") else 3
    given = np.column_stack([table.given(form.thickness + k) for k in range(corners)])
    values = np.zeros(given.shape)
    if given.any():
        values = np.column_stack([table.reals(form.thickness + k, 0.0) for k in range(corners)])
    if (values < 0).any():
        k = int(np.flatnonzero((values < 0).any(axis=1))[0])
        raise CardError(int(table.lines[k]), f"{table.name} {table.ints(1)[k]} has a negative thickness")
    some = np.asarray((values > 0).any(axis=1))
    relative = (table.ints(form.flag, 0) == 1) & some
    if some.any():
        plain = np.array([plates.thickness.get(int(pid), 0.0) for pid in pids])[:, None]
        values = np.where(relative[:, None], np.where(values > 0, values, 1.0) * plain, values)
        values = np.where(some[:, None] & (values == 0), plain, values)
    wrong = some & (values == 0).any(axis=1)
    if wrong.any():
        k = int(np.flatnonzero(wrong)[0])
        why = "gives no thickness at some corners, nor does its property"
        raise CardError(int(table.lines[k]), f"{table.name} {table.ints(1)[k]} {why}")
    uneven = some & (np.ptp(values, axis=1) > 1e-12 * values.max(axis=1))
    return _Thickness(values.mean(axis=1), uneven)


def _axes(table: Table, form: _Form, grids: Grids, nodes: np.ndarray, wanted: np.ndarray) -> list[Key]:
    """Return axis 1 of the material of the elements that need one.

    ("side",), a direction (three components), or ("system", number).
    """
    found: list[Key] = [()] * len(table)
    text = table.text(form.theta)
    for k in np.flatnonzero(wanted):
        word, line = text[k].decode("latin-1").upper(), int(table.lines[k])
        if word and word.lstrip("+-").isdecimal():
            grids.system(int(word), line)
            found[k] = ("system", int(word))
            continue
        degrees = Row(table.name, line, [word]).real(1, 0.0)
        found[k] = _turned_side(grids.points[nodes[k]], degrees) if degrees else ("side",)
    return found


def _turned_side(X: np.ndarray, degrees: float) -> Key:
    """Return the direction of the first side of an element with points X (nn, 3), turned about its normal."""
    side = X[1] - X[0]
    normal = np.cross(side, X[2] - X[0]) if len(X) in (3, 6) else np.cross(X[2] - X[0], X[3] - X[1])
    length = np.linalg.norm(normal)
    if length == 0 or not side.any():
        return ("side",)  # the check of the mesh refuses it
    normal = normal / length
    side = side - (side @ normal) * normal
    side /= np.linalg.norm(side)
    angle = np.radians(degrees)
    return tuple(map(rounded, np.cos(angle) * side + np.sin(angle) * np.cross(normal, side)))


def axis_of(key: Key, grids: Grids, length: float) -> Any:
    """Return axis 1 of the material from a key of :func:`add_shells`."""
    first = key[2:] or ("side",)
    if first[0] != "system":
        return first if len(first) == 3 else FirstSide()
    system = grids.system(first[1], 0)
    return tuple(system.axes[0]) if system.kind == "rectangular" else SystemAxis(SystemAxes(system, length))


def layered_shell(
    layers: list[tuple[Material, float, float]], offset: float, key: Key, grids: Grids, length: float
) -> Property:
    """Return a shell of layers (material, thickness in m, degrees) with the axis of a key."""
    made = [Layer(material, thickness, degrees) for material, thickness, degrees in layers]
    return LayeredShell(tuple(made), axis=axis_of(key, grids, length), offset=offset)


@dataclass(eq=False)
class Plates:
    """Thicknesses by the number of PSHELL: T in units of the file, and those that vary between corners, in m."""

    length: float
    thickness: dict[int, float] = field(default_factory=dict)
    varied: dict[int, PlaceThickness] = field(default_factory=dict)


@dataclass(eq=False)
class PlateSection:
    """A PSHELL: materials of membrane, bending and transverse shear."""

    row: Row
    units: Units
    mass_factor: float
    grids: Grids
    plates: Plates

    def materials(self) -> set[int]:
        """Return the numbers of its materials."""
        return {number for k in (2, 4, 6, 11) if (number := self.row.whole(k, 0)) > 0}

    @property
    def flat(self) -> bool:
        """Whether it has no bending stiffness: MID2 is blank, or -1 for plane strain."""
        return self.row.whole(4, 0) in (0, -1)

    def doubts(self) -> list[str]:
        """Return the differences from what Nastran computes, as sentences."""
        if self.row.word(6) or self.flat:
            return []
        return [
            f"PSHELL {self.row.whole(1)} has no MID3, which means rigid in transverse shear; here its material's shear "
            "stiffness is taken, which matters in thick plates only"
        ]

    def shell(self, materials: Materials, key: Key) -> Property:
        """Return the property of elements with a key of :func:`add_shells`."""
        row, length = self.row, self.units.length
        self._check()
        varied = self.plates.varied[row.whole(1)] if key[0] == VARIES else None
        thickness = varied.mean if varied else (key[0] or row.real(3, 0.0)) * length
        if not thickness > 0:
            raise row.error("PSHELL has no thickness, nor have its elements")
        membrane = materials.of(row.whole(2))
        if row.word(8) and row.real(8):
            if varied:
                raise row.error(
                    f"PSHELL {row.whole(1)}: NSM of elements whose thickness varies is not supported"
                )
            extra = row.real(8) * self.units.density * length * self.mass_factor / thickness
            membrane = replace(membrane, rho=membrane.rho + extra)
        if self.flat:
            if key[1]:
                raise row.error(
                    f"PSHELL {row.whole(1)} has no bending stiffness, which ZOFFS of its elements needs"
                )
            axis = None if isinstance(membrane, Isotropic) else axis_of(key, self.grids, length)
            strain = row.whole(4, 0) == -1
            return Membrane(membrane, thickness, plane_strain=strain, thickness_at=varied, axis=axis)
        return self._plate(materials, membrane, thickness, varied, key)

    def _plate(
        self,
        materials: Materials,
        membrane: Material,
        thickness: float,
        varied: PlaceThickness | None,
        key: Key,
    ) -> Property:
        """Return a shell that bends."""
        row, length = self.row, self.units.length
        bending, number = materials.of(row.whole(4)), row.whole(6, 0)
        by_plane = number in materials.planes  # MAT2: two shear stiffnesses in place of a material
        shear = materials.of(number) if number and not by_plane else bending
        offset, factors = key[1] * length, (row.real(5, 1.0), row.real(7, SHEAR_FACTOR))
        if abs(factors[1] - SHEAR_FACTOR) < _WRITTEN_FACTOR:
            factors = factors[0], SHEAR_FACTOR
        its, coupled = (membrane, bending, shear), bool(row.word(11))
        one = {row.whole(k) for k in (2, 4, 6) if row.word(k)} == {row.whole(2)}
        plain = one and factors == (1.0, SHEAR_FACTOR)
        if not (by_plane or coupled) and all(isinstance(each, Isotropic) for each in its):
            others: dict[str, Any] = {} if plain else {"bending_material": bending, "shear_material": shear}
            return Shell(
                membrane, thickness, offset=offset, thickness_at=varied, bending_factor=factors[0],
                shear_factor=factors[1], **others,
            )  # fmt: skip
        if varied:
            raise row.error(
                f"PSHELL {row.whole(1)}: a thickness that varies is supported for isotropic materials (MAT1) only"
            )
        if plain and not (by_plane or coupled):
            return layered_shell([(membrane, thickness, 0.0)], offset, key, self.grids, length)
        return self._general(materials, its, thickness, factors, key)

    def _general(
        self,
        materials: Materials,
        its: tuple[Material, Material, Material],
        T: float,
        factors: tuple,
        key: Key,
    ) -> Property:
        """Return a shell of membrane, bending and shear of any materials, and of their coupling.

        With strains e and curvatures k of tension at the top, N = T G1 e - T^2 G4 k and M = - T^2 G4 e + I G2 k: the
        coupling of layers is G4 = - int z G dz / T^2. T may be any number, such as 1; the shell is as thick as a solid
        section of the same tr D / tr A.
        """
        row, length = self.row, self.units.length
        membrane, bending, shear = its
        A, D = (plane_stress(material)[0] for material in (membrane, bending))
        B = np.zeros((3, 3))
        if row.word(11):
            B = -(T**2) * materials.plane(row.whole(11))
        number = row.whole(6, 0)
        G = materials.planes[number][:2, :2] if number in materials.planes else plane_stress(shear)[1]
        plane = np.block([[T * A, B], [B.T, factors[0] * T**3 / 12 * D]])
        thickness = float(np.sqrt(12 * np.trace(plane[3:, 3:]) / np.trace(plane[:3, :3])))
        axis, mass = axis_of(key, self.grids, length), membrane.rho * T
        return GeneralShell(plane, factors[1] * T * G, thickness, mass, axis=axis, offset=key[1] * length)

    def _check(self) -> None:
        """Raise CardError for plates that lack membrane stiffness, or have shear or coupling without bending."""
        row, wrong = self.row, []
        if row.whole(2, 0) < 1:
            wrong.append("MID1 is blank (bending without membrane stiffness)")
        if row.whole(4, 0) < -1:
            wrong.append(f"MID2 is {row.word(4)}")
        if self.flat:
            wrong += [f"{name} needs MID2" for name, k in (("MID3", 6), ("MID4", 11)) if row.word(k)]
        if wrong:
            raise row.error(f"PSHELL {row.whole(1)} is not supported: {', '.join(wrong)}")
