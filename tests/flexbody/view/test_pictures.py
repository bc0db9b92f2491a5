"""Pictures, films and plots: the right things in the right places, and nothing half-written."""

import dataclasses
import os
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation

import flexbody as fb
import modal
from fem.model.outer_surface import split_smooth
from flexbody.view import pictures
from flexbody.view.geometry import camera, colours, shapes
from flexbody.view.geometry.flexible import rigid_part
from flexbody.view.geometry.motion import Motion
from flexbody.view.geometry.scale import Scale
from flexbody.view.render import opengl
from flexbody.view.render.caption import Caption
from flexbody.view.scenes import machine
from flexbody.view.stage import drawn_scale

pytestmark = pytest.mark.slow  # together a second or more

SIZE = (320, 180)


# ---- solids


def _volume(solid):
    points, triangles = solid
    a, b, c = points[triangles].transpose(1, 0, 2)
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize(
    ("solid", "volume"),
    [
        (shapes.box((1, 2, 3), np.eye(3), (1, 2, 3)), 6),
        (shapes.cylinder((0, 0, 0), (1, 2, 2), 0.5), np.pi * 0.25 * 3),
        (shapes.sphere((1, 0, 0), 2), 4 / 3 * np.pi * 8),
        (shapes.capsule((0, 0, 0), (0, 3, 4), 1), 4 / 3 * np.pi + np.pi * 5),
        (shapes.plate((0, 0, 0), (2, 0, 0), (0, 1, 0), (0.3, 0.3), 0.1), 0.1 * (1.2 + np.pi * 0.09)),
        (shapes.prism([(0, 0, 1), (1, 0, 1), (0, 1, 1)], (0, 0, -1), 2), 1),
    ],
)
def test_solids_are_closed_and_their_normals_point_outward(solid, volume):
    # the divergence theorem gives the volume of a closed surface only, positive only if normals point out;
    # solids with 40 corners around are at most 2 % smaller than round ones
    assert volume * 0.98 <= _volume(solid) <= volume * (1 + 1e-12)


def test_a_tapered_plate_lies_between_plates_of_its_two_radii():
    def area(radii):
        return _volume(shapes.plate((0, 0, 0), (1, 0, 0), (0, 1, 0), radii, 1.0))

    assert area((0.1, 0.1)) < area((0.1, 0.3)) < area((0.3, 0.3))
    assert area((0.1, 0.3)) == pytest.approx(area((0.3, 0.1)), rel=1e-12)


def test_a_cube_is_separated_along_its_twelve_edges():
    points, triangles = shapes.box((0, 0, 0), np.eye(3), (1, 1, 1))
    source, new, edges = split_smooth(points, triangles)
    assert len(source) == 24  # three normals in each of eight corners
    assert len(edges) == 24  # each edge from both sides
    np.testing.assert_array_equal(source[new], triangles)


# ---- camera


def test_the_plane_of_motion_is_found_and_a_motion_in_space_has_none():
    t = np.linspace(0, 6, 50)
    R = Rotation.from_rotvec([0.3, -0.8, 0.5]).as_matrix()
    circle = np.stack([np.cos(t), np.sin(t), 0 * t], 1)
    tracks = np.stack([circle, 3 * circle + [5, 0, 2]], 1) @ R.T  # two points, in two parallel planes
    assert abs(camera.plane_normal(tracks) @ R[:, 2]) == pytest.approx(1, abs=1e-12)
    helix = np.stack([np.cos(t), np.sin(t), t], 1)[:, None]
    assert camera.plane_normal(helix) is None


def test_motion_along_one_line_takes_the_plane_of_the_points():
    t = np.linspace(0, 1, 20)[:, None, None]
    tracks = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]]) + t * np.array([1.0, 0, 0])
    assert abs(camera.plane_normal(tracks)[1]) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    ("normal", "gravity", "right"),
    [((0, -1, 0), (0, 0, -9.81), (1, 0, 0)), ((0, 0, 1), (0, -9.81, 0), (1, 0, 0))],
)
def test_the_camera_looks_along_the_normal_with_gravity_downward(normal, gravity, right):
    view = camera.camera_for("motion", np.array(normal, float), camera.upward(gravity))
    np.testing.assert_allclose(view.right, right, atol=1e-12)
    np.testing.assert_allclose(view.up, -np.array(gravity) / 9.81, atol=1e-12)
    assert np.linalg.det([view.right, view.up, -view.forward]) == pytest.approx(1)


def test_machines_as_deep_as_wide_are_seen_obliquely():
    """A crank and its rod move in a plane; four feet under a table that sways do too, and do not lie in one."""
    angle = np.linspace(0, 6, 40)[:, None]
    crank = np.stack([np.cos(angle), np.sin(angle), 0.1 + 0 * angle], axis=2)
    assert abs(camera.plane_normal(crank) @ [0, 0, 1]) == pytest.approx(1)
    feet = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1.0]])
    swaying = feet + 0.01 * np.concatenate([np.cos(angle), np.sin(angle), 0 * angle], axis=1)[:, None]
    assert camera.plane_normal(swaying) is None
    flat = camera.plane_normal(swaying * [1, 1, 0.1])  # they sway in x and y
    assert abs(flat @ [0, 0, 1]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("up", "normal"),
    [
        ((0, 0, 1), None),
        ((0, 1, 0), None),
        ((1, 0, 0), None),
        ((0, 1, 0), (0, 0, 1)),
        ((0, 0, 1), (0, -1, 0)),
    ],
)
def test_the_oblique_view_is_from_above(up, normal):
    """What stands upright stays so, and the tops of things are seen."""
    up = np.array(up, float)
    camera_ = camera.camera_for("iso", None if normal is None else np.array(normal, float), up)
    assert camera_.forward @ up < -0.3
    assert abs(camera_.right @ up) < 1e-9
    if normal is not None:
        assert abs(camera_.forward @ normal) > 0.5


@pytest.mark.parametrize("size", [(1280, 720), (300, 200), (1600, 300)])
@pytest.mark.parametrize("view", ["motion", "iso", "x", "-y", "z", (1, 2, -3)])
def test_everything_is_inside_the_margins_and_beside_the_texts(view, size):
    width, height = size
    points = np.random.default_rng(1).normal(size=(200, 3)) * [3, 1, 0.2]
    texts = [camera.Box(0, 0, 0.3 * width, 0.2 * height), camera.Box(0.8 * width, 0, width, 0.7 * height)]
    fitted = camera.camera_for(view, None, np.array([0, 0, 1.0])).fitted([points], size, texts)
    p = fitted.project(points)[:, :2] * [1, -1] * height / fitted.height + np.array(size) / 2
    low, high = p.min(axis=0), p.max(axis=0)
    edge = camera.MARGIN * height - 1e-6
    assert (low >= edge).all()
    assert (high <= np.array(size) - edge).all()
    drawn = camera.Box(*(low + 1e-6), *(high - 1e-6))
    assert not any(drawn.overlaps(box) for box in texts)
    # and not lost in the picture: no free place has room for a drawing that is 3 % larger
    sides = np.array([[b.right - b.left, b.bottom - b.top] for b in camera.free_places(size, texts)])
    assert (sides / (1.03 * (high - low))).min(axis=1).max() < 1


# ---- machines


@pytest.fixture(scope="module")
def slider_crank():
    """A run of a slider-crank whose rod is a beam, 0.02 s at 150 rad/s."""
    r, l = 0.15, 0.3
    sine = modal.assumed.sines(2)
    beam = modal.assumed.beam(
        length=l,
        rho=7870.0,
        area=0.006 * 0.03,
        EI=2e11 * 0.03 * 0.006**3 / 12,
        y=sine,
        polar_inertia=1e-5,
        frame=modal.Chord("start", "end"),
    )
    crank = fb.RigidBody("crank", 0.38, (1e-4, 1e-3, 1e-3), center=(r / 2, 0, 0))
    rod = fb.FlexibleBody("rod", beam, place={"start": (r, 0, 0), "end": (r + l, 0, 0)})
    slider = fb.RigidBody("slider", 0.1, (1e-4, 1e-4, 1e-4), center=(r + l, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Spherical("pin", crank, rod["start"]),
        fb.Universal("wrist", rod["end"], slider, axes=("z", "y")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(r + l, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=150.0),
    ]
    system = fb.System([crank, rod, slider], joints, gravity=(0, -9.81, 0))
    return fb.simulate(system, t_end=0.02, show_progress=False)


@pytest.fixture(scope="module")
def pendulum():
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    hinge = fb.Spherical("hinge", fb.GROUND, bar, point=(0, 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, bar, stiffness=20.0, damping=0.1, first_point=(0, 1, 0.4))
    system = fb.System([bar], [hinge], [spring], gravity=(0, 0, -9.81))
    return fb.simulate(system, t_end=1.0, show_progress=False)


def test_poses_between_outputs_are_interpolated(slider_crank):
    motion = Motion(slider_crank)
    t = slider_crank.t
    exact = motion.at(t[7])["rod"]
    np.testing.assert_allclose(exact.c, slider_crank.position("rod")[7], atol=1e-15)
    np.testing.assert_allclose(exact.alpha, slider_crank.alpha("rod")[7], atol=1e-15)
    np.testing.assert_allclose(exact.Q, slider_crank.rotation("rod")[7], atol=1e-12)
    half = motion.at(0.5 * (t[7] + t[8]))["crank"].Q  # the crank turns at 150 rad/s
    turned = Rotation.from_matrix(slider_crank.rotation("crank")[7].T @ half).as_rotvec()
    np.testing.assert_allclose(turned, [0, 0, 150 * 0.5 * (t[8] - t[7])], atol=1e-9)
    np.testing.assert_array_equal(motion.at(99.0)["rod"].c, slider_crank.position("rod")[-1])


class _Body:
    """A body whose base functions are small rigid motions: translations, then rotations about the origin."""

    n_modes = 6

    def __init__(self, places):
        self.turned = self
        self.markers = {name: _Marker(np.array(p, float)) for name, p in places.items()}


class _Marker:
    has_rotation = True

    def __init__(self, point):
        self.point = point
        self.Phi = np.hstack([np.eye(3), np.cross(np.eye(3), point).T])
        self.B = np.hstack([np.zeros((3, 3)), np.eye(3)])


@pytest.mark.parametrize(
    "places",
    [
        {"a": (1, 2, 3)},
        {"a": (1, 2, 3), "b": (2, 0, 1)},
        {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (1, 1, 1)},
    ],
)
def test_a_rigid_motion_of_the_joints_is_no_deformation(places):
    body = _Body(places)
    x = np.random.default_rng(3).normal(size=(50, 3))
    Phi = np.array([_Marker(p).Phi for p in x])
    moved, turned = rigid_part(body, list(places), x)
    np.testing.assert_allclose(moved, Phi, atol=1e-12)
    np.testing.assert_allclose(turned, body.markers["a"].B, atol=1e-12)


def test_the_drawn_deformation_leaves_the_joints_where_they_are(slider_crank):
    ends = {}
    for scale in (1.0, 50.0):
        part = machine.scene_of(slider_crank, scale).flexible[0]
        poses = Motion(slider_crank).at(0.011)
        drawn = part.points(poses)
        start, end = (slider_crank.system.body("rod").marker(n)[0] for n in ("start", "end"))
        rings = [np.abs((part.x[part.surface.source] - p)[:, 0]) < 1e-9 for p in (start, end)]
        ends[scale] = np.array([drawn[ring].mean(axis=0) for ring in rings])
        middle = np.abs((part.x[part.surface.source] - (start + end) / 2)[:, 0]).argmin()
        ends[scale, "middle"] = drawn[middle]
    # chord frame, no axial mode: the ends don't move along the chord either, so nothing is left but round-off
    np.testing.assert_allclose(ends[1.0], ends[50.0], atol=1e-9)
    assert np.linalg.norm(ends[1.0, "middle"] - ends[50.0, "middle"]) > 1e-3


def test_colours_show_the_true_deflection_from_the_chord(slider_crank):
    part = machine.scene_of(slider_crank, 50.0).flexible[0]
    poses = Motion(slider_crank).at(slider_crank.t[300])
    shown = part.deformation(poses)
    deflection = slider_crank.displacement("rod", "middle", relative_to=fb.Chord("start", "end"))[300]
    nearest = np.argmin(np.abs(part.x[:, 0] - slider_crank.system.body("rod").marker("middle")[0][0]))
    # the surface lies a radius off the axis, where the slope counts; that of the first shape is zero mid-span
    assert shown[nearest] == pytest.approx(np.linalg.norm(deflection), rel=0.1)


def _background(image):
    return (np.asarray(image) > 250).all(axis=2)


def test_both_renderers_draw_the_same_picture(slider_crank, monkeypatch):
    if not opengl.available():
        pytest.skip("no OpenGL on this machine")
    monkeypatch.setattr(opengl, "accelerated", lambda: True)
    gl = fb.picture(slider_crank, time=0.01, scale=20, size=(640, 360))
    monkeypatch.setattr(opengl, "accelerated", lambda: False)
    own = fb.picture(slider_crank, time=0.01, scale=20, size=(640, 360))
    assert gl.shape == own.shape == (360, 640, 3)
    # outlines agree but for some pixels along the edges; shades to a few of 255
    assert (_background(gl) != _background(own)).mean() < 0.005
    assert np.abs(gl.astype(int) - own).mean() < 1.5
    assert 0.03 < (~_background(own)).mean() < 0.5


@pytest.mark.parametrize("renderer", ["opengl", "own"])
def test_a_machine_in_space_with_a_spring_is_drawn(pendulum, monkeypatch, renderer):
    if renderer == "opengl" and not opengl.available():
        pytest.skip("no OpenGL on this machine")
    monkeypatch.setattr(opengl, "accelerated", lambda: renderer == "opengl")
    first, last = (fb.picture(pendulum, time=t, size=SIZE, trace=("bar",)) for t in (0.0, 1.0))
    assert 0.01 < (~_background(last)).mean() < 0.5
    assert (first != last).any(axis=2).mean() > 0.005


@pytest.mark.parametrize(
    ("code", "told", "available", "accelerated"),
    [
        (-11, "", False, False),
        (0, "OpenGL renderer string:  llvmpipe (LLVM 15.0.6, 256 bits)", True, False),
        (0, "OpenGL renderer string:  AMD Radeon RX 6800", True, True),
    ],
)
def test_opengl_is_used_where_a_graphics_processor_does_the_work(
    monkeypatch, code, told, available, accelerated
):
    done = subprocess.CompletedProcess([], returncode=code, stdout=told)
    monkeypatch.setattr(opengl.subprocess, "run", lambda *args, **options: done)
    monkeypatch.setattr(opengl, "_capabilities", opengl._capabilities.__wrapped__)
    assert (opengl.available(), opengl.accelerated()) == (available, accelerated)


def test_words_lie_on_what_is_drawn_as_if_they_were_written_there():
    scale = Scale("stress", 0.0, 5e6, "Pa")
    shown = Caption("Title", "a note, another", scale, {"load": colours.LOAD})
    image = np.random.default_rng(0).integers(0, 256, (180, 320, 3), dtype=np.uint8)
    drawn = shown._drawn_on(image, False).astype(int)
    assert np.abs(shown.on(image, "") - drawn).max() <= 1
    assert (shown.on(image, "t = 1 s") != shown.on(image, "")).any()


@pytest.mark.parametrize("height", [180, 240, 720])
def test_words_at_the_right_do_not_lie_on_each_other(height):
    """Time, three names, and the colour bar with its words: blocks with rows of pixels between them."""
    names = dict.fromkeys(("lg", "lgl", "lglg"), colours.LOAD)
    shown = Caption("", "", Scale("lgl\nlgl", 0.0, 1.0, ""), names)
    paper = np.full((height, 4 * height, 3), 255, dtype=np.uint8)
    column = shown.on(paper, "lglglglg")[:, -int(0.2 * height) : -int(0.08 * height)]
    inked = (column < 255).any(axis=(1, 2)).astype(int)
    assert (np.diff(inked, prepend=0) == 1).sum() >= 5


def test_pictures_are_written_complete(slider_crank, tmp_path):
    path = tmp_path / "still.png"
    image = fb.picture(slider_crank, path, time=0.005, size=SIZE)
    np.testing.assert_array_equal(np.asarray(Image.open(path)), image)
    figure = fb.plot(slider_crank, tmp_path / "plot.png")
    (reactions,) = (ax for ax in figure.axes if ax.get_ylabel().startswith("reaction"))
    assert [line.get_label() for line in reactions.lines] == ["main", "pin", "wrist", "guide"]
    assert Image.open(tmp_path / "plot.png").size[0] > 800
    assert sorted(os.listdir(tmp_path)) == ["plot.png", "still.png"]


def test_the_plot_shows_the_deflection_in_its_unit(slider_crank):
    figure = fb.plot(slider_crank)
    line = next(line for line in figure.axes[0].lines if line.get_label() == "rod, middle: y")
    deflection = slider_crank.displacement("rod", "middle", relative_to=fb.Chord("start", "end"))[:, 1]
    unit = {"(mm)": 1e3, "(µm)": 1e6}[figure.axes[0].get_ylabel().split()[-1]]
    np.testing.assert_allclose(line.get_ydata(), deflection * unit)
    np.testing.assert_allclose(line.get_xdata(), slider_crank.t * 1e3)


def test_a_film_has_its_frames_and_size(slider_crank, tmp_path):
    film = fb.animate(slider_crank, tmp_path / "film.mp4", n_frames=7, fps=10, size=SIZE, show_progress=False)
    reader = imageio_ffmpeg.read_frames(str(film))
    about = next(reader)
    frames = [np.frombuffer(frame, np.uint8).reshape(SIZE[1], SIZE[0], 3) for frame in reader]
    assert about["size"] == SIZE
    assert about["fps"] == 10
    assert len(frames) == 7
    assert (np.abs(frames[0].astype(int) - frames[-1]) > 60).any(axis=2).mean() > 0.01  # it moves
    gif = fb.animate(slider_crank, tmp_path / "film.gif", n_frames=5, size=SIZE, show_progress=False)
    assert Image.open(gif).n_frames == 5
    assert Image.open(gif).size == SIZE


@pytest.mark.parametrize("ending", [".mp4", ".gif"])
def test_a_film_that_is_cut_off_is_an_error(slider_crank, tmp_path, monkeypatch, ending):
    """As on a full disk: ffmpeg says nothing then, and the film was there without its frames."""
    real = imageio_ffmpeg.write_frames

    def cut(path, *given, **options):
        stream = real(path, *given, **options)
        stream.send(None)
        try:
            while True:
                stream.send((yield))
        finally:
            stream.close()
            os.truncate(path, os.path.getsize(path) // 2)

    monkeypatch.setattr(imageio_ffmpeg, "write_frames", cut)
    with pytest.raises(
        fb.FileError, match=r"ffmpeg wrote [0-4] of 5 frames of this film: is the disk full\?"
    ):
        fb.animate(slider_crank, tmp_path / f"film{ending}", n_frames=5, size=SIZE, show_progress=False)
    assert os.listdir(tmp_path) == []


def test_the_film_says_how_much_it_is_slowed(slider_crank):
    stage = pictures.Stage(slider_crank, 20, "motion", SIZE, (), None, slow=300.0)
    assert stage.caption.note == "deformation ×20, 300× slow motion"


def test_a_stress_of_rigid_bodies_is_told_not_to_be_drawn():
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    run = fb.simulate(fb.System([bar]), 1e-3, step=1e-3, show_progress=False)
    notes = [
        pictures.Stage(run, 1, "motion", SIZE, (), None, colour=colour).caption.note
        for colour in (None, "plain", "von_mises")
    ]
    assert notes == ["", "", "von Mises stress: no flexible body to draw"]


def test_a_picture_says_which_deformation_it_does_not_draw(slider_crank):
    rod = next(body for body in slider_crank.system.bodies if body.name == "rod")
    reduced = dataclasses.replace(rod.reduced, surface=None)  # as read_sid gives it
    bare = dataclasses.replace(rod, reduced=reduced)
    clamp = fb.Fixed("clamp", fb.GROUND, bare["start"])
    drawn = fb.simulate(fb.System([bare], [clamp]), 1e-4, step=1e-4, show_progress=False)
    stage = pictures.Stage(drawn, 20, "motion", SIZE, (), None)
    assert stage.caption.note == stage.page_caption.note == "deformation of 'rod' not drawn: no surface"


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
def test_an_interrupted_film_leaves_nothing(slider_crank, tmp_path, monkeypatch, failure):
    frame = pictures.Stage.frame

    def stop(self, renderer, time):
        if time > 0.01:
            raise failure("in the middle")
        return frame(self, renderer, time)

    monkeypatch.setattr(pictures.Stage, "frame", stop)
    with pytest.raises(failure, match="in the middle"):
        fb.animate(slider_crank, tmp_path / "film.mp4", n_frames=5, size=SIZE, show_progress=False)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "film.avi"}, r"ending must be .mp4 or .gif"),
        ({"fps": 0}, "fps"),
        ({"view": "sideways"}, "view is 'sideways'; give a direction"),
        ({"view": (0, 0, 0)}, r"view is \(0, 0, 0\); give a direction"),
        ({"scale": "auto"}, "a finite number, or None, which makes deformations visible, not 'auto'"),
        ({"scale": -1}, "the factor on the deformation"),
        ({"size": (10, 10)}, "both at least 64"),
    ],
)
def test_a_film_that_can_not_be_is_refused(slider_crank, tmp_path, options, words):
    path = tmp_path / options.pop("path", "film.mp4")
    with pytest.raises(fb.InputError, match=words):
        fb.animate(slider_crank, path, show_progress=False, **options)
    assert os.listdir(tmp_path) == []


def test_other_refusals(slider_crank, tmp_path):
    with pytest.raises(fb.InputError, match=r"goes from 0 s to 0\.02 s, which does not include 5 s"):
        fb.picture(slider_crank, time=5.0)
    with pytest.raises(fb.InputError, match=r"ending must be one of \.png"):
        fb.picture(slider_crank, tmp_path / "a.mp4")
    with pytest.raises(fb.InputError, match=r"ending must be one of \.png"):
        fb.plot(slider_crank, tmp_path / "a.txt")
    with pytest.raises(fb.FileError, match="does not exist"):
        fb.plot(slider_crank, tmp_path / "none" / "a.png")


def test_automatic_scale_is_a_round_number_that_shows_the_deformation(slider_crank):
    factor = drawn_scale(slider_crank, None)
    assert factor / 10 ** np.floor(np.log10(factor)) in (1, 2, 5)
    part = machine.scene_of(slider_crank, 1.0).flexible[0]
    motion = Motion(slider_crank)
    largest = max(part.deformation(motion.at(t)).max() for t in motion.times(100))
    assert 0.3 * 0.02 < factor * largest / 0.3 <= 0.0501  # at most 5 % of the rod, at least 2 %


def test_long_paths_are_thin_and_behind_the_machine():
    """A pendulum swings once or many times; its path is the circle of its end also between stored states."""
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(1.0, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    drive = fb.Drive("drive", hinge, rate=10.0)
    system = fb.System([bar], [hinge, drive])
    traces = []
    for t_end in (0.5, 5.0):
        scene = machine.scene_of(
            fb.simulate(system, t_end, output_step=0.05, show_progress=False), trace=(bar,)
        )
        traces += [part for part in scene.parts if part.is_line]
    short, long = traces
    assert (short.layer, long.layer) == (0, -1)
    assert long.radius < short.radius
    assert np.mean(long.colour) > np.mean(short.colour)
    # Hermite's error for h w = 0.5: (h w)^4 / 384 of the radius
    np.testing.assert_allclose(np.linalg.norm(long.line, axis=1), 1.0, atol=0.5**4 / 384)
    assert len(long.line) > 4 * 100
