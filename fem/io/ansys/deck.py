"""What an archive (``.cdb``, ``.dat``) defines, in the units and numbers of the file."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from ...mesh.left_out import Omissions
from .blocks import ElementBlock, NodeBlock


@dataclass(eq=False)
class Section:
    """A section: its kind (SHELL, BEAM, ...), subtype, data rows, and where its nodes are."""

    kind: str = ""
    subtype: str = ""
    name: str = ""
    rows: list[list[float]] = field(default_factory=list)
    offset: str = "MID"
    offsets: tuple[float, float] = (0.0, 0.0)
    line: int = 0


@dataclass(eq=False)
class Terms:
    """A constraint equation: terms (node, component, coefficient), and its constant."""

    line: int
    terms: list[tuple[int, str, float]] = field(default_factory=list)
    constant: float = 0.0


@dataclass(eq=False)
class Deck:
    """The content of an archive; numbers of nodes and elements as in the file."""

    nodes: list[NodeBlock] = field(default_factory=list)
    elements: list[ElementBlock] = field(default_factory=list)
    types: dict[int, tuple[str, int]] = field(default_factory=dict)
    options: dict[tuple[int, int], int] = field(default_factory=dict)
    reals: dict[int, list[float]] = field(default_factory=dict)
    materials: dict[int, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    material_lines: dict[int, int] = field(default_factory=dict)  # of their last properties
    sections: dict[int, Section] = field(default_factory=dict)
    systems: dict[int, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    node_components: dict[str, np.ndarray] = field(default_factory=dict)
    element_components: dict[str, np.ndarray] = field(default_factory=dict)
    equations: dict[int, Terms] = field(default_factory=dict)
    couplings: dict[int, tuple[int, str, list[int]]] = field(default_factory=dict)
    supports: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    units: str = ""
    left_out: Omissions = field(default_factory=Omissions)
    slips: list[str] = field(default_factory=list)  # commands that look misspelled, in words
