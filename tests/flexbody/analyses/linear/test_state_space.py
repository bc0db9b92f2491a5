"""Linearised machines with inputs and outputs: by hand, and against runs."""

import numpy as np
import pytest
import scipy.linalg
from support import beams, linkages
from support.pendulums import G, bar, pendulum

import flexbody as fb


class TestStateSpace:
    def test_cart_and_pendulum(self):
        """A cart with a hanging pendulum: (M + m) x'' + m a w'' = F, J w'' + m a (x'' + g w) = 0."""
        M, m, a, J = 2.0, 1.0, 0.5, 1 / 12 + 0.25
        cart = fb.RigidBody("cart", M, (1, 1, 1))
        rod = bar("rod", (0, 0, 0))
        joints = [
            fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x"),
            fb.Revolute("pin", cart, rod, point=(0, 0, 0)),
        ]
        push = fb.PointForce("push", cart, (0, 0, 0))
        spring = fb.SpringDamper("actuator", fb.GROUND, rod["end"], first_point=(-1, -1, 0))
        system = fb.System([cart, rod], joints, [push, spring], gravity=(0, -G, 0))
        space = fb.linearize(system).state_space(
            inputs=["push", spring],
            displacements=[cart, rod["end"]],
            velocities=["cart"],
            accelerations=[cart],
        )
        assert space.inputs == ("push force x", "push force y", "push force z", "actuator force")
        assert space.outputs[:6] == (
            "cart displacement x", "cart displacement y", "cart displacement z",
            "rod['end'] displacement x", "rod['end'] displacement y", "rod['end'] displacement z",
        )  # fmt: skip
        assert space.outputs[-1] == "cart acceleration z"
        mass, stiff = np.array([[M + m, m * a], [m * a, J]]), np.diag([0, m * a * G])
        for f in (0.3, 2.0):
            s = 2j * np.pi * f
            # push on the cart; the actuator's tension pulls the rod's end (x + w l) to the left
            exact = np.linalg.solve(s**2 * mass + stiff, np.array([[1, -1], [0, -1.0]]))
            found = space.response(f)[0][:, [0, 3]]
            np.testing.assert_allclose(found[0], exact[0], rtol=1e-8)
            np.testing.assert_allclose(found[3], exact[0] + exact[1], rtol=1e-8)
            np.testing.assert_allclose(found[6], s * exact[0], rtol=1e-8)
            np.testing.assert_allclose(found[9], s * s * exact[0], rtol=1e-8)

    def test_beam_against_a_run(self):
        """A step of force on the tip of a clamped beam: its motion by the matrix exponential and by simulation."""
        body = fb.FlexibleBody("beam", beams.quintic_beam(), damping_ratio=0.02)
        root = fb.Fixed("root", fb.GROUND, body["start"])
        linear = fb.linearize(fb.System([body], [root], [fb.PointForce("tip", body["end"], (0, 0, 0))]))
        space = linear.state_space(displacements=[body["end"]])
        size = 1e-3  # N: deflections of 4e-5 l, where nothing is nonlinear
        t_end = 0.02
        extended = np.zeros((len(space.A) + 1,) * 2)
        extended[:-1, :-1], extended[:-1, -1] = space.A, space.B[:, 1] * size
        loaded = fb.System([body], [root], [fb.PointForce("tip", body["end"], (0, size, 0))])
        run = fb.simulate(loaded, t_end, output_step=2e-3, show_progress=False,
                          integrator=fb.GeneralizedAlpha(rtol=1e-7, rho_inf=1.0))  # fmt: skip
        found = run.position(body["end"])[:, 1] - run.position(body["end"])[0, 1]
        exact = [(space.C @ scipy.linalg.expm(extended * t)[:-1, -1])[1] for t in run.t]
        np.testing.assert_allclose(found, exact, rtol=0, atol=2e-3 * np.abs(exact).max())

    @pytest.mark.filterwarnings("ignore:this state at t")
    def test_tip_of_a_falling_pendulum(self):
        """d = w l e with e across the bar, e. = -W r, e.. = -W. r - W^2 e, w.. = -3 g / 2 l cos(a) w; 1e-6."""
        body = fb.RigidBody("bar", 1.0, (1 / 12,) * 3, center=(0.5, 0, 0), markers={"end": (1, 0, 0)},
                            velocity=(0, -0.5, 0), angular_velocity=(0, 0, -1.0))  # fmt: skip
        hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
        push = fb.PointForce("push", body["end"], (0, 0, 0))
        system = fb.System([body], [hinge], [push], gravity=(0, -G, 0))
        run = fb.simulate(system, 0.3, integrator=fb.Explicit(), show_progress=False)
        linear = fb.linearize(run)
        end = [body["end"]]
        space = linear.state_space(displacements=end, velocities=end, accelerations=end)
        angle, rate = run.coordinate("hinge")[-1], run.angular_velocity(body)[-1, 2]
        r, e = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        # W. of the nominal motion, and of a neighbour that is ahead by w: minus its derivative by w
        faster, slower = -1.5 * G * np.cos(angle), 1.5 * G * np.sin(angle)
        w = linear.Z[5, 0]
        exact = np.array([[e, 0 * e], [-rate * r, e], [slower * e - faster * r - rate**2 * e, -2 * rate * r]])
        found = space.C.reshape(3, 3, 2).transpose(0, 2, 1) / w
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-6 * np.abs(exact).max())
        # a unit force on the end: w.. = 3 e, d.. = 3 e e
        np.testing.assert_allclose(space.D[6:], 3 * np.outer(e, e), atol=1e-6)
        assert abs(rate) > 1

    def test_bad_input(self):
        linear = fb.linearize(pendulum())
        with pytest.raises(fb.InputError, match=r"inputs= names 'wind'.*are 'spring'"):
            linear.state_space(inputs=["wind"])
        with pytest.raises(fb.InputError, match="no body 'wing'"):
            linear.state_space(displacements=["wing"])
        with pytest.raises(fb.InputError, match="give a list of bodies"):
            linear.state_space(velocities="bar")


class TestJointCoordinates:
    def test_double_pendulum(self):
        """Two uniform bars, 1 m and 1 kg, that hang: M and K of the angles by hand (relative angles a, b).

        Absolute angles a and a + b: M = ((4/3, 1/2), (1/2, 1/3)), K = g diag(3/2, 1/2).
        """
        g = 9.81
        bars = [
            fb.RigidBody(f"bar {k}", 1.0, (1e-3, 1 / 12, 1 / 12), center=(0, 0, -0.5 - k)) for k in (0, 1)
        ]
        hinges = [
            fb.Revolute("shoulder", fb.GROUND, bars[0], point=(0, 0, 0), axis="y"),
            fb.Revolute("elbow", bars[0], bars[1], point=(0, 0, -1), axis="y"),
        ]
        motor = fb.PointMoment("motor", bars[0], (0, 0, 0))
        small = fb.linearize(fb.System(bars, hinges, [motor], gravity=(0, 0, -g)))
        plant = small.state_space(displacements=[bars[1]], joint_coordinates=True)
        assert plant.states == (
            "shoulder: angle",
            "elbow: angle",
            "shoulder: angle rate",
            "elbow: angle rate",
        )
        T = np.array([[1, 0], [1, 1.0]])
        M = T.T @ [[4 / 3, 1 / 2], [1 / 2, 1 / 3]] @ T
        K = T.T @ np.diag([1.5 * g, 0.5 * g]) @ T
        exact = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), np.zeros((2, 2))]])
        np.testing.assert_allclose(plant.A, exact, atol=1e-7)  # K is from differences, relative 1e-9
        np.testing.assert_allclose(plant.B[2:, 1], np.linalg.solve(M, [1, 0]), rtol=1e-9)
        usual = small.state_space(displacements=[bars[1]])
        np.testing.assert_allclose(
            plant.response([0.3, 2.0]), usual.response([0.3, 2.0]), rtol=1e-7, atol=1e-12
        )

    def test_a_machine_in_motion(self):
        """The derivatives of the accelerations of both angles by hand, at a state of fast motion."""
        g = 9.81

        def accelerations(x):
            """Of absolute angles p, r from below, L 39 to 45; x = relative angles and rates."""
            p, r, u, w = x[0], x[0] + x[1], x[2], x[2] + x[3]
            M = np.array([[4 / 3, np.cos(r - p) / 2], [np.cos(r - p) / 2, 1 / 3]])
            f = np.array(
                [
                    np.sin(r - p) / 2 * w**2 - 1.5 * g * np.sin(p) + 30 * np.sin(9 * 0.7),
                    -np.sin(r - p) / 2 * u**2 - g / 2 * np.sin(r),
                ]
            )
            both = np.linalg.solve(M, f)
            return np.array([both[0], both[1] - both[0]])

        bars = [
            fb.RigidBody(f"bar {k}", 1.0, (1e-3, 1 / 12, 1 / 12), center=(0, 0, -0.5 - k)) for k in (0, 1)
        ]
        hinges = [
            fb.Revolute("shoulder", fb.GROUND, bars[0], point=(0, 0, 0), axis="y"),
            fb.Revolute("elbow", bars[0], bars[1], point=(0, 0, -1), axis="y"),
        ]
        push = fb.PointMoment("push", bars[0], lambda t: (0, 30 * np.sin(9 * t), 0))
        machine = fb.System(bars, hinges, [push], gravity=(0, 0, -g))
        state = fb.simulate(machine, 0.7, integrator=fb.Explicit(rtol=1e-10), show_progress=False).state(0.7)
        with pytest.warns(fb.FlexbodyWarning, match="is not an equilibrium"):
            plant = fb.linearize(state).state_space(joint_coordinates=True)
        angles = [state.coordinate(h) for h in hinges] + [state.coordinate_rate(h) for h in hinges]
        x, h = np.array(angles, dtype=float), 1e-5
        assert np.abs(x[2:]).min() > 1
        exact = np.array([(accelerations(x + e) - accelerations(x - e)) / (2 * h) for e in h * np.eye(4)]).T
        np.testing.assert_allclose(
            plant.A, [[0, 0, 1, 0], [0, 0, 0, 1], *exact], atol=1e-5 * np.abs(exact).max()
        )  # rates of Z: differences over 3e-4 of the motion

    def test_a_loop_has_its_degrees_of_freedom_alone(self):
        """Attia's linkage has five angles along its tree, and one degree of freedom."""
        small = fb.linearize(linkages.attia_linkage())
        plant = small.state_space(joint_coordinates=True)
        assert len(plant.states) == 2
        assert plant.states[1] == plant.states[0] + " rate"
        assert plant.A[1, 0] == pytest.approx(-((2 * np.pi * small.frequencies_hz[0]) ** 2), rel=1e-9)
