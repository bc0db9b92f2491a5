"""Joints round massless bodies: kinematic connections against the joints that they are equal to and closed forms."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy
from scipy import integrate
from support.cloud import Cloud
from support.joints import JOINTS, joint, rigid
from support.massless import DOWN, END, EXPLICIT, HOW, TOP, ends, hung, run

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core import equations as eq
from flexbody.core.elimination import factorise, solve
from flexbody.equations.consistent_start import consistent_start


def both(make, t_end=0.3, **how):
    """Return the motion of a machine with massless bodies, and of one without."""
    return run(make(True), t_end, **how), run(make(False), t_end, **how)


def apart(one, other, names="ab"):
    return max(np.abs(one.position(name) - other.position(name)).max() for name in names)


def hung_flexible(massless):
    a, b = (
        fb.FlexibleBody(name, Cloud.random(np.random.default_rng(seed), modes=3).body(), origin=place)
        for name, seed, place in (("a", 1, (0, 0, 0)), ("b", 2, (0.2, 0.1, -2.0)))
    )
    bar = fb.MasslessBody("bar", center=(0.1, 0, -1))
    more = [fb.Spherical("upper", a["p"], bar), fb.Spherical("lower", bar, b["q"])]
    if not massless:
        more = [fb.Distance("rod", a["p"], b["q"])]
    return fb.System([a, b], [fb.Revolute("pin", fb.GROUND, a["q"], axis="y"), *more], gravity=DOWN)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("make", [hung, hung_flexible])
def test_a_bar_on_two_balls_is_a_constant_distance(make, how):
    """Sol, figure 7.2: five of six components are left, so that one constraint holds the distance."""
    bars, rods = both(make, **how)
    explicit = how["integrator"] is EXPLICIT
    # both runs have the tolerance of their integrator; that of the second-order method is 1e-6 of the motion
    assert apart(bars, rods) < (1e-9 if explicit else 2e-5)
    pull, upper, lower = (
        rods.reaction("rod").force,
        bars.reaction("upper").force,
        bars.reaction("lower").force,
    )
    size = np.linalg.norm(pull, axis=1)
    assert np.abs(np.linalg.norm(upper, axis=1) - size).max() < (1e-6 if explicit else 1e-3) * size.max()
    assert np.abs(upper - lower).max() < 1e-6 * size.max()  # nothing else acts on the bar
    assert bars.energy.balance_error < (1e-8 if explicit else 1e-4)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_the_bar_is_in_equilibrium_does_not_spin_and_its_motion_is_that_of_its_ends(how):
    load = np.array((0.0, 20.0, 5.0))

    def forces(bar):  # in the line between the balls, where it has no moment about it
        return [fb.PointForce("wind", bar, load, point=0.5 * (TOP + END))]

    found = fb.simulate(hung(True, forces), 0.2, output_step=0.002, show_progress=False, **how)
    upper, lower = found.reaction("upper"), found.reaction("lower")  # loads on the bar, and of it on b
    tolerance = 1e-8 if how["integrator"] is EXPLICIT else 1e-3
    assert np.abs(upper.force + load - lower.force).max() < tolerance * np.abs(upper.force).max()
    top, end, middle = (found.position("bar", point) for point in (TOP, END, 0.5 * (TOP + END)))
    moments = np.cross(top - middle, upper.force) - np.cross(end - middle, lower.force)
    assert np.abs(moments).max() < tolerance * np.abs(upper.force).max()
    along = (end - top) / np.linalg.norm(end - top, axis=1)[:, None]
    spin = np.einsum("ti,ti->t", along, found.angular_velocity("bar"))
    assert np.abs(spin).max() < (
        1e-6 if how["integrator"] is EXPLICIT else 1e-3
    )  # of 2 rad/s, tolerances of the methods
    if how["integrator"] is EXPLICIT:
        # central differences of order 4, h = 0.002 s: errors of h^4 / 30 of the fifth derivatives
        v, x, h = found.velocity("bar"), found.position("bar"), 0.002
        for fine, rate in ((v, x), (found.acceleration("bar"), v)):
            slope = (rate[:-4] - 8 * rate[1:-3] + 8 * rate[3:-1] - rate[4:]) / (12 * h)
            assert np.abs(fine[2:-2] - slope).max() < 1e-5 * np.abs(fine).max() + 1e-4


def test_the_rank_of_a_connection_is_told():
    found = fb.mobility(hung(True))
    (one,) = found.connections
    assert (one.rank, one.constraints, one.idle) == (5, 1, 1)  # Sol, below (7.2.8)
    assert one.massless == ("bar",)
    assert one.joints == ("upper", "lower")
    assert one.ends == ("a", "b")
    assert "connection of 'a', 'b' by upper, lower round 'bar': 1 constraint, 5 of 6 components left" in str(
        found
    )
    assert found.degrees_of_freedom == fb.mobility(hung(False)).degrees_of_freedom + 1
    (hub,) = fb.mobility(star()).connections
    assert (hub.rank, hub.constraints, hub.idle) == (9, 3, 0)  # three distances
    (shaft,) = fb.mobility(cardan(True)).connections
    assert (shaft.rank, shaft.constraints, shaft.idle) == (
        4,
        2,
        0,
    )  # two universal joints leave two motions each


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize("kind", JOINTS)
def test_every_joint_acts_through_a_massless_flange(kind, description):
    """A flange without mass that is welded to the second body is a part of it."""
    found = []
    for flanged in (True, False):
        a, b = (
            rigid("a", 0.0),
            replace(rigid("b", 1.0), velocity=(0.3, 0.2, -0.1), angular_velocity=(1, -2, 0.5)),
        )
        pin = fb.Spherical("pin", fb.GROUND, a, point=(0, 0, 1))
        flange = fb.MasslessBody("flange", center=(0.7, 0.2, 0.3))
        joints = [pin, joint(kind, a, flange if flanged else b)]
        if flanged:
            joints.append(fb.Fixed("weld", flange, b, point=(0.8, 0.1, 0)))
        spring = fb.SpringDamper("spring", a, b, stiffness=50.0, damping=1.0)
        machine = fb.System([a, b], joints, [spring], gravity=DOWN)
        found.append(run(machine, 0.2, integrator=EXPLICIT, description=description))
    assert apart(*found) < 1e-9
    flanged, plain = (one.reaction("j") for one in found)
    size = max(np.abs(plain.force).max(), np.abs(plain.moment).max(), 1.0)
    assert np.abs(flanged.force - plain.force).max() < 1e-7 * size
    assert np.abs(flanged.moment - plain.moment).max() < 1e-7 * size


# ---- more ends and more bodies ---------------------------------------------------------------------------

CORNERS = {"a": np.array((1.0, 0, 0)), "b": np.array((-0.5, 0.8, 0.1)), "c": np.array((-0.4, -0.7, 0.2))}
MASSES = {"a": 1.0, "b": 2.0, "c": 1.5}


def star(spin=(0.3, -0.2, 2.0)):
    """Three balls with mass on ball joints in their centres, at the corners of a plate without mass."""
    hub = fb.MasslessBody("hub")
    bodies = [
        fb.RigidBody(name, MASSES[name], (0.01,) * 3, center=x, velocity=np.cross(spin, x))
        for name, x in CORNERS.items()
    ]
    return fb.System(bodies, [fb.Spherical(f"ball {one.name}", one, hub, point=one.center) for one in bodies])


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_plate_with_three_balls_is_one_rigid_body(how):
    """Points of mass at the corners of a rigid triangle: Euler's equations, integrated by SciPy."""
    m, x = np.array(list(MASSES.values())), np.array(list(CORNERS.values()))
    center = m @ x / m.sum()
    r = x - center
    J = np.einsum("n,nij->ij", m, [q @ q * np.eye(3) - np.outer(q, q) for q in r])

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        turning = np.linalg.solve(J, -np.cross(w, J @ w))
        return np.concatenate([(R @ np.cross(np.eye(3), w)).ravel(), turning])

    found = run(star(), 1.0, **how)
    w = (0.3, -0.2, 2.0)
    exact = integrate.solve_ivp(
        rates, (0, 1), [*np.eye(3).ravel(), *w], method="DOP853", rtol=1e-12, atol=1e-12, t_eval=found.t
    ).y.T
    drift = np.outer(found.t, np.cross(w, center))
    tolerance = 1e-8 if how["integrator"] is EXPLICIT else 1e-4
    for k, name in enumerate(CORNERS):
        place = center + drift + np.einsum("tij,j->ti", exact[:, :9].reshape(-1, 3, 3), r[k])
        assert np.abs(found.position(name) - place).max() < tolerance
    assert np.abs(found.rotation("hub") - exact[:, :9].reshape(-1, 3, 3)).max() < tolerance
    total = sum(found.reaction(f"ball {name}").force for name in CORNERS)
    assert np.abs(total).max() < tolerance  # on the plate


BETA = 0.5  # rad, between the shafts


def cardan(massless, turned=False, mass=1e-3):
    """Two parallel shafts and one between them on universal joints, whose second yoke may be turned by 90 degrees."""
    along, across = np.array((np.cos(BETA), np.sin(BETA), 0)), np.array((-np.sin(BETA), np.cos(BETA), 0))
    first = fb.RigidBody("first", 1.0, (0.01,) * 3)
    last = fb.RigidBody("last", 1.0, (0.02,) * 3, center=along + (0.5, 0, 0))
    shaft = fb.MasslessBody("shaft", center=0.5 * along)
    if not massless:
        shaft = fb.RigidBody("shaft", mass, (0.01 * mass,) * 3, center=0.5 * along)
    joints = [
        fb.Revolute("in", fb.GROUND, first, point=(-0.5, 0, 0), axis="x"),
        fb.Universal("one", first, shaft, point=(0, 0, 0), axes=("z", across)),
        fb.Universal("two", shaft, last, point=along, axes=("z", "y") if turned else (across, "z")),
        fb.Revolute("out", fb.GROUND, last, point=along + (0.5, 0, 0), axis="x"),
    ]
    drive = fb.Drive("drive", joints[0], rate=10.0)
    spring = fb.SpringDamper(
        "spring", last, fb.GROUND, stiffness=20.0, first_point=along + (0.5, 0.2, 0), second_point=(2, 1, 0)
    )
    return fb.System([first, last, *(() if massless else (shaft,))], [*joints, drive], [spring])


@pytest.mark.parametrize(
    "how", [HOW["explicit"], HOW["alpha and relative"]], ids=["explicit", "alpha and relative"]
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_shaft_between_two_universal_joints(how, turned):
    """tan phi = cos(beta) tan theta at each joint, or its inverse where the yoke's other axis drives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        found = run(cardan(True, turned), 1.0, **how)
        driven = fb.kinematics(cardan(True, turned), 1.0, output_step=0.01, show_progress=False)
    for result in (found, driven):
        theta = 10.0 * result.t
        factor = np.cos(BETA) ** 2 if turned else 1.0
        expected = np.unwrap(np.arctan2(factor * np.sin(theta), np.cos(theta)))
        assert result.coordinate("out") == pytest.approx(expected, abs=1e-6)
        phi = np.arctan2(np.cos(BETA) * np.sin(theta), np.cos(theta))
        turn = result.rotation("shaft")[:, 2]  # third components of the shaft's axes
        assert turn[:, 2] == pytest.approx(np.cos(phi), abs=1e-6)


def two_shafts(third=False, load=0.0):
    """Two massless shafts with a gear between them, of which the second may drive a third one with mass."""
    first, second = (fb.MasslessBody(name, center=(x, 0, 0)) for name, x in (("first", 0), ("second", 0.5)))
    wheel = fb.RigidBody("wheel", 1.0, (0.02, 0.02, 0.03), center=(1, 0, 0))
    at = zip("abc", (first, second, wheel), (0, 0.5, 1), strict=True)
    a, b, c = (fb.Revolute(name, fb.GROUND, body, point=(x, 0, 0), axis="z") for name, body, x in at)
    gears = [fb.Gear("ab", a, b, ratio=2.0), *([fb.Gear("bc", b, c, ratio=1.5)] if third else [])]
    return fb.System([wheel], [a, b, c, *gears], [fb.PointMoment("load", first, (0, 0, load))])


def test_gears_and_drives_are_parts_of_the_connections_of_their_joints():
    (one,) = fb.mobility(two_shafts(third=True)).connections
    assert (one.massless, one.ends) == (("first", "second"), ("ground", "wheel"))
    assert one.joints == ("a", "b", "ab", "bc")
    assert (one.constraints, one.idle) == (0, 0)  # the shafts follow the wheel
    (alone,) = fb.mobility(two_shafts()).connections
    assert (alone.constraints, alone.idle) == (0, 1)  # they turn together
    (driven,) = fb.mobility(strut(True, lambda t: 0.1 * t * t)).connections
    assert (driven.rank, driven.constraints, driven.idle) == (5, 1, 1)  # a distance that is given
    # theta_wheel = theta_first / 3, so that J / 9 resists the moment
    found = run(two_shafts(third=True, load=0.1), 0.2, integrator=EXPLICIT)
    assert found.coordinate("a")[-1] == pytest.approx(0.5 * (0.1 * 9 / 0.03) * 0.2**2, rel=1e-8)
    # each shaft is held by the other, but nothing holds both
    with pytest.raises(
        fb.InputError, match="'first', 'second' that a, b, ab hold, in a direction in which no"
    ):
        run(two_shafts(load=0.1), 0.2)


def test_friction_on_reactions_and_the_limit_of_a_light_shaft():
    """What a shaft of small mass does differs from a massless one by a part that is proportional to the mass."""

    def loaded(massless, mass=1.0):
        machine = cardan(massless, True, mass)
        out = machine.joint("out")
        friction = fb.BearingFriction("bearing", out, radius=0.02, mu=0.2)
        return replace(machine, forces=[*machine.forces, friction])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the one redundant constraint, and what it does to friction
        bare = run(loaded(True), 0.2, integrator=EXPLICIT)
        more = [run(loaded(False, mass), 0.2, integrator=EXPLICIT) for mass in (1e-3, 1e-5)]
    forces = [np.abs(one.reaction("two").moment - bare.reaction("two").moment).max() for one in more]
    assert forces[0] / forces[1] == pytest.approx(100.0, rel=0.03)  # 1e-3 kg are a percent already
    assert forces[1] < 1e-4 * np.abs(bare.reaction("two").moment).max()


@pytest.mark.parametrize("integrator", [EXPLICIT, fb.SciPy()], ids=["explicit", "SciPy"])
def test_a_bar_in_the_line_of_the_loads_is_held(integrator):
    """A bar swings through the line of gravity: the loads on it cancel, and their round-off tells nothing."""
    for seed in (1, 7):
        rng = np.random.default_rng(seed)
        place = rng.normal(size=3) * (1, 1, -1)
        speed = np.cross(rng.normal(size=3), place)
        gravity = 9.81 * place / np.linalg.norm(place)
        b = fb.RigidBody("b", 1.0, (0.01, 0.02, 0.015), center=place, velocity=speed)
        bar = fb.MasslessBody("bar")
        balls = [fb.Spherical("u", fb.GROUND, bar, point=(0, 0, 0)), fb.Spherical("v", bar, b, point=place)]
        rod = fb.Distance("rod", fb.GROUND, b, first_point=(0, 0, 0), second_point=place)
        found, expected = (
            fb.simulate(
                fb.System([b], joints, gravity=gravity), 0.1, output_step=0.002, integrator=integrator,
                show_progress=False,
            ) for joints in (balls, [rod])
        )  # fmt: skip
        assert apart(found, expected, "b") < 1e-7  # rtol 1e-8 of SciPy


# ---- energetic and active connections inside -------------------------------------------------------------


def strut(massless, length=None):
    """A cylinder and its piston between two balls: with a spring and damper, or driven to grow."""
    a, b, _ = ends(velocity=(0.3, 0.2, 0))
    fix = fb.Revolute("fix", fb.GROUND, a, point=(0, 0, 0), axis="y")
    e = (END - TOP) / np.linalg.norm(END - TOP)
    start = float(np.linalg.norm(END - TOP))
    law = {"stiffness": 500.0, "damping": 5.0, "free_length": start}
    if not massless:
        if length is not None:
            driven = fb.Distance(
                "rod", a, b, first_point=TOP, second_point=END, length=lambda t: start + length(t)
            )
            return fb.System([a, b], [fix, driven], gravity=DOWN)
        spring = fb.SpringDamper("spring", a, b, first_point=TOP, second_point=END, **law)
        return fb.System([a, b], [fix], [spring], gravity=DOWN)
    cylinder, piston = (
        fb.MasslessBody(name, center=x)
        for name, x in (("cylinder", TOP + 0.2 * e), ("piston", END - 0.2 * e))
    )
    slide = fb.Prismatic("slide", cylinder, piston, point=TOP + 0.5 * e, axis=e)
    joints = [
        fix,
        fb.Spherical("upper", a, cylinder, point=TOP),
        slide,
        fb.Spherical("lower", piston, b, point=END),
    ]
    if length is not None:
        return fb.System([a, b], [*joints, fb.Drive("pump", slide, value=length)], gravity=DOWN)
    spring = fb.SpringDamper("spring", cylinder, piston, first_point=TOP, second_point=END, **law)
    return fb.System([a, b], joints, [spring], gravity=DOWN)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_spring_and_damper_in_a_massless_strut(how):
    inside, direct = both(strut, **how)
    tolerance = 1e-9 if how["integrator"] is EXPLICIT else 1e-5
    assert apart(inside, direct) < tolerance
    assert np.abs(inside.element("spring").force - direct.element("spring").force).max() < 1e3 * tolerance


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_driven_strut_is_a_driven_distance(how):
    inside, direct = both(lambda massless: strut(massless, lambda t: 0.1 * t * t), **how)
    tolerance = 1e-9 if how["integrator"] is EXPLICIT else 1e-5
    assert apart(inside, direct) < tolerance
    pushed = np.linalg.norm(direct.reaction("rod").force, axis=1)
    assert np.abs(np.linalg.norm(inside.reaction("lower").force, axis=1) - pushed).max() < 1e3 * tolerance


# ---- analyses --------------------------------------------------------------------------------------------


def pendulum(massless):
    """A bar below a ball of inertia, which is symmetric about the vertical, so that nothing depends on its spin."""
    a = fb.RigidBody("a", 2.0, (0.02, 0.03, 0.04), center=(0.3, 0, 0))
    b = fb.RigidBody("b", 1.0, (0.02, 0.02, 0.01), center=(0.3, 0, -0.8))
    pin = fb.Revolute("pin", fb.GROUND, a, point=(0, 0, 0), axis="y")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, a, stiffness=300.0, first_point=(0.3, 0, 1), second_point=(0.3, 0, 0)
    )
    top, end = (0.3, 0, 0), (0.3, 0, -0.6)
    more = [fb.Distance("rod", a, b, first_point=top, second_point=end)]
    if massless:
        bar = fb.MasslessBody("bar", center=(0.4, 0.02, -0.3))
        more = [fb.Spherical("upper", a, bar, point=top), fb.Spherical("lower", bar, b, point=end)]
    return fb.System([a, b], [pin, *more], [spring], gravity=DOWN)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()])
def test_equilibrium_and_small_motions(description):
    bars, rods = (fb.equilibrium(pendulum(massless), description=description) for massless in (True, False))
    assert bars.position("b") == pytest.approx(rods.position("b"), abs=1e-10)
    # the idle spin of the bar is no motion of the machine
    found, expected = (fb.linearize(state).frequencies_hz for state in (bars, rods))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_other_methods_and_descriptions():
    expected = run(hung(False), 0.2, integrator=EXPLICIT)
    for how in (
        {"integrator": fb.SciPy()},
        {"integrator": fb.Baumgarte(20.0, 20.0)},
        {"integrator": fb.Partitioned()},
        {"integrator": EXPLICIT, "description": fb.Mixed(relative=["a", "bar"])},
        {"integrator": EXPLICIT, "start": fb.QuasiStatic()},
    ):
        assert apart(run(hung(True), 0.2, **how), expected) < 1e-7  # tolerances of 1e-8
    with pytest.raises(fb.InputError, match="body 'bar' has no mass"):
        run(hung(True), 0.1, description=fb.Points())


def test_files_pictures_and_a_body_in_its_place(tmp_path):
    found = run(hung(True), 0.1, integrator=EXPLICIT)
    found.save(tmp_path / "hung.h5")
    again = fb.load_result(tmp_path / "hung.h5")
    assert np.array_equal(again.position("bar"), found.position("bar"))
    assert [type(body) for body in again.system.bodies] == [fb.RigidBody, fb.RigidBody, fb.MasslessBody]
    on = run(again.system, 0.2, integrator=EXPLICIT, start=again)
    whole = run(hung(True), 0.2, integrator=EXPLICIT)
    assert apart(on.state(0.2), whole.state(0.2)) < 1e-9
    first, last = (np.asarray(fb.picture(found, time=t)) for t in (0.0, 0.1))
    assert (first != last).any(axis=2).sum() > 1000  # pixels
    # a body of its name with mass takes its place
    machine = hung(True)
    heavy = fb.RigidBody("bar", 3.0, (0.1,) * 3, center=(0.4, 0.02, -0.3))
    heavier = replace(machine, bodies=[*machine.bodies[:2], heavy])
    assert apart(run(heavier, 0.2, integrator=EXPLICIT), run(machine, 0.2, integrator=EXPLICIT)) > 1e-3


def test_a_joint_inside_that_is_switched_off():
    """The upper ball lets go: the second body flies on, and takes the bar with it."""
    let_go = fb.Event("let go", lambda s: s.t - 0.1, then=fb.Switch(off=["upper"]))
    found = run(hung(True), 0.3, integrator=EXPLICIT, events=[let_go])
    free = found.t > 0.105
    assert found.acceleration("b")[free] == pytest.approx(np.tile(DOWN, (int(free.sum()), 1)), abs=1e-6)


def test_solutions_of_the_singular_system():
    """The elimination with auxiliary masses against the singular system itself, by numpy."""
    plan = make_plan(hung(True), 1.0)
    s = consistent_start(plan)
    L, W = plan.layout, plan.work()
    plan.formulation.place(L, W, s)
    n, m = plan.n_velocities, plan.n_rows
    M, G = np.empty((n, n)), np.empty((m, n))
    eq.dense(L, W, M, G)
    eq.masses(L, W)
    assert factorise(L, W, np.zeros(0))
    rng = np.random.default_rng(3)
    here = scipy.linalg.null_space(G[:, plan.velocities(2)]).T  # the idle spin
    load, right = rng.normal(size=n), rng.normal(size=m)
    load[plan.velocities(2)] -= here.T @ (here @ load[plan.velocities(2)])  # what joints can bear
    expected = np.linalg.lstsq(
        np.block([[M, G.T], [G, np.zeros((m, m))]]), np.concatenate([load, right]), rcond=1e-12
    )[0]
    x, y = load.copy(), np.empty(m)
    solve(L, W, right, x, y)
    assert y == pytest.approx(expected[n:], rel=1e-9, abs=1e-9)
    part = plan.velocities(2)
    assert np.delete(x, part) == pytest.approx(np.delete(expected[:n], part), rel=1e-9, abs=1e-9)
    assert G @ x == pytest.approx(right, abs=1e-10)


def test_the_spring_in_a_strut_is_an_input_of_a_linear_machine():
    """The response of the second body to its force is that to a spring between the bodies."""
    found = []
    for massless in (True, False):
        machine = strut(massless)
        still = replace(machine.body("b"), velocity=(0, 0, 0))
        bodies = [still if body.name == "b" else body for body in machine.bodies]
        small = fb.linearize(replace(machine, bodies=bodies, gravity=(0, 0, 0)), state=fb.AsDrawn())
        space = small.state_space(["spring"], accelerations=["b"])
        A, B, C, D = space.A, space.B, space.C, space.D
        found.append(C @ np.linalg.solve(3.0j * np.eye(len(A)) - A, B) + D)
    size = np.abs(found[1]).max()
    assert size > 0.001
    assert np.abs(found[0] - found[1]).max() < 1e-6 * size


def test_springs_round_a_knot_on_a_massless_body_that_a_joint_holds():
    """Two equal springs in line are one of half the stiffness."""
    found = []
    for series in (True, False):
        hook, knot = fb.MasslessBody("hook", center=(0, 0, 0)), fb.MasslessBody("knot", center=(0, 0, -0.5))
        block = fb.RigidBody("block", 1.0, (0.01,) * 3, center=(0, 0, -1), velocity=(0, 0, -0.1))
        joints = [
            fb.Fixed("weld", fb.GROUND, hook, point=(0, 0, 0)),
            fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, -1), axis="z"),
        ]
        springs = [
            fb.SpringDamper("upper", hook, knot, stiffness=1000.0),
            fb.SpringDamper("lower", knot, block, stiffness=1000.0),
        ]
        if not series:
            springs = [fb.SpringDamper("one", hook, block, stiffness=500.0)]
        machine = fb.System([block], joints, springs)
        assert [point.name for point in machine.massless_bodies] == (["knot"] if series else [])
        found.append(run(machine, 0.1, integrator=EXPLICIT))
    assert apart(*found, ["block"]) < 1e-12
    assert found[0].reaction("weld").force == pytest.approx(found[1].reaction("weld").force, abs=1e-8)
