"""Functions of time that are read from the file of a run: they have the corners and jumps of those that were given."""

from pathlib import Path

import numpy as np
import pytest

import flexbody as fb
from flexbody.functions import with_numba

BODY = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
HINGE = fb.Revolute("hinge", fb.GROUND, BODY, point=(0, 0, 0), axis="y")
#: about the hinge: 0.03 + 1 kg (0.3 m)^2
INERTIA = 0.12
TIMES, SPEEDS = [0.0, 0.0123, 0.0457, 0.1], [0.0, 20.0, 20.0, 0.0]


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """Compiling functions takes seconds; tests of laws do it."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


def ramp(t):
    return 0.0 if t < 0.033 else 10.0 * (t - 0.033)


DRIVES = {
    "ramp": dict(value=ramp),
    "trapezoidal speed": dict(rate=lambda t: np.interp(t, TIMES, SPEEDS)),
    "table": dict(value=lambda t: np.interp(t, TIMES, [0.0, 1.0, 1.0, 0.0])),
    "corner at an output": dict(value=lambda t: abs(t - 0.03)),
}


def read_again(result: fb.Result, path: Path) -> fb.System:
    result.save(path)
    return fb.load_result(path).system


@pytest.mark.filterwarnings("ignore:.*its rate jumps")
@pytest.mark.parametrize("name", DRIVES)
def test_a_drive_with_corners_moves_as_it_did(name, tmp_path):
    """None of the stored times is a corner, and the parts between corners have at most degree 2."""
    machine = fb.System([BODY], [HINGE, fb.Drive("drive", HINGE, **DRIVES[name])])
    one = fb.simulate(machine, 0.1, step=5e-4, output_step=0.01)
    again = fb.simulate(read_again(one, tmp_path / "run.h5"), 0.1, step=5e-4, output_step=0.01)
    angle = [one.system.joint("drive").value(t) for t in one.t]
    # (a run takes the function beside its corners, at 3e-13 of the time)
    np.testing.assert_allclose(again.coordinate("hinge"), angle, rtol=0, atol=1e-13)
    # derivatives of stored values: their round-off over 1e-3 s, the shortest distance of a corner and an output
    np.testing.assert_allclose(again.coordinate_rate("hinge"), one.coordinate_rate("hinge"), atol=1e-12)
    moment, given = again.reaction("drive").moment, one.reaction("drive").moment
    np.testing.assert_allclose(moment, given, atol=1e-8)
    corners = [[tuple(corner) for corner in run.plan.laws[0].corners] for run in (one, again)]
    assert corners[0] == corners[1] != []


@pytest.mark.filterwarnings("ignore:.*its rate jumps")
def test_the_corner_that_is_read_gives_its_energy(tmp_path):
    """J w^2 / 2 = 6 J at once; the stored times are 0.01 s apart, and it is at 0.033 s."""
    machine = fb.System([BODY], [HINGE, fb.Drive("drive", HINGE, value=ramp)])
    system = read_again(fb.simulate(machine, 0.1, step=5e-4, output_step=0.01), tmp_path / "run.h5")
    again = fb.simulate(system, 0.1, step=5e-4, output_step=0.001)
    energy = again.energy
    expected = np.where(
        again.t > 0.0331, 0.5 * INERTIA * 10.0**2, 0.0
    )  # the value at the corner is that before it
    np.testing.assert_allclose(energy.kinetic, expected, atol=1e-9)
    np.testing.assert_allclose(energy.input, expected, atol=1e-9)
    assert energy.balance_error < 1e-7


def test_a_drive_between_stored_times_that_are_far_apart(tmp_path):
    """Its file was called damaged: the rate was not the derivative of the value."""
    drive = fb.Drive("drive", HINGE, value=lambda t: 0.1 * np.sin(100.0 * t))
    for output_step in (0.02, 0.05):  # a third of a period, and four fifths
        one = fb.simulate(fb.System([BODY], [HINGE, drive]), 0.4, step=1e-3, output_step=output_step)
        system = read_again(one, tmp_path / "run.h5")
        again = fb.simulate(system, 0.4, step=1e-3, output_step=output_step)
        np.testing.assert_allclose(again.coordinate("hinge"), 0.1 * np.sin(100.0 * again.t), atol=1e-15)


@pytest.mark.filterwarnings("ignore:.*its rate jumps")
@pytest.mark.parametrize("first", [0.0, 3.0])
@pytest.mark.parametrize("what", ["moment", "rate"])
def test_inputs_that_jump_jump_again(what, first, tmp_path):
    """What Stepper had set: between two stored times the values were interpolated."""
    given = fb.Input("u", 0.0)
    machine = (
        fb.System([BODY], [HINGE], [fb.PointMoment("push", BODY, (0.0, given, 0.0))])
        if what == "moment"
        else fb.System([BODY], [HINGE, fb.Drive("drive", HINGE, rate=given)])
    )
    stepper = fb.Stepper(machine, step=1e-3)
    for value in (first, 2.0, 2.0, -1.0, 0.5):
        stepper.set(u=value)
        stepper.advance(0.01)
    one = stepper.result()
    assert one.energy.balance_error < 1e-7
    again = fb.simulate(read_again(one, tmp_path / "run.h5"), 0.05, step=1e-3, output_step=0.01)
    np.testing.assert_allclose(again.t, one.t, rtol=1e-15)
    np.testing.assert_allclose(again.coordinate("hinge"), one.coordinate("hinge"), atol=1e-13)
    np.testing.assert_allclose(again.coordinate_rate("hinge"), one.coordinate_rate("hinge"), atol=1e-12)
    if what == "moment":
        speed = np.cumsum([first, 2.0, 2.0, -1.0, 0.5]) * 0.01 / INERTIA  # J dw = M dt
        np.testing.assert_allclose(
            again.coordinate_rate("hinge")[1:], speed, rtol=1e-6
        )  # (h w)^2, a step's error


@pytest.mark.parametrize("cut_short", [False, True])
def test_a_load_that_jumps_between_stored_times_jumps_again(cut_short, tmp_path, monkeypatch):
    """J dw = M dt: 1 N m for 17.3 ms, then 2 N m for 67 ms. Between stored times it was a straight line."""

    def moment(t):
        return (0.0, 2.0 if t > 0.033 else 1.0 if t > 0.0157 else 0.0, 0.0)

    machine, path = fb.System([BODY], [HINGE], [fb.PointMoment("push", BODY, moment)]), tmp_path / "run.h5"
    if cut_short:
        later = fb.FileError("later")
        monkeypatch.setattr(
            "flexbody.files.unfinished_file.save_result", lambda *_: (_ for _ in ()).throw(later)
        )
        with pytest.raises(fb.FileError, match="later"):
            fb.simulate(machine, 0.1, step=1e-3, output_step=0.01, save=path)
        with pytest.warns(fb.FlexbodyWarning, match="cut short"):
            system = fb.load_result(tmp_path / "run.unfinished.h5").system
    else:
        system = read_again(fb.simulate(machine, 0.1, step=1e-3, output_step=0.01), path)
    push = system.forces[0]
    assert [corner.t for corner in push.value.corners] == [0.0157, 0.033]
    again = fb.simulate(system, 0.1, step=1e-3, output_step=0.01)
    speed = (1.0 * 0.0173 + 2.0 * 0.067) / INERTIA
    assert again.coordinate_rate("hinge")[-1] == pytest.approx(speed, rel=1e-6)  # (h w)^2, a step's error
