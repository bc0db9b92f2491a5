"""Quadratic shells alone: patches, curved elements, mass and geometric stiffness."""

import numpy as np
import pytest
from support.shell_meshes import assemble, dofs, element_mass, fixed, grid, solve, stiffness
from support.shell_shapes import MATERIAL, PLY, TURN, patch_of, rigid, shape

import fem
from fem.elements import FACES
from fem.elements.shell import quadratic
from fem.elements.shell.geometry import normals

pytestmark = pytest.mark.slow  # together a second or more

KINDS = ("tri6", "quad8", "quad9")
each = pytest.mark.parametrize("kind", KINDS)


def states(x, y):
    """Displacements (n, 6) and the constant membrane strain or curvature, by name."""
    o = 0 * x
    w, wx, wy = (x * x + x * y + y * y) / 2, x + y / 2, y + x / 2
    return {
        "membrane": (np.stack([x + y / 2, y + x / 2, o, o, o, o], 1), [1, 1, 1]),
        "membrane, turned": (np.stack([x + 3 * y, -y - 2 * x, o, o, o, o - 2.5], 1), [1, -1, 1]),
        "bending": (np.stack([o, o, w, wy, -wx, o], 1), [-1, -1, -1]),
        "twist": (np.stack([o, o, x * y, x, -y, o], 1), [0, 0, -2]),
    }


@pytest.mark.parametrize(
    "kinds",
    [*((kind,) for kind in KINDS), ("quad8", "tri6"), ("quad9", "tri6"), ("quad8", "quad9")],
    ids="-".join,
)
@pytest.mark.parametrize("state", list(states(np.zeros(1), np.zeros(1))))
@pytest.mark.parametrize("thickness", [0.001, 0.1])
def test_patch(kinds, state, thickness):
    """Given motion of the outer nodes, constant strain inside, and sigma by Hooke's law written out."""
    flat, blocks = patch_of(kinds)
    exact, strain = states(*flat.T[:2])[state]
    exact = np.concatenate([exact[:, :3] @ TURN.T, exact[:, 3:] @ TURN.T], 1)
    points, shell, n = flat @ TURN.T, fem.Shell(MATERIAL, thickness), len(flat)
    K = sum(stiffness(shell, kind, points, cells) for kind, cells in blocks.items())
    x, y, _ = flat.T
    rim = np.isclose(x, 0) | np.isclose(x, 0.24) | np.isclose(y, 0) | np.isclose(y, 0.12)
    outer = fixed(n, (rim, "xyzabc"))
    assert len(outer) < 6 * n
    u = solve(K, np.zeros(6 * n), outer, exact.ravel()[outer])
    assert np.allclose(u.reshape(n, 6), exact, atol=1e-8 * np.abs(exact).max())
    xx, yy, xy = strain
    c = 1e6 / (1 - 0.25**2) * (1 if "membrane" in state else thickness / 2)
    stress = c * np.array([[xx + 0.25 * yy, 0.375 * xy, 0], [0.375 * xy, yy + 0.25 * xx, 0], [0, 0, 0]])
    voigt = (TURN @ stress @ TURN.T)[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    for kind, cells in blocks.items():
        found = shell.stress(kind, points[cells], u[dofs(cells)])
        assert np.allclose(found[:, :, 1], voigt, atol=1e-6 * np.abs(voigt).max())
        sign = 1 if "membrane" in state else -1
        assert np.allclose(found[:, :, 0], sign * voigt, atol=1e-6 * np.abs(voigt).max())


@each
@pytest.mark.parametrize("thickness", [1e-4, 0.1])
def test_patch_of_transverse_shear(kind, thickness):
    """No rotation anywhere and a deflection w = a x + b y on the rim: the same inside, Q = 5/6 G h (a, b)."""
    flat, blocks = patch_of((kind,))
    cells, n = blocks[kind], len(flat)
    shell = fem.Shell(MATERIAL, thickness)
    exact = np.zeros((n, 6))
    exact[:, 2] = flat[:, :2] @ [2e-3, -1e-3]
    x, y, _ = flat.T
    rim = np.isclose(x, 0) | np.isclose(x, 0.24) | np.isclose(y, 0) | np.isclose(y, 0.12)
    held = fixed(n, (rim, "xyz"), (np.arange(n), "abc"))
    K = stiffness(shell, kind, flat, cells)
    if kind == "tri6":  # rotations held are those inside, too
        X = flat[cells]
        whole = quadratic.Quadratic(kind, X, normals(kind, X), shell.laws(kind, X))
        K = assemble(whole.K[:, :36, :36], cells, n)
    u = solve(K, np.zeros(6 * n), held, exact.ravel()[held])
    assert np.allclose(u.reshape(n, 6), exact, atol=1e-10)
    if kind == "tri6":
        strain = whole.shear[..., :36] @ u[dofs(cells)][:, None, :, None]
        Q = (whole.law.S[:, None] @ strain)[..., 0]
        Q = np.einsum("eqA,eqAx->eqx", Q, whole.at.frame[:, :, :2])
        assert np.allclose(
            Q, 5 / 6 * 0.4e6 * thickness * np.array([2e-3, -1e-3, 0]), atol=1e-9 * np.abs(Q).max()
        )
        return
    at = shell.resultants(kind, flat[cells], u[dofs(cells)])
    Q = np.einsum("eiA,eiAx->eix", at.Q, at.frame[:, :, :2])
    assert np.allclose(Q, 5 / 6 * 0.4e6 * thickness * np.array([2e-3, -1e-3, 0]), atol=1e-9 * np.abs(Q).max())


def curved(kind):
    """One element (1, nn, 3) on a paraboloid, its sides bent in its surface, too."""
    x, y, z = shape(kind, "skew", np.eye(3))[0].T
    x, y = x + 0.05 * y**2, y - 0.04 * x**2
    return np.stack([x, y, z + 0.2 * x**2 - 0.1 * y**2 + 0.1 * x * y], 1)[None]


@each
@pytest.mark.parametrize("thickness", [0.3, 0.001])
def test_a_curved_element_has_six_rigid_motions_and_no_other(kind, thickness):
    X = curved(kind)
    K = fem.Shell(MATERIAL, thickness, offset=0.1).stiffness(kind, X)[0]
    R = rigid(X[0])
    assert np.abs(K @ R).max() < 1e-11 * np.abs(K).max() * np.abs(R).max()
    values = np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(K), np.diag(K))))
    assert abs(values[5]) < 1e-13 * values[-1]
    assert (
        values[6] > 1e-10 * values[-1]
    )  # bending of the thinnest: (thickness / size)^2 = 1e-6 of the membrane


@each
def test_tied_strains_are_the_own_ones_where_those_are_linear(kind):
    """On a plane parallelogram fields of degree one in the strains are interpolated exactly: by own derivatives."""
    X = shape(kind, "square", np.eye(3)) * [2.0, 1.0, 1.0]
    X[..., 0] += 0.3 * X[..., 1]
    x, y, _ = X[0].T
    V = np.zeros_like(X)
    V[..., 2] = 1.0
    u = np.zeros((len(x), 6))
    u[:, 0], u[:, 1], u[:, 4] = x**2 + 2 * x * y, y**2 - x * y, x**2 - y**2
    xi = np.array([[0.2, 0.3], [0.1, 0.6]])
    name, X9, V9 = quadratic.with_centre(kind, X, V)
    v = u
    if name != kind:  # the centre of quad8, where the fields above are known, too
        a, b, _ = X9[0, -1]
        v = np.vstack([u, [a**2 + 2 * a * b, b**2 - a * b, 0, 0, a**2 - b**2, 0]])
    e, k, _ = (part[0, :, :, : v.size] @ v.ravel() for part in quadratic.strains(name, X9, V9, xi))
    a, b, _ = (fem.elements.FACES[kind].N(xi) @ X[0]).T
    frame = fem.elements.shell.geometry.surface(kind, X, xi).frame[0][:, :2, :2]
    for found, gradient in (
        (e, np.array([[2 * a + 2 * b, 2 * a], [-b, 2 * b - a]])),
        (k, np.array([[2 * a, -2 * b], [0 * a, 0 * a]])),
    ):
        G = frame @ np.moveaxis(gradient, -1, 0) @ np.swapaxes(frame, 1, 2)
        own = np.stack([G[:, 0, 0], G[:, 1, 1], G[:, 0, 1] + G[:, 1, 0]], 1)
        assert np.allclose(found, own, atol=1e-12)


@each
def test_mass_of_a_flat_plate_is_that_of_the_solid(kind):
    """Inertia of a square plate of side 1 with offset, about its corner, written out."""
    h, o, rho = 0.3, 0.2, 2.0
    points, cells = grid(kind, 2, 1)
    shell = fem.Shell(MATERIAL, h, offset=o)
    M = assemble(element_mass(shell, kind, points[cells]), cells, len(points))
    got = rigid(points).T @ M @ rigid(points)
    m, zz = rho * h, o**2 + h**2 / 12
    c = np.array([0.5, 0.5, o])
    J = m * np.array([[1 / 3 + zz, -1 / 4, -o / 2], [-1 / 4, 1 / 3 + zz, -o / 2], [-o / 2, -o / 2, 2 / 3]])
    cross = m * np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
    assert np.allclose(got, np.block([[m * np.eye(3), -cross], [cross, J]]), atol=1e-12)


@each
def test_lumped_masses_are_positive(kind):
    at = fem.Shell(MATERIAL, 0.01).samples(kind, curved(kind), True)
    full = fem.Shell(MATERIAL, 0.01).samples(kind, curved(kind))
    assert (at.weights > 0).all()
    assert at.weights.sum() == pytest.approx(full.weights.sum(), rel=1e-12)


@each
def test_edge_loads_do_the_work_of_their_resultant(kind):
    """On rigid motions a traction's nodal loads do the work of its force and moment, offset included."""
    shell, X = fem.Shell(MATERIAL, 0.1, offset=0.07), curved(kind)
    for side in range(FACES[kind].n_corners):
        at = shell.edge(kind, X, side)
        t = np.array([1.0, -2.0, 0.5]) + at.points
        f = np.einsum("eq,eqx,eqxd->ed", at.weights, t, at.shape)[0]
        own = rigid(at.points[0]).reshape(-1, 6, 6)[:, :3]
        assert np.allclose(rigid(X[0]).T @ f, np.einsum("q,qx,qxk->k", at.weights[0], t[0], own), atol=1e-12)
        s = np.linspace(0, 1, 2001)[:, None]
        element = FACES[kind]
        i, j = (element.nodes[k] for k in element.edges[side])
        line = element.N((1 - s) * i + s * j) @ shell.placed(kind, X)[0][0]
        length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
        assert at.weights.sum() == pytest.approx(length, rel=1e-4)  # three Gauss points of a root


@each
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


@each
def test_stress_and_strain_agree_with_hookes_law(kind):
    X = curved(kind)
    u = 1e-3 * np.random.default_rng(3).standard_normal((1, 6 * X.shape[1]))
    stress, strain = (getattr(fem.Shell(MATERIAL, 0.1), what)(kind, X, u) for what in ("stress", "strain"))
    assert np.allclose(strain @ np.asarray(MATERIAL.stiffness), stress, atol=1e-9 * np.abs(stress).max())
    shell = fem.Shell(PLY, 0.1)
    assert np.isfinite(shell.stress(kind, X, u)).all()


@each
def test_middle_nodes_out_of_place_are_refused(kind):
    X = shape(kind, "square", np.eye(3))
    fem.Shell(MATERIAL, 0.1).check(kind, X)
    X[0, FACES[kind].n_corners] = 0.1 * X[0, 0] + 0.9 * X[0, 1]
    with pytest.raises(fem.InputError, match="far from the middle"):
        fem.Shell(MATERIAL, 0.1).check(kind, X)
