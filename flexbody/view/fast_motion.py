"""What pictures and films say of motions that are too fast for the stored states or for the frames of a film."""

from __future__ import annotations

from typing import Any

import numpy as np

from fem.common.errors import warn

from .geometry.motion import Motion

#: A body that turns further from frame to frame seems to turn backwards; so far it is seen well, turns.
LARGEST_TURN, GOOD_TURN = 0.5, 0.1
#: A shorter output_step that is proposed divides the present one at least by this.
FINER = 4.0


def doubt_of(motion: Motion, moments: np.ndarray, size: float, what: str) -> str:
    """Return a note, and warn, if what is drawn at some moments (s) between stored states is uncertain.

    ``size`` is that of the machine, m, and ``what`` names what is drawn.
    """
    found = motion.doubtful(moments, size)
    if not found:
        return ""
    step = min(interval.h / max(FINER, interval.angle) for interval in found)
    first = found[0]
    some = "" if len(found) == 1 else f" and {len(found) - 1} more times"
    warn(
        f"{what} shows the machine between stored states whose velocities do not say how it moves between them, from "
        f"{first.start:.6g} to {first.start + first.h:.6g} s{some}: it is a guess there. A run with "
        f"output_step={step:.1g} or shorter shows the motion"
    )
    return "guessed between stored states"


def turns_of(result: Any, dt: float, slow: float) -> str:
    """Return a note, and warn, if bodies turn so far from frame to frame that their rotation can't be seen.

    ``dt`` (s) is the time of the run between two frames, and ``slow`` the slow motion of the film.
    """
    fastest = {
        name: float(np.linalg.norm(result.v[:, result.plan.rotation(b)], axis=1).max())
        for name, b in result.plan.body_index.items()
    }
    name = max(fastest, key=lambda body: fastest[body], default="")
    turns = fastest.get(name, 0.0) * dt / (2 * np.pi)
    if turns <= LARGEST_TURN:
        return ""
    others = sum(rate * dt > 2 * np.pi * LARGEST_TURN for rate in fastest.values()) - 1
    more = f" (and {others} more)" if others else ""
    needed = slow * turns / GOOD_TURN
    warn(
        f"in this film '{name}'{more} turns up to {turns:.2g} times from frame to frame, so that it seems to turn more "
        f"slowly or backwards; its slow motion is {slow:.3g}. Give slow_motion={needed:.2g} to see it turn, a tenth of "
        "a turn in a frame"
    )
    return f"'{name}' turns up to {turns:.2g} times per frame"
