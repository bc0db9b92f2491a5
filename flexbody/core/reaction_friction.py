"""Friction that depends on the reaction of its joint: normal forces from multipliers, and solutions with them."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_find_normal_forces = function("flexbody_find_normal_forces", "struct", "struct", "input", "int")
_solve_friction = function("flexbody_solve_friction", "struct", "struct", "reals", "reals", "int")


def find_normal_forces(L: Layout, W: Work, multipliers: np.ndarray) -> None:
    """Compute N, h and their derivatives for all such elements into ``W.friction_record``; multipliers (nr,).

    Needs ``place`` and ``move``.
    """
    _find_normal_forces(L, W, multipliers, len(multipliers))


def solve_friction(L: Layout, W: Work, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Change x (nv,) and multipliers (nr,) in place so that they solve the system with their own friction forces.

    Before, they solve it with the friction forces of ``residual``. Needs the responses ``W.friction_motion`` and
    ``W.friction_multipliers`` to a unit of each force. Adds the change of the dissipated power to ``W.power``. If
    there is no solution, x is NaN.
    """
    _solve_friction(L, W, x, multipliers, len(multipliers))
