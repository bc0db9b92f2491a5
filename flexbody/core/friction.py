"""Friction that follows the reaction of its joint: normal forces from the multipliers, and solutions with them."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_find_normal_forces = function("flexbody_find_normal_forces", "struct", "struct", "input", "int")
_solve_friction = function("flexbody_solve_friction", "struct", "struct", "reals", "reals", "int")
_unit_load = function("flexbody_unit_load", "struct", "struct", "int", "reals")


def find_normal_forces(L: Layout, W: Work, multipliers: np.ndarray) -> None:
    """Find N, h and their derivatives for all such elements in ``W.friction_record``; multipliers (nr,).

    Needs ``place`` and ``move``.
    """
    _find_normal_forces(L, W, multipliers, len(multipliers))


def solve_friction(L: Layout, W: Work, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Let x (nv,) and multipliers (nr,) solve the system with their own friction forces, in place.

    They solve it with the forces that ``residual`` counted. Needs the responses ``W.friction_motion`` and
    ``W.friction_multipliers`` to a unit of each force. Adds what these forces dissipate more to ``W.power``. Where no
    forces are found x is NaN.
    """
    _solve_friction(L, W, x, multipliers, len(multipliers))


def unit_load(L: Layout, W: Work, s: int, out: np.ndarray) -> None:
    """``out`` (nv,) = what a unit of tension of spring ``s`` adds to the residual; needs ``place`` and ``move``."""
    _unit_load(L, W, s, out)
