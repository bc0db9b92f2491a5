"""Assumed modes of a beam against Koppens (1989), section 3.2."""

import numpy as np
import pytest
import scipy.linalg
import sympy
from numpy.polynomial import Polynomial
from scipy.optimize import brentq

import fem
import modal
from modal.assumed import Natural

L, MASS, EI3, EI2 = 0.7, 1.3, 40.0, 90.0


@pytest.fixture(scope="module")
def quintic():
    f = modal.assumed.quintic()
    return modal.assumed.beam(length=L, mass=MASS, EI=(EI3, EI2), y=f, z=f)


def polynomials(*coefficients):
    return [Natural(Polynomial(c)) for c in coefficients]


# Koppens (3.7)-(3.10), coefficients of xi^0, xi^1, ...
KOPPENS = polynomials(
    np.array([-1, 0, 3]) / 2,
    np.array([0, -3, 0, 5]) / 2,
    np.array([3, 0, -30, 0, 35]) / 8,
    np.array([0, 15, 0, -70, 0, 63]) / 8,
)


def test_the_quintic_base_is_koppens():
    xi = np.linspace(-1, 1, 9)
    for mine, printed in zip(modal.assumed.quintic(), KOPPENS, strict=True):
        np.testing.assert_allclose(mine.function(xi), printed.function(xi), atol=1e-14)


class TestKoppensMatrices:
    """(3.11)-(3.17), entry by entry; 1e-13 of the largest entry is round-off of the quadrature."""

    M = MASS * np.diag([1 / 5, 1 / 7, 1 / 9, 1 / 11])  # (3.15)
    K = (
        np.array([[144, 0, 480, 0], [0, 1200, 0, 3360], [480, 0, 5520, 0], [0, 3360, 0, 18480]]) / L**3
    )  # (3.17)
    zero = np.zeros((4, 4))
    e1, e2, e3 = np.eye(3)

    def test_what_vanishes_vanishes(self, quintic):
        for value in (quintic.C1, quintic.C2, quintic.C6):
            assert not value.any()
        assert np.abs(quintic.C4).max() < 1e-13 * MASS * L
        assert quintic.mean

    def test_C3(self, quintic):
        expected = (np.outer(self.e2, self.e2) + np.outer(self.e3, self.e3)) * MASS * L**2 / 12  # (3.11)
        np.testing.assert_allclose(quintic.C3, expected, atol=1e-13 * MASS * L**2)

    def test_C5(self, quintic):
        first = np.multiply.outer(scipy.linalg.block_diag(self.M, self.M), np.eye(3))
        blocks = [[(self.e2, self.e2), (self.e2, self.e3)], [(self.e3, self.e2), (self.e3, self.e3)]]
        second = np.zeros((8, 8, 3, 3))
        for i in range(2):
            for j in range(2):
                rows, columns = slice(4 * i, 4 * i + 4), slice(4 * j, 4 * j + 4)
                second[rows, columns] = np.multiply.outer(self.M, np.outer(*blocks[i][j]))
        np.testing.assert_allclose(quintic.C5, first - second, atol=1e-13 * MASS)  # (3.12)

    def test_C7(self, quintic):
        block = np.block([[self.zero, self.M], [-self.M, self.zero]])
        np.testing.assert_allclose(quintic.C7, np.multiply.outer(block, self.e1), atol=1e-13 * MASS)  # (3.13)

    def test_C8(self, quintic):
        np.testing.assert_allclose(
            quintic.C8, scipy.linalg.block_diag(self.M, self.M), atol=1e-13 * MASS
        )  # (3.14)

    def test_K(self, quintic):
        expected = scipy.linalg.block_diag(EI3 * self.K, EI2 * self.K)  # (3.16)
        np.testing.assert_allclose(quintic.K, expected, atol=1e-13 * np.abs(expected).max())


# Koppens table 3.1: errors of the eigenfrequencies, relative to the exact ones. The row that the scan shows
# as "F-P" is P-P: four frequencies and no rigid motion.
TABLE = {
    "CC": (0.003, 0.020),
    "CP": (0.001, 0.015, 0.738),
    "CG": (0.000, 0.011, 0.078),
    "CF": (0.000, 0.006, 0.027, 1.329),
    "PP": (0.000, 0.004, 0.484, 0.748),
    "PG": (0.000, 0.003, 0.079, 0.640),
    "PF": (0.002, 0.025, 0.574, 1.102),
    "GG": (0.000, 0.038, 0.095),
    "GF": (0.000, 0.017, 0.071, 1.186),
    "FF": (0.009, 0.030, 0.847, 1.280),
}
# characteristic equations of the Bernoulli-Euler beam in beta l, scaled to stay bounded
CHARACTERISTIC = {
    "CC": lambda x: np.cos(x) - 1 / np.cosh(x),
    "CP": lambda x: np.sin(x) - np.cos(x) * np.tanh(x),
    "CG": lambda x: np.sin(x) + np.cos(x) * np.tanh(x),
    "CF": lambda x: np.cos(x) + 1 / np.cosh(x),
    "PP": np.sin,
    "PG": np.cos,
    "PF": lambda x: np.sin(x) - np.cos(x) * np.tanh(x),
    "GG": np.sin,
    "GF": lambda x: np.sin(x) + np.cos(x) * np.tanh(x),
    "FF": lambda x: np.cos(x) - 1 / np.cosh(x),
}


def roots(equation, number):
    grid = np.arange(0.3, 25, 0.05)
    values = equation(grid)
    brackets = np.flatnonzero(values[:-1] * values[1:] < 0)[:number]
    return np.array([brentq(equation, grid[k], grid[k + 1], xtol=1e-13) for k in brackets])


def test_the_exact_roots():
    # as in any table of beam modes
    np.testing.assert_allclose(roots(CHARACTERISTIC["CF"], 3), [1.8751040687, 4.6940911330, 7.8547574382])
    np.testing.assert_allclose(roots(CHARACTERISTIC["FF"], 2), [4.7300407449, 7.8532046241])
    np.testing.assert_allclose(roots(CHARACTERISTIC["CP"], 2), [3.9266023120, 7.0685827456])


@pytest.mark.parametrize("ends", TABLE)
def test_table_3_1(ends):
    """Rayleigh-Ritz with rigid motion + quintic base, ends held through the body's markers."""
    body = modal.assumed.beam(length=L, mass=MASS, EI=EI3, y=modal.assumed.quintic())
    M = scipy.linalg.block_diag(body.mass, body.C3[2, 2], body.C8)
    K = scipy.linalg.block_diag(0, 0, body.K)
    rows = []
    for name, kind in zip(("start", "end"), ends, strict=True):
        marker = body.markers[name]
        deflection = np.concatenate([[1, marker.point[0]], marker.Phi[1]])
        slope = np.concatenate([[0, 1], marker.B[2]])
        rows += {"C": [deflection, slope], "P": [deflection], "G": [slope], "F": []}[kind]
    Z = scipy.linalg.null_space(np.array(rows)) if rows else np.eye(6)
    squares = scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ M @ Z, eigvals_only=True)
    omega = np.sqrt(squares[squares > 1e-6 * squares[-1]])
    assert len(omega) == len(TABLE[ends])
    exact = (roots(CHARACTERISTIC[ends], len(omega)) / L) ** 2 * np.sqrt(EI3 * L / MASS)
    # half a unit of the printed digit, and the rounding of values printed to .0005 just at it
    np.testing.assert_allclose(omega / exact - 1, TABLE[ends], atol=5.1e-4)


def test_pinned_frequency_of_koppens_rod():
    # Koppens 5.4.1: nu = (pi^2/4) (d/l^2) sqrt(E/rho) = 829.2 rad/s
    d, l, E, rho = 0.006, 0.3, 0.2e12, 7.87e3
    body = modal.assumed.beam(
        length=l, rho=rho, area=np.pi * d**2 / 4, EI=E * np.pi * d**4 / 64, y=modal.assumed.sines(1),
        frame=modal.Chord("start", "end"),
    )  # fmt: skip
    assert 2 * np.pi * body.frequencies_hz[0] == pytest.approx(829.2, abs=0.05)


def test_three_ways_to_give_a_function():
    s = sympy.Symbol("s")
    given = {
        "polynomial of s": Polynomial([0, 0, 1 / L**2, -1 / L**3]),
        "natural polynomial": Natural(Polynomial([0.125, 0.125, -0.125, -0.125])),
        "sympy": (s / L) ** 2 * (1 - s / L),
        "functions": (
            lambda s: (s / L) ** 2 * (1 - s / L),
            lambda s: (2 * s - 3 * s**2 / L) / L**2,
            lambda s: (2 - 6 * s / L) / L**2,
        ),
    }
    bodies = [
        modal.assumed.beam(length=L, mass=MASS, EI=EI3, y=[f], frame=modal.Unchanged())
        for f in given.values()
    ]
    for body in bodies[1:]:
        for name in ("C2", "C4", "C6", "C8", "K"):
            np.testing.assert_allclose(getattr(body, name), getattr(bodies[0], name), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(body.markers["end"].B, bodies[0].markers["end"].B, rtol=1e-12, atol=1e-14)


def test_markers_are_the_functions_and_their_slopes():
    v, w, u = Polynomial([0, 0, 3.0]), Polynomial([0, 0, 0, 5.0]), Polynomial([0, 2.0])
    body = modal.assumed.beam(
        length=L,
        mass=MASS,
        EI=(EI3, EI2),
        EA=7.0,
        y=[v],
        z=[w],
        x=[u],
        frame=modal.Unchanged(),
        markers={"a": 0.2},
    )
    marker = body.markers["a"]
    np.testing.assert_allclose(marker.point, [0.2, 0, 0])
    np.testing.assert_allclose(marker.Phi, [[0, 0, 0.4], [0.12, 0, 0], [0, 0.04, 0]], atol=1e-15)
    # rotation = half the curl of the section's displacement: (.., -w', v')
    np.testing.assert_allclose(marker.B, [[0, 0, 0], [0, -0.6, 0], [1.2, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(body.K, np.diag([EI3 * 36 * L, EI2 * 900 * L**3 / 3, 7 * 4 * L]), atol=1e-9)


def test_tapered_properties_are_integrated():
    body = modal.assumed.beam(
        length=2.0,
        rho=3.0,
        area=lambda s: 1 + s,
        EI=lambda s: s,
        y=[Polynomial([0, 0, 1.0])],
        frame=modal.Unchanged(),
    )
    assert body.mass == pytest.approx(12.0)  # 3 (2 + 2)
    assert body.K[0, 0] == pytest.approx(8.0)  # int 4 s ds
    assert body.C8[0, 0] == pytest.approx(3 * (32 / 5 + 64 / 6))  # 3 int (1 + s) s^4 ds


def test_polar_inertia_adds_to_the_spin_alone():
    body = modal.assumed.beam(length=L, mass=MASS, EI=1.0, y=modal.assumed.sines(1), polar_inertia=0.01)
    assert body.C3[0, 0] == pytest.approx(0.01)
    assert body.C3[1, 1] == pytest.approx(MASS * L**2 / 12)


def test_surface_is_a_tube_about_the_deflected_axis():
    body = modal.assumed.beam(length=L, rho=1.0, area=np.pi * 1e-4, EI=1.0, y=[Polynomial([0, 0, 1.0])])
    surface = body.recovery
    radius = np.linalg.norm(surface.points[:, 1:], axis=1)
    np.testing.assert_allclose(radius, 0.01, rtol=1e-12)
    at_end = np.isclose(surface.points[:, 0], L / 2)
    mean = surface.Phi[at_end].mean(axis=0)
    np.testing.assert_allclose(mean, body.markers["end"].Phi, atol=1e-14)
    # a section stays plane: its points move along the axis by -v' y
    np.testing.assert_allclose(
        surface.Phi[at_end, 0, 0], -body.markers["end"].B[2, 0] * surface.points[at_end, 1], atol=1e-15
    )


BAD = {
    "length": dict(length=-1.0),
    "mass per length": dict(mass=0.0),
    "not both": dict(rho=1.0),
    "no base functions": dict(y=[]),
    "needs EI of the y": dict(EI=None),
    "EI of the y functions is -1": dict(EI=-1.0),
    "EA of the x": dict(x=[Polynomial([0, 1.0])]),
    "no strain energy": dict(y=[Polynomial([0, 1.0])], frame=modal.Unchanged()),
    "add up to": dict(y=[Polynomial([0, 0, 1.0]), Polynomial([0, 1.0, 1.0])]),
    "must be a numpy polynomial": dict(y=[np.sin]),
    "more than one symbol": dict(y=[sympy.Symbol("a") * sympy.Symbol("s") ** 2]),
    "outside of it": dict(markers={"tip": 0.8}),
    "no interface or marker 'tip'": dict(frame=modal.Chord("start", "tip")),
    "no length": dict(frame=modal.Chord("start", "start")),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_named(message):
    good = dict(length=L, mass=MASS, EI=1.0, y=[Polynomial([0, 0, 1.0])])
    with pytest.raises(fem.InputError, match=message):
        modal.assumed.beam(**{**good, **BAD[message]})


class TestAxialModes:
    """(C.21) with its completion for analytic functions; Koppens 5.5.1 has one static function each."""

    EA = 3e5
    U = (Polynomial([0, 1.0]), Polynomial([0, 0, 1.0]))

    def body(self, frame=None):
        y = modal.assumed.quintic()
        return modal.assumed.beam(
            length=L,
            mass=MASS,
            EI=EI3,
            EA=self.EA,
            y=y,
            z=y[:2],
            x=self.U,
            frame=frame,
            stiffening=modal.AxialModes(),
        )

    @pytest.mark.parametrize("frame", [None, modal.FixedPoint("start"), modal.Unchanged()])
    def test_energy_by_quadrature(self, frame):
        """int EA u' (v'^2 + w'^2) / 2, and the square of the part of (v'^2 + w'^2) / 2 in the span of the u'."""
        body = self.body(frame)
        alpha = np.random.default_rng(1).normal(size=body.N) * 0.01
        s, weight = np.polynomial.legendre.leggauss(40)
        s, weight = 0.5 * L * (s + 1), 0.5 * L * weight
        turn = body.markers["start"].B @ alpha - self.body(modal.Unchanged()).markers["start"].B @ alpha
        slopes = [f.function.deriv()(2 * s / L - 1) * 2 / L for f in modal.assumed.quintic()]
        v = np.tensordot(alpha[:4], slopes, 1) + turn[2]
        w = np.tensordot(alpha[4:6], slopes[:2], 1) - turn[1]
        stretch = np.array([np.ones_like(s), 2 * s])
        shorter = 0.5 * (v**2 + w**2)
        cubic = self.EA * weight @ (alpha[6:] @ stretch * shorter)
        part = np.linalg.solve((stretch * weight) @ stretch.T, (stretch * weight) @ shorter) @ stretch
        quartic = 0.5 * self.EA * weight @ part**2
        assert body.axial.energy(alpha) == pytest.approx(cubic + quartic, rel=1e-10)

    def test_refused_with_a_reason(self):
        given = dict(length=L, mass=MASS, EI=EI3, y=modal.assumed.quintic())
        with pytest.raises(fem.InputError, match="x="):
            modal.assumed.beam(**given, stiffening=modal.AxialModes())
        with pytest.raises(fem.InputError, match=r"modal\.reduce"):
            modal.assumed.beam(**given, stiffening=True)
