"""Koppens' planar slider-crank (section 5.2, appendix D), by quadrature of the rod's kinetic energy.

Crank 0.15 m at 150 rad/s, rod 0.3 m of round steel bar 6 mm, axially rigid, no rotary inertia, slider of
half the rod's mass, linear strain energy. Sets of base functions, each with its frame:

"quintic"  Koppens (3.7)-(3.10): Legendre polynomials P2..P5 of xi = 2 s/l - 1, which meet the
           mean-displacement conditions (2.8), (2.10) for a uniform rod; both pins move in the frame.
"sine"     sin(k pi s/l), both pins on the frame's axis: the chord frame.
"cantilever"  (s/l)^2..(s/l)^(n+1): frame clamped to the rod at the crank pin (Koppens 5.3, "one-sided built
           in"), which in linear theory gives another answer.

At t = 0 the crank points along +x with the rod straight in line; deflection is positive along e_z x (B - A).
The equations and their derivation are in rod_on_crank.py.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.polynomial import Legendre

from .rod_on_crank import Motion, RodOnCrank

# Koppens (1989), section 5.2
CRANK, LENGTH, DIAMETER, E, RHO, SPEED = 0.15, 0.3, 0.006, 0.2e12, 7.87e3, 150.0
T_END, OUTPUT_STEP = 0.06, 0.0002

AREA = np.pi * DIAMETER**2 / 4
EI = E * np.pi * DIAMETER**4 / 64
MASS = RHO * AREA * LENGTH
RATIO = CRANK / LENGTH


def output_times(t_end: float = T_END) -> np.ndarray:
    """Koppens' output: every 0.2 ms."""
    return np.linspace(0.0, t_end, round(t_end / OUTPUT_STEP) + 1)


def legendre(n: int) -> tuple:
    """P2..P(n+1) of xi = 2 s/l - 1, and their second derivatives, as functions of s; n = 4: (3.7)-(3.10)."""
    series = [Legendre.basis(k) for k in range(2, n + 2)]
    stretch = 2 / LENGTH

    def values(s: np.ndarray) -> np.ndarray:
        return np.array([p(stretch * s - 1) for p in series]).T

    def curvatures(s: np.ndarray) -> np.ndarray:
        return np.array([p.deriv(2)(stretch * s - 1) for p in series]).T * stretch**2

    return values, curvatures


def sines(n: int) -> tuple:
    """sin(k pi s/l), k = 1..n, and their second derivatives by s."""
    wave = np.arange(1, n + 1) * np.pi / LENGTH
    return (lambda s: np.sin(np.outer(s, wave)), lambda s: -np.sin(np.outer(s, wave)) * wave**2)


def powers(n: int) -> tuple:
    """(s/l)^2..(s/l)^(n+1), and their second derivatives by s."""
    k = np.arange(2, n + 2)
    return (
        lambda s: (np.asarray(s)[:, None] / LENGTH) ** k,
        lambda s: k * (k - 1) * (np.asarray(s)[:, None] / LENGTH) ** (k - 2) / LENGTH**2,
    )


def machine(
    kind: str = "quintic",
    modes: int = 4,
    slider_factor: float = 1.0,
    gravity: complex = 0j,
    stiffness_factor: float = 1.0,
) -> RodOnCrank:
    """The slider-crank; slider_factor times half the rod's mass slides, gravity is a vector x + i y."""
    values, curvatures = {"quintic": legendre, "sine": sines, "cantilever": powers}[kind](modes)
    x, weight = np.polynomial.legendre.leggauss(3 * modes + 8)
    s, weight = LENGTH * (x + 1) / 2, LENGTH * weight / 2
    curved = curvatures(s)
    return RodOnCrank(
        radius=CRANK,
        speed=SPEED,
        length=LENGTH,
        s=s,
        dm=RHO * AREA * weight,
        shapes=1j * values(s),
        at_ends=1j * values(np.array([0.0, LENGTH / 2, LENGTH])),
        K=stiffness_factor * EI * (curved.T * weight) @ curved,
        slider_mass=slider_factor * MASS / 2,
        gravity=gravity,
    )


def quasi_static_velocity(m: RodOnCrank) -> np.ndarray:
    """(n,) initial adot for which the deflection starts on the elastodynamic one (D.11, all modes).

    The load on a rigid rod is -rho A times the normal acceleration (D.8), balanced by the pins' forces; at
    t = 0 it is zero and grows at the rate of that, taken here by a central difference of (D.8).
    """
    step = 1e-7
    rates = (normal_acceleration(m.s, step) - normal_acceleration(m.s, -step)) / (2 * step)
    force, moment = m.dm @ rates, (m.dm * m.s) @ rates
    pins = np.array([force - moment / LENGTH, moment / LENGTH])  # of crank and slider on the rod
    load = m.at_ends[[0, 2]].imag.T @ pins - (m.shapes.imag.T * m.dm) @ rates
    return np.linalg.solve(m.K, load)


def normal_acceleration(s: np.ndarray, t: float) -> np.ndarray:
    """(D.8): acceleration of a rigid rod's points across the rod, + along i (B - A), m/s^2."""
    wt = SPEED * t
    sine = RATIO * np.sin(wt)
    cosine = np.sqrt(1 - sine**2)
    rate = RATIO * SPEED * np.cos(wt) / cosine
    rate2 = RATIO * (RATIO**2 - 1) * SPEED**2 * np.sin(wt) / cosine**3
    fixed = -RATIO * SPEED**2 * LENGTH * np.cos(wt) * sine - LENGTH * rate**2 * sine * cosine
    return fixed + LENGTH * rate2 * cosine**2 - s * rate2


def elastodynamic_deflection(t: np.ndarray) -> np.ndarray:
    """(D.9), (D.10): quasi-static deflection of the middle, m."""
    wt = SPEED * np.asarray(t)
    cosine = np.sqrt(1 - (RATIO * np.sin(wt)) ** 2)
    bracket = 2 * (RATIO * np.cos(wt) + cosine) + (RATIO**2 - 1) / cosine**3
    mean = -0.5 * RATIO * SPEED**2 * LENGTH * np.sin(wt) * bracket
    return -(5 / 384) * mean * MASS * LENGTH**3 / EI


def elastodynamic_initial_velocity() -> float:
    """(D.11), (D.12): 1.05 m/s."""
    return (5 / 384) * 0.5 * RATIO * (1 + RATIO) ** 2 * SPEED**3 * LENGTH * MASS * LENGTH**3 / EI


@functools.cache
def solution(
    kind: str = "quintic",
    modes: int = 4,
    start: str = "rigid",
    t_end: float = T_END,
    rtol: float = 1e-10,
    **options,
) -> Motion:
    """Run of the machine from the rigid rod's velocity field, or start="quasi_static" (D.11); made once."""
    m = machine(kind, modes, **options)
    adot0 = None if start == "rigid" else quasi_static_velocity(m)
    return m.simulate(output_times(t_end), adot0=adot0, rtol=rtol)
