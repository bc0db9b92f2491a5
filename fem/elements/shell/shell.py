"""Shells of one material, with six degrees of freedom per node."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import is_number, shown
from ...properties.material import Material, wrong_material
from .base import LayeredProperty
from .geometry import Array
from .material import Layup, first_axis, layup


@check_arguments
@dataclass(frozen=True)
class Shell(LayeredProperty):
    """A shell of constant thickness on tri3, quad4, tri6, quad8 and quad9, with ux, uy, uz, rx, ry, rz at each node.

    Parameters
    ----------
    material : Isotropic or Orthotropic
        Material. Axis 1 of an orthotropic material is projected on the shell, its axis 3 is the normal.
    thickness : float, m
        Thickness.
    offset : float, m
        Distance from the nodes to the middle surface along the element's normal (right-hand rule, nodes in order).

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

    def __post_init__(self) -> None:
        """Check the numbers."""
        wrong = wrong_material(self.material)
        if not (is_number(self.thickness) and self.thickness > 0):
            wrong.append(f"thickness = {shown(self.thickness)} m must be a positive number")
        if not is_number(self.offset):
            wrong.append(f"offset = {shown(self.offset)} m must be a number")
        if wrong:
            raise InputError("this shell is not valid: " + "; ".join(wrong))
        for name in ("thickness", "offset"):
            object.__setattr__(self, name, float(getattr(self, name)))

    def layup(self) -> Layup:
        """Return the section in its own axes, those of the material."""
        return layup(((self.material, self.thickness, 0.0),))

    def inertia(self) -> tuple[float, float, float]:
        """Return mass per area (kg/m^2), height of its centre (0) and radius of gyration (m)."""
        return self.material.rho * self.thickness, 0.0, self.thickness / float(np.sqrt(12.0))

    def axis_one(self, kind: str, X: Array) -> Array | None:
        """Return the material's axis 1 (3,), which is projected on the elements; None if it is isotropic."""
        return first_axis(self.material)
