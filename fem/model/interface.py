"""Interface frames: a named set of nodes as one frame with six degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.known_attributes import KnownAttributes
from ..elements import SHAPES
from ..mesh.mesh import Mesh
from ..mesh.surface import face_mass
from .freedoms import Freedoms, all_motions
from .structure import Structure, rigid_motions


@dataclass(frozen=True, eq=False)
class MeanMotion:
    """The mean motion of a set of nodes, as a function of the motions of the mesh.

    ``T`` (6, motions): mean displacement at ``point`` and mean small rotation; ``motions`` (k,) those of the set's
    nodes, and ``R`` (k, 6) their values when the set moves as one rigid body.
    """

    nodes: np.ndarray
    point: np.ndarray
    T: scipy.sparse.csr_array
    motions: np.ndarray
    R: np.ndarray
    has_rotation: bool
    area: float


@dataclass(frozen=True, eq=False)
class Interface(KnownAttributes):
    """A node set as one frame with six degrees of freedom, the result of :func:`interface`.

    Attributes
    ----------
    name : str
        Node set.
    rigid : bool
        The constraint that a joint imposes. False: averaged (RBE3), the mean of the nodes follows the frame. True:
        rigid (RBE2), every node does.
    nodes : array of int (k,)
        Nodes.
    point : array (3,), m
        Area centroid of the set's faces, or the mean of its nodes if it has none.
    T : sparse matrix (6, unknowns)
        Mean displacement at ``point`` and mean small rotation = T u.
    unknowns : array of int (j,)
        Unknowns of the set's nodes.
    R : array (j, 6)
        Values of these unknowns when the set moves as one rigid body, u = R q, so that T R = I.
    has_rotation : bool
        False if the nodes do not determine all three rotations (fewer than three, or on one line, without rotations of
        their own); T then gives the smallest rotation that fits.
    area : float, m^2
        Area of the faces.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> tip = fem.interface(bar, "x1")
    >>> tip.kind, tip.has_rotation, round(tip.area, 6)
    ('averaged', True, 0.01)
    >>> turned = bar.rigid_modes(tip.point)[:, 5]
    >>> ((tip.T @ turned).round(9) + 0.0).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """

    name: str
    rigid: bool
    nodes: np.ndarray
    point: np.ndarray
    T: scipy.sparse.csr_array
    unknowns: np.ndarray
    R: np.ndarray
    has_rotation: bool
    area: float

    def __repr__(self) -> str:
        place = ", ".join(f"{x:.6g}" for x in self.point)
        return f"<Interface {self.name!r}: {len(self.nodes)} nodes, {self.kind}, at ({place}) m>"

    @property
    def kind(self) -> str:
        """The constraint in reports: "averaged" or "rigid"."""
        return "rigid" if self.rigid else "averaged"


@check_arguments
def interface(structure: Structure | Mesh, name: str, *, rigid: bool = False) -> Interface:
    """Return the frame of a node set.

    Parameters
    ----------
    structure : Structure or Mesh
        The structure.
    name : str
        Node set.
    rigid : bool
        False: averaged (RBE3), the frame follows the mean of the nodes. True: rigid (RBE2), the nodes follow the frame.

    Returns
    -------
    Interface
        The frame.

    Raises
    ------
    MeshError
        There is no such set.
    InputError
        Nodes of a rigid interface already follow a connection.

    Notes
    -----
    The mean motion is the rigid motion closest to the set's displacement u in the area-weighted least-squares
    sense, T = (R' W R)^-1 R' W, where R holds the rigid motions about ``point`` and W the surface mass matrix
    int N_i N_j dA of the set's faces (:meth:`fem.Mesh.faces_of`). A set without faces is weighted by the length of the
    shells' sides in it, and one without those equally by nodes: so is every set where only positions of nodes are
    known, and its mean then depends on how dense they are (see :func:`fem.from_matrices`). A single node with
    rotations is itself the frame; nodes with rotations on one line supply the rotation that their displacements do not
    determine.

    Examples
    --------
    >>> import fem
    >>> fem.interface(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), "x1").point.round(6).tolist()
    [1.0, 0.05, 0.05]
    """
    if isinstance(structure, Mesh):
        mesh, freedoms = structure, all_motions(structure.n_nodes)
    else:
        mesh, freedoms = structure.mesh, structure.freedoms
    mean = mean_motion(mesh, name, freedoms)
    T = mean.T if freedoms.L is None else scipy.sparse.csr_array(mean.T @ freedoms.L)
    unknowns = freedoms.unknowns(mean.motions)
    if rigid and (unknowns < 0).any():
        raise InputError(
            f"the node set {name!r} can't be a rigid interface: its nodes follow a connection already; make it "
            "averaged, or use the reference node of a rigid connection"
        )
    known = unknowns >= 0
    return Interface(
        name, rigid, mean.nodes, mean.point, T, unknowns[known], mean.R[known], mean.has_rotation, mean.area
    )


def mean_motion(mesh: Mesh, name: str, freedoms: Freedoms, weights: np.ndarray | None = None) -> MeanMotion:
    """Return the mean motion of a node set over all motions of the nodes; see :func:`interface`.

    ``weights`` (k,) of the set's nodes, by default the areas of its faces.
    """
    nodes = mesh.nodes_of(name)
    W, area = _weights(mesh, name, nodes) if weights is None else (_diagonal(weights), 0.0)
    x = mesh.points[nodes]
    node_weight = W.T @ np.ones(len(nodes))
    point = node_weight @ x / node_weight.sum()
    displaced = rigid_motions(x, point)
    WR = (W @ displaced.reshape(-1, 18)).reshape(-1, 6)
    T, open_turns = _least_squares(WR, displaced, float(np.abs(mesh.bounding_box).max()))
    moved = (freedoms.first[nodes][:, None] + np.arange(3)).ravel()
    rows, columns, values = [np.repeat(np.arange(6), len(moved))], [np.tile(moved, 6)], [T.ravel()]
    turning = bool((freedoms.count[nodes] == 6).all())
    if len(open_turns) and turning:
        share = open_turns.T @ open_turns / len(nodes)  # (3, 3) onto the open directions, as a mean
        turned = freedoms.first[nodes][:, None] + 3 + np.arange(3)
        rows.append(np.repeat(3 + np.arange(3), turned.size))
        columns.append(np.tile(turned.ravel(), 3))
        values.append(np.tile(share, (1, len(nodes))).ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    full = scipy.sparse.coo_array(entries, shape=(6, freedoms.n_motions)).tocsr()
    full.eliminate_zeros()
    motions = freedoms.of_nodes(nodes)
    R = rigid_motions(x, point, Freedoms(freedoms.count[nodes]))
    return MeanMotion(
        nodes, point, scipy.sparse.csr_array(full), motions, R, turning or not len(open_turns), area
    )


def turned_load(
    mesh: Mesh, freedoms: Freedoms, frame: MeanMotion | Interface, load: np.ndarray
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return S (3, motions) and A (3, 3): what a moment that is spread over a set gains as the set turns and strains.

    The rotation R of the set is that of the rigid motion closest to its nodes, sum F . (R' (x + u) - x) = 0 for the
    forces F of each moment, plus moments M of nodes with rotations phi times those relative to R. To second order the
    moment does the work ``load . u - theta . S u + theta' A theta / 2`` with theta = T u, where
    ``S u = sum u x F + phi x M / 2`` and ``A = sym V - tr V I`` of ``V = sum F r'``, r from ``frame.point``. ``load``
    (motions,) in N and N m: F and M.
    """
    nodes, first = frame.nodes, freedoms.first
    rows, columns, values = [], [], []
    V = np.zeros((3, 3))
    for offset, share in ((0, 1.0), (3, 0.5)):
        mine = nodes[freedoms.count[nodes] > offset]
        at = first[mine][:, None] + offset + np.arange(3)
        F = load[at]
        if not offset:
            V = F.T @ (mesh.points[mine] - frame.point)
        rows.append(np.tile(np.repeat(np.arange(3), 3), len(mine)))
        columns.append(np.tile(at[:, None], (1, 3, 1)).ravel())
        values.append(share * np.cross(np.eye(3), F[:, None]).swapaxes(1, 2).ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    S = scipy.sparse.coo_array(entries, shape=(3, freedoms.n_motions)).tocsr()
    return scipy.sparse.csr_array(S), 0.5 * (V + V.T) - np.trace(V) * np.eye(3)


def _diagonal(weights: np.ndarray) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(scipy.sparse.diags_array(weights, format="csr"))


def _weights(mesh: Mesh, name: str, nodes: np.ndarray) -> tuple[scipy.sparse.csr_array, float]:
    """Return the weight matrix (k, k) over the set's nodes, and the area of its faces in m^2 (0 without faces).

    Without faces: int N_i N_j ds over the sides of shells in the set, if they reach all of its nodes; else
    equal weights.
    """
    faces, k = mesh.faces_of(name), len(nodes)
    if not faces:
        sides = _sides(mesh, nodes)
        if len(np.unique(np.concatenate([np.empty(0, int), *(its.ravel() for its in sides.values())]))) < k:
            return scipy.sparse.csr_array(scipy.sparse.identity(k, format="csr")), 0.0
        total = scipy.sparse.csr_array((k, k))
        for kind, its in sides.items():
            line, local = SHAPES[kind], np.searchsorted(nodes, its)
            (xi, w), (_, m) = line.quadrature, its.shape
            length = (
                np.linalg.norm(np.swapaxes(line.dN(xi), 1, 2) @ mesh.points[its][:, None], axis=3)[:, :, 0]
                * w
            )
            mass = np.einsum("eq,qi,qj->eij", length, line.N(xi), line.N(xi))
            at = (np.repeat(local, m, axis=1).ravel(), np.tile(local, (1, m)).ravel())
            total = total + scipy.sparse.csr_array((mass.ravel(), at), shape=(k, k))
        return scipy.sparse.csr_array(total), 0.0
    rows, columns, values = [], [], []
    for block in faces:
        local, mass = np.searchsorted(nodes, block.nodes), face_mass(mesh.points, block)
        rows.append(np.broadcast_to(local[:, :, None], mass.shape).ravel())
        columns.append(np.broadcast_to(local[:, None, :], mass.shape).ravel())
        values.append(mass.ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    W = scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(k, k)))
    return W, float(W.sum())


def _sides(mesh: Mesh, nodes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the sides of shells and the lines whose nodes are all in a set, each once: {"line2": (k, 2), ...}."""
    member = np.zeros(mesh.n_nodes, bool)
    member[nodes] = True
    found: dict[str, list[np.ndarray]] = {}
    for block in (*mesh.shells, *mesh.lines):
        element = SHAPES[block.element]
        for k, (i, j) in enumerate(element.edges):
            columns = [i, j, element.n_corners + k][: 1 + element.order]
            side = block.nodes[:, columns]
            side[:, :2].sort(axis=1)
            found.setdefault(f"line{len(columns)}", []).append(side[member[side].all(axis=1)])
    return {kind: np.unique(np.vstack(parts), axis=0) for kind, parts in found.items()}


def _least_squares(WR: np.ndarray, R: np.ndarray, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Return T = (R' W R)^+ R' W, and the directions (k, 3) of rotations that the set does not determine, left zero.

    A direction is not determined below a relative 1e-10 of the largest second moment.
    """
    normal = WR.T @ R
    T = np.zeros((6, len(R)))
    T[:3] = WR[:, :3].T / normal[0, 0]
    value, vector = np.linalg.eigh(normal[3:, 3:])
    rounding = normal[0, 0] * (1e-12 * scale) ** 2
    known = value > max(1e-10 * value[-1], rounding)
    inverse = (vector[:, known] / value[known]) @ vector[:, known].T
    # about the centroid, translations and rotations do not mix: R' W R is block diagonal
    T[3:] = inverse @ WR[:, 3:].T
    return T, vector[:, ~known].T
