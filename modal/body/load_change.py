"""How a distributed load changes with the deformation of a body that it follows."""

from __future__ import annotations

from typing import NamedTuple

from .inertia import FloatArray


class LoadChange(NamedTuple):
    """What a following load of factor one gains for unit modal coordinates, in the base of the body.

    ``force`` (3, N) in N and ``moment`` (3, N) in N m about the origin; ``modal`` (N, N), its generalized forces.
    """

    force: FloatArray
    moment: FloatArray
    modal: FloatArray

    def turned(self, R: FloatArray) -> LoadChange:
        """Return the change for the body rotated by R (3, 3)."""
        return LoadChange(R @ self.force, R @ self.moment, self.modal)
