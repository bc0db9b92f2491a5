"""Independent constraint rows: the same rank as of singular values, well-conditioned rows, names, and the price."""

import numpy as np
import pytest
import scipy
from reference.machines import andrews_machine, four_bar_machine
from support import chains, zoo
from support.linkages import attia_linkage, bricard

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations import independent_rows as module
from flexbody.equations.consistent_start import closed, consistent_start
from flexbody.equations.constraint_jacobian import scaled, weighted
from flexbody.equations.independent_rows import independent_rows
from flexbody.equations.least_squares import RANK_TOLERANCE, LeastSquares
from flexbody.equations.position import displaced
from flexbody.equations.state import drawn_state, place_state


def web(seed: int, flat: bool) -> fb.System:
    """Bodies at random places, each on an earlier one, with as many loops, in space or all on parallel axes."""
    rng = np.random.default_rng(seed)
    bodies = [
        fb.RigidBody(f"body {k}", 1.0, (0.02, 0.03, 0.04), center=rng.normal(size=3) * (1, 1, not flat))
        for k in range(12)
    ]
    pairs = [(k, int(rng.integers(-1, k))) for k in range(12)] + [
        tuple(rng.choice(12, 2, replace=False)) for _ in range(12)
    ]
    kinds = (fb.Revolute, fb.Spherical, fb.Cylindrical, fb.Prismatic, fb.Fixed, fb.PointOnLine)
    joints: list = []
    for n, (a, b) in enumerate(pairs):
        one = fb.GROUND if b < 0 else bodies[b]
        kind = kinds[0] if flat else kinds[rng.integers(len(kinds))]
        axis = {} if kind in (fb.Spherical, fb.Fixed) else {"axis": "z" if flat else rng.normal(size=3)}
        joints.append(kind(f"joint {n}", one, bodies[a], point=bodies[a].center, **axis))
    mount = fb.Bushing("mount", bodies[2], bodies[7], point=(0, 0, 0), stiffness=[1e3] * 6)
    return fb.System(bodies, joints, [mount])


MACHINES = {
    "four-bars": lambda: chains.four_bars(3),
    "tree": lambda: chains.tree(4),
    "windows": lambda: four_bar_machine(6, redundant=True)[0],
    "windows, not redundant": lambda: four_bar_machine(6)[0],
    "squeezer": lambda: andrews_machine(redundant=True)[0],
    "bricard": bricard,
    "attia": lambda: attia_linkage(fb.Revolute),
    "rigid": zoo.rigid,
    "flexible": zoo.flexible,
    **{f"web {k}": (lambda k=k: web(k, False)) for k in range(4)},
    **{f"flat web {k}": (lambda k=k: web(k, True)) for k in range(4)},
}


def flat_windows(n: int):
    """The Jacobian of windows that lie flat: there n + 1 cranks can move by themselves."""
    plan = make_plan(four_bar_machine(n, redundant=True)[0])
    s = closed(plan, plan.work(), drawn_state(plan))
    change, s.c[:, 1] = np.zeros(plan.n_velocities), 0.0
    for b in range(n + 1):
        change[plan.rotation(b)] = 0, 0, -np.pi / 2
        s.c[b] += 0.5, 0, 0
    s.c[n + 1 :] += 1, 0, 0
    return plan, displaced(plan, s, change)


def rows_of(plan, s):
    W = plan.work()
    place_state(plan, W, s)
    return weighted(plan, W)[1]


def check(plan, G) -> int:
    """Compare with singular values and with the best rows that these give; return how many rows depend on others."""
    A, kept = scaled(G).toarray(), independent_rows(plan, scaled(G)).astype(bool)
    U, s, _ = np.linalg.svd(A)
    rank = int(np.sum(s > RANK_TOLERANCE * s[0]))
    assert kept.sum() == rank
    # a QR factorisation of all dependencies with pivoting chooses rows that are left out; ours are as far from
    # depending on each other within ten: a row waits if less than a tenth of it is left
    order = scipy.linalg.qr(U[:, rank:].T, mode="r", pivoting=True)[1] if rank < len(A) else []
    best = np.ones(len(A), dtype=bool)
    best[order[: len(A) - rank]] = False
    least, other = (np.linalg.svd(A[rows], compute_uv=False)[-1] for rows in (kept, best))
    assert least > 0.1 * other
    # rows that take part in a dependency, however these are combined
    share = np.linalg.norm(U[:, rank:], axis=1)
    np.testing.assert_array_equal(LeastSquares(scaled(G)).dependencies.any(axis=1), share > 1e-6)
    return len(A) - rank


@pytest.mark.parametrize("name", MACHINES)
def test_rank_and_rows_are_those_of_singular_values(name):
    """At the drawn position, which may be special, and at a position where all axes are askew."""
    plan = make_plan(MACHINES[name]())
    s, rng = drawn_state(plan), np.random.default_rng(0)
    drawn = check(plan, rows_of(plan, s))
    assert (drawn > 0) == (name not in ("tree", "windows, not redundant", "rigid", "flexible"))
    check(plan, rows_of(plan, displaced(plan, s, 0.3 * rng.normal(size=plan.n_velocities))))


def test_many_dependent_rows_the_sparse_way(monkeypatch):
    """The same names from the sparse factors, which large machines use."""
    monkeypatch.setattr("flexbody.equations.least_squares.LARGEST_DENSE", 0)
    for name in ("windows", "squeezer", "flat web 1", "rigid"):
        plan = make_plan(MACHINES[name]())
        check(plan, rows_of(plan, drawn_state(plan)))


@pytest.mark.parametrize("n", [1, 6])
def test_rows_at_a_singular_position(n):
    """Three rows of each window depend on others always; lying flat the window permits one motion more."""
    plan, s = flat_windows(n)
    assert check(plan, rows_of(plan, s)) == 4 * n
    W = plan.work()
    place_state(plan, W, s)
    assert np.abs(W.phi).max() < 1e-14 * plan.layout.length


def test_rows_near_a_singular_position():
    """A thousandth of a turn from there, three again: rows that hardly add anything count."""
    plan, s = flat_windows(4)
    change = np.zeros(plan.n_velocities)
    for b in range(5):
        change[plan.rotation(b)] = 0, 0, 1e-3
        change[plan.translation(b)] = 0, 5e-4, 0
    for b in range(5, 9):
        change[plan.translation(b)] = 0, 1e-3, 0
    s = closed(plan, plan.work(), displaced(plan, s, change))
    assert check(plan, rows_of(plan, s)) == 3 * 4


def test_rows_that_hardly_differ_wait_for_others():
    """Three bars hold a point in the plane; two of them are parallel but for 1e-4: one of these is left out."""
    ball = fb.RigidBody("ball", 1.0, (1, 1, 1), center=(0, 0, 0))
    feet = ((-1, 1e-4, 0), (-1, 0, 0), (0, -1, 0))
    for order in ((0, 1, 2), (2, 0, 1), (0, 2, 1)):
        bars = [
            fb.Distance(f"bar {k}", fb.GROUND, ball, first_point=feet[k], second_point=(0, 0, 0))
            for k in order
        ]
        plane = fb.PointOnPlane("plane", fb.GROUND, ball, point=(0, 0, 0), axis="z")
        plan = make_plan(fb.System([ball], [*bars, plane]))
        assert check(plan, rows_of(plan, drawn_state(plan))) == 1


@pytest.mark.parametrize("make", [chains.four_bars, lambda n: four_bar_machine(n, redundant=True)[0]])
def test_work_grows_with_the_number_of_loops(make, monkeypatch):
    """From 20 to 40 and to 80 loops: the work of the second doubling is twice that of the first.

    Of orthogonalising a front (m, n) it is m n min(m, n). The ends of the row and ties in the order may
    cost a few fronts more or less: a twentieth.
    """
    work, eliminate = [], module._eliminate

    def counted(front, *others):
        work[-1] += front.size * min(front.shape)
        return eliminate(front, *others)

    monkeypatch.setattr(module, "_eliminate", counted)
    for n in (20, 40, 80):
        work.append(0)
        plan = make_plan(make(n))
        G = rows_of(plan, drawn_state(plan))
        assert plan.n_rows - independent_rows(plan, scaled(G)).sum() == 3 * n
    assert work[2] - work[1] == pytest.approx(2 * (work[1] - work[0]), rel=0.05)


def test_a_message_names_some_joints_of_many():
    """Forty windows: six of their 121 joints, and how many more."""
    plan = make_plan(four_bar_machine(40, redundant=True)[0])
    with pytest.warns(fb.RedundantConstraintWarning, match="120 of the 605 constraints") as caught:
        start = consistent_start(plan)
    assert start.rank == plan.n_rows - 120
    assert len(start.undetermined) == 121
    message = str(caught[0].message)
    assert "120 of the 605 constraints" in message
    assert "and 115 more (121 in all)" in message
    assert message.count("revolute joint '") == 6
    # the machine at the start: each window is held by seventeen of its twenty rows
    assert start.active.sum() == start.rank


def test_reactions_of_many_loops_are_those_of_least_norm():
    """Against a dense pseudo-inverse: the sparse way for 20 windows, 305 rows."""
    plan = make_plan(four_bar_machine(20, redundant=True)[0])
    start = consistent_start(plan, quiet=True)
    W = plan.work()
    place_state(plan, W, start)
    Y = weighted(plan, W)[0].toarray()
    expected = np.linalg.pinv(Y.T, rcond=1e-9) @ (Y.T @ start.multipliers)
    # by multipliers of size 100 N, to the accuracy of the sparse factors, 1e-16 / 1e-7
    np.testing.assert_allclose(start.multipliers, expected, atol=1e-7)
    assert np.abs(expected).max() > 10
