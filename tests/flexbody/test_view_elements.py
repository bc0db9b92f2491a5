"""Finite elements in pictures: outlines of sections, skins, fields, symbols, modes and their films."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import fem
import flexbody as fb
import modal
from fem.common.errors import InputError
from fem.elements.outline import contour, outline
from fem.skin import skins
from flexbody.view import (
    animate_mode,
    colours,
    elements,
    machine,
    meshes,
    opengl,
    picture_mesh,
    scale,
    solutions,
)
from flexbody.view.fields import quantity

SIZE = (320, 180)
STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
LENGTH = 2.0
SECTIONS = {
    "circle": fem.Circle(0.1),
    "tube": fem.Tube(0.1, 0.06),
    "rectangle": fem.Rectangle(0.1, 0.2),
    "I": fem.ISection(0.2, 0.1, 0.01, 0.015),
    "I with fillets": fem.ISection(0.2, 0.1, 0.01, 0.015, 0.012),
    "general": fem.Section(2e-2, 0.1 * 0.2**3 / 12, 0.2 * 0.1**3 / 12, 1e-5),
}


@pytest.fixture(autouse=True)
def own_renderer(monkeypatch):
    monkeypatch.setattr(opengl, "available", lambda: False)


def _volume(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


def _area(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2


def _drawn(image):
    return (image < 250).any(axis=2).mean()


def _holds(image, colour, least=9):
    """Whether a picture has pixels of exactly this colour, as legends do."""
    return (np.abs(image / 255 - np.array(colour)).max(axis=2) < 0.01).sum() > least


def _bars(n=4, sets=()):
    """A straight line of n elements along x, from "root" to "tip"."""
    points = np.zeros((n + 1, 3))
    points[:, 0] = np.linspace(0, LENGTH, n + 1)
    lines = np.stack([np.arange(n), np.arange(1, n + 1)], axis=1)
    ends = {"root": np.array([0]), "tip": np.array([n])}
    return fem.Mesh(points, (fem.Block("line2", lines),), node_sets=ends, name="bars")


def _plate(n=4):
    """A square plate, side 1 m, in the plane z = 0; its edges x = 0 and x = 1 are sets."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij")
    points = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], axis=1)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    a = i * (n + 1) + j
    quads = np.stack([a, a + n + 1, a + n + 2, a + 1], axis=1)
    ends = {
        "x0": np.flatnonzero(x.ravel() == 0),
        "x1": np.flatnonzero(x.ravel() == 1),
        "all": np.arange(len(points)),
    }
    return fem.Mesh(points, (fem.Block("quad4", quads),), node_sets=ends, name="plate")


@pytest.fixture(scope="module")
def cantilever():
    """A beam of four elements, held at its root, 1 kN down at its tip: structure and solution."""
    structure = fem.assemble(_bars(), fem.Beam(STEEL, SECTIONS["I"], theory="euler"))
    return structure, fem.static(structure, "root", fem.Force("tip", (0, 0, -1e3)))


@pytest.fixture(scope="module")
def modes(cantilever):
    return fem.vibration(cantilever[0], 3, "root")


@pytest.fixture(scope="module")
def block():
    mesh = fem.box((1.0, 0.2, 0.2), (5, 1, 1))
    return fem.assemble(mesh, STEEL)


# ---- outlines


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_an_outline_is_closed_and_holds_the_sections_area(section):
    X = np.array([[[0, 0, 0], [1, 2, 2.0]], [[0, 0, 0], [0, 3, 0.0]]])
    swept = outline(fem.Beam(STEEL, section), "line2", X)
    for points in swept.points:
        # 20 corners: a polygon of sin(2 pi / 20) 20 / (2 pi) = 0.984 of the circle's area; fillets of 4 sides: 0.3 %
        assert 0.983 * section.A <= _volume(points, swept.triangles) / 3 <= 1.003 * section.A
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
    swept = outline(fem.Beam(STEEL, section, offset=offset), "line2", X)
    moved = np.einsum("eqij,ej->eqi", swept.shape, u)
    np.testing.assert_allclose(moved, shift + np.cross(turn, swept.points), atol=1e-12)


def test_a_truss_is_a_round_bar_of_its_area():
    swept = outline(fem.Truss(STEEL, 1e-2), "line2", np.array([[[0, 0, 0], [0, 0, 2.0]]]))
    assert _volume(swept.points[0], swept.triangles) / 2 == pytest.approx(
        1e-2 * 0.984, rel=1e-3
    )  # 20 corners


def test_the_outline_of_a_bent_beam_lies_on_the_elastic_line(cantilever):
    structure, solution = cantilever
    (skin,) = skins(structure)
    moved = skin.displacements(structure, solution.u)
    x, z = skin.points[:, 0], skin.points[:, 2]
    EI = 210e9 * SECTIONS["I"].Iy
    # w = -F x^2 (3 L - x) / 6 EI, and u = -z w' (Euler and Bernoulli)
    np.testing.assert_allclose(moved[:, 2], -1e3 * x**2 * (3 * LENGTH - x) / (6 * EI), atol=1e-12)
    np.testing.assert_allclose(moved[:, 0], z * 1e3 * x * (2 * LENGTH - x) / (2 * EI), atol=1e-12)


# ---- skins


def test_the_skin_of_a_shell_has_its_thickness_and_turns_with_its_nodes():
    structure = fem.assemble(_plate(), fem.Shell(STEEL, 0.02, offset=0.05))
    (skin,) = skins(structure)
    assert _volume(skin.points, skin.triangles) == pytest.approx(
        0.02, rel=1e-12
    )  # 1 m x 1 m x 0.02 m, outward
    np.testing.assert_allclose(np.unique(skin.points[:, 2]), [0.04, 0.06], atol=1e-15)
    rigid = structure.rigid_modes((0, 0, 0))
    turned = skin.displacements(structure, rigid)
    for k, e in enumerate(np.eye(3)):
        np.testing.assert_allclose(turned[:, :, 3 + k], np.cross(e, skin.points), atol=1e-12)


@pytest.mark.parametrize("by_kind", [True, False])
def test_skins_of_several_properties_cover_the_outside_once(by_kind):
    mesh = fem.box((2, 1, 1), (4, 2, 2), element="hex8")
    halves = {"left": np.flatnonzero(mesh.points[mesh.blocks[0].nodes].mean(axis=1)[:, 0] < 1)}
    halves["right"] = np.setdiff1d(np.arange(mesh.n_elements), halves["left"])
    mesh = fem.Mesh(mesh.points, mesh.blocks, mesh.node_sets, element_sets=halves)
    aluminium = fem.Isotropic(E=70e9, nu=0.33, rho=2700.0)
    found = skins(fem.assemble(mesh, {"left": STEEL, "right": aluminium}), by_kind)
    assert [skin.name for skin in found] == ["left", "right"]
    # five of six faces of each cube, 1 m x 1 m
    assert [_area(skin.points, skin.triangles) for skin in found] == pytest.approx([5, 5])


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
    assert [len(skins(mesh, by_kind)) for by_kind in (True, False)] == [2, 1]
    assert sum(_area(s.points, s.triangles) for s in skins(mesh)) == pytest.approx(10)  # 2 x 1 x 1
    image = picture_mesh(mesh, size=SIZE)
    assert all(_holds(image, colour) for colour in colours.KINDS[:2])


# ---- fields


def _values(result, colour):
    found = skins(result.structure, by_kind=False)
    moves = [skin.displacements(result.structure, result.u) for skin in found]
    return found, quantity(colour, found, moves, result.stress)


def test_the_stress_of_a_bent_beam_is_that_of_each_fibre(cantilever):
    solution = cantilever[1]
    (skin,), shown = _values(solution, "principal_1")
    section = SECTIONS["I"]
    x, z = skin.points[:, 0], skin.points[:, 2]
    fibre = 1e3 * (LENGTH - x) * z / section.Iy  # tension at the top of a cantilever under a force downward
    shear = section.shear_peak[1] * 1e3 / section.A
    np.testing.assert_allclose(shown.values[0], fibre / 2 + np.hypot(fibre / 2, shear), rtol=1e-9)
    low = _values(solution, "principal_3")[1].values[0]
    np.testing.assert_allclose(low + shown.values[0], fibre, atol=1e-6 * fibre.max())
    equivalent = _values(solution, "von_mises")[1].values[0]
    np.testing.assert_allclose(equivalent, np.hypot(fibre, np.sqrt(3) * shear), rtol=1e-9)
    assert equivalent.max() == pytest.approx(solution.stress.von_mises.max(), rel=1e-9)


def test_the_sides_of_a_bent_shell_show_their_own_stress():
    structure = fem.assemble(_plate(), fem.Shell(fem.Isotropic(E=210e9, nu=0.0, rho=1.0), 0.02))
    solution = fem.static(structure, "x0", [fem.Force("x1", moment=(0, 100.0, 0))])
    (skin,), shown = _values(solution, "xx")
    # M / (b t^2 / 6) = 1.5 MPa; a moment about +y presses the top at the held edge: M = int z sigma dA
    expected = 100.0 / (0.02**2 / 6)
    middle = np.abs(skin.points[:, 0] - 0.5) < 0.01
    for side, sign in ((0, -1.0), (1, 1.0)):
        here = np.flatnonzero(middle & (skin.side == side))
        here = here[np.argsort(skin.points[here, 1])]
        mean = np.average(
            shown.values[0][here], weights=[0.5, 1, 1, 1, 0.5]
        )  # the nodes share the edge's moment
        assert mean == pytest.approx(sign * expected, rel=1e-3)


def test_a_truss_shows_force_over_area():
    structure = fem.assemble(_bars(1), fem.Truss(STEEL, 1e-3))
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
    drawing = solutions.of_result(cantilever[1], colour="xx")
    assert drawing.scale is None
    assert 0.002 < _drawn(picture_mesh(cantilever[1], colour="xx", size=SIZE)) < 0.5


@pytest.mark.parametrize(("low", "high"), [(0, 1.0), (0, 273.0e6), (-4.2e6, 1.1e7), (0, 2.3e-5), (-180e6, 0)])
def test_scales_have_round_values_in_their_range(low, high):
    shown = scale.Scale("stress", low, high, "Pa")
    values = [value for value, _ in shown.ticks()]
    assert 3 <= len(values) <= 7
    assert low - 1e-9 * high <= values[0] < values[-1] <= high * (1 + 1e-9)
    steps = np.diff(values)
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
    assert scale.words(value, unit) == text


# ---- pictures of solutions


def test_the_drawn_displacement_is_enlarged_by_the_factor_that_is_printed(cantilever):
    solution = cantilever[1]
    tip = 1e3 * LENGTH**3 / (3 * 210e9 * SECTIONS["I"].Iy)
    drawing = solutions.of_result(solution)
    factor = float(drawing.note.split("drawn ")[1].split(" times")[0])
    assert factor / 10 ** np.floor(np.log10(factor)) in (1, 2, 5)
    most = np.hypot(tip, 0.1 * 1.5 * tip / LENGTH)  # the section turns by 3 w / 2 L
    assert drawing.note.startswith(f"largest displacement {scale.words(most, 'm')}, drawn")
    part = drawing.parts[0]
    low = part.points(drawing.poses())[:, 2].min()
    assert low == pytest.approx(-0.1 - factor * tip, rel=1e-3)  # 0.1 m: half the section's height
    assert 0.03 < factor * tip / LENGTH < 0.1
    for given, words in ((1.0, "drawn to scale"), (0.0, "not drawn"), (25, "drawn 25 times as large")):
        assert solutions.of_result(solution, scale=given).note.endswith(words)


def test_stress_is_dark_where_it_is_large(cantilever):
    image = picture_mesh(cantilever[1], colour="von_mises", size=(640, 360), view="-y", edges=False, scale=0)
    body = image[180:, :500].astype(int)  # below the middle of the picture, without the scale
    columns = np.flatnonzero((body < 250).any(axis=2).any(axis=0))
    root, tip = columns[10], columns[-10]

    def green(column):  # falls from bare metal to dark red
        pixels = body[:, column]
        return np.median(pixels[(pixels < 250).any(axis=1)][:, 1])

    assert green(root) < 100 < 150 < green(tip)


def test_limits_cut_the_scale(cantilever):
    drawing = solutions.of_result(cantilever[1], colour="von_mises", limits=(0, 2e6))
    assert (drawing.scale.low, drawing.scale.high) == (0, 2e6)
    image = picture_mesh(cantilever[1], colour="von_mises", limits=(0, 1e5), size=SIZE)
    # all stresses are above: the beam has the darkest colour, shaded
    dark = np.array(colours.magnitude(np.array([1.0]))[0])
    body = image[40:, :250].reshape(-1, 3)[(image[40:, :250].reshape(-1, 3) < 230).all(axis=1)] / 255
    assert np.median(body[:, 1]) < dark[1] + 0.1


def test_components_and_given_values_have_two_colours_or_one(cantilever, block):
    shown = solutions.of_result(cantilever[1], colour="z").scale
    assert shown.signed
    assert shown.high == 0
    solution = fem.static(block, "x0", fem.Force("x1", (1e3, 0, 0)))
    drawing = solutions.of_result(solution, colour=block.mesh.points[:, 0])
    assert drawing.scale.heading() == "given values"
    assert drawing.scale.high == 1.0
    jumps = solutions.of_result(solution, colour="jump")
    assert jumps.scale.high == pytest.approx(np.nanmax(solution.stress.jump))


def test_modes_and_buckling_are_told_by_their_number(cantilever, modes):
    assert solutions.of_result(modes, 2).note == f"mode 2: {modes.frequencies_hz[2]:.5g} Hz"
    buckled = fem.buckling(cantilever[0], "root", fem.Force("tip", (-1.0, 0, 0)))
    # Euler: pi^2 E I / (4 L^2) for the weak axis; four elements are 0.01 % stiff
    euler = np.pi**2 * 210e9 * SECTIONS["I"].Iz / (4 * LENGTH**2)
    note = solutions.of_result(buckled, 0).note
    assert note.startswith("buckling mode 0: load factor ")
    assert float(note.split()[-1]) == pytest.approx(euler, rel=1e-3)
    swing = solutions.of_result(modes, 0, colour="y").scale
    assert swing.low == -swing.high  # it swings both ways
    images = [picture_mesh(what, mode=0, size=SIZE) for what in (modes, buckled)]
    assert all(0.01 < _drawn(image) < 0.5 for image in images)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "sigma"}, r"no field of this result; there are 'displacement'.*'von_mises'"),
        ({"colour": np.zeros(2)}, r"one value for each node, \(5,\)"),
        ({"limits": (2, 1)}, "no range of colours"),
        ({"mode": 0}, "a static solution has none"),
        ({"scale": "big"}, "'auto'"),
        ({"size": (10, 10)}, "64 or more"),
        ({"loads": "tip"}, "loads= takes"),
        ({"supports": {"tip": "w"}}, "the support 'tip' names the components 'w'"),
        ({"supports": "toe"}, "no node set 'toe'"),
    ],
)
def test_pictures_of_solutions_that_can_not_be(cantilever, options, words):
    with pytest.raises(fb.FlexbodyError, match=words):
        picture_mesh(cantilever[1], **{"size": SIZE, **options})


def test_other_refusals(cantilever, modes, tmp_path):
    structure, solution = cantilever
    with pytest.raises(InputError, match="the modes 0 to 2, not 3"):
        picture_mesh(modes, mode=3)
    with pytest.raises(InputError, match="size of a mode is arbitrary"):
        picture_mesh(modes, mode=0, colour="von_mises")
    for colour in ("von_mises", np.zeros(5)):
        with pytest.raises(InputError, match="coloured by 'plain', 'kind'"):
            picture_mesh(structure, colour=colour)
    with pytest.raises(InputError, match="int can't be drawn"):
        picture_mesh(42)
    for what in (structure, structure.mesh, solution):
        with pytest.raises(InputError, match="no modes to be filmed"):
            animate_mode(what, tmp_path / "a.gif")
    with pytest.raises(InputError, match="four frames"):
        animate_mode(modes, tmp_path / "a.gif", period=0.01)
    with pytest.raises(InputError, match="ending must be"):
        animate_mode(modes, tmp_path / "a.avi")
    assert list(tmp_path.iterdir()) == []


# ---- symbols


def test_supports_loads_and_connections_are_drawn_in_their_colours():
    mesh = _plate(4)
    sets = {**mesh.node_sets, "corner": np.array([24]), "middle": np.array([6, 7, 8, 11, 12, 13, 16, 17, 18])}
    mesh = fem.Mesh(mesh.points, mesh.blocks, sets, name="plate")
    parts = (
        fem.Averaged("motor", "middle", at=(0.5, 0.5, 0.3)),
        fem.Rigid("bracket", "x1", at=(1.3, 0.5, 0)),
        fem.PointMass("motor", 5.0),
        fem.Spring("corner", None, (0, 0, 1e3, 0, 0, 0)),
        fem.Spring("motor", "bracket", 1e3),
    )
    structure = fem.assemble(mesh, fem.Shell(STEEL, 0.01), parts=parts)
    loads = [
        fem.Force("bracket", (0, 0, -100.0), (5.0, 0, 0)),
        fem.Pressure("all", 1e3),
        fem.Traction("all", (10.0, 0, 0)),
        fem.EdgeLoad("x1", (0, 20.0, 0)),
        fem.Gravity(),
        fem.Centrifugal((0, 0, 10.0)),
    ]
    drawing = elements.of_mesh(structure, None, None, {"x0": "all"}, loads, True)
    assert list(drawing.legend) == [
        "x0: held",
        "100 N on bracket",
        "5 N m on bracket",
        "1 kPa on all",
        "10 Pa on all",
        "20 N/m on x1",
        "gravity 9.81 m/s²",
        "turning at 10 rad/s",
        "averaged: motor",
        "rigid: bracket",
        "5 kg at motor",
        "spring corner–ground",
        "spring motor–bracket",
    ]
    image = picture_mesh(structure, supports="x0", loads=loads, size=(640, 360))
    for colour in (
        colours.SUPPORT,
        colours.LOAD,
        colours.RIGID,
        colours.AVERAGED,
        colours.MASS,
        colours.SPRING,
    ):
        assert _holds(image, colour, 30)
    bare = picture_mesh(structure.mesh, sets=(), size=(640, 360))
    assert not _holds(bare, colours.SUPPORT)
    with pytest.raises(InputError, match="has no faces to be loaded"):
        picture_mesh(structure, loads=fem.Pressure("corner", 1.0))


def test_line_loads_point_at_their_elements(cantilever):
    drawing = elements.of_mesh(cantilever[0], None, (), (), fem.LineLoad("line2", (0, 0, -50.0)), False)
    assert list(drawing.legend) == ["50 N/m on line2"]
    points = drawing.parts[-1].points(drawing.poses())
    tips = points[np.abs(points[:, 2]) < 1e-12]
    np.testing.assert_allclose(np.unique(tips[:, 0].round(9)), [0.25, 0.75, 1.25, 1.75])  # the middles
    assert points[:, 2].max() > 0.05


def test_a_force_on_an_eye_stays_outside_of_it(block):
    drawing = elements.of_mesh(
        block, None, (), (), [fem.Force("x1", (7.0, 0, 0)), fem.Force("x0", (7.0, 0, 0))], True
    )
    first, second = (part.points(drawing.poses())[:, 0] for part in drawing.parts[-2:])
    assert first.min() >= 1.0  # it pulls: from the face outward
    assert second.max() <= 0.0  # it pushes: up to the face


@pytest.mark.parametrize("held", ["all", ("x", "y", "z"), ("z",), ("x", "z", "ry")])
def test_supports_show_the_components_that_they_hold(cantilever, held):
    drawing = elements.of_mesh(cantilever[0], None, (), {"root": held}, (), True)
    (label,) = drawing.legend
    assert label == ("root: held" if held == "all" else f"root: {' '.join(held)} held")
    points = drawing.parts[-1].points(drawing.poses())
    assert np.abs(points.mean(axis=0)).max() < 0.08  # at the root
    if held == ("z",):
        assert points[:, 2].max() <= 1e-12  # from below
    if held == "all":
        assert points[:, 0].max() <= 1e-12  # a wall behind the beam's end
    assert len(elements.of_mesh(cantilever[0], None, (), {"root": {"z": 1e-3}}, (), True).legend) == 1


def test_supports_of_a_face_stand_outside_of_it(block):
    for held, below in (("all", 0), (("x", "y", "z"), 0), (("z",), 2)):
        drawing = elements.of_mesh(block, None, (), {"x0": held}, (), True)
        points = drawing.parts[-1].points(drawing.poses())
        assert points[:, 0].max() <= (1e-9 if below == 0 else 0.05)
        if below == 2:  # all from below, at every node
            tips = points[np.abs(points[:, 0]) < 1e-9]
            assert len(np.unique(tips[:, 2].round(6))) >= 2
            assert points[:, 2].min() < 0


def test_the_undeformed_shape_is_drawn_where_it_differs(block, cantilever):
    bent = solutions.of_result(fem.static(block, "x0", fem.Force("x1", (0, 0, -1e3))))
    ghosts = [part for part in bent.parts if part.colour == colours.GHOST]
    assert len(ghosts) == 1
    seen = ghosts[0].x[ghosts[0].surface.edges]
    assert seen[..., 0].max() == pytest.approx(1.0)  # the tip
    assert seen[..., 0].max(axis=1).min() > 0.1  # and not the root
    still = solutions.of_result(cantilever[1], scale=0)
    assert not [part for part in still.parts if part.colour == colours.GHOST]


def test_properties_and_kinds_have_their_colours():
    mesh = _bars(4)
    mesh = fem.Mesh(
        mesh.points,
        mesh.blocks,
        mesh.node_sets,
        element_sets={"thick": np.array([0, 1]), "thin": np.array([2, 3])},
    )
    thick, thin = fem.Beam(STEEL, fem.Circle(0.2)), fem.Beam(STEEL, fem.Circle(0.05))
    structure = fem.assemble(mesh, {"thick": thick, "thin": thin})
    image = picture_mesh(structure, size=SIZE, view="-y")
    assert all(_holds(image, colour) for colour in colours.KINDS[:2])
    plain = picture_mesh(structure, size=SIZE, view="-y", colour="plain", sets=())
    assert not any(_holds(plain, colour) for colour in colours.KINDS[:2])
    drawing = elements.of_mesh(structure, None, None, (), (), True)
    assert list(drawing.legend) == ["thick", "thin"]
    sizes = [np.ptp(part.points(drawing.poses())[:, 1]) for part in drawing.parts]
    np.testing.assert_allclose(sizes, [0.2, 0.05], rtol=0.02)  # the real diameters


def test_sets_without_faces_are_dots():
    image = picture_mesh(_bars(4), size=SIZE)
    assert all(_holds(image, colour) for colour in colours.SETS[:2])
    drawing = elements.of_mesh(_bars(4), None, ("tip",), (), (), True)
    points = drawing.parts[-1].points(drawing.poses())
    np.testing.assert_allclose((points.min(axis=0) + points.max(axis=0)) / 2, [LENGTH, 0, 0], atol=1e-9)


def test_both_renderers_draw_the_same_structure(monkeypatch):
    monkeypatch.undo()
    if not opengl.available():
        pytest.skip("no OpenGL on this machine")
    mesh = _plate(4)
    structure = fem.assemble(
        mesh, fem.Shell(STEEL, 0.02), parts=(fem.Rigid("hub", "x1", at=(1.3, 0.5, 0.2)),)
    )
    solution = fem.static(structure, "x0", fem.Force("hub", (0, 0, 100.0)))
    options = {"colour": "von_mises", "supports": "x0", "size": (640, 360)}
    gl = picture_mesh(solution, **options)
    monkeypatch.setattr(opengl, "available", lambda: False)
    own = picture_mesh(solution, **options)
    assert ((gl > 250).all(axis=2) != (own > 250).all(axis=2)).mean() < 0.01  # but for pixels along the edges
    assert np.abs(gl.astype(int) - own).mean() < 2


# ---- films


def test_a_film_of_a_mode_swings_and_repeats_itself(modes, tmp_path):
    film = animate_mode(
        modes, tmp_path / "mode.mp4", 0, period=0.8, fps=10, cycles=2, size=SIZE, show_progress=False
    )
    reader = imageio_ffmpeg.read_frames(str(film))
    assert next(reader)["fps"] == 10
    frames = [np.frombuffer(frame, np.uint8).reshape(SIZE[1], SIZE[0], 3).astype(int) for frame in reader]
    assert len(frames) == 16

    def apart(a, b):
        return (np.abs(frames[a] - frames[b]) > 60).any(axis=2).mean()

    assert apart(2, 6) > 0.005  # a quarter and three quarters: the other way
    assert apart(0, 2) > 0.003
    assert apart(0, 8) < 0.001  # the next cycle; but for the codec
    gif = Image.open(
        animate_mode(modes, tmp_path / "mode.gif", 1, period=0.5, fps=10, size=SIZE, show_progress=False)
    )
    assert (gif.n_frames, gif.info["loop"]) == (5, 0)  # one cycle, for ever


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_an_interrupted_film_leaves_nothing(modes, tmp_path, monkeypatch, failure):
    frame = meshes._Stage.frame

    def stop(self, renderer, amplitude):
        if amplitude < 0:
            raise failure
        return frame(self, renderer, amplitude)

    monkeypatch.setattr(meshes._Stage, "frame", stop)
    with pytest.raises(failure):
        animate_mode(modes, tmp_path / "film.mp4", 0, period=0.5, fps=10, size=SIZE, show_progress=False)
    assert list(tmp_path.iterdir()) == []


# ---- bodies of beams


@pytest.fixture(scope="module")
def beam_body(cantilever):
    structure = cantilever[0]
    return modal.reduce(structure, modal.craig_bampton(structure, interfaces=("root", "tip"), n_normal=2))


def test_a_body_of_beams_has_a_surface_that_rides_on_its_markers(beam_body):
    surface = beam_body.recovery
    assert _volume(surface.points, surface.triangles) == pytest.approx(LENGTH * SECTIONS["I"].A, rel=1e-9)
    for marker in beam_body.markers.values():
        ring = np.abs(surface.points[:, 0] - marker.point[0]) < 1e-9
        arm = surface.points[ring] - marker.point
        assert ring.sum() >= 12
        # the section at a beam's end moves as its node does
        follows = marker.Phi + np.cross(marker.B.T[None], arm[:, None]).transpose(0, 2, 1)
        np.testing.assert_allclose(surface.Phi[ring], follows, atol=1e-9 * np.abs(surface.Phi).max())


def test_a_body_of_shells_is_as_thick_as_they_are():
    structure = fem.assemble(_plate(3), fem.Shell(STEEL, 0.02))
    body = modal.reduce(structure, modal.eigenmodes(structure, 2))
    assert _volume(body.recovery.points, body.recovery.triangles) == pytest.approx(0.02, rel=1e-9)


def test_flexible_beams_appear_in_machines(beam_body, tmp_path):
    blade = fb.FlexibleBody("blade", beam_body, place={"root": (0, 0, 0), "tip": (LENGTH, 0, 0)})
    clamp = fb.Fixed("clamp", fb.GROUND, blade["root"])
    result = fb.simulate(fb.System([blade], [clamp], gravity=(0, 0, -9.81)), t_end=0.02, show_progress=False)
    (part,) = machine.scene_of(result).flexible
    assert np.ptp(part.x[:, 2]) == pytest.approx(0.2)  # the height of its section
    loaded = modal.load(beam_body.save(tmp_path / "blade.h5") or tmp_path / "blade.h5")
    np.testing.assert_allclose(loaded.recovery.points, beam_body.recovery.points)
    assert 0.01 < _drawn(fb.picture(result, size=SIZE, scale=100)) < 0.6
