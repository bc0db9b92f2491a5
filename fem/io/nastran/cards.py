"""The cards of bulk data: free, small and large fields with continuations, as tables of fields.

Reference: MSC Nastran Quick Reference Guide, section 5 (bulk data entries), format of bulk data entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from ...common.progress import progress
from .lines import CardError, Lines

#: a Nastran real: "1.", ".5", "1.+7", "2.-3", "1.5E-3", "1.D3"
_REAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:(?:[ED][+-]?|[+-])\d+)?")
_EXPONENT = re.compile(r"(?<=[\d.])([+-]\d+)$")
#: the largest number of a grid, element, property
_LARGEST_NUMBER = 2**31
_IN_ORDER = "let the program that made the file write it anew, in order"
#: number of lines between two movements of the progress bar
_LINES_A_TURN = 50_000


@dataclass(eq=False)
class Table:
    """Cards of one name and form: ``fields`` (n, m) bytes, data fields counted from 0; ``lines`` (n,)."""

    name: str
    fields: np.ndarray
    lines: np.ndarray

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def width(self) -> int:
        """Number of data fields."""
        return self.fields.shape[1]

    def text(self, k: int) -> np.ndarray:
        """Return field k, counted from 1, of all cards without blanks around it, (n,) bytes; empty beyond the last."""
        if k > self.width:
            return np.full(len(self), b"")
        return np.char.strip(self.fields[:, k - 1])

    def given(self, k: int) -> np.ndarray:
        """Return whether field k is not blank, (n,)."""
        return self.text(k) != b""

    def ints(self, k: int, default: int | None = None) -> np.ndarray:
        """Return field k as whole numbers (n,); CardError for others, and for blank ones without a default."""
        return self._numbers(k, default, np.dtype(np.int64))

    def reals(self, k: int, default: float | None = None) -> np.ndarray:
        """Return field k as real numbers (n,); CardError for others, and for blank ones without a default."""
        return self._numbers(k, default, np.dtype(float))

    def _numbers(self, k: int, default: float | None, kind: np.dtype) -> np.ndarray:
        if default is not None and k > self.width:
            return np.full(len(self), default, kind)
        text = self.text(k)
        blank = text == b""
        if blank.any():
            if default is None:
                raise CardError(self.lines[blank][0], f"field {k + 1} is blank")
            text = np.where(blank, repr(default).encode(), text)
        try:
            values = text.astype(kind)
        except (ValueError, OverflowError):
            values = np.array([self._number(one, k, i, kind) for i, one in enumerate(text)], kind)
        far = np.abs(values) > _LARGEST_NUMBER if kind == np.int64 else ~np.isfinite(values)
        if far.any():
            raise CardError(self.lines[far][0], f"field {k + 1} holds {text[far][0].decode('latin-1')!r}")
        return values

    def _number(self, text: bytes, k: int, row: int, kind: np.dtype) -> float:
        word = text.decode("latin-1").upper()
        try:
            return int(word) if kind == np.int64 else real(word)
        except ValueError:
            what = "a whole number" if kind == np.int64 else "a number"
            raise CardError(self.lines[row], f"field {k + 1} holds {word!r}, where {what} must be") from None

    def numbers(self, first: int, count: int) -> np.ndarray:
        """Return whole numbers of ``count`` fields from ``first`` on, (n, count), 0 where a field is blank."""
        return np.column_stack([self.ints(first + k, 0) for k in range(count)])

    def rows(self) -> Iterator[Row]:
        """Yield the cards one by one."""
        for line, row in zip(self.lines, self.fields, strict=True):
            yield Row(self.name, int(line), [_word(one) for one in row])


def _word(data: bytes) -> str:
    """Return a field as text in capitals; a whole number without its plus."""
    word = data.decode("latin-1").strip().upper()
    return word[1:] if word[:1] == "+" and word[1:].isdecimal() else word


@dataclass(eq=False)
class Row:
    """One card: its data fields, counted from 1, as text in capitals."""

    name: str
    line: int
    words: list[str]

    def word(self, k: int, default: str = "") -> str:
        """Return field k."""
        return (self.words[k - 1] if k <= len(self.words) else "") or default

    def whole(self, k: int, default: int | None = None) -> int:
        """Return field k as a whole number."""
        if not self.word(k) and default is not None:
            return default
        try:
            return int(self.word(k))
        except ValueError:
            raise self._wrong(k, "a whole number") from None

    def real(self, k: int, default: float | None = None) -> float:
        """Return field k as a real number."""
        if not self.word(k) and default is not None:
            return default
        try:
            return real(self.word(k))
        except ValueError:
            raise self._wrong(k, "a number") from None

    def reals(self, first: int, count: int, default: float | None = None) -> np.ndarray:
        """Return real numbers of ``count`` fields from ``first`` on."""
        return np.array([self.real(first + k, default) for k in range(count)])

    def components(self, word: str) -> frozenset[str]:
        """Return the components "1" to "6" that a word of the card names; CardError for others."""
        found = frozenset(word)
        if not word or found - frozenset("123456"):
            raise self.error(f"{self.name} {self.whole(1)}: {word!r} are no components (1 to 6)")
        return found

    def error(self, words: str) -> CardError:
        """Return an error at this card."""
        return CardError(self.line, words)

    def _wrong(self, k: int, what: str) -> CardError:
        here = self.word(k)
        return self.error(
            f"field {k + 1} holds {here!r}, where {what} must be" if here else f"field {k + 1} is blank"
        )

    def members(self, first: int) -> list[int]:
        """Return the whole numbers from field ``first`` on, THRU ranges (with BY) written out; blanks are skipped."""
        words = [word for word in self.words[first - 1 :] if word]
        found: list[int] = []
        k = 0
        while k < len(words):
            if words[k] == "THRU":
                if not found or k + 1 >= len(words):
                    raise self.error("THRU stands without its numbers")
                step, used = 1, 2
                if words[k + 2 : k + 3] == ["BY"] and k + 3 < len(words):
                    step, used = self._whole(words[k + 3]), 4
                last = self._whole(words[k + 1])
                if step < 1 or last < found[-1] or last - found[-1] > _LARGEST_NUMBER // 256:
                    raise self.error(f"THRU can't go from {found[-1]} to {last}")
                found += range(found[-1] + step, last + 1, step)
                k += used
            else:
                found.append(self._whole(words[k]))
                k += 1
        return found

    def _whole(self, word: str) -> int:
        try:
            return int(word)
        except ValueError:
            raise self.error(f"{word!r} stands where a whole number must be") from None


def real(word: str) -> float:
    """Return a Nastran real; ValueError for other words."""
    if not _REAL.fullmatch(word):
        raise ValueError(word)
    word = word.replace("D", "E")
    return float(word if "E" in word else _EXPONENT.sub(r"E\1", word))


@dataclass(eq=False)
class Deck:
    """All cards of a file by name, each name in tables of cards that have the same form."""

    tables: dict[str, list[Table]] = field(default_factory=dict)

    def of(self, *names: str) -> list[Table]:
        """Return the tables of some names."""
        return [table for name in names for table in self.tables.get(name, ())]

    def rows(self, *names: str) -> Iterator[Row]:
        """Yield all cards of some names in the order of their lines."""
        found = [row for table in self.of(*names) for row in table.rows()]
        yield from sorted(found, key=lambda row: row.line)


class _Collector:
    """Puts physical lines together to cards."""

    def __init__(self) -> None:
        #: texts and lines by name, width of fields and number of rows of eight fields
        self.found: dict[tuple[bytes, int, int], tuple[list[bytes], list[int]]] = {}
        self.name, self.line, self.mark = b"", 0, b""
        #: rows of eight fields: (width, text)
        self.rows: list[tuple[int, bytes]] = []
        self.half = False
        #: names of cards by the first eight characters of lines of small fields; blank for continuations
        self.known: dict[bytes, bytes] = {}
        #: marks that cards name and that no line answered, and those of lines whose card does not name them
        self.asked: set[bytes] = set()
        self.stray: dict[bytes, int] = {}

    def begin(self, name: bytes, line: int, width: int, data: bytes, mark: bytes) -> None:
        """Begin a card."""
        self.finish()
        self.name, self.line = name, line
        self.rows, self.half = [(width, data)], width == 16
        self.mark = mark

    def extend(self, line: int, width: int, data: bytes, own: bytes, mark: bytes) -> None:
        """Continue the card."""
        if not self.name:
            raise CardError(line, "a continuation stands before any card")
        if own and own != self.mark:
            if self.mark or own in self.asked:
                named = f"names {self.mark.decode('latin-1')!r}" if self.mark else "stands above"
                raise CardError(
                    line,
                    f"the continuation {own.decode('latin-1')!r} does not follow its card, which {named}; {_IN_ORDER}",
                )
            self.stray.setdefault(own, line)
        if width == 16 and self.half:
            before = self.rows[-1][1]
            self.rows[-1] = (16, before.ljust(64) + data)
            self.half = False
        else:
            self.rows.append((width, data))
            self.half = width == 16
        self.mark = mark

    def finish(self) -> None:
        """Store the card."""
        if not self.name:
            return
        if self.mark in self.stray:
            raise CardError(
                self.stray[self.mark],
                f"the continuation {self.mark.decode('latin-1')!r} stands before its card; {_IN_ORDER}",
            )
        if self.mark:
            self.asked.add(self.mark)
        rows = self.rows
        if len(rows) == 1:
            width, text = rows[0]
        else:
            width = max(row[0] for row in rows)
            text = b"".join(data.ljust(8 * width) if own == width else _widened(data) for own, data in rows)
        key = (self.name, width, len(rows))
        its = self.found.get(key)
        if its is None:
            its = self.found[key] = ([], [])
        texts, lines = its
        texts.append(text)
        lines.append(self.line)
        self.name = b""


def _widened(data: bytes) -> bytes:
    """Return eight fields of 8 characters as fields of 16."""
    data = data.ljust(64)
    return b"".join(data[k : k + 8].ljust(16) for k in range(0, 64, 8))


def deck_of(lines: Lines, bulk: range) -> Deck:
    """Return the cards of the bulk data section."""
    collector = _Collector()
    numbers = lines.number
    with progress(len(bulk), "reading cards", "lines") as bar:
        for at in range(bulk.start, bulk.stop, _LINES_A_TURN):
            stop = min(at + _LINES_A_TURN, bulk.stop)
            for k in range(at, stop):
                _read_line(collector, lines.text[k], numbers[k])
            bar.update(stop - at)
    collector.finish()
    deck = Deck()
    for (name, width, rows), (texts, places) in collector.found.items():
        fields = np.array(texts, f"S{8 * width * rows}").view(f"S{width}").reshape(len(texts), -1)
        word = name.decode("latin-1")
        deck.tables.setdefault(word, []).append(Table(word, fields, np.array(places, np.int64)))
    return deck


def _read_line(collector: _Collector, line: bytes, number: int) -> None:
    """Add one physical line."""
    name = collector.known.get(line[:8])
    if name is not None and b"$" not in line and b"," not in line[:10] and b"\t" not in line:
        mark = line[72:80]
        if mark:
            mark = mark.strip().lstrip(b"+*").strip()
        if name:
            collector.begin(name, number, 8, line[8:72], mark)
        else:
            collector.extend(number, 8, line[8:72], b"", mark)
        return
    if b"$" in line:
        line = line[: line.index(b"$")]
    if b"," in line[:10]:
        _read_free(collector, line, number)
        return
    if b"\t" in line:
        line = line.expandtabs(8)
    first = line[:8]
    name = first.strip()
    if not name and not line.strip():
        return
    width = 16 if b"*" in first else 8
    mark = line[72:80]
    if mark:
        mark = mark.strip().lstrip(b"+*").strip()
    if not name or name[0] in b"+*":
        own = name.lstrip(b"+*").strip()
        if width == 8 and name and not own:
            collector.known[first] = b""
        collector.extend(number, width, line[8:72], own, mark)
    else:
        name = _checked(name, number)
        if width == 8 and b"," not in first:
            collector.known[first] = name
        collector.begin(name, number, width, line[8:72], mark)


def _checked(name: bytes, number: int) -> bytes:
    """Return the name of a card in capitals, without the mark of large fields."""
    name = name.rstrip(b"*").rstrip().upper()
    if not name.isalnum() or not name[:1].isalpha():
        raise CardError(number, f"{name.decode('latin-1')!r} is not a name of a card")
    return name


def _rounded(word: bytes, number: int) -> bytes:
    """Return a real of more than 16 characters with those digits that 16 hold, at least nine; CardError for others."""
    text = word.decode("latin-1")
    if "." not in text or not _REAL.fullmatch(text.upper()):
        raise CardError(number, f"the field {text!r} is longer than 16 characters and not a real number")
    value = real(text.upper())
    texts = (f"{value:#.{digits}g}".encode() for digits in range(15, 7, -1))
    return next(text for text in texts if len(text) <= 16)


def _read_free(collector: _Collector, line: bytes, number: int) -> None:
    """Add one line of free fields."""
    words = [word.strip() for word in line.split(b",")]
    first, data = words[0], words[1:]
    width = 16 if b"*" in first else 8
    count = 64 // width
    mark = b""
    if len(data) > count:
        mark, rest = data[count].lstrip(b"+*"), data[count + 1 :]
        if any(rest) or (data[count] and data[count][:1] not in b"+*"):
            raise CardError(number, f"a line has more than {count} fields; continue it on the next line")
    data = [word if len(word) <= 16 else _rounded(word, number) for word in data[:count]]
    if width == 8:  # 8 fields of up to 16 characters
        body = b"".join(word.ljust(16) for word in data[:8]).ljust(128)
        parts = (body[:64], body[64:])
    else:
        parts = (b"".join(word.ljust(16) for word in data[:4]),)
    if not first or first[:1] in (b"+", b"*"):
        own = first.lstrip(b"+*")
        if width == 8 and collector.half:
            collector.half = False
        collector.extend(number, 16, parts[0], own, mark)
    else:
        collector.begin(_checked(first, number), number, 16, parts[0], mark)
    if len(parts) == 2:
        collector.extend(number, 16, parts[1], b"", mark)
