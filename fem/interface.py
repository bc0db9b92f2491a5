"""Interface frames: a named set of nodes as one frame with six degrees of freedom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array, identity

from .common.errors import InputError
from .mesh import Mesh
from .structure import Structure, rigid_motions
from .surface import face_mass


@dataclass(frozen=True, eq=False)
class Interface:
    """A set of nodes read off as one frame.

    ``nodes`` (k,); ``point`` (3,) in m, the area centroid of the set's faces (the mean of its nodes if it has
    none); ``T`` (6, 3n): mean displacement at ``point`` and mean small rotation = T u; ``R`` (3k, 6): the
    nodes' displacements when the set moves as one rigid body, u = R q, so that T R = I. ``kind`` says which
    of the two a joint imposes: "averaged" (the mean follows the frame, RBE3) or "rigid" (every node does,
    RBE2). ``area`` of the faces in m^2. ``has_rotation`` is False if the nodes do not fix all three rotations
    (fewer than three, or on one line): the rows of T then give the least rotation that fits.
    """

    name: str
    kind: str
    nodes: np.ndarray
    point: np.ndarray
    T: csr_array
    R: np.ndarray
    has_rotation: bool
    area: float


def interface(structure: Structure | Mesh, name: str, kind: str = "averaged") -> Interface:
    """Return the frame of the node set ``name``.

    The mean motion is the rigid motion closest to the set's displacement u in the area-weighted least-squares
    sense, T = (R' W R)^-1 R' W, where R holds the rigid motions about ``point`` and W the surface mass matrix
    int N_i N_j dA of the set's faces (:meth:`fem.Mesh.faces_of`); a set without faces weighs its nodes
    equally. An unknown set raises :class:`MeshError`, an unknown kind :class:`InputError`.
    """
    if kind not in ("averaged", "rigid"):
        raise InputError(f"an interface is 'averaged' or 'rigid', not {kind!r}")
    mesh = structure.mesh if isinstance(structure, Structure) else structure
    nodes = mesh.nodes_of(name)
    W, area = _weights(mesh, name, nodes)
    x = mesh.points[nodes]
    node_weight = W.T @ np.ones(len(nodes))
    point = node_weight @ x / node_weight.sum()
    R = rigid_motions(x, point)
    WR = (W @ R.reshape(-1, 18)).reshape(-1, 6)
    T, has_rotation = _least_squares(WR, R, float(np.abs(mesh.bounding_box).max()))
    dof = (3 * nodes[:, None] + np.arange(3)).ravel()
    rows = np.repeat(np.arange(6), len(dof))
    full = coo_array((T.ravel(), (rows, np.tile(dof, 6))), shape=(6, 3 * mesh.n_nodes)).tocsr()
    full.eliminate_zeros()
    return Interface(name, kind, nodes, point, csr_array(full), R, has_rotation, area)


def _weights(mesh: Mesh, name: str, nodes: np.ndarray) -> tuple[csr_array, float]:
    """Weight matrix (k, k) over the set's nodes, and the area of its faces in m^2 (0 without faces)."""
    faces, k = mesh.faces_of(name), len(nodes)
    if not faces:
        return csr_array(identity(k, format="csr")), 0.0
    rows, columns, values = [], [], []
    for block in faces:
        local, mass = np.searchsorted(nodes, block.nodes), face_mass(mesh.points, block)
        rows.append(np.broadcast_to(local[:, :, None], mass.shape).ravel())
        columns.append(np.broadcast_to(local[:, None, :], mass.shape).ravel())
        values.append(mass.ravel())
    entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
    W = csr_array(coo_array(entries, shape=(k, k)))
    return W, float(W.sum())


def _least_squares(WR: np.ndarray, R: np.ndarray, scale: float) -> tuple[np.ndarray, bool]:
    """T = (R' W R)^+ R' W; rotations that the set's extent leaves open (relative 1e-10) are left zero."""
    normal = WR.T @ R
    T = np.zeros((6, len(R)))
    T[:3] = WR[:, :3].T / normal[0, 0]
    value, vector = np.linalg.eigh(normal[3:, 3:])
    rounding = normal[0, 0] * (1e-12 * scale) ** 2
    known = value > max(1e-10 * value[-1], rounding)
    inverse = (vector[:, known] / value[known]) @ vector[:, known].T
    # about the centroid, translations and rotations do not mix: R' W R is block diagonal
    T[3:] = inverse @ WR[:, 3:].T
    return T, bool(known.all())
