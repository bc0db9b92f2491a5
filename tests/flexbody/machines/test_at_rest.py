"""Machines in which nothing happens: accelerations are round-off, and a run must neither stop nor invent a motion."""

import functools

import numpy as np
import pytest

import fem
import flexbody as fb
import modal

STEEL = fem.Isotropic(E=2e11, nu=0.3, rho=7800.0)
LENGTH, SIDE = 0.12, 0.016
AREA = SIDE**2
MASS = STEEL.rho * AREA * LENGTH
#: how far positions may be off by round-off: by 16 units of the last place of the length of both bars, m
OFF = 16 * 2.3e-16 * 2 * LENGTH
#: what such a stretch of a bar costs, N and J: its axial stiffness E A / l times it. Bending is softer
FORCE, ENERGY = STEEL.E * AREA / LENGTH * OFF, 0.5 * STEEL.E * AREA / LENGTH * OFF**2
#: fixed steps around the periods of the bar's modes, and chosen ones
STEPS = [None, 1e-4, 1e-6]


@functools.cache
def reduced():
    """A square steel bar along x of eight beam elements with the interfaces "start" and "end"."""
    x = np.linspace(0, LENGTH, 9)
    lines = fem.Block("line2", np.stack([np.arange(8), np.arange(1, 9)], axis=1))
    mesh = fem.Mesh(np.column_stack([x, 0 * x, 0 * x]), [lines], {"start": [0], "end": [8]}, name="bar")
    structure = fem.assemble(mesh, fem.Beam(STEEL, fem.Rectangle(SIDE, SIDE)))
    return modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=4))


def bars(angle, hinged=True, **motion):
    """Two bars in line at an angle from the x axis, joined by a hinge, and hinged to the ground or free."""
    c, s = np.cos(angle), np.sin(angle)
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    a, b = (
        fb.FlexibleBody(name, reduced(), origin=k * LENGTH * turned[:, 0], rotation=turned, **motion)
        for k, name in enumerate("ab")
    )
    joints = [fb.Revolute("knee", a["end"], b["start"], axis="z")]
    if hinged:
        joints.append(fb.Revolute("hinge", fb.GROUND, a["start"], axis="z"))
    return fb.System([a, b], joints)


def run(system, step, t_end=0.1, **options):
    """The motion with a fixed step (at most 1000), or with chosen ones."""
    method = fb.GeneralizedAlpha() if step is None else fb.GeneralizedAlpha(step=step)
    t_end = t_end if step is None else min(t_end, 1000 * step)
    return fb.simulate(system, t_end, integrator=method, show_progress=False, **options)


def assert_unloaded(result, stiffer=1):
    """No reactions and no strain, but for those of a stretch by round-off of a bar so many times as stiff."""
    for joint in result.system.joints:
        assert np.abs(result.reaction(joint).force).max() <= stiffer * FORCE
        assert np.abs(result.reaction(joint).moment).max() <= stiffer * FORCE * LENGTH
    assert np.abs(result.energy.strain).max() <= stiffer * ENERGY


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("angle", [0.0, 0.05, 0.5, 0.9, 1.2])
def test_bars_at_rest(angle, step):
    """At every angle, where positions are rounded in other ways each time."""
    result = run(bars(angle), step)
    assert_unloaded(result)
    # all energy that there can be came of rounded positions
    assert np.abs(result.energy.kinetic).max() <= ENERGY
    assert result.statistics.iterations <= 3 * result.statistics.steps


@pytest.mark.parametrize("step", STEPS)
def test_floating_at_rest(step):
    """Nothing holds the bars, nothing moves them."""
    result = run(bars(0.5, hinged=False), step)
    assert_unloaded(result)
    assert np.abs(result.energy.kinetic).max() <= ENERGY


@pytest.mark.parametrize("step", STEPS)
def test_uniform_motion(step):
    """Bars that drift off straight on: positions are rounded anew in each step, until a correction of them pays.

    It comes suddenly, and is met by the first of eight elements before it has spread.
    """
    velocity = np.array([0.3, 0.1, -0.2])
    result = run(bars(0.5, hinged=False, velocity=velocity), step)
    assert_unloaded(result, stiffer=8)
    kinetic = 0.5 * 2 * MASS * velocity @ velocity
    np.testing.assert_allclose(result.energy.kinetic, kinetic, rtol=1e-12)


@pytest.mark.parametrize("step", [1e-4, 1e-5, 1e-6])
def test_slow_bar(step):
    """A bar turned at 0.6 rad/s: the hinge holds it by ``m Omega^2 l / 2`` towards the axis, along the bar."""
    bar, rate = fb.FlexibleBody("bar", reduced()), 0.6
    hinge = fb.Revolute("hinge", fb.GROUND, bar["start"], axis="z")
    drive = fb.Drive("drive", hinge, rate=rate)
    result = run(fb.System([bar], [hinge, drive]), step, t_end=0.005, start=fb.QuasiStatic())
    direction = np.column_stack([np.cos(rate * result.t), np.sin(rate * result.t), 0 * result.t])
    exact = -0.5 * MASS * rate**2 * LENGTH * direction
    assert np.abs(result.reaction(hinge).force - exact).max() <= FORCE


@pytest.mark.parametrize("step", [None, 1e-3, 1e-4, 1e-5])
def test_weight_on_a_stiff_spring(step):
    """A weight hangs still; its position is rounded, and the spring answers that with a force of its own."""
    stiffness, mass, height = 1e9, 1.0, 1.0
    body = fb.RigidBody("weight", mass=mass, inertia=(0.1, 0.1, 0.1), center=(0.3, 0.2, 0.1))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0.3, 0.2, 0.1), axis="y")
    ends = {"first_point": (0.3, 0.2 + height, 0.1), "second_point": (0.3, 0.2, 0.1)}
    spring = fb.SpringDamper("spring", fb.GROUND, body, stiffness=stiffness, damping=60.0, **ends)
    system = fb.System([body], [guide], [spring], gravity=(0, -9.81, 0))
    result = run(system, step, start=fb.Equilibrium())
    # 16 units of the last place of the height
    assert mass * np.abs(result.vdot).max() <= stiffness * 16 * 2.3e-16 * height


def on_mount(gravity=(0.0, 0.0, 0.0)):
    """A block of 10 kg on an undamped mount of 1e9 N/m."""
    block = fb.RigidBody("block", 10.0, (0.1,) * 3, center=(0.3, 0.2, 0.1))
    mount = fb.Bushing("mount", fb.GROUND, block, stiffness=(1e9,) * 3 + (1e7,) * 3, point=(0.3, 0.2, 0.1))
    return fb.System([block], forces=[mount], gravity=gravity)


def driven(rate):
    """A bar that a drive turns."""
    bar = fb.FlexibleBody("bar", reduced())
    hinge = fb.Revolute("hinge", fb.GROUND, bar["start"], axis="z")
    return fb.System([bar], [hinge, fb.Drive("drive", hinge, rate=rate)])


#: machines that rest, move uniformly, float, or hardly move, how they start, and the largest load on a joint, N
STILL = {
    "at rest": (lambda: bars(0.9), None, FORCE),
    "uniform motion": (lambda: bars(0.5, hinged=False, velocity=(0.3, 0.1, -0.2)), None, FORCE),
    "floating": (lambda: bars(0.5, hinged=False), None, FORCE),
    # centripetal: m w^2 l / 2
    "driven by 1e-6 rad/s": (lambda: driven(1e-6), None, 2 * MASS * 1e-12 * LENGTH / 2),
    "on a stiff mount": (on_mount, None, 0.0),
    "hanging on a stiff mount": (lambda: on_mount((0, 0, -9.81)), fb.Equilibrium(), 0.0),
}


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-8, 1e-10])
@pytest.mark.parametrize("name", STILL)
def test_any_tolerance(name, rtol):
    """Nothing happens, so the first step and its growth by a limited factor decide; the balance is closed."""
    make, start, load = STILL[name]
    method = fb.GeneralizedAlpha(rtol=rtol)
    result = fb.simulate(make(), 0.1, output_step=0.01, integrator=method, start=start, show_progress=False)
    assert result.statistics.steps < 50
    assert result.statistics.rejected == 0
    assert result.energy.balance_error < 1e-9
    for joint in result.system.joints:
        assert np.abs(result.reaction(joint).force).max() <= load
