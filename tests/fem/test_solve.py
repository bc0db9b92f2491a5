"""Sparse direct solvers."""

import gc
import sys
import threading

import numpy as np
import pytest
from scipy import sparse

import fem
from fem import solve

SOLVERS = [
    pytest.param(
        solve.PardisoFactor,
        marks=pytest.mark.skipif(solve.pardiso_library() is None, reason="pypardiso is for x86-64 only"),
    ),
    solve.SuperLUFactor,
]
each_solver = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(scope="module")
def shifted(steel):
    """K + s M of a free body: positive definite, though K alone is not."""
    structure = fem.assemble(fem.box((1, 0.2, 0.3), (6, 2, 2), "tet10"), steel)
    return (structure.K + 1e6 * structure.M).tocsr()


@each_solver
def test_solves_one_and_many_right_hand_sides(solver, shifted):
    rng = np.random.default_rng(0)
    B = rng.normal(size=(shifted.shape[0], 7))
    factor = solver(shifted)
    X = factor.solve(B)
    assert X.shape == B.shape
    scale = abs(shifted).max() * np.abs(X).max()
    assert np.abs(shifted @ X - B).max() < 1e-13 * scale  # backward stable: rounding of A X
    x = factor.solve(B[:, 2])
    assert x.shape == (factor.n,)
    assert np.allclose(x, X[:, 2], rtol=1e-9, atol=1e-12 * np.abs(X).max())
    assert factor.solve(B[:, :0]).shape == (factor.n, 0)


@pytest.mark.skipif(solve.pardiso_library() is None, reason="pypardiso is for x86-64 only")
def test_both_solvers_agree(shifted):
    b = np.random.default_rng(1).normal(size=shifted.shape[0])
    one, two = (solver(shifted).solve(b) for solver in (solve.PardisoFactor, solve.SuperLUFactor))
    # relative to the condition number, which the shift keeps near 1e7
    assert np.abs(one - two).max() < 1e-7 * np.abs(one).max()


@each_solver
def test_a_saddle_point_with_a_zero_diagonal(solver):
    """Constrained minimum: K u = f with sum u = 1; symmetric, indefinite, zero on the diagonal."""
    n = 40
    K = sparse.diags_array([2.0 * np.ones(n), -np.ones(n - 1), -np.ones(n - 1)], offsets=[0, -1, 1])
    row = sparse.csr_array(np.ones((1, n)))
    A = sparse.block_array([[K, row.T], [row, None]], format="csr")
    b = np.zeros(n + 1)
    b[-1] = 1.0
    x = solver(A, definite=False).solve(b)
    assert x == pytest.approx(np.linalg.solve(A.toarray(), b), rel=1e-11)


@each_solver
def test_a_promise_of_definiteness_is_checked(solver):
    A = sparse.diags_array(np.array([1.0, 2.0, -3.0, 4.0])).tocsr()
    with pytest.raises(fem.InputError, match="not positive definite"):
        solver(A, definite=True)
    assert solver(A, definite=False).solve(np.ones(4)) == pytest.approx([1, 1 / 2, -1 / 3, 1 / 4])


@each_solver
@pytest.mark.parametrize("definite", [True, False])
def test_a_singular_matrix_is_refused(solver, definite):
    A = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    with pytest.raises(fem.InputError, match="singular"):
        solver(A, definite=definite)


@each_solver
def test_wrong_shapes_and_values(solver, shifted):
    with pytest.raises(fem.InputError, match="square"):
        solver(shifted[:5])
    with pytest.raises(fem.InputError, match="not finite"):
        solver(sparse.csr_array(np.diag([1.0, np.nan])))
    with pytest.raises(fem.InputError, match="must have that many rows"):
        solver(shifted).solve(np.ones(3))


@each_solver
def test_the_matrix_may_come_in_any_format_and_unsorted(solver):
    dense = np.array([[4.0, 1.0, 0.0, 1.0], [1.0, 5.0, 2.0, 0.0], [0.0, 2.0, 6.0, 0.0], [1.0, 0.0, 0.0, 3.0]])
    expected = np.linalg.solve(dense, np.arange(4.0))
    unsorted = sparse.csr_matrix(dense)
    for start, end in zip(unsorted.indptr[:-1], unsorted.indptr[1:], strict=True):
        unsorted.indices[start:end] = unsorted.indices[start:end][::-1].copy()
        unsorted.data[start:end] = unsorted.data[start:end][::-1].copy()
    unsorted.has_sorted_indices = False
    for A in (sparse.csr_array(dense), sparse.csc_matrix(dense), sparse.coo_array(dense), unsorted):
        assert solver(A).solve(np.arange(4.0)) == pytest.approx(expected, rel=1e-13)


@each_solver
def test_factors_live_side_by_side_and_in_threads(solver, shifted):
    factors = [solver(shifted * k) for k in (1.0, 2.0, 4.0)]
    b = np.random.default_rng(2).normal(size=(shifted.shape[0], 3))
    expected = factors[0].solve(b)
    results = {}

    def work(k):
        for _ in range(5):
            results[k] = factors[k].solve(b)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k in range(3):
        assert np.allclose(results[k] * 2.0**k, expected, rtol=1e-9, atol=1e-12 * np.abs(expected).max())


@pytest.mark.skipif(
    solve.pardiso_library() is None or not sys.platform.startswith("linux"),
    reason="reads /proc; PARDISO only",
)
def test_memory_is_released_with_the_factor(shifted):
    """Forty factors one after the other, of some 3 MB each, must not pile up."""

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 2**20

    solve.PardisoFactor(shifted)
    gc.collect()
    before = resident()
    for _ in range(40):
        solve.PardisoFactor(shifted)
    gc.collect()
    assert resident() - before < 40


def test_without_pardiso_superlu_takes_over_and_large_systems_are_announced(monkeypatch):
    monkeypatch.setattr(solve, "pardiso_library", lambda: None)
    assert fem.factorise(sparse.eye_array(10).tocsr()).name == "SuperLU"
    with pytest.warns(fem.FlexbodyWarning, match="60000 unknowns with SuperLU.*pip install pypardiso"):
        factor = fem.factorise(sparse.eye_array(60_000).tocsr())
    assert np.array_equal(factor.solve(np.ones(60_000)), np.ones(60_000))
