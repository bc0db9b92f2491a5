"""Motions that are small beside the machine: as exact as large ones, down to the round-off of positions."""

import numpy as np
import pytest

import flexbody as fb

FREQUENCY, MASS = 100.0, 1e-6
OMEGA = 2 * np.pi * FREQUENCY


def error(amplitude: float, length: float, rtol: float) -> float:
    """Largest error, over the amplitude, of a mass that swings for ten periods about the end of a long spring."""
    body = fb.RigidBody("mass", MASS, (MASS * (0.1 * length) ** 2,) * 3, center=(length, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(length, 0, 0), axis="x")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, body, stiffness=MASS * OMEGA**2, free_length=length + amplitude,
        first_point=(0, 0, 0), second_point=(length, 0, 0),
    )  # fmt: skip
    result = fb.simulate(
        fb.System([body], [guide], [spring]), 10 / FREQUENCY, integrator=fb.GeneralizedAlpha(rtol=rtol),
        output_step=1 / (16 * FREQUENCY), show_progress=False,
    )  # fmt: skip
    exact = amplitude * (1 - np.cos(OMEGA * result.t))
    return np.abs(result.coordinate("guide") - exact).max() / amplitude


@pytest.mark.parametrize("length", [1.0, 1e-5])
def test_a_hundred_millionth_of_the_machine(length):
    """By default as good as a motion that one sees; with a tight tolerance within a hundredth of its amplitude."""
    assert error(1e-8 * length, length, 1e-4) < 1.1 * error(1e-2 * length, length, 1e-4)
    # positions are rounded to 1.1e-16 of the length, 1.1e-8 of the amplitude, in each of some thousand steps
    assert error(1e-8 * length, length, 1e-8) < 1e-2
