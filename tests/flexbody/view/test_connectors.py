"""Force elements, gears, drives and clamps in pictures: where they are, how they move, whose arrows are drawn."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import pyvista
from scipy.spatial.transform import Rotation
from support.drawn import volume

import fem
import flexbody as fb
import modal
from flexbody.view import pictures
from flexbody.view.geometry import colours
from flexbody.view.geometry.inside import share_inside
from flexbody.view.geometry.motion import Motion
from flexbody.view.geometry.parts import Rigid
from flexbody.view.geometry.shapes import sphere
from flexbody.view.scenes import machine
from flexbody.view.scenes.forces import LONGEST_ARROW
from flexbody.view.stage import seen_by
from flexbody.view.symbols.arrows import LONGEST_ARC, Arc, Arrow
from flexbody.view.symbols.connectors import look_of, parts_of_element
from flexbody.view.symbols.gears import Wheel, train
from flexbody.view.symbols.sketch import Sketch
from flexbody.view.symbols.stretched import Barrel, BentBeam, Piston, Spiral, Spring

pytestmark = pytest.mark.slow  # many calls, files or pictures: the quick lane leaves them out

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
LAWS = {
    "spring": fb.Linear(50.0),
    "damped spring": fb.Linear(50.0, 1.0),
    "dashpot": fb.Linear(0.0, 1.0),
    "table": fb.SpringTable([-1.0, 1.0], [-50.0, 50.0]),
    "shock absorber": fb.DamperTable([-1.0, 1.0], [-2.0, 1.0], stiffness=30.0),
    "rubber": fb.ViscoElastic(30.0, [(20.0, 0.1)]),
    "ram": fb.HydraulicCylinder(1e-4, 1e-4, flow=1e-6, bulk_modulus=1e7),
    "piston": fb.HydraulicActuator(1e-4, pressure=1e3),
    "motor": fb.ElectricMotor(0.5, 1.0, 0.1, voltage=1.0),
    "servo": fb.PositionServo(0.5, 1.0, 0.1, gain=1.0, target=0.1),
    "user's": fb.UserLaw(lambda t, x, rate: 3.0 * x),
}
COILS = {"spring", "damped spring", "table", "shock absorber", "rubber"}
BARRELS = set(LAWS) - {"spring", "table"}


def run(bodies, joints, forces, gravity=(0, 0, -9.81), t_end=0.1):
    return fb.simulate(
        fb.System(bodies, joints, forces, gravity=gravity), t_end, output_step=0.01, show_progress=False
    )


@pytest.fixture(scope="module")
def pendulum():
    """A bar on a hinge in the plane y = 0, every law between it and the ground, and about the hinge."""
    bar = fb.RigidBody("bar", 20.0, (0.1, 1.0, 1.0), center=(0.5, 0, 0), angular_velocity=(0, 6, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    ends = {"first_point": (0.6, 0, -0.5), "second_point": (1, 0, 0)}
    forces = [fb.ForceElement(name, fb.Line(fb.GROUND, bar, **ends), law) for name, law in LAWS.items()]
    forces += [fb.ForceElement(f"{name} about", fb.Along(hinge), law) for name, law in LAWS.items()]
    forces += [
        fb.Limit("stop", hinge, lower=-0.5, upper=0.5, stiffness=10.0),
        fb.Friction("rub", hinge, load=0.1),
    ]
    return run([bar], [hinge], [*forces, fb.PointMoment("twist", bar, (0, 3.0, 0))])


def parts_of(result, name):
    """The parts of one force element, and what its drawing shares with the others."""
    motion = Motion(result)
    sketch = Sketch(result, motion, 1.0)
    force = next(force for force in result.system.forces if force.name == name)
    return parts_of_element(sketch, force), sketch


@pytest.mark.parametrize("name", LAWS)
def test_what_a_law_looks_like(pendulum, name):
    """Coils store energy, barrels lose or give it; both go from end to end at any time, closed and outward."""
    parts, sketch = parts_of(pendulum, name)
    kinds = {type(part) for part in parts} - {Rigid}
    assert (Spring in kinds) == (name in COILS)
    assert (Barrel in kinds) == (Piston in kinds) == (name in BARRELS)
    for time in (0.0, 0.1):
        poses = sketch.motion.at(time)
        ends = np.array([[0.6, 0, -0.5], poses["bar"].c + poses["bar"].Q @ [0.5, 0, 0]]) + sketch.before
        for part in parts:
            if isinstance(part, Rigid):
                continue
            np.testing.assert_allclose(part.places(poses), ends, atol=1e-12)
            points = part.points(poses)
            along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            way = (points - ends[0]) @ along
            assert way.min() > -2 * sketch.unit
            assert way.max() < np.linalg.norm(ends[1] - ends[0]) + 2 * sketch.unit
            if isinstance(part, Barrel | Piston):
                assert volume(points, part.surface.triangles) > 0
    # both move against each other, and never part
    barrel, piston = ([p for p in parts if isinstance(p, kind)] for kind in (Barrel, Piston))
    for one, other in zip(barrel, piston, strict=True):
        assert one.length == other.length < 0.63 * np.linalg.norm(ends[1] - ends[0])


@pytest.mark.parametrize("name", LAWS)
def test_what_acts_about_an_axis(pendulum, name):
    """Around the hinge, in front of the bar; a spiral winds up with the angle, its inner end goes with the body."""
    parts, sketch = parts_of(pendulum, f"{name} about")
    assert parts
    assert any(isinstance(part, Spiral) for part in parts) == look_of(LAWS[name].symbols).coil
    for time in (0.0, 0.1):
        poses = sketch.motion.at(time)
        for part in parts:
            points = part.points(poses)
            assert np.linalg.norm(points[:, [0, 2]], axis=1).max() < 6 * sketch.unit
            assert ((points - sketch.before) @ sketch.away).max() < sketch.unit
    spirals = [part for part in parts if isinstance(part, Spiral)]
    angle = pendulum.coordinate("hinge")[-1]
    assert abs(angle) > 0.05
    for spiral in spirals:
        inner = [spiral.points(sketch.motion.at(time))[-8:].mean(axis=0) for time in (0.0, 0.1)]
        turned = [np.arctan2(*(p - sketch.before)[[0, 2]]) for p in inner]  # about y: from z to x
        assert turned[1] - turned[0] == pytest.approx(angle, abs=1e-6)


def test_stops_and_friction_about_an_axis(pendulum):
    (gauge, pointer), sketch = parts_of(pendulum, "stop")
    assert (gauge.body, pointer.body) == ("ground", "bar")
    ((ring,), _) = parts_of(pendulum, "rub")
    assert volume(ring.solid[0], ring.solid[1]) > 0
    assert sketch.unit > 0


def test_every_force_has_its_arrow(pendulum):
    """Straight ones along forces, round ones about moments, by their share of the largest."""
    scene = machine.scene_of(pendulum, forces=pendulum.system.forces)
    arrows = {part.name: part for part in scene.parts if isinstance(part, Arrow | Arc)}
    for name in LAWS:
        assert isinstance(arrows[f"element {name}"], Arrow)
        assert isinstance(arrows[f"element {name} about, moment"], Arc)
    poses = scene.motion.at(pendulum.t[-1])
    arc = arrows["load twist, moment"]
    largest = max(
        np.linalg.norm(pendulum.element(f).second[:, 3:], axis=1).max()
        for f in pendulum.system.forces[len(LAWS) : -1]
    )
    assert scene.arrows.moment == pytest.approx(max(largest, 3.0), rel=1e-12)
    assert arc.scale * scene.arrows.moment == pytest.approx(LONGEST_ARC)
    across = arc.points(poses) - poses["bar"].c - arc.offset
    assert np.abs(across[:, 1]).max() < 4 * arc.radius  # in the plane across the moment, which is along y
    assert np.linalg.norm(across, axis=1).mean() == pytest.approx(arc.circle, rel=0.1)
    name = max(LAWS, key=lambda name: np.abs(pendulum.element(name).force[-1]))
    spring = arrows[f"element {name}"]
    tip = poses["bar"].c + poses["bar"].Q @ [0.5, 0, 0] + spring.offset
    force = pendulum.element(name).second[-1, :3]
    points = spring.points(poses)
    far = points[np.linalg.norm(points - tip, axis=1).argmax()]
    extent = LONGEST_ARROW / spring.scale / scene.arrows.force
    np.testing.assert_allclose((far - tip) * extent, force * LONGEST_ARROW / scene.arrows.force, atol=1e-9)
    assert set(scene.arrows.legend) == {"force elements", "loads"}


def test_pages_and_series_for_paraview_hold_them(pendulum, tmp_path):
    page = fb.animate(pendulum, tmp_path / "run.html", n_frames=3, forces=True, show_progress=False)
    header = json.loads(re.search(r"const HEADER = (.*);\n", page.read_text()).group(1))
    assert [name for name, _ in header["legend"]] == ["reactions", "force elements", "loads"]
    scene = machine.scene_of(pendulum, forces=True)
    assert [part["front"] for part in header["parts"]] == [p.layer for p in scene.parts]
    assert all(p.layer == 2 for p in scene.parts if isinstance(p, Arrow | Arc))
    path = fb.write_paraview(pendulum, tmp_path / "run.vtkhdf", times=[0.0, 0.1], show_progress=False)
    names = pyvista.read(path).keys()
    between = {p for p, part in zip(scene.owners, scene.parts, strict=True) if not hasattr(part, "body")} - {
        "arrows"
    }
    assert sorted(names) == sorted({"bar", "ground"} | between)
    assert {"spring", "damped spring"} <= set(names)


def test_arrows_are_seen_through_bodies(pendulum):
    """Nearer to the camera by more than the machine is deep, at the same place of the picture."""
    stage = pictures.Stage(pendulum, 1.0, "iso", (320, 180), (), None, forces=True)
    camera, poses = stage.cameras[0], stage.scene.motion.at(0.1)
    seen = seen_by(camera, stage.painters)
    depths: dict[bool, list[float]] = {True: [], False: []}
    for plain, painter in zip(stage.painters, seen, strict=True):
        one, other = (camera.project(p.look(poses).points) for p in (plain, painter))
        np.testing.assert_allclose(one[:, :2], other[:, :2], atol=1e-9)
        arrow = isinstance(plain.part, Arrow | Arc)
        depths[arrow].append(float(other[:, 2].min() if arrow else other[:, 2].max()))
    assert min(depths[True]) > max(depths[False])


def test_round_off_has_no_arrow():
    """A weight that hangs straight on a bushing: its moment is round-off of its force."""
    ball = fb.RigidBody("ball", 1.0, (0.01,) * 3, velocity=(1e-10, 0, 0))
    mount = fb.Bushing("mount", fb.GROUND, ball, stiffness=(1e4,) * 3 + (10.0,) * 3, point=(0.1, 0, 0.3))
    scene = machine.scene_of(run([ball], [], [mount], gravity=(0, 0, 0)), forces=True)
    assert scene.arrows.force > 0
    held = fb.Bushing("mount", fb.GROUND, ball, stiffness=(1e4,) * 3 + (10.0,) * 3, point=(0, 0, 0.3))
    still = replace(ball, velocity=(0, 0, 1.0), angular_velocity=(1e-12, 0, 0))
    scene = machine.scene_of(run([still], [], [held]), forces=True)
    assert (scene.arrows.moment, len([p for p in scene.parts if isinstance(p, Arc)])) == (0, 0)
    assert scene.arrows.force > 9


def test_a_massless_beam_bends_as_its_ends_turn():
    """Its drawn line leaves both ends along their frames: a cubic, as the deflection of a beam loaded at its ends."""
    ball = fb.RigidBody("ball", 1.0, (0.01, 0.01, 0.01), center=(1, 0, 0), velocity=(0, 0, 1.0))
    beam = fb.MasslessBeam(
        "beam", fb.GROUND, ball, beam=fem.Beam(STEEL, fem.Circle(0.004)), first_point=(0, 0, 0)
    )
    result = run([ball], [], [beam], gravity=(0, 0, 0))
    parts, sketch = parts_of(result, "beam")
    (bow,) = (part for part in parts if isinstance(part, BentBeam))
    poses = sketch.motion.at(0.1)
    points = np.empty((33 * 16, 3))
    points[bow.surface.source] = bow.points(poses)
    line = points.reshape(33, 16, 3).mean(axis=1)
    L = result.position("ball")[-1]
    slope = result.rotation("ball")[-1] @ [1, 0, 0]
    s = np.linspace(0, 1, 33)
    # Hermite's cubic with the slopes (0, theta) against x; small angles, to second order
    theta, w = -slope[2], -L[2]
    cubic = -(w * (3 * s**2 - 2 * s**3) + theta * (s**3 - s**2))
    np.testing.assert_allclose(line[:, 2], cubic, atol=0.02 * abs(L[2]))
    assert abs(L[2]) > 0.03
    np.testing.assert_allclose(line[[0, -1]], [[0, 0, 0], L], atol=1e-12)


def test_gears_mesh_where_their_pitch_circles_touch():
    """Teeth of one in gaps of the other at any angle; a rack too; rings around pinions."""
    a = fb.RigidBody("a", 1.0, (0.01,) * 3, angular_velocity=(0, 0, 2.0))
    b = fb.RigidBody("b", 1.0, (0.01,) * 3, center=(0.3, 0, 0))
    c = fb.RigidBody("c", 1.0, (0.01,) * 3, center=(0.3, -0.2, 0))
    first = fb.Revolute("first", fb.GROUND, a, point=(0, 0, 0), axis="z")
    second = fb.Revolute("second", fb.GROUND, b, point=(0.3, 0, 0), axis="z")
    slide = fb.Prismatic("slide", fb.GROUND, c, point=(0.3, -0.2, 0), axis="x")
    joints = [
        first,
        second,
        slide,
        fb.Gear("pair", first, second, ratio=2.0),
        fb.Rack("rack", second, slide, radius=0.2),
    ]
    result = run([a, b, c], joints, [])
    wheels, racks = train(Sketch(result, Motion(result), 1.0))
    radii = {joint.name: wheel.radius for joint, wheel in wheels}
    assert radii == pytest.approx({"first": 0.1, "second": 0.2})  # their sum is the distance, their ratio 2
    teeth = [wheel.teeth for _, wheel in wheels]
    assert teeth[1] == 2 * teeth[0]
    assert [rack.name for rack, _ in racks] == ["rack"]
    scene = machine.scene_of(result)
    solids = {part.body: part for part in scene.parts[:3]}
    for part in solids.values():
        points, triangles = part.solid
        assert volume(points, triangles) > 0
    for time in (0.0, 0.037, 0.1):
        poses = scene.motion.at(time)
        wheel, other = (solids[name].points(poses)[:, :2] for name in "ab")
        reach = [np.linalg.norm(p - center, axis=1) for p, center in ((wheel, [0, 0]), (other, [0.3, 0]))]
        # near the pitch point, corners of one lie outside of the other's teeth: the angles of teeth alternate
        angle = np.arctan2(wheel[:, 1], wheel[:, 0])[reach[0] > 0.1]
        opposite = np.arctan2(other[:, 1], 0.3 - other[:, 0])[reach[1] > 0.2]
        near = angle[np.abs(angle) < np.pi / teeth[0]] * 0.1
        far = opposite[np.abs(opposite) < np.pi / teeth[1]] * 0.2
        gap = np.abs(near[:, None] - far).min()
        assert gap > 0.05 * 2 * np.pi * 0.1 / teeth[0]


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("rings", [(False, False), (False, True), (True, False)])
def test_wheels_mesh_at_any_angle(rings, same):
    """A tooth of one meets a gap of the other where their circles touch, also after they have rolled on each other."""
    z, u = np.array([0, 0, 1.0]), np.array([0.6, 0.8, 0.0])
    axes = (z, z if same else -z)
    first = Wheel(np.zeros(3), axes[0], 0.1, 15, np.array([1.0, 0, 0]), 0.3, rings[0])
    second = Wheel(np.zeros(3), axes[1], 0.2, 30, u, 0.0, rings[1]).meshing(first, u)
    inside = any(rings)
    back = u if inside else -u
    for angle in (0.0, 0.37, -2.0):  # of the first about z; the second one's rim moves along
        other = 0.5 * angle if inside else -0.5 * angle
        turned = []
        for wheel, way in ((first, angle), (second, other)):
            R = Rotation.from_rotvec(way * z).as_matrix()
            turned.append(replace(wheel, toward=R @ wheel.toward))
        # positions of teeth along the rims at the contact, in pitches, in one direction
        rims = [np.cross(wheel.axis, ray) for wheel, ray in zip(turned, (u, back), strict=True)]
        way = np.sign(rims[0] @ rims[1])
        gap = turned[0].phase(u) - way * turned[1].phase(back) - 0.5
        assert gap - round(gap) == pytest.approx(0, abs=1e-9)


def test_what_is_clamped_stands_in_a_wall():
    beam = modal.assumed.beam(1.0, mass=1.0, EI=50.0, polar_inertia=1e-4, y=modal.assumed.quintic())
    blade = fb.FlexibleBody("blade", beam, place={"start": (0, 0, 0), "end": (1, 0, 0)})
    result = run([blade], [fb.Fixed("clamp", fb.GROUND, blade["start"])], [], gravity=(0, -9.81, 0))
    walls = [
        part for part in machine.scene_of(result).parts if isinstance(part, Rigid) and part.body == "ground"
    ]
    assert len(walls) == 1
    points, triangles = walls[0].solid
    assert points[:, 0].max() == pytest.approx(0, abs=1e-9)  # behind the clamp, its face at it
    assert volume(points, triangles) > 0


def test_a_plate_that_is_held_in_its_middle_is_not_hidden():
    """The mean of its edge is its middle: a wall as wide as the plate would cut it."""
    mesh = fem.box((1.0, 1.0, 0.02), (4, 4, 1))
    away = np.abs(mesh.points[:, :2] - 0.5).max(axis=1)
    mesh = replace(mesh, node_sets={**mesh.node_sets, "edge": np.flatnonzero(away > 0.49)})
    plate = fem.assemble(mesh, fem.Isotropic(E=70e9, nu=0.33, rho=2700.0))
    reduced = modal.reduce(plate, modal.craig_bampton(plate, ("edge",), n_normal=2), stress=False)
    body = fb.FlexibleBody("plate", reduced)
    scene = machine.scene_of(run([body], [fb.Fixed("frame", fb.GROUND, body["edge"])], []))
    wall = next(part for part in scene.parts if isinstance(part, Rigid) and part.body == "ground")
    assert np.ptp(wall.solid[0][:, :2], axis=0).max() < 0.3


def test_elements_hold_on_to_a_body_that_is_drawn_enlarged():
    """Ends at a marker between the joints move with the drawn surface there, not with the true one."""
    beam = modal.assumed.beam(1.0, mass=1.0, EI=50.0, polar_inertia=1e-4, y=modal.assumed.sines(2))
    bar = fb.FlexibleBody("bar", beam, place={"start": (0, 0, 0), "end": (1, 0, 0)})
    joints = [
        fb.Spherical("left", fb.GROUND, bar["start"]),
        fb.PointOnLine("right", fb.GROUND, bar["end"], axis="x"),
        fb.Drive("still", fb.Floating("place", fb.GROUND, bar["start"]), value=0.0, which="angle_x"),
    ]
    joints.insert(2, joints[2].joint)
    spring = fb.SpringDamper("spring", fb.GROUND, bar["middle"], stiffness=10.0, first_point=(0.5, -0.4, 0))
    result = run([bar], joints, [spring], gravity=(0, -9.81, 0))
    scene = machine.scene_of(result, scale=20.0)
    poses = scene.motion.at(0.1)
    (coil,) = (part for part in scene.parts if isinstance(part, Spring))
    end = coil.places(poses)[1] - coil.ends[1].offset
    deflection = result.displacement("bar", "middle", relative_to=fb.Chord("start", "end"))[-1]
    assert abs(deflection[1]) > 5e-4
    assert end[1] == pytest.approx(20 * deflection[1], rel=0.02)


def test_stops_stand_where_a_block_meets_them():
    block = fb.RigidBody("block", 1.0, (0.01,) * 3, velocity=(1.0, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, block, point=(0, 0, 0), axis="x")
    result = run([block], [rail], [fb.Limit("ends", rail, lower=-0.2, upper=0.3, stiffness=1e4)])
    stops = [p for p in machine.scene_of(result).parts if isinstance(p, Rigid) and p.colour == colours.STOP]
    (body,) = [p for p in machine.scene_of(result).parts if isinstance(p, Rigid) and p.body == "block"]
    half = np.ptp(body.solid[0][:, 0]) / 2
    faces = sorted((stop.solid[0][:, 0].min(), stop.solid[0][:, 0].max()) for stop in stops)
    assert faces[0][1] == pytest.approx(-0.2 - half, abs=1e-6)
    assert faces[1][0] == pytest.approx(0.3 + half, abs=1e-6)


def test_the_arrow_of_a_drive_along_a_rail_lies_along_it():
    line = np.array([(0.0, 0, 0), (1, 1, 0), (2, 2, 0)])
    bead = fb.RigidBody("bead", 1.0, (0.01,) * 3, center=line[1])
    rail = fb.PointOnGuideway("rail", fb.GROUND, bead, points=line, point=line[1])
    drive = fb.Drive("travel", rail, rate=0.1, which="path")
    result = run([bead], [rail, drive], [])
    (arrow,) = [
        p for p in machine.scene_of(result).parts if isinstance(p, Rigid) and p.colour == colours.MOTOR
    ]
    spread = np.linalg.svd(arrow.solid[0] - arrow.solid[0].mean(axis=0))[2][0]
    assert abs(spread @ [1, 1, 0]) == pytest.approx(np.sqrt(2), abs=1e-6)


def test_a_bushing_inside_a_body_is_drawn_in_front_of_it():
    """The ring of a bearing is larger than its bushing; a bushing at the edge of a plate is seen beside it."""
    ring = fb.RigidBody("ring", 1.0, (0.1, 0.1, 0.1))
    stand = fb.RigidBody(
        "stand", 1.0, (0.1, 0.1, 0.1), center=(2.0, 0, 0), markers={"a": (2, 0, 2), "b": (2, 1, 0)}
    )
    soft = [1e5] * 3 + [1e3, 10.0, 1e3]  # softest about y
    mounts = [
        fb.Bushing("inner", fb.GROUND, ring, point=(0, 0, 0), stiffness=soft),
        *(
            fb.Bushing(name, fb.GROUND, stand[end], stiffness=soft)
            for name, end in (("corner", "a"), ("b", "b"))
        ),
    ]
    result = run([ring, stand], [], mounts, t_end=0.02)
    scene = machine.scene_of(result)
    drawn = {
        name: [p for p, of in zip(scene.parts, scene.owners, strict=True) if of == name]
        for name in ("inner", "corner")
    }
    sleeve, pin, *_ = drawn["inner"]
    assert sleeve.in_front
    assert pin.in_front
    assert not any(part.in_front for part in drawn["corner"])
    # the pin is 3.4 units long along the softest axis, and 1.2 units wide
    assert np.argmax(np.ptp(pin.solid[0], axis=0)) == 1


def test_points_inside_closed_surfaces_are_found():
    """Points in a ball of radius 1: those nearer to its middle; its 40 corners make it 0.3 % smaller."""
    points = np.random.default_rng(2).uniform(-1.2, 1.2, size=(60, 3))
    size = np.linalg.norm(points, axis=1)
    points = points[np.abs(size - 1) > 0.02]
    inside = (np.linalg.norm(points, axis=1) < 1).mean()
    assert 0.1 < inside < 0.9
    assert share_inside(points, [sphere((0, 0, 0), 1.0)]) == pytest.approx(inside, abs=1e-12)
    assert share_inside(points, [sphere((5, 0, 0), 1.0), sphere((0, 0, 0), 1.0)]) == pytest.approx(inside)
