"""Accelerations and torques of trees against other programs, and of both directions against each other."""

from dataclasses import replace

import numpy as np
import pytest
from reference import flexible_arm, tree_accelerations
from support.cloud import Cloud
from support.evaluated import Evaluated
from support.random_trees import RandomTree
from support.trees import slaats_tree

import flexbody as fb
from modal.body.reduced_body import Marker

TREES = tree_accelerations.stored()
#: round-off of the sums of a tree of a dozen bodies
ROUND_OFF = 1e-10


def at_state(tree):
    numbers = RandomTree(*(tree[name] for name in RandomTree.__dataclass_fields__))
    found = Evaluated(numbers.machine())
    found.y[found.places], found.y[found.speeds] = tree["q"][found.order], tree["v"][found.order]
    return found


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{len(tree['q'])} bodies")
def test_random_trees_accelerate_as_in_pinocchio_and_mujoco(tree):
    found = at_state(tree)
    accelerations = found.rates()[found.speeds]
    for program in ("pinocchio", "mujoco"):
        expected = tree[program][found.order]
        np.testing.assert_allclose(accelerations, expected, rtol=0, atol=ROUND_OFF * np.abs(expected).max())


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{len(tree['q'])} bodies")
def test_random_trees_need_the_torques_of_pinocchio(tree):
    found = at_state(tree)
    torques, expected = found.forces(tree["given"][found.order]), tree["torques"][found.order]
    np.testing.assert_allclose(torques, expected, rtol=0, atol=ROUND_OFF * np.abs(expected).max())


@pytest.mark.parametrize("flexible", [False, True])
def test_the_accelerations_of_a_free_motion_need_no_forces(flexible):
    """Ten bodies on joints of six classes, every third one flexible: both sweeps share the motion, not the dynamics."""
    found = Evaluated(slaats_tree(np.random.default_rng(2), flexible))
    found.y[found.speeds] = np.random.default_rng(3).uniform(-1, 1, found.speeds.stop - found.speeds.start)
    accelerations = found.rates()[found.speeds].copy()
    left, without = found.forces(accelerations), found.forces(0.0 * accelerations)
    assert np.abs(left).max() < ROUND_OFF * np.abs(without).max()


def test_a_flexible_arm_accelerates_as_by_lagrange():
    """Frames of hinges that a mode moves and turns: the mode's slope carries the second link."""
    masses = Cloud(
        x=np.array([[0.5, 0, 0], [1.0, 0, 0]]), Phi=np.array([[[0], [0.25], [0]], [[0], [1.0], [0]]]),
        mass=np.ones(2), K=np.array([[flexible_arm.K]]),
    )  # fmt: skip
    none, slope = np.zeros((3, 1)), np.array([[0], [0], [2.0]])
    markers = {
        "foot": Marker(np.zeros(3), none, none, True),
        "tip": Marker(masses.x[1], masses.Phi[1], slope, True),
    }
    spin = np.diag([0.01, 0.0, 0.0])  # about the axis: nothing turns about it
    reduced = replace(masses.body(), markers=markers, C3=masses.body().C3 + spin)
    first = fb.FlexibleBody("first", reduced, stiffening=False)
    second = fb.RigidBody("second", 1.0, (0.01, flexible_arm.ROD, flexible_arm.ROD), center=(1.5, 0, 0))
    joints = [
        fb.Revolute("foot", fb.GROUND, first["foot"], axis="z"),
        fb.Revolute("elbow", first["tip"], second, axis="z"),
    ]
    found = Evaluated(fb.System([first, second], joints, gravity=(0, -flexible_arm.G, 0)))
    found.y[found.places], found.y[found.speeds] = flexible_arm.X, flexible_arm.RATE
    expected = flexible_arm.accelerations()
    np.testing.assert_allclose(
        found.rates()[found.speeds], expected, rtol=0, atol=ROUND_OFF * np.abs(expected).max()
    )
