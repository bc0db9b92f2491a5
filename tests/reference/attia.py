"""Attia's linkage (2003, section 7) in his own way: equivalent particles, joint coordinates, cut joints.

Five rigid bodies O-A, A-B-D, B-C, D-E, E-F on seven hinges, one freedom, two loops, let go at rest. A body is a few
particles with its mass, centre and moment of inertia (his (1)); particles at hinges are shared. Opened at C and F
the linkage is two open chains, ``r. = B theta.`` with columns ``k x (r_i - r_j)`` (10), so that (13) and (17) read

    B'MB theta.. = B'(g - M B. theta.) + C' nu,   C theta.. = -C. theta.

with nu the forces of the ground on the cut pins. Of the published masses of body 2, (4.2967, 1, -2.2967) kg, the
central moment of inertia is negative: here 6 kg m^2 of his Table 1 is central and the centre is that of the triangle
ABD, which gives (0.5473, 1, 1.4527) kg; his printed m_2 and m_3 of a rod are exchanged. Complex numbers are points.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

GRAVITY = 9.81
#: Table 3, m
O, A, B, C = 0j, -0.566 + 0.566j, 3.029 + 0.751j, 3.5 - 1.5j
D, E, F = 2.793 + 2.737j, 4 - 0.548j, 7.5 - 0.5j
PINS = {"O": O, "A": A, "B": B, "C": C, "D": D, "E": E, "F": F}
#: body: its pins, its mass (Table 1, kg)
BODIES = {"OA": ("OA", 0.5), "ABD": ("ABD", 3.0), "BC": ("BC", 1.0), "DE": ("DE", 1.0), "EF": ("EF", 1.0)}
#: hinges: the bodies that they join, the first nearer to the ground along the tree; C and F close the loops
HINGES = {
    "O": ("ground", "OA"), "A": ("OA", "ABD"), "B": ("ABD", "BC"), "D": ("ABD", "DE"), "E": ("DE", "EF"),
    "C": ("ground", "BC"), "F": ("ground", "EF"),
}  # fmt: skip
INERTIA_2 = 6.0  # of A-B-D about its centre, kg m^2
#: the start, computed with five formulations that agree to these digits: angles' accelerations (rad/s^2) and pin
#: forces (N) on the second body of each hinge
ACCELERATIONS_0 = np.array([4.47749867, -3.92599780, 0.61966390, 0.58157877, -1.32903802])
FORCES_0 = {
    "O": (-6.86713, 8.89725), "A": (-6.23356, 4.62582), "B": (7.62915, -35.93985), "D": (-4.96059, 14.90332),
    "E": (-3.09010, 5.09128), "C": (-8.94729861, 45.47404088), "F": (3.08539430, 5.06164453),
}  # fmt: skip
#: turn of OA since the start plus its first angle, after 2 s, rad
THETA_2 = 7.143172


def center(body: str) -> complex:
    """Centre of mass as drawn."""
    pins = BODIES[body][0]
    return sum(PINS[p] for p in pins) / len(pins)


def inertia(body: str) -> float:
    """Moment of inertia about the centre, kg m^2: uniform rods, and Table 1's 6.0."""
    pins, mass = BODIES[body]
    return INERTIA_2 if len(pins) == 3 else mass * abs(PINS[pins[1]] - PINS[pins[0]]) ** 2 / 12


def particles() -> dict[str, list[tuple[complex, float]]]:
    """Equivalent particles (place as drawn, mass) of every body, Attia (1): rods m/6, 2m/3, m/6."""
    found = {}
    for body, (pins, mass) in BODIES.items():
        a, b = PINS[pins[0]], PINS[pins[1]]
        if len(pins) == 2:
            found[body] = [(a, mass / 6), ((a + b) / 2, 2 * mass / 3), (b, mass / 6)]
            continue
        arm, second = center(body) - a, 1.0  # a mass of 1 kg at B is free to choose
        about_a = inertia(body) + mass * abs(arm) ** 2
        rest = mass * arm - second * (b - a)
        third = abs(rest) ** 2 / (about_a - second * abs(b - a) ** 2)
        found[body] = [(a, mass - second - third), (b, second), (a + rest / third, third)]
    return found


def _chains() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places (n,) and masses (n,) of all particles (C and F last), and which joint coordinates move them (n, 5)."""
    pivots = {"OA": "O", "ABD": "OA", "BC": "OAB", "DE": "OAD", "EF": "OADE"}
    order = "OABDE"
    places, masses, moved = [], [], []
    for body, those in [*particles().items(), ("BC", [(C, 0.0)]), ("EF", [(F, 0.0)])]:
        for place, mass in those:
            places.append(place)
            masses.append(mass)
            moved.append([pin in pivots[body] for pin in order])
    return np.array(places), np.array(masses), np.array(moved), np.array([PINS[p] for p in order])


class Linkage:
    """The equations; ``theta`` (5,) turns since the start in O, A, B, D, E, each relative to the body before."""

    def __init__(self) -> None:
        self.places, self.masses, self.moved, self.hinges = _chains()
        self.before = np.array(
            [[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 1, 0, 1, 0]]
        )

    def _turn(self, theta: np.ndarray, drawn: np.ndarray, moved: np.ndarray) -> np.ndarray:
        """Places of points, turned about the hinges of the coordinates ``moved`` (n, 5), outermost first."""
        out = drawn.astype(complex)
        for k in range(4, -1, -1):
            out = np.where(moved[:, k], self.hinges[k] + np.exp(1j * theta[k]) * (out - self.hinges[k]), out)
        return out

    def state(self, theta: np.ndarray, rate: np.ndarray):
        """Places (n,), velocity matrix B (n, 5) and its rate B. (n, 5), complex."""
        r = self._turn(theta, self.places, self.moved)
        hinge = self._turn(theta, self.hinges, self.before.astype(bool))
        arm = r[:, None] - hinge
        speed = 1j * np.where(self.moved, arm, 0)
        hinge_speed = 1j * np.where(self.before, hinge[:, None] - hinge, 0) @ rate
        arm_rate = (speed @ rate)[:, None] - hinge_speed
        return r, speed, 1j * np.where(self.moved, arm_rate, 0)

    def accelerations(self, theta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(5,) rad/s^2 and the forces of the ground on the cut pins C and F (2,), N, Attia (17)."""
        _, speed, change = self.state(theta, rate)
        weights = self.masses[:, None] * speed
        mass = (weights.conj().T @ speed).real
        load = (weights.conj().T @ (-1j * GRAVITY - change @ rate)).real
        both = [np.concatenate([x[-2:].real, x[-2:].imag]) for x in (speed, change)]
        matrix = np.block([[mass, -both[0].T], [both[0], np.zeros((4, 4))]])
        found = np.linalg.solve(matrix, np.concatenate([load, -both[1] @ rate]))
        return found[:5], found[5:7] + 1j * found[7:]

    def solution(self, t: np.ndarray, rtol: float = 1e-11) -> tuple[np.ndarray, np.ndarray]:
        """Angles turned (nt, 5) and their rates (nt, 5) from rest."""
        run = solve_ivp(
            lambda _, y: np.concatenate([y[5:], self.accelerations(y[:5], y[5:])[0]]),
            (t[0], t[-1]), np.zeros(10), "DOP853", t, rtol=rtol, atol=rtol,
        )  # fmt: skip
        return run.y[:5].T, run.y[5:].T

    def energy(self, theta: np.ndarray, rate: np.ndarray) -> float:
        """Kinetic and potential energy, J."""
        r, speed, _ = self.state(theta, rate)
        return float(self.masses @ (0.5 * np.abs(speed @ rate) ** 2 + GRAVITY * r.imag))
