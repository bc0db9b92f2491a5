"""Assumed modes of plates: exact and published frequencies, shell elements, inertia integrals as sums over points."""

import functools
from itertools import pairwise

import numpy as np
import pytest
import scipy.linalg
from numpy.polynomial import Polynomial
from scipy.optimize import brentq

import fem
import modal
from modal.assumed import End, beam_modes, plate, products, sines

pytestmark = pytest.mark.slow  # together a second or more

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
A, H = 0.5, 0.002
C, F, P, G = End.CLAMPED, End.FREE, End.PINNED, End.GUIDED
#: omega a^2 sqrt(rho h / D) of square plates; Leissa, J. Sound Vib. 31 (1973) 257-293, nu = 0.3, by 36 products of beam
#: modes as here: the cantilever (CFFF) and the clamped plate (CCCC)
LEISSA = {
    "CFFF": (3.4917, 8.5246, 21.429, 27.331, 31.111, 54.443),
    "CCCC": (35.992, 73.413, 73.413, 108.27, 131.64, 132.24),
}


def unit(a=A, h=H):
    return np.sqrt(STEEL.E * h**2 / (12 * (1 - STEEL.nu**2) * STEEL.rho)) / a**2


def numbers(body):
    return 2 * np.pi * body.frequencies_hz / unit()


@functools.cache
def leissa(edges):
    held = {"C": C, "F": F}
    x, y = (beam_modes(6, held[edges[k]], held[edges[k + 2]]) for k in range(2))
    return plate((A, A), H, STEEL, products(x, y), frame=modal.Unchanged())


ROOTS = {
    (C, F): lambda x: np.cos(x) + 1 / np.cosh(x),
    (F, F): lambda x: np.cos(x) - 1 / np.cosh(x),
    (C, C): lambda x: np.cos(x) - 1 / np.cosh(x),
    (C, P): lambda x: np.sin(x) - np.cos(x) * np.tanh(x),
    (P, P): np.sin,
    (P, F): lambda x: np.sin(x) - np.cos(x) * np.tanh(x),
    (G, P): np.cos,
    (G, C): lambda x: np.sin(x) + np.cos(x) * np.tanh(x),
    (G, G): np.sin,
}
RIGID = {(F, F): 2, (P, F): 1, (G, G): 1}


class TestBeamModes:
    """Characteristic equations as in any table; orthogonality by quadrature, derivatives by differences."""

    @pytest.mark.parametrize("ends", ROOTS, ids=lambda ends: f"{ends[0].name}-{ends[1].name}")
    def test_they_are_the_modes_of_a_beam(self, ends):
        n = 8
        xi, w = np.polynomial.legendre.leggauss(80)
        modes = [mode.function for mode in beam_modes(n, *ends)]
        modes = [(f, f.deriv(1), f.deriv(2)) if isinstance(f, Polynomial) else f for f in modes]
        values = np.array([f[0](xi) * np.ones_like(xi) for f in modes])
        np.testing.assert_allclose(0.5 * (values * w) @ values.T, np.eye(n), atol=1e-11)
        # int f''^2 = beta^4 int f^2, over a length of 2 here
        bent = np.array([f[2](xi) * np.ones_like(xi) for f in modes])
        energy = 0.5 * (bent * w) @ bent.T
        beta = np.maximum(np.diag(energy), 0) ** 0.25 * 2
        np.testing.assert_allclose(energy, np.diag(np.diag(energy)), atol=1e-9 * energy.max())
        rigid = RIGID.get(ends, 0)
        np.testing.assert_allclose(beta[:rigid], 0, atol=1e-12)
        grid = np.arange(0.3, 40, 0.05)
        sign = np.sign(ROOTS[ends](grid))
        roots = [
            brentq(ROOTS[ends], a, b, xtol=1e-13)
            for (a, b), (s, t) in zip(pairwise(grid), pairwise(sign), strict=True)
            if s * t < 0
        ]
        np.testing.assert_allclose(beta[rigid:], roots[: n - rigid], rtol=1e-9)

    @pytest.mark.parametrize(
        "ends", [(C, F), (P, G), (F, C)], ids=lambda ends: f"{ends[0].name}-{ends[1].name}"
    )
    def test_derivatives_and_ends(self, ends):
        h = 1e-4
        for mode in beam_modes(5, *ends):
            f, slope, bend = mode.function
            x = np.array([-0.9, 0.1, 0.8])
            np.testing.assert_allclose(slope(x), (f(x + h) - f(x - h)) / (2 * h), atol=1e-4)
            np.testing.assert_allclose(bend(x), (slope(x + h) - slope(x - h)) / (2 * h), atol=1e-2)
            for end, x in zip(ends, (-1.0, 1.0), strict=True):
                third = (bend(x + h) - bend(x - h)) / (2 * h)
                derivatives = np.array([f(x), slope(x) / 10, bend(x) / 100, third / 1000])
                np.testing.assert_allclose(derivatives[list(end.value)], 0, atol=1e-5)

    def test_what_is_no_end_or_number(self):
        with pytest.raises(fem.InputError, match="CLAMPED"):
            beam_modes(3, "C", "F")
        with pytest.raises(fem.InputError, match="number of modes"):
            beam_modes(0, C, F)


def test_a_supported_plate_is_exact():
    """omega = pi^2 (m^2 + n^2) for products of sines, which are its modes; a rectangle likewise."""
    m = np.arange(1, 5)
    for b in (A, 0.7 * A):
        body = plate((A, b), H, STEEL, products(sines(4), sines(4)), frame=modal.Unchanged())
        exact = np.sort((np.pi**2 * (m[:, None] ** 2 + (m * A / b) ** 2)).ravel())
        np.testing.assert_allclose(numbers(body), exact, rtol=1e-10)
        np.testing.assert_allclose(body.K, np.diag(np.diag(body.K)), atol=1e-11 * body.K.max())


@pytest.mark.parametrize("half_waves", [31, 40, 100])
def test_many_half_waves(half_waves):
    """A product of sines has a quarter of the plate's mass for its modal mass, however many they are."""
    w = [(sines(half_waves)[-1], sines(1)[0]), (sines(1)[0], sines(half_waves)[-1])]
    body = plate((A, A), H, STEEL, w, frame=modal.Unchanged())
    np.testing.assert_allclose(body.C8, 0.25 * body.mass * np.eye(2), atol=1e-9 * body.mass)
    exact = np.pi**2 * (half_waves**2 + 1)
    np.testing.assert_allclose(numbers(body), exact, rtol=1e-9)
    beam = modal.assumed.beam(A, mass=1.0, EI=1.0, y=sines(half_waves)[-1:], frame=modal.Unchanged())
    assert beam.C8[0, 0] == pytest.approx(0.5, rel=1e-9)
    assert beam.K[0, 0] == pytest.approx((np.pi * half_waves / A) ** 4 * A / 2, rel=1e-9)


def test_too_many_half_waves_are_refused():
    for wave in (sines(1000)[-1], sines(3000)[-1]):
        with pytest.raises(fem.InputError, match=r"plate 'plate': 512 points of integration do not suffice"):
            plate((A, A), H, STEEL, [(wave, sines(1)[0])], frame=modal.Unchanged())


@pytest.mark.parametrize("edges", LEISSA)
def test_leissas_plates(edges):
    """To half a unit of his fifth digit: the same Ritz method with the same functions."""
    np.testing.assert_allclose(numbers(leissa(edges))[:6], LEISSA[edges], rtol=4e-5)


def test_shell_elements_agree():
    """The cantilever: 36 products are up to 0.5 % high (with 100 they are 3.484, 8.520, 21.378, ...; exact 3.471),
    16 x 16 shells, a/250 thick, less of their own."""
    x, y = np.meshgrid(np.linspace(0, A, 17), np.linspace(0, A, 17), indexing="ij")
    k = np.arange(289).reshape(17, 17)
    quads = np.stack([k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]], axis=-1).reshape(-1, 4)
    sets = {"root": k[0], "tip": [k[-1, 8]]}
    mesh = fem.Mesh(
        np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]), (fem.Block("quad4", quads),), sets
    )
    structure = fem.assemble(mesh, fem.Shell(STEEL, H))
    shells = fem.vibration(structure, "root", n=6).frequencies_hz
    np.testing.assert_allclose(leissa("CFFF").frequencies_hz[:6], shells, rtol=0.012)
    # the same shape: deflection and slope of the tip in the first mode, at equal modal mass
    mode = modal.reduce(
        structure, modal.eigenmodes(structure, "root", n=1), frame=modal.Unchanged(), markers=("tip",)
    ).markers["tip"]
    along, across = beam_modes(6, C, F), beam_modes(6, F, F)
    body = plate(
        (A, A), H, STEEL, products(along, across), frame=modal.Unchanged(), markers={"tip": (A, A / 2)}
    )
    alpha = scipy.linalg.eigh(body.K, body.C8)[1][:, 0]
    tip = body.markers["tip"]
    for one, other in ((tip.Phi @ alpha, mode.Phi[:, 0]), (tip.B @ alpha, mode.B[:, 0])):
        np.testing.assert_allclose(np.abs(one), np.abs(other), rtol=0.01, atol=0.01 * np.abs(other).max())


def polynomials():
    """Independent functions that are no modes of anything."""
    f = [Polynomial([0, 0, 1 / 0.4**2]), Polynomial([1.0, 0, 0, -2.0])]
    return products(f, [Polynomial([1.0, 2.0]), Polynomial([0, 0, 3.0])])


@pytest.mark.parametrize("rotary", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_inertia_integrals(rotary):
    """(2.34)-(2.41) by a fine midpoint rule over the volume; the thick plate's normals turn with the slopes."""
    a, b, h = 0.4, 0.3, 0.1
    body = plate((a, b), h, STEEL, polynomials(), frame=modal.Unchanged(), rotary=rotary)
    n, m = 200, 40
    x, y = (g.ravel() for g in np.meshgrid((np.arange(n) + 0.5) / n * a, (np.arange(n) + 0.5) / n * b))
    heights = h * ((np.arange(m) + 0.5) / m - 0.5) if rotary else [0.0]
    dm = STEEL.rho * a * b * h / (n * n * len(heights))
    total = {"C1": 0, "C2": 0, "C3": 0, "C4": 0, "C6": 0, "C8": 0}
    unit = np.eye(3)
    w = np.stack([f(x) * g(y) for f, g in polynomials()], axis=1)
    w_x = np.stack([f.deriv()(x) * g(y) for f, g in polynomials()], axis=1)
    w_y = np.stack([f(x) * g.deriv()(y) for f, g in polynomials()], axis=1)
    for z in heights:
        X = np.column_stack([x, y, np.full_like(x, z)])
        Phi = np.stack([-z * w_x, -z * w_y, w], axis=1)
        xf = np.einsum("qk,qki->i", X, Phi)
        total["C1"] += dm * X.sum(axis=0)
        total["C2"] += dm * Phi.sum(axis=0).T
        total["C3"] += dm * (np.sum(X**2) * unit - X.T @ X)
        total["C4"] += dm * (np.multiply.outer(xf, unit) - np.einsum("qai,qb->iab", Phi, X))
        total["C6"] += dm * np.cross(X[:, :, None], Phi, axis=1).sum(axis=0).T
        total["C8"] += dm * np.einsum("qai,qaj->ij", Phi, Phi)
    assert body.mass == pytest.approx(STEEL.rho * a * b * h)
    for name, value in total.items():
        # the midpoint rule's error: 1 / (24 n^2) of second derivatives, 1e-4
        np.testing.assert_allclose(getattr(body, name), value, atol=1e-3 * np.abs(value).max(), err_msg=name)


def test_stiffness_of_simple_shapes():
    """w = x^2: D (2)^2 a b; w = x y: 2 (1 - nu) D a b; both at once: no coupling. Poisson: x^2 with y^2 nu D 4 a b."""
    a, b = 0.4, 0.3
    D = STEEL.E * H**3 / (12 * (1 - STEEL.nu**2))
    one, s, square = Polynomial([1.0]), Polynomial([0, 1.0]), Polynomial([0, 0, 1.0])
    body = plate((a, b), H, STEEL, [(square, one), (one, square), (s, s)])
    K = D * a * b * np.array([[4, 4 * STEEL.nu, 0], [4 * STEEL.nu, 4, 0], [0, 0, 2 * (1 - STEEL.nu)]])
    np.testing.assert_allclose(body.K, K, atol=1e-12 * K.max())


def test_mean_displacement_frame_markers_and_surface():
    """Free-free products: mean axes take nothing from shapes that have no mean motion, and the surface is closed."""
    free = beam_modes(3, F, F)
    w = [pair for k, pair in enumerate(products(free, free)) if k not in (0, 1, 3)]  # without 1, y, x
    body = plate((A, 0.6 * A), H, STEEL, w, markers={"corner": (A, 0)})
    assert body.mean
    given = plate((A, 0.6 * A), H, STEEL, w, frame=modal.Unchanged(), markers={"corner": (A, 0)})
    np.testing.assert_allclose(body.C8, given.C8, atol=1e-10 * given.C8.max())
    np.testing.assert_allclose(body.origin, [A / 2, 0.3 * A, 0], atol=1e-15)
    marker = body.markers["corner"]
    np.testing.assert_allclose(marker.point, [A / 2, -0.3 * A, 0], atol=1e-15)
    np.testing.assert_allclose(marker.Phi, given.markers["corner"].Phi, atol=1e-11)
    surface = body.recovery
    edges = np.sort(surface.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    assert (np.unique(edges, axis=0, return_counts=True)[1] == 2).all()
    corners = surface.points[surface.triangles]
    volume = np.einsum("ij,ij->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
    assert volume == pytest.approx(A * 0.6 * A * H)  # outward
    top = np.argmin(np.linalg.norm(surface.points - marker.point - [0, 0, H / 2], axis=1))
    np.testing.assert_allclose(surface.Phi[top, 2], marker.Phi[2], atol=1e-11)
    np.testing.assert_allclose(surface.Phi[top, 0], marker.B[1] * H / 2, atol=1e-12)


ONE = Polynomial([1.0])
BAD = {
    "size": dict(size=(1.0,)),
    "both must be positive": dict(size=(1.0, -1.0)),
    "thickness": dict(thickness=0.0),
    r"fem\.Isotropic": dict(material=210e9),
    "pairs": dict(w=[]),
    r"pairs \(f, g\)": dict(w=[ONE]),
    r"function of y of w\[0\]": dict(w=[(ONE, 3.0)]),
    "strain energy": dict(w=[(ONE, Polynomial([0, 1.0]))]),
    "add up to nothing": dict(w=[(ONE, Polynomial([0, 0, 1.0])), (ONE, Polynomial([0, 0, 2.0]))]),
    "outside": dict(markers={"far": (2.0, 0.1)}),
    "is not a reference frame": dict(frame="mean"),
}


@pytest.mark.parametrize("said", BAD)
def test_bad_input(said):
    good = dict(size=(1.0, 0.5), thickness=0.01, material=STEEL, w=products(sines(1), sines(1)))
    assert plate(**good).N == 1
    with pytest.raises(fem.InputError, match=said):
        plate(**(good | BAD[said]))


@pytest.mark.parametrize("given", [(3, 4), (sines(2), 4), ("sines", sines(2))])
def test_numbers_and_names_are_no_functions(given):
    with pytest.raises(fem.InputError, match=r"the functions of [xy] are .*give them themselves"):
        products(*given)
