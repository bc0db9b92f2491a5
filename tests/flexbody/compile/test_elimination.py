"""The order of elimination, and what is below each panel: against elimination of graphs by hand."""

import numpy as np
import pytest

from flexbody.compile.elimination import elimination_arrays, minimum_degree


def fill(meets, order):
    """Return the later panels below each panel, and how many couplings elimination in an order adds."""
    left = [set(neighbours) for neighbours in meets]
    before = sum(map(len, left)) // 2
    below = [set() for _ in left]
    for g in order:
        below[g] = set(left[g])
        for h in left[g]:
            left[h] = (left[h] | left[g]) - {g, h}
    return below, sum(map(len, below)) - before


def graph(n, pairs):
    meets = [set() for _ in range(n)]
    for a, b in pairs:
        meets[a].add(b)
        meets[b].add(a)
    return meets


def random_tree(n, rng):
    return graph(n, [(k, int(rng.integers(k))) for k in range(1, n)])


@pytest.mark.parametrize("seed", range(5))
def test_below_is_what_elimination_leaves(seed):
    rng = np.random.default_rng(seed)
    pairs = [(a, b) for a in range(14) for b in range(a) if rng.random() < 0.25]
    meets = graph(14, pairs)
    given = [set(neighbours) for neighbours in meets]
    order, below = minimum_degree(meets, rng.integers(1, 6, size=14).tolist())
    assert sorted(order) == list(range(14))
    assert meets == given  # the caller's sets are left as they were
    assert below == fill(meets, order)[0]


@pytest.mark.parametrize("n", [1, 2, 40])
def test_a_tree_has_no_fill(n):
    meets = random_tree(n, np.random.default_rng(n))
    order, below = minimum_degree(meets, [5] * n)
    assert fill(meets, order)[1] == 0
    assert sum(map(len, below)) == n - 1


def test_panels_that_meet_in_one_body_have_no_fill():
    """A star of joints on one body: all are neighbours, so that none couples what is not coupled."""
    meets = [set(range(8)) - {k} for k in range(8)]
    order, _ = minimum_degree(meets, [5] * 8)
    assert fill(meets, order)[1] == 0


def test_a_ring_has_the_least_fill():
    """A ring of n panels becomes a triangle by n - 3 new couplings, whatever the order."""
    n = 12
    meets = graph(n, [(k, (k + 1) % n) for k in range(n)])
    order, _ = minimum_degree(meets, [1] * n)
    assert fill(meets, order)[1] == n - 3


def test_few_rows_come_first():
    """A ring of four: nothing can be eliminated without fill, so that the panel whose neighbours are small begins."""
    meets = graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    assert minimum_degree(meets, [1, 9, 1, 9])[0][0] in (1, 3)


def test_rows_of_the_same_bodies_form_a_panel():
    """A chain of two joints: rows 0, 1, 3 hold body 0; rows 2, 4 connect it to body 1."""
    found = elimination_arrays([(0,), (0,), (0, 1), (0,), (1, 0)], np.array([6, 8]))
    assert sorted(found["elimination"].tolist()) == [0, 1, 2, 3, 4]
    panels = np.split(found["elimination"], found["panel_row_at"][1:-1])
    assert sorted(sorted(panel.tolist()) for panel in panels) == [[0, 1, 3], [2, 4]]
    assert np.diff(found["body_row_at"]).tolist() == [5, 2]  # rows on each body
    assert np.diff(found["body_block_at"]).tolist() == [5 * 6, 2 * 8]  # its blocks of the Jacobian
    below = np.diff(found["below_at"])
    assert found["panel_at"][-1] == sum(
        len(own) * (len(own) + n) for own, n in zip(panels, below, strict=True)
    )
