"""Lines through points: a spline does not swing out between points at unequal distances, and is exact between equal."""

import warnings

import numpy as np
import pytest
import scipy.spatial

import fem
import flexbody as fb
from flexbody.model.path import path_through


def wave(x):
    return np.stack([x, 0 * x, 0.3 * np.sin(10 * x)], axis=-1)


def slot(x):
    """A straight line of 1 m, a quarter of a circle of radius 0.3 m, and a straight line of 1 m, for x in 0 to 3."""
    angle = 0.5 * np.pi * np.clip(x - 1, 0, 1)
    before, behind = np.minimum(x, 1), np.maximum(x - 2, 0)
    return np.stack(
        [before + 0.3 * np.sin(angle), 0 * x, 0.3 * (1 - np.cos(angle)) + behind],
        axis=-1,
    )


CURVES = {
    "wave": (wave, np.linspace(0, 1, 21)),
    "wave of few points": (wave, np.linspace(0, 1, 11)),
    "straight lines of two points": (slot, np.concatenate([[0], np.linspace(1, 2, 9), [3]])),
    "straight lines of three points": (slot, np.concatenate([[0, 0.5], np.linspace(1, 2, 9), [2.5, 3]])),
}


@pytest.mark.parametrize("curve", CURVES)
def test_a_line_stays_near_the_curve_of_its_points(curve):
    """Within a tenth of the greatest distance of its points; one of degree five over chords is 0.07 to 0.4 m off."""
    function, at = CURVES[curve]
    points = function(at)
    line = path_through(points)
    true = scipy.spatial.cKDTree(function(np.linspace(at[0], at[-1], 20001)))
    away = true.query(line.place(np.linspace(0.0, line.length, 2001)))[0]
    assert away.max() < 0.1 * np.linalg.norm(np.diff(points, axis=0), axis=1).max()


def test_a_line_through_points_of_a_circle_is_round_to_the_sixth_order():
    """h^6 / 6! with a step of 2 pi / 24: the error of degree five, 4.5e-7; one of degree three is 1e-5 off."""
    angle = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    line = path_through(np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1), closed=True)
    away = np.linalg.norm(line.place(np.linspace(0.0, line.length, 1001)), axis=1) - 1
    assert np.abs(away).max() < (2 * np.pi / 24) ** 6 / 720


def guided(points):
    body = fb.RigidBody("cart", 1.0, (0.01, 0.01, 0.01), center=points[0])
    rail = fb.MuffOnGuideway("rail", fb.GROUND, body, points=points, point=points[0])
    return fb.System([body], [rail])


def test_points_that_do_not_determine_a_line_are_told():
    """A corner is rounded; 41 points on a wave of one and a half periods determine it."""
    x = np.linspace(0, 1, 11)
    corner = np.stack([x, 0 * x, -0.5 * np.minimum(x, 0.5)], axis=1)
    with pytest.warns(fem.FlexbodyWarning, match=r"'rail': the points of its line are too few or too uneven"):
        fb.simulate(guided(corner), 0.01, show_progress=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fb.simulate(guided(wave(np.linspace(0, 1, 41))), 0.01, show_progress=False)
