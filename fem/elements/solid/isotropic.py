"""Compiled loops over all elements of one kind; see ``fem/core/isoparametric.hpp``, ``isotropic_solids.cpp``.

Arrays: ``X`` (ne, nn, 3) nodal coordinates of each element, ``nodes`` (ne, nn) node numbers, ``N`` (q, nn)
and ``dN`` (q, nn, 3) shape functions and their gradients at the quadrature points with weights ``w`` (q,).
The matrices go into one block pattern: row ``i`` of nodes holds columns ``indices[indptr[i]:indptr[i + 1]]``,
sorted, with 3x3 blocks ``K`` (nnz, 3, 3) and scalars ``M`` (nnz,).

Shapes are not checked here: the compiled loops take sizes and addresses. Arrays that they only read may be of any
kind that numpy converts; those that they fill must be contiguous.
"""

from __future__ import annotations

import numpy as np

from ...common.compiled import function

_determinants = function("fem_determinants", *["int"] * 3, *["input"] * 2, "reals")
_count_columns = function("fem_count_columns", *["int"] * 3, *["indices"] * 2, "ints", result=int)
_write_columns = function("fem_write_columns", *["int"] * 3, *["indices"] * 3, "ints")
_add_blocks = function("fem_add_blocks", *["int"] * 3, "indices", "input", *["indices"] * 2, "reals")
_add_elements = function(
    "fem_add_elements",
    *["int"] * 6,
    "indices",
    *["input"] * 7,
    "int",
    *["input"] * 3,
    *["indices"] * 2,
    *["reals"] * 2,
)
_element_matrices = function("fem_element_matrices", *["int"] * 4, *["input"] * 7, *["reals"] * 2)


def determinants(X, dN):
    """Return det J, J_ab = d x_a / d xi_b, of every element at every quadrature point.

    Parameters
    ----------
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    dN : array (q, nn, 3)
        Gradients of the shape functions in the reference element, at q points.

    Returns
    -------
    array (ne, q)
        Determinants (m^3).

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    out = np.empty((len(X), len(dN)))
    _determinants(*X.shape[:2], len(dN), X, dN, out)
    return out


def pattern(starts, flat, n):
    """Return which nodes share an element: the sorted pattern of matrices over n nodes.

    Parameters
    ----------
    starts : array of int (ne + 1,)
        Element e has the nodes ``flat[starts[e]:starts[e + 1]]``.
    flat : array of int (starts[-1],)
        Node numbers, from 0 to n - 1.
    n : int
        The number of nodes.

    Returns
    -------
    indptr : array of int64 (n + 1,)
        Row i holds the columns ``indices[indptr[i]:indptr[i + 1]]``.
    indices : array of int64 (nnz,)
        Columns, in ascending order in each row.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    sizes = len(starts) - 1, len(flat), n
    indptr = np.empty(n + 1, np.int64)
    indices = np.empty(_count_columns(*sizes, starts, flat, indptr), np.int64)
    _write_columns(*sizes, starts, flat, indptr, indices)
    return indptr, indices


def add_blocks(nodes, Ke, indptr, indices, K):
    """Add element matrices that are ready to the blocks of an assembled one.

    Parameters
    ----------
    nodes : array of int (ne, nn)
        Node numbers of the elements.
    Ke : array (ne, nn, 3, nn, 3)
        Their matrices, for instance stiffness (N/m).
    indptr, indices : arrays of int (n + 1,), (nnz,)
        The pattern, from :func:`pattern`; it holds all pairs of nodes of the elements.
    K : array (nnz, 3, 3)
        Blocks in the pattern, which are added to.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    _add_blocks(*nodes.shape, len(indptr) - 1, nodes, Ke, indptr, indices, K)


def add_elements(
    nodes, X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material, lumped, indptr, indices, K, M
):
    """Add stiffness and mass of all isotropic elements of one kind.

    K_ia,jb = int lam N_i,a N_j,b + mu (N_i,b N_j,a + delta_ab N_i,c N_j,c) and M_ij = int rho N_i N_j.
    Elements with a constant J (straight tetrahedra, parallelepipeds) take the integrals over the reference
    element, which are the same for all of them; the others are integrated point by point.

    Parameters
    ----------
    nodes : array of int (ne, nn)
        Node numbers of the elements.
    X : array (ne, nn, 3)
        Nodal coordinates (m).
    stiff_dN, stiff_w : arrays (q, nn, 3), (q,)
        Gradients of the shape functions in the reference element at the points of the stiffness, and weights.
    mass_N, mass_dN, mass_w : arrays (p, nn), (p, nn, 3), (p,)
        Shape functions, their gradients and weights at the points of the mass.
    material : array (ne, 3)
        Lame's constants lam, mu (Pa) and the density rho (kg/m^3) of each element.
    lumped : bool
        Whether the mass is brought to the diagonal (Hinton, Rock and Zienkiewicz 1976).
    indptr, indices : arrays of int (n + 1,), (nnz,)
        The pattern, from :func:`pattern`; it holds all pairs of nodes of the elements.
    K : array (nnz, 3, 3)
        Blocks of the stiffness (N/m), which are added to.
    M : array (nnz,)
        The mass (kg) along each of the three directions, which is added to.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    points = np.concatenate([stiff_dN, mass_dN])
    # changes of dN between points: elements whose X has no part along these have a constant J (rank by SVD)
    change = (points - points[0]).transpose(0, 2, 1).reshape(-1, points.shape[1])
    _, size, rows = np.linalg.svd(change, full_matrices=False)
    bent = rows[size > 1e-12]
    i, j = np.triu_indices(points.shape[1])
    R = np.einsum("q,qpc,qpd->cdp", stiff_w, stiff_dN[:, i], stiff_dN[:, j]).reshape(9, -1)
    Mref = np.einsum("q,qi,qj->ij", mass_w, mass_N, mass_N)
    sizes = *nodes.shape, len(stiff_w), len(mass_w), len(bent), len(indptr) - 1
    tables = stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material
    _add_elements(*sizes, nodes, X, *tables, lumped, bent, R, Mref, indptr, indices, K, M)


def element_matrices(X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material):
    """Return stiffness and mass of isotropic elements of one kind, integrated point by point.

    Parameters
    ----------
    X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material
        As in :func:`add_elements`.

    Returns
    -------
    K : array (ne, nn, 3, nn, 3)
        Stiffness (N/m).
    M : array (ne, nn, nn)
        Mass (kg) along each of the three directions.

    Raises
    ------
    CoreError
        The compiled core can't be loaded.
    """
    ne, nn = X.shape[:2]
    K, M = np.empty((ne, nn, 3, nn, 3)), np.empty((ne, nn, nn))
    tables = stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material
    _element_matrices(ne, nn, len(stiff_w), len(mass_w), X, *tables, K, M)
    return K, M
