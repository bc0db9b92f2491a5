"""Bodies reduced from the matrices of other programs, against the same bodies reduced from their meshes."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import fem
import modal
from fem.io.matrices.structure import mass_of
from fem.model.freedoms import Freedoms
from modal.body.inertia import integrals
from modal.reduction.matrix_field import matrix_field

pytestmark = pytest.mark.slow  # together a second or more

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
INTEGRALS = ("mass", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K")
#: axes of base functions in each integral, whose signs are arbitrary
ALONG = {"C2": 1, "C4": 1, "C6": 1, "C5": 2, "C7": 2, "C8": 2, "K": 2, "C5_stiffening": 2}


def crooked(mesh):
    """No two frequencies are equal, and no mode has two equal largest components."""
    x = mesh.points
    bent = 0.05 * x[:, :1] ** 2 * [0.0, 1.0, 0.3]
    return replace(mesh, points=x * (1 + 0.3 * x[:, :1]) + bent)


@pytest.fixture(scope="module")
def bar():
    return fem.assemble(crooked(fem.box((1.0, 0.1, 0.06), (4, 1, 1))), STEEL)


@pytest.fixture(scope="module")
def shell():
    points = [[x, y, 0.1 * x * x] for x in np.linspace(0, 1, 7) for y in np.linspace(0, 0.3, 4)]
    quads = [[4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1] for i in range(6) for j in range(3)]
    ends = {"x0": np.arange(4), "x1": np.arange(24, 28)}
    return fem.assemble(fem.Mesh(points, (fem.Block("quad4", quads),), ends), fem.Shell(STEEL, 0.01))


def reduced(structure, frame=None, stiffening=False):
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=3)
    return modal.reduce(structure, basis, name="b", frame=frame, stress=False, stiffening=stiffening)


def signs_of(found, body):
    """Signs (N,) of the base functions of one body in those of the other."""
    return np.sign(np.einsum("ci,ci->i", found.markers["x1"].B, body.markers["x1"].B))


def compare(found, body, names, digits):
    signs = signs_of(found, body)

    def signed(name, value):
        for axis in range(ALONG.get(name, 0)):
            value = value * signs.reshape([-1 if k == axis else 1 for k in range(value.ndim)])
        return value

    for name in names:
        a, b = signed(name, np.asarray(getattr(found, name))), np.asarray(getattr(body, name))
        assert np.abs(a - b).max() <= digits * max(np.abs(b).max(), 1e-300), name
    for name, marker in body.markers.items():
        other = found.markers[name]
        np.testing.assert_allclose(other.point, marker.point, atol=1e-12)
        for key in ("Phi", "B"):
            a, b = getattr(other, key) * signs, getattr(marker, key)
            assert np.abs(a - b).max() <= digits * np.abs(b).max(), key


FRAMES = [modal.MeanDisplacement(), modal.FixedPoint("x0"), modal.Chord("x0", "x1"), modal.Unchanged()]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.label)
def test_solids_are_the_same_body(bar, frame):
    found = fem.from_matrices(bar.K, bar.M, bar.mesh)
    compare(reduced(found, frame), reduced(bar, frame), INTEGRALS, 1e-9)


@pytest.mark.parametrize("kind", ["bar", "shell"])
def test_geometric_stiffening_from_a_structure_of_the_same_nodes(kind, request):
    structure = request.getfixturevalue(kind)
    found = reduced(fem.from_matrices(structure.K, structure.M, structure), stiffening=None)
    body = reduced(structure, stiffening=None)
    compare(found, body, (*INTEGRALS, "C5_stiffening"), 1e-9)
    signs = signs_of(found, body)
    for name, marker in body.markers.items():
        for key in ("GF", "GM"):
            other, own = (getattr(m, key) for m in (found.markers[name], marker))
            np.testing.assert_allclose(other * np.outer(signs, signs), own, atol=1e-9 * np.abs(own).max())


def test_without_elements_linear_theory_is_used_with_a_warning(bar):
    found = fem.from_matrices(
        bar.K, bar.M, bar.mesh.points, node_sets={"x0": [1, 2, 3, 4], "x1": [5, 6, 7, 8]}
    )
    with pytest.warns(fem.FlexbodyWarning, match="matrices alone"):
        body = modal.reduce(found, modal.eigenmodes(found, n=2), stress=False)
    assert not body.stiffened
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        modal.reduce(found, modal.eigenmodes(found, n=2), stress=False, stiffening=False)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.label)
def test_shells_with_consistent_mass(shell, frame):
    """Displacements and rotations are interpolated alike, so that M holds the moments of the mass between nodes."""
    found, body = reduced(fem.from_matrices(shell.K, shell.M, shell.mesh), frame), reduced(shell, frame)
    compare(found, body, INTEGRALS, 1e-9)


def test_beams_with_consistent_mass():
    """What M determines is exact; C4, C5 and C7 contain that bending and stretch are interpolated differently.

    Elements that have this very mass matrix tell them.
    """
    x = np.linspace(0, 1, 21)
    wire = fem.Mesh(
        np.stack([x, 0.1 * x * x, 0 * x], axis=1),
        [fem.Block("line2", [(i, i + 1) for i in range(20)])],
        {"x0": [0], "x1": [20]},
    )
    own = fem.assemble(wire, fem.Beam(STEEL, fem.Rectangle(0.02, 0.03), up=(0, 0, 1)))
    given = fem.from_matrices(own.K, own.M, wire)
    found, body = (
        modal.reduce(s, modal.eigenmodes(s, n=4), markers=("x1",), stress=False, stiffening=False)
        for s in (given, own)
    )  # a bend in the plane, twist and bend out of it, and so on
    compare(found, body, ("mass", "C1", "C2", "C3", "C6", "C8", "K"), 1e-8)
    for name in ("C4", "C5", "C7"):
        a, b = (np.abs(getattr(one, name)) for one in (found, body))
        # 4 %: the cubic functions hold most rotary inertia of bending in displacements, not in rotations, so that the
        # energy of a twist is not divided between y and z as it is; without rotations' own moments it was 27 %
        np.testing.assert_allclose(a, b, atol=0.05 * b.max())
    whole = fem.from_matrices(own.K, own.M, own)
    again = modal.reduce(whole, modal.eigenmodes(whole, n=4), markers=("x1",), stress=False, stiffening=False)
    compare(again, body, INTEGRALS, 1e-8)


def test_lumped_masses_with_eccentricity_and_rotary_inertia():
    """Three point masses on rigid arms at each node with rotations, against the integrals of these points."""
    rng = np.random.default_rng(3)
    free = Freedoms(np.array([6, 3, 6, 6, 3]))
    x, U, M = rng.normal(size=(5, 3)), rng.normal(size=(24, 3)), np.zeros((24, 24))
    points, Phi, masses = [], [], rng.uniform(1, 2, size=15)
    for k, mass in enumerate(masses):
        node = k // 3
        at = slice(free.first[node], free.first[node + 1])
        arm = rng.normal(size=3) * (free.count[node] == 6)
        T = np.hstack([np.eye(3), np.cross(np.eye(3), arm).T])[:, : free.count[node]]  # u + theta x arm
        M[at, at] += mass * T.T @ T
        points.append(x[node] + arm)
        Phi.append(T @ U[at])
    mass = mass_of(sp.csr_array(M), x, free)
    origin = np.array([0.1, 0.2, 0.3])
    found = matrix_field(mass, U, {}).about(origin).integrals()
    expected = integrals(np.array(points) - origin, np.array(Phi), sp.csr_array(sp.diags_array(masses)))
    for name, value in vars(expected).items():
        np.testing.assert_allclose(
            getattr(found, name), value, atol=1e-12 * np.abs(value).max(), err_msg=name
        )


def test_the_integrals_are_the_kinetic_energy_of_the_mass_matrix(shell):
    """V' M V / 2 with the velocities of the nodes, and (2.42)-(2.45), for a mass matrix that is no field of points."""
    structure = fem.from_matrices(shell.K, shell.M, shell.mesh)
    U = modal.eigenmodes(structure, n=3).Phi
    body = matrix_field(structure.cloud, U, {}).about(np.array([0.1, 0.2, 0.3])).integrals()
    rng = np.random.default_rng(2)
    v, omega, a, rate = rng.normal(size=3), rng.normal(size=3), 0.1 * rng.normal(size=3), rng.normal(size=3)
    x = shell.mesh.points - [0.1, 0.2, 0.3]
    u, udot = ((U @ z).reshape(-1, 2, 3) for z in (a, rate))
    velocity = np.cross(omega, u) + udot
    velocity[:, 0] += v + np.cross(omega, x)
    velocity[:, 1] += omega
    expected = 0.5 * velocity.ravel() @ structure.M @ velocity.ravel()
    D1 = body.C1 + a @ body.C2
    J = body.C3 + np.einsum("i,iab->ab", a, body.C4 + body.C4.transpose(0, 2, 1))
    J = J + np.einsum("i,ijab,j", a, body.C5, a)
    D3 = body.C6 - np.einsum("ijk,j->ik", body.C7, a)
    energy = (
        0.5 * body.mass * v @ v + v @ np.cross(omega, D1) + v @ (rate @ body.C2) + 0.5 * omega @ J @ omega
    )
    energy += omega @ (rate @ D3) + 0.5 * rate @ body.C8 @ rate
    # consistent masses of shells differ with the direction, by 2e-3 for elements of 1/6 of the length
    np.testing.assert_allclose(energy, expected, rtol=2e-3)


def test_reports_and_shifts_work(bar):
    found = fem.from_matrices(bar.K, bar.M, bar.mesh)
    body = reduced(found)
    assert "free body" in body.report(found)
    proposed, known = (modal.recommend(one, ("x0", "x1"), f_max_hz=1000.0).basis for one in (found, bar))
    assert proposed.labels == known.labels
    ceiling = body.frequencies_hz[-1] / 2
    lowered = modal.lower(body, ceiling_hz=ceiling, matter_hz=100.0).frequencies_hz
    np.testing.assert_allclose(lowered, np.minimum(body.frequencies_hz, ceiling), rtol=1e-9)


def test_a_superelement_of_ours_returns(bar, tmp_path):
    """Six motions of two markers and internal coordinates: frequencies, mass and C3 of the same body."""
    body = reduced(bar)
    for ending in (".mtx", ".npz"):
        found = fem.from_matrices(body.export(tmp_path / f"bar{ending}"))
        assert found.freedoms.internal == body.N + 6 - 12
        with pytest.warns(fem.FlexbodyWarning, match="inertia is that of the undeformed body"):
            again = reduced(found)
        assert not again.C5.any()
        assert not again.C7.any()
        np.testing.assert_allclose(again.frequencies_hz, body.frequencies_hz, rtol=1e-9)
        np.testing.assert_allclose(again.mass, body.mass, rtol=1e-12)
        np.testing.assert_allclose(again.C3, body.C3, atol=1e-9 * np.abs(body.C3).max())
        np.testing.assert_allclose(again.origin, body.origin, atol=1e-9)
        for name in ("x0", "x1"):
            a, b = (one.markers[name] for one in (again, body))
            np.testing.assert_allclose(np.abs(a.Phi), np.abs(b.Phi), atol=1e-7 * np.abs(b.Phi).max())


def test_centrifugal_forces_of_a_superelement_are_refused(bar, tmp_path):
    found = fem.from_matrices(reduced(bar).export(tmp_path / "bar.mtx"))
    assert fem.load_vector(found, fem.Gravity((1.0, 0.0, 0.0))).any()
    with pytest.raises(fem.InputError, match="internal coordinates, which do not tell where their mass is"):
        fem.load_vector(found, fem.Centrifugal((0.0, 0.0, 1.0)))


def test_a_given_geometric_stiffness_is_a_preload(bar):
    pull = fem.static(bar, "x0", fem.Force("x1", (1e6, 0.0, 0.0)))
    K_G = fem.geometric_stiffness(bar, pull.u, pull.given)
    foreign = fem.from_matrices(bar.K, bar.M, bar.mesh)
    found, expected = (fem.vibration(fem.preloaded(one, K_G), "x0", n=3) for one in (foreign, bar))
    np.testing.assert_allclose(found.frequencies_hz, expected.frequencies_hz, rtol=1e-9)


def test_a_note_says_that_nodes_without_faces_weigh_the_same():
    mesh = fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8")
    own = fem.assemble(mesh, fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))
    sets = {"end": (mesh.nodes_of("x0") + 1).tolist()}
    for points, noted in ((mesh.points, True), (mesh, False)):
        more = {"node_sets": sets} if noted else {}
        given = fem.from_matrices(own.K, own.M, points, **more)
        basis = modal.craig_bampton(given, ("end" if noted else "x0",), n_normal=2)
        body = modal.reduce(given, basis, stiffening=False)
        assert any("'end' weigh the same in their mean motion" in note for note in body.notes) == noted
