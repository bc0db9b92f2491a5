"""Section forces of beams, and the stresses that they cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from ...properties.section import Section
from ..line import FloatArray


@dataclass(frozen=True, eq=False)
class BeamStress:
    """Section forces and extreme stresses at both ends of beams (second index: start, end).

    ``forces`` (ne, 2, 6): N, Vy, Vz (N), T about the shear centre, My, Mz (N m), in local axes: the load of the part
    towards the beam's end on the part towards its start; N > 0 is tension. Stresses in Pa, (ne, 2): ``axial`` N/A;
    ``bending`` the largest stress by moments; ``largest``, ``smallest`` normal stress on the section; ``shear`` the
    sum of the largest stresses by torsion and by shear forces (they may act at different points); ``von_mises`` =
    sqrt(max |normal|^2 + 3 shear^2), an upper bound of the true one without stress concentrations. Stresses that need
    constants which the section lacks (see Section) are nan.
    """

    forces: FloatArray
    axial: FloatArray
    bending: FloatArray
    largest: FloatArray
    smallest: FloatArray
    shear: FloatArray
    von_mises: FloatArray


def section_forces(f: FloatArray) -> FloatArray:
    """Return (ne, 2, 6) from end forces f (ne, 12), the load of the nodes on the beam."""
    return np.stack([-f[:, :6], f[:, 6:]], axis=1)


def stresses(section: Section, forces: FloatArray) -> BeamStress:
    """Return the stresses of section forces (ne, 2, 6), which are given in the section's own axes."""
    c, s = np.cos(section.angle), np.sin(section.angle)
    turned = forces @ np.kron(np.eye(2), np.array([[1, 0, 0], [0, c, s], [0, -s, c]]))
    section = section.principal
    N, Vy, Vz, T, My, Mz = np.moveaxis(forces, 2, 0)
    axial = N / section.A
    slope_z, slope_y = My / section.Iy, -Mz / section.Iz  # normal stress = axial + slope_z z + slope_y y
    if section.radius is not None:
        high = section.radius * np.hypot(slope_z, slope_y)
        low = -high
    elif section.points:
        y, z = np.array(section.points).T
        each = slope_z[..., None] * z + slope_y[..., None] * y
        high, low = each.max(axis=2), each.min(axis=2)
    else:
        high = low = np.full(N.shape, np.nan)
    shear = np.abs(T) / section.torsion_modulus if section.torsion_modulus else np.where(T == 0, 0.0, np.nan)
    peak = section.shear_peak or (np.nan, np.nan)
    for V, most in zip((Vy, Vz), peak, strict=True):
        shear = shear + np.where(V == 0, 0.0, most * np.abs(V) / section.A)
    largest, smallest = axial + high, axial + low
    normal = np.maximum(np.abs(largest), np.abs(smallest))
    von_mises = np.sqrt(normal**2 + 3 * shear**2)
    return BeamStress(
        forces=turned,
        axial=axial,
        bending=np.maximum(np.abs(high), np.abs(low)),
        largest=largest,
        smallest=smallest,
        shear=shear,
        von_mises=von_mises,
    )


def joined(parts: Sequence[BeamStress]) -> BeamStress:
    """Return the stresses of several batches of beams as those of all."""
    names = [field.name for field in fields(BeamStress)]
    return BeamStress(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def slopes(section: Section, forces: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slopes of the normal stress along z and along y, in Pa/m, by section forces (..., 6).

    The forces are given in the section's own axes, y and z are its principal axes.
    """
    c, s = np.cos(section.angle), np.sin(section.angle)
    My, Mz = forces[..., 4], forces[..., 5]
    main = section.principal
    return (c * My + s * Mz) / main.Iy, -(c * Mz - s * My) / main.Iz


def line_stress(
    section: Section, stress: BeamStress, xi: FloatArray, yz: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return normal and shear stress (ne, q) in Pa at points xi (q,), 0 to 1 along the beams, and yz (q, 2) in m.

    The normal stress is that of axial force and moments there, nan for a section without points; the shear stress is
    the largest of the section. Both are linear between the ends.
    """

    def along(ends: FloatArray) -> FloatArray:
        """Return values (ne, q) between those at the ends (ne, 2)."""
        return ends[:, :1] * (1 - xi) + ends[:, 1:] * xi

    slope_z, slope_y = slopes(section, stress.forces)
    y, z = yz.T
    normal = along(stress.axial) + along(slope_z) * z + along(slope_y) * y
    if not (section.points or section.radius):
        normal = np.full_like(normal, np.nan)
    return normal, along(stress.shear)
