"""Small motions: analytic frequencies, damping, gyroscopes."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from reference import slider_crank
from support import beams
from support.pendulums import G, bar, pendulum, radians

import fem
import flexbody as fb
import modal


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
            assert 2 * np.pi * linear.damped_frequencies_hz == pytest.approx([exact[0].imag], rel=1e-9)
        else:
            assert not linear.damped_frequencies_hz.any()
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

    def test_a_state_of_another_machine(self):
        """The machine is the one that is given: w^2 = (m g l / 2 + k l^2) / J, J = m l^2 / 3, hanging in each."""
        state = fb.equilibrium(pendulum())
        for gravity, stiffness in ((4 * G, 0.0), (G, 50.0), (G, 0.0)):
            other = replace(pendulum(stiffness), gravity=(0, -gravity, 0))
            linear = fb.linearize(other, state)
            assert linear.state.system is other
            assert radians(linear) == pytest.approx([np.sqrt(3 * (gravity / 2 + stiffness))], rel=1e-9)
        assert radians(fb.linearize(state)) == pytest.approx([np.sqrt(1.5 * G)], rel=1e-9)

    def test_a_state_of_other_bodies(self):
        system = pendulum()
        state, extra = fb.equilibrium(system), bar("extra", (0, -1, 0))
        wrist = fb.Revolute("wrist", system.bodies[0], extra, point=(0, -1, 0))
        two = fb.System([*system.bodies, extra], [*system.joints, wrist], gravity=(0, -G, 0))
        with pytest.raises(fb.InputError, match="no body 'extra' with 0 modes; it has 'bar'"):
            fb.linearize(two, state)
        with pytest.warns(
            fb.FlexbodyWarning, match="belongs to another machine: the state has the bodies 'extra' too"
        ):
            linear = fb.linearize(system, fb.equilibrium(two))
        assert radians(linear) == pytest.approx([np.sqrt(1.5 * G)], rel=1e-9)
        for first, second in ((state, state), (state.result, state.result), (state, state.result)):
            with pytest.raises(fb.InputError, match=r"Give the system first, fb.linearize\(machine, state\)"):
                fb.linearize(first, second)

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
        assert "unstable, decay with time constant 0.260" in repr(linear)
        assert "; growth with time constant 0.260" in repr(linear)

    def test_an_overdamped_pendulum_decays(self):
        """s^2 + c s / J + m g l / 2 J = 0 with J = 1/3 kg m^2 and c = 10 Nms: two real poles, no frequency in Hz."""
        linear = fb.linearize(pendulum(damping=10.0))
        rates = np.roots([1.0, 30.0, 1.5 * G])
        np.testing.assert_allclose(np.sort(linear.eigenvalues.real), np.sort(rates), rtol=1e-9)
        assert "1 degree of freedom, stable, decay with time constant 2.00" in repr(linear)
        assert "Hz" not in repr(linear)
        assert repr(fb.linearize(pendulum())).endswith("stable, 0.610521 Hz>")

    def test_the_nearest_stored_state(self):
        result = fb.simulate(pendulum(), 0.1, output_step=0.02)
        linear = fb.linearize(result, t=0.049)
        assert linear.state.t == pytest.approx(0.04, abs=1e-12)
        assert "Linearization at t = 0.04 s" in repr(linear)

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
        one = fb.linearize(system).frequencies_hz
        monkeypatch.setattr("flexbody.equations.tangent.DIFFERENCE_STEP", 3e-3)
        np.testing.assert_allclose(fb.linearize(system).frequencies_hz, one, rtol=1e-8)

    def test_motion_of_a_mode(self):
        """One period as a result: the largest angle is the size that was asked for, a quarter later it is at rest."""
        linear = fb.linearize(pendulum(50.0))
        run = linear.motion(0, size=0.2, frames=41)
        assert run.t[-1] == pytest.approx(1 / linear.frequencies_hz[0])
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
        np.testing.assert_array_equal(linear.frequencies_hz, np.zeros(6))
        assert linear.stable
        assert np.linalg.matrix_rank(linear.shapes) == 6

    def test_so_has_a_satellite_with_stiff_panels(self):
        """The round-off of the panels' stiffest motion, 1e-16 of its w^2, is none of the rigid motions' stiffness."""
        plate = fem.assemble(fem.box((4.0, 1.0, 0.02), (4, 1, 1)), fem.Isotropic(E=70e9, nu=0.33, rho=2700.0))
        panel = modal.reduce(plate, modal.craig_bampton(plate, ("x0",), n_normal=12), stress=False)
        hub = fb.RigidBody("hub", 500.0, (200.0, 200.0, 200.0), center=(-0.5, 0.5, 0))
        left = fb.FlexibleBody("left", panel)
        right = fb.FlexibleBody("right", panel, origin=(-1.0, 1.0, 0), rotation=np.diag([-1.0, -1.0, 1.0]))
        joints = [fb.Fixed(f"root of {body.name}", hub, body["x0"]) for body in (left, right)]
        linear = fb.linearize(fb.System([hub, left, right], joints))
        np.testing.assert_array_equal(linear.frequencies_hz[:6], np.zeros(6))
        assert linear.frequencies_hz[6] > 0.1
        assert linear.stable

    def test_redundant_constraints_change_nothing(self):
        body = bar("bar", (0, 0, 0))
        hinges = [fb.Revolute(f"hinge {k}", fb.GROUND, body, point=(0, 0, k), axis="z") for k in (0, 1)]
        one = fb.linearize(fb.System([body], hinges[:1], gravity=(0, -G, 0)))
        with pytest.warns(fb.RedundantConstraintWarning, match="'hinge 0'.*'hinge 1'"):
            two = fb.linearize(fb.System([body], hinges, gravity=(0, -G, 0)))
        np.testing.assert_allclose(two.frequencies_hz, one.frequencies_hz, rtol=1e-9)

    def test_stiff_and_soft_side_by_side(self):
        """A free beam on soft springs: bounce is not lost beside bending, two decades higher.

        The beam gives way by about k / m w^2 = 1e-4 of the motion."""
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
        # two springs at each end and in each direction
        assert np.sum(np.abs(found / bounce - 1) < 1e-4) == 2

    @pytest.mark.parametrize("ratio", [1e6, 1e10, 1e11, 1e12])
    def test_soft_spring_beside_a_stiff_one(self, ratio):
        """Two masses, k to the ground and k ratio between: w^2 = k / 2 m to 1e-16 ratio, and 2 k ratio / m.

        Where that can't be told from zero it is said.
        """
        masses = [
            fb.RigidBody(name, 1.0, (1, 1, 1), center=(x, 0, 0)) for name, x in (("near", 0), ("far", 1))
        ]
        guides = [
            fb.Prismatic(f"guide {body.name}", fb.GROUND, body, point=body.center, axis="x")
            for body in masses
        ]
        soft = fb.SpringDamper("soft", fb.GROUND, masses[0], stiffness=100.0, first_point=(-1, 0, 0))
        stiff = fb.SpringDamper("stiff", *masses, stiffness=100.0 * ratio)
        system = fb.System(masses, guides, [soft, stiff])
        if ratio < 1e12:
            exact = np.sqrt([50.0, 200.0 * ratio])
            np.testing.assert_allclose(radians(fb.linearize(system)), exact, rtol=1e-6 + 4e-16 * ratio)
        else:
            with pytest.warns(
                fb.FlexbodyWarning, match=r"about 1.1 Hz counts as one of zero frequency"
            ) as told:
                assert fb.linearize(system).frequencies_hz[0] == 0
            text = str(told[0].message)
            assert "body 'near' moves along (1, 0, 0), body 'far' moves along (1, 0, 0)" in text
            assert "This is right if nothing holds it, as a free bearing" in text

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


def test_slider_crank_about_its_rest():
    """Koppens' rod in its crank, at rest: the rod bends as a pinned beam, 829.2 rad/s as printed, on both sides."""

    from reference import machines

    system, _ = machines.koppens_slider_crank("quintic")
    joints = [fb.Drive("drive", j.joint, value=0.0) if j.name == "drive" else j for j in system.joints]
    linear = fb.linearize(replace(system, joints=joints))
    # the slider moves along the straight rod: to first order it takes no part
    assert radians(linear).min() == pytest.approx(829.2, rel=1e-3)
    assert slider_crank.LENGTH == beams.LENGTH
