"""The mass of a structure: attached points, or a mass matrix that another program has made."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from .freedoms import Freedoms
from .rigid_motions import rigid_motions

#: (3, 3, 3) permutation symbol: the axial vector of a matrix A is ``_EPSILON : A / 2``
_EPSILON = np.zeros((3, 3, 3))
_EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
_EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0


@dataclass(frozen=True, eq=False)
class Cloud:
    """The mass of a structure as attached points, from which all inertia follows.

    ``points`` (m, 3) in m; ``mass`` (m, m) in kg: ``int rho a b = a' mass b`` for fields a, b given at the points;
    ``shape`` (3m, unknowns): their displacements from the unknowns, None where the points are the nodes and the
    unknowns their displacements (solids: the scalar mass matrix int rho N_i N_j). ``over_motions`` (3m, motions)
    is the same before connections make motions dependent.
    """

    points: np.ndarray
    mass: scipy.sparse.csr_array
    shape: scipy.sparse.csr_array | None = None
    over_motions: scipy.sparse.csr_array | None = None

    @property
    def at_points(self) -> Cloud:
        """The mass at points, for what needs it there."""
        return self

    def displacements(self, u: np.ndarray) -> np.ndarray:
        """Return the displacements (m, 3) or (m, 3, k) of the points for u (unknowns,) or (unknowns, k)."""
        moved = u if self.shape is None else np.asarray(self.shape @ u)
        return moved.reshape(len(self.points), 3, *u.shape[1:])

    @cached_property
    def matrix(self) -> scipy.sparse.csr_array:
        """Mass matrix (unknowns, unknowns) in kg, kg m and kg m^2."""
        three = scipy.sparse.csr_array(scipy.sparse.kron(self.mass, scipy.sparse.identity(3), format="csr"))
        if self.shape is None:
            return three
        total = scipy.sparse.csr_array(self.shape.T @ (three @ self.shape))
        return scipy.sparse.csr_array(0.5 * (total + total.T))

    def inertia_forces(self, u: np.ndarray) -> np.ndarray:
        """Return M u for u (unknowns,) or (unknowns, k)."""
        if self.shape is not None:
            return np.asarray(self.matrix @ u)
        return np.asarray(self.mass @ u.reshape(len(self.points), -1)).reshape(u.shape)

    def on_motions(self, force: np.ndarray) -> np.ndarray:
        """Return forces (m, 3) on the points as forces and moments (motions,) on the nodes."""
        return force.ravel() if self.over_motions is None else np.asarray(self.over_motions.T @ force.ravel())

    def accelerated(self, at: np.ndarray, acceleration: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the forces (motions,) that cause accelerations ``acceleration + gradient (x - at)`` of all mass."""
        field = acceleration + (self.points - at) @ gradient.T
        return self.on_motions(np.asarray(self.mass @ field))

    @cached_property
    def point_mass(self) -> np.ndarray:
        """Row sums of the mass, kg."""
        return self.mass @ np.ones(len(self.points))

    @cached_property
    def total(self) -> float:
        """Mass in kg."""
        return float(self.point_mass.sum())

    @cached_property
    def center(self) -> np.ndarray:
        """Mass centre (3,) in m."""
        return self.point_mass @ self.points / self.total

    @cached_property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the mass centre in kg m^2."""
        x = self.points - self.center
        second = x.T @ (self.mass @ x)
        return np.trace(second) * np.eye(3) - second


@dataclass(frozen=True, eq=False)
class MatrixMass(Cloud):
    """A mass matrix M (unknowns, unknowns) of another program, which couples displacements and rotations.

    The points are the nodes. ``mass`` is the part of M that couples equal components of displacements, averaged; it
    stands for M only where a mass at points is needed, as in stiffening by inertia, unless ``elements`` is given: the
    mass of elements of the same nodes.
    """

    elements: Cloud | None = None
    given: scipy.sparse.csr_array = field(default_factory=lambda: scipy.sparse.csr_array((0, 0)))
    freedoms: Freedoms = field(default_factory=lambda: Freedoms(np.zeros(0, np.int64)))

    @property
    def matrix(self) -> scipy.sparse.csr_array:  # type: ignore[override]
        """Mass matrix (unknowns, unknowns) in kg, kg m and kg m^2."""
        return self.given

    @property
    def at_points(self) -> Cloud:
        """The mass of the elements, or of the nodes."""
        return self.elements or self

    def inertia_forces(self, u: np.ndarray) -> np.ndarray:
        """Return M u."""
        return np.asarray(self.given @ u)

    def accelerated(self, at: np.ndarray, acceleration: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the forces (motions,) of M for these accelerations.

        Nodes turn as the field does in the mean. What its symmetric gradient does to the mass around a node follows
        from the node's first and second moments of mass, which M has in its rows of rotations. Those of a superelement
        with internal coordinates belong to its whole body, so that its forces under a symmetric gradient are rough.
        """
        free = self.freedoms
        shifts = free.first[:-1, None] + np.arange(3)
        turning = np.flatnonzero(free.count == 6)
        turns = free.first[turning, None] + 3 + np.arange(3)
        field = np.zeros(free.n_motions)
        field[shifts.ravel()] = (acceleration + (self.points - at) @ gradient.T).ravel()
        field[turns.ravel()] = np.tile(0.5 * np.einsum("abc,cb->a", _EPSILON, gradient), len(turning))
        forces = self.inertia_forces(field)
        if free.internal:
            return forces
        unit = np.zeros((free.n_motions, 3))
        unit[turns] = np.eye(3)
        coupled = self.inertia_forces(unit)
        stretch = 0.5 * (gradient + gradient.T)
        first = 0.5 * np.einsum("akd,nak->nd", _EPSILON, coupled[shifts])
        forces[shifts.ravel()] += (first @ stretch).ravel()
        inertia = coupled[turns]
        second = 0.5 * np.trace(inertia, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertia
        forces[turns.ravel()] += np.einsum("abc,cd,nbd->na", _EPSILON, stretch, second).ravel()
        return forces

    @cached_property
    def moments(self) -> tuple[list[scipy.sparse.csr_array], list[list[scipy.sparse.csr_array]]]:
        """First moments c (3 of (n, t)) and second moments P (3, 3 of (t, t)) of the mass between nodes.

        ``c = int rho s`` of all nodes n with the t nodes that have rotations, s from the latter, and
        ``P = int rho s s'``. Displacements ``theta x s`` give the blocks ``-c~`` and ``J = tr(P) I - P`` of M.
        """
        free = self.freedoms
        shifts = free.first[:-1, None] + np.arange(3)
        turns = free.first[np.flatnonzero(free.count == 6), None] + 3 + np.arange(3)
        coupled = [[self.given[shifts[:, k]][:, turns[:, l]] for l in range(3)] for k in range(3)]
        c = [0.5 * (coupled[(d + 1) % 3][(d + 2) % 3] - coupled[(d + 2) % 3][(d + 1) % 3]) for d in range(3)]
        J = [[self.given[turns[:, k]][:, turns[:, l]] for l in range(3)] for k in range(3)]
        half = 0.5 * (J[0][0] + J[1][1] + J[2][2])
        P = [[float(k == l) * half - 0.5 * (J[k][l] + J[l][k]) for l in range(3)] for k in range(3)]
        return c, P

    def rigid(self, about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the rigid motions R (unknowns, 6) about a point, and R' M R (6, 6)."""
        R = rigid_motions(self.points, about, self.freedoms)
        return R, R.T @ np.asarray(self.given @ R)

    @cached_property
    def total(self) -> float:
        """Mass in kg: the mean of the three directions."""
        return float(np.trace(self.rigid(np.zeros(3))[1][:3, :3])) / 3.0

    @cached_property
    def center(self) -> np.ndarray:
        """Mass centre (3,) in m, from the coupling of translations and rotations."""
        coupled = self.rigid(np.zeros(3))[1][:3, 3:]  # [k, l]: e_k . (e_l x C1)
        return 0.5 * np.einsum("klm,kl->m", _EPSILON, coupled) / self.total

    @cached_property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the mass centre in kg m^2."""
        return self.rigid(self.center)[1][3:, 3:]
