"""Drawn sections against closed forms, limits of thin walls and an independent program."""

import numpy as np
import pytest

import fem
from fem.properties import drawn
from fem.properties.triangles import fill
from fem.properties.warping import divided, warping


def box(y0, y1, z0, z1):
    return [(y0, z0), (y1, z0), (y1, z1), (y0, z1)]


def ring(a, b, n=120, start=0.0, end=2 * np.pi):
    angle = np.linspace(start, end, n, endpoint=end - start < 6)
    return np.stack([a * np.cos(angle), b * np.sin(angle)], axis=1)


def inclined(polygon, angle=0.3):
    c, s = np.cos(angle), np.sin(angle)
    return np.array(polygon) @ np.array([[c, s], [-s, c]])


def test_constants_that_still_change_are_told(monkeypatch):
    """A star of coarse triangles: the error, which finer ones show, is at most what is told, and not far less."""
    a, r = np.arange(10) * np.pi / 5, np.tile([1.0, 0.3], 5)
    star = np.stack([r * np.cos(a), r * np.sin(a)], axis=1)
    monkeypatch.setattr(drawn, "_solved", drawn._solved.__wrapped__)  # keeps nothing
    constants, told = [], []
    for triangles in (1, 1000):
        monkeypatch.setattr(drawn, "_TRIANGLES_LIMIT", triangles)
        with pytest.warns(fem.FlexbodyWarning, match=r"size 1.90211 m, change by .*% with the fin") as given:
            found = fem.DrawnSection([star])
        constants.append(np.array([found.J, found.ky, found.kz]))
        told.append(float(str(given[0].message).split("change by ")[1].split("%")[0]) / 100)
    error = np.abs(constants[0] / constants[1] - 1).max()
    assert told[0] / 5 < error < told[0]
    assert told[1] < told[0]


@pytest.mark.parametrize("nu", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("sides", [(0.02, 0.05), (0.05, 0.02), (0.03, 0.03), (0.1, 0.01)])
def test_rectangles(sides, nu):
    """Saint-Venant's series and Cowper's factors, as `fem.Rectangle` has them."""
    y, z = sides
    drawn, exact = fem.DrawnSection([box(0.3, 0.3 + y, -1, -1 + z)], nu=nu), fem.Rectangle(y, z, nu=nu)
    np.testing.assert_allclose([drawn.A, drawn.Iy, drawn.Iz], [exact.A, exact.Iy, exact.Iz], rtol=1e-12)
    np.testing.assert_allclose([drawn.J, drawn.ky, drawn.kz], [exact.J, exact.ky, exact.kz], rtol=2e-4)
    assert drawn.centroid == pytest.approx((0.3 + y / 2, -1 + z / 2))
    assert drawn.Iyz == 0
    assert drawn.shear_centre == drawn.wagner == (0, 0)
    np.testing.assert_allclose(sorted(drawn.points), sorted(exact.points), atol=1e-14)


@pytest.mark.parametrize("t", [1e-2, 1e-3, 1e-4])
@pytest.mark.parametrize("upright", [True, False])
def test_thin_plates(t, upright):
    """Also across the plate, where Cowper's terms in nu are (b/t)^2 times as large as what remains of them."""
    drawn = fem.DrawnSection([box(0, 1, 0, t) if upright else box(0, t, 0, 1)], nu=0.3)
    exact = fem.Rectangle(1, t, nu=0.3)
    np.testing.assert_allclose([drawn.J, drawn.ky, drawn.kz], [exact.J, exact.ky, exact.kz], rtol=2e-4)


@pytest.mark.parametrize(("a", "b"), [(0.05, 0.05), (0.05, 0.02), (0.02, 0.05)])
def test_ellipses(a, b):
    """J = pi a^3 b^3 / (a^2 + b^2) (Saint-Venant), the factors of Cowper's table 1.

    The ellipse has 120 corners, so that it is smaller by 2 pi^2 / 3 n^2 = 4.6e-4.
    """

    def factor(a, b, nu):  # of a force along a
        below = (40 + 37 * nu) * a**4 + (16 + 10 * nu) * a**2 * b**2 + nu * b**4
        return 12 * (1 + nu) * a**2 * (3 * a**2 + b**2) / below

    it = fem.DrawnSection([ring(a, b)], nu=0.3)
    assert pytest.approx(np.pi * a * b, rel=5e-4) == it.A
    assert pytest.approx(np.pi * a**3 * b**3 / (a**2 + b**2), rel=1e-3) == it.J
    np.testing.assert_allclose([it.ky, it.kz], [factor(a, b, 0.3), factor(b, a, 0.3)], rtol=5e-4)


@pytest.mark.parametrize(
    ("corners", "J"),
    # Timoshenko & Goodier, Theory of Elasticity, art. 106: equilateral triangle, sqrt(3)/80 a^4. Roark's Formulas for
    # Stress and Strain, table for torsion: right isosceles triangle 0.0261 a^4, regular hexagon 1.067 (2 r)^4 / 16 with
    # its inscribed circle, half a circle 0.296 r^4 (three or four digits)
    [
        ([(0, 0), (1, 0), (0.5, 0.75**0.5)], (3**0.5 / 80, 2e-4)),
        ([(0, 0), (1, 0), (0, 1)], (0.0261, 2e-3)),
        (ring(1, 1, 6), (0.115 * 3**2, 2e-3)),
        (ring(1, 1, 80, 0, np.pi), (0.296, 5e-3)),
    ],
)
def test_torsion_of_other_shapes(corners, J):
    assert pytest.approx(J[0], rel=J[1]) == fem.DrawnSection([corners]).J


def test_the_shear_centre_of_half_a_circle():
    """8 (3 + 4 nu) / (15 pi (1 + nu)) a from the centre for nu = 0 (Timoshenko & Goodier, art. 127)."""
    it = fem.DrawnSection([ring(1, 1, 60, -np.pi / 2, np.pi / 2)])
    # with 60 corners it is smaller by 2e-4
    assert np.add(it.centroid, it.shear_centre) == pytest.approx((8 / (5 * np.pi), 0), abs=1e-3)


@pytest.mark.parametrize("t", [0.04, 0.01, 0.001])
def test_open_walls_become_thin(t):
    """A channel, h = 1 and b = 0.5 between its middles: 1/3 sum b t^3, e = 3 b^2 / (h + 6 b).

    Off by O(t), and J by the error of the solution."""
    h, b = 1.0, 0.5
    walls = [box(-t / 2, b, s * h / 2 - t / 2, s * h / 2 + t / 2) for s in (-1, 1)]
    it = fem.DrawnSection([*walls, box(-t / 2, t / 2, -h / 2, h / 2)])
    assert pytest.approx((h + 2 * b) * t**3 / 3, rel=1.5 * t + 1e-3) == it.J
    e = 3 * b**2 / (h + 6 * b)
    assert it.centroid[0] + it.shear_centre[0] == pytest.approx(-e, rel=2 * t)
    assert it.shear_centre[1] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("t", [0.04, 0.02, 0.01])
def test_closed_walls_become_thin(t):
    """Bredt: 4 A^2 / int ds/t of two cells as one tube, with and without a wall between equal cells; off by O(t)."""
    a, b = 1.0, 0.5
    outer = box(-t / 2, a + t / 2, -t / 2, b + t / 2)
    tube = fem.DrawnSection([outer], holes=[box(t / 2, a - t / 2, t / 2, b - t / 2)])
    bredt = 4 * (a * b) ** 2 * t / (2 * (a + b))
    assert pytest.approx(bredt, rel=1.5 * t) == tube.J
    cells = [box(t / 2, a / 2 - t / 2, t / 2, b - t / 2), box(a / 2 + t / 2, a - t / 2, t / 2, b - t / 2)]
    # equal flows in both cells: the wall between them carries none
    assert pytest.approx(tube.J, rel=2 * t) == fem.DrawnSection([outer], holes=cells).J


CHANNEL = [box(0, 50, 0, 4), box(0, 50, 96, 100), box(0, 4, 0, 100)]
#: name: parts, holes (mm), and of sectionproperties 3.10.2 (PyPI, 6-node triangles of 1/3000 of the area, sharp
#: corners not refined): J, Trefftz' shear centre, shear areas along the principal axes for nu = 0, first and second
OTHER = {
    "channel": (CHANNEL, [], 4080.47, (-15.8740, 50.0), (245.456, 326.428)),
    "angle": ([box(0, 40, 0, 5), box(0, 5, 0, 60)], [], 3873.09, (2.47391, 2.97841), (165.575, 234.005)),
    "zed": (
        [box(0, 4, 0, 60), box(-20, 0, 54, 60), box(4, 24, 0, 6)],
        [],
        4082.47,
        (2.00003, 30.0001),
        (210.351, 224.665),
    ),
    "hat on a plate": (
        [box(-30, 30, 0, 7), box(-15, 15, 7, 40)],
        [box(-12, 12, 4, 37)],
        109302.7,
        (0.00056, 12.23862),
        (279.724, 211.800),
    ),
    "trapezoid": ([[(-30, 0), (30, 0), (15, 40), (-15, 40)]], [], 431943.9, (0, 19.40012), (1481.446, 1435.872)),
    "uneven box": ([box(-20, 20, 0, 60)], [box(-17, 18, 4, 55)], 286260.4, (-4.81353, 31.94646), (242.369, 263.575)),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_against_another_program(name):
    """Its error is about 3e-4 in J, because its triangles are not refined in corners."""
    parts, holes, J, centre, areas = OTHER[name]
    it = fem.DrawnSection(parts, holes=holes)
    assert pytest.approx(J, rel=6e-4) == it.J
    assert np.add(it.centroid, it.shear_centre) == pytest.approx(centre, abs=3e-3)
    assert (it.ky * it.A, it.kz * it.A) == pytest.approx(areas, rel=6e-4)


def test_the_shear_centre_of_a_listing():
    """A channel 50 x 100 x 4 mm, listed by ANSYS (github.com/simo-11/mapdl): its shear centre at y = -15.869 mm."""
    it = fem.DrawnSection(CHANNEL)
    assert it.centroid[0] + it.shear_centre[0] == pytest.approx(-15.869, rel=1e-3)


def test_moments_of_an_angle_are_exact():
    """By sums over two plates, about the centroid: products and third moments."""
    plates = [((0.0, 0.01), (0.0, 0.1)), ((0.01, 0.06), (0.0, 0.008))]
    it = fem.DrawnSection([box(*y, *z) for y, z in plates], nu=0.3)
    cy, cz = it.centroid

    def moment(p, q):
        return sum(
            ((y[1] - cy) ** (p + 1) - (y[0] - cy) ** (p + 1)) / (p + 1)
            * ((z[1] - cz) ** (q + 1) - (z[0] - cz) ** (q + 1)) / (q + 1)
            for y, z in plates
        )  # fmt: skip

    assert (moment(1, 0), moment(0, 1)) == pytest.approx((0, 0), abs=1e-18)
    np.testing.assert_allclose(
        [it.A, it.Iy, it.Iz, it.Iyz], [moment(0, 0), moment(0, 2), moment(2, 0), moment(1, 1)], rtol=1e-12
    )
    third = (moment(2, 1) + moment(0, 3)) / it.Iy, (moment(3, 0) + moment(1, 2)) / it.Iz
    assert it.wagner == pytest.approx(third, rel=1e-11)
    assert len(it.outline) == 6
    assert len(it.points) == 5


@pytest.mark.parametrize("seed", range(1, 5))
def test_moments_of_any_polygon(seed):
    """By Green's theorem over the edges, with a hole that is the polygon itself, a third as large."""
    random = np.random.default_rng(seed)
    n = random.integers(5, 14)
    angle = 2 * np.pi * (np.arange(n) + random.uniform(0, 0.9, n)) / n
    polygon = random.uniform(0.4, 1.3, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)

    def green(corners):  # int 1, y, z, z^2, y^2, y z dA
        y, z = corners.T
        p, q = np.roll(y, -1), np.roll(z, -1)
        cross = y * q - p * z
        terms = [12, 4 * (y + p), 4 * (z + q), 2 * (z * z + z * q + q * q), 2 * (y * y + y * p + p * p)]
        terms.append(y * q + 2 * y * z + 2 * p * q + p * z)
        return np.array([(cross * term).sum() / 24 for term in terms])

    A, Sy, Sz, Iy, Iz, Iyz = green(polygon) - green(polygon / 3)
    it = fem.DrawnSection([polygon], holes=[polygon / 3])
    y, z = Sy / A, Sz / A
    assert pytest.approx(A, rel=1e-12) == it.A
    assert it.centroid == pytest.approx((y, z), abs=1e-12)
    np.testing.assert_allclose(
        [it.Iy, it.Iz, it.Iyz], [Iy - A * z * z, Iz - A * y * y, Iyz - A * y * z], rtol=1e-10, atol=1e-12
    )


def test_how_a_shape_is_drawn_does_not_matter():
    """Outline, plates that share part of an edge, plates that overlap, a rectangle with a hole beyond its edge."""
    outline = [(0, 0), (40, 0), (40, 5), (5, 5), (5, 60), (0, 60), (0, 0)]
    ways = [
        fem.DrawnSection([outline]),
        fem.DrawnSection([outline[::-1]]),
        fem.DrawnSection([box(0, 40, 0, 5), box(0, 5, 5, 60)]),
        fem.DrawnSection([box(0, 40, 0, 5), box(0, 5, 0, 60)]),
        fem.DrawnSection([box(0, 40, 0, 60)], holes=[box(5, 50, 5, 70)]),
    ]
    for it in ways[1:]:
        np.testing.assert_allclose([it.A, it.Iyz], [ways[0].A, ways[0].Iyz], rtol=1e-11)
        np.testing.assert_allclose([it.J, it.ky, it.kz], [ways[0].J, ways[0].ky, ways[0].kz], rtol=1e-4)
        assert it.shear_centre == pytest.approx(ways[0].shear_centre, abs=1e-3)
        assert set(np.round(it.outline, 6).ravel()) == set(np.round(ways[0].outline, 6).ravel())
        assert len(it.outline) == 6


def test_turned_moved_and_scaled():
    """Principal constants do not depend on the axes; a narrow apex between two walls is no trouble."""
    parts = [np.array(box(0, 1, 0, 0.05)), np.array([(0, 0), (0.8, 0.3), (0.78, 0.35), (-0.02, 0.05)])]
    it = fem.DrawnSection(parts, nu=0.2)
    c, s = np.cos(1.1), np.sin(1.1)
    turn = 2.5 * np.array([[c, s], [-s, c]])
    other = fem.DrawnSection([part @ turn + (3, -4) for part in parts], nu=0.2)
    np.testing.assert_allclose([other.A, other.polar], [it.A * 2.5**2, it.polar * 2.5**4], rtol=1e-12)
    assert pytest.approx(it.J * 2.5**4, rel=1e-4) == other.J
    assert other.shear_centre == pytest.approx(np.array(it.shear_centre) @ turn, abs=1e-3)
    ours, theirs = it.principal, other.principal
    np.testing.assert_allclose(sorted([theirs.ky, theirs.kz]), sorted([ours.ky, ours.kz]), rtol=1e-4)


@pytest.mark.parametrize("t", [1e-2, 1e-4])
def test_plates_in_any_direction_are_filled_by_a_grid(t, monkeypatch):
    """Saint-Venant's series and Cowper's factors; equal triangles would be 1 / t times as many."""
    monkeypatch.setattr(drawn, "fill", None)
    it = fem.DrawnSection([inclined(box(0, 1, 0, t), 0.7)], nu=0.3).principal
    exact = fem.Rectangle(1, t, nu=0.3)
    assert pytest.approx(exact.J, rel=1e-4) == it.J
    np.testing.assert_allclose(sorted([it.ky, it.kz]), sorted([exact.ky, exact.kz]), rtol=2e-4)


def test_many_holes_take_few_triangles(monkeypatch):
    """The corners of round holes hardly turn inwards: halving the sides once more changes no constant by 0.1 %."""
    tubes = [(y, z) for y in np.arange(0.5, 3) for z in np.arange(0.5, 3)]
    holes = [ring(0.3, 0.3, 24) + place for place in tubes]
    used = []
    monkeypatch.setattr(drawn, "_solved", drawn._solved.__wrapped__)  # keeps nothing
    monkeypatch.setattr(drawn, "fill", lambda *shape: used.append(fill(*shape)) or used[0])
    it = fem.DrawnSection([box(0, 3, 0, 3)], holes=holes, nu=0.3)
    points, triangles = used[0]
    assert len(triangles) < 9 * 24 * 5
    for _ in range(2):
        points, triangles = divided(points, triangles)
    fine = warping(points - 0.5, triangles, 0.3)  # of the size one
    np.testing.assert_allclose([it.J, it.ky, it.kz], [fine.J * 3**4, fine.ky, fine.kz], rtol=1e-3)


@pytest.mark.parametrize(
    ("parts", "holes", "message"),
    [
        ([], [], "at least one polygon"),
        ([[(0, 0), (1, 0)]], [], r"parts\[0\] must have three or more corners"),
        ([box(0, 1, 0, 1), [(0, 0), (0, 0), (1, 1)]], [], r"parts\[1\] must have three or more"),
        ([[(0, 0), (1, 1), (2, 2)]], [], r"parts\[0\] has no area"),
        (
            [[(0, 0), (2, 2), (2, 0), (0, 2)]],
            [],
            r"parts\[0\] crosses itself: its edge from \(0\.0, 0\.0\) to \(2\.0, 2\.0\) and",
        ),
        ([[(0, 0), (3, 0), (3, 2), (1, 2), (1, 1), (2, 1), (2, 3), (0, 3)]], [], "as parts of their own"),
        (
            [inclined([(0, 0), (1, 0), (0.9, 0.1), (0, 0.1)]), inclined(box(0.4, 0.6, 0.1 + 2e-9, 1))],
            [],
            "too close to each other",
        ),
        (
            [inclined(box(0, 1, 0, 0.1)), inclined(box(0.4, 0.6, 0.1 + 2e-9, 1))],
            [],
            "2 pieces that share no edge",
        ),
        (box(0, 1, 0, 1), [], r"parts\[0\] must hold corners \(y, z\) in m, as in parts=\[\["),
        ([box(0, 1, 0, 1)], [[(0, 0, 0)]], r"holes\[0\] must hold corners \(y, z\)"),
        (
            [box(0, 1, 0, 1), box(0, 1, 1, 1 + 1e-7)],
            [],
            r"parts\[1\] is thinner than 1e-06 of the section's size, 1 m",
        ),
        ([box(0, 1, 0, 1)], [box(-1, 2, -1, 2)], "its holes leave nothing"),
        ([box(0, 1, 0, 1)], [box(1, 2, 0, 1)], r"holes\[0\] lies outside all parts and cuts nothing"),
        (
            [inclined(box(0, 1, 0, 1))],
            [box(5, 6, 0, 1)],
            r"holes\[0\] lies outside all parts and cuts nothing",
        ),
        ([[*box(0, 1, 0, 1), *box(0, 1, 0, 1)]], [], r"parts\[0\] goes round its outline twice"),
        (  # in parallel up to 0.003 degrees, and thinner than what lies between them
            [box(-0.5, 0.5, 0, 1.5e-4), inclined(box(-0.5, 0.4, 0, 1.5e-4), 5e-5)],
            [],
            "cross almost in parallel",
        ),
        ([box(0, 1, 0, 1), box(2, 3, 0, 1)], [], "2 pieces that share no edge"),
        ([box(0, 1, 0, 1), box(1, 2, 1, 2)], [], "2 pieces that share no edge"),
        ([box(0, 1, 0, 1)], [box(0.4, 0.6, -1, 2)], "2 pieces that share no edge"),
    ],
)
def test_shapes_that_are_none(parts, holes, message):
    with pytest.raises(fem.InputError, match=message):
        fem.DrawnSection(parts, holes=holes)
    with pytest.raises(fem.InputError, match=r"nu = 0\.7 must lie between"):
        fem.DrawnSection([box(0, 1, 0, 1)], nu=0.7)
