"""The default tolerance of machines that damping makes forget errors before the end of the run."""

import re
from dataclasses import replace

import numpy as np
import pytest

import flexbody as fb
from flexbody.analyses.compiled import compiled
from flexbody.equations.state import drawn_state, move_state
from flexbody.integrators.forgetting import forgetting_time, may_forget
from flexbody.integrators.prescribed import prescribed_bodies

MASS, RATE = 2.0, 20.0  # kg, rad/s


def mass_on_spring(ratio, load=None, name="mass", rate=RATE):
    """A mass on a spring along x with this damping ratio; bodies, joints and forces."""
    body = fb.RigidBody(name, MASS, (0.01,) * 3)
    spring = fb.Bushing(
        f"spring of {name}",
        fb.GROUND,
        body,
        stiffness=(MASS * rate**2, 0, 0, 0, 0, 0),
        damping=(2 * ratio * rate * MASS, 0, 0, 0, 0, 0),
        point=(0, 0, 0),
    )
    guide = fb.Prismatic(f"guide of {name}", fb.GROUND, body, point=(0, 0, 0), axis="x")
    loads = [fb.PointForce(f"load of {name}", body, load)] if load else []
    return [body], [guide], [spring, *loads]


def system_of(*parts):
    bodies, joints, forces = ([one for part in parts for one in part[k]] for k in range(3))
    return fb.System(bodies, joints, forces)


def forgets_in(system):
    plan = compiled(system, 1.0, None)
    return forgetting_time(plan, drawn_state(plan))


def run(system, t_end, **options):
    return fb.simulate(system, t_end, output_step=t_end / 400, show_progress=False, **options)


class TestForgettingTime:
    def test_of_an_oscillator_is_that_of_its_decay(self):
        assert forgets_in(system_of(mass_on_spring(0.02))) == pytest.approx(1 / (0.02 * RATE), rel=1e-6)

    def test_of_a_creeping_oscillator_is_that_of_its_slower_root(self):
        slow = RATE * (3.0 - np.sqrt(3.0**2 - 1.0))
        assert forgets_in(system_of(mass_on_spring(3.0))) == pytest.approx(1 / slow, rel=1e-6)

    def test_is_the_longest_of_all_parts(self):
        two = system_of(mass_on_spring(0.02), mass_on_spring(0.01, name="other", rate=10.0))
        assert forgets_in(two) == pytest.approx(1 / (0.01 * 10.0), rel=1e-6)

    @pytest.mark.parametrize(
        "parts",
        [[mass_on_spring(0.0)], [mass_on_spring(0.1), ([fb.RigidBody("free", 1.0, (0.1,) * 3)], [], [])]],
    )
    def test_is_endless_where_a_motion_does_not_decay(self, parts):
        # (a decay of round-off is no decay)
        assert forgets_in(system_of(*parts)) > 1e5

    def test_of_a_turning_rotor_is_that_of_its_bearings(self):
        """Its unbalance turns, and about a state looks like a stiffness that is negative in one direction."""
        rotor = fb.RigidBody(
            "rotor",
            MASS,
            (0.01,) * 3,
            center=(0.3, 0, 0),
            velocity=(0, 60.0, 0),
            angular_velocity=(0, 0, 200.0),
        )
        box = fb.RigidBody("box", MASS, (0.1,) * 3)
        k, d = 2 * MASS * RATE**2, 2 * 0.05 * RATE * 2 * MASS
        bearing = fb.Bushing(
            "bearing",
            fb.GROUND,
            box,
            stiffness=(k, k, k, 1e4, 1e4, 1e4),
            damping=(d, d, d, 50.0, 50.0, 50.0),
            point=(0, 0, 0),
        )
        shaft = fb.Revolute("shaft", box, rotor, point=(0, 0, 0), axis="z")
        system = fb.System([box, rotor], [shaft, fb.Drive("drive", shaft, rate=200.0)], [bearing])
        # the rotor's moment of inertia about the bearing couples the axes a little
        assert forgets_in(system) == pytest.approx(1 / (0.05 * RATE), rel=0.1)

    def test_is_not_asked_for_contacts(self):
        ball = fb.RigidBody("ball", 1.0, (0.1,) * 3, center=(0, 0, 0.1))
        floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e5)
        assert not may_forget(compiled(fb.System([ball], forces=[floor]), 1.0, None))


def steady(t, rate, size, ratio):
    """The closed form of a forced vibration that begins at rest under size * sin(rate t)."""
    own = RATE * np.sqrt(1 - ratio**2)
    answer = size / MASS / (RATE**2 - rate**2 + 2j * ratio * RATE * rate)
    forced = (answer * np.exp(1j * rate * t)).imag
    x0, v0 = -answer.imag, -(1j * rate * answer).imag
    decay = np.exp(-ratio * RATE * t)
    return forced + decay * (x0 * np.cos(own * t) + (v0 + ratio * RATE * x0) / own * np.sin(own * t))


class TestPrescribedBodies:
    def floor(self, more=()):
        floor, plate = (
            fb.RigidBody(name, MASS, (0.1,) * 3, center=(0, 0, z))
            for name, z in (("floor", 0.0), ("plate", 1.0))
        )
        lift = fb.Prismatic("lift", fb.GROUND, floor, point=(0, 0, 0), axis="z")
        drive = fb.Drive("building", lift, value=lambda t: 1e-3 * np.sin(50.0 * t))
        guide = fb.Prismatic("guide", fb.GROUND, plate, point=(0, 0, 1), axis="z")
        mount = fb.Bushing(
            "mount",
            floor,
            plate,
            stiffness=(0, 0, MASS * RATE**2, 0, 0, 0),
            damping=(0, 0, 8.0, 0, 0, 0),
            point=(0, 0, 0.5),
        )
        return fb.System([floor, plate, *more], [lift, drive, guide], [mount])

    def flags(self, system):
        plan = compiled(system, 1.0, fb.Absolute())
        W, s = plan.work(), drawn_state(plan)
        move_state(plan, W, s)
        return prescribed_bodies(plan, W).tolist()

    def test_are_those_that_drives_move_on_the_ground(self):
        assert self.flags(self.floor()) == [1, 0]

    def test_are_not_those_that_carry_others(self):
        arm = fb.RigidBody("arm", 1.0, (0.1,) * 3, center=(0.5, 0, 0))
        system = self.floor([arm])
        hinge = fb.Revolute("hinge", system.bodies[0], arm, point=(0, 0, 0), axis="y")
        assert self.flags(replace(system, joints=[*system.joints, hinge])) == [0, 0, 0]

    def test_are_not_those_whose_velocities_are_held(self):
        """Their positions follow from velocities, so that errors add up."""
        cart = fb.RigidBody("cart", 1.0, (0.1,) * 3, center=(0, 3, 0))
        rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 3, 0), axis="x")
        speed = fb.Constraint("speed", [fb.GROUND, cart], velocity=lambda t, a, b: b.v[0] - np.cos(t))
        system = self.floor([cart])
        assert self.flags(replace(system, joints=[*system.joints, rail, speed])) == [1, 0, 0]

    def test_do_not_shorten_the_steps(self):
        """The plate's answer to a floor that is 2.5 times as fast as its own vibration, against the closed form."""
        found = run(self.floor(), 10.0, integrator=fb.GeneralizedAlpha())
        d = 8.0 / MASS
        x = 1e-3 * (RATE**2 + 50j * d) / (RATE**2 - 50.0**2 + 50j * d)
        late = found.t > 5.0  # the plate's own vibration has decayed by exp(-10)
        exact = (x * np.exp(50j * found.t[late])).imag
        place = found.position("plate")[late, 2] - 1.0
        assert np.abs(place - exact).max() < 5e-3 * abs(x)
        assert found.statistics.steps < 120 * 10.0 * 50.0 / (2 * np.pi)  # of a period; 600 without both rules


class TestDefaultTolerance:
    def forced(self, ratio):
        rate = 0.85 * RATE
        found = run(
            system_of(mass_on_spring(ratio, lambda t: (20 * np.sin(rate * t), 0, 0))), 20.0,
            integrator=fb.GeneralizedAlpha(),
        )  # fmt: skip
        exact = steady(found.t, rate, 20.0, ratio)
        error = np.sqrt(np.mean((found.position("mass")[:, 0] - exact) ** 2)) / np.abs(exact).max()
        return found.statistics.steps, error

    def test_grows_where_damping_takes_errors_away(self):
        steps, error = self.forced(0.02)
        steps_undamped = self.forced(1e-6)[0]
        assert steps < 0.6 * steps_undamped
        assert error < 5e-3  # what the default tolerance is made for

    def test_stays_where_one_part_remembers(self):
        damped = mass_on_spring(0.02, lambda t: (20 * np.sin(17 * t), 0, 0))
        other = mass_on_spring(0.0, lambda t: (20 * np.sin(17 * t), 0, 0), "other")
        found = run(system_of(damped, other), 20.0, integrator=fb.GeneralizedAlpha())
        largest = float(re.search(r"up to (\S+)", found.statistics.method)[1])
        assert largest <= 2.5e-5  # which short runs without damping have too

    def test_of_a_small_resonance_beside_a_long_way(self):
        """A vibration of 0.03 m, ratio 0.01, beside a mass that swings by 0.5 m.

        Within 2 % (1.1 %, or 0.9 % without this rule): one measure for both bodies would be off by four.
        """
        small = mass_on_spring(
            0.01, lambda t: (MASS * 900.0 * 6e-4 * np.sin(30.0 * t), 0, 0), "small", rate=30.0
        )
        large = mass_on_spring(0.3, lambda t: (MASS * 4.0 * 0.3 * np.sin(2.0 * t), 0, 0), "large", rate=2.0)
        system = system_of(small, large)
        found, exact = (
            run(system, 20.0, integrator=method).position("small")[:, 0]
            for method in (fb.GeneralizedAlpha(), fb.Explicit(rtol=1e-9))
        )
        assert np.sqrt(np.mean((found - exact) ** 2)) < 0.02 * np.abs(exact).max()

    def test_of_tolerances_that_are_given_stays(self):
        load = lambda t: (20 * np.sin(17 * t), 0, 0)  # noqa: E731
        found = run(system_of(mass_on_spring(0.02, load)), 20.0, integrator=fb.GeneralizedAlpha(rtol=1e-5))
        assert found.statistics.method == "GeneralizedAlpha(rtol=1e-05)"
