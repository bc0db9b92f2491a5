"""Masses, springs, connections and supports of Nastran decks against the same parts built by hand."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy
from support.damping import damping
from support.nastran import STEEL, card, mesh_cards, read
from support.nastran_bodies import LINE, MAT, SHEET, S, as_by_hand, same

import fem

BEAM = LINE + card("CBAR", 1, 1, 1, 2, 0.0, 1.0, 0.0) + card("PBAR", 1, 1, 1e-3, 2e-7, 5e-8, 1e-7)
HAND = fem.Mesh([[0, 0, 0], [2, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"a": [0], "b": [1]})
BY_HAND = fem.Beam(S, fem.Section(A=1e-3, Iy=2e-7, Iz=5e-8, J=1e-7), up=(0, 1, 0), shear=False)


def test_masses_of_components(tmp_path):
    """CMASS1 and CMASS2 of one grid point add up to a rigid mass, whose moments of inertia are about its own axes."""
    turn = np.array([[0, 0, 1], [0.6, 0.8, 0], [-0.8, 0.6, 0]])
    system = card("CORD2R", 7, None, 0.0, 0.0, 0.0, *turn[2], *turn[0]) + card(
        "GRID", 3, None, 2.5, 0.0, 0.0, 7
    )
    rigid = card("RBE2", 8, 2, 123456, 3)
    cards = card("PMASS", 4, 1.5, 5, 0.02, 6, 0.03) + card("CMASS2", 13, 0.04, 3, 6)
    cards += "".join(card("CMASS1", 20 + c, 4, 3, c, 0, 0) for c in (1, 2, 3))
    cards += "".join(card("CMASS2", 30 + c, 0.5, None, None, 3, c) for c in (1, 2, 3))
    cards += card("CMASS1", 41, 5, 3, 4) + card("CMASS1", 42, 6, 3, 5)
    found = read(tmp_path, BEAM + system + rigid + cards)
    (mass,) = (part for part in found.parts if isinstance(part, fem.PointMass))
    assert mass.mass == pytest.approx(2.0, rel=1e-15)
    np.testing.assert_allclose(mass.inertia, turn.T @ np.diag([0.02, 0.03, 0.04]) @ turn, atol=1e-12)
    weighted = read(tmp_path, BEAM + system + rigid + cards + card("PARAM", "WTMASS", 0.1))
    assert next(part for part in weighted.parts if isinstance(part, fem.PointMass)).mass == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        (
            card("CMASS2", 9, 2.0, 2, 1),
            "components 1, 2, 3 of grid point 2 the masses 2, 0, 0; a body in space",
        ),
        (card("CMASS2", 9, 2.0, 1, 1, 2, 1), "CMASS2 9 couples two components"),
        (card("CMASS1", 9, 4, 2, 1), "CMASS1 9: there is no PMASS 4"),
        (card("CMASS2", 9, 2.0, 2, 0), "CMASS2 9 names the component '0'"),
        (card("CMASS4", 9, 2.0, 2), "1 CMASS4, line 6.*give them masses by CMASS1 or CMASS2"),
    ],
)
def test_masses_that_no_body_has(cards, message, tmp_path):
    with pytest.raises(fem.FileError, match=message):
        read(tmp_path, BEAM + cards)


def test_a_mass_with_arm_and_products_of_inertia(tmp_path):
    """In the axes of a cylindrical system at the grid point: radial is y there; then as a point (CID = -1)."""
    base = fem.assemble(HAND, BY_HAND)
    inertia = (3.0, 0.1, 4.0, 0.2, 0.3, 5.0)  # I11, I21, I22, I31, I32, I33
    system = card(
        "CORD2C", 5, 0, 2.0, -1.0, 0.0, 2.0, -1.0, 1.0, 3.0, -1.0, 0.0
    )  # at (2, 0, 0): r = y, theta = -x
    axes = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1.0]])
    offset = np.array([0.1, 0.2, 0.3]) @ axes
    I = np.array([[3.0, -0.1, -0.2], [-0.1, 4.0, -0.3], [-0.2, -0.3, 5.0]])
    I = axes.T @ I @ axes
    c = np.array([[0, -offset[2], offset[1]], [offset[2], 0, -offset[0]], [-offset[1], offset[0], 0]])
    M = np.block([[7.0 * np.eye(3), -7.0 * c], [7.0 * c, I - 7.0 * c @ c]])
    for text in (
        system + card("CONM2", 3, 2, 5, 7.0, 0.1, 0.2, 0.3, None, *inertia),
        card("CONM1", 3, 2, None, *M[np.tril_indices(6)].tolist(), form="large"),
    ):
        found = fem.assemble(read(tmp_path, BEAM + text))
        same((found.M - base.M).toarray()[6:, 6:], M)
    found = fem.assemble(
        read(tmp_path, BEAM + card("CONM2", 3, 2, -1, 7.0, *(np.array([2.0, 0, 0]) + offset).tolist()))
    )
    assert found.center == pytest.approx(
        (base.mass * base.center + 7 * (np.array([2.0, 0, 0]) + offset)) / found.mass
    )


def test_a_mass_with_one_moment_of_inertia_gets_the_least_others(tmp_path):
    """I11 = 4 alone: I22 + I33 must be 4, and the least change is 2 each."""
    card_of_it = card("CONM2", 3, 2, 0, 1.0, None, None, None, None, 4.0)
    with pytest.warns(fem.FlexbodyWarning, match=r"CONM2 3 .* inertia 0, 0, 4, .* raised by 2 each"):
        mesh = read(tmp_path, BEAM + card_of_it)
    (mass,) = mesh.parts
    assert mass.tensor == pytest.approx(np.diag([4.0, 2.0, 2.0]))
    M = np.zeros((6, 6))
    M[:3, :3], M[3:, 3:] = np.eye(3), 1.0  # principal moments 0, 0, 3, the first -6e-16 by round-off
    ones = card("CONM1", 3, 2, 0, *M[np.tril_indices(6)].tolist())
    with pytest.warns(fem.FlexbodyWarning, match="CONM1 3 .* which no mass has"):
        (mass,) = read(tmp_path, BEAM + ones).parts
    assert np.linalg.eigvalsh(mass.tensor) == pytest.approx([1.5, 1.5, 3.0])
    with pytest.raises(fem.FileError, match="none can be negative"):
        read(tmp_path, BEAM + card("CONM2", 3, 2, 0, 1.0, None, None, None, None, -4.0))


def test_springs_and_dampers_between_components(tmp_path):
    """CELAS and CDAMP along a turned displacement axis, to the ground, and in rotation."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += (
        card("CELAS2", 5, 1e3, 2, 1) + card("CELAS1", 6, 9, 1, 5) + card("PELAS", 8, 1.0, None, None, 9, 70.0)
    )
    text += card("CDAMP2", 7, 20.0, 2, 1) + card("CDAMP1", 8, 11, 1, 5) + card("PDAMP", 10, 1.0, 11, 0.7)
    found, base = fem.assemble(read(tmp_path, text)), fem.assemble(HAND, BY_HAND)
    added = (found.K - base.K).toarray()
    expected = np.zeros((12, 12))
    expected[6:9, 6:9] = 1e3 * np.outer([0.6, 0.8, 0], [0.6, 0.8, 0])
    expected[4, 4] = 70.0
    assert added == pytest.approx(expected, abs=1e-6)
    assert damping(found) == pytest.approx(np.where(expected == 70.0, 0.7, 0.02 * expected), abs=1e-12)
    with pytest.raises(fem.FileError, match="CELAS2 7 joins grid points that are 2 apart across"):
        read(tmp_path, BEAM + card("CELAS2", 7, 1.0, 1, 2, 2, 2))


@pytest.mark.parametrize("share", [None, 0.0, 1.0])
def test_a_bush_resists_no_rigid_motion(tmp_path, share):
    """Closed form: K = sum k b b', D = sum d b b', b the relative motion at the place of the bush, in its axes."""
    text = BEAM + card("GRID", 3, None, 2.0, 0.5, 0.0) + card("RBE2", 9, 2, 123456, 3)
    text += card("GRID", 4, None, 2.0, 0.5, 1.0)
    k = np.array([1e3, 2e3, 3e3, 40.0, 50.0, 60.0])
    d = np.array([9.0, 8.0, 7.0, 0.6, 0.5, 0.4])
    text += card("CBUSH", 7, 8, 3, 4, 1.0, 0.0, 0.0, None, share) + card(
        "PBUSH", 8, "K", *k.tolist(), None, "B", *d.tolist(), None, "GE", 0.1
    )
    mesh = read(tmp_path, text)
    (spring,) = [part for part in mesh.parts if isinstance(part, fem.Spring)]
    place = np.array([2.0, 0.5, 0.5 if share is None else share])
    axes = np.array([[0, 0, 1.0], [1, 0, 0], [0, 1, 0]])  # x from grid 3 to 4, y along the orientation
    B = np.zeros((6, 12))
    for at, (point, sign) in enumerate((((2.0, 0.5, 0.0), -1), ((2.0, 0.5, 1.0), 1))):
        r = place - np.array(point)
        move = np.eye(6)
        move[:3, 3:] = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        B[:, 6 * at : 6 * at + 6] = sign * move
    B = np.kron(np.eye(2), axes) @ B
    structure = fem.assemble(mesh)
    order = [int(m) for n in "34" for m in structure.freedoms.of_nodes(structure.mesh.nodes_of(n))]
    for found, values in ((spring.stiffnesses, k), (spring.dampings, d)):
        (motions, matrix), = found(structure.mesh, structure.freedoms)  # fmt: skip
        at = [list(motions).index(m) for m in order]
        assert matrix[np.ix_(at, at)] == pytest.approx(B.T @ np.diag(values) @ B, abs=1e-9 * values.max())
    assert [one.what for one in mesh.left_out] == ["structural damping of PBUSH"]


def test_a_bush_at_a_place_in_a_system(tmp_path):
    """OCID: the place by coordinates r, theta, z; the same as the place by S that lies there."""
    text = BEAM + card("GRID", 3, None, 2.0, 0.5, 0.0) + card("RBE2", 9, 2, 123456, 3)
    text += card("GRID", 4, None, 2.0, 0.5, 1.0) + card("PBUSH", 8, "K", 1e3, 2e3, 3e3, 40.0, 50.0, 60.0)
    text += card("CORD2C", 6, 0, 1.0, 0.5, 0.0, 1.0, 0.5, 1.0, 2.0, 0.5, 0.0)
    bush = ("CBUSH", 7, 8, 3, 4, 1.0, 0.0, 0.0, None)
    by_share = fem.assemble(read(tmp_path, text + card(*bush, 0.25)))
    by_place = fem.assemble(read(tmp_path, text + card(*bush, None, 6, 1.0, 0.0, 0.25)))
    beside = fem.assemble(read(tmp_path, text + card(*bush, None, 6, 1.0, 90.0, 0.25)))
    same(by_place.K, by_share.K)
    assert abs(beside.K - by_share.K).max() > 1.0


# --- connections ------------------------------------------------------------------------------------------------

CUBE = fem.box((1.0, 1.0, 1.0), (2, 2, 2), "hex8")
SOLID = mesh_cards(CUBE) + STEEL + card("GRID", 100, None, 1.5, 0.4, 0.6)
END = [int(n) + 1 for n in CUBE.nodes_of("x1")]


def test_a_rigid_connection_makes_an_interface_of_its_number(tmp_path):
    mesh = read(tmp_path, SOLID + card("RBE2", 3, 100, 123456, *END))
    by_hand = fem.assemble(CUBE, S, parts=[fem.Rigid("tip", "x1", at=(1.5, 0.4, 0.6))])
    found = fem.assemble(mesh)
    as_by_hand(found, by_hand)
    assert fem.interface(found, "100").point == pytest.approx((1.5, 0.4, 0.6))
    held = fem.vibration(found, n=3, supports="100").frequencies_hz
    assert held == pytest.approx(fem.vibration(by_hand, n=3, supports="tip").frequencies_hz, rel=1e-9)
    alpha = read(tmp_path, SOLID + card("RBE2", 3, 100, 123, *END, 1.2e-5))
    as_by_hand(fem.assemble(alpha), by_hand)


def test_weights_of_a_distributing_connection(tmp_path):
    text = SOLID + card("RBE3", 3, None, 100, 123456, 2.0, 123, *END[:4], 1.0, 123, *END[4:])
    weights = {str(n): 2.0 if k < 4 else 1.0 for k, n in enumerate(END)}
    by_hand = fem.assemble(CUBE, S, parts=[fem.Averaged("tip", "x1", at=(1.5, 0.4, 0.6), weights=weights)])
    loaded = [
        fem.load_vector(one, fem.Force(name, (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)))
        for one, name in ((fem.assemble(read(tmp_path, text)), "100"), (by_hand, "tip"))
    ]
    same(*loaded)
    pinned = read(tmp_path, text.replace(" 123456", "    123", 1)).parts[0]
    assert (pinned.weights, pinned.components) == (weights, ("x", "y", "z"))
    with pytest.raises(fem.FileError, match="'12A' are no components"):
        read(tmp_path, SOLID + card("RBE3", 3, None, 100, "12A", 2.0, 12, *END))


def test_a_hinge_of_shells_and_a_rigid_bar(tmp_path):
    """RBE2 of displacements alone leaves the rotations of shells; RBAR is one of two grid points."""
    text = "".join(card("GRID", n, None, *x) for n, x in enumerate(SHEET.points, start=1)) + MAT
    text += card("CQUAD4", 1, 5, 1, 2, 5, 4) + card("PSHELL", 5, 1, 0.02, 1, None, 1)
    text += card("GRID", 100, None, 0.5, 0.5, 1.0) + card("GRID", 101, None, 0.5, 0.5, 2.0)
    text += card("RBE2", 7, 100, 123, 1, 4) + card("RBAR", 8, 100, 101, 123456)
    mesh = read(tmp_path, text)
    quad = fem.Mesh(
        SHEET.points[[0, 1, 3, 4]], (fem.Block("quad4", [[0, 1, 3, 2]]),), {"edge": [0, 2], "other": [3]}
    )
    hinge = fem.Rigid("top", "edge", at=(0.5, 0.5, 1.0), components=("x", "y", "z"))
    by_hand = fem.assemble(quad, fem.Shell(S, 0.02), parts=[hinge])
    assert fem.assemble(mesh).n == by_hand.n == 4 * 6 - 6 + 6
    as_by_hand(fem.assemble(mesh), by_hand)


@pytest.mark.parametrize("components", ["1", "23"])
def test_a_rigid_connection_in_turned_axes(tmp_path, components):
    """Grid 2 follows grid 3 along its own axes (CD): written out as equations, u_2 . e = (u_3 + theta_3 x arm) . e."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += card("GRID", 3, None, 1.5, 0.5, 0.25) + card("GRID", 4, None, 1.5, 1.5, 0.25)
    text += card("CBAR", 2, 1, 3, 4, 1.0, 0.0, 0.0) + card("CBUSH", 6, 6, 3, 2, 1.0, 0.0, 0.0)
    text += card("PBUSH", 6, "K", 1.0)
    mesh = read(tmp_path, text + card("RBE2", 5, 3, components, 2))
    axes, arm = np.array([[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]), np.array([0.5, -0.5, -0.25])
    springs = tuple(part for part in mesh.parts if isinstance(part, fem.Spring))
    found, by_hand = (fem.assemble(replace(mesh, parts=parts)) for parts in (mesh.parts, springs))
    rows = np.zeros((len(components), by_hand.n))
    two, three = (by_hand.freedoms.of_nodes(by_hand.mesh.nodes_of(n)) for n in "23")
    for row, component in zip(rows, components, strict=True):
        e = axes[int(component) - 1]
        row[two[:3]], row[three[:3]], row[three[3:]] = e, -e, -np.cross(arm, e)
    Z = scipy.linalg.null_space(rows)
    K, M = (Z.T @ A.toarray() @ Z for A in (by_hand.K, by_hand.M))
    expected = scipy.linalg.eigh(K, M, eigvals_only=True)
    values = scipy.linalg.eigh(found.K.toarray(), found.M.toarray(), eigvals_only=True)
    assert values == pytest.approx(expected, rel=1e-8, abs=1e-8 * expected.max())


def test_equations_in_turned_axes(tmp_path):
    """u_r of grid 2 (turned axes) follows u_x of grid 1, and a rotation in mm and rad."""
    text = BEAM.replace(card("GRID", 2, None, 2.0, 0.0, 0.0), card("GRID", 2, None, 2.0, 0.0, 0.0, 4))
    text += card("CORD2R", 4, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 3.0, 4.0, 0.0)
    text += card("MPC", 3, 2, 1, 1.0, 1, 1, -2.0, None, None, 1, 5, 8.0)
    mesh = read(tmp_path, text, units="mm")
    (equation,) = mesh.parts
    terms = {(node, name): value for node, name, value in equation.terms}
    assert terms == {
        ("2", "x"): pytest.approx(0.6),
        ("2", "y"): pytest.approx(0.8),
        ("1", "x"): -2.0,
        ("1", "ry"): pytest.approx(8e-3),
    }


def test_the_decks_of_others_are_whole(tmp_path):
    """A file as Femap writes it: continuation marks in field 10, systems that nothing uses, a checksum at its end."""
    text = (
        "NASTRAN SYSTEM(442)=-1\nID FEMAP,FEMAP\nSOL SESTATIC\nCEND\n  TITLE = x\n  SPC = 1\nBEGIN BULK\n"
        "CORD2C         1       0      0.      0.      0.      0.      0.      1.+FEMAPC1\n"
        "+FEMAPC1      1.      0.      1.        \n"
        "PBARL          1       1 MSCBML0     BAR                                +       \n"
        "+             .1      .1      0.        \n"
        "MAT1*                  1            70E6                              .3\n"
        "*                  2700.              0.              0.                *\n"
        "*             270000000.\n"
        "GRID           1       0      0.      0.      0.       0\n"
        "GRID           2       0    .125      0.      0.       0\n"
        "CBAR           1       1       1       2      0.      1.      0.        +       \n"
        "+                             0.    -.05     .05      0.    -.05     .05\n"
        "SPC1           1  123456       1\nENDDATA b0eac5ff\n"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 70 MPa looks wrong
        mesh = read(tmp_path, text)
    beam = mesh.properties["PBARL 1"]
    assert (beam.material.E, beam.material.rho) == (70e6, 2700.0)
    # W is (0, -0.05, 0.05); our z is y, our y is -z
    assert np.array(beam.offset) == pytest.approx(np.array([[0, -0.05, -0.05]] * 2), abs=1e-12)
    assert list(mesh.supports) == ["SPC 1 held in 123456"]


# --- supports in displacement axes ------------------------------------------------------------------------------

#: x axis of system 5 is the basic z axis
TURNED = card("CORD2R", 5, None, *(0.0, 0.0, 0.0), *(0.0, 1.0, 0.0), *(0.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("grid", "support", "held"),
    [
        ("1", "", {"z"}),
        ("4", "", {"rz"}),
        ("", "1234", {"x", "y", "z", "rz"}),
        ("", "5", {"rx"}),
        ("", "value", {"z"}),
    ],
)
def test_axes_of_supports_along_basic_axes_are_those(grid, support, held, tmp_path):
    """The turned axes are the basic z, x and y axes."""
    text = TURNED + card("GRID", 1, None, 0.0, 0.0, 0.0, 5, grid) + card("GRID", 2, None, 1.0, 0.0, 0.0)
    text += card("CBAR", 1, 1, 1, 2, 0.0, 0.0, 1.0) + card("PBAR", 1, 1, 1e-4, 1e-8, 2e-8, 1e-8) + MAT
    if support == "value":
        text += card("SPC", 7, 1, 1, 0.1)
    elif support:
        text += card("SPC1", 7, support, 1)
    mesh = read(tmp_path, text)
    assert {name for what in mesh.supports.values() for name in what} == held
    if support == "value":
        assert list(mesh.supports.values()) == [{"z": 0.1}]
    assert not mesh.turned_supports


def test_all_displacements_in_turned_axes_are_held(tmp_path):
    text = TURNED + card("GRID", 1, None, 0.0, 0.0, 0.0, 5, "456") + card("GRID", 2, None, 1.0, 0.0, 0.0)
    text += card("CBAR", 1, 1, 1, 2, 0.0, 0.0, 1.0) + card("PBAR", 1, 1, 1e-4, 1e-8, 2e-8, 1e-8) + MAT
    mesh = read(tmp_path, text + card("SPC1", 7, "123", 1))
    assert sorted(mesh.supports.values()) == [("rx", "ry", "rz"), ("x", "y", "z")]
