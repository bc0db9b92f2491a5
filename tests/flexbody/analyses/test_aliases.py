"""Vibrations that the stored states show as other ones are told: a body on a spring, 100 rad/s or 15.92 Hz."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import flexbody as fb
from flexbody.analyses.aliases import AliasWatch
from flexbody.compile.plan import make_plan
from flexbody.core.kinds import TURN_COUNT, TURN_LAST, TURN_SINCE, TURN_SIZE
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


def test_what_steps_hardly_resolve_is_not_said_to_be_known():
    """Five steps in a period: the period of the method is 1.1 of the true one, and it damps 94 % of the energy."""
    system, period = machine(), PERIOD
    run, said = told(system, 250 * period, period, step=period / 5)
    assert len(said) == 1
    assert "hardly resolve it" in said[0]
    assert "Hz" not in said[0]
    assert ".peak" not in said[0]
    assert len(run.t) == 251


def test_a_step_shorter_than_a_fixed_one_is_not_proposed():
    run, said = told(machine(), 100 * PERIOD, PERIOD, step=PERIOD / 20)
    assert float(re.search(r"output_step=([\d.e-]+)", said[0])[1]) >= 0.99 * run.t[-1] / run.statistics.steps


def test_nothing_is_said_of_elements_that_are_not_followed():
    """A box on a bushing that resonates on a sled: the implicit method loses 0.9 of its force, its peak as well."""
    load = fb.RigidBody("box", 10.0, (0.1,) * 3, center=(0, 0, 0.3), velocity=(1.0, 0, 0))
    sled = fb.RigidBody("sled", 100.0, (10.0,) * 3, velocity=(1.0, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, sled, point=(0, 0, 0), axis="x")
    w = 2 * np.pi * 20.0
    k = 10.0 * w**2
    bushing = fb.Bushing(
        "bushing", sled, load, point=(0, 0, 0.3), stiffness=(100 * k, 100 * k, k) + (1e5,) * 3
    )
    shaker = fb.PointForce("shaker", load, lambda t: (0.0, 0.0, 2.0 * np.sin(w * t)))
    system = fb.System([sled, load], [rail], [bushing, shaker])
    with pytest.warns(fb.FlexbodyWarning, match="not followed") as found:
        run = fb.simulate(
            system, 20.0, integrator=fb.GeneralizedAlpha(), output_step=0.25, show_progress=False
        )
    assert run.element("bushing").peak.force < 0.2 * (0.5 * 2.0 * w * 20.0)  # F w t / 2 is the true one
    assert not any("states are stored" in str(one.message) for one in found)


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


@pytest.mark.parametrize("began_implicit", [False, True])
def test_a_run_that_has_become_explicit_is_not_sent_to_the_explicit_method(began_implicit):
    """Ten steps in a period: the explicit method resolves it, the implicit one before it hardly."""
    plan, watch = make_plan(machine()), AliasWatch()
    work = plan.work()
    for end, is_explicit in ((20.0, False), (60.0, True)):
        if not (is_explicit or began_implicit):
            continue
        for column, value in (
            (TURN_COUNT, 2 * end + 1),
            (TURN_SINCE, 0.0),
            (TURN_LAST, end * PERIOD * (1 - 1e-3 * is_explicit)),
            (TURN_SIZE, 100.0),
        ):
            work.turned[0, column] = value
        run = SimpleNamespace(
            times=np.array([0.0]), t=end * PERIOD, counts=SimpleNamespace(steps=int(10 * end)), not_followed=[],
            fixed=False, keeps_energy=False, is_explicit=is_explicit,
        )  # fmt: skip
        watch._read(run, plan, work)
    with pytest.warns(fb.FlexbodyWarning) as told:
        watch.warn(PERIOD)
    (words,) = (str(one.message) for one in told)
    assert ("Steps resolve it" in words) != began_implicit
    assert ("take integrator=fb.Explicit() from the beginning on" in words) == began_implicit
    assert ", or integrator" not in words
