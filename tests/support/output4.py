"""Writes OUTPUT4 files by the layouts of Nastran's DMAP Programmer's Guide, as text and binary."""

import struct

import numpy as np


def text(matrices, form):
    out = []
    for name, A in matrices.items():
        A = A.toarray()
        n = len(A)
        out.append(f"{n:8d}{-n if form == 'bigmat' else n:8d}{6:8d}{2:8d}{name:<8}1P,3E23.16")
        for j in range(n):
            rows = np.flatnonzero(A[:, j])
            if form == "dense":
                first, last = rows[0], rows[-1]
                out += [f"{j + 1:8d}{first + 1:8d}{last - first + 1:8d}", *reals(A[first : last + 1, j])]
                continue
            pieces = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
            heads = 2 if form == "bigmat" else 1
            out.append(f"{j + 1:8d}{0:8d}{sum(2 * len(piece) + heads for piece in pieces):8d}")
            for piece in pieces:
                words = 2 * len(piece) + 1
                head = (
                    f"{words:8d}{piece[0] + 1:8d}"
                    if form == "bigmat"
                    else f"{words * 65536 + piece[0] + 1:12d}"
                )
                out += [head, *reals(A[piece, j])]
        out += [f"{n + 1:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]
    return "\n".join([*out, ""])


def reals(values):
    return ["".join(f"{v:23.16E}" for v in values[k : k + 3]) for k in range(0, len(values), 3)]


def binary(matrices, form, order="<", word=4, single=False):
    """Fortran's records, with integers of ``word`` bytes; each column of a matrix is one."""
    whole, reals = {4: "i", 8: "q"}[word], "f" if single and word == 4 else "d"
    words = struct.calcsize(f"<{reals}") // word
    out = []

    def put(*pieces):
        record = b"".join(pieces)
        length = struct.pack(f"{order}i", len(record))
        out.append(length + record + length)

    def integers(*values):
        return struct.pack(f"{order}{len(values)}{whole}", *values)

    def numbers(values):
        return struct.pack(f"{order}{len(values)}{reals}", *values)

    for name, A in matrices.items():
        A, n = A.toarray(), A.shape[0]
        head = integers(n, -n if form == "bigmat" else n, 6, 1 if single else 2)
        label = f"{name:<8}".encode()
        put(head, label if word == 4 else label[:4] + b"    " + label[4:] + b"    ")
        for j in range(n):
            rows = np.flatnonzero(A[:, j])
            if form == "dense":
                first, last = rows[0], rows[-1]
                values = A[first : last + 1, j]
                put(integers(j + 1, first + 1, len(values) * words), numbers(values))
                continue
            strings = []
            for piece in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                long = words * len(piece) + 1
                where = (long, piece[0] + 1) if form == "bigmat" else (long * 65536 + piece[0] + 1,)
                strings.append(integers(*where) + numbers(A[piece, j]))
            data = b"".join(strings)
            put(integers(j + 1, 0, len(data) // word), data)
        put(integers(n + 1, 1, words), numbers([1.0]))
    return b"".join(out)
