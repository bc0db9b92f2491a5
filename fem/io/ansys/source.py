"""The lines of an archive and the place that is read, the numbers of its commands, and the deck that they fill."""

from __future__ import annotations

from collections.abc import Callable

from .blocks import DeckError, Format, columns, format_of
from .deck import Deck

#: a command of the words in its line
Command = Callable[[list[str]], None]


class Source:
    """The lines of an archive; ``at``: index of the line after the current one, which is the current line's number.

    ``moved`` is called with the number of lines that are read, for a progress bar.
    """

    def __init__(self, lines: list[str], moved: Callable[[int], None]) -> None:
        self.deck, self.lines, self.moved, self.at = Deck(), lines, moved, 0

    def format(self) -> Format:
        """Return the format in the next line, after which the numbers of a block stand."""
        self.at += 1
        return format_of(self.lines[self.at - 1] if self.at <= len(self.lines) else "", self.at)

    def block(self, ends: Callable[[str], bool], form: Format) -> tuple[list[str], int]:
        """Return the lines up to the one that ends a block, and the number of the first."""
        first = self.at
        self.moved(first)
        while self.at < len(self.lines):
            if ends(self.lines[self.at]):
                self.at += 1
                return self.lines[first : self.at - 1], first + 1
            self.at += 1
        left = [line for line in self.lines[first:] if line.strip()]
        columns(left, first + 1, 0, form.integers, form.width, "i")  # a damaged line is the error
        columns(left, first + 1, form.integers * form.width, form.reals, form.real_width, "d")
        raise DeckError(first + len(left), "the block ends here without its end mark: the file was cut off")


def number(words: list[str], k: int) -> float:
    """Return a number of a command, 0 where it is missing."""
    if k >= len(words) or not words[k]:
        return 0.0
    try:
        return float(words[k].upper().replace("D", "E"))
    except ValueError:
        raise ValueError(
            f"{words[k]!r} is not a number; let ANSYS work out its parameters and write the model: CDWRITE,DB,part,cdb"
        ) from None


#: numbers of nodes, elements and the like lie below
_LARGEST_INTEGER = 2**31


def integer(words: list[str], k: int) -> int:
    """Return a whole number of a command, 0 where it is missing."""
    value = number(words, k)
    if value != int(value) or abs(value) > _LARGEST_INTEGER:
        raise ValueError(f"{words[k]!r} is not a whole number, or too large")
    return int(value)
