"""Shells of several layers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, shown
from ...properties.material import Material, wrong_material
from .base import LayeredProperty
from .geometry import Array
from .material import Layup, layup
from .varying import checked_axis, directions

#: Radians are recognised where they are this near to a multiple of 15 degrees, relative: four digits were given.
ANGLE_TOLERANCE = 1e-4


def _in_radians(value: float) -> float | None:
    """Return the multiple of 15 degrees, up to a revolution, that a value is in radians, or None."""
    parts = round(value / np.radians(15.0)) if abs(value) < 7.0 else 0
    return 15.0 * parts if parts and abs(value / np.radians(15.0) / parts - 1.0) < ANGLE_TOLERANCE else None


@check_arguments
@dataclass(frozen=True)
class Layer:
    """A layer of a shell.

    Parameters
    ----------
    material : Isotropic, Orthotropic or Anisotropic
        Material in its own axes 1, 2 (in the shell) and 3 (normal); its ``axes`` are not used.
    thickness : float, m
        Thickness.
    degrees : float, degrees
        Angle from axis 1 of the shell to axis 1 of the material, about the normal: 45, not ``np.pi / 4``.

    Raises
    ------
    InputError
        The message lists all invalid values. An angle that is a multiple of 15 degrees in radians, such as
        ``np.pi / 4`` or 0.7854, is one of them.

    Examples
    --------
    >>> import fem
    >>> carbon = fem.Ply(E1=135e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
    >>> fem.Layer(carbon, 0.125e-3, degrees=45).degrees
    45.0
    """

    material: Material
    thickness: float
    degrees: float = 0.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if not is_number(self.degrees):
            wrong.append(f"degrees = {shown(self.degrees)} must be a number")
        elif (turned := _in_radians(self.degrees)) is not None:
            wrong.append(
                f"degrees = {shown(self.degrees)} is {turned:g} degrees in radians; give degrees={turned:g}"
            )
        if wrong:
            raise InputError("this layer is not valid: " + "; ".join(wrong))
        for name in ("thickness", "degrees"):
            object.__setattr__(self, name, float(getattr(self, name)))


@check_arguments(own=("layers", "axis"))
@dataclass(frozen=True)
class LayeredShell(LayeredProperty):
    """A shell of several layers on tri3, quad4, tri6, quad8 and quad9, with ux, uy, uz, rx, ry, rz at each node.

    Parameters
    ----------
    layers : sequence of Layer
        The layers from bottom to top, the side of the element's normal.
    axis : array (3,), callable or FirstSide
        Axis 1 of the shell, to which the layers' angles refer: a direction that is projected on the elements; a
        function that returns one, (ne, 3), for the middles of the elements, (ne, 3) in m; or ``FirstSide()``, from the
        first node of each element to its second (Nastran's, with an angle of zero).
    offset : float, m
        Distance from the nodes to the middle of the thickness along the element's normal.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    Membrane and bending stiffness are those of classical lamination theory, with their coupling; the elements are those
    of :class:`Shell`. Transverse shear follows by the energy of the shear stresses that balance the changes of the
    normal stresses over the thickness (Rohwer, Composite Structures 10 (1988) 233-249), and gives 5/6 G h for a single
    layer. Mass is distributed over the thickness as in the layers, eccentric and with rotary inertia.

    Stresses are those at the bottom and the top of the whole; :func:`layer_stress` gives those of every layer in the
    axes of its material.

    Examples
    --------
    >>> import fem
    >>> carbon = fem.Ply(E1=135e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0)
    >>> skin = fem.LayeredShell([fem.Layer(carbon, 0.125e-3, degrees=angle) for angle in (0, 90, 90, 0)])
    >>> skin.thickness
    0.0005
    """

    layers: tuple[Layer, ...]
    _: KW_ONLY
    axis: Any = (1.0, 0.0, 0.0)
    offset: float = 0.0

    def __repr__(self) -> str:
        """Return the angles of the first layers, their number and the thickness on one line."""
        angles = "/".join(f"{layer.degrees:g}" for layer in self.layers[:8]) + "/..." * (len(self.layers) > 8)
        many = f"{len(self.layers)} layer{'s' * (len(self.layers) != 1)}"
        return f"<LayeredShell of {many} [{angles}], {self.thickness:g} m thick, offset {self.offset:g} m>"

    def __post_init__(self) -> None:
        """Check the layers and the axis."""
        wrong = []
        layers = tuple(self.layers) if isinstance(self.layers, list | tuple) else ()
        if not layers or not all(isinstance(layer, Layer) for layer in layers):
            wrong.append(f"layers = {shown(self.layers)} must be a sequence of fem.Layer, bottom first")
        object.__setattr__(self, "axis", checked_axis(self.axis, wrong))
        if not is_number(self.offset):
            wrong.append(f"offset = {shown(self.offset)} m must be a number")
        if wrong:
            raise InputError("this layered shell is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "layers", layers)
        object.__setattr__(self, "offset", float(self.offset))

    @property
    def thickness(self) -> float:  # type: ignore[override]
        """Thickness of all layers, m."""
        return float(sum(layer.thickness for layer in self.layers))

    @property
    def material(self) -> Material:  # type: ignore[override]
        """Material of the thickest layer."""
        return max(self.layers, key=lambda layer: layer.thickness).material

    def layup(self) -> Layup:
        """Return the section in its own axes."""
        return layup([(its.material, its.thickness, np.radians(its.degrees)) for its in self.layers])

    def inertia(self) -> tuple[float, float, float]:
        """Return mass per area (kg/m^2), height of its centre and radius of gyration about that (m)."""
        rho = np.array([layer.material.rho for layer in self.layers])
        z = np.cumsum([-self.thickness / 2, *(layer.thickness for layer in self.layers)])
        mass, first, second = (np.sum(rho * np.diff(z**k)) / k for k in (1, 2, 3))
        height = first / mass
        if abs(height) < 1e-12 * self.thickness:
            height = 0.0
        return float(mass), float(height), float(np.sqrt(second / mass - height**2))

    def axis_one(self, kind: str, X: Array) -> Array:
        """Return the directions (ne, 3) or (3,) whose projections are axis 1."""
        return directions(self.axis, X)
