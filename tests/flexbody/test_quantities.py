"""Quantities chosen by name, as columns of a table and as graphs."""

import csv

import numpy as np
import pytest

import flexbody as fb
import modal
from fem.common.errors import InputError
from flexbody.quantities import METHODS, quantity


@pytest.fixture(scope="module")
def run():
    """A flexible arm on a driven hinge with a rigid slider on its end."""
    beam = modal.assumed.beam(0.5, mass=0.4, EI=100.0, polar_inertia=1e-4, y=modal.assumed.sines(2))
    arm = fb.FlexibleBody("arm", beam, place={"start": (0, 0, 0), "end": (0.5, 0, 0)}, damping_ratio=0.01)
    slider = fb.RigidBody("slider", 0.2, (1e-3,) * 3, (0.5, 0, 0), markers={"tip": (0.6, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, arm["start"], axis="z")
    guide = fb.Cylindrical("guide", arm["end"], slider, axis="x")
    motor = fb.Drive("motor", hinge, angle=lambda t: 0.5 * np.sin(3 * t))
    system = fb.System([arm, slider], [hinge, guide, motor], gravity=(0, -9.81, 0))
    return fb.simulate(system, 0.2, step=2e-3)


def test_objects_stand_for_what_one_wants_to_see(run):
    slider = run.system.body("slider")
    for wanted in ("hinge", run.system.joint("hinge")):
        found = quantity(run, wanted)
        assert (found.name, found.unit, list(found.columns)) == ("coordinate", "rad", ["hinge"])
        np.testing.assert_array_equal(found.columns["hinge"], run.coordinate("hinge"))
    assert quantity(run, "guide").unit == "rad, m"
    assert list(quantity(run, "guide").columns) == ["guide angle", "guide slide"]
    assert list(quantity(run, ("coordinate_rate", "guide", "slide")).columns) == ["guide slide"]
    motor = quantity(run, "motor")
    assert (motor.name, motor.unit) == ("reaction moment", "N m")
    np.testing.assert_array_equal(motor.columns["motor z"], run.reaction("motor").moment[:, 2])
    for wanted in ("slider", slider):
        np.testing.assert_array_equal(quantity(run, wanted).columns["slider x"], run.position("slider")[:, 0])
    np.testing.assert_array_equal(
        quantity(run, slider["tip"]).columns["slider tip y"], run.position(slider["tip"])[:, 1]
    )


@pytest.mark.parametrize("method", METHODS)
def test_every_method(run, method):
    """Arrays (nt,) with a unit, by object and by name."""
    what = {
        "displacement": ("arm", "middle"),
        "coordinate": ("hinge",),
        "coordinate_rate": ("hinge",),
        "coordinate_acceleration": ("hinge",),
        "reaction": ("hinge",),
        "moment": ("hinge",),
    }.get(method, ("arm",))
    found = quantity(run, (method, *what))
    assert found.unit
    assert found.columns
    assert all(values.shape == run.t.shape for values in found.columns.values())


def test_options(run):
    found = quantity(run, ("acceleration", "slider", {"frame": "arm", "relative_to": "arm"}))
    expected = run.acceleration("slider", frame="arm", relative_to="arm")
    np.testing.assert_array_equal(found.columns["slider (base of arm) z"], expected[:, 2])


def test_energies(run):
    columns = quantity(run, "energy").columns
    np.testing.assert_array_equal(columns["kinetic"], run.energy.kinetic)
    assert columns["potential"][0] == 0
    assert np.abs(quantity(run, "balance").columns["balance"]).max() == pytest.approx(
        run.energy.balance_error
    )


def test_table(run, tmp_path):
    table = run.table("hinge", ("velocity", ("slider", "tip")), {"twice": 2 * run.t})
    path = table.save(tmp_path / "run.csv")
    with path.open() as file:
        rows = list(csv.reader(file))
    assert rows[0] == [
        "time (s)",
        "coordinate hinge (rad)",
        "velocity slider tip x (m/s)",
        "velocity slider tip y (m/s)",
        "velocity slider tip z (m/s)",
        "twice",
    ]
    numbers = np.array(rows[1:], dtype=float)
    np.testing.assert_array_equal(numbers[:, 0], run.t)
    np.testing.assert_array_equal(numbers[:, 3], run.velocity(("slider", "tip"))[:, 1])
    np.testing.assert_array_equal(table["twice"], 2 * run.t)
    with pytest.raises(InputError, match=r"no column 'speed'; it has 'time \(s\)'"):
        table["speed"]


def test_plots_of_what_one_asks_for(run, tmp_path):
    figure = fb.plot(
        run,
        tmp_path / "run.png",
        show=[["hinge", ("coordinate_rate", "hinge")], ("displacement", "arm", "middle"), "motor", "energy"],
    )
    assert (tmp_path / "run.png").stat().st_size > 10000
    axes = figure.axes
    assert [ax.get_ylabel() for ax in axes] == [
        "coordinate, coordinate rate\n(rad, rad/s)",
        "displacement\n(mm)",
        "reaction moment\n(N m)",
        "energy\n(J)",
    ]
    # metres are drawn as millimetres, curves that stay zero not at all
    labels = [line.get_label() for line in axes[1].lines]
    assert labels == ["arm middle y"]
    np.testing.assert_allclose(axes[1].lines[0].get_ydata(), 1e3 * run.displacement("arm", "middle")[:, 1])


def test_bad_requests(run):
    with pytest.raises(
        InputError, match=r"no body or joint 'hinges'; it has 'arm', 'slider', 'hinge'.*'energy'"
    ):
        run.table("hinges")
    with pytest.raises(InputError, match=r"\('velocity',\) names nothing"):
        run.table(("velocity",))
    with pytest.raises(InputError, match=r"velocity.*unexpected keyword argument 'base'"):
        run.table(("velocity", "arm", {"base": "arm"}))
    with pytest.raises(InputError, match=r"'mine' has the shape \(3,\)"):
        run.table({"mine": [1, 2, 3]})
    for show in ("hinge", ("velocity", "arm"), []):
        with pytest.raises(InputError, match="give a list of what is to be shown"):
            fb.plot(run, show=show)
