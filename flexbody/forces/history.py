"""What a force element did in a run: forces, deformations, states, energies over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fem.common.errors import InputError, listing
from fem.common.jit import jit

from ..kernels.arrays import GIVEN, LINEAR, RUB
from ..kernels.element import evaluate_laws
from ..kernels.element_memory import element_direction, element_power, element_x, element_z
from ..kernels.equations import move, place
from ..kernels.force import spring_energy, spring_force
from ..kernels.packed import rub_records, rubs, turns_of
from ..kernels.rubbing import NUMBER, SIZE, press
from .elements import SpringDamper
from .joint import JointForce

if TYPE_CHECKING:
    from ..result import Result


#: of the six deformations between two frames
COMPONENTS = ("x", "y", "z", "about x", "about y", "about z")


@dataclass(frozen=True, eq=False, repr=False)
class ElementHistory:
    """A force element over time, (nt,), or (nt, 6) between two frames; SI units.

    force : against a growing deformation. deformation, rate : see the element's geometry. state : (nt, n) of its law.
    stored : energy, J. dissipated, input : powers, W. first, second : loads of the element on both bodies at its
    ends, force and moment in inertial components (nt, 6). t : s, (nt,). Friction that follows a reaction has its normal
    force as ``state``, "normal" (of an angle times its radius, Nm).

    Each of these, and each state, also by its name, ``history["pressure"]``; :attr:`units` holds all names.
    """

    force: np.ndarray
    deformation: np.ndarray
    rate: np.ndarray
    state: np.ndarray
    stored: np.ndarray
    dissipated: np.ndarray
    input: np.ndarray
    first: np.ndarray
    second: np.ndarray
    t: np.ndarray
    name: str
    turns: bool = False
    states: tuple[tuple[str, str], ...] = ()  # name and unit of each

    def __repr__(self) -> str:
        return f"<{self.name}: {len(self.t)} times of {', '.join(self.units)}>"

    @property
    def units(self) -> dict[str, str]:
        """Units by name: force, deformation, rate, the law's states, stored, dissipated, input.

        Of an element between two frames the first three have two units: along and about its axes.
        """
        six = self.force.ndim == 2
        force, length = ("N, N m", "m, rad") if six else ("N m", "rad") if self.turns else ("N", "m")
        rate = "m/s, rad/s" if six else f"{length}/s"
        of_states = dict(self.states)
        return {"force": force, "deformation": length, "rate": rate, **of_states, "stored": "J"} | {
            "dissipated": "W",
            "input": "W",
        }

    def __getitem__(self, what: str) -> np.ndarray:
        names = [name for name, _ in self.states]
        if what in names:
            return self.state[:, names.index(what)]
        if what not in self.units:
            raise InputError(f"'{self.name}' has no {what!r}; it has {listing(self.units)}")
        return getattr(self, what)


def histories(result: Result) -> dict[str, ElementHistory]:
    """Return the histories of all springs and force elements of a run by name."""
    plan = result.plan
    L, W, nt = plan.layout, plan.work(), len(result.t)
    ns, nx, ne = len(L.spring_frame), int(plan.elements.at[-1]), len(plan.elements.elements)
    x, g = np.empty((nt, 3, ns + nx)), np.empty((nt, ns + nx, 4, 3))
    power, normal = np.zeros((nt, ns + ne, 3)), np.zeros((nt, rubs(W.more)))
    W.element[0] = GIVEN
    turns = turns_of(W.more)
    for k, t in enumerate(result.t):
        turns[:, 0] = result.counted[k]
        place(L, W, t, result.c[k], result.q[k], result.all_alpha[k])
        move(L, W, result.all_alpha[k], result.v[k])
        element_z(W.element)[0] = result.states[k] if result.states.size else 0.0
        evaluate_laws(L, W, t)
        press(L, W, result.multipliers[k])
        normal[k] = rub_records(W.more)[:, SIZE]
        _springs(L, W, t, x[k, :, :ns], power[k, :ns])
        x[k, :, ns:], power[k, ns:] = element_x(W.element), element_power(W.element)
        first = len(L.row_kind)
        g[k, :ns], g[k, ns:] = W.direction[first : first + ns], element_direction(W.element)
    out, springs = {}, [f for f in result.system.forces if isinstance(f, SpringDamper | JointForce)]
    none = np.zeros((nt, 0))
    for s, spring in enumerate(springs):
        angle = isinstance(spring, JointForce) and spring.joint.coordinates[spring.coordinate].turns
        z, states = none, ()
        if L.spring_frame[s, 2] == RUB:
            z, states = normal[:, [L.spring_frame[s, NUMBER]]], (("normal", "N m" if angle else "N"),)
        about = (result.t, spring.name, angle, states)
        out[spring.name] = _history(x, g, power[:, s], slice(s, s + 1), z, *about)
    for e, element in enumerate(plan.elements.elements):
        part = plan.elements.deformations(e)
        z = result.states[:, plan.elements.states(e)] if result.states.size else none
        angle = (
            element.coordinate is not None and element.coordinate[0].coordinates[element.coordinate[1]].turns
        )
        about = (result.t, element.name, angle, tuple(plan.elements.laws[e].state_names(angle)))
        out[element.name] = _history(
            x, g, power[:, ns + e], slice(ns + part.start, ns + part.stop), z, *about
        )
    return out


@jit
def _springs(L, W, t, x, power):
    """Fill deformation, rate and force of springs, and their energy and powers."""
    for s in range(L.spring_frame.shape[0]):
        free = L.spring_value[s, 2] if L.spring_frame[s, 2] == LINEAR else 0.0
        force, dissipated, given = spring_force(L, W, s, t)
        x[0, s], x[1, s], x[2, s] = W.spring_length[s, 0] - free, W.spring_length[s, 1], force
        power[s, 0], power[s, 1], power[s, 2] = spring_energy(L, W, s), dissipated, given


def _history(x, g, power, part: slice, z: np.ndarray, *about) -> ElementHistory:
    deformation, rate, force = x[:, 0, part], x[:, 1, part], x[:, 2, part]
    # loads on the bodies: against the growth of the deformations
    loads = -np.einsum("tk,tksl->tsl", force, g[:, part])
    if force.shape[1] == 1:
        force, deformation, rate = force[:, 0], deformation[:, 0], rate[:, 0]
    first, second = loads[:, :2].reshape(-1, 6), loads[:, 2:].reshape(-1, 6)
    powers = (power[:, 0], power[:, 1], power[:, 2])
    return ElementHistory(force, deformation, rate, z, *powers, first, second, *about)
