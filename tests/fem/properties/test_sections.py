"""Cross-sections against numeric integration, tables and a finite-difference solution of Prandtl's problem."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

import fem

#: section, half sides of a box around it, and whether a point lies in it
SHAPES = {
    "circle": (fem.Circle(0.06), (0.03, 0.03), lambda y, z: y**2 + z**2 < 0.03**2),
    "tube": (
        fem.Tube(0.06, inner=0.05),
        (0.03, 0.03),
        lambda y, z: (y**2 + z**2 < 0.03**2) & (y**2 + z**2 > 0.025**2),
    ),
    "rectangle": (fem.Rectangle(0.02, 0.05), (0.01, 0.025), lambda y, z: np.full(y.shape, True)),
    "I": (
        fem.ISection(0.3, 0.15, web=0.0071, flange=0.0107),
        (0.075, 0.15),
        lambda y, z: (np.abs(z) > 0.15 - 0.0107) | (np.abs(y) < 0.00355),
    ),
    "I with fillets": (
        fem.ISection(0.3, 0.15, web=0.0071, flange=0.0107, radius=0.015),
        (0.075, 0.15),
        lambda y, z: _rolled(y, z),
    ),
}


def _rolled(y, z, b=0.00355, h=0.15 - 0.0107, r=0.015):
    y, z = np.abs(y), np.abs(z)
    corner = (y > b) & (y < b + r) & (z < h) & (z > h - r)
    return (z > h) | (y < b) | (corner & ((y - b - r) ** 2 + (z - h + r) ** 2 > r**2))


@pytest.mark.parametrize("name", SHAPES)
def test_areas_and_moments(name):
    section, (a, b), inside = SHAPES[name]
    n = 1500  # a step of a / 750: the rim is known to 1/2 step of points, on average much better
    y, z = np.meshgrid(*(s * (np.arange(n) + 0.5) / n for s in (a, b)), indexing="ij")
    dA = inside(y, z) * 4 * a * b / n**2  # one quarter: two axes of symmetry
    assert pytest.approx(dA.sum(), rel=1e-3) == section.A
    assert section.Iy == pytest.approx((z**2 * dA).sum(), rel=1e-3)
    assert section.Iz == pytest.approx((y**2 * dA).sum(), rel=1e-3)
    assert section.polar == section.Iy + section.Iz
    assert section.principal is section


def torsion_by_differences(section, half, inside, n):
    """J = 4 int phi with - laplace phi = 1, phi = 0 on the rim, as int phi: (n, n) cells over a quarter."""
    (a, b), (ny, nz) = half, n
    hy, hz = a / ny, b / nz
    y, z = np.meshgrid((np.arange(ny) + 0.5) * hy, (np.arange(nz) + 0.5) * hz, indexing="ij")
    cells = np.zeros((ny + 1, nz + 1), bool)
    cells[:ny, :nz] = inside(y, z)
    number = np.full(cells.shape, -1)
    number[cells] = np.arange(cells.sum())
    rows, columns, values, diagonal = [], [], [], np.zeros(cells.sum())
    for axis, h in ((0, hy), (1, hz)):
        for step in (-1, 1):
            neighbour = np.roll(number, -step, axis=axis)
            if step == -1:  # across the axis of symmetry: no flow
                edge = [slice(None), slice(None)]
                edge[axis] = 0
                neighbour[tuple(edge)] = -2
            here, there = number[cells], neighbour[cells]
            joined = there >= 0
            rows.append(here[joined])
            columns.append(there[joined])
            values.append(np.full(joined.sum(), -1 / h**2))
            diagonal[here[joined]] += 1 / h**2
            diagonal[here[there == -1]] += 2 / h**2  # rim half a cell away
    A = sp.coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))
    A = sp.csr_matrix((A.data, (A.row, A.col)), shape=2 * [len(diagonal)]) + sp.diags(diagonal)
    phi = spsolve(A.tocsc(), np.ones(len(diagonal)))
    return 4 * 4 * phi.sum() * hy * hz


def test_torsion_of_a_rectangle_by_differences():
    section, half, inside = SHAPES["rectangle"]
    found = torsion_by_differences(section, half, inside, (48, 120))
    assert pytest.approx(found, rel=1e-3) == section.J  # second order in h = 1/96 of the thickness


@pytest.mark.parametrize(("web", "within"), [(0.004, 0.02), (0.010, 0.02), (0.020, 0.02), (0.032, 0.05)])
def test_torsion_of_an_I_by_differences(web, within):
    # El Darwish & Johnston give their own fit as good to 2 %; 24 cells over the flange's thickness
    section = fem.ISection(0.120, 0.100, web=web, flange=0.012)
    inside = lambda y, z: (z > 0.048) | (y < web / 2)  # noqa: E731
    found = torsion_by_differences(section, (0.05, 0.06), inside, (100, 120))
    assert pytest.approx(found, rel=within) == section.J


@pytest.mark.parametrize(
    ("ratio", "beta", "alpha"),
    # Timoshenko & Goodier, Theory of Elasticity, table in art. 109: J = beta b a^3, T = alpha b a^2 tau_max
    [
        (1, 0.1406, 0.208),
        (1.5, 0.196, 0.231),
        (2, 0.229, 0.246),
        (3, 0.263, 0.267),
        (5, 0.291, 0.291),
        (10, 0.312, 0.312),
    ],
)
def test_torsion_of_rectangles_as_tabulated(ratio, beta, alpha):
    for section in (fem.Rectangle(0.02, 0.02 * ratio), fem.Rectangle(0.02 * ratio, 0.02)):
        assert pytest.approx(beta * ratio * 0.02**4, abs=6e-4 * ratio * 0.02**4) == section.J
        assert section.torsion_modulus == pytest.approx(alpha * ratio * 0.02**3, abs=6e-4 * ratio * 0.02**3)
    thin = fem.Rectangle(0.001, 1.0)
    assert pytest.approx(0.001**3 / 3, rel=1e-3) == thin.J


@pytest.mark.parametrize(
    ("size", "A", "Iy", "Iz", "J"),
    # rolled beams of EN 10365 as in the makers' tables: cm^2, cm^4
    [
        ((0.300, 0.150, 0.0071, 0.0107, 0.015), 53.81, 8356, 603.8, 20.12),  # IPE 300
        ((0.200, 0.200, 0.009, 0.015, 0.018), 78.08, 5696, 2003, 59.28),  # HE 200 B
    ],
)
def test_rolled_beams_as_tabulated(size, A, Iy, Iz, J):
    height, width, web, flange, radius = size
    section = fem.ISection(height, width, web=web, flange=flange, radius=radius)
    assert pytest.approx(A * 1e-4, rel=1e-4) == section.A
    assert section.Iy == pytest.approx(Iy * 1e-8, rel=1e-4)
    assert section.Iz == pytest.approx(Iz * 1e-8, rel=2e-4)
    assert pytest.approx(J * 1e-8, rel=0.015) == section.J  # the makers fit the junctions otherwise


def test_round_sections():
    full, tube = fem.Circle(0.1), fem.Tube(0.1, thickness=0.01)
    assert pytest.approx(np.pi * 0.1**4 / 32) == full.J  # Roark, table for torsion: pi r^4 / 2
    assert full.torsion_modulus == pytest.approx(np.pi * 0.1**3 / 16)
    assert pytest.approx(np.pi / 32 * (0.1**4 - 0.08**4)) == tube.J
    assert fem.Tube(0.1, inner=0.08) == tube
    # a thin tube: Bredt's 2 pi r^3 t and Cowper's 1/2, twice the mean shear stress
    thin = fem.Tube(0.1, thickness=1e-5)
    assert pytest.approx(2 * np.pi * 0.05**3 * 1e-5, rel=1e-3) == thin.J
    assert thin.ky == pytest.approx(0.5, rel=1e-3)
    assert thin.shear_peak[0] == pytest.approx(2.0, rel=1e-3)


def test_cowpers_shear_factors():
    # Cowper (1966), table 1, nu = 0 and 0.3
    assert fem.Rectangle(0.1, 0.2).ky == pytest.approx(5 / 6)
    assert fem.Rectangle(0.1, 0.2, nu=0.3).kz == pytest.approx(13 / 15.3)
    assert fem.Circle(0.1).ky == pytest.approx(6 / 7)
    assert fem.Circle(0.1, nu=0.3).ky == pytest.approx(7.8 / 8.8)
    # an I without flanges is its web
    assert fem.ISection(0.3, 0.0101, web=0.01, flange=1e-6).kz == pytest.approx(5 / 6, rel=1e-3)
    # the engineer's rule: a rolled one shears in its web between the flanges
    rolled = fem.ISection(0.3, 0.15, web=0.0071, flange=0.0107)
    assert rolled.kz == pytest.approx((0.3 - 2 * 0.0107) * 0.0071 / rolled.A, rel=0.03)


def angle_iron():
    """An unequal L of two rectangles, by exact sums: its section about the centroid, and its rectangles."""
    plates = [((0.0, 0.01), (0.0, 0.1)), ((0.01, 0.06), (0.0, 0.008))]  # y range, z range
    A = [(y[1] - y[0]) * (z[1] - z[0]) for y, z in plates]
    cy = sum(a * sum(y) / 2 for a, (y, _) in zip(A, plates, strict=True)) / sum(A)
    cz = sum(a * sum(z) / 2 for a, (_, z) in zip(A, plates, strict=True)) / sum(A)
    plates = [((y[0] - cy, y[1] - cy), (z[0] - cz, z[1] - cz)) for y, z in plates]

    def moment(p, q):
        return sum(
            (y[1] ** (p + 1) - y[0] ** (p + 1)) / (p + 1) * (z[1] ** (q + 1) - z[0] ** (q + 1)) / (q + 1)
            for y, z in plates
        )

    Iy, Iz = moment(0, 2), moment(2, 0)
    wagner = ((moment(2, 1) + moment(0, 3)) / Iy, (moment(3, 0) + moment(1, 2)) / Iz)
    corner = ((plates[0][0][0] + plates[0][0][1]) / 2, (plates[1][1][0] + plates[1][1][1]) / 2)
    section = fem.Section(
        A=sum(A),
        Iy=Iy,
        Iz=Iz,
        J=1e-8,
        Iyz=moment(1, 1),
        wagner=wagner,
        shear_centre=corner,
        points=((0.01, 0.02), (-0.01, 0)),
    )
    return section, plates


def test_principal_axes():
    section, plates = angle_iron()
    turned, angle = section.principal, section.angle
    assert abs(angle) <= np.pi / 4
    assert turned.Iyz == 0.0
    # by points: Gauss rule over the plates, in turned axes
    x, w = np.polynomial.legendre.leggauss(4)
    y, z, dA = (
        np.concatenate(parts)
        for parts in zip(
            *[
                (
                    np.repeat((q[0][0] + q[0][1] + x * (q[0][1] - q[0][0])) / 2, 4),
                    np.tile((q[1][0] + q[1][1] + x * (q[1][1] - q[1][0])) / 2, 4),
                    np.outer(w, w).ravel() / 4 * (q[0][1] - q[0][0]) * (q[1][1] - q[1][0]),
                )
                for q in plates
            ],
            strict=True,
        )
    )
    c, s = np.cos(angle), np.sin(angle)
    y, z = c * y + s * z, c * z - s * y
    scale = section.polar
    assert (y * z * dA).sum() == pytest.approx(0, abs=1e-14 * scale)
    assert turned.Iy == pytest.approx((z**2 * dA).sum(), rel=1e-13)
    assert turned.Iz == pytest.approx((y**2 * dA).sum(), rel=1e-13)
    r2 = y**2 + z**2
    assert turned.wagner == pytest.approx(((z * r2 * dA).sum() / turned.Iy, (y * r2 * dA).sum() / turned.Iz))
    a, b = section.shear_centre
    assert turned.shear_centre == pytest.approx((c * a + s * b, c * b - s * a))
    # principal axes of the mirrored section turn the other way; of the swapped one too
    from dataclasses import replace

    assert replace(section, Iyz=-section.Iyz).angle == pytest.approx(-angle)
    assert replace(section, Iy=section.Iz, Iz=section.Iy).angle == pytest.approx(-angle)


def test_impossible_sections_are_refused_with_all_reasons():
    with pytest.raises(fem.InputError, match=r"A = -1 m\^2.*J = nan m\^4.*kz = 0 must be"):
        fem.Section(A=-1, Iy=1, Iz=1, J=float("nan"), kz=0)
    with pytest.raises(fem.InputError, match=r"d = .twenty. m must be a positive number"):
        fem.Circle("twenty")
    with pytest.raises(fem.InputError, match="Iyz = 2"):
        fem.Section(A=1, Iy=1, Iz=1, J=1, Iyz=2)
    with pytest.raises(fem.InputError, match="points"):
        fem.Section(A=1, Iy=1, Iz=1, J=1, points=((1, 2, 3),))
    with pytest.raises(fem.InputError, match=r"width_y = -1 m.*height_z = 0 m"):
        fem.Rectangle(-1, 0)
    with pytest.raises(fem.InputError, match="not both"):
        fem.Tube(0.1)
    with pytest.raises(fem.InputError, match="not both"):
        fem.Tube(0.1, 0.08, thickness=0.01)
    with pytest.raises(fem.InputError, match="between 0 and"):
        fem.Tube(0.1, thickness=0.06)
    with pytest.raises(fem.InputError, match="diameter d"):
        fem.Circle(0)
    with pytest.raises(fem.InputError, match=r"fill the height.*fill the width"):
        fem.ISection(0.1, 0.1, web=0.2, flange=0.06)
