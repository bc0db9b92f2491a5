"""Deflections that are too large for the theory of small deformations: one warning from each analysis."""

import warnings

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from support import beams

import flexbody as fb
import modal
from flexbody.analyses.growth import Swings
from flexbody.analyses.run import failure
from flexbody.core.kinds import NOT_DEFINITE

LENGTH, MASS, EI = 1.0, 1.0, 100.0
FREQUENCY = 1.8751**2 * np.sqrt(EI / (MASS * LENGTH**3))  # rad/s, of a cantilever


def cantilever(**options) -> tuple[fb.FlexibleBody, fb.Fixed]:
    """A beam that is clamped at its start, with the shapes of an end load and of its weight."""
    shapes = [Polynomial([0, 0, 1]), Polynomial([0, 0, 0, 1]), Polynomial([0, 0, 0, 0, 1])]
    data = modal.assumed.beam(LENGTH, mass=MASS, EI=EI, polar_inertia=1e-4, z=shapes, frame=modal.Unchanged())
    beam = fb.FlexibleBody("beam", data, stiffening=False, **options)
    return beam, fb.Fixed("clamp", fb.GROUND, beam["start"])


def loaded(deflection: float, value=None) -> fb.System:
    """With an end load that deflects the end statically, w = F l^3 / 3 EI; its rotation is 1.5 w / l."""
    beam, clamp = cantilever()
    force = 3 * EI * deflection / LENGTH**3
    return fb.System(
        [beam], [clamp], [fb.PointForce("load", beam["end"], (0, 0, force if value is None else value))]
    )


def told(action) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [str(w.message) for w in caught if "is deflected by" in str(w.message)]


def test_equilibrium():
    """A deflection of 0.12 m and a rotation of 0.18 rad are told; 0.09 m are not."""
    assert told(lambda: fb.equilibrium(loaded(0.09))) == []
    (text,) = told(lambda: fb.equilibrium(loaded(0.12)))
    assert (
        "body 'beam' is deflected by 0.12 m (12 % of its length), with rotations of 0.18 rad inside it"
        in text
    )
    assert "fem.divide" in text


def test_rotations_alone():
    """A moment M at the end rotates it by M l / EI = 0.24 rad, and deflects it by half of that: beyond both limits.

    A quarter less, 0.18 rad and 9 % of the length, is within both.
    """
    beam, clamp = cantilever()
    for angle, many in ((0.24, 1), (0.18, 0)):
        moment = fb.PointMoment("moment", beam["end"], (0, -angle * EI / LENGTH, 0))
        assert len(told(lambda m=moment: fb.equilibrium(fb.System([beam], [clamp], [m])))) == many


def test_a_run_tells_once_with_time_and_size():
    """A load that sets in suddenly deflects the beam by twice the static value, after half a period."""
    (text,) = told(lambda: fb.simulate(loaded(0.08), 2 * np.pi / FREQUENCY, step=1e-3))
    largest = float(text.split("; the largest: body 'beam' is deflected by ")[1].split(" m")[0])
    assert largest == pytest.approx(0.16, rel=0.02)  # the second mode has 1 % of the deflection
    first = float(text.split("at t = ")[1].split(" s")[0])
    # w = w0 (1 - cos(w t)) passes 0.1 m at cos(w t) = -1/4; the first mode carries 97 % of the deflection
    assert first == pytest.approx(np.arccos(-0.25) / FREQUENCY, rel=0.03)
    assert told(lambda: fb.simulate(loaded(0.04), 0.1, step=1e-3)) == []


def test_a_failed_run_tells_too():
    beam, clamp = cantilever()
    load = fb.PointForce("load", beam["end"], lambda t: (0, 0, 100.0 if t < 0.3 else np.nan))

    def run():
        with pytest.raises(fb.FlexbodyError, match="'load'"):
            fb.simulate(fb.System([beam], [clamp], [load]), 1.0)

    assert len(told(run)) == 1


def test_stepper():
    """It is told at the end of the advance in which it happens, and once; a load that is set is no loop that swings."""
    sim = fb.Stepper(loaded(0.0, fb.Input("force")))
    sim["force"] = 3 * EI * 0.04
    assert told(lambda: sim.advance(0.2)) == []
    sim["force"] = 3 * EI * 0.2
    (text,) = told(lambda: [sim.advance(0.02) for _ in range(10)])
    assert "deflected by" in text
    assert "control loop" not in text


def test_elastodynamics():
    """The sag under the own weight, m g l^3 / 8 EI = 0.15 m for g = 120 m/s^2."""
    beam, clamp = cantilever()
    machine = fb.System([beam], [clamp], gravity=(0, 0, -120.0))
    (text,) = told(lambda: fb.elastodynamics(machine, 1.0, output_step=0.5))
    assert "deflected by 0.15 m (15 % of its length)" in text


def test_it_does_not_depend_on_the_reference_frame():
    """The same beam in a mean-displacement frame: start and end see each other as in the frame of the clamp."""
    shapes = [Polynomial([0, 0, 1]), Polynomial([0, 0, 0, 1]), Polynomial([0, 0, 0, 0, 1])]
    data = modal.assumed.beam(LENGTH, mass=MASS, EI=EI, polar_inertia=1e-4, z=shapes)
    beam = fb.FlexibleBody("beam", data, stiffening=False)
    clamp = fb.Fixed("clamp", fb.GROUND, beam["start"])
    load = fb.PointForce("load", beam["end"], (0, 0, 3 * EI * 0.12), follows=True)
    (text,) = told(lambda: fb.equilibrium(fb.System([beam], [clamp], [load])))
    assert "with rotations of 0.18 rad" in text


def test_an_unstable_controller_is_named():
    """A run with an input that stops when a body has grown beyond all measure: what grew, and which input drives it.

    The state is set to that in which such a run ends; the way there takes minutes.
    """
    beam = fb.FlexibleBody("arm", beams.quintic_beam())
    hinge = fb.Revolute("hinge", fb.GROUND, beam["start"], axis="y")
    motor = fb.PointMoment("motor", beam["start"], (0, fb.Input("torque"), 0))
    sim = fb.Stepper(fb.System([beam], [hinge], [motor]))
    sim["torque"] = 1e-3
    sim.advance(1e-3)

    def message(torque: float) -> str:
        return str(failure(sim._segment.plan, sim._run, NOT_DEFINITE, False, {"torque": np.array(torque)}))

    assert "has reached a speed of" in message(4e11)
    sim._run.state.all_alpha[:] = 10.0
    text = message(4e11)
    assert "body 'arm' is deflected by" in text
    assert (
        "An input drives the machine ('torque' = 4.e+11): if a controller sets it, the control loop" in text
    )
    assert "input" not in message(0.0)


@pytest.mark.parametrize("kp", [1e3, 1e5])
def test_a_sampled_controller_that_diverges_ends_the_run(kp):
    """Of a mass that is driven by its position alone, a = kp (x0 - x) / m from sample to sample, both gains diverge.
    With the larger one it passes the speed of light in the run, at the sample that the recursion gives."""
    mass, period, target = 2.0, 0.01, 0.1
    cart = fb.RigidBody("cart", mass, (1e-3, 1e-3, 1e-3))
    along = fb.Along(fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x"))
    servo = fb.Controller("servo", along, fb.PID(kp=kp, kd=0.0), target=target, acts_on=along, period=period)
    machine = fb.System([cart], [along.joint], [servo])
    x = v = 0.0
    n = 0
    while abs(v) <= 3e8 and n < 100:
        n += 1
        a = kp * (target - x) / mass
        x, v = x + period * v + 0.5 * period**2 * a, v + period * a
    if kp == 1e3:
        found = fb.simulate(machine, 1.0, output_step=0.5, show_progress=False)
        assert found.t[-1] == 1.0
        return
    with pytest.raises(
        fb.ConvergenceError, match=f"t = {n * period:.6g} s: body 'cart' has reached.*'servo'"
    ) as caught:
        fb.simulate(machine, 1.0, output_step=0.05, show_progress=False)
    assert caught.value.result.t[-1] == pytest.approx(n * period, rel=1e-12)


def test_an_unstable_sampled_controller_is_named():
    """A rate gain kd on an inertia I is stable below kd T / I = 2; here it is ten times that, and the body bends."""
    beam = fb.FlexibleBody("arm", beams.quintic_beam())
    hinge = fb.Revolute("hinge", fb.GROUND, beam["start"], axis="y")
    period = 0.02
    kd = 20.0 / period * beams.MASS * beams.LENGTH**2 / 3
    servo = fb.Controller(
        "servo", fb.Along(hinge), fb.PID(kp=0.0, kd=kd), acts_on=fb.Along(hinge), target=0.1, period=period
    )
    machine = fb.System([beam], [hinge], [servo], gravity=(0, 0, -9.81))

    def run():
        with pytest.raises(
            fb.ConvergenceError, match=r"arm.*Controller 'servo' acts on the machine: the control loop"
        ):
            fb.simulate(machine, 1.0, step=1e-4)

    (text,) = told(run)
    assert "Take smaller gains or a shorter period" in text


def test_a_stable_loop_is_not_blamed_for_large_deflections():
    """A continuous PD on a hinge only takes energy out: the arm that falls into its spring bends far, and settles."""
    shapes = modal.assumed.quintic()[:2]
    data = modal.assumed.beam(LENGTH, mass=MASS, EI=EI, polar_inertia=1e-4, z=shapes, stiffening=False)
    beam = fb.FlexibleBody("arm", data, damping_ratio=0.02)
    hinge = fb.Revolute("hinge", fb.GROUND, beam["start"], axis="y")
    servo = fb.Controller("servo", fb.Along(hinge), fb.PID(kp=5 * EI, kd=0.2 * EI), acts_on=fb.Along(hinge))
    machine = fb.System([beam], [hinge], [servo], gravity=(0, 0, -150.0))
    (text,) = told(lambda: fb.simulate(machine, 1.0, show_progress=False))
    assert "is deflected by" in text
    assert "control loop" not in text


def test_swings_that_grow():
    """exp(0.5 t) sin grows, by e^2.5 in a quarter of 20 s; sin, exp(-0.1 t) sin, a late step and rest do not."""
    t = np.linspace(0.0, 20.0, 900)
    courses = {
        "grows": np.exp(0.5 * t) * np.sin(9 * t),
        "steady": np.sin(9 * t),
        "dies out": np.exp(-0.1 * t) * np.sin(9 * t),
        "late step": np.where(t < 15, 0.0, np.exp(15 - t) * np.sin(9 * (t - 15))),
        "beats": np.sin(9 * t) + 0.9 * np.sin(10 * t),
        "rest": 0.0 * t,
    }
    swings = Swings(len(courses))
    for x in np.array(list(courses.values())).T:
        swings.add(x)
    assert [name for name, w in zip(courses, np.eye(len(courses)), strict=True) if swings.grow(w)] == [
        "grows"
    ]
