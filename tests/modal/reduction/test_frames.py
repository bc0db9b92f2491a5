"""Rigid-body conditions, on base functions at a cloud of points."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import fem
import modal
from modal.body.inertia import integrals
from modal.reduction.frames import Field


@pytest.fixture
def cloud():
    """Random base functions at random points; each marker rides on the mean of a few points."""
    rng = np.random.default_rng(5)
    x, Phi, m = rng.normal(3, 1, size=(12, 3)), rng.normal(size=(12, 3, 4)), rng.uniform(1, 2, 12)
    markers = {
        "a": modal.Marker(x[0], Phi[0], rng.normal(size=(3, 4))),
        "b": modal.Marker(x[5], Phi[5], rng.normal(size=(3, 4))),
        "dot": modal.Marker(x[7], Phi[7], np.zeros((3, 4)), has_rotation=False),
    }
    return Field(x, Phi, sp.diags_array(m).tocsr(), markers)


def rigid_part(before, after, origin):
    """Fit translation and rotation (3,N) to the change of the base functions; residual must vanish."""
    x = before.points
    R = np.concatenate(
        [np.broadcast_to(np.eye(3), (len(x), 3, 3)), np.cross(np.eye(3), x[:, None]).swapaxes(1, 2)], 2
    )
    change = (after.Phi - before.Phi).reshape(3 * len(x), -1)
    motion, *_ = np.linalg.lstsq(R.reshape(3 * len(x), 6), change, rcond=None)
    np.testing.assert_allclose(R.reshape(-1, 6) @ motion, change, atol=1e-12)
    np.testing.assert_allclose(after.points, x - origin, atol=1e-14)
    return motion[:3], motion[3:]


CONDITIONS = [
    modal.MeanDisplacement(),
    modal.Chord("a", "b"),
    modal.FixedPoint("b"),
    modal.Prescribed({"a": ("x", "y", "z"), "b": ("x", "y"), "dot": "z"}),
    modal.Prescribed({"b": ("rx", "z"), "a": ("ry", "rz", "x", "y")}),
    modal.Unchanged(),
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.label)
def test_only_a_rigid_motion_is_added_and_markers_ride_along(cloud, condition):
    after, origin = condition.impose(cloud)
    translation, rotation = rigid_part(cloud, after, origin)
    for name, old in cloud.markers.items():
        new = after.markers[name]
        np.testing.assert_allclose(new.point, old.point - origin)
        moved = old.Phi + translation + np.cross(rotation.T, old.point).T
        np.testing.assert_allclose(new.Phi, moved, atol=1e-12)
        np.testing.assert_allclose(new.B, old.B + rotation if old.has_rotation else 0, atol=1e-12)


@pytest.mark.parametrize("condition", CONDITIONS, ids=lambda c: c.label)
def test_imposing_twice_changes_nothing(cloud, condition):
    once, _ = condition.impose(cloud)
    twice, origin = condition.impose(once)
    np.testing.assert_allclose(origin, 0, atol=1e-14)
    np.testing.assert_allclose(twice.Phi, once.Phi, atol=1e-12)


def test_mean_displacement(cloud):
    after, origin = modal.MeanDisplacement().impose(cloud)
    m = cloud.mass.diagonal()
    np.testing.assert_allclose(origin, m @ cloud.points / m.sum())
    np.testing.assert_allclose(np.einsum("p,pki->ki", m, after.Phi), 0, atol=1e-12)  # (2.8)
    moment = np.cross(after.points[:, :, None], after.Phi, axis=1)
    np.testing.assert_allclose(np.einsum("p,pki->ki", m, moment), 0, atol=1e-12)  # (2.10)


def test_mean_displacement_by_koppens_formulas(cloud):
    """(5.2), (5.3) as printed, about an origin that is not the centre of mass."""
    C = integrals(cloud.points, cloud.Phi, cloud.mass)
    after, origin = modal.MeanDisplacement().impose(cloud)
    translation, rotation = rigid_part(cloud, after, origin)
    for i in range(4):
        force = C.C2[i] + C.mass * translation[:, i] + np.cross(rotation[:, i], C.C1)
        np.testing.assert_allclose(force, 0, atol=1e-11)
        moment = C.C6[i] + np.cross(C.C1, translation[:, i]) + C.C3 @ rotation[:, i]
        np.testing.assert_allclose(moment, 0, atol=1e-11)


def test_chord(cloud):
    after, origin = modal.Chord("a", "b").impose(cloud)
    np.testing.assert_array_equal(origin, cloud.markers["a"].point)
    a, b = after.markers["a"], after.markers["b"]
    np.testing.assert_allclose(a.Phi, 0, atol=1e-12)
    axis = b.point / np.linalg.norm(b.point)
    np.testing.assert_allclose(b.Phi - np.outer(axis, axis @ b.Phi), 0, atol=1e-12)
    about_chord = integrals(after.points, after.Phi, after.mass).C6 @ axis
    np.testing.assert_allclose(about_chord, 0, atol=1e-11)


def test_points_on_a_line_need_no_rotation_about_it():
    x = np.zeros((5, 3))
    x[:, 0] = np.linspace(0, 1, 5)
    Phi = np.random.default_rng(6).normal(size=(5, 3, 2))
    line = Field(x, Phi, sp.eye_array(5).tocsr(), {"a": modal.Marker(x[0], Phi[0], np.zeros((3, 2))),
                 "b": modal.Marker(x[4], Phi[4], np.zeros((3, 2)))})  # fmt: skip
    for condition in (modal.MeanDisplacement(), modal.Chord("a", "b")):
        after, _ = condition.impose(line)
        assert np.isfinite(after.Phi).all()
        np.testing.assert_allclose(after.markers["a"].B[0], 0, atol=1e-14)


def test_markers_that_are_missing_are_named(cloud):
    with pytest.raises(fem.InputError, match=r"no interface or marker 'c'.*'a', 'b', 'dot'"):
        modal.Chord("a", "c").impose(cloud)
    with pytest.raises(fem.InputError, match="has no length"):
        modal.Chord("a", "a").impose(cloud)


def test_fixed_point(cloud):
    after, origin = modal.FixedPoint("b").impose(cloud)
    np.testing.assert_array_equal(origin, cloud.markers["b"].point)
    np.testing.assert_allclose(after.markers["b"].Phi, 0, atol=1e-12)
    np.testing.assert_allclose(after.markers["b"].B, 0, atol=1e-12)


def test_prescribed_components_stay(cloud):
    """What is named is zero afterwards, and nothing else is (a random body has no reason to)."""
    names = ("x", "y", "z", "rx", "ry", "rz")
    held = {"a": ("y", "rx"), "b": ("x", "y", "z"), "dot": ("x",)}
    after, _ = modal.Prescribed(held).impose(cloud)
    for marker, what in held.items():
        motion = np.vstack([after.markers[marker].Phi, after.markers[marker].B])
        for name, row in zip(names, motion, strict=True):
            if name in what:
                np.testing.assert_allclose(row, 0, atol=1e-11)
            elif after.markers[marker].has_rotation or not name.startswith("r"):
                assert np.abs(row).min() > 1e-4


BAD_FRAMES = {
    "six prescribed components, not 5": {"a": ("x", "y", "z"), "b": ("x", "y")},
    "six prescribed components, not 7": {"a": "all", "b": "x"},
    "components 'turn'": {"a": ("x", "turn")},
    "no interface or marker 'c'": {"c": "all"},
    "rx of 'dot', which has no rotation": {"a": ("x", "y", "z", "ry", "rz"), "dot": "rx"},
    r"leaves a rigid motion: translation \[0.0, 0.0, 0.0\]": {"a": ("x", "y", "z", "rx", "ry"), "dot": "x"},
}


@pytest.mark.parametrize("message", BAD_FRAMES)
def test_bad_frames_are_named(message, cloud):
    if "translation" in message:  # the distance from a to dot along y, which turns about z move along x
        markers = dict(cloud.markers)
        markers["dot"] = replace(markers["dot"], point=markers["a"].point + [1.0, 0.0, 2.0])
        cloud = replace(cloud, markers=markers)
    with pytest.raises(fem.InputError, match=message):
        modal.Prescribed(BAD_FRAMES[message]).impose(cloud)
