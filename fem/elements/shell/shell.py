"""Shells of one material, with six degrees of freedom per node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, fields

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, shown
from ...properties.material import Material, wrong_material
from .base import LayeredProperty
from .geometry import Array
from .material import SHEAR_FACTOR, Layup, first_axis, layup, plate
from .varying import thicknesses


@check_arguments
@dataclass(frozen=True)
class Shell(LayeredProperty):
    """A shell of one layer on tri3, quad4, tri6, quad8 and quad9, with ux, uy, uz, rx, ry, rz at each node.

    Parameters
    ----------
    material : Isotropic or Orthotropic
        Material. Axis 1 of an orthotropic material is projected on the shell, its axis 3 is the normal.
    thickness : float, m
        Thickness.
    offset : float, m
        Distance from the nodes to the middle surface along the element's normal (right-hand rule, nodes in order).
    thickness_at : callable, optional
        The thickness where it varies: a function of points (k, 3) in m that returns (k,) in m. Each element has that of
        its middle; ``thickness`` is then what is drawn and reported.
    bending_material, shear_material : Isotropic or Orthotropic, optional
        Materials of bending and of transverse shear, in the axes of ``material``, for plates such as sandwiches or
        ribbed ones that are not of one material; by default ``material``.
    bending_factor, shear_factor : float
        Bending stiffness over that of a solid section, 12 I / h^3; and shear area over the thickness.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    tri3 and quad4. Bending and transverse shear (factor 5/6): MITC4 and MITC3+
    (:mod:`fem.elements.shell.bending`). Membrane and drilling rotation: hybrid stress and ANDES
    (:mod:`fem.elements.shell.membrane`): drilling rotations bend the element's sides in its plane, there is no
    penalty, and a drilling moment on a node is carried as in-plane bending.
    Where an edge is loaded in the shell's plane, :meth:`edge` gives the drilling moments that belong to the forces.
    Where an edge slides on a straight support, hold its drilling rotation, as on a line of symmetry; otherwise the
    stresses at its ends are disturbed. The quadrilateral may be warped.

    tri6, quad8 and quad9, flat or curved: mixed interpolation, MITC9 and for triangles its counterpart
    (:mod:`fem.elements.shell.quadratic`). Prefer them where the shell is curved: their error falls with the third to
    fourth power of the size. The rotation about the normal has a small stiffness only, which keeps it to that of the
    surface; load no drilling moment there.

    Mass: translations and rotations as the shape functions interpolate them, at 2 x 2 (3) points of the surface, 3 x 3
    (6) of quadratic elements, times two over the thickness, which is exact for flat parallelograms (triangles) with
    their rotary inertia; a rotation about the normal has no inertia of its own.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], (fem.Block("quad4", [[0, 1, 2, 3]]),))
    >>> fem.assemble(mesh, fem.Shell(steel, thickness=0.01)).mass
    78.5
    """

    material: Material
    thickness: float
    _: KW_ONLY
    offset: float = 0.0
    thickness_at: Callable[[Array], Array] | None = None
    bending_material: Material | None = None
    shear_material: Material | None = None
    bending_factor: float = 1.0
    shear_factor: float = SHEAR_FACTOR

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if not is_number(self.offset):
            wrong.append(f"offset = {shown(self.offset)} m must be a number")
        for name in ("bending_material", "shear_material"):
            other = getattr(self, name)
            wrong += [f"{name}: {what}" for what in (wrong_material(other) if other is not None else ())]
        for name in ("bending_factor", "shear_factor"):
            value = getattr(self, name)
            if not (is_number(value) and value > 0):
                wrong.append(f"{name} = {shown(value)} must be a positive number")
        if wrong:
            raise InputError("this shell is not valid: " + "; ".join(wrong))
        for name in ("thickness", "offset", "bending_factor", "shear_factor"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def __repr__(self) -> str:
        """Return the material, the thickness and what differs from the defaults."""
        its = [
            f
            for f in fields(self)
            if f.name in ("material", "thickness") or getattr(self, f.name) != f.default
        ]
        return f"Shell({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in its)})"

    def layup(self) -> Layup:
        """Return the section in its own axes, those of the material."""
        others = self.bending_material, self.shear_material
        if others == (None, None) and (self.bending_factor, self.shear_factor) == (1.0, SHEAR_FACTOR):
            return layup(((self.material, self.thickness, 0.0),))
        bending, shear = (other or self.material for other in others)
        return plate(self.material, bending, shear, self.thickness, self.bending_factor, self.shear_factor)

    def scale(self, X: Array) -> Array:
        """Return the thickness (ne,) at the middle of each element over ``thickness``."""
        if self.thickness_at is None:
            return super().scale(X)
        return thicknesses(self.thickness_at, X) / self.thickness

    def inertia(self) -> tuple[float, float, float]:
        """Return mass per area (kg/m^2), height of its centre (0) and radius of gyration (m)."""
        return self.material.rho * self.thickness, 0.0, self.thickness / float(np.sqrt(12.0))

    def axis_one(self, kind: str, X: Array) -> Array | None:
        """Return the material's axis 1 (3,), which is projected on the elements; None if it is isotropic."""
        return first_axis(self.material)
