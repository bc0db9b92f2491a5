"""Decks of all dialects, changed as files are damaged: each error is one of ours, with the file and the line."""

import re
import time
import warnings

import numpy as np
import pytest
from support.ansys_bodies import deck_of_a_plate, sample
from support.nastran import STEEL, card, deck, mesh_cards

import fem

NASTRAN = deck(
    mesh_cards(fem.box((1.0, 0.2, 0.1), (2, 1, 1), "hex8"))
    + STEEL
    + card("GRID", 100, None, 1.2, 0.1, 0.05)
    + card("RBE2", 7, 100, 123456, 3, 6, 9, 12)
    + card("GRID", 101, None, 1.5, 0.1, 0.05)
    + card("CBAR", 50, 8, 100, 101, 0.0, 1.0, 0.0)
    + card("PBARL", 8, 1, None, "TUBE", None, None, None, None, 0.02, 0.01)
    + card("CONM2", 60, 101, None, 2.0)
    + card("CELAS1", 61, 9, 101, 3)
    + card("PELAS", 9, 1e5)
    + card("SPC1", 1, 123, 1, 4),
    "SPC = 1\n",
)
ABAQUS = """*Part, name=P
*Node
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
5, 1, 1, 1
*Element, type=C3D4, elset=all
1, 1, 2, 3, 4
2, 2, 3, 5, 4
*Nset, nset=low
1, 2, 3
*Solid Section, elset=all, material=steel
*End Part
*Assembly, name=A
*Instance, name=P-1, part=P
0., 0., 2.
*End Instance
*Node
9, 0.3, 0.3, 1.
*Nset, nset=ref
9
*Surface, name=s, type=NODE
P-1.low, 1.
*Coupling, constraint name=c, ref node=ref, surface=s
*Kinematic
*Element, type=MASS, elset=m
99, 9
*Mass, elset=m
2.5,
*End Assembly
*Material, name=steel
*Elastic
210e9, 0.3
*Density
7850.,
"""
DECKS = {"part.bdf": NASTRAN, "part.inp": ABAQUS, "part.cdb": sample(), "plate.cdb": deck_of_a_plate()}
TOKENS = ("0", "-1", "1e400", "nan", "99999999", "abc", "", "1.5", "123456789012345678901", "-0.")


def changed(text, rng):
    """A text that was cut off, or with a line left out, doubled or exchanged, or a character or a number replaced."""
    lines, how = text.split("\n"), int(rng.integers(8))
    i, j = (int(k) for k in rng.integers(len(lines), size=2))
    numbers = list(re.finditer(r"[-+]?\d+\.?\d*", lines[i]))
    if how == 0:
        return text[: int(rng.integers(len(text)))]
    if how == 1:
        del lines[i]
    elif how == 2:
        lines.insert(i, lines[j])
    elif how == 3:
        lines[i], lines[j] = lines[j], lines[i]
    elif how == 4 and numbers:
        its = numbers[int(rng.integers(len(numbers)))]
        lines[i] = lines[i][: its.start()] + str(rng.choice(TOKENS)) + lines[i][its.end() :]
    elif how == 5 and lines[i].count(","):
        fields = lines[i].split(",")
        del fields[int(rng.integers(len(fields)))]
        lines[i] = ",".join(fields)
    elif lines[i]:
        k = int(rng.integers(len(lines[i])))
        lines[i] = lines[i][:k] + str(rng.choice(list("0123456789,.-+ Ex*/$=A"))) + lines[i][k + 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize("name", DECKS)
def test_changed_decks_give_one_error_with_the_line(name, tmp_path):
    """What is built from a mesh is named by its elements and nodes, which keep the numbers of the file."""
    rng, path, refused = np.random.default_rng(len(name)), tmp_path / name, 0
    began = time.process_time()
    for _ in range(60):
        path.write_text(changed(DECKS[name], rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                mesh = fem.read_mesh(path)
            except fem.FlexbodyError as error:
                refused += 1
                assert re.search(rf"{name}.*\bline \d+", str(error)), error  # noqa: PT017 (others fail by themselves)
                continue
            try:
                fem.assemble(mesh)
            except fem.FlexbodyError as error:
                assert re.search(rf"{mesh.name}|element \d+|node \d+", str(error)), error  # noqa: PT017
    assert refused > 10
    assert time.process_time() - began < 30
