"""Parts of Nastran decks that several tests share, and what compares them with the same parts built by hand."""

import fem

from .nastran import card

S = fem.Isotropic(210e9, 0.3, 7850.0)
MAT = card("MAT1", 1, 210e9, None, 0.3, 7850.0)
G = 210e9 / 2.6


def same(a, b, rel=1e-9):
    assert a.shape == b.shape
    assert abs(a - b).max() <= rel * abs(b).max()


def as_by_hand(read_one, by_hand):
    same(read_one.K, by_hand.K)
    same(read_one.M, by_hand.M)


SHEET = fem.Mesh(
    [[0, 0, 0], [1, 0, 0.1], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0.1]],
    (fem.Block("quad4", [[0, 1, 4, 3]], [1]), fem.Block("tri3", [[1, 2, 5], [1, 5, 4]], [2, 3])),
)


LINE = card("GRID", 1, None, 0.0, 0.0, 0.0) + card("GRID", 2, None, 2.0, 0.0, 0.0) + MAT
