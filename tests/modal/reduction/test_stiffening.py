"""Second-order terms of a body: what a rotation does to a load, and what the body keeps of them."""

import dataclasses
import functools

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.bars import STEEL
from support.every import bent, cases
from support.pieces import close, frame_of_beams, solid

import fem
import modal
from modal.reduction.stiffening import stiffening

CASES_OF_ELEMENTS = cases()


def turned_by(structure, theta, point):
    """Second order of the place of a point, and of the rotation vector, when the body turns by theta exactly.

    The mean displacement and mean rotation of the second order are taken out again: they belong to the frame.
    """
    cloud = structure.cloud
    x = cloud.points - structure.center

    def second(r):
        return np.cross(theta, np.cross(theta, r))  # twice the second order: theta' G theta

    m, moved = cloud.mass, second(x)
    shift = np.asarray(m @ moved).sum(axis=0) / structure.mass
    moment = np.cross(x, m @ moved).sum(axis=0)
    turn = np.linalg.lstsq(structure.inertia, moment, rcond=1e-12)[0]
    r = point - structure.center
    return second(r) - shift - np.cross(turn, r), -turn


@functools.cache
def connected():
    """A solid with a rigid and an averaging connection to reference nodes away from it."""
    mesh = fem.box((0.3, 0.1, 0.07), (2, 1, 1), "hex20")
    parts = (fem.Rigid("hub", "x0", at=(-0.1, 0.07, 0.02)), fem.Averaged("tip", "x1", at=(0.4, 0.0, 0.1)))
    return fem.assemble(mesh, STEEL, parts=parts)


@functools.cache
def strut():
    """A solid with an equation that keeps the distance of two corners."""
    mesh = fem.box((0.3, 0.1, 0.07), (2, 1, 1), "hex20")
    mesh = mesh.select("a", nearest=(0, 0, 0)).select("b", nearest=(0.3, 0.1, 0.07))
    along = {"x": 0.3, "y": 0.1, "z": 0.07}
    terms = [
        (node, c, sign * length) for node, sign in (("a", -1.0), ("b", 1.0)) for c, length in along.items()
    ]
    return fem.assemble(mesh, STEEL, parts=[fem.Equation("strut", terms)])


@functools.cache
def tied():
    """Two plates side by side and one above the other, the nodes of one on arms beside the other."""
    points = [(x, y, 0.0) for x in (0.0, 0.1, 0.2) for y in (0.0, 0.15)]
    points += [(x, y, 0.01) for x in (0.21, 0.3) for y in (0.0, 0.05, 0.15)]
    quads = [[0, 2, 3, 1], [2, 4, 5, 3], [6, 9, 10, 7], [7, 10, 11, 8]]
    sets = {"x0": [0, 1], "x1": [9, 10, 11], "onto": range(6), "edge": [6, 7, 8]}
    mesh = fem.Mesh(
        points, (fem.Block("quad4", quads),), {name: np.array(nodes) for name, nodes in sets.items()}
    )
    return fem.assemble(mesh, fem.Shell(STEEL, 0.01), parts=[fem.Tie("edge", "onto", tolerance=0.02)])


def check_rotation(structure, interfaces, tolerance=1e-9):
    """Rigid modes as base functions give every marker's second order under finite rotations."""
    found = stiffening(structure, structure.rigid_modes(), interfaces)
    rng = np.random.default_rng(3)
    for i in interfaces:
        GF, GM = found.GF[i.name], found.GM[i.name]
        for theta in rng.normal(size=(3, 3)):
            a = np.concatenate([rng.normal(size=3), theta])
            place, vector = turned_by(structure, theta, i.point)
            np.testing.assert_allclose(a @ GF @ a, place, rtol=0, atol=tolerance * np.abs(place).max())
            if i.has_rotation:
                np.testing.assert_allclose(a @ GM @ a, vector, rtol=0, atol=tolerance)


class TestRotationAsMode:
    """The six rigid modes as base functions: G must give what a finite rotation does to every load, exactly.

    What is left is round-off times the condition of K, at most 5e-11 (shells).
    """

    @pytest.mark.parametrize("rigid", [False, True])
    @pytest.mark.parametrize(
        ("make", "sets"), [(solid, ("x0", "x1")), (frame_of_beams, ("start", "end"))], ids=["solid", "beams"]
    )
    def test_frames(self, make, sets, rigid):
        check_rotation(make(), [fem.interface(make(), name, rigid=rigid) for name in sets])

    def test_connections(self):
        check_rotation(connected(), [fem.interface(connected(), name) for name in ("hub", "tip", "y1")])

    @pytest.mark.parametrize("make", [strut, tied], ids=["equation", "tie"])
    def test_equations_and_ties(self, make):
        check_rotation(make(), [fem.interface(make(), name) for name in ("x0", "x1")])

    @pytest.mark.parametrize("case", CASES_OF_ELEMENTS, ids=lambda case: case.name)
    def test_every_element(self, case):
        mesh = bent(case.kind)
        last = mesh.n_nodes - 1
        mesh = dataclasses.replace(mesh, node_sets={"some": np.array([0, 2, last]), "one": np.array([1])})
        structure = fem.assemble(mesh, case.property)
        check_rotation(structure, [fem.interface(structure, name) for name in mesh.node_sets])


TURN = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()


@functools.cache
def reduced():
    """The unsymmetric piece on two averaged faces, three of its normal modes, one marker more."""
    structure = solid()
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=3)
    return modal.reduce(structure, basis, markers=("y1",))


class TestReducedBody:
    """The terms as a part of the body: made by default, turned, stored, left out by choice."""

    def test_holds_the_terms_of_its_base_functions(self):
        """Against the terms of the same fields, found again from what the markers show of them."""
        structure, body = solid(), reduced()
        surface = np.asarray(structure.mesh.surface())
        nodes = np.unique(surface)
        assert len(nodes) == structure.mesh.n_nodes  # every node is on the surface: Phi is known everywhere
        Phi = body.recovery.Phi.reshape(-1, body.N)
        found = stiffening(structure, Phi, [fem.interface(structure, name) for name in body.markers])
        close(body.C5_stiffening, found.C5)
        for name, marker in body.markers.items():
            close(marker.GF, found.GF[name])
            close(marker.GM, found.GM[name])

    def test_turned_is_the_turned_mesh(self):
        structure, body = solid(), reduced().turned(TURN)
        mesh = structure.mesh
        turned = fem.assemble(fem.Mesh(mesh.points @ TURN.T, mesh.blocks, mesh.node_sets), STEEL)
        Phi = np.einsum("ab,mbi->mai", TURN, reduced().recovery.Phi).reshape(-1, body.N)
        found = stiffening(turned, Phi, [fem.interface(turned, name) for name in body.markers])
        close(body.C5_stiffening, found.C5, 1e-9)
        for name, marker in body.markers.items():
            close(marker.GF, found.GF[name], 1e-9)
            close(marker.GM, found.GM[name], 1e-9)

    def test_saved_and_loaded(self, tmp_path):
        body = modal.load(reduced().save(tmp_path / "piece.h5"))
        assert not body.linear
        assert modal.load(dataclasses.replace(body, linear=True).save(tmp_path / "linear.h5")).linear
        np.testing.assert_array_equal(body.C5_stiffening, reduced().C5_stiffening)
        for name, marker in reduced().markers.items():
            np.testing.assert_array_equal(body.markers[name].GF, marker.GF)
            np.testing.assert_array_equal(body.markers[name].GM, marker.GM)

    def test_a_file_of_version_1_is_a_body_without(self, tmp_path):
        structure = solid()
        plain = modal.reduce(
            structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=3), stiffening=False
        )
        path = plain.save(tmp_path / "piece.h5")
        with h5py.File(path, "a") as file:
            assert "C5_stiffening" not in file["core"]
            assert "GF" not in file["core/markers"]
            file.attrs["schema_version"] = 1
        assert not modal.load(path).stiffened

    def test_only_in_the_mean_displacement_frame(self):
        """Left out by default elsewhere, and refused where they were asked for."""
        structure = solid()
        basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=3)
        for options, linear in (({"stiffening": False}, True), ({"frame": modal.Chord("x0", "x1")}, False)):
            body = modal.reduce(structure, basis, **options)
            assert not body.stiffened
            assert body.linear == linear
            assert all(m.GF is None and m.GM is None for m in body.markers.values())
        assert "it needs the mean-displacement frame" in body.report()
        assert "centrifugal terms" in reduced().report()
        with pytest.raises(fem.InputError, match="mean-displacement frame only"):
            dataclasses.replace(body, C5_stiffening=reduced().C5_stiffening)

    @pytest.mark.parametrize(
        "frame", [modal.Chord("x0", "x1"), modal.FixedPoint("x0"), modal.Unchanged()], ids=lambda f: f.label
    )
    def test_asked_for_in_another_frame_they_are_refused(self, frame):
        structure = solid()
        basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=3)
        with pytest.raises(
            fem.InputError, match=r"stiffening=True is not possible: the frame .* does not move"
        ):
            modal.reduce(structure, basis, frame=frame, stiffening=True)
        assert modal.reduce(structure, basis, stiffening=True).stiffened

    def test_linear_parts_are_the_same_with_and_without(self):
        structure = solid()
        plain = modal.reduce(
            structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=3), stiffening=False
        )
        np.testing.assert_allclose(plain.C5, reduced().C5, atol=1e-9 * np.abs(plain.C5).max())
        np.testing.assert_allclose(plain.K, reduced().K, rtol=1e-9)
