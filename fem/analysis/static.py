"""Linear statics: displacements under supports and loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, listing
from ..common.known_attributes import KnownAttributes
from ..common.names import with_match
from ..model.free_body_flexibility import Flexibility, HeldFlexibility, flexibility_of
from ..model.group import Group
from ..model.interface import interface
from ..model.loads import Load, load_list, motion_loads
from ..model.structure import Structure
from ..model.supports import Held, Supports, held_by
from ..solvers.libraries import Solver
from .recovery import Stress, strain, stress


@dataclass(frozen=True, eq=False)
class Static(KnownAttributes):
    """A static solution, the result of :func:`static`.

    Attributes
    ----------
    structure : Structure
        The structure.
    u : array (unknowns,), m and rad
        Displacements.
    loads : array (motions,), N and N m
        Sum of the given loads on all degrees of freedom of the nodes, before connections are eliminated.
    held : Held, optional
        The supports; None for a free body.
    solver : str
        Name of the solver.
    given : tuple of loads
        The loads as given.
    relief : array (6,), m/s^2 and rad/s^2, optional
        Acceleration about the mass centre of a free body under unbalanced loads.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> pulled = fem.static(bar, "x0", fem.Force("x1", (1000.0, 0.0, 0.0)))
    >>> force, moment = pulled.reaction("x0")
    >>> round(float(force[0]), 6)
    -1000.0
    >>> round(pulled.strain_energy, 6)  # F^2 l / 2 E A = 2.38e-4 J, less by the clamped end
    0.000236
    """

    structure: Structure
    u: np.ndarray
    loads: np.ndarray  # (motions,)
    held: Held | None = field(repr=False)
    solver: str = ""
    given: tuple[Load, ...] = ()
    relief: np.ndarray | None = None

    def __repr__(self) -> str:
        """Return the supports and the largest displacement, on two lines."""
        if self.held is not None:
            how = f"fixed at {listing(self.held.sets, 4)}" if self.held.sets else "on springs to the ground"
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
        """Displacements (n, 3) of the nodes in m."""
        return self.structure.displacements(self.u)

    @cached_property
    def rotation(self) -> np.ndarray:
        """Rotations (n, 3) of the nodes in rad, zero for nodes without rotations."""
        return self.structure.rotations(self.u)

    @cached_property
    def strain_energy(self) -> float:
        """Strain energy in J, u' K u / 2."""
        return float(0.5 * self.u @ self.structure.elastic_forces(self.u))

    @cached_property
    def stress(self) -> Stress:
        """Stresses and section forces, see :func:`fem.stress`."""
        if self.relief is None:
            return stress(self.structure, self.u, self.given)
        linear, angular = self.relief[:3], self.relief[3:]
        center = self.structure.center
        return stress(
            self.structure, self.u, self.given, acceleration=lambda x: linear + np.cross(angular, x - center)
        )

    @cached_property
    def strain(self) -> tuple[tuple[Group, np.ndarray], ...]:
        """Strains of each group of elements, see :func:`fem.strain`."""
        return strain(self.structure, self.u)

    @check_arguments
    def at(self, name: str) -> np.ndarray:
        """Return the mean motion of a node set.

        Parameters
        ----------
        name : str
            Name of the node set.

        Returns
        -------
        array (6,)
            Displacement in m at the set's point, and rotation in rad; see :func:`fem.interface`.

        Raises
        ------
        MeshError
            There is no such set.
        """
        return interface(self.structure, name).T @ self.u

    @check_arguments
    def reaction(self, name: str, about=None) -> tuple[np.ndarray, np.ndarray]:
        """Return the force and the moment that a support exerts on the structure.

        Parameters
        ----------
        name : str
            Name of a supported node set.
        about : array (3,), m, optional
            Point of reference of the moment; by default the mean of the set's nodes.

        Returns
        -------
        force : array (3,), N
            Resultant force.
        moment : array (3,), N m
            Resultant moment about the point.

        Raises
        ------
        InputError
            The set is not a support of this solution.

        Notes
        -----
        Where supports share nodes, the first in the order given has the reaction of each unknown that both hold, so
        that the reactions of all supports about one point add up to minus the loads.
        """
        if self.held is None or name not in self.held.sets:
            known = [] if self.held is None else list(self.held.sets)
            raise InputError(
                f"{with_match(name, known)} "
                f"is not a support of this solution; its supports are {', '.join(known) or 'none'}"
            )
        structure = self.structure
        residual = structure.elastic_forces(self.u) - structure.freedoms.onto_unknowns(self.loads)
        sets = list(self.held.sets)
        before = [self.held.sets[other] for other in sets[: sets.index(name)]]
        mine = np.setdiff1d(self.held.sets[name], np.concatenate([np.zeros(0, np.int64), *before]))
        point = structure.mesh.points[structure.mesh.nodes_of(name)].mean(axis=0) if about is None else about
        wrench = structure.rigid_modes(point)[mine].T @ residual[mine]
        return wrench[:3], wrench[3:]


@check_arguments
def static(
    structure: Structure,
    supports: Supports = (),
    loads: Load | Sequence[Load] = (),
    *,
    solver: Solver | None = None,
) -> Static:
    """Solve K u = f under supports and loads.

    Parameters
    ----------
    structure : Structure
        The structure.
    supports : str, sequence or mapping
        Node sets that are held in all components; or {name: components} with "x", "y", "z", "rx", "ry", "rz" or
        "all"; or {name: {component: value in m or rad}}. Without supports the body is free, and its rigid
        acceleration balances the loads (inertia relief; u then has no mean motion).
    loads : load or sequence of loads
        :class:`Force`, :class:`Bearing`, :class:`Pressure`, :class:`Traction`, :class:`LineLoad`, :class:`EdgeLoad`,
        :class:`Gravity`, :class:`Centrifugal`.
    solver : Pardiso, Cholmod, Mumps or SuperLU, optional
        As in :func:`factorise`.

    Returns
    -------
    Static
        Displacements, reactions and stresses.

    Raises
    ------
    InputError
        The supports leave a rigid motion or contradict each other, or the loads are not finite.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> found = fem.static(bar, "x0", fem.Force("x1", (0.0, 0.0, 1000.0)))
    >>> round(float(found.at("x1")[2]), 6)  # F l^3 / 3 E I = 1.905e-4 m; four elements are too stiff
    0.000183
    >>> float(found.reaction("x0")[0][2].round(3))
    -1000.0
    """
    given = tuple(load_list(loads))
    on_motions = motion_loads(structure, given)
    if not np.isfinite(on_motions).all():
        _refuse_not_finite(structure, given)
    f = structure.freedoms.onto_unknowns(on_motions)
    if not len(supports) and not structure.grounding.any():
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
