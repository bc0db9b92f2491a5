"""Machines whose parts ring far faster than they move; each with its end time, and the results that are compared."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.frames import line  # noqa: E402

import fem  # noqa: E402
import flexbody as fb  # noqa: E402
import modal  # noqa: E402

STEEL = fem.Isotropic(E=2e11, nu=0.3, rho=7870.0)
ALUMINIUM = fem.Isotropic(E=7e10, nu=0.3, rho=2700.0)


def rod_of(length, section, n=20, *, shear=False, material=STEEL, stiffening=None):
    """A straight rod of beam elements with four modes and its interfaces."""
    mesh = line([(0, 0, 0), (length, 0, 0)], n, {"middle": np.array([n // 2])})
    structure = fem.assemble(mesh, fem.Beam(material, section, shear=shear))
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=4)
    return modal.reduce(structure, basis, markers=("middle",), stiffening=stiffening)


def slider_crank():
    """A thin connecting rod at 150 rad/s; the deflection of its middle."""
    r, length, rate = 0.15, 0.3, 150.0
    place = {"start": (r, 0, 0), "end": (r + length, 0, 0)}
    rod = fb.FlexibleBody("rod", rod_of(length, fem.Circle(0.006)), place=place)
    crank = fb.RigidBody("crank", 1.0, (1e-2,) * 3, angular_velocity=(0, 0, rate))
    block = fb.RigidBody("slider", rod.mass / 2, (1e-5,) * 3, center=(r + length, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    joints = [
        main,
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", rod["end"], block, axes=("z", "y")),
        fb.Prismatic("guide", fb.GROUND, block, point=(r + length, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=rate),
    ]
    machine = fb.System([crank, rod, block], joints)
    return machine, 0.06, lambda found: found.displacement("rod", "middle", relative_to=fb.Chord())[:, 1]


def rotating_rod():
    """A thin rod that turns with its hub at 75 rad/s; the sag of its end."""
    length, rate = 0.3, 75.0
    spin = (0, 0, rate)
    reduced = rod_of(length, fem.Circle(0.006), 40)
    rod = fb.FlexibleBody("rod", reduced, angular_velocity=spin, velocity=(0, rate * length / 2, 0))
    hub = fb.RigidBody("hub", 1.0, (0.01,) * 3, angular_velocity=spin)
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0))
    joints = [axle, fb.Fixed("clamp", hub, rod["start"]), fb.Drive("drive", axle, rate=rate)]
    machine = fb.System([hub, rod], joints, gravity=(0, 0, -9.81))
    return machine, 0.06, lambda found: found.position(("rod", "end"))[:, 2]


def four_bar():
    """Three flexible bars and a hinge that is 5 degrees out of line; how far the last bar leaves the plane."""
    places = {
        "AB": ((0, 0, 0), (0, 0.12, 0), 0.016),
        "BC": ((0, 0.12, 0), (0.24, 0.12, 0), 0.016),
        "CD": ((0.24, 0, 0), (0.24, 0.12, 0), 0.008),
    }
    bars = {}
    for name, (a, b, h) in places.items():
        reduced = rod_of(float(np.linalg.norm(np.subtract(b, a))), fem.Rectangle(h, h), 16, shear=True)
        bars[name] = fb.FlexibleBody(name, reduced, place={"start": a, "end": b})
    s, c = np.sin(np.radians(5)), np.cos(np.radians(5))
    motor = fb.Revolute("A", fb.GROUND, bars["AB"]["start"])
    joints = [
        motor,
        fb.Revolute("B", bars["AB"]["end"], bars["BC"]["start"]),
        fb.Revolute("C", bars["BC"]["end"], bars["CD"]["end"], axis=(s, 0, c)),
        fb.Revolute("D", fb.GROUND, bars["CD"]["start"]),
        fb.Drive("drive", motor, rate=0.6),
    ]
    return fb.System(list(bars.values()), joints), 0.05, lambda found: found.position(("CD", "end"))[:, 2]


def mount(k=1e9):
    """A pendulum under a base of 10 kg on a mount of 1e9 N/m; the height of its bob."""
    base, bob = (
        fb.RigidBody("base", 10.0, (0.1,) * 3),
        fb.RigidBody("bob", 1.0, (0.02,) * 3, center=(1.0, 0, 0)),
    )
    stiffness = (k,) * 3 + (0.01 * k,) * 3
    bushing = fb.Bushing("mount", fb.GROUND, base, stiffness=stiffness, point=(0, 0, 0))
    hinge = fb.Revolute("hinge", base, bob, point=(0, 0, 0), axis="y")
    machine = fb.System([base, bob], [hinge], [bushing], gravity=(0, 0, -9.81))
    return machine, 1.0, lambda found: found.position("bob")[:, 2]


def _begun(t, end, size):
    """A motion of this size in the time ``end``, which starts and ends without a jump of the acceleration."""
    return size * (t / end - np.sin(2 * np.pi * t / end) / (2 * np.pi))


def blade():
    """A thin steel blade of 1 m, 50 x 5 mm, spun up to 50 rad/s in 0.5 s; the lag of its tip."""
    reduced = rod_of(1.0, fem.Rectangle(0.005, 0.05), 40, stiffening=True)
    hub = fb.RigidBody("hub", 20.0, (0.5,) * 3)
    blade = fb.FlexibleBody("blade", reduced, place={"start": (0.1, 0, 0), "end": (1.1, 0, 0)})
    axle = fb.Revolute("axle", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    end, rate = 0.5, 50.0

    def angle(t):
        return rate / end * (t**2 / 2 + (end / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / end) - 1))

    joints = [axle, fb.Fixed("root", hub, blade["start"]), fb.Drive("drive", axle, value=angle)]
    machine = fb.System([hub, blade], joints)
    return machine, end, lambda found: found.displacement("blade", "end", relative_to="hub")[:, 1]


def truss_mesh(bays, width):
    """A square lattice girder along x: chords, battens, and a diagonal in each field and each cross-section."""
    corners = np.array([(0, y, z) for y in (0, width) for z in (0, width)])
    points = np.concatenate([corners + (k * width, 0, 0) for k in range(bays + 1)])
    pairs = []
    for k in range(bays + 1):
        i = 4 * k
        pairs += [(i, i + 1), (i + 2, i + 3), (i, i + 2), (i + 1, i + 3), (i, i + 3)]
        if k < bays:
            pairs += [(i + c, i + 4 + c) for c in range(4)]
            pairs += [(i, i + 5), (i + 2, i + 7), (i, i + 6), (i + 1, i + 7)]
    sets = {"start": np.arange(4), "end": np.arange(4) + 4 * bays}
    return fem.Mesh(points, (fem.Block("line2", np.array(pairs)),), sets, name="jib")


def crane():
    """A jib of steel bars, 6 m long, luffed by 0.3 rad in 2 s; the height of the load that hangs from it."""
    structure = fem.assemble(truss_mesh(12, 0.5), fem.Truss(STEEL, 4e-4))
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=6)
    jib = fb.FlexibleBody("jib", modal.reduce(structure, basis))
    load = fb.RigidBody("load", 300.0, (10.0,) * 3, center=(6.0, 0.25, -2.75))
    foot = fb.Revolute("foot", fb.GROUND, jib["start"], axis="y")
    joints = [
        foot,
        fb.Spherical("hook", jib["end"], load),
        fb.Drive("luffing", foot, value=lambda t: -_begun(t, 2.0, 0.3)),
    ]
    machine = fb.System([jib, load], joints, gravity=(0, 0, -9.81))
    return machine, 2.0, lambda found: found.position("load")[:, 2] + 2.75


def gearbox():
    """A gearbox of 20 kg on four mounts of 1e8 N/m, run up to 100 rad/s; the height of a weight on its slow shaft."""
    housing = fb.RigidBody("housing", 20.0, (0.3,) * 3)
    fast = fb.RigidBody("fast", 1.0, (1e-3, 1e-3, 1e-3), center=(0, 0, 0))
    slow = fb.RigidBody("slow", 8.0, (0.05, 0.05, 0.05), center=(0.25, 0.02, 0))
    mounts = [
        fb.Bushing(
            f"mount {x} {z}", fb.GROUND, housing, stiffness=(1e8,) * 3 + (1e5,) * 3, point=(x, -0.2, z)
        )
        for x in (-0.2, 0.4)
        for z in (-0.2, 0.2)
    ]
    entry = fb.Revolute("entry", housing, fast, point=(0, 0, 0), axis="z")
    exit_ = fb.Revolute("exit", housing, slow, point=(0.2, 0, 0), axis="z")
    joints = [
        entry,
        exit_,
        fb.Gear("gear", entry, exit_, ratio=4.0),
        fb.Drive("drive", entry, value=lambda t: _begun(t, 1.0, 50.0)),
    ]
    machine = fb.System([housing, fast, slow], joints, mounts, gravity=(0, -9.81, 0))
    return machine, 1.0, lambda found: found.position("slow")[:, 1]


def robot():
    """An arm of two slender rods with 3 kg in its hand, moved in 1 s; how far the upper arm bends."""
    reduced = rod_of(0.8, fem.Circle(0.05), material=ALUMINIUM)
    upper = fb.FlexibleBody("upper", reduced, place={"start": (0, 0, 0), "end": (0.8, 0, 0)})
    fore = fb.FlexibleBody("fore", reduced, place={"start": (0.8, 0, 0), "end": (1.6, 0, 0)})
    hand = fb.RigidBody("hand", 3.0, (0.01,) * 3, center=(1.6, 0, 0))
    shoulder = fb.Revolute("shoulder", fb.GROUND, upper["start"], axis="y")
    elbow = fb.Revolute("elbow", upper["end"], fore["start"], axis="y")
    joints = [
        shoulder,
        elbow,
        fb.Fixed("wrist", fore["end"], hand),
        fb.Drive("lift", shoulder, value=lambda t: -_begun(t, 1.0, 0.8)),
        fb.Drive("bend", elbow, value=lambda t: _begun(t, 1.0, 1.5)),
    ]
    machine = fb.System([upper, fore, hand], joints, gravity=(0, 0, -9.81))
    return machine, 1.0, lambda found: found.displacement("upper", "middle", relative_to=fb.Chord())[:, 2]


def satellite():
    """A satellite with two panels of 5 m, turned by a moment that swings once in 20 s; how far a panel bends."""
    reduced = rod_of(5.0, fem.Rectangle(0.05, 1.0), material=ALUMINIUM)
    hub = fb.RigidBody("hub", 500.0, (200.0,) * 3)
    panels = [
        fb.FlexibleBody(name, reduced, place={"start": (side * 0.5, 0, 0), "end": (side * 5.5, 0, 0)})
        for name, side in (("left", -1), ("right", 1))
    ]
    joints = [fb.Fixed(f"root of {panel.name}", hub, panel["start"]) for panel in panels]
    turning = fb.PointMoment("wheels", hub, lambda t: (0.0, 0.0, 20.0 * np.sin(2 * np.pi * t / 20.0)))
    machine = fb.System([hub, *panels], joints, [turning])
    return machine, 20.0, lambda found: found.displacement("right", "end", relative_to="hub")[:, 1]


MACHINES = {
    machine.__name__: machine
    for machine in (slider_crank, rotating_rod, four_bar, mount, blade, crane, gearbox, robot, satellite)
}
