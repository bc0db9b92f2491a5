"""Bodies given by mass and inertia alone are drawn as the ball, cylinder, disc, rod or block with this inertia."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.drawn import volume

import flexbody as fb
from flexbody.view.geometry.inertia_solid import inertia_solid, symmetry_axis
from flexbody.view.geometry.motion import Motion
from flexbody.view.render.lettering import font, shortened
from flexbody.view.scenes import machine
from flexbody.view.symbols.bars import _frame
from flexbody.view.symbols.sketch import Sketch

R = Rotation.from_rotvec([0.4, -0.7, 0.3]).as_matrix()
#: moments (kg m^2) and dimensions (m) of solids of 3 kg along x, by the formulas of any handbook
BALL, RADIUS, LENGTH, SIDES = 0.2, 0.2, 0.5, np.array([0.3, 0.2, 0.4])
SOLIDS = {
    "ball": (np.full(3, 2 / 5 * 3 * BALL**2), (2 * BALL,) * 3),
    "cylinder": (
        3 * np.array([RADIUS**2 / 2, *[RADIUS**2 / 4 + LENGTH**2 / 12] * 2]),
        (LENGTH, 2 * RADIUS, 2 * RADIUS),
    ),
    "disc": (3 * RADIUS**2 * np.array([1 / 2, 1 / 4, 1 / 4]), (0.0, 2 * RADIUS, 2 * RADIUS)),
    "rod": (3 * LENGTH**2 / 12 * np.array([1e-9, 1, 1]), (LENGTH, 0.0, 0.0)),
    "block": ((SIDES @ SIDES - SIDES**2) * 3 / 12, SIDES),
}


def moments_of(points, triangles):
    """The inertia tensor of the homogeneous solid of 1 kg inside a closed surface, by tetrahedra to the origin."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    V = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    corners = np.stack([a, b, c, a + b + c])
    second = np.einsum("i,kia,kib->ab", V / 20, corners, corners) / V.sum()
    return np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize("turn", [np.eye(3), R])
@pytest.mark.parametrize("name", SOLIDS)
def test_a_solid_has_the_dimensions_and_the_inertia_of_its_body(name, turn):
    moments, sizes = SOLIDS[name]
    inertia = turn @ np.diag(moments) @ turn.T
    points, triangles = inertia_solid(3.0, inertia, (1, 2, 3))
    points = points - np.array([1, 2, 3])
    # circles have 40 corners, so that they are up to 1 - cos(pi/40) = 0.3 % narrower in some directions, and what has
    # no thickness is drawn 1 % or 2 % as thick as it is wide
    np.testing.assert_allclose(np.ptp(points @ turn, axis=0), sizes, rtol=4e-3, atol=0.021 * max(sizes))
    # the moment of a polygon about its middle is smaller by (1 - cos(2 pi/40)) / 3 = 0.4 %; a ball has two kinds of it
    np.testing.assert_allclose(3 * moments_of(points, triangles), inertia, atol=1e-2 * max(moments))
    assert volume(points, triangles) > 0


def test_moments_are_equal_within_a_millionth():
    for gap, round_ in ((1e-7, True), (1e-5, False)):
        axis = symmetry_axis(R @ np.diag([0.5, 0.5 * (1 + gap), 0.8]) @ R.T)
        assert (axis is not None) == round_
        if axis is not None:
            assert abs(axis @ R[:, 2]) == pytest.approx(1, abs=1e-12)
    assert symmetry_axis(np.eye(3)) is None


def sketched(bodies, joints=(), forces=()):
    result = fb.simulate(fb.System(bodies, joints, forces), 0.02, show_progress=False)
    scene = machine.scene_of(result)
    return {body.name: part.solid[0] for body, part in zip(bodies, scene.parts, strict=False)}, Sketch(
        result, Motion(result), 1.0
    )


def sketch_notes(bodies, joints) -> tuple[str, ...]:
    return machine.scene_of(fb.simulate(fb.System(bodies, joints), 0.02, show_progress=False)).notes


def disc(name, center):
    """A thin disc of 4 kg about x, 0.2 m in radius."""
    return fb.RigidBody(name, 4.0, 4.0 * 0.2**2 * np.array([0.5, 0.25, 0.25]), center=center)


BEARINGS = {
    "hinge and sleeve": lambda one, other, disc: (
        fb.Revolute("first", one, disc, point=(0, 0, 0), axis="x"),
        fb.Cylindrical("second", other, disc, point=(1, 0, 0), axis="x"),
    ),
    "ball joints": lambda one, other, disc: (
        fb.Spherical("first", one, disc, point=(0, 0, 0)),
        fb.PointOnLine("second", other, disc, point=(1, 0, 0), axis="x"),
    ),
}


@pytest.mark.parametrize("bearings", BEARINGS)
def test_a_disc_on_its_shaft_is_a_disc_and_a_shaft(bearings):
    """Bearings on its axis of symmetry let it turn about this axis only: one by joints, one in bushings."""
    rings = [fb.RigidBody(f"ring {x:g}", 0.1, (1e-4,) * 3, center=(x, 0, 0)) for x in (0.0, 1.0)]
    rotor, other = disc("rotor", (0.5, 0, 0)), disc("other", (0.5, 1, 0))
    joints = [fb.Fixed(f"seat {ring.name}", fb.GROUND, ring, point=ring.center) for ring in rings]
    joints += BEARINGS[bearings](*rings, rotor)
    mounts = [
        fb.Bushing(f"mount {x:g}", fb.GROUND, other, point=(x, 1, 0), stiffness=[1e5] * 6) for x in (0.0, 1.0)
    ]
    solids, _ = sketched([rotor, other, *rings], joints, mounts)
    for name in ("rotor", "other"):
        x = solids[name]
        # the radius of the disc, and the shaft from bearing to bearing with its round ends
        assert np.hypot(x[:, 1], x[:, 2]).max() == pytest.approx(0.2, rel=1e-9)
        assert np.ptp(x[:, 0]) > 1.0


def test_an_arm_is_a_bar_between_its_joints():
    """An arm may be symmetric about the line of its joints, but they turn across it."""
    arm = fb.RigidBody("arm", 4.0, (0.08, 0.3, 0.3), center=(0.5, 0, 0))
    load = fb.RigidBody("load", 1.0, (0.01,) * 3, center=(1.0, 0, 0))
    joints = [
        fb.Revolute("one", fb.GROUND, arm, point=(0, 0, 0), axis="y"),
        fb.Revolute("two", arm, load, point=(1, 0, 0), axis="y"),
    ]
    solids, sketch = sketched([arm, load], joints)
    assert np.ptp(solids["arm"][:, 2]) < 3 * sketch.unit


def test_a_body_on_one_joint_shows_its_inertia_within_the_size_of_the_machine():
    """A bar on a hinge is the cylinder of its inertia; a motor's reflected inertia does not hide the machine."""
    m, length, r = 2.0, 1.0, 0.05
    bar = fb.RigidBody(
        "bar", m, (m * r**2 / 2, *[m * (3 * r**2 + length**2) / 12] * 2), center=(length / 2, 0, 0)
    )
    hinge = fb.Spherical("hinge", fb.GROUND, bar, point=(0, 0, 0))
    solids, sketch = sketched([bar], [hinge])
    x = solids["bar"]
    # half the length, from the centre of mass to the free end; 40 corners around
    assert x[:, 0].max() == pytest.approx(length / 2, rel=1e-9)
    assert np.ptp(x[:, 2]) == pytest.approx(2 * r, rel=4e-3)
    rotor = fb.RigidBody("rotor", 0.1, (1.0, 1.0, 1.0), center=(0, 0, 0.5))
    solids, sketch = sketched(
        [bar, rotor], [hinge, fb.Revolute("axle", fb.GROUND, rotor, point=(0, 0, 0.5), axis="z")]
    )
    assert np.ptp(solids["rotor"], axis=0).max() <= 0.51 * sketch.extent


def test_bars_between_many_points_do_not_cross():
    """A square whose corners are named across: its four sides in a plane machine, a star about its middle in space."""
    corners = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0.0]])
    flat = SimpleNamespace(normal=np.array([0, 0, 1.0]), away=np.array([0, 0, 1.0]), unit=0.1)
    points, _, pairs = _frame(flat, corners, [0.1] * 4)
    assert [np.linalg.norm(points[i] - points[j]) for i, j in pairs] == [1.0] * 4
    points, radii, pairs = _frame(SimpleNamespace(normal=None, unit=0.1), corners, [0.1] * 4)
    np.testing.assert_allclose([np.linalg.norm(points[i] - points[j]) for i, j in pairs], [0.5**0.5] * 4)
    assert len(radii) == len(points) == 5


def test_long_names_keep_their_ends():
    letters = font(12)
    assert shortened("left wheel", letters, 200) == "left wheel"
    short = shortened("bolt 17 of the left flange of the second housing, fixed", letters, 120)
    assert letters.getlength(short) <= 120
    assert short.startswith("bolt 17")
    assert short.endswith("fixed")


def test_a_body_that_is_drawn_smaller_than_it_is_is_told_with_the_factor():
    """A flywheel of 2 m beside a pendulum of 0.2 m: its drawn size, over that of its inertia."""
    radius = 1.0
    wheel = fb.RigidBody("flywheel", 4.0, 4.0 * radius**2 * np.array([0.25, 0.5, 0.25]))
    bob = fb.RigidBody("bob", 1.0, (1e-3,) * 3, center=(0.3, 0, -0.2))
    joints = [
        fb.Revolute(name, fb.GROUND, body, point=at, axis="y")
        for name, body, at in (("axle", wheel, (0, 0, 0)), ("pivot", bob, (0.3, 0, 0)))
    ]
    solids, _ = sketched([wheel, bob], joints)
    factor = np.ptp(solids["flywheel"], axis=0).max() / (2 * radius)
    assert factor < 0.5
    assert sketch_notes([wheel, bob], joints) == (f"drawn smaller: 'flywheel' ×{factor:.2g}",)
    small = fb.RigidBody("flywheel", 4.0, 4.0 * 0.05**2 * np.array([0.25, 0.5, 0.25]))
    axle = fb.Revolute("axle", fb.GROUND, small, point=(0, 0, 0), axis="y")
    assert sketch_notes([small, bob], [axle, joints[1]]) == ()
