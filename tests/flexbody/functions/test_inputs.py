"""Inputs: numbers that a stepper sets from outside, in arithmetic, loads, springs and drives."""

import numpy as np
import pytest
from support.motor import pendulum

import flexbody as fb


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
        machine = fb.System(system.bodies, system.joints, [motor], gravity=system.gravity)
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
        with pytest.raises(fb.InputError, match="no input 'force'; it has 'torque'"):
            sim.set(force=1.0)
        with pytest.raises(fb.InputError, match=r"input 'torque' at t = 0 s is set to nan"):
            sim["torque"] = np.nan
        with pytest.raises(fb.InputError, match="must be a finite number"):
            sim["torque"] = (0, 0, 1)
        for dt in (0.0, -1.0, np.inf, np.nan):
            with pytest.raises(fb.InputError, match="dt is"):
                sim.advance(dt)
        sim["torque"] = np.array([2.0])  # what matrix products give
        assert sim["torque"] == 2.0
        with pytest.raises(fb.InputError, match="two inputs have the name 'u'"):
            system = pendulum(fb.Input("u"))
            other = fb.PointMoment("other", system.bodies[0], (fb.Input("u", 1.0), 0, 0))
            fb.Stepper(fb.System(system.bodies, system.joints, [*system.forces, other]))
        with pytest.raises(fb.InputError, match="Input 'u': initial is 'x'"):
            fb.Input("u", "x")

    def test_a_law_that_fails_on_the_way(self):
        def force(t):
            if t > 0.05:
                raise ValueError("out of fuel")
            return 1.0

        body = fb.RigidBody("cart", 2.0, (1, 1, 1), center=(1, 0, 0))
        jack = fb.SpringDamper("jack", fb.GROUND, body, force=force, free_length=0.5)
        sim = fb.Stepper(fb.System([body], (), [jack]), horizon=0.04)
        with pytest.raises(fb.InputError, match=r"jack.*out of fuel") as failed:
            for _ in range(10):
                sim.advance(0.01)
        np.testing.assert_allclose(failed.value.result.t[-1], 0.05, atol=0.011)

    def test_nothing_recorded(self):
        sim = fb.Stepper(pendulum(0.0), record=False)
        sim.advance(0.1)
        assert sim.position("bar").shape == (3,)
        with pytest.raises(fb.InputError, match="record=False"):
            sim.result()
