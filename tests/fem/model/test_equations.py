"""Linear equations between motions: against rigid connections, null spaces and rotated structures."""

import numpy as np
import pytest
import scipy.linalg
from support.frames import STEEL, joined, line

import fem
import modal

BEAM = fem.Beam(STEEL, fem.Circle(0.02), shear=False)


def rigid_link(name, follower, leader, arm):
    """Six equations: follower moves as a rigid body with leader, ``arm`` from leader to follower."""
    found = []
    for c, axis in enumerate("xyz"):
        terms = [(follower, axis, 1.0), (leader, axis, -1.0)]
        for k, turn in enumerate(np.eye(3)):
            value = np.cross(turn, arm)[c]
            if value:
                terms.append((leader, "r" + "xyz"[k], -value))
        found.append(fem.Equation(f"{name} {axis}", terms))
    found += [
        fem.Equation(f"{name} r{a}", [(follower, "r" + a, 1.0), (leader, "r" + a, -1.0)]) for a in "xyz"
    ]
    return found


def two_bars():
    """Two bent bars, their ends apart."""
    return joined(line([(0, 0, 0), (1, 0.2, 0)], 3), line([(0, 0, 0), (0.1, 1, 0.3)], 3), (1.2, 0.3, 0.1))


def arm_of(mesh, leader, follower):
    return (mesh.points[mesh.node_sets[follower]] - mesh.points[mesh.node_sets[leader]])[0]


def test_equations_of_a_rigid_link_are_a_rigid_connection():
    mesh = two_bars()
    link = rigid_link("link", "b_start", "end", arm_of(mesh, "end", "b_start"))
    by_equations = fem.assemble(mesh, BEAM, parts=link)
    connection = fem.assemble(mesh, BEAM, parts=[fem.Rigid("link", "b_start", reference="end")])
    scale = connection.K.diagonal().max()
    np.testing.assert_allclose(by_equations.K.toarray(), connection.K.toarray(), atol=1e-13 * scale)
    np.testing.assert_allclose(by_equations.M.toarray(), connection.M.toarray(), atol=1e-13 * connection.mass)
    # the same forces under load, and the same second-order terms of the arm
    load = [
        fem.Force("b_end", (-30.0, 20.0, 10.0)),
        fem.Force("b_start", (5.0, 0, 0), moment=(1.0, -2.0, 3.0)),
    ]
    found = []
    for structure in (by_equations, connection):
        u = fem.static(structure, "start", load).u
        found.append(fem.geometric_stiffness(structure, u, load).toarray())
    np.testing.assert_allclose(found[0], found[1], atol=1e-10 * np.abs(found[1]).max())


def blocks():
    first = fem.box((0.4, 0.1, 0.1), (2, 1, 1), "hex8")
    return joined(first, fem.box((0.4, 0.1, 0.1), (2, 1, 1), "hex8"), (0.1, 0.1, 0.0))


def random_equations(mesh, count, seed):
    """Equations through nodes of both halves that rigid motions satisfy: a random row less its rigid part."""
    rng, half = np.random.default_rng(seed), mesh.n_nodes // 2
    found = []
    for k in range(count):
        nodes = np.concatenate([rng.choice(half, 3, False), half + rng.choice(half, 3, False)])
        R = fem.rigid_motions(mesh.points[nodes], mesh.points[nodes].mean(axis=0))
        row = rng.normal(size=18)
        row -= R @ np.linalg.lstsq(R, row, rcond=None)[0]
        found.append(
            fem.Equation(
                f"e{k}",
                [(str(n + 1), "xyz"[c], row[3 * i + c]) for i, n in enumerate(nodes) for c in range(3)],
            )
        )
    return found


def nullspace_frequencies(mesh, equations, n):
    """Frequencies in Hz of the structure on the null space of its equations."""
    free = fem.assemble(
        mesh, STEEL, parts=[fem.Spring("x0", "b_x0", [1.0] * 6)]
    )  # joins the parts for the check
    K = free.K.toarray() - sum(
        _full(*pair, free.n) for part in free.parts for pair in part.stiffnesses(mesh, free.freedoms)
    )
    A = np.zeros((len(equations), free.n))
    for row, equation in zip(A, equations, strict=True):
        np.add.at(row, *equation.row(mesh, free.freedoms))
    Z = scipy.linalg.null_space(A)
    values = scipy.linalg.eigvalsh(Z.T @ K @ Z, Z.T @ free.M.toarray() @ Z)
    return np.sqrt(np.maximum(values[6 : 6 + n], 0)) / (2 * np.pi)


def _full(motions, matrix, n):
    total = np.zeros((n, n))
    total[np.ix_(motions, motions)] = matrix
    return total


@pytest.mark.parametrize("seed", range(3))
def test_frequencies_are_those_on_the_null_space(seed):
    """Dense null space by singular values; the eight equations share nodes. 1e-8: the two eigenvalue solvers."""
    mesh = blocks()
    equations = random_equations(mesh, 8, seed)
    structure = fem.assemble(mesh, STEEL, parts=equations)
    assert structure.n == 3 * mesh.n_nodes - 8
    expected = nullspace_frequencies(mesh, equations, 6)
    np.testing.assert_allclose(fem.vibration(structure, n=6).frequencies_hz, expected, rtol=1e-8)
    R = structure.rigid_modes()
    assert np.abs(structure.K @ R).max() < 1e-9 * structure.K.diagonal().max()
    # all motions of the nodes under a rigid motion are those of a rigid body, eliminated ones included
    whole = fem.rigid_motions(mesh.points, structure.center)
    np.testing.assert_allclose(structure.freedoms.motions(R), whole, atol=1e-10)
    np.testing.assert_allclose(np.diag(R.T @ (structure.M @ R))[:3], structure.mass, rtol=1e-12)


def test_the_order_of_equations_does_not_matter():
    mesh = blocks()
    equations = random_equations(mesh, 8, 5)
    one, other = (fem.assemble(mesh, STEEL, parts=parts) for parts in (equations, equations[::-1]))
    found = [fem.vibration(s, n=6).frequencies_hz for s in (one, other)]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


def plate():
    """A block whose nodes a, c, b stand on a line; it is pulled at two corners."""
    mesh = fem.box((0.4, 0.2, 0.1), (4, 2, 1), "hex8")
    for name, at in (("a", (0, 0, 0)), ("c", (0.2, 0.1, 0)), ("b", (0.4, 0.2, 0))):
        mesh = mesh.select(name, nearest=at)
    return mesh.select("p", nearest=(0.0, 0.1, 0.1)).select("q", nearest=(0.4, 0, 0))


def slider():
    """The middle one of three nodes stays on the line through the others, and slides along it."""
    along = np.array([2.0, 1.0, 0.0]) / np.sqrt(5)
    weights = {"a": 0.5, "b": 0.5, "c": -1.0}
    parts = [
        fem.Equation(f"across {k}", [(n, "xyz"[i], w * q[i]) for n, w in weights.items() for i in range(3)])
        for k, q in enumerate(([-along[1], along[0], 0.0], [0.0, 0.0, 1.0]))
    ]
    return plate(), STEEL, parts, ("p", "q")


def strut():
    """A bar without weight that keeps the distance of two nodes."""
    terms = [(n, c, w) for n, sign in (("a", -1.0), ("b", 1.0)) for c, w in (("x", 2 * sign), ("y", sign))]
    return plate(), STEEL, [fem.Equation("strut", terms)], ("p", "q")


def frames():
    """Two bars on a ball joint at the end of an arm, which turns by the mean of other rotations."""
    mesh = two_bars()
    link = rigid_link("link", "b_start", "end", arm_of(mesh, "end", "b_start"))[:3]
    link += [
        fem.Equation(f"r{c}", [("b_start", "r" + c, 1.0), ("end", "r" + c, -0.5), ("start", "r" + c, -0.5)])
        for c in "xyz"
    ]
    return mesh, BEAM, link, ("start", "b_end")


@pytest.mark.parametrize("case", [slider, strut, frames])
def test_a_loaded_structure_that_turns_keeps_its_forces(case, monkeypatch):
    """K_G times a rotation about e is the load turned with it, e x F: K of a rotation is zero, and F turns.

    Two opposite forces along the line between two nodes. 1e-9: rounding of the static solution.
    """
    mesh, material, parts, (first, second) = case()
    structure = fem.assemble(mesh, material, parts=parts)
    push = 1e3 * (fem.interface(structure, second).point - fem.interface(structure, first).point)
    loads = [fem.Force(first, tuple(-push)), fem.Force(second, tuple(push))]
    u = fem.static(structure, (), loads).u
    K_G = fem.geometric_stiffness(structure, u, loads)
    R, size = structure.rigid_modes(), abs(K_G).max() * mesh.size
    for k, e in enumerate(np.eye(3)):
        turned = [fem.Force(load.at, tuple(np.cross(e, load.force))) for load in loads]
        np.testing.assert_allclose(K_G @ R[:, 3 + k], fem.load_vector(structure, turned), atol=1e-9 * size)
    monkeypatch.setattr("fem.analysis.geometric_stiffness.equation_stiffness", lambda *_: [])
    assert abs(fem.geometric_stiffness(structure, u, loads) - K_G).max() > 1e-3 * abs(K_G).max()


def test_what_repeats_is_named_and_left_out():
    mesh = two_bars()
    link = rigid_link("link", "b_start", "end", arm_of(mesh, "end", "b_start"))
    twice = fem.Equation("again", [("end", "ry", 2.0), ("b_start", "ry", -2.0)])
    with pytest.warns(fem.FlexbodyWarning, match=r"1 of 7 equations repeat what others .*: 'again'"):
        structure = fem.assemble(mesh, BEAM, parts=[*link, twice])
    assert structure.n == fem.assemble(mesh, BEAM, parts=link).n


def test_what_resists_is_told_with_numbers_and_holds_as_a_support():
    """x of both ends of a bar along x opposite: a translation leaves 2 m over. And one node held by three equations."""
    mesh = fem.box((1.0, 0.1, 0.1), (3, 1, 1), "hex8")
    mesh = mesh.select("p", nearest=(0, 0, 0)).select("q", nearest=(1, 0, 0))
    mirror = fem.Equation("mirror", [("p", "x", 1.0), ("q", "x", 1.0)])
    with pytest.warns(
        fem.FlexbodyWarning, match=r"of 'mirror' a rigid motion of 1 m along x leaves 2 over, 1 of its"
    ):
        structure = fem.assemble(mesh, STEEL, parts=[mirror])
    with pytest.raises(fem.InputError, match="equations that resist a rigid motion"):
        modal.craig_bampton(structure, ("x1",), n_normal=2)
    with pytest.raises(fem.InputError, match="leave the structure a rigid motion"):
        fem.static(structure, (), fem.Force("x1", (0, 0, 1.0)))
    pins = [fem.Equation(f"pin {n} {c}", [(str(n + 1), c, 1.0)]) for n in mesh.nodes_of("x0") for c in "xyz"]
    with pytest.warns(fem.FlexbodyWarning, match="12 of 12 equations resist rigid motions"):
        pinned = fem.assemble(mesh, STEEL, parts=pins)
    found = fem.vibration(pinned, n=3).frequencies_hz
    held = fem.vibration(fem.assemble(mesh, STEEL), n=3, supports="x0").frequencies_hz
    np.testing.assert_allclose(found, held, rtol=1e-9)


def test_a_rounded_coefficient_is_no_support():
    """Six digits of 1/3, as files have them, leave 1e-7 over."""
    mesh = fem.box((1.0, 0.1, 0.1), (3, 1, 1), "hex8")
    nodes = mesh.select("edge", box=((-1, -1e-6, -1e-6), (2, 1e-6, 1e-6))).nodes_of("edge")
    a, b, *_, c = (str(n + 1) for n in nodes[np.argsort(mesh.points[nodes, 0])])
    third = [fem.Equation("third", [(b, "y", 1.0), (a, "y", -0.6666667), (c, "y", -0.3333334)])]
    structure = fem.assemble(mesh, STEEL, parts=third)
    assert not structure.grounding.any()


def test_equations_and_connections_share_nodes():
    """A node that follows a rigid connection in an equation: as if the equation named the reference."""
    mesh = two_bars()
    first = fem.Rigid("link", "b_start", reference="end")
    turn = fem.Equation("turn", [("b_start", "rx", 1.0), ("start", "rx", -1.0)])
    same = fem.Equation("turn", [("end", "rx", 1.0), ("start", "rx", -1.0)])
    found = [fem.assemble(mesh, BEAM, parts=[first, equation]) for equation in (turn, same)]
    np.testing.assert_array_equal(found[0].K.toarray(), found[1].K.toarray())


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ((), "no terms"),
        ([("a", "u", 1.0)], "has the term"),
        ([("a", "x", float("nan"))], "has the term"),
        ([("a", "x", 0.0)], "all coefficients .* are zero"),
        ([(1, "x", 1.0)], "has the term"),
    ],
)
def test_wrong_terms(terms, words):
    with pytest.raises(fem.InputError, match=words):
        fem.Equation("e", terms)


def test_wrong_nodes():
    mesh = fem.box((1.0, 0.1, 0.1), (1, 1, 1), "hex8")
    for node, component, words in (
        ("x0", "x", "holds 4 nodes; a term has one"),
        ("99", "x", "has no node set '99'"),
        ("1", "rx", "names rx of '1', which has no rotations"),
    ):
        with pytest.raises(fem.InputError, match=words):
            fem.assemble(mesh, STEEL, parts=[fem.Equation("e", [(node, component, 1.0), ("2", "x", -1.0)])])


def hanging(mesh, coarse, fine, side):
    """Equations by which nodes in a plane x = const follow the bilinear face of squares that they lie on."""
    x = mesh.points
    corners = {tuple(np.round(x[node, 1:] / side).astype(int)): node for node in mesh.nodes_of(coarse)}
    last = max(max(key) for key in corners)
    found = []
    for node in mesh.nodes_of(fine):
        cell = np.minimum(np.floor(x[node, 1:] / side + 1e-9).astype(int), last - 1)
        s, t = x[node, 1:] / side - cell
        weights = {(0, 0): (1 - s) * (1 - t), (1, 0): s * (1 - t), (0, 1): (1 - s) * t, (1, 1): s * t}
        terms = [(corners[cell[0] + i, cell[1] + j], value) for (i, j), value in weights.items() if value]
        for component in ("x", "y", "z"):
            ids = mesh.node_ids
            rest = [(str(ids[leader]), component, -value) for leader, value in terms]
            found.append(fem.Equation(f"{ids[node]} {component}", [(str(ids[node]), component, 1.0), *rest]))
    return found


@pytest.mark.parametrize("refined", [2, 4])
def test_a_constant_stress_passes_hanging_nodes(refined):
    """Patch test: the functions of the coarse faces are among those of the finer mesh. 1e-12: rounding."""
    coarse, fine = (fem.box((0.5, 1.0, 1.0), (2, n, n), "hex8") for n in (2, 2 * refined))
    mesh = joined(coarse, fine, (0.5, 0, 0))
    for name, at in (("o", (0, 0, 0)), ("p", (0, 1, 0))):
        mesh = mesh.select(name, nearest=at)
    structure = fem.assemble(mesh, STEEL, parts=hanging(mesh, "x1", "b_x0", 0.5))
    held, stress = {"x0": "x", "o": ("y", "z"), "p": "z"}, 1e6
    found = fem.static(structure, held, fem.Traction("b_x1", (stress, 0, 0))).displacement
    strain = stress / STEEL.E * np.array([1.0, -STEEL.nu, -STEEL.nu])
    assert np.abs(found - structure.mesh.points * strain).max() < 1e-12 * strain[0]
