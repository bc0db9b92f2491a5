"""Thicknesses of shells that vary from place to place."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy


@dataclass(eq=False)
class PlaceThickness:
    """The thickness of the element whose middle is nearest, for ``fem.Shell(thickness_at=)``, in m."""

    middles: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)

    def add(self, X: np.ndarray, values: np.ndarray) -> None:
        """Add elements with nodes X (ne, nn, 3) and thicknesses (ne,), in m."""
        self.middles.append(X.mean(axis=1))
        self.values.append(values)

    @property
    def mean(self) -> float:
        """Mean thickness of the elements, m."""
        return float(np.concatenate(self.values).mean())

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Return thicknesses (k,) in m at points (k, 3) in m."""
        tree, values = self._found
        return values[tree.query(points)[1]]

    @cached_property
    def _found(self) -> tuple[scipy.spatial.cKDTree, np.ndarray]:
        """All middles as a tree, and their thicknesses."""
        return scipy.spatial.cKDTree(np.vstack(self.middles)), np.concatenate(self.values)
