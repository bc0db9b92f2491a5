"""Directions of cylindrical and spherical systems in decks, against axes that are written down by hand.

Abaqus' and ANSYS' spherical directions are radius, longitude and latitude (Abaqus Analysis User's Guide, transformed
coordinate systems: Z1 lies in the plane of the polar axis, at right angles to X1, and Y1 = Z1 x X1), Nastran's those of
radius, angle from the pole, and longitude (Quick Reference Guide, CORD2S).
"""

from dataclasses import replace

import numpy as np
import pytest
from support.ansys_decks import deck, eblock, nblock
from support.nastran import card, mesh_cards

import fem

PLY = fem.Orthotropic((40e9, 10e9, 5e9), (0.3, 0.2, 0.1), (4e9, 3e9, 2e9), rho=1800.0)
#: two bricks off the axes, in m
MESH = replace(
    mesh := fem.box((1.0, 0.5, 0.25), (2, 1, 1), "hex8"), points=mesh.points + np.array([0.4, 0.3, 0.2])
)


def same(found, expected):
    """Numbers have 14 digits in the decks."""
    for A, B in ((found.K, expected.K), (found.M, expected.M)):
        assert abs(A - B).max() <= 1e-9 * abs(B).max()


def cylindrical(x):
    a = np.arctan2(x[1], x[0])
    return np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])


def longitude_and_latitude(x):
    r, around = x / np.linalg.norm(x), cylindrical(x)[1]
    return np.array([r, around, np.cross(r, around)])


def polar_angle_and_longitude(x):
    r, around, north = longitude_and_latitude(x)
    return np.array([r, -north, around])


def by_hand(axes, **special):
    """The structure whose elements have properties of their own."""
    middles = MESH.points[MESH.blocks[0].nodes].mean(axis=1)
    sets = {f"brick {k}": [k] for k in range(len(middles))}
    solids = [fem.Solid(replace(PLY, axes=tuple(map(tuple, axes(middle)))), **special) for middle in middles]
    return fem.assemble(
        fem.Mesh(MESH.points, MESH.blocks, element_sets=sets), dict(zip(sets, solids, strict=True))
    )


def read(tmp_path, name, text, said="turn from place to place", **options):
    (tmp_path / name).write_text(text)
    with pytest.warns(fem.FlexbodyWarning, match=said):
        return fem.read_mesh(tmp_path / name, **options)


@pytest.mark.parametrize(("letter", "axes"), [("C", cylindrical), ("S", polar_angle_and_longitude)])
def test_psolid(tmp_path, letter, axes):
    C = PLY.stiffness[np.ix_([0, 1, 2, 5, 3, 4], [0, 1, 2, 5, 3, 4])] * 1e-6  # N/mm^2
    millimetres = replace(MESH, points=1000.0 * MESH.points)
    text = mesh_cards(millimetres, form="large") + card("PSOLID", 1, 1, 3)
    text += card("MAT9", 1, *C[np.triu_indices(6)].tolist(), 1.8e-9, form="large")
    text += card(f"CORD2{letter}", 3, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    same(fem.assemble(read(tmp_path, "part.bdf", text, units="mm")), by_hand(axes))


@pytest.mark.parametrize(
    ("system", "axes"), [("cylindrical", cylindrical), ("spherical", longitude_and_latitude)]
)
def test_orientation_of_solids(tmp_path, system, axes):
    """A rotation by 30 degrees about axis 3 comes on top."""
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    text = "*Node\n" + "".join(
        f"{n}, {', '.join(map(repr, x))}\n" for n, x in enumerate(MESH.points.tolist(), 1)
    )
    text += "*Element, type=C3D8, elset=all\n"
    text += "".join(f"{n}, {', '.join(map(str, e + 1))}\n" for n, e in enumerate(MESH.blocks[0].nodes, 1))
    text += f"*Orientation, name=o, system={system}\n 0., 0., 0., 0., 0., 1.\n 3, 30.\n"
    text += (
        "*Solid Section, elset=all, material=ply, orientation=o\n,\n*Material, name=ply\n*Density\n1800.\n"
    )
    text += "*Elastic, type=engineering constants\n40e9, 10e9, 5e9, 0.3, 0.2, 0.1, 4e9, 3e9,\n2e9\n"
    turned = by_hand(
        lambda x: np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ axes(x), brick=fem.MeanDilatation()
    )
    same(fem.assemble(read(tmp_path, "part.inp", text, units="m")), turned)


@pytest.mark.parametrize(("kind", "axes"), [(1, cylindrical), (2, longitude_and_latitude)])
def test_element_systems_of_ansys(tmp_path, kind, axes):
    lines = [f"MP,{name},1,{value}" for name, value in zip(
        ("EX", "EY", "EZ", "PRXY", "PRXZ", "PRYZ", "GXY", "GXZ", "GYZ", "DENS"),
        (*PLY.E, *PLY.nu, *PLY.G, PLY.rho), strict=True,
    )]  # fmt: skip
    text = deck(
        ["ET,185,185", "KEYOPT,185,2,3", f"LOCAL,11,{kind},0,0,0", "CSYS,0"],
        nblock(MESH.points),
        eblock(MESH.blocks, esys=11),
        lines,
    )
    same(fem.assemble(read(tmp_path, "part.cdb", text, units="m")), by_hand(axes))


def test_shells_of_ansys_have_the_mean_of_two_sides(tmp_path):
    """Element Reference, coordinate systems of shells: the first direction is dx/ds in the middle of the element."""
    X = np.array([[0, 0, 0], [1, 0, 0], [0.9, 0.8, 0], [0.1, 0.4, 0]])
    mesh = fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),))
    lines = [
        "ET,181,181",
        "SECTYPE,1,SHELL",
        "SECDATA,0.01,1,0",
        "MP,EX,1,40e9",
        "MP,EY,1,10e9",
        "MP,EZ,1,5e9",
    ]
    lines += [
        "MP,PRXY,1,0.3",
        "MP,PRXZ,1,0.2",
        "MP,PRYZ,1,0.1",
        "MP,GXY,1,4e9",
        "MP,GXZ,1,3e9",
        "MP,GYZ,1,2e9",
    ]
    (tmp_path / "part.cdb").write_text(
        deck(lines, ["MP,DENS,1,1800"], nblock(mesh.points), eblock(mesh.blocks))
    )
    side = X[1] - X[0] + X[2] - X[3]
    shell = fem.LayeredShell([fem.Layer(PLY, 0.01)], axis=tuple(side))
    same(fem.assemble(fem.read_mesh(tmp_path / "part.cdb", units="m")), fem.assemble(mesh, shell))


def test_shells_of_ansys_whose_system_has_its_x_axis_near_the_normal(tmp_path):
    """Element Reference: below 45 degrees between x and the normal, y is projected; here on a wall and on a floor."""
    X = np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0.2], [1, 1, 0.2]])
    blocks = (fem.Block("quad4", [[0, 1, 2, 3], [0, 4, 5, 1]]),)
    lines = ["ET,181,181", "SECTYPE,1,SHELL", "SECDATA,0.01,1,20", "LOCAL,11,0,0,0,0,0,0,10", "CSYS,0"]
    constants = ("EX,1,40e9", "EY,1,10e9", "EZ,1,5e9", "PRXY,1,0.3", "PRXZ,1,0.2", "PRYZ,1,0.1", "GXY,1,4e9")
    lines += [f"MP,{one}" for one in (*constants, "GXZ,1,3e9", "GYZ,1,2e9", "DENS,1,1800")]
    (tmp_path / "part.cdb").write_text(deck(lines, nblock(X), eblock(blocks, esys=11)))
    x = (np.cos(np.radians(10)), 0.0, -np.sin(np.radians(10)))  # turned by 10 degrees about y
    shells = {
        name: fem.LayeredShell([fem.Layer(PLY, 0.01, 20.0)], axis=axis)
        for name, axis in (("wall", (0, 1, 0)), ("floor", x))
    }
    by_hand = fem.assemble(fem.Mesh(X, blocks, element_sets={"wall": [0], "floor": [1]}), shells)
    same(fem.assemble(fem.read_mesh(tmp_path / "part.cdb", units="m")), by_hand)
    steel = [
        line for line in lines if "EY" not in line and "PRXZ" not in line
    ]  # one property without directions
    (tmp_path / "part.cdb").write_text(deck(steel, nblock(X), eblock(blocks, esys=11)))
    assert [*fem.read_mesh(tmp_path / "part.cdb", units="m").properties] == [
        "TYPE 181 MAT 1 REAL 1 SEC 1 ESYS 11"
    ]


@pytest.mark.parametrize(("dof", "which"), [(1, 0), (2, 1), (3, 2)])
def test_supports_in_a_spherical_transform(tmp_path, dof, which):
    """A node of a truss is held along one direction: the reaction has that direction."""
    place = np.array([0.6, 0.4, 0.5])
    text = "*Node\n1, 0.6, 0.4, 0.5\n2, 0., 0., 0.\n3, 2., 0., 0.\n4, 0., 2., 0.\n5, 0., 0., 3.\n"
    text += (
        "*Element, type=T3D2, elset=all\n1, 1, 2\n2, 1, 3\n3, 1, 4\n4, 1, 5\n*Nset, nset=ground\n2, 3, 4, 5\n"
    )
    text += "*Nset, nset=top\n1\n*Transform, nset=top, type=S\n 0., 0., -1., 0., 0., 1.\n"
    text += "*Solid Section, elset=all, material=m\n1e-4,\n*Material, name=m\n*Density\n7850.\n*Elastic\n210e9, 0.3\n"
    text += f"*Boundary\nground, 1, 3\ntop, {dof}, {dof}\n"
    (tmp_path / "part.inp").write_text(text)
    mesh = fem.read_mesh(tmp_path / "part.inp", units="m")
    truss = fem.assemble(mesh, parts=mesh.turned_supports)
    found = fem.static(truss, mesh.supports, fem.Force("top", (3000.0, -1000.0, 2000.0)))
    u = truss.displacements(found.u)[mesh.nodes_of("top")[0]]
    direction = longitude_and_latitude(place + [0, 0, 1])[which]
    assert np.linalg.norm(u) > 1e-6
    assert abs(u @ direction) < 1e-9 * np.linalg.norm(u)
