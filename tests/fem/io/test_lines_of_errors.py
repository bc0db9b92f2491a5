"""What can't be assembled is named with the line of the deck where it stands."""

import warnings

import numpy as np
import pytest
from support.abaqus_decks import MATERIAL, body, elements_of, nodes_of
from support.ansys_decks import deck, eblock, materials, nblock, types
from support.nastran import STEEL, card, mesh_cards

import fem

BAR = fem.box((2.0, 1.0, 0.5), (2, 1, 1), "hex8")
FAR = "".join(card("GRID", n, None, x, 0.5, 0.5) for n, x in ((101, 3.0), (102, 4.0)))


def read(folder, text, name):
    (folder / name).write_text(text)
    return fem.read_mesh(folder / name)


def line_of(text, start, number=0):
    """The line, from 1, of the ``number``-th row of a text that begins with ``start``."""
    rows = [k for k, row in enumerate(text.splitlines(), 1) if row.replace(" ", "").startswith(start)]
    return rows[number]


def nastran():
    text = mesh_cards(BAR) + STEEL
    row = text.splitlines()[line_of(text, "CHEXA", 1) - 1]
    return text.replace(row, row[:24] + row[32:40] + row[24:32] + row[40:]), line_of(text, "CHEXA", 1)


def abaqus():
    text = body(BAR) + MATERIAL
    at = line_of(text, "*Element") + 2  # the keyword, element 1, element 2
    number, a, b, *rest = text.splitlines()[at - 1].split(", ")
    return text.replace(", ".join([number, a, b, *rest]), ", ".join([number, b, a, *rest])), at


def ansys():
    text = deck(types(BAR.blocks), nblock(BAR.points), eblock(BAR.blocks), materials())
    at = line_of(text, "EBLOCK") + 3  # its format, element 1, element 2
    row = text.splitlines()[at - 1]
    return text.replace(row, row[:99] + row[108:117] + row[99:108] + row[117:]), at


@pytest.mark.parametrize(("name", "made"), [("part.bdf", nastran), ("part.inp", abaqus), ("part.cdb", ansys)])
def test_an_element_that_is_inverted(name, made, tmp_path):
    """The first two nodes of element 2 are exchanged."""
    text, line = made()
    mesh = read(tmp_path, text, name)
    with pytest.raises(fem.MeshError) as caught:
        fem.assemble(mesh)
    said = str(caught.value)
    assert said.startswith(f"mesh 'part' of {tmp_path / name} can't be assembled: ")
    assert f"hex8 element 2 (line {line}) is inverted" in said
    assert f"hex8 element 2 (line {line})" in mesh.report()


@pytest.mark.parametrize("name", ["part.bdf", "part.inp"])
def test_elements_of_included_files(name, tmp_path):
    text, line = nastran() if name.endswith("bdf") else abaqus()
    rows = text.splitlines(keepends=True)
    first = line - 3
    (tmp_path / "rest.txt").write_text("".join(rows[first:]))
    include = "INCLUDE 'rest.txt'\n" if name.endswith("bdf") else "*Include, input=rest.txt\n"
    with pytest.raises(fem.MeshError, match=rf"element 2 \(line {line - first} of rest.txt\) is inverted"):
        fem.assemble(read(tmp_path, "".join(rows[:first]) + include, name))


def test_lines_follow_elements_through_changes_of_the_mesh(tmp_path):
    text, line = abaqus()
    mesh = fem.drop_unattached(read(tmp_path, "*Node\n500, 9., 9., 9.\n" + text, "part.inp"))
    assert mesh.element_name(1) == f"hex8 element 2 (line {line + 2})"


def test_elements_of_another_file_and_elements_that_are_generated(tmp_path):
    """They have the line of their keyword."""
    (tmp_path / "cells.txt").write_text("\n".join(elements_of(BAR, "C3D8I", "all").splitlines()[1:]))
    text = nodes_of(BAR) + "*Element, type=C3D8I, elset=all, input=cells.txt\n"
    mesh = read(tmp_path, text, "part.inp")
    assert mesh.element_name(0) == f"hex8 element 1 (line {line_of(text, '*Element')})"
    text = "*Node\n1, 0.\n5, 4.\n*Ngen\n1, 5, 1\n*Element, type=T3D2\n1, 1, 2\n*Elgen\n1, 4\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)  # no section
        mesh = read(tmp_path, text, "rod.inp")
    assert [mesh.element_name(k) for k in (0, 3)] == ["line2 element 1 (line 7)", "line2 element 4 (line 8)"]


def test_grid_points_that_follow_two_connections(tmp_path):
    """Both lines and the number in the file, which is not the place in the mesh."""
    ids = 500 + np.arange(BAR.n_nodes)
    end = ids[BAR.node_sets["x1"]].tolist()
    text = mesh_cards(BAR, ids) + FAR
    text += card("RBE2", 7, 101, 123456, *end) + card("RBE2", 8, 102, 123456, *end[:3])
    text += STEEL
    lines = line_of(text, "RBE2"), line_of(text, "RBE2", 1)
    mesh = read(tmp_path, text, "part.bdf")
    with pytest.raises(fem.InputError) as caught:
        fem.assemble(mesh)
    assert f"both prescribe node {end[0]};" in str(caught.value)
    assert str(caught.value).endswith(f"({tmp_path / 'part.bdf'}, line {lines[0]}, line {lines[1]})")


def test_a_tie_that_does_not_reach(tmp_path):
    """Second box 0.3 m beyond the first."""
    other = fem.box((1.0, 1.0, 0.5), (1, 1, 1), "hex8", origin=(2.3, 0.0, 0.0))
    text = (
        body(BAR) + nodes_of(other, 101) + elements_of(other, "C3D8I", "more", first=101, start=11) + MATERIAL
    )
    text += "*Solid Section, elset=more, material=steel\n,\n*Surface, name=a\n2, S4\n"
    text += "*Surface, name=b, type=NODE\n" + "".join(f"{101 + k}\n" for k in other.node_sets["x0"])
    text += "*Tie, name=t, type=NODE TO SURFACE\nb, a\n"
    mesh = read(tmp_path, text, "part.inp")
    with pytest.raises(
        fem.InputError, match=rf"0\.3 to 0\.3 m.*\(.*part\.inp, line {line_of(text, '*Tie')}\)$"
    ):
        fem.assemble(mesh)


def test_pilot_nodes_that_hold_the_same_nodes(tmp_path):
    cells = [int(k) + 1 for k in BAR.node_sets["x1"]]
    lines = ["ET,7,170", "ET,8,175", "KEYOPT,8,2,2", "KEYOPT,8,4,2", "N,901,3,0.5,0.25", "N,902,4,0.5,0.25"]
    for real, pilot in ((21, 901), (22, 902)):
        lines += [f"REAL,{real}", "TYPE,7", f"EN,{pilot},{pilot}", "TYPE,8"]
        lines += [f"EN,{1000 * real + k},{k}" for k in cells]
    text = deck(types(BAR.blocks), nblock(BAR.points), eblock(BAR.blocks), materials(), lines)
    mesh = read(tmp_path, text, "part.cdb")
    places = ", ".join(f"line {line_of(text, f'EN,{pilot}')}" for pilot in (901, 902))
    with pytest.raises(fem.InputError, match=rf"both prescribe node {cells[0]};.*\(.*part\.cdb, {places}\)$"):
        fem.assemble(mesh)


def test_parts_that_a_user_gives_have_no_line(tmp_path):
    text = mesh_cards(BAR) + STEEL + card("SET1", 1, 9, "THRU", 12)
    mesh = read(tmp_path, text, "part.bdf")
    own = [fem.Rigid("a", "SET 1", at=(3.0, 0, 0)), fem.Rigid("b", "SET 1", at=(4.0, 0, 0))]
    with pytest.raises(fem.InputError, match=r"a node can follow one connection only$"):
        fem.assemble(mesh, parts=own)


@pytest.mark.parametrize(
    ("name", "row", "words"),
    [
        ("part.cdb", "MAT,1.e30", "not a whole number, or too large"),
        ("part.cdb", "CP,2,UY,3,99", "there is no node or node set '99'"),
        (
            "part.inp",
            "*Nset, nset=a, generate\n1, 2, 9223372036854775808",
            "a number of the range is too large",
        ),
        ("part.bdf", "GRID,900,,1.E30", "GRID 900 has a coordinate above 1e"),
    ],
)
def test_numbers_that_nothing_can_hold(name, row, words, tmp_path):
    rows = row.split("\n")
    text = {
        "bdf": lambda: mesh_cards(BAR) + STEEL + row,
        "inp": lambda: body(BAR) + MATERIAL + row + "\n",
        "cdb": lambda: deck(types(BAR.blocks), nblock(BAR.points), rows, eblock(BAR.blocks), materials()),
    }[name[-3:]]()
    line = line_of(text, rows[0].replace(" ", ""))
    with pytest.raises(fem.FileError, match=rf"{name}, line {line}\b.*{words}"):
        read(tmp_path, text, name)


def test_an_instance_that_is_moved_beyond_all_bounds(tmp_path):
    text = f"*Part, name=P\n{body(BAR)}*End Part\n*Assembly, name=A\n*Instance, name=I, part=P\n1e30, 0, 0\n"
    text += "*End Instance\n*End Assembly\n" + MATERIAL
    with pytest.raises(
        fem.FileError, match=rf"line {line_of(text, '*Instance')}, .*can't be moved by 5e\+29 or more"
    ):
        read(tmp_path, text, "part.inp")
