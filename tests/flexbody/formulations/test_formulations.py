"""The choice of the description of the equations of motion, and that every analysis asks it."""

import inspect
from collections import Counter
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from reference import machines

import flexbody as fb
from flexbody.formulations import Formulation

QUESTIONS = {
    name
    for part in Formulation.__mro__
    for name, value in vars(part).items()
    if inspect.isfunction(value) and name[0] != "_"
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


def turning():
    """A block in a slot of a rotor, as a function of the rate."""
    hub = fb.RigidBody("hub", mass=1.0, inertia=(1, 1, 1), markers={"rim": (1, 0, 0)})
    block = fb.RigidBody("block", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.2, 0, 0))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    slot = fb.Prismatic("slot", hub, block, point=(0.2, 0, 0), axis="x")
    spring = fb.SpringDamper("spring", hub["rim"], block, stiffness=100.0)

    def rotor(rate):
        return fb.System([hub, block], [bearing, slot, fb.Drive("motor", bearing, rate=rate)], [spring])

    return rotor


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

#: analyses whose results hold no plan
OTHERS = {
    "mobility": lambda **options: fb.mobility(spring_pendulum(), **options),
    "campbell": lambda **options: fb.campbell(turning(), [0.0, 6.0], **options),
    "inverse_dynamics": lambda **options: fb.inverse_dynamics(
        fb.equilibrium(spring_pendulum()), [0.0], **options
    ),
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


#: Beside the verbs: integrators of both kinds, whose motions differ by their errors
TOLERANCES = {"simulate": 1e-5, "explicit": 1e-7, "scipy": 1e-7, "Stepper": 1e-5}


@pytest.mark.parametrize("verb", VERBS)
def test_every_analysis_gives_the_same_in_the_relative_description(verb):
    """Motions to the tolerance of the integrator; all else is found from states of bodies, to round-off.

    A machine with a loop and a drive, and one with friction that follows its reaction.
    """
    found, usual = VERBS[verb](description=fb.Relative()), VERBS[verb]()
    for name in ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers"):
        one, other = np.asarray(getattr(found, name)), np.asarray(getattr(usual, name))
        size = 1.0 + np.abs(other).max(initial=0.0)
        np.testing.assert_allclose(one, other, atol=TOLERANCES.get(verb, 1e-12) * size, err_msg=name)


@pytest.mark.parametrize("verb", ["mobility", "campbell"])
def test_analyses_without_a_motion_give_the_same(verb):
    found, usual = OTHERS[verb](description=fb.Relative()), OTHERS[verb]()
    if verb == "mobility":
        assert (found.degrees_of_freedom, found.rank) == (usual.degrees_of_freedom, usual.rank)
    else:
        np.testing.assert_allclose(found.frequencies_hz, usual.frequencies_hz, rtol=1e-12)


def test_readers_ask_it_and_no_question_is_left():
    Noted.asked.clear()
    for verb in VERBS.values():
        verb(description=Noted())
    result = VERBS["simulate"](description=Noted())
    result.position("bar")
    result.reaction("hinge")
    result.body_energy("bar")
    result.element("spring")
    wheel = fb.RigidBody("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    speed = fb.Input("speed", initial=2.0)
    sim = fb.Stepper(fb.System([wheel], [axle, fb.Drive("turn", axle, rate=speed)]), description=Noted())
    sim.advance(1e-3)
    sim["speed"] = 1.0  # velocities jump
    sim.advance(1e-3)
    hinge = spring_pendulum().joint("hinge")
    motor = fb.ForceElement("motor", fb.Along(hinge), fb.ElectricMotor(0.1, 1.0, 1e-3, voltage=1.0))
    machine = replace(spring_pendulum(), forces=[motor])  # a law with a state, whose error is controlled
    fb.simulate(machine, 0.01, integrator=fb.Explicit(), description=Noted(), show_progress=False)
    assert not QUESTIONS - set(Noted.asked)


@pytest.mark.parametrize("wrong", ["absolute", fb.Absolute, 1])
@pytest.mark.parametrize("verb", [*VERBS, *OTHERS])
def test_what_is_no_description_is_refused(verb, wrong):
    with pytest.raises(
        fb.InputError,
        match=r"^description is .*; give fb\.Absolute\(\), fb\.Relative\(\), fb\.Mixed\(\), fb\.Points\(\) or fb\.Auto",
    ):
        {**VERBS, **OTHERS}[verb](description=wrong)


def test_mobility_asks_it():
    given = Noted()
    Noted.asked.clear()
    found = fb.mobility(spring_pendulum(), description=given)
    assert Noted.asked["place"] > 0
    assert found.degrees_of_freedom == fb.mobility(spring_pendulum()).degrees_of_freedom == 1


def test_campbell_asks_it_at_each_rate():
    given = Noted()
    found, usual = OTHERS["campbell"](description=given), OTHERS["campbell"]()
    assert all(one.state.plan.formulation is given for one in found.linearizations)
    assert np.array_equal(found.frequencies_hz, usual.frequencies_hz)


def test_every_verb_that_computes_a_motion_takes_it():
    verbs = set(VERBS) | set(OTHERS)
    public = {name: getattr(fb, name) for name in fb.__all__}
    described = {
        name: thing for name, thing in public.items() if inspect.isfunction(thing) or name == "Stepper"
    }
    takes = {
        name for name, thing in described.items() if "description" in inspect.signature(thing).parameters
    }
    assert takes == verbs - {"explicit", "scipy"}


def test_a_state_brings_its_own():
    state = fb.equilibrium(spring_pendulum())
    with pytest.raises(fb.InputError, match="a state brings its own"):
        fb.linearize(state, description=fb.Absolute())
    noted = Noted()
    assert fb.linearize(state.system, state, description=noted).state.plan.formulation is noted
    assert fb.linearize(state.system, state).state is state
