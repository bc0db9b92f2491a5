"""Revolutions of angles at the start of a run: those of an earlier state, of drives, or those that close couplings."""

from __future__ import annotations

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import COORDINATE_KIND, COUPLING, EXPECTED, LAST_ANGLE, PART_COORDINATE, ROTATION
from ..core.structures import Work
from ..formulations.state import MachineState
from .state import drawn_coordinates, place_state


def set_revolutions(plan: Plan, W: Work, s: MachineState) -> None:
    """Set the angles from which ``W`` counts revolutions to those of a state.

    Angles that the state does not hold are near the prescribed values of drives, otherwise zero, and close the
    couplings.
    """
    known = np.isfinite(s.counted_coordinates)
    W.revolutions[:, [EXPECTED, LAST_ANGLE]] = np.where(
        known, s.counted_coordinates, drawn_coordinates(plan, s.t)
    )[:, None]
    if not known.all():
        _close_couplings(plan, W, s, known)


def _close_couplings(plan: Plan, W: Work, s: MachineState, known: np.ndarray) -> None:
    """Add whole revolutions to the angles of coupled joints so that the couplings close.

    A state alone does not determine them. The least number of revolutions is added, to at most two angles of each
    coupling that are not ``known``. Gears of many teeth may have several solutions, which give the same motion.
    """
    L, counted = plan.layout, W.revolutions
    parts, factors, table = L.part, L.part_factor, L.coordinate
    for k in np.flatnonzero(L.row_kind == COUPLING):
        angles = [
            p for p in plan.row_parts(int(k)) if table[parts[p, PART_COORDINATE], COORDINATE_KIND] == ROTATION
        ]
        angles = [p for p in angles if not known[parts[p, PART_COORDINATE]]][:2]
        place_state(plan, W, s)
        miss = W.phi[k] / L.row_scale[k]
        if not angles or abs(W.phi[k]) < 1e-6 * L.length:
            continue
        steps = [2 * np.pi * factors[p] for p in angles]
        first = np.arange(-1000, 1001) if len(angles) == 2 else np.zeros(1)
        others = miss + first * steps[0] * (len(angles) - 1)
        last = np.rint(-others / steps[-1])
        left = np.abs(others + last * steps[-1])
        good = np.flatnonzero(left <= left.min() + 1e-6 * abs(steps[-1]))
        best = good[np.argmin(np.abs(first[good]) + np.abs(last[good]))]
        for p, turns in zip(angles, (first[best], last[best])[-len(angles) :], strict=True):
            counted[parts[p, PART_COORDINATE], [EXPECTED, LAST_ANGLE]] += 2 * np.pi * turns
