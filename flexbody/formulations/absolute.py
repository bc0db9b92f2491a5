"""The global description: every body has coordinates of its own in the inertial base, and joints are constraints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..core import alpha as alpha_method
from ..core import equations as eq
from ..core import (
    explicit,
    external,
    followed_coordinates,
    force_elements,
    mass_metric,
    reaction_friction,
    readers,
    tangent,
)
from ..core.structures import (
    AlphaSettings,
    AlphaState,
    AlphaTrial,
    ExplicitSettings,
    ExplicitState,
    Layout,
    Tableau,
    Tracked,
    Tree,
    Work,
)
from ..core.tree import no_tree
from .base import Formulation
from .state import MachineState

#: Cost of an evaluation of the accelerations, which includes a factorisation, in iterations of the implicit method:
#: measured as 1.2 to 2.6 with fixed steps (``tests/benchmarks/evaluation_cost.py``). In whole runs the implicit method
#: pays for its error control, too: 33 machines gave 0.4 to 1.3, and 0.7 to 1.3 with flexible bodies.
EVALUATION_COST = 1.0


@dataclass(frozen=True)
class Absolute(Formulation):
    """The global description: Euler parameters and Lagrange multipliers, Koppens chapters 2 and 4.

    Notes
    -----
    The unknowns are position and orientation of every body in the inertial base, its modal coordinates, and the
    Lagrange multipliers of all constraints: (2.30) and (2.46) for each body, (2.47) for its Euler parameters, (4.20)
    for the machine. They are eliminated block by block along the joints: for chains and trees the work of a step grows
    with the number of bodies.

    Examples
    --------
    >>> import flexbody as fb
    >>> description = fb.Absolute()
    """

    implicit: ClassVar[bool] = True

    def check(self, machine: Any) -> None:
        """Nothing: all machines can be described."""

    def place(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate bodies, frames and constraint rows at the position of a state."""
        eq.place(L, W, s.t, s.c, s.q, s.all_alpha)

    def move(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate the velocities of all frames."""
        eq.move(L, W, s.all_alpha, s.v)

    def residual(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate the residual of the equations of motion."""
        eq.residual(L, W, s.t, s.all_alpha, s.v, s.vdot, s.multipliers)

    def velocity_residual(self, L: Layout, W: Work, v: np.ndarray, out: np.ndarray) -> None:
        """Compute the rates of the constraints."""
        eq.velocity_residual(L, W, v, out)

    def biases(self, L: Layout, W: Work, t: float, out: np.ndarray) -> None:
        """Compute the second derivatives of the constraints for zero vdot."""
        eq.biases(L, W, t, out)

    def dense(self, L: Layout, W: Work, mass_matrix: np.ndarray, jacobian: np.ndarray) -> None:
        """Write out mass matrix and constraint Jacobian."""
        eq.dense(L, W, mass_matrix, jacobian)

    def weighted_rows(self, L: Layout, W: Work) -> bool:
        """Factorise the mass matrix, M = B B^T, and weigh the rows of the Jacobian with it."""
        eq.masses(L, W)
        return mass_metric.weighted_rows(L, W)

    def weigh(self, L: Layout, W: Work, x: np.ndarray, inverse: bool) -> None:
        """Multiply by B^T, or by B^-1."""
        mass_metric.weigh(L, W, x, inverse)

    def unweigh(self, L: Layout, W: Work, x: np.ndarray) -> None:
        """Multiply by B^-T."""
        mass_metric.unweigh(L, W, x)

    def forces(self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, out: np.ndarray) -> None:
        """Compute the residual at a state with the translations in given bases."""
        tangent.forces(L, W, s.t, s.c, s.q, s.all_alpha, s.v, s.vdot, s.multipliers, Q, out)

    def stiffness_columns(
        self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, steps: np.ndarray, out: np.ndarray
    ) -> None:
        """Compute the derivative of :meth:`forces` by positions, the multipliers held."""
        tangent.stiffness_columns(L, W, s.t, s.c, s.q, s.all_alpha, s.v, s.vdot, s.multipliers, Q, steps, out)

    def damping_columns(
        self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, steps: np.ndarray, out: np.ndarray
    ) -> None:
        """Compute the derivative of :meth:`forces` by velocities, positions and multipliers held."""
        tangent.damping_columns(L, W, s.t, s.c, s.q, s.all_alpha, s.v, s.vdot, s.multipliers, Q, steps, out)

    def unit_load(self, L: Layout, W: Work, element: int, out: np.ndarray, which: int = 0) -> None:
        """Compute what a unit of force of an element adds to the residual."""
        force_elements.unit_load(L, W, element, out, which)

    def find_normal_forces(self, L: Layout, W: Work, multipliers: np.ndarray) -> None:
        """Find the normal forces of friction that follows reactions."""
        reaction_friction.find_normal_forces(L, W, multipliers)

    def solve_friction(self, L: Layout, W: Work, x: np.ndarray, multipliers: np.ndarray) -> None:
        """Let a solution of the equations include the friction forces that its own reactions cause."""
        reaction_friction.solve_friction(L, W, x, multipliers)

    def observe(self, L: Layout, W: Work, s: MachineState, out: np.ndarray) -> None:
        """Compute the energies of a state, which is placed and moved."""
        readers.observe(L, W, s.c, s.q, s.all_alpha, s.v, s.t, out)

    def observe_all(
        self,
        L: Layout,
        W: Work,
        t: np.ndarray,
        c: np.ndarray,
        q: np.ndarray,
        alpha: np.ndarray,
        v: np.ndarray,
        law_states: np.ndarray,
        counted_coordinates: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Compute the energies of all states of a run."""
        readers.observe_all(L, W, t, c, q, alpha, v, law_states, counted_coordinates, out)

    def observe_bodies(
        self,
        L: Layout,
        W: Work,
        c: np.ndarray,
        q: np.ndarray,
        alpha: np.ndarray,
        v: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Compute the energies of every body over time."""
        readers.observe_bodies(L, W, c, q, alpha, v, out)

    def observe_frames(
        self,
        L: Layout,
        W: Work,
        c: np.ndarray,
        q: np.ndarray,
        alpha: np.ndarray,
        v: np.ndarray,
        vdot: np.ndarray,
        R: np.ndarray,
        vectors: np.ndarray,
        paths: np.ndarray,
    ) -> None:
        """Compute the motion of all frames over time, inertial components."""
        r, u, w, a, b = vectors
        readers.observe_frames(L, W, c, q, alpha, v, vdot, R, r, u, w, a, b, paths)

    def observe_reactions(
        self,
        L: Layout,
        W: Work,
        t: np.ndarray,
        c: np.ndarray,
        q: np.ndarray,
        alpha: np.ndarray,
        multipliers: np.ndarray,
        rows: np.ndarray,
        out: np.ndarray,
    ) -> None:
        """Compute the reactions of joints over time."""
        readers.observe_reactions(L, W, t, c, q, alpha, multipliers, rows, out)

    def observe_forces(
        self,
        L: Layout,
        W: Work,
        t: np.ndarray,
        c: np.ndarray,
        q: np.ndarray,
        alpha: np.ndarray,
        v: np.ndarray,
        law_states: np.ndarray,
        counted_coordinates: np.ndarray,
        multipliers: np.ndarray,
        pressed_frames: np.ndarray,
        x: np.ndarray,
        g: np.ndarray,
        power: np.ndarray,
        normal: np.ndarray,
        pressed: np.ndarray,
        massless: np.ndarray,
    ) -> None:
        """Compute what force elements do over time: ne elements with nx deformations."""
        readers.observe_forces(
            L, W, t, c, q, alpha, v, law_states, counted_coordinates, multipliers, pressed_frames, x, g, power,
            normal, pressed, massless,
        )  # fmt: skip

    def read_coordinates(self, L: Layout, W: Work, s: MachineState, tracked: Tracked) -> None:
        """Read joint coordinates at a state."""
        followed_coordinates.read_coordinates(L, W, s.c, s.q, s.all_alpha, s.v, tracked)

    def step_alpha(
        self,
        L: Layout,
        W: Work,
        S: AlphaState,
        X: AlphaTrial,
        t_out: float,
        settings: AlphaSettings,
        max_steps: int,
        restart: bool,
        tracked: Tracked,
    ) -> int:
        """Advance by the generalized-alpha method: the compiled loop, one call for many steps."""
        return alpha_method.step_alpha(L, W, S, X, t_out, settings, max_steps, restart, tracked)

    def step_explicit(
        self,
        L: Layout,
        W: Work,
        S: ExplicitState,
        tableau: Tableau,
        t_out: float,
        settings: ExplicitSettings,
        max_steps: int,
        restart: bool,
        tracked: Tracked,
    ) -> int:
        """Advance by the explicit method of order 8: the compiled loop, one call for many steps."""
        return explicit.step_explicit(L, W, S, tableau, t_out, settings, max_steps, restart, tracked)

    def bound(self, trees: Any) -> Absolute:
        """Return this description: it needs no tree."""
        return self

    def unbound(self) -> Absolute:
        """Return this description."""
        return self

    def new_tree(self) -> Tree:
        """Return an empty tree.

        Returns
        -------
        Tree
            The tree.
        """
        return no_tree()

    def vector(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> np.ndarray:
        """Return positions and velocities of a state as the first part of a state vector."""
        return np.concatenate([s.c.ravel(), s.q.ravel(), s.all_alpha, s.v])

    def unknowns(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> tuple[np.ndarray, ...]:
        """Return no places, and copies of the velocities of the bodies and their rates."""
        return np.zeros(0), s.v.copy(), s.vdot.copy()

    def speeds_of(self, L: Layout, W: Work, tree: Tree, s: MachineState, v: np.ndarray) -> np.ndarray:
        """Return the velocities of the bodies as they are."""
        return v

    def position_sizes(self, L: Layout, tree: Tree) -> np.ndarray:
        """Return what counts as one unit of each position in a state vector: the machine's length, or one."""
        nb = len(L.body_mass)
        return np.concatenate([np.full(3 * nb, L.length), np.ones(4 * nb)])

    def speed_sizes(self, L: Layout, tree: Tree, deformation: float) -> np.ndarray:
        """Return what counts as one unit of each velocity: the machine's length, one, or ``deformation``."""
        sizes = [[L.length] * 3 + [1.0] * 3 + [deformation] * n for n in L.body_modes]
        return np.concatenate([np.zeros(0), *sizes])

    def keep_state(self, S: ExplicitState) -> None:
        """Nothing: the state vector contains the motion of the bodies."""

    def motion(self, L: Layout, S: ExplicitState) -> tuple[np.ndarray, ...]:
        """Return c, q, alpha, v and vdot at the state of the explicit method."""
        return (*explicit.parts(L, S.y), explicit.parts(L, S.rate)[3])

    def rates(
        self,
        L: Layout,
        W: Work,
        S: ExplicitState,
        t: float,
        y: np.ndarray,
        out: np.ndarray,
        multipliers: np.ndarray,
    ) -> bool:
        """Compute the rate of a state vector, accelerations and multipliers included."""
        return explicit.rates(L, W, S, t, y, out, multipliers)

    def rows_kept_first(self) -> np.ndarray:
        """Return no rows: none is preferred where rows depend on each other."""
        return np.zeros(0, dtype=np.int64)

    def evaluation_cost(self, L: Layout) -> float:
        """Return what an evaluation of the accelerations costs, :data:`EVALUATION_COST`."""
        return EVALUATION_COST

    def fed_back_rates(
        self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray, gain: np.ndarray, out: np.ndarray
    ) -> bool:
        """Compute the rate of a state vector, with feedback of the errors of the constraints."""
        return external.fed_back_rates(L, W, S, t, y, gain, out)

    def speed_rows(self, L: Layout, W: Work, S: ExplicitState, out: np.ndarray, miss: np.ndarray) -> None:
        """Compute the derivatives (nr, n) of the rates of all rows by the n speeds, and the rates (nr,)."""
        external.speed_rows(L, W, S, out, miss)

    def holding_rows(self, W: Work) -> np.ndarray:
        """Return the independent rows."""
        return np.flatnonzero(W.active)

    def take_state(
        self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray, closed: bool = True
    ) -> int:
        """Take a state vector at the end of a step, projected on the constraints if ``closed``."""
        return external.take_state(L, W, S, t, y, closed)
