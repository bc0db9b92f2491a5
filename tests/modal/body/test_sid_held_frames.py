"""SID files in a frame that is held, with all stiffening terms: the body in the mean-displacement frame."""

import numpy as np
import pytest
import scipy
from support.sid_held import held_text

import fem
import modal

pytestmark = pytest.mark.slow  # together a second or more

#: files have 12 digits; products of base functions with rigid motions add up to a hundred times that
ROUNDING = 1e-7


@pytest.fixture(scope="module")
def bent_bar():
    """A bar of solids that is bent, so that no term vanishes."""
    mesh = fem.box((1.0, 0.05, 0.03), (3, 1, 1), "hex20")
    points = mesh.points.copy()
    points[:, 1] += 0.1 * points[:, 0] ** 2
    points[:, 2] += 0.05 * points[:, 0]
    mesh = fem.Mesh(points, mesh.blocks, {name: mesh.nodes_of(name) for name in ("x0", "x1")})
    return fem.assemble(mesh, fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))


@pytest.fixture(scope="module")
def expected(bent_bar):
    return modal.reduce(bent_bar, modal.craig_bampton(bent_bar, ("x0", "x1"), n_normal=2), stress=False)


def in_its_modes(body, expected):
    """The transformation of a body's base functions to those of another of the same space."""
    _, V = scipy.linalg.eigh(body.K, body.C8)
    at = [(body.markers[name], expected.markers[name]) for name in ("x0", "x1")]
    moved = [((a.Phi @ V) * b.Phi + 1e-3 * (a.B @ V) * b.B).sum(axis=0) for a, b in at]  # of torsion B alone
    return V * np.sign(sum(moved))


def test_a_tangent_frame_becomes_the_mean_frame(bent_bar, expected, tmp_path, recwarn):
    """Terms by finite elements that are held at x0, by own sums; reduction in the mean frame knows no supports."""
    path = tmp_path / "held.sid"
    path.write_text(held_text(bent_bar, "x0", ("x0", "x1"), n_normal=2))
    body = modal.read_sid(path)
    assert not [one for one in recwarn if "held.sid" in str(one.message)]
    assert (body.mean, body.stiffened, body.frame) == (True, True, "MeanDisplacement")
    np.testing.assert_allclose(body.frequencies_hz, expected.frequencies_hz, rtol=ROUNDING)
    V = in_its_modes(body, expected)

    def close(value, wanted, tolerance=ROUNDING):
        assert np.abs(value - wanted).max() <= tolerance * np.abs(wanted).max()

    close(body.origin, expected.origin)
    close(body.C3, expected.C3)
    close(np.einsum("ia,ibc->abc", V, body.C4), expected.C4)
    close(np.einsum("ia,jb,ijc->abc", V, V, body.C7), expected.C7)
    C5 = np.einsum("ia,jb,ijcd->abcd", V, V, body.C5)
    assert (
        np.abs(C5 - expected.C5 - expected.C5_stiffening).max() <= 1e-6 * np.abs(expected.C5_stiffening).max()
    )
    for name, wanted in expected.markers.items():
        its = body.markers[name]
        close(its.point, wanted.point)
        close(its.Phi @ V, wanted.Phi)
        close(its.B @ V, wanted.B)
        close(np.einsum("ia,jb,cij->cab", V, V, its.GF), wanted.GF)
        close(np.einsum("ia,jb,cij->cab", V, V, its.GM), wanted.GM)


def test_nodes_without_second_order_are_named(bent_bar, tmp_path):
    """The node that is held has none, rightly: its forces stiffen by the inertia forces that are in balance."""
    path = tmp_path / "held.sid"
    path.write_text(held_text(bent_bar, "x0", ("x0", "x1"), n_normal=2, curved=()))
    with pytest.warns(fem.FlexbodyWarning, match="forces on the nodes 'x1' do not stiffen the body"):
        body = modal.read_sid(path)
    assert body.markers["x1"].GF is None
    assert body.markers["x0"].GF.any()


def test_a_prestress_is_part_of_the_stiffness(bent_bar, tmp_path):
    path = tmp_path / "held.sid"
    path.write_text(held_text(bent_bar, "x0", ("x0", "x1"), n_normal=2))
    before = modal.read_sid(path)
    path.write_text(held_text(bent_bar, "x0", ("x0", "x1"), n_normal=2, prestress=0.25))
    np.testing.assert_allclose(modal.read_sid(path).frequencies_hz, before.frequencies_hz * np.sqrt(1.25))


def curved_beam(elements):
    """A beam of 30 x 20 mm that is bent about two axes, about 1.05 m long."""
    s = np.linspace(0, 1, elements + 1)
    lines = np.stack([np.arange(elements), np.arange(1, elements + 1)], axis=1)
    mesh = fem.Mesh(
        np.stack([s, 0.3 * s**2, 0.1 * s**3], axis=1),
        (fem.Block("line2", lines),),
        {"x0": [0], "x1": [elements]},
    )
    section = fem.Rectangle(0.02, 0.03)
    return fem.assemble(mesh, fem.Beam(fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), section, up=(0, 0.1, 1)))


def off_by(structure, path, points):
    """The largest error of C5 with its stiffening, over the largest stiffening coefficient."""
    path.write_text(held_text(structure, "x0", ("x0", "x1"), n_normal=2, points=points))
    body = modal.read_sid(path)
    expected = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2), stress=False)
    V = in_its_modes(body, expected)
    C5 = np.einsum("ia,jb,ijcd->abcd", V, V, body.C5)
    return np.abs(C5 - expected.C5 - expected.C5_stiffening).max() / np.abs(expected.C5_stiffening).max()


def test_beams_in_a_tangent_frame(tmp_path):
    """The error falls as the square of the element's size: loads between nodes have no stress in an element.

    It does not where the file's terms leave out that the points of turning sections move to second order.
    """
    coarse, fine = (off_by(curved_beam(n), tmp_path / "held.sid", True) for n in (12, 24))
    assert fine < 0.2
    assert coarse / fine == pytest.approx(4, rel=0.2)  # 3.8 of 16 and 32 elements
    coarse, fine = (off_by(curved_beam(n), tmp_path / "held.sid", False) for n in (24, 28))
    assert coarse / fine == pytest.approx(1, abs=0.05)
