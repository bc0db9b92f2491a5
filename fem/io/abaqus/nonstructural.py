"""Nonstructural mass of Abaqus files: it makes the material of its elements denser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...elements import ELEMENTS, FACES, SHAPES
from ...elements.properties import Beam, LayeredShell, Membrane, Shell, Solid, Truss
from ...elements.property import Property
from ...mesh.block import Block
from ...mesh.mesh import Mesh
from ...mesh.surface import face_mass
from ...properties.material import Material
from ..units import Units
from .place import Placed
from .scope import Scope, Statement

_Element = Material | Property
#: the new density of an element from its property, its density so far, and that of its material, kg/m^3
_Denser = Callable[[_Element, float, float], float]
#: mass per unit of what, which elements have it, and the power of the unit of length
_PER = {
    "VOLUME": (Property | Material, 3),
    "AREA": (Shell | LayeredShell | Membrane, 2),
    "LENGTH": (Beam | Truss, 1),
}


class NonstructuralMasses:
    """Makes the properties of elements denser; each elements' share of a mass moves and turns as the element does."""

    def __init__(self, placed: Placed, units: Units) -> None:
        self._placed, self._units = placed, units
        self._plain: dict[str, _Element] = {}  # the properties of sections without these masses

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read *Nonstructural Mass: the mass of all elements of a set, or of a unit of volume, area or length."""
        word = statement.word
        elements = self._placed.members(scope, "elset", word.option("ELSET"))
        elements = elements[elements < self._placed.cells.n_shaped]
        parts = list(self._parts(elements))
        covered = sum(len(rows) for _, rows, _ in parts)
        if covered < len(elements):
            raise ValueError(f"{len(elements) - covered} of its {len(elements)} elements have no section")
        values = word.floats()
        if len(values) != 1 or values[0] < 0:
            raise ValueError("its only line must be the mass")
        how, value = " ".join(word.option("UNITS").upper().split()), values[0] * self._units.mass
        spread = " ".join(word.options.get("DISTRIBUTION", "MASS PROPORTIONAL").upper().split())
        denser = self._spread(parts, value, spread) if how == "TOTAL MASS" else self._per(parts, value, how)
        for name, rows, its in parts:
            denser_one = _with_density(its, self._plain.get(name, its), denser)
            self._replace(name, rows, denser_one, f"{name} with the mass of {word.place}")

    def _parts(self, elements: np.ndarray) -> Iterator[tuple[str, np.ndarray, _Element]]:
        """Yield the name, elements and property of each section that elements have."""
        raw = self._placed.raw
        for name, its in list(raw.properties.items()):
            rows = np.intersect1d(raw.element_sets.get(name, np.empty(0, np.int64)), elements)
            if its is not None and len(rows):
                yield name, rows, its

    def _replace(self, name: str, rows: np.ndarray, its: _Element, label: str) -> None:
        """Give elements of a section another property; the set of the others gets a name of its own."""
        raw = self._placed.raw
        others = np.setdiff1d(raw.element_sets[name], rows)
        now = raw.properties[name]
        assert now is not None  # as in _parts
        plain = self._plain.setdefault(name, now)
        if not len(others):
            raw.properties[name] = its
            return
        raw.element_sets[f"{name} but {label}"] = others
        raw.properties[f"{name} but {label}"] = raw.properties.pop(name)
        raw.element_sets[label], raw.properties[label] = rows, its
        self._plain[f"{name} but {label}"] = self._plain[label] = plain

    def _per(self, parts: list[tuple[str, np.ndarray, _Element]], value: float, how: str) -> _Denser:
        """Return the density of an element with a mass of each unit of its volume, area or length."""
        of, power = _PER.get(how.removeprefix("MASS PER "), (None, 0))
        if of is None:
            raise ValueError(
                f"units={how.lower()} is not known; there are total mass, mass per volume, mass per area and mass per "
                "length"
            )
        wrong = [its for _, _, its in parts if not isinstance(its, of)]
        if wrong:
            raise ValueError(f"{type(wrong[0]).__name__} elements have no {how.lower()}")
        per = value / self._units.length**power
        return lambda its, rho, _: rho + per / (_size(its) if power < 3 else 1.0)

    def _spread(self, parts: list[tuple[str, np.ndarray, _Element]], mass: float, spread: str) -> _Denser:
        """Return the density of an element with its share of a mass: by its mass, or its volume.

        The mass is that of its material, without other masses of this kind: their order doesn't matter.
        """
        volumes = [float(self._measures[rows].sum()) * _size(its) for _, rows, its in parts]
        if spread == "VOLUME PROPORTIONAL":
            return lambda its, rho, _: rho + mass / sum(volumes)
        if spread != "MASS PROPORTIONAL":
            raise ValueError(
                f"distribution={spread.lower()} is not known; there are mass and volume proportional"
            )
        plain = [self._plain.get(name, its) for name, _, its in parts]
        total = sum(volume * _density(its) for volume, its in zip(volumes, plain, strict=True))
        if not total > 0:
            raise ValueError("its elements have no mass; give distribution=volume proportional")
        return lambda its, rho, own: rho + own * mass / total

    @cached_property
    def _measures(self) -> np.ndarray:
        """Volume of each solid, area of each shell, length of each line, in SI."""
        x = self._placed.raw.points * self._units.length
        return np.concatenate([_measure(x, block) for block in self._placed.raw.blocks])


def _measure(x: np.ndarray, block: Block) -> np.ndarray:
    if block.element in ELEMENTS:
        return Mesh(x, (block,)).element_volumes
    if block.element in FACES:
        return np.asarray(face_mass(x, block).sum(axis=(1, 2)))
    line = SHAPES[block.element]
    tangents = np.einsum("eia,qi->eqa", x[block.nodes], line.dN(line.quadrature.points)[:, :, 0])
    return np.asarray(np.linalg.norm(tangents, axis=2) @ line.quadrature.weights)


def _size(its: _Element) -> float:
    """Return what the measure of an element is multiplied by for its volume: thickness, section, or 1."""
    if isinstance(its, Shell | Membrane):
        if its.thickness_at is not None:
            raise ValueError("a mass on shells whose thickness varies is not supported")
        return its.thickness
    if isinstance(its, LayeredShell):
        return sum(layer.thickness for layer in its.layers)
    return its.section.A if isinstance(its, Beam) else its.area if isinstance(its, Truss) else 1.0


def _density(its: _Element) -> float:
    if isinstance(its, LayeredShell):
        return sum(layer.material.rho * layer.thickness for layer in its.layers) / _size(its)
    return (
        its.material.rho
        if isinstance(its, Solid | Shell | Membrane | Beam | Truss)
        else getattr(its, "rho", 0.0)
    )


def _with_density(its: Any, plain: Any, denser: _Denser) -> Any:
    """Return a property whose material has the density that ``denser`` gives; ``plain`` has that of the material."""
    if isinstance(its, LayeredShell):
        layers = [
            replace(
                layer,
                material=replace(layer.material, rho=denser(its, layer.material.rho, own.material.rho)),
            )
            for layer, own in zip(its.layers, plain.layers, strict=True)
        ]
        return replace(its, layers=tuple(layers))
    if isinstance(its, Property):
        material: Any = getattr(its, "material", None)
        changed: Any = {"material": replace(material, rho=denser(its, material.rho, _density(plain)))}
        return replace(its, **changed)  # type: ignore[type-var]
    return replace(its, rho=denser(its, its.rho, plain.rho))
