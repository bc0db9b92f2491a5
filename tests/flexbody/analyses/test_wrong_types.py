"""Whatever is given in the wrong place, an error of our own says so in a few lines; none of Python's come through."""

import math
import warnings

import numpy as np
import pytest
from support.hinged import bar, hinge, rod

import flexbody as fb

BODY = bar()
HINGE = hinge(BODY)
GROUND = fb.GROUND

#: what no argument here can be, or only by chance
WRONG = [
    "x",
    3.5,
    (1, 2),
    [],
    {},
    BODY,
    HINGE,
    fb.Linear(1.0),
    np.zeros(3),
    math.nan,
    fb.Revolute,
    None,
    True,
]


def machine(*forces, joints=()) -> fb.System:
    return fb.System([BODY], [HINGE, *joints], list(forces))


@pytest.fixture(scope="module")
def run():
    return fb.simulate(machine(), 0.02, step=1e-2)


def line(**options) -> fb.Line:
    return fb.Line(GROUND, BODY, first_point=(0, 1, 0), **options)


#: descriptions, each with an argument that is wrong
DESCRIPTIONS = {
    "bodies": lambda x: fb.System(x),
    "joints": lambda x: fb.System([BODY], x),
    "a joint": lambda x: fb.System([BODY], [x]),
    "forces": lambda x: fb.System([BODY], [HINGE], x),
    "a force": lambda x: machine(x),
    "gravity": lambda x: fb.System([BODY], [HINGE], gravity=x),
    "mass": lambda x: fb.System([bar(mass=x)]),
    "inertia": lambda x: fb.System([bar(inertia=x)]),
    "center": lambda x: fb.System([bar(center=x)]),
    "markers": lambda x: fb.System([bar(markers=x)]),
    "place": lambda x: rod(place=x),
    "origin": lambda x: rod(origin=x),
    "rotation": lambda x: rod(rotation=x),
    "alpha": lambda x: fb.System([rod(alpha=x)]),
    "damping ratio": lambda x: fb.System([rod(damping_ratio=x)]),
    "side": lambda x: fb.System([BODY], [fb.Revolute("r", GROUND, x, point=(0, 0, 0))]),
    "point": lambda x: fb.System([BODY], [fb.Revolute("r", GROUND, BODY, point=x)]),
    "axis": lambda x: fb.System([BODY], [fb.Revolute("r", GROUND, BODY, point=(0, 0, 0), axis=x)]),
    "axes": lambda x: fb.System([BODY], [fb.Universal("r", GROUND, BODY, point=(0, 0, 0), axes=x)]),
    "along": lambda x: fb.System([BODY], [fb.Planar("r", GROUND, BODY, point=(0, 0, 0), along=x)]),
    "pitch": lambda x: fb.System([BODY], [fb.Screw("r", GROUND, BODY, point=(0, 0, 0), pitch=x)]),
    "length": lambda x: fb.System(
        [BODY], [fb.Distance("r", GROUND, BODY, first_point=(0, 0, 1), second_point=(0, 0, 0), length=x)]
    ),
    "driven joint": lambda x: machine(joints=[fb.Drive("d", x, rate=1.0)]),
    "rate": lambda x: machine(joints=[fb.Drive("d", HINGE, rate=x)]),
    "angle": lambda x: machine(joints=[fb.Drive("d", HINGE, value=x)]),
    "driven coordinate": lambda x: machine(joints=[fb.Drive("d", HINGE, value=1.0, which=x)]),
    "geared joint": lambda x: machine(joints=[fb.Gear("g", HINGE, x, ratio=2.0)]),
    "ratio": lambda x: machine(joints=[fb.Gear("g", HINGE, HINGE, ratio=x)]),
    "terms": lambda x: machine(joints=[fb.Coupler("g", x)]),
    "a term": lambda x: machine(joints=[fb.Coupler("g", [x])]),
    "frames": lambda x: machine(joints=[fb.Constraint("g", x, position=lambda t, a: a.r[0])]),
    "constraint": lambda x: machine(joints=[fb.Constraint("g", [BODY], position=x)]),
    "place of a load": lambda x: machine(fb.PointForce("f", x, (1, 0, 0))),
    "load": lambda x: machine(fb.PointForce("f", BODY, x)),
    "end of a spring": lambda x: machine(fb.SpringDamper("f", x, BODY, stiffness=1.0)),
    "stiffness": lambda x: machine(fb.SpringDamper("f", GROUND, BODY, stiffness=x, first_point=(0, 1, 0))),
    "actuator": lambda x: machine(fb.SpringDamper("f", GROUND, BODY, force=x, first_point=(0, 1, 0))),
    "geometry": lambda x: machine(fb.ForceElement("f", x, fb.Linear(1.0))),
    "law": lambda x: machine(fb.ForceElement("f", line(), x)),
    "joint of a force": lambda x: machine(fb.ForceElement("f", fb.Along(x), fb.Linear(1.0))),
    "coordinate of a force": lambda x: machine(fb.ForceElement("f", fb.Along(HINGE, x), fb.Linear(1.0))),
    "free length": lambda x: machine(fb.ForceElement("f", line(free_length=x), fb.Linear(1.0))),
    "number of a law": lambda x: machine(fb.ForceElement("f", line(), fb.Linear(x))),
    "table": lambda x: machine(fb.ForceElement("f", line(), fb.SpringTable(x, (1, 2)))),
    "branches": lambda x: machine(fb.ForceElement("f", line(), fb.ViscoElastic(1.0, x))),
    "user's law": lambda x: machine(fb.ForceElement("f", line(), fb.UserLaw(x))),
    "bushing": lambda x: machine(fb.Bushing("f", GROUND, BODY, stiffness=x, point=(0, 0, 0))),
    "rubbing joint": lambda x: machine(fb.Friction("f", x, load=1.0)),
    "friction": lambda x: machine(fb.Friction("f", HINGE, load=x)),
    "stop": lambda x: machine(fb.Limit("f", HINGE, lower=x, upper=1.0, stiffness=1.0)),
    "input": lambda x: fb.Input("u", x),
    "name of an input": lambda x: fb.Input(x),
}

#: readings of a result, and what shows it
READINGS = {
    "position": lambda r, x: r.position(x),
    "frame": lambda r, x: r.position("bar", frame=x),
    "observer": lambda r, x: r.velocity("bar", relative_to=x),
    "point": lambda r, x: r.acceleration("bar", point=x),
    "rotation": lambda r, x: r.rotation(x),
    "euler": lambda r, x: r.euler(x),
    "alpha": lambda r, x: r.alpha(x),
    "displacement": lambda r, x: r.displacement(x, relative_to=fb.GROUND),
    "relative to": lambda r, x: r.displacement("bar", relative_to=x),
    "reaction": lambda r, x: r.reaction(x),
    "body of a reaction": lambda r, x: r.reaction("hinge", body=x),
    "coordinate": lambda r, x: r.coordinate(x),
    "which": lambda r, x: r.coordinate_rate("hinge", x),
    "element": lambda r, x: r.element(x),
    "stress": lambda r, x: r.stress(x),
    "table": lambda r, x: r.table(x),
    "energy": lambda r, x: r.body_energy(x),
    "plot": lambda r, x: fb.plot(x),
    "show": lambda r, x: fb.plot(r, show=5 if x is None else x),
    "graph": lambda r, x: fb.plot(r, show=[x]),
    "curve": lambda r, x: fb.plot(r, show=[("velocity", x)]),
    "picture": lambda r, x: fb.picture(x),
    "size": lambda r, x: fb.picture(r, size=x),
    "time": lambda r, x: fb.picture(r, time="t" if x is None else x),
    "view": lambda r, x: fb.picture(r, view=x),
    "scale": lambda r, x: fb.picture(r, scale="large" if isinstance(x, float | bool) else x),
    "film": lambda r, x: fb.animate(x, "film.html"),
    "frames": lambda r, x: fb.animate(r, "film.html", n_frames=1.5 if x is None else x),
    "rate": lambda r, x: fb.animate(r, "film.html", fps="fast" if isinstance(x, float | bool) else x),
    "ParaView": lambda r, x: fb.write_paraview(x, "run.vtkhdf"),
    "file": lambda r, x: fb.load_result(x),
    "start": lambda r, x: fb.simulate(machine(), 0.01, start="s" if x is None else x, step=0.01),
    "saved state": lambda r, x: fb.Stepper(machine()).restore(x),
    "integrator": lambda r, x: fb.simulate(machine(), 0.01, integrator=fb.Explicit if x is None else x),
    "stepping": lambda r, x: fb.Stepper(machine(), integrator="i" if x is None else x),
    "linearize": lambda r, x: fb.linearize(x),
    "rates": lambda r, x: fb.campbell(machine(), x if not isinstance(x, np.ndarray) else "r"),
}


def refused_or_right(call, allowed: int) -> None:
    """Try all that is wrong: our own errors, short ones; a few that happen to be right may pass."""
    said, passed = [], []
    for wrong in WRONG:
        try:
            call(wrong)
            passed.append(wrong)
        except fb.FlexbodyError as error:
            said.append(str(error))
    assert len(passed) <= allowed, passed
    assert max(map(len, said)) < 600, max(said, key=len)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_descriptions(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refused_or_right(DESCRIPTIONS[name], allowed=7)


@pytest.mark.parametrize("name", READINGS)
def test_readings(name, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refused_or_right(lambda x: READINGS[name](run, x), allowed=6)
