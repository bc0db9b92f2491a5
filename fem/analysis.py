"""Analyses of a structure: linear statics, free vibration, linear buckling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .common.errors import InputError
from .eigen import lowest_modes
from .flexibility import Flexibility, HeldFlexibility
from .interface import interface
from .loads import Load, motion_loads
from .recovery import Stress, strain, stress
from .structure import Group, Structure
from .supports import Held, Supports, held_by
from .tangent import geometric_stiffness


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
        return float(0.5 * self.u @ (self.structure.K @ self.u))

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

        The moment is about the point ``about`` (m), by default the mean of the set's nodes.
        """
        if self.held is None or name not in self.held.sets:
            known = [] if self.held is None else list(self.held.sets)
            raise InputError(
                f"{name!r} is no support of this solution; there are {', '.join(known) or 'none'}"
            )
        structure = self.structure
        load = self.loads if structure.freedoms.L is None else structure.freedoms.L.T @ self.loads
        residual = structure.K @ self.u - load
        mine = self.held.sets[name]
        point = structure.mesh.points[structure.mesh.nodes_of(name)].mean(axis=0) if about is None else about
        wrench = structure.rigid_modes(point)[mine].T @ residual[mine]
        return wrench[:3], wrench[3:]


@dataclass(frozen=True, eq=False)
class Modes:
    """Natural modes: ``frequencies_hz`` (n,), mass-orthonormal ``shapes`` (unknowns, n)."""

    structure: Structure
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements of the nodes (nodes, 3, n)."""
        return self.structure.displacements(self.shapes)


@dataclass(frozen=True, eq=False)
class Buckling:
    """Buckling: the loads times ``factors`` (n,) are critical; ``shapes`` (unknowns, n), largest component 1."""

    structure: Structure
    factors: np.ndarray
    shapes: np.ndarray
    static: Static

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements of the nodes (nodes, 3, n)."""
        return self.structure.displacements(self.shapes)


def static(
    structure: Structure,
    supports: Supports = (),
    loads: Load | Sequence[Load] = (),
    *,
    solver: str | None = None,
) -> Static:
    """Solve K u = f under supports and loads.

    ``supports``: node sets held in all directions, or {name: components, or {component: value}}, see
    :func:`fem.supports.held_by`; none: the free body under loads that its own rigid acceleration balances (inertia
    relief; u has no mean motion). ``solver`` as in :func:`factorise`.
    """
    given = tuple(loads) if isinstance(loads, Sequence) else (loads,)
    on_motions = motion_loads(structure, given)
    L = structure.freedoms.L
    f = on_motions if L is None else np.asarray(L.T @ on_motions)
    if not supports:
        free = Flexibility(structure, solver)
        relief = free.rigid.acceleration(f)
        return Static(structure, free.relieved(f), on_motions, None, free.factor.name, given, relief)
    held = held_by(structure, supports)
    u = np.zeros(structure.n)
    u[held.held] = held.values
    body = HeldFlexibility(structure, held.held, solver)
    u = u + body.solve(f - structure.K @ u)
    return Static(structure, u, on_motions, held, body.factor.name, given)


def vibration(structure: Structure, n: int, supports: Supports = (), *, solver: str | None = None) -> Modes:
    """Return the ``n`` lowest natural modes K phi = omega^2 M phi.

    ``supports`` as in :func:`static` (values must be zero); none: the free body without its six rigid modes.
    """
    if not supports:
        check_number(n, structure, 6, least=1)
        free = Flexibility(structure, solver)
        squares, shapes = _lowest(structure, n, inverse=free.relieved, what="the free body")
    else:
        held = held_by(structure, supports)
        check_number(n, structure, len(held.held), least=1)
        if held.values.any():
            raise InputError(
                "vibration is about a state at rest; give prescribed displacements to fem.static"
            )
        body = HeldFlexibility(structure, held.held, solver)
        what = f"the structure held at {', '.join(held.sets)}"
        squares, shapes = _lowest(structure, n, inverse=body.solve, unloaded=body.unloaded, what=what)
    return Modes(structure, np.sqrt(squares) / (2 * np.pi), shapes)


def buckling(
    structure: Structure,
    supports: Supports,
    loads: Load | Sequence[Load],
    n: int = 1,
    *,
    positive: bool = False,
    solver: str | None = None,
) -> Buckling:
    """Return the ``n`` lowest load factors lambda at which (K + lambda K_G) phi = 0, smallest magnitude first.

    K_G belongs to the linear stresses of ``loads``, which keep their direction (moments on rotations are
    semitangential). A negative factor means that the reversed loads buckle the structure; ``positive=True`` leaves
    those out.
    """
    solution = static(structure, supports, loads, solver=solver)
    assert solution.held is not None
    held = solution.held
    K_G = geometric_stiffness(structure, solution.u, solution.given)
    body = HeldFlexibility(structure, held.held, solver)
    factors, shapes = lowest_modes(
        structure.K,
        lambda x: np.asarray(-(K_G @ x)),
        n,
        inverse=body.solve,
        unloaded=body.unloaded,
        what="buckling",
        indefinite=True,
        positive=positive,
    )
    return Buckling(structure, factors, shapes / np.abs(shapes).max(axis=0), solution)


def check_number(n: int, structure: Structure, conditions: int, least: int = 0) -> None:
    """Refuse a number of modes that is not one, or more than a third of the dofs that are left."""
    limit = max((structure.K.shape[0] - conditions) // 3, 0)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not least <= n <= limit:
        raise InputError(
            f"can't compute {n} eigenmodes: of this structure with {structure.K.shape[0]} degrees of freedom "
            f"{least} to {limit} can be asked for (a third of those that are free)"
        )


def _lowest(structure: Structure, n: int, **conditions) -> tuple[np.ndarray, np.ndarray]:
    return lowest_modes(structure.K, structure.inertia_forces, n, **conditions)
