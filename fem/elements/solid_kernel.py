"""Compiled loops for solids of any linear elastic material, with or without incompatible modes.

Arrays as in :mod:`.kernel`. ``modes`` (q, m, 3) are the gradients of m internal displacement fields, in the
reference element, at the quadrature points; their physical gradients are taken with the Jacobian J0 at the
centre and scaled by det J0 / det J, so that they vanish in the mean over any element (Taylor, Beresford and
Wilson 1976). ``swell`` (q, v) are v internal fields of volume strain, scaled likewise (Simo, Armero and Taylor
1993). ``centre`` (nn, 3) is dN at the centre. With m = v = 0 the elements are the plain ones. See
``fem/core/elastic_solids.cpp`` and ``geometric_stiffness.cpp``.
"""

from __future__ import annotations

import numpy as np

from ..common.compiled import function

_stiffness = function("fem_solid_stiffness", *["int"] * 5, *["input"] * 7, *["reals"] * 2)
_displacement_gradients = function("fem_solid_displacement_gradients", *["int"] * 5, *["input"] * 6, "reals")
_geometric = function("fem_solid_geometric", *["int"] * 3, *["input"] * 4, "reals")
_geometric_products = function("fem_solid_geometric_products", *["int"] * 7, *["input"] * 9, "reals")


def stiffness(X, dN, w, modes, swell, centre, C):
    """Return K (ne, nd, nd) and the operators T (ne, 3 m + v, nd) from nodal to internal displacements.

    ``C`` (9, 9) holds C_acbd in row 3a + b and column 3c + d.
    """
    sizes = *X.shape[:2], len(w), modes.shape[1], swell.shape[1]
    ne, nn, _, m, v = sizes
    K, T = np.empty((ne, 3 * nn, 3 * nn)), np.empty((ne, 3 * m + v, 3 * nn))
    _stiffness(*sizes, X, dN, w, modes, swell, centre, C, K, T)
    return K, T


def displacement_gradients(X, u, dN, modes, swell, centre):
    """H[a, b] = d u_a / d x_b, (ne, q, 3, 3), of nodal and internal displacements u (ne, 3 nn + 3 m + v)."""
    sizes = *X.shape[:2], len(dN), modes.shape[1], swell.shape[1]
    H = np.empty((len(X), len(dN), 3, 3))
    _displacement_gradients(*sizes, X, u, dN, modes, swell, centre, H)
    return H


def geometric(X, dN, w, stress):
    """Return int g_i . sigma g_j (ne, nn, nn) for stresses (ne, q, 3, 3) at the quadrature points."""
    ne, nn = X.shape[:2]
    out = np.empty((ne, nn, nn))
    _geometric(ne, nn, len(w), X, dN, w, stress, out)
    return out


def geometric_products(X, u, Phi, dN, w, modes, swell, centre, C):
    """Return sum_e Phi' K_G[sigma(u_k)] Phi (n, N, N) for nodal and internal displacements u (ne, 3 nn + 3 m + v, n).

    Phi (ne, 3 nn, N) are the displacements that the stress works on; ``C`` as in :func:`stiffness`.
    """
    sizes = *X.shape[:2], len(w), modes.shape[1], swell.shape[1], u.shape[2], Phi.shape[2]
    out = np.empty((u.shape[2], Phi.shape[2], Phi.shape[2]))
    _geometric_products(*sizes, X, dN, w, modes, swell, centre, C, u, Phi, out)
    return out
