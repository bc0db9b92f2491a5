"""The choice between the global and the relative description of a machine by a short trial."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fem.common.errors import FlexbodyError, few

from ..compile.plan import Plan
from ..core.kinds import DONE, PAUSED
from ..equations.start import Start
from ..formulations import Absolute
from ..formulations.absolute import EVALUATION_COST
from ..formulations.automatic import BoundAutomatic
from ..formulations.relative import BoundRelative
from ..integrators import Explicit, Integrator
from ..integrators.base import SHORTEST_RUN, TRIAL_INTERVALS
from ..integrators.explicit import VectorRun

#: The trial lasts for this number of steps at most, and for this part of the run: a machine may begin quietly.
TRIAL_STEPS, TRIAL_SHARE = 400, 0.2
#: An iteration of the implicit method in the relative description, in those of the global one: measured as 1.3 to 1.8.
ITERATION_COST = 1.5


class Choice(NamedTuple):
    """A description: the plan with it, and why it was chosen; "" if nothing was to be chosen."""

    plan: Plan
    why: str


class _Work(NamedTuple):
    """Work per second of motion in a trial, in iterations of the global description, and the time reached, s."""

    rate: float
    t: float


def choose_description(
    plan: Plan, start: Start, method: Integrator, t_end: float, output_step: float | None
) -> Choice:
    """Return the plan with the description that takes less work; see :class:`flexbody.AutomaticDescription`.

    Parameters
    ----------
    plan : Plan
        The compiled machine; other descriptions than the automatic one are left as they are.
    start : Start
        Where the run begins.
    method : Integrator
        The integrator.
    t_end : float
        End of the run, s.
    output_step : float or None
        Distance of the output times, s.

    Returns
    -------
    Choice
        The plan and the reason.
    """
    both = plan.formulation
    if not isinstance(both, BoundAutomatic):
        return Choice(plan, "")
    one, other = replace(plan, formulation=Absolute()), replace(plan, formulation=both.relative)
    closing = len(both.relative.arrays["closing"])
    recursive = other.formulation.evaluation_cost(plan.layout) < EVALUATION_COST
    speeds = len(both.relative.arrays["motion"]) + plan.n_modes
    usual_counts = f"{plan.n_velocities} and {plan.n_rows}"
    name = "mixed" if both.relative.base or both.relative.cut else "relative"
    counts = f"{speeds} unknown speeds and {closing} constraints, the global one has {usual_counts}"
    usual = _work(one, start, method, t_end, output_step, share=0.0)
    if usual.rate * (t_end - start.t) * (plan.n_velocities + plan.n_rows) < SHORTEST_RUN:
        if recursive and isinstance(method, Explicit):
            return Choice(
                other, f"the {name} description has {counts}: its evaluations need a recursion only"
            )
        return Choice(one, f"the run is short: the {name} description would not save a second")
    usual = _work(one, start, method, t_end, output_step)
    found = _work(other, start, method, t_end, output_step, usual.t if np.isfinite(usual.rate) else np.inf)
    if not np.isfinite(usual.rate):
        return Choice(other if np.isfinite(found.rate) else one, "a trial in the global description failed")
    if not np.isfinite(found.rate):
        return Choice(one, f"a trial in the {name} description failed")
    ratio = found.rate / usual.rate
    where = f"to t = {found.t:.3g} s the {name} description took {ratio:.2g} times the work of the global one"
    return Choice(
        other if ratio < 1.0 else one, f"{where} in a trial; it has {counts}{_mixture(both.relative)}"
    )


def _mixture(found: BoundRelative) -> str:
    """Return which bodies and joints of a tree are as in the global description, in words."""
    parts = [f"{len(found.base)} bodies have global coordinates: {few(found.base)}"] if found.base else []
    parts += [f"{len(found.cut)} joints are constraints: {few(found.cut)}"] if found.cut else []
    return "".join(f"; {part}" for part in parts)


def _work(
    plan: Plan,
    start: Start,
    method: Integrator,
    t_end: float,
    output_step: float | None,
    until: float = np.inf,
    share: float = TRIAL_SHARE,
) -> _Work:
    """Return the work of the first part of a run, no longer than ``until`` (s); infinite if it fails.

    It is the ``share`` of all output intervals, and :data:`TRIAL_INTERVALS` of them at least.
    """
    try:
        run = method.begin(plan, start, t_end, output_step)
        status = DONE
        last = max(TRIAL_INTERVALS, int(share * len(run.times)))
        for t_out in run.times[1 : last + 1]:
            status = PAUSED
            while status == PAUSED and (left := TRIAL_STEPS - run.counts.steps - run.counts.rejected) > 0:
                status = run.advance(min(t_out, until), left)
            if status != DONE or run.t >= until:
                break
    except FlexbodyError:
        return _Work(np.inf, start.t)
    if status not in (DONE, PAUSED) or run.t <= start.t:
        return _Work(np.inf, start.t)
    counts, L = run.counts, plan.layout
    relative = len(plan.formulation.new_tree().body) > 0
    # (an explicit run that may hand over to the implicit method is no VectorRun: its name is that of the method now)
    if isinstance(run, VectorRun) or run.name.startswith("Explicit"):
        spent = plan.formulation.evaluation_cost(L) * counts.iterations
    else:
        spent = (ITERATION_COST if relative else 1.0) * counts.iterations + counts.factorisations
    return _Work(float(spent) / (run.t - start.t), run.t)
