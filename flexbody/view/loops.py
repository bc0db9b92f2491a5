"""Loops of joints that an interpolated motion leaves open, closed by the machine's own constraints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import scipy

from fem.common.errors import FlexbodyError

from ..equations.consistent_start import closed
from .geometry.poses import Pose, Poses


def closing(result: Any) -> Callable[[float, int, Poses], Poses | None] | None:
    """Return a function that closes the joints of a machine at a time (s) behind a stored state, from poses near it.

    It returns None where it finds no such poses. Machines whose joints are switched have no such function.
    """
    plan = result.plan
    if plan.n_rows == 0 or result.events or result.switched_off:
        return None
    work = plan.work()
    names = list(plan.body_index)

    def close(time: float, k: int, poses: Poses) -> Poses | None:
        turns = scipy.spatial.transform.Rotation.from_matrix([poses[name].Q for name in names])
        near = replace(
            result.state_at(k),
            t=time,
            c=np.array([poses[name].c for name in names]),
            q=np.roll(turns.as_quat(), 1, axis=-1),
            all_alpha=np.concatenate([np.zeros(0), *(poses[name].alpha for name in names)]),
        )
        try:
            found = closed(plan, work, near)
        except FlexbodyError:
            return None
        turned = scipy.spatial.transform.Rotation.from_quat(np.roll(found.q, -1, axis=-1)).as_matrix()
        return poses | {
            name: Pose(found.c[b], turned[b], found.all_alpha[plan.modal(b)])
            for name, b in plan.body_index.items()
        }

    return close
