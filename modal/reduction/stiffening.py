"""Geometric stiffening: the effect of second-order displacements under loads and in rotation.

The displacement is ``u = u1 + u2``: ``u1 = Phi alpha`` and ``u2 = alpha_i alpha_j Psi_ij / 2``, the static slave of
the quadratic membrane strain, so that the strain energy remains ``alpha' K alpha / 2``. ``u2`` acts through loads
only. For a load f, balanced by the inertia forces of its rigid acceleration (R: rigid modes, M: mass)::

    f_b = f - M R (R' M R)^-1 R' f,      K w = f_b,      f . u2 = alpha' G alpha / 2,      G = -Phi' K_G[sigma(w)] Phi

by reciprocity. K_G[sigma] is the geometric stiffness (K + K_G the tangent, tension stiffens), Phi the base functions
under the mean-displacement conditions, R' M Phi = 0. Two kinds of load are needed:

* six inertia cases, ``f_kl = rho (x_k e_l + x_l e_k) / 2`` with x from the mass centre: P_kl,ij = G(f_kl)_ij gives
  ``C5_ij += tr(P_ij) I - P_ij``, used in J and D2, which is all of centrifugal stiffening. (With M R balancing the
  loads, int rho Psi_ij and int rho x cross Psi_ij vanish: no other integral changes.)
* the unit forces and unit moments of every interface and marker: GF_k, GM_k. Its position is
  ``x + Phi alpha + alpha' GF alpha / 2``, its rotation *vector* ``B alpha + alpha' GM alpha / 2``.

Where nodal forces F on arms r represent a load on a frame that turns by theta, the position of each node has the
second order ``theta cross (theta cross r) / 2`` in terms of the frame's rotation vector, which contributes
``theta' (sym V - tr V I) theta / 2`` with the virial ``V = sum F r'``:

* an *averaged* frame distributes its load over nodes, which move by their own u2; its rotation is that of the closest
  rigid motion, of which the mean rotation of the nodes is only the first order. A moment's forces F_k do the work of
  that term, and on the strain d of the set, which turns with it, ``theta . sum d cross F_k``. With
  ``P_ij = B_i . sum Phi_j cross F_k`` this is ``GM_k -= P + P' - B' (sym V_k - tr V_k I) B``;
* nodes of a *rigid* frame (and of rigid connections) follow it, second order included, and K_G contains elements only:
  ``G -= B' (sym V - tr V I) B`` of the forces that the frame exerts on its nodes, for every load;
* a frame of a distributed load (:mod:`modal.reduction.load_frames`) has a force only. Where the load lies between nodes
  that turn, as on beams, its place follows their rotations to first order, an error of the order of the square of an
  element's size;
* mass points of beams and shells are attached to nodes that turn: off the axis or between nodes, where the
  displacement depends on the nodes' rotations. With S the shape of a point, ``G += B' (sym V - tr V I) B`` for
  ``V = F x' - sum (S' F)_n x_n'``, the virial of the force less that of the nodal forces that represent it.

Shells turn all their forces with the element; the work of moments and transverse shears within an element is left
out, an error of the order of its size squared.

Rotations of beam and shell nodes are rotation vectors already and need no such term themselves. Not included: the
geometric stiffness of preloaded springs, and the rotary inertia of point masses on nodes without rotations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy

import fem
from fem.analysis.geometric_stiffness import connection_stiffnesses, internal_forces
from fem.common.tall_matrices import combine, inner
from fem.model.assembly import batches
from fem.model.connections import followers_of
from fem.model.equations import equations_of
from fem.model.free_body_flexibility import HeldFlexibility, RigidMotion, flexibility_of
from fem.model.interface import mean_motion, turned_load

from ..body.inertia import FloatArray
from .load_frames import LoadFrame
from .stiffening_method import BaseFunctions, StiffeningMethod

#: terms below this part of the largest are set to zero (a plane body has few terms)
TERM_TOLERANCE = 1e-9
#: the six inertia cases (k, l)
INERTIA_CASES = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


@dataclass(frozen=True, eq=False)
class Stiffening:
    """The second-order terms of a body, in components of the mesh's basis.

    ``C5`` (N, N, 3, 3) in kg m^2 for base functions in metres, to be added to C5; ``GF`` and ``GM`` (3, N, N) of each
    marker, in m and rad for unit modal coordinates: f . u2 = alpha' G alpha / 2 of its unit forces and moments.
    """

    C5: FloatArray
    GF: Mapping[str, FloatArray]
    GM: Mapping[str, FloatArray]


def stiffening(
    structure: fem.Structure, Phi: FloatArray, interfaces: Sequence[fem.Interface | LoadFrame]
) -> Stiffening:
    """Return the second-order terms for base functions Phi (unknowns, N) without mean rigid motion.

    This costs 6 static solutions, and 6 for each interface, with one factorisation for all.
    """
    loads = Loads(structure, interfaces)
    w = _statics(structure, interfaces)(loads.over_unknowns)
    G = -contracted(structure, w, Phi)
    for k in range(w.shape[1]):
        G[k] -= _connections(structure, w[:, k], loads.over_motions[:, k], Phi)
        G[k] -= _frames(structure, interfaces, loads, k, w[:, k], Phi)
    G += _mass_points(structure, loads.on_mass, Phi)
    P = np.empty((3, 3, *G.shape[1:]))
    for (k, l), value in zip(INERTIA_CASES, _clean(G[: len(INERTIA_CASES)]), strict=True):
        P[k, l] = P[l, k] = value
    C5 = np.einsum("kkij,ab->ijab", P, np.eye(3)) - P.transpose(2, 3, 0, 1)
    by_marker = G[len(INERTIA_CASES) :].reshape(len(interfaces), 2, 3, *G.shape[1:])
    turns = np.array([i.has_rotation for i in interfaces], dtype=float)
    forces, moments = _clean(by_marker[:, 0]), _clean(by_marker[:, 1] * turns[:, None, None, None])
    names = [i.name for i in interfaces]
    return Stiffening(C5, dict(zip(names, forces, strict=True)), dict(zip(names, moments, strict=True)))


class SecondOrderTerms(StiffeningMethod):
    """The second-order terms of :func:`stiffening`, in the mean-displacement frame."""

    def terms(self, body: BaseFunctions) -> dict[str, Any]:
        """Return the markers with their second-order terms, and the addition to C5."""
        second = stiffening(body.structure, body.Phi, list(body.interfaces.values()))
        markers = body.field.markers
        placed = {k: replace(m, GF=second.GF[k], GM=second.GM[k]) for k, m in markers.items()}
        return {"markers": placed, "C5_stiffening": second.C5}


class Loads:
    """The load cases: six of inertia, then six of every interface (forces, moments), balanced by inertia forces.

    ``over_unknowns`` (unknowns, n), and ``over_motions`` (motions, n) on all motions of the nodes; of these
    ``inertia`` (motions, n) are the forces on the mass, ``on_mass`` (m, 3, n) the same on the mass points;
    ``unbalanced`` [interface] (motions, 6) unit forces and moments.
    """

    def __init__(self, structure: fem.Structure, interfaces: Sequence[fem.Interface | LoadFrame]) -> None:
        mesh, freedoms = structure.mesh, structure.freedoms
        cloud = structure.cloud.at_points
        mass, x = cloud.mass, cloud.points - structure.center
        self.unbalanced = [_over_motions(mesh, i, freedoms).T.toarray() for i in interfaces]
        given = np.column_stack([np.zeros((freedoms.n_motions, len(INERTIA_CASES))), *self.unbalanced])
        n = given.shape[1]
        field = np.zeros((len(x), 3, n))
        for case, (k, l) in enumerate(INERTIA_CASES):
            field[:, l, case] += 0.5 * x[:, k]
            field[:, k, case] += 0.5 * x[:, l]
        rigid = RigidMotion(structure)
        whole = given + self._on_nodes(structure, _weighed(mass, field))
        acceleration = rigid.acceleration(structure.freedoms.onto_unknowns(whole))
        field -= cloud.displacements(combine(rigid.R, acceleration))
        self.on_mass = _weighed(mass, field)
        self.inertia = self._on_nodes(structure, self.on_mass)
        self.over_motions = given + self.inertia
        self.over_unknowns = structure.freedoms.onto_unknowns(self.over_motions)

    @staticmethod
    def _on_nodes(structure: fem.Structure, forces: FloatArray) -> FloatArray:
        over, flat = structure.cloud.at_points.over_motions, forces.reshape(-1, forces.shape[2])
        return flat if over is None else np.asarray(over.T @ flat)


def _over_motions(mesh: fem.Mesh, interface: fem.Interface | LoadFrame, freedoms) -> scipy.sparse.csr_array:
    """Return the mean motion of a frame over all motions of the nodes, (6, motions)."""
    if isinstance(interface, LoadFrame):
        return interface.over_motions
    return mean_motion(mesh, interface.name, freedoms).T


def _weighed(mass: scipy.sparse.csr_array, field: FloatArray) -> FloatArray:
    return np.asarray(mass @ field.reshape(len(field), -1)).reshape(field.shape)


def _statics(
    structure: fem.Structure, interfaces: Sequence[fem.Interface | LoadFrame]
) -> Callable[[FloatArray], FloatArray]:
    """Return a function that gives w (unknowns, n) for balanced loads; rigid interfaces stay rigid."""
    rigid = [i for i in interfaces if isinstance(i, fem.Interface) and i.rigid]
    if not rigid:
        return flexibility_of(structure).solve
    held = np.concatenate([i.unknowns for i in rigid])
    R = scipy.linalg.block_diag(*(i.R for i in rigid))
    body = HeldFlexibility(structure, held)
    shapes = np.zeros((structure.n, R.shape[1]))
    shapes[held] = R
    shapes -= body.solve(structure.K @ shapes)
    shapes -= body.solve(structure.elastic_forces(shapes))  # of the rounding of K u
    size = structure.mesh.size
    shapes /= np.tile([1.0, 1.0, 1.0, size, size, size], len(rigid))
    K = inner(shapes, structure.elastic_forces(shapes))
    # the six rigid motions are all that it does not resist: the load is balanced, any solution will do
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    inverse = (vectors[:, 6:] / values[6:]) @ vectors[:, 6:].T

    def solve(load: FloatArray) -> FloatArray:
        return combine(shapes, inverse @ inner(shapes, load)) + body.solve(load)

    return solve


def contracted(structure: fem.Structure, w: FloatArray, Phi: FloatArray) -> FloatArray:
    """Return Phi' K_G[sigma(w)] Phi (n,N,N) for displacements w (unknowns,n), from the elements' matrices.

    No matrix of the whole structure is made.
    """
    freedoms, mesh = structure.freedoms, structure.mesh
    moved, shapes = freedoms.motions(w), freedoms.motions(Phi)
    total = np.zeros((w.shape[1], Phi.shape[1], Phi.shape[1]))
    for group in structure.groups:
        dofs = freedoms.of_elements(group.nodes, group.property.freedoms)
        for part in batches(len(dofs), dofs.shape[1]):
            X = mesh.points[group.nodes[part]]
            total += group.property.geometric_products(group.kind, X, moved[dofs[part]], shapes[dofs[part]])
    return 0.5 * (total + total.transpose(0, 2, 1))


def virial_term(V: FloatArray, theta: FloatArray) -> FloatArray:
    """Return theta' (sym V - tr V I) theta (N,N) for a virial V (3,3) in N m and rotations theta (3,N)."""
    return theta.T @ (0.5 * (V + V.T) - np.trace(V) * np.eye(3)) @ theta


def _frames(
    structure: fem.Structure,
    interfaces: Sequence[fem.Interface | LoadFrame],
    loads: Loads,
    k: int,
    w: FloatArray,
    Phi,
) -> FloatArray:
    """Return the contribution of the interface frames to load case k, (N, N); see the module's text."""
    mesh, first = structure.mesh, structure.freedoms.first
    total = np.zeros((Phi.shape[1], Phi.shape[1]))
    for number, interface in enumerate(interfaces):
        if isinstance(interface, LoadFrame):
            continue
        own = k - len(INERTIA_CASES) - 6 * number
        if interface.rigid:
            forces = structure.elastic_forces(w) - structure.freedoms.onto_unknowns(loads.inertia[:, k])
            at = structure.freedoms.unknowns(first[interface.nodes][:, None] + np.arange(3))
        elif 3 <= own < 6 and interface.has_rotation:
            S, A = turned_load(mesh, structure.freedoms, interface, loads.unbalanced[number][:, own])
            B = np.asarray(interface.T @ Phi)[3:]
            P = B.T @ np.asarray((S if structure.freedoms.L is None else S @ structure.freedoms.L) @ Phi)
            total += P + P.T - B.T @ A @ B
            continue
        else:
            continue
        V = forces[at].T @ (mesh.points[interface.nodes] - interface.point)
        total += virial_term(V, np.asarray(interface.T @ Phi)[3:])
    return total


def _connections(structure: fem.Structure, w: FloatArray, load: FloatArray, Phi: FloatArray) -> FloatArray:
    """Return the contribution of the structure's own connections and equations to one load case, (N, N).

    ``load`` (motions,) is balanced.
    """
    total = np.zeros((Phi.shape[1], Phi.shape[1]))
    if not followers_of(structure.parts) and not equations_of(structure.parts):
        return total
    shapes, force = structure.freedoms.motions(Phi), internal_forces(structure, w) - load
    for motions, matrix in connection_stiffnesses(structure, force):
        total += shapes[motions].T @ matrix @ shapes[motions]
    return total


def _mass_points(structure: fem.Structure, forces: FloatArray, Phi: FloatArray) -> FloatArray:
    """Return the contribution of forces (m, 3, n) on mass points that are attached to turning nodes, (n, N, N)."""
    cloud, freedoms = structure.cloud.at_points, structure.freedoms
    over = cloud.over_motions
    total = np.zeros((forces.shape[2], Phi.shape[1], Phi.shape[1]))
    if over is None:
        return total
    entries = over.tocoo()
    row, motion = entries.coords
    point, k = row // 3, row % 3
    node = np.searchsorted(freedoms.first, motion, side="right") - 1
    component = motion - freedoms.first[node]
    # virial that a unit force k on a point has over that of its nodal forces: (m, k, c, d)
    excess = np.einsum("kc,md->mkcd", np.eye(3), cloud.points - structure.center)
    shift = component < 3
    where = (point[shift], k[shift], component[shift])
    arms = structure.mesh.points[node[shift]] - structure.center
    np.subtract.at(excess, where, entries.data[shift][:, None] * arms)
    # a point turns as its nodes do in the mean
    pairs = np.unique(np.stack([point, node])[:, freedoms.count[node] == 6], axis=1)
    share = 1.0 / np.bincount(pairs[0], minlength=len(excess))[pairs[0]]
    mean = scipy.sparse.csr_array((share, (pairs[0], pairs[1])), shape=(len(excess), len(freedoms.count)))
    used = np.unique(pairs[0])
    if not len(used):
        return total
    turned = mean[used] @ structure.rotations(Phi).reshape(len(freedoms.count), -1)
    turned = turned.reshape(len(used), 3, -1)
    for load in range(len(total)):
        V = np.einsum("mk,mkcd->mcd", forces[used, :, load], excess[used])
        A = 0.5 * (V + V.transpose(0, 2, 1)) - np.trace(V, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        total[load] = turned.reshape(-1, Phi.shape[1]).T @ (A @ turned).reshape(-1, Phi.shape[1])
    return total


def _clean(G: FloatArray) -> FloatArray:
    """Return G (..., N, N) with blocks below ``TERM_TOLERANCE`` of the largest set to zero."""
    size = np.abs(G).max(axis=(-2, -1), keepdims=True)
    return np.where(size > TERM_TOLERANCE * size.max(initial=0.0), G, 0.0)
