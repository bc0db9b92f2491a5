"""Rotors whose carriers move far: they whirl beside these as they do on a carrier at rest."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.core.rotation import matrices

MASS, ECCENTRICITY, STIFFNESS, DAMPING, LEVER = 1.0, 1e-4, 2e4, 50.0, 0.5
CRITICAL = np.sqrt(2 * STIFFNESS / MASS)  # rad/s


def carried(motion="at rest", part=1.0):
    """Return a machine: a rotor about z in bushings at the end of an arm, which slides or turns steadily."""
    turn, slide = (2.5 if motion == "turns" else 0.0), (3.0 if motion == "slides" else 0.0)
    whirl, speed = part * CRITICAL, part * CRITICAL * ECCENTRICITY
    arm = fb.RigidBody(
        "arm", 10.0, (0.5,) * 3, center=(0, 0, 0), velocity=(slide, 0, 0), angular_velocity=(0, 0, turn)
    )
    disc = fb.RigidBody(
        "disc", MASS, (2.5e-3, 2.5e-3, 5e-3), center=(LEVER + ECCENTRICITY, 0, 0),
        velocity=(slide, turn * LEVER + speed, 0), angular_velocity=(0, 0, whirl),
    )  # fmt: skip
    bearings = [
        fb.Bushing(f"bearing {z}", arm, disc, point=(LEVER, 0, z),
                   stiffness=(STIFFNESS, STIFFNESS, 1e6, 0, 0, 0), damping=(DAMPING, DAMPING, 100.0, 0, 0, 0))
        for z in (-0.1, 0.1)
    ]  # fmt: skip
    if motion == "turns":
        guide = fb.Revolute("guide", fb.GROUND, arm, point=(0, 0, 0), axis="z")
    else:
        guide = fb.Prismatic("guide", fb.GROUND, arm, point=(0, 0, 0), axis="x")
    return fb.System([arm, disc], [guide, fb.Drive("drive", guide, rate=turn or slide)], bearings)


def beside_arm(result):
    """Return where the disc's centre of mass is beside its place on the arm, x + i y (nt,), m."""
    Q = matrices(result.q[:, 0])
    place = np.einsum("tji,tj->ti", Q, result.position("disc") - result.position("arm"))
    return place[:, 0] - LEVER + 1j * place[:, 1]


@pytest.mark.filterwarnings("ignore::flexbody.FlexbodyWarning")
@pytest.mark.parametrize("part", [1.0, 1.3])
def test_the_whirl_on_an_arm_that_slides_or_turns(part):
    """A Laval rotor whose springs and dampers turn with p, and the disc with W: its price is that on an arm at rest.

    m z'' + c (z' - i p z) + k (z - l exp(i p t)) = 0 of the centre of mass at z + e exp(i W t), with k and c of both
    bearings, is solved by z = m p^2 l / (k - m p^2) exp(i p t) + (l + u exp(i W t - i p t)) exp(i p t), in which
    u = m e W^2 / (k - m W^2 + i c (W - p)).
    """
    steps, implicit = {}, fb.GeneralizedAlpha()
    for motion in ("at rest", "slides", "turns"):
        machine = carried(motion, part)
        result = fb.simulate(machine, 0.4, integrator=implicit, output_step=0.01, show_progress=False)
        steps[motion] = result.statistics.steps
        late = result.t > 0.3  # (transients: exp(-50 t))
        W, p = result.angular_velocity("disc")[late, 2], 2.5 if motion == "turns" else 0.0
        k, c = 2 * STIFFNESS, 2 * DAMPING
        pulled = MASS * p**2 * LEVER / (k - MASS * p**2)
        expected = ECCENTRICITY * abs(k + 1j * c * (W - p)) / abs(k - MASS * W**2 + 1j * c * (W - p))
        np.testing.assert_allclose(abs(beside_arm(result)[late] - pulled), expected, rtol=0.01)
    assert max(steps.values()) < 1.2 * steps["at rest"]


@pytest.mark.filterwarnings("ignore::flexbody.FlexbodyWarning")  # the start shakes the axle
def test_a_wheel_that_rolls_on_a_stiff_axle_has_no_whirl_to_follow():
    """Bearings of 290 Hz beside 10 Hz: fewer than 25 steps for each turn of the wheel; it turns as it rolls."""
    radius, speed = 0.3, 20.0
    car = fb.RigidBody("car", 250.0, (100.0, 400.0, 400.0), center=(0, 0, 0.5), velocity=(speed, 0, 0))
    wheel = fb.RigidBody(
        "wheel", 15.0, (0.4, 0.7, 0.4), center=(0, 0, radius),
        velocity=(speed, 0, 0), angular_velocity=(0, speed / radius, 0),
    )  # fmt: skip
    hold = fb.Planar("hold", fb.GROUND, car, point=(0, 0, 0.5), axis="y")
    tyre = fb.Rolling(
        "tyre", fb.Plane(fb.GROUND, normal="z", point=(0, 0, 0)), fb.Wheel(wheel, radius=radius, axis="y")
    )
    axle = fb.Bushing("axle", car, wheel, point=(0, 0, radius),
                      stiffness=(5e7, 5e7, 5e7, 1e5, 0, 1e5), damping=(1e3, 1e3, 1e3, 50.0, 0, 50.0))  # fmt: skip
    wind = fb.PointForce("wind", car, lambda t: (500.0 * np.sin(3.0 * t), 0.0, 0.0))
    machine = fb.System([car, wheel], [hold, tyre], [axle, wind], gravity=(0, 0, -9.81))
    result = fb.simulate(
        machine, 5.0, integrator=fb.GeneralizedAlpha(), output_step=0.05, show_progress=False
    )
    turns = np.ptp(result.position("wheel")[:, 0]) / (2 * np.pi * radius)
    assert turns > 50
    assert result.statistics.steps < 25 * turns
