"""Round holes are found by their shape, wherever the part lies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem
from fem.mesh.holes import find_holes, hole_of, with_hole, with_numbered_holes

MESHES = Path(__file__).resolve().parents[3] / "meshes"


@pytest.fixture(scope="module")
def rod():
    return fem.read_mesh(MESHES / "conrod.msh")


def test_the_eyes_of_the_rod_are_found_and_nothing_else(rod):
    # meshes/README.md: bores of radius 27.5 and 12.5 mm at (0, 0, 0) and (0.3, 0, 0), along y
    big, small = find_holes(rod)
    for hole, x, radius, width in ((big, 0.0, 0.0275, 0.026), (small, 0.3, 0.0125, 0.024)):
        np.testing.assert_allclose(hole.center, [x, 0, 0], atol=1e-9)
        np.testing.assert_allclose(np.abs(hole.axis), [0, 1, 0], atol=1e-7)
        assert hole.radius == pytest.approx(radius, rel=1e-6)
        assert hole.length == pytest.approx(width, rel=1e-6)
    np.testing.assert_array_equal(big.nodes, np.sort(rod.node_sets["big_end"]))


def test_the_eyes_are_found_in_any_position(rod):
    R = Rotation.from_rotvec([1.0, -0.4, 2.1]).as_matrix()
    turned = replace(rod, points=rod.points @ R.T + [3.0, -2.0, 0.5])
    for hole, there in zip(find_holes(turned), find_holes(rod), strict=True):
        np.testing.assert_allclose(hole.center, R @ there.center + [3.0, -2.0, 0.5], atol=1e-7)
        assert abs(hole.axis @ R @ there.axis) == pytest.approx(1, abs=1e-9)
        np.testing.assert_array_equal(hole.nodes, there.nodes)


def test_a_hole_becomes_the_same_interface_as_the_named_set(rod):
    bare = replace(rod, node_sets={}, faces={})
    named = with_hole(bare, "eye", find_holes(bare)[1])
    frame, there = fem.interface(named, "eye"), fem.interface(rod, "small_end")
    np.testing.assert_allclose(frame.point, there.point, atol=1e-12)
    # the same faces with other first corners: quadrature over curved faces differs a little
    np.testing.assert_allclose(frame.T.toarray(), there.T.toarray(), atol=1e-7)


def test_a_named_set_that_is_a_hole_gives_its_axis(rod):
    assert hole_of(rod, "big_end").radius == pytest.approx(0.0275, rel=1e-6)
    with pytest.raises(fem.MeshError, match="'middle' of mesh 'conrod' is not the surface of a round hole"):
        hole_of(rod, "middle")


def test_a_block_has_no_holes():
    assert find_holes(fem.box((1, 1, 1), (4, 4, 4))) == []


def test_a_shaft_is_no_hole():
    # a square bar made round; its normals point away from the axis
    bar = fem.box((2, 2, 1), (8, 8, 2), origin=(-1, -1, 0))
    x, y, z = bar.points.T
    reach = np.maximum(np.abs(x), np.abs(y))
    angle = np.arctan2(y, x)
    shaft = replace(bar, points=np.stack([reach * np.cos(angle), reach * np.sin(angle), z], 1))
    assert find_holes(shaft) == []


def test_holes_by_their_number(rod):
    named = with_numbered_holes(rod, ["hole2", "1000", "hole1"])
    for number, hole in enumerate(find_holes(rod), start=1):
        assert named.nodes_of(f"hole{number}").tolist() == sorted(hole.nodes)
    assert with_numbered_holes(rod, ["a", "holes"]) is rod
    with pytest.raises(fem.MeshError, match="has no 'hole3': its round holes are hole1 to hole2"):
        with_numbered_holes(rod, ["hole3"])
