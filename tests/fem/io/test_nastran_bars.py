"""Bars, beams and rods of Nastran decks against the same parts built by hand, and against closed forms."""

import numpy as np
import pytest
from support.nastran import card, read
from support.nastran_bodies import LINE, MAT, G, S, as_by_hand

import fem


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
