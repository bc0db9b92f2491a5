"""Wheels, cylinders, cones and balls that roll along lines in space and along bending beams."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from support.joints import flexible, rigid, stiffened
from support.state import evaluated, machine_state, moved, random_state, two_bodies

import fem
import flexbody as fb
import modal
from flexbody.core.kinds import HOLONOMIC
from flexbody.equations.consistent_start import consistent_start
from flexbody.equations.constraint_jacobian import jacobian
from flexbody.model.joints.recorded_rows import View

G = 9.81
BOTH = pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
LINE = [(0, 0.1, 0), (0.5, 0.4, 0.1), (1, 0.2, 0.5), (1.6, -0.2, 0.4), (2, 0.1, 0), (2.4, 0.5, -0.3)]


def run(machine, t_end, **options):
    options = {"integrator": fb.Explicit(rtol=1e-10), **options}
    return fb.simulate(machine, t_end, show_progress=False, **options)


def guest(kind, body, point, axis):
    """A round shape of radius 0.1 m."""
    if kind == "ball":
        return fb.Sphere(body, 0.1, point=point)
    if kind == "cylinder":
        return fb.Cylinder(body, 0.1, 1.0, axis=axis, point=point)
    if kind == "cone":
        return fb.Cone(body, 0.1, 0.3, axis=axis, point=point)
    return fb.Wheel(body, 0.1, rim=0.02 if kind == "wheel" else 0.0, axis=axis, point=point)


def touching(host, kind, body, axis):
    """The body and its contact, after the body was moved along the normal until the gap is closed."""
    for _ in range(6):
        contact = fb.Rolling("on", host, guest(kind, body, body.center, axis), pulls=True)
        bodies = {side.body.name: side.body for side in contact.sides() if side.body.name != "ground"}
        views = [View(f.drawn(bodies), f.A, None, None) for f in contact.frames(bodies)]
        touch = contact.pair(bodies).touch(views)
        body = replace(body, center=body.center - touch.gap * touch.normal)
    return body, fb.Rolling("on", host, guest(kind, body, body.center, axis), pulls=True)


KINDS = pytest.mark.parametrize("kind", ["ball", "wheel", "sharp", "cylinder", "cone"])


# ---- derivatives -----------------------------------------------------------------------------------------


def beside_line(kind, which):
    """A round body beside a line of the ground, or of a rigid, flexible or stiffened body."""
    second, radius = rigid("b", 1.0), 0.03
    if which in "gr":
        first = fb.GROUND if which == "g" else rigid("a", 0.0)
        rail, at = fb.Rail(first, LINE, radius=radius), np.array(LINE[2])
    else:
        first = (flexible if which == "f" else stiffened)("a", 0.0)
        rail, at = fb.Rail(first, radius=radius, stations=("p", "q", "s")), first["q"].drawn({"a": first})
    line = rail.line({} if which == "g" else {"a": first})
    s = line.nearest(at - (0 if which == "g" else first.start))
    along, curve = line.axes(s)[:, 2], line.columns(s, 2)[:3]
    out = -(curve - (curve @ along) * along)  # it bulges on this side
    out /= np.linalg.norm(out)
    axis = np.cross(along, out) + 0.2 * out + 0.1 * along
    axis /= np.linalg.norm(axis)
    up = out - (out @ axis) * axis
    place = at + (0.1 + radius) * up / np.linalg.norm(up)
    return first, second, fb.Rolling("j", rail, guest(kind, second, place, axis), pulls=True)


@pytest.mark.parametrize("which", "grfs")
@KINDS
def test_residuals_stay_zero_along_a_motion_that_satisfies_them(kind, which):
    """Along positions with the start's rates and accelerations: five points, dt^3 and eps / dt^2."""
    first, second, contact = beside_line(kind, which)
    plan = two_bodies(contact, first, second)
    rng = np.random.default_rng(5)
    c, q, alpha, v, _ = random_state(plan, rng, turn=0.01)
    c = plan.start()[0] + 0.003 * rng.normal(size=c.shape)
    start = consistent_start(plan, machine_state(plan, c, q, 0.002 * rng.normal(size=alpha.shape), 0.3 * v))
    plan = replace(plan, counted_coordinates=start.revolutions[:, 1])
    state, dt = (start.c, start.q, start.all_alpha, start.v, start.vdot), 2e-4
    gaps, rates = [], []
    for k in (-2, -1, 0, 1, 2):
        there = moved(plan, state, k * dt)
        work = evaluated(plan, there, k * dt)
        gaps.append(work.phi[plan.layout.row_kind == HOLONOMIC].copy())
        rates.append(jacobian(plan, work, machine_state(plan, *there[:4])) @ there[3])
    slope = np.array([1, -8, 0, 8, -1]) / (12 * dt)
    assert np.abs(gaps[2]).max() < 1e-12
    assert np.abs(rates[2]).max() < 1e-12
    assert abs(evaluated(plan, state).path[0, 1]) > 1e-3  # it travels along the line
    np.testing.assert_allclose(slope @ gaps, 0, atol=1e-7)
    np.testing.assert_allclose(slope @ rates, 0, atol=2e-6)


# ---- rigid lines -----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("kind", ["wheel", "sharp", "cone"])
def test_a_straight_rail_is_a_cylinder(kind, description):
    """A wheel or cone across a bar, as on fb.Cylinder; the bar is carried by a body that turns."""
    R, r, ends = 0.3, 0.1, []
    for host in ("rail", "cylinder"):
        bar = fb.RigidBody(
            "bar", 2.0, (0.3, 0.1, 0.3), center=(0, 0.1, 0.05), angular_velocity=(0.3, 0.1, 0.5)
        )
        body = fb.RigidBody("body", 0.7, (4e-3, 3e-3, 4e-3), center=(0, 0.2, R + r), velocity=(0.02, 0.5, 0),
                            angular_velocity=(-5.0, 0.2, 0.3))  # fmt: skip
        axis = (1, 0.05, 0.1 if kind != "cone" else 0.3)
        line = np.linspace((0, -3, 0), (0, 3, 0), 4)
        one = (
            fb.Rail(bar, line, radius=R)
            if host == "rail"
            else fb.Cylinder(bar, R, 6.0, axis="y", point=(0, 0, 0))
        )
        body, contact = touching(one, kind, body, axis)
        joints = [fb.Spherical("post", fb.GROUND, bar, point=(0, 0, 0)), contact]
        machine = fb.System([bar, body], joints, gravity=(0, 0, -G))
        ends.append(run(machine, 0.4, output_step=0.1, description=description))
    a, b = ends
    assert np.ptp(a.position("body")[:, 1]) > 0.1
    for name in ("bar", "body"):
        np.testing.assert_allclose(a.position(name), b.position(name), atol=1e-8)
        np.testing.assert_allclose(a.angular_velocity(name), b.angular_velocity(name), atol=1e-7)
    np.testing.assert_allclose(a.reaction("on").force, b.reaction("on").force, atol=1e-5)
    assert a.energy.balance_error < 1e-9


def ring(radius, n=64):
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return np.column_stack([radius * np.sin(turn), np.zeros(n), -radius * np.cos(turn)])


@BOTH
@pytest.mark.parametrize("kind", ["sharp", "wheel", "cylinder"])
def test_a_wheel_to_and_fro_in_a_loop(kind, description):
    """A pendulum of the length (R - e - r)(1 + k) with J = k m r^2 (Landau and Lifshitz, Mechanics, 11, problem 1)."""
    R, e, r, k, angle = 1.0, 0.02, 0.1, 0.6, 0.8
    place = (R - e - r) * np.array([np.sin(angle), 0, -np.cos(angle)])
    body = fb.RigidBody("body", 0.7, 0.7 * r * r * np.diag([0.4, k, 0.4]), center=place)
    contact = fb.Rolling(
        "loop", fb.Rail(fb.GROUND, ring(R), radius=e, closed=True), guest(kind, body, None, "y")
    )
    period = 4 * np.sqrt((R - e - r) * (1 + k) / G) * scipy.special.ellipk(np.sin(angle / 2) ** 2)
    result = run(
        fb.System([body], [contact], gravity=(0, 0, -G)),
        period,
        output_step=period / 4,
        description=description,
    )
    # the spline through 64 points is 1e-9 m from the circle
    np.testing.assert_allclose(result.position(body)[[2, 4]], [place * (-1, 1, 1), place], atol=1e-6)
    np.testing.assert_allclose(result.position(body)[[1, 3]] @ np.eye(3)[0], 0, atol=1e-6)


def helix(s):
    return np.stack([np.cos(s), np.sin(s), 0.3 * s], axis=-1)


def on_surface(kind, u, h, center, R):
    """A point of the surface of the shapes of `guest`: u is the angle, h the one of the rim or the height."""
    if kind == "wheel":
        out, h = 0.08 + 0.02 * np.cos(h), 0.02 * np.sin(h)
    else:
        out = 0.1 + (0.3 * h if kind == "cone" else 0.0)
    return center + R @ np.array([out * np.cos(u), out * np.sin(u), h])


@BOTH
@pytest.mark.parametrize("kind", ["wheel", "cylinder", "cone"])
def test_along_a_helix(kind, description):
    """The least distance of the helix from the surface, found by a search, is the radius of the rail, and the material
    point there is at rest; no work is done."""
    e, first = 0.05, 1.0
    rail = fb.Rail(fb.GROUND, helix(np.linspace(0, 4 * np.pi, 160)), radius=e)
    tangent = np.array([-np.sin(first), np.cos(first), 0.3]) / np.sqrt(1.09)
    up = np.cross(tangent, (np.cos(first), np.sin(first), 0.0))  # upward, across the line
    up *= np.sign(up[2])
    axis = np.cross(up, tangent) + 0.1 * up
    axis /= np.linalg.norm(axis)
    body = fb.RigidBody(
        "body", 0.7, (4e-3,) * 3, center=helix(first) + (0.1 + e) * up, angular_velocity=-8 * axis
    )
    body, contact = touching(rail, kind, body, axis)
    machine = fb.System([body], [contact], gravity=(0, 0, -G))
    result = run(machine, 0.3, output_step=0.05, description=description)
    x, v, w = result.position("body"), result.velocity("body"), result.angular_velocity("body")
    frame = machine.joints[0].frames(machine.bodies_by_name())[1]
    near, way = np.array([0.0, 0.0, first]), []
    for k in range(len(result.t)):
        middle = result.position("body", frame.x + machine.body("body").start)[k]
        R = result.rotation("body")[k] @ frame.A
        if k == 0:  # the rail is on this side
            towards = R.T @ (helix(first) - middle)
            near[0] = np.arctan2(towards[1], towards[0])

        def apart(at, middle=middle, R=R):
            return on_surface(kind, *at[:2], middle, R) - helix(at[2])

        near = scipy.optimize.least_squares(apart, near, "3-point", xtol=1e-14, ftol=1e-14, gtol=1e-14).x
        arm = apart(near)
        assert np.linalg.norm(arm) == pytest.approx(e, abs=1e-7)
        touch = helix(near[2]) + arm
        np.testing.assert_allclose(
            v[k] + np.cross(w[k], touch - x[k]), 0, atol=3e-5
        )  # the search leaves 1e-6 m
        way.append(near[2])
    assert np.ptp(way) > 0.1
    assert result.energy.balance_error < 1e-9


# ---- bending beams ---------------------------------------------------------------------------------------

LENGTH, MASS, STIFFNESS, SPEED, BEGIN = 2.0, 3.0, 300.0, 1.5, 0.3


def on_a_beam(kind, order=0, edge=0.01, share=0.4, slip=None, load=0.8, radius=0.1, **motion):
    """A round body on a simply supported beam with three sines as its base functions."""
    places = {f"s{k}": float(s) for k, s in enumerate(np.linspace(0, LENGTH, 21))}
    reduced = modal.assumed.beam(
        LENGTH, mass=MASS, EI=STIFFNESS, z=modal.assumed.sines(3), markers=places, frame=modal.Unchanged(),
        polar_inertia=1e-3, stiffening=False,
    )  # fmt: skip
    beam = fb.FlexibleBody("beam", reduced, origin=(0, 0, 0), stiffening=False)
    motion = {"velocity": (SPEED, 0, 0), "angular_velocity": (0, SPEED / radius, 0), **motion}
    body = fb.RigidBody(
        "body", load, (share * load * radius**2,) * 3, center=(BEGIN, 0, radius + edge), **motion
    )
    shape = fb.Sphere(body, radius) if kind == "ball" else fb.Wheel(body, radius, rim=0.02, axis="y")
    contact = fb.Rolling("on", fb.Rail(beam, stations=list(places), radius=edge), shape, slip=slip)
    joints = [
        fb.Revolute("pin", fb.GROUND, beam["start"], axis="y"),
        fb.PointOnLine("roll", fb.GROUND, beam["end"], axis="x"),
        contact,
    ]
    bodies = [beam, body][:: -1 if order else 1]
    return fb.System(bodies, joints, gravity=(0, 0, -G))


def by_partial_velocities(t, edge=0.01, share=0.4, mu=None, load=0.8, radius=0.1, spin=None):
    """Place of the contact, sines, their rates and spin, by Kane's equations of the plane problem, (8 or 9, nt).

    The middle of the body is at p + (r + e) n, p = (x, w) on the line with the normal n. Without slip its spin W obeys
    t . v - r W = t . (0, w_t) - e w_xt, the velocity of the beam's material point that touches.
    """
    k, far, J = np.arange(1, 4) * np.pi / LENGTH, radius + edge, share * load * radius**2

    def partial(x, q):
        phi, d, dd = np.sin(k * x), k * np.cos(k * x), -(k**2) * np.sin(k * x)
        slope, bend = d @ q, dd @ q
        along = np.array([1.0, slope]) / np.hypot(1.0, slope)
        turn = np.array([bend, *d]) / (1 + slope**2)
        v = np.array([[1.0, slope], *np.column_stack([0 * phi, phi])]) - far * np.outer(turn, along)
        of_beam = np.array([0.0, *(along[1] * phi - edge * d)])
        return v, (v @ along - of_beam), along

    own = -MASS / LENGTH * G * (1 - np.cos(k * LENGTH)) / k
    inertia = np.diag([0.0, *np.full(3, MASS / 2)])

    def rates(t, y):
        x, q, u = y[0], y[1:4], y[4:8]
        v, passed, _ = partial(x, q)
        step = 1e-6
        after, before = (partial(x + s * step * u[0], q + s * step * u[1:]) for s in (1, -1))
        bias, turned = u @ (after[0] - before[0]) / (2 * step), u @ (after[1] - before[1]) / (2 * step)
        force = np.array([0.0, *(own - STIFFNESS * k**4 * LENGTH / 2 * q)]) - load * v @ (bias + (0, G))
        M = inertia + load * v @ v.T
        if mu is None:
            M = M + J / radius**2 * np.outer(passed, passed)
            return [*u, *np.linalg.solve(M, force - J / radius**2 * passed * turned)]
        # with slip: friction mu N tanh(slip / v0) along the tangent, N from the balance of the body along n
        along = partial(x, q)[2]
        normal = np.array([-along[1], along[0]])
        drag = mu * np.tanh((passed @ u - radius * y[8]) / 0.02)
        # N = m (a + g) . n - drag terms vanish along n
        lead = load * v @ normal
        M_drag = M + np.outer(passed * drag, lead)
        found = np.linalg.solve(M_drag, force - passed * drag * load * (normal @ (bias + (0, G))))
        N = load * normal @ (found @ v + bias + (0, G))
        return [*u, *found, radius * drag * N / J]

    start = [BEGIN, 0, 0, 0, SPEED, 0, 0, 0] + ([] if mu is None else [spin])
    return scipy.integrate.solve_ivp(
        rates, (0, t[-1]), start, rtol=1e-10, atol=1e-12, t_eval=t, method="DOP853"
    ).y


@BOTH
@pytest.mark.parametrize(("kind", "order"), [("ball", 0), ("wheel", 1)])
def test_a_ball_or_wheel_over_a_beam(kind, order, description):
    """Its load bends the beam, which carries it; both orders of the bodies. The same sines by SciPy; the splines of
    the 21 stations leave 1e-6 m."""
    with pytest.warns(fem.RedundantConstraintWarning, match="'pin'.*'roll'"):
        result = run(on_a_beam(kind, order), 0.4, output_step=0.05, description=description)
    exact = by_partial_velocities(result.t)
    alpha = result.alpha("beam")
    assert np.abs(alpha).max() > 0.02  # m
    np.testing.assert_allclose(alpha, exact[1:4].T, atol=2e-6)
    slope = (np.pi / LENGTH * np.arange(1, 4)) * np.cos(np.outer(exact[0], np.pi / LENGTH * np.arange(1, 4)))
    slope = np.einsum("tk,kt->t", slope, exact[1:4])
    x = exact[0] - 0.11 * slope / np.hypot(1, slope)
    np.testing.assert_allclose(result.position("body")[:, 0], x, atol=2e-6)
    assert result.energy.balance_error < 1e-8


def test_a_ball_slides_on_a_beam_until_it_rolls():
    """Coulomb's law, N from the balance of the body: the same plane problem by SciPy, with the spin as a rate."""
    system = on_a_beam("ball", slip=fb.Coulomb(0.3, regularisation_velocity=0.02), angular_velocity=(0, 0, 0))
    with pytest.warns(fem.RedundantConstraintWarning, match="'pin'.*'roll'"):
        result = run(system, 0.3, output_step=0.05, integrator=fb.Explicit(rtol=1e-9))
    exact = by_partial_velocities(result.t, mu=0.3, spin=0.0)
    assert 0 < result.angular_velocity("body")[1, 1] < 10 < result.angular_velocity("body")[-1, 1]
    np.testing.assert_allclose(result.angular_velocity("body")[:, 1], exact[8], atol=2e-4)
    np.testing.assert_allclose(result.alpha("beam"), exact[1:4].T, atol=3e-6)


# ---- files and errors ------------------------------------------------------------------------------------


def test_a_file_keeps_a_rail_of_stations(tmp_path):
    with pytest.warns(fem.RedundantConstraintWarning):
        result = run(on_a_beam("wheel"), 0.05)
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    assert again.system.joint("on").first.stations == result.system.joint("on").first.stations
    np.testing.assert_array_equal(again.reaction("on").force, result.reaction("on").force)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"points": LINE}, r"'beam', which is flexible; give stations="),
        ({"stations": ["s0", "nowhere"]}, r"stations has 'nowhere'; give at least two markers of 'beam'"),
        ({"stations": ["s0", "s1"], "points": LINE}, r"give either points= .* or stations="),
        ({}, r"give either points= .* or stations="),
    ],
)
def test_wrong_rails_are_named(options, says):
    system = on_a_beam("ball")
    rail = fb.Rail(system.body("beam"), **options)
    with pytest.raises(fem.InputError, match=says):
        replace(system, joints=[*system.joints[:2], replace(system.joints[2], first=rail)])


def test_a_sharp_wheel_on_an_edge_is_named():
    """Two edges that cross in a point have no normal there; a rounded rim or rail has one."""
    body = fb.RigidBody("wheel", 1.0, (1e-3,) * 3)
    for radius, rim, bad in ((0.0, 0.0, True), (0.01, 0.0, False), (0.0, 0.02, False)):
        on = fb.Rolling("on", fb.Rail(fb.GROUND, LINE, radius=radius), fb.Wheel(body, 0.1, rim=rim, axis="y"))
        assert bool(on.problems()) == bad
        assert not bad or "'on': the sharp rim of a Wheel touches an edge" in on.problems()[0]


@pytest.mark.parametrize("kind", ["wheel", "ball"])
def test_a_hollow_that_is_too_narrow_is_named(kind):
    """Where a body of radius 0.1 m on a line with a hollow of 0.04 m touches its other side; SciPy finds the place."""
    r, e, depth, wide = 0.1, 0.005, 0.05, 0.04
    x = np.linspace(-1, 1, 161)
    line = np.column_stack([x, 0 * x, -depth * np.exp(-((x / wide) ** 2))])
    body = fb.RigidBody("body", 1.0, (4e-3,) * 3, center=(-0.5, 0, r + e), velocity=(1, 0, 0),
                        angular_velocity=(0, 1 / r, 0))  # fmt: skip
    contact = fb.Rolling("on", fb.Rail(fb.GROUND, line, radius=e), guest(kind, body, None, "y"), pulls=True)
    with pytest.raises(fem.ConvergenceError, match=r"rolling 'on' touches at a second place") as caught:
        run(fb.System([body], [contact], gravity=(0, 0, -G)), 1.0, output_step=1e-3)
    # by symmetry it touches both flanks where its middle is over the hollow
    height = scipy.optimize.minimize_scalar(
        lambda s: -(-depth * np.exp(-((s / wide) ** 2)) + np.sqrt((r + e) ** 2 - s**2)), (0.0, 0.05, 0.1)
    )
    np.testing.assert_allclose(caught.value.result.position(body)[-1], (0, 0, -height.fun), atol=3e-3)


def test_a_wheelset_runs_into_a_curve():
    """Klingel (1883) with the roll f = slope y / b of the axle, without slip; creep is nearly none here.

    The rails are touched e slope inside of their middle lines, 2 b apart. The treads move by Y = y + (r + e) f over
    them, and the points that touch move sideways with y' + r f', so that the yaw p obeys p = y' + r f' and
    p' = 1/R - slope Y / (r b): y = Y_0 (1 - cos(k x)).
    """
    R, b, r, slope, e, speed = 160.0, 0.4, 0.22, 0.05, 0.03, 2.0
    middle, b = b, b - e * slope
    moved = 1 + (r + e) * slope / b
    k = np.sqrt(slope / (r * b) * moved / (1 + r * slope / b))
    way = np.linspace(-1.0, 9.0, 60) / R
    wheels = fb.RigidBody("wheelset", 50.0, (3.0, 1.0, 3.0), center=(R, 0, r + e), velocity=(0, speed, 0),
                          angular_velocity=(-speed / r, 0, speed / R))  # fmt: skip
    contacts = []
    for side in (1, -1):
        rail = (R + side * middle) * np.column_stack([np.cos(way), np.sin(way), 0 * way])
        tread = fb.Cone(wheels, r, -side * slope, axis="x", point=(R + side * middle, 0, r + e))
        creep = fb.Creep(longitudinal=1e6, lateral=1e6)
        contacts.append(fb.Rolling(f"rail {side}", fb.Rail(fb.GROUND, rail, radius=e), tread, slip=creep))
    result = run(fb.System([wheels], contacts, gravity=(0, 0, -G)), 4.0, output_step=0.25,
                 integrator=fb.GeneralizedAlpha(rtol=1e-6))  # fmt: skip
    x = result.position("wheelset")
    along, y = R * np.arctan2(x[:, 1], x[:, 0]), np.hypot(x[:, 0], x[:, 1]) - R
    found = (1 - np.cos(k * along)) * r * b / (R * slope * moved)
    assert found.max() > 0.02  # m
    np.testing.assert_allclose(y, found, atol=2e-3 * found.max())  # squares of y / b = 0.05


def test_a_radius_that_is_no_number_is_refused():
    body = fb.RigidBody("wheel", 1.0, (1e-3,) * 3)
    on = fb.Rolling(
        "on", fb.Rail(fb.GROUND, LINE, radius=np.zeros(3)), fb.Wheel(body, 0.1, rim=0.0, axis="y")
    )
    with pytest.raises(fb.InputError, match=r"'on'.*radius"):
        fb.System([body], [on])
