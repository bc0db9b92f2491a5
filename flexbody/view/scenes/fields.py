"""Quantities that colour a solution: displacements and stresses at the points of its surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import fem
from fem.common.errors import InputError, listing
from fem.common.names import with_match
from fem.common.numbers import floats, shown
from fem.elements.solid.stress import principal, von_mises
from fem.model.outer_surface import OuterSurface

from ...results.round_off import ROUND_OFF

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
    """A quantity at the points of each surface, (m,) each, SI units; nan if unknown.

    ``size`` is the largest measure of its kind: of all stresses, or of all displacements. Round-off beside it is zero.
    """

    label: str
    unit: str
    values: list[np.ndarray]
    size: float = 0.0

    def __post_init__(self) -> None:
        tiny = ROUND_OFF * self.size
        clean = [np.where(np.abs(values) < tiny, 0.0, values) for values in self.values]
        object.__setattr__(self, "values", clean)

    @property
    def known(self) -> bool:
        """Whether any value is known."""
        return any(np.isfinite(values).any() for values in self.values)

    def range(self) -> tuple[float, float]:
        """Return the smallest and the largest known value; (0, 0) if there are none."""
        known = np.concatenate([v[np.isfinite(v)] for v in self.values] or [np.empty(0)])
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def name_of(colour: Any) -> str:
    """Return the name of a quantity that a user gives as ``colour``; empty for an array of values."""
    return colour if isinstance(colour, str) else ""


def quantity(
    colour: Any, surfaces: list[OuterSurface], moves: list[np.ndarray], stress: fem.Stress | None
) -> Quantity:
    """Return the quantity with the name ``colour``.

    Parameters
    ----------
    colour : str or array_like
        Name of the quantity, or an array (n,) with one value for each node, without unit.
    surfaces : list of OuterSurface
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
        return _given(colour, surfaces)
    if colour in DISPLACEMENT_LABELS:
        magnitudes = [np.linalg.norm(move, axis=1) for move in moves]
        components = [move[:, AXES.index(colour)] for move in moves] if colour in AXES else magnitudes
        return Quantity(DISPLACEMENT_LABELS[colour], "m", components, _largest(magnitudes))
    if stress is None and colour in STRESS_LABELS:
        raise InputError(
            f"colour is {colour!r}, but the size of a mode is arbitrary, and so is its stress; use "
            f"{listing(DISPLACEMENT_LABELS)}, or show the stress of a static solution"
        )
    if stress is None or colour not in STRESS_LABELS:
        names = [*DISPLACEMENT_LABELS, *(STRESS_LABELS if stress is not None else ())]
        raise InputError(
            f"colour is {with_match(colour, names)}; this result has the colours {listing(names, None)}; "
            "or give an array with one value for each node"
        )
    size = _largest(
        [_stress(name, outer, stress) for outer in surfaces for name in ("von_mises", *VOIGT[:3])]
    )
    values = [_stress(colour, outer, stress) for outer in surfaces]
    return Quantity(STRESS_LABELS[colour], "Pa", values, size)


def _largest(values: list[np.ndarray]) -> float:
    """Return the largest known magnitude of some values."""
    return max((float(np.abs(each[np.isfinite(each)]).max(initial=0.0)) for each in values), default=0.0)


def _given(values: Any, surfaces: list[OuterSurface]) -> Quantity:
    array = floats(values)
    if array is None:
        raise InputError(f"colour is {shown(values)}; give the name of a field, or one number for each node")
    nodes = 1 + max(int(outer.nodes.max()) for outer in surfaces)
    if array.ndim != 1 or len(array) < nodes:
        raise InputError(
            f"colour is an array of the shape {array.shape}; give one value for each node, ({nodes},)"
        )
    return Quantity("given values", "", [array[outer.nodes] for outer in surfaces])


def _stress(name: str, outer: OuterSurface, stress: fem.Stress) -> np.ndarray:
    if name == "jump":
        return stress.jump[outer.nodes]
    if outer.family == "line":
        return _of_lines(name, outer, stress)
    if outer.family == "shell":
        sides = stress.shell[outer.nodes]
        tensors = sides[np.arange(len(sides)), outer.side] if outer.side is not None else sides[:, 1]
    else:
        tensors = stress.solid[outer.nodes]
    if name == "von_mises":
        return von_mises(tensors)
    if name in VOIGT:
        return tensors[:, VOIGT.index(name)]
    found = np.full(len(tensors), np.nan)
    known = np.isfinite(tensors).all(axis=1)
    found[known] = principal(tensors[known])[:, int(name[-1]) - 1]
    return found


def _of_lines(name: str, outer: OuterSurface, stress: fem.Stress) -> np.ndarray:
    """Return the stress at the points of beams and trusses.

    It consists of the normal stress there, by axial force and moments, and of the largest shear stress of the section,
    as in :class:`fem.elements.beam.stress.BeamStress`. Components in the global base are nan.
    """
    if name in VOIGT:
        return np.full(len(outer.points), np.nan)
    value = next(value for group, value in stress.of_groups if group is outer.group)
    assert outer.xi is not None
    assert outer.yz is not None
    normal, shear = (s.ravel() for s in outer.group.property.line_stress(value, outer.xi, outer.yz))
    if name == "von_mises":
        return np.sqrt(normal**2 + 3 * shear**2)
    radius = np.sqrt(normal**2 / 4 + shear**2)
    return normal / 2 + (radius if name == "principal_1" else -radius)
