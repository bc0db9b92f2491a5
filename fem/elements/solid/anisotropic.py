"""Compiled loops for solids of any linear elastic material, with or without incompatible modes.

Arrays as in :mod:`.kernel`. ``modes`` (q, m, 3) are the gradients of m internal displacement fields, in the
reference element, at the quadrature points; their physical gradients are taken with the Jacobian J0 at the
centre and scaled by det J0 / det J, so that they vanish in the mean over any element (Taylor, Beresford and
Wilson 1976). ``swell`` (q, v) are v internal fields of volume strain, scaled likewise (Simo, Armero and Taylor
1993). ``centre`` (nn, 3) is dN at the centre. With m = v = 0 the elements are the plain ones. See
``fem/core/elastic_solids.cpp`` and ``geometric_stiffness.cpp``. Shapes are not checked here.
"""

from __future__ import annotations

import numpy as np

from ...common.compiled import function

_stiffness = function("fem_solid_stiffness", *["int"] * 5, *["input"] * 7, *["reals"] * 2)
_displacement_gradients = function("fem_solid_displacement_gradients", *["int"] * 5, *["input"] * 6, "reals")
_geometric = function("fem_solid_geometric", *["int"] * 3, *["input"] * 4, "reals")
_geometric_products = function("fem_solid_geometric_products", *["int"] * 7, *["input"] * 9, "reals")


def stiffness(X, dN, w, modes, swell, centre, C):
    """Return the stiffness K_ia,jb = int C_acbd N_i,c N_j,d of solids, the internal fields eliminated.

    Parameters
    ----------
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    dN, w : arrays (q, nn, 3), (q,)
        Gradients of the shape functions in the reference element, and weights of the q points.
    modes, swell : arrays (q, m, 3), (q, v)
        Gradients of the internal displacements, and internal volume strains, at the points.
    centre : array (nn, 3)
        Gradients of the shape functions at the centre.
    C : array (9, 9)
        Elastic constants (Pa): C_acbd in row 3a + b and column 3c + d.

    Returns
    -------
    K : array (ne, 3 nn, 3 nn)
        Stiffness (N/m).
    T : array (ne, 3 m + v, 3 nn)
        From nodal to internal displacements; NaN where the internal fields have no stiffness.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    sizes = *X.shape[:2], len(w), modes.shape[1], swell.shape[1]
    ne, nn, _, m, v = sizes
    K, T = np.empty((ne, 3 * nn, 3 * nn)), np.empty((ne, 3 * m + v, 3 * nn))
    _stiffness(*sizes, X, dN, w, modes, swell, centre, C, K, T)
    return K, T


def displacement_gradients(X, u, dN, modes, swell, centre):
    """Return the gradients H_ab = d u_a / d x_b of displacements.

    Parameters
    ----------
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    u : array (ne, 3 nn + 3 m + v)
        Displacements of the nodes and of the internal fields (m), then internal volume strains.
    dN, modes, swell, centre
        As in :func:`stiffness`, at any q points.

    Returns
    -------
    array (ne, q, 3, 3)
        H at each point.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    sizes = *X.shape[:2], len(dN), modes.shape[1], swell.shape[1]
    H = np.empty((len(X), len(dN), 3, 3))
    _displacement_gradients(*sizes, X, u, dN, modes, swell, centre, H)
    return H


def geometric(X, dN, w, stress):
    """Return the geometric stiffness int g_i . sigma g_j, g_i = grad N_i, the same along all three directions.

    Parameters
    ----------
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    dN, w : arrays (q, nn, 3), (q,)
        Gradients of the shape functions in the reference element, and weights of the q points.
    stress : array (ne, q, 3, 3)
        The stress sigma (Pa) at the points, symmetric.

    Returns
    -------
    array (ne, nn, nn)
        Geometric stiffness (N/m).

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    ne, nn = X.shape[:2]
    out = np.empty((ne, nn, nn))
    _geometric(ne, nn, len(w), X, dN, w, stress, out)
    return out


def geometric_products(X, u, Phi, dN, w, modes, swell, centre, C):
    """Return sum_e Phi' K_G[sigma(u_k)] Phi of n displacements u_k, without the matrices K_G of :func:`geometric`.

    Parameters
    ----------
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    u : array (ne, 3 nn + 3 m + v, n)
        The displacements that cause stress: of the nodes and of the internal fields (m), then volume strains.
    Phi : array (ne, 3 nn, N)
        Displacements of the nodes (m) that the stress works on.
    dN, w, modes, swell, centre, C
        As in :func:`stiffness`.

    Returns
    -------
    array (n, N, N)
        A matrix for each displacement (N m), summed over the elements; symmetric.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    sizes = *X.shape[:2], len(w), modes.shape[1], swell.shape[1], u.shape[2], Phi.shape[2]
    out = np.empty((u.shape[2], Phi.shape[2], Phi.shape[2]))
    _geometric_products(*sizes, X, dN, w, modes, swell, centre, C, u, Phi, out)
    return out
