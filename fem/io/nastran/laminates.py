"""Laminates of bulk data: PCOMP and PCOMPG."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...elements.properties import Membrane
from ...elements.property import Property
from ...elements.shell.material import layup
from ...properties.material import Anisotropic, Material
from ..units import Units
from .cards import Row
from .grids import Grids
from .materials import Materials
from .shells import Key, axis_of, layered_shell

#: plies in the order of the file; doubled about the last; without bending; their mean; faces about a core
_LAMINATES = ("", "SYM", "MEM", "SMEAR", "SMCORE")


@dataclass(eq=False)
class LaminateSection:
    """A PCOMP or PCOMPG: layers from the bottom to the top."""

    row: Row
    units: Units
    mass_factor: float
    grids: Grids

    @property
    def name(self) -> str:
        """How messages name it."""
        return f"{self.row.name} {self.row.whole(1)}"

    def doubts(self) -> list[str]:
        """Return the differences from what Nastran computes, as sentences."""
        if self.row.word(8) != "SMEAR":
            return []
        return [
            f"{self.name} with LAM = SMEAR is rigid in transverse shear; here it has the mean shear stiffness of its "
            "plies, which matters in thick plates only"
        ]

    def shell(self, materials: Materials, key: Key) -> Property:
        """Return the property of elements with a key of :func:`.shells.add_shells`."""
        row, length = self.row, self.units.length
        if key[0]:
            raise row.error(f"{self.name}: its elements give a thickness of their own")
        plies = self._plies()
        total = sum(thickness for _, thickness, _ in plies)
        extra = row.real(3, 0.0) * self.units.density * length * self.mass_factor / (total * length)
        layers: list[tuple[Material, float, float]] = []
        for mid, thickness, degrees in plies:
            material = materials.of(mid)
            layers.append((replace(material, rho=material.rho + extra), thickness * length, degrees))
        lam, bottom = row.word(8), row.real(2) if row.word(2) else -total / 2
        offset = (bottom + total / 2 + key[1]) * length
        if lam in ("SMEAR", "SMCORE") and abs(bottom + total / 2) > 1e-9 * total:
            raise row.error(f"{self.name}: LAM = {lam} needs plies about the grid points; give ZOFFS, not Z0")
        if lam == "MEM":
            if abs(offset) > 1e-9 * total * length:
                raise row.error(f"{self.name} has no bending stiffness (LAM = MEM), which Z0 and ZOFFS need")
            axis = axis_of(key, self.grids, length)
            return Membrane(_smeared(layers), total * length, axis=axis)
        if lam == "SMEAR":
            layers = [(_smeared(layers), total * length, 0.0)]
        if lam == "SMCORE":
            half = sum(thickness for _, thickness, _ in layers[:-1]) / 2
            face = (_smeared(layers[:-1]), half, 0.0)
            layers = [face, layers[-1], face]
        return layered_shell(layers, offset, key, self.grids, length)

    def _plies(self) -> list[tuple[int, float, float]]:
        """Return material, thickness and angle of each ply; those of the ply before where a field is blank.

        Plies of a PCOMPG begin with a number of theirs, and each stands on a line of eight fields.
        """
        row, lam = self.row, self.row.word(8)
        if lam not in _LAMINATES or (lam == "SYM" and row.name == "PCOMPG"):
            raise row.error(
                f"{self.name}: LAM = {lam} is not supported; only SYM (of PCOMP), MEM, SMEAR and SMCORE are"
            )
        first, step = (9, 4) if row.name == "PCOMP" else (10, 8)
        plies: list[tuple[int, float, float]] = []
        for at in range(first, len(row.words) + 1, step):
            if not any(row.word(at + k) for k in range(4)):
                continue
            before = plies[-1] if plies else (0, 0.0, 0.0)
            plies.append((row.whole(at, before[0]), row.real(at + 1, before[1]), row.real(at + 2, 0.0)))
        if not plies or any(mid < 1 or not thickness > 0 for mid, thickness, _ in plies):
            raise row.error(f"{self.name} has no plies, or one without material or thickness")
        if lam == "SMCORE" and len(plies) < 2:
            raise row.error(f"{self.name}: LAM = SMCORE needs plies of the faces, and the core behind them")
        return plies + plies[::-1] if lam == "SYM" else plies


def _smeared(layers: list[tuple[Material, float, float]]) -> Anisotropic:
    """Return a material with the mean plane and shear stiffness, and the mean density, of layers (.., m, degrees)."""
    section = layup([(material, thickness, np.radians(degrees)) for material, thickness, degrees in layers])
    share = [(ply.high - ply.low) / section.thickness for ply in section.plies]
    C = np.diag([1.0, 1.0, section.plane.diagonal().max() / section.thickness, 1.0, 1.0, 1.0])
    C[np.ix_([0, 1, 5], [0, 1, 5])] = section.plane[:3, :3] / section.thickness
    C[np.ix_([4, 3], [4, 3])] = sum(part * ply.G for part, ply in zip(share, section.plies, strict=True))
    rho = sum(material.rho * thickness for material, thickness, _ in layers) / section.thickness
    return Anisotropic(tuple(map(tuple, C.tolist())), float(rho))
