"""Kinematics of machines that roll: positions are integrated from velocities that drives and constraints determine."""

import numpy as np
import pytest
from scipy.special import fresnel

import fem
import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more

G = 9.81


def skate(angle, speed):
    """A blade on ice along its own x; its attitude and its speed along the edge are prescribed."""
    blade = fb.RigidBody("blade", 1.5, (0.1, 0.1, 0.2), markers={"tip": (0.3, 0, 0)})
    ice = fb.Planar("ice", fb.GROUND, blade, point=(0, 0, 0), along="x")
    edge = fb.Constraint("edge", [blade], velocity=lambda t, a: a.R[:, 1] @ a.v)
    pull = fb.Constraint("pull", [blade], velocity=lambda t, a: a.R[:, 0] @ a.v - speed(t))
    return fb.System([blade], [ice, edge, pull, fb.Drive("turn", ice, value=angle, which="angle")])


def clothoid(t):
    """Along angle = t^2 / 2 with speed 2: twice Fresnel's integrals of t / sqrt(pi), times sqrt(pi)."""
    S, C = fresnel(t / np.sqrt(np.pi))
    return 2 * np.sqrt(np.pi) * np.column_stack([C, S])


@pytest.mark.parametrize("states", [6, pytest.param(100, marks=pytest.mark.slow)])
def test_a_skate_draws_a_clothoid(states):
    machine = skate(lambda t: 0.5 * t * t, lambda t: 2.0)
    result = fb.kinematics(machine, 4.0, output_step=4.0 / states, show_progress=False)
    # steps of 1e-8 of the machine's size (0.15 m), some 100 of them
    np.testing.assert_allclose(result.position("blade")[:, :2], clothoid(result.t), atol=100 * 1e-8 * 0.15)
    assert result.statistics.steps > 50
    # across the edge: m u w = 1.5 * 2 t
    np.testing.assert_allclose(
        np.linalg.norm(result.reaction("edge").force, axis=1), 3 * result.t, rtol=1e-7, atol=1e-7
    )
    np.testing.assert_allclose(result.reaction("turn").moment[:, 2], 0.2, atol=1e-7)


def test_the_error_follows_rtol():
    machine = skate(lambda t: 0.5 * t * t, lambda t: 2.0)
    errors = []
    for rtol in (1e-4, 1e-7, 1e-10):
        result = fb.kinematics(machine, 6.0, output_step=2.0, rtol=rtol, show_progress=False)
        errors.append(np.abs(result.position("blade")[:, :2] - clothoid(result.t)).max())
    assert 100 * errors[2] < 10 * errors[1] < errors[0]
    assert errors[2] < 1e-9


def cart(rates, flexible=False):
    """A cart on two driven wheels (rates, rad/s, functions of time) and a nose that slides; wheels roll."""
    radius, track = 0.1, 0.5
    chassis = fb.RigidBody("chassis", 8.0, (0.2, 0.3, 0.4), center=(0.15, 0.0, radius))
    bodies, joints = [chassis], [fb.Planar("floor", fb.GROUND, chassis, point=(0, 0, radius))]
    for name, y in (("left", 0.5 * track), ("right", -0.5 * track)):
        wheel = fb.RigidBody(name, 0.5, (0.002, 0.004, 0.002), center=(0, y, radius))
        axle = fb.Revolute(f"axle {name}", chassis, wheel, point=(0, y, radius), axis="y")

        def slip(t, frame, body, side=(name == "left")):
            # the point that touches lies below the centre; both wheels share one axle: sideways one is enough
            v = body.v - radius * np.array([body.w[1], -body.w[0], 0])
            along = frame.R[:, 0] @ v
            return [along, frame.R[:, 1] @ v] if side else [along]

        bodies.append(wheel)
        joints += [axle, fb.Constraint(f"rolling {name}", [chassis, wheel], velocity=slip)]
        joints.append(fb.Drive(f"motor {name}", axle, value=rates[name]))
    return fb.System(bodies, joints, gravity=(0, 0, -G)), radius, track


def test_a_cart_runs_in_a_circle():
    """Speed r (wr + wl)/2, rate r (wr - wl)/track: after one turn it is where it was; its torques are zero then."""
    machine, r, b = cart({"left": lambda t: 4.0 * t, "right": lambda t: 6.0 * t})
    speed, turn = r * 5.0, r * 2.0 / b
    t_end = 2 * np.pi / turn
    result = fb.kinematics(machine, t_end, output_step=t_end / 64, show_progress=False)
    R, angle = speed / turn, turn * result.t
    # the axle's middle runs in a circle about (0, R); the chassis' centre lies 0.15 m before it
    axle = R * np.column_stack([np.sin(angle), 1 - np.cos(angle)])
    exact = axle + 0.15 * np.column_stack([np.cos(angle), np.sin(angle)])
    np.testing.assert_allclose(result.position("chassis")[:, :2], exact, atol=1e-6)
    np.testing.assert_allclose(result.rotation("chassis")[:, 0, 0], np.cos(angle), atol=1e-6)
    np.testing.assert_allclose(result.coordinate("axle left"), 4.0 * result.t, atol=1e-10)


def test_what_a_cart_takes_is_what_dynamics_says():
    """The wheels' laws are driven: its run has the same path, torques and side forces."""
    machine, *_ = cart({"left": lambda t: 2 * t * t, "right": lambda t: 3 * t + np.sin(2 * t)})
    result = fb.kinematics(machine, 2.0, output_step=0.04, show_progress=False)
    run = fb.simulate(machine, 2.0, output_step=0.04, integrator=fb.Explicit(rtol=1e-10), show_progress=False)
    for body in ("chassis", "left", "right"):
        np.testing.assert_allclose(result.position(body), run.position(body), atol=1e-6)
        np.testing.assert_allclose(result.acceleration(body), run.acceleration(body), atol=1e-5)
    for name in ("motor left", "motor right", "rolling left", "axle right"):
        one, other = result.reaction(name), run.reaction(name)
        size = max(np.abs(other.force).max(), np.abs(other.moment).max())
        np.testing.assert_allclose(one.force, other.force, atol=1e-5 * size)
        np.testing.assert_allclose(one.moment, other.moment, atol=1e-5 * size)
    assert result.energy.balance_error < 1e-5  # Simpson's rule


def test_a_motor_in_a_driven_wheel():
    """Both histories at once: L i. = U - R i - c w(t) along a path that is integrated."""
    machine, *_ = cart({"left": lambda t: 4.0 * t, "right": lambda t: 6.0 * t})
    c, R, L, U = 0.05, 0.8, 0.02, 2.0
    axle = machine.joint("axle right")
    motor = fb.ForceElement("motor", fb.Along(axle), fb.ElectricMotor(c, R, L, voltage=U))
    machine = fb.System(machine.bodies, machine.joints, [motor], gravity=machine.gravity)
    result = fb.kinematics(machine, 0.1, output_step=0.005, show_progress=False)
    exact = (U - c * 6.0) / R * (1 - np.exp(-R * result.t / L))
    np.testing.assert_allclose(result.law_states[:, 0], exact, atol=1e-7)


def test_a_freedom_that_is_left_is_named():
    machine, *_ = cart({"left": lambda t: 4.0 * t, "right": lambda t: 6.0 * t})
    free = fb.System(machine.bodies, [j for j in machine.joints if j.name != "motor right"])
    with pytest.raises(fem.InputError, match=r"1 degree of freedom left.*right.*can move"):
        fb.kinematics(free, 1.0)


def test_wheels_that_fight_each_other_stop_it():
    """Steered away from what both wheels roll, sideways rows of two axles contradict: the culprit is named."""
    blade = fb.RigidBody("sledge", 1.5, (0.1, 0.1, 0.2), markers={"front": (1.0, 0, 0)})
    ice = fb.Planar("ice", fb.GROUND, blade, point=(0, 0, 0), along="x")
    joints = [
        ice,
        fb.Constraint("rear", [blade], velocity=lambda t, a: [a.R[:, 1] @ a.v, a.R[:, 0] @ a.v - 1.0]),
        fb.Drive("turn", ice, value=lambda t: 0.0 if t < 0.5 else 0.3 * (t - 0.5) ** 2, which="angle"),
        fb.Constraint("front", [blade["front"]], velocity=lambda t, a: a.R[:, 1] @ a.v),
    ]
    with (
        pytest.warns(fem.RedundantConstraintWarning, match="'(rear|front|turn)'"),
        pytest.raises(fem.ConvergenceError, match="can't be kept") as caught,
    ):
        fb.kinematics(fb.System([blade], joints), 1.0, output_step=0.02, show_progress=False)
    assert caught.value.result.t[-1] == pytest.approx(0.5, abs=0.03)


def test_a_bending_axle_carries_what_the_rigid_one_does():
    """Elastodynamics of a rolling machine: a beam pushed along a clothoid bends under its side acceleration.

    A beam that points forwards, clamped to the blade: at the instant t it feels across itself
    ``(s w. + u w) rho`` per length (s from the blade; u = 2, w = t, w. = 1).
    """
    from numpy.polynomial import Polynomial

    import modal

    EI, length, mass = 400.0, 0.5, 0.3
    data = modal.assumed.beam(
        length=length, mass=mass, EI=EI, polar_inertia=1e-5,
        y=tuple(Polynomial([0] * k + [1]) for k in (2, 3, 4, 5)), frame=modal.Unchanged(),
    )  # fmt: skip
    machine = skate(lambda t: 0.5 * t * t, lambda t: 2.0)
    mast = fb.FlexibleBody("mast", data)
    clamp = fb.Fixed("clamp", machine.body("blade"), mast["start"])
    result = fb.elastodynamics(
        fb.System([*machine.bodies, mast], [*machine.joints, clamp]),
        3.0,
        output_step=0.05,
        show_progress=False,
    )
    rho, t = mass / length, result.t
    # tip deflections of a cantilever: q l^4/8 EI under a constant load, 11 q l^4/120 EI under one that grows to q
    tip = -rho * (2.0 * t * length**4 / 8 + length * length**4 * 11 / 120) / EI
    np.testing.assert_allclose(result.displacement("mast", "end")[:, 1], tip, atol=2e-3 * np.abs(tip).max())
