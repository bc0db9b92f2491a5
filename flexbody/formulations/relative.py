"""The relative description: the unknowns are the coordinates of the hinges along a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, Any, Protocol, Self

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.values import Rule

from ..core import explicit
from ..core import tree as core_tree
from ..core.structures import ExplicitState, Layout, Tree, Work
from .absolute import EVALUATION_COST, Absolute
from .state import MachineState


class TreeChoice(Protocol):
    """What a tree is told, by names, and its arrays (:class:`flexbody.core.structures.Tree`)."""

    @property
    def base(self) -> tuple[str, ...]:
        """Bodies that hang on free joints."""

    @property
    def keep(self) -> tuple[str, ...]:
        """Joints of the tree."""

    @property
    def cut(self) -> tuple[str, ...]:
        """Joints that are cut."""

    @property
    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays."""


class TreesOfMachine(Protocol):
    """Makes the trees of a machine, see :class:`flexbody.compile.trees.Trees`."""

    def told(self, base: Sequence[Any], keep: Sequence[Any], cut: Sequence[Any]) -> TreeChoice:
        """Return the tree for bodies that hang on free joints, joints of the tree and cut joints."""

    def mixed(self, relative: Sequence[Any], keep: Sequence[Any], cut: Sequence[Any]) -> TreeChoice:
        """Return the tree in which all bodies but those of ``relative`` hang on free joints."""

    def cheapest(self, keep: Sequence[Any], cut: Sequence[Any]) -> TreeChoice:
        """Return the tree along which an evaluation of the accelerations takes the least time."""


def are_named(value: Any) -> bool:
    """Return whether a value is a list of named parts or of names."""
    return isinstance(value, list | tuple) and all(isinstance(b, str) or hasattr(b, "name") for b in value)


_BODIES = Rule("a list of bodies or their names", "lists of bodies", are_named)
JOINTS = Rule("a list of joints or their names", "lists of joints", are_named)


#: As EVALUATION_COST, of the recursion along an open tree: half of 0.2 to 0.6, measured with fixed steps.
RECURSION_COST = 0.25
#: As EVALUATION_COST, of the recursion with loops: measured as half to two thirds of the global description's.
LOOPS_COST = 0.65 * EVALUATION_COST


@check_arguments
@dataclass(frozen=True)
class Relative(Absolute):
    """The relative description: coordinates of joints along a tree; Koppens 4.4.2 and 6.2, Slaats (1991), Sol (1983).

    Parameters
    ----------
    base : sequence of Body or str, optional
        Bodies that hang on free joints, as for :func:`flexbody.topology`.
    keep : sequence of Joint or str, optional
        Joints that belong to the tree, instead of the choice of the program.
    cut : sequence of Joint or str, optional
        Joints that are cut, instead of the choice of the program.

    Notes
    -----
    The unknowns are the coordinates of each joint of the tree (Euler parameters of ball and free joints) and the modal
    coordinates. Joints of the tree are closed to round-off at all times, whatever the step. A driven motion of a joint
    of the tree is no unknown; its load is a reaction like all others.

    An open tree needs no constraints. Its accelerations follow from two sweeps along the tree, Slaats (3.53) to (3.61),
    completed for flexible bodies; reactions come from the outward sweep.

    Loops are closed by cut joints, which :func:`flexbody.topology` shows: the fewest constraints close them. (In a
    machine from :func:`flexbody.cut_body` they are closed by a body that is cut.) These
    constraints, couplings and constraints of users hold the joint coordinates. Their multipliers are eliminated in the
    sweeps, each where its loop ends along the tree, so that the work of many small loops grows with their number. After
    each step, positions and velocities of the joint coordinates are projected on the loops. Where friction follows
    reactions or bodies have no mass, and in the iterations of :class:`GeneralizedAlpha`, the equations of all bodies
    are solved with the rows of all joints and loops, as in :class:`Absolute`.

    The momentum of bodies that no joint connects to the ground is kept to the tolerance of the integrator, in
    :class:`Absolute` to round-off. The common center of mass of two bodies on a ball joint, after a flight of 750 m in
    100 s, is off by 6 cm with :class:`GeneralizedAlpha` at ``rtol=1e-5``, by less than 1e-6 m with :class:`Explicit`,
    and by less than 1e-10 m in the global description. With the default integrator (``rtol=1e-6`` for rigid bodies) it
    is off by centimetres. Prefer :class:`Absolute` for what flies or floats freely, or :class:`Explicit` where nothing
    is stiff; prefer this description for chains and trees that the ground carries.

    A run that starts from a result, a state or their file goes on in their description unless ``description=`` is given
    (in all descriptions).

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(
    ...     pendulum, t_end=1.0, integrator=fb.Explicit(rtol=1e-9), description=fb.Relative(), show_progress=False
    ... )
    >>> bool(result.energy.balance_error < 1e-8)
    True
    """

    base: Annotated[Sequence[Any], _BODIES] = ()
    _: KW_ONLY
    keep: Annotated[Sequence[Any], JOINTS] = ()
    cut: Annotated[Sequence[Any], JOINTS] = ()

    def __post_init__(self) -> None:
        for what in ("base", "keep", "cut"):
            named = tuple(getattr(self, what))
            names = [getattr(one, "name", one) for one in named]
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise InputError(f"Relative: {what} names {twice!r} twice; name it once")
            object.__setattr__(self, what, named)

    def bound(self, trees: TreesOfMachine) -> BoundRelative:
        """Return this description with the tree of a machine.

        Parameters
        ----------
        trees : TreesOfMachine
            Makes trees of the machine.

        Returns
        -------
        Relative
            The description of the machine.

        Raises
        ------
        fem.InputError
            ``base``, ``keep`` or ``cut`` names what the machine does not contain, or they leave no tree.
        """
        return BoundRelative.of(trees.told(self.base, self.keep, self.cut))


@dataclass(frozen=True)
class BoundRelative(Relative):
    """The relative description of one machine, with the arrays of its tree."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, tree: TreeChoice) -> Self:
        """Return the description with a tree."""
        return cls(tree.base, keep=tree.keep, cut=tree.cut, arrays=tree.arrays)

    def unbound(self) -> Relative:
        """Return this description without the arrays of its tree."""
        return Relative(self.base, keep=self.keep, cut=self.cut)

    def new_tree(self) -> Tree:
        """Return the tree with work arrays of its own.

        Returns
        -------
        Tree
            The tree.
        """
        return Tree(**{name: value.copy() for name, value in self.arrays.items()})

    def unknowns(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> tuple[np.ndarray, ...]:
        """Return the places of the hinges, and the speeds with the modal velocities, and their rates."""
        self.place(L, W, s)
        self.move(L, W, s)
        tree.q[:] = s.q
        places, speeds = core_tree.coordinates(L, W, tree, s.t, s.c, s.q, s.all_alpha, s.v)
        modal = _modal_velocities(L)
        rates = core_tree.hinge_rates(L, W, tree, places, s.all_alpha, speeds, s.v[modal], s.vdot)
        return places, np.concatenate([speeds, s.v[modal]]), np.concatenate([rates, s.vdot[modal]])

    def speeds_of(self, L: Layout, W: Work, tree: Tree, s: MachineState, v: np.ndarray) -> np.ndarray:
        """Return the speeds with which the bodies move with velocities that keep the hinges closed."""
        self.place(L, W, s)
        places, _ = core_tree.coordinates(L, W, tree, s.t, s.c, s.q, s.all_alpha, s.v)
        speeds = core_tree.hinge_speeds(L, W, tree, places, s.all_alpha, v)
        return np.concatenate([speeds, v[_modal_velocities(L)]])

    def rows_kept_first(self) -> np.ndarray:
        """Return the rows of the hinges, which hold by themselves: rows that depend on them close loops."""
        return self.arrays["row"]

    def speed_forces(
        self, L: Layout, W: Work, tree: Tree, y: np.ndarray, rates: np.ndarray, loaded_at: float | None = None
    ) -> np.ndarray:
        """Return the forces along the speeds that cause given rates of them: inverse dynamics by one sweep.

        Parameters
        ----------
        L, W, tree : Layout, Work, Tree
            ``W`` is placed and moved at the state if loads count.
        y : numpy.ndarray
            Places, modal coordinates, speeds and modal velocities.
        rates : numpy.ndarray
            Rates of the speeds, then of the modal velocities, (n,).
        loaded_at : float, optional
            Time, s, of loads and force elements, which are left out by default.

        Returns
        -------
        numpy.ndarray
            Forces in this order, (n,).
        """
        return core_tree.forces(L, W, tree, y, rates, loaded_at)

    def holding_rows(self, W: Work) -> np.ndarray:
        """Return the independent rows that close loops."""
        closing = self.arrays["closing"]
        return closing[W.active[closing] == 1]

    def evaluation_cost(self, L: Layout) -> float:
        """Return what an evaluation of the accelerations costs: a recursion, unless all bodies are solved together."""
        if len(L.reaction_friction) or L.auxiliary_mass.any():
            return EVALUATION_COST
        return LOOPS_COST if len(self.arrays["closing"]) else RECURSION_COST

    def vector(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> np.ndarray:
        """Return positions and velocities of a state as the first part of a state vector."""
        places, speeds, _ = self.unknowns(L, W, tree, s)
        return np.concatenate([places, s.all_alpha, speeds])

    def position_sizes(self, L: Layout, tree: Tree) -> np.ndarray:
        """Return what counts as one unit of each position in a state vector: the machine's length, or one."""
        return core_tree.place_units(tree)

    def speed_sizes(self, L: Layout, tree: Tree, deformation: float) -> np.ndarray:
        """Return what counts as one unit of each speed: the machine's length, one, or ``deformation``."""
        return np.concatenate([tree.unit, np.full(int(L.alpha_at[-1]), deformation)])

    def keep_state(self, S: ExplicitState) -> None:
        """Take the bodies' motion for which :meth:`rates` was called last as that of the state."""
        explicit.keep_state(S)

    def motion(self, L: Layout, S: ExplicitState) -> tuple[np.ndarray, ...]:
        """Return c, q, alpha, v and vdot at the state of the explicit method."""
        tree, first = S.tree, int(S.tree.place_at[-1])
        alpha = S.y[first : first + int(L.alpha_at[-1])]
        return tree.kept_c, tree.kept_q, alpha, tree.kept_v, tree.kept_vdot


def _modal_velocities(L: Layout) -> np.ndarray:
    """Return the places of the modal velocities (na,) in the velocities of the bodies."""
    of_bodies = [np.arange(first + 6, end) for first, end in zip(L.v_at[:-1], L.v_at[1:], strict=True)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *of_bodies])
