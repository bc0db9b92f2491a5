"""Koppens' round beam (1989, 5.2) as an assumed-mode body, and sums over its points that use none of C1..C8."""

from __future__ import annotations

import functools

import numpy as np
from numpy.polynomial import Legendre
from reference import slider_crank

import modal

LENGTH, MASS, EI = slider_crank.LENGTH, slider_crank.MASS, slider_crank.EI
POLAR = MASS * slider_crank.DIAMETER**2 / 8  # kg m^2, moment of inertia of the bar about its axis
GRAVITY = 9.81
PINNED = np.sqrt(EI / (MASS / LENGTH)) * (np.pi / LENGTH) ** 2  # rad/s, first frequency: 829.2 as printed
SAG = 5 * MASS * GRAVITY * LENGTH**3 / (384 * EI)  # m, simply supported: 60.3e-6 of the length as printed


@functools.cache
def quintic_beam(functions: int = 4):
    """Bending in y and z by Koppens' quintics (3.7)-(3.10), mean-displacement frame: N = 8.

    With functions=2 the quadratic and the cubic alone, whose frequencies end at 7 700 instead of 38 000 rad/s.
    """
    shapes = modal.assumed.quintic()[:functions]
    return modal.assumed.beam(
        length=LENGTH,
        mass=MASS,
        EI=EI,
        polar_inertia=POLAR,
        y=shapes,
        z=shapes,
        stiffening=False,
        name="beam",
    )


@functools.cache
def sine_beam(n: int):
    """Bending in y and z by n sines each, chord frame: N = 2 n."""
    functions = modal.assumed.sines(n)
    frame = modal.Chord("start", "end")
    return modal.assumed.beam(
        length=LENGTH,
        mass=MASS,
        EI=EI,
        polar_inertia=POLAR,
        y=functions,
        z=functions,
        frame=frame,
        stiffening=False,
        name="beam",
    )


def momenta(result, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Momentum and moment of momentum about the inertial origin of a quintic beam, (nt, 3) each.

    A sum over twelve Gauss points of the axis, exact for products of quintics, and the spin of the sections.
    """
    xi, weight = np.polynomial.legendre.leggauss(12)
    values = np.array([Legendre.basis(k)(xi) for k in (2, 3, 4, 5)]).T
    Phi = np.zeros((12, 3, 8))
    Phi[:, 1, :4] = Phi[:, 2, 4:] = values
    x = np.zeros((12, 3))
    x[:, 0] = 0.5 * LENGTH * xi
    Q, c = result.rotation(name), result.position(name)
    cdot, spin = result.velocity(name), result.angular_velocity(name)
    # the body is drawn along x in these tests: its base is the inertial one
    r = np.einsum("tkl,tpl->tpk", Q, x + np.einsum("pli,ti->tpl", Phi, result.alpha(name)))
    rate = np.einsum("tkl,pli,ti->tpk", Q, Phi, result.alpha_dot(name))
    v = cdot[:, None] + np.cross(spin[:, None], r) + rate
    dm = 0.5 * MASS * weight
    axis = Q[:, :, 0]
    sections = POLAR * np.einsum("ti,ti->t", axis, spin)[:, None] * axis
    moment = np.einsum("p,tpk->tk", dm, np.cross(c[:, None] + r, v)) + sections
    return np.einsum("p,tpk->tk", dm, v), moment
