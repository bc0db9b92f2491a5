"""Symbols of joints: for every kind, by its free motions."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.joints import JOINTS

import flexbody as fb
from flexbody.model.joints import Free
from flexbody.view.geometry.poses import AT_REST, Pose
from flexbody.view.scenes import machine
from flexbody.view.symbols.joint_solids import count_free_motions, joint_solid, plane_solid
from flexbody.view.symbols.stretched import End, Rod

#: free motions that no joint of ours has
TRANSLATIONS = SimpleNamespace(
    __name__="translations", threaded=False, free=tuple(Free(False, axis) for axis in range(3))
)
KINDS = (*JOINTS, TRANSLATIONS)
TURN = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()


def volume(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def reach(points, x, direction):
    return np.abs((points - x) @ direction).max()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_joint_has_one_at_its_place(kind):
    """Closed, outward, around the point; nothing only where nothing is held."""
    x, unit = np.array([1.0, 2.0, 3.0]), 0.1
    solid = joint_solid(kind, SimpleNamespace(x=x, A=TURN), unit)
    if len(kind.free) == 6:
        assert solid is None
        return
    points, triangles = solid
    assert volume(points - x, triangles) > unit**3
    assert np.linalg.norm(points - x, axis=1).max() < 8 * unit
    a, b, axis = TURN.T
    if count_free_motions(kind) == (0, 1) and not kind.threaded:  # a pin along its axis
        assert reach(points, x, axis) > 3 * max(reach(points, x, a), reach(points, x, b))
    if count_free_motions(kind) == (0, 2):  # a cross
        assert reach(points, x, axis) == pytest.approx(reach(points, x, a), rel=1e-9)
        assert reach(points, x, axis) > 2 * reach(points, x, b)
    if count_free_motions(kind) == (0, 3):  # a ball
        assert reach(points, x, axis) == pytest.approx(reach(points, x, a), rel=0.02)
    if count_free_motions(kind)[0] == 2:  # it lies on a plate as large as the way, whose top is the plane
        frame, places = SimpleNamespace(x=x, A=TURN), np.array([[-0.5, 0.1], [0.7, 0.2]])
        plate = (plane_solid(frame, places, unit)[0] - x) @ TURN
        assert plate[:, 2].max() == pytest.approx(0, abs=1e-12)
        assert (plate[:, :2].min(axis=0) < places.min(axis=0)).all()
        assert (plate[:, :2].max(axis=0) > places.max(axis=0)).all()


def test_a_chain_in_space_is_drawn_with_them():
    bodies = [
        fb.RigidBody(
            f"bar {k}", 1.0, (0.01, 0.02, 0.02), center=(0.25 + 0.5 * k, 0, 0), angular_velocity=(k, 1, 2)
        )
        for k in range(3)
    ]
    joints = [
        fb.Spherical("ball", fb.GROUND, bodies[0], point=(0, 0, 0)),
        fb.Universal("cross", bodies[0], bodies[1], point=(0.5, 0, 0), axes=("y", "z")),
        fb.Revolute("pin", bodies[1], bodies[2], point=(1, 0, 0), axis=(0, 1, 1)),
    ]
    result = fb.simulate(fb.System(bodies, joints, gravity=(0, 0, -9.81)), 0.3, show_progress=False)
    scene = machine.scene_of(result)
    assert scene.normal is None
    crosses = [
        part for part in scene.parts if getattr(part, "body", "") == "bar 0" and np.ptp(part.solid[0]) < 1.0
    ]
    sizes = [np.ptp(part.solid[0], axis=0) for part in crosses]
    assert any(size[1] == pytest.approx(size[2], rel=1e-9) and size[1] > 1.9 * size[0] for size in sizes)


def test_a_rod_goes_from_end_to_end():
    ends = (
        End("a", np.array([1.0, 0, 0]), np.zeros((3, 0))),
        End("ground", np.array([0, 2.0, 0]), np.zeros((3, 0))),
    )
    rod = Rod(ends, 0.01, (0, 0, 0))
    poses = {"a": Pose(np.array([0, 0, 1.0]), TURN, np.zeros(0)), "ground": AT_REST}
    a, b = np.array([0, 0, 1.0]) + TURN[:, 0], np.array([0, 2.0, 0])
    points = rod.points(poses)
    along = (b - a) / np.linalg.norm(b - a)
    assert ((points - a) @ along).max() == pytest.approx(
        np.linalg.norm(b - a) + 0.02, abs=1e-3
    )  # balls of flat faces
    assert ((points - a) @ along).min() == pytest.approx(-0.02, abs=1e-3)
    across = points - a - np.outer((points - a) @ along, along)
    assert np.linalg.norm(across, axis=1).max() < 0.0201
    assert rod.values(poses) is None


def in_plane(joint) -> tuple[list, list]:
    """Parts of a joint between two bars that swing in the plane y = 0, and the points of the second bar."""
    a, b = (fb.RigidBody(n, 1.0, (0.01, 0.1, 0.1), center=(x, 0, 0)) for n, x in (("a", 0.5), ("b", 1.4)))
    joints = [fb.Revolute("hinge", fb.GROUND, a, point=(0, 0, 0), axis="y"), joint(a, b)]
    machine_ = fb.System([a, b], joints, gravity=(0, 0, -9.81))
    scene = machine.scene_of(fb.simulate(machine_, 0.2, step=0.01, show_progress=False))
    owned = lambda name: [p for p, o in zip(scene.parts, scene.owners, strict=True) if o == name]  # noqa: E731
    return owned("joint"), owned("b")[0].solid[0]


@pytest.mark.parametrize("kind", [fb.Revolute, fb.Cylindrical, fb.Prismatic, fb.Planar, fb.PointOnPlane])
def test_joints_along_the_view_show_what_they_do_in_the_plane(kind):
    """Round pins rotate, a square one does not, and what is free in the plane has none; both bars are bars."""
    parts, bar = in_plane(lambda a, b: kind("joint", a, b, point=(1, 0, 0), axis="y"))
    assert np.ptp(bar[:, 0]) > 0.4  # from the joint to the centre of mass, 0.4 m
    if kind in (fb.Planar, fb.PointOnPlane):
        assert parts == []
        return
    (pin,) = parts
    corners = len(np.unique(pin.solid[0][:, [0, 2]].round(9), axis=0))
    assert corners == 4 if kind is fb.Prismatic else corners > 12
