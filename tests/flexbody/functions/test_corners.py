"""Corners of functions of time: found to round-off, and derivatives on both sides of them."""

from contextlib import nullcontext

import numpy as np
import pytest
import scipy.interpolate

import flexbody as fb
from flexbody.core.time_laws import call
from flexbody.functions import with_numba
from flexbody.functions.corners import SAMPLE_FACTOR, corners_of, find_corners
from flexbody.functions.function_pointers import drive_law, load_law, scalar_law
from flexbody.functions.load_corners import corners_of_load
from flexbody.functions.outstanding import INTERVALS
from flexbody.functions.pieces import behind


def ramp(t):
    return 0.0 if t < 0.03 else 10.0 * (t - 0.03)


def trapezoid(t):
    """Angle for a speed that rises to 1 in 0.2, and falls to 0 between 0.7 and 0.9."""
    if t < 0.2:
        return 2.5 * t**2
    if t < 0.7:
        return 0.1 + (t - 0.2)
    return 0.6 + (t - 0.7) - 2.5 * (t - 0.7) ** 2 if t < 0.9 else 0.7


def smooth_step(t, begin=0.3, end=0.5):
    """3 s^2 - 2 s^3: its second derivative jumps by 6 / (end - begin)^2 at both ends."""
    s = min(max((t - begin) / (end - begin), 0.0), 1.0)
    return s * s * (3.0 - 2.0 * s)


X = np.linspace(0.0, 1.0, 51)
Y = np.sin(7.0 * X)
SLOPES = np.diff(Y) / np.diff(X)
LONG = np.linspace(0.0, 1.0, 401)
WITH = {
    "ramp": (ramp, 0.1, [(0.03, 1, 10.0)]),
    "ramp in a long run": (ramp, 10.0, [(0.03, 1, 10.0)]),
    "of NumPy": (lambda t: np.maximum(0.0, 2.0 * (t - 1 / 3)), 1.0, [(1 / 3, 1, 2.0)]),
    "on a large value": (lambda t: 1e3 + abs(t - 0.4), 1.0, [(0.4, 1, 2.0)]),
    "clipped": (lambda t: np.clip((t - 0.4) / 0.3, 0, 1), 1.0, [(0.4, 1, 1 / 0.3), (0.7, 1, -1 / 0.3)]),
    "close together": (
        lambda t: max(0.0, 1.0 - abs(t - 0.4) / 1e-3),
        1.0,
        [(0.399, 1, 1e3), (0.4, 1, -2e3), (0.401, 1, 1e3)],
    ),
    "table": (
        lambda t: np.interp(t, X, Y),
        1.0,
        [(x, 1, d) for x, d in zip(X[1:-1], np.diff(SLOPES), strict=True)],
    ),
    "long table": (
        lambda t: np.interp(t, LONG, LONG**2),
        1.0,
        [(x, 1, 2 / 400) for x in LONG[1:-1]],
    ),
    "trapezoid": (trapezoid, 1.0, [(0.2, 2, -5.0), (0.7, 2, -5.0), (0.9, 2, 5.0)]),
    "late trapezoid": (
        lambda t: trapezoid(t - 10.0) if t > 10.0 else 0.0,
        20.0,
        [(10.0, 2, 5.0), (10.2, 2, -5.0), (10.7, 2, -5.0), (10.9, 2, 5.0)],
    ),
    "smooth step": (smooth_step, 1.0, [(0.3, 2, 150.0), (0.5, 2, 150.0)]),
}


@pytest.mark.parametrize("name", WITH)
def test_found(name):
    """Times to round-off of the value, jumps to what is left of differences of values so close together."""
    function, t_end, known = WITH[name]
    found = find_corners(function, 0.0, t_end)
    assert [corner.order for corner in found] == [order for _, order, _ in known]
    for corner, (t, order, jump) in zip(found, known, strict=True):
        assert corner.t == pytest.approx(t, rel=1e-13 if order == 1 else 1e-10)
        assert corner.jump == pytest.approx(jump, rel=1e-4)


#: parts of the run between two corners: more and less than the distance of the samples
@pytest.mark.parametrize("width", [1e-3, 4e-4, 1e-5, 1e-6])
def test_two_close_together(width):
    """The rate of a short ramp is good to the round-off of values over a part of its width."""
    found = find_corners(lambda t: min(max((t - 0.4) / width, 0.0), 1.0), 0.0, 1.0)
    assert [corner.t for corner in found] == [
        pytest.approx(0.4, rel=1e-13),
        pytest.approx(0.4 + width, rel=1e-13),
    ]
    assert [corner.jump * width for corner in found] == [
        pytest.approx(1, rel=1e-5),
        pytest.approx(-1, rel=1e-5),
    ]


RNG = np.random.default_rng(0)
WITHOUT = {
    **{f"sin {w:g} t": (lambda t, w=w: np.sin(w * t)) for w in (1.0, 1e2, 1e3, 12345.6, 1e6)},
    **{f"tanh {w:g} t": (lambda t, w=w: np.tanh(w * (t - 0.4))) for w in (10.0, 1e3, 1e5, 1e8)},
    **{f"rounded, {w:g}": (lambda t, w=w: np.logaddexp(0.0, w * (t - 0.4)) / w) for w in (1e2, 1e4, 1e8)},
    "chirp": lambda t: np.sin(3e3 * t * t),
    "power": lambda t: t**1.5,
    "root": np.sqrt,
    "cubed": lambda t: abs(t - 0.4) ** 3,
    "an endless acceleration": lambda t: abs(t - 0.4) ** 1.5,
    "an endless rate": lambda t: abs(t - 0.4) ** 0.5,
    "smooth beside its ends": lambda t: np.exp(-1 / (1 - (10 * t - 5) ** 2)) if abs(t - 0.5) < 0.1 else 0.0,
    "splines": scipy.interpolate.CubicSpline(np.linspace(0, 1, 20), RNG.normal(size=20)),
    "pulse": lambda t: np.exp(-(((t - 0.4) / 5e-4) ** 2)),
    "jump": lambda t: np.sin(20 * t) + 0.05 * (t > 0.4),
    "whole turns": lambda t: (20.0 * t) % (2 * np.pi),
    "noise": lambda t: float(RNG.normal()),
    "constant": lambda t: 3.0,
    "straight": lambda t: 7e5 + 3.0 * t,
    "not a number": lambda t: np.nan if t > 0.9 else t,
}


@pytest.mark.parametrize("name", WITHOUT)
def test_not_found(name):
    """And with twice as many calls as samples at most, or with the finer ones where these miss what it does."""
    calls = []

    def counted(t):
        calls.append(t)
        return float(WITHOUT[name](t))

    assert find_corners(counted, 0.0, 1.0) == ()
    unresolved = name in ("sin 1e+06 t", "chirp", "noise")
    assert len(calls) <= (2 + 1.4 * SAMPLE_FACTOR * unresolved) * INTERVALS
    assert min(calls) >= 0.0
    assert max(calls) <= 1.0


def test_a_function_that_fails():
    def fails(t):
        raise ValueError

    assert find_corners(fails, 0.0, 1.0) == ()


def test_the_cost_of_a_table():
    """Some ninety calls for each of its corners."""
    calls = []
    find_corners(lambda t: calls.append(t) or np.interp(t, X, Y), 0.0, 1.0)
    assert len(calls) < INTERVALS + 100 * len(X)


def after(t):
    return 10.0 * (t - 0.03) + 50.0 * (t - 0.03) ** 2


LOADS = {
    "of two components": (
        lambda t: (3.0 * (t > 0.3), 0.0, np.sin(9 * t) - 2.0 * (t >= 0.6)),
        [(0.3, 3.0), (0.6, -2.0)],
    ),
    "on a curve": (lambda t: (np.exp(5 * t) + 0.01 * (t > 0.55), 0.0, 0.0), [(0.55, 0.01)]),
    "recorded": (lambda t: ((t - 0.4) / abs(t - 0.4), 0.0, t), [(0.4, 2.0)]),
    "square wave": (
        lambda t: (1.0 * ((20 * t) % 1.0 < 0.5), 0.0, 0.0),
        [(k / 40, (-1.0) ** k) for k in range(1, 41)],
    ),
    "close together": (lambda t: (1.0 * (0.4 <= t < 0.4007), 0.0, 0.0), [(0.4, 1.0), (0.4007, -1.0)]),
    "near both ends": (lambda t: (1.0 * (1e-4 <= t < 0.9999), 0.0, 0.0), [(1e-4, 1.0), (0.9999, -1.0)]),
    "steep": (lambda t: (np.tanh(1e6 * (t - 0.4)), np.tanh(1e9 * (t - 0.6)), 0.0), []),
    "noise": (lambda t: (float(RNG.normal()), 0.0, 0.0), []),
    "not a number": (lambda t: (np.nan if t > 0.9 else 1.0 * (t > 0.4), 0.0, 0.0), []),
    "smooth": (lambda t: (np.sin(300 * t), np.exp(-t), 5.0 + 0.0 * t), []),
}


@pytest.mark.parametrize("name", LOADS)
def test_jumps_of_loads(name, monkeypatch):
    """Times to round-off; behind a jump the law has the other value."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)
    function, known = LOADS[name]
    law = load_law(function, 1.0, "force 'F'")
    assert law.corners == ()
    with pytest.warns(fb.FlexbodyWarning, match="depend on t alone") if name == "noise" else nullcontext():
        law.look_for_corners(0.0, 1.0, corners_of_load)
    assert [(corner.t, corner.order) for corner in law.corners] == [
        (pytest.approx(t, rel=1e-14), 0) for t, _ in known
    ]
    for corner, (t, jump) in zip(law.corners, known, strict=True):
        change = np.subtract(call(law.pair, behind(t)), call(law.pair, t))
        assert np.abs(change).max() == pytest.approx(
            abs(jump), rel=1e-8
        )  # from a part of 5e-13 of t on both sides
        assert corner.jump == pytest.approx(jump, rel=1e-6)  # as continued from samples
        assert law(t) == call(law.pair, t)
    assert law.error is None


def test_corners_of_a_load():
    """Those of the rate, if they are few."""
    for n, found in ((41, 39), (401, 0)):
        x = np.linspace(0.0, 1.0, n)
        law = scalar_law(lambda t, x=x: np.interp(t, x, np.sin(9 * x)), 1.0, "actuator")
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert [corner.order for corner in law.corners] == found * [1]


def test_a_load_goes_on():
    """What is found in parts of the time is what is found at once."""
    law = scalar_law(lambda t: 1.0 * (np.sin(30 * t) > 0.3), 10.0, "actuator")
    for end in (1.0, 2.0, 4.0):
        law.look_for_corners(0.0, end, corners_of_load)
    parts = law.corners
    law.look_for_corners(0.0, 3.0, corners_of_load)
    assert law.corners == parts
    whole = scalar_law(lambda t: 1.0 * (np.sin(30 * t) > 0.3), 10.0, "actuator")
    whole.look_for_corners(0.0, 4.0, corners_of_load)
    assert [corner.t for corner in whole.corners] == [pytest.approx(corner.t, rel=1e-14) for corner in parts]
    assert len(parts) == 39  # sin 30 t passes 0.3 twice in each of 19 periods, and once more


LAWS = {
    "differences": (lambda t: 0.0 if t < 0.03 else after(t), None, None),
    "recorded": (lambda t: 0.5 * (after(t) + abs(t - 0.03) * (10.0 + 50.0 * (t - 0.03))), None, None),
    "given rate": (
        lambda t: 0.0 if t < 0.03 else after(t),
        lambda t: 0.0 if t < 0.03 else 10.0 + 100.0 * (t - 0.03),
        None,
    ),
    "given": (
        lambda t: 0.0 if t < 0.03 else after(t),
        lambda t: 0.0 if t < 0.03 else 10.0 + 100.0 * (t - 0.03),
        lambda t: 0.0 if t < 0.03 else 100.0,
    ),
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("name", LAWS)
def test_derivatives_on_both_sides(name, compiled, monkeypatch):
    """Those of 0 before, and of 10 x + 50 x^2 behind: differences leave round-off over their step."""
    if not compiled:
        monkeypatch.setattr(with_numba, "has_numba", lambda: False)
    law = drive_law(*LAWS[name], 0.1, "drive 'd'")
    assert [(corner.t, corner.order) for corner in law.corners] == [(pytest.approx(0.03, rel=1e-14), 1)]
    for t in (0.0, 0.01, 0.0299, 0.03, behind(0.03), 0.0301, 0.05, 0.1):
        x = max(0.0, t - 0.03)
        later = t > 0.03
        exact = (after(0.03 + x) if later else 0.0, 10.0 + 100.0 * x if later else 0.0, 100.0 * later)
        np.testing.assert_allclose(call(law.pair, t), exact, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(law(t), call(law.pair, t), rtol=1e-12, atol=1e-12)


def test_a_given_rate_without_jumps():
    """A table of values with the rate of the smooth function through them: the rate counts."""
    assert corners_of(lambda t: np.interp(t, X, Y), lambda t: 7.0 * np.cos(7.0 * t), None, 0.0, 1.0) == ()
