"""A run as an xarray Dataset."""

import sys

import numpy as np
import pytest
from support.cloud import Cloud

import flexbody as fb


@pytest.fixture(scope="module")
def swinging():
    top = fb.RigidBody("top", 2.0, (0.2, 0.3, 0.4), center=(0.2, 0, 0), markers={"tip": (0.4, 0.1, 0.0)})
    reduced = Cloud.random(np.random.default_rng(11), modes=3).body()
    rod = fb.FlexibleBody("rod", reduced, origin=(0.4, 0.1, 0), alpha=(0.02, 0, -0.01))
    joints = [
        fb.Revolute("foot", fb.GROUND, top, point=(0, 0, 0), axis="y"),
        fb.Spherical("hinge", top, rod["p"]),
    ]
    forces = [
        fb.ForceElement("motor", fb.Along(joints[0]), fb.ElectricMotor(0.1, 1.0, 0.01, voltage=2.0)),
        fb.Bushing("mount", fb.GROUND, top, stiffness=(10.0, 10.0, 10.0, 1.0, 1.0, 1.0), point=(0.2, 0, 0)),
    ]
    return fb.simulate(fb.System([top, rod], joints, forces, gravity=(0, 0, -9.81)), 0.02, step=2e-4)


def test_everything_is_there_by_name(swinging):
    pytest.importorskip("xarray")
    data = swinging.to_xarray()
    np.testing.assert_array_equal(data.time, swinging.t)
    vectors = ("position", "velocity", "acceleration", "angular_velocity", "angular_acceleration")
    for name in (*vectors, "euler"):
        for body in ("top", "rod"):
            np.testing.assert_array_equal(data[name].sel(body=body), getattr(swinging, name)(body))
    np.testing.assert_array_equal(data.alpha_rod, swinging.alpha("rod"))
    np.testing.assert_array_equal(data.alpha_dot_rod, swinging.alpha_dot("rod"))
    rod = swinging.system.body("rod")
    for name in rod.reduced.markers:
        np.testing.assert_array_equal(
            data.marker_position.sel(marker=f"rod/{name}"), swinging.position(rod[name])
        )
    np.testing.assert_array_equal(data.reaction_force.sel(joint="hinge"), swinging.reaction("hinge").force)
    np.testing.assert_array_equal(
        data.reaction_moment.sel(joint="foot", axis="y"), swinging.reaction("foot").moment[:, 1]
    )
    np.testing.assert_array_equal(data.angle_foot, swinging.coordinate("foot", "angle"))
    np.testing.assert_array_equal(data.angle_rate_foot, swinging.coordinate_rate("foot", "angle"))
    motor, mount = swinging.element("motor"), swinging.element("mount")
    np.testing.assert_array_equal(data.current_motor, motor["current"])
    assert (data.current_motor.attrs["units"], data.force_motor.attrs["units"]) == ("A", "N m")
    np.testing.assert_array_equal(data.element_moment.sel(element="motor"), motor.second[:, 3:])
    np.testing.assert_array_equal(data.force_mount.sel(component="about y"), mount.force[:, 4])
    np.testing.assert_array_equal(data.energy_strain, swinging.energy.strain)
    assert all("units" in data[name].attrs for name in data.data_vars)
    assert data.angle_foot.attrs["units"] == "rad"
    assert data.time.attrs["units"] == "s"


def test_a_body_alone(swinging):
    pytest.importorskip("xarray")
    alone = fb.simulate(fb.System([swinging.system.body("top")]), 0.01, step=1e-3).to_xarray()
    assert "reaction_force" not in alone
    assert alone.position.sizes == {"time": len(alone.time), "body": 1, "axis": 3}


def test_without_the_package(swinging, monkeypatch):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(fb.InputError, match="pip install xarray"):
        swinging.to_xarray()


def test_gears_and_constraints_are_there_too():
    """What a gear carries is a moment: in the table by itself, and in the dataset beside the joints'."""
    pytest.importorskip("xarray")
    wheels = [
        fb.RigidBody(name, 1.0, (0.1, 0.1, 0.1), center=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0))
    ]
    hinges = [fb.Revolute(f"at {w.name}", fb.GROUND, w, point=w.center, axis="z") for w in wheels]
    gear = fb.Gear("gear", *hinges, ratio=2.0)
    held = fb.Constraint("held", [wheels[0]], position=lambda t, a: a.r[0] + 0.0 * t)
    push = fb.PointMoment("push", wheels[0], (0, 0, 1.0))
    with pytest.warns(fb.RedundantConstraintWarning, match="'at a'.*'held'"):
        result = fb.simulate(fb.System(wheels, [*hinges, gear, held], [push]), 0.01, step=1e-3)
    data = result.to_xarray()
    moment = result.reaction(gear).moment[:, 2]
    # wheel b, half as fast, takes J w./2 of the push: 1 = J w. + M/2 and |M| = J w./2
    np.testing.assert_allclose(abs(moment), 0.4, rtol=1e-9)
    np.testing.assert_array_equal(data.reaction_moment.sel(joint="gear", axis="z"), moment)
    assert "held" in data.joint
    np.testing.assert_array_equal(result.table("gear")["reaction moment gear z (N m)"], moment)
