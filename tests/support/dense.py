"""A small dense assembler over properties, for tests that need a handful of elements and no structure."""

from __future__ import annotations

import numpy as np
import scipy.linalg


class Dense:
    """Nodes X (n,3) and blocks [(kind, nodes (ne,nn), property)]; 6 freedoms a node if any property has them."""

    def __init__(self, X, blocks):
        self.X = np.asarray(X, float)
        self.blocks = [(kind, np.atleast_2d(nodes), prop) for kind, nodes, prop in blocks]
        self.freedoms = max(prop.freedoms for _, _, prop in self.blocks)
        self.n = self.freedoms * len(self.X)

    def rows(self, nodes, prop):
        """Rows of element freedoms, (ne, nd)."""
        return (self.freedoms * nodes[:, :, None] + np.arange(prop.freedoms)).reshape(len(nodes), -1)

    def dofs(self, nodes, names=slice(None)):
        """Rows of the freedoms (numbers 0..5) of nodes."""
        return (self.freedoms * np.atleast_1d(nodes)[:, None] + np.arange(self.freedoms)[names]).ravel()

    def sum(self, matrices):
        """Add element matrices, one array (ne, nd, nd) for each block."""
        total = np.zeros((self.n, self.n))
        for (_, nodes, prop), block in zip(self.blocks, matrices, strict=True):
            for rows, matrix in zip(self.rows(nodes, prop), block, strict=True):
                total[np.ix_(rows, rows)] += matrix
        return total

    @property
    def K(self):
        return self.sum([prop.stiffness(kind, self.X[nodes]) for kind, nodes, prop in self.blocks])

    def M(self, lumped=False):
        return self.sum(
            [mass_matrix(prop.samples(kind, self.X[nodes], lumped)) for kind, nodes, prop in self.blocks]
        )

    def K_G(self, u):
        return self.sum(
            [
                prop.geometric(kind, self.X[nodes], u[self.rows(nodes, prop)])
                for kind, nodes, prop in self.blocks
            ]
        )

    def solve(self, fixed, f, K_G=0.0):
        """Displacements under f (n,) with the freedoms ``fixed`` held."""
        free = np.setdiff1d(np.arange(self.n), fixed)
        u = np.zeros(self.n)
        u[free] = np.linalg.solve((self.K + K_G)[np.ix_(free, free)], np.asarray(f, float)[free])
        return u

    def frequencies(self, fixed=(), lumped=False):
        """All natural frequencies in rad/s, ascending."""
        free = np.setdiff1d(np.arange(self.n), fixed)
        K, M = self.K[np.ix_(free, free)], self.M(lumped)[np.ix_(free, free)]
        return np.sqrt(np.maximum(scipy.linalg.eigh(K, M, eigvals_only=True), 0.0))

    def factors(self, fixed, f, stress=None):
        """Buckling factors of the load f (n,), positive ones ascending, then (as a second array) negative ones."""
        free = np.setdiff1d(np.arange(self.n), fixed)
        G = self.K_G(self.solve(fixed, f) if stress is None else stress)[np.ix_(free, free)]
        inverse = scipy.linalg.eigh(-G, self.K[np.ix_(free, free)], eigvals_only=True)
        inverse = inverse[np.abs(inverse) > 1e-9 * np.abs(inverse).max()]
        return np.sort(1 / inverse[inverse > 0]), np.sort(-1 / inverse[inverse < 0])

    def load(self, node, values):
        """A load vector with ``values`` (up to 6) at one node."""
        f = np.zeros(self.n)
        f[self.freedoms * node : self.freedoms * node + len(values)] = values
        return f


def mass_matrix(samples):
    """Sum w S'S, (ne, nd, nd)."""
    return np.einsum("eq,eqka,eqkb->eab", samples.weights, samples.shape, samples.shape)


def chain(prop, n, length, direction=(1.0, 0.0, 0.0), start=(0.0, 0.0, 0.0)):
    """A straight line of n equal "line2" elements."""
    X = np.asarray(start, float) + np.linspace(0, length, n + 1)[:, None] * np.asarray(direction, float)
    return Dense(X, [("line2", np.stack([np.arange(n), np.arange(1, n + 1)], axis=1), prop)])
