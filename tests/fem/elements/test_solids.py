"""What every solid element must do: patch test, rigid motions, mass, convergence."""

import numpy as np
import pytest
from support.fem_meshes import dofs, irregular, mapped, outer_nodes, plain_matrices, solve_with
from support.solids import VARIANTS
from support.solids import stiffness as summed

import fem
from fem.elements.quadrature import conical, wedge

SOLIDS = list(fem.ELEMENTS)
every_solid = pytest.mark.parametrize("name", SOLIDS)


def curved(points):
    """Bend and twist a unit box into curved elements, volume kept: x' = x + 0.2 sin(y), z' = z + 0.15 x^2."""
    x, y, z = points.T
    return np.stack([x + 0.2 * np.sin(y), y, z + 0.15 * x**2], axis=1)


@every_solid
def test_patch_of_irregular_elements_reproduces_a_linear_displacement(name, steel):
    mesh = irregular(name)
    structure = fem.assemble(mesh, steel)
    gradient = 1e-3 * np.array([[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.6]])
    exact = (mesh.points @ gradient.T + 2e-3).ravel()
    outside = dofs(outer_nodes(mesh))
    assert len(outside) < len(exact)
    u = solve_with(structure, outside, exact[outside])
    assert np.abs(u - exact).max() < 1e-12 * np.abs(exact).max() * 100  # rounding times condition
    strain = (gradient + gradient.T) / 2
    lam, mu = steel.lame
    energy = 0.5 * lam * np.trace(strain) ** 2 + mu * (strain**2).sum()  # on a volume of 1 m^3
    assert 0.5 * u @ (structure.K @ u) == pytest.approx(energy, rel=1e-11)


@every_solid
def test_rigid_motions_cost_no_energy_and_nothing_else_is_free(name, steel):
    structure = fem.assemble(mapped(fem.box((1, 1, 1), (1, 1, 1), name), curved), steel)
    R = structure.rigid_modes()
    assert np.abs(structure.K @ R).max() < 1e-13 * np.abs(structure.K.data).max() * 10
    frequencies = np.linalg.eigvalsh(structure.K.toarray())
    assert np.abs(frequencies[:6]).max() < 1e-12 * frequencies[-1]
    assert frequencies[6] > 1e-4 * frequencies[-1]


@every_solid
def test_matrices_are_symmetric_to_the_last_bit(name, steel):
    structure = fem.assemble(irregular(name), steel)
    assert abs(structure.K - structure.K.T).max() == 0
    assert abs(structure.M_scalar - structure.M_scalar.T).max() == 0


@every_solid
def test_mass_centre_and_inertia_of_a_box(name, steel):
    a, b, c = 0.3, 0.5, 0.2
    mesh = fem.box((a, b, c), (2, 1, 3), name, origin=(1.0, -2.0, 0.5))
    structure = fem.assemble(mesh, steel)
    m = 7850 * a * b * c
    assert structure.mass == pytest.approx(m, rel=1e-13)
    assert np.allclose(structure.center, [1.15, -1.75, 0.6], rtol=0, atol=1e-13)
    exact = m / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    assert np.allclose(structure.inertia, exact, rtol=0, atol=1e-12 * m)


@every_solid
def test_rigid_modes_carry_mass_and_inertia(name, steel):
    structure = fem.assemble(irregular(name), steel)
    generalised = structure.rigid_modes().T @ (structure.M @ structure.rigid_modes())
    expected = np.zeros((6, 6))
    expected[:3, :3] = structure.mass * np.eye(3)
    expected[3:, 3:] = structure.inertia
    assert np.allclose(generalised, expected, rtol=0, atol=1e-12 * structure.mass)
    about = np.array([3.0, 0.0, -1.0])
    shifted = structure.rigid_modes(about=about)[:, 3:]
    arm = structure.center - about  # parallel axes (Steiner)
    steiner = structure.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    moved = shifted.T @ (structure.M @ shifted)
    assert np.allclose(moved, structure.inertia + steiner, rtol=0, atol=1e-11 * structure.mass)


@pytest.mark.parametrize("name", ["tet10", "hex20", "hex27", "wedge15"])
def test_curved_elements_have_the_mass_of_their_volume(name, steel):
    """x' = x + a y (1 - y): quadratic elements follow the parabola, and the volume stays."""

    def bend(points):
        x, y, z = points.T
        return np.stack([x + 0.4 * y * (1 - y), y, z], axis=1)

    structure = fem.assemble(mapped(fem.box((1, 1, 1), (2, 2, 2), name), bend), steel)
    assert structure.mesh.volume == pytest.approx(1.0, rel=1e-13)
    assert structure.mass == pytest.approx(7850.0, rel=1e-13)
    # centroid of the bent box: 1/2 + mean of 0.4 y (1 - y) = 1/2 + 0.4 / 6
    assert structure.center[0] == pytest.approx(0.5 + 0.4 / 6, rel=1e-13)


@every_solid
def test_lumped_mass_is_diagonal_and_keeps_the_mass(name, steel):
    structure = fem.assemble(irregular(name), steel, lumped=True)
    off = structure.M_scalar - structure.M_scalar.multiply(np.eye(structure.mesh.n_nodes))
    assert abs(off).max() == 0
    assert (structure.M_scalar.diagonal() > 0).all()
    assert structure.mass == pytest.approx(7850.0, rel=1e-12)


@every_solid
def test_all_elements_at_once_equals_the_assembly(name, steel):
    mesh = irregular(name)
    structure = fem.assemble(mesh, fem.Solid(steel, brick=fem.FullIntegration()))
    Ke, Me = plain_matrices(mesh, steel)
    K, M = np.zeros(structure.K.shape), np.zeros(structure.M_scalar.shape)
    for nodes, ke, me in zip(mesh.blocks[0].nodes, Ke, Me, strict=True):
        K[np.ix_(dofs(nodes), dofs(nodes))] += ke
        M[np.ix_(nodes, nodes)] += me
    assert np.allclose(structure.K.toarray(), K, rtol=0, atol=1e-13 * np.abs(K).max())
    assert np.allclose(structure.M_scalar.toarray(), M, rtol=0, atol=1e-13 * np.abs(M).max())


def manufactured_error(name, brick, divisions, steel):
    """L2 and H1 (semi)norm errors for u = d sin(k.x) on a sheared box with its exact body force.

    From the Navier equation, div sigma + f = 0: f = ((lam + mu) (d.k) k + mu |k|^2 d) sin(k.x).
    """
    d, k = np.array([0.3, -0.5, 0.8]), np.array([2.0, 1.0, -1.5])
    shear = np.array([[1.0, 0.2, 0.1], [0.0, 1.0, -0.15], [0.0, 0.0, 1.0]])
    # affine elements: on others, serendipity elements lose order (Arnold, Boffi and Falk 2002)
    mesh = mapped(fem.box((1, 1, 1), (divisions,) * 3, name), lambda x: x @ shear.T)
    structure = fem.assemble(mesh, fem.Solid(steel, brick=brick))
    lam, mu = steel.lame
    force = np.outer(np.sin(mesh.points @ k), (lam + mu) * (d @ k) * k + mu * (k @ k) * d)
    load = (structure.M_scalar @ force).ravel() / steel.rho
    outside = dofs(outer_nodes(mesh))
    exact = np.outer(np.sin(mesh.points @ k), d).ravel()
    u = solve_with(structure, outside, exact[outside], load).reshape(-1, 3)
    element, nodes = fem.ELEMENTS[name], mesh.blocks[0].nodes
    rule = element.quadrature
    J = np.einsum("eia,qib->eqab", mesh.points[nodes], element.dN(rule.points))
    weight = np.linalg.det(J) * rule.weights
    x = np.einsum("qi,eia->eqa", element.N(rule.points), mesh.points[nodes])
    difference = np.einsum("qi,eia->eqa", element.N(rule.points), u[nodes]) - np.sin(x @ k)[..., None] * d
    gradient = np.einsum("qib,eia->eqab", element.dN(rule.points), u[nodes]) @ np.linalg.inv(J)
    gradient -= np.cos(x @ k)[..., None, None] * np.outer(d, k)
    return (
        np.sqrt(np.einsum("eq,eqa->", weight, difference**2)),
        np.sqrt(np.einsum("eq,eqab->", weight, gradient**2)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("name", "brick"), VARIANTS)
def test_errors_fall_at_the_rate_of_the_element(name, brick, steel):
    """Displacement with h^(p+1), its gradient, and so the square root of the energy, with h^p (Ciarlet 1978)."""
    order = fem.ELEMENTS[name].order
    coarse, fine = 3, 6
    errors = [manufactured_error(name, brick, n, steel) for n in (coarse, fine)]
    rates = np.log(np.divide(*errors)) / np.log(fine / coarse)
    # the asymptotic range is not quite reached on meshes this coarse
    assert rates[0] == pytest.approx(order + 1, abs=0.25)
    assert rates[1] == pytest.approx(order, abs=0.12)


SCIKIT_FEM = {
    "tet4": "ElementTetP1",
    "tet10": "ElementTetP2",
    "hex8": "ElementHex1",
    "hex20": "ElementHexS2",
    "hex27": "ElementHex2",
    "wedge6": "ElementWedge1",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCIKIT_FEM)  # it has no quadratic wedge and no pyramid
def test_against_scikit_fem(name, steel):
    """The same matrices from an unrelated program, degree of freedom by degree of freedom."""
    skfem = pytest.importorskip("skfem", reason="scikit-fem is a development dependency")
    from skfem.helpers import ddot, dot, eye, sym_grad, trace

    mesh = mapped(
        fem.box((1, 1, 1), (2, 1, 2), name), lambda x: x @ np.array([[1, 0.2, 0.1], [0, 1, 0.3], [0, 0, 1]])
    )
    corners = mesh.blocks[0].nodes[:, : fem.ELEMENTS[name].n_corners]
    used, local = np.unique(corners, return_inverse=True)
    cells = local.reshape(corners.shape)
    # scikit-fem numbers a hexahedron's corners (000, 001, 010, 100, 011, 101, 110, 111)
    kinds = {
        "tet": (skfem.MeshTet, [0, 1, 2, 3]),
        "hex": (skfem.MeshHex, [0, 4, 3, 1, 7, 5, 2, 6]),
        "wed": (skfem.MeshWedge1, [0, 1, 2, 3, 4, 5]),
    }
    family, order = kinds[name[:3]]
    other = family(mesh.points[used].T, cells[:, order].T)
    how = {"intorder": 6}
    if (
        name == "wedge6"
    ):  # scikit-fem's own rule for wedges sums to half their volume (12.0.2); its height is 1
        points, weights = wedge(conical(4, 2), 4)
        how = {"quadrature": ((points * [1, 1, 0.5] + [0, 0, 0.5]).T, weights / 2)}
    basis = skfem.Basis(other, skfem.ElementVector(getattr(skfem, SCIKIT_FEM[name])()), **how)
    lam, mu = steel.lame

    @skfem.BilinearForm
    def stiffness(u, v, w):
        e = sym_grad(u)
        return ddot(lam * eye(trace(e), 3) + 2 * mu * e, sym_grad(v))

    @skfem.BilinearForm
    def mass(u, v, w):
        return steel.rho * dot(u, v)

    where = basis.doflocs.T
    distance = np.linalg.norm(mesh.points[:, None] - where[None], axis=2)
    ours = np.argmin(distance, axis=0)
    mine = np.empty(len(where), int)
    for node in range(mesh.n_nodes):
        mine[np.flatnonzero(ours == node)] = 3 * node + np.arange(3)
    structure = fem.assemble(mesh, fem.Solid(steel, brick=fem.FullIntegration()))
    for form, matrix in ((stiffness, structure.K), (mass, structure.M)):
        theirs = form.assemble(basis).toarray()
        assert np.allclose(
            theirs, matrix.toarray()[np.ix_(mine, mine)], rtol=0, atol=1e-12 * np.abs(theirs).max()
        )


@pytest.mark.parametrize(("name", "brick"), VARIANTS)
def test_the_assembly_of_a_property_is_the_sum_of_its_elements(name, brick, steel):
    """Direct for isotropic elements without inner modes, through element matrices for all others."""
    mesh = irregular(name)
    law = fem.Orthotropic(
        (2e11, 1e11, 5e10), (0.3, 0.2, 0.25), (6e10, 5e10, 4e10), rho=7850.0, axes=turned_axes()
    )
    for material in (steel, law):
        solid = fem.Solid(material, brick=brick)
        K, expected = fem.assemble(mesh, solid).K, summed(mesh, solid)
        assert abs(K - expected).max() < 1e-13 * abs(expected).max()
        assert abs(K - K.T).max() == 0


def turned_axes():
    """Three directions at right angles, askew to the mesh."""
    return np.linalg.qr(np.array([[1.0, 0.3, -0.2], [0.1, 1.0, 0.4], [0.5, -0.2, 1.0]]))[0]
