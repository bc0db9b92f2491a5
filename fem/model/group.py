"""Elements of one kind with one property."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..elements.property import Property

#: beams of a joined group, fewer than those of a batch
BEAMS_OF_A_GROUP = 10_000


@dataclass(frozen=True, eq=False)
class Group:
    """Elements of one kind with one property: ``nodes`` (ne, nn), ``index`` (ne,) counted through all blocks.

    ``name`` of the element set that has this property, "" for one property over all.
    """

    kind: str
    property: Property
    nodes: np.ndarray
    index: np.ndarray
    name: str = ""


def joined(groups: Iterable[Group]) -> Iterator[Group]:
    """Yield groups of which those that differ in the direction of their sections alone are one.

    A frame in which each bar has an orientation of its own has as many groups as bars, whose matrices would be
    computed one by one.
    """
    alike: dict[tuple[str, Property], list[Group]] = {}
    for group in groups:
        key = group.property.without_direction()
        if key is None:
            yield group
        else:
            alike.setdefault((group.kind, key), []).append(group)
    for (kind, its), some in alike.items():
        if len(some) == 1:
            yield some[0]
            continue
        up = np.concatenate([np.tile(one.property.up, (len(one.nodes), 1)) for one in some])  # type: ignore[attr-defined]
        nodes, index = (np.concatenate([getattr(one, name) for one in some]) for name in ("nodes", "index"))
        for k in range(0, len(nodes), BEAMS_OF_A_GROUP):
            part = slice(k, k + BEAMS_OF_A_GROUP)
            yield Group(kind, its.along(up[part]), nodes[part], index[part])
