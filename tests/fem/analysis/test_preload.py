"""Vibration of preloaded structures against closed forms."""

import numpy as np
import pytest
import scipy.sparse

import fem
import modal

STEEL = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)


def chain(n, its, length=1.0):
    x = np.linspace(0, length, n + 1)
    nodes = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    sets = {"x0": [0], "x1": [n], "all": np.arange(n + 1)}
    return fem.assemble(fem.Mesh(np.column_stack([x, 0 * x, 0 * x]), (fem.Block("line2", nodes),), sets), its)


@pytest.mark.parametrize("rotating", [False, True])  # the same: the ends, on which the force acts, are held
def test_a_string(rotating):
    """A chain of n pin-jointed bars that is pulled by T: f_k = 2 n sqrt(T / mu) sin(k pi / 2 n) / 2 pi L (Lagrange).

    With lumped masses.
    """
    n, T, area = 20, 1e3, 1e-6
    x = np.linspace(0, 1, n + 1)
    nodes = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    mesh = fem.Mesh(
        np.column_stack([x, 0 * x, 0 * x]),
        (fem.Block("line2", nodes),),
        {"x0": [0], "x1": [n], "all": np.arange(n + 1)},
    )
    string = fem.assemble(mesh, fem.Truss(STEEL, area), lumped=True)
    pulled = fem.static(string, {"x0": "x", "all": ("y", "z")}, fem.Force("x1", (T, 0, 0)))
    tight = fem.preloaded(string, pulled, rotating=rotating)
    k = np.repeat([1, 2], 2)
    exact = n / np.pi * np.sqrt(T / (STEEL.rho * area)) * np.sin(k * np.pi / (2 * n))
    found = fem.vibration(tight, {"x0": "all", "x1": "all"}, n=4).frequencies_hz
    np.testing.assert_allclose(found, exact, rtol=1e-9)


@pytest.mark.parametrize("share", [-0.9, -0.5, 1.0, 5.0])
def test_a_simply_supported_beam(share):
    """omega = omega_0 sqrt(1 + T / P), P = pi^2 E I / L^2 Euler's load, without shear and rotary inertia."""
    section = fem.Rectangle(0.02, 0.01)
    beam = chain(16, fem.Beam(STEEL, section, up=(0, 0, 1), shear=False))
    P = np.pi**2 * STEEL.E * section.Iy
    supports = {"x0": ("x", "y", "z", "rx"), "x1": ("y", "z", "rx"), "all": ("y", "rz")}
    force = fem.static(beam, supports, fem.Force("x1", (share * P, 0, 0)))
    found = fem.vibration(fem.preloaded(beam, force), supports, n=1).frequencies_hz[0]
    plain = np.pi / 2 * np.sqrt(STEEL.E * section.Iy / (STEEL.rho * section.A))
    rotary = (
        np.pi**2 * section.Iy / section.A / 2
    )  # (pi r / L)^2 / 2, by which rotary inertia lowers the frequency
    assert found == pytest.approx(plain * np.sqrt(1 + share) * (1 - rotary), rel=0.3 * rotary)


def test_beyond_buckling():
    section = fem.Rectangle(0.02, 0.01)
    beam = chain(8, fem.Beam(STEEL, section, up=(0, 0, 1), shear=False))
    supports = {"x0": ("x", "y", "z", "rx"), "x1": ("y", "z", "rx"), "all": ("y", "rz")}
    force = fem.static(beam, supports, fem.Force("x1", (-1.5 * np.pi**2 * STEEL.E * section.Iy, 0, 0)))
    with pytest.raises(fem.FlexbodyError, match=r"the preload buckles the structure.*fem\.buckling"):
        fem.vibration(fem.preloaded(beam, force), supports, n=2)


@pytest.mark.parametrize("kind", ["quad4", "quad8"])
def test_a_stretched_sheet(kind):
    """A simply supported square plate under N all round: omega^2 = (D k^4 + N k^2) / rho h, k^2 = 2 pi^2 / L^2.

    Linear functions raise the frequency of a membrane by (pi / 12)^2 / 24; shear and rotary inertia lower that of
    a plate by less than h^2 k^2 / 5.
    """
    from support.shell_meshes import grid

    h, strain = 0.002, 1e-4
    points, cells = grid(kind, 12, 12)
    x, y, _ = points.T
    rim = np.flatnonzero((x == 0) | (x == 1) | (y == 0) | (y == 1))
    sheet = fem.assemble(fem.Mesh(points, (fem.Block(kind, cells),), {"rim": rim}), fem.Shell(STEEL, h))
    u = np.zeros((len(points), 6))
    u[:, :2] = strain * points[:, :2]
    tight = fem.preloaded(sheet, fem.geometric_stiffness(sheet, u.ravel()))
    N, D, k2 = STEEL.E * h * strain, STEEL.E * h**3 / 12, 2 * np.pi**2
    exact = np.sqrt((D * k2**2 + N * k2) / (STEEL.rho * h)) / (2 * np.pi)
    found = fem.vibration(tight, {"rim": ("x", "y", "z")}, n=1).frequencies_hz[0]
    assert found == pytest.approx(
        exact, rel=1.2 * (np.pi / 12) ** 2 / 24 if kind == "quad4" else h**2 * k2 / 5
    )
    assert exact > 2 * np.sqrt(D * k2**2 / (STEEL.rho * h)) / (2 * np.pi)


def uniform(points):
    return np.tile([2e8, 0, 0, 0, 0, 0], (len(points), 1))


def test_a_stress_as_a_function_or_at_the_nodes_is_that_of_the_load():
    bar = fem.assemble(fem.box((1.0, 0.02, 0.01), (8, 1, 1)), STEEL)
    supports = {"x0": "x", "y0": "y", "z0": "z"}
    pulled = fem.static(bar, supports, fem.Traction("x1", (2e8, 0, 0)))
    expected = fem.preloaded(bar, pulled).K
    for given in (uniform, uniform(bar.mesh.points), pulled.stress.solid, expected - bar.K):
        K = fem.preloaded(bar, given).K
        assert abs(K - expected).max() < 1e-9 * abs(expected - bar.K).max()


def along_x(stress):
    """A function of points that gives the stress xx in Pa."""
    return lambda points: np.tile([stress, 0, 0, 0, 0, 0], (len(points), 1))


def test_an_initial_stress_of_a_string_and_of_a_beam():
    """As the string and the simply supported beam above, with T / A in place of T: the closed forms."""
    n, stress, area = 20, 1e9, 1e-6
    string = fem.assemble(chain(n, fem.Truss(STEEL, area)).mesh, fem.Truss(STEEL, area), lumped=True)
    k = np.repeat([1, 2], 2)
    exact = n / np.pi * np.sqrt(stress / STEEL.rho) * np.sin(k * np.pi / (2 * n))
    tight = fem.preloaded(string, along_x(stress))
    found = fem.vibration(tight, {"x0": "all", "x1": "all"}, n=4).frequencies_hz
    np.testing.assert_allclose(found, exact, rtol=1e-9)
    section = fem.Rectangle(0.02, 0.01)
    beam = chain(16, fem.Beam(STEEL, section, up=(0, 0, 1), shear=False))
    supports = {"x0": ("x", "y", "z", "rx"), "x1": ("x", "y", "z", "rx"), "all": ("y", "rz")}
    euler = np.pi**2 * STEEL.E * section.Iy / section.A
    plain, pressed = (
        fem.vibration(each, supports, n=1).frequencies_hz[0]
        for each in (beam, fem.preloaded(beam, along_x(-0.75 * euler)))
    )
    assert pressed / plain == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("kind", ["tri3", "quad4", "tri6", "quad8", "quad9"])
@pytest.mark.parametrize("layered", [False, True])
def test_an_initial_stress_of_shells_is_that_of_the_displacements(kind, layered):
    """A uniform strain in the plane of a sheet that stands askew: sigma = C eps, as a function and at the nodes."""
    from scipy.spatial.transform import Rotation
    from support.shell_meshes import grid

    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    shell = fem.Shell(steel, 0.002, offset=0.003)
    if layered:
        shell = fem.LayeredShell([fem.Layer(steel, 0.001), fem.Layer(steel, 0.002), fem.Layer(steel, 0.001)])
    turn = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
    points, cells = grid(kind, 3, 2)
    sheet = fem.assemble(fem.Mesh(points @ turn.T, (fem.Block(kind, cells),)), shell)
    eps = np.array([[2e-4, 5e-5], [5e-5, -1e-4]])
    u = np.zeros((len(points), 6))
    u[:, :3] = np.column_stack([points[:, :2] @ eps, np.zeros(len(points))]) @ turn.T
    E, nu = steel.E, steel.nu
    C = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    xx, yy, xy = C @ [eps[0, 0], eps[1, 1], 2 * eps[0, 1]]
    s = turn @ np.array([[xx, xy, 0], [xy, yy, 0], [0, 0, 0]]) @ turn.T
    stress = np.tile([s[0, 0], s[1, 1], s[2, 2], s[1, 2], s[0, 2], s[0, 1]], (len(points), 1))
    expected = fem.geometric_stiffness(sheet, u.ravel())
    for given in (stress, lambda x: np.tile(stress[0], (len(x), 1))):
        K_G = fem.preloaded(sheet, given).K - sheet.K
        assert abs(K_G - expected).max() <= 1e-9 * abs(expected).max()


def test_the_buckling_of_a_plate_under_an_initial_stress():
    """A simply supported square plate under sigma_x buckles at 4 pi^2 D / L^2 h (Timoshenko, Gere); f^2 falls linearly.

    At half of that stress the frequency is 1 / sqrt(2) of that without; the elements' error is the same in both.
    """
    from support.shell_meshes import grid

    steel, h = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), 0.002
    points, cells = grid("quad8", 8, 8)
    x, y, _ = points.T
    rim = np.flatnonzero((x == 0) | (x == 1) | (y == 0) | (y == 1))
    plate = fem.assemble(
        fem.Mesh(points, (fem.Block("quad8", cells),), {"rim": rim, "all": np.arange(len(points))}),
        fem.Shell(steel, h),
    )
    critical = 4 * np.pi**2 * steel.E * h**2 / 12 / (1 - steel.nu**2)
    supports = {"rim": ("x", "y", "z")}
    plain, pressed = (
        fem.vibration(each, supports, n=1).frequencies_hz[0]
        for each in (plate, fem.preloaded(plate, along_x(-critical / 2)))
    )
    assert pressed / plain == pytest.approx(np.sqrt(0.5), rel=1e-3)


def test_an_initial_stress_of_layers_that_couple_is_refused():
    light = fem.Isotropic(E=70e9, nu=0.3, rho=2700.0)
    shell = fem.LayeredShell([fem.Layer(STEEL, 0.001), fem.Layer(light, 0.001)])
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    with pytest.raises(fem.InputError, match="layered shells whose membrane forces bend them"):
        fem.preloaded(fem.assemble(mesh, shell), along_x(1e6))


def own_stress(points):
    """Airy's function (x (1 - x) y (1 - y))^2 on the unit square: in equilibrium, without tractions on the rim."""
    x, y, _ = points.T
    f, g = (x * (1 - x)) ** 2, (y * (1 - y)) ** 2
    f1, g1 = 2 * x - 6 * x**2 + 4 * x**3, 2 * y - 6 * y**2 + 4 * y**3
    f2, g2 = 2 - 12 * x + 12 * x**2, 2 - 12 * y + 12 * y**2
    zero = 0 * x
    return 2e8 * np.stack([f * g2, f2 * g, zero, zero, zero, -f1 * g1], 1)


def test_residual_stress_in_a_free_plate():
    """It does not resist rigid motion; frequencies change by Rayleigh's quotient, to first order in the stress."""
    plate = fem.assemble(fem.box((1.0, 1.0, 0.01), (6, 6, 1)), STEEL)
    plain = fem.vibration(plate, n=1)
    phi, left = plain.shapes[:, 0], []
    for share in (1.0, 0.5):
        stressed = fem.preloaded(plate, lambda points, share=share: share * own_stress(points))
        small = phi @ (stressed.preload @ phi) / (2 * np.pi * plain.frequencies_hz[0]) ** 2
        found = fem.vibration(stressed, n=1).frequencies_hz[0] ** 2 / plain.frequencies_hz[0] ** 2 - 1
        assert abs(found) > 0.05
        left.append(small - found)
    assert 0 < left[0] < 0.01 * small  # Rayleigh's quotient is an upper bound
    assert left[1] == pytest.approx(left[0] / 4, rel=0.02)  # what is left is of order 2; terms of order 3


def test_a_reduced_body_keeps_its_preload():
    """Craig-Bampton of a pulled beam: the frequencies of the preloaded structure between the same supports."""
    beam = chain(16, fem.Beam(STEEL, fem.Rectangle(0.02, 0.01), up=(0, 0, 1)))
    pulled = fem.static(beam, {"x0": "all"}, fem.Force("x1", (2e4, 0, 0)))
    tight = fem.preloaded(beam, pulled, rotating=True)
    R = tight.rigid_modes()
    assert np.abs(R.T @ (tight.preload @ R)).max() < 1e-9 * 2e4
    basis = modal.craig_bampton(tight, ("x0", "x1"), n_normal=6)
    body = modal.reduce(tight, basis, frame=modal.Prescribed({"x0": "all"}))
    # held at one end, the other free and pulled along its chord, the line of the joints
    exact = fem.vibration(tight, {"x0": "all"}, n=2).frequencies_hz
    squares = scipy.linalg.eigh(body.K, body.C8, eigvals_only=True)
    np.testing.assert_allclose(np.sqrt(squares[:2]) / (2 * np.pi), exact, rtol=1e-4)  # six normal modes
    plain = fem.vibration(beam, {"x0": "all"}, n=2).frequencies_hz
    assert (exact > 1.2 * plain).all()


def test_what_is_not_a_preload():
    bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (2, 1, 1)), STEEL)
    pulled = fem.static(bar, "x0", fem.Force("x1", (1e4, 0, 0)))
    tight = fem.preloaded(bar, pulled)
    with pytest.raises(fem.InputError, match="preloaded already"):
        fem.preloaded(tight, tight.preload)
    with pytest.raises(fem.InputError, match="another structure"):
        fem.preloaded(fem.assemble(bar.mesh, STEEL), pulled)
    with pytest.raises(fem.InputError, match=r"must be the result of fem\.static"):
        fem.preloaded(bar, np.zeros(5))
    with pytest.raises(fem.InputError, match="unknowns"):
        fem.preloaded(bar, scipy.sparse.eye_array(3))
    with pytest.raises(fem.InputError, match="not in balance"):
        fem.vibration(tight, n=1)
    with pytest.raises(fem.InputError, match=r"return finite stresses \(54, 6\)"):
        fem.preloaded(bar, lambda x: x)
