"""Forces over time as arrows: reactions of joints, and loads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fem.common.errors import InputError, listing

from ..forces import PointForce
from ..joints import Joint
from . import colours
from .colours import Colour
from .motion import Motion, Poses
from .parts import Surface
from .shapes import arrow

#: the longest arrow of a run, as a share of the machine's size
LONGEST = 0.2
#: arrows that are shorter than this share of the longest are not drawn
SHORTEST = 0.01
REACTION: Colour = colours.LOAD
LOAD: Colour = colours.SUPPORT


@dataclass(frozen=True, eq=False)
class Arrow:
    """A force at a frame of a body: ``name`` is its channel in the motion, (3,) N, inertial."""

    name: str
    frame: Any  # body, x (3,), Phi (3, N)
    offset: np.ndarray  # (3,) m, to where it is seen
    scale: float  # m/N
    shortest: float  # m
    radius: float
    colour: Colour
    surface: Surface = field(init=False)

    def __post_init__(self) -> None:
        points, triangles = arrow(np.zeros(3), np.array([0.0, 0.0, 20 * self.radius]), self.radius)
        surface = Surface.of(points, triangles)
        object.__setattr__(self, "surface", Surface(surface.source, surface.triangles, surface.edges[:0]))

    def points(self, poses: Poses) -> np.ndarray:
        """Return the surface's points (n, 3), m, inertial; all in one where the force is next to nothing."""
        pose = poses[self.frame.body]
        at = pose.c + pose.Q @ (self.frame.x + self.frame.Phi @ pose.alpha) + self.offset
        along = self.scale * poses[self.name].alpha
        if np.linalg.norm(along) < self.shortest:
            return np.tile(at, (len(self.surface.source), 1))
        radius = min(self.radius, float(np.linalg.norm(along)) / 8)  # short ones are thin
        return arrow(at, at + along, radius)[0][self.surface.source]

    def values(self, poses: Poses) -> np.ndarray | None:
        """Return nothing: an arrow shows its own colour."""
        return None


def arrows_of(
    result: Any, motion: Motion, wanted: Any, size: float, radius: float, offset: np.ndarray
) -> tuple[list[Arrow], float]:
    """Return arrows for the joints and loads ``wanted`` (True: all), and the largest force, N.

    Each joint shows its reaction on its second body, at that body's joint point; each PointForce its load. The
    longest arrow is a fifth of ``size`` (m).
    """
    found = []
    for item in _items(result, wanted):
        if isinstance(item, PointForce):
            frame = item.frames({body.name: body for body in result.system.bodies})[0]
            found.append((f"load {item.name}", frame, _load(result, item), LOAD))
        else:
            frame = item.frames({body.name: body for body in result.system.bodies})[1]
            found.append((f"reaction {item.name}", frame, result.reaction(item).force, REACTION))
    largest = max((float(np.linalg.norm(force, axis=1).max()) for *_, force, _ in found), default=0.0)
    if not largest > 0:
        return [], 0.0
    scale = LONGEST * size / largest
    arrows = []
    for name, frame, force, colour in found:
        motion.add(name, force)
        arrows.append(Arrow(name, frame, offset, scale, SHORTEST * LONGEST * size, radius, colour))
    return arrows, largest


def _items(result: Any, wanted: Any) -> list[Any]:
    system = result.system
    joints = {joint.name: joint for joint in system.joints if isinstance(joint, Joint)}
    known = joints | {force.name: force for force in system.forces if isinstance(force, PointForce)}
    if wanted is True:
        return list(known.values())
    if wanted is False or wanted is None:
        return []
    names = [wanted] if isinstance(wanted, str) or hasattr(wanted, "name") else list(wanted)
    names = [getattr(item, "name", item) for item in names]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"forces: no arrows can be drawn for {listing(unknown)}; there are the joints and point forces "
            f"{listing(known)}"
        )
    return [known[name] for name in dict.fromkeys(names)]


def _load(result: Any, load: PointForce) -> np.ndarray:
    """Return a load over the stored times (nt, 3), N, inertial."""
    if callable(load.value):
        force = np.array([np.asarray(load.value(float(t)), dtype=float) for t in result.t])
    else:
        force = np.tile(np.asarray(load.value, dtype=float), (len(result.t), 1))
    if load.follows:
        body = load.at.body if hasattr(load.at, "body") else load.at
        force = np.einsum("tij,tj->ti", result.rotation(body.name), force)
    return force
