"""Rolling of shapes on each other: closed forms of balls, cylinders and wheels, and the point of contact by search."""

import numpy as np
import pytest
import scipy
from numpy.polynomial import Polynomial

import fem
import flexbody as fb
import modal
from flexbody.model.joints.recorded_rows import View
from flexbody.view.scenes.machine import scene_of

G = 9.81
EXPLICIT = fb.Explicit(rtol=1e-10)
RAMP = np.array([-0.3, 0.2, 1.0]) / np.sqrt(1.13)


def run(machine, t_end, integrator=EXPLICIT, **options):
    return fb.simulate(machine, t_end, integrator=integrator, show_progress=False, **options)


def ball(radius, center, share=0.4, m=0.7, name="ball", **motion):
    return fb.RigidBody(name, m, (share * m * radius**2,) * 3, center=center, **motion)


# ---- down an incline -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize(("kind", "share"), [("ball", 0.4), ("wheel", 0.5), ("cylinder", 0.5)])
def test_down_an_incline(kind, share, description):
    """a = g sin(slope) / (1 + J / m r^2), friction m g sin(slope) share / (1 + share); beside the plane's own axes."""
    slope, r, m, t = 0.4, 0.2, 0.7, 0.8
    down, normal = np.array([np.cos(slope), 0, -np.sin(slope)]), np.array([np.sin(slope), 0, np.cos(slope)])
    body = ball(r, r * normal, share)
    shapes = {"ball": fb.Sphere(body, r), "wheel": fb.Wheel(body, r, axis="y"),
              "cylinder": fb.Cylinder(body, r, 0.5, axis="y")}  # fmt: skip
    plane = fb.Plane(fb.GROUND, normal, point=(0, 0, 0))
    machine = fb.System([body], [fb.Rolling("slope", plane, shapes[kind])], gravity=(0, 0, -G))
    result = run(machine, t, description=description)
    a = G * np.sin(slope) / (1 + share)
    np.testing.assert_allclose(result.position(body)[-1], r * normal + 0.5 * a * t * t * down, atol=1e-9)
    force = result.reaction("slope").force[-1]
    np.testing.assert_allclose(force @ normal, m * G * np.cos(slope), rtol=1e-9)
    np.testing.assert_allclose(force @ -down, m * G * np.sin(slope) * share / (1 + share), rtol=1e-9)
    # the contact lies below the centre by r: moment of the friction about the centre
    np.testing.assert_allclose(
        result.reaction("slope").moment[-1], np.cross(-r * normal, force), atol=1e-9 * m * G
    )
    assert result.energy.balance_error < 1e-9


# ---- on and in round bodies ----------------------------------------------------------------------------------


def period_of_pendulum(length, angle):
    """4 sqrt(l / g) K(sin(angle/2)): Landau and Lifshitz, Mechanics, section 11, problem 1."""
    return 4 * np.sqrt(length / G) * scipy.special.ellipk(np.sin(angle / 2) ** 2)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("host", "guest", "share"), [("tube", "ball", 0.4), ("tube", "roller", 0.5), ("bowl", "ball", 0.4)]
)
def test_rolling_to_and_fro_in_a_hollow(host, guest, share, order):
    """A pendulum of the length (1 + share)(R - r): (1 + J / m r^2) (R - r) angle.. = -g sin(angle)."""
    R, r, angle = 1.0, 0.2, 1.1
    place = (R - r) * np.array([np.sin(angle), 0, -np.cos(angle)])
    body = ball(r, place, share)
    outer = fb.Cylinder(fb.GROUND, R, 0.4, axis="y") if host == "tube" else fb.Sphere(fb.GROUND, R)
    inner = fb.Cylinder(body, r, 0.4, axis="y") if guest == "roller" else fb.Sphere(body, r)
    contact = fb.Rolling("hollow", *(outer, inner)[::order])
    period = period_of_pendulum((1 + share) * (R - r), angle)
    result = run(fb.System([body], [contact], gravity=(0, 0, -G)), period, output_step=period / 4)
    np.testing.assert_allclose(result.position(body)[[2, 4]], [place * (-1, 1, 1), place], atol=1e-7)
    np.testing.assert_allclose(result.position(body)[[1, 3]] @ np.eye(3)[0], 0, atol=1e-7)
    # at the lowest point: m g + m v^2 / (R - r), with v^2 = 2 g h / (1 + share)
    height = (R - r) * (1 - np.cos(angle))
    force = order * result.reaction("hollow").force[1, 2]
    np.testing.assert_allclose(force, 0.7 * (G + 2 * G * height / (1 + share) / (R - r)), rtol=1e-6)


def test_a_ball_in_a_hole_rises_again():
    """In an upright tube a ball that rolls round with the rate W sinks and rises as a spring, with W sqrt(2/7):

    M. Gualtieri, T. Tokieda, L. Advis-Gaete, B. Carry, E. Reffet, C. Guthmann, "Golfer's dilemma", Am. J. Phys. 74
    (2006) 497; Neimark and Fufaev. With no spin about the radius z.. = -g/(1 + 2/5) - 2/7 W^2 z.
    """
    R, r, W = 1.0, 0.1, 6.0
    speed = W * (R - r)
    body = ball(r, (R - r, 0, 0), velocity=(0, speed, 0), angular_velocity=(0, 0, -speed / r))
    hole = fb.Rolling("hole", fb.Cylinder(fb.GROUND, R, 2.0), fb.Sphere(body, r))
    rate = W * np.sqrt(2 / 7)
    result = run(fb.System([body], [hole], gravity=(0, 0, -G)), 2 * np.pi / rate)
    z = -G * 5 / 7 / rate**2 * (1 - np.cos(rate * result.t))
    np.testing.assert_allclose(result.position(body)[:, 2], z, atol=1e-7)
    angle = W * result.t
    np.testing.assert_allclose(result.position(body)[:, 0], (R - r) * np.cos(angle), atol=1e-7)
    assert z.min() < -0.3


def test_where_a_ball_leaves_a_ball():
    """From the top of a fixed ball at 17 cos(angle) = 10 (E. J. Routh, Elementary Rigid Dynamics); the run stops."""
    R, r, first = 1.0, 0.25, 0.05
    body = ball(r, (R + r) * np.array([np.sin(first), 0, np.cos(first)]))
    contact = fb.Rolling("top", fb.Sphere(fb.GROUND, R), fb.Sphere(body, r))
    machine = fb.System([body], [contact], gravity=(0, 0, -G))
    with pytest.raises(fem.ConvergenceError, match=r"rolling 'top' would have to pull") as caught:
        run(machine, 3.0, output_step=0.002)
    result = caught.value.result
    x, _, z = result.position(body)[-1]
    # at rest at the angle `first`: cos = 10/17 of its cosine; found within a step of output
    assert np.arctan2(x, z) == pytest.approx(np.arccos(10 / 17 * np.cos(first)), abs=0.01)
    held = fb.System([body], [fb.Rolling("top", *contact.shapes, pulls=True)], gravity=(0, 0, -G))
    result = run(held, 2.0, output_step=0.1)
    cosine = result.position(body)[:, 2] / (R + r)
    normal = result.reaction("top").force @ result.position(body).T / (R + r)
    np.testing.assert_allclose(np.diag(normal), 0.7 * G * (17 * cosine - 10 * np.cos(first)) / 7, atol=1e-6)
    assert cosine[-1] < 0 > normal[-1, -1]


def test_rollers_between_two_rings():
    """A planetary roller: the carrier turns with W R_sun / (R_sun + R_ring), as gears of that ratio (Willis)."""
    sun, ring, W = 0.3, 0.5, 4.0
    r = 0.5 * (ring - sun)
    inner = fb.RigidBody("sun", 1.0, (0.01, 0.01, 0.02))
    roller = fb.RigidBody("roller", 0.2, (1e-3, 1e-3, 1e-3), center=(sun + r, 0, 0))
    joints = [
        shaft := fb.Revolute("shaft", fb.GROUND, inner, point=(0, 0, 0)),
        fb.Drive("motor", shaft, rate=W),
        fb.Rolling("inside", fb.Cylinder(inner, sun, 0.2), fb.Cylinder(roller, r, 0.2), pulls=True),
        fb.Rolling("outside", fb.Cylinder(roller, r, 0.2), fb.Cylinder(fb.GROUND, ring, 0.2), pulls=True),
    ]
    with pytest.warns(fem.RedundantConstraintWarning):
        result = run(fb.System([inner, roller], joints), 1.0)
    angle = W * sun / (sun + ring) * result.t
    exact = (sun + r) * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    np.testing.assert_allclose(result.position(roller), exact, atol=1e-8)


# ---- wheels with a rounded rim -------------------------------------------------------------------------------


def test_the_rim_touches_where_it_is_lowest():
    """Against a search over the torus; the rate of the gap is the normal velocity of the point that touches."""
    rng = np.random.default_rng(3)
    R, r = 0.4, 0.07
    wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1))
    contact = fb.Rolling("floor", fb.Plane(fb.GROUND), fb.Wheel(wheel, R, rim=r, axis="y"))
    pair = contact.pair({"wheel": wheel})
    ground = View(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    place = np.array([0.3, -0.2, 0.5])
    touch = pair.touch([ground, View(place, turn, None, None)])

    def surface(at):
        u, v = at
        out = (R - r + r * np.cos(v)) * (np.cos(u) * turn[:, 0] + np.sin(u) * turn[:, 1])
        return place + out + r * np.sin(v) * turn[:, 2]

    starts = [(u, v) for u in np.arange(0, 6, 1.0) for v in np.arange(0, 6, 1.0)]
    found = min(
        (scipy.optimize.minimize(lambda at: surface(at)[2], s, tol=1e-14) for s in starts),
        key=lambda f: f.fun,
    )
    np.testing.assert_allclose(touch.gap, found.fun, atol=1e-9)
    np.testing.assert_allclose(touch.point, surface(found.x), atol=1e-6)
    np.testing.assert_allclose(touch.along @ turn[:, 2], 0, atol=1e-12)  # it rolls across its axis


def test_a_wheel_with_the_rim_of_a_ball_is_a_ball():
    r, m = 0.2, 0.7
    motion = dict(velocity=(0.9, 0.2, 0), angular_velocity=(-1.0, 4.5, 2.0))
    body = fb.RigidBody("body", m, (0.01, 0.012, 0.02), center=(0, 0, r), **motion)
    plane = fb.Plane(fb.GROUND)
    ends = [
        run(fb.System([body], [fb.Rolling("floor", plane, shape)], gravity=(0, 0, -G)), 1.0)
        for shape in (fb.Sphere(body, r), fb.Wheel(body, r, rim=r, axis=(0.1, 1, 0.2)))
    ]
    np.testing.assert_allclose(ends[0].position(body), ends[1].position(body), atol=1e-7)
    assert np.ptp(ends[0].angular_velocity(body), axis=0).max() > 1.0
    assert all(result.energy.balance_error < 1e-9 for result in ends)


def test_a_wheel_on_a_moving_floor():
    """A disc on a plane that is pushed away under it: it moves with a third of the plane's acceleration."""
    r, m, a = 0.2, 0.7, 1.5
    floor = fb.RigidBody("floor", 2.0, (0.1, 0.1, 0.1), center=(0.3, 0, -0.1))
    body = ball(r, (0, 0, r), 0.5)
    guide = fb.Prismatic("guide", fb.GROUND, floor, axis="x", point=(0, 0, 0))
    push = fb.Drive("push", guide, value=lambda t: 0.5 * a * t * t)
    contact = fb.Rolling("wheel", fb.Wheel(body, r, axis="y"), fb.Plane(floor, "z", point=(0, 0, 0)))
    result = run(fb.System([floor, body], [guide, push, contact], gravity=(0, 0, -G)), 1.0)
    np.testing.assert_allclose(result.position(body)[-1], (a / 6, 0, r), atol=1e-9)
    # on the floor, the second side
    np.testing.assert_allclose(
        result.reaction("wheel").force[-1], (-m * a / 3, 0, -m * G), rtol=1e-8, atol=1e-8
    )


def test_a_bending_beam_on_two_balls_keeps_its_energy():
    """Balls at both ends of a flexible beam roll on a floor and a ramp; without slip nothing is lost."""
    y = tuple(Polynomial([0] * k + [1]) for k in (2, 3, 4))
    data = modal.assumed.beam(length=1.0, mass=0.5, EI=30.0, polar_inertia=1e-4, y=y)
    beam = fb.FlexibleBody("beam", data, origin=(0, 0, 0.1), velocity=(0, 0.3, 0), stiffening=False)
    sphere = {end: fb.Sphere(beam[end], 0.1) for end in ("start", "end")}
    ramp = fb.Plane(fb.GROUND, RAMP, point=np.array([1, 0, 0.1]) - 0.1 * RAMP)
    joints = [
        fb.Rolling("floor", fb.Plane(fb.GROUND), sphere["start"], pulls=True),
        fb.Rolling("ramp", ramp, sphere["end"], pulls=True),
    ]
    machine = fb.System([beam], joints, gravity=(0, 0, -G))
    one, other = (
        run(machine, 0.2, description=description) for description in (fb.Absolute(), fb.Relative())
    )
    assert one.energy.balance_error < 1e-8
    assert np.ptp(one.alpha(beam), axis=0).max() > 1e-4  # it bends
    assert np.ptp(one.energy.kinetic) > 1e-3
    for end in ("start", "end"):
        np.testing.assert_allclose(one.position(beam[end]), other.position(beam[end]), atol=1e-8)
    np.testing.assert_allclose(one.reaction("ramp").force, other.reaction("ramp").force, atol=1e-4)


def test_bodies_that_are_drawn_roughly_are_assembled():
    """A cylinder 5 mm above the floor and 2 degrees aslant is moved until it touches."""
    r = 0.2
    body = ball(r, (0, 0, r + 5e-3), 0.5)
    contact = fb.Rolling("floor", fb.Plane(fb.GROUND), fb.Cylinder(body, r, 0.5, axis=(0, 1, 0.03)))
    closed = fb.assemble(fb.System([body], [contact], gravity=(0, 0, -G))).machine
    moved = closed.joint("floor").second
    np.testing.assert_allclose(closed.body("ball").center[2], r, atol=1e-9)
    np.testing.assert_allclose(moved.axes()[2, 2], 0, atol=1e-9)


# ---- bad input -----------------------------------------------------------------------------------------------


def bad(first, second, *bodies):
    return fb.simulate(fb.System(bodies, [fb.Rolling("c", first, second)]), 0.1, show_progress=False)


def test_what_can_not_roll_is_named():
    a, b = (ball(0.2, (x, 0, 0.2), name=name) for name, x in (("a", 0.0), ("b", 0.3)))
    plane = fb.Plane(fb.GROUND)
    with pytest.raises(
        fem.InputError, match=r"rolling 'c': rolling of Plane and Box is not available; a Wheel"
    ):
        bad(plane, fb.Box(a, (1, 1, 1)), a)
    with pytest.raises(fem.InputError, match=r"rolling 'c': the wheel lies flat on the plane as drawn"):
        bad(plane, fb.Wheel(a, 0.2, axis="z"), a)
    with pytest.raises(fem.InputError, match=r"rolling 'c' has both shapes on 'a'"):
        bad(fb.Sphere(a, 0.2), fb.Sphere(a, 0.1), a)
    with pytest.raises(fem.InputError, match=r"rim is 0\.3; it must be a number from 0 to radius, 0\.2"):
        bad(plane, fb.Wheel(a, 0.2, rim=0.3, axis="y"), a)
    with pytest.raises(fem.InputError, match=r"a radius of 0\.5 m can't roll in one of 0\.5 m"):
        bad(fb.Sphere(a, 0.5), fb.Sphere(b, 0.5), a, b)
    with pytest.raises(fem.FlexbodyError, match=r"rolling 'c'.*0\.1 m"):
        bad(plane, fb.Sphere(a, 0.1), a)  # it does not touch


@pytest.mark.parametrize("method", [fb.GeneralizedAlpha(), fb.Explicit()], ids=lambda m: type(m).__name__)
def test_a_wheel_that_falls_flat_is_named(method):
    """A disc with a rounded rim that leans and does not spin falls, and the run stops where it lies."""
    r, rim, lean = 0.2, 0.02, 0.5
    axis = np.array([np.cos(lean), 0, np.sin(lean)])
    body = ball(r, (0, 0, (r - rim) * np.cos(lean) + rim), 0.25)
    contact = fb.Rolling("table", fb.Plane(fb.GROUND), fb.Wheel(body, r, rim=rim, axis=axis))
    machine = fb.System([body], [contact], gravity=(0, 0, -G))
    with pytest.raises(
        fem.ConvergenceError, match="the wheel of rolling 'table' falls flat on its plane"
    ) as caught:
        run(machine, 1.0, method)
    assert caught.value.result.position(body)[-1, 2] < 0.2 * r


# ---- files and pictures --------------------------------------------------------------------------------------


def test_a_rolling_contact_comes_back_from_a_file(tmp_path):
    r = 0.2
    body = ball(r, (0, 0, r), 0.5, velocity=(1, 0, 0), angular_velocity=(0, 5, 0))
    contact = fb.Rolling("floor", fb.Plane(fb.GROUND), fb.Wheel(body, r, rim=0.02, axis="y"))
    result = run(fb.System([body], [contact], gravity=(0, 0, -G)), 0.2)
    result.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    found = loaded.system.joint("floor")
    assert isinstance(found, fb.Rolling)
    assert found.second.rim == 0.02
    np.testing.assert_array_equal(loaded.reaction("floor").force, result.reaction("floor").force)
    again = run(loaded.system, 0.2)
    np.testing.assert_array_equal(again.position(body.name), result.position(body))


def test_pictures_draw_the_shapes_and_the_load_where_they_touch():
    r = 0.2
    wheel = ball(r, (0, 0.5, r), 0.5, name="wheel", velocity=(1, 0, 0), angular_velocity=(0, 5, 0))
    log = ball(r, (0.8, 0, r), 0.5, name="log")
    plane = fb.Plane(fb.GROUND)
    joints = [
        fb.Rolling("tyre", plane, fb.Wheel(wheel, r, rim=0.03, axis="y")),
        fb.Rolling("trunk", plane, fb.Cylinder(log, r, 0.4, axis="y")),
    ]
    result = run(fb.System([wheel, log], joints, gravity=(0, 0, -G)), 0.1)
    scene = scene_of(result, forces=True)
    poses = scene.motion.at(0.0)
    reach = {}
    for owner, part in zip(scene.owners, scene.parts, strict=True):
        if owner in ("wheel", "log"):
            points = part.points(poses)
            reach[owner] = points.min(axis=0), points.max(axis=0)
    for name, half in (("wheel", 0.06), ("log", 0.2)):
        low, high = reach[name]
        middle = np.array(result.position(name)[0])
        # 48 corners of a circle: within 1 - cos(pi / 48) of the radius
        np.testing.assert_allclose(low, middle - (r, half, r), atol=5e-3)
        np.testing.assert_allclose(high, middle + (r, half, r), atol=5e-3)
    arrows = [part for owner, part in zip(scene.owners, scene.parts, strict=True) if owner == "arrows"]
    tails = np.array([part.points(poses).min(axis=0)[2] for part in arrows])
    assert len(arrows) == 2
    assert np.abs(tails).max() < 0.05 * r  # upwards from the floor
