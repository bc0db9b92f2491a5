"""Steps of error control where parts vibrate much faster than the machine moves, and hardly at all."""

import re
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.linalg import eigh
from support.frames import line
from support.switched import STEP, switched_block

import fem
import flexbody as fb
import modal
from flexbody.analyses import recorder
from flexbody.analyses.lost_energy import warn_of_lost_energy
from flexbody.integrators import automatic
from flexbody.integrators.independent_rows import IndependentRows

pytestmark = pytest.mark.slow  # together a second or more

GRAVITY = (0.0, 0.0, -9.81)


def pendulum_on(mount, t_end=3.0, **options):
    """A pendulum under a base of 10 kg that ``mount`` (a function of the base) holds."""
    base = fb.RigidBody("base", 10.0, (0.1,) * 3)
    bob = fb.RigidBody("bob", 1.0, (0.02,) * 3, center=(1.0, 0, 0))
    joints = [fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")]
    held = mount(base)
    if isinstance(held, fb.Fixed):
        machine = fb.System([base, bob], [*joints, held], gravity=GRAVITY)
    else:
        machine = fb.System([base, bob], joints, [held], gravity=GRAVITY)
    return fb.simulate(machine, t_end, output_step=0.01, show_progress=False, **options)


def fixed(base):
    return fb.Fixed("mount", fb.GROUND, base, point=(0, 0, 0))


def bushing(k):
    return lambda base: fb.Bushing(
        "mount", fb.GROUND, base, stiffness=(k,) * 3 + (0.01 * k,) * 3, point=(0, 0, 0)
    )


@pytest.fixture(scope="module")
def rigid():
    return pendulum_on(fixed)


@pytest.fixture(scope="module")
def exact():
    return pendulum_on(fixed, integrator=fb.Explicit(rtol=1e-11))


class TestStiffMount:
    """The mount sags by the weight over its stiffness, 1e-3 to 1e-9 m, and rings with that amplitude, undamped."""

    @pytest.mark.parametrize("k", [1e5, 1e7, 1e9, 1e11])
    def test_its_ringing_costs_at_most_twice_the_steps_of_a_joint(self, k, rigid, exact):
        found = pendulum_on(bushing(k))
        assert found.statistics.steps < 2 * rigid.statistics.steps
        # the swing is 2 m wide; the mount's give shifts it by its sag of 110 N / k and by its share of the period
        error = np.abs(found.position("bob") - exact.position("bob")).max()
        assert error < 2e-3 + 20 * 110 / k
        # nothing takes energy out but the method; what it takes is less than the energy that rings,
        # (110 N)^2 / 2 k, beside the 10 J of the swing
        assert found.energy.balance_error < 1e-3 + 110**2 / (2 * k) / 10

    def test_its_force_on_average_is_that_of_the_joint(self, exact):
        """At 1e9 N/m, over tenths of a second: a hundred and more periods of the ringing. 1 % of the largest force."""
        found = pendulum_on(bushing(1e9))
        mount, joint = -found.element("mount").first[:, :3], -exact.reaction("mount").force
        sign = np.sign(joint[-1] @ mount[-1])
        windows = [slice(k, k + 10) for k in range(20, 300, 10)]
        for window in windows:
            apart = np.abs(sign * mount[window].mean(0) - joint[window].mean(0)).max()
            assert apart < 0.01 * np.abs(joint).max()

    @pytest.mark.parametrize(("k", "periods"), [(1e7, 10), (1e11, 20)])
    def test_it_rings_rightly_at_a_tight_tolerance(self, k, periods):
        """A mass of 10 kg on a mount, hung into gravity beside the swing: z = -(m g / k) (1 - cos(w t)), with the
        pendulum's pull left out (bob of 1 mg). 1 % of the amplitude, which at 1e11 N/m is 1e-9 m."""
        m = 10.0
        base = fb.RigidBody("base", m, (0.1,) * 3)
        bob = fb.RigidBody("bob", 1e-6, (2e-8,) * 3, center=(1.0, 0, 0))
        hinge = fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")
        mount = fb.Bushing("mount", fb.GROUND, base, stiffness=(k,) * 3 + (0.01 * k,) * 3, point=(0, 0, 0))
        omega = np.sqrt(k / m)
        t_end = periods * 2 * np.pi / omega
        machine = fb.System([base, bob], [hinge], [mount], gravity=GRAVITY)
        method = fb.GeneralizedAlpha(rtol=1e-8)
        found = fb.simulate(machine, t_end, integrator=method, output_step=t_end / 200, show_progress=False)
        amplitude = m * 9.81 / k
        expected = -amplitude * (1 - np.cos(omega * found.t))
        assert np.abs(found.position("base")[:, 2] - expected).max() < 0.01 * amplitude


class TestAlone:
    """What vibrates is all that moves: it must not be taken for a small matter."""

    def test_a_mass_on_a_stiff_spring(self):
        """z = -(m g / k) (1 - cos(w t)) over three periods, as exactly as with all vibrations resolved. Local errors of
        3.75e-5 of the distance at top speed, 6 pi amplitudes, add up to 7e-4 of one; those of the speed, which follow
        from them, to as much; twice that is for what the filter lets pass."""
        k, m = 1e4, 1.0
        mass = fb.RigidBody("mass", m, (1e-3,) * 3)
        guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
        spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=k, first_point=(0, 0, 1))
        omega = np.sqrt(k / m)
        t_end = 3 * 2 * np.pi / omega
        machine = fb.System([mass], [guide], [spring], gravity=GRAVITY)
        found = fb.simulate(machine, t_end, output_step=t_end / 60, show_progress=False)
        amplitude = m * 9.81 / k
        expected = -amplitude * (1 - np.cos(omega * found.t))
        assert np.abs(found.position("mass")[:, 2] - expected).max() < 2.8e-3 * amplitude

    def test_a_plucked_bar(self):
        """A free bar in its first bending mode, three periods: alpha = a cos(w t), as exactly as the mass on a spring.

        Where the jerk is largest C (h w)^2 = 1e-5 with C = 0.0864, so that a period takes at most 584 steps.
        """
        mesh = line([(0, 0, 0), (0.3, 0, 0)], 20, {"middle": np.array([10])})
        bar = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=2e11, nu=0.3, rho=7870.0), fem.Circle(0.006)))
        reduced = modal.reduce(bar, modal.craig_bampton(bar, ("start", "end"), n_normal=4))
        values, shapes = eigh(reduced.K, reduced.C8)
        omega, shape = np.sqrt(values[0]), shapes[:, 0] * 1e-4
        body = fb.FlexibleBody("bar", reduced, alpha=shape)
        t_end = 3 * 2 * np.pi / omega
        found = fb.simulate(fb.System([body]), t_end, output_step=t_end / 60, show_progress=False)
        modal_value = found.alpha("bar") @ reduced.C8 @ shape / (shape @ reduced.C8 @ shape)
        assert np.abs(modal_value - np.cos(omega * found.t)).max() < 1.2e-3
        assert found.statistics.steps < 3 * 584


def test_blows_are_no_vibrations():
    """A ball on a stop without dissipation leaves with the speed that it came with: to 1e-3, whatever the stiffness of
    the stop, as all its force is stiffness of the iteration matrix."""
    ball = fb.RigidBody("ball", 1.0, (1e-3,) * 3, velocity=(-1.0, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, ball, point=(0, 0, 0), axis="x")
    stop = fb.Limit("stop", guide, lower=-0.5, stiffness=1e10)
    method = fb.GeneralizedAlpha()
    found = fb.simulate(fb.System([ball], [guide], [stop]), 1.0, integrator=method, show_progress=False)
    assert found.velocity("ball")[-1, 0] == pytest.approx(1.0, abs=1e-3)


def test_a_sled_with_a_flexible_rod_bounces():
    """The rod rings after the blow, and its ringing may be lost; the way back of the sled is that of all vibrations
    resolved, to 1e-3 of it."""
    mesh = line([(0, 0, 0), (0.3, 0, 0)], 20)
    rod_fe = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=2e11, nu=0.3, rho=7870.0), fem.Circle(0.006)))
    reduced = modal.reduce(rod_fe, modal.craig_bampton(rod_fe, ("start", "end"), n_normal=4))
    rod = fb.FlexibleBody("rod", reduced, velocity=(0, -1.0, 0))
    sled = fb.RigidBody("sled", 0.5, (1e-3,) * 3, velocity=(0, -1.0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, sled, point=(0, 0, 0), axis="y")
    clamp = fb.Fixed("clamp", sled, rod["start"])
    stop = fb.Limit("stop", guide, lower=-0.05, stiffness=1e7)
    machine = fb.System([sled, rod], [guide, clamp], [stop])
    run = {"t_end": 0.15, "output_step": 1e-3, "show_progress": False}
    resolved = fb.simulate(machine, integrator=fb.GeneralizedAlpha(vibrations=0), **run)
    found = fb.simulate(machine, integrator=fb.GeneralizedAlpha(), **run)
    way, expected = found.position("sled")[:, 1], resolved.position("sled")[:, 1]
    assert expected.min() < -0.05
    assert np.abs(way - expected).max() < 1e-3 * np.ptp(expected)
    assert found.statistics.steps < 0.5 * resolved.statistics.steps


@pytest.mark.filterwarnings("ignore::fem.RedundantConstraintWarning")
def test_redundant_rows_are_not_doubted_for_a_stiff_mount(monkeypatch):
    """A closed four-bar in space on mounts: its rows stay independent, so that no other ones need be looked for."""
    asked = []
    monkeypatch.setattr(IndependentRows, "_choose", lambda self, run: asked.append(run.t))
    base = fb.RigidBody("base", 10.0, (1.0,) * 3, center=(0.5, 0, 0))
    left = fb.RigidBody("left", 1.0, (0.1,) * 3, center=(0, 0.25, 0))
    top = fb.RigidBody("top", 1.0, (0.1,) * 3, center=(0.5, 0.5, 0))
    right = fb.RigidBody("right", 1.0, (0.1,) * 3, center=(1, 0.25, 0))
    corners = [(base, left, (0, 0)), (left, top, (0, 0.5)), (top, right, (1, 0.5)), (right, base, (1, 0))]
    joints = [
        fb.Revolute(f"hinge {k}", one, other, point=(*at, 0), axis="z")
        for k, (one, other, at) in enumerate(corners)
    ]
    stiffness = (1e8,) * 3 + (1e7,) * 3
    mounts = [
        fb.Bushing(f"mount {x}", fb.GROUND, base, stiffness=stiffness, point=(x, 0, 0)) for x in (0.0, 1.0)
    ]
    machine = fb.System([base, left, top, right], joints, mounts, gravity=(2.0, -9.81, 0))
    found = fb.simulate(machine, 0.5, show_progress=False)
    assert found.statistics.rank < 5 * len(joints)
    assert found.statistics.steps > 100
    assert asked == []


def rotating_rod():
    """A rod that turns with its hub at 75 rad/s and sags under its weight; its length rings."""
    length, rate = 0.3, 75.0
    mesh = line([(0, 0, 0), (length, 0, 0)], 40, {"middle": np.array([20])})
    beam = fem.Beam(fem.Isotropic(E=2e11, nu=0.3, rho=7870.0), fem.Circle(0.006), shear=False)
    rod_fe = fem.assemble(mesh, beam)
    reduced = modal.reduce(rod_fe, modal.craig_bampton(rod_fe, ("start", "end"), n_normal=4))
    spin = (0, 0, rate)
    rod = fb.FlexibleBody("rod", reduced, angular_velocity=spin, velocity=(0, rate * length / 2, 0))
    hub = fb.RigidBody("hub", 1.0, (0.01,) * 3, angular_velocity=spin)
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0))
    joints = [axle, fb.Fixed("clamp", hub, rod["start"]), fb.Drive("drive", axle, rate=rate)]
    return fb.System([hub, rod], joints, gravity=GRAVITY)


def test_a_rod_that_rings_lengthwise():
    """300 fixed steps give the sag of the end within 0.5 % rms; the default run may take three times as many."""
    machine = rotating_rod()
    run = {"output_step": 2e-4, "show_progress": False}
    exact = fb.simulate(machine, 0.06, integrator=fb.Explicit(rtol=1e-8), **run).position(("rod", "end"))
    found = fb.simulate(machine, 0.06, **run)
    sag, expected = found.position(("rod", "end"))[:, 2], exact[:, 2]
    assert np.sqrt(np.mean((sag - expected) ** 2)) < 5e-3 * np.abs(expected).max()
    assert found.statistics.steps < 900
    assert found.statistics.vibrating > 0


class TestWhatIsLost:
    """The energy balance tells it; what the ringing does on average is right."""

    def test_the_energy_of_a_ringing_load(self):
        """A load that hits a stiff spring on a cart at v = 0.1 m/s rings for ever: the method takes m_r v^2 / 2 out,
        m_r the reduced mass. 5 %: some of it is left, and 1e-6 of the 50 J of the cart is lost too."""
        cart = fb.RigidBody("cart", 10.0, (1e-2,) * 3)
        load = fb.RigidBody("load", 1.0, (1e-2,) * 3, center=(0.5, 0, 0), velocity=(0.1, 0, 0))
        guides = [
            fb.Prismatic("first", fb.GROUND, cart, point=(0, 0, 0), axis="x"),
            fb.Prismatic("second", fb.GROUND, load, point=(0.5, 0, 0), axis="x"),
        ]
        ends = {"first_point": (-5, 0, 0), "second_point": (0, 0, 0), "free_length": 4.0}
        soft = fb.SpringDamper("soft", fb.GROUND, cart, stiffness=100.0, **ends)
        ends = {"first_point": (0, 0, 0), "second_point": (0.5, 0, 0)}
        stiff = fb.SpringDamper("stiff", cart, load, stiffness=1e7, **ends)
        machine = fb.System([cart, load], guides, [soft, stiff])
        method = fb.GeneralizedAlpha()
        found = fb.simulate(machine, 2.0, integrator=method, output_step=0.01, show_progress=False)
        assert found.energy.residual[-1] == pytest.approx(-0.5 * 10 / 11 * 0.1**2, rel=0.05)

    def test_the_energy_of_a_ringing_shaft(self):
        """Two rotors that turn at 10 and 11 rad/s, on a shaft without damping: J_r (1 rad/s)^2 / 2 is lost. 1 %."""
        bodies, hinges = [], []
        for name, inertia, rate, height in (("one", 0.04, 10.0, 0.0), ("two", 0.02, 11.0, 0.3)):
            center = (0, 0, height)
            body = fb.RigidBody(
                name, 1.0, (0.02, 0.02, inertia), center=center, angular_velocity=(0, 0, rate)
            )
            bodies.append(body)
            hinges.append(fb.Revolute(f"bearing {name}", fb.GROUND, body, point=center, axis="z"))
        shaft = fb.Bushing("shaft", *bodies, stiffness=(0, 0, 0, 0, 0, 1e6), point=(0, 0, 0.15))
        machine = fb.System(bodies, hinges, [shaft])
        method = fb.GeneralizedAlpha()
        found = fb.simulate(machine, 2.0, integrator=method, output_step=0.01, show_progress=False)
        reduced = 0.04 * 0.02 / 0.06
        assert found.energy.residual[-1] == pytest.approx(-0.5 * reduced, rel=0.01)

    def test_much_lost_energy_is_warned_of(self):
        """A weight on a spring swings by m g / k about its sag; all of it, (m g)^2 / 2 k, may be lost.

        With a spectral radius of zero and a rough tolerance a tenth is gone in 16 periods, by default almost nothing.
        """
        k, m = 1e4, 1.0
        weight = fb.RigidBody("weight", m, (1e-3,) * 3)
        guide = fb.Prismatic("guide", fb.GROUND, weight, point=(0, 0, 0), axis="z")
        spring = fb.SpringDamper("spring", fb.GROUND, weight, stiffness=k, first_point=(0, 0, 1))
        machine = fb.System([weight], [guide], [spring], gravity=GRAVITY)
        run = {"t_end": 1.0, "show_progress": False}
        rough = fb.GeneralizedAlpha(rho_inf=0.0, rtol=1e-2, vibrations=0.5)
        with pytest.warns(fb.FlexbodyWarning, match="the time integration has lost") as told:
            found = fb.simulate(machine, integrator=rough, **run)
        text = next(str(one.message) for one in told if "has lost" in str(one.message))
        lost, at, share, first = re.search(
            r"lost (\S+) J by t = (\S+) s, (\S+) % of the largest energy of the run \(5 % by t = (\S+) s\)",
            text,
        ).groups()
        energy = found.energy
        largest = np.max(energy.kinetic + energy.strain)
        assert float(lost) == pytest.approx(-energy.residual.min(), rel=5e-3)  # three digits
        assert float(share) == pytest.approx(100 * float(lost) / largest, rel=0.05)  # whole percents
        assert energy.residual[found.t == float(at)] == energy.residual.min()
        before = energy.residual[found.t < float(first)]
        assert -before.min() <= 0.05 * largest < -energy.residual[len(before)]
        assert all(word in text for word in ("vibrations=0", "smaller rtol", "smaller max_step"))
        sim = fb.Stepper(machine, integrator=rough)
        for _ in range(10):
            sim.advance(0.1)
        with pytest.warns(fb.FlexbodyWarning, match="the time integration has lost"):
            sim.result()
        fixed = {"integrator": fb.GeneralizedAlpha(rho_inf=0.0), **run}
        with pytest.warns(
            fb.FlexbodyWarning, match="has lost .* fixed steps damp .* take a smaller step"
        ) as told:
            found = fb.simulate(machine, step=2e-3, **fixed)
        assert len(told) == 1
        assert found.energy.balance_error > 0.05
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fb.simulate(machine, **run)
            fb.simulate(machine, step=5e-4, **fixed)

    def test_energy_that_is_added_is_not_put_down_to_damping(self):
        """The energies of a mass that moves freely, with a tenth more at the end than at the start."""
        mass = fb.RigidBody("mass", 1.0, (1e-3,) * 3, velocity=(1.0, 0, 0))
        found = fb.simulate(fb.System([mass]), 1.0, show_progress=False)
        energies = found.energies.copy()
        energies[:, 0] *= np.linspace(1.0, 1.1, len(energies))
        run = SimpleNamespace(
            damps_vibrations=True, keeps_energy=False, fixed=False, times=found.t, t=1.0,
            top_speeds=np.ones((1, 2)),
        )  # fmt: skip
        with pytest.warns(fb.FlexbodyWarning, match="the time integration has added 0.05 J") as told:
            warn_of_lost_energy(replace(found, energies=energies), run)
        text = str(told[0].message)
        assert "damps" not in text
        assert "smaller rtol" in text

    def test_the_force_along_a_rod_on_average(self):
        """The clamp holds the rod by rho A Omega^2 l^2 / 2, about which it rings by as much. 1 %."""
        length, rate = 0.3, 75.0
        found = fb.simulate(rotating_rod(), 0.06, output_step=2e-5, show_progress=False)
        turned = rate * found.t
        inwards = -np.column_stack([np.cos(turned), np.sin(turned), 0 * turned])
        force = np.einsum("ti,ti->t", found.reaction("clamp").force, inwards)
        assert force.mean() == pytest.approx(7870 * np.pi * 0.003**2 * rate**2 * length**2 / 2, rel=0.01)

    def test_a_rod_rings_rightly_at_a_tight_tolerance(self):
        """rtol = 1e-8, against the explicit method: 1 % of the amplitude of its stretch."""
        machine, run = rotating_rod(), {"output_step": 5e-6, "show_progress": False}
        stretch = [
            np.linalg.norm(
                fb.simulate(machine, 1e-3, integrator=method, **run).position(("rod", "end")), axis=1
            )
            for method in (fb.GeneralizedAlpha(rtol=1e-8), fb.Explicit(rtol=1e-10))
        ]
        assert np.abs(stretch[0] - stretch[1]).max() < 0.01 * 0.5 * np.ptp(stretch[1])


@pytest.mark.parametrize("k", [1e5, 1e7, 1e9, 1e11])
def test_automatic_never_resolves_the_ringing_of_a_mount(k, monkeypatch):
    """Its trial passes over vibrations, however long the run."""
    monkeypatch.setattr(automatic, "LONG", 0.0)
    found = pendulum_on(bushing(k), t_end=1.0, integrator=fb.Automatic())
    assert found.statistics.method.startswith("GeneralizedAlpha")
    assert found.statistics.steps < 2000


@pytest.mark.parametrize(
    ("length", "time", "mass"), [(1e-6, 1, 1), (1e-6, 1e-6, 1e-15), (1e3, 1e3, 1e9), (1, 1, 1e-12)]
)
def test_a_scaled_machine_takes_the_same_steps(length, time, mass):
    """A pendulum on a mount, from micrometres to kilometres: lengths, times and masses in other units."""
    base = fb.RigidBody("base", 10 * mass, (0.1 * mass * length**2,) * 3)
    bob = fb.RigidBody("bob", mass, (0.02 * mass * length**2,) * 3, center=(length, 0, 0))
    k = 1e7 * mass / time**2
    mount = fb.Bushing(
        "mount", fb.GROUND, base, stiffness=(k,) * 3 + (0.01 * k * length**2,) * 3, point=(0, 0, 0)
    )
    hinge = fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")
    machine = fb.System([base, bob], [hinge], [mount], gravity=(0, 0, -9.81 * length / time**2))
    found = fb.simulate(machine, time, output_step=0.01 * time, show_progress=False)
    whole = pendulum_on(bushing(1e7), t_end=1.0)
    assert found.statistics.steps == pytest.approx(whole.statistics.steps, rel=0.2)
    off = found.position("bob") / length - whole.position("bob")
    assert np.abs(off).max() < 1e-3


def test_runs_of_many_steps_for_vibrations_say_so():
    """Where vibrations may lose little most steps follow them; where all are asked for by name nothing is said."""
    machine = rotating_rod()
    method = fb.GeneralizedAlpha(vibrations=1e-8)
    with pytest.warns(fb.FlexbodyWarning, match="follow vibrations, not the motion") as told:
        found = fb.simulate(machine, 0.06, integrator=method, output_step=1e-3, show_progress=False)
    text = str(told[0].message)
    share, amplitude, frequency = re.search(
        r"^(\S+) % of .* body 'rod' vibrates by about (\S+) m .*at (?:about )?(\S+) Hz, beside slower", text
    ).groups()
    assert all(word in text for word in ("QuasiStatic", "give it a damping_ratio", "fewer modes", "rho_inf"))
    # a clamped rod rings with a quarter of a wave, and with three quarters: a mean of both. It is set free unstretched,
    # so that it rings by its stretch under its own load, rho Omega^2 (l^2 x / 2 - x^3 / 6) / E: half of it at least
    length, x = 0.3, np.linspace(0, 0.3, 1001)
    stretch = 7870 * 75.0**2 * (length**2 * x / 2 - x**3 / 6) / 2e11
    quarter = np.sqrt(2e11 / 7870) / (4 * length)
    assert 0.9 * quarter < float(frequency) < 2 * quarter
    assert 0.5 < float(amplitude) / np.sqrt(np.mean(stretch**2)) < 1.1
    assert float(share) == pytest.approx(100 * found.statistics.vibrating / found.statistics.steps, abs=1)
    assert found.statistics.vibrating > 0.5 * found.statistics.steps
    asked = fb.simulate(machine, 0.002, integrator=fb.GeneralizedAlpha(vibrations=0), show_progress=False)
    assert asked.statistics.vibrating == 0
    # a tight tolerance resolves all as well
    with pytest.warns(fb.FlexbodyWarning, match="body 'rod' vibrates by"):
        fb.simulate(machine, 0.001, integrator=fb.GeneralizedAlpha(rtol=1e-8), show_progress=False)


@pytest.mark.parametrize("value", [-0.1, 1.0, float("nan"), "none", (1, 2)])
def test_the_part_of_vibrations_is_checked(value):
    with pytest.raises(fem.InputError, match="it must be a number from 0 to below 1"):
        fb.GeneralizedAlpha(vibrations=value)


def test_a_resonance_beside_a_long_way_is_followed():
    """A base is driven far and jitters by b = 1.6e-4 m at the natural frequency of the mass on its mount, which is not
    damped: the mount's deformation grows by b w t / 2 to 15 mm. It may be off by 2 % of that, small as it is beside the
    way."""
    w, b, t_end = 2 * np.pi * 10, 1.6e-4, 3.0
    base = fb.RigidBody("base", 10.0, (1.0,) * 3)
    mass = fb.RigidBody("mass", 1.0, (0.1,) * 3, center=(0, 0, 0.5))
    rail = fb.Prismatic("rail", fb.GROUND, base, point=(0, 0, 0), axis="x")
    slot = fb.Prismatic("slot", base, mass, point=(0, 0, 0.5), axis="x")
    mount = fb.Bushing("mount", base, mass, stiffness=(w * w, 0, 0, 0, 0, 0), point=(0, 0, 0.5))
    drive = fb.Drive("drive", rail, value=lambda t: 0.5 * (1 - np.cos(0.3 * t)) + b * np.sin(w * t))
    found = fb.simulate(fb.System([base, mass], [rail, slot, drive], [mount]), t_end, show_progress=False)
    exact = fb.simulate(
        fb.System([base, mass], [rail, slot, drive], [mount]),
        t_end,
        integrator=fb.Explicit(),
        show_progress=False,
    )
    stretch = [r.position("mass")[:, 0] - r.position("base")[:, 0] for r in (found, exact)]
    assert np.abs(stretch[1]).max() > 0.01
    assert np.abs(stretch[0] - stretch[1]).max() < 0.02 * np.abs(stretch[1]).max()


def test_a_pendulum_that_swings_is_not_sent_to_its_equilibrium():
    """It hangs there. Its stiff mount rings because the drawn position carries no weight; damping ends that."""
    arm = fb.RigidBody("arm", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    stiffness = (1e7, 1e7, 1e7, 1e4, 0, 1e4)
    mount = fb.Bushing("mount", fb.GROUND, arm, stiffness=stiffness, point=(0, 0, 0))
    machine = fb.System([arm], forces=[mount], gravity=(0, 0, -9.81))
    with pytest.warns(
        fb.FlexbodyWarning,
        match="vibrations are followed.*take integrator=fb.Explicit.*; damping ends free vibrations$",
    ):
        fb.simulate(machine, 0.2, integrator=fb.GeneralizedAlpha(vibrations=0), show_progress=False)


@pytest.mark.parametrize("damping", [0.0, 5.0])
def test_a_vibration_is_named_by_the_modes_of_the_machine(damping, monkeypatch):
    """A block of 1 kg on a spring of 1e6 N/m: (k / m)^(1/2) = 159.2 Hz. What is there is not advised again."""
    monkeypatch.setattr(recorder, "FEW_STEPS", 300)
    block = fb.RigidBody("block", 1.0, (4e-3,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    ends = dict(first_point=(0, 0, 1.0), second_point=(0, 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, block, stiffness=1e6, damping=damping, **ends)
    machine = fb.System([block], [guide], [spring], gravity=(0, 0, -9.81))
    with pytest.warns(
        fb.FlexbodyWarning, match="body 'block' vibrates by .* in its mode at 159.2 Hz"
    ) as told:
        fb.simulate(machine, 0.1, integrator=fb.GeneralizedAlpha(), output_step=0.01, show_progress=False)
    text = str(told[0].message)
    assert "start=fb.Equilibrium()" in text
    assert ("raise the damping of the force elements" in text) == (damping > 0)
    assert ("give the force elements that hold it damping" in text) == (damping == 0)


@pytest.mark.parametrize("by_events", [False, True])
def test_the_amplitude_beside_jumps_of_a_force(by_events, monkeypatch):
    """Before, between and behind jumps the block vibrates about the static position of the moment.

    Its amplitude, half of what it moves by, is told within a third: few steps tell what is so strongly damped.
    """
    monkeypatch.setattr(recorder, "FEW_STEPS", 300)
    machine, exact, switched = switched_block(by_events=by_events)
    method = fb.GeneralizedAlpha(rtol=1e-5)  # by default fewer steps do, with this damping
    options = dict(integrator=method, output_step=1e-3, events=switched, show_progress=False)
    with pytest.warns(
        fb.FlexbodyWarning, match="body 'block' vibrates by .* in its mode at 159.2 Hz"
    ) as told:
        fb.simulate(machine, 4.5 * STEP, **options)
    amplitude = float(re.search(r"vibrates by up to about (\S+) m", str(told[0].message))[1])
    t = np.linspace(0, 4.5 * STEP, 4001)
    assert amplitude == pytest.approx(np.ptp(exact(t)) / 2, rel=1 / 3)
