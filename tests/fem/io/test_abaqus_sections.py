"""Sections and materials in the dialect of Abaqus, against the same part made by hand."""

from dataclasses import replace

import numpy as np
import pytest
from support.abaqus_decks import BAR, GRID, LINE, MATERIAL, PLY, body, in_part, read, rows, same
from support.frames import STEEL

import fem

pytestmark = pytest.mark.slow  # together a second or more


G = STEEL.lame[1]


SHAPES = {
    "CIRC": ("0.02", fem.Circle(0.04, nu=0.3)),
    "PIPE": ("0.02, 0.003", fem.Tube(0.04, thickness=0.003, nu=0.3)),
    # the height 0.06 m is along direction 2 of the section, here y; direction 1 is z
    "RECT": ("0.02, 0.06", fem.Rectangle(0.06, 0.02, nu=0.3)),
}


def test_orthotropic_materials_with_directions(tmp_path):
    """Engineering constants and the nine moduli of the same material, along an orientation that an instance turns."""
    ply = fem.Orthotropic(E=(40e9, 10e9, 8e9), nu=(0.3, 0.25, 0.2), G=(4e9, 3e9, 2e9), rho=1800.0)
    nine = ply.stiffness
    moduli = [
        nine[0, 0],
        nine[0, 1],
        nine[1, 1],
        nine[0, 2],
        nine[1, 2],
        nine[2, 2],
        nine[5, 5],
        nine[4, 4],
        nine[3, 3],
    ]
    given = {
        "engineering constants": [*ply.E, *ply.nu, *ply.G],
        "orthotropic": moduli,
    }
    section = "*Orientation, name=along\n 0., 1., 0., -1., 0., 0.\n 3, 30.\n"
    section += "*Solid Section, elset=all, material=ply, orientation=along\n,\n"
    angle = np.radians(30)
    # axis 1 = y turned by 30 degrees about z, then all turned by 90 degrees about x with the instance
    one = np.array([-np.sin(angle), np.cos(angle), 0.0])
    two = np.array([-np.cos(angle), -np.sin(angle), 0.0])
    turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    axes = np.array([turn @ one, turn @ two, turn @ [0, 0, 1.0]])
    turned = replace(BAR, points=BAR.points @ turn.T)
    hand = fem.assemble(turned, replace(ply, axes=tuple(map(tuple, axes))))
    for kind, values in given.items():
        numbers = rows([[f"{v:.17g}" for v in values[:8]], [f"{values[8]:.17g}", ""]])
        material = f"*Material, name=ply\n*Elastic, type={kind}\n{numbers}*Density\n 1800.\n"
        text = in_part(
            body(BAR, section=section) + material, placed="0., 0., 0.\n0., 0., 0., 1., 0., 0., 90.\n"
        )
        same(fem.assemble(read(tmp_path, text)), hand)


@pytest.mark.parametrize("symmetric", [False, True])
def test_layers_of_shells(symmetric, tmp_path):
    """Bottom first, angles about the normal from the second axis of an orientation about its first."""
    section = (
        f"*Shell Section, elset=all, composite, offset=-0.25, orientation=o{', symmetric' * symmetric}\n"
    )
    section += " 0.001, 3, ply, 30.\n 0.002, 3, steel\n"
    section += (
        "*Orientation, name=o\n 0., 0., 1., 0., 1., 0.\n 1, 20.\n"  # axes z, y, -x; axis 1 of the shell: y
    )
    structure = fem.assemble(read(tmp_path, body(GRID, "S4", section=section) + PLY + MATERIAL))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    layers = [fem.Layer(ply, 0.001, 30.0), fem.Layer(STEEL, 0.002)]
    layers += layers[::-1] * symmetric
    angle = np.radians(20)  # about z from y to -x
    axis = (-np.sin(angle), np.cos(angle), 0.0)
    offset = 0.25 * (0.006 if symmetric else 0.003)
    hand = fem.assemble(GRID, fem.LayeredShell(layers, axis=axis, offset=offset))
    np.testing.assert_allclose(structure.K.toarray(), hand.K.toarray(), atol=1e-10 * hand.K.max())
    same(structure, hand)


def test_a_shell_of_one_ply_around_an_axis(tmp_path):
    """Fibres around a cylinder: axis 2 of a cylindrical system follows its axis 1, which is the normal."""
    angles = np.radians([0, 30, 60])
    points = [[np.cos(a), np.sin(a), z] for a in angles for z in (0.0, 0.2)]
    pipe = fem.Mesh(points, (fem.Block("quad4", [[0, 2, 3, 1], [2, 4, 5, 3]]),), {"x0": [0, 1], "x1": [4, 5]})
    section = "*Shell Section, elset=all, material=ply, orientation=o\n 0.004, 5\n"
    section += "*Orientation, name=o, system=cylindrical\n 0., 0., 0., 0., 0., 1.\n 1, 0.\n"
    structure = fem.assemble(read(tmp_path, body(pipe, "S4R", section=section) + PLY))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    sets = {"a": [0], "b": [1]}
    mesh = replace(pipe, element_sets=sets)
    shells = {
        name: fem.LayeredShell([fem.Layer(ply, 0.004)], axis=(-np.sin(a), np.cos(a), 0.0))
        for name, a in zip("ab", np.radians([15, 45]), strict=True)
    }
    same(structure, fem.assemble(mesh, shells))


def test_a_ply_without_an_orientation(tmp_path):
    """Axis 1 is the x axis projected on the shell, or z where x is normal to it (Abaqus Guide, conventions)."""
    points = [[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0.2], [1, 1, 0.2]]
    corner = fem.Mesh(points, (fem.Block("quad4", [[0, 1, 2, 3], [0, 4, 5, 1]]),), {"x0": [0], "x1": [4]})
    section = "*Shell Section, elset=all, material=ply\n 0.004, 5\n"
    structure = fem.assemble(read(tmp_path, body(corner, "S4R", section=section) + PLY))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    mesh = replace(corner, element_sets={"wall": [0], "floor": [1]})
    shells = {
        name: fem.LayeredShell([fem.Layer(ply, 0.004)], axis=axis)
        for name, axis in (("wall", (0, 0, 1)), ("floor", (1, 0, 0)))
    }
    same(structure, fem.assemble(mesh, shells))


CROSSED = (
    "*Orientation, name=along\n 1., 0., 0., 0., 1., 0.\n*Orientation, name=across\n 1., 2., 0., -2., 1., 0.\n"
)


def test_layers_with_orientations_of_their_own(tmp_path):
    """As CalculiX has them: material axis 1 is X' itself; an angle counts from the section's orientation."""
    section = CROSSED + "*Shell Section, elset=all, composite, orientation=along\n"
    section += " 0.001,, ply, across\n 0.002,, ply, along\n 0.003, 3, ply, 20.\n"
    structure = fem.assemble(read(tmp_path, body(GRID, "S4", section=section) + PLY))
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    angles = (np.degrees(np.arctan2(2, 1)), 0.0, 20.0)
    layers = [fem.Layer(ply, t, a) for t, a in zip((0.001, 0.002, 0.003), angles, strict=True)]
    hand = fem.assemble(GRID, fem.LayeredShell(layers, axis=(1, 0, 0)))
    np.testing.assert_allclose(structure.K.toarray(), hand.K.toarray(), atol=1e-10 * hand.K.max())
    same(structure, hand)


def test_a_ply_along_the_first_axis_of_an_orientation(tmp_path):
    """Without a second line: X' where it lies in the shell; where it is the normal, Y', as Abaqus counts by default."""
    ply = fem.Ply(E1=1.3e11, E2=1e10, nu12=0.3, G12=5e9, rho=1600.0, G13=4e9, G23=3e9)
    for a, b, axis in (("1., 2., 0.", "-2., 1., 0.", (1, 2, 0)), ("0., 0., 1.", "1., 2., 0.", (1, 2, 0))):
        section = f"*Orientation, name=o\n {a}, {b}\n*Shell Section, elset=all, material=ply, orientation=o\n 0.004\n"
        structure = fem.assemble(read(tmp_path, body(GRID, "S4", section=section) + PLY))
        same(structure, fem.assemble(GRID, fem.LayeredShell([fem.Layer(ply, 0.004)], axis=axis)))


def bent_line(section, **more):
    points = [(0, 0, 0), (0.6, 0, 0), (1.2, 0.3, 0)]
    mesh = fem.Mesh(points, (fem.Block("line2", [[0, 1], [1, 2]]),), {"x0": [0], "x1": [2]})
    return fem.assemble(mesh, fem.Beam(STEEL, section, up=(0, 0, 1), **more))


@pytest.mark.parametrize("shape", SHAPES)
def test_profiles_of_beams(shape, tmp_path):
    sizes, section = SHAPES[shape]
    text = LINE + f"*Beam Section, elset=all, section={shape}, material=steel\n {sizes}\n 0., 0., 1.\n"
    same(fem.assemble(read(tmp_path, text + MATERIAL)), bent_line(section))


def test_a_box_is_its_walls(tmp_path):
    """0.04 m along direction 1 (z), 0.06 m along direction 2 (y), walls of 2 and 3 mm; J = 4 A^2 / sum(s / t)."""
    text = (
        LINE
        + "*Beam Section, elset=all, section=BOX, material=steel\n 0.04, 0.06, 0.002, 0.003, 0.002, 0.003\n"
    )
    section = read(tmp_path, text + " 0., 0., 1.\n" + MATERIAL).properties["all"].section
    assert pytest.approx(0.04 * 0.06 - 0.036 * 0.054) == section.A
    assert section.Iy == pytest.approx((0.06 * 0.04**3 - 0.054 * 0.036**3) / 12)
    assert section.Iz == pytest.approx((0.04 * 0.06**3 - 0.036 * 0.054**3) / 12)
    middle = (0.038, 0.057)
    assert (
        pytest.approx(4 * (middle[0] * middle[1]) ** 2 / (2 * middle[1] / 0.002 + 2 * middle[0] / 0.003))
        == section.J
    )


@pytest.mark.parametrize("shear", [None, 4.0e7])
def test_general_sections_bring_their_own_constants(shear, tmp_path):
    """A, I11, I12, I22, J; direction 1; E, G; density. I11 bends the beam along direction 2, which is y here."""
    text = (
        LINE
        + "*Beam General Section, elset=all, section=GENERAL, density=7850.\n 1e-3, 2e-7, 0., 5e-7, 3e-7\n"
    )
    text += f" 0., 0., 1.\n {STEEL.E!r}, {G!r}\n"
    if shear:
        text += f"*Transverse Shear Stiffness\n {shear}, {shear}\n"
    k = shear / (G * 1e-3) if shear else 1.0
    section = fem.Section(A=1e-3, Iy=5e-7, Iz=2e-7, J=3e-7, ky=k, kz=k)
    same(fem.assemble(read(tmp_path, text)), bent_line(section), rtol=1e-8)


SKIN = "*Shell Section, elset=all, material=steel, nodal thickness{}\n{}\n"


@pytest.mark.parametrize("line", ["0.5,", "", ","])
def test_thicknesses_by_node(line, tmp_path):
    """Nodes at x = 0, 0.1, 0.2 m: each element has the mean of its corners; sets and single nodes, in mm too."""
    text = body(GRID, "S4", section=SKIN.format("", line)) + "*Nset, nset=middle\n 3, 4\n"
    text += "*Nodal Thickness\nx0, 0.01\nmiddle, 0.02\n5, 0.03\n6, 0.05\n" + MATERIAL
    sets = fem.Mesh(GRID.points, GRID.blocks, GRID.node_sets, element_sets={"a": [0], "b": [1]})
    found = read(tmp_path, text)
    same(fem.assemble(found), fem.assemble(sets, {"a": fem.Shell(STEEL, 0.015), "b": fem.Shell(STEEL, 0.03)}))
    assert "thickness varies" in found.report()


def test_one_thickness_by_node(tmp_path):
    text = body(GRID, "S4", section=SKIN.format("", "")) + "*Nset, nset=n, generate\n 1, 6\n"
    found = read(tmp_path, text + "*Nodal Thickness\nn, 0.02\n" + MATERIAL)
    assert found.properties["all"] == fem.Shell(STEEL, 0.02)


@pytest.mark.parametrize(
    ("option", "rows_of_nodes", "message"),
    [
        ("", "x0, 0.01\n", "Nodal Thickness gives none at node 3"),
        ("", "x0, -0.01\n", "the thickness -0.01 must be positive"),
        ("", "x0\n", "a row has a node or node set, and the thickness"),
        (", offset=0.5", "x0, 0.01\nx1, 0.01\n3, 0.01\n4, 0.01\n", "offset= with a thickness by node"),
        (", composite", "x0, 0.01\n", "supported for shells of one isotropic material only"),
    ],
)
def test_thicknesses_by_node_that_are_not_read(option, rows_of_nodes, message, tmp_path):
    line = "0.01, 3, steel" if "composite" in option else ""
    section = SKIN.format(option, line).replace(", material=steel" * ("composite" in option), "", 1)
    text = body(GRID, "S4", section=section) + "*Nodal Thickness\n" + rows_of_nodes + MATERIAL
    with pytest.raises(fem.FileError, match=rf"line \d+, .*: .*{message}"):
        read(tmp_path, text)
