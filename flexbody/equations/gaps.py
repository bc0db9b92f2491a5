"""Gaps between the frames of joints in the drawn configuration.

A joint whose sides are both named frames has two positions as drawn, and these can differ. Joint axes are given once
for both sides, so that directions agree as drawn. What a user prescribes (the value of a drive or coupling, the length
of a rod, the deformation of a body at t = 0) is a motion from the drawn configuration and no gap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import ATTITUDE, HOLONOMIC, POINT, VELOCITY
from ..core.structures import Layout, Work
from ..formulations.state import MachineState
from .driven_rows import uses_time
from .state import drawn_state

#: a part counts as at least so large, relative to the machine
LEAST_PART = 0.01


@dataclass(frozen=True)
class Gap:
    """Distance and angle between the two sides of a joint, in the directions that the joint holds.

    Attributes
    ----------
    joint : str
        Kind and name of the joint.
    distance : float
        Distance, m.
    angle : float
        Angle, rad.
    part : str
        Name of the smaller of the joined bodies.
    size : float
        Size of this body, m.
    """

    joint: str
    distance: float
    angle: float
    part: str
    size: float

    @property
    def share(self) -> float:
        """The distance relative to the size of the smaller body."""
        return self.distance / self.size


def gaps_of(plan: Plan, W: Work) -> list[Gap]:
    """Return the gaps of all joints and constraints of position at the position in ``W``."""
    L, found, held = plan.layout, [], drawn_rows(plan)
    sizes = part_sizes(plan)
    for item in plan.system.joints:
        rows = plan.rows[item.name]
        drawn = held[rows]
        if not drawn.any():
            continue
        turned = L.row_kind[rows] == ATTITUDE
        frames = plan.frames[item.name]
        bodies = [b for b in L.frame_body[list(frames)] if b >= 0]
        part = min(bodies, key=lambda b: sizes[b])
        found.append(
            Gap(
                item.label,
                float(np.linalg.norm(W.phi[rows][drawn & ~turned])),
                _angle(W.frame_R[frames[0]].T @ W.frame_R[frames[-1]], int((drawn & turned).sum())),
                plan.system.bodies[part].name,
                float(sizes[part]),
            )
        )
    return found


def _angle(R: np.ndarray, n_attitudes: int) -> float:
    """Return the angle (rad) by which a relative rotation violates one, two or three attitude constraints.

    Three hold the frames parallel, two their z axes; one keeps z of the first perpendicular to x of the second.
    """
    if n_attitudes == 0:
        return 0.0
    if n_attitudes == 1:
        return float(np.abs(np.arcsin(np.clip(R[2, 0], -1, 1))))
    if n_attitudes == 2:
        return float(np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]))
    skew = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(np.linalg.norm(skew), np.trace(R) - 1))


def drawn_rows(plan: Plan) -> np.ndarray:
    """Return a mask (nr,) of the rows that the drawn configuration should satisfy."""
    kinds = plan.layout.row_kind
    return np.isin(kinds, (POINT, ATTITUDE)) | ((kinds == HOLONOMIC) & ~moving_rows(plan))


def moving_rows(plan: Plan) -> np.ndarray:
    """Return a mask (nr,) of rows that depend on time otherwise than through the value of a drive or coupling.

    These are rods whose length is a function of time, and constraints whose function uses the time.
    """
    mask = np.zeros(plan.n_rows, dtype=bool)
    for item, _ in plan.relations:
        mask[plan.rows[item.name]] = item.host is item
    for name, tapes in plan.tapes.items():
        mask[plan.rows[name]] = [uses_time(rows) for rows, _ in tapes]
    return mask


def part_sizes(plan: Plan) -> np.ndarray:
    """Return the sizes of the bodies (nb,), m.

    The size is the diagonal of the box around reference point, markers and the frames of joints and forces, and at
    least two radii of gyration and a hundredth of the machine.
    """
    L = plan.layout
    on_bodies = (L.frame_body >= 0) & (L.frame_body < plan.n_bodies)
    at, points = [L.frame_body[on_bodies]], [L.frame_x[on_bodies]]
    for b, body in enumerate(plan.system.bodies):
        for name in body.marker_names:
            at.append(np.array([b]))
            points.append(body.marker(name)[0][None])
    low, high = np.zeros((2, plan.n_bodies, 3))  # the box contains the reference point
    np.minimum.at(low, np.concatenate(at), np.concatenate(points))
    np.maximum.at(high, np.concatenate(at), np.concatenate(points))
    boxes = np.linalg.norm(high - low, axis=1)
    return np.maximum(np.maximum(2 * L.body_size, LEAST_PART * L.length), boxes)


class Drawn:
    """The drawn configuration: bodies are not deformed, and all joint coordinates are zero.

    Attributes
    ----------
    state : MachineState
        The drawn state.
    work : Work
        Frames and constraints at the last state that was placed.
    layout : Layout
        The layout with drives and couplings at zero.
    """

    def __init__(self, plan: Plan) -> None:
        L, given = plan.layout, drawn_state(plan)
        self.plan, self.work = plan, plan.work(np.zeros_like(plan.counted_coordinates))
        self.layout: Layout = L.replaced(
            drive_value=np.zeros_like(L.drive_value), drive_law=np.zeros_like(L.drive_law)
        )
        self.state = replace(given, all_alpha=0.0 * given.all_alpha, v=0.0 * given.v)
        self.place(self.state)
        self._drawn = np.where(moving_rows(plan), self.work.phi, 0.0)

    def place(self, s: MachineState) -> None:
        """Compute frames and constraints at a position."""
        self.plan.formulation.place(self.layout, self.work, s)

    def residual(self) -> np.ndarray:
        """Return the residuals (nr,), m, at the last position; rows that depend on time hold their drawn value."""
        held = self.plan.layout.row_kind != VELOCITY
        return np.where(held, self.work.phi - self._drawn, 0.0)
