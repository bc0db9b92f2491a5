"""SID bodies in a held frame that have no moment of inertia about an axis: thin rods and planar models."""

import numpy as np

from modal.body.sid_frame import HeldFrame


def rod(axial: float) -> HeldFrame:
    """A rod of 1 m and 1 kg along x from the origin, ``u = x^2 e_y``, with a moment of inertia about its axis."""
    half = 0.25  # int rho x u_y: the first moment of the base function
    L = np.zeros((1, 3, 3))
    L[0, 0, 1] = L[0, 1, 0] = 0.5 * half
    return HeldFrame(
        mass=1.0, C1=np.array([0.5, 0, 0]), C2=np.array([[0, 1 / 3, 0]]), C3=np.diag([axial, 1 / 3, 1 / 3]),
        C4=-L, C6=np.array([[0, 0, half]]), K0t=np.zeros((1, 1, 3)), K0r=np.zeros((1, 1, 3)),
    )  # fmt: skip


def test_a_rod_without_inertia_about_its_axis():
    """The mean translation of x^2 is 1/3; its mean rotation is 12 int (x - 1/2) x^2 = 1, as with inertia of 1e-3."""
    thin, thick = rod(0.0), rod(1e-3)
    np.testing.assert_allclose(thin.b, [[0, -1 / 3, 0]], rtol=1e-12)
    np.testing.assert_allclose(thin.beta, [[0, 0, -1.0]], rtol=1e-12)
    at, Phi = (
        np.array([0.5, 0, 0]),
        np.array([[0], [1 / 6], [0]]),
    )  # the end: x'^2 + ... without its mean motion
    for one, other in (
        (thin.beta, thick.beta),
        (thin.first_moments(), thick.first_moments()),
        (thin.force(np.array([1.0, 2.0, 3.0]), at, Phi), thick.force(np.array([1.0, 2.0, 3.0]), at, Phi)),
        (thin.moment(np.array([0, 2.0, 3.0]), Phi), thick.moment(np.array([0, 2.0, 3.0]), Phi)),
        (thin.rotation(), thick.rotation()),
    ):
        np.testing.assert_allclose(one, other, atol=1e-3)  # (what turns about the axis is 1e-3 of the rest)


def test_a_planar_model_has_one_moment_of_inertia():
    """About the mass centre such numbers give axes with none, or less than none; no body turns about them."""
    frame = rod(0.0)
    planar = HeldFrame(
        **{**{key: getattr(frame, key) for key in frame.__dataclass_fields__}, "C3": np.diag([0, 0, 1 / 3])}
    )

    np.testing.assert_allclose(planar.beta, [[0, 0, -1.0]], atol=1e-12)
    assert np.isfinite(planar.rotation()).all()
