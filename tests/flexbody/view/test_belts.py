"""Belts and their forces in pictures, and the forces of teeth with backlash: where they act, along their lines."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.view.geometry.motion import Motion
from flexbody.view.scenes import machine
from flexbody.view.scenes.forces import Arc, Arrow
from flexbody.view.symbols import belts
from flexbody.view.symbols.sketch import Sketch

LARGE, SMALL, DISTANCE = 0.2, 0.1, 0.5


@pytest.fixture(scope="module")
def run():
    """An open belt of two pulleys, of which a moment turns one."""
    pulleys = [
        fb.RigidBody(name, 1.0, (0.01,) * 3, center=(x, 0, 0))
        for name, x in (("one", 0.0), ("two", DISTANCE))
    ]
    shafts = [fb.Revolute(f"{b.name} shaft", fb.GROUND, b, point=b.center, axis="z") for b in pulleys]
    spans = fb.belt("belt", shafts, (LARGE, SMALL), stiffness=1e5, pretension=200.0)
    machine_ = fb.System(pulleys, shafts, [*spans, fb.PointMoment("motor", pulleys[0], (0, 0, 5.0))])
    return fb.simulate(machine_, 0.05, step=1e-3, show_progress=False)


def test_spans_and_arcs_of_an_open_belt_are_one_closed_line(run):
    """Each arc begins where a span ends, lies on its pulley, and the length is that of the textbook."""
    sketch = Sketch(run, Motion(run), 1.0)
    spans = run.system.elements
    arcs = [belts.arc(sketch, span, after) for span, after in zip(spans, spans[::-1], strict=True)]
    length = 0.0
    for span, after, arc, radius in zip(spans, spans[::-1], arcs, (SMALL, LARGE), strict=True):
        a, b = span.touched(sketch.bodies)
        np.testing.assert_allclose(arc[[0, -1]], [b, after.touched(sketch.bodies)[0]], atol=1e-12)
        center = [DISTANCE, 0, 0] if radius == SMALL else [0, 0, 0]
        np.testing.assert_allclose(np.linalg.norm(arc - center, axis=1), radius, rtol=1e-12)
        length += np.linalg.norm(b - a) + np.linalg.norm(np.diff(arc, axis=0), axis=1).sum()
    more, sine = LARGE + SMALL, (LARGE - SMALL) / DISTANCE
    # Shigley, equation (17-3) of open belts, with the angle of wrap pi + 2 asin((D - d) / 2 C)
    expected = 2 * DISTANCE * np.sqrt(1 - sine**2) + np.pi * more + 2 * (LARGE - SMALL) * np.arcsin(sine)
    assert length == pytest.approx(expected, rel=1e-3)  # chords of about 1/24 rad are shorter by 1e-4
    assert len(belts.parts_of_span(sketch, spans[0])) == 2


def test_a_rope_that_ends_on_its_drum_has_no_arc(run):
    pulleys, shafts, (first, _) = run.system.bodies, run.system.joints, run.system.elements
    alone = fb.simulate(fb.System(pulleys, shafts, [first]), 1e-3, step=1e-3, show_progress=False)
    sketch = Sketch(alone, Motion(alone), 1.0)
    assert len(belts.parts_of_span(sketch, first)) == 1


def starts_and_forces(run, name):
    """Return the starts of the only arrow of an element at the last time, and the force, (3,)."""
    parts = [part for part in machine.scene_of(run, forces=[name]).parts if isinstance(part, Arrow | Arc)]
    (arrow,) = parts  # and no moment
    poses = machine.scene_of(run, forces=[name]).motion.at(run.t[-1])
    return arrow.start(poses) - arrow.offset, poses[arrow.name].alpha


def test_the_tension_pulls_where_the_belt_reaches_its_pulley(run):
    """The arrow is a tangent of the pulley along the span."""
    for span, radius, center in zip(run.system.elements, (SMALL, LARGE), (DISTANCE, 0.0), strict=True):
        start, force = starts_and_forces(run, span.name)
        arm = start - [center, 0, 0]
        assert np.linalg.norm(arm) == pytest.approx(radius, rel=1e-9)
        assert abs(arm @ force) < 1e-9 * radius * np.linalg.norm(force)
        a, b = span.touched(run.system.bodies_by_name())
        np.testing.assert_allclose(force / np.linalg.norm(force), (a - b) / np.linalg.norm(a - b), atol=1e-9)


@pytest.mark.parametrize("rack", [False, True])
def test_teeth_with_backlash_press_at_the_pitch_point(rack):
    """Along the line of action, which is inclined by the pressure angle of 20 degrees to the motion (ISO 21771)."""
    wheel = fb.RigidBody("wheel", 1.0, (1e-3, 1e-3, 2e-3))
    other = fb.RigidBody("other", 2.0, (1e-2, 1e-2, 2e-2), center=(0, -0.1, 0) if rack else (0.3, 0, 0))
    first = fb.Revolute("first", fb.GROUND, wheel, point=(0, 0, 0), axis="z")
    if rack:
        second = fb.Prismatic("second", fb.GROUND, other, point=(0, -0.1, 0), axis="x")
        pair = fb.Rack("pair", first, second, radius=0.1)
    else:
        second = fb.Revolute("second", fb.GROUND, other, point=(0.3, 0, 0), axis="z")
        pair = fb.Gear("pair", first, second, ratio=2.0)
    teeth = fb.ToothContact("teeth", pair, backlash=1e-4, stiffness=2e6, dissipation=2.0)
    motor = fb.PointMoment("motor", wheel, (0, 0, 5.0))
    run = fb.simulate(fb.System([wheel, other], [first, second], [teeth, motor]), 0.02, show_progress=False)
    start, force = starts_and_forces(run, "teeth")
    pitch = [0, -0.1, 0] if rack else [0.1, 0, 0]  # radii 0.1 m and 0.2 m
    # the force presses the flanks into each other by F / k = 30 N / 2e6 N/m, and the backlash is 1e-4 m
    np.testing.assert_allclose(start, pitch, atol=1e-4)
    along = np.array([1.0, 0, 0] if rack else [0, 1.0, 0])
    assert abs(force @ along) / np.linalg.norm(force) == pytest.approx(np.cos(np.radians(20)), abs=1e-4)
