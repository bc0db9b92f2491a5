"""What is told of vibrations that are not followed, or with errors of phase, and whether the remedy works."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import fem
import flexbody as fb
import modal
from flexbody.analyses.starts import begun
from flexbody.analyses.vibrations_told import told_vibrations, with_modes
from flexbody.compile.plan import make_plan
from flexbody.integrators.not_followed import NotFollowed

#: What is told of a moment: its size and its error.
MOMENT = r"its moment, about (\S+) Nm in this run, may be off by about (\S+) Nm or more"
TURNING, INERTIA, FREQUENCY = 0.1, 0.15, 2 * np.pi * 45.0  # rad/s, kg m^2, rad/s


def disc() -> fb.System:
    """A disc on an undamped mount, which turns about its axis: theta = w / W sin W t."""
    body = fb.RigidBody("disc", 10.0, (0.1, 0.12, INERTIA), angular_velocity=(0, 0, TURNING))
    stiffness = [1e6] * 3 + [FREQUENCY**2 * INERTIA] * 3
    return fb.System(
        [body], forces=[fb.Bushing("mount", fb.GROUND, body, stiffness=stiffness, point=(0, 0, 0))]
    )


def error_of(run: fb.Result) -> float:
    """The error of its moment, relative to the amplitude."""
    exact = -INERTIA * FREQUENCY * TURNING * np.sin(FREQUENCY * run.t)
    return float(np.abs(run.element("mount").second[:, 5] - exact).max()) / (INERTIA * FREQUENCY * TURNING)


def test_a_vibration_that_steps_follow_is_not_told_as_lost():
    """150 steps a period: the amplitude is right within 0.1 %, and the phase is off at the end of 180 periods."""
    with pytest.warns(
        fb.FlexbodyWarning, match="vibrations are followed, but small errors of their phase"
    ) as told:
        run = fb.simulate(disc(), 4.0, integrator=fb.GeneralizedAlpha(rtol=1e-4), show_progress=False)
    every = [str(one.message) for one in told]
    assert not any("not followed" in words or "far smaller" in words for words in every)
    assert any("steps follow vibrations" in words for words in every)
    (words,) = (words for words in every if "off by" in words)
    assert run.statistics.steps > 20 * 45 * 4
    off, beside = map(float, re.search(MOMENT, words).groups()[::-1])
    assert off / beside == pytest.approx(error_of(run), rel=0.3)
    again = fb.simulate(disc(), 4.0, integrator=fb.Explicit(), show_progress=False)  # as the warning says
    assert "take integrator=fb.Explicit()" in words
    assert error_of(again) < 0.01


def test_the_cheapest_remedy_is_named_and_works():
    """A flexible pendulum: the explicit method takes five times the work of a smaller tolerance."""
    points = np.linspace([0, 0, 0], [1.0, 0, 0], 13)
    mesh = fem.Mesh(
        points, [fem.Block("line2", [(k, k + 1) for k in range(12)])], {"start": [0], "end": [12]}
    )
    beam = fem.Beam(fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0), fem.Rectangle(0.01, 0.004), up=(0, 0, 1.0))
    structure = fem.assemble(mesh, beam)
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=3))
    bar = fb.FlexibleBody("bar", reduced)
    machine = fb.System([bar], [fb.Revolute("pin", fb.GROUND, bar["start"], axis="y")], gravity=(0, 0, -9.81))
    with pytest.warns(
        fb.FlexbodyWarning, match=r"take integrator=fb\.GeneralizedAlpha\(rtol=1e-7\), with"
    ) as told:
        run = fb.simulate(machine, 5.0, show_progress=False)
    assert "errors of phase add up: body 'bar' vibrates" in run.statistics.why
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = fb.simulate(machine, 5.0, integrator=fb.GeneralizedAlpha(rtol=1e-7), show_progress=False)
    exact = fb.simulate(machine, 5.0, integrator=fb.Explicit(), show_progress=False)
    assert again.statistics.iterations < 0.5 * exact.statistics.iterations
    bend = [np.asarray(one.alpha("bar")) for one in (run, again, exact)]
    errors = [np.abs(one - bend[2]).max() / np.abs(bend[2]).max() for one in bend[:2]]
    assert errors[0] > 0.2
    assert errors[1] < 0.05


def test_a_frequency_that_is_not_known_is_left_out():
    one = NotFollowed("body 'bar'", np.nan, 1e-4, 2e-4, "m", 0.5, np.inf)
    assert str(one).startswith(
        "body 'bar' vibrates from t = 0.5 s on, and its deformation, about 0.0002 m in this run, may be off by about "
        "0.0001 m"
    )


def test_an_error_beyond_the_force_is_told_in_words():
    words = str(NotFollowed("Bushing 'b1'", 58.1, 1080.0, 340.0, "N", 0.5, np.inf))
    assert words.endswith(
        "its force, about 340 N in this run, may be wrong altogether (estimated error 1100 N)"
    )


def test_an_error_far_beyond_the_force_is_no_number():
    """An estimate of 60 times the largest force of the run is none."""
    words = str(NotFollowed("Bushing 'b1'", 47.7, 12000.0, 210.0, "N", 0.5, np.inf))
    assert words.endswith("its force, about 210 N in this run, may be wrong altogether")


@pytest.mark.parametrize("decay", [0.0, 20.0])
def test_what_steps_follow_is_not_lost(decay):
    """A body on 45 Hz turns by 0.02 rad in a step: its phase is off by C (w h)^3 n = 0.05 rad, with the error constant
    0.1, or by what a time 1 / decay makes of it, a hundredth. What pulses look like, an error of more than the force,
    is bounded by a few times that. A frequency that is measured beside others is that of the only mode."""
    body = fb.RigidBody("body", 2.0, (0.01,) * 3)
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    law = fb.Linear(stiffness=2.0 * (2 * np.pi * 45.0) ** 2)
    plan = make_plan(fb.System([body], [rail], [fb.ForceElement("mount", fb.Along(rail), law)]))
    found = NotFollowed("ForceElement 'mount'", 35.0, 40.0, 28.0, "N", 0.5, np.inf, decay)
    steps = 73000
    run = dict(not_followed=[found], times=np.array([0.0, 5.0]), t=5.0, state=begun(plan, None, 5.0))

    def told(steps):
        return with_modes(plan, SimpleNamespace(**run, counts=SimpleNamespace(steps=steps)), [found])

    (rough,) = told(600)
    assert rough.error == found.error  # 2.4 rad in a step
    assert rough.frequency == pytest.approx(45.0, rel=1e-6)
    off = 0.1 * (2 * np.pi * 45.0 * 5.0 / steps) ** 3 * steps * found.force
    if decay:
        assert told(steps) == []
    else:
        (one,) = told(steps)
        assert off < one.error < 5.0 * off < 0.3 * found.error


def test_equal_elements_are_told_in_one_sentence_with_one_remedy():
    """Two bearings of one rotor: the first turns by 0.36 rad in a step, the second by 0.1 rad with errors of phase."""
    machine = disc()
    plan = make_plan(machine)
    start = begun(plan, None, 2.5)
    run = SimpleNamespace(
        not_followed=[
            NotFollowed("Bushing 'b1'", 58.1, 1080.0, 340.0, "N", 0.5, np.inf),
            NotFollowed("Bushing 'b2'", 16.7, 200.0, 340.0, "N", 0.5, np.inf),
            NotFollowed("body 'bar'", 16.7, 2e-4, 3e-4, "m", 0.5, np.inf),
        ],
        counts=SimpleNamespace(steps=2500, iterations=5000, factorisations=0),
        times=np.array([0.0, 0.005, 2.5]), t=2.5, tolerance=1e-5, stiffest=400.0, is_explicit=False,
        state=start,
    )  # fmt: skip
    stored = {"c": np.zeros((2, 3)), "q": np.tile([1.0, 0, 0, 0], (2, 1))}
    with pytest.warns(fb.FlexbodyWarning) as told:
        why = told_vibrations(plan, run, start, stored)
    first, second = (str(one.message) for one in told)
    assert "not followed" in first
    assert "'b1'" in first
    assert "'b2' vibrates from" in first
    assert "'bar'" in second
    remedies = {re.search(r"take (integrator=\S+)[,;]", one)[1] for one in (first, second)}
    assert len(remedies) == 1
    assert why.count("'b2'") == 1


def test_what_is_the_motion_is_not_skipped():
    """A body that drops onto its mount only vibrates: no method skips that; what is named instead works."""
    body = fb.RigidBody("body", 10.0, (0.1, 0.1, 0.1))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="z")
    mount = fb.ForceElement("mount", fb.Along(rail), fb.Linear(stiffness=10.0 * (2 * np.pi * 25.0) ** 2))
    machine = fb.System([body], [rail], [mount], gravity=(0, 0, -9.81))
    with pytest.warns(fb.FlexbodyWarning, match="steps follow vibrations: body 'body' vibrates by") as told:
        run = fb.simulate(machine, 2.0, integrator=fb.GeneralizedAlpha(), show_progress=False)
    (words,) = (str(one.message) for one in told)
    assert "skip" not in words
    assert "not the motion" not in words
    assert "If it is not meant, begin in" in words
    assert "begin in equilibrium (start=fb.Equilibrium())" in words
    assert words.endswith("integrator=fb.Explicit() follows them with less work")
    still = fb.simulate(
        machine, 2.0, integrator=fb.GeneralizedAlpha(), start=fb.Equilibrium(), show_progress=False
    )
    assert still.statistics.steps < 0.1 * run.statistics.steps
    explicit = fb.simulate(machine, 2.0, integrator=fb.Explicit(), show_progress=False)
    assert explicit.statistics.iterations < run.statistics.iterations


def test_a_controller_is_named_before_damping():
    """A force k x that is held for a period T acts as damping of -k T / 2: x grows by exp(k T / 4 m) in a second."""
    body = fb.RigidBody("body", 10.0, (0.1,) * 3, velocity=(0, 0, 0.1))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="z")
    along = fb.Along(rail)
    mount = fb.ForceElement("mount", along, fb.Linear(stiffness=10.0 * (2 * np.pi * 25.0) ** 2))
    servo = fb.Controller("servo", along, fb.PID(kp=2e4), acts_on=along, period=2e-3)
    machine = fb.System([body], [rail], [mount, servo])
    with pytest.warns(fb.FlexbodyWarning, match="steps follow vibrations") as told:
        fb.simulate(machine, 1.0, integrator=fb.GeneralizedAlpha(), output_step=0.05, show_progress=False)
    words = next(str(one.message) for one in told if "steps follow" in str(one.message))
    assert "Controller 'servo' acts on the machine: the control loop may be unstable" in words
    assert words.index("shorter period") < words.index("damping")


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_round_off_of_a_machine_at_rest_is_no_vibration(seed, recwarn):
    """A spring as long as it is drawn, to round-off: 1e-17 of the 0.2 N that its length times its stiffness is."""
    rng = np.random.default_rng(seed)
    center = rng.normal(size=3)
    body = fb.RigidBody("body", 1e-3, (1e-9,) * 3, center=1e-3 * center)
    ends = [1e-3 * (center + part * rng.normal(size=3)) for part in (1.0, 0.2)]
    spring = fb.SpringDamper(
        "spring", fb.GROUND, body, stiffness=200.0, first_point=ends[0], second_point=ends[1]
    )
    fb.simulate(fb.System([body], forces=[spring]), 1.0, show_progress=False)
    assert [str(one.message) for one in recwarn] == []
