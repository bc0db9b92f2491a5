"""Shells of Nastran decks, and solids of 21 constants, against the same parts built by hand, and closed forms."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from support.nastran import card, mesh_cards, read
from support.nastran_bodies import MAT, SHEET, S, as_by_hand, same

import fem
from fem.elements.shell.material import plane_stress


def test_thickness_offset_and_added_mass_of_shells(tmp_path):
    text = "".join(card("GRID", n, None, *x) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4, None, 0.05) + card("CTRIA3", 2, 5, 2, 3, 6)
    text += card("CTRIA3", 3, 5, 2, 6, 5, *[None] * 5, 0.03, 0.03, 0.03)
    text += card("PSHELL", 5, 1, 0.02, 1, None, 1, None, 15.7)
    mesh = read(tmp_path, text)
    assert set(mesh.properties) == {"PSHELL 5 (1)", "PSHELL 5 (2)", "PSHELL 5 (3)"}
    assert mesh.element_sets["PSHELL 5"].tolist() == [0, 1, 2]

    def with_mass(thickness, **more):
        return fem.Shell(fem.Isotropic(210e9, 0.3, 7850.0 + 15.7 / thickness), thickness, **more)

    sets = fem.Mesh(SHEET.points, SHEET.blocks, element_sets={"a": [0], "b": [1], "c": [2]})
    by_hand = fem.assemble(
        sets, {"a": with_mass(0.02, offset=0.05), "b": with_mass(0.02), "c": with_mass(0.03)}
    )
    as_by_hand(fem.assemble(mesh), by_hand)


@pytest.mark.parametrize(
    ("theta", "system", "first"),
    [(30.0, "", (np.cos(np.pi / 6), np.sin(np.pi / 6), 0)), (7, "CORD2R", (0, 1, 0)), (8, "CORD2C", None)],
)
def test_directions_of_orthotropic_shells(tmp_path, theta, system, first):
    """An angle from the first side, the x axis of a system, the radial direction at the middle of the element."""
    X = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1))
    text += card("MAT8", 1, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0) + card("PSHELL", 1, 1, 0.01, 1, None, 1)
    text += card("CQUAD4", 1, 1, 1, 2, 3, 4, theta)
    text += card("CORD2R", 7, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    text += card("CORD2C", 8, 0, 5.0, -2.0, 0.0, 5.0, -2.0, 1.0, 6.0, 0.0, 0.0)
    axis = np.array([0.5 - 5, 0.5 + 2, 0.0]) if first is None else np.array(first, float)
    axis /= np.linalg.norm(axis)
    axes = (tuple(axis), tuple(np.cross([0, 0, 1], axis)), (0, 0, 1))
    ply = fem.Orthotropic((40e9, 10e9, 10e9), (0.3, 0.0, 0.0), (4e9, 3e9, 2e9), rho=1800.0, axes=axes)
    by_hand = fem.assemble(fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),)), fem.Shell(ply, 0.01))
    as_by_hand(fem.assemble(read(tmp_path, text)), by_hand)


@pytest.mark.parametrize(("theta", "system"), [(30.0, None), (7, "CORD2R"), (8, "CORD2C")])
def test_laminates(tmp_path, theta, system):
    """Plies from the bottom, turned from the material axis of the element; Z0, ZOFFS, NSM and symmetry."""
    X = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1))
    text += card("MAT8", 1, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0) + MAT.replace("       1", "       2")
    text += card("CQUAD4", 1, 1, 1, 2, 3, 4, theta, 0.01)
    text += card("CORD2R", 7, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    text += card("CORD2C", 8, 0, 5.0, -2.0, 0.0, 5.0, -2.0, 1.0, 6.0, 0.0, 0.0)
    plies = (1, 0.001, 0.0, "YES", None, 0.002, 45.0, "YES", 2, 0.004, None, "NO")
    head = ("PCOMP", 1, 0.003, 3.5)
    ply = fem.Ply(40e9, 10e9, nu12=0.3, G12=4e9, rho=1800.0, G13=3e9, G23=2e9)
    axis = {None: (np.sqrt(3) / 2, 0.5, 0), "CORD2R": (0, 1, 0), "CORD2C": (0.5 - 5, 0.5 + 2, 0)}[system]
    mesh = fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),))
    for symmetric in (False, True):
        thick = 0.014 if symmetric else 0.007
        layers = [(ply, 0.001, 0.0), (ply, 0.002, 45.0), (S, 0.004, 0.0)]
        layers += layers[::-1] if symmetric else []
        heavier = [
            fem.Layer(replace(material, rho=material.rho + 3.5 / thick), t, degrees)
            for material, t, degrees in layers
        ]
        by_hand = fem.LayeredShell(heavier, axis=axis, offset=0.003 + thick / 2 + 0.01)
        found = read(tmp_path, text + card(*head, *[None] * 4, "SYM" if symmetric else None, *plies))
        as_by_hand(fem.assemble(found), fem.assemble(mesh, by_hand))
    by_number = ("PCOMPG", *head[1:], *[None] * 5, 11, 1, 0.001, 0.0, "YES", *[None] * 3,
                 12, None, 0.002, 45.0, "YES", *[None] * 3, 17, 2, 0.004)  # fmt: skip
    plain = read(tmp_path, text + card(*head, *[None] * 5, *plies))
    as_by_hand(fem.assemble(read(tmp_path, text + card(*by_number))), fem.assemble(plain))
    with pytest.raises(fem.FileError, match="PCOMP 1: LAM = BEND is not supported"):
        read(tmp_path, text + card(*head, *[None] * 4, "BEND", *plies))
    with pytest.raises(
        fem.FileError, match=r"PCOMP 1 has no bending stiffness \(LAM = MEM\), which Z0 and ZOFFS need"
    ):
        read(tmp_path, text + card(*head, *[None] * 4, "MEM", *plies))


@pytest.mark.parametrize(("kind", "count"), [("quad8", 8), ("tri6", 6)])
def test_quadratic_shells(tmp_path, kind, count):
    """Corners, then the middles of the sides in their order."""
    X = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]][: count // 2], float)
    X = np.vstack([X, [(X[k] + X[(k + 1) % len(X)]) / 2 for k in range(len(X))]])
    X[:, 2] = 0.1 * X[:, 0] ** 2  # curved
    text = "".join(card("GRID", n, None, *x, form="large") for n, x in enumerate(X.tolist(), start=11)) + MAT
    text += card({"quad8": "CQUAD8", "tri6": "CTRIA6"}[kind], 1, 5, *range(11, 11 + count))
    text += card("PSHELL", 5, 1, 0.02, 1, None, 1)
    mesh = fem.Mesh(X, (fem.Block(kind, [range(count)]),))
    as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(mesh, fem.Shell(S, 0.02)))


def test_an_element_that_can_not_be_a_shell_is_named_with_its_file(tmp_path):
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("GRID", 7, None, 0.0, 0.0, 0.0) + card("PSHELL", 5, 1, 0.01, 1, None, 1)
    mesh = read(tmp_path, text + card("CTRIA3", 8, 5, 1, 2, 5) + card("CTRIA3", 9, 5, 1, 7, 2))
    with pytest.raises(
        fem.InputError, match=r"part\.bdf: .*two nodes at one place.*\(tri3 element 9 \(line 11\)\)"
    ):
        fem.assemble(mesh)


@pytest.mark.parametrize(
    ("card_name", "read_as", "nodes"), [("CQUADR", "CQUAD4", (1, 2, 5, 4)), ("CTRIAR", "CTRIA3", (2, 3, 6))]
)
def test_elements_with_a_formulation_of_their_own_are_told(tmp_path, card_name, read_as, nodes):
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("PSHELL", 5, 1, 0.01, 1, None, 1)
    special, plain = (read(tmp_path, text + card(name, 7, 5, *nodes)) for name in (card_name, read_as))
    as_by_hand(fem.assemble(special), fem.assemble(plain))
    line = (text + card(card_name, 7, 5, *nodes)).count("\n")
    assert f"formulation of {card_name}, line {line}: it is read as {read_as}" in special.report()
    assert "formulation" not in plain.report()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((1, 0.01, -2), "MID2 is -2"),
        ((None, 0.01, 1, None, 1), "MID1 is blank .bending without membrane"),
        ((1, None, 1, None, 1), "has no thickness"),
    ],
)
def test_plates_that_are_not_supported(tmp_path, fields, message):
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, text + card("CQUAD4", 1, 5, 1, 2, 5, 4) + card("PSHELL", 5, *fields))


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ((2, None, 1), {"bending_material": "soft", "shear_material": "steel"}),
        ((2, None, None), {"bending_material": "soft", "shear_material": "soft"}),
        ((1, None, 2), {"bending_material": "steel", "shear_material": "soft"}),
        ((1, 1.5, 1, 0.4), {"bending_factor": 1.5, "shear_factor": 0.4}),
        ((2, 2.5, 3, 0.9), {"bending_material": "soft", "shear_material": "light", "bending_factor": 2.5,
                            "shear_factor": 0.9}),
        ((1, 1.0, 1, 0.8333), {}),
    ],
)  # fmt: skip
def test_plates_of_several_materials(tmp_path, fields, options):
    """MID2, 12I/T^3, MID3, TS/T; the mass is that of MID1 with the NSM."""
    materials = {
        "steel": S,
        "soft": fem.Isotropic(70e9, 0.33, 2700.0),
        "light": fem.Isotropic(3e9, 0.4, 1200.0),
    }
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("MAT1", 2, 70e9, None, 0.33, 2700.0) + card("MAT1", 3, 3e9, None, 0.4, 1200.0)
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4) + card("CTRIA3", 2, 5, 2, 3, 6) + card("CTRIA3", 3, 5, 2, 6, 5)
    fields = [*fields, *[None] * (4 - len(fields))]
    text += card("PSHELL", 5, 1, 0.02, *fields, 15.7)
    chosen = {k: materials.get(v, v) for k, v in options.items()}
    heavy = fem.Isotropic(S.E, S.nu, S.rho + 15.7 / 0.02)
    as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(SHEET, fem.Shell(heavy, 0.02, **chosen)))


@pytest.mark.parametrize(
    ("corners", "flag", "mean"),
    [
        ((0.02, 0.03, 0.05, 0.04), None, 0.035),
        ((0.02, 0.03), None, 0.0175),  # blank: T of PSHELL, 10 mm
        ((2.0, 3.0, None, 4.0), 1, 0.025),  # over T, blank: 1
        ((3.0, 3.0, 3.0, 3.0), 1, 0.03),
    ],
)
@pytest.mark.parametrize("units", ["SI", "mm"])
def test_thicknesses_of_corners(tmp_path, corners, flag, mean, units):
    """Each element has the mean of its corners."""
    lengths = {"SI": 1.0, "mm": 1e3}[units]
    text = "".join(
        card("GRID", n, None, *map(float, x * lengths)) for n, x in enumerate(SHEET.points, start=1)
    )
    text += {"SI": MAT, "mm": card("MAT1", 1, S.E * 1e-6, None, S.nu, S.rho * 1e-12)}[units]
    given = [t if t is None or flag else t * lengths for t in (*corners, *[None] * (4 - len(corners)))]
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4, None, None, None, flag, *given)
    text += card("CTRIA3", 2, 5, 2, 3, 6) + card("CTRIA3", 3, 5, 2, 6, 5)
    text += card("PSHELL", 5, 1, 0.01 * lengths, 1, None, 1)
    found = read(tmp_path, text, units=units)
    sets = fem.Mesh(SHEET.points, SHEET.blocks, element_sets={"a": [0], "b": [1, 2]})
    by_hand = fem.assemble(sets, {"a": fem.Shell(S, mean), "b": fem.Shell(S, 0.01)})
    as_by_hand(fem.assemble(found), by_hand)
    assert ("varies" in found.report()) == (len(set(corners)) > 1)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (card("PSHELL", 5, 1, None, 1, None, 1), "CQUAD4 1 gives no thickness at some corners"),
        (card("PSHELL", 5, 1, 0.01, 1, None, 1, None, 3.0), "NSM of elements whose thickness varies"),
        (card("PSHELL", 5, 2, 0.01, 2, None, 2), "a thickness that varies is supported for isotropic"),
        (card("PSHELL", 5, 1, 0.01, 2, None, 1), "a thickness that varies is supported for isotropic"),
    ],
)
def test_thicknesses_of_corners_that_are_not_read(tmp_path, more, message):
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("MAT8", 2, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0)
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4, None, None, None, None, 0.02, 0.03)
    with pytest.raises(fem.FileError, match=rf"line \d+: .*({message})"):
        read(tmp_path, text + more)


def test_a_solid_of_nine_constants(tmp_path):
    """MAT9 in turned axes: the order xx, yy, zz, xy, yz, zx of Nastran against ours."""
    ply = fem.Orthotropic((40e9, 10e9, 5e9), (0.3, 0.2, 0.1), (4e9, 3e9, 2e9), rho=1800.0)
    C = ply.stiffness[np.ix_([0, 1, 2, 5, 3, 4], [0, 1, 2, 5, 3, 4])]
    mesh = fem.box((1.0, 0.5, 0.25), (2, 1, 1), "hex8")
    text = mesh_cards(mesh, form="large") + card("PSOLID", 1, 1, 3)
    text += card("MAT9", 1, *C[np.triu_indices(6)].tolist(), 1800.0, form="large")
    text += card("CORD2R", 3, 0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    turned = fem.Orthotropic(ply.E, ply.nu, ply.G, rho=1800.0, axes=((0, 0, 1), (1, 0, 0), (0, 1, 0)))
    as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(mesh, turned))


PLY = fem.Orthotropic((40e9, 10e9, 5e9), (0.3, 0.2, 0.1), (4e9, 3e9, 2e9), rho=1800.0)
NINE = PLY.stiffness[np.ix_([0, 1, 2, 5, 3, 4], [0, 1, 2, 5, 3, 4])][np.triu_indices(6)]


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_materials_along_the_axes_of_each_brick(tmp_path, kind):
    """CORDM = -1. Sheared bricks: F = R U, U symmetric, has the vectors R, S, T for columns if they start as a cube.

    So the axes are the columns of R, by scipy's polar decomposition; for those of a box they are its sides.
    """
    F = np.array([[1.0, 0.3, 0.1], [0.2, 0.9, 0.0], [0.0, -0.2, 1.1]])
    for shape in (
        F,
        np.linalg.qr(F)[0] * [1, 1, np.linalg.det(np.linalg.qr(F)[0])] @ np.diag([1.0, 0.5, 2.0]),
    ):
        cubes = fem.box((2.0, 1.0, 1.0), (2, 1, 1), kind)
        mesh = replace(cubes, points=cubes.points @ shape.T)
        text = mesh_cards(mesh, form="large") + card("PSOLID", 1, 1, -1)
        text += card("MAT9", 1, *NINE.tolist(), 1800.0, form="large")
        R = scipy.linalg.polar(shape)[0]
        by_hand = replace(PLY, axes=tuple(map(tuple, R.T)))
        as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(mesh, by_hand))


def test_materials_along_the_axes_of_other_solids_are_refused(tmp_path):
    mesh = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "tet4")
    text = mesh_cards(mesh) + card("PSOLID", 1, 1, -1)
    with pytest.raises(fem.FileError, match=r"CORDM = -1, .*is supported for CHEXA only, not for tet4"):
        read(tmp_path, text + card("MAT9", 1, *NINE.tolist(), 1800.0, form="large"))
    steel = text + MAT
    as_by_hand(fem.assemble(read(tmp_path, steel)), fem.assemble(mesh, S))


@pytest.mark.parametrize("theta", [0.0, 30.0])
@pytest.mark.parametrize("thickness", [0.007, 1.0])
def test_a_laminate_by_the_stiffness_of_its_section(tmp_path, theta, thickness):
    """MAT2 for membrane, bending, shear and coupling, as Nastran writes a PCOMP, and as others do with T = 1.

    Against classical lamination: A = T G1, D = I G2, B = int z G dz = - T^2 G4 (NASTRAN-95 forms G4 so), S = TS G3.
    """
    X = [[0, 0, 0], [1, 0, 0.1], [1.1, 1, 0], [0, 0.9, 0]]
    ply = fem.Ply(40e9, 10e9, nu12=0.3, G12=4e9, rho=1800.0, G13=3e9, G23=2e9)
    layers = [fem.Layer(ply, 0.003), fem.Layer(ply, 0.002, 45.0), fem.Layer(S, 0.002)]
    section = fem.LayeredShell(layers).layup()
    A, B, D = section.plane[:3, :3], section.plane[:3, 3:], section.plane[3:, 3:]
    ratio = 1.0 if thickness == 0.007 else 12.0
    bending = D / (ratio * thickness**3 / 12)
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1))
    upper = np.triu_indices(3)
    for number, C, rho in (
        (1, A / thickness, 12.0 / thickness),
        (2, bending, 0.0),
        (4, -B / thickness**2, 0.0),
    ):
        text += card("MAT2", number, *C[upper].tolist(), float(rho), form="large")
    shear = section.S / (0.8 * thickness)
    text += card("MAT2", 3, shear[0, 0], shear[0, 1], 0.0, shear[1, 1], 0.0, 0.0, form="large")
    text += card("PSHELL", 5, 1, thickness, 2, ratio, 3, 0.8, 1.5, None, None, 4, form="large")
    text += card("CQUAD4", 1, 5, 1, 2, 3, 4, theta, 0.01)
    mesh = fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),))
    side, across = np.subtract(X[1], X[0]), np.cross(np.subtract(X[2], X[0]), np.subtract(X[3], X[1]))
    n = across / np.linalg.norm(across)
    side = side - (side @ n) * n
    axis = np.cos(np.radians(theta)) * side + np.sin(np.radians(theta)) * np.cross(n, side)
    by_hand = fem.LayeredShell(layers, axis=axis if theta else fem.FirstSide(), offset=0.01)
    found = fem.assemble(read(tmp_path, text))
    same(found.K, fem.assemble(mesh, by_hand).K)
    height = np.sqrt(12 * np.trace(D) / np.trace(A))
    general = fem.GeneralShell(section.plane, section.S, height, 13.5, axis=by_hand.axis, offset=0.01)
    same(found.M, fem.assemble(mesh, general).M)


def test_a_plate_of_anisotropic_materials(tmp_path):
    """MAT8 in bending over a core of MAT1 in shear; membrane of MAT2 alone without bending."""
    X = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1)) + MAT
    text += card("MAT8", 2, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0) + card("MAT1", 3, 3e9, None, 0.4, 1200.0)
    text += card("CQUAD4", 1, 5, 1, 2, 3, 4)
    ply = fem.Ply(40e9, 10e9, nu12=0.3, G12=4e9, rho=1800.0)
    C = plane_stress(ply)[0]
    plane = np.zeros((6, 6))
    plane[:3, :3], plane[3:, 3:] = 0.02 * plane_stress(S)[0], 2.0 * 0.02**3 / 12 * C
    shear = 0.02 * 0.9 * 3e9 / 2.8 * np.eye(2)
    height = np.sqrt(12 * np.trace(plane[3:, 3:]) / np.trace(plane[:3, :3]))
    mesh = fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),))
    by_hand = fem.GeneralShell(plane, shear, height, 0.02 * 7850.0, axis=fem.FirstSide())
    as_by_hand(
        fem.assemble(read(tmp_path, text + card("PSHELL", 5, 1, 0.02, 2, 2.0, 3, 0.9))),
        fem.assemble(mesh, by_hand),
    )
    text += card("MAT2", 7, *C[np.triu_indices(3)].tolist(), 1800.0, form="large")
    flat = replace(read(tmp_path, text + card("PSHELL", 5, 7, 0.02)), parts=())
    membrane = fem.Membrane(ply, 0.02, axis=fem.FirstSide())
    as_by_hand(fem.assemble(flat), fem.assemble(mesh, membrane))
    with pytest.raises(fem.FileError, match=r"MAT2.*can't be that of a plate"):
        indefinite = card("MAT2", 8, -1e9, 0.0, 0.0, 1e9, 0.0, 1e9)
        mesh = read(tmp_path, text + indefinite + card("PSHELL", 5, 8, 0.02))
        raise fem.FileError("; ".join(mesh.doubts))


CORE = (0.02, 400.0, 3e8, 2e8)  # thickness, density, E1, E2


def sandwich(tmp_path, lam, plies, z0=None):
    """The shell of a PCOMP on a square of 1 m, 30 degrees from its first side; material 1 is a ply, 2 the core."""
    X = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1))
    text += card("MAT8", 1, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0)
    text += card("MAT8", 2, CORE[2], CORE[3], 0.25, 1e8, 9e7, 5e7, CORE[1]) + card(
        "CQUAD4", 1, 1, 1, 2, 3, 4, 30.0
    )
    words = [word for ply in plies for word in (*ply, None)]
    return read(tmp_path, text + card("PCOMP", 1, z0, 1.2, *[None] * 4, lam, *words))


def plane_of(E1, E2, nu, G, degrees):
    """Plane stiffness (3, 3) of a ply at an angle (Jones, Mechanics of Composite Materials, 2.80)."""
    k, c, s = 1 / (1 - nu**2 * E2 / E1), np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    C = np.array([[k * E1, k * nu * E2, 0], [k * nu * E2, k * E2, 0], [0, 0, G]])
    T = np.array([[c * c, s * s, s * c], [s * s, c * c, -s * c], [-2 * s * c, 2 * s * c, c * c - s * s]])
    return T.T @ C @ T


def test_a_smeared_laminate(tmp_path):
    """The order of plies does not matter: A by classical lamination, D = A T^2 / 12 (QRG, PCOMP: MID1 = MID2)."""
    plies = [(1, 0.001, 0.0), (1, 0.003, 60.0), (2, 0.002, 20.0)]
    with pytest.warns(fem.FlexbodyWarning, match="PCOMP 1 with LAM = SMEAR is rigid in transverse shear"):
        mesh = sandwich(tmp_path, "SMEAR", plies)
    T, ply, core = 0.006, (40e9, 10e9, 0.3, 4e9), (*CORE[2:], 0.25, 1e8)
    A = sum(t * plane_of(*(ply if n == 1 else core), a) for n, t, a in plies)
    G = np.zeros((2, 2))
    for (_, t, a), (G13, G23) in zip(plies, ((3e9, 2e9), (3e9, 2e9), (9e7, 5e7)), strict=True):
        c, s = np.cos(np.radians(a)), np.sin(np.radians(a))
        G += t * np.array([[c, -s], [s, c]]) @ np.diag([G13, G23]) @ np.array([[c, s], [-s, c]])
    plane = np.kron([[1, 0], [0, 0]], A) + np.kron([[0, 0], [0, 1]], A * T**2 / 12)
    axis = (np.cos(np.pi / 6), 0.5, 0.0)
    by_hand = fem.GeneralShell(plane, 5 / 6 * G, T, 1800 * 0.004 + CORE[1] * 0.002 + 1.2, axis=axis)
    as_by_hand(fem.assemble(mesh), fem.assemble(replace(mesh, properties={}), by_hand))


def test_faces_about_a_core(tmp_path):
    """LAM = SMCORE: half of the faces below the core, half above, each with their mean stiffness (QRG, PCOMP)."""
    one = sandwich(tmp_path, "SMCORE", [(1, 0.004, 15.0), (2, CORE[0], 0.0)])
    three = sandwich(tmp_path, None, [(1, 0.002, 15.0), (2, CORE[0], 0.0), (1, 0.002, 15.0)])
    as_by_hand(fem.assemble(one), fem.assemble(three))
    (its,) = sandwich(
        tmp_path, "SMCORE", [(1, 0.001, 0.0), (1, 0.003, 90.0), (2, CORE[0], 0.0)]
    ).properties.values()
    below, core, above = its.layers
    assert (below.thickness, core.thickness, above.thickness) == (0.002, CORE[0], 0.002)
    ply = (40e9, 10e9, 0.3, 4e9)
    mean = 0.25 * plane_of(*ply, 0.0) + 0.75 * plane_of(*ply, 90.0)
    for face in (below, above):
        found = np.array(face.material.constants)[np.ix_([0, 1, 5], [0, 1, 5])]
        np.testing.assert_allclose(found, mean, rtol=1e-12, atol=1e-6 * mean.max())
    for plies, z0, message in (
        ([(1, 0.004, 15.0)], None, "SMCORE needs plies of the faces, and the core"),
        ([(1, 0.004, 15.0), (2, 0.02, 0.0)], 0.0, "SMCORE needs plies about the grid points; give ZOFFS"),
    ):
        with pytest.raises(fem.FileError, match=message):
            sandwich(tmp_path, "SMCORE", plies, z0)


@pytest.mark.parametrize("theta", [0.0, 30.0])
@pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
def test_laminates_without_bending(tmp_path, theta):
    """LAM = MEM: the membrane stiffness of the layers, whatever their order; by classical lamination."""
    X = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(X, start=1))
    text += card("MAT8", 1, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0) + card("CQUAD4", 1, 1, 1, 2, 3, 4, theta)
    text += card("PCOMP", 1, None, 1.2, *[None] * 4, "MEM", 1, 0.001, 0.0, None, None, 0.003, 60.0)
    found = fem.assemble(replace(read(tmp_path, text), parts=()))
    ply = fem.Ply(40e9, 10e9, nu12=0.3, G12=4e9, rho=1800.0)
    a = np.radians(theta)
    expected, mesh = 0.0, fem.Mesh(X, (fem.Block("quad4", [[0, 1, 2, 3]]),))
    for thickness, angle in ((0.001, a), (0.003, a + np.pi / 3)):
        axis = (np.cos(angle), np.sin(angle), 0.0)
        expected = expected + fem.assemble(mesh, fem.Membrane(ply, thickness, axis=axis)).K.toarray()
    u = np.outer(
        np.array(X) @ [0.3, -0.2, 0.0], [0.5, 0.8, 0.0]
    ).ravel()  # constant strains, alike in all layers
    assert u @ found.K @ u == pytest.approx(u @ expected @ u, rel=1e-10)
    assert found.mass == pytest.approx(0.004 * 1800.0 + 1.2, rel=1e-12)
