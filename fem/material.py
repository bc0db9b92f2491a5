"""Material laws."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .common.errors import InputError


@dataclass(frozen=True)
class Isotropic:
    """Linear elastic isotropic material, SI units.

    ``E`` Young's modulus in Pa, ``nu`` Poisson's ratio, ``rho`` density in kg/m^3. Values that no material
    can have raise :class:`InputError`, all of them at once.
    """

    E: float
    nu: float
    rho: float

    def __post_init__(self) -> None:
        """Check the three numbers."""
        wrong = []
        if not (math.isfinite(self.E) and self.E > 0):
            wrong.append(f"Young's modulus E = {self.E:g} Pa must be positive")
        if not (-1 < self.nu < 0.5):
            wrong.append(f"Poisson's ratio nu = {self.nu:g} must lie between -1 and 0.5, both excluded")
        if not (math.isfinite(self.rho) and self.rho > 0):
            wrong.append(f"density rho = {self.rho:g} kg/m^3 must be positive")
        if wrong:
            raise InputError("this material can't exist: " + "; ".join(wrong))

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's constants (lambda, mu) in Pa."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu)), self.E / (2 * (1 + self.nu))
