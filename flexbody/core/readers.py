"""Readers of results: what a stored motion says of energies, frames, reactions and forces, time by time."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_observe = function("flexbody_observe", "struct", "struct", *("input",) * 4, "real", "reals")
_observe_all = function("flexbody_observe_all", "struct", "struct", "int", *("input",) * 7, "reals")
_observe_frames = function(
    "flexbody_observe_frames", "struct", "struct", "int", *("input",) * 5, *("reals",) * 6
)
_observe_bodies = function("flexbody_observe_bodies", "struct", "struct", "int", *("input",) * 4, "reals")
_observe_reactions = function(
    "flexbody_observe_reactions", "struct", "struct", "int", *("input",) * 5, "int", "indices", "reals"
)
_observe_forces = function(
    "flexbody_observe_forces", "struct", "struct", "int", *("input",) * 8, *("reals",) * 4
)


def observe(L: Layout, W: Work, c, q, alpha, v, t: float, out: np.ndarray) -> None:
    """``out`` (3,) = kinetic, strain and gravity energy (J) of a state."""
    _observe(L, W, c, q, alpha, v, t, out)


def observe_all(L: Layout, W: Work, t, c, q, alpha, v, states, turns, out: np.ndarray) -> None:
    """``out`` (nt, 3) = energies (J) of every state, states of laws (nt, nz), angles near ``turns`` (nt, nc)."""
    _observe_all(L, W, len(t), t, c, q, alpha, v, states, turns, out)


def observe_frames(L: Layout, W: Work, c, q, alpha, v, vdot, R, r, u, w, a, b) -> None:
    """Fill axes R (nt, nf, 3, 3), places r, velocities u, w and accelerations a, b (nt, nf, 3) of all frames."""
    _observe_frames(L, W, len(c), c, q, alpha, v, vdot, R, r, u, w, a, b)


def observe_bodies(L: Layout, W: Work, c, q, alpha, v, out: np.ndarray) -> None:
    """``out`` (nt, nb, 3) = kinetic, strain and gravity energy (J) of every body over time."""
    _observe_bodies(L, W, len(c), c, q, alpha, v, out)


def observe_reactions(L: Layout, W: Work, t, c, q, alpha, multipliers, rows: np.ndarray, out) -> None:
    """``out`` (nt, nj, 2, 3) = force and moment on the second body of the joints that own ``rows`` (nj, 2)."""
    _observe_reactions(L, W, len(t), t, c, q, alpha, multipliers, len(rows), rows, out)


def observe_forces(L: Layout, W: Work, t, c, q, alpha, v, states, turns, multipliers, x, g, power, normal):
    """Fill deformations, rates and forces x (nt, 3, ns + nx) of springs and elements, their directions g
    (nt, ns + nx, 4, 3), energies and powers (nt, ns + ne, 3), and normal forces of friction (nt, nh)."""
    if np.size(states) == 0:
        states = np.zeros((len(t), len(W.law_state)))
    _observe_forces(L, W, len(t), t, c, q, alpha, v, states, turns, multipliers, x, g, power, normal)
