"""Koppens' own way of stiffening beams: the axial force of axial modes in the strain energy (1989, 5.5.1, C.21-C.23).

The axial displacement is part of the basis; the transverse displacement enters the axial strain, ``u' + v'^2 / 2``.
With axial modes A of unit strain energy, ``A' K A = I``, every alpha holds ``s = A' K alpha`` of them, and the strain
energy is::

    U = alpha' K alpha / 2 + s . h + h . h / 2,      h_A = alpha' T_A alpha / 2,      T_A = Phi' K_G[N_A] Phi

K_G[N_A] is the geometric stiffness for the axial forces of A, Koppens' (C.23) for each element. The second term is
his (C.21). Alone it is not bounded below: a beam bent further than its radius of gyration collapses. The third, its
completion to the square ``(s + h)^2 / 2``, is the rest of the membrane energy that these modes can carry. At rest ``s =
-h``: a bent beam is as long as before, its ends come nearer.

Nothing else changes: no term of interfaces, none of inertia. The displacement is the linear combination of the base
functions, the mass matrix that of linear theory, hence this way works under every rigid-body condition. It is as good
as the axial modes: they have to carry the axial forces that occur. Axial vibrations, fast ones, are in the motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

import fem
from fem.common.errors import InputError
from fem.elements.beam.beam import Beam

from ..body.axial_energy import AxialEnergy
from ..body.inertia import FloatArray
from .stiffening import NEGLIGIBLE, contracted

#: share of a shape's strain energy that must be axial, or may be: modes in between mix stretch and bending
PURE = 1e-6
#: nodes may lie this far beside the line, relative to its length
STRAIGHT = 1e-9


@dataclass(frozen=True)
class AxialModes:
    """Stiffening by the axial modes of the basis: for straight beams, in place of the terms of second order.

    The basis must hold the axial forces that occur, see :mod:`modal.reduction.axial_modes`: Craig-Bampton's
    constraint modes hold a uniform one, ``inertia_modes`` those of rotation. A blade held at its root needs
    ``modal.combine(craig_bampton, inertia_modes(structure), inertia_modes(structure, supports="root"))``: with less
    it is up to 5 % off, silently. To be given to ``modal.reduce(..., stiffening=modal.AxialModes())``.
    """


def axial_shapes(K: FloatArray, K_axial: FloatArray, name: str) -> FloatArray:
    """Return A (N,n), the combinations whose strain energy is axial, with A' K A = I.

    ``K`` (N,N) J of the whole strain energy, ``K_axial`` (N,N) J of its axial part. InputError if there are none, or
    if a shape mixes both.
    """
    share, V = scipy.linalg.eigh(K_axial, K)
    mixed = (share > PURE) & (share < 1 - PURE)
    if mixed.any():
        raise InputError(
            f"body '{name}': {int(mixed.sum())} of its base functions bend and stretch at once "
            f"({100 * share[mixed][0]:.3g} % of the strain energy is axial), so that axial modes can't be told apart; "
            "leave stiffening=True"
        )
    if not (share > 0.5).any():
        raise InputError(
            f"body '{name}' has no axial mode in its basis, so nothing carries an axial force; add "
            "modal.inertia_modes or modal.craig_bampton of both ends (modal.combine), or leave stiffening=True"
        )
    return V[:, share > 0.5]


def axial_energy(structure: fem.Structure, Phi: FloatArray, K: FloatArray, name: str) -> AxialEnergy:
    """Return the axial energy of base functions Phi (unknowns,N) with Phi' K Phi = ``K`` (N,N).

    Phi under the body's own rigid-body condition: slopes count from its frame. InputError, with the reason, for
    anything but beams along one straight line.
    """
    axis = _line(structure, name)
    u = structure.displacements(Phi)
    along = np.zeros((structure.mesh.n_nodes, 6, Phi.shape[1]))
    along[:, :3] = np.einsum("a,b,nbi->nai", axis, axis, u)
    along = along.reshape(-1, Phi.shape[1])
    A = axial_shapes(K, along.T @ (structure.K @ along), name)
    return AxialEnergy(_clean(A.T @ K), _clean(contracted(structure, Phi @ A, Phi)))


def turned_with(
    structure: fem.Structure, Phi: FloatArray, points: FloatArray, shaped: FloatArray
) -> FloatArray:
    """Return Phi (unknowns,N) turned as it is in ``shaped`` (m,3,N), the displacements of points (m,3) of a line.

    The rotations that a rigid-body condition has added are what ``shaped`` differs by from Phi at these points.
    """
    apart = shaped - structure.cloud.displacements(Phi)
    centred = points - points.mean(axis=0)
    lever = (
        np.cross(np.eye(3)[None], centred[:, None]).transpose(0, 2, 1).reshape(-1, 3)
    )  # theta -> theta x x
    apart = (apart - apart.mean(axis=0)).reshape(len(lever), -1)
    turn = np.linalg.lstsq(lever, apart, rcond=1e-12)[0]
    return Phi + structure.rigid_modes()[:, 3:] @ turn


def _clean(value: FloatArray) -> FloatArray:
    return np.where(np.abs(value) > NEGLIGIBLE * np.abs(value).max(), value, 0.0)


def _line(structure: fem.Structure, name: str) -> FloatArray:
    """Return the direction (3,) of the line on which the structure's beams lie; InputError if there is none."""
    where = f"body '{name}': AxialModes stiffen straight beams only (Koppens C.21-C.23); "
    mend = "; leave stiffening=True, which holds for every mesh"
    others = [group.kind for group in structure.groups if not isinstance(group.property, Beam)]
    if others or not structure.groups:
        raise InputError(
            f"{where}this structure has {', '.join(dict.fromkeys(others)) or 'no elements'}{mend}"
        )
    if structure.parts:
        raise InputError(
            f"{where}this structure has {', '.join(type(p).__name__ for p in structure.parts)}{mend}"
        )
    points = structure.mesh.points
    centre = points.mean(axis=0)
    axis = np.linalg.svd(points - centre)[2][0]
    off = np.linalg.norm((points - centre) - np.outer((points - centre) @ axis, axis), axis=1)
    length = float(np.ptp(points @ axis))
    if off.max() > STRAIGHT * length:
        raise InputError(
            f"{where}node {int(off.argmax())} lies {off.max():.3g} m beside their line of {length:.3g} m{mend}"
        )
    return np.asarray(axis, dtype=np.float64)
