"""Shear panels: thin webs between bars that carry shear alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, shown
from ...properties.material import Isotropic, wrong_material
from ..property import Property, Samples
from .geometry import Array, element_frame, gauss, six, surface, unit
from .shapes import check_shapes
from .spread_mass import spread_mass

#: points of a quadrature along each side of a panel
_POINTS = 16
#: panels that are computed at a time
_BATCH = 1024


class _Flow(NamedTuple):
    """The state of shear of panels: forces at the corners ``c`` (ne, 12), compliance (ne,), and its stress field.

    ``r`` (ne, 2, 3) and ``line`` (ne, 3): vectors to the points where opposite sides meet, and the line through both,
    in homogeneous coordinates of the plane of the panel; ``size`` (ne,) m, ``frame`` (ne, 3, 3), ``middle`` (ne, 3).
    """

    c: Array
    compliance: Array
    r: Array
    line: Array
    size: Array
    frame: Array
    middle: Array


@check_arguments
@dataclass(frozen=True)
class ShearPanel(Property):
    """A panel of four sides that carries shear alone, with ux, uy, uz at each node of quad4 (Nastran's CSHEAR).

    Bars along its sides carry the forces in their direction; without them the corners have no stiffness but along the
    diagonals.

    Parameters
    ----------
    material : Isotropic
        Material.
    thickness : float, m
        Thickness.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    Garvey, Aircraft Engineering 23 (1951) 134-144. On all lines through the two points Q1, Q2 where opposite sides
    meet, only shear acts, as on the sides themselves. With r1 and r2 from these points and the distance p from the line
    through both, the stress that does so in equilibrium is k (r1 r2' + r2 r1') / p^3 (in homogeneous coordinates, for
    parallel sides). The forces on the sides are shared by their ends, so that those on the corners act along the
    diagonals: K = c c' / Z with these forces c and Z = int sigma C^-1 sigma h dA, for a rectangle G h A. A warped panel
    has the stiffness of its projection on the mean plane, and forces along its own diagonals.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    >>> round(fem.assemble(mesh, fem.ShearPanel(steel, thickness=0.001)).mass, 6)
    7.85
    """

    material: Isotropic
    thickness: float

    kinds: ClassVar[tuple[str, ...]] = ("quad4",)
    freedoms: ClassVar[int] = 3
    stretches_by_green: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material, orthotropic=False)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if wrong:
            raise InputError("this shear panel is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "thickness", float(self.thickness))

    def check(self, kind: str, X: Array) -> None:
        """Raise InputError for elements X (ne, nn, 3) that can't be panels, with their indices."""
        check_shapes("shear panels", self.kinds, kind, np.asarray(X, float), lambda X: None)

    @property
    def faces_at(self) -> tuple[float, float]:
        """Distances in m of bottom and top from the nodes, along the normal."""
        return -0.5 * self.thickness, 0.5 * self.thickness

    def stiffness(self, kind: str, X: Array) -> Array:
        """Return K (ne, 12, 12) in N/m, of rank one."""
        its = self._flow(X)
        return its.c[:, :, None] * its.c[:, None] / its.compliance[:, None, None]

    def samples(self, kind: str, X: Array, lumped: bool = False) -> Samples:
        """Return the mass as 2 x 2 points; ``lumped``: at the corners."""
        return spread_mass(kind, X, np.full(len(X), self.material.rho * self.thickness), 2, lumped)

    def geometric(self, kind: str, X: Array, u: Array) -> Array:
        """Return K_G (ne, 12, 12) of the forces along the diagonals, as of two bars."""
        X = np.asarray(X, float)
        force = (self._flow(X).c * self._amount(X, u)[:, None]).reshape(len(X), 4, 3)
        K = np.zeros((len(X), 4, 3, 4, 3))
        for i, j in ((0, 2), (1, 3)):
            arm = X[:, j] - X[:, i]
            length = np.linalg.norm(arm, axis=1)
            e = arm / length[:, None]
            pull = -np.einsum("ex,ex->e", force[:, i], e) / length  # tension is positive
            block = pull[:, None, None] * (np.eye(3) - e[:, :, None] * e[:, None])
            for a, b, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                K[:, a, :, b] += sign * block
        return K.reshape(len(X), 12, 12)

    def strain(self, kind: str, X: Array, u: Array) -> Array:
        """Return strains (ne, 4, 2, 6) at the nodes, bottom and top alike, global xx yy zz yz xz xy (shears 2 eps)."""
        E, nu = self.material.E, self.material.nu
        t = self._tensor(X, u)
        full = ((1 + nu) * t - nu * np.trace(t, axis1=-2, axis2=-1)[..., None, None] * np.eye(3)) / E
        return _both_sides(full) * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])

    def stress(self, kind: str, X: Array, u: Array, load: Array | None = None) -> Array:
        """Return stresses (ne, 4, 2, 6) in Pa at the nodes, bottom and top alike, global xx yy zz yz xz xy."""
        return _both_sides(self._tensor(X, u))

    def _tensor(self, X: Array, u: Array) -> Array:
        """Return the stress (ne, 4, 3, 3) in Pa at the nodes, in global axes."""
        X = np.asarray(X, float)
        its = self._flow(X)
        plane = _stress(its, _flat(its, X)) * self._amount(X, u)[:, None, None, None]
        axes = its.frame[:, None, :2]
        return np.asarray(np.swapaxes(axes, 2, 3) @ plane @ axes)

    def _amount(self, X: Array, u: Array) -> Array:
        """Return how much of the state of shear there is, (ne,)."""
        its = self._flow(X)
        return np.einsum("ed,ed->e", its.c, np.reshape(u, (len(X), -1))) / its.compliance

    def _flow(self, X: Array) -> _Flow:
        X = np.asarray(X, float)
        frame, middle = element_frame("quad4", X), X.mean(axis=1)
        size = np.ptp(X, axis=1).max(axis=1)
        flat = (X - middle[:, None]) @ np.swapaxes(frame[:, :2], 1, 2) / size[:, None, None]
        P = np.concatenate([flat, np.ones((*flat.shape[:2], 1))], axis=2)
        sides = [np.cross(P[:, i], P[:, j]) for i, j in ((0, 1), (3, 2), (1, 2), (0, 3))]
        r = np.stack([unit(np.cross(sides[0], sides[1])), unit(np.cross(sides[2], sides[3]))], axis=1)
        line = np.cross(r[:, 0], r[:, 1])
        line = line / line[:, 2:]  # one in the middle of the panel
        its = _Flow(np.zeros((len(X), 12)), np.ones(len(X)), r, line, size, frame, middle)
        c = self._corner_forces(its, X, flat)
        return its._replace(c=c, compliance=self.thickness * size**2 * self._energy(its, flat))

    def _energy(self, its: _Flow, flat: Array) -> Array:
        """Return int sigma C^-1 sigma dA (ne,) over the panels in sizes of theirs."""
        xi, w = gauss("quad4", _POINTS)
        E, nu = self.material.E, self.material.nu
        found = [np.zeros(0)]
        for k in range(0, len(flat), _BATCH):
            some = _Flow(*(a[k : k + _BATCH] for a in its))
            at = surface("quad4", _placed(flat[k : k + _BATCH]), xi, w)
            s = _stress(some, at.N @ flat[k : k + _BATCH])
            squares, traces = np.sum(s**2, axis=(2, 3)), np.trace(s, axis1=2, axis2=3) ** 2
            found.append(np.sum(at.weight * ((1 + nu) * squares - nu * traces), axis=1) / E)
        return np.concatenate(found)

    def _corner_forces(self, its: _Flow, X: Array, flat: Array) -> Array:
        """Return the forces (ne, 12) on the corners, along the diagonals: half of those on the two sides there."""
        s, w = np.polynomial.legendre.leggauss(_POINTS)
        sides = []
        for i, j in ((0, 1), (1, 2), (2, 3), (3, 0)):
            along = flat[:, j] - flat[:, i]
            points = flat[:, None, i] + 0.5 * (1 + s)[:, None] * along[:, None]
            normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
            traction = np.einsum("eqab,eb->eqa", _stress(its, points), normal)
            sides.append(np.einsum("q,eqa->ea", 0.5 * w, traction) * self.thickness * its.size[:, None])
        c = np.zeros((len(X), 4, 3))
        for i, before in ((0, 3), (1, 0)):
            diagonal = flat[:, i + 2] - flat[:, i]
            share = np.sum(0.5 * (sides[i] + sides[before]) * diagonal, axis=1) / np.sum(diagonal**2, axis=1)
            c[:, i] = (share / its.size)[:, None] * (X[:, i + 2] - X[:, i])
            c[:, i + 2] = -c[:, i]
        return c.reshape(len(X), 12)


def _placed(flat: Array) -> Array:
    return np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2)


def _flat(its: _Flow, X: Array) -> Array:
    """Return points (ne, q, 2) in the planes of the panels, in sizes of theirs."""
    return (X - its.middle[:, None]) @ np.swapaxes(its.frame[:, :2], 1, 2) / its.size[:, None, None]


def _stress(its: _Flow, flat: Array) -> Array:
    """Return the state of shear (ne, q, 2, 2) at points of the planes."""
    r1, r2 = (its.r[:, None, k, 2:] * flat - its.r[:, None, k, :2] for k in (0, 1))
    p = np.einsum("eqa,ea->eq", flat, its.line[:, :2]) + 1.0
    product = r1[..., :, None] * r2[..., None, :] / p[..., None, None] ** 3
    return product + np.swapaxes(product, 2, 3)


def _both_sides(t: Array) -> Array:
    """Return tensors (ne, 4, 3, 3) as components (ne, 4, 2, 6), bottom and top alike."""
    return np.repeat(six(t)[:, :, None], 2, axis=2)
