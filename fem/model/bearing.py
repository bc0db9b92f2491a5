"""The load of a pin in its hole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from ..common.arguments import check_arguments
from ..common.errors import ConvergenceError, InputError
from ..common.numbers import numbers
from ..mesh.surface import face_normals
from .load_stiffness import turned_with_set
from .loads import Load
from .parts import frame_of
from .structure import Structure

#: steps at most to find the loaded half
MAX_STEPS = 60


@check_arguments
@dataclass(frozen=True)
class Bearing(Load):
    """The force of a pin on a bore, as a cosine pressure on one half of it.

    Parameters
    ----------
    on : str
        Node set of the bore.
    force : (3,), N
        Force in global components.

    Raises
    ------
    InputError
        The set has no faces, or the force has a component along the bore's axis, which a pin can't exert.

    Notes
    -----
    The pressure is p0 times the cosine of the angle from the force's line, p0 = 2 F / (pi R w) for a bore of radius R
    and width w, and zero on the other half. The resultant is the given force even where the edge of the loaded half
    crosses elements.

    Examples
    --------
    >>> import fem
    >>> load = fem.Bearing("big_end", (0.0, 0.0, 1000.0))
    """

    on: str
    force: Sequence[float]

    def on_motions(self, structure: Structure) -> np.ndarray:
        """Return -int N_i n p dA with p = max(0, -n.g), where g is such that the resultant is the force."""
        force = numbers(self.force, (3,), f"the force on {self.on!r}")
        if not force.any():
            raise InputError(f"the force on {self.on!r} must be three finite numbers, one of them not zero")
        faces = [self._points(structure, block) for block in structure.mesh.faces_of(self.on)]
        if not faces:
            raise InputError(
                f"the node set {self.on!r} of mesh {structure.mesh.name!r} contains no whole face of a solid; a pin "
                "presses on the faces of a bore"
            )
        normal = np.concatenate([n.reshape(-1, 3) for n, *_ in faces])
        weight = np.concatenate([w.ravel() for _, w, *_ in faces])
        g = self._gradient(normal, weight, force)
        total = np.zeros(structure.freedoms.n_motions)
        for n, w, N, dofs in faces:
            pressure = np.maximum(0.0, -n @ g)
            at_nodes = -np.einsum("fqa,fq,fq,qi->fia", n, pressure, w, N)
            np.add.at(total, dofs, at_nodes.reshape(len(dofs), -1))
        return total

    def stiffness(self, structure: Structure) -> scipy.sparse.csr_array:
        """Return the change (motions, motions) of forces that turn with the mean rotation of the bore."""
        frame = frame_of(structure.mesh, structure.freedoms, self.on, "a pin that follows", True)
        return turned_with_set(structure, self.on_motions(structure), frame)

    @staticmethod
    def _points(structure: Structure, block) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return unit normals (f, q, 3), areas (f, q) and shape functions (q, nn) at points of faces, and motions."""
        normal, weights, N = face_normals(structure.mesh.points, block)
        size = np.linalg.norm(normal, axis=2)
        dofs = structure.freedoms.of_elements(block.nodes, 3)
        return normal / size[:, :, None], size * weights, N, dofs

    def _gradient(self, normal: np.ndarray, weight: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return g with sum of w n (n.g) over the points that are pressed, n.g < 0, equal to the force."""
        g = force
        for _ in range(MAX_STEPS):
            pressed = normal @ g < 0
            n, w = normal[pressed], weight[pressed]
            A = n.T @ (w[:, None] * n)
            new = np.linalg.pinv(A, rcond=1e-6, hermitian=True) @ force
            if np.linalg.norm(A @ new - force) > 1e-6 * np.linalg.norm(force):
                raise InputError(
                    f"the pin in {self.on!r} can't exert the force {force.tolist()} N: it has a component "
                    "along the bore"
                )
            if np.array_equal(normal @ new < 0, pressed):
                return new
            g = new
        raise ConvergenceError(
            f"the half of {self.on!r} that the force {force.tolist()} N presses on was not found in {MAX_STEPS} steps"
        )
