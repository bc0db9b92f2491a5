"""Compilation of a user's machine for an analysis; all analyses begin here."""

from __future__ import annotations

import numpy as np

from fem.common.errors import ConstraintError, percent, warn

from ..compile.plan import Plan, make_plan
from ..core.kinds import ATTITUDE
from ..equations.consistent_start import closed
from ..equations.gaps import Drawn, drawn_rows, gaps_of, part_sizes
from ..equations.state import drawn_state
from ..formulations import Formulation
from ..model.system import System

#: gaps above these fractions of the smaller part give a warning, and an error
WARNED_GAP, REFUSED_GAP = 1e-3, 0.1
#: messages name so many gaps, the largest first
NAMED_GAPS = 6


def compiled(machine: System, t_end: float, description: Formulation | None) -> Plan:
    """Compile a machine for an analysis to ``t_end`` (s), and check that it is drawn closed.

    Raises
    ------
    fem.ConstraintError
        A joint is drawn with a gap of more than a tenth of the smaller body. Smaller gaps give a warning.
    """
    plan = make_plan(machine, t_end, description)
    _check_gaps(plan)
    return plan


def _check_gaps(plan: Plan) -> None:
    """Warn of gaps in the drawn configuration, or raise :class:`fem.ConstraintError` if they are large."""
    W = Drawn(plan).work
    misses = W.phi[drawn_rows(plan) & (plan.layout.row_kind != ATTITUDE)]
    if np.linalg.norm(misses) <= WARNED_GAP * part_sizes(plan).min():
        return  # no gap is larger than all of them together
    gaps = [gap for gap in gaps_of(plan, W) if gap.share > WARNED_GAP]
    if not gaps:
        return
    gaps.sort(key=lambda gap: -gap.share)
    named = "; ".join(
        f"{gap.joint} has a gap of {gap.distance:.3g} m, {percent(gap.share)} of '{gap.part}'"
        for gap in gaps[:NAMED_GAPS]
    ) + (f"; and {len(gaps) - NAMED_GAPS} more" if len(gaps) > NAMED_GAPS else "")
    if gaps[0].share <= REFUSED_GAP:
        warn(
            f"this machine is not drawn closed: {named}. Its bodies are moved until the joints are closed. "
            "fb.assemble(machine) returns the closed machine and says what is moved; check the points of these joints "
            "and markers"
        )
        return
    closed(plan, plan.work(), drawn_state(plan))  # joints that cannot be closed have their own error
    raise ConstraintError(
        f"this machine is not drawn closed: {named}. Check the points of these joints and markers. If the bodies are "
        "drawn roughly on purpose, fb.assemble(machine).machine is the closed machine"
    )
