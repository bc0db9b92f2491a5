"""Shapes that follow contacts: what they span, where they are left out, and what is refused."""

import numpy as np
import pytest

import fem
import modal
from modal.body.station_shapes import checked

SPAN, N = 2.0, 16
NAMES = tuple(f"s{k}" for k in range(N + 1))
ENDS = (NAMES[0], NAMES[-1])


@pytest.fixture(scope="module")
def beam():
    x = np.linspace(0, SPAN, N + 1)
    cells = np.stack([np.arange(N), np.arange(1, N + 1)], axis=1)
    mesh = fem.Mesh(
        np.stack([x, 0 * x, 0 * x], axis=1), (fem.Block("line2", cells),), {name: [k] for k, name in enumerate(NAMES)}
    )  # fmt: skip
    return fem.assemble(mesh, fem.Beam(fem.Isotropic(E=70e9, nu=0.3, rho=2700.0), fem.Rectangle(0.03, 0.02)))


@pytest.fixture(scope="module")
def others(beam):
    return modal.combine(
        modal.craig_bampton(beam, ENDS, n_normal=2), modal.inertia_modes(beam, interfaces=ENDS)
    )


def test_they_span_the_static_shapes_of_all_loads(beam):
    """Inertia relief of unit forces: to the accuracy to which the flexibility of 17 x 2 loads is inverted."""
    following = modal.following_modes(beam, NAMES)
    assert {entry[1] for entry in following.follows} == {"y", "z"}  # x is along the line
    loads = modal.attachment_modes(beam, dict.fromkeys(NAMES, ("y", "z")))
    left = loads.Phi - following.Phi @ np.linalg.lstsq(following.Phi, loads.Phi, rcond=None)[0]
    assert np.abs(left).max() < 1e-8 * np.abs(loads.Phi).max()


def test_a_load_between_supports_deforms_a_body_by_its_shape_and_the_other_base_functions(beam, others):
    """eta of K^-1 Phi' f is along the curve at the station, and eta of the other base functions is zero.

    Combinations of the mass norm 1e-5 that reduce drops are stiff: they change the strain energy of others by 4e-4.
    """
    following = modal.following_modes(beam, NAMES, components="z")
    body = modal.reduce(beam, modal.combine(others, following), stress=False, stiffening=False)
    shapes = body.station_shapes
    assert shapes.stations["z"] == NAMES[1:-1]  # the shapes of the ends are among the other base functions
    for name, n in zip(shapes.stations["z"], shapes.curves["z"], strict=True):
        eta = shapes.rows @ np.linalg.solve(body.K, body.markers[name].Phi[2])
        assert np.linalg.norm(eta - n * (n @ eta) / (n @ n)) < 1e-6 * np.linalg.norm(eta)
    plain = modal.reduce(beam, others, stress=False, stiffening=False)
    alone = np.linalg.svd(shapes.rows)[2][len(shapes.rows) :].T  # base functions with eta = 0
    assert alone.shape[1] == plain.N
    ritz = np.linalg.eigvalsh(alone.T @ body.K @ alone)
    np.testing.assert_allclose(ritz, plain.K.diagonal(), rtol=1e-3)


def test_neighbours_that_differ_too_much_are_told(beam):
    rich = modal.combine(
        modal.craig_bampton(beam, ENDS, n_normal=12), modal.inertia_modes(beam, interfaces=ENDS)
    )
    coarse = modal.following_modes(beam, NAMES[::2], components="z")
    with pytest.warns(fem.FlexbodyWarning, match="differ too much between the stations"):
        modal.reduce(beam, modal.combine(rich, coarse), stress=False, stiffening=False)


def test_refusals(beam, others):
    with pytest.raises(fem.InputError, match="at least four"):
        modal.following_modes(beam, NAMES[:3])
    with pytest.raises(fem.InputError, match="depend on each other"):
        modal.following_modes(beam, NAMES, components=("y", "z", "ry", "rz"))
    with pytest.raises(fem.InputError, match="2 columns and 1 entries of follows="):
        modal.Basis(beam, others.Phi[:, :2], ("a", "b"), follows=(None,))
    shapes = modal.StationShapes(np.eye(3), {"z": ("a", "b")}, {"z": np.eye(3)})
    with pytest.raises(fem.InputError, match=r"must be finite and have the shapes \[\(3, 4\), \(2, 3\)\]"):
        checked(shapes, 4, "shapes")
