"""``flexbody mesh FILE`` for shells, beams and what stands beside solids."""

from pathlib import Path

import meshio
import numpy as np
import pytest
from support import mixed
from support.nastran import STEEL, card, mesh_cards

import fem
import modal
from fem.elements import SHAPES
from flexbody import __main__ as cli


def told(capsys, path, cells, points=mixed.POINTS):
    """What the command prints of a file with these cells {kind: nodes}, line by line."""
    named = [(SHAPES[kind].meshio, np.array(nodes)) for kind, nodes in cells.items()]
    meshio.write(path, meshio.Mesh(points, named))
    assert cli.main(["mesh", str(path)]) == 0
    return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_shells(capsys, tmp_path):
    """Five nodes carry a square and a triangle, each node with three displacements and three rotations."""
    words = told(capsys, tmp_path / "skin.vtu", {kind: mixed.CELLS[kind] for kind in mixed.SHELLS})
    assert "nodes 5 (30 degrees of freedom)" in words
    assert "elements 1 quad4, 1 tri3" in words
    assert "area 1.5 m^2" in words
    assert not any(line.startswith(("volume", "length")) for line in words)


def test_lines(capsys, tmp_path):
    words = told(capsys, tmp_path / "frame.vtu", {"line2": mixed.CELLS["line2"]})
    assert "nodes 4 (12 degrees of freedom with trusses, 24 with beams)" in words
    assert "length 3 m" in words
    assert not any(line.startswith(("volume", "area")) for line in words)


def test_a_curved_line_has_the_length_of_its_parabola(capsys, tmp_path):
    """y = x^2 / 4 from -1 to 1: the integral of sqrt(1 + x^2 / 4) is sqrt(5) / 2 + 2 asinh(1/2).

    Three Gauss points miss it by at most the sixth derivative / 15750, at 0 (45 / 64) / 15750 = 4.5e-5.
    """
    points = np.array([[-1.0, 0.25, 0.0], [1.0, 0.25, 0.0], [0.0, 0.0, 0.0]])
    words = told(capsys, tmp_path / "arc.vtu", {"line3": [[0, 1, 2]]}, points)
    (line,) = (line for line in words if line.startswith("length"))
    assert float(line.split()[1]) == pytest.approx(np.sqrt(5) / 2 + 2 * np.arcsinh(0.5), abs=4.6e-5)
    assert "nodes 3 (9 degrees of freedom)" in words  # no beam has three nodes


def test_freedoms_of_solids_with_shells_and_lines():
    """Sixteen nodes, five of them on shells; four on lines, none of these on a shell."""
    blocks = tuple(fem.Block(kind, np.array(nodes)) for kind, nodes in mixed.CELLS.items())
    words = fem.Mesh(mixed.POINTS, blocks).summary()
    assert f"({3 * 16 + 3 * 5} degrees of freedom with trusses, {3 * 16 + 3 * 5 + 3 * 4} with beams)" in words
    for size in ("volume        1.8 m^3", "area          1.5 m^2", "length        3 m"):
        assert size in words


DECK = (
    mesh_cards(fem.box((0.3, 0.03, 0.02), (6, 1, 1), "hex8"))
    + STEEL
    + "".join(card("GRID", 9000 + k, None, x, 0.015, 0.01) for k, x in ((1, 0.0), (2, 0.3)))
    + card(
        "RBE2",
        1,
        9001,
        123456,
        *(int(n) + 1 for n in fem.box((0.3, 0.03, 0.02), (6, 1, 1), "hex8").nodes_of("x0")),
    )
    + card(
        "RBE2",
        2,
        9002,
        123456,
        *(int(n) + 1 for n in fem.box((0.3, 0.03, 0.02), (6, 1, 1), "hex8").nodes_of("x1")),
    )
    + card("CORD2C", 5, 0, 0.1, 0.0, 0.1, 0.1, 0.0, 0.2, 0.3, 0.0, 0.1)
    + card("CONM2", 3, 9002, None, 0.2, None, 0.0, 0.05)
    + card("PLOTEL", 77, 1, 2)
)


def test_a_deck_is_reduced_with_its_own_reference_nodes(capsys, tmp_path):
    (tmp_path / "rod.bdf").write_text(DECK)
    given = [str(tmp_path / "rod.bdf"), "--interfaces", "9001,9002", "--f-max", "1000"]
    assert cli.main(["reduce", *given, "--out", str(tmp_path / "rod.h5")]) == 0
    said = capsys.readouterr().out
    for words in (
        "rigid connection 'RBE2 1'",
        "1 PLOTEL",
        "base functions",
        "free body",
        f"written to {tmp_path}",
    ):
        assert words in said
    body = modal.load(tmp_path / "rod.h5")
    assert body.mass == pytest.approx(0.3 * 0.03 * 0.02 * 7850 + 0.2)
    assert set(body.markers) == {"9001", "9002"}
    assert cli.main(["reduce", *given[:2], "9003", *given[3:], "--out", str(tmp_path / "no.h5")]) == 2
    assert "no node set '9003'" in capsys.readouterr().err


def test_round_holes_are_interfaces_by_their_number(capsys, tmp_path):
    file = str(Path(__file__).resolve().parents[2] / "meshes" / "conrod.msh")
    assert cli.main(["mesh", file]) == 0
    first, second = (line for line in capsys.readouterr().out.splitlines() if " hole" in line)
    assert "round holes   hole1: centre (0, 0, 0) m" in first
    assert "hole2: centre (" in second
    given = ["--f-max", "500", "--material", "210e9,0.3,7850", "--out", str(tmp_path / "rod.h5")]
    assert cli.main(["reduce", file, "--interfaces", "hole1,hole9", *given]) == 2
    assert "no 'hole9': its round holes are hole1 to hole2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--out", "rod.xyz"], "the ending must be one of .h5, .hdf5"),
        (["--out", "rod.h5", "--interfaces", ","], "--interfaces names no node set"),
        (["--out", "rod.h5"], "rod.vtu names no material; give --material E,NU,RHO"),
        (["--out", "rod.h5", "--material", "steel"], "--material is 'steel'; give E,NU,RHO"),
    ],
)
def test_what_reduce_can_not_use_is_named_by_its_option(given, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    box = fem.box((0.3, 0.03, 0.02), (6, 1, 1), "hex8")
    meshio.write("rod.vtu", meshio.Mesh(box.points, [("hexahedron", box.blocks[0].nodes)]))
    assert cli.main(["reduce", "rod.vtu", "--interfaces", "x0,x1", "--f-max", "1000", *given]) == 2
    assert words in capsys.readouterr().err
    assert not list(tmp_path.glob("rod.[hx]*"))


@pytest.mark.parametrize("option", ["--f-max", "--size"])
@pytest.mark.parametrize("value", ["-1", "nan", "fast"])
def test_sizes_and_frequencies_are_positive(option, value, capsys):
    given = ["reduce", "rod.step", "--interfaces", "a", "--f-max", "1", "--out", "rod.h5"]
    with pytest.raises(SystemExit, match="2"):
        cli.main([*given, f"{option}={value}"])
    assert f"argument {option}: '{value}' must be a finite number above zero" in capsys.readouterr().err


def test_the_picture_shows_connections_masses_and_systems(tmp_path):
    """The legend names them; colours of their symbols are in the picture."""
    from flexbody.view.geometry import colours
    from flexbody.view.scenes.elements import Options, of_mesh

    (tmp_path / "rod.bdf").write_text(DECK)
    mesh = fem.read_mesh(tmp_path / "rod.bdf")
    drawing = of_mesh(mesh, Options())
    assert {"rigid: RBE2 1", "rigid: RBE2 2", "0.2 kg at 9002", "system 5 (cylindrical)"} <= set(
        drawing.legend
    )
    drawn = {part.colour for part in drawing.parts if hasattr(part, "colour")}
    assert {colours.RIGID, colours.MASS, *colours.AXES} <= drawn
