"""Ends of the lines along which joints slide: a run that leaves one stops there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fem.common.errors import ConvergenceError

from ..compile.plan import Plan
from ..core.kinds import PATH_S
from ..core.structures import Work
from ..integrators.base import Run
from ..model.joints.base import Joint
from ..model.rolling import Rolling
from ..model.sides import Body

#: How far beyond an end round-off may lead, relative to the length of the line.
ROUND_OFF = 1e-9
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
    """The path coordinates of a run, which must not leave the lines of their joints.

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
        plan, W = self._plan, self._work
        plan.formulation.observe(plan.layout, W, run.state, np.empty(3))
        for line in self._lines:
            s = float(W.path[line.p, PATH_S])
            first, last = (
                min(line.start, 0.0),
                max(line.start, line.length),
            )  # splines may begin just beyond an end
            if not first - ROUND_OFF * line.length <= s <= last + ROUND_OFF * line.length:
                where = _left(line, s, plan.system.bodies_by_name())
                raise ConvergenceError(f"the run stops at t = {run.t:.6g} s: {where}")


def _left(line: _Line, s: float, bodies: Mapping[str, Body]) -> str:
    """Return in words which end has been left, and how to end the run before; lengths count from the drawn place."""
    joint, first, last = line.joint, 0.0 - line.start, line.length - line.start
    end, which = (last, "end") if s > 0 else (first, "beginning")
    rolls = isinstance(joint, Rolling)
    where = "The point that touches is at" if rolls else "Its coordinate 'path' is"
    stops = "" if rolls else "hold what moves on it by stops of this coordinate (fb.Limit), "
    before = _measure_of_rolling(joint, s > 0, bodies) if isinstance(joint, Rolling) else _measure(joint, end)
    return (
        f"{joint.label} has left the {which} of its line. {where} "
        f"{s - line.start:.6g} m, and the line goes from {first:.6g} to {last:.6g} m, counted from where the joint is "
        f"drawn. Make the line longer, {stops}or end the run before: "
        f"fb.Event({f'{which} of {joint.name}'!r}, lambda state: {before}, then=fb.EndRun())"
    )


def _measure(joint: Joint, end: float) -> str:
    """Return as code what is zero where a joint is at an end of its line, m."""
    sign = "+" if end <= 0 else "-"
    return f"state.coordinate({joint.name!r}, 'path') {sign} {abs(end):.{DIGITS}g}"


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
