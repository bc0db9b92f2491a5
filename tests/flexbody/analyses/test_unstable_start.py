"""Quasi-static starts beyond a buckling load or a critical speed: the number of unstable directions, closed forms."""

import re
import warnings

import numpy as np
import pytest
from support.frames import line

import fem
import flexbody as fb
import modal

LENGTH, RADIUS, E, RHO = 1.0, 0.005, 2e11, 7850.0
STIFFNESS, PER_LENGTH = E * np.pi * RADIUS**4 / 4, RHO * np.pi * RADIUS**2


@pytest.fixture(scope="module")
def column():
    steel = fem.Isotropic(E=E, nu=0.3, rho=RHO)
    structure = fem.assemble(line([(0, 0, 0), (LENGTH, 0, 0)], 8), fem.Beam(steel, fem.Circle(2 * RADIUS)))
    return modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))


def unstable(machine: fb.System) -> tuple[str, int]:
    """The warning of a start, and the number of directions in it."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fb.simulate(machine, 1e-4, start=fb.QuasiStatic(), output_step=1e-4, show_progress=False)
    found = [str(one.message) for one in told if "negative stiffness" in str(one.message)]
    assert len(found) <= 1
    return (found[0], int(re.search(r"has (\d+) direction", found[0])[1])) if found else ("", 0)


@pytest.mark.parametrize(("part", "number"), [(0.5, 0), (0.95, 0), (1.05, 2), (8.5, 2), (9.5, 4)])
def test_a_clamped_column(column, part, number):
    """Euler: it buckles at (2 k - 1)^2 pi^2 EI / (4 L^2), in two directions each."""
    load = part * np.pi**2 * STIFFNESS / (4 * LENGTH**2)
    body = fb.FlexibleBody("column", column, place={"start": (0, 0, 0), "end": (LENGTH, 0, 0)})
    force = fb.PointForce("press", body["end"], (-load, 0, 0))
    text, found = unstable(fb.System([body], [fb.Fixed("clamp", fb.GROUND, body["start"])], [force]))
    assert found == number
    assert ("'column'" in text) == (number > 0)


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_a_rotor_at_a_critical_speed(column, part):
    """A clamped shaft: 3.516 (EI / (m L^4))^(1/2), the next one at 6.3 times that. Without gravity it is straight."""
    speed = part * 3.51602 * np.sqrt(STIFFNESS / (PER_LENGTH * LENGTH**4))
    place = {"start": (0, 0, 0), "end": (LENGTH, 0, 0)}
    shaft = fb.FlexibleBody("shaft", column, place=place, angular_velocity=(speed, 0, 0))
    text, found = unstable(fb.System([shaft], [fb.Revolute("seat", fb.GROUND, shaft["start"], axis="x")]))
    assert found == (0 if part < 1 else 2)
    assert ("critical" in text) == (part > 1)


def test_a_machine_that_may_fall_is_no_unstable_deformation(column):
    """An upright rod on a hinge falls as a rigid body."""
    rod = fb.FlexibleBody("rod", column, place={"start": (0, 0, 0), "end": (0, 0, LENGTH)})
    hinge = fb.Revolute("hinge", fb.GROUND, rod["start"], axis="y")
    assert unstable(fb.System([rod], [hinge], gravity=(0, 0, -9.81))) == ("", 0)
