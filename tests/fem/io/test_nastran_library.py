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
    "BOX1": ((40, 60, 5, 4, 3, 2), [(55, 60, -20, 20), (0, 4, -20, 20), (4, 55, -20, -17), (4, 55, 18, 20)]),
}  # fmt: skip


def deck(kind, sizes, name="PBARL", more=()):
    element = "CBAR" if name == "PBARL" else "CBEAM"
    return (
        LINE
        + card(element, 1, 1, 1, 2, 0.0, 1.0, 0.0)
        + card(name, 1, 1, None, kind, *[None] * 4, *(1e-3 * size for size in sizes), *more)
    )


@pytest.mark.parametrize("kind", DRAWN)
def test_sections_of_walls(kind, tmp_path):
    """Area and moments by summing the pieces about their own axes, torsion of thin walls or by Bredt."""
    sizes, pieces = DRAWN[kind]
    it = read(tmp_path, deck(kind, sizes)).properties["PBARL 1"].section
    y0, y1, z0, z1 = 1e-3 * np.array(pieces, float).T
    A = (y1 - y0) * (z1 - z0)
    first = [A @ (y0 + y1) / 2 / A.sum(), A @ (z0 + z1) / 2 / A.sum()]
    about = [(((b - m) ** 3 - (a - m) ** 3) / 3) for a, b, m in ((y0, y1, first[0]), (z0, z1, first[1]))]
    expected = [A.sum(), about[0] @ (z1 - z0), about[1] @ (y1 - y0)]
    np.testing.assert_allclose([it.A, it.Iy, it.Iz], expected, rtol=1e-12)
    short, long = np.sort([y1 - y0, z1 - z0], axis=0)
    if kind == "BOX1":
        middle, around = 37.5 * 55.5e-6, 37.5 / 5 + 37.5 / 4 + 55.5 / 3 + 55.5 / 2
        assert pytest.approx(4 * middle**2 / around, rel=1e-12) == it.J
    elif kind != "CROSS":  # its arms are one wall or two
        assert pytest.approx((long * short**3).sum() / 3, rel=1e-12) == it.J
    middles = [(y0 + y1) / 2 - first[0], (z0 + z1) / 2 - first[1]]
    np.testing.assert_allclose(it.Iyz, -A @ (middles[0] * middles[1]), rtol=1e-12, atol=1e-13 * it.Iy)
    assert (it.Iyz == 0) == (kind not in ("BOX1", "L", "Z"))  # that of Z and L is positive in our axes
    assert it.shear_centre == (0, 0)
    assert 0.3 < it.ky + it.kz <= 1.0
    far = np.abs(np.array(it.points)).max(axis=0)
    z, y = max(first[1] - z0.min(), z1.max() - first[1]), max(first[0] - y0.min(), y1.max() - first[0])
    np.testing.assert_allclose(far, [z, y], rtol=1e-12)


def test_a_t_of_a_beam_hangs_on_its_shear_centre(tmp_path):
    """The shear centre of a T lies in the middle of its flange, on which the grid points of a CBEAM lie."""
    sizes = DRAWN["T"][0]
    beam = read(tmp_path, deck("T", sizes, "PBEAML")).properties["PBEAML 1"]
    centroid = (47 * 240 + 22 * 176) / (240 + 176)
    np.testing.assert_allclose(beam.section.shear_centre, (0, 1e-3 * (47 - centroid)), atol=1e-15)
    with pytest.raises(fem.FileError, match=r"line \d+: PBEAML 1: the shear centre of a section CHAN"):
        read(tmp_path, deck("CHAN", DRAWN["CHAN"][0], "PBEAML"))


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
        ("HEXA", (10, 30, 20), "'HEXA' is not supported; there are BAR, BOX, BOX1, CHAN"),
        ("T", (40, 50, 60, 4), "walls of a section T .* don't fit"),
    ],
)
def test_sections_that_are_none(kind, sizes, message, tmp_path):
    with pytest.raises(fem.FileError, match=rf"line \d+: PBARL 1: .*{message}"):
        read(tmp_path, deck(kind, sizes))


def test_springs_alone_are_no_body(tmp_path):
    text = LINE + card("PBUSH", 10, "K", 1e9, 1e9, 1e9) + card("CBUSH", 1, 10, 1, 2, *[None] * 3, 0)
    with pytest.raises(
        fem.MeshError, match=r"no elements, only 1 CBUSH; springs.*spring from '1' to '2'.*flexbody\.Bushing"
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
