"""The search of functions of time before a run: what it costs, what it finds, and what it tells."""

import gc
import math
import warnings
import weakref

import numpy as np
import pytest

import flexbody as fb
from flexbody.functions import ahead, with_numba
from flexbody.functions.ahead import BUDGET, BUDGET_OF_JUMPS, LEAST_BUDGET, Ahead
from flexbody.functions.budget import Budget
from flexbody.functions.function_pointers import load_law, scalar_law
from flexbody.functions.load_corners import corners_of_load
from flexbody.functions.outstanding import INTERVALS
from flexbody.functions.table_peaks import LONG, peaks_of


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


class Searched:
    """A function of arrays of times between 0 and 1, whose numbers can't be read, and what is found in it."""

    def __init__(self, function):
        self.calls, self._function = 0, function
        self.ahead = Ahead(self._sample, "load")
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.corners = corners_of_load(self.ahead, 0.0, 1.0)
        self.told = any("not all looked for" in str(one.message) for one in told)

    def _sample(self, times):
        self.calls += len(times)
        return np.atleast_2d(self._function(times).T).T


def walk(n, m):
    """m random walks through n times of a table."""
    x, y = np.linspace(0.0, 1.0, n), np.cumsum(np.random.default_rng(1).normal(size=(m, n)), axis=1)
    return lambda t: np.column_stack([np.interp(t, x, one) for one in y])


def held(n, m):
    """m random walks that are held between n times."""
    y = np.cumsum(np.random.default_rng(1).normal(size=(n + 1, m)), axis=0)
    return lambda t: y[(t * n).astype(int)]


#: functions, and whether their search ends at a tenth of the usual budget
ROUGH = {
    "walk through a table": (walk(20_001, 3), False),
    "walk of few points": (walk(5_001, 3), False),
    "held": (held(800, 3), False),
    "held often": (held(3_000, 1), True),
    "rough": (lambda t: np.floor(1e12 * np.sin(1e7 * t)) % 3, True),
}


@pytest.mark.parametrize("name", ROUGH)
def test_the_cost_is_limited(name, monkeypatch):
    """Where a search ends at its limit, this is told."""
    monkeypatch.setattr(ahead, "BUDGET", BUDGET // 10)
    monkeypatch.setattr(ahead, "BUDGET_OF_JUMPS", BUDGET_OF_JUMPS // 10)
    function, told = ROUGH[name]
    one = Searched(function)
    assert one.ahead.taken <= BUDGET // 10
    assert one.ahead.taken_for_jumps <= BUDGET_OF_JUMPS // 10
    assert one.calls <= one.ahead.taken + one.ahead.taken_for_jumps + INTERVALS
    assert one.told is told


def test_a_walk_costs_little():
    """No jumps and no pulses are in it: few more calls than there are samples."""
    assert Searched(walk(20_001, 3)).calls < 2 * INTERVALS


def test_numbers_that_jump_at_the_same_times():
    """The times that were found in one of three numbers are tried in the others first."""
    one, three = Searched(held(2_000, 1)), Searched(held(2_000, 3))
    assert len(one.corners) == len(three.corners) == 2_000
    assert three.calls < 2 * one.calls


def test_one_budget_for_all_functions_of_a_machine():
    """Ten rough functions take what one may take, and each of them at least a part."""
    budget, taken = Budget(), []
    for _ in range(10):
        one = Ahead(lambda t: (np.floor(1e12 * np.sin(1e7 * t)) % 3)[:, None], "load")
        with budget.of(one), pytest.warns(match="not all looked for"):
            corners_of_load(one, 0.0, 1.0)
        taken.append(one.taken)
    assert sum(taken) <= BUDGET + 10 * LEAST_BUDGET
    assert min(taken) > 0.0


@pytest.mark.parametrize("seed", range(3))
def test_a_random_telegraph_signal(seed):
    """500 jumps at random times that the function does not name: all are found, or it is told."""
    times = np.sort(np.random.default_rng(seed).random(500))
    one = Searched(lambda t: 1.0 * (np.searchsorted(times, t) % 2))
    assert one.told or len(one.corners) == 500


def pushed(force, end, m=2.0):
    """Velocities and steps of a free mass, kg, under a force of time."""
    body = fb.RigidBody("cart", m, (1e-3, 1e-3, 1e-3))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    machine = fb.System([body], [rail], [fb.PointForce("push", body, lambda t: (force(t), 0.0, 0.0))])
    run = fb.simulate(machine, end, show_progress=False)
    return run.velocity(body)[-1, 0], run.statistics.steps


@pytest.mark.filterwarnings("error::flexbody.FlexbodyWarning")
def test_a_random_telegraph_signal_whose_times_are_named():
    """The velocity is the time at the upper level over the mass; the steps keep 1e-6 of it."""
    times = np.sort(np.random.default_rng(7).uniform(0.0, 10.0, 500))
    v, _ = pushed(lambda t: float(np.searchsorted(times, t) % 2), 10.0)
    assert v == pytest.approx(np.diff(np.append(times, 10.0))[::2].sum() / 2.0, rel=1e-6)


@pytest.mark.filterwarnings("error::flexbody.FlexbodyWarning")
@pytest.mark.parametrize("end", [20.3, 45.3])
def test_pulses_of_a_period_are_not_told(end):
    """Pulses of 0.1 ms, all of which are found: v = sum F dt / m."""
    v, _ = pushed(lambda t: 1e3 if t % 0.5 < 1e-4 else 0.0, end)
    assert v == pytest.approx(1e3 * 1e-4 * (math.floor(2 * end) + 1) / 2.0, rel=1e-6)


@pytest.mark.parametrize("n", [20_001, 300_001, 1_000_001])
def test_one_value_of_a_long_table(n):
    """The triangle over two intervals of a table has the area of its height times one interval."""
    x, y, k = np.linspace(0.0, 10.0, n), np.zeros((n, 2)), int(0.37 * n)
    y[k, 1] = 1e4
    v, _ = pushed(lambda t: float(np.interp(t, x, y[:, 1])) if n < 1e5 else float(_between(t, n, y)), 10.0)
    assert v == pytest.approx(1e4 * 10.0 / (n - 1) / 2.0, rel=1e-4)


def _between(t, n, y):
    """The same interpolation, without a copy of the column for each call."""
    s = t / 10.0 * (n - 1)
    k = min(int(s), n - 2)
    return y[k, 1] + (s - k) * (y[k + 1, 1] - y[k, 1])


def test_where_tables_stand_out():
    """Largest and smallest values between samples, of columns and rows beside the times; not of other tables."""
    x = np.linspace(0.0, 1.0, 2 * LONG + 1)
    rows, columns, other = np.zeros((3, len(x))), np.zeros((len(x), 2)), np.ones(50)
    rows[1, 501], columns[900, 0], rows[0, 7000] = 1.0, -2.0, 3.0
    tables = [x, other, rows, columns]
    np.testing.assert_array_equal(peaks_of(x, tables, 0.0, 1.0, 1e-2), x[[501, 900, 7000]])
    np.testing.assert_array_equal(peaks_of(x, tables, 0.1, 1.0, 1e-2), x[[7000]])
    assert peaks_of(x, [x, other], 0.0, 1.0, 1e-2) is None
    assert peaks_of(rows, tables, 0.0, 1.0, 1e-2) is None


class TestSmallSteps:
    """A signal of a converter of 12 bits: its steps are no jumps."""

    @staticmethod
    def rounded(t):
        return float(np.round(math.sin(5.0 * t) * 2048.0) / 2048.0)

    def test_the_run_takes_the_steps_of_the_smooth_signal(self):
        """And has its velocity to the error of rounding, half a unit over the run at most."""
        v, steps = pushed(self.rounded, 1.0)
        smooth, of_smooth = pushed(lambda t: math.sin(5.0 * t) if t >= 0.0 else 0.0, 1.0)
        assert steps < 1.2 * of_smooth
        assert v == pytest.approx(smooth, abs=0.5 / 2048.0 / 2.0)

    def test_jumps_beside_them(self):
        """Larger ones are found, and few calls are made."""
        one = Searched(
            lambda t: np.round(np.sin(30 * t) * 2048) / 2048 + 0.1 * (t > 0.3) - 0.1 * (t > 0.5001)
        )
        assert [corner.t for corner in one.corners] == [pytest.approx(x, rel=1e-14) for x in (0.3, 0.5001)]
        assert one.calls < 3 * INTERVALS

    def test_few_small_jumps_are_found(self):
        law = scalar_law(lambda t: 1e3 * t + 0.1 * (t > 0.3), 1.0, "actuator")
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert [corner.t for corner in law.corners] == [pytest.approx(0.3, rel=1e-14)]


class TestWhatIsGone:
    """Functions that hold a weak proxy of an object that is gone."""

    @staticmethod
    def proxy():
        class Held:
            factor = 3.0

        gone = weakref.proxy(Held())
        gc.collect()
        return gone

    def functions(self):
        gone = self.proxy()
        inside = (gone, 1.0)

        def default(t, kept=gone):
            return (1.0 if t > 0.5 else 0.0, 0.0, 0.0)

        return {
            "read": lambda t: (1.0 if t > 0.5 else gone.factor if t > 2.0 else 0.0, 0.0, 0.0),
            "default": default,
            "tuple": lambda t: (inside[1] if t > 0.5 else 0.0, 0.0, 0.0),
        }

    @pytest.mark.parametrize("name", ["read", "default", "tuple"])
    def test_what_does_not_ask_it_runs(self, name):
        law = load_law(self.functions()[name], 1.0, "force 'F'")
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert [corner.t for corner in law.corners] == [pytest.approx(0.5, rel=1e-14)]
        assert law.captured.change() == ""

    def test_what_asks_it_is_told(self):
        gone = self.proxy()
        with pytest.raises(fb.InputError, match=r"push.*fails at t = .*ReferenceError"):
            pushed(lambda t: gone.factor if t > 0.5 else 0.0, 1.0)

    def test_a_function_that_is_gone_itself(self):
        body = fb.RigidBody("cart", 2.0, (1e-3, 1e-3, 1e-3))
        rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
        with pytest.raises(fb.InputError, match=r"push.*value is a weak reference.*gone"):
            fb.System([body], [rail], [fb.PointForce("push", body, self.proxy())])
