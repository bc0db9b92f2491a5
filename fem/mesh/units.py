"""Signs of lengths or materials that are not in SI units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, warn
from .mesh import Mesh

#: densities in g/cm^3 from plastics to osmium: the digits that wrong units show (1e-9 or so means "no mass")
_DENSITIES = (1.1, 25.0)
#: upper bounds of modulus (Pa) and density (kg/m^3): diamond has 1.2e12, osmium 22.6e3
_MAX_MODULUS, _MAX_DENSITY = 2e12, 3e4
#: upper bounds for metal: section of a beam (m^2), thickness of a shell (m); and of the width of either over the
#: length of the mesh
_MAX_SECTION, _MAX_THICKNESS, _MAX_WIDTH_RATIO = 12.0, 1.0, 3.0
#: modulus (Pa) above which a material counts as a metal
_MIN_METAL_MODULUS = 6e10
#: density (kg/m^3) and modulus (Pa) above which a part counts as metal, stone or ceramics
_MIN_HEAVY_DENSITY, _MIN_STIFF_MODULUS = 2500.0, 1e9


@check_arguments
def check_units(mesh: Mesh, materials: Iterable[Any] | Any) -> None:
    """Warn if the mesh or its materials do not seem to be in metres, Pa and kg/m^3.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    materials : material or property, or an iterable of these
        Materials or properties of the mesh.

    Raises
    ------
    InputError
        An argument is not a material or property.

    Warns
    -----
    FlexbodyWarning
        One warning that lists all signs, with the remedy.

    Notes
    -----
    The signs are densities in g/cm^3, t/mm^3 and kg/mm^3; moduli of heavy materials in MPa or GPa, and both beyond
    every material; sections and thicknesses wider than the mesh is long, or of metal and metres thick; solids of
    heavy and stiff material that are over 50 m and 100 t, or below 0.1 mm (1 mm if the file was read in units other
    than SI); frames and shells over 5 km. Soft matter, micromechanics, ships and bridges of plates and beams give no
    warning.

    Examples
    --------
    >>> import fem
    >>> fem.check_units(fem.box((1.0, 0.1, 0.1), (1, 1, 1)), fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))
    """
    given = list(materials) if isinstance(materials, Iterable) else [materials]
    if said := unit_doubts(mesh, given):
        warn(f"mesh {mesh.name!r}: {said}")


def unit_doubts(mesh: Mesh, given: list[Any]) -> str:
    """Return the sentences of :func:`check_units` on materials or properties; nothing where there is no doubt."""
    known = {_numbers(one) for one in given}
    signs = [sign for numbers in sorted(known) for sign in _material(*numbers)]
    size = mesh.size
    signs += dict.fromkeys(sign for one in given for sign in _across(one, size))
    signs += _size(mesh, max((rho for E, rho in known if E > _MIN_STIFF_MODULUS), default=0.0))
    return f"units look wrong: {'; '.join(signs)}. All input is in SI: m, Pa, kg/m^3" if signs else ""


def _numbers(given: Any) -> tuple[float, float]:
    """Return the largest Young's modulus and the density of a material or property."""
    material = getattr(given, "material", given)
    if not hasattr(material, "E"):
        raise InputError(
            f"only materials and properties such as fem.Isotropic have units to check, not {given!r}"
        )
    return float(np.max(material.E)), float(material.rho)


def _material(E: float, rho: float) -> list[str]:
    low, high = _DENSITIES
    signs, true = [], rho
    for unit, factor in (("t/mm^3", 1e12), ("kg/mm^3", 1e9), ("g/cm^3", 1e3)):
        if low <= rho * factor / 1e3 <= high and (unit != "g/cm^3" or E > _MIN_STIFF_MODULUS):
            true = rho * factor
            signs.append(f"a density of {rho:g} looks like {unit}; give {true:.4g} kg/m^3")
    if true >= 2000 and 1e3 <= E <= 1e6:
        signs.append(f"E = {E:g} with a density of {rho:g} looks like MPa; give {E * 1e6:.4g} Pa")
    elif true >= 2000 and 1 <= E < 1e3:
        signs.append(f"E = {E:g} with a density of {rho:g} looks like GPa; give {E * 1e9:.4g} Pa")
    mend = "if a file in SI was read as if in mm, read it with units='SI'"
    if rho > _MAX_DENSITY:
        signs.append(f"a density of {rho:g} kg/m^3 is larger than that of any material; {mend}")
    if E > _MAX_MODULUS:
        signs.append(f"E = {E:g} Pa is larger than that of any material; {mend}")
    return signs


def _across(given: Any, size: float) -> list[str]:
    """Return signs of sections and thicknesses in mm, of a property on a mesh of this size (m)."""
    E, rho = _numbers(given)
    metal = E >= _MIN_METAL_MODULUS and rho > _MIN_HEAVY_DENSITY
    thickness, section = getattr(given, "thickness", None), getattr(given, "section", None)
    area = getattr(given, "area", getattr(section, "A", None))
    if thickness is not None:
        what, wide, width, huge = "a shell", "thick", float(thickness), metal and thickness > _MAX_THICKNESS
    elif area is not None:
        what, wide, width, huge = "a section", "wide", _width(section, area), metal and area > _MAX_SECTION
    else:
        return []
    if width > _MAX_WIDTH_RATIO * size:
        return [
            f"{what} {width:.4g} m {wide} on a mesh {size:.3g} m long looks like mm; give {width / 1e3:.4g} m"
        ]
    if huge and width > _MAX_THICKNESS:
        return [
            f"{what} {width:.4g} m {wide}, of metal, looks like mm; give {width / 1e3:.4g} m, and the mesh in m too"
        ]
    return []


def _width(section: Any, area: float) -> float:
    """Return the largest width of a section (m); for a truss the side of a square of its area.

    Without points it is that of the rectangle with its radii of gyration, since a large area may mean "does not
    stretch".
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
    size = mesh.size
    mend = "read the file with units='mm', or scale its points"
    if not mesh.solids:
        return [f"it is {size / 1e3:.3g} km long; {mend}"] if size > 5e3 else []
    if rho < _MIN_HEAVY_DENSITY:
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
