"""Quadratic shells, flat or curved: tri6, quad8 and quad9, by mixed interpolation of tensorial components.

The displacement of a point at distance z from the reference surface is u + z theta x V, as in :mod:`.bending`, with the
element's quadratic functions. Membrane strains, the part of the strains that is linear in z, and transverse shears
vanish for rigid motion; they are interpolated from tying points, so that neither shear nor membrane strains lock.

quad9: the points of MITC9 (Bucalem, Bathe, Int. J. Numer. Methods Eng. 36 (1993) 3729-3754), components of the base in
the middle of the element (Wisniewski, Panasz, Int. J. Numer. Methods Eng. 93 (2013) 612-634), with which all patch
tests are passed on quadrilaterals of any shape with straight sides.

quad8: its functions don't contain the deflections of uniform bending on other shapes than parallelograms. It is quad9
whose centre moves and turns with them, but for a deflection that follows from the shears (:func:`centre_motion`).

tri6: linear strains from two points on each side and their mean (Regge's interpolation: Neunteufel, Schoeberl, Comput.
Methods Appl. Mech. Engrg 373 (2021) 113524), shears likewise, and two rotations inside that are eliminated: MITC7 for
plates (Bathe, Brezzi, Cho, Comput. Struct. 32 (1989) 797-814). In place of the means the values at single points
(MITC6a, Lee, Bathe, Comput. Struct. 82 (2004) 945-962) have errors of second order in bending, and half the deflection
of a thin twisted strip.

The rotation about the normal, psi = theta . n, has the stiffness of a penalty, k G h (psi - (v,1 - u,2) / 2)^2, which
is zero for the exact motion; k is DRILLING_STIFFNESS. With k = 1 it stiffens curved triangles (a hemisphere of R / h =
250 by a tenth on 8 x 8), with 1e-4 Raasch's hook grows without limit as the mesh is refined.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from . import geometric_stiffness
from .bending import quadratic
from .geometry import SIX_POINTS, Array, cross, gauss, nodes_of, normals_at, shape_functions, surface
from .material import Laws, strain_turn

#: stiffness of the rotation about the normal over the membrane's against shear
DRILLING_STIFFNESS = 0.01
_A, _B = 1 / np.sqrt(3), np.sqrt(0.6)
_LOW, _HIGH = (1 - _A) / 2, (1 + _A) / 2

#: tying points of rr and r3, of ss and s3, of rs in quad9: (r, s)
_QUAD_TIES = (
    np.array([(r, s) for r in (-_A, _A) for s in (-_B, 0.0, _B)]),
    np.array([(r, s) for r in (-_B, 0.0, _B) for s in (-_A, _A)]),
    np.array([(r, s) for r in (-_A, _A) for s in (-_A, _A)]),
)
#: points of tri6: two on each of the sides s = 0, r = 0 and the third; those of the means
_TRI_TIES = np.array(
    [(_LOW, 0.0), (_HIGH, 0.0), (0.0, _LOW), (0.0, _HIGH), (_HIGH, _LOW), (_LOW, _HIGH), *SIX_POINTS[0]]
)


#: functions of quad8 in its middle
_CENTRE = shape_functions("quad8", np.zeros((1, 2)))[0]


def with_centre(kind: str, X: Array, V: Array) -> tuple[str, Array, Array]:
    """Return quad9 in place of quad8: its centre on the same surface, with the normal there; others as they are."""
    if kind != "quad8":
        return kind, X, V
    middle = np.zeros((1, 2))
    centre = shape_functions(kind, middle)[0] @ X
    return "quad9", np.concatenate([X, centre], 1), np.concatenate([V, normals_at(kind, X, middle)], 1)


def _covariant(kind: str, X: Array, V: Array, xi: Array) -> tuple[Array, Array, Array]:
    """Return covariant strains (ne, q, 3, 6 nn), their part linear in z, and shears (ne, q, 2, 6 nn) at points xi.

    In the plane rr, ss and 2 rs: x,a . u,b; then x,a . (theta x V),b + V,a . u,b; x,a . theta x V + V . u,a.
    """
    N, dN = shape_functions(kind, xi)
    ne, (q, nn) = len(X), N.shape
    g, bend = np.swapaxes(dN, 1, 2) @ X[:, None], np.swapaxes(dN, 1, 2) @ V[:, None]
    turn = cross(V[:, None, None], g[:, :, :, None])  # (ne, q, 2, nn, 3): g . (theta x V) = theta . (V x g)
    plane, linear = np.zeros((2, ne, q, 3, nn, 6))
    for a, b, row in ((0, 0, 0), (1, 1, 1), (0, 1, 2), (1, 0, 2)):
        slope = dN[None, :, :, b, None]
        plane[:, :, row, :, :3] += g[:, :, a, None] * slope
        linear[:, :, row, :, :3] += bend[:, :, a, None] * slope
        linear[:, :, row, :, 3:] += turn[:, :, a] * slope
    shear = np.empty((ne, q, 2, nn, 6))
    shear[..., :3] = (N @ V)[:, :, None, None] * dN.transpose(0, 2, 1)[None, ..., None]
    shear[..., 3:] = turn * N[None, :, None, :, None]
    d = 6 * nn
    return plane.reshape(ne, q, 3, d), linear.reshape(ne, q, 3, d), shear.reshape(ne, q, 2, d)


def _products(points: Array, levels: tuple[Array, Array], xi: Array) -> Array:
    """Return Lagrange's products (q, k) of points (k, 2) on the levels along r and s, at xi (q, 2)."""
    out = np.ones((len(xi), len(points)))
    for axis, level in enumerate(levels):
        for k, own in enumerate(points[:, axis]):
            for other in level[np.abs(level - own) > 1e-9]:
                out[:, k] *= (xi[:, axis] - other) / (own - other)
    return out


def _edge_strains(xi: Array) -> Array:
    """Return the nine fields (q, 3, 9) of the strains rr, ss, 2 rs of tri6: the linear ones."""
    terms = np.column_stack([np.ones(len(xi)), xi])
    return np.einsum("ab,qk->qabk", np.eye(3), terms).reshape(len(xi), 3, 9)


def _edge_space(xi: Array) -> Array:
    """Return the eight fields (q, 2, 8) of the shears of tri6: linear ones, and s (r, s) times -+ (1, r over s)."""
    r, s = xi.T
    zero, one = 0 * r, 0 * r + 1
    first = np.stack([one, r, s, zero, zero, zero, r * s, s * s], 1)
    second = np.stack([zero, zero, zero, one, r, s, -r * r, -r * s], 1)
    return np.stack([first, second], 1)


def _tied_values(strain: Array, shear: Array) -> tuple[Array, Array]:
    """Return what determines the fields (q, 3, n) and (q, 2, n), known at the points _TRI_TIES, of tri6.

    Strains and shears along each side at two points, s = 0, r = 0 and -r + s, and their means.
    """
    sides, inside = (
        (strain[:2, 0], strain[2:4, 1], strain[4:6, 0] + strain[4:6, 1] - strain[4:6, 2]),
        strain[6:],
    )
    plane = np.concatenate([*sides, 2 * np.einsum("q,qan->an", SIX_POINTS[1], inside)])
    sides, inside = (shear[:2, 0], shear[2:4, 1], shear[4:6, 1] - shear[4:6, 0]), shear[6:]
    return plane, np.concatenate([*sides, 2 * np.einsum("q,qan->an", SIX_POINTS[1], inside)])


@cache
def _triangle_table() -> tuple[Array, Array]:
    """Return the coefficients (9, 9) and (8, 8) of the fields of strains and shears of tri6 from the tied values."""
    plane, shear = _tied_values(_edge_strains(_TRI_TIES), _edge_space(_TRI_TIES))
    return np.linalg.inv(plane), np.linalg.inv(shear)


def _tied_quad(X: Array, V: Array, xi: Array) -> tuple[Array, Array, Array]:
    """Return membrane strains, curvatures and shears of quad9 in the tangent frames, interpolated from tying points.

    The components that are interpolated belong to the base vectors in the middle of the element, everywhere.
    """
    a, b = np.array([-_A, _A]), np.array([-_B, 0.0, _B])
    to_frame = surface("quad9", X, np.zeros((1, 2))).T
    to_base = np.linalg.inv(to_frame)
    plane, linear, shear = [], [], []
    for row, (points, levels) in enumerate(zip(_QUAD_TIES, ((a, b), (b, a), (a, a)), strict=True)):
        at = surface("quad9", X, points)
        shapes, values = _products(points, levels, xi), _covariant("quad9", X, V, points)
        turn = strain_turn(to_base @ at.T)[:, :, row, None]
        plane.append(shapes @ (turn @ values[0])[:, :, 0])
        linear.append(shapes @ (turn @ values[1])[:, :, 0])
        if row < 2:
            shear.append(shapes @ ((to_base @ at.T)[:, :, row, None] @ values[2])[:, :, 0])
    R = strain_turn(to_frame)
    return R @ np.stack(plane, 2), R @ np.stack(linear, 2), to_frame @ np.stack(shear, 2)


def _tied_triangle(X: Array, V: Array, xi: Array) -> tuple[Array, Array, Array]:
    """Return membrane strains, curvatures and shears of tri6 in the tangent frames, interpolated from the tied values.

    The components that are interpolated are covariant, each belongs to the base vectors of its place.
    """
    plane, linear, shear = (np.moveaxis(a, 0, -1) for a in _covariant("tri6", X, V, _TRI_TIES))
    q, _, d, ne = plane.shape
    flat = [a.reshape(q, a.shape[1], d * ne) for a in (plane, linear, shear)]
    tied = [_tied_values(flat[0], flat[2]), _tied_values(flat[1], flat[2])]
    of_strain, of_shear = _triangle_table()
    fields = [_edge_strains(xi) @ of_strain, _edge_strains(xi) @ of_strain, _edge_space(xi) @ of_shear]
    found = [f @ v for f, v in zip(fields, (tied[0][0], tied[1][0], tied[0][1]), strict=True)]
    e, k, shears = (np.moveaxis(a.reshape(len(xi), -1, d, ne), -1, 0) for a in found)
    T = surface("tri6", X, xi).T
    bend, _ = _bubble(X, V, xi)
    inside = 2 * np.einsum("q,eqam->eam", SIX_POINTS[1], _bubble(X, V, SIX_POINTS[0])[1])
    tied_slide = np.einsum("qab,ebm->eqam", fields[2].reshape(len(xi), 2, 8)[:, :, 6:], inside)
    curvature = np.concatenate([strain_turn(T) @ k, strain_turn(T) @ bend], 3)
    none = np.zeros((*curvature.shape[:3], 2))
    return (
        np.concatenate([strain_turn(T) @ e, none], 3),
        curvature,
        T @ np.concatenate([shears, tied_slide], 3),
    )


def _bubble(X: Array, V: Array, xi: Array) -> tuple[Array, Array]:
    """Return covariant curvatures (ne, q, 3, 2) and shears (ne, q, 2, 2) of two rotations inside tri6.

    27 r s (1 - r - s) times the turn about either tangent in the middle.
    """
    (r, s), (N, dN) = xi.T, shape_functions("tri6", xi)
    bubble, slope = 27 * r * s * (1 - r - s), 27 * np.stack([s * (1 - 2 * r - s), r * (1 - r - 2 * s)], 1)
    about = surface("tri6", X, np.full((1, 2), 1 / 3)).frame[:, 0, :2]
    g = np.swapaxes(dN, 1, 2) @ X[:, None]
    turn = cross((N @ V)[:, :, None], g) @ np.swapaxes(about, 1, 2)[:, None]
    mixed = turn[:, :, 0] * slope[:, 1, None] + turn[:, :, 1] * slope[:, 0, None]
    own = turn * slope[..., None]
    return np.concatenate([own, mixed[:, :, None]], 2), turn * bubble[:, None, None]


def strains(kind: str, X: Array, V: Array, xi: Array) -> tuple[Array, Array, Array]:
    """Return membrane strains and curvatures (ne, q, 3, d) and shears (ne, q, 2, d) in the tangent frames.

    d = 6 nn + 2 on tri6, 54 on quad9.
    """
    return {"tri6": _tied_triangle, "quad9": _tied_quad}[kind](X, V, xi)


def spin(kind: str, X: Array, xi: Array) -> Array:
    """Return psi - (v,1 - u,2) / 2 as B (ne, q, 1, 6 nn)."""
    at = surface(kind, X, xi)
    e1, e2, n = (at.frame[:, :, k, None] for k in range(3))
    B = np.empty((*at.gradient.shape[:3], 6))
    B[..., :3] = (e1 * at.gradient[..., 1, None] - e2 * at.gradient[..., 0, None]) / 2
    B[..., 3:] = n * at.N[None, :, :, None]
    return B.reshape(len(X), len(xi), 1, -1)


def centre_motion(X: Array, V: Array) -> Array:
    """Return F (ne, 6, 48): the motion of the centre of quad9, X and V (ne, 9, 3), from that of quad8's nodes.

    The deflection of the centre beside the eight nodes' functions makes the terms r s^2 of the shear r3 and r^2 s of s3
    vanish in the sum: it is that of uniform bending, and zero for all quadratic fields on parallelograms.
    """
    F = np.repeat(np.kron(_CENTRE, np.eye(6))[None], len(X), 0)
    along_r, along_s = (
        _covariant("quad9", X, V, points)[2][:, :, a] for a, points in enumerate(_QUAD_TIES[:2])
    )
    term = np.array([1.0, -2.0, 1.0])
    row = np.einsum("q,eqd->ed", np.kron([-1.0, 1.0], term), along_r)
    row += np.einsum("q,eqd->ed", np.kron(term, [-1.0, 1.0]), along_s)
    beside = V[:, -1]
    tied = row[:, :48] + (row[:, None, 48:] @ F)[:, 0]
    F[:, :3] -= beside[:, :, None] * (tied / np.einsum("ex,ex->e", row[:, 48:51], beside)[:, None])[:, None]
    return F


def followed(B: Array, F: Array | None) -> Array:
    """Return B (ne, q, m, 48) for the motion of quad8's nodes, from B (ne, q, m, 54) for those of quad9; or B itself.

    ``F`` of :func:`centre_motion`, or None.
    """
    return B if F is None else B[..., :48] + B[..., 48:] @ F[:, None]


class Quadratic:
    """All strains of elements at the points of the stiffness, and what they give.

    Beside the motion of its nodes tri6 has two turns inside, which are eliminated.
    """

    def __init__(self, kind: str, X: Array, V: Array, law: Laws) -> None:
        self.name, self.nodes, self.d = kind, X, 6 * X.shape[1]
        self.kind, self.X, self.V, self.F = self.carrier(kind, X, V)
        xi, w = gauss(self.kind, 3)
        self.at = surface(self.kind, self.X, xi, w)
        membrane, curvature, self.shear = self.strains(xi)
        self.plane = np.concatenate([membrane, curvature], 2)
        spinning = followed(spin(self.kind, self.X, xi), self.F)
        self.spin = np.pad(spinning, ((0, 0),) * 3 + ((0, self.plane.shape[3] - self.d),))
        self.law, self.drilling = law, DRILLING_STIFFNESS * law.A[:, 2:, 2:]
        K = np.sum([quadratic(B, D, self.at.weight) for B, D in self.parts()], axis=0)
        self.K = (K + np.swapaxes(K, 1, 2)) / 2
        d, inner = self.d, -np.linalg.solve(self.K[:, self.d :, self.d :], self.K[:, self.d :, : self.d])
        self.C = np.concatenate([np.broadcast_to(np.eye(d), (len(K), d, d)), inner], 1)

    def strains(self, xi: Array) -> tuple[Array, ...]:
        """Return membrane strains, curvatures and shears at points xi from all motions."""
        return tuple(followed(B, self.F) for B in strains(self.kind, self.X, self.V, xi))

    def parts(self) -> tuple[tuple[Array, Array], ...]:
        """Return pairs of strains and stiffness."""
        return (self.plane, self.law.plane), (self.shear, self.law.S), (self.spin, self.drilling)

    def moved(self, v: Array) -> Array:
        """Return all motions from those of the nodes, v (ne, d)."""
        return (self.C @ v[..., None])[..., 0]

    def stiffness(self) -> Array:
        """Return K (ne, 6 nn, 6 nn) for the motion of the nodes."""
        K = self.K[:, : self.d] @ self.C
        return (K + np.swapaxes(K, 1, 2)) / 2

    def geometric(self, v: Array) -> tuple[Array, Array]:
        """Return K_G (ne, 6 nn, 6 nn) for the motion v (ne, 6 nn) of the middle surface, and the nodal forces."""
        full = self.moved(v)
        N = np.einsum("eab,eqbd,ed->eqa", self.law.plane[:, :3], self.plane, full, optimize=True)
        K = followed(geometric_stiffness.of_membrane(self.at, N)[:, None], self.F)
        K = followed(np.swapaxes(K, 2, 3), self.F)[:, 0]
        f = (self.K[:, : self.d] @ full[..., None])[..., 0]
        return geometric_stiffness.turned(K, self.nodes, f), f

    def resultants(self, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return frames (ne, nn, 3, 3), membrane forces N and moments M (ne, nn, 3), shears Q (ne, nn, 2).

        The strains are evaluated at 2 x 2 points (3 on triangles), where they are most accurate, and extrapolated
        linearly.
        """
        full, (xi, _) = self.moved(v), gauss(self.name, 2)
        corners, nodes = {3: "tri3", 4: "quad4"}[len(xi)], nodes_of(self.name)
        out = shape_functions(corners, nodes)[0] @ np.linalg.inv(shape_functions(corners, xi)[0])
        found = [out @ np.einsum("eqmd,ed->eqm", B, full) for B in self.strains(xi)]
        both = np.concatenate(found[:2], 2) @ np.swapaxes(self.law.plane, 1, 2)
        frame = surface(self.name, self.nodes, nodes).frame
        return frame, both[..., :3], both[..., 3:], found[2] @ np.swapaxes(self.law.S, 1, 2)

    @staticmethod
    def carrier(kind: str, X: Array, V: Array) -> tuple[str, Array, Array, Array | None]:
        """Return the element whose functions carry load and mass: kind, nodes, normals, and F of :func:`followed`."""
        kind_9, X, V = with_centre(kind, X, V)
        return kind_9, X, V, None if kind_9 == kind else centre_motion(X, V)
