"""Derivatives of the residual by positions and velocities, see :mod:`flexbody.equations.tangent`."""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_STATE = ("struct", "struct", "real", *("input",) * 7)
_forces = function("flexbody_forces", *_STATE, "int", "reals")
_stiffness_columns = function("flexbody_stiffness_columns", *_STATE, "input", "int", "reals")
_damping_columns = function("flexbody_damping_columns", *_STATE, "input", "int", "reals")


def forces(L: Layout, W: Work, t: float, c, q, alpha, v, vdot, multipliers, Q, out: np.ndarray) -> None:
    """Set ``out`` (nv + nz,) to the residual, with translation rows in components of ``Q`` (nb, 3, 3).

    The rates of the states of force laws follow, with a minus sign.
    """
    _forces(L, W, t, c, q, alpha, v, vdot, multipliers, Q, len(out), out)


def stiffness_columns(L: Layout, W: Work, t: float, c, q, alpha, v, vdot, multipliers, Q, steps, out) -> None:
    """Set ``out`` (nv + nz, nv) to the derivative of :func:`forces` by positions xi, with multipliers held."""
    _stiffness_columns(L, W, t, c, q, alpha, v, vdot, multipliers, Q, steps, len(out), out)


def damping_columns(L: Layout, W: Work, t: float, c, q, alpha, v, vdot, multipliers, Q, steps, out) -> None:
    """Set ``out`` (nv + nz, nv) to the derivative of :func:`forces` by velocities xi', with the rest held."""
    _damping_columns(L, W, t, c, q, alpha, v, vdot, multipliers, Q, steps, len(out), out)
