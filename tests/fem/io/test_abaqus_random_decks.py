"""Random small decks, printed and read again; the same decks cut off, and with what stands in them changed."""

import re
import time
import warnings

import numpy as np
import pytest

import fem

ELEMENTS = {"hex8": "C3D8I", "hex20": "C3D20", "tet4": "C3D4", "tet10": "C3D10", "wedge6": "C3D6"}


class Deck:
    """A random deck of one or two parts with what it must become, in the mesh and by hand."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.lines, self.outside = [], ["*Assembly, name=A"]
        self.points, self.blocks, self.sets, self.element_sets, self.parts = [], [], {}, {}, []
        self.materials, self.properties, self.n, self.ne = {}, {}, 0, 0
        for number in range(int(rng.integers(1, 3))):
            self._part(f"p{number}")
        self._connect()
        self.outside.append("*End Assembly")
        for name, its in self.materials.items():
            self.outside += [f"*MATERIAL, NAME={name.upper()}", "*Density", f"{its.rho!r},", "*elastic"]
            self.outside.append(f"{its.E!r}, {its.nu!r}")
        self.text = "\n".join([*self.lines, *self.outside]) + "\n"

    def _keyword(self, text):
        """Words are not case sensitive, blanks around commas and comments don't matter."""
        words = text.split(", ")
        words[0] = self.rng.choice([words[0], words[0].upper(), words[0].lower()])
        return self.rng.choice([", ", ",", " , "]).join(words)

    def _part(self, name):
        rng = self.rng
        kind = str(rng.choice(list(ELEMENTS)))
        mesh = fem.box(tuple(rng.uniform(0.5, 1.0, 3)), tuple(rng.integers(1, 3, 3).tolist()), kind)
        ids = rng.permutation(5 * mesh.n_nodes)[: mesh.n_nodes] + 1
        element_ids = rng.permutation(3 * mesh.n_elements)[: mesh.n_elements] + 1
        out = self.lines
        out += [self._keyword(f"*Part, name={name}"), "** a comment", self._keyword("*Node")]
        out += [f"{i}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in zip(ids, mesh.points.tolist(), strict=True)]
        out.append(self._keyword(f"*Element, type={ELEMENTS[kind]}, elset=e_{name}"))
        for e, nodes in zip(element_ids, mesh.blocks[0].nodes, strict=True):
            row = [str(e), *map(str, ids[nodes])]
            cut = int(rng.integers(2, 9))  # an element may take several lines
            out += [", ".join(row[k : k + cut]) + "," * (k + cut < len(row)) for k in range(0, len(row), cut)]
        chosen = np.flatnonzero(rng.random(mesh.n_nodes) < 0.4)
        first, step = int(rng.integers(1, 5)), int(rng.integers(1, 4))
        last = first + step * int(rng.integers(0, mesh.n_nodes))
        generated = np.flatnonzero((ids >= first) & (ids <= last) & ((ids - first) % step == 0))
        local = {"x0": mesh.nodes_of("x0"), "x1": mesh.nodes_of("x1"), "some": chosen}
        for label, nodes in local.items():
            if len(nodes):
                out += [self._keyword(f"*Nset, nset={label}_{name}"), *(f"{i}," for i in ids[nodes])]
        out += [self._keyword(f"*Nset, nset=g_{name}, generate"), f"{first}, {last}, {step}"]
        out += [self._keyword(f"*Nset, nset=u_{name}"), f"x0_{name}, G_{name.upper()}"]
        local |= {"g": generated, "u": np.union1d(generated, local["x0"])}
        material = fem.Isotropic(*(float(v) for v in rng.uniform([1e9, 0.1, 900], [3e11, 0.4, 9e3])))
        self.materials[f"m_{name}"] = material
        out += [f"*Solid Section, elset=E_{name}, material=m_{name}", ",", self._keyword("*End Part")]
        self._place(name, mesh, local, material)

    def _place(self, name, mesh, local, material):
        """One or two instances; the sets of two have the instance before their names."""
        rng, count = self.rng, int(self.rng.integers(1, 3))
        for k in range(count):
            instance = f"{name}_{k}"
            shift = rng.uniform(-2, 2, 3)
            axis, angle = rng.normal(size=3), rng.uniform(-180, 180)
            base = rng.uniform(-1, 1, 3)
            self.outside += [f"*Instance, name={instance}, part={name}", ", ".join(map(repr, shift.tolist()))]
            row = [*base.tolist(), *(base + axis).tolist(), float(angle)]
            self.outside += [", ".join(map(repr, row)), "*End Instance"]
            n = axis / np.linalg.norm(axis)  # Rodrigues
            W = np.cross(np.eye(3), -n).T
            a = np.radians(angle)
            Q = np.eye(3) + np.sin(a) * W + (1 - np.cos(a)) * W @ W
            self.points.append(base + (mesh.points + shift - base) @ Q.T)
            self.blocks.append(fem.Block(mesh.blocks[0].element, mesh.blocks[0].nodes + self.n))
            before = f"{instance}." if count > 1 else ""
            for label, nodes in local.items():
                if len(nodes):
                    self.sets[f"{before}{label}_{name}"] = nodes + self.n
            self.element_sets[f"{before}e_{name}"] = self.ne + np.arange(mesh.n_elements)
            few = mesh.blocks[0].element == "wedge6"  # C3D6 has two points
            self.properties[f"{before}e_{name}"] = fem.Solid(material, reduced=True) if few else material
            self.n, self.ne = self.n + mesh.n_nodes, self.ne + mesh.n_elements
            self.ends = [*getattr(self, "ends", []), (instance, name, before)]

    def _connect(self):
        """A reference node on one end of each instance, with a mass; springs join them."""
        rng, count = self.rng, len(self.ends)
        at = np.tile(rng.uniform(-1, 1, 3), (count, 1))  # springs between degrees of freedom need one place
        self.outside += [
            "*Node",
            *(f"{k + 1}, {x!r}, {y!r}, {z!r}" for k, (x, y, z) in enumerate(at.tolist())),
        ]
        for k, (instance, name, before) in enumerate(self.ends):
            kind = str(rng.choice(["Kinematic", "Distributing"])) if k else "Kinematic"
            self.outside += [f"*Nset, nset=ref{k}", f"{k + 1},"]
            self.outside += [f"*Surface, name=s{k}, type=NODE", f"{instance}.x1_{name}, 1."]
            self.outside += [f"*Coupling, constraint name=c{k}, ref node=ref{k}, surface=s{k}", f"*{kind}"]
            self.sets[f"s{k}"] = self.sets[f"{before}x1_{name}"]
            part = fem.Rigid if kind == "Kinematic" else fem.Averaged
            more = {} if kind == "Kinematic" else {"weights": 1.0}
            self.parts.append(part(f"ref{k}", f"s{k}", at=tuple(at[k]), **more))
            if k:
                values = [float(v) for v in rng.uniform(1e7, 1e8, 6)]
                for dof, stiffness in enumerate(values, 1):
                    number = 9000 + 10 * k + dof
                    self.outside += [f"*Element, type=SPRING2, elset=spring{number}", f"{number}, 1, {k + 1}"]
                    self.outside += [f"*Spring, elset=spring{number}", f"{dof}, {dof}", f"{stiffness!r},"]
                self.parts.append(fem.Spring("ref0", f"ref{k}", values))
            mass = float(rng.uniform(1, 5))
            self.outside += [f"*Element, type=MASS, elset=mass{k}", f"{9900 + k}, {k + 1}"]
            self.outside += [f"*Mass, elset=mass{k}", f"{mass!r},"]
            self.parts.append(fem.PointMass(f"ref{k}", mass))

    def by_hand(self):
        mesh = fem.Mesh(np.vstack(self.points), self.blocks, self.sets, element_sets=self.element_sets)
        return fem.assemble(mesh, self.properties, parts=self.parts)


def read(path, text):
    path.write_bytes(text.encode("latin-1", "replace"))
    return fem.read_mesh(path)


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 12))])
@pytest.mark.filterwarnings("ignore:.*badly shaped|.*coincide|.*have no node on an element")
def test_a_random_deck_is_read_as_it_was_printed(seed, tmp_path):
    """Points, elements, sets; mass, inertia and frequencies as of the same structure by hand. 1e-9: rounding."""
    deck = Deck(seed)
    mesh = read(tmp_path / "deck.inp", deck.text)
    hand = deck.by_hand()
    points = np.vstack(deck.points)
    place = np.array([np.argmin(np.linalg.norm(mesh.points - x, axis=1)) for x in points])
    np.testing.assert_allclose(mesh.points[place], points, atol=1e-9)
    for name, nodes in deck.sets.items():
        np.testing.assert_array_equal(mesh.node_sets[name], np.sort(place[nodes]))
    for name, elements in deck.element_sets.items():
        np.testing.assert_array_equal(mesh.element_sets[name], elements)
    structure = fem.assemble(mesh)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)
    np.testing.assert_allclose(
        structure.inertia, hand.inertia, rtol=1e-9, atol=1e-9 * np.abs(hand.inertia).max()
    )
    found = [fem.vibration(s, n=4).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7)


def outcome(path, text):
    """What a text becomes: None if it is refused, else its content, and whether something was said."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            mesh = read(path, text)
            mesh.report()
            structure = fem.assemble(mesh)
        except fem.FlexbodyError:
            return None, True
    return (mesh.n_nodes, mesh.n_elements, len(mesh.parts), structure.mass, structure.n), bool(said)


@pytest.mark.slow
def test_a_deck_that_was_cut_off_is_refused_or_told(tmp_path):
    """A cut between two lines is noticed, for the assembly has an end and the materials stand after it.

    Behind the last material a cut within the last numbers leaves a valid number: there the missing new line is told.
    """
    deck = Deck(0)
    whole, said = outcome(tmp_path / "deck.inp", deck.text)
    assert whole is not None
    assert not said
    unnoticed = []
    ends = np.cumsum([len(line) for line in deck.text.splitlines(keepends=True)])[:-1]
    for where in (*ends, *np.linspace(0, len(deck.text) - 1, 300).astype(int)):
        found, said = outcome(tmp_path / "deck.inp", deck.text[:where])
        if found is not None and not said and found != whole:
            unnoticed.append(deck.text[:where].splitlines()[-1])
    assert unnoticed == []


TOKENS = (
    "0",
    "-1",
    "1",
    "7",
    "99999999999",
    "1e300",
    "nan",
    "inf",
    "",
    "x",
    "1e-300",
    "3.5",
    "p0_0.x0",
    "*Node",
    ",,",
)


@pytest.mark.slow
def test_changed_decks_give_our_errors_and_take_no_time(tmp_path):
    """Lines deleted, doubled and exchanged, words replaced, bits flipped: no error of Python, no waiting."""
    rng, refused, count = np.random.default_rng(3), 0, 250
    began = time.process_time()
    for _ in range(count):
        text = Deck(int(rng.integers(8))).text
        for _ in range(int(rng.integers(1, 4))):
            text = changed(text, rng)
        refused += outcome(tmp_path / "deck.inp", text)[0] is None
    assert refused > count / 4
    assert time.process_time() - began < 60


def changed(text, rng):
    lines, how = text.split("\n"), int(rng.integers(5))
    i, j = (int(v) for v in rng.integers(len(lines), size=2))
    if how == 0:
        del lines[i]
    elif how == 1:
        lines[i], lines[j] = lines[j], lines[i]
    elif how == 2:
        lines.insert(i, lines[j])
    elif how == 3:
        words = re.split(r"([,\s=]+)", lines[i])
        words[int(rng.integers(len(words)))] = str(rng.choice(TOKENS))
        lines[i] = "".join(words)
    else:
        data = bytearray("\n".join(lines).encode("latin-1", "replace"))
        data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
        return data.decode("latin-1")
    return "\n".join(lines)
