"""The equations of small motions of a machine in minimal coordinates, and whether they are constant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fem.common.blas_threads import few_threads
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes

from ...compile.plan import Plan
from ...core.structures import Work
from ...equations.auxiliary_mass import massless_part, with_auxiliary
from ...equations.free_motions import FreeMotions, free_motions, sizes
from ...equations.least_squares import RANK_TOLERANCE
from ...equations.massless import held
from ...equations.position import displaced
from ...equations.reaction_friction import reaction_frictions, sliding
from ...equations.tangent import (
    body_axes,
    mass_and_jacobian,
    position_rates,
    residual_forces,
    units,
    velocity_rates,
)
from ...equations.unit_work import unit_work
from ...formulations.state import MachineState
from .force_law_states import LawTangent, law_rates
from .nonholonomic import VelocityRows, is_velocity, velocity_rows
from .steady_motion import Steady

#: changes are found by a rotation of the machine by this angle (rad), or by as much of its motion
CHECKED_ANGLE = 0.9


@dataclass(frozen=True, eq=False)
class Reduced(KnownAttributes):
    """The equations ``M y'' + C y' + K y + H zeta = 0`` with ``xi = Z y``; see :class:`flexbody.Linearization`.

    Attributes
    ----------
    M, C, K : numpy.ndarray
        Mass, damping and stiffness, (f, f).
    Z, rate_Z : numpy.ndarray
        Motions of the bodies, (nv, f), and their rate.
    stiffness_noise : numpy.ndarray
        Round-off of K, (f, f).
    near : sequence
        State and Z shortly before and after the state, of a machine in motion.
    law : LawTangent
        States of force laws.
    rolling : VelocityRows or None
        Nonholonomic constraints in motion.
    left : numpy.ndarray
        Matrix (nv, f): forces along y are ``left^T`` times forces. It is Z unless friction depends on reactions.
    """

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    Z: np.ndarray
    rate_Z: np.ndarray
    stiffness_noise: np.ndarray
    near: tuple[tuple[MachineState, np.ndarray], ...]
    law: LawTangent
    left: np.ndarray
    rolling: VelocityRows | None


class StateChange(NamedTuple):
    """Other states of a linear system: X (n, n) times its own, the rate of X (n, n), and their names (n,)."""

    X: np.ndarray
    rate: np.ndarray
    names: tuple[str, ...]


def reduced(plan: Plan, W: Work, s: MachineState, steady: Steady | None, rolls: bool) -> Reduced:
    """Return the equations about a state, in steady motion (``steady``) or not.

    With ``rolls``, nonholonomic rows hold velocities only. Otherwise they count as if they held positions, which are
    those that a machine at rest can reach.
    """
    M, G = mass_and_jacobian(plan, W, s)
    phi, n = W.phi.copy(), plan.n_velocities
    u = units(plan, W, s)
    R = residual_forces(plan, W, s, body_axes(plan, W, s))
    by_place, by_rate = position_rates(plan, W, s), velocity_rates(plan, W, s)
    K, work = by_place[:n], unit_work(plan, R, G, s, u)
    holds = ~is_velocity(plan) if rolls else np.ones(len(G), dtype=bool)
    measure = sizes(K, with_auxiliary(plan, M), 1e-9 * work / u**2)
    rows = _holding(plan, G, holds)
    free = free_motions(rows, np.pad(phi[holds], (0, len(rows) - int(holds.sum()))), measure)
    Z, near = free.Z, _near(plan, W, s, free, steady, holds)
    first, second = steady.rates(plan, Z) if steady is not None else differences(s, Z, near)
    H, A = law_rates(plan, W, s)
    left = _left(plan, W, s, M, G, Z)
    if rolls and left is not Z:
        names = listing(force.name for force in reaction_frictions(plan))
        raise InputError(
            f"{names}: friction that follows reactions and slides, in a machine that rolls: its small motions are not "
            "within these equations. Give load= in place of mu=, or let it rest"
        )
    law = LawTangent(
        _state_names(plan), A, -(by_place[n:] @ Z + by_rate[n:] @ first), -(by_rate[n:] @ Z), left.T @ H
    )
    blur = 1e-12 * np.abs(np.diag(K)) + 1e-10 * work / u**2
    return Reduced(
        *_in_coordinates(M, by_rate[:n], K, left, Z, first, second),
        Z,
        first,
        np.abs(left).T @ (blur[:, None] * np.abs(Z)),
        near,
        law,
        left,
        velocity_rows(plan, W, s, G, Z, steady) if rolls and steady is not None else None,
    )


def _holding(plan: Plan, G: np.ndarray, holds: np.ndarray) -> np.ndarray:
    """Return the rows of ``G`` that hold positions, and those that keep idle motions of massless bodies at rest."""
    rows = G[holds]
    return np.concatenate([rows, held(plan, rows).rows]) if massless_part(plan).any() else rows


def _left(plan: Plan, W: Work, s: MachineState, M: np.ndarray, G: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Return the combinations E (nv, f) of the equations of motion without multipliers; in general E is Z.

    Sliding friction that depends on reactions makes multipliers act by ``(G + R)^T``. E is then Z without its part in
    (G + R), combined so that ``E^T M Z = Z^T M Z``.
    """
    more = sliding(plan, W, s)
    if more is None:
        return Z
    size = 1.0 / np.sqrt(np.diag(with_auxiliary(plan, M)))
    rows = (G + more) * size
    lengths = np.maximum(np.linalg.norm(G * size, axis=1), 1e-300)
    rows = rows / lengths[:, None]
    E = Z - size[:, None] * np.linalg.lstsq(rows, rows @ (Z / size[:, None]), rcond=RANK_TOLERANCE)[0]
    return E @ np.linalg.solve(Z.T @ M @ E, Z.T @ M @ Z)


def _in_coordinates(M, C, K, left, Z, first, second) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return mass, damping and stiffness (f, f) for ``xi = Z y``."""
    return left.T @ M @ Z, left.T @ (C @ Z + 2 * M @ first), left.T @ (K @ Z + C @ first + M @ second)


def _near(plan: Plan, W: Work, s: MachineState, free: FreeMotions, steady: Steady | None, holds: np.ndarray):
    """Return the states shortly before and after, with Z (nv, f) there; empty if the state does not move.

    In steady motion they are seen from the base that moves with the machine.
    """
    if steady is None:
        return _carried(plan, W, s, free, holds) if s.v.any() or s.vdot.any() else ()
    if not steady.own.any():
        return ()
    h = 3e-4 * steady.period(float(plan.layout.length))
    return tuple((steady.spun(s, dt), steady.carried(plan, free.Z, dt)) for dt in (-h, h))


def _carried(plan: Plan, W: Work, s: MachineState, free: FreeMotions, holds: np.ndarray):
    """Return the states shortly before and after, with Z (nv, f) changed as little as the joints permit.

    ``Z(t + h) = (1 - G^+ G) Z`` in scaled coordinates.
    """
    u = units(plan, W, s)
    speed = float(np.max(np.abs(s.v) / u, initial=0.0))
    fast = max(speed, float(np.sqrt(np.max(np.abs(s.vdot) / u, initial=0.0))), 1e-300)
    found = []
    for dt in (-3e-4 / fast, 3e-4 / fast):
        near = replace(displaced(plan, s, dt * s.v + 0.5 * dt**2 * s.vdot), t=s.t + dt)
        G = _holding(plan, mass_and_jacobian(plan, W, near)[1], holds)
        rows = G * free.size / free.lengths[:, None] if len(G) else G
        with few_threads(max(rows.shape)):
            held = np.linalg.svd(rows, full_matrices=False)[2][: free.rank]
        Y = free.Z / free.size[:, None]
        found.append((near, free.size[:, None] * (Y - held.T @ (held @ Y))))
    return tuple(found)


def differences(s: MachineState, here: np.ndarray, near) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and second rate of a matrix from its values ``here`` and ``near``, shortly before and after."""
    if not near:
        return np.zeros_like(here), np.zeros_like(here)
    (before, one), (after, other) = near
    h = 0.5 * (after.t - before.t)
    return (other - one) / (2 * h), (other - 2 * here + one) / h**2


def _state_names(plan: Plan) -> tuple[str, ...]:
    """Return the names of the states of the force laws."""
    return tuple(
        f"{element.name} {name}"
        for element, law in zip(plan.elements.elements, plan.elements.laws, strict=True)
        for name, _ in law.state_names(False)
    )


def changes(plan: Plan, W: Work, s: MachineState, steady: Steady, here: Reduced) -> float:
    """Return the relative change of the equations along a steady motion; zero if they are constant."""
    period = steady.period(float(plan.layout.length))
    later, rate = steady.later(plan, s, CHECKED_ANGLE * period), 1 / period
    M, G = mass_and_jacobian(plan, W, later)
    # the reactions are those of the joints as they are then
    bare = residual_forces(plan, W, replace(later, multipliers=0 * s.multipliers), body_axes(plan, W, later))
    free = free_motions(G, np.zeros(len(G)), 1 / np.sqrt(np.diag(with_auxiliary(plan, M))))
    later = replace(later, multipliers=-free.reactions(bare))
    n, Z = plan.n_velocities, steady.carried(plan, here.Z, CHECKED_ANGLE * period)
    K, C = position_rates(plan, W, later)[:n], velocity_rates(plan, W, later)[:n]
    others = _in_coordinates(M, C, K, _left(plan, W, later, M, G, Z), Z, *steady.rates(plan, Z))
    size, found = np.sqrt(np.diag(here.M)), 0.0
    for k, (a, b) in enumerate(zip((here.M, here.C, here.K), others, strict=True)):
        # each entry beside its own row's and column's, or what turning makes of the mass
        own = np.sqrt(np.abs(np.diag(a))) + rate ** (0.5 * k) * size
        found = max(found, float(np.max(np.abs(b - a) / np.outer(own, own), initial=0.0)))
    if here.rolling is None:
        return found
    rows = velocity_rows(plan, W, later, G, Z, steady)
    moved = np.abs(rows.W - here.rolling.W) * size[:, None] / size / rate
    return max(found, float(moved.max(initial=0.0)), float(np.abs(rows.D @ here.rolling.N).max(initial=0.0)))
