"""The cards that are read, and those that may be left out of a body."""

from __future__ import annotations

import numpy as np

from ...common.errors import few
from ...common.names import nearest
from ...mesh.left_out import Omissions
from .cards import Deck, Row
from .elements import SOLIDS
from .lines import CardError, Lines
from .masses_and_springs import leave_damping

READ = {
    *SOLIDS,
    *("GRID", "GRDSET", "CORD1R", "CORD1C", "CORD1S", "CORD2R", "CORD2C", "CORD2S"),
    *("CQUAD4", "CTRIA3", "CQUADR", "CTRIAR", "CQUAD8", "CTRIA6", "CROD", "CTUBE", "CONROD", "CBAR", "CBEAM"),
    *("CSHEAR", "PSHEAR", "BAROR", "BEAMOR", "PTUBE", "RBE1", "RROD", "RTRPLT"),
    *(
        "CONM1",
        "CONM2",
        "CMASS1",
        "CMASS2",
        "CELAS1",
        "CELAS2",
        "CDAMP1",
        "CDAMP2",
        "CBUSH",
        "RBE2",
        "RBE3",
        "RBAR",
        "MPC",
        "MPCADD",
    ),
    *("SPC", "SPC1", "SPCADD", "SET1", "SET3"),
    *("PSOLID", "PSHELL", "PCOMP", "PCOMPG", "PBAR", "PBARL", "PBEAM", "PBEAML"),
    *("NSM", "NSM1", "NSML", "NSML1", "NSMADD"),
    *("PROD", "PELAS", "PDAMP", "PMASS", "PBUSH", "MAT1", "MAT2", "MAT8", "MAT9", "PARAM"),
}
_LOAD = "a load is no part of a body; fem.static takes loads"
_ANALYSIS = "says how to compute, not what"
_PICTURE = "is for pictures and results only"
_DAMPING = "of dampers CDAMP1, CDAMP2 and PBUSH are read; give others to the machine"
#: reasons to leave a card out, by its name or, with a star, by its beginning
_LEFT_OUT = {
    name: reason
    for names, reason in (
        (
            "FORCE* MOMENT* PLOAD* GRAV RFORCE* LOAD* ACCEL* SPCD DLOAD SLOAD TEMP* RLOAD* TLOAD* DAREA DEFORM LSEQ",
            _LOAD,
        ),
        ("DELAY DPHASE QBDY*", _LOAD),
        (
            "EIG* FREQ* TSTEP* NLP* NLSTEP SUPORT* TF DTI MDLPRM BGPARM ASET* BSET* CSET* QSET* OMIT* USET*",
            _ANALYSIS,
        ),
        (
            "BNDFIX* BNDFRE* DESVAR DRESP* DCON* DVPREL* DVMREL* DVCREL* DLINK DOPTPRM DEQATN DVGRID DVSET*",
            _ANALYSIS,
        ),
        ("DSCREEN DTABLE* TABLE* TABD* TIC ECHO* MONPNT* OUTPUT RAND* CBARAO", _ANALYSIS),
        ("PLOTEL* PSET POINT SET2 SET4 SWLDPRM SURF* LABEL", _PICTURE),
        ("CDAMP* CVISC PDAMP* PVISC TABDMP* DAMPING HYBDAMP", _DAMPING),
        ("MAT4 MAT5 CHBDY* PHBDY CONV* PCONV* RAD* QVECT QVOL VIEW*", "heat conduction is no part of a body"),
        (
            "AE* CAERO* PAERO* CSSCHD DIVERG FLFACT FLUTTER GUST MKAERO* SPLINE* TRIM*",
            "aerodynamics are no part of a body",
        ),
        ("MATT* MATS* MATF* CREEP", "describes materials beyond linear elasticity"),
        ("PELAST", "stiffness that depends on frequency is not read; that of PELAS is taken"),
        ("PBUSHT", "values that depend on frequency or way are not read; those of PBUSH are taken"),
        ("BCTABLE BCPARA BCBODY BCONP BCTPARM BCTSET BSURF* BCRPARA", "contact is no part of a body"),
    )
    for name in names.split()
}
#: beginnings of cards with stiffness or mass
_MATTER = (
    *("C", "R", "GENEL", "DMI", "NSM", "K2", "M2", "B2"),
    *("BGSET", "BGADD", "TIE", "SPOINT", "EPOINT", "SESET", "SEBULK"),
)
_MEND = "write these parts with cards that are read (fem.read_mesh lists them), or take them out of the file"
#: elements of scalar points alone
_SCALAR = ("CELAS3", "CELAS4", "CDAMP3", "CDAMP4", "CMASS3", "CMASS4")
#: fields of structural damping and of thermal expansion
_FIELDS: dict[str, tuple[int, tuple[int, ...]]] = {
    "MAT1": (8, (6,)),
    "MAT2": (13, (9, 10, 11)),
    "MAT8": (17, (9, 10)),
    "MAT9": (31, tuple(range(24, 30))),
    "PCOMP": (7, ()),
    "PCOMPG": (7, ()),
}
#: how many data fields cards of fixed length have
_LONGEST = {
    **dict.fromkeys(("GRID", "GRDSET", "CORD1R", "CORD1C", "CORD1S", "PROD", "PDAMP", "PMASS", "PELAS"), 8),
    **dict.fromkeys(("CORD2R", "CORD2C", "CORD2S", "MAT1"), 12),
    **{
        "CROD": 4,
        "CTUBE": 4,
        "PTUBE": 6,
        "CSHEAR": 6,
        "PSHEAR": 8,
        "RROD": 6,
        "BAROR": 8,
        "BEAMOR": 8,
        "CONROD": 8,
        "CBAR": 16,
        "CBEAM": 18,
        "CELAS1": 6,
        "CELAS2": 8,
        "CMASS1": 6,
        "CMASS2": 6,
        "CDAMP1": 6,
        "CDAMP2": 6,
    },
    **{"CONM2": 14, "CBUSH": 14, "SPC": 7, "RBAR": 8, "PSOLID": 7},
}
#: beginnings of properties and materials, which matter only where an element refers to them
_REFERRED = ("P", "MAT")


def leave_out(deck: Deck, lines: Lines, left_out: Omissions, doubts: list[str]) -> None:
    """Note the cards that are not read.

    One CardError for all cards with stiffness or mass. Unknown words that can't be either give a doubt.
    """
    refused: list[tuple[int, str]] = []
    unknown: list[str] = []
    scalar = [name for name in (*_SCALAR, "SPOINT") if name in deck.tables]
    for name, tables in deck.tables.items():
        if name in READ:
            continue
        count, first = sum(map(len, tables)), min(int(table.lines.min()) for table in tables)
        reason = _reason(name)
        if name == "SPOINT" and scalar == ["SPOINT"]:
            reason = "no element has these scalar points"
        if reason is None and name.startswith(_MATTER):
            refused.append((first, f"{count} {name}, line {lines.place(first)}{meant(name)}"))
            continue
        if reason is None and not name.startswith(_REFERRED):
            unknown.append(f"{count} {name}, line {lines.place(first)}{meant(name)}")
            reason = "it is not known"
        elif reason is None:
            reason = "it is not supported" + ", and no element refers to it" * name.startswith("P")
        for table in tables:
            for k, line in enumerate(table.lines):
                left_out.add(name, reason, lines.place(line) if k < 5 else "")
    if refused:
        mend = _MEND
        if scalar:
            mend += "; scalar points have no place in a body: join grid points by CELAS1 or CELAS2, and give them "
            mend += "masses by CMASS1 or CMASS2"
        found = "; ".join(words for _, words in sorted(refused))
        raise CardError(
            min(refused)[0], f"cards that are not supported, and may have stiffness or mass: {found}; {mend}"
        )
    if unknown:
        doubts.append(f"cards that are not known are left out: {few(unknown)}")


def leave_out_fields(deck: Deck, lines: Lines, left_out: Omissions) -> None:
    """Note fields of cards that are read which say nothing about stiffness and mass, where they are given."""
    for name, (damping, expansion) in _FIELDS.items():
        for row in deck.rows(name):
            if row.real(damping, 0.0):
                leave_damping(left_out, row, lines)
            if any(row.real(k, 0.0) for k in expansion):
                left_out.add(
                    f"thermal expansion of {name}", "temperatures are not read", lines.place(row.line)
                )
    for row in deck.rows("PSOLID"):
        if given := [
            word for word in (row.word(4), row.word(6)) if word not in ("", "0", "BUBBLE", "REDUCED")
        ]:
            left_out.add(
                f"integration {', '.join(given)} of PSOLID",
                "bricks of 8 nodes have incompatible modes, others full integration; fem.assemble takes "
                "fem.Solid(..., brick=) instead",
                lines.place(row.line),
            )
    for row in deck.rows("RBE1", "RBE2", "RBE3", "RBAR", "RROD", "RTRPLT"):
        if _expands(row):
            left_out.add(
                f"thermal expansion of {row.name}", "temperatures are not read", lines.place(row.line)
            )
    for name, count in _LONGEST.items():
        for table in deck.of(name):
            beyond = [table.given(k) for k in range(count + 1, table.width + 1)]
            for k in np.flatnonzero(np.any(beyond, axis=0)) if beyond else ():
                left_out.add(
                    f"fields of {name} beyond its last ({count + 1})",
                    "the card has no such fields",
                    lines.place(table.lines[k]),
                )
    for name, plain in (("CQUADR", "CQUAD4"), ("CTRIAR", "CTRIA3")):
        for table in deck.of(name):
            for line in table.lines:
                left_out.add(f"formulation of {name}", f"it is read as {plain}", lines.place(line))
    for table in deck.of("GRID"):
        members = np.flatnonzero(table.ints(8, 0) > 0)
        for k in members:
            left_out.add(
                "SEID of GRID", "superelements are not formed: all is one body", lines.place(table.lines[k])
            )


def _expands(row: Row) -> bool:
    """Return whether a rigid element or RBE3 has a coefficient of thermal expansion."""
    places = {"RBAR": 8, "RROD": 6, "RTRPLT": 12}
    if row.name in places:
        return bool(row.real(places[row.name], 0.0))
    last = [word for word in row.words[3:] if word][-1:]
    return "ALPHA" in row.words if row.name == "RBE3" else bool(last) and not last[0].isdecimal()


def _reason(name: str) -> str | None:
    if name in _LEFT_OUT:
        return _LEFT_OUT[name]
    return next((why for key, why in _LEFT_OUT.items() if key[-1] == "*" and name.startswith(key[:-1])), None)


#: cards of Nastran that are not read and are spelled like one that is
_NO_SLIPS = ("CQUADX", "PBEAM3", "PCOMPP", "PLSOLID", "SPOINT", *_SCALAR)


def meant(name: str) -> str:
    """Return the card that is probably meant, in words, if one is spelled alike."""
    near = nearest(name, READ, 0.8)
    return f" (is {near[0]} meant?)" if near and not name.startswith(_NO_SLIPS) else ""
