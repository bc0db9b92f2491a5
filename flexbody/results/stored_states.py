"""The arrays in which a run stores its states, in memory or in a file, and the record of these arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import GIVEN
from ..equations.state import drawn_state
from ..formulations.state import STATE_ARRAYS
from .record import Record, Statistics


def shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Return the shape of one stored state: of its time, each array of a :class:`MachineState`, and the work done."""
    drawn = drawn_state(plan)
    return {"t": (), **{name: getattr(drawn, name).shape for name in STATE_ARRAYS}, "work": (2,)}


def record_of(
    plan: Plan, arrays: Mapping[str, np.ndarray], statistics: Statistics, undetermined: tuple[str, ...]
) -> Record:
    """Return the record of stored states, named as in :func:`shapes`; it computes their energies."""
    t = arrays["t"]
    motion: dict[str, Any] = {name: arrays[name] for name in STATE_ARRAYS}
    energy = np.empty((len(t), 3))
    W = plan.work()
    W.law_mode = GIVEN
    plan.formulation.observe_all(
        plan.layout, W, t, motion["c"], motion["q"], motion["all_alpha"], motion["v"], motion["law_states"],
        motion["counted_coordinates"], energy,
    )  # fmt: skip
    energies = np.column_stack([energy, arrays["work"]])
    return Record(plan, t, **motion, energies=energies, statistics=statistics, undetermined=undetermined)


def with_blows(energies: np.ndarray, rows: Iterable[int]) -> np.ndarray:
    """Return energies (nt, 5) whose balance counts the jumps between the states before and behind an event.

    What a blow takes is dissipated; what a part brings that is switched on is put in. ``rows`` are the states behind.
    """
    energies = energies.copy()
    for k in rows:
        jump = float(energies[k, :3].sum() - energies[k - 1, :3].sum())
        energies[k:, 4 if jump > 0 else 3] += abs(jump)
    return energies
