"""The accuracy of a basis against the full model, and a proposed basis, against dense linear algebra."""

import sys

import numpy as np
import pytest
import scipy.linalg
from support.bars import STEEL, bar
from support.frames import line
from support.rods import EI, LENGTH, MASS, rod
from support.shell_meshes import grid

import fem
import modal
from modal.bases.eigenmodes import free_modes
from modal.quality import recommendation

pytestmark = pytest.mark.slow

ENDS = ("x0", "x1")


def block_with_a_flag():
    """A block of hex8, a post of beams glued to its side x1, a plate of shells on the post's last node."""
    block = fem.box((0.3, 0.1, 0.08), (3, 1, 1), "hex8")
    post = line([(0.3, 0.05, 0.04), (0.6, 0.05, 0.04)], 3)
    points, quads = grid("quad4", 3, 2, lambda s, t: (0.6 + 0.2 * s, 0.05 + 0.1 * t, 0 * s + 0.04))
    n, m = block.n_nodes, block.n_nodes + post.n_nodes
    number = np.concatenate([[m - 1], m + np.arange(len(points) - 1)])  # the plate's corner is the post's end
    mesh = fem.Mesh(
        np.vstack([block.points, post.points, points[1:]]),
        (
            *block.blocks,
            fem.Block("line2", post.blocks[0].nodes + n),
            fem.Block("quad4", number[quads]),
        ),
        {**block.node_sets, "foot": np.array([n]), "edge": number[[3, 7, 11]]},
        element_sets={"block": np.arange(3), "post": 3 + np.arange(3), "plate": 6 + np.arange(6)},
    )
    kinds = {
        "block": STEEL,
        "post": fem.Beam(STEEL, fem.Rectangle(0.02, 0.03)),
        "plate": fem.Shell(STEEL, 0.01),
    }
    return fem.assemble(mesh, kinds, parts=(fem.Rigid("glue", "x1", reference="foot"),))


def dense_hz(structure, conditions=None):
    """Frequencies of the full model under conditions T u = 0, by its null space; free: without the rigid modes."""
    K, M = structure.K.toarray(), structure.M.toarray()
    if conditions is None:
        return np.sqrt(scipy.linalg.eigh(K, M, eigvals_only=True)[6:]) / (2 * np.pi)
    Z = scipy.linalg.null_space(conditions / np.linalg.norm(conditions, axis=1)[:, None])
    return np.sqrt(scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ M @ Z, eigvals_only=True)) / (2 * np.pi)


def stacked(structure, names=ENDS):
    return np.vstack([fem.interface(structure, name).T.toarray() for name in names])


@pytest.fixture(scope="module")
def exact_free(hex_bar):
    return dense_hz(hex_bar)


@pytest.fixture(scope="module")
def exact_held(hex_bar):
    return dense_hz(hex_bar, stacked(hex_bar))


@pytest.fixture(scope="module")
def compared(hex_bar):
    return modal.accuracy(hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5), n=6)


def test_a_reference_node_is_its_own_frame_averaged_or_rigid():
    """The comparison with rigid interfaces leaves it out; of a set of nodes it remains."""
    mesh = fem.box((0.4, 0.05, 0.05), (4, 1, 1))
    structure = fem.assemble(mesh, STEEL, parts=[fem.Averaged("hub", "x1", at=(0.4, 0.025, 0.025))])
    for ends, words in ((("hub",), ""), (("x0", "hub"), "rigid in place of averaged interfaces")):
        body = modal.reduce(structure, modal.craig_bampton(structure, ends, n_normal=2))
        found = modal.accuracy(structure, body, n=2)
        assert (found.rigid is None) == (not words)
        assert words in body.report(structure)
        assert found.without_rigid == ""
        assert "can't be a rigid interface" not in found.report()


class TestAccuracy:
    def test_free_frequencies(self, hex_bar, compared, exact_free):
        np.testing.assert_allclose(compared.free.full_hz, exact_free[:6], rtol=1e-7)
        body = modal.reduce(hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5))
        np.testing.assert_allclose(compared.free.reduced_hz, body.frequencies_hz[:6], rtol=1e-9)
        assert (compared.free.error > -1e-8).all()

    def test_held_frequencies_are_exact_for_craig_bampton(self, compared, exact_held):
        np.testing.assert_allclose(compared.held.full_hz, exact_held[:5], rtol=1e-7)
        np.testing.assert_allclose(compared.held.error, 0, atol=1e-7)

    def test_static_error_against_a_dense_solve(self, hex_bar, compared):
        """Inertia relief of the full model; the constraint modes lack the shape of its inertia forces."""
        R = hex_bar.rigid_modes()
        MR = hex_bar.M @ R
        K = hex_bar.K.toarray()
        scale = np.abs(K).max()
        T = stacked(hex_bar)
        whole = np.block([[K / scale, MR], [MR.T, np.zeros((6, 6))]])
        u = np.linalg.solve(whole, np.vstack([T.T / scale, np.zeros((6, 12))]))[: len(K)]
        body = modal.reduce(hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5))
        J = np.vstack([np.vstack([body.markers[name].Phi, body.markers[name].B]) for name in ENDS])
        expected = 1 - (J @ np.linalg.solve(body.K, J.T)).diagonal() / (T @ u).diagonal()
        found = np.concatenate([compared.static_error[name] for name in ENDS])
        np.testing.assert_allclose(found, expected, atol=1e-6)
        assert (found > -1e-6).all()  # a reduced body is never softer
        assert found.max() > 1e-5

    def test_attachment_modes_have_no_static_error(self, hex_bar):
        compared = modal.accuracy(hex_bar, modal.craig_chang(hex_bar, ENDS, n_normal=2), n=2)
        assert max(np.abs(errors).max() for errors in compared.static_error.values()) < 1e-6

    def test_effective_masses_of_a_cantilever(self):
        """Held at one end, 0.6131 and 0.1883 of the mass in the first two bending modes, as in any text."""
        structure = rod(8)
        compared = modal.accuracy(structure, modal.craig_bampton(structure, ("start",), n_normal=8), n=4)
        # a round rod has its modes in pairs, turned about its axis by chance; their sum is not
        pairs = compared.effective_mass[:2, 1].sum(), compared.effective_mass[2:4, 1].sum()
        np.testing.assert_allclose(pairs, [0.6131, 0.1883], atol=2e-3)
        assert compared.held.full_hz[0] * 2 * np.pi == pytest.approx(
            3.516 * np.sqrt(EI / (MASS * LENGTH**3)), rel=1e-3
        )
        assert compared.effective_mass.sum(axis=0).max() < 1 + 1e-9

    def test_effective_masses_against_dense(self, hex_bar, compared):
        Z = scipy.linalg.null_space(stacked(hex_bar) / np.linalg.norm(stacked(hex_bar), axis=1)[:, None])
        M = hex_bar.M.toarray()
        _, Y = scipy.linalg.eigh(Z.T @ hex_bar.K @ Z, Z.T @ M @ Z)
        R = hex_bar.rigid_modes()
        shares = (Z @ Y[:, :5]).T @ M @ R
        expected = shares**2 / (R.T @ M @ R).diagonal()
        np.testing.assert_allclose(compared.effective_mass[:5], expected, atol=1e-6)

    def test_match(self, hex_bar, compared):
        modes = modal.eigenmodes(hex_bar, n=6)
        itself = modal.accuracy(hex_bar, modes)
        np.testing.assert_allclose(itself.match, np.eye(6), atol=1e-6)
        # by the error of the frequency: 1 - m^2 <= (error of omega^2) / (gap), the gap at least 0.2 here
        lost = 1 - compared.match.diagonal()[:3] ** 2
        assert (lost < 2 * compared.free.error[:3] / 0.2 + 1e-9).all()

    @pytest.mark.parametrize(
        "frame", [modal.FixedPoint("x0"), modal.Chord("x0", "x1")], ids=lambda f: f.label
    )
    def test_a_body_in_any_frame(self, hex_bar, frame, compared):
        """The same space gives the same linear answers, whatever the frame."""
        body = modal.reduce(hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5), frame=frame)
        found = modal.accuracy(hex_bar, body, n=6)
        np.testing.assert_allclose(found.free.reduced_hz, compared.free.reduced_hz, rtol=1e-6)
        np.testing.assert_allclose(found.held.reduced_hz, compared.held.reduced_hz, rtol=1e-6)
        np.testing.assert_allclose(found.effective_mass, compared.effective_mass, atol=1e-6)
        for name in ENDS:
            np.testing.assert_allclose(found.static_error[name], compared.static_error[name], atol=1e-6)
        assert found.match is None

    def test_rigid_interfaces_and_report(self, hex_bar, compared):
        effect = modal.interface_effect(hex_bar, ENDS, n=6)
        np.testing.assert_allclose(compared.rigid.increase, effect.increase, atol=1e-9)
        text = compared.report()
        for words in (
            "free body",
            "interfaces held",
            "static",
            "effective masses",
            "closest reduced one",
            "rigid in place",
        ):
            assert words in text
        assert "combinations dropped" in text

    def test_rigid_interfaces_are_compared_with_the_model_without(self, hex_bar):
        """Reduced with rigid ends, all frequencies are at least those of the body that is rigid there."""
        found = modal.accuracy(
            hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5, interface=modal.Rigid()), n=4
        )
        assert (found.free.error > found.rigid.increase - 1e-9).all()
        assert (found.rigid.increase > 1e-6).all()
        np.testing.assert_allclose(found.held.error, 0, atol=1e-7)
        assert "its interfaces are rigid" in found.report()

    def test_the_body_reports_it_and_its_file_keeps_it(self, hex_bar, compared, tmp_path):
        body = modal.reduce(hex_bar, modal.craig_bampton(hex_bar, ENDS, n_normal=5))
        assert "not compared" in body.report()
        text = body.report(hex_bar)
        words = ("interfaces held", "static", "effective masses", "rigid in place", "orthogonality")
        for word in (*words, "combinations dropped", "geometric stiffening: centrifugal"):
            assert word in text
        assert f"{compared.free.full_hz[0]:.6g}" in text
        kept = body.with_accuracy(hex_bar, n=6)
        assert compared.lines()[:8] == list(kept.accuracy[:8])
        assert modal.load(kept.save(tmp_path / "bar.h5")).report() == kept.report()
        # what was said of it does not hold for a body that is changed
        assert "not compared" in modal.tune(kept, {9: 17000.0}).report()
        assert "not compared" in kept.turned(np.diag([-1.0, -1.0, 1.0])).report()

    def test_within(self):
        found = modal.quality.accuracy.Frequencies(
            np.array([1.0, 2.001, 3.3, 4.0]), np.array([1.0, 2.0, 3.0, 4.0])
        )
        assert found.within(0.01) == 2.0
        assert found.within(1e-6) == 1.0
        assert found.within(0.2) == 4.0

    @pytest.mark.parametrize("n", [0, 2.5, True])
    def test_a_number_that_is_none(self, hex_bar, n):
        with pytest.raises(fem.InputError, match=r"n (is|must be an integer)"):
            modal.accuracy(hex_bar, modal.eigenmodes(hex_bar, n=3), n=n)

    def test_without_interfaces(self, hex_bar):
        compared = modal.accuracy(hex_bar, modal.eigenmodes(hex_bar, n=3))
        assert compared.held is None
        assert not compared.static_error
        assert "free body" in compared.report()

    def test_constraint_modes_alone_have_no_held_modes(self, hex_bar):
        compared = modal.accuracy(hex_bar, modal.constraint_modes(hex_bar, ENDS))
        assert len(compared.held.reduced_hz) == 0
        assert "no modes at all" in compared.report()

    def test_another_structure(self, hex_bar):
        body = modal.reduce(hex_bar, modal.eigenmodes(hex_bar, n=3))
        with pytest.raises(fem.InputError, match="another one"):
            modal.accuracy(bar(size=(0.3, 0.02, 0.04)), body)

    def test_a_turned_body(self, hex_bar):
        """Its axes are no longer the structure's, though its mass is."""
        body = modal.reduce(hex_bar, modal.eigenmodes(hex_bar, n=3))
        turned = body.turned(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        with pytest.raises(fem.InputError, match="turned since"):
            modal.accuracy(hex_bar, turned)


class TestRecommend:
    @pytest.mark.parametrize("reach", [1.2, 4.5])
    def test_is_right_within_a_percent(self, hex_bar, reach, exact_free, exact_held):
        exact = exact_free
        f_max_hz = reach * exact[0]
        found = modal.recommend(hex_bar, ENDS, f_max_hz=f_max_hz)
        body = modal.reduce(hex_bar, found.basis)
        below = exact <= f_max_hz
        error = body.frequencies_hz[: below.sum()] / exact[below] - 1
        assert below.any()
        assert error.max() < 0.01
        # as many modes with held interfaces as there are below twice f_max_hz, or more where that was not enough
        assert (exact_held < 2 * f_max_hz).sum() <= found.basis.N - 12
        assert found.basis.N < 40
        assert "constraint modes" in found.report()

    @pytest.mark.parametrize("names", [ENDS, ("x0",)])
    def test_loads_at_interfaces_are_exact_however_low_f_max(self, hex_bar, names):
        """Balanced by the body's inertia, as dense linear algebra has them; without its own shapes they are not."""
        found = modal.recommend(hex_bar, names, f_max_hz=1.0)
        assert "above 1 Hz" in found.report()
        body = modal.reduce(hex_bar, found.basis)
        R, T = hex_bar.rigid_modes(), stacked(hex_bar, names)
        MR = hex_bar.M @ R
        scale = np.abs(hex_bar.K.toarray()).max()
        whole = np.block([[hex_bar.K.toarray() / scale, MR], [MR.T, np.zeros((6, 6))]])
        u = np.linalg.solve(whole, np.vstack([T.T / scale, np.zeros((6, len(T)))]))[: hex_bar.n]
        J = np.vstack([np.vstack([body.markers[name].Phi, body.markers[name].B]) for name in names])
        np.testing.assert_allclose(
            (J @ np.linalg.solve(body.K, J.T)).diagonal(), (T @ u).diagonal(), rtol=1e-6
        )
        error = modal.stress_error(hex_bar, body, interfaces=names).rms
        assert max(values[:6].max() for values in error.values()) < 1e-6
        # turning about y or z: but for the shapes that are left out, as the report says
        assert max(values[7:].max() for values in error.values()) < 0.01
        assert "without 'rotation, yy'" in found.report()

    def test_stress_of_a_turning_blade(self, hex_bar):
        """Halfway along a bar on a hub: rho W^2 (L^2 - x^2) / 2 = 3/8 rho W^2 L^2, and 1 % for the element's mean over
        the section. Accelerations alone would fit (L - x) to it: 0.83 of that."""
        basis = modal.recommend(hex_bar, ("x0",), f_max_hz=1.0).basis
        body = modal.reduce(
            hex_bar, basis, frame=modal.FixedPoint("x0"), markers=("middle",), stiffening=False
        )
        assert np.abs(body.markers["x0"].point).max() < 1e-12
        assert (
            np.abs(body.C2).max() > 0
        )  # the frame is the hub's: no forces of its own on the modes but the rotation's
        W = np.array([0, 0, 1.0])
        alpha = np.linalg.solve(body.K, np.einsum("a,iab,b->i", W, body.C4, W))
        modes = body.stress_modes
        axial = modes.stress(alpha[None])[0][modes.rows_of("middle"), 0]
        assert axial.mean() == pytest.approx(3 / 8 * STEEL.rho * 0.3**2, rel=0.01)

    def test_all_shapes_of_rotation_are_exact(self, hex_bar):
        """Held at both ends: constraint modes, accelerations and rotation leave nothing under any of the loads."""
        shapes = modal.inertia_modes(hex_bar, interfaces=ENDS, rotation=True)
        assert shapes.N == 12
        basis = modal.combine(modal.craig_bampton(hex_bar, ENDS, n_normal=0), shapes)
        for frame in (None, modal.Chord(*ENDS)):
            body = modal.reduce(hex_bar, basis, frame=frame, stiffening=False)
            assert modal.stress_error(hex_bar, body, interfaces=ENDS).worst < 1e-6
        without = modal.combine(
            modal.craig_bampton(hex_bar, ENDS, n_normal=0), modal.inertia_modes(hex_bar, (), interfaces=ENDS)
        )
        body = modal.reduce(hex_bar, without, stiffening=False)
        assert modal.stress_error(hex_bar, body, interfaces=ENDS).rms["x0"][8] > 0.01

    def test_more_than_the_mesh_can_tell(self):
        assert "refine it" in modal.recommend(rod(8), ("start", "end"), f_max_hz=1e6).report()

    def test_too_many_modes_are_refused(self, hex_bar, monkeypatch):
        monkeypatch.setattr(recommendation, "MAX_MODES", 20)
        with pytest.raises(
            fem.InputError, match=r"the free body has \d+ modes up to .* more than 20 are too many"
        ):
            modal.recommend(hex_bar, ENDS, f_max_hz=1e6)

    def test_too_many_modes_are_counted_not_sought(self, hex_bar, monkeypatch):
        """By Sylvester's law, of 489: no more than the first eight are solved for."""
        sought = []
        monkeypatch.setattr(recommendation, "free_modes", lambda s, n: sought.append(n) or free_modes(s, n))
        f_max_hz = 1e6
        squares = scipy.linalg.eigh(hex_bar.K.toarray(), hex_bar.M.toarray(), eigvals_only=True)[6:]
        number = (squares < (2 * np.pi * f_max_hz) ** 2).sum()
        assert number > recommendation.MAX_MODES
        with pytest.raises(fem.InputError, match=f"the free body has {number} modes up to 1e\\+06 Hz"):
            modal.recommend(hex_bar, ENDS, f_max_hz=f_max_hz)
        assert sought == [recommendation.FIRST_MODES]

    def test_a_proposal_is_a_basis(self, hex_bar):
        proposal = modal.recommend(hex_bar, ENDS, f_max_hz=3000.0)
        body = modal.reduce(hex_bar, proposal, stiffening=False)
        np.testing.assert_array_equal(body.K, modal.reduce(hex_bar, proposal.basis, stiffening=False).K)
        assert modal.accuracy(hex_bar, proposal).N == body.N
        assert modal.combine(proposal, modal.eigenmodes(hex_bar, n=1)).N == proposal.basis.N + 1

    @pytest.mark.parametrize("names", [("x0",), (*ENDS, "middle")])
    def test_other_numbers_of_interfaces(self, hex_bar, names, exact_free):
        found = modal.recommend(hex_bar, names, f_max_hz=1.5 * exact_free[0])
        below = exact_free <= 1.5 * exact_free[0]
        hz = modal.reduce(hex_bar, found.basis, stiffening=False).frequencies_hz[: below.sum()]
        assert np.abs(hz / exact_free[below] - 1).max() < 0.01
        assert ("second interface" in found.report()) == (len(names) == 1)

    def test_shells_beams_and_solids_together(self):
        """A plate on a post of beams that stands in a block: right within 1 % where it says so."""
        structure = block_with_a_flag()
        K, M = structure.K.toarray(), structure.M.toarray()
        shift = 1e6  # shells turn about their normal without mass: 1 / (omega^2 + shift), largest first
        largest = scipy.linalg.eigh(M, K + shift * M, eigvals_only=True)[::-1][6:12]
        exact = np.sqrt(1 / largest - shift) / (2 * np.pi)
        f_max_hz = 1.01 * exact[3]
        found = modal.recommend(structure, ("x0", "edge"), f_max_hz=f_max_hz)
        hz = modal.reduce(structure, found.basis, stiffening=False).frequencies_hz
        assert np.abs(hz[:4] / exact[:4] - 1).max() < 0.01

    def test_loads_are_added(self, hex_bar):
        load = fem.Pressure("y1", 1e5)
        found = modal.recommend(hex_bar, ENDS, f_max_hz=1000.0, loads={"wind": load})
        assert found.basis.labels[-1] == "wind"
        # under that load with the frames held the reduced body gives the full model's answer
        T = stacked(hex_bar)
        Z = scipy.linalg.null_space(T / np.linalg.norm(T, axis=1)[:, None])
        f = fem.load_vector(hex_bar, load)
        u = Z @ np.linalg.solve(Z.T @ hex_bar.K @ Z, Z.T @ f)
        a = np.linalg.lstsq(found.basis.Phi, u, rcond=None)[0]
        np.testing.assert_allclose(found.basis.Phi @ a, u, atol=1e-6 * np.abs(u).max())

    def test_sets_without_rotation(self):
        structure = fem.assemble(bar().mesh.select("corner", nearest=(0, 0, 0)), STEEL)
        found = modal.recommend(structure, ("corner", "x1"), f_max_hz=2000.0)
        assert "Craig-Chang" in found.basis.kind
        assert "'corner' can't carry a moment" in found.report()

    def test_without_interfaces(self, hex_bar):
        found = modal.recommend(hex_bar, (), f_max_hz=3000.0)
        assert "own rotation" in found.report()
        assert modal.accuracy(hex_bar, found.basis).free.up_to(3000.0) < 1e-6

    def test_bad_input(self, hex_bar):
        with pytest.raises(fem.InputError, match="f_max_hz is -1"):
            modal.recommend(hex_bar, ENDS, f_max_hz=-1)
        with pytest.raises(fem.InputError, match="'hole'"):
            modal.recommend(hex_bar, ("hole",), f_max_hz=100.0)


def test_bases_of_one_structure_share_the_modes_of_the_full_model(monkeypatch):
    """A second basis gets the findings that it would get alone; other interfaces and numbers get their own modes."""
    structure, alone = bar(), bar()
    modal.accuracy(structure, modal.craig_bampton(structure, ENDS, n_normal=4), n=4)
    second = modal.craig_bampton(structure, ENDS, n_normal=2)
    expected = modal.accuracy(alone, modal.craig_bampton(alone, ENDS, n_normal=2), n=4)
    accuracy_module = sys.modules["modal.quality.accuracy"]
    with monkeypatch.context() as patch:
        for name in ("free_modes", "tied_eigenmodes"):
            patch.setattr(accuracy_module, name, None)  # a call would fail
        assert modal.accuracy(structure, second, n=4).report() == expected.report()
    one = modal.accuracy(structure, modal.craig_bampton(structure, "x0", n_normal=4), n=4)
    held = dense_hz(structure, stacked(structure, ("x0",)))[:4]
    np.testing.assert_allclose(one.held.full_hz, held, rtol=1e-7)  # of the eigenvalue solver
    assert len(modal.accuracy(structure, second, n=2).free.full_hz) == 2
    with pytest.raises(ValueError, match="read-only"):
        one.free.full_hz[0] = 0.0
