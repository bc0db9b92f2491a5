"""The content of an Abaqus file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ...mesh.left_out import Omissions
from .materials import Constants
from .scope import Scope


@dataclass(eq=False)
class Model:
    """The content of a file; a file without parts has everything in ``assembly``."""

    path: Path
    parts: dict[str, Scope] = field(default_factory=dict)
    instances: list[Scope] = field(default_factory=list)
    assembly: Scope = field(default_factory=lambda: Scope(""))
    materials: dict[str, Constants] = field(default_factory=dict)
    left_out: Omissions = field(default_factory=Omissions)
    doubts: list[str] = field(default_factory=list)
    initial_stress: str = ""  # place of the keyword that gives one
    unsupported: dict[str, tuple[str, int]] = field(default_factory=dict)
