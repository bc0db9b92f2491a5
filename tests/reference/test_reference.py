"""The reference programs against exact solutions, the sources' own figures and independent numbers."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from . import andrews, four_bar, free_rotation, heavy_top, ivp_crank, pendulum, slider_crank

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def quintic():
    return slider_crank.solution("quintic")


@pytest.fixture(scope="module")
def sine():
    return slider_crank.solution("sine")


@pytest.fixture(scope="module")
def crank():
    return ivp_crank.solution(rtol=1e-9)


class TestSliderCrank:
    def test_pinned_frequency(self):
        """829.2 rad/s, Koppens 5.4."""
        m = slider_crank.machine("sine", 1)
        mass = m.dm @ m.shapes.imag[:, 0] ** 2
        assert np.sqrt(m.K[0, 0] / mass) == pytest.approx(829.2, abs=0.05)

    def test_stiffness_of_quintics(self):
        """Koppens (3.17) and (3.15), in EI/l^3 and m."""
        m = slider_crank.machine("quintic")
        printed = [[144, 0, 480, 0], [0, 1200, 0, 3360], [480, 0, 5520, 0], [0, 3360, 0, 18480]]
        scale = slider_crank.EI / slider_crank.LENGTH**3
        np.testing.assert_allclose(m.K / scale, printed, rtol=1e-12, atol=1e-8)
        mass = (m.shapes.imag.T * m.dm) @ m.shapes.imag / slider_crank.MASS
        np.testing.assert_allclose(mass, np.diag([1 / 5, 1 / 7, 1 / 9, 1 / 11]), atol=1e-14)

    @pytest.mark.slow
    def test_sag_and_period_at_rest(self):
        """With the crank at rest: static sag 60.3e-6 and period 7.58e-3 s, Koppens 5.3."""
        m = replace(slider_crank.machine("quintic", gravity=-9.81j), speed=0.0)
        t = np.linspace(0, 0.05, 5001)
        v = m.simulate(t, rtol=1e-7).deflection / slider_crank.LENGTH
        low = np.flatnonzero((v[1:-1] < v[:-2]) & (v[1:-1] <= v[2:])) + 1
        assert np.mean(np.diff(t[low])) == pytest.approx(7.58e-3, rel=2e-3)  # output every 1e-5 s
        assert -0.5 * v.min() == pytest.approx(60.3e-6, rel=5e-3)  # the overtones add up to a few per mille

    def test_elastodynamic_velocity(self):
        """1.05 m/s, (D.11)-(D.12); (D.11) is the derivative of (D.10); the modal one differs by 1.00385."""
        assert slider_crank.elastodynamic_initial_velocity() == pytest.approx(1.05, abs=0.005)
        slope = slider_crank.elastodynamic_deflection(np.array([1e-7]))[0] / 1e-7
        assert slope == pytest.approx(slider_crank.elastodynamic_initial_velocity(), rel=1e-6)
        first = slider_crank.quasi_static_velocity(slider_crank.machine("sine", 1))[0]
        ratio = 4 / np.pi**5 / (5 / 384)  # uniform load: sine's first coefficient against the exact middle
        assert first == pytest.approx(ratio * slider_crank.elastodynamic_initial_velocity(), rel=1e-6)

    def test_quintic_holds_the_quasi_static_deflection_exactly(self):
        """A linearly varying load bends the rod to a quintic: rate of the middle is (D.11) without error."""
        m = slider_crank.machine("quintic")
        rate = (m.at_ends[1] - 0.5 * (m.at_ends[0] + m.at_ends[2])).imag @ slider_crank.quasi_static_velocity(
            m
        )
        assert rate == pytest.approx(slider_crank.elastodynamic_initial_velocity(), rel=1e-6)

    @pytest.mark.parametrize("kind", [pytest.param("quintic", marks=pytest.mark.slow), "sine"])
    def test_stiff_limit(self, kind):
        """A rod 400 times stiffer follows (D.10); left over is its inertia, of order (150/16600)^2 * 15."""
        run = slider_crank.solution(kind, 3, "quasi_static", t_end=0.02, rtol=1e-7, stiffness_factor=400.0)
        static = slider_crank.elastodynamic_deflection(run.t) / 400
        assert np.max(np.abs(run.deflection - static)) < 4e-3 * np.max(np.abs(static))

    @pytest.mark.slow
    def test_frames_agree(self, quintic, sine):
        """Mean-displacement and chord frame differ by terms of second order only: 5e-3 of the peak."""
        peak = np.max(np.abs(quintic.deflection))
        assert np.max(np.abs(quintic.deflection - sine.deflection)) < 5e-3 * peak
        # rigid-body kinematics within (v/l) squared of each other
        np.testing.assert_allclose(quintic.slider, sine.slider, atol=1e-3 * slider_crank.LENGTH)

    @pytest.mark.slow
    def test_more_modes_change_nothing(self, sine):
        """The fifth sine takes 1/5^5 = 3.2e-4 of the deflection under a uniform load, the others less."""
        run = slider_crank.solution("sine", 6, rtol=1e-7)
        assert np.max(np.abs(run.deflection - sine.deflection)) < 4e-4 * np.max(np.abs(sine.deflection))

    @pytest.mark.slow
    def test_cantilever_frame_is_wrong(self, quintic):
        """More than twice the deflection, much nearer with a massless slider (Koppens, figs 5.5-5.10)."""
        peak = np.max(np.abs(quintic.deflection))
        clamped = slider_crank.solution("cantilever", rtol=1e-7)
        assert np.max(np.abs(clamped.deflection)) > 2 * peak
        light = slider_crank.solution("cantilever", rtol=1e-7, slider_factor=0.0)
        apart = np.max(np.abs(clamped.deflection - quintic.deflection))
        apart_light = np.max(
            np.abs(light.deflection - slider_crank.solution(rtol=1e-7, slider_factor=0.0).deflection)
        )
        assert apart_light < 0.25 * apart

    @pytest.mark.slow
    def test_nearly_periodic_from_the_quasi_static_velocity(self):
        """Koppens 5.4: with (D.11) the response is nearly periodic; from the rigid rod's it is not."""
        turn = 2 * np.pi / slider_crank.SPEED
        t = np.concatenate([[0.0], turn * np.linspace(0.1, 0.4, 31), turn * np.linspace(1.1, 1.4, 31)])
        m = slider_crank.machine("sine", 3)

        def change(adot0):
            v = m.simulate(t, adot0=adot0, rtol=1e-7).deflection
            return np.max(np.abs(v[32:] - v[1:32])) / np.max(np.abs(v))

        assert change(slider_crank.quasi_static_velocity(m)) < 0.3 * change(None)

    @pytest.mark.slow
    def test_energy_and_forces(self, quintic, sine):
        """Energy less the drive's work is constant; the wrist's force is the slider's inertia."""
        for run in (quintic, sine):
            assert np.max(np.abs(run.balance_error)) < 1e-9
            mass = 0.5 * slider_crank.MASS
            ddot = np.gradient(run.sliderdot, run.t, edge_order=2)
            # second differences over 0.2 ms: the fourth derivative of the slider's position
            assert np.max(np.abs(run.wrist_force.real + mass * ddot)[2:-2]) < 5e-3 * np.max(
                mass * np.abs(ddot)
            )
            power = run.torque * slider_crank.SPEED
            work = np.concatenate([[0], np.cumsum(0.5 * np.diff(run.t) * (power[1:] + power[:-1]))])
            assert np.max(np.abs(work - run.work)) < 5e-3 * np.max(np.abs(run.work))  # trapezium rule

    def test_forces_of_a_rigid_rod(self):
        """Very stiff, no slider mass: total force on the rod is mass times its centre's acceleration."""
        run = slider_crank.solution(
            "sine", 1, "quasi_static", t_end=0.01, rtol=1e-7, stiffness_factor=1e4, slider_factor=0
        )
        p = slider_crank.CRANK * np.exp(1j * slider_crank.SPEED * run.t)
        turn = np.exp(1j * run.psi)
        half = slider_crank.LENGTH / 2
        acceleration = -(slider_crank.SPEED**2) * p + half * turn * (1j * run.psiddot - run.psidot**2)
        total = run.pin_force + run.wrist_force
        assert np.max(np.abs(total - slider_crank.MASS * acceleration)) < 1e-3 * np.max(np.abs(total))


@pytest.mark.slow
class TestIvpCrank:
    def test_moment_of_inertia_of_the_source(self):
        """J2 = M2 (L2^2/3 + H^2/12), and M2 = rho B H L2, to the digits given."""
        c = ivp_crank
        np.testing.assert_allclose(c.M2 * (c.L2**2 / 3 + c.H**2 / 12), c.J2, atol=1e-10, rtol=0)
        np.testing.assert_allclose(c.RHO * c.B * c.H * c.L2, c.M2, atol=1e-9, rtol=0)

    def test_end_state(self, crank):
        """Published end state. Its own start has 9 digits, and its rates of q2 are exact to 1e-7 only."""
        reached, spread = ivp_crank.coordinates(crank), ivp_crank.ranges(crank)
        np.testing.assert_array_less(np.abs(reached[0][-1] - ivp_crank.END_POSITIONS) / spread[0], 1e-8)
        np.testing.assert_array_less(np.abs(reached[1][-1] - ivp_crank.END_VELOCITIES) / spread[1], 3e-7)
        np.testing.assert_array_less(np.abs(reached[2][-1] - ivp_crank.END_ACCELERATIONS) / spread[2], 5e-6)

    def test_conventions_matter(self, crank):
        """Without the rotary inertia the published digits are missed by more than the tests' 1e-6."""
        other = ivp_crank.solution(np.array([0, ivp_crank.T_END]), 1e-7, rotary=False)
        error = np.abs(other.a[-1] - ivp_crank.END_POSITIONS[3:]) / ivp_crank.ranges(crank)[0][3:]
        assert error.max() > 3e-6

    def test_energy(self, crank):
        assert np.max(np.abs(crank.balance_error)) < 1e-9


class TestAndrews:
    def test_start(self):
        """Accelerations and multipliers at t = 0, test set."""
        qddot, multipliers = andrews.accelerations(andrews.Q0, np.zeros(7))
        np.testing.assert_allclose(qddot[:2], andrews.QDDOT0, rtol=1e-13)
        np.testing.assert_allclose(multipliers[:2], andrews.LAMBDA0, rtol=1e-13)
        np.testing.assert_allclose(andrews.closures(andrews.Q0)[0], 0, atol=1e-16)

    @pytest.mark.slow
    def test_end_state(self):
        _, q, qdot = andrews.solution(rtol=1e-12)
        np.testing.assert_allclose(q[-1], andrews.Q_END, atol=1e-10)
        np.testing.assert_allclose(qdot[-1], andrews.QDOT_END, atol=3e-8)
        np.testing.assert_allclose(andrews.accelerations(q[-1], qdot[-1])[1], andrews.LAMBDA_END, atol=1e-7)
        energies = [andrews.energy(*state) for state in zip(q, qdot, strict=True)]
        assert np.ptp(energies) < 1e-10

    def test_geometry(self):
        """Every pin keeps its distance to the centres of its two bodies in every position."""
        _, q, _ = andrews.solution(np.linspace(0, andrews.T_END, 4), 1e-10)

        def distances(angles):
            centers = {b["name"]: complex(*b["center"]) for b in andrews.bodies(angles)} | {"ground": 0j}
            return [abs(complex(*p) - centers[b]) for _, *pair, p in andrews.joints(angles) for b in pair]

        for angles in q[1:]:
            np.testing.assert_allclose(distances(angles), distances(andrews.Q0), atol=1e-10)


class TestRigidBodies:
    def test_heavy_top(self):
        """Euler parameters at 0.2 s to the eight digits of the literature; energy."""
        run = heavy_top.solution(np.linspace(0, 0.2, 11))
        np.testing.assert_allclose(run.euler[-1], heavy_top.EULER_02, atol=1e-8)
        assert np.ptp(run.energy) < 1e-10 * run.energy[0]

    @pytest.mark.parametrize("inertia", [(1, 2, 3), (2, 1, 3), (3, 2, 1), (2, 3, 1), (1, 3, 2), (3, 1, 2)])
    @pytest.mark.parametrize("spin", [(0.3, 0.5, -2.0), (2.0, -0.4, 0.5), (0.2, 2.0, 0.1), (-1.0, 1.0, 1.5)])
    def test_free_rotation(self, inertia, spin):
        """Jacobi's functions solve Euler's equations, for every order of the axes."""
        I, t = np.array(inertia, float), np.linspace(0, 10, 41)
        run = solve_ivp(
            lambda _, w: -np.cross(w, I * w) / I, (0, 10), spin, "DOP853", t, rtol=1e-12, atol=1e-12
        )
        np.testing.assert_allclose(free_rotation.omega(t, I, np.array(spin)), run.y.T, atol=1e-9)

    def test_pendulum(self):
        assert pendulum.period() == pytest.approx(pendulum.PERIOD, rel=1e-15)
        np.testing.assert_allclose(pendulum.position(np.array([10.0]))[0], pendulum.POSITION_10, atol=1e-13)
        t = np.linspace(0, 5, 51)
        swung = solve_ivp(
            lambda _, y: [y[1], -9.81 * np.sin(y[0])],
            (0, 5),
            [np.pi / 2, 0],
            "DOP853",
            t,
            rtol=1e-12,
            atol=1e-12,
        )
        np.testing.assert_allclose(pendulum.swing(t), swung.y, atol=1e-10)

    def test_spherical_pendulum(self):
        """Energy and vertical momentum kept, the turning heights reached; the conical motion exact."""
        r, v = pendulum.spherical(np.linspace(0, 10, 2001), [0.6, 0, -0.8], [0, 2.0, 0])
        for constant in pendulum.constants(r, v):
            assert np.ptp(constant) < 1e-9
        np.testing.assert_allclose(np.sum(r * r, 1), 1, atol=1e-9)
        assert r[:, 2].max() == pytest.approx(pendulum.heights([0.6, 0, -0.8], [0, 2.0, 0])[1], abs=1e-9)
        assert r[:, 2].min() == pytest.approx(pendulum.heights([0.6, 0, -0.8], [0, 2.0, 0])[0], abs=1e-5)
        rate = np.sqrt(9.81 / 0.8)  # cone of half angle arccos(0.8)
        r, _ = pendulum.spherical(np.array([0, 1.0]), [0.6, 0, -0.8], [0, 0.6 * rate, 0])
        np.testing.assert_allclose(r[1], [0.6 * np.cos(rate), 0.6 * np.sin(rate), -0.8], atol=1e-10)

    def test_four_bar(self):
        """IFToMM A02 with two windows, first upper joint at 10 s, to the digits given."""
        x, v = four_bar.first_joint(np.array([0.0, 10.0]))
        np.testing.assert_allclose(np.concatenate([x[0], v[0]]), [0, 1, 1, 0], atol=1e-11)
        np.testing.assert_allclose(x[1], four_bar.POSITION_10, atol=1e-9)
        np.testing.assert_allclose(v[1], four_bar.VELOCITY_10, atol=1e-9)
