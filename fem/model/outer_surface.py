"""The outside of a mesh or structure for pictures: triangles, and the dependence of their points on the unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

from ..elements import ELEMENTS, FACES, SHAPES
from ..elements.outline import Outline, bar
from ..mesh.block import Block
from ..mesh.mesh import Mesh
from ..mesh.surface import faces_of
from .group import Group
from .structure import Structure

#: lines of a mesh that has no sections yet are drawn this thick: radius over the size of the mesh
LINE_RADIUS = 0.004
#: nodes without elements are drawn as octahedra of this radius over the size of the mesh
NODE_RADIUS = 0.006
#: corners of an octahedron, and its faces seen counter-clockwise from outside
_CORNERS = np.vstack([np.eye(3), -np.eye(3)])
_FACES = np.array([[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]])


@dataclass(frozen=True, eq=False)
class OuterSurface:
    """The outside of a group of elements, or of several with one property (``group`` is the first).

    ``points`` (m, 3) in m,
    ``triangles`` (t, 3) outward, ``edges`` (e, 2) of the elements, ``ridges`` (e, 2) sharp edges along lines (None:
    to be found). ``nodes`` (m,) the node of each point. On shells with a thickness ``arm`` (m, 3) is the vector from
    its node to the point (m), ``side`` (m,) 0 at the bottom, 1 at the top. On lines ``shape`` (ne, q, 3, nd) moves
    the q points of each, ``xi`` (q,) is the position along it, ``yz`` (q, 2) that on the section (m).
    """

    group: Group
    points: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    nodes: np.ndarray
    ridges: np.ndarray | None = None
    arm: np.ndarray | None = None
    side: np.ndarray | None = None
    shape: np.ndarray | None = None
    xi: np.ndarray | None = None
    yz: np.ndarray | None = None

    @property
    def name(self) -> str:
        """Name of the element set that has this property, "" for one property over all."""
        return self.group.name

    @property
    def family(self) -> str:
        """One of "solid", "shell", "line"."""
        kind = self.group.kind
        return "solid" if kind in ELEMENTS else "shell" if kind in FACES else "line"

    def displacements(self, structure: Structure, u: np.ndarray) -> np.ndarray:
        """Return the displacements (m, 3) or (m, 3, k) of the points in m, for u (unknowns,) or (unknowns, k)."""
        if self.shape is not None:
            moved = structure.of_elements(self.group, u)
            points = np.einsum("eqij,ej...->eqi...", self.shape, moved, optimize=True)
            return points.reshape(len(self.points), 3, *u.shape[1:])
        at_nodes = structure.displacements(u)[self.nodes]
        if self.arm is None:
            return at_nodes
        turn = structure.rotations(u)[self.nodes]
        arm = self.arm if u.ndim == 1 else self.arm[:, :, None]
        return at_nodes + np.cross(turn, arm, axis=1)


def outer_surfaces(
    what: Mesh | Structure, by_kind: bool = True, points: int = 200_000, groups: Sequence[Group] = ()
) -> list[OuterSurface]:
    """Return the outside of all elements, one surface for each kind with each property.

    For a structure, beams have their section, trusses their area, shells their thickness; for a mesh alone, lines are
    thin and shells are flat. ``by_kind=False`` joins solids of one property and different kinds, and shells likewise.
    ``points``: the number of points at most for each group of lines. ``groups``: those of a mesh whose properties are
    known. Of a mesh without elements the nodes are drawn.
    """
    mesh = what if isinstance(what, Mesh) else what.mesh
    if isinstance(what, Mesh) and not mesh.blocks:
        return [_of_nodes(mesh)]
    groups = groups or (_plain_groups(what) if isinstance(what, Mesh) else what.groups)
    alike: dict[tuple, list[Group]] = {}
    for k, group in enumerate(groups):
        family = "solid" if group.kind in ELEMENTS else "shell" if group.kind in FACES else str(k)
        alike.setdefault((family, id(group.property), group.kind if by_kind else ""), []).append(group)
    outer = _keys(mesh.exterior) if sum(key[0] == "solid" for key in alike) > 1 else None
    found = []
    for (family, *_), members in alike.items():
        if family == "solid":
            found.append(_of_solids(mesh, members, outer))
        elif family == "shell":
            found.append(_of_shells(mesh, members))
        else:
            found.append(_of_lines(mesh, members[0], points))
    return [surface for surface in found if len(surface.triangles)]


class NoProperty:
    """The outside of the elements of a mesh that has no properties yet: thin lines and flat surfaces."""

    freedoms: ClassVar[int] = 3
    faces_at: ClassVar[None] = None

    def __init__(self, size: float) -> None:
        """Take the size of the mesh in m."""
        self.radius = LINE_RADIUS * size

    def outline(self, kind: str, X: np.ndarray, stations: int) -> Outline:
        """Return thin round bars."""
        return bar(X, self.radius)


def _plain_groups(mesh: Mesh) -> list[Group]:
    none: Any = NoProperty(mesh.size)
    first = np.cumsum([0, *map(len, mesh.blocks)])
    return [
        Group(block.element, none, block.nodes, np.arange(start, start + len(block)))
        for block, start in zip(mesh.blocks, first, strict=False)
    ]


def _of_nodes(mesh: Mesh) -> OuterSurface:
    """Return a small octahedron at each node."""
    none: Any = NoProperty(mesh.size)
    group = Group("node", none, np.arange(mesh.n_nodes)[:, None], np.empty(0, np.int64))
    points = mesh.points[:, None] + NODE_RADIUS * (mesh.size or 1.0) * _CORNERS
    triangles = 6 * np.arange(mesh.n_nodes)[:, None, None] + _FACES
    edges = np.empty((0, 2), np.int64)
    nodes = np.repeat(np.arange(mesh.n_nodes), 6)
    return OuterSurface(group, points.reshape(-1, 3), triangles.reshape(-1, 3), edges, nodes, ridges=edges)


def split_smooth(points: np.ndarray, triangles: np.ndarray, degrees: float = 35.0):
    """Separate a surface along its sharp edges, so that each part has its own normal at every point.

    Returns the original point (k,) of each new point, triangles (m, 3) of new points, and the sharp or open edges
    (e, 2) as pairs of new points.
    """
    m = len(triangles)
    a, b, c = points[triangles].transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    normal = normal / np.where(size > 0, size, 1)
    # the half edges of all triangles, paired by their two points
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    owner = np.tile(np.arange(m), 3)
    key = np.sort(ends, axis=1)
    order = np.lexsort((key[:, 1], key[:, 0]))
    same = (key[order][1:] == key[order][:-1]).all(axis=1)
    first, second = order[:-1][same], order[1:][same]
    flat = (normal[owner[first]] * normal[owner[second]]).sum(axis=1) > np.cos(np.radians(degrees))
    first, second = first[flat], second[flat]
    # corners of triangles that meet at a point across smooth edges are one new point
    corner = np.arange(3 * m).reshape(m, 3)
    start, stop = corner.T.ravel(), np.concatenate([corner[:, 1], corner[:, 2], corner[:, 0]])
    rows = np.concatenate([start[first], stop[first]])
    columns = np.concatenate([stop[second], start[second]])
    pairs = scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(3 * m, 3 * m))
    _, label = scipy.sparse.csgraph.connected_components(pairs, directed=False)
    _, keep, label = np.unique(label, return_index=True, return_inverse=True)
    smooth = np.zeros(len(ends), dtype=bool)
    smooth[first] = smooth[second] = True
    edges = np.stack([label[start[~smooth]], label[stop[~smooth]]], 1)
    return triangles.ravel()[keep], label.reshape(m, 3), edges


def _keys(faces: Sequence[Block]) -> np.ndarray:
    """Return one value (nf,) for each face, the same for faces with the same corners."""
    found = []
    for block in faces:
        corners = np.sort(block.nodes[:, : FACES[block.element].n_corners], axis=1)
        padded = np.full((len(corners), 4), -1, np.int64)
        padded[:, 4 - corners.shape[1] :] = corners
        found.append(padded.view([("corners", np.int64, 4)]).ravel())
    return np.concatenate(found)


def _edges(blocks: list[Block]) -> np.ndarray:
    """Return the edges (e, 2) of faces, without the lines that split a face for drawing."""
    found = [np.empty((0, 2), np.int64)]
    for block in blocks:
        split = np.array(FACES[block.element].triangles)
        pairs = np.sort(np.concatenate([split[:, [0, 1]], split[:, [1, 2]], split[:, [2, 0]]]), axis=1)
        sides, count = np.unique(pairs, axis=0, return_counts=True)
        found.append(block.nodes[:, sides[count == 1]].reshape(-1, 2))
    return np.unique(np.sort(np.concatenate(found), axis=1), axis=0)


def _triangles(blocks: list[Block]) -> np.ndarray:
    parts = [block.nodes[:, np.array(FACES[block.element].triangles)].reshape(-1, 3) for block in blocks]
    return np.vstack(parts) if parts else np.empty((0, 3), np.int64)


def _compact(rows: np.ndarray, *pairs: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the nodes in use, and arrays of nodes as rows of these."""
    nodes, number = np.unique(rows, return_inverse=True)
    return nodes, number.reshape(rows.shape), *(np.searchsorted(nodes, pair) for pair in pairs)


def _of_solids(mesh: Mesh, groups: list[Group], outer: np.ndarray | None) -> OuterSurface:
    if outer is None:
        blocks = list(mesh.exterior)
    else:
        blocks = [Block(*face) for face in faces_of([Block(g.kind, g.nodes) for g in groups], exterior=False)]
        blocks = [Block(b.element, b.nodes[np.isin(_keys([b]), outer)]) for b in blocks]
    nodes, triangles, edges = _compact(_triangles(blocks), _edges(blocks))
    return OuterSurface(groups[0], mesh.points[nodes], triangles, edges, nodes)


def _of_shells(mesh: Mesh, groups: list[Group]) -> OuterSurface:
    group = groups[0]
    blocks = [Block(g.kind, g.nodes) for g in groups]
    nodes, triangles, edges = _compact(_triangles(blocks), _edges(blocks))
    points = mesh.points[nodes]
    heights = group.property.faces_at
    if heights is None:
        return OuterSurface(group, points, triangles, edges, nodes)
    source, split, rim = split_smooth(points, triangles)
    normal = _normals(points[source], split)
    arms = [height * normal for height in heights]
    n = len(source)
    a, b = rim.T
    walls = np.concatenate([np.stack([a, b, b + n], 1), np.stack([a, b + n, a + n], 1)])
    at = np.full(len(points), -1)
    at[source] = np.arange(n)
    lines = np.concatenate([at[edges], at[edges] + n])
    arm = np.concatenate(arms)
    return OuterSurface(
        group,
        points[np.tile(source, 2)] + arm,
        np.concatenate([split[:, ::-1], split + n, walls]),
        lines,
        nodes[np.tile(source, 2)],
        arm=arm,
        side=np.repeat([0, 1], n),
    )


def _normals(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return unit normals at points (n, 3), the mean over their triangles by area."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    total = np.zeros_like(points)
    np.add.at(total, triangles, np.cross(b - a, c - a)[:, None])
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return total / np.where(size > 0, size, 1)


def _of_lines(mesh: Mesh, group: Group, most: int) -> OuterSurface:
    X = mesh.points[group.nodes]
    stations = int(np.clip(most // (len(X) * 24), 2, 9))
    drawn = group.property.outline(group.kind, X, stations)
    ne, q = drawn.points.shape[:2]
    shift = (q * np.arange(ne))[:, None, None]

    def everywhere(rows: np.ndarray) -> np.ndarray:
        return (rows[None] + shift).reshape(-1, rows.shape[1])

    ends = np.where(drawn.xi < 0.5, 0, 1)
    return OuterSurface(
        group,
        drawn.points.reshape(-1, 3),
        everywhere(drawn.triangles),
        everywhere(np.concatenate([*drawn.rings, drawn.ridges])),
        group.nodes[:, ends].reshape(-1),
        ridges=np.concatenate([everywhere(drawn.ridges), _free_rings(group.nodes, drawn, q)]),
        shape=drawn.shape,
        xi=drawn.xi,
        yz=drawn.yz,
    )


def _free_rings(nodes: np.ndarray, drawn: Outline, q: int) -> np.ndarray:
    """Return the rings at ends that no other element of the group continues."""
    count = np.bincount(nodes[:, :2].ravel())
    found = [np.empty((0, 2), np.int64)]
    for end in (0, 1):
        free = np.flatnonzero(count[nodes[:, end]] == 1)
        found += [drawn.rings[end] + q * element for element in free]
    return np.concatenate(found)


def thin_lines(mesh: Mesh) -> np.ndarray:
    """Return the axes (e, 2) of all line elements as pairs of nodes."""
    found = [block.nodes[:, :2] for block in mesh.blocks if SHAPES[block.element].n_corners == 2]
    return np.concatenate([np.empty((0, 2), np.int64), *found])
