"""Numbers in other units than SI are told before a run: a machine of two bars with one wrong number."""

import warnings

import numpy as np
import pytest

import flexbody as fb

RIGHT = dict(inertia=(1e-4, 2e-3, 2e-3), center=(0.05, 0, 0), drive={"rate": 150.0})


def said(**other) -> list[str]:
    its = RIGHT | other
    mass, turns = its.get("mass", 0.9), its.get("turns", (0, 0, 0))
    crank = fb.RigidBody("crank", mass, its["inertia"], center=its["center"], angular_velocity=turns)
    rod = fb.RigidBody("rod", 0.9, (1e-4, 2e-3, 2e-3), center=(0.3, 0, 0))
    main = its.get("joint", fb.Revolute)("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    pin = fb.Revolute("pin", crank, rod, point=(0.15, 0, 0), axis="y")
    drives = [fb.Drive("motor", main, **its["drive"])] if its["drive"] else []
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        fb.Stepper(fb.System([crank, rod], [main, pin, *drives]), step=1e-4)  # the start is enough
    return [str(one.message) for one in found]


@pytest.mark.parametrize(
    ("wrong", "number", "mend"),
    [
        # 2e-3 kg m^2 in kg mm^2, so sqrt(2000 / 0.9) m; 300 mm; 3000 rpm of 2.3 m; 150 degrees
        (
            {"inertia": (100.0, 2000.0, 2000.0)},
            "a radius of gyration of 47.1 m",
            "kg mm^2, multiply it by 1e-6",
        ),
        ({"center": (50.0, 0, 0)}, "is 49.85 m from its joints and forces", "in mm, divide it by 1000"),
        ({"drive": {"rate": 9550.0}}, "0.15 m from the axis moves at 1432 m/s", r"rpm, multiply it by pi/30"),
        (
            {"drive": {}, "turns": (0, 10500.0, 0)},
            "0.1 m from the axis moves at 1050 m/s",
            "rpm, multiply it by pi/30",
        ),
    ],
)
def test_other_units(wrong, number, mend):
    found = said(**wrong)
    assert len(found) == 1
    assert number in found[0]
    assert mend in found[0]


def test_a_machine_drawn_in_mm_that_turns():
    """50 mm as 50 m at 150 rad/s: 7500 m/s. The rate is right; of a short arm nothing is said of lengths."""
    crank = fb.RigidBody("crank", 0.9, (1e-4, 2e-3, 2e-3), center=(50, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    with pytest.warns(
        fb.FlexbodyWarning, match=r"7500 m/s\. Lengths are in m; if they are in mm, divide them"
    ):
        fb.Stepper(fb.System([crank], [main, fb.Drive("motor", main, rate=150.0)]), step=1e-4)
    (short,) = said(drive={"rate": 9550.0})
    assert "Lengths" not in short


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"joint": fb.Prismatic, "drive": {"rate": 1700.0}},  # a projectile
        {"drive": {"rate": 6000.0}},  # a turbine of 0.15 m at 57 000 rpm: 900 m/s
        {"mass": 1e7, "inertia": (6e9, 6e9, 6e9), "drive": {"value": 0.3}},  # a ship of 24.5 m
        {"inertia": (1e-9, 1e-9, 1e-9)},  # as good as a point
        {"inertia": (20.0, 20.0, 30.0)},  # a large wheel on a small crank: 5.8 m
        {"center": (10.0, 0, 0), "drive": {"value": 0.3}},  # a long pendulum
        {"drive": {}, "turns": (0, 9550.0, 0)},  # 955 m/s
        {"drive": {"value": 0.3}},
    ],
)
def test_unusual_numbers_are_taken(right):
    assert said(**right) == []


def told(bodies, joints, forces=()) -> list[str]:
    """What is told of the units of a machine at its start."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        fb.Stepper(fb.System(bodies, joints, list(forces)), step=1e-4)
    return [str(one.message) for one in found if "Lengths are in m" in str(one.message)]


def two_bars(pin=(0.15, 0, 0), tip=(0.45, 0, 0), first=(0.3, 0, 0.4), **spring) -> list[str]:
    """A crank and a rod, with a spring from the ground to the rod's tip, 0.43 m long."""
    crank = fb.RigidBody("crank", 0.9, (1e-4, 2e-3, 2e-3), center=(0.05, 0, 0))
    rod = fb.RigidBody("rod", 0.9, (1e-4, 2e-3, 2e-3), center=(0.3, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    pin = fb.Revolute("pin", crank, rod, point=pin, axis="y")
    one = fb.SpringDamper(
        "spring", fb.GROUND, rod, stiffness=10.0, first_point=first, second_point=tip, **spring
    )
    return told([crank, rod], [main, pin], [one])


@pytest.mark.parametrize(
    ("wrong", "name", "mend"),
    [
        ({"pin": (150.0, 0, 0)}, "'pin': its point (150, 0, 0) m is 149.9 m", "this point is in mm"),
        ({"tip": (450.0, 0, 0)}, "'spring': its point (450, 0, 0) m is 449.7 m", "this point is in mm"),
        ({"free_length": 400.0}, "'spring': free_length is 400 m, and its ends are drawn 0.4272", "in mm"),
        (
            {"first": (300.0, 0, 400.0), "free_length": 0.4},
            "its ends are drawn 499.7 m apart",
            "its points are in mm",
        ),
    ],
)
def test_lengths_in_mm(wrong, name, mend):
    found = two_bars(**wrong)
    assert len(found) == 1
    assert name in found[0]
    assert mend in found[0]


def test_all_points_in_mm_are_told():
    found = two_bars(pin=(150.0, 0, 0), tip=(450.0, 0, 0), first=(300.0, 0, 400.0))
    assert [one.split("'")[1] for one in found] == ["pin", "spring"]


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"free_length": 0.4},
        {"free_length": 0.0},  # a spring that balances a weight
        {"free_length": 1e-3},
        {"first": (0.45, 0, 5e-4), "free_length": 0.3},  # drawn as good as closed
        {"first": (0.45, 0, 400.0)},  # a cable of 400 m
        {"first": (0.45, 0, 400.0), "free_length": 399.0},
        {"tip": (20.0, 0, 0)},  # a long light arm
    ],
)
def test_unusual_lengths_are_taken(right):
    assert two_bars(**right) == []


def bodies_at(*places, inertia=1e-2, mass=1.0):
    return [fb.RigidBody(f"body {k}", mass, (inertia,) * 3, center=place) for k, place in enumerate(places)]


def tether() -> list[str]:
    """Two small satellites on a tether of 20 km, which has points on both and is longer than it is drawn."""
    one, other = bodies_at((0, 0, 0), (0, 0, 2e4), inertia=10.0, mass=300.0)
    rope = fb.SpringDamper(
        "tether", one, other, stiffness=5.0, free_length=19_990.0, second_point=(0, 0, 2e4 - 0.3)
    )
    return told([one, other], [], [rope])


def deployed() -> list[str]:
    """Two satellites beside each other, whose tether of 1 km lies slack; it does not push."""
    one, other = bodies_at((0, 0, 0), (0, 0, 1.0), inertia=10.0, mass=300.0)
    rope = fb.ForceElement(
        "tether", fb.Line(one, other, free_length=1000.0),
        fb.UserLaw(lambda t, x, rate: 5.0 * np.maximum(x, 0.0)),
    )  # fmt: skip
    return told([one, other], [], [rope])


def crane() -> list[str]:
    """A trolley of 1 m, 80 m above a load on four ropes, and a hook that is a point."""
    trolley, load, hook = bodies_at((0, 0, 80), (0, 0, 0), (0, 0, 1), inertia=1.0, mass=1e3)
    rail = fb.Prismatic("rail", fb.GROUND, trolley, point=(0, 0, 80), axis="x")
    sling = fb.Spherical("sling", hook, load, point=(0, 0, 0.5))
    ropes = [
        fb.SpringDamper(
            f"rope {k}",
            trolley,
            hook,
            stiffness=1e6,
            free_length=78.9,
            first_point=(x, y, 80),
            second_point=(0, 0, 1),
        )
        for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])
    ]
    return told([trolley, load, hook], [rail, sling], ropes)


def pendulum() -> list[str]:
    """Foucault's: 28 kg on 67 m, whose ball of 0.1 m is the only body; drawn with the ball at the origin."""
    (ball,) = bodies_at((0, 0, 0), inertia=0.05, mass=28.0)
    return told([ball], [fb.Spherical("wire", fb.GROUND, ball, point=(0, 0, 67.0))])


def ship() -> list[str]:
    """A hull of 200 m with a governor of 0.1 m on its bridge, moored 500 m away."""
    hull = fb.RigidBody("hull", 5e7, (5e9, 1e11, 1e11))
    governor = fb.RigidBody("governor", 0.1, (1e-4,) * 3, center=(-80.0, 0, 20))
    pivot = fb.Revolute("pivot", hull, governor, point=(-80.0, 0, 20.05), axis="y")
    chain = fb.SpringDamper(
        "chain", fb.GROUND, hull, stiffness=1e5, first_point=(600, 0, -50), second_point=(100, 0, 0)
    )
    return told([hull, governor], [pivot], [chain])


def boom() -> list[str]:
    """A station with a boom of 100 m, on whose end a thruster pushes; a wheel of 0.3 m turns in it."""
    station = fb.RigidBody("station", 2000.0, (500.0, 3e5, 3e5))
    wheel = fb.RigidBody("wheel", 20.0, (0.1, 0.1, 0.2), center=(0.2, 0, 0))
    axle = fb.Revolute("axle", station, wheel, point=(0.2, 0, 0), axis="z")
    return told(
        [station, wheel], [axle], [fb.PointForce("thruster", station, (0, 1.0, 0), point=(100.0, 0, 0))]
    )


def pendulums() -> list[str]:
    """Two balls on light rods of 30 m, 0.2 m apart, with a spring between them."""
    balls = bodies_at((0, 0, 0), (0.2, 0, 0), mass=10.0)
    hinges = [
        fb.Revolute(f"hinge {k}", fb.GROUND, ball, point=(0.2 * k, 0, 30.0), axis="y")
        for k, ball in enumerate(balls)
    ]
    return told(balls, hinges, [fb.SpringDamper("spring", *balls, stiffness=10.0, free_length=0.2)])


def far_apart() -> list[str]:
    """Two balls on light rods of 70 m, 0.2 m apart."""
    balls = bodies_at((0, 0, 0), (0.2, 0, 0), mass=10.0)
    return told(
        balls,
        [
            fb.Revolute(f"hinge {k}", fb.GROUND, ball, point=(0.2 * k, 0, 70.0), axis="y")
            for k, ball in enumerate(balls)
        ],
    )


def tethered() -> list[str]:
    """A satellite with a probe on a tether of 100 m that is pulled out of 0.4 m."""
    satellite, probe = bodies_at((0, 0, 0), (0.3, 0, 0), mass=10.0)
    arm = fb.Fixed("arm", satellite, probe, point=(0.3, 0, 0))
    rope = fb.SpringDamper(
        "tether", fb.GROUND, satellite, stiffness=10.0, free_length=0.4, first_point=(0, 0, 100.0)
    )
    return told([satellite, probe], [arm], [rope])


def balanced() -> list[str]:
    """A spring of 1 m with a free length of 2 mm, nearly none, that holds a small weight."""
    (weight,) = bodies_at((0, 0, 0), inertia=1e-5)
    spring = fb.SpringDamper(
        "spring", fb.GROUND, weight, stiffness=10.0, free_length=0.002, first_point=(0, 0, 1.0)
    )
    return told([weight], [], [spring])


LONG = [tether, deployed, crane, pendulum, ship, boom, pendulums, far_apart, tethered, balanced]


@pytest.mark.parametrize("machine", LONG)
def test_machines_with_long_parts_are_taken(machine):
    assert machine() == []
