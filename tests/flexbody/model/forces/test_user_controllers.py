"""Continuous controllers in Python, Sol (1983) 3.5: user laws of any number of places, with states."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

import flexbody as fb

#: moment of inertia of the pendulum about its hinge, and its restoring moment at a right angle
J, MGS = 0.12, 0.3 * 9.81
EXACT = fb.Explicit(1e-10)

bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0, 0, -0.3))
hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
angle = fb.Along(hinge)


def pendulum(law, **options) -> fb.System:
    given = dict(measured=[angle, fb.Rate(angle)], acts_on=angle, target=[0.4, -0.1]) | options
    return fb.System([bar], [hinge], [fb.Controller("servo", law=law, **given)], gravity=(0, 0, -9.81))


def run(machine: fb.System, t_end: float, integrator=EXACT, **options) -> fb.Result:
    return fb.simulate(machine, t_end, integrator=integrator, show_progress=False, **options)


def spring(t, e, x):
    """Return the moment of a spring behind a damper, which hardens, and the rate of the damper's angle."""
    stretch = e[0] - x[0]
    return 9 * stretch + 4 * stretch**3 + 0.7 * e[1], 8 * stretch


def called_back(t, e, x):
    """Return the same; a function that compares is called back."""
    return spring(t, e, x) if t >= 0 else None


def rates(t, y):
    moment, slope = spring(t, [0.4 - y[0], -0.1 - y[1]], y[2:])
    return [y[1], (moment - MGS * np.sin(y[0])) / J, slope]


def solution(t_end: float) -> np.ndarray:
    solved = scipy.integrate.solve_ivp(
        rates, (0, t_end), [0, 0, 0.05], method="DOP853", rtol=1e-12, atol=1e-13
    )
    return solved.y[:, -1]


LAWS = {"recorded": fb.UserControl(spring, [0.05]), "called back": fb.UserControl(called_back, [0.05])}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("description", "integrator", "tolerance", "of_energy"),
    [
        (fb.Absolute(), EXACT, 1e-11, 1e-9),
        (fb.Relative(), EXACT, 1e-11, 1e-9),
        (fb.Relative(), fb.SciPy(scipy.integrate.BDF, rtol=1e-8), 1e-7, 1e-4),  # some times that of each step
        (fb.Absolute(), fb.GeneralizedAlpha(step=5e-4), 3e-6, 1e-4),  # order 2
    ],
)
def test_a_law_with_a_state_is_its_equations(law, description, integrator, tolerance, of_energy):
    result = run(pendulum(LAWS[law]), 0.5, integrator, description=description, output_step=0.1)
    expected = solution(0.5)
    history = result.element("servo")
    assert result.coordinate(hinge)[-1] == pytest.approx(expected[0], abs=tolerance)
    assert history["x1"][-1] == pytest.approx(expected[2], abs=20 * tolerance)
    moment, _ = spring(0.5, [0.4 - expected[0], -0.1 - result.coordinate_rate(hinge)[-1]], expected[2:])
    assert history.output[-1] == pytest.approx(moment, abs=300 * tolerance)
    # what it puts in is the change of the energy
    assert result.energy.balance_error < of_energy


@pytest.mark.parametrize("power", [lambda speed: speed**0.5, lambda speed: speed**0.5 if speed > 0 else 0.0])
def test_drag_in_a_plane_depends_on_two_velocities(power):
    """``dv/dt = -(c / m) v^2`` along the path: ``v = 1 / (1 / v_0 + c t / m)``."""
    puck = fb.RigidBody("puck", mass=0.2, inertia=(1e-4, 1e-4, 2e-4), velocity=(3.0, 4.0, 0))
    places = [fb.PointAlong(puck, (1, 0, 0)), fb.PointAlong(puck, (0, 1, 0))]
    drag = fb.UserControl(lambda t, e: 0.1 * power(e[0] ** 2 + e[1] ** 2) * e)
    air = fb.Controller("air", [fb.Rate(place) for place in places], drag, acts_on=places)
    result = run(fb.System([puck], forces=[air]), 1.0)
    np.testing.assert_allclose(result.velocity(puck)[-1], np.array([0.6, 0.8, 0]) / (0.2 + 0.5), atol=1e-11)
    # the forces on the puck are the outputs, at the same times
    np.testing.assert_allclose(0.2 * result.acceleration(puck)[:, :2], result.element(air).output, atol=1e-11)


def test_three_bodies_in_one_law_conserve_energy_and_momentum():
    """``U = k (x1 - 2 x2 + x3)^2 / 2`` of equal masses has the one frequency sqrt(6 k / m)."""
    bodies = [fb.RigidBody(f"body {k}", 1.5, (0.1, 0.1, 0.1), center=(k, 0, 0)) for k in range(3)]
    bodies[0] = replace(bodies[0], velocity=(0.6, 0, 0))
    places = [fb.PointAlong(body, (1, 0, 0)) for body in bodies]
    arms = np.array([1.0, -2.0, 1.0])
    law = fb.UserControl(lambda t, e: 40.0 * (arms @ e) * arms)
    machine = fb.System(bodies, forces=[fb.Controller("beam", places, law, acts_on=places)])
    result = run(machine, 1.3, output_step=0.1)
    places_now = np.column_stack([result.position(body)[:, 0] for body in bodies])
    omega = np.sqrt(6 * 40.0 / 1.5)
    np.testing.assert_allclose(places_now @ arms, 0.6 * np.sin(omega * result.t) / omega, atol=1e-10)
    velocities = np.column_stack([result.velocity(body)[:, 0] for body in bodies])
    np.testing.assert_allclose(velocities.sum(axis=1), 0.6, atol=1e-12)


def test_it_holds_an_equilibrium_and_is_linearised():
    """At rest the damper has followed: nothing is left of the spring, so that an output of its state holds."""
    follow = fb.UserControl(lambda t, e, x: (40 * x[0] - x[1], [8 * (e[0] - x[0]), e[1] - x[1]]), [0.0, 0.0])
    machine = pendulum(follow, target=[0.5, 0.0])
    exact = scipy.optimize.brentq(lambda x: MGS * np.sin(x) - 40 * (0.5 - x), 0, 1, xtol=1e-14)
    assert fb.equilibrium(machine).result.coordinate(hinge)[0] == pytest.approx(exact, abs=1e-9)
    # y = (angle, rate, x1, x2) with the error of the rate -y[1], about the drawn configuration
    by_hand = np.array([[0, 1, 0, 0], [-MGS / J, 0, 40 / J, -1 / J], [-8, 0, -8, 0], [0, -1, 0, -1]])
    for description in (fb.Absolute(), fb.Relative()):
        A = fb.linearize(machine, fb.AsDrawn(), description=description).state_space(inputs=[]).A
        found, expected = (np.sort_complex(np.linalg.eigvals(matrix)) for matrix in (A, by_hand))
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_run_in_pieces_is_that_in_one(tmp_path):
    """A run that is continued, from memory and from a file, and a Stepper give the same as one run."""
    machine, path = pendulum(LAWS["recorded"]), tmp_path / "run.h5"
    whole = solution(0.5)[0]
    first = run(machine, 0.3, output_step=0.01, save=path)
    assert run(machine, 0.5, start=first).coordinate(hinge)[-1] == pytest.approx(whole, abs=1e-11)
    loaded = fb.load_result(path)
    for what in ("measured", "output", "state", "second"):
        found, expected = (getattr(result.element("servo"), what) for result in (loaded, first))
        np.testing.assert_allclose(found, expected, atol=1e-14, err_msg=what)
    assert run(machine, 0.5, start=loaded).coordinate(hinge)[-1] == pytest.approx(whole, abs=1e-11)
    with pytest.warns(fb.FlexbodyWarning, match="Controller 'servo' was read from a file"):
        run(loaded.system, 0.1)
    stepper = fb.Stepper(machine, integrator=EXACT)
    for _ in range(5):
        stepper.advance(0.1)
    assert stepper.coordinate(hinge) == pytest.approx(whole, abs=1e-11)


def test_the_outputs_of_a_law_without_states_are_stored(tmp_path):
    """Two outputs, of a run that was cut short, too: there the motion alone is stored."""
    puck = fb.RigidBody("puck", 1.0, (1, 1, 1), velocity=(1, 0, 0))
    places = [fb.PointAlong(puck, (1, 0, 0)), fb.PointAlong(puck, (0, 1, 0))]
    swirl = fb.UserControl(lambda t, e: (e[1], -e[0]) if t < 0.25 else 1 / 0)
    field = fb.Controller("field", [fb.Rate(place) for place in places], swirl, acts_on=places)
    with pytest.raises(
        fb.InputError, match=r"Controller 'field' at t = .*its law fails with ZeroDivision"
    ) as failure:
        run(fb.System([puck], forces=[field]), 1.0, output_step=0.1, save=tmp_path / "run.h5")
    result = failure.value.result
    # it goes round in a circle: m dv/dt = (-v_y, v_x)
    np.testing.assert_allclose(result.velocity(puck)[2], [np.cos(0.2), np.sin(0.2), 0], atol=1e-10)
    result.save(tmp_path / "whole.h5")
    loaded = fb.load_result(tmp_path / "whole.h5")
    np.testing.assert_array_equal(loaded.element("field").output, result.element("field").output)


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (
            fb.UserControl(lambda t, e: [1.0, 2.0]),
            r"must return 1 finite numbers; it returns \[1.0, 2.0\] for the errors \[0.4, -0.1\]",
        ),
        (fb.UserControl(lambda t, e: np.nan), "must return 1 finite numbers"),
        (fb.UserControl(lambda t, e, x: (0.0, [1.0, 2.0]), [0.0]), "it returns 2 states for 1"),
        (fb.UserControl(lambda t, e, x: (0.0, np.inf), [0.0]), r"the rates of its states are \[inf\]"),
        (fb.UserControl(lambda t, e: e[2]), "fails with IndexError"),
    ],
)  # fmt: skip
def test_functions_that_fail_are_named(law, words):
    with pytest.raises(fb.InputError, match=f"Controller 'servo' at t = 0 s.*{words}"):
        run(pendulum(law), 0.1)


@pytest.mark.parametrize("compared", [False, True], ids=["recorded", "called back"])
def test_numpy_adds_no_warnings_to_the_error_of_a_law(compared, recwarn):
    """The moment drives the pendulum to where its square root has no value."""

    def moment(t, e):
        return 1 + np.sqrt(e[0] - 0.3) + np.arctan2(e[0], 1.0) if not compared or t >= 0 else 0.0

    with pytest.raises(fb.InputError, match=r"'servo'.*nan"):
        run(pendulum(fb.UserControl(moment)), 1.0)
    assert not recwarn.list
