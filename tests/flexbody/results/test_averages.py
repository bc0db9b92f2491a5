"""Means over a period leave out what vibrates faster, and are those of the slow motion."""

import numpy as np
import pytest
from reference import pendulum

import flexbody as fb
from flexbody.results.averages import averaged

P = 0.02


@pytest.mark.parametrize("periods", [1.0, 4 / 3, 5 / 3, 1.15, 3.3, 0.9, 0.1])
def test_what_is_left_of_a_vibration(periods):
    """Blackman's weights (Harris 1978, V.B) are 0.42 and two cosines, of one and two periods in 3 P: of x periods in P
    they leave a sum of sin(y) / y about 3 x, nothing where 3 x is a whole number from three on."""
    t = np.linspace(0.0, 0.2, 2001)
    about = ((0.42, 0), (0.25, 1), (0.25, -1), (0.04, 2), (0.04, -2))
    left = sum(a * np.sinc(3 * periods + k) for a, k in about) / 0.42
    means = averaged(t, 7.0 + np.cos(2 * np.pi * periods * (t - 0.1) / P), P)
    # the trapezoidal rule with 600 intervals is nearly exact for what begins and ends with a slope of zero
    assert means[1000] == pytest.approx(7.0 + left, abs=1e-6)
    assert np.isnan(means).sum() == 2 * 300
    assert abs(means[300:-300] - 7.0).max() <= abs(left) + 1e-6


def test_times_that_are_not_even():
    """Each time counts with its share of the run: times that are stored twice, and more of them in one place."""
    t = np.sort(np.concatenate([np.linspace(0.0, 0.2, 1001), np.linspace(0.09, 0.1, 400), [0.05, 0.05]]))
    vibration = np.column_stack([np.sin(2 * np.pi * t / P), 3.0 + np.sin(2 * np.pi * t / P)])
    means = averaged(t, vibration, P)
    ok = ~np.isnan(means[:, 0])
    np.testing.assert_allclose(means[ok], np.broadcast_to([0.0, 3.0], means[ok].shape), atol=1e-3)


@pytest.mark.filterwarnings(
    "ignore::flexbody.FlexbodyWarning"
)  # it tells that the mounts' vibrations are lost
def test_means_of_a_reaction_are_those_of_the_rigid_machine():
    """An arm and two weights, one on the other on undamped mounts, turn over the top as a pendulum. They begin without
    the stretch of the mounts: 98 and 258 Hz ring by as much as the load, and a run by default loses their phase.

    The stretch, m v^2 / k / l, is 3e-4 of the radius, and a mean over a period blunts the reaction, of 1.6 Hz and its
    multiples, by 1e-3 of itself. The largest reaction is 3 m v^2.
    """
    rate, k, masses = 10.0, 1e6, (0.5, 1.0, 1.0)
    bodies = [
        fb.RigidBody(
            f"weight {i}", mass, (1e-6,) * 3, center=(0, -1.0, 0),
            velocity=(rate, 0, 0), angular_velocity=(0, 0, rate),
        )
        for i, mass in enumerate(masses)
    ]  # fmt: skip
    mounts = [
        fb.Bushing(f"mount {i}", *bodies[i : i + 2], point=(0, -1.0, 0), stiffness=(k,) * 6) for i in (0, 1)
    ]
    hinge = fb.Revolute("hinge", fb.GROUND, bodies[0], point=(0, 0, 0), axis="z")
    machine = fb.System(bodies, [hinge], mounts, gravity=(0, -pendulum.GRAVITY, 0))
    squares = np.linalg.eigvalsh([[2 * k, -k], [-k, k]])  # weights of 1 kg on an arm that is held
    period = 2 * np.pi / np.sqrt(squares[0])
    result = fb.simulate(machine, 0.5, output_step=period / 10, show_progress=False)
    force = result.reaction(hinge).force[:, :2]
    theta, speed = pendulum.over_the_top(result.t, rate)
    along, across = ((np.sin(theta), -np.cos(theta)), (np.cos(theta), np.sin(theta)))
    g = pendulum.GRAVITY
    rigid = sum(masses) * (
        np.column_stack([0 * theta, g + 0 * theta])
        - np.column_stack(along) * speed[:, None] ** 2
        - np.column_stack(across) * g * np.sin(theta)[:, None]
    )
    top = np.linalg.norm(rigid, axis=1).max()
    assert np.linalg.norm(force - rigid, axis=1).max() > 0.5 * top
    error = np.linalg.norm(result.averaged(force, over=period) - rigid, axis=1) / top
    assert np.nanmax(error) < 0.01


@pytest.fixture(scope="module")
def short():
    """A pendulum at 11 times in 0.1 s."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    return fb.kinematics(
        fb.System([bar], [hinge, fb.Drive("motor", hinge, rate=1.0)]),
        0.1,
        output_step=0.01,
        show_progress=False,
    )


@pytest.mark.parametrize(
    ("over", "message"),
    [
        (0.04, r"last 0.1 s; a mean over 0.04 s takes 3 such periods"),
        (0.032, r"up to 0.01 s apart; .* at least 8 .* output_step=0.004 or less"),
    ],
)
def test_times_that_do_not_serve(short, over, message):
    with pytest.raises(fb.InputError, match=message):
        short.averaged(short.t, over=over)


def test_values_at_other_times(short):
    with pytest.raises(fb.InputError, match=r"shape \(3,\) are no values at the 11 stored times"):
        short.averaged(short.t[:3], over=0.03)
