"""Wheels on and in cylinders and spheres, cones on planes, balls in cones and on rails: closed forms and searches."""

import re

import numpy as np
import pytest
import scipy

import fem
import flexbody as fb
from flexbody.model.joints.recorded_rows import View

G = 9.81
BOTH = pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])


def run(machine, t_end, **options):
    options = {"integrator": fb.Explicit(rtol=1e-10), **options}
    return fb.simulate(machine, t_end, show_progress=False, **options)


def disc(radius, center, m=0.7, share=0.5, axis=(0, 1, 0), **motion):
    """A body with the inertia share m radius^2 about its axis and half of it across."""
    axis = np.array(axis) / np.linalg.norm(axis)
    inertia = 0.5 * share * m * radius**2 * (np.eye(3) + np.outer(axis, axis))
    return fb.RigidBody("disc", m, inertia, center=center, **motion)


def period_of_pendulum(length, angle):
    """4 sqrt(l / g) K(sin(angle/2)): Landau and Lifshitz, Mechanics, section 11, problem 1."""
    return 4 * np.sqrt(length / G) * scipy.special.ellipk(np.sin(angle / 2) ** 2)


# ---- where wheels touch --------------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [True, False], ids=["in", "on"])
@pytest.mark.parametrize("kind", ["cylinder", "sphere"])
def test_a_wheel_touches_where_it_is_nearest(kind, inside):
    """Against a search over the torus, in a general position; n is the derivative of the gap by the place."""
    rng = np.random.default_rng(5)
    R, r, size = 0.35, 0.06, 1.1
    turn = scipy.spatial.transform.Rotation.from_rotvec((0.25, 0.4, -0.3)).as_matrix()
    wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1), center=(size - R if inside else size + R, 0, 0))
    host = fb.Cylinder(fb.GROUND, size, 1.0, axis="y") if kind == "cylinder" else fb.Sphere(fb.GROUND, size)
    contact = fb.Rolling("c", host, fb.Wheel(wheel, R, rim=r, axis="y"))
    pair = contact.pair({"wheel": wheel})
    frames = contact.frames({"wheel": wheel})
    ground = View(np.zeros(3), frames[0].A, None, None)
    axes = turn @ frames[1].A
    place = np.array([0.5, 0.1, 0.35] if inside else [1.1, 0.1, 0.8])
    touch = pair.touch([ground, View(place, axes, None, None)])

    def surface(at):
        u, v = at
        out = (R - r + r * np.cos(v)) * (np.cos(u) * axes[:, 0] + np.sin(u) * axes[:, 1])
        return place + out + r * np.sin(v) * axes[:, 2]

    def height(at):
        x = surface(at) * ((1, 0, 1) if kind == "cylinder" else 1)
        return (np.linalg.norm(x) - size) * (-1 if inside else 1)

    starts = [(u, v) for u in (0, 2, 4) for v in (0, 2, 4)]
    found = min((scipy.optimize.minimize(height, s, tol=1e-14) for s in starts), key=lambda f: f.fun)
    np.testing.assert_allclose(touch.gap, found.fun, atol=1e-9)
    np.testing.assert_allclose(touch.point, surface(found.x), atol=1e-6)
    np.testing.assert_allclose(touch.along @ axes[:, 2], 0, atol=1e-12)  # it rolls across its axis
    step = 1e-5 * rng.normal(size=3)
    gaps = [pair.touch([ground, View(place + k * step, axes, None, None)]).gap for k in (1, -1)]
    np.testing.assert_allclose((gaps[0] - gaps[1]) / 2, touch.normal @ step, rtol=1e-7)


@BOTH
@pytest.mark.parametrize("host", ["cylinder", "sphere"])
def test_a_disc_to_and_fro_in_a_hollow(host, description):
    """As a pendulum of the length 1.5 (R - r), small motions at sqrt(2 g / (3 (R - r))) (A. P. French, Vibrations)."""
    R, r, angle = 1.0, 0.3, 1.1
    place = (R - r) * np.array([np.sin(angle), 0, -np.cos(angle)])
    body = disc(r, place)
    outer = fb.Cylinder(fb.GROUND, R, 0.4, axis="y") if host == "cylinder" else fb.Sphere(fb.GROUND, R)
    contact = fb.Rolling("hollow", outer, fb.Wheel(body, r, axis="y"))
    period = period_of_pendulum(1.5 * (R - r), angle)
    machine = fb.System([body], [contact], gravity=(0, 0, -G))
    result = run(machine, period, output_step=period / 4, description=description)
    np.testing.assert_allclose(result.position(body)[[2, 4]], [place * (-1, 1, 1), place], atol=1e-7)
    height = (R - r) * (1 - np.cos(angle))
    force = result.reaction("hollow").force[1, 2]  # m g + m v^2 / (R - r) at the lowest point
    np.testing.assert_allclose(force, 0.7 * (G + 2 * G * height / 1.5 / (R - r)), rtol=1e-6)


def test_a_wheel_with_the_rim_of_a_ball_is_a_ball_in_a_hole():
    R, r = 1.0, 0.1
    motion = dict(velocity=(0, 5.4, 0), angular_velocity=(3.0, 0, -54.0))
    body = fb.RigidBody("body", 0.7, (0.003, 0.002, 0.0028), center=(R - r, 0, 0), **motion)
    hole = fb.Cylinder(fb.GROUND, R, 2.0)
    ends = [
        run(fb.System([body], [fb.Rolling("hole", hole, shape)], gravity=(0, 0, -G)), 0.5)
        for shape in (fb.Sphere(body, r), fb.Wheel(body, r, rim=r, axis=(0.1, 0.2, 1)))
    ]
    np.testing.assert_allclose(ends[0].position(body), ends[1].position(body), atol=1e-7)
    assert np.ptp(ends[0].position(body), axis=0).min() > 0.1
    assert all(result.energy.balance_error < 1e-9 for result in ends)


@BOTH
def test_a_disc_on_the_wall_of_death(description):
    """Steady motion round an upright cylinder, the centre higher than the contact by the angle lean.

    Of a disc (J about its axis, J/2 across) with its centre on a circle of radius c = R - r cos(lean), the moment of
    the contact's force m (g, c W^2) about the centre turns the angular momentum:
    m g r cos(lean) = W^2 sin(lean) (m r c - J/2 cos(lean) + J R / r).
    """
    R, r, m, lean = 2.0, 0.3, 0.7, 0.25
    J, c = 0.5 * m * r * r, R - r * np.cos(lean)
    W = np.sqrt(m * G * r * np.cos(lean) / (np.sin(lean) * (m * r * c - 0.5 * J * np.cos(lean) + J * R / r)))
    axis = np.array([np.sin(lean), 0, np.cos(lean)])
    spin = np.array([0, 0, W]) - W * R / r * axis
    body = disc(r, (c, 0, 0), m, axis=axis, velocity=(0, W * c, 0), angular_velocity=spin)
    wall = fb.Rolling("wall", fb.Cylinder(fb.GROUND, R, 3.0), fb.Wheel(body, r, axis=axis))
    t = 2 * np.pi / W
    result = run(fb.System([body], [wall], gravity=(0, 0, -G)), t, description=description)
    angle = W * result.t
    exact = c * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    np.testing.assert_allclose(result.position(body), exact, atol=1e-7)
    force = result.reaction("wall").force
    np.testing.assert_allclose(force[:, 2], m * G, rtol=1e-6)
    np.testing.assert_allclose(np.hypot(*force.T[:2]), m * c * W * W, rtol=1e-6)


# ---- cones ---------------------------------------------------------------------------------------------------


@BOTH
def test_a_cone_rocks_on_an_incline(description):
    """T = 3/40 m h^2 (1 + 5 cos^2 a) theta'^2 (Landau and Lifshitz, Mechanics, section 32, problem 7).

    On a slope b it is a pendulum of the length h (1 + 5 cos^2 a) / (5 sin(b) cos(a)): the centre of mass is 3/4 h from
    the apex.
    """
    m, h, a, slope, first = 0.7, 0.4, 0.35, 0.5, 0.8
    R = h * np.tan(a)
    down, normal = np.array([np.cos(slope), 0, -np.sin(slope)]), np.array([np.sin(slope), 0, np.cos(slope)])
    beside = np.cross(normal, down)
    line = np.cos(first) * down + np.sin(first) * beside  # where it touches, from the apex at the origin
    axis = np.cos(a) * line + np.sin(a) * normal
    along, across = 0.3 * m * R * R, 0.15 * m * (R * R + h * h / 4)
    inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    body = fb.RigidBody("cone", m, inertia, center=0.75 * h * axis)
    shape = fb.Cone(body, radius=R, slope=np.tan(a), axis=axis, point=h * axis)
    plane = fb.Plane(fb.GROUND, normal, point=(0, 0, 0))
    machine = fb.System([body], [fb.Rolling("slope", plane, shape)], gravity=(0, 0, -G))
    period = period_of_pendulum(h * (1 + 5 * np.cos(a) ** 2) / (5 * np.sin(slope) * np.cos(a)), first)
    result = run(machine, period, output_step=period / 4, description=description)
    mirrored = 0.75 * h * (axis - 2 * (axis @ beside) * beside)
    np.testing.assert_allclose(result.position(body)[[2, 4]], [mirrored, 0.75 * h * axis], atol=1e-7)
    np.testing.assert_allclose(result.position(body)[[1, 3]] @ beside, 0, atol=1e-7)
    assert result.energy.balance_error < 1e-9


@BOTH
def test_a_ball_runs_round_a_funnel(description):
    """A ball without spin about the normal keeps its height at W^2 = g / (1 + 2/5) / (slope c), c the circle's radius.

    From Newton's and Euler's equations about the centre; without the 2/5 that of a point in a cone.
    """
    r, slope, c = 0.1, 0.8, 0.9
    W = np.sqrt(G / 1.4 / (slope * c))
    cosine = 1 / np.sqrt(1 + slope**2)
    normal = cosine * np.array([-1, 0, slope])
    touch = np.array([c, 0, 0]) - r * normal
    spin = np.cross(normal, (0, W * c, 0)) / r
    body = fb.RigidBody("ball", 0.7, (0.4 * 0.7 * r * r,) * 3, center=(c, 0, 0), velocity=(0, W * c, 0),
                        angular_velocity=spin)  # fmt: skip
    cone = fb.Cone(fb.GROUND, radius=0.5, slope=slope, point=(0, 0, (0.5 - touch[0]) / slope + touch[2]))
    machine = fb.System([body], [fb.Rolling("funnel", cone, fb.Sphere(body, r))], gravity=(0, 0, -G))
    result = run(machine, 2 * np.pi / W, description=description)
    angle = W * result.t
    exact = c * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    np.testing.assert_allclose(result.position(body), exact, atol=1e-7)
    force = np.linalg.norm(result.reaction("funnel").force, axis=1)
    np.testing.assert_allclose(force, 0.7 * np.hypot(G, c * W * W), rtol=1e-6)


# ---- bad input -----------------------------------------------------------------------------------------------


def test_a_wheel_that_does_not_fit_is_named():
    """Flat on a ball, and turned so far in a narrow tube that it would touch at two places."""
    body = disc(0.3, (0, 0, 1.0))
    with pytest.raises(fem.InputError, match=r"rolling 'c': the wheel lies flat on the sphere as drawn"):
        fb.System([body], [fb.Rolling("c", fb.Sphere(fb.GROUND, 1.0), fb.Wheel(body, 0.3, axis="z"))])
    body = disc(0.9, (0.1, 0, 0))
    tube = fb.Cylinder(fb.GROUND, 1.0, 0.4, axis="y")
    with pytest.raises(fem.InputError, match=r"rolling 'c': .* flat on the cylinder .* at two places"):
        fb.System([body], [fb.Rolling("c", tube, fb.Wheel(body, 0.9, axis=(0.6, 1, 0)))])


# ---- rails ---------------------------------------------------------------------------------------------------


@BOTH
def test_a_straight_rail_is_a_cylinder(description):
    """A ball on a bar, with a spin of its own, as on fb.Cylinder; the bar is carried by a body that turns."""
    R, r = 0.3, 0.1
    ends = []
    for kind in ("rail", "cylinder"):
        bar = fb.RigidBody(
            "bar", 2.0, (0.3, 0.1, 0.3), center=(0, 0.1, 0.05), angular_velocity=(0.3, 0.1, 0.5)
        )
        ball = fb.RigidBody("ball", 0.7, (0.4 * 0.7 * r * r,) * 3, center=(0, 0.2, R + r), velocity=(0.2, 0.5, 0),
                            angular_velocity=(-5.0, 2.0, 3.0))  # fmt: skip
        line = np.linspace((0, -3, 0), (0, 3, 0), 4)
        host = (
            fb.Rail(bar, line, radius=R)
            if kind == "rail"
            else fb.Cylinder(bar, R, 6.0, axis="y", point=(0, 0, 0))
        )
        joints = [fb.Spherical("post", fb.GROUND, bar, point=(0, 0, 0)),
                  fb.Rolling("on", host, fb.Sphere(ball, r), pulls=True)]  # fmt: skip
        ends.append(
            run(
                fb.System([bar, ball], joints, gravity=(0, 0, -G)),
                0.6,
                output_step=0.1,
                description=description,
            )
        )
    for name in ("bar", "ball"):
        np.testing.assert_allclose(ends[0].position(name), ends[1].position(name), atol=1e-8)
        np.testing.assert_allclose(ends[0].angular_velocity(name), ends[1].angular_velocity(name), atol=1e-7)
    np.testing.assert_allclose(ends[0].reaction("on").force, ends[1].reaction("on").force, atol=1e-6)
    assert ends[0].energy.balance_error < 1e-9


def ring(radius, y, n=64):
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([radius * np.sin(turn), np.full(n, y), -radius * np.cos(turn)])


@BOTH
def test_a_ball_on_two_rails_rolls_on_a_smaller_radius(description):
    """In a loop of two rails 2 b apart: it turns with v / h, h^2 = r^2 - b^2, which adds 2/5 (r / h)^2 to its mass.

    It is a pendulum of the length (R - h)(1 + 2/5 (r / h)^2).
    """
    R, r, b, angle = 1.0, 0.1, 0.07, 0.8
    h = np.sqrt(r * r - b * b)
    place = (R - h) * np.array([np.sin(angle), 0, -np.cos(angle)])
    ball = fb.RigidBody("ball", 0.7, (0.4 * 0.7 * r * r,) * 3, center=place)
    track = [
        fb.Rolling(f"rail {k}", fb.Rail(fb.GROUND, ring(R, y), closed=True), fb.Sphere(ball, r))
        for k, y in enumerate((b, -b))
    ]
    period = period_of_pendulum((R - h) * (1 + 0.4 * (r / h) ** 2), angle)
    with pytest.warns(fem.RedundantConstraintWarning):  # both rails hold the ball's spin
        result = run(
            fb.System([ball], track, gravity=(0, 0, -G)),
            period,
            output_step=period / 4,
            description=description,
        )
    # the spline through 64 points is 1e-9 m from the circle
    np.testing.assert_allclose(result.position(ball)[[2, 4]], [place * (-1, 1, 1), place], atol=1e-6)
    np.testing.assert_allclose(result.position(ball)[[1, 3]] @ np.eye(3)[0], 0, atol=1e-6)


def helix(s):
    return np.stack([np.cos(s), np.sin(s), 0.3 * s], axis=-1)


@BOTH
def test_a_ball_along_a_helix(description):
    """The distance from the helix and the slip of the point that touches are zero, found from positions; no work."""
    R, r, first = 0.05, 0.2, 1.0
    points = helix(np.linspace(0, 4 * np.pi, 120))
    at, slope = helix(first), np.array([-np.sin(first), np.cos(first), 0.3])
    tangent = slope / np.linalg.norm(slope)
    n = np.cross(tangent, (0.3, 0.1, -0.8))
    n /= np.linalg.norm(n)
    spin = np.array([4.0, -3.0, 6.0])
    ball = fb.RigidBody("ball", 0.7, (0.4 * 0.7 * r * r,) * 3, center=at + (R + r) * n, angular_velocity=spin,
                        velocity=np.cross(spin, r * n))  # fmt: skip
    contact = fb.Rolling("rail", fb.Rail(fb.GROUND, points, radius=R), fb.Sphere(ball, r), pulls=True)
    machine = fb.System([ball], [contact], gravity=(0, 0, -G))
    result = run(machine, 0.8, output_step=0.05, description=description)
    x, v, w = result.position(ball), result.velocity(ball), result.angular_velocity(ball)
    s = np.linspace(0, 4 * np.pi, 2000)
    for k in range(len(result.t)):
        start = s[np.argmin(np.linalg.norm(helix(s) - x[k], axis=1))]
        near = scipy.optimize.newton(lambda u, k=k: (helix(u) - x[k]) @ (-np.sin(u), np.cos(u), 0.3), start)
        arm = helix(near) - x[k]
        assert np.linalg.norm(arm) == pytest.approx(R + r, abs=1e-8)
        np.testing.assert_allclose(v[k] + np.cross(w[k], arm * r / (R + r)), 0, atol=1e-7)
    assert np.linalg.norm(x[-1] - x[0]) > 0.3
    assert result.energy.balance_error < 1e-9


def test_rails_that_end_and_wrong_ones_are_named():
    r = 0.1
    ball = fb.RigidBody(
        "ball", 0.7, (3e-3,) * 3, center=(0, 0, r), velocity=(1, 0, 0), angular_velocity=(0, 10, 0)
    )
    rail = fb.Rail(fb.GROUND, [(-1, 0, 0), (0.3, 0, 0)])
    machine = fb.System([ball], [fb.Rolling("rail", rail, fb.Sphere(ball, r))])  # round-off is no pulling
    with pytest.raises(fem.ConvergenceError, match=r"rolling 'rail' has left the end of its line") as caught:
        run(machine, 1.0)
    assert caught.value.result.position(ball)[-1, 0] == pytest.approx(0.3, abs=0.02)
    event = eval(re.search(r"fb\.Event\(.*\)$", str(caught.value))[0], {"fb": fb})
    assert run(machine, 1.0, events=[event]).t[-1] == pytest.approx(0.3)  # at 1 m/s
    with pytest.raises(fem.InputError, match=r"rolling 'c' has its Rail as the second shape"):
        fb.System([ball], [fb.Rolling("c", fb.Sphere(ball, r), rail)])
    with pytest.raises(fem.InputError, match=r"Rail: points 0 and 1 of the line coincide"):
        fb.System([ball], [fb.Rolling("c", fb.Rail(fb.GROUND, np.zeros((2, 3))), fb.Sphere(ball, r))])
    with pytest.raises(fem.InputError, match=r"Rail: points is .*; give at least two points"):
        fb.System([ball], [fb.Rolling("c", fb.Rail(fb.GROUND, (1, 2, 3)), fb.Sphere(ball, r))])


def test_a_ball_slides_on_two_rails_until_it_rolls():
    """The angular momentum about the line of contact stays: v = v0 / (1 + 2/5 (r / h)^2), whatever the friction."""
    r, b = 0.1, 0.07
    h = np.sqrt(r * r - b * b)
    ball = fb.RigidBody("ball", 0.7, (0.4 * 0.7 * r * r,) * 3, center=(0, 0, h), velocity=(1, 0, 0))
    track = [
        fb.Rolling(
            f"rail {k}", fb.Rail(fb.GROUND, [(-1, y, 0), (4, y, 0)]), fb.Sphere(ball, r), slip=fb.Coulomb(0.2)
        )
        for k, y in enumerate((b, -b))
    ]
    result = run(fb.System([ball], track, gravity=(0, 0, -G)), 1.5, output_step=0.1)
    speed = 1 / (1 + 0.4 * (r / h) ** 2)
    np.testing.assert_allclose(result.velocity(ball)[-1], (speed, 0, 0), atol=1e-9)
    np.testing.assert_allclose(result.angular_velocity(ball)[-1], (0, speed / h, 0), atol=1e-8)


@pytest.mark.parametrize("slip", [None, fb.Coulomb(0.3)], ids=["rolls", "slips"])
@pytest.mark.parametrize("kind", ["drum", "globe"])
def test_a_wheel_in_a_hollow_that_turns(kind, slip):
    """In a general motion of both: the same in both descriptions, and no energy is lost."""
    axis = np.array([0.2, 1, 0.15])
    host = fb.RigidBody("host", 5.0, (1.0, 1.2, 0.9), center=(0, 0.1, 0), angular_velocity=(0.3, 0.2, 0.5))
    wheel = disc(0.25, (0.3, 0, -0.67), axis=axis)
    hollow = fb.Cylinder(host, 1.0, 1.0, axis="y", point=(0, 0, 0))
    if kind == "globe":
        hollow = fb.Sphere(host, 1.0, point=(0, 0, 0))
    inside = fb.Rolling("inside", hollow, fb.Wheel(wheel, 0.25, rim=0.03, axis=axis), pulls=True, slip=slip)
    post = fb.Spherical("post", fb.GROUND, host, point=(0, 0, 0))
    machine = fb.assemble(fb.System([host, wheel], [post, inside], gravity=(0, 0, -G))).machine
    one, other = (
        run(machine, 0.4, output_step=0.1, description=description, integrator=fb.Explicit(rtol=1e-9))
        for description in (fb.Absolute(), fb.Relative())
    )
    for name in ("host", "disc"):
        np.testing.assert_allclose(one.position(name), other.position(name), atol=1e-8)
        np.testing.assert_allclose(one.angular_velocity(name), other.angular_velocity(name), atol=1e-6)
    assert one.energy.balance_error < 1e-7
    assert np.ptp(one.position("disc"), axis=0).min() > 0.05
