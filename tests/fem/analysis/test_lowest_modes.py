"""The lowest modes of matrices and of structures, against LAPACK and ARPACK, multiple ones and counted."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse
from scipy.sparse.linalg import eigsh

import fem
from fem.analysis import eigen
from fem.analysis.eigen import lowest_modes
from fem.analysis.krylov import Krylov

pytestmark = pytest.mark.slow  # together a second or more

needs_inertia = pytest.mark.skipif(
    not {fem.Pardiso(), fem.Mumps()} & set(fem.installed_solvers()), reason="needs a solver that counts"
)


def _pencil(values, seed=0, singular_mass=0):
    """Dense K and M with given eigenvalues (and so many infinite ones), modes in the columns of X."""
    random = np.random.default_rng(seed)
    n = len(values) + singular_mass
    X = scipy.linalg.qr(random.standard_normal((n, n)))[0] * random.uniform(0.5, 2, n)
    inverse = np.linalg.inv(X)
    ones = np.concatenate([np.ones(len(values)), np.zeros(singular_mass)])
    K = inverse.T @ np.diag(np.concatenate([values, np.ones(singular_mass)])) @ inverse
    M = inverse.T @ np.diag(ones) @ inverse
    return sparse.csr_array(K + K.T) / 2, sparse.csr_array(M + M.T) / 2


def _lowest(K, M, n, **options):
    factor = fem.factorise(K)
    return lowest_modes(K, M, n, inverse=factor.solve, **options)


@pytest.fixture(scope="module")
def clamped(steel):
    """A bar of square section, held at one end: its bending modes come in pairs."""
    structure = fem.assemble(fem.box((5, 1, 1), (10, 2, 2), "hex20"), steel)
    held = (3 * structure.mesh.node_sets["x0"][:, None] + np.arange(3)).ravel()
    free = np.setdiff1d(np.arange(structure.K.shape[0]), held)
    return sparse.csr_array(structure.K[free][:, free]), sparse.csr_array(structure.M[free][:, free])


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("size", [30, 300])
def test_eigenvalues_that_were_put_in_come_out(n, size):
    values = np.sort(np.random.default_rng(3).uniform(1, 1000, size))
    K, M = _pencil(values)
    found, X = _lowest(K, M, n)
    assert found == pytest.approx(values[:n], rel=1e-9)  # the pencil itself is built with that rounding
    assert pytest.approx(np.eye(n), abs=1e-9) == X.T @ M @ X
    assert (X[np.abs(X).argmax(axis=0), np.arange(n)] > 0).all()


@pytest.mark.parametrize("copies", [2, 3, 6])
@pytest.mark.parametrize("place", [0, 2])
def test_multiple_eigenvalues_are_all_found(copies, place):
    """Exact copies, which Lanczos from one vector does not see."""
    values = np.sort(np.random.default_rng(3).uniform(10, 1000, 400))
    values[place + 1 : place + copies] = values[place]
    found, X = _lowest(sparse.diags_array(values).tocsr(), sparse.eye_array(400).tocsr(), 8)
    assert found == pytest.approx(np.sort(values)[:8], rel=1e-12)
    assert pytest.approx(np.eye(8), abs=1e-12) == X.T @ X


def test_all_eigenvalues_alike():
    found, X = _lowest(4.0 * sparse.eye_array(50).tocsr(), sparse.eye_array(50).tocsr(), 5)
    assert found == pytest.approx(np.full(5, 4.0), rel=1e-13)
    assert pytest.approx(np.eye(5), abs=1e-13) == X.T @ X


def test_identical_bodies_side_by_side(clamped):
    """Three times the same body: every eigenvalue six- or threefold."""
    K, M = (sparse.csr_array(sparse.block_diag([A] * 3)) for A in clamped)
    one = _lowest(*clamped, 4)[0]
    assert one[1] == pytest.approx(one[0], rel=1e-9)
    found, X = _lowest(K, M, 9)
    assert found == pytest.approx(np.repeat(one, 3)[:9], rel=1e-9)
    assert pytest.approx(np.eye(9), abs=1e-9) == X.T @ (M @ X)


@pytest.mark.parametrize("n", [4, 20])
def test_modes_of_a_structure_against_arpack(clamped, n):
    K, M = clamped
    factor = fem.factorise(K)
    found, X = _lowest(K, M, n)
    operator = sparse.linalg.LinearOperator(K.shape, matvec=factor.solve, dtype=float)
    expected = np.sort(eigsh(K, n, M, sigma=0, OPinv=operator, tol=1e-12)[0])
    assert found == pytest.approx(expected, rel=1e-9)
    assert pytest.approx(np.eye(n), abs=1e-9) == X.T @ (M @ X)
    again, Y = _lowest(K, M, n)
    assert np.array_equal(found, again) or found == pytest.approx(again, rel=1e-13)
    assert np.abs(X - Y).max() < 1e-6 * np.abs(X).max()  # the same basis in the plane of a double eigenvalue


def test_a_mass_matrix_may_be_singular_and_a_function():
    values = np.sort(np.random.default_rng(5).uniform(1, 100, 60))
    K, M = _pencil(values, singular_mass=40)
    found, X = _lowest(K, lambda X: M @ X, 5)
    assert found == pytest.approx(values[:5], rel=1e-9)
    assert pytest.approx(np.eye(5), abs=1e-9) == X.T @ M @ X


def test_more_modes_than_there_are():
    K, M = _pencil(np.array([1.0, 2.0, 3.0]), singular_mass=20)
    assert _lowest(K, M, 3)[0] == pytest.approx([1, 2, 3], rel=1e-9)
    with pytest.raises(fem.InputError, match="only 3 positive eigenvalues of the swing, not 4"):
        _lowest(K, M, 4, what="the swing")
    assert _lowest(K, M, 0)[1].shape == (23, 0)


# --- buckling ----------------------------------------------------------------------------------------------


def test_load_factors_of_both_signs():
    """K x = lambda (-K_G) x with lambda given: least magnitude, or the least positive ones."""
    factors = np.array([-2.0, 3.0, 5.0, -7.0, 11.0, -13.0, *np.arange(20.0, 120.0)])
    inverse = np.linalg.inv(np.random.default_rng(1).standard_normal((len(factors), len(factors))))
    K = sparse.csr_array(inverse.T @ inverse)
    K_G = sparse.csr_array(-inverse.T @ np.diag(1 / factors) @ inverse)
    found, X = _lowest(K, -K_G, 4, indefinite=True)
    assert found == pytest.approx([-2, 3, 5, -7], rel=1e-7)
    assert pytest.approx(np.eye(4), abs=1e-7) == X.T @ K @ X
    found, X = _lowest(K, -K_G, 3, indefinite=True, positive=True)
    assert found == pytest.approx([3, 5, 11], rel=1e-7)
    assert np.abs(K @ X + (K_G @ X) * found).max() < 1e-6 * np.abs(K @ X).max()


def test_nothing_buckles_in_tension():
    K, K_G = sparse.diags_array(np.arange(1.0, 50.0)).tocsr(), sparse.eye_array(49).tocsr()
    with pytest.raises(fem.InputError, match="only 0 positive eigenvalues"):
        _lowest(K, -K_G, 1, indefinite=True, positive=True)
    assert _lowest(K, -K_G, 1, indefinite=True)[0] == pytest.approx([-1.0])


def test_a_pinned_strut_buckles_at_eulers_load():
    """Bernoulli elements with their consistent K_G (Przemieniecki 1968, table 15.1); lambda_k = (k pi)^2 E I / L^2.

    The error of cubic shapes is (k pi h / L)^4 / 720, 1.35e-5 for k = 2 of twenty elements.
    """
    n = 20
    h = 1 / n
    k = np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    g = np.array([[36, 3, -36, 3], [3, 4, -3, -1], [-36, -3, 36, -3], [3, -1, -3, 4]]) / 30
    units = np.diag([1, h, 1, h])
    dofs = 2 * np.arange(n)[:, None] + np.arange(4)
    places = np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, 4).ravel()

    def assembled(matrix):
        full = sparse.coo_array((np.tile((units @ matrix @ units).ravel(), n), places)).tocsr()
        free = np.setdiff1d(np.arange(2 * n + 2), [0, 2 * n])
        return sparse.csr_array(full[free][:, free])

    K, K_G = assembled(k / h**3), assembled(-g / h)  # a unit of pressure
    found, _ = _lowest(K, -K_G, 2, indefinite=True)
    assert found == pytest.approx([np.pi**2, 4 * np.pi**2 * (1 + 1.35e-5)], rel=1e-6)


# --- counting ----------------------------------------------------------------------------------------------


@needs_inertia
def test_eigenvalues_are_counted(clamped):
    K, M = clamped
    values, _ = _lowest(K, M, 12)
    for shift in (0.0, 0.5 * values[0], 0.5 * (values[1] + values[2]), 1.001 * values[11]):
        assert fem.count_below(K, M, shift) == (values < shift).sum()
    fem.check_complete(K, M, values)
    with pytest.raises(fem.ConvergenceError, match=r"there are 12 eigenvalues below .* of which 11"):
        fem.check_complete(K, M, np.delete(values, 4))


@needs_inertia
def test_rigid_motions_count_too(steel):
    structure = fem.assemble(fem.box((2, 1, 1), (2, 1, 1), "hex20"), steel)
    values = scipy.linalg.eigh(structure.K.toarray(), structure.M.toarray(), eigvals_only=True)
    assert fem.count_below(structure.K, structure.M, 0.5 * values[6]) == 6
    fem.check_complete(structure.K, structure.M, values[6:12], rigid=6)


def test_superlu_says_that_it_cannot_count(clamped, monkeypatch):
    monkeypatch.setattr(
        eigen, "factorise", lambda *a, **k: type("Factor", (), {"negative": None, "name": "SuperLU"})()
    )
    with pytest.raises(
        fem.InputError, match="SuperLU can't count the eigenvalues below 3; install pypardiso"
    ):
        fem.count_below(*clamped, 3.0)


# --- what goes wrong ---------------------------------------------------------------------------------------


def test_an_inverse_that_is_none_is_noticed(clamped):
    K, M = clamped
    with pytest.raises(fem.ConvergenceError, match=r"mode . of the wreck is not accurate.*residual"):
        lowest_modes(K, M, 3, inverse=lambda f: f / K.diagonal(), what="the wreck")


def test_iterations_that_end_too_early(clamped):
    K, M = clamped
    factor = fem.factorise(K)
    space = Krylov(lambda _, MX: factor.solve(MX), lambda X: M @ X, K.shape[0])
    start = factor.solve(np.random.default_rng(0).standard_normal((K.shape[0], 1)))
    with pytest.raises(fem.ConvergenceError, match=r"only \d of 9 eigenmodes of the bar converged"):
        space.eigenpairs(start, 9, what="the bar", restarts=1)


def test_progress_counts_the_modes(clamped, monkeypatch):
    reports = []

    class Bar:
        n = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def update(self, more):
            self.n += more
            reports.append(self.n)

    monkeypatch.setattr(eigen, "progress", lambda *_: Bar())
    _lowest(*clamped, 6)
    assert reports[-1] == 6
    assert reports[0] < 6


@pytest.mark.parametrize("width", [1, 3, 5, 8])
def test_blocks_of_any_width(width):
    """A diagonal matrix; blocks wider than four did not fit behind the last step."""
    values = np.arange(1.0, 31.0)
    space = Krylov(lambda X, _: X / values[:, None], lambda X: X, len(values))
    start = np.random.default_rng(1).standard_normal((len(values), width))
    for n in (1, 4, 7, 12):
        np.testing.assert_allclose(space.eigenpairs(start, n)[0], 1.0 / values[:n], rtol=1e-10)
