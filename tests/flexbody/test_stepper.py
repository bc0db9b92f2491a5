"""Stepping from outside: held inputs, restarts at their jumps, saved states, reading."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from support.cloud import Cloud

import flexbody as fb
from fem.common.errors import InputError

MASS, ARM, INERTIA, GRAVITY = 1.3, 0.4, 0.05, 9.81
#: both integrators: fixed steps, chosen steps, explicit
METHODS = {
    "fixed": fb.GeneralizedAlpha(step=1e-3),
    "chosen": fb.GeneralizedAlpha(),
    "explicit": fb.Explicit(rtol=1e-10),
}


def pendulum(torque) -> fb.System:
    """A bar on a hinge about z, drawn along x, under gravity along -y and a moment (Nm)."""
    bar = fb.RigidBody("bar", MASS, (INERTIA,) * 3, center=(ARM, 0, 0), markers={"tip": (2 * ARM, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    motor = fb.PointMoment("motor", bar, (0, 0, torque))
    return fb.System([bar], [hinge], [motor], gravity=(0, -GRAVITY, 0))


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
        with pytest.raises(InputError, match="same Stepper"):
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
        servo = fb.Drive("servo", hinge, angle=fb.Input("angle"))
        with pytest.raises(InputError, match=r"drive 'servo': angle is .*a position can't"):
            fb.Stepper(fb.System(system.bodies, [hinge, servo]))


class TestInputs:
    @pytest.mark.parametrize(
        "make",
        [
            lambda u: (0, 0, u),
            lambda u: u * (0, 0, 1),
            lambda u: (0, 0, 1) * u,
            lambda u: np.array([0, 0, 1.0]) * u,
            lambda u: (0, 0, -(-2 * u + 1) / 2 + 0.5),
            lambda u: (0, 0, 3 - (3 - u)),
        ],
    )
    def test_arithmetic(self, make):
        system = pendulum(0.0)
        torque = fb.Input("torque", initial=1.0)
        motor = fb.PointMoment("motor", system.bodies[0], make(torque))
        machine = fb.System(system.bodies, system.joints, [motor], system.gravity)
        sim = fb.Stepper(machine, step=0.01)
        sim["torque"] = 5.0
        sim.advance(0.1)
        one = fb.Stepper(pendulum(5.0), step=0.01)
        one.advance(0.1)
        np.testing.assert_allclose(sim.coordinate("hinge"), one.coordinate("hinge"), rtol=0, atol=1e-13)
        # in every other analysis it is what it is at first
        initial = fb.simulate(machine, 0.1, step=0.01)
        np.testing.assert_allclose(
            initial.c, fb.simulate(pendulum(1.0), 0.1, step=0.01).c, rtol=0, atol=1e-14
        )

    def test_an_actuator(self):
        """A spring-damper-actuator that pulls with what it is told: Newton's law for one mass."""
        body = fb.RigidBody("cart", 2.0, (1, 1, 1), center=(1, 0, 0))
        pull = fb.SpringDamper("jack", fb.GROUND, body, force=fb.Input("pull"))
        guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
        sim = fb.Stepper(fb.System([body], [guide], [pull]))
        sim["pull"] = 4.0
        sim.advance(0.1)
        sim["pull"] = -6.0
        sim.advance(0.1)
        # x = 1 - t^2 up to 0.1; then v = -0.2 + 3 t'
        np.testing.assert_allclose(sim.velocity("cart")[0], -0.2 + 0.3, atol=1e-9)
        np.testing.assert_allclose(sim.position("cart")[0], 1 - 0.01 - 0.02 + 0.015, atol=1e-9)

    def test_saved_results_keep_what_was_set(self, tmp_path):
        sim = fb.Stepper(pendulum(fb.Input("torque")), step=0.01)
        for value in (1.0, 2.0, -3.0):
            sim["torque"] = value
            sim.advance(0.01)
        sim.result().save(tmp_path / "run.h5")
        loaded = fb.load_result(tmp_path / "run.h5")
        motor = loaded.system.forces[0]
        np.testing.assert_array_equal([motor.value(t)[2] for t in loaded.t], [1, 1, 2, -3])

    def test_bad_input(self):
        sim = fb.Stepper(pendulum(fb.Input("torque")))
        with pytest.raises(InputError, match="no input 'force'; it has 'torque'"):
            sim.set(force=1.0)
        with pytest.raises(InputError, match=r"input 'torque' at t = 0 s is set to nan"):
            sim["torque"] = np.nan
        with pytest.raises(InputError, match="must be a finite number"):
            sim["torque"] = (0, 0, 1)
        for dt in (0.0, -1.0, np.inf, np.nan):
            with pytest.raises(InputError, match="dt is"):
                sim.advance(dt)
        sim["torque"] = np.array([2.0])  # what matrix products give
        assert sim["torque"] == 2.0
        with pytest.raises(InputError, match="two inputs are called 'u'"):
            system = pendulum(fb.Input("u"))
            other = fb.PointMoment("other", system.bodies[0], (fb.Input("u", 1.0), 0, 0))
            fb.Stepper(fb.System(system.bodies, system.joints, [*system.forces, other]))
        with pytest.raises(InputError, match="Input 'u': initial is 'x'"):
            fb.Input("u", "x")

    def test_a_law_that_fails_on_the_way(self):
        def force(t):
            if t > 0.05:
                raise ValueError("out of fuel")
            return 1.0

        body = fb.RigidBody("cart", 2.0, (1, 1, 1), center=(1, 0, 0))
        jack = fb.SpringDamper("jack", fb.GROUND, body, force=force, free_length=0.5)
        sim = fb.Stepper(fb.System([body], (), [jack]), horizon=0.04)
        with pytest.raises(InputError, match=r"jack.*out of fuel") as failed:
            for _ in range(10):
                sim.advance(0.01)
        np.testing.assert_allclose(failed.value.result.t[-1], 0.05, atol=0.011)

    def test_nothing_recorded(self):
        sim = fb.Stepper(pendulum(0.0), record=False)
        sim.advance(0.1)
        assert sim.position("bar").shape == (3,)
        with pytest.raises(InputError, match="record=False"):
            sim.result()


def test_redundant_constraints():
    """Two hinges on one axis: restarts leave the redundant rows alone; what the hinges carry together is known."""
    bar = fb.RigidBody("bar", MASS, (INERTIA,) * 3, center=(ARM, 0, 0))
    hinges = [fb.Revolute(f"hinge {z}", fb.GROUND, bar, point=(0, 0, z)) for z in (-1, 1)]
    motor = fb.PointMoment("motor", bar, (0, 0, fb.Input("torque")))
    system = fb.System([bar], hinges, [motor], gravity=(0, -GRAVITY, 0))
    with pytest.warns(fb.RedundantConstraintWarning):
        sim = fb.Stepper(system, step=1e-3)
    one = fb.Stepper(pendulum(fb.Input("torque")), step=1e-3)
    for value in sampled(30, 0.01):
        for stepper in (sim, one):
            stepper["torque"] = value
            stepper.advance(0.01)
    np.testing.assert_allclose(sim.coordinate("hinge 1"), one.coordinate("hinge"), atol=1e-9)
    both = sim.reaction("hinge 1").force + sim.reaction("hinge -1").force
    np.testing.assert_allclose(both, one.reaction("hinge").force, atol=1e-7)
