"""Functions that compare values: records, one for each way through, and where they hold."""

import numpy as np
import pytest

from flexbody.core.tape import along, gradient
from flexbody.functions.branches import RECORD_LIMIT, Branches


def pieces(x):
    """A parabola, then its tangent; beyond 3 a constant."""
    if x > 3.0:
        return 5.0 + 0 * x
    return x * x if x <= 1.0 else 2 * x - 1


@pytest.fixture
def counted():
    calls = []

    def function(x):
        calls.append(x)
        return [pieces(x[0])]

    return function, calls


def slope(branches, x):
    at = np.array([x])
    out = np.empty(1)
    (arrays,) = branches.at(at)
    return gradient(*arrays, at, np.eye(1), out), out[0], along(*arrays, at, np.ones(1), np.zeros(1))[2]


@pytest.mark.parametrize("keeps", [True, False])
def test_values_and_derivatives_are_those_of_the_piece(counted, keeps):
    function, calls = counted
    branches = Branches(function, keeps=keeps)
    for x in (0.5, 2.0, 4.0, -3.0, 1.0, np.nextafter(1.0, 2.0), 3.0, 2.9, 0.9):
        one = x <= 1.0
        expected = (x * x, 2 * x, 2) if one else (2 * x - 1, 2, 0) if x <= 3.0 else (5, 0, 0)
        assert slope(branches, x) == pytest.approx(expected, abs=1e-15)
    assert len(calls) == (3 if keeps else 9)


def test_a_record_does_not_hold_where_a_comparison_is_of_no_number(counted):
    function, calls = counted
    branches = Branches(lambda x: function([x[0].sqrt() if x[0] >= 0 else x[0]]), keeps=True)
    slope(branches, 4.0)
    slope(branches, -1.0)
    slope(branches, 0.25)
    assert len(calls) == 3  # x at least 0 and its root below 1 is a third way


def test_there_are_not_more_records_than_are_kept():
    branches = Branches(lambda x: [next(k * x[0] for k in range(200) if x[0] < k)], keeps=True)
    for k in range(1, 150):
        assert slope(branches, k - 0.5)[0] == pytest.approx(k * (k - 0.5))
    assert len(branches._records) == RECORD_LIMIT
