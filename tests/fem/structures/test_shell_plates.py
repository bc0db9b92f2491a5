"""Plates of shells: the thin limit, rates of convergence, frequencies, against exact and published plate theory."""

import numpy as np
import pytest
from support.shell_cases import body_force, edges, plate_deflection, plate_frequencies, shell
from support.shell_meshes import element_mass, fixed, grid, solve, stiffness

both = pytest.mark.parametrize("kind", ["quad4", "tri3"])

#: w D / q L^4, thin: Timoshenko and Woinowsky-Krieger tables 8, 35; digits of Taylor and Govindjee 2004
THIN = {"ssss": 0.00406235, "cccc": 0.00126532}


@both
@pytest.mark.parametrize("which", list(THIN))
@pytest.mark.parametrize("distort", [0.0, 0.3])
def test_thin_plates_do_not_lock(kind, which, distort):
    """8 x 8 of a quarter, L / h from 100 to 1e5: 1.2 % at most, and the same at every thickness."""
    got = np.array([plate_deflection(kind, 8, h, which, distort=distort) for h in (1e-2, 1e-3, 1e-4, 1e-5)])
    assert np.allclose(got / THIN[which], 1.0, atol=0.012)
    assert (
        np.ptp(got[1:]) < 2e-4 * got[1]
    )  # what the true plate loses of its shear flexibility: 3 (h / L)^2 = 3e-6


@both
def test_thick_plates_have_their_shear(kind):
    """L / h = 10. Supported: exact, w + Phi / (5/6 G h) with the moment sum Phi = 0.0736713 q L^2 (Wang, Reddy, Lee

    2000). Clamped: 0.001505 (Zienkiewicz, Taylor, vol. 2, Reissner-Mindlin, nu = 0.3).
    """
    h, nu = 0.1, 0.3
    D, S = h**3 / 12 / (1 - nu**2), 5 / 6 * h / (2 * (1 + nu))
    exact = THIN["ssss"] + 0.0736713 * D / S
    assert plate_deflection(kind, 8, h, "ssss") == pytest.approx(exact, rel=0.01)
    assert plate_deflection(kind, 16, h, "ssss") == pytest.approx(exact, rel=0.003)
    assert plate_deflection(kind, 16, h, "cccc") == pytest.approx(0.001505, rel=0.005)


def fitted_rate(sizes, errors):
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


@both
@pytest.mark.parametrize("thickness", [0.1, 0.001])
def test_rate_of_bending(kind, thickness):
    """Supported plate under sin sin: Reissner-Mindlin exactly. Deflections of order 2, also on irregular meshes."""
    D, S = thickness**3 / 12 / (1 - 0.09), 5 / 6 * thickness / 2.6
    amplitude = 1 / (4 * np.pi**4 * D) + 1 / (2 * np.pi**2 * S)
    errors = []
    for n in (6, 12, 24):
        points, elements = grid(kind, n, n, distort=0.2)
        section = shell(1.0, 0.3, thickness)
        f = np.zeros(6 * len(points))
        samples = section.samples(kind, points[elements])
        q = np.sin(np.pi * samples.points[..., 0]) * np.sin(np.pi * samples.points[..., 1])
        d = (6 * elements[:, :, None] + np.arange(6)).reshape(len(elements), -1)
        np.add.at(f, d, np.einsum("eq,eqd->ed", samples.weights * q / thickness, samples.shape[:, :, 2]))
        u = solve(stiffness(section, kind, points, elements), f, edges(points, "ssss")).reshape(-1, 6)
        exact = amplitude * np.sin(np.pi * points[:, 0]) * np.sin(np.pi * points[:, 1])
        errors.append(np.linalg.norm(u[:, 2] - exact) / np.linalg.norm(exact))
    assert fitted_rate([1 / 6, 1 / 12, 1 / 24], errors) > 1.9  # 2 but for the meshes' random corners
    assert errors[-1] < {"quad4": 0.002, "tri3": 0.008}[kind]


@both
def test_rate_of_membranes(kind):
    """The exact cubic field of a cantilever (Timoshenko and Goodier 21) on the edge, errors inside: order 2."""
    E, nu, P, L, c = 1.0, 0.3, 1.0, 2.0, 0.5
    I, G = 2 / 3 * c**3, E / 2 / (1 + nu)

    def exact(x, y):
        u = -P * x**2 * y / (2 * E * I) - nu * P * y**3 / (6 * E * I) + P * y**3 / (6 * I * G)
        u += (P * L**2 / (2 * E * I) - P * c**2 / (2 * I * G)) * y
        v = nu * P * x * y**2 / (2 * E * I) + P * x**3 / (6 * E * I) - P * L**2 * x / (2 * E * I)
        return u, v

    def turn(x, y):
        v_x = nu * P * y**2 / (2 * E * I) + P * x**2 / (2 * E * I) - P * L**2 / (2 * E * I)
        u_y = -P * x**2 / (2 * E * I) - nu * P * y**2 / (2 * E * I) + P * y**2 / (2 * I * G)
        return (v_x - u_y - P * L**2 / (2 * E * I) + P * c**2 / (2 * I * G)) / 2

    errors, stress_errors = [], []
    for n in (4, 8, 16, 32):
        points, elements = grid(kind, 2 * n, n, lambda s, t: (L * s, 2 * c * (t - 0.5), 0 * s), distort=0.2)
        x, y, _ = points.T
        values = np.zeros((len(points), 6))
        values[:, 0], values[:, 1], values[:, 5] = *exact(x, y), turn(x, y)
        outer = np.isclose(x, 0) | np.isclose(x, L) | np.isclose(np.abs(y), c)
        held = fixed(len(points), (np.arange(len(points)), "zab"), (outer, "xyc"))
        section = shell(E, nu, 0.1)
        K = stiffness(section, kind, points, elements)
        got = solve(K, np.zeros(6 * len(points)), held, values.ravel()[held]).reshape(-1, 6)
        errors.append(np.linalg.norm((got - values)[:, :2]) / np.linalg.norm(values[:, :2]))
        stress = section.stress(kind, points[elements], got[elements].reshape(len(elements), -1))
        error = stress[:, :, 0, 0] + (P * x * y / I)[elements]
        stress_errors.append(np.sqrt(np.mean(error**2)))
    sizes = [8.0, 4.0, 2.0, 1.0]
    assert fitted_rate(sizes, errors) > 1.7  # 2 but for the meshes' random corners
    assert fitted_rate(sizes, stress_errors) > 0.9  # first order: derivatives of second-order displacements
    assert errors[-1] < 1e-4


@both
@pytest.mark.parametrize("thickness", [0.01, 0.1])
def test_frequencies_of_a_supported_plate(kind, thickness):
    """Exact with rotary inertia and shear, Mindlin 1951: the lower root of the quadratic in omega^2, k = 5/6."""
    h, nu = thickness, 0.3
    D, G = h**3 / 12 / (1 - nu**2), 1 / 2.6
    exact = []
    for m, n in ((1, 1), (1, 2), (2, 1), (2, 2)):
        g = np.pi**2 * (m * m + n * n)
        S, J = 5 / 6 * G * h, h**3 / 12
        # (S g - h w2) (D g + S - J w2) = S^2 g
        exact.append(
            np.sqrt(min(np.roots([h * J, -(S * g * J + h * (D * g + S)), D * S * g * g]))) * np.sqrt(h / D)
        )
    got = plate_frequencies(kind, 16, h, "ssss")
    assert np.allclose(
        got / exact, 1.0, atol=0.04
    )  # bilinear inertia: (k h)^2 / 12 or so, 3.5 % for 2, 2 on tri3
    assert got[0] / exact[0] == pytest.approx(1.0, abs=0.01)
    assert np.all(got > 0.9999 * np.array(exact))


@both
def test_frequencies_of_clamped_and_cantilever_plates(kind):
    """Leissa, J. Sound Vib. 31 (1973) 257-293: 35.992, 73.413 twice, 108.27; 3.4917, 8.5246, 21.429, 27.331.

    Leissa's are upper bounds of a Ritz method, 0.5 % above the exact 3.471 of the cantilever.

    Bilinear displacements err by c (k h)^2 with h = 1/16 and k^2 = int |grad w|^2 / int w^2. For products of the shapes
    of a clamped beam, int phi'^2 / int phi^2 = 12.30 and 46.05 (Blevins, Formulas for Natural Frequency and Mode Shape,
    1979, table 8-1), so that k^2 = 24.6, 58.4 twice and 92.1. As for waves in a plate of such elements, c is near 1/12;
    on triangles, whose sides lie one way, twice that.
    """
    n, exact = 16, np.array([35.992, 73.413, 73.413, 108.27])
    slope = np.array([24.6, 58.4, 58.4, 92.1])
    error = plate_frequencies(kind, n, 0.005, "cccc") / exact - 1
    assert np.all(error > 0)
    assert np.all(error < {"quad4": 0.12, "tri3": 0.19}[kind] * slope / n**2)
    coarse = plate_frequencies(kind, n // 2, 0.005, "cccc") / exact - 1
    assert np.allclose(coarse / error, 4.0, rtol=0.15)  # second order
    cantilever = plate_frequencies(kind, 16, 0.005, "cfff", diagonal="crossed")
    assert np.allclose(cantilever / [3.4917, 8.5246, 21.429, 27.331], 1.0, atol=0.01)


@both
def test_lumped_mass_is_as_good_from_the_other_side(kind):
    """Lumped and consistent inertia err with opposite signs by about as much on regular meshes of quad4."""
    points, elements = grid(kind, 12, 12)
    section = shell(1.0, 0.3, 0.01)
    total = element_mass(section, kind, points[elements], lumped=True)[:, ::6, ::6].sum()
    assert total == pytest.approx(0.01)
    load = body_force(section, kind, points, elements, [0.0, 0.0, 1.0])
    assert load.reshape(-1, 6)[:, 2].sum() == pytest.approx(1.0)
