"""Joints that slide along a line: derivatives, rigid lines against closed forms, loads and masses on flexible ones."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.integrate
from support.joints import GUIDEWAYS, flexible, rigid, stiffened
from support.state import evaluated, machine_state, moved, random_state, two_bodies

import fem
import flexbody as fb
import modal
from flexbody.equations.consistent_start import consistent_start

pytestmark = pytest.mark.slow
G = 9.81
LINE = [
    (0.0, 0.1, 0.0),
    (0.5, 0.4, 0.1),
    (1.0, 0.2, 0.5),
    (1.6, -0.2, 0.4),
    (2.0, 0.1, 0.0),
    (2.4, 0.5, -0.3),
]


def simulate(bodies, joints, t_end, gravity=(0, 0, -G), forces=(), **options):
    options = {"integrator": fb.Explicit(rtol=1e-9), **options}
    return fb.simulate(
        fb.System(bodies, joints, forces, gravity=gravity), t_end, show_progress=False, **options
    )


def small(name, place, mass=1.0, **options):
    return fb.RigidBody(name, mass, (1e-3, 2e-3, 3e-3), center=place, **options)


# ---- the contract of a joint -----------------------------------------------------------------------------


def between(kind, which):
    """A guideway from the ground, or a rigid, flexible or stiffened body, to another body."""
    second = rigid("b", 1.0)
    if which in "gr":
        first = fb.GROUND if which == "g" else rigid("a", 0.0)
        return first, second, kind("j", first, second, points=LINE, point=LINE[2])
    first = {"f": flexible, "s": stiffened}[which]("a", 0.0)
    middle = first["q"].drawn({"a": first})
    stations = {"stations": ("p", "q", "s")}
    if which == "s":
        return first, second, kind("j", first, second, point=middle, **stations)
    body = flexible("b", 1.0)
    second = replace(body, origin=middle - body.reduced.markers["p"].point)
    return first, second, kind("j", first, second["p"], **stations)


@pytest.mark.parametrize("which", "grfs")
@pytest.mark.parametrize("kind", GUIDEWAYS)
def test_bias_and_jacobian_are_those_of_a_motion_on_the_line(kind, which):
    """Along positions with the start's rates, residuals stay zero to third order: five points, dt^3 and eps / dt^2."""
    first, second, joint = between(kind, which)
    wave = fb.Coupler("c", [(joint, name, 1.0 + k) for k, name in enumerate(joint.coordinates)], value=np.sin)
    plan = two_bodies(joint, first, second, [wave])
    rng = np.random.default_rng(3)
    c, q, alpha, v, _ = random_state(plan, rng, turn=0.05)
    c = plan.start()[0] + 0.02 * rng.normal(size=c.shape)
    start = consistent_start(plan, machine_state(plan, c, q, 0.02 * rng.normal(size=alpha.shape), v))
    plan = replace(plan, counted_coordinates=start.revolutions[:, 1])
    state, dt = (start.c, start.q, start.all_alpha, start.v, start.vdot), 2e-4
    a, b, c, d, e = (
        evaluated(plan, moved(plan, state, k * dt), k * dt).phi.copy() for k in (-2, -1, 0, 1, 2)
    )
    assert np.abs(c).max() < 1e-12
    assert abs(evaluated(plan, state).path[0, 1]) > 1e-3  # it slides
    rate, second_rate = (
        (a - 8 * b + 8 * d - e) / (12 * dt),
        (-a + 16 * b - 30 * c + 16 * d - e) / (12 * dt**2),
    )
    np.testing.assert_allclose(rate, 0, atol=1e-6)
    np.testing.assert_allclose(second_rate, 0, atol=1e-4)


# ---- rigid lines -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("turned", [False, True], ids=["line on the first", "line on the second"])
def test_a_muff_on_a_straight_line_is_a_prismatic_joint(turned):
    """Motion and reactions agree to 1e-9; the body of the line may be the one nearer to the ground, or not."""
    results = []
    for rail in (True, False):
        one = fb.RigidBody("one", 3.0, (0.1, 0.5, 0.5), center=(0.5, 0, 0))
        two = fb.RigidBody("two", 2.0, (0.02, 0.03, 0.04), center=(0.3, 0.1, 0.2))
        pair = (two, one) if turned else (one, two)
        hinge = fb.Revolute("hinge", fb.GROUND, one, point=(0, 0, 0), axis=(0, 1, 0.2))
        if rail:
            line = [(-2.0, 0, 0), (0.4, 0, 0), (2.5, 0, 0)]
            guide = fb.MuffOnGuideway("guide", *pair, points=line, point=(0.3, 0, 0))
        else:
            guide = fb.Prismatic("guide", *pair, point=(0.3, 0, 0), axis="x")
        results.append(simulate([one, two], [hinge, guide], 0.4, output_step=0.02))
    a, b = results
    assert np.ptp(b.coordinate("guide")) > 0.05
    for read in ("coordinate", "coordinate_rate", "coordinate_acceleration"):
        np.testing.assert_allclose(getattr(a, read)("guide"), getattr(b, read)("guide"), atol=1e-9)
    np.testing.assert_allclose(a.reaction("guide").force, b.reaction("guide").force, atol=1e-9)
    np.testing.assert_allclose(a.reaction("guide").moment, b.reaction("guide").moment, atol=1e-9)


def circle(n=48, radius=1.0):
    turn = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return radius * np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1)


def test_a_bead_on_a_circular_wire():
    """Released beside the centre it is a pendulum: v^2 = -2 g z, s'' = -g cos s, and the wire carries m (v^2 - g z).

    The spline through 48 points leaves the circle by 4e-10 of the radius, its curvature by 1e-6.
    """
    bead = small("bead", (1.0, 0, 0), 0.1)
    wire = fb.PointOnGuideway("wire", fb.GROUND, bead, points=circle(), closed=True, point=(1.0, 0, 0))
    found = simulate([bead], [wire], 2.0, output_step=0.02)
    x, s = found.position(bead), found.coordinate(wire, "path")
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1.0, atol=1e-9)
    np.testing.assert_allclose(s, -np.unwrap(np.arctan2(-x[:, 2], x[:, 0])), atol=1e-8)
    np.testing.assert_allclose(found.coordinate_rate(wire, "path") ** 2, -2 * G * x[:, 2], atol=1e-7)
    np.testing.assert_allclose(found.coordinate_acceleration(wire, "path"), -G * np.cos(s), atol=1e-5)
    inward = -np.einsum("ti,ti->t", found.reaction(wire).force, x)
    np.testing.assert_allclose(inward, 0.1 * 3 * G * -x[:, 2], atol=1e-5)
    lowest = circle()[36]
    start = small("bead", lowest, 0.1)
    modes = fb.linearize(fb.System([start], [replace(wire, second=start, point=lowest)], gravity=(0, 0, -G)))
    assert np.abs(modes.eigenvalues.imag).max() == pytest.approx(np.sqrt(G), rel=1e-6)


@pytest.mark.parametrize("begin", [0.6, 2.0])
def test_a_cycloid_is_the_curve_of_equal_times(begin):
    """From any point the bead needs pi sqrt(a / g) to the lowest one: Huygens, Horologium oscillatorium (1673)."""
    a, angle = 0.5, np.linspace(0.0, 2 * np.pi, 81)[3:-3]
    line = a * np.stack([angle - np.sin(angle), 0 * angle, np.cos(angle) - 1], axis=1)
    place = a * np.array([begin - np.sin(begin), 0, np.cos(begin) - 1])
    bead = small("bead", place)
    wire = fb.PointOnGuideway("wire", fb.GROUND, bead, points=line, point=place)
    time = np.pi * np.sqrt(a / G)
    found = simulate([bead], [wire], time, output_step=time)
    np.testing.assert_allclose(found.position(bead)[-1], (a * np.pi, 0, -2 * a), atol=1e-6)


def test_a_muff_on_a_helix_keeps_its_energy_and_turns_with_the_line():
    turn = np.linspace(0, 5, 60)
    line = np.stack([np.cos(turn), np.sin(turn), -0.3 * turn], axis=1)
    body = small("body", line[0] + (0.1, 0.1, 0.1))
    wire = fb.MuffOnGuideway("wire", fb.GROUND, body, points=line, up="z", point=line[0])
    found = simulate([body], [wire], 1.0, output_step=0.05)
    assert found.energy.balance_error < 1e-9
    # the middle of the muff stays in the body, and the body turns about z with the helix
    R, s = found.rotation(body), found.coordinate(wire, "path")
    angle = s / np.hypot(1.0, 0.3)
    assert angle[-1] > 0.9
    np.testing.assert_allclose(np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])), angle, atol=1e-6)


# ---- flexible lines --------------------------------------------------------------------------------------

LENGTH, STIFFNESS, MASS, SPEED = 2.0, 150.0, 3.0, 4.0


@cache
def beam_of_sines(n=3, stations=21):
    """A simply supported beam with sines as its base functions, and stations along it."""
    places = {f"s{k}": float(s) for k, s in enumerate(np.linspace(0, LENGTH, stations))}
    return modal.assumed.beam(
        LENGTH, mass=MASS, EI=STIFFNESS, z=modal.assumed.sines(n), markers=places, frame=modal.Unchanged(),
        polar_inertia=1e-3, stiffening=False,
    )  # fmt: skip


def bridge(load, begin, **options):
    """A load that is driven over the beam, and the moving body."""
    beam = fb.FlexibleBody("beam", beam_of_sines(), origin=(0, 0, 0), stiffening=False)
    body = small("load", (begin, 0, 0), load, velocity=(SPEED, 0, 0))
    stations = [name for name in beam.marker_names if name.startswith("s") and name != "start"]
    rail = fb.PointOnGuideway("rail", beam, body, stations=stations, point=(begin, 0, 0))
    joints = [
        fb.Revolute("pin", fb.GROUND, beam["start"], axis="y"),
        fb.PointOnLine("roll", fb.GROUND, beam["end"], axis="x"),
        rail,
        fb.Drive("drive", rail, rate=SPEED, which="path"),
    ]
    return [beam, body], joints


def test_a_mass_that_moves_over_a_beam():
    """The same sines integrated by SciPy: M (w_tt + 2 v w_xt + v^2 w_xx + g) acts back; L. Fryba, Vibration of solids
    and structures under moving loads (1999), 1.2. The splines of the 21 stations leave 6e-5 of 0.06 m as the start.
    """
    load, begin, n = 1.5, 0.1, 3
    bodies, joints = bridge(load, begin)
    with pytest.warns(fb.RedundantConstraintWarning, match="'pin'.*'roll'"):
        found = simulate(bodies, joints, 0.4, output_step=0.02)
    k = np.arange(1, n + 1) * np.pi / LENGTH
    own = -MASS / LENGTH * G * (1 - np.cos(k * LENGTH)) / k

    def rates(t, y):
        x = begin + SPEED * t
        shape, slope, curve = np.sin(k * x), k * np.cos(k * x), -(k**2) * np.sin(k * x)
        inertia = MASS / 2 * np.eye(n) + load * np.outer(shape, shape)
        force = own - STIFFNESS * k**4 * LENGTH / 2 * y[:n]
        force -= load * shape * (G + 2 * SPEED * slope @ y[n:] + SPEED**2 * curve @ y[:n])
        return np.concatenate([y[n:], np.linalg.solve(inertia, force)])

    exact = scipy.integrate.solve_ivp(
        rates, (0, 0.4), np.zeros(2 * n), rtol=1e-10, atol=1e-12, t_eval=found.t
    )
    alpha = found.alpha("beam")
    assert np.abs(alpha).max() > 0.05
    np.testing.assert_allclose(alpha, exact.y[:n].T, atol=1e-6)
    assert found.energy.balance_error < 1e-7


def test_a_roller_with_play_on_a_beam():
    """A roller that a force presses down bounces between both walls of a slot along a beam: sines and height by SciPy.

    The slope of the beam, 2e-3, turns the force and moves the nearest point; both are squares of it in the results.
    """
    load, begin, n, play, push = 0.2, 0.5, 3, 2e-4, 2.0
    hardness, d = 1e7, 0.5
    (beam, _), joints = bridge(load, begin)
    body = small("load", (begin, 0, 0), load, velocity=(SPEED, 0, 0))
    fly = fb.Floating("fly", fb.GROUND, body, point=(begin, 0, 0))
    rail = replace(joints[2], second=body, up="y", held=False)
    walls = fb.Limit("walls", rail, which="y", lower=-play, upper=play, stiffness=hardness, dissipation=d)
    parts = [*joints[:2], rail, fly, fb.Drive("drive", fly, rate=SPEED, which="x")]
    force = fb.PointForce("push", body, lambda t: (0, 0, -push * np.cos(200.0 * t)))
    with pytest.warns(fb.RedundantConstraintWarning, match="'pin'.*'roll'"):
        found = simulate([beam, body], parts, 0.1, (0, 0, 0), [walls, force], output_step=2e-3)
    k = np.arange(1, n + 1) * np.pi / LENGTH

    def rates(t, y):
        x = begin + SPEED * t
        shape, slope = np.sin(k * x), k * np.cos(k * x)
        gap, rate = y[n] - shape @ y[:n], y[-1] - shape @ y[n + 1 : -1] - SPEED * slope @ y[:n]
        press = hardness * max(-play - gap, 0.0) ** 1.5 * max(1.0 - d * rate, 0.0)
        press -= hardness * max(gap - play, 0.0) ** 1.5 * max(1.0 + d * rate, 0.0)
        bent = (-STIFFNESS * k**4 * LENGTH / 2 * y[:n] - press * shape) / (MASS / 2)
        return [*y[n + 1 :], *bent, (press - push * np.cos(200.0 * t)) / load]

    exact = scipy.integrate.solve_ivp(
        rates,
        (0, 0.1),
        np.zeros(2 * n + 2),
        rtol=1e-10,
        atol=1e-13,
        t_eval=found.t,
        method="DOP853",
        max_step=5e-5,
    )
    height = found.position(body)[:, 2]
    assert np.ptp(found.coordinate(rail, "y")) > 1.9 * play
    np.testing.assert_allclose(height, exact.y[n], atol=1e-4 * play)
    np.testing.assert_allclose(found.alpha("beam"), exact.y[:n].T, atol=1e-4 * play)
    assert found.energy.balance_error < 1e-6


def test_a_load_that_moves_over_a_beam():
    """Fryba (1999), (1.31): a constant force, here of a body of 1e-7 of the beam's mass, without the beam's weight."""
    force = 10.0
    bodies, joints = bridge(3e-7, 0.0)
    push = fb.PointForce("push", bodies[1], (0, 0, -force))
    with pytest.warns(fb.RedundantConstraintWarning, match="'pin'.*'roll'"):
        found = simulate(bodies, joints, 0.45, (0, 0, 0), [push], output_step=0.05)
    j = np.arange(1, 4)
    natural = (j * np.pi / LENGTH) ** 2 * np.sqrt(STIFFNESS * LENGTH / MASS)
    passing = j * np.pi * SPEED / LENGTH
    t = found.t[:, None]
    exact = -2 * force / MASS * (np.sin(passing * t) - passing / natural * np.sin(natural * t))
    exact /= natural**2 - passing**2
    np.testing.assert_allclose(found.alpha("beam"), exact, atol=2e-5 * np.abs(exact).max())


@cache
def stiff_beam():
    """A beam of finite elements with geometric stiffening, and a marker at each of its nodes."""
    x = np.linspace(0, 1, 9)
    points = np.stack([x, 0 * x, 0 * x], axis=1)
    cells = np.stack([np.arange(8), np.arange(1, 9)], axis=1)
    mesh = fem.Mesh(points, (fem.Block("line2", cells),), {f"s{k}": [k] for k in range(9)}, name="beam")
    beam = fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.02, 0.005))
    fe = fem.assemble(mesh, beam)
    return modal.reduce(fe, modal.craig_bampton(fe, ("s0",), n_normal=4), markers=mesh.node_sets)


STATIONS = tuple(f"s{k}" for k in range(9))


def rotor(kind, **drive):
    """A beam turns about its end with 20 rad/s; a body is joined to it at half its length."""
    spin = {"velocity": (0, 10.0, 0), "angular_velocity": (0, 0, 20.0)}
    beam = fb.FlexibleBody("beam", stiff_beam(), place={"s0": (0, 0, 0), "s8": (1, 0, 0)}, **spin)
    hub = fb.Revolute("hub", fb.GROUND, beam["s0"], axis="z")
    body = small("body", (0.5, 0, 0), 0.2, **spin)
    if kind is fb.Fixed:
        return [beam, body], [hub, fb.Fixed("rail", beam["s4"], body, axis="x")]
    rail = kind("rail", beam, body, stations=STATIONS, point=(0.5, 0, 0))
    return [beam, body], [hub, rail, *([fb.Drive("hold", rail, **drive, which="path")] if drive else [])]


def test_a_muff_that_is_held_at_a_station_is_fixed_there():
    """With all second-order terms, of which splines through the stations lose nothing there."""
    options = {"t_end": 0.05, "output_step": 0.005}
    fixed = simulate(*rotor(fb.Fixed), **options)
    held = simulate(*rotor(fb.MuffOnGuideway, value=0.0), **options)
    assert np.abs(fixed.alpha("beam")).max() > 1e-4
    np.testing.assert_allclose(held.alpha("beam"), fixed.alpha("beam"), atol=1e-9)
    np.testing.assert_allclose(held.position("body"), fixed.position("body"), atol=1e-9)
    load = held.reaction("rail").force + held.reaction("hold").force
    np.testing.assert_allclose(load, fixed.reaction("rail").force, atol=1e-5)


@pytest.mark.parametrize("kind", GUIDEWAYS)
def test_a_body_thrown_outward_along_a_stiffened_rotor(kind):
    """Energy is kept, also in the relative description, where the joint closes a loop."""
    bodies, joints = rotor(kind)
    found = simulate(bodies, joints, 0.03, (0, 0, 0), output_step=0.005)
    other = simulate(bodies, joints, 0.03, (0, 0, 0), output_step=0.005, description=fb.Relative())
    assert found.coordinate("rail", "path")[-1] > 0.08
    assert found.energy.balance_error < 1e-8
    np.testing.assert_allclose(other.alpha("beam"), found.alpha("beam"), atol=1e-8)
    np.testing.assert_allclose(other.reaction("rail").force, found.reaction("rail").force, atol=1e-4)


def test_slopes_beside_a_load_are_those_of_the_whole_model():
    """Within 1 % on both sides, with static shapes of loads at every other node; the load stands between two of them.

    The reference is the structure with all degrees of freedom; 4 normal modes alone miss the slopes by 2 to 7 %.
    """
    n, at, weight = 24, 9, 5.0
    x, names = np.linspace(0, 1, n + 1), [f"s{k}" for k in range(n + 1)]
    points = np.stack([x, 0 * x, 0 * x], axis=1)
    cells = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    sets = {name: [k] for k, name in enumerate(names)}
    beam = fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.02, 0.01))
    fe = fem.assemble(fem.Mesh(points, (fem.Block("line2", cells),), sets, name="beam"), beam)
    held = {"s0": ("x", "y", "z", "rx"), f"s{n}": ("y", "z")}
    whole = fem.static(fe, held, fem.Force(f"s{at}", (0, 0, -weight))).displacement[:, 2]
    loads = [fem.Force(f"s{k}", (0, 0, -1.0)) for k in range(2, n, 2)]
    basis = modal.recommend(fe, ("s0", f"s{n}"), f_max_hz=300.0, loads=loads)
    body = fb.FlexibleBody(
        "beam", modal.reduce(fe, basis, markers=names), place={"s0": (0, 0, 0), f"s{n}": (1, 0, 0)}
    )
    load = small("load", points[at], weight / G)
    rail = fb.PointOnGuideway("rail", body, load, stations=names, point=points[at])
    ends = [fb.Revolute("pin", fb.GROUND, body["s0"], axis="y")]
    ends.append(fb.PointOnLine("roll", fb.GROUND, body[f"s{n}"], axis="x"))
    stands = [*ends, rail, fb.Drive("hold", rail, value=0.0, which="path")]
    machines = (
        fb.System(bodies, joints, gravity=(0, 0, -G))
        for bodies, joints in (([body, load], stands), ([body], ends))
    )
    loaded, bare = (fb.equilibrium(machine).alpha(body) for machine in machines)
    bent = np.array([body.marker(name)[1][2] @ (loaded - bare) for name in names])
    bent -= bent[0] + (bent[-1] - bent[0]) * x
    slopes = np.array([[w[at] - w[at - 1], w[at + 1] - w[at]] for w in (bent, whole)]) * n
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=0.01)


@cache
def boom(height, n=16, length=4.0):
    """A beam of light metal with shapes for loads at every node; its reduced body, EI and kGA."""
    x, names = np.linspace(0, length, n + 1), [f"s{k}" for k in range(n + 1)]
    cells = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    sets = {name: [k] for k, name in enumerate(names)}
    metal, section = fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(height, height)
    mesh = fem.Mesh(np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), sets, name="boom")
    fe = fem.assemble(mesh, fem.Beam(metal, section))
    loads = [fem.Force(name, (0, 0, -1.0)) for name in names[1:-1]]
    basis = modal.recommend(fe, (names[0], names[-1]), f_max_hz=100.0, loads=loads)
    shear = section.kz * section.A * metal.E / (2 + 2 * metal.nu)
    return modal.reduce(fe, basis, markers=names), metal.E * section.Iy, shear


@pytest.mark.parametrize("out", [0.6, 2.6])
def test_a_telescopic_arm_bends_as_two_beams_on_two_contacts(out):
    """The inner boom is a beam on two supports with an overhang; its supports load the outer boom, a cantilever.

    Linear theory of beams with shear; second-order terms are of (46 mm / 4 m)^2 = 1e-4.
    """
    length, force = 4.0, 100.0
    (outer_part, EI, kGA), (inner_part, EI_inner, kGA_inner) = boom(0.08), boom(0.06)
    names = [f"s{k}" for k in range(17)]
    end = names[-1]
    outer = fb.FlexibleBody("outer", outer_part, place={"s0": (0, 0, 0), end: (length, 0, 0)})
    inner = fb.FlexibleBody("inner", inner_part, place={"s0": (out, 0, 0), end: (out + length, 0, 0)})
    root = fb.PointOnGuideway("root", outer, inner["s0"], stations=names)
    joints = [
        fb.Fixed("clamp", fb.GROUND, outer["s0"]),
        root,
        fb.PointOnGuideway("nose", inner, outer[end], stations=names),
        fb.Drive("extend", root, value=0.0, which="path"),
        fb.Drive("roll", root, value=0.0, which="angle_z"),
    ]
    load = fb.PointForce("load", inner[end], (0, 0, -force))
    drop = -fb.equilibrium(fb.System([outer, inner], joints, [load])).position(inner[end])[2]

    overlap = length - out
    pressed = {length: force * length / overlap, out: -force * out / overlap}  # on the outer boom, downward

    def outer_drop(x):
        bent = [p * min(x, at) ** 2 * (3 * max(x, at) - min(x, at)) / (6 * EI) for at, p in pressed.items()]
        return sum(bent) + sum(p * min(x, at) / kGA for at, p in pressed.items())

    over = force * out**2 * length / (3 * EI_inner) + force * out * (1 + out / overlap) / kGA_inner
    turned = (outer_drop(length) - outer_drop(out)) * length / overlap
    assert drop == pytest.approx(outer_drop(out) + turned + over, rel=5e-4)


# ---- use and misuse --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("speed", "end", "limit"), [(1.0, "end", 0.3), (-1.0, "beginning", -0.2)])
def test_a_run_stops_where_the_line_ends(speed, end, limit):
    """It counts from the drawn point, as the coordinate does, and the event in the message runs as printed."""
    body = small("body", (0.2, 0, 0), velocity=(speed, 0, 0))
    rail = fb.SleeveOnGuideway("rail", fb.GROUND, body, points=[(0, 0, 0), (0.5, 0, 0)], point=(0.2, 0, 0))
    with pytest.raises(fem.ConvergenceError) as caught:
        simulate([body], [rail], 1.0, (0, 0, 0), output_step=0.013)
    told, result = str(caught.value), caught.value.result
    assert f"'rail' has left the {end} of its line" in told
    beyond = float(re.search(r"'path' is (\S+) m, and the line goes from -0\.2 to 0\.3 m", told)[1])
    assert abs(beyond) == pytest.approx(0.013 * np.ceil(abs(limit) / 0.013))  # the next output time
    assert abs(result.coordinate("rail", "path")[-1]) <= abs(limit)
    event = eval(re.search(r"fb\.Event\(.*\)$", told)[0], {"fb": fb})
    ended = simulate([body], [rail], 1.0, (0, 0, 0), output_step=0.013, events=[event])
    assert ended.t[-1] == pytest.approx(abs(limit))  # at 1 m/s


def test_stops_and_springs_act_on_the_path_coordinate():
    """A mass of 1 kg on a spring of 100 N/m along a straight line: a sine of 10 rad/s."""
    body = small("body", (0.2, 0, 0), velocity=(1.0, 0, 0))
    rail = fb.SleeveOnGuideway("rail", fb.GROUND, body, points=[(0, 0, 0), (0.5, 0, 0)], point=(0.2, 0, 0))
    spring = fb.ForceElement("spring", fb.Along(rail, "path"), fb.Linear(100.0))
    found = simulate([body], [rail], 0.5, (0, 0, 0), [spring], output_step=0.05)
    np.testing.assert_allclose(found.coordinate("rail", "path"), 0.1 * np.sin(10 * found.t), atol=1e-8)


def test_files_hold_guideways(tmp_path):
    bodies, joints = rotor(fb.MuffOnGuideway)
    found = simulate(bodies, joints, 0.01, (0, 0, 0), output_step=0.005)
    found.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    np.testing.assert_array_equal(again.coordinate("rail", "path"), found.coordinate("rail", "path"))
    np.testing.assert_array_equal(again.reaction("rail").force, found.reaction("rail").force)


WRONG = {
    "no line": ({}, "give either points= .* or stations="),
    "one point": ({"points": [(0, 0, 0)]}, "give at least two points of the line"),
    "twice": ({"points": [(0, 0, 0), (1, 0, 0), (1, 0, 0)]}, "points 1 and 2 of the line coincide"),
    "up along it": ({"points": [(0, 0, 0), (1, 0, 0)], "up": "x"}, "up is along the line"),
    "no marker": ({"stations": ("a", "b")}, "stations has 'a', 'b'"),
    "no place": ({"points": [(0, 0, 0), (1, 0, 0)], "point": None}, "has no position"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_guideway(case):
    given, message = WRONG[case]
    rail = rigid("a", 0.0) if "stations" in given else fb.GROUND
    body = small("b", (0.5, 0, 0))
    with pytest.raises(fem.InputError, match=message):
        joint = fb.MuffOnGuideway("j", rail, body, **{"point": (0.5, 0, 0), **given})
        fb.System([body] if rail is fb.GROUND else [rail, body], [joint])


@pytest.mark.parametrize("named", [False, True], ids=["the body", "a marker"])
@pytest.mark.parametrize(
    ("kind", "says"),
    [(fb.PointOnGuideway, "give stations=, names of its markers"), (fb.RollerOnGuideway, "fix a rigid body")],
)
def test_points_on_a_flexible_body_are_refused(kind, says, named):
    body = flexible("a", 0.0)
    joint = kind("j", body["q"] if named else body, small("b", LINE[2]), points=LINE, point=LINE[2])
    with pytest.raises(fem.InputError, match=f"'j' has points= on 'a', which is flexible; {says}"):
        fb.System([body, joint.second], [joint])
