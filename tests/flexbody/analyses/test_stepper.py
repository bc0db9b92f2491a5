"""Stepping from outside: held inputs, restarts at their jumps, saved states, reading."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.cloud import Cloud
from support.motor import ARM, GRAVITY, INERTIA, MASS, pendulum

import flexbody as fb

#: both integrators: fixed steps, chosen steps, explicit
METHODS = {
    "fixed": fb.GeneralizedAlpha(step=1e-3),
    "chosen": fb.GeneralizedAlpha(),
    "explicit": fb.Explicit(rtol=1e-10),
}


def sampled(n: int, dt: float) -> np.ndarray:
    return 6 * np.sin(9 * dt * np.arange(n)) + 3 * (-1.0) ** np.arange(n)


def reference(values: np.ndarray, dt: float) -> tuple[np.ndarray, float]:
    """Angle and rate (n + 1, 2) of the pendulum with the moment held over each interval; the moment's work, J.

    ``(I + m l^2) phi.. = M - m g l cos phi`` by SciPy's DOP853, interval by interval.
    """
    y, found = np.zeros(3), [np.zeros(2)]
    total = INERTIA + MASS * ARM**2
    for M in values:

        def rate(t, y, M=M):
            return [y[1], (M - MASS * GRAVITY * ARM * np.cos(y[0])) / total, M * y[1]]

        y = solve_ivp(rate, (0, dt), y, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
        found.append(y[:2])
    return np.array(found), y[2]


def run(sim: fb.Stepper, values: np.ndarray, dt: float) -> fb.Result:
    for value in values:
        sim["torque"] = value
        sim.advance(dt)
    return sim.result()


@pytest.fixture(scope="module")
def exact():
    return reference(sampled(TestHeldInputs.n, TestHeldInputs.dt), TestHeldInputs.dt)


class TestHeldInputs:
    dt, n = 0.01, 80

    def errors(self, result, exact) -> np.ndarray:
        first = result.plan.layout.v_at[0]
        return np.array(
            [
                np.abs(result.coordinate("hinge") - exact[0][:, 0]).max(),
                np.abs(result.v[:, first + 5] - exact[0][:, 1]).max(),
            ]
        )

    def test_second_order_with_a_jump_at_every_step(self, exact):
        """Each sample jumps by some 6 Nm; with one to four steps per sample the order is still two."""
        sizes = []
        for parts in (1, 2, 4):
            sim = fb.Stepper(pendulum(fb.Input("torque")), step=self.dt / parts)
            sizes.append(self.errors(run(sim, sampled(self.n, self.dt), self.dt), exact))
        rates = np.log2(np.array(sizes[:-1]) / sizes[1:])
        assert rates.min() > 1.8
        assert sizes[-1].max() < 1e-3  # (omega h)^2 / 12 for omega < 12 rad/s, of angles of about 2 rad

    def test_chosen_steps(self, exact):
        sim = fb.Stepper(pendulum(fb.Input("torque")))
        assert self.errors(run(sim, sampled(self.n, self.dt), self.dt), exact).max() < 2e-3

    def test_explicit(self, exact):
        sim = fb.Stepper(pendulum(fb.Input("torque")), integrator=fb.Explicit(rtol=1e-11))
        assert self.errors(run(sim, sampled(self.n, self.dt), self.dt), exact).max() < 1e-9

    @pytest.mark.parametrize(("method", "tolerance"), [("fixed", 2e-4), ("chosen", 2e-3), ("explicit", 1e-9)])
    def test_energy(self, exact, method, tolerance):
        """The moment's work, and the balance, over 80 jumps."""
        sim = fb.Stepper(pendulum(fb.Input("torque")), integrator=METHODS[method])
        energy = run(sim, sampled(self.n, self.dt), self.dt).energy
        assert abs(energy.input[-1] - exact[1]) < tolerance * energy.kinetic.max()
        assert energy.balance_error < tolerance

    def test_accelerations_jump_with_the_input(self):
        """At once, by M / I: a load set at the start is there at the start."""
        sim = fb.Stepper(pendulum(fb.Input("torque", initial=1.0)), step=1e-4)
        total = INERTIA + MASS * ARM**2
        sim["torque"] = 4.0
        sim.advance(1e-4)
        sim["torque"] = -7.0
        sim.advance(1e-4)
        vdot = sim.result().vdot[:, 5]
        # over these 0.2 ms the weight's moment changes by nothing that counts
        np.testing.assert_allclose(
            vdot, (np.array([4.0, 4.0, -7.0]) - MASS * GRAVITY * ARM) / total, rtol=1e-5
        )


@pytest.mark.parametrize("method", METHODS)
def test_without_inputs_it_is_a_simulation(method):
    """The same states as fb.simulate gives at these times; errors of chosen steps differ a little."""
    sim = fb.Stepper(pendulum(0.5), integrator=METHODS[method])
    for _ in range(20):
        sim.advance(0.01)
    other = fb.simulate(pendulum(0.5), 0.2, integrator=METHODS[method], output_step=0.01)
    tolerance = {"fixed": 1e-10, "chosen": 1e-4, "explicit": 1e-9}[method]
    np.testing.assert_allclose(sim.result().c, other.c, atol=tolerance)
    np.testing.assert_allclose(sim.t, 0.2, rtol=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_of_any_length(method):
    """A fixed step is shortened to divide each interval; every advance ends where it was told to."""
    sim = fb.Stepper(pendulum(0.0), integrator=METHODS[method])
    for dt in (0.0123, 0.0004, 0.05, 0.0004, 0.1):
        sim.advance(dt)
    np.testing.assert_allclose(sim.t, 0.1631, rtol=1e-14)
    exact, _ = reference(np.zeros(1), 0.1631)
    np.testing.assert_allclose(sim.coordinate("hinge"), exact[-1, 0], atol=1e-5)


class TestFutures:
    @staticmethod
    def flexible() -> fb.System:
        reduced = Cloud.random(np.random.default_rng(11), modes=3).body()
        rod = fb.FlexibleBody("rod", reduced, origin=(0.4, 0.1, 0), damping_ratio=0.02)
        foot = fb.Spherical("foot", fb.GROUND, rod["p"])
        torque = fb.Input("torque", initial=(0, 0, 0))
        return fb.System(
            [rod], [foot], [fb.PointForce("push", rod["s"], torque * 2.0)], gravity=(0, 0, -9.81)
        )

    @pytest.mark.parametrize("method", METHODS)
    def test_a_saved_state_has_the_same_future(self, method):
        """To the bit, whatever was tried in between."""
        sim = fb.Stepper(self.flexible(), integrator=METHODS[method])
        sim.set(torque=(0, 3, 0))
        for _ in range(5):
            sim.advance(0.004)
        sim.set(torque=(1, 0, 0))
        saved, t = sim.save(), sim.t

        def future(last):
            for k in range(6):
                if k == 3:
                    sim["torque"] = last
                sim.advance(0.003)
            return sim.result()

        once = future((0, 0, 5))
        sim.restore(saved)
        assert sim.t == t
        np.testing.assert_array_equal(sim["torque"], (1, 0, 0))
        other = future((2, 0, -5))
        sim.restore(saved)
        again = future((0, 0, 5))
        assert len(once.t) == len(again.t) == 12
        for name in ("c", "q", "all_alpha", "v", "vdot", "multipliers", "energies"):
            np.testing.assert_array_equal(getattr(once, name), getattr(again, name))
        assert np.abs(other.v[-1] - once.v[-1]).max() > 1e-3

    def test_reset(self):
        sim = fb.Stepper(self.flexible())
        first = [sim.advance(0.01) and sim.position("rod") for _ in range(3)]
        sim["torque"] = (1, 2, 3)
        sim.advance(0.01)
        sim.reset()
        assert sim.t == 0
        np.testing.assert_array_equal(sim["torque"], 0)
        for position in first:
            sim.advance(0.01)
            np.testing.assert_array_equal(sim.position("rod"), position)

    def test_a_state_of_another(self):
        one, other = fb.Stepper(pendulum(0.0)), fb.Stepper(pendulum(0.0))
        with pytest.raises(fb.InputError, match="same Stepper"):
            one.restore(other.save())

    def test_two_steppers_of_one_machine(self):
        machine = pendulum(fb.Input("torque"))
        one, other = fb.Stepper(machine), fb.Stepper(machine)
        one["torque"] = 5.0
        one.advance(0.1)
        other.advance(0.1)
        assert other["torque"] == 0.0
        assert one.coordinate("hinge") > other.coordinate("hinge") + 0.05

    def test_start_from_a_state(self):
        """Where a simulation has ended; its time goes on."""
        before = fb.simulate(pendulum(0.0), 0.3, step=1e-3)
        sim = fb.Stepper(pendulum(fb.Input("torque")), start=before, step=1e-3)
        np.testing.assert_allclose(sim.t, 0.3)
        np.testing.assert_allclose(sim.coordinate("hinge"), before.coordinate("hinge")[-1], atol=1e-12)
        sim.advance(0.1)
        whole = fb.simulate(pendulum(0.0), 0.4, step=1e-3)
        np.testing.assert_allclose(sim.coordinate("hinge"), whole.coordinate("hinge")[-1], atol=1e-6)


class TestReading:
    def test_it_agrees_with_the_result(self):
        bar = pendulum(0.0).bodies[0]
        sim = fb.Stepper(pendulum(fb.Input("torque")))
        angles, rates, tips, speeds, forces = [], [], [], [], []
        for k in range(30):
            sim["torque"] = 5.0 * (k % 3)
            sim.advance(0.02)
            angles.append(sim.coordinate("hinge"))
            rates.append(sim.coordinate_rate("hinge"))
            tips.append(sim.position(bar["tip"]))
            speeds.append(sim.velocity(bar["tip"]))
            forces.append(sim.reaction("hinge").force)
        result = sim.result()
        np.testing.assert_allclose(angles, result.coordinate("hinge")[1:], atol=1e-12)
        np.testing.assert_allclose(rates, result.angular_velocity("bar")[1:, 2], atol=1e-12)
        np.testing.assert_allclose(tips, result.position(bar["tip"])[1:], atol=1e-12)
        np.testing.assert_allclose(speeds, result.velocity(bar["tip"])[1:], atol=1e-12)
        np.testing.assert_allclose(forces, result.reaction("hinge").force[1:], atol=1e-9)

    def test_every_reading(self):
        """All that an instant gives is the last state of the result."""
        sim = fb.Stepper(TestFutures.flexible())
        sim.set(torque=(0, 3, 1))
        for _ in range(3):
            sim.advance(0.01)
        result = sim.result()
        tip, options = ("rod", "s"), {"frame": "rod", "relative_to": "foot"}
        for name in ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration"):
            got = getattr(sim, name)(tip, **options)
            np.testing.assert_allclose(
                got, getattr(result, name)(tip, **options)[-1], atol=1e-12, err_msg=name
            )
        np.testing.assert_allclose(sim.rotation(tip), result.rotation(tip)[-1], atol=1e-14)
        np.testing.assert_array_equal(sim.alpha("rod"), result.alpha("rod")[-1])
        np.testing.assert_array_equal(sim.alpha_dot("rod"), result.alpha_dot("rod")[-1])
        np.testing.assert_allclose(
            sim.displacement("rod", "s"), result.displacement("rod", "s")[-1], rtol=1e-12
        )
        moment = result.reaction("foot", frame="rod").force[-1]
        np.testing.assert_allclose(sim.reaction("foot", frame="rod").force, moment, rtol=1e-12)
        assert sim.now.energy.kinetic[0] == result.energy.kinetic[-1]

    def test_slides(self):
        body = fb.RigidBody("slider", 1.0, (1, 1, 1), velocity=(0, 2.0, 0))
        turntable = fb.RigidBody("table", 1.0, (1, 1, 1), angular_velocity=(0, 0, 0.5))
        hinge = fb.Revolute("hinge", fb.GROUND, turntable, point=(0, 0, 0), axis="z")
        guide = fb.Prismatic("guide", turntable, body, point=(0, 0, 0), axis="y")
        sim = fb.Stepper(fb.System([turntable, body], [hinge, guide]), integrator=fb.Explicit())
        before, rates, h = [], [], 1e-3
        for _ in range(3):
            sim.advance(h)
            before.append(sim.coordinate("guide"))
            rates.append(sim.coordinate_rate("guide"))
        rate = rates[1]
        # a central difference over 1 ms of a motion with rates of 1/s: h^2 / 6
        np.testing.assert_allclose((before[2] - before[0]) / (2 * h), rate, rtol=1e-6)
        assert rate > 1.9

    def test_many_turns_in_one_advance(self):
        wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1), angular_velocity=(0, 0, -40.0))
        sim = fb.Stepper(fb.System([wheel], [fb.Revolute("hinge", fb.GROUND, wheel, point=(0, 0, 0))]))
        for _ in range(4):
            sim.advance(0.5)
        np.testing.assert_allclose(sim.coordinate("hinge"), -80.0, atol=1e-8)


class TestDrives:
    def test_a_rate_that_jumps(self):
        """The velocities jump as impulses make them, and what the drive's impulse works is counted."""
        rotor = fb.RigidBody("rotor", 2.0, (0.2, 0.2, 0.3))
        bob = fb.RigidBody("bob", 1.0, (0.01, 0.02, 0.02), center=(1.5, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, rotor, point=(0, 0, 0), axis="z")
        link = fb.Revolute("link", rotor, bob, point=(1, 0, 0), axis="z")
        speed = fb.Input("speed", initial=2.0)
        system = fb.System([rotor, bob], [hinge, link, fb.Drive("motor", hinge, rate=speed)])
        sim = fb.Stepper(system, integrator=fb.Explicit())
        sim.advance(0.25)
        before = sim.velocity("bob"), sim.angular_velocity("bob")[2], sim.coordinate("hinge")
        sim["speed"] = -1.0
        sim.advance(1e-9)
        np.testing.assert_allclose(sim.coordinate("hinge"), before[2], atol=1e-8)
        np.testing.assert_allclose(sim.coordinate_rate("motor"), -1.0, atol=1e-9)
        # the link gives the bob a central impulse P at the pin: m dv = P, I dw = r x P
        pin, impulse = np.array([np.cos(0.5), np.sin(0.5), 0]), 1.0 * (sim.velocity("bob") - before[0])
        moment = np.cross(pin - sim.position("bob"), impulse)[2]
        np.testing.assert_allclose(0.02 * (sim.angular_velocity("bob")[2] - before[1]), moment, atol=1e-7)
        for _ in range(10):
            sim.advance(0.1)
        result = sim.result()
        assert result.energy.balance_error < 1e-7
        np.testing.assert_allclose(result.coordinate("motor")[[1, -1]], [0.5, -0.5], atol=1e-7)

    def test_a_position_can_not_jump(self):
        system = pendulum(0.0)
        hinge = system.joints[0]
        servo = fb.Drive("servo", hinge, value=fb.Input("angle"))
        with pytest.raises(fb.InputError, match=r"drive 'servo': value is .*a position can't"):
            fb.Stepper(fb.System(system.bodies, [hinge, servo]))


def test_an_advance_below_the_round_off_of_the_time():
    sim = fb.Stepper(pendulum(0.0))
    sim.advance(1.0)
    with pytest.raises(
        fb.InputError, match="advance: dt is 1e-17 s, which is lost in the round-off of the time, 1 s"
    ):
        sim.advance(1e-17)
    assert len(sim.result().t) == 2


def test_redundant_constraints():
    """Two hinges on one axis: restarts leave the redundant rows alone; what the hinges carry together is known."""
    bar = fb.RigidBody("bar", MASS, (INERTIA,) * 3, center=(ARM, 0, 0))
    hinges = [fb.Revolute(f"hinge {z}", fb.GROUND, bar, point=(0, 0, z)) for z in (-1, 1)]
    motor = fb.PointMoment("motor", bar, (0, 0, fb.Input("torque")))
    system = fb.System([bar], hinges, [motor], gravity=(0, -GRAVITY, 0))
    with pytest.warns(fb.RedundantConstraintWarning, match="'hinge -1'.*'hinge 1'"):
        sim = fb.Stepper(system, step=1e-3)
    one = fb.Stepper(pendulum(fb.Input("torque")), step=1e-3)
    for value in sampled(30, 0.01):
        for stepper in (sim, one):
            stepper["torque"] = value
            stepper.advance(0.01)
    np.testing.assert_allclose(sim.coordinate("hinge 1"), one.coordinate("hinge"), atol=1e-9)
    both = sim.reaction("hinge 1").force + sim.reaction("hinge -1").force
    np.testing.assert_allclose(both, one.reaction("hinge").force, atol=1e-7)
