"""Outlines of sections, outer surfaces of elements, and the fields on them."""

import numpy as np
import pytest
from support import drawn as structures
from support.drawn import LENGTH, SECTIONS, SIZE, STEEL, area, bars, drawn, holds, plate, volume

import fem
import flexbody as fb
from fem.elements.outline import contour
from fem.model.outer_surface import outer_surfaces
from flexbody.view.geometry import colours, scale
from flexbody.view.meshes import drawing_of
from flexbody.view.render import opengl
from flexbody.view.scenes.elements import Options
from flexbody.view.scenes.fields import quantity


@pytest.fixture(autouse=True)
def own_renderer(monkeypatch):
    monkeypatch.setattr(opengl, "available", lambda: False)


@pytest.fixture(scope="module")
def cantilever():
    return structures.cantilever()


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_an_outline_is_closed_and_holds_the_sections_area(section):
    X = np.array([[[0, 0, 0], [1, 2, 2.0]], [[0, 0, 0], [0, 3, 0.0]]])
    swept = fem.Beam(STEEL, section).outline("line2", X)
    for points in swept.points:
        # 20 corners: a polygon of sin(2 pi / 20) 20 / (2 pi) = 0.984 of the circle's area; fillets of 4 sides: 0.3 %
        assert 0.983 * section.A <= volume(points, swept.triangles) / 3 <= 1.003 * section.A
    # from outside, every edge is met once in each direction: nothing is open
    ends = np.concatenate([swept.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert {tuple(edge) for edge in ends} == {tuple(edge) for edge in ends[:, ::-1]}


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_an_outline_has_the_sections_second_moments(section):
    outer, inner, smooth = contour(section)

    def moments(loop):
        y, z = loop.T
        y2, z2 = np.roll(y, -1), np.roll(z, -1)
        w = (y * z2 - y2 * z) / 12  # Green's theorem
        return np.array([(w * (z * z + z * z2 + z2 * z2)).sum(), (w * (y * y + y * y2 + y2 * y2)).sum()])

    found = moments(outer) - (0 if inner is None else moments(inner))
    # inscribed polygons of 20 corners: 1 - 0.967
    np.testing.assert_allclose(found, [section.Iy, section.Iz], rtol=0.035 if smooth else 0.01)


@pytest.mark.parametrize("offset", [(0.0, 0.0), (0.03, -0.07)])
@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_an_outline_follows_a_rigid_motion(section, offset):
    X = np.array([[[0, 0, 0], [1, 2, 2.0]], [[0, 0, 0], [0, 3, 0.0]]])
    shift, turn = np.array([1.0, 2, 3]), np.array([0.1, -0.2, 0.3])
    u = np.concatenate(
        [np.concatenate([shift + np.cross(turn, X[:, k]), np.tile(turn, (2, 1))], 1) for k in (0, 1)], 1
    )
    swept = fem.Beam(STEEL, section, offset=offset).outline("line2", X)
    moved = np.einsum("eqij,ej->eqi", swept.shape, u)
    np.testing.assert_allclose(moved, shift + np.cross(turn, swept.points), atol=1e-12)


def test_a_truss_is_a_round_bar_of_its_area():
    swept = fem.Truss(STEEL, 1e-2).outline("line2", np.array([[[0, 0, 0], [0, 0, 2.0]]]))
    assert volume(swept.points[0], swept.triangles) / 2 == pytest.approx(1e-2 * 0.984, rel=1e-3)  # 20 corners


def test_the_outline_of_a_bent_beam_lies_on_the_elastic_line(cantilever):
    structure, solution = cantilever
    (surface,) = outer_surfaces(structure)
    moved = surface.displacements(structure, solution.u)
    x, z = surface.points[:, 0], surface.points[:, 2]
    EI = 210e9 * SECTIONS["I"].Iy
    # w = -F x^2 (3 L - x) / 6 EI, and u = -z w' (Euler and Bernoulli)
    np.testing.assert_allclose(moved[:, 2], -1e3 * x**2 * (3 * LENGTH - x) / (6 * EI), atol=1e-12)
    np.testing.assert_allclose(moved[:, 0], z * 1e3 * x * (2 * LENGTH - x) / (2 * EI), atol=1e-12)


def test_the_skin_of_a_shell_has_its_thickness_and_turns_with_its_nodes():
    structure = fem.assemble(plate(), fem.Shell(STEEL, 0.02, offset=0.05))
    (surface,) = outer_surfaces(structure)
    assert volume(surface.points, surface.triangles) == pytest.approx(
        0.02, rel=1e-12
    )  # 1 m x 1 m x 0.02 m, outward
    np.testing.assert_allclose(np.unique(surface.points[:, 2]), [0.04, 0.06], atol=1e-15)
    rigid = structure.rigid_modes((0, 0, 0))
    turned = surface.displacements(structure, rigid)
    for k, e in enumerate(np.eye(3)):
        np.testing.assert_allclose(turned[:, :, 3 + k], np.cross(e, surface.points), atol=1e-12)


@pytest.mark.parametrize("by_kind", [True, False])
def test_skins_of_several_properties_cover_the_outside_once(by_kind):
    mesh = fem.box((2, 1, 1), (4, 2, 2), element="hex8")
    halves = {"left": np.flatnonzero(mesh.points[mesh.blocks[0].nodes].mean(axis=1)[:, 0] < 1)}
    halves["right"] = np.setdiff1d(np.arange(mesh.n_elements), halves["left"])
    mesh = fem.Mesh(mesh.points, mesh.blocks, mesh.node_sets, element_sets=halves)
    aluminium = fem.Isotropic(E=70e9, nu=0.33, rho=2700.0)
    found = outer_surfaces(fem.assemble(mesh, {"left": STEEL, "right": aluminium}), by_kind)
    assert [surface.name for surface in found] == ["left", "right"]
    # five of six faces of each cube, 1 m x 1 m
    assert [area(surface.points, surface.triangles) for surface in found] == pytest.approx([5, 5])


def test_solids_of_several_kinds_join_where_they_are_made_of_the_same():
    one, other = (
        fem.box((1, 1, 1), (2, 2, 2), element="hex8"),
        fem.box((1, 1, 1), (2, 2, 2), "wedge6", origin=(1, 0, 0)),
    )
    points, number = np.unique(np.vstack([one.points, other.points]).round(9), axis=0, return_inverse=True)
    blocks = [
        fem.Block(b.element, number.ravel()[b.nodes + at])
        for m, at in ((one, 0), (other, one.n_nodes))
        for b in m.blocks
    ]
    mesh = fem.Mesh(points, tuple(blocks))
    assert [len(outer_surfaces(mesh, by_kind)) for by_kind in (True, False)] == [2, 1]
    assert sum(area(s.points, s.triangles) for s in outer_surfaces(mesh)) == pytest.approx(10)  # 2 x 1 x 1
    image = fb.picture_mesh(mesh, size=SIZE)
    assert all(holds(image, colour) for colour in colours.KINDS[:2])


def _values(result, colour):
    found = outer_surfaces(result.structure, by_kind=False)
    moves = [surface.displacements(result.structure, result.u) for surface in found]
    return found, quantity(colour, found, moves, result.stress)


def test_the_stress_of_a_bent_beam_is_that_of_each_fibre(cantilever):
    solution = cantilever[1]
    (surface,), shown = _values(solution, "principal_1")
    section = SECTIONS["I"]
    x, z = surface.points[:, 0], surface.points[:, 2]
    fibre = 1e3 * (LENGTH - x) * z / section.Iy  # tension at the top of a cantilever under a force downward
    shear = section.shear_peak[1] * 1e3 / section.A
    np.testing.assert_allclose(shown.values[0], fibre / 2 + np.hypot(fibre / 2, shear), rtol=1e-9)
    low = _values(solution, "principal_3")[1].values[0]
    np.testing.assert_allclose(low + shown.values[0], fibre, atol=1e-6 * fibre.max())
    equivalent = _values(solution, "von_mises")[1].values[0]
    np.testing.assert_allclose(equivalent, np.hypot(fibre, np.sqrt(3) * shear), rtol=1e-9)
    assert equivalent.max() == pytest.approx(solution.stress.von_mises.max(), rel=1e-9)


def test_the_sides_of_a_bent_shell_show_their_own_stress():
    structure = fem.assemble(plate(), fem.Shell(fem.Isotropic(E=210e9, nu=0.0, rho=1.0), 0.02))
    solution = fem.static(structure, "x0", [fem.Force("x1", moment=(0, 100.0, 0))])
    (surface,), shown = _values(solution, "xx")
    # M / (b t^2 / 6) = 1.5 MPa; a moment about +y presses the top at the held edge: M = int z sigma dA
    expected = 100.0 / (0.02**2 / 6)
    middle = np.abs(surface.points[:, 0] - 0.5) < 0.01
    for side, sign in ((0, -1.0), (1, 1.0)):
        here = np.flatnonzero(middle & (surface.side == side))
        here = here[np.argsort(surface.points[here, 1])]
        mean = np.average(
            shown.values[0][here], weights=[0.5, 1, 1, 1, 0.5]
        )  # the nodes share the edge's moment
        assert mean == pytest.approx(sign * expected, rel=1e-3)


def test_a_truss_shows_force_over_area():
    structure = fem.assemble(bars(1), fem.Truss(STEEL, 1e-3))
    held = {"root": "all", "tip": ("y", "z")}
    solution = fem.static(structure, held, fem.Force("tip", (-2e4, 0, 0)))
    for colour, expected in (("von_mises", 2e7), ("principal_3", -2e7), ("principal_1", 0.0)):
        np.testing.assert_allclose(_values(solution, colour)[1].values[0], expected, atol=1.0)


def test_what_is_not_known_is_grey(cantilever):
    shown = scale.Scale("stress", -1.0, 3.0, "Pa").colour(np.array([np.nan, 0.0, -1.0]))
    np.testing.assert_array_equal(shown[0], colours.UNKNOWN)
    assert np.ptp(shown[1]) < 0.02  # zero is without colour, pressure is blue
    assert shown[2, 2] > shown[2, 0] + 0.1
    beams = _values(cantilever[1], "xx")[1]
    assert np.isnan(beams.values[0]).all()
    # a picture of unknown values has no scale of colours, and is grey all over
    drawing = drawing_of(cantilever[1], Options(colour="xx"))
    assert drawing.scale is None
    assert 0.002 < drawn(fb.picture_mesh(cantilever[1], colour="xx", size=SIZE)) < 0.5


@pytest.mark.parametrize(("low", "high"), [(0, 1.0), (0, 273.0e6), (-4.2e6, 1.1e7), (0, 2.3e-5), (-180e6, 0)])
def test_scales_have_labels_at_their_ends_and_round_values_between(low, high):
    shown = scale.Scale("stress", low, high, "Pa")
    values = [value for value, _ in shown.ticks()]
    assert 3 <= len(values) <= 8
    np.testing.assert_allclose([values[0], values[-1]], [low, high], rtol=1e-12)  # the ends have labels
    assert np.diff(values).min() > scale.TICK_ROOM * (high - low)
    steps = np.diff(values[1:-1])
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)
    assert float(f"{steps[0]:.0e}") == pytest.approx(steps[0], rel=1e-9)  # one digit
    assert all(len(text) <= 6 for _, text in shown.ticks())


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (5e3, "N", "5 kN"),
        (-1.234e8, "Pa", "−123 MPa"),
        (1e3, "Pa", "1 kPa"),
        (0.0123, "m", "12.3 mm"),
        (0, "N", "0 N"),
    ],
)
def test_values_in_words(value, unit, text):
    assert scale.with_unit(value, unit) == text
