"""Multi-point constraints of Abaqus and CalculiX against equations by hand, and against what each of them promises."""

import warnings

import numpy as np
import pytest
import scipy
from support.abaqus_decks import MATERIAL, read, rows
from support.frames import STEEL

import fem

#: a beam from (0, 0, 0) by (1, 0, 0) to (2, 0, 0), and one beside it from (0.25, 0, 0) to (0.25, 1, 0.4)
POINTS = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (0.25, 0, 0), (0.25, 1, 0.4)]
SECTION = "*Beam Section, elset=all, section=PIPE, material=steel\n 0.02, 0.004\n 0., 0.6, 1.\n"
BEAM = fem.Beam(STEEL, fem.Tube(0.04, thickness=0.004, nu=0.3), up=(0, 0.6, 1))


def deck(constraint, points=POINTS, lines=((1, 2), (2, 3), (4, 5))):
    """Beams between nodes, held at node 1, with node 5 as "x1", and a constraint."""
    text = "*Node\n" + rows([n, *x] for n, x in enumerate(points, 1))
    text += "*Element, type=B31, elset=all\n" + rows([k, *ends] for k, ends in enumerate(lines, 1))
    return text + SECTION + "*Nset, nset=x0\n 1\n*Nset, nset=x1\n 5\n" + constraint + MATERIAL


def by_hand(equations, points=POINTS, lines=((1, 2), (2, 3), (4, 5))):
    """The same beams with equations {component: {node: coefficient}}, or pairs of component and coefficients."""
    mesh = fem.Mesh(points, (fem.Block("line2", np.array(lines) - 1),), {"x0": [0], "x1": [4]})
    parts = [
        fem.Equation(str(k), [(str(node), name, value) for (node, name), value in terms.items()])
        for k, terms in enumerate(equations)
    ]
    return fem.assemble(mesh, BEAM, parts=parts)


def alike(read_one, hand):
    """The same eigenvalues of stiffness and mass, rigid motions included: they don't depend on what is eliminated."""
    found, expected = (
        scipy.linalg.eigh(s.K.toarray(), s.M.toarray(), eigvals_only=True) for s in (read_one, hand)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12 * expected[-1])


ALL = ("x", "y", "z", "rx", "ry", "rz")


@pytest.mark.parametrize(
    ("row", "shares"),
    [
        ("LINEAR, 4, 1, 2", {1: 0.75, 2: 0.25}),
        # s = 0.125 of 2 m: (1 - s)(1 - 2 s), 4 s (1 - s), s (2 s - 1), whatever the order of the nodes
        ("QUADRATIC, 4, 1, 2, 3", {1: 0.65625, 2: 0.4375, 3: -0.09375}),
        ("QUADRATIC, 4, 1, 3, 2", {1: 0.65625, 2: 0.4375, 3: -0.09375}),
    ],
)
def test_nodes_between_nodes(row, shares, tmp_path):
    """All six motions of node 4 are interpolated."""
    equations = [{(4, c): -1.0, **{(n, c): w for n, w in shares.items()}} for c in ALL]
    alike(fem.assemble(read(tmp_path, deck(f"*MPC\n {row}\n"))), by_hand(equations))


def test_a_node_on_a_line(tmp_path):
    """SLIDER: node 4 stays on the line from 1 to 2 and moves along it."""
    found = fem.assemble(read(tmp_path, deck("*MPC\n SLIDER, 4, 1, 2\n")))
    alike(found, by_hand([{(4, c): -1.0, (1, c): 0.75, (2, c): 0.25} for c in "yz"]))


def rigid_motions_left(structure):
    values = np.linalg.eigvalsh(structure.K.toarray())
    return int((values < 1e-9 * values[-1]).sum())


@pytest.mark.parametrize(
    ("row", "points", "count"),
    [
        ("SLIDER, 4, 1, 3", POINTS, 10),
        ("STRAIGHT, 1, 3, 4", POINTS, 10),
        ("PLANE, 1, 2, 5, 4", [(0, 0, 0), (1, 0, 0), (2, 0.5, 0), (0.25, 0.3, 0), (0.25, 1, 0)], 11),
    ],
)
def test_rigid_motions_that_constraints_leave(row, points, count, tmp_path):
    """Two bodies have 12; a node on a line loses 2, one in a plane loses 1. No equation resists the six of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = fem.assemble(read(tmp_path, deck(f"*MPC\n {row}\n", points)))
    assert rigid_motions_left(found) == count


def test_a_node_in_a_plane(tmp_path):
    """PLANE: z of node 4, at 0.25 a + 0.15 b from node 1, follows nodes 1, 2, 3 with the shares of a triangle."""
    points = [(0, 0, 0), (1, 0, 0), (0, 2, 0), (0.25, 0.3, 0), (0.25, 1, 0.4)]
    found = fem.assemble(read(tmp_path, deck("*MPC\n PLANE, 1, 2, 3, 4\n", points)))
    alike(found, by_hand([{(4, "z"): -1.0, (1, "z"): 0.6, (2, "z"): 0.25, (3, "z"): 0.15}], points))


def test_a_finer_mesh_on_a_coarse_face(tmp_path):
    """BILINEAR and LINEAR: one cube on four of half its size; a state of constant strain passes."""
    coarse = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    fine = fem.box((1.0, 1.0, 0.5), (2, 2, 1), "hex8", origin=(0, 0, 1.0))
    points = np.vstack([coarse.points, fine.points])
    text = "*Node\n" + rows([n, *x] for n, x in enumerate(points, 1)) + "*Element, type=C3D8I, elset=all\n"
    text += rows([k, *(nodes + 1)] for k, nodes in enumerate(coarse.blocks[0].nodes, 1))
    text += rows([k, *(nodes + 9)] for k, nodes in enumerate(fine.blocks[0].nodes, 2))
    text += "*Solid Section, elset=all, material=steel\n,\n*MPC\n"

    def at(x, y, z, first=0):
        return int(np.flatnonzero(np.abs(points[first:] - (x, y, z)).max(axis=1) < 1e-9)[0]) + first + 1

    corners = [at(*c, 1.0) for c in ((0, 0), (1, 0), (1, 1), (0, 1))]
    for k, (x, y) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
        text += f" TIE, {at(x, y, 1.0, 8)}, {corners[k]}\n"
        (x2, y2) = ((0, 0), (1, 0), (1, 1), (0, 1))[(k + 1) % 4]
        text += f" LINEAR, {at((x + x2) / 2, (y + y2) / 2, 1.0, 8)}, {corners[k]}, {corners[(k + 1) % 4]}\n"
    text += f" BILINEAR, {at(0.5, 0.5, 1.0, 8)}, {', '.join(map(str, corners))}\n"
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    assert found.n == 3 * (8 + 18 - 9)
    strain = np.array([[1e-3, 2e-4, 3e-4], [2e-4, -2e-3, 4e-4], [3e-4, 4e-4, 5e-4]])
    u = found.mesh.points @ strain
    fields = np.array([found.displacements(e).ravel() for e in np.eye(found.n)]).T
    unknown = np.linalg.lstsq(fields, u.ravel(), rcond=None)[0]
    np.testing.assert_allclose(fields @ unknown, u.ravel(), atol=1e-12)  # the constraints hold for it
    lam, mu = STEEL.lame
    density = 0.5 * (lam * np.trace(strain) ** 2 + 2 * mu * (strain**2).sum())
    assert 0.5 * unknown @ found.K @ unknown == pytest.approx(1.5 * density, rel=1e-12)  # volume 1.5 m^3


HINGED = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 0, 0), (1.25, 1, 0.4), (1, 1, 1), (1, -1, 1)]


@pytest.mark.parametrize(
    ("row", "equal"),
    [
        ("PIN, 4, 2", ()),
        ("PIN, 4, 2\n REVOLUTE, 4, 2, 6", ((1, 0, 0), (0, 1, -1))),
        ("PIN, 4, 2\n UNIVERSAL, 4, 2, 6, 7", ((1, 0, 0),)),
    ],
)
def test_joints_inside_a_part(row, equal, tmp_path):
    """PIN and the axes 2-6 and 2-7 of REVOLUTE and UNIVERSAL: rotations are ``equal`` about what is across these."""
    mesh = read(tmp_path, deck(f"*MPC\n {row}\n", HINGED))
    equations = [{(4, c): 1.0, (2, c): -1.0} for c in "xyz"]
    for e in equal:
        equations.append(
            {(n, c): s * v for n, s in ((4, 1.0), (2, -1.0)) for c, v in zip(ALL[3:], e, strict=True) if v}
        )
    found = fem.assemble(mesh)
    alike(found, by_hand(equations, HINGED[:5]))
    assert rigid_motions_left(found) == 9 - len(equal)
    assert ("degree of freedom 6 of node 6" in mesh.report()) == bool(equal)


def test_the_axis_of_a_revolute_without_a_direction(tmp_path):
    """The third node stands where the second one does: the axis is z."""
    found = fem.assemble(read(tmp_path, deck("*MPC\n PIN, 4, 2\n REVOLUTE, 4, 2, 2\n", HINGED[:5])))
    hand = by_hand([{(4, c): 1.0, (2, c): -1.0} for c in ("x", "y", "z", "rx", "ry")], HINGED[:5])
    alike(found, hand)


SLOPED = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (2.3, 0.4, 0), (3, 1, 0.4)]


@pytest.mark.parametrize("program", ["CalculiX", "Abaqus", ""])
def test_the_constraint_beam_of_two_programs(program, tmp_path):
    """A rigid bar in Abaqus; CalculiX keeps the distance of its nodes (manual, *MPC). Where nothing tells, a word."""
    text = deck("*MPC\n BEAM, 4, 3\n", SLOPED)
    if program == "CalculiX":
        text = "** written for CalculiX\n" + text
    elif program == "Abaqus":
        text = text.replace("type=B31", "type=B31H")
    mesh = read(tmp_path, text)
    assert ("taken for a rigid bar, as in Abaqus" in " ".join(mesh.doubts)) == (program == "")
    found = fem.assemble(mesh)
    assert rigid_motions_left(found) == (11 if program == "CalculiX" else 6)
    if program == "CalculiX":
        alike(found, by_hand([{(4, "x"): 0.6, (4, "y"): 0.8, (3, "x"): -0.6, (3, "y"): -0.8}], SLOPED))


@pytest.mark.parametrize("kind", ["LINK", "BEAM"])
def test_a_bar_between_nodes_of_solids(kind, tmp_path):
    """Nothing holds the rotation of a bar about itself: it keeps the distance of its ends, and takes 1 of 12 ways."""
    cubes = [fem.box((0.1, 0.1, 0.1), (1, 1, 1), "hex8", origin=(x, 0, 0)) for x in (0.0, 0.3)]
    points = np.vstack([cube.points for cube in cubes])
    text = "*Node\n" + rows([n, *x] for n, x in enumerate(points, 1)) + "*Element, type=C3D8I, elset=all\n"
    text += rows([k + 1, *(cube.blocks[0].nodes[0] + 8 * k + 1)] for k, cube in enumerate(cubes))
    ends = [int(np.abs(points - x).sum(axis=1).argmin()) + 1 for x in ((0.1, 0, 0), (0.3, 0.1, 0))]
    text += f"*Solid Section, elset=all, material=steel\n,\n*MPC\n {kind}, {ends[1]}, {ends[0]}\n"
    found = fem.assemble(read(tmp_path, text + MATERIAL))
    assert rigid_motions_left(found) == 11
    assert found.n == 48 - 1
    assert np.linalg.eigvalsh(found.M.toarray())[0] > 0


def test_constraints_of_node_sets_and_on_more_lines(tmp_path):
    """Two followers and one line; STRAIGHT goes on behind a 0, and a comma at the end adds nothing."""
    points = [*POINTS, (0.5, 0, 0)]
    one = read(tmp_path, deck("*Nset, nset=two\n 4, 6\n*MPC\n SLIDER, two, 1, 3\n", points))
    other = read(tmp_path, deck("*MPC\n STRAIGHT, 1, 3, 4,\n 0, 6\n", points))
    for mesh in (one, other):
        assert len(mesh.parts) == 4
    assert [part.terms for part in one.parts] == [part.terms for part in other.parts]


#: where the first corner of the second cube stands; the constraint, with its number in place of {}; and how CalculiX
#: 2.20, geometrically nonlinear, moves it under (1, 2, -1.5) kN, in m
BY_CALCULIX = {
    "BEAM": ((0.25, 0, 0.05), "{}, 5", (3.073583e-07, 1.067862e-06, -1.161288e-06)),
    "STRAIGHT": ((0.1, 0.18, 0.18), "5, 8, {}", (2.094489e-07, 9.181384e-07, -9.481364e-07)),
    "PLANE": ((0.1, 0.13, 0.04), "5, 8, 7, {}", (1.330879e-07, 1.148733e-06, -1.116991e-06)),
}


@pytest.mark.parametrize("kind", BY_CALCULIX)
def test_constraints_of_calculix(kind, tmp_path):
    """Two cubes of 0.1 m, held at their far sides, and a corner of the second one bound to corners of the first one."""
    place, row, expected = BY_CALCULIX[kind]
    cubes = [fem.box((0.1, 0.1, 0.1), (1, 1, 1), "hex8", origin=x) for x in ((0, 0, 0), place)]
    points = np.vstack([cube.points for cube in cubes])
    corners = [(0.1, 0, 0), (0.1, 0.1, 0), (0.1, 0.1, 0.1)]
    np.testing.assert_allclose(points[[4, 6, 7]], corners)  # nodes 5, 7, 8
    text = "** CalculiX\n*Node\n" + rows([n, *x] for n, x in enumerate(points, 1))
    text += "*Element, type=C3D8, elset=all\n"
    text += rows([k + 1, *(cube.blocks[0].nodes[0] + 8 * k + 1)] for k, cube in enumerate(cubes))
    text += "*Nset, nset=fix\n" + rows(
        [n] for n in np.flatnonzero([*(points[:8, 0] < 0.01), *(points[8:, 0] > place[0] + 0.09)]) + 1
    )
    text += f"*Nset, nset=tip\n 9\n*Solid Section, elset=all, material=steel\n,\n{MATERIAL}"
    text += f"*MPC\n {kind}, {row.format(9)}\n"
    structure = fem.assemble(read(tmp_path, text))
    moved = fem.static(structure, "fix", fem.Force("tip", (1e3, 2e3, -1.5e3))).at("tip")[:3]
    np.testing.assert_allclose(moved, expected, rtol=1e-4)
