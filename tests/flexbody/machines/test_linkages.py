"""Mechanisms of the literature by the precise method: whole motions and pin forces against programs of their own."""

import functools
import warnings

import numpy as np
import pytest
from reference import attia, bricard, heavy_top, machines, pendulum
from scipy.integrate import solve_ivp
from support import linkages

import flexbody as fb
from flexbody.equations import consistent_start

PRECISE = fb.Explicit(rtol=1e-10)
G = 9.81


def simulate(system, t_end, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(system, t_end, integrator=PRECISE, show_progress=False, **options)


class TestAttia:
    """Attia's five-bar linkage of one freedom and two loops, see reference/attia.py."""

    @staticmethod
    @functools.cache
    def run():
        return simulate(linkages.attia_linkage(), 2.0, output_step=0.02)

    def test_the_reference_starts_as_derived(self):
        """Five formulations, of which this is one, agree to the eight digits given."""
        found, cut = attia.Linkage().accelerations(np.zeros(5), np.zeros(5))
        np.testing.assert_allclose(found, attia.ACCELERATIONS_0, atol=6e-9)
        np.testing.assert_allclose(cut, [complex(*attia.FORCES_0[pin]) for pin in "CF"], atol=6e-9)
        masses = [mass for _, mass in attia.particles()["ABD"]]
        np.testing.assert_allclose(masses, (0.547308294, 1, 1.452691706), atol=6e-10)

    def test_accelerations_at_the_start(self):
        found = [self.run().coordinate_acceleration(pin)[0] for pin in "OABDE"]
        np.testing.assert_allclose(found, attia.ACCELERATIONS_0, atol=6e-9)

    @pytest.mark.parametrize("pin", attia.FORCES_0)
    def test_pin_forces_at_the_start(self, pin):
        """Of the first body on the second; half a unit of the last of five (C, F: eight) digits."""
        found = self.run().reaction(pin)
        digits = 6e-9 if pin in "CF" else 6e-6
        np.testing.assert_allclose(found.force[0], [*attia.FORCES_0[pin], 0], atol=digits)
        np.testing.assert_allclose(found.moment[0], 0, atol=1e-9)

    @pytest.mark.parametrize("closures", [fb.PointOnLine, fb.Revolute, None])
    def test_motion(self, closures):
        """Over more than three quarters of a turn: rigid bodies, six times too often held, or particles on bars.

        rtol is 1e-10 of the path in each of some 200 steps; the reference has 1e-11.
        """
        if closures is fb.PointOnLine:
            result = self.run()
        else:
            system = linkages.attia_linkage(closures) if closures else linkages.attia_particles()
            result = simulate(system, 2.0, output_step=0.02)
        exact, rates = self.exact()
        if closures:
            found = np.column_stack([result.coordinate(pin) for pin in "OABDE"])
            speed = np.column_stack([result.coordinate_rate(pin) for pin in "OABDE"])
            np.testing.assert_allclose(found, exact, atol=1e-8)
            np.testing.assert_allclose(speed, rates, atol=1e-7)
            assert result.coordinate("O")[-1] + np.angle(attia.A) == pytest.approx(attia.THETA_2, abs=6e-7)
        assert result.statistics.rank == (29 if closures else 26)
        end = result.position(result.system.body("EF")["E"] if closures else "E")
        linkage = attia.Linkage()
        on_e = linkage.places.tolist().index(attia.E)
        path = np.array([linkage.state(*state)[0][on_e] for state in zip(exact, rates, strict=True)])
        np.testing.assert_allclose(end, np.column_stack([path.real, path.imag, 0 * path.real]), atol=1e-8)
        assert result.energy.balance_error < 1e-9

    @staticmethod
    @functools.cache
    def exact():
        return attia.Linkage().solution(np.linspace(0, 2.0, 101))

    @pytest.mark.parametrize("pin", "CF")
    def test_pin_forces_all_the_way(self, pin):
        """The forces of the ground on the cut pins, from accelerations of order one: 1e-7 N."""
        forces = np.array(
            [attia.Linkage().accelerations(*state)[1] for state in zip(*self.exact(), strict=True)]
        )
        exact = forces[:, "CF".index(pin)]
        assert np.ptp(exact.imag) > 3
        found = self.run().reaction(pin).force
        np.testing.assert_allclose(
            found, np.column_stack([exact.real, exact.imag, 0 * exact.real]), atol=1e-6
        )

    def test_masses_as_published_are_no_body(self):
        """Table 2's particles (4.2967, 1, -2.2967) kg: 6 kg m^2 about A would be -11.97 kg m^2 about the centre."""
        arm = attia.center("ABD") - attia.A
        with pytest.raises(fb.InputError, match="inertia"):
            body = fb.RigidBody("ABD", 3.0, (6.0 - 3 * abs(arm) ** 2,) * 3)
            fb.System([body])


class TestBricard:
    """IFToMM A04: 30 rows of rank 29 and yet one freedom, by the special lengths and angles."""

    @staticmethod
    @functools.cache
    def run():
        return simulate(linkages.bricard(), 3.0, output_step=0.05)

    def test_one_row_is_redundant_and_named(self):
        found = fb.mobility(linkages.bricard())
        assert (found.rows, found.rank, found.degrees_of_freedom, found.singular) == (30, 29, 1, ())
        assert {f"revolute joint 'hinge {k}'" for k in range(6)} == set(found.redundant)
        with pytest.warns(fb.RedundantConstraintWarning, match="1 of the 30"):
            fb.simulate(linkages.bricard(), 1e-3, show_progress=False)

    def test_energy(self):
        energy = self.run().energy
        assert energy.total[0] == pytest.approx(bricard.ENERGY, abs=1e-12)
        assert np.ptp(energy.total) < 1e-9 * np.ptp(energy.kinetic)
        assert energy.kinetic.max() > 4

    def test_motion(self):
        """All six angles, from rest through the lowest position and back up: splines of 2e-9, and the path's 1e-8."""
        result = self.run()
        exact = bricard.solution(result.t)
        assert np.ptp(exact[:, 0]) > 3.0
        found = np.column_stack([result.coordinate(f"hinge {k}") for k in range(6)])
        np.testing.assert_allclose(found, exact, atol=1e-7)

    @pytest.mark.parametrize(
        "integrator",
        [PRECISE, fb.Automatic(), fb.GeneralizedAlpha(rtol=1e-6), fb.GeneralizedAlpha(step=2e-3)],
    )
    @pytest.mark.parametrize("left_out", [0, 16, 25])
    def test_whichever_row_is_left_out(self, monkeypatch, left_out, integrator):
        """Rows that were a good choice at the start depend on each other on the way: then others are kept."""

        def chosen(plan, G):
            active = np.ones(G.shape[0], dtype=np.int64)
            active[left_out] = 0
            return active

        with monkeypatch.context() as at_start, warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
            at_start.setattr(consistent_start, "rows_to_keep", chosen)
            result = fb.simulate(
                linkages.bricard(), 3.0, integrator=integrator, output_step=0.05, show_progress=False
            )
        exact = bricard.solution(result.t)[-1]
        found = [result.coordinate(f"hinge {k}")[-1] for k in range(6)]
        np.testing.assert_allclose(found, exact, atol=1e-7 if integrator is PRECISE else 1e-4)
        if isinstance(integrator, fb.Automatic):  # other rows let the explicit method go on
            assert result.statistics.method == "Explicit(rtol=1e-07)"

    def test_motion_by_the_implicit_method(self):
        """rtol = 1e-6 of a path of 4 m in 3 s; errors grow tenfold about the turning points."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
            result = fb.simulate(
                linkages.bricard(),
                3.0,
                integrator=fb.GeneralizedAlpha(rtol=1e-6),
                output_step=0.05,
                show_progress=False,
            )
        found = np.column_stack([result.coordinate(f"hinge {k}") for k in range(6)])
        np.testing.assert_allclose(found, bricard.solution(result.t), atol=4e-5)
        assert result.statistics.rank == 29

    def test_hinges_do_no_work_and_carry_the_rods(self):
        """What the ground gives: the rods' inertia less their weights, in spite of the undetermined share."""
        result = self.run()
        given = result.reaction("hinge 0").force - result.reaction("hinge 5").force
        inertia = sum(result.acceleration(f"rod {k}") for k in range(5))
        np.testing.assert_allclose(given, inertia + [0, 5 * G, 0], atol=1e-6)


def test_heavy_top_to_the_digits_of_the_literature():
    """Eight digits at 0.2 s, 30 rad on."""
    system, read = machines.heavy_top_machine()
    np.testing.assert_allclose(read(simulate(system, 0.2))["euler"][-1], heavy_top.EULER_02, atol=1.1e-8)


def test_pendulum_to_the_digits_of_the_exact_solution():
    """Four swings of up to 4.4 m/s, rtol = 1e-10 of the path of 30 m in each step, of which errors of phase remain."""
    system, read = machines.pendulum_machine()
    np.testing.assert_allclose(read(simulate(system, 10.0))["position"][-1], pendulum.POSITION_10, atol=1e-8)


class TestMovingSupport:
    """Lecture, slides 33-38: a bar (m, l) on a support that moves as x(t), theta from the vertical:

    ``m l^2 theta../3 + m l x../2 cos(theta) + m g l/2 sin(theta) = 0``, the second term the transport inertia force.
    """

    MASS, LENGTH, SIZE, RATE = 2.0, 0.8, 0.15, 4.0
    T_END = 3.0

    @classmethod
    def motion(cls, t):
        return cls.SIZE * np.sin(cls.RATE * t), cls.SIZE * cls.RATE**2 * -np.sin(cls.RATE * t)

    def bar(self):
        inertia = self.MASS * self.LENGTH**2 / 12
        # the support moves from the start: so does the bar, without turning
        return fb.RigidBody(
            "bar",
            self.MASS,
            (inertia, inertia, inertia),
            center=(0, -self.LENGTH / 2, 0),
            velocity=(self.SIZE * self.RATE, 0, 0),
            markers={"top": (0, 0, 0)},
        )

    def on_a_carriage(self):
        carriage = fb.RigidBody("carriage", 1.3, (1, 1, 1), velocity=(self.SIZE * self.RATE, 0, 0))
        bar = self.bar()
        guide = fb.Prismatic("guide", fb.GROUND, carriage, point=(0, 0, 0), axis="x")
        pin = fb.Revolute("pin", carriage, bar, point=(0, 0, 0))
        drive = fb.Drive("drive", guide, value=lambda t: 0.15 * np.sin(4.0 * t))
        return fb.System([carriage, bar], [guide, pin, drive], gravity=(0, -G, 0))

    def on_a_driven_plane(self):
        bar = self.bar()
        plane = fb.Planar("pin", fb.GROUND, bar, point=(0, 0, 0), along="x")
        wave = {"value": lambda t: 0.15 * np.sin(4.0 * t), "velocity": lambda t: 0.6 * np.cos(4.0 * t),
                "acceleration": lambda t: -2.4 * np.sin(4.0 * t)}  # fmt: skip
        drives = [fb.Drive("drive", plane, which="x", **wave), fb.Drive("hold", plane, value=0.0, which="y")]
        return fb.System([bar], [plane, *drives], gravity=(0, -G, 0))

    def on_a_function(self):
        bar = self.bar()
        flat = fb.Planar("plane", fb.GROUND, bar, point=(0, 0, 0), along="x")
        top = fb.Constraint(
            "pin", bar["top"], position=lambda t, a: [a.r[0] - 0.15 * np.sin(4.0 * t), a.r[1]]
        )
        return fb.System([bar], [flat, top], gravity=(0, -G, 0))

    @functools.cached_property
    def exact(self):
        m, l = self.MASS, self.LENGTH

        def rhs(t, y):
            return [y[1], -1.5 / l * (self.motion(t)[1] * np.cos(y[0]) + G * np.sin(y[0]))]

        t = np.linspace(0, self.T_END, 301)
        run = solve_ivp(rhs, (0, self.T_END), [0, 0], "DOP853", t, rtol=1e-12, atol=1e-12)
        theta, rate = run.y
        second = rhs(t, run.y)[1]
        # force on the top: m (centre's acceleration - g)
        ax = self.motion(t)[1] + l / 2 * (second * np.cos(theta) - rate**2 * np.sin(theta))
        ay = l / 2 * (second * np.sin(theta) + rate**2 * np.cos(theta))
        return t, theta, rate, m * np.column_stack([ax, ay + G])

    @pytest.mark.parametrize("how", ["on_a_carriage", "on_a_driven_plane", "on_a_function"])
    def test_motion_force_and_power(self, how):
        t, theta, rate, force = self.exact
        assert np.ptp(theta) > 1.0
        result = simulate(getattr(self, how)(), self.T_END, output_step=0.01)
        Q = result.rotation("bar")
        np.testing.assert_allclose(np.arctan2(Q[:, 1, 0], Q[:, 0, 0]), theta, atol=1e-8)
        np.testing.assert_allclose(result.angular_velocity("bar")[:, 2], rate, atol=1e-7)
        if how == "on_a_driven_plane":
            found = result.reaction("drive").force + result.reaction("hold").force
        else:
            found = result.reaction("pin").force
        np.testing.assert_allclose(found[:, :2], force, atol=1e-6)
        # the drive's work is what the bar (and the carriage) has: the rheonomic term in the energy
        bar = 0.5 * self.MASS * (np.sum(result.velocity("bar") ** 2, axis=1) + self.LENGTH**2 / 12 * rate**2)
        height = -self.LENGTH / 2 * np.cos(theta)
        own = bar + self.MASS * G * height
        if how == "on_a_carriage":
            own = own + 0.5 * 1.3 * (0.6 * np.cos(4.0 * t)) ** 2
        np.testing.assert_allclose(result.energy.input, own - own[0], atol=1e-7)
        assert np.abs(result.energy.input).max() > 0.5
        assert result.energy.balance_error < 1e-8
