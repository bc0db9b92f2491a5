"""Elements of one kind with one property."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements.formulation import Property


@dataclass(frozen=True, eq=False)
class Group:
    """Elements of one kind with one property: ``nodes`` (ne, nn), ``index`` (ne,) counted through all blocks."""

    kind: str
    property: Property
    nodes: np.ndarray
    index: np.ndarray
