"""Inverse dynamics of open trees by one sweep outward and one inward: the cost grows with the number of bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Tree, Work
from ..formulations.relative import BoundRelative
from ..formulations.state import MachineState


@dataclass(frozen=True, eq=False)
class TreeSweep:
    """The tree of a machine at a state, at which ``W`` is placed and moved.

    Attributes
    ----------
    y : numpy.ndarray
        Places, modal coordinates, speeds and modal velocities.
    order : numpy.ndarray
        For each speed of :func:`flexbody.speeds` its number among the speeds of the tree, (n,).
    """

    plan: Plan
    relative: BoundRelative
    W: Work
    tree: Tree
    t: float
    y: np.ndarray
    order: np.ndarray

    @property
    def is_open(self) -> bool:
        """Whether no constraints hold the speeds."""
        return not len(self.tree.closing)

    def loads(self, rates: np.ndarray) -> np.ndarray:
        """Return the loads (n,) of the joints that cause the rates (n,) of the speeds."""
        given = np.empty(len(rates))
        given[self.order] = rates
        found: np.ndarray = self.relative.speed_forces(
            self.plan.layout, self.W, self.tree, self.y, given, self.t
        )[self.order]
        return found

    def mass_matrix(self) -> np.ndarray:
        """Return the mass matrix (n, n): what each unit rate adds to the loads, without velocities and weight."""
        n, L = len(self.order), self.plan.layout.replaced(gravity=np.zeros(3))
        y = self.y.copy()
        y[len(y) - n :] = 0.0
        still = self.relative.speed_forces(L, self.W, self.tree, y, np.zeros(n))
        columns = [self.relative.speed_forces(L, self.W, self.tree, y, unit) - still for unit in np.eye(n)]
        M = np.array(columns).reshape(n, n)[np.ix_(self.order, self.order)]
        return 0.5 * (M + M.T)


def tree_sweep(plan: Plan, relative: BoundRelative, W: Work, s: MachineState) -> TreeSweep | None:
    """Return the sweep at a state; None where friction follows reactions, of which a tree knows none."""
    return None if len(plan.layout.reaction_friction) else sweep_of(plan, relative, W, s)


def sweep_of(plan: Plan, relative: BoundRelative, W: Work, s: MachineState) -> TreeSweep:
    """Return the sweep at a state, without friction that follows reactions."""
    L = plan.layout
    tree = relative.new_tree()
    y = relative.vector(L, W, tree, s)
    n_hinges = int(tree.speed_at[-1])
    order: list[int] = []
    for k, body in enumerate(tree.body):
        order += range(tree.speed_at[k], tree.speed_at[k + 1])
        order += range(n_hinges + L.alpha_at[body], n_hinges + L.alpha_at[body + 1])
    return TreeSweep(plan, relative, W, tree, s.t, y, np.array(order, dtype=np.int64))
