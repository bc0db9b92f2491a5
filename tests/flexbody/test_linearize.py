"""Small motions: analytic frequencies, damping, gyroscopes, states in motion, state space; against the residual."""

import numpy as np
import pytest
import scipy.linalg
from reference import slider_crank
from support import beams

import flexbody as fb

G = 9.81


def radians(linear):
    """Frequencies in rad/s."""
    return 2 * np.pi * linear.frequencies


def bar(name, start, length=1.0, mass=1.0, inertia=None):
    """A bar hanging down from ``start``."""
    centre = np.asarray(start, float) - [0, length / 2, 0]
    spread = (mass * length**2 / 12,) * 3 if inertia is None else inertia
    return fb.RigidBody(
        name, mass, spread, center=centre, markers={"end": np.asarray(start) - [0, length, 0]}
    )


def pendulum(stiffness=0.0, damping=0.0, **options):
    """A bar of 1 m that hangs from a hinge, a horizontal spring at its end."""
    body = bar("bar", (0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
    spring = fb.SpringDamper("spring", body["end"], fb.GROUND, stiffness=stiffness, damping=damping,
                             second_point=(1, -1, 0))  # fmt: skip
    return fb.System([body], [hinge], [spring], gravity=(0, -G, 0), **options)


class TestOfRest:
    @pytest.mark.parametrize(("stiffness", "damping"), [(0, 0), (50, 0), (50, 1.5), (50, 30)])
    def test_pendulum_on_a_spring(self, stiffness, damping):
        """J w'' + d l^2 w' + (k l^2 + m g l/2) w = 0 with J = m l^2 / 3: damped, and creeping in two ways."""
        J, k = 1 / 3, stiffness + G / 2
        linear = fb.linearize(pendulum(stiffness, damping))
        exact = np.roots([J, damping, k])
        np.testing.assert_allclose(
            np.sort(linear.eigenvalues.real), np.sort(exact[exact.imag >= 0].real), atol=1e-9
        )
        if damping**2 < 4 * J * k:
            assert radians(linear) == pytest.approx([np.sqrt(k / J)], rel=1e-10)
            assert linear.damping_ratios == pytest.approx(
                [damping / (2 * np.sqrt(J * k))], rel=1e-8, abs=1e-12
            )
            assert 2 * np.pi * linear.damped_frequencies == pytest.approx([exact[0].imag], rel=1e-9)
        else:
            assert not linear.damped_frequencies.any()
            np.testing.assert_allclose(linear.damping_ratios, 1)
        assert linear.stable

    def test_double_pendulum(self):
        """Two equal slender bars: w^2 = 3 (1 -+ 2 / sqrt 7) g / l; the shapes' angles are 1 to (2 sqrt 7 -+ 1) / 3."""
        first, second = bar("first", (0, 0, 0)), bar("second", (0, -1, 0))
        joints = [
            fb.Revolute("top", fb.GROUND, first, point=(0, 0, 0), axis="z"),
            fb.Revolute("middle", first, second, point=(0, -1, 0), axis="z"),
        ]
        linear = fb.linearize(fb.System([first, second], joints, gravity=(0, -G, 0)))
        np.testing.assert_allclose(
            radians(linear) ** 2, 3 * (1 + np.array([-2, 2]) / np.sqrt(7)) * G, rtol=1e-10
        )
        angles = np.array([[linear.shape(k, name)[5] for name in ("first", "second")] for k in (0, 1)])
        np.testing.assert_allclose(angles[:, 1] / angles[:, 0], [(2 * np.sqrt(7) - 1) / 3, -(2 * np.sqrt(7) + 1) / 3],
                                   rtol=1e-9)  # fmt: skip
        # the largest motion of a shape is one radian, or one of the machine's lengths
        assert np.abs(linear.shapes).max() == pytest.approx(1.0, abs=0.6)

    def test_upright_pendulum_is_unstable(self):
        """It grows and decays with sqrt(3 g / 2 l)."""
        body = fb.RigidBody("bar", 1.0, (1 / 12,) * 3, center=(0, 0.5, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
        linear = fb.linearize(fb.System([body], [hinge], gravity=(0, -G, 0)))
        np.testing.assert_allclose(
            np.sort(linear.eigenvalues), np.array([-1, 1]) * np.sqrt(1.5 * G), rtol=1e-9
        )
        assert not linear.stable
        np.testing.assert_array_equal(np.sort(linear.damping_ratios), [-1, 1])
        assert "unstable" in repr(linear)

    def test_string_of_a_hanging_mass(self):
        """A mass on a bar and ball joints swings at sqrt(g / l) in two planes: all of it the reaction's stiffness.

        The light bar's own inertia and the mass's are worth 1e-6.
        """
        rod = bar("rod", (0, 0, 0), mass=1e-6, inertia=(1e-9,) * 3)
        mass = fb.RigidBody("mass", 1.0, (1e-7,) * 3, center=(0, -1, 0))
        joints = [
            fb.Universal("top", fb.GROUND, rod, point=(0, 0, 0), axes=("x", "z")),
            fb.Fixed("knot", rod, mass, point=(0, -1, 0)),
        ]
        linear = fb.linearize(fb.System([rod, mass], joints, gravity=(0, -G, 0)))
        np.testing.assert_allclose(radians(linear), np.sqrt(G), rtol=2e-6)

    def test_chain(self):
        """Thirty bars that hang from each other, against their exact matrices in absolute angles: 1e-10 in all modes,
        the fastest at eighty times the slowest."""
        n, inertia = 30, 3e-6
        length = mass = 1 / n
        links, joints = [], []
        for k in range(n):
            links.append(bar(f"link {k}", (0, -k * length, 0), length, mass, (inertia,) * 3))
            before = fb.GROUND if k == 0 else links[k - 1]
            joints.append(fb.Revolute(f"pin {k}", before, links[k], point=(0, -k * length, 0), axis="z"))
        reach = length * (np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n))
        stiffness = np.diag(mass * G * length * (n - 0.5 - np.arange(n)))
        squares = scipy.linalg.eigh(
            stiffness, mass * reach.T @ reach + inertia * np.eye(n), eigvals_only=True
        )
        found = radians(fb.linearize(fb.System(links, joints, gravity=(0, -G, 0))))
        np.testing.assert_allclose(found, np.sqrt(squares), rtol=1e-10)

    def test_steps_of_differences_do_not_show(self, monkeypatch):
        """Three times wider steps, whose truncation is 81 times larger, change no frequency by 1e-8."""
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        root = fb.Fixed("root", fb.GROUND, body["start"])
        pull = fb.PointForce("pull", body["end"], (20.0, 0.3, 0.2))
        system = fb.System([body], [root], [pull])
        one = fb.linearize(system).frequencies
        monkeypatch.setattr("flexbody.tangent.STEP", 3e-3)
        np.testing.assert_allclose(fb.linearize(system).frequencies, one, rtol=1e-8)

    def test_motion_of_a_mode(self):
        """One period as a result: the largest angle is the size that was asked for, a quarter later it is at rest."""
        linear = fb.linearize(pendulum(50.0))
        run = linear.motion(0, size=0.2, frames=41)
        assert run.t[-1] == pytest.approx(1 / linear.frequencies[0])
        angle = run.coordinate("hinge")
        assert np.abs(angle).max() == pytest.approx(0.2, rel=1e-9)
        np.testing.assert_allclose(angle, angle[0] * np.cos(2 * np.pi * run.t / run.t[-1]), atol=1e-12)
        rate = np.gradient(angle, run.t, edge_order=2)
        np.testing.assert_allclose(run.angular_velocity("bar")[:, 2], rate, atol=0.01 * np.abs(rate).max())
        with pytest.raises(fb.InputError, match=r"mode is 1; this linearisation has 1"):
            linear.motion(1)
        with pytest.raises(fb.InputError, match="size is 0"):
            linear.motion(0, size=0)

    def test_free_body_has_six_idle_motions(self):
        body = fb.RigidBody("body", 2.0, (1, 2, 2.5))
        linear = fb.linearize(fb.System([body]))
        np.testing.assert_array_equal(linear.frequencies, np.zeros(6))
        assert linear.stable
        assert np.linalg.matrix_rank(linear.shapes) == 6

    def test_redundant_constraints_change_nothing(self):
        body = bar("bar", (0, 0, 0))
        hinges = [fb.Revolute(f"hinge {k}", fb.GROUND, body, point=(0, 0, k), axis="z") for k in (0, 1)]
        one = fb.linearize(fb.System([body], hinges[:1], gravity=(0, -G, 0)))
        with pytest.warns(fb.RedundantConstraintWarning):
            two = fb.linearize(fb.System([body], hinges, gravity=(0, -G, 0)))
        np.testing.assert_allclose(two.frequencies, one.frequencies, rtol=1e-9)

    def test_stiff_and_soft_side_by_side(self):
        """A free beam on soft springs: bounce is not lost beside bending, four decades higher; 1e-6."""
        ends = {"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)}
        body = fb.FlexibleBody("beam", beams.quintic_beam(), place=ends)
        k = 1e-4 * beams.MASS * beams.PINNED**2
        springs = [
            fb.SpringDamper(f"{end} {axis}", body[end], fb.GROUND, stiffness=k / 4, free_length=100.0,
                            second_point=np.array(point) + 100 * sign * np.eye(3)[n])
            for end, point in ends.items() for n, axis in ((1, "y"), (2, "z")) for sign in (1, -1)
            for axis in [f"{axis}{sign:+d}"]
        ]  # fmt: skip
        found = radians(fb.linearize(fb.System([body], [], springs)))
        bounce = np.sqrt(k / beams.MASS)
        # two springs at each end and in each direction; the beam gives way by k l^3 / EI = 1e-2 of itself at most
        assert np.sum(np.abs(found / bounce - 1) < 0.01) == 2

    def test_modes_of_a_free_beam(self):
        """Rayleigh and Ritz with polynomials of degree 2 to 5, by quadrature: 0.9 and 3.0 % above 4.730^2, 7.853^2."""
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        found = radians(fb.linearize(fb.System([body])))
        assert not found[:6].any()
        x, w = np.polynomial.legendre.leggauss(8)
        P = [np.polynomial.Legendre.basis(k) for k in range(6)]
        shape, bend = (np.array([p(x) for p in q]) * np.sqrt(w) for q in (P, [p.deriv(2) for p in P]))
        ritz = np.sqrt(scipy.linalg.eigh(16 * bend @ bend.T, shape @ shape.T, eigvals_only=True)[2:])
        exact = np.array([4.7300407449, 7.8532046241]) ** 2
        np.testing.assert_allclose(ritz[:2] / exact, [1.0085, 1.0302], atol=1e-4)
        unit = np.sqrt(beams.EI / (beams.MASS / beams.LENGTH)) / beams.LENGTH**2
        np.testing.assert_allclose(found[6:14], np.repeat(ritz, 2) * unit, rtol=1e-8)


class TestOfTurning:
    def test_top(self):
        """A fast top, upright: A w^2 - C W w + m g h = 0 in space, seen from the top itself w - W."""
        A, C, m, h, rate = 0.04, 0.01, 2.0, 0.1, 100.0
        top = fb.RigidBody("top", m, (A - m * h * h, A - m * h * h, C), center=(0, 0, h))
        foot = fb.Spherical("foot", fb.GROUND, top, point=(0, 0, 0))
        system = fb.System([top], [foot], gravity=(0, 0, -G))
        linear = fb.linearize(system, spin=(0, 0, rate))
        exact = np.sort(np.abs(np.roots([A, -C * rate, m * G * h]) - rate))
        np.testing.assert_allclose(radians(linear), [0, *exact], rtol=1e-9, atol=1e-9)
        assert linear.stable
        # too slow: C^2 W^2 < 4 A m g h
        slow = 0.9 * 2 * np.sqrt(A * m * G * h) / C
        assert not fb.linearize(system, spin=(0, 0, slow)).stable
        assert fb.linearize(system, spin=(0, 0, slow / 0.9 * 1.01)).stable

    def test_free_body_about_its_axes(self):
        """Euler: about the largest and smallest moment W sqrt((C-A)(C-B)/AB), about the middle one it tumbles."""
        J, rate = np.array([1.0, 2.0, 2.5]), 3.0
        for axis in range(3):
            others = np.delete(J, axis)
            product = (J[axis] - others).prod() / others.prod()
            linear = fb.linearize(fb.System([fb.RigidBody("body", 1.0, J)]), spin=rate * np.eye(3)[axis])
            assert linear.stable == (product > 0)
            assert np.min(np.abs(radians(linear) - rate * np.sqrt(abs(product)))) < 1e-8

    def test_rotor_on_springs(self):
        """Jeffcott's rotor, isotropic: w0 in space, w0 - W and w0 + W from the rotor; above critical speed too.

        Turning motions of the disc with C / A = 2 split gyroscopically: A w^2 - C W w - k = 0 in space.
        """
        m, A, k, arm = 3.0, 0.02, 5000.0, 0.3
        disc = fb.RigidBody("disc", m, (A, A, 2 * A), markers={"up": (0, 0, arm), "down": (0, 0, -arm)})
        # so long that they act along x or y only
        points = 1e4 * np.array([(1, 0), (-1, 0), (0, 1), (0, -1)])
        springs = [
            fb.SpringDamper(f"{end} {n}", disc[end], fb.GROUND, stiffness=k / 2, second_point=(*point, z))
            for end, z in (("up", arm), ("down", -arm)) for n, point in enumerate(points)
        ]  # fmt: skip
        system = fb.System([disc], [], springs)
        for rate in (10.0, 100.0):
            linear = fb.linearize(system, spin=(0, 0, rate))
            found = radians(linear)
            # each end: two pairs of k / 2, so k in each direction; both ends together
            sway = np.sqrt(2 * k / m)
            tilt = np.roots([A, -2 * A * rate, -2 * k * arm**2])
            exact = np.abs([sway - rate, sway + rate, *(tilt - rate)])
            for value in exact:
                assert np.min(np.abs(found / value - 1)) < 1e-5
            assert linear.stable

    def test_periodic_equations_are_spoken_of(self):
        """The same rotor with springs along x alone: its equations change while it turns."""
        disc = fb.RigidBody("disc", 3.0, (0.02, 0.02, 0.04))
        springs = [
            fb.SpringDamper(f"spring {n}", disc, fb.GROUND, stiffness=1e3, second_point=(x, 0, 0))
            for n, x in enumerate((1, -1))
        ]
        with pytest.warns(fb.FlexbodyWarning, match="change while it turns"):
            fb.linearize(fb.System([disc], [], springs), spin=(0, 0, 10.0))


def carried(linear, run, k):
    """The crank's angle in Z, carried to the k-th state of a run: what is left of Z when the constraints have taken
    their part, in the coordinates' sizes of the linearisation."""
    from flexbody.freedoms import freedoms, sizes
    from flexbody.states import state_of
    from flexbody.tangent import mass_and_jacobian, stiffness

    plan, here = linear.state.plan, linear.state.nominal
    K, M = stiffness(plan, plan.work(), here), mass_and_jacobian(plan, plan.work(), here)[0]
    scale = sizes(K, M, 0 * np.diag(M))
    G = mass_and_jacobian(plan, plan.work(), state_of(run, run.t[k]).nominal)[1]
    Y = freedoms(G, np.zeros(len(G)), scale).Z[:, 0] / scale
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
        from flexbody.initial import accelerations, consistent_start
        from flexbody.layout import make_plan

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
            state = start.c, start.q, start.alpha, start.v
            return accelerations(plan, plan.work(), 0.0, *state)[0][5]

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

    def test_what_is_asked_for_twice(self):
        system = pendulum()
        state = fb.equilibrium(system)
        with pytest.raises(fb.InputError, match="spin= belongs to a system"):
            fb.linearize(state, spin=(0, 0, 1))
        result = fb.simulate(system, 0.1, show_progress=False)
        with pytest.raises(fb.InputError, match="outside the run"):
            fb.linearize(result, t=0.2)
        np.testing.assert_allclose(
            fb.linearize(system, result).frequencies, fb.linearize(state).frequencies, rtol=1e-6
        )


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

    def test_bad_input(self):
        linear = fb.linearize(pendulum())
        with pytest.raises(fb.InputError, match=r"inputs= names 'wind'.*are 'spring'"):
            linear.state_space(inputs=["wind"])
        with pytest.raises(fb.InputError, match="no body 'wing'"):
            linear.state_space(displacements=["wing"])
        with pytest.raises(fb.InputError, match="give a list of bodies"):
            linear.state_space(velocities="bar")


def test_slider_crank_about_its_rest():
    """Koppens' rod in its crank, at rest: the rod bends as a pinned beam, 829.2 rad/s as printed, on both sides."""
    from dataclasses import replace

    from reference import machines

    system, _ = machines.koppens_slider_crank("quintic")
    joints = [fb.Drive("drive", j.joint, angle=0.0) if j.name == "drive" else j for j in system.joints]
    linear = fb.linearize(replace(system, joints=joints))
    # the slider moves along the straight rod: to first order it takes no part
    assert radians(linear).min() == pytest.approx(829.2, rel=1e-3)
    assert slider_crank.LENGTH == beams.LENGTH
