"""Accelerations and torques of trees against other programs, and of both directions against each other."""

import numpy as np
import pytest
from reference import tree_accelerations
from support.evaluated import Evaluated
from support.random_trees import RandomTree
from support.trees import slaats_tree

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
