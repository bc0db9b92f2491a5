"""Initial states of a run: as drawn, with quasi-static deformation, or from an earlier state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import ConstraintError, ConvergenceError, InputError

from ..compile.plan import Plan
from ..core.structures import Work
from ..equations.auxiliary_mass import balanced
from ..equations.consistent_start import closed, consistent_start, matched_velocities
from ..equations.constraint_jacobian import only, row_lengths, scaled, weighted
from ..equations.frame_jacobian import element_columns
from ..equations.least_squares import LeastSquares, least_squares
from ..equations.locked import warn_of_locked
from ..equations.massless import check_held
from ..equations.position import displaced, rigid_part
from ..equations.reaction_friction import add_reaction_friction
from ..equations.sparse_tangent import sparse_mass, sparse_stiffness, turned_columns
from ..equations.start import Start
from ..equations.state import drawn_state, move_state, place_state
from ..equations.tangent import body_axes, residual_forces, units
from ..formulations.state import MachineState
from ..model.plausibility import warn_of_stretch
from .continuing import warn_of_jump
from .earlier_state import fitted
from .path_ends import PathEnds
from .result import Result, State
from .starting_blow import warn_of_blow
from .starting_contacts import check_stiffness, warn_of_overlap, warn_of_passed_limits
from .sticking import sticking_velocities
from .unit_doubts import warn_of_units
from .unstable_start import warn_of_instability

#: rates of the deformation are differences over this part of the time in which the machine moves by its own size
RATE_INTERVAL = 1e-3
MAX_ITERATIONS = 60


class StartRule(ABC):
    """A rule for the state in which a run begins; base class of :class:`AsDrawn` and its like."""

    @abstractmethod
    def beginning(self, plan: Plan, t_end: float) -> MachineState:
        """Return the state in which a run to ``t_end`` (s) begins, before the corrections for the constraints.

        Parameters
        ----------
        plan : Plan
            The compiled machine.
        t_end : float
            End of the run, s.

        Returns
        -------
        MachineState
            The state.
        """


@dataclass(frozen=True)
class AsDrawn(StartRule):
    """Start in the drawn configuration with the velocities, modal coordinates and rates of the bodies; the default.

    Positions and velocities that the joints do not permit are corrected.

    Notes
    -----
    A flexible body is not deformed at this start. If it moves fast, it begins to vibrate.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.AsDrawn()
    AsDrawn()
    """

    def beginning(self, plan: Plan, t_end: float) -> MachineState:
        """Return the drawn state, and warn of contacts that are drawn deep inside each other, and of passed stops."""
        drawn = drawn_state(plan)
        warn_of_overlap(plan, drawn)
        warn_of_passed_limits(plan)
        return drawn


@check_arguments
@dataclass(frozen=True)
class QuasiStatic(StartRule):
    """Start with the deformation that loads and inertia of the rigid motion cause.

    Parameters
    ----------
    rates : bool
        Whether the deformation also starts with its rate along the rigid motion; otherwise the rate is zero.

    Notes
    -----
    ``alpha`` solves the modal equations with ``alpha' = alpha'' = 0`` under the accelerations and reactions of the
    machine with undeformed bodies, Koppens (D.11), (D.12) [1]_, here for any machine. High frequencies are then hardly
    excited. Joints that friction holds start with the rate at which they creep under their load.

    The loads are those at the start, t = 0: what a load excites that acts from then on shows only if it sets in later.

    A deformation with negative stiffness, beyond a buckling load or a critical speed, is a start too; a warning tells
    the bodies and the number of such directions.

    Only flexible bodies are deformed. Bodies on springs, bushings and contacts stay where they are drawn, so that such
    mounts begin without load and vibrate as from :class:`AsDrawn`. There are three ways to load them:

    * of a machine that stands, ``start=fb.Equilibrium()``;
    * of one that will move, the equilibrium of the same machine while drives hold its joints:
      ``start=fb.equilibrium(held)``, where ``held = dataclasses.replace(machine, joints=[*machine.joints,
      fb.Drive("hold", hinge, value=0.0)])``;
    * damping of the mounts, which ends the vibration.

    References
    ----------
    .. [1] W. P. Koppens, The dynamics of systems of deformable bodies (1989), appendix D.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.QuasiStatic(rates=False)
    QuasiStatic(rates=False)
    """

    rates: bool = True

    def beginning(self, plan: Plan, t_end: float) -> MachineState:
        """Return the drawn state with the quasi-static deformation of the rigid motion."""
        return quasi_static(plan, t_end, self.rates)


Starting = StartRule | State | Result


def beginning(plan: Plan, start: Starting | None, t_end: float) -> MachineState:
    """Return the state in which a run to ``t_end`` (s) begins, before the corrections for the constraints.

    Raises
    ------
    fem.InputError
        ``start`` is not a start, or its time is not before ``t_end``.
    """
    rule = AsDrawn() if start is None else start
    if isinstance(rule, StartRule):
        return rule.beginning(plan, t_end)
    if isinstance(rule, State | Result):
        return continued(plan, rule.state(), t_end)
    raise InputError(
        f"start is {start!r}; give fb.AsDrawn(), fb.QuasiStatic(), fb.Equilibrium(), or a state or result of an "
        "earlier run"
    )


def begun(plan: Plan, start: Starting | None, t_end: float) -> Start:
    """Return the consistent start of a run to ``t_end`` (s), and warn of what is odd there.

    Raises
    ------
    fem.ConstraintError
        The machine can't be assembled.
    fem.InputError
        As :func:`beginning`, or a joint is beyond an end of its line.
    """
    warn_of_units(plan)
    given = beginning(plan, start, t_end)
    check_stiffness(plan, given)
    found = consistent_start(plan, given)
    PathEnds(plan, plan.work()).check_start(found)
    warn_of_blow(plan, given, found)
    warn_of_jump(plan, found, start)
    warn_of_stretch(plan.system, found.undetermined)
    warn_of_locked(plan, found.rank)
    return found


def continued(plan: Plan, state: State, t_end: float) -> MachineState:
    """Return a state of an earlier run for a run to ``t_end`` (s)."""
    if state.t >= t_end:
        raise InputError(
            f"the state to start from belongs to t = {state.t:.6g} s, and the run ends at t_end = {t_end:.6g} s; "
            "t_end counts from t = 0 of the earlier run"
        )
    return fitted(plan, state.plan, state.numbers)


def quasi_static(plan: Plan, t_end: float, rates: bool = True) -> MachineState:
    """Return the drawn state with the quasi-static deformation of the rigid motion at t = 0.

    Raises
    ------
    fem.ConvergenceError
        There is no such deformation, for instance beyond a buckling load.
    """
    W = plan.work()
    drawn, rigid = drawn_state(plan), rigid_part(plan)
    s = replace(drawn, all_alpha=0.0 * drawn.all_alpha, v=np.where(rigid, drawn.v, 0.0))
    if not plan.system.n_modes:
        return s
    now = _deformed(plan, W, closed(plan, W, s))
    now, M, G = _moving(plan, W, now)
    u = units(plan, W, now)
    warn_of_instability(plan, sparse_stiffness(plan, W, now, u), M, G, rigid, u)
    if not rates:
        return now
    v = now.v.copy()
    v[~rigid] = _rates(plan, W, now, t_end, M)
    return replace(now, v=v)


def _rates(plan: Plan, W: Work, now: MachineState, t_end: float, M: scipy.sparse.csr_matrix) -> np.ndarray:
    """Return the rates of the modal coordinates (na,) along the rigid motion, by one-sided differences.

    A strong damper stops the rigid motion before the bodies can bend. Its force then changes faster than they
    vibrate, and the rates by which they would follow it have more energy than motion and deformation together.
    Velocities are taken as constant there.
    """
    u = units(plan, W, now)
    fast = max(float(np.max(np.abs(now.v) / u)), float(np.sqrt(np.max(np.abs(now.vdot) / u))))
    h = min(RATE_INTERVAL / max(fast, 1e-300), 0.1 * RATE_INTERVAL * t_end)

    def along(vdot: np.ndarray) -> np.ndarray:
        found = [now.all_alpha]
        for dt in (h, 2 * h):
            later = displaced(plan, now, dt * now.v + 0.5 * dt**2 * now.vdot)
            found.append(_deformed(plan, W, replace(later, t=dt, v=now.v + dt * vdot)).all_alpha)
        return (-3 * found[0] + 4 * found[1] - found[2]) / (2 * h)

    rates = along(now.vdot)
    if not _depends_on_rates(plan, W, now, h):
        return rates
    modal = ~rigid_part(plan)
    v = plan.turn_translations(body_axes(plan, W, now).transpose(0, 2, 1), now.v)
    stored = 0.5 * abs(now.all_alpha @ (sparse_stiffness(plan, W, now, u)[modal][:, modal] @ now.all_alpha))
    return (
        rates
        if 0.5 * rates @ (M[modal][:, modal] @ rates) <= stored + 0.5 * v @ (M @ v)
        else along(0 * now.vdot)
    )


def _depends_on_rates(plan: Plan, W: Work, now: MachineState, dt: float) -> bool:
    """Return whether a force of an element changes with the velocities that change within ``dt``, s."""
    forces = []
    for v in (now.v, now.v + dt * now.vdot):
        move_state(plan, W, replace(now, v=v))
        residual_forces(plan, W, replace(now, v=v), body_axes(plan, W, now))
        forces.append(W.element_force.copy())
    first, changed = forces
    return not np.array_equal(first, changed)


def _deformed(plan: Plan, W: Work, near: MachineState) -> MachineState:
    """Return the state near another one, closed, in which the modal equations hold with the rigid motion's inertia."""
    rigid, previous = rigid_part(plan), np.inf
    for k in range(MAX_ITERATIONS):
        try:
            s, M, G = _moving(plan, W, near)
        except ConstraintError:
            if k == 0:
                raise
            break  # the search has led beyond the theory
        last = s
        phi = W.phi.copy()
        u = units(plan, W, s)
        R = residual_forces(plan, W, s, body_axes(plan, W, s))
        change = _correction(sparse_stiffness(plan, W, s, u), M, G, R, phi, rigid, u)
        size = float(np.abs(change / u).max())
        if not np.isfinite(size) or size > 10:
            break
        near = replace(displaced(plan, near, plan.turn_translations(W.Q, change)), v=s.v)
        if size < 1e-12 or (k > 1 and size < 1e-9 and size > 0.5 * previous):
            return _moving(plan, W, near)[0]
        previous = size
    check_held(plan, W, last)
    if dampers := _damping(
        plan, W, closed(plan, W, replace(drawn_state(plan), all_alpha=0 * near.all_alpha))
    ):
        raise ConvergenceError(
            f"no quasi-static deformation was found to start from: {dampers}. A quasi-static start takes such forces "
            "as constant loads, and these deform the bodies beyond what they can bear. Start as drawn "
            "(start=fb.AsDrawn()), give the bodies velocities at which these forces are small, or begin drives at "
            "rest"
        )
    raise ConvergenceError(
        "no quasi-static deformation was found to start from: the loads and the inertia of the rigid motion deform "
        "the bodies beyond what they can bear (a column beyond its buckling load?). Start as drawn "
        "(start=fb.AsDrawn()), or look at the loads and velocities at t = 0"
    )


def _damping(plan: Plan, W: Work, s: MachineState) -> str:
    """Return the elements whose forces come of rates, if these are the largest forces of the rigid motion; else ""."""
    s = _moving(plan, W, s)[0]
    u, none = units(plan, W, s), np.zeros(plan.n_rows)
    forces = []
    for v in (0.0 * s.v, s.v):
        move_state(plan, W, replace(s, v=v))
        # without reactions and accelerations: loads, elements, and the inertia of the velocities
        rest = residual_forces(
            plan, W, replace(s, v=v, vdot=0 * s.vdot, multipliers=none), body_axes(plan, W, s)
        )
        forces.append(W.element_force.copy())
    change = forces[1] - forces[0]
    columns = element_columns(plan, W)
    damping = np.abs(u * (columns @ change)).max(initial=0.0)
    if not damping > np.abs(u * (rest - columns @ change)).max(initial=0.0):
        return ""
    own = np.abs(u[:, None] * columns).max(axis=0) * np.abs(change)
    named = []
    for e, element in enumerate(plan.elements.elements):
        at = plan.elements.deformations(e)
        if own[at].max() > 0.1 * own.max():
            k = at.start + int(np.argmax(own[at]))
            unit = (
                "N"
                if element.count == 1 and not element.is_angle
                else "N m"
                if element.count == 1
                else "N or N m"
            )
            named.append(
                f"{element.label} resists the motion at t = {s.t:.6g} s with {abs(change[k]):.3g} {unit}"
            )
    return ", ".join(named)


def _moving(
    plan: Plan, W: Work, s: MachineState
) -> tuple[MachineState, scipy.sparse.csr_matrix, scipy.sparse.csr_matrix]:
    """Return the motion of the machine with its present deformation frozen; M (nv, nv) and G (nr, nv) for xi."""
    rigid = rigid_part(plan)
    v = np.where(rigid, s.v, 0.0)
    place_state(plan, W, s)
    Y, G = weighted(plan, W)
    frozen = _Frozen(plan, W, Y, rigid)
    v = matched_velocities(plan, W, LeastSquares(Y), G, v)
    s = _accelerated(plan, W, frozen, replace(s, v=v, vdot=0 * v, multipliers=np.zeros(plan.n_rows)))
    change = sticking_velocities(plan, W, s, frozen.response)
    if change is not None:
        s = _accelerated(plan, W, frozen, replace(s, v=v + change, vdot=0 * v, multipliers=0 * s.multipliers))
    place_state(plan, W, s)
    G = weighted(plan, W)[1]
    return s, sparse_mass(plan, W), turned_columns(plan, W, G)


class _Frozen:
    """The machine with its deformation frozen: what loads do to its rigid motion.

    Needs the factors of :func:`flexbody.equations.constraint_jacobian.weighted` in ``W``, in which the rigid
    coordinates of a body come first; ``Y`` are the weighted rows.
    """

    def __init__(self, plan: Plan, W: Work, Y: scipy.sparse.csr_matrix, rigid: np.ndarray) -> None:
        self.plan, self.W, self.rigid = plan, W, rigid
        self.rows = only(LeastSquares(Y), rigid)

    def response(self, load: np.ndarray, bias: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return accelerations (nv,) and multipliers (nr,) under a generalized load (nv,): G vdot = -bias."""
        L, formulation = self.plan.layout, self.plan.formulation
        free = load.copy()
        formulation.weigh(L, self.W, free, True)
        free[~self.rigid] = 0.0
        multipliers = np.zeros(self.plan.n_rows)
        if len(multipliers):
            held = 0.0 if bias is None else self.rows.solve(-bias)
            multipliers = self.rows.solve_transposed(free - held)
        out = free - self.rows.A.T @ multipliers
        out, multipliers = balanced(self.plan, self.rows, out, multipliers)
        out[~self.rigid] = 0.0
        formulation.unweigh(L, self.W, out)
        return out, multipliers


def _accelerated(plan: Plan, W: Work, frozen: _Frozen, s: MachineState) -> MachineState:
    """Return the state ``s`` with the accelerations of the rigid motion and with multipliers."""
    L = plan.layout
    move_state(plan, W, s)
    bias = np.empty(plan.n_rows)
    plan.formulation.biases(L, W, s.t, bias)
    force = -residual_forces(plan, W, s, np.tile(np.eye(3), (len(s.c), 1, 1)))
    weighted(plan, W)
    vdot, multipliers = frozen.response(force, bias)
    add_reaction_friction(plan, W, frozen.response, vdot, multipliers)
    return replace(s, vdot=vdot, multipliers=multipliers)


def _correction(
    K: scipy.sparse.csr_matrix,
    M: scipy.sparse.csr_matrix,
    G: scipy.sparse.csr_matrix,
    R: np.ndarray,
    phi: np.ndarray,
    rigid: np.ndarray,
    u: np.ndarray,
) -> np.ndarray:
    """Return the change xi (nv,) of Newton's method for the modal equations and the constraints.

    With it go changes a (nv rigid,) of the rigid motion's accelerations and lambda (nr,) of the reactions::

        K xi + M a + G^T lambda = -R      G xi = -phi      G a = 0      N^T xi = 0

    where N are the motions that the joints leave to rigid bodies: there the machine stands where it was drawn. The
    last rows say so with sparse matrices: the rigid part of xi is a combination of rows of G, ``xi = G^T mu``.
    """
    modal, n = ~rigid, len(u)
    own = np.abs(K.diagonal())
    least = float(np.min(own[modal] * u[modal] ** 2))
    size = 1.0 / np.sqrt(np.maximum(own, np.where(rigid, least / u**2, 1e-300)))
    sizes = scipy.sparse.diags(size)
    lengths = row_lengths(G @ sizes)
    rows = scaled(G @ sizes)
    accelerations = scipy.sparse.diags(1.0 / (size * M.diagonal())[rigid])
    moved = scaled(G[:, rigid] @ accelerations)
    pick = scipy.sparse.eye(n, format="csr")[rigid]
    A = scipy.sparse.bmat(
        [
            [sizes @ K @ sizes, sizes @ M[:, rigid] @ accelerations, rows.T, None],
            [rows, None, None, None],
            [None, moved, None, None],
            [pick, None, None, -rows[:, rigid].T],
        ],
        format="csr",
    )
    right = np.zeros(A.shape[0])
    right[:n], right[n : n + len(phi)] = np.where(rigid, 0.0, size * R), phi / lengths
    return size * least_squares(A, -right)[:n]
