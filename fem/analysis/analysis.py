"""Analyses of a structure: linear statics, free vibration, linear buckling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..common.errors import InputError, listing
from ..model.free_body_flexibility import Flexibility, HeldFlexibility, flexibility_of
from ..model.interface import interface
from ..model.loads import Load, motion_loads
from ..model.structure import Group, Structure
from ..model.supports import Held, Supports, held_by
from .eigen import lowest_modes
from .geometric_stiffness import geometric_stiffness
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


@dataclass(frozen=True, eq=False)
class Modes:
    """Natural modes: ``frequencies_hz`` (n,), mass-orthonormal ``shapes`` (unknowns, n).

    The largest displacement of each is positive (the largest rotation of a mode that only turns its nodes).
    """

    structure: Structure
    frequencies_hz: np.ndarray
    shapes: np.ndarray

    def __repr__(self) -> str:
        """Return the frequencies, on a line."""
        return f"<Modes of {self.structure.mesh.name!r}: {_few(self.frequencies_hz)} Hz>"

    @cached_property
    def displacements(self) -> np.ndarray:
        """Displacements of the nodes (nodes, 3, n)."""
        return self.structure.displacements(self.shapes)


@dataclass(frozen=True, eq=False)
class Buckling:
    """Buckling: the loads times ``factors`` (n,) are critical; ``shapes`` (unknowns, n), largest displacement 1.

    Of a mode that only turns its nodes, the largest rotation is 1.
    """

    structure: Structure
    factors: np.ndarray
    shapes: np.ndarray
    static: Static

    def __repr__(self) -> str:
        """Return the load factors, on a line."""
        return f"<Buckling of {self.structure.mesh.name!r}: {_few(self.factors)} times the loads>"

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


def vibration(structure: Structure, n: int, supports: Supports = (), *, solver: str | None = None) -> Modes:
    """Return the ``n`` lowest natural modes K phi = omega^2 M phi.

    ``supports`` as in :func:`static` (values must be zero); none: the free body without its six rigid modes.
    """
    if not supports and not structure.grounding.any():
        check_number(n, structure, 6, least=1)
        free = Flexibility(structure, solver) if solver else flexibility_of(structure)
        squares, shapes = _lowest(structure, n, inverse=free.relieved, what="the free body")
    else:
        held = held_by(structure, supports)
        check_number(n, structure, held.held, least=1)
        if held.values.any():
            raise InputError(
                "vibration is about a state at rest; give prescribed displacements to fem.static"
            )
        body = HeldFlexibility(structure, held.held, solver)
        what = f"the structure held at {', '.join(held.sets) or 'springs to the ground'}"
        squares, shapes = _lowest(structure, n, inverse=body.solve, unloaded=body.unloaded, what=what)
    shapes = shapes * np.sign(_largest(structure, shapes))
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
    those out. Prescribed displacements count as loads.

    InputError for no supports, nothing that stresses the structure, and more factors than there are: as many at
    most as there are unknowns that the stresses stiffen or soften.
    """
    if not supports and not structure.grounding.any():
        raise InputError(
            "buckling is about a structure that is held; name the node sets that hold it in supports=, as for "
            "fem.static"
        )
    solution = static(structure, supports, loads, solver=solver)
    assert solution.held is not None
    held = solution.held
    _refuse_count(n, 1, len(held.free), "load factors of buckling", "unknowns that are free")
    if not solution.u.any():
        what = "the loads act on held unknowns only" if solution.loads.any() else "there are no loads"
        raise InputError(
            f"nothing can buckle: {what}; give fem.Force or another load that stresses the structure, of any size: "
            "the factor of it is what is sought"
        )
    K_G = geometric_stiffness(structure, solution.u, solution.given)
    body = HeldFlexibility(structure, held.held, solver)
    factors, shapes = lowest_modes(
        structure.K,
        lambda x: np.asarray(-(K_G @ x)),
        n,
        inverse=body.solve,
        unloaded=body.unloaded,
        forces=structure.elastic_forces,
        what="buckling",
        indefinite=True,
        positive=positive,
    )
    return Buckling(structure, factors, shapes / _largest(structure, shapes), solution)


def check_number(n: int, structure: Structure, conditions: int | np.ndarray, least: int = 0) -> None:
    """Refuse a number of modes that is not one, or more than there are unknowns with mass that conditions leave.

    ``conditions``: the unknowns that are held, or how many conditions there are.
    """
    cloud = structure.cloud
    carries = np.repeat(cloud.mass.diagonal(), 3) if cloud.shape is None else structure.M.diagonal()
    massive = carries > 0
    if isinstance(conditions, np.ndarray):
        massive[conditions] = False
        limit = int(massive.sum())
    else:
        limit = min(int(massive.sum()), structure.n - int(conditions))
    _refuse_count(n, least, limit, "eigenmodes", "unknowns that are free and carry mass")


def _refuse_count(n: int, least: int, limit: int, what: str, of: str) -> None:
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise InputError(
            f"can't compute {n!r} {what}: their number is a whole number, such as {max(least, 1)}"
        )
    if limit < max(least, n):
        raise InputError(f"can't compute {n} {what}: there are {max(limit, 0)} {of}")
    if n < least:
        raise InputError(f"can't compute {n} {what}: ask for {least} to {limit}")


def _largest(structure: Structure, shapes: np.ndarray) -> np.ndarray:
    """Return the largest displacements (k,) of shapes (unknowns, k), with sign; else the largest rotations.

    A node that is displaced by less than 1e-9 of the rotations times the structure's size stays where it is.
    """
    moved = structure.displacements(shapes).reshape(-1, shapes.shape[1])
    turned = structure.rotations(shapes).reshape(-1, shapes.shape[1])
    size = np.linalg.norm(np.ptp(structure.mesh.points, axis=0))
    columns = np.arange(shapes.shape[1])
    displacement = moved[np.abs(moved).argmax(axis=0), columns]
    rotation = turned[np.abs(turned).argmax(axis=0), columns]
    return np.where(np.abs(displacement) > 1e-9 * size * np.abs(rotation), displacement, rotation)


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


def _few(values: np.ndarray, limit: int = 8) -> str:
    """Return the first of the values as text."""
    more = f", ... ({len(values)})" if len(values) > limit else ""
    return ", ".join(f"{value:.4g}" for value in values[:limit]) + more


def _lowest(structure: Structure, n: int, **conditions) -> tuple[np.ndarray, np.ndarray]:
    return lowest_modes(
        structure.K, structure.inertia_forces, n, forces=structure.elastic_forces, **conditions
    )
