"""Reduced bodies of every element: inertia integrals against sums over the elements' own mass points."""

import numpy as np
import pytest
from support.every import bent, cases

import fem
import modal

EVERY = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


def mass_points(structure, u):
    """Points (q, 3), masses (q,) and displacements (q, 3, N) for u (unknowns, N), from the elements themselves."""
    points, masses, moved = [], [], []
    motions = u if structure.freedoms.L is None else structure.freedoms.L @ u
    for group in structure.groups:
        samples = group.property.samples(group.kind, structure.mesh.points[group.nodes])
        dofs = structure.freedoms.of_elements(group.nodes, group.property.freedoms)
        points.append(samples.points.reshape(-1, 3))
        masses.append(samples.weights.ravel())
        moved.append(np.einsum("eqkd,edj->eqkj", samples.shape, motions[dofs]).reshape(-1, 3, u.shape[1]))
    return np.concatenate(points), np.concatenate(masses), np.concatenate(moved)


def mean_free(x, m, f):
    """Displacements (q, 3, N) without mean translation and rotation, Koppens (2.8), (2.10), by least squares."""
    R = np.zeros((len(x), 3, 6))
    R[:, :, :3] = np.eye(3)
    for k, e in enumerate(np.eye(3)):
        R[:, :, 3 + k] = np.cross(e, x)
    root = np.sqrt(m)[:, None, None]
    flat = (root * R).reshape(-1, 6)
    return f - R @ np.linalg.lstsq(flat, (root * f).reshape(len(flat), -1), rcond=None)[0]


@EVERY
def test_inertia_integrals(case):
    """(2.34)-(2.41) as sums over mass points."""
    mesh = bent(case.kind)
    corner = int(np.argmax(mesh.points[:, 0]))
    mesh = fem.Mesh(mesh.points, mesh.blocks, {"corner": np.array([corner])})
    structure = fem.assemble(mesh, case.property)
    n = 1 if case.kind == "line2" and case.property.freedoms == 3 else 3
    basis = modal.eigenmodes(structure, n=n)
    body = modal.reduce(structure, basis, markers=("corner",))
    np.testing.assert_allclose(body.frequencies_hz, basis.frequencies_hz, rtol=1e-8)
    x, m, f = mass_points(structure, basis.Phi)
    x = x - m @ x / m.sum()
    f = mean_free(x, m, f)
    f = f * _signs(structure, body, basis)
    unit, size = np.eye(3), np.sqrt(m.sum())
    expected = {
        "C3": np.einsum("q,qk,qk,ab->ab", m, x, x, unit) - np.einsum("q,qa,qb->ab", m, x, x),
        "C4": np.einsum("q,qki,qk,ab->iab", m, f, x, unit) - np.einsum("q,qai,qb->iab", m, f, x),
        "C5": np.einsum("q,qki,qkj,ab->ijab", m, f, f, unit) - np.einsum("q,qai,qbj->ijab", m, f, f),
        "C7": np.einsum("q,qkij->ijk", m, np.cross(f[:, :, :, None], f[:, :, None, :], axis=1)),
        "C8": np.einsum("q,qki,qkj->ij", m, f, f),
    }
    assert body.mass == pytest.approx(m.sum(), rel=1e-12)
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(body, name), value, atol=1e-8 * size, err_msg=name)
    for name in ("C1", "C2", "C6"):
        assert not getattr(body, name).any()
    assert np.isfinite(body.markers["corner"].Phi).all()
    assert body.markers["corner"].has_rotation == (case.property.freedoms == 6)


def _signs(structure, body, basis):
    """Signs of the body's base functions against the free eigenmodes: their motion at the corner."""
    marker, given = body.markers["corner"].Phi, (fem.interface(structure, "corner").T @ basis.Phi)[:3]
    return np.sign(np.einsum("ki,ki->i", marker, given))
