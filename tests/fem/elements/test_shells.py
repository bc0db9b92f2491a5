"""Properties that every shell element must have: rigid motion, invariance, mass, stresses, drilling, checks."""

import itertools

import numpy as np
import pytest
from support.dense import chain
from support.rates import rate
from support.shell_meshes import (
    assemble,
    dofs,
    element_mass,
    fixed,
    grid,
    solve,
    stiffness,
)
from support.shell_shapes import (
    ELEMENTS,
    MATERIAL,
    PLY,
    SHAPES,
    TURN,
    both,
    every_shape,
    rigid,
    rolled,
    shape,
)

import fem
from fem.elements.shell.geometry import normals


@every_shape
@pytest.mark.parametrize("thickness", [0.3, 0.001])
@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_six_rigid_motions_and_nothing_else_cost_no_energy(kind, name, thickness, offset):
    X = shape(kind, name)
    K = fem.Shell(MATERIAL, thickness, offset=offset).stiffness(kind, X)[0]
    R = rigid(X[0])
    assert np.abs(K @ R).max() < 1e-11 * np.abs(K).max() * np.abs(R).max()
    # scaled to a unit diagonal, which takes out metres against radians; rounding is 1e-15. What counts as soft is
    # bending and drilling of the thinnest, 1e-6 = (thickness / size)^2 of the membrane, less at slenderness 20
    values = np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(K), np.diag(K))))
    assert abs(values[5]) < 1e-13 * values[-1]
    assert values[6] > 1e-12 * values[-1]


@every_shape
def test_the_answer_does_not_depend_on_axes_or_on_the_first_node(kind, name):
    shell = fem.Shell(MATERIAL, 0.1, offset=0.05)
    X = shape(kind, name, np.eye(3))
    K = shell.stiffness(kind, X)[0]
    nn, corners = X.shape[1], fem.elements.FACES[kind].n_corners
    turned = shell.stiffness(kind, X @ TURN.T)[0]
    R = np.kron(np.eye(2 * nn), TURN)
    assert np.allclose(turned, R @ K @ R.T, atol=1e-12 * np.abs(K).max())
    for k in range(1, corners):
        order = rolled(kind, k)
        d = dofs(order[:, None]).ravel()
        assert np.allclose(
            shell.stiffness(kind, X[:, order])[0], K[np.ix_(d, d)], atol=1e-12 * np.abs(K).max()
        )


@both
def test_flipping_the_normal_flips_the_offset_and_the_surfaces(kind):
    X = shape(kind, "skew")
    order = np.arange(X.shape[1])[::-1]
    d = dofs(order[:, None]).ravel()
    one, other = fem.Shell(MATERIAL, 0.1, offset=0.05), fem.Shell(MATERIAL, 0.1, offset=-0.05)
    K = one.stiffness(kind, X)[0]
    assert np.allclose(other.stiffness(kind, X[:, order])[0], K[np.ix_(d, d)], atol=1e-12 * np.abs(K).max())
    u = np.random.default_rng(0).standard_normal((1, len(K)))
    stress = one.stress(kind, X, u)
    flipped = other.stress(kind, X[:, order], u[:, d])
    assert np.allclose(flipped[:, :, ::-1], stress[:, order], atol=1e-12 * np.abs(stress).max())


@both
def test_mass_is_that_of_a_thin_solid(kind):
    """Mass, centre and inertia of a flat plate of general shape with an offset, rotary inertia included."""
    shell = fem.Shell(MATERIAL, 0.3, offset=0.2)
    corners = np.array(SHAPES["trapezoid"], float)
    corners[:, :2] -= 0.4
    elements = np.array([[0, 1, 2, 3]]) if kind == "quad4" else np.array([[0, 1, 2], [0, 2, 3]])
    M = assemble(element_mass(shell, kind, corners[elements]), elements, 4).toarray()
    got = rigid(corners).T @ M @ rigid(corners)
    # the solid, by Gauss points of an own product rule over the trapezoid, exact for these polynomials
    s, w = np.polynomial.legendre.leggauss(5)
    r, t, z = np.meshgrid(s, s, s, indexing="ij")
    weights = np.einsum("i,j,k->ijk", w, w, w)
    y = -0.4 + (1 + t) / 2
    left, right = -0.4 + 0.7 * (1 + t) / 2, 1.6 - 0.6 * (1 + t) / 2
    x, z = left + (right - left) * (1 + r) / 2, 0.2 + 0.15 * z
    dm = 2.0 * weights * (right - left) / 2 / 2 * 0.15
    R = np.zeros((3, 6, *x.shape))
    P = np.stack([x, y, z])
    for k, e in enumerate(np.eye(3)):
        R[:, k] = e[:, None, None, None]
        R[:, 3 + k] = np.cross(e, P, axisb=0, axisc=0)
    exact = np.einsum("iaxyz,ibxyz,xyz->ab", R, R, dm)
    assert np.allclose(got, exact, atol=1e-12)


@both
@pytest.mark.parametrize("lumped", [False, True])
def test_samples_carry_the_mass_of_the_middle_surface(kind, lumped):
    shell = fem.Shell(MATERIAL, 0.01, offset=0.02)
    X = shape(kind, "warped" if kind == "quad4" else "skew")
    at = shell.samples(kind, X, lumped)
    R = rigid(X[0])
    # a rigid motion moves every point rigidly
    moved = np.einsum("qxd,dk->qxk", at.shape[0], R)
    own = rigid(at.points[0]).reshape(-1, 6, 6)[:, :3]
    assert np.allclose(moved, own, atol=1e-12)
    middle = X + 0.02 * normals(kind, X)
    if kind == "quad4":  # area by a fine net of triangles; second-order accurate: 1e-5 on 100 x 100
        s = np.linspace(0, 1, 101)
        a, b = np.meshgrid(s, s)
        N = np.stack([(1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b], -1)
        P = N @ middle[0]
        area = np.linalg.norm(np.cross(P[1:, 1:] - P[:-1, :-1], P[1:, :-1] - P[:-1, 1:]), axis=-1).sum() / 2
    else:
        area = np.linalg.norm(np.cross(middle[0, 1] - middle[0, 0], middle[0, 2] - middle[0, 0])) / 2
    assert at.weights.sum() == pytest.approx(2.0 * 0.01 * area, rel=3e-4)  # 2 x 2 points on a warped surface
    if lumped:
        flat = fem.Shell(MATERIAL, 0.01).samples(kind, X, True)
        M = np.einsum("eq,eqxi,eqxj->eij", flat.weights, flat.shape, flat.shape)[0]
        assert np.count_nonzero(M - np.diag(np.diag(M))) == 0


@both
def test_edge_loads_do_the_work_of_their_resultant(kind):
    """On rigid motions a traction's nodal loads do the work of its force and moment, offset included."""
    shell = fem.Shell(MATERIAL, 0.1, offset=0.07)
    X = shape(kind, "skew")
    for side in range(X.shape[1]):
        at = shell.edge(kind, X, side)
        t = np.array([1.0, -2.0, 0.5]) + at.points  # varies along the side
        f = np.einsum("eq,eqx,eqxd->ed", at.weights, t, at.shape)[0]
        own = rigid(at.points[0]).reshape(-1, 6, 6)[:, :3]
        assert np.allclose(rigid(X[0]).T @ f, np.einsum("q,qx,qxk->k", at.weights[0], t[0], own), atol=1e-12)


@both
def test_an_offset_is_a_rigid_arm(kind):
    """A shell with offset is the shell in its place whose nodes hang on rigid arms, in K, M and K_G.

    K_G has the second order of the arm besides: the force F does the work F . (t x (t x a)) / 2 on it.
    """
    X = shape(kind, "skew")
    offset, plain = fem.Shell(MATERIAL, 0.1, offset=0.07), fem.Shell(MATERIAL, 0.1)
    V = normals(kind, X)
    nn = X.shape[1]
    T = np.eye(6 * nn)
    for i in range(nn):
        T[6 * i : 6 * i + 3, 6 * i + 3 : 6 * i + 6] = np.cross(np.eye(3), 0.07 * V[0, i]).T
    u = np.random.default_rng(2).standard_normal((1, 6 * nn))
    for matrix in (
        lambda shell, X, u: shell.stiffness(kind, X)[0],
        lambda shell, X, u: element_mass(shell, kind, X)[0],
    ):
        moved = matrix(plain, X + 0.07 * V, u @ T.T)
        assert np.allclose(matrix(offset, X, u), T.T @ moved @ T, atol=1e-12 * np.abs(moved).max())
    moved = plain.geometric(kind, X + 0.07 * V, u @ T.T)[0]
    force = (plain.stiffness(kind, X + 0.07 * V)[0] @ T @ u[0]).reshape(-1, 6)[:, :3]
    for t in np.random.default_rng(4).standard_normal((4, 6 * nn)):
        turn = t.reshape(-1, 6)[:, 3:]
        arms = np.sum(force * np.cross(turn, np.cross(turn, 0.07 * V[0])))
        assert t @ offset.geometric(kind, X, u)[0] @ t == pytest.approx(t @ T.T @ moved @ T @ t + arms)


@both
def test_moments_work_as_a_beams(kind):
    """K_G of a bent strip, against the beam's exact one, for twist and deflection in its plane: order h^2.

    The state (w = x^2 / 2, no membrane force) has no work on these but that of the moments.
    """
    width, thickness, exact = 0.1, 0.01, None
    material = fem.Isotropic(E=1e9, nu=0.0, rho=1.0)

    def fields(x, y):
        bent, moved = np.zeros((2, len(x), 6))
        bent[:, 2], bent[:, 4] = x**2 / 2, -x
        moved[:, 1], moved[:, 5] = x**2 * (1.5 - x), 3 * x - 3 * x**2
        moved[:, 0] = -y * moved[:, 5]
        moved[:, 2], moved[:, 3], moved[:, 4] = y * np.sin(2 * x), np.sin(2 * x), -2 * y * np.cos(2 * x)
        return bent.ravel(), moved.ravel()

    # the beam's own error at 100 elements is 1e-4 of the shell's at 32: both of order h^2
    beams = chain(fem.Beam(material, fem.Rectangle(width, thickness), shear=False), 100, 1.0)
    bent, moved = fields(beams.X[:, 0], 0.0 * beams.X[:, 0])
    exact = moved @ beams.K_G(bent) @ moved
    errors, counts = [], (8, 16, 32)
    for n in counts:
        points, elements = grid(
            kind, n, n // 8, lambda s, t: (s, width * (t - 0.5), 0 * s), diagonal="crossed"
        )
        bent, moved = fields(*points.T[:2])
        matrices = fem.Shell(material, thickness).geometric(kind, points[elements], bent[dofs(elements)])
        errors.append(moved @ assemble(matrices, elements, len(points)) @ moved / exact - 1)
    assert abs(errors[-1]) < 2e-3
    assert rate(counts, errors) == pytest.approx(2, abs=0.2)


@both
def test_geometric_stiffness_of_a_uniform_stress(kind):
    """A translation field w costs w,a N_ab w,b / 2 per area, whatever its direction; tension is positive."""
    X = shape(kind, "skew", np.eye(3))
    shell = fem.Shell(MATERIAL, 0.1)
    x, y = X[0, :, 0], X[0, :, 1]
    u = np.zeros((len(x), 6))
    u[:, 0], u[:, 1] = 1e-3 * x, -0.25e-3 * y  # sigma_xx = 1000, the others none
    KG = shell.geometric(kind, X, u.reshape(1, -1))[0]
    area = shell.samples(kind, X).weights.sum() / (2.0 * 0.1)
    for direction in range(3):
        w = np.zeros((len(x), 6))
        w[:, direction] = 2 * x + 7 * y
        assert w.ravel() @ KG @ w.ravel() == pytest.approx(area * 100.0 * 4.0, rel=1e-9)
    assert np.allclose(KG, KG.T)
    # nothing but the membrane's work is needed here to turn the forces: translations and rotations are apart
    apart = KG.reshape(len(x), 6, len(x), 6)
    assert np.allclose(apart[:, :3, :, 3:], 0, atol=1e-13 * np.abs(KG).max())


@both
def test_geometric_stiffness_turns_the_nodal_forces(kind):
    """K_G (omega x X) is omega x the forces that the membrane stress needs at the nodes, translations."""
    points, elements = grid(kind, 3, 3, lambda s, t: (2 * s + 0.3 * t, t, 0 * s), distort=0.2)
    shell = fem.Shell(MATERIAL, 0.1)
    u = np.zeros((len(points), 6))
    u[:, 0], u[:, 1], u[:, 5] = points[:, 0] + points[:, 1], 0.5 * points[:, 1], -0.5
    f = (stiffness(shell, kind, points, elements) @ u.ravel()).reshape(-1, 6)[:, :3]
    KG = assemble(shell.geometric(kind, points[elements], u.ravel()[dofs(elements)]), elements, len(points))
    for omega in np.eye(3):
        turn = np.concatenate([np.cross(omega, points), np.tile(omega, (len(points), 1))], 1)
        got = (KG @ turn.ravel()).reshape(-1, 6)[:, :3]
        assert np.allclose(got, np.cross(omega, f), atol=1e-10 * np.abs(f).max())


@both
def test_stress_and_strain_agree_with_hookes_law(kind):
    X = shape(kind, "skew")
    u = 1e-3 * np.random.default_rng(3).standard_normal((1, 6 * X.shape[1]))
    for material in (
        MATERIAL,
        fem.Orthotropic((4e6, 1e6, 8e5), (0.25, 0.2, 0.3), (5e5, 4e5, 3e5), rho=1.0, axes=TURN.T),
    ):
        shell = fem.Shell(material, 0.1)
        stress, strain = shell.stress(kind, X, u), shell.strain(kind, X, u)
        assert np.allclose(strain @ np.asarray(material.stiffness), stress, atol=1e-9 * np.abs(stress).max())


@both
def test_a_drilling_moment_becomes_in_plane_bending(kind):
    """A strip, clamped, with a moment on the drilling freedoms of its free end: tip rotation M L / (E I)."""
    points, elements = grid(kind, 8, 2, lambda s, t: (10 * s, t, 0 * s))
    shell = fem.Shell(fem.Isotropic(E=1e6, nu=0.0, rho=1.0), 0.1)
    K = stiffness(shell, kind, points, elements)
    left, right = np.isclose(points[:, 0], 0.0), np.flatnonzero(np.isclose(points[:, 0], 10.0))
    f = np.zeros(6 * len(points))
    f[6 * right + 5] = [0.25, 0.5, 0.25]
    u = solve(K, f, fixed(len(points), (left, "xyzabc"))).reshape(-1, 6)
    exact = 10.0 / (1e6 * 0.1 / 12)
    # the moment enters at the last row of elements, whose drilling freedoms turn further than the section: the
    # deflection, M L^2 / 2 E I, tells what the strip carries. tri3 is 10 to 30 % soft where one or two thin
    # elements make the depth (beta_0 reduced), Felippa's optimum at full beta_0 is exact
    tolerance = {"quad4": 0.01, "tri3": 0.15}[kind]
    assert u[right, 1].mean() == pytest.approx(exact * 10.0 / 2, rel=tolerance)


@both
def test_a_drilling_moment_on_one_node_stays_local(kind):
    """Square plate, edges clamped, one drilling moment in the middle: rotations decay, monotonically and fast."""
    points, elements = grid(kind, 16, 16)
    shell = fem.Shell(MATERIAL, 0.01)
    x, y = points[:, 0], points[:, 1]
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    f = np.zeros(6 * len(points))
    middle = 8 * 17 + 8
    f[6 * middle + 5] = 1.0
    u = solve(stiffness(shell, kind, points, elements), f, fixed(len(points), (edge, "xyzabc"))).reshape(
        -1, 6
    )
    row = u[8 * 17 + 8 : 8 * 17 + 17, 5] / u[middle, 5]
    assert all(a > b for a, b in itertools.pairwise(abs(row[:4])))
    assert abs(row[3:]).max() < 0.25
    # a rigid disc of radius r in a large sheet turns by M / (4 pi G h r^2): the node acts as one of 0.08 to 0.4 sides
    r = np.sqrt(1.0 / (4 * np.pi * 0.4e6 * 0.01 * u[middle, 5])) * 16
    assert 0.08 < r < 0.4


class TestChecks:
    """What can't be a shell is refused, by index."""

    SHELL = fem.Shell(MATERIAL, 0.1)

    def refused(self, kind, *elements, shell=SHELL):
        with pytest.raises(fem.InputError, match="element") as error:
            shell.check(kind, np.array(elements, float))
        return str(error.value)

    def test_good_shapes_pass(self):
        for kind, name in ELEMENTS:
            self.SHELL.check(kind, shape(kind, name))

    def test_lines_points_and_bow_ties(self):
        good = SHAPES["square"]
        line = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
        bow = [[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]]
        dart = [[0, 0, 0], [1, 0, 0], [0.2, 0.2, 0], [0, 1, 0]]
        double = [[0, 0, 0], [0, 0, 0], [1, 1, 0], [0, 1, 0]]
        message = self.refused("quad4", good, line, bow, dart, double)
        for part in ("remesh ('1')", "'2'", "'3'", "three nodes) ('4')"):
            assert part in message
        assert "'0'" not in message
        assert "one line" in self.refused("tri3", line[:3])

    def test_folded(self):
        assert "60 degrees" in self.refused("quad4", [[0, 0, 1.0], [1, 0, -1], [1, 1, 1], [0, 1, -1]])

    def test_not_finite(self):
        assert "finite" in self.refused("tri3", [[0, 0, 0], [1, 0, 0], [0, np.nan, 0]])

    def test_other_elements(self):
        assert "'tri3', 'quad4', 'tri6', 'quad8', 'quad9'" in self.refused("tet4", np.zeros((4, 3)))

    def test_a_material_without_direction_on_the_shell(self):
        upright = fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=PLY.rho, axes=((0, 0, 1), (1, 0, 0), (0, 1, 0)))
        assert "axes=" in self.refused("quad4", SHAPES["square"], shell=fem.Shell(upright, 0.1))

    def test_impossible_sections(self):
        with pytest.raises(fem.InputError, match="thickness = 0 m must be a positive number; offset"):
            fem.Shell(MATERIAL, 0.0, offset=float("inf"))
