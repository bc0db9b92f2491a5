"""Further machines for the price of default runs, as in ``ringing_machines``: machine, end time, results compared."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent)]

from ringing_machines import ALUMINIUM, STEEL, rod_of  # noqa: E402
from support.frames import line  # noqa: E402

import fem  # noqa: E402
import flexbody as fb  # noqa: E402
import modal  # noqa: E402

GLASS = fem.Isotropic(E=4e10, nu=0.3, rho=1900.0)
TURN, DOWN = 2 * np.pi, (0, 0, -9.81)


def quintic(t, end, size):
    """A motion of this size in the time ``end``, at rest before and behind it."""
    s = min(max(t / end, 0.0), 1.0)
    return size * s**3 * (10 - 15 * s + 6 * s**2)


def _crankshaft(throws, r):
    """A crankshaft of beams, 0.4 m long, with five main bearings and four pins."""
    points = []
    for i, s in enumerate(throws):
        x = 0.1 * i
        points += [
            (x, 0, 0),
            (x + 0.025, 0, 0),
            (x + 0.025, s * r, 0),
            (x + 0.075, s * r, 0),
            (x + 0.075, 0, 0),
        ]
    mesh = line([*points, (0.1 * len(throws), 0, 0)], 2)
    sets = {f"main {i}": np.array([10 * i]) for i in range(5)} | {
        f"pin {i}": np.array([10 * i + 5]) for i in range(4)
    }
    mesh = fem.Mesh(mesh.points, mesh.blocks, sets, name="crankshaft")
    structure = fem.assemble(mesh, fem.Beam(STEEL, fem.Circle(0.05), up=(1, 1, 1)))
    return modal.reduce(structure, modal.craig_bampton(structure, tuple(sets), n_normal=6))


def engine():
    """A four-cylinder engine at 3000 rpm, its crankshaft on bearings of 5e8 N/m; the height of the middle bearing."""
    r, length, rate, throws = 0.045, 0.15, 314.0, (1, -1, -1, 1)
    spin = (rate, 0, 0)
    shaft = fb.FlexibleBody("shaft", _crankshaft(throws, r), angular_velocity=spin, damping_ratio=0.01)
    wheel = fb.RigidBody("flywheel", 15.0, (0.2, 0.1, 0.1), center=(0.4, 0, 0), angular_velocity=spin)
    bodies, joints, forces = [shaft, wheel], [fb.Fixed("flange", shaft["main 4"], wheel)], []
    for i in range(5):
        stiffness = (1e8 if i == 2 else 0.0, 5e8, 5e8, 0, 0, 0)
        damping = (0, 2e4, 2e4, 0, 0, 0)
        forces.append(
            fb.Bushing(f"bearing {i}", fb.GROUND, shaft[f"main {i}"], stiffness=stiffness, damping=damping)
        )
    reduced = rod_of(length, fem.Rectangle(0.015, 0.025))
    for i, (s, fires) in enumerate(zip(throws, (0, 3, 1, 2), strict=True)):
        x, y = 0.1 * i + 0.05, s * r + length
        place = {"start": (x, s * r, 0), "end": (x, y, 0)}
        motion = {"velocity": (0, 0, rate * s * r / 2), "angular_velocity": (-rate * s * r / length, 0, 0)}
        rod = fb.FlexibleBody(f"rod {i}", reduced, place=place, damping_ratio=0.01, **motion)
        piston = fb.RigidBody(f"piston {i}", 0.4, (1e-3,) * 3, center=(x, y, 0))
        bodies += [rod, piston]
        joints += [
            fb.Spherical(f"big end {i}", shaft[f"pin {i}"], rod["start"]),
            fb.Universal(f"wrist {i}", rod["end"], piston, axes=("x", "z")),
            fb.Prismatic(f"bore {i}", fb.GROUND, piston, point=(x, y, 0), axis="y"),
        ]

        def gas(t, fires=fires):
            return 0.0, -2e4 * np.exp(15 * (np.cos((rate * t - np.pi * fires - 0.3) / 2) ** 2 - 1)), 0.0

        forces.append(fb.PointForce(f"gas {i}", piston, gas))
    forces.append(fb.PointMoment("load", wheel, (-150.0, 0, 0)))
    return fb.System(bodies, joints, forces), 0.04, lambda found: found.position(("shaft", "main 2"))[:, 1]


def screen():
    """A screen of 500 kg on four springs (3 Hz) with an unbalance motor run up to 15 Hz in 1 s; its height."""
    box = fb.RigidBody("box", 500.0, (80.0, 150.0, 200.0))
    weight = fb.RigidBody("unbalance", 30.0, (0.1,) * 3, center=(0.06, 0, 0.4))
    springs = [
        fb.Bushing(
            f"spring {x} {y}", fb.GROUND, box, point=(x, y, -0.2),
            stiffness=(3e4, 3e4, 4.5e4, 0, 0, 0), damping=(300.0, 300.0, 300.0, 0, 0, 0),
        )
        for x in (-0.8, 0.8)
        for y in (-0.5, 0.5)
    ]  # fmt: skip
    shaft = fb.Revolute("shaft", box, weight, point=(0, 0, 0.4), axis="y")
    motor = fb.Drive("motor", shaft, rate=lambda t: 15 * TURN * np.minimum(t, 1.0))
    machine = fb.System([box, weight], [shaft, motor], springs, gravity=DOWN)
    return machine, 3.0, lambda found: found.position("box")[:, 2]


def panels():
    """Three panels of 2 m, folded like a screen, unfolded by springs in their hinges; how far the first one bends."""
    sandwich = fem.Isotropic(E=5e9, nu=0.3, rho=250.0)
    reduced = rod_of(float(np.hypot(2.0, 0.04)), fem.Rectangle(1.2, 0.02), material=sandwich)
    hub = fb.RigidBody("hub", 400.0, (80.0,) * 3, center=(-0.8, 0, 0))
    ends, bodies, joints, forces = [(0, 0, 0), (2, 0, 0.04), (0, 0, 0.08), (2, 0, 0.12)], [hub], [], []
    last = hub
    for i, (start, end) in enumerate(pairwise(ends)):
        panel = fb.FlexibleBody(f"panel {i}", reduced, place={"start": start, "end": end}, damping_ratio=0.01)
        hinge = fb.Revolute(f"hinge {i}", last, panel["start"], axis="y")
        opened = (-np.pi / 2, np.pi, -np.pi)[i]
        forces.append(fb.torsion_spring(f"spring {i}", hinge, stiffness=2.0, damping=2.0, free_value=opened))
        bodies.append(panel)
        joints.append(hinge)
        last = panel["end"]
    machine = fb.System(bodies, joints, forces)
    return machine, 20.0, lambda found: found.displacement("panel 0", "middle", relative_to=fb.Chord())[:, 2]


def washing_machine():
    """A tub of 30 kg on springs and dampers, its drum with 0.5 kg of wet clothes run up to 100 rad/s; its height."""
    tub = fb.RigidBody("tub", 30.0, (1.5, 1.5, 1.5))
    drum = fb.RigidBody("drum", 8.0, (0.4, 0.4, 0.4))
    clothes = fb.RigidBody("clothes", 0.5, (1e-3,) * 3, center=(0.22, 0.1, 0))
    forces = []
    for x in (-1, 1):
        for y in (-1, 1):
            at = (0.25 * x, 0.2 * y, 0.2)
            forces += [
                fb.SpringDamper(
                    f"spring {x} {y}", fb.GROUND, tub, stiffness=4000.0, free_length=0.28,
                    first_point=(0.3 * x, 0.2 * y, 0.5), second_point=at,
                ),
                fb.SpringDamper(
                    f"damper {x} {y}", fb.GROUND, tub, damping=120.0,
                    first_point=(0.3 * x, 0.25 * y, -0.5), second_point=(0.15 * x, 0.2 * y, -0.25),
                ),
            ]  # fmt: skip
    shaft = fb.Revolute("shaft", tub, drum, point=(0, 0, 0), axis="y")
    joints = [
        shaft,
        fb.Fixed("imbalance", drum, clothes, point=(0.22, 0.1, 0)),
        fb.Drive("motor", shaft, rate=lambda t: 100.0 * quintic(t, 5.0, 1.0)),
    ]
    machine = fb.System([tub, drum, clothes], joints, forces, gravity=DOWN)
    return machine, 6.0, lambda found: found.position("tub")[:, 2]


def car():
    """A car of 1200 kg at 10 m/s over a bump of 0.5 m and 60 mm; the height of its front right wheel and body."""
    body = fb.RigidBody("body", 1200.0, (400.0, 1800.0, 2000.0), center=(0, 0, 0.6))
    bodies, joints, forces = [body], [], []
    for x, begins in ((1.3, 0.5), (-1.3, 0.76)):
        for y in (-0.75, 0.75):
            name = f"{'front' if x > 0 else 'rear'} {'right' if y < 0 else 'left'}"
            wheel = fb.RigidBody(f"wheel {name}", 40.0, (1.0, 1.5, 1.0), center=(x, y, 0.3))
            road = fb.RigidBody(f"road {name}", 1.0, (0.1,) * 3, center=(x, y, 0))
            strut = fb.Prismatic(f"strut {name}", body, wheel, point=(x, y, 0.3), axis="z")
            rise = fb.Prismatic(f"rise {name}", fb.GROUND, road, point=(x, y, 0), axis="z")

            def bump(t, begins=begins):
                return 0.03 * (1 - np.cos(TURN * (t - begins) / 0.05)) if begins < t < begins + 0.05 else 0.0

            bodies += [wheel, road]
            joints += [strut, rise, fb.Drive(f"bump {name}", rise, value=bump)]
            forces += [
                fb.ForceElement(f"spring {name}", fb.Along(strut), fb.Linear(2e4, 1500.0, force=2943.0)),
                fb.Bushing(
                    f"tyre {name}", road, wheel, point=(x, y, 0),
                    stiffness=(1e5, 1e5, 2e5, 0, 0, 0), damping=(500.0, 500.0, 100.0, 0, 0, 0),
                ),
            ]  # fmt: skip
    machine = fb.System(bodies, joints, forces, gravity=DOWN)
    heights = lambda found: np.stack([found.position(n)[:, 2] for n in ("body", "wheel front right")], 1)  # noqa: E731
    return machine, 3.0, lambda found: heights(found) - (0.6, 0.3)


def delta_robot():
    """A delta robot with three forearms of carbon tube, moved in 0.25 s; how far a forearm bends."""
    carbon = fem.Isotropic(E=7e10, nu=0.3, rho=1600.0)
    platform = fb.RigidBody("platform", 1.0, (1e-3,) * 3, center=(0, 0, -0.6))
    bodies, joints = [platform], []
    length = np.hypot(0.4, 0.6)
    reduced = rod_of(length, fem.Tube(0.016, thickness=0.001), material=carbon)
    for i, size in enumerate((0.6, 0.3, -0.2)):
        out = np.array([np.cos(TURN * i / 3), np.sin(TURN * i / 3), 0])
        across = np.cross((0, 0, 1), out)
        elbow, wrist = 0.45 * out, 0.05 * out + (0, 0, -0.6)
        arm = fb.RigidBody(f"arm {i}", 0.5, (4e-3,) * 3, center=0.325 * out)
        fore = fb.FlexibleBody(
            f"forearm {i}", reduced, place={"start": elbow, "end": wrist}, damping_ratio=0.01
        )
        normal = np.cross(across, (wrist - elbow) / length)
        motor = fb.Revolute(f"motor {i}", fb.GROUND, arm, point=0.2 * out, axis=across)
        bodies += [arm, fore]
        joints += [
            motor,
            fb.Universal(f"elbow {i}", arm, fore["start"], axes=(across, normal)),
            fb.Universal(f"wrist {i}", fore["end"], platform, axes=(normal, across)),
            fb.Drive(f"motion {i}", motor, value=lambda t, size=size: quintic(t, 0.25, size)),
        ]
    machine = fb.System(bodies, joints, gravity=DOWN)
    return machine, 0.4, lambda found: found.displacement("forearm 0", "middle", relative_to=fb.Chord())[:, 2]


def turbine():
    """Three blades of 20 m, run up to 2.5 rad/s in 10 s; the lag and the flap of a tip."""
    reduced = rod_of(20.0, fem.Rectangle(1.0, 0.3), material=GLASS)
    hub = fb.RigidBody("hub", 3000.0, (3000.0,) * 3)
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0), axis="x")
    bodies, joints = [hub], [axle, fb.Drive("motor", axle, rate=lambda t: quintic(t, 10.0, 2.5))]
    for i in range(3):
        way = np.array([0.0, np.sin(TURN * i / 3), np.cos(TURN * i / 3)])
        place = {"start": way, "end": 21 * way}
        blade = fb.FlexibleBody(f"blade {i}", reduced, place=place, up=(1, 0, 0), damping_ratio=0.01)
        bodies.append(blade)
        joints.append(fb.Fixed(f"root {i}", hub, blade["start"]))
    machine = fb.System(bodies, joints, gravity=DOWN)
    return machine, 15.0, lambda found: found.displacement("blade 1", "end", relative_to="hub")


def press():
    """A press on four mounts, 60 strokes a minute, whose ram squeezes a sheet of 1e9 N/m; its force."""
    r, length = 0.1, 0.6
    frame = fb.RigidBody("frame", 6000.0, (4000.0,) * 3, center=(0, 0, -0.5))
    wheel = fb.RigidBody("wheel", 400.0, (30.0, 60.0, 30.0), angular_velocity=(0, TURN, 0))
    reduced = rod_of(length, fem.Rectangle(0.08, 0.08))
    place = {"start": (0, 0, r), "end": (0, 0, r - length)}
    motion = {"velocity": (r * TURN / 2, 0, 0), "angular_velocity": (0, r * TURN / length, 0)}
    rod = fb.FlexibleBody("rod", reduced, place=place, damping_ratio=0.02, **motion)
    ram = fb.RigidBody("ram", 300.0, (20.0,) * 3, center=(0, 0, r - length))
    crank = fb.Revolute("crank", frame, wheel, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", frame, ram, point=(0, 0, r - length), axis="z")
    joints = [
        crank,
        fb.Spherical("pin", wheel, rod["start"]),
        fb.Universal("wrist", rod["end"], ram, axes=("y", "x")),
        guide,
        fb.Drive("motor", crank, rate=TURN),
    ]
    forces = [fb.Limit("sheet", guide, lower=-0.1995, stiffness=1e9, exponent=1.0, dissipation=0.1)]
    for x in (-0.8, 0.8):
        for y in (-0.6, 0.6):
            mount = {"stiffness": (1e7, 1e7, 2e7, 0, 0, 0), "damping": (5e4, 5e4, 1e5, 0, 0, 0)}
            forces.append(fb.Bushing(f"mount {x} {y}", fb.GROUND, frame, point=(x, y, -1.5), **mount))
    machine = fb.System([frame, wheel, rod, ram], joints, forces, gravity=DOWN)
    return machine, 1.0, lambda found: found.element("sheet").force


def _oscillator(push):
    """10 kg on a spring, 3.2 Hz, damping ratio 0.02; its place."""
    mass, omega = 10.0, 3.2 * TURN
    block = fb.RigidBody("block", mass, (0.1,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="x")
    law = fb.Linear(mass * omega**2, 2 * 0.02 * mass * omega)
    forces = [fb.ForceElement("spring", fb.Along(guide), law), fb.PointForce("push", block, push)]
    return fb.System([block], [guide], forces), 20.0, lambda found: found.coordinate("guide")


def pulses():
    """An oscillator of 3.2 Hz under pulses of 5 ms, ten a second; its place."""
    return _oscillator(lambda t: (1000.0 if t % 0.1 < 0.005 else 0.0, 0.0, 0.0))


def noise():
    """An oscillator of 3.2 Hz under a table of noise; its place."""
    times, values = np.linspace(0, 20, 2000), 100 * np.random.default_rng(3).standard_normal(2000)
    return _oscillator(lambda t: (np.interp(t, times, values), 0.0, 0.0))


def ship_crane():
    """A crane on a ship that rolls by 4 degrees in 9 s; how far its load of 5 t swings on an elastic rope."""
    reduced = rod_of(20.0, fem.Tube(0.6, thickness=0.015))
    ship = fb.RigidBody("ship", 2e6, (2e7, 2e8, 2e8))
    top = (0.0, 16.0, 17.0)
    boom = fb.FlexibleBody("boom", reduced, place={"start": (0, 4, 1), "end": top}, damping_ratio=0.01)
    load = fb.RigidBody("load", 5000.0, (3000.0,) * 3, center=(0, 16, 5))
    roll = fb.Revolute("roll", fb.GROUND, ship, point=(0, 0, 0), axis="x")
    joints = [
        roll,
        fb.Fixed("foot", ship, boom["start"]),
        fb.Drive("sea", roll, value=lambda t: np.radians(4) * quintic(t, 5.0, 1.0) * np.sin(TURN * t / 9)),
    ]
    rope = fb.SpringDamper(
        "rope", boom["end"], load, stiffness=5e6, damping=2e4, free_length=9.99, second_point=(0, 16, 7)
    )
    machine = fb.System([ship, boom, load], joints, [rope], gravity=DOWN)
    return machine, 30.0, lambda found: found.position("load")[:, 1] - 16


def belt_drive():
    """A motor that drives a fan of 0.8 kg m^2 over a belt, run up in 0.5 s; the tension of the tight span."""
    motor, fan = (
        fb.RigidBody("motor", 3.0, (5e-3, 5e-3, 5e-3)),
        fb.RigidBody("fan", 20.0, (0.8, 0.8, 0.8), center=(0.6, 0, 0)),
    )
    shafts = [fb.Revolute(f"shaft of {b.name}", fb.GROUND, b, point=b.center, axis="z") for b in (motor, fan)]
    spans = fb.belt("belt", shafts, (0.05, 0.15), stiffness=2e5, pretension=2000.0, damping_time=1e-4)
    drag = fb.torsion_spring("drag", shafts[1], damping=0.1)
    drive = fb.Drive("speed", shafts[0], rate=lambda t: 150.0 * np.minimum(t / 0.5, 1.0))
    machine = fb.System([motor, fan], [*shafts, drive], [*spans, drag])
    return machine, 1.5, lambda found: found.element("belt 1").force


def clock():
    """A pendulum of a second, pushed for 20 ms at each passage; its angle."""
    bob = fb.RigidBody("bob", 1.0, (1e-3,) * 3, center=(0, 0, -0.994))
    hinge = fb.Revolute("hinge", fb.GROUND, bob, point=(0, 0, 0), axis="y")

    def escapement(t):
        phase = t % 2.0
        return 0.2 if phase < 0.02 else -0.2 if 1.0 <= phase < 1.02 else 0.0

    push = fb.torsion_spring("escapement", hinge, damping=0.01, moment=escapement)
    machine = fb.System([bob], [hinge], [push], gravity=DOWN)
    return machine, 60.0, lambda found: found.coordinate("hinge")


def centrifuge():
    """A rotor of 50 kg in a housing on soft mounts, run up to 300 rad/s in 8 s; the place of the housing."""
    housing = fb.RigidBody("housing", 40.0, (2.0, 2.0, 3.0))
    rotor = fb.RigidBody("rotor", 50.0, (1.5, 1.5, 2.0), center=(1e-3, 0, 0.1))
    mounts = [
        fb.Bushing(
            f"mount {i}", fb.GROUND, housing, point=(0.3 * np.cos(a), 0.3 * np.sin(a), -0.2),
            stiffness=(3e4, 3e4, 6e4, 0, 0, 0), damping=(200.0, 200.0, 300.0, 0, 0, 0),
        )
        for i, a in enumerate(TURN * np.arange(3) / 3)
    ]  # fmt: skip
    shaft = fb.Revolute("shaft", housing, rotor, point=(0, 0, 0.1), axis="z")
    motor = fb.Drive("motor", shaft, rate=lambda t: quintic(t, 8.0, 300.0))
    machine = fb.System([housing, rotor], [shaft, motor], mounts, gravity=DOWN)
    return machine, 8.0, lambda found: found.position("housing")[:, 0]


def door():
    """A steel door of 0.9 m that is slammed at 2 rad/s against a rubber stop; the place of its edge."""
    spin, length = 2.0, 0.9
    reduced = rod_of(length, fem.Rectangle(0.005, 2.0))
    leaf = fb.FlexibleBody(
        "leaf", reduced, place={"start": (0, 0, 0), "end": (length, 0, 0)}, damping_ratio=0.01,
        angular_velocity=(0, 0, spin), velocity=(0, spin * length / 2, 0),
    )  # fmt: skip
    hinge = fb.Revolute("hinge", fb.GROUND, leaf["start"], axis="z")
    stop = fb.Contact(
        "stop", fb.Plane(fb.GROUND, point=(0, 0.6, 0), normal=(0, -1, 0)), fb.Sphere(leaf["end"], 0.02),
        stiffness=2e7, dissipation=0.2,
    )  # fmt: skip
    return fb.System([leaf], [hinge], [stop]), 1.0, lambda found: found.position(("leaf", "end"))[:, 1]


def boom():
    """A satellite that unfolds a boom of two tubes of 3 m with a sensor at its end; how far the first tube bends."""
    reduced = rod_of(3.0, fem.Tube(0.03, thickness=0.001), material=ALUMINIUM)
    hub = fb.RigidBody("hub", 150.0, (25.0,) * 3, center=(-0.3, 0, 0))
    inner = fb.FlexibleBody(
        "inner", reduced, place={"start": (0, 0, 0), "end": (0, 3, 0)}, damping_ratio=0.005
    )
    outer = fb.FlexibleBody(
        "outer", reduced, place={"start": (0, 3, 0), "end": (0, 0, 0)}, damping_ratio=0.005
    )
    sensor = fb.RigidBody("sensor", 2.0, (0.01,) * 3)
    root = fb.Revolute("root", hub, inner["start"], axis="z")
    elbow = fb.Revolute("elbow", inner["end"], outer["start"], axis="z")
    joints = [
        root,
        elbow,
        fb.Fixed("seat", outer["end"], sensor),
        fb.Drive("first", root, value=lambda t: -quintic(t, 20.0, np.pi / 2)),
        fb.Drive("second", elbow, value=lambda t: quintic(t - 5.0, 20.0, np.pi)),
    ]
    machine = fb.System([hub, inner, outer, sensor], joints)
    return (
        machine,
        40.0,
        lambda found: found.displacement("inner", "end", relative_to=("inner", "start"))[:, 0],
    )


def _ladder():
    """The frame of a truck: two rails of 8 m and five cross-members, 0.9 m wide."""
    points = [(0.5 * i, y, 0) for y in (-0.45, 0.45) for i in range(17)]
    rails = [(i + k, i + k + 1) for k in (0, 17) for i in range(16)]
    ties = [(4 * i, 17 + 4 * i) for i in range(5)]
    sets = {
        f"{end} {side}": [i + k]
        for end, i in (("front", 2), ("rear", 13))
        for side, k in (("right", 0), ("left", 17))
    }
    sets["bed"] = [7, 8, 9, 24, 25, 26]
    mesh = fem.Mesh(points, [fem.Block("line2", [*rails, *ties])], sets, name="frame")
    structure = fem.assemble(mesh, fem.Beam(STEEL, fem.Rectangle(0.06, 0.2)))
    return modal.reduce(structure, modal.craig_bampton(structure, tuple(sets), n_normal=6))


def truck():
    """A truck frame with 3 t on it on four springs over a road of 20 mm waves, 2 Hz; its front and load."""
    frame = fb.FlexibleBody("frame", _ladder(), damping_ratio=0.01)
    load = fb.RigidBody("load", 3000.0, (1500.0, 3000.0, 3000.0), center=(4.0, 0, 0.8))
    bodies, joints, forces = [frame, load], [fb.Fixed("bed", frame["bed"], load)], []
    for end, x, late in (("front", 1.0, 0.0), ("rear", 6.5, 0.4)):
        for side, y in (("right", -0.45), ("left", 0.45)):
            name = f"{end} {side}"
            axle = fb.RigidBody(f"axle {name}", 200.0, (10.0,) * 3, center=(x, y, -0.4))
            rise = fb.Prismatic(f"rise {name}", fb.GROUND, axle, point=(x, y, -0.4), axis="z")
            begun = lambda t, late=late: quintic(t, 1.0, 0.02) * np.sin(2 * TURN * (t - late))  # noqa: E731
            bodies.append(axle)
            joints += [rise, fb.Drive(f"road {name}", rise, value=begun)]
            spring = {"stiffness": (1e6, 1e6, 2e5, 0, 0, 0), "damping": (5e3, 5e3, 5e3, 0, 0, 0)}
            forces.append(fb.Bushing(f"spring {name}", axle, frame[name], **spring))
    machine = fb.System(bodies, joints, forces, gravity=DOWN)
    return machine, 4.0, lambda found: found.displacement("frame", "front left", relative_to="load")[:, 2]


def table():
    """A table of 800 kg on four soft mounts (1.5 Hz) with a column on it, over a floor that shakes; its height."""
    floor = fb.RigidBody("floor", 5000.0, (5000.0,) * 3, center=(0, 0, -0.5))
    plate = fb.RigidBody("plate", 800.0, (70.0, 270.0, 330.0))
    column = fb.FlexibleBody(
        "column", rod_of(0.8, fem.Tube(0.04, thickness=0.003)), place={"start": (0, 0, 0.1), "end": (0, 0, 0.9)},
        damping_ratio=0.01,
    )  # fmt: skip
    lift = fb.Prismatic("lift", fb.GROUND, floor, point=(0, 0, -0.5), axis="z")
    mounts = [
        fb.Bushing(
            f"mount {x} {y}", floor, plate, point=(x, y, -0.1),
            stiffness=(1.8e4, 1.8e4, 1.8e4, 0, 0, 0), damping=(200.0, 200.0, 200.0, 0, 0, 0),
        )
        for x in (-0.9, 0.9)
        for y in (-0.4, 0.4)
    ]  # fmt: skip

    def shakes(t):
        return 2e-5 * np.sin(3.1 * TURN * t) + 8e-6 * np.sin(12.3 * TURN * t) + 3e-6 * np.sin(24.7 * TURN * t)

    joints = [lift, fb.Fixed("foot", plate, column["start"]), fb.Drive("building", lift, value=shakes)]
    return fb.System([floor, plate, column], joints, mounts), 8.0, lambda found: found.position("plate")[:, 2]


MORE_MACHINES = {
    machine.__name__: machine
    for machine in (
        engine, screen, panels, washing_machine, car, delta_robot, turbine, press, pulses, noise, ship_crane,
        belt_drive, clock, centrifuge, door, boom, truck, table,
    )
}  # fmt: skip
