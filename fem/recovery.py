"""Stresses of a structure: element by element, averaged at the nodes, and how much the elements disagree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .assembly import batches
from .common.errors import InputError
from .elements import ELEMENTS, FACES
from .elements.beam import Beam
from .elements.stress import principal, von_mises
from .loads import Load, accelerated
from .structure import Group, Structure, checked_field


@dataclass(frozen=True, eq=False)
class Stress:
    """Stresses in Pa, components xx yy zz yz xz xy in global axes, by linear theory.

    ``of_groups`` holds what each group of elements says itself: solids (ne, nn, 6) at their nodes, shells (ne, nn,
    2, 6) at bottom and top, trusses (ne, nn) axial stress, beams :class:`BeamStress`.
    """

    structure: Structure
    of_groups: tuple[tuple[Group, Any], ...] = field(repr=False)

    @cached_property
    def solid(self) -> np.ndarray:
        """Stresses (n, 6) at the nodes of solids, the mean over the elements of the same property; else nan.

        Where properties meet, stresses jump: the one with the larger equivalent stress is given.
        """
        return self._averaged(ELEMENTS, (6,))

    @cached_property
    def shell(self) -> np.ndarray:
        """Stresses (n, 2, 6) at bottom and top of shells, the mean over the elements of the same property; else nan."""
        return self._averaged(FACES, (2, 6))

    @cached_property
    def von_mises(self) -> np.ndarray:
        """Equivalent stress (n,) at the nodes, the largest of all that meet there; nan where nothing is known.

        Of the averaged stresses of solids and shells, the larger side of these, and the ends of beams and trusses.
        """
        found = [von_mises(self.solid), *von_mises(self.shell).T]
        for group, value in self.of_groups:
            if group.kind.startswith("line"):
                ends = value.von_mises if isinstance(group.property, Beam) else np.abs(value)
                at = np.full(self.structure.mesh.n_nodes, np.nan)
                nodes = group.nodes[:, : ends.shape[1]]
                np.fmax.at(at, nodes, ends)
                found.append(at)
        return np.fmax.reduce(found)

    @cached_property
    def principal(self) -> np.ndarray:
        """Principal stresses (n, 3) at the nodes of solids, the largest (most tensile) first."""
        known = np.isfinite(self.solid[:, 0])
        values = np.full((len(known), 3), np.nan)
        values[known] = principal(self.solid[known])
        return values

    @cached_property
    def jump(self) -> np.ndarray:
        """How far the equivalent stresses of single elements lie from :attr:`von_mises` at most, (n,) in Pa.

        A measure of the error of the mesh: it vanishes with the elements' size, but for corners and edges where
        the exact stress itself is infinite.
        """
        mean, spread = self.von_mises, np.full(self.structure.mesh.n_nodes, np.nan)
        for group, value in self.of_groups:
            if group.kind in ELEMENTS or group.kind in FACES:
                own = von_mises(value)
                own = own if own.ndim == 2 else own.max(axis=2)
                np.fmax.at(spread, group.nodes, np.abs(own - mean[group.nodes]))
        return spread

    def section_forces(self, name: str) -> np.ndarray:
        """Return N, Vy, Vz, T, My, Mz (ne, 2, 6) at both ends of the beams of an element set or kind, local axes."""
        wanted = self.structure.mesh.elements_of(name)
        found = np.full((len(wanted), 2, 6), np.nan)
        place = {int(index): row for row, index in enumerate(wanted)}
        for group, value in self.of_groups:
            if isinstance(group.property, Beam):
                for row, index in enumerate(group.index.tolist()):
                    if index in place:
                        found[place[index]] = value.forces[row]
        if np.isnan(found).any():
            raise InputError(f"{name!r} holds elements that are not beams; only these have section forces")
        return found

    def _averaged(self, kinds, tail: tuple[int, ...]) -> np.ndarray:
        n = self.structure.mesh.n_nodes
        best, largest = np.full((n, *tail), np.nan), np.full(n, -1.0)
        by_property: dict[int, list[tuple[Group, np.ndarray]]] = {}
        for group, value in self.of_groups:
            if group.kind in kinds:
                by_property.setdefault(id(group.property), []).append((group, value))
        for members in by_property.values():
            total, count = np.zeros((n, *tail)), np.zeros(n)
            for group, value in members:
                np.add.at(total, group.nodes, value)
                np.add.at(count, group.nodes, 1.0)
            here = count > 0
            mean = total[here] / count[here].reshape(-1, *(1,) * len(tail))
            size = von_mises(mean).reshape(len(mean), -1).max(axis=1)
            nodes = np.flatnonzero(here)
            more = size > largest[nodes]
            best[nodes[more]], largest[nodes[more]] = mean[more], size[more]
        return best


def strain(structure: Structure, u: np.ndarray) -> tuple[tuple[Group, np.ndarray], ...]:
    """Return the strains of displacements u (unknowns,), group by group, as each property gives them.

    Solids (ne, nn, 6) and shells (ne, nn, 2, 6, bottom and top) at the nodes of each element, xx yy zz yz xz xy in
    global axes with engineering shear; beams (ne, 2, 6) extension, shears, twist rate and curvatures (1/m) at both
    ends in local axes; trusses (ne, nn) extension.
    """
    u = checked_field(structure, u)
    return tuple(
        (
            group,
            group.property.strain(
                group.kind, structure.mesh.points[group.nodes], structure.of_elements(group, u)
            ),
        )
        for group in structure.groups
    )


def stress(
    structure: Structure,
    u: np.ndarray,
    loads: Load | Sequence[Load] = (),
    acceleration: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Stress:
    """Return the stresses of displacements u (unknowns,), element by element and at the nodes.

    ``loads``: those that go with u; without them the section forces of beams lack what weight and line loads cause
    between their ends. ``acceleration(x)`` (..., 3) in m/s^2 of the points, where the body is accelerated.
    """
    u = checked_field(structure, u)
    listed = list(loads) if isinstance(loads, Sequence) else [loads]
    found = []
    for group in structure.groups:
        X, moved = structure.mesh.points[group.nodes], structure.of_elements(group, u)
        if isinstance(group.property, Beam):
            along = [load.on_elements(structure, group) for load in listed]
            if acceleration is not None:
                along.append(accelerated(structure, group, lambda x: -acceleration(x)))
            load = sum((one for one in along if one is not None), np.zeros_like(moved))
            value: Any = group.property.stress(group.kind, X, moved, load)
        else:
            parts = [
                group.property.stress(group.kind, X[part], moved[part])
                for part in batches(len(X), moved.shape[1])
            ]
            value = np.concatenate(parts)
        found.append((group, value))
    return Stress(structure, tuple(found))
