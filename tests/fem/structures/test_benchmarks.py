"""Whole models against published or independently computed numbers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Polynomial, legendre
from scipy.linalg import eigh
from scipy.sparse.linalg import LinearOperator, eigsh
from support.fem_meshes import mapped, solve_with

import fem


def frequencies_hz(structure, n, shift_hz, fixed=()):
    """Lowest n frequencies, rigid ones as zero; with a negative shift K + s M is positive definite."""
    free = np.setdiff1d(np.arange(structure.K.shape[0]), fixed)
    K, M = structure.K[free][:, free], structure.M[free][:, free]
    s = (2 * np.pi * shift_hz) ** 2
    solve = LinearOperator(K.shape, matvec=fem.factorise(K + s * M).solve)
    values = eigsh(K, n, M, sigma=-s, OPinv=solve, v0=np.ones(len(free)), return_eigenvectors=False)
    return np.sqrt(np.abs(np.sort(values))) / (2 * np.pi)


def timoshenko_hz(length, width, height, steel, n, clamped):
    """Timoshenko beam by Ritz with Legendre polynomials; bending along ``height``.

    ``k`` = 5/6, as in the reference that the first test below compares with.
    """
    area, inertia = width * height, width * height**3 / 12
    shear = 5 / 6 * area * steel.E / (2 * (1 + steel.nu))
    # on xi in [-1, 1]; clamped at xi = -1: functions times (1 + xi)
    base = [Polynomial(legendre.leg2poly(np.eye(18)[k])) for k in range(18)]
    if clamped:
        base = [p * Polynomial([1, 1]) for p in base]
    xi, w = legendre.leggauss(24)
    f = np.array([p(xi) for p in base])
    d = np.array([p.deriv()(xi) for p in base]) * 2 / length
    w = w * length / 2
    ff, dd, df = (f * w) @ f.T, (d * w) @ d.T, (d * w) @ f.T
    K = np.block([[shear * dd, -shear * df], [-shear * df.T, shear * ff + steel.E * inertia * dd]])
    zero = np.zeros_like(ff)
    M = steel.rho * np.block([[area * ff, zero], [zero, inertia * ff]])
    values = eigh(K, M, eigvals_only=True)[: n + 2]
    return np.sqrt(np.abs(values[0 if clamped else 2 :][:n])) / (2 * np.pi)


def test_the_timoshenko_oracle_itself():
    """83.1596, 498.4043, 1310.8795 Hz: cantilever 1 x 0.05 x 0.1 m, E = 210e9, nu = 0.3, rho = 7800, k = 5/6,
    computed by an independent program (exact solution of the frequency equation)."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7800.0)
    found = timoshenko_hz(1.0, 0.05, 0.1, steel, 3, clamped=True)
    assert found == pytest.approx([83.1596, 498.4043, 1310.8795], rel=1e-6)


@pytest.mark.parametrize(("name", "divisions"), [("tet10", (20, 1, 2)), ("hex20", (20, 1, 2))])
def test_free_beam_bends_like_timoshenko(name, divisions, steel):
    """First bending frequency in each direction.

    A shear coefficient of 5/6 against the solid's own (Cowper: 0.85) shifts the first frequency of this beam
    by 0.05 %; the meshes add up to 0.2 %. (Linear elements are several per cent too stiff here: shear
    locking.)
    """
    structure = fem.assemble(fem.box((1.0, 0.05, 0.1), divisions, name), steel)
    found = frequencies_hz(structure, 8, 100.0)
    assert found[5] < 1e-2 < found[6]  # six rigid motions
    weak = timoshenko_hz(1.0, 0.1, 0.05, steel, 1, clamped=False)[0]
    strong = timoshenko_hz(1.0, 0.05, 0.1, steel, 1, clamped=False)[0]
    assert found[6:8] == pytest.approx([weak, strong], rel=0.002)


def test_nafems_fv52_solid_plate():
    """NAFEMS FV52: plate 10 x 10 x 1 m, w = 0 on the four bottom edges, E = 200e9, nu = 0.3, rho = 8000,
    4 x 4 x 1 20-node bricks; three rigid modes come first.

    NAFEMS R0015 prints 44.762, 110.52 (x 2), 169.08, 193.93, 206.64 (x 2) Hz for this mesh; other fully
    integrated bricks differ from its element by 0.08 % in the first. OptiStruct's verification manual (OS-V
    0455) gives its own 20-node brick as 0.9760, 1.0101, 1.0072, 1.0017, 1.0022 times the closed form 45.897,
    109.44, 167.89, 193.59, 206.19 Hz: half a unit of the last digit.
    """
    mesh = fem.box((10.0, 10.0, 1.0), (4, 4, 1), "hex20")
    x, y, z = mesh.points.T
    edges = (z == 0) & ((x == 0) | (x == 10) | (y == 0) | (y == 10))
    structure = fem.assemble(mesh, fem.Isotropic(E=200e9, nu=0.3, rho=8000.0))
    found = frequencies_hz(structure, 10, 20.0, fixed=3 * np.flatnonzero(edges) + 2)
    assert found[2] < 1e-2
    printed = [44.762, 110.52, 110.52, 169.08, 193.93, 206.64, 206.64]
    assert found[3:] == pytest.approx(printed, rel=1e-3)
    optistruct = np.array([0.9760, 1.0101, 1.0072, 1.0017, 1.0022]) * [45.897, 109.44, 167.89, 193.59, 206.19]
    assert found[[3, 4, 6, 7, 8]] == pytest.approx(optistruct, rel=6e-5)


def tip_displacements(mesh, material, root, tip, directions):
    """Displacement of the tip face along its own load of 1 N, spread evenly over the face."""
    structure = fem.assemble(mesh, material)
    frame = fem.interface(structure, tip)
    result = []
    for direction in directions:
        load = frame.T.T @ np.array([*direction, 0.0, 0.0, 0.0])
        fixed = (3 * mesh.nodes_of(root)[:, None] + np.arange(3)).ravel()
        u = solve_with(structure, fixed, 0.0, load)
        result.append((frame.T @ u)[:3] @ direction)
    return result


def test_macneal_harder_straight_beam():
    """Tip displacements 3e-5 (tension), 0.1081 and 0.4321 (bending in and out of plane) per unit load.

    MacNeal and Harder 1985: beam 6 x 0.2 x 0.1, E = 1e7, nu = 0.3. Beam theory with a root free to contract;
    here it is clamped in full, worth about (0.2 / 6) nu^2 = 0.3 %.
    """
    mesh = fem.box((6.0, 0.2, 0.1), (48, 2, 2), "hex20")
    material = fem.Isotropic(E=1e7, nu=0.3, rho=1.0)
    found = tip_displacements(mesh, material, "x0", "x1", np.eye(3))
    assert found == pytest.approx([3e-5, 0.1081, 0.4321], rel=0.005)


def test_macneal_harder_twisted_beam():
    """Tip displacements 0.005424 and 0.001754 under a unit load along and across the root's thin direction.

    MacNeal and Harder 1985: 12 x 1.1 x 0.32, twisted by 90 degrees, E = 29e6, nu = 0.22: warped elements.
    Theirs are beam values with shear, rounded to four digits, for a root that may contract: about 0.5 %.
    """

    def twist(points):
        x, y, z = points.T
        angle = np.pi / 2 * x / 12
        c, s = np.cos(angle), np.sin(angle)
        return np.stack([x, c * y - s * z, s * y + c * z], axis=1)

    mesh = mapped(fem.box((12.0, 1.1, 0.32), (24, 2, 1), "hex20", origin=(0, -0.55, -0.16)), twist)
    material = fem.Isotropic(E=29e6, nu=0.22, rho=1.0)
    # the load acts at the tip, whose thin direction is y: the root's thin direction is z
    in_plane, out_of_plane = tip_displacements(mesh, material, "x0", "x1", np.eye(3)[[2, 1]])
    assert in_plane == pytest.approx(0.005424, rel=0.01)
    assert out_of_plane == pytest.approx(0.001754, rel=0.01)


def test_material_per_element_set(steel):
    """A bar of two materials in series under tension: elongation F / A (l1 / E1 + l2 / E2), nu = 0."""
    mesh = fem.box((2.0, 1.0, 1.0), (2, 1, 1), "hex20")
    mesh = replace(mesh, element_sets={"soft": np.array([0]), "hard": np.array([1])})
    materials = {"soft": fem.Isotropic(1e9, 0.0, 1000.0), "hard": fem.Isotropic(4e9, 0.0, 3000.0)}
    (stretch,) = tip_displacements(mesh, materials, "x0", "x1", [np.array([1.0, 0.0, 0.0])])
    assert stretch == pytest.approx(1 / 1e9 + 1 / 4e9, rel=1e-9)
    structure = fem.assemble(mesh, materials)
    assert structure.mass == pytest.approx(4000.0)
    assert structure.center[0] == pytest.approx((1000 * 0.5 + 3000 * 1.5) / 4000)
