"""Friction and stops along joint coordinates against closed forms, with their power in the balance."""

import numpy as np
import pytest
from scipy.optimize import brentq

import flexbody as fb

G = 9.81
METHODS = [fb.GeneralizedAlpha(rtol=1e-6), fb.Explicit(rtol=1e-8)]
method = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


def slider(speed=0.0, mass=2.0):
    body = fb.RigidBody("body", mass, (1, 1, 1), velocity=(speed, 0, 0))
    return body, fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")


def run(body, joint, forces, t_end, method=None, gravity=(0, 0, 0)):
    system = fb.System([body], [joint], forces, gravity=gravity)
    return fb.simulate(system, t_end, integrator=method, show_progress=False)


@method
def test_a_sliding_block_stops(method):
    """v^2 / (2 F/m) until it sticks; regularised: v falls from v0 as sinh(v/c) = sinh(v0/c) exp(-F t / (m c))."""
    v0, load, mass, creep = 1.0, 3.0, 2.0, 1e-3
    body, guide = slider(v0, mass)
    result = run(
        body, guide, [fb.Friction("rub", guide, load=load, regularisation_velocity=creep)], 1.5, method
    )
    v = result.velocity(body)[:, 0]
    # arcsinh(sinh(v0/c) e^(-s)) without overflow: c ln(...) of the larger exponent
    fall = v0 / creep - load / (mass * creep) * result.t
    exact = creep * np.where(fall > 20, fall, np.arcsinh(np.exp(np.minimum(fall, 20)) / 2))
    np.testing.assert_allclose(v, exact, atol=2e-5)
    assert result.position(body)[-1, 0] == pytest.approx(v0**2 * mass / (2 * load), rel=1e-3)
    # all of the kinetic energy goes into friction
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * mass * v0**2, rel=1e-4)
    assert result.energy.balance_error < 1e-4


@method
def test_a_block_on_a_slope_creeps_or_slides(method):
    """Below the friction load it creeps at c artanh(pull / load), above it accelerates by the difference."""
    load, mass, creep = 3.0, 2.0, 1e-3
    for pull in (2.0, 5.0):
        body, guide = slider(0.0, mass)
        forces = [
            fb.Friction("rub", guide, load=load, regularisation_velocity=creep),
            fb.PointForce("pull", body, (pull, 0, 0)),
        ]
        v = run(body, guide, forces, 1.0, method).velocity(body)[-1, 0]
        # artanh(x); above, the time to leave the regularised part is below creep * mass / (pull - load)
        expected = creep * np.arctanh(pull / load) if pull < load else (pull - load) / mass
        assert v == pytest.approx(expected, rel=1e-6 if pull < load else 3e-3)


def test_static_friction_breaks_loose_and_falls():
    """Against rates: static load at creeping, sliding load well above Stribeck's rate, viscous on top."""
    load, static, slow, viscous = 3.0, 4.0, 0.1, 0.5
    body, guide = slider()
    drive = fb.Drive("drive", guide, value=lambda t: 0.5 * t**2)
    rub = fb.Friction(
        "rub",
        guide,
        load=load,
        static=static,
        stribeck_velocity=slow,
        viscous=viscous,
        regularisation_velocity=1e-3,
    )
    system = fb.System([body], [guide, drive], [rub])
    result = fb.simulate(system, 1.0, show_progress=False)
    v = result.t
    pull = result.reaction(drive).force[:, 0] - 2.0 * 1.0  # less the block's inertia
    exact = (load + (static - load) * np.exp(-((v / slow) ** 2))) * np.tanh(v / 1e-3) + viscous * v
    np.testing.assert_allclose(pull, exact, atol=1e-5)
    assert exact.max() > 3.9
    work = np.trapezoid(exact * v, v)
    assert result.energy.dissipated[-1] == pytest.approx(work, rel=1e-4)


def test_friction_in_a_turning_joint_is_a_moment():
    """A wheel of 0.2 kg m^2 at 10 rad/s under 0.5 Nm stops after 4 s and 20 rad."""
    body = fb.RigidBody("wheel", 1.0, (0.2, 0.2, 0.2), angular_velocity=(0, 0, 10.0))
    axle = fb.Revolute("axle", fb.GROUND, body, point=(0, 0, 0))
    result = run(body, axle, [fb.Friction("rub", axle, load=0.5, regularisation_velocity=1e-3)], 5.0)
    assert result.coordinate(axle)[-1] == pytest.approx(20, rel=1e-3)


def slope_with(kind=fb.Friction, **friction):
    """A block on a slope of ten degrees."""
    angle, block = np.radians(10), fb.RigidBody("block", 2.0, (1, 1, 1))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis=(np.cos(angle), 0, -np.sin(angle)))
    return fb.System([block], [guide], [kind("rub", guide, **friction)], gravity=(0, 0, -G))


@pytest.mark.parametrize(
    "options", [{"kind": fb.BearingFriction, "mu": 0.5}, {"load": 10.0}], ids=["mu", "load"]
)
@pytest.mark.parametrize(
    "search",
    [
        fb.equilibrium,
        fb.linearize,
        lambda x: fb.simulate(x, 0.1, start=fb.Equilibrium(), show_progress=False),
    ],
    ids=["equilibrium", "linearize", "simulate"],
)
def test_what_friction_may_hold_is_said(search, options):
    """An equilibrium counts no friction; the message says so, and what it proposes works."""
    with pytest.raises(
        fb.ConvergenceError, match=r"without friction.*Friction 'rub' may hold it.*start=fb.QuasiStatic\(\)"
    ):
        search(slope_with(**options))
    result = fb.simulate(slope_with(**options), 0.1, start=fb.QuasiStatic(), show_progress=False)
    assert abs(result.coordinate("guide")[-1]) < 1e-4  # creeps below 1 mm/s
    assert fb.linearize(result).stable


def test_what_friction_can_not_hold_is_said():
    """A damper holds nothing, nor does friction between two bodies that fall together."""
    a, b = (fb.RigidBody(name, 2.0, (1, 1, 1)) for name in "ab")
    between = fb.Prismatic("between", a, b, point=(0, 0, 0), axis=(1, 0, 1))
    falling = fb.System([a, b], [between], [fb.BearingFriction("rub", between, mu=0.5)], gravity=(0, 0, -G))
    for machine in (slope_with(viscous=1.0), falling):
        with pytest.raises(fb.ConvergenceError, match=r"no equilibrium: nothing holds it"):
            fb.equilibrium(machine)


@method
def test_a_body_bounces_off_a_stop(method):
    """Hunt-Crossley: m v dv / (1 + d v) = -k x^n dx, so arrival v and departure u obey
    v/d - ln(1 + d v)/d^2 = -u/d - ln(1 - d u)/d^2, whatever k and n."""
    v0, d = 1.5, 0.3
    body, guide = slider(v0)
    stop = fb.Limit("stop", guide, upper=0.4, stiffness=1e6, dissipation=d)
    result = run(body, guide, [stop], 1.0, method)
    lost = v0 / d - np.log(1 + d * v0) / d**2
    u = brentq(lambda u: -u / d - np.log(1 - d * u) / d**2 - lost, 1e-6, v0)
    # (x^1.5 begins without a second derivative: a step over its beginning is of low order)
    assert result.velocity(body)[-1, 0] == pytest.approx(-u, rel=3e-5)
    assert result.energy.dissipated[-1] == pytest.approx(0.5 * 2.0 * (v0**2 - u**2), rel=1e-4)
    assert result.energy.balance_error < 1e-4


@method
def test_a_stop_without_dissipation_gives_back_all(method):
    """Between two stops: the energy stays, and the deepest overlap is that of k x^(n+1)/(n+1) = m v^2/2.

    Contacts take 2.94 depth / v (Hertz), 37 ms; the third ends at 0.76 s, and the next begins at 1.01 s.
    """
    v0, k = 2.0, 1e5
    body, guide = slider(v0)
    stop = fb.Limit("stop", guide, lower=-0.2, upper=0.3, stiffness=k)
    result = run(body, guide, [stop], 0.9, method)
    depth = (2.5 * 0.5 * 2.0 * v0**2 / k) ** 0.4
    x = result.coordinate(guide)
    # the deepest place lies at most half a step of output from what is seen, under k x^n / m
    missed = 0.5 * k * depth**1.5 / 2.0 * (0.5 * result.t[1]) ** 2
    assert missed < 0.004 * depth
    assert x.max() - 0.3 == pytest.approx(depth, abs=1.01 * missed)
    assert -0.2 - x.min() == pytest.approx(depth, abs=1.01 * missed)
    assert -0.2 < x[-1] < 0.3
    assert result.velocity(body)[-1, 0] == pytest.approx(-v0, rel=1e-3)
    assert result.energy.balance_error < 1e-3


def test_a_weight_rests_on_a_stop():
    """k x^n = m g."""
    body = fb.RigidBody("body", 2.0, (1, 1, 1))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="z")
    stop = fb.Limit("stop", guide, lower=0.0, stiffness=1e6, dissipation=20.0)
    result = run(body, guide, [stop], 2.0, gravity=(0, 0, -G))
    assert -result.coordinate(guide)[-1] == pytest.approx((2 * G / 1e6) ** (1 / 1.5), rel=1e-3)


@method
def test_a_stop_counts_turns(method):
    """A wheel meets its stop after three and a half turns, not after half a turn."""
    body = fb.RigidBody("wheel", 1.0, (0.2, 0.2, 0.2), angular_velocity=(0, 0, 10.0))
    axle = fb.Revolute("axle", fb.GROUND, body, point=(0, 0, 0))
    result = run(body, axle, [fb.Limit("stop", axle, upper=7 * np.pi, stiffness=1e4)], 4.0, method)
    angle = result.coordinate(axle)
    assert 7 * np.pi < angle.max() < 7.05 * np.pi
    assert result.angular_velocity(body)[-1, 2] == pytest.approx(-10, rel=1e-4)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda j: fb.Friction("f", j, load=-1.0), "load is -1.0; it must be a number not below zero"),
        (lambda j: fb.Friction("f", j, load=2.0, static=1.0), "static is 1.0; it must be at least load"),
        (
            lambda j: fb.Friction("f", j, regularisation_velocity=0.0),
            "regularisation_velocity is 0.0; it must be a number above zero",
        ),
        (lambda j: fb.Friction("f", j, which="angle"), "has no coordinate 'angle'"),
        (lambda j: fb.Friction("f", "j"), "acts along 'j'; give a joint"),
        (lambda j: fb.Limit("f", j, upper=1.0), "stiffness is 0.0; it must be a number above zero"),
        (lambda j: fb.Limit("f", j, stiffness=1.0), "the range is -inf .. inf"),
        (lambda j: fb.Limit("f", j, lower=2, upper=1, stiffness=1.0), "give lower= below upper="),
        (lambda j: fb.Limit("f", j, lower="x", upper=1, stiffness=1.0), "give numbers"),
    ],
)
def test_bad_input_is_refused_in_words(make, message):
    body, guide = slider()
    with pytest.raises(fb.InputError, match=message):
        fb.System([body], [guide], [make(guide)])
