"""What is told of a vibration that the steps follow: its amplitude, its frequency, and whether damping ends it."""

import re
import warnings

import numpy as np
import pytest

import flexbody as fb
from flexbody.analyses import recorder

G = 9.81


@pytest.fixture(autouse=True)
def _short_runs_are_told(monkeypatch):
    monkeypatch.setattr(recorder, "FEW_STEPS", 500)


def on_a_spring(frequency, ratio, mass=2.0, force=None, speed=0.0):
    """A body on a spring of this frequency (Hz) and damping ratio, with a force of time along it."""
    w = 2 * np.pi * frequency
    body = fb.RigidBody("body", mass, (0.01,) * 3, velocity=(speed, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    law = fb.Linear(stiffness=mass * w**2, damping=2 * ratio * w * mass)
    forces = [fb.ForceElement("spring", fb.Along(rail), law)]
    if force is not None:
        forces.append(fb.PointForce("force", body, force))
    return fb.System([body], [rail], forces)


def pulses(peak, width, rate):
    """Half sines of this width (s), so many times a second."""

    def force(t):
        since = t % (1.0 / rate)
        return (peak * np.sin(np.pi * since / width) if since < width else 0.0, 0.0, 0.0)

    return force


def told_of(machine, t_end):
    """What is said of the vibration that the steps of the implicit method follow: text, amplitude and frequency."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        fb.simulate(
            machine, t_end, output_step=t_end / 20, integrator=fb.GeneralizedAlpha(), show_progress=False
        )
    (text,) = (str(one.message) for one in found if "steps follow vibrations" in str(one.message))
    amplitude, rate = re.search(
        r"vibrates by (?:up to )?about (\S+) m (?:in its mode )?at (?:about )?(\S+) Hz", text
    ).groups()
    return text, float(amplitude), float(rate)


@pytest.mark.parametrize(
    ("frequency", "ratio", "force", "t_end"),
    [
        (3.0, 0.02, (50.0, 0.01, 4.0), 5.0),
        (300.0, 0.01, (200.0, 1e-3, 5.0), 0.5),
    ],
)
def test_a_body_that_is_kicked(frequency, ratio, force, t_end):
    """Accelerations and jerks are largest in the pulses, and tell nothing of the vibration. Within a factor of 1.5."""
    machine = on_a_spring(frequency, ratio, force=pulses(*force))
    exact = fb.simulate(
        machine, t_end, output_step=t_end / 4000, integrator=fb.Explicit(rtol=1e-9), show_progress=False
    )
    _, amplitude, rate = told_of(machine, t_end)
    assert 1 / 1.5 < amplitude / np.abs(exact.position("body")[:, 0]).max() < 1.5
    assert rate == pytest.approx(frequency, rel=0.01)


@pytest.mark.parametrize("ratio", [0.0, 0.01])
def test_a_free_vibration(ratio):
    """From a speed v the first amplitude is (v / w) exp(-D atan((1 - D^2)^(1/2) / D) / (1 - D^2)^(1/2))."""
    text, amplitude, rate = told_of(on_a_spring(20.0, ratio, speed=0.2), 1.0)
    expected = 0.2 / (2 * np.pi * 20.0) * np.exp(-ratio * np.pi / 2)
    assert amplitude == pytest.approx(expected, rel=0.15)
    assert rate == 20.0
    assert "give the force elements that hold it damping" in text or "raise the damping" in text


@pytest.mark.parametrize("frequency", [11.0, 60.0])
def test_what_a_force_does_is_not_to_be_damped(frequency):
    """F sin(u t) on 30 Hz moves the body by F / |k - m u^2|, and by its own vibration at first by u / w times that."""
    w, u = 2 * np.pi * 30.0, 2 * np.pi * frequency
    force = lambda t: (50.0 * np.sin(u * t), 0.0, 0.0)  # noqa: E731
    text, amplitude, rate = told_of(on_a_spring(30.0, 0.05, force=force), 4.0)
    steady = 50.0 / 2.0 / abs(w**2 - u**2)
    assert steady / 1.5 < amplitude < 1.5 * max(1.0, 1.0 + u / w) * steady
    assert rate == pytest.approx(frequency, rel=0.2)
    assert "force on it. Damping does not end that" in text
    assert "damping of" not in text
    larger = fb.GeneralizedAlpha(rtol=float(re.search(r"larger tolerance .*rtol=([^)]+)\)", text)[1]))
    machine = on_a_spring(30.0, 0.05, force=force)
    quick, usual = (
        fb.simulate(machine, 4.0, output_step=0.2, integrator=method, show_progress=False)
        for method in (larger, fb.GeneralizedAlpha())
    )
    assert quick.statistics.steps < 0.6 * usual.statistics.steps


@pytest.mark.parametrize("speed", [300.0, 500.0])
def test_what_an_unbalance_does_is_not_to_be_damped(speed):
    """The axis of a Laval rotor whirls with e m W^2 / |k - m W^2 + i c W|; S. Rao, Mechanical Vibrations, 9.5."""
    e, mass, k, c = 2e-4, 6.0, 4e5, 400.0
    body = fb.RigidBody(
        "rotor", mass, (0.03, 0.05, 0.05), center=(0, e, 0), velocity=(0, 0, speed * e),
        angular_velocity=(speed, 0, 0),
    )  # fmt: skip
    bearings = [
        fb.Bushing(name, fb.GROUND, body, point=(x, 0, 0), stiffness=(axial, k, k, 0, 0, 0),
                   damping=(1e-4 * axial, c, c, 0, 0, 0))
        for name, x, axial in (("left", -0.2, 1e6), ("right", 0.2, 0.0))
    ]  # fmt: skip
    text, amplitude, rate = told_of(fb.System([body], [], bearings), 2.0)
    whirl = e * mass * speed**2 / abs(2 * k - mass * speed**2 + 2j * c * speed)
    assert 1 / 1.5 < amplitude / whirl < 1.5
    assert rate == pytest.approx(speed / (2 * np.pi), rel=0.1)
    assert "Damping does not end that" in text


def test_a_fast_vibration_beside_a_slow_one():
    """A body of 0.2 kg on a spring of 25 Hz, on one of 2 kg on a spring of 2 Hz: the fast mode determines the steps.

    Modes and their amplitudes from the matrices of mass and stiffness.
    """
    first = fb.RigidBody("first", 2.0, (0.01,) * 3, velocity=(0.2, 0, 0))
    second = fb.RigidBody("second", 0.2, (1e-3,) * 3, center=(0.1, 0, 0), velocity=(0.5, 0, 0))
    slide = fb.Prismatic("slide", fb.GROUND, first, point=(0, 0, 0), axis="x")
    other = fb.Prismatic("other", first, second, point=(0.1, 0, 0), axis="x")
    soft, stiff = 2.2 * (2 * np.pi * 2.0) ** 2, 0.2 * (2 * np.pi * 25.0) ** 2
    springs = [
        fb.ForceElement("soft", fb.Along(slide), fb.Linear(stiffness=soft)),
        fb.ForceElement("stiff", fb.Along(other), fb.Linear(stiffness=stiff)),
    ]
    machine = fb.System([first, second], [slide, other], springs)
    squares, shapes = np.linalg.eig(
        np.linalg.solve(np.diag([2.0, 0.2]), [[soft + stiff, -stiff], [-stiff, stiff]])
    )
    speeds = np.linalg.solve(shapes, [0.2, 0.5])
    size = np.abs(shapes[1] * speeds) / np.sqrt(squares)
    slow, fast = np.argsort(squares)
    text, amplitude, rate = told_of(machine, 3.0)
    assert "body 'second'" in text
    assert rate == pytest.approx(np.sqrt(squares[fast]) / (2 * np.pi), rel=0.01)
    assert 1 / 1.5 < amplitude / size[fast] < 1.5
    beside, slower = re.search(
        r"beside slower vibrations by up to about (\S+) m at about (\S+) Hz", text
    ).groups()
    assert 1 / 1.5 < float(beside) / size[slow] < 1.5
    assert 0.5 < float(slower) / 2.0 < 2.0
