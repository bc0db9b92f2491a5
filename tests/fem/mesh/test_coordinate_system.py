"""Coordinate systems of files: what is wrong in them is said."""

import pytest

import fem


def test_the_name_of_a_kind_is_answered_with_the_classes():
    with pytest.raises(fem.InputError, match=r"origin= .*fem\.CylindricalSystem.* not 'cylindrical'"):
        fem.CoordinateSystem("cylindrical")


@pytest.mark.parametrize("axes", [[[1, 0, 0], [1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, -1]]])
def test_axes_that_are_no_rotation_are_refused(axes):
    with pytest.raises(fem.InputError, match="at right angles, right-handed"):
        fem.SphericalSystem((0, 0, 0), axes)
