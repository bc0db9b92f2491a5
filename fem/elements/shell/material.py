"""The stiffness of a shell's section: plane stress and transverse shear of its layers in the elements' axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...properties.material import own_stiffness
from .geometry import Array

SHEAR_FACTOR = 5 / 6  # Reissner 1945, parabolic shear over the thickness


class Ply(NamedTuple):
    """A layer between the heights ``low`` and ``high`` (m) above the middle surface.

    In the axes of the section, Pa: ``C`` (3, 3) plane stress, ``G`` (2, 2) transverse shear 13, 23; ``thinning`` (3,)
    eps_33 from eps_11, eps_22, gamma_12; ``turn`` (3, 3) strains in the axes of its own material. ``bending`` (3, 3):
    plane stress of the strains of bending, where it is of another material than ``C``.
    """

    low: float
    high: float
    C: Array
    G: Array
    thinning: Array
    turn: Array
    bending: Array | None = None


class Layup(NamedTuple):
    """A section in its own axes: its layers from bottom to top, and their stiffness.

    ``plane`` (6, 6): membrane forces and moments N, M from membrane strains and curvatures, [[A, B], [B, D]] in N/m, N
    and Nm; ``S`` (2, 2) transverse shear, N/m; ``thickness`` in m.
    """

    plies: tuple[Ply, ...]
    plane: Array
    S: Array
    thickness: float


class Laws(NamedTuple):
    """Stiffnesses of a section in the elements' axes.

    ``plane`` (ne, 6, 6): [[A, B], [B, D]] in N/m, N and Nm; ``S`` (ne, 2, 2) transverse shear, N/m; ``R`` (ne, 3, 3)
    strains in the axes of the layup; ``scale`` (ne,) thickness over that of the layup.
    """

    plane: Array
    S: Array
    R: Array
    layup: Layup
    scale: Array

    @property
    def A(self) -> Array:
        """Membrane stiffness (ne, 3, 3), N/m."""
        return self.plane[:, :3, :3]

    @property
    def B(self) -> Array:
        """Stiffness (ne, 3, 3) that couples membrane and bending, N."""
        return self.plane[:, :3, 3:]

    @property
    def D(self) -> Array:
        """Bending stiffness (ne, 3, 3), Nm."""
        return self.plane[:, 3:, 3:]

    @property
    def thickness(self) -> Array:
        """Thickness (ne,) in m."""
        return self.scale * self.layup.thickness

    @property
    def coupled(self) -> bool:
        """Whether membrane forces bend the section."""
        return bool(self.layup.plane[:3, 3:].any())


def plane_stress(material: Any) -> tuple[Array, Array, Array]:
    """Return (C (3, 3), shear (2, 2) 13 23, thinning (3,)) in the material's own axes, Pa, for sigma_33 = 0."""
    full = own_stiffness(material)
    across = full[[0, 1, 5], 2]
    C = full[np.ix_([0, 1, 5], [0, 1, 5])] - np.outer(across, across) / full[2, 2]
    return C, full[np.ix_([4, 3], [4, 3])], -across / full[2, 2]


def first_axis(material: Any) -> Array | None:
    """Return the unit vector (3,) whose projection on a shell is the material's axis 1; None if isotropic."""
    return np.array(material.axes[0]) if hasattr(material, "axes") else None


def strain_turn(P: Array) -> Array:
    """Return the matrices (..., 3, 3) of strains 11, 22, gamma12 to eps'_ab = P_ac P_bd eps_cd, P (..., 2, 2)."""
    (a, b), (c, d) = ((P[..., i, 0], P[..., i, 1]) for i in (0, 1))
    rows = [[a * a, b * b, a * b], [c * c, d * d, c * d], [2 * a * c, 2 * b * d, a * d + b * c]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def layup(layers: Sequence[tuple[Any, float, float]]) -> Layup:
    """Return the section of layers (material, thickness in m, angle in rad to the section's axis 1), bottom first."""
    thickness = float(sum(h for _, h, _ in layers))
    low, plies = -thickness / 2, []
    for material, h, angle in layers:
        C, G, thinning = plane_stress(material)
        c, s = np.cos(angle), np.sin(angle)
        r = np.array([[c, s], [-s, c]])
        R = strain_turn(r)
        plies.append(Ply(low, low + h, R.T @ C @ R, r.T @ G @ r, thinning @ R, R))
        low += h
    plane = np.zeros((6, 6))
    if len(plies) == 1:
        C = plies[0].C
        plane[:3, :3], plane[3:, 3:] = thickness * C, thickness**3 / 12 * C
        return Layup(tuple(plies), plane, SHEAR_FACTOR * thickness * plies[0].G, thickness)
    for ply in plies:
        moments = [(ply.high**k - ply.low**k) / k for k in (1, 2, 3)]
        plane += np.kron([moments[:2], moments[1:]], ply.C)
    # what cancels in symmetric layups shall not couple by rounding
    coupling = plane[:3, 3:]
    coupling[np.abs(coupling) < 1e-13 * thickness * np.abs(plane[:3, :3]).max()] = 0.0
    plane[3:, :3] = coupling.T
    return Layup(tuple(plies), plane, _shear(plies, plane), thickness)


def _shear(plies: Sequence[Ply], plane: Array) -> Array:
    """Return the transverse shear stiffness S (2, 2), N/m, by the energy of the shear stresses.

    These follow from equilibrium over the thickness where the moments M_11 along axis 1 and M_22 along axis 2 change
    by the shears 13 and 23 and no others do (Rohwer, Composite Structures 10 (1988) 233-249): with strains
    [e; k] = plane^-1 [0; M], tau(z) = - int C (e' + z k') dz, and Q' S^-1 Q = int tau' G^-1 tau dz.
    """
    per_moment = np.linalg.inv(plane)[:, 3:]
    slope, place = per_moment[:3], per_moment[3:]
    below, energy = np.zeros((2, 2)), np.zeros((2, 2))
    x, w = np.polynomial.legendre.leggauss(3)  # tau^2 has degree four over a layer

    def work(ply: Ply, z: float) -> Array:
        """Return int C (e' + z k') from the bottom of a layer, as 13 and 23 (2, 2) from the two shears."""
        stress = ply.C @ ((z - ply.low) * slope + (z**2 - ply.low**2) / 2 * place)
        return np.array([[stress[0, 0], stress[2, 1]], [stress[2, 0], stress[1, 1]]])

    for ply in plies:
        half = (ply.high - ply.low) / 2
        for xi, weight in zip(x, w, strict=True):
            tau = below + work(ply, ply.low + half * (1 + xi))
            energy += half * weight * tau.T @ np.linalg.solve(ply.G, tau)
        below = below + work(ply, ply.high)
    S = np.linalg.inv(energy)
    return (S + S.T) / 2


def laws(section: Layup, along: Array | None, scale: Array) -> Laws:
    """Return the section's stiffnesses in the axes of ``ne`` elements.

    ``along`` (ne, 2): components in these axes of the direction whose projection is the section's axis 1; None leaves
    the section as it is. ``scale`` (ne,): thickness of each element over that of the section.
    """
    ne = len(scale)
    plane, S = (np.broadcast_to(a, (ne, *a.shape)) for a in (section.plane, section.S))
    if (scale != 1.0).any():
        powers = np.kron([[1, 2], [2, 3]], np.ones((3, 3)))
        plane, S = plane * scale[:, None, None] ** powers, S * scale[:, None, None]
    if along is None:
        return Laws(plane, S, np.broadcast_to(np.eye(3), (ne, 3, 3)), section, scale)
    c, s = (along / np.linalg.norm(along, axis=1, keepdims=True)).T
    r = np.moveaxis(np.array([[c, s], [-s, c]]), -1, 0)
    R = strain_turn(r)
    both = np.zeros((ne, 6, 6))
    both[:, :3, :3] = both[:, 3:, 3:] = R
    return Laws(np.swapaxes(both, 1, 2) @ plane @ both, np.swapaxes(r, 1, 2) @ S @ r, R, section, scale)


def plate(
    membrane: Any, bending: Any, shear: Any, thickness: float, bending_factor: float, shear_factor: float
) -> Layup:
    """Return a section whose membrane, bending and transverse shear may be of different materials (axes of one).

    Bending is ``bending_factor`` times that of a solid section, transverse shear ``shear_factor`` G h.
    """
    C, _, thinning = plane_stress(membrane)
    Cb, G = plane_stress(bending)[0], plane_stress(shear)[1]
    plane = np.zeros((6, 6))
    plane[:3, :3], plane[3:, 3:] = thickness * C, bending_factor * thickness**3 / 12 * Cb
    ply = Ply(-thickness / 2, thickness / 2, C, G, thinning, np.eye(3), Cb)
    return Layup((ply,), plane, shear_factor * thickness * G, thickness)
