"""The commands of an archive (``.cdb``, ``.dat``): what they define, in the units and numbers of the file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ...mesh.left_out import Omissions
from .blocks import (
    DeckError,
    ElementBlock,
    Format,
    NodeBlock,
    columns,
    format_of,
    members,
    node_block,
    plain_block,
    solid_block,
)


@dataclass(eq=False)
class Section:
    """A section: its kind (SHELL, BEAM, ...), subtype, data rows and offset."""

    kind: str = ""
    subtype: str = ""
    name: str = ""
    rows: list[list[float]] = field(default_factory=list)
    offset: str = "MID"
    line: int = 0


@dataclass(eq=False)
class Terms:
    """A constraint equation: terms (node, component, coefficient), and its constant."""

    line: int
    terms: list[tuple[int, str, float]] = field(default_factory=list)
    constant: float = 0.0


@dataclass(eq=False)
class Deck:
    """The content of an archive; numbers of nodes and elements as in the file."""

    nodes: list[NodeBlock] = field(default_factory=list)
    elements: list[ElementBlock] = field(default_factory=list)
    types: dict[int, tuple[str, int]] = field(default_factory=dict)
    options: dict[tuple[int, int], int] = field(default_factory=dict)
    reals: dict[int, list[float]] = field(default_factory=dict)
    materials: dict[int, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    sections: dict[int, Section] = field(default_factory=dict)
    systems: dict[int, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    node_components: dict[str, np.ndarray] = field(default_factory=dict)
    element_components: dict[str, np.ndarray] = field(default_factory=dict)
    equations: dict[int, Terms] = field(default_factory=dict)
    couplings: dict[int, tuple[int, str, list[int]]] = field(default_factory=dict)
    supports: dict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    left_out: Omissions = field(default_factory=Omissions)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


#: commands that say nothing about the part
_SILENT = _words(
    "DOF",
    "IRLF KUSE CRPLIM NCNV NEQIT CUTCONTROL",
    "/PREP7 /NOPR /GOPR /GO /TITLE /COM /BATCH /UNITS /SOLU /POST1 /WB /FILNAME /NERR /CONFIG /OUT",
    "/OUTPUT /SHOW /VIEW /ESHAPE /REPLOT /DEVICE /PNUM /VUP /ANG /DIST /AUTO /GRAPHICS /STITLE /EOF",
    "/FINISH FINISH FINI SHPP EXTOPT *SET *DIM *IF *ELSE *ELSEIF *ENDIF NUMOFF ANTYPE MODOPT",
    "MODCONTROL QRDOPT MPTEMP MPTGEN TREF BFUNIF BFUNIFT ERESX RLNUM CGLOC CGOMEGA DCGOMG DOMEGA ESEL",
    "NSEL ALLSEL ALLS CMSEL MXPAND EQSLV PSTRES LUMPM SOLVE SAVE RESUME OUTRES OUTPR DSYS /NOLIST",
    "/LIST MPDELE ETCON *GET CSCIR AUTOTS NSUBST DELTIM TIME KBC NLGEOM CNVTOL RESCONTROL LSWRITE NROPT",
    "CMPLOT EPLOT NPLOT SECLIB DESIZE MSHAPE MSHKEY SMRTSIZE TOFFST STABILIZE",
    "*STATUS /MPLIB KEYW *CFOPEN *CFCLOS *VWRITE *MSG /INQUIRE CDOPT CZDEL UIMP BFINT HBC TCHG ARCTRM",
    "OPNCONTROL LSCLEAR DDELE FDELE SFEDELE SPCDELE PARSAV PARRES *DEL WPCSYS THOPT SEEXP CNTR RATE",
)
#: loads, which analyses are given
_LOADS = _words(
    "F FK FL SF SFE SFA SFL SFBEAM BF BFE BFK ACEL OMEGA CMOMEGA CMDOMEGA CMACEL INISTATE FCUM SFCUM",
    "BFECUM DCUM SFGRAD IC ALPHAD BETAD DMPRAT DMPSTR DMPSTRUCT MDAMP PRED SLOAD PSDRES DJ FJ TUNIF",
)
#: commands that make or change parts of the model and are not followed
_MAKERS = _words(
    "NGEN NSCALE NSYM NROTAT NMODIF EGEN ESYM EMODIF ENGEN FILL NREAD EREAD CERIG RBE3 EINTF CEINTF",
    "CPINTF CECYC CPCYC CYCLIC *DO *REPEAT *USE *VREAD *ENDDO /INPUT *INCLUDE SE KNODE VMESH AMESH LMESH",
    "ADELE CECMOD NUMMRG TRANSFER ENSYM ESURF EMORE",
)
_LABELS = {"UX": "x", "UY": "y", "UZ": "z", "ROTX": "rx", "ROTY": "ry", "ROTZ": "rz"}


class Reader:
    """Reads the lines of a file into a :class:`Deck`; :class:`DeckError` for a damaged line."""

    def __init__(self, lines: list[str], moved: Callable[[int], None]) -> None:
        self.deck, self.lines, self.moved = Deck(), lines, moved
        self.at = 0  # index of the line after the current one
        self.current = {"TYPE": 1, "MAT": 1, "REAL": 1, "SECNUM": 0, "ESYS": 0}
        self.section = self.real = self.csys = 0
        self.since_none = {"ELEM": 0, "NODE": 0}
        self.partial: set[str] = set()

    def read(self) -> Deck:
        """Read all lines."""
        while self.at < len(self.lines):
            line = self.lines[self.at].split("!")[0]
            self.at += 1
            if line.strip() in ("/EOF", "/eof"):
                break
            titled = line.lstrip()[:4].upper() in ("/TIT", "/COM", "C***")
            for part in [line] if titled else line.split("$"):
                words = [word.strip() for word in part.split(",")]
                if words[0]:
                    self._command(words[0].upper(), words)
        return self.deck

    def _command(self, name: str, words: list[str]) -> None:
        method = _COMMANDS.get(name)
        if method is not None:
            try:
                method(self, words)
            except DeckError:
                raise
            except (ValueError, IndexError, OverflowError) as error:
                raise DeckError(self.at, f"{','.join(words)[:60]!r} can't be read ({error})") from None
        elif name in _MAKERS:
            raise DeckError(
                self.at, f"{name} is not supported; let ANSYS write the model out: CDWRITE,DB,part,cdb"
            )
        elif name in _LOADS:
            self.deck.left_out.add(name, "loads are given to the analyses", str(self.at))
        elif name in _SELECTIONS and name not in _COMMANDS:
            pass
        elif name not in _SILENT and not name.startswith(("/", "_")) and "=" not in words[0]:
            self.deck.left_out.add(name, "the command is not read", str(self.at))

    def number(self, words: list[str], k: int) -> float:
        """Return a number of a command, 0 where it is missing."""
        return float(words[k].upper().replace("D", "E")) if k < len(words) and words[k] else 0.0

    def integer(self, words: list[str], k: int) -> int:
        """Return a whole number of a command, 0 where it is missing."""
        value = self.number(words, k)
        if value != int(value):
            raise ValueError(f"{words[k]!r} is not a whole number")
        return int(value)

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

    # ---- nodes and elements

    def _nblock(self, words: list[str]) -> None:
        form = format_of(self.lines[self.at] if self.at < len(self.lines) else "", self.at + 1)
        header = self.at
        self.at += 1
        lines, first = self.block(lambda line: line[:2].upper() == "N," or line.strip()[:2] == "-1", form)
        announced = self.integer(words, 4) if len(words) > 4 else 0
        if announced and announced != len(lines):
            raise DeckError(
                header, f"{announced} nodes are announced, {len(lines)} follow; the file is damaged"
            )
        if lines:
            self.deck.nodes.append(node_block(lines, first, form))

    def _eblock(self, words: list[str]) -> None:
        form = format_of(self.lines[self.at] if self.at < len(self.lines) else "", self.at + 1)
        header = self.at
        self.at += 1
        lines, first = self.block(lambda line: line.strip() == "-1", form)
        if not lines:
            return
        if form.integers < 12:
            raise DeckError(first - 1, f"the format has {form.integers} columns; elements need 12 and more")
        solid = len(words) > 2 and words[2].upper() == "SOLID"
        block = (
            solid_block(lines, first, form) if solid else plain_block(lines, first, form, self.current["MAT"])
        )
        announced = self.integer(words, 4) if len(words) > 4 else 0
        if announced and announced != len(block.number):
            raise DeckError(
                header, f"{announced} elements are announced, {len(block.number)} follow; the file is damaged"
            )
        self.deck.elements.append(block)

    def _n(self, words: list[str]) -> None:
        if len(words) > 1 and words[1].upper().startswith("R5"):  # without blocks: N,R5.3,LOC,node,x,y,z
            if words[2].upper() == "LOC" and self.integer(words, 3) > 0:
                self.csys = 0  # such lines are always in global axes
                self._n(["N", *words[3:7]])
            elif words[2].upper() == "ANG" and self.deck.nodes:
                self.deck.nodes[-1].angles[:] = [self.number(words, k) for k in range(4, 7)]
            return
        if self.csys:
            raise DeckError(
                self.at,
                f"a node in the coordinate system {self.csys} (CSYS) is not supported; write CSYS,0 above",
            )
        x = np.array([[self.number(words, k) for k in range(2, 8)]])
        self.deck.nodes.append(NodeBlock(np.array([self.integer(words, 1)]), x[:, :3], x[:, 3:]))

    def _en(self, words: list[str]) -> None:
        if len(words) > 1 and words[1].upper().startswith("R5"):
            if self.integer(words, 3) >= 0:
                raise DeckError(
                    self.at, "elements without a block are not read: CDWRITE,DB,part,cdb,,,,BLOCKED"
                )
            return  # the end of such elements
        ids = [self.integer(words, k) for k in range(2, len(words)) if words[k]]
        nodes = np.zeros((1, 20), np.int64)
        nodes[0, : len(ids)] = ids
        material, kind, real, section, system = (
            np.array([self.current[key]]) for key in ("MAT", "TYPE", "REAL", "SECNUM", "ESYS")
        )
        zero, one = np.zeros(1, np.int64), np.array([self.integer(words, 1)])
        count, line = np.array([len(ids)]), np.array([self.at])
        self.deck.elements.append(
            ElementBlock(material, kind, real, section, system, zero, one, count, nodes, line)
        )

    def _e(self, words: list[str]) -> None:
        known = max((int(block.number.max()) for block in self.deck.elements), default=0)
        self._en(["EN", str(known + 1), *words[1:]])

    def _attribute(self, words: list[str]) -> None:
        self.current[words[0].upper()] = self.integer(words, 1)

    # ---- components

    def _cmblock(self, words: list[str]) -> None:
        name, kind, count = words[1], words[2].upper()[:4], self.integer(words, 3)
        form = format_of(self.lines[self.at], self.at + 1)
        rows = -(-count // form.integers)
        first = self.at + 2
        lines = self.lines[self.at + 1 : self.at + 1 + rows]
        self.at += 1 + rows
        if len(lines) < rows:
            raise DeckError(len(self.lines), f"the component {name} goes on: the file was cut off")
        numbers = columns(lines, first, 0, form.integers, form.width, "i").ravel()[:count]
        if (numbers == -1).any():  # missing; no range ends at 1
            raise DeckError(
                first + rows - 1,
                f"the component {name} has {np.count_nonzero(numbers != -1)} of its {count} numbers: the file was cut "
                "off or is damaged",
            )
        target = self.deck.element_components if kind.startswith("ELEM") else self.deck.node_components
        target[name] = members(numbers)

    def _cm(self, words: list[str]) -> None:
        """Take what is selected: all, or what came after ``ESEL,NONE``."""
        name, kind = words[1], (words[2].upper() if len(words) > 2 else "")[:4]
        if kind not in ("ELEM", "NODE"):
            self.deck.left_out.add("CM", "only components of nodes and elements are read", str(self.at))
        elif kind in self.partial:
            self.deck.left_out.add("CM", "its selection (NSEL, ESEL) is not followed", str(self.at))
        elif kind == "ELEM":
            later = self.deck.elements[self.since_none["ELEM"] :]
            self.deck.element_components[name] = np.concatenate(
                [np.empty(0, np.int64), *(b.number for b in later)]
            )
        else:
            blocks = self.deck.nodes[self.since_none["NODE"] :]
            self.deck.node_components[name] = np.concatenate(
                [np.empty(0, np.int64), *(b.ids for b in blocks)]
            )

    def _select(self, words: list[str]) -> None:
        kind = "ELEM" if words[0].upper() == "ESEL" else "NODE"
        how = words[1].upper() if len(words) > 1 else ""
        self.partial.discard(kind)
        if how.startswith("NONE"):
            self.since_none[kind] = len(self.deck.elements if kind == "ELEM" else self.deck.nodes)
        elif how in ("ALL", ""):
            self.since_none[kind] = 0
        else:
            self.partial.add(kind)

    def _select_all(self, words: list[str]) -> None:
        self.partial.clear()
        self.since_none = {"ELEM": 0, "NODE": 0}

    # ---- properties

    def _et(self, words: list[str]) -> None:
        text = words[2].upper()
        digits = text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        self.deck.types[self.integer(words, 1)] = (text, int(digits))
        for k in range(3, min(len(words), 9)):
            if words[k]:
                self.deck.options[self.integer(words, 1), k - 2] = self.integer(words, k)

    def _keyopt(self, words: list[str]) -> None:
        self.deck.options[self.integer(words, 1), self.integer(words, 2)] = self.integer(words, 3)

    def _mp(self, words: list[str]) -> None:
        self._material(self.integer(words, 2), words[1], self.number(words, 3))
        if any(words[4:]):
            self.deck.left_out.add("MP", "properties that depend on temperature are constant", str(self.at))

    def _mpdata(self, words: list[str]) -> None:
        # MPDATA,R5.0,count,label,material,first,values  or  MPDATA,label,material,first,values
        label, material, first = (words[3], 4, 5) if words[1].upper().startswith("R5") else (words[1], 2, 3)
        values = [word for word in words[first + 1 :] if word]
        if self.integer(words, first) <= 1 and values:
            self._material(self.integer(words, material), label, float(values[0].upper().replace("D", "E")))
        if len(values) > 1 or self.integer(words, first) > 1:
            self.deck.left_out.add(
                "MPDATA", "of properties that depend on temperature the first value is used", str(self.at)
            )

    def _material(self, number: int, label: str, value: float) -> None:
        self.deck.materials[number][label.upper()] = value

    def _r(self, words: list[str]) -> None:
        self.real = self.integer(words, 1)
        self.deck.reals[self.real] = [self.number(words, k) for k in range(2, 8)]

    def _rmore(self, words: list[str]) -> None:
        values = self.deck.reals.setdefault(self.real, [])
        values += [0.0] * (-len(values) % 6)
        values += [self.number(words, k) for k in range(1, 7)]

    def _rlblock(self, words: list[str]) -> None:
        count = self.integer(words, 1)
        head, rest = (format_of(self.lines[self.at + k], self.at + k + 1) for k in (0, 1))
        self.at += 2
        for _ in range(count):
            line, values = self.lines[self.at], []
            number, size = columns([line], self.at + 1, 0, 2, head.width, "i")[0].tolist()
            values += columns([line], self.at + 1, 2 * head.width, head.reals, head.real_width, "d")[
                0
            ].tolist()
            self.at += 1
            while len(values) < size:
                values += columns([self.lines[self.at]], self.at + 1, 0, rest.reals, rest.real_width, "d")[
                    0
                ].tolist()
                self.at += 1
            self.deck.reals[number] = values[:size]

    def _sectype(self, words: list[str]) -> None:
        self.section = self.integer(words, 1)
        kind, subtype, name = (words[k].upper() if k < len(words) else "" for k in (2, 3, 4))
        self.deck.sections[self.section] = Section(kind, subtype, name, line=self.at)

    def _secdata(self, words: list[str]) -> None:
        self._section().rows.append([self.number(words, k) for k in range(1, len(words))])

    def _secblock(self, words: list[str]) -> None:
        section = self._section()
        for _ in range(self.integer(words, 1)):
            row = self.lines[self.at].split(",")
            section.rows.append([float(word.upper().replace("D", "E") or 0) for word in row if word.strip()])
            self.at += 1

    def _secoffset(self, words: list[str]) -> None:
        self._section().offset = ",".join(word.upper() for word in words[1:4] if word) or "MID"

    def _seccontrol(self, words: list[str]) -> None:
        """Refuse a mass or a shear stiffness that comes on top; stiffnesses against hourglass modes are ours."""
        count = {"SHELL": 4, "BEAM": 3}.get(self._section().kind, 0)
        if any(self.number(words, k) for k in range(1, 1 + count)):
            raise DeckError(self.at, "SECCONTROL with a shear stiffness or an added mass is not supported")

    def _csys(self, words: list[str]) -> None:
        self.csys = self.integer(words, 1)

    def _section(self) -> Section:
        if self.section not in self.deck.sections:
            raise DeckError(self.at, "there is no SECTYPE above")
        return self.deck.sections[self.section]

    def _local(self, words: list[str]) -> None:
        if words[1].upper().startswith("R5"):
            what, number = words[2].upper(), self.integer(words, 3)
            self.deck.systems[number][what] = [self.number(words, k) for k in range(4, 8)]
            return
        self.csys = number = self.integer(words, 1)  # which is active from here on
        self.deck.systems[number] = {
            "LOC": [self.number(words, k) for k in range(2, 6)],
            "ANG": [self.number(words, k) for k in range(6, 9)],
        }

    # ---- constraints

    def _ce(self, words: list[str]) -> None:
        deck = self.deck
        if words[1].upper().startswith("R5"):
            if words[2].upper() == "DEFI":
                self.real_equation = self.integer(words, 4)
                deck.equations[self.real_equation] = Terms(self.at, constant=self.number(words, 5))
                return
            number, at = self.real_equation, 3
        else:
            number, at = self.integer(words, 1), 3
            deck.equations.setdefault(number, Terms(self.at)).constant = self.number(words, 2)
        for k in range(at, len(words) - 2, 3):
            if words[k]:
                term = self.integer(words, k), self._label(words[k + 1]), self.number(words, k + 2)
                deck.equations[number].terms.append(term)

    def _cp(self, words: list[str]) -> None:
        if words[1].upper().startswith("R5"):
            if words[2].upper() == "DEFI":
                self.set_of_couplings = self.integer(words, 4)
                self.deck.couplings[self.set_of_couplings] = (self.at, self._label(words[5]), [])
                return
            number, at = self.set_of_couplings, 3
        else:
            number, at = self.integer(words, 1), 3
            self.deck.couplings.setdefault(number, (self.at, self._label(words[2]), []))
        self.deck.couplings[number][2].extend(
            self.integer(words, k) for k in range(at, len(words)) if words[k]
        )

    def _d(self, words: list[str]) -> None:
        label = words[2].upper() if len(words) > 2 else ""
        if not words[1].isdecimal() or label not in (*_LABELS, "ALL"):
            self.deck.left_out.add("D", "only supports of single nodes are read", str(self.at))
            return
        for component in _LABELS.values() if label == "ALL" else (_LABELS[label],):
            self.deck.supports[component][self.integer(words, 1)] = self.number(words, 3)

    def _label(self, text: str) -> str:
        if text.upper() not in _LABELS:
            raise ValueError(f"{text!r} is not one of {', '.join(_LABELS)}")
        return _LABELS[text.upper()]


_SELECTIONS = {
    "ESEL": Reader._select,
    "NSEL": Reader._select,
    "ALLSEL": Reader._select_all,
    "ALLS": Reader._select_all,
}
_COMMANDS: dict[str, Callable[[Reader, list[str]], None]] = {
    "NBLOCK": Reader._nblock, "EBLOCK": Reader._eblock, "N": Reader._n, "E": Reader._e, "EN": Reader._en,
    **dict.fromkeys(("TYPE", "MAT", "REAL", "SECNUM", "ESYS"), Reader._attribute),
    "CMBLOCK": Reader._cmblock, "CM": Reader._cm, **_SELECTIONS,
    "ET": Reader._et, "KEYOP": Reader._keyopt, "KEYOPT": Reader._keyopt, "MP": Reader._mp, "MPDATA": Reader._mpdata,
    "R": Reader._r, "RMORE": Reader._rmore, "RLBLOCK": Reader._rlblock,
    "SECTYPE": Reader._sectype, "SECDATA": Reader._secdata, "SECBLOCK": Reader._secblock,
    "SECOFFSET": Reader._secoffset, "CSYS": Reader._csys,
    "SECCONTROL": Reader._seccontrol, "SECCONTROLS": Reader._seccontrol,
    "LOCAL": Reader._local, "CE": Reader._ce, "CP": Reader._cp, "D": Reader._d,
}  # fmt: skip
