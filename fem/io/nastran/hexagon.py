"""The solid hexagon of Nastran's library (HEXA)."""

from __future__ import annotations

import numpy as np

from ...common.errors import InputError
from ...properties.section import Section

#: harmonic polynomials of the stress function, and points on each quarter of the outline where it must vanish
_TERMS, _POINTS = 20, 120


def hexagon(tip: float, width: float, height: float) -> Section:
    """Return a hexagon alike about both axes: ``tip`` how far its two corners stand out on either side.

    Torsion by Prandtl's stress function, shear factors 5/6 as of a rectangle; InputError if the tips fill it.
    """
    if not (tip > 0 and height > 0 and width > 2 * tip):
        raise InputError(f"a hexagon of {width:g} x {height:g} m with tips of {tip:g} m has no flat sides")
    flat = width - 2 * tip
    A = height * (width - tip)
    tips = height * tip**3 / 18 + height * tip * (flat / 2 + tip / 3) ** 2
    quarter = ((width / 2, 0.0), (flat / 2, height / 2), (0.0, height / 2))
    corners = [quarter[0], quarter[1], (-flat / 2, height / 2)]
    return Section(
        A=A,
        Iy=width * height**3 / 12 - tip * height**3 / 8,
        Iz=height * flat**3 / 12 + tips,
        J=_torsion(np.array(quarter)),
        ky=5 / 6,
        kz=5 / 6,
        points=tuple(corners + [(-y, -z) for y, z in corners]),
    )


def _torsion(quarter: np.ndarray) -> float:
    """Return J of a solid section alike about both axes from the corners of the quarter of its outline.

    J = 2 int psi dA - int r^2 dA, where psi is harmonic and equals r^2 / 2 on the outline: psi = sum a_k Re(s^2k),
    s = y + i z, fitted in least squares; both integrals by Green's theorem.
    """
    size = np.abs(quarter).max()
    ends = (quarter[:, 0] + 1j * quarter[:, 1]) / size
    x, weights = np.polynomial.legendre.leggauss(_POINTS)
    t, start, along = 0.5 * (x + 1), ends[:-1, None], np.diff(ends)[:, None]
    s = (start + along * t).ravel()
    ds = (along * 0.5 * weights).ravel()
    even = 2 * np.arange(_TERMS)
    a = np.linalg.lstsq((s[:, None] ** even).real, np.abs(s) ** 2 / 2, rcond=None)[0]
    # int f dA = Im(oint conj(s) f ds) / 2 for harmonic f; r^2: Im(oint conj(s) r^2 ds) / 4; the axes give nothing
    psi = (np.conj(s) * ds) @ (s[:, None] ** even @ a)
    polar = (np.conj(s) * ds) @ np.abs(s) ** 2
    return float(4 * size**4 * (2 * psi.imag / 2 - polar.imag / 4))
