"""The numbers that functions name: what is read, and that no code of the user's runs."""

import dataclasses
import functools
from collections import deque
from collections.abc import Mapping
from types import ModuleType

import numpy as np
import pytest

from flexbody.functions.ahead import Ahead
from flexbody.functions.likely_times import likely_times
from flexbody.functions.load_corners import corners_of_load
from flexbody.functions.named_numbers import numbers_in

module = ModuleType("parameters")
module.KICK, module.OTHER = 37.25, 11.0
HUGE, QUEUE, SET = 10**400, deque([37.25, "a"]), {37.25, None}


class Kick:
    KICK, OTHER = 37.25, 11.0

    def __call__(self, t):
        return t > self.KICK


class Method(Kick):
    def __call__(self, t):
        return self.later(t)

    def later(self, t):
        return t > self.KICK


@dataclasses.dataclass(slots=True)
class Slots:
    begin: float


slots = Slots(37.25)

NAMES = {
    "module": lambda t: t > module.KICK,
    "class": lambda t: t > Kick.KICK,
    "class of an object": Kick(),
    "method": Method(),
    "slots": lambda t: t > slots.begin,
    "deque": lambda t: t > QUEUE[0],
    "set": lambda t: any(t > one for one in SET),
    "generator": lambda t: any(t > k + 37.25 for k in (t, None)),
}


@pytest.mark.parametrize("name", NAMES)
def test_where_numbers_are(name):
    """Attributes of modules and classes count if the code names them."""
    assert set(numbers_in([NAMES[name]]).single.tolist()) == {37.25}


RUN = []


class Computed:
    def __call__(self, t):
        return t > 0.5

    @functools.cached_property
    def x(self):
        RUN.append("cached property")

    @property
    def __dict__(self):
        RUN.append("dictionary")
        return {}

    def __getattribute__(self, name):
        RUN.append(name)
        return object.__getattribute__(self, name)


class Opened(Mapping):
    def __getitem__(self, key):
        RUN.append(key)

    def __iter__(self):
        RUN.append("iterated")
        return iter("ab")

    def __len__(self):
        RUN.append("length")
        return 2


class Guarded(list):
    def __getitem__(self, key):
        RUN.append(key)

    def __iter__(self):
        RUN.append("iterated")
        return iter(())

    __len__ = __getitem__


class Unset:
    __slots__ = ("x",)

    def __call__(self, t):
        return t > 0.5


opened, guarded = Opened(), Guarded([0.5, "a"])

ODD = {
    "descriptors": (Computed(), {0.5}),
    "mapping": (lambda t: t > 0.5 + len(opened), {0.5}),
    "list": (lambda t: guarded, {0.5}),
    "empty slot": (Unset(), {0.5}),
    "huge number": (lambda t: 0.5 if t > HUGE else t, {0.5}),
    "huge number in a list": (lambda t, kept=[0.5, 10**400]: kept, {0.5}),
}


@pytest.mark.parametrize("name", ODD)
def test_no_code_of_the_users_runs(name):
    RUN.clear()
    function, numbers = ODD[name]
    found = set(numbers_in([function]).single.tolist())
    assert RUN == []
    assert found == numbers


def test_all_times_of_tables_are_asked_for():
    """Alone or close together; of long tables, increasing ones are asked once, and of others some are kept apart."""
    short, long = np.arange(25) * 2.0 + 0.25, np.linspace(0.0, 60.0, 8001)
    huge = np.linspace(0.0, 60.0, 60_001)
    mixed = np.random.default_rng(0).permutation(huge)[:-7]
    likely = likely_times(numbers_in([lambda t: (short, long, huge, mixed)]), 0.0, 60.0, 7e-3)
    assert np.isin(short, likely.named).all()
    assert np.isin(long[1:-1], np.concatenate([likely.named, likely.combined])).all()
    assert np.isin(huge[1:-1], likely.nodes).all()
    assert 0 < len(likely.left_out) < 1000


def found_in(function, last, m=1):
    """Return the times of the corners of a function of numbers, and the calls."""
    calls = [0]

    def sample(times):
        calls[0] += len(times)
        return np.column_stack([np.array([function(t) for t in times.tolist()], dtype=float)] * m)

    ahead = Ahead(sample, "load", functions=[function])
    return [corner.t for corner in corners_of_load(ahead, 0.0, last)], calls[0]


def test_many_pulses_at_times_of_a_list():
    """26 pulses, of which the samples hit some: the begin of each is a number of the list."""
    times = np.sort(np.random.default_rng(30).uniform(1.0, 59.0, 26)).tolist()
    found, _ = found_in(lambda t: any(k < t < k + 5e-4 for k in times), 60.0)
    np.testing.assert_allclose(found, np.ravel([(k, k + 5e-4) for k in times]), rtol=0.0, atol=1e-12)


@pytest.mark.filterwarnings("error::flexbody.FlexbodyWarning")
def test_many_pulses_of_a_period():
    """80 pulses of 0.1 ms in 40 s: there are more samples first, because those of the run are 20 ms apart."""
    found, _ = found_in(lambda t: t % 0.5 < 1e-4, 39.9)
    exact = np.concatenate([[1e-4], np.ravel([(t, t + 1e-4) for t in 0.5 * np.arange(1, 80)])])
    np.testing.assert_allclose(found, exact, rtol=0.0, atol=1e-12)


def test_pulses_of_a_period_that_is_too_short_are_told():
    """A million multiples are not asked for, but three of them show pulses, here gentle ones."""
    with pytest.warns(match="load.*not all looked for"):
        found_in(lambda t: max(0.0, 1e-7 - abs((t + 5e-5) % 1e-4 - 5e-5)), 100.0)


def test_one_budget_for_all_numbers(monkeypatch):
    """Three numbers that jump everywhere take no more calls than one may, and that is told."""
    monkeypatch.setattr("flexbody.functions.ahead.BUDGET", 60_000)
    with pytest.warns(match="load.*not all looked for"):
        _, calls = found_in(lambda t: np.floor(1e12 * np.sin(1e7 * t)) % 3, 1.0, m=3)
    assert calls < 100_000
