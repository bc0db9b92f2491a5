"""Starts with a vibration that the steps do not follow, and with one that they do."""

import numpy as np
import pytest

import flexbody as fb

CART, TIP = 1.0, 0.1
REDUCED = CART * TIP / (CART + TIP)
STEP = 2e-3
DESCRIPTIONS = {"absolute": fb.Absolute(), "relative": fb.Relative()}


def cart_with_tip(
    frequency: float, *, speed: float = 0.0, slide: float = 0.0, strut: bool = False
) -> fb.System:
    """A cart on a rail, and on it a mass that slides on a spring without a damper; frequency in rad/s.

    With ``strut`` the spring acts between a cylinder and its piston, which have no mass and hang on two ball joints.
    """
    cart = fb.RigidBody("cart", mass=CART, inertia=(1e-3,) * 3)
    tip = fb.RigidBody("tip", mass=TIP, inertia=(1e-5,) * 3, center=(0.1, 0, 0), velocity=(speed, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    joint = fb.Prismatic("slide", cart, tip, point=(0.1, 0, 0), axis="x")
    stiffness = frequency**2 * REDUCED
    law = fb.Linear(stiffness=stiffness, force=stiffness * slide)
    if not strut:
        return fb.System([cart, tip], [rail, joint], [fb.ForceElement("mount", fb.Along(joint), law)])
    cylinder, piston = fb.MasslessBody("cylinder"), fb.MasslessBody("piston")
    stroke = fb.Prismatic("stroke", cylinder, piston, point=(0.05, 0, 0), axis="x")
    ends = [
        fb.Spherical("rear", cart, cylinder, point=(0, 0, 0)),
        fb.Spherical("front", piston, tip, point=(0.1, 0, 0)),
    ]
    mount = fb.ForceElement("mount", fb.Along(stroke), law)
    return fb.System([cart, tip], [rail, joint, stroke, *ends], [mount])


def run(machine: fb.System, method, description, t_end: float = 60 * STEP) -> fb.Result:
    return fb.simulate(
        machine, t_end, integrator=method, description=description, output_step=STEP, show_progress=False
    )


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("rho_inf", [0.0, 0.8])
@pytest.mark.parametrize("turn", [2.0, 200.0])
def test_massless_bodies_pass_a_start_on(turn, rho_inf, description):
    """A strut without mass is the spring: the same energy, to Newton's 1e-9 of accelerations times (h w)^2 = 4e4."""
    method = fb.GeneralizedAlpha(rho_inf, step=STEP)
    with_strut, without = (
        run(cart_with_tip(turn / STEP, speed=1e-2, strut=strut), method, description, 20 * STEP)
        for strut in (True, False)
    )
    energies = [one.energy.kinetic + one.energy.strain for one in (with_strut, without)]
    assert energies[0].max() < 1.001 * energies[0][0]
    np.testing.assert_allclose(*energies, rtol=0, atol=4e-5 * energies[0][0])


def test_massless_bodies_pass_jumps_of_inputs_on():
    """The same where an input jumps each 2 ms, in steps of 6 rad of the vibration."""
    states = []
    for strut in (True, False):
        machine = cart_with_tip(3e4, strut=strut)
        push = fb.PointForce("push", machine.bodies[1], (fb.Input("push"), 0, 0))
        machine = fb.System(machine.bodies, machine.joints, [*machine.forces, push])
        sim = fb.Stepper(machine, step=2e-4)
        for force in (10.0, -7.0) * 10:
            sim["push"] = force
            sim.advance(2e-3)
        states.append([sim.position("tip")[0] - 0.1, sim.now.energy.strain[0], sim.now.energy.input[0]])
    np.testing.assert_allclose(*states, rtol=1e-6)


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("turn", [2.0, 20.0, 200.0])
class TestLongSteps:
    """Of ``turn`` rad of the vibration: the mass centre moves on, and what vibrates has at most what it began with."""

    def test_a_start_with_a_speed(self, turn, rho_inf, description):
        machine = cart_with_tip(turn / STEP, speed=1e-2)
        result = run(machine, fb.GeneralizedAlpha(rho_inf, step=STEP), description)
        energy, moves = result.energy, 0.5 * (CART + TIP) * (1e-2 * TIP / (CART + TIP)) ** 2
        vibrates = energy.kinetic + energy.strain - moves
        assert vibrates.max() < 1.001 * vibrates[0]

    def test_a_start_with_a_deflection(self, turn, rho_inf, description):
        slide, stiffness = 1e-5, (turn / STEP) ** 2 * REDUCED
        machine = cart_with_tip(turn / STEP, slide=slide)
        result = run(machine, fb.GeneralizedAlpha(rho_inf, step=STEP), description)
        moved = result.position("tip")[:, 0] - result.position("cart")[:, 0] - 0.1
        vibrates = result.energy.kinetic + 0.5 * stiffness * (moved + slide) ** 2
        assert vibrates.max() < 1.001 * vibrates[0]


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_second_order_where_steps_follow(description):
    """The speed of a free vibration, v cos(w t), from steps of 0.4, 0.2 and 0.1 rad."""
    w, errors = 100.0, []
    for step in (4e-3, 2e-3, 1e-3):
        result = fb.simulate(
            cart_with_tip(w, speed=1.0),
            0.04,
            integrator=fb.GeneralizedAlpha(step=step),
            description=description,
            show_progress=False,
        )
        slides = result.velocity("tip")[:, 0] - result.velocity("cart")[:, 0]
        errors.append(np.abs(slides - np.cos(w * result.t)).max())
    assert np.log2(errors[0] / errors[1]) > 1.8
    assert np.log2(errors[1] / errors[2]) > 1.9


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("turn", [2.0, 20.0, 200.0])
def test_what_turns_without_a_vibration(turn, description):
    """Two masses on a spring that holds them on a circle: it stays as long, to its stretch times the error of a turn.

    The force follows from the motion, so that its part of a turn, (h Omega)^2, is what a step may miss of it.
    """
    length, mass, omega, step = 1.0, 1.0, 2.0, 0.02
    stiffness = (turn / step) ** 2 * mass / 2
    stretch = mass * 0.5 * length * omega**2 / stiffness
    bodies = [
        fb.RigidBody(
            name,
            mass,
            (0.1,) * 3,
            center=(x, 0, 0),
            velocity=(0, omega * x, 0),
            angular_velocity=(0, 0, omega),
        )
        for name, x in (("left", -0.5 * length), ("right", 0.5 * length))
    ]
    spring = fb.SpringDamper("spring", *bodies, stiffness=stiffness, free_length=length - stretch)
    result = fb.simulate(
        fb.System(bodies, [], [spring]),
        1.0,
        integrator=fb.GeneralizedAlpha(step=step),
        description=description,
        show_progress=False,
    )
    distance = np.linalg.norm(result.position("right") - result.position("left"), axis=1)
    assert np.abs(distance - length).max() < (step * omega) ** 2 * stretch
