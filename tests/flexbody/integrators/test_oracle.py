"""Every integrator gives the same motion: our two, SciPy's and SUNDIALS' around the same compiled right-hand side.

The three families share no line of time integration: a mistake in one of ours, or a state, drive, constraint or
power that one of them forgets, shows here.
"""

import functools
import importlib.util
import warnings

import numpy as np
import pytest
import scipy
from support.varied import MACHINES, differences

import flexbody as fb

needs_sundials = pytest.mark.skipif(
    importlib.util.find_spec("sksundae") is None, reason="scikit-sundae is not installed"
)


@functools.cache
def run(name, integrator):
    system, t_end = MACHINES[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(system, t_end, integrator=integrator, output_step=t_end / 20, show_progress=False)


def agree(name, integrator, tolerance):
    """Everything that is computed: positions, deformations, velocities, accelerations, multipliers, states."""
    for quantity, difference in differences(run(name, integrator), run(name, fb.SciPy(rtol=1e-10))).items():
        assert difference < tolerance, quantity


@pytest.mark.parametrize("name", MACHINES)
class TestAgainstSciPy:
    """The reference is DOP853 at 1e-10; errors grow by less than a factor of 50 in these short motions.

    Accelerations of a flexible body amplify its positions by the squares of its frequencies over those of the motion:
    hundredfold for the rod that is spun up, whose tolerances are therefore those of positions times a hundred.
    """

    def test_explicit(self, name):
        agree(name, fb.Explicit(rtol=1e-9), 5e-8)

    def test_generalized_alpha(self, name):
        """rtol = 1e-6 of the path, times 50; accelerations of the rod as said."""
        agree(name, fb.GeneralizedAlpha(rtol=1e-6), 2e-4 if name == "spun_up" else 5e-5)

    @needs_sundials
    def test_sundials(self, name):
        """BDF of orders up to five makes some thousand steps of 1e-9 each."""
        agree(name, fb.Sundials(rtol=1e-9), 1e-5 if name == "spun_up" else 1e-6)

    def test_power_and_energy(self, name):
        """Dissipated and input energy are integrated along: the balance closes to the tolerances."""
        result = run(name, fb.SciPy(rtol=1e-10))
        assert result.energy.balance_error < 1e-7
        assert run(name, fb.Explicit(rtol=1e-9)).energy.balance_error < 1e-6


@pytest.mark.parametrize("method", ["Radau", "BDF", "RK45", "RK23"])
def test_other_methods_of_scipy(method):
    """A motor and a visco-elastic spring: with derivatives by differences where the method is implicit.

    Errors of some hundred steps at rtol = 1e-7; the two of low order must make thousands.
    """
    agree("with_states", fb.SciPy(getattr(scipy.integrate, method), rtol=1e-7), 5e-5)


@needs_sundials
def test_adams():
    agree("spatial", fb.Sundials(stiff=False, rtol=1e-9), 1e-5)


class TestUse:
    def test_files(self, tmp_path):
        """States stream to a file and come back, as with any integrator."""
        system, t_end = MACHINES["with_states"]()
        path = tmp_path / "run.h5"
        result = fb.simulate(
            system, t_end, integrator=fb.SciPy(rtol=1e-6), output_step=0.1, save=path, show_progress=False
        )
        loaded = fb.load_result(path)
        np.testing.assert_array_equal(loaded.law_states, result.law_states)
        assert loaded.statistics == result.statistics
        assert loaded.statistics.method == "SciPy(DOP853, rtol=1e-06)"
        assert loaded.statistics.why == "it was asked for"

    def test_package_that_is_missing(self, monkeypatch):
        import sys

        monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
        with pytest.raises(fb.InputError, match="pip install scikit-sundae"):
            fb.simulate(MACHINES["spatial"]()[0], 0.1, integrator=fb.Sundials(), show_progress=False)

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (
                lambda: fb.SciPy("Radau"),
                "'Radau'; give one of the classes scipy.integrate.DOP853, scipy.integrate.RK45",
            ),
            (
                lambda: fb.SciPy(scipy.integrate.OdeSolver),
                "OdeSolver'>; give one of the classes scipy.integrate.DOP853",
            ),
            (lambda: fb.Sundials(stiff="Adams"), "Sundials: stiff must be True or False, not 'Adams'"),
            (lambda: fb.SciPy(rtol=1e-16), "below round-off"),
            (lambda: fb.SciPy(max_step=0.0), "max_step is 0.0"),
        ],
    )
    def test_bad_settings(self, make, message):
        with pytest.raises(fb.InputError, match=message):
            make()

    def test_a_step_is_refused(self):
        with pytest.raises(
            fb.InputError, match=r"step=0\.001: SciPy chooses its steps; give SciPy\(max_step=\)"
        ):
            fb.simulate(MACHINES["spatial"]()[0], 0.1, integrator=fb.SciPy(), step=1e-3)

    def test_a_stepper_refuses(self):
        with pytest.raises(fb.InputError, match="steps with Automatic, GeneralizedAlpha or Explicit"):
            fb.Stepper(MACHINES["spatial"]()[0], integrator=fb.SciPy())

    @pytest.mark.parametrize(
        "integrator",
        [fb.SciPy(), fb.SciPy(scipy.integrate.Radau), pytest.param(fb.Sundials(), marks=needs_sundials)],
        ids=["DOP853", "Radau", "SUNDIALS"],
    )
    def test_a_run_that_fails_says_why(self, integrator):
        """A load that is not a number from 0.5 s on: it is named, and what was computed is kept."""
        ball = fb.RigidBody("ball", 1.0, (0.1, 0.1, 0.1))
        load = fb.PointForce("gust", ball, lambda t: (1.0 if t < 0.5 else np.nan, 0.0, 0.0))
        with pytest.raises(fb.InputError, match="PointForce 'gust'") as caught:
            fb.simulate(fb.System([ball], forces=[load]), 1.0, integrator=integrator, show_progress=False)
        assert 0.49 < caught.value.result.t[-1] < 0.5 + 1e-9
