"""Beams through the structure against published numbers: Koppens' rod, rotating and heavy beams, curved and twisted."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from support.frames import line
from support.rates import rate

import fem
from fem.model.supports import held_by

# Koppens (1989), 5.2: round rod, d = 6 mm, l = 0.3 m, Euler-Bernoulli without rotary inertia ---------------------

ROD = fem.Isotropic(E=0.2e12, nu=0.3, rho=7.87e3)
ROUND = fem.Beam(ROD, fem.Circle(0.006), shear=False, rotary=False)
LENGTH = 0.3
PLANE = {"start": ("x", "y", "z", "rx"), "end": ("y", "z")}


def test_koppens_rod_as_printed():
    structure = fem.assemble(line([(0, 0, 0), (LENGTH, 0, 0)], 8, {"middle": np.array([4])}.items()), ROUND)
    sag = fem.static(structure, PLANE, fem.Gravity()).at("middle")[2]
    assert -sag / LENGTH == pytest.approx(60.3e-6, abs=0.05e-6)
    first = 2 * np.pi * fem.vibration(structure, PLANE, n=1).frequencies_hz[0]
    assert first == pytest.approx(829.2, abs=0.05)
    assert 2 * np.pi / first == pytest.approx(7.58e-3, abs=0.005e-3)
    clamped = 2 * np.pi * fem.vibration(structure, "start", n=1).frequencies_hz[0]
    assert clamped == pytest.approx(295.4, abs=0.05)
    # Rayleigh's quotient of the static shape of an end moment, which the elements hold exactly
    u = fem.static(structure, "start", fem.Force("end", moment=(0, 1.0, 0))).u
    quotient = np.sqrt(u @ (structure.K @ u) / (u @ (structure.M @ u)))
    assert quotient == pytest.approx(375.7, abs=0.05)


# stiffening and softening by distributed axial force ----------------------------------------------------------------


#: mu = omega sqrt(rho A L^4 / EI) by eta = Omega sqrt(rho A L^4 / EI), flap of a cantilever without hub: table of
#: Wright et al. (J. Appl. Mech. 49, 1982), computed independently by a Galerkin solution with 20 polynomials
FLAP = {
    0: (3.516, 22.0345, 61.6972),
    3: (4.7973, 23.3203, 62.985),
    6: (7.3604, 26.8091, 66.6839),
    12: (13.1702, 37.6031, 79.6145),
}


def rotating(eta, n, plane):
    """First three frequencies mu of the rotating cantilever: plane "z" flap (along the axis of rotation), "y" lag."""
    section = ROUND.section
    scale = np.sqrt(ROD.E * section.Iz / (ROD.rho * section.A)) / LENGTH**2
    structure = fem.assemble(line([(0, 0, 0), (LENGTH, 0, 0)], n), ROUND)
    Omega = eta * scale
    u = fem.static(structure, "start", fem.Centrifugal((0, 0, Omega))).u if eta else np.zeros(structure.n)
    K = (structure.K + fem.geometric_stiffness(structure, u)).toarray()
    M = structure.M.toarray()
    if plane == "y":  # the load follows the point: - Omega^2 M sideways in the plane of rotation
        turning = np.flatnonzero(np.isin(np.arange(structure.n) % 6, (0, 1, 5)))
        K[np.ix_(turning, turning)] -= Omega**2 * M[np.ix_(turning, turning)]
    free = held_by(structure, "start").free
    keep = free[np.isin(free % 6, (2, 4) if plane == "z" else (1, 5))]
    pick = np.ix_(keep, keep)
    return np.sqrt(scipy.linalg.eigh(K[pick], M[pick], eigvals_only=True)[:3]) / scale


@pytest.mark.parametrize("eta", FLAP)
def test_rotating_cantilever(eta):
    exact = np.array(FLAP[eta])
    counts, found = np.array([8, 16, 32]), []
    for n in counts:
        found.append(rotating(eta, n, "z"))
    # N is constant in an element, the mean of the true one: h^2, taken out; 4 decimals are given
    limit = (4 * found[2] - found[1]) / 3
    np.testing.assert_allclose(limit, exact, rtol=3e-5)
    lag = (4 * rotating(eta, 32, "y") - rotating(eta, 16, "y")) / 3
    np.testing.assert_allclose(lag**2, exact**2 - eta**2, rtol=2e-4)  # exact relation; difference of squares


def test_column_under_its_own_weight():
    # Greenhill: rho g A L^3 / EI = 7.8373 (3/2 times the first root of J_-1/3, squared: 7.83735)
    section, L, counts, errors = ROUND.section, 2.0, np.array([4, 8, 16]), []
    for n in counts:
        structure = fem.assemble(line([(0, 0, 0), (0, 0, L)], n), replace(ROUND, up=(1, 0, 0)))
        factor = fem.buckling(structure, "start", fem.Gravity((0, 0, -1.0)), n=1).factors[0]
        errors.append(factor * ROD.rho * section.A * L**3 / (ROD.E * section.Iz) / 7.83735 - 1)
    assert rate(counts, errors) == pytest.approx(2, abs=0.1)
    assert (4 * errors[2] - errors[1]) / 3 == pytest.approx(0, abs=2e-5)


# MacNeal & Harder, A proposed standard set of problems (Finite Elements in Analysis and Design 1, 1985), lb and in ----


def test_macneal_harder_straight_beam():
    # 6 x 0.2 x 0.1, E = 1e7, nu = 0.3, unit loads at the tip: 3.0e-5, 0.1081, 0.4321 (Timoshenko's beam)
    material = fem.Isotropic(E=1e7, nu=0.3, rho=1.0)
    structure = fem.assemble(line([(0, 0, 0), (6, 0, 0)], 1), fem.Beam(material, fem.Rectangle(0.1, 0.2)))
    for load, component, published in (
        ((1, 0, 0), 0, 3.0e-5),
        ((0, 0, 1), 2, 0.1081),
        ((0, 1, 0), 1, 0.4321),
    ):
        tip = fem.static(structure, "start", fem.Force("end", load)).at("end")
        assert tip[component] == pytest.approx(
            published, rel=6e-4
        )  # digits given; 0.4320 + shear 0.0001 rounds
    twisted = fem.static(structure, "start", fem.Force("end", moment=(1.0, 0, 0))).at("end")
    assert twisted[3] == pytest.approx(0.03408, rel=2e-3)  # J = 0.229 b a^3 in its three digits


def test_macneal_harder_curved_beam():
    # quarter circle, radii 4.12 and 4.32, thickness 0.1, E = 1e7, nu = 0.25, unit load at the tip
    material, section, R = fem.Isotropic(E=1e7, nu=0.25, rho=1.0), fem.Rectangle(0.2, 0.1), 4.22
    E, G, found = 1e7, 4e6, []
    for n in (12, 24):
        angle = np.linspace(0, np.pi / 2, n + 1)
        points = R * np.stack([np.sin(angle), np.cos(angle), 0 * angle], axis=1)
        structure = fem.assemble(line(points, 1), fem.Beam(material, section))
        tips = [fem.static(structure, "start", fem.Force("end", f)).at("end")[:3] for f in np.eye(3)]
        found.append(np.diagonal(tips))
    limit = (4 * found[1] - found[0]) / 3  # chords for arcs: h^2
    # thin ring by virtual work: M = R sin, N = sin, V = cos for the radial load; R (1 - cos), cos, sin for the other;
    # bending R sin and torque R (1 - cos) for the one out of the plane
    sin2, versed2, shear = np.pi / 4, 3 * np.pi / 4 - 2, R / (5 / 6 * G * section.A)
    axial = R / (E * section.A)
    inside = R**3 / (E * section.Iz) * np.array([sin2, versed2]) + np.pi / 4 * (axial + shear)
    out = R**3 * (sin2 / (E * section.Iy) + versed2 / (G * section.J)) + np.pi / 2 * shear
    np.testing.assert_allclose(limit, [*inside, out], rtol=1e-4)
    # published for radial and out of the plane; a ring's own formula is 1.4 % away from the first of them
    np.testing.assert_allclose(limit[[0, 2]], [0.08734, 0.5022], rtol=0.015)


def test_macneal_harder_twisted_beam():
    # 12 x 1.1 x 0.32, turned by 90 degrees, E = 29e6, nu = 0.22, unit load at the tip: 0.005424 along the root's
    # thin direction, 0.001754 along its wide one
    material, found = fem.Isotropic(E=29e6, nu=0.22, rho=1.0), []
    for n in (12, 24):
        mesh = line([(0, 0, 0), (12, 0, 0)], n)
        mesh = replace(mesh, element_sets={str(k): np.array([k]) for k in range(n)})
        turn = (np.arange(n) + 0.5) / n * np.pi / 2
        beams = {
            str(k): fem.Beam(material, fem.Rectangle(0.32, 1.1), up=(0, np.sin(a), np.cos(a)))
            for k, a in enumerate(turn)
        }
        structure = fem.assemble(mesh, beams)
        tips = [
            fem.static(structure, "start", fem.Force("end", f)).at("end") for f in ((0, 1.0, 0), (0, 0, 1.0))
        ]
        found.append((tips[0][1], tips[1][2]))
    limit = (4 * np.array(found[1]) - found[0]) / 3  # steps for the twist: h^2
    np.testing.assert_allclose(
        limit, [0.005424, 0.001754], rtol=3e-3
    )  # of a beam; theirs is a little stiffer in shear


# lumped mass -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("supports", [(), "start"])
def test_lumped_and_consistent_mass_meet(supports):
    beam, difference, counts = fem.Beam(ROD, fem.Rectangle(0.02, 0.03)), [], np.array([6, 12, 24])
    for n in counts:
        mesh = line([(0, 0, 0), (1, 0, 0)], n)
        both = [
            fem.vibration(fem.assemble(mesh, beam, lumped=l), supports, n=4).frequencies_hz
            for l in (True, False)
        ]
        difference.append(both[0] / both[1] - 1)
    for k in range(4):  # lumped ends: half a mass at the tip moves too much, h^2
        assert rate(counts, np.array(difference)[:, k]) > 1.7
    assert np.all(np.array(difference) < 0)
    assert np.abs(difference[-1]).max() < 0.02
