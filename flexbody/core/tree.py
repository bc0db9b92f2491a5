"""Coordinates of a tree at a state that is given by the motion of its bodies; the loops are in C++."""

from __future__ import annotations

import ctypes
from functools import cache

import numpy as np
import scipy

from fem.common.compiled import function
from fem.common.structures import Mould

from .kinds import MOTION_KIND, OWN_NUMBERS, OWN_PLACE, OWN_POSE, OWN_TASK, SHIFT
from .structures import Layout, Tree, Work
from .user_constraint import CALLBACK

_tree_forces = function("flexbody_tree_forces", *("struct",) * 3, "real", "input", "input", "int", "reals")
_hinge_rates = function("flexbody_hinge_rates", *("struct",) * 3, *("input",) * 5, "reals")
_hinge_speeds = function("flexbody_hinge_speeds", *("struct",) * 3, *("input",) * 3, "int", "reals")


def hinge_speeds(
    L: Layout, W: Work, tree: Tree, places: np.ndarray, alpha: np.ndarray, v: np.ndarray, moving: bool = False
) -> np.ndarray:
    """Return the speeds (nh,) of a tree where its bodies move with v (nv,); ``W`` is placed at the state.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its working arrays.
    tree : Tree
        The tree.
    places, alpha : numpy.ndarray
        Places (np,), modal coordinates (na,).
    v : numpy.ndarray
        Velocities of the bodies that keep the hinges closed, or small displacements, (nv,).
    moving : bool, optional
        Whether v are velocities, of which users' hinges that depend on time cause a part.

    Returns
    -------
    numpy.ndarray
        Speeds, (nh,).
    """
    out = np.zeros(int(tree.speed_at[-1]))
    _hinge_speeds(L, W, tree, places, alpha, v, moving, out)
    return out


def hinge_rates(
    L: Layout, W: Work, tree: Tree, places: np.ndarray, alpha: np.ndarray, speeds: np.ndarray, modal: np.ndarray,
    vdot: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Return the rates (nh,) of the speeds of a tree; ``W`` is placed and moved at the state.

    Parameters
    ----------
    L, W, tree, places, alpha : Layout, Work, Tree, numpy.ndarray, numpy.ndarray
        As for :func:`hinge_speeds`.
    speeds, modal : numpy.ndarray
        Speeds (nh,) and modal velocities (na,).
    vdot : numpy.ndarray
        Accelerations of the bodies, (nv,).

    Returns
    -------
    numpy.ndarray
        Rates of the speeds, (nh,).
    """
    out = np.zeros(len(speeds))
    _hinge_rates(L, W, tree, places, alpha, speeds, modal, vdot, out)
    return out


def coordinates(
    L: Layout, W: Work, tree: Tree, t: float, c: np.ndarray, q: np.ndarray, alpha: np.ndarray, v: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the places (np,) and speeds (nh,) of a tree; ``W`` is placed and moved at the state.

    Parameters
    ----------
    L, W, tree : Layout, Work, Tree
        As for :func:`hinge_speeds`.
    t : float
        Time, s.
    c, q, alpha, v : numpy.ndarray
        Positions (nb, 3), m, Euler parameters (nb, 4), modal coordinates (na,), velocities (nv,) of the bodies.

    Returns
    -------
    places : numpy.ndarray
        Shifts, m, angles, rad, and Euler parameters of ball and free joints, (np,).
    speeds : numpy.ndarray
        Speeds of the hinges, (nh,).
    """
    places = np.zeros(tree.place_at[-1])
    tree.time[:] = t
    for k, b in enumerate(tree.body):
        motion = tree.motion[tree.speed_at[k] : tree.speed_at[k + 1]]
        own = places[tree.place_at[k] : tree.place_at[k + 1]]
        if tree.frame[k, 1] < 0:
            own[:3], own[3:] = c[b], q[b]
            continue
        first, second = tree.frame[k, :: -1 if tree.reversed[k] else 1]
        R1, R2 = W.frame_R[first], W.frame_R[second]
        d = W.frame_r[second] - W.frame_r[first]
        pose = R1.T @ d, R1.T @ R2
        called = int(tree.called[k])
        own[:] = (
            _own_places(called, t, len(own), *pose) if called else _places(motion, bool(tree.ball[k]), *pose)
        )
    return places, hinge_speeds(L, W, tree, places, alpha, v, moving=True)


def _own_places(address: int, t: float, n: int, d: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return the n coordinates of a user's hinge from the pose of its second frame in the first."""
    buffer = np.zeros(OWN_NUMBERS)
    buffer[OWN_TASK] = 1.0
    buffer[OWN_POSE : OWN_POSE + 12] = [*d, *R.ravel()]
    CALLBACK(address)(t, buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
    return buffer[OWN_PLACE : OWN_PLACE + n]


def _places(motion: np.ndarray, ball: bool, d: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Return the places of a hinge from the pose of its second frame in the first."""
    out = [d[axis] for kind, axis, _ in motion if kind == SHIFT]
    if ball:
        return np.array([*out, *scipy.spatial.transform.Rotation.from_matrix(R).as_quat(scalar_first=True)])
    turns = [axis for kind, axis, _ in motion if kind != SHIFT]
    if not turns:
        return np.array(out)
    first = turns[0]
    i, j = (first + 1) % 3, (first + 2) % 3
    if len(turns) == 1:
        return np.array([*out, np.arctan2(R[j, i], R[i, i])])
    # two axes at a right angle: R = exp(a e_first~) exp(b e_second~), the second axis turns by a alone
    second = turns[1]
    third = 3 - first - second
    sign = 1.0 if (first + 1) % 3 == second else -1.0
    a = np.arctan2(sign * R[third, second], R[second, second])
    b = np.arctan2(sign * R[first, third], R[first, first])
    return np.array([*out, a, b])


def forces(
    L: Layout, W: Work, tree: Tree, y: np.ndarray, rates: np.ndarray, loaded_at: float | None = None
) -> np.ndarray:
    """Return the forces along the speeds of a tree that cause given rates of them: inverse dynamics by one sweep.

    Parameters
    ----------
    L, W, tree : Layout, Work, Tree
        As for :func:`hinge_speeds`.
    y : numpy.ndarray
        A state vector of the relative description.
    rates : numpy.ndarray
        Rates of the speeds, then of the rates of the modal coordinates, (n,).
    loaded_at : float, optional
        Time, s, of loads and force elements, which are left out by default. ``W`` is then placed and moved at the
        state; friction that follows reactions is left out.

    Returns
    -------
    numpy.ndarray
        Forces in this order, (n,): inertia, gravity, elasticity and damping, and against loads.
    """
    out = np.empty(len(rates))
    _tree_forces(L, W, tree, loaded_at or 0.0, y, rates, loaded_at is not None, out)
    return out


def place_units(tree: Tree) -> np.ndarray:
    """Return what counts as one unit of each place (np,): the machine's length, rad, or of a user's own hinge."""
    out = np.ones(tree.place_at[-1])
    for k, first in enumerate(tree.place_at[:-1]):
        own = slice(tree.speed_at[k], tree.speed_at[k + 1])
        kinds, units = tree.motion[own, MOTION_KIND], tree.unit[own]
        given = units if tree.called[k] else units[kinds == SHIFT]
        out[first : first + len(given)] = given
    return out


def no_tree() -> Tree:
    """Return an empty tree, for the global description."""
    return _empty_tree().cast()


@cache
def _empty_tree() -> Mould:
    return Mould(Tree(**{name: np.zeros(shape) for name, shape in Tree.empty_shapes().items()}))
