"""Users' functions of time: compiled, called back, differentiated, and what becomes of their faults."""

import ctypes
import ctypes.util
import math

import numpy as np
import pytest

import flexbody as fb
from flexbody.core.time_laws import call
from flexbody.functions.differences import best_step, check_derivative, differences
from flexbody.functions.function_pointers import c_address, drive_law, load_law, scalar_law
from flexbody.functions.samples import MotionSamples, Samples
from flexbody.functions.with_numba import has_numba


def through_pointer(law, t: float) -> list[float]:
    """What the compiled loop gets."""
    return list(call(law.pair, t))


def smooth(t):
    return 0.3 * math.sin(5.0 * t) + t * t


TABLE = {"gain": 0.3}  # numba can't compile a look-up in a dictionary


def looked_up(t):
    return TABLE["gain"] * math.sin(5.0 * t) + t * t


def smooth_rate(t):
    return 1.5 * math.cos(5.0 * t) + 2 * t


def smooth_acceleration(t):
    return -7.5 * math.sin(5.0 * t) + 2


EXACT = (smooth, smooth_rate, smooth_acceleration)


@pytest.mark.parametrize("function", [smooth, looked_up])
@pytest.mark.parametrize("given", [0, 1, 2])
def test_drive_law_gives_value_rate_and_acceleration(function, given):
    rate, acceleration = (smooth_rate, None) if given else (None, None)
    law = drive_law(function, rate, smooth_acceleration if given == 2 else acceleration, 2.0, "drive 'd'")
    # without derivatives, and with both, all are recorded, a look-up in a dictionary as well; with one of them the
    # other is found by differences, of a function that numba compiles where it is there and can
    assert law.compiled == (given != 1 or (function is smooth and has_numba()))
    # differences of a smooth function: round-off over the step, some 1e-10 for the first derivative
    tolerances = (1e-14, 1e-14, (1e-14, 1e-9, 1e-14)[given])
    for t in (0.0, 1e-3, 0.7, 1.999, 2.0):
        values = through_pointer(law, t)
        assert values == pytest.approx(list(law(t)), abs=1e-7)
        for value, exact, tolerance in zip(values, EXACT, tolerances, strict=True):
            assert value == pytest.approx(exact(t), abs=8 * tolerance)


@pytest.mark.parametrize("t_end", [0.01, 1.0, 20.0, 1000.0])
def test_differences_find_the_functions_own_time_scale(t_end):
    """A 50 Hz oscillation: its rate to 1e-6 however long the run, also where t_end / 16 is whole periods."""
    omega = 2 * np.pi * 50
    # a function that compares can't be differentiated
    law = drive_law(lambda t: math.sin(omega * t) if t < 2e3 else 0.0, None, None, t_end, "drive 'd'")
    t = np.linspace(0, t_end, 57)
    got = np.array([through_pointer(law, x) for x in t])
    np.testing.assert_allclose(got[:, 1] / omega, np.cos(omega * t), atol=1e-6)
    np.testing.assert_allclose(got[:, 2] / omega**2, -np.sin(omega * t), atol=1e-3)


def test_differences_are_of_fourth_order():
    errors = []
    for step in (0.02, 0.01):
        first, second = differences(np.sin, 1.0, step, 0.0, 2.0)
        errors.append((abs(first - np.cos(1.0)), abs(second + np.sin(1.0))))
    order = np.log2(np.array(errors[0]) / np.array(errors[1]))
    np.testing.assert_allclose(order, 4.0, atol=0.1)


@pytest.mark.parametrize("t", [0.0, 0.013, 1.0, 1.99, 2.0, -0.01])
def test_differences_are_exact_for_quartics_and_stay_within_the_run(t):
    asked = []

    def quartic(x):
        asked.append(x)
        return 3 * x**4 - x**3 + 2 * x**2 - 5 * x + 1

    first, second = differences(quartic, t, 0.05, 0.0, 2.0)
    assert first == pytest.approx(12 * t**3 - 3 * t**2 + 4 * t - 5, abs=1e-11)
    assert second == pytest.approx(36 * t**2 - 6 * t + 4, abs=1e-9)
    assert min(asked) >= 0
    assert max(asked) <= 2.0 + 1e-15


@pytest.mark.parametrize("given", [0, 1, 2])
@pytest.mark.parametrize("t", [-1e-3, 0.0, 1e-3, 0.7, 1.999, 2.0])
def test_a_drive_that_is_called_back_is_differentiated_as_in_python(given, t):
    """To the bit, at the ends and before the start too."""

    def compared(function):
        return lambda t: function(t) if t < 9.0 else TABLE["gain"]

    law = drive_law(*(compared(f) if k <= given else None for k, f in enumerate(EXACT)), 2.0, "drive 'd'")
    assert not law.compiled  # what reads a table is called each time, with numba too
    assert through_pointer(law, t) == list(law(t))


def _c_sine():
    """The sine of the C library, as ctypes knows it."""
    name = ctypes.util.find_library("m") or ctypes.util.find_library("msvcrt")
    if name is None:
        pytest.skip("no library of mathematics is found")
    sine = ctypes.CDLL(name).sin
    sine.argtypes, sine.restype = [ctypes.c_double], ctypes.c_double
    return sine


@pytest.mark.parametrize("t", [-0.2, 0.0, 0.3, 1.0, 1.0 + 1e-15])
def test_a_c_function_is_called_by_its_address(t):
    """Before the start it is reflected, 2 f(0) - f(-t), as every function is."""
    sine = _c_sine()
    law = scalar_law(sine, 1.0, "force")
    assert law.compiled
    assert c_address(sine) == ctypes.cast(sine, ctypes.c_void_p).value
    assert through_pointer(law, t) == [math.sin(min(t, 1.0)), 0.0, 0.0]
    assert list(law(t)) == [math.sin(min(t, 1.0)), 0.0, 0.0]


def test_a_c_function_drives_a_mass():
    """m x'' = sin t from rest: x = t - sin t over m, also where it is the input of a force element."""
    for force in (
        lambda mass: fb.SpringDamper(
            "push", fb.GROUND, mass, stiffness=0.0, damping=0.0, first_point=(-1, 0, 0), force=_c_sine()
        ),
        lambda mass: fb.ForceElement(
            "push",
            fb.Line(fb.GROUND, mass, first_point=(-1, 0, 0)),
            fb.HydraulicActuator(1.0, pressure=_c_sine()),
        ),
    ):
        mass = fb.RigidBody("mass", 2.0, (1.0, 1.0, 1.0))
        result = fb.simulate(fb.System([mass], [], [force(mass)]), 1.0, step=1e-3, show_progress=False)
        assert abs(result.c[-1, 0, 0]) == pytest.approx((1.0 - math.sin(1.0)) / 2.0, rel=1e-5)


def test_a_c_function_of_another_kind_is_not_taken_by_its_address():
    sine = _c_sine()
    sine.restype = ctypes.c_float
    assert c_address(sine) is None
    assert c_address(math.sin) is None


def test_best_step_where_a_function_stops_being_a_number():
    """The step suits the part before: there its derivatives are known to the same digits, and the run comes so far."""

    def stops(t):
        return np.sin(20.0 * t) if t <= 0.5 else np.nan

    step = best_step(stops, 1.0, 2)
    assert 4 * step < 0.1  # five values from 0 on
    first, second = differences(stops, 0.3, step, 0.0, 1.0)
    np.testing.assert_allclose((first, second), (20 * np.cos(6.0), -400 * np.sin(6.0)), rtol=1e-4)


def test_best_step_of_a_straight_line_is_long():
    """Nothing is gained by a short step, which only brings round-off."""
    assert best_step(lambda t: 3.0 * t, 2.0, 2) > 0.01


def test_functions_are_asked_within_the_run_only():
    """A drive defined from 0 on, such as t^1.5, and a table that ends with the run."""
    asked = []

    def table(t):
        asked.append(t)
        if not 0 <= t <= 1:
            raise ValueError("outside the table")
        return t**1.5

    law = drive_law(table, None, None, 1.0, "drive 'd'")
    assert not law.compiled or law.error is None
    for t in (-1e-3, 0.0, 0.5, 1.0, 1.0 + 1e-16):
        assert np.isfinite(through_pointer(law, t)).all()
    assert law.error is None
    assert min(asked) >= 0


def test_before_the_start_functions_are_reflected():
    """2 f(0) - f(-t): the slope at 0 goes on, so that differences around the start see it."""
    law = scalar_law(lambda t: 2.0 + 3.0 * t + np.sqrt(t), 1.0, "force")
    assert through_pointer(law, -0.04)[0] == pytest.approx(2.0 - 3 * 0.04 - 0.2)


@pytest.mark.parametrize("form", [tuple, list, np.array])
def test_load_law_takes_any_three_numbers(form):
    law = load_law(lambda t: form((1.0, 2.0 * t, 0.0)), 1.0, "PointForce 'f'")
    assert through_pointer(law, 0.5) == [1.0, 1.0, 0.0]


def test_integers_and_mixed_kinds():
    law = load_law(lambda t: (1, 0, 2 * t), 1.0, "PointForce 'f'")
    assert through_pointer(law, 0.25) == [1.0, 0.0, 0.5]


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda t: 1 / 0, "ZeroDivisionError"),
        (lambda t: math.nan, "gives value nan"),
        (lambda t: "much", "could not convert string"),
        (lambda t: 1j, "TypeError"),
        (lambda: 0.0, "TypeError"),
    ],
)
def test_a_fault_at_the_start_is_named(function, says):
    with pytest.raises(fb.InputError, match=rf"drive 'd': the function .*{says}"):
        drive_law(function, None, None, 1.0, "drive 'd'")


@pytest.mark.parametrize("value", [(1.0, 2.0), 3.0, ((1.0, 2.0, 3.0),)])
def test_a_load_without_three_components_is_named(value):
    with pytest.raises(fb.InputError, match=r"PointForce 'f'.*three components"):
        load_law(lambda t: value, 1.0, "PointForce 'f'")


def test_an_exception_in_a_callback_is_kept():
    def fails(t):
        if t > 0.5:
            raise RuntimeError(f"no value, {TABLE}")
        return 0.0

    law = scalar_law(fails, 1.0, "force")
    assert not law.compiled
    assert law.complaint(0.0) is None
    assert np.isnan(through_pointer(law, 0.75)).all()
    complaint = law.complaint(0.0)
    assert isinstance(complaint, fb.InputError)
    assert "force: the function fails at t = 0.75 s with RuntimeError: no value" in str(complaint)
    assert isinstance(complaint.__cause__, RuntimeError)


@pytest.mark.skipif(not has_numba(), reason="numba is not installed: such functions are called back")
def test_an_exception_in_compiled_code_is_found_again(capfd):
    """numba prints it and goes on with what was in the result before; here it gives NaN."""

    def fails(t):
        if 0.6 < t < 0.7:
            raise ValueError("not there")
        return 1.0

    law = scalar_law(fails, 1.0, "force")
    assert law.compiled
    assert np.isnan(through_pointer(law, 0.65)).all()
    assert through_pointer(law, 0.75) == [1.0, 0.0, 0.0]
    assert "force: the function fails at t = 0.65 s with ValueError: not there" in str(law.complaint(0.65))
    assert capfd.readouterr().err == ""


def test_nan_is_traced_to_its_time():
    law = load_law(lambda t: (0.0, math.nan if t > 0.9 and t < 0.95 else 0.0, 0.0), 1.0, "PointForce 'f'")
    assert "PointForce 'f': the function gives 0, nan, 0 at t = 0.93 s" in str(law.complaint(0.1, 0.93))


def test_compiled_functions_that_mean_something_else_are_called_back():
    """numba's integers overflow where Python's grow."""
    law = scalar_law(lambda t: float((3 + int(t)) ** 50) * 1e-20, 1.0, "force")
    assert through_pointer(law, 0.5)[0] == pytest.approx(3.0**50 * 1e-20)


def test_what_a_law_looks_at_is_looked_at_each_time():
    """A force that reads what another part of the program writes, as a controller does, is not recorded."""
    command = [1.0]
    law = scalar_law(lambda t: command[0] * np.cos(t), 1.0, "force")
    load = load_law(lambda t: (command[0] * t, 0.0, 0.0), 1.0, "PointForce 'f'")
    command[0] = 3.0
    assert through_pointer(law, 0.5)[0] == 3.0 * np.cos(0.5)
    assert through_pointer(load, 0.5) == [1.5, 0.0, 0.0]


PUSH = 1.0


def test_a_number_that_changes_after_it_was_recorded_is_told(monkeypatch):
    """A recorded function takes numbers once; a script that changes one of them expects more."""
    import flexbody as fb

    gain = 0.5
    elements = [
        lambda axis: fb.ForceElement("push", fb.Along(axis), fb.Linear(force=lambda t: PUSH * t)),
        lambda axis: fb.ForceElement("push", fb.Along(axis), fb.UserLaw(lambda t, x, rate: PUSH + gain * x)),
    ]
    for element in elements:
        block = fb.RigidBody("block", 1.0, (0.1, 0.1, 0.1))
        guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="x")
        stepper = fb.Stepper(fb.System([block], [guide], [element(guide)]), step=1e-3)
        stepper.advance(0.1)
        with monkeypatch.context() as patch:
            patch.setitem(globals(), "PUSH", 5.0)
            with pytest.raises(
                fb.InputError, match=r"'push'.* reads 'PUSH', which was 1.0 .* and is 5.0 now"
            ):
                stepper.advance(0.1)


def test_steady_functions_of_time_are_recorded():
    """Numbers, functions, NumPy and math: what can't change between two calls."""
    gain, offset = 2.0, (0.5, 1.0)
    helper = lambda t: gain * np.sin(t)  # noqa: E731
    assert scalar_law(lambda t: helper(t) + offset[1] + np.pi, 1.0, "force").compiled
    assert load_law(lambda t: (helper(t), 0.0, math.cos(t)), 1.0, "PointForce 'f'").compiled


class TestSamples:
    t = np.array([0.0, 0.1, 0.35, 0.4])

    def test_given_values_to_the_bit(self):
        numbers = np.column_stack([np.sin(self.t) / 3, np.cos(self.t) / 3, -np.sin(self.t) / 3])
        for order in range(3):
            law = MotionSamples(self.t, numbers, order)
            assert [law(x) for x in self.t] == list(numbers[:, order])

    def test_polynomials_of_degree_5_are_exact_in_between(self):
        """And the rate and the acceleration are their derivatives."""
        f = np.polynomial.Polynomial([0.3, -1.0, 2.0, 1.0, -3.0, 4.0])
        parts = [f.deriv(k) if k else f for k in range(3)]
        numbers = np.column_stack([part(self.t) for part in parts])
        for order, part in enumerate(parts):
            law = MotionSamples(self.t, numbers, order)
            x = np.linspace(0, 0.4, 23)
            # round-off of values of size 1 over the shortest interval, 0.05, to the power of the derivative
            np.testing.assert_allclose([law(t) for t in x], part(x), atol=30 * 2e-16 / 0.05**order)

    def test_derivatives_belong_to_the_value_whatever_the_numbers_are(self):
        law = [MotionSamples(self.t, [[0, 1, 0], [3, -2, 9], [1, 0, -7], [2, 2, 2]], k) for k in range(3)]
        for t in (0.03, 0.2, 0.38):
            for of, rate in ((0, 1), (1, 2)):
                change = (law[of](t + 1e-6) - law[of](t - 1e-6)) / 2e-6
                assert change == pytest.approx(
                    law[rate](t), rel=1e-6
                )  # h^2 (1e-12) times derivatives / 0.05^3

    def test_round_off_of_values_between_close_times_moves_nothing(self):
        """Values of size 1 at times 2e-13 s apart: their last bit over this time is 1e-3, and over its square 5e9."""
        t = 1.0 + np.array([0.0, 2e-13, 4e-13])
        numbers = np.column_stack([1.0 + 3.0 * (t - 1.0), 3.0 + 5.0 * (t - 1.0), [5.0] * 3])
        rate, acceleration = (MotionSamples(t, numbers, order)(t[0] + 1e-13) for order in (1, 2))
        assert (rate, acceleration) == (pytest.approx(3.0, rel=1e-12), pytest.approx(5.0, rel=1e-12))

    def test_straight_lines_and_ends(self):
        law = Samples(self.t, np.column_stack([self.t, 2 * self.t]))
        np.testing.assert_allclose(law(0.2), [0.2, 0.4], rtol=1e-14)
        np.testing.assert_array_equal(law(9.0), [0.4, 0.8])
        np.testing.assert_array_equal(law(-9.0), [0.0, 0.0])

    def test_a_jump_is_given_by_a_time_twice(self):
        law = Samples([0.0, 1.0, 1.0, 2.0], [0.0, 1.0, 5.0, 6.0])
        assert [law(t) for t in (0.5, 1.0, 1.5)] == [0.5, 1.0, 5.5]

    def test_one_time_only(self):
        assert MotionSamples([0.0], [[2.5, 1.0, 0.0]])(0.3) == 2.5


@pytest.mark.parametrize("share", [0.2, 0.05, 0.02])
def test_derivatives_of_a_motion_that_mostly_rests(share):
    """A smooth step of 1 rad in a small part of the run: its largest rate is 15/8 over the time that it takes."""
    t_end, start = 10.0, 1.0
    length = share * t_end

    def angle(t):
        x = min(max((t - start) / length, 0.0), 1.0)
        return x * x * x * (10.0 - 15.0 * x + 6.0 * x * x)

    law = drive_law(angle, None, None, t_end, "drive 'step'")
    middle = start + 0.5 * length
    # the law's differences are O(step^4), and the step is found to a factor of two
    assert law(middle)[1] == pytest.approx(1.875 / length, rel=1e-4)
    assert law(5.0)[1:] == pytest.approx((0.0, 0.0), abs=1e-9)


RECORDED = {
    "numpy": (lambda t: 0.3 * np.sin(7 * t) ** 2 + np.exp(-t) / (1 + t**3), 1e-12),
    "math": (lambda t: math.atan2(math.sin(3 * t), 2 + math.cos(t)) * math.pi, 1e-12),
    "roots": (lambda t: np.sqrt(1 + t) * math.tanh(5 * t - 2) - abs(t + 1) ** 1.5, 1e-12),
    "powers": (lambda t: 2.0**t - t**4 / 4 + math.log(2 + t), 1e-12),
}


@pytest.mark.parametrize("which", RECORDED)
def test_drives_are_differentiated_exactly(which):
    """Against 50 digits (mpmath's differences are exact to more than double precision)."""
    mpmath = pytest.importorskip("mpmath")
    words = {
        "numpy": lambda t: 0.3 * mpmath.sin(7 * t) ** 2 + mpmath.exp(-t) / (1 + t**3),
        "math": lambda t: mpmath.atan2(mpmath.sin(3 * t), 2 + mpmath.cos(t)) * mpmath.pi,
        "roots": lambda t: mpmath.sqrt(1 + t) * mpmath.tanh(5 * t - 2) - abs(t + 1) ** 1.5,
        "powers": lambda t: mpmath.mpf(2) ** t - t**4 / 4 + mpmath.log(2 + t),
    }[which]
    function, tolerance = RECORDED[which]
    law = drive_law(function, None, None, 2.0, "drive 'd'")
    assert law.compiled
    with mpmath.workdps(50):
        for t in (0.0, 0.37, 1.1, 2.0):
            exact = [float(mpmath.diff(words, mpmath.mpf(t), n)) for n in (0, 1, 2)]
            np.testing.assert_allclose(law(t), exact, rtol=tolerance, atol=tolerance)
            np.testing.assert_allclose(call(law.pair, t), exact, rtol=tolerance, atol=tolerance)


def test_before_the_start_a_recorded_function_is_reflected():
    """2 f(0) - f(-t): value, rate and acceleration of sin(t) + t^2 at t = -0.1."""
    law = drive_law(lambda t: np.sin(t) + t**2, None, None, 1.0, "drive 'd'")
    exact = (-np.sin(0.1) - 0.01, np.cos(0.1) + 0.2, np.sin(0.1) - 2.0)
    np.testing.assert_allclose(law(-0.1), exact, rtol=1e-12)


def test_what_compares_is_taken_by_differences():
    law = drive_law(lambda t: np.sin(t) if t < 5 else 0.0, None, None, 1.0, "drive 'd'")
    np.testing.assert_allclose(law(0.5), (np.sin(0.5), np.cos(0.5), -np.sin(0.5)), rtol=1e-5)


@pytest.mark.parametrize(
    ("velocity", "acceleration", "what"),
    [
        (lambda t: 4.0 * np.cos(5.0 * t), None, "velocity= is not the derivative of its function"),
        (lambda t: -5.0 * np.cos(5.0 * t), None, "velocity= is not"),
        (
            lambda t: 5.0 * np.cos(5.0 * t),
            lambda t: 25.0 * np.sin(5.0 * t),
            "acceleration= is not the derivative",
        ),
    ],
)
def test_a_derivative_that_is_none_is_refused(velocity, acceleration, what):
    """A factor, a sign: the motion would be right, and forces and energies wrong without a word."""
    with pytest.raises(fb.InputError, match=rf"drive 'd': {what}.*differences give"):
        drive_law(lambda t: np.sin(5.0 * t), velocity, acceleration, 2.0, "drive 'd'")


@pytest.mark.parametrize("t_end", [1e-3, 1.0, 1e3])
def test_a_derivative_of_a_table_is_not_doubted(t_end):
    """Straight lines between forty points a period, with the smooth function's derivative; kinks; very fast motions."""
    x = np.linspace(0, 2, 81)
    for function, rate in (
        (lambda t: np.interp(t % 2, x, np.sin(5 * x)), lambda t: 5.0 * np.cos(5.0 * (t % 2))),
        (lambda t: abs(t - 0.4), lambda t: 1.0 if t > 0.4 else -1.0),
        (lambda t: np.sin(900.0 * t), lambda t: 900.0 * np.cos(900.0 * t)),
        (lambda t: 1.0, lambda t: 0.0),
        (lambda t: 1e6 + t, lambda t: 1.0),
    ):
        check_derivative(function, rate, t_end, "d")
