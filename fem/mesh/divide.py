"""Division of a mesh into parts along an axis, to be reduced separately: Koppens (1989), 5.5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, MeshError
from ..common.numbers import floats, is_count, shown
from .block import Block
from .mesh import Mesh

_LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@check_arguments(own=("mesh", "n"))
def divide(mesh: Mesh, axis: str | Sequence[float], n: int) -> tuple[Mesh, ...]:
    """Divide a mesh into parts of equal length along an axis.

    An element belongs to the part in which the mean of its nodes lies. The nodes that two neighbours share are the
    node set "cut 1", "cut 2", ... of both. Coordinates are kept, so that the parts fit together. Named sets and faces
    go with their elements, to each part that contains some of their members.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    axis : str or (3,)
        "x", "y", "z" or a direction.
    n : int
        Number of parts.

    Returns
    -------
    tuple of Mesh
        The parts in the order of the axis.

    Raises
    ------
    InputError
        The direction or the number is not valid.
    MeshError
        A part would be empty, neighbours are not connected, or elements reach past a whole part.

    Notes
    -----
    The deformation of each part is measured from a frame near it. It is smaller, and linear theory holds for larger
    deflections of the whole. Reduced and joined::

        parts = fem.divide(mesh, "x", 3)
        bodies = []
        for k, part in enumerate(parts):
            structure = fem.assemble(part, material)
            ends = [name for name in part.node_sets if name in ("start", "end") or name.startswith("cut")]
            reduced = modal.reduce(structure, modal.craig_bampton(structure, ends, n_normal=2))
            bodies.append(fb.FlexibleBody(part.name, reduced, origin=origin, rotation=rotation))
        joints = [
            fb.Fixed(f"cut {k}", one[f"cut {k}"], other[f"cut {k}"])
            for k, (one, other) in enumerate(itertools.pairwise(bodies), start=1)
        ]

    The sections at a cut then move as frames: at one node of beams exactly, on solids and shells in the mean over
    the cut (``craig_bampton(..., interface=modal.Rigid())`` keeps it plane).

    Examples
    --------
    >>> import fem
    >>> [part.n_elements for part in fem.divide(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), "x", 2)]
    [2, 2]
    """
    if not isinstance(mesh, Mesh):
        raise InputError(f"divide takes a fem.Mesh, not {type(mesh).__name__}; assemble its parts afterwards")
    direction = _direction(axis)
    if not is_count(n):
        raise InputError(f"n = {n!r} is not a number of parts; give a whole number from 1")
    if mesh.parts and n > 1:
        raise InputError(
            f"mesh {mesh.name!r} has {len(mesh.parts)} masses, springs and connections, which can't be divided; take "
            "them out with dataclasses.replace(mesh, parts=()) and give them to fem.assemble(..., parts=)"
        )
    along = mesh.points @ direction
    means = [along[block.nodes].mean(axis=1) for block in mesh.blocks]
    used = np.concatenate([along[block.nodes].ravel() for block in mesh.blocks])
    length = float(np.ptp(used))
    if n > mesh.n_elements:
        raise InputError(
            f"n = {n} parts of mesh {mesh.name!r}, which has {mesh.n_elements} elements; give fewer parts"
        )
    if length <= 0:
        raise MeshError(f"mesh {mesh.name!r} has no length along {direction.tolist()}")
    # a mean that lies on a cut, but for rounding, goes to the part before it
    places = [np.clip(np.ceil((x - used.min()) / length * n - 1e-9) - 1, 0, n - 1).astype(int) for x in means]
    member = np.zeros((n, mesh.n_nodes), bool)
    for block, place in zip(mesh.blocks, places, strict=True):
        member[np.repeat(place, block.nodes.shape[1]), block.nodes.ravel()] = True
    _check(mesh, member, length)
    if n == 1:
        return (mesh,)
    return tuple(_part(mesh, k, [place == k for place in places], member) for k in range(n))


def _direction(axis: Any) -> np.ndarray:
    given = floats(_LETTERS[axis] if isinstance(axis, str) and axis in _LETTERS else axis)
    if given is None or given.shape != (3,) or not np.isfinite(given).all() or not given.any():
        raise InputError(f"axis = {shown(axis)} must be 'x', 'y', 'z' or a direction of three numbers")
    return given / np.linalg.norm(given)


def _check(mesh: Mesh, member: np.ndarray, length: float) -> None:
    """Raise an error for parts that are empty, not connected, or share nodes with others than their neighbours."""
    n = len(member)
    taken = [name for k in range(1, n) if (name := f"cut {k}") in mesh.node_sets]
    if taken:
        raise InputError(
            f"mesh {mesh.name!r} has a node set {taken[0]!r}, the name of a cut: divide the whole mesh at once, or "
            "rename that set"
        )
    part = f"parts of {length / n:.3g} m of mesh {mesh.name!r}"
    empty = [k + 1 for k in range(n) if not member[k].any()]
    if empty:
        raise MeshError(f"{part}: number {empty[0]} of {n} holds no element; divide into fewer parts")
    for k in range(n - 1):
        if not (member[k] & member[k + 1]).any():
            raise MeshError(
                f"{part}: numbers {k + 1} and {k + 2} share no node and can't be joined; merge the nodes "
                "there (fem.merge_nodes)"
            )
        if (member[k] & member[k + 2 :].any(axis=0)).any():
            raise MeshError(f"{part}: elements reach past number {k + 2} of {n}; divide into fewer parts")


def _part(mesh: Mesh, k: int, keep: list[np.ndarray], member: np.ndarray) -> Mesh:
    """Return part ``k`` (from 0) with its elements ``keep``, one mask for each block."""
    nodes = np.flatnonzero(member[k])
    number = np.full(mesh.n_nodes, -1)
    number[nodes] = np.arange(len(nodes))
    kept = np.concatenate(keep)
    element = np.cumsum(kept) - 1
    blocks = tuple(
        block.moved(number[block.nodes[rows]], rows)
        for block, rows in zip(mesh.blocks, keep, strict=True)
        if rows.any()
    )
    node_sets = _kept({name: number[members] for name, members in mesh.node_sets.items()})
    for other in (k - 1, k + 1):
        if 0 <= other < len(member):
            node_sets[f"cut {max(k, other)}"] = number[np.flatnonzero(member[k] & member[other])]
    sets = {
        name: np.where(kept[members], element[members], -1) for name, members in mesh.element_sets.items()
    }
    element_sets = _kept(sets)
    faces = {}
    for name, groups in mesh.faces.items():
        inside = [(b, member[k][b.nodes].all(axis=1)) for b in groups]
        left = tuple(Block(b.element, number[b.nodes[rows]], b.ids[rows]) for b, rows in inside if rows.any())
        if left and name in node_sets:
            faces[name] = left
    return replace(
        mesh,
        points=mesh.points[nodes],
        blocks=blocks,
        node_sets=node_sets,
        faces=faces,
        element_sets=element_sets,
        node_ids=mesh.node_ids[nodes],
        properties={
            name: what
            for name, what in mesh.properties.items()
            if name in element_sets or name not in mesh.element_sets
        },
        supports={name: what for name, what in mesh.supports.items() if name in node_sets},
        turned_supports=tuple(
            one
            for one in mesh.turned_supports
            if np.isin(np.concatenate([mesh.nodes_of(k) for k in one.uses]), nodes).all()
        ),
        name=f"{mesh.name} {k + 1}",
    )


def _kept(sets: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the sets without members that are -1, and without empty sets."""
    return {name: left for name, members in sets.items() if len(left := members[members >= 0])}
