"""Bodies that decks describe against the same parts built by hand, and against closed forms."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy
from support.damping import damping
from support.nastran import STEEL, card, mesh_cards, read

import fem

S = fem.Isotropic(210e9, 0.3, 7850.0)
MAT = card("MAT1", 1, 210e9, None, 0.3, 7850.0)
G = 210e9 / 2.6


def same(a, b, rel=1e-9):
    assert a.shape == b.shape
    assert abs(a - b).max() <= rel * abs(b).max()


def as_by_hand(read_one, by_hand):
    same(read_one.K, by_hand.K)
    same(read_one.M, by_hand.M)


# --- shells ---------------------------------------------------------------------------------------------------

SHEET = fem.Mesh(
    [[0, 0, 0], [1, 0, 0.1], [2, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0.1]],
    (fem.Block("quad4", [[0, 1, 4, 3]], [1]), fem.Block("tri3", [[1, 2, 5], [1, 5, 4]], [2, 3])),
)


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
    with pytest.raises(fem.FileError, match="LAM = MEM is not supported"):
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


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((1, 0.01), "MID2 is blank .no bending"),
        ((None, 0.01, 1, None, 1), "MID1 is blank .no membrane"),
        ((1, 0.01, 1, None, 1, None, None, None, None, 2), "MID4 couples"),
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


# --- bars -----------------------------------------------------------------------------------------------------

LINE = card("GRID", 1, None, 0.0, 0.0, 0.0) + card("GRID", 2, None, 2.0, 0.0, 0.0) + MAT


def tip(structure, force, moment=(0, 0, 0)):
    """Displacement and rotation of grid 2 with grid 1 held."""
    static = fem.static(structure, {"1": "all"}, fem.Force("2", force, moment))
    u, r = structure.displacements(static.u), structure.rotations(static.u)
    node = structure.mesh.nodes_of("2")[0]
    return u[node], r[node]


def test_bending_stretching_and_turning_of_a_bar(tmp_path):
    """Closed forms: I1 and K1 belong to the plane of the orientation, here y; I2 and K2 to z."""
    A, I1, I2, J, K1, K2 = 1e-3, 2e-7, 5e-8, 1e-7, 0.6, 0.8
    text = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0)
    bar = fem.assemble(read(tmp_path, text + card("PBAR", 1, 1, A, I1, I2, J, 3.0, *[None] * 9, K1, K2)))
    L, E = 2.0, 210e9
    u, r = tip(bar, (1e3, 0, 0), (50.0, 0, 0))
    assert u[0] == pytest.approx(1e3 * L / (E * A), rel=1e-9)
    assert r[0] == pytest.approx(50 * L / (G * J), rel=1e-9)
    assert tip(bar, (0, 1e3, 0))[0][1] == pytest.approx(
        1e3 * (L**3 / (3 * E * I1) + L / (K1 * G * A)), rel=1e-9
    )
    assert tip(bar, (0, 0, 1e3))[0][2] == pytest.approx(
        1e3 * (L**3 / (3 * E * I2) + L / (K2 * G * A)), rel=1e-9
    )
    assert bar.mass == pytest.approx(L * (7850 * A + 3.0))
    stiff = fem.assemble(read(tmp_path, text + card("PBAR", 1, 1, A, I1, I2, J)))
    assert tip(stiff, (0, 1e3, 0))[0][1] == pytest.approx(1e3 * L**3 / (3 * E * I1), rel=1e-9)


def test_the_product_of_area_has_its_sign(tmp_path):
    """A thin flat bar turned by 30 degrees from y to z, given by I1, I2, I12, bends along its weak direction."""
    a, strong, weak = np.pi / 6, 2e-7, 1e-9
    # y' along the bar's height: int y'^2 = strong; y = c y' - s z', z = s y' + c z'
    c, s = np.cos(a), np.sin(a)
    I1, I2, I12 = c * c * strong + s * s * weak, s * s * strong + c * c * weak, s * c * (strong - weak)
    text = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0, form="large")
    text += card("PBAR", 1, 1, 1e-3, I1, I2, 1e-8, *[None] * 12, I12, form="large")
    bar = fem.assemble(read(tmp_path, text))
    across = np.array([0, -s, c])  # z', in which the weak moment resists
    u, _ = tip(bar, tuple(1.0 * across))
    assert u == pytest.approx(across * 8 / (3 * 210e9 * weak), rel=1e-7, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "sizes", "section"),
    [
        ("BAR", (0.02, 0.05), fem.Rectangle(width_y=0.02, height_z=0.05, nu=0.3)),
        ("ROD", (0.02,), fem.Circle(0.04, nu=0.3)),
        ("TUBE", (0.03, 0.02), fem.Tube(0.06, 0.04, nu=0.3)),
        ("TUBE2", (0.03, 0.01), fem.Tube(0.06, thickness=0.01, nu=0.3)),
        ("I", (0.1, 0.05, 0.05, 0.006, 0.01, 0.01), fem.ISection(0.1, 0.05, web=0.006, flange=0.01, nu=0.3)),
    ],
)
@pytest.mark.parametrize("card_name", ["PBARL", "PBEAML"])
def test_sections_of_the_library(tmp_path, kind, sizes, section, card_name):
    """The height of a section lies along the orientation, which is our up."""
    name = "CBAR" if card_name == "PBARL" else "CBEAM"
    text = LINE + card(name, 1, 1, 1, 2, 0.0, 0.0, 1.0)
    text += card(card_name, 1, 1, None, kind, *[None] * 4, *sizes)
    mesh = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(mesh, fem.Beam(S, section, up=(0, 0, 1))))


def test_a_box_of_the_library(tmp_path):
    """Difference of rectangles, and the drawn section; Bredt's torsion is for walls that are thin."""
    text = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0)
    text += card("PBARL", 1, 1, None, "BOX", *[None] * 4, 0.04, 0.06, 0.003, 0.002)
    section = read(tmp_path, text).properties["PBARL 1"].section
    w, h, tf, ts = 0.04, 0.06, 0.003, 0.002
    assert pytest.approx(w * h - (w - 2 * ts) * (h - 2 * tf)) == section.A
    assert section.Iy == pytest.approx((w * h**3 - (w - 2 * ts) * (h - 2 * tf) ** 3) / 12)
    assert section.Iz == pytest.approx((h * w**3 - (h - 2 * tf) * (w - 2 * ts) ** 3) / 12)
    outer, inner = ([(y * a / 2, z * b / 2) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
                    for a, b in ((w, h), (w - 2 * ts, h - 2 * tf)))  # fmt: skip
    drawn = fem.DrawnSection([outer], holes=[inner], nu=0.3)
    np.testing.assert_allclose([section.J, section.ky, section.kz], [drawn.J, drawn.ky, drawn.kz], rtol=1e-9)
    middle = (w - ts) * (h - tf)
    assert pytest.approx(4 * middle**2 / (2 * (w - ts) / tf + 2 * (h - tf) / ts), rel=0.03) == section.J


def test_a_beam_with_offsets_orientation_by_a_grid_point_and_hinges(tmp_path):
    """Offsets in the displacement axes (CD) of their grid points, along the beam too; PB releases both rotations."""
    text = (
        card("CORD2R", 3, 0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0) + MAT
    )  # its x is z, its y is x, its z is y
    text += card("GRID", 1, None, 0.0, 0.0, 0.0, 3) + card("GRID", 2, None, 2.0, 0.0, 0.0)
    text += card("GRID", 9, None, 0.5, 0.0, 7.0)
    text += card("CBAR", 1, 1, 1, 2, 9, None, None, None, None, "56", 0.1, 0.2, 0.3, -0.2, 0.3, 0.1)
    text += card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7)
    mesh = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    section = fem.Section(A=1e-3, Iy=2e-7, Iz=5e-8, J=1e-7)
    # at grid 1 x, y, z of system 3 are z, x, y: the arm is (0.2, 0.3, 0.1)
    beam = fem.Beam(
        S, section, up=(0.5, 0, 7.0), shear=False, offset=((0.2, 0.3, 0.1), (-0.2, 0.3, 0.1)),
        releases={"end": ("ry", "rz")},
    )  # fmt: skip
    as_by_hand(fem.assemble(read(tmp_path, text)), fem.assemble(mesh, beam))


def test_rigid_arms_along_a_beam_shorten_it():
    """Closed form: a cantilever of 2 m whose beam begins 0.5 m from its root bends over 1.5 m."""
    mesh = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"root": [0], "tip": [1]})
    beam = fem.Beam(S, fem.Circle(0.02), shear=False, offset=((0.5, 0, 0), (0.0, 0, 0)))
    structure = fem.assemble(mesh, beam)
    moved = fem.static(structure, "root", fem.Force("tip", (0, 0, 10.0))).at("tip")[2]
    assert moved == pytest.approx(10 * 1.5**3 / (3 * 210e9 * np.pi * 0.02**4 / 64), rel=1e-9)


def test_a_beam_about_its_shear_centres(tmp_path):
    """PBEAM: the centroid is N1, N2 from the line of shear centres, which joins the grid points."""
    text = LINE + card("CBEAM", 1, 1, 1, 2, 0.0, 1.0, 0.0)
    line = [1e-3, 2e-7, 5e-8, None, 1e-7, None, *[None] * 8]
    rest = ["YESA", 1.0, *[None] * 6, 0.0, 0.0, *[None] * 10, 0.01, 0.02]
    with pytest.raises(
        fem.FileError, match="NSM beside the neutral axis"
    ):  # Nastran puts it at the shear centres
        read(tmp_path, text + card("PBEAM", 1, 1, *line[:5], 2.0, *line[6:], *rest))
    text += card("PBEAM", 1, 1, *line, *rest)
    mesh = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),))
    section = fem.Section(A=1e-3, Iy=2e-7, Iz=5e-8, J=1e-7, shear_centre=(0.02, -0.01))
    beam = fem.Beam(S, section, up=(0, 1, 0), shear=False, offset=(-0.02, 0.01))
    structure = fem.assemble(read(tmp_path, text))
    as_by_hand(structure, fem.assemble(mesh, beam))
    # a force through the grid points does not twist
    assert tip(structure, (0, 1e3, 500.0))[1][0] == pytest.approx(0, abs=1e-9)


def test_rods(tmp_path):
    text = LINE + card("CONROD", 7, 1, 2, 1, 1e-4, None, None, 0.5)
    structure = fem.assemble(read(tmp_path, text))
    assert structure.K[0, 0] == pytest.approx(210e9 * 1e-4 / 2)
    assert structure.mass == pytest.approx(2 * (0.785 + 0.5))


def test_rods_resist_torsion_where_their_ends_turn(tmp_path):
    """A rod beside a bar adds G J / l; alone, its ends have no rotations and J is left out with a word."""
    rods = card("CROD", 11, 3, 1, 2) + card("PROD", 3, 1, 1e-4, 2e-8)
    mesh = read(tmp_path, LINE + rods)
    assert any(one.what == "J of PROD 3" for one in mesh.left_out)
    bar = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0) + card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7)
    structure = fem.assemble(read(tmp_path, bar + rods))
    turned = tip(structure, (0, 0, 0), (100.0, 0, 0))[1][0]
    assert turned == pytest.approx(100.0 * 2 / (G * 1.2e-7), rel=1e-9)


def test_a_tapered_beam_is_taken_by_its_means(tmp_path):
    """I = 2 - x, in 1e-7: clamped at the thin end, int x^2 / (2 - x) = 4 ln 2 - 2.5, 1.2266 times 1 / (3 * 1.5)."""
    head = LINE + card("CBEAM", 1, 1, 1, 2, 0.0, 1.0, 0.0)
    line = [2e-3, 2e-7, 2e-7, None, 4e-7, None, *[None] * 8]
    end = ["NO", 1.0, 1e-3, 1e-7, 1e-7, None, 2e-7, None]
    with pytest.warns(fem.FlexbodyWarning, match=r"PBEAM 1 varies .*I1 from 2e-07 to 1e-07.* up to 23 %"):
        mesh = read(tmp_path, head + card("PBEAM", 1, 1, *line, *end, 0.0, 0.0))
    section = mesh.properties["PBEAM 1"].section
    assert (section.A, section.Iy, section.J) == pytest.approx((1.5e-3, 1.5e-7, 3e-7))
    assert fem.assemble(mesh).mass == pytest.approx(7850 * 2 * 1.5e-3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (card("CBAR", 1, 1, 1, 2), "CBAR 1 has no orientation"),
        (card("CBAR", 1, 1, 1, 2, 1.0, 0.0, 0.0), "its orientation is parallel to it"),
        (card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0, "GGO"), "OFFT = GGO"),
        (card("CBAR", 1, 2, 1, 2, 0.0, 1.0, 0.0), "PBARL 2: a section of type 'ZED'"),
        (card("CBAR", 1, 4, 1, 2, 0.0, 1.0, 0.0), "PBAR 4 is no section of a beam: I2 = 0"),
    ],
)
def test_bars_that_are_not_supported(tmp_path, text, message):
    number = next(n for n in "124" if f"{n:>8}" in text[16:24])
    properties = {
        "1": card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7),
        "2": card("PBARL", 2, 1, None, "ZED", *[None] * 4, 0.1, 0.1, 0.1, 0.1),
        "4": card("PBAR", 4, 1, 1e-3, 2e-7),
    }
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, LINE + text + properties[number])


# --- masses and springs -----------------------------------------------------------------------------------------

BEAM = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0) + card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7)
HAND = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"a": [0], "b": [1]})
BY_HAND = fem.Beam(S, fem.Section(A=1e-3, Iy=2e-7, Iz=5e-8, J=1e-7), up=(0, 1, 0), shear=False)


def test_a_mass_with_arm_and_products_of_inertia(tmp_path):
    """In the axes of a cylindrical system at the grid point: radial is y there; then as a point (CID = -1)."""
    base = fem.assemble(HAND, BY_HAND)
    inertia = (3.0, 0.1, 4.0, 0.2, 0.3, 5.0)  # I11, I21, I22, I31, I32, I33
    system = card(
        "CORD2C", 5, 0, 2.0, -1.0, 0.0, 2.0, -1.0, 1.0, 3.0, -1.0, 0.0
    )  # at (2, 0, 0): r = y, theta = -x
    axes = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]])
    offset = np.array([0.1, 0.2, 0.3]) @ axes
    I = np.array([[3.0, -0.1, -0.2], [-0.1, 4.0, -0.3], [-0.2, -0.3, 5.0]])
    I = axes.T @ I @ axes
    c = np.array([[0, -offset[2], offset[1]], [offset[2], 0, -offset[0]], [-offset[1], offset[0], 0]])
    M = np.block([[7.0 * np.eye(3), -7.0 * c], [7.0 * c, I - 7.0 * c @ c]])
    for text in (
        system + card("CONM2", 3, 2, 5, 7.0, 0.1, 0.2, 0.3, None, *inertia),
        card("CONM1", 3, 2, None, *M[np.tril_indices(6)].tolist(), form="large"),
    ):
        found = fem.assemble(read(tmp_path, BEAM + text))
        same((found.M - base.M).toarray()[6:, 6:], M)
    found = fem.assemble(
        read(tmp_path, BEAM + card("CONM2", 3, 2, -1, 7.0, *(np.array([2.0, 0, 0]) + offset).tolist()))
    )
    assert found.center == pytest.approx(
        (base.mass * base.center + 7 * (np.array([2.0, 0, 0]) + offset)) / found.mass
    )


def test_a_mass_with_one_moment_of_inertia_gets_the_least_others(tmp_path):
    """I11 = 4 alone: I22 + I33 must be 4, and the least change is 2 each."""
    card_of_it = card("CONM2", 3, 2, 0, 1.0, None, None, None, None, 4.0)
    with pytest.warns(fem.FlexbodyWarning, match=r"CONM2 3 .* inertia 0, 0, 4, .* raised by 2 each"):
        mesh = read(tmp_path, BEAM + card_of_it)
    (mass,) = mesh.parts
    assert mass.tensor == pytest.approx(np.diag([4.0, 2.0, 2.0]))
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = np.eye(3), 1.0  # principal moments 0, 0, 3, the first -6e-16 by round-off
    ones = card("CONM1", 3, 2, 0, *M[np.tril_indices(6)].tolist())
    with pytest.warns(fem.FlexbodyWarning, match="CONM1 3 .* which no mass has"):
        (mass,) = read(tmp_path, BEAM + ones).parts
    assert np.linalg.eigvalsh(mass.tensor) == pytest.approx([1.5, 1.5, 3.0])
    with pytest.raises(fem.FileError, match="none can be negative"):
        read(tmp_path, BEAM + card("CONM2", 3, 2, 0, 1.0, None, None, None, None, -4.0))


def test_springs_and_dampers_between_components(tmp_path):
    """CELAS and CDAMP along a turned displacement axis, to the ground, and in rotation."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += (
        card("CELAS2", 5, 1e3, 2, 1) + card("CELAS1", 6, 9, 1, 5) + card("PELAS", 8, 1.0, None, None, 9, 70.0)
    )
    text += card("CDAMP2", 7, 20.0, 2, 1) + card("CDAMP1", 8, 11, 1, 5) + card("PDAMP", 10, 1.0, 11, 0.7)
    found, base = fem.assemble(read(tmp_path, text)), fem.assemble(HAND, BY_HAND)
    added = (found.K - base.K).toarray()
    expected = np.zeros((12, 12))
    expected[6:9, 6:9] = 1e3 * np.outer([0.6, 0.8, 0], [0.6, 0.8, 0])
    expected[4, 4] = 70.0
    assert added == pytest.approx(expected, abs=1e-6)
    assert damping(found) == pytest.approx(np.where(expected == 70.0, 0.7, 0.02 * expected), abs=1e-12)
    with pytest.raises(fem.FileError, match="CELAS2 7 joins grid points that are 2 apart across"):
        read(tmp_path, BEAM + card("CELAS2", 7, 1.0, 1, 2, 2, 2))


@pytest.mark.parametrize("share", [None, 0.0, 1.0])
def test_a_bush_resists_no_rigid_motion(tmp_path, share):
    """Closed form: K = sum k b b', D = sum d b b', b the relative motion at the place of the bush, in its axes."""
    text = BEAM + card("GRID", 3, None, 2.0, 0.5, 0.0) + card("RBE2", 9, 2, 123456, 3)
    text += card("GRID", 4, None, 2.0, 0.5, 1.0)
    k = np.array([1e3, 2e3, 3e3, 40.0, 50.0, 60.0])
    d = np.array([9.0, 8.0, 7.0, 0.6, 0.5, 0.4])
    text += card("CBUSH", 7, 8, 3, 4, 1.0, 0.0, 0.0, None, share) + card(
        "PBUSH", 8, "K", *k.tolist(), None, "B", *d.tolist(), None, "GE", 0.1
    )
    mesh = read(tmp_path, text)
    (spring,) = [part for part in mesh.parts if isinstance(part, fem.Spring)]
    place = np.array([2.0, 0.5, 0.5 if share is None else share])
    axes = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])  # x from grid 3 to 4, y along the orientation
    B = np.zeros((6, 12))
    for at, (point, sign) in enumerate((((2.0, 0.5, 0.0), -1), ((2.0, 0.5, 1.0), 1))):
        r = place - np.array(point)
        move = np.eye(6)
        move[:3, 3:] = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        B[:, 6 * at : 6 * at + 6] = sign * move
    B = np.kron(np.eye(2), axes) @ B
    structure = fem.assemble(mesh)
    order = [int(m) for n in "34" for m in structure.freedoms.of_nodes(structure.mesh.nodes_of(n))]
    for found, values in ((spring.stiffnesses, k), (spring.dampings, d)):
        (motions, matrix), = found(structure.mesh, structure.freedoms)  # fmt: skip
        at = [list(motions).index(m) for m in order]
        assert matrix[np.ix_(at, at)] == pytest.approx(B.T @ np.diag(values) @ B, abs=1e-9 * values.max())
    assert [one.what for one in mesh.left_out] == ["structural damping of PBUSH"]


def test_a_bush_at_a_place_in_a_system(tmp_path):
    """OCID: the place by coordinates r, theta, z; the same as the place by S that lies there."""
    text = BEAM + card("GRID", 3, None, 2.0, 0.5, 0.0) + card("RBE2", 9, 2, 123456, 3)
    text += card("GRID", 4, None, 2.0, 0.5, 1.0) + card("PBUSH", 8, "K", 1e3, 2e3, 3e3, 40.0, 50.0, 60.0)
    text += card("CORD2C", 6, 0, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 2.0, 0.5, 0.0)
    bush = ("CBUSH", 7, 8, 3, 4, 1.0, 0.0, 0.0, None)
    by_share = fem.assemble(read(tmp_path, text + card(*bush, 0.25)))
    by_place = fem.assemble(read(tmp_path, text + card(*bush, None, 6, 1.0, 0.0, 0.25)))
    beside = fem.assemble(read(tmp_path, text + card(*bush, None, 6, 1.0, 90.0, 0.25)))
    same(by_place.K, by_share.K)
    assert abs(beside.K - by_share.K).max() > 1.0


# --- connections ------------------------------------------------------------------------------------------------

CUBE = fem.box((1.0, 1.0, 1.0), (2, 2, 2), "hex8")
SOLID = mesh_cards(CUBE) + STEEL + card("GRID", 100, None, 1.5, 0.4, 0.6)
END = [int(n) + 1 for n in CUBE.nodes_of("x1")]


def test_a_rigid_connection_makes_an_interface_of_its_number(tmp_path):
    mesh = read(tmp_path, SOLID + card("RBE2", 3, 100, 123456, *END))
    by_hand = fem.assemble(CUBE, S, parts=[fem.Rigid("tip", "x1", at=(1.5, 0.4, 0.6))])
    found = fem.assemble(mesh)
    as_by_hand(found, by_hand)
    assert fem.interface(found, "100").point == pytest.approx((1.5, 0.4, 0.6))
    held = fem.vibration(found, n=3, supports="100").frequencies_hz
    assert held == pytest.approx(fem.vibration(by_hand, n=3, supports="tip").frequencies_hz, rel=1e-9)
    alpha = read(tmp_path, SOLID + card("RBE2", 3, 100, 123, *END, 1.2e-5))
    as_by_hand(fem.assemble(alpha), by_hand)


def test_weights_of_a_distributing_connection(tmp_path):
    text = SOLID + card("RBE3", 3, None, 100, 123456, 2.0, 123, *END[:4], 1.0, 123, *END[4:])
    weights = {str(n): 2.0 if k < 4 else 1.0 for k, n in enumerate(END)}
    by_hand = fem.assemble(CUBE, S, parts=[fem.Averaged("tip", "x1", at=(1.5, 0.4, 0.6), weights=weights)])
    loaded = [
        fem.load_vector(one, fem.Force(name, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
        for one, name in ((fem.assemble(read(tmp_path, text)), "100"), (by_hand, "tip"))
    ]
    same(*loaded)
    pinned = read(tmp_path, text.replace(" 123456", "    123", 1)).parts[0]
    assert (pinned.weights, pinned.components) == (weights, ("x", "y", "z"))
    for wrong, message in (("12A", "'12A' are no components"), ("123456", "only the components 123")):
        with pytest.raises(fem.FileError, match=message):
            read(tmp_path, SOLID + card("RBE3", 3, None, 100, wrong, 2.0, 12, *END))


def test_a_hinge_of_shells_and_a_rigid_bar(tmp_path):
    """RBE2 of displacements alone leaves the rotations of shells; RBAR is one of two grid points."""
    text = "".join(card("GRID", n, None, *x) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4) + card("PSHELL", 5, 1, 0.02, 1, None, 1)
    text += card("GRID", 100, None, 0.5, 0.5, 1.0) + card("GRID", 101, None, 0.5, 0.5, 2.0)
    text += card("RBE2", 7, 100, 123, 1, 4) + card("RBAR", 8, 100, 101, 123456)
    mesh = read(tmp_path, text)
    quad = fem.Mesh(
        SHEET.points[[0, 1, 3, 4]], (fem.Block("quad4", [[0, 1, 3, 2]]),), {"edge": [0, 2], "other": [3]}
    )
    hinge = fem.Rigid("top", "edge", at=(0.5, 0.5, 1.0), components=("x", "y", "z"))
    by_hand = fem.assemble(quad, fem.Shell(S, 0.02), parts=[hinge])
    assert fem.assemble(mesh).n == by_hand.n == 4 * 6 - 6 + 6
    as_by_hand(fem.assemble(mesh), by_hand)


@pytest.mark.parametrize("components", ["1", "23"])
def test_a_rigid_connection_in_turned_axes(tmp_path, components):
    """Grid 2 follows grid 3 along its own axes (CD): written out as equations, u_2 . e = (u_3 + theta_3 x arm) . e."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += card("GRID", 3, None, 1.5, 0.5, 0.25) + card("GRID", 4, None, 1.5, 1.5, 0.25)
    text += card("CBAR", 2, 1, 3, 4, 1.0, 0.0, 0.0) + card("CBUSH", 6, 6, 3, 2, 1.0, 0.0, 0.0)
    text += card("PBUSH", 6, "K", 1.0)
    mesh = read(tmp_path, text + card("RBE2", 5, 3, components, 2))
    axes, arm = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]), np.array([0.5, -0.5, -0.25])
    springs = tuple(part for part in mesh.parts if isinstance(part, fem.Spring))
    found, by_hand = (fem.assemble(replace(mesh, parts=parts)) for parts in (mesh.parts, springs))
    rows = np.zeros((len(components), by_hand.n))
    two, three = (by_hand.freedoms.of_nodes(by_hand.mesh.nodes_of(n)) for n in "23")
    for row, component in zip(rows, components, strict=True):
        e = axes[int(component) - 1]
        row[two[:3]], row[three[:3]], row[three[3:]] = e, -e, -np.cross(arm, e)
    Z = scipy.linalg.null_space(rows)
    K, M = (Z.T @ A.toarray() @ Z for A in (by_hand.K, by_hand.M))
    expected = scipy.linalg.eigh(K, M, eigvals_only=True)
    values = scipy.linalg.eigh(found.K.toarray(), found.M.toarray(), eigvals_only=True)
    assert values == pytest.approx(expected, rel=1e-8, abs=1e-8 * expected.max())


def test_equations_in_turned_axes(tmp_path):
    """u_r of grid 2 (turned axes) follows u_x of grid 1, and a rotation in mm and rad."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += card("MPC", 3, 2, 1, 1.0, 1, 1, -2.0, None, None, 1, 5, 8.0)
    mesh = read(tmp_path, text, units="mm")
    (equation,) = mesh.parts
    terms = {(node, name): value for node, name, value in equation.terms}
    assert terms == {
        ("2", "x"): pytest.approx(0.6),
        ("2", "y"): pytest.approx(0.8),
        ("1", "x"): -2.0,
        ("1", "ry"): pytest.approx(8e-3),
    }


def test_the_decks_of_others_are_whole(tmp_path):
    """A file as Femap writes it: continuation marks in field 10, systems that nothing uses, a checksum at its end."""
    text = (
        "NASTRAN SYSTEM(442)=-1\nID FEMAP,FEMAP\nSOL SESTATIC\nCEND\n  TITLE = x\n  SPC = 1\nBEGIN BULK\n"
        "CORD2C         1       0      0.      0.      0.      0.      0.      1.+FEMAPC1\n"
        "+FEMAPC1      1.      0.      1.        \n"
        "PBARL          1       1 MSCBML0     BAR                                +       \n"
        "+             .1      .1      0.        \n"
        "MAT1*                  1            70E6                              .3\n"
        "*                  2700.              0.              0.                *\n"
        "*             270000000.\n"
        "GRID           1       0      0.      0.      0.       0\n"
        "GRID           2       0    .125      0.      0.       0\n"
        "CBAR           1       1       1       2      0.      1.      0.        +       \n"
        "+                             0.    -.05     .05      0.    -.05     .05\n"
        "SPC1           1  123456       1\nENDDATA b0eac5ff\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 70 MPa looks wrong
        mesh = read(tmp_path, text)
    beam = mesh.properties["PBARL 1"]
    assert (beam.material.E, beam.material.rho) == (70e6, 2700.0)
    # W is (0, -0.05, 0.05); our z is y, our y is -z
    assert np.array(beam.offset) == pytest.approx(np.array([[0, -0.05, -0.05]] * 2), abs=1e-12)
    assert list(mesh.supports) == ["SPC 1 held in 123456"]


# --- supports in displacement axes ------------------------------------------------------------------------------

#: x axis of system 5 is the basic z axis
TURNED = card("CORD2R", 5, None, *(0.0, 0.0, 0.0), *(0.0, 1.0, 0.0), *(0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("grid", "support", "held"),
    [
        ("1", "", {"z"}),
        ("4", "", {"rz"}),
        ("", "1234", {"x", "y", "z", "rz"}),
        ("", "5", {"rx"}),
        ("", "value", {"z"}),
    ],
)
def test_axes_of_supports_along_basic_axes_are_those(grid, support, held, tmp_path):
    """The turned axes are the basic z, x and y axes."""
    text = TURNED + card("GRID", 1, None, 0.0, 0.0, 0.0, 5, grid) + card("GRID", 2, None, 1.0, 0.0, 0.0)
    text += card("CBAR", 1, 1, 1, 2, 0.0, 0.0, 1.0) + card("PBAR", 1, 1, 1e-4, 1e-8, 2e-8, 1e-8) + MAT
    if support == "value":
        text += card("SPC", 7, 1, 1, 0.1)
    elif support:
        text += card("SPC1", 7, support, 1)
    mesh = read(tmp_path, text)
    assert {name for what in mesh.supports.values() for name in what} == held
    if support == "value":
        assert list(mesh.supports.values()) == [{"z": 0.1}]
    assert not mesh.turned_supports


def test_all_displacements_in_turned_axes_are_held(tmp_path):
    text = TURNED + card("GRID", 1, None, 0.0, 0.0, 0.0, 5, "456") + card("GRID", 2, None, 1.0, 0.0, 0.0)
    text += card("CBAR", 1, 1, 1, 2, 0.0, 0.0, 1.0) + card("PBAR", 1, 1, 1e-4, 1e-8, 2e-8, 1e-8) + MAT
    mesh = read(tmp_path, text + card("SPC1", 7, "123", 1))
    assert sorted(mesh.supports.values()) == [("rx", "ry", "rz"), ("x", "y", "z")]
