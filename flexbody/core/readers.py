"""Readers of results: energies, frames, reactions and forces of a stored motion at all times."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_observe = function("flexbody_observe", "struct", "struct", *("input",) * 4, "real", "reals")
_observe_all = function("flexbody_observe_all", "struct", "struct", "int", *("input",) * 7, "reals")
_observe_frames = function(
    "flexbody_observe_frames", "struct", "struct", "int", *("input",) * 5, *("reals",) * 7
)
_observe_bodies = function("flexbody_observe_bodies", "struct", "struct", "int", *("input",) * 4, "reals")
_observe_reactions = function(
    "flexbody_observe_reactions", "struct", "struct", "int", *("input",) * 5, "int", "indices", "reals"
)
_observe_forces = function(
    "flexbody_observe_forces", "struct", "struct", "int", *("input",) * 8, "int", "indices", *("reals",) * 6
)


def observe(L: Layout, W: Work, c, q, alpha, v, t: float, out: np.ndarray) -> None:
    """Set ``out`` (3,) to the kinetic, strain and gravity energy (J) of a state."""
    _observe(L, W, c, q, alpha, v, t, out)


def observe_all(
    L: Layout, W: Work, t, c, q, alpha, v, law_states, counted_coordinates, out: np.ndarray
) -> None:
    """Set ``out`` (nt, 3) to the energies (J) of all states.

    Angles are near ``counted_coordinates`` (nt, nc).
    """
    _observe_all(L, W, len(t), t, c, q, alpha, v, law_states, counted_coordinates, out)


def observe_frames(L: Layout, W: Work, c, q, alpha, v, vdot, R, r, u, w, a, b, paths) -> None:
    """Compute axes R (nt, nf, 3, 3), positions r, velocities u, w and accelerations a, b (nt, nf, 3) of all frames.

    ``paths`` (nt, np, 3) receives the coordinates of paths with their rates and accelerations.
    """
    _observe_frames(L, W, len(c), c, q, alpha, v, vdot, R, r, u, w, a, b, paths)


def observe_bodies(L: Layout, W: Work, c, q, alpha, v, out: np.ndarray) -> None:
    """Set ``out`` (nt, nb, 3) to the kinetic, strain and gravity energy (J) of every body over time."""
    _observe_bodies(L, W, len(c), c, q, alpha, v, out)


def observe_reactions(L: Layout, W: Work, t, c, q, alpha, multipliers, rows: np.ndarray, out) -> None:
    """Set ``out`` (nt, nj, 2, 3) to force and moment on the second body of the joints with the ``rows`` (nj, 2)."""
    _observe_reactions(L, W, len(t), t, c, q, alpha, multipliers, len(rows), rows, out)


def observe_forces(
    L: Layout, W: Work, t, c, q, alpha, v, law_states, counted_coordinates, multipliers, pressed_frames: np.ndarray,
    x, g, power, normal, pressed, massless,
):  # fmt: skip
    """Compute the histories of force elements.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its work arrays.
    t, c, q, alpha, v, law_states, counted_coordinates, multipliers
        The stored motion, as in :class:`flexbody.results.record.Record`.
    pressed_frames : numpy.ndarray of int
        Frames of contacts without deformations, (np,).
    x : numpy.ndarray
        Receives deformations, rates and forces, (nt, 3, nx).
    g : numpy.ndarray
        Receives their directions, (nt, nx, 4, 3).
    power : numpy.ndarray
        Receives stored energy (J), dissipated and input power (W), (nt, ne, 3).
    normal : numpy.ndarray
        Receives the normal forces of friction, (nt, nh).
    pressed : numpy.ndarray
        Receives force, N, and moment, Nm, of contacts on ``pressed_frames``, their places, and where they press, m,
        (nt, np, 12).
    massless : numpy.ndarray
        Receives place (m), axes, velocity (m/s) and angular velocity (rad/s) of massless bodies, (nt, nm, 18).
    """
    _observe_forces(
        L, W, len(t), t, c, q, alpha, v, law_states, counted_coordinates, multipliers, len(pressed_frames),
        pressed_frames, x, g, power, normal, pressed, massless,
    )  # fmt: skip
