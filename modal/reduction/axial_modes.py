"""Koppens' method of stiffening beams: the axial force of axial modes in the strain energy (1989, 5.5.1, C.21-C.23).

The axial displacement is part of the basis; the transverse displacement enters the axial strain, ``u' + v'^2 / 2``.
With axial modes A of unit strain energy, ``A' K A = I``, every alpha contains ``s = A' K alpha`` of them, and the
strain energy is::

    U = alpha' K alpha / 2 + s . h + h . h / 2,      h_A = alpha' T_A alpha / 2,      T_A = Phi' K_G[N_A] Phi

K_G[N_A] is the geometric stiffness for the axial forces of A, Koppens' (C.23) for each element. The second term is
his (C.21). Alone it is not bounded below: a beam bent further than its radius of gyration collapses. The third term
completes it to the square ``(s + h)^2 / 2``; it is the rest of the membrane energy that these modes can carry. At rest
``s = -h``: the length of a bent beam is unchanged, and its ends approach each other.

There are no further terms, neither for interfaces nor for inertia: the displacement is the linear combination of the
base functions, and the mass matrix that of linear theory. The method therefore works under every rigid-body condition.
Its accuracy depends on the axial modes, which must carry the axial forces that occur. Their fast axial vibrations are
part of the motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy

import fem
from fem.common.errors import InputError

from ..body.axial_energy import AxialEnergy
from ..body.inertia import FloatArray
from .stiffening import TERM_TOLERANCE, contracted
from .stiffening_method import BaseFunctions, StiffeningMethod

#: the axial share of a shape's strain energy must be this close to 0 or 1: others mix stretching and bending
ENERGY_SHARE_TOLERANCE = 1e-6
#: largest distance of a node from the line, relative to its length
STRAIGHTNESS_TOLERANCE = 1e-9


@dataclass(frozen=True)
class AxialModes(StiffeningMethod):
    """Stiffening of straight beams by the axial modes of the basis, in place of the second-order terms.

    To be passed as ``modal.reduce(..., stiffening=modal.AxialModes())``; Koppens 5.5.1,
    :mod:`modal.reduction.axial_modes`.

    Notes
    -----
    The basis must contain the axial forces that occur: the constraint modes of Craig and Bampton contain a uniform
    force, ``inertia_modes`` those of rotation. A blade held at its root needs ``modal.combine(craig_bampton,
    inertia_modes(structure), inertia_modes(structure, supports="root"))``; with fewer shapes the error is up to 5 %,
    without a warning.

    Examples
    --------
    >>> import numpy as np, modal
    >>> stretch = np.polynomial.Polynomial([0.0, 1.0])
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, EA=6e6, y=modal.assumed.quintic(), x=[stretch],
    ...                           stiffening=modal.AxialModes())
    >>> beam.axial.n
    1
    """

    has_stress_modes: ClassVar[bool] = False

    def terms(self, body: BaseFunctions) -> dict[str, Any]:
        """Return the markers and the axial energy."""
        points = body.structure.cloud.points
        turned = turned_with(body.structure, body.Phi, points, body.field.Phi[: len(points)])
        energy = axial_energy(body.structure, turned, np.diag(body.squares), body.name)
        return {"markers": body.field.markers, "axial": energy}


def axial_shapes(K: FloatArray, K_axial: FloatArray, name: str) -> FloatArray:
    """Return A (N, n), the combinations whose strain energy is axial, with A' K A = I.

    ``K`` (N, N) in J of the whole strain energy, ``K_axial`` (N, N) in J of its axial part. InputError if there are
    none, or if a shape mixes both.
    """
    share, V = scipy.linalg.eigh(K_axial, K)
    mixed = (share > ENERGY_SHARE_TOLERANCE) & (share < 1 - ENERGY_SHARE_TOLERANCE)
    if mixed.any():
        raise InputError(
            f"body '{name}': {int(mixed.sum())} of its base functions bend and stretch at once "
            f"({100 * share[mixed][0]:.3g} % of the strain energy is axial), so that axial modes can't be separated; "
            "use stiffening=True"
        )
    if not (share > 0.5).any():
        raise InputError(
            f"body '{name}' has no axial mode in its basis, so nothing carries an axial force; add "
            "modal.inertia_modes or modal.craig_bampton of both ends (modal.combine), or use stiffening=True"
        )
    return V[:, share > 0.5]


def axial_energy(structure: fem.Structure, Phi: FloatArray, K: FloatArray, name: str) -> AxialEnergy:
    """Return the axial energy of base functions Phi (unknowns, N) with Phi' K Phi = ``K`` (N, N).

    Phi meets the body's own rigid-body condition, since slopes count from its frame. InputError, with the reason, for
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
    """Return Phi (unknowns, N) with the rotations of ``shaped`` (m, 3, N), displacements of points of a line.

    ``shaped`` differs from Phi at these points by the rotations that a rigid-body condition has added.
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
    return np.where(np.abs(value) > TERM_TOLERANCE * np.abs(value).max(), value, 0.0)


def _line(structure: fem.Structure, name: str) -> FloatArray:
    """Return the direction (3,) of the line on which the structure's beams lie; InputError if there is none."""
    where = f"body '{name}': AxialModes stiffen straight beams only (Koppens C.21-C.23); "
    mend = "; use stiffening=True, which works for every mesh"
    others = [group.kind for group in structure.groups if not group.property.bends]
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
    if off.max() > STRAIGHTNESS_TOLERANCE * length:
        raise InputError(
            f"{where}node {int(off.argmax())} lies {off.max():.3g} m off their line of {length:.3g} m{mend}"
        )
    return np.asarray(axis, dtype=np.float64)
