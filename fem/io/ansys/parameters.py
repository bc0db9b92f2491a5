"""Scalar parameters of ANSYS: ``*SET,name,value`` and ``name=value``, as Workbench writes them."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
#: commands whose words are names that the user chose, not numbers
_NAMING = ("CM", "CMSEL", "CMBLOCK", "SECTYPE", "CMGRP")


class Parameters:
    """The values of parameters that are plain numbers, or other parameters; others are forgotten.

    Inside ``*IF`` nothing is known of what a parameter will be: those that are set there are forgotten too.
    """

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._depth = 0

    def take(self, words: list[str]) -> bool:
        """Follow a command if it sets a parameter; return whether it does."""
        name = words[0].upper()
        if name == "*IF" and words[-1].upper() == "THEN":
            self._depth += 1
        elif name == "*ENDIF":
            self._depth = max(0, self._depth - 1)
        elif name == "*SET" and len(words) > 1:
            self._set(words[1], words[2] if len(words) > 2 else "")
        elif name in ("*GET", "*ASK") and len(words) > 1:
            self._values.pop(words[1].upper(), None)
        elif "=" in name and not name.startswith(("/", "*")):
            self._set(*words[0].split("=", 1))
        else:
            return False
        return True

    def _set(self, name: str, value: str) -> None:
        name, value = name.strip().upper(), value.strip()
        if not _NAME.fullmatch(name):
            return
        value = self._values.get(value.upper(), value)
        if self._depth or not _is_number(value):
            self._values.pop(name, None)
        else:
            self._values[name] = value

    def put_in(self, words: list[str]) -> list[str]:
        """Return the words of a command with the values of the parameters that they name."""
        if not self._values or words[0].upper() in _NAMING:
            return words
        return [words[0], *(self._values.get(word.upper(), word) for word in words[1:])]


def _is_number(text: str) -> bool:
    try:
        float(text.upper().replace("D", "E"))
    except ValueError:
        return False
    return text.strip().upper() not in ("NAN", "INF", "INFINITY")
