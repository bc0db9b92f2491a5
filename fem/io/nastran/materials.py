"""Materials of bulk data: MAT1, MAT2, MAT8 and MAT9."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...common.errors import InputError
from ...elements.shell.material import plane_stress
from ...properties.material import NO_MASS, Anisotropic, Isotropic, Material, Ply
from ..units import Units
from .cards import Deck, Row

#: materials of heat conduction, which share the numbers of others
THERMAL = ("MAT4", "MAT5")
#: places of yz, zx, xy in the order of MAT9, after xx, yy, zz
_VOIGT = [0, 1, 2, 4, 5, 3]
#: relative difference between G and E / (2 (1 + NU)) that gives a doubt
_SHEAR_MISFIT = 0.01


class Missing(Exception):
    """A material that a property needs is not in the file, or not complete: the message says why."""


@dataclass(eq=False)
class Materials:
    """Materials by number, in SI: complete ones, and why others are not."""

    found: dict[int, Material] = field(default_factory=dict)
    missing: dict[int, str] = field(default_factory=dict)
    massless: set[int] = field(default_factory=set)
    #: stiffness (3, 3) in Pa of MAT2, by number: of stress in a plane, or of transverse shear, or a coupling
    planes: dict[int, np.ndarray] = field(default_factory=dict)

    def of(self, number: int) -> Material:
        """Return a material; :class:`Missing` where there is none."""
        if number not in self.found:
            raise Missing(self.missing.get(number, f"material {number} is not in the file"))
        return self.found[number]

    def plane(self, number: int) -> np.ndarray:
        """Return the stiffness (3, 3) in Pa of stress in a plane; :class:`Missing` where there is none."""
        return self.planes[number] if number in self.planes else plane_stress(self.of(number))[0]


def materials_of(deck: Deck, units: Units, mass_factor: float, doubts: list[str]) -> Materials:
    """Return the materials in SI; ``mass_factor`` (PARAM,WTMASS) multiplies densities."""
    materials = Materials()
    names = [name for name in deck.tables if name.startswith("MAT") and name[3:].isdigit()]
    for row in deck.rows(*[name for name in names if name not in THERMAL]):
        number = row.whole(1)
        if number in materials.found or number in materials.missing:
            raise row.error(f"material {number} is given twice")
        if row.name == "MAT2":
            materials.planes[number] = _mat2_plane(row, units)
        read = _READERS.get(row.name)
        if read is None:
            materials.missing[number] = f"material {number} is a {row.name}, which is not supported"
            continue
        try:
            material = read(row, units, mass_factor, doubts)
        except InputError as error:
            if row.name == "MAT2":  # a coupling need not be positive definite
                materials.missing[number] = f"material {number} (MAT2) can't be that of a plate: {error}"
                continue
            raise row.error(str(error)) from None
        except Missing as why:
            materials.missing[number] = str(why)
            continue
        materials.found[number] = material
        if material.rho <= NO_MASS:
            materials.massless.add(number)
    return materials


def _density(given: float, units: Units, factor: float) -> float:
    """Return a density in kg/m^3, of a material without one NO_MASS."""
    return max(given * units.density * factor, NO_MASS) if given >= 0 else given


def _mat1(row: Row, units: Units, factor: float, doubts: list[str]) -> Material:
    number = row.whole(1)
    E, G, nu = (row.real(k) if row.word(k) else None for k in (2, 3, 4))
    rho = _density(row.real(5, 0.0), units, factor)
    if E is None and G is not None and nu is not None:
        E = 2 * (1 + nu) * G
    if E is None or E == 0:
        raise Missing(f"material {number} (MAT1) has no Young's modulus E")
    if nu is None:
        nu = E / (2 * G) - 1 if G else 0.0
        if not G:
            doubts.append(f"material {number} (MAT1) has neither G nor NU: it is read with NU = 0")
    elif G is not None and abs(G - E / (2 * (1 + nu))) > _SHEAR_MISFIT * E / (2 * (1 + nu)):
        doubts.append(f"material {number} (MAT1): G = {G:g} does not fit E and NU, which are taken")
    return Isotropic(E * units.modulus, nu, rho)


def _mat2_plane(row: Row, units: Units) -> np.ndarray:
    """Return the stiffness (3, 3) of stress 11, 22, 12 in Pa."""
    C = np.zeros((3, 3))
    C[np.triu_indices(3)] = row.reals(2, 6, 0.0)
    return np.asarray((C + np.triu(C, 1).T) * units.modulus)


def _mat2(row: Row, units: Units, factor: float, doubts: list[str]) -> Material:
    """Return a material whose stiffness in a plane is given; transverse shear is taken as that in the plane."""
    plane = _mat2_plane(row, units)
    C = np.diag([1.0, 1.0, plane.diagonal().max(), plane[2, 2], plane[2, 2], 1.0])
    C[np.ix_([0, 1, 5], [0, 1, 5])] = plane
    return Anisotropic(tuple(map(tuple, C.tolist())), _density(row.real(8, 0.0), units, factor))


def _mat8(row: Row, units: Units, factor: float, doubts: list[str]) -> Material:
    """Return the material of a ply."""
    E1, E2, G12 = (row.real(k) * units.modulus for k in (2, 3, 5))
    G1z, G2z = (row.real(k, 0.0) * units.modulus or G12 for k in (6, 7))
    if not (row.word(6) and row.word(7)):
        doubts.append(
            f"material {row.whole(1)} (MAT8) has no G1Z or G2Z, which means rigid in transverse shear; G12 is taken"
        )
    return Ply(
        E1, E2, nu12=row.real(4), G12=G12, rho=_density(row.real(8, 0.0), units, factor), G13=G1z, G23=G2z
    )


def _mat9(row: Row, units: Units, factor: float, doubts: list[str]) -> Material:
    """Return the material of 21 constants, in the order xx, yy, zz, xy, yz, zx of Nastran."""
    C = np.zeros((6, 6))
    C[np.triu_indices(6)] = row.reals(2, 21, 0.0)
    C = (C + np.triu(C, 1).T)[np.ix_(_VOIGT, _VOIGT)] * units.modulus
    return Anisotropic(tuple(map(tuple, C)), _density(row.real(23, 0.0), units, factor))


_READERS: dict[str, Callable[[Row, Units, float, list[str]], Material]] = {
    "MAT1": _mat1,
    "MAT2": _mat2,
    "MAT8": _mat8,
    "MAT9": _mat9,
}
