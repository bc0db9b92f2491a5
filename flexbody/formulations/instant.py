"""The part of a formulation that evaluates the equations of motion at one instant."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..core.structures import Layout, Work
from .state import MachineState


class InstantEquations(Protocol):
    """The equations of motion at one state; starts, equilibria, linearizations and mobility ask them.

    See :class:`flexbody.formulations.base.Formulation` for the words, sizes, coordinates and units. What a method
    "needs" must have been evaluated before, with the same ``W`` and the same state.

    Notes
    -----
    :meth:`place` and :meth:`move` are the base of all others. What they leave in ``W`` means the same in every
    formulation: frames, residuals of all constraint rows, joint coordinates, and deformations and rates of force
    elements. Force laws (``evaluate_laws``, ``relax``), revolutions (:mod:`flexbody.core.coordinate`) and errors of
    drives (:mod:`flexbody.core.drive_errors`) are computed from these numbers alone. Their functions are therefore the
    same for all formulations, and are no part of this interface.
    """

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

    def unit_load(self, L: Layout, W: Work, element: int, out: np.ndarray, which: int = 0) -> None:
        """Compute what a unit of force of an element adds to the residual; needs :meth:`place` and :meth:`move`.

        Parameters
        ----------
        L, W : Layout, Work
        element : int
            Number of the force element.
        out : numpy.ndarray
            Receives the generalized forces, (nv,).
        which : int, optional
            Which of its forces; 0 for the first one.
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
