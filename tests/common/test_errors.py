"""One tree of exceptions."""

import inspect

import pytest

from fem.common import errors


def test_every_error_is_a_flexbody_error_and_every_warning_a_flexbody_warning():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass)]
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
