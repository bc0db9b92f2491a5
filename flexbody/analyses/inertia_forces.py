"""The inertia forces of coordinates beside which others are driven: transport, gyroscopic and complementary ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing

from ..compile.plan import Plan
from ..core.kinds import D, K
from ..core.structures import Layout
from ..equations.tree_motion import tree_motion
from .linear.force_law_states import hold
from .result import State
from .topology import topology
from .tree_sweep import TreeSweep, sweep_of


class InertiaForces(NamedTuple):
    """Inertia forces of the n coordinates q of joints that no drive prescribes, at one state; N or Nm.

    With the mass matrix M of q: ``M q'' = complementary + loads``, and ``complementary = -(transport + gyroscopic +
    mass_change + velocity)``.

    Parameters
    ----------
    names : tuple of str
        Names of the coordinates, as those of :func:`flexbody.speeds`.
    transport : numpy.ndarray
        Of the motion that drives prescribe while q stands still, (n,).
    gyroscopic : numpy.ndarray
        Linear in q' without power: ``G q'`` with ``G = -G'``, (n,); Coriolis forces of the driven motion.
    mass_change : numpy.ndarray
        Linear in q' by the change of the mass matrix with the driven motion, ``dM/dt q'`` for fixed q, (n,).
    velocity : numpy.ndarray
        Quadratic in q': centrifugal and Coriolis forces of the motions q among each other, (n,).
    complementary : numpy.ndarray
        Minus the sum of the four, (n,).
    """

    names: tuple[str, ...]
    transport: np.ndarray
    gyroscopic: np.ndarray
    mass_change: np.ndarray
    velocity: np.ndarray
    complementary: np.ndarray


@check_arguments
def inertia_forces(state: State) -> InertiaForces:
    """Return the inertia forces of the coordinates of an open tree, some of whose joints are driven.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.

    Returns
    -------
    InertiaForces
        The forces by their kind.

    Raises
    ------
    fem.InputError
        The machine has loops, couplings, or ball or free joints, whose speeds are no rates of coordinates.

    Notes
    -----
    Let driven coordinates be functions of time. The kinetic energy is ``(m_00 + 2 m_0k q_k' + m_kl q_k' q_l') / 2``.
    Lagrange's equations then contain, beside ``M q''``,

    - transport: ``d m_0k / dt - (d m_00 / d q_k) / 2``;
    - gyroscopic: ``sum_j (d m_0k / d q_j - d m_0j / d q_k) q_j'``;
    - ``sum_j (d m_kj / dt) q_j'``;
    - ``sum_ij (d m_ki / d q_j - (d m_ij / d q_k) / 2) q_i' q_j'``,

    with partial derivatives by time. They are a polynomial of degree two in q', so that a sweep of inverse dynamics
    along the tree for q' = 0, for each unit rate with both signs, and for q' itself separates them without differences.

    Examples
    --------
    A block on a table that turns at 2 rad/s, 0.5 m from its axis: the centrifugal force is ``m Omega^2 r`` outward.

    >>> import flexbody as fb
    >>> table = fb.RigidBody("table", mass=1.0, inertia=(1, 1, 1))
    >>> block = fb.RigidBody("block", mass=3.0, inertia=(1, 1, 1), center=(0.5, 0, 0))
    >>> axle = fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0), axis="z")
    >>> slot = fb.Prismatic("slot", table, block, point=(0.5, 0, 0), axis="x")
    >>> machine = fb.System([table, block], [axle, slot, fb.Drive("motor", axle, rate=2.0)])
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> found = fb.inertia_forces(state)
    >>> found.names, found.complementary.round(9).tolist()
    (('slot: slide',), [6.0])
    """
    plan = state.plan
    W = plan.work()
    hold(plan, W, state.numbers)
    sweep = sweep_of(plan, plan.relative, W, state.numbers)
    _check(state, sweep)
    labels = tree_motion(plan, W, topology(state.system).tree, state.numbers).labels
    n = len(sweep.order)
    driven = np.zeros(n, dtype=bool)
    driven[sweep.tree.drive[:, 0]] = True
    own = sweep.order[~driven[sweep.order]]  # the free speeds in the order of the names
    names = tuple(label for label, k in zip(labels, sweep.order, strict=True) if not driven[k])
    L, first = _inertia_only(plan), len(sweep.y) - n
    rates = np.where(driven, plan.relative.unknowns(plan.layout, W, sweep.tree, state.numbers)[2], 0.0)
    still = sweep.y.copy()
    still[first:][~driven] = 0.0

    def forces(speeds: np.ndarray) -> np.ndarray:
        """Return the inertia forces (n free,) for free speeds and no change of them."""
        y = still.copy()
        y[first + own] = speeds
        return sweep.relative.speed_forces(L, W, sweep.tree, y, rates)[own]

    u = sweep.y[first + own]
    transport = forces(np.zeros(len(own)))
    columns = [0.5 * (forces(e) - forces(-e)) for e in np.eye(len(own))]
    linear = np.array(columns).reshape(len(own), len(own)).T
    gyroscopic, change = 0.5 * (linear - linear.T) @ u, 0.5 * (linear + linear.T) @ u
    whole = forces(u)
    return InertiaForces(names, transport, gyroscopic, change, whole - transport - linear @ u, -whole)


def _check(state: State, sweep: TreeSweep) -> None:
    """Raise InputError for a machine whose coordinates are not free, or whose speeds are no rates."""
    if not sweep.is_open:
        closing = topology(state.system).cut_joints
        names = listing([cut.joint.name for cut in closing]) if closing else "couplings or constraints"
        raise InputError(
            f"inertia_forces needs an open tree, whose coordinates are free; this machine is held by {names} too"
        )
    if np.any(sweep.tree.ball):
        hinges = [h.label for h in topology(state.system).hinges]
        balls = [hinges[k] for k in np.flatnonzero(sweep.tree.ball)]
        raise InputError(
            f"inertia_forces: the speeds of {', '.join(balls)} are angular velocities, not rates of coordinates; use "
            "revolute, universal or other joints with coordinates in place of them"
        )


def _inertia_only(plan: Plan) -> Layout:
    """Return the machine without gravity, elasticity and damping of bodies."""
    L, coefficients = plan.layout, plan.layout.coefficients.copy()
    for b, n in enumerate(L.body_modes):
        for which in (K, D):
            at = L.coefficient_at[b, which]
            coefficients[at : at + n * n] = 0.0
    return L.replaced(gravity=np.zeros(3), coefficients=coefficients, body_axial=0 * L.body_axial)
