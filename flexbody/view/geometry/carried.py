"""Which bodies follow an enlarged deformation: those that a flexible body carries, such as a mass at its tip.

The deformation of a body is enlarged about the joints that hold it. A joint holds it if it leads to the ground, or in a
floating machine to its heaviest body. Bodies that are joined to the rest of the machine by the flexible body alone move
with its enlarged deformation. A body between two held joints is enlarged about both, and carries nothing there; what
slides along a line on it, such as the trolley of a crane, follows the place where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from ...model.joints.guideways import GuidewayJoint, PointOnGuideway
from ...model.sides import BodyFrame, FrameData
from .flexible import attachments, floats, rigid_part
from .poses import Pose, Poses


@dataclass(frozen=True)
class Carry:
    """Bodies that move with a frame of an enlarged flexible body.

    Parameters
    ----------
    frame : FrameData
        The frame on the flexible body, without enlargement.
    shift, turn : numpy.ndarray
        Growth of its displacement and rotation (3, N) if the deformation factor grows by one.
    passengers : tuple of str
        The bodies.
    """

    frame: FrameData
    shift: np.ndarray
    turn: np.ndarray
    passengers: tuple[str, ...]

    def move(self, poses: Poses, enlargement: float) -> None:
        """Move the passengers in ``poses``; ``enlargement`` is the deformation factor less one."""
        pose, frame = poses[self.frame.body], self.frame
        alpha = pose.alpha
        before = pose.c + pose.Q @ (frame.x + frame.Phi @ alpha)
        after = before + enlargement * pose.Q @ (self.shift @ alpha)
        first = _rotation(frame.B @ alpha)
        second = _rotation((frame.B + enlargement * self.turn) @ alpha)
        R = pose.Q @ second @ first.T @ pose.Q.T
        for name in self.passengers:
            old = poses[name]
            poses[name] = Pose(after + R @ (old.c - before), R @ old.Q, old.alpha)


@dataclass(frozen=True)
class Ride:
    """Bodies that slide along lines on an enlarged flexible body.

    Parameters
    ----------
    body : FlexibleBody
        The body with the lines.
    held : list of str
        The markers about which it is enlarged.
    places : list of (FrameData, FrameData, bool)
        For each joint the frame on the line, the frame that slides, and whether it turns with the line.
    passengers : tuple of str
        The bodies.
    """

    body: Any
    held: list[str]
    places: list[tuple[FrameData, FrameData, bool]]
    passengers: tuple[str, ...]

    def move(self, poses: Poses, enlargement: float) -> None:
        """Move the passengers in ``poses`` with the middle of their places; see :class:`Carry`."""
        if enlargement == 0.0:
            return
        parts = [self._at(poses, *place) for place in self.places]
        x, Phi, B, shift, turn = (np.mean(part, axis=0) for part in zip(*parts, strict=True))
        frame = FrameData(self.body.name, x, np.eye(3), Phi, B)
        Carry(frame, shift, turn, self.passengers).move(poses, enlargement)

    def _at(self, poses: Poses, line: FrameData, sliding: FrameData, turns: bool) -> tuple[np.ndarray, ...]:
        """Return place (3,), Phi, B, and the growth of displacement and rotation (3, N) where a frame slides."""
        pose, own = poses[self.body.name], poses[sliding.body]
        assert line.path is not None
        n = self.body.n_modes
        x = pose.Q.T @ (own.c + own.Q @ (sliding.x + sliding.Phi @ own.alpha) - pose.c)
        columns = line.path.columns(line.path.nearest(x))
        for _ in range(2):  # the line is bent
            columns = line.path.columns(
                line.path.nearest(x - columns[6 : 6 + 3 * n].reshape(3, n) @ pose.alpha)
            )
        Phi, B = columns[6 : 6 + 6 * n].reshape(2, 3, n)
        rigid, turn = rigid_part(self.body, self.held, columns[None, :3])
        return columns[:3], Phi, B, Phi - rigid[0], (B - turn) if turns else 0 * B


def _rotation(vector: np.ndarray) -> np.ndarray:
    return scipy.spatial.transform.Rotation.from_rotvec(vector).as_matrix()


class Support:
    """The markers that hold each flexible body of a machine, and the bodies that it carries.

    Parameters
    ----------
    system : System
        The machine.
    bodies : mapping
        Its bodies by name.
    """

    def __init__(self, system: Any, bodies: Mapping[str, Any]) -> None:
        self.system, self.bodies = system, bodies
        self._joints = [
            (joint.sides(), joint.frames(bodies))
            for joint in system.joints
            if len(joint.sides()) > 1 and not floats(joint)
        ]
        self._held: dict[str, list[str]] = {}

    def held(self, name: str) -> list[str]:
        """Return the markers about which the deformation of a body is enlarged."""
        if name not in self._held:
            every = attachments(self.system, name)
            loose = {marker for _, marker, _ in self._loose(name)}
            kept = [marker for marker in every if marker not in loose]
            body = self.bodies[name]
            fixed = len(kept) > 1 or (len(kept) == 1 and body.marker_has_rotation(kept[0]))
            self._held[name] = kept if fixed else every
        return self._held[name]

    def carries(self) -> list[Carry | Ride]:
        """Return what flexible bodies carry, from the ground outward."""
        found: list[Carry | Ride] = [*self._rides()]
        for name, body in self.bodies.items():
            if not body.n_modes or self.held(name) == attachments(self.system, name):
                continue
            for frame, _, passengers in self._loose(name):
                rigid, turn = rigid_part(body, self.held(name), frame.x[None])
                found.append(Carry(frame, frame.Phi - rigid[0], frame.B - turn, passengers))
        # outer bodies are passengers of inner ones
        return sorted(found, key=lambda carry: -len(carry.passengers))

    def _rides(self) -> Iterator[Ride]:
        """Yield the bodies that slide along lines on flexible bodies and that nothing else holds."""
        lines: dict[tuple[str, tuple[str, ...]], list[tuple[FrameData, FrameData, bool]]] = {}
        for joint in self.system.joints:
            if not isinstance(joint, GuidewayJoint) or joint.stations is None:
                continue
            line, sliding = joint.frames(self.bodies)
            beyond = self._reached(sliding.body, without=line.body)
            if self.bodies[line.body].n_modes and self._root(line.body) not in beyond:
                place = line, sliding, not isinstance(joint, PointOnGuideway)
                lines.setdefault((line.body, tuple(sorted(beyond))), []).append(place)
        for (name, passengers), places in lines.items():
            ways = sum(end in passengers for frames in self._pairs(name) for end in frames)
            if ways == len(places):  # nothing else joins them with the body
                yield Ride(self.bodies[name], self.held(name), places, passengers)

    def _pairs(self, name: str) -> Iterator[list[str]]:
        """Yield the other bodies of each joint of a body."""
        for _, frames in self._joints:
            names = [frame.body for frame in frames]
            if name in names:
                yield [other for other in names if other != name]

    def _loose(self, name: str) -> list[tuple[FrameData, str, tuple[str, ...]]]:
        """Return frames and markers of a body that lead to bodies which only it holds, and these bodies."""
        if not self.bodies[name].n_modes:
            return []
        root = self._root(name)
        links = list(self._links(name))
        found = []
        for frame, marker, other in links:
            beyond = self._reached(other, without=name)
            alone = sum(end in beyond for _, _, end in links) == 1
            if root != name and root not in beyond and alone:
                found.append((frame, marker, tuple(sorted(beyond))))
        return found

    def _links(self, name: str) -> Iterator[tuple[FrameData, str, str]]:
        """Yield the frames and markers of the joints of a body, and the bodies at the other side."""
        for sides, frames in self._joints:
            for side, frame in zip(sides, frames, strict=True):
                if frame.body == name and isinstance(side, BodyFrame):
                    yield from ((frame, side.name, end.body) for end in frames if end.body != name)

    def _reached(self, start: str, without: str = "") -> set[str]:
        """Return the bodies (and "ground") that joints connect with a body; nothing is reached through the ground."""
        found, new = {start}, [start]
        while new:
            one = new.pop()
            if one == "ground":
                continue
            for _, frames in self._joints:
                names = {frame.body for frame in frames}
                if one in names:
                    more = names - found - {without}
                    found |= more
                    new += more
        return found

    def _root(self, name: str) -> str:
        """Return what holds the machine that a body is part of: the ground, or its heaviest body."""
        reached = self._reached(name)
        return "ground" if "ground" in reached else max(reached, key=lambda each: self.bodies[each].mass)
