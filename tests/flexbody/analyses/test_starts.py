"""How a run starts: quasi-static deformation, equilibrium, and going on from an earlier state."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from reference import ivp_crank, machines, slider_crank
from support import beams
from support.frames import line

import fem
import flexbody as fb
import modal

TURN = 2 * np.pi / slider_crank.SPEED


def simulate(system, t_end, start, **options):
    return fb.simulate(system, t_end, start=start, show_progress=False, **options)


def driven(system, rate):
    """Koppens' slider-crank at another speed, drawn at rest."""
    joints = [replace(joint, rate=rate) if joint.name == "drive" else joint for joint in system.joints]
    bodies = [replace(body, velocity=(0, 0, 0), angular_velocity=(0, 0, 0)) for body in system.bodies]
    return replace(system, joints=joints, bodies=bodies)


class TestQuasiStatic:
    @pytest.mark.parametrize("rate", [150.0, 15.0])
    def test_koppens_initial_velocity(self, rate):
        """(D.11), which grows as the cube of the speed: to (omega / nu)^2 = 0.8 % of the largest at 150 rad/s.

        (D.11) leaves out what the deformation itself adds to the centrifugal force.
        """
        system, _ = machines.koppens_slider_crank("quintic")
        exact = slider_crank.quasi_static_velocity(slider_crank.machine("quintic", 4)) * (rate / 150) ** 3
        start = simulate(driven(system, rate), 1e-3 / rate, fb.QuasiStatic())
        turn = slider_crank.CRANK / slider_crank.LENGTH * rate
        share = max((turn / beams.PINNED) ** 2, (rate / beams.PINNED) ** 2)
        np.testing.assert_allclose(start.alpha_dot("rod")[0], exact, rtol=0, atol=share * np.abs(exact).max())
        # 1.05 m/s as printed, of the middle over the whole first-mode shape (D.12)
        assert not start.alpha("rod")[0].any() or np.abs(start.alpha("rod")[0]).max() < 1e-12

    def test_nearly_no_ringing(self):
        """Koppens' rod repeats itself from turn to turn to 6 % rms; started straight it rings by 80 %."""
        system, read = machines.koppens_slider_crank("quintic")

        def change(start):
            run = simulate(system, 2 * TURN, start, output_step=TURN / 50)
            d = read(run)["deflection"]
            return np.sqrt(np.mean((d[50:] - d[:51]) ** 2) / np.mean(d**2))

        assert change(fb.AsDrawn()) > 0.5
        assert change(fb.QuasiStatic()) < 0.1

    def test_at_rest_it_is_equilibrium(self):
        """A beam on two supports that sags: the same alpha as by Newton's method with all joints, and at rest."""
        body = fb.FlexibleBody(
            "beam", beams.quintic_beam(), place={"start": (0, 0, 0), "end": (beams.LENGTH, 0, 0)}
        )
        joints = [
            fb.Universal("left", fb.GROUND, body["start"], axes=("y", "z")),
            fb.PointOnLine("right", fb.GROUND, body["end"], axis="x"),
        ]
        system = fb.System([body], joints, gravity=(0, -3.0, -9.81))
        state = fb.equilibrium(system)
        run = simulate(system, 1e-4, fb.QuasiStatic())
        scale = np.abs(state.alpha(body)).max()
        np.testing.assert_allclose(run.alpha(body)[0], state.alpha(body), rtol=0, atol=1e-9 * scale)
        np.testing.assert_allclose(run.position(body)[0], state.position(body), rtol=0, atol=1e-9 * scale)
        assert np.abs(run.v[0]).max() < 1e-9
        still = simulate(system, 0.01, fb.QuasiStatic())
        np.testing.assert_allclose(
            still.alpha(body), np.tile(state.alpha(body), (len(still.t), 1)), atol=1e-6 * scale
        )

    @pytest.mark.parametrize("damping", [1e4, 1e6])
    def test_strong_dampers_do_not_kick(self, damping):
        """A bar at rest whose end a damper holds: it begins at rest, and falls no faster than freely."""
        structure = fem.assemble(
            line([(0, 0, 0), (1, 0, 0)], 4),
            fem.Beam(fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0), fem.Circle(0.02)),
        )
        bar = fb.FlexibleBody(
            "bar", modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=1))
        )
        hinge = fb.Revolute("hinge", fb.GROUND, bar["start"], axis="z")
        mount = fb.Bushing("mount", fb.GROUND, bar["end"], damping=(damping,) * 3 + (0,) * 3)
        system = fb.System([bar], [hinge], [mount], gravity=(0, -9.81, 0))
        found = simulate(system, 1e-3, fb.QuasiStatic())
        assert found.energy.kinetic[0] < 1e-12  # 0.7 J and 7 kJ before
        assert found.energy.kinetic.max() < bar.mass * (1.5 * 9.81 * 1e-3) ** 2 / 6

    @pytest.mark.parametrize("share", [0.3, 1.0, 100.0])
    def test_on_a_spring(self, share):
        """A clamped beam under a load and on a spring at its tip, as stiff as a part of itself: equilibrium's shape.

        Stiff springs change the reactions by more than the body does.
        """
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        root = fb.Fixed("root", fb.GROUND, body["start"])
        stiffness = share * 3 * beams.EI / beams.LENGTH**3
        tip = body.start + body.marker("end")[0]
        spring = fb.SpringDamper(
            "spring", body["end"], fb.GROUND, stiffness=stiffness, second_point=tip + [0, 1, 0]
        )
        load = fb.PointForce("load", body["end"], (0, -0.01 * (1 + share) * beams.EI / beams.LENGTH**2, 0))
        system = fb.System([body], [root], [spring, load])
        state, run = fb.equilibrium(system), simulate(system, 1e-5, fb.QuasiStatic())
        scale = np.abs(state.alpha(body)).max()
        assert scale > 1e-4
        np.testing.assert_allclose(run.alpha(body)[0], state.alpha(body), rtol=0, atol=1e-8 * scale)
        np.testing.assert_allclose(run.position(body)[0], state.position(body), rtol=0, atol=1e-8 * scale)

    def test_turning_blade(self):
        """A blade on a driven hub stands in its steady shape, stretched and bent by a load that follows."""
        machine, rate = blade()
        steady = fb.equilibrium(machine, spin=(0, 0, rate))
        run = simulate(machine, 1e-3, fb.QuasiStatic())
        scale = np.abs(steady.alpha("blade"))
        assert scale.max() > 1e-4
        np.testing.assert_allclose(
            run.alpha("blade")[0], steady.alpha("blade"), rtol=0, atol=1e-7 * scale.max()
        )
        assert np.abs(run.alpha_dot("blade")[0]).max() < 1e-5 * rate * scale.max()

    def test_load_that_grows(self):
        """A force F0 + F1 t on a clamped beam's tip: alpha and its rate as the flexibility's answers to F0 and F1."""
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        root = fb.Fixed("root", fb.GROUND, body["start"])

        def system(value):
            return fb.System([body], [root], [fb.PointForce("load", body["end"], value)])

        run = simulate(system(lambda t: (0.0, 1e-3 + 0.5 * t, 0.0)), 0.01, fb.QuasiStatic())
        first, rate = (fb.equilibrium(system((0, value, 0))).alpha(body) for value in (1e-3, 0.5))
        np.testing.assert_allclose(run.alpha(body)[0], first, rtol=1e-8, atol=1e-12)
        # 0.5 N bend the beam by 5 % of its length: small motions give the rate
        np.testing.assert_allclose(run.alpha_dot(body)[0], rate, rtol=0, atol=1e-2 * np.abs(rate).max())
        none = simulate(system(lambda t: (0.0, 1e-3 + 0.5 * t, 0.0)), 0.01, fb.QuasiStatic(rates=False))
        assert not none.alpha_dot(body)[0].any()

    @pytest.mark.parametrize("damping", [1e4, 1e5, 1e7])
    def test_damping_is_blamed_for_what_it_does(self, damping):
        """A damper at the end of a turning beam: at 10 rad/s and 0.3 m it gives 3 c N along its line, and is named."""
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        tip = body.start + body.marker("end")[0]
        hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="y")
        drive = fb.Drive("drive", hinge, rate=10.0)
        brake = fb.SpringDamper("brake", fb.GROUND, body["end"], damping=damping, first_point=tip - (0, 0, 1))
        with pytest.raises(fb.ConvergenceError, match="SpringDamper 'brake' resists the motion") as caught:
            simulate(fb.System([body], [hinge, drive], [brake]), 1e-3, fb.QuasiStatic())
        text = str(caught.value)
        assert f"SpringDamper 'brake' resists the motion at t = 0 s with {3 * damping:.3g} N" in text
        assert "buckling" not in text

    def test_falling_body_keeps_its_shape(self):
        body = fb.FlexibleBody("beam", beams.quintic_beam(), alpha=[1e-3] + 7 * [0])
        run = simulate(fb.System([body], gravity=(0, 0, -9.81)), 1e-3, fb.QuasiStatic())
        assert np.abs(run.alpha(body)).max() < 1e-12

    def test_where_only_deformation_closes_the_joints(self):
        """A rod longer than drawn between two fixed points stretches; the reaction is what its stiffness takes."""
        stretch = 2e-5
        rod = fb.FlexibleBody("rod", machines.ivp_crank_rod())
        far = (ivp_crank.L2 + stretch, 0, 0)
        anchor = fb.RigidBody("far", 1e3, (1e3,) * 3, center=far, markers={"eye": far})
        joints = [
            fb.Universal("near", fb.GROUND, rod["start"], axes=("y", "z")),
            fb.Fixed("base", fb.GROUND, anchor, point=far),
            fb.Spherical("pin", anchor["eye"], rod["end"]),
        ]
        system = fb.System([rod, anchor], joints)
        run, state = simulate(system, 1e-5, fb.QuasiStatic()), fb.equilibrium(system)
        # the chord frame's last function alone moves the end; the other axial one is its slave
        assert run.alpha(rod)[0, 3] == pytest.approx(stretch, rel=1e-6)
        np.testing.assert_allclose(run.alpha(rod)[0], state.alpha(rod), rtol=1e-6, atol=1e-12)
        tension = ivp_crank.E * ivp_crank.B * ivp_crank.H * stretch / ivp_crank.L2
        assert abs(state.reaction("pin").force[0]) == pytest.approx(tension, rel=1e-3)

    def test_rigid_machine_starts_as_drawn(self):
        system, _ = machines.pendulum_machine()
        one, other = (simulate(system, 0.01, start) for start in (fb.AsDrawn(), fb.QuasiStatic()))
        np.testing.assert_array_equal(one.c, other.c)


@functools.cache
def blade():
    """A rod of 0.5 m on a driven hub with a jet at its tip, and the hub's rate."""
    section = fem.Circle(0.005)
    steel = fem.Isotropic(E=0.2e12, nu=0.3, rho=7870.0)
    structure = fem.assemble(line([(0, 0, 0), (0.5, 0, 0)], 12), fem.Beam(steel, section, shear=False))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))
    rate = 40.0
    body = fb.FlexibleBody("blade", reduced, origin=(0.1, 0, 0))
    hub = fb.RigidBody("hub", 1.0, (1, 1, 1))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    joints = [bearing, fb.Fixed("root", hub, body["start"]), fb.Drive("motor", bearing, rate=rate)]
    jet = fb.PointForce("jet", body["end"], (0, 2.0, 1.0), follows=True)
    return fb.System([hub, body], joints, [jet]), rate


class TestEquilibrium:
    def test_nothing_moves(self):
        """A sagging beam stays, to the integrator's tolerance; drawn straight it swings about there."""
        body = fb.FlexibleBody("beam", beams.quintic_beam())
        root = fb.Fixed("root", fb.GROUND, body["start"])
        system = fb.System([body], [root], gravity=(0, 0, -9.81))
        still, swinging = (simulate(system, 0.02, start) for start in (fb.Equilibrium(), fb.AsDrawn()))
        state = fb.equilibrium(system)
        sag = np.ptp([state.position(body["end"])[2], 0])
        assert np.ptp(still.position(body["end"])[:, 2]) < 1e-5 * sag
        assert np.ptp(swinging.position(body["end"])[:, 2]) > 1.5 * sag

    def test_turning(self):
        """From the steady motion of a turning blade its shape stays; with wrong numbers it is refused."""
        machine, rate = blade()
        run = simulate(machine, 0.02, fb.Equilibrium(spin=(0, 0, rate)))
        alpha = run.alpha("blade")
        assert np.ptp(alpha, axis=0).max() < 1e-4 * np.abs(alpha).max()
        with pytest.raises(fb.InputError, match="drive 'motor' misses by 1"):
            simulate(machine, 0.02, fb.Equilibrium(spin=(0, 0, rate + 1)))


class TestEarlierState:
    def test_goes_on_where_it_ended(self, tmp_path):
        """Half a run and the rest of it are the whole; from the result, a state of it, and its file."""
        system, _ = machines.koppens_slider_crank("quintic")
        options = {"output_step": 1e-3, "integrator": fb.GeneralizedAlpha(rtol=1e-6)}
        whole = simulate(system, 0.02, None, **options)
        half = simulate(system, 0.01, None, **options)
        half.save(tmp_path / "half.h5")
        for start in (half, fb.load_result(tmp_path / "half.h5")):
            rest = simulate(system, 0.02, start, **options)
            np.testing.assert_allclose(rest.t, whole.t[10:], rtol=1e-12)
            np.testing.assert_allclose(rest.c, whole.c[10:], rtol=0, atol=1e-7)
            np.testing.assert_allclose(rest.coordinate("drive"), whole.coordinate("drive")[10:], atol=1e-10)
            assert rest.statistics.position_correction < 1e-12

    def test_explicitly(self):
        system, _ = machines.heavy_top_machine()
        whole = simulate(system, 0.1, None, integrator=fb.Explicit(), output_step=0.01)
        half = simulate(system, 0.05, None, integrator=fb.Explicit(), output_step=0.01)
        rest = simulate(system, 0.1, half, integrator=fb.Explicit(), output_step=0.01)
        np.testing.assert_allclose(rest.q, whole.q[5:], atol=1e-8)

    def test_drives_by_functions_of_time(self):
        """A drive that is a function goes on in its time: angle 3 t^2 from t = 0.1 on."""
        body = fb.RigidBody("bar", 1.0, (1, 1, 1), center=(1, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
        system = fb.System([body], [hinge, fb.Drive("motor", hinge, value=lambda t: 3 * t * t)])
        half = simulate(system, 0.1, None)
        rest = simulate(system, 0.3, half, output_step=0.1)
        np.testing.assert_allclose(rest.t, [0.1, 0.2, 0.3])
        np.testing.assert_allclose(rest.coordinate(hinge), 3 * rest.t**2, atol=1e-9)
        # the moment that it takes: J = 1 + 1 about the hinge, 6 rad/s^2
        np.testing.assert_allclose(rest.reaction("motor").moment[:, 2], 12, rtol=1e-5)

    def test_a_state_found_elsewhere(self):
        """The equilibrium of a machine starts a changed one: a held pendulum, let go."""
        body = fb.RigidBody("bar", 1.0, (1 / 12,) * 3, center=(0.5, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")
        held = fb.System([body], [hinge, fb.Drive("stop", hinge, value=-0.5)], gravity=(0, -9.81, 0))
        run = simulate(replace(held, joints=[hinge]), 0.01, fb.equilibrium(held))
        assert run.coordinate(hinge)[0] == pytest.approx(-0.5)
        assert run.vdot[0, 5] == pytest.approx(-1.5 * 9.81 * np.cos(0.5), rel=1e-9)

    def test_what_can_not_be_started_from(self):
        system, _ = machines.pendulum_machine()
        run = simulate(system, 0.1, None)
        with pytest.raises(fb.InputError, match=r"t = 0.1 s, and the run ends at t_end = 0.05 s"):
            simulate(system, 0.05, run)
        other, _ = machines.heavy_top_machine()
        with pytest.raises(fb.InputError, match=r"no body 'top'.*it has 'bar'"):
            simulate(other, 0.2, run)
        with pytest.raises(fb.InputError, match=r"start is 'resting'.*fb.QuasiStatic"):
            simulate(system, 0.1, "resting")


class TestBlow:
    """An arm of 2 kg on a free base of 10 kg, 0.5 m from its centre, driven at 5 rad/s from the start."""

    @staticmethod
    def machine(**motion):
        base = fb.RigidBody("base", 10.0, (1, 1, 1))
        arm = fb.RigidBody("arm", 2.0, (0.01, 0.2, 0.2), center=(0.5, 0, 0), **motion)
        hinge = fb.Revolute("hinge", base, arm, point=(0, 0, 0), axis="z")
        return fb.System([base, arm], [hinge, fb.Drive("motor", hinge, rate=5.0)])

    def test_a_drive_that_kicks_a_free_base_says_so_with_numbers(self):
        """Momentum stays zero: J = 0.2 + m / 4 with m = 10 * 2 / 12 kg, (1 + J) w + 5 J = 0; 10 v = -2 (w + 5) / 2."""
        J = 0.2 + 10 * 2 / 12 * 0.25
        base = 5 * J / (1 + J)
        words = rf"drive 'motor': .* moves 'base' by {(5 - base) / 12:.3g} m/s and {base:.3g} rad/s, 'arm'"
        with pytest.warns(fb.FlexbodyWarning, match=words):
            result = simulate(self.machine(), 0.01, None)
        assert result.angular_velocity("base")[0, 2] == pytest.approx(-base)
        with pytest.warns(fb.FlexbodyWarning, match=words):
            fb.Stepper(self.machine())

    def test_otherwise_it_is_quiet(self, recwarn):
        """The arm moves as the drive does already, or the base is held."""
        simulate(self.machine(velocity=(0, 2.5, 0), angular_velocity=(0, 0, 5.0)), 0.01, None)
        free = self.machine()
        held = fb.Fixed("held", fb.GROUND, free.body("base"), point=(0, 0, 0))
        simulate(replace(free, joints=[*free.joints, held]), 0.01, None)
        assert not [w for w in recwarn if "blow" in str(w.message)]


def test_a_load_on_an_idle_massless_body_is_the_reason():
    """A search for a quasi-static start that fails on rings without mass names them, not a mass matrix."""
    length, n = 0.6, 12
    x = np.linspace(0, length, n + 1)
    cells = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    sets = {"a": [0], "mid": [n // 2], "b": [n]}
    mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets)
    fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), fem.Circle(0.02)))
    body = modal.reduce(fe, modal.recommend(fe, tuple(sets), f_max_hz=1000.0))
    shaft = fb.FlexibleBody("shaft", body)
    disk = fb.RigidBody("disk", 8.0, (0.04, 0.02, 0.02), center=(0.3, 0, 1e-4))
    motor = fb.RigidBody("motor", 1.0, (1e-3, 1e-3, 1e-3), center=(-0.1, 0, 0))
    bearing = fb.Revolute("bearing", fb.GROUND, motor, point=(-0.1, 0, 0), axis="x")
    joints = [fb.Fixed("hub", shaft["mid"], disk), bearing, fb.Drive("drive", bearing, rate=100.0)]
    twist = [0, 0, 0, 5e3, 0, 0]
    mounts = [fb.Bushing("coupling", motor, shaft["a"], stiffness=twist, damping=[0, 0, 0, 1.0, 0, 0])]
    for name, at, axial in (("a", 0.0, 1e9), ("b", length, 1e3)):
        ring = fb.MasslessBody(f"ring {name}", center=(at, 0, 0))
        joints.append(fb.Revolute(f"hub {name}", ring, shaft[name], axis="x"))
        stiffness = [axial, 1e9, 1e9, 1e6, 1e3, 1e3]
        mounts.append(fb.Bushing(name, fb.GROUND, ring, stiffness=stiffness, point=(at, 0, 0)))
    machine = fb.System([shaft, disk, motor], joints, mounts)
    with pytest.raises(fb.InputError, match="a force acts on the massless body 'ring"):
        fb.simulate(machine, 1e-3, start=fb.QuasiStatic(), show_progress=False)


@pytest.mark.parametrize("rule", ["quasi-static", "held"])
def test_mounts_are_loaded_by_the_equilibrium_of_the_held_machine(rule):
    """A bar of 1 kg that will swing on a base of 5 kg on a mount: 6 g at the start, or nothing with QuasiStatic."""
    base = fb.RigidBody("base", 5.0, (0.1,) * 3)
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", base, bar, point=(0, 0, 0), axis="y")
    mount = fb.Bushing("mount", fb.GROUND, base, stiffness=[1e7] * 3 + [1e6] * 3, point=(0, 0, 0))
    machine = fb.System([base, bar], [hinge], [mount], gravity=(0, 0, -9.81))
    held = replace(machine, joints=[*machine.joints, fb.Drive("hold", hinge, value=0.0)])
    start = fb.QuasiStatic() if rule == "quasi-static" else fb.equilibrium(held)
    result = simulate(machine, 1e-3, start, output_step=1e-3)
    force = np.linalg.norm(result.element("mount").force[0, :3])
    assert force == pytest.approx(6 * 9.81 if rule == "held" else 0.0, rel=1e-9, abs=1e-9)
    assert result.coordinate("hinge")[0] == pytest.approx(0.0, abs=1e-9)
