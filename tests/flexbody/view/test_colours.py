"""Colours that everybody can read: steady lightness of the maps, curves that differ for deuteranopes."""

from itertools import combinations

import numpy as np
import pytest

import fem
import flexbody as fb
from flexbody.results.curve_colours import COLOURS, CURVES
from flexbody.view import meshes
from flexbody.view.geometry import colours
from flexbody.view.meshes import drawing_of
from flexbody.view.scenes.elements import Options
from flexbody.view.scenes.forces import LEGEND

#: from linear RGB to XYZ (IEC 61966-2-1), and the white point D65
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
#: what a deuteranope sees of linear RGB (Machado, Oliveira, Fernandes 2009, severity 1)
DEUTERANOPE = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)


def linear(colour) -> np.ndarray:
    """Linear RGB of sRGB in 0..1."""
    c = np.asarray(colour, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of linear RGB (..., 3)."""
    xyz = np.clip(rgb, 0, 1) @ XYZ.T / WHITE
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def rgb(code: str) -> list[float]:
    return [int(code[k : k + 2], 16) / 255 for k in (1, 3, 5)]


def test_lightness_of_magnitudes_increases_steadily():
    lightness = lab(linear(colours.magnitude(np.linspace(0, 1, 256))))[:, 0]
    steps = np.diff(lightness)
    assert steps.min() > 0
    assert steps.max() < 2 * steps.mean()
    assert np.ptp(lightness) > 70


def test_signed_values_are_neutral_at_zero_and_darken_to_both_ends():
    shown = lab(linear(colours.signed(np.linspace(-1, 1, 257))))
    assert np.hypot(shown[128, 1], shown[128, 2]) < 3  # without a colour
    assert shown[128, 0] > 95
    assert (np.diff(shown[:129, 0]) > 0).all()
    assert (np.diff(shown[128:, 0]) < 0).all()
    assert shown[0, 2] < -20  # blue
    assert shown[-1, 1] > 20  # red


@pytest.mark.parametrize(
    "palette",
    [[rgb(code) for code in COLOURS], list(LEGEND.values()), colours.SETS, colours.TRACES],
    ids=["curves", "arrows", "sets", "paths"],
)
@pytest.mark.parametrize("seen", [np.eye(3), DEUTERANOPE], ids=["normal", "deuteranope"])
def test_any_two_colours_can_be_told_apart(palette, seen):
    """By CIELAB 15 or more, where 2.3 is just noticeable (Mahy and others, 1994)."""
    found = lab(linear(palette) @ seen.T)
    assert min(np.linalg.norm(a - b) for a, b in combinations(found, 2)) > 15


@pytest.mark.parametrize("seen", [np.eye(3), DEUTERANOPE], ids=["normal", "deuteranope"])
def test_paths_have_no_colour_of_the_colour_bar(seen):
    """A path crosses bodies whose colours show values: 20 in CIELAB from any of them."""
    paths = lab(linear(colours.TRACES) @ seen.T)
    bar = lab(linear(colours.magnitude(np.linspace(0, 1, 256))) @ seen.T)
    assert np.linalg.norm(paths[:, None] - bar, axis=-1).min() > 20


def test_curves_differ_also_in_black_and_white():
    assert len({(look["color"], str(look["linestyle"])) for look in CURVES}) == len(CURVES) == 28
    assert len({str(look["linestyle"]) for look in CURVES[:4]}) == 4


def test_what_is_named_is_drawn():
    """Twenty curves in one graph: each of them, with its own look, and a legend that fits."""
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    run = fb.simulate(fb.System([bar]), 0.1, step=0.01, show_progress=False)
    curves = {f"curve {k}": 10.0 ** (-2 * k) * run.t for k in range(20)}
    figure = fb.plot(run, show=[curves])
    lines = figure.axes[0].lines
    assert [line.get_label() for line in lines] == list(curves)
    assert len({(line.get_color(), str(line._dash_pattern)) for line in lines}) == 20
    figure.draw_without_rendering()
    box = figure.axes[0].get_legend().get_window_extent()
    assert box.y0 > 0
    assert box.x1 <= figure.bbox.width


@pytest.mark.parametrize("title", ["position of the bar that moves on and on " * 4, "a " * 150])
def test_long_titles_of_plots_are_broken(title):
    bar = fb.RigidBody("bar", 1.0, (0.01, 0.1, 0.1), center=(0.5, 0, 0))
    run = fb.simulate(fb.System([bar]), 0.1, step=0.01, show_progress=False)
    figure = fb.plot(run, show=["bar"], title=title)
    figure.draw_without_rendering()
    box = figure._suptitle.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
    assert box.y0 > figure.axes[0].get_window_extent().y1


def test_round_off_has_no_colours():
    """A bar under tension along x: all other stresses are round-off, and look like zero."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    pulled = fem.static(bar, {"x0": ("x",), "y0": ("y",), "z0": ("z",)}, fem.Traction("x1", (1e6, 0, 0)))
    zero = np.array(colours.signed(np.array([0.0]))[0])

    def hue(name: str) -> float:
        """How far most pixels of the bar are from the shaded colour of zero; its edges are drawn as lines."""
        drawing = drawing_of(pulled, Options(colour=name, scale=0, edges=False))
        stage = meshes._Stage(drawing, "z", (320, 180), None, 0.0)
        image = stage.renderer().image(drawing.poses())  # without texts
        body = image[(image < 255).any(axis=2)].astype(float)
        assert len(body) > 1000
        away = body / body.max(axis=1, keepdims=True) - zero / zero.max()
        return np.quantile(np.abs(away).max(axis=1), 0.5)

    assert hue("xx") > 0.3
    for name in ("yz", "xy", "zz"):  # uniaxial tension
        assert hue(name) < 0.02, name
