"""Consistent starts: what is kept of the given state, what is corrected, and by how much."""

from dataclasses import replace

import numpy as np
import pytest
from reference import ivp_crank, machines, slider_crank
from support import beams

import flexbody as fb


def simulate(system, t_end=1e-3, integrator=None, **options):
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def at_rest(system):
    """The same machine with no initial velocity of any body."""
    return replace(
        system, bodies=[replace(b, velocity=(0, 0, 0), angular_velocity=(0, 0, 0)) for b in system.bodies]
    )


class TestVelocities:
    def test_drive_sets_the_machine_in_motion(self):
        """Drawn at rest and driven at 150 rad/s: crank, rod and slider get the velocities of a rigid machine.

        Crank along x: the pin moves at 22.5 m/s along y, the rod turns about the wrist, the slider stands still.
        """
        system, _ = machines.koppens_slider_crank("quintic")
        result = simulate(at_rest(system))
        p = slider_crank
        np.testing.assert_allclose(result.angular_velocity("crank")[0], [0, 0, p.SPEED], atol=1e-9)
        np.testing.assert_allclose(
            result.angular_velocity("rod")[0], [0, 0, -p.SPEED * p.CRANK / p.LENGTH], atol=1e-9
        )
        np.testing.assert_allclose(result.velocity("slider")[0], 0, atol=1e-9)
        assert not result.alpha_dot("rod")[0].any()  # modal rates are kept, to the last digit

    def test_correction_is_reported(self):
        """Root mean square over the mass of the change of velocity: from rest, that is sqrt(2 T / m)."""
        system, _ = machines.koppens_slider_crank("quintic")
        result = simulate(at_rest(system))
        mass = sum(body.mass for body in system.bodies)
        assert result.statistics.velocity_correction == pytest.approx(
            np.sqrt(2 * result.energy.kinetic[0] / mass), rel=1e-12
        )
        assert simulate(system).statistics.velocity_correction < 1e-12 * 22.5

    def test_modal_rates_are_kept_as_given(self):
        system, _ = machines.koppens_slider_crank("quintic")
        rate = np.array([0.3, -0.1, 0.05, 0.2])
        rod = replace(system.body("rod"), alpha_dot=rate)
        bodies = [rod if b.name == "rod" else b for b in system.bodies]
        result = simulate(replace(system, bodies=bodies))
        np.testing.assert_array_equal(result.alpha_dot("rod")[0], rate)
        assert result.statistics.velocity_correction > 1e-3
        # the pin's own speed in the body is made up by the rigid motion
        crank, rod = system.body("crank"), result.system.body("rod")
        pin = result.velocity(rod["start"])[0]
        np.testing.assert_allclose(pin, [0, slider_crank.SPEED * slider_crank.CRANK, 0], atol=1e-9)
        assert crank.name == "crank"

    @pytest.mark.parametrize("velocity", [(0, 0, 0), (0, 2.0, 0), (0, 1e-9, 0), (0, 1e9, 0)])
    def test_consistent_velocities_are_left_alone(self, velocity):
        """At rest or not, slow or fast: no correction, no complaint about round-off."""
        bar = fb.RigidBody("bar", 1.0, (1, 1, 1), center=(0.6, 0, -0.8), velocity=velocity,
                           angular_velocity=np.cross((0.6, 0, -0.8), velocity))  # fmt: skip
        system = fb.System([bar], [fb.Spherical("hinge", fb.GROUND, bar, point=(0, 0, 0))])
        result = simulate(system, 1e-3 / max(1.0, velocity[1]), step=1e-4 / max(1.0, velocity[1]))
        np.testing.assert_allclose(result.velocity(bar)[0], velocity, atol=1e-14 * velocity[1])

    def test_velocities_that_contradict(self):
        """Two drives of one hinge at different rates are refused by name."""
        bar = fb.RigidBody("bar", 1.0, (1, 1, 1), center=(0.5, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
        system = fb.System([bar], [hinge, fb.Drive("one", hinge, rate=1.0), fb.Drive("two", hinge, rate=2.0)])
        with pytest.raises(fb.ConstraintError, match=r"drive 'one'.*drive 'two'|drive 'two'.*drive 'one'"):
            simulate(system)


class TestPositions:
    GAP = 1e-3

    def pendulum(self, reduced, **options):
        beam = fb.FlexibleBody(
            "beam", reduced, place={"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)}, **options
        )
        anchor = fb.RigidBody("anchor", 1e3, (1e3, 1e3, 1e3), markers={"eye": (0, 0, self.GAP)})
        base = fb.Fixed("base", fb.GROUND, anchor, point=(0, 0, 0))
        return beam, fb.System([beam, anchor], [base, fb.Spherical("ball", anchor["eye"], beam["start"])])

    def test_a_gap_is_closed(self):
        """A joint drawn 1 mm apart: the bodies come together, the modal coordinates stay, and the way is told."""
        alpha = np.array([2e-3, -1e-3, 0, 0, 1e-3, 0, 0, 0])
        beam, system = self.pendulum(beams.quintic_beam(), alpha=alpha)
        result = simulate(system)
        np.testing.assert_array_equal(result.alpha(beam)[0], alpha)
        eye = result.position(system.body("anchor")["eye"])[0]
        np.testing.assert_allclose(result.position(beam["start"])[0], eye, atol=1e-12)
        np.testing.assert_allclose(eye, [0, 0, self.GAP], atol=1e-12)
        moved = np.abs(result.position(beam)[0] - beam.start).max()
        assert result.statistics.position_correction == pytest.approx(moved, rel=1e-9)
        assert moved > 0.1 * self.GAP

    def test_nothing_is_moved_without_need(self):
        """A machine drawn closed stays as drawn: the test set's crank with its four initial modal coordinates."""
        system, _ = machines.ivp_crank_machine()
        result = simulate(system, 1e-5)
        np.testing.assert_array_equal(result.alpha("rod")[0], ivp_crank.Q0)
        # its slider's published place is exact to nine digits, 0.450016933 m
        assert result.statistics.position_correction < 1e-9

    def test_modal_coordinates_move_where_nothing_else_can(self):
        """A rod that must be longer than it is drawn, between two fixed points: only its stretch gives way."""
        stretch = 2e-5
        rod = fb.FlexibleBody("rod", machines.ivp_crank_rod())
        ends = (0, 0, 0), (ivp_crank.L2 + stretch, 0, 0)
        far = fb.RigidBody("far", 1e3, (1e3, 1e3, 1e3), center=ends[1], markers={"eye": ends[1]})
        joints = [
            fb.Universal("near", fb.GROUND, rod["start"], axes=("y", "z")),
            fb.Fixed("base", fb.GROUND, far, point=ends[1]),
            fb.Spherical("pin", far["eye"], rod["end"]),
        ]
        result = simulate(fb.System([rod, far], joints), 1e-5)
        # the chord frame's last function alone stretches the rod
        assert result.alpha(rod)[0, 3] == pytest.approx(stretch, rel=1e-9)

    def test_a_machine_that_cannot_be_closed(self):
        """Two rigid bars of 1 m between points 2.1 m apart: the error names joint and amount."""
        bars = [fb.RigidBody(n, 1.0, (1, 1, 1), center=(k + 0.5, 0, 0), markers={"far": (k + 1, 0, 0)})
                for k, n in enumerate("ab")]  # fmt: skip
        anchor = fb.RigidBody("anchor", 1.0, (1, 1, 1), center=(2.1, 0, 0), markers={"eye": (2.1, 0, 0)})
        joints = [
            fb.Spherical("left", fb.GROUND, bars[0], point=(0, 0, 0)),
            fb.Spherical("middle", *bars, point=(1, 0, 0)),
            fb.Spherical("right", bars[1]["far"], anchor["eye"]),
            fb.Fixed("base", fb.GROUND, anchor, point=(2.1, 0, 0)),
        ]
        with pytest.raises(fb.ConstraintError, match=r"as drawn .*'right' misses by 0\.1 "):
            simulate(fb.System([*bars, anchor], joints))


class TestAccelerations:
    CASES = {  # noqa: RUF012
        "slider-crank": lambda: machines.koppens_slider_crank("quintic", start="quasi_static")[0],
        "test set": lambda: machines.ivp_crank_machine()[0],
        "squeezer": lambda: machines.andrews_machine()[0],
        "heavy top": lambda: machines.heavy_top_machine()[0],
    }

    @pytest.mark.parametrize("name", CASES)
    def test_initial_accelerations_are_the_rates_of_the_velocities(self, name):
        """One-sided differences of sixth order over six steps of 2 us, from runs of order 8.

        Truncation is (omega h)^6 / 7 of an acceleration, with omega h of at most 0.1 for the modes here.
        """
        h = 2e-6
        result = simulate(self.CASES[name](), 6 * h, fb.Explicit(step=h), output_step=h)
        weights = np.array([-147, 360, -450, 400, -225, 72, -10]) / (60 * h)
        rate = weights @ result.v
        np.testing.assert_allclose(result.vdot[0], rate, rtol=0, atol=1e-5 * np.abs(result.vdot[0]).max())

    def test_pendulum(self):
        """Let go from the horizontal: angular acceleration g / l, the hinge carries m (a_c - g) at once."""
        system, _ = machines.pendulum_machine()
        result = simulate(system, 1e-3, step=1e-4)
        first = result.plan.layout.v_at[0]
        np.testing.assert_allclose(
            result.vdot[0, first : first + 6], [0, -9.81 / 2, 0, 0, 0, -9.81], atol=1e-12
        )
        np.testing.assert_allclose(result.reaction("hinge").force[0], [0, 9.81 / 2, 0], atol=1e-12)

    def test_squeezer_multipliers(self):
        """The first two multipliers at t = 0 to the digits of the test set: the force in the pin F on K3."""
        from reference import andrews

        result = simulate(machines.andrews_machine()[0], 1e-6, step=1e-6)
        np.testing.assert_allclose(result.reaction("F3").force[0, :2], andrews.LAMBDA0, rtol=1e-9)


def test_the_warning_of_redundant_constraints_names_few_joints():
    body = fb.RigidBody("body", 1.0, (1.0, 1.0, 1.0))
    clamps = [fb.Fixed(f"clamp {k}", fb.GROUND, body, point=(k, 0, 0)) for k in range(9)]
    with pytest.warns(fb.RedundantConstraintWarning, match="share their reactions") as caught:
        simulate(fb.System([body], clamps))
    said = str(caught[0].message)
    assert "fixed joint 'clamp 5' and 3 more (9 in all) share their reactions" in said
    assert "clamp 6" not in said
    with pytest.warns(
        fb.RedundantConstraintWarning, match="fixed joint 'clamp 0', fixed joint 'clamp 1' share"
    ):
        simulate(fb.System([body], clamps[:2]))


def test_drives_that_say_the_same_are_told_as_drives():
    body = fb.RigidBody("body", 1.0, (1.0, 1.0, 1.0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0))
    drives = [fb.Drive(name, hinge, rate=1.0) for name in ("first", "second")]
    says = "drive 'first', drive 'second' share their reactions .* remove all but one of these drives$"
    with pytest.warns(fb.RedundantConstraintWarning, match=says):
        simulate(fb.System([body], [hinge, *drives]))
