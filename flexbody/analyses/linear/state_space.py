"""Linearized machines with inputs and outputs, for the design of controllers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called, listing
from fem.common.known_attributes import KnownAttributes

from ...compile.plan import Plan
from ...core.kinds import BODY_LOAD, FORCE_BODY, FORCE_INERTIAL, MOMENT_BODY
from ...core.structures import Work
from ...equations.frame_jacobian import body_rows, frame_rows
from ...model.forces import Element, Force
from ...model.sides import Side
from ...model.system import System
from ..result import State
from .force_law_states import element_columns, hold, input_rates
from .minimal_coordinates import Reduced, StateChange, differences
from .nonholonomic import system_matrix


@dataclass(frozen=True, eq=False, repr=False)
class StateSpace(KnownAttributes):
    """A linear system ``x' = A x + B u``, ``z = C x + D u`` of small motions of a machine.

    Attributes
    ----------
    A, B, C, D : numpy.ndarray
        Matrices (n, n), (n, m), (p, n), (p, m), SI units.
    inputs : tuple of str
        Names of the m input channels, such as "tip force x".
    outputs : tuple of str
        Names of the p output channels, such as "beam['end'] velocity z".
    states : tuple of str
        Names of the n states.

    Notes
    -----
    The state is x = (y, y', zeta) with the minimal coordinates y of the linearization, J^(1/2), and the states zeta of
    force laws; or (p, p', zeta) with joint coordinates p, m or rad. For a machine that rolls it is x = (y, w, zeta)
    with ``y' = N w - W y``, see
    :class:`flexbody.analyses.linear.nonholonomic.VelocityRows`.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<StateSpace: {len(self.A)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    @check_arguments
    def response(self, frequencies_hz: ArrayLike) -> np.ndarray:
        """Return the frequency response ``C (i omega - A)^-1 B + D``.

        Parameters
        ----------
        frequencies_hz : array_like
            Frequencies, (n,), Hz.

        Returns
        -------
        numpy.ndarray
            Complex response, (n, p, m), SI units of outputs per input.
        """
        omega = 2j * np.pi * np.atleast_1d(np.asarray(frequencies_hz, float))
        if omega.ndim != 1:
            raise InputError(f"frequencies_hz has the shape {omega.shape}; give a list of frequencies")
        eye = np.eye(len(self.A))
        return np.array([self.C @ np.linalg.solve(s * eye - self.A, self.B) + self.D for s in omega])


def state_space(
    state: State, linear: Reduced, inputs, displacements, velocities, accelerations
) -> StateSpace:
    """Return the state space of a machine near a state; see :meth:`Linearization.state_space`."""
    names, columns, feeds = _inputs(state, inputs)
    f, law = len(linear.M), linear.law
    N, slip = np.eye(f), np.zeros((f, f))
    if linear.rolling is not None:
        N, slip = linear.rolling.N, linear.rolling.W
    A = system_matrix(linear.M, linear.C, linear.K, N, slip, law)
    n, k, m = len(A), N.shape[1], columns.shape[1]
    pushed = np.linalg.solve(N.T @ linear.M @ N, N.T @ (linear.left.T @ columns)) if k else np.zeros((0, m))
    B = np.concatenate([np.zeros((f, m)), pushed, feeds])
    # y, y. and y.. from x and u
    y, ydot = np.eye(f, n), A[:f]
    yddot, yddot_u = ydot @ A, ydot @ B
    out, C, D = [], [np.zeros((0, n))], [np.zeros((0, columns.shape[1]))]
    for what, wanted in (
        ("displacement", displacements),
        ("velocity", velocities),
        ("acceleration", accelerations),
    ):
        if not isinstance(wanted, list | tuple):
            raise InputError(f"give a list of bodies or frames whose {what} is wanted, not {wanted!r}")
        for item in wanted:
            name, place_, rate, second = _rates(state, linear, item)
            rows = {
                "displacement": (place_ @ y, 0),
                "velocity": (rate @ y + place_ @ ydot, 0),
                "acceleration": (second @ y + 2 * rate @ ydot + place_ @ yddot, place_ @ yddot_u),
            }[what]
            out += [f"{name} {what} {axis}" for axis in "xyz"]
            C.append(rows[0])
            D.append(rows[1] + np.zeros((3, columns.shape[1])))
    rates = (
        [f"y{i + 1} rate" for i in range(f)] if linear.rolling is None else [f"w{i + 1}" for i in range(k)]
    )
    states = (*(f"y{i + 1}" for i in range(f)), *rates, *law.names)
    return StateSpace(A, B, np.concatenate(C), np.concatenate(D), tuple(names), tuple(out), states)


def with_states(plant: StateSpace, change: StateChange) -> StateSpace:
    """Return a state space in other states, ``A = (X A + X') X^-1``."""
    back = np.linalg.inv(change.X)
    A = (change.X @ plant.A + change.rate) @ back
    return replace(plant, A=A, B=change.X @ plant.B, C=plant.C @ back, states=change.names)


def _rates(state: State, linear: Reduced, what) -> tuple[str, np.ndarray, np.ndarray, np.ndarray]:
    """Return the name of an object, and ``H Z`` (3, f) with its first and second rate along the motion: d = H Z y."""
    name, H = _motion(state, what)
    near = [(s, _motion(replace(state, numbers=s), what)[1] @ Z) for s, Z in linear.near]
    return name, H @ linear.Z, *differences(state.numbers, H @ linear.Z, near)


def _inputs(state: State, wanted) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the names of input channels, their generalized forces and their effect on the states of force laws.

    Returns
    -------
    names : list of str
        Names of the m channels.
    forces : numpy.ndarray
        Generalized forces of unit inputs, (nv, m), body components.
    rates : numpy.ndarray
        Rates of the states of force laws for unit inputs, (nz, m).
    """
    plan = state.plan
    nz = plan.elements.n_states
    chosen = _chosen(state, wanted)
    W = plan.work()
    hold(plan, W, state.numbers)
    names = [name for force in chosen for name in force.input_names]
    columns: list[np.ndarray] = []
    feeds: list[np.ndarray] = []
    none = np.zeros(nz)
    loads = {load.name: k for k, load in enumerate(plan.system.loads)}
    for force in chosen:
        if force.name in loads:
            its = _load_columns(plan, W, state, loads[force.name])
            columns += its
            feeds += len(its) * [none]
        else:
            column, feed = _element_column(plan, W, state, force)
            columns.append(-column)
            feeds.append(feed)
    m = len(columns)
    return names, np.array(columns).reshape(m, plan.n_velocities).T, np.array(feeds).reshape(m, nz).T


def _load_columns(plan: Plan, W: Work, state: State, k: int) -> list[np.ndarray]:
    """Return the generalized forces of unit components of load ``k``, or of a unit factor, (nv,) each."""
    f, kind = (int(x) for x in plan.layout.load_frame[k])
    if kind == BODY_LOAD:
        b = int(plan.layout.frame_body[f])
        F0, F1, M0, M1, f0, f1 = plan.system.loads[k].wrench(plan.system.bodies_by_name())
        a = state.numbers.all_alpha[plan.modal(b)]
        column = np.zeros(plan.n_velocities)  # for small motions in the base of the body
        column[plan.velocities(b)] = np.concatenate([F0 + F1 @ a, M0 + M1 @ a, f0 + f1 @ a])
        return [column]
    axes = W.frame_R[f] @ plan.layout.frame_A[f].T if kind in (FORCE_BODY, MOMENT_BODY) else np.eye(3)
    part = slice(0, 3) if kind in (FORCE_BODY, FORCE_INERTIAL) else slice(3, 6)
    return list(axes.T @ frame_rows(plan, W, f)[part])


def _element_column(plan: Plan, W: Work, state: State, element: Element) -> tuple[np.ndarray, np.ndarray]:
    """Return minus the generalized force of a unit input of an element (nv,), and its rates of states (nz,)."""
    none = np.zeros(plan.elements.n_states)
    e = plan.elements.elements.index(element)
    if plan.elements.laws[e].input is not None:
        return input_rates(plan, W, state.numbers, e)
    return element_columns(plan, W)[:, plan.elements.deformations(e).start], none


def _chosen(state: State, wanted) -> list[Any]:
    """Return the loads and springs of ``inputs=``; raise InputError for other objects."""
    by_name: dict[str, Force] = {force.name: force for force in state.system.forces}
    faults = {name: _fault(state.system, force) for name, force in by_name.items()}
    able = {name: force for name, force in by_name.items() if force.input_names and not faults[name]}
    if wanted is None:
        return list(able.values())
    if not isinstance(wanted, Iterable):
        raise InputError(f"inputs is {called(wanted)}; give a list of loads, springs or their names")
    asked = [str(getattr(item, "name", item)) for item in wanted]
    strange = [name for name in asked if name not in by_name]
    if strange:
        raise InputError(
            f"inputs= names {listing(strange)}; this machine's loads and springs are {listing(able)}"
        )
    for name in asked:
        if name not in able:
            raise InputError(f"inputs= names {by_name[name].label}, {faults[name]}")
    return [able[name] for name in asked]


def _fault(system: System, force: Force) -> str:
    """Return why a force can't be an input, as the end of a sentence; "" if it can."""
    points = [point.name for point in system.massless_bodies]
    ends = [side.name for side in force.sides() if side.name in points]
    return f"which acts on the massless body {ends[0]!r} between springs" if ends else force.why_no_input


def _side(system: System, what: Side | str) -> Side:
    """Return a body or frame of a system by object or name; raise InputError if there is none."""
    if isinstance(what, Side) and what.named:
        system.body(what.body)  # raises with the names that exist
        return what.on(system.bodies_by_name())
    return system.body(what)


def _motion(state: State, what: Side | str) -> tuple[str, np.ndarray]:
    """Return a name, and (3, nv) the small displacement of a body's reference point or of a frame."""
    plan = state.plan
    side = _side(state.system, what)
    frame = side.frame(state.system.bodies_by_name())
    b = plan.body_index[frame.body]
    alpha = state.all_alpha[plan.modal(b)]
    p, modes = frame.x + frame.Phi @ alpha, np.concatenate([frame.Phi, 0 * frame.Phi])
    if frame.G is not None:
        p = p + 0.5 * np.einsum("i,kij,j->k", alpha, frame.G[:3], alpha)
        modes[:3] += np.einsum("kij,j->ki", frame.G[:3], alpha)
    out = np.zeros((3, plan.n_velocities))
    out[:, plan.velocities(b)] = body_rows(state.rotation(frame.body), p, modes)[:3]
    return side.address, out
