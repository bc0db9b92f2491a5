"""Friction that sticks (presliding=) of many spheres, surfaces, bearings and surfaces that roll."""

import numpy as np
import pytest

import fem
import flexbody as fb

G, MU, D = 9.81, 0.3, 1e-6
METHODS = {
    "default": {},
    "explicit": {"integrator": fb.Explicit()},
    "relative": {"description": fb.Relative()},
    "scipy": {"integrator": fb.SciPy()},
}
#: those of the longer runs of what slides
QUICK = {name: METHODS[name] for name in ("default", "explicit")}
#: what still moves after a bristle has swung out, m/s: the default's steps, and tolerances of 1e-8
CREEP = {"default": 2e-9, "explicit": 2e-9, "relative": 2e-9, "scipy": 2e-8}


def run(machine, t_end, **options):
    return fb.simulate(machine, t_end, output_step=0.01, show_progress=False, **options)


def tilted(slope):
    """Gravity on an incline whose way down is x."""
    return (G * np.sin(slope), 0, -G * np.cos(slope))


# ---- many spheres ----------------------------------------------------------------------------------------------


def tripod(slope, many, presliding=D):
    """A body that stands on three balls, in one element or in three."""
    feet = np.array([(0.1, 0, 0), (-0.1, 0.1, 0), (-0.1, -0.1, 0)])
    depth = (2.0 * G * np.cos(slope) / 3 / 1e8) ** (1 / 1.5)
    body = fb.RigidBody("body", 2.0, (0.02,) * 3, center=feet.mean(axis=0))
    balls = [fb.Sphere(body, 0.05, point=foot + (0, 0, 0.05 - depth)) for foot in feet]
    law = dict(stiffness=1e8, dissipation=100.0, mu=MU, presliding=presliding)
    floor = fb.Plane(fb.GROUND)
    touch = [fb.Contacts("many", balls, [floor], **law)]
    if not many:
        touch = [fb.Contact(f"foot {k}", floor, ball, **law) for k, ball in enumerate(balls)]
    return fb.System([body], forces=touch, gravity=tilted(slope))


@pytest.mark.parametrize("options", METHODS.values(), ids=METHODS)
def test_many_contacts_stick_as_single_ones(options):
    """On an incline of tan = 0.203, below the angle of friction."""
    many, single = (run(tripod(0.2, kind), 0.2, **options) for kind in (True, False))
    way, expected = (one.position("body")[:, 0] for one in (many, single))
    # the default's steps follow single contacts to the tolerance of 1e-6
    np.testing.assert_allclose(way, expected, rtol=1e-5, atol=1e-3 * D)
    assert np.ptp(way[10:]) < 1e-3 * D
    assert many.energy.balance_error < 1e-5


@pytest.mark.parametrize("options", QUICK.values(), ids=QUICK)
def test_many_contacts_slide_as_single_ones(options):
    """On an incline of tan = 0.423 with g (sin - mu cos)."""
    speed = run(tripod(0.4, True), 0.2, **options).velocity("body")[10:, 0]
    assert np.diff(speed) / 0.01 == pytest.approx(G * (np.sin(0.4) - MU * np.cos(0.4)), rel=1e-5)


def pile(mu, presliding=D, radius=0.1):
    """A ball on three others that touch each other, on a floor."""
    across, up = 2 * radius / np.sqrt(3), 2 * radius * np.sqrt(2 / 3)
    angles = 2 * np.pi * np.arange(3) / 3
    places = [(across * np.cos(a), across * np.sin(a), radius) for a in angles] + [(0, 0, radius + up)]
    bodies = [fb.RigidBody(f"ball {k}", 1.0, (0.4 * radius**2,) * 3, center=x) for k, x in enumerate(places)]
    balls = [fb.Sphere(body, radius) for body in bodies]
    law = dict(stiffness=1e7, dissipation=30.0, mu=mu, presliding=presliding)
    return fb.System(
        bodies, forces=[fb.Contacts("pile", balls, [fb.Plane(fb.GROUND)], **law)], gravity=(0, 0, -G)
    )


@pytest.mark.parametrize("options", [{}, {"integrator": fb.Explicit()}], ids=["default", "explicit"])
def test_a_pile_of_balls_stands_by_friction(options):
    """Balls below are turned by equal frictions above and below, F (1 + cos phi) = N sin phi: mu > tan(phi / 2).

    phi is the angle of the lines of centres with the vertical, sin(phi) = 1 / sqrt(3).
    """
    least = np.tan(np.arcsin(1 / np.sqrt(3)) / 2)  # 0.318
    names = [f"ball {k}" for k in range(4)]
    stands = run(pile(1.05 * least), 0.4, **options)
    assert max(np.abs(stands.velocity(name)[-1]).max() for name in names) < 2e-9
    assert stands.energy.balance_error < 1e-4
    falls = run(pile(0.93 * least), 0.4, **options)
    assert falls.velocity("ball 3")[-1, 2] < -0.02
    if options:
        creeps = run(pile(1.05 * least, None), 0.4, **options)
        assert max(np.abs(creeps.velocity(name)[-1]).max() for name in names) > 1e-4


def test_bristles_live_as_long_as_their_pairs():
    """A ball slides into another one, and both are lifted: pairs have bristles from where they meet to the air."""
    one, two = (
        fb.RigidBody(name, 1.0, (4e-3,) * 3, center=(x, 0, 0.1), velocity=v)
        for name, x, v in (("one", 0.0, (1.0, 0, 0)), ("two", 0.22, (0, 0, 0)))
    )
    law = dict(stiffness=1e6, dissipation=1.0, mu=MU, presliding=1e-4, regularisation_velocity=0.1)
    touch = fb.Contacts("touch", [fb.Sphere(one, 0.1), fb.Sphere(two, 0.1)], [fb.Plane(fb.GROUND)], **law)
    lift = [
        fb.PointForce(f"lift {b.name}", b, lambda t: (0, 0, 30.0 if t > 0.05 else 0.0)) for b in (one, two)
    ]
    machine = fb.System([one, two], forces=[touch, *lift], gravity=(0, 0, -G))
    for options in ({}, {"integrator": fb.Explicit()}):
        result = run(machine, 0.15, **options)
        history = result.element("touch")
        pairs = np.array([history[f"pair {k}"] for k in (1, 2, 3)])
        bending = np.array([[history[f"bristle {k} {a}"] for a in "xyz"] for k in (1, 2, 3)])
        met = np.argmax(result.t > 0.03)
        # 1 + 3 i + j: the plane is the shape 2, and the balls 0 and 1 meet after 0.02 s
        assert set(pairs[:, met]) >= {7.0, 8.0}
        assert np.abs(bending[:, :, met]).max() > 0.5
        assert not pairs[:, -1].any()
        assert np.abs(bending[:, :, -1]).max() < 1e-6


def test_states_of_pairs_are_stored(tmp_path):
    """A run that goes on from a file keeps the bristles: nothing swings again."""
    first = run(pile(0.35), 0.3)
    first.save(tmp_path / "pile.h5")
    again = fb.load_result(tmp_path / "pile.h5")
    on = run(again.system, 0.4, start=again)
    # at rest to the tolerance of a step; with straight bristles it falls at up to 4e-3 m/s first
    assert np.abs(on.velocity("ball 3")).max() < 2e-8


def test_friction_without_memory_has_no_states():
    with pytest.raises(fem.InputError, match="has no 'pair 1'"):
        _ = run(pile(0.35, None), 0.01).element("pile")["pair 1"]


@pytest.mark.parametrize("presliding", [D, None])
def test_balls_that_roll_on_each_other_keep_the_balance_of_energy(presliding):
    """The normal turns beside a bristle that sticks: friction along it would take 2e-4 of the energy unseen.

    A tolerance of 1e-8 leaves up to 1e-6, and permits 1e-5 in all steps.
    """
    places = [(0.08 * (k % 2) + 0.001 * k, 0.01 * k, 0.05 + 0.09 * k) for k in range(4)]
    balls = [fb.RigidBody(f"b{k}", 1.0, (1e-3,) * 3, center=x) for k, x in enumerate(places)]
    walls = [
        fb.Plane(fb.GROUND),
        fb.Plane(fb.GROUND, "x", point=(-0.08, 0, 0)),
        fb.Plane(fb.GROUND, (-1, 0, 0), point=(0.2, 0, 0)),
    ]
    pile = fb.Contacts(
        "pile", [fb.Sphere(ball, 0.05) for ball in balls], walls, stiffness=1e6, dissipation=2.0, mu=0.4,
        presliding=presliding,
    )  # fmt: skip
    found = run(fb.System(balls, forces=[pile], gravity=(0, 0, -G)), 0.3, integrator=fb.Explicit(rtol=1e-8))
    assert found.energy.balance_error < 1e-5


def in_a_funnel(planes, balls=1):
    """A body in a funnel of planes on which all its balls, at one place, press; a moment about the upright axis."""
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3)
    angles = 2 * np.pi / planes * np.arange(planes)
    normals = np.stack([np.cos(angles), np.sin(angles), np.ones(planes)], axis=1) / np.sqrt(2.0)
    depth = (np.sqrt(2.0) * G / (planes * balls) / 1e8) ** (1 / 1.5)
    walls = [fb.Plane(fb.GROUND, n, point=-(0.05 - depth) * n) for n in normals]
    shapes = [fb.Sphere(body, 0.05) for _ in range(balls)]
    funnel = fb.Contacts("funnel", shapes, walls, stiffness=1e8, dissipation=100.0, mu=MU, presliding=D)
    limit = MU * np.sqrt(2.0) * G * 0.05 / np.sqrt(2.0)  # of the friction along the circle of the points
    twist = fb.PointMoment("twist", body, (0, 0, 0.7 * limit))
    return fb.System([body], forces=[funnel, twist], gravity=(0, 0, -G))


def test_a_ball_that_touches_seven_walls_sticks_to_all():
    """A moment of 70 % of what friction bears turns it by a bristle, and no further."""
    found = run(in_a_funnel(7), 0.3)
    assert np.abs(found.angular_velocity("body")[-1]).max() * 0.05 < 1e-8


def test_pairs_without_room_for_a_bristle_are_told():
    """Twelve balls that touch 15 walls each are 180 pairs, and have room for 132."""
    with pytest.warns(
        fem.FlexbodyWarning, match="'funnel'.*more shapes touch each other than there is room for"
    ):
        run(in_a_funnel(15, 12), 0.02)


# ---- surfaces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", QUICK.values(), ids=QUICK)
@pytest.mark.parametrize("slope", [0.2, 0.4])
def test_a_surface_sticks_and_slides(options, slope):
    depth = 2.0 * G * np.cos(slope) / (1e9 * 0.04)
    block = fb.RigidBody("block", 2.0, (0.02, 0.02, 0.03), center=(0, 0, 0.01))
    mesh = fem.box((0.2, 0.2, 0.1), (2, 2, 1), origin=(-0.1, -0.1, -depth))
    law = dict(stiffness=1e9, dissipation=100.0, mu=MU, presliding=D)
    floor = fb.SurfaceContact("floor", fb.Surface.of(block, mesh), fb.Plane(fb.GROUND), **law)
    result = run(fb.System([block], forces=[floor], gravity=tilted(slope)), 0.2, **options)
    x, v = result.position("block")[:, 0], result.velocity("block")[:, 0]
    if slope == 0.2:
        assert 0 < x[-1] < 3 * D
        assert np.ptp(x[10:]) < 2e-3 * D
    else:
        assert np.diff(v[10:]) / 0.01 == pytest.approx(G * (np.sin(slope) - MU * np.cos(slope)), rel=1e-5)


# ---- bearings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", METHODS)
@pytest.mark.parametrize("part", [0.9, 1.1])
def test_a_bearing_breaks_away_at_its_torque(how, part):
    """mu m g r; below, it stays, and above it turns with what is left."""
    m, r, mu, J = 3.0, 0.02, 0.2, 0.02
    wheel = fb.RigidBody("wheel", m, (J, J, 0.04))
    shaft = fb.Revolute("shaft", fb.GROUND, wheel, point=(0, 0, 0), axis="y")
    bearing = fb.BearingFriction("bearing", shaft, mu=mu, radius=r, presliding=D)
    most = mu * m * G * r
    load = fb.PointMoment("load", wheel, (0, part * most, 0))
    result = run(fb.System([wheel], [shaft], [bearing, load], gravity=(0, 0, -G)), 0.4, **METHODS[how])
    speed = result.angular_velocity("wheel")[:, 1]
    if part < 1:
        assert 0 < result.coordinate(shaft)[-1] < 10 * D / r
        # swings out with the rate v / d (1 - tanh): at 90 % it is slower than below 80 %, where bristles are elastic
        assert abs(speed[-1]) < CREEP[how] / r + 2e-7
        assert result.element("bearing")["force"][-1] == pytest.approx(part * most, rel=1e-4)
    else:
        assert np.diff(speed[10:]) / 0.01 == pytest.approx(0.1 * most / J, rel=1e-6)


def test_a_sleeve_that_slides_and_turns_breaks_away_as_a_whole():
    """Along and about its shaft at once: the resultant of both loads counts, here 0.8 and 0.7 of full friction."""
    r = 0.05
    for part in (0.6, 1.0):
        sleeve = fb.RigidBody("sleeve", 2.0, (0.01,) * 3)
        shaft = fb.Cylindrical("shaft", fb.GROUND, sleeve, point=(0, 0, 0), axis="x")
        law = dict(mu=MU, radius=r, presliding=D)
        rubs = [
            fb.BearingFriction(f"{which} friction", shaft, which=which, **law) for which in ("slide", "angle")
        ]
        full = MU * 2.0 * G
        loads = [
            fb.PointForce("push", sleeve, (0.8 * part * full, 0, 0)),
            fb.PointMoment("turn", sleeve, (0.7 * part * full * r, 0, 0)),
        ]
        result = run(fb.System([sleeve], [shaft], [*rubs, *loads], gravity=(0, 0, -G)), 0.3)
        way, angle = (result.coordinate(shaft, which) for which in ("slide", "angle"))
        size = np.hypot(0.8, 0.7) * part  # 0.64 and 1.06
        if size < 1:
            assert np.hypot(way[-1], r * angle[-1]) < 3 * D
            assert np.ptp(way[15:]) < 1e-3 * D
        else:  # the inertia about the shaft is J / r^2 = 4 kg at its surface, so that directions differ
            assert way[-1] > 1e-3


def test_small_motions_of_a_bearing_that_sticks():
    """m l^2 + (F / v) l + F / d = 0 with F = mu m g about the drawn position, where the bristle is straight."""
    body = fb.RigidBody("slider", 2.0, (1e-3,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    rub = fb.BearingFriction("rub", guide, mu=MU, presliding=1e-3)
    machine = fb.System([body], [guide], [rub], gravity=(0, 0, -G))
    found = fb.linearize(machine, fb.equilibrium(machine)).eigenvalues
    F = MU * 2.0 * G
    for value in np.roots([2.0, F / 1e-3, F / 1e-3]):
        assert np.abs(found - value).min() < 3e-4 * abs(value)  # differences over 1e-6 m/s


# ---- surfaces that roll ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", QUICK.values(), ids=QUICK)
def test_a_ball_on_an_incline_rolls_without_creep_or_slides(options):
    """g sin / (1 + J / (m r^2)) while friction holds, from mu = 2/7 tan(slope) on; else g (sin - mu cos)."""
    slope, r, found = 0.4, 0.1, []
    for mu in (0.3, 0.05):
        ball = fb.RigidBody("ball", 2.0, (0.4 * 2.0 * r * r,) * 3, center=(0, 0, r))
        lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, r), slip=fb.Coulomb(mu, presliding=D))
        result = run(fb.System([ball], [lane], gravity=tilted(slope)), 0.3, **options)
        v = result.velocity("ball")[:, 0]
        found.append((np.diff(v[10:]) / 0.01, v[10:] - r * result.angular_velocity("ball")[10:, 1]))
    assert found[0][0] == pytest.approx(G * np.sin(slope) / 1.4, rel=1e-5)
    assert np.abs(found[0][1]).max() < 2e-7  # of 0.8 m/s; a regularised law slips by 4e-4 m/s
    assert found[1][0] == pytest.approx(G * (np.sin(slope) - 0.05 * np.cos(slope)), rel=1e-5)


def test_a_wheel_that_is_held_by_rolling_friction_stays():
    """A ball beside its point of contact pulls a wheel on an incline; the brake holds it, and friction the brake."""
    body = fb.RigidBody("wheel", 2.0, (0.01,) * 3, center=(0, 0, 0.1), velocity=(0.5, 0, 0))
    lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(body, 0.1), slip=fb.Coulomb(MU, presliding=D))
    carrier = fb.Planar("upright", fb.GROUND, body, point=(0, 0, 0.1), axis="y")
    brake = fb.Coupler("brake", [(carrier, "angle", 1.0)])
    result = run(fb.System([body], [lane, carrier, brake], gravity=tilted(0.1)), 0.5)
    way = 0.5**2 / (2 * G * (MU * np.cos(0.1) - np.sin(0.1)))
    assert result.position("wheel")[-1, 0] == pytest.approx(way, abs=5 * D)
    assert np.abs(result.velocity("wheel")[-1]).max() < 1e-8


def test_wrong_lengths_are_named():
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3, center=(0, 0, 0.1))
    ball, floor = fb.Sphere(body, 0.1), fb.Plane(fb.GROUND)
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    words = r"presliding is -1.*must be a number above zero"
    for forces, joints in (
        ([fb.Contacts("many", [ball], [floor], stiffness=1e6, presliding=-1)], []),
        ([fb.BearingFriction("rub", guide, mu=MU, presliding=-1)], [guide]),
        ([], [fb.Rolling("lane", floor, ball, slip=fb.Coulomb(MU, presliding=-1))]),
    ):
        with pytest.raises(fem.InputError, match=words):
            fb.System([body], joints, forces)
