"""The interface of all properties: stiffness, mass and stress of elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Mass points attached to elements, from which all of their inertia follows.

    ``points`` (ne, q, 3) in m; ``weights`` (ne, q) in kg; ``shape`` (ne, q, 3, nd): the displacement of a point
    is ``shape @ u_e``. The consistent mass is ``sum_q weights_q shape_q' shape_q``, and C1..C8 of any base
    function are sums over the same points.
    """

    points: FloatArray
    weights: FloatArray
    shape: FloatArray


class Property(Protocol):
    """The property of a set of elements: a material with section, thickness or formulation.

    ``kinds`` lists the elements that can have it. ``freedoms`` is the number of degrees of freedom per node: 3
    (displacements) or 6 (displacements and rotations). Arrays: X (ne, nn, 3) node coordinates in m, u (ne, nd)
    element displacements with nd = nn * freedoms, node by node, global axes.
    """

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the elements that can have this property."""

    @property
    def freedoms(self) -> int:
        """Degrees of freedom per node."""

    @property
    def material(self) -> Any:
        """The material, which has ``rho`` in kg/m^3."""

    def check(self, kind: str, X: FloatArray) -> None:
        """Raise :class:`fem.InputError` for elements that can't have this property."""

    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K_e (ne, nd, nd)."""

    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the mass as points."""

    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) for the stresses of the linear displacements u; K + K_G is the tangent."""

    def strain(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return the strains of the displacements u."""

    def stress(self, kind: str, X: FloatArray, u: FloatArray) -> Any:
        """Return the stresses, or the section forces, of the displacements u."""
