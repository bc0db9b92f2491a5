"""Pairwise cases: all pairs of levels meet, in few cases, and always in the same ones."""

import pytest

from support.pairs import pairwise, without_partner


@pytest.mark.parametrize(
    "counts",
    [(2, 2, 2), (12, 4, 3), (12, 4, 3, 2), (5, 4, 3, 3, 2), (3, 3, 3, 3), (2,) * 8, (10, 10), (1, 1, 1)],
)
def test_all_pairs_meet_in_few_cases(counts):
    """At least the product of the two largest numbers of levels is needed; twice that is never."""
    factors = [range(10 * k, 10 * k + count) for k, count in enumerate(counts)]
    cases = pairwise(*factors)
    assert not without_partner(cases, *factors)
    assert len(cases) == len(set(cases))
    *_, second, largest = sorted(counts)
    assert largest * second <= len(cases) <= max(2 * largest * second, 10)
    assert cases == pairwise(*factors)


def test_what_does_not_meet_is_told():
    assert without_partner([("a", 1), ("b", 2)], "ab", (1, 2)) == [("a", 2), ("b", 1)]


@pytest.mark.parametrize("alone", [(), "abc"])
def test_one_factor_has_no_pairs(alone):
    """Then the cases are its levels; and those of two factors are their product."""
    assert pairwise(alone) == [(level,) for level in alone]
    assert pairwise(alone, "xy") == [(level, other) for level in alone for other in "xy"]
