"""Isotropic and orthotropic stiffness, and what stress measures make of stresses."""

import numpy as np
import pytest
from support.fem_meshes import irregular
from support.solids import VARIANTS, end_load, nodal, outer, solve, stiffness

import fem
from fem.elements.solid.stress import principal_axes, tensor
from fem.properties.material import VOIGT, stress_rotation

# graphite-epoxy, about as in Jones, Mechanics of Composite Materials (1999), table 2-3, without symmetry about 1
PLY = {"E": (181e9, 10.3e9, 9.1e9), "nu": (0.28, 0.3, 0.43), "G": (7.17e9, 6.4e9, 3.2e9), "rho": 1600.0}


def turned(angle, axis):
    """Rotation matrix about an axis (Rodrigues)."""
    n = np.asarray(axis, float) / np.linalg.norm(axis)
    W = np.cross(np.eye(3), -n)
    return np.eye(3) + np.sin(angle) * W + (1 - np.cos(angle)) * W @ W


Q = turned(0.8, [1.0, -2.0, 0.5])


def test_orthotropic_with_equal_constants_is_isotropic_whatever_its_axes(steel):
    G = steel.E / (2 * (1 + steel.nu))
    material = fem.Orthotropic((steel.E,) * 3, (steel.nu,) * 3, (G,) * 3, rho=7850.0, axes=Q)
    assert np.allclose(material.stiffness, steel.stiffness, rtol=0, atol=1e-15 * steel.E * 10)


def test_isotropic_stiffness_gives_tension_and_shear(steel):
    compliance = np.linalg.inv(steel.stiffness)
    assert compliance[0, :3] == pytest.approx(np.array([1, -0.3, -0.3]) / 210e9, rel=1e-12)
    assert compliance[3, 3] == pytest.approx(2 * 1.3 / 210e9, rel=1e-12)


def test_orthotropic_constants_come_back_from_tension_and_shear_along_its_axes():
    compliance = np.linalg.inv(fem.Orthotropic(**PLY).stiffness)
    assert 1 / np.diag(compliance) == pytest.approx(
        [*PLY["E"], PLY["G"][2], PLY["G"][1], PLY["G"][0]], rel=1e-12
    )
    nu = -compliance[[0, 0, 1], [1, 2, 2]] / np.diag(compliance)[[0, 0, 1]]
    assert nu == pytest.approx(PLY["nu"], rel=1e-12)


@pytest.mark.parametrize("angle", [0.3, 1.1])
def test_modulus_off_the_axes(angle):
    """1/E_x = c^4/E1 + (1/G12 - 2 nu12/E1) s^2 c^2 + s^4/E2, and the shear that tension then brings
    (Jones 1999, eq. 2.97 and 2.98, eta_xy,x; fibres at the angle theta to x)."""
    E1, E2, nu12, G12 = PLY["E"][0], PLY["E"][1], PLY["nu"][0], PLY["G"][0]
    c, s = np.cos(angle), np.sin(angle)
    material = fem.Orthotropic(**PLY, axes=[[c, s, 0], [-s, c, 0], [0, 0, 1]])
    compliance = np.linalg.inv(material.stiffness)
    mixed = 1 / G12 - 2 * nu12 / E1
    assert compliance[0, 0] == pytest.approx(c**4 / E1 + mixed * s**2 * c**2 + s**4 / E2, rel=1e-11)
    shear = (2 / E1 + 2 * nu12 / E1 - 1 / G12) * s * c**3 - (2 / E2 + 2 * nu12 / E1 - 1 / G12) * s**3 * c
    assert compliance[5, 0] == pytest.approx(shear, rel=1e-11)


def test_stiffness_turns_as_a_tensor_of_the_fourth_order():
    place = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])
    C = fem.Orthotropic(**PLY).stiffness[place[:, :, None, None], place]
    expected = np.einsum("ia,jb,kc,ld,abcd->ijkl", Q, Q, Q, Q, C)
    i, j = np.array(VOIGT).T
    found = fem.Orthotropic(**PLY, axes=Q.T).stiffness  # rows of axes are the directions, the columns of Q
    assert np.allclose(found, expected[i, j][:, i, j], rtol=0, atol=1e-14 * np.abs(C).max())
    sigma = np.random.default_rng(0).uniform(-1, 1, 6)
    assert np.allclose(tensor(stress_rotation(Q) @ sigma), Q @ tensor(sigma) @ Q.T, rtol=0, atol=1e-15 * 10)


@pytest.mark.parametrize(("kind", "brick"), VARIANTS)
def test_a_rotated_material_in_a_rotated_mesh_is_the_rotated_problem(kind, brick):
    mesh = irregular(kind)
    X = mesh.points[mesh.blocks[0].nodes]
    here = fem.Solid(fem.Orthotropic(**PLY), brick=brick)
    there = fem.Solid(fem.Orthotropic(**PLY, axes=Q.T), brick=brick)
    nn = X.shape[1]
    T = np.kron(np.eye(nn), Q)
    K, turned_K = here.stiffness(kind, X), there.stiffness(kind, X @ Q.T)
    assert np.allclose(turned_K, T @ K @ T.T, rtol=0, atol=1e-12 * np.abs(K).max())
    u = 1e-3 * np.random.default_rng(1).uniform(-1, 1, (len(X), 3 * nn))
    stress, turned_stress = here.stress(kind, X, u), there.stress(kind, X @ Q.T, u @ T.T)
    exact = Q @ tensor(stress) @ Q.T
    assert np.allclose(tensor(turned_stress), exact, rtol=0, atol=1e-11 * np.abs(exact).max())
    K_G, turned_K_G = here.geometric(kind, X, u), there.geometric(kind, X @ Q.T, u @ T.T)
    assert np.allclose(turned_K_G, T @ K_G @ T.T, rtol=0, atol=1e-11 * np.abs(K_G).max())


@pytest.mark.parametrize(("kind", "brick"), VARIANTS)
def test_patch_test_of_an_orthotropic_material(kind, brick):
    mesh, material = irregular(kind), fem.Orthotropic(**PLY, axes=Q.T)
    solid = fem.Solid(material, brick=brick)
    gradient = 1e-3 * np.array([[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.6]])
    exact = (mesh.points @ gradient.T).ravel()
    fixed = outer(mesh)
    u = solve(mesh, solid, fixed, exact[fixed])
    assert np.abs(u - exact).max() < 1e-10 * np.abs(exact).max()
    e = (gradient + gradient.T) / 2
    sigma = material.stiffness @ [e[0, 0], e[1, 1], e[2, 2], 2 * e[1, 2], 2 * e[0, 2], 2 * e[0, 1]]
    assert np.allclose(nodal(mesh, solid, u)[0], sigma, rtol=0, atol=1e-9 * np.abs(sigma).max())
    assert 0.5 * u @ stiffness(mesh, solid) @ u == pytest.approx(0.5 * (tensor(sigma) * e).sum(), rel=1e-10)


def test_a_bar_of_a_single_crystal_stretches_and_shears_under_tension():
    """Uniform tension 1/A along x of an oblique orthotropic bar: strains = compliance times stress, at any mesh."""
    material = fem.Orthotropic(**PLY, axes=Q.T)
    mesh = irregular("hex8", (3, 2, 2), (2.0, 1.0, 1.0))
    solid = fem.Solid(material)
    load = end_load(mesh, "x1", np.array([1.0, 0, 0])) - end_load(mesh, "x0", np.array([1.0, 0, 0]))
    corner = np.flatnonzero((mesh.points == 0).all(axis=1))[0]
    along = np.flatnonzero((mesh.points == [2, 0, 0]).all(axis=1))[0]
    side = np.flatnonzero((mesh.points == [0, 1, 0]).all(axis=1))[0]
    fixed = np.array([3 * corner, 3 * corner + 1, 3 * corner + 2, 3 * along + 1, 3 * along + 2, 3 * side + 2])
    u = solve(mesh, solid, fixed, 0.0, load)
    expected = np.linalg.inv(material.stiffness)[:, 0]
    assert np.allclose(
        nodal(mesh, solid, u, "strain")[0], expected, rtol=0, atol=1e-9 * np.abs(expected).max()
    )


def test_all_that_is_wrong_with_a_material_is_said_at_once():
    with pytest.raises(fem.InputError, match=r"E2 = -1 Pa.*G13 = 0 Pa.*density.*not at right angles"):
        fem.Orthotropic((1, -1, 1), (0, 0, 0), (1, 0, 1), rho=-2.0, axes=[[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    with pytest.raises(fem.InputError, match=r"\|nu12\| = 1.2 must be below sqrt.E1/E2. = 1"):
        fem.Orthotropic((1, 1, 1), (1.2, 0, 0), (1, 1, 1), rho=1.0)
    with pytest.raises(fem.InputError, match=r"1 - nu12 nu21 .* must be positive"):
        fem.Orthotropic((1, 1, 1), (0.7, 0.7, 0.7), (1, 1, 1), rho=1.0)
    with pytest.raises(fem.InputError, match=r"E of an orthotropic material must be three finite numbers"):
        fem.Orthotropic((1, 1), (0, 0, 0), (1, 1, 1), rho=1.0)
    with pytest.raises(fem.InputError, match=r"without length"):
        fem.Orthotropic((1, 1, 1), (0, 0, 0), (1, 1, 1), rho=1.0, axes=[[1, 0, 0], [0, 0, 0], [0, 0, 1]])


def test_the_limit_of_contraction_is_where_the_stiffness_stops_being_positive():
    """Equal constants: nu < 0.5, as for an isotropic material."""
    assert np.linalg.eigvalsh(fem.Orthotropic((1, 1, 1), (0.4999,) * 3, (1, 1, 1), rho=1.0).stiffness)[0] > 0
    with pytest.raises(fem.InputError, match="must be positive"):
        fem.Orthotropic((1, 1, 1), (0.5001,) * 3, (1, 1, 1), rho=1.0)


def test_materials_can_be_compared_and_their_axes_need_no_unit_length():
    one = fem.Orthotropic(**PLY, axes=[[2.0, 0, 0], [0, 3, 0], [0, 0, 1]])
    assert one == fem.Orthotropic(**PLY)
    assert len({one, fem.Orthotropic(**PLY), fem.Isotropic(1e9, 0.3, 1.0)}) == 2


def test_von_mises_and_principal_stresses():
    """Tension gives itself, shear tau gives sqrt(3) tau and +-tau, pressure nothing."""
    states = np.array([[3.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 2.0, 0], [-5.0, -5, -5, 0, 0, 0]])
    assert fem.von_mises(states) == pytest.approx([3.0, 2 * np.sqrt(3), 0.0])
    assert np.allclose(fem.principal(states), [[3, 0, 0], [2, 0, -2], [-5, -5, -5]])
    own = np.diag([7.0, 2.0, -4.0])
    sigma = Q @ own @ Q.T
    voigt = np.array([sigma[i, j] for i, j in VOIGT])
    assert np.allclose(fem.principal(voigt), [7, 2, -4], rtol=1e-14)
    values, axes = principal_axes(np.tile(voigt, (2, 3, 1)))
    assert values.shape == (2, 3, 3)
    assert np.allclose(np.abs(axes[1, 2] @ Q), np.eye(3), atol=1e-14)
    s = sigma - np.trace(sigma) / 3 * np.eye(3)
    assert fem.von_mises(voigt) == pytest.approx(np.sqrt(1.5 * (s * s).sum()))
