"""Accelerations and torques of trees against other programs, and of both directions against each other."""

from dataclasses import replace

import numpy as np
import pytest
from reference import flexible_arm, tree_accelerations
from scipy.spatial.transform import Rotation
from support.cloud import Cloud
from support.evaluated import Evaluated
from support.random_trees import RandomTree
from support.trees import slaats_tree

import flexbody as fb
from modal import Marker

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
    found = Evaluated(slaats_tree(2, flexible))
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


def slaats_pair():
    """Slaats (1991), appendix C: a free body that carries another by a universal joint, all frames parallel."""
    one = fb.RigidBody("one", 1.0, (0.1, 0.2, 0.3))
    two = fb.RigidBody("two", 2.0, (0.2, 0.3, 0.4), center=(0, 0, 2.0))
    joint = fb.Universal("cross", one, two, point=(0, 0, 1.0), axes=("x", "y"))
    return Evaluated(fb.System([one, two], [joint]), fb.Relative(base=("one",)))


def test_slaats_universal_joint_in_motion():
    """The instance of appendix C in its closed forms: places, velocities (C.13), (C.29), the matrix B (C.32) and D."""
    found = slaats_pair()
    first = Rotation.from_euler("XYZ", (0.3, -0.4, 0.5))
    omega = np.array([0.0442326631, -0.2044105030, 0.3224172498])  # (C.13)
    found.y[found.places] = *(0, 0, 0), *first.as_quat(scalar_first=True), 0.6, -0.7
    found.y[found.speeds] = *(1, -2, 0.5), *first.inv().apply(omega), 0.5, -0.3
    rates = found.rates()[found.speeds]
    tree = found.state.tree
    second = Rotation.from_quat(tree.q[1], scalar_first=True)
    expected = first * Rotation.from_euler("XY", (0.6, -0.7))
    np.testing.assert_allclose(second.as_matrix(), expected.as_matrix(), atol=1e-14)
    apart = np.array([-0.9652631008, -1.0599068929, 1.098802766])
    B = np.array([[0.4469232728, -0.4465111698, -0.4311275158, 0.8083070668, 0.3570196417, 0.4681630712],
                  [0.5718012101, -0.196694351, 0.7964638776, -0.5843339715, 0.5837951635, 0.5636816627]]).T  # fmt: skip
    velocity = [1.1690467127, -2.5240677265, -0.1986953417, 0.6236863879, -0.2010392312, 0.3873942867]
    D = [0.410324775, 0.4454036972, -0.0261565127, -0.0035590582, 0.2933304877, 0.0165198785]
    np.testing.assert_allclose(tree.c[1], apart, atol=1e-9)
    v, vdot = tree.v.copy().reshape(4, 3), tree.vdot.copy().reshape(4, 3)
    for each in (v, vdot):
        each[1], each[3] = first.apply(each[1]), second.apply(each[3])
    np.testing.assert_allclose(v[2:].ravel(), velocity, atol=1e-9)
    carried = np.concatenate([vdot[0] + np.cross(vdot[1], apart), vdot[1]])
    np.testing.assert_allclose(vdot[2:].ravel() - carried - B @ rates[6:], D, atol=1e-9)


def test_slaats_pair_starts_as_by_newton_and_euler():
    """Accelerations at parallel frames, from an independent solution with multipliers; (C.13) gives d omega/dt."""
    found = slaats_pair()
    found.y[found.speeds] = 0, 0, 0, 0.1, 0.2, 0.3, 1.0, -0.5
    angles = np.array([-0.129090909, -0.250169492, 0.452857143])  # second derivatives of the Bryant angles
    spin_rate = angles + (0.3 * 0.2, -0.3 * 0.1, 0.2 * 0.1)
    expected = [-0.062033898, 0.000909091, 0.9, *spin_rate, -0.040454545, -0.006610169]
    np.testing.assert_allclose(found.rates()[found.speeds], expected, atol=1e-9)


def test_slaats_pair_keeps_momentum_and_energy():
    """Floating, without loads, from the same start: p, h about the origin, and E, in closed form at the start."""
    w1, w2, arm = np.array([0.1, 0.2, 0.3]), np.array([1.1, -0.3, 0.3]), np.array([0, 0, 1.0])
    machine = slaats_pair().plan.system
    moving = [
        replace(machine.body("one"), angular_velocity=w1),
        replace(machine.body("two"), angular_velocity=w2, velocity=np.cross(w1 + w2, arm)),
    ]
    cross = fb.Universal("cross", *moving, point=arm, axes=("x", "y"))
    result = fb.simulate(
        fb.System(moving, [cross]), 3.0, description=fb.Relative(base=["one"]), output_step=0.5,
        integrator=fb.Explicit(rtol=1e-11), show_progress=False,
    )  # fmt: skip
    p = h = 0.0
    for body, mass, inertia in (("one", 1.0, (0.1, 0.2, 0.3)), ("two", 2.0, (0.2, 0.3, 0.4))):
        turn = Rotation.from_matrix(result.rotation(body))
        spin = turn.apply(inertia * turn.inv().apply(result.angular_velocity(body)))
        p = p + mass * result.velocity(body)
        h = h + mass * np.cross(result.position(body), result.velocity(body)) + spin
    np.testing.assert_allclose(p, np.tile([-0.2, -2.4, 0], (7, 1)), atol=1e-8)
    np.testing.assert_allclose(h, np.tile([5.03, -0.45, 0.21], (7, 1)), atol=1e-8)
    np.testing.assert_allclose(result.energy.kinetic, 1.6205, atol=1e-8)
