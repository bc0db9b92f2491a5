"""Constraint modes and Craig-Bampton bases on averaged and rigid interfaces."""

import numpy as np
import pytest
import scipy.linalg
from support.bars import STEEL, bar

import fem
import modal

ENDS = ("x0", "x1")
KINDS = (modal.Averaged(), modal.Rigid())


def stacked(structure, names=ENDS):
    return np.vstack([fem.interface(structure, name).T.toarray() for name in names])


@pytest.mark.parametrize("kind", KINDS, ids=str)
class TestConstraintModes:
    def test_unit_motion_of_each_frame(self, any_bar, kind):
        basis = modal.constraint_modes(any_bar, ENDS, interface=kind)
        np.testing.assert_allclose(stacked(any_bar) @ basis.Phi, np.eye(12), atol=1e-7)
        assert basis.labels[7] == "x1 y"

    def test_rigid_motions_are_among_them(self, any_bar, kind):
        """q of a rigid motion gives that rigid motion."""
        basis = modal.constraint_modes(any_bar, ENDS, interface=kind)
        R = any_bar.rigid_modes()
        np.testing.assert_allclose(basis.Phi @ (stacked(any_bar) @ R), R, atol=1e-7)

    def test_forces_act_on_the_interfaces_alone(self, any_bar, kind):
        basis = modal.constraint_modes(any_bar, ENDS, interface=kind)
        forces = any_bar.K @ basis.Phi
        loaded = np.concatenate([any_bar.mesh.node_sets[name] for name in ENDS])
        inner = np.setdiff1d(np.arange(len(any_bar.mesh.points)), loaded)
        largest = np.abs(forces).max(axis=0)
        assert np.abs(forces.reshape(-1, 3, 12)[inner] / largest).max() < 1e-7


class TestStaticExactness:
    """Loads on interface frames: the reduced body gives the full model's static deformation."""

    @pytest.mark.parametrize("n_normal", [0, 3])
    def test_averaged(self, any_bar, n_normal):
        basis = modal.craig_bampton(any_bar, ENDS, n_normal=n_normal)
        body = modal.reduce(any_bar, basis)
        rng = np.random.default_rng(4)
        T, R = stacked(any_bar), any_bar.rigid_modes()
        # a load on the frames in equilibrium: random, less its resultant
        wrench = rng.normal(size=12)
        wrench -= (T @ R) @ np.linalg.solve((T @ R).T @ (T @ R), (T @ R).T @ wrench)
        # full model, three nodes held by a dense solve with multipliers for the mean displacement
        MR = any_bar.M @ R
        K = any_bar.K.toarray()
        scale = np.abs(K).max()
        full = np.block([[K / scale, MR], [MR.T, np.zeros((6, 6))]])
        u = np.linalg.solve(full, np.concatenate([T.T @ wrench / scale, np.zeros(6)]))[: len(K)]

        frames = [body.markers[name] for name in ENDS]
        J = np.vstack([np.vstack([m.Phi, m.B]) for m in frames])
        alpha = np.linalg.solve(body.K, J.T @ wrench)
        np.testing.assert_allclose(J @ alpha, T @ u, rtol=1e-6, atol=1e-9 * np.abs(T @ u).max())

    def test_rigid(self, any_bar):
        """The same with the frames' nodes condensed."""
        body = modal.reduce(any_bar, modal.constraint_modes(any_bar, ENDS, interface=modal.Rigid()))
        interfaces = [fem.interface(any_bar, name, rigid=True) for name in ENDS]
        held = np.concatenate([(3 * i.nodes[:, None] + np.arange(3)).ravel() for i in interfaces])
        free = np.setdiff1d(np.arange(any_bar.K.shape[0]), held)
        E = np.zeros((any_bar.K.shape[0], len(free) + 12))
        E[free, np.arange(len(free))] = 1
        E[np.ix_(held, np.arange(len(free), len(free) + 12))] = scipy.linalg.block_diag(
            *(i.R for i in interfaces)
        )
        K = E.T @ (any_bar.K @ E)
        wrench = np.zeros(12)
        wrench[[2, 4]], wrench[[8, 10]] = (1, -0.15), (-1, -0.15)  # shear and bending in equilibrium
        supported = np.r_[np.arange(len(free)), len(free) + np.arange(6, 12)]
        load = np.concatenate([np.zeros(len(free)), wrench])
        u = np.zeros(len(load))
        u[supported] = np.linalg.solve(K[np.ix_(supported, supported)], load[supported])
        relative = u[-6:]  # of x1 against x0, held

        J = [np.vstack([body.markers[name].Phi, body.markers[name].B]) for name in ENDS]
        motion = np.concatenate(J) @ np.linalg.solve(body.K, np.concatenate(J).T @ wrench)
        turn, arm = motion[3:6], interfaces[1].point - interfaces[0].point
        carried = motion[6:] - np.concatenate([motion[:3] + np.cross(turn, arm), turn])
        np.testing.assert_allclose(carried, relative, rtol=1e-6, atol=1e-8 * np.abs(relative).max())


@pytest.mark.parametrize("kind", KINDS, ids=str)
class TestCraigBampton:
    def test_normal_modes_leave_the_frames_at_rest(self, any_bar, kind):
        basis = modal.craig_bampton(any_bar, ENDS, n_normal=5, interface=kind)
        normal = basis.Phi[:, 12:]
        np.testing.assert_allclose(stacked(any_bar) @ normal / np.abs(normal).max(), 0, atol=1e-8)

    def test_with_frames_held_the_frequencies_are_those_of_the_full_model(self, any_bar, kind):
        """Full model with the same conditions, by the null space of the conditions."""
        basis = modal.craig_bampton(any_bar, ENDS, n_normal=6, interface=kind)
        if not kind.rigid:
            conditions = stacked(any_bar)
        else:
            nodes = np.concatenate([any_bar.mesh.node_sets[name] for name in ENDS])
            conditions = np.eye(any_bar.K.shape[0])[(3 * nodes[:, None] + np.arange(3)).ravel()]
        Z = scipy.linalg.null_space(conditions / np.linalg.norm(conditions, axis=1)[:, None])
        K, M = (Z.T @ (A @ Z) for A in (any_bar.K, any_bar.M))
        squares = scipy.linalg.eigh(K, M, eigvals_only=True, subset_by_index=(0, 5))
        np.testing.assert_allclose(basis.frequencies_hz, np.sqrt(squares) / (2 * np.pi), rtol=1e-7)

    def test_no_normal_modes(self, any_bar, kind):
        basis = modal.craig_bampton(any_bar, ENDS, n_normal=0, interface=kind)
        assert basis.N == 12
        assert basis.frequencies_hz.size == 0


@pytest.mark.slow
def test_free_frequencies_converge_to_the_full_model():
    """From above (Rayleigh-Ritz), with more normal modes."""
    structure = bar()
    exact = modal.eigenmodes(structure, n=5).frequencies_hz
    errors = []
    for n in (4, 12, 36):
        body = modal.reduce(structure, modal.craig_bampton(structure, ENDS, n_normal=n))
        errors.append(body.frequencies_hz[:5] / exact - 1)
    errors = np.array(errors)
    assert (errors > -1e-9).all()
    assert (errors[1] < errors[0]).all()
    assert (errors[2] < errors[1]).all()
    assert errors[2].max() < 1e-4


def condensed_frequencies(structure, names, n):
    """Lowest elastic frequencies of the free full model whose named sets move as rigid bodies, Hz."""
    interfaces = [fem.interface(structure, name, rigid=True) for name in names]
    held = np.concatenate([(3 * i.nodes[:, None] + np.arange(3)).ravel() for i in interfaces])
    free = np.setdiff1d(np.arange(structure.K.shape[0]), held)
    E = np.zeros((structure.K.shape[0], len(free) + 6 * len(names)))
    E[free, np.arange(len(free))] = 1
    E[held, len(free) :] = scipy.linalg.block_diag(*(i.R for i in interfaces))
    squares = scipy.linalg.eigh(E.T @ (structure.K @ E), E.T @ (structure.M @ E), eigvals_only=True)
    return np.sqrt(squares[6 : 6 + n]) / (2 * np.pi)


@pytest.mark.slow
def test_rigid_interfaces_are_stiffer():
    """They are a constraint on the full model: every frequency rises, as the condensed full model says."""
    structure = bar("hex20", (5, 1, 2), (0.1, 0.03, 0.04))
    condensed = condensed_frequencies(structure, ENDS, 4)
    effect = modal.interface_effect(structure, ENDS, n=4)
    np.testing.assert_allclose(effect.averaged_hz, modal.eigenmodes(structure, n=4).frequencies_hz, rtol=1e-9)
    np.testing.assert_allclose(effect.rigid_hz, condensed, rtol=1e-8)
    assert (effect.increase > 1e-4).all()
    assert "4 " in effect.report()
    bodies = [
        modal.reduce(structure, modal.craig_bampton(structure, ENDS, n_normal=n, interface=modal.Rigid()))
        for n in (10, 80)
    ]
    errors = np.array([body.frequencies_hz[:4] / condensed - 1 for body in bodies])
    assert (errors > -1e-9).all()
    assert (errors[1] < 0.2 * errors[0]).all()
    held = [modal.craig_bampton(structure, ENDS, n_normal=8, interface=kind).frequencies_hz for kind in KINDS]
    assert (held[1] > held[0]).all()


def test_one_rigid_interface_alone():
    structure = bar("hex20", (5, 1, 2), (0.1, 0.03, 0.04))
    effect = modal.interface_effect(structure, "x0", n=3)
    np.testing.assert_allclose(effect.rigid_hz, condensed_frequencies(structure, ("x0",), 3), rtol=1e-8)


@pytest.mark.slow
def test_lumped_structure_takes_the_same_path():
    """Koppens 5.4.3: lumped mass needs a finer mesh; its error falls as the elements become shorter."""
    errors = []
    for n in (8, 16):
        lumped, consistent = (bar("hex20", (n, 1, 2), lumped=flag) for flag in (True, False))
        body, reference = (
            modal.reduce(s, modal.craig_bampton(s, ENDS, n_normal=4)) for s in (lumped, consistent)
        )
        assert body.mass == pytest.approx(reference.mass, rel=1e-12)
        errors.append(np.abs(body.frequencies_hz[:3] / reference.frequencies_hz[:3] - 1))
    assert (errors[1] < 0.6 * errors[0]).all()
    assert (errors[0] > 1e-3).all()


class TestBadInput:
    def test_unknown_set(self, hex_bar):
        with pytest.raises(fem.InputError, match=r"'eye'.*'x0'"):
            modal.craig_bampton(hex_bar, ("eye", "x1"), n_normal=3)

    def test_no_interface(self, hex_bar):
        with pytest.raises(fem.InputError, match="no interfaces"):
            modal.constraint_modes(hex_bar, ())

    def test_twice_the_same(self, hex_bar):
        with pytest.raises(fem.InputError, match="twice"):
            modal.constraint_modes(hex_bar, ("x0", "x0"))

    def test_kind(self, hex_bar):
        with pytest.raises(
            fem.InputError, match=r"interface='rigid' is not a kind of interface; give modal.Averaged\(\) or"
        ):
            modal.constraint_modes(hex_bar, ENDS, interface="rigid")

    def test_number(self, hex_bar):
        for n in (-1, 10**6, 1.5):
            with pytest.raises(fem.InputError, match="can't compute"):
                modal.craig_bampton(hex_bar, ENDS, n_normal=n)

    @pytest.mark.parametrize("kind", KINDS, ids=str)
    def test_a_node_alone_carries_no_moment(self, kind):
        mesh = bar().mesh.select("corner", nearest=(0, 0, 0))
        structure = fem.assemble(mesh, STEEL)
        with pytest.raises(fem.InputError, match="'corner' can't carry a rotation"):
            modal.constraint_modes(structure, ("corner", "x1"), interface=kind)

    def test_sets_that_overlap(self):
        mesh = bar().mesh.select("also x0", plane=((0, 0, 0), (1, 0, 0)))
        structure = fem.assemble(mesh, STEEL)
        with pytest.raises(fem.InputError, match="depend on each other"):
            modal.constraint_modes(structure, ("x0", "also x0"))
        with pytest.raises(fem.InputError, match="share"):
            modal.constraint_modes(structure, ("x0", "also x0"), interface=modal.Rigid())
