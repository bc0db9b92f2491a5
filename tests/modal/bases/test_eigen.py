"""Eigenmodes of finite-element structures."""

import numpy as np
import pytest
import scipy.linalg
from support.bars import STEEL, bar, gauss_points

import fem
import modal


def dense_frequencies(structure, held=()):
    """All eigenfrequencies of the full matrices, Hz."""
    free = np.setdiff1d(np.arange(structure.K.shape[0]), held)
    K, M = (A.toarray()[np.ix_(free, free)] for A in (structure.K, structure.M))
    return np.sqrt(np.maximum(scipy.linalg.eigh(K, M, eigvals_only=True), 0)) / (2 * np.pi)


@pytest.fixture(scope="module", params=["hex20", "tet10"])
def small(request):
    return bar(request.param, (4, 1, 1))


class TestFree:
    def test_frequencies_are_those_of_the_full_matrices(self, small):
        basis = modal.eigenmodes(small, n=12)
        # six rigid modes first; 1e-8 leaves room for the conditioning of the dense problem
        np.testing.assert_allclose(basis.frequencies_hz, dense_frequencies(small)[6:18], rtol=1e-8)

    def test_modes_are_orthonormal_and_diagonalise(self, small):
        basis = modal.eigenmodes(small, n=12)
        M, K = (basis.Phi.T @ (A @ basis.Phi) for A in (small.M, small.K))
        squares = (2 * np.pi * basis.frequencies_hz) ** 2
        np.testing.assert_allclose(M, np.eye(12), atol=1e-9)
        np.testing.assert_allclose(K / squares[-1], np.diag(squares / squares[-1]), atol=1e-9)

    def test_modes_are_orthogonal_to_rigid_motion(self, small):
        basis = modal.eigenmodes(small, n=12)
        R = small.rigid_modes()
        unit = R / np.sqrt(np.einsum("ij,ij->j", R, small.M @ R))
        np.testing.assert_allclose(unit.T @ (small.M @ basis.Phi), 0, atol=1e-9)

    def test_mean_displacement_conditions_by_quadrature(self, small):
        """Koppens (2.8), (2.10) with the displacement at Gauss points, relative to the mode's own size."""
        basis = modal.eigenmodes(small, n=6)
        x, m, N = gauss_points(small)
        x = x - m @ x / m.sum()
        Phi = np.einsum("qn,nki->qki", N, basis.Phi.reshape(-1, 3, 6))
        size = np.sqrt(m.sum())  # modes have unit modal mass
        np.testing.assert_allclose(np.einsum("q,qki->ki", m, Phi) / size, 0, atol=1e-9)
        moment = np.einsum("q,qki->ki", m, np.cross(x[:, :, None], Phi, axis=1))
        np.testing.assert_allclose(moment / (size * 0.3), 0, atol=1e-9)

    def test_the_same_every_time(self, small):
        one, other = modal.eigenmodes(small, n=5), modal.eigenmodes(small, n=5)
        np.testing.assert_allclose(one.Phi, other.Phi, rtol=0, atol=1e-8 * np.abs(one.Phi).max())


class TestHeld:
    def test_one_end(self, small):
        nodes = small.mesh.node_sets["x0"]
        held = (3 * nodes[:, None] + np.arange(3)).ravel()
        basis = modal.eigenmodes(small, n=8, supports=("x0",))
        np.testing.assert_allclose(basis.frequencies_hz, dense_frequencies(small, held)[:8], rtol=1e-8)
        assert not basis.Phi[held].any()

    def test_both_ends_by_one_name_and_by_two(self, small):
        both = modal.eigenmodes(small, n=3, supports=("x0", "x1"))
        one = modal.eigenmodes(small, n=3, supports="x0")
        assert (both.frequencies_hz > one.frequencies_hz).all()

    def test_sets_that_leave_a_rigid_motion_are_refused(self):
        structure = bar("hex20", (4, 1, 1))
        mesh = structure.mesh.select("corner", nearest=(0, 0, 0))
        with pytest.raises(fem.InputError, match="the supports 'corner' leave the structure a rigid motion"):
            modal.eigenmodes(fem.assemble(mesh, STEEL), n=3, supports=("corner",))


class TestBeamLimit:
    """Against the Bernoulli-Euler beam (assumed modes): shear and rotary inertia lower a frequency by about
    (k r)^2 (1 + E / (kappa G)) / 2, so the difference falls with (h/l)^2 and vanishes in the limit."""

    @pytest.mark.slow
    @pytest.mark.parametrize("element", ["hex20", "tet10"])
    @pytest.mark.parametrize("mode", [0, 1])
    def test_free_beam(self, element, mode):
        defects = []
        for h in (0.05, 0.025):
            solid = bar(element, (40, 1, 1), (1.0, h, h))
            f = modal.assumed.quintic() + tuple(
                modal.assumed.Natural(np.polynomial.Legendre.basis(k)) for k in range(6, 12)
            )
            thin = modal.assumed.beam(length=1.0, rho=7850.0, area=h**2, EI=210e9 * h**4 / 12, y=f)
            # bending modes come in pairs, one in each direction; degree 11 is exact to 1e-6 here
            solid_hz = modal.eigenmodes(solid, n=4).frequencies_hz[2 * mode]
            defects.append(1 - solid_hz / thin.frequencies_hz[mode])
        beta = (4.7300407449, 7.8532046241)[mode]
        r_squared = 0.05**2 / 12
        estimate = 0.5 * beta**2 * r_squared * (1 + 2.6 / (5 / 6))
        assert 0.5 * estimate < defects[0] < 1.5 * estimate
        # Richardson: what is left is the mesh (elements as long as the bar is wide) and (h/l)^4, below 1 %
        # of the effect itself; bending stiffness or mass wrong by 0.1 % would show
        assert abs(4 * defects[1] - defects[0]) / 3 < 0.01 * estimate + 1e-4


class TestBadInput:
    @pytest.mark.parametrize("n", [0, -1, 2.5, True, 10**6])
    def test_number_of_modes(self, n, hex_bar):
        with pytest.raises(fem.InputError, match="can't compute"):
            modal.eigenmodes(hex_bar, n=n)

    def test_unknown_set(self, hex_bar):
        with pytest.raises(fem.InputError, match=r"'root'.*'x0'"):
            modal.eigenmodes(hex_bar, n=3, supports=("root",))

    def test_wrong_modes_are_noticed(self, hex_bar):
        """A residual check that a bad factorisation can't pass."""
        from fem.analysis.eigen import lowest_modes
        from fem.model.free_body_flexibility import Flexibility

        body = Flexibility(hex_bar)
        disturbed = np.linspace(1, 1.001, hex_bar.K.shape[0])
        with pytest.raises(fem.FlexbodyError, match=r"residual|only . of 3 eigenmodes"):
            lowest_modes(
                hex_bar.K,
                hex_bar.M,
                3,
                inverse=lambda f: body.relieved((disturbed * f.T).T),
                what="the free body",
            )
