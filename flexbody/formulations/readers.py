"""The part of a formulation that reads stored states."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ..core.structures import Layout, Tracked, Work
from .state import MachineState


class StateReaders(Protocol):
    """What results compute from stored states: energies, motion of frames, reactions, force elements, coordinates.

    See :class:`flexbody.formulations.base.Formulation` for the words, sizes, coordinates and units. All arrays of a run
    have the time as their first axis.
    """

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
        paths: np.ndarray,
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
        paths : numpy.ndarray
            Receives the coordinates of paths (m) with their rates and accelerations, (nt, np, 3).
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
        pressed_frames: np.ndarray,
        x: np.ndarray,
        g: np.ndarray,
        power: np.ndarray,
        normal: np.ndarray,
        pressed: np.ndarray,
        massless: np.ndarray,
    ) -> None:
        """Compute what force elements do over time: ne elements with nx deformations.

        Parameters
        ----------
        L, W : Layout, Work
        t, c, q, alpha, v, law_states, counted_coordinates, multipliers : numpy.ndarray
            As for :meth:`observe_all`, and the multipliers, (nt, nr).
        pressed_frames : numpy.ndarray of int
            Frames of contacts without deformations, (np,).
        x : numpy.ndarray
            Receives deformations, their rates and forces, (nt, 3, nx).
        g : numpy.ndarray
            Receives the directions of the forces, (nt, nx, 4, 3).
        power : numpy.ndarray
            Receives stored energy, J, dissipated and input power, W, (nt, ne, 3).
        normal : numpy.ndarray
            Receives the normal forces of friction that follows reactions, (nt, nh), N.
        pressed : numpy.ndarray
            Receives force, N, and moment, Nm, of contacts on ``pressed_frames``, their places, and where they press,
            m, (nt, np, 12).
        massless : numpy.ndarray
            Receives place, m, axes, velocity, m/s, and angular velocity, rad/s, of massless bodies, inertial
            components, (nt, nm, 18).
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
