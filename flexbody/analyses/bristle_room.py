"""Room for the bristles of spheres whose friction sticks: a run says where there is none left."""

from __future__ import annotations

from fem.common.errors import listing, warn

from ..compile.plan import Plan
from ..integrators.base import Run
from ..model.forces.contacts import Contacts


class BristleRoom:
    """Tells once in a run that more spheres touch than have room for bristles.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    """

    def __init__(self, plan: Plan) -> None:
        elements = plan.system.elements
        self._labels = [
            one.label for one in elements if isinstance(one, Contacts) and one.presliding is not None
        ]
        self._told = not self._labels

    def check(self, run: Run) -> None:
        """Warn if pairs that touch have found no room so far."""
        if self._told or run.counts.without_bristle == 0:
            return
        self._told = True
        warn(
            f"{listing(self._labels)}: by t = {run.t:.6g} s more shapes touch each other than there is room for, and "
            "friction of the pairs beyond does not stick: they creep, by regularisation_velocity at most below full "
            "friction. Spheres that overlap deeply, or touch many other shapes, need several fb.Contacts of fewer "
            "shapes each, or single ones with fb.Contact"
        )
