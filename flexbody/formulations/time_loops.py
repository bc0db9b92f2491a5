"""The part of a formulation that advances a machine in time."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

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
from .state import MachineState


class TimeLoops(Protocol):
    """The compiled loops of the integrators, and the first-order equations that explicit methods solve.

    See :class:`flexbody.formulations.base.Formulation` for the words, sizes, coordinates and units.
    """

    #: Whether the generalized-alpha method and integrators of other packages take it.
    implicit: ClassVar[bool]

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
        """Advance by the generalized-alpha method: the compiled loop, one call for many steps.

        Parameters
        ----------
        L, W : Layout, Work
        S, X : AlphaState, AlphaTrial
            The state, changed in place, and room for a trial step.
        t_out : float
            Time to reach, s.
        settings : AlphaSettings
        max_steps : int
            Largest number of steps.
        restart : bool
            If True, accelerations and multipliers are first made consistent with loads that have jumped.
        tracked : Tracked
            Joint coordinates to read at the end.

        Returns
        -------
        int
            DONE, PAUSED after ``max_steps``, or what went wrong (:mod:`flexbody.core.kinds`).
        """

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
        """Advance by the explicit method of order 8: the compiled loop, one call for many steps.

        Parameters
        ----------
        L, W : Layout, Work
        S : ExplicitState
            The state, changed in place.
        tableau : Tableau
            Coefficients of the method.
        t_out, settings, max_steps, restart, tracked : float, ExplicitSettings, int, bool, Tracked
            As for :meth:`step_alpha`.

        Returns
        -------
        int
            As :meth:`step_alpha`.
        """

    def new_tree(self) -> Tree:
        """Return the tree of the machine with work arrays of its own.

        Returns
        -------
        Tree
            The tree; empty in the global description.
        """

    def vector(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> np.ndarray:
        """Return the first part of the state vector of the explicit method.

        Parameters
        ----------
        L, W, tree : Layout, Work, Tree
        s : MachineState

        Returns
        -------
        numpy.ndarray
            Positions and velocities. States of force laws and two energies follow them.
        """

    def unknowns(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> tuple[np.ndarray, ...]:
        """Return what the generalized-alpha method integrates.

        Parameters
        ----------
        L, W, tree, s : Layout, Work, Tree, MachineState
            As for :meth:`vector`.

        Returns
        -------
        tuple of numpy.ndarray
            Places (np,) of a tree (none in the global description), n speeds and their rates.
        """

    def speeds_of(self, L: Layout, W: Work, tree: Tree, s: MachineState, v: np.ndarray) -> np.ndarray:
        """Return the speeds that belong to velocities of bodies.

        Parameters
        ----------
        L, W, tree : Layout, Work, Tree
        s : MachineState
            Where the machine stands.
        v : numpy.ndarray
            Velocities (nv,) that keep the joints closed, or changes of velocities.

        Returns
        -------
        numpy.ndarray
            The n speeds of :meth:`unknowns`.
        """

    def position_sizes(self, L: Layout, tree: Tree) -> np.ndarray:
        """Return what counts as one unit of each position at the beginning of a state vector.

        Parameters
        ----------
        L, tree : Layout, Tree

        Returns
        -------
        numpy.ndarray
            The length of the machine for lengths, m, one for angles and Euler parameters; without modal coordinates.
        """

    def speed_sizes(self, L: Layout, tree: Tree, deformation: float) -> np.ndarray:
        """Return what counts as one unit of each speed in a state vector.

        Parameters
        ----------
        L, tree : Layout, Tree
        deformation : float
            The unit of modal coordinates.

        Returns
        -------
        numpy.ndarray
            The length of the machine for translations, m, one for rotations, and ``deformation``.
        """

    def keep_state(self, S: ExplicitState) -> None:
        """Take the bodies' motion for which :meth:`rates` was called last as that of the state.

        Parameters
        ----------
        S : ExplicitState
        """

    def motion(self, L: Layout, S: ExplicitState) -> tuple[np.ndarray, ...]:
        """Return the motion of the bodies at the state of the explicit method.

        Parameters
        ----------
        L, S : Layout, ExplicitState

        Returns
        -------
        tuple of numpy.ndarray
            c (nb, 3), q (nb, 4), alpha (na,), v and vdot (nv,).
        """

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
        """Compute the rate of a state vector, accelerations and multipliers included.

        Parameters
        ----------
        L, W, S : Layout, Work, ExplicitState
        t : float
            Time, s.
        y : numpy.ndarray
            State vector, (ny,).
        out : numpy.ndarray
            Receives dy/dt, (ny,).
        multipliers : numpy.ndarray
            Receives the multipliers, (m,).

        Returns
        -------
        bool
            False if a mass matrix is not positive definite.
        """

    def rows_kept_first(self) -> np.ndarray:
        """Return the constraint rows that are kept before others where rows depend on each other.

        Returns
        -------
        numpy.ndarray
            Their numbers.
        """

    def evaluation_cost(self, L: Layout) -> float:
        """Return what an evaluation of the accelerations costs, in iterations of the generalized-alpha method.

        Parameters
        ----------
        L : Layout

        Returns
        -------
        float
            The cost.
        """

    def fed_back_rates(
        self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray, gain: np.ndarray, out: np.ndarray
    ) -> bool:
        """Compute the rate of a state vector with feedback of constraint errors, for integrators in Python.

        Parameters
        ----------
        L, W, S, t, y, out : Layout, Work, ExplicitState, float, numpy.ndarray, numpy.ndarray
            As for :meth:`rates`.
        gain : numpy.ndarray
            What errors of positions and of speeds change, (4,), see :func:`flexbody.core.external.fed_back_rates`.

        Returns
        -------
        bool
            False if a mass matrix is not positive definite.
        """

    def speed_rows(self, L: Layout, W: Work, S: ExplicitState, out: np.ndarray, miss: np.ndarray) -> None:
        """Compute the derivatives (nr, n) of the rates of all rows by the n speeds, and the rates (nr,).

        Parameters
        ----------
        L, W, S : Layout, Work, ExplicitState
            As for :meth:`rates`, which was called at the state.
        out, miss : numpy.ndarray
            Receive the derivatives and the rates.
        """

    def holding_rows(self, W: Work) -> np.ndarray:
        """Return the independent constraint rows that hold the unknowns.

        Parameters
        ----------
        W : Work
            The working arrays of a run.

        Returns
        -------
        numpy.ndarray
            Their numbers.
        """

    def take_state(
        self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray, closed: bool = True
    ) -> int:
        """Take a state vector at the end of a step.

        Parameters
        ----------
        L, W, S : Layout, Work, ExplicitState
            ``S`` then holds the state and its rate.
        t : float
            Time, s.
        y : numpy.ndarray
            State vector, (ny,).
        closed : bool, optional
            Whether it is projected on the constraints first.

        Returns
        -------
        int
            DONE, or what went wrong (:mod:`flexbody.core.kinds`).
        """
