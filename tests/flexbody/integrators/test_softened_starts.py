"""Starts with a vibration that the steps do not follow, and with one that they do."""

import numpy as np
import pytest

import flexbody as fb

CART, TIP = 1.0, 0.1
REDUCED = CART * TIP / (CART + TIP)
STEP = 2e-3
DESCRIPTIONS = {"absolute": fb.Absolute(), "relative": fb.Relative()}


def cart_with_tip(frequency: float, *, speed: float = 0.0, slide: float = 0.0) -> fb.System:
    """A cart on a rail, and on it a mass that slides on a spring without a damper; frequency in rad/s."""
    cart = fb.RigidBody("cart", mass=CART, inertia=(1e-3,) * 3)
    tip = fb.RigidBody("tip", mass=TIP, inertia=(1e-5,) * 3, center=(0.1, 0, 0), velocity=(speed, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    joint = fb.Prismatic("slide", cart, tip, point=(0.1, 0, 0), axis="x")
    stiffness = frequency**2 * REDUCED
    law = fb.Linear(stiffness=stiffness, force=stiffness * slide)
    return fb.System([cart, tip], [rail, joint], [fb.ForceElement("mount", fb.Along(joint), law)])


def run(machine: fb.System, method, description, t_end: float = 60 * STEP) -> fb.Result:
    return fb.simulate(
        machine, t_end, integrator=method, description=description, output_step=STEP, show_progress=False
    )


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
