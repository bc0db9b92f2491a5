"""Pictures of static solutions, modes and buckling, and films of modes."""

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from support import drawn as structures
from support.drawn import LENGTH, SECTIONS, SIZE, STEEL, drawn

import fem
import flexbody as fb
from flexbody.view import meshes
from flexbody.view.geometry import scale
from flexbody.view.meshes import drawing_of
from flexbody.view.render import opengl
from flexbody.view.scenes.elements import Options


@pytest.fixture(autouse=True)
def own_renderer(monkeypatch):
    monkeypatch.setattr(opengl, "available", lambda: False)


@pytest.fixture(scope="module")
def cantilever():
    return structures.cantilever()


@pytest.fixture(scope="module")
def modes(cantilever):
    return fem.vibration(cantilever[0], "root", n=3)


@pytest.fixture(scope="module")
def block():
    mesh = fem.box((1.0, 0.2, 0.2), (5, 1, 1))
    return fem.assemble(mesh, STEEL)


def test_the_drawn_displacement_is_enlarged_by_the_factor_that_is_printed(cantilever):
    solution = cantilever[1]
    tip = 1e3 * LENGTH**3 / (3 * 210e9 * SECTIONS["I"].Iy)
    drawing = drawing_of(solution, Options())
    factor = float(drawing.note.split("deformation ×")[1])
    assert factor / 10 ** np.floor(np.log10(factor)) in (1, 2, 5)
    most = np.hypot(tip, 0.1 * 1.5 * tip / LENGTH)  # the section turns by 3 w / 2 L
    assert drawing.note.startswith(f"largest displacement {scale.with_unit(most, 'm')}, deformation")
    part = drawing.parts[0]
    low = part.points(drawing.poses())[:, 2].min()
    assert low == pytest.approx(-0.1 - factor * tip, rel=1e-3)  # 0.1 m: half the section's height
    assert 0.03 < factor * tip / LENGTH < 0.1
    for given, words in ((1.0, "deformation ×1"), (0.0, "not drawn"), (25, "deformation ×25")):
        assert drawing_of(solution, Options(scale=given)).note.endswith(words)


def test_stress_is_light_where_it_is_large(cantilever):
    image = fb.picture_mesh(
        cantilever[1], colour="von_mises", size=(640, 360), view="-y", edges=False, scale=0
    )
    body = image[180:, :500].astype(int)  # below the middle of the picture, without the scale
    columns = np.flatnonzero((body < 250).any(axis=2).any(axis=0))
    root, tip = columns[10], columns[-10]

    def green(column):  # rises from violet to yellow
        pixels = body[:, column]
        return np.median(pixels[(pixels < 250).any(axis=1)][:, 1])

    assert green(tip) < 80 < 150 < green(root)


def test_limits_cut_the_scale(cantilever):
    drawing = drawing_of(cantilever[1], Options(colour="von_mises", limits=(0, 2e6)))
    assert (drawing.scale.low, drawing.scale.high) == (0, 2e6)
    image = fb.picture_mesh(cantilever[1], colour="von_mises", limits=(0, 1e5), size=SIZE)
    # most stresses are above: the beam is yellow, shaded
    body = image[40:, :250].reshape(-1, 3) / 255
    body = body[np.ptp(body, axis=1) > 0.2]
    r, g, b = np.median(body, axis=0)
    assert min(r, g) > b + 0.3


def test_components_and_given_values_have_two_colours_or_one(cantilever, block):
    shown = drawing_of(cantilever[1], Options(colour="z")).scale
    assert shown.signed
    assert shown.high == 0
    solution = fem.static(block, "x0", fem.Force("x1", (1e3, 0, 0)))
    drawing = drawing_of(solution, Options(colour=block.mesh.points[:, 0]))
    assert drawing.scale.heading() == "given values"
    assert drawing.scale.high == 1.0
    jumps = drawing_of(solution, Options(colour="jump"))
    assert jumps.scale.high == pytest.approx(np.nanmax(solution.stress.jump))


def test_modes_and_buckling_are_told_by_their_number(cantilever, modes):
    assert drawing_of(modes, Options(mode=2)).note == f"mode 3: {modes.frequencies_hz[2]:.5g} Hz"
    buckled = fem.buckling(cantilever[0], "root", fem.Force("tip", (-1.0, 0, 0)))
    # Euler: pi^2 E I / (4 L^2) for the weak axis; four elements are 0.01 % stiff
    euler = np.pi**2 * 210e9 * SECTIONS["I"].Iz / (4 * LENGTH**2)
    note = drawing_of(buckled, Options(mode=0)).note
    assert note.startswith("buckling mode 1: load factor ")
    assert float(note.split()[-1]) == pytest.approx(euler, rel=1e-3)
    swing = drawing_of(modes, Options(mode=0, colour="y")).scale
    assert swing.low == -swing.high  # it swings both ways
    images = [fb.picture_mesh(what, mode=0, size=SIZE) for what in (modes, buckled)]
    assert all(0.01 < drawn(image) < 0.5 for image in images)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"colour": "sigma"}, r"this result has the colours 'displacement'.*'von_mises'"),
        ({"colour": np.zeros(2)}, r"one value for each node, \(5,\)"),
        ({"limits": (2, 1)}, "low below high"),
        ({"mode": 0}, "a static solution has none"),
        ({"scale": "auto"}, "a finite number, or None, which makes deformations visible, not 'auto'"),
        ({"size": (10, 10)}, "both at least 64"),
        ({"loads": "tip"}, "loads= takes"),
        ({"supports": {"tip": "w"}}, "the support 'tip' names the components 'w'"),
        ({"supports": "toe"}, "no node set 'toe'"),
    ],
)
def test_pictures_of_solutions_that_can_not_be(cantilever, options, words):
    with pytest.raises(fb.FlexbodyError, match=words):
        fb.picture_mesh(cantilever[1], **{"size": SIZE, **options})


def test_other_refusals(cantilever, modes, tmp_path):
    structure, solution = cantilever
    with pytest.raises(fb.InputError, match="mode is 3, but there are 3 modes, of the indices 0 to 2"):
        fb.picture_mesh(modes, mode=3)
    with pytest.raises(fb.InputError, match="size of a mode is arbitrary"):
        fb.picture_mesh(modes, mode=0, colour="von_mises")
    for colour in ("von_mises", np.zeros(5)):
        with pytest.raises(fb.InputError, match="have the colours 'plain', 'kind'"):
            fb.picture_mesh(structure, colour=colour)
    with pytest.raises(fb.InputError, match="int can't be drawn"):
        fb.picture_mesh(42)
    for what in (structure, structure.mesh, solution):
        with pytest.raises(fb.InputError, match="no modes to film"):
            fb.animate_mode(what, tmp_path / "a.gif")
    with pytest.raises(fb.InputError, match="four frames"):
        fb.animate_mode(modes, tmp_path / "a.gif", period=0.01)
    with pytest.raises(fb.InputError, match="ending must be"):
        fb.animate_mode(modes, tmp_path / "a.avi")
    mass = fb.RigidBody("mass", 1.0, (1.0, 1.0, 1.0))
    small = fb.linearize(
        fb.System([mass], [fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="x")])
    )
    for draw in (fb.animate_mode, fb.animate):
        with pytest.raises(fb.InputError, match=r"fb\.animate\(linearization\.motion\(0\), \.\.\.\)"):
            draw(small, tmp_path / "a.gif")
    with pytest.raises(fb.InputError, match=r"fb\.picture\(linearization\.motion\(0\), \.\.\.\)"):
        fb.picture_mesh(small)
    assert list(tmp_path.iterdir()) == []


def test_a_film_of_a_mode_swings_and_repeats_itself(modes, tmp_path):
    film = fb.animate_mode(
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
        fb.animate_mode(modes, tmp_path / "mode.gif", 1, period=0.5, fps=10, size=SIZE, show_progress=False)
    )
    assert (gif.n_frames, gif.info["loop"]) == (5, 0)  # one cycle, for ever


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_an_interrupted_film_leaves_nothing(modes, tmp_path, monkeypatch, failure):
    frame = meshes._Stage.frame

    def stop(self, renderer, amplitude):
        if amplitude < 0:
            raise failure("in the middle")
        return frame(self, renderer, amplitude)

    monkeypatch.setattr(meshes._Stage, "frame", stop)
    with pytest.raises(failure, match="in the middle"):
        fb.animate_mode(modes, tmp_path / "film.mp4", 0, period=0.5, fps=10, size=SIZE, show_progress=False)
    assert list(tmp_path.iterdir()) == []
