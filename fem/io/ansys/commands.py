"""The commands of an archive (``.cdb``, ``.dat``), one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ...common.names import nearest
from .blocks import DeckError
from .conditions import Conditions
from .constraint_commands import ConstraintCommands
from .deck import Deck
from .mesh_commands import MeshCommands
from .parameters import Parameters
from .property_commands import PropertyCommands
from .selection import Selection
from .source import Command, Source


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


#: commands that say nothing about the part
_SILENT = _words(
    "DOF",
    "IRLF KUSE CRPLIM NCNV NEQIT CUTCONTROL",
    "/PREP7 /NOPR /GOPR /GO /TITLE /COM /BATCH /SOLU /POST1 /WB /FILNAME /NERR /CONFIG /OUT",
    "/OUTPUT /SHOW /VIEW /ESHAPE /REPLOT /DEVICE /PNUM /VUP /ANG /DIST /AUTO /GRAPHICS /STITLE /EOF",
    "/FINISH FINISH FINI SHPP EXTOPT *SET *DIM *ELSE *ELSEIF *ENDIF NUMOFF ANTYPE MODOPT",
    "MODCONTROL QRDOPT MPTEMP MPTGEN TREF BFUNIF BFUNIFT ERESX RLNUM CGLOC CGOMEGA DCGOMG DOMEGA",
    "MXPAND EQSLV PSTRES SOLVE SAVE RESUME OUTRES OUTPR DSYS /NOLIST",
    "/LIST MPDELE ETCON *GET CSCIR AUTOTS NSUBST DELTIM TIME KBC NLGEOM CNVTOL RESCONTROL LSWRITE NROPT",
    "CMPLOT EPLOT NPLOT SECLIB DESIZE MSHAPE MSHKEY SMRTSIZE TOFFST STABILIZE",
    "*STATUS /MPLIB KEYW *CFOPEN *CFCLOS *VWRITE *MSG /INQUIRE CDOPT CZDEL UIMP BFINT HBC TCHG ARCTRM",
    "TSHAPE NLDIAG DMPOPT XMLO SET",
    "OPNCONTROL LSCLEAR FDELE SFEDELE SPCDELE PARSAV PARRES *DEL WPCSYS THOPT SEEXP CNTR RATE",
)
#: loads, which analyses are given
_LOADS = _words(
    "F FK FL SF SFE SFA SFL SFBEAM BF BFE BFK ACEL OMEGA CMOMEGA CMDOMEGA CMACEL FCUM SFCUM",
    "BFECUM DCUM SFGRAD IC PRED SLOAD PSDRES DJ FJ TUNIF",
)
#: what else is given elsewhere
_ELSEWHERE = {
    **dict.fromkeys(
        ("ALPHAD", "BETAD", "DMPRAT", "DMPSTR", "DMPSTRUCT", "MDAMP"), "give damping_ratio= of the body"
    ),
    "LUMPM": "the mass is consistent; fem.assemble(lumped=True) lumps it",
    "DDELE": "supports that stand above it stay",
    "INISTATE": "initial stress is given to fem.preloaded",
}
#: commands that make or change parts of the model and are not followed
_MAKERS = _words(
    "NGEN NSCALE NSYM NROTAT NMODIF EGEN ESYM EMODIF ENGEN FILL NREAD EREAD CERIG RBE3 EINTF CEINTF",
    "CPINTF CECYC CPCYC CYCLIC *DO *IF *GO *REPEAT *USE *VREAD *ENDDO /INPUT *INCLUDE SE KNODE VMESH AMESH LMESH",
    "ADELE CECMOD NUMMRG TRANSFER ENSYM ESURF EMORE CLOCAL CS CSKP CSWPLA SECFUNCTION SECREAD SECMODIF",
    "CDREAD EDELE NDELE ETCHG MPCHG ENORM CEDELE CPDELE",
    "RMODIF CPNGEN CPLGEN CPSGEN CPMERGE CESGEN ENDRELEASE MPCOPY",
)
#: commands of ANSYS that leave the mesh as it is, and are spelled like one that is read
_NO_SLIPS = _words("ASEL LSEL KSEL VSEL DSURF TBPLOT RDELE BLOCK ESSOLV ETYPE CSDELE PSCONTROL NLMESH")


_NOT_READ = (*_MAKERS, *_LOADS, *_ELSEWHERE, *_SILENT)
#: how many letters of a command ANSYS reads
_LETTERS = 4


def read_deck(lines: list[str], moved: Callable[[int], None]) -> Deck:
    """Return what the lines of a file define; :class:`DeckError` for a damaged line.

    ``moved`` is called with the number of lines that are read, for a progress bar.
    """
    source, parameters, conditions = Source(lines, moved), Parameters(), Conditions()
    selection = Selection(source)
    groups = (
        MeshCommands(source, selection),
        PropertyCommands(source),
        ConstraintCommands(source, selection),
    )
    table = {name: command for group in groups for name, command in group.table().items()}
    while source.at < len(lines):
        line = lines[source.at].split("!")[0]
        source.at += 1
        if line.strip() in ("/EOF", "/eof") and conditions.runs is not False:
            break
        titled = line.lstrip()[:4].upper() in ("/TIT", "/COM", "C***")
        for part in [line] if titled else line.split("$"):
            words = [word.strip() for word in part.split(",")]
            if conditions.take(parameters.put_in(words)) or conditions.runs is False:
                continue
            if parameters.take(words, sure=conditions.runs is True):
                continue
            name = _in_full(words[0].upper(), table)
            if name in table and conditions.runs is None:
                raise DeckError(
                    source.at,
                    f"{name} stands in a branch (*IF) of parameters that are not known; let ANSYS write the model out: "
                    "CDWRITE,DB,part,cdb",
                )
            if name in table:
                _follow(source, table[name], parameters.put_in(words))
            elif name == "*PREAD":
                source.at = next(
                    (k + 1 for k in range(source.at, len(lines)) if lines[k].upper().startswith("END PREAD")),
                    source.at,
                )
            elif name:
                _leave_out(source, name, table)
    return source.deck


def _follow(source: Source, command: Command, words: list[str]) -> None:
    try:
        command(words)
    except DeckError:
        raise
    except (ValueError, LookupError, ArithmeticError) as error:
        raise DeckError(source.at, f"{','.join(words)[:60]!r} can't be read ({error})") from None


def _in_full(name: str, known: Collection[str]) -> str:
    """Return a command in full: ANSYS reads the first four letters of a command alone."""
    if name in known or len(name) < _LETTERS or not name.isalnum():
        return name
    return next((one for one in known if one[:_LETTERS] == name[:_LETTERS]), name)


def _leave_out(source: Source, name: str, known: Collection[str]) -> None:
    """Refuse a command that changes the model, report loads and unknown commands."""
    name = _in_full(name, _NOT_READ)
    if name in _MAKERS:
        raise DeckError(
            source.at, f"{name} is not supported; let ANSYS write the model out: CDWRITE,DB,part,cdb"
        )
    if name in _LOADS:
        source.deck.left_out.add(name, "loads are given to the analyses", str(source.at))
    elif name in _ELSEWHERE:
        source.deck.left_out.add(name, _ELSEWHERE[name], str(source.at))
    elif name not in _SILENT and not name.startswith(("/", "_")) and "=" not in name:
        source.deck.left_out.add(name, "the command is not read", str(source.at))
        near = nearest(name, [*known, *_MAKERS], 0.8)
        if near and name not in _NO_SLIPS:
            said = f"the command {name} is not known and left out (line {source.at}; is {near[0]} meant?)"
            source.deck.slips.append(said)
