"""Ties: faces whose meshes don't match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError, warn
from ..common.values import Positive
from ..elements import SHAPES
from ..mesh.block import Block
from ..mesh.mesh import Mesh
from ..mesh.projection import Projection, coordinates, owners, project
from .connections import Follower, of_arms
from .freedoms import Following, Freedoms
from .parts import Stiffness
from .structure import Structure

#: default tolerance over the longest side of a face
DEFAULT_REACH = 0.05
#: how many times as large the faces that follow may be as those that lead
COARSENESS_LIMIT = 1.3
#: weights below this are rounding
LEAST_WEIGHT = 1e-12


@dataclass(frozen=True, eq=False)
class _Weights:
    """How nodes follow: ``nodes`` (k,), displacements and positions N (k, n), arms (k, 3) from the points N x.

    ``moved`` (k, 3): the positions of nodes that are adjusted.
    """

    nodes: np.ndarray
    N: scipy.sparse.csr_array
    arms: np.ndarray
    moved: np.ndarray


@check_arguments
@dataclass(frozen=True)
class Tie(Follower):
    """A tie of faces that don't match: nodes follow the faces on which they lie.

    Parameters
    ----------
    nodes : str
        Node set that follows, of the finer mesh.
    onto : str
        Node set whose faces lead (:meth:`fem.Mesh.faces_of`): outer faces of solids, or shells.
    tolerance : float, m, optional
        Largest distance of a node from the faces; by default 5 % of the longest side of the face. Nodes farther off
        are not tied, and a warning counts them.
    adjust : bool
        Whether to move the nodes onto the faces; a warning says how many and how far. By default they stay.

    Raises
    ------
    InputError
        At assembly: there are no faces, no node is within the tolerance, or a node follows a connection too.

    Notes
    -----
    A node on a face moves as the face's shape functions say, u = sum N_i u_i (node to surface). A node that is
    not adjusted and stands off the face of a solid moves with the shape functions of the solid itself, continued
    beyond its face; off a shell it is carried by a rigid arm that turns with sum N_i theta_i. So every rigid motion
    passes exactly, and solids also pass any field that is linear in the position. Rotations follow, theta = sum N_i
    theta_i, where the node and all nodes of the face have them; on solids they stay free, as in a hinge.

    A tie of nodes to faces transmits a constant stress exactly where the following mesh divides the faces that
    lead (patch test). Faces that are cut across transmit it with a local error: with three divisions on two, the ends
    of a cube are 0.1 of its stretch off (hex8; hex20 0.06), with 13 on 8 0.02 (0.008). The error decays within an
    element or two. If the coarser side follows, single nodes carry the stress of many faces: with two divisions on four
    the error is larger than the stretch. A warning names such a tie.

    Examples
    --------
    >>> import fem, numpy as np
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> a = fem.box((0.5, 0.1, 0.1), (4, 1, 1), "hex8")
    >>> b = fem.box((0.5, 0.1, 0.1), (6, 2, 2), "hex8", origin=(0.5, 0, 0))
    >>> sets = {"face": a.node_sets["x1"], "nodes": a.n_nodes + b.node_sets["x0"]}
    >>> shifted = fem.Block("hex8", a.n_nodes + b.blocks[0].nodes)
    >>> mesh = fem.Mesh(np.vstack([a.points, b.points]), (*a.blocks, shifted), sets)
    >>> fem.assemble(mesh, steel, parts=[fem.Tie("nodes", "face")]).n  # nine nodes follow
    222
    """

    plural: ClassVar[str] = "ties"

    nodes: str
    onto: str
    _: KW_ONLY
    tolerance: Annotated[float, Positive] | None = None
    adjust: bool = False

    @property
    def label(self) -> str:
        """Name in messages."""
        return f"the tie of {self.nodes!r} to {self.onto!r}"

    @property
    def uses(self) -> tuple[str, ...]:
        """Both node sets."""
        return (self.nodes, self.onto)

    def words(self) -> str:
        """Return the tie in words."""
        return f"tie: the nodes of {self.nodes!r} follow the faces of {self.onto!r}{', moved onto them' * self.adjust}"

    def linked(self, mesh: Mesh) -> np.ndarray:
        """Return the nodes of the set that are tied, and one of the faces."""
        weights = self._weights(mesh, self._found(mesh)[1])
        return np.unique(np.concatenate([weights.nodes, weights.N.indices]))

    def moved_nodes(self, mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes that are adjusted, and their positions on the faces."""
        candidates, found = self._found(mesh)
        self._tell_distant(mesh, candidates, found)
        self._tell_coarse(mesh)
        if not self.adjust:
            return super().moved_nodes(mesh)
        weights = self._weights(mesh, found)
        away = np.linalg.norm(weights.moved - mesh.points[weights.nodes], axis=1)
        apart = away > 1e-12 * mesh.size
        if apart.any():
            warn(
                f"mesh {mesh.name!r}, {self.label}: {int(apart.sum())} nodes are moved onto the faces, by up to "
                f"{away.max():.3g} m (adjust=True)"
            )
        return weights.nodes[apart], weights.moved[apart]

    def rule(self, mesh: Mesh, freedoms: Freedoms) -> Following:
        """Return the motions that follow, and those that lead."""
        weights = self._weights(mesh, self._found(mesh)[1])
        N = weights.N.tocoo()
        row, node = N.coords
        count, first = freedoms.count, freedoms.first
        turning = count[weights.nodes] == 6
        of_row = np.ones(len(weights.nodes), bool)
        of_row[row[count[node] < 6]] = False
        far = np.linalg.norm(weights.arms, axis=1) > 0
        if (far & ~of_row).any():
            where = np.array2string(mesh.points[weights.nodes[far & ~of_row][0]], precision=4, separator=", ")
            raise InputError(
                f"{self.label}: the node at {where} stands off a face without rotations that belongs to no solid; "
                "give adjust=True"
            )
        entries = [(3 * row + k, first[node] + k, N.data) for k in range(3)]
        arm = weights.arms[row]
        for k, turn in enumerate(np.eye(3)):  # theta x arm
            swept = np.cross(turn, arm)
            for c in range(3):
                use = (swept[:, c] != 0) & far[row]
                entries.append((3 * row[use] + c, first[node[use]] + 3 + k, (N.data * swept[:, c])[use]))
        motions = [(first[weights.nodes][:, None] + np.arange(3)).ravel()]
        both = np.flatnonzero(turning & of_row)
        if len(both):
            number = np.full(len(weights.nodes), -1)
            number[both] = np.arange(len(both))
            use = number[row] >= 0
            start = 3 * len(weights.nodes) + 3 * number[row[use]]
            entries += [(start + k, first[node[use]] + 3 + k, N.data[use]) for k in range(3)]
            motions.append((first[weights.nodes[both]][:, None] + 3 + np.arange(3)).ravel())
        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        of, columns = np.unique(columns, return_inverse=True)
        follow = np.concatenate(motions)
        matrix = scipy.sparse.coo_array((values, (rows, columns)), shape=(len(follow), len(of)))
        return Following(self.label, follow, of, scipy.sparse.csr_array(matrix))

    def frame_stiffnesses(self, structure: Structure, force: np.ndarray) -> list[Stiffness]:
        """Return the stiffness of the rotation of each face under the forces on nodes beside it."""
        mesh, freedoms = structure.mesh, structure.freedoms
        weights = self._weights(mesh, self._found(mesh)[1])
        found = []
        for k in np.flatnonzero(weights.arms.any(axis=1)):
            its = slice(weights.N.indptr[k], weights.N.indptr[k + 1])
            motions = freedoms.first[weights.N.indices[its]][:, None] + 3 + np.arange(3)
            theta = np.kron(weights.N.data[its], np.eye(3))
            F = force[freedoms.first[weights.nodes[k]] + np.arange(3)]
            own = of_arms(weights.arms[[k]], F[None])
            found.append((motions.ravel(), theta.T @ own @ theta))
        return found

    def _faces(self, mesh: Mesh) -> tuple[Block, ...]:
        faces = mesh.faces_of(self.onto)
        if not faces:
            raise InputError(
                f"{self.label}: the nodes of {self.onto!r} make no face of a solid and no shell; name a set that holds "
                "all nodes of the faces, or exchange the two sets"
            )
        return faces

    def _found(self, mesh: Mesh) -> tuple[np.ndarray, tuple[np.ndarray, Projection]]:
        """Return the nodes that may follow, and those that do with their faces."""
        faces = self._faces(mesh)
        leading = np.unique(np.concatenate([block.nodes.ravel() for block in faces]))
        candidates = np.setdiff1d(mesh.nodes_of(self.nodes), leading)
        reach = [self._reach(mesh, block) for block in faces]
        found = project(mesh.points, faces, mesh.points[candidates], reach)
        tied = found.face >= 0
        return candidates, (
            candidates[tied],
            Projection(found.face[tied], found.xi[tied], found.distance[tied]),
        )

    def _reach(self, mesh: Mesh, block: Block) -> np.ndarray:
        if self.tolerance is not None:
            return np.full(len(block), float(self.tolerance))
        corners = mesh.points[block.nodes[:, : SHAPES[block.element].n_corners]]
        return DEFAULT_REACH * np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)

    def _tell_distant(self, mesh: Mesh, candidates: np.ndarray, found: tuple[np.ndarray, Projection]) -> None:
        """Raise InputError if no node is tied, warn of those that are not."""
        distant = np.setdiff1d(candidates, found[0])
        if len(candidates) and not len(distant):
            return
        faces = self._faces(mesh)
        reach = max(float(self._reach(mesh, block).max()) for block in faces)
        if not len(candidates):
            raise InputError(
                f"{self.label}: all nodes of {self.nodes!r} belong to the faces themselves; a tie joins faces with "
                "separate nodes"
            )
        wide = [np.full(len(block), mesh.size) for block in faces]
        few = distant[:: max(1, len(distant) // 100)]
        away = project(mesh.points, faces, mesh.points[few], wide).distance
        said = (
            f"{self.label}: {len(distant)} of {len(candidates)} nodes are more than the tolerance of {reach:.3g} m "
            f"from the faces, {away.min():.3g} to {away.max():.3g} m"
        )
        if not len(found[0]):
            raise InputError(f"{said}; give tolerance=, or check the sets and the positions")
        warn(f"mesh {mesh.name!r}, {said}, and are not tied; give tolerance= if they should be")

    def _tell_coarse(self, mesh: Mesh) -> None:
        """Warn if the faces that follow are larger than those that lead."""
        sizes = []
        for name in (self.nodes, self.onto):
            corners = [
                mesh.points[block.nodes[:, : SHAPES[block.element].n_corners]]
                for block in mesh.faces_of(name)
            ]
            sides = [np.linalg.norm(X - np.roll(X, 1, axis=1), axis=2).ravel() for X in corners]
            sizes.append(float(np.median(np.concatenate(sides))) if sides else np.nan)
        if sizes[0] > COARSENESS_LIMIT * sizes[1]:
            warn(
                f"mesh {mesh.name!r}, {self.label}: the faces of {self.nodes!r} have sides of {sizes[0]:.3g} m, those "
                f"of {self.onto!r} of {sizes[1]:.3g} m; the finer side should follow: exchange the two sets"
            )

    def _weights(self, mesh: Mesh, found: tuple[np.ndarray, Projection]) -> _Weights:
        nodes, projection = found
        faces = self._faces(mesh)
        on_face = _on_faces(faces, projection, mesh.n_nodes)
        on_points = on_face @ mesh.points
        N, arms = on_face, mesh.points[nodes] - on_points
        rounding = 1e-12 * mesh.size
        off = np.linalg.norm(arms, axis=1) > rounding
        arms[~off] = 0.0
        if off.any():
            N, inside = _in_solids(mesh, faces, projection, nodes, off, on_face)
            arms[inside] = 0.0
        return _Weights(nodes, N, arms, on_points)


def _on_faces(faces: Sequence[Block], projection: Projection, n: int) -> scipy.sparse.csr_array:
    """Return the shape functions (k, n) of the faces at the projected points."""
    rows, columns, values, start = [], [], [], 0
    for block in faces:
        mine = np.flatnonzero((projection.face >= start) & (projection.face < start + len(block)))
        if len(mine):
            nodes = block.nodes[projection.face[mine] - start]
            N = SHAPES[block.element].N(projection.xi[mine])
            rows.append(np.repeat(mine, nodes.shape[1]))
            columns.append(nodes.ravel())
            values.append(N.ravel())
        start += len(block)
    return _matrix(rows, columns, values, (len(projection.face), n))


def _in_solids(
    mesh: Mesh,
    faces: Sequence[Block],
    projection: Projection,
    nodes: np.ndarray,
    off: np.ndarray,
    on_face: scipy.sparse.csr_array,
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return the weights with those of the solids for nodes off the faces of solids, and which nodes these are."""
    of_block, of_row, which = owners(mesh.blocks, faces)
    kinds = np.concatenate([np.full(len(block), k) for k, block in enumerate(faces)])
    inside = off & (of_block[projection.face] >= 0)
    starts = np.concatenate([[0], np.cumsum([len(block) for block in faces])])
    rows, columns, values = [], [], []
    for k, side, kind in np.unique(
        np.stack([of_block, which, kinds], axis=1)[projection.face[inside]], axis=0
    ):
        at = projection.face
        mine = np.flatnonzero(inside & (of_block[at] == k) & (which[at] == side) & (kinds[at] == kind))
        block, element = mesh.blocks[k], SHAPES[mesh.blocks[k].element]
        its = block.nodes[of_row[at[mine]]]
        face = SHAPES[faces[kind].element]
        corners = faces[kind].nodes[at[mine] - starts[kind]]
        # a face may list its nodes in another order than the solid does
        local = np.argmax(its[:, None, :] == corners[:, :, None], axis=2)
        xi = np.einsum("mi,mia->ma", face.N(projection.xi[mine]), element.nodes[local])
        xi = coordinates(element, mesh.points[its], mesh.points[nodes[mine]], xi)
        rows.append(np.repeat(mine, its.shape[1]))
        columns.append(its.ravel())
        values.append(element.N(xi).ravel())
    keep = scipy.sparse.diags_array((~inside).astype(float)) @ on_face
    added = _matrix(rows, columns, values, on_face.shape)
    total = scipy.sparse.csr_array(keep + added)
    total.eliminate_zeros()
    return total, inside


def _matrix(rows, columns, values, shape: tuple[int, int]) -> scipy.sparse.csr_array:
    if not rows:
        return scipy.sparse.csr_array(shape)
    row, column, value = map(np.concatenate, (rows, columns, values))
    use = np.abs(value) > LEAST_WEIGHT
    return scipy.sparse.csr_array(scipy.sparse.coo_array((value[use], (row[use], column[use])), shape=shape))
