"""Errors name elements as the mesh does, and a property that another replaces is told."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.frames import STEEL, line

import fem

BEAM = fem.Beam(STEEL, fem.Circle(0.02))


def numbered(mesh, first=100):
    blocks = [fem.Block(b.element, b.nodes, first + np.arange(len(b))) for b in mesh.blocks]
    return replace(mesh, blocks=tuple(blocks))


@pytest.fixture(autouse=True)
def _silent():
    """Whatever is not expected to warn must not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        yield


def test_beams_along_up_are_named_by_the_files_numbers():
    """Elements 3..5 (the second piece) stand upright; as part of a set they are its elements 0..2."""
    mesh = numbered(line([(0, 0, 0), (1, 0, 0), (1, 0, 1)], 3))
    mesh = replace(mesh, element_sets={"level": np.arange(3), "upright": np.arange(3, 6)})
    message = "line2 element 103, line2 element 104, line2 element 105: parallel to up"
    for given in (BEAM, {"level": BEAM, "upright": fem.Beam(STEEL, fem.Circle(0.03))}):
        with pytest.raises(fem.InputError, match=message) as caught:
            fem.assemble(mesh, given)
        assert type(caught.value) is fem.InputError
        assert caught.value.__suppress_context__


def test_bent_trusses_and_points_are_named():
    points = [(0, 0, 0), (1, 0, 0), (0.5, 0.1, 0)]
    mesh = numbered(fem.Mesh(points, (fem.Block("line3", [[0, 1, 2]]),)))
    with pytest.raises(fem.InputError, match=r"line3 element 100: the third node .* 0\.1 m away"):
        fem.assemble(mesh, fem.Truss(STEEL, 1e-4))
    mesh = numbered(fem.Mesh([(0, 0, 0), (1, 0, 0), (1, 0, 0)], (fem.Block("line2", [[0, 1], [1, 2]]),)))
    with pytest.raises(fem.InputError, match="line2 element 101: both ends lie at one point"):
        fem.assemble(mesh, fem.Truss(STEEL, 1e-4))


def test_a_flat_triangle_is_an_error_alone():
    """No warning of a bad shape before it: one fault, one message."""
    points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (2, 0, 0)]
    mesh = numbered(fem.Mesh(points, (fem.Block("tri3", [[0, 1, 2], [0, 1, 3]]),)))
    with pytest.raises(fem.InputError, match=r"1 whose nodes lie on one line.*\(tri3 element 101\)"):
        fem.assemble(mesh, fem.Shell(STEEL, 0.01))


def test_many_elements_are_cut_to_six():
    mesh = line([(0, 0, 0), (0, 0, 1)], 9)
    with pytest.raises(fem.InputError, match="line2 element 6 and 3 more: parallel"):
        fem.assemble(mesh, BEAM)


def test_sets_that_overlap_are_told_and_the_later_wins():
    mesh = fem.box((2, 1, 1), (4, 1, 1), "hex8")
    mesh = replace(
        mesh, element_sets={"left": np.arange(3), "right": np.array([2, 3]), "rest": np.array([3])}
    )
    light = fem.Isotropic(70e9, 0.3, 2700.0)
    message = "1 of its elements lies in both 'left' and 'right', the first is hex8 element 3; .* of 'right' applies"
    with pytest.warns(fem.FlexbodyWarning, match=message):
        structure = fem.assemble(mesh, {"left": STEEL, "right": light})
    assert structure.mass == pytest.approx(7850.0 + 2700.0)
    fem.assemble(mesh, {"left": STEEL, "right": STEEL})  # no matter which
    fem.assemble(mesh, {"left": STEEL, "rest": light})
    assert fem.assemble(mesh, {"hex8": STEEL, "right": light}).mass == pytest.approx(7850.0 + 2700.0)
