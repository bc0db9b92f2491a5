"""Linear statics: displacements under supports and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..common.errors import InputError, listing
from ..model.free_body_flexibility import Flexibility, HeldFlexibility, flexibility_of
from ..model.group import Group
from ..model.interface import interface
from ..model.loads import Load, motion_loads
from ..model.structure import Structure
from ..model.supports import Held, Supports, held_by
from .recovery import Stress, strain, stress


@dataclass(frozen=True, eq=False)
class Static:
    """A static solution: ``u`` (unknowns,) and the loads, given and summed on all motions (motions,).

    ``relief`` (6,): acceleration in m/s^2 and rad/s^2 about the mass centre of a free body under unbalanced loads.
    """

    structure: Structure
    u: np.ndarray
    loads: np.ndarray  # (motions,)
    held: Held | None = field(repr=False)
    solver: str = ""
    given: tuple[Load, ...] = ()
    relief: np.ndarray | None = None

    def __repr__(self) -> str:
        """Return what holds the structure and the largest displacement, on two lines."""
        if self.held is not None:
            how = (
                f"held at {listing(self.held.sets, 4)}" if self.held.sets else "held by springs to the ground"
            )
        else:
            a = np.zeros(6) if self.relief is None else self.relief
            how = (
                f"free body, inertia relief: accelerated by {np.linalg.norm(a[:3]):.4g} m/s^2 and "
                f"{np.linalg.norm(a[3:]):.4g} rad/s^2"
            )
        size = np.linalg.norm(self.displacement, axis=1)
        node = int(size.argmax())
        place = ", ".join(f"{x:.4g}" for x in self.structure.mesh.points[node])
        return (
            f"<Static of {self.structure.mesh.name!r}, {how}\n"
            f"  largest displacement {size[node]:.4g} m, of node {node} at ({place}) m>"
        )

    @cached_property
    def displacement(self) -> np.ndarray:
        """Displacements of the nodes (n, 3) in m."""
        return self.structure.displacements(self.u)

    @cached_property
    def rotation(self) -> np.ndarray:
        """Rotations of the nodes (n, 3) in rad, zero where they have none."""
        return self.structure.rotations(self.u)

    @cached_property
    def strain_energy(self) -> float:
        """Strain energy in J, 1/2 u' K u."""
        return float(0.5 * self.u @ self.structure.elastic_forces(self.u))

    @cached_property
    def stress(self) -> Stress:
        """Stresses and section forces; see :func:`fem.stress`."""
        if self.relief is None:
            return stress(self.structure, self.u, self.given)
        linear, angular = self.relief[:3], self.relief[3:]
        center = self.structure.center
        return stress(self.structure, self.u, self.given, lambda x: linear + np.cross(angular, x - center))

    @cached_property
    def strain(self) -> tuple[tuple[Group, np.ndarray], ...]:
        """Strains group by group; see :func:`fem.strain`."""
        return strain(self.structure, self.u)

    def at(self, name: str) -> np.ndarray:
        """Return the mean motion (6,) of a node set: displacement in m at its point, rotation in rad."""
        return interface(self.structure, name).T @ self.u

    def reaction(self, name: str, about=None) -> tuple[np.ndarray, np.ndarray]:
        """Return the force (3,) in N and the moment (3,) in N m with which a support holds the structure.

        The moment is about the point ``about`` (m), by default the mean of the set's nodes. Where supports share
        nodes, the first in the order given has the reaction of each unknown that both hold, so that the reactions
        of all supports about one point add up to minus the loads.
        """
        if self.held is None or name not in self.held.sets:
            known = [] if self.held is None else list(self.held.sets)
            raise InputError(
                f"{name!r} is no support of this solution; there are {', '.join(known) or 'none'}"
            )
        structure = self.structure
        load = self.loads if structure.freedoms.L is None else structure.freedoms.L.T @ self.loads
        residual = structure.elastic_forces(self.u) - load
        sets = list(self.held.sets)
        before = [self.held.sets[other] for other in sets[: sets.index(name)]]
        mine = np.setdiff1d(self.held.sets[name], np.concatenate([np.zeros(0, np.int64), *before]))
        point = structure.mesh.points[structure.mesh.nodes_of(name)].mean(axis=0) if about is None else about
        wrench = structure.rigid_modes(point)[mine].T @ residual[mine]
        return wrench[:3], wrench[3:]


def static(
    structure: Structure,
    supports: Supports = (),
    loads: Load | Sequence[Load] = (),
    *,
    solver: str | None = None,
) -> Static:
    """Solve K u = f under supports and loads.

    ``supports``: node sets held in all directions, or {name: components, or {component: value}}, see
    :func:`fem.model.supports.held_by`; none: the free body under loads that its own rigid acceleration balances
    (inertia relief; u has no mean motion). ``solver`` as in :func:`factorise`. InputError for supports that leave a
    rigid motion and for loads that are not finite.
    """
    given = tuple(loads) if isinstance(loads, Sequence) else (loads,)
    on_motions = motion_loads(structure, given)
    if not np.isfinite(on_motions).all():
        _refuse_not_finite(structure, given)
    L = structure.freedoms.L
    f = on_motions if L is None else np.asarray(L.T @ on_motions)
    if not supports and not structure.grounding.any():
        free = Flexibility(structure, solver) if solver else flexibility_of(structure)
        relief = free.rigid.acceleration(f)
        return Static(structure, free.relieved(f), on_motions, None, free.factor.name, given, relief)
    held = held_by(structure, supports)
    u = np.zeros(structure.n)
    u[held.held] = held.values
    if not len(held.free):
        return Static(structure, u, on_motions, held, given=given)
    body = HeldFlexibility(structure, held.held, solver)
    u = u + body.solve(f - structure.K @ u)
    return Static(structure, u, on_motions, held, body.factor.name, given)


def _refuse_not_finite(structure: Structure, loads: Sequence[Load]) -> None:
    for load in loads:
        values = load.on_motions(structure)
        wrong = int((~np.isfinite(values)).sum())
        if wrong:
            words = repr(load)
            raise InputError(
                f"the load {words if len(words) < 200 else words[:200] + '...'} gives {wrong} forces that are not "
                "finite; look for nan or inf in its numbers"
            )
    raise InputError("the loads are too large: their sum is not finite")
