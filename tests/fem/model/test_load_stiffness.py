"""Loads that follow the motion: rigid rotations, pressures on deformed meshes, and a ring under pressure."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
from support.frames import STEEL, line

import fem
from fem.elements import ELEMENTS, FACES

LOADS = {
    "pressure": fem.Pressure("x1", 1e5),
    "traction": fem.Traction("x1", (1e4, 2e4, 3e4)),
    "gravity": fem.Gravity((1.0, 2.0, 3.0)),
    "force": fem.Force("x1", (1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
}


def warped(element, divisions=(2, 2, 1)):
    mesh = fem.box((1.0, 0.5, 0.3), divisions, element)
    return replace(mesh, points=mesh.points + 0.03 * np.sin(7 * mesh.points[:, [1, 2, 0]]))


def turns_with_the_body(structure, load):
    """K (w x x, w) = w x f, and no change in a translation, for the forces and moments f of the load."""
    freedoms, forces, w = structure.freedoms, load.on_motions(structure), np.array([0.3, -0.5, 0.8])
    K, turned = load.stiffness(structure), structure.freedoms.motions(structure.rigid_modes(np.zeros(3)))
    expected = np.zeros(freedoms.n_motions)
    for offset in (0, 3):
        nodes = freedoms.first[:-1][freedoms.count > offset]
        at = nodes[:, None] + offset + np.arange(3)
        expected[at] = np.cross(w, forces[at])
    scale = np.abs(expected).max()
    np.testing.assert_allclose(K @ (turned[:, 3:] @ w), expected, atol=1e-12 * scale)
    np.testing.assert_allclose(K @ turned[:, :3], 0.0, atol=1e-11 * scale)


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("element", ["hex20", "tet10", "wedge6"])
def test_loads_on_solids_turn_with_the_body(element, load):
    turns_with_the_body(fem.assemble(warped(element), STEEL), LOADS[load])


def test_a_pin_turns_with_its_bore():
    mesh = warped("hex8")
    turns_with_the_body(fem.assemble(mesh, STEEL), fem.Bearing("x1", (-5.0, 0.0, 0.0)))


@pytest.mark.parametrize(
    "load",
    [fem.LineLoad("line2", (1.0, 2.0, 3.0)), fem.Gravity((1.0, 2.0, 3.0)), fem.Force("end", (1.0, 2.0, 3.0))],
)
def test_loads_on_beams_turn_with_their_nodes(load):
    bar = line([(0, 0, 0), (1, 0.3, 0.2)], 3)
    turns_with_the_body(fem.assemble(bar, fem.Beam(STEEL, fem.Circle(0.02))), load)


@pytest.mark.parametrize(
    "load",
    [fem.Pressure("all", 3.0), fem.Traction("all", (1.0, 2.0, 3.0)), fem.EdgeLoad("edge", (4.0, 5.0, 6.0)),
     fem.Gravity((1.0, 2.0, 3.0))],
)  # fmt: skip
def test_loads_on_shells_turn_with_them(load):
    points = np.array([[0, 0, 0.0], [1, 0, 0.1], [2.1, 0, 0], [0, 1, 0.05], [1, 1.1, 0.2], [2, 1, 0]])
    mesh = fem.Mesh(
        points, (fem.Block("quad4", [[0, 1, 4, 3], [1, 2, 5, 4]]),), {"all": range(6), "edge": [2, 5]}
    )
    turns_with_the_body(fem.assemble(mesh, fem.Shell(STEEL, 0.01)), load)


@pytest.mark.parametrize("element", ["hex8", "hex20", "tet10"])
def test_a_pressure_acts_on_the_deformed_faces(element):
    """Central differences of the load on the deformed mesh; on a closed surface p V is a potential, K symmetric."""
    mesh = warped(element, (2, 1, 1))
    sides = [fem.Pressure(side, 2e5) for side in ("x0", "x1", "y0", "y1", "z0", "z1")]
    structure = fem.assemble(mesh, STEEL)
    u = np.random.default_rng(0).normal(size=mesh.points.shape)

    def load(step):
        there = fem.assemble(replace(mesh, points=mesh.points + step * u), STEEL)
        return np.array([side.on_motions(there) for side in sides])

    change = (load(1e-5) - load(-1e-5)) / 2e-5
    found = [side.stiffness(structure) for side in sides]
    # the load is of second order in u: central differences are exact but for round-off
    np.testing.assert_allclose([K @ u.ravel() for K in found], change, atol=1e-9 * np.abs(change).max())
    whole = sum(found).toarray()
    np.testing.assert_allclose(whole, whole.T, atol=1e-12 * np.abs(whole).max())
    assert np.abs(found[0].toarray() - found[0].toarray().T).max() > 0.1 * np.abs(whole).max()


@pytest.mark.parametrize("element", ["hex8", "tet10", "wedge6"])
def test_tractions_and_weights_turn_with_the_deformed_mesh(element):
    """Central differences of forces turned by the polar decomposition (SciPy) of faces and solids at each point."""
    mesh, given = warped(element, (2, 1, 1)), np.array([1e4, 2e4, -3e4])
    structure = fem.assemble(mesh, STEEL)
    u = np.random.default_rng(1).normal(size=mesh.points.shape)
    faces = [(FACES[block.element], block.nodes) for block in mesh.faces_of("x1")]
    solids = [(ELEMENTS[group.kind], group.nodes) for group in structure.groups]
    for load, parts, density in (
        (fem.Traction("x1", given), faces, 1.0),
        (fem.Gravity(given), solids, STEEL.rho),
    ):
        there, here = (
            turned(mesh.points, mesh.points + step * u, parts, density * given) for step in (1e-5, -1e-5)
        )
        change = (there - here) / 2e-5
        found = (load.stiffness(structure) @ u.ravel()).reshape(-1, 3)
        np.testing.assert_allclose(
            found, change, atol=1e-6 * np.abs(change).max()
        )  # differences of third order


def turned(points, moved, parts, density):
    """Forces (nodes, 3) of a density per undeformed area or volume, turned at each point of quadrature."""
    forces = np.zeros_like(points)
    for element, table in parts:
        N, dN = element.N(element.quadrature.points), element.dN(element.quadrature.points)
        for nodes in table:
            for k, weight in enumerate(element.quadrature.weights):
                before, after = (with_normal(x[nodes].T @ dN[k]) for x in (points, moved))
                R = scipy.linalg.polar(after @ np.linalg.inv(before))[0]
                forces[nodes] += weight * np.linalg.det(before) * np.outer(N[k], R @ density)
    return forces


def with_normal(tangents):
    """The tangents (3, 3) of a solid; those of a face (3, 2) with its unit normal."""
    if tangents.shape[1] == 3:
        return tangents
    normal = np.cross(*tangents.T)
    return np.column_stack([tangents, normal / np.linalg.norm(normal)])


def test_a_ring_buckles_under_pressure():
    """3 EI / R^3 per length where the pressure follows, 4 where it keeps its direction: a quarter, symmetric.

    Singer and Babcock, J. Appl. Mech. 37 (1970) 215. 2 %: t / R is 1/20, the mesh and shapes of vibration.
    """
    R, t, width, p, E = 1.0, 0.05, 0.05, 1e3, 210e9
    mesh = fem.box((np.pi / 2, t, width), (16, 1, 1), "hex20")
    angle, radius = mesh.points[:, 0], R + t / 2 - mesh.points[:, 1]
    bent = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), mesh.points[:, 2]])
    mesh = replace(mesh, points=bent, node_sets={**mesh.node_sets, "all": np.arange(len(bent))})
    ring = fem.assemble(mesh, fem.Isotropic(E=E, nu=0.0, rho=7850.0))
    supports = {"all": "z", "x0": "y", "x1": "x"}
    loads = [fem.Pressure("y0", p / 2), fem.Pressure("y1", -p / 2)]  # together as on the middle line
    squeezed = fem.static(ring, supports, loads).u
    shapes = fem.vibration(ring, supports, n=2).shapes
    K, K_G, K_L = (
        shapes.T @ (matrix @ shapes)
        for matrix in (
            ring.K,
            fem.geometric_stiffness(ring, squeezed),
            sum(load.stiffness(ring) for load in loads),
        )
    )
    unit = E * width * t**3 / 12 / R**3 / (p * width)
    for own, exact in ((K_L, 3.0), (0.0 * K_L, 4.0)):
        factors = np.linalg.eigvals(np.linalg.solve(K_G - own, -K)).real
        assert factors[factors > 0].min() / unit == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (fem.Centrifugal((0.0, 0.0, 3.0)), "Centrifugal does not follow"),
        (fem.LineLoad("line2", (0.0, 1.0, 0.0)), "the line load on 'line2' acts on node 1, which has no rotation"),
    ],
)  # fmt: skip
def test_what_cannot_follow(load, message):
    truss = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 2), fem.Truss(STEEL, 1e-4))
    with pytest.raises(fem.InputError, match=message):
        load.stiffness(truss)
