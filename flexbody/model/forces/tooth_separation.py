"""The part of a tooth force that pushes the wheels of a gear apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...core.kinds import SEPARATION
from ..joints.base import Connection, Joint
from ..joints.gears import Toothed
from ..joints.teeth import Mesh, Seat
from ..sides import Body, FrameData, Side
from .force_element import Element
from .law import ForceLaw


@dataclass(frozen=True, eq=False)
class Separation(ForceLaw):
    """The force that follows the multiplier of a coupling by teeth: ``F = -lever |lambda|``.

    Parameters
    ----------
    lever : float
        Force for a unit of the multiplier.
    point : numpy.ndarray
        Pitch point in the frame of the carrier, (3,), m.
    """

    lever: float
    point: np.ndarray

    function: ClassVar = "separation"
    is_input: ClassVar = False
    elastic: ClassVar = True

    def numbers(self) -> list[float]:
        """Return the numbers of the law; their columns are in ``core/kinds.py``, LEVER and PITCH_POINT."""
        return [self.lever, *map(float, self.point)]


@dataclass(frozen=True, eq=False)
class ToothSeparation(Element):
    """The separating force of the teeth of a gear or rack; it is no entry of a system but a part of the gear.

    Parameters
    ----------
    gear : Gear or Rack
        The gear.
    mesh : Mesh
        Its teeth as drawn.
    """

    gear: Toothed
    mesh: Mesh

    kind: ClassVar = SEPARATION
    count: ClassVar = 1
    coordinate: ClassVar = None

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the gear."""
        return self.gear.name

    @property
    def label(self) -> str:
        """Kind and name of the gear, for messages."""
        return self.gear.label

    @property
    def teeth(self) -> Seat:
        """The frame of the carrier at the pitch point, whose x axis is the direction of the force."""
        return self.mesh.seats[-1]

    def pitch_frame(self, bodies: Mapping[str, Body]) -> FrameData:
        """Return the frame of the carrier at the pitch point, each body being the one of that name in ``bodies``."""
        return self.mesh.pitch_frame(bodies)

    def force_law(self, bodies: Mapping[str, Body]) -> Separation:
        """Return the force law."""
        return Separation(self.mesh.lever, self.mesh.offset)

    def sides(self) -> tuple[Side, Side]:
        """Return both wheels."""
        return self.mesh.wheels

    def frames(self, bodies: Mapping[str, Body]) -> tuple[FrameData, FrameData]:
        """Return the frames of both wheels at the points of their joints."""
        pairs = zip(self.mesh.wheels, self.mesh.points, strict=True)
        first, second = (side.on(bodies).frame(bodies, None if side.named else at) for side, at in pairs)
        return first, second

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return the distance of both wheels along the force in the drawn configuration, (1,), m."""
        return np.array([self.teeth.axes[:, 0] @ drawn])


def teeth_of(connections: Sequence[Connection], bodies: Mapping[str, Body]) -> dict[str, ToothSeparation]:
    """Return the teeth of all gears and racks among the connections of a system, by their names."""
    joints = {item.name: item for item in connections if isinstance(item, Joint)}
    gears = [(item, item.mesh(joints, bodies)) for item in connections if isinstance(item, Toothed)]
    return {gear.name: ToothSeparation(gear, mesh) for gear, mesh in gears if mesh is not None}
