"""Element coordinate systems of bricks, along which materials of solids lie with CORDM = -1.

Quick Reference Guide, CHEXA: the vectors R, S and T join the middles of opposite faces; the axes are as near to them as
possible, so that R, S and T in these axes make a symmetric, positive definite matrix: their polar decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

#: corners of the faces from which R, S, T start, and of those to which they lead
_FACES = (((3, 0, 4, 7), (2, 1, 5, 6)), ((0, 1, 5, 4), (3, 2, 6, 7)), ((0, 1, 2, 3), (4, 5, 6, 7)))


def axes_of_bricks(X: np.ndarray) -> np.ndarray:
    """Return the axes (ne, 3, 3), as rows, of bricks with nodes X (ne, 8 or 20, 3)."""
    RST = np.stack([X[:, last].mean(axis=1) - X[:, first].mean(axis=1) for first, last in _FACES], axis=1)
    u, _, vt = np.linalg.svd(RST)
    return np.asarray(u @ vt)


@dataclass(eq=False)
class PlaceAxes:
    """The axes of the brick whose middle is nearest, for ``fem.Solid(axes=)``."""

    middles: list[np.ndarray] = field(default_factory=list)
    axes: list[np.ndarray] = field(default_factory=list)

    def add(self, X: np.ndarray) -> None:
        """Add bricks with nodes X (ne, nn, 3) in m."""
        self.middles.append(X.mean(axis=1))
        self.axes.append(axes_of_bricks(X))

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return the axes (k, 3, 3), as rows, at points (k, 3) in m."""
        tree, axes = self._found
        return axes[tree.query(points)[1]]

    @cached_property
    def _found(self) -> tuple[scipy.spatial.cKDTree, np.ndarray]:
        """All middles as a tree, and the axes there."""
        return scipy.spatial.cKDTree(np.vstack(self.middles)), np.concatenate(self.axes)
