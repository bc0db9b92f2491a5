"""Random trees of rigid bodies on revolutes, as numbers, as our machines, and as what other programs read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import flexbody as fb

GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class RandomTree:
    """Bodies at angles zero, global axes: n bodies, each on a revolute at a point of the body that carries it.

    Attributes
    ----------
    parent : numpy.ndarray
        The body that carries each body, -1 for the ground, (n,).
    point, axis : numpy.ndarray
        Place and unit axis of each revolute, (n, 3), m.
    mass, center, inertia : numpy.ndarray
        (n,) kg, (n, 3) m, (n, 3, 3) kg m^2 about the center.
    """

    parent: np.ndarray
    point: np.ndarray
    axis: np.ndarray
    mass: np.ndarray
    center: np.ndarray
    inertia: np.ndarray

    @property
    def offset(self) -> np.ndarray:
        """From the revolute of the carrier to that of the body, (n, 3)."""
        return self.point - np.where(self.parent[:, None] < 0, 0.0, self.point[self.parent])

    def machine(self) -> fb.System:
        """Return the machine."""
        bodies = [
            fb.RigidBody(f"b{k}", self.mass[k], self.inertia[k], center=self.center[k])
            for k in range(len(self.mass))
        ]
        joints = [
            fb.Revolute(
                f"j{k}", fb.GROUND if p < 0 else bodies[p], bodies[k], point=self.point[k], axis=self.axis[k]
            )
            for k, p in enumerate(self.parent)
        ]
        return fb.System(bodies, joints, gravity=GRAVITY)

    def mujoco(self) -> str:
        """Return the machine as an XML model of MuJoCo."""
        children: dict[int, list[int]] = {}
        for k, p in enumerate(self.parent):
            children.setdefault(int(p), []).append(k)

        def row(values) -> str:
            return " ".join(f"{x!r}" for x in np.ravel(values).tolist())

        def body(k: int) -> str:
            J = self.inertia[k]
            six = row([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
            place = row(self.center[k] - self.point[k])
            own = f'<joint name="j{k}" type="hinge" axis="{row(self.axis[k])}"/>'
            own += f'<inertial pos="{place}" mass="{float(self.mass[k])!r}" fullinertia="{six}"/>'
            inside = "".join(body(i) for i in children.get(k, []))
            return f'<body pos="{row(self.offset[k])}">{own}{inside}</body>'

        bodies = "".join(body(k) for k in children.get(-1, []))
        return (
            f'<mujoco><option gravity="{row(GRAVITY)}"><flag contact="disable"/></option>'
            f'<compiler angle="radian" boundmass="0" balanceinertia="false"/><worldbody>{bodies}</worldbody></mujoco>'
        )


def random_tree(rng: np.random.Generator, n: int, chain: bool = False) -> RandomTree:
    """Return a random tree of n bodies, or a chain."""
    parent = np.array([k - 1 if chain else rng.integers(-1, k) for k in range(n)])
    point, axis = np.zeros((n, 3)), rng.normal(size=(n, 3))
    center, inertia = np.zeros((n, 3)), np.zeros((n, 3, 3))
    for k in range(n):
        point[k] = (point[parent[k]] if parent[k] >= 0 else 0.0) + rng.uniform(-0.3, 0.3, 3)
        center[k] = point[k] + rng.uniform(-0.2, 0.2, 3)
        points = rng.uniform(-0.2, 0.2, (4, 3))  # of mass one: any cloud is a possible body
        points -= points.mean(axis=0)
        inertia[k] = np.einsum("ij,ij,kl->kl", points, points, np.eye(3)) - points.T @ points
    return RandomTree(
        parent, point, axis / np.linalg.norm(axis, axis=1)[:, None], rng.uniform(0.5, 2.0, n), center, inertia
    )


def falling_chain(n: int) -> RandomTree:
    """Return the chain of :func:`support.chains.chain` as numbers."""
    from .chains import LENGTH, bar

    points = LENGTH * np.column_stack([np.arange(n + 1), np.zeros(n + 1), np.zeros(n + 1)])
    bodies = [bar("b", points[k], points[k + 1]) for k in range(n)]
    return RandomTree(
        np.arange(n) - 1,
        points[:-1],
        np.tile((0.0, 1.0, 0.0), (n, 1)),
        np.array([b.mass for b in bodies]),
        np.array([b.center for b in bodies]),
        np.array([b.inertia_tensor for b in bodies]),
    )
