"""Solid elements as a property: a material and the remedy against locking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import ClassVar

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError, listing
from ...common.users_functions import values_at
from ...properties.material import VOIGT, Material, own_stiffness, stress_rotation, wrong_material
from .. import ELEMENTS
from ..property import FloatArray, Property, Samples
from ..quadrature import Rule, gauss, triangle_3, wedge
from . import anisotropic as solid_kernel
from . import isotropic as kernel
from .bricks import Brick, FullIntegration, IncompatibleModes
from .stress import recovery, tensor

#: fewer points for the stiffness, as Abaqus and CalculiX have them
_REDUCED = {
    "hex20": gauss(2, 3),
    "wedge6": wedge(Rule(np.array([[1 / 3, 1 / 3]]), np.array([0.5])), 2),
    "wedge15": wedge(triangle_3(), 3),
}


@check_arguments
@dataclass(frozen=True)
class Solid(Property):
    """Solid elements of one material, with the displacements ux, uy, uz at each node.

    Parameters
    ----------
    material : Isotropic or Orthotropic
        Material.
    brick : IncompatibleModes, MeanDilatation or FullIntegration, optional
        Form of the linear brick (hex8), whose plain form is far too stiff in bending: by default
        :class:`fem.IncompatibleModes`. All other elements take no notice.
    reduced : bool, optional
        Whether the stiffness of the quadratic brick (hex20) is integrated at 2 x 2 x 2 points, as that of Abaqus' and
        CalculiX' C3D20R, and that of wedges at 2 (wedge6) and 9 (wedge15), as C3D6 and C3D15. All other elements take
        no notice.
    axes : callable, optional
        A function of the middles of the elements, (ne, 3) in m, that returns the directions 1, 2, 3 of the material
        there as rows, (ne, 3, 3), for materials that are wound or layered in curves; in place of the material's own.

    Raises
    ------
    InputError
        The material, ``brick`` or ``reduced`` is not valid.

    Notes
    -----
    hex20 with ``reduced`` integration bends better on coarse meshes and locks less with nu near 0.5. A single element
    has six motions without energy beside the rigid ones, a free row of n regular elements n + 1, a mesh of two by two
    and more none.

    All other elements are fully integrated: the quadratic ones need no remedy; tet4, wedge6 and
    pyramid5 remain stiff, as in every program, and are for transitions. The mass is the same for
    all forms of a brick.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> fem.assemble(fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex20"), fem.Solid(steel, reduced=True)).n
    96
    """

    material: Material
    _: KW_ONLY
    brick: Brick = field(default_factory=IncompatibleModes)
    reduced: bool = False
    axes: Callable[[np.ndarray], np.ndarray] | None = None

    kinds: ClassVar[tuple[str, ...]] = tuple(ELEMENTS)
    freedoms: ClassVar[int] = 3

    def __post_init__(self) -> None:
        """Check all."""
        wrong = wrong_material(self.material)
        if not (self.axes is None or callable(self.axes)):
            wrong.append(
                f"axes must be a function of places, not {self.axes!r}; a material has axes= of its own"
            )
        if not isinstance(self.brick, Brick):
            forms = "fem.IncompatibleModes(), fem.MeanDilatation() or fem.FullIntegration()"
            wrong.append(f"brick must be {forms}, not {self.brick!r}")
        if not isinstance(self.reduced, bool | np.bool_):
            wrong.append(f"reduced must be True or False, not {self.reduced!r}")
        if wrong:
            raise InputError("this solid is not valid: " + "; ".join(wrong))

    def check(self, kind: str, X: FloatArray) -> None:
        """Raise InputError if ``kind`` is not a solid element or X (ne, nn, 3) does not fit it."""
        if kind not in ELEMENTS:
            raise InputError(f"a solid property can't be given to {kind}; it takes {listing(self.kinds)}")
        nn = ELEMENTS[kind].n_nodes
        if np.ndim(X) != 3 or np.shape(X)[1:] != (nn, 3):
            raise InputError(f"{kind} elements need coordinates (ne, {nn}, 3), not {np.shape(X)}")

    def lame(self, kind: str) -> tuple[float, float] | None:
        """Return Lame's constants in Pa if the compiled assembly gives the stiffness, else None.

        It does so for isotropic materials and fully integrated elements without internal fields.
        """
        special = (
            self.axes is not None
            or self._enriched(kind)
            or _rule(kind, self.reduced) is not ELEMENTS[kind].stiffness_quadrature
        )
        return None if special else self.material.lame

    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K (ne, nd, nd) in N/m, K_iajb = int C_acbd g_ic g_jd, condensed if there are internal modes."""
        return self._condensed(kind, X)[0]

    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the Gauss points of the consistent mass, rho w det J with the shape functions there.

        ``lumped``: mass points at the nodes, the diagonal of the consistent mass scaled to the element's mass
        (Hinton, Rock and Zienkiewicz 1976).
        """
        element, rule = ELEMENTS[kind], ELEMENTS[kind].quadrature
        X = np.ascontiguousarray(X, dtype=float)
        weights = kernel.determinants(X, element.dN(rule.points)) * (self.material.rho * rule.weights)
        N, points = element.N(rule.points), X
        if lumped:
            diagonal = weights @ N**2
            weights = diagonal * (weights.sum(axis=1) / diagonal.sum(axis=1))[:, None]
            N = np.eye(element.n_nodes)
        else:
            points = N @ X
        shape = np.einsum("qi,ab->qaib", N, np.eye(3)).reshape(len(N), 3, -1)
        return Samples(points, weights, np.broadcast_to(shape, (len(X), *shape.shape)))

    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) in N/m: :meth:`geometric_scalar` for each of the three directions."""
        return _three_directions(self.geometric_scalar(kind, X, u))

    def geometric_scalar(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return int g_i . sigma g_j (ne, nn, nn) in N/m for the stresses of u (ne, nd); K_G = kron(this, I3).

        It is the work of the stress on the quadratic part of Green and Lagrange's strain, 1/2 grad(u)' grad(u).

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
            One number for each pair of nodes, (ne, nn, nn), N/m.
        """
        X = np.ascontiguousarray(X, dtype=float)
        rule = _rule(kind, self.reduced)
        return self._of_stress(kind, X, self._strain(kind, X, u, rule.points) @ self._elasticity(X))

    def _of_stress(self, kind: str, X: FloatArray, stress: FloatArray) -> FloatArray:
        """Return int g_i . sigma g_j (ne, nn, nn) in N/m of stresses (ne, q, 6) in Pa at the stiffness' points."""
        weights = _rule(kind, self.reduced).weights
        return solid_kernel.geometric(X, _gradients(kind, self.reduced)[0], weights, tensor(stress))

    def stress_points(self, kind: str) -> FloatArray:
        """Return the points (q, 3) of the reference element at which :meth:`geometric_of` takes stresses.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".

        Returns
        -------
        numpy.ndarray
            Reference coordinates, (q, 3).
        """
        return _rule(kind, self.reduced).points

    def geometric_of(self, kind: str, X: FloatArray, stress: FloatArray) -> FloatArray:
        """Return K_G (ne, nd, nd) in N/m of given stresses.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.
        stress : numpy.ndarray
            Stresses xx, yy, zz, yz, xz, xy at :meth:`stress_points`, (ne, q, 6), Pa.

        Returns
        -------
        numpy.ndarray
            Geometric stiffness matrices, (ne, nd, nd).
        """
        scalar = self._of_stress(kind, np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(stress))
        return _three_directions(scalar)

    def geometric_products(self, kind: str, X: FloatArray, u: FloatArray, Phi: FloatArray) -> FloatArray:
        """Return Phi' K_G Phi (n, N, N) in J, summed over the elements, for the stresses of each of n displacements.

        u (ne, nd, n) in m; Phi (ne, nd, N) displacements in m.
        """
        rule = _rule(kind, self.reduced)
        dN, centre = _gradients(kind, self.reduced)
        X = np.ascontiguousarray(X, dtype=float)
        modes, swell = self._modes(kind, rule.points)
        if self._enriched(kind):
            u = np.concatenate([u, self._condensed(kind, X)[1] @ u], axis=1)
        constant = (dN, rule.weights, modes, swell, centre)
        parts = [
            solid_kernel.geometric_products(X[e], u[e], Phi[e], *constant, law) for e, law in self._laws(X)
        ]
        return np.sum(parts, axis=0)

    def strain(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return strains (ne, nn, 6) at the nodes, order xx yy zz yz xz xy, with engineering shear (gamma)."""
        points, extrapolate = recovery(kind)
        return np.einsum("nq,eqk->enk", extrapolate, self._strain(kind, X, u, points))

    def stress(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None = None) -> FloatArray:
        """Return stresses (ne, nn, 6) in Pa at the nodes of each element, order xx yy zz yz xz xy, global axes.

        They are evaluated at the most accurate points and extrapolated, see
        :func:`fem.elements.solid.stress.recovery`.
        """
        return self.strain(kind, X, u) @ self._elasticity(X)

    def _condensed(self, kind: str, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return K (ne, nd, nd) and the matrix (ne, 3 m, nd) of the internal displacements."""
        rule = _rule(kind, self.reduced)
        dN, centre = _gradients(kind, self.reduced)
        X = np.ascontiguousarray(X, dtype=float)
        modes, swell = self._modes(kind, rule.points)
        constant = (dN, rule.weights, modes, swell, centre)
        parts = [solid_kernel.stiffness(X[e], *constant, law) for e, law in self._laws(X)]
        if len(parts) == 1:
            return parts[0]
        K, T = zip(*parts, strict=True)
        return np.concatenate(K), np.concatenate(T)

    def _elasticity(self, X: FloatArray) -> FloatArray:
        """Return the elasticity matrix in Pa, (6, 6) of all elements or (ne, 6, 6) of each, in global axes."""
        if self.axes is None:
            return self.material.stiffness
        places = np.asarray(X, float).mean(axis=1)
        rows = values_at(self.axes, places, (3, 3), what="axes=", values="directions")
        if np.abs(rows @ np.swapaxes(rows, 1, 2) - np.eye(3)).max(initial=0.0) > 1e-6:
            raise InputError("axes= must return three unit vectors at right angles, as rows, for each place")
        T = stress_rotation(np.swapaxes(rows, 1, 2))
        return T @ own_stiffness(self.material) @ np.swapaxes(T, 1, 2)

    def _laws(self, X: FloatArray) -> list[tuple[slice, FloatArray]]:
        """Return which elements have one law, and that (9, 9): all at once, or one by one."""
        C = self._elasticity(X)
        if C.ndim == 2:
            return [(slice(None), _law(C))]
        return [(slice(e, e + 1), _law(one)) for e, one in enumerate(C)]

    def _enriched(self, kind: str) -> bool:
        """Return whether elements of this kind have internal displacements or strains."""
        return kind == "hex8" and self.brick.internal

    def _modes(self, kind: str, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return gradients (q, m, 3) of internal displacements, and internal volume strains (q, v)."""
        brick = self.brick if kind == "hex8" else FullIntegration()
        return brick.modes(points), brick.volume_strains(points)

    def _strain(self, kind: str, X: FloatArray, u: FloatArray, points: FloatArray) -> FloatArray:
        """Return strains (ne, q, 6) at points of the reference element, eps = (grad u + grad u') / 2."""
        X = np.ascontiguousarray(X, dtype=float)
        u = np.ascontiguousarray(u, dtype=float).reshape(len(X), -1)
        modes, swell = self._modes(kind, points)
        if self._enriched(kind):
            T = self._condensed(kind, X)[1]
            u = np.concatenate([u, np.einsum("ekd,ed->ek", T, u)], axis=1)
        dN = np.ascontiguousarray(ELEMENTS[kind].dN(points))
        H = solid_kernel.displacement_gradients(X, u, dN, modes, swell, _gradients(kind, self.reduced)[1])
        i, j = np.array(VOIGT).T
        return np.where(i == j, 0.5, 1.0) * (H[..., i, j] + H[..., j, i])


def _rule(kind: str, reduced: bool) -> Rule:
    """Return the quadrature of the stiffness."""
    return _REDUCED[kind] if reduced and kind in _REDUCED else ELEMENTS[kind].stiffness_quadrature


@cache
def _gradients(kind: str, reduced: bool) -> tuple[FloatArray, FloatArray]:
    """Return dN/dxi at the points of the stiffness (q, nn, 3) and at the centre (nn, 3)."""
    element, points = ELEMENTS[kind], _rule(kind, reduced).points
    centre = element.nodes[: element.n_corners].mean(axis=0)
    return np.ascontiguousarray(element.dN(points)), np.ascontiguousarray(element.dN(centre[None])[0])


def _three_directions(scalar: FloatArray) -> FloatArray:
    """Return kron(scalar, I3) (ne, 3 nn, 3 nn) of matrices (ne, nn, nn)."""
    ne, nn = scalar.shape[:2]
    return np.einsum("eij,ab->eiajb", scalar, np.eye(3)).reshape(ne, 3 * nn, 3 * nn)


def _law(C: FloatArray) -> FloatArray:
    """Return C_acbd in Pa as a matrix (9, 9) with rows ab and columns cd, from C (6, 6) in Voigt's order."""
    place = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])
    return np.ascontiguousarray(C[place[:, None, :, None], place[None, :, None, :]].reshape(9, 9))
