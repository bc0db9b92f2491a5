"""Scalar parameters of ANSYS: ``*SET,name,value`` and ``name=value``, as Workbench writes them."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
#: commands whose words are names that the user chose, not numbers
_NAMING = ("CM", "CMSEL", "CMBLOCK", "SECTYPE", "CMGRP")


class Parameters:
    """The values of parameters that are plain numbers, or other parameters; others are forgotten.

    Those that are set in a branch that may be passed over are forgotten too.
    """

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def take(self, words: list[str], sure: bool = True) -> bool:
        """Follow a command if it sets a parameter; return whether it does. ``sure``: whether ANSYS follows it, too."""
        name = words[0].upper()
        if name == "*SET" and len(words) > 1:
            self._set(words[1], words[2] if sure and len(words) > 2 else "")
        elif name in ("*GET", "*ASK") and len(words) > 1:
            self._values.pop(words[1].upper(), None)
        elif "=" in name and not name.startswith(("/", "*")):
            parameter, value = words[0].split("=", 1)
            self._set(parameter, value if sure else "")
        else:
            return False
        return True

    def _set(self, name: str, value: str) -> None:
        name, value = name.strip().upper(), value.strip()
        if not _NAME.fullmatch(name):
            return
        value = self._values.get(value.upper(), value)
        if not _is_number(value):
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
