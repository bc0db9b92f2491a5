"""Arrows of forces, and several views in one picture."""

import imageio_ffmpeg
import numpy as np
import pytest

import flexbody as fb
from flexbody.view import pictures
from flexbody.view.render import opengl, subviews
from flexbody.view.scenes import forces as arrows
from flexbody.view.scenes import machine
from flexbody.view.scenes.forces import Arc, Arrow

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
        np.testing.assert_allclose(tip - tail, scale * force, atol=1e-9)
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
    assert stage.caption.note == "longest arrow 30 N"
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
    """Each pane shows what a picture of that view alone and of that size shows, below the title."""
    if renderer == "opengl" and not opengl.available():
        pytest.skip("no OpenGL on this machine")
    monkeypatch.setattr(opengl, "accelerated", lambda: renderer == "opengl")
    both = fb.picture(pendulum, time=0.1, size=(640, 360), view=["motion", "z"])
    assert both.shape == (360, 640, 3)
    for k, view in enumerate(("motion", "z")):
        alone = fb.picture(pendulum, time=0.1, size=(320, 360), view=view)
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
    """A skate's side force, a gear's moment on its second wheel: what the result says, where it acts."""
    skate = fb.RigidBody("skate", 2.0, (0.1, 0.1, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 0, 2))
    ice = fb.Planar("ice", fb.GROUND, skate, point=(0, 0, 0))
    edge = fb.Constraint("edge", [skate], velocity=lambda t, a: a.R[:, 1] @ a.v)
    wheels = [
        fb.RigidBody(n, 1.0, (0.02, 0.02, 0.02), center=(x, 1, 0)) for n, x in (("one", 1.0), ("two", 1.3))
    ]
    axles = [fb.Revolute(f"axle {w.name}", fb.GROUND, w, point=w.center, axis="z") for w in wheels]
    gear = fb.Gear("gear", *axles, ratio=2.0)
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
