"""Pulses that are shorter than the distance of the samples of a run: the times that functions name tell them."""

import functools
import itertools
import math
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import flexbody as fb
from flexbody.functions import ahead, with_numba
from flexbody.functions.function_pointers import scalar_law
from flexbody.functions.likely_times import likely_times
from flexbody.functions.load_corners import corners_of_load
from flexbody.functions.named_numbers import numbers_in

KICK, WIDTH, TIMES = 37.3012, 5e-4, {"t": 37.3012, "w": 5e-4}


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


def by_default(t, begin=KICK, width=WIDTH):
    return 1.0 if begin < t < begin + width else 0.0


class Kicked:
    def __init__(self):
        self.times, self.width = [12.0, KICK], WIDTH

    def __call__(self, t):
        return 1.0 if self.times[1] < t <= self.times[1] + self.width else 0.0


@functools.lru_cache
def cached(t):
    return 1.0 if 37.3012 < t < 37.3017 else 0.0


def within(kick, width):
    return lambda t: 1.0 if abs(t - kick) < width / 2 else 0.0


#: functions with a pulse of half a millisecond in a minute, where samples are 7 and 29 ms apart, and its begin and end
PULSES = {
    "numbers": (lambda t: 1.0 if 37.3012 < t < 37.3017 else 0.0, KICK, KICK + WIDTH),
    "variables": (lambda t: float(KICK < t < KICK + WIDTH), KICK, KICK + WIDTH),
    "around": (within(KICK, WIDTH), KICK - WIDTH / 2, KICK + WIDTH / 2),
    "defaults": (by_default, KICK, KICK + WIDTH),
    "a dictionary": (
        lambda t: 1.0 if TIMES["t"] < t < TIMES["t"] + TIMES["w"] else 0.0,
        KICK,
        KICK + WIDTH,
    ),
    "an object": (Kicked(), KICK, KICK + WIDTH),
    "a cache": (cached, KICK, KICK + WIDTH),
    "a partial function": (functools.partial(by_default, width=3e-4), KICK, KICK + 3e-4),
    "a period": (lambda t: 1.0 if t % 37.0 < 5e-4 and t > 1.0 else 0.0, 37.0, 37.0 + WIDTH),
    "a frequency": (lambda t: 1.0 if t > 1 and (t * 0.03) % 1.0 < 1.5e-5 else 0.0, 1 / 0.03, (1 + 1.5e-5) / 0.03),
}  # fmt: skip


@pytest.mark.parametrize("name", PULSES)
def test_both_ends_of_a_pulse_are_found(name):
    function, begin, end = PULSES[name]
    law = scalar_law(function, 60.0, "actuator 'A'")
    law.look_for_corners(0.0, 60.0, corners_of_load)
    found = [corner.t for corner in law.corners if abs(corner.t - begin) < 1.0]
    assert found == [pytest.approx(begin, abs=1e-12), pytest.approx(end, abs=1e-12)]


def shaped(kick, width):
    return lambda t: math.sin(math.pi * (t - kick) / width) if kick < t < kick + width else 0.0


TABLE = [0, KICK, KICK + WIDTH / 2, KICK + WIDTH, 60], [0, 0, 1000, 0, 0]
MOMENTUM = {
    "rectangle": (lambda t: 1000.0 if 37.3012 < t < 37.3017 else 0.0, 1000 * WIDTH),
    "half a sine": (lambda t: 1000 * shaped(KICK, WIDTH)(t), 1000 * WIDTH * 2 / math.pi),
    "triangle": (lambda t: np.interp(t, *TABLE), 1000 * WIDTH / 2),
    "bell": (
        lambda t: 1000 * float(np.exp(-(((t - KICK) / WIDTH) ** 2))),
        1000 * WIDTH * math.sqrt(math.pi),
    ),
    "recorded bell": (lambda t: 1000 * np.exp(-(((t - KICK) / WIDTH) ** 2)), 1000 * WIDTH * math.sqrt(math.pi)),
}  # fmt: skip


@pytest.mark.parametrize("name", MOMENTUM)
def test_the_momentum_of_a_kick(name):
    """2 kg take the integral of the force; steps at rtol = 1e-6 keep 1e-5 of it."""
    force, momentum = MOMENTUM[name]
    body = fb.RigidBody("cart", 2.0, (1e-3, 1e-3, 1e-3))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    machine = fb.System([body], [rail], [fb.PointForce("push", body, lambda t: (force(t), 0, 0))])
    run = fb.simulate(machine, 60.0, show_progress=False)
    assert run.velocity(body)[-1, 0] == pytest.approx(momentum / 2.0, rel=1e-5)


def test_numbers_of_all_kinds():
    """Those of the code, of what it calls, of attributes and of the times of an interpolation; not those of texts."""
    inner = lambda t: t + 3.5  # noqa: E731

    class Law:
        def __init__(self):
            self.parts = {"a": (1.25, "7.5"), "b": np.array([8.5, -9.5])}

        def force(self, t):
            return inner(t) + 2.5

    numbers = set(numbers_in([Law().force]).single.tolist())
    assert numbers == {1.25, 8.5, 9.5, 2.5, 3.5}


def test_what_is_combined_stays_few():
    """Thousands of numbers don't cost tens of thousands of calls: 4000 combined times, and tables to 8192 more."""
    table = np.linspace(0.0, 1.0, 5001)
    many = {k: 0.001 * k + 1e-5 for k in range(900)}
    likely = likely_times(numbers_in([lambda t: np.interp(t, table, table) + many[3]]), 0.0, 1.0, 1e-3)
    named, times = likely.named, likely.combined
    assert np.all(np.diff(times) > 0.0)
    assert np.isin(table[1:-1], times).all()
    assert len(times) <= 4000 + 5001
    assert len(named) <= 900


def test_what_is_asked_does_not_depend_on_the_clock(monkeypatch):
    """The calls are the same for a function that takes fifty times as long, unless it is told as slow."""
    levels = np.random.default_rng(0).normal(size=3000)

    def asked(took):
        ticks = (itertools.count(), itertools.count())
        clocks = {"perf_counter": lambda: took * next(ticks[0]), "thread_time": lambda: took * next(ticks[1])}
        monkeypatch.setattr(ahead, "time", SimpleNamespace(**clocks))
        calls = []

        def sample(times):
            calls.append(times)
            return levels[np.minimum((times * 3000).astype(int), 2999)][:, None]

        with warnings.catch_warnings():
            warnings.simplefilter("error", fb.FlexbodyWarning)
            corners_of_load(ahead.Ahead(sample, "load"), 0.0, 1.0)
        return np.concatenate(calls)

    np.testing.assert_array_equal(asked(took=1e-6), asked(took=5e-5))


def test_a_function_that_becomes_slow():
    """It is quick at the start, where calls were once timed, and later takes more than a millisecond."""
    calls = []

    def sample(times):
        calls.extend(times)
        end = time.thread_time() + 1e-3 * np.count_nonzero(times > 0.5)
        while time.thread_time() < end:
            pass
        return np.sin(times)[:, None]

    with pytest.warns(fb.FlexbodyWarning, match="looked for at 129 times only"):
        corners_of_load(ahead.Ahead(sample, "load"), 0.0, 1.0)
    assert len(calls) < 200
