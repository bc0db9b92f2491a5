"""Stresses of whole models against published ones."""

import numpy as np
import pytest
from support.fem_meshes import mapped
from support.solids import end_load, nodal, solve

import fem


def elliptic_plate(kind, divisions):
    """A quarter of a thick plate between the ellipses (2, 1) and (3.25, 2.75), 0.6 m thick."""

    def f(p):
        s, t, z = p.T
        a, b = 2 + 1.25 * s, 1 + 1.75 * s
        return np.stack([a * np.cos(np.pi / 2 * t), b * np.sin(np.pi / 2 * t), z], axis=1)

    return mapped(fem.box((1.0, 1.0, 0.6), divisions, kind), f)


@pytest.mark.parametrize(
    ("kind", "divisions", "tolerance"),
    [
        ("hex20", (4, 6, 2), 0.025),
        ("hex27", (4, 6, 2), 0.025),
        ("wedge15", (4, 6, 2), 0.05),
        ("tet10", (4, 6, 2), 0.05),
        ("hex8", (12, 18, 8), 0.05),
    ],
)
def test_nafems_le10_thick_plate(kind, divisions, tolerance):
    """NAFEMS LE10 (The Standard NAFEMS Benchmarks, 1990): sigma_yy = -5.38 MPa at the inner end of the major axis on
    top, under 1 MPa on top; E = 210e9, nu = 0.3. The outer side is held in its plane, its middle line upright."""
    mesh = elliptic_plate(kind, divisions)
    sets = mesh.node_sets
    outside = sets["x1"]
    level = outside[np.abs(mesh.points[outside, 2] - 0.3) < 1e-9]
    fixed = [3 * outside, 3 * outside + 1, 3 * level + 2, 3 * sets["y0"] + 1, 3 * sets["y1"]]
    area = np.pi / 4 * (3.25 * 2.75 - 2 * 1)
    load = end_load(mesh, "z1", np.array([0.0, 0.0, -1e6])) * area
    solid = fem.Solid(fem.Isotropic(210e9, 0.3, 1.0))
    u = solve(mesh, solid, np.unique(np.concatenate(fixed)), 0.0, load)
    at = np.abs(mesh.points[mesh.blocks[0].nodes] - [2.0, 0.0, 0.6]).max(axis=2) < 1e-9
    (stress,) = nodal(mesh, solid, u)
    assert stress[at][:, 1].mean() == pytest.approx(-5.38e6, rel=tolerance)


def cylinder_error(kind, n, nu):
    """Largest error of the principal and von Mises stresses at the nodes, in terms of the largest stress.

    Lame: sigma_r, sigma_t = p a^2 / (b^2 - a^2) (1 -+ b^2 / r^2), and nu times their sum in plane strain.
    """
    a, b, p = 1.0, 2.0, 3e6

    def f(x):
        r, t = a + (b - a) * x[:, 0], np.pi / 2 * x[:, 1]
        return np.stack([r * np.cos(t), r * np.sin(t), x[:, 2]], axis=1)

    mesh = mapped(fem.box((1.0, 1.0, 0.1), (n, n, 1), kind), f)
    sets = mesh.node_sets
    fixed = [3 * sets["y0"] + 1, 3 * sets["y1"], 3 * sets["z0"] + 2, 3 * sets["z1"] + 2]
    load = np.zeros((mesh.n_nodes, 3))
    for block in mesh.faces_of("x0"):  # a pressure with the normals of the cylinder at the nodes
        for nodes, mass in zip(block.nodes, fem.mesh.surface.face_mass(mesh.points, block), strict=True):
            load[nodes] += p * mass @ (mesh.points[nodes] * [1, 1, 0])
    solid, nodes = fem.Solid(fem.Isotropic(210e9, nu, 1.0)), mesh.blocks[0].nodes
    (stress,) = nodal(mesh, solid, solve(mesh, solid, np.unique(np.concatenate(fixed)), 0.0, load.ravel()))
    mean = np.zeros((mesh.n_nodes, 6))
    np.add.at(mean, nodes, stress)
    mean /= np.bincount(nodes.ravel())[:, None]
    radius, base = np.linalg.norm(mesh.points[:, :2], axis=1), p * a**2 / (b**2 - a**2)
    hoop, radial = base * (1 + b**2 / radius**2), base * (1 - b**2 / radius**2)
    axial = nu * (hoop + radial)
    exact = np.stack([hoop, axial, radial], axis=1)
    mises = np.sqrt(0.5 * ((hoop - radial) ** 2 + (radial - axial) ** 2 + (axial - hoop) ** 2))
    errors = np.abs(fem.principal(mean) - exact).max(), np.abs(fem.von_mises(mean) - mises).max()
    return max(errors) / hoop.max()


@pytest.mark.parametrize("nu", [0.3, 0.49])
@pytest.mark.parametrize(
    ("kind", "reached", "falls"),
    [("hex20", 0.015, 3.0), ("hex27", 0.015, 3.0), ("wedge15", 0.03, 2.5), ("hex8", 0.1, 1.7)],
)
def test_stresses_of_a_thick_cylinder_under_pressure(kind, reached, falls, nu):
    """At nodes of the surface the stresses of quadratic elements err by h^2, of linear ones by h.

    A linear field through the values at the points h / (2 sqrt(3)) off the middle errs by h^2 sigma'' / 12 at
    the end, 0.4 % of the largest stress here, and adds up over the components.
    """
    coarse, fine = cylinder_error(kind, 5, nu), cylinder_error(kind, 10, nu)
    assert fine < reached
    assert coarse / fine > falls
