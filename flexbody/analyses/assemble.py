"""Assembly of a roughly drawn machine: bodies are moved as little as possible until all joints are closed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import ConstraintError, few, percent, warn
from fem.common.known_attributes import KnownAttributes

from ..compile.plan import Plan, make_plan
from ..core.rotation import matrices
from ..equations.constraint_jacobian import weighted
from ..equations.driven_rows import drive_rows
from ..equations.gaps import Drawn, Gap, gaps_of, part_sizes
from ..equations.least_squares import Matrix, least_squares
from ..equations.position import displaced
from ..formulations.state import MachineState
from ..model.rigid_motion import RigidMotion
from ..model.system import System, check_system

#: gaps below this part of the machine's length are closed, and angles below it (rad) are none
GAP_TOLERANCE = 1e-11
#: an iteration moves nothing by more than this part of the machine's length, and rotates nothing by more (rad)
LONGEST_STEP, LARGEST_ROTATION = 0.3, 0.5
MAX_ITERATIONS = 300
#: a gap wider than this, in sizes of the smaller body at it, is seldom meant
WIDE_GAP = 10.0


@dataclass(frozen=True)
class ClosedGap(KnownAttributes):
    """The gap of a joint before and after :func:`assemble`.

    Attributes
    ----------
    joint : str
        Kind and name of the joint.
    distance, angle : float
        Distance (m) and angle (rad) between its two sides as drawn, in the directions that the joint holds.
    remaining_distance, remaining_angle : float
        The same in the closed machine: round-off.
    """

    joint: str
    distance: float
    angle: float
    remaining_distance: float
    remaining_angle: float

    def __str__(self) -> str:
        turned = f", {np.degrees(self.angle):.3g} degrees" if self.angle > GAP_TOLERANCE else ""
        return f"{self.joint}: {self.distance:.3g} m{turned}; closed to {self.remaining_distance:.1g} m"


@dataclass(frozen=True)
class Move(KnownAttributes):
    """The motion of a body in :func:`assemble`.

    Attributes
    ----------
    body : str
        Name of the body.
    distance : float
        Displacement of its reference point, m.
    angle : float
        Rotation, rad.
    """

    body: str
    distance: float
    angle: float

    def __str__(self) -> str:
        return (
            f"body '{self.body}' is moved by {self.distance:.3g} m and {np.degrees(self.angle):.3g} degrees"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Assembly(KnownAttributes):
    """A machine with closed joints, see :func:`assemble`; ``print`` gives gaps and motions as text.

    Attributes
    ----------
    machine : System
        The closed machine.
    gaps : tuple of ClosedGap
        The gaps of all joints and constraints of position, the largest first.
    moves : tuple of Move
        The motions of all bodies, the largest first.
    """

    machine: System
    gaps: tuple[ClosedGap, ...]
    moves: tuple[Move, ...]

    def __repr__(self) -> str:
        gap = max((gap.distance for gap in self.gaps), default=0.0)
        far, angle = (
            max((getattr(move, name) for move in self.moves), default=0.0) for name in ("distance", "angle")
        )
        return (
            f"<Assembly: gaps up to {gap:.3g} m closed, bodies moved by up to {far:.3g} m and "
            f"{np.degrees(angle):.3g} degrees>"
        )

    def __str__(self) -> str:
        lines = [str(gap) for gap in self.gaps if max(gap.distance, gap.angle) > GAP_TOLERANCE]
        lines += [str(move) for move in self.moves if max(move.distance, move.angle) > GAP_TOLERANCE]
        return "\n".join(lines) or "all joints are closed as drawn"


@check_arguments(own=("machine",))
def assemble(machine: System) -> Assembly:
    """Return a machine with closed joints, from bodies that are drawn roughly where they belong.

    Parameters
    ----------
    machine : System
        The machine. Gaps are possible at joints between two named frames, ``body["name"]``.

    Returns
    -------
    Assembly
        The closed machine, the gap of each joint before and after, and the motion of each body.

    Raises
    ------
    fem.ConstraintError
        The joints cannot be closed; the message names those that stay open, with the remaining gaps.

    Warns
    -----
    fem.FlexbodyWarning
        A gap is more than ten times as wide as the smaller body at it is large: the units may be wrong.

    Notes
    -----
    Bodies are moved rigidly from approximate positions and attitudes, Sol 8.3 [1]_. The constraints are satisfied by
    least squares, and the sum of squares of all motions is the least one nearby; a rotation counts with half the size
    of its body.

    Coordinates that drives prescribe, and sums that couplings prescribe, stay as drawn, unless only their motion closes
    the joints. In the closed machine all joint coordinates are zero again, because it is a drawn configuration. Points
    and directions of joints and forces move with their bodies: the axis of a joint with its first side, its point
    with its second. Named frames keep their positions on their bodies. Initial velocities do not change.

    References
    ----------
    .. [1] E. J. Sol, Kinematics and dynamics of multibody systems (1983), 8.3.

    Examples
    --------
    A pendulum whose bar is drawn 0.1 m beside its bearing:

    >>> import flexbody as fb
    >>> bearing = fb.RigidBody("bearing", 1.0, (1e-2, 1e-2, 1e-2), markers={"pin": (0, 0, 0)})
    >>> bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.4, 0, 0), markers={"end": (0.1, 0, 0)})
    >>> base = fb.Fixed("base", fb.GROUND, bearing, point=(0, 0, 0))
    >>> hinge = fb.Revolute("hinge", bearing["pin"], bar["end"], axis="y")
    >>> found = fb.assemble(fb.System([bearing, bar], [base, hinge]))
    >>> found
    <Assembly: gaps up to 0.1 m closed, bodies moved by up to 0.1 m and 0 degrees>
    >>> found.machine.body("bar").markers["end"].round(9).tolist()
    [0.0, 0.0, 0.0]
    """
    check_system(machine, "assemble")
    plan = make_plan(machine)
    search = _Assembler(plan)
    before = gaps_of(plan, search.drawn.work)
    s = search.closed(np.ones(plan.n_rows, dtype=bool))
    if s is None and machine.drives:
        s = search.closed(~drive_rows(plan))
    if s is None:
        _refuse(search)
    search.drawn.place(s)
    closed_gaps = [
        ClosedGap(gap.joint, gap.distance, gap.angle, left.distance, left.angle)
        for gap, left in zip(before, gaps_of(plan, search.drawn.work), strict=True)
    ]
    _warn_of_units(before)
    moves = [
        Move(body.name, float(np.linalg.norm(x)), float(np.linalg.norm(theta)))
        for body, (x, theta) in zip(machine.bodies, _deviation(search.drawn.state, s), strict=True)
    ]
    return Assembly(
        _redrawn(machine, search.drawn.state, s),
        tuple(sorted(closed_gaps, key=lambda gap: (-gap.distance, -gap.angle))),
        tuple(sorted(moves, key=lambda move: (-move.distance, -move.angle))),
    )


def _warn_of_units(gaps: list[Gap]) -> None:
    """Warn of gaps that are many times as wide as a body at them is large, as millimetres for metres leave them."""
    wide = sorted((gap for gap in gaps if gap.share > WIDE_GAP), key=lambda gap: -gap.share)
    if wide:
        named = [f"{gap.joint} by {gap.distance:.3g} m, {percent(gap.share)} of '{gap.part}'" for gap in wide]
        warn(
            f"fb.assemble has closed very wide gaps: {few(named)}. Are the units of these points and markers right? "
            "All lengths are in metres"
        )


class _Assembler:
    """The search for a closed position near the drawn one."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.drawn = plan, Drawn(plan)
        self.length = float(plan.layout.length)
        lever = np.repeat(0.5 * part_sizes(plan), 3)
        self.unit = np.zeros(
            plan.n_velocities
        )  # what one unit of each coordinate is; modal coordinates do not move
        for b in range(plan.n_bodies):
            self.unit[plan.translation(b)] = 1.0
            self.unit[plan.rotation(b)] = 1.0 / lever[3 * b : 3 * b + 3]
        self.best = self.drawn.state  # with the smallest gaps that were found

    def closed(self, rows: np.ndarray) -> MachineState | None:
        """Return the closed position nearest to the drawn one by the constraints of ``rows``, or None."""
        s = self._closed_somewhere(rows)
        if s is None:
            return None
        nearest = s
        for _ in range(MAX_ITERATIONS):  # Newton's method along the positions that are closed
            r, A = self._placed(s, rows)
            gone = self._gone(s)
            change = least_squares(A, A @ gone - r) - gone
            if np.abs(change).max() < GAP_TOLERANCE * self.length:
                return s
            s = self._displaced(s, change)
            if self._is_closed(s, rows):
                nearest = s
        return nearest

    def _closed_somewhere(self, rows: np.ndarray) -> MachineState | None:
        """Return a closed position by damped least squares (Levenberg, Marquardt), or None."""
        s = self.drawn.state
        r, A = self._placed(s, rows)
        damping, identity = 1e-3, scipy.sparse.eye(len(r), format="csr")
        for _ in range(MAX_ITERATIONS):
            size = float(r @ r)
            if self._is_closed(s, rows):
                return s
            normal = A @ A.T
            scale = float(normal.diagonal().max(initial=0.0)) or 1.0
            x = scipy.sparse.linalg.spsolve((normal + damping * scale * identity).tocsc(), r)
            trial = self._displaced(s, -(A.T @ x))
            new, slope = self._placed(trial, rows)
            if new @ new < size:
                s, r, A, damping = trial, new, slope, max(0.1 * damping, 1e-12)
            else:
                damping *= 4.0
            if damping > 1e6:
                break
        self.best = s
        return None

    def _is_closed(self, s: MachineState, rows: np.ndarray) -> bool:
        r = self._residual(s, rows)
        angles = [gap.angle for gap in gaps_of(self.plan, self.drawn.work)]
        return bool(
            np.abs(r).max(initial=0.0) < GAP_TOLERANCE * self.length and max(angles, default=0.0) < 1e-6
        )

    def _placed(self, s: MachineState, rows: np.ndarray) -> tuple[np.ndarray, Matrix]:
        """Return residuals (nr,), m, and their derivatives by coordinates in units of length, (nr, nv)."""
        r = self._residual(s, rows)
        G = weighted(self.plan, self.drawn.work)[1]
        mask = scipy.sparse.diags(rows.astype(float))
        return r, (mask @ G @ scipy.sparse.diags(self.unit)).tocsr()

    def _residual(self, s: MachineState, rows: np.ndarray) -> np.ndarray:
        """Return the residuals (nr,), m, of ``rows``, zero of others; ``drawn`` is placed at ``s``."""
        self.drawn.place(s)
        return np.where(rows, self.drawn.residual(), 0.0)

    def _displaced(self, s: MachineState, x: np.ndarray) -> MachineState:
        """Return the position after a displacement (nv,), m, shortened where it goes too far."""
        change = self.unit * x
        far = rotated = 0.0
        for b in range(self.plan.n_bodies):
            far = max(far, float(np.linalg.norm(change[self.plan.translation(b)])))
            rotated = max(rotated, float(np.linalg.norm(change[self.plan.rotation(b)])))
        share = max(far / (LONGEST_STEP * self.length), rotated / LARGEST_ROTATION, 1.0)
        return displaced(self.plan, s, change / share)

    def _gone(self, s: MachineState) -> np.ndarray:
        """Return the motion from the drawn position, (nv,), m; its square has this gradient."""
        gone = np.zeros(self.plan.n_velocities)
        for b, (x, theta) in enumerate(_deviation(self.drawn.state, s)):
            gone[self.plan.translation(b)], gone[self.plan.rotation(b)] = x, theta
        return np.divide(gone, self.unit, out=np.zeros_like(gone), where=self.unit > 0)


def _deviation(drawn: MachineState, s: MachineState) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return displacement (3,), m, and rotation vector (3,) of each body from the drawn position."""
    rotations = scipy.spatial.transform.Rotation.from_matrix(matrices(s.q)).as_rotvec()
    return list(zip(s.c - drawn.c, rotations, strict=True))


def _refuse(search: _Assembler) -> NoReturn:
    """Raise :class:`fem.ConstraintError` with the gaps that remain."""
    search.drawn.place(search.best)
    left = [
        gap
        for gap in gaps_of(search.plan, search.drawn.work)
        if gap.distance > GAP_TOLERANCE * search.length or gap.angle > 1e-6
    ]
    left.sort(key=lambda gap: -max(gap.distance, gap.angle * gap.size))
    named = few(
        f"{gap.joint} ({gap.distance:.3g} m"
        + (f", {np.degrees(gap.angle):.3g} degrees)" if gap.angle > 1e-6 else ")")
        for gap in left
    )
    flexible = ", or bodies would have to deform" if search.plan.system.n_modes else ""
    raise ConstraintError(
        f"these joints can't be closed together by moving the bodies: {named}. These gaps remain in the best position "
        f"that was found. The lengths between the joints do not fit{flexible}; or the bodies are drawn too far from "
        "where they belong"
    )


def _redrawn(machine: System, drawn: MachineState, s: MachineState) -> System:
    """Return the machine with its bodies, joints and forces drawn at a position."""
    motions = {
        body.name: RigidMotion(start, end, _orthogonal(R))
        for body, start, end, R in zip(machine.bodies, drawn.c, s.c, matrices(s.q), strict=True)
    }
    bodies = machine.bodies_by_name()
    return replace(
        machine,
        bodies=[body.redrawn(motions[body.name]) for body in machine.bodies],
        joints=[joint.redrawn(bodies, motions) for joint in machine.joints],
        forces=[force.redrawn(bodies, motions) for force in machine.forces],
    )


def _orthogonal(R: np.ndarray) -> np.ndarray:
    """Return the nearest rotation matrix."""
    U, _, Vt = np.linalg.svd(R)
    return U @ Vt
