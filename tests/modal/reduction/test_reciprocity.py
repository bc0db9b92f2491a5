"""Reciprocity: second-order terms of a body against second-order fields that are solved explicitly."""

import functools

import numpy as np
import pytest
from support.bars import STEEL
from support.pieces import close, frame_of_beams, solid
from support.shell_meshes import grid

import fem
from fem.model.free_body_flexibility import RigidMotion
from modal.reduction.stiffening import INERTIA_CASES, stiffening

pytestmark = pytest.mark.slow


@functools.cache
def shell(kind, warped, lumped=False):
    """A trapezoid of two by one cells, out of its plane where ``warped``; thick, for the condition of K."""

    def place(s, t):
        return 0.3 * s, 0.2 * t * (1 - 0.2 * s), warped * 0.03 * np.sin(2 * s) * np.cos(t)

    points, elements = grid(kind, 2, 1, place)
    sets = {"start": np.array([0, 3]), "end": np.array([2, 5])}
    return fem.assemble(
        fem.Mesh(points, (fem.Block(kind, elements),), sets), fem.Shell(STEEL, 0.02), lumped=lumped
    )


@functools.cache
def truss():
    """Two tetrahedra of bars on one another, each foot of three nodes an interface; the mass on the nodes."""
    points = np.array([(0, 0, 0), (0.3, 0, 0.02), (0.1, 0.25, 0), (0.12, 0.1, 0.28), (0.35, 0.3, 0.3)])
    bars = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3), (1, 4), (2, 4), (3, 4)]
    sets = {"start": np.array([0, 1, 2]), "end": np.array([1, 3, 4])}
    return fem.assemble(
        fem.Mesh(points, (fem.Block("line2", bars),), sets), fem.Truss(STEEL, 1e-4), lumped=True
    )


def shapes(structure, n=4, seed=2):
    """Random smooth base functions without mean rigid motion: static shapes of random loads, (unknowns,n)."""
    rng = np.random.default_rng(seed)
    flexible = fem.model.free_body_flexibility.Flexibility(structure)
    Phi = flexible.relieved(rng.normal(size=(structure.n, n)))
    return 0.01 * Phi / np.abs(Phi).max(axis=0)


def elastic_forces(structure, a, b):
    """g (unknowns,): int B' sigma(eps2), eps2 = sym(grad a' grad b) / 2, from Green and Lagrange's strain.

    Written here from shape functions and Gauss points: nothing of the program's K_G.
    """
    material, mesh = structure.material, structure.mesh
    E, nu = material.E, material.nu
    lam, mu = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    g = np.zeros((mesh.n_nodes, 3))
    for block in mesh.blocks:
        element = fem.ELEMENTS[block.element]
        rule = element.stiffness_quadrature
        for nodes in block.nodes:
            for dN, weight in zip(element.dN(rule.points), rule.weights, strict=True):
                jacobian = mesh.points[nodes].T @ dN
                grad = dN @ np.linalg.inv(jacobian)  # (nn, 3)
                A, B = (u.reshape(-1, 3)[nodes].T @ grad for u in (a, b))
                strain = 0.25 * (A.T @ B + B.T @ A)
                stress = lam * np.trace(strain) * np.eye(3) + 2 * mu * strain
                g[nodes] += weight * np.linalg.det(jacobian) * grad @ stress
    return g.ravel()


@functools.cache
def geometric(structure):
    """K_G[v] (unknowns,unknowns,unknowns) for each unknown v."""
    return np.array([fem.geometric_stiffness(structure, v).toarray() for v in np.eye(structure.n)])


def own_forces(structure, a, b):
    """g (unknowns,) by the elements' geometric stiffness: v.g = a' K_G[v] b / 2 for every unknown v."""
    return 0.5 * a @ geometric(structure) @ b


def second_fields(structure, Phi, forces, L=None, offset=None):
    """Psi (unknowns,N,N) with u2 = alpha_i alpha_j Psi_ij / 2, solved: K u2 = -g(u1, u1), R' M u2 = 0.

    With u2 = L z + d(u1, u1) where nodes follow rigid frames. Dense, by a pseudo-inverse.
    """
    N, n = Phi.shape[1], structure.n
    K, L = structure.K.toarray(), np.eye(n) if L is None else L
    reduced = L.T @ K @ L
    values, vectors = np.linalg.eigh(0.5 * (reduced + reduced.T))
    inverse = (vectors[:, 6:] / values[6:]) @ vectors[:, 6:].T
    Psi = np.empty((n, N, N))
    for i in range(N):
        for j in range(i + 1):
            d = np.zeros(n) if offset is None else offset(Phi[:, i], Phi[:, j])
            g = 2 * forces(structure, Phi[:, i], Phi[:, j])
            u2 = L @ (inverse @ (-L.T @ (g + K @ d))) + d
            Psi[:, i, j] = Psi[:, j, i] = RigidMotion(structure).elastic(u2)
    return Psi


def ride(structure, Phi):
    """Second order (m,3,N,N) of mass points beside what the nodes' displacements and rotation vectors interpolate.

    A point turns by the mean theta of its nodes' rotation vectors; were all the body to turn so, it would move by
    theta x (theta x x) / 2, of which the nodes' own such motions interpolate a part.
    """
    cloud, first, x = structure.cloud, structure.freedoms.first, structure.mesh.points
    S = cloud.over_motions.toarray().reshape(len(cloud.points), 3, -1)
    turned = structure.rotations(Phi)  # (nodes,3,N)
    moved = np.zeros((*S.shape[:2], Phi.shape[1], Phi.shape[1]))
    for p, shape in enumerate(S):
        nodes = [n for n, k in enumerate(first[: len(x)]) if np.abs(shape[:, k : k + 6]).max() > 0]
        theta = turned[nodes].mean(axis=0).T

        def second(r, theta=theta):
            turn = np.array([[np.cross(a, np.cross(b, r)) for b in theta] for a in theta])
            return 0.5 * (turn + turn.transpose(1, 0, 2)).transpose(2, 0, 1)

        carried = [np.tensordot(shape[:, first[n] : first[n] + 3], second(x[n]), axes=1) for n in nodes]
        moved[p] = second(cloud.points[p]) - sum(carried)
    return moved


def centred(structure, Psi, more):
    """Psi and the whole second order (m,3,N,N) of the mass points, ``more`` beside Psi's, without their mean motion."""
    cloud, R, N = structure.cloud, structure.rigid_modes(), Psi.shape[1]
    points = cloud.displacements(Psi.reshape(len(Psi), -1)).reshape(-1, 3, N, N) + more
    rigid = cloud.displacements(R)
    weighed = np.einsum("pq,qcr->pcr", cloud.mass.toarray(), rigid)
    mean = np.einsum("pcr,pcij->rij", weighed, points)
    mean = np.linalg.solve(np.einsum("pcr,pcs->rs", weighed, rigid), mean.reshape(6, -1)).reshape(6, N, N)
    return Psi - np.tensordot(R, mean, axes=1), points - np.tensordot(rigid, mean, axes=1)


def inertia_cases(structure, Psi, moved=None):
    """P (6,N,N): int rho (x_k Psi_l + x_l Psi_k) / 2; ``moved`` (m,3,N,N) of the mass points, by Psi if not given."""
    cloud, N = structure.cloud, Psi.shape[1]
    moved = cloud.displacements(Psi.reshape(len(Psi), -1)) if moved is None else moved.reshape(-1, 3, N * N)
    x = cloud.points - structure.center
    first = np.einsum("pk,pln->kln", cloud.mass @ x, moved)
    return np.array([0.5 * (first[k, l] + first[l, k]).reshape(N, N) for k, l in INERTIA_CASES])


def as_C5(P):
    full = np.empty((3, 3, *P.shape[1:]))
    for (k, l), value in zip(INERTIA_CASES, P, strict=True):
        full[k, l] = full[l, k] = value
    return np.einsum("kkij,ab->ijab", full, np.eye(3)) - full.transpose(2, 3, 0, 1)


def second_rotation(structure, i, Phi):
    """What the rotation vector of the rigid motion closest to an averaged interface's nodes is beside T u (3, N, N).

    With R = I + skew(theta) + ..., ``sum F . (R' (r + u) - r) + M . (phi relative to R) = 0`` of each unit moment's
    forces F on arms r and moments M on nodes that turn by phi, relative to R by ``phi - theta - theta x phi / 2``.
    """
    per_node = structure.n // structure.mesh.n_nodes
    T, B = np.asarray(i.T[3:].todense()).reshape(3, -1, per_node), np.asarray(i.T @ Phi)[3:].T
    fields = Phi.reshape(-1, per_node, Phi.shape[1]).transpose(2, 0, 1)
    r = structure.mesh.points - i.point
    second = np.zeros((3, len(B), len(B)))
    for j, theta in enumerate(B):
        for k, other in enumerate(B):
            moved = np.cross(theta, np.cross(other, r)) / 2 - np.cross(theta, fields[k][:, :3])
            second[:, j, k] = np.einsum("apc,pc->a", T[:, :, :3], moved)
            if per_node == 6:
                second[:, j, k] -= np.einsum("apc,pc->a", T[:, :, 3:], np.cross(theta, fields[k][:, 3:])) / 2
    return second + second.transpose(0, 2, 1)


def check_interface(structure, i, Phi, Psi, found):
    """An interface's terms are the motion of its frame in the second-order fields ``Psi`` (n, N, N), and for moments
    what its nodal forces do as they turn. Returns the rotations of its frame, and these parts of them, (3, N, N)."""
    motion = (i.T @ Psi.reshape(len(Psi), -1)).reshape(6, *Psi.shape[1:])
    turned = -second_rotation(structure, i, Phi)
    close(found.GF[i.name], motion[:3])
    close(found.GM[i.name], motion[3:] - turned)
    return motion[3:], turned


class TestReciprocity:
    """G against second-order fields that are solved; relative 1e-10 of the largest (condition of K)."""

    @pytest.mark.parametrize("element", ["hex20", "tet10", "wedge15"])
    def test_solid_with_averaged_interfaces(self, element):
        structure = solid(element)
        interfaces = [fem.interface(structure, name) for name in ("x0", "x1")]
        Phi = shapes(structure)
        Psi = second_fields(structure, Phi, elastic_forces)
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi)))
        for i in interfaces:
            motion, turned = check_interface(structure, i, Phi, Psi, found)
            assert np.abs(turned).max() > 1e-3 * np.abs(motion).max()

    def test_solid_with_rigid_interfaces(self):
        """Nodes of a frame follow it: u2 = q2 + theta2 x r + theta x (theta x r) / 2; the rest is a slave."""
        structure = solid()
        interfaces = [fem.interface(structure, name, rigid=True) for name in ("x0", "x1")]
        held = np.concatenate([i.unknowns for i in interfaces])
        free = np.setdiff1d(np.arange(structure.n), held)
        L = np.zeros((structure.n, 12 + len(free)))
        for k, i in enumerate(interfaces):
            L[i.unknowns, 6 * k : 6 * k + 6] = i.R
        L[free, 12 + np.arange(len(free))] = 1.0
        rng = np.random.default_rng(4)
        K = L.T @ structure.K @ L
        flexible = np.linalg.pinv(0.5 * (K + K.T), rcond=1e-12, hermitian=True)
        Phi = RigidMotion(structure).elastic(L @ (flexible @ rng.normal(size=(L.shape[1], 4))))
        Phi = 0.01 * Phi / np.abs(Phi).max(axis=0)

        def offset(a, b):
            d = np.zeros((structure.mesh.n_nodes, 3))
            for i in interfaces:
                r = structure.mesh.points[i.nodes] - i.point
                s, t = (i.T @ a)[3:], (i.T @ b)[3:]
                d[i.nodes] = 0.5 * (np.cross(s, np.cross(t, r)) + np.cross(t, np.cross(s, r)))
            return d.ravel()

        Psi = second_fields(structure, Phi, elastic_forces, L, offset)
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi)))
        for i in interfaces:
            d = np.array([[offset(a, b) for b in Phi.T] for a in Phi.T]).transpose(2, 0, 1)
            follow = (Psi - d)[i.unknowns].reshape(len(i.unknowns), -1)
            # the mean motion that was taken out is rigid of first order: what is left follows the frame
            q2 = np.linalg.lstsq(i.R, follow, rcond=None)[0]
            np.testing.assert_allclose(i.R @ q2, follow, rtol=0, atol=1e-10 * np.abs(follow).max())
            close(found.GF[i.name], q2[:3].reshape(3, 4, 4))
            close(found.GM[i.name], q2[3:].reshape(3, 4, 4))

    @pytest.mark.parametrize("lumped", [True, False], ids=["lumped", "consistent"])
    @pytest.mark.parametrize(
        ("make", "options"),
        [
            (frame_of_beams, ()),
            (shell, ("quad4", 0.0)),
            (shell, ("quad4", 1.0)),
            (shell, ("tri3", 0.0)),
            (shell, ("tri3", 1.0)),
        ],
        ids=["beams", "flat quad4", "warped quad4", "flat tri3", "folded tri3"],
    )
    def test_beams_and_shells(self, make, options, lumped):
        """u2 is solved with the elements' own geometric stiffness here: that the terms are those of this u2. That the
        elements' geometric stiffness is right is shown elsewhere (elements, columns, rotating blades). Consistent: the
        mass points lie between the nodes and ride on their rotations."""
        structure = make(*options, lumped=lumped)
        interfaces = [fem.interface(structure, name) for name in ("start", "end")]
        Phi = shapes(structure)
        Psi = second_fields(structure, Phi, own_forces)
        points = None
        if not lumped:
            bare = inertia_cases(structure, Psi)
            Psi, points = centred(structure, Psi, ride(structure, Phi))
            ridden = inertia_cases(structure, Psi, points)
            assert np.abs(ridden - bare).max() > 1e-4 * np.abs(ridden).max()  # it is not for nothing
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi, points)))
        for i in interfaces:
            check_interface(structure, i, Phi, Psi, found)

    def test_a_rigid_connection(self):
        """Nodes follow a reference node away from them by theta x (theta x r) / 2; the rest is a slave, as above."""
        bare, hub = solid(), np.array([-0.1, 0.07, 0.02])
        structure = fem.assemble(bare.mesh, STEEL, parts=(fem.Rigid("hub", "x0", at=tuple(hub)),))
        interfaces = [fem.interface(structure, name) for name in ("hub", "x1")]
        follow = structure.freedoms.L.toarray()[: bare.n]  # of the solid's nodes, before the reference node
        Phi = shapes(structure)
        B, tied = (interfaces[0].T @ Phi)[3:].T, bare.mesh.nodes_of("x0")
        values, vectors = np.linalg.eigh(follow.T @ bare.K @ follow)
        inverse = (vectors[:, 6:] / values[6:]) @ vectors[:, 6:].T
        N = len(B)
        Psi, turned = np.zeros((structure.n, N, N)), np.zeros((bare.mesh.n_nodes, 3, N, N))
        for i, j in np.ndindex(N, N):
            r = bare.mesh.points[tied] - hub
            both = np.cross(B[i], np.cross(B[j], r)) + np.cross(B[j], np.cross(B[i], r))
            turned[tied, :, i, j] = 0.5 * both
            g = 2 * elastic_forces(bare, follow @ Phi[:, i], follow @ Phi[:, j])
            Psi[:, i, j] = inverse @ (-follow.T @ (g + bare.K @ turned[..., i, j].ravel()))
        Psi, points = centred(structure, Psi, turned)
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi, points)))
        motion = (interfaces[0].T @ Psi.reshape(len(Psi), -1)).reshape(6, N, N)
        close(found.GF["hub"], motion[:3])
        close(found.GM["hub"], motion[3:])
        far = (interfaces[1].T @ Psi.reshape(len(Psi), -1)).reshape(6, N, N)
        close(found.GF["x1"], far[:3])

    def test_trusses(self):
        structure = truss()
        interfaces = [fem.interface(structure, name) for name in ("start", "end")]
        Phi = shapes(structure, n=3)
        Psi = second_fields(structure, Phi, own_forces)
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi)))
        for i in interfaces:
            check_interface(structure, i, Phi, Psi, found)
