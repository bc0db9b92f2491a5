"""Small motions about states of a run: the equations at that instant, and what is said of them."""

import warnings

import numpy as np
import pytest
from support.pendulums import G, pendulum, radians

import flexbody as fb

# of the states in motion that are looked at here
pytestmark = pytest.mark.filterwarnings("ignore:this state at t")


def carried(linear, run, k):
    """The crank's angle in Z, carried to the k-th state of a run: what is left of Z when the constraints have taken
    their part, in the coordinates' sizes of the linearisation."""
    from flexbody.equations.free_motions import free_motions, sizes
    from flexbody.equations.tangent import mass_and_jacobian, stiffness

    plan, here = linear.state.plan, linear.state.numbers
    K, M = stiffness(plan, plan.work(), here), mass_and_jacobian(plan, plan.work(), here)[0]
    scale = sizes(K, M, 0 * np.diag(M))
    G = mass_and_jacobian(plan, plan.work(), run.state(run.t[k]).numbers)[1]
    Y = free_motions(G, np.zeros(len(G)), scale).Z[:, 0] / scale
    return float((scale * Y * (Y @ (linear.Z[:, 0] / scale)))[5])


class TestOfMotion:
    def test_swinging_pendulum(self):
        """At an angle a, in motion: w'' + 3 g / 2 l cos(a) w = 0, whatever its speed."""
        system = pendulum()
        body = system.body("bar")
        moving = fb.RigidBody(body.name, body.mass, body.inertia, center=body.center, markers=body.markers,
                              velocity=(1.5, 0, 0), angular_velocity=(0, 0, 3.0))  # fmt: skip
        system = fb.System([moving], system.joints, gravity=(0, -G, 0))
        # of high accuracy: an error of the reactions is one of the stiffness
        result = fb.simulate(system, 0.4, integrator=fb.Explicit(), show_progress=False)
        for t in (0.0, 0.2, 0.4):
            linear = fb.linearize(result, t=t)
            angle = result.coordinate("hinge")[np.argmin(np.abs(result.t - t))]
            square = -(linear.eigenvalues**2).real
            np.testing.assert_allclose(square, 1.5 * G * np.cos(angle), rtol=1e-6)

    def test_drive_that_moves(self):
        """A bead on a rod that is turned at W: r'' - W^2 r + k/m (r - r0) = 0; Coriolis' force is the rod's."""
        rod = fb.RigidBody("rod", 1.0, (1, 1, 1))
        bead = fb.RigidBody("bead", 2.0, (1e-3,) * 3, center=(1, 0, 0))
        bearing = fb.Revolute("bearing", fb.GROUND, rod, point=(0, 0, 0), axis="z")
        slide = fb.Prismatic("slide", rod, bead, point=(1, 0, 0), axis="x")
        spring = fb.SpringDamper("spring", rod, bead, stiffness=800.0, free_length=0.8)
        rate = 12.0
        system = fb.System([rod, bead], [bearing, slide, fb.Drive("motor", bearing, rate=rate)], [spring])
        exact = np.sqrt(800 / 2 - rate**2)
        steady = fb.linearize(system, spin=(0, 0, rate))
        assert radians(steady) == pytest.approx([exact], rel=1e-9)
        assert steady.state.position(bead)[0] == pytest.approx(0.8 * 400 / (400 - rate**2), rel=1e-10)
        # the same about a state of a run, where the bead swings: a linear machine
        run = fb.simulate(system, 0.1, show_progress=False)
        assert radians(fb.linearize(run)) == pytest.approx([exact], rel=1e-6)

    def test_closed_loop_in_motion(self):
        """A four-bar passing by, against differences of its one equation of motion in the crank's angle.

        w''(a, a') is linearised: d w''/da and d w''/da' by central differences over consistent neighbours.
        """
        from flexbody.compile.plan import make_plan
        from flexbody.equations.accelerations import accelerations
        from flexbody.equations.consistent_start import consistent_start

        def machine(angle, rate):
            a = np.array([0.3 * np.cos(angle), 0.3 * np.sin(angle)])
            ground = np.array([1.0, 0.0])
            d = ground - a
            x = (d @ d + 0.9**2 - 0.7**2) / (2 * 0.9)
            b = a + 0.9 * (d * x + np.array([-d[1], d[0]]) * np.sqrt(d @ d - x * x)) / (d @ d)

            def link(name, p, q, m):
                e = (q - p) / np.linalg.norm(q - p)
                return fb.RigidBody(
                    name, m, (0.1 * m,) * 3, center=(*(p + q) / 2, 0), markers={"q": (*q, 0)}
                ), e

            crank, e = link("crank", np.zeros(2), a, 1.0)
            crank = fb.RigidBody("crank", 1.0, (0.1,) * 3, center=crank.center, angular_velocity=(0, 0, rate),
                                 velocity=(*(rate * 0.15 * np.array([-e[1], e[0]])), 0))  # fmt: skip
            rod, _ = link("rod", a, b, 2.0)
            rocker, _ = link("rocker", b, ground, 1.5)
            joints = [
                fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)),
                fb.Revolute("pin", crank, rod, point=(*a, 0)),
                fb.Revolute("wrist", rod, rocker, point=(*b, 0)),
                fb.PointOnLine("foot", fb.GROUND, rocker, point=(*ground, 0), axis="z"),
            ]
            # a drive sets the speed, and is taken off: the start is then the only consistent one
            drive = fb.Drive("motor", joints[0], rate=rate)
            return fb.System([crank, rod, rocker], joints, gravity=(0, -G, 0)), drive

        def acceleration(angle, rate):
            system, drive = machine(angle, rate)
            driven = fb.System(system.bodies, [*system.joints, drive], gravity=system.gravity)
            start = consistent_start(make_plan(driven))
            plan = make_plan(system)
            return accelerations(plan, plan.work(), start)[0][5]

        h = 1e-4
        run = fb.simulate(machine(0.9, 4.0)[0], 0.05, integrator=fb.Explicit(rtol=1e-10), output_step=h,
                          show_progress=False)  # fmt: skip
        k = 250
        linear = fb.linearize(run, t=run.t[k])
        angle, rate = 0.9 + run.coordinate("main")[k], run.angular_velocity("crank")[k, 2]
        assert acceleration(angle, rate) == pytest.approx(run.vdot[k, 5], rel=1e-6)
        stiffness, drag = (
            -(acceleration(angle + x, rate + y) - acceleration(angle - x, rate - y)) / (2 * h)
            for x, y in ((h, 0.0), (0.0, h))
        )
        # the crank's angle is w = z y, and z is carried along: z y'' + (2 z' + d z) y' + (z'' + d z' + s z) y = 0
        z = np.array([carried(linear, run, k + n) for n in (-1, 0, 1)])
        rates = (z[2] - z[0]) / (2 * h) / z[1], (z[2] - 2 * z[1] + z[0]) / h**2 / z[1]
        assert abs(rates[0]) > 0.1
        assert linear.rate_Z[5, 0] / linear.Z[5, 0] == pytest.approx(rates[0], rel=1e-5)
        assert linear.C[0, 0] / linear.M[0, 0] == pytest.approx(drag + 2 * rates[0], rel=1e-5)
        assert linear.K[0, 0] / linear.M[0, 0] == pytest.approx(
            rates[1] + drag * rates[0] + stiffness, rel=1e-4
        )

    @pytest.mark.parametrize("t", [0.0, 0.3])
    def test_a_falling_pendulum_is_spoken_of(self, t):
        """Let go horizontally its centre falls with 3 g / 4: so much of the weight is not balanced."""
        body = fb.RigidBody("bar", 1.0, (1 / 12,) * 3, center=(0.5, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
        run = fb.simulate(fb.System([body], [hinge], gravity=(0, -G, 0)), 0.4, show_progress=False)
        words = r"t = 0 s is not an equilibrium: 75 % of the forces" if t == 0 else r"t = 0.3.* moves by \d"
        with pytest.warns(fb.FlexbodyWarning, match=words):
            fb.linearize(run, t=t)

    def test_states_at_rest_are_not_spoken_of(self):
        system = pendulum(50.0)
        run = fb.simulate(system, 0.01, start=fb.Equilibrium(), show_progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for source in (system, fb.equilibrium(system), run):
                fb.linearize(source)

    def test_what_is_asked_for_twice(self):
        system = pendulum()
        state = fb.equilibrium(system)
        with pytest.raises(fb.InputError, match="spin= belongs to a system"):
            fb.linearize(state, spin=(0, 0, 1))
        result = fb.simulate(system, 0.1, show_progress=False)
        with pytest.raises(fb.InputError, match="outside the run"):
            fb.linearize(result, t=0.2)
        np.testing.assert_allclose(
            fb.linearize(system, result).frequencies_hz, fb.linearize(state).frequencies_hz, rtol=1e-6
        )
