"""Base functions freely combined, against beam theory and dense linear algebra."""

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import brentq
from support.bars import STEEL, bar
from support.rods import AREA, EI, IN_PLANE, LENGTH, MASS, PINNED, rod

import fem
import modal
from modal.bases.selection import dependent_columns

ENDS = ("x0", "x1")
E, RHO = 0.2e12, 7.87e3


def at(structure, name, basis):
    """Motions (6, N) of a node set."""
    return fem.interface(structure, name).T @ basis.Phi


def relieved(structure, loads):
    """Inertia relief by one dense solve: K u + M R a = f, R' M u = 0."""
    R = structure.rigid_modes()
    MR = structure.inertia_forces(R)
    K = structure.K.toarray()
    scale = np.abs(K).max()
    matrix = np.block([[K / scale, MR], [MR.T, np.zeros((6, 6))]])
    return np.linalg.solve(matrix, np.vstack([loads / scale, np.zeros((6, loads.shape[1]))]))[: len(K)]


class TestUnitLoads:
    def test_end_of_a_cantilever(self):
        """l^3/3EI and l^2/2EI under a unit force, l^2/2EI and l/EI under a unit moment; beams are exact there."""
        structure = rod()
        basis = modal.attachment_modes(structure, {"end": ("y", "rz")}, supports="start")
        found = at(structure, "end", basis)[[1, 5]]
        expected = np.array([[LENGTH**3 / 3, LENGTH**2 / 2], [LENGTH**2 / 2, LENGTH]]) / EI
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        assert basis.labels == ("end force along y", "end moment about z")
        assert [i.name for i in basis.interfaces] == ["end"]

    def test_free_body_by_inertia_relief(self, any_bar):
        basis = modal.attachment_modes(any_bar, ENDS)
        T = np.vstack([fem.interface(any_bar, name).T.toarray() for name in ENDS])
        expected = relieved(any_bar, T.T)
        size = np.abs(expected).max(axis=0)
        np.testing.assert_allclose(basis.Phi / size, expected / size, atol=1e-6)

    def test_a_single_node_of_a_solid_carries_forces(self):
        structure = fem.assemble(bar().mesh.select("corner", nearest=(0, 0, 0)), STEEL)
        basis = modal.attachment_modes(structure, "corner")
        assert basis.N == 3
        body = modal.reduce(structure, basis)
        assert not body.markers["corner"].has_rotation
        with pytest.raises(fem.InputError, match="'corner' can't carry a rotation or a moment"):
            modal.attachment_modes(structure, {"corner": "rx"})


class TestLoads:
    def test_distributed(self):
        """q l^4 / 8 EI of a cantilever, by a line load and by weight; the end under rotation, rho Om^2 l^3 / 3E."""
        structure = rod()
        weight = MASS / LENGTH * 9.81
        loads = {
            "line": fem.LineLoad("line2", (0, weight, 0)),
            "weight": fem.Gravity((0, 9.81, 0)),
            "rotation": fem.Centrifugal((0, 0, 10.0)),
        }
        basis = modal.static_modes(structure, loads, supports="start")
        assert basis.labels == ("line", "weight", "rotation")
        y = at(structure, "end", basis)
        np.testing.assert_allclose(y[1, :2], weight * LENGTH**4 / (8 * EI), rtol=1e-9)
        # (the nodal values of a consistently loaded bar are exact)
        assert y[0, 2] == pytest.approx(RHO * 100 * LENGTH**3 / (3 * E), rel=1e-9)

    def test_loads_that_act_together(self, hex_bar):
        pull = fem.Traction("x1", (1e6, 0, 0)), fem.Traction("x0", (-1e6, 0, 0))
        basis = modal.static_modes(hex_bar, [pull, fem.Pressure("x1", 1e6)])
        assert basis.N == 2
        stretch = at(hex_bar, "x1", basis)[0, 0] - at(hex_bar, "x0", basis)[0, 0]
        assert stretch == pytest.approx(1e6 / 210e9 * 0.3, rel=1e-6)
        f = np.column_stack([fem.load_vector(hex_bar, load) for load in (pull, fem.Pressure("x1", 1e6))])
        expected = relieved(hex_bar, f)
        np.testing.assert_allclose(basis.Phi, expected, atol=1e-6 * np.abs(expected).max())

    def test_weight_does_not_deform_a_falling_body(self, hex_bar):
        with pytest.raises(fem.InputError, match=r"Gravity.*deform nothing"):
            modal.static_modes(hex_bar, fem.Gravity())


class TestInertia:
    def test_pinned_rod_under_acceleration(self):
        """5 q l^4 / 384 EI in the middle by a uniform load, nothing there by the antisymmetric one (Koppens 5.4.1)."""
        structure = rod()
        basis = modal.inertia_modes(structure, PINNED)
        middle = at(structure, "middle", basis)[1]
        # pinned at x = 0 while the rod is stretched: only y and the turn about z bend it in this plane
        along = dict(zip(basis.labels, middle, strict=True))
        q = MASS / LENGTH
        assert along["acceleration along y"] == pytest.approx(-5 * q * LENGTH**4 / (384 * EI), rel=1e-9)
        assert abs(along["angular acceleration about z"]) < 1e-9 * abs(along["acceleration along y"])

    def test_free_bar_in_rotation(self, hex_bar):
        """Under rho x e_x a bar lengthens by rho l^3 / 12 E; six loads, each balanced by itself."""
        basis = modal.inertia_modes(hex_bar)
        assert basis.N == 6
        k = basis.labels.index("rotation, xx")
        longer = at(hex_bar, "x1", basis)[0, k] - at(hex_bar, "x0", basis)[0, k]
        # hexahedra of length l/8 give the ends of a bar under a quadratic stress exactly, Poisson's effect apart
        assert longer == pytest.approx(7850 * 0.3**3 / (12 * 210e9), rel=2e-3)

    def test_span_of_rotation(self, hex_bar):
        """Any omega: the shape under Centrifugal loads is a combination of the six."""
        basis = modal.inertia_modes(hex_bar)
        spun = modal.static_modes(hex_bar, fem.Centrifugal((3.0, -2.0, 1.0), about=(0.1, 0.2, 0.0)))
        fit = np.linalg.lstsq(basis.Phi, spun.Phi, rcond=None)[0]
        np.testing.assert_allclose(basis.Phi @ fit, spun.Phi, atol=1e-7 * np.abs(spun.Phi).max())


class TestUnitDisplacement:
    @pytest.mark.parametrize(("components", "middle"), [("y", 5 / 16), (("y", "rz"), 1 / 2)])
    def test_end_of_a_cantilever(self, components, middle):
        """(3 s^2 - s^3)/2 with the rotation free, 3 s^2 - 2 s^3 with it held."""
        structure = rod()
        basis = modal.displacement_modes(structure, {"end": components}, supports="start")
        found = at(structure, "end", basis)
        assert found[1, 0] == pytest.approx(1, abs=1e-9)
        assert at(structure, "middle", basis)[1, 0] == pytest.approx(middle, rel=1e-8)
        if basis.N == 2:
            np.testing.assert_allclose(found[[1, 5]], np.eye(2), atol=1e-8)

    def test_what_is_held_can_not_be_displaced(self):
        with pytest.raises(fem.InputError, match="depend on each other or on the supports"):
            modal.displacement_modes(rod(), {"start": "y"}, supports="start")


@pytest.fixture(scope="module")
def basis(hex_bar):
    return modal.craig_chang(hex_bar, ENDS, n_normal=4)


class TestCraigChang:
    def test_residuals_are_orthogonal_to_the_modes(self, hex_bar, basis):
        residual, free = basis.Phi[:, :12], basis.Phi[:, 12:]
        shares = free.T @ (hex_bar.M @ residual)
        size = np.sqrt(np.einsum("ui,ui->i", residual, hex_bar.M @ residual))
        np.testing.assert_allclose(shares / size, 0, atol=1e-8)

    def test_interface_loads_have_exact_answers(self, hex_bar, basis):
        """The full model's compliance under inertia relief, by a dense solve."""
        T = np.vstack([fem.interface(hex_bar, name).T.toarray() for name in ENDS])
        expected = T @ relieved(hex_bar, T.T)
        body = modal.reduce(hex_bar, basis)
        J = np.vstack([np.vstack([body.markers[name].Phi, body.markers[name].B]) for name in ENDS])
        found = J @ np.linalg.solve(body.K, J.T)
        size = np.sqrt(expected.diagonal())
        np.testing.assert_allclose(found / np.outer(size, size), expected / np.outer(size, size), atol=1e-6)

    def test_the_free_modes_are_kept(self, hex_bar, basis):
        body = modal.reduce(hex_bar, basis)
        np.testing.assert_allclose(body.frequencies_hz[:4], basis.frequencies_hz, rtol=1e-7)

    def test_without_free_modes(self, hex_bar):
        assert modal.craig_chang(hex_bar, ENDS, n_normal=0).N == 12


class TestEigenmodes:
    def test_any_supports(self):
        """Pinned in the plane: (pi/l)^2 sqrt(EI/m), less the sections' rotary inertia, (pi r/l)^2 / 2 = 1.2e-4."""
        basis = modal.eigenmodes(rod(), {**PINNED, "all": ("x", "z", "rx", "ry")}, n=1)
        exact = (np.pi / LENGTH) ** 2 * np.sqrt(EI * LENGTH / MASS)
        assert 2 * np.pi * basis.frequencies_hz[0] == pytest.approx(exact, rel=2e-4)
        assert "start (x y z rx)" in basis.kind

    def test_cantilever_with_a_mass(self):
        """1 + cos x cosh x + (m/M) x (cos x sinh x - sin x cosh x) = 0, omega = x^2 sqrt(EI/(M l^3))."""
        supports = {"start": "all", **IN_PLANE}
        for ratio in (0.5, 3.0):
            mass = fem.PointMass("end", ratio * MASS)
            basis = modal.eigenmodes(rod(8, 30.0), supports, n=2, masses=[mass])

            def equation(x, ratio=ratio):
                inertia = ratio * x * (np.cos(x) * np.sinh(x) - np.sin(x) * np.cosh(x))
                return 1 + np.cos(x) * np.cosh(x) + inertia

            x = np.array([brentq(equation, 0.5, 1.9), brentq(equation, 3.0, 4.7)])
            exact = x**2 * np.sqrt(EI / (MASS * LENGTH**3))
            # the mesh's error is far below: 8 cubic elements, 3e-6 in the second mode; rotary inertia 1e-5
            np.testing.assert_allclose(2 * np.pi * basis.frequencies_hz, exact, rtol=5e-5)

    def test_free_with_masses_against_dense(self, hex_bar):
        loaded = [fem.PointMass("x0", 2.0, (1e-3, 2e-3, 2.5e-3)), fem.PointMass("x1", 0.7)]
        basis = modal.eigenmodes(hex_bar, n=4, masses=loaded)
        M = hex_bar.M.toarray()
        for mass in loaded:
            T = fem.interface(hex_bar, mass.at).T.toarray()
            M += T.T @ scipy.linalg.block_diag(mass.mass * np.eye(3), mass.tensor) @ T
        squares = scipy.linalg.eigh(hex_bar.K.toarray(), M, eigvals_only=True, subset_by_index=(6, 9))
        np.testing.assert_allclose(basis.frequencies_hz, np.sqrt(squares) / (2 * np.pi), rtol=1e-7)
        np.testing.assert_allclose(basis.Phi.T @ M @ basis.Phi, np.eye(4), atol=1e-8)
        assert (basis.frequencies_hz < modal.eigenmodes(hex_bar, n=4).frequencies_hz).all()


class TestAllFreedoms:
    def test_is_the_finite_element_model(self):
        """Koppens 3.3: every shape function a base function; the free frequencies are the dense model's."""
        structure = rod(3)
        body = modal.reduce(structure, modal.all_degrees_of_freedom(structure, interfaces=("start", "end")))
        assert structure.n - 6 == body.N
        squares = scipy.linalg.eigh(structure.K.toarray(), structure.M.toarray(), eigvals_only=True)[6:]
        np.testing.assert_allclose(body.frequencies_hz, np.sqrt(squares) / (2 * np.pi), rtol=1e-6)
        assert set(body.markers) == {"start", "end"}

    def test_held(self):
        """A cantilever of two elements: 3.5177 sqrt(EI/m l^4), as in any text (exact: 3.5160)."""
        structure = rod(2, 30.0)
        basis = modal.all_degrees_of_freedom(structure, {"start": "all", **IN_PLANE})
        assert basis.N == 4
        assert "node 2" in basis.labels[0]
        body = modal.reduce(structure, basis, frame=modal.Unchanged())
        unit = np.sqrt(EI / (MASS * LENGTH**3))
        assert 2 * np.pi * body.frequencies_hz[0] / unit == pytest.approx(3.5177, rel=1e-4)

    def test_large_models_are_refused(self):
        with pytest.raises(fem.InputError, match="more than 600"):
            modal.all_degrees_of_freedom(bar("hex20", (40, 1, 1)))


class TestCombine:
    def test_any_bases_of_one_structure(self, hex_bar):
        parts = (
            modal.craig_bampton(hex_bar, ENDS, n_normal=2),
            modal.eigenmodes(hex_bar, n=3),
            modal.inertia_modes(hex_bar),
        )
        basis = modal.combine(*parts)
        assert basis.N == 14 + 3 + 6
        assert [i.name for i in basis.interfaces] == list(ENDS)
        assert basis.kind.count(" + ") == 2
        body = modal.reduce(hex_bar, basis)
        # Rayleigh-Ritz: not above any part's, and the exact ones are in the space
        np.testing.assert_allclose(body.frequencies_hz[:3], parts[1].frequencies_hz, rtol=1e-8)

    def test_dependent_ones_are_named(self, hex_bar):
        modes = modal.craig_bampton(hex_bar, ENDS, n_normal=3)
        twice = modal.Basis(hex_bar, modes.Phi[:, [13, 3]] @ [[2.0], [1.0]], ("a copy",))
        body = modal.reduce(hex_bar, modal.combine(modes, twice))
        one = modal.reduce(hex_bar, modes)
        assert body.N == one.N
        np.testing.assert_allclose(body.frequencies_hz, one.frequencies_hz, rtol=1e-7)
        assert "7 of 16 combinations dropped: 6 of rigid motion, " in body.notes[0]
        assert "1 dependent on others" in body.notes[0]
        assert "columns 6 'x1 x', 7 'x1 y'" in body.notes[0]
        assert "15 'a copy'" in body.notes[0]
        assert "a copy" not in one.notes[0]
        assert "dependent" not in one.notes[0]

    def test_labels_that_bases_share_are_told_apart(self, hex_bar):
        one, two = modal.craig_bampton(hex_bar, ENDS, n_normal=1), modal.constraint_modes(hex_bar, ENDS[0])
        both = modal.combine(one, two)
        assert len(set(both.labels)) == both.N
        assert both.labels[0] == f"x0 x (basis 1, {one.kind})"
        assert both.labels[12:14] == (one.labels[12], f"x0 x (basis 2, {two.kind})")

    def test_which_columns_depend(self):
        """Against rank by rank: a column is named if it adds nothing to those before it."""
        rng = np.random.default_rng(3)
        A = rng.normal(size=(20, 8))
        A[:, 2] = A[:, :2] @ [1.0, -2.0]
        A[:, 5] = 0
        A[:, 7] = A[:, [0, 3, 6]] @ [0.5, 2.0, 1.0]
        values, vectors = np.linalg.eigh(A.T @ A)
        null = vectors[:, values < 1e-10]
        ranks = [np.linalg.matrix_rank(A[:, : k + 1]) for k in range(8)]
        expected = [k for k in range(8) if ranks[k] == (ranks[k - 1] if k else 0)]
        assert dependent_columns(null) == expected == [2, 5, 7]

    def test_bad_combinations(self, hex_bar):
        with pytest.raises(fem.InputError, match="different structures"):
            modal.combine(modal.eigenmodes(hex_bar, n=1), modal.eigenmodes(bar("tet10"), n=1))
        with pytest.raises(fem.InputError, match="'x0' is averaged in one basis and rigid in another"):
            modal.combine(
                *(
                    modal.constraint_modes(hex_bar, ENDS, interface=kind)
                    for kind in (modal.Averaged(), modal.Rigid())
                )
            )


def test_koppens_base_of_one_static_shape():
    """5.4.1: the deflection under a uniform load is close to the first mode of the pinned rod, 829.2 rad/s.

    Rayleigh's quotient of s - 2 s^3 + s^4 is 3024/31, (pi^4 = 97.409): 0.07 % in the frequency.
    """
    structure = rod(8, 30.0)
    basis = modal.static_modes(structure, fem.Gravity((0, -9.81, 0)), supports=PINNED)
    body = modal.reduce(structure, basis, frame=modal.Chord("start", "end"))
    exact = np.sqrt(3024 / 31 * EI / (MASS * LENGTH**3))
    assert exact == pytest.approx(829.2, rel=1e-3)
    # cubic elements leave out 1/(6 n^4) of the quartic's strain energy, 4e-5, half of it in the frequency
    assert 2 * np.pi * body.frequencies_hz[0] == pytest.approx(exact, rel=4e-5)
    assert pytest.approx(np.pi * 0.006**2 / 4) == AREA


def test_inertia_modes_of_supports_and_interfaces_together_are_refused(hex_bar):
    with pytest.raises(fem.InputError, match="give one"):
        modal.inertia_modes(hex_bar, "x0", interfaces=("x1",))
