"""Compiled loops for solids of any linear elastic material, with or without incompatible modes.

Arrays as in :mod:`.kernel`. ``modes`` (q, m, 3) are the gradients of m internal displacement fields, in the
reference element, at the quadrature points; their physical gradients are taken with the Jacobian J0 at the
centre and scaled by det J0 / det J, so that they vanish in the mean over any element (Taylor, Beresford and
Wilson 1976). ``swell`` (q, v) are v internal fields of volume strain, scaled likewise (Simo, Armero and Taylor
1993). ``centre`` (nn, 3) is dN at the centre. With m = v = 0 the elements are the plain ones.
"""

from __future__ import annotations

import numpy as np

from ..common.jit import jit
from .kernel import gradients, invert, jacobian


@jit
def enriched(X, dN, modes, I0, det0, J, I, g):
    """Gradients g (nn + m, 3) of the shape functions and of the internal fields; returns det J."""
    nn = X.shape[0]
    det = gradients(X, dN, J, I, g[:nn])
    scale = det0 / det
    for k in range(modes.shape[0]):
        for a in range(3):
            total = 0.0
            for b in range(3):
                total += modes[k, b] * I0[b, a]
            g[nn + k, a] = scale * total
    return det


@jit
def products(X, dN, w, modes, swell, centre, J, I, I0, g, G, V, S):
    """Integrate products over one element, internal fields counted after the nodes.

    G[i, j, a, b] = int g_ia g_jb for j >= i, V[k, i, a] = int s_k g_ia, S[k, l] = int s_k s_l.
    """
    n = g.shape[0]
    jacobian(X, centre, J)
    det0 = invert(J, I0)
    G[:] = 0.0
    V[:] = 0.0
    S[:] = 0.0
    for q in range(w.shape[0]):
        det = enriched(X, dN[q], modes[q], I0, det0, J, I, g)
        c, scale = det * w[q], det0 / det
        for i in range(n):
            for a in range(3):
                s = c * g[i, a]
                for j in range(i, n):
                    G[i, j, a, 0] += s * g[j, 0]
                    G[i, j, a, 1] += s * g[j, 1]
                    G[i, j, a, 2] += s * g[j, 2]
        for k in range(swell.shape[1]):
            s = c * scale * swell[q, k]
            for i in range(n):
                for a in range(3):
                    V[k, i, a] += s * g[i, a]
            for l in range(swell.shape[1]):
                S[k, l] += s * scale * swell[q, l]


@jit
def contract(G, V, S, C, Ke):
    """Stiffness of one element, both triangles; C[3a + b, 3c + d] = C_acbd.

    Ke[3i + a, 3j + b] = sum_cd C_acbd G[i, j, c, d]; a volume strain s has the stress p s, p_ab = C_abcc.
    """
    n = G.shape[0]
    for i in range(n):
        for j in range(i, n):
            for a in range(3):
                for b in range(a if i == j else 0, 3):
                    total = 0.0
                    for c in range(3):
                        for d in range(3):
                            total += C[3 * a + b, 3 * c + d] * G[i, j, c, d]
                    Ke[3 * i + a, 3 * j + b] = total
                    Ke[3 * j + b, 3 * i + a] = total
    for k in range(V.shape[0]):
        for i in range(n):
            for a in range(3):
                total = 0.0
                for b in range(3):
                    for c in range(3):
                        total += C[3 * a + c, 3 * b + c] * V[k, i, b]
                Ke[3 * n + k, 3 * i + a] = total
                Ke[3 * i + a, 3 * n + k] = total
        for l in range(V.shape[0]):
            total = 0.0
            for a in range(3):
                for c in range(3):
                    total += C[3 * a + c, 3 * a + c]
            Ke[3 * n + k, 3 * n + l] = total * S[k, l]


@jit
def condense(Ke, nd, T):
    """Eliminate all after the first nd unknowns, which no load acts on: internal = T u.

    Cholesky: K_aa = L L', Y = L^-1 K_au, K_uu -= Y' Y (symmetric to the last bit), T = -L'^-1 Y.
    """
    m = Ke.shape[0] - nd
    L = Ke[nd:, nd:]
    for i in range(m):
        for j in range(i + 1):
            total = L[i, j]
            for k in range(j):
                total -= L[i, k] * L[j, k]
            L[i, j] = np.sqrt(total) if i == j else total / L[j, j]
    for i in range(m):  # the innermost loops run along rows
        for k in range(nd):
            T[i, k] = Ke[nd + i, k]
        for j in range(i):
            f = L[i, j]
            for k in range(nd):
                T[i, k] -= f * T[j, k]
        f = 1.0 / L[i, i]
        for k in range(nd):
            T[i, k] *= f
    for k in range(m):
        for i in range(nd):
            f = T[k, i]
            for j in range(i, nd):
                Ke[i, j] -= f * T[k, j]
    for i in range(nd):
        for j in range(i):
            Ke[i, j] = Ke[j, i]
    for i in range(m - 1, -1, -1):
        for j in range(i + 1, m):
            f = L[j, i]
            for k in range(nd):
                T[i, k] += f * T[j, k]
        f = -1.0 / L[i, i]
        for k in range(nd):
            T[i, k] *= f


@jit
def stiffness(X, dN, w, modes, swell, centre, C):
    """Return K (ne, nd, nd) and the operators T (ne, 3 m + v, nd) from nodal to internal displacements."""
    ne, nn = X.shape[:2]
    n, v, nd = nn + modes.shape[1], swell.shape[1], 3 * nn
    J, I, I0 = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    g, G = np.empty((n, 3)), np.empty((n, n, 3, 3))
    V, S = np.empty((v, n, 3)), np.empty((v, v))
    Ke = np.empty((3 * n + v, 3 * n + v))
    K, T = np.empty((ne, nd, nd)), np.empty((ne, 3 * n + v - nd, nd))
    for e in range(ne):
        products(X[e], dN, w, modes, swell, centre, J, I, I0, g, G, V, S)
        contract(G, V, S, C, Ke)
        if len(Ke) > nd:
            condense(Ke, nd, T[e])
        K[e] = Ke[:nd, :nd]
    return K, T


@jit
def displacement_gradients(X, u, dN, modes, swell, centre):
    """H[a, b] = d u_a / d x_b, (ne, q, 3, 3), of nodal and internal displacements u (ne, 3 nn + 3 m + v)."""
    ne, nn = X.shape[:2]
    n, points = nn + modes.shape[1], dN.shape[0]
    J, I, I0 = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    g = np.empty((n, 3))
    H = np.zeros((ne, points, 3, 3))
    for e in range(ne):
        jacobian(X[e], centre, J)
        det0 = invert(J, I0)
        for q in range(points):
            scale = det0 / enriched(X[e], dN[q], modes[q], I0, det0, J, I, g)
            for i in range(n):
                for a in range(3):
                    for b in range(3):
                        H[e, q, a, b] += u[e, 3 * i + a] * g[i, b]
            for k in range(swell.shape[1]):
                for a in range(3):
                    H[e, q, a, a] += u[e, 3 * n + k] * scale * swell[q, k]
    return H


@jit
def geometric(X, dN, w, stress):
    """Return int g_i . sigma g_j (ne, nn, nn) for stresses (ne, q, 3, 3) at the quadrature points."""
    ne, nn = X.shape[:2]
    J, I = np.empty((3, 3)), np.empty((3, 3))
    g, s = np.empty((nn, 3)), np.empty((nn, 3))
    out = np.zeros((ne, nn, nn))
    for e in range(ne):
        for q in range(w.shape[0]):
            c = gradients(X[e], dN[q], J, I, g) * w[q]
            for i in range(nn):
                for a in range(3):
                    s[i, a] = c * (
                        stress[e, q, a, 0] * g[i, 0]
                        + stress[e, q, a, 1] * g[i, 1]
                        + stress[e, q, a, 2] * g[i, 2]
                    )
            for i in range(nn):
                for j in range(i, nn):
                    out[e, i, j] += s[i, 0] * g[j, 0] + s[i, 1] * g[j, 1] + s[i, 2] * g[j, 2]
        for i in range(nn):
            for j in range(i):
                out[e, i, j] = out[e, j, i]
    return out
