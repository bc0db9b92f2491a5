"""Section forces and stresses of beams."""

import numpy as np
import pytest
from support.beam_cases import STEEL, angle_iron
from support.dense import chain

import fem

G = STEEL.E / 2.6
ANGLE, FIBRES = angle_iron()


def test_section_forces_and_stresses_of_a_cantilever():
    section, L, n = fem.Rectangle(0.04, 0.06), 1.0, 4
    beam = fem.Beam(STEEL, section)
    model = chain(beam, n, L)
    F = np.array([5e3, 200.0, -300.0, 40.0, 60.0, -80.0])
    u = model.solve(model.dofs(0), model.load(n, F))
    nodes = model.blocks[0][1]
    stress = beam.stress("line2", model.X[nodes], u[model.rows(nodes, beam)])
    x = model.X[nodes][:, :, 0]
    # load of the part beyond x on the part before it
    want = np.broadcast_to(F, (n, 2, 6)).copy()
    want[..., 4] += -(L - x) * F[2]
    want[..., 5] += (L - x) * F[1]
    np.testing.assert_allclose(stress.forces, want, rtol=1e-9)
    My, Mz = want[..., 4], want[..., 5]
    bending = np.abs(My) * 0.03 / section.Iy + np.abs(Mz) * 0.02 / section.Iz
    np.testing.assert_allclose(stress.axial, F[0] / section.A, rtol=1e-9)
    np.testing.assert_allclose(stress.bending, bending, rtol=1e-9)
    np.testing.assert_allclose(stress.largest, F[0] / section.A + bending, rtol=1e-9)
    np.testing.assert_allclose(stress.smallest, F[0] / section.A - bending, rtol=1e-9)
    # 3/2 V / A each, torsion of 4 x 6: alpha = 0.231 (Timoshenko & Goodier) in T / (alpha b a^2)
    shear = 1.5 * (F[1] - F[2]) / section.A + F[3] / (0.231 * 0.06 * 0.04**2)
    np.testing.assert_allclose(stress.shear, shear, rtol=2e-3)
    np.testing.assert_allclose(stress.von_mises, np.hypot(stress.largest, np.sqrt(3) * stress.shear))
    strain = beam.strain("line2", model.X[nodes], u[model.rows(nodes, beam)])
    rigidity = [STEEL.E * section.A, *2 * [G * section.A * 5 / 6], G * section.J]
    rigidity += [STEEL.E * section.Iy, STEEL.E * section.Iz]
    np.testing.assert_allclose(strain, want / rigidity, rtol=1e-9)


@pytest.mark.parametrize("releases", [{}, {"end": ("ry",)}])
def test_section_forces_under_weight(releases):
    """One element: clamped at both ends w L^2 / 12, propped w L^2 / 8, once the weight itself is handed in."""
    section, L, g = fem.Rectangle(0.04, 0.06), 2.0, 9.81
    beam = fem.Beam(STEEL, section, shear=False, releases=releases, offset=(0.0, 0.1))
    X, w = np.array([[[0, 0, 0], [L, 0, 0]]]), STEEL.rho * section.A * g
    samples = beam.samples("line2", X)
    load = np.einsum("eq,eqka,k->ea", samples.weights, samples.shape, [0, 0, -g])
    forces = beam.stress("line2", X, np.zeros((1, 12)), load).forces[0]
    M, V = (np.array([w, -w]) * L**2 / 12, np.array([-w, w]) * L / 2)
    if releases:
        M, V = np.array([w, 0]) * L**2 / 8, np.array([-5, 3]) / 8 * w * L
    np.testing.assert_allclose(forces[:, 4], [M[0], -M[1]], atol=1e-9 * w * L**2)
    np.testing.assert_allclose(forces[:, 2], V, atol=1e-9 * w * L)


def test_round_and_unknown_sections():
    X = np.array([[[0, 0, 0], [1.0, 0, 0]]])
    u = np.zeros((1, 12))
    u[0, [10, 11]] = 3e-3, 4e-3  # moments in both planes: the resultant bends
    full = fem.Circle(0.05)
    stress = fem.Beam(STEEL, full, shear=False).stress("line2", X, u)
    M = np.linalg.norm(stress.forces[0, :, 4:], axis=1)
    np.testing.assert_allclose(stress.bending[0], 32 * M / (np.pi * 0.05**3))
    unknown = fem.Beam(STEEL, fem.Section(A=1e-3, Iy=1e-7, Iz=1e-7, J=1e-7)).stress("line2", X, u)
    assert np.all(np.isnan(unknown.bending))
    assert np.all(np.isnan(unknown.shear))
    assert np.all(np.isfinite(unknown.forces))


def test_stresses_in_unsymmetric_sections():
    # sigma = E (curvatures) over the section, summed to the moments: independent of principal axes
    X = np.array([[[0, 0, 0], [1.0, 0, 0]]])
    u = 1e-3 * np.random.default_rng(1).standard_normal((1, 12))
    beam = fem.Beam(STEEL, ANGLE)
    stress = beam.stress("line2", X, u)
    My, Mz = stress.forces[0, :, 4], stress.forces[0, :, 5]
    y, z, dA = FIBRES
    tensor = np.array([[ANGLE.Iy, -ANGLE.Iyz], [-ANGLE.Iyz, ANGLE.Iz]])
    ky, kz = np.linalg.solve(tensor, np.array([My, Mz]))
    sigma = stress.forces[0, 0, 0] / ANGLE.A + np.outer(ky, z) - np.outer(kz, y)
    np.testing.assert_allclose(stress.largest[0], sigma.max(axis=1), rtol=1e-10)
    np.testing.assert_allclose(stress.smallest[0], sigma.min(axis=1), rtol=1e-10)
    np.testing.assert_allclose((sigma * z) @ dA, My, rtol=1e-9)
    np.testing.assert_allclose((-sigma * y) @ dA, Mz, rtol=1e-9)
