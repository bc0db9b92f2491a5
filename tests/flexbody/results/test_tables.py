"""Quantities chosen by name, as columns of a table and as graphs."""

import csv
import re

import numpy as np
import pytest
from support.images import picture, shows_something

import flexbody as fb
import modal
from flexbody.results.quantity_hints import MEANINGS
from flexbody.results.tables import METHODS, quantity

RAM = fb.HydraulicCylinder(1e-4, 1e-4, flow=1e-6, bulk_modulus=1e7, start=1e5)


@pytest.fixture(scope="module")
def run():
    """A flexible arm on a driven hinge with a rigid slider on its end."""
    beam = modal.assumed.beam(0.5, mass=0.4, EI=100.0, polar_inertia=1e-4, y=modal.assumed.sines(2))
    arm = fb.FlexibleBody("arm", beam, place={"start": (0, 0, 0), "end": (0.5, 0, 0)}, damping_ratio=0.01)
    slider = fb.RigidBody("slider", 0.2, (1e-3,) * 3, center=(0.5, 0, 0), markers={"tip": (0.6, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, arm["start"], axis="z")
    guide = fb.Cylindrical("guide", arm["end"], slider, axis="x")
    motor = fb.Drive("motor", hinge, value=lambda t: 0.5 * np.sin(3 * t))
    forces = [
        fb.ForceElement("ram", fb.Line(fb.GROUND, arm["end"], first_point=(0.5, 0.3, 0)), RAM),
        fb.ForceElement("strut", fb.Along(guide, "slide"), fb.ViscoElastic(200.0, [(100.0, 0.05)])),
        fb.torsion_spring("twist", hinge, stiffness=3.0, damping=0.01),
        fb.Bushing("mount", slider, arm["end"], stiffness=(100.0, 0.0, 0.0, 1.0, 0.0, 0.0)),
        fb.Friction("rub", guide, load=0.1, which="angle"),
    ]
    system = fb.System([arm, slider], [hinge, guide, motor], forces, gravity=(0, -9.81, 0))
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
        "element": ("ram",),
    }.get(method, ("arm",))
    found = quantity(run, (method, *what))
    assert found.unit
    assert set(found.units) == set(found.columns)
    assert found.columns
    assert all(values.shape == run.t.shape for values in found.columns.values())


def test_force_elements(run):
    """Forces, deformations, states by name with their units, along an angle, a length and between two frames."""
    ram = run.element("ram")
    for wanted in ("ram", run.system.forces[0], ("element", "ram")):
        found = quantity(run, wanted)
        assert (found.name, found.unit) == ("force", "N")
        np.testing.assert_array_equal(found.columns["ram"], ram.force)
    pressure = quantity(run, ("element", "ram", "pressure"))
    assert (pressure.name, pressure.unit) == ("pressure", "Pa")
    np.testing.assert_array_equal(pressure.columns["ram"], ram["pressure"])
    # it pushes with the pressure on its area
    np.testing.assert_allclose(ram.force, -RAM.area * ram["pressure"], rtol=1e-12)
    assert (quantity(run, "twist").name, quantity(run, "twist").unit) == ("moment", "N m")
    assert (run.element("twist").units["rate"], run.element("rub").units["force"]) == ("rad/s", "N m")
    assert run.element("strut").units["stroke"] == "m"
    mount = quantity(run, "mount")
    assert (mount.units["mount x"], mount.units["mount about x"]) == ("N", "N m")
    both = quantity(run, ("element", "ram", "force", "pressure"))
    assert both.units == {"ram force": "N", "ram pressure": "Pa"}
    assert list(run.table("mount", ("element", "ram", "rate")).columns)[-1] == "rate ram (m/s)"
    with pytest.raises(fb.InputError, match=r"'ram' has no 'current'; it has 'force', .*'pressure'"):
        ram["current"]
    with pytest.raises(fb.InputError, match="no spring or force element 'arm'"):
        run.table(("element", "arm"))


def test_a_force_element_is_no_joint(run):
    """Its loads are in its own history, whose six components hold forces and moments."""
    with pytest.raises(
        fb.InputError, match=r"Bushing 'mount' is not a joint.*result\.element\('mount'\) gives"
    ):
        run.reaction("mount")
    with pytest.raises(AttributeError, match=r"ElementHistory has no 'moment'.*second\[:, 3:\]"):
        _ = run.element("mount").moment
    with pytest.raises(AttributeError, match=r"ElementHistory has no 'moment'; did you mean 'force'\?$"):
        _ = run.element("ram").moment


def test_loads(run):
    """What acts, in inertial components, also of one that turns with its body."""
    slider = run.system.body("slider")
    loads = [
        fb.PointForce("wind", slider, lambda t: (0.0, 2.0 * t, 0.0)),
        fb.PointMoment("twist", slider, (0.0, 1.0, 0.0), follows=True),
    ]
    result = fb.simulate(fb.System([slider], [], loads), 0.1, step=1e-2)
    wind, twist = quantity(result, "wind"), quantity(result, loads[1])
    assert (wind.unit, twist.unit) == ("N", "N m")
    np.testing.assert_allclose(wind.columns["wind y"], 2.0 * result.t, rtol=1e-15)
    np.testing.assert_allclose(twist.columns["twist x"], result.rotation("slider")[:, 0, 1], rtol=1e-12)


def test_a_plot_of_a_force_element(run):
    figure = fb.plot(run.element("ram"))
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels[:4] == ["force\n(N)", "deformation\n(m)", "rate\n(m/s)", "pressure\n(MPa)"]
    np.testing.assert_allclose(figure.axes[3].lines[0].get_ydata(), 1e-6 * run.element("ram")["pressure"])
    # six deformations: lengths and angles in graphs of their own
    labels = [ax.get_ylabel().split("\n")[-1] for ax in fb.plot(run.element("mount")).axes]
    assert [label[-3:] for label in labels[:2]] == ["(N)", " m)"]  # small moments have a prefix
    with pytest.raises(fb.InputError, match="leave show= out"):
        fb.plot(run.element("ram"), show=["ram"])


def test_the_plot_of_a_run_holds_all_forces(run):
    labels = [ax.get_ylabel() for ax in fb.plot(run).axes]
    assert labels == [
        "deflection from\nthe chord\n(mm)",
        "coordinate\n(rad)",
        "coordinate\n(mm)",
        "reaction\nforces\n(N)",
        "drive\nmoments\n(N m)",
        "element\nforces\n(N)",
        "element\nmoments\n(N m)",
        "energy\n(J)",
        "energy balance\n(relative)",
    ]


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
    with pytest.raises(fb.InputError, match=r"no column 'speed'; it has 'time \(s\)'"):
        table["speed"]


def test_plots_of_what_one_asks_for(run, tmp_path):
    figure = fb.plot(
        run,
        tmp_path / "run.png",
        show=[
            ["hinge", ("coordinate_rate", "hinge"), "guide"],
            ("displacement", "arm", "middle"),
            "motor",
            "energy",
        ],
    )
    assert shows_something(picture(tmp_path / "run.png"))
    axes = figure.axes
    assert [ax.get_ylabel() for ax in axes] == [
        "coordinate\n(rad)",
        "coordinate rate\n(rad/s)",
        "coordinate\n(mm)",
        "displacement\nin the body's frame\n(mm)",
        "reaction moment\n(N m)",
        "energy\n(J)",
    ]
    # metres are drawn as millimetres; what is named is drawn, also curves that stay zero, which share an entry
    drawn = {line.get_label(): line.get_ydata() for line in axes[3].lines}
    assert [name for name in drawn if name[0] != "_"] == ["arm middle x\narm middle z", "arm middle y"]
    assert len(drawn) == 3
    np.testing.assert_allclose(drawn["arm middle y"], 1e3 * run.displacement("arm", "middle")[:, 1])


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        (
            "moment",
            "('moment', 'hinge'), the reaction moment of a joint? There are the joints 'hinge', 'guide'",
        ),
        ("reaction moment of guide", "('moment', 'guide'), the reaction moment of a joint?"),
        ("velocitiy", "('velocity', 'arm'), the velocity of a body? There are the bodies 'arm', 'slider'"),
        ("alpha", "('alpha', 'arm'), the modal coordinates of the flexible body?"),
        ("element", "('element', 'ram'), the force of a force element?"),
        ("energies", "'energy'?"),
    ],
)
def test_what_is_asked_without_its_owner_is_told_with_it(run, asked, meant):
    for show in (asked, [asked]):
        with pytest.raises(fb.InputError, match=rf"did you mean {re.escape(meant)}"):
            fb.plot(run, show=show)


def test_every_method_has_its_words():
    assert list(MEANINGS) == list(METHODS)


def test_bad_requests(run):
    with pytest.raises(
        fb.InputError,
        match=r"no body, joint or force 'hinges' \(did you mean 'hinge'\?\); it has 'arm', 'slider', 'hinge'.*'energy'",
    ):
        run.table("hinges")
    with pytest.raises(
        fb.InputError,
        match=r"'veloctiy' \(did you mean 'velocity'\?\) is neither.*What.*'body_energy', 'element'$",
    ):
        run.table(("veloctiy", "arm"))
    with pytest.raises(fb.InputError, match=r"fb\.plot_stress\(result\) plots the largest"):
        fb.plot(run, show=[("stress", "arm")])
    with pytest.raises(fb.InputError, match=r"a method of a result\. What can be shown"):
        run.table(("wind speed", "arm"))
    with pytest.raises(fb.InputError, match=r"has no body or joint 'chord'.*'arm', 'slider'.*'hinge'"):
        run.velocity("slider", relative_to="chord")
    with pytest.raises(fb.InputError, match=r"\('velocity',\) has no argument"):
        run.table(("velocity",))
    with pytest.raises(fb.InputError, match=r"velocity.*unexpected keyword argument 'base'"):
        run.table(("velocity", "arm", {"base": "arm"}))
    with pytest.raises(fb.InputError, match=r"'mine' has the shape \(3,\)"):
        run.table({"mine": [1, 2, 3]})
    with pytest.raises(fb.InputError, match=r"show=\[\('velocity', 'arm'\)\]"):
        fb.plot(run, show=("velocity", "arm"))
    for show in ("hinge", ("velocity", "arm"), []):
        with pytest.raises(fb.InputError, match="give a list of quantities"):
            fb.plot(run, show=show)
