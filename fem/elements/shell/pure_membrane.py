"""Membranes: surfaces that carry forces in their plane and no moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, shown
from ...properties.material import Material, own_stiffness, wrong_material
from ..property import Property, Samples
from .geometric_stiffness import of_membrane
from .geometry import (
    Array,
    Surface,
    element_frame,
    gauss,
    nodes_of,
    shape_functions,
    six,
    surface,
    vector_strain,
)
from .material import first_axis, plane_stress, strain_turn
from .shapes import check_shapes
from .spread_mass import spread_mass
from .varying import along_elements, checked_axis, directions, thicknesses


class MembraneLaws(NamedTuple):
    """Stiffnesses of a section in the elements' axes.

    ``A`` (ne, 3, 3) in N/m; ``thickness`` (ne,) in m; stress and strain across, (ne, 3), from the strains 11, 22,
    gamma12.
    """

    A: Array
    thickness: Array
    stress_across: Array
    thinning: Array
    coupled: bool = False


@check_arguments(own=("axis",))
@dataclass(frozen=True)
class Membrane(Property):
    """A membrane on tri3, quad4, tri6, quad8 and quad9, with ux, uy, uz at each node.

    It carries forces in its plane alone. Across a flat membrane the nodes have no stiffness: other elements, or the
    curvature of the surface, must hold them.

    Parameters
    ----------
    material : Isotropic, Orthotropic or Anisotropic
        Material. Axis 1 of one with directions is projected on the membrane, its axis 3 is the normal.
    thickness : float, m
        Thickness.
    plane_strain : bool
        Whether the strain across is zero (a slice of a long body); by default the stress across is.
    thickness_at : callable, optional
        The thickness where it varies: a function of points (k, 3) in m that returns (k,) in m. Each element has that of
        its middle; ``thickness`` is then what is drawn and reported.
    axis : array (3,), callable or FirstSide, optional
        Direction of the material's axis 1 in place of that of its ``axes``, as in :class:`fem.LayeredShell`.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    quad4 is the hybrid element of Pian and Sumihara, Int. J. Numer. Meth. Engng 20 (1984) 1685-1695: with forces N =
    P beta of five parameters, K = G' H^-1 G, G = int P' B dA, H = int P' A^-1 P dA; in-plane bending of a parallelogram
    is exact. The others have the strains of their displacements, B, at 1 (tri3), 3 (tri6) or 3 x 3 points. Strains are
    taken along the tangent planes, so that rigid motions of warped and curved elements strain nothing.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    >>> skin = fem.assemble(mesh, fem.Membrane(steel, thickness=0.001))
    >>> skin.n, round(skin.mass, 6)
    (12, 7.85)
    """

    material: Material
    thickness: float
    _: KW_ONLY
    plane_strain: bool = False
    thickness_at: Callable[[Array], Array] | None = None
    axis: Any = None

    kinds: ClassVar[tuple[str, ...]] = ("tri3", "quad4", "tri6", "quad8", "quad9")
    freedoms: ClassVar[int] = 3

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if self.axis is not None:
            object.__setattr__(self, "axis", checked_axis(self.axis, wrong))
        if wrong:
            raise InputError("this membrane is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "thickness", float(self.thickness))

    def check(self, kind: str, X: Array) -> None:
        """Raise InputError for elements X (ne, nn, 3) that can't be membranes, with their indices."""
        check_shapes("membranes", self.kinds, kind, np.asarray(X, float), self._axis_one)

    @property
    def faces_at(self) -> tuple[float, float]:
        """Distances in m of bottom and top from the nodes, along the normal."""
        return -0.5 * self.thickness, 0.5 * self.thickness

    # ---- matrices --------------------------------------------------------------------------------------

    def stiffness(self, kind: str, X: Array) -> Array:
        """Return K (ne, 3 nn, 3 nn) in N/m; X (ne, nn, 3) m."""
        beta, G = self._forces(kind, X)
        K = np.swapaxes(G, 1, 2) @ beta
        return 0.5 * (K + np.swapaxes(K, 1, 2))

    def samples(self, kind: str, X: Array, lumped: bool = False) -> Samples:
        """Return the mass as points of the surface; ``lumped``: at the nodes, in proportion to the consistent mass."""
        X = np.asarray(X, float)
        order = 2 if kind == "quad4" else 3
        return spread_mass(kind, X, self.material.rho * self._thickness(X), order, lumped)

    def geometric(self, kind: str, X: Array, u: Array) -> Array:
        """Return K_G (ne, 3 nn, 3 nn) of the forces that u (ne, 3 nn) causes: int N_ab du,a . du,b dA."""
        X = np.asarray(X, float)
        at = self._surface(kind, X)
        N = self._force_at(kind, X, u, self._places(kind))
        return of_membrane(at, N, freedoms=3)

    # ---- strains and stresses --------------------------------------------------------------------------

    def strain(self, kind: str, X: Array, u: Array) -> Array:
        """Return strains (ne, nn, 2, 6) at the nodes, bottom and top alike, global xx yy zz yz xz xy (shears 2 eps)."""
        X = np.asarray(X, float)
        law, N = self.laws(kind, X), self._force_at(kind, X, u, nodes_of(kind))
        e = N @ np.swapaxes(np.linalg.inv(law.A), 1, 2)
        local = np.concatenate(
            [e[..., :2], e[..., 2:] / 2, np.einsum("ea,eia->ei", law.thinning, e)[..., None]], 2
        )
        return self._global(kind, X, local) * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])

    def stress(self, kind: str, X: Array, u: Array, load: Array | None = None) -> Array:
        """Return stresses (ne, nn, 2, 6) in Pa at the nodes, bottom and top alike, global xx yy zz yz xz xy."""
        X = np.asarray(X, float)
        law = self.laws(kind, X)
        s = self._force_at(kind, X, u, nodes_of(kind)) / law.thickness[:, None, None]
        e = s @ np.swapaxes(np.linalg.inv(law.A), 1, 2) * law.thickness[:, None, None]
        across = np.einsum("ea,eia->ei", law.stress_across, e)[..., None]
        return self._global(kind, X, np.concatenate([s, across], 2))

    @staticmethod
    def _global(kind: str, X: Array, local: Array) -> Array:
        """Return tensors (ne, nn, 2, 6) in global axes from 11, 22, 12 and 33 (ne, nn, 4) in the tangent planes."""
        R = surface(kind, X, nodes_of(kind)).frame
        tensor = np.zeros((*local.shape[:2], 3, 3))
        tensor[..., 0, 0], tensor[..., 1, 1], tensor[..., 2, 2] = local[..., 0], local[..., 1], local[..., 3]
        tensor[..., 0, 1] = tensor[..., 1, 0] = local[..., 2]
        return np.repeat(six(np.swapaxes(R, -1, -2) @ tensor @ R)[:, :, None], 2, axis=2)

    # ---- section and quadrature ------------------------------------------------------------------------

    def _axis_one(self, X: Array) -> Array | None:
        return first_axis(self.material) if self.axis is None else directions(self.axis, X)

    def _thickness(self, X: Array) -> Array:
        """Return the thickness (ne,) at the middle of each element."""
        if self.thickness_at is None:
            return np.full(len(X), self.thickness)
        return thicknesses(self.thickness_at, X)

    def laws(self, kind: str, X: Array) -> MembraneLaws:
        """Return the stiffness of the section in the elements' axes.

        Parameters
        ----------
        kind : str
            Name of the element, such as "quad8".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        MembraneLaws
            Stiffness, thickness, and what follows across.
        """
        full = own_stiffness(self.material)
        C, _, thinning = plane_stress(self.material)
        across = np.zeros(3)
        if self.plane_strain:
            C, thinning, across = full[np.ix_([0, 1, 5], [0, 1, 5])], np.zeros(3), full[2, [0, 1, 5]]
        thickness = self._thickness(X)
        R = np.broadcast_to(np.eye(3), (len(X), 3, 3))
        along = along_elements(kind, X, self._axis_one(X))
        if along is not None:
            c, s = (along / np.linalg.norm(along, axis=1, keepdims=True)).T
            R = strain_turn(np.moveaxis(np.array([[c, s], [-s, c]]), -1, 0))
        A = thickness[:, None, None] * (np.swapaxes(R, 1, 2) @ C @ R)
        return MembraneLaws(A, thickness, across @ R, thinning @ R)

    def _places(self, kind: str) -> Array:
        return gauss(kind, _ORDER[kind])[0]

    def _surface(self, kind: str, X: Array) -> Surface:
        return surface(kind, X, *gauss(kind, _ORDER[kind]))

    def _forces(self, kind: str, X: Array) -> tuple[Array, Array]:
        """Return (beta, G), K = G' beta: amounts of the membrane forces of unit displacements, and their work."""
        X = np.asarray(X, float)
        at, A = self._surface(kind, X), self.laws(kind, X).A
        B = _strains(at)
        if kind == "quad4":
            P = _five(X, self._places(kind))
            Pw = P * at.weight[..., None, None]
            H = np.einsum("eqam,eab,eqbn->emn", Pw, np.linalg.inv(A), P, optimize=True)
            G = np.einsum("eqam,eqad->emd", Pw, B, optimize=True)
            return np.linalg.solve(H, G), G
        m = B.shape[1] * 3
        weighted = (A[:, None] @ B * at.weight[..., None, None]).reshape(len(X), m, -1)
        return weighted, B.reshape(len(X), m, -1)

    def _force_at(self, kind: str, X: Array, u: Array, xi: Array) -> Array:
        """Return the membrane forces 11, 22, 12 (ne, q, 3) in N/m at reference points xi (q, 2)."""
        u = np.asarray(u, float).reshape(len(X), -1, 1)
        if kind == "quad4":
            beta = self._forces(kind, X)[0] @ u
            return (_five(X, xi) @ beta[:, None])[..., 0]
        B = _strains(surface(kind, X, xi))
        return (self.laws(kind, X).A[:, None] @ (B @ u[:, None]))[..., 0]


#: order of the quadrature of the stiffness, as :func:`.geometry.gauss` counts them
_ORDER = {"tri3": 1, "quad4": 2, "tri6": 2, "quad8": 3, "quad9": 3}


def _strains(at: Surface) -> Array:
    """Return B (ne, q, 3, 3 nn): strains 11, 22, gamma12 in the tangent planes, from displacements."""
    ne, q, nn = at.gradient.shape[:3]
    B = np.empty((ne, q, 3, nn, 3))
    for k in range(3):
        B[..., k] = vector_strain(at.frame, at.gradient, np.broadcast_to(np.eye(3)[k], (ne, nn, 3)))
    return B.reshape(ne, q, 3, 3 * nn)


def _five(X: Array, xi: Array) -> Array:
    """Return P (ne, q, 3, 5) of Pian and Sumihara in the elements' frames, at points xi (q, 2)."""
    dN = shape_functions("quad4", np.zeros((1, 2)))[1][0]
    g = np.einsum("ia,eix->eax", dN, X) @ np.swapaxes(element_frame("quad4", X)[:, :2], 1, 2)
    size = np.abs(np.linalg.det(g))[:, None]
    one, two = (
        np.stack([v[:, 0] ** 2, v[:, 1] ** 2, v[:, 0] * v[:, 1]], 1) / size for v in (g[:, 0], g[:, 1])
    )
    P = np.zeros((len(X), len(xi), 3, 5))
    P[..., 0, 0] = P[..., 1, 1] = P[..., 2, 2] = 1.0
    P[..., 3] = xi[:, 1, None] * one[:, None]
    P[..., 4] = xi[:, 0, None] * two[:, None]
    return P
