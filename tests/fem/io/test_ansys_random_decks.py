"""Random small archives of ANSYS, printed and read again, against the same parts built by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.ansys_bodies import crooked, default_up
from support.ansys_decks import FORMS, eblock, nblock

import fem

KINDS = ("hex8", "hex20", "tet4", "tet10", "wedge6", "wedge15", "quad4", "line2")
COMPONENTS = {"UX": "x", "UY": "y", "UZ": "z", "ROTX": "rx", "ROTY": "ry", "ROTZ": "rz"}


class Deck:
    """A random archive, and by hand what it must become: mesh, properties by set, parts, supports, components."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.kind = str(rng.choice(KINDS))
        self.mesh = self._shape()
        self.n = self.mesh.n_nodes
        self.ids = rng.permutation(4 * self.n)[: self.n] + 1
        self.width = int(rng.integers(7, 11))
        self.turning = self.kind in ("quad4", "line2")
        self.lines, self.parts, self.supports, self.sets = ["/PREP7"], [], {}, {}
        self.lines += nblock(self.mesh.points, self.ids, self.width, str(rng.choice(["21.13e3", "25.16e3"])))
        self._elements()
        self._masses_and_springs()
        self._equations()
        self._supports()
        self._components()
        self.text = "\n".join(map(str, [*self.lines, "/GO", "FINISH", ""]))

    def _shape(self):
        counts = tuple(self.rng.integers(1, 3, 3).tolist())
        if self.kind == "line2":
            x = np.cumsum(self.rng.uniform(0.2, 1.0, (5, 3)), axis=0)
            return fem.Mesh(x, (fem.Block("line2", [[k, k + 1] for k in range(4)]),))
        if self.kind == "quad4":
            x = [[i, j, 0.1 * i * j] for i in range(3) for j in range(3)]
            cells = [[3 * i + j, 3 * i + 3 + j, 3 * i + 4 + j, 3 * i + 1 + j] for i in (0, 1) for j in (0, 1)]
            return fem.Mesh(x, (fem.Block("quad4", cells),))
        return crooked(fem.box((1.0, 0.8, 0.6), counts, self.kind))

    def _elements(self):
        """Elements of two materials, in two blocks; the second half has its own section."""
        rng, block, routine = self.rng, self.mesh.blocks[0], FORMS[self.kind][0]
        option = int(rng.choice([0, 1, 2, 3])) if routine == 185 else 0
        self.lines += [f"ET,{routine},{routine}"] + [f"KEYOPT,{routine},2,{option}"] * bool(option)
        self.lines += [f"KEYOPT,{routine},3,3"] * (routine == 188)
        cut = len(block) // 2
        self.numbers = rng.permutation(3 * len(block))[: len(block)] + 1
        self.properties = {}
        for k, rows in enumerate((np.arange(cut), np.arange(cut, len(block))), start=1):
            if not len(rows):
                continue
            E, nu, rho = (float(v) for v in rng.uniform([1e9, 0.1, 900], [3e11, 0.4, 9e3]))
            material, size = fem.Isotropic(E, nu, rho), float(rng.uniform(0.01, 0.05))
            self.lines += [
                f"MP,EX,{k},{E!r}",
                f"MP,{rng.choice(['NUXY', 'PRXY'])},{k},{nu!r}",
                f"MP,DENS,{k},{rho!r}",
            ]
            if self.turning:
                shell = self.kind == "quad4"
                self.lines += [f"SECTYPE,{k},{'SHELL' if shell else 'BEAM,RECT'}"]
                self.lines += [f"SECDATA,{size!r}" if shell else f"SECDATA,{size!r},{2 * size!r}"]
            for row in rows.tolist():
                its = [fem.Block(self.kind, block.nodes[[row]])]
                self.lines += eblock(its, self.ids, self.width, first=int(self.numbers[row]), mat=k, sec=k)
                self.properties[str(row)] = self._property(material, size, option, block.nodes[row])

    def _property(self, material, size, option, nodes):
        if self.kind == "quad4":
            return fem.Shell(material, size)
        if self.kind == "line2":
            up = default_up(*self.mesh.points[nodes])
            return fem.Beam(material, fem.Rectangle(size, 2 * size, nu=material.nu), up=up)
        if self.kind == "hex8" and option == 0:
            return fem.Solid(material, brick=fem.MeanDilatation())
        return fem.Solid(material, reduced=True) if self.kind == "hex20" else material

    def _node(self):
        k = int(self.rng.integers(self.n))
        return k, str(self.ids[k])

    def _masses_and_springs(self):
        rng, number = self.rng, 10 * len(self.numbers) + 100
        self.lines += ["ET,21,21", "KEYOPT,21,3,2", "ET,14,14", "ET,15,14"]
        along = int(rng.integers(1, 4))
        self.lines += [f"KEYOPT,15,2,{along}"]
        for k in range(int(rng.integers(0, 3))):
            mass, (_, node) = float(rng.uniform(1, 9)), self._node()
            self.lines += [f"R,{50 + k},{mass!r}", "TYPE,21", f"REAL,{50 + k}", f"EN,{number},{node}"]
            self.parts.append(fem.PointMass(node, mass))
            number += 1
        (_, a), (_, b) = self._node(), self._node()
        values = rng.uniform(1e5, 1e7, 2).tolist()
        if a != b:
            self.lines += [f"R,60,{values[0]!r}", "TYPE,14", "REAL,60", f"EN,{number},{a},{b}"]
            self.parts.append(fem.Spring(a, b, values[0]))
        six = [values[1] * (k == along - 1) for k in range(6)]
        self.lines += [f"R,61,{values[1]!r}", "TYPE,15", "REAL,61", f"EN,{number + 1},{a}"]
        self.parts.append(fem.Spring(a, None, six))

    def _equations(self):
        """One equation and one coupling of components, of nodes that are all different."""
        a, b, c, d, *_ = self.rng.permutation(self.n).tolist()
        labels = self.rng.choice(list(COMPONENTS)[: 6 if self.turning else 3], 3).tolist()
        values = self.rng.uniform(0.5, 2.0, 2).round(6).tolist()
        first, second = (str(self.ids[k]) for k in (a, b))
        self.lines += [f"CE,3,0,{first},{labels[0]},{values[0]!r},{second},{labels[1]},{values[1]!r}"]
        terms = [(first, COMPONENTS[labels[0]], values[0]), (second, COMPONENTS[labels[1]], values[1])]
        self.parts.append(fem.Equation("CE", terms))
        third, fourth = (str(self.ids[k]) for k in (c, d))
        self.lines += [f"CP,4,{labels[2]},{third},{fourth}"]
        its = COMPONENTS[labels[2]]
        self.parts.append(fem.Equation("CP", [(fourth, its, 1.0), (third, its, -1.0)]))

    def _supports(self):
        for _ in range(int(self.rng.integers(0, 4))):
            k, node = self._node()
            label = str(self.rng.choice(list(COMPONENTS)[:3]))
            value = float(self.rng.choice([0.0, 0.001]))
            self.lines.append(f"D,{node},{label},{value!r}")
            self.supports.setdefault(k, {})[COMPONENTS[label]] = value

    def _components(self):
        for name in ("SOME", "Other"):
            chosen = np.sort(self.rng.permutation(self.ids)[: self.rng.integers(1, self.n)])
            packed = []
            for start, stop in _runs(chosen.tolist()):
                packed += [start] if start == stop else [start, -stop]
            self.lines += [f"CMBLOCK,{name:<8},NODE,{len(packed):8d}", "(8i10)"]
            self.lines += ["".join(f"{v:10d}" for v in packed[k : k + 8]) for k in range(0, len(packed), 8)]
            self.sets[name] = np.flatnonzero(np.isin(self.ids, chosen))


def _runs(numbers):
    """First and last number of each run of consecutive ones."""
    start = before = numbers[0]
    for number in [*numbers[1:], None]:
        if number != before + 1:
            yield start, before
            start = number
        before = number if number is not None else before


@pytest.mark.parametrize("seed", range(20))
def test_a_random_archive_is_the_part_by_hand(seed, tmp_path):
    """Coordinates have 14 digits and more in the deck."""
    deck = Deck(seed)
    (tmp_path / "part.cdb").write_text(deck.text)
    by_hand = replace(deck.mesh, node_ids=deck.ids, element_sets={k: [int(k)] for k in deck.properties})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # equations that resist rigid motions, units
        mesh = fem.read_mesh(tmp_path / "part.cdb")
        one, other = fem.assemble(mesh), fem.assemble(by_hand, deck.properties, parts=deck.parts)
    assert mesh.node_ids.tolist() == deck.ids.tolist()
    assert mesh.points == pytest.approx(deck.mesh.points, abs=1e-13)
    assert np.concatenate([block.ids for block in mesh.blocks]).tolist() == deck.numbers.tolist()
    assert one.mass == pytest.approx(other.mass, rel=1e-12)
    for A, B in ((one.K, other.K), (one.M, other.M)):
        assert A.shape == B.shape
        assert abs(A - B).max() <= 1e-9 * abs(B).max()
    for name, nodes in deck.sets.items():
        assert mesh.node_sets[name].tolist() == nodes.tolist()
    held = {}
    for name, components in mesh.supports.items():
        for node in mesh.node_sets[name].tolist():
            held.setdefault(node, {}).update(components)
    assert held == deck.supports
