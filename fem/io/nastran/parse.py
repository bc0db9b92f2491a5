"""Nastran bulk data: from the cards of a file to a mesh with all that belongs to the body.

Why no library: pyNastran (1.4.1) demands numpy below 2 and keeps each card as an object; meshio (5.3.5) and its fork
meshlane (5.5.0) lose coordinate systems, properties and connections. See decision 17.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...common.errors import FileError, InputError, few
from ...elements.properties import Solid
from ...elements.property import Property
from ...properties.material import NO_MASS, Isotropic, Material
from ..loose import FormatWords, loose_equations
from ..raw import RawMesh, last_line
from ..system_axes import SystemAxes
from ..units import Units
from .bar_sections import section_of
from .bars import BarProperty, add_bars, add_rods, rod, torsion_of_rods, tube
from .cards import Deck, Row, deck_of
from .case import Case, case_of
from .connections import Connections
from .defaults import with_defaults
from .element_axes import PlaceAxes
from .elements import Elements, Key, add_solids, check_properties
from .grids import Grids, grids_of
from .known import leave_out, leave_out_fields, meant
from .laminates import LaminateSection
from .lines import CardError, Lines, read_lines, sections_of
from .masses_and_springs import masses_of, springs_of
from .materials import Materials, Missing, materials_of
from .nonstructural import NonstructuralMasses
from .replication import replicated
from .shear_panels import PanelSection, add_panels, bars_of_panels
from .shells import Plates, PlateSection, add_shells
from .supports import cards_of, chosen_sets, supports_of

#: makes the property of elements with a key; Missing where the file lacks its material
Maker = Callable[[Key], Material | Property]
_PROPERTIES = (
    "PSOLID",
    "PSHELL",
    "PCOMP",
    "PCOMPG",
    "PBAR",
    "PBARL",
    "PBEAM",
    "PBEAML",
    "PROD",
    "PTUBE",
    "PSHEAR",
)
_CUT_OFF = "there is no ENDDATA at its end: it may have been cut off"
_BARS = ("PBAR", "PBARL", "PBEAM", "PBEAML")
_LOOSE = FormatWords(
    node="grid point",
    elements="membranes, shear panels and rods",
    program="Nastran's AUTOSPC holds such motions",
    mend="Give bending stiffness (MID2 of PSHELL, or bars), or hold them (SPC1)",
)
_MATRICES = "matrices of a deck are not read; fem.from_matrices takes them"
#: parameters whose effect the structure has not, or has in another way
_PARAMETERS = {
    "COUPMASS": "the mass is consistent, as with COUPMASS = 1; fem.assemble(lumped=True) lumps it",
    "G": "structural damping is no part of a body; give damping_ratio= to the flexible body",
    "W3": "structural damping is no part of a body; give damping_ratio= to the flexible body",
    "W4": "structural damping is no part of a body; give damping_ratio= to the flexible body",
    "K6ROT": "shells have a stiffness of their own about their normals",
    "SNORM": "normals at the grid points of shells are not read",
    **dict.fromkeys(("CK1", "CK2", "CK3", "CM1", "CM2", "CB1", "CB2"), _MATRICES),
}


def read_nastran(
    path: Path, units: Units, chosen: Mapping[str, int | None] = MappingProxyType({})
) -> RawMesh:
    """Read a bulk data file (full deck or bulk data alone) with the files that it includes.

    ``chosen``: numbers of the sets of SPC, MPC and NSM that apply, in place of those that case control chooses. Raises
    :class:`FileError` with the line for what can't be read, and for stiffness or mass that is not supported.
    """
    lines = Lines([path])
    bulk, full = range(0), False
    try:
        read_lines(lines)
        case_lines, bulk, full = sections_of(lines)
        case = case_of(lines, case_lines)
        bulk = replicated(lines, bulk)
        deck = deck_of(lines, bulk)
        raw = _Reader(path, units, lines, deck, case, full, chosen).read()
        if full and not _ended(lines, bulk):
            raw.doubts.append(_CUT_OFF)
        return raw
    except CardError as error:
        cut = f"; {_CUT_OFF}" if full and not _ended(lines, bulk) else ""
        raise FileError(f"{path}, line {lines.place(error.line)}: {error}{cut}") from None


def _ended(lines: Lines, bulk: range) -> bool:
    return bulk.stop < len(lines.text)


@dataclass(eq=False)
class _Reader:
    """The steps from cards to a mesh."""

    path: Path
    units: Units
    lines: Lines
    deck: Deck
    case: Case
    full: bool
    given: Mapping[str, int | None]
    doubts: list[str] = field(default_factory=list)

    def read(self) -> RawMesh:
        """Return the content of the deck."""
        deck, units = self.deck, self.units
        if not deck.tables:
            raise FileError(
                f"{self.path} holds no bulk data cards: it is not a Nastran file, or it was cut off"
                f"{last_line(self.path)}"
            )
        raw = RawMesh(np.empty((0, 3)), [], doubts=self.doubts)
        self.factor = self._mass_factor(raw)
        with_defaults(deck)
        leave_out(deck, self.lines, raw.left_out, self.doubts)
        leave_out_fields(deck, self.lines, raw.left_out)
        grids = grids_of(deck)
        raw.points, raw.node_ids = grids.points, grids.ids
        raw.systems = {str(number): system for number, system in grids.systems.items()}
        materials = materials_of(deck, units, self.factor, self.doubts)
        raw.materials = {str(number): material for number, material in materials.found.items()}
        elements, makers, names = self._elements(grids, materials)
        raw.blocks = elements.blocks
        for name in () if raw.blocks else ("CONM1", "CONM2", "CMASS1", "CMASS2", "CELAS1", "CELAS2", "CBUSH"):
            if count := sum(map(len, deck.of(name))):
                raw.other[name] = count
        elements.check_numbers()
        turning = self._properties(raw, elements, makers, names)
        chosen = self._sets_of("NSM")
        NonstructuralMasses(raw, elements, names, units, self.factor, chosen, raw.left_out, self.lines).add(
            deck
        )
        self._parts(raw, grids, turning, materials)
        self._sets(raw, elements, grids)
        self._tell_massless(raw, materials)
        return raw

    def _mass_factor(self, raw: RawMesh) -> float:
        """Return PARAM,WTMASS, and note other parameters."""
        factor = 1.0
        for row in (*self.deck.rows("PARAM"), *self.case.parameters):  # those of case control prevail
            if row.word(1) == "WTMASS":
                factor = row.real(2)
                if not factor > 0:
                    raise row.error("WTMASS must be positive")
            else:
                raw.left_out.add(
                    f"PARAM {row.word(1)}",
                    _PARAMETERS.get(row.word(1), "says how to compute, not what"),
                    self.lines.place(row.line),
                )
        for line in self.case.others:
            raw.left_out.add("case control", "only SPC, MPC, SET and PARAM are read", self.lines.place(line))
        return factor

    # ---- elements and properties -----------------------------------------------------------------------

    def _elements(
        self, grids: Grids, materials: Materials
    ) -> tuple[Elements, dict[int, Maker], dict[int, str]]:
        """Return all elements; by property what makes it, and its name."""
        deck, elements = self.deck, Elements(files=tuple(file.name for file in self.lines.files))
        rows: dict[int, Row] = {}
        for row in deck.rows(*_PROPERTIES):
            number = row.whole(1)
            if number in rows:
                raise row.error(f"property {number} is given twice")
            rows[number] = row
        check_properties(deck, rows)
        makers, names = {}, {number: f"{row.name} {number}" for number, row in rows.items()}
        shifts, turned, laminates = {}, set(), {}
        plates = Plates(self.units.length)
        sections = {
            number: PlateSection(row, self.units, self.factor, grids, plates)
            for number, row in rows.items()
            if row.name == "PSHELL"
        }
        plates.thickness = {number: plate.row.real(3, 0.0) for number, plate in sections.items()}
        for number, row in rows.items():
            if row.name in _BARS:
                section = section_of(row, self.doubts)
                bar = BarProperty(row, section, self.units, self.factor)
                makers[number] = _maker(bar.beam, materials)
                if section.shift.any():
                    shifts[number] = section.shift
            elif row.name == "PSHELL":
                makers[number] = _maker(sections[number].shell, materials)
                its = [materials.found.get(m) for m in sections[number].materials()]
                if not all(isinstance(material, Isotropic) for material in its):
                    turned.add(number)
            elif row.name in ("PCOMP", "PCOMPG"):
                laminates[number] = LaminateSection(row, self.units, self.factor, grids)
                makers[number] = _maker(laminates[number].shell, materials)
                turned.add(number)
            elif row.name == "PSHEAR":
                makers[number] = _maker(PanelSection(row, self.units, self.factor).panel, materials)
            elif row.name == "PSOLID":
                makers[number] = self._solid(row, materials, grids, elements)
            elif row.name in ("PROD", "PTUBE"):
                makers[number] = self._rod(row if row.name == "PROD" else tube(row), materials)
        add_solids(elements, deck, grids)
        add_shells(elements, deck, grids, turned, plates)
        add_panels(elements, deck, grids)
        for number, row in add_rods(elements, deck, grids).items():
            makers[number], names[number] = self._rod(row, materials), f"CONROD {-number}"
        add_bars(elements, deck, grids, shifts)
        for number in elements.members:
            if number not in rows and number not in makers:
                self._refuse_unknown(number, elements)
            for its in (sections.get(number), laminates.get(number)):
                self.doubts.extend(its.doubts() if its else ())
        return elements, makers, names

    def _refuse_unknown(self, number: int, elements: Elements) -> None:
        """Raise CardError for elements whose property is of another kind; one that is missing gives a doubt."""
        for row in self.deck.rows(*[name for name in self.deck.tables if name.startswith("P")]):
            if row.name not in ("PARAM", "PELAS", "PBUSH", "PDAMP", "PMASS") and row.word(1) == str(number):
                raise row.error(
                    f"{row.name} {number} is not supported{meant(row.name)}, and elements have it"
                )
        counts = ", ".join(f"{n} {kind}" for kind, n in elements.kinds[number].items())
        line = self.lines.place(elements.first_line[number])
        self.doubts.append(f"property {number} of {counts} is not in the file (first used in line {line})")

    def _solid(self, row: Row, materials: Materials, grids: Grids, elements: Elements) -> Maker:
        def make(_: Key) -> Material | Property:
            if row.word(7) not in ("", "SMECH"):
                raise row.error(f"PSOLID {row.whole(1)}: FCTN = {row.word(7)} is not supported")
            material = materials.of(row.whole(2))
            if isinstance(material, Isotropic):
                return material
            number = row.whole(3, 0)
            if number == -1:
                return Solid(material, axes=self._axes_of_elements(row, grids, elements))
            system = grids.system(number, row.line)
            if system.kind == "rectangular":
                return Solid(replace(material, axes=tuple(map(tuple, system.axes))))
            self._tell_directions(row)
            return Solid(material, axes=SystemAxes(system, self.units.length))

        return make

    def _axes_of_elements(self, row: Row, grids: Grids, elements: Elements) -> PlaceAxes:
        """Return the element coordinate systems of a PSOLID's bricks."""
        kinds = elements.kinds[row.whole(1)]
        if others := [kind for kind in kinds if kind not in ("hex8", "hex20")]:
            raise row.error(
                f"PSOLID {row.whole(1)}: CORDM = -1, material axes along those of each element, is supported for CHEXA "
                f"only, not for {', '.join(others)}; give the number of a coordinate system"
            )
        found, start = PlaceAxes(), 0
        members = np.concatenate(elements.members[row.whole(1)][()])
        for block in elements.blocks:
            mine = members[(members >= start) & (members < start + len(block))] - start
            if len(mine):
                found.add(grids.points[block.nodes[mine]] * self.units.length)
            start += len(block)
        return found

    def _tell_directions(self, row: Row) -> None:
        self.doubts.append(
            f"the material axes of PSOLID {row.whole(1)} turn from place to place (CORDM = {row.word(3)}); each "
            "element has those at its middle"
        )

    def _rod(self, row: Row, materials: Materials) -> Maker:
        return lambda _: rod(row, materials, self.units, self.factor)

    def _properties(
        self, raw: RawMesh, elements: Elements, makers: dict[int, Maker], names: dict[int, str]
    ) -> np.ndarray:
        """Fill element sets and properties; return which grid points have rotations, (n,)."""
        kind_of = np.concatenate(
            [np.full(len(b), k) for k, b in enumerate(elements.blocks)] or [np.empty(0, int)]
        )
        starts = np.concatenate([[0], np.cumsum([len(b) for b in elements.blocks])]).astype(int)
        turning = np.zeros(len(raw.points), bool)
        for number, table in sorted(elements.members.items()):
            name = names.get(number, f"property {number}")
            for k, (key, found) in enumerate(table.items()):
                label = name if len(table) == 1 else f"{name} ({k + 1})"
                members = np.concatenate(found)
                raw.element_sets[label] = members
                its = self._property(number, key, makers, elements)
                raw.properties[label] = its
                if getattr(its, "freedoms", 3) == 6:
                    for block in np.unique(kind_of[members]):
                        rows = members[kind_of[members] == block] - starts[block]
                        turning[elements.blocks[block].nodes[rows]] = True
            if len(table) > 1:
                raw.element_sets[name] = np.concatenate([m for found in table.values() for m in found])
        return turning

    def _property(
        self, number: int, key: Key, makers: dict[int, Maker], elements: Elements
    ) -> Material | Property | None:
        """Return a property; None where the file lacks it, or its material, and a doubt says so."""
        line = elements.first_line[number]
        if number not in makers:
            return None
        try:
            its = makers[number](key)
        except Missing as why:
            if not any(one.startswith(str(why)) for one in self.doubts):
                self.doubts.append(f"{why} (needed in line {self.lines.place(line)})")
            return None
        except InputError as error:
            raise CardError(line, f"the property {number} of the element: {error}") from None
        allowed = its.kinds if isinstance(its, Property) else Solid.kinds
        wrong = [kind for kind in elements.kinds[number] if kind not in allowed]
        if wrong:
            raise CardError(line, f"property {number} can't be that of {', '.join(wrong)} elements")
        return its

    # ---- parts and sets --------------------------------------------------------------------------------

    def _parts(self, raw: RawMesh, grids: Grids, turning: np.ndarray, materials: Materials) -> None:
        deck, units = self.deck, self.units
        spcs, mpcs = (self._sets_of(name) for name in ("SPC", "MPC"))
        for row in deck.rows("MPC"):
            if mpcs is not None and row.whole(1) not in mpcs:
                raw.left_out.add("MPC", "this set is not chosen", self.lines.place(row.line))
        alone = np.ones(len(raw.points), bool)
        for block in raw.blocks:
            alone[block.nodes] = False
        connections = Connections(grids, units, turning | alone, self.doubts)
        for line, part in (
            *connections.all(deck, mpcs),
            *springs_of(deck, grids, units, raw.left_out, self.lines, self.doubts),
            *bars_of_panels(deck, grids, materials, units),
            *torsion_of_rods(deck, grids, turning, materials, units, raw.left_out),
            *masses_of(deck, grids, units, self.factor, self.doubts, raw.left_out, self.lines),
        ):
            raw.parts.append(part)
            raw.say_lines(f"line {self.lines.place(line)}")
        raw.node_sets |= connections.sets
        supports = supports_of(deck, grids, units, spcs, raw.left_out, self.lines)
        raw.node_sets |= supports.sets
        raw.supports = dict(supports.found)
        raw.turned_supports = supports.equations
        raw.parts += loose_equations(raw, lambda node: str(grids.ids[node]), _LOOSE)
        raw.say_lines("")

    def _sets_of(self, name: str) -> list[int] | None:
        """Return the sets of SPC, MPC or NSM that apply; None for all: there is one."""
        deck = self.deck
        chosen = chosen_sets(deck, f"{name}ADD", name, self._chosen(name))
        there = {row.whole(1) for row in deck.rows(*cards_of(name))}
        if deck.of(f"{name}ADD") and (lost := sorted(set(chosen or ()) - there)):
            self.doubts.append(
                f"{name}ADD names sets of {name} that the file does not hold: {few(map(str, lost))}"
            )
        return chosen

    def _chosen(self, name: str) -> list[int] | None:
        """Return the set of SPC, MPC or NSM that applies, none, or None where all apply: there is one."""
        deck, word, by_case = self.deck, name.lower(), self.case.chosen(name)
        numbers = {row.whole(1) for row in deck.rows(*cards_of(name), f"{name}ADD")}
        given = self.given.get(name)
        if given is not None:
            if given not in numbers:
                there = ", ".join(map(str, sorted(numbers))) or "none"
                raise FileError(f"{self.path} has no set {given} of {name}; its sets are {there}")
            return [given]
        if self.full and not self.case.empty:
            if by_case and by_case[0] not in numbers:
                self.doubts.append(
                    f"case control chooses {name} = {by_case[0]}, and the file has no such set: none of {name} applies"
                )
            if len(by_case) > 1:
                others = ", ".join(map(str, by_case[1:]))
                self.doubts.append(
                    f"the subcases choose different {name}: {by_case[0]} applies here, that of the first; choose "
                    f"{others} by fem.read_mesh(..., {word}=)"
                )
            return by_case[:1]
        sums = {row.whole(1) for row in deck.rows(f"{name}ADD")}
        if len(sums) != 1 and len(numbers) > 1:
            there = ", ".join(map(str, sorted(numbers)))
            self.doubts.append(
                f"it has the sets {there} of {name} and no case control that chooses one, so none applies; choose one "
                f"by fem.read_mesh(..., {word}=)"
            )
        return None

    def _sets(self, raw: RawMesh, elements: Elements, grids: Grids) -> None:
        """Add the sets of case control and bulk data: of grid points, of elements, or of both if both exist."""
        ids = np.concatenate([block.ids for block in elements.blocks] or [np.empty(0, np.int64)])
        named = dict(self.case.sets)
        for row in self.deck.rows("SET1"):
            words = [word for word in row.words[1:] if word and word != "SKIN"]
            named[row.whole(1)] = Row("SET1", row.line, words).members(1)
        for row in self.deck.rows("SET3"):
            if row.word(2) in ("GRID", "POINT", "ELEM", "ELEMENT"):
                named[row.whole(1)] = row.members(3)
        for number, members in named.items():
            nodes = np.flatnonzero(np.isin(grids.ids, members))
            of_elements = np.flatnonzero(np.isin(ids, members))
            if len(nodes):
                raw.node_sets[f"SET {number}"] = nodes
            if len(of_elements):
                raw.element_sets[f"SET {number}"] = of_elements
            alone = [k for k in members if not {k - 1, k + 1} & set(members)]  # of no range
            if missing := len(np.setdiff1d(alone, np.concatenate([grids.ids, ids]))):
                raw.left_out.add(
                    f"members of SET {number}",
                    "the mesh has no grid point or element of this number",
                    count=missing,
                )

    def _tell_massless(self, raw: RawMesh, materials: Materials) -> None:
        if not materials.massless:
            return
        names = few([f"{number}" for number in sorted(materials.massless)])
        self.doubts.append(f"materials without a density, whose elements weigh nothing: {names}")
        used: list[Any] = [
            getattr(its, "material", its) for its in raw.properties.values() if its is not None
        ]
        if used and all(material.rho <= NO_MASS for material in used):
            self.doubts.append(
                "no element has mass: add RHO to the materials, or give fem.assemble properties of the sets "
                f"{few(sorted(map(repr, raw.properties)))} whose materials have rho="
            )


def _maker(make: Callable[[Materials, Key], Property], materials: Materials) -> Maker:
    return lambda key: make(materials, key)
