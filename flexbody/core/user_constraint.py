"""Inputs of users' own constraints and their derivatives, see ``user_constraint.hpp``.

Inputs x: the time, then for each frame ``r`` (3), ``R`` (9), and for constraints of velocities ``v`` (3) and ``w``
(3), all inertial.
"""

from __future__ import annotations

import ctypes

import numpy as np

from fem.common.compiled import function

#: inputs for each frame: r, R, v, w; and what a function that is called back gets beyond them: biases of v and w
WIDTH, BIASES = 18, 6

#: What the core calls: the time, and a buffer.
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.POINTER(ctypes.c_double))

_seeds_of = function("flexbody_seeds_of", "input", "int", "int", "reals", "int")
_path_of = function("flexbody_path_of", "input", "int", "input", "reals", "reals")


def seeds_of(x: np.ndarray, holonomic: bool, out: np.ndarray) -> None:
    """Set ``out`` (n, 6 legs + 1) to the derivatives of inputs ``x`` (n,) by (r, theta) of each frame and by time.

    For a constraint of velocities, the derivatives by (v, w).
    """
    _seeds_of(x, len(x), holonomic, out, out.shape[1])


def path_of(x: np.ndarray, biases: np.ndarray, first: np.ndarray, second: np.ndarray) -> None:
    """Set ``first``, ``second`` (n,) to the derivatives of inputs ``x`` (n,) by time for zero ``vdot``.

    ``biases`` (legs, 2, 3) are those of v and w.
    """
    _path_of(x, len(x), biases, first, second)
