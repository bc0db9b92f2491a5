"""Koppens' slider-crank and rotating beam with a geometrically exact rod: an independent program.

Euler-Bernoulli rod without rotary inertia, large displacements (ANCF): place r(s) by cubic Hermite polynomials of
r and r' = dr/ds at the nodes, both components alike, so that the mass matrix is constant. Strain energy

    int EA eps^2 / 2 + EI kappa^2 / 2 ds,   eps = (r'.r' - 1) / 2,   kappa = (r' x r'') / (r'.r').

The crank pin moves as given, the other end carries the slider along y = 0: these coordinates are prescribed and
nothing else is constrained. The rotating beam (fig. 5.24) moves in the plane that turns with it, under the
centrifugal force of each of its points and its weight along the axis of rotation. Time by Newmark's trapezoidal rule,
each step solved by Newton's method. Converged: 6 and 12 elements, steps of 20 and 10 microseconds differ by what the
tests of :func:`deflection` and :func:`turning` say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from . import slider_crank as p

GAUSS = np.polynomial.legendre.leggauss(5)
KEPT = 5  # steps for which Newton's method keeps its matrix, or until six iterations are not enough

#: of n elements: length (m), coordinates as drawn, and the element behind the corner with the angle (rad) it turns by
Shape = Callable[[int], tuple[float, np.ndarray, int, float]]


def straight(n: int) -> tuple[float, np.ndarray, int, float]:
    """Koppens' rod."""
    x = np.linspace(0, p.LENGTH, n + 1)
    return p.LENGTH, np.stack([x, 0 * x, 1 + 0 * x, 0 * x], axis=1).ravel(), 0, 0.0


def arch(rise: float) -> Shape:
    """A circular arc over the chord LENGTH, ``rise`` m high."""
    half = 2 * np.arctan(2 * rise / p.LENGTH)  # of the angle that the arc turns
    radius = p.LENGTH / 2 / np.sin(half)

    def shape(n: int) -> tuple[float, np.ndarray, int, float]:
        angle = half * (1 - 2 * np.arange(n + 1) / n)
        x, y = p.LENGTH / 2 - radius * np.sin(angle), radius * (np.cos(angle) - np.cos(half))
        return 2 * half * radius, np.stack([x, y, np.cos(angle), np.sin(angle)], axis=1).ravel(), 0, 0.0

    return shape


def bend(height: float) -> Shape:
    """Straight to :func:`corner`, and straight on to the end, half as far; n is a multiple of 3."""
    at = corner(height)
    ends = np.array([[0, 0], at, [p.LENGTH, 0]])
    directions = np.diff(ends, axis=0)
    lengths = np.hypot(*directions.T)
    angle = np.arctan2(directions[:, 1], directions[:, 0])

    def shape(n: int) -> tuple[float, np.ndarray, int, float]:
        s, leg = lengths.sum() * np.arange(n + 1) / n, (np.arange(n + 1) > 2 * n // 3).astype(int)
        place = [np.interp(s, [0, lengths[0], lengths.sum()], ends[:, k]) for k in (0, 1)]
        drawn = np.stack([*place, np.cos(angle)[leg], np.sin(angle)[leg]], axis=1)
        return lengths.sum(), drawn.ravel(), 2 * n // 3, angle[1] - angle[0]

    return shape


def corner(height: float) -> tuple[float, float]:
    """Place (m) ``height`` beside the chord, twice as far from its start as from its end."""
    return (4 * p.LENGTH - np.sqrt(4 * p.LENGTH**2 - 9 * height**2)) / 3, height


class Rod:
    """Matrices of ``n`` elements along the rod; coordinates (r, r') of one node after the other, 4 each.

    ``slider`` kg: what the far end carries, along x. ``drawn`` (size,) are its coordinates with the chord along x,
    free of stress; see :func:`straight`, :func:`arch` and :func:`bend`. Behind a corner, r' is that before it, turned.
    """

    def __init__(self, n: int, slider: float = p.MASS / 2, shape: Shape | None = None) -> None:
        length, self.drawn, corner, turned = (shape or straight)(n)
        h = length / n
        x, w = 0.5 * (GAUSS[0] + 1), 0.5 * h * GAUSS[1]
        value = np.array(
            [1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)]
        )
        first = (
            np.array([6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x)])
            / h
        )
        second = np.array([12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)]) / h**2

        def rows(shape):  # (q, 2, 8)
            return np.einsum("iq,ab->qaib", shape, np.eye(2)).reshape(len(x), 2, 8)

        self.N, self.B, self.C, self.w = rows(value), rows(first), rows(second), w
        self.flat_B, self.flat_C = self.B.reshape(-1, 8), self.C.reshape(-1, 8)
        self.flat_BB = (self.B.transpose(0, 2, 1) @ self.B).reshape(-1, 64)
        self.weights = np.tile(w, 2)
        self.rigidity = self.weights * np.repeat([p.E * p.AREA, p.EI], len(w))
        self.parts = [slice(4 * k, 4 * k + 8) for k in range(n)]
        self.dofs = 4 * np.arange(n)[:, None] + np.arange(8)
        self.size = 4 * (n + 1)
        self.T = np.tile(np.eye(8), (n, 1, 1))  # an element's own coordinates from those of its nodes
        c, d = np.cos(turned), np.sin(turned)
        self.T[corner, 2:4, 2:4] = [[c, -d], [d, c]]
        self.M = np.zeros((self.size, self.size))
        element = p.RHO * p.AREA * np.einsum("q,qai,qaj->ij", w, self.N, self.N)
        for at, T in zip(self.dofs, self.T, strict=True):
            self.M[np.ix_(at, at)] += T.T @ element @ T
        self.M[-4, -4] += slider
        self.unstrained = (0.0, 0.0)
        _, eps, kappa = self._strains(self.drawn)
        self.unstrained = (eps, kappa)

    def _strains(self, q):
        """r', r'' (ne, nq, 2) with the square of r', and the strains eps and kappa (ne, nq) less those as drawn."""
        ne, nq = len(self.dofs), len(self.w)
        e = (self.T @ q[self.dofs][..., None])[..., 0]
        r1, r2 = (e @ self.flat_B.T).reshape(ne, nq, 2), (e @ self.flat_C.T).reshape(ne, nq, 2)
        square = r1[..., 0] ** 2 + r1[..., 1] ** 2
        kappa = (r1[..., 0] * r2[..., 1] - r1[..., 1] * r2[..., 0]) / square
        return (r1, r2, square), 0.5 * (square - 1) - self.unstrained[0], kappa - self.unstrained[1]

    def forces(self, q):
        """Elastic forces (size,)."""
        _, _, f = self._elements(q)
        force = np.zeros(self.size)
        for at, fe in zip(self.parts, f, strict=True):
            force[at] += fe
        return force

    def tangent(self, q):
        """Of the elastic forces (size, size), exact but for the derivative of kappa's gradient."""
        A, eps, _ = self._elements(q)
        K = A.transpose(0, 2, 1) @ (A * self.rigidity[:, None])
        K += ((p.E * p.AREA * eps * self.w) @ self.flat_BB).reshape(-1, 8, 8)
        K = self.T.transpose(0, 2, 1) @ K @ self.T
        tangent = np.zeros((self.size, self.size))
        for at, Ke in zip(self.parts, K, strict=True):
            tangent[at, at] += Ke
        return tangent

    def _elements(self, q):
        """Gradients of the strains (ne, 2 nq, 8), eps (ne, nq) and the elements' forces (ne, 8)."""
        (r1, r2, square), eps, bent = self._strains(q)
        kappa = bent + self.unstrained[1]
        grad_eps = (r1[:, :, None] @ self.B)[:, :, 0]
        across1 = np.stack([r2[..., 1], -r2[..., 0]], axis=2)
        across2 = np.stack([-r1[..., 1], r1[..., 0]], axis=2)
        grad_kappa = (across1[:, :, None] @ self.B + across2[:, :, None] @ self.C)[:, :, 0]
        grad_kappa = (grad_kappa - 2 * kappa[..., None] * grad_eps) / square[..., None]
        # gradients and their weights one below the other: f = A' c, K = A' D A
        A = np.concatenate([grad_eps, grad_kappa], axis=1)
        stress = np.concatenate([p.E * p.AREA * eps, p.EI * bent], axis=1) * self.weights
        f = (self.T.transpose(0, 2, 1) @ (A.transpose(0, 2, 1) @ stress[..., None]))[..., 0]
        return A, eps, f

    def middle(self, q):
        """Place of the rod's middle, for an even number of elements."""
        at = self.size // 2 - 2
        return q[at : at + 2]


def _kept(values: list) -> np.ndarray:
    """An array that no caller of a cached function changes for the next one."""
    array = np.array(values)
    array.setflags(write=False)
    return array


@functools.cache
def deflection(
    n: int = 6, step: float = 1e-5, t_end: float = p.T_END, shape: Shape | None = None
) -> np.ndarray:
    """(nt,) m at :func:`slider_crank.output_times`: the middle from the chord of the deformed ends, + along e_z x AB.

    Starts undeformed, with the speeds of a rigid rod; a rod that is not straight has its shape in the result.
    """
    rod = Rod(n, shape=shape)
    held = np.array([0, 1, rod.size - 3])
    free = np.setdiff1d(np.arange(rod.size), held)
    q, v = rod.drawn.copy(), np.zeros(rod.size)
    spin = -p.SPEED * p.CRANK / p.LENGTH
    v[0::4], v[1::4] = -spin * q[1::4], p.SPEED * p.CRANK + spin * q[0::4]
    v[2::4], v[3::4] = -spin * q[3::4], spin * q[2::4]
    q[0::4] += p.CRANK
    M = rod.M[np.ix_(free, free)]
    coupling = rod.M[np.ix_(free, held)]
    a = np.zeros(rod.size)

    def pin(t):
        angle = p.SPEED * t
        return p.CRANK * np.array([np.cos(angle), np.sin(angle)])

    a[held[:2]] = -(p.SPEED**2) * pin(0.0)
    a[free] = np.linalg.solve(M, -rod.forces(q)[free] - coupling @ a[held])
    every, out = round(p.OUTPUT_STEP / step), []
    for k in range(round(t_end / step) + 1):
        if k:
            t = k * step
            q = q + step * v + 0.25 * step**2 * a
            v = v + 0.5 * step * a
            a = np.zeros(rod.size)
            q[held[:2]], a[held[:2]] = pin(t), -(p.SPEED**2) * pin(t)
            for iteration in range(12):
                if (iteration == 0 and k % KEPT == 1) or iteration == 6:
                    inverse = np.linalg.inv(M + 0.25 * step**2 * rod.tangent(q)[np.ix_(free, free)])
                residual = M @ a[free] + coupling @ a[held] + rod.forces(q)[free]
                change = -inverse @ residual
                a[free] += change
                q[free] += 0.25 * step**2 * change
                if np.abs(0.25 * step**2 * change).max() < 1e-10:
                    break
            v += 0.5 * step * a
        if k % every == 0:
            chord, reach = q[-4:-2] - q[:2], rod.middle(q) - q[:2]
            out.append((chord[0] * reach[1] - chord[1] * reach[0]) / np.linalg.norm(chord))
    return _kept(out)


@functools.cache
def turning(
    speed: float, n: int = 6, step: float = 1e-5, t_end: float = p.T_END, gravity: float = 9.81
) -> np.ndarray:
    """(nt,) m at :func:`slider_crank.output_times`: the free end of Koppens' rotating beam (5.5.2, fig. 5.24).

    The slider-crank's rod, built in at one end on the axis of rotation and perpendicular to it, turns with ``speed``
    (rad/s) and is let go undeformed under its weight, which pulls along the axis: positive values here. What its
    shortening does across the plane by Coriolis' acceleration is of second order in the deflection, and left out.
    """
    rod = Rod(n, slider=0.0)
    free = np.setdiff1d(np.arange(rod.size), [0, 1, 3])
    q, v, a = rod.drawn.copy(), np.zeros(rod.size), np.zeros(rod.size)
    along, across = np.zeros(rod.size), np.zeros(rod.size)
    along[0::4] = along[2::4] = speed**2
    across[1::4] = gravity
    M, weight = rod.M[np.ix_(free, free)], rod.M @ across
    centrifugal = rod.M * along  # columns of the x components

    def load(q):
        return weight + centrifugal @ q

    a[free] = np.linalg.solve(M, (load(q) - rod.forces(q))[free])
    every, out = round(p.OUTPUT_STEP / step), [0.0]
    for k in range(1, round(t_end / step) + 1):
        q = q + step * v + 0.25 * step**2 * a
        v = v + 0.5 * step * a
        a = np.zeros(rod.size)
        for iteration in range(12):
            if (iteration == 0 and k % KEPT == 1) or iteration == 6:
                K = (rod.tangent(q) - centrifugal)[np.ix_(free, free)]
                inverse = np.linalg.inv(M + 0.25 * step**2 * K)
            residual = M @ a[free] + (rod.forces(q) - load(q))[free]
            change = -inverse @ residual
            a[free] += change
            q[free] += 0.25 * step**2 * change
            if np.abs(0.25 * step**2 * change).max() < 1e-12:
                break
        v += 0.5 * step * a
        if k % every == 0:
            out.append(q[-3])
    return _kept(out)
