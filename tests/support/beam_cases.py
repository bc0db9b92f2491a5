"""Sections and beams that the tests of beams share."""

from __future__ import annotations

import numpy as np

import fem

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


def plates(y_range, z_range, n=4):
    """Gauss points y, z and areas dA of a rectangle, exact to degree 2n - 1."""
    x, w = np.polynomial.legendre.leggauss(n)
    (a, b), (c, d) = y_range, z_range
    y, z = np.meshgrid((a + b + x * (b - a)) / 2, (c + d + x * (d - c)) / 2, indexing="ij")
    return y.ravel(), z.ravel(), np.outer(w, w).ravel() * (b - a) * (d - c) / 4


def angle_iron():
    """An unequal L, nothing symmetric about it: its section and points y, z, dA about the centroid."""
    parts = [plates((0.0, 0.01), (0.0, 0.1)), plates((0.01, 0.06), (0.0, 0.008))]
    y, z, dA = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    A = dA.sum()
    y, z = y - y @ dA / A, z - z @ dA / A
    Iy, Iz, r2 = z**2 @ dA, y**2 @ dA, y**2 + z**2
    section = fem.Section(
        A=A,
        Iy=Iy,
        Iz=Iz,
        J=(0.1 * 0.01**3 + 0.05 * 0.008**3) / 3,
        ky=0.4,
        kz=0.5,
        Iyz=y * z @ dA,
        shear_centre=(-0.010, -0.025),
        wagner=(z * r2 @ dA / Iy, y * r2 @ dA / Iz),
        points=tuple(zip(y, z, strict=True)),
    )
    return section, (y, z, dA)


def beams(n=3, seed=0):
    """Nodes (n, 2, 3) of beams in arbitrary places and directions."""
    return np.random.default_rng(seed).uniform(-1, 1, (n, 2, 3))


def rigid_motions(X):
    """Six rigid motions of the freedoms of nodes X (ne, nn, 3): (ne, 6 nn, 6)."""
    ne, nn, _ = X.shape
    R = np.zeros((ne, nn, 6, 6))
    R[:, :, :3, :3] = R[:, :, 3:, 3:] = np.eye(3)
    for k, axis in enumerate(np.eye(3)):
        R[:, :, :3, 3 + k] = np.cross(axis, X)
    return R.reshape(ne, 6 * nn, 6)


def polynomials(v0, t0, v1, t1, length, slip):
    """Deflection and rotation of an unloaded beam in one plane, as polynomials in x: solved for here.

    t' ' ' = 0, v' - t = - slip t' ' with slip = E I / k G A; end values given.
    """
    L = length
    rows = [  # on a0, a1, a2 (t = a0 + a1 x + a2 x^2), b (v(0))
        ([1, 0, 0, 0], t0),
        ([1, L, L**2, 0], t1),
        ([0, 0, 0, 1], v0),
        ([L, L**2 / 2, L**3 / 3 - 2 * slip * L, 1], v1),
    ]
    a0, a1, a2, b = np.linalg.solve(np.array([r for r, _ in rows]), np.array([value for _, value in rows]))
    return np.polynomial.Polynomial([b, a0 - 2 * slip * a2, a1 / 2, a2 / 3]), np.polynomial.Polynomial(
        [a0, a1, a2]
    )


def line_fields(beam, length, q):
    """tx, ty, tz, v, w of the centroid's line as polynomials, from end motions q (2, 6), principal axes."""
    section = beam.section.principal
    G = beam.material.E / (2 * (1 + beam.material.nu))
    slips = [
        beam.material.E * I / (k * G * section.A)
        for I, k in ((section.Iz, section.ky), (section.Iy, section.kz))
    ]
    if not beam.shear:
        slips = [0.0, 0.0]
    ys, zs = section.shear_centre  # bending is that of the shear centre's line
    tx = np.polynomial.Polynomial([q[0, 3], (q[1, 3] - q[0, 3]) / length])
    shear = q[:, 1:3] + np.stack([-zs * q[:, 3], ys * q[:, 3]], axis=1)
    v, tz = polynomials(shear[0, 0], q[0, 5], shear[1, 0], q[1, 5], length, slips[0])
    w, ty = polynomials(shear[0, 1], -q[0, 4], shear[1, 1], -q[1, 4], length, slips[1])
    return tx, -ty, tz, v + zs * tx, w - ys * tx


def points_of(section):
    """Four points with the area and second moments of a doubly symmetric section."""
    a, b = np.sqrt([section.Iz / section.A, section.Iy / section.A])
    return np.array([a, -a, -a, a]), np.array([b, b, -b, -b]), np.full(4, section.A / 4)
