"""Contacts too stiff to be resolved are refused; just below the limit a bouncing ball keeps its closed form."""

import warnings

import numpy as np
import pytest

import fem
import flexbody as fb

G, DROP, R = 9.81, 0.1, 0.1


def ball(stiffness, exponent):
    body = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, R + DROP))
    floor = fb.Contact(
        "floor", fb.Plane(fb.GROUND), fb.Sphere(body, R), stiffness=stiffness, exponent=exponent
    )
    return fb.System([body], forces=[floor], gravity=(0, 0, -G))


@pytest.mark.parametrize(("stiffness", "exponent"), [(1e23, 1.5), (1e30, 1.5), (1e18, 1.0), (1e22, 1.0)])
def test_what_steps_can_not_resolve_is_named(stiffness, exponent):
    with pytest.raises(
        fem.InputError, match=r"Contact 'floor': stiffness is 1e\+\d+, and the energies .* Give at most"
    ):
        fb.simulate(ball(stiffness, exponent), 0.1, show_progress=False)


@pytest.mark.parametrize("part", [0.2, 0.3])
@pytest.mark.parametrize(("stiffness", "exponent"), [(1e20, 1.5), (1e16, 1.0), (1e14, 1.0)])
def test_what_they_can_resolve_bounces(stiffness, exponent, part):
    """Free falls from the drop's height: the contact lasts for 1e-7 of one, of which steps are a hundredth."""
    fall = np.sqrt(2 * DROP / G)
    result = fb.simulate(ball(stiffness, exponent), (3 + part) * fall, show_progress=False)
    late = part * fall  # after the second bounce
    height = np.sqrt(2 * G * DROP) * late - 0.5 * G * late**2
    # each of some 350 steps of a contact may be off by 1e-6 of the way
    assert result.position("ball")[-1, 2] - R == pytest.approx(height, abs=5e-4 * DROP)
    assert result.energy.balance_error < 1e-3


@pytest.mark.parametrize(
    ("stiffness", "speed", "gravity"), [(1e5, 1e-6, 0.0), (1e9, 1e-6, 0.0), (1e7, 0.0, 1e-9)]
)
def test_slow_bodies_bounce_on_contacts_that_they_hardly_press_in(stiffness, speed, gravity):
    """The way is the speed times the time here, not the size of the machine; an elastic rebound keeps the speed."""
    gap = 1e-6
    body = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, R + gap), velocity=(0, 0, -speed))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(body, R), stiffness=stiffness, exponent=1.0)
    machine = fb.System([body], forces=[floor], gravity=(0, 0, -gravity))
    t_end = 4 * gap / speed if speed else 2 * np.sqrt(2 * gap / gravity)  # gravity: back at the drop's height
    result = fb.simulate(machine, t_end, show_progress=False)
    late = 3 * gap - speed * np.pi / np.sqrt(stiffness)  # the contact lasts for half a period
    assert result.position("ball")[-1, 2] - R == pytest.approx(late if speed else gap, abs=1e-3 * gap)


def test_a_negative_stiffness_of_a_contact_has_no_table():
    with pytest.raises(fem.InputError, match=r"stiffness is -1; it must be a number above zero$"):
        ball(-1, 1.5)


@pytest.mark.parametrize(
    ("ends", "force"),
    [
        ({"lower": 0.5}, "3.54e+04 N m"),
        ({"upper": -0.2}, "8.94e+03 N m"),
        ({"lower": 0.01, "upper": 2.0}, None),
    ],
)
def test_a_stop_that_leaves_out_the_drawn_position_is_told(ends, force):
    """1e5 N m 0.5^1.5 and 0.2^1.5; a preload by a hundredth of a radian is meant."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    stop = fb.Limit("stop", hinge, stiffness=1e5, dissipation=0.1, **ends)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        fb.simulate(fb.System([bar], [hinge], [stop]), 1e-3, show_progress=False)
    told = [str(one.message) for one in found if "lies outside" in str(one.message)]
    assert len(told) == (force is not None)
    assert all(f"begins with {force}" in one for one in told)
