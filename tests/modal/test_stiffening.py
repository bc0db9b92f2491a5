"""Second-order terms of a body: reciprocity with solved second-order fields, and what a rotation does to a load."""

import dataclasses
import functools

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.bars import STEEL
from support.every import bent, cases
from support.frames import line

import fem
import modal
from fem.elements import ELEMENTS
from fem.flexibility import RigidMotion
from modal.stiffening import CASES, stiffening

CASES_OF_ELEMENTS = cases()
SECTION = fem.Rectangle(0.02, 0.03)


@functools.cache
def solid(element="hex20"):
    """An unsymmetric piece of solid: sides that differ, and a corner pulled out."""
    mesh = fem.box((0.3, 0.1, 0.07), (2, 1, 1), element)
    x = mesh.points
    moved = x + 0.3 * np.outer(x[:, 0] * x[:, 1] / 0.03, (0.02, 0.04, 0.03))
    return fem.assemble(fem.Mesh(moved, mesh.blocks, mesh.node_sets, name="piece"), STEEL)


@functools.cache
def frame_of_beams(lumped=False):
    """An L of beams in space; lumped: the mass at the nodes, without rotary inertia."""
    mesh = line([(0, 0, 0), (0.3, 0, 0.02), (0.4, 0.2, 0.0)], 3)
    return fem.assemble(mesh, fem.Beam(STEEL, SECTION, rotary=not lumped), lumped=lumped)


def shapes(structure, n=4, seed=2):
    """Random smooth base functions without mean rigid motion: static shapes of random loads, (unknowns,n)."""
    rng = np.random.default_rng(seed)
    flexible = fem.flexibility.Flexibility(structure)
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
        element = ELEMENTS[block.element]
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


def beam_forces(structure, a, b):
    """g (unknowns,) of beams: v.g = a' K_G[v] b / 2 for every unknown v, one matrix each."""
    return np.array([0.5 * a @ (fem.geometric_stiffness(structure, v) @ b) for v in np.eye(structure.n)])


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


def inertia_cases(structure, Psi):
    """P (6,N,N): int rho (x_k Psi_l + x_l Psi_k) / 2."""
    cloud, N = structure.cloud, Psi.shape[1]
    moved = cloud.displacements(Psi.reshape(len(Psi), -1))
    x = cloud.points - structure.center
    first = np.einsum("pk,pln->kln", cloud.mass @ x, moved)
    return np.array([0.5 * (first[k, l] + first[l, k]).reshape(N, N) for k, l in CASES])


def as_C5(P):
    full = np.empty((3, 3, *P.shape[1:]))
    for (k, l), value in zip(CASES, P, strict=True):
        full[k, l] = full[l, k] = value
    return np.einsum("kkij,ab->ijab", full, np.eye(3)) - full.transpose(2, 3, 0, 1)


def close(found, exact, relative=1e-10):
    np.testing.assert_allclose(found, exact, rtol=0, atol=relative * np.abs(exact).max())


def virial(structure, interface, k):
    """Sym V - tr V I of the nodal forces that make up the unit moment k of an averaged interface of solids."""
    forces = interface.T[[3 + k]].toarray().reshape(-1, 3)[interface.nodes]
    V = forces.T @ (structure.mesh.points[interface.nodes] - interface.point)
    return 0.5 * (V + V.T) - np.trace(V) * np.eye(3)


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
            motion = (i.T @ Psi.reshape(len(Psi), -1)).reshape(6, *Psi.shape[1:])
            B = (i.T @ Phi)[3:]
            turned = np.array([B.T @ virial(structure, i, k) @ B for k in range(3)])
            close(found.GF[i.name], motion[:3])
            close(found.GM[i.name], motion[3:] - turned)
            assert np.abs(turned).max() > 1e-3 * np.abs(motion[3:]).max()

    def test_solid_with_rigid_interfaces(self):
        """Nodes of a frame follow it: u2 = q2 + theta2 x r + theta x (theta x r) / 2; the rest is a slave."""
        structure = solid()
        interfaces = [fem.interface(structure, name, "rigid") for name in ("x0", "x1")]
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

    def test_beams(self):
        """u2 is solved with the elements' own geometric stiffness here: that the terms are those of this u2. That the
        elements' geometric stiffness is right is shown elsewhere (elements, columns, rotating blades)."""
        structure = frame_of_beams(lumped=True)
        interfaces = [fem.interface(structure, name) for name in ("start", "end")]
        Phi = shapes(structure)
        Psi = second_fields(structure, Phi, beam_forces)
        found = stiffening(structure, Phi, interfaces)
        close(found.C5, as_C5(inertia_cases(structure, Psi)))
        for i in interfaces:
            motion = (i.T @ Psi.reshape(len(Psi), -1)).reshape(6, *Psi.shape[1:])
            close(found.GF[i.name], motion[:3])
            close(found.GM[i.name], motion[3:])


def turned_by(structure, theta, point):
    """Second order of the place of a point, and of the rotation vector, when the body turns by theta exactly.

    The mean displacement and mean rotation of the second order are taken out again: they belong to the frame.
    """
    cloud = structure.cloud
    x = cloud.points - structure.center

    def second(r):
        return np.cross(theta, np.cross(theta, r))  # twice the second order: theta' G theta

    m, moved = cloud.mass, second(x)
    shift = np.asarray(m @ moved).sum(axis=0) / structure.mass
    moment = np.cross(x, m @ moved).sum(axis=0)
    turn = np.linalg.lstsq(structure.inertia, moment, rcond=1e-12)[0]
    r = point - structure.center
    return second(r) - shift - np.cross(turn, r), -turn


@functools.cache
def connected():
    """A solid with a rigid and an averaging connection to reference nodes away from it."""
    mesh = fem.box((0.3, 0.1, 0.07), (2, 1, 1), "hex20")
    parts = (fem.Rigid("hub", "x0", at=(-0.1, 0.07, 0.02)), fem.Averaged("tip", "x1", at=(0.4, 0.0, 0.1)))
    return fem.assemble(mesh, STEEL, parts=parts)


def check_rotation(structure, interfaces, tolerance=1e-7):
    """Rigid modes as base functions give every marker's second order under finite rotations."""
    found = stiffening(structure, structure.rigid_modes(), interfaces)
    rng = np.random.default_rng(3)
    for i in interfaces:
        GF, GM = found.GF[i.name], found.GM[i.name]
        for theta in rng.normal(size=(3, 3)):
            a = np.concatenate([rng.normal(size=3), theta])
            place, vector = turned_by(structure, theta, i.point)
            np.testing.assert_allclose(a @ GF @ a, place, rtol=0, atol=tolerance * np.abs(place).max())
            if i.has_rotation:
                np.testing.assert_allclose(a @ GM @ a, vector, rtol=0, atol=tolerance)


class TestRotationAsMode:
    """The six rigid modes as base functions: G must give what a finite rotation does to every load, exactly.

    What is left is round-off times the condition of K, below 1e-7.
    """

    @pytest.mark.parametrize("kind", ["averaged", "rigid"])
    @pytest.mark.parametrize(
        ("make", "sets"), [(solid, ("x0", "x1")), (frame_of_beams, ("start", "end"))], ids=["solid", "beams"]
    )
    def test_frames(self, make, sets, kind):
        check_rotation(make(), [fem.interface(make(), name, kind) for name in sets])

    def test_connections(self):
        check_rotation(connected(), [fem.interface(connected(), name) for name in ("hub", "tip", "y1")])

    @pytest.mark.parametrize("case", CASES_OF_ELEMENTS, ids=lambda case: case.name)
    def test_every_element(self, case):
        mesh = bent(case.kind)
        last = mesh.n_nodes - 1
        mesh = dataclasses.replace(mesh, node_sets={"some": np.array([0, 2, last]), "one": np.array([1])})
        structure = fem.assemble(mesh, case.property)
        check_rotation(structure, [fem.interface(structure, name) for name in mesh.node_sets])


TURN = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()


@functools.cache
def reduced():
    """The unsymmetric piece on two averaged faces, three of its normal modes, one marker more."""
    structure = solid()
    basis = modal.craig_bampton(structure, ("x0", "x1"), 3)
    return modal.reduce(structure, basis, markers=("y1",))


class TestReducedBody:
    """The terms as a part of the body: made by default, turned, stored, left out by choice."""

    def test_holds_the_terms_of_its_base_functions(self):
        """Against the terms of the same fields, found again from what the markers show of them."""
        structure, body = solid(), reduced()
        surface = np.asarray(structure.mesh.surface())
        nodes = np.unique(surface)
        assert len(nodes) == structure.mesh.n_nodes  # every node is on the surface: Phi is known everywhere
        Phi = body.recovery.Phi.reshape(-1, body.N)
        found = stiffening(structure, Phi, [fem.interface(structure, name) for name in body.markers])
        close(body.C5_stiffening, found.C5)
        for name, marker in body.markers.items():
            close(marker.GF, found.GF[name])
            close(marker.GM, found.GM[name])

    def test_turned_is_the_turned_mesh(self):
        structure, body = solid(), reduced().turned(TURN)
        mesh = structure.mesh
        turned = fem.assemble(fem.Mesh(mesh.points @ TURN.T, mesh.blocks, mesh.node_sets), STEEL)
        Phi = np.einsum("ab,mbi->mai", TURN, reduced().recovery.Phi).reshape(-1, body.N)
        found = stiffening(turned, Phi, [fem.interface(turned, name) for name in body.markers])
        close(body.C5_stiffening, found.C5, 1e-9)
        for name, marker in body.markers.items():
            close(marker.GF, found.GF[name], 1e-9)
            close(marker.GM, found.GM[name], 1e-9)

    def test_saved_and_loaded(self, tmp_path):
        body = modal.load(reduced().save(tmp_path / "piece.h5"))
        assert not body.linear
        assert modal.load(dataclasses.replace(body, linear=True).save(tmp_path / "linear.h5")).linear
        np.testing.assert_array_equal(body.C5_stiffening, reduced().C5_stiffening)
        for name, marker in reduced().markers.items():
            np.testing.assert_array_equal(body.markers[name].GF, marker.GF)
            np.testing.assert_array_equal(body.markers[name].GM, marker.GM)

    def test_a_file_of_version_1_is_a_body_without(self, tmp_path):
        structure = solid()
        plain = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), 3), stiffening=False)
        path = plain.save(tmp_path / "piece.h5")
        with h5py.File(path, "a") as file:
            assert "C5_stiffening" not in file["core"]
            assert "GF" not in file["core/markers"]
            file.attrs["schema_version"] = 1
        assert not modal.load(path).stiffened

    def test_only_in_the_mean_displacement_frame(self):
        """Left out by default elsewhere, and refused where they were asked for."""
        structure = solid()
        basis = modal.craig_bampton(structure, ("x0", "x1"), 3)
        for options, linear in (({"stiffening": False}, True), ({"frame": modal.Chord("x0", "x1")}, False)):
            body = modal.reduce(structure, basis, **options)
            assert not body.stiffened
            assert body.linear == linear
            assert all(m.GF is None and m.GM is None for m in body.markers.values())
        assert "it needs the mean-displacement frame" in body.report()
        assert "centrifugal terms" in reduced().report()
        with pytest.raises(fem.InputError, match="mean-displacement frame only"):
            dataclasses.replace(body, C5_stiffening=reduced().C5_stiffening)

    @pytest.mark.parametrize(
        "frame", [modal.Chord("x0", "x1"), modal.FixedPoint("x0"), modal.AsGiven()], ids=lambda f: f.label
    )
    def test_asked_for_in_another_frame_they_are_refused(self, frame):
        structure = solid()
        basis = modal.craig_bampton(structure, ("x0", "x1"), 3)
        with pytest.raises(fem.InputError, match=r"stiffening=True can't be had: the frame .* does not move"):
            modal.reduce(structure, basis, frame, stiffening=True)
        assert modal.reduce(structure, basis, stiffening=True).stiffened

    def test_linear_parts_are_the_same_with_and_without(self):
        structure = solid()
        plain = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), 3), stiffening=False)
        np.testing.assert_allclose(plain.C5, reduced().C5, atol=1e-9 * np.abs(plain.C5).max())
        np.testing.assert_allclose(plain.K, reduced().K, rtol=1e-9)
