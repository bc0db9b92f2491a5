"""Mobility of a machine: degrees of freedom by rank, redundant constraints, dead points and singular positions.

The test of E. J. Sol (1983), 8.2, for singularities is divided into two cases. If the constraints of the joints lose
rank, the machine itself is singular and can continue in more than one way. If only the drives no longer determine the
motion, the machine is in a dead point of the drives, and another choice of driven coordinates could move it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import ConstraintError, InputError, called, few, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.numbers import is_number

from ..compile.plan import Plan, make_plan
from ..core.structures import Work
from ..equations.consistent_start import closed
from ..equations.constraint_jacobian import scaled, weighted
from ..equations.driven_rows import drive_rows
from ..equations.free_motions import words
from ..equations.independent_rows import independent_rows
from ..equations.least_squares import LeastSquares
from ..equations.massless import measured
from ..equations.position import displaced, rigid_part
from ..equations.state import drawn_state, place_state
from ..equations.tangent import units
from ..formulations import Formulation
from ..formulations.state import MachineState
from ..model.system import System, check_system
from .compiled import compiled
from .earlier_state import fitted
from .result import Result, State

#: neighbouring positions are so far away, of the system's size
NEIGHBOUR_DISTANCE = 0.01


@dataclass(frozen=True)
class KinematicConnection:
    """Joints round massless bodies as one connection of the other bodies at them, Sol 7.2.

    Attributes
    ----------
    massless : tuple of str
        The massless bodies inside.
    joints : tuple of str
        Its joints, and the gears, couplings and drives at these.
    ends : tuple of str
        The other bodies at its joints.
    rank : int
        How many of the ``6 (ends - 1)`` components of the motion of the ends beside the first one it leaves. Of two
        ball joints and a bar it is 5 of 6.
    constraints : int
        How many constraints between the ends are left when those inside are eliminated.
    idle : int
        Motions of the massless bodies that change nothing at the ends, such as the rotation of a bar between two ball
        joints about its axis.
    """

    massless: tuple[str, ...]
    joints: tuple[str, ...]
    ends: tuple[str, ...]
    rank: int
    constraints: int
    idle: int

    def __str__(self) -> str:
        most = 6 * max(len(self.ends) - 1, 0)
        return (
            f"connection of {listing(self.ends)} by {few(self.joints)} round {listing(self.massless)}: "
            f"{_count(self.constraints, 'constraint')}, {self.rank} of {most} components left, "
            f"{_count(self.idle, 'idle motion')}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class Mobility(KnownAttributes):
    """Degrees of freedom of a machine in one position, see :func:`mobility`; ``print`` gives them as text.

    Attributes
    ----------
    degrees_of_freedom : int
        Degrees of freedom that the joints leave, modal coordinates included.
    modes : int
        How many of these belong to the deformation of bodies: those that rigid bodies would not have.
    supplied : int
        How many constraints deformation satisfies; without it they would be redundant.
    driven : int
        How many of them the drives determine.
    free : tuple of str
        The motions without deformation that neither joints nor drives hold, in words.
    deformations : tuple of (str, int)
        The flexible bodies with the number of their modal coordinates.
    rows : int
        Number of constraint rows of joints and drives.
    rank : int
        Number of independent rows.
    redundant : tuple of str
        The joints whose constraints depend on each other.
    singular : tuple of str
        Motions that the joints permit only in exactly this position, in words.
    dead : tuple of str
        Drives that cannot move the machine from this position.
    connections : tuple of KinematicConnection
        The connections that joints round massless bodies make up.
    """

    degrees_of_freedom: int
    modes: int
    supplied: int
    driven: int
    free: tuple[str, ...]
    deformations: tuple[tuple[str, int], ...]
    rows: int
    rank: int
    redundant: tuple[str, ...]
    singular: tuple[str, ...]
    dead: tuple[str, ...]
    connections: tuple[KinematicConnection, ...] = ()

    @property
    def locked(self) -> bool:
        """Whether the joints leave no degree of freedom."""
        return self.degrees_of_freedom == 0

    def __repr__(self) -> str:
        left = self.degrees_of_freedom - self.driven
        return (
            f"<Mobility: {_degrees(self.degrees_of_freedom)}, {self.driven} driven, {left} left, "
            f"{self.rows - self.rank} of {_count(self.rows, 'constraint')} redundant>"
        )

    def __str__(self) -> str:
        return self.report()

    def report(self) -> str:
        """Return the degrees of freedom and constraints as text.

        Returns
        -------
        str
            Several lines; a free motion is described on a line of its own.
        """
        left = self.degrees_of_freedom - self.driven
        kinds = (
            f": {self.degrees_of_freedom - self.modes} rigid, {self.modes} of deformation"
            if self.modes
            else ""
        )
        lines = [
            f"{_degrees(self.degrees_of_freedom)}{kinds}; {self.driven} driven, {left} left",
            f"{_count(self.rows, 'constraint')}, {_count(self.rows - self.rank, 'of them redundant', '')}"
            + (f": among {few(self.redundant)}" if self.redundant else ""),
        ]
        if self.supplied:
            lines.append(
                f"deformation satisfies {_count(self.supplied, 'constraint')} that would be redundant for rigid bodies"
            )
        if self.locked:
            lines.append(
                "locked: its joints leave no degree of freedom. Flexible bodies or another joint would let it move"
            )
        lines += [str(one) for one in self.connections]
        lines += [f"  free: {text}" for text in self.free]
        if self.deformations:
            of_bodies = ", ".join(f"{name} {n}" for name, n in self.deformations)
            of_all = f" of {sum(n for _, n in self.deformations)}" if self.supplied else ""
            lines.append(
                f"  {'and' if self.free else 'free:'} {_count(self.modes, 'deformation')}{of_all}: {of_bodies}"
            )
        if self.singular:
            lines.append("a singular position: only here it can also move so")
            lines += [f"  {text}" for text in self.singular]
        if self.dead:
            lines.append(f"a dead point: in this position {few(self.dead)} can't determine the motion")
        return "\n".join(lines)


def _count(n: int, what: str, plural: str = "s") -> str:
    return f"{n} {what}{plural if n != 1 else ''}"


def _degrees(n: int) -> str:
    return f"{_count(n, 'degree')} of freedom"


@check_arguments(own=("machine", "description", "t", "state"))
def mobility(
    machine: System,
    *,
    t: float = 0.0,
    state: State | Result | None = None,
    description: Formulation | None = None,
) -> Mobility:
    """Return the degrees of freedom of a machine in one position.

    Parameters
    ----------
    machine : System
        The machine.
    t : float
        Time, s, at which drives are evaluated.
    state : State or Result, optional
        The position; by default the drawn one.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default :class:`Absolute`.

    Returns
    -------
    Mobility
        Degrees of freedom, redundant constraints, singular motions and drives in a dead point.

    Raises
    ------
    fem.ConstraintError
        The joints cannot be closed.
    fem.InputError
        An argument is not valid.

    Notes
    -----
    The number of degrees of freedom is ``n_velocities - rank(G)``, Sol (8.2.1) [1]_, with the scaled Jacobian G and its
    modal columns. The ranks that hold in general are computed in neighbouring positions; this distinguishes a singular
    position from a redundant constraint.

    References
    ----------
    .. [1] E. J. Sol, Kinematics and dynamics of multibody systems (1983), 8.2.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> motor = fb.Drive("motor", hinge, rate=10.0)
    >>> found = fb.mobility(fb.System([bar], [hinge, motor]))
    >>> found.degrees_of_freedom, found.driven, found.rows - found.rank
    (1, 1, 0)
    """
    check_system(machine, "mobility")
    if not is_number(t):
        raise InputError(f"t is {t!r}; give a time in seconds")
    if not (state is None or isinstance(state, State | Result)):
        raise InputError(f"state is {called(state)}; give a state or a result")
    plan = compiled(machine, max(t, 1.0), description)
    W = plan.work()
    s = drawn_state(plan, t)
    if state is not None:
        earlier = state.state()
        s = fitted(plan, earlier.plan, earlier.numbers)
    s = replace(closed(plan, W, s), v=np.zeros(plan.n_velocities))
    size = units(plan, W, s)
    here = _Rows(plan, _jacobian(plan, W, s), size)
    nearby = [here, *(_Rows(plan, G, size) for G in _neighbours(plan, s, here, size))]
    joints = max(nearby, key=lambda rows: rows.joints.rank)
    whole = max(nearby, key=lambda rows: rows.all.rank)
    more = joints.joints.rank - here.joints.rank

    def say(motions: np.ndarray) -> tuple[str, ...]:
        return tuple(words(plan, s.q, size * x, size) for x in motions.T)

    dead: tuple[str, ...] = ()
    if more == 0 and here.all.rank < whole.all.rank:
        dead = _owners(plan, here.all, [drive.label for drive in machine.drives])
    generic = whole.all.rank
    rigid = rigid_part(plan)
    held = [rows.joints.only(rigid).rank for rows in nearby] if machine.n_modes else [joints.joints.rank]
    supplied = joints.joints.rank - max(held)
    return Mobility(
        degrees_of_freedom=plan.n_velocities - joints.joints.rank,
        modes=machine.n_modes - supplied,
        supplied=supplied,
        driven=generic - joints.joints.rank,
        free=say(max((rows.all.only(rigid) for rows in nearby), key=lambda rows: rows.rank).free),
        deformations=tuple((body.name, body.n_modes) for body in machine.bodies if body.n_modes),
        rows=plan.n_rows,
        rank=generic,
        redundant=_owners(plan, whole.all) if generic < plan.n_rows else (),
        singular=say(_beyond(here.all.free, whole.all.free)) if more else (),
        dead=dead,
        connections=_connections(plan, W, s),
    )


def _connections(plan: Plan, W: Work, s: MachineState) -> tuple[KinematicConnection, ...]:
    """Return what is left of the joints round massless bodies when those inside are eliminated."""
    found = []
    for one, rank, inside, idle in measured(plan, _jacobian(plan, W, s)):
        most = 6 * max(len(one.outer) - 1, 0)
        found.append(
            KinematicConnection(
                one.massless, one.joints, one.outer, most - (rank - inside), rank - inside, idle
            )
        )
    return tuple(found)


class _Some:
    """Some constraint rows (nr, nv) of length one, the others zero, for some of the coordinates (nv,)."""

    def __init__(self, plan: Plan, rows: scipy.sparse.csr_matrix, part: np.ndarray | None = None) -> None:
        self.plan, self.rows = plan, rows
        self.part = np.ones(rows.shape[1], dtype=bool) if part is None else part

    def only(self, part: np.ndarray) -> _Some:
        """Return the rows for some coordinates alone; the others don't move."""
        return self if part.all() else _Some(self.plan, self.rows @ scipy.sparse.diags(1.0 * part), part)

    @cached_property
    def _kept(self) -> np.ndarray:
        """Numbers of rows that are independent."""
        return np.flatnonzero(independent_rows(self.plan, self.rows))

    @property
    def rank(self) -> int:
        """How many of the rows are independent."""
        return len(self._kept)

    @cached_property
    def free(self) -> np.ndarray:
        """Return x (nv, f) with rows x = 0, each with as few entries as possible."""
        mine = np.flatnonzero(self.part)
        Z, at = np.zeros((len(self.part), len(mine) - self.rank)), 0
        rows = self.rows[self._kept][:, mine]
        # coordinates that share no rows move by themselves
        sizes = abs(rows)  # of terms that add up and can't cancel
        _, label = scipy.sparse.csgraph.connected_components(sizes.T @ sizes)
        by_label = np.argsort(label, kind="stable")
        for group in np.split(by_label, np.cumsum(np.bincount(label))[:-1]):
            its_rows = np.unique(rows[:, group].nonzero()[0])
            own = _null_space(rows[its_rows][:, group])
            Z[mine[group], at : at + own.shape[1]] = own
            at += own.shape[1]
        return Z


def _null_space(rows: scipy.sparse.csr_matrix) -> np.ndarray:
    """Return x (n, n - m) with rows x = 0, for independent rows (m, n): the identity in some of the coordinates."""
    m, n = rows.shape
    if m in (0, n):
        return np.eye(n)[:, : n - m]
    # in which coordinates: what random motions have beside the rows, roughly
    Z = np.random.default_rng(0).normal(size=(n, n - m))
    Z -= LeastSquares(rows).rough(rows @ Z)
    others = scipy.linalg.qr(Z.T, mode="r", pivoting=True, overwrite_a=True, check_finite=False)[1]
    own, held = others[: n - m], others[n - m :]
    out = np.zeros((n, n - m))
    out[own, np.arange(n - m)] = 1.0
    columns = rows.tocsc()
    out[held] = -scipy.sparse.linalg.splu(columns[:, held]).solve(columns[:, own].toarray())
    return out


class _Rows:
    """The Jacobian in units of the coordinates: of all constraints, and of those that are no drives."""

    def __init__(self, plan: Plan, G: scipy.sparse.csr_matrix, size: np.ndarray) -> None:
        rows = scaled(G @ scipy.sparse.diags(size))
        joint = ~drive_rows(plan)
        self.all = _Some(plan, rows)
        self.joints = _Some(plan, scipy.sparse.diags(1.0 * joint) @ rows) if not joint.all() else self.all


def _jacobian(plan: Plan, W: Work, s: MachineState) -> scipy.sparse.csr_matrix:
    """Return the constraint Jacobian (nr, nv) at the position of a state."""
    place_state(plan, W, s)
    return weighted(plan, W)[1]


def _beyond(space: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Return the part (n, f - g) of a space (n, f) that is orthogonal to its subspace ``known`` (n, g)."""
    basis = scipy.linalg.orth(known) if known.size else np.zeros((len(space), 0))
    rest = space - basis @ (basis.T @ space)
    U, s, _ = np.linalg.svd(rest, full_matrices=False)
    return U[:, s > 0.1 * s.max(initial=0.0)][:, : space.shape[1] - known.shape[1]]


def _owners(plan: Plan, some: _Some, among: list[str] | None = None) -> tuple[str, ...]:
    """Return the joints and drives whose rows depend on each other, at most those ``among`` these."""
    rows = np.flatnonzero(np.diff(some.rows.indptr))
    found = plan.row_owners(rows[LeastSquares(some.rows[rows]).dependencies.any(axis=1)])
    return tuple(name for name in found if among is None or name in among)


def _neighbours(
    plan: Plan, s: MachineState, here: _Rows, size: np.ndarray
) -> Iterator[scipy.sparse.csr_matrix]:
    """Yield the Jacobians (nr, nv) of positions nearby that the joints allow, whatever the drives say."""
    kept = [item for item in plan.system.joints if item.driven is None]
    freed = make_plan(replace(plan.system, joints=kept), max(s.t, 1.0), plan.formulation)
    free, W, wide = here.joints.free, freed.work(), plan.work()
    rng = np.random.default_rng(0)
    for _ in range(3 if free.size else 0):
        change = size * (free @ rng.normal(size=free.shape[1]))
        near = displaced(plan, s, change * NEIGHBOUR_DISTANCE / np.abs(change / size).max())
        try:
            near = closed(freed, W, near)
        except ConstraintError:
            continue
        yield _jacobian(plan, wide, near)
