"""Nodes without elements, for structures that are known by their matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..common.errors import listing
from .mesh import Mesh


@dataclass(frozen=True, eq=False, repr=False)
class Nodes(Mesh):
    """A mesh that holds nodes and node sets alone."""

    needs_elements: ClassVar[bool] = False

    def __repr__(self) -> str:
        return f"<Nodes {self.name!r}: {self.n_nodes}; node sets {listing(self.node_sets, 6)}>"
