"""Loads, springs and supports against analytic motions; what a free flexible machine keeps."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support import beams
from support.cases import fitted_order

import flexbody as fb

DOWN = (0.0, 0.0, -beams.GRAVITY)
EYE = np.eye(3)


def simulate(system, t_end, integrator=None, **options):
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def block(**options):
    values = {"mass": 2.0, "inertia": (0.1, 0.2, 0.25), "center": (1.0, 0.0, 0.0)} | options
    return fb.RigidBody("block", **values)


class TestOscillator:
    """A block on a guide between a spring-damper and the ground: m = 2 kg, s = 800 N/m, d = 8 Ns/m."""

    M, STIFFNESS, DAMPING, PULL = 2.0, 800.0, 8.0, 0.1

    def system(self):
        body = block()
        guide = fb.Prismatic("guide", fb.GROUND, body, point=(1, 0, 0), axis="x")
        spring = fb.SpringDamper(
            "spring",
            fb.GROUND,
            body,
            stiffness=self.STIFFNESS,
            damping=self.DAMPING,
            free_length=1.0 - self.PULL,
        )
        return fb.System([body], [guide], [spring])

    def exact(self, t):
        """Let go at rest, stretched by PULL: damped frequency sqrt(s/m - (d/2m)^2), and its rate."""
        decay = self.DAMPING / (2 * self.M)
        omega = np.sqrt(self.STIFFNESS / self.M - decay**2)
        x = self.PULL * np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
        v = -self.PULL * np.exp(-decay * t) * (decay**2 + omega**2) / omega * np.sin(omega * t)
        return 1.0 - self.PULL + x, v

    def test_order_of_the_implicit_method(self):
        errors, steps = [], (4e-3, 2e-3, 1e-3)
        for h in steps:
            result = simulate(self.system(), 0.8, step=h, output_step=0.016)
            x, v = self.exact(result.t)
            errors.append(
                [
                    np.abs(result.position("block")[:, 0] - x).max() / self.PULL,
                    np.abs(result.velocity("block")[:, 0] - v).max() / (20 * self.PULL),
                ]
            )
        for column in np.array(errors).T:
            assert fitted_order(steps, column) == pytest.approx(2, abs=0.1)
            assert column[-1] < 1e-3  # (20 rad/s * 1 ms)^2 = 4e-4 times the 16 rad of the run, over 12

    def test_explicit_method(self):
        """Dormand-Prince 8 at rtol = 1e-10, some tens of steps."""
        result = simulate(self.system(), 0.8, fb.Explicit(rtol=1e-10))
        x, v = self.exact(result.t)
        np.testing.assert_allclose(result.position("block")[:, 0], x, atol=1e-9 * self.PULL * 100)
        np.testing.assert_allclose(result.velocity("block")[:, 0], v, atol=1e-9 * self.PULL * 2000)


class TestLoadsOnRigidBodies:
    def test_moment_spins_a_free_body_up(self):
        """About a principal axis: omega = M t / J, angle M t^2 / 2 J. The method is exact for constant
        accelerations, so that round-off is left."""
        body = block()
        result = simulate(fb.System([body], (), [fb.PointMoment("motor", body, (0, 0, 0.5))]), 4.0, step=0.05)
        t, J = result.t, 0.25
        np.testing.assert_allclose(result.angular_velocity(body)[:, 2], 0.5 * t / J, atol=1e-11)
        angle = np.unwrap(np.arctan2(result.rotation(body)[:, 1, 0], result.rotation(body)[:, 0, 0]))
        np.testing.assert_allclose(angle, 0.25 * t**2 / J, atol=1e-10)
        np.testing.assert_allclose(result.energy.input, result.energy.kinetic, rtol=0, atol=1e-10)

    def test_moment_that_depends_on_time(self):
        """M = cos(3 t): omega = sin(3 t) / 3 J."""
        body = block()
        load = fb.PointMoment("motor", body, lambda t: (0.0, 0.0, np.cos(3 * t)))
        result = simulate(fb.System([body], (), [load]), 2.0, fb.Explicit(rtol=1e-10))
        np.testing.assert_allclose(
            result.angular_velocity(body)[:, 2], np.sin(3 * result.t) / 0.75, atol=1e-8
        )

    def test_force_that_follows_the_body(self):
        """At the centre of a body that spins at w: v = (F/m w) (sin w t, 1 - cos w t)."""
        w, F, m = 3.0, 5.0, 2.0
        body = block(angular_velocity=(0, 0, w))
        load = fb.PointForce("jet", body, (F, 0, 0), follows=True)
        result = simulate(fb.System([body], (), [load]), 3.0, fb.Explicit(rtol=1e-10))
        t = result.t
        exact = F / (m * w) * np.column_stack([np.sin(w * t), 1 - np.cos(w * t), 0 * t])
        np.testing.assert_allclose(result.velocity(body), exact, atol=1e-8)

    def test_force_out_of_the_centre(self):
        """A follower force at an arm turns the body: omega_z = F b t / J, and F turns with the angle."""
        body = block()
        load = fb.PointForce("jet", body, (5.0, 0, 0), point=(1.0, 0.1, 0.0), follows=True)
        result = simulate(fb.System([body], (), [load]), 2.0, fb.Explicit(rtol=1e-10))
        t = result.t
        np.testing.assert_allclose(result.angular_velocity(body)[:, 2], -5.0 * 0.1 * t / 0.25, atol=1e-8)
        speed = np.linalg.norm(np.gradient(result.velocity(body), t, axis=0, edge_order=2), axis=1)
        assert (
            np.abs(speed[2:-2] - 2.5).max() < 1e-3
        )  # second differences over 4 ms of an angle of up to 4 rad/s

    def test_inertial_force_on_a_body_that_spins(self):
        """Keeps its direction: uniform acceleration, exactly, whatever the body does."""
        body = block(angular_velocity=(1.0, 2.0, 3.0))
        result = simulate(fb.System([body], (), [fb.PointForce("push", body, (5.0, 0, 0))]), 2.0, step=0.02)
        np.testing.assert_allclose(result.position(body)[:, 0], 1 + 1.25 * result.t**2, rtol=0, atol=1e-11)


def supported(body, damping_ratio=0.0):
    """A beam along x on two supports, statically determinate in space: no twist at the start, free to slide."""
    beam = fb.FlexibleBody("beam", body, place={"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)},
                           damping_ratio=damping_ratio)  # fmt: skip
    joints = [
        fb.Universal("left", fb.GROUND, beam["start"], axes=("y", "z")),
        fb.PointOnLine("right", fb.GROUND, beam["end"], axis="x"),
    ]
    return beam, joints


class TestSupportedBeam:
    """Koppens' beam under its weight: sag v/l = 60.3e-6 and period 7.58e-3 s (benchmark page, 5.3)."""

    @pytest.mark.parametrize("body", [beams.quintic_beam(), beams.sine_beam(5)], ids=["quintic", "sine"])
    def test_comes_to_rest_at_the_static_sag(self, body):
        """After 0.1 s, 80 radians, nothing is left of the motion. The quartic sag lies in the space of quintics;
        of sines, the first missing one is the seventh: 1/7^5 = 6e-5 of it."""
        beam, joints = supported(body, damping_ratio=0.6)
        result = simulate(fb.System([beam], joints, gravity=DOWN), 0.1, step=1e-4)
        sag = -result.displacement(beam, "middle", relative_to=fb.Chord())[-1, 2] / beams.LENGTH
        assert sag == pytest.approx(60.3e-6, abs=0.05e-6)  # as printed
        assert sag == pytest.approx(beams.SAG / beams.LENGTH, rel=1e-4)
        left, right = result.reaction("left").force[-1], result.reaction("right").force[-1]
        weight = beams.MASS * beams.GRAVITY
        np.testing.assert_allclose(left + right, [0, 0, weight], atol=1e-6 * weight)
        assert left[2] == pytest.approx(right[2], rel=1e-5)

    @pytest.mark.many_steps
    def test_swings_with_the_printed_period(self):
        """Let go undeformed it swings about the sag with 7.58e-3 s; at most a percent of overtones."""
        beam, joints = supported(beams.quintic_beam())
        result = simulate(fb.System([beam], joints, gravity=DOWN), 0.0379, rtol_of(1e-5), output_step=1e-5)
        sag = -result.displacement(beam, "middle", relative_to=fb.Chord())[:, 2] - beams.SAG
        up = np.flatnonzero((sag[:-1] < 0) & (sag[1:] >= 0))
        crossings = result.t[up] - sag[up] * 1e-5 / (sag[up + 1] - sag[up])
        assert np.polyfit(np.arange(len(up)), crossings, 1)[0] == pytest.approx(7.58e-3, rel=2e-3)
        assert sag.max() == pytest.approx(beams.SAG, rel=0.02)

    def test_spring_under_the_middle(self):
        """Spring s below the middle, force F upon it: deflection F / (s + 48 EI/l^3).

        A point load's deflection in sines misses sum 1/n^4 beyond the ninth over 1.015: 5e-5.
        """
        beam, joints = supported(beams.sine_beam(9), damping_ratio=0.6)
        stiffness, force, length = 48 * beams.EI / beams.LENGTH**3, 2.0, 0.05
        below = (0.5 * beams.LENGTH, 0, -length)
        forces = [
            fb.SpringDamper("spring", fb.GROUND, beam["middle"], stiffness=2 * stiffness, first_point=below),
            fb.PointForce("load", beam["middle"], (0, 0, -force)),
        ]
        result = simulate(fb.System([beam], joints, forces), 0.06, rtol_of(1e-4))
        down = -result.position(beam["middle"])[-1, 2]
        assert down == pytest.approx(force / (3 * stiffness), rel=2e-4)
        assert result.reaction("left").force[-1, 2] == pytest.approx(force / 6, rel=2e-4)

    def test_moment_on_an_end(self):
        """Moment M at one end: the middle rises by M l^2 / 16 EI; 1/n^3 sines of even n have their node there.

        Missing from the eleventh on: sum of alternating 1/n^3 over pi^3/32 = 0.97, 4e-4.
        """
        beam, joints = supported(beams.sine_beam(9), damping_ratio=0.6)
        load = fb.PointMoment("moment", beam["end"], (0, -0.1, 0))
        result = simulate(fb.System([beam], joints, [load]), 0.06, rtol_of(1e-4))
        rise = result.displacement(beam, "middle", relative_to=fb.Chord())[-1, 2]
        assert abs(rise) == pytest.approx(0.1 * beams.LENGTH**2 / (16 * beams.EI), rel=1e-3)


def rtol_of(rtol):
    return fb.GeneralizedAlpha(rtol=rtol)


class TestFreeFlexibleBodies:
    def test_fall_without_deformation(self):
        """A uniform field accelerates all points alike. Newton's tolerance is 1e-9 of g: 1e-9 of the path."""
        beam = fb.FlexibleBody("beam", beams.quintic_beam(), velocity=(1.0, 2.0, 0))
        result = simulate(fb.System([beam], gravity=DOWN), 1.0, step=0.01)
        t = result.t[:, None]
        start = result.position(beam)[0]
        np.testing.assert_allclose(
            result.position(beam) - start, t * [1, 2, 0] + 0.5 * t**2 * DOWN, rtol=0, atol=1e-9
        )
        assert np.abs(result.alpha(beam)).max() < 1e-12
        np.testing.assert_allclose(result.rotation(beam), np.eye(3)[None].repeat(len(t), 0), atol=1e-12)

    @pytest.mark.parametrize("integrator", [fb.GeneralizedAlpha(), fb.Explicit()])
    def test_stay_at_rest(self, integrator):
        """Nothing moves in a machine without loads: exactly, on both integrators."""
        system = pair(velocity=(0, 0, 0), spin=(0, 0, 0), alpha_dot=np.zeros(8))
        result = simulate(system, 0.1, integrator)
        assert not result.v.any()
        assert not result.all_alpha.any()

    @pytest.mark.many_steps
    def test_keep_momentum_and_moment_of_momentum(self):
        """Two beams on a ball joint, thrown spinning and ringing: sums over their points, no C1..C8.

        Momentum is linear in the velocities: no error but Newton's, of which 1e-9 is left in each of some hundred
        steps. Moment of momentum, quadratic, has the method's order.
        """
        drift, steps = [], (1e-4, 5e-5, 2.5e-5)
        for h in steps:
            result = simulate(pair(), 0.02, step=h, output_step=2e-4)
            linear, angular = (
                sum(parts) for parts in zip(*(beams.momenta(result, n) for n in "ab"), strict=True)
            )
            assert np.abs(linear - linear[0]).max() < 1e-7 * np.abs(linear).max()
            drift.append(np.abs(angular - angular[0]).max() / np.abs(angular).max())
        assert fitted_order(steps, drift) == pytest.approx(2, abs=0.15)
        assert drift[-1] < 1e-4
        precise = simulate(pair(), 0.02, fb.Explicit(rtol=1e-9), output_step=2e-4)
        _, angular = (sum(parts) for parts in zip(*(beams.momenta(precise, n) for n in "ab"), strict=True))
        assert np.abs(angular - angular[0]).max() < 1e-7 * np.abs(angular).max()

    @pytest.mark.many_steps
    def test_moment_on_a_flexible_body_gives_moment_of_momentum(self):
        """A constant inertial moment at an end that bends and turns: moment of momentum M t, whatever happens.

        The load does not act through the marker's displacement alone but through the tangent of its rotation.
        """
        moment = np.array([0.002, 0.05, 0.3])
        beam = fb.FlexibleBody("beam", beams.quintic_beam())
        system = fb.System([beam], (), [fb.PointMoment("moment", beam["end"], moment)])
        result = simulate(system, 0.03, fb.Explicit(rtol=1e-9))
        linear, angular = beams.momenta(result, "beam")
        np.testing.assert_allclose(linear, 0, atol=1e-9)
        np.testing.assert_allclose(angular, result.t[:, None] * moment, rtol=0, atol=1e-8 * 0.3 * 0.03 * 10)


def pair(velocity=(0.5, -0.3, 0.8), spin=(5.0, -20.0, 30.0), alpha_dot=None, turn=EYE, gravity=(0, 0, 0)):
    """Two beams in line on a ball joint; ``turn`` turns the whole machine and all that acts on it in space."""
    rate = np.array([0.4, -0.2, 0.1, 0, 0.1, 0.3, 0, 0.05]) if alpha_dot is None else alpha_dot
    center = np.array([beams.LENGTH, 0, 0])
    bodies = []
    for k, name in enumerate("ab"):
        middle = center + (k - 0.5) * np.array([beams.LENGTH, 0, 0])
        bodies.append(
            fb.FlexibleBody(
                name,
                beams.quintic_beam(),
                origin=turn @ np.array([k * beams.LENGTH, 0, 0]),
                rotation=turn,
                velocity=turn @ (np.array(velocity) + np.cross(spin, middle - center)),
                angular_velocity=turn @ np.array(spin),
                alpha_dot=rate,
            )
        )
    a, b = bodies
    return fb.System(bodies, [fb.Spherical("ball", a["end"], b["start"])], gravity=turn @ np.array(gravity))


def test_a_machine_turned_in_space_moves_as_before():
    """Supported beam with a swinging second one, spring, follower load and gravity: R turns every result.

    The equations are the same numbers in another base, so that round-off is left, grown by a few hundred steps.
    """
    R = Rotation.from_rotvec([0.7, -1.1, 0.4]).as_matrix()

    def build(turn):
        system = pair(gravity=DOWN, turn=turn)
        a, b = system.bodies
        bearing = fb.Revolute("bearing", fb.GROUND, a["start"], axis=turn @ np.array([0, 1.0, 0]))
        forces = [
            fb.SpringDamper(
                "spring", a["middle"], b["middle"], stiffness=200.0, damping=0.5, free_length=0.25
            ),
            fb.PointForce(
                "jet", b["end"], (0, 0.2, -0.1) if turn is EYE else turn @ [0, 0.2, -0.1], follows=True
            ),
        ]
        return replace(system, joints=[*system.joints, bearing], forces=forces)

    plain, turned = (simulate(build(turn), 0.02, step=1e-4) for turn in (EYE, R))
    for name in "ab":
        np.testing.assert_allclose(turned.alpha(name), plain.alpha(name), atol=1e-9)
        np.testing.assert_allclose(turned.position(name), plain.position(name) @ R.T, atol=1e-9)
        Q = R @ plain.rotation(name) @ R.T  # a drawn body has Q = 1 in both
        np.testing.assert_allclose(turned.rotation(name), Q, atol=1e-8)
    one, two = plain.reaction("ball").force, turned.reaction("ball").force
    np.testing.assert_allclose(two, one @ R.T, atol=1e-6 * np.abs(one).max())
    np.testing.assert_allclose(
        turned.energy.residual, plain.energy.residual, atol=1e-8 * plain.energy.kinetic.max()
    )
