"""From a result to the parts of a picture: bodies without a mesh get a sensible solid, joints and forces a symbol."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..drives import Drive
from . import colours
from .bars import rigid_body
from .connectors import parts_of_drive, parts_of_force
from .forces import Arrows, arrows_of
from .gears import wheels_of
from .hinges import parts_of_joint
from .motion import Motion
from .parts import Flexible, Part, Rigid, Trace
from .shapes import joined
from .sketch import Sketch


@dataclass(frozen=True)
class Scene:
    """All parts of a picture, and what a camera must know of the motion."""

    parts: list[Part]
    motion: Motion
    normal: np.ndarray | None  # of the plane of motion
    up: np.ndarray
    arrows: Arrows = field(default_factory=Arrows)

    @property
    def flexible(self) -> list[Flexible]:
        """The parts that deform."""
        return [part for part in self.parts if isinstance(part, Flexible)]


def scene_of(result, scale: float = 1.0, trace: tuple = (), forces: Any = ()) -> Scene:
    """Return everything that a picture of a result shows.

    scale : factor on the drawn deformation. trace : bodies or named frames whose paths are drawn. forces : joints,
    drives, loads and force elements whose forces are drawn as arrows; True for all.
    """
    motion = Motion(result)
    sketch = Sketch(result, motion, scale)
    parts: list[Part] = []
    rigid = [body for body in result.system.bodies if body.name not in sketch.flexible]
    for k, body in enumerate(rigid):
        parts.append(rigid_body(sketch, body, colours.BODIES[k % len(colours.BODIES)]))
    parts += sketch.flexible.values()
    racks = wheels_of(sketch, "ground")
    parts += [Rigid("ground", joined(*racks), colours.GROUND)] if racks else []
    for joint in sketch.joints:
        parts += parts_of_joint(sketch, joint)
    for item in result.system.joints:
        if isinstance(item, Drive):
            parts += parts_of_drive(sketch, item)
    for force in result.system.forces:
        parts += parts_of_force(sketch, force)
    for item in trace:
        parts.append(Trace(np.asarray(result.position(item)), 0.12 * sketch.unit, colours.TRACE))
    arrows = arrows_of(result, sketch, forces)
    return Scene([*parts, *arrows.parts], motion, sketch.normal, sketch.up, arrows)
