"""Interface frames."""

from dataclasses import replace

import numpy as np
import pytest
from support.fem_meshes import dofs, mapped
from support.shell_meshes import grid

import fem

every_solid = pytest.mark.parametrize("element", fem.ELEMENTS)
GRADED = np.array([0.0, 0.0, 0.0])


def graded(points):
    """Squeeze the elements of a unit box towards one corner of its end face."""
    x, y, z = points.T
    return np.stack([x, y**2 * 0.5 + 0.5 * y, z**1.5], axis=1)


def local_T(frame):
    return frame.T[:, dofs(frame.nodes)].toarray()


@every_solid
@pytest.mark.parametrize("rigid", [False, True])
def test_a_rigid_motion_is_read_off_exactly(element, rigid, steel):
    structure = fem.assemble(fem.box((1, 2, 3), (2, 2, 2), element), steel)
    frame = fem.interface(structure, "x1", rigid=rigid)
    assert frame.rigid == rigid
    assert np.allclose(local_T(frame) @ frame.R, np.eye(6), atol=1e-13)
    u = structure.rigid_modes(about=frame.point) @ np.arange(1.0, 7.0)
    assert frame.T @ u == pytest.approx(np.arange(1.0, 7.0), rel=1e-12)
    assert frame.has_rotation
    assert frame.T.shape == (6, 3 * structure.mesh.n_nodes)


@pytest.mark.parametrize("element", ["tet10", "hex20"])
def test_the_mean_is_weighted_by_area_not_by_nodes(element):
    """Mean of u = (y^2, ...) and its rotation over a flat face, exactly, on elements of very different size.

    For u_x = y^2 on the unit square at x = 1: mean 1/3; least-squares rotation about z
    -int (y - 1/2) u_x / int (y - 1/2)^2 = -(1/12) / (1/12) = -1; about y: 0.
    """

    def squeeze(points):
        x, y, z = points.T
        return np.stack([x, np.where(y < 0.4, y / 2, 0.2 + (y - 0.4) * 0.8 / 0.6), z], axis=1)

    mesh = mapped(fem.box((1, 1, 1), (1, 5, 2), element), squeeze)
    frame = fem.interface(mesh, "x1")
    assert frame.point == pytest.approx([1, 0.5, 0.5], abs=1e-14)
    u = np.zeros((mesh.n_nodes, 3))
    u[:, 0] = mesh.points[:, 1] ** 2
    assert frame.T @ u.ravel() == pytest.approx([1 / 3, 0, 0, 0, 0, -1], abs=1e-13)


def ring(element):
    """A full ring of inner radius 1, outer 1.4, height 0.5, its seam merged: bore "x0"."""

    def bend(points):
        r, angle = 1 + points[:, 0], points[:, 1] * 2 * np.pi
        return np.stack([r * np.cos(angle), r * np.sin(angle), points[:, 2]], axis=1)

    mesh = fem.box((0.4, 1.0, 0.5), (1, 16, 1), element)
    bent = mapped(mesh, bend)
    _, first, number = np.unique(np.round(bent.points, 9), axis=0, return_index=True, return_inverse=True)
    blocks = tuple(fem.Block(b.element, number.reshape(-1)[b.nodes]) for b in bent.blocks)
    return fem.Mesh(bent.points[first], blocks, {"x0": np.unique(number.reshape(-1)[mesh.node_sets["x0"]])})


@pytest.mark.parametrize("element", ["tet10", "hex20"])
def test_an_eye_has_its_frame_in_the_middle_of_the_bore(element, steel):
    mesh = ring(element)
    bore = mesh.select("bore", cylinder=((0, 0, 0), (0, 0, 1), 1.0), tol=2e-3)
    frame = fem.interface(fem.assemble(bore, steel), "bore")
    assert np.array_equal(frame.nodes, mesh.node_sets["x0"])
    assert frame.point == pytest.approx([0, 0, 0.25], abs=1e-9)
    assert frame.area == pytest.approx(2 * np.pi * 0.5, rel=1e-3)
    # swelling (u = radius vector) is no mean motion; turning the bore about its axis is
    x = bore.points - frame.point
    swell = np.where(np.arange(3) < 2, x, 0.0).ravel()
    assert frame.T @ swell == pytest.approx(np.zeros(6), abs=1e-9)
    turn = np.cross([0, 0, 1], x).ravel()
    assert frame.T @ turn == pytest.approx([0, 0, 0, 0, 0, 1], abs=1e-9)


def test_a_section_inside_the_solid_is_weighted_by_its_faces():
    """No outer face lies in it; the inner faces are taken, each once."""
    mesh = mapped(fem.box((2, 1, 1), (2, 3, 3), "hex20"), graded)
    frame = fem.interface(mesh.select("middle", plane=((1, 0, 0), (1, 0, 0))), "middle")
    assert frame.area == pytest.approx(1.0, rel=1e-13)
    assert frame.point == pytest.approx([1.0, 0.5, 0.5], abs=1e-12)


def test_faces_of_the_file_come_first():
    """The file's faces are half of the face: its centroid is theirs, though more nodes are in the set."""
    mesh = fem.box((1, 1, 1), (1, 2, 1), "hex8")
    (faces,) = mesh.faces_of("x1")
    lower = faces.nodes[(mesh.points[faces.nodes][:, :, 1] <= 0.5).all(axis=1)]
    half = replace(mesh, faces={"x1": (fem.Block("quad4", lower),)})
    assert fem.interface(half, "x1").point == pytest.approx([1, 0.25, 0.5])
    assert fem.interface(mesh, "x1").point == pytest.approx([1, 0.5, 0.5])
    # a new selection under the same name forgets them
    again = half.select("x1", plane=((1, 0, 0), (1, 0, 0)))
    assert fem.interface(again, "x1").point == pytest.approx([1, 0.5, 0.5])


def test_nodes_without_faces_weigh_the_same():
    mesh = fem.box((3, 1, 1), (3, 1, 1), "hex8")
    picked = mesh.select("four", box=((0, 0, 0), (3, 0, 0)))
    picked = replace(picked, node_sets={"three": np.array([0, 5, 14])})
    frame = fem.interface(picked, "three")
    assert frame.area == 0.0
    assert frame.point == pytest.approx(mesh.points[[0, 5, 14]].mean(axis=0))
    assert frame.has_rotation
    assert np.allclose(local_T(frame) @ frame.R, np.eye(6), atol=1e-13)


def test_nodes_on_a_line_leave_one_rotation_open():
    """Rotation about the line has no row; the other two are read off."""
    mesh = fem.box((3, 1, 1), (3, 1, 1), "hex8").select("line", box=((0, 0, 0), (3, 0, 0)))
    frame = fem.interface(mesh, "line")
    assert not frame.has_rotation
    assert np.allclose(local_T(frame) @ frame.R, np.diag([1, 1, 1, 0, 1, 1]), atol=1e-13)


def test_a_single_node_has_no_rotation():
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8", origin=(7, 7, 7)).select("tip", nearest=(9, 9, 9))
    frame = fem.interface(mesh, "tip")
    assert not frame.has_rotation
    assert np.array_equal(frame.point, [8, 8, 8])
    assert np.array_equal(local_T(frame), np.eye(3, 6).T[:, :3])


@pytest.mark.parametrize("kind", ["tri6", "quad8", "quad9"])
def test_an_edge_of_quadratic_shells_is_weighted_by_its_functions(kind):
    """Simpson's rule: 1/6, 4/6, 1/6 of the edge's mean displacement, and int x dx over its square in rotation."""
    points, cells = grid(kind, 2, 1)
    edge = np.flatnonzero(points[:, 0] == 0)
    mesh = fem.Mesh(points, (fem.Block(kind, cells),), {"edge": edge})
    structure = fem.assemble(mesh, fem.Shell(fem.Isotropic(210e9, 0.3, 7850.0), 0.01))
    found = fem.interface(structure, "edge")
    u = np.zeros((len(points), 6))
    u[:, 2] = points[:, 1] ** 2
    mean = found.T @ u.ravel()
    assert mean[2] == pytest.approx(1 / 3)
    assert mean[3] == pytest.approx(1.0)  # int (y - 1/2) y^2 dy / int (y - 1/2)^2 dy
