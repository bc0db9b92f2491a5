"""Materials and properties of ANSYS archives, in SI."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...common.errors import FlexbodyError
from ...elements.properties import Layer, LayeredShell, Shell, Solid
from ...elements.shell.varying import FirstSide
from ...elements.solid.bricks import MeanDilatation
from ...mesh.coordinate_system import CoordinateSystem, CylindricalSystem, SphericalSystem
from ...properties.material import NO_MASS, Isotropic, Material, Orthotropic
from ..system_axes import SystemAxes, SystemAxis
from ..units import Units
from .blocks import DeckError
from .deck import Deck, Section

_SOLIDS: dict[str, dict[str, Any]] = {
    "": {},
    "reduced": {"reduced": True},
    "mean": {"brick": MeanDilatation()},
}
_SYSTEMS = {0: CoordinateSystem, 1: CylindricalSystem, 2: SphericalSystem}
#: relative difference between GXY and EX / (2 (1 + PRXY)) that gives a doubt
_SHEAR_MISFIT = 0.01


def systems_of(deck: Deck) -> dict[str, CoordinateSystem]:
    """Return the local coordinate systems by their numbers, origins in units of the file."""
    found = {}
    for number, data in deck.systems.items():
        kind, *origin = data.get("LOC", [0.0] * 4)[:4]
        xy, yz, zx = np.radians(data.get("ANG", [0.0] * 3)[:3])
        if int(kind) not in _SYSTEMS:
            deck.left_out.add(f"LOCAL,{number},{kind:g}", "only systems of kind 0, 1 and 2 are read")
            continue
        found[str(number)] = _SYSTEMS[int(kind)](np.array(origin), rotation(xy, yz, zx))
    return found


def rotation(xy: float, yz: float, zx: float) -> np.ndarray:
    """Return the axes (3, 3, rows) of a system turned by xy about z, then by yz about the new x, then by zx about y."""
    c, s = np.cos([xy, yz, zx]), np.sin([xy, yz, zx])
    Z = np.array([[c[0], s[0], 0], [-s[0], c[0], 0], [0, 0, 1]])
    X = np.array([[1, 0, 0], [0, c[1], s[1]], [0, -s[1], c[1]]])
    Y = np.array([[c[2], 0, -s[2]], [0, 1, 0], [s[2], 0, c[2]]])
    return Y @ X @ Z


def materials_of(deck: Deck, units: Units, doubts: list[str]) -> dict[int, Material]:
    """Return the materials by their numbers; those without a density weigh nothing, without elasticity are left out."""
    found: dict[int, Material] = {}
    for number, given in deck.materials.items():
        line = deck.material_lines[number]
        if "EX" not in given:
            lacks = " and ".join(key for key in ("EX", "DENS") if key not in given)
            doubts.append(f"material {number} (line {line}) has no {lacks} and is left out")
            continue
        if "DENS" not in given:
            doubts.append(f"material {number} (line {line}) has no DENS: its elements weigh nothing")
        rho = given["DENS"] * units.density if "DENS" in given else NO_MASS
        try:
            if "EY" in given:
                found[number] = _orthotropic(given, rho, units)
                continue
            nu = given.get("PRXY", given.get("NUXY"))
            if nu is None:
                nu = 0.3
                doubts.append(f"material {number} (line {line}) has no PRXY or NUXY; ANSYS takes 0.3")
            G = given["EX"] / (2 * (1 + nu))
            if abs(given.get("GXY", G) - G) > _SHEAR_MISFIT * G:
                doubts.append(
                    f"material {number} (line {line}): GXY = {given['GXY']:g} does not fit EX and PRXY, which are taken"
                )
            found[number] = Isotropic(given["EX"] * units.modulus, nu, rho)
        except KeyError as lacking:
            what = f"material {number} has EX and EY, and no {lacking.args[0]}"
            raise DeckError(line, what) from None
        except FlexbodyError as error:
            raise DeckError(line, f"material {number} is not valid: {error}") from None
    return found


def _orthotropic(given: dict[str, float], rho: float, units: Units) -> Orthotropic:
    E = [given[f"E{k}"] for k in "XYZ"]
    pairs = (("XY", 0, 1), ("XZ", 0, 2), ("YZ", 1, 2))
    if "PRXY" in given:  # major ratios: PRXZ is nu13
        n12, n13, n23 = (given.get(f"PR{key}", 0.0) for key, _, _ in pairs)
    else:  # minor ratios: NUXY is nu21
        n12, n13, n23 = (given.get(f"NU{key}", 0.0) * E[i] / E[j] for key, i, j in pairs)
    G = [given[f"G{k}"] * units.modulus for k in ("XY", "XZ", "YZ")]
    e1, e2, e3 = (value * units.modulus for value in E)
    return Orthotropic((e1, e2, e3), (n12, n13, n23), (G[0], G[1], G[2]), rho=rho)


def solid(material: Material, axes: SystemAxes | None, remedy: str) -> Any:
    """Return the property of solids: "reduced", "mean" (the volume strain) or "" as by default."""
    special = _SOLIDS[remedy]
    if axes is not None and isinstance(material, Orthotropic):
        if axes.system.kind != "rectangular":
            return Solid(material, axes=axes, **special)
        material = replace(material, axes=tuple(map(tuple, np.asarray(axes.system.axes).tolist())))
    return Solid(material, **special) if special else material


def shell(
    deck: Deck, materials: dict[int, Material], attributes: list[int], axis: SystemAxis | None, units: Units
) -> Shell | LayeredShell:
    """Return the property of shells: of a section, or of real constants; attributes: material, constants, section."""
    material, real, section = attributes[:3]
    known = deck.sections.get(section)
    if known is not None and known.kind == "SHELL" and known.rows:
        offset = _offset(known, sum(row[0] for row in known.rows)) * units.length
        return _layers(known, materials, material, axis, offset, units)
    if not deck.reals.get(real):
        raise DeckError(0, f"shells have neither section {section} nor real constants {real}")
    thickness, *others = deck.reals[real]
    corners = [thickness, *(value or thickness for value in others[:3])]
    if any(others[3:]):
        raise DeckError(
            0,
            f"the real constants {real} of a shell hold more than its thickness (angle, mass), which is not supported",
        )
    # corners of different thickness: each element has the mean
    alone = Section("SHELL", rows=[[sum(corners) / len(corners)]])
    return _layers(alone, materials, material, axis, 0.0, units)


def _layers(
    section: Section,
    materials: dict[int, Material],
    default: int,
    axis: SystemAxis | None,
    offset: float,
    units: Units,
) -> Shell | LayeredShell:
    """Return a shell of the layers thickness, material, angle of a section, from bottom to top.

    A material of a layer stands before that of the element; an isotropic layer alone is a plain shell.
    """
    layers = []
    for row in section.rows:
        number = int(row[1]) if len(row) > 1 and row[1] else default
        if number not in materials:
            raise DeckError(
                section.line, f"a layer has the material {number}, which the file does not define"
            )
        layers.append(
            Layer(materials[number], row[0] * units.length, degrees=row[2] if len(row) > 2 else 0.0)
        )
    if len(layers) == 1 and isinstance(layers[0].material, Isotropic):
        return Shell(layers[0].material, layers[0].thickness, offset=offset)
    along: Any = axis or FirstSide(mean=True)
    if axis is not None and axis.axes.system.kind == "rectangular":
        along = tuple(np.asarray(axis.axes.system.axes)[axis.which].tolist())
    return LayeredShell(tuple(layers), axis=along, offset=offset)


def _offset(section: Section, thickness: float) -> float:
    """Return the distance from the nodes to the middle surface, along the normal; both in the units of the file."""
    if section.offset == "USER":  # where the nodes are, from the middle surface
        return -section.offsets[0]
    offsets = {"MID": 0.0, "TOP": -0.5 * thickness, "BOT": 0.5 * thickness}
    if section.offset not in offsets:
        raise DeckError(
            section.line,
            f"SECOFFSET,{section.offset} of a shell is not supported; TOP, MID, BOT and USER are",
        )
    return offsets[section.offset]
