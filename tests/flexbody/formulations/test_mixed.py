"""The mixed description: bodies in global coordinates beside bodies in coordinates of joints; what is cheapest."""

import warnings

import numpy as np
import pytest
from support.evaluated import Evaluated
from support.lattices import lattice, walker
from support.random_machines import random_machine

import flexbody as fb
from flexbody.compile.plan import make_plan

pytestmark = pytest.mark.slow  # together a second or more

INTEGRATORS = {  # with the part of the motion to which runs in all descriptions agree: ten times the error control
    "explicit": (fb.Explicit(rtol=1e-10), 1e-8),
    "generalized-alpha": (fb.GeneralizedAlpha(rtol=1e-7), 1e-5),
    "partitioned": (fb.Partitioned(fb.SciPy(rtol=1e-9)), 1e-7),
}


def run(machine, description, integrator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(machine, 0.02, integrator=integrator, description=description, output_step=0.02,
                           show_progress=False)  # fmt: skip


@pytest.mark.parametrize("name", INTEGRATORS)
@pytest.mark.parametrize("seed", [4, 7])
def test_it_moves_as_the_others(seed, name):
    """Random trees and loops between rigid and flexible bodies, of which any part is relative."""
    machine, (integrator, tolerance) = random_machine(seed), INTEGRATORS[name]
    names = [body.name for body in machine.bodies]
    expected = run(machine, fb.Absolute(), integrator)
    for inside in (names[::2], names[1::2], []):
        found = run(machine, fb.Mixed(relative=inside), integrator)
        assert found.plan.formulation.base == tuple(name for name in names if name not in inside)
        for array in ("c", "q", "v", "all_alpha"):
            one, other = getattr(expected, array), getattr(found, array)
            np.testing.assert_allclose(
                other, one, atol=tolerance * (1 + np.abs(one).max(initial=0)), err_msg=array
            )


def test_with_all_bodies_it_is_the_relative_description():
    machine = random_machine(3)
    found = make_plan(machine, 1.0, fb.Mixed(relative=machine.bodies)).formulation
    assert found.unbound() == fb.Relative()


@pytest.mark.parametrize("machine", [walker(12, 10), lattice(8, 8)], ids=["walker", "lattice"])
def test_the_program_finds_a_cheaper_tree(machine):
    """All descriptions have the same accelerations; in the tree that is found fewer rows meet.

    The rows of all feet pass the segments of the walking machine in the tree with the fewest closing rows.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        plans = {each: Evaluated(machine, each()) for each in (fb.Absolute, fb.Relative, fb.Mixed)}
    rates = plans[fb.Absolute].rates()[7 * len(machine.bodies) :]
    for each in (fb.Relative, fb.Mixed):
        plans[each].rates()
        vdot = plans[each].state.tree.vdot
        assert np.abs(vdot - rates[: len(vdot)]).max() < 1e-9 * np.abs(rates).max()
    usual, found = (np.diff(plans[each].state.tree.front_at).max() for each in (fb.Relative, fb.Mixed))
    assert found <= usual
    if machine.bodies[0].name.startswith("segment"):
        assert found < usual / 3


def test_an_open_tree_and_small_loops_stay_as_they_are():
    for machine in (lattice(2, 2, links=5), walker(1, 3)):
        assert make_plan(machine, 1.0, fb.Mixed()).formulation.unbound() == fb.Relative()


def test_the_choice_of_the_description_says_what_is_mixed():
    machine = walker(8, 2)
    result = fb.simulate(machine, 1e-3, integrator=fb.Explicit(), description=fb.AutomaticDescription(),
                         show_progress=False)  # fmt: skip
    assert "the mixed description" in result.statistics.why


def test_what_is_not_in_the_machine_is_said():
    with pytest.raises(fb.FlexbodyError, match="no body 'wheel'"):
        make_plan(walker(1), 1.0, fb.Mixed(relative=["wheel"]))
