"""One tree of exceptions."""

import inspect

import pytest

from fem.common import errors


def test_every_error_is_a_flexbody_error_and_every_warning_a_flexbody_warning():
    found = inspect.getmembers(errors, inspect.isclass)
    classes = [c for _, c in found if c.__module__ == errors.__name__]
    assert len(classes) >= 8
    for c in classes:
        assert issubclass(c, errors.FlexbodyWarning if issubclass(c, Warning) else errors.FlexbodyError)


@pytest.mark.parametrize("name", ["InputError", "FileError", "MeshError", "ConstraintError"])
def test_wrong_input_is_also_a_value_error(name):
    assert issubclass(getattr(errors, name), ValueError)


def test_listing_reads_like_a_sentence():
    assert errors.listing([]) == "none"
    assert errors.listing(["big_end", "mid"]) == "'big_end', 'mid'"
    assert errors.listing(range(20), limit=2) == "'0', '1' and 18 more"
    assert errors.listing(range(20), limit=None).endswith("'18', '19'")


def test_elements_are_named_as_who_catches_the_error_wants():
    error = errors.ElementError("beams ", (0, 7), ": too short")
    assert str(error) == "beams '0', '7': too short"
    named = error.named(lambda k: f"line2 element {k + 100}")
    assert type(named) is errors.InputError
    assert str(named) == "beams line2 element 100, line2 element 107: too short"


def test_things_have_their_article():
    class ElectricMotor:
        def __repr__(self) -> str:
            return 50 * "x"

    assert errors.called(ElectricMotor()) == "an ElectricMotor"
    assert errors.with_article("UserLaw") == "a UserLaw"


@pytest.mark.parametrize("depth", [0, 1, 5])
def test_a_warning_names_the_line_outside_however_deep_it_is_raised(depth):
    """Called by functions of a module of ours: the line is that of whoever calls the outermost of them."""
    ours = {"__name__": "flexbody.somewhere", "warn": errors.warn}
    exec("def go(n):\n    warn('look') if n == 0 else go(n - 1)\n", ours)
    with pytest.warns(errors.FlexbodyWarning, match="look") as found:
        ours["go"](depth)
    here = inspect.currentframe().f_lineno - 1
    assert (found[0].filename, found[0].lineno) == (__file__, here)


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0025, "0.25 %"),
        (0.999, "100 %"),
        (1.0, "100 %"),
        (0.994, "99 %"),
        (3.5, "350 %"),
        (0.000012, "0.0012 %"),
        (1e-9, "below 0.001 %"),
        (0.0, "0 %"),
    ],
)
def test_fractions_in_percent(share, text):
    assert errors.percent(share) == text


@pytest.mark.parametrize(
    ("share", "bound", "cell"),
    [
        (0.0, "0 %", "0"),
        (-1e-17, "0 %", "0"),
        (1e-7, "0.001 %", "<0.001"),
        (0.0123, "1.2 %", "1.23"),
        (25.0, "2500 %", "2500"),
    ],
)
def test_bounds_and_tables_in_percent(share, bound, cell):
    """No power of ten, and no negative round-off."""
    assert (errors.percent_at_most(share), errors.in_percent(share)) == (bound, cell)
