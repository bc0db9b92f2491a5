"""Angles over many turns: at coarse output, in restarts, and on the way to an equilibrium."""

import contextlib

import numpy as np
import pytest

import flexbody as fb


def spinning(output_step):
    """A wheel on a soft spiral spring, driven up to 100 rad/s."""
    wheel = fb.RigidBody("wheel", 1.0, (0.02, 0.02, 0.03))
    hinge = fb.Revolute("hinge", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    spring = fb.ForceElement("spring", fb.Along(hinge), fb.SpringTable((-1e3, 0.0, 1e3), (-10.0, 0.0, 10.0)))
    drive = fb.Drive("drive", hinge, angle=lambda t: 25.0 * t**2)
    machine = fb.System([wheel], [hinge, drive], [spring])
    return fb.simulate(machine, 2.0, output_step=output_step)


@pytest.mark.parametrize("output_step", [0.01, 0.1, 0.4])
def test_springs_follow_drives_over_turns(output_step):
    """The spring's deformation is the angle; its energy k angle^2 / 2, whatever is stored in between."""
    doubtful = output_step > 0.2  # 20 rad/s more from one to the next: whole turns are only just counted
    expected = pytest.warns(fb.FlexbodyWarning, match="revolute joint 'hinge': its rate goes from")
    with expected if doubtful else contextlib.nullcontext():
        found = spinning(output_step)
    angle = 25.0 * found.t**2
    np.testing.assert_allclose(found.coordinate("hinge"), angle, atol=1e-6)
    np.testing.assert_allclose(found.element("spring").deformation, angle, atol=1e-6)
    np.testing.assert_allclose(found.energy.strain, 0.5 * 0.01 * angle**2, atol=1e-6)


@pytest.mark.parametrize("ratio", [1.0, 3.0, 10.0])
def test_a_gear_turns_on_the_way_to_equilibrium(ratio):
    """An arm drawn level hangs down in the end, its shaft turned by ratio times a quarter turn."""
    arm = fb.RigidBody("arm", 1.0, (0.01, 0.08, 0.08), center=(0.5, 0, 0))
    shaft = fb.RigidBody("shaft", 0.1, (1e-4, 1e-4, 1e-4), center=(-0.1, 0, 0.05))
    hinge = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    other = fb.Revolute("other", fb.GROUND, shaft, point=(-0.1, 0, 0.05), axis="y")
    machine = fb.System(
        [arm, shaft], [hinge, other, fb.Gear("gear", other, hinge, ratio=ratio)], gravity=(0, 0, -9.81)
    )
    state = fb.equilibrium(machine)
    np.testing.assert_allclose(state.position(arm), (0, 0, -0.5), atol=1e-9)
    # and a run from there stays
    run = fb.simulate(machine, 0.1, start=state)
    np.testing.assert_allclose(run.position(arm)[-1], (0, 0, -0.5), atol=1e-7)
