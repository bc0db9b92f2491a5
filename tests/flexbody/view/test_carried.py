"""An enlarged deformation starts where a body is held, and what the body carries follows it."""

import numpy as np
import pytest
from support.every import STEEL, straight
from support.pages import computed, needs_node

import fem
import flexbody as fb
import modal
from flexbody.view.geometry.flexible import attachments
from flexbody.view.scenes import machine

SCALES = (1.0, 40.0)


def arm(name: str, at: float) -> fb.FlexibleBody:
    structure = fem.assemble(straight("hex8", 5), fem.Solid(STEEL))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2))
    return fb.FlexibleBody(
        name, reduced, place={"x0": (at, 0, 0), "x1": (at + 1.0, 0, 0)}, damping_ratio=0.02
    )


@pytest.fixture(scope="module")
def chain():
    """Two arms, the inner one clamped to the ground, the outer one welded to it, with a mass at its tip."""
    inner, outer = arm("inner", 0.0), arm("outer", 1.0)
    mass = fb.RigidBody("mass", 20.0, (0.1, 0.1, 0.1), center=(2.2, 0, 0))
    joints = [
        fb.Fixed("clamp", fb.GROUND, inner["x0"]),
        fb.Fixed("weld", inner["x1"], outer["x0"]),
        fb.Fixed("grip", outer["x1"], mass),
    ]
    system = fb.System([inner, outer, mass], joints, gravity=(0, 0, -9.81))
    return fb.simulate(system, 0.02, step=1e-3, show_progress=False)


def drawn_frame(scene, sketch_frame, poses):
    """Place and axes of a frame as a picture shows it."""
    from scipy.spatial.transform import Rotation

    pose = poses[sketch_frame.body]
    turn = Rotation.from_rotvec(sketch_frame.B @ pose.alpha).as_matrix()
    return pose.c + pose.Q @ (sketch_frame.x + sketch_frame.Phi @ pose.alpha), pose.Q @ turn


def sketch_of(result, scale):
    from flexbody.view.geometry.motion import Motion
    from flexbody.view.symbols.sketch import Sketch

    motion = Motion(result)
    return Sketch(result, motion, scale), motion


def test_who_holds_and_who_is_carried(chain):
    sketch, motion = sketch_of(chain, 40.0)
    assert attachments(chain.system, "inner") == ["x0", "x1"]
    assert sketch.support.held("inner") == sketch.support.held("outer") == ["x0"]
    assert [carry.passengers for carry in motion.carries] == [("mass", "outer"), ("mass",)]


@pytest.mark.parametrize("scale", SCALES)
def test_joints_stay_closed(chain, scale):
    """Both frames of each weld coincide, in place and attitude."""
    sketch, motion = sketch_of(chain, scale)
    poses = motion.at(chain.t[-1])
    for first, second in sketch.frames.values():
        (p, P), (q, Q) = (drawn_frame(sketch, sketch.drawn(frame), poses) for frame in (first, second))
        np.testing.assert_allclose(p, q, atol=1e-7)  # pictures leave out second-order displacements
        # frames are turned by small rotation vectors, whose squares the equations leave out: 40 x 1e-4 rad
        np.testing.assert_allclose(P @ first.A, Q @ second.A, atol=1e-4)


def test_the_tip_moves_by_the_factor(chain):
    """The enlarged inner arm starts at the clamp, tangent to it; its tip has 40 times its displacement."""
    tip = chain.displacement("inner", "x1", relative_to=fb.GROUND)[-1]
    assert 1e-5 < -tip[2] < 1e-2
    sketch, motion = sketch_of(chain, 40.0)
    poses = motion.at(chain.t[-1])
    frame = sketch.drawn(sketch.frames["weld"][0])
    place, _ = drawn_frame(sketch, frame, poses)
    np.testing.assert_allclose(place, [1.0 + 40 * tip[0], 0, 40 * tip[2]], atol=0.02 * 40 * abs(tip[2]))
    part = sketch.flexible["inner"]
    assert part.deformation(poses).max() == pytest.approx(np.linalg.norm(tip), rel=0.05)
    near = part.x[:, 0] < part.x[:, 0].min() + 1e-9
    assert part.deformation(poses)[near].max() < 0.02 * np.linalg.norm(tip)


def test_a_path_goes_through_the_drawn_body(chain):
    scene = machine.scene_of(chain, 40.0, trace=("mass",))
    line = next(part for part in scene.parts if part.is_line).line
    np.testing.assert_allclose(line[-1], scene.motion.at(chain.t[-1])["mass"].c, atol=1e-12)


def test_each_path_has_its_colour_and_a_line_of_the_legend(chain):
    scene = machine.scene_of(
        chain, trace=("mass", chain.system.body("inner")["x1"], "inner"), forces=["weld"]
    )
    paths = [part.colour for part in scene.parts if part.is_line]
    assert len(set(paths)) == 3
    assert dict(scene.legend) == {
        "reactions": scene.arrows.legend["reactions"],
        **dict(zip(["path of mass", "path of inner x1", "path of inner"], paths, strict=True)),
    }


def test_a_body_between_two_held_joints_carries_nothing():
    """Clamped at both ends: enlarged about both."""
    beam = arm("beam", 0.0)
    joints = [fb.Fixed("left", fb.GROUND, beam["x0"]), fb.Fixed("right", fb.GROUND, beam["x1"])]
    run = fb.simulate(fb.System([beam], joints, gravity=(0, 0, -9.81)), 0.01, step=1e-3, show_progress=False)
    sketch, motion = sketch_of(run, 40.0)
    assert sketch.support.held("beam") == ["x0", "x1"]
    assert motion.carries == []


@pytest.fixture(scope="module")
def crane():
    """A trolley with a load on a girder that is clamped at both ends, with stations at its quarters."""
    steps = [(0.25 * k, 0, 0) for k in range(5)]
    section = fem.Beam(
        fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), fem.Tube(0.01, thickness=0.001), up=(0, 0, 1)
    )
    line = fem.Block("line2", [(k, k + 1) for k in range(4)])
    names = [f"s{k}" for k in range(5)]
    mesh = fem.Mesh(steps, [line], {name: [k] for k, name in enumerate(names)})
    fe = fem.assemble(mesh, {"line2": section})
    girder = fb.FlexibleBody("girder", modal.reduce(fe, modal.craig_bampton(fe, names, n_normal=0)))
    trolley, load = (
        fb.RigidBody(name, 2.0, (0.01, 0.01, 0.01), center=(0.25, 0, z), velocity=(1, 0, 0))
        for name, z in (("trolley", 0.0), ("load", -0.3))
    )
    joints = [
        *(fb.Fixed(f"clamp {name}", fb.GROUND, girder[name]) for name in ("s0", "s4")),
        fb.MuffOnGuideway("rail", girder, trolley, stations=names, point=(0.25, 0, 0), up="z"),
        fb.Spherical("hook", trolley, load, point=(0.25, 0, 0)),
    ]
    machine = fb.System([girder, trolley, load], joints, gravity=(0, 0, -9.81))
    return fb.simulate(machine, 0.26, start=fb.QuasiStatic(), step=2e-3, show_progress=False)


def test_what_slides_along_a_body_stays_on_it(crane):
    """The trolley is drawn where the enlarged girder is: at a station that is a marker, when it passes this."""
    sketch, motion = sketch_of(crane, 40.0)
    assert [ride.passengers for ride in motion.carries] == [("load", "trolley")]
    girder = crane.system.body("girder")
    for station, way in (("s1", 0.0), ("s2", 0.25)):
        time = np.interp(way, crane.coordinate("rail", "path"), crane.t)
        poses, still = motion.at(time), sketch_of(crane, 1.0)[1].at(time)
        frame = girder[station].frame(sketch.bodies)
        there, before = (drawn_frame(sketch, f, poses)[0] for f in (sketch.drawn(frame), frame))
        sag = np.linalg.norm(there - before)
        assert sag > 0.01
        # output times are interpolated
        np.testing.assert_allclose(poses["trolley"].c, there, atol=0.01 * sag)
        np.testing.assert_allclose(
            poses["load"].c - poses["trolley"].c,
            poses["trolley"].Q @ still["trolley"].Q.T @ (still["load"].c - still["trolley"].c),
            atol=1e-9,
        )


def test_a_floating_machine_is_held_by_its_heaviest_body():
    """A satellite: its panel is enlarged about the hub."""
    hub = fb.RigidBody("hub", 500.0, (50.0, 50.0, 50.0), center=(-0.3, 0, 0))
    panel, lamp = arm("panel", 0.0), fb.RigidBody("lamp", 1.0, (0.01, 0.01, 0.01), center=(1.1, 0, 0))
    joints = [fb.Fixed("root", hub, panel["x0"]), fb.Fixed("end", panel["x1"], lamp)]
    run = fb.simulate(fb.System([hub, panel, lamp], joints), 0.01, step=1e-3, show_progress=False)
    sketch, motion = sketch_of(run, 40.0)
    assert sketch.support.held("panel") == ["x0"]
    assert [carry.passengers for carry in motion.carries] == [("lamp",)]


@needs_node
def test_carried_bodies_follow_the_slider_of_a_page(chain, tmp_path):
    """From the factor 1 to 11: pose and growth of the page give the picture's points; rotations grow linearly."""
    path = fb.animate(chain, tmp_path / "run.html", n_frames=5, show_progress=False)
    page = path.read_text(encoding="utf-8")
    scene = machine.scene_of(chain, 11.0)
    poses, before = (machine.scene_of(chain, s).motion.at(chain.t[-1]) for s in (11.0, 1.0))
    moved = np.linalg.norm(poses["mass"].c - before["mass"].c)
    assert moved > 1e-3
    for (x, _), part in zip(computed(page, tmp_path / "page.js", 11.0), scene.parts, strict=True):
        np.testing.assert_allclose(x, part.points(poses), atol=0.02 * moved)


def test_a_floating_joint_holds_nothing():
    """It only gives coordinates: a bar on two bushings is enlarged about both of them with it as without it."""
    bar = arm("bar", 0.0)
    mounts = [
        fb.Bushing(name, fb.GROUND, bar[at], stiffness=(1e5,) * 3 + (1e3,) * 3)
        for name, at in (("one", "x0"), ("two", "x1"))
    ]
    place = fb.Floating("place", fb.GROUND, bar["x0"])
    assert attachments(fb.System([bar], [place], mounts), "bar") == ["x0", "x1"]
