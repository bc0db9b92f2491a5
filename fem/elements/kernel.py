"""Compiled loops over all elements of one kind.

Arrays: ``X`` (ne, nn, 3) nodal coordinates of each element, ``nodes`` (ne, nn) node numbers, ``N`` (q, nn)
and ``dN`` (q, nn, 3) shape functions and their gradients at the quadrature points with weights ``w`` (q,).
The matrices go into one block pattern: row ``i`` of nodes holds columns ``indices[indptr[i]:indptr[i + 1]]``,
sorted, with 3x3 blocks ``K`` (nnz, 3, 3) and scalars ``M`` (nnz,).
"""

from __future__ import annotations

import numpy as np

from ..common.jit import jit


@jit
def jacobian(X, dN, J):
    """J[a, b] = d x_a / d xi_b of one element at one point; returns its determinant."""
    for a in range(3):
        for b in range(3):
            total = 0.0
            for i in range(X.shape[0]):
                total += X[i, a] * dN[i, b]
            J[a, b] = total
    return (
        J[0, 0] * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
        - J[0, 1] * (J[1, 0] * J[2, 2] - J[1, 2] * J[2, 0])
        + J[0, 2] * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
    )


@jit
def determinants(X, dN):
    """Return det J (ne, q) of every element at every quadrature point."""
    J = np.empty((3, 3))
    out = np.empty((X.shape[0], dN.shape[0]))
    for e in range(X.shape[0]):
        for q in range(dN.shape[0]):
            out[e, q] = jacobian(X[e], dN[q], J)
    return out


@jit
def gradients(X, dN, J, g):
    """g[i, a] = d N_i / d x_a = sum_b dN[i, b] (J^-1)[b, a]; returns det J."""
    det = jacobian(X, dN, J)
    r = 1.0 / det
    i00 = (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1]) * r
    i01 = (J[0, 2] * J[2, 1] - J[0, 1] * J[2, 2]) * r
    i02 = (J[0, 1] * J[1, 2] - J[0, 2] * J[1, 1]) * r
    i10 = (J[1, 2] * J[2, 0] - J[1, 0] * J[2, 2]) * r
    i11 = (J[0, 0] * J[2, 2] - J[0, 2] * J[2, 0]) * r
    i12 = (J[0, 2] * J[1, 0] - J[0, 0] * J[1, 2]) * r
    i20 = (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0]) * r
    i21 = (J[0, 1] * J[2, 0] - J[0, 0] * J[2, 1]) * r
    i22 = (J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]) * r
    for i in range(dN.shape[0]):
        g[i, 0] = dN[i, 0] * i00 + dN[i, 1] * i10 + dN[i, 2] * i20
        g[i, 1] = dN[i, 0] * i01 + dN[i, 1] * i11 + dN[i, 2] * i21
        g[i, 2] = dN[i, 0] * i02 + dN[i, 1] * i12 + dN[i, 2] * i22
    return det


@jit
def element_stiffness(X, dN, w, lam, mu, J, g, Ke):
    """Isotropic stiffness of one element, upper triangle of nodes only.

    ``Ke[i, j, a, b] = int lam g_ia g_jb + mu (g_ib g_ja + delta_ab g_i . g_j)``, from
    sigma = lam tr(eps) I + 2 mu eps.
    """
    nn = X.shape[0]
    Ke[:] = 0.0
    for q in range(w.shape[0]):
        c = gradients(X, dN[q], J, g) * w[q]
        for i in range(nn):
            x, y, z = c * g[i, 0], c * g[i, 1], c * g[i, 2]
            for j in range(i, nn):
                u, v, s = g[j, 0], g[j, 1], g[j, 2]
                Ke[i, j, 0, 0] += x * u
                Ke[i, j, 0, 1] += x * v
                Ke[i, j, 0, 2] += x * s
                Ke[i, j, 1, 0] += y * u
                Ke[i, j, 1, 1] += y * v
                Ke[i, j, 1, 2] += y * s
                Ke[i, j, 2, 0] += z * u
                Ke[i, j, 2, 1] += z * v
                Ke[i, j, 2, 2] += z * s
    for i in range(nn):
        for j in range(i, nn):
            trace = mu * (Ke[i, j, 0, 0] + Ke[i, j, 1, 1] + Ke[i, j, 2, 2])
            for a in range(3):
                Ke[i, j, a, a] = (lam + mu) * Ke[i, j, a, a] + trace
                for b in range(a + 1, 3):
                    ab, ba = Ke[i, j, a, b], Ke[i, j, b, a]
                    Ke[i, j, a, b] = lam * ab + mu * ba
                    Ke[i, j, b, a] = Ke[i, j, a, b] if i == j else lam * ba + mu * ab


@jit
def element_mass(X, N, dN, w, rho, J, Me):
    """Scalar consistent mass of one element, upper triangle: Me[i, j] = int rho N_i N_j."""
    nn = X.shape[0]
    Me[:] = 0.0
    for q in range(w.shape[0]):
        c = jacobian(X, dN[q], J) * w[q] * rho
        for i in range(nn):
            s = c * N[q, i]
            for j in range(i, nn):
                Me[i, j] += s * N[q, j]


@jit
def lump(Me):
    """Replace Me by its diagonal scaled to the element's mass (Hinton, Rock and Zienkiewicz 1976)."""
    nn = Me.shape[0]
    total, diagonal = 0.0, 0.0
    for i in range(nn):
        diagonal += Me[i, i]
        total += Me[i, i]
        for j in range(i + 1, nn):
            total += 2.0 * Me[i, j]
            Me[i, j] = 0.0
    for i in range(nn):
        Me[i, i] *= total / diagonal


@jit
def pattern(starts, flat, n):
    """Sorted pattern (indptr, indices) of n nodes; element e has the nodes flat[starts[e]:starts[e + 1]]."""
    ne = len(starts) - 1
    first = np.zeros(n + 1, np.int64)
    for k in range(len(flat)):
        first[flat[k] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    fill = first[:-1].copy()
    touching = np.empty(len(flat), np.int64)
    for e in range(ne):
        for k in range(starts[e], starts[e + 1]):
            touching[fill[flat[k]]] = e
            fill[flat[k]] += 1
    # two passes over the rows: count, then fill; the transpose of a symmetric pattern has its rows sorted
    indptr = np.zeros(n + 1, np.int64)
    seen = np.full(n, -1, np.int64)
    for i in range(n):
        count = 0
        for t in range(first[i], first[i + 1]):
            e = touching[t]
            for k in range(starts[e], starts[e + 1]):
                if seen[flat[k]] != i:
                    seen[flat[k]] = i
                    count += 1
        indptr[i + 1] = indptr[i] + count
    indices = np.empty(indptr[n], np.int64)
    fill = indptr[:-1].copy()
    for i in range(n):
        for t in range(first[i], first[i + 1]):
            e = touching[t]
            for k in range(starts[e], starts[e + 1]):
                j = flat[k]
                if seen[j] != n + i:
                    seen[j] = n + i
                    indices[fill[j]] = i
                    fill[j] += 1
    return indptr, indices


@jit
def position(indptr, indices, i, j):
    """Return where column j stands in row i (binary search)."""
    low, high = indptr[i], indptr[i + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def add_elements(
    nodes, X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material, lumped, indptr, indices, K, M
):
    """Add all elements of one kind to K and M; ``material`` (ne, 3) holds lam, mu, rho of each."""
    ne, nn = nodes.shape
    J = np.empty((3, 3))
    g = np.empty((nn, 3))
    Ke = np.empty((nn, nn, 3, 3))
    Me = np.empty((nn, nn))
    for e in range(ne):
        element_stiffness(X[e], stiff_dN, stiff_w, material[e, 0], material[e, 1], J, g, Ke)
        element_mass(X[e], mass_N, mass_dN, mass_w, material[e, 2], J, Me)
        if lumped:
            lump(Me)
        for i in range(nn):
            for j in range(i, nn):
                p = position(indptr, indices, nodes[e, i], nodes[e, j])
                r = position(indptr, indices, nodes[e, j], nodes[e, i])
                M[p] += Me[i, j]
                if j > i:
                    M[r] += Me[i, j]
                for a in range(3):
                    for b in range(3):
                        K[p, a, b] += Ke[i, j, a, b]
                        if j > i:
                            K[r, b, a] += Ke[i, j, a, b]


@jit
def element_matrices(X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material):
    """Return K_e (ne, nn, 3, nn, 3) and scalar M_e (ne, nn, nn) of all elements of one kind."""
    ne, nn = X.shape[:2]
    J = np.empty((3, 3))
    g = np.empty((nn, 3))
    Ke = np.empty((nn, nn, 3, 3))
    K = np.empty((ne, nn, 3, nn, 3))
    M = np.empty((ne, nn, nn))
    for e in range(ne):
        element_stiffness(X[e], stiff_dN, stiff_w, material[e, 0], material[e, 1], J, g, Ke)
        element_mass(X[e], mass_N, mass_dN, mass_w, material[e, 2], J, M[e])
        for i in range(nn):
            for j in range(i, nn):
                M[e, j, i] = M[e, i, j]
                for a in range(3):
                    for b in range(3):
                        K[e, i, a, j, b] = Ke[i, j, a, b]
                        K[e, j, b, i, a] = Ke[i, j, a, b]
    return K, M
