"""Commands that tie degrees of freedom together or hold them: CE, CP, D."""

from __future__ import annotations

import numpy as np

from .deck import Terms
from .selection import Selection
from .source import Command, Source, integer, number

_LABELS = {"UX": "x", "UY": "y", "UZ": "z", "ROTX": "rx", "ROTY": "ry", "ROTZ": "rz"}


class ConstraintCommands:
    """Constraint equations, couplings of equal components, and supports."""

    def __init__(self, source: Source, selection: Selection) -> None:
        self.source, self.deck, self.selection = source, source.deck, selection
        self.equation = self.coupling = 0  # numbers of those that lines with R5 go on to describe

    def table(self) -> dict[str, Command]:
        """Return the commands by their names."""
        return {"CE": self._ce, "CP": self._cp, "D": self._d}

    def _ce(self, words: list[str]) -> None:
        equations = self.deck.equations
        if not words[1].upper().startswith("R5"):
            at = integer(words, 1)
            equations.setdefault(at, Terms(self.source.at)).constant = number(words, 2)
        elif words[2].upper() == "DEFI":
            self.equation = integer(words, 4)
            equations[self.equation] = Terms(self.source.at, constant=number(words, 5))
            return
        elif (at := self.equation) not in equations:
            raise ValueError("no line CE,R5.0,DEFI stands above")
        for k in range(3, len(words) - 2, 3):
            if words[k]:
                term = integer(words, k), _component(words[k + 1]), number(words, k + 2)
                equations[at].terms.append(term)

    def _cp(self, words: list[str]) -> None:
        couplings = self.deck.couplings
        if not words[1].upper().startswith("R5"):
            at = integer(words, 1)
            couplings.setdefault(at, (self.source.at, _component(words[2]), []))
        elif words[2].upper() == "DEFI":
            self.coupling = integer(words, 4)
            couplings[self.coupling] = (self.source.at, _component(words[5]), [])
            return
        elif (at := self.coupling) not in couplings:
            raise ValueError("no line CP,R5.0,DEFI stands above")
        couplings[at][2].extend(integer(words, k) for k in range(3, len(words)) if words[k])

    def _d(self, words: list[str]) -> None:
        words = [*words, *[""] * 12]
        labels = [word.upper() for word in (words[2], *words[7:12]) if word]
        nodes = self._nodes(words)
        if nodes is None or not labels or set(labels) - {*_LABELS, "ALL"}:
            why = "its selection of nodes is not followed" if nodes is None else "only displacements are held"
            self.deck.left_out.add("D", why, str(self.source.at))
            return
        if words[3].startswith("%"):
            self.deck.left_out.add("D", "values by a table are not read", str(self.source.at))
            return
        value = number(words, 3)
        components = list(_LABELS.values()) if "ALL" in labels else [_LABELS[label] for label in labels]
        for component in components:
            self.deck.supports[component].update(dict.fromkeys(nodes, value))

    def _nodes(self, words: list[str]) -> list[int] | None:
        """Return the nodes of a command: one, a range of the selected ones, all selected ones, or a component."""
        name, chosen = words[1].upper(), self.selection.members("NODE")
        if name.isdecimal():
            first, last = int(name), integer(words, 5) or int(name)
            if last == first:
                return [first]
            wanted = np.arange(first, last + 1, max(1, integer(words, 6)))
        elif name == "ALL":
            wanted = chosen
        else:
            components = self.deck.node_components.items()
            return next((ids.tolist() for key, ids in components if key.upper() == name), None)
        return None if chosen is None or wanted is None else np.intersect1d(chosen, wanted).tolist()


def _component(text: str) -> str:
    if text.upper() not in _LABELS:
        raise ValueError(f"{text!r} is not one of {', '.join(_LABELS)}")
    return _LABELS[text.upper()]
