"""Membranes with drilling rotations: a hybrid-stress quadrilateral and the optimal ANDES triangle.

Both have as many strain modes as degrees of freedom that strain them (9 of 12, 6 of 9): there is no penalty.

Quadrilateral. The displacement is bilinear, and every side bends with the drilling rotations psi of its ends relative
to the rotation omega of the element's middle (Allman, Comput. Struct. 19 (1984) 1-8; with the cubic term for their
mean as Madeo, Zagari, Casciaro, Finite Elem. Anal. Des. 50 (2012) 21-32). Along its normal, for a side of length L
from i to j, xi in [-1, 1], blended linearly to the opposite side::

    v = L/8 [(psi_i - psi_j) (1 - xi^2) + 2 psi_mean (xi^3 - xi)]

The membrane forces are nine functions in equilibrium inside: seven complete to degree one, and two of degree two that
are conjugate to the drilling modes (+ - + -) and (+ + + +) (Pian, AIAA J. 2 (1964) 1333)::

    N = P beta,  K = G' H^-1 G,  G = int P' B dA,  H = int P' (h C)^-1 P dA

In-plane bending of a rectangle of any aspect ratio is exact. B is taken along the tangent planes, so that warping is
in it. The two of degree two are made orthogonal to the seven, which alone decide on the patch test. The mean strain of
the sides' bending counts 3/2 times, as it does in the triangle, so that a constant stress puts the same drilling
moments (3/2 sigma h L^2 / 12) on a common side from either element: meshes of both pass the patch test.

Triangle. Felippa, Comput. Methods Appl. Mech. Engrg 192 (2003) 2125-2168, the member of the template that is exact in
in-plane bending at any aspect ratio: alpha_b = 3/2, beta_1..9 = 1, 2, 1, 0, 1, -1, -1, -1, -2, beta_0 = (1 - 4 nu^2)/2.

In both, a part of the stiffness resists drilling rotations alone and has no effect on the patch test: that of the two
functions of degree two, and that of beta_0. It is multiplied by :func:`kept`, between 0.01 and 1. A facet of a
curved shell is tilted to it, so that bending rotations have a drilling part there, which must not be stiff where
bending is soft (with 1 an 8 x 8 hemisphere of R/h = 250 reaches 64 % of its deflection on quad4 and 49 % on tri3,
with 0.01 92 and 95 %). On the other hand, the twisting moments of two tilted facets are balanced by drilling moments,
which need enough stiffness where facets are small (Raasch's hook of quad4: with 0.01 the deflection grows without limit
as the mesh is refined, with 1 it converges). The factor has little effect on plane problems: Cook's membrane on 4 x 4
gives 0.993 to 0.999 of quad4, 0.88 to 0.94 of tri3. Stembera and Fussl, arXiv:1906.06136, scale their drilling
stiffness with the thickness, too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .geometry import (
    SIDES,
    Array,
    Surface,
    cross,
    element_frame,
    gauss,
    shape_functions,
    surface,
    vector_strain,
)

_BETA = (1.0, 2.0, 1.0, 0.0, 1.0, -1.0, -1.0, -1.0, -2.0)
#: Felippa's alpha_b: the part of the sides' bending that the mean strain sees, in both elements
ALPHA = 1.5


def _side_functions(xi: Array) -> Array:
    """Return gradients (q, 8, 2) of the quadratic (first 4) and cubic functions of the sides of quad4."""
    r, s = xi.T
    along = np.stack([r, s, -r, -s], 1)[..., None]  # runs from -1 to 1 from a side's first node to its second
    d_along = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    blend = np.stack([1 - s, 1 + r, 1 + s, 1 - r], 1)[..., None] / 2
    d_blend = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]) / 2
    quadratic = -2 * along * d_along * blend + (1 - along**2) * d_blend
    cubic = (3 * along**2 - 1) * d_along * blend + (along**3 - along) * d_blend
    return np.concatenate([quadratic, cubic], 1)


def rotation(X: Array) -> Array:
    """Return W (ne, 3, 24): the rotation vector of the middle of quad4, from the nodes' translations."""
    at = surface("quad4", X, np.zeros((1, 2)))
    frame, d = at.frame[:, 0], at.gradient[:, 0]
    e1, e2, n = frame[:, 0, None], frame[:, 1, None], frame[:, 2, None]
    d1, d2 = d[..., 0, None], d[..., 1, None]
    # w_n = (e2 . u,1 - e1 . u,2) / 2, w_1 = n . u,2, w_2 = -n . u,1
    spin = (e2 * d1 - e1 * d2) / 2
    W = np.zeros((len(X), 3, 4, 6))
    W[..., :3] = np.einsum("ekx,eiy->exiy", n, spin)
    W[..., :3] += np.einsum("ekx,eiy->exiy", e1, n * d2) - np.einsum("ekx,eiy->exiy", e2, n * d1)
    return W.reshape(-1, 3, 24)


def side_strains(X: Array, V: Array, xi: Array, at: Surface) -> tuple[Array, Array]:
    """Return membrane strains (ne, q, 3, 8) of the sides' bending at points of a quadrature, and amounts (ne, 8, 24).

    First the four quadratic functions, then the cubic ones; ``amounts`` gives how much there is of each.
    """
    ne, q = at.weight.shape
    psi = -(V @ rotation(X)).reshape(ne, 4, 4, 6)
    for i in range(4):
        psi[:, i, i, 3:] += V[:, i]
    psi = psi.reshape(ne, 4, 24)
    i, j = np.array(SIDES["quad4"]).T
    across = cross((V[:, i] + V[:, j]) / 2, X[:, j] - X[:, i])
    turn = np.repeat(psi.mean(1, keepdims=True), 4, axis=1)
    amounts = np.concatenate([psi[:, i] - psi[:, j], 2 * turn], 1) / 8
    gradient = _side_functions(xi) @ np.swapaxes(at.T, 2, 3)
    sides = vector_strain(at.frame, gradient, np.concatenate([across, across], 1))
    mean = (at.weight[:, None] @ sides.reshape(ne, q, 24)).reshape(ne, 3, 8) / at.weight.sum(1)[:, None, None]
    sides[..., :4] += (ALPHA - 1) * mean[:, None, :, :4]
    return sides, amounts


def work(Pw: Array, X: Array, V: Array, xi: Array, at: Surface) -> Array:
    """Return G (ne, 9, 24), the work of the stress functions Pw (ne, q, 3, 9), weights included, on the strains."""
    ne, q = at.weight.shape
    sides, amounts = side_strains(X, V, xi, at)
    G = np.swapaxes(Pw.reshape(ne, 3 * q, 9), 1, 2) @ sides.reshape(ne, 3 * q, 8) @ amounts
    # N_ab u,b . e_a of the bilinear displacements, without their B, which would be three times larger
    e1, e2 = at.frame[:, :, 0, None], at.frame[:, :, 1, None]
    force = np.empty((ne, q, 2, 9, 3))
    force[:, :, 0] = Pw[:, :, 0, :, None] * e1 + Pw[:, :, 2, :, None] * e2
    force[:, :, 1] = Pw[:, :, 2, :, None] * e1 + Pw[:, :, 1, :, None] * e2
    gradient = np.swapaxes(at.gradient, 2, 3).reshape(ne, 2 * q, 4)
    plain = np.swapaxes(gradient, 1, 2) @ force.reshape(ne, 2 * q, 27)
    G.reshape(ne, 9, 4, 6)[..., :3] += plain.reshape(ne, 4, 9, 3).swapaxes(1, 2)
    return G


def stress_functions(X: Array, xi: Array, frame: Array) -> Array:
    """Return P (ne, q, 3, 9) of N11, N22, N12 at points xi, in lengths of the element's own size."""
    middle = X.mean(1)
    half = np.stack([X[:, 1] + X[:, 2] - X[:, 0] - X[:, 3], X[:, 2] + X[:, 3] - X[:, 0] - X[:, 1]], 1) / 4
    lengths = np.linalg.norm(half, axis=-1)
    size = np.sqrt(lengths[:, 0] * lengths[:, 1])
    place = (shape_functions("quad4", xi)[0] @ (X - middle[:, None])) / size[:, None, None]
    x, y = np.moveaxis(place @ np.swapaxes(frame[:, :2], 1, 2), 2, 0)
    a2, b2 = ((lengths / size[:, None]) ** 2).T[..., None]
    P = np.zeros((*x.shape, 3, 9))
    P[..., 0, 0] = P[..., 1, 1] = P[..., 2, 2] = 1.0
    P[..., 0, 3], P[..., 1, 4] = y, x
    P[..., 0, 5], P[..., 2, 5] = x, -y
    P[..., 1, 6], P[..., 2, 6] = y, -x
    P[..., 0, 7], P[..., 1, 7] = -(y**2), x**2
    P[..., 0, 8], P[..., 1, 8], P[..., 2, 8] = -2 * x * y / b2, 2 * x * y / a2, y**2 / b2 - x**2 / a2
    return P


def kept(thickness: Array, area: Array) -> Array:
    """Return the part of the stiffness against drilling alone that is kept: (4 h / l)^2 between 0.01 and 1.

    ``thickness`` (ne,) h in m, ``area`` (ne,) l^2 in m^2, l the side of the square: a quadrilateral's own area, twice a
    triangle's.
    """
    return np.clip(16 * thickness**2 / area, 0.01, 1.0)


def hybrid(
    X: Array, V: Array, A: Array, thickness: Array, strain: Array | None = None
) -> tuple[Array, Array]:
    """Return (beta, G) (ne, 9, 24) of quad4 for the membrane stiffness A = h C (ne, 3, 3) in N/m: K = G' beta.

    The last two of beta are amounts of the two functions of degree two made orthogonal to the seven before them;
    the seven are those of the forces complete to degree one. ``strain`` (ne, 9, 3, 24): membrane strains at the 3 x 3
    points beside those of the displacement, on which the seven work too.
    """
    xi, w = gauss("quad4", 3)
    at = surface("quad4", X, xi, w)
    P = stress_functions(X, xi, element_frame("quad4", X))
    ne, q = at.weight.shape
    Pw = P * at.weight[..., None, None]
    flexible = (np.linalg.inv(A)[:, None] @ P).reshape(ne, 3 * q, 9)
    H = np.swapaxes(Pw.reshape(ne, 3 * q, 9), 1, 2) @ flexible
    G = work(Pw, X, V, xi, at)
    first = np.linalg.solve(H[:, :7, :7], np.concatenate([H[:, :7, 7:], G[:, :7]], 2))
    mixed = np.swapaxes(first[..., :2], 1, 2)
    H2 = H[:, 7:, 7:] - mixed @ H[:, :7, 7:]
    G2 = G[:, 7:] - mixed @ G[:, :7]
    if strain is not None:
        own = np.swapaxes(Pw[..., :7].reshape(ne, 3 * q, 7), 1, 2) @ strain.reshape(ne, 3 * q, 24)
        G[:, :7] += own
        first[..., 2:] += np.linalg.solve(H[:, :7, :7], own)
    part = kept(thickness, at.weight.sum(1))[:, None, None]
    beta = np.concatenate([first[..., 2:], part * np.linalg.solve(H2, G2)], 1)
    return beta, np.concatenate([G[:, :7], G2], 1)


def strain_triangle(X: Array, A: Array, thickness: Array) -> Array:
    """Return B (ne, 3, 3, 9) of tri3 at the nodes, from u, v, theta of node 1, 2, 3 in the element's frame.

    With them int B' A B dA is the area times the mean over the middles of the sides, where B is the mean of its
    values at the side's two ends. ``A`` (ne, 3, 3) gives the Poisson's ratio of beta_0.
    """
    frame = element_frame("tri3", X)
    x, y = np.einsum("eix,eAx->Aei", X - X[:, :1], frame[:, :2])
    ne = len(x)

    def X_(i: int, j: int) -> Array:
        """Return x_i - x_j (ne,), nodes counted from 1."""
        return x[:, i - 1] - x[:, j - 1]

    def Y_(i: int, j: int) -> Array:
        """Return y_i - y_j (ne,), nodes counted from 1."""
        return y[:, i - 1] - y[:, j - 1]

    area2 = X_(2, 1) * Y_(3, 1) - X_(3, 1) * Y_(2, 1)
    mean = np.zeros((ne, 3, 3, 3))  # strain, node, freedom
    hierarchy = np.zeros((ne, 3, 9))
    for i, j, k in ((1, 2, 3), (2, 3, 1), (3, 1, 2)):  # Felippa's L, node by node
        yy, xx = Y_(j, k), X_(k, j)
        mean[:, 0, i - 1, 0] = mean[:, 2, i - 1, 1] = yy
        mean[:, 1, i - 1, 1] = mean[:, 2, i - 1, 0] = xx
        mean[:, 0, i - 1, 2] = ALPHA / 6 * yy * (Y_(i, k) - Y_(j, i))
        mean[:, 1, i - 1, 2] = ALPHA / 6 * xx * (X_(k, i) - X_(i, j))
        mean[:, 2, i - 1, 2] = ALPHA / 3 * (X_(k, i) * Y_(i, k) - X_(i, j) * Y_(j, i))
        # rotation less that of the constant-strain triangle, (v,x - u,y) / 2
        hierarchy[:, :, 3 * i - 3] = (xx / (2 * area2))[:, None]
        hierarchy[:, :, 3 * i - 2] = (-yy / (2 * area2))[:, None]
        hierarchy[:, i - 1, 3 * i - 1] = 1.0
    mean = mean.reshape(ne, 3, 9) / area2[:, None, None]
    nu2 = A[:, 0, 1] ** 2 / (A[:, 0, 0] * A[:, 1, 1])
    beta_0 = np.maximum(0.5 * (1 - 4 * nu2), 0.01) * kept(thickness, area2)
    corners = _corner_strains(X_, Y_, area2) @ hierarchy[:, None]
    return mean[:, None] + 1.5 * np.sqrt(beta_0)[:, None, None, None] * corners


def _corner_strains(X_: Callable, Y_: Callable, area2: Array) -> Array:
    """Return T_e Q_i (ne, 3, 3, 3) of Felippa: strains at corner i from the hierarchical rotations."""
    l2 = np.stack([X_(i, j) ** 2 + Y_(i, j) ** 2 for i, j in ((2, 1), (3, 2), (1, 3))], 1)
    columns = []
    for (a, b), (c, d), m in (((2, 3), (1, 3), 0), ((3, 1), (2, 1), 1), ((1, 2), (3, 2), 2)):
        shear = Y_(a, b) * X_(d, c) + X_(b, a) * Y_(c, d)
        columns.append(np.stack([Y_(a, b) * Y_(c, d), X_(a, b) * X_(c, d), shear], 1) * l2[:, m, None])
    natural = np.stack(columns, 2) / area2[:, None, None] ** 2  # Cartesian from natural strains
    b1, b2, b3, b4, b5, b6, b7, b8, b9 = _BETA
    corners = np.array(
        [
            [[b1, b2, b3], [b4, b5, b6], [b7, b8, b9]],
            [[b9, b7, b8], [b3, b1, b2], [b6, b4, b5]],
            [[b5, b6, b4], [b8, b9, b7], [b2, b3, b1]],
        ]
    )
    return natural[:, None] @ (corners * (area2 / 3)[:, None, None, None] / l2[:, None, :, None])


def spread(X: Array, B: Array) -> Array:
    """Return B (ne, q, m, 18) for global components, from B (ne, q, m, 9) for u, v, theta in the element's frame."""
    ne, q, m, _ = B.shape
    frame = element_frame("tri3", X)
    local = B.reshape(ne, q * m, 3, 3)
    out = np.empty((ne, q * m, 3, 6))
    out[..., :3] = local[..., :2] @ frame[:, None, :2]
    out[..., 3:] = local[..., 2:] @ frame[:, None, 2:]
    return out.reshape(ne, q, m, 18)
