"""Shells as structures: through fem.assemble, static, vibration, buckling, stress; against beams and solids."""

import numpy as np
import pytest
from support.shell_cases import edges, shell
from support.shell_meshes import assemble, dofs, fixed, frequencies, grid, mass, split, stiffness

import fem
from fem.elements.shell.geometry import element_frame
from fem.properties.material import stress_rotation

both = pytest.mark.parametrize("kind", ["quad4", "tri3"])


def plate(kind, n, thickness, **sets):
    points, elements = grid(kind, n, n, diagonal="crossed")
    x, y, _ = points.T
    sets = {
        "left": x == 0, "right": x == 1, "edge": (x == 0) | (x == 1) | (y == 0) | (y == 1), "all": x >= 0,
    }  # fmt: skip
    mesh = fem.Mesh(points, (fem.Block(kind, elements),), {k: np.flatnonzero(v) for k, v in sets.items()})
    return fem.assemble(mesh, fem.Shell(fem.Isotropic(E=1.0, nu=0.3, rho=1.0), thickness))


def tube(kind, along=24, around=3, side=0.1, length=1.0, thickness=0.004, rings=()):
    """Square tube of ``around`` elements on each wall, along x; its ends are the node sets "root" and "tip"."""
    s = np.arange(4 * around) / around
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * side / 2
    k = np.minimum(s.astype(int), 3)
    ring = corners[k] + (corners[k + 1] - corners[k]) * (s - k)[:, None]
    m = len(ring)
    points = np.concatenate(
        [np.column_stack([np.full(m, x), ring]) for x in np.linspace(0, length, along + 1)]
    )
    j = np.arange(m)
    one = np.stack([j, j + m, (j + 1) % m + m, (j + 1) % m], 1)
    quads = np.concatenate([one + m * i for i in range(along)])
    elements = quads if kind == "quad4" else split(quads, m, "crossed")
    sets = {"root": np.flatnonzero(points[:, 0] == 0), "tip": np.flatnonzero(points[:, 0] == length)}
    return fem.Mesh(points, (fem.Block(kind, elements),), sets)


@both
def test_free_plate(kind):
    """Leissa 1973, nu = 0.3: 13.489, 19.789, 24.432, 35.024 twice, by 36 Ritz terms, up to 0.6 % high."""
    h = 0.01
    structure = plate(kind, 16, h)
    assert structure.mass == pytest.approx(0.01)
    modes = fem.vibration(structure, n=5)
    omega = 2 * np.pi * modes.frequencies_hz * np.sqrt(h * 12 * 0.91 / h**3)
    assert np.allclose(omega / [13.489, 19.789, 24.432, 35.024, 35.024], 1.0, atol=0.008)


@both
def test_clamped_plate_under_pressure(kind):
    """0.00126532 p L^4 / D (Taylor and Govindjee 2004), the load's resultant at the support, moments at the edge.

    0.0513 p L^2 in the middle of a side (Timoshenko and Woinowsky-Krieger, table 35).
    """
    h, found = 0.01, []
    for n in (12, 24):
        structure = plate(kind, n, h)
        result = fem.static(structure, ("edge",), [fem.Pressure("all", 1.0)])
        middle = np.flatnonzero((structure.mesh.points == [0.0, 0.5, 0.0]).all(1))[0]
        bending = result.stress.shell[middle, :, 0] * h**2 / 6
        assert np.allclose(bending[0], -bending[1])
        found.append(np.abs(bending[0]))
    w = result.displacement[:, 2] * h**3 / 12 / 0.91
    assert np.abs(w).max() == pytest.approx(0.00126532, rel={"quad4": 0.003, "tri3": 0.015}[kind])
    force, moment = result.reaction("edge", about=(0.5, 0.5, 0))
    assert np.allclose(np.abs(force), [0, 0, 1.0], atol=1e-8)
    assert np.allclose(moment, 0.0, atol=1e-8)
    # constant within an element across the edge, so of first order; extrapolated, the second order is left
    assert 2 * found[1] - found[0] == pytest.approx(0.0513, rel=0.04)


@both
def test_square_tube_is_a_beam(kind):
    """Bending by Timoshenko (I = 2/3 a^3 h, walls in shear), torsion by Bredt (G a^3 h): folds carry both over."""
    a, h, L, E, nu = 0.1, 0.004, 1.0, 70e9, 0.33
    G = E / 2 / (1 + nu)
    mesh = tube(kind)
    # ends kept in shape: rigid, as a beam's sections are
    structure = fem.assemble(
        mesh, fem.Shell(fem.Isotropic(E, nu, 2700.0), h), parts=(fem.Rigid("end", "tip"),)
    )
    assert structure.mass == pytest.approx(2700.0 * 4 * a * h * L)
    end = lambda **load: fem.static(structure, ("root",), [fem.Force("end", **load)]).at("end")  # noqa: E731
    I = 2 / 3 * a**3 * h + 2 * a * h**3 / 12
    bending = end(force=(0, 0, 1.0))[2]
    shear = G * 2 * a * h * 0.87  # Cowper 1966: 20 (1 + nu) / (48 + 39 nu) of the whole area 4 a h
    assert bending == pytest.approx(L**3 / (3 * E * I) + L / shear, rel=0.02)
    assert end(moment=(0, 1.0, 0))[4] == pytest.approx(L / (E * I), rel=0.02)
    assert end(force=(1.0, 0, 0))[0] == pytest.approx(L / (E * 4 * a * h), rel=0.01)
    # both ends restrain warping, which a square tube of equal walls does not have
    assert end(moment=(1.0, 0, 0))[3] == pytest.approx(L / (G * (a**3 * h + 4 / 3 * a * h**3)), rel=0.02)


@both
def test_euler_buckling_of_a_strip(kind):
    """Cantilever, nu = 0: pi^2 E I / (4 L^2)."""
    points, elements = grid(kind, 20, 2, lambda s, t: (s, 0.1 * t, 0 * s), diagonal="crossed")
    sets = {"root": np.flatnonzero(points[:, 0] == 0), "tip": np.flatnonzero(points[:, 0] == 1)}
    mesh = fem.Mesh(points, (fem.Block(kind, elements),), sets)
    structure = fem.assemble(mesh, fem.Shell(fem.Isotropic(E=1e6, nu=0.0, rho=1.0), 0.01))
    found = fem.buckling(structure, ("root",), [fem.Force("tip", (-1.0, 0, 0))], n=1)
    assert found.factors[0] == pytest.approx(np.pi**2 / 4 * 1e6 * 0.1 * 0.01**3 / 12, rel=0.01)


@both
def test_tension_stiffens_a_strip(kind):
    """Hinged strip, nu = 0, under a tension T: omega^2 m = (pi / L)^4 E I + (pi / L)^2 T; compression softens it."""
    points, elements = grid(kind, 24, 2, lambda s, t: (s, 0.1 * t, 0 * s), diagonal="crossed")
    n, h, E, rho = len(points), 0.01, 1e6, 1.0
    section = fem.Shell(fem.Isotropic(E, 0.0, rho), h)
    K, M = stiffness(section, kind, points, elements), mass(section, kind, points, elements)
    ends = np.flatnonzero(np.isin(points[:, 0], [0.0, 1.0]))
    held = fixed(n, (ends, "z"), (np.arange(n), "xyc"))
    I, A = 0.1 * h**3 / 12, 0.1 * h
    for strain in (
        1e-3,
        1e-5,
        -5e-5,
    ):  # 12 times the Euler load, 0.12, and -0.6
        u = np.zeros((n, 6))
        u[:, 0] = strain * points[:, 0]
        KG = assemble(section.geometric(kind, points[elements], u.ravel()[dofs(elements)]), elements, n)
        exact = np.sqrt((np.pi**4 * E * I + np.pi**2 * E * A * strain) / (rho * A)) / (2 * np.pi)
        assert frequencies(K + KG, M, held, 1)[0] == pytest.approx(exact, rel=0.01)


def test_quadrilaterals_and_triangles_in_one_structure():
    """One half of a plate of each: the fourth frequency between those of the pure meshes."""
    points, quads = grid("quad4", 12, 12)
    middle = points[quads].mean(1)[:, 0]
    mixed = (
        fem.Block("quad4", quads[middle < 0.5]),
        fem.Block("tri3", split(quads[middle > 0.5], 6, "crossed")),
    )
    found = {}
    for name, blocks in {
        "quad4": (fem.Block("quad4", quads),),
        "tri3": (fem.Block("tri3", split(quads, 12, "crossed")),),
        "mixed": mixed,
    }.items():
        structure = fem.assemble(fem.Mesh(points, blocks), fem.Shell(fem.Isotropic(1.0, 0.3, 1.0), 0.02))
        found[name] = fem.vibration(structure, n=4).frequencies_hz
    low, high = np.minimum(found["quad4"], found["tri3"]), np.maximum(found["quad4"], found["tri3"])
    assert np.all(found["mixed"] > 0.998 * low)
    assert np.all(found["mixed"] < 1.002 * high)


PLY = fem.Orthotropic(E=(40.0, 10.0, 8.0), nu=(0.25, 0.2, 0.3), G=(5.0, 4.0, 3.0), rho=1.0)


@both
def test_orthotropic_plate(kind):
    """Supported, thin: omega^2 rho h = pi^4 (D11 m^4 + 2 (D12 + 2 D66) m^2 n^2 + D22 n^4) (Leissa, SP-160, 9.2)."""
    h = 0.005
    nu21 = 0.25 * 10 / 40
    D11, D22 = (E * h**3 / 12 / (1 - 0.25 * nu21) for E in (40.0, 10.0))
    D12, D66 = nu21 * D11, 5.0 * h**3 / 12
    modes = sorted(
        np.pi**2 * np.sqrt((D11 * m**4 + 2 * (D12 + 2 * D66) * m**2 * n**2 + D22 * n**4) / h)
        for m, n in ((1, 1), (1, 2), (1, 3), (2, 1))
    )
    points, elements = grid(kind, 16, 16, diagonal="crossed")
    for axes in (np.eye(3), np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])):
        section = fem.Shell(fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=1.0, axes=axes), h)
        K, M = stiffness(section, kind, points, elements), mass(section, kind, points, elements)
        got = 2 * np.pi * frequencies(K, M, edges(points, "ssss"), 4)
        assert np.allclose(got / modes, 1.0, atol=0.05)  # (1, 3) of bilinear inertia on 16 x 16
        assert got[0] == pytest.approx(modes[0], rel=0.015)


def test_section_of_an_orthotropic_material_in_any_direction():
    """Two ways: rotate in the plane, or rotate the whole law and then take the stress across out of it."""
    angle = 0.7
    axes = np.array([[np.cos(angle), np.sin(angle), 0], [-np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    X = np.array([[[0, 0, 0], [1, 0.3, 0], [1.1, 1.2, 0], [0.2, 1, 0]]])
    material = fem.Orthotropic(PLY.E, PLY.nu, PLY.G, rho=1.0, axes=axes)
    law = fem.Shell(material, 0.1).laws("quad4", X)
    T = stress_rotation(element_frame("quad4", X)[0])
    C = T @ material.stiffness @ T.T
    plane = np.ix_([0, 1, 5], [0, 1, 5])
    condensed = C[plane] - np.outer(C[[0, 1, 5], 2], C[2, [0, 1, 5]]) / C[2, 2]
    assert np.allclose(law.A[0], 0.1 * condensed)
    assert np.allclose(law.D[0], 0.1**3 / 12 * condensed)
    assert np.allclose(law.S[0], 5 / 6 * 0.1 * C[np.ix_([4, 3], [4, 3])])


@both
def test_a_thick_plate_is_the_solid(kind):
    """Cantilever plate 1 x 1 x 0.1 of shells and of hex20, six frequencies: bending, twist, and one in its plane."""
    points, elements = grid(kind, 16, 16, diagonal="crossed")
    section = shell(1.0, 0.3, 0.1)
    K, M = stiffness(section, kind, points, elements), mass(section, kind, points, elements)
    held = edges(points, "cfff")
    plane = np.setdiff1d(held, 6 * np.arange(len(points))[:, None] + [0, 1, 5])
    held = np.union1d(plane, 6 * np.flatnonzero(points[:, 0] == 0)[:, None] + np.arange(6))
    got = frequencies(K, M, held, 6)
    box = fem.box((1.0, 1.0, 0.1), (8, 8, 1), "hex20")
    root = np.flatnonzero(box.points[:, 0] == 0)
    solid = fem.assemble(fem.Mesh(box.points, box.blocks, {"root": root}), fem.Isotropic(1.0, 0.3, 1.0))
    exact = fem.vibration(solid, ("root",), n=6).frequencies_hz
    # shells on 16 x 16 are within 1.5 % of their limit; theory (h / L)^2 and the clamping beside that
    assert np.allclose(got / exact, 1.0, atol=0.025)
