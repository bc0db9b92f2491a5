"""Supports along directions between the global axes, in each dialect, against the closed form of a beam.

A cantilever of two nodes is clamped at x = 0; its end rolls on a slope of 36.87 degrees: the displacement along
n = (-0.6, 0.8, 0) is zero. With the flexibilities C = diag(l / EA, l^3 / 3EI, l^3 / 3EI) of its end, the force of the
slope is f = n'C F / n'C n, and the displacement u = C (F - f n).
"""

import numpy as np
import pytest

import fem

E, SIDE, LENGTH = 70e9, 0.1, 2.0
#: the axes of the end: n is the second
ALONG, NORMAL = np.array([0.8, 0.6, 0.0]), np.array([-0.6, 0.8, 0.0])
LOAD = (1000.0, -3000.0, 500.0)

NASTRAN = """\
CORD2R,5,,0.,0.,0.,0.,0.,1.
,0.8,0.6,0.
MAT1,1,70.+9,,0.3,2700.
PBARL,1,1,,BAR
,.1,.1
CBAR,1,1,1,2,0.,0.,1.
GRID,1,,0.,0.,0.
GRID,2,,2.,0.,0.,5{grid}
SPC1,7,123456,1
{spc}"""
ABAQUS = """\
*Node
1, 0., 0., 0.
2, 2., 0., 0.
*Element, type=B33, elset=rod
1, 1, 2
*Nset, nset=root
1
*Nset, nset=tip
2
*Material, name=m
*Elastic
70e9, 0.3
*Density
2700.,
*Beam Section, elset=rod, section=RECT, material=m
0.1, 0.1
0., 0., 1.
*Transform, nset=tip, type=R
0.8, 0.6, 0., -0.6, 0.8, 0.
*Boundary
root, 1, 6
tip, 2, 2
"""
ANSYS = """\
/PREP7
ET,1,188
KEYOPT,1,3,3
SECTYPE,1,BEAM,RECT
SECDATA,0.1,0.1
MP,EX,1,70e9
MP,PRXY,1,0.3
MP,DENS,1,2700
N,R5.3,LOC,1,0,0,0
N,R5.3,LOC,2,2,0,0
N,R5.3,ANG,2,36.86989764584402,0,0
TYPE,1
MAT,1
SECNUM,1
EN,1,1,2
D,1,UX
D,1,UY
D,1,UZ
D,1,ROTX
D,1,ROTY
D,1,ROTZ
D,2,UY
"""


def deck(name, tmp_path):
    text, ending = {
        "SPC": (NASTRAN.format(grid="", spc="SPC1,7,2,2\n"), ".bdf"),
        "GRID": (NASTRAN.format(grid=",2", spc=""), ".bdf"),
        "Abaqus": (ABAQUS, ".inp"),
        "ANSYS": (ANSYS, ".cdb"),
    }[name]
    path = tmp_path / f"beam{ending}"
    path.write_text(text)
    return fem.read_mesh(path)


@pytest.mark.parametrize("name", ["SPC", "GRID", "Abaqus", "ANSYS"])
def test_a_beam_on_a_slope(name, tmp_path, recwarn):
    mesh = deck(name, tmp_path)
    assert len(mesh.turned_supports) == 1
    assert not [one for one in mesh.left_out if "turned" in one.why]
    assert "support of node 2 in its own y" in mesh.report()
    # a thin beam without shear deformation, as in the closed form
    beam = fem.Beam(
        fem.Isotropic(E=E, nu=0.3, rho=2700.0), fem.Rectangle(SIDE, SIDE), up=(0, 0, 1), shear=False
    )
    held = fem.assemble(mesh, beam, parts=mesh.turned_supports)
    C = np.diag([LENGTH / (E * SIDE**2), *[LENGTH**3 / (3 * E * SIDE**4 / 12)] * 2])
    force = NORMAL @ C @ LOAD / (NORMAL @ C @ NORMAL)
    tip = int(np.flatnonzero(mesh.points[:, 0] > 1)[0])
    supports = {key: what for key, what in mesh.supports.items() if tip not in mesh.nodes_of(key)}
    assert supports == dict(mesh.supports)  # nothing of the end is held in global axes
    u = fem.static(held, supports, fem.Force("2", LOAD)).displacement[tip]
    np.testing.assert_allclose(u, C @ (LOAD - force * NORMAL), rtol=1e-9, atol=1e-15)
    assert not [w for w in recwarn if "resist rigid motions" in str(w.message)]


def test_two_of_three_along_a_cylinder(tmp_path):
    """A cylindrical system whose axis is the global z axis: its z is kept by its component, r by an equation."""
    text = (
        NASTRAN.format(grid="", spc="SPC1,7,13,2\n")
        .replace("CORD2R", "CORD2C")
        .replace("GRID,2,,2.,0.,0.", "GRID,2,,1.6,1.2,0.")
    )
    path = tmp_path / "beam.bdf"
    path.write_text(text)
    mesh = fem.read_mesh(path)
    assert mesh.supports["SPC 7 held in 3"] == ("z",)
    (radial,) = mesh.turned_supports
    assert [(node, name) for node, name, _ in radial.terms] == [("2", "x"), ("2", "y")]
    np.testing.assert_allclose([value for *_, value in radial.terms], [0.8, 0.6], rtol=0, atol=1e-12)


def test_values_of_all_three_are_turned(tmp_path):
    """Components 1, 2, 3 at 0.1, 0, 0 along (0.8, 0.6, 0): 0.08 and 0.06 along x and y; one alone can't be kept."""
    path = tmp_path / "beam.bdf"
    path.write_text(NASTRAN.format(grid="", spc="SPC,7,2,1,0.1\nSPC1,7,23,2\n"))
    mesh = fem.read_mesh(path)
    kept = {}
    for what in mesh.supports.values():
        if isinstance(what, dict):
            kept |= what
    assert kept == {"x": pytest.approx(0.08), "y": pytest.approx(0.06)}
    assert mesh.supports["SPC 7 held in 3"] == ("z",)
    path.write_text(NASTRAN.format(grid="", spc="SPC,7,2,1,0.1\n"))
    mesh = fem.read_mesh(path)
    assert not mesh.turned_supports
    assert any("turned displacement axis" in one.why for one in mesh.left_out)
