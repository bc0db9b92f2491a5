"""Corners of functions of time in a run: a step ends at each of them, and speeds jump with the rates of drives."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

import numpy as np

from fem.common.errors import InputError, warn

from ..compile.plan import Plan
from ..equations.impulses import impulses
from ..functions.pieces import AT_CORNER, Corner, behind
from ..functions.time_law import Law
from ..integrators.base import Run

#: Corners of several functions have the same time if their times differ by no more than this part.
SAME_TIME = 1e-12
#: How to mend a drive whose rate jumps, in messages.
ROUND_IT = (
    "round the corner: let the rate rise over the time that the real drive takes, or put a smooth curve through a "
    "table (scipy.interpolate.CubicSpline)"
)


class Corners:
    """The corners of the functions of time of a machine.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan, self._times = plan, np.zeros(0)
        self._known: list[tuple[Corner, ...]] = []
        self.read()

    def read(self) -> None:
        """Take the corners that are known now; a machine that is stepped looks ahead on its way."""
        found = [law.corners for law in self._plan.with_corners]
        if any(one is not two for one, two in zip_longest(found, self._known)):
            self._known = found
            self._times = np.unique([corner.t for corners in found for corner in corners])

    @property
    def any(self) -> bool:
        """Whether there are corners."""
        return len(self._times) > 0

    def next(self, t: float, t_out: float) -> float:
        """Return the time of the next corner after ``t`` and before ``t_out``, s; ``t_out`` without one."""
        k = int(np.searchsorted(self._times, t * (1 + AT_CORNER), side="right"))
        before = k < len(self._times) and self._times[k] < t_out * (1 - AT_CORNER)
        return float(self._times[k]) if before else t_out

    def behind(self, t: float) -> float | None:
        """Return the time behind the corner, or several with the same time, at ``t``, s; None without one."""
        k = int(np.searchsorted(self._times, t * (1 - AT_CORNER)))
        last = int(np.searchsorted(self._times, t * (1 + SAME_TIME), side="right"))
        if k == last or self._times[k] > t * (1 + AT_CORNER):
            return None
        return behind(float(self._times[last - 1]))

    def pass_by(self, run: Run) -> bool:
        """Let a run that stands at a corner go on behind it; return whether it does.

        Where the rate of a drive jumps, impulses of the constraints change the velocities of the machine.
        """
        if not self.any or (later := self.behind(run.t)) is None:
            return False
        change, work = None, 0.0
        if self.jumping_rates(run.t):
            self.warn(run.t)
            change, work = impulses(self._plan, replace(run.state, t=later))
        run.go_behind(later, change, work)
        return True

    def jumping_rates(self, t: float) -> list[tuple[Law, float]]:
        """Return the laws of drives whose rates jump at ``t`` (s), each with the size of the jump."""
        drives = {item.label for item, _ in self._plan.relations}
        return [
            (law, corner.jump)
            for law in self._plan.laws
            if law.what in drives
            for corner in law.corners
            if corner.order == 1 and abs(corner.t - t) <= SAME_TIME * t
        ]

    def warn(self, t: float) -> None:
        """Warn of each drive whose rate jumps at ``t`` (s), once in a run."""
        for law, jump in self.jumping_rates(t):
            if law.told:
                continue
            law.told = True
            more = sum(corner.order == 1 and corner.t > t for corner in law.corners)
            also = f", and {more} more {'time' if more == 1 else 'times'} later" if more else ""
            warn(
                f"{law.what}: its rate jumps by {abs(jump):.3g} {self._unit(law)}/s at t = {t:.6g} s{also}. There the "
                "machine takes an impulse, behind which its speeds agree with the drive; no real drive gives it. If it "
                f"is not meant, {ROUND_IT}"
            )

    def _unit(self, law: Law) -> str:
        return next(item.unit for item, _ in self._plan.relations if item.label == law.what)


def refuse_jumping_rates(plan: Plan) -> None:
    """Raise :class:`fem.InputError` if the rate of a drive jumps: small vibrations do not contain impulses."""
    drives = {item.label: item.unit for item, _ in plan.relations}
    for law in plan.laws:
        jumps = [corner for corner in law.corners if corner.order == 1 and law.what in drives]
        if jumps:
            raise InputError(
                f"elastodynamics: the rate of {law.what} jumps by {abs(jumps[0].jump):.3g} {drives[law.what]}/s at t = "
                f"{jumps[0].t:.6g} s, which deforms bodies like a blow; use simulate, or {ROUND_IT}"
            )
