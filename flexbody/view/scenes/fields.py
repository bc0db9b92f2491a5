"""Quantities that colour a solution: displacements and stresses at the points of its surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

import fem
from fem.common.errors import InputError, listing
from fem.elements.solid.stress import principal, von_mises
from fem.model.skin import Skin

AXES = ("x", "y", "z")
VOIGT = ("xx", "yy", "zz", "yz", "xz", "xy")
#: Names of displacements and stresses with their labels.
DISPLACEMENT_LABELS = {"displacement": "displacement", **{a: f"displacement\nalong {a}" for a in AXES}}
STRESS_LABELS = {
    "von_mises": "von Mises\nstress",
    "principal_1": "1st principal\nstress",
    "principal_3": "3rd principal\nstress",
    **{name: f"stress {name}" for name in VOIGT},
    "jump": "jump of von\nMises stress",
}


@dataclass(frozen=True, eq=False)
class Quantity:
    """A quantity at the points of each surface, (m,) each, SI units; nan if unknown."""

    label: str
    unit: str
    values: list[np.ndarray]

    def range(self) -> tuple[float, float]:
        """Return the smallest and the largest known value; (0, 0) if there are none."""
        known = np.concatenate([v[np.isfinite(v)] for v in self.values] or [np.empty(0)])
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def name_of(colour: Any) -> str:
    """Return the name of a quantity that a user gives as ``colour``; empty for an array of values."""
    return colour if isinstance(colour, str) else ""


def quantity(colour: Any, skins: list[Skin], moves: list[np.ndarray], stress: fem.Stress | None) -> Quantity:
    """Return the quantity with the name ``colour``.

    Parameters
    ----------
    colour : str or array_like
        Name of the quantity, or an array (n,) with one value for each node, without unit.
    skins : list of Skin
        The surfaces.
    moves : list of numpy.ndarray
        Displacements of each surface, (m, 3), m.
    stress : fem.Stress or None
        The stress; None for modes, whose size is arbitrary.

    Raises
    ------
    fem.InputError
        For an unknown name or an array of another size.
    """
    if not name_of(colour):
        return _given(colour, skins)
    if colour == "displacement":
        return Quantity(DISPLACEMENT_LABELS[colour], "m", [np.linalg.norm(move, axis=1) for move in moves])
    if colour in AXES:
        return Quantity(DISPLACEMENT_LABELS[colour], "m", [move[:, AXES.index(colour)] for move in moves])
    if stress is None and colour in STRESS_LABELS:
        raise InputError(
            f"colour is {colour!r}, but the size of a mode is arbitrary, and so is its stress; use "
            f"{listing(DISPLACEMENT_LABELS)}, or show the stress of a static solution"
        )
    if stress is None or colour not in STRESS_LABELS:
        names = [*DISPLACEMENT_LABELS, *(STRESS_LABELS if stress is not None else ())]
        raise InputError(
            f"colour is {colour!r}; this result has the colours {listing(names, None)}; or give an array with one "
            "value for each node"
        )
    return Quantity(STRESS_LABELS[colour], "Pa", [_stress(colour, skin, stress) for skin in skins])


def _given(values: Any, skins: list[Skin]) -> Quantity:
    array = np.asarray(values, dtype=float)
    nodes = 1 + max(int(skin.nodes.max()) for skin in skins)
    if array.ndim != 1 or len(array) < nodes:
        raise InputError(
            f"colour is an array of the shape {array.shape}; give one value for each node, ({nodes},)"
        )
    return Quantity("given values", "", [array[skin.nodes] for skin in skins])


def _stress(name: str, skin: Skin, stress: fem.Stress) -> np.ndarray:
    if name == "jump":
        return stress.jump[skin.nodes]
    if skin.family == "line":
        return _of_lines(name, skin, stress)
    if skin.family == "shell":
        sides = stress.shell[skin.nodes]
        tensors = sides[np.arange(len(sides)), skin.side] if skin.side is not None else sides[:, 1]
    else:
        tensors = stress.solid[skin.nodes]
    if name == "von_mises":
        return von_mises(tensors)
    if name in VOIGT:
        return tensors[:, VOIGT.index(name)]
    found = np.full(len(tensors), np.nan)
    known = np.isfinite(tensors).all(axis=1)
    found[known] = principal(tensors[known])[:, int(name[-1]) - 1]
    return found


def _of_lines(name: str, skin: Skin, stress: fem.Stress) -> np.ndarray:
    """Return the stress at the points of beams and trusses.

    It consists of the normal stress there, by axial force and moments, and of the largest shear stress of the section,
    as in :class:`fem.elements.beam.stress.BeamStress`. Components in the global base are nan.
    """
    if name in VOIGT:
        return np.full(len(skin.points), np.nan)
    value = next(value for group, value in stress.of_groups if group is skin.group)
    normal, shear = _line_stress(skin.group.property, value, skin)
    if name == "von_mises":
        return np.sqrt(normal**2 + 3 * shear**2)
    radius = np.sqrt(normal**2 / 4 + shear**2)
    return normal / 2 + (radius if name == "principal_1" else -radius)


@singledispatch
def _line_stress(properties: Any, value: Any, skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    """Return the normal stress and the largest shear stress at the points of line elements, (m,) each, Pa."""
    raise NotImplementedError


@_line_stress.register
def _(properties: fem.Truss, value: Any, skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    assert skin.xi is not None
    normal = np.repeat(np.asarray(value).mean(axis=1), len(skin.xi))  # mean of the bar
    return normal, np.zeros_like(normal)


@_line_stress.register
def _(properties: fem.Beam, value: Any, skin: Skin) -> tuple[np.ndarray, np.ndarray]:
    assert skin.xi is not None
    assert skin.yz is not None
    section = properties.section
    c, s = np.cos(section.angle), np.sin(section.angle)
    main = section.principal
    My, Mz = (value.forces[..., k] for k in (4, 5))
    slopes = np.stack([(c * My + s * Mz) / main.Iy, -(c * Mz - s * My) / main.Iz], axis=2)
    axial, slope_z, slope_y, at = (
        _along(v, skin.xi) for v in (value.axial, slopes[..., 0], slopes[..., 1], value.shear)
    )
    y, z = skin.yz.T
    normal = (axial + slope_z * z + slope_y * y).ravel()
    if not (section.points or section.radius):
        normal = np.full_like(normal, np.nan)
    return normal, at.ravel()


def _along(ends: np.ndarray, xi: np.ndarray) -> np.ndarray:
    """Return values (ne, q) interpolated between those at the ends, (ne, 2)."""
    return ends[:, :1] * (1 - xi) + ends[:, 1:] * xi
