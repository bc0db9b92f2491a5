"""Matrices of a linearization in its scaled coordinates, and inputs of elements whose names look alike."""

import numpy as np
import pytest

import flexbody as fb

MASS, DAMPING, STIFFNESS = 2.0, 3.0, 500.0


def _block(*forces):
    block = fb.RigidBody("block", mass=MASS, inertia=(1e-3, 1e-3, 1e-3))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    return fb.System([block], [guide], [force(block, guide) for force in forces])


def test_matrices_are_those_of_the_bodies_along_Z():
    """``M = Z m Z`` and so on, with Z in m / J^(1/2): the matrices of one block on a spring and damper."""
    small = fb.linearize(
        _block(
            lambda block, _: fb.SpringDamper(
                "spring", fb.GROUND, block, stiffness=STIFFNESS, damping=DAMPING, first_point=(0, 0, 1)
            )
        )
    )
    along = small.Z[2, 0]  # displacement of the block along z for y = 1 J^(1/2)
    found = [matrix[0, 0] / along**2 for matrix in (small.M, small.C, small.K)]
    assert found == pytest.approx([MASS, DAMPING, STIFFNESS], rel=1e-9)  # differences are of fourth order
    assert small.K[0, 0] == pytest.approx(1.0, rel=1e-9)  # the scale: K is a number near one


def test_inputs_of_elements_whose_names_begin_alike():
    """Each element's own function of time gives the input about which it is linearized.

    A servo that has reached its limit does not follow a change of its target: the other one does.
    """
    targets = {"servo' 2": lambda t: 3.0 + 0 * t, "servo": lambda t: 1e-4 * np.cos(t)}

    def of_servo(names):
        forces = [
            lambda _, guide, name=name: fb.ForceElement(
                name,
                fb.Along(guide),
                fb.PositionServo(2.0, 1.5, 0.05, gain=100.0, target=targets[name], limit=5.0),
            )
            for name in names
        ]
        return fb.linearize(_block(*forces)).state_space(["servo"]).B

    one, other = of_servo(["servo' 2", "servo"]), of_servo(["servo", "servo' 2"])
    assert np.abs(one).max() > 0.1
    assert np.abs(one).max() == pytest.approx(np.abs(other).max(), rel=1e-6)  # whichever comes first
