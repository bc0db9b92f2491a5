"""Mechanisms with known answers: values at the end, error control, singular positions, redundancy."""

import warnings

import numpy as np
import pytest
from reference import andrews, four_bar, heavy_top, ivp_crank, machines, pendulum
from scipy.optimize import brentq
from support import cases

import flexbody as fb

TOLERANCES = (1e-3, 1e-4, 1e-5)


def simulate(system, t_end, **options):
    output_step = options.pop("output_step", None)
    return fb.simulate(
        system, t_end, integrator=fb.GeneralizedAlpha(**options), output_step=output_step, show_progress=False
    )


@pytest.mark.parametrize(
    "make", [cases.swinging, cases.top, cases.free_body, pytest.param(cases.squeezer, marks=pytest.mark.slow)]
)
def test_error_follows_the_tolerance(make):
    """Positions, velocities and reactions all get better with every tenfold smaller rtol.

    rtol bounds the error that a step adds over the distance moved, so the error goes with h^2 as rtol does: ten
    per decade, of which a third is demanded at each, since steps follow output times and a maximum too.
    """
    case = make()
    found = [case.errors(case.run(rtol=rtol)) for rtol in TOLERANCES]
    for quantity in found[0]:
        errors = [e[quantity] for e in found]
        assert errors[1] < errors[0] / 3, quantity
        assert errors[2] < errors[1] / 3, quantity
    # positions travel about their own size in these runs, so that their error is rtol times a growth of errors
    # that is 1 for a stable motion; 10 is left for it and for steps that are estimated after the fact
    for rtol, e in zip(TOLERANCES, found, strict=True):
        assert e["position"] < 10 * rtol


class TestPendulum:
    def test_position_at_ten_seconds(self):
        """Exact (elliptic functions). The phase error grows with time: four swings, each worth 4 rtol of path."""
        system, read = machines.pendulum_machine()
        end = read(simulate(system, 10.0, rtol=1e-6))["position"][-1]
        np.testing.assert_allclose(end, pendulum.POSITION_10, atol=5e-5)

    @pytest.mark.parametrize("rtol", TOLERANCES)
    def test_steps_do_not_collapse(self, rtol):
        """Error control takes about the steps that the exact motion asks for.

        A step h adds ``C h^3 |jerk|`` and may add ``rtol h v_max`` (mass-weighted; C from the coefficients of the
        method): so ``h = sqrt(rtol v_max / C |jerk|)``, 0.9 of it for safety, no longer than an output interval.
        Twice the number that follows is allowed, against thousands where the step collapses.
        """
        system, _ = machines.pendulum_machine()
        result = simulate(system, 10.0, rtol=rtol)
        wanted = _steps_of_the_exact_swing(rtol, 10.0, 10.0 / 500)
        assert 0.6 * wanted < result.statistics.steps < 2 * wanted
        assert result.statistics.rejected < 0.05 * result.statistics.steps


def _steps_of_the_exact_swing(rtol: float, t_end: float, longest: float) -> float:
    """Number of steps of the pendulum bar with the largest allowed error in each."""
    t = np.linspace(0, t_end, 20001)
    theta, rate = pendulum.swing(t)
    second = -pendulum.GRAVITY * np.sin(theta)
    third = -pendulum.GRAVITY * np.cos(theta) * rate
    # centre at half a metre, moment of inertia 1/4 kg m^2: rigid norm squared = |c|^2 + omega^2 / 4 per kg
    across, along = 0.5 * (third - rate**3), 0.5 * 3 * rate * second
    jerk = np.sqrt(across**2 + along**2 + 0.25 * third**2)
    speed = np.sqrt(0.5) * np.maximum.accumulate(np.abs(rate))
    *_, constant = fb.GeneralizedAlpha().coefficients()
    h = 0.9 * np.sqrt(rtol * np.maximum(speed, 1e-3) / (constant * np.maximum(jerk, 1e-9)))
    return float(np.trapezoid(1 / np.minimum(h, longest), t))


def test_heavy_top_at_its_literature_time():
    """Euler parameters at 0.2 s, eight digits. The top turns 30 rad: 1e-6 of that path, and its error growth."""
    system, read = machines.heavy_top_machine()
    result = simulate(system, 0.2, rtol=1e-6)
    np.testing.assert_allclose(read(result)["euler"][-1], heavy_top.EULER_02, atol=5e-5)


def test_spherical_pendulum_keeps_its_constants():
    """A bob on a ball joint: energy, vertical moment of momentum and both turning heights.

    The bob is a small sphere of 1 kg (2e-7 kg m^2, a 2e-7 part of the bob's own m l^2) on a massless rod.
    """
    r0, v0 = np.array([0.6, 0.0, -0.8]), np.array([0.0, 2.0, 0.0])
    spin = np.cross(r0, v0)  # of the rod, without spin about itself; 1 m long
    bob = fb.RigidBody("bob", 1.0, [2e-7] * 3, center=r0, velocity=v0, angular_velocity=spin)
    system = fb.System([bob], [fb.Spherical("hinge", fb.GROUND, bob, point=(0, 0, 0))], gravity=(0, 0, -9.81))
    drift, position = [], []
    steps = (4e-3, 2e-3, 1e-3)
    for h in steps:
        result = simulate(system, 4.0, step=h, output_step=0.02)
        r, v = result.position(bob), result.velocity(bob)
        exact, _ = pendulum.spherical(result.t, r0, v0)
        energy, moment = pendulum.constants(r, v)
        drift.append((np.ptp(energy) / 2.0, np.ptp(moment) / 1.2))  # over v^2/2 and x v_y at the start
        position.append(np.abs(r - exact).max())
        np.testing.assert_allclose(np.linalg.norm(r, axis=1), 1, atol=1e-11)
        low, high = pendulum.heights(r0, v0)
        assert low - 2 * position[-1] < r[:, 2].min()
        assert r[:, 2].max() < high + 2 * position[-1]
    drift = np.array(drift)
    assert cases.fitted_order(steps, position) == pytest.approx(2, abs=0.1)
    assert cases.fitted_order(steps, drift[:, 0]) > 1.9
    assert drift[-1].max() < 1e-4  # h^2 times the squared angular rates of up to 6 rad/s, over 10


class TestFourBar:
    @pytest.mark.parametrize(
        "rtol", [1e-4, 1e-5, *(pytest.param(rtol, marks=pytest.mark.slow) for rtol in (1e-6, 3e-8))]
    )
    def test_passes_the_singular_position_with_error_control(self, rtol):
        """IFToMM A02 over 10 s: the cranks lie flat seven times, where the mechanism has three freedoms.

        rtol times the path (30 m), times 100 for the growth of errors: over the top at 1 m/s an error in speed of
        1 % delays the next turn by 1 % of its second, so that errors grow about threefold with each of four turns.
        At the smallest rtol some steps end where round-off of positions is magnified a thousandfold and more.
        """
        system, read = machines.four_bar_machine()
        result = simulate(system, 10.0, rtol=rtol, output_step=0.1)
        where, _ = four_bar.first_joint(result.t)
        assert np.abs(read(result)["position"] - where).max() < 3000 * rtol
        last = read(result)["velocity"][-1]
        np.testing.assert_allclose(last, four_bar.VELOCITY_10, atol=6 * 3000 * rtol)  # at 6 rad/s

    @pytest.mark.parametrize("windows", [1, 20])
    def test_any_tolerance_passes_the_singular_position(self, windows):
        """All rows of windows, with three redundant constraints each: at 1e-9 too, past the flat cranks at 0.72 s.

        What falls in 0.8 s moves by 3 m: rtol of it, and ten for the growth of errors. The round-off of 20 windows that
        are singular together is larger than that of one.
        """
        system, read = machines.four_bar_machine(windows, redundant=True)
        result = simulate(system, 0.8, rtol=1e-9, output_step=0.01)
        where, _ = four_bar.first_joint(result.t, windows)
        assert np.abs(read(result)["position"] - where).max() < 10 * 3 * 1e-9
        # steps do not collapse: they grow by 10^(1/2) for each decade of rtol, up to where round-off is allowed
        assert result.statistics.steps < 2 * 100 * simulate(system, 0.8, rtol=1e-5).statistics.steps

    def test_no_step_ends_beside_the_singular_position(self):
        """20 windows pass it in the middle of 1 ms, which begins an eighth of a step later each time.

        Round-off in places would turn the velocities of a step that ends there, and what they lose does not come back.
        The speed is right to rtol, and the energy to twice that; places to ten times rtol of the way, as above.
        """
        windows, step, rtol = 20, 2e-5, 1e-9
        allowed = 10 * rtol * 5 * 50 * step  # at 5 rad/s
        flat = brentq(lambda t: four_bar.crank_angle(t, windows)[0] - 1.5 * np.pi, 1.0, 1.5, xtol=1e-14)
        for part in np.arange(8) / 8:
            begin = flat - (25 - part) * step
            angle, _ = four_bar.crank_angle(begin, windows)
            system, read = machines.four_bar_machine(windows, redundant=True, angle=float(angle))
            result = simulate(system, 50 * step, rtol=rtol, max_step=step, output_step=50 * step)
            where, _ = four_bar.first_joint(begin + result.t, windows)
            np.testing.assert_allclose(read(result)["position"], where, rtol=0, atol=allowed)
            energy = result.energy
            assert np.abs(energy.residual).max() < 2 * rtol * energy.kinetic.max()

    @pytest.mark.parametrize("windows", [1, 20])
    def test_default_run_is_within_a_millimetre(self, windows):
        """IFToMM's limit for the row of four-bars, 1e-3 m in 10 s, in an ordinary run."""
        system, read = machines.four_bar_machine(windows, redundant=True)
        result = fb.simulate(system, 10.0, output_step=0.1, show_progress=False)
        where, _ = four_bar.first_joint(result.t, windows)
        assert np.abs(read(result)["position"] - where).max() < 1e-3

    @pytest.mark.slow
    @pytest.mark.parametrize("windows", [1, 10])
    def test_errors_fall_with_the_tolerance(self, windows):
        """From 1e-3 to 1e-9, over 10 s and a path of 30 m; errors grow over the top, as above.

        At a singular position round-off is magnified to its root. Rows of windows are costly: 1e-3 to 1e-7 with 10
        here, the default and 1e-9 with 20 above, all of them and 40 in tests/benchmarks/four_bars.py.
        """
        system, read = machines.four_bar_machine(windows, redundant=True)
        errors, noise = [], np.sqrt(np.finfo(float).eps) * (windows + 1)
        exponents = {1: np.arange(-3, -10, -1), 10: np.arange(-3, -8, -2)}
        for rtol in 10.0 ** exponents[windows]:
            result = simulate(system, 10.0, rtol=rtol, output_step=0.1)
            where, _ = four_bar.first_joint(result.t, windows)
            errors.append(np.abs(read(result)["position"] - where).max())
            assert errors[-1] < 100 * (30 * rtol + noise), rtol
        assert np.all(np.diff(errors) < 0)


class TestSqueezer:
    def test_end_state(self):
        """Andrews' mechanism at 0.03 s, test set; 1e-5 of the path: the crank turns 16 rad at up to 1400 rad/s."""
        case = cases.squeezer()
        found = case.read(case.run(rtol=1e-5))
        np.testing.assert_allclose(found["position"][-1], andrews.Q_END, atol=1e-5 * 16 * 3)
        np.testing.assert_allclose(found["velocity"][-1], andrews.QDOT_END, atol=1e-5 * 1400 * 10)
        np.testing.assert_allclose(
            found["reaction"][-1], andrews.LAMBDA_END, atol=1e-5 * np.abs(andrews.LAMBDA_END).max() * 30
        )

    def test_end_state_to_nine_digits(self):
        """1e-9 of the angles (rad) and of the largest rate, force: rtol = 1e-11 adds up to less in some 500 steps.

        Against the same unrelated program in long double precision, good to 1e-15; the test set's own digits are
        good to 1e-10 in angles and 3e-8 in rates.
        """
        case = cases.squeezer()
        found = case.read(case.run_with(fb.Explicit(rtol=1e-11)))
        np.testing.assert_allclose(found["position"][-1], andrews.Q_END, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found["velocity"][-1], andrews.QDOT_END, rtol=0, atol=1e-9 * 1400)
        size = np.abs(andrews.LAMBDA_END).max()
        np.testing.assert_allclose(found["reaction"][-1], andrews.LAMBDA_END, rtol=0, atol=1e-9 * size)

    def test_redundant_joints_give_the_same_motion(self):
        """Ten revolutes, 50 constraints of rank 41: one warning, the motion of the determinate machine."""
        system, read = machines.andrews_machine(redundant=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = simulate(system, andrews.T_END, step=5e-5, output_step=1e-3)
        kinds = [w for w in caught if issubclass(w.category, fb.RedundantConstraintWarning)]
        assert len(kinds) == 1
        assert "9 of the 50" in str(kinds[0].message)
        assert result.statistics.rank == 41
        plain, _ = machines.andrews_machine()
        other = simulate(plain, andrews.T_END, step=5e-5, output_step=1e-3)
        # the same discrete equations in the plane: what Newton's iterations leave, grown by the time steps
        np.testing.assert_allclose(read(result)["q"], read(other)["q"], atol=1e-6)
        # forces in the plane are determinate, and those out of it vanish in the least norm
        for pin in ("O", "F3", "F4", "F6"):
            one, two = result.reaction(pin).force, other.reaction(pin).force
            assert np.abs(one - two).max() < 1e-4 * np.abs(two).max()


@pytest.mark.slow
class TestTestSetCrank:
    """The IVP test set's flexible slider-crank through the ordinary interface."""

    def test_end_state(self):
        """Published end state at 0.1 s: positions to 1e-6, velocities to 1e-5 of their ranges over the run.

        The published start has nine digits only; the reference program meets the end state to 3e-7.
        """
        system, read = machines.ivp_crank_machine()
        result = fb.simulate(system, ivp_crank.T_END, integrator=fb.Explicit(rtol=1e-9), show_progress=False)
        found = read(result)
        exact = ivp_crank.solution(rtol=1e-9)
        spread = ivp_crank.ranges(exact)
        turn = 2 * np.pi  # phi1 is the joint's angle, continuous over many turns
        assert found["positions"][-1, 0] > 2 * turn
        error = np.abs(found["positions"][-1] - ivp_crank.END_POSITIONS) / spread[0]
        np.testing.assert_array_less(error, 1e-6)
        error = np.abs(found["velocities"][-1] - ivp_crank.END_VELOCITIES) / spread[1]
        np.testing.assert_array_less(error, 1e-5)
        # and all the way there: 501 outputs against every second of the program's 1001
        _, between = np.unique(np.round(exact.t / ivp_crank.T_END * 1000).astype(int), return_index=True)
        positions, velocities, _ = ivp_crank.coordinates(exact)
        for values, other, width in (
            ("positions", positions, spread[0]),
            ("velocities", velocities, spread[1]),
        ):
            error = np.abs(found[values] - other[between][::2]).max(axis=0) / width
            np.testing.assert_array_less(error, 1e-5)

    def test_generalized_alpha_comes_near(self):
        """rtol = 1e-5: the axial functions ring at 2e5 rad/s and are damped, the rest is within 1e-3."""
        system, read = machines.ivp_crank_machine()
        result = fb.simulate(
            system, 0.02, integrator=fb.GeneralizedAlpha(rtol=1e-5), output_step=1e-4, show_progress=False
        )
        exact = ivp_crank.solution(result.t, rtol=1e-9)
        width = np.ptp(exact.a, axis=0)
        error = np.abs(read(result)["positions"][:, 3:5] - exact.a[:, :2]).max(axis=0) / width[:2]
        np.testing.assert_array_less(error, 1e-3)
