"""The mixed description: subsystems in coordinates of joints, inside a machine in global coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any

from fem.common.arguments import check_arguments
from fem.common.values import Rule

from .absolute import Absolute
from .relative import JOINTS, BoundRelative, TreesOfMachine, are_named


def _are_named_or_none(value: Any) -> bool:
    return value is None or are_named(value)


@check_arguments
@dataclass(frozen=True)
class Mixed(Absolute):
    """Subsystems in the relative description inside a machine in the global one; Koppens 6.2.

    Parameters
    ----------
    relative : sequence of Body or str, optional
        Bodies of the subsystems, whose coordinates are those of the joints that carry them; all other bodies have
        global coordinates. By default the program chooses the cheapest division.
    keep, cut : sequence of Joint or str, optional
        Joints that are coordinates, and joints that are closed by constraints, as for :class:`Relative`.

    Notes
    -----
    A body with global coordinates hangs on a free joint in the tree of :class:`Relative`, and its joints are
    constraints. So the mixed description is a tree, and ``result.plan.formulation`` is the relative description with
    these bodies in ``base`` and these joints in ``cut``. With all bodies in ``relative`` it is :class:`Relative`, with
    none it has the equations of :class:`Absolute`.

    Open branches are always cheaper in the relative description. In loops it has fewer unknowns; but where the
    constraints of many loops pass the same joints, the work grows with the square of their number. The program then
    counts the work of trees in which bodies hang on free joints, or joints are cut, where more than some number of
    constraints pass, and takes the one with the least. ``tests/benchmarks/relative_speed.py mixed`` compares the
    descriptions.

    References
    ----------
    W. P. Koppens, The dynamics of systems of deformable bodies, 1989, section 6.2; E. J. Haug, M. K. McCullough, A
    variational-vector calculus approach to machine dynamics, Journal of Mechanisms, Transmissions, and Automation in
    Design 108 (1986) 25.

    Examples
    --------
    >>> import flexbody as fb
    >>> cart = fb.RigidBody("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> rail = fb.Prismatic("rail", fb.GROUND, cart, point=(0, 0, 0), axis="x")
    >>> hinge = fb.Revolute("hinge", cart, bar, point=(0, 0, 0), axis="y")
    >>> machine = fb.System([cart, bar], [rail, hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, 0.1, description=fb.Mixed(relative=["bar"]), show_progress=False)
    >>> result.plan.formulation.base
    ('cart',)
    """

    relative: Annotated[
        Sequence[Any] | None, Rule("a list of bodies or their names", "lists of bodies", _are_named_or_none)
    ] = None
    _: KW_ONLY
    keep: Annotated[Sequence[Any], JOINTS] = ()
    cut: Annotated[Sequence[Any], JOINTS] = ()

    def bound(self, trees: TreesOfMachine) -> BoundRelative:
        """Return the relative description with the tree of a machine.

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
            ``relative``, ``keep`` or ``cut`` names what the machine does not contain, or they leave no tree.
        """
        if self.relative is None:
            return BoundRelative.of(trees.cheapest(self.keep, self.cut))
        return BoundRelative.of(trees.mixed(self.relative, self.keep, self.cut))
