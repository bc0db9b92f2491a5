"""Friction that follows reactions, where Python finds the multipliers, and what is said of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from fem.common.errors import ConvergenceError, FlexbodyWarning, InputError, listing

from .forces import Friction
from .forces.friction import rubs_of
from .kernels.arrays import RUB, Work
from .kernels.packed import rub_records, rub_responses, rubs
from .kernels.rubbing import SHARE, SIZE, press, settle, unit_load

if TYPE_CHECKING:
    from .layout import Plan
    from .tangent import Nominal

#: (motion (nv,), multipliers (nr,)) that a generalized load (nv,), which may be overwritten, causes
Response = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: what of a normal force is not determined, beside the reactions that leave it open
OPEN = 1e-6
#: where its own force takes away this part of what holds a friction element together, it is about to jam
NEAR_JAM = 0.8
#: a friction element that follows a reaction with less than this part of it counts as one at rest
SLIDES = 1e-3


def unit_loads(plan: Plan, W: Work) -> Iterator[np.ndarray]:
    """Yield what a unit of tension of each friction element that follows a reaction adds to the residual, (nv,)."""
    for s in np.flatnonzero(plan.layout.spring_frame[:, 2] == RUB):
        load = np.empty(plan.n_velocities)
        unit_load(plan.layout, W, int(s), load)
        yield load


def heed_friction(plan: Plan, W: Work, response: Response, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Let a solution x (nv,), multipliers (nr,) of the equations heed the friction that these reactions bring.

    The solution is that with the forces of the latest ``residual``, and is changed in place; ``response`` solves the
    same equations for another load. Raises :class:`fem.ConvergenceError` where no friction force fits.
    """
    if not rubs(W.more):
        return
    _fill(plan, W, response)
    settle(plan.layout, W, x, multipliers)
    if not np.isfinite(x).all():
        jam = jams(plan, W)
        raise ConvergenceError(
            f"no accelerations were found: {jam or listing(f.label for f in rubs_of(plan.system.forces))}. "
            "Give a smaller mu, a longer guide (length=), or let the force act nearer to it"
        )


def _fill(plan: Plan, W: Work, response: Response) -> None:
    """Find the responses to a unit of each friction force."""
    X, Y = rub_responses(W.more, plan.n_velocities, len(W.right))
    for k, load in enumerate(unit_loads(plan, W)):
        X[k], Y[k, : plan.n_rows] = response(load)


def jams(plan: Plan, W: Work) -> str:
    """Name what is about to jam, "" where nothing is; needs the responses and the records."""
    L, records = plan.layout, rub_records(W.more)
    Y = rub_responses(W.more, plan.n_velocities, len(W.right))[1]
    frictions, found = rubs_of(plan.system.forces), []
    for k, s in enumerate(np.flatnonzero(L.spring_frame[:, 2] == RUB)):
        first, last = L.spring_frame[s, 4:6]
        gain = abs(float(records[k, SHARE] * records[k, 3 : 3 + last - first] @ Y[k, first:last]))
        if gain > NEAR_JAM:
            found.append(
                f"{frictions[k].label} jams: each N of its force raises the reaction that it follows so far that it "
                f"grows by {gain:.2g} N more"
            )
    return ", ".join(found)


def heed_open_reactions(plan: Plan, W: Work, dependent: np.ndarray) -> None:
    """Warn of friction that follows reactions which are not determined.

    ``dependent`` (nr, d) : multipliers that load nothing. Needs the position placed.
    """
    names = []
    for k, friction in enumerate(rubs_of(plan.system.forces)):
        own = plan.rows[friction.joint.name]
        for vector in dependent.T:
            press(plan.layout, W, np.ascontiguousarray(vector))
            arm = (friction.radius or 1.0) if friction.turns else 1.0
            size = rub_records(W.more)[k, SIZE] / arm - friction.preload
            if size > OPEN * np.abs(vector).max() and np.abs(vector[own]).max(initial=0.0) > 0:
                names.append(friction.label)
                break
    if names:
        warnings.warn(
            f"{', '.join(names)} {'follows a reaction' if len(names) == 1 else 'follow reactions'} that redundant "
            "constraints leave open: one of many possible values is taken. Replace joints by ones that hold less, or "
            "leave out what is open (collar=0 the force along an axis, no length= moments)",
            FlexbodyWarning,
            stacklevel=5,
        )


def refuse_sliding(plan: Plan, W: Work, s: Nominal) -> None:
    """Raise :class:`fem.InputError` where friction that follows a reaction slides: no linear equations hold it."""
    if not rubs(W.more):
        return
    press(plan.layout, W, s.multipliers)
    frictions: list[Friction] = rubs_of(plan.system.forces)
    sliding = [
        f.label for f, record in zip(frictions, rub_records(W.more), strict=True) if record[SHARE] != 0.0
    ]
    if sliding:
        raise InputError(
            f"{listing(sliding)} slides in this state; its force follows the joint's reaction, and how reactions "
            "change is not in the linear equations. Linearise at rest, or with load= in place of mu="
        )
