"""Distributed loads as forces at a few frames: the mean motion of a structure, weighted by the load itself.

A load per volume, area or length with the density ``w d`` and the fixed direction d does the work of the force ``W d``,
``W = int w``, at the mean position ``int w r / W``, however the body moves and deforms: its generalized forces, Koppens
(2.31)-(2.33), are those of a force at a marker that averages with the weights w. So are the second-order terms, which
follow from the same load. A load whose direction differs from place to place, such as a pressure, is the sum of three
loads along the axes; where one of them nearly balances itself, as on opposite faces, each sign has its own frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy

import fem
from fem.common.errors import InputError
from fem.model.loads import Load, load_list

from ..body.inertia import FloatArray

#: parts of a load below this share of the largest are left out, and how exactly rigid motions must be met
LOAD_TOLERANCE = 1e-10
#: forces along an axis have one frame if their sum is at least this share of their sizes; else one for each sign
LEAST_RESULTANT = 0.1


class LoadPart(NamedTuple):
    """The force (3,) in N at a marker for a unit of a load."""

    marker: str
    force: FloatArray


@dataclass(frozen=True, eq=False)
class LoadFrame:
    """The mean motion of a structure, weighted by a load: an interface without rotation.

    ``over_motions`` (6, motions) and ``T`` (6, unknowns): mean displacement, and zeros; ``point`` (3,) in m the mean
    position; ``force`` (3,) in N of a unit of the load.
    """

    name: str
    point: FloatArray
    T: scipy.sparse.csr_array
    over_motions: scipy.sparse.csr_array
    force: FloatArray

    rigid = False
    has_rotation = False


def load_frames(
    structure: fem.Structure, loads: Mapping[str, Any], taken: Sequence[str]
) -> dict[str, list[LoadFrame]]:
    """Return the frames of each load by its name; ``taken`` are the names of other markers.

    Raises
    ------
    InputError
        A load is zero, or contains moments, or its name is that of a marker.
    """
    found = {}
    for name, given in loads.items():
        parts = _parts(structure, load_list(given), name)
        names = [name] if len(parts) == 1 else [f"{name} {k + 1}" for k in range(len(parts))]
        if clash := sorted({name, *names} & set(taken)):
            raise InputError(
                f"the load {name!r} has the name of the marker {clash[0]!r}; give it another one"
            )
        found[name] = [
            _frame(structure, own, rows, force) for own, (rows, force) in zip(names, parts, strict=True)
        ]
    return found


def _parts(structure: fem.Structure, loads: Sequence[Load], name: str) -> list[tuple[FloatArray, FloatArray]]:
    """Return the weights (3, motions) of each frame, whose sum along each axis is one, and its force (3,)."""
    freedoms = structure.freedoms
    component = np.arange(freedoms.n_motions)  # of internal motions it is above all others
    component -= np.repeat(freedoms.first, np.append(freedoms.count, freedoms.internal))
    found, rest = [], np.zeros(freedoms.n_motions)
    for load in loads:
        if load.vector is None:
            rest += load.on_motions(structure)
            continue
        given = np.asarray(getattr(load, load.vector), dtype=float)
        size = float(np.linalg.norm(given))
        if size == 0:
            continue
        rows = [replace(load, **{load.vector: size * e}).on_motions(structure) for e in np.eye(3)]  # type: ignore[type-var]
        weight = float(rows[0][component == 0].sum())
        found.append((np.array(rows) / weight, weight / size * given))
    scale = np.abs(rest).max(initial=0.0)
    if np.abs(rest[component >= 3]).max(initial=0.0) > LOAD_TOLERANCE * scale:
        raise InputError(
            f"the load {name!r} contains moments, which rotate with the place where they act; give a "
            "flexbody.PointMoment at a marker"
        )
    found += _along_axes(freedoms, component, rest, scale)
    if not found:
        raise InputError(f"the load {name!r} is zero; give the load for a factor of one")
    return found


def _along_axes(
    freedoms, component: np.ndarray, load: FloatArray, scale: float
) -> list[tuple[FloatArray, FloatArray]]:
    """Return weights and forces of forces (motions,) that differ in direction, for each axis and sign."""
    found: list[tuple[FloatArray, FloatArray]] = []
    first = freedoms.first[:-1]
    for axis, unit in enumerate(np.eye(3)):
        along = np.where(np.abs(load[first + axis]) > LOAD_TOLERANCE * scale, load[first + axis], 0.0)
        balanced = abs(along.sum()) < LEAST_RESULTANT * np.abs(along).sum()
        for weights in (np.maximum(along, 0.0), np.minimum(along, 0.0)) if balanced else (along,):
            whole = float(weights.sum())
            if whole == 0:
                continue
            rows = np.zeros((3, len(component)))
            for k in range(3):
                rows[k, first + k] = weights / whole
            found.append((rows, whole * unit))
    return found


def _frame(structure: fem.Structure, name: str, rows: FloatArray, force: FloatArray) -> LoadFrame:
    freedoms, points = structure.freedoms, structure.mesh.points
    place = np.zeros(freedoms.n_motions)
    for k in range(3):
        place[freedoms.first[:-1] + k] = points[:, k]
    over = scipy.sparse.csr_array(np.concatenate([rows, np.zeros_like(rows)]))
    T = over if freedoms.L is None else scipy.sparse.csr_array(over @ freedoms.L)
    point = rows @ place
    rigid = T @ structure.rigid_modes(point)
    size = float(structure.mesh.size)
    if np.abs(rigid[:3] - np.eye(3, 6)).max() > 1e-8 * max(1.0, size):
        raise InputError(
            f"the load {name!r} is not that of a mean motion: its nodal moments do not fit its forces"
        )
    return LoadFrame(name, point, T, over, force)
