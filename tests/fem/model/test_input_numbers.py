"""Numbers that are none: every property, load and selection says so in words."""

import numpy as np
import pytest
from support.frames import STEEL

import fem

CIRCLE = fem.Circle(0.02)
MESH = fem.box((1, 1, 1), (1, 1, 1), "hex8")
WRONG = {
    "Isotropic": lambda x: fem.Isotropic(x, 0.3, 7850.0),
    "Isotropic nu": lambda x: fem.Isotropic(210e9, x, 7850.0),
    "Isotropic rho": lambda x: fem.Isotropic(210e9, 0.3, x),
    "Orthotropic E": lambda x: fem.Orthotropic(x, (0.1,) * 3, (1e9,) * 3, rho=500.0),
    "Orthotropic nu": lambda x: fem.Orthotropic((1e9,) * 3, (0.1, x, 0.1), (1e9,) * 3, rho=500.0),
    "Orthotropic rho": lambda x: fem.Orthotropic((1e9,) * 3, (0.1,) * 3, (1e9,) * 3, rho=x),
    "Orthotropic axes": lambda x: fem.Orthotropic((1e9,) * 3, (0.1,) * 3, (1e9,) * 3, rho=500.0, axes=x),
    "Section": lambda x: fem.Section(A=x, Iy=1e-6, Iz=1e-6, J=1e-6),
    "Section Iyz": lambda x: fem.Section(A=1e-3, Iy=1e-6, Iz=1e-6, J=1e-6, Iyz=x),
    "Section shear centre": lambda x: fem.Section(A=1e-3, Iy=1e-6, Iz=1e-6, J=1e-6, shear_centre=(x, 0)),
    "Section points": lambda x: fem.Section(A=1e-3, Iy=1e-6, Iz=1e-6, J=1e-6, points=x or 3),
    "Circle": lambda x: fem.Circle(x),
    "Circle nu": lambda x: fem.Circle(0.02, nu=x),
    "Tube": lambda x: fem.Tube(0.02, thickness=x or "thin"),
    "Rectangle": lambda x: fem.Rectangle(0.02, x),
    "ISection radius": lambda x: fem.ISection(0.2, 0.1, web=0.01, flange=0.01, radius=x),
    "Shell": lambda x: fem.Shell(STEEL, x),
    "Shell offset": lambda x: fem.Shell(STEEL, 0.01, offset=x),
    "Shell material": lambda x: fem.Shell(x, 0.01),
    "Solid material": lambda x: fem.Solid(x),
    "Truss": lambda x: fem.Truss(STEEL, x),
    "Truss material": lambda x: fem.Truss(x, 1e-4),
    "Beam up": lambda x: fem.Beam(STEEL, CIRCLE, up=x),
    "Beam up z": lambda x: fem.Beam(STEEL, CIRCLE, up=(0, 0, x)),
    "Beam offset": lambda x: fem.Beam(STEEL, CIRCLE, offset=x),
    "Beam releases": lambda x: fem.Beam(STEEL, CIRCLE, releases=[x]),
    "Beam releases at an end": lambda x: fem.Beam(STEEL, CIRCLE, releases={"end": x}),
    "Beam section": lambda x: fem.Beam(STEEL, x),
    "Force": lambda x: fem.Force("x1", x),
    "Force moment": lambda x: fem.Force("x1", moment=(0, x, 0)),
    "Pressure": lambda x: fem.Pressure("x1", x),
    "Traction": lambda x: fem.Traction("x1", x),
    "LineLoad": lambda x: fem.LineLoad("line2", x),
    "EdgeLoad": lambda x: fem.EdgeLoad("x1", (x, x, x)),
    "Gravity": lambda x: fem.Gravity(x),
    "Centrifugal": lambda x: fem.Centrifugal(x),
    "Centrifugal about": lambda x: fem.Centrifugal((0, 0, 1), about=x),
    "plane": lambda x: MESH.select("n", plane=x or "none"),
    "plane normal": lambda x: MESH.select("n", plane=((0, 0, 0), x)),
    "cylinder": lambda x: MESH.select("n", cylinder=x or "none"),
    "cylinder radius": lambda x: MESH.select("n", cylinder=((0, 0, 0), (0, 0, 1), x)),
    "box": lambda x: MESH.select("n", box=x or "none"),
    "nearest": lambda x: MESH.select("n", nearest=x or "none"),
    "tol": lambda x: MESH.select("n", nearest=(0, 0, 0), tol=x or "none"),
    "merge": lambda x: fem.merge_nodes(MESH, tol=x or "none"),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("value", ["210e9", "x=0", None, np.nan, np.inf, [1, "a"], 1j])
def test_what_is_no_number_is_refused_in_words(make, value):
    with pytest.raises(fem.InputError, match=r"number|finite|must"):
        make(value)


def test_numbers_of_numpy_are_numbers():
    assert fem.Truss(STEEL, np.float32(1e-3)).area == pytest.approx(1e-3)
    assert fem.Isotropic(210_000_000_000, np.float64(0.3), np.int64(7850)) == STEEL
    assert fem.Shell(STEEL, np.float32(0.5)) == fem.Shell(STEEL, 0.5)
    assert fem.Circle(np.float64(0.02)) == CIRCLE
    fem.Pressure("x1", np.array(3.0))


def test_the_message_says_what_was_given():
    for make, value, message in (
        ("Isotropic", "210e9", "E = '210e9' Pa must be a positive number"),
        ("Shell", None, "thickness = None m must be a positive number"),
        ("Beam up", "z", "up = 'z' must be three numbers"),
        ("Force", "abc", "the force of 'x1' must be three finite numbers, not 'abc'"),
        ("Pressure", np.nan, "the pressure of 'x1', one for all its faces, must be a finite number, not nan"),
        ("plane", "x=0", r"plane= must be \(point, normal\), such as .*, not 'x=0'"),
        ("Beam releases", "ry", r"releases must be a dictionary such as .*, not \['ry'\]"),
    ):
        with pytest.raises(fem.InputError, match=message):
            WRONG[make](value)
