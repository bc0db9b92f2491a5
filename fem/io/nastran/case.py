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
    """What case control says: numbers by SPC and MPC, members of sets, parameters, and the lines that are not read.

    ``choices``: those before the first subcase, which hold for all, and those of each subcase.
    """

    choices: list[dict[str, int]] = field(default_factory=lambda: [{}])
    sets: dict[int, list[int]] = field(default_factory=dict)
    parameters: list[Row] = field(default_factory=list)
    others: list[int] = field(default_factory=list)
    empty: bool = True

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
        case.empty = False
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
    elif text.startswith("PARAM") and "," in text:
        case.parameters.append(Row("PARAM", line, [word.strip() for word in text.split(",")[1:]]))
    elif (match := _SET.match(text)) and (words := _numbers(match[2])):
        case.sets[int(match[1])] = _members(words, line)
    else:
        case.others.append(line)


def _numbers(text: str) -> list[str]:
    """Return the words of a set; none for ALL, and for sets of titles, times and the like."""
    words = text.replace(",", " ").split()
    plain = all(word.isdecimal() or word in ("THRU", "BY", "EXCEPT") for word in words)
    return words if plain else []


def _members(words: list[str], line: int) -> list[int]:
    """Return the members of a set.

    Numbers after EXCEPT are taken out of the last THRU range, as long as they lie in it; greater ones are members.
    """
    found: list[int] = []
    at = last = 0
    while at < len(words):
        if words[at] == "EXCEPT":
            stop = at + 1
            while stop < len(words) and words[stop].isdecimal() and int(words[stop]) <= last:
                stop += 1
            without = {int(word) for word in words[at + 1 : stop]}
            found = [number for number in found if number not in without]
        else:
            step = words[at + 3 : at + 4] == ["BY"]
            stop = at + (1 if words[at + 1 : at + 2] != ["THRU"] else 5 if step else 3)
            found += Row("SET", line, words[at:stop]).members(1)
            last = found[-1] if stop > at + 1 else last
        at = stop
    return found
