"""The interactive page: complete in itself, and every point where a picture has it."""

import json
import os
import re
import subprocess

import numpy as np
import pytest
from support.every import STEEL, straight
from support.pages import computed, needs_node, unpacked

import fem
import flexbody as fb
import modal
from flexbody.view import pictures
from flexbody.view.geometry import colours
from flexbody.view.geometry.parts import Flexible, Rigid
from flexbody.view.render import web
from flexbody.view.scenes.forces import Arrow
from flexbody.view.symbols.stretched import Spring, place_of

pytestmark = pytest.mark.slow  # together a second or more

FRAMES, FPS = 7, 20.0
LOOK = {
    "scale": 300.0,
    "colour": "von_mises",
    "forces": True,
    "trace": ("crank",),
    "title": 'a </script> "b" & c',
}


@pytest.fixture(scope="module")
def machine():
    """A rigid crank with a flexible arm on it, and a spring."""
    structure = fem.assemble(straight("hex8", 5), fem.Solid(STEEL))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2))
    crank = fb.RigidBody("crank", 5.0, (0.1, 0.2, 0.2), center=(-0.3, 0, 0), markers={"end": (0, 0, 0)})
    arm = fb.FlexibleBody("arm", reduced, place={"x0": (0, 0, 0), "x1": (1, 0, 0)}, damping_ratio=0.02)
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(-0.6, 0, 0), axis="y"),
        fb.Revolute("pin", crank, arm["x0"], axis="y"),
    ]
    spring = fb.SpringDamper("spring", fb.GROUND, arm["x1"], stiffness=500.0, first_point=(1, 0, 1))
    return fb.simulate(
        fb.System([crank, arm], joints, [spring], gravity=(0, 0, -9.81)), 0.1, show_progress=False
    )


@pytest.fixture(scope="module")
def page(machine, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "run.html"
    assert fb.animate(machine, path, n_frames=FRAMES, fps=FPS, show_progress=False, **LOOK) == path
    assert os.listdir(path.parent) == ["run.html"]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def stage(machine):
    look = {name: value for name, value in LOOK.items() if name not in ("scale", "title", "trace")}
    return pictures.Stage(machine, 300.0, "motion", (1280, 720), ("crank",), None, **look)


def test_nothing_is_fetched_from_elsewhere(page):
    assert not re.findall(r"https?:|src=|@import|<link", page)
    assert "@HEADER@" not in page
    assert "@DATA@" not in page


def test_words_can_not_break_out(page):
    head, _, rest = page.partition("<script>")
    assert "<title>a &lt;/script&gt; &quot;b&quot; &amp; c</title>" in head
    assert rest.count("</script>") == 1
    assert unpacked(page)["title"] == LOOK["title"]


def test_every_point_is_where_the_picture_has_it(machine, page, stage):
    """Rebuilt by hand from the arrays, in single precision."""
    header = unpacked(page)
    times = np.linspace(0, machine.t[-1], FRAMES)
    np.testing.assert_allclose(header["times"], times, rtol=1e-8)
    assert {type(p) for p in stage.scene.parts} >= {Rigid, Flexible, Spring, Arrow}
    for k in (0, 3, FRAMES - 1):
        poses = stage.scene.motion.at(times[k])
        for part, own in zip(header["parts"], stage.scene.parts, strict=True):
            n = part["n"]
            if part["kind"] == "moving":
                x = part["points"].reshape(FRAMES, n, 3)[k]
            elif part["kind"] == "rigid":
                x = part["points"].reshape(n, 3)
            else:
                m, N = len(part["points"]) // 3, part["modes"]
                base = part["points"].reshape(m, 3)
                rigid = part["rigid"].reshape(FRAMES, 12)[k]
                shape = part["shapes"].reshape(m, 3, N) @ part["alpha"].reshape(FRAMES, N)[k]
                x = base + base @ rigid[:9].reshape(3, 3).T + rigid[9:] + header["factor"] * shape
                x = x[part["source"]]
            pose = part["poses"].reshape(-1, 12)[0 if part["still"] else k]
            np.testing.assert_allclose(x @ pose[:9].reshape(3, 3).T + pose[9:], own.points(poses), atol=2e-6)
            np.testing.assert_array_equal(part["triangles"].reshape(-1, 3), own.surface.triangles)


def test_colours_are_those_of_the_scale(machine, page, stage):
    header = unpacked(page)
    palette = np.array(header["palette"]).reshape(256, 3) / 255
    scale = stage.caption.scale
    k, part = next((k, p) for k, p in enumerate(header["parts"]) if p["kind"] == "flexible")
    painted = stage.painters[k].part
    for frame, time in enumerate(np.linspace(0, machine.t[-1], FRAMES)):
        values = painted.values(stage.scene.motion.at(time))
        m = len(part["points"]) // 3
        found = palette[part["values"].reshape(FRAMES, m)[frame]][part["source"]]
        # half of 1/254 of the scale, where colours change by up to 4.5 times that, and rounding to bytes
        np.testing.assert_allclose(found, scale.colour(values), atol=2.75 / 254)
    np.testing.assert_allclose(palette[255], colours.UNKNOWN, atol=0.5 / 255)
    assert header["scale"]["heading"] == scale.heading()
    np.testing.assert_array_equal(web._bytes(scale, np.array([np.nan, -1.0, scale.high * 9])), [255, 0, 254])


@needs_node
def test_the_page_computes_the_same(page, machine, stage, tmp_path):
    poses = stage.scene.motion.at(np.linspace(0, machine.t[-1], FRAMES)[4])
    for (x, values), painter in zip(computed(page, tmp_path / "page.js", 300.0), stage.painters, strict=True):
        np.testing.assert_allclose(x, painter.part.points(poses), atol=2e-6)
        if values:
            np.testing.assert_array_equal(values, web._bytes(painter.scale, painter.part.values(poses)))


@needs_node
def test_what_is_fixed_to_flexible_bodies_follows_the_slider(page, machine, stage, tmp_path):
    """Drawn a thousand times larger: arrows and ends of springs are where a picture has them then."""
    look = {name: value for name, value in LOOK.items() if name not in ("scale", "title", "trace")}
    large = pictures.Stage(machine, 300000.0, "motion", (1280, 720), ("crank",), None, **look)
    time = float(np.linspace(0, machine.t[-1], FRAMES)[4])
    poses, then = stage.scene.motion.at(time), large.scene.motion.at(time)
    moved: dict[type, float] = {}
    for (x, _), painter, before in zip(
        computed(page, tmp_path / "page.js", 300000.0), large.painters, stage.painters, strict=True
    ):
        part, expected = painter.part, painter.part.points(then)
        shift = np.abs(expected - before.part.points(poses)).max()
        if isinstance(part, Spring):
            # its wire between the ends leans a little less than one drawn anew: the ends are what counts
            for end in part.ends:
                away = np.linalg.norm(expected - place_of(end, then), axis=1)
                near = away < 1.01 * away.min()
                np.testing.assert_allclose(
                    x[near].mean(axis=0), expected[near].mean(axis=0), atol=0.01 * shift
                )
        else:
            # pins turn by the slope at the scale of the page; they are small
            np.testing.assert_allclose(
                x, expected, atol=2e-6 + (0.05 * shift if isinstance(part, Rigid) else 0)
            )
        moved[type(part)] = max(moved.get(type(part), 0.0), shift)
    assert moved[Spring] > 0.01
    assert moved[Arrow] > 0.01
    assert moved[Flexible] > 0.01


def test_plain_bodies_and_an_interrupt(machine, tmp_path, monkeypatch):
    path = fb.animate(machine, tmp_path / "plain.html", n_frames=2, colour="plain", show_progress=False)
    header = unpacked(path.read_text(encoding="utf-8"))
    assert header["scale"] is None
    assert not any("values" in part for part in header["parts"])
    assert "deformation" not in header["note"]
    path.unlink()
    monkeypatch.setattr(web, "_camera", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError, match="division by zero"):
        fb.animate(machine, tmp_path / "run.html", n_frames=2, show_progress=False)
    assert os.listdir(tmp_path) == []
    with pytest.raises(fb.InputError, match=r"\.mp4 or \.gif or \.html"):
        fb.animate(machine, tmp_path / "run.htm", show_progress=False)


def test_the_page_of_a_rigid_machine_has_no_slider_of_the_deformation(tmp_path):
    """The page hides it, and hidden things stay hidden beside the layout of the panel."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    run = fb.simulate(fb.System([bar]), 0.1, step=0.01, show_progress=False)
    page = fb.animate(run, tmp_path / "rigid.html", n_frames=2, show_progress=False).read_text(
        encoding="utf-8"
    )
    assert not any(part["kind"] == "flexible" for part in unpacked(page)["parts"])
    assert 'getElementById("enlarge").hidden = !parts.some((part) => part.kind === "flexible")' in page
    assert "[hidden] { display: none !important; }" in page


@needs_node
def test_the_page_has_the_scale_arrows_of_a_picture(page, stage, tmp_path):
    """At 100 pixels per metre: as long as such a force is drawn."""
    header = unpacked(page)
    texts = [arrow.text for arrow in stage.caption.arrows]
    assert [text for _, text in header["arrows"].values()] == texts
    value, _ = stage.scene.arrows.round_force
    length = header["arrows"]["force"][0]
    assert length == pytest.approx(value * stage.scene.arrows.length, rel=1e-12)
    begin, end = page.index("// an arrow head"), page.index("function words()")
    script = f'const HEADER = {{"arrows": {json.dumps(header["arrows"])}}}; const found = {{}};\n'
    script += "const document = { getElementById: () => found };\n" + page[begin:end]
    script += "scaleArrows(100); process.stdout.write(found.innerHTML);"
    (tmp_path / "arrows.js").write_text(script, encoding="utf-8")
    done = subprocess.run(
        ["node", tmp_path / "arrows.js"], capture_output=True, text=True, check=True, timeout=60
    )
    drawn = done.stdout
    tip = float(re.search(r'<polygon points="([-\d.]+),', drawn)[1])
    assert tip == pytest.approx(100 * length, rel=1e-9)
    assert all(text in drawn for text in texts)
    assert "NaN" not in drawn
