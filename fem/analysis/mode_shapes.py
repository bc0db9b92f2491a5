"""Helpers of vibration and buckling: the admissible number of modes, and the size of their shapes."""

from __future__ import annotations

import numpy as np

from ..common.errors import InputError
from ..model.structure import Structure


def check_number(n: int, structure: Structure, conditions: int | np.ndarray, least: int = 0) -> None:
    """Raise InputError for a number of modes that is not valid, or larger than the number of free unknowns with mass.

    ``conditions``: the unknowns that are held, or the number of conditions.
    """
    cloud = structure.cloud
    carries = np.repeat(cloud.mass.diagonal(), 3) if cloud.shape is None else structure.M.diagonal()
    massive = carries > 0
    if isinstance(conditions, np.ndarray):
        massive[conditions] = False
        limit = int(massive.sum())
    else:
        limit = min(int(massive.sum()), structure.n - int(conditions))
    check_count(n, least, limit, "eigenmodes", "unknowns that are free and carry mass")


def check_count(n: int, least: int, limit: int, what: str, of: str) -> None:
    """Raise InputError for a number ``n`` of ``what`` that is not a whole number from ``least`` to ``limit``."""
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise InputError(
            f"can't compute {n!r} {what}: their number is a whole number, such as {max(least, 1)}"
        )
    if limit < max(least, n):
        raise InputError(f"can't compute {n} {what}: there are {max(limit, 0)} {of}")
    if n < least:
        raise InputError(f"can't compute {n} {what}: ask for {least} to {limit}")


def largest_displacements(structure: Structure, shapes: np.ndarray) -> np.ndarray:
    """Return the largest displacements (k,) of shapes (unknowns, k), with sign, or else the largest rotations.

    A displacement below 1e-9 of the rotations times the structure's size counts as zero.
    """
    moved = structure.displacements(shapes).reshape(-1, shapes.shape[1])
    turned = structure.rotations(shapes).reshape(-1, shapes.shape[1])
    size = np.linalg.norm(np.ptp(structure.mesh.points, axis=0))
    columns = np.arange(shapes.shape[1])
    displacement = moved[np.abs(moved).argmax(axis=0), columns]
    rotation = turned[np.abs(turned).argmax(axis=0), columns]
    return np.where(np.abs(displacement) > 1e-9 * size * np.abs(rotation), displacement, rotation)


def listed(values: np.ndarray, limit: int = 8) -> str:
    """Return the first of the values as text."""
    more = f", ... ({len(values)})" if len(values) > limit else ""
    return ", ".join(f"{value:.4g}" for value in values[:limit]) + more
