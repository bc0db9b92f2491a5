"""Beams whose mass and rotary inertia are given, not those of the section: frequencies by formulas.

S. Timoshenko, D. H. Young, W. Weaver: Vibration Problems in Engineering, 4th ed., articles 5.3 (axial), 5.5 (torsion),
5.12 (rotary inertia and shear of a beam with simple supports).
"""

import numpy as np
import pytest

import fem

STEEL = fem.Isotropic(E=200e9, nu=0.3, rho=7850.0)
SECTION = fem.Rectangle(0.04, 0.06)
# m, kg/m, kg m: the section itself has 18.8 kg/m, 0.0057 and 0.0025 kg m
LENGTH, MASS, JY, JZ = 2.0, 60.0, 0.7, 0.3
ELEMENTS = 24


def _mesh(n=ELEMENTS):
    x = np.linspace(0, LENGTH, n + 1)
    k = np.arange(n)
    blocks = (fem.Block("line2", np.stack([k, k + 1], axis=1)),)
    return fem.Mesh(
        np.column_stack([x, 0 * x, 0 * x]), blocks, {"start": [0], "end": [n], "all": np.arange(n + 1)}
    )


def _beam(n=ELEMENTS, **options):
    return fem.assemble(_mesh(n), fem.Beam(STEEL, SECTION, line_mass=MASS, rotary=(JY, JZ), **options))


def _bending(EI, J, GAk, n):
    """Return the lower frequencies, rad/s: ``mJ/GAk w^4 - (m + (J + m EI/GAk) b^2) w^2 + EI b^4 = 0``, b = n pi/l."""
    b = np.arange(1, n + 1) * np.pi / LENGTH
    quadratic, linear, constant = MASS * J / GAk, -(MASS + (J + MASS * EI / GAk) * b**2), EI * b**4
    if quadratic == 0:
        return np.sqrt(-constant / linear)
    return np.sqrt((-linear - np.sqrt(linear**2 - 4 * quadratic * constant)) / (2 * quadratic))


@pytest.mark.parametrize("shear", [True, False])
@pytest.mark.parametrize(
    ("across", "other", "turning", "J", "I", "k"),
    [("z", "y", "rz", JY, SECTION.Iy, SECTION.kz), ("y", "z", "ry", JZ, SECTION.Iz, SECTION.ky)],
)
def test_bending_with_simple_supports(shear, across, other, turning, J, I, k):
    """Displacement along z with the inertia about y, and along y with that about z."""
    held = {"start": ("x", across), "end": (across,), "all": (other, "rx", turning)}
    coarse, fine = (
        2 * np.pi * fem.vibration(_beam(n, shear=shear), held, n=3).frequencies_hz for n in (24, 48)
    )
    GAk = k * STEEL.E / 2.6 * SECTION.A if shear else np.inf
    exact = _bending(STEEL.E * I, J, GAk, 3)
    assert np.all(fine >= exact * (1 - 1e-9))  # consistent mass: from above, and at least of order two
    assert np.all(fine - exact <= (coarse - exact) / 3 + 1e-7 * exact)
    assert fine == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize(
    ("held", "stiffness", "mass"),
    [
        (("x", "y", "z", "ry", "rz"), STEEL.E / 2.6 * SECTION.J, JY + JZ),  # torsion: the sum of both moments
        (("y", "z", "rx", "ry", "rz"), STEEL.E * SECTION.A, MASS),
    ],
)
def test_torsion_and_stretching(held, stiffness, mass):
    found = 2 * np.pi * fem.vibration(_beam(), {"start": "all", "all": held}, n=1).frequencies_hz[0]
    exact = np.pi / (2 * LENGTH) * np.sqrt(stiffness / mass)
    bh = np.pi / (2 * ELEMENTS)
    error = bh**2 / 24  # of linear elements with consistent mass
    assert found / exact - 1 == pytest.approx(error, rel=0.01)


@pytest.mark.parametrize("lumped", [False, True])
def test_inertia_of_a_section_with_oblique_principal_axes_is_in_local_axes(lumped):
    """Of the whole bar about its centre: l (Jy + Jz) along, m l^3 / 12 + l J across, no products."""
    section = fem.Section(A=1e-3, Iy=3e-7, Iz=2e-7, J=1e-7, Iyz=1.5e-7)
    beam = fem.Beam(STEEL, section, line_mass=MASS, rotary=(JY, JZ))
    body = fem.assemble(_mesh(), beam, lumped=lumped)
    # lumped: halves of the elements' masses at their ends have m h^3 / 4 each in place of m h^3 / 12
    across = MASS * LENGTH**3 / 12 * (1 + 2 / ELEMENTS**2 * lumped)
    expected = np.diag([JY + JZ, JY, JZ]) * LENGTH + np.diag([0, across, across])
    assert body.inertia == pytest.approx(expected, rel=1e-9, abs=1e-9 * across)
    assert body.mass == pytest.approx(MASS * LENGTH, rel=1e-12)


def test_rho_A_and_rho_I_are_the_default():
    rho = STEEL.rho
    own = {"line_mass": rho * SECTION.A, "rotary": (rho * SECTION.Iy, rho * SECTION.Iz)}
    one, other = (fem.assemble(_mesh(), fem.Beam(STEEL, SECTION, **options)).M for options in ({}, own))
    assert abs(one - other).max() <= 1e-12 * abs(one).max()


def test_a_line_load_does_not_depend_on_the_mass():
    load = fem.LineLoad("line2", (0.0, 0.0, -10.0))
    assert fem.load_vector(_beam(), load).reshape(-1, 6)[:, 2].sum() == pytest.approx(
        -10.0 * LENGTH, rel=1e-12
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rotary": (1.0, -1.0)}, r"rotary = .* must be True, False, or two moments of inertia per length"),
        ({"rotary": 2.0}, r"rotary = 2 must be True, False, or two"),
        ({"line_mass": 0.0}, r"line_mass = 0 kg/m must be a positive number"),
        ({"line_mass": -1.0, "rotary": "no"}, r"rotary = .*line_mass = -1"),
    ],
)
def test_wrong_inertia_is_refused(options, words):
    with pytest.raises(fem.InputError, match=words):
        fem.Beam(STEEL, SECTION, **options)
