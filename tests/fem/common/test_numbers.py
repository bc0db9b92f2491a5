"""What is taken for a number, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

import fem
from fem.common.numbers import as_floats, is_number, number, numbers, shown

NO_NUMBERS = [
    "210e9",
    None,
    "a",
    True,
    np.bool_(False),
    1j,
    [1, "a"],
    [[1, 2], [3]],
    object(),
    {"a": 1},
    b"1",
]


@pytest.mark.parametrize("value", [3, 3.0, np.float32(3), np.int16(3), np.array(3.0), Fraction(3)])
def test_one_number_of_any_kind(value):
    assert number(value, "x") == 3.0
    assert type(number(value, "x")) is float
    assert is_number(value)


@pytest.mark.parametrize("value", [*NO_NUMBERS, np.nan, np.inf, [1.0], 10**400])
def test_no_number(value):
    assert not is_number(value)
    with pytest.raises(fem.InputError, match=r"^the area of 'rod' must be a finite number, not "):
        number(value, "the area of 'rod'")


@pytest.mark.parametrize("value", [*NO_NUMBERS, (1, 2), (1, 2, np.nan), np.eye(3), 1.0])
def test_no_three_numbers(value):
    with pytest.raises(fem.InputError, match=r"^up must be three finite numbers, not "):
        numbers(value, (3,), "up")


def test_an_array_is_a_copy():
    given = np.arange(3.0)
    taken = numbers(given, (3,), "up")
    taken[0] = 7
    assert given[0] == 0
    assert numbers(((1, 2), (3, 4)), (2, 2), "offset").tolist() == [[1, 2], [3, 4]]


def test_a_message_is_short():
    with pytest.raises(fem.InputError, match="must be 2 x 2 finite numbers") as caught:
        numbers(np.zeros((100, 100)), (2, 2), "offset")
    assert len(str(caught.value)) < 150
    assert shown(np.float64(0.25)) == "0.25"
    assert shown("210e9") == "'210e9'"


def test_fractions_become_floats_in_sequences():
    """Also inside others; what holds none is passed on as it is."""
    third, given = Fraction(1, 3), [1.0, (2.0, 3)]
    assert as_floats([1, third]) == [1, 1 / 3]
    assert as_floats(((third, "x"), 2.0)) == ((1 / 3, "x"), 2.0)
    assert as_floats(np.array([third, 1])).dtype == float
    assert as_floats(given) is given
    beside = fem.Section(A=1e-4, Iy=1e-8, Iz=1e-8, J=2e-8, shear_centre=(Fraction(0), Fraction(1, 100)))
    assert beside.shear_centre == (0.0, 0.01)
