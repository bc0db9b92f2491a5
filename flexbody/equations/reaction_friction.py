"""Friction that depends on reactions, for multipliers that are computed in Python, and its messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from fem.common.errors import ConvergenceError, few, warn

from ..compile.plan import Plan
from ..core.kinds import (
    ARM,
    AXIS,
    END_ROW,
    FIRST_ROW,
    FRICTION_COEFFICIENT,
    FRICTION_ELEMENT,
    GEOMETRY,
    NORMAL_FORCE,
    NORMAL_FORCE_SLOPE,
    PRELOAD,
    SEPARATION,
    SLIP,
)
from ..core.structures import Work
from ..formulations.state import MachineState
from ..model.forces import Element
from .state import move_state

#: (motion (nv,), multipliers (nr,)) that a generalized load (nv,), which may be overwritten, causes
Response = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]

#: part of a normal force, relative to reactions that are not determined, above which it is not determined either
OPEN_SHARE = 1e-6
#: friction is about to jam if each N of its force increases its own friction by this part of one N
JAMMING_GAIN = 0.8
#: a friction element that follows a reaction with less than this part of it counts as one at rest
SLIDING_SHARE = 1e-3


def reaction_frictions(plan: Plan) -> list[Element]:
    """Return the elements whose friction follows a reaction, in the order of ``Layout.reaction_friction``."""
    return [plan.elements.elements[e] for e in plan.layout.reaction_friction[:, FRICTION_ELEMENT]]


def unit_loads(plan: Plan, W: Work) -> Iterator[np.ndarray]:
    """Yield the residual (nv,) for a unit of force of each friction element that depends on a reaction."""
    L = plan.layout
    for e, axis in L.reaction_friction[:, [FRICTION_ELEMENT, AXIS]].tolist():
        load = np.empty(plan.n_velocities)
        plan.formulation.unit_load(L, W, e, load, axis if L.element[e, GEOMETRY] == SLIP else 0)
        yield load


def add_reaction_friction(
    plan: Plan, W: Work, response: Response, x: np.ndarray, multipliers: np.ndarray
) -> None:
    """Add the friction that depends on reactions to a solution of the equations of motion, in place.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Its work arrays.
    response : callable
        Function that solves the same equations for another load.
    x : numpy.ndarray
        Solution with the forces of the latest ``residual``, (nv,).
    multipliers : numpy.ndarray
        Its multipliers, (nr,).

    Raises
    ------
    fem.ConvergenceError
        No friction force satisfies the equations.
    """
    if not len(W.friction_record):
        return
    _fill(plan, W, response)
    plan.formulation.solve_friction(plan.layout, W, x, multipliers)
    if not np.isfinite(x).all():
        some = few(dict.fromkeys(f.label for f in reaction_frictions(plan)))
        raise ConvergenceError(
            f"no accelerations were found: {jams(plan, W) or f'no force of {some} fits the reactions'}. "
            "Give a smaller mu, a longer guide (length=), or let the force act nearer to it"
        )


def _fill(plan: Plan, W: Work, response: Response) -> None:
    """Compute the responses to a unit of each friction force."""
    X, Y = W.friction_motion, W.friction_multipliers
    for k, load in enumerate(unit_loads(plan, W)):
        X[k], Y[k, : plan.n_rows] = response(load)


def jams(plan: Plan, W: Work) -> str:
    """Return the label of friction that is about to jam, or ""; needs the responses and the records."""
    L, records = plan.layout, W.friction_record
    Y = W.friction_multipliers
    frictions, found = reaction_frictions(plan), []
    for k, (first, last) in enumerate(L.reaction_friction[:, [FIRST_ROW, END_ROW]]):
        slopes = records[k, NORMAL_FORCE_SLOPE : NORMAL_FORCE_SLOPE + last - first]
        gain = abs(float(records[k, FRICTION_COEFFICIENT] * slopes @ Y[k, first:last]))
        if gain > JAMMING_GAIN:
            found.append(
                f"{frictions[k].label} jams: each N of its force increases the reaction on which it depends, which "
                f"adds {gain:.2g} N to its force"
            )
    return ", ".join(found)


def warn_of_open_reactions(plan: Plan, W: Work, dependent: np.ndarray) -> None:
    """Warn of friction that depends on reactions that are not determined.

    ``dependent`` (nr, d): multipliers that cause no load. The position must be placed.
    """
    names = []
    for k, (e, first, last) in enumerate(
        plan.layout.reaction_friction[:, [FRICTION_ELEMENT, FIRST_ROW, END_ROW]]
    ):
        if plan.layout.element[e, GEOMETRY] == SEPARATION:
            continue  # no force of teeth is determined by redundant constraints alone
        numbers = plan.elements.pointers[e].numbers
        for vector in dependent.T:
            plan.formulation.find_normal_forces(plan.layout, W, np.ascontiguousarray(vector))
            size = W.friction_record[k, NORMAL_FORCE]
            if plan.layout.element[e, GEOMETRY] != SLIP:
                size = size / numbers[ARM] - numbers[PRELOAD]
            if size > OPEN_SHARE * np.abs(vector).max() and np.abs(vector[first:last]).max(initial=0.0) > 0:
                names.append(plan.elements.elements[e].label)
                break
    if names:
        names = list(dict.fromkeys(names))
        warn(
            f"{few(names)} {'follows a reaction' if len(names) == 1 else 'follow reactions'} that redundant "
            "constraints do not determine: one of many possible values is taken. Replace joints by ones that hold "
            "less, or leave out what is not determined (collar=0 the force along an axis, no length= moments)",
        )


def sliding(plan: Plan, W: Work, s: MachineState) -> np.ndarray | None:
    """Return the addition R of friction to the Jacobian (nr, nv), body components; None if no friction slides.

    ``G^T lambda`` grows by ``R^T lambda``: a multiplier changes the normal force N, and so the force along the sliding
    coordinate.
    """
    if not len(W.friction_record):
        return None
    L = plan.layout
    move_state(plan, W, s)
    plan.formulation.find_normal_forces(L, W, s.multipliers)
    records, out = W.friction_record, np.zeros((plan.n_rows, plan.n_velocities))
    if np.all(np.abs(records[:, FRICTION_COEFFICIENT]) < SLIDING_SHARE):
        return None
    spans = L.reaction_friction[:, [FIRST_ROW, END_ROW]]
    for k, ((first, last), load) in enumerate(zip(spans, unit_loads(plan, W), strict=True)):
        load = plan.turn_translations(W.Q.transpose(0, 2, 1), load)
        slopes = records[k, NORMAL_FORCE_SLOPE : NORMAL_FORCE_SLOPE + last - first]
        out[first:last] += records[k, FRICTION_COEFFICIENT] * np.outer(slopes, load)
    return out
