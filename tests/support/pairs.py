"""Fewer cases than the product of all factors: every pair of levels once at least (a covering array of strength 2)."""

from collections.abc import Iterable, Sequence
from itertools import combinations, product


def pairwise(*factors: Iterable) -> list[tuple]:
    """Return cases, one level of each factor, among which every two levels of two factors meet.

    Faults that a case shows come from one level or from two that meet far more often than from three (D. R. Kuhn, D.
    R. Wallace, A. M. Gallo 2004, table 2), so that these cases find nearly what the whole product finds. They are
    always the same and come in the order of the first factor. Each new case begins with a pair that has not met yet,
    and takes the other levels so that most new pairs meet in it (D. M. Cohen et al. 1997).

    Examples
    --------
    >>> pairwise("ab", (1, 2), (True, False))
    [('a', 1, True), ('a', 2, False), ('b', 1, False), ('b', 2, True)]
    """
    levels = [list(factor) for factor in factors]
    apart = dict.fromkeys(  # pairs that have not met, in a fixed order: ((factor, level), (factor, level))
        ((i, a), (j, b))
        for i, j in combinations(range(len(levels)), 2)
        for a, b in product(range(len(levels[i])), range(len(levels[j])))
    )
    cases = []
    while apart:
        case = dict(next(iter(apart)))
        for j in range(len(levels)):
            if j not in case:
                case[j] = max(range(len(levels[j])), key=lambda b: _meeting(case, (j, b), apart))
        for pair in combinations(sorted(case.items()), 2):
            apart.pop(pair, None)
        cases.append([case[j] for j in range(len(levels))])
    if len(levels) < 2:
        cases = [[a] for one in levels for a in range(len(one))]
    return [tuple(one[a] for one, a in zip(levels, case, strict=True)) for case in sorted(cases)]


def _meeting(case: dict[int, int], new: tuple[int, int], apart: dict) -> int:
    """Count the pairs that meet for the first time where a case takes a new level."""
    return sum(tuple(sorted((old, new))) in apart for old in case.items())


def without_partner(cases: Sequence[tuple], *factors: Iterable) -> list[tuple]:
    """Return the pairs of levels that meet in no case."""
    levels = [list(factor) for factor in factors]
    return [
        (a, b)
        for i, j in combinations(range(len(levels)), 2)
        for a, b in product(levels[i], levels[j])
        if not any(case[i] == a and case[j] == b for case in cases)
    ]
