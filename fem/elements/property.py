"""The base class of all properties: stiffness, mass, stress and outside of finite elements."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from inspect import isabstract
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..common.tall_matrices import inner
from ..properties.section import Section
from . import SHAPES
from .outline import Outline, bar

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


class Property(ABC):
    """The property of a set of elements: a material with section, thickness or formulation.

    A subclass gives the matrices and the stresses. All other answers have defaults: those of an element without a
    compiled assembly; on lines, those of a bar that carries axial stress only.

    Arrays: X (ne, nn, 3) node coordinates in m, u (ne, nd) element displacements in m and rad with
    ``nd = nn * freedoms``, node by node, global axes.

    Attributes
    ----------
    kinds : tuple of str
        Names of the elements that can have this property.
    freedoms : int
        Degrees of freedom per node: 3 (displacements) or 6 (displacements and rotations).
    bends : bool
        Whether a line element carries moments: its section forces are then more than an axial force.
    stretches_by_green : bool
        Whether the geometric stiffness follows Green's strain along the stress too, as in solids and shells. If not, a
        stretch is proportional to its force.
    uses_loads : bool
        Whether the stresses depend on loads between the nodes; they are then passed to :meth:`stress`.
    material : Isotropic or Orthotropic
        The material, which has ``rho`` in kg/m^3.
    """

    kinds: ClassVar[tuple[str, ...]]
    freedoms: ClassVar[int]
    bends: ClassVar[bool] = False
    stretches_by_green: ClassVar[bool] = True
    uses_loads: ClassVar[bool] = False
    material: Any

    # ---- matrices ----------------------------------------------------------------------------------

    @abstractmethod
    def check(self, kind: str, X: FloatArray) -> None:
        """Raise :class:`fem.InputError` for elements that can't have this property.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        """

    @abstractmethod
    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K_e (ne, nd, nd) in N/m, N and N m.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        numpy.ndarray
            Stiffness matrices, (ne, nd, nd), in global axes.
        """

    @abstractmethod
    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the mass as points.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        lumped : bool
            Whether the mass of each element is shared out to its nodes.

        Returns
        -------
        Samples
            Points with their masses and shape functions.
        """

    @abstractmethod
    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) for the stresses of the linear displacements u; K + K_G is the tangent.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the elements' nodes, (ne, nd), m and rad.

        Returns
        -------
        numpy.ndarray
            Geometric stiffness matrices, (ne, nd, nd), N/m.
        """

    def geometric_products(self, kind: str, X: FloatArray, u: FloatArray, Phi: FloatArray) -> FloatArray:
        """Return Phi' K_G Phi (n, N, N) in J, summed over the elements, for the stresses of each of n displacements.

        u (ne, nd, n) in m; Phi (ne, nd, N) displacements in m.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements, (ne, nd, n), m and rad.
        Phi : numpy.ndarray
            Base functions at the elements' nodes, (ne, nd, N).

        Returns
        -------
        numpy.ndarray
            Products, (n, N, N), J.
        """
        N = Phi.shape[2]
        total = np.empty((u.shape[2], N, N))
        for k in range(len(total)):
            product = self.geometric(kind, X, u[:, :, k]) @ Phi
            total[k] = inner(Phi.reshape(-1, N), product.reshape(-1, N))
        return total

    def lame(self, kind: str) -> tuple[float, float] | None:
        """Return Lame's constants in Pa if the compiled assembly shall compute the stiffness of these solids.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".

        Returns
        -------
        tuple of float, or None
            The constants lambda and mu, Pa; None if this class computes the stiffness.
        """
        return None

    def without_direction(self) -> Property | None:
        """Return this property with some ``up``, to find those that differ in it alone; None where there is no such.

        Returns
        -------
        Property or None
            The key of properties whose matrices :meth:`along` gives at once.
        """
        return None

    def along(self, up: FloatArray) -> Property:
        """Return this property with directions of its own for each element, for the assembly.

        Parameters
        ----------
        up : numpy.ndarray
            Directions of the elements, (ne, 3).

        Returns
        -------
        Property
            A property for these elements in their order.
        """
        return self

    # ---- strains and stresses ----------------------------------------------------------------------

    @abstractmethod
    def strain(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return the strains of the displacements u.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the elements' nodes, (ne, nd), m and rad.

        Returns
        -------
        numpy.ndarray
            Strains at the nodes, in the order of :meth:`stress`.
        """

    @abstractmethod
    def stress(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None = None) -> Any:
        """Return the stresses of the displacements u at the nodes, in Pa.

        On solids (ne, nn, 6) and on surface elements (ne, nn, 2, 6), bottom and top, in the order xx, yy, zz, yz, xz,
        xy of global axes; on lines the axial stress (ne, nn), or a value of another type that :meth:`joined`,
        :meth:`equivalent`, :meth:`section_forces` and :meth:`line_stress` can read.

        ``load`` (ne, nd): nodal loads in N and N m that stand for loads along each element.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        u : numpy.ndarray
            Displacements of the elements' nodes, (ne, nd), m and rad.
        load : numpy.ndarray, optional
            Nodal loads that stand for loads along the elements, (ne, nd), N and N m.

        Returns
        -------
        numpy.ndarray or another type
            Stresses at the nodes, Pa.
        """

    def joined(self, values: list[Any]) -> Any:
        """Return the stresses of several batches of elements as those of all.

        Parameters
        ----------
        values : list
            Returned values of :meth:`stress`.

        Returns
        -------
        numpy.ndarray or another type
            One value of the same type.
        """
        return np.concatenate(values)

    def equivalent(self, value: Any) -> FloatArray:
        """Return the equivalent stress (ne, k) in Pa of stresses of lines, at their first k nodes.

        Parameters
        ----------
        value : numpy.ndarray or another type
            A returned value of :meth:`stress`.

        Returns
        -------
        numpy.ndarray
            Equivalent stresses, (ne, k), Pa.
        """
        return np.abs(value)

    def section_forces(self, value: Any) -> FloatArray:
        """Return N, Vy, Vz, T, My, Mz (ne, k, 6) in N and N m of stresses of lines, at their first k nodes.

        Parameters
        ----------
        value : numpy.ndarray or another type
            A returned value of :meth:`stress`.

        Returns
        -------
        numpy.ndarray
            Section forces and moments, (ne, k, 6), N and N m.
        """
        forces = np.zeros((*np.shape(value), 6))
        forces[..., 0] = self.line_section.A * value
        return forces

    def line_stress(self, value: Any, xi: FloatArray, yz: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return normal and shear stress (ne, q) in Pa of lines, at xi (q,), 0 to 1 along them, and yz (q, 2) in m.

        y and z are the principal axes of the section. By default the mean axial stress of each element.

        Parameters
        ----------
        value : numpy.ndarray or another type
            A returned value of :meth:`stress`.
        xi : numpy.ndarray
            Positions along the elements, 0 to 1, (q,).
        yz : numpy.ndarray
            Points of the section, (q, 2), m.

        Returns
        -------
        tuple of numpy.ndarray
            Normal and shear stresses, each (ne, q), Pa.
        """
        normal = np.repeat(np.asarray(value).mean(axis=1)[:, None], len(xi), axis=1)
        return normal, np.zeros_like(normal)

    # ---- sections, thickness and outside -----------------------------------------------------------

    @property
    def line_section(self) -> Section:
        """Cross section of a line element."""
        raise NotImplementedError(f"{type(self).__name__} has no cross section")

    @property
    def mass_per_length(self) -> float:
        """Mass of a unit length of a line element, kg/m: rho A of its cross section."""
        return float(self.material.rho * self.line_section.A)

    @property
    def faces_at(self) -> tuple[float, float] | None:
        """Distances in m of bottom and top from the nodes of a surface element, along its normal.

        None draws the surface without thickness.
        """
        return None

    def edge(self, kind: str, X: FloatArray, side: int) -> Samples:
        """Return points on a straight side of surface elements for loads along it, with lengths in m for weights.

        ``side`` is a number of :attr:`fem.Element.edges`. By default the displacement is that of the shape functions.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        side : int
            Number of the side.

        Returns
        -------
        Samples
            Points of the side, (ne, q, 3), their lengths (m) and shape functions.
        """
        element, (s, w) = SHAPES[kind], np.polynomial.legendre.leggauss(3)
        i, j = element.edges[side]
        N = element.N(0.5 * (np.outer(1 - s, element.nodes[i]) + np.outer(1 + s, element.nodes[j])))
        length = np.linalg.norm(X[:, j] - X[:, i], axis=1)
        shape = np.zeros((len(s), 3, element.n_nodes, self.freedoms))
        shape[..., :3] = np.einsum("qi,ab->qaib", N, np.eye(3))
        shape = shape.reshape(len(s), 3, -1)
        return Samples(N @ X, 0.5 * np.outer(length, w), np.broadcast_to(shape, (len(X), *shape.shape)))

    def outline(self, kind: str, X: FloatArray, stations: int = 9) -> Outline:
        """Return the outside of line elements for pictures, with ``stations`` sections along each.

        By default a straight round bar with the area of the section.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        stations : int
            Number of sections along each element.

        Returns
        -------
        Outline
            Points and triangles of the surface, and how they follow the nodes.
        """
        return bar(X, math.sqrt(self.line_section.A / math.pi), self.freedoms)


def properties_for(kind: str) -> list[str]:
    """Return the names of the properties of this package that a kind of element can have, such as "fem.Beam"."""
    found, left = [], [Property]
    while left:
        its = left.pop()
        left += its.__subclasses__()
        if its.__module__.startswith("fem.") and not isabstract(its) and kind in its.kinds:
            found.append(f"fem.{its.__name__}")
    return sorted(found)
