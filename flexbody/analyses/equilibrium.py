"""Static equilibrium, and steady rotation of a machine as a whole.

Newton's method solves the equations of motion with the reactions of the joints, ``R(x) + G^T lambda = 0`` and
``Phi(x) = 0``, in the motions that the joints permit. At rest, the eigenvalues of the stiffness (elastic, geometric,
of reactions and loads) are replaced by their magnitudes: every step decreases the energy and leads to a stable
equilibrium.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.blas_threads import few_threads
from fem.common.errors import ConvergenceError, FlexbodyError, InputError, called, few
from fem.common.foreseen import check_work
from fem.common.numbers import is_count, is_number, vector

from ..compile.force_elements import element_complaint
from ..compile.plan import Plan
from ..core.coordinate import count_revolutions, measure_revolutions
from ..core.drive_errors import opposite_row
from ..core.force_elements import evaluate_laws
from ..core.kinds import LAST_ANGLE
from ..core.rotation import matrices
from ..core.structures import Work
from ..equations.auxiliary_mass import with_auxiliary
from ..equations.consistent_start import closed, redundancy
from ..equations.constraint_jacobian import jacobian
from ..equations.free_motions import free_motions, sizes, words
from ..equations.position import displaced
from ..equations.revolutions import set_revolutions
from ..equations.state import drawn_state, move_state, place_state
from ..equations.tangent import (
    body_axes,
    mass_and_jacobian,
    residual_forces,
    stiffness,
    units,
)
from ..equations.unit_work import unit_work
from ..formulations import Formulation
from ..formulations.state import MachineState
from ..functions.time_law import NO_LAW
from ..model.plausibility import warn_of_frames, warn_of_linear_theory, warn_of_replay
from ..model.system import System, check_system, refuse_forces
from .compiled import compiled
from .deflections import DeflectionWatch
from .earlier_state import description_from, fitted
from .law_errors import raise_law_errors
from .path_ends import PathEnds
from .result import Result, State
from .steady_turning import check_joints, check_steady, turning
from .sticking import frictions_along, rubbing_contacts

logger = logging.getLogger("flexbody")

#: couplings below this part of a stiffness are its round-off
ROUND_OFF_OF_STIFFNESS = 1e-14
#: a motion is indifferent if its stiffness is below this part of that of its coordinates
INDIFFERENT_STIFFNESS = 1e-9
#: forces are in balance if their sum is below this part of the forces at the same body
FORCE_TOLERANCE = 1e-9
#: loads follow the motion if so large a part of the forces that occur is skew in their derivative
FOLLOWING_SKEWNESS = 1e-3
#: a step moves nothing by more than this part of the system's length, or by more than this angle (rad)
LONGEST_STEP = 0.3
#: a motion that has led farther than this many lengths of the system drifts away
LONGEST_WAY = 30.0
#: a load step of the smallest machine takes so long, s
FASTEST_LOAD_STEP = 1e-4
#: this number of consecutive steps without any stiffness is a drift
MAX_DRIFTING_STEPS = 25


@check_arguments(
    own=("machine", "description", "t", "start", "load_steps", "max_iterations", "spin", "about")
)
def equilibrium(
    machine: System,
    *,
    t: float = 0.0,
    spin: ArrayLike | None = None,
    about: ArrayLike = (0.0, 0.0, 0.0),
    start: State | Result | None = None,
    load_steps: int = 1,
    max_iterations: int = 200,
    description: Formulation | None = None,
) -> State:
    """Return the equilibrium of a machine, at rest or in steady rotation as a whole.

    Parameters
    ----------
    machine : System
        The machine.
    t : float
        Time, s, at which drives and functions of time in loads and springs are evaluated and held.
    spin : array_like, optional
        Angular velocity of the whole machine, (3,), rad/s, inertial components. Centrifugal forces act; joints, drives
        and loads must permit the rotation.
    about : array_like
        Point on the axis of rotation, (3,), m.
    start : State or Result, optional
        State from which the search starts; by default the drawn one.
    load_steps : int
        Number of steps in which gravity, loads, actuator forces, inputs of force laws and spin are increased to their
        values.
    max_iterations : int
        Largest number of iterations of Newton's method in each load step.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default that of ``start``, and :class:`Absolute` without one.

    Returns
    -------
    State
        The equilibrium, with reactions. ``state.indifferent`` describes motions that no stiffness and no drive holds;
        these positions do not change.

    Raises
    ------
    fem.ConvergenceError
        No equilibrium is found; the message names the bodies that move away, or another cause.
    fem.ConstraintError
        The joints cannot be closed.
    fem.InputError
        An argument is not valid, or the machine cannot turn steadily.

    Notes
    -----
    Newton's method solves ``R(x) + G^T lambda = 0`` and ``Phi(x) = 0`` in the motions that the joints permit. At rest
    each step decreases the energy, so that the equilibrium is stable, unless the search starts exactly in an unstable
    one.

    Friction has no force at rest in its law and holds nothing here. In a run with ``start=QuasiStatic()`` it holds.

    Examples
    --------
    A mass of 1 kg on a spring of 500 N/m sags by ``m g / k`` = 19.62 mm:

    >>> import flexbody as fb
    >>> mass = fb.RigidBody("mass", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    >>> guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
    >>> spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=500.0, first_point=(0, 0, 1))
    >>> state = fb.equilibrium(fb.System([mass], [guide], [spring], gravity=(0, 0, -9.81)))
    >>> round(1e3 * state.coordinate(guide), 3)  # mm
    -19.62
    """
    turn, centre = _spin(spin), vector(about, "about")
    check_system(machine, "equilibrium")
    refuse_forces(machine, "equilibrium")
    if not (is_number(t) and is_count(load_steps)):
        raise InputError(f"t is {t!r} and load_steps {load_steps!r}; give a time in s and at least one step")
    check_work(load_steps, FASTEST_LOAD_STEP, "load_steps")
    if not is_count(max_iterations):
        raise InputError(f"max_iterations is {max_iterations!r}; give at least one")
    if not (start is None or isinstance(start, State | Result)):
        raise InputError(f"start is {called(start)}; give a state, or a result of an earlier run")
    warn_of_frames(machine)
    rate = float(np.linalg.norm(turn))
    warn_of_replay(machine)
    warn_of_linear_theory(machine, rate > 0)
    duration = max(t, 0.0) + (2 * np.pi / rate if rate else 1.0)
    plan = compiled(machine, duration, description_from(description, start))
    W = plan.work()
    search = _Search(plan, W, turn, centre, closed(plan, W, _first(plan, W, t, start)), max_iterations)
    first = search.turning_state(turn)
    try:
        for k in range(load_steps):
            search.go((k + 1) / load_steps)
    except ConvergenceError:
        if rate:
            check_joints(plan, W, first, turn, centre)
        raise
    state = search.state()
    raise_law_errors(plan)
    PathEnds(plan, plan.work()).check_equilibrium(state.numbers)
    if rate:
        check_steady(plan, W, state.numbers, turn, centre)
    watch = DeflectionWatch(plan)
    watch.look(t, state.numbers.all_alpha)
    watch.warn()
    return state


def _spin(spin: ArrayLike | None) -> np.ndarray:
    return np.zeros(3) if spin is None else vector(spin, "spin")


def _first(plan: Plan, W: Work, t: float, start: State | Result | None) -> MachineState:
    """Return the initial state at time ``t`` (s), and set the angles from which ``W`` counts revolutions."""
    s = drawn_state(plan, t)
    if start is not None:
        earlier = start.state()
        s = replace(fitted(plan, earlier.plan, earlier.numbers), t=t)
    set_revolutions(plan, W, s)
    return s


@dataclass(frozen=True, eq=False)
class _Step:
    """One step of Newton's method."""

    change: np.ndarray  # (nv,), shortened
    length: float  # of the whole step, in units of each coordinate
    multipliers: np.ndarray  # (nr,)
    loose: np.ndarray  # (nv, k) motions without stiffness
    drifting: bool  # a force acts along one of them
    rank: int


class _Search:
    """Newton's method from the position of a state; ``here`` is where it stands."""

    def __init__(self, plan: Plan, W: Work, spin, about, s: MachineState, max_iterations: int) -> None:
        self.plan, self.W, self.spin, self.about = plan, W, spin, about
        self.first, self.here = s, s
        self.max_iterations, self.iterations = max_iterations, 0
        self.last: _Step | None = None

    def turning_state(self, spin: np.ndarray) -> MachineState:
        """Return the present position, turning with ``spin``."""
        return turning(self.plan, self.here, spin, self.about)

    def go(self, factor: float) -> None:
        """Find the equilibrium under ``factor`` times gravity and loads, and the spin that makes so much force."""
        plan = (
            self.plan if factor == 1 else replace(self.plan, layout=_weaker(self.plan, self.here.t, factor))
        )
        spin = np.sqrt(factor) * self.spin
        stride, before, previous, drifting = LONGEST_STEP, np.zeros(plan.n_velocities), np.inf, 0
        follow = True
        for k in range(self.max_iterations):
            s = self.turning_state(spin)
            u = units(plan, self.W, s)
            self.W.bad_element = self.W.bad_network = -1
            step = _step(plan, self.W, s, u, stride, previous > stride, not spin.any(), follow)
            self.iterations += 1
            if step is None:
                break
            self.last, length = step, step.length
            self.here = displaced(plan, self.here, plan.turn_translations(matrices(s.q), step.change))
            self.count_revolutions()
            # a step that turns back on the one before went too far
            back = before @ (step.change / u**2) < 0 and length > stride
            stride = 0.5 * stride if back else min(1.2 * stride, LONGEST_STEP)
            drifting = drifting + 1 if step.drifting else 0
            # Newton's method without going downhill is right where it contracts
            follow = follow and (length < previous or length < 1e-7)
            self.here, before = replace(self.here, multipliers=step.multipliers), step.change / u**2
            logger.debug("equilibrium: iteration %d moves by %.3g of the system's size", k + 1, length)
            if not step.drifting and (length < 1e-12 or (length < 1e-7 and length > 0.3 * previous)):
                return
            previous = length
            if (
                drifting > MAX_DRIFTING_STEPS
                or np.abs(self.here.c - self.first.c).max() > LONGEST_WAY * plan.layout.length
            ):
                break
        self._fail(factor, u)

    def count_revolutions(self) -> None:
        """Take angles of gears and springs near their present values; no step leads so far that a turn is missed."""
        place_state(self.plan, self.W, self.here)
        measure_revolutions(self.plan.layout, self.W, 0.0)
        count_revolutions(self.W)

    def _fail(self, factor: float, u: np.ndarray) -> None:
        step = self.last
        raise_law_errors(self.plan)
        if (e := self.W.bad_element) >= 0:
            raise _no_force(self.plan, self.W, e)
        if (
            self.W.bad_network >= 0
            and (complaint := element_complaint(self.plan, self.W, -np.inf)) is not None
        ):
            raise complaint
        share = "" if factor == 1 else f" under {100 * factor:.3g} % of the loads"
        motion = "no motion at all" if step is None else words(self.plan, self.here.q, step.change, u)
        if step is not None and step.drifting:
            direction = self.plan.turn_translations(matrices(self.here.q), step.change)
            if frictions := frictions_along(self.plan, self.W, self.here, direction):
                raise ConvergenceError(
                    f"this machine has no equilibrium{share} without friction, which is not counted at rest: it drifts "
                    f"away ({motion}). {', '.join(frictions)} may hold it: simulate it with start=fb.QuasiStatic(), "
                    "from which it stays or slides as friction lets it (fb.linearize takes such a result), or hold "
                    "what drifts by a joint, a drive or a spring"
                )
            if contacts := rubbing_contacts(self.plan):
                raise ConvergenceError(
                    f"this machine has no equilibrium{share} without friction, which is not counted at rest: it drifts "
                    f"away ({motion}). If the friction of {few(contacts, 3)} shall hold it, simulate it as drawn until "
                    "it has come to rest, with presliding= so that it does not creep; else hold what drifts by a "
                    "joint, a drive or a spring"
                )
            raise ConvergenceError(
                f"this machine has no equilibrium{share}: nothing holds it against its loads, and it drifts away "
                f"({motion}). Hold what drifts by a joint, a drive or a spring, or simulate its motion"
            )
        raise ConvergenceError(
            f"no equilibrium was found{share} after {self.iterations} iterations; in the last one {motion}. Are the "
            "loads beyond what the machine can bear (a column beyond its buckling load, deflections beyond the "
            "theory), or does nothing hold a motion that they drive (a moment about an axis about which a body turns "
            "freely)? Else begin from a nearer position (start=), bring the loads up in steps (load_steps=10), or "
            "let a simulation with damping come to rest and begin from its result"
        )

    def state(self) -> State:
        """Return what was found."""
        plan, W, s = self.plan, self.W, self.turning_state(self.spin)
        G = jacobian(plan, W, s)
        row = opposite_row(plan.layout, W)
        if row >= 0:
            raise ConvergenceError(
                f"the search for an equilibrium has led to the angle opposite to that of {plan.row_owner(row)}; begin "
                "from a nearer position (start=), or bring the loads up in steps (load_steps=10)"
            )
        rank, undetermined, _ = redundancy(plan, W, s, G)
        assert self.last is not None
        u = units(plan, W, s)
        loose = tuple(words(plan, s.q, x, u) for x in self.last.loose.T)
        move_state(plan, W, s)
        reached, W.bad_element = W.law_state.copy(), -1
        W.law_state[:] = np.nan_to_num(plan.elements.starts())  # without the round-off of the way here
        evaluate_laws(plan.layout, W, s.t)
        if W.bad_element >= 0:  # from there the states don't find the way
            W.law_state[:] = reached
            evaluate_laws(plan.layout, W, s.t)
        found = replace(
            s, law_states=W.law_state.copy(), counted_coordinates=W.revolutions[:, LAST_ANGLE].copy()
        )
        return State(plan, found, self.spin, self.about, loose, undetermined, self.iterations, rank)


def _no_force(plan: Plan, W: Work, e: int) -> FlexbodyError:
    """Return the error of element ``e``, whose force could not be computed in the last step."""
    label, law = plan.elements.elements[e].label, plan.elements.laws[e]
    if law.n_states and np.isfinite(W.bad_deformation):
        return ConvergenceError(
            f"{label}: its {type(law).__name__.strip('_')} has no stationary state at a deformation of "
            f"{W.bad_deformation:.3g}, so that nothing says how much force it gives at rest. {law.settling}; or "
            "simulate the machine until it comes to rest, and use that result"
        )
    return element_complaint(plan, W, -np.inf) or ConvergenceError(
        f"{label}: its force is not finite at a deformation of {W.bad_deformation:.3g}; begin from a nearer position "
        "(start=), or bring the loads up in steps (load_steps=10)"
    )


def _weaker(plan: Plan, t: float, factor: float):
    """Return the layout with ``factor`` times its gravity, loads, actuator forces and inputs, those at time ``t``."""
    L = plan.layout
    laws = {law.pair: law for law in plan.laws if law.pair != NO_LAW}  # (a user's constraint has no pair)

    def scaled(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Return (n, k) values, of laws where there are some, times the factor."""
        found = [laws.get((int(function), int(context))) for function, context in pairs]
        now = [law(t)[: values.shape[1]] if law else row for row, law in zip(values, found, strict=True)]
        return factor * np.array(now).reshape(values.shape)

    numbers, inputs = L.element_value.copy(), plan.elements.inputs
    numbers[inputs] = scaled(numbers[inputs, None], L.element_input)[:, 0]
    return L.replaced(
        gravity=factor * L.gravity, load_value=scaled(L.load_value, L.load_law), load_law=np.zeros_like(L.load_law),
        element_value=numbers, element_input=np.zeros_like(L.element_input),
    )  # fmt: skip


def _step(
    plan: Plan,
    W: Work,
    s: MachineState,
    u: np.ndarray,
    stride: float,
    guess: bool,
    downhill: bool,
    follow: bool,
) -> _Step | None:
    """Return the step of Newton's method from a position, of at most ``stride`` units.

    None where bodies are deformed so far that nothing can be computed.
    guess : the multipliers are not near those of equilibrium yet; those that balance most are taken. downhill : only
    a stable equilibrium is looked for; follow : unless loads that follow decide on stability.
    """
    M, G = mass_and_jacobian(plan, W, s)
    M = with_auxiliary(plan, M)
    phi, Q = W.phi.copy(), body_axes(plan, W, s)
    R = residual_forces(plan, W, s, Q)
    if not (np.isfinite(R).all() and np.isfinite(u).all() and np.diag(M).min() > 0):
        return None
    if guess:
        own = free_motions(G, phi, 1.0 / np.sqrt(np.diag(M)))
        s = replace(s, multipliers=s.multipliers - own.reactions(R))
        R = residual_forces(plan, W, s, Q)
    K = stiffness(plan, W, s)
    if not np.isfinite(K).all():
        return None
    work = unit_work(plan, R, G, s, u)
    K = _without_round_off(K, u, INDIFFERENT_STIFFNESS * work)
    free = free_motions(G, phi, sizes(K, M, INDIFFERENT_STIFFNESS * work / u**2))
    Z = free.Z
    A, b = Z.T @ K @ Z, -Z.T @ (R + K @ free.closing)
    if guess:  # far from equilibrium the derivative has a skew part that has nothing to do with stiffness
        A = 0.5 * (A + A.T)
    elif downhill and follow and _follows(A, R, work, Z / u[:, None], u):
        downhill = False
    with few_threads(len(A)):
        y, loose, drifting = _solve(A, b, work, Z / u[:, None], downhill)
    change = free.closing + Z @ y
    length = float(np.abs(change / u).max(initial=0.0))
    change = change * min(1.0, stride / max(length, 1e-300))
    multipliers = s.multipliers + free.reactions(-(R + K @ change))
    return _Step(change, length, multipliers, Z @ loose, drifting, free.rank)


def _without_round_off(K: np.ndarray, u: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Return K (nv, nv) where coordinates without stiffness of their own are not coupled by round-off of others.

    Sizes of such coordinates are large, and would make a motion of it.
    """
    work = np.abs(K) * np.outer(u, u)
    own = np.diag(work)
    weak = own < noise
    coupled = work > ROUND_OFF_OF_STIFFNESS * np.maximum(own, own[:, None])
    return np.where(coupled | ~(weak | weak[:, None]), K, 0.0)


def _follows(A: np.ndarray, R: np.ndarray, work: np.ndarray, Z: np.ndarray, u: np.ndarray) -> bool:
    """Return whether A (f, f) is not symmetric, by more than its errors, while it is not definite.

    Rotations do not commute: half of the remaining moments R (nv,) is skew in the derivative in any case. ``Z`` (nv,
    f) is in units ``u``. Without a potential there is no descent, and the symmetric part of A has no meaning.
    """
    with few_threads(len(A)):
        w, V = scipy.linalg.eigh(0.5 * (A + A.T))
    skew, share = np.abs(V.T @ (0.5 * (A - A.T)) @ V), np.abs(Z @ V)
    errors = share.T @ ((2 * np.abs(u * R) + FOLLOWING_SKEWNESS * work)[:, None] * share)
    down = w < 0
    return bool(np.any((skew > errors + FOLLOWING_SKEWNESS * np.abs(w)[:, None])[down]))


def _solve(A: np.ndarray, b: np.ndarray, work: np.ndarray, Z: np.ndarray, downhill: bool) -> tuple:
    """Return y with A y = b, the directions without stiffness, and whether one of them carries a force.

    ``work`` (nv,), J, of the forces that occur at a body along a unit of each of its coordinates; ``Z`` (nv, f) the
    motions in such units. downhill : negative eigenvalues of A count as positive. Directions without stiffness are
    left alone where no force acts along them.
    """
    if not len(b):
        return b, np.zeros((0, 0)), False
    w, V = scipy.linalg.eigh(0.5 * (A + A.T))
    share = Z @ V
    c, reach = V.T @ b, np.linalg.norm(work[:, None] * share, axis=0)
    limit = np.maximum(1e-12 * np.abs(w).max(), INDIFFERENT_STIFFNESS * (work @ share**2)) + 1e-300
    flat = np.abs(w) < limit
    pushed = flat & (np.abs(c) > FORCE_TOLERANCE * reach)
    if not flat.any() and (w[0] > 0 or not downhill):
        return np.linalg.lstsq(A, b, rcond=1e-14)[0], V[:, flat], False
    if not downhill and not pushed.any():
        firm = V[:, ~flat]
        return firm @ np.linalg.solve(firm.T @ A @ firm, firm.T @ b), V[:, flat], False
    y = np.where(flat, 0.0, c / np.maximum(np.abs(w), limit))
    if pushed.any():  # all of the force along such motions, whichever of them the eigenvectors are
        inner = np.sqrt(work)[:, None] * share[:, flat]
        size = INDIFFERENT_STIFFNESS * inner.T @ inner
        size += np.eye(len(size)) * (1e-12 * np.abs(w).max() + 1e-12 * np.trace(size) + 1e-300)
        y[flat] = np.linalg.solve(size, c[flat])
    return V @ y, V[:, flat & ~pushed], bool(pushed.any())
