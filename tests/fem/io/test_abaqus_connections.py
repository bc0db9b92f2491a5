"""Connections in the dialects of Abaqus and CalculiX: couplings, ties, equations and constraints, against ours."""

from dataclasses import replace

import numpy as np
import pytest
from support.abaqus_decks import (
    BAR,
    GRID,
    LINE,
    MATERIAL,
    body,
    elements_of,
    face_at,
    in_part,
    nodes_of,
    read,
    rows,
    same,
)
from support.frames import STEEL, joined

import fem

pytestmark = pytest.mark.slow  # together a second or more


@pytest.mark.parametrize("dialect", ["flat", "part"])
@pytest.mark.parametrize("kind", ["Kinematic", "Distributing"])
def test_couplings_make_interfaces_by_the_number_of_their_node(kind, dialect, tmp_path):
    mesh = fem.box((0.4, 0.05, 0.05), (4, 2, 1), "hex8")
    last = [e + 1 for e, nodes in enumerate(mesh.blocks[0].nodes) if mesh.points[nodes, 0].max() > 0.39]
    side = "*Surface, name=side\n" + rows([e, face_at(mesh, e, 0, 0.4)] for e in last)
    point = "*Node\n 100, 0.5, 0.02, 0.03\n*Nset, nset=RP\n 100\n"
    coupling = f"*Coupling, constraint name=hub, ref node={{}}, surface={{}}\n*{kind}\n"
    mass = "*Element, type=MASS, elset=weight\n 900, 100\n*Mass, elset=weight\n 3.,\n"
    if dialect == "flat":
        text = body(mesh) + point + side + coupling.format(100, "side") + mass + MATERIAL
    else:
        part = body(mesh) + side
        outside = point + coupling.format("RP", "one.side") + mass
        text = in_part(part + MATERIAL).replace("*End Assembly", outside + "*End Assembly")
    found = read(tmp_path, text)
    connection = fem.Rigid if kind == "Kinematic" else fem.Averaged
    parts = [connection("hub", "x1", at=(0.5, 0.02, 0.03)), fem.PointMass("hub", 3.0)]
    structure, hand = fem.assemble(found), fem.assemble(mesh, STEEL, parts=parts)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)
    frequencies = [fem.vibration(s, n=6).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(frequencies[0], frequencies[1], rtol=1e-9)
    load = [fem.static(structure, "x0", fem.Force(n, (1.0, 2.0, 3.0))).at(n) for n in ("100", "RP")]
    expected = fem.static(hand, "x0", fem.Force("hub", (1.0, 2.0, 3.0))).at("hub")
    np.testing.assert_allclose(load[0], expected, rtol=1e-9)
    np.testing.assert_array_equal(load[0], load[1])


def test_a_body_with_reference_nodes_is_reduced_by_their_numbers(tmp_path):
    import modal

    text = (
        body(BAR)
        + "*Node\n 100, 0.4, 0.025, 0.025\n 200, -0.1, 0., 0.\n*Rigid Body, ref node=200, pin nset=x0\n"
    )
    text += "*Surface, name=end, type=NODE\n x1,\n*Coupling, ref node=100, surface=end\n*Distributing\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    with pytest.raises(
        fem.MeshError, match=r"has no node set 'hub'; it has .*, and the reference nodes '200', '100'"
    ):
        modal.craig_bampton(structure, ("hub", "200"), n_normal=4)
    basis = modal.craig_bampton(structure, ("100", "200"), n_normal=4)
    parts = [
        fem.Averaged("a", "x1", at=(0.4, 0.025, 0.025), weights=1.0),
        fem.Rigid("b", "x0", at=(-0.1, 0, 0)),
    ]
    hand = fem.assemble(BAR, STEEL, parts=parts)
    same_basis = modal.craig_bampton(hand, ("a", "b"), n_normal=4)
    found = [
        modal.reduce(s, b, name="bar").frequencies_hz for s, b in ((structure, basis), (hand, same_basis))
    ]
    np.testing.assert_allclose(found[0][-5:], found[1][-5:], rtol=1e-8)


@pytest.mark.parametrize(("rows_of", "kept"), [("1, 3", ("x", "y", "z")), ("3, 5", ("z", "rx", "ry"))])
def test_a_shell_of_which_some_motions_follow(rows_of, kept, tmp_path):
    text = body(GRID, "S4", section="*Shell Section, elset=all, material=steel\n 0.004, 5\n")
    text += "*Node\n 100, 0.25, 0.05, 0.03\n*Surface, name=end, type=NODE\n x1\n"
    text += f"*Coupling, ref node=100, surface=end\n*Kinematic\n {rows_of}\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    hub = fem.Rigid("hub", "x1", at=(0.25, 0.05, 0.03), components=kept)
    hand = fem.assemble(GRID, fem.Shell(STEEL, 0.004), parts=[hub])
    np.testing.assert_allclose(structure.K.toarray(), hand.K.toarray(), atol=1e-12 * hand.K.max())
    # the same by an orientation along the global axes, which makes equations
    text = text.replace("surface=end\n*Kin", "surface=end, orientation=o\n*Kin")
    text += "*Orientation, name=o\n 1., 0., 0., 0., 1., 0.\n"
    other = fem.assemble(read(tmp_path, text + MATERIAL))
    np.testing.assert_allclose(other.K.toarray(), hand.K.toarray(), atol=1e-12 * hand.K.max())


def test_part_of_the_motions_in_a_cylindrical_system(tmp_path):
    """A ring of nodes that follows a node in the direction around its axis only: it turns with it, and may grow."""
    mesh = fem.box((0.1, 0.1, 0.1), (2, 2, 1), "hex8", origin=(-0.05, -0.05, 0))
    text = body(mesh) + "*Node\n 100, 0., 0., 0.2\n*Surface, name=ring, type=NODE\n z1\n"
    text += "*Orientation, name=axis, system=cylindrical\n 0., 0., 0., 0., 0., 1.\n"
    text += "*Coupling, constraint name=c, ref node=100, surface=ring, orientation=axis\n*Kinematic\n 2, 2\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    hub, nodes = structure.mesh.nodes_of("100"), structure.mesh.nodes_of("z1")
    u = np.random.default_rng(0).normal(size=structure.n)
    moved, turn = structure.displacements(u), structure.rotations(u)[hub][0]
    for node in nodes:
        x = structure.mesh.points[node]
        e = np.array([-x[1], x[0], 0.0]) / max(np.hypot(x[0], x[1]), 1e-300)
        if not e.any():
            e = np.array(
                [0.0, 1.0, 0.0]
            )  # on the axis: the direction y of the system, whose x is the global one
        rigid = moved[hub][0] + np.cross(turn, x - structure.mesh.points[hub][0])
        assert moved[node] @ e == pytest.approx(rigid @ e, abs=1e-12)


def test_placed_instances_tied_together(tmp_path):
    """Two instances of two parts; the second is drawn elsewhere, moved and turned into place."""
    a, b = fem.box((0.2, 0.05, 0.05), (2, 1, 1), "hex8"), fem.box((0.05, 0.2, 0.05), (2, 4, 2), "hex8")
    # the second lies along y; turned by -90 degrees about z through the origin it lies along x
    first = body(a, elset="A", section="*Solid Section, elset=A, material=steel\n,\n")
    first += "*Surface, name=face\n" + rows(
        [e, face_at(a, e, 0, 0.2)] for e in range(1, 3) if face_at(a, e, 0, 0.2)
    )
    second = body(b, elset="B", section="*Solid Section, elset=B, material=steel\n,\n")
    second += "*Surface, name=face\n" + rows(
        [e, face_at(b, e, 1, 0.0)] for e in range(1, 17) if face_at(b, e, 1, 0.0)
    )
    text = f"*Part, name=first\n{first}*End Part\n*Part, name=second\n{second}*End Part\n*Assembly, name=A\n"
    text += "*Instance, name=a, part=first\n*End Instance\n*Instance, name=b, part=second\n -0.05, 0.2, 0.\n"
    text += " 0., 0., 0., 0., 0., 1., -90.\n*End Instance\n*Tie, name=t, adjust=no\n b.face, a.face\n*End Assembly\n"
    mesh = read(tmp_path, text + MATERIAL)
    assert mesh.bounding_box == pytest.approx(np.array([[0, -0.0, 0], [0.4, 0.05, 0.05]]), abs=1e-12)
    turned = replace(b, points=np.column_stack([b.points[:, 1], 0.05 - b.points[:, 0], b.points[:, 2]]))
    assert mesh.volume == pytest.approx(2 * 0.2 * 0.05**2)
    both = joined(a, turned, (0.2, 0, 0))
    hand = fem.assemble(both, STEEL, parts=[fem.Tie("b_y0", "x1")])
    structure = fem.assemble(mesh)
    found = [fem.vibration(s, n=5).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)
    assert structure.mass == pytest.approx(hand.mass, rel=1e-12)


def test_a_tie_reaches_over_half_the_thickness_of_a_shell(tmp_path):
    """A block on a plate: its nodes stand half a thickness above the middle surface, and stay there."""
    block = fem.box((0.1, 0.1, 0.05), (4, 4, 1), "hex8", origin=(0.1, 0.1, 0.01))
    x, y = np.meshgrid(np.linspace(0, 0.3, 4), np.linspace(0, 0.3, 4), indexing="ij")
    plate = fem.Mesh(
        np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]),
        (
            fem.Block(
                "quad4",
                [
                    [4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1]
                    for i in range(3)
                    for j in range(3)
                ],
            ),
        ),
    )
    text = nodes_of(block) + elements_of(block, "C3D8I", "body")
    text += nodes_of(plate, 201).replace("*Node", "*Node, nset=plate") + elements_of(
        plate, "S4", "skin", 201, 101
    )
    below = [(k, face_at(block, k, 2, 0.01)) for k in range(1, 17)]
    text += "*Surface, name=foot\n" + rows(below) + "*Surface, name=top\n skin, SPOS\n"
    text += "*Solid Section, elset=body, material=steel\n,\n*Shell Section, elset=skin, material=steel\n 0.02, 5\n"
    text += "*Tie, name=t, adjust=no, type=NODE TO SURFACE\n foot, top\n"
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    both = joined(block, plate)
    both = replace(both, node_sets={"foot": block.nodes_of("z0"), "plate": 50 + np.arange(16)})
    tie = fem.Tie("foot", "plate", tolerance=0.011)
    hand = fem.assemble(both, {"a": STEEL, "b": fem.Shell(STEEL, 0.02)}, parts=[tie])
    found = [fem.vibration(s, n=4).frequencies_hz for s in (structure, hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def test_equations_constraints_and_turned_directions(tmp_path):
    """Two bars: a hinge of MPC PIN, an equation in a turned system, a beam constraint."""
    points = [(0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0.5, 0), (2.2, 0.5, 0.1), (3, 0.5, 0.1)]
    text = "*Node\n" + rows([n, *x] for n, x in enumerate(points, 1))
    text += "*Element, type=B31, elset=bars\n1, 1, 2\n2, 3, 4\n3, 5, 6\n"
    text += "*Beam Section, elset=bars, section=CIRC, material=steel\n"
    text += " 0.01\n 0., 0., 1.\n*MPC\n PIN, 3, 2\n BEAM, 5, 4\n"
    text += "*Nset, nset=two\n 2, 3\n*Transform, nset=two, type=R\n 1., 1., 0., -1., 1., 0.\n"
    text += (
        "*Equation\n2\n 3, 4, 1., 2, 4, -1.\n2\n3, 5, 2.,\n2, 5, -2.\n*Nset, nset=x0\n1\n*Nset, nset=x1\n6\n"
    )
    mesh = read(tmp_path, text + MATERIAL)
    hand_mesh = fem.Mesh(
        points, (fem.Block("line2", [[0, 1], [2, 3], [4, 5]]),), {"x0": [0], "x1": [5], "s": [4], "r": [3]}
    )
    pin = [fem.Equation(c, [("3", c, 1.0), ("2", c, -1.0)]) for c in ("x", "y", "z", "rx", "ry")]
    parts = [*pin, fem.Rigid("b", "s", reference="r")]
    beam = fem.Beam(STEEL, fem.Circle(0.02, nu=0.3), up=(0, 0, 1))
    structure, hand = fem.assemble(mesh), fem.assemble(hand_mesh, beam, parts=parts)
    assert structure.n == hand.n == 36 - 5 - 6
    np.testing.assert_allclose(
        fem.vibration(structure, n=5, supports=("x0", "x1")).frequencies_hz,
        fem.vibration(hand, n=5, supports=("x0", "x1")).frequencies_hz,
        rtol=1e-9,
    )


def test_rotations_in_equations_have_the_units_of_the_file(tmp_path):
    """u of node 1 + 50 mm times the rotation of node 2 = 0: 0.05 m in SI."""
    text = "*Node\n1, 0, 0, 0\n2, 1000, 0, 0\n*Element, type=B31, elset=all\n1, 1, 2\n"
    text += "*Beam Section, elset=all, material=steel, section=CIRC\n10.\n0, 0, -1\n"
    text += "*Material, name=Steel\n*Elastic\n 210000., 0.3\n*Density\n 7.85e-9\n"
    mesh = read(tmp_path, text + "*Equation\n2\n1, 1, 1., 2, 6, 50.\n", units="mm")
    assert [tuple(term) for term in mesh.parts[0].terms] == [("1", "x", 1.0), ("2", "rz", 0.05)]


@pytest.mark.parametrize("kind", ["TIE", "LINK"])
def test_pairs_of_nodes(kind, tmp_path):
    """Two bars: one joined by TIE in all six motions is one bar; by LINK their ends keep their distance."""
    second = "*Node\n 4, {}, 0.3, 0.\n 5, 2., 0.3, 0.\n*Element, type=B31, elset=all\n 3, 4, 5\n"
    text = LINE + second.format(1.2 if kind == "TIE" else 1.3) + f"*MPC\n {kind}, 4, 3\n"
    text += (
        "*Beam Section, elset=all, section=CIRC, material=steel\n 0.02\n 0., 0., 1.\n*Nset, nset=far\n 5\n"
    )
    structure = fem.assemble(read(tmp_path, text + MATERIAL))
    if kind == "TIE":
        whole = LINE + "*Node\n 5, 2., 0.3, 0.\n*Element, type=B31, elset=all\n 3, 3, 5\n"
        whole += "*Beam Section, elset=all, section=CIRC, material=steel\n 0.02\n 0., 0., 1.\n*Nset, nset=far\n 5\n"
        same(structure, fem.assemble(read(tmp_path, whole + MATERIAL)), at="far")
        return
    assert structure.n == 30 - 1
    moved = fem.static(structure, ("x0", "far"), fem.Force("x1", (1e3, 2e3, 3e3))).displacement
    assert moved[2, 0] == pytest.approx(moved[3, 0], rel=1e-9)  # the link is along x
    assert abs(moved[2, 1] - moved[3, 1]) > 1e-6


def test_supports_in_turned_directions_are_kept_where_they_mean_the_same(tmp_path):
    text = (
        body(BAR)
        + "*Transform, nset=x0, type=R\n 1., 1., 0., -1., 1., 0.\n*Boundary\n x0, 1, 3\n x0, 2\n x1, 2\n"
    )
    mesh = read(tmp_path, text + MATERIAL)
    assert mesh.supports == {"x0": {"x": 0.0, "y": 0.0, "z": 0.0}, "x1": {"y": 0.0}}
    assert not mesh.turned_supports  # what "x0, 2" says is said already


def test_the_second_line_of_an_orientation_turns_the_directions_of_springs(tmp_path):
    """Axes y, -x, z turned by 30 degrees about the third: direction 1 is y turned from there towards -x."""
    text = (
        body(BAR)
        + "*Element, type=SPRING1, elset=s\n 900, 1\n*Orientation, name=o\n 0., 1., 0., -1., 0., 0.\n"
    )
    text += " 3, 30.\n*Spring, elset=s, orientation=o\n 1\n 5e4,\n"
    added = fem.assemble(read(tmp_path, text + MATERIAL)).K - fem.assemble(BAR, STEEL).K
    e = np.array([-0.5, np.sqrt(3) / 2, 0.0])
    # K, of 1e9 N/m and more, is subtracted: round-off of 1e-6 N/m
    np.testing.assert_allclose(added.toarray()[:3, :3], 5e4 * np.outer(e, e), atol=1e-3)


def test_a_node_of_a_coupling_is_not_said_to_be_idle(tmp_path, recwarn):
    """It belongs to no element and to no set, but to the connection; a node beside it that does not is told."""
    brick = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    side = "*Surface, name=side\n" + rows([[1, face_at(brick, 0, 0, 1.0)]])
    text = (
        body(brick)
        + "*Node\n 100, 2., 0., 0.\n"
        + side
        + "*Coupling, ref node=100, surface=side\n*Kinematic\n"
    )
    read(tmp_path, text + MATERIAL)
    assert not recwarn
    with pytest.warns(
        fem.FlexbodyWarning, match="1 of 10 nodes belong to no element, to no set and to no connection"
    ):
        read(tmp_path, text + "*Node\n 200, 3., 0., 0.\n" + MATERIAL)


def surface_of(mesh, name, axis, value):
    """A surface of the faces of hexahedra in a plane."""
    labels = [(e + 1, face_at(mesh, e + 1, axis, value)) for e in range(len(mesh.blocks[0].nodes))]
    return f"*Surface, name={name}\n" + rows([e, label] for e, label in labels if label)


def share_of_area(mesh, name):
    """A quarter of the area of each rectangle of a set belongs to each of its corners."""
    share = np.zeros(mesh.n_nodes)
    for face in mesh.faces_of(name)[0].nodes:
        x = mesh.points[face]
        share[face] += np.linalg.norm(np.cross(x[1] - x[0], x[3] - x[0])) / 4
    return share


@pytest.mark.parametrize(
    ("method", "weight"),
    [
        ("uniform", lambda r: 1.0 + 0 * r),
        ("linear", lambda r: 1 - r),
        ("quadratic", lambda r: 1 - r**2),
        ("cubic", lambda r: 1 - 3 * r**2 + 2 * r**3),
    ],
)
def test_weights_of_distributing_couplings_decrease_from_the_reference_node(method, weight, tmp_path):
    """Two couplings of one surface, with an influence radius: area of each node times a function of its distance."""
    mesh = fem.box((0.4, 0.2, 0.3), (2, 4, 5), "hex8")
    text = (
        body(mesh) + "*Node\n 100, 0.5, 0.05, 0.1\n 200, 0.5, 0.15, 0.2\n" + surface_of(mesh, "side", 0, 0.4)
    )
    points, radius, parts = {"100": (0.5, 0.05, 0.1), "200": (0.5, 0.15, 0.2)}, 0.17, []
    sets, nodes = dict(mesh.node_sets), mesh.node_sets["x1"]
    for number, point in points.items():
        text += f"*Coupling, constraint name=C{number}, ref node={number}, surface=side, influence radius={radius}\n"
        text += f"*Distributing, weighting method={method}\n"
        away = np.linalg.norm(mesh.points[nodes] - point, axis=1)
        near = nodes[away <= radius]
        values = share_of_area(mesh, "x1")[near] * weight(away[away <= radius] / away[away <= radius].max())
        sets[f"near {number}"] = near[values > 1e-9 * values.max()]
        given = {
            str(n + 1): v
            for n, v in zip(near.tolist(), values.tolist(), strict=True)
            if v > 1e-9 * values.max()
        }
        parts.append(fem.Averaged(f"hub {number}", f"near {number}", at=point, weights=given))
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    hand = fem.assemble(replace(mesh, node_sets=sets), STEEL, parts=parts)
    for number in points:
        load = (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)
        moved = fem.static(found, "x0", fem.Force(number, *load)).at(number)
        expected = fem.static(hand, "x0", fem.Force(f"hub {number}", *load)).at(f"hub {number}")
        np.testing.assert_allclose(moved, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            "weighting method=linear",
            "equally far from the reference node, where the weighting method linear is zero",
        ),
        ("weighting method=gauss", "the weighting method gauss is not known; there are UNIFORM, LINEAR"),
        ("coupling=shell", "coupling=shell is not known; there are continuum and structural"),
    ],
)
def test_distributing_couplings_that_are_not_read(how, message, tmp_path):
    """The four nodes of the end of the bar are equally far from its middle."""
    text = body(BAR) + "*Node\n 100, 0.4, 0.025, 0.025\n*Surface, name=end, type=NODE\n x1,\n"
    text += f"*Coupling, ref node=100, surface=end\n*Distributing, {how}\n"
    with pytest.raises(fem.FileError, match=rf"line \d+, .*Coupling: .*{message}"):
        read(tmp_path, text + MATERIAL)


@pytest.mark.parametrize("key", ["coupling", "rotational coupling"])
def test_structural_couplings_are_read_as_continuum_with_a_word(key, tmp_path):
    text = body(BAR) + "*Node\n 100, 0.4, 0.025, 0.025\n*Surface, name=end, type=NODE\n x1,\n"
    text += f"*Coupling, ref node=100, surface=end, constraint name=hub\n*Distributing, {key}=STRUCTURAL\n"
    with pytest.warns(
        fem.FlexbodyWarning, match=rf"{key}=structural in line \d+ .* is read as continuum: the"
    ):
        found = read(tmp_path, text + MATERIAL)
    assert f"{key}=structural" in found.report()
    hub = fem.Averaged("hub", "x1", at=(0.4, 0.025, 0.025), weights=1.0)
    same(fem.assemble(found), fem.assemble(BAR, STEEL, parts=[hub]))


def curved_sheet(kind):
    """A sheet whose height grows with the square of x, 1 m by 0.3 m."""
    from support.shell_meshes import grid

    points, cells = grid(kind, 4, 2)
    points = points * [1, 0.3, 1]
    x = points[:, 0]
    points[:, 2] = 0.2 * x**2
    sets = {"x0": np.flatnonzero(x < 1e-9), "x1": np.flatnonzero(x > 1 - 1e-9)}
    return fem.Mesh(points, (fem.Block(kind, cells),), sets)


def edge_rows(mesh, first, letter):
    """Element and edge of those whose corners lie at x = 1; the edge from corner k to the next is number k."""
    (block,), found = mesh.blocks, []
    corners = 3 if block.element.startswith("tri") else 4
    for e, nodes in enumerate(block.nodes, 1):
        for k in range(corners):
            if np.allclose(mesh.points[nodes[[k, (k + 1) % corners]], 0], 1.0):
                found.append([e, f"{letter}{k + first}"])
    return rows(found)


@pytest.mark.parametrize("labels", [(1, "E"), (3, "S")])  # of Abaqus, of CalculiX
@pytest.mark.parametrize(
    ("kind", "name"), [("quad4", "S4"), ("tri3", "S3"), ("quad8", "S8R"), ("tri6", "STRI65")]
)
@pytest.mark.parametrize("how", ["Kinematic", "Distributing", "Distributing, weighting method=linear"])
def test_couplings_of_edges_of_shells(how, kind, name, labels, tmp_path):
    """The nodes of the edge, middle ones included; the mean is weighted by length."""
    mesh, at = curved_sheet(kind), (1.2, 0.1, 0.3)
    section = "*Shell Section, elset=all, material=steel\n 0.01\n"
    text = body(mesh, name, section=section) + "*Node\n 900, 1.2, 0.1, 0.3\n*Surface, name=edge\n"
    text += edge_rows(mesh, *labels) + f"*Coupling, constraint name=c, ref node=900, surface=edge\n*{how}\n"
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    nodes = mesh.node_sets["x1"]
    if "linear" in how:
        y, away = mesh.points[nodes, 1], np.linalg.norm(mesh.points[nodes] - at, axis=1)
        share = {
            3: {0.0: 1 / 2, 0.15: 1, 0.3: 1 / 2},
            5: {0.0: 1 / 6, 0.075: 4 / 6, 0.15: 2 / 6, 0.225: 4 / 6, 0.3: 1 / 6},
        }
        weights = np.array([share[len(nodes)][round(v, 6)] for v in y]) * (1 - away / away.max())
        given = {str(n + 1): w for n, w in zip(nodes.tolist(), weights.tolist(), strict=True) if w > 1e-12}
        mesh = replace(mesh, node_sets={**mesh.node_sets, "near": [int(n) - 1 for n in given]})
        part = fem.Averaged("hub", "near", at=at, weights=given)
    else:
        part = (fem.Rigid if how == "Kinematic" else fem.Averaged)("hub", "x1", at=at)
    hand = fem.assemble(mesh, fem.Shell(STEEL, 0.01), parts=[part])
    load = (1.0, 2.0, 3.0), (0.1, 0.2, 0.3)
    moved = fem.static(found, "x0", fem.Force("900", *load)).at("900")
    np.testing.assert_allclose(moved, fem.static(hand, "x0", fem.Force("hub", *load)).at("hub"), rtol=1e-9)


def test_the_edge_of_a_curved_shell_is_tied_to_a_solid(tmp_path):
    """The nodes of the edge of a shell of eight nodes follow the face on which they lie."""
    sheet, wall = (
        curved_sheet("quad8"),
        fem.box((0.2, 0.4, 0.3), (1, 3, 3), "hex8", origin=(1.0, -0.05, 0.05)),
    )
    n, m = sheet.n_nodes, len(sheet.blocks[0].nodes)
    text = body(sheet, "S8R", section="*Shell Section, elset=all, material=steel\n 0.01\n")
    text += nodes_of(wall, n + 1) + elements_of(wall, "C3D8I", "solid", n + 1, m + 1)
    text += "*Solid Section, elset=solid, material=steel\n,\n*Surface, name=edge\n" + edge_rows(sheet, 1, "E")
    faces = [(e + m, face_at(wall, e, 0, 1.0)) for e in range(1, 10)]
    text += "*Surface, name=wall\n" + rows([e, face] for e, face in faces)
    found = fem.assemble(read(tmp_path, text + "*Tie, name=t, adjust=no\nedge, wall\n" + MATERIAL))
    both = fem.Mesh(
        np.vstack([sheet.points, wall.points]),
        (*sheet.blocks, fem.Block("hex8", wall.blocks[0].nodes + n)),
        {"edge": sheet.node_sets["x1"], "wall": wall.node_sets["x0"] + n},
        element_sets={"skin": np.arange(m), "solid": m + np.arange(9)},
    )
    tie = fem.Tie("edge", "wall", tolerance=found.parts[0].tolerance)
    hand = fem.assemble(both, {"skin": fem.Shell(STEEL, 0.01), "solid": STEEL}, parts=[tie])
    assert abs(found.K - hand.K).max() <= 1e-9 * abs(hand.K).max()


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        (" 1, E9\n", "names edge E9 of a quad4, which has none"),
        (" 1, END1\n", "'side' holds no faces, edges or nodes that are read"),
    ],
)
@pytest.mark.parametrize("how", ["Kinematic", "Distributing"])
def test_surfaces_without_anything_are_an_error_where_they_are_used(how, surface, message, tmp_path):
    text = body(GRID, "S4", section="*Shell Section, elset=all, material=steel\n 0.01\n")
    text += "*Node\n 900, 1.2, 0.1, 0.3\n*Surface, name=side\n" + surface
    text += f"*Coupling, ref node=900, surface=side\n*{how}\n"
    with pytest.raises(fem.FileError, match=rf"line \d+, .*{message}"):
        read(tmp_path, text + MATERIAL)


@pytest.mark.parametrize(
    ("how", "told"),
    [("", True), (", rotational coupling=continuum", False), (", coupling=continuum", False)],
)
def test_rotations_that_a_distributing_coupling_leaves_out_are_told(how, told, tmp_path):
    """Of shells and beams, unless the file asks for the mean of the displacements; solids have no rotations."""
    coupling = f"*Coupling, constraint name=c, ref node=900, surface=end\n*Distributing{how}\n"
    more = "*Node\n 900, 1.2, 0.1, 0.3\n*Surface, name=end, type=NODE\n x1,\n" + coupling + MATERIAL
    shell = body(curved_sheet("quad4"), "S4", section="*Shell Section, elset=all, material=steel\n 0.01\n")
    line = (shell + more)[: (shell + more).index("*Coupling")].count("\n") + 1
    found = read(tmp_path, shell + more)
    note = f"1 rotations in *Coupling, line {line}: the reference node follows the displacements of beams and shells"
    assert (note in found.report()) == told
    assert "rotations in" not in read(tmp_path, body(BAR) + more).report()
