"""Motion of a machine by the speeds of its tree: velocities and accelerations of all bodies from those of the hinges.

Slaats (1991), chapter 3, in the form for flexible bodies. With u the speeds of the hinges and the rates of the modal
coordinates, the generalized velocities of the global description are ``v = B u``, and ``vdot = B du/dt + bias``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compile.plan import Plan
from ..core.structures import Work
from ..formulations.state import MachineState
from ..model.tree import FREE_COORDINATES, Hinge, Tree
from .frame_jacobian import frame_rows, skew

#: Speeds of a body that hangs on a free joint: dc/dt in the inertial base, omega in the base of the body.
FREE_TITLES = (
    *(f"translation along {axis} of the inertial base" for axis in "xyz"),
    *(f"rotation about {axis} of the body" for axis in "xyz"),
)


@dataclass(frozen=True, eq=False)
class TreeMotion:
    """The velocity transformation of a tree at one state, with n speeds.

    Attributes
    ----------
    labels : tuple of str
        What each speed is, (n,).
    B : numpy.ndarray
        Velocities of the bodies for each speed, (nv, n).
    speeds : numpy.ndarray
        The speeds u at the state, (n,).
    bias : numpy.ndarray
        vdot for du/dt = 0, (nv,).
    """

    labels: tuple[str, ...]
    B: np.ndarray
    speeds: np.ndarray
    bias: np.ndarray


def tree_motion(plan: Plan, W: Work, tree: Tree, s: MachineState) -> TreeMotion:
    """Return the velocity transformation of a tree; ``W`` is placed and moved at the state ``s``.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    W : Work
        Working arrays.
    tree : Tree
        Its tree.
    s : MachineState
        A state with closed joints.

    Returns
    -------
    TreeMotion
        The transformation. Speeds come body by body in the order of the tree: first those of the hinge that leads to
        the body, then the rates of its modal coordinates.
    """
    modes = plan.layout.body_modes
    sizes = [hinge.coordinates + int(modes[plan.body_index[hinge.outer]]) for hinge in tree.hinges]
    ends = np.cumsum([0, *sizes])
    n = int(ends[-1])
    B, bias, speeds = np.zeros((plan.n_velocities, n)), np.zeros(plan.n_velocities), np.zeros(n)
    labels: list[str] = []
    for hinge, first, end in zip(tree.hinges, ends[:-1], ends[1:], strict=True):
        b = plan.body_index[hinge.outer]
        own, middle = slice(first, end), first + hinge.coordinates
        B[plan.modal_velocities(b), middle:end] = np.eye(end - middle)
        speeds[middle:end] = s.v[plan.modal_velocities(b)]
        labels += [*_hinge_labels(hinge), *(f"{hinge.outer}: mode {k + 1}" for k in range(end - middle))]
        if hinge.joint is None:
            B[plan.rigid(b), first:middle] = np.eye(FREE_COORDINATES)
            speeds[first:middle] = s.v[plan.rigid(b)]
        else:
            _carry(plan, W, s.t, hinge, B, bias, speeds[own][: hinge.coordinates], slice(first, middle))
    return TreeMotion(tuple(labels), B, speeds, bias)


def _hinge_labels(hinge: Hinge) -> list[str]:
    if hinge.joint is None:
        return [f"{hinge.outer}: {title}" for title in FREE_TITLES]
    return [f"{hinge.joint.name}: {title}" for title in hinge.joint.motion_titles]


def _carry(
    plan: Plan,
    W: Work,
    t: float,
    hinge: Hinge,
    B: np.ndarray,
    bias: np.ndarray,
    speeds: np.ndarray,
    own: slice,
) -> None:
    """Fill the rows of the outer body's rigid motion in ``B`` and ``bias``, and the ``speeds`` of the hinge.

    From the inner body's frame over the hinge to the outer body's frame, and from there to its reference point.
    """
    joint = hinge.joint
    assert joint is not None
    i, j = plan.frames[joint.name]
    d, d_dot = W.frame_r[j] - W.frame_r[i], W.frame_v[j] - W.frame_v[i]
    w1, w2 = W.frame_w[i].copy(), W.frame_w[j].copy()
    R1, R2 = W.frame_R[i], W.frame_R[j]
    relative = np.concatenate([d_dot - np.cross(w1, d), w2 - w1])
    if joint.name in plan.trees.hinges:
        H, drift = _own_motion(plan.trees.hinges[joint.name].functions, t, R1, R2, d, relative, w1, speeds)
    else:
        H = joint.motions(R1, R2, d)
        speeds[:] = np.linalg.lstsq(H, relative, rcond=None)[0]
        drift = joint.motions(skew(w1) @ R1, skew(w2) @ R2, d_dot) @ speeds
        drift[:3] += np.cross(w1, d_dot)
    # velocity of the second frame = X velocity of the first + H u; acceleration likewise with the drift
    X = np.eye(6)
    X[:3, 3:] = -skew(d)
    sign = 1.0
    inner, outer = i, j
    if hinge.reversed:
        X[:3, 3:] *= -1.0
        H, drift = X @ H, X @ drift
        sign, inner, outer = -1.0, j, i
    rows, shift = frame_velocities(plan, W, inner)
    across, arriving = X @ (rows @ B), X @ (rows @ bias + shift) + sign * drift
    across[:, own] += sign * H
    b = int(plan.layout.frame_body[outer])
    rows, shift = frame_velocities(plan, W, outer)
    modal, rigid = plan.modal_velocities(b), plan.rigid(b)
    back = np.linalg.inv(rows[:, rigid])
    B[rigid] = back @ (across - rows[:, modal] @ B[modal])
    bias[rigid] = back @ (arriving - shift)


def _own_motion(
    functions: Any,
    t: float,
    R1: np.ndarray,
    R2: np.ndarray,
    d: np.ndarray,
    relative: np.ndarray,
    w1: np.ndarray,
    speeds: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return H (6, n) and the drift (6,) of a user's joint, and set its ``speeds``; Sol (3.3.26) to (3.3.34)."""
    turned = np.kron(np.eye(2), R1)
    now = functions.find(R1.T @ d, R1.T @ R2, t)
    H, by_time = turned @ np.concatenate([now.v, now.w]), turned @ np.concatenate([now.v_t, now.w_t])
    speeds[:] = np.linalg.lstsq(H, relative - by_time, rcond=None)[0]
    drift = turned @ functions.accelerations(functions.q, t, speeds)
    drift[:3] += np.cross(w1, np.cross(w1, d)) + 2 * np.cross(w1, relative[:3])
    drift[3:] += np.cross(w1, relative[3:])
    return H, drift


def frame_velocities(plan: Plan, W: Work, f: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows J (6, nv) of velocity and angular velocity of a frame, and its acceleration (6,) for vdot = 0."""
    b, rows = int(plan.layout.frame_body[f]), frame_rows(plan, W, f)
    if b < 0:
        return rows, np.zeros(6)
    rows[:3, plan.translation(b)] = np.eye(3)  # velocities of bodies have inertial components
    return rows, np.concatenate([W.frame_a[f], W.frame_b[f]])
