"""Pin-jointed bars in space, Koppens (1989) 3.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import ElementError, InputError
from ...common.numbers import is_number, shown
from ...properties.material import Isotropic, wrong_material
from ...properties.section import Section
from ..line import FloatArray, axis, check_kind, check_lengths, gauss01
from ..property import Property, Samples


@check_arguments
@dataclass(frozen=True)
class Truss(Property):
    """Straight bars that carry axial force only, with the displacements ux, uy, uz at each node; Koppens 3.3.

    Parameters
    ----------
    material : Isotropic
        Material.
    area : float, m^2
        Area of the cross section.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    On "line2" the displacement is linear (3.18). On "line3" (third node in the middle) the displacement along the bar
    is quadratic and the bar remains straight, so that the transverse displacement is linear between the ends: (3.33)
    with an axial middle displacement, (3.45). The remaining degree of freedom of a middle node in space, its
    displacement off the straight line, has no mass, carries no load and is held at zero by the stiffness of the
    axial one, 16 E A / (3 l).

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"end": [1]})
    >>> fem.assemble(mesh, fem.Truss(steel, area=1e-4)).K[0, 0]
    np.float64(21000000.0)
    """

    material: Isotropic
    area: float

    kinds: ClassVar[tuple[str, ...]] = ("line2", "line3")
    freedoms: ClassVar[int] = 3
    stretches_by_green: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the input."""
        wrong = wrong_material(self.material, orthotropic=False)
        if not (is_number(self.area) and self.area > 0):
            wrong.append(f"area = {shown(self.area)} m^2 must be a positive number")
        if wrong:
            raise InputError("this truss is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "area", float(self.area))

    def check(self, kind: str, X: FloatArray) -> None:
        """Raise InputError for elements X (ne, nn, 3) m without length, or whose third node is not in the middle."""
        check_kind(kind, self.kinds, "a truss")
        check_lengths(X, "trusses")
        if kind == "line3":
            off = np.linalg.norm(X[:, 2] - 0.5 * (X[:, 0] + X[:, 1]), axis=1)
            bad = np.flatnonzero(off > 1e-3 * axis(X)[0])
            if len(bad):
                raise ElementError(
                    "these can't be trusses: ",
                    bad,
                    ": the third node must lie in the middle of a straight bar (the first one's is "
                    f"{off[bad[0]]:g} m away); use line2 elements along a curve",
                )

    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K (ne, nd, nd) in N/m: (3.31), or (3.44) by (3.47) with the middle node held sideways."""
        length, e = self._axis(kind, X)
        along = np.einsum("ei,ej->eij", e, e)  # Lambda (3.32)
        rigidity = (self.material.E * self.area / length)[:, None, None]
        K = np.einsum("ab,eij->eaibj", _STRETCH[kind], rigidity * along)
        if kind == "line3":
            K += np.einsum("ab,eij->eaibj", _STRAIGHT, rigidity * (np.eye(3) - along))
        return K.reshape(len(X), *2 * [3 * len(_STRETCH[kind])])

    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the mass as points at Gauss points (``lumped``: at the nodes; line3: 1/6, 1/6, 2/3)."""
        length, e = self._axis(kind, X)
        mass = self.mass_per_length * length
        X = np.asarray(X, float)
        nn = X.shape[1]
        if lumped:
            shares = np.array([0.5, 0.5] if nn == 2 else [1 / 6, 1 / 6, 2 / 3])
            eye = np.einsum("qa,ij->qiaj", np.eye(nn), np.eye(3)).reshape(nn, 3, 3 * nn)
            return Samples(X.copy(), mass[:, None] * shares, np.tile(eye, (len(X), 1, 1, 1)))
        xi, weights = gauss01(nn)
        straight = np.stack([1 - xi, xi, *[0 * xi] * (nn - 2)], axis=1)  # (q, nn)
        middle = 4 * xi * (1 - xi)
        bubble = np.stack([-middle / 2, -middle / 2, middle], axis=1) if nn == 3 else 0 * straight
        along = np.einsum("ei,ej->eij", e, e)
        shape = np.einsum("qa,ij->qiaj", straight, np.eye(3)) + np.einsum("qa,eij->eqiaj", bubble, along)
        points = np.einsum("qa,eai->eqi", straight[:, :2], X[:, :2])
        return Samples(points, mass[:, None] * weights, shape.reshape(len(X), len(xi), 3, 3 * nn))

    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) = N/l (I - Lambda) between the ends, N the mean axial force of u (ne, nd).

        It follows from the elongation of the rotated bar, l' - l = e.du + |du|^2/2l - (e.du)^2/2l. On line3 the part
        of N that varies along the bar does no work, since the bar remains straight.
        """
        length, e = self._axis(kind, X)
        N = self.force(kind, X, u).mean(axis=1)
        across = np.eye(3) - np.einsum("ei,ej->eij", e, e)
        nn = X.shape[1]
        ends = np.zeros((nn, nn))
        ends[:2, :2] = [[1, -1], [-1, 1]]
        return np.einsum("ab,eij->eaibj", ends, (N / length)[:, None, None] * across).reshape(
            len(X), 3 * nn, 3 * nn
        )

    def strain(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return the axial strain at the nodes (ne, nn) of the displacements u (ne, nd)."""
        length, e = self._axis(kind, X)
        along = np.einsum("eai,ei->ea", np.reshape(u, X.shape), e)
        return along @ _SLOPES[kind].T / length[:, None]

    def stress(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None = None) -> FloatArray:
        """Return the axial stress (ne, nn) in Pa at the nodes, tension positive."""
        return self.material.E * self.strain(kind, X, u)

    @property
    def mass_per_length(self) -> float:
        """Mass of a unit length, kg/m."""
        return self.material.rho * self.area

    @property
    def line_section(self) -> Section:
        """A round section of the bar's area."""
        radius = np.sqrt(self.area / np.pi)
        second = self.area * radius**2 / 4
        return Section(A=self.area, Iy=second, Iz=second, J=2 * second, radius=float(radius))

    def force(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return the axial force N (ne, nn) in N at the nodes, tension positive.

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
            Axial forces, (ne, nn), N.
        """
        return self.area * self.stress(kind, X, u)

    def _axis(self, kind: str, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return lengths (ne,) in m and directions (ne, 3), (3.30)."""
        check_kind(kind, self.kinds, "a truss")
        return axis(np.asarray(X, float))


#: int N_a' N_b' dxi on [0, 1]
_STRETCH = {
    "line2": np.array([[1.0, -1.0], [-1.0, 1.0]]),
    "line3": np.array([[7.0, 1.0, -8.0], [1.0, 7.0, -8.0], [-8.0, -8.0, 16.0]]) / 3,
}
#: 16/3 of the square of the middle node's distance from the line between the ends
_STRAIGHT = 16 / 3 * np.outer([-0.5, -0.5, 1.0], [-0.5, -0.5, 1.0])
#: dN_b/dxi at node a
_SLOPES = {
    "line2": np.array([[-1.0, 1.0], [-1.0, 1.0]]),
    "line3": np.array([[-3.0, -1.0, 4.0], [1.0, 3.0, -4.0], [-1.0, 1.0, 0.0]]),
}
