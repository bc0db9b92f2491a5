"""Finite elements in pictures: supports, loads, connections, properties; bodies of beams and shells."""

from dataclasses import replace

import numpy as np
import pytest
from support import drawn as structures
from support.drawn import LENGTH, SECTIONS, SIZE, STEEL, bars, drawn, holds, plate, volume

import fem
import flexbody as fb
import modal
from flexbody.view import meshes
from flexbody.view.geometry import colours
from flexbody.view.meshes import drawing_of
from flexbody.view.render import opengl
from flexbody.view.scenes import machine
from flexbody.view.scenes.elements import Options


@pytest.fixture(autouse=True)
def own_renderer(monkeypatch):
    monkeypatch.setattr(opengl, "available", lambda: False)


@pytest.fixture(scope="module")
def cantilever():
    return structures.cantilever()


@pytest.fixture(scope="module")
def block():
    mesh = fem.box((1.0, 0.2, 0.2), (5, 1, 1))
    return fem.assemble(mesh, STEEL)


def test_supports_loads_and_connections_are_drawn_in_their_colours():
    mesh = plate(4)
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
    drawing = drawing_of(structure, Options(supports={"x0": "all"}, loads=loads))
    assert list(drawing.legend) == [
        "x0: fixed",
        "100 N on bracket",
        "5 N m on bracket",
        "1 kPa on all",
        "10 Pa on all",
        "20 N/m on x1",
        "gravity 9.81 m/s²",
        "rotating at 10 rad/s",
        "averaged: motor",
        "rigid: bracket",
        "5 kg at motor",
        "spring corner–ground",
        "spring motor–bracket",
    ]
    image = fb.picture_mesh(structure, supports="x0", loads=loads, size=(640, 360))
    for colour in (
        colours.SUPPORT,
        colours.LOAD,
        colours.RIGID,
        colours.AVERAGED,
        colours.MASS,
        colours.SPRING,
    ):
        assert holds(image, colour, 30)
    bare = fb.picture_mesh(structure.mesh, sets=(), size=(640, 360))
    assert not holds(bare, colours.SUPPORT)
    with pytest.raises(fb.InputError, match="has no faces to be loaded"):
        fb.picture_mesh(structure, loads=fem.Pressure("corner", 1.0))


def test_what_stands_inside_a_body_is_seen_through_it(block, monkeypatch):
    """Connections, masses and springs in solids, and supports in the section of a beam: nearer to the camera."""
    ends = fem.Rigid("a", "x0", at=(0, 0.1, 0.1)), fem.Averaged("b", "x1", at=(1, 0.1, 0.1))
    inside = fem.assemble(
        block.mesh, STEEL, parts=(*ends, fem.Spring("a", "b", 1e3), fem.PointMass("a", 1.0))
    )
    thick = fem.Beam(STEEL, fem.Rectangle(0.5, 0.5))
    beam = fem.assemble(fem.Mesh([(0, 0, 0), (1, 0, 0)], [fem.Block("line2", [(0, 1)])], {"end": [0]}), thick)
    drawn_by = []
    opened = meshes.opened
    monkeypatch.setattr(meshes, "opened", lambda *given: drawn_by.append(given) or opened(*given))
    fb.picture_mesh(inside, sets=(), size=(320, 180))
    fb.picture_mesh(beam, sets=(), supports="end", size=(320, 180))
    poses = drawing_of(inside, Options(sets=())).poses()
    for (painters, camera, _), number in zip(
        drawn_by, (6, 1), strict=True
    ):  # 2 x lines and a ball, a coil, a ball
        depth = {p: camera.project(p.look(poses).points)[:, 2] for p in painters}
        front = [p for p in painters if p.part.in_front]
        assert len(front) == number
        behind = max(depth[p].max() for p in painters if p not in front)
        assert min(depth[p].min() for p in front) > behind


def test_line_loads_point_at_their_elements(cantilever):
    drawing = drawing_of(
        cantilever[0], Options(sets=(), loads=fem.LineLoad("line2", (0, 0, -50.0)), edges=False)
    )
    assert list(drawing.legend) == ["50 N/m on line2"]
    points = drawing.parts[-1].points(drawing.poses())
    tips = points[np.abs(points[:, 2]) < 1e-12]
    np.testing.assert_allclose(np.unique(tips[:, 0].round(9)), [0.25, 0.75, 1.25, 1.75])  # the middles
    assert points[:, 2].max() > 0.05


def test_a_force_on_an_eye_stays_outside_of_it(block):
    drawing = drawing_of(
        block, Options(sets=(), loads=[fem.Force("x1", (7.0, 0, 0)), fem.Force("x0", (7.0, 0, 0))])
    )
    first, second = (part.points(drawing.poses())[:, 0] for part in drawing.parts[-2:])
    assert first.min() >= 1.0  # it pulls: from the face outward
    assert second.max() <= 0.0  # it pushes: up to the face


@pytest.mark.parametrize("held", ["all", ("x", "y", "z"), ("z",), ("x", "z", "ry")])
def test_supports_show_the_components_that_they_hold(cantilever, held):
    drawing = drawing_of(cantilever[0], Options(sets=(), supports={"root": held}))
    (label,) = drawing.legend
    assert label == ("root: fixed" if held == "all" else f"root: {' '.join(held)} fixed")
    points = drawing.parts[-1].points(drawing.poses())
    assert np.abs(points.mean(axis=0)).max() < 0.08  # at the root
    if held == ("z",):
        assert points[:, 2].max() <= 1e-12  # from below
    if held == "all":
        assert points[:, 0].max() <= 1e-12  # a wall behind the beam's end
    assert len(drawing_of(cantilever[0], Options(sets=(), supports={"root": {"z": 1e-3}})).legend) == 1


def test_supports_of_a_face_stand_outside_of_it(block):
    for held, below in (("all", 0), (("x", "y", "z"), 0), (("z",), 2)):
        drawing = drawing_of(block, Options(sets=(), supports={"x0": held}))
        points = drawing.parts[-1].points(drawing.poses())
        assert points[:, 0].max() <= (1e-9 if below == 0 else 0.05)
        if below == 2:  # all from below, at every node
            tips = points[np.abs(points[:, 0]) < 1e-9]
            assert len(np.unique(tips[:, 2].round(6))) >= 2
            assert points[:, 2].min() < 0


def test_the_undeformed_shape_is_drawn_where_it_differs(block, cantilever):
    bent = drawing_of(fem.static(block, "x0", fem.Force("x1", (0, 0, -1e3))), Options())
    ghosts = [part for part in bent.parts if part.colour == colours.UNDEFORMED]
    assert len(ghosts) == 1
    seen = ghosts[0].x[ghosts[0].surface.edges]
    assert seen[..., 0].max() == pytest.approx(1.0)  # the tip
    assert seen[..., 0].max(axis=1).min() > 0.1  # and not the root
    still = drawing_of(cantilever[1], Options(scale=0))
    assert not [part for part in still.parts if part.colour == colours.UNDEFORMED]


def test_properties_and_kinds_have_their_colours():
    mesh = bars(4)
    mesh = fem.Mesh(
        mesh.points,
        mesh.blocks,
        mesh.node_sets,
        element_sets={"thick": np.array([0, 1]), "thin": np.array([2, 3])},
    )
    thick, thin = fem.Beam(STEEL, fem.Circle(0.2)), fem.Beam(STEEL, fem.Circle(0.05))
    structure = fem.assemble(mesh, {"thick": thick, "thin": thin})
    image = fb.picture_mesh(structure, size=SIZE, view="-y")
    assert all(holds(image, colour) for colour in colours.KINDS[:2])
    plain = fb.picture_mesh(structure, size=SIZE, view="-y", colour="plain", sets=())
    assert not any(holds(plain, colour) for colour in colours.KINDS[:2])
    drawing = drawing_of(structure, Options())
    assert list(drawing.legend) == ["thick", "thin"]
    sizes = [np.ptp(part.points(drawing.poses())[:, 1]) for part in drawing.parts]
    np.testing.assert_allclose(sizes, [0.2, 0.05], rtol=0.02)  # the real diameters


def test_sets_without_faces_are_dots():
    image = fb.picture_mesh(bars(4), size=SIZE)
    assert all(holds(image, colour) for colour in colours.SETS[:2])
    drawing = drawing_of(bars(4), Options(sets=("tip",)))
    points = drawing.parts[-1].points(drawing.poses())
    np.testing.assert_allclose((points.min(axis=0) + points.max(axis=0)) / 2, [LENGTH, 0, 0], atol=1e-9)


def test_node_sets_of_a_mesh_are_drawn_beside_sections_supports_and_connections():
    """All but those of a connection, of all elements, and the one that is held; none has the colour of supports."""
    box = fem.box((1.0, 0.2, 0.2), (4, 1, 1), "hex8")
    sets = {name: box.nodes_of(name) for name in ("x0", "x1", "y0", "z0")} | {"every": np.arange(box.n_nodes)}
    mesh = fem.Mesh(
        box.points,
        box.blocks,
        sets | {"under": sets["z0"], "middle": box.nodes_of("z1")[:4]},
        element_sets={"left": [0, 1], "right": [2, 3]},
        properties={"left": STEEL, "right": fem.Isotropic(E=70e9, nu=0.3, rho=2700.0)},
        parts=(fem.Rigid("eye", "x1", at=(1.2, 0.1, 0.1)), fem.PointMass("eye", 1.0)),
    )
    legend = drawing_of(mesh, Options(supports={"x0": "all"})).legend
    assert set(legend) - {"z0", "under", "y0", "middle"} == {
        "left",
        "right",
        "x0: fixed",
        "rigid: eye",
        "1 kg at eye",
    }
    shown = [legend[name] for name in ("z0", "under", "y0", "middle")]
    assert len(set(shown)) == 4
    assert colours.SUPPORT not in shown
    image = fb.picture_mesh(mesh, size=SIZE, view="-y", supports={"x0": "all"})
    assert holds(image, legend["y0"])


@pytest.mark.parametrize("nodes", ["points", "mesh"])
def test_structures_known_by_their_matrices_are_drawn(block, nodes):
    """As nodes, or by the faces of a mesh; a mode moves them: the free end by the largest displacement."""
    ends = {name: block.mesh.nodes_of(name) + 1 for name in ("x0", "x1")}
    points, sets = (block.mesh, {}) if nodes == "mesh" else (block.mesh.points, ends)
    alone = fem.from_matrices(block.K, block.M, points, node_sets=sets)
    for one in (alone, alone.mesh):
        seen = drawing_of(one, Options(sets=())).parts[0]
        rest = seen.points(drawing_of(one, Options(sets=())).poses())
        np.testing.assert_allclose(np.ptp(rest, axis=0), [1.0, 0.2, 0.2], atol=0.02)  # and radii of nodes
    bent = fem.vibration(alone, "x0", n=1)
    drawing = drawing_of(bent, Options(scale=0.1))
    moved = drawing.parts[0].points(drawing.poses()) - drawing.parts[0].points(drawing.poses(0.0))
    largest = np.linalg.norm(moved, axis=1).max()
    np.testing.assert_allclose(largest, 0.1 * np.linalg.norm(bent.displacements[:, :, 0], axis=1).max())
    assert fb.picture_mesh(fem.static(alone, "x0", fem.Force("x1", (0, 0, 1.0))), size=SIZE).shape
    with pytest.raises(fem.InputError, match="stress needs elements"):
        fb.picture_mesh(fem.static(alone, "x0", fem.Force("x1", (0, 0, 1.0))), colour="von_mises", size=SIZE)


def test_both_renderers_draw_the_same_structure(monkeypatch):
    monkeypatch.undo()
    if not opengl.available():
        pytest.skip("no OpenGL on this machine")
    mesh = plate(4)
    structure = fem.assemble(
        mesh, fem.Shell(STEEL, 0.02), parts=(fem.Rigid("hub", "x1", at=(1.3, 0.5, 0.2)),)
    )
    solution = fem.static(structure, "x0", fem.Force("hub", (0, 0, 100.0)))
    options = {"colour": "von_mises", "supports": "x0", "size": (640, 360)}
    monkeypatch.setattr(opengl, "accelerated", lambda: True)
    gl = fb.picture_mesh(solution, **options)
    monkeypatch.setattr(opengl, "accelerated", lambda: False)
    own = fb.picture_mesh(solution, **options)
    assert ((gl > 250).all(axis=2) != (own > 250).all(axis=2)).mean() < 0.01  # but for pixels along the edges
    assert np.abs(gl.astype(int) - own).mean() < 2


@pytest.fixture(scope="module")
def beam_body(cantilever):
    structure = cantilever[0]
    return modal.reduce(structure, modal.craig_bampton(structure, interfaces=("root", "tip"), n_normal=2))


def test_a_body_of_beams_has_a_surface_that_rides_on_its_markers(beam_body):
    surface = beam_body.recovery
    assert volume(surface.points, surface.triangles) == pytest.approx(LENGTH * SECTIONS["I"].A, rel=1e-9)
    for marker in beam_body.markers.values():
        ring = np.abs(surface.points[:, 0] - marker.point[0]) < 1e-9
        arm = surface.points[ring] - marker.point
        assert ring.sum() >= 12
        # the section at a beam's end moves as its node does
        follows = marker.Phi + np.cross(marker.B.T[None], arm[:, None]).transpose(0, 2, 1)
        np.testing.assert_allclose(surface.Phi[ring], follows, atol=1e-9 * np.abs(surface.Phi).max())


def test_a_body_of_shells_is_as_thick_as_they_are():
    structure = fem.assemble(plate(3), fem.Shell(STEEL, 0.02))
    body = modal.reduce(structure, modal.eigenmodes(structure, n=2))
    assert volume(body.recovery.points, body.recovery.triangles) == pytest.approx(0.02, rel=1e-9)


def test_flexible_beams_appear_in_machines(beam_body, tmp_path):
    blade = fb.FlexibleBody("blade", beam_body, place={"root": (0, 0, 0), "tip": (LENGTH, 0, 0)})
    clamp = fb.Fixed("clamp", fb.GROUND, blade["root"])
    result = fb.simulate(fb.System([blade], [clamp], gravity=(0, 0, -9.81)), t_end=0.02, show_progress=False)
    (part,) = machine.scene_of(result).flexible
    assert np.ptp(part.x[:, 2]) == pytest.approx(0.2)  # the height of its section
    loaded = modal.load(beam_body.save(tmp_path / "blade.h5") or tmp_path / "blade.h5")
    np.testing.assert_allclose(loaded.recovery.points, beam_body.recovery.points)
    assert 0.01 < drawn(fb.picture(result, size=SIZE, scale=100)) < 0.6


def test_supports_in_their_own_axes_are_cones_along_them():
    """Two nodes of a ring of bars are held along its radius, at 30 and at 200 degrees; the cones stand outside."""
    angle = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    bars_ = fem.Block("line2", np.stack([np.arange(36), (np.arange(36) + 1) % 36], axis=1))
    held = (3, 20)
    radial = [
        fem.Equation(
            f"support of node {k + 1} in its own x",
            [(f"n{k}", c, x) for c, x in zip("xy", ring[k, :2], strict=True)],
        )
        for k in held
    ]
    sets = {f"n{k}": np.array([k]) for k in held}
    mesh = fem.Mesh(ring, (bars_,), sets, turned_supports=tuple(radial))
    drawing = drawing_of(mesh, Options())
    assert drawing.legend["2 supports in their own axes"] == colours.SUPPORT
    (part,) = [part for part in drawing.parts if part.label == "2 supports in their own axes"]
    points = part.solid[0]
    for k in held:
        cone = points[np.linalg.norm(points - ring[k], axis=1) < 0.3]
        away = (cone - ring[k]) @ ring[k]
        assert away.min() > -1e-12
        assert np.linalg.norm(cone.mean(axis=0) - ring[k] - away.mean() * ring[k]) < 1e-6
    assert len(points) == 2 * len(cone)
    one = drawing_of(fem.Mesh(ring, (bars_,), sets, turned_supports=(radial[0],)), Options())
    assert "support of node 4 in its own x" in one.legend


def test_the_legend_names_what_is_visible(block):
    """Of the six faces of a box three are seen; the note names the others."""
    mesh = block.mesh
    for view, seen in (("iso", {"x1", "y0", "z1"}), ("-z", {"z0"}), ((-1, -1, -1), {"x1", "y1", "z1"})):
        stage = meshes._Stage(drawing_of(mesh, Options()), view, SIZE, None, 0.0)
        assert set(stage.caption.legend) == seen
        for name in {"x0", "x1", "y0", "y1", "z0", "z1"} - seen:
            assert f"'{name}'" in stage.caption.note or " more" in stage.caption.note


def test_symbols_have_the_size_of_what_is_drawn():
    """A short beam with a wide section: the balls of its mass are a part of the section, not of the line."""
    short = bars(1)
    structure = fem.assemble(
        fem.Mesh(0.01 * short.points, short.blocks, short.node_sets),
        fem.Beam(STEEL, fem.Rectangle(1.0, 1.0)),
        parts=[fem.PointMass("tip", 1.0)],
    )
    (ball,) = [part for part in drawing_of(structure, Options()).parts if part.label == "1 kg at tip"]
    assert np.ptp(ball.solid[0], axis=0).max() > 0.03


def test_many_equations_are_balls_where_they_hold_with_one_entry():
    """Without lines to all others; several connections of one class have colours of their own."""
    box = fem.box((1.0, 0.2, 0.2), (8, 1, 1), "hex8")
    terms = [[(str(k + 1), "z", 1.0), (str(k + 2), "z", -1.0)] for k in range(20)]
    parts = tuple(fem.Equation(f"equation {k}", term) for k, term in enumerate(terms))
    drawing = drawing_of(replace(box, parts=parts), Options(sets=()))
    assert drawing.legend == {"20 equations": colours.EQUATION}
    balls = [part for part in drawing.parts if part.label == "20 equations"]
    middles = [
        np.mean([p.min(axis=0), p.max(axis=0)], axis=0) for p in (b.points(drawing.poses()) for b in balls)
    ]
    np.testing.assert_allclose(middles, box.points[:20], atol=1e-9)
    eyes = [
        fem.Rigid(f"eye {end}", end, at=at) for end, at in (("x0", (-0.2, 0.1, 0.1)), ("x1", (1.2, 0.1, 0.1)))
    ]
    legend = drawing_of(replace(box, parts=tuple(eyes)), Options(sets=())).legend
    assert len(set(legend.values())) == 2


def test_supports_of_a_file_are_drawn_with_its_mesh():
    box = fem.box((1.0, 0.2, 0.2), (4, 1, 1), "hex8")
    legend = drawing_of(replace(box, supports={"x0": ("x", "y", "z")}), Options(sets=())).legend
    assert legend == {"x0: fixed": colours.SUPPORT}


@pytest.mark.parametrize("sets", [("x0",), ("x0", "x1")])
def test_edges_of_thin_shells_are_seen(sets):
    """Their rim is too thin for a colour: balls show the nodes, and no set is called hidden."""
    sheet = fem.assemble(plate(), fem.Shell(STEEL, 1e-3))
    image = fb.picture_mesh(sheet, sets=sets, size=(640, 360))
    for k, _ in enumerate(sets):
        close = np.abs(image[80:] / 255 - np.array(colours.SETS[k])).max(axis=2) < 0.15  # below the legend
        assert close.sum() > 20


def test_both_sides_of_a_membrane_have_the_colour_of_the_legend():
    """A uniform stress: seen from above, below and the side its colour is that of the scale within a fifth."""
    mesh = plate()
    held = {"x0": ["x"], "all": ["z"], "corner": ["y"]}
    mesh = fem.Mesh(mesh.points, mesh.blocks, {**mesh.node_sets, "corner": [0]}, name="plate")
    sheet = fem.assemble(mesh, fem.Membrane(STEEL, 1e-3))
    pulled = fem.static(sheet, held, fem.EdgeLoad("x1", (1e3, 0.0, 0.0)))
    options = {"colour": "xx", "limits": (0.0, 2e6), "size": SIZE, "scale": 0.0}
    expected = 255 * colours.magnitude(np.array([0.5]))[0]
    for view in ("z", "-z", "iso", (1, 1, 1), (-1, 0.2, 0.4)):
        image = fb.picture_mesh(pulled, view=view, **options).astype(float)
        middle = image[SIZE[1] // 2 - 4 : SIZE[1] // 2 + 12, SIZE[0] // 2 - 20 : SIZE[0] // 2].reshape(-1, 3)
        share = np.median(middle, axis=0) / expected
        assert np.all((share > 0.8) & (share < 1.25)), view
