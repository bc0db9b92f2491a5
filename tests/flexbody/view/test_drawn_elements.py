"""What bearings, preloads, moments and wheels on one shaft look like in pictures and plots."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.model.forces import Symbol
from flexbody.view.geometry import colours
from flexbody.view.geometry.motion import Motion
from flexbody.view.symbols.connectors import look_of, parts_of_element
from flexbody.view.symbols.gears import train, wheels_of
from flexbody.view.symbols.sketch import Sketch


def shaft(stiffness, spin=0.0):
    """A shaft along x in two bushings, after a tenth of a second."""
    body = fb.RigidBody("shaft", 6.0, (0.03, 0.05, 0.05), angular_velocity=(spin, 0, 0))
    holds = [
        fb.Bushing(f"b{k}", fb.GROUND, body, stiffness=stiffness, damping=6 * [0.0], point=(x, 0, 0))
        for k, x in enumerate((-0.2, 0.2))
    ]
    return fb.simulate(fb.System([body], forces=holds), 0.1, show_progress=False)


@pytest.mark.parametrize(
    ("stiffness", "spin", "bearing"),
    [
        ([1e6, 4e5, 4e5, 0, 1e3, 1e3], 0.0, True),  # also at rest
        ([1e6, 4e5, 4e5, 0, 0, 0], 60.0, True),  # one turn in the run
        ([0, 4e5, 4e5, 0, 0, 0], 60.0, True),
        ([1e6, 4e5, 4e5, 0, 0, 0], 0.0, False),  # a mount of an engine may have no stiffness about its axes
        ([1e6, 4e5, 4e5, 10, 1e3, 1e3], 0.0, False),
        ([0, 4e5, 0, 0, 1e3, 1e3], 0.0, False),  # it carries no shaft
    ],
)
def test_a_bushing_that_carries_a_shaft_is_drawn_as_a_bearing(stiffness, spin, bearing):
    result = shaft(stiffness, spin)
    sketch = Sketch(result, Motion(result), 1.0)
    looks = [part.colour for part in parts_of_element(sketch, result.system.elements[0])]
    assert (colours.RUBBER in looks) != bearing
    rings = [
        part for part in parts_of_element(sketch, result.system.elements[0]) if part.colour == colours.STEEL
    ]
    assert len(rings) == bearing
    for ring in rings:  # around the shaft, between its own radius and the outer ring
        points = ring.points(sketch.samples[0])
        assert np.ptp(points, axis=0)[1] > 1.5 * np.ptp(points, axis=0)[0]


def test_a_preload_is_no_actuator():
    names = [
        [symbol.name for symbol in law.symbols]
        for law in (
            fb.Linear(50.0, force=3.0),
            fb.Linear(50.0, 1.0, force=3.0),
            fb.Linear(force=3.0),
            fb.Linear(50.0, force=lambda t: 3.0 * t),
        )
    ]
    assert names == [["spring"], ["spring", "damper"], ["element"], ["spring", "actuator"]]
    assert not look_of((Symbol("element"),)).motor


def test_moments_are_called_moments():
    result = shaft([1e6, 4e5, 4e5, 10, 1e3, 1e3], 0.0)
    axes = fb.plot(result, show=["b0"]).axes
    assert [ax.get_ylabel().split()[0] for ax in axes] == ["force", "moment"]
    labels = [label for label in result.table("b0").columns if label.endswith("(N m)")]
    assert len(labels) == 3
    assert all(label.startswith("moment b0") for label in labels)


@pytest.mark.parametrize("options", [{}, {"period": 0.01}], ids=["collocated", "sampled"])
def test_default_plots_show_what_controllers_do(options):
    """The torque is that of the PID law, 50 (0.5 - angle), at the start 25 Nm."""
    arm = fb.RigidBody("arm", 2.0, (0.01, 0.1, 0.1), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="y")
    place = fb.Along(hinge)
    servo = fb.Controller("servo", place, fb.PID(kp=50.0), acts_on=place, target=0.5, **options)
    result = fb.simulate(fb.System([arm], [hinge], [servo]), 0.1, show_progress=False)
    graph = next(ax for ax in fb.plot(result).axes if "moments" in ax.get_ylabel())
    (line,) = graph.lines
    assert line.get_label() == "servo"
    assert line.get_ydata()[0] == pytest.approx(25.0, rel=1e-9)


def test_both_wheels_of_a_pair_are_in_one_plane():
    """Two stages: the wheels of the second one are at the height of the output shaft, that of the middle shaft too."""
    places = {"input": (0, 0, 0), "middle": (0.12, 0, 0), "output": (0.22, 0, 0.06)}
    bodies = [fb.RigidBody(name, 1.0, (1e-3, 1e-3, 2e-3), center=at) for name, at in places.items()]
    a, b, c = (
        fb.Revolute(f"{body.name} bearing", fb.GROUND, body, point=places[body.name], axis="z")
        for body in bodies
    )
    gears = [fb.Gear("stage 1", a, b, ratio=2.0), fb.Gear("stage 2", b, c, ratio=1.5)]
    drive = fb.Drive("drive", a, rate=1.0)
    result = fb.simulate(fb.System(bodies, [a, b, c, *gears, drive]), 0.1, show_progress=False)
    sketch = Sketch(result, Motion(result), 1.0)
    wheels, _ = train(sketch)
    heights = [
        (
            joint.name.split()[0],
            round(wheel.radius, 9),
            round(float(wheel.center[2] + places[joint.name.split()[0]][2]), 9),
        )
        for joint, wheel in wheels
    ]
    assert sorted(heights) == [
        ("input", 0.04, 0.0), ("middle", 0.04, 0.06), ("middle", 0.08, 0.0), ("output", 0.06, 0.06)
    ]  # fmt: skip


def test_the_smaller_of_two_wheels_in_one_plane_is_seen():
    """A shaft with wheels of 80 and 40 mm at one place: faces in one plane would hide the smaller wheel."""
    places = ((0, 0, 0), (0.12, 0, 0), (0.12, 0.1, 0))
    bodies = [fb.RigidBody(f"shaft {k}", 1.0, (1e-3, 1e-3, 2e-3), center=at) for k, at in enumerate(places)]
    a, b, c = (
        fb.Revolute(f"bearing {k}", fb.GROUND, body, point=at, axis="z")
        for k, (body, at) in enumerate(zip(bodies, places, strict=True))
    )
    gears = [fb.Gear("stage 1", a, b, ratio=2.0), fb.Gear("stage 2", b, c, ratio=1.5)]
    drive = fb.Drive("drive", a, rate=1.0)
    result = fb.simulate(fb.System(bodies, [a, b, c, *gears, drive]), 0.1, show_progress=False)
    large, small = (points for points, _ in wheels_of(Sketch(result, Motion(result), 1.0), "shaft 1"))
    assert np.linalg.norm(small, axis=1).max() < 0.6 * np.linalg.norm(large, axis=1).max()
    assert small[:, 2].max() > large[:, 2].max() + 1e-4
    assert small[:, 2].min() < large[:, 2].min() - 1e-4
