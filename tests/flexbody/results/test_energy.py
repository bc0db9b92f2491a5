"""The energy balance: kinetic + strain + potential + dissipated - input stays what it was, to the method's order.

Every way by which energy enters or leaves is held against its own analytic value too: a balance alone would
also hold if both were left out.
"""

from dataclasses import replace

import numpy as np
import pytest
from reference import machines
from support import beams
from support.cases import fitted_order

import flexbody as fb


def simulate(system, t_end, integrator=None, **options):
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def swing():
    """Two beams in line, hung on a hinge and a ball joint, thrown and struck: rigid and elastic motion."""
    length = beams.LENGTH
    a, b = (
        fb.FlexibleBody(
            name,
            beams.quintic_beam(2),
            place={"start": (k * length, 0, 0), "end": ((k + 1) * length, 0, 0)},
            angular_velocity=(0, 10.0, 20.0 * k),
            alpha_dot=(0.3, -0.1, 0.2, 0.1),
        )
        for k, name in enumerate("ab")
    )
    hinge = fb.Revolute("hinge", fb.GROUND, a["start"], axis="y")
    ball = fb.Spherical("ball", a["end"], b["start"])
    spring = fb.SpringDamper("spring", a["middle"], b["middle"], stiffness=300.0, free_length=0.8 * length)
    return fb.System([a, b], [hinge, ball], [spring], gravity=(0, 0.5, -9.81))


CONSERVATIVE = {
    "heavy top": (machines.heavy_top_machine()[0], 0.1, (2.5e-4, 1.25e-4, 6.25e-5)),
    "two flexible beams": (swing(), 0.02, (8e-5, 4e-5, 2e-5)),
    "squeezer": (machines.andrews_machine()[0], 0.01, (5e-5, 2.5e-5, 1.25e-5)),
}


@pytest.mark.parametrize("rho_inf", [0.8, 1.0])
@pytest.mark.parametrize("name", CONSERVATIVE)
def test_drift_has_order_two(name, rho_inf):
    """Generalized alpha keeps energy to its order only, with dissipation (0.8) and without (1.0).

    Order 2 at least: the dissipation of low frequencies is of third order and may rule. (The squeezer's balance
    holds the work of its motor, the others have nothing but stored energy.) Newton's tolerance is put below the
    drift, which is a hundred times smaller than the motion's own error.
    """
    system, t_end, steps = CONSERVATIVE[name]
    methods = [fb.GeneralizedAlpha(rho_inf, step=h, newton_rtol=1e-12, max_iterations=20) for h in steps]
    runs = [simulate(system, t_end, method, output_step=t_end / 50) for method in methods]
    errors = [run.energy.balance_error for run in runs]
    assert fitted_order(steps, errors) > 1.9
    assert errors[-1] < 1e-4


def test_balance_error_where_nothing_moves():
    """Squares of speeds of 1e-170 m/s are zero in double precision; a work that moves nothing is an error.

    Round-off beside a potential energy of 1000 J is 1e-11 J, whatever the speeds are.
    """
    still, work = np.zeros(2), np.array([0.0, 1.0])
    assert fb.Energy(still, still, still, still, 1e-179 * work).balance_error == 0.0
    assert fb.Energy(still, still, still, still, work).balance_error > 1e6
    assert fb.Energy(1e-20 * work, still, 1e3 + 2e-11 * work, still, still).balance_error < 0.01


@pytest.mark.filterwarnings("ignore:.*depend on the others", "ignore:this machine is locked")
def test_no_energy_is_lost_where_nothing_moves():
    """A closed loop of four revolutes, one of them 0.02 rad out of parallel, is locked: 20 rows for 18 coordinates."""
    points = np.array([(0, 0, 0), (0, 0.1, 0.3), (0.5, 0, 0.4), (0.6, 0, 0)])
    links = [
        fb.RigidBody(
            name, 1.0, (1e-2,) * 3, center=(points[k] + points[k + 1]) / 2, velocity=(float(k == 0), 0, 0)
        )
        for k, name in enumerate(("crank", "rod", "rocker"))
    ]
    sides = [fb.GROUND, *links, fb.GROUND]
    pins = [
        fb.Revolute(f"pin {k}", *sides[k : k + 2], point=points[k], axis=(0.02 * (k == 3), 1, 0))
        for k in range(4)
    ]
    energy = simulate(fb.System(links, pins), 0.1).energy  # a warning of lost energy would be an error
    assert energy.kinetic.max() < energy.resolution
    assert energy.balance_error == 0.0


def test_balance_error_is_relative_to_the_largest_energy():
    """As design and docstring say: the largest residual over the largest kinetic + strain energy."""
    energy = simulate(swing(), 0.01, step=1e-4).energy
    total = energy.kinetic + energy.strain + energy.potential
    residual = total - total[0] + energy.dissipated - energy.input
    assert energy.balance_error == np.abs(residual).max() / np.max(energy.kinetic + energy.strain)


def test_balance_error_is_relative_to_what_could_matter():
    """A machine of weight 10 N and size 1 m whose energy of 1e-14 J is off by 3e-10 J: 3e-10 over 1e-8 of 10 Nm."""
    zero, t = np.zeros(2), np.array([0.0, 1.0])
    rests = fb.Energy(1e-14 * t, zero, 3e-10 * t, zero, zero, resolution=1e-14 * 10.0)
    assert rests.balance_error == pytest.approx(3e-3, rel=1e-4)
    # a pendulum of 1e-3 rad has 5e-7 of weight times size, and is judged by that
    moves = fb.Energy(5e-6 * t, zero, -4.9e-6 * t, zero, zero, resolution=1e-14 * 10.0)
    assert moves.balance_error == pytest.approx(0.02, rel=1e-9)


@pytest.mark.parametrize("gravity", [(0, 0, 0), (0, 0, -9.81)])
@pytest.mark.parametrize("integrator", [None, fb.GeneralizedAlpha(rtol=1e-9), fb.Explicit()])
@pytest.mark.parametrize("rate", [0.0, 1e-6])
def test_balance_of_slow_machines(gravity, integrator, rate):
    """Flexible bars at rest, and driven at 1e-6 rad/s: the energies are products of doubles, and so is their balance.

    Explicit steps add 1e-16 of the speeds to vibrations of 1e5 rad/s, which is far below 1e-6 of the energy.
    """
    length = beams.LENGTH
    a = fb.FlexibleBody("a", beams.quintic_beam(2), place={"start": (0, 0, 0), "end": (length, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, a["start"], axis="y")
    drive = fb.Drive("drive", hinge, rate=rate)
    machine = fb.System([a], [hinge, drive], gravity=gravity)
    found = simulate(machine, 0.5, integrator, start=fb.Equilibrium() if any(gravity) else None)
    assert found.energy.balance_error < 1e-6


def test_error_control_keeps_the_balance():
    """Better with the tolerance, and always below it: as the path, energy is relative to its largest.

    It falls with the root of rtol at least, over all three decades: Newton's tolerance, rtol / 100, takes part in it.
    """
    tolerances = (1e-3, 1e-4, 1e-5, 1e-6)
    runs = [simulate(swing(), 0.02, fb.GeneralizedAlpha(rtol=r), output_step=0.01) for r in tolerances]
    errors = [run.energy.balance_error for run in runs]
    assert errors[3] < errors[0] / 1000**0.5
    assert errors[3] < errors[1] / 10
    assert (np.array(errors) < tolerances).all()


def test_explicit_method_keeps_energy():
    """Order 8: 1e-9 of the state per step, of some hundreds."""
    assert simulate(swing(), 0.02, fb.Explicit(rtol=1e-9)).energy.balance_error < 1e-7


class TestDrive:
    def crank(self, **motion):
        body = fb.RigidBody("crank", 2.0, (0.1, 0.2, 0.3), center=(0.5, 0, 0))
        main = fb.Revolute("main", fb.GROUND, body, point=(0, 0, 0), axis="z")
        return fb.System([body], [main, fb.Drive("drive", main, **motion)], gravity=(0, -9.81, 0))

    def test_work_of_a_prescribed_motion(self):
        """angle = sin(5 t): the drive's work is J angle'^2 / 2 + m g h less their starts, J = 0.3 + 2 * 0.25.

        The rate at t = 0 is 5 rad/s, and the crank gets it before the run. 1e-5: (5 rad/s * 1 ms)^2 = 2.5e-5, over 3.
        """
        result = simulate(self.crank(value=lambda t: np.sin(5 * t)), 1.0, step=1e-3, output_step=0.01)
        t, g = result.t, 9.81
        rate = 5 * np.cos(5 * t)
        exact = 0.5 * 0.8 * (rate**2 - 25) + 2 * g * 0.5 * np.sin(np.sin(5 * t))
        np.testing.assert_allclose(result.energy.input, exact, rtol=0, atol=1e-5 * np.abs(exact).max())
        assert not result.energy.dissipated.any()

    def test_balance_with_a_flexible_rod(self):
        """Slider-crank of Koppens 5.2: order 2, in the work of the drive too."""
        system, _ = machines.koppens_slider_crank("quintic")
        steps = (4e-5, 2e-5, 1e-5)
        errors = [simulate(system, 0.02, step=h, output_step=4e-4).energy.balance_error for h in steps]
        assert fitted_order(steps, errors) > 1.9
        assert errors[-1] < 1e-5


class TestDamping:
    def test_modal_damping(self):
        """One mode of a free beam rings down as exp(-zeta omega t); the lost energy is the dissipated one.

        The quintic base has eigenmodes of its own: the first symmetric one is taken as it is, with zeta = 0.05.
        Amplitude and phase are exact up to (omega h)^2 / 12 of the phase of 20 rad.
        """
        from scipy.linalg import eigh

        reduced = beams.quintic_beam()
        squares, V = eigh(reduced.K, reduced.C8)
        omega, shape, zeta = np.sqrt(squares[0]), V[:, 0], 0.05
        beam = fb.FlexibleBody("beam", reduced, alpha=1e-4 * shape, damping_ratio=zeta)
        h = 0.01 / omega
        result = simulate(fb.System([beam]), 2000 * h, step=h, output_step=20 * h)
        t = result.t
        wd = omega * np.sqrt(1 - zeta**2)
        exact = np.exp(-zeta * omega * t) * (np.cos(wd * t) + zeta * omega / wd * np.sin(wd * t))
        found = result.alpha(beam) @ reduced.C8 @ shape / 1e-4
        np.testing.assert_allclose(found, exact, atol=2e-4 + (omega * h) ** 2 / 12 * 20)
        energy = result.energy
        lost = energy.strain[0] - (energy.strain + energy.kinetic)
        np.testing.assert_allclose(energy.dissipated, lost, rtol=0, atol=1e-4 * energy.strain[0])
        assert energy.dissipated[-1] > 0.8 * energy.strain[0]  # 1 - exp(-2 * 0.05 * 20) = 0.86

    def test_damper_stops_a_block(self):
        """m v' = -d v on a guide: v0 exp(-d t / m); dissipated energy m v0^2 (1 - exp(-2 d t/m)) / 2."""
        m, d, speed = 2.0, 5.0, 3.0
        block = fb.RigidBody("block", m, (1, 1, 1), center=(1.0, 0, 0), velocity=(speed, 0, 0))
        guide = fb.Prismatic("guide", fb.GROUND, block, point=(1, 0, 0), axis="x")
        damper = fb.SpringDamper("damper", fb.GROUND, block, damping=d)
        errors, steps = [], (0.01, 0.005, 0.0025)
        for h in steps:
            result = simulate(fb.System([block], [guide], [damper]), 1.0, step=h)
            exact = 0.5 * m * speed**2 * (1 - np.exp(-2 * d * result.t / m))
            errors.append(np.abs(result.energy.dissipated - exact).max() / (0.5 * m * speed**2))
            assert np.abs(result.energy.input).max() == 0
        assert fitted_order(steps, errors) == pytest.approx(2, abs=0.1)
        assert errors[-1] < 1e-5  # (d/m h)^2 = 3.9e-5, over 12 and times the run's 2.5 decay times


class TestLoads:
    def test_actuator(self):
        """Constant tension F shortens the distance: input is F times what it has shortened, exactly."""
        block = fb.RigidBody("block", 2.0, (1, 1, 1), center=(3.0, 0, 0))
        pull = fb.SpringDamper("pull", fb.GROUND, block, force=4.0)
        result = simulate(fb.System([block], (), [pull]), 1.0, step=0.01)
        x = result.position(block)[:, 0]
        np.testing.assert_allclose(x, 3.0 - 1.0 * result.t**2, atol=1e-11)
        np.testing.assert_allclose(result.energy.input, 4.0 * (3.0 - x), atol=1e-10)

    def test_actuator_that_depends_on_time(self):
        """Tension 4 cos(5 t) on 2 kg: x' = -0.4 sin(5 t); all input becomes kinetic energy."""
        block = fb.RigidBody("block", 2.0, (1, 1, 1), center=(3.0, 0, 0))
        pull = fb.SpringDamper("pull", fb.GROUND, block, force=lambda t: 4.0 * np.cos(5 * t))
        result = simulate(fb.System([block], (), [pull]), 1.0, step=1e-3, output_step=0.01)
        speed = -0.4 * np.sin(5 * result.t)
        np.testing.assert_allclose(
            result.velocity(block)[:, 0], speed, atol=1e-5
        )  # (5 * 1e-3)^2 / 12 * 5 rad
        np.testing.assert_allclose(result.energy.input, speed**2, atol=1e-5)

    @pytest.mark.parametrize("follows", [False, True])
    def test_force_and_moment_on_a_flexible_body(self, follows):
        """Loads on an end that bends: what they put in is what the body has, to the method's order."""
        beam = fb.FlexibleBody("beam", beams.quintic_beam(2), angular_velocity=(0, 5.0, 20.0))
        loads = [
            fb.PointForce("force", beam["end"], (0.5, 1.0, -0.4), follows=follows),
            fb.PointMoment(
                "moment", beam["start"], lambda t: (0.0, 0.02, 0.05 * np.cos(300 * t)), follows=follows
            ),
        ]
        system, steps = fb.System([beam], (), loads), (4e-5, 2e-5, 1e-5)
        runs = [simulate(system, 0.03, step=h, output_step=1e-3) for h in steps]
        assert np.abs(runs[-1].energy.input).max() > 0.3 * runs[-1].energy.kinetic[0]
        errors = [run.energy.balance_error for run in runs]
        assert fitted_order(steps, errors) > 1.9
        assert errors[-1] < 1e-4
        precise = simulate(system, 0.03, fb.Explicit(rtol=1e-9))
        assert precise.energy.balance_error < 1e-9

    def test_work_of_an_inertial_force(self):
        """Constant force: F times the way of its point, which rides on a body that turns."""
        body = fb.RigidBody(
            "body", 2.0, (0.1, 0.2, 0.25), angular_velocity=(1, 2, 3), markers={"tip": (0.2, 0.1, 0)}
        )
        force = np.array([1.0, -2.0, 0.5])
        system = fb.System([body], (), [fb.PointForce("force", body["tip"], force)])
        errors, steps = [], (0.02, 0.01, 0.005)
        for h in steps:
            result = simulate(system, 2.0, step=h)
            way = result.position(body["tip"]) @ force
            errors.append(np.abs(result.energy.input - (way - way[0])).max() / np.abs(way - way[0]).max())
        assert fitted_order(steps, errors) > 1.9
        assert errors[-1] < 1e-4


def test_all_of_it_together():
    """Flexible bodies with damping, springs, a drive and loads: the balance still closes with order 2."""
    system = swing()
    a, b = (replace(body, damping_ratio=0.02) for body in system.bodies)
    drive = fb.Drive("drive", system.joints[0], value=lambda t: 0.3 * np.sin(60 * t))
    forces = [
        replace(system.forces[0], damping=0.5, force=lambda t: 2.0 * np.cos(100 * t)),
        fb.PointForce("jet", b["end"], (0, 0.5, 1.0), follows=True),
    ]
    machine = replace(system, bodies=[a, b], joints=[*system.joints, drive], forces=forces)
    steps = (2e-5, 1e-5, 5e-6)
    runs = [simulate(machine, 0.02, step=h, output_step=4e-4) for h in steps]
    assert runs[-1].energy.dissipated[-1] > 0.01 * runs[-1].energy.kinetic.max()
    errors = [run.energy.balance_error for run in runs]
    assert fitted_order(steps, errors) > 1.9
    assert errors[-1] < 1e-4
