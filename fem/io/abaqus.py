"""Abaqus input files: parts, instances, sets and materials."""

from pathlib import Path
from .raw import RawMesh


def read_abaqus(path: Path) -> RawMesh:
    raise NotImplementedError
