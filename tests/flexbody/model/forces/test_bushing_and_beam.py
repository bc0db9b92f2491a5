"""Bushings and massless beams: against springs, against finite elements, against exact columns."""

import numpy as np
import pytest
from support.elements import STEEL, full_stiffness, generalized_loads, loaded

import fem
import flexbody as fb
import modal
from flexbody.compile.plan import make_plan
from flexbody.core.rotation import turned_euler

LENGTH, SECTION = 0.8, fem.Rectangle(0.02, 0.03)


def carrier(name, center=(0.0, 0.0, 0.0), mass=2.0, inertia=(0.02, 0.03, 0.04), **options):
    return fb.RigidBody(name, mass=mass, inertia=inertia, center=center, **options)


def simulate(system, t_end, integrator=None, **options):
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def shifted(plan, move):
    """The drawn state with the bodies moved by (nb, 6): displacements and rotation vectors, at rest."""
    c, q, alpha, v = plan.start()
    out = np.empty(4)
    for b, part in enumerate(np.asarray(move, float)):
        c[b] += part[:3]
        turned_euler(q[b].copy(), part[3:], out)
        q[b] = out
    return c, q, alpha, v, 0 * v


class TestBushing:
    def test_stiffness_of_small_motions(self):
        """A body beside the ground, drawn in the mount: loads ``-K x`` about its centre, to second order of 1e-6."""
        body, K = carrier("body"), full_stiffness(1000.0)
        turn = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
        mount = fb.Bushing("mount", fb.GROUND, body, stiffness=K, point=(0, 0, 0), axes=turn)
        plan, bare = make_plan(fb.System([body], (), [mount])), make_plan(fb.System([body]))
        big = np.kron(np.eye(2), turn)
        for x in 1e-6 * np.eye(6):
            loads = generalized_loads(plan, bare, shifted(plan, [x]), np.zeros(0), 0.0)
            np.testing.assert_allclose(loads, -big.T @ K @ big @ x, atol=1e-4 * 1e-6 * 1e3)

    def test_same_motion_as_springs(self):
        """Three pairs of springs far out along the axes, small motion: a bushing of their stiffness.

        A spring of length a that has turned by x/a pulls across by that part of its force: 1e-5 for x = 1e-4 m.
        """
        k, a, speed = 3000.0, 10.0, (2e-3, -1e-3, 3e-3)
        body = carrier("body", velocity=speed)
        mount = fb.Bushing(
            "mount",
            fb.GROUND,
            body,
            stiffness=(k, 2 * k, 3 * k, 0, 0, 0),
            damping=(5, 6, 7, 0, 0, 0),
            point=(0, 0, 0),
        )
        springs = [
            fb.SpringDamper(f"{i}", fb.GROUND, body, stiffness=(i + 1) * k, damping=5.0 + i,
                            first_point=a * np.eye(3)[i], second_point=(0, 0, 0))
            for i in range(3)
        ]  # fmt: skip
        one = simulate(fb.System([body], (), [mount]), 0.5, step=1e-3)
        other = simulate(fb.System([body], (), springs), 0.5, step=1e-3)
        size = np.abs(one.position(body)).max()
        np.testing.assert_allclose(other.position(body), one.position(body), atol=1e-4 * size)

    def test_frequencies(self):
        """A free body in a mount at its centre: w^2 = k/m and k/J for each motion."""
        body = carrier("body")
        stiffness = np.array([3e3, 5e3, 8e3, 20.0, 40.0, 70.0])
        mount = fb.Bushing("mount", fb.GROUND, body, stiffness=stiffness, point=(0, 0, 0))
        found = fb.linearize(fb.System([body], (), [mount])).frequencies_hz
        exact = np.sqrt(np.sort(stiffness / [2, 2, 2, 0.02, 0.03, 0.04]))
        np.testing.assert_allclose(np.sort(found)[-6:], exact / (2 * np.pi), rtol=1e-6)

    def test_finite_rotation_conserves_energy(self):
        """Two bodies, coupled stiffness, swinging by more than a radian: the order-8 method keeps the energy."""
        a = carrier("a", (-0.2, 0, 0), angular_velocity=(3.0, -8.0, 6.0))
        b = carrier("b", (0.2, 0.1, 0), inertia=(0.05, 0.03, 0.03), angular_velocity=(-8.0, 4.0, 2.0))
        mount = fb.Bushing("mount", a, b, stiffness=full_stiffness(0.15), point=(0, 0, 0))
        result = simulate(fb.System([a, b], (), [mount]), 1.0, fb.Explicit(rtol=1e-10))
        assert np.linalg.norm(result.element("mount").deformation[:, 3:], axis=1).max() > 1.0
        assert result.energy.balance_error < 1e-8
        assert result.element("mount").stored.max() > 0.1 * result.energy.kinetic[0]

    def test_stiff_mounts_do_not_force_small_steps(self):
        """A pendulum in a mount 1e6 times stiffer than gravity: as many steps as on a hinge, nearly."""
        arm = carrier("arm", (0.5, 0, 0))
        stiff = np.array([1e9, 1e9, 1e9, 1e7, 0, 1e7])
        damping = 1e-3 * stiff
        mount = fb.Bushing("mount", fb.GROUND, arm, stiffness=stiff, damping=damping, point=(0, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="y")
        one = simulate(fb.System([arm], (), [mount], gravity=(0, 0, -9.81)), 0.5)
        other = simulate(fb.System([arm], [hinge], gravity=(0, 0, -9.81)), 0.5)
        assert one.statistics.steps < 3 * other.statistics.steps + 100
        np.testing.assert_allclose(one.position(arm), other.position(arm), atol=1e-4)

    def test_tables(self):
        """A component with a table: its force at the points; no force in the others."""
        body = carrier("body", (1, 2, 3))
        curve = fb.SpringTable([-1e-3, 0, 2e-3], [-50.0, 0.0, 300.0])
        mount = fb.Bushing("mount", fb.GROUND, body, stiffness=[0, curve, 0, 0, 0, 0], point=(1, 2, 3))
        plan = make_plan(fb.System([body], (), [mount]))
        W = loaded(plan, shifted(plan, [[0, 2e-3, 0, 0, 0, 0]]), np.zeros(0), 0.0)
        np.testing.assert_allclose(W.element_force, [0, 300.0, 0, 0, 0, 0], atol=1e-9)
        assert W.element_power[0, 0] == pytest.approx(0.3)

    def test_tables_with_dampers(self):
        """A table brings its damper: the force of a rate alone, beside the damping of the bushing."""
        body = carrier("body", velocity=(0, 0.5, 0.5))
        curve = fb.SpringTable([-1.0, 1.0], [-50.0, 50.0], damping=30.0)
        mount = fb.Bushing(
            "mount", fb.GROUND, body, stiffness=[0, curve, 0, 0, 0, 0], damping=[7.0] * 6, point=(0, 0, 0)
        )
        plan = make_plan(fb.System([body], (), [mount]))
        c, q, alpha, v = plan.start()
        W = loaded(plan, (c, q, alpha, v, 0 * v), np.zeros(0), 0.0)
        np.testing.assert_allclose(W.element_force, [0, 0.5 * 37.0, 0.5 * 7.0, 0, 0, 0], atol=1e-12)

    def test_ends_at_two_places(self):
        """A point for a side without a place of its own; a named frame gives its place to the other side."""
        body = carrier("body", (1, 0, 0), markers={"eye": (1, 2, 3)})
        for sides, options, places in (
            ((fb.GROUND, body), {"point": (4, 5, 6)}, [(4, 5, 6), (4, 5, 6)]),
            ((fb.GROUND, body), {"point": (4, 5, 6), "second_point": (4, 5, 7)}, [(4, 5, 6), (4, 5, 7)]),
            ((fb.GROUND, body["eye"]), {}, [(1, 2, 3), (1, 2, 3)]),
            ((body["eye"], fb.GROUND), {}, [(1, 2, 3), (1, 2, 3)]),
            ((fb.GROUND, body["eye"]), {"point": (4, 5, 6)}, [(4, 5, 6), (1, 2, 3)]),
            ((body["eye"], fb.GROUND), {"second_point": (4, 5, 6)}, [(1, 2, 3), (4, 5, 6)]),
        ):
            mount = fb.Bushing("mount", *sides, stiffness=np.ones(6), **options)
            system = fb.System([body], (), [mount])
            bodies = {"body": body}
            drawn = [frame.drawn(bodies) for frame in system.forces[0].frames(bodies)]
            np.testing.assert_allclose(drawn, places, atol=1e-15)

    def test_half_a_turn_is_refused_in_words(self):
        body = carrier("body", angular_velocity=(20.0, 0, 0))
        mount = fb.Bushing(
            "mount", fb.GROUND, body, stiffness=(1e3, 1e3, 1e3, 0.1, 0.1, 0.1), point=(0, 0, 0)
        )
        with pytest.raises(
            fb.InputError,
            match=r"Bushing 'mount': its ends have rotated relative to each other by half a turn.*to a ring",
        ):
            simulate(fb.System([body], (), [mount]), 1.0, step=1e-3)

    def test_a_ring_carries_a_shaft_that_turns(self):
        """As the message proposes: a shaft turns many times and vibrates on its bearings at sqrt(2 k / (M + 2 m))."""
        k, speed = 2e5, 1e-3
        shaft = fb.RigidBody(
            "shaft", 4.0, (0.01, 0.1, 0.1), velocity=(0, 0, speed), angular_velocity=(50, 0, 0)
        )
        rings, joints, mounts = [], [], []
        for name, x in (("left", -0.3), ("right", 0.3)):
            ring = fb.RigidBody(name, 0.01, (1e-5, 1e-5, 1e-5), center=(x, 0, 0), velocity=(0, 0, speed))
            axis = dict(point=(x, 0, 0), axis="x")
            joints.append((fb.Revolute if x < 0 else fb.Cylindrical)(f"hub {name}", ring, shaft, **axis))
            mounts.append(fb.Bushing(name, fb.GROUND, ring, stiffness=[k] * 3 + [10.0] * 3, point=(x, 0, 0)))
            rings.append(ring)
        result = simulate(fb.System([shaft, *rings], joints, mounts), 0.5, step=1e-4)
        omega = np.sqrt(2 * k / (4.0 + 2 * 0.01))
        expected = speed / omega * np.sin(omega * result.t)
        # generalized-alpha of second order: phase (omega h)^2 / 12 of omega t = 158 rad
        np.testing.assert_allclose(
            result.position(shaft)[:, 2], expected, atol=158 * (omega * 1e-4) ** 2 / 6 * speed / omega
        )
        assert result.coordinate("hub left")[-1] > 3 * 2 * np.pi


def two_ends(shear=True, damping_time=0.0):
    a, b = carrier("a"), carrier("b", (0.4, 0.6, 0.3464101615137754))
    beam = fem.Beam(STEEL, SECTION, up=(0.1, 0.2, 1.0), shear=shear)
    element = fb.MasslessBeam("beam", a, b, beam=beam, damping_time=damping_time)
    return a, b, beam, element


class TestMasslessBeam:
    @pytest.mark.parametrize("shear", [True, False])
    def test_twelve_by_twelve(self, shear):
        """Small motions of both ends: the loads are those of the finite element, to 1e-5 of second-order terms."""
        a, b, beam, element = two_ends(shear)
        plan, bare = make_plan(fb.System([a, b], (), [element])), make_plan(fb.System([a, b]))
        K = beam.stiffness("line2", np.array([[np.zeros(3), b.start]]))[0]
        found = np.array(
            [
                generalized_loads(plan, bare, shifted(plan, x.reshape(2, 6)), np.zeros(0), 0.0)
                for x in 1e-7 * np.eye(12)
            ]
        )
        np.testing.assert_allclose(found, -1e-7 * K, atol=1e-5 * 1e-7 * np.abs(K).max())

    def test_frequencies_of_a_tip_mass(self):
        """A cantilever without mass, a body at its tip: eigenvalues of K's tip block and the body's masses."""
        tip = carrier("tip", (LENGTH, 0, 0))
        beam = fem.Beam(STEEL, SECTION)
        element = fb.MasslessBeam("beam", fb.GROUND, tip, beam=beam, first_point=(0, 0, 0))
        K = beam.stiffness("line2", np.array([[[0.0, 0, 0], [LENGTH, 0, 0]]]))[0][6:, 6:]
        root = 1 / np.sqrt([2, 2, 2, 0.02, 0.03, 0.04])
        exact = np.sqrt(np.linalg.eigvalsh(root[:, None] * K * root)) / (2 * np.pi)
        found = np.sort(fb.linearize(fb.System([tip], (), [element])).frequencies_hz)[-6:]
        np.testing.assert_allclose(found, exact, rtol=1e-5)

    def test_against_a_beam_of_finite_elements(self):
        """Eight elements with a thousandth of the tip's mass in place of the massless beam: the tip swings alike.

        Their mass adds 33/140 of it to the tip's (Rayleigh), 1.2e-4 of the first period in 6 rad.
        """
        x = np.linspace(0, LENGTH, 9)
        points = np.column_stack([x, 0 * x, 0 * x])
        nodes = np.stack([np.arange(8), np.arange(1, 9)], axis=1)
        mesh = fem.Mesh(points, (fem.Block("line2", nodes),), {"start": np.array([0]), "end": np.array([8])})
        light = fem.Isotropic(E=210e9, nu=0.3, rho=2e-3 / (SECTION.A * LENGTH))
        structure = fem.assemble(mesh, fem.Beam(light, SECTION))
        basis = modal.craig_bampton(structure, interfaces=("start", "end"), n_normal=0)
        reduced = modal.reduce(structure, basis)
        rod = fb.FlexibleBody("rod", reduced)
        tip = carrier("tip", (LENGTH, 0, 0))
        clamp, weld = fb.Fixed("clamp", fb.GROUND, rod["start"]), fb.Fixed("weld", rod["end"], tip)
        push = fb.PointForce("push", tip, (0, 0, 20.0))
        method = fb.GeneralizedAlpha(step=2e-4, rho_inf=0.5)
        one = simulate(fb.System([rod, tip], [clamp, weld], [push]), 0.1, method)
        beam = fb.MasslessBeam("beam", fb.GROUND, tip, beam=fem.Beam(STEEL, SECTION), first_point=(0, 0, 0))
        other = simulate(fb.System([tip], (), [beam, push]), 0.1, method)
        z1, z2 = one.position(tip)[:, 2], other.position(tip)[:, 2]
        np.testing.assert_allclose(z1, z2, atol=5e-3 * np.abs(z2).max())

    @pytest.mark.parametrize("share", [-2.0, -0.5, 0.5, 0.9])
    def test_column(self, share):
        """Stiffness against a force across the tip of a cantilever under a load P along it, share of Euler's:
        ``P k/(tan kL - kL)``, k = sqrt(|P|/EI) (S. Timoshenko, Theory of Elastic Stability, 1.11), to the 1 % by
        which one cubic beam misses the buckling load of a column (0.75 %), times what is left of the stiffness.
        """
        EI = STEEL.E * SECTION.Iy
        P = share * np.pi**2 * EI / (4 * LENGTH**2)
        k = np.sqrt(abs(P) / EI)
        kl = k * LENGTH
        exact = P * k / (np.tan(kl) - kl) if P > 0 else -P * k / (kl - np.tanh(kl))
        tip = carrier("tip", (LENGTH, 0, 0))
        element = fb.MasslessBeam(
            "beam", fb.GROUND, tip, beam=fem.Beam(STEEL, SECTION, shear=False), first_point=(0, 0, 0)
        )
        loads = [
            element,
            fb.PointForce("load", tip, (-P, 0, 0)),
            fb.PointForce("side", tip, (0, 0, 1e-3 * abs(P))),
        ]
        state = fb.equilibrium(fb.System([tip], (), loads))
        found = 1e-3 * abs(P) / state.position(tip)[2]
        assert found == pytest.approx(exact, abs=0.01 * abs(P) / LENGTH * np.pi**2 / 4)

    def test_damping(self):
        """Stiffness-proportional: the ratio of a mode is half its frequency times the given time."""
        tip = carrier("tip", (LENGTH, 0, 0))
        element = fb.MasslessBeam(
            "beam", fb.GROUND, tip, beam=fem.Beam(STEEL, SECTION), first_point=(0, 0, 0), damping_time=1e-5
        )
        found = fb.linearize(fb.System([tip], (), [element]))
        omega, ratio = 2 * np.pi * np.asarray(found.frequencies_hz), np.asarray(found.damping_ratios)
        np.testing.assert_allclose(ratio, 0.5e-5 * omega, rtol=1e-4)
