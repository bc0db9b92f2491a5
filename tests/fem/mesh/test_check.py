"""What is said about a mesh before it is assembled: errors, warnings and their mends."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from support.fem_meshes import mapped

import fem
from fem.mesh.check import MIN_SHAPE_QUALITY, check
from fem.mesh.merge import coincident

every_solid = pytest.mark.parametrize("element", fem.ELEMENTS)
STEEL = fem.Isotropic(210e9, 0.3, 7850.0)


@pytest.fixture(autouse=True)
def _silent():
    """Whatever is not expected to warn must not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        yield


def two_boxes(element="hex8", gap=0.0, shift=0.0, offset=(0, 0, 0)):
    """Two boxes end to end along x that share no node, the second moved by ``gap`` along x and ``shift`` along y."""
    one = fem.box((1, 1, 1), (2, 1, 1), element)
    two = fem.box((1, 1, 1), (2, 1, 1), element, origin=(1 + gap, shift, 0))
    other = fem.Block(element, two.blocks[0].nodes + one.n_nodes, 100 + np.arange(two.n_elements))
    sets = {"left": one.node_sets["x0"], "right": two.node_sets["x1"] + one.n_nodes}
    sets["seam"] = np.concatenate([one.node_sets["x1"], two.node_sets["x0"] + one.n_nodes])
    elements = {"second": one.n_elements + np.arange(two.n_elements)}
    points = np.vstack([one.points, two.points]) + offset
    return fem.Mesh(points, (*one.blocks, other), sets, element_sets=elements, name="pair")


# --- shape -------------------------------------------------------------------------------------------------

# regular shapes: all edges of one length, from the corners' coordinates
H = np.sqrt(0.75)
REGULAR = {
    "tet4": [(0, 0, 0), (1, 0, 0), (0.5, H, 0), (0.5, H / 3, np.sqrt(2 / 3))],
    "hex8": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)],
    "wedge6": [(0, 0, 0), (1, 0, 0), (0.5, H, 0), (0, 0, 1), (1, 0, 1), (0.5, H, 1)],
    "pyramid5": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, np.sqrt(0.5))],
    "tri3": [(0, 0, 0), (1, 0, 0), (0.5, H, 0)],
    "quad4": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
}


def alone(kind, points):
    return fem.Mesh(np.array(points, float), (fem.Block(kind, [range(len(points))]),))


@pytest.mark.parametrize("kind", REGULAR)
def test_regular_elements_have_quality_one_however_they_lie(kind):
    turn = np.linalg.qr(np.random.default_rng(2).standard_normal((3, 3)))[0]
    turn *= np.linalg.det(turn)  # no mirror
    points = 0.01 * np.array(REGULAR[kind], float) @ turn.T + [3, 4, 5]
    assert fem.shape_quality(alone(kind, points)) == pytest.approx([1.0], rel=1e-9)


@pytest.mark.parametrize("kind", ["tet4", "hex8", "wedge6", "pyramid5"])
def test_mirrored_elements_have_negative_quality(kind):
    assert fem.shape_quality(alone(kind, np.array(REGULAR[kind]) * [1, 1, -1])) == pytest.approx([-1.0])


def test_quality_of_known_shapes():
    """Sheared by 45 degrees: a parallelepiped's and a rhomboid's Jacobian over edges is sin 45."""
    shear = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1]])
    for kind in ("hex8", "quad4"):
        assert fem.shape_quality(alone(kind, np.array(REGULAR[kind]) @ shear)) == pytest.approx(
            [np.sqrt(0.5)]
        )
    flat = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1e-3)])
    # six times the volume is 1e-3 at all corners; the longest edges meet at the second: 1, sqrt(2), sqrt(0.58)
    expected = 1e-3 / np.sqrt(2 * 0.58) / np.sqrt(0.5)
    assert fem.shape_quality(alone("tet4", flat)) == pytest.approx([expected], rel=1e-4)
    reflex = alone("quad4", [(0, 0, 0), (1, 0, 0), (0.2, 0.2, 0), (0, 1, 0)])
    assert fem.shape_quality(reflex)[0] < 0
    assert fem.shape_quality(alone("line2", [(0, 0, 0), (1, 0, 0)])) == [1.0]


def test_a_brick_collapsed_to_a_wedge_is_judged_by_its_other_corners():
    points = np.array(REGULAR["hex8"], float)
    points[[3, 7]] = points[[2, 6]]
    assert fem.shape_quality(alone("hex8", points))[0] > 0.5


@every_solid
def test_badly_shaped_elements_are_counted_and_the_worst_is_named(element):
    """Layers that slide: the corner angles of the second third of the bricks become as flat as 1 : 150."""

    def sheared(x):
        z = np.clip(x[:, 2] - 1, 0, 1)
        return x + np.stack([(150.0 if element[:3] != "tet" else 60.0) * z, 0 * z, 0 * z], axis=1)

    mesh = mapped(fem.box((1, 1, 3), (1, 1, 3), element), sheared)
    quality = fem.shape_quality(mesh)
    count, worst = (quality < MIN_SHAPE_QUALITY).sum(), int(np.argmin(quality))
    assert 0 < count < mesh.n_elements
    expected = (
        rf"{count} of {mesh.n_elements} elements .* badly shaped .*worst is {mesh.element_name(worst)} with"
    )
    with pytest.warns(fem.FlexbodyWarning, match=expected):
        check(mesh)
    check(fem.box((1, 1, 3), (1, 1, 3), element))


# --- nodes that belong to nothing --------------------------------------------------------------------------


def test_unattached_nodes_are_named_and_can_be_dropped(steel):
    mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    more = np.vstack([mesh.points[:3], [[5, 6, 7]], mesh.points[3:], [[1, 1, 9]]])
    new = np.array([0, 1, 2, 4, 5, 6, 7, 8])
    sets = {name: new[nodes] for name, nodes in mesh.node_sets.items()} | {"lost": [3], "both": [3, 4]}
    faces = {"x0": (fem.Block("quad4", new[mesh.exterior[0].nodes[:1]]), fem.Block("tri3", [[0, 1, 3]]))}
    loose = replace(mesh, points=more, blocks=(fem.Block("hex8", new[mesh.blocks[0].nodes]),))
    loose = replace(loose, node_sets=sets, faces=faces)
    with pytest.raises(
        fem.MeshError, match=r"2 nodes, the first is node 4 at \[5., 6., 7.\].*drop_unattached"
    ):
        fem.assemble(loose, steel)
    kept = fem.drop_unattached(loose)
    assert np.array_equal(kept.points, mesh.points)
    assert np.array_equal(kept.blocks[0].nodes, mesh.blocks[0].nodes)
    assert {name: list(nodes) for name, nodes in kept.node_sets.items()} == {
        **{name: list(nodes) for name, nodes in mesh.node_sets.items()},
        "both": [3],
    }
    assert [block.element for block in kept.faces["x0"]] == ["quad4"]
    assert fem.drop_unattached(mesh) is mesh
    one = replace(mesh, points=np.vstack([mesh.points, [[2, 2, 2]]]))
    with pytest.raises(fem.MeshError, match=r"node 9 at \[2., 2., 2.\] belongs to no element"):
        check(one)
    check(one, links=[np.array([0, 8])])  # a reference node of a connection is in order


# --- loose parts and coincident nodes ----------------------------------------------------------------------


@every_solid
def test_loose_parts_that_touch_are_offered_to_be_merged(element, steel):
    mesh = two_boxes(element)
    seam = len(mesh.node_sets["seam"]) // 2
    each = mesh.n_elements // 2
    message = (
        rf"2 loose parts, with {element} element 1 \({each} elements\), {element} element 100 \({each} elements\); "
        rf"{seam} pairs of their nodes coincide: merge them with fem.merge_nodes"
    )
    with pytest.raises(fem.MeshError, match=message):
        fem.assemble(mesh, steel)
    whole = fem.merge_nodes(mesh)
    assert whole.n_nodes == mesh.n_nodes - seam
    assert len(whole.node_sets["seam"]) == seam
    assert np.all(whole.points[whole.node_sets["right"]][:, 0] == 2)
    assert np.array_equal(whole.element_sets["second"], mesh.element_sets["second"])
    assert whole.volume == pytest.approx(2.0)
    structure = fem.assemble(whole, steel)
    # the same as one box of both: its extension under a stretch of the ends
    assert structure.mass == pytest.approx(2 * 7850.0)
    stretch = np.zeros((whole.n_nodes, 3))
    stretch[:, 0] = whole.points[:, 0]
    lam, mu = steel.lame
    assert stretch.ravel() @ (structure.K @ stretch.ravel()) == pytest.approx(2 * (lam + 2 * mu))


def test_parts_that_do_not_touch_are_to_be_connected():
    with pytest.raises(fem.MeshError, match=r"2 loose parts.*; connect them \(fem.Rigid"):
        check(two_boxes(gap=0.1))
    mesh = two_boxes(gap=0.1)
    check(mesh, links=[mesh.node_sets["seam"]])


def slit_box():
    """A box of 2 x 2 bricks in the plane, slit along half of y = 1: its two nodes at x = 0 are double."""
    mesh = fem.box((2, 2, 1), (2, 2, 1), "hex8")
    nodes = mesh.blocks[0].nodes.copy()
    lip = [int(np.argmin(np.linalg.norm(mesh.points - p, axis=1))) for p in ([0, 1, 0], [0, 1, 1])]
    upper = mesh.points[nodes].mean(axis=1)[:, 1] > 1
    for k, node in enumerate(lip):
        nodes[upper] = np.where(nodes[upper] == node, mesh.n_nodes + k, nodes[upper])
    points = np.vstack([mesh.points, mesh.points[lip]])
    return fem.Mesh(
        points, (fem.Block("hex8", nodes),), {"lips": [*lip, mesh.n_nodes, mesh.n_nodes + 1]}
    ), lip


def test_coincident_nodes_that_are_not_connected_give_a_warning_with_the_mend():
    mesh, lip = slit_box()
    message = (
        rf"2 pairs of nodes coincide, the first \(nodes {lip[0] + 1} and {mesh.n_nodes - 1} at \[0., 1., 0.\]\).*"
        r"fem.merge_nodes\(mesh\).*slit or a joint"
    )
    with pytest.warns(fem.FlexbodyWarning, match=message):
        check(mesh)
    check(fem.merge_nodes(mesh))
    check(mesh, links=[mesh.node_sets["lips"]])  # joined by a connection on purpose


def test_the_tolerance_is_a_length():
    mesh = two_boxes(gap=2e-4)
    assert len(coincident(mesh)) == 4  # a thousandth of the shortest edge, 0.5
    assert len(coincident(mesh, 1e-4)) == 0
    assert fem.merge_nodes(mesh, 1e-4) is mesh
    assert fem.merge_nodes(mesh).n_nodes == mesh.n_nodes - 4
    assert fem.merge_nodes(two_boxes(gap=0.01), tol=0.02).n_nodes == mesh.n_nodes - 4
    for tol in (0.0, -1.0, np.nan):
        with pytest.raises(fem.InputError, match="positive length"):
            fem.merge_nodes(mesh, tol)


def test_merging_collapses_no_element():
    with pytest.raises(
        fem.MeshError, match=r"would collapse hex8 element 1 and 3 more of mesh 'pair'.*smaller tol"
    ):
        fem.merge_nodes(two_boxes(), tol=0.6)


def test_merging_makes_no_element_twice():
    one = fem.box((1, 1, 1), (2, 1, 1), "hex8")
    double = fem.Block("hex8", one.blocks[0].nodes[1:] + one.n_nodes, [7])
    mesh = fem.Mesh(np.vstack([one.points] * 2), (*one.blocks, double))
    with pytest.raises(fem.MeshError, match=r"hex8 element 2 and hex8 element 7 .*the same element"):
        fem.merge_nodes(fem.drop_unattached(mesh))


def test_lines_and_surfaces_are_merged_with_solids(steel):
    """A brick, a quadrilateral on its face and a line on its edge, each with nodes of its own."""
    brick = fem.box((1, 1, 1), (1, 1, 1), "hex8")
    top = brick.points[brick.points[:, 2] == 1][[0, 2, 3, 1]]
    points = np.vstack([brick.points, top, top[:2]])
    blocks = (*brick.blocks, fem.Block("quad4", [[8, 9, 10, 11]]), fem.Block("line2", [[12, 13]]))
    mesh = fem.Mesh(points, blocks, {"edge": [12, 13]}, name="mixed")
    with pytest.raises(
        fem.MeshError, match=r"3 loose parts.*8 pairs|3 loose parts.*pairs of their nodes coincide"
    ):
        check(mesh)
    whole = fem.merge_nodes(mesh)
    assert whole.n_nodes == 8
    assert [len(block) for block in whole.blocks] == [1, 1, 1]
    assert whole.points[whole.node_sets["edge"]] == pytest.approx(top[:2])
    check(whole)


# --- units -------------------------------------------------------------------------------------------------


def rod(length, units="SI"):
    """A part as slender as a connecting rod."""
    return replace(fem.box((length, 0.2 * length, 0.1 * length), (4, 1, 1), "hex8"), units=units)


@pytest.mark.parametrize(
    ("mesh", "material", "message"),
    [
        (rod(300), STEEL, r"it is 307 m long and weighs 4.24e\+06 t; read the file with units='mm'"),
        (rod(3e-4, "mm"), STEEL, "it is 0.307 mm long; read the file with units='SI'"),
        (rod(3e-5), STEEL, "it is 0.0307 mm long; scale its points"),
        (rod(0.3), fem.Isotropic(210e9, 0.3, 7.85), r"a density of 7.85 looks like g/cm\^3; give 7850 kg"),
        (
            rod(0.3),
            fem.Isotropic(210e9, 0.3, 7.85e-9),
            r"a density of 7.85e-09 looks like t/mm\^3; give 7850",
        ),
        (
            rod(0.3),
            fem.Isotropic(210e9, 0.3, 7.85e-6),
            r"a density of 7.85e-06 looks like kg/mm\^3; give 7850",
        ),
        (rod(0.3), fem.Isotropic(210e3, 0.3, 7850), r"E = 210000 .* looks like MPa; give 2.1e\+11 Pa"),
        (rod(0.3), fem.Isotropic(210, 0.3, 7850), r"E = 210 .* looks like GPa; give 2.1e\+11 Pa"),
        (rod(300), fem.Isotropic(210e3, 0.3, 7.85e-9), r"t/mm\^3"),
    ],
)
def test_units_that_look_wrong(mesh, material, message):
    with pytest.warns(fem.FlexbodyWarning, match=f"units look wrong: .*{message}.*in SI: m, Pa"):
        fem.check_units(mesh, [material])


def test_everything_that_is_wrong_is_said_at_once():
    with pytest.warns(fem.FlexbodyWarning, match="looks like MPa") as caught:
        fem.check_units(rod(300), [STEEL, fem.Isotropic(70e3, 0.3, 2700), fem.Isotropic(70e3, 0.3, 2700)])
    assert len(caught) == 1
    text = str(caught[0].message)
    assert text.count("looks like MPa") == 1
    assert "307 m long" in text


@pytest.mark.parametrize(
    ("mesh", "material"),
    [
        (rod(0.3), STEEL),
        (rod(0.3), fem.Isotropic(2e4, 0.45, 1000)),  # a gel
        (rod(0.3), fem.Isotropic(5e5, 0.45, 1100)),  # silicone of a soft robot
        (rod(0.3), fem.Isotropic(5e6, 0.1, 15)),  # expanded polystyrene
        (rod(2e-4), fem.Isotropic(169e9, 0.28, 2330)),  # a cantilever of silicon
        (rod(40), STEEL),  # a large shaft
        (rod(100), fem.Isotropic(30e9, 0.2, 2400)),  # a dam
        (fem.box((120, 0.01, 0.01), (4, 1, 1), "hex8"), STEEL),  # a long wire
        (fem.Mesh([(0, 0, 0), (2000, 0, 0)], (fem.Block("line2", [[0, 1]]),)), STEEL),  # a bridge of beams
    ],
)
def test_units_that_are_in_order_pass_in_silence(mesh, material):
    with warnings.catch_warnings():
        warnings.simplefilter("error", fem.FlexbodyWarning)
        fem.check_units(mesh, [material])


def test_frames_of_kilometres():
    frame = fem.Mesh([(0, 0, 0), (6000, 0, 0)], (fem.Block("line2", [[0, 1]]),))
    with pytest.warns(fem.FlexbodyWarning, match="it is 6 km long; read the file with units='mm'"):
        fem.check_units(frame, [STEEL])
