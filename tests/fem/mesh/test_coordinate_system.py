"""Coordinate systems of files: what is wrong in them is said."""

import numpy as np
import pytest

import fem


def test_the_name_of_a_kind_is_answered_with_the_classes():
    with pytest.raises(fem.InputError, match=r"origin= .*fem\.CylindricalSystem.* not 'cylindrical'"):
        fem.CoordinateSystem("cylindrical")


@pytest.mark.parametrize("axes", [[[1, 0, 0], [1, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, -1]]])
def test_axes_that_are_no_rotation_are_refused(axes):
    with pytest.raises(fem.InputError, match="at right angles, right-handed"):
        fem.SphericalSystem((0, 0, 0), axes)


@pytest.mark.parametrize("kind", [fem.CoordinateSystem, fem.CylindricalSystem, fem.SphericalSystem])
def test_directions_at_many_points_are_those_at_each(kind):
    """On the axis too; the directions at one point are the derivatives of the coordinates (test_report.py)."""
    system = kind((1.0, 2.0, 3.0), [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    points = np.array([[1.0, 2.0, 5.0], [1.5, 2.0, 3.0], [0.0, -1.0, 2.0], [1.0, 2.0, 3.0]])
    found = system.axes_at(points)
    assert found.shape == (4, 3, 3)
    for point, axes in zip(points, found, strict=True):
        np.testing.assert_allclose(axes, system.axes_at(point), rtol=0, atol=1e-15)
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), rtol=0, atol=1e-15)
        assert np.linalg.det(axes) == pytest.approx(1.0)
