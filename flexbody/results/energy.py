"""Energies over time and their balance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.known_attributes import KnownAttributes

from ..model.sides import Body
from .record import Record, computed_once

#: energies below this (J) are those of speeds whose squares may underflow
UNDERFLOWN = float(np.sqrt(np.finfo(float).tiny))

#: a machine that moves by less than this part of its size in a run is at rest
AT_REST = 1e-12

#: energies below so many times the round-off, 1e-8 of weight times size, are no measure for a residual
MEASURABLE = 1e6


@dataclass(frozen=True, eq=False)
class Energy(KnownAttributes):
    """Energies of a machine over time, (nt,), J, and their balance.

    Attributes
    ----------
    kinetic : numpy.ndarray
        Kinetic energy.
    strain : numpy.ndarray
        Strain energy of bodies and springs.
    potential : numpy.ndarray
        Potential energy in gravity.
    dissipated : numpy.ndarray
        Work that dampers and friction have dissipated since t = 0.
    input : numpy.ndarray
        Work that drives, loads and actuators have done since t = 0.
    resolution : float
        Round-off of these energies, J; a smaller residual counts as zero.
    """

    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    resolution: float = 0.0  # J, round-off of these energies: a smaller residual counts as zero

    def __repr__(self) -> str:
        parts = ("kinetic", "strain", "potential", "dissipated", "input")
        ranges = (f"  {part:<11}{_range(getattr(self, part))}" for part in parts)
        head = f"<Energy at {len(self.kinetic)} times, balance error {self.balance_error:.3g}"
        return "\n".join([head, *ranges]) + ">"

    @property
    def total(self) -> np.ndarray:
        """Mechanical energy: kinetic + strain + potential, (nt,), J."""
        return self.kinetic + self.strain + self.potential

    @property
    def residual(self) -> np.ndarray:
        """Energy that the integrator has added: the change of total + dissipated - input, (nt,), J."""
        energy = self.total + self.dissipated - self.input
        return energy - energy[0]

    @property
    def balance_error(self) -> float:
        """Largest residual relative to the largest kinetic + strain energy of the run.

        It includes the numerical dissipation of the integrator. A residual within round-off counts as zero: of the
        largest energy, of weight times size, or of the energy by which the machine moves 1e-12 of its size in the run.
        Where hardly anything moves, it is relative to 1e6 times this round-off.
        """
        residual = float(np.max(np.abs(self.residual), initial=0.0))
        parts = (self.kinetic, self.strain, self.potential, self.dissipated, self.input)
        largest = max(float(np.max(np.abs(part), initial=0.0)) for part in parts)
        round_off = max(1e-14 * largest, self.resolution, UNDERFLOWN)
        if residual <= round_off:
            return 0.0
        return residual / max(float(np.max(np.abs(self.kinetic + self.strain))), MEASURABLE * round_off)


def energy(record: Record) -> Energy:
    """Return the energies of a machine over time."""
    L = record.plan.layout
    mass, size, span = float(L.body_mass.sum()), float(L.length), float(record.t[-1] - record.t[0])
    weight = mass * float(np.linalg.norm(L.gravity))
    motion = 0.5 * mass * (AT_REST * size / span) ** 2 if span > 0.0 else 0.0
    kinetic, strain, potential, dissipated, given = record.energies.T
    return Energy(kinetic, strain, potential, dissipated, given, max(1e-14 * weight * size, motion))


@dataclass(frozen=True, eq=False)
class BodyEnergy(KnownAttributes):
    """Energies of one body over time, (nt,), J.

    Attributes
    ----------
    kinetic, strain, potential : numpy.ndarray
        Kinetic energy, strain energy, and potential energy in gravity.
    """

    kinetic: np.ndarray
    strain: np.ndarray
    potential: np.ndarray

    def __repr__(self) -> str:
        ranges = (f"{part} {_range(getattr(self, part))}" for part in ("kinetic", "strain", "potential"))
        return f"<BodyEnergy at {self.kinetic.size} times: {', '.join(ranges)}>"


def _range(energy: np.ndarray) -> str:
    """Return the smallest and largest energy, J, as text."""
    return f"{np.min(energy):.6g} to {np.max(energy):.6g} J"


def body_energy(record: Record, body: Body | str) -> BodyEnergy:
    """Return the energies of one body."""
    return BodyEnergy(*body_energies(record)[:, record.index(body)].T)


@computed_once
def body_energies(record: Record) -> np.ndarray:
    """Return the kinetic, strain and potential energy of all bodies, (nt, nb, 3), J."""
    plan, L = record.plan, record.plan.layout
    out = np.empty((len(record.t), record.plan.n_bodies, 3))
    plan.formulation.observe_bodies(L, plan.work(), record.c, record.q, record.all_alpha, record.v, out)
    return out
