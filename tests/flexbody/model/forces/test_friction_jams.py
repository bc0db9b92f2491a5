"""Friction that brings its own normal force: drawers, chains, jams; and what is said of friction in words."""

import warnings

import numpy as np
import pytest
from reference import machines
from scipy.optimize import fsolve
from support import beams

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations.consistent_start import consistent_start
from flexbody.model.forces.friction import DryFriction

pytestmark = pytest.mark.slow  # together a second or more

G = 9.81
MASS, OFFSET, LENGTH = 2.0, 0.2, 0.4
METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-9), fb.SciPy(rtol=1e-9)]
method = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def drawer(mu, push, speed=1.0):
    """Its mass centre beside the guide, pulled at the guide: N = 2 m |a| OFFSET / LENGTH in two bearings.

    So m a = P - k m |a| with k = 2 mu OFFSET / LENGTH: a = P / (m (1 + k)) forwards, P / (m (1 - k)) when it slows.
    """
    body = fb.RigidBody(
        "drawer", MASS, (0.1,) * 3, center=(0, OFFSET, 0), velocity=(speed, 0, 0), markers={"grip": (0, 0, 0)}
    )
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    rub = fb.BearingFriction("rub", guide, mu=mu, length=LENGTH)
    return fb.System([body], [guide], [rub, fb.PointForce("push", body["grip"], push)])


@method
@pytest.mark.parametrize("mu", [0.1, 0.6, 0.9])
def test_a_drawer_that_tilts_in_its_guide(method, mu):
    """Nine tenths of the friction brought by friction itself: closed forms, and hardly more iterations than steps."""
    k = 2 * mu * OFFSET / LENGTH
    for push, a in ((3.0, 3.0 / (MASS * (1 + k))), (-1.0, -1.0 / (MASS * (1 - k)))):
        t_end = min(0.5, 0.95 / abs(a))  # while it moves
        result = fb.simulate(drawer(mu, (push, 0, 0)), t_end, integrator=method, show_progress=False)
        np.testing.assert_allclose(result.velocity("drawer")[:, 0], 1.0 + a * result.t, rtol=0, atol=1e-8)
        np.testing.assert_allclose(result.element("rub").force, k * MASS * abs(a), rtol=1e-6)
        np.testing.assert_allclose(result.element("rub")["normal"], k * MASS * abs(a) / mu, rtol=1e-6)
        lost = k * MASS * abs(a) * (t_end + 0.5 * a * t_end**2)
        assert result.energy.dissipated[-1] == pytest.approx(lost, rel=1e-6)
        if isinstance(method, fb.GeneralizedAlpha):
            assert result.statistics.iterations <= 1.1 * result.statistics.steps


def test_a_drawer_stops_and_goes_back():
    """Past the stop friction turns round, and the push goes on: back with P / (m (1 + k))."""
    k = 0.6
    result = fb.simulate(drawer(0.6, (-1.0, 0, 0)), 1.0, show_progress=False)
    stop = MASS * (1 - k) / 1.0
    # the stop is passed within creep / a of it
    v = np.where(result.t < stop, 1.0 - result.t / stop, -(result.t - stop) / (MASS * (1 + k)))
    np.testing.assert_allclose(result.velocity("drawer")[:, 0], v, atol=2e-3)
    assert result.energy.balance_error < 1e-5


@pytest.mark.parametrize("integrator", [None, fb.GeneralizedAlpha(step=1e-3), fb.Explicit()])
def test_a_drawer_that_jams_is_named(integrator):
    """k = 1.2: no deceleration is large enough (Painleve), at the start or when the push turns round."""
    with pytest.raises(
        fb.ConvergenceError, match=r"Friction 'rub' jams: .* adds 1\.2 N to its force.*smaller mu"
    ):
        fb.simulate(drawer(1.2, (-1.0, 0, 0)), 1.0, integrator=integrator, show_progress=False)
    turning = drawer(1.2, lambda t: (1.0 - 2.0 * t, 0, 0))
    with pytest.raises(
        fb.ConvergenceError, match=r"Friction 'rub' jams: .* adds 1\.2 N to its force"
    ) as caught:
        fb.simulate(turning, 1.0, integrator=integrator, show_progress=False)
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=5e-3)
    # forwards the same drawer moves
    result = fb.simulate(drawer(1.2, (1.0, 0, 0)), 0.2, integrator=integrator, show_progress=False)
    assert result.velocity("drawer")[-1, 0] == pytest.approx(1 + 0.2 / (MASS * 2.2), rel=1e-6)


def test_a_law_of_friction_that_jams_is_named():
    """The same law in a ForceElement along the guide."""
    drawn = drawer(1.2, (-1.0, 0, 0))
    rub, push = drawn.forces
    law = fb.ForceElement("own", fb.Along(rub.joint), rub.force_law({}))
    with pytest.raises(fb.ConvergenceError, match=r"ForceElement 'own' jams: .* adds 1\.2 N to its force"):
        fb.simulate(fb.System(drawn.bodies, drawn.joints, [law, push]), 1.0, show_progress=False)


def test_friction_along_lines_holds_each_block():
    """At the start each block creeps under its own weight at ``c artanh(weight / load)``; one of them slides.

    A clamped beam beside them makes the start one with a deformation.
    """
    load, creep, forces = 50.0, 1e-3, []
    beam = fb.FlexibleBody("beam", beams.quintic_beam())
    bodies, joints = [beam], [fb.Fixed("clamp", fb.GROUND, beam["start"])]
    for k, mass in enumerate((1.0, 4.0, 9.0)):
        body = fb.RigidBody(f"block {k}", mass, (0.1,) * 3, center=(k, 0, -1))
        bodies.append(body)
        joints.append(fb.Prismatic(f"guide {k}", fb.GROUND, body, point=(k, 0, -1), axis="z"))
        law = DryFriction(load, regularisation_velocity=creep)
        forces.append(fb.ForceElement(f"rub {k}", fb.Line(fb.GROUND, body, first_point=(k, 0, 0)), law))
    system = fb.System(bodies, joints, forces, gravity=(0, 0, -G))
    result = fb.simulate(system, 1e-3, start=fb.QuasiStatic(), show_progress=False)
    found = [result.velocity(body)[0, 2] for body in bodies[1:]]
    # full friction is reached at seven times the creep
    expected = [-creep * np.arctanh(G / load), -creep * np.arctanh(4 * G / load), -7 * creep]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_inputs_that_jump():
    """A push that turns round between two steps: accelerations, reactions and friction jump with it."""
    for integrator in (fb.GeneralizedAlpha(), fb.GeneralizedAlpha(step=1e-3), fb.Explicit()):
        machine = drawer(0.5, (fb.Input("push"), 0, 0))
        sim = fb.Stepper(machine, integrator=integrator)
        v = 1.0
        for push, dt in ((4.0, 0.1), (-2.0, 0.1), (6.0, 0.05)):
            sim["push"] = push
            sim.advance(dt)
            v += dt * push / (MASS * (1.5 if push > 0 else 0.5))
        assert sim.velocity("drawer")[0] == pytest.approx(v, abs=1e-6)
        assert sim.result().energy.balance_error < 1e-6


BARS, PINS = 3, {"mu": 0.7, "radius": 0.15, "regularisation_velocity": 0.045}


def test_a_chain_with_friction_in_every_hinge():
    """Three bars: each hinge force depends on the friction in all hinges; Newton and Euler in the plane by hand."""
    length, mass, inertia = 0.6, 1.3, 0.05
    angles, rates = np.array([0.2, 0.9, -0.5]), np.array([1.5, -2.0, 1.0])
    along = np.array([np.cos(angles), np.sin(angles), 0 * angles]).T
    across = np.array([-np.sin(angles), np.cos(angles), 0 * angles]).T
    pins = np.concatenate([[np.zeros(3)], length * np.cumsum(along, axis=0)])
    speeds = np.concatenate([[np.zeros(3)], length * np.cumsum(rates[:, None] * across, axis=0)])
    bodies = [
        fb.RigidBody(
            f"bar {k}", mass, (inertia,) * 3, center=pins[k] + length / 2 * along[k],
            velocity=speeds[k] + length / 2 * rates[k] * across[k], angular_velocity=(0, 0, rates[k]),
        )
        for k in range(BARS)
    ]  # fmt: skip
    hinges = [
        fb.Revolute(f"hinge {k}", bodies[k - 1] if k else fb.GROUND, bodies[k], point=pins[k])
        for k in range(BARS)
    ]
    frictions = [fb.BearingFriction(f"rub {k}", hinge, **PINS) for k, hinge in enumerate(hinges)]

    def turn(r, f):
        return r[0] * f[1] - r[1] * f[0]

    def left(second):
        centripetal = -(rates[:, None] ** 2) * along
        ends = np.concatenate(
            [[np.zeros(3)], length * np.cumsum(second[:, None] * across + centripetal, axis=0)]
        )
        centers = ends[:-1] + length / 2 * (second[:, None] * across + centripetal)
        forces = [mass * (centers[k:].sum(axis=0) + [0, (BARS - k) * G, 0]) for k in range(BARS)] + [
            np.zeros(3)
        ]
        slip = np.diff(rates, prepend=0.0)
        share = np.tanh(slip * PINS["radius"] / PINS["regularisation_velocity"])
        rub = np.append(PINS["mu"] * PINS["radius"] * np.linalg.norm(forces[:-1], axis=1) * share, 0.0)
        return [
            inertia * second[k]
            - turn(-length / 2 * along[k], forces[k])
            - turn(length / 2 * along[k], -forces[k + 1])
            + rub[k]
            - rub[k + 1]
            for k in range(BARS)
        ]

    exact = fsolve(left, np.zeros(BARS), xtol=1e-13)
    start = consistent_start(make_plan(fb.System(bodies, hinges, frictions, gravity=(0, -G, 0))))
    np.testing.assert_allclose(start.vdot[5::6], exact, rtol=1e-9)
    bare = consistent_start(make_plan(fb.System(bodies, hinges, gravity=(0, -G, 0))))
    assert np.abs(bare.vdot[5::6] - exact).min() > 0.1  # friction is no small part of it


# ---- bodies that bend ---------------------------------------------------------------------------------------


def friction(joint, **options):
    """Friction of a given load, or that follows the reaction of the joint."""
    return (fb.BearingFriction if "mu" in options else fb.Friction)("rub", joint, **options)


def arm(**options):
    """A beam that stands out from a hinge with friction, drawn straight and at rest."""
    body = fb.FlexibleBody(
        "beam",
        beams.quintic_beam(),
        place={"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)},
        damping_ratio=0.01,
    )
    hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="y")
    return fb.System([body], [hinge], [friction(hinge, **options)], gravity=(0, 0, -G))


def needed():
    """The moment that holds the arm, and its weight."""
    weight = beams.quintic_beam().mass * G
    return weight * beams.LENGTH / 2, weight


@pytest.mark.parametrize("kind", ["load", "mu"])
def test_an_arm_that_sticks_stays_in_its_shape(kind):
    """Held by friction, a quasi-static start is that of the clamped arm, and nothing rings."""
    moment, weight = needed()
    bush = {
        "mu": 0.1,
        "radius": 0.02,
        "regularisation_velocity": 1e-3 * 0.02,
        "preload": (2 * moment) / (0.1 * 0.02) - weight,
    }
    options = {"load": 2 * moment} if kind == "load" else bush
    machine = arm(**options)
    body = machine.bodies[0]
    clamped = fb.equilibrium(fb.System([body], [fb.Fixed("f", fb.GROUND, body["start"])], gravity=(0, 0, -G)))
    result = fb.simulate(machine, 0.05, start=fb.QuasiStatic(), show_progress=False)
    shape, scale = clamped.alpha(body), np.abs(clamped.alpha(body)).max()
    assert scale > 1e-5
    np.testing.assert_allclose(result.alpha(body)[0], shape, atol=1e-6 * scale)
    # of the first frequency (pinned), 1/s: what rings would have rates of that times its size
    assert np.abs(result.alpha_dot(body)[0]).max() < 1e-4 * scale * beams.PINNED
    # creeping at c artanh(1/2) it turns by 3e-5 rad
    np.testing.assert_allclose(result.alpha(body), np.tile(shape, (len(result.t), 1)), atol=1e-3 * scale)
    assert result.coordinate_rate("hinge")[0] == pytest.approx(1e-3 * np.arctanh(0.5), rel=1e-3)


def test_an_arm_that_slips_keeps_its_shape_as_well():
    """Friction of half the moment: it falls with half the acceleration, bent by what that leaves, without ringing."""
    moment, _ = needed()
    result = fb.simulate(arm(load=0.5 * moment), 0.02, start=fb.QuasiStatic(), show_progress=False)
    body = result.system.bodies[0]
    scale = np.abs(result.alpha(body)[0]).max()
    assert scale > 1e-6
    np.testing.assert_allclose(
        result.alpha(body), np.tile(result.alpha(body)[0], (len(result.t), 1)), atol=0.02 * scale
    )
    inertia = beams.quintic_beam().mass * beams.LENGTH**2 / 3
    assert result.coordinate_rate("hinge")[-1] == pytest.approx(0.5 * moment / inertia * 0.02, abs=0.01)


def test_elastodynamics_counts_friction():
    """The rod's bending and the friction at its slider, with the reactions of the rigid machine."""
    machine, _ = machines.koppens_slider_crank("quintic")
    guide = next(joint for joint in machine.joints if "slide" in getattr(joint, "coordinates", ()))
    rub = fb.BearingFriction("rub", guide, mu=0.4, regularisation_velocity=0.05)
    system = fb.System(machine.bodies, machine.joints, [rub], gravity=machine.gravity)
    options = {"t_end": 0.05, "output_step": 5e-4, "show_progress": False}
    rigid = fb.kinematics(system, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)
        found = fb.elastodynamics(system, **options)
    expected = rigid.element(rub).force
    normal = rigid.reaction(guide).force
    slide = rigid.coordinate_rate(guide)
    axis = rigid.velocity(guide)[5] / slide[5]
    across = normal - np.outer(normal @ axis, axis)
    formula = 0.4 * np.linalg.norm(across, axis=1) * np.tanh(slide / 0.05)
    np.testing.assert_allclose(expected, formula, atol=1e-9 * np.abs(formula).max())
    # frames move by the deformation, a few thousandths of the crank
    np.testing.assert_allclose(found.element(rub).force, formula, atol=0.05 * np.abs(formula).max())


# ---- words --------------------------------------------------------------------------------------------------


def slider():
    body = fb.RigidBody("body", 2.0, (1, 1, 1))
    return body, fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (fb.Prismatic, {"mu": -0.1}, "mu is -0.1; it must be a number not below zero"),
        (fb.Prismatic, {"mu": 0.2, "mu_static": 0.1}, "mu_static is 0.1; it must be at least mu, 0.2"),
        (fb.Prismatic, {"mu": "high", "mu_static": 0.1}, "mu is 'high'; it must be a number"),
        (fb.Prismatic, {"load": "high", "static": 0.1}, "load is 'high'; it must be a number"),
        (fb.Prismatic, {"mu": 0.2, "length": 0.0}, "length is 0.0; it must be a number above zero"),
        (fb.Prismatic, {"mu": 0.2, "collar": 0.1}, "collar belongs to an angle"),
        (fb.Prismatic, {"mu": 0.2, "radius": -0.2, "preload": -1.0}, "radius is -0.2.*\n.*preload is -1.0"),
        (fb.Revolute, {"mu": 0.2}, r"give radius= \(m\), at which the friction of revolute joint 'j' acts"),
        (fb.Spherical, {"mu": 0.2, "which": "angle_x"}, "of a ball joint acts against its whole rotation"),
        (fb.Floating, {"mu": 0.2, "which": "x"}, r"that joint has no reaction; use Friction\(load=...\)"),
        (fb.Cylindrical, {"mu": 0.2}, "give the name of one"),
    ],
)
def test_bad_input_is_refused_in_words(kind, options, message):
    body = fb.RigidBody("body", 2.0, (1, 1, 1))
    joint = kind("j", fb.GROUND, body, point=(0, 0, 0))
    with pytest.raises(fb.InputError, match=message):
        fb.System([body], [joint], [friction(joint, **options)])


def test_screws_and_bars_are_refused():
    body = fb.RigidBody("body", 2.0, (1, 1, 1))
    screw = fb.Screw("screw", fb.GROUND, body, point=(0, 0, 0), pitch=0.1)
    bar = fb.Distance("bar", fb.GROUND, body, first_point=(1, 0, 0), second_point=(0, 0, 0))
    for joint, which, message in (
        (screw, "angle", "depends on the angle of its flanks"),
        (bar, "distance", "no surfaces slide"),
    ):
        with pytest.raises(fb.InputError, match=message):
            fb.System([body], [joint], [fb.BearingFriction("f", joint, mu=0.1, radius=0.1, which=which)])


@pytest.mark.parametrize(
    "make",
    [lambda rub: rub, lambda rub: fb.ForceElement("rub", fb.Along(rub.joint), rub.force_law({}))],
    ids=["element", "law"],
)
def test_friction_on_undetermined_reactions_is_named(make):
    """Two bars to the ground on revolutes: how they share forces along the axes is open, those across are not."""
    bodies = [fb.RigidBody(f"bar {k}", 1.0, (0.1,) * 3, center=(k, 0, 0)) for k in range(2)]
    joints = [
        fb.Revolute("left", fb.GROUND, bodies[0], point=(0, -1, 0)),
        fb.Revolute("right", fb.GROUND, bodies[1], point=(1, -1, 0)),
        fb.Revolute("between", bodies[0], bodies[1], point=(0.5, 1, 0)),
    ]
    found = {}
    for collar in (None, 0.0):
        rub = make(fb.BearingFriction("rub", joints[0], mu=0.1, radius=0.1, collar=collar))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            consistent_start(make_plan(fb.System(bodies, joints, [rub], gravity=(0, -G, 0))))
        found[collar] = [str(w.message) for w in caught if f"{rub.label} " in str(w.message)]
    assert len(found[None]) == 1
    assert "follows a reaction that redundant constraints do not determine" in found[None][0]
    assert found[0.0] == []


@pytest.mark.parametrize("options", [{"load": 2.0}, {"mu": 0.5, "radius": 0.1}], ids=["load", "mu"])
@pytest.mark.parametrize("creep", [1e-2, 1e-5])
def test_small_motions_at_rest_creep(options, creep):
    """At rest friction is a damper of load / creep, whatever the creep; mu takes the pin's weight, at its radius."""
    mass, inertia, arm = 2.0, 0.1, 0.5
    bob = fb.RigidBody("bob", mass, (inertia,) * 3, center=(0, -arm, 0))
    pin = fb.Revolute("pin", fb.GROUND, bob, point=(0, 0, 0))
    rub = friction(pin, regularisation_velocity=creep, **options)
    small = fb.linearize(fb.System([bob], [pin], [rub], gravity=(0, -G, 0)))
    load = options.get("load", 0.1 * 0.5 * 0.1 * mass * G)
    # tanh bends by a third of the square of a thousandth
    assert small.C[0, 0] / small.M[0, 0] == pytest.approx(load / creep / (inertia + mass * arm**2), rel=1e-6)


def test_small_motions_of_froudes_pendulum():
    """On a shaft that turns it hangs aside by sin(a) = mu r / l; vertical accelerations change the force on its pin.

    N = m (g + l a'' sin a) to first order, so (I + m l^2 - mu r m l sin a) a'' + c a' + m g l cos(a) = 0; with
    static friction that falls as exp(-(s/s0)^2), c = N r d(mu)/ds is below zero: it begins to swing by itself.
    """
    mass, own, arm, rate = 2.0, 0.1, 0.5, 5.0
    mu, static, stribeck, radius = 0.6, 0.7, 4.0, 0.4
    falling = (static - mu) * np.exp(-((rate / stribeck) ** 2))
    aside = np.arcsin((mu + falling) * radius / arm)
    c, s = np.cos(aside), np.sin(aside)
    shaft = fb.RigidBody("shaft", 1.0, (0.1,) * 3)
    bob = fb.RigidBody("bob", mass, (own,) * 3, center=(arm * s, -arm * c, 0))
    bearing = fb.Revolute("bearing", fb.GROUND, shaft, point=(0, 0, 0))
    pin = fb.Revolute("pin", shaft, bob, point=(0, 0, 0))
    forces = [
        fb.BearingFriction(
            "rub", pin, mu=mu, mu_static=static, stribeck_velocity=stribeck * radius, radius=radius
        ),
        fb.PointMoment("twist", bob, (0, 0, 0)),
    ]
    drive = fb.Drive("drive", bearing, rate=rate)
    machine = fb.System([shaft, bob], [bearing, pin, drive], forces, gravity=(0, -G, 0))
    start = fb.simulate(machine, 1e-4, integrator=fb.GeneralizedAlpha(step=1e-5), show_progress=False)
    assert np.abs(start.vdot[0]).max() < 1e-9  # there it stays
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)  # at rest it would not
        small = fb.linearize(start, t=0.0)
    inertia = own + mass * arm**2 - (mu + falling) * radius * mass * arm * s
    damping = -mass * G * radius * falling * 2 * rate / stribeck**2
    exact = np.roots([inertia, damping, mass * G * arm * c])
    exact = exact[exact.imag > 0][0]
    found = small.eigenvalues[np.argmax(np.abs(small.eigenvalues.imag))]
    np.testing.assert_allclose([found.real, found.imag], [exact.real, exact.imag], rtol=1e-6)
    assert not small.stable
    # a moment meets the inertia that friction makes less
    inputs = small.state_space(inputs=["twist"], accelerations=[bob])
    np.testing.assert_allclose(inputs.D[:2, 2], arm * np.array([c, s]) / inertia, rtol=1e-9)


def test_it_is_kept_in_a_file(tmp_path):
    """Saved and read: the same numbers, and the same force from the reactions in the file."""
    result = fb.simulate(drawer(0.5, (1.0, 0, 0)), 0.1, show_progress=False)
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    rub = again.system.forces[0]
    assert (rub.mu, rub.length, rub.radius) == (0.5, LENGTH, None)
    np.testing.assert_array_equal(again.element("rub").force, result.element("rub").force)
    assert again.element("rub").force[-1] == pytest.approx(0.5 / 1.5, rel=1e-6)
