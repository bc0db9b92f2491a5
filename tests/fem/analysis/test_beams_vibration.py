"""Natural frequencies of beams: Euler-Bernoulli roots, Timoshenko's cantilever, torsion, with rates."""

import numpy as np
import pytest
from support.dense import chain
from support.rates import rate

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7800.0)
SLENDER = fem.Beam(STEEL, fem.Circle(0.01), shear=False, rotary=False)

#: roots beta L of Euler-Bernoulli beams, and the freedoms held at the ends, bending in x-z (uz = 2, ry = 4)
EULER = {
    "cantilever": ((1.8751040687, 4.6940911330, 7.8547574382), (2, 4), ()),
    "free-free": ((4.7300407449, 7.8532046241), (), ()),
    "clamped-pinned": ((3.9266023120, 7.0685827456), (2, 4), (2,)),
    "pinned": ((np.pi, 2 * np.pi, 3 * np.pi), (2,), (2,)),
}


def bending(prop, n, start, end, length=1.0, lumped=False):
    """Frequencies in rad/s of n elements that move in x-z only."""
    model = chain(prop, n, length)
    held = [model.dofs(range(n + 1), [0, 1, 3, 5]), model.dofs(0, list(start)), model.dofs(n, list(end))]
    free = np.setdiff1d(np.arange(model.n), np.concatenate(held))
    found = model.frequencies(np.setdiff1d(np.arange(model.n), free), lumped)
    return found[2 if not start else 0 :]


@pytest.mark.parametrize("case", EULER)
def test_euler_bernoulli_roots(case):
    # cubic elements, consistent mass: errors of order h^4, from above (Strang & Fix, 1973, ch. 6)
    roots, start, end = EULER[case]
    section = SLENDER.section
    scale = np.sqrt(STEEL.E * section.Iy / (STEEL.rho * section.A))
    counts = np.array([6, 12, 24])
    errors = np.array(
        [bending(SLENDER, n, start, end)[: len(roots)] / (np.array(roots) ** 2 * scale) - 1 for n in counts]
    )
    assert np.all(errors[:2] > 0)
    # leading term for cubic elements: (beta h)^4 / 1440 of omega (half of omega^2's 1/720)
    np.testing.assert_allclose(errors[1], (np.array(roots) / 12) ** 4 / 1440, rtol=0.1)
    for k in range(2):
        assert rate(counts, errors[:, k]) == pytest.approx(4, abs=0.15)


def test_timoshenko_cantilever():
    # 1 x 0.05 x 0.1 m, k = 5/6, in the 0.1 direction: computed independently to the digits shown, Hz
    published = np.array([83.1596, 498.4043, 1310.8795])
    beam = fem.Beam(STEEL, fem.Rectangle(0.05, 0.1))
    counts = np.array([8, 16, 32, 64])
    found = np.array([bending(beam, n, (2, 4), ())[:3] / (2 * np.pi) for n in counts])
    errors = found / published - 1
    assert np.all(errors > 0)
    # the rotation's interpolation is exact for statics only: omega converges with h^2
    for k in (1, 2):
        assert rate(counts[:3], errors[:3, k]) == pytest.approx(2, abs=0.3)
    limit = (4 * found[3] - found[2]) / 3  # Richardson
    np.testing.assert_allclose(limit, published, rtol=1.5e-6)  # half a digit of 83.1596 is 0.6e-6


def test_euler_beam_with_rotary_inertia_is_rayleighs():
    # pinned: omega^2 = EI b^4 / (rho A (1 + I b^2 / A)), b = k pi / L, exact for Rayleigh's beam
    section = fem.Rectangle(0.05, 0.1)
    b2 = (np.pi * np.arange(1, 4)) ** 2
    exact = np.sqrt(
        STEEL.E * section.Iy * b2**2 / (STEEL.rho * section.A * (1 + section.Iy / section.A * b2))
    )
    found = bending(fem.Beam(STEEL, section, shear=False), 32, (2,), (2,))[:3]
    np.testing.assert_allclose(found, exact, rtol=1e-5)  # (3 pi / 32)^4 / 1440 = 5e-6
    without = bending(fem.Beam(STEEL, section, shear=False, rotary=False), 32, (2,), (2,))[:3]
    np.testing.assert_allclose(
        without, np.sqrt(STEEL.E * section.Iy / (STEEL.rho * section.A)) * b2, rtol=1e-5
    )


def test_pinned_timoshenko_beam_is_exact_in_the_limit():
    # pinned ends: sine waves solve Timoshenko's equations; smaller root of the quadratic in omega^2
    section = fem.Rectangle(0.05, 0.1)
    E, G, rho, A, I, k = STEEL.E, STEEL.E / 2.6, STEEL.rho, section.A, section.Iy, 5 / 6
    b = np.pi * np.arange(1, 4)
    p = rho**2 * I / (k * G), -(rho * A + rho * I * b**2 * (1 + E / (k * G))), E * I * b**4
    exact = np.sqrt((-p[1] - np.sqrt(p[1] ** 2 - 4 * p[0] * p[2])) / (2 * p[0]))
    beam = fem.Beam(STEEL, section)
    coarse, fine = (bending(beam, n, (2,), (2,))[:3] for n in (32, 64))
    np.testing.assert_allclose((4 * fine - coarse) / 3, exact, rtol=1e-6)
    assert np.all(fine > exact)


def test_torsion_and_stretching():
    # free-free bar: k pi sqrt(GJ / rho Ip) and k pi sqrt(E / rho); linear fields, error (k pi h)^2 / 24
    for section in (fem.Circle(0.02), fem.Rectangle(0.01, 0.04)):
        n = 24
        model = chain(fem.Beam(STEEL, section), n, 1.0)
        for freedom, speed2 in ((3, STEEL.E / 2.6 * section.J / section.polar), (0, STEEL.E)):
            others = np.setdiff1d(np.arange(6), freedom)
            found = model.frequencies(model.dofs(range(n + 1), others))[1:4]
            k = np.arange(1, 4)
            exact = k * np.pi * np.sqrt(speed2 / STEEL.rho)
            np.testing.assert_allclose(found / exact - 1, (k * np.pi / n) ** 2 / 24, rtol=0.05)


def test_six_rigid_modes_and_pairs_of_bending_in_space():
    model = chain(
        fem.Beam(STEEL, fem.Circle(0.02), up=(0, 1, 1)), 12, 1.0, direction=np.array([2.0, 1.0, 2.0]) / 3
    )
    found = model.frequencies()
    assert np.all(found[:6] < 1e-3 * found[6])
    np.testing.assert_allclose(found[6:12:2], found[7:13:2], rtol=1e-9)


def test_lumped_mass():
    # masses at the nodes: pinned beam with n elements, from below, order h^4 (a discrete sine is exact in space)
    n = 16
    model = chain(SLENDER, n, 1.0)
    held = np.concatenate([model.dofs(range(n + 1), [0, 1, 3, 5]), model.dofs([0, n], [2])])
    free = np.setdiff1d(np.arange(model.n), held)
    M, K = model.M(lumped=True)[np.ix_(free, free)], model.K[np.ix_(free, free)]
    moving = np.diag(M) > 0
    assert np.all(np.diag(np.diag(M)) == M)
    # rotations have no mass: condense them
    S = K[np.ix_(moving, moving)] - K[np.ix_(moving, ~moving)] @ np.linalg.solve(
        K[np.ix_(~moving, ~moving)], K[np.ix_(~moving, moving)]
    )
    found = np.sqrt(np.linalg.eigvalsh(S / M[moving][:, moving].max())[:2])
    section = SLENDER.section
    exact = (np.pi * np.arange(1, 3)) ** 2 * np.sqrt(STEEL.E * section.Iy / (STEEL.rho * section.A))
    errors = found / exact - 1
    # the cubic spline through k pi h: omega lower by (k pi h)^4 / 1440 (series of the discrete equation)
    np.testing.assert_allclose(errors, -((np.pi * np.arange(1, 3) / n) ** 4) / 1440, rtol=0.05)
