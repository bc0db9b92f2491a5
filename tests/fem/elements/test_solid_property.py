"""Solids as a property: stiffness, mass points, stresses and geometric stiffness of every kind."""

import numpy as np
import pytest
from support.fem_meshes import irregular, mapped, plain_matrices
from support.solids import VARIANTS, nodal, outer, rows_of, solve, stiffness

import fem
from fem.elements.solid.stress import tensor

every_variant = pytest.mark.parametrize(("kind", "brick"), VARIANTS)
GRADIENT = 1e-3 * np.array([[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.6]])
STRAIN = (GRADIENT + GRADIENT.T) / 2
VOIGT = np.array([*np.diag(STRAIN), 2 * STRAIN[1, 2], 2 * STRAIN[0, 2], 2 * STRAIN[0, 1]])


def curved(points):
    x, y, z = points.T
    return np.stack([x + 0.2 * np.sin(y), y, z + 0.15 * x**2], axis=1)


def elements(kind, amount=0.12):
    """Coordinates (ne, nn, 3) of irregular elements that fill a unit cube."""
    mesh = irregular(kind, amount=amount)
    return mesh.points[mesh.blocks[0].nodes]


def linear(X, gradient=GRADIENT):
    """Element displacements (ne, nd) of a linear field."""
    return (X @ gradient.T + 2e-3).reshape(len(X), -1)


@every_variant
def test_patch_test_in_displacement_stress_and_energy(kind, brick, steel):
    mesh, solid = irregular(kind), fem.Solid(steel, brick=brick)
    exact = (mesh.points @ GRADIENT.T + 2e-3).ravel()
    fixed = outer(mesh)
    assert len(fixed) < len(exact)
    u = solve(mesh, solid, fixed, exact[fixed])
    assert np.abs(u - exact).max() < 1e-12 * np.abs(exact).max() * 100  # rounding times condition
    lam, mu = steel.lame
    sigma = lam * np.trace(STRAIN) * np.eye(3) + 2 * mu * STRAIN
    (stress,), (strain,) = nodal(mesh, solid, u), nodal(mesh, solid, u, "strain")
    assert np.allclose(tensor(stress), sigma, rtol=0, atol=1e-10 * np.abs(sigma).max())
    assert np.allclose(strain, VOIGT, rtol=0, atol=1e-10 * np.abs(VOIGT).max())
    energy = 0.5 * (sigma * STRAIN).sum()  # on a volume of 1 m^3
    assert 0.5 * u @ (stiffness(mesh, solid) @ u) == pytest.approx(energy, rel=1e-11)


@every_variant
def test_one_element_has_six_rigid_motions_and_no_other(kind, brick, steel):
    mesh = mapped(fem.box((1, 1, 1), (1, 1, 1), kind), curved)
    for K in fem.Solid(steel, brick=brick).stiffness(kind, mesh.points[mesh.blocks[0].nodes]):
        assert np.array_equal(K, K.T)
        values = np.linalg.eigvalsh(K)
        assert np.abs(values[:6]).max() < 1e-12 * values[-1]
        assert values[6] > 1e-4 * values[-1]


@every_variant
def test_where_the_direct_assembly_is_offered_it_is_the_same(kind, brick, steel):
    solid, X = fem.Solid(steel, brick=brick), elements(kind)
    ours = solid.stiffness(kind, X)
    mesh = irregular(kind)
    theirs, _ = plain_matrices(mesh, steel)
    same = np.allclose(ours, theirs, rtol=0, atol=1e-13 * np.abs(ours).max())
    assert same == (solid.lame(kind) is not None)
    assert same == (not brick.internal)


@pytest.mark.parametrize("kind", fem.ELEMENTS)
def test_mass_points_carry_the_consistent_mass(kind, steel):
    mesh, solid = irregular(kind), fem.Solid(steel)
    X = mesh.points[mesh.blocks[0].nodes]
    samples = solid.samples(kind, X)
    nn = fem.ELEMENTS[kind].n_nodes
    assert samples.points.shape == (*samples.weights.shape, 3)
    assert samples.shape.shape == (*samples.weights.shape, 3, 3 * nn)
    M = np.einsum("eq,eqka,eqkb->eab", samples.weights, samples.shape, samples.shape)
    _, scalar = plain_matrices(mesh, steel)
    expected = np.einsum("eij,ab->eiajb", scalar, np.eye(3)).reshape(M.shape)
    assert np.allclose(M, expected, rtol=0, atol=1e-13 * np.abs(M).max())
    # the points are where the shape functions put them, and the whole weighs what it should about its centre
    assert np.allclose(np.einsum("eqka,ea->eqk", samples.shape, X.reshape(len(X), -1)), samples.points)
    assert samples.weights.sum() == pytest.approx(7850.0, rel=1e-12)
    moment = np.einsum("eq,eqk->k", samples.weights, samples.points)
    assert moment == pytest.approx([3925.0] * 3, rel=1e-12)


@pytest.mark.parametrize("kind", fem.ELEMENTS)
def test_lumped_mass_points_sit_on_the_nodes(kind, steel):
    X = elements(kind)
    samples, full = fem.Solid(steel).samples(kind, X, lumped=True), fem.Solid(steel).samples(kind, X)
    assert np.array_equal(samples.points, X)
    assert (samples.weights > 0).all()
    assert samples.weights.sum(axis=1) == pytest.approx(full.weights.sum(axis=1), rel=1e-13)
    u = np.arange(X[0].size, dtype=float)
    assert np.array_equal(samples.shape[0] @ u, u.reshape(-1, 3))


def sheared(points):
    return points @ np.array([[1.0, 0.2, 0.1], [0.0, 1.0, -0.15], [0.0, 0.0, 1.0]]).T


@pytest.mark.parametrize("kind", [name for name, e in fem.ELEMENTS.items() if e.order == 2])
def test_linear_stress_fields_are_exact_at_the_nodes_of_quadratic_elements(kind, steel):
    """A general quadratic displacement on affine elements (hex27: on straight-sided ones of any shape)."""
    mesh = (
        irregular(kind)
        if kind in ("hex27", "tet10")
        else mapped(fem.box((1, 1, 1), (2, 2, 2), kind), sheared)
    )
    A = 1e-3 * np.random.default_rng(3).uniform(-1, 1, (3, 3, 3))
    A = A + A.transpose(0, 2, 1)
    u = np.einsum("aij,ni,nj->na", A, mesh.points, mesh.points).ravel()
    gradient = 2 * np.einsum("aij,nj->nai", A, mesh.points)
    strain = (gradient + gradient.transpose(0, 2, 1)) / 2
    lam, mu = steel.lame
    exact = lam * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 2 * mu * strain
    (stress,) = nodal(mesh, fem.Solid(steel), u)
    found = tensor(stress)
    assert np.allclose(found, exact[mesh.blocks[0].nodes], rtol=0, atol=1e-11 * np.abs(exact).max())


# ---- geometric stiffness -----------------------------------------------------------------------------------


def quadrature_stress(kind, X, u, solid):
    """Stresses (q, 3, 3), gradients (q, nn, 3) and weights (q,) of one plain element, in numpy alone."""
    element = fem.ELEMENTS[kind]
    rule = element.stiffness_quadrature
    J = np.einsum("ia,qib->qab", X, element.dN(rule.points))
    g = element.dN(rule.points) @ np.linalg.inv(J)
    H = np.einsum("ia,qib->qab", u.reshape(-1, 3), g)
    lam, mu = solid.material.lame
    strain = (H + H.transpose(0, 2, 1)) / 2
    stress = lam * np.trace(H, axis1=1, axis2=2)[:, None, None] * np.eye(3) + 2 * mu * strain
    return stress, g, rule.weights * np.linalg.det(J)


@pytest.mark.parametrize("kind", fem.ELEMENTS)
def test_geometric_stiffness_is_the_second_difference_of_the_energy_with_the_stress_held(kind, steel):
    """W(v) = int sigma : E(v), E = (H + H' + H'H) / 2 of Green and Lagrange, sigma from u: v' K_G v = W(v) + W(-v).

    W is a quadratic, so the difference is exact for steps of any size; pairs of v give all of the matrix.
    """
    mesh = mapped(fem.box((1, 1, 1), (1, 1, 1), kind), curved)
    X, solid = mesh.points[mesh.blocks[0].nodes][:1], fem.Solid(steel, brick=fem.FullIntegration())
    random = np.random.default_rng(5)
    u = 1e-3 * random.uniform(-1, 1, (1, X[0].size))
    (K_G,) = solid.geometric(kind, X, u)
    stress, g, w = quadrature_stress(kind, X[0], u[0], solid)

    def work(v):
        H = np.einsum("ia,qib->qab", v.reshape(-1, 3), g)
        strain = (H + H.transpose(0, 2, 1) + H.transpose(0, 2, 1) @ H) / 2
        return np.einsum("q,qab,qab->", w, stress, strain)

    assert np.array_equal(K_G, K_G.T)
    size = np.abs(K_G).max() * X[0].size
    for _ in range(6):
        v, x = random.uniform(-1, 1, (2, X[0].size))
        mixed = sum(s * (work(v + s * x) + work(-v - s * x)) for s in (1, -1)) / 4
        assert v @ K_G @ x == pytest.approx(mixed, rel=0, abs=1e-12 * size)


@every_variant
def test_geometric_stiffness_of_linear_fields_in_closed_form(kind, brick, steel):
    """Uniform stress, linear displacement: v' K_G v = V tr(H sigma H'), whatever the shape of the elements."""
    X, solid = elements(kind), fem.Solid(steel, brick=brick)
    K_G = solid.geometric(kind, X, linear(X))
    H = np.random.default_rng(4).uniform(-1, 1, (3, 3))
    lam, mu = steel.lame
    sigma = lam * np.trace(STRAIN) * np.eye(3) + 2 * mu * STRAIN
    v = linear(X, H)
    assert np.einsum("ea,eab,eb->", v, K_G, v) == pytest.approx(np.trace(H @ sigma @ H.T), rel=1e-10)


def test_geometric_stiffness_of_a_brick_in_tension_in_closed_form():
    """S int N_i,x N_j,x of trilinear functions: S bc/a [1 -1; -1 1] x [2 1; 1 2]/6 x [2 1; 1 2]/6."""
    a, b, c, S = 0.7, 0.4, 0.5, 3e6
    material = fem.Isotropic(E=2e9, nu=0.0, rho=1.0)
    mesh = fem.box((a, b, c), (1, 1, 1), "hex8")
    X = mesh.points[mesh.blocks[0].nodes]
    u = (X * [S / 2e9, 0, 0]).reshape(1, -1)
    along, across = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    place = (fem.ELEMENTS["hex8"].nodes > 0).astype(int)
    i, j = place[:, None], place[None]
    expected = S * b * c / a * along[i[..., 0], j[..., 0]]
    expected = expected * across[i[..., 1], j[..., 1]] * across[i[..., 2], j[..., 2]]
    found = fem.Solid(material).geometric_scalar("hex8", X, u)[0]
    assert np.allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())


@every_variant
def test_a_stressed_element_that_is_moved_or_turned(kind, brick, steel):
    """K_G t = 0 for translations. Under a rotation theta the stresses turn with the element, so its nodal forces
    f = K u do: the tangent times theta x x must be theta x f, and K contributes nothing to it.

    (K_G (theta x x)_i = int W sigma g_i = W int sigma g_i = W f_i, W the skew matrix of theta.)
    """
    mesh = mapped(fem.box((1, 1, 1), (1, 1, 1), kind), curved)
    X, solid = mesh.points[mesh.blocks[0].nodes], fem.Solid(steel, brick=brick)
    random = np.random.default_rng(2)
    u = 1e-3 * random.uniform(-1, 1, (len(X), X[0].size))
    K_G = solid.geometric(kind, X, u)
    size = np.abs(K_G).max()
    assert np.abs(K_G @ np.tile(np.eye(3), (X.shape[1], 1))).max() < 1e-13 * size * X.shape[1]
    theta = np.array([0.3, -0.8, 0.5])
    turned = np.einsum("eab,eb->ea", K_G, np.cross(theta, X).reshape(len(X), -1))
    forces = np.einsum("eab,eb->ea", solid.stiffness(kind, X), u).reshape(X.shape)
    assert np.allclose(turned, np.cross(theta, forces).reshape(turned.shape), rtol=0, atol=1e-12 * size)


# ---- the brick in bending ----------------------------------------------------------------------------------


def bending(X, nu, curvature=1e-2):
    """Pure bending about y: sigma_xx = E curvature z, all else zero (Timoshenko and Goodier 1970, art. 102)."""
    x, y, z = np.moveaxis(X, -1, 0)
    u = [x * z, -nu * y * z, -(x**2 + nu * (z**2 - y**2)) / 2]
    return curvature * np.stack(u, axis=-1)


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.499999])
def test_the_incompatible_brick_bends_exactly(nu):
    """A slender box of any proportions: energy E I kappa^2 L / 2 and linear stresses, with nu up to 0.5 too."""
    a, b, h = 5.0, 0.6, 0.4
    material = fem.Isotropic(E=3e9, nu=nu, rho=1.0)
    mesh = fem.box((a, b, h), (1, 1, 1), "hex8", origin=(-a / 2, -b / 2, -h / 2))
    X = mesh.points[mesh.blocks[0].nodes]
    u, solid = bending(X, nu).reshape(1, -1), fem.Solid(material)
    energy = 3e9 * b * h**3 / 12 * 1e-4 * a / 2
    digits = 1e-15 / (1 - 2 * nu)  # what the bulk modulus leaves of the shear modulus
    K = solid.stiffness("hex8", X)[0]
    # u' K u cancels: its terms are lambda (a / h)^2 and more times what is left, 7e-7 of it with nu = 0.499999. Every
    # processor adds them in another order
    rounding = np.finfo(float).eps * np.abs(u[0]) @ np.abs(K) @ np.abs(u[0])
    assert 0.5 * u[0] @ K @ u[0] == pytest.approx(energy, rel=0, abs=rounding)
    assert rounding < 2e-6 * energy
    exact = np.zeros((1, 8, 6))
    exact[..., 0] = 3e9 * 1e-2 * X[..., 2]
    stress = solid.stress("hex8", X, u)
    assert np.allclose(stress, exact, rtol=0, atol=(1e-9 + 100 * digits) * np.abs(exact).max())


def test_the_fully_integrated_brick_locks_as_known():
    """nu = 0: the parasitic shear gamma = kappa x adds (G / E)(a / h)^2 to the energy (Cook et al. 2002, 3.6)."""
    a, b, h = 5.0, 0.6, 0.4
    material = fem.Isotropic(E=3e9, nu=0.0, rho=1.0)
    mesh = fem.box((a, b, h), (1, 1, 1), "hex8", origin=(-a / 2, -b / 2, -h / 2))
    X = mesh.points[mesh.blocks[0].nodes]
    u = bending(X, 0.0).reshape(-1)
    energy = 3e9 * b * h**3 / 12 * 1e-4 * a / 2
    found = 0.5 * u @ fem.Solid(material, brick=fem.FullIntegration()).stiffness("hex8", X)[0] @ u
    assert found / energy == pytest.approx(1 + 0.5 * (a / h) ** 2, rel=1e-12)


def test_wrong_properties_say_everything_at_once(steel):
    with pytest.raises(
        fem.InputError, match=r"must be Isotropic, Orthotropic or Anisotropic, not 7; brick must be"
    ):
        fem.Solid(7, brick="reduced")
    solid = fem.Solid(steel)
    with pytest.raises(fem.InputError, match=r"can't be given to tri3; it takes 'tet4'"):
        solid.check("tri3", np.zeros((1, 3, 3)))
    with pytest.raises(fem.InputError, match=r"need coordinates \(ne, 8, 3\), not \(1, 6, 3\)"):
        solid.check("hex8", np.zeros((1, 6, 3)))
    assert solid.check("hex8", np.zeros((1, 8, 3))) is None
    assert solid.freedoms == 3
    assert rows_of(np.array([[1, 0]])).tolist() == [[3, 4, 5, 0, 1, 2]]


@pytest.mark.parametrize("kind", ["hex8", "tet10", "hex20"])
def test_axes_as_a_function_of_the_place(kind):
    """A material that is wound about z, element by element: each as by itself with these axes."""
    ply = fem.Orthotropic((40e9, 10e9, 8e9), (0.25, 0.2, 0.3), (5e9, 4e9, 3e9), rho=1800.0)

    def wound(places):
        x, y, _ = places.T
        a = np.arctan2(y + 1, x + 1)
        c, s, o = np.cos(a), np.sin(a), 0 * a
        return np.stack([np.stack(row, 1) for row in ([-s, c, o], [c, s, o], [o, o, o - 1])], 1)

    X = elements(kind)
    solid = fem.Solid(ply, axes=wound)
    rng = np.random.default_rng(1)
    u, Phi = 1e-3 * rng.normal(size=(len(X), X[0].size, 2)), rng.normal(size=(len(X), X[0].size, 3))
    own = [
        fem.Solid(fem.Orthotropic(ply.E, ply.nu, ply.G, rho=ply.rho, axes=a)) for a in wound(X.mean(axis=1))
    ]

    def compare(found, what):
        expected = [what(its, slice(e, e + 1)) for e, its in enumerate(own)]
        np.testing.assert_allclose(found, np.concatenate(expected), atol=1e-12 * np.abs(found).max())

    compare(solid.stiffness(kind, X), lambda its, e: its.stiffness(kind, X[e]))
    compare(solid.stress(kind, X, u[..., 0]), lambda its, e: its.stress(kind, X[e], u[e, :, 0]))
    compare(solid.geometric(kind, X, u[..., 0]), lambda its, e: its.geometric(kind, X[e], u[e, :, 0]))
    parts = [
        its.geometric_products(kind, X[e : e + 1], u[e : e + 1], Phi[e : e + 1]) for e, its in enumerate(own)
    ]
    found = solid.geometric_products(kind, X, u, Phi)
    np.testing.assert_allclose(found, np.sum(parts, axis=0), atol=1e-12 * np.abs(found).max())
    for wrong, words in (
        (lambda x: x, r"axes= must return finite directions .*, 3, 3\) .*, not an array"),
        (lambda x: np.full((len(x), 3, 3), np.nan), "that is not finite"),
        (lambda x: 1 / 0, "the function axes= fails: ZeroDivisionError"),
        (lambda x: np.ones((len(x), 3, 3)), "right angles"),
    ):
        with pytest.raises(fem.InputError, match=words):
            fem.Solid(ply, axes=wrong).stiffness(kind, X)
