"""A picture at the time of a peak draws the force of the peak, which lies between the stored states."""

from dataclasses import replace

import numpy as np
import pytest

import flexbody as fb
from flexbody.view import pictures
from flexbody.view.stage import Stage

MASS, STIFFNESS, SPEED, CAUGHT = 1.0, 4e6, 3.0, 0.02
#: v sqrt(k m), and a quarter of a period later than the catch
FORCE, QUARTER = SPEED * np.sqrt(STIFFNESS * MASS), 0.5 * np.pi * np.sqrt(MASS / STIFFNESS)


def caught() -> fb.System:
    """A body that a stop without losses catches and throws back between two stored states."""
    body = fb.RigidBody("body", MASS, (0.01,) * 3, velocity=(SPEED, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    stop = fb.Limit("stop", guide, upper=SPEED * CAUGHT, stiffness=STIFFNESS, exponent=1.0)
    return fb.System([body], [guide], [stop])


@pytest.fixture(scope="module")
def run():
    return fb.simulate(
        caught(), 0.05, output_step=0.0125, integrator=fb.Explicit(rtol=1e-10), show_progress=False
    )


@pytest.fixture
def drawn(monkeypatch):
    """The stages that pictures make."""
    made = []

    class Kept(Stage):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            made.append(self)

    monkeypatch.setattr(pictures, "Stage", Kept)
    return made


def arrow(stage) -> float:
    """The largest force that is drawn, N."""
    return stage.scene.arrows.force


@pytest.mark.parametrize("forces", [["stop"], True])
def test_the_arrow_is_that_of_the_peak(run, drawn, forces):
    """Of the run to 2e-5, of the picture to what the default method has when it computes the state again."""
    peak = run.element("stop").peak
    assert abs(peak.force) == pytest.approx(FORCE, rel=2e-5)
    assert np.abs(run.element("stop").force).max() < 1e-3 * FORCE
    fb.picture(run, time=peak.t, forces=forces, size=(160, 90))
    fb.picture(run, time=peak.t + 0.3 * QUARTER, forces=forces, size=(160, 90))
    assert arrow(drawn[0]) == pytest.approx(FORCE, rel=1e-3)
    assert arrow(drawn[1]) < 1e-3 * FORCE  # interpolated, as between any other states


def test_so_it_is_of_a_run_from_a_file_and_behind_an_event(tmp_path, drawn):
    """The event that switches the stop on is stored as two states; the peak lies behind them."""
    catch = fb.Event("catch", lambda state: state.t - CAUGHT, then=fb.Switch(on=["stop"]))
    run = fb.simulate(
        caught(), 0.05, output_step=0.0125, events=[catch], switched_off=["stop"], show_progress=False
    )
    run.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    fb.picture(loaded, time=loaded.element("stop").peak.t, forces=True, size=(160, 90))
    assert arrow(drawn[0]) == pytest.approx(FORCE, rel=5e-3)


def test_where_the_state_is_not_found_again_it_is_told(run):
    """The run says twice the force that its machine has."""
    force, t, *moment = run.peaks["stop"]
    wrong = replace(run, peaks={"stop": (2 * force, t, *moment)})
    with pytest.warns(
        fb.FlexbodyWarning, match="interpolated between the stored states at 0.0125 and 0.025 s"
    ):
        fb.picture(wrong, time=t, forces=True, size=(160, 90))
