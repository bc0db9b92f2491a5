"""Unit systems of mesh files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..common.errors import InputError, listing
from ..common.names import with_match
from ..properties.material import NO_MASS, Material


class Units(NamedTuple):
    """Factors to SI: length to m, modulus to Pa, density to kg/m^3."""

    length: float
    modulus: float
    density: float

    @property
    def mass(self) -> float:
        """To kg."""
        return self.density * self.length**3

    @property
    def inertia(self) -> float:
        """Moments of inertia, to kg m^2."""
        return self.mass * self.length**2

    @property
    def force(self) -> float:
        """To N."""
        return self.modulus * self.length**2

    @property
    def stiffness(self) -> np.ndarray:
        """Stiffness (6, 6) of a spring between displacements and rotations, to N/m, N and N m/rad."""
        scale = np.array([1.0] * 3 + [self.length] * 3)
        return self.force / self.length * np.outer(scale, scale)

    @property
    def time(self) -> float:
        """To s."""
        return float(np.sqrt(self.mass * self.length / self.force))


_INCH, _POUND_FORCE = 0.0254, 4.4482216152605
_INCH_SYSTEM = Units(_INCH, _POUND_FORCE / _INCH**2, _POUND_FORCE / _INCH**4)

UNITS: dict[str, Units] = {
    "SI": Units(1.0, 1.0, 1.0),
    "m": Units(1.0, 1.0, 1.0),
    "mm": Units(1e-3, 1e6, 1e12),  # N, mm, s, t, MPa
    "mm-kg": Units(1e-3, 1e9, 1e9),  # kN, mm, ms, kg, GPa
    "mm-kg-s": Units(1e-3, 1e3, 1e9),  # mN, mm, s, kg, kPa
    "inch": _INCH_SYSTEM,  # lbf, in, s, psi, density in lbf s^2/in^4
}


def units_of(name: str) -> Units:
    """Return the factors of a named system; an unknown name raises :class:`InputError`."""
    if name not in UNITS:
        raise InputError(f"there are no units {with_match(name, UNITS)}; there are {listing(UNITS)}")
    return UNITS[name]


#: what materials of bodies have: moduli from soft rubber to above diamond (Pa), densities from foam to osmium (kg/m^3)
_MODULI, _DENSITIES = (1e5, 1.3e12), (20.0, 2.3e4)
#: modulus (Pa) that what is heavier than this density (kg/m^3) has at least
_METAL_DENSITY, _METAL_MODULUS = 2000.0, 1e9
#: modulus (Pa) of a material without a density below which it is doubted: soft plastics have more, steel has fewer kPa
_FIRM_MODULUS = 3e8
#: longest solid (m) that gives no doubt without a material
_LONGEST_PART = 50.0


def doubtful_units(name: str, size: float, solids: bool, materials: Mapping[str, Material]) -> list[str]:
    """Return a sentence if the numbers of a file do not fit the units ``name`` in which it was read, or no sentence.

    ``size`` (m) of the mesh and ``materials`` as converted to SI. The other units that fit are named.
    """
    given = units_of(name)

    def misfits(other: Units) -> list[str]:
        found = []
        for label, its in materials.items():
            E, rho = (
                float(np.max(its.E)) / given.modulus * other.modulus,
                its.rho / given.density * other.density,
            )
            fits = its.rho <= NO_MASS or _DENSITIES[0] <= rho <= _DENSITIES[1]
            if not fits:
                found.append(f"material {label!r} has a density of {rho:.4g} kg/m^3")
            alone = its.rho <= NO_MASS
            low = _FIRM_MODULUS if alone else _METAL_MODULUS if fits and rho > _METAL_DENSITY else _MODULI[0]
            if not low <= E <= _MODULI[1]:
                found.append(f"material {label!r} has E = {E:.4g} Pa" + " and no density" * alone)
        return found

    signs = misfits(given)
    long = solids and size > _LONGEST_PART
    if not signs and not (long and not materials):
        return []
    if long:
        signs.insert(0, f"the mesh is {size:.4g} m long")
    right = [other for other, scale in UNITS.items() if other != "m" and other != name and not misfits(scale)]
    if long and not materials:
        right = ["mm"]
    mend = "compare the file with the units of its program"
    if right:
        length = size / given.length * units_of(right[0]).length
        mend = f"units={right[0]!r} would be right: it is then {length:.4g} m long"
        mend += "".join(f", with units={other!r} too" for other in right[1:])
    return [f"units look wrong: {', '.join(signs)}; {mend}"]
