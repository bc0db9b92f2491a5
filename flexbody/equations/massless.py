"""Massless bodies that joints hold: what holds them, and their motions that nothing holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fem.common.errors import InputError, few, listing

from ..compile.massless import Assembly, assemblies_of
from ..compile.plan import Plan
from ..core.kinds import GIVEN
from ..core.structures import Work
from ..formulations.state import MachineState
from .auxiliary_mass import auxiliary_masses, massless_part
from .constraint_jacobian import weighted
from .least_squares import RANK_TOLERANCE, Matrix
from .state import move_state

#: a load on a massless body of which no joint resists more than this part is no round-off
UNHELD_LOAD = 1e-7
#: the same in a run, where joints are closed to its tolerance
UNHELD_IN_MOTION = 1e-4


class Held(NamedTuple):
    """What joints hold of massless bodies at a position.

    Attributes
    ----------
    idle : numpy.ndarray
        Motions that nothing holds, (nv, k).
    rows : numpy.ndarray
        Rows (k, nv) that are zero for all motions beside them, in the metric of the auxiliary masses.
    sizes : numpy.ndarray
        Singular values of the scaled Jacobian of the massless bodies, the largest first.
    rank : int
        Its rank.
    """

    idle: np.ndarray
    rows: np.ndarray
    sizes: np.ndarray
    rank: int


def held(plan: Plan, G: Matrix, assembly: Assembly | None = None) -> Held:
    """Return what the rows G (nr, nv) hold of massless bodies, those of one connection or all.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    G : array or sparse matrix
        Constraint Jacobian, (nr, nv), with rows in metres.
    assembly : Assembly, optional
        The connection.

    Returns
    -------
    Held
        Ranks and idle motions.
    """
    part = massless_part(plan, assembly)
    unit = _units(plan, part)
    columns = G[:, part]
    dense = np.asarray(columns if isinstance(columns, np.ndarray) else columns.toarray()) / unit
    lengths = np.linalg.norm(dense, axis=1)
    dense = dense[lengths > 0] / lengths[lengths > 0, None]
    _, s, Vt = np.linalg.svd(dense) if len(dense) else (None, np.zeros(0), np.eye(len(unit)))
    rank = int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0)))
    idle, rows = (
        np.zeros((plan.n_velocities, len(unit) - rank)),
        np.zeros((len(unit) - rank, plan.n_velocities)),
    )
    idle[part], rows[:, part] = (Vt[rank:] / unit).T, Vt[rank:] * unit
    return Held(idle, rows, s, rank)


def _units(plan: Plan, part: np.ndarray) -> np.ndarray:
    """Return one for each translation of massless bodies, and their sizes, m, for rotations."""
    masses = np.repeat(plan.layout.auxiliary_mass, np.diff(plan.layout.v_at))
    return np.sqrt(auxiliary_masses(plan)[part] / masses[part])


def check_loads(plan: Plan, G: Matrix, loads: np.ndarray, t: float, tolerance: float = UNHELD_LOAD) -> None:
    """Raise :class:`fem.InputError` for a load on massless bodies in a direction that no joint holds.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    G : array or sparse matrix
        Constraint Jacobian, (nr, nv).
    loads : numpy.ndarray
        Generalized forces without reactions, (nv,).
    t : float
        Time, s, for the message.
    tolerance : float
        The part of the loads that counts as none.
    """
    if not (plan.layout.auxiliary_mass > 0).any():
        return
    for one in assemblies_of(plan.system.bodies, plan.system.joints):
        part = massless_part(plan, one)
        if not loads[part].any():
            continue
        here = held(plan, G, one)
        # motions of unit size, of which rotations count by the size of the body
        if np.linalg.norm(here.idle.T @ loads) > tolerance * np.linalg.norm(loads[part] / _units(plan, part)):
            raise InputError(_unheld(one, t))


def check_held(plan: Plan, W: Work, s: MachineState) -> None:
    """Raise :class:`fem.InputError` if at a state a force acts on a massless body where no joint resists.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Working arrays, which are changed.
    s : MachineState
        The state.
    """
    move_state(plan, W, s)
    W.law_mode, W.law_state[:] = GIVEN, s.law_states
    plan.formulation.residual(plan.layout, W, replace(s, vdot=0 * s.vdot, multipliers=0 * s.multipliers))
    loads = -W.residual
    if loads[massless_part(plan)].any():
        check_loads(plan, weighted(plan, W)[1], loads, s.t, UNHELD_IN_MOTION)


def _unheld(one: Assembly, t: float) -> str:
    what = f"the massless {'body' if len(one.massless) == 1 else 'bodies'} {listing(one.massless)}"
    by = (
        f"that {few(one.joints)} {'holds' if len(one.joints) == 1 else 'hold'}"
        if one.joints
        else "that no joint holds"
    )
    return (
        f"at t = {t:.6g} s a force acts on {what} {by}, in a direction in which no joint resists: without mass "
        "nothing says how it moves there. Hold this motion by a joint or a drive, let the force act on a body with "
        "mass, or use a RigidBody. (A massless body between springs alone is found from their balance: no joint may "
        "name it, and bodies= doesn't list it)"
    )


def measured(plan: Plan, G: Matrix) -> Sequence[tuple[Assembly, int, int, int]]:
    """Return each connection, its number of independent rows, those that hold it inside, and its idle motions.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    G : array or sparse matrix
        Constraint Jacobian, (nr, nv), with rows of length one.
    """
    found = []
    for one in assemblies_of(plan.system.bodies, plan.system.joints):
        rows = np.concatenate(
            [np.arange(plan.n_rows)[plan.rows[name]] for name in one.joints] or [np.zeros(0, int)]
        )
        own = G[rows.astype(int)]
        dense = own if isinstance(own, np.ndarray) else own.toarray()
        s = np.linalg.svd(dense, compute_uv=False)
        here = held(plan, G, one)
        found.append(
            (one, int(np.sum(s > RANK_TOLERANCE * s.max(initial=0.0))), here.rank, here.idle.shape[1])
        )
    return found
