"""Energies over time and how well they balance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies (nt,) in J: kinetic, strain (bodies and springs), potential (gravity), and the work done since t = 0
    by dampers (dissipated) and by drives, loads and actuators (input)."""

    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    resolution: float = 0.0  # J, round-off of these energies: a smaller residual counts as none

    @property
    def total(self) -> np.ndarray:
        """Mechanical energy: kinetic + strain + potential, (nt,), J."""
        return self.kinetic + self.strain + self.potential

    @property
    def residual(self) -> np.ndarray:
        """What the integrator has added: total - total(0) + dissipated - input, (nt,), J."""
        return self.total - self.total[0] + self.dissipated - self.input

    @property
    def balance_error(self) -> float:
        """Largest residual relative to the largest kinetic + strain energy of the run.

        It includes what the integrator itself dissipates. A residual that is round-off (of the largest energy, or
        of the weight times the size of a machine at rest) counts as none.
        """
        residual = float(np.max(np.abs(self.residual), initial=0.0))
        parts = (self.kinetic, self.strain, self.potential, self.dissipated, self.input)
        largest = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
        if residual <= max(1e-14 * largest, self.resolution):
            return 0.0
        return residual / float(np.max(np.abs(self.kinetic + self.strain)))
