"""Commands that tie degrees of freedom together or hold them: CE, CP, D."""

from __future__ import annotations

from .deck import Terms
from .source import Command, Source, integer, number

_LABELS = {"UX": "x", "UY": "y", "UZ": "z", "ROTX": "rx", "ROTY": "ry", "ROTZ": "rz"}


class ConstraintCommands:
    """Constraint equations, couplings of equal components, and supports."""

    def __init__(self, source: Source) -> None:
        self.source, self.deck = source, source.deck
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
        label = words[2].upper() if len(words) > 2 else ""
        if not words[1].isdecimal() or label not in (*_LABELS, "ALL"):
            self.deck.left_out.add("D", "only supports of single nodes are read", str(self.source.at))
            return
        for component in _LABELS.values() if label == "ALL" else (_LABELS[label],):
            self.deck.supports[component][integer(words, 1)] = number(words, 3)


def _component(text: str) -> str:
    if text.upper() not in _LABELS:
        raise ValueError(f"{text!r} is not one of {', '.join(_LABELS)}")
    return _LABELS[text.upper()]
