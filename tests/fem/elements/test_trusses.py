"""Bars: Koppens' matrices (1989, 3.3) entry by entry, and the same elements in meshes."""

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from support.dense import Dense, chain, mass_matrix

import fem
from fem.elements.truss.koppens import linear_truss, middle_node, quadratic_truss

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7800.0)
AREA = 2e-4
X0, X1 = np.array([0.3, -0.2, 0.5]), np.array([1.1, 0.4, -0.1])
LENGTH = np.linalg.norm(X1 - X0)
E = (X1 - X0) / LENGTH
MASS, EA = STEEL.rho * AREA * LENGTH, STEEL.E * AREA
ROUND = 1e-14  # sums of about ten products


def by_definition(x, Phi, dm):
    """C1..C8 by their definitions (2.34)-(2.41): points x (q,3), shapes Phi (q,n,3), masses dm (q,)."""
    I = np.eye(3)
    C4 = np.einsum("q,qna,qa,bc->nbc", dm, Phi, x, I) - np.einsum("q,qnb,qc->nbc", dm, Phi, x)
    C5 = np.einsum("q,qna,qma,bc->nmbc", dm, Phi, Phi, I) - np.einsum("q,qnb,qmc->nmbc", dm, Phi, Phi)
    return {
        "C1": dm @ x,
        "C2": np.einsum("q,qna->na", dm, Phi),
        "C3": np.einsum("q,qa,qa,bc->bc", dm, x, x, I) - np.einsum("q,qb,qc->bc", dm, x, x),
        "C4": C4,
        "C5": C5,
        "C6": np.einsum("q,qna->na", dm, np.cross(x[:, None], Phi)),
        "C7": np.einsum("q,qnma->nma", dm, np.cross(Phi[:, :, None], Phi[:, None])),
        "C8": np.einsum("q,qna,qma->nm", dm, Phi, Phi),
    }


def gauss(n=6):
    xi, w = np.polynomial.legendre.leggauss(n)
    return (1 + xi) / 2, w / 2


def shapes(quadratic):
    """Points, shape functions as vectors (3.19), (3.34) and masses at Gauss points."""
    xi, w = gauss()
    rows = [np.einsum("q,ij->qij", 1 - xi, np.eye(3)), np.einsum("q,ij->qij", xi, np.eye(3))]
    if quadratic:
        rows.insert(1, (4 * xi * (1 - xi))[:, None, None] * E)
    return X0 + xi[:, None] * (X1 - X0), np.concatenate(rows, axis=1), MASS * w


@pytest.mark.parametrize(("function", "quadratic"), [(linear_truss, False), (quadratic_truss, True)])
def test_coefficients_are_their_definitions(function, quadratic):
    printed = function(X0, X1, MASS, EA)
    for name, value in by_definition(*shapes(quadratic)).items():
        np.testing.assert_allclose(getattr(printed, name), value, atol=ROUND * MASS, err_msg=name)


def test_linear_matrices_as_printed():
    element = linear_truss(X0, X1, 6.0, 3.0)
    two, one = 2 * np.eye(3), np.eye(3)
    np.testing.assert_allclose(element.C8, np.block([[two, one], [one, two]]))  # (3.28) with m = 6
    tilde = np.zeros((3, 3, 3))  # (A.10): rows of vectors
    for (i, j), vector in {(0, 1): [0, 0, -1], (0, 2): [0, 1, 0], (1, 2): [-1, 0, 0]}.items():
        tilde[i, j], tilde[j, i] = vector, np.negative(vector)
    np.testing.assert_allclose(element.C7[:3, :3], -2 * tilde)  # (3.27)
    np.testing.assert_allclose(element.C7[:3, 3:], -tilde)
    Lambda = np.outer(E, E)
    np.testing.assert_allclose(
        element.K * LENGTH / 3, np.block([[Lambda, -Lambda], [-Lambda, Lambda]])
    )  # (3.31)
    np.testing.assert_allclose(element.C2, 3 * np.vstack([one, one]))  # (3.22)


def test_quadratic_matrices_as_printed():
    element = quadratic_truss(X0, X1, 30.0, 3.0)
    e, I = E[:, None], np.eye(3)
    C8 = np.block([[10 * I, 10 * e, 5 * I], [10 * e.T, 16.0, 10 * e.T], [5 * I, 10 * e, 10 * I]])
    np.testing.assert_allclose(element.C8, C8, atol=1e-14)  # (3.42) with m = 30
    np.testing.assert_allclose(element.C2, 5 * np.vstack([3 * I, 4 * e.T, 3 * I]), atol=1e-14)  # (3.36)
    Lambda, zero = e @ e.T, np.zeros((3, 1))
    K = np.block([[3 * Lambda, zero, -3 * Lambda], [zero.T, 16.0, zero.T], [-3 * Lambda, zero, 3 * Lambda]])
    np.testing.assert_allclose(element.K, K / LENGTH, atol=1e-14)  # (3.44)
    assert np.all(element.C7[3, 3] == 0)  # (3.41)
    # entry (gamma, gamma) of (3.39): 16 (1 - e Lambda e), a dyad
    np.testing.assert_allclose(element.C5[3, 3], 16 * (I - Lambda), atol=1e-14)


def test_middle_node_instead_of_gamma():
    T = middle_node(X0, X1)
    np.testing.assert_array_equal(T[3], [0, 0, 0, 1, 0, 0, 0])
    np.testing.assert_allclose(T[:3, 3], -E / 2)  # (3.47)
    mended = quadratic_truss(X0, X1, MASS, EA).transformed(T)
    x, Phi, dm = shapes(True)
    for name, value in by_definition(x, np.einsum("ab,qbi->qai", T, Phi), dm).items():
        np.testing.assert_allclose(getattr(mended, name), value, atol=ROUND * MASS, err_msg=name)
    # the mesh element is this one: node 3 moves by (displacement along the bar) E
    own = fem.Truss(STEEL, AREA)
    X = np.array([[X0, X1, (X0 + X1) / 2]])
    order = np.zeros((7, 9))
    order[:3, :3] = order[4:, 3:6] = np.eye(3)
    order[3, 6:] = E
    K, M = own.stiffness("line3", X)[0], mass_matrix(own.samples("line3", X))[0]
    # along the bar both agree; sideways the middle has no mass in either
    np.testing.assert_allclose(order.T @ mended.C8 @ order, M, atol=ROUND * MASS)
    straight = np.eye(9)  # sideways the middle follows the ends
    straight[6:, 6:] = np.outer(E, E)
    straight[6:, :3] = straight[6:, 3:6] = (np.eye(3) - np.outer(E, E)) / 2
    np.testing.assert_allclose(
        straight.T @ order.T @ mended.K @ order @ straight, straight.T @ K @ straight, atol=1e-12 * EA
    )


def bars(kind):
    """Three bars in arbitrary directions."""
    random = np.random.default_rng(3)
    ends = random.uniform(-1, 1, (3, 2, 3))
    return ends if kind == "line2" else np.concatenate([ends, ends.mean(axis=1, keepdims=True)], axis=1)


@pytest.mark.parametrize("kind", fem.Truss.kinds)
def test_rigid_motions_cost_nothing(kind):
    X, truss = bars(kind), fem.Truss(STEEL, AREA)
    nn = X.shape[1]
    motions = np.concatenate(
        [
            np.tile(np.eye(3), (3, nn, 1)),
            np.stack([np.cross(a, X).reshape(3, -1) for a in np.eye(3)], axis=2),
        ],
        axis=2,
    )
    K = truss.stiffness(kind, X)
    assert np.abs(K @ motions).max() < 1e-14 * np.abs(K).max() * nn
    positive = np.linalg.eigvalsh(K) > 1e-10 * np.abs(K).max()
    assert np.all(
        positive.sum(axis=1) == {"line2": 1, "line3": 4}[kind]
    )  # stretch; its slope, two of the middle


@pytest.mark.parametrize("kind", fem.Truss.kinds)
@pytest.mark.parametrize("lumped", [False, True])
def test_mass_moves_rigidly_and_is_complete(kind, lumped):
    X, truss = bars(kind), fem.Truss(STEEL, AREA)
    samples = truss.samples(kind, X, lumped)
    length = np.linalg.norm(X[:, 1] - X[:, 0], axis=1)
    np.testing.assert_allclose(samples.weights.sum(axis=1), STEEL.rho * AREA * length)
    for axis in np.eye(3):
        moved = np.einsum("eqka,ea->eqk", samples.shape, np.cross(axis, X).reshape(len(X), -1))
        np.testing.assert_allclose(moved, np.cross(axis, samples.points), atol=1e-14)
    centre = np.einsum("eq,eqk->ek", samples.weights, samples.points) / samples.weights.sum(axis=1)[:, None]
    np.testing.assert_allclose(centre, X[:, :2].mean(axis=1), atol=1e-14)
    if lumped:
        M = mass_matrix(samples)
        assert np.all(M * np.eye(M.shape[1]) == M)


@pytest.mark.parametrize("kind", fem.Truss.kinds)
def test_orientation_does_not_matter(kind):
    X, truss = bars(kind), fem.Truss(STEEL, AREA)
    Q = Rotation.random(random_state=5).as_matrix()
    big = np.kron(np.eye(X.shape[1]), Q)
    u = np.random.default_rng(0).standard_normal((3, 3 * X.shape[1])) * 1e-3
    for before, after in (
        (truss.stiffness(kind, X), truss.stiffness(kind, X @ Q.T)),
        (truss.geometric(kind, X, u), truss.geometric(kind, X @ Q.T, u @ big.T)),
        (mass_matrix(truss.samples(kind, X)), mass_matrix(truss.samples(kind, X @ Q.T))),
    ):
        np.testing.assert_allclose(after, big @ before @ big.T, atol=1e-13 * np.abs(before).max())


def test_bar_under_its_own_weight_is_exact_with_quadratic_elements():
    # u(x) = rho g (L x - x^2 / 2) / E, N(x) = rho g A (L - x): one element
    truss, L, g = fem.Truss(STEEL, AREA), 2.0, 9.81
    model = Dense([[0, 0, 0], [L, 0, 0], [L / 2, 0, 0]], [("line3", [[0, 1, 2]], truss)])
    samples = truss.samples("line3", model.X[None])
    f = np.einsum("eq,eqka,k->ea", samples.weights, samples.shape, [g, 0, 0])[0]
    u = model.solve(np.concatenate([model.dofs(0), model.dofs([1], [1, 2])]), f)
    factor = STEEL.rho * g / STEEL.E
    np.testing.assert_allclose(
        u.reshape(3, 3)[:, 0], factor * np.array([0, L**2 / 2, 3 * L**2 / 8]), rtol=1e-12
    )
    np.testing.assert_allclose(
        truss.force("line3", model.X[None], u[None])[0],
        STEEL.rho * g * AREA * np.array([L, 0, L / 2]),
        rtol=1e-12,
        atol=1e-12 * STEEL.rho * g * AREA * L,
    )
    assert np.all(u.reshape(3, 3)[2, 1:] == 0)  # sideways held, not loose


@pytest.mark.parametrize(("kind", "rate"), [("line2", 2), ("line3", 4)])
def test_axial_frequencies_converge(kind, rate):
    # fixed-free bar: pi/2 sqrt(E / rho) / L; consistent mass: errors of order h^2, h^4
    L, exact, errors = 1.0, np.pi / 2 * np.sqrt(STEEL.E / STEEL.rho), []
    counts = (2, 4, 8)
    for n in counts:
        if kind == "line2":
            model = chain(fem.Truss(STEEL, AREA), n, L)
        else:
            X = np.zeros((2 * n + 1, 3))
            X[:, 0] = np.linspace(0, L, 2 * n + 1)
            first = 2 * np.arange(n)
            nodes = np.stack([first, first + 2, first + 1], axis=1)
            model = Dense(X, [("line3", nodes, fem.Truss(STEEL, AREA))])
        sideways = model.dofs(range(len(model.X)), [1, 2])
        lowest = model.frequencies(np.union1d(model.dofs(0), sideways))[0]
        errors.append(lowest / exact - 1)
    assert min(errors) > 0  # consistent mass: from above
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert slope == pytest.approx(rate, abs=0.1)


def elongation_energy(X, u):
    """EA (l' - l)^2 / 2l of a linear bar, with any (complex) displacements: independent of the element."""
    chord = X[1] + u[3:6] - X[0] - u[:3]
    return EA / (2 * LENGTH) * (np.sqrt(np.sum(chord * chord)) - LENGTH) ** 2


def test_tangent_of_the_elongated_bar():
    # K + K_G(s u) is the tangent at s u to first order in s: exact energy, complex step on differences
    X, random = np.array([X0, X1]), np.random.default_rng(1)
    truss, h = fem.Truss(STEEL, AREA), 1e-5

    def gradient(at):
        steps = 1e-30j * np.eye(6)
        return np.array([elongation_energy(X, at + step).imag / 1e-30 for step in steps])

    v = random.standard_normal(6)
    v[3:] = v[:3] + np.cross([0.3, -0.2, 0.7], X1 - X0)  # turning without stretch: only K_G answers
    stretch = np.concatenate([-E, E]) * 1e-3
    # along v, at a stretched state: derivative of the gradient by differences of 4th order
    D = sum(c * gradient(stretch + k * h * v) for k, c in ((1, 8), (-1, -8), (2, -1), (-2, 1))) / (12 * h)
    mine = truss.geometric("line2", X[None], stretch[None])[0] @ v
    # exact: N / l' with l' = l (1 + 2e-3 / l): the linear theory has N / l
    np.testing.assert_allclose(D, mine / (1 + 2e-3 / LENGTH), rtol=1e-7, atol=1e-7 * np.abs(D).max())


def test_string_under_tension():
    # a string of n bars under tension N, consistent mass: frequencies k pi sqrt(N / m l), error of order h^2
    N, n = 1e4, 32
    model = chain(fem.Truss(STEEL, AREA), n, 1.0)
    stretch = np.zeros(model.n)
    stretch[0::3] = N / EA * model.X[:, 0]
    free = model.dofs(range(1, n), [2])
    K, M = model.K_G(stretch)[np.ix_(free, free)], model.M()[np.ix_(free, free)]
    found = np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[:3])
    exact = np.pi * np.arange(1, 4) * np.sqrt(N / (STEEL.rho * AREA))
    # linear elements: relative error (k pi h)^2 / 24
    np.testing.assert_allclose(found / exact - 1, (np.arange(1, 4) * np.pi / n) ** 2 / 24, rtol=0.02)


def test_wrong_input_is_listed():
    with pytest.raises(fem.InputError, match=r"isotropic.*area = -1"):
        fem.Truss("steel", -1)
    with pytest.raises(fem.InputError, match=r"'1'.*both ends"):
        fem.Truss(STEEL, AREA).check("line2", np.array([[X0, X1], [X0, X0]]))
    with pytest.raises(fem.InputError, match=r"'0'.*middle"):
        fem.Truss(STEEL, AREA).check("line3", np.array([[X0, X1, X0 + 0.4 * (X1 - X0)]]))
    with pytest.raises(fem.InputError, match="not to 'tet4'"):
        fem.Truss(STEEL, AREA).check("tet4", np.zeros((1, 4, 3)))
    fem.Truss(STEEL, AREA).check("line3", bars("line3"))
