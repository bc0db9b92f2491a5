"""The relative description: the unknowns are the coordinates of the hinges along a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.values import Rule

from ..core import explicit
from ..core import tree as core_tree
from ..core.structures import ExplicitState, Layout, Tree, Work
from .absolute import Absolute
from .state import MachineState


def _are_bodies(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(b, str) or hasattr(b, "name") for b in value)


_BODIES = Rule("a list of bodies or their names", "lists of bodies", _are_bodies)


@check_arguments
@dataclass(frozen=True)
class Relative(Absolute):
    """The relative description: coordinates of joints along a tree, and no constraints; Koppens 4.4.2, Slaats (1991).

    Parameters
    ----------
    base : sequence of Body or str, optional
        Bodies that hang on free joints, as for :func:`flexbody.topology`.

    Notes
    -----
    The unknowns are the coordinates of each joint (Euler parameters of ball and free joints) and the modal
    coordinates. Accelerations follow from two sweeps along the tree, Slaats (3.53) to (3.61), completed for flexible
    bodies. Joints are closed to round-off at all times, whatever the step. Reactions come from the outward sweep.

    It takes open trees, drives of the joints' motions included, and the integrator :class:`flexbody.Explicit`. Driven
    motions are no unknowns; their loads are reactions like all others. Everything else is refused by name;
    :class:`Absolute` takes it.

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

    implicit: ClassVar[bool] = False

    def bound(self, arrays: Callable[[Sequence[Any]], dict[str, np.ndarray]]) -> Relative:
        """Return this description with the tree of a machine.

        Parameters
        ----------
        arrays : callable
            Returns the arrays of the tree (:class:`flexbody.core.structures.Tree`) for the bodies of ``base``.

        Returns
        -------
        Relative
            The description of the machine.

        Raises
        ------
        fem.InputError
            The machine is not an open tree, or has connections that this description can't take.
        """
        return _Bound(self.base, arrays=arrays(self.base))


@dataclass(frozen=True)
class _Bound(Relative):
    """The relative description of one machine, with the arrays of its tree."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict, compare=False, repr=False)

    def new_tree(self) -> Tree:
        """Return the tree with work arrays of its own.

        Returns
        -------
        Tree
            The tree.
        """
        return Tree(**{name: value.copy() for name, value in self.arrays.items()})

    def vector(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> np.ndarray:
        """Return positions and velocities of a state as the first part of a state vector."""
        self.place(L, W, s)
        self.move(L, W, s)
        tree.q[:] = s.q
        places, speeds = core_tree.coordinates(L, W, tree, s.c, s.q, s.v)
        rates = [s.v[L.v_at[b] + 6 : L.v_at[b + 1]] for b in range(len(L.body_mass))]
        return np.concatenate([places, s.all_alpha, speeds, *rates])

    def position_sizes(self, L: Layout, tree: Tree) -> np.ndarray:
        """Return what counts as one unit of each position in a state vector: the machine's length, or one."""
        return np.where(core_tree.place_is_length(tree), L.length, 1.0)

    def keep(self, S: ExplicitState) -> None:
        """Take the bodies' motion for which :meth:`rates` was called last as that of the state."""
        explicit.keep_state(S)

    def motion(self, L: Layout, S: ExplicitState) -> tuple[np.ndarray, ...]:
        """Return c, q, alpha, v and vdot at the state of the explicit method."""
        tree, first = S.tree, int(S.tree.place_at[-1])
        alpha = S.y[first : first + int(L.alpha_at[-1])]
        return tree.kept_c, tree.kept_q, alpha, tree.kept_v, tree.kept_vdot
