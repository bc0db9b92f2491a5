"""Elements of one kind with one property."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..elements.property import Property


@dataclass(frozen=True, eq=False)
class Group:
    """Elements of one kind with one property: ``nodes`` (ne, nn), ``index`` (ne,) counted through all blocks.

    ``name`` of the element set that has this property, "" for one property over all.
    """

    kind: str
    property: Property
    nodes: np.ndarray
    index: np.ndarray
    name: str = ""
