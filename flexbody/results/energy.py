"""Energies over time and how well they balance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model.bodies import Body
from .record import Record, computed_once


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


def energy(record: Record) -> Energy:
    """Return the energies of a system over time."""
    L = record.plan.layout
    weight = float(L.body_mass.sum() * np.linalg.norm(L.gravity))
    kinetic, strain, potential, dissipated, given = record.energies.T
    resolution = 1e-14 * weight * float(L.length)
    return Energy(kinetic, strain, potential, dissipated, given, resolution)


@dataclass(frozen=True, eq=False)
class BodyEnergy:
    """Energies of one body over time, (nt,), J: kinetic, strain and potential (gravity)."""

    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray


def body_energy(record: Record, body: Body | str) -> BodyEnergy:
    """Return the energies of one body."""
    return BodyEnergy(*body_energies(record)[:, record.index(body)].T)


@computed_once
def body_energies(record: Record) -> np.ndarray:
    """Return kinetic, strain and gravity energy of every body, (nt, nb, 3), J."""
    plan, L = record.plan, record.plan.layout
    out = np.empty((len(record.t), len(L.body_mass), 3))
    plan.formulation.observe_bodies(L, plan.work(), record.c, record.q, record.all_alpha, record.v, out)
    return out
