"""Redundant rows, light bodies and long runs: the constraints hold, all of them, at the default settings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from reference import machines

import flexbody as fb
import modal

pytestmark = pytest.mark.slow  # together a second or more

METHODS = [fb.GeneralizedAlpha(), fb.Explicit()]


def bar(name, a, b):
    a, b = np.array(a, float), np.array(b, float)
    length = np.linalg.norm(b - a)
    along = np.outer(b - a, b - a) / length**2
    return fb.RigidBody(
        name, 1.0, length**2 / 12 * (np.eye(3) - along) + 1e-5 * np.eye(3), center=(a + b) / 2
    )


def four_bar() -> fb.System:
    """A crank-rocker on four revolutes in space: 24 + 1 rows, three of them redundant."""
    A, B, C, D = (0, 0, 0), (0.1, 0, 0), (0.35, 0, 0.2), (0.3, 0, 0)
    crank, coupler, rocker = bar("crank", A, B), bar("coupler", B, C), bar("rocker", C, D)
    joints = [
        fb.Revolute("A", fb.GROUND, crank, point=A, axis="y"),
        fb.Revolute("B", crank, coupler, point=B, axis="y"),
        fb.Revolute("C", coupler, rocker, point=C, axis="y"),
        fb.Revolute("D", fb.GROUND, rocker, point=D, axis="y"),
    ]
    drive = fb.Drive("drive", joints[0], rate=10.0)
    return fb.System([crank, coupler, rocker], [*joints, drive], gravity=(0, 0, -9.81))


@pytest.mark.parametrize("step", [None, 2 * np.pi / 10 / 1000])
def test_redundant_loop_over_many_turns(step):
    """Ten turns: undetermined multipliers don't grow, no step is refused, the motion stays in its plane.

    The balance of a second-order method with 1000 steps a turn: (2 pi/1000)^2 = 4e-5, a few times over ten turns.
    """
    with pytest.warns(fb.RedundantConstraintWarning, match="3 of the 21 constraints"):
        result = fb.simulate(four_bar(), 2 * np.pi, step=step)
    assert result.statistics.rejected == 0
    assert result.energy.balance_error < 5e-4
    assert np.abs(result.position("coupler")[:, 1]).max() < 1e-9
    turns = np.abs(result.reaction("C").force)
    first, last = turns[: len(turns) // 10].max(axis=0), turns[-len(turns) // 10 :].max(axis=0)
    np.testing.assert_allclose(first, last, atol=2e-2 * first.max())


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_light_body_between_heavy_ones_holds(method):
    """Two bodies of 500 kg m^2 joined by a wire of 1 g turn as one: 1000 Nm for 5 s give 5 rad/s."""
    first = fb.RigidBody("first", 1000, (500, 500, 500))
    wire = fb.RigidBody("wire", 1e-3, (4e-10, 8e-5, 8e-5), center=(1, 0, 0))
    second = fb.RigidBody("second", 1000, (500, 500, 500), center=(2, 0, 0))
    joints = [
        fb.Fixed("one", first, wire, point=(0.5, 0, 0)),
        fb.Fixed("two", wire, second, point=(1.5, 0, 0)),
    ]
    system = fb.System([first, wire, second], joints, [fb.PointMoment("motor", first, (1000, 0, 0))])
    result = fb.simulate(system, 5.0, integrator=method)
    for body in (first, wire, second):
        np.testing.assert_allclose(result.angular_velocity(body)[-1], (5, 0, 0), atol=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_constraints_hold_for_positions_and_velocities(method):
    """A pendulum of 1 m at up to 4.4 m/s: the hinge's gap and slip stay at the iteration's tolerance, 1e-7."""
    system, _ = machines.pendulum_machine()
    bar = replace(system.bodies[0], markers={"pin": (0, 0, 0)})
    result = fb.simulate(replace(system, bodies=[bar]), 3.0, integrator=method)
    assert np.abs(result.position(bar["pin"])).max() < 1e-9
    assert np.abs(result.velocity(bar["pin"])).max() < 1e-6


def test_a_start_in_a_dead_point_is_not_redundant():
    """Spherical, universal and prismatic with a rod in line: regular, so no warning and full rank."""
    system, _ = machines.koppens_slider_crank()
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.RedundantConstraintWarning)
        result = fb.simulate(system, 1e-3)
    assert result.statistics.rank == 18


def test_a_machine_at_rest_balances():
    """A block held by one fixed joint under gravity: nothing moves, nothing is out of balance."""
    block = fb.RigidBody("block", 2.0, (1, 1, 1), center=(0.3, 0, 0))
    held = fb.Fixed("hold", fb.GROUND, block, point=(0, 0, 0))
    result = fb.simulate(fb.System([block], [held], gravity=(0, 0, -9.81)), 1.0)
    assert result.energy.balance_error == 0.0
    np.testing.assert_allclose(result.reaction(held).force[-1], (0, 0, 2 * 9.81), rtol=1e-12, atol=1e-12)


def test_states_are_stored_at_multiples_of_the_output_step():
    system, _ = machines.pendulum_machine()
    np.testing.assert_allclose(
        fb.simulate(system, 1.0, output_step=0.3).t, [0, 0.3, 0.6, 0.9, 1.0], rtol=1e-15
    )


def test_a_beam_without_spin_inertia_is_refused():
    beam = modal.assumed.beam(1.0, mass=1.0, EI=10.0, y=modal.assumed.sines(1))
    with pytest.raises(
        fb.InputError, match=r"no moment of inertia about the axis \(1, 0, 0\).*polar_inertia"
    ):
        fb.System([fb.FlexibleBody("rod", beam)])
