"""Sections of PBARL and PBEAML that are made of walls, and their stations, against integrals over the walls."""

import numpy as np
import pytest
from support.nastran import card, read

import fem

LINE = card("GRID", 1, None, 0.0, 0.0, 0.0) + card("GRID", 2, None, 2.0, 0.0, 0.0)
LINE += card("MAT1", 1, 210e9, None, 0.3, 7850.0)
#: sizes in mm and the pieces (y from, to, z from, to) that the drawing of each type shows, y along the orientation
DRAWN = {
    "T": ((40, 50, 6, 4), [(44, 50, -20, 20), (0, 44, -2, 2)]),
    "T1": ((40, 30, 6, 4), [(-20, 20, 0, 6), (-2, 2, 6, 36)]),
    "T2": ((40, 50, 6, 4), [(0, 6, -20, 20), (6, 50, -2, 2)]),
    "CHAN": ((25, 60, 4, 6), [(6, 54, 0, 4), (0, 6, 0, 25), (54, 60, 0, 25)]),
    "CHAN1": ((21, 4, 48, 60), [(6, 54, 0, 4), (0, 6, 0, 25), (54, 60, 0, 25)]),
    "CHAN2": ((4, 6, 30, 50), [(0, 30, 0, 4), (0, 30, 46, 50), (0, 6, 4, 46)]),
    "I": ((60, 40, 30, 4, 6, 5), [(0, 6, -20, 20), (55, 60, -15, 15), (6, 55, -2, 2)]),
    "I1": ((36, 4, 48, 60), [(0, 6, -20, 20), (54, 60, -20, 20), (6, 54, -2, 2)]),
    "H": ((30, 8, 50, 5), [(-25, 25, -19, -15), (-25, 25, 15, 19), (-2.5, 2.5, -15, 15)]),
    "CROSS": ((30, 6, 50, 4), [(-25, 25, -3, 3), (-2, 2, -18, -3), (-2, 2, 3, 18)]),
    "HAT": ((30, 3, 40, 12), [(27, 30, -20, 20), (3, 27, -20, -17), (3, 27, 17, 20), (0, 3, -32, -17),
                              (0, 3, 17, 32)]),
    "Z": ((20, 4, 48, 60), [(54, 60, -22, -2), (0, 60, -2, 2), (0, 6, 2, 22)]),
    "L": ((40, 60, 5, 4), [(0, 5, 0, 40), (5, 60, 0, 4)]),
    "HAT1": ((60, 40, 30, 3, 4), [(0, 4, -30, 30), (4, 7, -30, -15), (4, 7, 15, 30), (4, 40, -15, -12),
                                  (4, 40, 12, 15), (37, 40, -12, 12)]),
    "DBOX": ((90, 40, 35, 4, 3, 2, 5, 6, 3, 4), [(0, 40, 0, 4), (0, 40, 33.5, 36.5), (0, 40, 88, 90),
                                                 (35, 40, 4, 33.5), (0, 6, 4, 33.5), (37, 40, 36.5, 88),
                                                 (0, 4, 36.5, 88)]),
    "BOX1": ((40, 60, 5, 4, 3, 2), [(55, 60, -20, 20), (0, 4, -20, 20), (4, 55, -20, -17), (4, 55, 18, 20)]),
}  # fmt: skip


def thin(kind, pieces):
    """Torsion constants of thin walls in mm^4: sum of length thickness^3 / 3, and Bredt's of closed ones."""
    if kind == "HAT1":  # the cell 27 x 36.5 between the middles of its walls, and the feet on the plate
        return 4 * (27 * 36.5) ** 2 / (27 / 3 + 27 / 4 + 2 * 36.5 / 3) + 30 * 7**3 / 3
    if kind == "DBOX":  # torque of two shear flows per unit of twist, eliminated by hand
        a, b = (33, 34.5), (54, 36.5)
        wall = (34.5 + 36.5) / 2 / 3
        p, q = 33 / 5 + 33 / 6 + 34.5 / 4 + wall, 54 / 3 + 54 / 4 + 36.5 / 2 + wall
        S, T = np.prod(a), np.prod(b)
        return 4 * (S**2 * q + 2 * S * T * wall + T**2 * p) / (p * q - wall**2)
    if kind == "BOX1":
        return 4 * (37.5 * 55.5) ** 2 / (37.5 / 5 + 37.5 / 4 + 55.5 / 3 + 55.5 / 2)
    y0, y1, z0, z1 = np.array(pieces, float).T
    short, long = np.sort([y1 - y0, z1 - z0], axis=0)
    return (long * short**3).sum() / 3


THIN = {kind: thin(kind, pieces) for kind, (_, pieces) in DRAWN.items()}


def by_hand(pieces):
    """The drawing in our axes: y is Nastran's -z, z its y."""
    return fem.DrawnSection(
        [1e-3 * np.array([(-z1, y0), (-z0, y0), (-z0, y1), (-z1, y1)]) for y0, y1, z0, z1 in pieces], nu=0.3
    )


def deck(kind, sizes, name="PBARL", more=()):
    element = "CBAR" if name == "PBARL" else "CBEAM"
    return (
        LINE
        + card(element, 1, 1, 1, 2, 0.0, 1.0, 0.0)
        + card(name, 1, 1, None, kind, *[None] * 4, *(1e-3 * size for size in sizes), *more)
    )


@pytest.mark.parametrize("kind", DRAWN)
def test_sections_of_walls(kind, tmp_path):
    """Area and moments by summing the pieces about their own axes; all constants as of the drawing itself."""
    sizes, pieces = DRAWN[kind]
    it = read(tmp_path, deck(kind, sizes)).properties["PBARL 1"].section
    y0, y1, z0, z1 = 1e-3 * np.array(pieces, float).T
    A = (y1 - y0) * (z1 - z0)
    first = [A @ (y0 + y1) / 2 / A.sum(), A @ (z0 + z1) / 2 / A.sum()]
    about = [(((b - m) ** 3 - (a - m) ** 3) / 3) for a, b, m in ((y0, y1, first[0]), (z0, z1, first[1]))]
    expected = [A.sum(), about[0] @ (z1 - z0), about[1] @ (y1 - y0)]
    np.testing.assert_allclose([it.A, it.Iy, it.Iz], expected, rtol=1e-12)
    assert pytest.approx(THIN[kind] * 1e-12, rel=0.1) == it.J  # thin walls
    drawn = by_hand(pieces)
    np.testing.assert_allclose([it.J, it.ky, it.kz], [drawn.J, drawn.ky, drawn.kz], rtol=1e-9)
    middles = [(y0 + y1) / 2 - first[0], (z0 + z1) / 2 - first[1]]
    np.testing.assert_allclose(it.Iyz, -A @ (middles[0] * middles[1]), rtol=1e-12, atol=1e-13 * it.Iy)
    assert (it.Iyz == 0) == (
        kind not in ("BOX1", "DBOX", "L", "Z")
    )  # that of Z and L is positive in our axes
    assert it.shear_centre == (0, 0)
    assert 0.3 < it.ky + it.kz <= 1.0
    far = np.abs(np.array(it.points)).max(axis=0)
    z, y = max(first[1] - z0.min(), z1.max() - first[1]), max(first[0] - y0.min(), y1.max() - first[0])
    np.testing.assert_allclose(far, [z, y], rtol=1e-12)


def test_a_hexagon(tmp_path):
    """A regular one: I = 5 sqrt(3)/16 a^4, J = 0.115 d^4, d across its flats (Timoshenko, three digits).

    Small fields hold six digits.
    """
    a = 20.0
    it = read(tmp_path, deck("HEXA", (a / 2, 2 * a, 3**0.5 * a))).properties["PBARL 1"].section
    a *= 1e-3
    np.testing.assert_allclose(
        [it.A, it.Iy, it.Iz], [1.5 * 3**0.5 * a**2, *[5 / 16 * 3**0.5 * a**4] * 2], rtol=1e-5
    )
    assert pytest.approx(0.115 * (3**0.5 * a) ** 4, rel=1e-3) == it.J


def test_a_hexagon_that_is_nearly_a_rectangle(tmp_path):
    """Tips of a thousandth: as a rectangle of the mean width, to the tips' share of it."""
    it = read(tmp_path, deck("HEXA", (0.03, 60.03, 30))).properties["PBARL 1"].section
    expected = fem.Rectangle(width_y=0.06, height_z=0.03)
    np.testing.assert_allclose(
        [it.A, it.Iy, it.Iz, it.J], [expected.A, expected.Iy, expected.Iz, expected.J], rtol=1e-3
    )


def test_blank_walls_of_a_double_box_are_as_its_sides(tmp_path):
    """Quick reference guide, PBARL, remark: DIM5 to DIM8 are DIM4 where blank, DIM9 and DIM10 are DIM6."""
    few = read(tmp_path, deck("DBOX", (90, 40, 35, 4, 4, 2))).properties["PBARL 1"].section
    all_ten = read(tmp_path, deck("DBOX", (90, 40, 35, 4, 4, 2, 4, 4, 2, 2))).properties["PBARL 1"].section
    assert few == all_ten


@pytest.mark.parametrize("kind", DRAWN)
def test_beams_hang_on_their_shear_centres(kind, tmp_path):
    """The grid points of a CBEAM lie on the shear centres of the drawing: K and M are those of such a beam by hand."""
    sizes, pieces = DRAWN[kind]
    drawn = by_hand(pieces)
    own = fem.Beam(
        fem.Isotropic(E=210e9, nu=0.3, rho=7850.0),
        drawn,
        up=(0, 1, 0),
        offset=tuple(-np.array(drawn.shear_centre)),
    )
    mesh = read(tmp_path, deck(kind, sizes, "PBEAML"))
    found, hand = fem.assemble(mesh), fem.assemble(fem.Mesh(mesh.points, mesh.blocks), own)
    for one, other in ((found.K, hand.K), (found.M, hand.M)):
        np.testing.assert_allclose(one.toarray(), other.toarray(), atol=1e-9 * np.abs(other.toarray()).max())


#: distances of the shear centre of thin walls from the centroid (y, z) in mm, Nastran's axes
CENTRES = {
    "T1": (0, 3 - (3 * 240 + 21 * 120) / 360),  # in the middle of the flange
    "L": (
        2.5 - (2.5 * 200 + 32.5 * 220) / 420,
        2 - (20 * 200 + 2 * 220) / 420,
    ),  # where the legs' middles meet
    "CHAN": (
        0,
        2 - 3 * 23**2 * 6 / (54 * 4 + 6 * 23 * 6) - (2 * 192 + 12.5 * 300) / 492,
    ),  # Timoshenko: beside the web
    "CHAN1": (0, 2 - 3 * 23**2 * 6 / (54 * 4 + 6 * 23 * 6) - (2 * 192 + 12.5 * 300) / 492),
    "CHAN2": (3 - 3 * 27**2 * 4 / (46 * 6 + 6 * 27 * 4) - (3 * 252 + 15 * 240) / 492, 0),
}


@pytest.mark.parametrize("kind", CENTRES)
def test_shear_centres_of_thin_walls(kind, tmp_path):
    """Those of the drawings are closer to the centroid, by up to a tenth of the walls' thickness of 4 to 6 mm."""
    sizes, (y, z) = DRAWN[kind][0], CENTRES[kind]
    beam = read(tmp_path, deck(kind, sizes, "PBEAML")).properties["PBEAML 1"]
    np.testing.assert_allclose(beam.section.shear_centre, 1e-3 * np.array([-z, y]), atol=5e-4)


def test_stations_along_a_beam_of_the_library(tmp_path):
    """A beam whose height falls linearly: the mean of b h^3 / 12 between stations that are joined by lines."""
    more = (0.0, "YES", 0.5, 0.02, 0.03, 0.0, "YES", 1.0, 0.02, 0.01, 0.0)
    with pytest.warns(fem.FlexbodyWarning, match=r"PBEAML 1 varies along the beam .*means are taken"):
        it = read(tmp_path, deck("BAR", (20, 50), "PBEAML", more)).properties["PBEAML 1"].section
    heights = np.array([0.05, 0.03, 0.01])
    weights = np.array([0.25, 0.5, 0.25])
    assert pytest.approx(0.02 * weights @ heights) == it.A
    assert pytest.approx(0.02 * weights @ heights**3 / 12) == it.Iy
    same = (0.0, "YES", 1.0, 0.02, 0.05, 0.0)
    it = read(tmp_path, deck("BAR", (20, 50), "PBEAML", same)).properties["PBEAML 1"].section
    assert pytest.approx(fem.Rectangle(width_y=0.02, height_z=0.05, nu=0.3).ky) == it.ky


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        ("OVAL", (10, 30, 20), "'OVAL' is not supported; there are BAR, BOX, BOX1, CHAN"),
        ("HEXA", (10, 20, 20), "a hexagon of 0.02 x 0.02 m with tips of 0.01 m has no flat sides"),
        ("HAT1", (20, 40, 30, 3, 4), "walls of a section HAT1 .* don't fit"),
        ("T", (40, 50, 60, 4), "walls of a section T .* don't fit"),
    ],
)
def test_sections_that_are_none(kind, sizes, message, tmp_path):
    with pytest.raises(fem.FileError, match=rf"line \d+: PBARL 1: .*{message}"):
        read(tmp_path, deck(kind, sizes))


def test_springs_alone_are_no_body(tmp_path):
    text = LINE + card("PBUSH", 10, "K", 1e9, 1e9, 1e9) + card("CBUSH", 1, 10, 1, 2, *[None] * 3, 0)
    with pytest.raises(
        fem.MeshError,
        match=r"no elements, only 1 CBUSH; its last line is line \d+; springs.*from '1' to '2'.*flexbody\.Bushing",
    ):
        read(tmp_path, text)


@pytest.mark.parametrize("number", ["1234.567890123456789", "-0.00012345678901234", "1.2345678901234567-100"])
def test_long_reals_in_free_fields_keep_nine_digits(number, tmp_path):
    """Nastran rounds them to fields of 8 or 16 characters."""
    mesh = read(
        tmp_path, LINE + f"GRID,3,,{number},1.,2.\n" + card("CROD", 1, 1, 1, 3) + card("PROD", 1, 1, 1.0)
    )
    expected = float(number.replace("7-100", "7e-100"))
    assert mesh.points[-1, 0] == pytest.approx(expected, rel=1e-9, abs=0)


def test_long_words_in_free_fields_are_refused(tmp_path):
    with pytest.raises(
        fem.FileError, match=r"line 4: the field '12345678901234567' is longer than 16 characters"
    ):
        read(tmp_path, LINE + "GRID,12345678901234567,,0.,1.,2.\n")
