"""Writes ANSYS' substructure matrices file with dense matrices, in the layout that the reader assumes.

Places of records are counted in words of 4 bytes; the header of the superelement (80 items) stands after that of ANSYS
(100 items), and so at word 103.
"""

import struct

import numpy as np

#: flags of a record: integers; items told by bits; items in windows
INTEGERS, WINDOWS, BITS = 1 << 31, 1 << 28, 1 << 27


class Writer:
    def __init__(self, order="<", packed=False):
        self.order, self.packed, self.words = order, packed, bytearray()

    @property
    def place(self):
        return len(self.words) // 4

    def _put(self, content, flags):
        assert len(content) % 4 == 0
        self.words += struct.pack(f"{self.order}iI", len(content) // 4, flags) + content
        self.words += struct.pack(f"{self.order}i", len(content) // 4)

    def whole(self, values):
        place = self.place
        self._put(struct.pack(f"{self.order}{len(values)}i", *values), INTEGERS)
        return place

    def reals(self, values):
        """Items without their zeros, if ``packed``: by bits where there are at most 32, else in windows."""
        place, values = self.place, [float(v) for v in values]
        kept = [k for k, v in enumerate(values) if v]
        o = self.order
        if not self.packed:
            self._put(struct.pack(f"{o}{len(values)}d", *values), 0)
        elif len(values) <= 32:
            bits = sum(1 << k for k in kept)
            head = struct.pack(f"{o}iI", len(values), bits)
            self._put(head + struct.pack(f"{o}{len(kept)}d", *[values[k] for k in kept]), BITS)
        else:
            windows = []
            for k in kept:
                if windows and k == windows[-1][-1] + 1:
                    windows[-1].append(k)
                else:
                    windows.append([k])
            content = struct.pack(f"{o}ii", len(values), len(windows))
            for window in windows:
                inside = [values[k] for k in window]
                if len(window) == 1 and window[0] > 0:  # a single item, by its place from 0
                    content += struct.pack(f"{o}id", window[0], inside[0])
                elif len(set(inside)) == 1:  # one value for all
                    content += struct.pack(f"{o}iid", -window[0], -len(window), inside[0])
                else:
                    content += struct.pack(f"{o}ii{len(window)}d", -window[0], len(window), *inside)
            self._put(content, WINDOWS)
        return place


def sub(
    matrices,
    nodes,
    points,
    unknowns,
    labels,
    *,
    angles=None,
    modes=0,
    rows="whole",
    order="<",
    packed=False,
    kinds=None,
    **items,
):
    """The bytes of a file.

    ``matrices``: dense ones by K, M, D, S; ``nodes`` (n,) numbers, ``points`` (n, 3), ``angles`` (n, 3) in degrees of
    their axes; ``unknowns``: components of a node; ``labels``: node and component of each row; ``rows``: whole, lower
    or upper; ``kinds``: rows are numbered by so many kinds of unknowns for each node, in place of its ``unknowns``;
    ``items``: changed items of the header by their number, from 1, as i21=1.
    """
    out = Writer(order, packed)
    out.whole([100, 8, *[0] * 98])  # file number 8
    n, per_node = len(labels), len(unknowns)
    head = [0] * 80
    placed = {"HED": out.whole(head)}
    placed["DOF"] = out.whole(list(unknowns))
    placed["NOD"] = out.whole(list(nodes))
    turned = np.zeros_like(points) if angles is None else np.asarray(angles)
    for row in np.column_stack([points, turned]):
        place = out.reals(row)
        placed.setdefault("XYZ", place)
    if kinds is None:
        placed["GDF"] = out.whole([(node - 1) * per_node + list(unknowns).index(c) + 1 for node, c in labels])
    else:
        placed["GDF"] = out.whole([(node - 1) * kinds + c for node, c in labels])
    part = {"whole": lambda A, k: A[k], "lower": lambda A, k: A[k, : k + 1], "upper": lambda A, k: A[k, k:]}[
        rows
    ]
    for k in range(n):
        for A in matrices.values():
            place = out.reals(part(np.asarray(A), k))
            placed.setdefault("MAT", place)
    placed["LOD"] = out.reals(np.zeros(n))
    has = [int(name in matrices) for name in "KMDS"]
    # fmt: off
    head[:15] = [8, n, len(matrices), 0, per_node, max(nodes), 0, len(nodes), len(nodes), 0, *has, 1]
    head[19], head[21], head[23] = placed["LOD"], placed["MAT"], placed["HED"]
    head[30], head[34], head[35], head[37] = placed["DOF"], placed["NOD"], placed["XYZ"], placed["GDF"]
    # fmt: on
    head[43], head[44] = modes, 3
    for name, value in items.items():
        head[int(name[1:]) - 1] = value
    data = bytearray(out.words)
    data[4 * 105 : 4 * 185] = struct.pack(f"{order}80i", *head)
    return bytes(data)
