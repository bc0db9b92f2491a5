"""The flexible slider-crank "crank" of the IVP test set, by quadrature of the kinetic energy.

Source: B. Simeon, Modelling a flexible slider crank mechanism by a mixed system of DAEs and PDEs, Math.
Modelling of Systems 2 (1996) 1-18, as the problem "crank" of the Test Set for IVP Solvers (Bari), revision of
2006; numbers as there. Plane motion, no gravity, crank at 150 rad/s from phi1 = 0, rod of square section
with two bending functions sin(pi xi), sin(2 pi xi) (coordinates q1, q2, across the rod, + along i (B - A))
and two axial ones 4 xi (1 - xi), xi (2 xi - 1) (q3, q4), xi = s/l from the crank pin; so q4 is the stretch
of the rod and its frame is the chord. phi2 is the angle of the chord, x3 the slider's position.

What the published equations hold, found by comparing term by term with the integrals over the rod:

* linear stiffness with EI = E B H^3/12, EA = E B H; no gravity, no damping, massless guide;
* rotary inertia of the cross-sections in the rod's own moment of inertia only: J2 = M2 (l^2/3 + H^2/12);
* **the mass matrix of the axial functions is [[8, 1], [1, 2]] m, without the factor 1/15 that
  int psi_i psi_j dxi has** (int (4 xi (1 - xi))^2 dxi = 8/15). It enters as such the modal mass matrix and
  the modal centrifugal terms, while every other integral is the true one. The published end state belongs
  to that model: with the factor q3, q4 change by 2.5e-3 of their range and their rates by 8e-2.
  So the model here adds 14 times the kinetic energy that the axial displacement field has about the frame's
  origin, (rho A/2) int |d/dt(exp(i psi) u)|^2 ds: that is C8 and C5 of the axial pair times 15, no more.
* PI = 3.1415927 in the code makes 1.2e-7 of the range in q1's rate, less elsewhere: kept here.

With AXIAL_MASS_FACTOR = 1, the true mass, the same program serves for comparing physics.
"""

from __future__ import annotations

import numpy as np

from .rod_on_crank import Motion, RodOnCrank

M1, M2, M3 = 0.36, 0.151104, 0.075552  # kg: crank, rod = rho B H L2, slider
L1, L2 = 0.15, 0.3  # m
J1, J2 = 0.002727, 0.0045339259  # kg m^2: crank about the main bearing, rod about the crank pin
E, B, H, RHO = 0.2e12, 0.008, 0.008, 7870.0
SPEED, PI = 150.0, 3.1415927
T_END = 0.1
AXIAL_MASS_FACTOR = 15.0

# initial values as published: q1..q4 and their rates; phi1 = phi2 = 0, x3 = 0.450016933
Q0 = np.array([0.0, 0.0, 0.103339863e-4, 0.169327969e-4])
QDOT0 = np.array([0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5])

# published end state (MEBDFI, tolerance 1e-14): phi1, phi2, x3, q1..q4, then first derivatives, then second
NAMES = ("phi1", "phi2", "x3", "q1", "q2", "q3", "q4")
END_POSITIONS = np.array(
    [
        15.00000000000104,
        -0.3311734988256260,
        0.1697373328427860,
        0.1893192899613509e-3,
        0.2375751249879174e-4,
        -0.5323896770569702e-5,
        -0.8363313279112129e-5,
    ]
)
END_VELOCITIES = np.array(
    [
        150.0,
        60.25346755138369,
        -8.753116326670527,
        -0.3005541400289738e-1,
        -0.5500431812571696e-2,
        0.4974111734266989e-3,
        0.1105560003626645e-2,
    ]
)
END_ACCELERATIONS = np.array(
    [
        0.0,
        6488.737541276957,
        2167.938629509884,
        33.91137060286523,
        0.1715134772216488,
        -1.422449408912512,
        1.003946428124810,
    ]
)


def transverse(xi: np.ndarray) -> np.ndarray:
    """(n, 2) bending functions."""
    return np.array([np.sin(PI * xi), np.sin(2 * PI * xi)]).T


def axial(xi: np.ndarray) -> np.ndarray:
    """(n, 2) axial functions."""
    return np.array([4 * xi * (1 - xi), xi * (2 * xi - 1)]).T


def machine(axial_mass_factor: float = AXIAL_MASS_FACTOR, rotary: bool = True) -> RodOnCrank:
    """The mechanism of the test set; see the module's docstring for the two options."""
    x, weight = np.polynomial.legendre.leggauss(16)
    xi, dm = (x + 1) / 2, RHO * B * H * L2 * weight / 2
    K = np.zeros((4, 4))
    K[0, 0] = 0.5 * PI**4
    K[1, 1] = 8 * PI**4
    K *= E * B * H**3 / 12 / L2**3
    K[2:, 2:] = np.array([[16.0, -8.0], [-8.0, 7.0]]) / 3 * E * B * H / L2
    ends = np.array([0.0, 0.5, 1.0])
    shapes_at_ends = np.hstack([1j * np.sin(np.outer(ends, [np.pi, 2 * np.pi])), axial(ends)])
    return RodOnCrank(
        radius=L1,
        speed=SPEED,
        length=L2,
        s=L2 * xi,
        dm=dm,
        shapes=np.hstack([1j * transverse(xi), axial(xi)]),
        at_ends=shapes_at_ends * (abs(shapes_at_ends) > 1e-12),
        K=K,
        slider_mass=M3,
        ghost=np.hstack([np.zeros((len(xi), 2)), axial(xi)]).astype(complex),
        ghost_dm=(axial_mass_factor - 1) * dm,
        rotary=J2 - M2 * L2**2 / 3 if rotary else 0.0,
    )


def solution(t: np.ndarray | None = None, rtol: float = 1e-10, **options: float) -> Motion:
    """Run from the published initial values to 0.1 s, output at t (default: 1001 times)."""
    t = np.linspace(0, T_END, 1001) if t is None else t
    return machine(**options).simulate(t, Q0, QDOT0, rtol)


def coordinates(m: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(nt, 7) phi1, phi2, x3, q1..q4 as published, with their first and second time derivatives."""
    zero = np.zeros(len(m.t))
    sliderddot = (m.wrist_force.real) / -M3
    return (
        np.column_stack([SPEED * m.t, m.psi, m.slider, m.a]),
        np.column_stack([zero + SPEED, m.psidot, m.sliderdot, m.adot]),
        np.column_stack([zero, m.psiddot, sliderddot, m.addot]),
    )


def ranges(m: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Range (largest less smallest over the run) of every coordinate, velocity and acceleration: (7,) each.

    Constant components (phi1's rate) get their largest magnitude, or 1, so that relative errors stay finite.
    """
    result = []
    for values in coordinates(m):
        spread = np.ptp(values, axis=0)
        fallback = np.maximum(np.abs(values).max(axis=0), 1.0)
        result.append(np.where(spread > 0, spread, fallback))
    return tuple(result)
