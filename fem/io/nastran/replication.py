"""Replication of bulk data: cards that repeat fields of the card before (``=``, ``==``, ``*x``), and ``=n``.

MSC Nastran Quick Reference Guide, "Replication".
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .cards import real
from .lines import CardError, Lines

_REPEAT = re.compile(r"=\(?(\d+)\)?")
_STEP = re.compile(r"\*\(?([^()]+)\)?")


def replicated(lines: Lines, bulk: range) -> range:
    """Write the cards out that repeat others, as lines of free fields; return the new range of bulk data."""
    if not any(b"=" in line and line.lstrip()[:1] == b"=" for line in lines.text[bulk.start : bulk.stop]):
        return bulk
    text, numbers = lines.text[: bulk.start], lines.number[: bulk.start]
    before: list[str] = []
    steps: list[str] = []
    for k in bulk:
        line, number = lines.text[k], lines.number[k]
        if line.lstrip()[:1] != b"=":
            text.append(line)
            numbers.append(number)
            if words := _words(line):  # of one line: none that goes on, and no large fields
                before = words if words[0] and words[0][0] not in "+*" and "*" not in words[0] else []
            continue
        words = _words(line)
        if not before:
            raise CardError(number, "'=' repeats a card of one line, and there is none above")
        repeat = _REPEAT.fullmatch(words[0])
        if not repeat:
            steps = words
        for _ in range(int(repeat.group(1)) if repeat else 1):
            before = list(_next(before, steps, number))
            text.append(",".join(before).encode("latin-1"))
            numbers.append(number)
    end = len(text)
    lines.text[:], lines.number[:] = text + lines.text[bulk.stop :], numbers + lines.number[bulk.stop :]
    return range(bulk.start, end)


def _words(line: bytes) -> list[str]:
    """Return the fields of a line, free or of eight characters, without the continuation mark."""
    text = line.decode("latin-1").split("$")[0].rstrip()
    if "," in text[:10]:
        return [word.strip() for word in text.split(",")][:9]
    text = text.expandtabs(8)
    return [text[k : k + 8].strip() for k in range(0, min(len(text), 72), 8)]


def _next(before: list[str], words: list[str], number: int) -> Iterator[str]:
    """Yield the fields of a card from those of the card before and what a line says of each."""
    for k, word in enumerate(words):
        old = before[k] if k < len(before) else ""
        if word == "==":
            yield from before[k:]
            return
        step = _STEP.fullmatch(word)
        yield old if word == "=" else _stepped(old, step.group(1), number) if step else word


def _stepped(old: str, step: str, number: int) -> str:
    """Return a field with a step added, whole numbers as such."""
    try:
        return str(int(old) + int(step))
    except ValueError:
        pass
    try:
        value = (real(old.upper()) if old else 0.0) + real(step.upper())
    except ValueError:
        raise CardError(number, f"the step {step!r} can't be added to the field {old!r}") from None
    return f"{value:.9e}"
