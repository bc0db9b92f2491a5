"""Helpers of vibration and buckling: the admissible number of modes, and the size of their shapes."""

from __future__ import annotations

import numpy as np

from ..common.errors import InputError
from ..common.numbers import is_integer
from ..model.structure import Structure


def check_number(n: int, structure: Structure, n_held: int, least: int = 0) -> None:
    """Raise InputError for a number of modes that is not valid, or larger than the number of free unknowns with mass.

    ``n_held``: number of degrees of freedom that are held.
    """
    limit = min(int(_carries_mass(structure).sum()), structure.n - n_held)
    check_count(n, least, limit, "eigenmodes", "unknowns that are free and carry mass")


def check_number_held(n: int, structure: Structure, held: np.ndarray) -> None:
    """Raise InputError as :func:`check_number`, for a structure with known held unknowns; at least one mode."""
    massive = _carries_mass(structure)
    massive[held] = False
    check_count(n, 1, int(massive.sum()), "eigenmodes", "unknowns that are free and carry mass")


def _carries_mass(structure: Structure) -> np.ndarray:
    """Return which unknowns carry mass."""
    cloud = structure.cloud
    carries = np.repeat(cloud.mass.diagonal(), 3) if cloud.shape is None else structure.M.diagonal()
    return carries > 0


def check_count(n: int, least: int, limit: int, what: str, of: str) -> None:
    """Raise InputError for a number ``n`` of ``what`` that is not a whole number from ``least`` to ``limit``."""
    if not is_integer(n):
        raise InputError(f"can't compute {n!r} {what}: give a whole number, such as {max(least, 1)}")
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
    size = structure.mesh.size
    columns = np.arange(shapes.shape[1])
    displacement = moved[np.abs(moved).argmax(axis=0), columns]
    rotation = turned[np.abs(turned).argmax(axis=0), columns]
    return np.where(np.abs(displacement) > 1e-9 * size * np.abs(rotation), displacement, rotation)


def listed(values: np.ndarray, limit: int = 8) -> str:
    """Return the first of the values as text."""
    more = f", ... ({len(values)})" if len(values) > limit else ""
    return ", ".join(f"{value:.4g}" for value in values[:limit]) + more
