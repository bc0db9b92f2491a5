"""Jumps of functions of time, of any number: those that a closed form has are found, and no others."""

import gc
import itertools
import sys
import threading
import time
import warnings
from collections import deque

import numpy as np
import pytest

import flexbody as fb
from flexbody.functions import with_numba
from flexbody.functions.ahead import FEW_INTERVALS, Ahead
from flexbody.functions.close_up import CloseUp
from flexbody.functions.copies import copied
from flexbody.functions.function_pointers import scalar_law
from flexbody.functions.load_corners import corners_of_load
from flexbody.functions.numbers_of_laws import Number
from flexbody.functions.value_jumps import value_jumps


@pytest.fixture(autouse=True)
def _without_numba(monkeypatch):
    """To compile each function would take a second."""
    monkeypatch.setattr(with_numba, "has_numba", lambda: False)


LEVELS = np.random.default_rng(1).normal(size=5000)
STEPS = np.arange(-100, 100) + 0.5


def levels(t):
    return LEVELS[np.minimum((5000 * t).astype(int), 4999)]


def burst(t):
    return 1.0 * ((2e4 * t) % 1.0 < 0.5) * (t > 0.50001) * (t < 0.50999)


RANDOM_TIMES = np.sort(np.random.default_rng(2).random(500))


def random_levels(t):
    return LEVELS[np.searchsorted(RANDOM_TIMES, t)]


def rises(at):
    """Times in (0, 1) at which sin 30 t passes the given levels (n,)."""
    first = np.arcsin(at)
    both = np.concatenate([first, np.pi - first])
    times = (both[:, None] + 2 * np.pi * np.arange(-1, 6)).ravel() / 30
    return np.sort(times[(times > 0) & (times < 1)])


#: functions with the times of their jumps in (0, 1)
FUNCTIONS = {
    "pulses": (
        lambda t: 1.0 * ((3e3 * t) % 1.0 < 0.3),
        np.arange(1, 6000) // 2 / 3e3 + np.arange(1, 6000) % 2 * 1e-4,
    ),
    "short pulses": (
        lambda t: 1.0 * ((500 * t) % 1.0 < 0.02),
        np.arange(1, 1000) // 2 / 500 + np.arange(1, 1000) % 2 * 4e-5,
    ),
    "on a wave": (
        lambda t: np.sin(9 * t) * np.where((500 * t) % 1.0 < 0.5, 1, -1),
        np.arange(1, 1000) / 1000,
    ),
    "levels of a table": (levels, np.arange(1, 5000) / 5000),
    "random levels": (random_levels, RANDOM_TIMES),
    "a short burst": (burst, np.append(0.50001, 0.5 + np.arange(1, 400) * 2.5e-5)),
    "rounded": (lambda t: np.round(100 * np.sin(30 * t)), rises(STEPS / 100)),
}


def jumps_of(function):
    """What is found between 0 and 1 from 2049 samples on, without the times that the function names."""
    ahead = Ahead(lambda times: function(times)[:, None], "load")
    return value_jumps(Number(ahead, CloseUp(0.0, 1.0, ahead.over(0.0, 1.0, 2048)), 0))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_are_found(name):
    """To round-off of the time, 4 digits of which the remainder of 3000 t loses; sin 30 t is steep at its levels."""
    function, times = FUNCTIONS[name]
    found = jumps_of(function)
    assert not found.crowded
    assert len(found.jumps) == len(times)
    np.testing.assert_allclose([jump.t for jump in found.jumps], times, rtol=0, atol=1e-12)
    sizes = [float(function(np.array([t + 1e-10]))[0] - function(np.array([t - 1e-10]))[0]) for t in times]
    np.testing.assert_allclose([jump.jump for jump in found.jumps], sizes, atol=1e-6)


#: smooth, or with corners of the rate alone
SMOOTH = {
    "quick": lambda t: np.sin(1e6 * t),
    "steep": lambda t: np.tanh(1e4 * np.sin(3000 * t)),
    "lines": lambda t: np.interp(t, np.linspace(0, 1, 1900), np.sin(50 * np.linspace(0, 1, 1900))),
    "a thin bell": lambda t: np.exp(-(((t - 0.4) / 5e-5) ** 2)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_none_are_found(name):
    found = jumps_of(SMOOTH[name])
    assert found.jumps == []
    assert not found.crowded


def test_a_rough_function_is_told_at_a_limited_cost(monkeypatch):
    """More jumps than calls: what is left out is told, and the calls stay near their limit."""
    calls = []
    monkeypatch.setattr("flexbody.functions.ahead.BUDGET", 100_000)

    def rough(t):
        calls.append(len(t))
        return np.floor(1e12 * np.sin(1e7 * t)) % 3

    assert jumps_of(rough).crowded
    assert sum(calls) < 120_000
    ahead = Ahead(lambda t: t[:, None], "force 'F'")
    with pytest.warns(fb.FlexbodyWarning, match=r"force 'F'.*not all looked for.*shorter parts"):
        ahead.tell_crowded()


def pushed(force):
    body = fb.RigidBody("cart", 2.0, (1e-3, 1e-3, 1e-3))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    return fb.System([body], [rail], [fb.PointForce("push", body, lambda t: (force(t), 0, 0))])


@pytest.mark.parametrize("options", [{"step": 0.7}, {"integrator": fb.Explicit()}], ids=["fixed", "explicit"])
def test_more_than_two_thousand_jumps(options):
    """1500 pulses of 10 N and 0.3 s: v = sum F dt / m, and of each half of them; the force is constant between."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        run = fb.simulate(
            pushed(lambda t: 10.0 if t % 1.0 < 0.3 else 0.0),
            1500.0,
            output_step=750.4,
            show_progress=False,
            **options,
        )
    exact = 10.0 / 2.0 * (0.3 * np.floor(run.t) + np.minimum(run.t % 1.0, 0.3))
    np.testing.assert_allclose(run.velocity("cart")[:, 0], exact, rtol=1e-9)


class TestFunctionsThatKeepSomething:
    """What a function keeps between calls is as it was when the run begins, and the user is told."""

    @staticmethod
    def latch(kept):
        def force(t):
            if t > 0.5:
                kept["on"] = True
            return 4.0 if kept["on"] else 0.0

        return force

    def test_a_latch(self):
        """The rests of a run with fixed steps that divide 0.5 s: v = F t / m behind 0.5 s, within a step."""
        kept = {"on": False}
        machine = pushed(self.latch(kept))
        with pytest.warns(fb.FlexbodyWarning, match=r"'push'.* depend on t alone.*fb\.Controller.*period="):
            run = fb.simulate(machine, 1.0, step=0.01, show_progress=False)
        assert kept["on"]
        np.testing.assert_allclose(run.velocity("cart")[run.t < 0.49, 0], 0.0)
        assert run.velocity("cart")[-1, 0] == pytest.approx(4.0 / 2.0 * 0.5, abs=4.0 / 2.0 * 0.01)

    def test_the_law_of_an_element(self):
        """Its function is copied too."""
        kept = {"on": False}
        force = self.latch(kept)
        body = fb.RigidBody("cart", 2.0, (1e-3, 1e-3, 1e-3))
        rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
        element = fb.ForceElement("push", fb.Along(rail), fb.UserLaw(lambda t, x, rate: -force(t)))
        machine = fb.System([body], [rail], [element])
        with pytest.warns(fb.FlexbodyWarning, match=r"'push'.* depend on its arguments alone"):
            run = fb.simulate(machine, 1.0, integrator=fb.Explicit(max_step=0.01), show_progress=False)
        np.testing.assert_allclose(run.velocity("cart")[run.t < 0.45, 0], 0.0)

    @pytest.mark.parametrize("kind", ["global", "attribute", "object", "default", "nested", "random"])
    def test_each_way_to_keep_it(self, kind):
        """The search leaves the state of a function alone, wherever it is."""
        kept = {"calls": 0}

        class Counter:
            calls = 0

            def force(self, t):
                self.calls += 1
                return t

        counter, rng = Counter(), np.random.default_rng(3)

        def attribute(t):
            attribute.calls += 1
            return t

        attribute.calls = 0

        def default(t, kept=kept):
            kept["calls"] += 1
            return t

        def inner(t):
            kept["calls"] += 1
            return t

        functions = {
            "global": _counted,
            "attribute": attribute,
            "object": counter.force,
            "default": default,
            "nested": lambda t: inner(t),
            "random": lambda t: t + 0.0 * rng.normal(),
        }
        COUNTS["calls"] = 0
        law = scalar_law(functions[kind], 1.0, "actuator 'A'")
        before = [kept["calls"], counter.calls, attribute.calls, COUNTS["calls"], rng.bit_generator.state]
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert before == [
            kept["calls"],
            counter.calls,
            attribute.calls,
            COUNTS["calls"],
            rng.bit_generator.state,
        ]
        assert law.ahead.sample(np.array([0.25]))[0, 0] == 0.25

    def test_what_can_not_change_is_shared(self):
        """Machines and other objects of packages are not copied, wherever they are; a list that refers to itself is."""
        machine, kept = pushed(lambda t: 0.0), []
        kept.append(kept)

        class Holder:
            def __init__(self):
                self.machine, self.parts = machine, {"machine": machine, "kept": kept}

        holder = Holder()
        other = copied(lambda t: holder).__closure__[0].cell_contents
        assert other is not holder
        assert other.machine is machine
        assert other.parts["machine"] is machine
        assert other.parts["kept"] is not kept
        assert other.parts["kept"][0] is other.parts["kept"]

    def test_a_function_that_can_not_be_copied(self):
        """It is asked itself, and its jumps are found."""

        class Refuses:
            def __deepcopy__(self, memo):
                raise TypeError

            def __call__(self, t):
                return 1.0 * (t > 0.3)

        law = scalar_law(Refuses(), 1.0, "actuator 'A'")
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert [corner.t for corner in law.corners] == [pytest.approx(0.3, rel=1e-14)]

    @pytest.mark.parametrize("inside", [lambda one: one, lambda one: deque([(one,)])], ids=["held", "inside"])
    def test_what_the_end_of_an_object_frees(self, inside):
        """No copy of the object frees what the original needs: its function is asked itself."""
        freed = []

        class Partner:
            def __del__(self):
                freed.append(id(self))

        held = inside(Partner())

        def function(t):
            return 1.0 * (t > 0.3) if held else 0.0

        law = scalar_law(function, 1.0, "actuator 'A'")
        law.look_for_corners(0.0, 1.0, corners_of_load)
        assert copied(function) is function
        assert [corner.t for corner in law.corners] == [pytest.approx(0.3, rel=1e-14)]
        gc.collect()
        assert not freed

    def test_an_iteration_that_goes_on_passes_zero(self):
        """An iteration to 1e-9 of the largest value depends on the time alone, also where the value is 0."""
        calls = itertools.count()

        def sample(t):
            return np.sin(2 * np.pi * t)[:, None] + 1e-9 * (next(calls) % 2)

        with warnings.catch_warnings():
            warnings.simplefilter("error", fb.FlexbodyWarning)
            assert Ahead(sample, "force 'F'").over(0.0, 1.0, 2048) is not None
        times = np.linspace(0.0, 1.0, 2049)
        with pytest.warns(fb.FlexbodyWarning, match="depend on t alone"):
            assert Ahead(sample, "force 'F'").depends_on_more(times, sample(times) + 1e-5)


COUNTS = {"calls": 0}


def _counted(t):
    COUNTS["calls"] += 1
    return t


def test_a_slow_function():
    """It is called some hundred times instead of thousands, and told with what to do."""
    calls = []

    class Slow:
        def __deepcopy__(self, memo):
            return self

        def __call__(self, t):
            calls.append(t)
            begin = time.thread_time()
            while time.thread_time() - begin < 3e-4:
                pass
            return 1.0 * (t > 0.3)

    law = scalar_law(Slow(), 1.0, "actuator 'A'")
    with pytest.warns(fb.FlexbodyWarning, match=r"actuator 'A'.* ms.* 129 times.*0\.0078 s.*np\.interp"):
        law.look_for_corners(0.0, 1.0, corners_of_load)
    assert [corner.t for corner in law.corners] == [pytest.approx(0.3, rel=1e-14)]
    assert len(calls) < 2 * FEW_INTERVALS


@pytest.mark.parametrize(
    ("threads", "turns", "slow"),
    [(3, 1, False), (3, 12, True), (1, 1, True)],
    ids=["threads", "waits", "alone"],
)
def test_a_function_that_waits_for_other_threads_is_not_slow(threads, turns, slow, monkeypatch):
    """They hold the interpreter for some turns each; what waits longer, or alone, waits for something else."""
    monkeypatch.setattr(sys, "getswitchinterval", lambda: 5e-4)
    monkeypatch.setattr(threading, "active_count", lambda: threads)

    def sample(times):
        time.sleep(turns * 5e-4 * len(times))
        return np.zeros((len(times), 1))

    ahead = Ahead(sample, "load")
    ahead.over(0.0, 1.0, 2048 if slow else FEW_INTERVALS)
    assert ahead.slow is slow
