"""Membranes of Nastran decks (PSHELL without MID2, or with MID2 = -1), and grid points that they leave loose."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy
from scipy.spatial.transform import Rotation
from support.nastran import card, read
from support.nastran_bodies import MAT, SHEET, S, as_by_hand

import fem

TURN = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
N = 4


def sheet_cards():
    text = "".join(card("GRID", n, None, *map(float, x)) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("MAT8", 2, 40e9, 10e9, 0.3, 4e9, 3e9, 2e9, 1800.0)
    text += card("CTRIA3", 2, 5, 2, 3, 6, 30.0) + card("CTRIA3", 3, 5, 2, 6, 5, 30.0)
    return text


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ((1, 0.02), {}),
        ((1, 0.02, 0, 1.0, None, 0.8333), {}),
        ((1, 0.02, -1), {"plane_strain": True}),
        ((1, 0.02, None, None, None, None, 15.7), {"material": replace(S, rho=S.rho + 15.7 / 0.02)}),
        ((2, 0.02), {"material": fem.Ply(40e9, 10e9, nu12=0.3, G12=4e9, rho=1800.0, G13=3e9, G23=2e9)}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
def test_membranes(tmp_path, fields, options):
    text = sheet_cards() + card("CQUAD4", 1, 5, 1, 2, 5, 4) + card("PSHELL", 5, *fields)
    mesh = read(tmp_path, text)
    its = {"material": S, "thickness": 0.02} | options
    sets = fem.Mesh(SHEET.points, SHEET.blocks, element_sets={"a": [0], "b": [1, 2]})
    axes = [fem.FirstSide(), fem.FirstSide()] if fields[0] == 2 else [None, None]
    by_hand = {name: fem.Membrane(**its, axis=axis) for name, axis in zip("ab", axes, strict=True)}
    if fields[0] == 2:  # the triangles by 30 degrees from their first side, each on its own
        sets = replace(sets, element_sets={"a": [0], "b": [1], "c": [2]})
        for name, (i, j, k) in (("b", (1, 2, 5)), ("c", (1, 5, 4))):
            side, other = SHEET.points[j] - SHEET.points[i], SHEET.points[k] - SHEET.points[i]
            axis = Rotation.from_rotvec(
                np.pi / 6 * np.cross(side, other) / np.linalg.norm(np.cross(side, other))
            ).apply(side)
            by_hand[name] = fem.Membrane(**its, axis=axis)
    as_by_hand(fem.assemble(replace(mesh, parts=())), fem.assemble(sets, by_hand))
    assert not any("MID3" in doubt for doubt in mesh.doubts)


@pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
def test_a_membrane_with_thicknesses_at_its_corners(tmp_path):
    text = sheet_cards() + card("CQUAD4", 1, 5, 1, 2, 5, 4, None, None, None, None, 0.02, 0.03, 0.05, 0.04)
    mesh = read(tmp_path, text + card("PSHELL", 5, 1, 0.01))
    sets = fem.Mesh(SHEET.points, SHEET.blocks, element_sets={"a": [0], "b": [1, 2]})
    by_hand = fem.assemble(sets, {"a": fem.Membrane(S, 0.035), "b": fem.Membrane(S, 0.01)})
    as_by_hand(fem.assemble(replace(mesh, parts=())), by_hand)


@pytest.mark.parametrize(
    ("offset", "fields", "message"),
    [
        (0.01, (1, 0.02), "PSHELL 5 has no bending stiffness, which ZOFFS of its elements needs"),
        (None, (1, 0.02, None, None, 1), "MID3 needs MID2"),
        (None, (1, 0.02, -1, None, None, None, None, None, None, 1), "MID4 needs MID2"),
    ],
)
def test_membranes_that_are_not_supported(tmp_path, offset, fields, message):
    with pytest.raises(fem.FileError, match=message):
        read(
            tmp_path,
            sheet_cards() + card("CQUAD4", 1, 5, 1, 2, 5, 4, None, offset) + card("PSHELL", 5, *fields),
        )


def grid(n=N):
    x, y = np.meshgrid(np.arange(n + 1.0) / n, np.arange(n + 1.0) / n, indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    return fem.Mesh(points, (fem.Block("quad4", a[:, None] + [0, n + 1, n + 2, 1]),))


def skin(mesh, turn=TURN):
    """A flat skin in a general place."""
    text = "".join(
        card("GRID", k, None, *map(float, turn @ p), form="large") for k, p in enumerate(mesh.points, start=1)
    )
    for k, nodes in enumerate(mesh.blocks[0].nodes + 1, start=1):
        text += card("CQUAD4", k, 5, *nodes.tolist())
    return text + MAT + card("PSHELL", 5, 1, 0.002)


def stringers(mesh, up):
    """Bars along the four sides, and their nodes."""
    x, y, _ = (mesh.points.T * N).round().astype(int)
    rim = np.flatnonzero((x % N == 0) | (y % N == 0))
    turns = np.arctan2(y[rim] - N / 2, x[rim] - N / 2)
    rim = rim[np.argsort(turns)] + 1
    text = card("PBARL", 6, 1, None, "ROD", *[None] * 4, 0.01)
    for k, (a, b) in enumerate(zip(rim, np.roll(rim, -1), strict=True), start=100):
        text += card("CBAR", k, 6, int(a), int(b), *map(float, up.round(3)))
    return text, rim - 1


def test_a_free_flat_skin_moves_in_its_plane(tmp_path):
    """Across the skin nothing but rigid motions is left: its frequencies are those of the skin held in its plane."""
    flat = grid()
    with pytest.warns(fem.FlexbodyWarning, match="grid points 1, 2, .*25 in all.* Nastran's AUTOSPC holds"):
        mesh = read(tmp_path, skin(flat))
    structure = fem.assemble(mesh)
    assert structure.n == 2 * flat.n_nodes + 3
    assert np.abs(structure.K @ structure.rigid_modes()).max() < 1e-12 * abs(structure.K).max()
    by_hand = fem.assemble(replace(flat, node_sets={"all": range(flat.n_nodes)}), fem.Membrane(S, 0.002))
    plane = np.flatnonzero(np.arange(by_hand.n) % 3 < 2)
    K, M = (matrix.toarray()[np.ix_(plane, plane)] for matrix in (by_hand.K, by_hand.M))
    squares = scipy.linalg.eigvalsh(K, M)[3:9]  # three rigid motions in the plane
    found = 2 * np.pi * fem.vibration(structure, n=6).frequencies_hz
    np.testing.assert_allclose(found, np.sqrt(squares), rtol=1e-9)
    np.testing.assert_allclose(
        structure.inertia, TURN @ by_hand.inertia @ TURN.T, atol=1e-9 * structure.inertia.max()
    )


@pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
def test_the_middle_of_a_skin_follows_its_stringers(tmp_path):
    """Nothing but the six rigid motions is free; loads in the plane give what they give to a skin held across it."""
    flat = grid()
    bars, rim = stringers(flat, TURN @ [0.3, 0.3, 1.0])
    mesh = read(tmp_path, skin(flat) + bars)
    assert "grid points 7, 8, 9, 12, 13, 14" in mesh.report()
    structure = fem.assemble(mesh)
    K = structure.K.toarray()
    scale = 1 / np.sqrt(K.diagonal())
    values = np.linalg.eigvalsh(K * np.outer(scale, scale))
    assert np.abs(values[:6]).max() < 1e-12
    assert values[6] > 1e-6
    assert np.abs(K @ structure.rigid_modes()).max() < 1e-12 * np.abs(K).max()
    loose = np.setdiff1d(np.arange(flat.n_nodes), rim)
    u = np.column_stack([0 * flat.points[:, :2], flat.points[:, 0] * flat.points[:, 1]])  # of the rim alone
    moved = np.zeros((flat.n_nodes, 6))
    moved[:, :3] = u @ TURN.T
    unknowns = np.zeros(structure.n)
    at = structure.freedoms.unknowns(structure.freedoms.of_nodes(rim))
    unknowns[at] = moved[rim].ravel()
    across = (structure.freedoms.translation @ unknowns).reshape(-1, 3)[loose] @ TURN[:, 2]
    assert across.min() > -0.3  # the plane through some of the nodes around
    assert across.max() < 1.3


@pytest.mark.filterwarnings("ignore:.*no stiffness in some direction")
def test_what_supports_hold_is_not_loose(tmp_path):
    """A flat skin in the plane x, y whose grid points are held in z, as by hand."""
    flat = grid()
    mesh = read(tmp_path, skin(flat, np.eye(3)) + card("SPC1", 1, 345, 1, "THRU", flat.n_nodes))
    assert not mesh.parts
    assert "loose" not in mesh.report()
    by_hand = replace(flat, node_sets={"all": range(flat.n_nodes)})
    as_by_hand(fem.assemble(mesh), fem.assemble(by_hand, fem.Membrane(S, 0.002)))
    partly = read(tmp_path, skin(flat, np.eye(3)) + card("SPC1", 1, 3, 1, 5, 21, 25))
    structure = fem.assemble(partly)
    assert len(partly.parts) == flat.n_nodes - 4
    assert structure.n == 2 * flat.n_nodes + 4


def test_rods_along_a_line_stay_on_it(tmp_path):
    """Three rods in a row between two stiff posts: their inner ends move on the line between the outer ones."""
    X = [[0, 0, 0], [0.5, 0, 0], [0.8, 0, 0], [2, 0, 0]]
    text = (
        "".join(card("GRID", k, None, *map(float, TURN @ x), form="large") for k, x in enumerate(X, start=1))
        + MAT
    )
    text += "".join(card("CROD", k, 2, k, k + 1) for k in (1, 2, 3)) + card("PROD", 2, 1, 1e-4)
    for k, n in enumerate((1, 4), start=5):
        text += card(
            "GRID", 10 * k, None, *map(float, TURN @ (X[n - 1] + np.array([0, 0, 1.0]))), form="large"
        )
        text += card("CBAR", k, 6, n, 10 * k, *map(float, TURN[:, 0].round(4)))
    text += card("PBARL", 6, 1, None, "ROD", *[None] * 4, 0.01)
    with pytest.warns(fem.FlexbodyWarning, match="the grid points 2, 3 no stiffness in some direction"):
        mesh = read(tmp_path, text)
    structure = fem.assemble(mesh)
    assert structure.n == 4 * 6 + 2
    assert np.abs(structure.K @ structure.rigid_modes()).max() < 1e-11 * abs(structure.K).max()
    u = np.random.default_rng(0).normal(size=structure.n)
    moved = (structure.freedoms.translation @ u).reshape(-1, 3) @ TURN
    first, last = moved[mesh.nodes_of("1")[0]], moved[mesh.nodes_of("4")[0]]
    for number, share in (("2", 0.25), ("3", 0.4)):
        expected = (1 - share) * first + share * last
        np.testing.assert_allclose(moved[mesh.nodes_of(number)[0]][1:], expected[1:], atol=1e-12)


def test_rods_with_bends_are_left_as_they_are(tmp_path):
    """Each of them is loose in a direction of its own, so none can follow."""
    X = [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 1, 1]]
    text = "".join(card("GRID", k, None, *map(float, x)) for k, x in enumerate(X, start=1)) + MAT
    text += "".join(card("CROD", k, 2, k, k + 1) for k in (1, 2, 3)) + card("PROD", 2, 1, 1e-4)
    with pytest.warns(fem.FlexbodyWarning, match="grid points 1, 2, 3, 4 no .* Here they stay loose"):
        assert not read(tmp_path, text).parts


@pytest.mark.parametrize("c", [1e-6, 1e-5, 1e-4, 2e-4, 4e-4, 1e-3, 1e-2])
def test_a_slightly_curved_skin_has_six_rigid_motions_or_says_so(c, tmp_path):
    """Membranes of 4 x 3 quads on z = c y^2, free: from flat to clearly curved."""
    points = [(0.5 * i, 0.4 * j, c * (0.4 * j) ** 2) for j in range(4) for i in range(5)]
    text = "".join(
        card("GRID", k, None, *(float(f"{v:.3g}") for v in x)) for k, x in enumerate(points, start=1)
    )
    corners = [
        (i + 5 * j, i + 5 * j + 1, i + 5 * j + 6, i + 5 * j + 5) for j in range(3) for i in range(1, 5)
    ]
    text += "".join(card("CQUAD4", k, 5, *four) for k, four in enumerate(corners, start=1))
    text += MAT + card("PSHELL", 5, 1, 0.01)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        structure = fem.assemble(read(tmp_path, text))
    words = " ".join(str(one.message) for one in caught)
    values = np.linalg.eigvalsh(structure.K.toarray())
    without_energy = int((np.abs(values) < 1e-12 * values[-1]).sum())
    assert without_energy >= 6
    if without_energy > 6:
        assert "stay loose" in words or "bend a curved skin without stretching it" in words
    if c <= 2e-4:  # slopes up to 4.8e-4: one plane
        assert without_energy == 6, words
