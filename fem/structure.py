"""The finite-element structure: a mesh with its stiffness and mass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array, identity, kron

from .common.errors import InputError
from .material import Isotropic
from .mesh import Mesh


@dataclass(frozen=True, eq=False)
class Structure:
    """Stiffness and mass of a mesh; degree of freedom 3 * node + component, SI units.

    ``K`` (3n, 3n) symmetric in N/m; ``M_scalar`` (n, n) = int rho N_i N_j in kg, so that the mass matrix is
    ``kron(M_scalar, I3)``; ``material`` one for all, or one per element set.
    """

    mesh: Mesh
    material: Isotropic | Mapping[str, Isotropic]
    K: csr_array
    M_scalar: csr_array

    @cached_property
    def M(self) -> csr_array:
        """Mass matrix (3n, 3n) in kg."""
        return csr_array(kron(self.M_scalar, identity(3), format="csr"))

    @cached_property
    def nodal_mass(self) -> np.ndarray:
        """Row sums of ``M_scalar``, (n,) in kg: int rho N_i."""
        return self.M_scalar @ np.ones(self.mesh.n_nodes)

    @cached_property
    def mass(self) -> float:
        """Mass in kg."""
        return float(self.nodal_mass.sum())

    @cached_property
    def center(self) -> np.ndarray:
        """Mass centre (3,) in m, mesh coordinates."""
        return self.nodal_mass @ self.mesh.points / self.mass

    @cached_property
    def inertia(self) -> np.ndarray:
        """Inertia tensor (3, 3) about the mass centre in kg m^2, mesh axes: int rho (|x|^2 I - x x')."""
        x = self.mesh.points - self.center
        second = x.T @ (self.M_scalar @ x)
        return np.trace(second) * np.eye(3) - second

    def rigid_modes(self, about=None) -> np.ndarray:
        """Return the rigid displacements (3n, 6): three translations e_k, three rotations e_k x (x - about).

        ``about`` (3,) in m defaults to the mass centre.
        """
        origin = self.center if about is None else np.asarray(about, dtype=float)
        if origin.shape != (3,):
            raise InputError(f"about= must be a point, three numbers, not {about!r}")
        return rigid_motions(self.mesh.points, origin)


def rigid_motions(points: np.ndarray, about: np.ndarray) -> np.ndarray:
    """Displacements (3m, 6) of ``points`` (m, 3) under unit translations and unit rotations about a point."""
    x = points - about
    R = np.zeros((len(points), 3, 6))
    for k, e in enumerate(np.eye(3)):
        R[:, k, k] = 1.0
        R[:, :, 3 + k] = np.cross(e, x)
    return R.reshape(-1, 6)
