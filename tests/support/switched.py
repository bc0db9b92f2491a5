"""A block on a stiff damped mount, and a force on it that is switched on and off, with the closed form of its way."""

from collections.abc import Callable

import numpy as np

import flexbody as fb

#: Mass (kg), stiffness (N/m), damping ratio, force (N) and the time between two of its jumps, s.
MASS, STIFFNESS, DAMPING_RATIO, FORCE, STEP = 10.0, 1e7, 0.3, 1000.0, 5e-3


def force(t: float) -> float:
    """Return the force, N: on at first, off behind the first jump."""
    return FORCE if int(t / STEP) % 2 == 0 else 0.0


def _way(t: np.ndarray) -> np.ndarray:
    """Return the way under a force that sets in at t = 0, by superposition of the responses to its jumps.

    A step F gives F / k (1 - exp(-z w t) (cos(w_d t) + z w / w_d sin(w_d t))), w_d = w (1 - z^2)^(1/2).
    """
    w, z = np.sqrt(STIFFNESS / MASS), DAMPING_RATIO
    free = w * np.sqrt(1 - z**2)
    found = np.zeros_like(t)
    for k in range(int(np.max(t) / STEP) + 1):
        since = np.maximum(t - k * STEP, 0.0)
        ringing = np.exp(-z * w * since) * (np.cos(free * since) + z * w / free * np.sin(free * since))
        found += (-1) ** k * FORCE / STIFFNESS * (1 - ringing)
    return found


def switched_block(by_events: bool = True) -> tuple[fb.System, Callable, list[fb.Event]]:
    """Return the machine, its way (m) as a function of times, and the events that switch the force."""
    block = fb.RigidBody("block", MASS, (0.1,) * 3)
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="z")
    damping = 2 * DAMPING_RATIO * np.sqrt(STIFFNESS * MASS)
    ends = dict(first_point=(0, 0, -1.0), second_point=(0, 0, 0))
    mount = fb.SpringDamper("mount", fb.GROUND, block, stiffness=STIFFNESS, damping=damping, **ends)
    law = (0, 0, FORCE) if by_events else lambda t: (0, 0, 1000.0 if int(t / 5e-3) % 2 == 0 else 0.0)
    push = fb.PointForce("push", block, law)

    def phase(s) -> float:
        return np.sin(np.pi * s.t / STEP)

    events = [
        fb.Event("on", phase, direction=fb.Rising(), then=fb.Switch(on=["push"])),
        fb.Event("off", phase, direction=fb.Falling(), then=fb.Switch(off=["push"])),
    ]
    return fb.System([block], [guide], [mount, push]), _way, events if by_events else []
