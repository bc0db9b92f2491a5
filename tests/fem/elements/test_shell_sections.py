"""Shells whose membrane, bending and shear are of different materials, and whose thickness varies: closed forms."""

import numpy as np
import pytest

import fem

#: nu = 0: a strip is a beam
SKIN = fem.Isotropic(E=200e9, nu=0.0, rho=7800.0)
CORE = fem.Isotropic(E=70e9, nu=0.0, rho=2700.0)
SOFT = fem.Isotropic(E=3e9, nu=0.0, rho=1000.0)
LENGTH, WIDTH, DEPTH = 1.0, 0.2, 0.05


def strip(n, kind="quad4"):
    """A strip of n elements along x, of triangles two each."""
    x = np.linspace(0, LENGTH, n + 1)
    points = [[a, b, 0.0] for a in x for b in (0.0, WIDTH)]
    quads = np.array([[2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1] for i in range(n)])
    nodes = quads if kind == "quad4" else np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return fem.Mesh(points, (fem.Block(kind, nodes),), {"root": [0, 1], "tip": [2 * n, 2 * n + 1]})


def tip(shell, kind="quad4", n=10, pull=0.0, **load):
    """The strip under a load on its tip; a pull is spread over the edge with the moments that belong to it."""
    structure = fem.assemble(strip(n, kind), shell)
    loads = [fem.Force("tip", **load)] * bool(load) + [fem.EdgeLoad("tip", (pull / WIDTH, 0, 0))] * bool(pull)
    return fem.static(structure, "root", loads), structure


@pytest.mark.parametrize("kind", ["quad4", "tri3"])
def test_each_material_has_its_own_part(kind):
    """F L / E A of the membrane, M L / E I of bending; exact for constant strains."""
    shell = fem.Shell(SKIN, DEPTH, bending_material=CORE, shear_material=SOFT, bending_factor=1.7)
    area, inertia = WIDTH * DEPTH, WIDTH * DEPTH**3 / 12
    pulled, structure = tip(shell, kind, pull=1e4)
    assert pulled.at("tip")[0] == pytest.approx(1e4 * LENGTH / (SKIN.E * area), rel=1e-9)
    bent, _ = tip(shell, kind, moment=(0, 1e3, 0))
    assert bent.at("tip")[4] == pytest.approx(1e3 * LENGTH / (1.7 * CORE.E * inertia), rel=1e-9)
    assert structure.mass == pytest.approx(SKIN.rho * area * LENGTH, rel=1e-12)


def test_shear_of_its_own_material_and_area():
    """Deflections differ by F L (1 / k G A - 1 / k' G' A): bending has the same error in both."""
    one = fem.Shell(SKIN, DEPTH, shear_material=SOFT, shear_factor=0.4)
    other = fem.Shell(SKIN, DEPTH)
    w = [tip(shell, force=(0, 0, 100.0))[0].at("tip")[2] for shell in (one, other)]
    flexible = [1 / (k * G * WIDTH * DEPTH) for k, G in ((0.4, SOFT.E / 2), (5 / 6, SKIN.E / 2))]
    assert w[0] - w[1] == pytest.approx(100.0 * LENGTH * (flexible[0] - flexible[1]), rel=1e-9)


def test_stresses_of_membrane_and_bending_have_their_own_moduli():
    """N / h + M z / I of the bending part: E z k, k = M / (1.7 E I)."""
    shell = fem.Shell(SKIN, DEPTH, bending_material=CORE, bending_factor=1.7)
    found, _ = tip(shell, pull=1e4, moment=(0, 1e3, 0))
    inertia = WIDTH * DEPTH**3 / 12
    expected = 1e4 / (WIDTH * DEPTH) + np.array([-1, 1]) * 1e3 / (1.7 * inertia) * DEPTH / 2
    group = found.structure.groups[0]
    u = found.structure.of_elements(group, found.u)
    xx = shell.stress(group.kind, found.structure.mesh.points[group.nodes], u)[..., 0]
    np.testing.assert_allclose(xx, np.broadcast_to(expected, xx.shape), rtol=1e-8)


def test_the_same_material_everywhere_is_the_plain_shell():
    plain, other = (
        fem.assemble(strip(3), shell)
        for shell in (fem.Shell(CORE, DEPTH), fem.Shell(CORE, DEPTH, bending_material=CORE))
    )
    assert abs(plain.K - other.K).max() <= 1e-15 * abs(plain.K).max()


def tapered(x):
    """Thickness from 60 to 20 mm along the strip."""
    return 0.06 - 0.04 * np.asarray(x)[:, 0]


def test_a_thickness_that_varies_converges_with_the_square_of_the_size():
    """Mass of a linear taper exactly; rotation under a moment: int M / E I dx = 12 M / E b int h^-3 dx."""
    shell = fem.Shell(CORE, 0.04, thickness_at=tapered)
    exact = 12 * 1e3 / (CORE.E * WIDTH) * (0.02**-2 - 0.06**-2) / (2 * 0.04)
    errors = []
    for n in (10, 20):
        found, structure = tip(shell, n=n, moment=(0, 1e3, 0))
        assert structure.mass == pytest.approx(CORE.rho * WIDTH * 0.04, rel=1e-12)
        errors.append(found.at("tip")[4] / exact - 1)
    assert abs(errors[1]) < 3e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_stress_and_rotary_inertia_follow_the_thickness():
    """Each element is one of constant thickness: 6 M / b h^2 at its sides, M and K those of shells by element."""
    mesh, n = strip(4), 4
    middle = np.linspace(0, 1, n + 1)[:-1] + 0.5 / n
    h = 0.06 - 0.04 * middle
    sets = fem.Mesh(mesh.points, mesh.blocks, mesh.node_sets, element_sets={str(k): [k] for k in range(n)})
    shell = fem.Shell(CORE, 0.04, thickness_at=tapered, offset=0.01)
    found = fem.assemble(mesh, shell)
    by_hand = fem.assemble(sets, {str(k): fem.Shell(CORE, h[k], offset=0.01) for k in range(n)})
    for A, B in ((found.K, by_hand.K), (found.M, by_hand.M)):
        assert abs(A - B).max() <= 1e-13 * abs(B).max()
    plain = fem.Shell(CORE, 0.04, thickness_at=tapered)
    bent, structure = tip(plain, n=n, moment=(0, 1e3, 0))
    group = structure.groups[0]
    u = structure.of_elements(group, bent.u)
    xx = plain.stress(group.kind, structure.mesh.points[group.nodes], u)[..., 1, 0]
    np.testing.assert_allclose(xx, np.tile(6e3 / (WIDTH * h**2), (4, 1)).T, rtol=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bending_factor": -1.0}, "bending_factor = -1 must be a positive number"),
        ({"shear_factor": 0.0}, "shear_factor = 0 must be a positive number"),
        ({"bending_factor": -1.0, "shear_factor": np.nan}, "bending_factor.*; shear_factor"),
    ],
)
def test_wrong_sections(options, message):
    with pytest.raises(fem.InputError, match=message):
        fem.Shell(SKIN, DEPTH, **options)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: -x[:, 0], "thickness_at= returns -.* m; thicknesses must be positive"),
        (lambda x: 0.01, "thickness_at= must return finite thicknesses"),
    ],
)
def test_wrong_thicknesses(function, message):
    with pytest.raises(fem.InputError, match=message):
        fem.assemble(strip(2), fem.Shell(SKIN, DEPTH, thickness_at=function))
