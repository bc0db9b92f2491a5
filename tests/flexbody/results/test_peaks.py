"""The largest forces of a run between its stored states: against a closed form, in files and in plots."""

import numpy as np
import pytest
import scipy.optimize

import flexbody as fb

MASS, HEIGHT, STIFFNESS, GRAVITY = 1.0, 0.1, 1e7, 9.81


def falling(**options) -> fb.System:
    """A ball that falls on the ground by HEIGHT; Hertz's law with the default exponent 3/2, without losses."""
    ball = fb.RigidBody("ball", MASS, (4e-3,) * 3, center=(0, 0, 0.1 + HEIGHT))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=STIFFNESS, **options)
    return fb.System([ball], forces=[floor], gravity=(0, 0, -GRAVITY))


def largest_force() -> float:
    """The force at the deepest place d, by the energy: m g (h + d) = k d^2.5 / 2.5."""

    def left(d: float) -> float:
        return MASS * GRAVITY * (HEIGHT + d) - STIFFNESS * d**2.5 / 2.5

    return STIFFNESS * scipy.optimize.brentq(left, 1e-6, 1e-1) ** 1.5


@pytest.fixture(scope="module")
def run():
    return fb.simulate(falling(), 0.2, output_step=0.01, show_progress=False)


def test_the_peak_is_that_of_the_closed_form_where_no_state_shows_it(run):
    """0.5 %: half a step, of about a tenth of the contact, beside the top of half a sine."""
    history = run.element("floor")
    assert np.abs(history.force).max() < 0.5 * largest_force()
    assert history.peak.force == pytest.approx(largest_force(), rel=5e-3)
    # falls for sqrt(2 h / g), and touches for half of about 2.94 d / v (Hertz; Johnson, Contact Mechanics, 11.24)
    deepest = (largest_force() / STIFFNESS) ** (1 / 1.5)
    touch = np.sqrt(2 * HEIGHT / GRAVITY)
    assert history.peak.t == pytest.approx(touch + 1.47 * deepest / (GRAVITY * touch), abs=2e-4)


def test_the_explicit_method_finds_the_same_peak():
    """Its steps are longer: 2 % is the drop of half a sine at 1/16 of its length from the top."""
    other = fb.simulate(
        falling(), 0.2, output_step=0.01, integrator=fb.Explicit(rtol=1e-8), show_progress=False
    )
    assert other.element("floor").peak.force == pytest.approx(largest_force(), rel=2e-2)


def test_files_keep_peaks(run, tmp_path):
    run.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    assert loaded.element("floor").peak == run.element("floor").peak


def test_runs_with_events_say_none():
    late = fb.Event("late", lambda state: state.t - 0.14)
    found = fb.simulate(falling(), 0.15, events=[late], show_progress=False)
    assert found.element("floor").peak is None


def test_plots_mark_the_peak(run):
    """A triangle at its place with words in the legend, in the default plot and in that of the element."""
    peak = run.element("floor").peak
    for figure in (fb.plot(run), fb.plot(run.element("floor")), fb.plot(run, show=["floor"])):
        (mark,) = (line for ax in figure.axes for line in ax.lines if line.get_marker() == "^")
        np.testing.assert_allclose(np.ravel(mark.get_xydata()), [peak.t * 1e3, peak.force])
        words = [text.get_text() for text in mark.axes.get_legend().get_texts()]
        assert any("between stored states" in text and f"peak {peak.force:.4g} N" in text for text in words)
        assert mark.axes.get_ylim()[1] > peak.force


def test_a_peak_that_a_state_shows_is_not_marked():
    fine = fb.simulate(falling(), 0.2, output_step=1e-4, show_progress=False)
    assert not any(line.get_marker() == "^" for ax in fb.plot(fine).axes for line in ax.lines)
