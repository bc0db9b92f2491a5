"""Beams of drawn sections against solids of the same shape: bending about inclined axes, twist under shear forces."""

import numpy as np
import pytest

import fem
from fem.mesh.merge import drop_unattached

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
LENGTH, BRICKS = 1.5, 30


def box(y0, y1, z0, z1):
    return 1e-3 * np.array([(y0, z0), (y1, z0), (y1, z1), (y0, z1)])


#: parts in mm, and the lines of the bricks across the section
SHAPES = {
    "angle": (
        [box(0, 40, 0, 8), box(0, 8, 0, 60)],
        [0, 2, 6, 8, 10, 16, 30, 38, 40],
        [0, 2, 6, 8, 10, 16, 30, 46, 58, 60],
    ),
    "channel": (
        [box(0, 40, 0, 10), box(0, 10, 0, 60), box(0, 40, 50, 60)],
        [0, 5, 10, 25, 40],
        [0, 5, 10, 20, 30, 40, 50, 55, 60],
    ),
}


def bricks(parts, y, z):
    """The section drawn along x in bricks of 20 nodes."""
    n = (BRICKS, len(y) - 1, len(z) - 1)
    grid = fem.box(n, n)
    lines = np.linspace(0, LENGTH, BRICKS + 1), 1e-3 * np.array(y), 1e-3 * np.array(z)
    x = [np.interp(grid.points[:, k], np.arange(len(at)), at) for k, at in enumerate(lines)]
    points, nodes = np.stack(x, axis=1), grid.blocks[0].nodes
    centres = points[nodes[:, :8], 1:].mean(axis=1)
    kept = np.any(
        [((p.min(axis=0) < centres) & (centres < p.max(axis=0))).all(axis=1) for p in parts], axis=0
    )
    mesh = drop_unattached(fem.Mesh(points, (fem.Block("hex20", nodes[kept]),)))
    places = {"x0": 0.0, "near": 0.2 * LENGTH, "far": 0.8 * LENGTH, "x1": LENGTH}
    sets = {name: np.flatnonzero(np.abs(mesh.points[:, 0] - x) < 1e-9) for name, x in places.items()}
    return fem.assemble(fem.Mesh(mesh.points, mesh.blocks, sets), STEEL)


@pytest.fixture(scope="module", params=SHAPES)
def both(request):
    """The name of the shape, its section, the solid and the beam whose nodes lie on the drawing's origin."""
    parts, y, z = SHAPES[request.param]
    section = fem.DrawnSection(parts, nu=STEEL.nu)
    x = np.linspace(0, LENGTH, BRICKS + 1)
    ends = {"x0": [0], "x1": [BRICKS]}
    line = fem.Mesh(
        np.stack([x, 0 * x, 0 * x], axis=1),
        (fem.Block("line2", [[k, k + 1] for k in range(BRICKS)]),),
        ends,
    )
    beam = fem.assemble(line, fem.Beam(STEEL, section, offset=section.centroid))
    return request.param, section, bricks(parts, y, z), beam


def test_frequencies_of_free_beams(both):
    """Bending modes of the angle, of whatever direction, agree to 3e-4, twisting ones to 3e-3.

    The channel's two bricks across a wall have a torsion constant that is 2 % too large. A beam without restrained
    warping is softer in torsion, by (E Cw / G J) (pi / l)^2: 2 % for the channel's first twisting mode, and four times
    as much for the second one.
    """
    name, _, solid, beam = both
    found, expected = (fem.vibration(structure, n=6).frequencies_hz for structure in (beam, solid))
    tolerance = {
        "angle": [3e-4, 3e-4, 3e-4, 3e-3, 3e-4, 3e-3],
        "channel": [1e-3, 6e-3, 2e-2, 1e-3, 3e-2, 3e-2],
    }
    assert (np.abs(found / expected - 1) < tolerance[name]).all()


@pytest.mark.parametrize("direction", [(0, 1, 0), (0, 0, 1)])
def test_deflection_and_twist_under_a_force_at_the_centroid(both, direction):
    """A clamped end keeps the section from warping there: twist is compared between a fifth and four fifths."""
    name, section, solid, beam = both
    force = 1000.0 * np.array(direction)
    centroid = np.array(section.centroid)
    load = fem.Traction("x1", tuple(force / section.A))  # its resultant acts at the centroid
    u = fem.static(solid, "x0", load).u.reshape(-1, 3)
    tip = solid.mesh.node_sets["x1"]
    weight = fem.load_vector(solid, fem.Traction("x1", (0, 0, 1 / section.A))).reshape(-1, 3)[
        tip, 2
    ]  # int N dA / A
    arm = solid.mesh.points[tip, 1:] - centroid

    def twist(name):
        nodes = solid.mesh.node_sets[name]
        by_place = [np.lexsort(np.round(solid.mesh.points[its, 1:], 9).T) for its in (tip, nodes)]
        nodes = nodes[by_place[1]][np.argsort(by_place[0])]  # in the order of the tip's nodes
        across = u[nodes, 1:] - weight @ u[nodes, 1:]
        return (
            weight @ (arm[:, 0] * across[:, 1] - arm[:, 1] * across[:, 0]) / (weight @ (arm**2).sum(axis=1))
        )

    moment = np.cross([0, *centroid], force)
    by_beam = fem.static(
        beam, "x0", [fem.Force("x1", tuple(force)), fem.Force("x1", (0, 0, 0), tuple(moment))]
    )
    end = by_beam.u.reshape(-1, 6)[BRICKS]
    moved = end[:3] + np.cross(end[3:], [0, *centroid])
    expected = weight @ u[tip]
    # the clamped end also keeps the section from becoming narrower: 4e-3
    np.testing.assert_allclose(moved[1:], expected[1:], atol=6e-3 * np.abs(expected).max())
    turned = np.diff(by_beam.u.reshape(-1, 6)[[BRICKS // 5, BRICKS * 4 // 5], 3])[0]
    if abs(turned) > 1e-9:  # the channel does not twist under a force along its axis of symmetry
        assert turned == pytest.approx(
            twist("far") - twist("near"), rel={"angle": 6e-3, "channel": 2.5e-2}[name]
        )
