"""What every property answers: how elements of a kind resist deformation, carry mass and are stressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Mass points that ride on elements: all of an element's inertia follows from them.

    ``points`` (ne, q, 3) in m; ``weights`` (ne, q) in kg; ``shape`` (ne, q, 3, nd): the displacement of a point
    is ``shape @ u_e``. The consistent mass is ``sum_q weights_q shape_q' shape_q``, and C1..C8 of any base
    function are sums over the same points.
    """

    points: FloatArray
    weights: FloatArray
    shape: FloatArray


class Property(Protocol):
    """What a set of elements is made of: a material with all that its shape leaves open.

    ``kinds`` lists the elements that it can be given to; ``freedoms`` is 3 (displacements of each node) or 6 (and
    rotations). Arrays: X (ne, nn, 3) node coordinates in m, u (ne, nd) element displacements with nd = nn *
    freedoms, node by node, global axes.
    """

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of the elements that it can be given to."""

    @property
    def freedoms(self) -> int:
        """Degrees of freedom per node."""

    @property
    def material(self) -> Any:
        """The material, which has ``rho`` in kg/m^3."""

    def check(self, kind: str, X: FloatArray) -> None:
        """Raise :class:`fem.InputError` where it can't be used on these elements."""

    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K_e (ne, nd, nd)."""

    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the mass."""

    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) for the stresses of the linear displacements u; K + K_G is the tangent."""

    def strain(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return the strains of the displacements u."""

    def stress(self, kind: str, X: FloatArray, u: FloatArray) -> Any:
        """Return the stresses, or the section forces, of the displacements u."""
