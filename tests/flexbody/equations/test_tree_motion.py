"""Motion by the speeds of a tree against the global description: velocities, constraints, accelerations."""

from dataclasses import replace

import numpy as np
import pytest
from support.joints import CASES, joint, sides
from support.state import evaluated, machine_state, random_state
from support.trees import SLAATS, slaats_tree

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations.consistent_start import consistent_start
from flexbody.equations.tree_motion import tree_motion

pytestmark = pytest.mark.slow  # together a second or more

#: both ways solve linear equations of the same size; round-off times the condition of the mass matrix, below 1e4
TOLERANCE = 1e-10


def check(system, seed, base=(), turn=0.2):
    """v = B u, G B = 0 for the tree's joints, and vdot = B du/dt + bias with du/dt from the projected equations."""
    plan = make_plan(system)
    c, q, alpha, v, _ = random_state(plan, np.random.default_rng(seed), turn=turn)
    s = consistent_start(plan, machine_state(plan, c, q, alpha, v), quiet=True)
    W = evaluated(plan, (s.c, s.q, s.all_alpha, s.v, s.vdot))
    tree = fb.topology(system, base=base).tree
    assert not tree.cut_joints
    motion = tree_motion(plan, W, tree, s)
    size = np.abs(s.v).max() + 1.0
    np.testing.assert_allclose(motion.B @ motion.speeds, s.v, atol=TOLERANCE * size)
    M, G = np.empty((plan.n_velocities,) * 2), np.empty((plan.n_rows, plan.n_velocities))
    plan.formulation.dense(plan.layout, W, M, G)
    np.testing.assert_allclose(G @ motion.B, 0, atol=TOLERANCE * (1 + np.abs(motion.B).max(initial=0.0)))
    plan.formulation.residual(plan.layout, W, replace(s, vdot=motion.bias, multipliers=np.zeros(plan.n_rows)))
    rates = -np.linalg.solve(motion.B.T @ M @ motion.B, motion.B.T @ W.residual)
    gravity = np.linalg.norm(system.gravity)
    np.testing.assert_allclose(
        motion.B @ rates + motion.bias, s.vdot, atol=TOLERANCE * (np.abs(s.vdot).max() + gravity)
    )


@pytest.mark.parametrize(("kind", "between"), [case for case in CASES if case.values[0] is not fb.Distance])
def test_accelerations_are_those_of_the_global_description(kind, between):
    """Every joint between the ground, rigid, flexible and stiffened bodies, in both directions."""
    first, second = sides(between)
    bodies = [body for body in (first, second) if body is not fb.GROUND]
    system = fb.System(bodies, [joint(kind, first, second)], gravity=(3.0, -9.0, 5.0))
    for base in [()] if first is fb.GROUND else [(), ("a",), ("b",)]:
        check(system, 5, base)


@pytest.mark.parametrize("flexible", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_slaats_tree(seed, flexible):
    system = slaats_tree(seed, flexible)
    check(system, seed, turn=0.1)
    carriers = {hinge.outer: hinge.inner for hinge in fb.topology(system).hinges}
    assert carriers == {
        f"b{k}": f"b{carrier}" if carrier else "ground" for k, carrier in enumerate(SLAATS, 1)
    }
