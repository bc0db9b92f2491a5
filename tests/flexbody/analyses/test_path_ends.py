"""Ends of lines: starts, equilibria and motions of drives beyond one are refused, by joint, place and end."""

import re
from dataclasses import replace

import numpy as np
import pytest

import fem
import flexbody as fb

LINE = np.stack(
    [np.linspace(0.0, 1.0, 6), np.zeros(6), -0.75 * np.linspace(0.0, 1.0, 6)], axis=1
)  # 1.25 m long
ALONG = np.array([0.8, 0.0, -0.6])


def trolley(s, joints=(), forces=(), kind=fb.MuffOnGuideway):
    """A trolley on a slope, drawn at this path coordinate, with more joints and forces on it."""
    body = fb.RigidBody("trolley", 2.0, (0.01, 0.02, 0.02), center=s * ALONG)
    rail = kind("rail", fb.GROUND, body, points=LINE, point=s * ALONG)
    return fb.System(
        [body],
        [rail, *(make(rail) for make in joints)],
        [make(body) for make in forces],
        gravity=(0, 0, -9.81),
    )


@pytest.mark.parametrize("kind", [fb.PointOnGuideway, fb.SleeveOnGuideway, fb.MuffOnGuideway])
def test_a_start_beyond_the_end_is_refused(kind):
    """It is drawn 0.15 m beyond the last point, along the tangent, where the joint has no gap."""
    machine = trolley(1.4, kind=kind)
    message = "starts beyond the end of its line. Its coordinate 'path' is 0.15 m, and the line goes from -1.25 to 0 m"
    with pytest.raises(fem.InputError, match=re.escape(message)):
        fb.simulate(machine, 1.0, show_progress=False)


def test_a_trolley_that_is_drawn_at_the_end_is_told_so():
    """The event of an end at which a run begins would not be passed, and is not printed."""
    with pytest.raises(fem.ConvergenceError, match=r"It is drawn at this end. Draw it inside") as told:
        fb.simulate(trolley(1.25), 1.0, show_progress=False)
    assert "fb.Event" not in str(told.value)


def test_the_event_of_an_end_waits_for_the_way_back():
    """Thrown up the slope from the lowest point at 1 m/s, it is back after 2 v / (g sin) = 2 / (9.81 0.6) s."""
    machine = trolley(1.25)
    body = replace(machine.bodies[0], velocity=-ALONG)
    machine = replace(machine, bodies=[body], joints=[replace(machine.joints[0], second=body)])
    with pytest.raises(fem.ConvergenceError, match="or end the run before") as told:
        fb.simulate(machine, 1.0, show_progress=False)
    event = eval(str(told.value).rpartition("before: ")[2], {"fb": fb})
    found = fb.simulate(machine, 1.0, events=[event], show_progress=False)
    assert found.t[-1] == pytest.approx(2 / (9.81 * 0.6), abs=1e-8)


def test_an_equilibrium_beyond_the_end_is_refused():
    """A spring of k along the slope sags by m g sin / k = 2 9.81 0.6 / 20 = 0.5886 m, from 1 m to 1.5886 m."""

    def spring(body):
        return fb.SpringDamper(
            "spring", fb.GROUND, body, stiffness=20.0, free_length=2.0, first_point=-1.0 * ALONG
        )

    with pytest.raises(
        fem.ConvergenceError, match=r"'path' is 0.5886 m, and the line goes from -1 to 0.25 m"
    ):
        fb.equilibrium(trolley(1.0, forces=[spring]))


def test_drives_that_leave_the_line_are_told():
    """0.3 m/s from 0.5 m on reach 1.25 m after 2.5 s; the motion up to there is kept."""
    machine = trolley(0.5, joints=[lambda rail: fb.Drive("drive", rail, which="path", rate=0.3)])
    with pytest.raises(
        fem.ConvergenceError, match=r"the motion stops before t = 2.6 s: .* has left the end"
    ) as told:
        fb.kinematics(machine, 4.0, output_step=0.2, show_progress=False)
    found = told.value.result
    assert found.t[-1] == pytest.approx(2.4)
    np.testing.assert_allclose(found.position("trolley")[-1], 1.22 * ALONG, atol=1e-9)
