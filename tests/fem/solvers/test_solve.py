"""Sparse direct solvers."""

import gc
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import fem
from fem.solvers import base, cholmod, fill, mumps, pardiso, superlu
from fem.solvers import factorise as solve
from fem.solvers.base import SingularError


def _unless(module, what):
    return pytest.mark.skipif(not module.installed(), reason=f"{what} is not installed")


PARDISO = pytest.param(pardiso.PardisoFactor, marks=_unless(pardiso, "pypardiso"), id="PARDISO")
CHOLMOD = pytest.param(cholmod.CholmodFactor, marks=_unless(cholmod, "scikit-sparse"), id="CHOLMOD")
MUMPS = pytest.param(mumps.MumpsFactor, marks=_unless(mumps, "python-mumps"), id="MUMPS")
SUPERLU = pytest.param(superlu.SuperLUFactor, id="SuperLU")
each_solver = pytest.mark.parametrize("solver", [PARDISO, CHOLMOD, MUMPS, SUPERLU])
each_indefinite_solver = pytest.mark.parametrize("solver", [PARDISO, MUMPS, SUPERLU])
needs_pardiso = _unless(pardiso, "pypardiso")


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


@pytest.mark.parametrize("solver", [PARDISO, CHOLMOD, MUMPS])
def test_the_solvers_agree(solver, shifted):
    b = np.random.default_rng(1).normal(size=shifted.shape[0])
    one, two = (kind(shifted).solve(b) for kind in (solver, superlu.SuperLUFactor))
    # relative to the condition number, which the shift keeps near 1e7
    assert np.abs(one - two).max() < 1e-7 * np.abs(one).max()


@each_indefinite_solver
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
    with pytest.raises(SingularError, match="not positive definite"):
        solver(A, definite=True)
    assert fem.factorise(A, definite=False).solve(np.ones(4)) == pytest.approx([1, 1 / 2, -1 / 3, 1 / 4])


@pytest.mark.parametrize("solver", fem.installed_solvers(definite=False))
@pytest.mark.parametrize("definite", [True, False])
def test_a_singular_matrix_is_refused(solver, definite):
    A = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    with pytest.raises(SingularError, match="singular"):
        fem.factorise(A, definite=definite, solver=solver)


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


@pytest.mark.slow
@needs_pardiso
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_memory_is_released_with_the_factor(shifted):
    """Forty factors one after the other, of some 3 MB each, must not pile up."""

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 2**20

    pardiso.PardisoFactor(shifted)
    gc.collect()
    before = resident()
    for _ in range(40):
        pardiso.PardisoFactor(shifted)
    gc.collect()
    assert resident() - before < 40


@needs_pardiso
def test_an_old_factor_may_be_collected_while_another_works(shifted):
    """The collector runs where it likes: also in the thread that holds the lock."""
    done = []

    def work():
        factor = pardiso.PardisoFactor(shifted)
        with pardiso._LOCK:
            del factor
            gc.collect()
        done.append(True)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout=20)
    assert done


# --- which solver ------------------------------------------------------------------------------------------


def test_the_best_installed_solver_is_taken_and_reported(monkeypatch):
    A = sparse.eye_array(10).tocsr()
    assert fem.installed_solvers()[-1] == fem.SuperLU()
    assert fem.factorise(A).name == fem.installed_solvers()[0].name
    assert fem.factorise(A, solver=fem.SuperLU()).name == "SuperLU"
    for module, here in ((pardiso, False), (cholmod, True), (mumps, True)):
        monkeypatch.setattr(module, "installed", lambda here=here: here)
    assert fem.installed_solvers() == (fem.Cholmod(), fem.Mumps(), fem.SuperLU())
    assert fem.installed_solvers(definite=False) == (fem.Mumps(), fem.SuperLU())
    installed = r"pip install pypardiso.*installed are fem.Cholmod\(\) or fem.Mumps\(\) or fem.SuperLU\(\)"
    with pytest.raises(fem.InputError, match=installed):
        fem.factorise(A, solver=fem.Pardiso())
    with pytest.raises(
        fem.InputError, match=r"positive definite matrices only.*fem.Mumps\(\) or fem.SuperLU"
    ):
        fem.factorise(A, definite=False, solver=fem.Cholmod())


@pytest.mark.parametrize("given", ["superlu", "PARDISO", fem.SuperLU])
def test_a_solver_is_an_object_and_no_word(given):
    with pytest.raises(
        fem.InputError, match=r"solver must be a Solver \(fem.Pardiso\(\), .* or fem.SuperLU\(\)\)"
    ):
        fem.factorise(sparse.eye_array(3).tocsr(), solver=given)


def test_without_others_superlu_takes_over_and_large_systems_are_announced(monkeypatch):
    for module in (pardiso, cholmod, mumps):
        monkeypatch.setattr(module, "installed", lambda: False)
    assert fem.factorise(sparse.eye_array(10).tocsr()).name == "SuperLU"
    with pytest.warns(fem.FlexbodyWarning, match="60000 unknowns with SuperLU.*pip install pypardiso"):
        factor = fem.factorise(sparse.eye_array(60_000).tocsr())
    assert np.array_equal(factor.solve(np.ones(60_000)), np.ones(60_000))


# --- singular matrices -------------------------------------------------------------------------------------


def _free_but(structure, *held):
    """Stiffness without the dofs (node, component) that are held, and the numbers of the others."""
    free = np.setdiff1d(np.arange(structure.K.shape[0]), [3 * node + axis for node, axis in held])
    return sparse.csr_array(structure.K[free][:, free]), free


@pytest.mark.parametrize("solver", fem.installed_solvers(definite=False))
@pytest.mark.parametrize("definite", [True, False])
def test_the_unknown_that_nothing_holds_is_named(solver, definite, steel):
    """A chain of springs, all held but for one mass that a missing spring leaves loose."""
    n, loose = 12, 7
    K = np.diag(np.full(n, 2e6)) - np.diag(np.full(n - 1, 1e6), 1) - np.diag(np.full(n - 1, 1e6), -1)
    K[loose] = K[:, loose] = 0
    with pytest.raises(SingularError, match="nothing holds mass 8 in x"):
        fem.factorise(
            sparse.csr_array(K), definite=definite, solver=solver, names=lambda dof: f"mass {dof + 1} in x"
        )


@pytest.mark.parametrize("solver", fem.installed_solvers(definite=False))
@pytest.mark.parametrize("definite", [True, False])
@pytest.mark.parametrize("divisions", [(1, 1, 1), (6, 2, 2)])
def test_a_body_free_to_turn_about_a_line_is_singular(solver, definite, divisions, steel):
    """Rounding turns the zero pivot into one of either sign, so that some factorisations succeed."""
    structure = fem.assemble(fem.box((3, 1, 1), divisions, "hex20"), steel)
    low, high = (
        int(np.argmin(np.linalg.norm(structure.mesh.points - p, axis=1))) for p in ([0, 0, 0], [3, 0, 0])
    )
    hinge = [(node, axis) for node in (low, high) for axis in range(3)]
    A, free = _free_but(structure, *hinge)
    with pytest.raises(SingularError, match="nothing holds") as caught:
        fem.factorise(A, definite=definite, solver=solver, names=lambda dof: f"<{free[dof]}>")
    node, axis = divmod(int(str(caught.value).split("<")[1].split(">")[0]), 3)
    far = np.linalg.norm(structure.mesh.points[node, 1:])
    assert axis in (1, 2)  # a turn about x moves nothing along x
    assert far > 0.7  # and most what is far from the line, 1.41 at most
    third = int(np.argmin(np.linalg.norm(structure.mesh.points - [0, 1, 0], axis=1)))
    A, _ = _free_but(structure, *hinge, (third, 2))
    assert fem.factorise(A, definite=definite, solver=solver).n == len(free) - 1


def _cantilever(n):
    """Bernoulli cantilever of n elements, EI = L = 1, from the textbook 4x4 matrix; the tip is dof -2."""
    h = 1 / n
    k = (
        np.array(
            [[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2], [-12, -6 * h, 12, -6 * h]]
            + [[6 * h, 2 * h**2, -6 * h, 4 * h**2]]
        )
        / h**3
    )
    dofs = 2 * np.arange(n)[:, None] + np.arange(4)
    rows, columns = np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, 4).ravel()
    K = sparse.csr_array(sparse.coo_array((np.tile(k.ravel(), n), (rows, columns))))
    return sparse.csr_array(K[2:][:, 2:])


@pytest.mark.parametrize("solver", fem.installed_solvers())
def test_slender_is_not_singular(solver):
    """A thousand beam elements in a line: condition 1e12, tip F L^3 / 3 E I still to four digits."""
    A = _cantilever(1000)
    f = np.zeros(2000)
    f[-2] = 1.0
    assert fem.factorise(A, solver=solver).solve(f)[-2] == pytest.approx(1 / 3, rel=1e-3)


# --- inertia -----------------------------------------------------------------------------------------------


@each_indefinite_solver
def test_negative_eigenvalues_are_counted(solver, shifted):
    """Sylvester's law, against the eigenvalues themselves."""
    A = shifted[:60][:, :60].tocsr()
    values = np.linalg.eigvalsh(A.toarray())
    for below in (0, 7, 41):
        shift = 0.5 * (values[below - 1] + values[below]) if below else 0.0
        factor = solver(A - shift * sparse.eye_array(60), definite=False)
        assert factor.negative in ({below, None} if solver is superlu.SuperLUFactor else {below})
    assert solver(A).negative == 0


# --- memory ------------------------------------------------------------------------------------------------


@each_solver
def test_the_memory_of_a_factor_is_known(solver, shifted):
    """Between the least (the matrix's own lower triangle) and a full triangle and workspace."""
    n = shifted.shape[0]
    assert 8 * shifted.nnz / 2 < solver(shifted).memory < 8 * n**2 + 2e7


@pytest.mark.parametrize("solver", fem.installed_solvers())
def test_a_factorisation_that_cannot_fit_is_refused_before_it_starts(solver, shifted, monkeypatch):
    monkeypatch.setattr(solve, "available_memory", lambda: 200_000)
    with pytest.raises(
        fem.InputError, match=rf"{shifted.shape[0]} unknowns with {solver.name} needs about .*B of"
    ):
        fem.factorise(shifted, solver=solver)
    monkeypatch.setattr(solve, "available_memory", lambda: None)
    assert fem.factorise(shifted, solver=solver).n == shifted.shape[0]


@pytest.mark.parametrize(
    ("size", "divisions"),
    [
        ((1, 1, 1), (6, 6, 6)),
        ((40, 1, 1), (80, 2, 2)),
        ((1, 1, 0.02), (30, 30, 1)),
        ((10, 0.1, 0.1), (300, 1, 1)),
    ],
    ids=["cube", "bar", "plate", "rod"],
)
def test_the_estimated_fill_is_of_the_right_size(size, divisions, steel):
    structure = fem.assemble(fem.box(size, divisions, "hex8"), steel)
    A = sparse.csr_array(structure.K + 1e6 * structure.M)
    true = superlu.SuperLUFactor(A)._lu.nnz / 2
    assert (
        true / fill.FILL_UNCERTAINTY < fill.estimated_fill(A, dissection=False) < true * fill.FILL_UNCERTAINTY
    )


# --- input and progress ------------------------------------------------------------------------------------


def test_the_upper_triangle(shifted):
    upper = base.upper_triangle(shifted)
    assert (upper - sparse.triu(shifted)).nnz == 0
    assert upper.indices.dtype == upper.indptr.dtype == np.int32
    hollow = sparse.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert base.upper_triangle(hollow).nnz == 3  # zeros on the diagonal are stored


class _Bar(SimpleNamespace):
    def __init__(self, log):
        super().__init__(log=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def update(self, n):
        self.log.append(n)

    def set_description(self, text):
        self.log.append(text)


@pytest.mark.parametrize("solver", fem.installed_solvers())
def test_progress_tells_the_phases_and_counts_right_hand_sides(solver, shifted, monkeypatch):
    log, shown = [], []

    def bar(total, what, unit="it", show=None):
        shown.append(show)
        return _Bar(log)

    monkeypatch.setattr(solve, "progress", bar)
    monkeypatch.setattr(base, "progress", bar)
    factor = fem.factorise(shifted, solver=solver)
    assert [entry for entry in log if isinstance(entry, int)] == [1, 1]
    phases = [entry.split(" of ")[0] for entry in log if isinstance(entry, str)]
    assert phases == ["analysis", "factorisation"]
    log.clear()
    factor.solve(np.ones((factor.n, 70)))
    assert log == [32, 32, 6]
    assert shown == [False, False]  # both are short
    monkeypatch.setattr(solve, "_PROGRESS_UNKNOWNS", 10)
    monkeypatch.setattr(base, "_PROGRESS_ENTRIES", 10)
    fem.factorise(shifted, solver=solver).solve(np.ones((factor.n, 2)))
    assert shown[2:] == [None, None]  # a terminal decides
