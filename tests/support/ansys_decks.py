"""Decks of ANSYS as CDWRITE writes them, made from a mesh of ours."""

import numpy as np

#: positions of our nodes among those of an ANSYS brick; repeated ones make the degenerate forms
FORMS = {
    "hex8": (185, [0, 1, 2, 3, 4, 5, 6, 7]),
    "wedge6": (185, [0, 1, 2, 2, 3, 4, 5, 5]),
    "pyramid5": (185, [0, 1, 2, 3, 4, 4, 4, 4]),
    "tet4": (185, [0, 1, 2, 2, 3, 3, 3, 3]),
    "hex20": (186, list(range(20))),
    "wedge15": (186, [0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 2, 8, 9, 10, 5, 11, 12, 13, 14, 14]),
    "pyramid13": (186, [0, 1, 2, 3, 4, 4, 4, 4, 5, 6, 7, 8, 4, 4, 4, 4, 9, 10, 11, 12]),
    "tet10": (186, [0, 1, 2, 2, 3, 3, 3, 3, 4, 5, 2, 6, 3, 3, 3, 3, 7, 8, 9, 9]),
    "quad4": (181, [0, 1, 2, 3]),
    "tri3": (181, [0, 1, 2, 2]),
    "quad8": (281, list(range(8))),
    "tri6": (281, [0, 1, 2, 2, 3, 4, 2, 5]),
    "line2": (188, [0, 1]),
}


def nblock(points, ids=None, width=9, form="21.13e3"):
    ids = range(1, len(points) + 1) if ids is None else ids
    real = int(form.split(".")[0])
    out = [f"NBLOCK,6,SOLID,{max(ids):10d},{len(points):10d}", f"(3i{width},6e{form})"]
    digits = int(form.split(".")[1].split("e")[0])
    for number, x in zip(ids, points, strict=True):
        last = max((k + 1 for k in range(3) if x[k]), default=0)  # ANSYS leaves out zeros at the end
        reals = "".join(f"{value:{real}.{digits}E}" for value in x[:last])
        out.append(f"{number:{width}d}{0:{width}d}{0:{width}d}{reals}")
    return [*out, "N,R5.3,LOC,       -1,"]


def eblock(blocks, ids=None, width=9, solid=True, first=1, types=None, mat=1, real=1, sec=1, esys=0):
    """Elements of blocks of ours; ``ids`` numbers of the nodes."""
    rows, number = [], first
    for block in blocks:
        routine, order = FORMS[block.element]
        kind = routine if types is None else types
        for nodes in np.asarray(block.nodes)[:, order]:
            nodes = nodes + 1 if ids is None else np.asarray(ids)[nodes]
            if solid:
                head = [mat, kind, real, sec, esys, 0, 0, 0, len(nodes), 0, number]
                cells = [*head, *nodes]
                lines = [cells[:19], *([cells[19:]] if len(cells) > 19 else [])]
            else:
                lines = [[number, kind, real, mat, esys, *nodes]]
            rows += ["".join(f"{value:{width}d}" for value in line) for line in lines]
            number += 1
    head = (
        f"EBLOCK,19,SOLID,{number - 1:10d},{number - first:10d}" if solid else f"EBLOCK,10,,,{number - first}"
    )
    return [head, f"({19 if solid else 15}i{width})", *rows, "       -1"]


def materials(E=210e9, nu=0.3, rho=7850.0, number=1):
    out = []
    for label, value in (("EX", E), ("NUXY", nu), ("DENS", rho)):
        out.append("MPTEMP,R5.0, 1, 1,  0.00000000    ,")
        out.append(f"MPDATA,R5.0, 1,{label:<4},{number:8d}, 1, {value!r}    ,")
    return out


def deck(*parts):
    head = ["/COM,ANSYS RELEASE 2024 R1", "/PREP7", "/NOPR", "/TITLE,a part, with $ and ! in it"]
    head += [
        "*IF,_CDRDOFF,EQ,1,THEN     !if solid model was read in",
        "_CDRDOFF=",
        "*ELSE",
        "NUMOFF,NODE, 10",
        "*ENDIF",
    ]
    body = [line for part in parts for line in part]
    return "\n".join([*head, *body, "/GO", "FINISH", ""])


def types(blocks):
    return [f"ET,{routine:9d},{routine}" for routine in sorted({FORMS[block.element][0] for block in blocks})]
