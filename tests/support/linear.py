"""A system linearised by differences about its (steadily turning) equilibrium; independent of linearize.py."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from flexbody.compile.plan import Plan
from flexbody.core.equations import dense, move, place, residual
from flexbody.core.rotation import turned_euler


class Turning:
    """One body on the ground, all of it turning with ``rate`` (3,) about the origin, seen at t = 0.

    Coordinates xi: displacement of the reference point, rotation vector, modal coordinates.
    """

    def __init__(self, plan: Plan, rate=(0.0, 0.0, 0.0)) -> None:
        self.plan, self.rate, self.W = plan, np.asarray(rate, float), plan.work()
        self.n, self.rows = plan.n_velocities, plan.n_rows
        xi = np.zeros(self.n)
        force, _, G = self.forces(xi, np.zeros(self.rows))
        multipliers = np.linalg.lstsq(G.T, -force, rcond=None)[0]
        for _ in range(20):
            force, phi, G = self.forces(xi, multipliers)
            K = self.derivative(lambda z, lam=multipliers: self.forces(z, lam)[0], xi)
            system = np.block([[K, G.T], [G, np.zeros((self.rows, self.rows))]])
            change = np.linalg.lstsq(system, -np.concatenate([force, phi]), rcond=1e-13)[0]
            xi, multipliers = xi + change[: self.n], multipliers + change[self.n :]
            if np.abs(change[: self.n]).max() < 1e-13:
                break
        self.xi, self.multipliers = xi, multipliers

    def forces(self, xi, multipliers, rate=None, accel=None):
        """Residual (n,), constraint residual and Jacobian for xi and its rates."""
        L, W, Omega = self.plan.layout, self.W, self.rate
        c, q, alpha, _ = self.plan.start()
        rate, accel = (np.zeros(self.n) if z is None else z for z in (rate, accel))
        c, alpha, turned = c + xi[:3], alpha + xi[6:], np.empty(4)
        turned_euler(q[0], xi[3:6], turned)
        place(L, W, 0.0, c, turned[None], alpha)
        local = W.Q[0].T @ Omega
        v, vdot = rate.copy(), accel.copy()
        v[:3] += np.cross(Omega, c[0])
        v[3:6] += local
        vdot[:3] += np.cross(Omega, np.cross(Omega, c[0])) + 2 * np.cross(Omega, rate[:3])
        vdot[3:6] -= np.cross(rate[3:6], local)
        move(L, W, alpha, v)
        residual(L, W, 0.0, alpha, v, vdot, multipliers)
        M, G = np.empty((self.n, self.n)), np.empty((self.rows, self.n))
        dense(L, W, M, G)
        self.M = M
        return W.residual.copy(), W.phi.copy(), G

    def derivative(self, function, at, step=1e-5):
        """Central differences, relative to the size of the modes: (., n)."""
        columns = []
        for k in range(self.n):
            e = np.zeros(self.n)
            e[k] = step * self.scale[k]
            columns.append((function(at + e) - function(at - e)) / (2 * e[k]))
        return np.array(columns).T

    @property
    def scale(self):
        """(n,) sizes: modal coordinates of mass-orthonormal modes that move points about as far as xi's others."""
        return np.concatenate([np.ones(6), np.full(self.n - 6, np.sqrt(self.plan.layout.body_mass[0]))])

    def matrices(self):
        """M, C, K of the motions that the joints allow."""
        zero = np.zeros(self.n)
        _, _, G = self.forces(self.xi, self.multipliers)
        M = self.M.copy()
        Z = scipy.linalg.null_space(G / np.abs(G).max(axis=1, keepdims=True) * self.scale, rcond=1e-9)
        Z = self.scale[:, None] * Z
        K = self.derivative(lambda z: self.forces(z, self.multipliers)[0], self.xi)
        C = self.derivative(lambda z: self.forces(self.xi, self.multipliers, rate=z)[0], zero)
        return tuple(Z.T @ A @ Z for A in (M, C, K))

    def frequencies(self):
        """Natural frequencies in rad/s, ascending; a growing motion gives a nan."""
        M, C, K = self.matrices()
        n = len(M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        values = np.linalg.eigvals(A)
        if values.real.max() > 1e-4 * np.abs(values).min():
            return np.full(n, np.nan)
        return np.sort(values.imag[values.imag > 0])
