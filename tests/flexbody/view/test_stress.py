"""Stresses in pictures, films and plots: the right numbers under the colours."""

import os

import numpy as np
import pytest
from PIL import Image
from support.every import STEEL, straight

import fem
import flexbody as fb
import modal
from flexbody.view import pictures
from flexbody.view.geometry import colours
from flexbody.view.geometry.scale import Scale
from flexbody.view.scenes import colouring

pytestmark = pytest.mark.slow  # together a second or more

SIZE = (320, 180)


def arm(name, its, kind, at, **options):
    structure = fem.assemble(straight(kind, 6), its)
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2), **options)
    return fb.FlexibleBody(name, reduced, origin=at, damping_ratio=0.1)


@pytest.fixture(scope="module")
def swinging():
    """Two arms on hinges that fall: one of solids, one of beams."""
    bodies = [
        arm("solid", fem.Solid(STEEL), "hex8", (0.0, 0.0, 0.0)),
        arm("beam", fem.Beam(STEEL, fem.Rectangle(0.1, 0.1), up=(0, 0, 1)), "line2", (0.0, 0.0, -1.0)),
    ]
    joints = [fb.Revolute(f"hinge {b.name}", fb.GROUND, b["x0"], axis="y") for b in bodies]
    return fb.simulate(fb.System(bodies, joints, gravity=(0, 0, -9.81)), 0.05, step=5e-4, show_progress=False)


def stage_of(result, colour=None, limits=None):
    return pictures.Stage(result, 1.0, "motion", SIZE, (), None, colour=colour, limits=limits)


def flexible(stage):
    return {painter.part.body: painter.part for painter in stage.painters if hasattr(painter.part, "paint")}


@pytest.mark.parametrize("colour", ["von_mises", "principal_1", "principal_3", "xx"])
def test_the_colours_are_the_stresses(swinging, colour):
    """At a stored time, at the points of the surface: those of Result.stress at the same nodes."""
    stage, number = stage_of(swinging, colour), 70
    part = flexible(stage)["solid"]
    values = part.values(stage.scene.motion.at(swinging.t[number]))
    stress = swinging.stress("solid", times=swinging.t[number])
    expected = stress.measure(colouring.SYNONYMS.get(colour, colour))[0]
    place = {tuple(np.round(x, 9)): value for x, value in zip(stress.points, expected, strict=True)}
    found = np.array([place[tuple(np.round(x, 9))] for x in part.x[part.surface.source]])
    np.testing.assert_allclose(values, found, atol=1e-9 * np.abs(expected).max())
    assert np.abs(values).max() > 1e4  # an arm of 78 kg bends under its weight: some 1e5 Pa


def test_beams_have_the_stresses_of_their_fibres(swinging):
    """von Mises on the drawn section: at its corners the largest, that of the section's end."""
    stage = stage_of(swinging, "von_mises")
    part = flexible(stage)["beam"]
    values = part.values(stage.scene.motion.at(swinging.t[-1]))
    stress = swinging.stress("beam", times=swinging.t[-1]).von_mises[0]
    assert values.max() == pytest.approx(stress.max(), rel=1e-9)
    assert values.min() < 0.5 * values.max()


@pytest.mark.parametrize("colour", ["von_mises", "principal_1", "principal_3"])
def test_limits_are_those_of_the_whole_run(swinging, colour):
    """In SI units with a bar; nothing lies outside that the picture does not tell of."""
    stage = stage_of(swinging, colour)
    scale = stage.caption.scale
    assert scale.unit == "Pa"
    assert "Pa)" in scale.heading()
    found = [
        part.values(stage.scene.motion.at(t)) for t in swinging.t[::5] for part in flexible(stage).values()
    ]
    values = np.concatenate(found)
    low, high = np.nanmin(values), np.nanmax(values)
    assert high > 0.5 * scale.high or low < 0.5 * scale.low
    outside = high > scale.high * (1 + 1e-9) or low < min(scale.low, 0) * (1 + 1e-9)
    assert outside <= ("colours cut off at" in stage.caption.note)
    # the share of points that are ever outside is small
    assert (values > scale.high * (1 + 1e-9)).mean() < 1 - colouring.COLOURED_QUANTILE + 1e-9


def test_few_high_points_do_not_take_all_the_colours():
    values = np.concatenate([np.linspace(0, 1, 2000), [50.0] * 3])
    assert colouring._end(values) == pytest.approx(1.0, rel=0.01)
    assert colouring._end(np.linspace(0, 1, 100)) == 1.0
    note = lambda low, high, *values: Scale("stress", low, high, "Pa", values).note()  # noqa: E731
    assert note(-2.0, 1e6, -2.0, 50e6) == "scale capped at 1 MPa; peak 50 MPa"
    assert note(-1e6, 1e6, -2e6, 1e6) == "scale capped at −1 MPa; minimum −2 MPa"
    assert note(-1e6, 1e6, -2e6, 3e6) == "scale capped at −1 MPa and 1 MPa; range −2 MPa to 3 MPa"
    assert note(0.0, 1e6, 0.0, 1e6) == ""


def test_limits_as_given(swinging):
    scale = stage_of(swinging, "von_mises", limits=(0, 3e5)).caption.scale
    assert (scale.low, scale.high) == (0.0, 3e5)
    for limits in ((1, 0), (0, np.nan), (1, 2, 3), "wide"):
        with pytest.raises(fb.InputError, match="limits"):
            stage_of(swinging, "von_mises", limits=limits)


def test_plain_and_deformation(swinging):
    stage = stage_of(swinging, "plain")
    assert stage.caption.scale is None
    assert all(part.values(stage.scene.motion.at(0.01)) is None for part in flexible(stage).values())
    same, usual = stage_of(swinging, "displacement").caption.scale, stage_of(swinging).caption.scale
    assert same == usual
    assert usual.unit == "m"


def test_bodies_without_stress_modes(swinging):
    """Grey beside others; alone, refused by name."""
    bare = arm("bare", fem.Solid(STEEL), "hex8", (0, 0, 0), stress=False)
    other = arm("other", fem.Solid(STEEL), "hex8", (0, 0, 1.0))
    alone = fb.simulate(fb.System([bare]), 0.001, step=1e-4, show_progress=False)
    for call in (lambda: stage_of(alone, "von_mises"), lambda: fb.plot_stress(alone)):
        with pytest.raises(fb.InputError, match=r"'?bare'?.*stress"):
            call()
    both = fb.simulate(fb.System([bare, other]), 0.001, step=1e-4, show_progress=False)
    stage = stage_of(both, "von_mises", limits=(0, 1.0))
    parts = flexible(stage)
    poses = stage.scene.motion.at(0.0005)
    assert np.isnan(parts["bare"].values(poses)).all()
    look = next(p for p in stage.painters if p.part is parts["bare"]).look(poses)
    np.testing.assert_allclose(look.colour, np.tile(colours.UNKNOWN, (len(look.colour), 1)))
    assert np.isfinite(parts["other"].values(poses)).all()


@pytest.mark.parametrize("colour", ["mises", "jump", 3])
def test_colours_that_are_none(swinging, colour, tmp_path):
    with pytest.raises(fb.InputError, match=r"colour is .*; it must be one of .*'von_mises'"):
        fb.animate(swinging, tmp_path / "film.mp4", colour=colour, show_progress=False)
    assert os.listdir(tmp_path) == []


def test_a_film_and_a_picture(swinging, tmp_path):
    film = fb.animate(
        swinging, tmp_path / "f.gif", n_frames=3, size=SIZE, colour="von_mises", show_progress=False
    )
    assert Image.open(film).n_frames == 3
    images = [fb.picture(swinging, time=0.03, size=SIZE, colour=colour) for colour in ("von_mises", "plain")]
    assert (images[0] != images[1]).any(axis=2).mean() > 0.005


def test_the_plot_shows_the_peaks(swinging, tmp_path):
    figure = fb.plot_stress(swinging, tmp_path / "stress.png", title="arms")
    assert len(figure.axes) == 4
    assert Image.open(tmp_path / "stress.png").size[0] > 800
    for k, name in enumerate(("solid", "beam")):
        above, below = figure.axes[2 * k : 2 * k + 2]
        unit = {"(Pa)": 1.0, "(kPa)": 1e-3, "(MPa)": 1e-6}[above.get_ylabel().split()[-1]]
        lines = {line.get_label(): line.get_ydata() for line in above.lines}
        peak = swinging.stress(name).peak()
        np.testing.assert_allclose(lines["von Mises"], peak.value * unit, rtol=1e-12)
        lowest = swinging.stress(name).peak("principal_3").value
        np.testing.assert_allclose(lines["smallest principal"], lowest * unit, rtol=1e-12)
        there = next(line for line in below.lines if line.get_label() == "von Mises").get_ydata()
        assert there.max() == pytest.approx(peak.largest * unit, rel=1e-12)
        assert (there <= lines["von Mises"] * (1 + 1e-12)).all()
    one = fb.plot_stress(swinging, body="beam")
    assert len(one.axes) == 2
    with pytest.raises(fb.InputError, match=r"ending must be one of"):
        fb.plot_stress(swinging, tmp_path / "stress.doc")


def test_a_state_is_drawn_as_it_is():
    """An equilibrium has one moment, and no film."""
    body = fb.RigidBody("body", 1.0, (1.0, 1.0, 1.0), center=(0, 0, -1), markers={"end": (0, 0, -2)})
    hinge = fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="y")
    state = fb.equilibrium(fb.System([body], [hinge], gravity=(0, 0, -9.81)))
    one, same = fb.picture(state, size=(200, 160)), fb.picture(state.result, size=(200, 160))
    assert (one == same).all()
    assert one.std() > 1
