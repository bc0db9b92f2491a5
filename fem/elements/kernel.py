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
    """J[a, b] = d x_a / d xi_b of one element at one point."""
    for a in range(3):
        for b in range(3):
            total = 0.0
            for i in range(X.shape[0]):
                total += X[i, a] * dN[i, b]
            J[a, b] = total


@jit
def determinants(X, dN):
    """Return det J (ne, q) of every element at every quadrature point."""
    ne, nn = X.shape[:2]
    q = dN.shape[0]
    table = np.empty((nn, 3, q))  # points last: the innermost loops run over them
    for k in range(q):
        for i in range(nn):
            for b in range(3):
                table[i, b, k] = dN[k, i, b]
    J = np.empty((3, 3, q))
    out = np.empty((ne, q))
    for e in range(ne):
        J[:] = 0.0
        for i in range(nn):
            for a in range(3):
                x = X[e, i, a]
                for b in range(3):
                    for k in range(q):
                        J[a, b, k] += x * table[i, b, k]
        for k in range(q):
            out[e, k] = (
                J[0, 0, k] * (J[1, 1, k] * J[2, 2, k] - J[1, 2, k] * J[2, 1, k])
                - J[0, 1, k] * (J[1, 0, k] * J[2, 2, k] - J[1, 2, k] * J[2, 0, k])
                + J[0, 2, k] * (J[1, 0, k] * J[2, 1, k] - J[1, 1, k] * J[2, 0, k])
            )
    return out


@jit
def invert(J, I):
    """I = J^-1 of a 3 x 3 matrix; returns det J."""
    det = (
        J[0, 0] * (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1])
        - J[0, 1] * (J[1, 0] * J[2, 2] - J[1, 2] * J[2, 0])
        + J[0, 2] * (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0])
    )
    r = 1.0 / det
    I[0, 0] = (J[1, 1] * J[2, 2] - J[1, 2] * J[2, 1]) * r
    I[0, 1] = (J[0, 2] * J[2, 1] - J[0, 1] * J[2, 2]) * r
    I[0, 2] = (J[0, 1] * J[1, 2] - J[0, 2] * J[1, 1]) * r
    I[1, 0] = (J[1, 2] * J[2, 0] - J[1, 0] * J[2, 2]) * r
    I[1, 1] = (J[0, 0] * J[2, 2] - J[0, 2] * J[2, 0]) * r
    I[1, 2] = (J[0, 2] * J[1, 0] - J[0, 0] * J[1, 2]) * r
    I[2, 0] = (J[1, 0] * J[2, 1] - J[1, 1] * J[2, 0]) * r
    I[2, 1] = (J[0, 1] * J[2, 0] - J[0, 0] * J[2, 1]) * r
    I[2, 2] = (J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]) * r
    return det


@jit
def gradients(X, dN, J, I, g):
    """g[i, a] = d N_i / d x_a = sum_b dN[i, b] (J^-1)[b, a]; returns det J, leaves J and its inverse I."""
    jacobian(X, dN, J)
    det = invert(J, I)
    for i in range(dN.shape[0]):
        for a in range(3):
            g[i, a] = dN[i, 0] * I[0, a] + dN[i, 1] * I[1, a] + dN[i, 2] * I[2, a]
    return det


@jit
def element_stiffness(X, dN, w, lam, mu, J, I, g, Ke):
    """Isotropic stiffness of one element, upper triangle of nodes only.

    ``Ke[i, j, a, b] = int lam g_ia g_jb + mu (g_ib g_ja + delta_ab g_i . g_j)``, from
    sigma = lam tr(eps) I + 2 mu eps.
    """
    nn = X.shape[0]
    Ke[:] = 0.0
    for q in range(w.shape[0]):
        c = gradients(X, dN[q], J, I, g) * w[q]
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
def element_mass(X, N, dN, w, rho, J, I, Me):
    """Scalar consistent mass of one element, upper triangle: Me[i, j] = int rho N_i N_j."""
    nn = X.shape[0]
    Me[:] = 0.0
    for q in range(w.shape[0]):
        jacobian(X, dN[q], J)
        c = invert(J, I) * w[q] * rho
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
    """Return where column j stands in row i (binary search); :func:`positions` is faster for many."""
    low, high = indptr[i], indptr[i + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def positions(nodes, indptr, indices):
    """Where the blocks of each element stand in the pattern, (ne, nn, nn) int32.

    Row by row: each row is spread once over a table of all columns, in which every element then looks.
    """
    ne, nn = nodes.shape
    n = len(indptr) - 1
    first = np.zeros(n + 1, np.int64)
    for e in range(ne):
        for k in range(nn):
            first[nodes[e, k] + 1] += 1
    for i in range(n):
        first[i + 1] += first[i]
    fill = first[:-1].copy()
    touching = np.empty(ne * nn, np.int64)
    for e in range(ne):
        for k in range(nn):
            touching[fill[nodes[e, k]]] = e * nn + k
            fill[nodes[e, k]] += 1
    where = np.empty(n, np.int32)
    out = np.empty((ne, nn, nn), np.int32)
    for i in range(n):
        if first[i] == first[i + 1]:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            where[indices[p]] = p
        for t in range(first[i], first[i + 1]):
            e, k = touching[t] // nn, touching[t] % nn
            for l in range(nn):
                out[e, k, l] = where[nodes[e, l]]
    return out


@jit
def add_blocks(nodes, Ke, indptr, indices, K):
    """Add ready matrices Ke (ne, nn, 3, nn, 3) of elements with ``nodes`` (ne, nn) to the blocks K."""
    ne, nn = nodes.shape
    where = positions(nodes, indptr, indices)
    for e in range(ne):
        for i in range(nn):
            for j in range(nn):
                p = where[e, i, j]
                for a in range(3):
                    for b in range(3):
                        K[p, a, b] += Ke[e, i, a, j, b]


@jit
def transformation(I, weight, lam, mu, A):
    """A (9, 9): with R_cd = int dN_ic dN_jd over the reference element, A R is the stiffness of nodes i, j.

    For constant J, ``weight`` = det J and I = J^-1: int g_ia g_jb = weight I_ca I_db R_cd, and the isotropic
    stiffness is lam times that, plus mu times its transpose, plus mu times its trace on the diagonal.
    """
    for c in range(3):
        for d in range(3):
            s = 0.0
            for a in range(3):
                s += I[c, a] * I[d, a]
            for a in range(3):
                for b in range(3):
                    value = lam * I[c, a] * I[d, b] + mu * I[c, b] * I[d, a]
                    if a == b:
                        value += mu * s
                    A[3 * a + b, 3 * c + d] = weight * value


@jit
def is_affine(X, bent):
    """Whether J is the same everywhere: no part of X along ``bent`` (r, nn), to 1e-12 of the element's size."""
    size, far = 0.0, 0.0
    for a in range(3):
        low = high = X[0, a]
        for i in range(1, X.shape[0]):
            low, high = min(low, X[i, a]), max(high, X[i, a])
        size, far = max(size, high - low), max(far, abs(low), abs(high))
    limit = 1e-12 * size + 1e-15 * far
    for r in range(bent.shape[0]):
        for a in range(3):
            total = 0.0
            for i in range(X.shape[0]):
                total += bent[r, i] * X[i, a]
            if abs(total) > limit:
                return False
    return True


@jit
def _add(nodes, X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material, lumped, tables, where, K, M):
    bent, R, Mref = tables
    ne, nn = nodes.shape
    J, I, A = np.empty((3, 3)), np.empty((3, 3)), np.empty((9, 9))
    g = np.empty((nn, 3))
    flat = np.empty((9, R.shape[1]))
    Ke = np.empty((nn, nn, 3, 3))
    Me = np.empty((nn, nn))
    for e in range(ne):
        lam, mu, rho = material[e, 0], material[e, 1], material[e, 2]
        if is_affine(X[e], bent):
            jacobian(X[e], stiff_dN[0], J)
            det = invert(J, I)
            transformation(I, det, lam, mu, A)
            for r in range(9):  # the inner loop written out: it is vectorised as it stands
                for p in range(R.shape[1]):
                    flat[r, p] = (
                        (A[r, 0] * R[0, p] + A[r, 1] * R[1, p] + A[r, 2] * R[2, p])
                        + (A[r, 3] * R[3, p] + A[r, 4] * R[4, p] + A[r, 5] * R[5, p])
                        + (A[r, 6] * R[6, p] + A[r, 7] * R[7, p] + A[r, 8] * R[8, p])
                    )
            for i in range(nn):
                for j in range(i, nn):
                    Me[i, j] = rho * det * Mref[i, j]
        else:
            element_stiffness(X[e], stiff_dN, stiff_w, lam, mu, J, I, g, Ke)
            element_mass(X[e], mass_N, mass_dN, mass_w, rho, J, I, Me)
            pair = 0
            for i in range(nn):
                for j in range(i, nn):
                    for a in range(3):
                        for b in range(3):
                            flat[3 * a + b, pair] = Ke[i, j, a, b]
                    pair += 1
        if lumped:
            lump(Me)
        pair = 0
        for i in range(nn):
            p = where[e, i, i]
            M[p] += Me[i, i]
            for a in range(3):
                for b in range(3):  # symmetric to the last bit
                    K[p, a, b] += flat[3 * min(a, b) + max(a, b), pair]
            pair += 1
            for j in range(i + 1, nn):
                p, r = where[e, i, j], where[e, j, i]
                M[p] += Me[i, j]
                M[r] += Me[i, j]
                for a in range(3):
                    for b in range(3):
                        value = flat[3 * a + b, pair]
                        K[p, a, b] += value
                        K[r, b, a] += value
                pair += 1


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
    i, j = np.triu_indices(points.shape[1])
    R = np.einsum("q,qpc,qpd->cdp", stiff_w, stiff_dN[:, i], stiff_dN[:, j]).reshape(9, -1)
    Mref = np.einsum("q,qi,qj->ij", mass_w, mass_N, mass_N)
    tables = (np.ascontiguousarray(rows[size > 1e-12]), R, Mref)
    where = positions(nodes, indptr, indices)
    _add(nodes, X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material, lumped, tables, where, K, M)


@jit
def element_matrices(X, stiff_dN, stiff_w, mass_N, mass_dN, mass_w, material):
    """Return K_e (ne, nn, 3, nn, 3) and scalar M_e (ne, nn, nn) of all elements of one kind."""
    ne, nn = X.shape[:2]
    J, I = np.empty((3, 3)), np.empty((3, 3))
    g = np.empty((nn, 3))
    Ke = np.empty((nn, nn, 3, 3))
    K = np.empty((ne, nn, 3, nn, 3))
    M = np.empty((ne, nn, nn))
    for e in range(ne):
        element_stiffness(X[e], stiff_dN, stiff_w, material[e, 0], material[e, 1], J, I, g, Ke)
        element_mass(X[e], mass_N, mass_dN, mass_w, material[e, 2], J, I, M[e])
        for i in range(nn):
            for j in range(i, nn):
                M[e, j, i] = M[e, i, j]
                for a in range(3):
                    for b in range(3):
                        K[e, i, a, j, b] = Ke[i, j, a, b]
                        K[e, j, b, i, a] = Ke[i, j, a, b]
    return K, M
