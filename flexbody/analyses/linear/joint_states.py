"""State spaces in the coordinates of joints: small motions described by names that a control engineer knows."""

from __future__ import annotations

import numpy as np
import scipy

from fem.common.errors import InputError

from ...equations.state import move_state
from ...equations.tree_motion import tree_motion
from ...formulations.state import MachineState
from ..result import State
from ..topology import topology
from .minimal_coordinates import Reduced, StateChange, differences

#: How the titles of coordinates begin that are lengths.
LENGTHS = ("slide", "translation", "distance")


def joint_states(state: State, linear: Reduced) -> StateChange:
    """Return the change to states that are small changes of joint coordinates and their rates.

    With p = T y the states are ``(p, p', zeta) = X (y, y', zeta)``, X = ((T, 0), (T', T)) and one for zeta. Of a
    machine with loops, p are as many of the joint coordinates of a tree as there are degrees of freedom: those on
    which the others depend least steeply.

    Parameters
    ----------
    state : State
        The state.
    linear : Reduced
        The small motions about it.

    Returns
    -------
    StateChange
        The change.

    Raises
    ------
    fem.InputError
        The machine rolls, so that it has fewer rates than coordinates.
    """
    if linear.rolling is not None:
        raise InputError(
            "joint_coordinates=True: a machine that rolls has fewer velocities than coordinates; its states are those "
            "of joint_coordinates=False"
        )
    tree = topology(state.system).tree
    f, plan = len(linear.M), state.plan
    W = plan.work()

    def changes_of(s: MachineState, Z: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
        """Return the names of all coordinates of the tree, and their changes (n, f) for each y."""
        move_state(plan, W, s)
        found = tree_motion(plan, W, tree, s)
        return found.labels, np.linalg.lstsq(found.B, plan.turn_translations(W.Q, Z), rcond=None)[0]

    labels, whole = changes_of(state.numbers, linear.Z)
    size = np.where(
        [label.rsplit(": ", 1)[-1].startswith(LENGTHS) for label in labels], plan.layout.length, 1.0
    )
    order = scipy.linalg.qr((whole / size[:, None]).T, mode="r", pivoting=True)[1]
    chosen = np.sort(order[:f])
    near = [(s, changes_of(s, Z)[1][chosen]) for s, Z in linear.near]
    T = whole[chosen]
    first, second = differences(state.numbers, T, near)
    n = 2 * f + len(linear.law.names)
    X, rate = np.eye(n), np.zeros((n, n))
    X[:f, :f] = X[f : 2 * f, f : 2 * f] = T
    X[f : 2 * f, :f] = rate[:f, :f] = rate[f : 2 * f, f : 2 * f] = first
    rate[f : 2 * f, :f] = second
    names = [labels[k] for k in chosen]
    return StateChange(X, rate, (*names, *(f"{name} rate" for name in names), *linear.law.names))
