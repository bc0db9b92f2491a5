"""Friction that follows a joint's reaction, against hand-made equations with the normal force eliminated."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from support.joints import joint, sides

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import move, place, residual
from flexbody.core.kinds import NORMAL_FORCE_SLOPE
from flexbody.core.reaction_friction import find_normal_forces
from flexbody.equations.consistent_start import consistent_start
from flexbody.equations.state import drawn_state

pytestmark = pytest.mark.slow  # together a second or more

G = 9.81
#: friction of every kind at once
LAW = {
    "mu": 0.3,
    "mu_static": 0.5,
    "stribeck_velocity": 0.08,
    "viscous": 0.7,
    "regularisation_velocity": 0.02,
    "preload": 2.0,
}
ANGLE = {"radius": 0.05, "collar": 0.03, "length": 0.4}
CASES = {
    (fb.Revolute, "angle"): ANGLE, (fb.Cylindrical, "angle"): ANGLE, (fb.Planar, "angle"): {"radius": 0.1},
    (fb.Universal, "angle_1"): ANGLE, (fb.Universal, "angle_2"): ANGLE,
    (fb.Prismatic, "slide"): {"radius": 0.8, "length": 3.0}, (fb.Cylindrical, "slide"): {"radius": 0.2},
    (fb.PointOnLine, "slide"): {}, (fb.Planar, "x"): {}, (fb.Planar, "y"): {"length": 0.4},
    (fb.PointOnPlane, "x"): {}, (fb.PointOnPlane, "y"): {},
}  # fmt: skip


def tension(kind, which, F, M, e, rate, other):
    """The docstring of Friction in its own words."""
    number = {"radius": None, "collar": None, "length": None} | CASES[kind, which]
    across = F - e * (e @ F)
    if number["length"]:
        couple = np.cross(e, M) / number["length"]
        bearings = np.linalg.norm(across / 2 + couple) + np.linalg.norm(across / 2 - couple)
    else:
        bearings = np.linalg.norm(across)
    if which.startswith("angle"):
        radius = number["radius"]
        collar = radius if number["collar"] is None else number["collar"]
        normal = radius * (LAW["preload"] + bearings) + collar * abs(e @ F)
    else:
        normal = LAW["preload"] + bearings
        normal += abs(e @ M) / number["radius"] if number["radius"] else 0.0
    # creep and Stribeck's rate are those of the surfaces
    arm = number["radius"] if which.startswith("angle") else 1.0
    slip = arm * np.hypot(rate, other)
    size = LAW["mu"] + (LAW["mu_static"] - LAW["mu"]) * np.exp(-((slip / LAW["stribeck_velocity"]) ** 2))
    return (
        size * normal * np.tanh(slip / LAW["regularisation_velocity"]) * arm * rate / slip
        + LAW["viscous"] * rate
    )


def rates(bodies, target, c, q, alpha, v):
    """The rates of all coordinates of a joint at a state."""
    every = [fb.Friction(which, target, which=which) for which in target.coordinates]
    W = (plan := make_plan(fb.System(bodies, [target], every))).work()
    place(plan.layout, W, 0.0, c, q, alpha)
    move(plan.layout, W, alpha, v)
    return dict(zip(target.coordinates, W.deformation_rate, strict=True))


def left_over(plan, s, W=None):
    """The residual of the equations of motion at a start."""
    W = W or plan.work()
    place(plan.layout, W, 0.0, s.c, s.q, s.all_alpha)
    move(plan.layout, W, s.all_alpha, s.v)
    residual(plan.layout, W, 0.0, s.all_alpha, s.v, s.vdot, s.multipliers)
    return W.residual.copy()


@pytest.mark.parametrize("between", ["gr", "rf", "ss"])
@pytest.mark.parametrize(("kind", "which"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_every_joint(kind, which, between):
    """Reactions and accelerations found together: the tension is that of the law, the equations of motion hold."""
    first, second = sides(between)
    target = joint(kind, first, second)
    bodies = [body for body in (first, second) if body is not fb.GROUND]
    loads = [fb.PointForce("pull", second if between[1] == "r" else second["q"], (30.0, -20.0, 40.0))]
    rub = fb.BearingFriction("rub", target, which=which, **LAW, **CASES[kind, which])
    plan, bare = (
        make_plan(fb.System(bodies, [target], f, gravity=(1, 2, -9))) for f in ([*loads, rub], loads)
    )
    rng = np.random.default_rng(5)
    drawn = drawn_state(plan)
    alpha, v = drawn.all_alpha + 0.02 * rng.normal(size=drawn.all_alpha.shape), rng.normal(size=drawn.v.shape)
    s = consistent_start(plan, replace(drawn, all_alpha=alpha, v=v))
    W = plan.work()
    whole = left_over(plan, s, W)
    own = plan.rows["j"]
    F, M = (-s.multipliers[own] @ W.direction[own, k] for k in (2, 3))
    i, j = plan.frames["j"]
    e = W.frame_R[j][:, 0] if which == "angle_2" else W.frame_R[i][:, {"x": 0, "y": 1}.get(which, 2)]
    rate = rates(bodies, target, s.c, s.q, s.all_alpha, s.v)
    other = 0.0
    if kind is fb.Cylindrical:
        other = rate["slide"] / 0.05 if which == "angle" else rate["angle"] * 0.2
    elif which in "xy":
        other = rate["y" if which == "x" else "x"]
    expected = tension(kind, which, F, M, e, rate[which], other)
    scale = np.abs(left_over(bare, s)).max()
    assert abs(expected) > 0.2
    assert (whole - left_over(bare, s)) @ s.v == pytest.approx(expected * rate[which], rel=1e-10)
    assert np.abs(whole).max() < 1e-10 * max(scale, 100.0)
    # the derivatives by the multipliers, by differences; N is piecewise smooth, and not at a corner here
    slopes = W.friction_record[0, NORMAL_FORCE_SLOPE : NORMAL_FORCE_SLOPE + own.stop - own.start].copy()
    for k in range(own.start, own.stop):
        sizes = []
        for h in (-1e-5, 1e-5):
            near = s.multipliers.copy()
            near[k] += h
            find_normal_forces(plan.layout, W, near)
            sizes.append(W.friction_record[0, 0])
        assert slopes[k - own.start] == pytest.approx(
            (sizes[1] - sizes[0]) / 2e-5, abs=1e-8 + 1e-6 * abs(slopes).max()
        )


@pytest.mark.parametrize("slip", [(0.005, 0.005), (-2e-3, 6e-3), (0.3, -0.1)])
@pytest.mark.parametrize("kind", [fb.Cylindrical, fb.Planar])
def test_friction_along_two_coordinates_is_against_the_slip(kind, slip):
    """One surface, one law: the resultant is opposite to the slip (m/s), and mu(|slip|) N tanh(..) large."""
    mu, static, radius, mass = 0.2, 0.6, 0.02, 2.0
    # the weight is across the axis of a cylinder, along the normal of a plane
    arm, gravity = (radius, (0, -G, 0)) if kind is fb.Cylindrical else (1.0, (0, 0, -G))
    motion = {"velocity": (*slip, 0)}
    if kind is fb.Cylindrical:
        motion = {"velocity": (0, 0, slip[0]), "angular_velocity": (0, 0, slip[1] / arm)}
    body = fb.RigidBody("body", mass, (0.02,) * 3, **motion)
    target = kind("j", fb.GROUND, body, point=(0, 0, 0), axis="z")
    names, options = (("slide", "angle"), {"radius": radius}) if kind is fb.Cylindrical else (("x", "y"), {})
    rubs = [fb.BearingFriction(n, target, mu=mu, mu_static=static, which=n, **options) for n in names]
    result = fb.simulate(fb.System([body], [target], rubs, gravity=gravity), 1e-6, show_progress=False)
    # the moment of an angle as a force at the surface; tension pulls the coordinate back
    force = -np.array([result.element(n).force[0] for n in names]) / (1.0, arm)
    size = np.hypot(*slip)
    law = (mu + (static - mu) * np.exp(-((size / 1e-2) ** 2))) * np.tanh(size / 1e-3)
    np.testing.assert_allclose(force, -law * mass * G * np.array(slip) / size, rtol=1e-9)


METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-9), fb.SciPy(rtol=1e-9)]
method = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


@method
@pytest.mark.parametrize("mu", [0.3, 0.9])
def test_a_block_on_a_slope(method, mu):
    """tan(angle) against mu: it slides with g (sin - mu cos), or creeps at c artanh(tan / mu)."""
    slope, creep = np.radians(30), 1e-3
    block = fb.RigidBody("block", 2.0, (1, 1, 1))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis=(np.cos(slope), 0, -np.sin(slope)))
    rub = fb.BearingFriction("rub", guide, mu=mu, regularisation_velocity=creep)
    system = fb.System([block], [guide], [rub], gravity=(0, 0, -G))
    result = fb.simulate(system, 0.5, integrator=method, show_progress=False)
    v, tangent = result.coordinate_rate(guide)[-1], np.tan(slope)
    if mu > tangent:
        assert v == pytest.approx(creep * np.arctanh(tangent / mu), rel=1e-6)
    else:
        # regularised: v' = g cos (tan - mu tanh(v/c)) takes c (..) longer than the sharp law, below 3 c / a
        a = G * (np.sin(slope) - mu * np.cos(slope))
        assert v == pytest.approx(0.5 * a, abs=3 * creep)
    force = result.element(rub)["force"]
    expected = mu * 2.0 * G * np.cos(slope) * np.tanh(result.coordinate_rate(guide) / creep)
    np.testing.assert_allclose(force, expected, atol=1e-6)
    np.testing.assert_allclose(result.energy.residual, 0, atol=1e-4 * result.energy.dissipated[-1])


PIN = {"mass": 1.5, "inertia": 0.02, "arm": 0.3, "mu": 0.4, "radius": 0.06, "regularisation_velocity": 0.003}


def pendulum():
    p = PIN
    bob = fb.RigidBody("bob", p["mass"], (p["inertia"],) * 3, center=(p["arm"], 0, 0))
    pin = fb.Revolute("pin", fb.GROUND, bob, point=(0, 0, 0))
    rub = fb.BearingFriction(
        "rub", pin, mu=p["mu"], radius=p["radius"], regularisation_velocity=p["regularisation_velocity"]
    )
    return fb.System([bob], [pin], [rub], gravity=(0, -G, 0))


def swing(t):
    """The angle from the horizontal: N = |m (a - g)| with the angular acceleration in it, by bisection each time."""
    m, I, l, mu, r, c = (
        PIN[k] for k in ("mass", "inertia", "arm", "mu", "radius", "regularisation_velocity")
    )

    def rates(_, y):
        angle, w = y
        along, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])

        def left(a):
            force = m * (l * a * across - l * w * w * along + [0, G])
            return (
                (I + m * l * l) * a
                + m * G * l * np.cos(angle)
                + mu * r * np.linalg.norm(force) * np.tanh(w * r / c)
            )

        return w, brentq(left, -1e3, 1e3, xtol=1e-13)

    return solve_ivp(rates, (0, t[-1]), [0.0, 0.0], method="DOP853", t_eval=t, rtol=1e-10, atol=1e-10).y[0]


@method
def test_a_pendulum_in_a_journal_bearing(method):
    """Swings that die away, all integrators alike, as SciPy's solution of one scalar equation."""
    result = fb.simulate(pendulum(), 2.5, integrator=method, show_progress=False)
    exact = swing(result.t)
    assert -3.1 < exact.min() < -2.7  # nearly to the other side
    bound = 1e-4 if isinstance(method, fb.GeneralizedAlpha) else 1e-6
    np.testing.assert_allclose(result.coordinate("pin"), exact, atol=bound)
    assert result.energy.balance_error < (1e-4 if isinstance(method, fb.GeneralizedAlpha) else 1e-6)


def test_a_rotor_runs_down():
    """A balanced rotor across and along gravity: I w' = -mu (r m g_across + collar m g_along), to rest in I w / M."""
    I, m, mu, r, collar, w = 0.2, 3.0, 0.1, 0.02, 0.05, 4.0
    rotor = fb.RigidBody("rotor", m, (I, I, I), angular_velocity=(0, 0, w))
    axle = fb.Revolute("axle", fb.GROUND, rotor, point=(0, 0, 0))
    rub = fb.BearingFriction("rub", axle, mu=mu, radius=r, collar=collar, regularisation_velocity=2e-5)
    result = fb.simulate(
        fb.System([rotor], [axle], [rub], gravity=(3.0, -4.0, -7.0)), 10.0, show_progress=False
    )
    moment = mu * m * (r * 5.0 + collar * 7.0)
    np.testing.assert_allclose(
        result.angular_velocity(rotor)[:, 2], np.maximum(w - moment / I * result.t, 0), atol=2e-3
    )
    assert result.t[-1] > I * w / moment  # it has come to rest
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * I * w * w, rel=1e-4)


# ---- a slider-crank with friction at its slider and main bearing -------------------------------------------

CRANK, ROD, RATE, MU_SLIDE, MU_PIN, RADIUS = 0.1, 0.35, 40.0, 0.3, 0.15, 0.03
MASSES = {"crank": (0.9, 2e-3), "rod": (0.7, 8e-3), "slider": (0.5, 1e-4)}


def slider_crank(mu_slide=MU_SLIDE, mu_pin=MU_PIN):
    """Drawn with the crank along x, the rod straight on; driven at RATE about -y, so that z is up."""
    ends = (CRANK, 0, 0), (CRANK + ROD, 0, 0)
    centers = {"crank": (CRANK / 2, 0, 0), "rod": (CRANK + ROD / 2, 0, 0), "slider": ends[1]}
    crank, rod, slider = (
        fb.RigidBody(name, m, (I, I, I), center=centers[name]) for name, (m, I) in MASSES.items()
    )
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis=(0, -1, 0))
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=ends[1], axis="x")
    joints = [
        main, guide,
        fb.Spherical("pin", crank, rod, point=ends[0]),
        fb.Universal("wrist", rod, slider, point=ends[1], axes=("y", "z")),
        fb.Drive("drive", main, rate=RATE),
    ]  # fmt: skip
    forces = [
        fb.BearingFriction("cheeks", guide, mu=mu_slide, regularisation_velocity=1e-2),
        fb.BearingFriction("bush", main, mu=mu_pin, radius=RADIUS, regularisation_velocity=1e-2),
    ]
    return fb.System([crank, rod, slider], joints, forces, gravity=(0, 0, -G))


def crank_torque(angle):
    """The driving torque (about the main axis), the slider's and the main bearing's friction: Newton and Euler, plane.

    x along the guide, z up; crank at ``angle``, rod at -b with ROD sin b = CRANK sin angle.
    """
    w, sine = RATE, CRANK / ROD * np.sin(angle)
    b = np.arcsin(sine)
    db = CRANK / ROD * np.cos(angle) * w / np.cos(b)
    ddb = (-CRANK / ROD * np.sin(angle) * w**2 + np.sin(b) * db**2) / np.cos(b)
    one = np.array([np.cos(angle), np.sin(angle)])
    two, cross = np.array([np.cos(b), -np.sin(b)]), np.array([-np.sin(b), -np.cos(b)])
    rod_turns = -ddb  # its angle is -b
    a_crank = -CRANK / 2 * w**2 * one
    a_pin = 2 * a_crank
    a_rod = a_pin + ROD / 2 * (ddb * cross - db**2 * two)
    a_slider = a_pin + ROD * (ddb * cross - db**2 * two)
    speed = -CRANK * w * np.sin(angle) - ROD * np.sin(b) * db
    (mc, _), (mr, Ir), (ms, _) = MASSES.values()
    weight = np.array([0, -G])
    arm, half = CRANK * one, ROD / 2 * two
    turn = lambda r, f: r[0] * f[1] - r[1] * f[0]  # noqa: E731

    def loads(normal):
        rub = -MU_SLIDE * abs(normal) * np.tanh(speed / 1e-2)
        at_slider = ms * (a_slider - weight) - [rub, normal]  # of the rod on the slider
        at_pin = mr * (a_rod - weight) + at_slider  # of the crank on the rod
        return at_slider, at_pin, rub

    def left(normal):
        at_slider, at_pin, _ = loads(normal)
        return Ir * rod_turns - turn(-half, at_pin) - turn(half, -at_slider)

    normal = brentq(left, -1e5, 1e5, xtol=1e-10)
    _, at_pin, rub = loads(normal)
    at_main = mc * (a_crank - weight) + at_pin
    bush = MU_PIN * RADIUS * np.linalg.norm(at_main) * np.tanh(w * RADIUS / 1e-2)
    # the crank turns steadily
    return turn(arm, at_pin) - turn(arm / 2, mc * (weight - a_crank)) + bush, -rub, bush


def test_the_drive_of_a_slider_crank_gives_what_friction_takes():
    """Inverse dynamics, and the run in time, against Newton and Euler in the plane by hand."""
    system = slider_crank()
    found = fb.kinematics(system, 2 * np.pi / RATE, output_step=2 * np.pi / RATE / 60, show_progress=False)
    exact = np.array([crank_torque(RATE * t) for t in found.t])
    torque = -found.reaction("drive").moment[:, 1]
    assert np.abs(exact[:, 1]).max() > 10
    assert exact[:, 2].min() > 0.1
    for result, bound in (
        (found, 1e-9),
        (fb.simulate(system, 0.3, integrator=fb.GeneralizedAlpha(rtol=1e-7), show_progress=False), 1e-3),
    ):
        exact = np.array([crank_torque(RATE * t) for t in result.t])
        scale = np.abs(exact).max(axis=0)
        np.testing.assert_allclose(-result.reaction("drive").moment[:, 1], exact[:, 0], atol=bound * scale[0])
        np.testing.assert_allclose(result.element("cheeks").force, exact[:, 1], atol=bound * scale[1])
        np.testing.assert_allclose(result.element("bush").force, exact[:, 2], atol=bound * scale[2])
    assert result.energy.balance_error < 1e-4
    # what the drive gives in a turn is what friction takes
    assert np.trapezoid(torque * RATE, found.t) == pytest.approx(found.energy.dissipated[-1], rel=1e-2)
