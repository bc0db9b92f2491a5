"""A flexible body made of point masses: an independent brute-force model of a flexible body's equations.

``N`` base functions are random displacements of the points; all integrals are sums over points, and the inertia
force follows from the acceleration of each point, differentiated by hand from ``r = c + Q (x + u)`` with
``u = Phi alpha + alpha' Psi alpha / 2``; without Psi the body is linear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from modal import ReducedBody
from modal.body.reduced_body import Marker


@dataclass(frozen=True)
class Cloud:
    x: np.ndarray  # (n, 3)
    Phi: np.ndarray  # (n, 3, N)
    mass: np.ndarray  # (n,)
    K: np.ndarray  # (N, N)
    Psi: np.ndarray | None = None  # (n, 3, N, N) second order

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
        return Cloud(x, without_rigid_part(x, self.mass, self.Phi), self.mass, self.K)

    def stiffened(self, rng: np.random.Generator) -> Cloud:
        """The centred cloud with random second-order fields, which meet the same conditions."""
        cloud = self.centred()
        Psi = rng.normal(size=(*cloud.Phi.shape, cloud.Phi.shape[2]))
        Psi = without_rigid_part(cloud.x, cloud.mass, Psi + Psi.transpose(0, 1, 3, 2))
        return replace(cloud, Psi=Psi)

    def second_order(self) -> dict:
        """What a reduced body holds of Psi: P_kl = sum m (x_k Psi_l + x_l Psi_k) / 2 in C5; random markers."""
        if self.Psi is None:
            return {}
        P = np.einsum("p,pk,plij->klij", self.mass, self.x, self.Psi)
        P = 0.5 * (P + P.transpose(1, 0, 2, 3))
        return {"C5_stiffening": np.einsum("kkij,ab->ijab", P, np.eye(3)) - P.transpose(2, 3, 0, 1)}

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
        if self.Psi is not None:
            second = 0.3 * rng.normal(size=(len(markers), 2, 3, N, N))
            second = second + second.transpose(0, 1, 2, 4, 3)
            markers = {
                name: replace(m, GF=GF, GM=GM)
                for (name, m), (GF, GM) in zip(markers.items(), second, strict=True)
            }
        return ReducedBody(
            **self.second_order(),
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
        Phi = self.Phi
        if self.Psi is not None:
            Phi = Phi + self.Psi @ alpha
            u = u + 0.5 * self.Psi @ alpha @ alpha
            udot, udd = Phi @ rate, Phi @ accel + self.Psi @ rate @ rate
        p = self.x + u
        local = np.cross(omega, np.cross(omega, p)) + np.cross(omegadot, p) + 2 * np.cross(omega, udot) + udd
        local = self.mass[:, None] * (local + Q.T @ cdd)
        return np.concatenate(
            [Q @ local.sum(axis=0), np.cross(p, local).sum(axis=0), np.einsum("pki,pk->i", Phi, local)]
        )

    def kinetic(self, omega, alpha, rate, cdot_local) -> float:
        velocity = cdot_local + np.cross(omega, self.x + self.Phi @ alpha) + self.Phi @ rate
        return 0.5 * float(self.mass @ np.sum(velocity**2, axis=1))


def without_rigid_part(x: np.ndarray, mass: np.ndarray, fields: np.ndarray) -> np.ndarray:
    """Fields (n, 3, ...) without mean displacement and mean rotation, Koppens (2.8), (2.10)."""
    flat = fields.reshape(3 * len(x), -1)
    R = np.concatenate([np.column_stack([np.eye(3), -skew(p)]) for p in x])
    weights = np.repeat(mass, 3)[:, None]
    flat = flat - R @ np.linalg.solve(R.T @ (weights * R), R.T @ (weights * flat))
    return flat.reshape(fields.shape)


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def levi_civita() -> np.ndarray:
    e = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        e[i, j, k], e[i, k, j] = 1, -1
    return e
