"""Elements of a file whose properties get more mass: a section may then be that of some of its elements only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ..elements import ELEMENTS, FACES, SHAPES
from ..elements.properties import Beam, LayeredShell, Membrane, ShearPanel, Shell, Truss
from ..elements.property import Property
from ..mesh.block import Block
from ..mesh.mesh import Mesh
from ..mesh.surface import face_mass
from ..properties.material import Material
from .raw import RawMesh

Section = Material | Property


class HeavierElements:
    """Gives elements of a file, whose unit of length is ``length`` (m), properties with more mass."""

    def __init__(self, raw: RawMesh, length: float) -> None:
        self.raw, self.length = raw, length
        self.plain: dict[str, Section] = {}  # the properties of sections without these masses

    def parts(self, elements: np.ndarray) -> Iterator[tuple[str, np.ndarray, Section]]:
        """Yield the name, elements and property of each section that elements have."""
        for name, its in list(self.raw.properties.items()):
            rows = np.intersect1d(self.raw.element_sets.get(name, np.empty(0, np.int64)), elements)
            if its is not None and len(rows):
                yield name, rows, its

    def replace(self, name: str, rows: np.ndarray, its: Section, label: str) -> None:
        """Give elements of a section another property; the set of the others gets a name of its own."""
        raw = self.raw
        others = np.setdiff1d(raw.element_sets[name], rows)
        now = raw.properties[name]
        assert now is not None  # as in parts
        plain = self.plain.setdefault(name, now)
        if not len(others):
            raw.properties[name] = its
            return
        raw.element_sets[f"{name} but {label}"] = others
        raw.properties[f"{name} but {label}"] = raw.properties.pop(name)
        raw.element_sets[label], raw.properties[label] = rows, its
        self.plain[f"{name} but {label}"] = self.plain[label] = plain

    @cached_property
    def measures(self) -> np.ndarray:
        """Volume of each solid, area of each shell, length of each line, in SI."""
        x = self.raw.points * self.length
        return np.concatenate([_measure(x, block) for block in self.raw.blocks])


def _measure(x: np.ndarray, block: Block) -> np.ndarray:
    if block.element in ELEMENTS:
        return Mesh(x, (block,)).element_volumes
    if block.element in FACES:
        return np.asarray(face_mass(x, block).sum(axis=(1, 2)))
    line = SHAPES[block.element]
    tangents = np.einsum("eia,qi->eqa", x[block.nodes], line.dN(line.quadrature.points)[:, :, 0])
    return np.asarray(np.linalg.norm(tangents, axis=2) @ line.quadrature.weights)


def size_of(its: Section) -> float:
    """Return what the measure of an element is multiplied by for its volume: thickness, section, or 1.

    Raises
    ------
    ValueError
        The thickness varies.
    """
    if isinstance(its, Shell | Membrane | ShearPanel):
        if getattr(its, "thickness_at", None) is not None:
            raise ValueError("a mass on shells whose thickness varies is not supported")
        return its.thickness
    if isinstance(its, LayeredShell):
        return sum(layer.thickness for layer in its.layers)
    return its.section.A if isinstance(its, Beam) else its.area if isinstance(its, Truss) else 1.0
