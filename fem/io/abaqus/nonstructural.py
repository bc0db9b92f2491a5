"""Nonstructural mass of Abaqus files: it makes the material of its elements denser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...elements.properties import Beam, LayeredShell, Membrane, Shell, Solid, Truss
from ...elements.property import Property
from ...properties.material import Material
from ..nonstructural import HeavierElements, Section, size_of
from ..units import Units
from .place import Placed
from .scope import Scope, Statement

#: the new density of an element from its property, its density so far, and that of its material, kg/m^3
_Denser = Callable[[Section, float, float], float]
#: mass per unit of what, which elements have it, and the power of the unit of length
_PER = {
    "VOLUME": (Property | Material, 3),
    "AREA": (Shell | LayeredShell | Membrane, 2),
    "LENGTH": (Beam | Truss, 1),
}


class NonstructuralMasses(HeavierElements):
    """Makes the properties of elements denser; each elements' share of a mass moves and turns as the element does."""

    def __init__(self, placed: Placed, units: Units) -> None:
        super().__init__(placed.raw, units.length)
        self._placed, self._units = placed, units

    def add(self, scope: Scope, statement: Statement) -> None:
        """Read *Nonstructural Mass: the mass of all elements of a set, or of a unit of volume, area or length."""
        word = statement.word
        elements = self._placed.members(scope, "elset", word.option("ELSET"))
        elements = elements[elements < self._placed.cells.n_shaped]
        parts = list(self.parts(elements))
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
            denser_one = _with_density(its, self.plain.get(name, its), denser)
            self.replace(name, rows, denser_one, f"{name} with the mass of {word.place}")

    def _per(self, parts: list[tuple[str, np.ndarray, Section]], value: float, how: str) -> _Denser:
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
        return lambda its, rho, _: rho + per / (size_of(its) if power < 3 else 1.0)

    def _spread(self, parts: list[tuple[str, np.ndarray, Section]], mass: float, spread: str) -> _Denser:
        """Return the density of an element with its share of a mass: by its mass, or its volume.

        The mass is that of its material, without other masses of this kind: their order doesn't matter.
        """
        volumes = [float(self.measures[rows].sum()) * size_of(its) for _, rows, its in parts]
        if spread == "VOLUME PROPORTIONAL":
            return lambda its, rho, _: rho + mass / sum(volumes)
        if spread != "MASS PROPORTIONAL":
            raise ValueError(
                f"distribution={spread.lower()} is not known; there are mass and volume proportional"
            )
        plain = [self.plain.get(name, its) for name, _, its in parts]
        total = sum(volume * _density(its) for volume, its in zip(volumes, plain, strict=True))
        if not total > 0:
            raise ValueError("its elements have no mass; give distribution=volume proportional")
        return lambda its, rho, own: rho + own * mass / total


def _density(its: Section) -> float:
    if isinstance(its, LayeredShell):
        return sum(layer.material.rho * layer.thickness for layer in its.layers) / size_of(its)
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
