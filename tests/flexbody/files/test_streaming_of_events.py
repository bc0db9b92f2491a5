"""A run with events that writes its states while it goes on."""

import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from reference.machines import pendulum_machine

import flexbody as fb
from flexbody.analyses.compiled import compiled
from flexbody.analyses.run import Recording
from flexbody.analyses.starts import begun
from flexbody.files.unfinished_file import Stream
from flexbody.integrators.base import Within
from flexbody.results.occurrences import Occurrence

ARRAYS = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "energies")


@pytest.fixture
def cut(tmp_path, monkeypatch):
    """The file of the run as it is when the run ends, before the complete one replaces it."""
    complete = Stream.complete

    def keep(self, record):
        shutil.copy(self.partial, tmp_path / "cut.h5")
        return complete(self, record)

    monkeypatch.setattr(Stream, "complete", keep)
    return tmp_path / "cut.h5"


def same(cut, result):
    with pytest.warns(
        fb.FlexbodyWarning, match=f"cut short, or still goes on: it holds {len(result.t)} states"
    ):
        found = fb.load_result(cut)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(result, name))
    assert found.events == result.events


def bouncing_ball():
    ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 1.1))
    machine = fb.System([ball], gravity=(0, 0, -9.81))
    return machine, lambda state: state.position("ball")[2] - 0.1


def test_a_ball_that_rebounds(cut, tmp_path):
    """Each blow is stored before and behind; what it takes, (1 - e^2) m g h of what is left, is dissipated."""
    machine, gap = bouncing_ball()
    floor = fb.Event("floor", gap, direction=fb.Falling(), then=fb.Rebound(0.8))
    result = fb.simulate(machine, 2.0, events=[floor], output_step=0.02, save=tmp_path / "run.h5")
    assert (len(result.events), len(result.t)) == (3, 101 + 2 * 3)
    same(cut, result)
    with pytest.warns(fb.FlexbodyWarning):
        left = fb.load_result(cut).energy.dissipated[-1]
    assert left == pytest.approx((1.0 - 0.64**3) * 9.81, rel=1e-6)
    assert cut.stat().st_size < (tmp_path / "run.h5").stat().st_size


def test_more_states_than_were_expected(cut, tmp_path):
    """A hundred events between two outputs, and some more: the arrays of the run grow."""
    machine, _ = bouncing_ball()
    ticks = fb.Event("tick", lambda state: np.sin(100.0 * np.pi * (state.t + 0.003)))
    result = fb.simulate(
        machine,
        1.0,
        step=1e-3,
        events=[ticks],
        output_step=0.5,
        save=tmp_path / "run.h5",
        show_progress=False,
    )
    assert (len(result.events), len(result.t)) == (100, 103)
    same(cut, result)


def test_states_that_a_run_has_taken_back(tmp_path):
    """A run that goes back in time writes its states anew; only these count."""
    plan = compiled(pendulum_machine()[0], 1.0, None)
    first = begun(plan, None, 1.0)
    stream, states = Stream(tmp_path / "run.h5", plan, first, np.linspace(0.0, 1.0, 6)), Recording(plan, 6)
    for t in (0.0, 0.2, 0.4, 0.6, 0.3, 0.5):
        states.forget_after(t)
        states.store(Within(replace(first, t=t), np.zeros(2), np.zeros((0, 4))))
        stream.mark(states.arrays, states.filled)
    stream.close()
    with pytest.warns(fb.FlexbodyWarning, match="holds 4 states"):
        found = fb.load_result(tmp_path / "run.unfinished.h5")
    np.testing.assert_array_equal(found.t, [0.0, 0.2, 0.3, 0.5])


def switching_machine():
    """An arm that a motor turns, until it is off; a spring that is on from 0.4 s to 0.8 s; the motor goes on then."""
    arm = fb.RigidBody("arm", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    motor = fb.Drive("motor", hinge, rate=1.5)
    spring = fb.SpringDamper(
        "spring",
        fb.GROUND,
        arm,
        first_point=(0.3, 0, 1.0),
        second_point=(0.3, 0, 0),
        stiffness=20.0,
        free_length=0.5,
    )
    times = {"release": (0.2, (), "motor"), "catch": (0.4, "spring", ()), "drive": (0.8, "motor", "spring")}
    events = [
        fb.Event(
            name,
            lambda state, t=t: state.t - t,
            then=fb.Switch(on=[on] if on else [], off=[off] if off else []),
        )
        for name, (t, on, off) in times.items()
    ]
    return fb.System([arm], [hinge, motor], [spring], gravity=(0, 0, -9.81)), events


def test_a_run_that_switches(cut, tmp_path):
    """Its file, cut short, has the events, what was off at the start, and the energies of what was on."""
    machine, events = switching_machine()
    options = dict(events=events, switched_off=["spring"], output_step=0.01, show_progress=False)
    result = fb.simulate(machine, 1.0, save=tmp_path / "run.h5", **options)
    same(cut, result)
    with pytest.warns(fb.FlexbodyWarning, match="cut short"):
        found = fb.load_result(cut)
    assert [(one.name, one.on, one.off) for one in found.events] == [
        ("release", (), ("motor",)), ("catch", ("spring",), ()), ("drive", ("motor",), ("spring",)),
    ]  # fmt: skip
    assert found.events == result.events
    assert found.switched_off == ("spring",)
    assert cut.stat().st_size < (tmp_path / "run.h5").stat().st_size
    # the motor goes on from the angle at 0.8 s, as the joint does
    t = found.t > 0.8
    motor = found.system.joints[1]
    np.testing.assert_allclose([motor.value(x) for x in found.t[t]], found.coordinate("hinge")[t], atol=1e-9)


def test_events_that_a_run_has_taken_back(tmp_path):
    """Events behind the time to which a run goes back count no more; those before it do, with their rows."""
    plan = compiled(pendulum_machine()[0], 1.0, None)
    first = begun(plan, None, 1.0)
    stream, states = Stream(tmp_path / "run.h5", plan, first, np.linspace(0.0, 1.0, 6)), Recording(plan, 6)
    for k, t in enumerate((0.0, 0.2, 0.4, 0.6, 0.3, 0.5)):
        states.forget_after(t)
        states.store(Within(replace(first, t=t), np.zeros(2), np.zeros((0, 4))))
        stream.mark(states.arrays, states.filled)
        stream.note(Occurrence(f"event {k}", t, "marked", states.filled - 1), {})
    stream.close()
    with pytest.warns(fb.FlexbodyWarning, match="holds 4 states"):
        found = fb.load_result(tmp_path / "run.unfinished.h5")
    assert [(one.name, one.row) for one in found.events] == [
        ("event 0", 0), ("event 1", 1), ("event 4", 2), ("event 5", 3),
    ]  # fmt: skip


def test_the_room_for_a_run_that_switches_is_checked_beforehand(tmp_path, monkeypatch):
    """102 states of 50 numbers and more."""
    machine, events = switching_machine()
    monkeypatch.setattr("shutil.disk_usage", lambda folder: (10**9, 10**9, 1000))
    with pytest.raises(fb.FileError, match=r"needs about .* fewer than 102 states"):
        fb.simulate(
            machine, 1.0, events=events, output_step=1e-2, save=tmp_path / "run.h5", show_progress=False
        )
    assert os.listdir(tmp_path) == []
