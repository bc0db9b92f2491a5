"""A machine's small motions about a state: frequencies, damping, mode shapes, stability.

About a nominal motion the equations of motion and constraints become, in components of the bodies' bases
(:mod:`flexbody.tangent`)::

    M xi.. + C xi. + K xi + G^T mu = B u,      G xi = 0

with K including the derivatives of ``G^T lambda``. With ``xi = Z y``, G Z = 0, they are ``f`` equations for as many
freedoms. Force laws with states (currents, pressures) add their own equations (:mod:`flexbody.law_tangent`). G
changes as a machine moves; Z follows it, and its rates count: ``xi. = Z y. + Z. y``. For machines at rest and machines
that turn steadily as a whole all matrices are constant.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import FlexbodyWarning, InputError

from .bodies import Body, BodyFrame
from .eigenvalues import Spectrum, spectrum
from .freedoms import Freedoms, freedoms, sizes
from .initial import advance_position
from .kernels.arrays import VELOCITY, Work
from .law_tangent import LawTangent, hold, law_rates
from .layout import Plan
from .mode_motion import mode_motion
from .result import Result
from .state_space import StateSpace, state_space
from .states import State, state_of
from .statics import equilibrium, unit_work
from .steady import turned
from .system import System
from .tangent import (
    Nominal,
    body_axes,
    damping,
    mass_and_jacobian,
    position_rates,
    residual_forces,
    stiffness,
    units,
    velocity_rates,
)

#: a matrix that changes by more than this part while a machine turns is periodic
PERIODIC = 1e-5
#: a state is at rest if less than this part of the forces that occur accelerate it, and if it moves by less than this
#: part of its own size within a period
STILL = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class Linearization:
    """Small motions ``M y.. + C y. + K y + H zeta = 0`` of a machine about a state, and their eigenvalues.

    ``M``, ``C``, ``K`` (f, f) in minimal coordinates y; ``Z`` (nv, f) gives the bodies' small motions ``Z y``:
    displacement (m) and rotation vector (rad) in components of each body's base, then modal coordinates, body by
    body; ``rate_Z`` its rate. ``eigenvalues`` (n,), 1/s, with ascending frequency: oscillations once (imaginary part
    above zero), the others each by itself. ``frequencies`` (n,) Hz, undamped, ``|eigenvalue| / 2 pi``;
    ``damped_frequencies`` Hz; ``damping_ratios``, negative for growing motions. ``shapes`` (nv, n), complex: the
    motion of all bodies in each mode, the largest displacement one. ``state`` what it is about. ``law``: states zeta
    of force laws, ``zeta. = A zeta + A_y y + A_v y.`` (:class:`flexbody.law_tangent.LawTangent`); C and K are those
    with zeta held, and eigenvalues those of all together, such as the pole of a motor's current.
    """

    state: State
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    Z: np.ndarray
    rate_Z: np.ndarray
    eigenvalues: np.ndarray
    vectors: np.ndarray  # (f, n) in minimal coordinates
    shapes: np.ndarray
    noise: np.ndarray  # (n,) 1/s, what round-off may make of an eigenvalue
    law: LawTangent
    near: tuple[
        tuple[Nominal, np.ndarray], ...
    ] = ()  # the state and Z a little earlier and later, if it moves

    def __repr__(self) -> str:
        few = ", ".join(f"{f:.6g}" for f in self.frequencies[:6])
        more = ", ..." if len(self.frequencies) > 6 else ""
        laws = f", {len(self.law.A)} states of force laws" if len(self.law.A) else ""
        verdict = "stable" if self.stable else "unstable"
        return f"<Linearization: {len(self.M)} freedoms{laws}, {verdict}, {few}{more} Hz>"

    @property
    def frequencies(self) -> np.ndarray:
        """Undamped frequencies |eigenvalue| / 2 pi of all modes, (n,), Hz; zero for a motion that nothing holds."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damped_frequencies(self) -> np.ndarray:
        """Frequencies of oscillation, (n,), Hz; zero for modes that creep."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping_ratios(self) -> np.ndarray:
        """Damping ratio of each mode, (n,): -1 .. 1, below zero where the motion grows."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0)

    @property
    def stable(self) -> bool:
        """Whether no small motion grows exponentially; indifferent ones don't count as growing."""
        return bool(np.all(self.eigenvalues.real <= self.noise))

    def shape(self, mode: int, body: Body | str) -> np.ndarray:
        """Return (6 + N,) complex: displacement, rotation vector (body components) and modal coordinates of a body."""
        b = self.state.plan.body_index[self.state.system.body(body).name]
        at = self.state.plan.layout.v_at
        return self.shapes[at[b] : at[b + 1], mode]

    def motion(self, mode: int, size: float = 0.05, frames: int = 60) -> Result:
        """Return one period of a mode as a result, to be drawn and animated.

        size : largest displacement over the machine's own size, or the largest rotation in rad. Damping and growth
        are left out; of a motion without frequency the run is half a second from rest to its shape and back. Seen from
        the turning base, for a machine that turns.
        """
        return mode_motion(self.state, self.shapes, self.eigenvalues, mode, size, frames)

    def state_space(
        self,
        inputs: Sequence[object] | None = None,
        displacements: Sequence[Body | BodyFrame | str] = (),
        velocities: Sequence[Body | BodyFrame | str] = (),
        accelerations: Sequence[Body | BodyFrame | str] = (),
    ) -> StateSpace:
        """Return ``x. = A x + B u``, ``z = C x + D u`` with x = (y, y., zeta): see :class:`StateSpace`.

        inputs : loads, springs and force elements of the machine, by object or name; by default all. A load has three
        channels (its components, N or Nm), a spring one (the force of its actuator, N), a force element its law's
        input (a motor its voltage, a servo its target), without one its force; each counts as what comes on top.
        displacements, velocities, accelerations : bodies and frames whose motion is wanted, three channels each, in
        inertial components (of the turning base, for a machine that turns). Of a state in motion: what comes on top
        of its own motion, at that instant.
        """
        return state_space(self, inputs, displacements, velocities, accelerations)


def linearize(
    machine: System | State | Result,
    state: State | Result | None = None,
    *,
    t: float | None = None,
    spin: ArrayLike | None = None,
    about: ArrayLike = (0.0, 0.0, 0.0),
) -> Linearization:
    """Return the small motions of a machine about a state.

    machine : a system, whose equilibrium (at time ``t``, turning with ``spin`` about a point, as
    :func:`equilibrium` takes them) is found first unless ``state`` is given; or a state; or a result, whose state at
    time ``t`` (by default the last) is taken. Drives move on as they do at that time.

    About a state that is neither an equilibrium nor a steady turning the matrices hold at that instant only, and
    eigenvalues mean little where they change within a period; a :class:`fem.FlexbodyWarning` says so.
    """
    if isinstance(machine, System) and state is None:
        found = equilibrium(machine, t=t or 0.0, spin=spin, about=about)
    else:
        source = machine if state is None else state
        if isinstance(source, System):
            raise InputError("state= is a system; give a state, or a result of the machine")
        if spin is not None:
            raise InputError("spin= belongs to a system; a state brings its own velocities")
        found = state_of(source, t) if isinstance(source, Result) else source
    plan, W = found.plan, found.plan.work()
    _check_velocities(found)
    hold(plan, W, found)
    M, C, K, Z, rate, small, near, law = _matrices(plan, W, found)
    values: Spectrum = spectrum(M, C, K, small, law)
    if values.lost:
        warnings.warn(
            f"a motion of about {values.lost / (2 * np.pi):.2g} Hz counts as one without frequency (0 Hz): beside "
            "stiffnesses 1e12 times its own it can't be told from round-off. Join what is so stiff by a joint",
            FlexbodyWarning,
            stacklevel=2,
        )
    if found.spin.any():
        _heed_periods(plan, W, found, (M, C, K, Z))
    else:
        _heed_motion(plan, W, found, values.values)
    u = units(plan, W, found.nominal)
    shapes = Z @ values.vectors
    largest = np.argmax(np.abs(shapes) / u[:, None], axis=0) if shapes.size else np.zeros(0, dtype=int)
    for k, i in enumerate(largest):
        if shapes[i, k] == 0:  # only states of laws change
            continue
        factor = u[i] / shapes[i, k]
        shapes[:, k] *= factor
        values.vectors[:, k] *= factor
    return Linearization(
        found, M, C, K, Z, rate, values.values, values.vectors, shapes, values.noise, law, near
    )


def _check_velocities(state: State) -> None:
    """Raise for a nonholonomic machine in motion: its positions have more freedoms than its velocities."""
    owners = [
        state.plan.row_owner(k) for k, kind in enumerate(state.plan.layout.row_kind) if kind == VELOCITY
    ]
    if owners and np.any(state.v):
        raise InputError(
            f"{owners[0]} speaks of velocities; such a machine is linearised at rest only, and this state moves"
        )


def _matrices(plan: Plan, W: Work, state: State) -> tuple:
    """Return M, C, K, Z, Z., what round-off leaves of a stiffness (f, f), Z a little earlier and later, and laws."""
    s = state.nominal
    M, G = mass_and_jacobian(plan, W, s)
    phi = W.phi.copy()
    u = units(plan, W, s)
    R = residual_forces(plan, W, s, body_axes(plan, W, s))
    n = plan.n_velocities
    by_place, by_rate = position_rates(plan, W, s), velocity_rates(plan, W, s)
    K, C = by_place[:n], by_rate[:n]
    work = unit_work(plan, R, G, s, u)
    free = freedoms(G, phi, sizes(K, M, 1e-9 * work / u**2))
    Z = free.Z
    steady = not (s.v.any() or s.vdot.any()) or state.spin.any()
    near = () if steady else _carried(plan, W, s, free)
    first, second = differences(s, Z, near)
    blur = 1e-12 * np.abs(np.diag(K)) + 1e-10 * work / u**2
    noise = np.abs(Z).T @ (blur[:, None] * np.abs(Z))
    H, A = law_rates(plan, W, s)
    law = LawTangent(
        _state_names(plan), A, -(by_place[n:] @ Z + by_rate[n:] @ first), -(by_rate[n:] @ Z), Z.T @ H
    )
    return (
        Z.T @ M @ Z,
        Z.T @ (C @ Z + 2 * M @ first),
        Z.T @ (K @ Z + C @ first + M @ second),
        Z,
        first,
        noise,
        near,
        law,
    )


def _state_names(plan: Plan) -> tuple[str, ...]:
    """Return a name for each state of the force laws."""
    return tuple(
        f"{element.name} {name}"
        for element, law in zip(plan.elements.elements, plan.elements.laws, strict=True)
        for name, _ in law.state_names(False)
    )


def differences(s: Nominal, here: np.ndarray, near) -> tuple[np.ndarray, np.ndarray]:
    """Return first and second rate of a matrix that is ``here`` now, and as in ``near`` a little earlier and later."""
    if not near:
        return np.zeros_like(here), np.zeros_like(here)
    (before, one), (after, other) = near
    h = 0.5 * (after.t - before.t)
    return (other - one) / (2 * h), (other - 2 * here + one) / h**2


def _carried(plan: Plan, W: Work, s: Nominal, free: Freedoms) -> tuple[tuple[Nominal, np.ndarray], ...]:
    """Return the state a little earlier and later, and Z (nv, f) carried along as nearly unchanged as joints allow.

    Z (t + h) = (1 - G^+ G) Z in scaled coordinates.
    """
    u = units(plan, W, s)
    speed = float(np.max(np.abs(s.v) / u, initial=0.0))
    fast = max(speed, float(np.sqrt(np.max(np.abs(s.vdot) / u, initial=0.0))), 1e-300)
    found = []
    for dt in (-3e-4 / fast, 3e-4 / fast):
        c, q, alpha = s.c.copy(), s.q.copy(), s.alpha.copy()
        advance_position(plan, c, q, alpha, dt * s.v + 0.5 * dt**2 * s.vdot)
        near = replace(s, t=s.t + dt, c=c, q=q, alpha=alpha)
        _, G = mass_and_jacobian(plan, W, near)
        rows = G * free.size / free.lengths[:, None] if len(G) else G
        held = np.linalg.svd(rows, full_matrices=False)[2][: free.rank]
        Y = free.Z / free.size[:, None]
        found.append((near, free.size[:, None] * (Y - held.T @ (held @ Y))))
    return tuple(found)


def _heed_motion(plan: Plan, W: Work, state: State, eigenvalues: np.ndarray) -> None:
    """Warn of a state that is no equilibrium: it moves, or the forces at rest there are not in balance."""
    s = state.nominal
    still = replace(s, v=np.zeros_like(s.v), vdot=np.zeros_like(s.vdot))
    u = units(plan, W, s)
    left = residual_forces(plan, W, still, body_axes(plan, W, s))
    _, G = mass_and_jacobian(plan, W, s)
    occurring = unit_work(plan, left, G, s, u) + 1e-300
    part = float(np.max(np.abs(u * left) / occurring, initial=0.0))
    rates = np.abs(eigenvalues[eigenvalues != 0])
    speed = float(np.max(np.abs(s.v) / u, initial=0.0))
    moved = 2 * np.pi * speed / float(rates.min()) if len(rates) else 0.0
    if part > STILL or moved > STILL:
        within = f", and moves by {moved:.2g} of its size (or rad) within a period" if moved > STILL else ""
        warnings.warn(
            f"this state at t = {s.t:.6g} s is no equilibrium: {100 * min(part, 1.0):.2g} % of the forces in it "
            f"accelerate the machine{within}. Frequencies, damping and stability are those of the equations at that "
            "instant, and say little about the motion. Linearise about an equilibrium (fb.linearize(system), with "
            "spin= for a machine that turns steadily)",
            FlexbodyWarning,
            stacklevel=3,
        )


def _heed_periods(plan: Plan, W: Work, state: State, matrices: tuple[np.ndarray, ...]) -> None:
    """Warn where the matrices of a turning machine change while it turns."""
    M, C, K, Z = matrices
    s = state.nominal
    later = turned(plan, s, 0.9, state.spin, state.about)
    # the reactions are those of the turned joints
    M2, G2 = mass_and_jacobian(plan, W, later)
    bare = residual_forces(plan, W, replace(later, multipliers=0 * s.multipliers), body_axes(plan, W, later))
    free = freedoms(G2, np.zeros(len(G2)), 1 / np.sqrt(np.diag(M2)))
    later = replace(later, multipliers=-free.reactions(bare))
    others = Z.T @ M2 @ Z, Z.T @ damping(plan, W, later) @ Z, Z.T @ stiffness(plan, W, later) @ Z
    size, change = np.sqrt(np.diag(M)), 0.0
    rate = float(np.linalg.norm(state.spin))
    for k, (a, b) in enumerate(zip((M, C, K), others, strict=True)):
        # each entry beside its own row's and column's, or what turning makes of the mass
        own = np.sqrt(np.abs(np.diag(a))) + rate ** (0.5 * k) * size
        change = max(change, float(np.max(np.abs(b - a) / np.outer(own, own), initial=0.0)))
    if change > PERIODIC:
        warnings.warn(
            f"the equations of this turning machine's small motions change while it turns (by {100 * change:.2g} % "
            "after 50 degrees): something beside it, such as a spring to the ground or a bearing, is not the same in "
            "all directions. The frequencies are those of the present position, and say little",
            FlexbodyWarning,
            stacklevel=3,
        )
