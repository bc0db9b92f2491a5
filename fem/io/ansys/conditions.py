"""Branches of an archive: ``*IF,a,EQ,b,THEN``, ``*ELSEIF``, ``*ELSE`` and ``*ENDIF``.

ANSYS Mechanical APDL Command Reference, *IF: numbers are equal within 1e-10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

#: Numbers that differ by no more are equal in a condition.
_EQUAL_NUMBERS = 1e-10
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "EQ": lambda a, b: abs(a - b) <= _EQUAL_NUMBERS,
    "NE": lambda a, b: abs(a - b) > _EQUAL_NUMBERS,
    "LT": lambda a, b: a < b,
    "GT": lambda a, b: a > b,
    "LE": lambda a, b: a <= b + _EQUAL_NUMBERS,
    "GE": lambda a, b: a >= b - _EQUAL_NUMBERS,
    "ABLT": lambda a, b: abs(a) < abs(b),
    "ABGT": lambda a, b: abs(a) > abs(b),
}


@dataclass(eq=False)
class _Branch:
    """A construct: whether the branch that is read runs (None: not known), and whether one before it ran."""

    runs: bool | None
    before: bool | None = False


@dataclass(eq=False)
class Conditions:
    """The branches around a line."""

    branches: list[_Branch] = field(default_factory=list)

    @property
    def runs(self) -> bool | None:
        """Whether the commands here are followed; None where numbers that are not known decide it."""
        found = [its.runs for its in self.branches]
        return False if False in found else None if None in found else True

    def take(self, words: list[str]) -> bool:
        """Follow a command that opens, changes or ends a branch; return whether it does.

        ``words`` have numbers in the place of known parameters.
        """
        name = words[0].upper()
        if name == "*IF" and words[-1].upper() == "THEN":
            self.branches.append(_Branch(_holds(words)))
        elif name in ("*ELSEIF", "*ELSE") and self.branches:
            its = self.branches[-1]
            if its.runs or its.before:
                its.runs, its.before = False, True
                return True
            unsure = None in (its.runs, its.before)
            its.before = None if unsure else False
            holds = _holds(words) if name == "*ELSEIF" else True
            its.runs = False if holds is False else None if unsure else holds
        elif name == "*ENDIF":
            self.branches = self.branches[:-1]
        else:
            return False
        return True


def _holds(words: list[str]) -> bool | None:
    """Return whether the comparison ``a, operator, b`` of a command holds; None if it is not known."""
    compared = _COMPARED.get(words[2].upper()[:4]) if len(words) > 3 else None
    plain = len(words) == 4 or words[4].upper() == "THEN" if compared else False
    try:
        return compared(float(words[1]), float(words[3])) if compared and plain else None
    except ValueError:
        return None
