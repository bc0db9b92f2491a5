"""Case control: which supports and equations apply, and sets of grid points and elements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .cards import Row
from .lines import Lines

_CHOICE = re.compile(r"(SPC|MPC|NSM)\s*(?:\([^)]*\))?\s*=\s*(\d+)")
_SUBCASE = re.compile(r"SUBCASE\b")
_SET = re.compile(r"SET\s+(\d+)\s*=\s*(.*)")


@dataclass(eq=False)
class Case:
    """What case control says: numbers by SPC, MPC and NSM, members of sets, number of lines.

    ``choices``: those before the first subcase, which hold for all, and those of each subcase.
    """

    choices: list[dict[str, int]] = field(default_factory=lambda: [{}])
    sets: dict[int, list[int]] = field(default_factory=dict)
    count: int = 0

    def chosen(self, name: str) -> list[int]:
        """Return the numbers that the subcases choose, each once, in their order."""
        default, *subcases = self.choices
        found = [its.get(name, default.get(name)) for its in subcases or [{}]]
        return [number for number in dict.fromkeys(found) if number is not None]


def case_of(lines: Lines, section: range) -> Case:
    """Return what the case control section says of supports, equations and sets."""
    case = Case()
    pending, start = "", 0
    for k in section:
        text = lines.text[k].split(b"$")[0].decode("latin-1").strip().upper()
        if not text:
            continue
        case.count += 1
        start = start if pending else lines.number[k]
        pending += " " + text if pending else text
        if pending.endswith(","):
            continue
        _read(case, pending, start)
        pending = ""
    if pending:
        _read(case, pending.rstrip(","), start)
    return case


def _read(case: Case, text: str, line: int) -> None:
    if match := _CHOICE.match(text):
        case.choices[-1][match[1]] = int(match[2])
    elif _SUBCASE.match(text):
        case.choices.append({})
    elif match := _SET.match(text):
        words = match[2].replace(",", " ").split()
        if words == ["ALL"] or not words:
            return
        plain = [word for word in words if word.isdecimal() or word in ("THRU", "BY", "EXCEPT")]
        if len(plain) < len(words):  # sets of titles, times and the like
            return
        if "EXCEPT" in plain:
            at = plain.index("EXCEPT")
            without = set(Row("SET", line, plain[at + 1 :]).members(1))
            case.sets[int(match[1])] = [
                n for n in Row("SET", line, plain[:at]).members(1) if n not in without
            ]
        else:
            case.sets[int(match[1])] = Row("SET", line, plain).members(1)
