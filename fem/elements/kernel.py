"""Compiled loops over all elements of one kind; see ``fem/core/isoparametric.hpp``, ``isotropic_solids.cpp``.

Arrays: ``X`` (ne, nn, 3) nodal coordinates of each element, ``nodes`` (ne, nn) node numbers, ``N`` (q, nn)
and ``dN`` (q, nn, 3) shape functions and their gradients at the quadrature points with weights ``w`` (q,).
The matrices go into one block pattern: row ``i`` of nodes holds columns ``indices[indptr[i]:indptr[i + 1]]``,
sorted, with 3x3 blocks ``K`` (nnz, 3, 3) and scalars ``M`` (nnz,).
"""

from __future__ import annotations

import numpy as np

from ..common.compiled import function

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
    """Return det J (ne, q) of every element at every quadrature point."""
    out = np.empty((len(X), len(dN)))
    _determinants(*X.shape[:2], len(dN), X, dN, out)
    return out


def pattern(starts, flat, n):
    """Sorted pattern (indptr, indices) of n nodes; element e has the nodes flat[starts[e]:starts[e + 1]]."""
    sizes = len(starts) - 1, len(flat), n
    indptr = np.empty(n + 1, np.int64)
    indices = np.empty(_count_columns(*sizes, starts, flat, indptr), np.int64)
    _write_columns(*sizes, starts, flat, indptr, indices)
    return indptr, indices


def add_blocks(nodes, Ke, indptr, indices, K):
    """Add ready matrices Ke (ne, nn, 3, nn, 3) of elements with ``nodes`` (ne, nn) to the blocks K."""
    _add_blocks(*nodes.shape, len(indptr) - 1, nodes, Ke, indptr, indices, K)


def add_elements(
    nodes, X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material, lumped, indptr, indices, K, M
):
    """Add all elements of one kind to K and M; ``material`` (ne, 3) holds lam, mu, rho of each.

    Elements with a constant J (straight tetrahedra, parallelepipeds) take the integrals over the reference
    element, which are the same for all of them; the others are integrated point by point.
    """
    points = np.concatenate([stiff_dN, mass_dN])
    # what changes dN from point to point: X without a part along these has one J (SVD: rank of the changes)
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
    """Return K_e (ne, nn, 3, nn, 3) and scalar M_e (ne, nn, nn) of all elements of one kind."""
    ne, nn = X.shape[:2]
    K, M = np.empty((ne, nn, 3, nn, 3)), np.empty((ne, nn, nn))
    tables = stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material
    _element_matrices(ne, nn, len(stiff_w), len(mass_w), X, *tables, K, M)
    return K, M
