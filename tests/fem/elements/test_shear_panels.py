"""Shear panels: Garvey's formulas, an independent program, rigid motions, stress."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.every import STEEL

import fem
from fem.analysis.geometric_stiffness import internal_forces

E, NU, T = 210e9, 0.3, 0.002
G = E / (2 * (1 + NU))
PANEL = fem.ShearPanel(STEEL, T)
TURN = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
SKEW = [(0, 0), (2, 0), (1.8, 1.5), (0.3, 1)]


def stiffness(corners, turn=None):
    X = np.column_stack([np.array(corners, float), np.zeros(4)])
    X = X if turn is None else X @ turn.T
    return X, PANEL.stiffness("quad4", X[None])[0]


@pytest.mark.parametrize("lean", [0.0, 0.5, -0.3])
def test_parallelograms(lean):
    """A shear strain g of the sides against each other: tau = G g / (1 + 2 tan^2 / (1 + nu)) on them, Garvey 1951.

    With the displacement g y along x the work is tau g h A / 2, tau = G g for a rectangle.
    """
    X, K = stiffness([(0, 0), (2, 0), (2 + lean, 1), (lean, 1)], TURN)
    u = np.outer((X @ TURN)[:, 1], TURN[:, 0]).ravel()
    assert u @ K @ u == pytest.approx(G * T * 2.0 / (1 + 2 * lean**2 / (1 + NU)), rel=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0.4, 1.7), (0.0, 1.5), (-0.2, 1.9)])
def test_trapezoids(a, b):
    """Garvey: compliance A / (G h) (1 + 2 (s^2 + s c + c^2) / (3 (1 + nu))) p1 p2 / (p3 p4), s and c slopes of legs.

    For forces on the corners that are those of a unit mean shear flow on the side 1-2; p to where the legs meet.
    """
    X, K = stiffness([(0, 0), (2, 0), (b, 1), (a, 1)])
    top = b - a
    height = 2 / (2 - top)  # where the legs meet, above the side 1-2
    s, c = 2 - b, -a
    area = (2 + top) / 2
    Z = area / (G * T) * (1 + 2 / (3 * (1 + NU)) * (s**2 + s * c + c**2)) * (height / (height - 1)) ** 2
    d13, d24 = X[2] - X[0], X[3] - X[1]
    forces = np.zeros((4, 3))  # along the diagonals; their part along 1-2 is half of 2 m of a unit flow
    forces[0] = d13 / (X[2, 0] - X[3, 0] * X[2, 1] / X[3, 1])
    forces[1] = d24 / (X[3, 0] - X[1, 0] - (X[2, 0] - X[1, 0]) * X[3, 1] / X[2, 1])
    forces[2:] = -forces[:2]
    c = forces.ravel()
    np.testing.assert_allclose(K, np.outer(c, c) / Z, atol=1e-11 * K.max())


def nastran_95(corners):
    """K11 in N/m of NASTRAN-95 (kpanel.f) for a plane panel without parallel sides, the side 1-2 along x."""
    (_, (x2, _), (x3, y3), (x4, y4)) = corners
    area = 0.5 * (x3 * y4 - y3 * (x4 - x2))
    q = x4 - y4 * (x3 - x4) / (y3 - y4)  # where 3-4 meets 1-2; 1-4 meets 2-3 in (px, py)
    px, py = np.array([x4, y4]) * x2 * y3 / (y3 * x4 - y4 * (x3 - x2))
    length, d = np.hypot(q - px, py), (q - px) / py
    p = py / length * np.array([q - x - d * y for x, y in corners])
    a, c = length / p[1] - d, length / p[0] - d
    b = length / p[3] - c

    def term(s, t):
        return (s + t + 2 / 3 * (s**3 + t**3) + (s**5 + t**5) / 5) * np.log(abs(s + t))

    total = term(a, b) + term(c, d) - term(b, c) - term(d, a)
    total += 0.1 * ((a**2 - c**2) * (b**3 - d**3) + (b**2 - d**2) * (a**3 - c**3))
    total -= 0.2 * ((a - c) * (b**4 - d**4) + (b - d) * (a**4 - c**4))
    F = 0.5 * p.prod() / length**2 * total
    Z = p[0] * p[1] / (2 * p[2] * p[3] * G * T) * (area + 4 / (1 + NU) * (F - 2 / 3 * area))
    force = 0.5 * x2 * y4 * x3 / (x4 * y3 - x3 * y4)  # along x on the corner 1
    return force**2 / (2 * Z)


def test_any_quadrilateral():
    """Gauss's rule is exact to round-off where the points at which sides meet are far."""
    assert stiffness(SKEW)[1][0, 0] == pytest.approx(nastran_95(SKEW), rel=1e-12)
    steep = [(0, 0), (2, 0), (1.1, 1.5), (0.5, 0.8)]
    assert stiffness(steep)[1][0, 0] == pytest.approx(
        nastran_95(steep), rel=1e-5
    )  # quadrature: nearly a triangle


def test_rank_one_and_rigid_motions_of_a_warped_panel():
    X = np.column_stack([np.array(SKEW, float), [0.1, -0.1, 0.2, 0.0]])
    K = PANEL.stiffness("quad4", X[None])[0]
    values = np.linalg.eigvalsh(K) / np.abs(K).max()
    assert np.abs(values[:11]).max() < 1e-14
    assert values[11] > 0.1
    R = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), x)]) for x in X])
    assert np.abs(K @ R).max() < 1e-14 * np.abs(K).max()


def test_stress_on_the_sides_is_shear():
    """On both sides at each corner, and of the amount G g for a rectangle."""
    X, K = stiffness(SKEW, TURN)
    u = np.random.default_rng(0).normal(size=12) * 1e-4
    six = PANEL.stress("quad4", X[None], u[None])[0]
    np.testing.assert_array_equal(six[:, 0], six[:, 1])
    for k, (xx, yy, zz, yz, xz, xy) in enumerate(six[:, 0]):
        s = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        for j in (k - 1, (k + 1) % 4):
            along = X[j] - X[k]
            normal = np.cross(along, TURN[:, 2])
            assert abs(normal @ s @ normal) < 1e-12 * np.abs(s).max() * (normal @ normal)
        assert np.abs(s @ TURN[:, 2]).max() < 1e-12 * np.abs(s).max()
    square, _ = stiffness([(0, 0), (1, 0), (1, 2), (0, 2)])
    u = np.zeros((4, 3))
    u[2:, 0] = 2e-4  # g = 1e-4
    assert PANEL.stress("quad4", square[None], u.reshape(1, 12))[0, :, :, 5] == pytest.approx(G * 1e-4)
    assert PANEL.strain("quad4", square[None], u.reshape(1, 12))[0, :, :, 5] == pytest.approx(1e-4)
    assert K.shape == (12, 12)


def frame():
    """A panel between trusses along its sides and one diagonal, in a general place, held by a fifth node."""
    X = np.vstack([np.column_stack([np.array(SKEW, float), np.zeros(4)]), [1.0, 0.7, 1.0]]) @ TURN.T
    lines = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]]
    mesh = fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]), fem.Block("line2", lines)))
    return fem.assemble(mesh, {"quad4": PANEL, "line2": fem.Truss(STEEL, 1e-4)})


def test_a_structure_of_panel_and_bars():
    structure = frame()
    values = np.linalg.eigvalsh(structure.K.toarray()) / abs(structure.K).max()
    assert np.abs(values[:6]).max() < 1e-14
    assert values[6] > 1e-4
    theta, u = np.array([0.3, -0.2, 0.4]), np.random.default_rng(3).normal(size=structure.n) * 1e-3
    K_G = fem.geometric_stiffness(structure, u).toarray()
    R, force = structure.rigid_modes((0, 0, 0)), internal_forces(structure, u)
    np.testing.assert_allclose(K_G, K_G.T, atol=1e-12 * np.abs(K_G).max())
    turned = np.cross(theta, force.reshape(-1, 3)).ravel()
    np.testing.assert_allclose(K_G @ (R[:, 3:] @ theta), turned, atol=1e-9 * np.abs(force).max())


@pytest.mark.parametrize("lumped", [False, True])
def test_mass(lumped):
    structure = fem.assemble(frame().mesh, {"quad4": PANEL, "line2": fem.Truss(STEEL, 1e-9)}, lumped=lumped)
    x, y = np.array(SKEW).T
    area = 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))
    assert structure.mass == pytest.approx(7850.0 * T * area, rel=1e-4)  # bars of 1 mm^2/1000 beside it


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thickness": 0.0}, "thickness"),
        ({"material": fem.Orthotropic((1e9,) * 3, (0.1,) * 3, (1e9,) * 3, rho=1.0)}, ""),
    ],
)
def test_wrong_panels(options, message):
    with pytest.raises(fem.InputError, match=message):
        fem.ShearPanel(**{"material": STEEL, "thickness": T} | options)
