"""Reduced bodies as files of other programs."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

import fem
import modal
from modal.body.superelement import superelement


@pytest.fixture(scope="module", params=[None, modal.FixedPoint("x0")], ids=str)
def body(request):
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    bar = fem.assemble(fem.box((1.0, 0.1, 0.05), (4, 1, 1)), steel)
    basis = modal.craig_bampton(bar, ("x0", "x1"), n_normal=2)
    return modal.reduce(bar, basis, name="bar", frame=request.param, markers=("y0",), stress=False)


def test_the_archive_holds_all_arrays(body, tmp_path):
    with np.load(body.export(tmp_path / "bar.npz")) as archive:
        for name in ("C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K", "mass"):
            np.testing.assert_array_equal(archive[name], getattr(body, name))
        assert archive["markers"].tolist() == list(body.markers)
        np.testing.assert_array_equal(archive["Phi"][1], body.markers["x1"].Phi)
        assert ("GF" in archive) == body.stiffened


def test_a_superelement_is_the_same_linear_body(body):
    """Free: the frequencies of the body as it moves freely, from its own matrices (Koppens 2.46 at rest)."""
    names, matrices = superelement(body)
    K, M = matrices["K"], matrices["M"]
    assert names == ["x0", "x1"]
    squares = scipy.linalg.eigh(K, M, eigvals_only=True)
    whole, rigid = np.zeros((6 + body.N, 6 + body.N)), np.zeros((6 + body.N, 6 + body.N))
    rigid[6:, 6:] = body.K
    arm = np.cross(np.eye(3), body.C1).T
    whole[:6, :6] = np.block([[body.mass * np.eye(3), arm], [arm.T, body.C3]])
    whole[6:, :6], whole[:6, 6:], whole[6:, 6:] = (C := np.hstack([body.C2, body.C6])), C.T, body.C8
    expected = scipy.linalg.eigh(rigid, whole, eigvals_only=True)
    assert np.abs(squares[:6]).max() < 1e-9 * squares[6]
    np.testing.assert_allclose(squares[6:], expected[6:], rtol=1e-9)
    # a rigid motion of both markers moves the body without strain
    motion = np.zeros((len(K), 6))
    for k, name in enumerate(names):
        arm = np.cross(np.eye(3), body.markers[name].point).T
        motion[6 * k : 6 * k + 6] = np.block([[np.eye(3), arm], [np.zeros((3, 3)), np.eye(3)]])
    assert np.abs(K @ motion).max() < 1e-9 * np.abs(K).max()
    rest = M[:12, :12]
    total = motion[:12].T @ rest @ motion[:12] + 2 * motion[:12].T @ M[:12, 12:] @ motion[12:]
    np.testing.assert_allclose(np.diag(total)[:3], body.mass, rtol=1e-9)


def test_a_superelement_needs_markers(body, tmp_path):
    with pytest.raises(fem.InputError, match="no marker with a rotation"):
        replace(body, markers={}).export(tmp_path / "bar.mtx")


def test_other_endings_are_refused(body, tmp_path):
    with pytest.raises(fem.InputError, match="ending"):
        body.export(tmp_path / "bar.op2")


def test_damping_and_names_go_out_and_are_told_when_they_return(tmp_path):
    """u'Du of the superelement is the power of the damper between its ends, 50 N s/m along x."""
    parts = [
        fem.Rigid("Öse, links", "x0", at=(0, 0.05, 0.025)),
        fem.Rigid("B", "x1", at=(1, 0.05, 0.025)),
        fem.Spring("Öse, links", "B", 1e3, damping=(50.0, 0, 0, 0, 0, 0)),
    ]
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    bar = fem.assemble(fem.box((1.0, 0.1, 0.05), (4, 1, 1)), steel, parts=parts)
    body = modal.reduce(bar, modal.craig_bampton(bar, ("Öse, links", "B"), n_normal=2), stress=False)
    _, matrices = superelement(body)
    u = np.random.default_rng(1).normal(size=len(matrices["D"]))
    assert u @ matrices["D"] @ u == pytest.approx(50.0 * (u[6] - u[0]) ** 2, rel=1e-9)
    for ending in (".mtx", ".npz"):
        path = body.export(tmp_path / f"bar{ending}")
        with pytest.warns(fem.FlexbodyWarning, match="the damping matrix '.*' is not read"):
            again = fem.from_matrices(path)
        assert list(again.mesh.node_sets) == ["Öse, links", "B"]
        with pytest.raises(fem.FileError, match=r"fem\.from_matrices reads the superelement"):
            modal.load(path)


@pytest.mark.parametrize("size", [1e-5, 1e4])
def test_superelements_of_tiny_and_huge_bodies(size, tmp_path, recwarn):
    """Frequencies go with 1 / size; rounding is that of the body, whatever the units are."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    bar = fem.assemble(fem.box((size, 0.1 * size, 0.05 * size), (4, 1, 1)), steel)
    body = modal.reduce(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=2), stress=False)
    again = fem.from_matrices(body.export(tmp_path / "bar.npz"))
    assert not any("rounding" in str(w.message) for w in recwarn)
    np.testing.assert_allclose(fem.vibration(again, n=3).frequencies_hz, body.frequencies_hz[:3], rtol=1e-9)


def test_an_archive_without_markers_is_no_superelement(body, tmp_path):
    path = replace(body, markers={}).export(tmp_path / "bar.npz")
    with pytest.raises(fem.FileError, match="without markers that turn"):
        fem.from_matrices(path)
