"""A complete state of a :class:`flexbody.Stepper`, to which it can return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fem.common.errors import listing
from fem.common.known_attributes import KnownAttributes

from .event_loop import LoopMemory


@dataclass(frozen=True, eq=False)
class Snapshot(KnownAttributes):
    """A complete state of a :class:`flexbody.Stepper`, to which the Stepper can return.

    Parameters
    ----------
    t : float
        Time, s.
    arrays : tuple of numpy.ndarray
        All arrays that the rest of the run depends on.
    inputs : mapping of str to numpy.ndarray
        Values of the inputs.
    inputs_changed : bool
        Whether inputs were set after the last advance.
    n_stored : int
        Number of stored states.
    events : LoopMemory
        The events so far, and what is on.
    owner : Stepper
        The Stepper.

    Examples
    --------
    Two futures from one state:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03))
    >>> sim = fb.Stepper(fb.System([bar], forces=[fb.PointForce("push", bar, (fb.Input("force"), 0, 0))]))
    >>> now = sim.save()
    >>> ends = []
    >>> for force in (1.0, 2.0):
    ...     sim.restore(now)
    ...     sim["force"] = force
    ...     t = sim.advance(1.0)
    ...     ends.append(round(float(sim.position(bar)[0]), 6))
    >>> ends
    [0.5, 1.0]
    """

    t: float
    arrays: tuple[np.ndarray, ...]
    inputs: Mapping[str, np.ndarray]
    inputs_changed: bool
    n_stored: int
    events: LoopMemory
    owner: object

    def __repr__(self) -> str:
        return (
            f"<Snapshot at t = {self.t:.6g} s, inputs {listing(self.inputs)}, {self.n_stored} stored states>"
        )
