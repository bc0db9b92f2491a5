"""How far the bending stiffness of linear solids is off: the closed form against the elements, and what is told."""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse.linalg
from support.ansys_bodies import read
from support.ansys_decks import deck, eblock, materials, nblock, types

import fem
from fem.model.bending_excess import TETRAHEDRA, bending_doubts, bending_excess

E = 210e9
FORMS = {False: fem.FullIntegration(), True: fem.MeanDilatation()}


def bent(kind, divisions, size, solid):
    """The bending stiffness of a bar over E I: its strain energy where both end planes rotate.

    ux = kappa x z on both end planes; three more displacements hold the rigid motions. E I kappa^2 l / 2 is exact.
    """
    mesh = fem.box(size, divisions, kind)
    K, (x, y, z) = fem.assemble(mesh, solid).K.tocsr(), mesh.points.T
    l, b, h = size
    u, held = np.zeros(len(x) * 3), np.zeros(len(x) * 3, bool)
    for plane in (x == 0, np.isclose(x, l)):
        held[3 * np.flatnonzero(plane)] = True
        u[3 * np.flatnonzero(plane)] = (x * (z - h / 2))[plane]
    one, other = (np.flatnonzero((x == 0) & np.isclose(y, at) & (z == 0))[0] for at in (0, b))
    held[[3 * one + 1, 3 * one + 2, 3 * other + 2]] = True
    loads = -K[~held][:, held] @ u[held]
    u[~held] = scipy.sparse.linalg.spsolve(K[~held][:, ~held].tocsc(), loads)
    return u @ (K @ u) / (E * b * h**3 / 12 * l)


@pytest.mark.parametrize("mean", FORMS)
@pytest.mark.parametrize(
    ("N", "a", "b", "nu"), [(1, 1, 1, 0.3), (2, 1.5, 1, 0.3), (2, 1, 3, 0.45), (1, 4, 2, 0)]
)
def test_the_closed_form_is_the_energy_of_the_elements(N, a, b, nu, mean):
    solid = fem.Solid(fem.Isotropic(E=E, nu=nu, rho=7850.0), brick=FORMS[mean])
    found = bent("hex8", (6, 2, N), (6 * a, 2 * b, N), solid)
    assert 1 + bending_excess(N, a, b, nu, mean) == pytest.approx(found, rel=1e-8)  # both exact


@pytest.mark.parametrize("mean", FORMS)
def test_it_bounds_more_layers(mean):
    """Strains along y that are not linear over the layers lower the energy, by less than the share 1 / N^4."""
    solid = fem.Solid(fem.Isotropic(E=E, nu=0.3, rho=7850.0), brick=FORMS[mean])
    found, bound = bent("hex8", (6, 2, 4), (6, 2, 4), solid), 1 + float(bending_excess(4, 1, 1, 0.3, mean))
    assert bound - 1 / 4**4 < found < bound


def test_by_hand():
    """nu = 0: beta = 0 and no strain but epsilon_x is lost, so that the excess is (a / t)^2 / 2 / N^2."""
    assert bending_excess(2, 3, 1, 0.0, mean=False) == pytest.approx(9 / 8)


@pytest.mark.parametrize("N", [1, 2, 3])
def test_tetrahedra(N):
    """The number is fitted to bars of cubes cut in six, and derived from nothing: to a quarter for 1 to 3 layers."""
    found = bent("tet4", (8, N, N), (8, N, N), fem.Isotropic(E=E, nu=0.3, rho=7850.0))
    assert (found - 1) * N**2 == pytest.approx(TETRAHEDRA, rel=0.25)


def told(mesh, brick=None):
    steel = fem.Isotropic(E=E, nu=0.3, rho=7850.0)
    if brick is not None:
        every = {"part": np.arange(mesh.n_elements)}
        mesh = replace(mesh, properties={"part": fem.Solid(steel, brick=brick)}, element_sets=every)
    return list(bending_doubts(mesh))


def test_what_is_told_of_bricks():
    """Whatever the order of the axes, and where a thick block stands beside the thin part."""
    part = fem.box((0.5, 0.05, 0.02), (25, 2, 2), "hex8")
    right = f"{100 * float(bending_excess(2, 2, 2.5, 0.3, mean=True)):.0f} %"
    (words,) = told(part, fem.MeanDilatation())
    assert re.search(
        rf"'part' has linear bricks \(MeanDilatation\), 2 layers .*0\.01 m high, 0\.02 m long\).* {right};",
        words,
    )
    turned = replace(part, points=part.points[:, [2, 0, 1]])
    assert right in told(turned, fem.MeanDilatation())[0]
    assert not told(part, fem.IncompatibleModes())
    assert not told(part)
    assert not told(fem.box((0.5, 0.05, 0.05), (100, 10, 10), "hex8"), fem.MeanDilatation())
    assert not told(fem.box((1, 1, 1), (2, 2, 2), "hex8"), fem.FullIntegration())  # a block does not bend
    assert not told(fem.box((0.5, 0.05, 0.02), (25, 2, 2), "hex20"), fem.FullIntegration())


def test_a_thin_part_beside_a_thick_one():
    """The number is that of the thin part, whose bricks are most."""
    thin = fem.box((0.5, 0.02, 0.01), (50, 2, 1), "hex8")
    thick = fem.box((0.05, 0.02, 0.05), (5, 2, 5), "hex8")
    points = np.vstack([thin.points, thick.points + [0.5, 0, 0]])
    blocks = [fem.Block("hex8", np.vstack([thin.blocks[0].nodes, thick.blocks[0].nodes + thin.n_nodes]))]
    (words,) = told(fem.merge_nodes(fem.Mesh(points, blocks)), fem.FullIntegration())
    assert "1 layer across" in words
    assert f"{100 * float(bending_excess(1, 1, 1, 0.3, mean=False)):.0f} %" in words


def test_the_report_of_a_deck_tells_it(tmp_path):
    """SOLID185 with KEYOPT(2) = 0 is ANSYS' B-bar; told is what these elements do in every program."""
    mesh = fem.box((0.5, 0.02, 0.02), (20, 2, 2), "hex8")
    found = read(deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials()), tmp_path)
    excess = float(bending_excess(2, 2.5, 1, 0.3, mean=True))
    (line,) = [line for line in found.report().splitlines() if line.startswith("  bending")]
    assert "MeanDilatation" in line
    assert f"too high by roughly {100 * excess:.0f} %;" in line
    remedy = fem.assemble(found, fem.Solid(fem.Isotropic(E=E, nu=0.3, rho=7850.0)))
    f, right = (fem.vibration(one, n=1).frequencies_hz[0] for one in (fem.assemble(found), remedy))
    assert (f / right) ** 2 == pytest.approx(1 + excess, rel=0.02)  # the first bending mode of a free bar


def test_a_plate_of_tetrahedra_on_a_block():
    """A plate of 10 x 5 x 1 cubes beside a block of 5 x 5 x 5: 300 of 1050 tetrahedra, the nearest ones without."""
    plate, block = fem.box((10, 5, 1), (10, 5, 1), "tet4"), fem.box((5, 5, 5), (5, 5, 5), "tet4")
    points = np.vstack([plate.points, block.points + [10, 0, 0]])
    nodes = np.vstack([plate.blocks[0].nodes, block.blocks[0].nodes + plate.n_nodes])
    (words,) = told(fem.merge_nodes(fem.Mesh(points, [fem.Block("tet4", nodes)])))
    share = int(re.search(r"tet4\), 1 layer across where (\d+) % of them are: .* 400 %", words)[1])
    assert 20 < share <= 100 * 300 / 1050


def test_what_is_told_of_tetrahedra():
    assert "1 layer across everywhere" in told(fem.box((0.5, 0.05, 0.05), (10, 1, 1), "tet4"))[0]
    assert "44 % to 100 %" in told(fem.box((0.5, 0.05, 0.05), (10, 3, 3), "tet4"))[0]
    assert not told(fem.box((0.5, 0.05, 0.05), (40, 4, 4), "tet4"))
    assert not told(fem.box((0.5, 0.5, 0.05), (20, 20, 4), "tet4"))
    assert not told(fem.box((1, 1, 1), (5, 5, 5), "tet4"))
    assert not told(fem.box((0.5, 0.05, 0.05), (10, 1, 1), "tet10"))
