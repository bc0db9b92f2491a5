"""The beam's interpolation in local axes, its stiffness, and the geometric stiffness of a linear stress state.

Degrees of freedom of an element in local axes, in the order of all 12 x 12 matrices here: u v w tx ty tz of the first
end, then of the second. These are the displacement of the centroid along x, those of the shear centre along y and z
(m), and the components of the rotation vector (rad). The section's axes are principal ones.

Interpolation: the static solution of the unloaded beam, cubic with the shear parameter Phi = 12 E I / (k G A l^2)
(Przemieniecki, Theory of Matrix Structural Analysis, 1968, 5.6; Friedman & Kosmatka, Comput. Struct. 47, 1993);
Phi = 0 is the Euler-Bernoulli beam with Hermite's cubics. Displacements along x and twist are linear.
"""

from __future__ import annotations

import numpy as np

from ...properties.section import Section
from ..line import FloatArray, gauss01

#: rows of :func:`fields`
ROWS = ("u", "v", "w", "tx", "ty", "tz", "du", "dv", "dw", "dtx", "dty", "dtz")
_AT = {name: k for k, name in enumerate(ROWS)}


def shear_parameters(
    section: Section, E: float, G: float, length: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return Phi (ne,) for bending in the plane x-y and in the plane x-z, no unit."""
    per_length2 = 12 * E / (G * section.A * length**2)
    return per_length2 * section.Iz / section.ky, per_length2 * section.Iy / section.kz


def bending(xi: float, length: FloatArray, Phi: FloatArray) -> tuple[FloatArray, ...]:
    """Return v, its derivative, the rotation tz and its derivative at xi in [0, 1].

    Each (ne, 4), as rows on (v0, tz0, v1, tz1); derivatives are by x (1/m).
    """
    L, P, f = length, Phi, 1 / (1 + Phi)
    x, x2, x3 = xi, xi**2, xi**3
    one = np.ones_like(L)
    v = [
        1 - 3 * x2 + 2 * x3 + P * (1 - x),
        L * (x - 2 * x2 + x3 + P / 2 * (x - x2)),
        3 * x2 - 2 * x3 + P * x,
        L * (x3 - x2 - P / 2 * (x - x2)),
    ]
    dv = [
        (6 * x2 - 6 * x - P) / L,
        1 - 4 * x + 3 * x2 + P / 2 * (1 - 2 * x),
        (6 * x - 6 * x2 + P) / L,
        3 * x2 - 2 * x - P / 2 * (1 - 2 * x),
    ]
    t = [6 * (x2 - x) / L, 1 - 4 * x + 3 * x2 + P * (1 - x), 6 * (x - x2) / L, 3 * x2 - 2 * x + P * x]
    dt = [
        (12 * x - 6) / L**2,
        (6 * x - 4 - P) / L,
        (6 - 12 * x) / L**2,
        (6 * x - 2 + P) / L,
    ]
    return tuple(np.stack([one * term * f for term in row], axis=1) for row in (v, dv, t, dt))


def fields(
    xi: float, length: FloatArray, Phi: tuple[FloatArray, FloatArray], centre: tuple[float, float]
) -> FloatArray:
    """Return the fields ROWS on the centroid's line at xi, as rows (ne, 12, 12) on the 12 local degrees of freedom.

    ``centre`` (y, z) in m is the shear centre: of the centroid, v is that of the line of shear centres plus z tx, and
    w is that line's minus y tx. Derivatives are by x (1/m).
    """
    H = np.zeros((len(length), 12, 12))
    for at, end in ((0, -1.0), (6, 1.0)):
        share = xi if at else 1 - xi
        for row, freedom in (("u", 0), ("tx", 3)):
            H[:, _AT[row], at + freedom] = share
            H[:, _AT["d" + row], at + freedom] = end / length
    in_xy = ([1, 5, 7, 11], np.ones(4))
    in_xz = ([2, 4, 8, 10], np.array([1.0, -1.0, 1.0, -1.0]))  # w with -ty
    for (columns, signs), P, names, sign in (
        (in_xy, Phi[0], ("v", "dv", "tz", "dtz"), 1.0),
        (in_xz, Phi[1], ("w", "dw", "ty", "dty"), -1.0),
    ):
        for name, rows in zip(names, bending(xi, length, P), strict=True):
            H[:, _AT[name], columns] = rows * signs * (sign if "t" in name else 1.0)
    y, z = centre
    for d in ("", "d"):
        H[:, _AT[d + "v"]] += z * H[:, _AT[d + "tx"]]
        H[:, _AT[d + "w"]] -= y * H[:, _AT[d + "tx"]]
    return H


def stiffness(section: Section, E: float, G: float, length: FloatArray, Phi) -> FloatArray:
    """Return the stiffness (ne, 12, 12) in local axes, Przemieniecki 5.6, N/m, N, N m."""
    K = np.zeros((len(length), 12, 12))
    for a, b, sign in ((0, 0, 1.0), (6, 6, 1.0), (0, 6, -1.0), (6, 0, -1.0)):
        K[:, a, b] = sign * E * section.A / length
        K[:, a + 3, b + 3] = sign * G * section.J / length
    planes = (
        (section.Iz, Phi[0], [1, 5, 7, 11], [1, 1, 1, 1]),
        (section.Iy, Phi[1], [2, 4, 8, 10], [1, -1, 1, -1]),
    )
    for I, P, at, signs in planes:
        L, one = length, np.ones_like(length)
        block = np.array(
            [
                [12 * one, 6 * L, -12 * one, 6 * L],
                [6 * L, (4 + P) * L**2, -6 * L, (2 - P) * L**2],
                [-12 * one, -6 * L, 12 * one, -6 * L],
                [6 * L, (2 - P) * L**2, -6 * L, (4 + P) * L**2],
            ]
        )
        block = block * (E * I / (L**3 * (1 + P)))
        K[:, np.array(at)[:, None], at] = block.transpose(2, 0, 1) * np.outer(signs, signs)
    return K


def geometric(section: Section, length: FloatArray, Phi, f: FloatArray) -> FloatArray:
    r"""Return K_G (ne, 12, 12) in local axes for the section forces that go with the end forces f (ne, 12).

    Derivation. Sections stay plane and turn by R = exp(t) with the rotation vector t; r is the centroid's place.
    With the strains of the line G = R' r' - e_x and k = axial(R' dR/dx), a fibre at (y, z) gets
    G_x + z k_y - y k_z + ((G_y - k_x z)^2 + (G_z + k_x y)^2) / 2 to second order (its elongation: Green-Lagrange's
    strain without the square of the first-order strain, which is of the size of stress / E beside the stiffness
    and depends on the material law), and the shear strains G_y - k_x z, G_z + k_x y. To second order in the
    displacement u and t, with c = e_x:

        G = u' - t x c - t x u' + t x (t x c) / 2 ,      k = t' - t x t' / 2

    The work of the stresses of the linear state on the second-order strains is the quadratic form
    1/2 q' K_G q = int W dx,

        W = N (v'^2 + w'^2)/2 + (N polar/A + My by - Mz bz) tx'^2 / 2                    (by, bz: Section.wagner)
          + Vy (tx w' - tz u' + tx ty / 2) + Vz (ty u' - tx v' + tx tz / 2) + T (tz ty' - ty tz') / 2
          + My ((tx tz' - tz tx')/2 - (v' - tz) tx') + Mz ((ty tx' - tx ty')/2 - (w' + ty) tx')

    with N, V, T constant and M linear, in equilibrium: terms of higher order inside the element then do no work.
    T is about the centroid. Nodal rotations are rotation vectors, so that elements may meet at any angle, and a
    constant nodal moment is semitangential (Argyris et al., Comput. Meth. Appl. Mech. Eng. 20, 1979).
    """
    A = _AT
    by, bz = section.wagner
    y, z = section.shear_centre
    N, Vy, Vz = f[:, 6], f[:, 7], f[:, 8]
    T = f[:, 9] - z * Vy + y * Vz  # about the centroid
    K = np.zeros((len(length), 12, 12))
    for xi, weight in zip(*gauss01(3), strict=True):  # exact: degree 4, from N v'^2
        My = -(1 - xi) * f[:, 4] + xi * f[:, 10]
        Mz = -(1 - xi) * f[:, 5] + xi * f[:, 11]
        W = np.zeros((len(length), 12, 12))  # second derivatives of W by the fields, upper half
        W[:, A["dv"], A["dv"]] = W[:, A["dw"], A["dw"]] = N / 2
        W[:, A["dtx"], A["dtx"]] = (N * section.polar / section.A + My * by - Mz * bz) / 2
        for a, b, value in (
            ("tx", "dw", Vy),
            ("tz", "du", -Vy),
            ("tx", "ty", Vy / 2),
            ("ty", "du", Vz),
            ("tx", "dv", -Vz),
            ("tx", "tz", Vz / 2),
            ("tz", "dty", T / 2),
            ("ty", "dtz", -T / 2),
            ("tx", "dtz", My / 2),
            ("tz", "dtx", My / 2),
            ("dv", "dtx", -My),
            ("tx", "dty", -Mz / 2),
            ("ty", "dtx", -Mz / 2),
            ("dw", "dtx", -Mz),
        ):
            W[:, A[a], A[b]] = value
        H = fields(xi, length, Phi, section.shear_centre)
        K += np.swapaxes(H, 1, 2) @ ((weight * length)[:, None, None] * (W + np.swapaxes(W, 1, 2))) @ H
    return K
