"""Masses, springs, equations, pilot nodes, components and materials of ANSYS archives."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.ansys_bodies import MEAN, STEEL, arm, crooked, default_up, one, read, same, sample
from support.ansys_decks import deck, eblock, materials, nblock, types
from support.damping import damping

import fem


def test_masses_springs_and_constraint_equations(tmp_path):
    mesh = arm()
    lines = [
        "ET,188,188", "ET,2,21", "ET,3,14", "KEYOPT,3,2,2", "ET,4,14", "ET,5,21", "KEYOPT,5,3,2",
        "SECTYPE,1,BEAM,RECT", "SECDATA,0.02,0.05", "R,2,2,2,2,0.1,0.2,0.3", "R,3,1e5", "R,4,2e6,10,3", "R,5,4",
    ]  # fmt: skip
    extra = [[1, 2, 2, 0, 0, 0, 0, 0, 1, 0, 11, 4], [1, 3, 3, 0, 0, 0, 0, 0, 2, 0, 12, 1, 3],
             [1, 4, 4, 0, 0, 0, 0, 0, 2, 0, 13, 2, 4], [1, 5, 5, 0, 0, 0, 0, 0, 1, 0, 14, 1]]  # fmt: skip
    more = ["EBLOCK,19,SOLID,14,4", "(19i9)", *("".join(f"{v:9d}" for v in row) for row in extra), "-1"]
    ties = [
        "CE,R5.0,DEFI,       2,       1,  0.00000000    ",
        "CE,R5.0,NODE,       2,UX  ,  1.00000000    ,       1,UX  , -1.00000000    ",
        "CP,R5.0,DEFI,       2,       1,UZ  ,",
        "CP,R5.0,NODE,       3,       2,",
        "CE,2,0,1,UY,1,2,UY,-0.5,3,UY,-0.5",
        "D,       1,UX  ,  0.00000000    ,  0.00000000", "D,1,ROTX,0", "D,4,UZ,1e-3",
    ]  # fmt: skip
    found = read(deck(lines, nblock(mesh.points), eblock(mesh.blocks), more, materials(), ties), tmp_path)
    own = [
        fem.PointMass("4", 2.0, (0.1, 0.2, 0.3)), fem.PointMass("1", 4.0),
        fem.Spring("1", "3", (0, 1e5, 0, 0, 0, 0)), fem.Spring("2", "4", 2e6, damping=10.0),
        fem.Equation("a", [("2", "x", 1.0), ("1", "x", -1.0)]),
        fem.Equation("c", [("1", "y", 1.0), ("2", "y", -0.5), ("3", "y", -0.5)]),
        fem.Equation("b", [("2", "z", 1.0), ("3", "z", -1.0)]),
    ]  # fmt: skip
    sets = {f"e{k}": [k] for k in range(3)}
    beams = {
        f"e{k}": fem.Beam(STEEL, fem.Rectangle(0.02, 0.05, nu=0.3), up=default_up(*mesh.points[nodes]))
        for k, nodes in enumerate(mesh.blocks[0].nodes)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # equations that resist rotations
        one, other = fem.assemble(found), fem.assemble(replace(mesh, element_sets=sets), beams, parts=own)
    same(one, other)
    assert damping(one) == pytest.approx(damping(other), abs=1e-9)
    assert damping(other).max() > 1
    assert {tuple(sorted(what.items())) for what in found.supports.values()} == {
        (("rx", 0.0), ("x", 0.0)), (("z", 1e-3),)
    }  # fmt: skip
    assert [one.why for one in found.left_out if one.what == "COMBIN14"] == [
        "its quadratic damping; use fb.SpringDamper"
    ]


@pytest.mark.parametrize(("how", "part"), [(1, fem.Averaged), (2, fem.Rigid)])
def test_pilot_nodes_are_interfaces_by_their_number(how, part, tmp_path):
    box = fem.box((1.0, 0.1, 0.1), (3, 1, 1), "hex8")
    points = np.vstack([box.points, [1.1, 0.05, 0.05]])
    face = box.faces_of("x1")[0].nodes[0] + 1
    pilot = len(points)
    lines = ["ET,2,170", "ET,3,174", "KEYOPT,3,2,2", f"KEYOPT,3,4,{how}", "KEYOPT,3,12,5"]
    contact = [[1, 3, 7, 0, 0, 0, 0, 0, 4, 0, 101, *face], [1, 2, 7, 0, 0, 0, 0, 7, 1, 0, 102, pilot]]
    more = ["EBLOCK,19,SOLID,102,2", "(19i9)", *("".join(f"{v:9d}" for v in row) for row in contact), "-1"]
    found = read(
        deck(types(box.blocks), lines, nblock(points), eblock(box.blocks), more, materials()), tmp_path
    )
    whole = fem.assemble(found)
    same(whole, fem.assemble(box, MEAN, parts=[part("hub", "x1", at=(1.1, 0.05, 0.05))]))
    tip = fem.interface(whole, str(pilot))
    assert tip.has_rotation
    np.testing.assert_allclose(tip.point, points[-1])


def test_components_systems_and_units(tmp_path):
    mesh = fem.box((1000.0, 100.0, 60.0), (4, 1, 1), "hex8")  # mm
    out = ["CMBLOCK,ENDS    ,NODE,       3", "(8i10)", f"{1:10d}{-4:10d}{9:10d}",
           "CMBLOCK,SOME    ,ELEM,       2", "(8i10)", f"{2:10d}{-3:10d}",
           "LOCAL,R5.0,LOC, 11, 1, 100., 0., 0.", "LOCAL,R5.0,ANG, 11, 90., 0., 0."]  # fmt: skip
    text = deck(
        types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials(2.1e5, 0.3, 7.85e-9), out
    )
    found = read(text, tmp_path, units="mm")
    assert found.nodes_of("ENDS").tolist() == [0, 1, 2, 3, 8]
    assert found.elements_of("SOME").tolist() == [1, 2]
    drum = found.systems["11"]
    assert drum.kind == "cylindrical"
    np.testing.assert_allclose(drum.points([[2.0, 0.0, 0.0]])[0], [0.1, 2.0, 0.0], atol=1e-12)
    same(fem.assemble(found), fem.assemble(fem.box((1.0, 0.1, 0.06), (4, 1, 1), "hex8"), MEAN), 1e-9)


def test_orthotropic_materials_in_the_axes_of_the_element_system(tmp_path):
    mesh = crooked(one("hex8"))
    values = {"EX": 11e9, "EY": 0.8e9, "EZ": 0.5e9, "PRXY": 0.37, "PRYZ": 0.47, "PRXZ": 0.42,
              "GXY": 0.7e9, "GYZ": 0.05e9, "GXZ": 0.6e9, "DENS": 430.0}  # fmt: skip
    lines = [f"MP,{key},1,{value}" for key, value in values.items()]
    lines += ["LOCAL,11,0,0,0,0,30,0,0"]
    found = read(deck(types(mesh.blocks), lines, nblock(mesh.points), eblock(mesh.blocks, esys=11)), tmp_path)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    wood = fem.Orthotropic((11e9, 0.8e9, 0.5e9), (0.37, 0.42, 0.47), (0.7e9, 0.6e9, 0.05e9), rho=430.0,
                           axes=((c, s, 0), (-s, c, 0), (0, 0, 1)))  # fmt: skip
    same(fem.assemble(found), fem.assemble(mesh, fem.Solid(wood, brick=fem.MeanDilatation())))


def test_components_of_hypermesh_are_the_elements_since_the_last_selection(tmp_path):
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
    first, last = (fem.Block("hex8", mesh.blocks[0].nodes[k : k + 2]) for k in (0, 2))
    text = deck(types(mesh.blocks), nblock(mesh.points), ["ESEL, NONE"], eblock([first]),
                ["CM, LEFT, ELEM", "ESEL, NONE"],
                eblock([last], first=3), ["CM,RIGHT,ELEM", "ESEL,ALL"], materials())  # fmt: skip
    found = read(text, tmp_path)
    assert found.elements_of("LEFT").tolist() == [0, 1]
    assert found.elements_of("RIGHT").tolist() == [2, 3]


def test_blocks_without_the_word_solid(tmp_path):
    """Decks of Workbench: number, type, real constants, material, system, nodes; NBLOCK with one integer."""
    mesh = crooked(fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8"))
    nodes = ["nblock,3,,12", "(1i9,3e20.12e3)"]
    nodes += [f"{k:9d}" + "".join(f"{v:20.12E}" for v in x) for k, x in enumerate(mesh.points, start=1)] + [
        "-1"
    ]
    text = deck(["et,185,185"], nodes, eblock(mesh.blocks, solid=False), materials())
    same(fem.assemble(read(text, tmp_path, "ds.dat")), fem.assemble(mesh, MEAN))


def test_a_material_without_a_density_serves_statics(tmp_path):
    text = "\n".join(line for line in sample().split("\n") if "DENS" not in line)
    with pytest.warns(
        fem.FlexbodyWarning, match=r"material 1 \(line \d+\) has no DENS: its elements weigh nothing"
    ):
        light = read(text, tmp_path)
    K = [fem.assemble(mesh).K for mesh in (light, read(sample(), tmp_path))]
    assert abs(K[0] - K[1]).max() <= 1e-15 * abs(K[1]).max()


@pytest.mark.parametrize(
    ("given", "units", "right"),
    [
        ("MPA", "SI", "mm"),
        ("SI", "mm", "SI"),
        ("BIN", "SI", "inch"),
        ("MPA", "mm", ""),
        ("MKS", "SI", ""),
        ("0", "SI", ""),
    ],
)
@pytest.mark.filterwarnings("ignore:.*units look wrong")
def test_units_that_the_file_names_are_compared(given, units, right, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)
        found = read(sample().replace("/NOPR", f"/UNITS,{given}", 1), tmp_path, units=units)
    said = [doubt for doubt in found.doubts if "/UNITS" in doubt]
    assert said == ([f"the file says /UNITS,{given}: units={right!r} would be right"] if right else [])


def test_tables_beyond_linear_elasticity_are_told(tmp_path):
    found = read(sample().replace("/GO\n", "TB,BISO,1\nTBDATA,1,2e8,1e9\n/GO\n"), tmp_path)
    assert [(one.what, one.why) for one in found.left_out] == [("TB,BISO", "the material is linear elastic")]
