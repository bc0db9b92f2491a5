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
    "THICK PIPE": ("0.02, 0.008", fem.Tube(0.04, thickness=0.008, nu=0.3)),
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


def in_plane(points):
    """Points (direction 1, direction 2) in mm as (y, z) of the beam: z is direction 1, y against direction 2."""
    return 1e-3 * np.array([(-b, a) for a, b in points])


def upright(a0, a1, b0, b1):
    return in_plane([(a0, b0), (a1, b0), (a1, b1), (a0, b1)])


def outlined(*parts, holes=()):
    return fem.DrawnSection(parts, holes=holes, nu=0.3)


def ring(radius):
    return [(radius * np.cos(k * np.pi / 3), radius * np.sin(k * np.pi / 3)) for k in range(6)]


#: kind, lines of sizes, and the section drawn by hand with the nodes in the origin. Sources: l is the distance of the
#: 1-axis from the lower face, b1 and t1 the lower flange, r the outer radius with t < sqrt(3)/2 r, points and the
#: thickness of the segment that ends there (abqpy, from the Scripting Reference); TRAPEZOID is lower edge, height,
#: upper edge, distance of the nodes from the lower edge (compas_fea writes the centroid's)
DRAWN = {
    "box": (
        "BOX",
        "0.04, 0.06, 0.002, 0.003, 0.002, 0.003",
        outlined(upright(-20, 20, -30, 30), holes=[upright(-18, 18, -27, 27)]),
    ),
    # t1 right, t2 top, t3 left, t4 bottom, nodes in the middle of the outer rectangle: CalculiX, beamintscheme.f and
    # gen3dfrom1d.f; its cantilever of 1 m under 1 kN along direction 1 moves by (-0.053, 10.20, 0.473) mm, by hand
    # without shear by (-0.053, 10.07, 0.449) mm
    "box with four different walls": (
        "BOX",
        "0.04, 0.06, 0.002, 0.003, 0.005, 0.007",
        outlined(upright(-20, 20, -30, 30), holes=[upright(-15, 18, -23, 27)]),
    ),
    "unequal I": (
        "I",
        "0.01, 0.06, 0.05, 0.03, 0.006, 0.005, 0.004",
        outlined(upright(-25, 25, -10, -4), upright(-15, 15, 45, 50), upright(-2, 2, -4, 45)),
    ),
    "T": ("I", "0.06, 0.06, 0., 0.03, 0., 0.005, 0.004", outlined(upright(-15, 15, -5, 0), upright(-2, 2, -60, -5))),
    "trapezoid": (
        "TRAPEZOID",
        "0.06, 0.04, 0.03, -0.005",
        outlined(in_plane([(-30, 5), (30, 5), (15, 45), (-15, 45)])),
    ),
    "angle of segments": (
        "ARBITRARY",
        "2, 0.04, 0.01, 0., 0.01, 0.004\n 0., 0.06, 0.003",
        outlined(in_plane([(40, 8), (40, 12), (1.5, 12), (1.5, 60), (-1.5, 60), (-1.5, 8)])),
    ),
    "closed segments": (
        "ARBITRARY",
        "4, 0., 0., 0.05, 0., 0.002\n 0.05, 0.03, 0.002\n 0., 0.03, 0.002\n 0., 0., 0.002",
        outlined(upright(-1, 51, -1, 31), holes=[upright(1, 49, 1, 29)]),
    ),
    "a vee": (  # 3-4-5: mitred at the corner, where half the thickness is along the line of symmetry
        "ARBITRARY",
        "2, -0.04, 0.03, 0., 0., 0.004\n 0.04, 0.03, 0.004",
        outlined(in_plane([(-38.8, 31.6), (-41.2, 28.4), (0, -2.5), (41.2, 28.4), (38.8, 31.6), (0, 2.5)])),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWN)
def test_drawn_profiles_of_beams(name, tmp_path):
    """Their centroids lie where the drawing has them, beside the nodes."""
    kind, sizes, section = DRAWN[name]
    text = LINE + f"*Beam Section, elset=all, section={kind}, material=steel\n {sizes}\n 0., 0., 1.\n"
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    # by hand it is drawn in another way or turned by 90 degrees, and divided into other triangles
    other = {"trapezoid": 1e-6, "closed segments": 1e-4, "angle of segments": 1e-4, "a vee": 1e-4}
    same(found, bent_line(section, offset=section.centroid), rtol=other.get(name, 1e-9))
    (own,) = (its.section for its in read(tmp_path, text + MATERIAL).properties.values())
    np.testing.assert_allclose(
        [own.A, own.Iy, own.Iz, own.Iyz],
        [section.A, section.Iy, section.Iz, section.Iyz],
        rtol=1e-9,
        atol=1e-17,
    )


def test_an_angle_says_what_is_assumed(tmp_path):
    """Legs of 40 (4 thick, along direction 1) and 60 mm (3 thick), whose middles meet at the nodes."""
    section = outlined(upright(-1.5, 38.5, -2, 2), upright(-1.5, 1.5, 2, 58))
    text = (
        LINE + "*Beam Section, elset=all, section=L, material=steel\n 0.04, 0.06, 0.004, 0.003\n 0., 0., 1.\n"
    )
    with pytest.warns(fem.FlexbodyWarning, match="of the section L in line 12 it is assumed that t1 is"):
        found = read(tmp_path, text + MATERIAL)
    same(fem.assemble(found), bent_line(section, offset=section.centroid))


def test_a_section_beside_its_nodes(tmp_path):
    """The origin of the section lies 10 mm along direction 1 and -20 mm along direction 2 (*Beam Section Offset)."""
    kind, sizes, section = DRAWN["unequal I"]
    text = LINE + f"*Beam Section, elset=all, section={kind}, material=steel\n {sizes}\n 0., 0., 1.\n"
    found = read(tmp_path, text + "*Beam Section Offset\n 0.01, -0.02\n" + MATERIAL)
    same(fem.assemble(found), bent_line(section, offset=np.add(section.centroid, (0.02, 0.01))))


def test_a_hexagonal_tube(tmp_path):
    """A = 6 r^2 tan(30) less the hole, I = 5 sqrt(3) / 16 (r^4 - s^4), J as drawn, wherever its corners are."""
    text = (
        LINE + "*Beam Section, elset=all, section=HEX, material=steel\n 0.03, 0.004\n 0., 0., 1.\n" + MATERIAL
    )
    own = read(tmp_path, text).properties["all"].section
    r, s = 0.03, 0.03 - 0.008 / 3**0.5
    assert pytest.approx(1.5 * 3**0.5 * (r**2 - s**2)) == own.A
    assert (own.Iy, own.Iz) == pytest.approx([5 * 3**0.5 / 16 * (r**4 - s**4)] * 2)
    for points in (ring(1), in_plane(ring(1e3))):
        drawn = outlined(np.array(points) * r, holes=[np.array(points) * s])
        assert (drawn.J, drawn.ky, drawn.kz) == pytest.approx((own.J, own.ky, own.kz), rel=1e-4)


def test_an_ellipse(tmp_path):
    """CalculiX: thicknesses in directions 1 and 2; 0.02 m along direction 1, z."""
    text = (
        LINE + "*Beam Section, elset=all, section=CIRC, material=steel\n 0.02, 0.05\n 0., 0., 1.\n" + MATERIAL
    )
    own = read(tmp_path, text).properties["all"].section
    angle = np.arange(400) * np.pi / 200
    drawn = outlined(np.stack([0.025 * np.cos(angle), 0.01 * np.sin(angle)], axis=1))
    for name in ("A", "Iy", "Iz", "J", "ky", "kz"):
        assert getattr(own, name) == pytest.approx(getattr(drawn, name), rel=5e-4)
    assert own.torsion_modulus == pytest.approx(np.pi * 0.025 * 0.01**2 / 2)  # Timoshenko & Goodier, art. 105


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        (
            "ELBOW",
            "0.04, 0.06, 0.004",
            "the section ELBOW is not supported; there are ARBITRARY, CIRC, GENERAL, BOX",
        ),
        ("L", "0.04, 0.06, 0.06, 0.003", "an L of 0.04 x 0.06 m can't have legs of 0.06 and 0.003 m"),
        ("BOX", "0.04, 0.06, 0.02, 0.003, 0.02, 0.004", "can't have walls of 0.02, 0.003, 0.02 and 0.004 m"),
        ("I", "0.01, 0.06, 0.05, 0.03, 0.03, 0.03, 0.004", "the sizes of the section I, .* don't fit"),
        ("HEX", "0.03, 0.03", "a hexagon with a radius of 0.03 m can't have walls of 0.03 m"),
        ("ARBITRARY", "1e12, 0., 0., 0.05, 0., 0.002", r"has 1e\+12 segments, but 2 lines of data"),
        ("ARBITRARY", "1, 0., 0., 0.05, 0., 0.002", "needs two or more segments"),
        (
            "ARBITRARY",
            "2, 0., 0., 0.05, 0., 0.002\n 0.1, 0.",
            "a point and a thickness for each of its 2 segments",
        ),
        ("ARBITRARY", "2, 0., 0., 0.05, 0., 0.002\n 0., 0., 0.002", "walls of the section ARBITRARY overlap"),
    ],
)
def test_sections_that_are_refused(kind, sizes, message, tmp_path):
    text = (
        LINE + f"*Beam Section, elset=all, section={kind}, material=steel\n {sizes}\n 0., 0., 1.\n" + MATERIAL
    )
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, text)


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


def test_a_general_section_with_its_centroid_and_shear_centre(tmp_path):
    """Points from the nodes: the centroid 3 mm along direction 1 (z) and 8 mm along 2 (-y), the shear centre -1, -4."""
    text = (
        LINE
        + "*Beam General Section, elset=all, section=GENERAL, density=7850.\n 1e-3, 2e-7, 4e-8, 5e-7, 3e-7\n"
    )
    text += f" 0., 0., 1.\n {STEEL.E!r}, {G!r}\n*Centroid\n 0.003, 0.008\n*Shear Center\n -0.001, -0.004\n"
    section = fem.Section(
        A=1e-3, Iy=5e-7, Iz=2e-7, Iyz=-4e-8, J=3e-7, ky=1.0, kz=1.0, shear_centre=(0.012, -0.004)
    )
    same(fem.assemble(read(tmp_path, text)), bent_line(section, offset=(-0.008, 0.003)))


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
