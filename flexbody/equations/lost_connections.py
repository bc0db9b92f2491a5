"""Positions where massless bodies lose what holds them, as two bars in line that are stretched."""

from __future__ import annotations

import numpy as np

from fem.common.errors import few, listing

from ..compile.massless import assemblies_of
from ..compile.plan import Plan
from ..formulations.state import MachineState
from .constraint_jacobian import jacobian, weighted
from .dead_points import neighbours
from .massless import held
from .state import drawn_state, place_state

#: what holds a massless body has fallen to this part of what it was as drawn: it is about to be lost
NEARLY_LOST = 0.05
#: Massless bodies that are so many times as fast as all bodies with mass whirl.
WHIRL = 200.0


def lost_connection(plan: Plan, s: MachineState) -> str:
    """Return which massless bodies are about to lose what holds them, in words, or "".

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    s : MachineState
        The state; what holds them is compared with that as drawn and nearby.
    """
    if not (plan.layout.auxiliary_mass > 0).any():
        return ""
    W = plan.work()
    here, start = jacobian(plan, W, s), drawn_state(plan)
    if not np.isfinite(here).all():
        return ""
    place_state(plan, W, start)
    G = weighted(plan, W)[1]
    drawn = [G, *neighbours(plan, W, start, G)]
    for one in assemblies_of(plan.system.bodies, plan.system.joints):
        first, now = (
            max((held(plan, near, one) for near in drawn), key=lambda found: found.rank),
            held(plan, here, one),
        )
        if first.rank and now.sizes[first.rank - 1] < NEARLY_LOST * first.sizes[first.rank - 1]:
            return (
                f"the joints {few(one.joints)} no longer determine the place of the massless "
                f"{'body' if len(one.massless) == 1 else 'bodies'} {listing(one.massless)} beside "
                f"{listing(one.outer)}, as two bars in line that are stretched: the connection can't follow these "
                "bodies any further, and without mass its speed has no bound. Keep them nearer (a Limit or a "
                "SpringDamper between them), or give one of the massless bodies a mass (RigidBody)"
            )
    return ""


def whirling(plan: Plan, s: MachineState) -> str:
    """Return which massless bodies turn ever faster, because nothing holds their shape between others, or "".

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    s : MachineState
        The state.
    """
    L = plan.layout
    if not (L.auxiliary_mass > 0).any() or not np.isfinite(s.v).all():
        return ""
    speed = np.array([np.linalg.norm(s.v[plan.translation(b)]) for b in range(plan.n_bodies)])
    turning = np.array([np.linalg.norm(s.v[plan.rotation(b)]) for b in range(plan.n_bodies)])
    others = (speed + L.body_size * turning)[L.body_mass > 0].max(initial=0.0)
    names = [body.name for body in plan.system.bodies]
    for one in assemblies_of(plan.system.bodies, plan.system.joints):
        fastest = max((speed[names.index(name)] for name in one.massless), default=0.0)
        if one.joints and others > 0 and fastest > WHIRL * others:
            return (
                f"the massless bodies {listing(one.massless)} whirl at {fastest:.3g} m/s, and no body with mass is "
                f"faster than {others:.3g} m/s: the joints {few(one.joints)} leave them a motion between "
                f"{listing(one.outer)} that nothing holds, and without mass its speed has no bound. Hold it by a joint "
                "or a drive, or give one of the massless bodies a mass (RigidBody)"
            )
    return ""
