"""Numbers in other units than SI are told before a run: a machine of two bars with one wrong number."""

import warnings

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


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"joint": fb.Prismatic, "drive": {"rate": 1700.0}},  # a projectile
        {"drive": {"rate": 6000.0}},  # a turbine of 0.15 m at 57 000 rpm: 900 m/s
        {"mass": 1e7, "inertia": (6e9, 6e9, 6e9)},  # a ship of 24.5 m
        {"inertia": (1e-9, 1e-9, 1e-9)},  # as good as a point
        {"inertia": (20.0, 20.0, 30.0)},  # a large wheel on a small crank: 5.8 m
        {"center": (10.0, 0, 0), "drive": {"value": 0.3}},  # a long pendulum
        {"drive": {}, "turns": (0, 9550.0, 0)},  # 955 m/s
        {"drive": {"value": 0.3}},
    ],
)
def test_unusual_numbers_are_taken(right):
    assert said(**right) == []
