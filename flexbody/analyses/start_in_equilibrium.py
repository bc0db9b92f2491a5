"""A start of a run in equilibrium."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments

from ..compile.plan import Plan
from ..formulations.state import MachineState
from .equilibrium import equilibrium
from .starts import StartRule, continued


@check_arguments
@dataclass(frozen=True, eq=False)
class Equilibrium(StartRule):
    """Start in equilibrium under the loads, at rest or in steady rotation; see :func:`flexbody.equilibrium`.

    Parameters
    ----------
    spin : array_like, optional
        Angular velocity of the whole machine, (3,), rad/s.
    about : array_like
        Point on the axis of rotation, (3,), m.
    load_steps : int
        Number of steps in which the loads are increased.

    Notes
    -----
    The loads are those at the start, t = 0: a gust that acts then is part of the equilibrium, and the machine begins
    deflected by it. Let it set in later, or give the equilibrium without it: ``start=fb.equilibrium(calm)``, where
    ``calm = dataclasses.replace(machine, forces=[...])`` is the machine without this load.

    Drives that move at t = 0 set the machine in motion from there.

    Currents, pressures and other states of force laws begin as they are in equilibrium, whatever the laws' ``start``
    says.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Equilibrium(load_steps=4).load_steps
    4
    """

    spin: ArrayLike | None = None
    _: KW_ONLY
    about: ArrayLike = (0.0, 0.0, 0.0)
    load_steps: int = 1

    def beginning(self, plan: Plan, t_end: float) -> MachineState:
        """Return the state of equilibrium."""
        found = equilibrium(
            plan.system,
            spin=self.spin,
            about=self.about,
            load_steps=self.load_steps,
            description=plan.formulation,
        )
        return continued(plan, found, t_end)
