"""Machines that travel, drives and joints that are off, couplers, and small forces in pictures."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.view.geometry import colours
from flexbody.view.geometry.motion import Motion
from flexbody.view.scenes import machine
from flexbody.view.symbols.arrows import Arc, Arrow
from flexbody.view.symbols.sketch import Sketch


def cart(speed: float) -> fb.Result:
    """Two balls on springs below a plank 2 m long, which moves along x over a plane, for 1 s."""
    plank = fb.RigidBody("plank", 10.0, (1.0, 3.0, 3.0), center=(0, 0, 0.5), velocity=(speed, 0, 0))
    bodies, joints, forces = [plank], [], []
    for name, x in (("front", 1.0), ("rear", -1.0)):
        ball = fb.RigidBody(name, 1.0, (0.01,) * 3, center=(x, 0, 0.2), velocity=(speed, 0, 0))
        strut = fb.Prismatic(f"strut {name}", plank, ball, point=(x, 0, 0.2), axis="z")
        spring = fb.ForceElement(f"spring {name}", fb.Along(strut), fb.Linear(stiffness=2e3, damping=50.0))
        tyre = fb.Contact(
            f"tyre {name}", fb.Sphere(ball, 0.2), fb.Plane(fb.GROUND, "z"), stiffness=1e4, exponent=1
        )
        bodies, joints, forces = [*bodies, ball], [*joints, strut], [*forces, spring, tyre]
    system = fb.System(bodies, joints, forces, gravity=(0, 0, -9.81))
    return fb.simulate(system, 1.0, show_progress=False)


@pytest.fixture(scope="module")
def travelling() -> fb.Result:
    return cart(60.0)


def owned(scene: machine.Scene, name: str) -> list:
    return [part for part, owner in zip(scene.parts, scene.owners, strict=True) if owner == name]


@pytest.mark.parametrize("time", [None, 0.5], ids=["film", "still"])
def test_symbols_do_not_grow_with_the_way_of_a_vehicle(travelling, time):
    """The plank is as long as the vehicle that stands; the way of 60 m makes no symbol larger."""
    standing, moving = (Sketch(run, Motion(run), 1.0, time) for run in (cart(0.0), travelling))
    assert moving.unit == pytest.approx(standing.unit, rel=0.02)  # the springs give way by 0.01 m
    assert moving.extent < 3.0


def test_a_still_shows_the_plane_below_the_machine_alone(travelling):
    scene = machine.scene_of(travelling, time=0.5)
    poses = scene.motion.at(0.5)
    (plate,) = (part for part in owned(scene, "tyre front") if part.colour == colours.GROUND)
    x = plate.points(poses)[:, 0]
    assert x.min() < 29.0 < 31.0 < x.max()
    assert np.ptp(x) < 5.0


def test_the_spring_of_a_strut_is_on_the_side_of_its_body(travelling):
    scene = machine.scene_of(travelling, time=0.0)
    spring = np.vstack([part.points(scene.motion.at(0.0)) for part in owned(scene, "spring front")])
    assert spring[:, 2].min() > 0.0  # above the road


def test_the_path_of_a_vehicle_is_a_line_that_is_seen(travelling):
    """In a picture 1280 pixels wide, which it crosses, it is at least 2 pixels wide, and not pale."""
    scene = machine.scene_of(travelling, trace=("plank",), time=0.5)
    (path,) = owned(scene, "trace")
    assert 2 * path.radius / 60.0 * 1280 > 2
    assert path.colour == colours.TRACES[0]


@pytest.fixture(scope="module")
def lift() -> fb.Result:
    """A cabin and its counterweight on a rope; the hoist is switched off after 1 s, and the lock breaks."""
    cabin = fb.RigidBody("cabin", 500.0, (100.0,) * 3)
    weight = fb.RigidBody("weight", 700.0, (100.0,) * 3, center=(1.5, 0, 8.0))
    first = fb.Prismatic("first", fb.GROUND, cabin, point=(0, 0, 0), axis="z")
    second = fb.Prismatic("second", fb.GROUND, weight, point=(1.5, 0, 8.0), axis="z")
    rope = fb.Coupler("rope", [(first, 1.0), (second, 1.0)])
    hoist = fb.Drive("hoist", first, rate=1.0)
    spring = fb.SpringDamper(
        "spring", fb.GROUND, cabin, stiffness=1.0, free_length=1.0, first_point=(0, 0, -1.0)
    )
    system = fb.System([cabin, weight], [first, second, rope, hoist], [spring], gravity=(0, 0, -9.81))
    event = fb.Event("off", lambda state: state.t - 1.0, then=fb.Switch(off=["hoist", "spring"]))
    return fb.simulate(system, 1.5, events=[event], show_progress=False)


def test_what_is_off_is_not_drawn(lift):
    before, behind, film = (machine.scene_of(lift, forces=True, time=time) for time in (0.5, 1.2, None))
    for name in ("hoist", "spring"):
        assert owned(before, name)
        assert owned(film, name)
        assert not owned(behind, name)
    assert "driven motion" in before.legend
    assert "driven motion" not in behind.legend


def test_a_rope_connects_what_a_coupler_couples(lift):
    scene = machine.scene_of(lift, time=0.5)
    (rope,) = owned(scene, "rope")
    ends = rope.places(scene.motion.at(0.5))
    offset = ends[0] - [0, 0, 0.5]  # in front of a plane machine
    np.testing.assert_allclose(ends[1] - offset, [1.5, 0, 7.5], atol=1e-6)
    assert scene.legend["couplers"] == rope.colour


def test_paths_go_over_events(lift):
    """At an event there are two states at one time; the path between them has no length."""
    (path,) = owned(machine.scene_of(lift, trace=("cabin",)), "trace")
    assert np.isfinite(path.line).all()
    z = path.line[:, 2]
    assert z[0] == pytest.approx(0.0, abs=1e-9)
    assert z.max() > 1.0


def test_small_reactions_and_moments_are_left_out_and_told():
    """A bar under 100 N, with 1 N at one bushing and 1 Nm at its clamp beside 50 Nm: these two are not drawn."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    small = fb.RigidBody("small", 0.1, (1e-3,) * 3, center=(2.0, 0, 0))
    joints = [
        fb.Fixed("clamp", fb.GROUND, bar, point=(0, 0, 0)),
        fb.Fixed("other", fb.GROUND, small, point=(2, 0, 0)),
    ]
    loads = [
        fb.PointForce("push", bar, (0, 0, 100.0), point=(0.5, 0, 0)),
        fb.PointForce("light", small, (0, 0, 1.0), point=(2, 0, 0)),
        fb.PointMoment("twist", small, (1.0, 0, 0), point=(2, 0, 0)),
    ]
    run = fb.simulate(fb.System([bar, small], joints, loads), 0.1, step=0.05, show_progress=False)
    scene = machine.scene_of(run, forces=True, time=0.1)
    found = {part.name for part in scene.parts if isinstance(part, Arrow | Arc)}
    assert found == {
        "reaction clamp",
        "reaction clamp, moment",
        "load push",
        "load light",
        "load twist, moment",
    }
    assert "forces below 2 N and moments below 2.5 N m not drawn" in scene.arrows.note()
    named = machine.scene_of(run, forces=["other"], time=0.1)
    assert {part.name for part in named.parts if isinstance(part, Arrow | Arc)} == {
        "reaction other",
        "reaction other, moment",
    }


def test_a_bushing_is_no_larger_than_the_bodies_that_it_connects():
    """A ring of 1 cm on a bar of 2 m."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.3, 0.3), center=(1.0, 0, 0), markers={"end": (2.0, 0, 0)})
    ring = fb.RigidBody("ring", 0.1, (1e-5,) * 3, center=(2.0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    mount = fb.Bushing("mount", bar, ring, stiffness=(1e4,) * 3 + (10.0,) * 3, point=(2.0, 0, 0))
    run = fb.simulate(fb.System([bar, ring], [hinge], [mount]), 0.01, step=0.005, show_progress=False)
    scene = machine.scene_of(run)
    sleeve = owned(scene, "mount")[0].points(scene.motion.at(0.0))
    usual = 2 * 1.5 * Sketch(run, scene.motion, 1.0).unit
    assert 0.3 * usual < np.ptp(sleeve, axis=0).max() < 0.5 * usual
