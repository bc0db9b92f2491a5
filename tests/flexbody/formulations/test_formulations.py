"""The choice of the description of the equations of motion, and that every analysis asks it."""

import inspect
from collections import Counter
from typing import ClassVar

import numpy as np
import pytest
from reference import machines

import flexbody as fb
from flexbody.formulations import Formulation

QUESTIONS = {
    name for name, value in vars(Formulation).items() if inspect.isfunction(value) and name[0] != "_"
}


class Noted(fb.Absolute):
    """The global description, which counts what it is asked."""

    asked: ClassVar[Counter] = Counter()

    def __getattribute__(self, name):
        if name in QUESTIONS:
            Noted.asked[name] += 1
        return super().__getattribute__(name)


def spring_pendulum():
    bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    spring = fb.SpringDamper("spring", fb.GROUND, bar, stiffness=500.0, damping=4.0, first_point=(0.3, 0, 1))
    rub = fb.BearingFriction("rub", hinge, mu=0.1, radius=0.01)
    return fb.System([bar], [hinge], [spring, rub], gravity=(0, 0, -9.81))


def driven():
    return machines.koppens_slider_crank("quintic")[0]


def stepped(**options):
    sim = fb.Stepper(spring_pendulum(), **options)
    sim.advance(1e-3)
    return sim.result()


VERBS = {
    "simulate": lambda **options: fb.simulate(spring_pendulum(), 0.02, show_progress=False, **options),
    "explicit": lambda **options: fb.simulate(
        driven(),
        1e-3,
        integrator=fb.Explicit(),
        start=fb.QuasiStatic(),
        output_step=1e-4,
        show_progress=False,
        **options,
    ),
    "scipy": lambda **options: fb.simulate(
        spring_pendulum(), 1e-3, integrator=fb.SciPy(), output_step=1e-4, show_progress=False, **options
    ),
    "kinematics": lambda **options: fb.kinematics(
        driven(), 1e-3, output_step=1e-4, show_progress=False, **options
    ),
    "elastodynamics": lambda **options: fb.elastodynamics(
        driven(), 1e-3, output_step=1e-4, show_progress=False, **options
    ),
    "Stepper": stepped,
    "equilibrium": lambda **options: fb.equilibrium(spring_pendulum(), **options),
    "linearize": lambda **options: fb.linearize(spring_pendulum(), **options).state,
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_analysis_asks_the_description_that_it_is_given(verb):
    Noted.asked.clear()
    given = Noted()
    found, usual = VERBS[verb](description=given), VERBS[verb]()
    assert found.plan.formulation is given
    assert usual.plan.formulation == fb.Absolute()
    assert Noted.asked["place"] > 0
    for name in ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers"):
        assert np.array_equal(getattr(found, name), getattr(usual, name))


def test_readers_ask_it_and_no_question_is_left():
    Noted.asked.clear()
    for verb in VERBS.values():
        verb(description=Noted())
    result = VERBS["simulate"](description=Noted())
    result.position("bar")
    result.reaction("hinge")
    result.body_energy("bar")
    result.element("spring")
    assert not QUESTIONS - set(Noted.asked)


@pytest.mark.parametrize("wrong", ["absolute", fb.Absolute, 1])
@pytest.mark.parametrize("verb", VERBS)
def test_what_is_no_description_is_refused(verb, wrong):
    with pytest.raises(fb.InputError, match=r"description is .*; give fb\.Absolute\(\)"):
        VERBS[verb](description=wrong)


def test_a_state_brings_its_own():
    state = fb.equilibrium(spring_pendulum())
    with pytest.raises(fb.InputError, match="a state brings its own"):
        fb.linearize(state, description=fb.Absolute())
    noted = Noted()
    assert fb.linearize(state.system, state, description=noted).state.plan.formulation is noted
    assert fb.linearize(state.system, state).state is state
