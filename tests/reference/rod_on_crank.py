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

In time, the accelerations of each step are a series of Legendre polynomials that meets the equations of motion at
Gauss' points (collocation, of order 2 STAGES at the step's end). The program computes all points of a step at once.
A step is halved until the last terms of its series are as small as the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.polynomial import legendre
from scipy.linalg import lu_factor, lu_solve

#: points of a step, its length as an angle of the quickest vibration (rad), and iterations after which it is halved
STAGES, REACH, ITERATIONS = 32, 20.0, 30


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


class Series:
    """Functions over a step, from x = 0 to 1, as the n first Legendre polynomials P_k(2 x - 1)."""

    def __init__(self, n: int) -> None:
        nodes, weights = legendre.leggauss(n)
        self.nodes = (nodes + 1) / 2
        #: from values at the nodes to the n coefficients: integrals of f P_k by Gauss quadrature
        self.of_values = (np.arange(n) + 0.5)[:, None] * (
            weights[:, None] * legendre.legvander(nodes, n - 1)
        ).T
        each = np.eye(n)
        self._once, self._twice = (legendre.legint(each, m, lbnd=-1, scl=0.5) for m in (1, 2))
        once, twice = self.integrals(self.nodes)
        self.once, self.twice = once @ self.of_values, twice @ self.of_values

    def integrals(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """First and second integrals from 0 to x (m,) of each polynomial, (m, n)."""
        return tuple(legendre.legvander(2 * x - 1, len(c) - 1) @ c for c in (self._once, self._twice))


SERIES = Series(STAGES)


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
    # the same at every instant: s, dm at the quadrature points and, with no mass, at B; D - D(0) there as pairs of real
    # numbers (n, 2 (nq + 1)), at B as complex ones, and its integrals; the equations with the terms that stay
    _s: np.ndarray = field(init=False)
    _dm: np.ndarray = field(init=False)
    _pairs: np.ndarray = field(init=False)
    _at_B: np.ndarray = field(init=False)
    _moments: np.ndarray = field(init=False)
    _still: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        n, dm = len(self.K), np.append(self.dm, 0.0)
        shapes = np.ascontiguousarray((np.vstack([self.shapes, self.at_ends[2]]) - self.at_ends[0]).T)
        still = np.zeros((n + 2, n + 2))
        still[0, 0] = self.rotary
        still[1:-1, 1:-1] = ((dm * shapes) @ shapes.conj().T).real
        if self.ghost is not None:
            still[1:-1, 1:-1] += ((self.ghost_dm * self.ghost.T) @ self.ghost.conj()).real
        fixed = {
            "_s": np.append(self.s, self.length),
            "_dm": dm,
            "_pairs": shapes.view(float),
            "_still": still,
        }
        fixed |= {"_at_B": np.append(0, shapes[:, -1]), "_moments": shapes @ dm}
        for name, value in fixed.items():
            object.__setattr__(self, name, value)

    def pin(self, t: np.ndarray) -> np.ndarray:
        """Position of the crank pin A, m."""
        return self.radius * np.exp(1j * self.speed * t)

    def places(self, a: np.ndarray, adot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """d and ddot (m, nq + 1) at the quadrature points and at B, in the rod's frame, at m instants."""
        return self._s + (a @ self._pairs).view(complex), (adot @ self._pairs).view(complex)

    def closure(self, t: np.ndarray, d: np.ndarray, dd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Frame angle and its rate from Im r(l) = 0 at given place and velocity of B in the frame; cos(psi) > 0."""
        p = self.pin(t)
        psi = np.arcsin(-p.imag / abs(d)) - np.angle(d)
        turn = np.exp(1j * psi)
        psidot = -((1j * self.speed * p).imag + (turn * dd).imag) / (turn * d).real
        return psi, psidot

    def solve(self, t: np.ndarray, a: np.ndarray, adot: np.ndarray) -> tuple:
        """Psi, psidot, accelerations (psiddot, addot), guide force, forces of the pin and of the wrist on the rod.

        At m instants t (m,); a and adot are (m, n).
        """
        d, dd = self.places(a, adot)
        psi, w = self.closure(t, d[:, -1], dd[:, -1])
        turn, rate = np.exp(1j * psi)[:, None], w[:, None]
        h = -(self.speed**2) * self.pin(t)[:, None] / turn - rate**2 * d + 2j * rate * dd
        # the real part of a product with a conjugate is the scalar product of the two pairs of real numbers
        first, load = 1j * d, self._dm * (h - self.gravity / turn)
        weighted = self._dm * first
        A, b = np.repeat(self._still[None], len(t), axis=0), np.empty((len(t), len(self._still)))
        A[:, 0, 0] += (weighted * first.conj()).real.sum(axis=1)
        A[:, 0, 1:-1] = weighted.view(float) @ self._pairs.T
        b[:, 0] = -(load * first.conj()).real.sum(axis=1)
        b[:, 1:-1] = -load.view(float) @ self._pairs.T - a @ self.K
        if self.ghost is not None:
            u, ud = a @ self.ghost.T, adot @ self.ghost.T
            more = self.ghost_dm * (-(rate**2) * u + 2j * rate * ud)
            A[:, 0, 0] += abs(u) ** 2 @ self.ghost_dm
            A[:, 0, 1:-1] += ((self.ghost_dm * 1j * u) @ self.ghost.conj()).real
            b[:, 0] -= (more * (1j * u).conj()).real.sum(axis=1)
            b[:, 1:-1] -= (more @ self.ghost.conj()).real
        A[:, 1:-1, 0] = A[:, 0, 1:-1]
        J_B = np.repeat(self._at_B[None], len(t), axis=0)
        J_B[:, 0] = first[:, -1]
        J_B, h_B = turn * J_B, turn[:, 0] * h[:, -1]
        along, across = J_B.real, J_B.imag
        A[:, :-1, :-1] += self.slider_mass * along[:, :, None] * along[:, None]
        A[:, :-1, -1], A[:, -1, :-1], A[:, -1, -1] = -across, across, 0.0
        b[:, :-1] -= self.slider_mass * (h_B.real - self.gravity.real)[:, None] * along
        b[:, -1] = -h_B.imag
        x = np.linalg.solve(A, b[..., None])[..., 0]
        zdd, guide = x[:, :-1], x[:, -1]
        acc_B = (along * zdd).sum(axis=1) + h_B.real
        of_rod = zdd[:, 0] * weighted.sum(axis=1) + zdd[:, 1:] @ self._moments + load.sum(axis=1)
        wrist = -self.slider_mass * (acc_B - self.gravity.real) + 1j * guide
        return psi, w, zdd, guide, turn[:, 0] * of_rod - wrist, wrist

    def energies(self, t: np.ndarray, a: np.ndarray, adot: np.ndarray) -> tuple:
        """Kinetic, strain and potential energy, J, at given modal coordinates and velocities (m, n)."""
        d, dd = self.places(a, adot)
        psi, w = self.closure(t, d[:, -1], dd[:, -1])
        p, turn, w = self.pin(t)[:, None], np.exp(1j * psi)[:, None], w[:, None]
        r = p + turn * d
        v = 1j * self.speed * p + turn * (1j * w * d + dd)
        kinetic = 0.5 * abs(v) ** 2 @ self._dm + 0.5 * self.slider_mass * v[:, -1].real ** 2
        kinetic += 0.5 * self.rotary * w[:, 0] ** 2
        if self.ghost is not None:
            kinetic += 0.5 * abs(1j * w * (a @ self.ghost.T) + adot @ self.ghost.T) ** 2 @ self.ghost_dm
        g = self.gravity.conjugate()
        potential = -(g * (r @ self._dm)).real - self.slider_mass * (g * r[:, -1]).real
        return kinetic, 0.5 * ((a @ self.K) * a).sum(axis=1), potential

    def simulate(self, t: np.ndarray, a0=None, adot0=None, rtol: float = 1e-10) -> Motion:
        """Integrate from t[0] to t[-1] with output at t; a0, adot0 default to zero.

        rtol: the last terms of a step's series over the largest acceleration until then, for each coordinate,
        or over a thousandth of that of all, which is more than the round-off of a coordinate that nothing moves.
        """
        t, n, count = np.asarray(t, float), len(self.K), 0
        now, a, adot, work = t[0], np.zeros(n), np.zeros(n), 0.0
        a, adot = (x if given is None else np.asarray(given, float) for x, given in ((a, a0), (adot, adot0)))
        quickest = np.sqrt(abs(np.linalg.eigvals(self._tangent(now, a, adot))).max())
        step, scale = REACH / quickest, np.zeros(n)
        least = 1e-6 * step
        rows = [(a, adot, work)]
        while len(rows) < len(t):
            step = min(step, t[-1] - now)
            z, power, tried = self._step(now, step, a, adot, scale, rtol)
            count += tried * STAGES
            terms = SERIES.of_values @ z
            scale = np.maximum(scale, abs(z).max(axis=0))
            scale = np.maximum(scale, 1e-3 * scale.max())
            if tried == ITERATIONS or (abs(terms[-2:]).max(axis=0) > rtol * scale).any():
                step /= 2
                if step < least:
                    raise RuntimeError(f"no step from {now} s has the tolerance {rtol}")
                continue
            end = now + step
            x = np.append(t[len(rows) : np.searchsorted(t, end + 1e-9 * step)] - now, step)[:, None] / step
            once, twice = SERIES.integrals(x[:, 0])
            found_a = a + step * x * adot + step**2 * (twice @ terms)
            found_adot = adot + step * (once @ terms)
            found_work = work + step * (once @ (SERIES.of_values @ power))
            rows += list(zip(found_a, found_adot, found_work, strict=True))[:-1]
            now, a, adot, work = end, found_a[-1], found_adot[-1], found_work[-1]
        return self._collect(t, *(np.array(column) for column in zip(*rows, strict=True)), count)

    def _tangent(self, t: float, a: np.ndarray, adot: np.ndarray) -> np.ndarray:
        """Derivatives (n, n) of -addot by a, by differences: an iteration's matrix."""
        n, h = len(a), 1e-6 * self.length
        near = a + h * np.vstack([np.zeros(n), np.eye(n)])
        addot = self.solve(np.full(n + 1, t), near, np.tile(adot, (n + 1, 1)))[2][:, 1:]
        return -(addot[1:] - addot[0]).T / h

    def _step(
        self, t: float, h: float, a: np.ndarray, adot: np.ndarray, scale: np.ndarray, rtol: float
    ) -> tuple:
        """Accelerations (STAGES, n) and power of the drive at a step's points, and the iterations that they took."""
        x, n = SERIES.nodes, len(a)
        K = self._tangent(t, a, adot)
        factors = lu_factor(np.eye(STAGES * n) + h**2 * np.kron(SERIES.twice, K))
        z, tried = np.zeros((STAGES, n)), 0
        times, first = t + h * x, a + h * x[:, None] * adot
        while tried < ITERATIONS:
            tried += 1
            here = (first + h**2 * SERIES.twice @ z, adot + h * SERIES.once @ z)
            _, _, zdd, _, force, _ = self.solve(times, *here)
            change = lu_solve(factors, (zdd[:, 1:] - z).ravel()).reshape(z.shape)
            z = z + change
            size = abs(z).max(axis=0)
            if (
                abs(change).max(axis=0) <= 0.1 * rtol * np.maximum(scale, np.maximum(size, 1e-3 * size.max()))
            ).all():
                break
        return z, (force.conj() * 1j * self.speed * self.pin(times)).real, tried

    def _collect(
        self, t: np.ndarray, a: np.ndarray, adot: np.ndarray, work: np.ndarray, count: int
    ) -> Motion:
        psi, w, zdd, guide, pin_force, wrist = self.solve(t, a, adot)
        end = self.at_ends - self.at_ends[0]
        middle, tip = 0.5 * self.length + a @ end[1], self.length + a @ end[2]
        p, turn = self.pin(t), np.exp(1j * psi)
        return Motion(
            t=t,
            a=a,
            adot=adot,
            addot=zdd[:, 1:],
            psi=psi,
            psidot=w,
            psiddot=zdd[:, 0],
            deflection=(tip.conj() * middle).imag / abs(tip),
            slider=(p + turn * tip).real,
            sliderdot=(1j * self.speed * p + turn * (1j * w * tip + adot @ end[2])).real,
            pin_force=pin_force,
            wrist_force=wrist,
            guide_force=guide - self.slider_mass * self.gravity.imag,
            torque=(p.conj() * pin_force).imag,
            **dict(zip(("kinetic", "strain", "potential"), self.energies(t, a, adot), strict=True)),
            work=work,
            evaluations=count,
        )
