"""K u of slender bodies, in which the assembled matrix loses the significant digits.

In row after row of K u the forces of a rigid motion cancel, to the rounding of the largest of them. A thin strip bends
under so small a force that its lowest eigenvalue is 1e-12 or less of the largest, so that this rounding is as large as
the result. Element by element nothing cancels: the rigid motion of each element is removed from its displacements
before its stiffness multiplies them, and the rounding of a resultant is removed from its forces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from ..common.tall_matrices import inner
from ..mesh.mesh import Mesh
from .freedoms import Freedoms
from .group import Group, joined

FloatArray = npt.NDArray[np.float64]
#: of elements of one kind: their motions (ne, nd), stiffness (ne, nd, nd) and rigid motions (ne, nd, 6), orthonormal
Batch = tuple[npt.NDArray[np.int64], FloatArray, FloatArray]

EPS = np.finfo(float).eps
#: relative rounding of the energy u' K u up to which the assembled matrix is accurate enough
ROUNDING_TOLERANCE = 1e-8
#: bytes of element matrices that are stored; those of larger structures are computed again for each product
MAX_STORED_BYTES = 400_000_000
#: bytes of the element matrices that are computed at a time
BATCH_BYTES = 50_000_000
#: steps of conjugate gradients at most (three to five are usual), and the part of the energy that they may leave: an
#: error of 1e-11, which the Lanczos method needs
MAX_STEPS, ENERGY_TOLERANCE = 30, 1e-22


def noise(diagonal: FloatArray, u: FloatArray) -> FloatArray:
    """Return the rounding (k,) of u' K u for u (n, k) by an assembled K with that diagonal."""
    return EPS * inner(u**2, diagonal)


class ElementForces:
    """K u summed element by element."""

    def __init__(self, mesh: Mesh, freedoms: Freedoms, groups: tuple[Group, ...], parts: tuple) -> None:
        """Take the elements and springs of a structure."""
        self.freedoms, self.points, self.groups = freedoms, mesh.points, tuple(joined(groups))
        self.springs = [pair for part in parts for pair in part.stiffnesses(mesh, freedoms)]
        size = sum(8 * len(g.nodes) * (g.nodes.shape[1] * g.property.freedoms) ** 2 for g in self.groups)
        self._kept = list(self._made()) if size <= MAX_STORED_BYTES else None

    def __call__(self, u: FloatArray) -> FloatArray:
        """Return K u (unknowns,) or (unknowns, k)."""
        moved = self.freedoms.motions(u.reshape(len(u), -1))
        forces = np.zeros_like(moved)
        for dofs, K, Q in self._kept if self._kept is not None else self._made():
            own = moved[dofs]
            own = own - Q @ (Q.transpose(0, 2, 1) @ own)
            own = K @ own
            own = own - Q @ (Q.transpose(0, 2, 1) @ own)
            np.add.at(forces, dofs.ravel(), own.reshape(-1, own.shape[2]))
        for motions, matrix in self.springs:
            forces[motions] += matrix @ moved[motions]
        return self.freedoms.onto_unknowns(forces).reshape(u.shape)

    def _made(self) -> Iterator[Batch]:
        for group in self.groups:
            dofs = self.freedoms.of_elements(group.nodes, group.property.freedoms)
            step = max(1, BATCH_BYTES // (8 * dofs.shape[1] ** 2))
            for start in range(0, len(dofs), step):
                part = slice(start, start + step)
                X = self.points[group.nodes[part]]
                yield dofs[part], group.property.stiffness(group.kind, X), _rigid(group, X)


def _rigid(group: Group, X: FloatArray) -> FloatArray:
    """Return the rigid motions (ne, nd, 6) of elements with nodes X (ne, nn, 3), orthonormal; zero where dependent.

    A truss has five only.
    """
    x = X - X.mean(axis=1, keepdims=True)
    ne, nn = x.shape[:2]
    R = np.zeros((ne, nn, group.property.freedoms, 6))
    for k, e in enumerate(np.eye(3)):
        R[:, :, k, k] = 1.0
        R[:, :, :3, 3 + k] = np.cross(e, x)
        if group.property.freedoms == 6:
            R[:, :, 3 + k, 3 + k] = 1.0
    R = R.reshape(ne, -1, 6)
    norm = np.linalg.norm(R, axis=1, keepdims=True)
    Q, size, _ = np.linalg.svd(R / np.where(norm > 0, norm, 1.0), full_matrices=False)
    return Q * (size > 1e-8 * size[:, :1])[:, None, :]


def refined(
    u: FloatArray,
    load: FloatArray,
    forces: Callable[[FloatArray], FloatArray],
    inverse: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Return u (n, k) with forces(u) = load (n, k), from ``inverse``, an approximate inverse of ``forces``.

    Conjugate gradients preconditioned by ``inverse``, until the strain energy of a step is below
    ``ENERGY_TOLERANCE`` of the total.
    """
    residual = load - forces(u)
    step, before = np.zeros_like(u), np.ones(u.shape[1])
    best, least = u, np.full(u.shape[1], np.inf)
    for _ in range(MAX_STEPS):
        correction = inverse(residual)
        left = np.einsum("ij,ij->j", correction, residual)  # energy of the error
        better = np.abs(left) < least
        best, least = np.where(better, u, best), np.where(better, np.abs(left), least)
        busy = left > ENERGY_TOLERANCE * np.abs(np.einsum("ij,ij->j", u, load))
        if not busy.any():
            break
        step = correction + step * (left / np.where(before > 0, before, np.inf))
        answer = forces(step)
        resisted = np.einsum("ij,ij->j", step, answer)
        far = np.where(busy & (resisted > 0), left / np.where(resisted > 0, resisted, 1.0), 0.0)
        u, residual, before = u + far * step, residual - far * answer, left
    return best
