"""Vibrations that the stored states show as other ones are told: a body on a spring, 100 rad/s or 15.92 Hz."""

import re
import warnings

import numpy as np
import pytest

import flexbody as fb
from flexbody.model.events import Onset

PERIOD = 2 * np.pi / 100.0


def machine(damping: float = 0.0, force: float = 0.0) -> fb.System:
    """1 kg on 1e4 N/m with 1 m/s, so 100 N; a constant force stretches the spring, from its rest under it."""
    body = fb.RigidBody("body", 1.0, (0.01,) * 3, velocity=(1, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, body, stiffness=1e4, damping=damping, first_point=(-1, 0, 0),
        free_length=1.0 - force / 1e4,
    )  # fmt: skip
    load = fb.PointForce("load", body, (force, 0, 0))
    return fb.System([body], [guide], [spring, load] if force else [spring])


def told(system: fb.System, duration: float, output_step: float, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        run = fb.simulate(system, duration, output_step=output_step, show_progress=False, **options)
    return run, [str(one.message) for one in found if "states are stored" in str(one.message)]


@pytest.mark.parametrize(
    "options",
    [{"integrator": fb.Explicit()}, {"step": PERIOD / 40}, {"integrator": fb.SciPy()}, {}],
    ids=["explicit", "fixed", "SciPy", "default"],
)
def test_one_state_in_each_period_is_told_with_what_shows_the_vibration(options):
    run, said = told(machine(), 20.5 * PERIOD, PERIOD, **options)
    assert np.abs(run.element("spring").force).max() < 50.0  # the curve is wrong, the peak is not
    assert abs(run.element("spring").peak.force) == pytest.approx(100.0, rel=0.01)
    assert len(said) == 1
    told_of = re.search(r"'spring' vibrates at about ([\d.]+) Hz", said[0])
    assert float(told_of[1]) == pytest.approx(1 / PERIOD, rel=0.02)  # a step, of 20 periods
    shorter = float(re.search(r"output_step=([\d.e-]+)", said[0])[1])
    again, said = told(machine(), 20.5 * PERIOD, shorter, **options)
    assert said == []
    assert np.abs(again.element("spring").force).max() == pytest.approx(100.0, rel=0.02)


def test_a_run_with_events_is_told_of_too():
    event = fb.Event("now", lambda state: state.t - 12 * PERIOD, then=Onset())
    assert len(told(machine(), 25 * PERIOD, PERIOD, events=[event], integrator=fb.Explicit())[1]) == 1


def test_a_vibration_that_dies_out_is_told():
    """Of its 5 %, after 12 periods, nothing is left in the rest of the run."""
    assert len(told(machine(damping=2 * 0.04 * 100.0), 200 * PERIOD, PERIOD)[1]) == 0  # 4 periods to 20 %
    assert len(told(machine(damping=2 * 0.01 * 100.0), 200 * PERIOD, PERIOD)[1]) == 1  # 16


@pytest.mark.parametrize(
    ("system", "output_step"),
    [(machine(), PERIOD / 3), (machine(), PERIOD / 20), (machine(force=2000.0), PERIOD)],
    ids=["three states", "twenty states", "5 % of a constant force"],
)
def test_nothing_is_told_where_curves_are_right(system, output_step):
    assert told(system, 30 * PERIOD, output_step, integrator=fb.Explicit())[1] == []


def test_nothing_is_told_where_every_step_is_stored():
    """Two steps in a period: what the curve shows is the step's, not that of the states."""
    run, said = told(machine(), 30 * PERIOD, None, step=PERIOD / 2)
    assert len(run.t) == run.statistics.steps + 1
    assert said == []


def test_nothing_is_told_of_a_ball_that_bounces():
    """Its force turns twice in a blow, 0.09 s apart and less."""
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.11))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e7, dissipation=0.05)
    assert told(fb.System([ball], forces=[floor], gravity=(0, 0, -9.81)), 1.0, 2e-3)[1] == []
