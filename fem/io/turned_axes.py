"""Components of nodes whose axes are turned: readers keep those that mean the same in global axes."""

from __future__ import annotations

from collections.abc import Mapping

_GROUPS = (frozenset(("x", "y", "z")), frozenset(("rx", "ry", "rz")))


def same_in_all_axes(held: Mapping[str, float]) -> bool:
    """Return whether components with their values, of a support or a rigid connection, mean the same in all axes.

    They do if they are all displacements or none, and all rotations or none, at zero.
    """
    some = frozenset(held)
    return not any(held.values()) and all(some & group in (group, frozenset()) for group in _GROUPS)
