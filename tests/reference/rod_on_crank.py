"""A flexible rod between a crank pin that moves in a given way and a slider: an independent program.

Plane motion in complex numbers. The crank pin A moves as ``p(t) = r exp(i Omega t)``, the other end B of
the rod on the real axis, where it carries a slider. With ``psi`` the angle of the rod's frame and ``D_k``
its (complex) base functions, a point of the rod is

    r(s) = p + exp(i psi) d(s),    d(s) = s + sum_k a_k (D_k(s) - D_k(0)),

so that A is on the crank pin exactly, wherever the frame's rigid-body condition (Koppens 2.2) puts its
origin. The pin at B gives ``Im r(l) = 0``, solved for psi in closed form; what is left, the a_k, are
minimal coordinates. Multiplied by exp(-i psi), velocity and acceleration of a point are

    rdot = v + J zdot,  rddot = J zddot + h,   z = (psi, a),  J = (i d, D),
    h = pddot exp(-i psi) - psidot^2 d + 2 i psidot ddot,

and the equations of motion are d'Alembert's principle with the integrals over the rod taken by Gauss
quadrature at every instant: ``sum_q dm Re(conj(J) (J zddot + h - g)) + slider + (0, K a) = Re/Im of the
guide's force``. The strain energy is a'K a/2 (linear theory). Force of the crank pin and power of the
drive follow from the rod's momentum.
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg.lapack import dgesv


@dataclass(frozen=True)
class Motion:
    """What a run gives, over nt output times; complex numbers are vectors x + i y, SI units."""

    t: np.ndarray
    a: np.ndarray  # (nt, n) modal coordinates
    adot: np.ndarray
    addot: np.ndarray
    psi: np.ndarray  # (nt,) angle of the rod's frame, and its derivatives
    psidot: np.ndarray
    psiddot: np.ndarray
    deflection: (
        np.ndarray
    )  # (nt,) m, of the middle from the chord through the deformed ends, + along i (B - A)
    slider: np.ndarray  # (nt,) m, position of B on the guide
    sliderdot: np.ndarray
    pin_force: np.ndarray  # (nt,) complex N, of the crank on the rod
    wrist_force: np.ndarray  # (nt,) complex N, of the slider on the rod
    guide_force: np.ndarray  # (nt,) N, of the guide on the slider, along y
    torque: np.ndarray  # (nt,) N m, of the drive on the (massless) crank about its axis
    kinetic: np.ndarray  # (nt,) J, of rod and slider
    strain: np.ndarray
    potential: np.ndarray
    work: np.ndarray  # (nt,) J, done by the drive since t[0]
    evaluations: int

    @property
    def balance_error(self) -> np.ndarray:
        """(nt,) kinetic + strain + potential - work, less its first value, over the largest of the sum."""
        total = self.kinetic + self.strain + self.potential - self.work
        return (total - total[0]) / np.max(self.kinetic + self.strain)


def _integrals(J: np.ndarray, h: np.ndarray, dm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``sum dm Re(conj(J) J)`` (n, n) and ``-sum dm Re(conj(J) h)`` (n,) over the points, for J (n, nq).

    The real part of a product with a conjugate is the scalar product of the two pairs of real numbers.
    """
    pairs = J.view(float)
    weighted = (dm * J).view(float)
    return weighted @ pairs.T, -(weighted @ h.view(float))


@dataclass(frozen=True)
class RodOnCrank:
    """The machine: crank radius, speed, rod (by its base functions at quadrature points), slider."""

    radius: float
    speed: float
    length: float
    s: np.ndarray  # (nq,) quadrature points along the rod, m
    dm: np.ndarray  # (nq,) weights: mass per point, kg
    shapes: np.ndarray  # (nq, n) complex base functions at s
    at_ends: np.ndarray  # (3, n) complex base functions at A, middle and B
    K: np.ndarray  # (n, n) stiffness
    slider_mass: float
    gravity: complex = 0j
    # a second field of n base functions whose kinetic energy is counted about the frame's origin alone,
    # weights in ghost_dm: see ivp_crank.py
    ghost: np.ndarray | None = None
    ghost_dm: np.ndarray | None = None
    rotary: float = 0.0  # kg m^2, further moment of inertia that turns with the frame
    # the same at every instant, at the quadrature points and, with no mass, at B: s, dm, and (0, D - D(0)) as rows
    _s: np.ndarray = field(init=False)
    _dm: np.ndarray = field(init=False)
    _rows: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        points = np.vstack([self.shapes, self.at_ends[2]]) - self.at_ends[0]
        object.__setattr__(self, "_s", np.append(self.s, self.length))
        object.__setattr__(self, "_dm", np.append(self.dm, 0.0))
        object.__setattr__(self, "_rows", np.ascontiguousarray(np.vstack([np.zeros(len(points)), points.T])))

    def pin(self, t: float) -> complex:
        """Position of the crank pin A, m."""
        return self.radius * cmath.exp(1j * self.speed * t)

    def places(self, a: np.ndarray, adot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d and ddot (nq + 1,) at the quadrature points and at B, in the rod's frame."""
        # complex rows as pairs of real numbers: twice as quick as a product of real and complex numbers
        d, dd = (np.array([a, adot]) @ self._rows[1:].view(float)).view(complex)
        return self._s + d, dd

    def closure(self, t: float, d: complex, dd: complex) -> tuple[float, float]:
        """Frame angle and its rate from Im r(l) = 0 at given place and velocity of B in the frame; cos(psi) > 0."""
        p = self.pin(t)
        psi = math.asin(-p.imag / abs(d)) - cmath.phase(d)
        turn = cmath.exp(1j * psi)
        psidot = -((1j * self.speed * p).imag + (turn * dd).imag) / (turn * d).real
        return psi, psidot

    def solve(self, t: float, a: np.ndarray, adot: np.ndarray) -> tuple:
        """Accelerations (psiddot, addot), guide force on the rod's end, and what they were made of."""
        n = len(a)
        d, dd = self.places(a, adot)
        psi, w = self.closure(t, complex(d[-1]), complex(dd[-1]))
        turn = cmath.exp(1j * psi)
        h = -(self.speed**2) * self.pin(t) / turn - w**2 * d + 2j * w * dd
        J = self._rows.copy()
        J[0] = 1j * d
        M, f = _integrals(J, h - self.gravity / turn, self._dm)
        f[1:] -= self.K @ a
        M[0, 0] += self.rotary
        if self.ghost is not None:
            u, ud = self.ghost @ a, self.ghost @ adot
            rows = np.ascontiguousarray(np.vstack([1j * u, self.ghost.T]))
            more = _integrals(rows, -(w**2) * u + 2j * w * ud, self.ghost_dm)
            M, f = M + more[0], f + more[1]
        JB, hB = turn * J[:, -1], turn * complex(h[-1])
        along, across = JB.real, JB.imag
        A, b = np.zeros((n + 2, n + 2)), np.empty(n + 2)
        A[:-1, :-1] = M + self.slider_mass * along[:, None] * along
        A[:-1, -1], A[-1, :-1] = -across, across
        b[:-1] = f - self.slider_mass * (hB.real - self.gravity.real) * along
        b[-1] = -hB.imag
        *_, x, singular = dgesv(A, b)
        if singular:
            raise RuntimeError(f"no accelerations at {t} s: the equations are singular")
        zdd, guide = x[:-1], float(x[-1])
        acc_B = float(along @ zdd) + hB.real
        rod = turn * complex((zdd @ J + h) @ self._dm) - float(self._dm.sum()) * self.gravity
        wrist = -self.slider_mass * (acc_B - self.gravity.real) + 1j * guide
        return psi, w, zdd, guide, rod - wrist, wrist

    def energies(self, t: float, a: np.ndarray, adot: np.ndarray) -> tuple[float, float, float]:
        """Kinetic, strain and potential energy, J, at given modal coordinates and velocities."""
        d, dd = self.places(a, adot)
        psi, w = self.closure(t, complex(d[-1]), complex(dd[-1]))
        turn, pdot = cmath.exp(1j * psi), 1j * self.speed * self.pin(t)
        r = self.pin(t) + turn * d
        v = pdot + turn * (1j * w * d + dd)
        kinetic = 0.5 * self._dm @ abs(v) ** 2 + 0.5 * self.slider_mass * v[-1].real ** 2
        kinetic += 0.5 * self.rotary * w**2
        if self.ghost is not None:
            kinetic += 0.5 * self.ghost_dm @ abs(1j * w * (self.ghost @ a) + self.ghost @ adot) ** 2
        g = self.gravity.conjugate()
        potential = -(g * (self._dm @ r)).real - self.slider_mass * (g * r[-1]).real
        return float(kinetic), float(0.5 * a @ self.K @ a), float(potential)

    def simulate(self, t: np.ndarray, a0=None, adot0=None, rtol: float = 1e-10) -> Motion:
        """Integrate from t[0] to t[-1] (Dormand-Prince 8) with output at t; a0, adot0 default to zero."""
        n = len(self.K)
        a0 = np.zeros(n) if a0 is None else np.asarray(a0, float)
        adot0 = np.zeros(n) if adot0 is None else np.asarray(adot0, float)

        def rhs(time: float, y: np.ndarray) -> np.ndarray:
            _, _, zdd, _, force, _ = self.solve(time, y[:n], y[n:-1])
            power = (force.conjugate() * 1j * self.speed * self.pin(time)).real
            return np.concatenate([y[n:-1], zdd[1:], [power]])

        # absolute tolerances: the same fraction of a millionth of the rod's length, of that times the crank's
        # speed (or 1 rad/s), and of 1 mJ
        size = 1e-6 * self.length * np.ones(n)
        atol = rtol * np.concatenate([size, size * max(self.speed, 1.0), [1e-3]])
        start = np.concatenate([a0, adot0, [0.0]])
        run = solve_ivp(rhs, (t[0], t[-1]), start, "DOP853", t, rtol=rtol, atol=atol)
        if not run.success:
            raise RuntimeError(run.message)
        return self._collect(np.asarray(t), run.y[:n].T, run.y[n:-1].T, run.y[-1], run.nfev)

    def _collect(
        self, t: np.ndarray, a: np.ndarray, adot: np.ndarray, work: np.ndarray, count: int
    ) -> Motion:
        rows = []
        end = self.at_ends - self.at_ends[0]
        for time, x, xdot in zip(t, a, adot, strict=True):
            psi, w, zdd, guide, pin_force, wrist = self.solve(time, x, xdot)
            middle, tip = 0.5 * self.length + end[1] @ x, self.length + end[2] @ x
            p, turn = self.pin(time), cmath.exp(1j * psi)
            deflection = (tip.conjugate() * middle).imag / abs(tip)
            vB = 1j * self.speed * p + turn * (1j * w * tip + end[2] @ xdot)
            torque = (p.conjugate() * pin_force).imag
            guide_on_slider = guide - self.slider_mass * self.gravity.imag
            energies = self.energies(time, x, xdot)
            motion = (zdd[1:], psi, w, zdd[0], deflection, (p + turn * tip).real, vB.real)
            rows.append((*motion, pin_force, wrist, guide_on_slider, torque, *energies))
        columns = [np.array(column) for column in zip(*rows, strict=True)]
        return Motion(t, a, adot, *columns, work, count)
