"""Loops that are closed by a body that is cut, Koppens (4.25), (4.26)."""

from itertools import pairwise

import numpy as np
import pytest

import fem
import flexbody as fb
import modal
from flexbody.results.round_off import sizes_of
from flexbody.view.plots.default_graphs import default_graphs
from flexbody.view.scenes.forces import Arc, Arrow
from flexbody.view.scenes.machine import scene_of

G = (0.3, 0.2, -9.81)
PLACES = (0, 0, 0), (0.05, 0, 0.2), (0.45, 0.1, 0.3), (0.5, 0.1, 0)


def bar(name, a, b, mass):
    a, b = np.array(a), np.array(b)
    size = mass * (b - a) @ (b - a) / 12
    return fb.RigidBody(name, mass, np.diag([size, 1.1 * size, 0.9 * size]), center=(a + b) / 2)


def spatial_four_bar():
    """A crank and a rocker with a rod on a ball joint and a universal joint: no constraint is redundant."""
    crank, rod, rocker = (bar(n, *ends, m) for n, ends, m in zip(
        ("crank", "rod", "rocker"), pairwise(PLACES), (1.0, 2.0, 1.5), strict=True
    ))  # fmt: skip
    pins = [
        fb.Revolute("a", fb.GROUND, crank, point=PLACES[0], axis="y"),
        fb.Spherical("b", crank, rod, point=PLACES[1]),
        fb.Universal("c", rod, rocker, point=PLACES[2], axes=("y", "z")),
        fb.Revolute("d", fb.GROUND, rocker, point=PLACES[3], axis="y"),
    ]
    spring = fb.SpringDamper(
        "s",
        rod,
        fb.GROUND,
        first_point=(0.2, 0, 0.3),
        second_point=(0.2, 0.1, 0.8),
        stiffness=300.0,
        damping=2.0,
    )
    hinge = fb.ForceElement("t", along=fb.Along(pins[3]), law=fb.Linear(2.0, 0.1))
    return fb.System([crank, rod, rocker], pins, [spring, hinge], gravity=G)


def slider_crank(kind, EI=12.0):
    """A slider-crank with a rod that is linear, stiffened, or has axial modes, in space; nothing is redundant."""
    r, length = 0.1, 0.4
    shapes = modal.assumed.quintic()[:2]
    options = {
        "linear": {"stiffening": False},  # of 4 modal coordinates
        "stiffened": {},
        "axial": {"EA": 6e6, "x": [np.polynomial.Polynomial([0.0, 1.0])], "stiffening": modal.AxialModes()},
    }[kind]
    reduced = modal.assumed.beam(length, mass=0.5, EI=EI, polar_inertia=1e-5, y=shapes, z=shapes, **options)
    rod = fb.FlexibleBody(
        "rod",
        reduced,
        place={"start": (0, 0, r), "end": (np.sqrt(length**2 - r**2), 0, 0)},
        damping_ratio=0.01,
    )
    crank = fb.RigidBody("crank", 1.0, (1e-2,) * 3, angular_velocity=(0, 30, 0))
    block = fb.RigidBody("slider", 0.2, (1e-4,) * 3, center=(np.sqrt(length**2 - r**2), 0, 0))
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y"),
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", block, rod["end"], axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, block, point=(0.3, 0, 0), axis="x"),
    ]
    return fb.System([crank, rod, block], joints, gravity=G)


def runs(machine, cut, t_end, body):
    """The machine in the global description, and with a body that is cut in both."""
    options = {"integrator": fb.Explicit(rtol=1e-9), "show_progress": False, "output_step": t_end / 20}
    whole = fb.simulate(machine, t_end, **options)
    for way in (fb.Relative(), fb.Absolute()):
        yield whole, fb.simulate(cut, t_end, description=way, **options)


def assert_same(whole, cut, body, joints):
    """The motion, accelerations and reactions of both machines agree, and both halves move as one body."""
    for one in whole.system.bodies:
        for quantity in ("position", "rotation", "acceleration", "angular_acceleration", "alpha"):
            if quantity == "alpha" and not one.n_modes:
                continue
            a, b = getattr(whole, quantity)(one.name), getattr(cut, quantity)(one.name)
            np.testing.assert_allclose(b, a, atol=1e-7 * max(1.0, np.abs(a).max()))
            if one.name == body:
                np.testing.assert_allclose(
                    getattr(cut, quantity)(f"{body} (cut)"), b, atol=1e-7 * max(1.0, np.abs(a).max())
                )
    for name in joints:
        a, b = whole.reaction(name), cut.reaction(name)
        np.testing.assert_allclose(b.force, a.force, atol=1e-6 * np.abs(a.force).max())
        np.testing.assert_allclose(b.moment, a.moment, atol=1e-6 * np.abs(a.force).max())
    np.testing.assert_allclose(
        cut.energy.total, whole.energy.total, atol=1e-6 * np.abs(whole.energy.kinetic).max()
    )


@pytest.mark.parametrize("joint", ["b", "c"])
def test_a_rigid_loop(joint):
    machine = spatial_four_bar()
    cut = fb.cut_body(machine, "rod", joint)
    tree = fb.topology(cut)
    assert {hinge.joint.name for hinge in tree.hinges} == {"a", "b", "c", "d"}  # all joints are hinges
    assert [one.rows for one in tree.cut_joints] == [6]
    for whole, found in runs(machine, cut, 0.3, "rod"):
        assert_same(whole, found, "rod", "abcd")
        np.testing.assert_allclose(found.coordinate("d"), whole.coordinate("d"), atol=1e-8)


@pytest.mark.parametrize("kind", ["linear", "stiffened", "axial"])
def test_a_flexible_loop(kind):
    machine = slider_crank(kind)
    cut = fb.cut_body(machine, "rod", "wrist")
    for whole, found in runs(machine, cut, 0.02, "rod"):
        assert np.abs(whole.alpha("rod")).max() > 0.0
        assert_same(whole, found, "rod", ("main", "pin", "wrist", "guide"))


def test_other_analyses_of_a_machine_with_a_cut_body():
    machine = spatial_four_bar()
    cut = fb.cut_body(machine, "rod", "c")
    whole, halves = (fb.equilibrium(one) for one in (machine, cut))
    np.testing.assert_allclose(halves.position("rod"), whole.position("rod"), atol=1e-9)
    one, other = (fb.linearize(*pair).frequencies_hz for pair in ((machine, whole), (cut, halves)))
    np.testing.assert_allclose(other[-1], one[-1], rtol=1e-6)
    driven = fb.Drive("motor", machine.joint("d"), value=lambda t: 0.2 * np.sin(5 * t))
    moved = [
        fb.kinematics(
            fb.System(m.bodies, [*m.joints, driven], m.forces, gravity=m.gravity), 0.2, show_progress=False
        )
        for m in (machine, cut)
    ]
    a, b = (result.reaction("motor").moment for result in moved)
    np.testing.assert_allclose(b, a, atol=1e-7 * np.abs(a).max())


def test_deformation_of_a_cut_body_under_slow_loads():
    """Elastodynamics: both halves of a body deform as the whole one, however stiff it is."""
    machine = slider_crank("linear", EI=1e6)
    machine = fb.System(
        machine.bodies, [*machine.joints, fb.Drive("motor", machine.joint("main"), rate=30.0)], gravity=G
    )
    whole, cut = (
        fb.elastodynamics(one, 0.02, output_step=1e-3, show_progress=False)
        for one in (machine, fb.cut_body(machine, "rod", "wrist"))
    )
    size = np.abs(whole.alpha("rod")).max()
    for half in ("rod", "rod (cut)"):
        np.testing.assert_allclose(cut.alpha(half), whole.alpha("rod"), atol=1e-9 * size)  # round-off


def test_a_body_with_three_joints_is_cut_twice():
    """A platform on three bars: each cut takes half of the first half, and the names are new ones."""
    foot = [(np.cos(a), np.sin(a), 0.0) for a in (0.1, 2.2, 4.3)]
    head = [(0.4 * np.cos(a + 0.2), 0.4 * np.sin(a + 0.2), 1.0) for a in (0.1, 2.2, 4.3)]
    platform = fb.RigidBody("platform", 4.0, (0.2, 0.2, 0.4), center=(0, 0, 1.05), angular_velocity=(0, 0, 1))
    bars = [bar(f"bar {k}", foot[k], head[k], 1.0) for k in range(3)]
    feet = [fb.Universal(f"foot {k}", fb.GROUND, bars[k], point=foot[k], axes=("x", "y")) for k in range(3)]
    heads = [fb.Spherical(f"head {k}", bars[k], platform, point=head[k]) for k in range(3)]
    machine = fb.System([platform, *bars], [*feet, *heads], gravity=G)
    cut = fb.cut_body(fb.cut_body(machine, platform, "head 1"), platform, "head 2")
    assert {one.name for one in cut.bodies} >= {"platform", "platform (cut)", "platform (cut 2)"}
    assert {one.name for one in cut.joints} >= {"cut of platform", "cut 2 of platform"}
    assert cut.body("platform").mass == 1.0
    for whole, found in runs(machine, cut, 0.1, "platform"):
        assert_same(whole, found, "platform", [joint.name for joint in machine.joints])


def test_what_ties_the_halves_is_not_drawn():
    """The arrows and the curves are those of the whole machine: modal coordinates have no forces in N."""
    machine = slider_crank("linear")
    result = fb.simulate(fb.cut_body(machine, "rod", "wrist"), 1e-3, show_progress=False)
    named = {part.name for part in scene_of(result, forces=True).parts if isinstance(part, Arrow | Arc)}
    assert "reaction wrist" in named
    assert not any("cut" in name or "modes" in name for name in named)
    with pytest.raises(fem.InputError, match=r"no arrows can be drawn for 'cut of rod'; there are.*'wrist'"):
        scene_of(result, forces="cut of rod")
    curves = [
        name
        for graph in default_graphs(result, sizes_of(result))
        for part in graph.parts
        for name in part.columns
    ]
    assert "wrist" in curves
    assert not any("cut of" in name or "modes" in name for name in curves)


def test_bad_input_is_named():
    machine = spatial_four_bar()
    with pytest.raises(fem.InputError, match="does not hold body 'rod'; give a joint of this body: 'b', 'c'"):
        fb.cut_body(machine, "rod", "a")
    cut = fb.cut_body(machine, "rod", "c")
    with pytest.raises(
        fem.InputError, match="which can't carry a body: it ties the halves of a body that is cut"
    ):
        fb.topology(cut, keep=["cut of rod"])
