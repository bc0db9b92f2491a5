"""Patch tests of shells: membrane, bending, twist, shear, under displacements and forces; in-plane bending."""

import itertools

import numpy as np
import pytest
from support.shell_meshes import (
    assemble,
    dofs,
    fixed,
    solve,
    split,
    stiffness,
)
from support.shell_shapes import MATERIAL, PLY, TURN, both, rigid

import fem
from fem.elements.shell import bending, membrane
from fem.elements.shell.geometry import element_frame, normals

# MacNeal and Harder's patch, Finite Elem. Anal. Des. 1 (1985) 3-20: 0.24 x 0.12, four inner nodes
PATCH = np.array(
    [
        [0, 0], [0.24, 0], [0.24, 0.12], [0, 0.12],
        [0.04, 0.02], [0.18, 0.03], [0.16, 0.08], [0.08, 0.08],
    ]
)  # fmt: skip
PATCH_QUADS = np.array([[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]])


def patch(kind):
    points = np.column_stack([PATCH, np.zeros(8)]) @ TURN.T
    return points, PATCH_QUADS if kind == "quad4" else split(PATCH_QUADS)


def fields(x, y):
    """Displacements (n, 6) in the patch's axes: MacNeal and Harder's two, a twist, and a turned membrane state."""
    o = 0 * x
    w, wx, wy = (x * x + x * y + y * y) / 2, x + y / 2, y + x / 2
    return {
        "membrane": 1e-3 * np.stack([x + y / 2, y + x / 2, o, o, o, o], 1),
        "membrane, turned": 1e-3 * np.stack([x + 3 * y, -y - 2 * x, o, o, o, o - 2.5], 1),
        "bending": 1e-3 * np.stack([o, o, w, wy, -wx, o], 1),
        "twist": 1e-3 * np.stack([o, o, x * y, x, -y, o], 1),
    }


def turned(u):
    return np.concatenate([u[:, :3] @ TURN.T, u[:, 3:] @ TURN.T], 1)


@both
@pytest.mark.parametrize("state", list(fields(np.zeros(1), np.zeros(1))))
@pytest.mark.parametrize("thickness", [0.001, 0.1])
@pytest.mark.parametrize("material", [MATERIAL, PLY], ids=["isotropic", "orthotropic"])
def test_patch(kind, state, thickness, material):
    points, elements = patch(kind)
    if material is PLY:  # the patch is turned, the material's axes with it
        material = fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=PLY.rho, axes=np.array(PLY.axes) @ TURN.T)
    shell = fem.Shell(material, thickness)
    exact = turned(fields(*PATCH.T)[state])
    K = stiffness(shell, kind, points, elements)
    outer = fixed(8, (np.arange(4), "xyzabc"))
    u = solve(K, np.zeros(48), outer, exact.ravel()[outer])
    # linear algebra on a matrix whose membrane and bending parts differ by (length / thickness)^2 = 6e4
    assert np.allclose(u.reshape(8, 6), exact, atol=1e-9 * np.abs(exact).max())
    # constant stress, from the strains by an own inverse of the compliance
    strain = {
        "membrane": [1, 1, 1], "membrane, turned": [1, -1, 1], "bending": [-1, -1, -1], "twist": [0, 0, -2],
    }[state] * np.array([1e-3])  # fmt: skip
    if material is MATERIAL:
        nu = 0.25
        C = 1e6 / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    else:
        (E1, E2, _), nu12, G12 = PLY.E, PLY.nu[0], PLY.G[0]
        c, s = 0.8, 0.6
        T = np.array([[c * c, s * s, c * s], [s * s, c * c, -c * s], [-2 * c * s, 2 * c * s, c * c - s * s]])
        flexible = np.array([[1 / E1, -nu12 / E1, 0], [-nu12 / E1, 1 / E2, 0], [0, 0, 1 / G12]])
        C = T.T @ np.linalg.inv(flexible) @ T
    stress = shell.stress(kind, points[elements], u[dofs(elements)])
    xx, yy, xy = C @ strain * (1 if "membrane" in state else thickness / 2)
    tensor = TURN @ np.array([[xx, xy, 0], [xy, yy, 0], [0, 0, 0]]) @ TURN.T
    voigt = tensor[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    bottom = 1 if "membrane" in state else -1
    assert np.allclose(stress[:, :, 1], voigt, atol=1e-7 * np.abs(voigt).max())
    assert np.allclose(stress[:, :, 0], bottom * voigt, atol=1e-7 * np.abs(voigt).max())
    if state == "membrane" and material is MATERIAL:
        assert np.allclose([xx, yy, xy], [1333.3333333, 1333.3333333, 400.0])  # as printed there
    if state == "bending" and material is MATERIAL and thickness == 0.001:
        assert np.allclose(np.abs([xx, yy, xy]), [0.66666667, 0.66666667, 0.2])  # as printed there


def mixed_patch():
    """The patch with two of its quadrilaterals split: {kind: elements}."""
    points, quads = patch("quad4")
    return points, {"quad4": quads[[0, 2, 3]], "tri3": split(quads[[1, 4]])}


@pytest.mark.parametrize("state", list(fields(np.zeros(1), np.zeros(1))))
def test_patch_of_quadrilaterals_and_triangles(state):
    points, blocks = mixed_patch()
    shell = fem.Shell(MATERIAL, 0.01)
    K = sum(stiffness(shell, kind, points, elements) for kind, elements in blocks.items())
    exact = turned(fields(*PATCH.T)[state])
    outer = fixed(8, (np.arange(4), "xyzabc"))
    u = solve(K, np.zeros(48), outer, exact.ravel()[outer])
    assert np.allclose(u.reshape(8, 6), exact, atol=1e-9 * np.abs(exact).max())


@pytest.mark.parametrize("kinds", [("quad4",), ("tri3",), ("quad4", "tri3")], ids="-".join)
def test_patch_under_forces(kinds):
    """Uniform tractions on all edges, supports that only stop rigid motion: uniform stress, exactly."""
    if len(kinds) == 2:
        points, blocks = mixed_patch()
    else:
        points, elements = patch(kinds[0])
        blocks = {kinds[0]: elements}
    shell = fem.Shell(MATERIAL, 0.01)
    stress = TURN @ np.array([[3.0, 1.0, 0], [1.0, -2.0, 0], [0, 0, 0]]) @ TURN.T
    f = np.zeros(48)
    sides = {(0, 1), (1, 2), (2, 3), (3, 0)}
    for kind, elements in blocks.items():
        for k in range(elements.shape[1]):
            on = [
                tuple(row) in sides
                for row in np.stack([elements[:, k], np.roll(elements, -1, 1)[:, k]], 1).tolist()
            ]
            if any(on):
                X = points[elements[on]]
                at = shell.edge(kind, X, k)
                along = np.roll(X, -1, 1)[:, k] - X[:, k]
                outward = np.cross(along, TURN[:, 2]) / np.linalg.norm(along, axis=1)[:, None]
                force = 0.01 * outward @ stress
                load = np.einsum("eq,ex,eqxd->ed", at.weights, force, at.shape)
                np.add.at(f, dofs(elements[on]), load)
    R = rigid(points)
    assert np.allclose(R.T @ f, 0.0, atol=1e-12)
    K = sum(stiffness(shell, kind, points, elements) for kind, elements in blocks.items()).toarray()
    K += 1e3 * R @ R.T  # stops rigid motion without a force: the load is in balance
    u = np.linalg.solve(K, f)
    voigt = stress[[0, 1, 2, 1, 0, 0], [0, 1, 2, 2, 2, 1]]
    for kind, elements in blocks.items():
        assert np.allclose(shell.stress(kind, points[elements], u[dofs(elements)]), voigt, atol=1e-7)


@both
@pytest.mark.parametrize("thickness", [1e-4, 0.1])
def test_patch_of_transverse_shear(kind, thickness):
    """No rotation anywhere and a deflection w = a x + b y on the edge: the same inside, Q = 5/6 G h (a, b)."""
    points, elements = patch(kind)
    shell = fem.Shell(MATERIAL, thickness)
    w = PATCH @ [2e-3, -1e-3]
    exact = turned(np.stack([0 * w, 0 * w, w, 0 * w, 0 * w, 0 * w], 1))
    held = fixed(8, (np.arange(4), "xyzabc"), (np.arange(8), "abc"))
    Q = 5 / 6 * 0.4e6 * thickness * TURN @ [2e-3, -1e-3, 0]
    if kind == "quad4":
        K = stiffness(shell, kind, points, elements)
        u = solve(K, np.zeros(48), held, exact.ravel()[held])
        at = shell.resultants(kind, points[elements], u[dofs(elements)])
        assert np.allclose(
            np.einsum("eiA,eiAx->eix", at.Q, at.frame[:, :, :2]), Q, atol=1e-9 * np.abs(Q).max()
        )
    else:  # rotations held are those of the bubble, too
        X = points[elements]
        law, V = shell.laws(kind, X), normals(kind, X)
        kappa, gamma, weight, _ = bending.free_triangle(X, V, law.D, law.S)
        parts = bending.quadratic(kappa, law.D, weight) + bending.quadratic(gamma, law.S, weight)
        K = assemble(parts[:, :18, :18], elements, 8)
        strain = membrane.spread(X, membrane.strain_triangle(X, law.A, thickness))
        K += assemble(
            bending.quadratic(strain, law.A, np.ones(strain.shape[:2])), elements, 8
        )  # in its plane
        u = solve(K, np.zeros(48), held, exact.ravel()[held])
        strain = gamma[..., :18] @ u[dofs(elements)][:, None, :, None]
        assert np.allclose(
            (law.S[:, None] @ strain)[..., 0] @ element_frame(kind, X)[:, :2], Q, atol=1e-9 * np.abs(Q).max()
        )
    assert np.allclose(u.reshape(8, 6), exact, atol=1e-10 * np.abs(exact).max())


@pytest.mark.parametrize("ratio", [0.05, 0.3, 1.0, 4.0, 20.0])
def test_in_plane_bending_of_rectangles_is_exact_at_any_aspect_ratio(ratio):
    """A couple of forces at either end: rotation M L / (E I), as it is for Pian's quad4 and Felippa's tri3."""
    points = np.array([[0, 0, 0], [ratio, 0, 0], [ratio, 1, 0], [0, 1, 0]])
    f = np.zeros((4, 6))
    f[:, 0] = [-1, 1, -1, 1]
    quad, pairs = (
        np.array([[0, 1, 2, 3]]),
        [np.array([[0, 1, 2], [0, 2, 3]]), np.array([[0, 1, 3], [1, 2, 3]])],
    )
    exact = 12 * ratio
    shell = fem.Shell(fem.Isotropic(E=1.0, nu=0.3, rho=1.0), 1.0)
    K = stiffness(shell, "quad4", points, quad).toarray()
    u = np.linalg.pinv(K, rcond=1e-10) @ f.ravel()
    assert f.ravel() @ u == pytest.approx(exact, rel=1e-8)
    stress = shell.stress("quad4", points[quad], u[None])[0]
    assert np.allclose(stress[:, :, 0], 12 * (0.5 - points[:, 1:2]))
    assert np.allclose(stress[:, :, 1:], 0.0, atol=1e-7)
    # the triangle's measure (Felippa 2003, section 5): energy of the exact nodal motion over that of the beam
    x, y = points[:, 0] - ratio / 2, points[:, 1] - 0.5
    for nu, pair in itertools.product((0.0, 0.25), pairs):
        shell = fem.Shell(fem.Isotropic(E=0.1, nu=nu, rho=1.0), 10.0)  # thick enough for the full beta_0
        u = np.zeros((4, 6))
        u[:, 0], u[:, 1], u[:, 5] = -x * y, (x**2 + nu * y**2) / 2, x
        energy = u.ravel() @ stiffness(shell, "tri3", points, pair) @ u.ravel()
        assert energy == pytest.approx(ratio / 12, rel=1e-8)
