"""Loads: resultants by hand, and fields that they must give exactly."""

from dataclasses import replace

import numpy as np
import pytest
from support.every import straight
from support.fem_meshes import irregular
from support.frames import STEEL, line, solved

import fem

BEAM = fem.Beam(STEEL, fem.Circle(0.02))
SOLIDS = ("tet4", "tet10", "hex8", "hex20", "hex27", "wedge6", "wedge15", "pyramid5")


def resultant(structure, load, about=(0, 0, 0)):
    """Force and moment of a load about a point, through the rigid modes."""
    return structure.rigid_modes(about).T @ fem.load_vector(structure, load)


def wrench(force, moment):
    return np.concatenate([force, moment])


@pytest.fixture(params=["solid", "beam", "shell", "mixed"])
def structure(request):
    if request.param == "solid":
        return fem.assemble(irregular("hex8", (3, 2, 2), (0.3, 0.2, 0.1)), STEEL)
    if request.param == "beam":
        return fem.assemble(line([(0, 0, 0), (1, 0.2, 0), (1, 1, 0.5)], 3), BEAM)
    if request.param == "shell":
        x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 0.6, 3), indexing="ij")
        points = np.stack([x.ravel(), y.ravel(), 0.1 * (x * y).ravel()], axis=1)
        corner = (3 * np.arange(3)[:, None] + np.arange(2)).ravel()
        quads = corner[:, None] + np.array([0, 3, 4, 1])
        sets = {"all": np.arange(12), "x0": np.arange(3)}
        return fem.assemble(fem.Mesh(points, (fem.Block("quad4", quads),), sets), fem.Shell(STEEL, 0.01))
    mesh = fem.box((0.3, 0.2, 0.1), (2, 1, 1), "hex20")
    parts = [fem.Rigid("hub", "x0", at=(-0.1, 0, 0)), fem.PointMass("hub", 3.0, (0.1, 0.1, 0.1))]
    return fem.assemble(mesh, STEEL, parts=[*parts, fem.Averaged("eye", "x1"), fem.PointMass("eye", 1.0)])


class TestOnTheMass:
    def test_gravity(self, structure):
        g = np.array([1.0, 2.0, -9.0])
        expected = structure.mass * wrench(g, np.cross(structure.center, g))
        np.testing.assert_allclose(
            resultant(structure, fem.Gravity(g)), expected, atol=1e-11 * structure.mass
        )

    def test_centrifugal(self, structure):
        """Force -m omega x (omega x r); moment about the axis' point omega x (J omega), reversed."""
        omega, about = np.array([3.0, -1.0, 2.0]), np.array([0.1, 0.2, -0.3])
        r = structure.center - about
        m = structure.mass
        J = structure.inertia + m * (r @ r * np.eye(3) - np.outer(r, r))
        expected = -wrench(m * np.cross(omega, np.cross(omega, r)), np.cross(omega, J @ omega))
        found = resultant(structure, fem.Centrifugal(omega, about=about), about)
        np.testing.assert_allclose(found, expected, atol=1e-11 * m)


class TestOnFaces:
    @pytest.mark.parametrize("element", SOLIDS)
    def test_pressure_all_around_is_in_equilibrium(self, element):
        mesh = irregular(element, (2, 2, 2), (0.4, 0.3, 0.2)) if element[0] in "ht" else None
        mesh = mesh or fem.box((0.4, 0.3, 0.2), (2, 2, 2), element)
        mesh = mesh.select("skin", box=((-1, -1, -1), (1, 1, 1)))
        found = resultant(fem.assemble(mesh, STEEL), fem.Pressure("skin", 5.0))
        np.testing.assert_allclose(found, 0, atol=1e-14)

    @pytest.mark.parametrize("element", SOLIDS)
    def test_traction_on_the_end_stretches_a_bar_exactly(self, element):
        """u = p x / E under the traction p on one end, on rollers: linear, hence exact on any mesh."""
        mesh = fem.box((0.4, 0.3, 0.2), (2, 2, 2), element)
        structure = fem.assemble(mesh, STEEL)
        rollers = {"x0": "x", "y0": "y", "z0": "z"}
        p = 1e8
        for load in (fem.Traction("x1", (p, 0, 0)), fem.Pressure("x1", -p)):
            u = solved(structure, rollers, load)
            expected = mesh.points * np.array([1, -STEEL.nu, -STEEL.nu]) * p / STEEL.E
            np.testing.assert_allclose(structure.displacements(u), expected, atol=1e-10 * p / STEEL.E)

    def test_pressure_on_a_quadratic_faces_middle_nodes(self):
        """A third of the force of a tet10's face goes to each middle node, none to the corners (int N_i dA)."""
        mesh = fem.box((1, 1, 1), (1, 1, 1), "tet10")
        structure = fem.assemble(mesh, STEEL)
        f = fem.load_vector(structure, fem.Pressure("z1", 6.0)).reshape(-1, 3)
        corners = np.unique(mesh.blocks[0].nodes[:, :4])
        np.testing.assert_allclose(f[corners], 0, atol=1e-14)
        assert f[:, 2].sum() == pytest.approx(-6.0)

    def test_pressure_on_a_shell_pushes_against_its_normal(self):
        points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0.0]])
        mesh = fem.Mesh(points, (fem.Block("quad4", [[0, 1, 2, 3]]),), {"all": np.arange(4)})
        structure = fem.assemble(mesh, fem.Shell(STEEL, 0.01))
        found = resultant(structure, fem.Pressure("all", 8.0), (0.5, 0.5, 0))
        np.testing.assert_allclose(found, wrench((0, 0, -8.0), (0, 0, 0)), atol=1e-13)

    def test_a_set_without_faces(self):
        structure = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 1), BEAM)
        with pytest.raises(fem.InputError, match=r"'start' .* contains no whole face"):
            fem.load_vector(structure, fem.Pressure("start", 1.0))


class TestOnFramesAndLines:
    def test_force_and_moment_on_a_set(self):
        structure = fem.assemble(fem.box((0.4, 0.3, 0.2), (2, 2, 2), "tet10"), STEEL)
        F, M = np.array([1.0, -2.0, 3.0]), np.array([0.1, 0.3, -0.2])
        point = np.array([0.4, 0.15, 0.1])
        found = resultant(structure, fem.Force("x1", F, M))
        np.testing.assert_allclose(found, wrench(F, M + np.cross(point, F)), atol=1e-13)

    def test_a_moment_needs_a_rotation(self):
        mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8").select("corner", nearest=(0, 0, 0))
        with pytest.raises(fem.InputError, match="a moment needs the rotation"):
            fem.load_vector(fem.assemble(mesh, STEEL), fem.Force("corner", moment=(1, 0, 0)))

    def test_line_load_bends_a_clamped_beam_exactly(self):
        """Clamped at both ends under q: nodal forces q l / 2, moments q l^2 / 12; in the middle q L^4 / (384 EI)."""
        L, q = 2.0, 100.0
        structure = fem.assemble(
            line([(0, 0, 0), (L, 0, 0)], 2), fem.Beam(STEEL, fem.Circle(0.02), shear=False)
        )
        f = fem.load_vector(structure, fem.LineLoad("line2", (0, 0, -q)))
        np.testing.assert_allclose(f[:6], [0, 0, -q / 2, 0, q / 12, 0], atol=1e-12)
        u = solved(structure, ("start", "end"), fem.LineLoad("line2", (0, 0, -q)))
        EI = STEEL.E * np.pi * 0.02**4 / 64
        assert structure.displacements(u)[1, 2] == pytest.approx(-q * L**4 / (384 * EI), rel=1e-12)

    def test_line_load_on_trusses_and_its_resultant(self):
        mesh = line([(0, 0, 0), (1, 0.2, 0), (1, 1, 0.5)], 3)
        for its in (BEAM, fem.Truss(STEEL, 1e-4), fem.Beam(STEEL, fem.Circle(0.02), offset=(0.1, 0.0))):
            structure = fem.assemble(mesh, its)
            length = structure.mass / (STEEL.rho * (1e-4 if isinstance(its, fem.Truss) else np.pi * 1e-4))
            found = resultant(structure, fem.LineLoad("line2", (1, 2, 3)), structure.center)
            np.testing.assert_allclose(found, length * wrench((1, 2, 3), (0, 0, 0)), atol=1e-12)

    @pytest.mark.parametrize("kind", ["tri3", "quad4"])
    def test_edge_load_stretches_a_sheet_exactly(self, kind):
        """u = x p / E in uniform tension; every side counts once, inner ones too where a set holds them."""
        mesh = straight(kind, 3)
        corner = {"corner": np.flatnonzero((mesh.points == 0).all(axis=1))}
        structure = fem.assemble(
            replace(mesh, node_sets={**mesh.node_sets, **corner}), fem.Shell(STEEL, 0.01)
        )
        supports = {"x0": ("x", "rz"), "corner": "y", "all": ("z", "rx", "ry")}
        u = solved(structure, supports, fem.EdgeLoad("x1", (1e6, 0, 0)))
        expected = mesh.points[:, 0] * 1e6 / (0.01 * STEEL.E)
        np.testing.assert_allclose(structure.displacements(u)[:, 0], expected, atol=1e-9 * expected.max())
        np.testing.assert_allclose(fem.stress(structure, u).von_mises, 1e8, rtol=1e-7)
        sides = resultant(structure, fem.EdgeLoad("all", (0, 0, 1.0)))[2]
        diagonals = 3 * np.hypot(1 / 3, 0.1) if kind == "tri3" else 0.0
        assert sides == pytest.approx(2 * 1.0 + 4 * 0.1 + diagonals, rel=1e-12)

    def test_a_force_on_an_uneven_edge_is_spread_by_length(self):
        """Nodes at 0, 0.1 and 1: a uniform line load gives them 0.05, 0.5 and 0.45 of it."""
        points = np.array([[0, 0, 0], [0, 0.1, 0], [0, 1, 0], [1, 0, 0], [1, 0.1, 0], [1, 1, 0.0]])
        mesh = fem.Mesh(points, (fem.Block("quad4", [[0, 3, 4, 1], [1, 4, 5, 2]]),), {"edge": np.arange(3)})
        structure = fem.assemble(mesh, fem.Shell(STEEL, 0.01))
        f = fem.load_vector(structure, fem.Force("edge", (0, 0, 1.0))).reshape(6, 6)
        np.testing.assert_allclose(f[:3, 2], [0.05, 0.5, 0.45], atol=1e-12)

    def test_an_edge_load_needs_a_shell(self):
        structure = fem.assemble(fem.box((1, 1, 1), (1, 1, 1), "hex8"), STEEL)
        with pytest.raises(fem.InputError, match="no side of a shell"):
            fem.load_vector(structure, fem.EdgeLoad("x1", (1, 0, 0)))

    def test_a_line_load_on_solids(self):
        structure = fem.assemble(fem.box((1, 1, 1), (1, 1, 1), "hex8"), STEEL)
        with pytest.raises(fem.InputError, match="beams and trusses"):
            fem.load_vector(structure, fem.LineLoad("hex8", (1, 0, 0)))
        with pytest.raises(fem.InputError, match="no element set 'rods'"):
            fem.load_vector(structure, fem.LineLoad("rods", (1, 0, 0)))

    def test_what_is_no_load(self):
        structure = fem.assemble(fem.box((1, 1, 1), (1, 1, 1), "hex8"), STEEL)
        with pytest.raises(fem.InputError, match=r"loads are fem.Force"):
            fem.load_vector(structure, [(0, 0, 1)])
        with pytest.raises(fem.InputError, match="three finite numbers"):
            fem.load_vector(structure, fem.Force("x1", (0, 1)))
