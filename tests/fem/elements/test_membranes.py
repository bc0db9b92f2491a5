"""Membranes: rigid motions, patch tests, closed forms of plane stress and plane strain."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.every import STEEL, faces

import fem
from fem.analysis.geometric_stiffness import internal_forces

EVERY = pytest.mark.parametrize("kind", fem.Membrane.kinds)
E, NU, T = 210e9, 0.3, 0.01
TURN = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()


def box(kind):
    """The six faces of a distorted box, which hold each other."""
    rng = np.random.default_rng(1)
    X = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return faces(kind, X + 0.15 * rng.normal(size=X.shape), np.array(sides))


def sheet(kind, turn=TURN):
    """A flat sheet 1 m x 0.7 m of distorted elements with straight sides, in a general place; its flat coordinates."""
    x, y = np.meshgrid([0, 0.35, 0.6, 1.0], [0, 0.3, 0.7], indexing="ij")
    inner = (x > 0) & (x < 1) & (y > 0) & (y < 0.7)
    x, y = x + 0.07 * inner, y + np.where(inner, 0.06 * (1 - 5 * x), 0.0)
    quads = (3 * np.arange(3)[:, None] + np.arange(2)).reshape(-1, 1) + np.array([0, 3, 4, 1])
    mesh = faces(kind, np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]), quads)
    return replace(mesh, points=mesh.points @ turn.T), mesh.points


@EVERY
def test_six_rigid_modes_and_no_more(kind):
    structure = fem.assemble(box(kind), fem.Membrane(STEEL, T))
    K = structure.K.toarray()
    values = np.linalg.eigvalsh(K) / np.abs(K).max()
    assert np.abs(values[:6]).max() < 1e-13
    assert values[6] > 1e-5  # the faces of tri6 and quad9 are nearly flat across their middle nodes
    assert np.abs(K @ structure.rigid_modes()).max() < 1e-13 * np.abs(K).max()


@EVERY
def test_constant_strain_of_distorted_elements_is_exact(kind):
    """The patch test: nodes on the boundary moved by a linear field, those inside follow it; the stress is C eps."""
    mesh, flat = sheet(kind)
    A = np.array([[1.0, 0.4], [0.2, -0.7]]) * 1e-4
    exact = np.column_stack([flat[:, :2] @ A.T, 0 * flat[:, 0]]) @ TURN.T
    structure = fem.assemble(mesh, fem.Membrane(STEEL, T))
    K, n = structure.K.toarray(), structure.n
    x, y = flat[:, 0], flat[:, 1]
    inside = (x > 1e-9) & (x < 1 - 1e-9) & (y > 1e-9) & (y < 0.7 - 1e-9)
    plane = np.zeros((n, 2 * inside.sum()))  # the motions of the nodes inside in the plane
    for k, node in enumerate(np.flatnonzero(inside)):
        plane[3 * node : 3 * node + 3, 2 * k : 2 * k + 2] = TURN[:, :2]
    u = np.where(np.repeat(inside, 3), 0.0, exact.ravel())
    u = u - plane @ np.linalg.solve(plane.T @ K @ plane, plane.T @ (K @ u))
    np.testing.assert_allclose(u, exact.ravel(), atol=1e-12 * np.abs(exact).max())
    e = 0.5 * (A + A.T)
    plate = E / (1 - NU**2) * ((1 - NU) * e + NU * np.trace(e) * np.eye(2))  # plane stress, any textbook
    s = TURN[:, :2] @ plate @ TURN[:, :2].T
    (group,) = structure.groups
    stress = group.property.stress(
        kind, mesh.points[group.nodes], u.reshape(-1, 3)[group.nodes].reshape(len(group.nodes), -1)
    )
    six = s[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    np.testing.assert_allclose(stress, np.broadcast_to(six, stress.shape), atol=1e-9 * np.abs(six).max())
    assert 0.5 * u @ K @ u == pytest.approx(0.5 * 0.7 * T * np.sum(plate * e), rel=1e-11)


@EVERY
def test_plane_strain(kind):
    """Hooke's law with eps_33 = 0: sigma = lambda tr(eps) + 2 mu eps, sigma_33 = nu (sigma_11 + sigma_22)."""
    mesh, flat = sheet(kind)
    A = np.array([[1.0, 0.4], [0.2, -0.7]]) * 1e-4
    u = np.column_stack([flat[:, :2] @ A.T, 0 * flat[:, 0]]) @ TURN.T
    its = fem.Membrane(STEEL, T, plane_strain=True)
    structure = fem.assemble(mesh, its)
    e = np.zeros((3, 3))
    e[:2, :2] = 0.5 * (A + A.T)
    mu, lame = E / (2 * (1 + NU)), E * NU / ((1 + NU) * (1 - 2 * NU))
    s = lame * np.trace(e) * np.eye(3) + 2 * mu * e
    assert s[2, 2] == pytest.approx(NU * (s[0, 0] + s[1, 1]))
    assert u.ravel() @ structure.K @ u.ravel() == pytest.approx(0.7 * T * np.sum(s * e), rel=1e-11)
    (group,) = structure.groups
    X, ue = mesh.points[group.nodes], u[group.nodes].reshape(len(group.nodes), -1)
    for found, tensor, shear in ((its.stress(kind, X, ue), s, 1), (its.strain(kind, X, ue), e, 2)):
        t = TURN @ tensor @ TURN.T
        six = t[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]] * np.repeat([1, shear], 3)
        np.testing.assert_allclose(found, np.broadcast_to(six, found.shape), atol=1e-9 * np.abs(six).max())


def test_one_slender_quadrilateral_bends_in_its_plane_exactly():
    """u = k x y, v = -k (x^2 + nu y^2) / 2 stores E t h^3 / 12 k^2 L / 2, whatever L / h is."""
    L, h, k = 1.0, 0.1, 1e-3
    X = np.array([[0, 0, 0], [L, 0, 0], [L, h, 0], [0, h, 0]]) - [L / 2, h / 2, 0]
    structure = fem.assemble(fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),)), fem.Membrane(STEEL, T))
    x, y, _ = X.T
    u = np.column_stack([k * x * y, -k * (x**2 + NU * y**2) / 2, 0 * x]).ravel()
    assert 0.5 * u @ structure.K @ u == pytest.approx(E * T * h**3 / 12 * k**2 * L / 2, rel=1e-11)


@pytest.mark.parametrize(
    "axis", [None, (0.6, 0.8, 0.3), fem.FirstSide(), lambda x: np.tile([0.6, 0.8, 0.0], (len(x), 1))]
)
def test_directions_of_the_material(axis):
    """A stretch along axis 1 of a ply has E1 / (1 - nu12 nu21), along the projection of what is given."""
    ply = fem.Ply(E1=40e9, E2=10e9, nu12=0.3, G12=4e9, rho=1800.0)
    X = np.array([[0, 0, 0], [0.6, 0.8, 0], [-0.2, 1.4, 0], [-0.8, 0.6, 0]])
    its = fem.Membrane(ply, T, axis=axis)
    structure = fem.assemble(fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),)), its)
    e = np.array([0.6, 0.8, 0.0]) if axis is not None else np.array([1.0, 0, 0])
    u = (np.outer(X @ e, e) * 1e-4).ravel()
    assert u @ structure.K @ u == pytest.approx(T * 40e9 / (1 - 0.3**2 / 4) * 1e-8, rel=1e-11)


@EVERY
def test_geometric_stiffness_turns_the_forces(kind):
    """Turning a stressed structure turns the forces on its nodes: K_G (theta x x) = theta x f."""
    structure = fem.assemble(box(kind), fem.Membrane(STEEL, T))
    theta, u = np.array([0.3, -0.2, 0.4]), np.random.default_rng(3).normal(size=structure.n) * 1e-3
    K_G = fem.geometric_stiffness(structure, u).toarray()
    R = structure.rigid_modes((0, 0, 0))
    force = internal_forces(structure, u)
    np.testing.assert_allclose(K_G, K_G.T, atol=1e-12 * np.abs(K_G).max())
    np.testing.assert_allclose(K_G @ R[:, :3], 0, atol=1e-11 * np.abs(K_G).max())
    turned = np.cross(theta, force.reshape(-1, 3)).ravel()
    np.testing.assert_allclose(K_G @ (R[:, 3:] @ theta), turned, atol=1e-9 * np.abs(force).max())


@EVERY
@pytest.mark.parametrize("lumped", [False, True])
def test_mass_of_a_flat_sheet(kind, lumped):
    """rho t A; consistent: the second moments of a rectangle about its middle too."""
    mesh, _ = sheet(kind, np.eye(3))
    structure = fem.assemble(mesh, fem.Membrane(STEEL, T), lumped=lumped)
    mass = 7850.0 * T * 0.7
    assert structure.mass == pytest.approx(mass, rel=1e-12)
    if not lumped:
        middle = np.array([0.5, 0.35, 0])
        np.testing.assert_allclose(structure.center, middle, atol=1e-12)
        expected = mass / 12 * np.array([0.7**2, 1.0, 1.0 + 0.7**2])
        np.testing.assert_allclose(structure.inertia.diagonal(), expected, rtol=1e-12)


def test_a_thickness_that_varies():
    """Each element has the thickness at its middle."""
    mesh, flat = sheet("quad4", np.eye(3))
    its = fem.Membrane(STEEL, T, thickness_at=lambda x: 0.01 + 0.01 * x[:, 0])
    (block,) = mesh.blocks
    X = flat[block.nodes]
    area = 0.5 * np.cross(X[:, 2] - X[:, 0], X[:, 3] - X[:, 1])[:, 2]
    expected = 7850.0 * np.sum(area * (0.01 + 0.01 * X[:, :, 0].mean(axis=1)))
    assert fem.assemble(mesh, its).mass == pytest.approx(expected, rel=1e-12)
    with pytest.raises(fem.InputError, match="returns -1 m; thicknesses must be positive"):
        fem.assemble(mesh, replace(its, thickness_at=lambda x: np.full(len(x), -1.0)))


def test_a_drum_under_a_preload():
    """A square membrane under uniform tension N: omega^2 = N / (rho t) 2 (pi / a)^2, from above, second order."""
    errors = []
    for n in (4, 8):
        g = np.linspace(0, 1, n + 1)
        x, y = np.meshgrid(g, g, indexing="ij")
        points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
        a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
        mesh = fem.Mesh(points, (fem.Block("quad4", a[:, None] + [0, n + 1, n + 2, 1]),))
        rim = np.flatnonzero(np.abs(points[:, :2] - 0.5).max(axis=1) > 0.5 - 1e-9)
        mesh = replace(mesh, node_sets={"rim": rim, "all": np.arange(mesh.n_nodes)})
        structure = fem.assemble(mesh, fem.Membrane(STEEL, 1e-4))
        stress = np.tile([1e6, 1e6, 0, 0, 0, 0], (mesh.n_nodes, 1)).astype(float)
        taut = fem.preloaded(structure, stress)
        found = fem.vibration(taut, {"rim": "all", "all": ("x", "y")}, n=1).frequencies_hz[0]
        errors.append(found / (np.sqrt(2 * 1e6 / 7850.0) / 2) - 1)
    assert errors[0] > errors[1] > 0
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axis": (0, 0, 0)}, r"axis = .* must be a direction"),
        ({"axis": "x"}, r"axis = 'x' must be a direction"),
    ],
)
def test_wrong_membranes(options, message):
    with pytest.raises(fem.InputError, match=message):
        fem.Membrane(**{"material": STEEL, "thickness": T} | options)
