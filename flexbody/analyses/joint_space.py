"""The equations of motion in the speeds of joints at one state, for control engineers.

With u the speeds of the hinges of a tree and the rates of modal coordinates: ``M du/dt + h + G_c' lambda = tau``, where
the rows G_c close the loops. Slaats (1991), chapter 3; Koppens (4.20) with the velocity transformation of the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as replaced

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import ConstraintError, InputError, called
from fem.common.numbers import floats

from ..compile.plan import Plan, check_description
from ..core.structures import Work
from ..equations.least_squares import RANK_TOLERANCE
from ..equations.tree_motion import TreeMotion, frame_velocities, tree_motion
from ..formulations import Absolute, Formulation, Relative
from ..results.motion import Where, frame_of
from ..results.record import frames_over_time
from .linear.force_law_states import hold
from .result import State
from .topology import Topology, topology
from .tree_sweep import TreeSweep, tree_sweep

#: accelerations miss the loops by at most this part of their size
LOOP_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class _Tree:
    """The tree motion of a state, with the plan and working arrays that it was evaluated with."""

    plan: Plan
    W: Work
    motion: TreeMotion
    topology: Topology


@check_arguments(own=("state", "tree"))
def speeds(state: State, *, tree: Topology | None = None) -> dict[str, float]:
    """Return the speeds of a machine in the order of rows and columns of its matrices.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.
    tree : Topology, optional
        The tree, by default that of :func:`topology`.

    Returns
    -------
    dict of str to float
        For each body in the order of the tree: the speeds of the hinge that leads to it, m/s or rad/s, and the rates
        of its modal coordinates.

    Raises
    ------
    fem.InputError
        An argument is not valid.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> list(fb.speeds(state))
    ['hinge: angle']
    """
    found = _tree(state, tree).motion
    return dict(zip(found.labels, found.speeds.tolist(), strict=True))


@check_arguments(own=("state", "tree"))
def mass_matrix(state: State, *, tree: Topology | None = None) -> np.ndarray:
    """Return the mass matrix M of the speeds of the joints.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.
    tree : Topology, optional
        The tree, by default that of :func:`topology`.

    Returns
    -------
    numpy.ndarray
        M, (n, n); the kinetic energy is ``u' M u / 2`` with the speeds u of :func:`speeds`.

    Raises
    ------
    fem.InputError
        An argument is not valid.

    Examples
    --------
    A bar of 1 kg that hangs 0.3 m from its hinge: 0.03 + 1 * 0.3^2 kg m^2.

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> float(fb.mass_matrix(state)[0, 0].round(9))
    0.12
    """
    sweep = _sweep(state, tree, None)
    return sweep.mass_matrix() if sweep else _mass_matrix(_tree(state, tree))


@check_arguments(own=("state", "tree"))
def bias(state: State, *, tree: Topology | None = None) -> np.ndarray:
    """Return the loads h that the joints need for no acceleration: ``M du/dt + h = tau``.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.
    tree : Topology, optional
        The tree, by default that of :func:`topology`.

    Returns
    -------
    numpy.ndarray
        h, (n,), N or Nm (J per unit of a modal coordinate): inertia forces of the velocities, minus weight, loads,
        force elements, and elastic forces. Friction that follows reactions is left out.

    Raises
    ------
    fem.InputError
        An argument is not valid.

    Examples
    --------
    The moment that holds a horizontal bar: its axis y is such that the weight turns it forward, 9.81 * 0.3 Nm.

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> float(fb.bias(state)[0].round(9))
    -2.943
    """
    sweep = _sweep(state, tree, None)
    return sweep.loads(np.zeros(len(sweep.order))) if sweep else _bias(_tree(state, tree), state)


@check_arguments(own=("state", "tree"))
def jacobian(state: State, frame: Where, *, tree: Topology | None = None) -> np.ndarray:
    """Return the partial velocities of a frame: its velocity and angular velocity for each speed, Kane.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.
    frame : body, frame, joint or str
        The frame, as for :meth:`Result.position`; a joint stands for its second frame.
    tree : Topology, optional
        The tree, by default that of :func:`topology`.

    Returns
    -------
    numpy.ndarray
        J, (6, n), inertial base: rows 0 to 2 are the velocity of the origin, m/s, rows 3 to 5 the angular velocity,
        rad/s. A force F and a moment T at the frame add ``J' (F, T)`` to the loads of the joints.

    Raises
    ------
    fem.InputError
        An argument is not valid.

    References
    ----------
    P. M. A. Slaats, WFW 91.057, TU Eindhoven, 1991, (A.12).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> partial = dict(zip(fb.speeds(state), fb.jacobian(state, bar).T, strict=True))  # by name
    >>> (partial["hinge: angle"] + 0.0).round(9).tolist()
    [0.0, 0.0, -0.3, 0.0, 1.0, 0.0]
    """
    found = _tree(state, tree)
    plan = found.plan.with_frames([frame_of(state.system, frame)])
    W = plan.work()
    frames_over_time(state.instant, plan.layout, W)  # (rows and elements have frames that this layout lacks)
    J: np.ndarray = frame_velocities(plan, W, 0)[0] @ found.motion.B
    return J


@check_arguments(own=("state", "accelerations", "tree", "description"))
def inverse_dynamics(
    state: State,
    accelerations: ArrayLike,
    *,
    tree: Topology | None = None,
    description: Formulation | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the loads of the joints that cause given accelerations.

    Parameters
    ----------
    state : State
        A state of a machine, ``result.state(t)`` or an equilibrium.
    accelerations : array_like
        du/dt, (n,), m/s^2 or rad/s^2, in the order of :func:`speeds`. NaN stands for an acceleration that follows from
        the others: of a joint without motor, of a modal coordinate, or of a joint that a loop moves.
    tree : Topology, optional
        The tree, by default that of :func:`topology`.
    description : Absolute or Relative, optional
        How the loads are computed: with the matrices of the global description, or along the tree of the relative one,
        which is given by its ``base``, ``keep`` and ``cut``. By default along the tree of :func:`topology`.

    Returns
    -------
    tau : numpy.ndarray
        Loads, (n,), N or Nm; zero where the acceleration is NaN.
    accelerations : numpy.ndarray
        All accelerations, (n,).

    Raises
    ------
    fem.InputError
        An argument is not valid.
    fem.ConstraintError
        The accelerations contradict the loops.

    Notes
    -----
    Drives of the machine are left out: what they would do is given by ``accelerations``. Cut joints, couplings and
    constraints hold. Friction that follows reactions is left out.

    Without ``tree``, an open tree with all accelerations given takes one sweep outward and one inward, whose cost grows
    with the number of bodies. Loops, accelerations that follow, and friction that follows reactions take matrices.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> state = fb.simulate(machine, t_end=0.1, show_progress=False).state(0.0)
    >>> float(fb.inverse_dynamics(state, [10.0])[0][0].round(9))  # 0.12 * 10 - 2.943
    -1.743
    """
    check_description(description)
    if description is not None and type(description) not in (Absolute, Relative):
        raise InputError(
            f"inverse_dynamics: description is {description!r}; give fb.Absolute() or fb.Relative(base=, keep=, cut=), "
            "whose tree the loads belong to"
        )
    sweep = _sweep(state, tree, description)
    found = _tree(state, _told_tree(state, tree, description)) if sweep is None or not sweep.is_open else None
    n = len(found.motion.speeds) if found else len(sweep.order) if sweep else 0
    given = floats(accelerations)
    if given is None or given.shape != (n,) or np.isinf(given).any():
        raise InputError(
            f"accelerations are {called(accelerations)}; give {n} numbers in the order of speeds(state), NaN for those "
            "that follow from the others"
        )
    if sweep is not None and not np.isnan(given).any() and found is None:
        return sweep.loads(given), given.copy()
    if found is None:
        found = _tree(state, _told_tree(state, tree, description))
    return _follow(found, state, sweep, given)


def _follow(
    found: _Tree, state: State, sweep: TreeSweep | None, given: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return loads and accelerations where some accelerations (NaN) follow from the others, or loops hold."""
    M = sweep.mass_matrix() if sweep else _mass_matrix(found)
    h = sweep.loads(np.zeros(len(given))) if sweep else _bias(found, state)
    G, gamma = _closing(found, state)
    free, held = np.isnan(given), ~np.isnan(given)
    a = np.where(free, 0.0, given)
    miss = -(gamma + G @ a)
    Gf, Mf = G[:, free], M[np.ix_(free, free)]
    # the accelerations that follow: M_ff a_f + G_f' lambda = -(h + M a)_f, G_f a_f = miss
    L = np.linalg.cholesky(Mf) if free.any() else np.zeros((0, 0))
    Y = np.linalg.solve(L, Gf.T).T
    x = np.linalg.solve(L, -(h + M @ a)[free])
    lam = np.linalg.lstsq(Y.T, x - np.linalg.lstsq(Y, miss, rcond=RANK_TOLERANCE)[0], rcond=RANK_TOLERANCE)[0]
    a[free] = np.linalg.solve(L.T, x - Y.T @ lam)
    left = np.abs(gamma + G @ a)
    # (what stands still leaves round-off of the accelerations that it would have without its loops)
    size = np.abs(G) @ (np.abs(a) + np.abs(np.linalg.solve(M, h))) + np.abs(gamma)
    if np.any(left > LOOP_TOLERANCE * max(size.max(initial=0.0), 1e-300)):
        raise ConstraintError(_contradiction(found, left))
    tau = np.where(held, M @ a + h + G.T @ lam, 0.0)
    return tau, a


def _told_tree(state: State, tree: Topology | None, description: Formulation | None) -> Topology | None:
    """Return the tree that is given, or that of the relative description."""
    if tree is not None or not isinstance(description, Relative):
        return tree
    return topology(state.system, base=description.base, keep=description.keep, cut=description.cut)


def _sweep(state: State, tree: Topology | None, description: Formulation | None) -> TreeSweep | None:
    """Return the sweep along the tree of a description; None if matrices are asked for, or a tree is given."""
    if tree is not None or not isinstance(state, State):
        return None
    if description is not None and not isinstance(description, Relative):
        return None
    plan = state.plan
    W = plan.work()
    hold(plan, W, state.numbers)
    relative = plan.relative if description is None else description.bound(plan.trees)
    return tree_sweep(plan, relative, W, state.numbers)


def _tree(state: State, tree: Topology | None) -> _Tree:
    """Return the tree motion of a state, or raise InputError for arguments of the wrong type."""
    if not isinstance(state, State):
        raise InputError(f"the state is {called(state)}; give result.state(t) or an equilibrium")
    found = topology(state.system) if tree is None else tree
    if not isinstance(found, Topology):
        raise InputError(f"tree= is {called(tree)}; give the result of topology(machine)")
    if found.machine is not state.system:
        raise InputError("tree= belongs to another machine than the state; call topology(state.system)")
    W = state.plan.work()
    hold(state.plan, W, state.numbers)
    return _Tree(state.plan, W, tree_motion(state.plan, W, found.tree, state.numbers), found)


def _dense(found: _Tree) -> tuple[np.ndarray, np.ndarray]:
    """Return the mass matrix (nv, nv) and the constraint Jacobian (nr, nv) of the global description."""
    plan = found.plan
    M = np.empty((plan.n_velocities, plan.n_velocities))
    G = np.empty((plan.n_rows, plan.n_velocities))
    plan.formulation.dense(plan.layout, found.W, M, G)
    return M, G


def _mass_matrix(found: _Tree) -> np.ndarray:
    B = found.motion.B
    M: np.ndarray = B.T @ _dense(found)[0] @ B
    return M


def _bias(found: _Tree, state: State) -> np.ndarray:
    plan, motion = found.plan, found.motion
    still = replaced(state.numbers, vdot=motion.bias, multipliers=np.zeros(plan.n_rows))
    plan.formulation.residual(plan.layout, found.W, still)
    h: np.ndarray = motion.B.T @ found.W.residual
    return h


def _closing_rows(found: _Tree) -> list[str]:
    """Return for each constraint row that the tree does not satisfy by itself the name of its owner."""
    hinges = {hinge.joint.name for hinge in found.topology.hinges if hinge.joint is not None}
    drives = {drive.name for drive in found.plan.system.drives}
    return [name for name in found.plan.rows if name not in hinges | drives]


def _closing(found: _Tree, state: State) -> tuple[np.ndarray, np.ndarray]:
    """Return G_c and gamma of the rows that close the machine: ``G_c du/dt + gamma = 0``."""
    plan, motion = found.plan, found.motion
    drift = np.empty(plan.n_rows)
    plan.formulation.biases(plan.layout, found.W, state.t, drift)
    G = _dense(found)[1]
    some = np.array(
        [k for name in _closing_rows(found) for k in range(plan.n_rows)[plan.rows[name]]], dtype=int
    )
    return (G @ motion.B)[some], (G @ motion.bias + drift)[some]


def _contradiction(found: _Tree, left: np.ndarray) -> str:
    names = [name for name in _closing_rows(found) for _ in range(found.plan.n_rows)[found.plan.rows[name]]]
    worst = int(np.argmax(left))
    label = found.plan.system.joint(names[worst]).label
    return f"these accelerations open {label} with {left[worst]:.3g} m/s^2; give NaN for the joints that the loop moves"
