"""Ends of the lines along which joints slide: runs, motions and equilibria beyond them are refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from fem.common.errors import ConvergenceError, InputError

from ..compile.plan import Plan
from ..core.kinds import PATH_S
from ..core.structures import Work
from ..equations.state import place_state
from ..formulations.state import MachineState
from ..integrators.base import Run
from ..model.joints.base import Joint
from ..model.rolling import Rolling
from ..model.sides import Body

#: How far beyond an end round-off may lead, relative to the length of the line.
ROUND_OFF = 1e-9
#: How far beyond an end a run may start, where an earlier one may have ended, relative to the length of the line.
LARGEST_OVERSHOOT = 1e-6
#: digits of numbers in messages
DIGITS = 6


@dataclass(frozen=True)
class _Line:
    """A line with two ends: its row among the paths, its joint, where that is drawn, and its length, m."""

    p: int
    joint: Joint | Rolling
    start: float
    length: float


class PathEnds:
    """The path coordinates of a machine, which must not leave the lines of their joints.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    work : Work
        Work arrays, which are changed.
    """

    def __init__(self, plan: Plan, work: Work) -> None:
        self._plan, self._work = plan, work
        self._lines: list[_Line] = []
        self._was_inside = False  # at an output
        if not len(plan.layout.path):
            return
        bodies = plan.system.bodies_by_name()
        for joint in plan.system.joints:
            if not isinstance(joint, Joint | Rolling):
                continue
            line = joint.frames(bodies)[0].path
            if line is not None and not line.closed:
                p = int(plan.layout.frame_path[plan.frames[joint.name][0]])
                self._lines.append(_Line(p, joint, line.start, line.length))

    def check(self, run: Run) -> None:
        """Raise an error if a joint has left its line; the state of the run is not stored yet."""
        if not self._lines:
            return
        self._plan.formulation.observe(self._plan.layout, self._work, run.state, np.empty(3))
        for line, s in self._beyond(ROUND_OFF):
            told = _told(line, s, "has left")
            mend = _mend(line, s > 0, self._was_inside, self._plan.system.bodies_by_name())
            raise ConvergenceError(f"the run stops at t = {run.t:.6g} s: {told}. {mend}")
        self._was_inside = True

    def check_start(self, state: MachineState) -> None:
        """Raise :class:`fem.InputError` if a joint begins beyond an end of its line."""
        if told := self._first(state, "starts beyond", LARGEST_OVERSHOOT):
            raise InputError(f"{told}. Draw it on the line, or make the line longer")

    def check_motion(self, state: MachineState) -> None:
        """Raise :class:`fem.ConvergenceError` if drives have moved a joint beyond an end of its line."""
        if told := self._first(state, "has left"):
            raise ConvergenceError(
                f"the motion stops before t = {state.t:.6g} s: {told}. Make the line longer, or the way of the drives "
                "shorter"
            )

    def check_equilibrium(self, state: MachineState) -> None:
        """Raise :class:`fem.ConvergenceError` if a joint is in equilibrium beyond an end of its line."""
        if told := self._first(state, "would come to rest beyond"):
            raise ConvergenceError(
                f"no equilibrium was found on the lines: {told}. Make the line longer, hold what moves on it by stops "
                "of this coordinate (fb.Limit), or begin from a nearer position (start=)"
            )

    def _first(self, state: MachineState, verb: str, tolerance: float = ROUND_OFF) -> str:
        """Return in words which joint is beyond an end of its line; empty if none is."""
        if not self._lines:
            return ""
        place_state(self._plan, self._work, state)
        return next((_told(line, s, verb) for line, s in self._beyond(tolerance)), "")

    def _beyond(self, tolerance: float) -> Iterator[tuple[_Line, float]]:
        """Yield the lines that have been left, with the path coordinates; needs the frames in the work arrays."""
        for line in self._lines:
            s, room = float(self._work.path[line.p, PATH_S]), tolerance * line.length
            first, last = (
                min(line.start, 0.0),
                max(line.start, line.length),
            )  # splines may begin just beyond an end
            if not first - room <= s <= last + room:
                yield line, s


def _told(line: _Line, s: float, verb: str) -> str:
    """Return in words which end has been left; lengths count from the drawn place."""
    first, last = _clean(line, 0.0), _clean(line, line.length)
    which = "end" if s > 0 else "beginning"
    rolls = isinstance(line.joint, Rolling)
    where = "The point that touches is at" if rolls else "Its coordinate 'path' is"
    return (
        f"{line.joint.label} {verb} the {which} of its line. {where} {s - line.start:.6g} m, and the line goes from "
        f"{first:.6g} to {last:.6g} m, counted from where the joint is drawn"
    )


def _mend(line: _Line, last: bool, was_inside: bool, bodies: Mapping[str, Body]) -> str:
    """Return in words how a run does not leave an end, or ends before; an event needs a way to the end."""
    joint, which = line.joint, "end" if last else "beginning"
    end = _clean(line, line.length if last else 0.0)
    rolls = isinstance(joint, Rolling)
    stops = "" if rolls else "hold what moves on it by stops of this coordinate (fb.Limit), "
    if end == 0.0 and not was_inside:
        stops = stops.removesuffix(", ")
        return f"It is drawn at this {which}. Draw it inside, make the line longer{', or ' if stops else ''}{stops}"
    before = _measure_of_rolling(joint, last, bodies) if isinstance(joint, Rolling) else _measure(joint, end)
    # round-off may begin on either side of an end where the joint is drawn
    way = f"direction=fb.{'Rising' if last else 'Falling'}(), " if end == 0.0 and not rolls else ""
    return (
        f"Make the line longer, {stops}or end the run before: "
        f"fb.Event({f'{which} of {joint.name}'!r}, lambda state: {before}, {way}then=fb.EndRun())"
    )


def _clean(line: _Line, s: float) -> float:
    """Return a path coordinate from the drawn place on, m; zero where round-off alone parts them."""
    return 0.0 if abs(s - line.start) <= 1e-6 * line.length else s - line.start


def _measure(joint: Joint, end: float) -> str:
    """Return as code what is zero where a joint is at an end of its line, m."""
    sign = "+" if end <= 0 else "-"
    return f"state.coordinate({joint.name!r}, 'path')" + (f" {sign} {abs(end):.{DIGITS}g}" if end else "")


def _measure_of_rolling(joint: Rolling, last: bool, bodies: Mapping[str, Body]) -> str:
    """Return as code what is zero where a shape is beside an end of its rail, m: its centre passes a plane there."""
    line = joint.frames(bodies)[0].path
    assert line is not None
    s = line.length if last else 0.0
    rail, shape = joint.first.side.body.name, joint.second.side
    centre = joint.frames(bodies)[1].drawn(bodies)
    point = f", {shape.name!r}" if shape.named else ""
    if not shape.named and not np.allclose(centre, shape.drawn(bodies), rtol=0.0, atol=1e-9 * line.length):
        point = f", {_vector(centre)}"
    seen = f", relative_to={rail!r}, frame={rail!r}" if rail in bodies else ""
    place, along = _vector(line.place(s)), _vector(line.columns(s, 1)[:3])
    return f"(state.position({shape.body.name!r}{point}{seen}) - {place}) @ {along}"


def _vector(x: np.ndarray) -> str:
    """Return a vector as code."""
    return "[" + ", ".join(f"{value:.{DIGITS}g}" for value in np.where(np.abs(x) < 1e-12, 0.0, x)) + "]"
