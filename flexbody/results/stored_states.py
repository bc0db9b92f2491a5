"""The arrays in which a run stores its states, in memory or in a file, and the record of these arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..compile.plan import Plan
from ..core.kinds import GIVEN
from .joint_coordinates import counted
from .record import Record, Statistics


def shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Return the shape of one stored state for each array of a :class:`Record`, and for the work done."""
    nb, na, nv = plan.n_bodies, plan.n_modes, plan.n_velocities
    return {
        "t": (), "c": (nb, 3), "q": (nb, 4), "alpha": (na,), "v": (nv,), "vdot": (nv,),
        "multipliers": (plan.n_rows,), "work": (2,), "states": (plan.elements.n_states,),
        "turns": (len(plan.coordinates),),
    }  # fmt: skip


def record_of(
    plan: Plan, arrays: Mapping[str, np.ndarray], statistics: Statistics, undetermined: tuple[str, ...]
) -> Record:
    """Return the record of stored states, named as in :func:`shapes`; it computes their energies."""
    t, c, q, alpha, v, vdot, multipliers, work, states, turns = (arrays[name] for name in shapes(plan))
    energies = np.zeros((len(t), 5))
    found = Record(
        plan, t, c, q, alpha, v, vdot, multipliers, energies, statistics, undetermined, turns, states
    )
    energy = np.empty((len(t), 3))
    W = plan.work()
    W.law_mode = GIVEN
    near = np.ascontiguousarray(counted(found))
    plan.formulation.observe_all(plan.layout, W, t, c, q, alpha, v, states, near, energy)
    energies[:] = np.column_stack([energy, work])
    return found
