"""Structures of a few unknowns, and questions to them that have no answer."""

import numpy as np
import pytest
from support.frames import STEEL, line

import fem

EULER = fem.Beam(STEEL, fem.Circle(0.02), shear=False)
EI = STEEL.E * np.pi * 0.02**4 / 64
PUSH = fem.Force("end", (-1, 0, 0))


def column(n):
    """A column of length 1 m clamped at "start"."""
    return fem.assemble(line([(0, 0, 0), (1, 0, 0)], n), EULER)


def bar():
    """A truss element along x, of which only x at its end is free in the tests."""
    return fem.assemble(line([(0, 0, 0), (1, 0, 0)], 1), fem.Truss(STEEL, 1e-4))


def two_bars():
    """Two bars that carry the node "top" between them at 45 degrees; out of their plane all is held."""
    points = np.array([(0.0, 0, 0), (1, 0, 1), (2, 0, 0)])
    sets = {"feet": np.array([0, 2]), "top": np.array([1])}
    mesh = fem.Mesh(points, (fem.Block("line2", np.array([[0, 1], [1, 2]])),), sets)
    return fem.assemble(mesh, fem.Truss(STEEL, 1e-4))


class TestBuckling:
    @pytest.mark.parametrize(("n", "ratio"), [(1, 1.0075), (2, 1.00051), (3, 1.00010)])
    def test_columns_of_few_elements(self, n, ratio):
        """Of Euler's load pi^2 EI / (4 L^2): for n = 1 the smaller root below, 30 a 4 / pi^2.

        Cubic shapes err by (k h)^4 / 720 to leading order, k = pi / (2 L): 5.3e-4 and 1.04e-4 for n = 2 and 3.
        """
        for count in (1, 2):
            found = fem.buckling(column(n), "start", PUSH, n=count).factors * 4 / (np.pi**2 * EI)
            np.testing.assert_allclose(found, ratio, rtol=5e-5 if n == 1 else 5e-6)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_all_there_are_of_one_element(self, sign):
        """With a = P L^2 / (30 EI): |12 - 36 a, -6 + 3 a; -6 + 3 a, 4 - 4 a| = 0, i.e. 45 a^2 - 52 a + 4 = 0.

        (Przemieniecki 1968, table 15.1.) Twice each, in both planes.
        """
        a = np.roots([45, -52, 4])
        expected = sign * 30 * EI * np.repeat(np.sort(a), 2)
        load = fem.Force("end", (-sign, 0, 0))
        np.testing.assert_allclose(fem.buckling(column(1), "start", load, n=4).factors, expected, rtol=1e-9)
        with pytest.raises(fem.InputError, match="finite eigenvalues of buckling, not 6"):
            fem.buckling(column(1), "start", load, n=6)
        with pytest.raises(
            fem.InputError, match=r"can't compute 7 load factors.*there are 6 unknowns that are"
        ):
            fem.buckling(column(1), "start", load, n=7)
        if sign < 0:
            with pytest.raises(fem.InputError, match="positive eigenvalues of buckling, not 4"):
                fem.buckling(column(1), "start", load, n=4, positive=True)

    def test_two_bars(self):
        """Under P down, N = -P / sqrt(2) in both; K = EA / L and K_G = -2 (P / sqrt(2)) / (2 L) in x and in z.

        EA / L cos^2 twice is EA / L; K_G = N / L (1 - cos^2) twice is N / L: both factors EA sqrt(2) / P.
        """
        structure = two_bars()
        supports = {"feet": "all", "top": "y"}
        found = fem.buckling(structure, supports, fem.Force("top", (0, 0, -10.0)), n=2)
        np.testing.assert_allclose(found.factors, STEEL.E * 1e-4 * np.sqrt(2) / 10, rtol=1e-9)

    def test_the_largest_displacement_is_one(self):
        """Not the largest rotation: the end of a cantilever turns by pi / 2 per length."""
        result = fem.buckling(column(4), "start", PUSH, n=2)
        moved = result.displacements.reshape(-1, 2)
        np.testing.assert_allclose(moved.max(axis=0), 1.0, rtol=1e-12)
        assert np.abs(result.shapes).max() == pytest.approx(np.pi / 2, rel=1e-3)

    @pytest.mark.parametrize("n", [0, -1, 2.5, True, 10.0, "2"])
    def test_numbers(self, n):
        words = "ask for 1 to 12" if n in (0, -1) else "give a whole number"
        with pytest.raises(fem.InputError, match=words):
            fem.buckling(column(2), "start", PUSH, n=n)

    def test_no_supports_no_loads(self):
        with pytest.raises(fem.InputError, match="name the node sets that hold it in supports="):
            fem.buckling(column(2), (), PUSH)
        with pytest.raises(fem.InputError, match=r"there are no loads; give fem.Force"):
            fem.buckling(column(2), "start", ())
        with pytest.raises(fem.InputError, match="loads act on held unknowns only"):
            fem.buckling(column(2), "start", fem.Force("start", (1, 0, 0)))
        with pytest.raises(fem.InputError, match="there are 0 unknowns that are free"):
            fem.buckling(column(1), ("start", "end"), PUSH)

    def test_springs_to_the_ground_hold_too(self):
        """A spring of 1e9 N/m and N m/rad against 3 EI / L = 5e3: clamped within 1e-5."""
        mesh = line([(0, 0, 0), (1, 0, 0)], 3)
        structure = fem.assemble(mesh, EULER, parts=[fem.Spring("start", None, [1e9] * 6)])
        clamped = fem.buckling(column(3), "start", PUSH, n=2).factors
        found = fem.buckling(structure, (), PUSH, n=2)
        np.testing.assert_allclose(found.factors, clamped, rtol=1e-5)
        assert "on springs to the ground" in repr(found.static)

    def test_a_prescribed_shortening_buckles_too(self):
        """P = EA d / L reaches Euler's load, clamped at both ends: 4 pi^2 EI / L^2."""
        rest = dict.fromkeys(("y", "z", "rx", "ry", "rz"), 0.0)
        found = fem.buckling(column(8), {"start": "all", "end": {"x": -1e-3, **rest}}, ())
        area = np.pi * 0.01**2
        assert found.factors[0] * STEEL.E * area * 1e-3 == pytest.approx(4 * np.pi**2 * EI, rel=1e-3)


class TestVibration:
    def test_one_unknown(self):
        """omega^2 = (EA / L) / (rho A L / 3)."""
        held = {"start": "all", "end": ("y", "z")}
        expected = np.sqrt(3 * STEEL.E / STEEL.rho) / (2 * np.pi)
        assert fem.vibration(bar(), held, n=1).frequencies_hz == pytest.approx([expected], rel=1e-12)
        with pytest.raises(fem.InputError, match="can't compute 2 eigenmodes: there are 1 unknowns that are"):
            fem.vibration(bar(), held, n=2)

    def test_all_six_modes_of_one_beam(self):
        """Axial and torsion by hand: sqrt(3 E / rho) and sqrt(3 G / rho) / (2 pi L), one linear element."""
        found = fem.vibration(column(1), "start", n=6).frequencies_hz
        for modulus in (STEEL.E, STEEL.E / (2 * (1 + STEEL.nu))):
            expected = np.sqrt(3 * modulus / STEEL.rho) / (2 * np.pi)
            assert np.isclose(found, expected, rtol=1e-9).sum() == 1
        np.testing.assert_allclose(found[0:2], found[0], rtol=1e-9)

    @pytest.mark.parametrize("n", [0, -1, 2.5, True, 10.0])
    def test_numbers(self, n):
        words = "ask for 1 to 12" if n in (0, -1) else "give a whole number"
        with pytest.raises(fem.InputError, match=words):
            fem.vibration(column(2), "start", n=n)

    def test_the_largest_displacement_is_positive(self):
        modes = fem.vibration(column(3), "start", n=6)
        moved, turned = modes.displacements.reshape(-1, 6), modes.structure.rotations(modes.shapes)
        for k in range(6):
            mine = (
                moved[:, k]
                if np.abs(moved[:, k]).max() > 1e-6 * np.abs(turned[..., k]).max()
                else turned[..., k]
            )
            assert mine.max() == pytest.approx(np.abs(mine).max(), rel=1e-9)


class TestAllHeld:
    def test_static(self):
        """A clamped-clamped element under its weight: w L / 2 and w L^2 / 12 at both ends."""
        structure = column(1)
        w = structure.mass * 9.81
        solution = fem.static(structure, ("start", "end"), fem.Gravity())
        assert not solution.u.any()
        for name in ("start", "end"):
            force, moment = solution.reaction(name)
            assert force[2] == pytest.approx(w / 2, rel=1e-9)
            assert abs(moment[1]) == pytest.approx(w / 12, rel=1e-9)
        np.testing.assert_allclose(
            np.abs(solution.stress.section_forces("line2")[0, :, 4]), w / 12, rtol=1e-9
        )

    def test_prescribed(self):
        held = {"start": "all", "end": {"x": 1e-3, "y": 0, "z": 0, "rx": 0, "ry": 0, "rz": 0}}
        solution = fem.static(column(1), held)
        force, _ = solution.reaction("end")
        assert force[0] == pytest.approx(STEEL.E * np.pi * 0.01**2 * 1e-3, rel=1e-9)

    def test_vibration(self):
        with pytest.raises(fem.InputError, match="there are 0 unknowns that are free and carry mass"):
            fem.vibration(column(1), ("start", "end"), n=1)


class TestReactions:
    def test_supports_that_share_nodes(self):
        """Two sides of a block that meet in an edge, and one of them twice: the sum is minus the load."""
        mesh = fem.box((1, 1, 1), (2, 2, 2), "hex8")
        mesh = mesh.select("again", nearest=(0, 0, 0))
        structure = fem.assemble(mesh, STEEL)
        loads = (fem.Traction("x1", (10, -20, 30)), fem.Gravity())
        supports = {"x0": "all", "z0": ("y", "z"), "again": "all"}
        solution = fem.static(structure, supports, loads)
        total = sum(np.concatenate(solution.reaction(name, about=(0, 0, 0))) for name in supports)
        applied = structure.rigid_modes((0, 0, 0)).T @ fem.load_vector(structure, loads)
        np.testing.assert_allclose(total, -applied, atol=1e-9 * np.abs(applied).max())
        np.testing.assert_array_equal(solution.reaction("again")[0], 0)


class TestLoads:
    def test_what_is_not_finite_is_named(self):
        mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")

        class Wrong(fem.Traction):
            """A load of a user's own that goes wrong."""

            def on_motions(self, structure):
                return np.nan * super().on_motions(structure)

        loads = [fem.Gravity(), Wrong("x1", (1.0, 0.0, 0.0))]
        with pytest.raises(
            fem.InputError, match=r"load .*Wrong\(on='x1'.*gives 24 forces that are not finite"
        ):
            fem.static(fem.assemble(mesh, STEEL), "x0", loads)
        with pytest.raises(fem.InputError, match=r"x1.*(not|be) .*finite|finite"):
            fem.static(fem.assemble(mesh, STEEL), "x0", fem.Pressure("x1", float("nan")))


class TestWords:
    def test_of_solutions(self):
        structure = column(2)
        words = repr(fem.static(structure, "start", fem.Force("end", (0, 0, 3 * EI * 1e-3))))
        assert "fixed at 'start'" in words
        assert "largest displacement 0.001 m, of node 2 at (1, 0, 0) m" in words
        free = repr(fem.static(structure, loads=fem.Force("end", (structure.mass, 0, 0))))
        assert "inertia relief: accelerated by 1 m/s^2" in free
        modes = fem.vibration(structure, "start", n=2)
        assert f"{modes.frequencies_hz[0]:.4g}, " in repr(modes)
        assert "Hz" in repr(modes)
        buckling = fem.buckling(structure, "start", PUSH)
        assert f"{buckling.factors[0]:.4g} times the loads" in repr(buckling)
        for thing in (words, free, repr(modes), repr(buckling)):
            assert thing.count("\n") <= 1
