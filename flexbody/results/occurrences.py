"""The events of a run: when they occurred, and what was switched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fem.common.known_attributes import KnownAttributes


@dataclass(frozen=True)
class Occurrence(KnownAttributes):
    """An event that occurred in a run.

    Attributes
    ----------
    name : str
        Name of the event.
    t : float
        Time, s.
    what : str
        What happened, in words.
    row : int
        Number of the stored state after the event. The state before it is the one before, at the same time, unless the
        event was only marked.
    on, off : tuple of str
        Names of what was switched.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), velocity=(1, 0, 0))
    >>> half = fb.Event("half", lambda state: state.position(bar)[0] - 0.5)
    >>> result = fb.simulate(fb.System([bar]), 1.0, events=[half], show_progress=False)
    >>> result.events
    (<half at t = 0.5 s: marked>,)
    >>> result.state_at(result.events[0].row).c[0].round(6).tolist()
    [0.5, 0.0, 0.0]
    """

    name: str
    t: float
    what: str
    row: int
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<{self.name} at t = {self.t:.6g} s: {self.what}>"


def is_on(name: str, n: int, events: Sequence[Occurrence], switched_off: Sequence[str]) -> np.ndarray:
    """Return at which of ``n`` stored states a joint, drive or force is on, (n,).

    ``switched_off`` are the names of what is off when the run begins.
    """
    on = np.full(n, name not in switched_off)
    for event in events:
        if name in event.on or name in event.off:
            on[event.row :] = name in event.on
    return on
