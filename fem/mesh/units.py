"""Signs that lengths or materials are not in SI units."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..common.errors import FlexbodyWarning, InputError
from .mesh import Mesh

#: densities in g/cm^3 from plastics to osmium: the digits that wrong units show (1e-9 or so means "no mass")
_DENSITIES = (1.1, 25.0)
#: no material is stiffer (Pa) or denser (kg/m^3): diamond has 1.2e12, osmium 22.6e3
_STIFFEST, _DENSEST = 2e12, 3e4
#: beams of metal have no larger section (m^2), shells of metal no larger thickness (m), neither is this many times as
#: wide as the mesh is long
_SECTION, _PLATE, _WIDE = 12.0, 1.0, 3.0
#: modulus (Pa) from which on a material is taken for a metal
_METAL = 6e10
#: above this density (kg/m^3) and modulus (Pa) a part is taken to be of metal, stone or ceramics
_HEAVY, _STIFF = 2500.0, 1e9


def check_units(mesh: Mesh, materials: Iterable[Any] | Any) -> None:
    """Warn once, with the mend, if the mesh or its materials look as if they were not in metres, Pa and kg/m^3.

    ``materials``: one or more materials or properties. Looked for are densities in g/cm^3, t/mm^3 and kg/mm^3; moduli
    of heavy materials in MPa or GPa, and both beyond every material; sections and thicknesses wider than the mesh is
    long, or of metal and metres thick; solids of heavy and stiff material that are over 50 m and 100 t, or below 0.1 mm
    (1 mm if the file was read in other units than SI); frames and shells over 5 km. Soft matter, micromechanics, ships
    and bridges of plates and beams pass. Raises :class:`InputError` for what is no material.
    """
    given = list(materials) if isinstance(materials, Iterable) else [materials]
    known = {_numbers(one) for one in given}
    signs = [sign for numbers in sorted(known) for sign in _material(*numbers)]
    size = float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    signs += dict.fromkeys(sign for one in given for sign in _across(one, size))
    signs += _size(mesh, max((rho for E, rho in known if E > _STIFF), default=0.0))
    if signs:
        warnings.warn(
            f"mesh {mesh.name!r}: units look wrong: {'; '.join(signs)}. All input is in SI: m, Pa, kg/m^3",
            FlexbodyWarning,
            stacklevel=3,
        )


def _numbers(given: Any) -> tuple[float, float]:
    """Return the largest Young's modulus and the density of a material or property."""
    material = getattr(given, "material", given)
    if not hasattr(material, "E"):
        raise InputError(
            f"units are checked of materials and properties such as fem.Isotropic, not of {given!r}"
        )
    return float(np.max(material.E)), float(material.rho)


def _material(E: float, rho: float) -> list[str]:
    low, high = _DENSITIES
    signs, true = [], rho
    for unit, factor in (("t/mm^3", 1e12), ("kg/mm^3", 1e9), ("g/cm^3", 1e3)):
        if low <= rho * factor / 1e3 <= high and (unit != "g/cm^3" or E > _STIFF):
            true = rho * factor
            signs.append(f"a density of {rho:g} looks like {unit}; give {true:.4g} kg/m^3")
    if true >= 2000 and 1e3 <= E <= 1e6:
        signs.append(f"E = {E:g} with a density of {rho:g} looks like MPa; give {E * 1e6:.4g} Pa")
    elif true >= 2000 and 1 <= E < 1e3:
        signs.append(f"E = {E:g} with a density of {rho:g} looks like GPa; give {E * 1e9:.4g} Pa")
    mend = "if a file in SI was read as if in mm, read it with units='SI'"
    if rho > _DENSEST:
        signs.append(f"a density of {rho:g} kg/m^3 has no material; {mend}")
    if E > _STIFFEST:
        signs.append(f"E = {E:g} Pa has no material; {mend}")
    return signs


def _across(given: Any, size: float) -> list[str]:
    """Return signs of sections and thicknesses in mm, of a property on a mesh of this size (m)."""
    E, rho = _numbers(given)
    metal = E >= _METAL and rho > _HEAVY
    thickness, section = getattr(given, "thickness", None), getattr(given, "section", None)
    area = getattr(given, "area", getattr(section, "A", None))
    if thickness is not None:
        what, wide, width, huge = "a shell", "thick", float(thickness), metal and thickness > _PLATE
    elif area is not None:
        what, wide, width, huge = "a section", "wide", _width(section, area), metal and area > _SECTION
    else:
        return []
    if width > _WIDE * size:
        return [
            f"{what} {width:.4g} m {wide} on a mesh {size:.3g} m long looks like mm; give {width / 1e3:.4g} m"
        ]
    if huge and width > _PLATE:
        return [
            f"{what} {width:.4g} m {wide}, of metal, looks like mm; give {width / 1e3:.4g} m, and the mesh in m too"
        ]
    return []


def _width(section: Any, area: float) -> float:
    """Return the largest width of a section (m), of a truss the side of a square of its area.

    Without points that of the rectangle with its radii of gyration: a large area may stand for "does not stretch".
    """
    if section is None:
        return float(np.sqrt(area))
    if getattr(section, "radius", None):
        return 2 * float(section.radius)
    points = np.array(getattr(section, "outline", ()) or getattr(section, "points", ()))
    if len(points):
        return float(np.ptp(points, axis=0).max())
    return float(np.sqrt(12 * max(section.Iy, section.Iz) / area))


def _size(mesh: Mesh, rho: float) -> list[str]:
    size = float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    mend = "read the file with units='mm', or scale its points"
    if not mesh.solids:
        return [f"it is {size / 1e3:.3g} km long; {mend}"] if size > 5e3 else []
    if rho < _HEAVY:
        return []
    mass = rho * mesh.volume
    if size > 50 and mass > 1e5:
        return [f"it is {size:.3g} m long and weighs {mass / 1e3:.3g} t; {mend}"]
    plain = mesh.units in ("SI", "m")
    small = 1e-4 if plain else 1e-3
    if size < small:
        mend = "scale its points" if plain else "read the file with units='SI'"
        return [f"it is {size * 1e3:.3g} mm long; {mend}"]
    return []
