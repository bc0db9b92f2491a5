"""Drives whose functions jump: never met at the opposite angle, and named with time and size."""

import sys
import warnings

import numpy as np
import pytest
from support.hinged import bar, hinge

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.drive_errors import opposite_row
from flexbody.functions.jumps import find_jump

T_JUMP = 0.3

INTEGRATORS = {
    "alpha": None,
    "alpha, fixed": fb.GeneralizedAlpha(step=0.01),
    "index 3": fb.GeneralizedAlpha(step=0.01, index=3),
    "explicit": fb.Explicit(),
    "explicit, fixed": fb.Explicit(step=0.01),
    "scipy": fb.SciPy(rtol=1e-6),
    "sundials": fb.Sundials(rtol=1e-6),
}


def step(size, slope=2.0):
    """A function that jumps, with the derivatives that it has elsewhere; called back, which compiles nothing."""
    value = {"slope": slope, "size": size}
    return {
        "value": lambda t: value["slope"] * t + (value["size"] if t >= T_JUMP else 0.0),
        "velocity": lambda t: value["slope"],
        "acceleration": lambda t: 0.0 * value["slope"],
    }


def driven(size, **options):
    body = bar()
    joint = hinge(body)
    return fb.System([body], [joint, fb.Drive("main", joint, **(step(size) | options))])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_large_jump_ends_the_run(integrator):
    """The run up to it is kept, with the angle that the drive gives."""
    size = 2.1 if "fixed" in integrator else -2.9
    with pytest.raises(fb.ConvergenceError, match="drive 'main' jumps") as caught:
        fb.simulate(driven(size), 1.0, integrator=INTEGRATORS[integrator], output_step=0.01)
    text = str(caught.value)
    assert f"drive 'main' jumps by {abs(size)} rad at t = 0.3 s; give a continuous function" in text
    result = caught.value.result
    assert 0.25 < result.t[-1] <= T_JUMP
    np.testing.assert_allclose(result.coordinate("main"), 2.0 * result.t, atol=1e-6)


def test_no_energy_is_told_as_lost_at_a_jump():
    """Of a value alone, rates are differences over the jump: what they change in the energy is no loss."""
    machine = driven(1.0, velocity=None, acceleration=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(fb.ConvergenceError, match="drive 'main' jumps by 1 rad") as caught:
            fb.simulate(machine, 1.0)
    assert caught.value.result.energy.balance_error > 0.05  # it would be told


@pytest.mark.parametrize("integrator", [name for name in INTEGRATORS if name != "index 3"])
def test_a_small_jump_is_followed_and_named(integrator):
    """(Index 3 answers it with an oscillation of the velocities that grows.)"""
    with pytest.warns(fb.FlexbodyWarning, match="drive 'main' jumps") as told:
        run = fb.simulate(driven(0.05), 1.0, integrator=INTEGRATORS[integrator], output_step=0.01)
    assert [str(w.message).partition(":")[0] for w in told] == ["drive 'main' jumps by 0.05 rad at t = 0.3 s"]
    np.testing.assert_allclose(run.coordinate("main")[-1], 2.05, atol=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_does_not_jump(integrator):
    """A quick smooth swing, with a jump by a whole turn, which leaves a hinge where it is."""
    body = bar()
    joint = hinge(body)
    quick = {
        "value": lambda t: 2.0 * np.sin(9.0 * t) + (2 * np.pi if t >= T_JUMP else 0.0),
        "velocity": lambda t: 18.0 * np.cos(9.0 * t),
        "acceleration": lambda t: -162.0 * np.sin(9.0 * t),
    }
    machine = fb.System([body], [joint, fb.Drive("main", joint, **quick)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        run = fb.simulate(machine, 0.6, integrator=INTEGRATORS[integrator], output_step=0.1)
    np.testing.assert_allclose(run.coordinate("main"), 2.0 * np.sin(9.0 * run.t), atol=1e-4)


def test_a_function_without_derivatives():
    """Differences make an endless rate of the jump."""
    given = {"velocity": None, "acceleration": None}
    with pytest.raises(fb.ConvergenceError, match=r"drive 'main' jumps by 2\.1 rad at t = 0\.3 s") as caught:
        fb.simulate(driven(2.1, **given), 1.0)
    assert caught.value.result.t[-1] <= T_JUMP


def test_a_slide_that_jumps():
    body = fb.RigidBody("block", 1.0, (1, 1, 1))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    given = step(0.2)
    drive = fb.Drive("push", rail, **given)
    with pytest.warns(fb.FlexbodyWarning, match=r"drive 'push' jumps by 0\.2 m at t = 0\.3 s"):
        fb.simulate(fb.System([body], [rail, drive]), 1.0)


def test_an_angle_of_a_spherical_joint():
    """Driven by the angle as it is counted, not by a sine; a jump beyond half a turn can't be followed."""
    body = bar()
    joint = fb.Spherical("ball", fb.GROUND, body, point=(0, 0, 0))
    for size, ends in ((0.05, False), (5.0, True)):
        drives = [fb.Drive(which, joint, value=0.0, which=which) for which in ("angle_x", "angle_y")]
        given = step(size)
        drives.append(fb.Drive("main", joint, which="angle_z", **given))
        machine = fb.System([body], [joint, *drives])
        where = rf"drive 'main' jumps by {size:g} rad at t = 0\.3 s"
        with (
            pytest.raises(fb.ConvergenceError, match=where)
            if ends
            else pytest.warns(fb.FlexbodyWarning, match=where)
        ):
            fb.simulate(machine, 1.0)


def test_stepping_from_outside():
    sim = fb.Stepper(driven(2.1), horizon=0.2)
    sim.advance(0.25)
    with pytest.raises(fb.ConvergenceError, match=r"drive 'main' jumps by 2\.1 rad at t = 0\.3 s") as caught:
        sim.advance(0.25)
    np.testing.assert_allclose(caught.value.result.t, [0.0, 0.25])
    sim = fb.Stepper(driven(0.05), horizon=0.2)
    with pytest.warns(fb.FlexbodyWarning, match=r"drive 'main' jumps by 0\.05 rad at t = 0\.3 s"):
        sim.advance(0.5)


class TestKinematics:
    @pytest.mark.parametrize("size", [0.3, np.pi])
    def test_jumps(self, size):
        """Positions must follow without a break: however small the jump."""
        with pytest.raises(
            fb.ConvergenceError, match=rf"drive 'main' jumps by {size:.3g} rad at t = 0\.3 s"
        ) as caught:
            fb.kinematics(driven(size), 1.0)
        result = caught.value.result
        assert 0.29 < result.t[-1] <= T_JUMP
        np.testing.assert_allclose(result.coordinate("main"), 2.0 * result.t, atol=1e-9)

    def test_a_jump_that_passes(self):
        """Below what a step's own motion tells from an error."""
        with pytest.warns(fb.FlexbodyWarning, match=r"drive 'main' jumps by 0\.002 rad at t = 0\.3 s"):
            run = fb.kinematics(driven(2e-3), 1.0, output_step=0.1)
        np.testing.assert_allclose(run.coordinate("main")[-1], 2.002, atol=1e-9)

    def test_a_path_that_leads_nowhere(self, monkeypatch):
        """As many steps as are left to it, then an error."""
        monkeypatch.setattr(sys.modules["flexbody.analyses.kinematics"], "MAX_TRIES", 50)
        fast = {"value": lambda t: np.sin(1e4 * t), "velocity": None, "acceleration": None}
        with pytest.raises(
            fb.ConvergenceError, match=r"takes more than 50 steps from one output to the next"
        ):
            fb.kinematics(driven(0.0, **fast), 1.0, output_step=0.5)


def test_the_opposite_angle_is_no_equilibrium():
    """Both roots meet the sine of what is missing; a search that has come to the other one ends."""
    from flexbody.analyses.equilibrium import _Search
    from flexbody.equations.state import drawn_state, place_state

    machine = driven(0.0)
    plan = make_plan(machine, 1.0)
    state, W = drawn_state(plan), plan.work()
    state.q[0] = 0.0, 0.0, 0.0, 1.0
    state.c[0] *= -1
    place_state(plan, W, state)
    assert abs(W.phi).max() < 1e-12
    assert opposite_row(plan.layout, W) == plan.n_rows - 1
    search = _Search(plan, W, np.zeros(3), np.zeros(3), state, 50)
    search.go(1.0)
    with pytest.raises(fb.ConvergenceError, match="led to the angle opposite to that of drive 'main'"):
        search.state()


class TestLookingForJumps:
    @pytest.mark.parametrize("at", [0.1234567, 0.5, 0.999, 1.0])
    @pytest.mark.parametrize("size", [3.0, -1e-3])
    def test_found_among_smooth_motion(self, at, size):
        """Large ones in a whole run, small ones in a step."""
        first, last = (0.0, 1.0) if size > 1 else (at - 0.007, at + 0.01 * (at < 1))
        found = find_jump(lambda t: np.sin(20 * t) + 5 * t**2 + (size if t >= at else 0.0), first, last, 1e-5)
        assert found is not None
        np.testing.assert_allclose(found, (at, size), rtol=1e-9)

    @pytest.mark.parametrize(
        "function",
        [
            lambda t: np.sin(300 * t),
            lambda t: abs(t - 0.3),
            lambda t: np.tanh(1e5 * (t - 0.4)),
            lambda t: 0.0,
        ],
    )
    def test_not_found_in_what_is_continuous(self, function):
        """Fast, with a kink, steep."""
        assert find_jump(function, 0.0, 1.0, 1e-5) is None

    def test_whole_turns(self):
        assert find_jump(lambda t: (20 * t) % (2 * np.pi), 0.0, 1.0, 1e-5, 2 * np.pi) is None
        assert find_jump(lambda t: (20 * t) % (2 * np.pi), 0.0, 1.0, 1e-5) is not None
