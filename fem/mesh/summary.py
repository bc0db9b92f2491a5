"""The content of a mesh as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..elements import SHAPES
from ..properties.material import NO_MASS, Material
from .block import Block
from .surface import face_mass


def area(points: np.ndarray, block: Block) -> float:
    """Return the area in m^2 of a block of surface elements."""
    return float(face_mass(points, block).sum())


def length(points: np.ndarray, block: Block) -> float:
    """Return the length in m of a block of lines, curved ones included."""
    element = SHAPES[block.element]
    tangents = np.einsum("eia,qi->eqa", points[block.nodes], element.dN(element.quadrature.points)[:, :, 0])
    return float((np.linalg.norm(tangents, axis=2) @ element.quadrature.weights).sum())


def freedoms(n_nodes: int, shells: Sequence[Block], lines: Sequence[Block]) -> str:
    """Return the number of degrees of freedom as text; on lines it depends on the property."""
    turning = np.unique(np.concatenate([np.zeros(0, np.int64), *(b.nodes.ravel() for b in shells)]))
    count = 3 * n_nodes + 3 * len(turning)
    beams = [block.nodes.ravel() for block in lines if block.element == "line2"]
    more = 3 * len(np.setdiff1d(np.concatenate(beams), turning)) if beams else 0
    words = f"{count} degrees of freedom"
    return words + (f" with trusses, {count + more} with beams" if more else "")


def counts(blocks: Sequence[Block]) -> dict[str, int]:
    """Return the number of elements by kind."""
    found: dict[str, int] = {}
    for block in blocks:
        found[block.element] = found.get(block.element, 0) + len(block)
    return found


def sizes(
    points: np.ndarray, volume: float | None, shells: Sequence[Block], lines: Sequence[Block]
) -> list[str]:
    """Return lines of text with the volume of the solids, the area of the shells, the length of the lines."""
    words = []
    if volume is not None:
        words.append(f"  volume        {volume:.6g} m^3")
    if shells:
        words.append(f"  area          {sum(area(points, b) for b in shells):.6g} m^2")
    if lines:
        words.append(f"  length        {sum(length(points, b) for b in lines):.6g} m")
    return words


def constants(material: Material) -> str:
    """Return the constants of a material as text."""
    return ", ".join(
        f"{name} = {_digits(getattr(material, name))}{unit}"
        for name, unit in (("E", " Pa"), ("nu", ""), ("G", " Pa"), ("rho", " kg/m^3"))
        if hasattr(material, name) and getattr(material, name) != NO_MASS
    ) + ", no density" * (material.rho == NO_MASS)


def _digits(value: float | tuple[float, ...]) -> str:
    """Return one number, or several in brackets."""
    return f"({', '.join(f'{x:.6g}' for x in value)})" if isinstance(value, tuple) else f"{value:.6g}"
