"""Rigid elements of Nastran decks with motions that lead at several grid points, rigid rods, tubes, defaults."""

import numpy as np
import pytest
from support.nastran import card, mesh_cards, read
from support.nastran_bodies import MAT, as_by_hand

import fem

POINTS = np.array([[0, 0, 0], [1, 0, 0.1], [1.2, 1, 0], [0.2, 0.9, 0.3]])
SYSTEM = card("CORD2R", 7, 0, *(0.0, 0.0, 0.0), *(0.2, -0.3, 1.0), *(1.0, 1.0, 0.1))


def grids(cd=None):
    """Four grid points that bars join to a ring above them, which leaves all their motions free."""
    text = MAT + SYSTEM + card("PBARL", 6, 1, None, "ROD", *[None] * 4, 0.01)
    for k, x in enumerate(POINTS, start=1):
        text += card("GRID", k, None, *map(float, x), (cd or {}).get(k))
        text += card("GRID", 10 + k, None, *map(float, x + [0, 0, 1.0])) + card(
            "CBAR", k, 6, k, 10 + k, 1.0, 0.0, 0.0
        )
        text += card("CBAR", 10 + k, 6, 10 + k, 11 + k % 4, 0.1, 0.2, 1.0)
    return text


def motions(mesh, structure, seed=0):
    """Displacement and rotation of the four grid points, (4, 6)."""
    u = np.random.default_rng(seed).normal(size=structure.n)
    both = np.hstack([structure.displacements(u), structure.rotations(u)])
    return np.array([both[mesh.nodes_of(str(k))[0]] for k in (1, 2, 3, 4)])


def rigid(its, nodes):
    """How far from one rigid motion the motions of some grid points are."""
    R = np.vstack(
        [
            np.block([[np.eye(3), -np.cross(np.eye(3), x)], [np.zeros((3, 3)), np.eye(3)]])
            for x in POINTS[nodes]
        ]
    )
    u = its[nodes].ravel()
    return np.abs(u - R @ np.linalg.lstsq(R, u, rcond=None)[0]).max()


@pytest.mark.parametrize("cd", [None, {1: 7, 2: 7, 4: 7}])
@pytest.mark.parametrize(
    ("cards", "nodes"),
    [
        (card("RBAR", 5, 1, 2, 1234, 23), [0, 1]),
        (card("RBAR", 5, 1, 2, 234, 136, 156, 245), [0, 1]),
        (card("RBE1", 5, 1, 123, 2, 23, 3, 3, None, *[None] * 1) + "", None),
        (
            card(
                "RBE1", 5, 1, 123, 2, 23, 3, 3, None, "UM", 1, 456, 2, 1456, 3, 12456, None, None, 4, 123456
            ),
            [0, 1, 2, 3],
        ),
        (
            card("RBE1", 5, 1, 123456, None, None, None, None, None, "UM", 2, 123456, 3, 123456, 1.2e-5),
            [0, 1, 2],
        ),
        (card("RTRPLT", 5, 1, 2, 3, 123, 23, 3), [0, 1, 2]),
        (card("RTRPLT", 5, 1, 2, 3, 12346, 3, None, None, 5, 12456, 123456), [0, 1, 2]),
    ],
)
def test_all_motions_are_those_of_one_rigid_body(tmp_path, cards, nodes, cd):
    if nodes is None:
        with pytest.raises(fem.FileError, match="RBE1 5 has no UM, the grid points that follow"):
            read(tmp_path, grids(cd) + cards)
        return
    mesh = read(tmp_path, grids(cd) + cards)
    structure = fem.assemble(mesh)
    assert structure.n == 48 - 6 * (len(nodes) - 1)
    its = motions(mesh, structure)
    assert rigid(its, nodes) < 1e-10
    assert rigid(its, [0, 1, 2, 3]) > 0.1 or len(nodes) == 4
    assert np.abs(structure.K @ structure.rigid_modes()).max() < 1e-10 * abs(structure.K).max()
    assert ("thermal expansion of RBE1" in mesh.report()) == ("1.2" in cards[70:])


def test_a_rigid_bar_with_some_motions_that_follow(tmp_path):
    """CMB names three of them, which are those of the rigid motion that the six that lead determine."""
    bar = read(tmp_path, grids() + card("RBAR", 5, 1, 2, 1235, 24, None, 136))
    structure = fem.assemble(bar)
    assert structure.n == 48 - 3
    a, b, *_ = motions(bar, structure)
    x = POINTS[1]
    R = np.block([[np.eye(3), -np.cross(np.eye(3), x)], [np.zeros((3, 3)), np.eye(3)]])
    lead = np.vstack([np.eye(6)[[0, 1, 2, 4]], R[[1, 3]]])  # grid point 1 is the origin
    q = np.linalg.solve(lead, [*a[[0, 1, 2, 4]], *b[[1, 3]]])
    np.testing.assert_allclose(b[[0, 2, 5]], (R @ q)[[0, 2, 5]], atol=1e-11)
    assert abs(b[4] - a[4]) > 0.01


@pytest.mark.parametrize("cd", [None, {1: 7, 2: 7}])
def test_a_rigid_rod_keeps_its_length(tmp_path, cd):
    mesh = read(tmp_path, grids(cd) + card("RROD", 5, 1, 2, None, 1))
    structure = fem.assemble(mesh)
    assert structure.n == 47
    its = motions(mesh, structure)
    assert (its[1, :3] - its[0, :3]) @ (POINTS[1] - POINTS[0]) == pytest.approx(0, abs=1e-12)
    assert np.abs(structure.K @ structure.rigid_modes()).max() < 1e-10 * abs(structure.K).max()


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (card("RROD", 5, 1, 2), "RROD 5: one of CMA and CMB must be one of 1 to 3"),
        (card("RROD", 5, 1, 2, 1, 2), "one of CMA and CMB"),
        (card("RROD", 5, 1, 2, 4), "must be one of 1 to 3"),
        (card("RROD", 5, 1, 1, 1), "RROD 5 has no length"),
        (card("RBAR", 5, 1, 2, 123, 23), "RBAR 5 has 5 independent freedoms; there must be six"),
        (card("RBAR", 5, 1, 2, 123, 123), "don't determine the motion of a rigid body"),
        (card("RTRPLT", 5, 1, 2, 9, 123, 23, 3), "there is no GRID 9"),
        (card("RTRPLT1", 5, 1, 2, 3, 123, 23, 3), "1 RTRPLT1, line"),
    ],
)
def test_wrong_cards(tmp_path, cards, message):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, grids() + cards)


def test_rotations_of_solids_can_not_lead(tmp_path):
    cube = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    text = mesh_cards(cube) + MAT + card("PSOLID", 1, 1)
    with pytest.raises(fem.FileError, match="RBAR 5 leads by rotations of grid point 1, which has none"):
        read(tmp_path, text + card("RBAR", 5, 1, 2, 1234, 23))


def test_a_triangle_of_solids(tmp_path):
    """Displacements of three grid points lead, those of a fourth follow; its rotations are none."""
    cube = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    text = mesh_cards(cube) + MAT + card("PSOLID", 1, 1)
    at = [
        int(np.flatnonzero((cube.points == x).all(axis=1))[0])
        for x in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 1))
    ]
    a, b, c, d = (k + 1 for k in at)
    mesh = read(tmp_path, text + card("RBE1", 5, a, 123, b, 23, c, 3, None, "UM", b, 1, c, 12, d, 123456))
    structure = fem.assemble(mesh)
    assert structure.n == 24 - 6
    u = structure.displacements(np.random.default_rng(0).normal(size=structure.n))[at].ravel()
    R = np.vstack([np.hstack([np.eye(3), -np.cross(np.eye(3), x)]) for x in cube.points[at]])
    assert np.abs(u - R @ np.linalg.lstsq(R, u, rcond=None)[0]).max() < 1e-12


def test_a_hinge_between_references_leaves_their_rotations(tmp_path):
    """RBE2 of 123 between the references of two rigid ends: the other three motions stay free."""
    text = grids() + card("GRID", 100, None, 0.5, 0.0, 0.0) + card("GRID", 200, None, 0.5, 0.5, 0.0)
    text += card("RBE2", 5, 100, 123456, 1, 2) + card("RBE2", 6, 200, 123456, 3, 4)
    hinged = fem.assemble(read(tmp_path, text + card("RBE2", 7, 100, 123, 200)))
    fixed = fem.assemble(read(tmp_path, text + card("RBE2", 7, 100, 123456, 200)))
    assert hinged.n == fixed.n + 3


@pytest.mark.parametrize("form", ["small", "large", "free"])
def test_defaults_of_bars_and_beams(tmp_path, form):
    """BAROR and BEAMOR give property, orientation and OFFT where a card leaves them blank."""
    text = MAT + SYSTEM + card("PBARL", 6, 1, None, "BAR", *[None] * 4, 0.01, 0.02)
    text += card("PBEAML", 8, 1, None, "BAR", *[None] * 4, 0.01, 0.03) + card(
        "PBARL", 9, 1, None, "ROD", *[None] * 4, 0.01
    )
    text += "".join(card("GRID", k, None, *map(float, x), 7) for k, x in enumerate(POINTS, start=1))
    text += card("GRID", 5, None, 0.3, 0.4, 2.0)
    short = (
        card("CBAR", 1, None, 1, 2)
        + card("CBAR", 2, 9, 2, 3, 0.0, 0.0, 1.0, "GGG")
        + card("CBAR", 3, None, 3, 4, 5)
    )
    short += card("CBEAM", 4, None, 4, 1)
    defaults = card("BAROR", None, 6, None, None, 0.12345, 0.2, 1.0, "BGG", form=form)
    defaults += card("BEAMOR", None, 8, None, None, 5, form=form)
    long = card("CBAR", 1, 6, 1, 2, 0.12345, 0.2, 1.0, "BGG", form="large") + card(
        "CBAR", 2, 9, 2, 3, 0.0, 0.0, 1.0, "GGG"
    )
    long += card("CBAR", 3, 6, 3, 4, 5, None, None, "BGG") + card("CBEAM", 4, 8, 4, 1, 5)
    as_by_hand(
        fem.assemble(read(tmp_path, text + defaults + short)), fem.assemble(read(tmp_path, text + long))
    )
    with pytest.raises(fem.FileError, match=r"BAROR is given twice \(line \d+ has the first\)"):
        read(tmp_path, text + defaults + defaults + short)


@pytest.mark.parametrize("thickness", [0.002, None])
def test_tubes(tmp_path, thickness):
    """CTUBE with PTUBE: area and torsion constant of a tube, or of a solid rod; as the PROD with these numbers."""
    text = grids() + "".join(card("CBAR", 20 + k, 6, k, k % 4 + 1, 0.1, 0.2, 1.0) for k in (1, 2, 3, 4))
    D, d = 0.03, 0.03 - 2 * thickness if thickness else 0.0
    A, J = np.pi / 4 * (D**2 - d**2), np.pi / 32 * (D**4 - d**4)
    tubes = (
        card("PTUBE", 50, 1, D, thickness, 1.5) + card("CTUBE", 31, 50, 1, 3) + card("CTUBE", 32, 50, 2, 4)
    )
    rods = (
        card("PROD", 50, 1, A, J, None, 1.5, form="large")
        + card("CROD", 31, 50, 1, 3)
        + card("CROD", 32, 50, 2, 4)
    )
    as_by_hand(fem.assemble(read(tmp_path, text + tubes)), fem.assemble(read(tmp_path, text + rods)))
    assert "PTUBE 50" in read(tmp_path, text + tubes).properties


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((0.03, 0.002, None, 0.02), r"PTUBE 50 is tapered \(OD2 = 0.02\)"),
        ((0.03, 0.02), "no tube of 0.03 has walls of 0.02"),
    ],
)
def test_tubes_that_are_not_supported(tmp_path, fields, message):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, grids() + card("CTUBE", 31, 50, 1, 3) + card("PTUBE", 50, 1, *fields))
