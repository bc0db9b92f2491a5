"""What may be looked for in all functions of a machine before it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .ahead import BUDGET, BUDGET_OF_JUMPS, LEAST_BUDGET, Ahead

#: The least budget to enclose jumps of a function.
LEAST_OF_JUMPS = LEAST_BUDGET * BUDGET_OF_JUMPS / BUDGET


class Budget:
    """The calls that are left for the functions of a machine, which are looked at one after the other.

    Each may take what those before it have left, and at least ``LEAST_BUDGET``: most functions take little.
    """

    def __init__(self) -> None:
        self._left, self._for_jumps = float(BUDGET), float(BUDGET_OF_JUMPS)

    @contextmanager
    def of(self, ahead: Ahead) -> Iterator[None]:
        """Let a function take what is left while it is looked at."""
        ahead.allowed = max(self._left, LEAST_BUDGET), max(self._for_jumps, LEAST_OF_JUMPS)
        before = ahead.taken, ahead.taken_for_jumps
        yield
        self._left -= ahead.taken - before[0]
        self._for_jumps -= ahead.taken_for_jumps - before[1]
