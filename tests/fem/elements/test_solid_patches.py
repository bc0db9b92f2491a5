"""Patch tests: MacNeal and Harder's seven bricks, and meshes of several kinds joined at their faces."""

import numpy as np
import pytest
from support.solids import nodal, outer, refined, solve, stiffness

import fem
from fem.elements.solid.hexahedra import CUBE_FACES
from fem.elements.solid.stress import tensor

# MacNeal and Harder (1985), fig. 2: the inner nodes of the unit cube
INNER = [
    *([0.249, 0.342, 0.192], [0.826, 0.288, 0.288], [0.850, 0.649, 0.263], [0.273, 0.750, 0.230]),
    *([0.320, 0.186, 0.643], [0.677, 0.305, 0.683], [0.788, 0.693, 0.644], [0.165, 0.745, 0.702]),
]
OUTER = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]


def seven_bricks(kind):
    """One brick within, six between it and the sides of the cube; or six pyramids in each."""
    points = np.array(OUTER + INNER)
    bricks = [list(range(8, 16))]
    for face in CUBE_FACES:  # an inner face, seen from the centre, is the bottom of the brick outside it
        bricks.append([8 + i for i in face] + list(face))
    bricks[1:] = [brick[4:][::-1] + brick[:4][::-1] for brick in bricks[1:]]
    if kind.startswith("pyramid"):
        centres = [points[brick].mean(axis=0) for brick in bricks]
        cells = [
            [brick[i] for i in np.array(face)[[0, 3, 2, 1]]] + [16 + k]
            for k, brick in enumerate(bricks)
            for face in CUBE_FACES
        ]
        return refined(np.vstack([points, centres]), [(kind, cells)])
    return refined(points, [(kind, bricks)])


@pytest.mark.parametrize(
    ("kind", "brick"),
    [
        ("hex8", fem.FullIntegration()),
        ("hex8", fem.IncompatibleModes()),
        ("hex8", fem.MeanDilatation()),
        ("hex20", fem.FullIntegration()),
        ("hex27", fem.FullIntegration()),
        ("pyramid5", fem.FullIntegration()),
        ("pyramid13", fem.FullIntegration()),
    ],
)
def test_macneal_harder_patch_of_seven_bricks(kind, brick):
    """E = 1e6, nu = 0.25, u = 1e-3 (2x + y + z) / 2 and so on round: strains 1e-3, stresses 2000 and 400."""
    mesh, material = seven_bricks(kind), fem.Isotropic(1e6, 0.25, 1.0)
    assert mesh.volume == pytest.approx(1.0, rel=1e-13)
    solid = fem.Solid(material, brick=brick)
    exact = (mesh.points @ (0.5e-3 * (np.ones((3, 3)) + np.eye(3)))).ravel()
    fixed = outer(mesh)
    assert len(fixed) < len(exact)
    u = solve(mesh, solid, fixed, exact[fixed])
    assert np.abs(u - exact).max() < 1e-12 * np.abs(exact).max() * 10
    (stress,), (strain,) = nodal(mesh, solid, u), nodal(mesh, solid, u, "strain")
    assert np.allclose(strain, 1e-3, rtol=1e-10)
    assert np.allclose(stress, [2000.0] * 3 + [400.0] * 3, rtol=1e-9)


def moved(points, inside, amount, seed=11):
    """Displace the points that lie inside."""
    points = points.copy()
    random = np.random.default_rng(seed)
    points[inside] += amount * random.uniform(-1, 1, (inside.sum(), 3))
    return points


def grid(counts):
    """Corner points of unit bricks in a grid and the bricks by their place."""
    axes = [np.arange(n + 1.0) for n in counts]
    points = np.stack([g.ravel() for g in np.meshgrid(*axes, indexing="ij")], axis=1)
    number = np.arange(len(points)).reshape(np.array(counts) + 1)
    steps = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    bricks = {place: [number[tuple(np.add(place, step))] for step in steps] for place in np.ndindex(*counts)}
    return points, bricks


SIX = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
WEDGES = [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 6, 7]]


def pick(brick, groups):
    """Cells of a brick's corners."""
    return [[brick[n] for n in group] for group in groups]


def linear_mixture():
    """Bricks, then pyramids round a centre with two tetrahedra on the far side, then tetrahedra; wedges above."""
    points, bricks = grid((3, 2, 3))
    points = moved(points, ((points > 0) & (points < [3, 2, 2])).all(axis=1), 0.12)
    cells = {"hex8": [], "pyramid5": [], "tet4": [], "wedge6": []}
    centres = []
    for (i, _, k), brick in bricks.items():
        if k == 2 and i == 2:
            cells["wedge6"] += pick(brick, WEDGES)
        elif k == 2 or i == 0:
            continue
        elif i == 2:
            cells["tet4"] += pick(brick, SIX)
        else:
            apex = len(points) + len(centres)
            centres.append(points[brick].mean(axis=0))
            sides = [f for f in CUBE_FACES if f != (1, 2, 6, 5)]
            cells["pyramid5"] += [
                [*group, apex] for group in pick(brick, [np.array(f)[[0, 3, 2, 1]] for f in sides])
            ]
            cells["tet4"] += [[*group, apex] for group in pick(brick, [(1, 6, 2), (1, 5, 6)])]
    cells["hex8"] = [brick for (i, _, k), brick in bricks.items() if i == 0 and k < 2]
    return refined(np.vstack([points, centres]), list(cells.items()))


def bricks_and_pyramids():
    """:func:`linear_mixture` with middle nodes: pyramids take their apex to bricks, tetrahedra and pyramids."""
    mesh = linear_mixture()
    quadratic = {"hex8": "hex20", "pyramid5": "pyramid13", "tet4": "tet10", "wedge6": "wedge15"}
    return refined(mesh.points, [(quadratic[b.element], b.nodes) for b in mesh.blocks])


def quadratic_mixture():
    """Bricks beside wedges, which share quadrilaterals, and tetrahedra on the wedges' triangles."""
    points, bricks = grid((2, 2, 3))
    points = moved(points, (points == 1).all(axis=1), 0.1)
    cells = {"hex20": [], "wedge15": [], "tet10": []}
    for (i, _, k), brick in bricks.items():
        if i == 0 and k < 2:
            cells["hex20"].append(brick)
        elif k < 2:
            cells["wedge15"] += pick(brick, WEDGES)
        elif i == 1:
            cells["tet10"] += pick(brick, SIX)
    return refined(points, list(cells.items()))


@pytest.mark.parametrize(
    ("mixture", "volume"), [(linear_mixture, 14.0), (bricks_and_pyramids, 14.0), (quadratic_mixture, 10.0)]
)
@pytest.mark.parametrize("brick", [fem.FullIntegration(), fem.IncompatibleModes(), fem.MeanDilatation()])
def test_a_patch_of_several_kinds(mixture, volume, brick, steel):
    mesh, solid = mixture(), fem.Solid(steel, brick=brick)
    assert mesh.volume == pytest.approx(volume, rel=1e-12)
    area = sum(fem.mesh.surface.face_mass(mesh.points, block).sum() for block in mesh.exterior)
    # L-shaped in x and z, two deep: two sides of half the volume, and twice the way round; a hole would add to it
    assert area == pytest.approx(volume + 2 * {14.0: 12, 10.0: 10}[volume], rel=1e-12)
    gradient = 1e-3 * np.array([[1.0, 0.5, -0.3], [0.2, -0.7, 0.9], [0.4, 0.1, 0.6]])
    exact = (mesh.points @ gradient.T + 2e-3).ravel()
    fixed = outer(mesh)
    assert len(fixed) < len(exact)
    u = solve(mesh, solid, fixed, exact[fixed])
    assert np.abs(u - exact).max() < 1e-11 * np.abs(exact).max()
    strain = (gradient + gradient.T) / 2
    lam, mu = steel.lame
    sigma = lam * np.trace(strain) * np.eye(3) + 2 * mu * strain
    for stress in nodal(mesh, solid, u):
        assert np.allclose(tensor(stress), sigma, rtol=0, atol=1e-9 * np.abs(sigma).max())
    energy = 0.5 * volume * (sigma * strain).sum()
    assert 0.5 * u @ (stiffness(mesh, solid) @ u) == pytest.approx(energy, rel=1e-11)


@pytest.mark.parametrize("mixture", [linear_mixture, quadratic_mixture])
def test_a_mixture_has_six_rigid_motions_and_no_other(mixture, steel):
    mesh = mixture()
    assert {block.element for block in mesh.blocks} < set(fem.ELEMENTS)
    values = np.linalg.eigvalsh(stiffness(mesh, fem.Solid(steel)).toarray())
    assert np.abs(values[:6]).max() < 1e-12 * values[-1]
    assert values[6] > 1e-5 * values[-1]
