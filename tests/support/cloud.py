"""A flexible body made of point masses: an independent brute-force model of the kernels' body.

``N`` base functions are random displacements of the points; all integrals are sums over points, and the inertia
force follows from the acceleration of each point, differentiated by hand from ``r = c + Q (x + Phi alpha)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from modal import ReducedBody
from modal.reduced_body import Marker


@dataclass(frozen=True)
class Cloud:
    x: np.ndarray  # (n, 3)
    Phi: np.ndarray  # (n, 3, N)
    mass: np.ndarray  # (n,)
    K: np.ndarray  # (N, N)

    @classmethod
    def random(cls, rng: np.random.Generator, modes: int = 4, points: int = 9, size: float = 0.3) -> Cloud:
        root = rng.normal(size=(modes, modes))
        return cls(
            x=rng.normal(size=(points, 3)) * size,
            Phi=rng.normal(size=(points, 3, modes)),
            mass=rng.uniform(0.5, 1.5, points),
            K=50.0 * (root @ root.T + np.eye(modes)),
        )

    def centred(self) -> Cloud:
        """The same with the centre at the origin and base functions under the mean-displacement conditions."""
        x = self.x - np.average(self.x, axis=0, weights=self.mass)
        flat = self.Phi.reshape(-1, self.Phi.shape[2])
        R = np.concatenate([np.column_stack([np.eye(3), -skew(p)]) for p in x])
        weights = np.repeat(self.mass, 3)[:, None]
        flat = flat - R @ np.linalg.solve(R.T @ (weights * R), R.T @ (weights * flat))
        return Cloud(x, flat.reshape(self.Phi.shape), self.mass, self.K)

    def body(self, name: str = "cloud", mean: bool = False) -> ReducedBody:
        m, x, Phi = self.mass, self.x, self.Phi
        N = Phi.shape[2]
        eye = np.eye(3)
        dot_x = np.einsum("p,pki,pk->i", m, Phi, x)
        dot = np.einsum("p,pki,pkj->ij", m, Phi, Phi)
        cross = np.einsum("klm,pl,pmi->pik", levi_civita(), x, Phi)
        inertia = {
            "C1": m @ x,
            "C2": np.einsum("p,pki->ik", m, Phi),
            "C3": eye * np.sum(m[:, None] * x * x) - np.einsum("p,pk,pl->kl", m, x, x),
            "C4": dot_x[:, None, None] * eye - np.einsum("p,pki,pl->ikl", m, Phi, x),
            "C5": dot[:, :, None, None] * eye - np.einsum("p,pki,plj->ijkl", m, Phi, Phi),
            "C6": np.einsum("p,pik->ik", m, cross),
            "C7": np.einsum("p,klm,pli,pmj->ijk", m, levi_civita(), Phi, Phi),
            "C8": dot,
        }
        if mean:
            inertia |= {"C1": np.zeros(3), "C2": np.zeros((N, 3)), "C6": np.zeros((N, 3))}
        rng = np.random.default_rng(3)
        markers = {
            name: Marker(rng.normal(size=3) * 0.3, rng.normal(size=(3, N)), rng.normal(size=(3, N)), True)
            for name in ("p", "q", "s")
        }
        return ReducedBody(
            name=name,
            frame="as given",
            origin=np.zeros(3),
            mass=m.sum(),
            **inertia,
            K=self.K,
            mean=mean,
            markers=markers,
        )

    def inertia_force(self, Q, omega, alpha, rate, cdd, omegadot, accel) -> np.ndarray:
        """Generalized inertia force (6 + N,) from the acceleration of every point."""
        u, udot, udd = (self.Phi @ z for z in (alpha, rate, accel))
        p = self.x + u
        local = np.cross(omega, np.cross(omega, p)) + np.cross(omegadot, p) + 2 * np.cross(omega, udot) + udd
        local = self.mass[:, None] * (local + Q.T @ cdd)
        return np.concatenate(
            [Q @ local.sum(axis=0), np.cross(p, local).sum(axis=0), np.einsum("pki,pk->i", self.Phi, local)]
        )

    def kinetic(self, omega, alpha, rate, cdot_local) -> float:
        velocity = cdot_local + np.cross(omega, self.x + self.Phi @ alpha) + self.Phi @ rate
        return 0.5 * float(self.mass @ np.sum(velocity**2, axis=1))


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def levi_civita() -> np.ndarray:
    e = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[i, j, k], e[i, k, j] = 1, -1
    return e
