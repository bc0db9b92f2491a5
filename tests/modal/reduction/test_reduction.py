"""From a basis to a reduced body: inertia, frames, orthonormal base, markers, surface."""

import contextlib
import dataclasses
import warnings

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from support.bars import STEEL, bar, gauss_points
from support.rods import rod

import fem
import modal
from modal.body.inertia import integrals

ENDS = ("x0", "x1")
FRAMES = [modal.MeanDisplacement(), modal.Chord("x0", "x1"), modal.Unchanged()]


@pytest.fixture(scope="module")
def basis(any_bar):
    return modal.craig_bampton(any_bar, ENDS, n_normal=4)


def test_integrals_against_brute_force_quadrature(any_bar):
    """C1..C8 of random nodal displacements, at Gauss points of the elements, without the mass matrix."""
    rng = np.random.default_rng(7)
    n = len(any_bar.mesh.points)
    Phi = rng.normal(size=(n, 3, 3))
    C = integrals(any_bar.mesh.points, Phi, any_bar.M_scalar)
    x, m, N = gauss_points(any_bar)
    f = np.einsum("qn,nki->qki", N, Phi)
    unit = np.eye(3)
    expected = {
        "mass": m.sum(),
        "C1": m @ x,
        "C2": np.einsum("q,qki->ik", m, f),
        "C3": np.einsum("q,qk,qk,ab->ab", m, x, x, unit) - np.einsum("q,qa,qb->ab", m, x, x),
        "C4": np.einsum("q,qki,qk,ab->iab", m, f, x, unit) - np.einsum("q,qai,qb->iab", m, f, x),
        "C5": np.einsum("q,qki,qkj,ab->ijab", m, f, f, unit) - np.einsum("q,qai,qbj->ijab", m, f, f),
        "C6": np.einsum("q,qki->ik", m, np.cross(x[:, :, None], f, axis=1)),
        "C7": np.einsum("q,qkij->ijk", m, np.cross(f[:, :, :, None], f[:, :, None, :], axis=1)),
        "C8": np.einsum("q,qki,qkj->ij", m, f, f),
    }
    for name, value in expected.items():
        size = np.abs(value).max()
        np.testing.assert_allclose(getattr(C, name), value, rtol=0, atol=1e-12 * size, err_msg=name)


class TestOrthonormal:
    @pytest.mark.parametrize("frame", FRAMES, ids=lambda f: f.label)
    def test_mass_and_stiffness(self, any_bar, basis, frame):
        body = modal.reduce(any_bar, basis, frame=frame)
        np.testing.assert_array_equal(body.C8, np.eye(body.N))
        assert (np.diff(body.K.diagonal()) >= 0).all()
        assert body.K[0, 0] > 0
        np.testing.assert_array_equal(body.K, np.diag(body.K.diagonal()))
        # C5's trace is 2 C8 by definition: C8 was not just declared to be one
        np.testing.assert_allclose(np.einsum("ijaa->ij", body.C5), 2 * np.eye(body.N), atol=1e-9)

    @pytest.mark.parametrize("frame", FRAMES, ids=lambda f: f.label)
    def test_symmetry_and_definiteness(self, any_bar, basis, frame):
        body = modal.reduce(any_bar, basis, frame=frame)
        np.testing.assert_allclose(body.C5, body.C5.transpose(1, 0, 3, 2), atol=1e-12)
        np.testing.assert_allclose(body.C7, -body.C7.transpose(1, 0, 2), atol=1e-12)
        M = np.block(
            [
                [body.mass * np.eye(3), -cross(body.C1), body.C2.T],
                [cross(body.C1), body.C3, body.C6.T],
                [body.C2, body.C6, body.C8],
            ]
        )
        size = np.sqrt(M.diagonal())
        assert np.linalg.eigvalsh(M / np.outer(size, size))[0] > 1e-6

    def test_rigid_combinations_are_dropped_and_reported(self, any_bar, basis):
        body = modal.reduce(any_bar, basis)
        assert body.N == basis.N - 6
        assert "6 of 16 combinations dropped" in body.report()

    def test_repeated_fields_are_dropped(self, any_bar, basis):
        doubled = dataclasses.replace(
            basis, Phi=np.hstack([basis.Phi, basis.Phi @ np.ones((16, 1))]), labels=(*basis.labels, "sum")
        )
        body = modal.reduce(any_bar, doubled)
        once = modal.reduce(any_bar, basis)
        np.testing.assert_allclose(body.frequencies_hz, once.frequencies_hz, rtol=1e-7)

    def test_free_eigenmodes_stay_as_they_are(self, any_bar):
        modes = modal.eigenmodes(any_bar, n=6)
        body = modal.reduce(any_bar, modes)
        assert body.N == 6
        np.testing.assert_allclose(body.frequencies_hz, modes.frequencies_hz, rtol=1e-8)


def cross(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class TestFrames:
    def test_mean_displacement(self, any_bar, basis):
        body = modal.reduce(any_bar, basis)
        assert body.mean
        for value in (body.C1, body.C2, body.C6):
            assert not value.any()
        np.testing.assert_allclose(body.origin, any_bar.center, atol=1e-12)
        np.testing.assert_allclose(body.C3, any_bar.inertia, rtol=1e-10, atol=1e-12)

    def test_chord(self, any_bar, basis):
        body = modal.reduce(any_bar, basis, frame=modal.Chord(*ENDS))
        a, b = (body.markers[name] for name in ENDS)
        np.testing.assert_allclose(body.origin, fem.interface(any_bar, "x0").point)
        size = np.abs(body.recovery.Phi).max()
        np.testing.assert_allclose(a.Phi / size, 0, atol=1e-10)
        np.testing.assert_allclose(b.Phi[1:] / size, 0, atol=1e-10)  # the chord is along x
        assert not body.mean

    def test_chord_between_sets_that_are_no_interfaces(self, any_bar):
        body = modal.reduce(any_bar, modal.eigenmodes(any_bar, n=4), frame=modal.Chord("y0", "y1"))
        assert {"y0", "y1"} <= set(body.markers)

    def test_all_frames_span_the_same_shapes(self, any_bar, basis):
        """Up to rigid motion: surface displacements and rigid motions together span one space."""
        spaces = []
        for frame in FRAMES:
            body = modal.reduce(any_bar, basis, frame=frame)
            surface = body.recovery
            x = surface.points + body.origin
            R = np.concatenate([np.broadcast_to(np.eye(3), (len(x), 3, 3)), -skewed(x)], axis=2)
            columns = np.concatenate([surface.Phi, R], axis=2).reshape(3 * len(x), -1)
            spaces.append(columns / np.linalg.norm(columns, axis=0))
        for other in spaces[1:]:
            angles = scipy.linalg.subspace_angles(spaces[0], other)
            assert angles.max() < 1e-6

    def test_frequencies_in_a_machine_do_not_depend_on_the_frame(self, any_bar, basis):
        """With the six rigid motions added, the free frequencies are the same: linear theory."""
        results = []
        for frame in FRAMES:
            body = modal.reduce(any_bar, basis, frame=frame)
            M = np.block(
                [
                    [body.mass * np.eye(3), -cross(body.C1), body.C2.T],
                    [cross(body.C1), body.C3, body.C6.T],
                    [body.C2, body.C6, body.C8],
                ]
            )
            K = scipy.linalg.block_diag(np.zeros((6, 6)), body.K)
            results.append(scipy.linalg.eigh(K, M, eigvals_only=True)[6:])
        for other in results[1:]:
            np.testing.assert_allclose(other, results[0], rtol=1e-6)


def skewed(x):
    out = np.zeros((len(x), 3, 3))
    for k, e in enumerate(np.eye(3)):
        out[:, :, k] = np.cross(x, e)
    return out


class TestMarkers:
    def test_interfaces_and_further_sets(self, any_bar, basis):
        body = modal.reduce(any_bar, basis, markers=("middle",))
        assert set(body.markers) == {"x0", "x1", "middle"}
        assert set(modal.reduce(any_bar, basis, markers="middle").markers) == set(body.markers)
        np.testing.assert_allclose(body.markers["middle"].point, 0, atol=1e-9)  # centre of the bar

    def test_a_marker_moves_with_the_mean_of_its_surface(self, any_bar, basis):
        """The mean over the end face from the surface's displacements, by the face's own weights."""
        body = modal.reduce(any_bar, basis)
        interface = fem.interface(any_bar, "x1")
        x = body.recovery.points + body.origin
        T = interface.T.toarray().reshape(6, -1, 3)
        used = np.flatnonzero(np.abs(T).sum(axis=(0, 2)))
        rows = [int(np.argmin(np.linalg.norm(x - any_bar.mesh.points[node], axis=1))) for node in used]
        motion = np.einsum("anb,nbi->ai", T[:, used], body.recovery.Phi[rows])
        size = np.abs(motion).max()
        np.testing.assert_allclose(body.markers["x1"].Phi, motion[:3], atol=1e-10 * size)
        np.testing.assert_allclose(body.markers["x1"].B, motion[3:], atol=1e-10 * size)

    def test_a_single_node_has_no_rotation(self):
        structure = fem.assemble(bar().mesh.select("corner", nearest=(0, 0, 0)), STEEL)
        body = modal.reduce(structure, modal.eigenmodes(structure, n=3), markers=("corner",))
        marker = body.markers["corner"]
        assert not marker.has_rotation
        assert not marker.B.any()
        assert marker.Phi.any()


def test_surface(any_bar, basis):
    body = modal.reduce(any_bar, basis)
    surface = body.recovery
    corners = surface.points[surface.triangles] + body.origin
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    np.testing.assert_allclose([low, high], any_bar.mesh.bounding_box, atol=1e-12)
    area = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    a, b, c = 0.3, 0.02, 0.03
    assert area.sum() == pytest.approx(2 * (a * b + b * c + c * a))
    assert len(surface.points) == len(np.unique(surface.triangles))


def test_turned_is_the_body_of_a_turned_mesh():
    """Invariants that do not depend on signs and order of near-equal modes."""
    R = Rotation.from_rotvec([0.4, -0.8, 0.3]).as_matrix()
    structure = bar()
    mesh = structure.mesh
    turned = fem.assemble(dataclasses.replace(mesh, points=mesh.points @ R.T), STEEL)
    one = modal.reduce(structure, modal.craig_bampton(structure, ENDS, n_normal=3)).turned(R)
    other = modal.reduce(turned, modal.craig_bampton(turned, ENDS, n_normal=3))
    np.testing.assert_allclose(other.frequencies_hz, one.frequencies_hz, rtol=1e-7)
    np.testing.assert_allclose(other.origin, one.origin, atol=1e-12)
    np.testing.assert_allclose(other.C3, one.C3, atol=1e-10)
    signs = np.sign(np.einsum("mki,mki->i", one.recovery.Phi, other.recovery.Phi))
    np.testing.assert_allclose(other.recovery.Phi * signs, one.recovery.Phi, atol=1e-5)
    for name in ENDS:
        np.testing.assert_allclose(other.markers[name].Phi * signs, one.markers[name].Phi, atol=1e-5)
        np.testing.assert_allclose(other.markers[name].B * signs, one.markers[name].B, atol=1e-3)
    flip = signs[:, None, None]
    np.testing.assert_allclose(other.C4 * flip, one.C4, atol=1e-5)
    np.testing.assert_allclose(other.C7 * flip * signs[:, None], one.C7, atol=1e-5)


def test_file_of_a_finite_element_body(any_bar, basis, tmp_path):
    body = modal.reduce(any_bar, basis, markers=("middle",), name="bar")
    loaded = modal.load(body.save(tmp_path / "bar.h5"))
    np.testing.assert_array_equal(loaded.C5, body.C5)
    np.testing.assert_array_equal(loaded.recovery.Phi, body.recovery.Phi)
    assert loaded.report() == body.report()
    assert "Craig-Bampton" in loaded.report()


class TestStaticShapesAlone:
    """Interfaces that stand still hold the whole body: nothing bends by its own inertia (slider-crank: 44 % wrong)."""

    @pytest.mark.parametrize("kind", [modal.Averaged(), modal.Rigid()], ids=str)
    def test_are_warned_of(self, any_bar, kind):
        with pytest.warns(fem.FlexbodyWarning, match=r"static shapes of its interfaces 'x0', 'x1' alone"):
            modal.reduce(any_bar, modal.constraint_modes(any_bar, ENDS, interface=kind), stiffening=False)

    def test_not_with_a_mode_more_or_a_model_that_has_no_more(self, hex_bar):
        short = rod(1)
        bases = [
            modal.craig_bampton(hex_bar, ENDS, n_normal=1),
            modal.craig_chang(hex_bar, ENDS, n_normal=0),
            modal.eigenmodes(hex_bar, n=2),
            modal.combine(
                modal.constraint_modes(hex_bar, ENDS), modal.inertia_modes(hex_bar, (), interfaces=ENDS)
            ),
            modal.constraint_modes(short, ("start", "end")),
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("error", fem.FlexbodyWarning)
            for basis in bases:
                modal.reduce(basis.structure, basis, stiffening=False)
            modal.accuracy(hex_bar, modal.constraint_modes(hex_bar, ENDS))  # which tells it in its own words


class TestBadInput:
    def test_rigid_motions_only(self, hex_bar):
        basis = modal.constraint_modes(hex_bar, ("x0",))
        with pytest.raises(fem.InputError, match="rigid motions only"):
            modal.reduce(hex_bar, basis)

    def test_one_interface_with_normal_modes(self, hex_bar):
        body = modal.reduce(hex_bar, modal.craig_bampton(hex_bar, ("x0",), n_normal=3))
        assert body.N == 3

    def test_unknown_marker(self, hex_bar):
        basis = modal.eigenmodes(hex_bar, n=2)
        with pytest.raises(fem.InputError, match=r"'hole'.*'x0'"):
            modal.reduce(hex_bar, basis, markers=("hole",))
        with pytest.raises(fem.InputError, match=r"'hole'.*'x0'"):
            modal.reduce(hex_bar, basis, frame=modal.Chord("hole", "x0"))

    @staticmethod
    def rod_with_inertia(rho, length, mass, modulus):
        """A rod of 1 m with 1 kg m^2 at its end, in other units of length, mass and modulus."""
        line = fem.Mesh(
            [(length * k / 4, 0, 0) for k in range(5)],
            [fem.Block("line2", [(k, k + 1) for k in range(4)])],
            {"a": [0], "b": [4]},
        )
        material = fem.Isotropic(E=2e11 * modulus, nu=0.3, rho=rho * mass / length**3)
        inertia = fem.PointMass("b", 0.0, (mass * length**2,) * 3)
        structure = fem.assemble(line, fem.Beam(material, fem.Circle(0.05 * length)), parts=[inertia])
        return structure, modal.craig_bampton(structure, ("a", "b"), n_normal=2)

    UNITS = (
        (1e-6, 1.0, 1.0), (1e6, 1e18, 1.0), (1.0, 1e-6, 1.0), (1.0, 1e6, 1.0), (1.0, 1.0, 1e-6), (1.0, 1.0, 1e6),
        (1e-6, 1e6, 1.0), (1e6, 1e12, 1e6),
    )  # fmt: skip

    @pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), *UNITS])
    def test_an_inertia_beside_which_the_body_has_no_mass(self, units):
        """1 kg m^2 at the end of 2e-15 kg: the mass that stretches is a hundredth of the round-off of the rest."""
        with pytest.raises(fem.InputError, match=r"(moves|has) no mass.*(density|rho=)"):
            modal.reduce(*self.rod_with_inertia(1e-12, *units))

    @pytest.fixture(scope="class")
    def light(self):
        return modal.reduce(*self.rod_with_inertia(1e-3, 1.0, 1.0, 1.0)).frequencies_hz

    @pytest.mark.parametrize("units", UNITS)
    def test_a_light_body_beside_an_inertia_in_any_units(self, light, units):
        """omega^2 = k / m, modulus times length over mass. Beside 2e-9 kg what is not refused is right to 0.5 %."""
        length, mass, modulus = units
        change = np.sqrt(modulus * length / mass)
        other = modal.reduce(*self.rod_with_inertia(1e-3, *units)).frequencies_hz
        np.testing.assert_allclose(other, light * change, rtol=1e-6)
        with contextlib.suppress(fem.InputError):
            least = modal.reduce(*self.rod_with_inertia(1e-6, *units)).frequencies_hz
            np.testing.assert_allclose(least, light * change * np.sqrt(1e3), rtol=5e-3)

    def test_another_structure(self, hex_bar):
        with pytest.raises(fem.InputError, match="another structure"):
            modal.reduce(bar("tet10"), modal.eigenmodes(hex_bar, n=2))

    def test_a_frame_without_parentheses(self, hex_bar):
        with pytest.raises(fem.InputError, match="with parentheses"):
            modal.reduce(hex_bar, modal.eigenmodes(hex_bar, n=2), frame=modal.MeanDisplacement)

    def test_a_basis_of_the_wrong_shape(self, hex_bar):
        with pytest.raises(fem.InputError, match="must be"):
            modal.Basis(hex_bar, np.ones((5, 2)), ("a", "b"))
        with pytest.raises(fem.InputError, match="2 columns and 1 labels"):
            modal.Basis(hex_bar, np.ones((hex_bar.K.shape[0], 2)), ("a",))

    def test_what_is_no_basis(self, hex_bar):
        modes = modal.eigenmodes(hex_bar, n=2)
        with pytest.raises(fem.InputError, match=r"2 bases are given where one is needed.*modal\.combine"):
            modal.reduce(hex_bar, [modes, modes])
        for given in (3, "modes", [], hex_bar):
            with pytest.raises(fem.InputError, match="the basis is of type"):
                modal.reduce(hex_bar, given)
            with pytest.raises(fem.InputError, match="the basis is of type"):
                modal.combine(modes, given)
