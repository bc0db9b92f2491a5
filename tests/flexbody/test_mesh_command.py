"""``flexbody mesh FILE`` for shells, beams and what stands beside solids."""

import meshio
import numpy as np
import pytest
from support import mixed

import fem
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
