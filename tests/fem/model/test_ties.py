"""Ties of faces that don't match: patch tests, rigid motions, convergence against the matching mesh."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.frames import STEEL, joined

import fem


def pair(kind, first, second, gap=0.0, other=None, size=(0.5, 1.0, 1.0)):
    """Two blocks with a common side, in the plane x = 0.5 unless there is a gap."""
    a, b = fem.box(size, first, kind), fem.box(size, second, other or kind)
    return joined(a, b, (size[0] + gap, 0, 0))


def pulled(mesh, tie):
    """Displacements of the pair under a uniform stress along x, less those of the exact solution, over its stretch."""
    for name, at in (("o", (0, 0, 0)), ("p", (0, 1, 0))):
        mesh = mesh.select(name, nearest=at)
    structure = fem.assemble(mesh, STEEL, parts=[tie])
    stress = 1e6
    held = {"x0": "x", "o": ("y", "z"), "p": "z"}
    found = fem.static(structure, held, fem.Traction("b_x1", (stress, 0, 0))).displacement
    strain = stress / STEEL.E * np.array([1.0, -STEEL.nu, -STEEL.nu])
    return np.abs(found - structure.mesh.points * strain).max() / strain[0]


@pytest.mark.parametrize(
    ("kind", "other"), [("hex8", "hex8"), ("hex20", "hex20"), ("hex8", "hex20"), ("tet4", "tet4")]
)
def test_a_constant_stress_passes_where_one_mesh_divides_the_other(kind, other):
    """Patch test; the functions of the faces that lead are among those of the finer mesh. 1e-12: rounding."""
    assert pulled(pair(kind, (2, 2, 2), (2, 4, 4), other=other), fem.Tie("b_x0", "x1")) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "told"), [("hex8", ("0.1", "0.02")), ("hex20", ("0.06", "0.008"))])
def test_how_far_faces_that_are_cut_disturb_a_constant_stress(kind, told):
    """Three on two, and 13 on 8 divisions: the error falls faster than the size of the faces.

    No theory gives the numbers: those that the docstring tells are compared with what is found.
    """
    coarse = pulled(pair(kind, (2, 2, 2), (2, 3, 3)), fem.Tie("b_x0", "x1"))
    fine = pulled(pair(kind, (4, 8, 8), (4, 13, 13)), fem.Tie("b_x0", "x1"))
    assert fine < coarse / 4
    assert (f"{coarse:.1g}", f"{fine:.1g}") == told


def test_the_coarser_side_is_told():
    with pytest.warns(
        fem.FlexbodyWarning, match=r"sides of 0\.5 m, .* of 0\.25 m; the finer side should follow"
    ):
        assert pulled(pair("hex8", (2, 4, 4), (2, 2, 2)), fem.Tie("b_x0", "x1")) > 1


def test_a_linear_field_passes_through_a_gap():
    """Nodes 2 mm off the faces, which are moved by the solids' functions beyond the faces: any linear field is exact.

    Distorted elements in a general place, so that nothing stands along an axis.
    """
    for kind in ("hex8", "tet10", "wedge6"):
        mesh = pair(kind, (2, 2, 2), (2, 3, 3), gap=0.002)
        x, y, z = mesh.points.T
        turn = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
        points = (mesh.points + 0.05 * np.column_stack([y * z, z * x, x * y])) @ turn.T
        mesh = replace(mesh, points=points)
        structure = fem.assemble(mesh, STEEL, parts=[fem.Tie("b_x0", "x1", tolerance=0.01)])
        assert structure.n == 3 * (mesh.n_nodes - len(mesh.nodes_of("b_x0")))
        field = mesh.points @ np.random.default_rng(0).normal(size=(3, 3)) + [0.1, 0.2, 0.3]
        u = field.ravel()[structure.freedoms.free]
        np.testing.assert_allclose(structure.displacements(u), field, atol=1e-12)
        R = structure.rigid_modes()
        assert np.abs(structure.K @ R).max() < 1e-12 * structure.K.diagonal().max()


def test_matching_nodes_are_as_if_merged():
    mesh = pair("hex20", (2, 2, 1), (3, 2, 1))
    tied = fem.assemble(mesh, STEEL, parts=[fem.Tie("b_x0", "x1")])
    merged = fem.assemble(fem.merge_nodes(mesh), STEEL)
    assert tied.n == merged.n
    assert tied.mass == pytest.approx(merged.mass, rel=1e-13)
    np.testing.assert_allclose(tied.inertia, merged.inertia, rtol=1e-12, atol=1e-9)
    found = [fem.vibration(s, n=6).frequencies_hz for s in (tied, merged)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


@pytest.mark.slow
def test_frequencies_approach_those_of_the_matching_mesh():
    """A bar with a tie in its middle, 2 x 2 on 3 x 3 divisions and both finer, against one mesh; mass stays.

    The local disturbance is of the order of the section's stiffness there: 1 % on the coarse faces, less on finer ones.
    """
    size, errors = (0.5, 0.1, 0.1), []
    exact = fem.vibration(
        fem.assemble(fem.box((1.0, 0.1, 0.1), (16, 4, 4), "hex20"), STEEL), n=5
    ).frequencies_hz
    for n in (1, 2):
        mesh = pair("hex20", (6 * n, 2 * n, 2 * n), (6 * n, 3 * n, 3 * n), size=size)
        structure = fem.assemble(mesh, STEEL, parts=[fem.Tie("b_x0", "x1")])
        assert structure.mass == pytest.approx(STEEL.rho * 0.01, rel=1e-12)
        np.testing.assert_allclose(structure.center, [0.5, 0.05, 0.05], rtol=1e-12)
        errors.append(np.abs(fem.vibration(structure, n=5).frequencies_hz / exact - 1).max())
    assert errors[0] < 0.01
    assert errors[1] < 0.5 * errors[0]


def plates(offset=0.0, gap=0.0):
    """Two plates of shells side by side along x; the second ``offset`` above and ``gap`` beside the first."""

    def plate(n, m):
        x, y = np.meshgrid(np.linspace(0, 0.5, n + 1), np.linspace(0, 0.3, m + 1), indexing="ij")
        points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
        i = (np.arange(n)[:, None] * (m + 1) + np.arange(m)).ravel()
        nodes = np.stack([i, i + m + 1, i + m + 2, i + 1], axis=1)
        sets = {"all": np.arange(len(points)), "x0": np.arange(m + 1), "x1": n * (m + 1) + np.arange(m + 1)}
        return fem.Mesh(points, (fem.Block("quad4", nodes),), sets)

    return joined(plate(4, 2), plate(5, 3), (0.5 + gap, 0.0, offset))


@pytest.mark.parametrize(("offset", "gap"), [(0.0, 0.0), (0.01, 0.0), (0.003, 0.004)])
def test_shells_are_tied_with_their_rotations_and_arms(offset, gap):
    """Rigid motions are exact, six of them, and K_G of a rotation turns the loads (as for equations)."""
    mesh = plates(offset, gap).select("q", nearest=(0.5 + gap, 0.3, offset)).select("p", nearest=(0, 0, 0))
    mesh = mesh.select("q", nearest=(1.0 + gap, 0.3, offset))
    structure = fem.assemble(mesh, fem.Shell(STEEL, 0.01), parts=[fem.Tie("b_x0", "all", tolerance=0.02)])
    assert structure.n == 6 * (mesh.n_nodes - 4)
    K, R = structure.K.toarray(), structure.rigid_modes()
    assert np.abs(K @ R).max() < 1e-12 * K.max()
    assert (np.linalg.eigvalsh(K) < 1e-12 * np.abs(K).max()).sum() == 6
    push = 1e3 * (fem.interface(structure, "q").point - fem.interface(structure, "p").point)
    loads = [fem.Force("p", tuple(-push)), fem.Force("q", tuple(push))]
    u = fem.static(structure, (), loads).u
    K_G = fem.geometric_stiffness(structure, u, loads)
    size = abs(K_G).max() * mesh.size
    for k, e in enumerate(np.eye(3)):
        turned = [fem.Force(load.at, tuple(np.cross(e, load.force))) for load in loads]
        expected = fem.load_vector(structure, turned)
        translations = structure.freedoms.free % 6 < 3
        missing = (K_G @ R[:, 3 + k] - expected)[translations]
        assert np.abs(missing).max() < 1e-9 * size


def test_nodes_of_a_solid_on_a_shell_are_carried_by_arms():
    """A block on a plate, its nodes half a thickness above the middle surface."""
    plate = plates()
    block = fem.box((0.2, 0.1, 0.05), (5, 3, 1), "hex8")
    mesh = joined(fem.drop_unattached(plate_of(plate)), block, (0.1, 0.1, 0.005))
    tie = fem.Tie("b_z0", "all", tolerance=0.006)
    structure = fem.assemble(mesh, {"a": fem.Shell(STEEL, 0.01), "b": STEEL}, parts=[tie])
    R = structure.rigid_modes()
    assert np.abs(structure.K @ R).max() < 1e-11 * structure.K.diagonal().max()
    np.testing.assert_allclose(
        structure.freedoms.motions(R),
        fem.rigid_motions(mesh.points, structure.center, structure.freedoms),
        atol=1e-12,
    )


def plate_of(both):
    return fem.Mesh(both.points, both.blocks[:1], {"all": np.unique(both.blocks[0].nodes)})


def test_adjusted_nodes_are_moved_and_told():
    mesh = pair("hex8", (2, 2, 2), (2, 4, 4), gap=0.002)
    tie = fem.Tie("b_x0", "x1", tolerance=0.01, adjust=True)
    with pytest.warns(fem.FlexbodyWarning, match=r"25 nodes are moved onto the faces, by up to 0\.002 m"):
        structure = fem.assemble(mesh, STEEL, parts=[tie])
    assert np.abs(structure.mesh.points[mesh.nodes_of("b_x0"), 0] - 0.5).max() < 1e-15
    np.testing.assert_array_equal(mesh.points[mesh.nodes_of("b_x0"), 0], 0.502)  # the given mesh stays
    assert structure.mass == pytest.approx(STEEL.rho * 1.002, rel=1e-12)
    assert fem.assemble(mesh, STEEL, parts=[replace(tie, adjust=False)]).mass == pytest.approx(
        STEEL.rho, rel=1e-12
    )


def test_nodes_that_are_too_distant_stay_and_are_told():
    mesh = pair("hex8", (2, 2, 2), (2, 4, 4), gap=0.0)
    wide = replace(
        mesh, node_sets={**mesh.node_sets, "more": np.union1d(mesh.nodes_of("b_x0"), mesh.nodes_of("b_x1"))}
    )
    with pytest.warns(
        fem.FlexbodyWarning, match=r"25 of 50 nodes are more than the tolerance of 0\.025 m from .* 0\.5 to"
    ):
        structure = fem.assemble(wide, STEEL, parts=[fem.Tie("more", "x1")])
    assert structure.n == 3 * (mesh.n_nodes - 25)


@pytest.mark.parametrize(
    ("tie", "words"),
    [
        (fem.Tie("b_x1", "x1"), "25 of 25 nodes are more than the tolerance"),
        (fem.Tie("x1", "x1"), "belong to the faces themselves"),
        (fem.Tie("b_x0", "one"), "make no face"),
    ],
)
def test_what_cannot_be_tied(tie, words):
    mesh = pair("hex8", (2, 2, 2), (2, 4, 4)).select("one", nearest=(0.5, 0, 0))
    with pytest.raises(fem.InputError, match=words):
        fem.assemble(mesh, STEEL, parts=[tie])


def test_a_chain_of_ties_and_a_circle():
    a, b, c = (fem.box((0.5, 1, 1), (1, n, n), "hex8") for n in (1, 2, 4))
    mesh = joined(joined(a, b, (0.5, 0, 0)), c, (1.0, 0, 0))
    sets = {**mesh.node_sets, "second": mesh.nodes_of("b_x1")[mesh.nodes_of("b_x1") < a.n_nodes + b.n_nodes]}
    n = a.n_nodes + b.n_nodes
    sets |= {
        "first": a.n_nodes + b.nodes_of("x0"),
        "second": a.n_nodes + b.nodes_of("x1"),
        "third": n + c.nodes_of("x0"),
    }
    mesh = replace(mesh, node_sets=sets)
    structure = fem.assemble(mesh, STEEL, parts=[fem.Tie("third", "second"), fem.Tie("first", "x1")])
    R = structure.rigid_modes()
    assert np.abs(structure.K @ R).max() < 1e-12 * structure.K.diagonal().max()
    with pytest.raises(fem.InputError, match="both prescribe node"):
        parts = [fem.Tie("first", "x1"), fem.Tie("third", "second"), fem.Rigid("r", "first")]
        fem.assemble(mesh, STEEL, parts=parts)
