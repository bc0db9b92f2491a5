"""Elastodynamic analysis against Koppens' closed form (appendix D), beam statics, and slow dynamics."""

import dataclasses
import warnings

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from reference import machines, slider_crank

import fem
import flexbody as fb
import modal

pytestmark = pytest.mark.slow  # together a second or more


def test_deflection_of_the_connecting_rod_is_appendix_d():
    system, read = machines.koppens_slider_crank("quintic")
    result = fb.elastodynamics(system, 0.06, output_step=2e-4, show_progress=False)
    expected = slider_crank.elastodynamic_deflection(result.t)
    # (D.10) is a polynomial of degree 4 in s, which the quintic base holds; theory is linear in the deflection,
    # its square moves the chord by (v/l)^2 = (0.005/0.3)^2
    assert np.abs(read(result)["deflection"] - expected).max() < 3e-4 * np.abs(expected).max()
    rate = np.gradient(read(result)["deflection"], result.t, edge_order=2)[0]
    assert rate == pytest.approx(slider_crank.elastodynamic_initial_velocity(), rel=2e-3)  # h^2 v''' / (3 v')
    middle = result.alpha_dot("rod")[0] @ result.system.body("rod").marker("middle")[1][1]
    ends = [result.alpha_dot("rod")[0] @ result.system.body("rod").marker(n)[1][1] for n in ("start", "end")]
    assert middle - np.mean(ends) == pytest.approx(slider_crank.elastodynamic_initial_velocity(), rel=1e-4)


def test_reactions_are_those_of_the_rigid_machine():
    """Statically determinate: the deformation does not change who carries what."""
    system, _ = machines.koppens_slider_crank("quintic")
    result = fb.elastodynamics(system, 0.06, output_step=1e-3, show_progress=False)
    stiff = fb.kinematics(system, 0.06, output_step=1e-3, show_progress=False)
    for joint in ("pin", "wrist", "guide", "drive"):
        force, other = result.reaction(joint).force, stiff.reaction(joint).force
        # the lever arms change with the deformed places: v/l = 0.015
        assert np.abs(force - other).max() < 0.03 * max(np.abs(other).max(), 1.0)


def bar_between_walls(E, F=0.0):
    """A bar clamped at both ends, with an axial force at a quarter of it."""
    n = 8
    section = fem.Beam(fem.Isotropic(E=E, nu=0.3, rho=7850.0), fem.Tube(0.04, thickness=0.003), up=(0, 0, 1))
    line = fem.Block("line2", [(i, i + 1) for i in range(n)])
    mesh = fem.Mesh([(i / n, 0, 0) for i in range(n + 1)], [line], {"a": [0], "b": [n], "q": [n // 4]})
    fe = fem.assemble(mesh, {"line2": section})
    reduced = modal.reduce(fe, modal.craig_bampton(fe, interfaces=("a", "b", "q"), n_normal=1))
    bar = fb.FlexibleBody("bar", reduced)
    walls = [fb.Fixed(name, fb.GROUND, bar[name]) for name in "ab"]
    return fb.System([bar], walls, [fb.PointForce("push", bar["q"], (F, 0, 0))])


@pytest.mark.parametrize("E", [1e6, 210e9, 210e12])
def test_a_bar_between_two_walls_shares_its_load_however_stiff_it_is(E):
    """Statics of a bar of length l clamped at both ends with an axial force F at a = l/4: F (l - a)/l and F a/l."""
    F = 1e-7 * E
    machine = bar_between_walls(E, F)
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.RedundantConstraintWarning)  # the bar determines the shares
        result = fb.elastodynamics(machine, 1.0, output_step=1.0, show_progress=False)
    assert result.undetermined == ()
    shares = [-result.reaction(name).force[-1, 0] / F for name in "ab"]
    # displacements between interfaces are linear, as in the base functions: the rest is round-off
    assert shares == pytest.approx([0.75, 0.25], rel=1e-6)
    area = np.pi * 0.037 * 0.003  # of mean diameter and thickness
    moved = result.position(machine.body("bar")["q"])[-1, 0] - 0.25
    assert moved == pytest.approx(F * 0.25 * 0.75 / (E * area), rel=1e-6)


def test_shares_that_no_deformation_determines_are_named():
    machine = bar_between_walls(210e9)
    shaft = fb.RigidBody("shaft", 1.0, (0.1, 0.1, 0.1))
    pins = [fb.Revolute(f"pin {k}", fb.GROUND, shaft, point=(k, 0, 0), axis="x") for k in range(2)]
    motor = fb.Drive("motor", pins[0], rate=1.0)
    machine = dataclasses.replace(
        machine, bodies=[*machine.bodies, shaft], joints=[*machine.joints, *pins, motor]
    )
    with pytest.warns(
        fb.RedundantConstraintWarning, match="how revolute joint 'pin 0', revolute joint 'pin 1'"
    ):
        result = fb.elastodynamics(machine, 0.1, output_step=0.1, show_progress=False)
    assert result.undetermined == ("revolute joint 'pin 0'", "revolute joint 'pin 1'")


def test_it_is_the_limit_of_slow_dynamics():
    """At a fifth of the speed, with modal damping and a quasi-static start, the run follows the loads."""
    system, _ = machines.koppens_slider_crank("quintic")
    slow = dataclasses.replace(
        system,
        bodies=[
            dataclasses.replace(
                b, velocity=np.asarray(b.velocity) / 10, angular_velocity=np.asarray(b.angular_velocity) / 10
            )
            for b in system.bodies
        ],
        joints=[
            dataclasses.replace(j, rate=j.rate / 10) if isinstance(j, fb.Drive) else j for j in system.joints
        ],
        gravity=(0, -9.81, 0),
    )
    quasi = fb.elastodynamics(slow, 0.2, output_step=1e-3, show_progress=False)
    start = dataclasses.replace(
        slow.body("rod"), alpha=quasi.alpha("rod")[0], alpha_dot=quasi.alpha_dot("rod")[0], damping_ratio=0.05
    )
    run = fb.simulate(
        dataclasses.replace(slow, bodies=[start if b.name == "rod" else b for b in slow.bodies]),
        0.2,
        output_step=1e-3,
        show_progress=False,
    )
    deflection = [r.displacement("rod", "middle", relative_to=fb.Chord())[:, 1] for r in (quasi, run)]
    # (3 Omega / omega)^2 = (45 / 829)^2 = 0.3 % of inertia, and 2 zeta Omega / omega = 0.2 % of damping
    assert np.abs(deflection[0] - deflection[1]).max() < 0.01 * np.abs(deflection[0]).max()


def test_bodies_share_what_joints_leave_open():
    """A beam on three supports under gravity: the middle one carries 5/8 of the weight (Roark, two equal spans)."""
    import modal

    length, E, rho = 2.0, 210e9, 7850.0
    points = np.column_stack([np.linspace(0, length, 17), np.zeros((17, 2))])
    elements = fem.Block("line2", np.column_stack([np.arange(16), np.arange(1, 17)]))
    mesh = fem.Mesh(points, [elements], {"start": [0], "middle": [8], "end": [16]})
    beam = fem.assemble(mesh, fem.Beam(fem.Isotropic(E=E, nu=0.3, rho=rho), fem.Rectangle(0.02, 0.02)))
    basis = modal.craig_bampton(beam, interfaces=("start", "middle", "end"), n_normal=4)
    body = fb.FlexibleBody("beam", modal.reduce(beam, basis))
    joints = [
        fb.Revolute("left", fb.GROUND, body["start"], axis="y"),
        fb.PointOnLine("middle", fb.GROUND, body["middle"], axis="x"),
        fb.PointOnLine("right", fb.GROUND, body["end"], axis="x"),
    ]
    machine = fb.System([body], joints, gravity=(0, 0, -9.81))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        result = fb.elastodynamics(machine, 1.0, output_step=0.5, show_progress=False)
    weight = body.mass * 9.81
    assert result.reaction("middle").force[:, 2] / weight == pytest.approx(np.full(3, 5 / 8), rel=2e-3)


@pytest.mark.parametrize("share", [0.0, 1.0, 10.0, 100.0])
def test_a_spring_under_the_tip_gives_way_with_it(share):
    """A clamped beam under its weight on a spring of ``share`` times 3 EI/l^3: w = (q l^4/8EI) / (1 + share)."""
    import modal

    length, EI, mass = 1.0, 100.0, 1.0
    data = modal.assumed.beam(
        length=length,
        mass=mass,
        EI=EI,
        polar_inertia=1e-4,
        z=tuple(Polynomial([0] * k + [1]) for k in (2, 3, 4)),  # holds both deflections
        frame=modal.Unchanged(),
    )
    beam = fb.FlexibleBody("beam", data)
    post = fb.SpringDamper(
        "post", fb.GROUND, beam["end"], stiffness=share * 3 * EI / length**3, first_point=(length, 0, -1.0)
    )
    clamp = fb.Fixed("clamp", fb.GROUND, beam["start"])
    machine = fb.System([beam], [clamp], [post] if share else [], gravity=(0, 0, -9.81))
    result = fb.elastodynamics(machine, 1.0, output_step=0.5, show_progress=False)
    sag = mass * 9.81 * length**3 / (8 * EI)
    # the stiffness of a spring of 1 m turns by sag / l: its square is what linear theory leaves out
    assert -result.displacement("beam", "end")[:, 2] == pytest.approx(np.full(3, sag / (1 + share)), rel=1e-6)


def test_what_turns_with_a_hub_still_turns_when_it_sags():
    """Angular velocity of a blade under its weight, in inertial components: that of the hub."""
    import modal

    data = modal.assumed.beam(
        length=1.0,
        mass=1.0,
        EI=100.0,
        polar_inertia=1e-4,
        z=modal.assumed.quintic(),
        y=modal.assumed.quintic(),
    )
    blade = fb.FlexibleBody("blade", data, place={"start": (0, 0, 0), "end": (1, 0, 0)})
    hub = fb.RigidBody("hub", 1.0, (0.1, 0.1, 0.1))
    bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0))
    joints = [bearing, fb.Fixed("clamp", hub, blade["start"]), fb.Drive("motor", bearing, rate=2.0)]
    machine = fb.System([hub, blade], joints, gravity=(0, 0, -9.81))
    result = fb.elastodynamics(machine, 1.0, output_step=0.01, show_progress=False)
    turned = np.abs(result.rotation("blade")[:, 0, 2]).max()
    assert turned > 5e-3
    # to first order in the sag: its square, and the spline's error of a constant
    assert np.abs(result.angular_velocity("blade") - [0, 0, 2.0]).max() < 2 * turned**2


def test_a_fast_machine_warns_with_the_number():
    system, _ = machines.koppens_slider_crank("quintic")
    fast = [dataclasses.replace(j, rate=3 * j.rate) if isinstance(j, fb.Drive) else j for j in system.joints]
    with pytest.warns(fem.FlexbodyWarning, match=r"'rod'.*inertia of its deformation.* \d+ %"):
        fb.elastodynamics(dataclasses.replace(system, joints=fast), 0.02, show_progress=False)


def test_rigid_machines_are_sent_on():
    bar = fb.RigidBody("bar", 1.0, (1.0, 1.0, 1.0))
    with pytest.raises(fem.InputError, match="kinematics"):
        fb.elastodynamics(fb.System([bar]), 1.0)
