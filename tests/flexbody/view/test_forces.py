"""Arrows of forces, and several views in one picture."""

import imageio_ffmpeg
import numpy as np
import pytest

import flexbody as fb
from flexbody.view import pictures
from flexbody.view.geometry import colours
from flexbody.view.geometry.scale import Scale
from flexbody.view.render import opengl, scale_arrows, subviews
from flexbody.view.render.blocks import BAR_FONT, Legend
from flexbody.view.render.caption import Caption
from flexbody.view.render.lettering import font
from flexbody.view.scenes import forces as arrows
from flexbody.view.scenes import machine
from flexbody.view.scenes.forces import Arc, Arrow

pytestmark = pytest.mark.slow  # together a second or more

SIZE = (320, 180)


@pytest.fixture(scope="module")
def pendulum():
    """A bar on a hinge with its weight, a sideways load that grows and one that turns with it."""
    bar = fb.RigidBody("bar", 2.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0), markers={"tip": (1, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    loads = [
        fb.PointForce("push", bar["tip"], lambda t: (0.0, 0.0, 200.0 * t)),
        fb.PointForce("jet", bar["tip"], (0.0, 0.0, -30.0), follows=True),
    ]
    return fb.simulate(fb.System([bar], [hinge], loads, gravity=(0, 0, -9.81)), 0.4, show_progress=False)


def parts_of(scene):
    return {part.name: part for part in scene.parts if isinstance(part, Arrow)}


def ends(part, poses):
    """Tail and tip: the middle of the first ring, and the point farthest from it."""
    points = part.points(poses)
    tail = poses[part.frame.body].c + poses[part.frame.body].Q @ part.frame.x + part.offset
    return tail, points[np.linalg.norm(points - tail, axis=1).argmax()]


def test_arrows_are_the_forces(pendulum):
    """At a stored time: along the force, as long as its share of the largest; the tail where it acts."""
    scene = machine.scene_of(pendulum, forces=True)
    found = parts_of(scene)
    assert set(found) == {"reaction hinge", "load push", "load jet"}
    k = len(pendulum.t) // 2
    poses = scene.motion.at(pendulum.t[k])
    Q = pendulum.rotation("bar")[k]
    expected = {
        "reaction hinge": pendulum.reaction("hinge").force[k],
        "load push": np.array([0, 0, 200.0 * pendulum.t[k]]),
        "load jet": Q @ [0, 0, -30.0],
    }
    forces = np.linalg.norm(pendulum.reaction("hinge").force, axis=1)
    assert forces.max() > 80
    assert scene.arrows.force == pytest.approx(forces.max(), rel=1e-12)
    scale = found["load jet"].scale
    assert scale * scene.arrows.force > 0.1  # a fifth of a machine of more than a metre
    for name, force in expected.items():
        tail, tip = ends(found[name], poses)
        size = np.linalg.norm(force)
        longer = max(1.0, arrows.SHORTEST_ARROW * scene.arrows.force / size)  # small arrows are lengthened
        np.testing.assert_allclose(tip - tail, longer * scale * force, atol=1e-9)
    tip = pendulum.position(pendulum.system.body("bar")["tip"])[k]
    np.testing.assert_allclose(ends(found["load jet"], poses)[0] - found["load jet"].offset, tip, atol=1e-12)


def test_what_is_next_to_nothing_is_not_drawn(pendulum):
    scene = machine.scene_of(pendulum, forces=("push", "hinge"))
    points = parts_of(scene)["load push"].points(scene.motion.at(0.0))
    np.testing.assert_allclose(points, np.tile(points[0], (len(points), 1)))
    assert np.isfinite(points).all()


def test_some_by_name_or_object(pendulum):
    hinge = pendulum.system.joint("hinge")
    for wanted in ("hinge", hinge, ["hinge"], (hinge, "hinge")):
        assert set(parts_of(machine.scene_of(pendulum, forces=wanted))) == {"reaction hinge"}
    for wanted in (False, None, ()):
        assert not parts_of(machine.scene_of(pendulum, forces=wanted))
    with pytest.raises(
        fb.InputError, match=r"for 'wind'; there are the joints, drives and forces 'hinge', 'push', 'jet'"
    ):
        machine.scene_of(pendulum, forces=("hinge", "wind"))


def test_the_picture_tells_the_largest(pendulum):
    stage = pictures.Stage(pendulum, 1.0, "motion", SIZE, (), None, forces=("jet",))
    assert stage.caption.note == ""
    assert [arrow.text for arrow in stage.caption.arrows] == ["20 N"]
    plain, drawn = (fb.picture(pendulum, time=0.4, size=(640, 360), forces=which) for which in ((), True))
    red = (drawn[:, :, 0].astype(int) - drawn[:, :, 2] > 80).sum() - (
        plain[:, :, 0].astype(int) - plain[:, :, 2] > 80
    ).sum()
    assert red > 30
    assert arrows.REACTION != arrows.LOAD


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_views_fill_the_picture(n):
    (rows, columns), sizes = subviews.grid(n, (1280, 721))
    assert rows * columns == len(sizes) == n
    assert sum(width for width, _ in sizes[:columns]) == 1280
    assert sum(height for _, height in sizes[::columns]) == 721


@pytest.mark.parametrize("renderer", ["opengl", "own"])
def test_each_view_is_that_view(pendulum, monkeypatch, renderer):
    """Each pane shows what its camera sees in a picture of its own, which looks as that of the view alone."""
    if renderer == "opengl" and not opengl.available():
        pytest.skip("no OpenGL on this machine")
    monkeypatch.setattr(opengl, "accelerated", lambda: renderer == "opengl")
    both = fb.picture(pendulum, time=0.1, size=(640, 360), view=["motion", "z"])
    assert both.shape == (360, 640, 3)
    stage = pictures.Stage(pendulum, 1.0, ["motion", "z"], (640, 360), (), None, time=0.1)
    for k, view in enumerate(("motion", "z")):
        single = pictures.Stage(pendulum, 1.0, view, (320, 360), (), None, time=0.1)
        np.testing.assert_array_equal(stage.cameras[k].forward, single.cameras[0].forward)
        single.cameras = [stage.cameras[k]]
        with single.renderer() as own:
            alone = single.frame(own, 0.1)
        pane = both[60:, 320 * k + 4 : 320 * (k + 1)]
        assert (np.abs(pane.astype(int) - alone[60:, 4:]) > 8).any(axis=2).mean() < 0.002


def test_which_views_there_are(pendulum):
    assert subviews.views_of("iso") == ["iso"]
    assert subviews.views_of((1, 2, -3)) == [(1, 2, -3)]
    assert subviews.views_of(["iso", (1, 2, -3)]) == ["iso", (1, 2, -3)]
    with pytest.raises(fb.InputError, match="view has 5 views; a picture can have"):
        subviews.views_of(["x"] * 5)
    with pytest.raises(fb.InputError, match="view is 'sideways'; give a direction"):
        fb.picture(pendulum, size=SIZE, view=["x", "sideways"])


def test_a_film_of_two_views_with_arrows(pendulum, tmp_path):
    film = fb.animate(
        pendulum,
        tmp_path / "film.mp4",
        n_frames=4,
        size=SIZE,
        view=["motion", "iso"],
        forces=True,
        show_progress=False,
    )
    reader = imageio_ffmpeg.read_frames(str(film))
    assert next(reader)["size"] == SIZE
    assert len(list(reader)) == 4


def test_couplings_and_users_constraints_have_arrows():
    """A skate's side force, a gear's moment on its second wheel, its teeth: what the result says, where it acts."""
    skate = fb.RigidBody("skate", 2.0, (0.1, 0.1, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 0, 2))
    ice = fb.Planar("ice", fb.GROUND, skate, point=(0, 0, 0))
    edge = fb.Constraint("edge", [skate], velocity=lambda t, a: a.R[:, 1] @ a.v)
    wheels = [
        fb.RigidBody(n, 1.0, (0.02, 0.02, 0.02), center=(x, 1, 0)) for n, x in (("one", 1.0), ("two", 1.3))
    ]
    axles = [fb.Revolute(f"axle {w.name}", fb.GROUND, w, point=w.center, axis="z") for w in wheels]
    gear = fb.Gear("gear", *axles, ratio=2.0, pressure_angle=None)
    twist = fb.PointMoment("twist", wheels[0], (0, 0, 1.0))
    system = fb.System([skate, *wheels], [ice, edge, *axles, gear], [twist])
    run = fb.simulate(system, 0.5, step=0.01, show_progress=False)
    scene = machine.scene_of(run, forces=True)
    found = {part.name: part for part in scene.parts if isinstance(part, Arrow | Arc)}
    poses = scene.motion.at(run.t[20])
    force = run.reaction("edge").force[20]
    tail, tip = ends(found["reaction edge"], poses)
    np.testing.assert_allclose(tip - tail, found["reaction edge"].scale * force, atol=1e-9)
    assert np.linalg.norm(force) > 3.9
    moment = run.reaction("gear").moment[20]
    np.testing.assert_array_equal(poses["reaction gear, moment"].alpha, moment)
    assert found["reaction gear, moment"].frame.body == "two"
    # the torque on the first wheel, less what it takes itself: 1 = I b (1 + 1 / 4), on the second I b / 2
    assert abs(moment[2]) == pytest.approx(0.4, rel=1e-6)
    toothed = fb.Gear("gear", *axles, ratio=2.0)
    other = fb.simulate(fb.System(wheels, [*axles, toothed], [twist]), 0.5, step=0.01, show_progress=False)
    parts = machine.scene_of(other, forces=["gear"]).parts
    (arrow,) = (part for part in parts if isinstance(part, Arrow))
    np.testing.assert_allclose(arrow.frame.x, [1.1, 1, 0], atol=1e-12)  # radii 0.1 m and 0.2 m
    assert np.linalg.norm(other.reaction("gear").force[20]) == pytest.approx(
        2.0 / np.cos(np.radians(20)), rel=1e-6
    )
    assert set(machine.scene_of(run, forces=["edge"]).arrows.legend) == {"reactions"}


def test_the_legend_tells_the_flat_arrow_of_a_drive_from_its_load():
    """Both have a colour of their own: the motion, as it is drawn, and the moment that it takes."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    drive = fb.Drive("drive", hinge, value=lambda t: 3 * t)
    run = fb.kinematics(fb.System([bar], [hinge, drive], gravity=(0, -9.81, 0)), 0.3, show_progress=False)
    scene = machine.scene_of(run, forces=True)
    symbol = [part for part, owner in zip(scene.parts, scene.owners, strict=True) if owner == "drive"]
    assert [part.colour for part in symbol] == [scene.arrows.legend["driven motion"]]
    assert list(scene.arrows.legend) == ["reactions", "drives", "driven motion"]
    assert len(set(scene.arrows.legend.values())) == 3
    assert not machine.scene_of(run).arrows.legend


# ---- in the picture


@pytest.fixture(scope="module")
def loaded():
    """A bar along x, welded to the ground, at rest under 90 N down at its tip and 120 N along it."""
    bar = fb.RigidBody("bar", 2.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0), markers={"tip": (1, 0, 0)})
    weld = fb.Fixed("weld", fb.GROUND, bar, point=(0, 0, 0))
    loads = [
        fb.PointForce("down", bar["tip"], (0, 0, -90.0)),
        fb.PointForce("along", bar["tip"], (120.0, 0, 0)),
    ]
    return fb.simulate(fb.System([bar], [weld], loads), 0.1, step=0.01, show_progress=False)


def pixels(stage, points, k=0):
    """Where the camera of the only view shows points (n, 3), from the upper left corner, (n, 2)."""
    camera, (width, height) = stage.cameras[k], stage.sizes[k]
    p = camera.project(np.atleast_2d(points))[:, :2] * height / camera.height
    return np.column_stack([width / 2 + p[:, 0], height / 2 - p[:, 1]])


@pytest.mark.parametrize("view", ["motion", "y", "iso", "z", (1, 2, -0.5)])
def test_arrows_start_where_the_force_acts_and_are_as_long_as_the_scale_says(loaded, view):
    """Pixels of the arrow's colour at its tail and at its tip, and none beyond; in every view."""
    size = (960, 540)
    stage = pictures.Stage(loaded, 1.0, view, size, (), None, forces=("down",), time=0.1)
    image = np.asarray(fb.picture(loaded, forces=("down",), view=view, size=size)).astype(float)
    (scale,) = stage.caption.arrows
    assert scale.text == "50 N"
    metres = scale.size * 540 * stage.cameras[0].height / 540 * 90 / 50  # of 90 N, by the scale arrow
    tail, tip = np.array([1.0, 0, 0]), np.array([1.0, 0, -metres])
    green = (image[..., 1] > image[..., 0] + 40) & (image[..., 1] > image[..., 2] + 5)
    green[: int(0.25 * 540), 800:] = False  # the legend
    y, x = np.nonzero(green)
    (a,), (b,) = pixels(stage, tail), pixels(stage, tip)
    if np.linalg.norm(b - a) < 5:  # seen from its end
        assert np.hypot(x - a[0], y - a[1]).max() < 20
        return
    way = (b - a) / np.linalg.norm(b - a)
    s = (np.column_stack([x, y]) + 0.5 - a) @ way
    head = 0.35 * np.linalg.norm(b - a)
    assert -6 < s.min() < 3
    assert np.linalg.norm(b - a) - 4 < s.max() < np.linalg.norm(b - a) + min(6, head)


def test_the_scale_is_that_of_the_time_of_a_still_and_of_the_run_of_a_film(pendulum):
    """The hinge carries 551 N at the end, where the load is largest, and the jet's 30 N at the start."""
    texts = {}
    for time in (0.0, 0.3, None):
        stage = pictures.Stage(pendulum, 1.0, "motion", SIZE, (), None, forces=True, time=time)
        texts[time] = [arrow.text for arrow in stage.caption.arrows if not arrow.curved]
    force = np.linalg.norm(pendulum.reaction("hinge").force, axis=1)
    assert force.max() > 500
    assert texts[None] == ["500 N"]
    assert texts[0.0] == ["20 N"]
    assert len({tuple(t) for t in texts.values()}) == 3


def test_small_forces_are_seen_and_the_note_says_so(loaded):
    bar = fb.RigidBody("bar", 2.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0), markers={"tip": (1, 0, 0)})
    weld = fb.Fixed("weld", fb.GROUND, bar, point=(0, 0, 0))
    loads = [fb.PointForce("large", bar["tip"], (1000.0, 0, 0)), fb.PointForce("small", bar, (0, 0, -5.0))]
    run = fb.simulate(fb.System([bar], [weld], loads), 0.1, step=0.01, show_progress=False)
    stage = pictures.Stage(run, 1.0, "y", SIZE, (), None, forces=("large", "small"), time=0.1)
    assert stage.caption.note == "arrows below 100 N not to scale"
    lengths = [
        np.linalg.norm(np.subtract(*ends(p, stage.scene.motion.at(0.1)))) for p in stage.scene.arrows.parts
    ]
    assert lengths[1] == pytest.approx(0.1 * lengths[0], rel=1e-6)  # to scale it would be a two-hundredth


def test_reaction_moments_are_drawn_with_their_own_scale(loaded):
    """A weld under 90 N at 1 m: 90 N m about y, on the bar against the load's; its scale arrow shows 50 N m."""
    stage = pictures.Stage(loaded, 1.0, "motion", SIZE, (), None, forces=("weld",), time=0.1)
    (arc,) = [part for part in stage.scene.arrows.parts if isinstance(part, Arc)]
    moment = stage.scene.motion.at(0.1)[arc.name].alpha
    np.testing.assert_allclose(moment, [0, -90.0, 0], atol=1e-6)
    straight, curved = stage.caption.arrows
    assert (straight.text, curved.text) == ("100 N", "50 N m")
    assert curved.size == pytest.approx(arrows.LONGEST_ARC * 50 / 90, rel=1e-6)
    assert curved.curved
    points = arc.points(stage.scene.motion.at(0.1))
    assert np.linalg.norm(points - [0, 0, 0], axis=1).min() < 0.02 * 1.0  # its spoke starts at the joint


@pytest.mark.parametrize("size", [(160, 90), (320, 180), (960, 540)])
def test_values_of_scale_arrows_stand_side_by_side(loaded, size):
    """Small pictures have letters of 8 pixels, which are wider beside the picture."""
    stage = pictures.Stage(loaded, 1.0, "motion", size, (), None, forces=("weld",), time=0.1)
    straight, curved = stage.caption.arrows
    letters = font(BAR_FONT * size[1])
    text_ends = (straight.end + scale_arrows.GAP) * size[1] + letters.getlength(straight.text)
    assert text_ends < (curved.x - scale_arrows.CIRCLE) * size[1]


@pytest.mark.parametrize("size", [(640, 360), (300, 200)])
def test_a_long_legend_counts_its_last_names(size):
    """A colour bar still has its place below, in small pictures too."""
    width, height = size
    names = {f"{k} N on top": colours.LOAD for k in range(1, 31)}
    legend = Legend(names, size, 0.1 * height, 0.5 * height)
    shown = [name for name, _ in legend._names]
    lines = int(0.4 * height / max(0.042 * height, 12))
    assert shown == [*list(names)[: lines - 1], f"and {31 - lines} more"]
    caption = Caption("", "", Scale("displacement", 0.0, 1.0), names)
    blank = np.full((height, width, 3), 255, dtype=np.uint8)
    drawn = (np.asarray(caption.on(blank, "")) != 255).any(axis=2)
    assert drawn[:, int(0.6 * width) :].any(axis=1)[int(0.8 * height) : int(0.86 * height)].all()  # the bar
    assert not drawn[-2:].any()
    assert not drawn[:, -2:].any()


@pytest.mark.parametrize("size", [(960, 540), (300, 200), (1600, 300)])
@pytest.mark.parametrize("views", [["motion"], ["motion", "iso"], ["motion", "iso", "z", "x"]])
def test_texts_do_not_lie_on_the_machine(loaded, views, size):
    """With a title of three lines, a note, a legend and scale arrows."""
    title = "a bar that is welded to a wall and loaded at its tip in two directions " * 3
    stage = pictures.Stage(loaded, 1.0, views, size, (), title, forces=True, time=0.1)
    blank = np.full((*size[::-1], 3), 255, dtype=np.uint8)
    text = (np.asarray(stage.caption.on(blank, "t = 100.00 ms")) < 200).any(axis=2)
    with stage.renderer() as renderer:
        machine_ = (renderer.image(stage.scene.motion.at(0.1)) < 200).any(axis=2)
    assert text.sum() > 2000
    assert machine_.sum() > 200
    assert not (text & machine_).any()
    assert not text[:, -4:].any()  # nothing runs off


def test_of_all_forces_the_largest_are_drawn_and_the_note_says_so():
    """Sixteen bars held at one end, of growing mass: 12 forces and 8 moments; all of those that are named."""
    bars = [fb.RigidBody(f"bar {k}", 1.0 + k, (0.01, 0.1, 0.1), center=(0.5, 0.3 * k, 0)) for k in range(16)]
    clamps = [fb.Fixed(f"clamp {k}", fb.GROUND, bar, point=(0, 0.3 * k, 0)) for k, bar in enumerate(bars)]
    result = fb.simulate(fb.System(bars, clamps, gravity=(0, 0, -9.81)), 0.1, step=0.05, show_progress=False)
    scene = machine.scene_of(result, forces=True, time=0.1)
    shown = [part.name for part in scene.parts if isinstance(part, Arrow | Arc)]
    assert shown == [
        f"reaction clamp {k}{what}" for k in range(4, 16) for what in ("", ", moment") if not (what and k < 8)
    ]
    assert scene.arrows.note().startswith(
        "arrows of the 12 largest of 16 forces and the 8 largest of 16 moments"
    )
    named = machine.scene_of(result, forces=clamps, time=0.1)
    assert len([part for part in named.parts if isinstance(part, Arrow | Arc)]) == 32
    assert "largest" not in named.arrows.note()


@pytest.mark.parametrize(("lever", "drawn"), [(1e-2, True), (1e-5, False)])
def test_moments_that_are_nothing_beside_the_forces_are_told_not_drawn(lever, drawn):
    """A bar on its hinge with a torque of ``lever`` m times its weight; named, it is drawn in any case."""
    weight = 2.0 * 9.81
    bar = fb.RigidBody("bar", 2.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    torque = fb.PointMoment("torque", bar, (0, lever * weight, 0))
    load = fb.PointForce("weight", bar, (0, 0, -weight))
    result = fb.simulate(fb.System([bar], [hinge], [load, torque]), 0.1, step=0.01, show_progress=False)
    scene = machine.scene_of(result, forces=True, time=0.0)
    assert any(isinstance(part, Arc) for part in scene.parts) == drawn
    assert (scene.arrows.note() == "") == drawn
    assert drawn or "not drawn" in scene.arrows.note()
    named = machine.scene_of(result, forces=(torque, load), time=0.0)
    assert any(isinstance(part, Arc) for part in named.parts)


def test_a_body_reaches_the_point_of_its_load():
    """A plate on three mounts is loaded 0.3 m above: its solid goes there."""
    body = fb.RigidBody("plate", 5.0, (0.1, 0.1, 0.2), center=(0, 0, 0.3))
    mounts = [
        fb.Bushing(f"mount {k}", fb.GROUND, body, stiffness=[1e5] * 3 + [1e3] * 3, point=(x, y, 0))
        for k, (x, y) in enumerate(((0.4, 0.3), (-0.4, 0.3), (0, -0.3)))
    ]
    load = fb.PointForce("load", body, (0, 0, -50.0))
    heights = []
    for forces in (mounts, [*mounts, load]):
        result = fb.simulate(fb.System([body], [], forces), 0.01, step=0.005, show_progress=False)
        scene = machine.scene_of(result)
        (part,) = (p for p, owner in zip(scene.parts, scene.owners, strict=True) if owner == "plate")
        heights.append(part.points(scene.motion.at(0.0))[:, 2].max())
    assert heights[0] < 0.1 < 0.29 < heights[1]


def test_a_picture_of_a_mode_of_a_machine_names_it():
    """A mass on a spring: sqrt(k / m) / 2 pi = 1.5915 Hz."""
    mass = fb.RigidBody("mass", 1.0, (1e-3,) * 3, center=(0.3, 0, 0))
    slot = fb.Prismatic("slot", fb.GROUND, mass, point=mass.center, axis="x")
    spring = fb.ForceElement("spring", fb.Along(slot), fb.Linear(100.0))
    modes = fb.linearize(fb.System([mass], [slot], [spring]))
    stage = pictures.Stage(modes.motion(0), 1.0, "motion", SIZE, (), None)
    assert stage.caption.note == "mode 1: 1.5915 Hz, amplitude arbitrary"
