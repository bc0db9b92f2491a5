"""States that belong to another machine: told by what differs."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.hinged import bar, hinge

import flexbody as fb


def machine(mass=1.0, center=(0.5, 0, 0), joint=None, drives=(), second="second") -> fb.System:
    first = bar("first", mass=mass, center=center)
    other = bar(second, center=(1.5, 0, 0))
    pin = hinge(first) if joint is None else joint(first)
    wrist = fb.Revolute("wrist", first, other, point=(1, 0, 0))
    return fb.System([first, other], [pin, wrist, *(drive(pin) for drive in drives)], gravity=(0, -9.81, 0))


@pytest.fixture(scope="module")
def run():
    return fb.simulate(machine(), 0.05, step=1e-3)


OTHERS = {
    "mass": (machine(mass=3.0), "body 'first' has 3 kg, there 1 kg"),
    "place": (machine(center=(0.4, 0, 0)), r"body 'first' is drawn 0\.1 m from where it is drawn there"),
    "kind": (
        machine(joint=lambda body: fb.Spherical("hinge", fb.GROUND, body, point=(0, 0, 0))),
        "'hinge' is a Spherical, there a Revolute",
    ),
    "name": (
        machine(joint=lambda body: hinge(body, "foot")),
        "the machine of the state lacks joint 'foot'; the machine of the state also has joint 'hinge'",
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_message_names_what_differs(run, name):
    """In every analysis that starts from a state; the computation goes on."""
    other, says = OTHERS[name]
    with pytest.warns(fb.FlexbodyWarning, match=f"belongs to another machine: .*{says}") as found:
        went = fb.simulate(other, 0.06, start=run, step=1e-3)
    assert {warning.filename for warning in found} == {__file__}
    assert went.t[0] == run.t[-1]
    with pytest.warns(fb.FlexbodyWarning, match=says):
        fb.mobility(other, state=run)
    with pytest.warns(fb.FlexbodyWarning, match=says):
        fb.Stepper(other, start=run)


def test_fewer_bodies(run):
    first = bar("first")
    with pytest.warns(fb.FlexbodyWarning, match="the state has the bodies 'second' too"):
        fb.simulate(fb.System([first], [hinge(first)]), 0.06, start=run, step=1e-3)


def test_the_same_machine_starts_without_a_word(run, tmp_path):
    """Also with other loads and drives, described anew, or out of a file: braking, letting go, pushing."""
    run.save(tmp_path / "run.h5")
    states = (run, fb.load_result(tmp_path / "run.h5"), fb.equilibrium(machine()))
    driven = machine(drives=[lambda joint: fb.Drive("brake", joint, value=lambda t: np.sin(t))])
    body = machine().bodies[0]
    for state in states:
        for other in (
            machine(),
            replace(machine(), forces=[fb.PointForce("push", body, (1, 0, 0))], gravity=(0, 0, 0)),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("error", fb.FlexbodyWarning)
                fb.simulate(other, 0.06, start=state, step=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        fb.mobility(driven, state=run)


def test_bodies_that_are_not_there_are_refused(run):
    with pytest.raises(fb.InputError, match="the state to start from has no body 'third' with 0 modes"):
        fb.simulate(machine(second="third"), 0.06, start=run)
