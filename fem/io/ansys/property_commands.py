"""Commands that define element types, materials, real constants and sections."""

from __future__ import annotations

from .blocks import DeckError, Format, columns
from .deck import Section
from .source import Command, Source, integer, number

#: labels of elasticity and density, and of damping
_MATERIAL = (*("EX", "EY", "EZ", "PRXY", "PRYZ", "PRXZ", "NUXY", "NUYZ", "NUXZ", "GXY", "GYZ", "GXZ"), "DENS")
#: tables of elasticity
_ELASTIC_TABLES = ("ELAS", "ANEL", "HYPE", "JROC", "BB", "AHYP")
_DAMPING = ("ALPD", "BETD", "DAMP", "DMPR", "DMPS")


class PropertyCommands:
    """Element types and their options, materials, real constants, and sections."""

    def __init__(self, source: Source) -> None:
        self.source, self.deck = source, source.deck
        self.section = self.real = 0

    def table(self) -> dict[str, Command]:
        """Return the commands by their names."""
        return {
            "ET": self._et, "KEYOP": self._keyopt, "KEYOPT": self._keyopt, "MP": self._mp, "MPDATA": self._mpdata,
            "/UNITS": self._units, "TB": self._tb, "TBDATA": self._told_above, "TBTEMP": self._told_above,
            "TBPT": self._told_above, "R": self._r, "RMORE": self._rmore, "RLBLOCK": self._rlblock,
            "SECTYPE": self._sectype, "SECDATA": self._secdata, "SECBLOCK": self._secblock,
            "SECOFFSET": self._secoffset, "SECCONTROL": self._seccontrol, "SECCONTROLS": self._seccontrol,
        }  # fmt: skip

    def _units(self, words: list[str]) -> None:
        self.deck.units = words[1].upper() if len(words) > 1 else ""

    def _tb(self, words: list[str]) -> None:
        """Refuse elasticity that is given by a table; what is beyond linear elasticity is left out."""
        label = (words[1].upper() if len(words) > 1 else "")[:4]
        if label in _ELASTIC_TABLES:
            raise DeckError(
                self.source.at, f"TB,{label} is not supported: give the elasticity by MP (EX, PRXY, GXY, ...)"
            )
        self.deck.left_out.add(f"TB,{label}", "the material is linear elastic", str(self.source.at))

    def _told_above(self, words: list[str]) -> None:
        """Pass over the rows of a table that is left out."""

    def _et(self, words: list[str]) -> None:
        text = words[2].upper()
        digits = text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        self.deck.types[integer(words, 1)] = (text, int(digits))
        for k in range(3, min(len(words), 9)):
            if words[k]:
                self.deck.options[integer(words, 1), k - 2] = integer(words, k)

    def _keyopt(self, words: list[str]) -> None:
        self.deck.options[integer(words, 1), integer(words, 2)] = integer(words, 3)

    def _mp(self, words: list[str]) -> None:
        self._material(integer(words, 2), words[1], number(words, 3))
        if any(words[4:]):
            self.deck.left_out.add(
                "MP", "properties that depend on temperature are constant", str(self.source.at)
            )

    def _mpdata(self, words: list[str]) -> None:
        # MPDATA,R5.0,count,label,material,first,values  or  MPDATA,label,material,first,values
        label, material, first = (words[3], 4, 5) if words[1].upper().startswith("R5") else (words[1], 2, 3)
        values = [word for word in words[first + 1 :] if word]
        if integer(words, first) <= 1 and values:
            self._material(integer(words, material), label, number(values, 0))
        if len(values) > 1 or integer(words, first) > 1:
            self.deck.left_out.add(
                "MPDATA",
                "of properties that depend on temperature the first value is used",
                str(self.source.at),
            )

    def _material(self, material: int, label: str, value: float) -> None:
        label = label.upper()
        if label in _MATERIAL:
            self.deck.materials[material][label] = value
            self.deck.material_lines[material] = self.source.at
        elif value:
            why = (
                "give damping_ratio= of the body" if label in _DAMPING else "elasticity and density are read"
            )
            self.deck.left_out.add(f"MP,{label}", why, str(self.source.at))

    def _r(self, words: list[str]) -> None:
        self.real = integer(words, 1)
        self.deck.reals[self.real] = [number(words, k) for k in range(2, 8)]

    def _rmore(self, words: list[str]) -> None:
        values = self.deck.reals.setdefault(self.real, [])
        values += [0.0] * (-len(values) % 6)
        values += [number(words, k) for k in range(1, 7)]

    def _rlblock(self, words: list[str]) -> None:
        count = integer(words, 1)
        source, head, rest = self.source, self.source.format(), self.source.format()
        for _ in range(count):
            line = source.lines[source.at]
            constants, size = columns([line], source.at + 1, 0, 2, head.width, "i")[0].tolist()
            values = self._reals(head, 2 * head.width)
            while len(values) < size:
                values += self._reals(rest, 0)
            self.deck.reals[constants] = values[:size]

    def _reals(self, form: Format, start: int) -> list[float]:
        """Return the numbers of the next line from column ``start`` on."""
        self.source.at += 1
        line = self.source.lines[self.source.at - 1]
        return columns([line], self.source.at, start, form.reals, form.real_width, "d")[0].tolist()

    def _sectype(self, words: list[str]) -> None:
        self.section = integer(words, 1)
        kind, subtype, name = (words[k].upper() if k < len(words) else "" for k in (2, 3, 4))
        self.deck.sections[self.section] = Section(kind, subtype, name, line=self.source.at)

    def _secdata(self, words: list[str]) -> None:
        self._section().rows.append([number(words, k) for k in range(1, len(words))])

    def _secblock(self, words: list[str]) -> None:
        section = self._section()
        for _ in range(integer(words, 1)):
            row = [word.strip() for word in self.source.lines[self.source.at].split(",") if word.strip()]
            section.rows.append([number(row, k) for k in range(len(row))])
            self.source.at += 1

    def _secoffset(self, words: list[str]) -> None:
        section = self._section()
        if any(words[4:]):
            raise DeckError(
                self.source.at, "SECOFFSET with its own centroid or shear centre is not supported"
            )
        section.offset = (words[1].upper() if len(words) > 1 else "") or "MID"
        section.offsets = number(words, 2), number(words, 3)

    def _seccontrol(self, words: list[str]) -> None:
        """Refuse a mass or a shear stiffness that comes on top; stiffnesses against hourglass modes are ours."""
        count = {"SHELL": 4, "BEAM": 3}.get(self._section().kind, 0)
        if any(number(words, k) for k in range(1, 1 + count)):
            raise DeckError(
                self.source.at, "SECCONTROL with a shear stiffness or an added mass is not supported"
            )

    def _section(self) -> Section:
        if self.section not in self.deck.sections:
            raise DeckError(self.source.at, "there is no SECTYPE above")
        return self.deck.sections[self.section]
