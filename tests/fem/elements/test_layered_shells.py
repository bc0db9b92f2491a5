"""Shells of several layers: laminate stiffness by closed forms, coupled patches, mass, stresses, frequencies."""

import numpy as np
import pytest
from scipy.linalg import eigh
from support.shell_meshes import dofs, element_mass, fixed, grid, solve, stiffness
from support.shell_shapes import MATERIAL, PLY, TURN, patch_of, rigid, shape

import fem

pytestmark = pytest.mark.slow  # together a second or more

each = pytest.mark.parametrize("kind", fem.LayeredShell.kinds)
CARBON = fem.Ply(E1=40e6, E2=1e6, nu12=0.25, G12=0.6e6, rho=2.0, G13=0.6e6, G23=0.5e6)
SHARE = 1 - 0.25**2 / 40
#: plane stress of CARBON along and across its fibres, by E1 / (1 - nu12 nu21) and so on
Q11, Q22, Q12, Q66 = 40e6 / SHARE, 1e6 / SHARE, 0.25e6 / SHARE, 0.6e6


def stack(*degrees, thickness=0.1, material=CARBON, **options):
    return fem.LayeredShell([fem.Layer(material, thickness, degrees=angle) for angle in degrees], **options)


def test_cross_ply_by_its_closed_form():
    """Two layers 0, 90 of total thickness h: A = h (Q + Q') / 2, B = h^2 (Q' - Q) / 8, D = h^2 A / 12 (Jones 1999)."""
    h, got = 0.2, stack(0, 90).layup().plane
    A = h * np.array([[(Q11 + Q22) / 2, Q12, 0], [Q12, (Q11 + Q22) / 2, 0], [0, 0, Q66]])
    B = h**2 / 8 * np.diag([Q22 - Q11, Q11 - Q22, 0])
    np.testing.assert_allclose(got, np.block([[A, B], [B, h**2 / 12 * A]]), rtol=1e-12, atol=1e-9)


def test_angle_ply_by_its_closed_form():
    """Two layers a, -a: B16 = h^2 Q16(-a) / 4 and no other but B26; Q(a) from the invariants (Tsai, Pagano 1968)."""
    h, a = 0.2, np.radians(30)
    U1, U2, U3 = (
        (3 * Q11 + 3 * Q22 + 2 * Q12 + 4 * Q66) / 8,
        (Q11 - Q22) / 2,
        (Q11 + Q22 - 2 * Q12 - 4 * Q66) / 8,
    )
    U4, U5 = (Q11 + Q22 + 6 * Q12 - 4 * Q66) / 8, (Q11 + Q22 - 2 * Q12 + 4 * Q66) / 8
    c2, c4, s2, s4 = np.cos(2 * a), np.cos(4 * a), np.sin(2 * a), np.sin(4 * a)
    Q16, Q26 = U2 / 2 * s2 + U3 * s4, U2 / 2 * s2 - U3 * s4
    A = h * np.array(
        [
            [U1 + U2 * c2 + U3 * c4, U4 - U3 * c4, 0],
            [U4 - U3 * c4, U1 - U2 * c2 + U3 * c4, 0],
            [0, 0, U5 - U3 * c4],
        ]
    )
    B = -(h**2) / 4 * np.array([[0, 0, Q16], [0, 0, Q26], [Q16, Q26, 0]])
    got = stack(30, -30).layup().plane
    np.testing.assert_allclose(got, np.block([[A, B], [B, h**2 / 12 * A]]), rtol=1e-12, atol=1e-8)


def test_shear_of_a_sandwich():
    """A soft core between thin stiff faces: S = G (c + t)^2 / c, to (t / c)^2 (Plantema 1966)."""
    face, core = fem.Isotropic(1e9, 0.3, 1.0), fem.Isotropic(1e3, 0.3, 1.0)
    t, c = 0.01, 1.0
    shell = fem.LayeredShell([fem.Layer(face, t), fem.Layer(core, c), fem.Layer(face, t)])
    expected = 1e3 / 2.6 * (c + t) ** 2 / c * np.eye(2)
    np.testing.assert_allclose(shell.layup().S, expected, rtol=1e-3, atol=1e-6)


def test_shear_by_a_fine_sum_over_the_thickness():
    """Cylindrical bending of 0, 90, 0 with own sums of the stresses over 30000 slices."""
    got = stack(0, 90, 0).layup().S
    n = 30000
    dz = 0.3 / n
    z = (np.arange(n) + 0.5) * dz - 0.15
    outer = np.abs(z) > 0.05
    for k, (Q, G) in enumerate(
        (
            (np.where(outer, Q11, Q22), np.where(outer, 0.6e6, 0.5e6)),
            (np.where(outer, Q22, Q11), np.where(outer, 0.5e6, 0.6e6)),
        )
    ):
        # M = 1 along k: the other curvature is held to zero moment, as in D^-1; coupled by Q12 in both layers alike
        D = (
            np.array(
                [[np.sum(Q * z**2), np.sum(Q12 * z**2)], [np.sum(Q12 * z**2), np.sum((Q11 + Q22 - Q) * z**2)]]
            )
            * dz
        )
        own, other = np.linalg.solve(D, [1, 0])
        tau = np.cumsum((Q * own + Q12 * other) * z) * dz
        assert got[k, k] == pytest.approx(1 / np.sum(tau**2 / G * dz), rel=1e-4)
    assert abs(got[0, 1]) < 1e-9 * got[0, 0]


@each
@pytest.mark.parametrize("material", [MATERIAL, PLY], ids=["isotropic", "orthotropic"])
def test_equal_layers_are_one_shell(kind, material):
    """Three layers of one material against fem.Shell, whose material carries the angle: K, M, K_G, stress, strain."""
    X = shape(kind, "skew", np.eye(3))
    angle = 0.0 if material is MATERIAL else np.degrees(np.arctan2(0.6, 0.8))
    layers = [fem.Layer(material, h, degrees=angle) for h in (0.02, 0.05, 0.03)]
    one, many = fem.Shell(material, 0.1, offset=0.03), fem.LayeredShell(layers, offset=0.03)
    u = 1e-3 * np.random.default_rng(3).standard_normal((1, 6 * X.shape[1]))
    for what in (
        lambda shell: shell.stiffness(kind, X),
        lambda shell: element_mass(shell, kind, X),
        lambda shell: shell.geometric(kind, X, u),
        lambda shell: shell.stress(kind, X, u),
        lambda shell: shell.strain(kind, X, u),
    ):
        expected = what(one)
        np.testing.assert_allclose(what(many), expected, atol=1e-10 * np.abs(expected).max())


@each
def test_patch_of_a_coupled_laminate(kind):
    """Constant strains and curvatures, all of them: the motion inside, N, M by [A B; B D], the layers' stresses."""
    flat, blocks = patch_of((kind,))
    cells, n = blocks[kind], len(flat)
    shell = stack(30, -10, 90, thickness=0.01, axis=TURN[:, 0])
    e, k = 1e-3 * np.array([1.0, -0.7, 0.4]), 1e-2 * np.array([0.5, 1.0, -0.8])
    x, y, _ = flat.T
    u = np.stack(
        [e[0] * x + e[2] * y / 2, e[1] * y + e[2] * x / 2, -(k[0] * x**2 + k[1] * y**2 + k[2] * x * y) / 2], 1
    )
    turn = np.stack([-(k[1] * y + k[2] * x / 2), k[0] * x + k[2] * y / 2, 0 * x], 1)
    exact = np.hstack([u @ TURN.T, turn @ TURN.T])
    points = flat @ TURN.T
    rim = np.isclose(x, 0) | np.isclose(x, 0.24) | np.isclose(y, 0) | np.isclose(y, 0.12)
    outer = fixed(n, (rim, "xyzabc"))
    found = solve(stiffness(shell, kind, points, cells), np.zeros(6 * n), outer, exact.ravel()[outer])
    np.testing.assert_allclose(found.reshape(n, 6), exact, atol=1e-8 * np.abs(exact).max())
    at = shell.resultants(kind, points[cells], found[dofs(cells)])
    forces = shell.layup().plane @ np.concatenate([e, k])
    # the layup's axes are those of the patch; the elements' own are turned against them
    c, s = np.einsum("eiax,x->aei", at.frame[:, :, :2], TURN[:, 0])
    for got, (a, b, d) in ((at.N, forces[:3]), (at.M, forces[3:])):
        s = np.einsum("eix,x->ei", at.frame[:, :, 0], TURN[:, 1])
        expected = np.stack(
            [
                a * c**2 + b * s**2 + 2 * d * c * s,
                a * s**2 + b * c**2 - 2 * d * c * s,
                (b - a) * c * s + d * (c**2 - s**2),
            ],
            2,
        )
        np.testing.assert_allclose(got, expected, atol=1e-6 * np.abs(forces).max())
    stress = shell.layer_stress(kind, points[cells], found[dofs(cells)])
    for layer, angle in enumerate((30, -10, 90)):
        a = np.radians(angle)
        c, s = np.cos(a), np.sin(a)
        for side in (0, 1):
            xx, yy, xy = e + (-0.015 + 0.01 * (layer + side)) * k
            e1, e2 = xx * c * c + yy * s * s + xy * c * s, xx * s * s + yy * c * c - xy * c * s
            g = 2 * (yy - xx) * c * s + xy * (c * c - s * s)
            own = [Q11 * e1 + Q12 * e2, Q12 * e1 + Q22 * e2, Q66 * g]
            np.testing.assert_allclose(
                stress[:, :, layer, side],
                np.broadcast_to(own, (*stress.shape[:2], 3)),
                atol=1e-5 * Q11 * 1e-3,
            )


@each
def test_six_rigid_motions_and_positive_energy(kind):
    X = shape(kind, "skew")
    K = stack(20, 70, thickness=0.005, offset=0.1).stiffness(kind, X)[0]
    R = rigid(X[0])
    assert np.abs(K @ R).max() < 1e-11 * np.abs(K).max() * np.abs(R).max()
    values = np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(K), np.diag(K))))
    assert abs(values[5]) < 1e-13 * values[-1]
    assert values[6] > 1e-9 * values[-1]


@each
def test_mass_is_eccentric(kind):
    """Lead below foam: mass, its centre and its inertia about the centre of a unit square, written out."""
    lead, foam = fem.Isotropic(1e6, 0.3, 11.0), fem.Isotropic(1e5, 0.3, 0.5)
    shell = fem.LayeredShell([fem.Layer(lead, 0.1), fem.Layer(foam, 0.4)])
    points, cells = grid(kind, 1, 1)
    structure = fem.assemble(fem.Mesh(points, (fem.Block(kind, cells),)), shell)
    mass = 11 * 0.1 + 0.5 * 0.4
    height = (11 * 0.1 * -0.2 + 0.5 * 0.4 * 0.05) / mass
    assert structure.mass == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(structure.center, [0.5, 0.5, height], atol=1e-12)
    upright = 11 * 0.1 * (0.1**2 / 12 + 0.2**2) + 0.5 * 0.4 * (0.4**2 / 12 + 0.05**2) - mass * height**2
    # rotations about the normal have no inertia of their own, in the others the thickness counts
    np.testing.assert_allclose(
        structure.inertia, np.diag([mass / 12 + upright, mass / 12 + upright, mass / 6]), atol=1e-12
    )


def navier(shell, a, m=1, n=1):
    """The lowest frequency, rad/s, of a simply supported square cross-ply plate by first-order shear theory.

    Navier's solution (Reddy, Mechanics of Laminated Composite Plates and Shells, 2004, 7.3): amplitudes of u, v, w and
    both rotations, whose squares all have the same mean.
    """
    x, y = m * np.pi / a, n * np.pi / a
    B = np.zeros((8, 5))
    B[0, 0], B[1, 1], B[2, :2] = -x, -y, (y, x)
    B[3, 3], B[4, 4], B[5, 3:] = -x, -y, (y, x)
    B[6, [2, 3]], B[7, [2, 4]] = (x, 1), (y, 1)
    C = np.zeros((8, 8))
    C[:6, :6], C[6:, 6:] = shell.layup().plane, shell.layup().S
    mass, height, radius = shell.inertia()
    M = mass * np.diag([1, 1, 1, height**2 + radius**2, height**2 + radius**2])
    M[[0, 1, 3, 4], [3, 4, 0, 1]] = mass * height
    return np.sqrt(eigh(B.T @ C @ B, M, eigvals_only=True)[0])


def lowest(kind, shell, n):
    points, cells = grid(kind, n, n)
    x, y, _ = points.T
    mesh = fem.Mesh(
        points,
        (fem.Block(kind, cells),),
        {"x": np.flatnonzero((x == 0) | (x == 1)), "y": np.flatnonzero((y == 0) | (y == 1))},
    )
    structure = fem.assemble(mesh, shell)
    # hard simple supports: what is along the edge is held
    return (
        2
        * np.pi
        * fem.vibration(structure, {"x": ("y", "z", "rx"), "y": ("x", "z", "ry")}, n=1).frequencies_hz[0]
    )


@each
@pytest.mark.parametrize(
    ("degrees", "slender"), [((0, 90), 10), ((0, 90, 90, 0), 5), ((0, 90), 100)], ids=str
)
def test_frequency_of_a_simply_supported_cross_ply(kind, degrees, slender):
    shell = stack(*degrees, thickness=1 / slender / len(degrees))
    # 9 x 9 nodes, errors of order two and four; triangles bend less well across stiff fibres
    tolerance = {"tri3": 0.06, "quad4": 0.02, "tri6": 0.008, "quad8": 1e-3, "quad9": 1e-3}[kind]
    got = lowest(kind, shell, 4 if kind in ("tri6", "quad8", "quad9") else 8)
    assert got == pytest.approx(navier(shell, 1.0), rel=tolerance)


def solid_laminate(stiffnesses, thickness, density):
    """Lowest frequency (rad/s) of a simply supported square laminate of side 1 by elasticity in three dimensions.

    u = U(z) cos(pi x) sin(pi y), v = V(z) sin cos, w = W(z) sin sin fulfil the conditions at the edges; U, V, W are
    polynomials of degree 6 in each layer, which are exact to seven digits here.
    """
    degree, t = 6, thickness / len(stiffnesses)
    powers = np.arange(degree + 1)
    inverse = np.linalg.inv(np.vander(np.cos(np.pi * powers / degree), increasing=True))
    size = 3 * (degree * len(stiffnesses) + 1)
    K, M, none = np.zeros((size, size)), np.zeros((size, size)), np.zeros(degree + 1)
    for layer, C in enumerate(stiffnesses):
        rows = (3 * (degree * layer + powers) + np.arange(3)[:, None]).ravel()
        for z, weight in zip(*np.polynomial.legendre.leggauss(degree + 2), strict=True):
            N = z**powers @ inverse
            slope = (
                -powers * z ** np.maximum(powers - 1, 0) @ inverse * 2 / t
            )  # the first point lies at z = 1
            a = np.pi * N
            strains = [[-a, none, none], [none, -a, none], [none, none, slope]]  # xx, yy, zz
            strains += [[a, a, none], [none, slope, a], [slope, none, a]]  # xy, yz, xz
            B, H = np.block(strains), np.kron(np.eye(3), N)
            K[np.ix_(rows, rows)] += weight * t / 2 * B.T @ C @ B
            M[np.ix_(rows, rows)] += weight * t / 2 * density * H.T @ H
    return np.sqrt(eigh(K, M, eigvals_only=True, subset_by_index=(0, 0))[0])


@pytest.mark.parametrize("ratio", [3, 10, 40])
def test_frequencies_of_three_dimensional_elasticity(ratio):
    """A laminate 0, 90, 90, 0 with a / h = 5.

    First-order theory is within 1 % here; so thick a plate shows whether the transverse shear is right: 5/6 of the
    layers' mean gives up to 1 % more, no shear at all 60 %.
    """
    E1, E2, nu12, nu23, G, G23 = ratio * 1e6, 1e6, 0.25, 0.25, 0.6e6, 0.5e6
    along = np.zeros((6, 6))
    compliance = [[1 / E1, -nu12 / E1, -nu12 / E1], [-nu12 / E1, 1 / E2, -nu23 / E2]]
    along[:3, :3] = np.linalg.inv([*compliance, [-nu12 / E1, -nu23 / E2, 1 / E2]])
    along[[3, 4, 5], [3, 4, 5]] = G, G23, G
    order = [1, 0, 2, 3, 5, 4]
    across = along[np.ix_(order, order)]
    exact = solid_laminate([along, across, across, along], 0.2, 2.0)
    ply = fem.Ply(E1, E2, nu12=nu12, G12=G, rho=2.0, G13=G, G23=G23)
    assert lowest("quad8", stack(0, 90, 90, 0, thickness=0.05, material=ply), 4) == pytest.approx(
        exact, rel=0.01
    )


@each
def test_the_axis_can_be_a_function_or_the_side(kind):
    """A sheet round a cylinder, fibres around it, by three descriptions of the same direction."""

    def place(s, t):
        return np.sin(0.8 * s), t, np.cos(0.8 * s)

    points, cells = grid(kind, 3, 2, place)
    X = points[cells]

    def around(middle):
        return np.column_stack([middle[:, 2], 0 * middle[:, 0], -middle[:, 0]])

    by_function = stack(30, thickness=0.01, axis=around).stiffness(kind, X)
    for k, K in enumerate(by_function):
        a = np.arctan2(*X[k].mean(0)[[0, 2]])
        own = stack(30, thickness=0.01, axis=(np.cos(a), 0, -np.sin(a))).stiffness(kind, X[k : k + 1])[0]
        np.testing.assert_allclose(K, own, atol=1e-9 * np.abs(K).max())
    if fem.elements.FACES[kind].n_corners == 4:
        side = stack(30, thickness=0.01, axis=fem.FirstSide()).stiffness(kind, X)
        np.testing.assert_allclose(side, by_function, atol=1e-9 * np.abs(side).max())


def test_what_is_not_valid():
    with pytest.raises(
        fem.InputError, match=r"layers = .* must be a sequence of fem\.Layer.*axis = .*offset"
    ):
        fem.LayeredShell((0.1, 0.2), axis=(0, 0, 0), offset=np.inf)
    with pytest.raises(fem.InputError, match="thickness = 0 m"):
        fem.Layer(CARBON, 0.0)
    with pytest.raises(fem.InputError, match="normal to axis 1"):
        stack(0, axis=(0, 0, 1)).check("quad4", shape("quad4", "square", np.eye(3)))
    with pytest.raises(fem.InputError, match=r"finite directions \(1, 3\)"):
        stack(0, axis=lambda x: x[:, :2]).check("quad4", shape("quad4", "square", np.eye(3)))


@pytest.mark.parametrize(
    ("radians", "degrees"), [(np.pi / 4, 45), (-np.pi / 2, -90), (0.7854, 45), (1.047198, 60)]
)
def test_angles_in_radians_are_refused(radians, degrees):
    with pytest.raises(fem.InputError, match=f"is {degrees} degrees in radians; give degrees={degrees}$"):
        fem.Layer(CARBON, 1e-3, degrees=radians)


@pytest.mark.parametrize("degrees", [0, 0.25, 0.5, 0.785, 1, 1.57, 2, 3, 3.14, 5, 6, 15, 45, -60, 90.0])
def test_small_angles_in_degrees_are_taken(degrees):
    """Whole degrees, and radians with three digits, which could be angles of a part that is slightly askew."""
    assert fem.Layer(CARBON, 1e-3, degrees=degrees).degrees == degrees


def test_an_axis_of_any_length():
    """A direction; its square must not become infinite or zero."""
    assert stack(0, axis=(1e200, 0, 0)).axis == stack(0, axis=(1e-200, 0, 0)).axis == (1.0, 0.0, 0.0)


class TestAnisotropic:
    """The material with 21 constants."""

    def test_the_same_as_orthotropic_in_its_axes(self):
        ply = fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=PLY.rho)
        turned = fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=PLY.rho, axes=TURN.T)
        other = fem.Anisotropic(ply.stiffness, PLY.rho, axes=TURN.T)
        np.testing.assert_allclose(other.stiffness, turned.stiffness, rtol=1e-12, atol=1e-6)
        np.testing.assert_allclose(other.E, PLY.E)
        X = np.array([fem.ELEMENTS["hex20"].nodes])
        np.testing.assert_allclose(
            fem.Solid(other).stiffness("hex20", X), fem.Solid(turned).stiffness("hex20", X), atol=1e-6
        )

    def test_a_triclinic_bar(self):
        """Pulled along x it is strained by the first column of the compliance, shears included."""
        rng = np.random.default_rng(5)
        root = rng.normal(size=(6, 6))
        C = 1e9 * (root @ root.T + 6 * np.eye(6))
        bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (2, 1, 1)), fem.Anisotropic(C, 1000.0))
        strain = np.linalg.inv(C)[:, 0] * 1e6
        gradient = np.array([[strain[0], strain[5], strain[4]], [0, strain[1], strain[3]], [0, 0, strain[2]]])
        u = (bar.mesh.points @ gradient.T).ravel()
        np.testing.assert_allclose(
            fem.stress(bar, u).solid, np.tile([1e6, 0, 0, 0, 0, 0], (bar.mesh.n_nodes, 1)), atol=1e-3
        )

    def test_what_is_not_valid(self):
        C = MATERIAL.stiffness.copy()
        C[0, 1] *= 2
        with pytest.raises(fem.InputError, match=r"constants\[0\]\[1\].*must be equal.*density"):
            fem.Anisotropic(C, -1.0)
        with pytest.raises(fem.InputError, match="eigenvalue"):
            fem.Anisotropic(np.diag([1.0, 1, 1, 1, 1, -1]), 1.0)
