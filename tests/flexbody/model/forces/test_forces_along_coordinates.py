"""Friction, stops and springs along every coordinate of every joint: their work, on rigid and flexible frames."""

import numpy as np
import pytest
from support.elements import generalized_loads
from support.joints import JOINTS, joint, sides
from support.state import evaluated, moved, random_state

import flexbody as fb
from flexbody.compile.plan import make_plan

pytestmark = pytest.mark.slow  # together a second or more

LOAD, STATIC, SLOW, REGULARISATION, VISCOUS = 3.0, 4.5, 0.4, 0.3, 0.7
EVERY = [
    pytest.param(kind, between, which, id=f"{kind.__name__}-{between}-{which}")
    for kind in JOINTS
    for between in ("gr", "rf", "ss")
    for which in kind.coordinates
]


def friction(x, s):
    """Armstrong-Helouvry with tanh, as Friction states."""
    return (LOAD + (STATIC - LOAD) * np.exp(-((s / SLOW) ** 2))) * np.tanh(s / REGULARISATION) + VISCOUS * s


def stop(x, s, lower, upper):
    """Hunt and Crossley, as Limit states: never pulling."""
    if lower <= x <= upper:
        return 0.0
    side, depth = (1, x - upper) if x > upper else (-1, lower - x)
    return side * max(50.0 * depth**1.5 * (1 + 0.3 * side * s), 0.0)


@pytest.mark.parametrize(("kind", "between", "which"), EVERY)
def test_work_along_a_coordinate(kind, between, which):
    """``Q . v = -F(x, x.) x.`` with x by its definition from the frames, x. by differences of it."""
    first, second = sides(between)
    target = joint(kind, first, second)
    bodies = [body for body in (first, second) if body is not fb.GROUND]
    bare = make_plan(fb.System(bodies, [target]))
    state = random_state(bare, np.random.default_rng(3), turn=0.3)
    dt = 1e-4
    before, x, after = (value(bare, target, which, moved(bare, state, s * dt)) for s in (-1, 0, 1))
    rate = (after - before) / (2 * dt)
    assert abs(rate) > 1e-2
    near = (x - 0.2, x + 0.3), (x + 0.25, x + 1.0), (x - 1.0, x - 0.15)  # inside, below, above
    forces = {
        "friction": (
            fb.Friction(
                "f",
                target,
                load=LOAD,
                regularisation_velocity=REGULARISATION,
                static=STATIC,
                stribeck_velocity=SLOW,
                viscous=VISCOUS,
                which=which,
            ),
            friction(x, rate),
        ),
        "spring": (
            fb.ForceElement("f", fb.Along(target, which, free_value=0.4), fb.Linear(70.0, 2.0, force=5.0)),
            70.0 * (x - 0.4) + 2.0 * rate + 5.0,
        ),
        "visco-elastic": (
            fb.ForceElement("f", fb.Along(target, which), fb.ViscoElastic(20.0, [(30.0, 0.1)], damping=1.5)),
            20.0 * x + 30.0 * (x - 0.07) + 1.5 * rate,
        ),
    }
    for k, (lower, upper) in enumerate(near):
        limit = fb.Limit("f", target, lower=lower, upper=upper, stiffness=50.0, dissipation=0.3, which=which)
        forces[f"stop {k}"] = (limit, stop(x, rate, lower, upper))
    for name, (force, expected) in forces.items():
        plan = make_plan(fb.System(bodies, [target], [force]))
        z = np.array([0.07]) if name == "visco-elastic" else np.zeros(0)
        loads = generalized_loads(plan, bare, state, z, 0.0)
        # 1e-7: differences of second order of coordinates near one, times stiffnesses of 50
        assert loads @ state[3] == pytest.approx(-expected * rate, abs=1e-5 + 1e-6 * abs(expected)), name


def value(plan, target, which, state):
    """The coordinate, counted from where it was drawn."""
    W = evaluated(plan, state)
    i, j = plan.frames[target.name]
    frames = W.frame_R[i][None], W.frame_r[i][None], W.frame_R[j][None], W.frame_r[j][None]
    return float(target.coordinates[which].value(*frames)[0]) - target.reference(
        which, plan.system.bodies_by_name()
    )


@pytest.mark.parametrize("integrator", [None, fb.Explicit(rtol=1e-8)])
def test_friction_and_stops_of_a_body_in_a_plane(integrator):
    """x, y and the angle of one planar joint, each with its own: three independent motions with known ends."""
    body = fb.RigidBody("body", 2.0, (0.2, 0.2, 0.2), velocity=(1.0, 1.5, 0), angular_velocity=(0, 0, 10.0))
    plane = fb.Planar("plane", fb.GROUND, body, point=(0, 0, 0), along="x")
    forces = [
        fb.Friction("along x", plane, load=3.0, which="x"),
        fb.Limit("in y", plane, upper=0.5, stiffness=1e5, which="y"),
        fb.Friction("turning", plane, load=0.5, which="angle"),
    ]
    result = fb.simulate(fb.System([body], [plane], forces), 2.0, integrator=integrator, show_progress=False)
    # v^2 m / (2 F) until it sticks, a rebound without loss, M t off the spin; creep takes 1e-3 of it
    assert result.coordinate(plane, "x")[-1] == pytest.approx(2.0 / 6.0, rel=2e-3)
    assert result.velocity(body)[-1, 1] == pytest.approx(-1.5, rel=1e-3)
    assert result.angular_velocity(body)[-1, 2] == pytest.approx(10 - 0.5 / 0.2 * 2, rel=1e-3)
    assert result.energy.balance_error < 1e-3


def test_a_tilt_that_ends_is_named():
    """Bryant's second angle driven past a quarter of a turn: the message says what ends there."""
    body = fb.RigidBody("body", 2.0, (0.2, 0.3, 0.4))
    ball = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
    held = [
        fb.Drive(which, ball, value=(lambda t: 2.0 * t) if which == "angle_y" else 0.0, which=which)
        for which in ball.coordinates
    ]
    with pytest.raises(
        fb.ConvergenceError, match=r"'angle_y' of 'ball' comes near a quarter of a turn"
    ) as caught:
        fb.simulate(fb.System([body], [ball, *held]), 1.0, show_progress=False)
    # at 2 rad/s, two degrees before: where rates of angles grow as one over the cosine, steps of an output are too wide
    assert 2.0 * caught.value.result.t[-1] == pytest.approx(np.pi / 2, abs=np.radians(2))
