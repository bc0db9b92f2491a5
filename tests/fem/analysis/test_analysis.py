"""Statics, vibration and buckling of whole structures."""

import numpy as np
import pytest
from support.frames import STEEL, joined, line

import fem

EULER = fem.Beam(STEEL, fem.Circle(0.02), shear=False)
EI = STEEL.E * np.pi * 0.02**4 / 64


def chain(n=4, length=1.0, its=EULER):
    return fem.assemble(line([(0, 0, 0), (length, 0, 0)], n), its)


class TestStatic:
    def test_reactions_balance_the_loads(self):
        """A portal frame on three supports under all kinds of load: forces and moments add up to nothing."""
        corners = [(0, 0, 0), (0, 0, 1), (1, 0.3, 1), (1, 0.3, 0)]
        mesh = line(corners, 3, {"corner": np.array([3])})
        across = fem.Beam(STEEL, fem.Circle(0.02), up=(0, 1, 0))
        structure = fem.assemble(mesh, across, parts=[fem.PointMass("corner", 5.0)])
        loads = [
            fem.Gravity(),
            fem.Force("corner", (10, 20, 30), (1, 2, 3)),
            fem.LineLoad("line2", (5, 0, 0)),
        ]
        solution = fem.static(structure, {"start": "all", "end": ("x", "y", "z")}, loads)
        applied = structure.rigid_modes((0, 0, 0)).T @ fem.load_vector(structure, loads)
        held = sum(np.concatenate(solution.reaction(name, about=(0, 0, 0))) for name in ("start", "end"))
        np.testing.assert_allclose(held, -applied, rtol=1e-9, atol=1e-9 * np.abs(applied).max())

    def test_a_moved_support(self):
        """One end of a clamped beam pushed aside by d: 12 EI d / L^3 and 6 EI d / L^2 at the other."""
        structure = chain(3, 2.0)
        d = 1e-3
        held = {"start": "all", "end": {"x": 0, "y": 0, "z": d, "rx": 0, "ry": 0, "rz": 0}}
        solution = fem.static(structure, held)
        force, moment = solution.reaction("start", about=(0, 0, 0))
        assert force[2] == pytest.approx(-12 * EI * d / 8, rel=1e-9)
        assert abs(moment[1]) == pytest.approx(6 * EI * d / 4, rel=1e-9)
        assert solution.at("end")[2] == pytest.approx(d)
        assert solution.strain_energy == pytest.approx(0.5 * 12 * EI * d**2 / 8, rel=1e-9)

    def test_inertia_relief_of_a_pushed_bar(self):
        """A free bar pushed at one end: N falls linearly, so the bar is shorter by F L / (2 EA).

        nu = 0, and hex20 hold the quadratic displacement exactly. Its mass centre stays.
        """
        material = fem.Isotropic(E=1e9, nu=0.0, rho=1000.0)
        structure = fem.assemble(fem.box((2.0, 0.1, 0.1), (4, 1, 1), "hex20"), material)
        solution = fem.static(structure, loads=fem.Traction("x0", (1e5, 0, 0)))
        stretch = solution.at("x1")[0] - solution.at("x0")[0]
        assert stretch == pytest.approx(-1e5 * 2.0 / (2 * 1e9), rel=1e-9)
        mean = structure.rigid_modes().T @ structure.inertia_forces(solution.u)
        np.testing.assert_allclose(mean, 0, atol=1e-12)
        # halfway along half of the mass is pushed: half of the stress
        middle = np.isclose(structure.mesh.points[:, 0], 1.0)
        np.testing.assert_allclose(solution.stress.solid[middle, 0], -5e4, rtol=1e-8)

    @pytest.mark.parametrize("solver", [fem.SuperLU(), None])
    def test_the_solver_is_told(self, solver):
        solution = fem.static(chain(), "start", fem.Force("end", (0, 0, 1)), solver=solver)
        assert solution.solver == (solver or fem.installed_solvers()[0]).name
        assert solution.displacement[-1, 2] == pytest.approx(1 / (3 * EI), rel=1e-9)

    @pytest.mark.parametrize(
        ("supports", "words"),
        [
            ("nowhere", "no node set 'nowhere'"),
            ({"start": ("x", "y", "z")}, "leave the structure a rigid motion"),
            ({"start": "u1"}, "'u1'; allowed are x, y, z, rx, ry, rz"),
            ({"start": {"x": np.nan}}, "not finite"),
            (
                {"start": {"x": 0.0}, "first": {"x": 1.0}},
                r"contradict each other: x of node 1 at \(0, 0, 0\) m",
            ),
        ],
    )
    def test_bad_supports(self, supports, words):
        mesh = line([(0, 0, 0), (1, 0, 0)], 2, {"first": np.array([0])})
        with pytest.raises(fem.FlexbodyError, match=words):
            fem.static(fem.assemble(mesh, EULER), supports)

    def test_rotations_of_solids_and_followers_can_not_be_held(self):
        mesh = fem.box((1, 1, 1), (1, 1, 1), "hex8")
        with pytest.raises(fem.InputError, match="no rotations"):
            fem.static(fem.assemble(mesh, STEEL), {"x0": ("x", "rx")})
        tied = fem.assemble(mesh, STEEL, parts=[fem.Rigid("hub", "x0")])
        with pytest.raises(fem.InputError, match="hold the connection's reference node"):
            fem.static(tied, "x0")
        assert fem.static(tied, "hub", fem.Force("x1", (1, 0, 0))).displacement[:, 0].max() > 0


class TestVibration:
    def test_a_mass_on_a_beam(self):
        """A light cantilever with a mass m at its end: omega^2 = 3 EI / (m L^3), with 33/140 of its own mass added.

        Rayleigh's quotient of the static shape (Blevins 1979, table 8-8); 1e-3 for a beam of 2.4 % of the mass.
        """
        structure = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 4), EULER, parts=[fem.PointMass("end", 100.0)])
        beam = structure.mass - 100.0
        expected = np.sqrt(3 * EI / (100.0 + 33 / 140 * beam)) / (2 * np.pi)
        found = fem.vibration(structure, "start", n=2).frequencies_hz
        np.testing.assert_allclose(found, expected, rtol=1e-3)

    def test_free_beam_with_its_multiple_frequencies(self):
        """beta L = 4.7300407449, 7.8532046241 (exact), each twice.

        Rotary inertia lowers them by about (beta r)^2 = 5.6e-4 and 1.5e-3, r = 5 mm.
        """
        modes = fem.vibration(chain(16, 1.0), n=4)
        mass_per_length = STEEL.rho * np.pi * 0.01**2
        beta = np.array([4.7300407449, 4.7300407449, 7.8532046241, 7.8532046241])
        expected = beta**2 * np.sqrt(EI / mass_per_length) / (2 * np.pi)
        np.testing.assert_allclose(modes.frequencies_hz, expected, rtol=2e-3)
        R = modes.structure.rigid_modes()
        overlap = R.T @ modes.structure.inertia_forces(modes.shapes)
        assert np.abs(overlap).max() < 1e-8 * np.sqrt(modes.structure.mass)

    def test_solid_and_beam_in_one(self):
        """A cantilever, half of hex20 and half of beams, against beams alone: first bending within 1 %.

        The clamped solid section can't contract: it is stiffer by up to 1/(1 - nu^2) over about one depth of 20.
        """
        a = 0.1
        section = fem.Beam(STEEL, fem.Rectangle(a, a))
        solid = fem.box((1.0, a, a), (10, 1, 1), "hex20", origin=(0, -a / 2, -a / 2))
        mesh = joined(solid, line([(1.0, 0, 0), (2.0, 0, 0)], 5))
        parts = [fem.Averaged("eye", "x1", reference="b_start")]
        mixed = fem.assemble(mesh, {"hex20": STEEL, "line2": section}, parts=parts)
        alone = fem.assemble(line([(0, 0, 0), (2.0, 0, 0)], 10), section)
        found = fem.vibration(mixed, "x0", n=2).frequencies_hz
        np.testing.assert_allclose(found, fem.vibration(alone, "start", n=2).frequencies_hz, rtol=0.01)

    def test_numbers_of_modes(self):
        with pytest.raises(fem.InputError, match="can't compute 100 eigenmodes"):
            fem.vibration(chain(), "start", n=100)
        with pytest.raises(fem.InputError, match="prescribed displacements"):
            fem.vibration(chain(), {"start": "all", "end": {"z": 1.0}}, n=1)


class TestBuckling:
    def test_column_of_solids(self):
        """P = pi^2 EI / (4 L^2) (exact for a slender column); L/a = 20: shear lowers it by P/(k GA) = 0.1 %, and the
        clamped section, which can't contract, raises it by less than 1 %."""
        a, L = 0.05, 1.0
        structure = fem.assemble(fem.box((L, a, a), (20, 1, 1), "hex20"), STEEL)
        result = fem.buckling(structure, "x0", fem.Traction("x1", (-1 / a**2, 0, 0)), n=2)
        euler = np.pi**2 * STEEL.E * a**4 / 12 / (4 * L**2)
        np.testing.assert_allclose(result.factors, euler, rtol=0.01)

    def test_the_load_reversed(self):
        """A load that pulls: the factor is the negative one of a load that pushes; positive ones there are none of."""
        structure = chain(6)
        push = fem.buckling(structure, "start", fem.Force("end", (-1, 0, 0)), n=2).factors
        pull = fem.buckling(structure, "start", fem.Force("end", (1, 0, 0)), n=2).factors
        np.testing.assert_allclose(pull, -push, rtol=1e-9)
        with pytest.raises(fem.InputError, match="only 0 positive eigenvalues of buckling, not 2"):
            fem.buckling(structure, "start", fem.Force("end", (1, 0, 0)), n=2, positive=True)

    def test_a_rigid_head_on_a_column(self):
        """A dead load at the top of a rigid head of height h on a clamped column of length l.

        Shape w = A (sin kx - kx) + B (1 - cos kx) with no moment at the head's top: P acts at h above the end, so
        EI w''(l) = -P h w'(l) and EI w''' + P w' = 0 there: tan(kl) = 1 / (k h).
        """
        from scipy.optimize import brentq

        length, h = 1.0, 0.4
        mesh = joined(line([(0, 0, 0), (0, 0, length)], 8), fem.box((0.1, 0.1, h), (1, 1, 1), "hex8"))
        mesh = fem.Mesh(
            np.vstack([mesh.points[:9], mesh.points[9:] + (-0.05, -0.05, length)]),
            mesh.blocks,
            {**mesh.node_sets, "head": np.arange(9, mesh.n_nodes)},
        )
        beam = fem.Beam(STEEL, fem.Circle(0.02), shear=False, up=(0, 1, 0))
        properties = {"line2": beam, "hex8": STEEL}
        structure = fem.assemble(mesh, properties, parts=[fem.Rigid("tie", "head", reference="end")])
        result = fem.buckling(structure, "start", fem.Force("b_z1", (0, 0, -1.0)), n=2)
        k = brentq(lambda k: np.tan(k * length) * k * h - 1, 1e-3, np.pi / 2 / length - 1e-9)
        np.testing.assert_allclose(
            result.factors, k**2 * EI, rtol=1e-4
        )  # 8 cubic elements: (k l / 8)^4 / 720


class TestSectionForces:
    def test_weight_between_the_ends_counts(self):
        """A cantilever under its own weight w: My = w L^2 / 2 and Vz = w L at the root, zero at the end."""
        structure = chain(3)
        w = structure.mass * 9.81
        for loads in (fem.Gravity(), fem.LineLoad("line2", (0, 0, -w))):
            forces = fem.static(structure, "start", loads).stress.section_forces("line2")
            np.testing.assert_allclose(np.abs(forces[0, 0, [2, 4]]), [w, w / 2], rtol=1e-9)
            np.testing.assert_allclose(forces[-1, 1], 0, atol=1e-8 * w)

    def test_a_spinning_rod(self):
        """N = rho A Omega^2 (L^2 - r^2) / 2 at the radius r."""
        structure = chain(4)
        forces = fem.static(structure, "start", fem.Centrifugal((0, 0, 30.0))).stress.section_forces("line2")
        r = np.array([[k / 4, (k + 1) / 4] for k in range(4)])
        expected = structure.mass * 900 * (1 - r**2) / 2
        np.testing.assert_allclose(forces[:, :, 0], expected, rtol=1e-9, atol=1e-9 * expected.max())

    def test_a_free_rod_that_is_pushed(self):
        """Inertia relief: pushed sideways at one end, a free rod turns about the point at 2/3: V is zero at the ends
        but the pushed one, and M too; M = F x (1 - x/L)^2 between (a linear field of acceleration)."""
        structure = chain(4)
        forces = fem.static(structure, loads=fem.Force("start", (0, 0, 10.0))).stress.section_forces("line2")
        x = np.array([[k / 4, (k + 1) / 4] for k in range(4)])
        np.testing.assert_allclose(np.abs(forces[:, :, 4]), 10 * x * (1 - x) ** 2, atol=1e-3)


def test_a_slender_solid():
    """K of a thin strip is conditioned like 1e10, so that K x is known to 1e-6 of the forces only; against dense
    matrices, whose eigenvalues suffer the same way: 1e-5."""
    import scipy.linalg

    structure = fem.assemble(fem.box((1.0, 0.006, 0.05), (10, 1, 2), "hex20"), STEEL)
    result = fem.buckling(structure, "x0", fem.Force("x1", (0, 0, 1.0)), n=2)
    held = result.static.held
    pick = np.ix_(held.free, held.free)
    K, M = structure.K.toarray()[pick], structure.M.toarray()[pick]
    K_G = fem.geometric_stiffness(structure, result.static.u).toarray()[pick]
    inverse = scipy.linalg.eigvalsh(-K_G, K)
    np.testing.assert_allclose(np.sort(result.factors), [1 / inverse[0], 1 / inverse[-1]], rtol=1e-5)
    squares = scipy.linalg.eigvalsh(K, M, subset_by_index=(0, 3))
    found = fem.vibration(structure, "x0", n=4).frequencies_hz
    np.testing.assert_allclose(found, np.sqrt(squares) / (2 * np.pi), rtol=1e-5)
