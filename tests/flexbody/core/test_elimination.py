"""Elimination of bodies and joints in panels: the same solution as dense, work that grows with the number of bodies."""

import warnings

import numpy as np
import pytest
from reference import machines
from support import chains

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.elimination import factorise, solve
from flexbody.core.equations import blocks, dense, matrices, move, place
from flexbody.core.kinds import D, K
from flexbody.equations import least_squares
from flexbody.equations.consistent_start import consistent_start


def solved(L, W, compliance, right, x, y):
    """Factorise the masses and springs of a placed system and solve."""
    matrices(L, W, 1.0, 0.1, 0.01, compliance)
    blocks(L, W)
    if factorise(L, W, compliance):
        solve(L, W, right, x, y)


def ring() -> fb.System:
    """Six bars in a ring that closes with a point on a line, a spring across, a motor: no redundant row."""
    points = [(np.cos(k), 0.0, np.sin(k)) for k in range(6)]
    bodies = [chains.bar(f"bar {k}", points[k], points[(k + 1) % 6]) for k in range(6)]
    joints = [fb.Revolute(f"h{k}", bodies[k - 1], bodies[k], point=points[k], axis="y") for k in range(1, 6)]
    joints.append(fb.PointOnLine("last", bodies[5], bodies[0], point=points[0], axis="y"))
    across = fb.SpringDamper(
        "across",
        bodies[0],
        bodies[3],
        stiffness=1e4,
        damping=3.0,
        first_point=points[0],
        second_point=points[3],
    )
    return fb.System(bodies, joints, [across])


def hub() -> fb.System:
    """One body that carries eight: all joints share it."""
    wheel = fb.RigidBody("wheel", 5.0, (0.1, 0.2, 0.1))
    bodies = [
        chains.bar(f"bar {k}", *(r * np.array([np.cos(k), 0, np.sin(k)]) for r in (0.2, 0.3)))
        for k in range(8)
    ]
    joints = [fb.Revolute(f"h{k}", wheel, b, point=0.2 * np.array([np.cos(k), 0, np.sin(k)]), axis="y")
              for k, b in enumerate(bodies)]  # fmt: skip
    return fb.System([wheel, *bodies], joints)


def redundant() -> fb.System:
    return chains.four_bars(2)


def whole_matrices(plan, W):
    """``M + 0.1 D + 0.01 K`` and the Jacobian of rows and springs, dense."""
    L, rows = plan.layout, plan.n_rows
    M, G = np.zeros((plan.n_velocities, plan.n_velocities)), np.zeros((len(L.elimination), plan.n_velocities))
    row, column = plan.pattern
    G[row, column] = W.G
    dense(L, W, M, G[:rows])
    for b, (first, last) in enumerate(zip(L.v_at[:-1], L.v_at[1:], strict=True)):
        n, at = L.body_modes[b], L.coefficient_at[b]
        stiff, damp = (L.coefficients[at[k] : at[k] + n * n].reshape(n, n) for k in (K, D))
        M[first + 6 : last, first + 6 : last] += 0.1 * damp + 0.01 * stiff
    return M, G


SYSTEMS = {
    "chain": lambda: chains.chain(7),
    "tree": lambda: chains.tree(3),
    "ring with a spring": ring,
    "hub": hub,
    "flexible rod": lambda: machines.koppens_slider_crank()[0],
    "chord frame": lambda: machines.koppens_slider_crank("sine", 3)[0],
    "spring": lambda: machines.andrews_machine()[0],
    "redundant": redundant,
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_solution_of_random_right_sides(name):
    """Against numpy's solution of the whole matrix; round-off times its condition, 1e-16 * 1e4, leaves 1e-10."""
    plan = make_plan(SYSTEMS[name]())
    L, W, rng = plan.layout, plan.work(), np.random.default_rng(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        start = consistent_start(plan)
    W.active[:] = start.active
    c, q, alpha, v = start.c, start.q, start.all_alpha + 1e-3 * rng.normal(size=start.all_alpha.size), start.v
    place(L, W, 0.0, c, q, alpha)
    move(L, W, alpha, v)
    m, rows = len(L.elimination), plan.n_rows
    f, g = rng.normal(size=plan.n_velocities), rng.normal(size=m)
    x, y, compliance = f.copy(), np.empty(m), np.empty(m - rows)
    solved(L, W, compliance, g, x, y)
    M, G = whole_matrices(plan, W)
    kept = np.concatenate([start.active == 1, compliance >= 0])
    C = np.diag(np.concatenate([np.zeros(rows), np.maximum(compliance, 0)]))[np.ix_(kept, kept)]
    whole = np.block([[M, G[kept].T], [G[kept], -C]])
    expected = np.linalg.solve(whole, np.concatenate([f, g[kept]]))
    np.testing.assert_allclose(x, expected[: len(f)], atol=1e-9 * np.abs(expected[: len(f)]).max())
    np.testing.assert_allclose(y[kept], expected[len(f) :], atol=1e-9 * np.abs(expected[len(f) :]).max())
    assert np.all(y[~kept] == 0)


def entries_and_products(L) -> tuple[int, int]:
    """Entries of the factor, and multiplications of one factorisation and one solution, loop by loop as compiled.

    Of body b with n velocities and r rows: n^3/6 for its own factor, n^2/2 for each row's ``B^-1 G^T``, n for each pair
    of rows. Of a panel of w rows with u below: w (w + 1) (w + 2)/6 and u w (w + 1)/2 for its columns, w u (u + 1)/2 for
    what they update. A solution passes twice through all factors and the blocks of the Jacobian.
    """
    n, rows = np.diff(L.v_at), np.diff(L.body_row_at)
    w, u = np.diff(L.panel_row_at), np.diff(L.below_at)
    bodies = n * (n + 1) * (n + 2) // 6 + rows * n * (n + 1) // 2 + n * rows * (rows + 1) // 2
    panels = w * (w + 1) * (w + 2) // 6 + u * w * (w + 1) // 2 + w * u * (u + 1) // 2
    solution = np.sum(n * (n + 1)) + 2 * np.sum(n * rows) + np.sum(w * (w + 1)) + 2 * np.sum(w * u)
    return int(L.panel_at[-1]), int(np.sum(bodies) + np.sum(panels) + solution)


def pairs_that_meet(L) -> int:
    """Entries of the lower triangle of the Schur complement: pairs of rows that share a body, each once."""
    at = [L.body_row[i:j] for i, j in zip(L.body_row_at[:-1], L.body_row_at[1:], strict=True)]
    return len({(max(i, j), min(i, j)) for rows in at for i in rows for j in rows})


TREES = {"chain": chains.chain, "tree": lambda n: chains.tree(int(np.log2(n)))}


@pytest.mark.parametrize("make", TREES.values(), ids=TREES)
def test_a_tree_has_no_fill(make):
    """The factor has the entries of the matrix itself, and the squares on the panels' own diagonals."""
    L = make_plan(make(32)).layout
    w = np.diff(L.panel_row_at)
    assert L.panel_at[-1] == pairs_that_meet(L) + np.sum(w * (w - 1)) // 2


@pytest.mark.parametrize(
    "make", [chains.chain, pytest.param(chains.four_bars, marks=pytest.mark.slow)], ids=["chain", "four-bars"]
)
def test_work_grows_with_the_number_of_bodies(make):
    """Exactly so: as much for each further body (each further four-bar), from 50 to 100 and to 200 of them."""
    short, middle, long = (np.array(entries_and_products(make_plan(make(n)).layout)) for n in (50, 100, 200))
    np.testing.assert_array_equal(long - middle, 2 * (middle - short))
    if make is chains.chain:
        # by hand: a body of n = 6 with its ten rows, a panel of five rows above five others
        bodies = 56 + 210 + 330
        panels = 35 + 75 + 75
        solution = 42 + 120 + 30 + 50
        assert (middle - short)[1] == 50 * (bodies + panels + solution)


def test_work_grows_with_a_tree():
    """Two, four, eight times as many leaves: what a level adds is twice what the level before did."""
    work = np.array([entries_and_products(make_plan(chains.tree(k)).layout) for k in (4, 5, 6, 7)])
    np.testing.assert_array_equal(np.diff(work, axis=0)[1:], 2 * np.diff(work, axis=0)[:-1])


def matrix(m, n, rank, rng):
    return rng.normal(size=(m, rank)) @ rng.normal(size=(rank, n))


@pytest.mark.parametrize(("m", "n", "rank"), [(30, 40, 30), (40, 30, 30), (30, 40, 22), (40, 30, 25)])
def test_least_squares_are_the_same_sparse_and_dense(m, n, rank, monkeypatch):
    """Any rank, consistent or not: least squares of least norm of A and A^T, and the rows that depend on others.

    Singular values lie above 1e-1 of the largest: round-off of the sparse way is eps / 1e-7 of the solution.
    """
    rng = np.random.default_rng(m + rank)
    A = matrix(m, n, rank, rng)
    b, c = rng.normal(size=(m, 2)), rng.normal(size=n)
    lone = np.zeros((1, n + 1))
    lone[0, n] = 1.0
    A = np.concatenate([np.pad(A, ((0, 0), (0, 1))), lone])
    b, c = np.concatenate([b, b[:1]]), np.append(c, 0.5)
    for largest in (least_squares.LARGEST_DENSE, 0):
        monkeypatch.setattr(least_squares, "LARGEST_DENSE", largest)
        found = least_squares.LeastSquares(A)
        for values, x, at in ((A, found.solve(b), b), (A.T, found.solve_transposed(c), c)):
            expected = np.linalg.pinv(values, rcond=1e-9) @ at
            np.testing.assert_allclose(x, expected, atol=1e-8 * np.abs(expected).max())
        z = found.dependencies
        np.testing.assert_allclose(A.T @ z, 0.0, atol=1e-8 * np.abs(A).max() * m)
        # random rows all depend on each other, or none does; the last row stands alone
        np.testing.assert_array_equal(z.any(axis=1), [*[m > rank] * m, False])


@pytest.mark.parametrize("n", [4, 20])
def test_redundancy_is_found_in_many_loops(n):
    """Three of each four-bar's twenty rows, named; 20 of them are 400 rows, the sparse way."""
    plan = make_plan(chains.four_bars(n))
    with pytest.warns(fb.RedundantConstraintWarning, match=rf"{3 * n} of the {20 * n} constraints"):
        start = consistent_start(plan)
    assert start.rank == 17 * n
    assert start.active.sum() == 17 * n
    assert len(start.undetermined) == 4 * n
    # and each loop keeps seventeen
    assert np.all(start.active.reshape(n, 20).sum(axis=1) == 17)


def test_contradicting_joints_of_a_long_chain_are_named():
    """A chain of 60 bars whose last is to be held two metres beyond its reach."""
    system = chains.chain(60)
    last = system.bodies[-1]
    anchor = fb.RigidBody("anchor", 1.0, (1, 1, 1), center=(8.0, 0, 0), markers={"eye": (8.0, 0, 0)})
    joints = [
        *system.joints,
        fb.Fixed("hold", fb.GROUND, anchor, point=(8.0, 0, 0)),
        fb.Spherical("far", last["end"], anchor["eye"]),
    ]
    with pytest.raises(fb.ConstraintError, match="far"):
        consistent_start(make_plan(fb.System([*system.bodies, anchor], joints)))


def test_a_long_chain_starts_and_runs():
    """200 bars: free fall of the far end at first, that is g, and energy that is kept."""
    plan = make_plan(chains.chain(200))
    start = consistent_start(plan)
    last = start.vdot[plan.layout.v_at[-2] : plan.layout.v_at[-2] + 3]
    np.testing.assert_allclose(last, (0, 0, -9.81), atol=1e-6)
    result = fb.simulate(chains.chain(200), 0.05, step=1e-3, show_progress=False)
    assert result.energy.balance_error < 1e-4
