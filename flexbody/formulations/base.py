"""The interface of all formulations: what is asked of the equations of motion."""

from __future__ import annotations

from typing import Protocol

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
    Work,
)
from .state import MachineState


class Formulation(Protocol):
    """A way to write the equations of motion; the plan of a machine holds it as ``plan.formulation``.

    In the words of the global description, ``M vdot + bias + G^T lambda = loads`` and ``Phi = 0``, Koppens (4.20).

    Every method takes the compiled machine ``L`` and working arrays ``W``. Those that evaluate one instant leave what
    they find in ``W`` (:class:`flexbody.core.structures.Work`); the others fill arrays of the caller (``out``, ...).

    Notes
    -----
    Sizes: ``nb`` bodies, ``na`` modal coordinates, ``nv = 6 nb + na`` generalized velocities, ``nr`` constraint rows,
    ``m`` rows and deformations, ``nf`` frames, ``nz`` states of force laws, ``nt`` times.

    Coordinates: in every formulation a :class:`MachineState` holds positions ``c`` (nb, 3), m, Euler parameters ``q``
    (nb, 4) and modal coordinates ``all_alpha`` (na,). ``v`` (nv,) contains for each body dc/dt (inertial), m/s, omega
    (in components of the body), rad/s, and dalpha/dt. Results, files and readers use these numbers. A formulation with
    coordinates of its own keeps them to itself.

    Units: forces on generalized velocities (nv,) are N, Nm, and J per unit of a modal coordinate. Constraint rows are
    scaled to metres; multipliers (nr,) belong to the scaled rows.
    """

    # ---- one instant -----------------------------------------------------------------------------

    def place(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate bodies, frames and constraint rows at the position of a state.

        Parameters
        ----------
        L, W : Layout, Work
            ``W`` then holds rotation matrices ``Q`` (nb, 3, 3), frames ``frame_r`` (nf, 3), m, and ``frame_R``
            (nf, 3, 3), residuals of the constraints ``phi`` (nr,), m, their rates at rest ``phi_t`` (nr,), m/s, and
            their directions ``slope``.
        s : MachineState
            Its ``t``, ``c``, ``q`` and ``all_alpha`` are used.
        """

    def move(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate the velocities of all frames; needs :meth:`place`.

        Parameters
        ----------
        L, W : Layout, Work
            ``W`` then holds ``frame_v`` (nf, 3), m/s, ``frame_w`` (nf, 3), rad/s, the accelerations for zero vdot
            ``frame_a``, ``frame_b`` (nf, 3), and deformations and rates of force elements.
        s : MachineState
            Its ``all_alpha`` and ``v`` are used.
        """

    def residual(self, L: Layout, W: Work, s: MachineState) -> None:
        """Evaluate the residual of the equations of motion; needs :meth:`place` and :meth:`move`.

        Parameters
        ----------
        L, W : Layout, Work
            ``W`` then holds ``residual`` (nv,) = M vdot + bias - loads + G^T lambda, Koppens (4.20), and ``power``
            (2,), W, which is dissipated and put in.
        s : MachineState
            Its ``t``, ``all_alpha``, ``v``, ``vdot`` and ``multipliers`` are used.
        """

    def velocity_residual(self, L: Layout, W: Work, v: np.ndarray, out: np.ndarray) -> None:
        """Compute the rates of the constraints; needs :meth:`place`.

        Parameters
        ----------
        L, W : Layout, Work
        v : numpy.ndarray
            Generalized velocities, (nv,).
        out : numpy.ndarray
            Receives G v + Phi_t, (nr,), m/s.
        """

    def biases(self, L: Layout, W: Work, t: float, out: np.ndarray) -> None:
        """Compute the second derivatives of the constraints for zero vdot; needs :meth:`place` and :meth:`move`.

        Parameters
        ----------
        L, W : Layout, Work
        t : float
            Time, s.
        out : numpy.ndarray
            Receives the bias of each row, Phi.. = G vdot + out, (nr,), m/s^2.
        """

    def dense(self, L: Layout, W: Work, mass_matrix: np.ndarray, jacobian: np.ndarray) -> None:
        """Write out mass matrix and constraint Jacobian; needs :meth:`place`.

        Parameters
        ----------
        L, W : Layout, Work
        mass_matrix : numpy.ndarray
            Receives M, (nv, nv).
        jacobian : numpy.ndarray
            Receives G, (nr, nv).
        """

    # ---- the mass metric -------------------------------------------------------------------------

    def weighted_rows(self, L: Layout, W: Work) -> bool:
        """Factorise the mass matrix, M = B B^T, and weigh the rows of the Jacobian with it; needs :meth:`place`.

        Parameters
        ----------
        L, W : Layout, Work
            ``W`` then holds the entries of G in ``G``, and those of G B^-T in ``Y``, ordered as
            ``Plan.pattern`` says; :meth:`weigh` and :meth:`unweigh` use the factors.

        Returns
        -------
        bool
            False if the mass matrix is not positive definite.
        """

    def weigh(self, L: Layout, W: Work, x: np.ndarray, inverse: bool) -> None:
        """Multiply by B^T, or by B^-1; needs :meth:`weighted_rows`.

        Parameters
        ----------
        L, W : Layout, Work
        x : numpy.ndarray
            Velocities, (nv,), replaced by B^T x, whose square is x' M x.
        inverse : bool
            If True, x are forces, (nv,), replaced by B^-1 x.
        """

    def unweigh(self, L: Layout, W: Work, x: np.ndarray) -> None:
        """Multiply by B^-T; needs :meth:`weighted_rows`.

        Parameters
        ----------
        L, W : Layout, Work
        x : numpy.ndarray
            Weighted velocities, (nv,), replaced by generalized ones.
        """

    # ---- derivatives -----------------------------------------------------------------------------

    def forces(self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, out: np.ndarray) -> None:
        """Compute the residual at a state with the translations in given bases.

        Parameters
        ----------
        L, W : Layout, Work
        s : MachineState
        Q : numpy.ndarray
            Bases, (nb, 3, 3).
        out : numpy.ndarray
            Receives the residual, (nv,), then (of the length nv + nz) minus the rates of the states of force laws.
        """

    def stiffness_columns(
        self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, steps: np.ndarray, out: np.ndarray
    ) -> None:
        """Compute the derivative of :meth:`forces` by positions, the multipliers held.

        Parameters
        ----------
        L, W : Layout, Work
        s : MachineState
        Q : numpy.ndarray
            Rotation matrices of the bodies, (nb, 3, 3).
        steps : numpy.ndarray
            Steps of the differences, (nv,), m, rad, or the unit of the modal coordinate.
        out : numpy.ndarray
            Receives the derivative, (nv + nz, nv).
        """

    def damping_columns(
        self, L: Layout, W: Work, s: MachineState, Q: np.ndarray, steps: np.ndarray, out: np.ndarray
    ) -> None:
        """Compute the derivative of :meth:`forces` by velocities, positions and multipliers held.

        Parameters
        ----------
        L, W : Layout, Work
        s : MachineState
        Q : numpy.ndarray
            Rotation matrices of the bodies, (nb, 3, 3).
        steps : numpy.ndarray
            Steps of the differences, (nv,), m/s, rad/s, or the unit of the modal coordinate per second.
        out : numpy.ndarray
            Receives the derivative, (nv + nz, nv).
        """

    # ---- friction that follows reactions ---------------------------------------------------------

    def unit_load(self, L: Layout, W: Work, element: int, out: np.ndarray) -> None:
        """Compute what a unit of force of an element adds to the residual; needs :meth:`place` and :meth:`move`.

        Parameters
        ----------
        L, W : Layout, Work
        element : int
            Number of the force element; of six forces the first one counts.
        out : numpy.ndarray
            Receives the generalized forces, (nv,).
        """

    def find_normal_forces(self, L: Layout, W: Work, multipliers: np.ndarray) -> None:
        """Find the normal forces of friction that follows reactions; needs :meth:`place` and :meth:`move`.

        Parameters
        ----------
        L, W : Layout, Work
            ``W`` then holds them in ``friction_record``.
        multipliers : numpy.ndarray
            Multipliers, (nr,).
        """

    def solve_friction(self, L: Layout, W: Work, x: np.ndarray, multipliers: np.ndarray) -> None:
        """Let a solution of the equations include the friction forces that its own reactions cause.

        Parameters
        ----------
        L, W : Layout, Work
            ``W.friction_motion`` and ``W.friction_multipliers`` contain the responses to a unit of each force.
        x : numpy.ndarray
            Accelerations, (nv,), found with the forces of the latest :meth:`residual`; changed in place, NaN where no
            friction forces satisfy the equations.
        multipliers : numpy.ndarray
            Multipliers, (nr,), changed in place.
        """

    # ---- readers ---------------------------------------------------------------------------------

    def observe(self, L: Layout, W: Work, s: MachineState, out: np.ndarray) -> None:
        """Compute the energies of a state, which is placed and moved.

        Parameters
        ----------
        L, W : Layout, Work
        s : MachineState
        out : numpy.ndarray
            Receives kinetic, strain and gravity energy, (3,), J.
        """

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
        """Compute the energies of all states of a run.

        Parameters
        ----------
        L, W : Layout, Work
        t, c, q, alpha, v : numpy.ndarray
            Times, s, positions and velocities, each (nt, ...).
        law_states : numpy.ndarray
            States of force laws, (nt, nz).
        counted_coordinates : numpy.ndarray
            Values of ``Plan.coordinates``, with all revolutions of angles, or near them, (nt, nc).
        out : numpy.ndarray
            Receives kinetic, strain and gravity energy, (nt, 3), J.
        """

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
        """Compute the energies of every body over time.

        Parameters
        ----------
        L, W : Layout, Work
        c, q, alpha, v : numpy.ndarray
            Positions and velocities, each (nt, ...).
        out : numpy.ndarray
            Receives kinetic, strain and gravity energy, (nt, nb, 3), J.
        """

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
    ) -> None:
        """Compute the motion of all frames over time, inertial components.

        Parameters
        ----------
        L, W : Layout, Work
        c, q, alpha, v, vdot : numpy.ndarray
            Positions, velocities and accelerations, each (nt, ...).
        R : numpy.ndarray
            Receives the axes, (nt, nf, 3, 3).
        vectors : numpy.ndarray
            Receives positions, m, velocities, m/s, angular velocities, rad/s, accelerations, m/s^2, and angular
            accelerations, rad/s^2, (5, nt, nf, 3).
        """

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
        """Compute the reactions of joints over time.

        Parameters
        ----------
        L, W : Layout, Work
        t, c, q, alpha, multipliers : numpy.ndarray
            Times, s, positions and multipliers, each (nt, ...).
        rows : numpy.ndarray
            First constraint row of each joint, and the one after its last, (nj, 2).
        out : numpy.ndarray
            Receives force, N, and moment, Nm, on the second body, inertial components, (nt, nj, 2, 3).
        """

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
        x: np.ndarray,
        g: np.ndarray,
        power: np.ndarray,
        normal: np.ndarray,
    ) -> None:
        """Compute what force elements do over time: ne elements with nx deformations.

        Parameters
        ----------
        L, W : Layout, Work
        t, c, q, alpha, v, law_states, counted_coordinates, multipliers : numpy.ndarray
            As for :meth:`observe_all`, and the multipliers, (nt, nr).
        x : numpy.ndarray
            Receives deformations, their rates and forces, (nt, 3, nx).
        g : numpy.ndarray
            Receives the directions of the forces, (nt, nx, 4, 3).
        power : numpy.ndarray
            Receives stored energy, J, dissipated and input power, W, (nt, ne, 3).
        normal : numpy.ndarray
            Receives the normal forces of friction that follows reactions, (nt, nh), N.
        """

    def read_coordinates(self, L: Layout, W: Work, s: MachineState, tracked: Tracked) -> None:
        """Read joint coordinates at a state.

        Parameters
        ----------
        L, W : Layout, Work
        s : MachineState
        tracked : Tracked
            The coordinates; receives values (m, rad) and rates.
        """

    # ---- integration -----------------------------------------------------------------------------

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

    def parts(self, L: Layout, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return positions and velocities in a state vector of the explicit method.

        Parameters
        ----------
        L : Layout
        y : numpy.ndarray
            State vector, or its rate, (ny,): positions, velocities, states of force laws, and two energies.

        Returns
        -------
        tuple of numpy.ndarray
            Views c (nb, 3), q (nb, 4), alpha (na,), v (nv,).
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

    def attracted_rates(
        self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray, pull: float, out: np.ndarray
    ) -> bool:
        """Compute the rate of a state vector with constraints that attract, for integrators of other packages.

        Parameters
        ----------
        L, W, S, t, y, out : Layout, Work, ExplicitState, float, numpy.ndarray, numpy.ndarray
            As for :meth:`rates`.
        pull : float
            Rate at which errors of the constraints decay, 1/s.

        Returns
        -------
        bool
            False if a mass matrix is not positive definite.
        """

    def take_state(self, L: Layout, W: Work, S: ExplicitState, t: float, y: np.ndarray) -> int:
        """Take a state vector at the end of a step, projected on the constraints.

        Parameters
        ----------
        L, W, S : Layout, Work, ExplicitState
            ``S`` then holds the state and its rate.
        t : float
            Time, s.
        y : numpy.ndarray
            State vector, (ny,).

        Returns
        -------
        int
            DONE, or what went wrong (:mod:`flexbody.core.kinds`).
        """
