"""The row of a variant, its numbers or its error; and a body as workers and the store exchange it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

import modal


@dataclass(frozen=True)
class Row:
    """What a variant gives: the quantities by name, or the error; its warnings; and its cost.

    ``seconds``: processor time of the thread, s.
    """

    values: Mapping[str, np.ndarray] = field(default_factory=dict)
    error: str = ""
    warnings: str = ""
    seconds: float = 0.0


def read_whole(body: modal.ReducedBody) -> modal.ReducedBody:
    """Return a body with its surface and stress modes in memory: a worker may not see the file that holds them."""
    surface = body.recovery
    return body if surface is None else replace(body, surface=replace(surface, stress=body.stress_modes))
