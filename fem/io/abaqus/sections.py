"""Sections of Abaqus files: the properties of element sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ...elements import ELEMENTS, FACES
from ...elements.properties import Beam, Layer, LayeredShell, Membrane, Shell, Solid, Truss
from ...elements.property import Property
from ...elements.solid.bricks import FullIntegration, MeanDilatation
from ...properties.material import Isotropic, Material
from ...properties.section import Section
from ..system_axes import SystemAxes
from ..units import Units
from .beam_sections import ASSUMED, is_radius, lines_of_sizes, section_of
from .dialect import CALCULIX, dialect_of
from .directions import Directions
from .element_types import has_mean_dilatation, is_beam, is_membrane, is_reduced, shape_of
from .keywords import Keyword, number_of
from .materials import beam_material
from .place import Placed
from .scope import Scope, Statement
from .shell_axes import ShellAxes, axes_of_shells

#: gives a shell or membrane, its elements and the unit of length in m the thickness of nodes
_ByNode = Callable[[Shell | Membrane, np.ndarray, float], Shell | Membrane]
_M = TypeVar("_M", bound=Material)
#: direction 1 of a beam's section where the file gives none
_N1 = (0.0, 0.0, -1.0)
#: kinds of property of surfaces
_SURFACES = ("shell", "membrane")
#: what is special about the integration of each family of solids
_SOLIDS: dict[str, dict[str, Any]] = {
    "solid": {},
    "mean": {"brick": MeanDilatation()},
    "full": {"brick": FullIntegration()},
    "reduced": {"reduced": True},
}


class Sections:
    """Turns sections into properties by element set."""

    def __init__(self, placed: Placed, directions: Directions, by_node: _ByNode, units: Units) -> None:
        self._placed, self._directions, self._units = placed, directions, units
        self._by_node = by_node
        self._materials = {
            name.upper(): its.material(placed.model.path, units)
            for name, its in placed.model.materials.items()
        }
        self._spelling = {name.upper(): name for name in placed.model.materials}
        self._dialect = dialect_of(placed.model)
        self.named: list[tuple[str, str]] = []  # material of each section, and its place
        self.covered = np.zeros(placed.cells.n_shaped, bool)
        for key, its in self._materials.items():
            if its is not None:
                placed.raw.materials[self._spelling[key]] = its

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read one section."""
        word = statement.word
        elements = self._placed.members(scope, "elset", word.option("ELSET"))
        elements = elements[elements < self._placed.cells.n_shaped]
        label = self._placed.label(scope, "elset", word.option("ELSET"))
        general = word.name == "BEAM GENERAL SECTION"
        if not general and word.options.get("MATERIAL"):
            self.named.append((word.options["MATERIAL"], word.place))
        elif word.name in ("SOLID SECTION", "MEMBRANE SECTION"):
            word.option("MATERIAL")
        self.covered[elements] = True
        if not self._dialect:
            self._tell_bricks(word, elements)
        found = list(self._properties(scope, statement, elements))
        for suffix, mine, its in found:
            name = label if len(found) == 1 else f"{label} {suffix}"
            if len(found) > 1:
                self._placed.raw.element_sets[name] = mine
            self._placed.raw.properties[name] = its

    def _properties(
        self, scope: Scope, statement: Statement, elements: np.ndarray
    ) -> Iterator[tuple[str, np.ndarray, Material | Property | None]]:
        """Yield name, elements and property for each kind of element in the set, and direction of beams."""
        cells, word = self._placed.cells, statement.word
        groups: dict[tuple[str, Any], list[np.ndarray]] = {}
        for block, mine, rows in cells.by_block(elements):
            kind = cells.kinds[block]
            keys: list[Any] = [None] * len(rows)
            if is_beam(kind):
                keys = self._ups(scope, word, block, rows)
            elif self._family(kind) in _SURFACES:
                keys = self._shell_axes(scope, word, block, rows)
            alike: dict[Any, list[int]] = {}
            for k, key in enumerate(keys):
                alike.setdefault(key, []).append(k)
            for key, places in alike.items():
                groups.setdefault((self._family(kind), key), []).append(mine[places])
        for number, ((family, up), pieces) in enumerate(groups.items()):
            its = self._property(scope, statement, family, up)
            mine = np.unique(np.concatenate(pieces))
            if family in _SURFACES and "NODAL THICKNESS" in word.options and its is not None:
                its = self._varied(word, its, mine)
            suffix = family if sum(name == family for name, _ in groups) == 1 else f"{family} {number + 1}"
            yield suffix, mine, its

    def _tell_bricks(self, word: Keyword, elements: np.ndarray) -> None:
        """Note bricks that the two programs integrate in different ways, where nothing tells which of them is meant."""
        cells = self._placed.cells
        for block, mine, _ in cells.by_block(elements):
            if has_mean_dilatation(cells.kinds[block]):
                why = "the mean of the volume strain (B-bar), as in Abaqus; CalculiX integrates them fully"
                self._placed.raw.left_out.add(
                    f"integration of {cells.kinds[block]}", why, word.place.removeprefix("line "), len(mine)
                )

    def _varied(self, word: Keyword, shell: Material | Property, elements: np.ndarray) -> Property:
        """Return a shell with the thicknesses of its nodes."""
        if not isinstance(shell, Shell | Membrane):
            raise ValueError("a thickness by node is supported for shells of one isotropic material only")
        if _offset(word):
            raise ValueError("offset= with a thickness by node is not supported")
        return self._by_node(shell, elements, self._units.length)

    def _family(self, kind: str) -> str:
        """Return the name of the kind of property that an element type takes."""
        shape = shape_of(kind)
        if shape in ELEMENTS:
            mean = "full" if self._dialect == CALCULIX else "mean"
            return "reduced" if is_reduced(kind) else mean if has_mean_dilatation(kind) else "solid"
        if shape in FACES:
            return "membrane" if is_membrane(kind) else "shell"
        return "truss" if kind.startswith("T") else "slender" if kind.startswith("B33") else "beam"

    def _ups(self, scope: Scope, word: Keyword, block: int, rows: np.ndarray) -> list[tuple[float, ...]]:
        """Return direction 1 of the section of each beam."""
        values = word.floats(lines_of_sizes(word))
        n1 = np.array(values[:3] if len(values) >= 3 else _N1)
        given = tuple(scope.turned(n1).tolist())
        cells, x = self._placed.cells, self._placed.raw.points
        beside = cells.directions[block][rows]
        first = cells.tables[block][rows, 0]
        return [
            given if node < 0 else tuple((x[node] - x[start]).tolist())
            for node, start in zip(beside.tolist(), first.tolist(), strict=True)
        ]

    def _shell_axes(
        self, scope: Scope, word: Keyword, block: int, rows: np.ndarray
    ) -> list[ShellAxes] | list[None]:
        """Return the axes of each shell; None for those of one isotropic material, which has no directions."""
        material = self._material(word.options.get("MATERIAL", ""))
        if "COMPOSITE" not in word.options and isinstance(material, Isotropic):
            return [None] * len(rows)
        nodes = self._placed.cells.tables[block][rows]
        corners = self._placed.raw.points[nodes[:, : 3 if nodes.shape[1] in (3, 6) else 4]]
        return axes_of_shells(self._directions, scope, word, corners, self._units.length)

    def _property(
        self, scope: Scope, statement: Statement, family: str, up: Any
    ) -> Material | Property | None:
        word = statement.word
        if family in ("beam", "slender"):
            return self._beam(statement, up, shear=family == "beam")
        if word.name.startswith("BEAM"):
            raise ValueError("its element set holds elements that are not beams")
        if family == "shell":
            if any(its.name.startswith("TRANSVERSE SHEAR") and any(its.floats()) for its in statement.sub):
                raise ValueError("*Transverse Shear Stiffness of shells is not supported")
            return self._shell(word, up)
        if family == "membrane":
            return self._membrane(word, up)
        if word.name == "MEMBRANE SECTION":
            raise ValueError(f"its element set holds elements that are not membranes ({family})")
        if word.name != "SOLID SECTION":
            raise ValueError(f"its element set holds elements that are not shells ({family})")
        if "COMPOSITE" in word.options:
            raise ValueError("layers in solids are not supported")
        material = self._material(word.option("MATERIAL"))
        if material is None:
            return None
        if family == "truss":
            area = (word.floats() or [0.0])[0]
            if not area:
                area = 1.0  # the default of Abaqus
                self._placed.raw.doubts.append(
                    f"the section of the trusses {word.options.get('ELSET')!r} ({word.place}) has no area: it is 1, in "
                    "units of the file, as in Abaqus"
                )
            return Truss(_isotropic(material, "a truss"), area * self._units.length**2)
        return self._solid(scope, word, material, _SOLIDS[family])

    def _material(self, name: str) -> Material | None:
        return self._materials.get(name.upper())

    def _solid(
        self, scope: Scope, word: Keyword, material: Material, special: dict[str, Any]
    ) -> Material | Property:
        """Return the property of solids, whose material has the axes of the section's orientation."""
        if isinstance(material, Isotropic):
            return Solid(material, **special) if special else material
        axes: np.ndarray | SystemAxes = scope.turned(np.eye(3))
        if word.options.get("ORIENTATION"):
            axes = self._directions.material_axes(scope, word.options["ORIENTATION"], self._units.length)
        if isinstance(axes, SystemAxes):
            self._placed.raw.doubts.append(
                f"the material axes of the section in {word.place} turn from place to place; each element has those "
                "at its middle"
            )
            return Solid(material, axes=axes, **special)
        material = replace(material, axes=tuple(map(tuple, axes.tolist())))
        return Solid(material, **special) if special else material

    def _shell(self, word: Keyword, axes: ShellAxes | None) -> Property | None:
        if word.name not in ("SHELL SECTION", "SHELL GENERAL SECTION"):
            raise ValueError(f"shells need *Shell Section, not {word}")
        if "SHELL THICKNESS" in word.options:
            raise ValueError("a thickness by a *Distribution is not supported; give *Nodal Thickness")
        if "COMPOSITE" in word.options:
            return self._layered(word, self._layers(word, axes), axes)
        if not word.options.get("MATERIAL"):
            raise ValueError(
                "a shell section of given stiffnesses, without material=, is not supported; give material= and the "
                "thickness, or layers (*Shell Section, composite)"
            )
        material = self._material(word.options["MATERIAL"])
        if material is None:
            return None
        thickness = self._thickness(word)
        if not isinstance(material, Isotropic):
            return self._layered(word, [Layer(material, thickness)], axes)
        return Shell(self._denser(word, material, thickness), thickness, offset=-_offset(word) * thickness)

    def _membrane(self, word: Keyword, axes: ShellAxes | None) -> Property | None:
        if word.name != "MEMBRANE SECTION":
            raise ValueError(f"membranes need *Membrane Section, not {word}")
        if "MEMBRANE THICKNESS" in word.options:
            raise ValueError("a thickness by a *Distribution is not supported; give *Nodal Thickness")
        if _offset(word):
            raise ValueError("offset= of membranes is not supported; their nodes stand in the middle surface")
        material, thickness = self._material(word.option("MATERIAL")), self._thickness(word)
        if material is None:
            return None
        material = self._denser(word, material, thickness)
        return Membrane(material, thickness, axis=axes.axis if axes else None)

    def _denser(self, word: Keyword, material: _M, thickness: float) -> _M:
        """Return a material with its share of density=, the mass of a unit area beside that of the material."""
        if not word.options.get("DENSITY"):
            return material
        if "NODAL THICKNESS" in word.options:
            raise ValueError("density= with a thickness by node is not supported; give it by *Mass")
        extra = number_of(word.options["DENSITY"]) * self._units.density * self._units.length
        return replace(material, rho=material.rho + extra / thickness)

    def _thickness(self, word: Keyword) -> float:
        """Return the thickness of the first line; 1 if *Nodal Thickness replaces it, which stands there or not."""
        values, by_node = word.floats(), "NODAL THICKNESS" in word.options
        if not values and not by_node:
            raise ValueError("its first line must be the thickness")
        return (1.0 if by_node else values[0]) * self._units.length

    def _layers(self, word: Keyword, axes: ShellAxes | None) -> list[Layer] | None:
        """Return the layers of rows "thickness, points of integration, material, direction", bottom first."""
        layers = []
        for row, degrees in zip(word.rows(), axes.degrees if axes else (), strict=True):
            if len(row) < 3 or not row[2]:
                raise ValueError("a layer has thickness, points of integration, material and angle")
            material = self._material(row[2])
            if material is None:
                self.named.append((row[2], word.place))
                return None
            layers.append(Layer(material, number_of(row[0]) * self._units.length, degrees))
        return [*layers, *layers[::-1]] if "SYMMETRIC" in word.options else layers

    def _layered(self, word: Keyword, layers: list[Layer] | None, axes: ShellAxes | None) -> Property | None:
        """Return a shell of layers."""
        if layers is None or axes is None:
            return None
        thickness = sum(layer.thickness for layer in layers)
        layers = [replace(layer, material=self._denser(word, layer.material, thickness)) for layer in layers]
        return LayeredShell(tuple(layers), axis=axes.axis, offset=-_offset(word) * thickness)

    def _beam(self, statement: Statement, up: tuple[float, ...], shear: bool) -> Property | None:
        word, length = statement.word, self._units.length
        if not word.name.startswith("BEAM"):
            raise ValueError(f"beams need *Beam Section or *Beam General Section, not {word}")
        if any(its.name == "BEAM ADDED INERTIA" for its in statement.sub):
            raise ValueError("*Beam Added Inertia is not supported; give the mass by *Mass")
        offset = word.options.get("OFFSET")
        if offset:
            raise ValueError("a beam section with offset= is not supported")
        if word.name == "BEAM GENERAL SECTION" and not word.options.get("MATERIAL"):
            return self._general_beam(statement, up, shear)
        material = self._material(word.option("MATERIAL"))
        if material is None:
            return None
        material = _isotropic(material, "a beam")
        section = section_of(word, statement.sub, length, material.nu, self._told_dialect(word))
        section = self._sheared(statement.sub, section, material)
        return Beam(material, section, up=_three(up), shear=shear, offset=section.centroid)

    def _told_dialect(self, word: Keyword) -> str:
        """Return the dialect of the file; a doubt where it matters and nothing tells it, and of what is assumed."""
        kind = word.options.get("SECTION", "").upper()
        if kind in ASSUMED:
            said = f"of the section {kind} in {word.place} it is assumed that {ASSUMED[kind]}"
            self._placed.raw.doubts += [said] * (said not in self._placed.raw.doubts)
        if not self._dialect and kind == "CIRC" and is_radius(word.floats(), self._dialect):
            said = (
                f"the number of the section CIRC in {word.place} is taken for the radius, as in Abaqus; CalculiX takes "
                "it for the diameter: give it twice there"
            )
            self._placed.raw.doubts += [said] * (said not in self._placed.raw.doubts)
        return self._dialect

    def _general_beam(self, statement: Statement, up: tuple[float, ...], shear: bool) -> Property | None:
        """Return a beam whose E, G and density are given by its section."""
        word, length = statement.word, self._units.length
        constants = word.floats(lines_of_sizes(word) + 1)
        if len(constants) < 2:
            raise ValueError("the line after its direction must be E and G")
        density = word.options.get("DENSITY")
        if not density:
            self._placed.raw.doubts.append(
                f"the beam section in {word.place} has no density= and is left out"
            )
            return None
        material, share = beam_material(constants[0], constants[1], number_of(density), self._units)
        section = section_of(word, statement.sub, length, material.nu, self._told_dialect(word))
        if share != 1.0:
            section = replace(section, ky=section.ky * share, kz=section.kz * share)
        section = self._sheared(statement.sub, section, material)
        section = replace(section, J=section.J * share)
        return Beam(material, section, up=_three(up), shear=shear, offset=section.centroid)

    def _sheared(self, sub: list[Keyword], section: Section, material: Isotropic) -> Section:
        """Return a section with the shear stiffness (force) that *Transverse Shear Stiffness gives."""
        for its in sub:
            if its.name.startswith("TRANSVERSE SHEAR"):
                values = [value for value in its.floats()[:2] if value]
                if len(set(values)) > 1:
                    raise ValueError(f"{its} with two different values is not supported")
                if values:
                    k = self._units.force * values[0] / (material.lame[1] * section.A)
                    section = replace(section, ky=k, kz=k)
        return section


def _offset(word: Keyword) -> float:
    """Return the distance of the nodes from the middle surface, over the thickness."""
    given = word.options.get("OFFSET", "0").upper()
    share = {"SPOS": 0.5, "SNEG": -0.5}.get(given)
    return number_of(given) if share is None else share


def _three(up: tuple[float, ...]) -> tuple[float, float, float]:
    return up[0], up[1], up[2]


def _isotropic(material: Material, what: str) -> Isotropic:
    if not isinstance(material, Isotropic):
        raise ValueError(f"the material of {what} must be isotropic")
    return material
