"""The equations of motion of equivalent particles in joint coordinates, H. A. Attia (2003), sections 5 and 6.

The velocities of the particles are ``rdot = B u`` with the speeds u of the hinges of a tree, (10), and
``rddot = B du/dt + Bdot u``, (11). In space the columns of B are twists of the hinges at the particles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core import equations as eq
from ..core import tree as core_tree
from ..core.kinds import MOTION_KIND, SHIFT
from ..core.rotation import euler_of_matrix
from ..core.structures import Layout, Tree, Work
from .particle_model import ParticleModel


class Motion(NamedTuple):
    """The motion of a tree of rigid bodies.

    ``u`` (nh,) speeds; ``R`` (nb, 3, 3) and ``r`` (nb, 3) axes and origins of the links, in the order of the hinges,
    with velocities ``w``, accelerations ``a`` and ``b`` for du/dt = 0; of the bodies, in their own order, ``c`` (nb,
    3), ``q`` (nb, 4), ``v`` (nv,) and vdot for du/dt = 0 ``drift`` (nv,). ``V`` (nv, nh) are velocities of bodies for
    each speed.
    """

    u: np.ndarray
    R: np.ndarray
    r: np.ndarray
    w: np.ndarray
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    q: np.ndarray
    v: np.ndarray
    drift: np.ndarray
    V: np.ndarray

    def closing(self, W: Work, tree: Tree, G: np.ndarray) -> np.ndarray:
        """Return the rows C of cut joints and drives, by the speeds; zeros for rows that are left out."""
        C: np.ndarray = G[tree.closing] @ self.V * (W.active[tree.closing] != 0)[:, None]
        return C


class Accelerations(NamedTuple):
    """``rates`` (nh,) of the speeds, ``vdot`` (nv,) of the bodies, ``multipliers`` (nr,) of all rows."""

    rates: np.ndarray
    vdot: np.ndarray
    multipliers: np.ndarray


def jacobian(L: Layout, W: Work) -> np.ndarray:
    """Return the constraint Jacobian G (nr, nv)."""
    nv = int(L.v_at[-1])
    M, G = np.empty((nv, nv)), np.empty((len(W.phi), nv))
    eq.dense(L, W, M, G)
    return G


def place_rates(tree: Tree, places: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the rates (np,) of the places of hinges; of Euler parameters by Koppens (2.47)."""
    out = []
    for k in range(len(tree.body)):
        first, end = tree.speed_at[k], tree.speed_at[k + 1]
        shifts = tree.motion[first:end, MOTION_KIND] == SHIFT
        out.append(u[first:end][shifts])
        turning = u[first:end][~shifts]
        if not tree.ball[k]:
            out.append(turning)
            continue
        q0, q = places[tree.place_at[k + 1] - 4], places[tree.place_at[k + 1] - 3 : tree.place_at[k + 1]]
        out += [[-0.5 * (q @ turning)], 0.5 * (q0 * turning + np.cross(q, turning))]
    return np.concatenate([np.zeros(0), *out])


def normalise(tree: Tree, places: np.ndarray) -> None:
    """Scale Euler parameters to length one."""
    for end in tree.place_at[1:][tree.ball != 0]:
        places[end - 4 : end] /= np.linalg.norm(places[end - 4 : end])


def columns_at(
    tree: Tree, model: ParticleModel, r: np.ndarray, link: np.ndarray, points: np.ndarray
) -> np.ndarray:
    """Return the velocities (n, 3, nh) of points (n, 3) of links (n,) for each speed: twists times distances, (10)."""
    arms = points[:, None] - r[model.hinge]
    columns = (tree.column[:, :3] + np.cross(tree.column[:, 3:], arms)) * model.path[link][:, :, None]
    return columns.swapaxes(1, 2)


def body_motion(L: Layout, W: Work, tree: Tree, model: ParticleModel, y: np.ndarray) -> Motion:
    """Return the motion of a tree of rigid bodies at a state vector (places, speeds, ...)."""
    np_, nh, nb = int(tree.place_at[-1]), int(tree.speed_at[-1]), len(tree.body)
    core_tree.forces(L, W, tree, y[: np_ + nh], np.zeros(nh))  # moves the links
    link, body = tree.link[1:].copy(), tree.body
    R, r = link[:, :9].reshape(nb, 3, 3), link[:, 9:12]
    v0, w, a, b = link[:, 15:18], link[:, 18:21], link[:, 21:24], link[:, 24:27]
    Q = R @ model.base.swapaxes(1, 2)
    d = (R @ model.center[:, :, None])[:, :, 0]
    c, q, v, drift = np.zeros((nb, 3)), np.zeros((nb, 4)), np.zeros((nb, 6)), np.zeros((nb, 6))
    c[body], q[body] = r + d, [euler_of_matrix(each) for each in Q]
    q *= np.where(np.sum(q * tree.q, axis=1) < 0.0, -1.0, 1.0)[:, None]  # as they were
    v[body, :3], drift[body, :3] = v0 + np.cross(w, d), a + np.cross(b, d) + np.cross(w, np.cross(w, d))
    v[body, 3:], drift[body, 3:] = (np.einsum("kji,kj->ki", Q, x) for x in (w, b))
    V = np.zeros((nb, 6, nh))
    V[body, :3] = columns_at(tree, model, r, np.arange(nb), r + d)
    V[body, 3:] = Q.swapaxes(1, 2) @ (tree.column[:, 3:].T * model.path[:, None])
    u = y[np_ : np_ + nh]
    return Motion(u, R, r, w, a, b, c, q, v.ravel(), drift.ravel(), V.reshape(6 * nb, nh))


def particle_accelerations(
    L: Layout, W: Work, tree: Tree, model: ParticleModel, motion: Motion, t: float
) -> Accelerations:
    """Return accelerations and multipliers at a state at which ``W`` has all forces, Attia (17)."""
    B, drift = velocity_matrix(tree, model, motion)
    g, loads = particle_forces(W, tree, model, motion)
    M = np.einsum("ikn,ikm->nm", B, np.tensordot(model.mass, B, 1))
    f = np.einsum("ikn,ik->n", B, g - model.mass @ drift)
    G, bias = jacobian(L, W), np.empty(len(W.phi))
    eq.biases(L, W, t, bias)
    C = motion.closing(W, tree, G)
    miss = -(G @ motion.drift + bias)[tree.closing] * (W.active[tree.closing] != 0)
    # M du/dt + C' nu = f, C du/dt = miss
    K = np.linalg.cholesky(M)
    Y, x = np.linalg.solve(K, C.T), np.linalg.solve(K, f)
    nu = np.linalg.lstsq(Y.T @ Y, Y.T @ x - miss, rcond=1e-12)[0]
    rates = np.linalg.solve(K.T, x - Y @ nu)
    multipliers = np.zeros(len(W.phi))
    multipliers[tree.closing] = nu
    left = unbalanced(W, tree, model, motion, B @ rates + drift, loads) + G.T @ multipliers
    hinges = np.setdiff1d(np.flatnonzero(W.active), tree.closing)
    multipliers[hinges] = np.linalg.lstsq(G[hinges].T, -left, rcond=None)[0]
    return Accelerations(rates, motion.V @ rates + motion.drift, multipliers)


def velocity_matrix(tree: Tree, model: ParticleModel, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Return B (n, 3, nh) of all particles and ``Bdot u`` (n, 3), Attia (10), (11); in the plane of motion."""
    k = model.link
    d, w = (motion.R[k] @ model.x[:, :, None])[:, :, 0], motion.w[k]
    B = columns_at(tree, model, motion.r, k, motion.r[k] + d)
    return B, motion.a[k] + np.cross(motion.b[k], d) + np.cross(w, np.cross(w, d))


def particle_forces(
    W: Work, tree: Tree, model: ParticleModel, motion: Motion
) -> tuple[np.ndarray, np.ndarray]:
    """Return the forces on the particles (n, 3), Attia (2), (3), and those on the bodies (nb, 6), inertial base.

    ``W.residual`` contains the inertia forces of the rates of rotation and the opposite of all loads.
    """
    g, loads = np.zeros((len(model.x), 3)), np.zeros((len(tree.body), 6))
    for k, (body, particles) in enumerate(zip(tree.body, model.bodies, strict=True)):
        force, moment = -W.residual[6 * body : 6 * body + 3], -W.residual[6 * body + 3 : 6 * body + 6]
        omega = motion.v[6 * body + 3 : 6 * body + 6]
        Q = W.Q[body]
        moment = Q @ (moment + np.cross(omega, W.J[body] @ omega))
        loads[k] = *force, *moment
        local = motion.R[k].T @ moment
        g[particles.points] += np.outer(particles.shares, force) + (particles.couple @ local) @ motion.R[k].T
    return g, loads


def unbalanced(
    W: Work, tree: Tree, model: ParticleModel, motion: Motion, accelerations: np.ndarray, loads: np.ndarray
) -> np.ndarray:
    """Return the forces (nv,) that the particles of each body lack for their accelerations: those of its joints."""
    out = np.zeros(6 * len(tree.body))
    for k, (body, particles) in enumerate(zip(tree.body, model.bodies, strict=True)):
        inertia = particles.mass @ accelerations[particles.points]
        arms = particles.x @ motion.R[k].T + motion.r[k] - motion.c[body]
        moment = np.cross(arms, inertia).sum(axis=0) - loads[k, 3:]
        out[6 * body : 6 * body + 3] = inertia.sum(axis=0) - loads[k, :3]
        out[6 * body + 3 : 6 * body + 6] = W.Q[body].T @ moment
    return out
