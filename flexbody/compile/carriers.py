"""What may carry each body: the bodies on the other side of its bearings, beside which a rotor whirls."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from ..core.kinds import COUPLING
from .offsets import offsets

#: At most so many bodies may carry a body. They are sought among this number of the next ones: some others carry no
#: rotor, and a machine may be a long chain.
CARRIERS, LOOKED_AT = 8, 32

#: Of each body those that joints join to it, and those behind its springs; dictionaries keep their order.
Neighbours = list[tuple[dict[int, None], dict[int, None]]]


def carrier_arrays(
    row_bodies: Sequence[Sequence[int]], row_kind: np.ndarray, springs: np.ndarray, n_bodies: int
) -> dict[str, np.ndarray]:
    """Return the arrays of :class:`flexbody.core.structures.Layout` for what may carry each body.

    It is the ground, and bodies behind springs and bushings of the body itself or of what joints join to it, the next
    ones first. A body does not whirl beside what a joint joins to it. Couplings, such as gears, and contacts carry
    nothing.

    Parameters
    ----------
    row_bodies : sequence of sequence of int
        For each of the m rows, those of constraints before those of deformations, the moving bodies that it acts on.
    row_kind, springs : numpy.ndarray
        Kinds of the constraint rows, and which deformations are those of springs and bushings.
    n_bodies : int
        Number of bodies.
    """
    beside: Neighbours = [({}, {}) for _ in range(n_bodies)]
    for k, bodies in enumerate(row_bodies):
        is_spring = k >= len(row_kind)
        if not (springs[k - len(row_kind)] if is_spring else row_kind[k] < COUPLING):
            continue
        for b in bodies:
            beside[b][is_spring].update((other, None) for other in bodies if other != b)
    found = [[-1, *(_carriers(beside, b) if springs.any() else ())] for b in range(n_bodies)]
    return {
        "carrier_at": offsets(len(carriers) for carriers in found),
        "carrier": np.array([k for carriers in found for k in carriers], dtype=np.int64),
    }


def _carriers(beside: Neighbours, b: int) -> list[int]:
    """Return the bodies that may carry body ``b``, the next ones first."""
    carriers: dict[int, None] = {}
    # bodies, and whether a spring lies between them and b
    seen, left = {(b, False)}, deque([(b, False)])
    while left and len(seen) < LOOKED_AT:
        at, apart = left.popleft()
        joined, behind = beside[at]
        for place in (*((other, True) for other in behind), *((other, apart) for other in joined)):
            if place in seen:
                continue
            seen.add(place)
            left.append(place)
            other, by_spring = place
            if by_spring and other != b and other not in beside[b][0]:
                carriers[other] = None
    return list(carriers)[:CARRIERS]
