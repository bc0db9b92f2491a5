"""Machines in other units than SI are told by masses, inertias and sizes; true large and small ones are not."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from support import chains, random_machines, zoo

import flexbody as fb
from flexbody.analyses.unit_doubts import warn_of_units
from flexbody.compile.plan import make_plan

GRAVITY = (0, 0, -9.81)


def told(system: fb.System) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        warn_of_units(make_plan(system))
    return [str(one.message) for one in found]


def box(name, mass, inertia, center=(0, 0, 0), **more) -> fb.RigidBody:
    return fb.RigidBody(name, mass, np.broadcast_to(inertia, 3), center=center, **more)


def slider_crank(rod=(), *, length=1.0, inertia=1.0, mass=1.0, gravity=GRAVITY) -> fb.System:
    """A crank, a rod of 0.3 m and 0.5 kg, and a slider; other numbers of the rod, and factors of all."""

    def body(name, m, J, center):
        return box(name, mass * m, inertia * np.array(J), length * np.array(center))

    its = {"m": 0.5, "J": (1e-4, 4e-3, 4e-3), "center": (0.3, 0, 0)} | dict(rod)
    crank = body("crank", 0.9, (1e-4, 2e-3, 2e-3), (0.05, 0, 0))
    rod, slider = body("rod", **its), body("slider", 0.4, (1e-4,) * 3, (0.45, 0, 0))
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y"),
        fb.Spherical("pin", crank, rod, point=(0.15 * length, 0, 0)),
        fb.Universal("wrist", rod, slider, point=(0.45 * length, 0, 0), axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.45 * length, 0, 0), axis="x"),
    ]
    return fb.System([crank, rod, slider], joints, gravity=gravity)


@pytest.mark.parametrize(
    ("rod", "factors", "number", "mend"),
    [
        # the rod's radius of gyration is sqrt(4e-3 / 0.5) = 0.0894 m; in kg mm^2 1000 times that, in t 31.6 times
        ({}, {"length": 1e3}, "up to 150 m", "divide all points by 1000"),
        ({}, {"length": 1e3, "gravity": (0, 0, 0)}, "gyration 0.0894 m", "divide all points by 1000"),
        ({}, {"length": 1e3, "inertia": 1e6}, "gyration 89.4 m", "points by 1000 and the inertia"),
        ({}, {"length": 1e3, "inertia": 1e3, "mass": 1e-3}, "gyration 89.4 m", "by 1000 and the inertia"),
        ({"J": (100.0, 4000.0, 4000.0)}, {}, "gyration of 89.4 m", "if the inertia is in kg mm^2"),
        ({"J": (1.0, 40.0, 40.0)}, {}, "gyration of 8.94 m", "if the inertia is in kg cm^2"),
        ({"m": 0.5e-3}, {}, "gyration of 2.83 m", "if the mass is in t, multiply it by 1000"),
        ({"center": (300.0, 0, 0)}, {}, "is 299.6 m from", "in mm, divide it by 1000"),
        ({"center": (30.0, 0, 0)}, {}, "is 29.55 m from", "in cm, divide it by 100"),
        ({"center": (11.8, 0, 0)}, {}, "is 11.35 m from", "in inches, multiply it by 0.0254"),
    ],
)
def test_other_units(rod, factors, number, mend):
    (found,) = told(slider_crank(rod, **factors))
    assert found.startswith("body 'rod'")
    assert number in found
    assert mend in found


def test_a_bar_on_a_hinge_and_a_spring_in_mm():
    bar = box("bar", 2.0, (1e-3, 0.06, 0.06), (300, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, bar, stiffness=2000.0, first_point=(600, 0, 500), second_point=(600, 0, 0)
    )
    (found,) = told(fb.System([bar], [hinge], [spring], gravity=GRAVITY))
    assert "up to 300 m from its mass centre, but its mass is 2 kg" in found


def turning(mass, inertia, rate, driven=False) -> list[str]:
    """A wheel on an axle through its mass centre, x."""
    wheel = box("wheel", mass, inertia, angular_velocity=(0.0 if driven else rate, 0, 0))
    axle = fb.Revolute("axle", fb.GROUND, wheel, point=(0, 0, 0), axis="x")
    return told(fb.System([wheel], [axle, *([fb.Drive("motor", axle, rate=rate)] if driven else [])]))


@pytest.mark.parametrize("driven", [False, True])
def test_a_large_wheel_at_rpm_for_rad(driven):
    """A disc of 50 kg and 0.5 m has m r^2 / 2 = 6.25 kg m^2; r / sqrt(2) moves at 1061 m/s, at 3000 rpm at 111."""
    (found,) = turning(50.0, (6.25, 3.2, 3.2), 3000.0, driven)
    assert "a point at the radius of gyration, 0.354 m from the axis moves at 1061 m/s" in found
    assert "if this one is in rpm, multiply it by pi/30" in found
    assert turning(50.0, (6.25, 3.2, 3.2), 3000.0 * np.pi / 30, driven) == []


@pytest.mark.parametrize(
    ("mass", "inertia", "rate"),
    [
        (100.0, 10.0, 1900.0),  # a flywheel of fibres: 0.36 m, 16 000 rpm as Beacon's, 700 m/s
        (3.0, 0.015, 1.1e4),  # a tube of 70 mm that separates gases: 780 m/s
        (20.0, 1.8, 3e3),  # a thin rim of carbon fibres of 0.3 m: 900 m/s
        (2.0, 0.02, 9e3),  # the thin wall of a gas centrifuge, 0.1 m: 900 m/s
        (0.15, 4e-5, 2.5e4),  # a turbocharger at 240 000 rpm
        (1e-3, 5e-10, 4e4),  # a dentist's drill
        (1.0, 1.0, 5e3),  # a rotor whose mass does not matter
    ],
)
def test_fast_rotors_are_taken(mass, inertia, rate):
    assert turning(mass, inertia, rate) == []


def tether(inertia, *, length=1000.0, density=0.05) -> fb.System:
    """A satellite and a probe on rigid parts of a tether, (m, kg/m)."""
    mass = density * length
    parts = [box(f"part {k}", mass, inertia(mass, length), ((k + 0.5) * length, 0, 0)) for k in range(4)]
    bodies = [box("satellite", 500.0, 200.0), *parts, box("probe", 100.0, 5.0, (4 * length, 0, 0))]
    joints = [
        fb.Spherical(f"joint {k}", *pair, point=(k * length, 0, 0)) for k, pair in enumerate(pairwise(bodies))
    ]
    return fb.System(bodies, joints)


def thin(m, L):
    return 1e-3 * m, m * L**2 / 12, m * L**2 / 12


def tower_crane(height=80.0, reach=60.0) -> fb.System:
    tower = box("tower", 6e4, (3e7, 3e7, 2e5), (0, 0, height / 2))
    jib = box("jib", 1.5e4, (1e4, 5e6, 5e6), (reach / 3, 0, height))
    trolley, hook = (
        box("trolley", 800.0, 200.0, (40, 0, height - 1)),
        box("hook", 300.0, 30.0, (40, 0, 10)),
    )
    load = box("load", 5e3, 2e3, (40, 0, 7))
    joints = [
        fb.Fixed("base", fb.GROUND, tower, point=(0, 0, 0)),
        fb.Revolute("slew", tower, jib, point=(0, 0, height)),
        fb.Prismatic("rail", jib, trolley, point=(40, 0, height - 1), axis="x"),
        fb.Spherical("rope", trolley, hook, point=(40, 0, height - 1)),
        fb.Spherical("sling", hook, load, point=(40, 0, 9.5)),
    ]
    return fb.System([tower, jib, trolley, hook, load], joints, gravity=GRAVITY)


def wind_turbine(radius=100.0) -> fb.System:
    nacelle, hub = box("nacelle", 5e5, 5e6, (2, 0, 0)), box("hub", 6e4, 3e5)
    along = [np.array((0, np.cos(a), np.sin(a))) for a in 2 * np.pi * np.arange(3) / 3]
    blades = [
        box(f"blade {k}", 4e4, 3e7, 0.35 * radius * d, angular_velocity=(0.8, 0, 0))
        for k, d in enumerate(along)
    ]
    joints = [
        fb.Revolute("main", nacelle, hub, point=(0, 0, 0), axis="x"),
        fb.Fixed("yaw", fb.GROUND, nacelle, point=(2, 0, -2)),
    ]
    joints += [fb.Fixed(f"root {k}", hub, blades[k], point=1.5 * d) for k, d in enumerate(along)]
    winds = [
        fb.PointForce(f"wind {k}", blades[k], (1e4, 0, 0), point=0.7 * radius * d)
        for k, d in enumerate(along)
    ]
    return fb.System([nacelle, hub, *blades], joints, winds, gravity=GRAVITY)


def links(length, mass, inertia, n=4) -> fb.System:
    """A hanging chain of links with these numbers."""
    bodies = [box(f"link {k}", mass, inertia, ((k + 0.5) * length, 0, 0)) for k in range(n)]
    ends = [fb.GROUND, *bodies]
    joints = [fb.Spherical(f"j {k}", ends[k], ends[k + 1], point=(k * length, 0, 0)) for k in range(n)]
    return fb.System(bodies, joints, gravity=GRAVITY)


def with_dummy(mass, inertia) -> fb.System:
    """A bar on a body that only carries an axis each of two joints."""
    bar, dummy = box("bar", 2.0, (0.01, 0.06, 0.06), (0.3, 0, 0)), box("dummy", mass, inertia)
    joints = [
        fb.Revolute("p", fb.GROUND, dummy, point=(0.1, 0, 0), axis="y"),
        fb.Revolute("q", dummy, bar, point=(-0.1, 0, 0), axis="z"),
    ]
    return fb.System([dummy, bar], joints, gravity=GRAVITY)


def driven_pendulum() -> fb.System:
    """Foucault's, 28 kg on 67 m, with a drive of 0.2 m at its top."""
    bob = box("bob", 28.0, 0.05)
    joint = fb.Spherical("wire", fb.GROUND, bob, point=(0, 0, 67.0))
    spring = fb.SpringDamper(
        "drive", fb.GROUND, bob, stiffness=1.0, first_point=(0.1, 0, 66.8), second_point=(0, 0, 66.8)
    )
    return fb.System([bob], [joint], [spring], gravity=GRAVITY)


def hanging(mass, inertia, depth, spread) -> fb.System:
    """A load below the middle between a joint and a spring, each on a body of its own."""
    load = box("load", mass, inertia, (0, 0, -depth))
    beams = [box("beam", 100.0, 10.0), box("other beam", 100.0, 10.0)]
    joints = [fb.Fixed(f"mount {k}", fb.GROUND, beam, point=(0, 0, 0)) for k, beam in enumerate(beams)]
    joints += [fb.Spherical("hanger", beams[0], load, point=(spread / 2, 0, 0))]
    spring = fb.SpringDamper(
        "spring", beams[1], load, stiffness=10.0, first_point=(-spread / 2, 0, 0.1),
        second_point=(-spread / 2, 0, 0),
    )  # fmt: skip
    return fb.System([*beams, load], joints, [spring], gravity=GRAVITY)


def reflected(inertia, mass) -> fb.System:
    """A motor's rotor of 0.1 m with its inertia behind a gear, and a link on its end."""
    rotor, link = box("rotor", mass, inertia, (0.05, 0, 0)), box("link", 5.0, 0.1, (0.5, 0, 0))
    joints = [
        fb.Revolute("motor", fb.GROUND, rotor, point=(0, 0, 0), axis="x"),
        fb.Revolute("flange", rotor, link, point=(0.1, 0, 0), axis="x"),
    ]
    return fb.System([rotor, link], joints, gravity=GRAVITY)


SANE = {
    "bob": lambda: hanging(10.0, 1e-4, 2.0, 0.15), "hook": lambda: hanging(1000.0, 1.0, 30.0, 1.0),
    "bob on close hangers": lambda: hanging(10.0, 1e-4, 2.0, 0.02), "far hook": lambda: hanging(1e3, 1.0, 90.0, 0.3),
    "reflected inertia": lambda: reflected(100.0, 1.0), "small motor": lambda: reflected(100.0, 0.1),
    "zoo": lambda: zoo.rigid(), "flexible": zoo.flexible, "cams": zoo.cams, "chain": lambda: chains.chain(3),
    "tree": lambda: chains.tree(3), "four-bars": lambda: chains.four_bars(2), "slider-crank": slider_crank,
    "tether": lambda: tether(thin), "balls": lambda: tether(lambda m, L: m * L**2 / 12),
    "thin tether": lambda: tether(thin, length=2500.0, density=0.002),
    "points": lambda: tether(lambda m, L: 1e-3, length=600.0, density=0.01),
    "crane": tower_crane, "large crane": lambda: tower_crane(200.0, 150.0), "turbine": wind_turbine,
    "micro": lambda: links(1e-4, 1.2e-11, 1e-20), "nano": lambda: links(1e-6, 1.2e-17, 1e-30),
    "points on links": lambda: links(1.0, 1.0, 1e-9), "on long links": lambda: links(20.0, 0.1, 1e-9),
    "dummy": lambda: with_dummy(1e-6, 1e-6), "tiny dummy": lambda: with_dummy(1e-9, 1e-9),
    "heavy dummy": lambda: with_dummy(1e-3, 1e-4), "pendulum": driven_pendulum,
}  # fmt: skip


@pytest.mark.parametrize("name", SANE)
def test_large_and_small_machines_are_taken(name):
    assert told(SANE[name]()) == []


@pytest.mark.parametrize("seed", range(4))
def test_random_machines_are_taken(seed):
    assert told(random_machines.random_machine(seed)) == []


def test_joints_and_forces_at_the_mass_centre_alone_are_taken():
    block = box("block", 1.0, 10.0)
    slide = fb.Prismatic("slide", fb.GROUND, block, point=(0, 0, 0), axis="x")
    mount = fb.Bushing("mount", fb.GROUND, block, stiffness=(1e3,) * 6, point=(0, 0, 0))
    assert told(fb.System([block], [slide], [mount])) == []
