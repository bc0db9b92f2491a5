"""Contacts whose shapes go through each other, because they are too soft for what presses on them."""

from __future__ import annotations

import numpy as np

from fem.common.errors import warn

from ..compile.plan import Plan
from ..core.kinds import DEPTH_HALF, DEPTH_MOST, DEPTH_TIME
from ..core.structures import Work
from ..integrators.base import Run
from ..model.forces.contact import ContactElement
from ..model.forces.hollow_cylinder import HollowCylinder
from ..model.forces.shapes import Box, Shape, Sphere
from ..model.forces.surface_contact import SurfaceContact
from .work_watch import WorkWatch

#: The stiffness that is advised lets the same energy press shapes in by this part of half their size.
ADVISED = 0.1


class DepthWatch(WorkWatch):
    """The deepest penetrations of contacts at the steps of a run."""

    def __init__(self) -> None:
        super().__init__()
        #: depth and half the size, m, time, s, by the name of the contact
        self._deepest: dict[str, tuple[float, float, float, ContactElement]] = {}

    def warn(self) -> None:
        """Warn of contacts whose shapes were inside each other by more than half the size of one that touches."""
        self.read()
        for depth, size, t, contact in self._deepest.values():
            if not depth > size:
                continue
            stiffness = contact.stiffness * (depth / (ADVISED * size)) ** (contact.exponent + 1.0)
            warn(
                f"{contact.label}: its shapes were up to {depth:.3g} m inside each other at t = {t:.4g} s, and half "
                f"the size of the smaller one is {size:.3g} m: its middle has passed the surface of the other, where "
                f"the force is not that of a contact. The stiffness is {contact.stiffness:.3g}; with "
                f"stiffness={stiffness:.1g} the same energy presses them in by {ADVISED * size:.1g} m. Draw shapes "
                "apart that begin inside each other"
            )

    def _read(self, run: Run, plan: Plan, W: Work) -> None:
        """Keep the deepest penetration of each contact."""
        for e, element in enumerate(plan.elements.elements):
            if not isinstance(element, ContactElement):
                continue
            depth, half, t = (float(W.depth[e, k]) for k in (DEPTH_MOST, DEPTH_HALF, DEPTH_TIME))
            size = half or half_size(element)
            known = self._deepest.get(element.name)
            if depth > 0.0 and (known is None or depth - size > known[0] - known[1]):
                self._deepest[element.name] = depth, size, t, element


def half_size(contact: ContactElement) -> float:
    """Return half the size of the smallest shape whose middle must stay outside the other, m.

    That is the radius of a sphere or cylinder, infinite for a point, and half the smallest extent of a box. Of a box
    under a sphere the sphere counts, of a surface on a plane half its largest extent. A run measures the extent of a
    box or cylinder on a plane as it stands, see ``DEPTH_HALF``.
    """
    shapes = [shape for shape in contact.shapes if not isinstance(shape, HollowCylinder)]
    if spheres := [shape for shape in shapes if isinstance(shape, Sphere)]:
        return min((radius for shape in spheres if (radius := float(shape.radius)) > 0.0), default=np.inf)
    sizes = [_half_extent(shape) for shape in shapes if shape.sizes]
    if isinstance(contact, SurfaceContact) and not sizes:
        return 0.5 * float(np.linalg.norm(np.ptp(contact.surface.points, axis=0)))
    return min(sizes, default=np.inf)


def _half_extent(shape: Shape) -> float:
    """Return half the smallest extent of a box, or the radius of a cylinder, m."""
    return 0.5 * min(shape.sizes) if isinstance(shape, Box) else shape.sizes[0]
