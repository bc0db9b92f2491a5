"""Shells whose section is given by its stiffness."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, numbers, shown
from ...properties.material import Anisotropic
from .base import LayeredProperty
from .geometry import Array
from .material import Layup, Ply
from .varying import checked_axis, directions


@check_arguments(own=("axis",))
@dataclass(frozen=True)
class GeneralShell(LayeredProperty):
    """A shell given by the stiffness of its section on tri3, quad4, tri6, quad8 and quad9, six motions at each node.

    Parameters
    ----------
    plane : (6, 6), N/m, N and N m
        Membrane forces N11, N22, N12 and moments M11, M22, M12 from strains of the middle surface and curvatures,
        [[A, B], [B', D]], in the axes of the section; symmetric and positive definite. Moments are positive with
        tension at the top.
    shear : (2, 2), N/m
        Transverse shear forces Q13, Q23 from the shear strains; symmetric and positive definite.
    thickness : float, m
        Thickness, for pictures, for stresses, and for the rotary inertia.
    mass : float, kg/m^2
        Mass of a unit area.
    axis : array (3,), callable or FirstSide
        Axis 1 of the section, as in :class:`fem.LayeredShell`.
    offset : float, m
        Distance from the nodes to the middle surface along the element's normal.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    Stresses are those of a solid section with the same membrane and bending stiffness: N / h + 12 M z / h^3.

    Examples
    --------
    >>> import fem, numpy as np
    >>> A, D = 2e8 * np.diag([1, 1, 0.3]), 1e3 * np.diag([1, 1, 0.3])
    >>> plane = np.kron([[1, 0], [0, 0]], A) + np.kron([[0, 0], [0, 1]], D)
    >>> wall = fem.GeneralShell(plane, 6e7 * np.eye(2), 0.01, 80.0)
    >>> wall.mass
    80.0
    """

    plane: tuple[tuple[float, ...], ...] | np.ndarray
    shear: tuple[tuple[float, ...], ...] | np.ndarray
    thickness: float
    mass: float
    _: KW_ONLY
    axis: Any = (1.0, 0.0, 0.0)
    offset: float = 0.0

    def __post_init__(self) -> None:
        """Check the matrices, and turn them into tuples, so that shells can be compared."""
        wrong = []
        for name, size in (("plane", 6), ("shear", 2)):
            given = numbers(getattr(self, name), (size, size), f"{name}= of a general shell")
            if np.abs(given - given.T).max() > 1e-6 * np.abs(given).max():
                wrong.append(f"{name} must be symmetric")
                continue
            scale = 1 / np.sqrt(np.maximum(np.abs(given.diagonal()), 1e-300))
            if not np.linalg.eigvalsh(0.5 * (given + given.T) * np.outer(scale, scale))[0] > 1e-12:
                wrong.append(f"{name} must be positive definite")
            object.__setattr__(self, name, tuple(map(tuple, (0.5 * (given + given.T)).tolist())))
        for name in ("thickness", "mass"):
            if not (is_number(getattr(self, name)) and getattr(self, name) > 0):
                wrong.append(f"{name} = {shown(getattr(self, name))} must be a positive number")
        object.__setattr__(self, "axis", checked_axis(self.axis, wrong))
        if wrong:
            raise InputError("this general shell is not valid: " + "; ".join(wrong))
        for name in ("thickness", "mass", "offset"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def __repr__(self) -> str:
        """Return thickness, mass and offset on one line."""
        return f"<GeneralShell {self.thickness:g} m thick, {self.mass:g} kg/m^2, offset {self.offset:g} m>"

    @property
    def material(self) -> Anisotropic:  # type: ignore[override]
        """Material of a solid section with the same membrane stiffness and mass."""
        C = np.diag(np.repeat(np.max(self.plane) / self.thickness, 6))
        C[np.ix_([0, 1, 5], [0, 1, 5])] = np.array(self.plane)[:3, :3] / self.thickness
        C[np.ix_([4, 3], [4, 3])] = np.array(self.shear) / self.thickness
        return Anisotropic(tuple(map(tuple, C.tolist())), self.mass / self.thickness)

    def layup(self) -> Layup:
        """Return the section in its own axes."""
        plane, S, h = np.array(self.plane), np.array(self.shear), self.thickness
        bending = 12 / h**3 * plane[3:, 3:]
        ply = Ply(-h / 2, h / 2, plane[:3, :3] / h, S / h, np.zeros(3), np.eye(3), bending)
        return Layup((ply,), plane, S, h)

    def inertia(self) -> tuple[float, float, float]:
        """Return mass per area (kg/m^2), height of its centre (0) and radius of gyration (m)."""
        return self.mass, 0.0, self.thickness / float(np.sqrt(12.0))

    def axis_one(self, kind: str, X: Array) -> Array:
        """Return the directions (ne, 3) or (3,) whose projections are axis 1."""
        return directions(self.axis, X)
