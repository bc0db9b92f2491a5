"""The description that the program chooses by a short trial."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .absolute import Absolute
from .mixed import Mixed
from .relative import BoundRelative, TreesOfMachine


@dataclass(frozen=True)
class AutomaticDescription(Absolute):
    """The description that takes less work: :class:`Absolute`, :class:`Relative` or :class:`Mixed`, by a short trial.

    Notes
    -----
    :func:`simulate` runs the first fifth of the output intervals, or 400 steps of them, in both descriptions with the
    given integrator, and computes the run in the one with less work. Work is counted in iterations and evaluations with
    measured costs, so that a machine is always computed in the same description. Runs that take less than about a
    second are not tried: machines whose evaluations are a recursion are computed in the relative description with the
    explicit method, all else in the global one. ``result.statistics.why``
    contains the choice with its reason, ``result.plan.formulation`` is the description. The tree beside the global
    description is the one that :class:`Mixed` chooses: that of :class:`Relative`, unless many loops pass its joints.
    All other analyses give the same in both, and use the global one.

    References
    ----------
    W. P. Koppens, The dynamics of systems of deformable bodies, 1989, section 6.2: neither description is best for
    all machines.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(
    ...     pendulum, 0.1, integrator=fb.Explicit(), description=fb.AutomaticDescription(), show_progress=False
    ... )
    >>> isinstance(result.plan.formulation, fb.Relative)
    True
    """

    def bound(self, trees: TreesOfMachine) -> Absolute:
        """Return this description with the relative one of a machine.

        Parameters
        ----------
        trees : TreesOfMachine
            Makes trees of the machine.

        Returns
        -------
        Absolute
            The global description, which contains the relative one.
        """
        return BoundAutomatic(relative=Mixed().bound(trees))


@dataclass(frozen=True)
class BoundAutomatic(AutomaticDescription):
    """The global description of one machine, with its relative one, between which a run chooses."""

    relative: BoundRelative = field(default_factory=BoundRelative, compare=False, repr=False)

    def unbound(self) -> AutomaticDescription:
        """Return this description without the relative one of a machine."""
        return AutomaticDescription()

    def rows_kept_first(self) -> np.ndarray:
        """Return the rows that the relative description keeps; the global one has no preference."""
        return self.relative.rows_kept_first()
