"""Andrews' squeezing mechanism, as a system of chains of rotating vectors: an independent program.

Source of the machine: the problem "Andrews' squeezing mechanism" of the Test Set for IVP Solvers (Bari;
Schiehlen 1990; Hairer & Wanner, Solving ODE II, VII.7): seven rigid bodies K1..K7 in the plane, ten
revolutes, a spring, a constant torque on K1, no gravity, one degree of freedom.

Own derivation: every point of the machine is a fixed point plus vectors of constant length that turn with
integer combinations of the angles q = (beta, Theta, gamma, Phi, delta, Omega, epsilon): with complex numbers

    r = r0 + sum_k C_k exp(i n_k.q),   rdot = sum_k i C_k (n_k.qdot) exp(i n_k.q) = J qdot,
    rddot = J qddot - sum_k C_k (n_k.qdot)^2 exp(i n_k.q),

so that M = sum_b m_b Re(J_b^H J_b) + I_b n_b n_b', the Coriolis terms and the closure conditions come from
one table of chains. The six closures say that F, the end of K2, is also the end of K3, K4 and K6.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

# parameters of the test set, SI
MASSES = np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498])
INERTIAS = np.array(
    [2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5]
)  # about the centres
A, B, C = -0.06934 - 0.00227j, -0.03635 + 0.03273j, 0.014 + 0.072j  # fixed points; the main bearing O is 0
STIFFNESS, FREE_LENGTH, TORQUE = 4530.0, 0.07785, 0.033
D_, DA, E_, EA, RR, RA = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
SS, SA, SB, SC, SD = 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB, ZF, ZT, FA = 0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
T_END = 0.03

Q0 = np.array(
    [
        -0.0617138900142764496358948458001,
        0.0,
        0.455279819163070380255912382449,
        0.222668390165885884674473185609,
        0.487364979543842550225598953530,
        -0.222668390165885884674473185609,
        1.23054744454982119249735015568,
    ]
)
QDDOT0 = np.array([14222.4439199541138705911625887, -10666.8329399655854029433719415])  # first two, test set
LAMBDA0 = np.array([98.5668703962410896057654982170, -6.12268834425566265503114393122])
# state at 0.03 s by an unrelated program in long double precision (8th order, converged to 1e-16); the test
# set's own digits (PSIDE) agree with it to 1e-10 in positions and 3e-8 in velocities
Q_END = np.array(
    [
        1.5810771195153707e01,
        -1.57563710584118393e01,
        4.08222401196458037e-02,
        -5.34730116342079596e-01,
        5.24409965879954069e-01,
        5.34730116342079596e-01,
        1.04808074104193787e00,
    ]
)
QDOT_END = np.array(
    [
        1.13992030225910606e03,
        -1.42437929517754007e03,
        1.10329119106185577e01,
        1.92933741050319778e01,
        5.73569914829500594e-01,
        -1.92933741050319778e01,
        3.23179149249129783e-01,
    ]
)
LAMBDA_END = np.array(
    [
        1.99175348104538629e02,
        -2.97553099749717531e01,
        2.30665436116221515e01,
        3.14527252757711394e01,
        2.26424947863943788e01,
        1.16173923526112525e01,
    ]
)

# absolute angle of K1..K7 as integer combination of q
TURNS = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0],
        [0, 0, 0, 1, 1, 0, 0],
        [0, 0, 0, 0, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 0, 0, 1],
    ]
)


@dataclass(frozen=True)
class Chain:
    """Point of the machine: base + sum of coefficient * exp(i * angle of body); links (body, coefficient)."""

    base: complex
    links: tuple[tuple[int, complex], ...]

    def at(self, q: np.ndarray) -> complex:
        """Position."""
        return self.base + sum(c * np.exp(1j * (TURNS[k] @ q)) for k, c in self.links)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """(7,) complex derivatives of the position by q."""
        return sum(
            (1j * c * np.exp(1j * (TURNS[k] @ q)) * TURNS[k] for k, c in self.links), np.zeros(7, complex)
        )

    def bias(self, q: np.ndarray, qdot: np.ndarray) -> complex:
        """Acceleration that is left for qddot = 0."""
        return -sum(c * np.exp(1j * (TURNS[k] @ q)) * (TURNS[k] @ qdot) ** 2 for k, c in self.links)


# points with their bodies (numbers from 0: K1 is 0); -i where a direction is counted from the -y axis
CRANK_PIN = (0, RR)
G_PIN = (4, ZT)
H_PIN = (6, -1j * U)
CENTERS = (
    Chain(0, ((0, RA),)),
    Chain(0, (CRANK_PIN, (1, -DA))),
    Chain(B, ((2, SB - 1j * SA),)),
    Chain(A, (G_PIN, (3, -1j * (E_ - EA)))),
    Chain(A, ((4, -TB + 1j * TA),)),
    Chain(A, (H_PIN, (5, ZF - FA))),
    Chain(A, ((6, -UB - 1j * UA),)),
)
KNEE = Chain(0, (CRANK_PIN, (1, -D_)))  # the common pin F of K2, K3, K4, K6, as the end of K2 ...
KNEE_BY = (  # ... and as the end of K3, K4 and K6
    Chain(B, ((2, -1j * SS),)),
    Chain(A, (G_PIN, (3, -1j * E_))),
    Chain(A, (H_PIN, (5, ZF))),
)
SPRING = Chain(B, ((2, SD - 1j * SC),))  # D on K3; the other end is C


def bodies(q: np.ndarray = Q0) -> list[dict]:
    """K1..K7 at angles q: name, mass, inertia about the centre's normal, centre (x, y), angle."""
    return [
        {
            "name": f"K{k + 1}",
            "mass": MASSES[k],
            "inertia": INERTIAS[k],
            "center": (CENTERS[k].at(q).real, CENTERS[k].at(q).imag),
            "angle": TURNS[k] @ q,
        }
        for k in range(7)
    ]


def joints(q: np.ndarray = Q0) -> list[tuple[str, str, str, tuple[float, float]]]:
    """The ten revolutes at angles q: name, first and second body ("ground" or K1..K7), point (x, y).

    The last three join K3, K4 and K6 to K2 in one point; they close the loops.
    """
    pin, knee = Chain(0, (CRANK_PIN,)).at(q), KNEE.at(q)
    g, h = Chain(A, (G_PIN,)).at(q), Chain(A, (H_PIN,)).at(q)
    table = [
        ("O", "ground", "K1", 0j),
        ("crank pin", "K1", "K2", pin),
        ("B", "ground", "K3", B),
        ("A5", "ground", "K5", A),
        ("A7", "ground", "K7", A),
        ("G", "K5", "K4", g),
        ("H", "K7", "K6", h),
        ("F3", "K2", "K3", knee),
        ("F4", "K2", "K4", knee),
        ("F6", "K2", "K6", knee),
    ]
    return [(name, first, second, (point.real, point.imag)) for name, first, second, point in table]


def spring(q: np.ndarray = Q0) -> dict:
    """The spring between D on K3 and C on the ground: points (x, y), stiffness, free length."""
    d = SPRING.at(q)
    return {
        "on_K3": (d.real, d.imag),
        "on_ground": (C.real, C.imag),
        "stiffness": STIFFNESS,
        "free": FREE_LENGTH,
    }


def closures(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(6,) residuals, in the test set's order and sign, and (6, 7) Jacobian."""
    gap = [KNEE.at(q) - chain.at(q) for chain in KNEE_BY]
    J = [KNEE.jacobian(q) - chain.jacobian(q) for chain in KNEE_BY]
    rows = np.array([part for j in J for part in (j.real, j.imag)])
    return np.array([part for g in gap for part in (g.real, g.imag)]), rows


def accelerations(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """qddot (7,) and the multipliers (6,), M qddot + G' lambda = f."""
    M = np.zeros((7, 7))
    f = np.zeros(7)
    for k, center in enumerate(CENTERS):
        J = center.jacobian(q)
        M += MASSES[k] * np.outer(J.conj(), J).real + INERTIAS[k] * np.outer(TURNS[k], TURNS[k])
        f -= MASSES[k] * (J.conj() * center.bias(q, qdot)).real
    f[0] += TORQUE
    reach = SPRING.at(q) - C
    force = -STIFFNESS * (1 - FREE_LENGTH / abs(reach)) * reach
    f += (SPRING.jacobian(q).conj() * force).real
    _, G = closures(q)
    gap = [chain.bias(q, qdot) - KNEE.bias(q, qdot) for chain in KNEE_BY]
    system = np.block([[M, G.T], [G, np.zeros((6, 6))]])
    x = np.linalg.solve(system, np.concatenate([f, [part for g in gap for part in (g.real, g.imag)]]))
    return x[:7], x[7:]


def project(q: np.ndarray, qdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearest angles that close the loops, and nearest rates that keep them closed."""
    for _ in range(3):
        residual, G = closures(q)
        q = q - np.linalg.lstsq(G, residual, rcond=None)[0]
    G = closures(q)[1]
    return q, qdot - np.linalg.lstsq(G, G @ qdot, rcond=None)[0]


def energy(q: np.ndarray, qdot: np.ndarray) -> float:
    """Kinetic and spring energy less the work of the torque since beta = 0, J: constant."""
    total = 0.5 * STIFFNESS * (abs(SPRING.at(q) - C) - FREE_LENGTH) ** 2 - TORQUE * q[0]
    for k, center in enumerate(CENTERS):
        total += 0.5 * MASSES[k] * abs(center.jacobian(q) @ qdot) ** 2
        total += 0.5 * INERTIAS[k] * (TURNS[k] @ qdot) ** 2
    return total


def solution(t: np.ndarray | None = None, rtol: float = 1e-11) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times (nt,), angles and rates (nt, 7); projected onto the closures at every output time.

    Dormand-Prince 8 on the accelerations, from rest at Q0; t starts at 0 (default: 61 times to 0.03 s).
    """
    t = np.linspace(0, T_END, 61) if t is None else np.asarray(t)
    q, qdot = [Q0], [np.zeros(7)]
    for begin, end in pairwise(t):
        start = np.concatenate([q[-1], qdot[-1]])
        atol = rtol * np.concatenate([np.ones(7), np.full(7, 1e3)])
        run = solve_ivp(
            lambda _, y: np.concatenate([y[7:], accelerations(y[:7], y[7:])[0]]),
            (begin, end),
            start,
            "DOP853",
            rtol=rtol,
            atol=atol,
        )
        last = project(run.y[:7, -1], run.y[7:, -1])
        q.append(last[0])
        qdot.append(last[1])
    return t, np.array(q), np.array(qdot)
