"""Hereditary laws, Sol (1983) (3.4.3), against the integral itself, closed forms, and Prony series."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from scipy.special import exp1

import flexbody as fb

#: the soft tissue of Fung (1972): C, tau_1 and tau_2 of his relaxation function
C, SHORT, LONG = 0.1, 0.05, 20.0
STRETCH = np.linspace(-0.3, 0.3, 121)
#: a response that stiffens, as that of tissues
TENDON = fb.SmoothSpringTable(STRETCH, 40 * (np.exp(4 * STRETCH) - 1))


def fung(s):
    """Return Fung's reduced relaxation function (1972): ``(1 + C (E_1(s/tau_2) - E_1(s/tau_1))) / (1 + C ln ratio)``.

    At zero it is 1: ``E_1(s) = -gamma - ln s + ...``
    """
    part = np.log(LONG / SHORT) if s == 0 else exp1(s / LONG) - exp1(s / SHORT)
    return (1 + C * part) / (1 + C * np.log(LONG / SHORT))


def driven(law, **drive) -> fb.System:
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.02, 0.02), center=(0.1, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    element = fb.ForceElement("law", fb.Along(hinge), law)
    return fb.System([crank], [hinge, fb.Drive("drive", hinge, **drive)], [element])


def forces(law, t_end: float, **drive) -> tuple[np.ndarray, np.ndarray]:
    """Return times and forces of a law whose deformation is given."""
    result = fb.kinematics(driven(law, **drive), t_end, output_step=t_end / 20, show_progress=False)
    return result.t, result.element("law").force


def integral(kernel, rate, t: float) -> float:
    """Return ``integral of kernel(t - tau) rate(tau)`` from 0 to t."""
    return scipy.integrate.quad(
        lambda s: kernel(s) * rate(t - s), 0, t, epsabs=1e-10, epsrel=1e-9, limit=200
    )[0]


def test_a_prony_series_is_found_again():
    """What is a sum of exponentials is that sum: a least-squares problem whose least value is zero."""
    given = fb.ViscoElastic(10.0, [(4.0, 0.01), (2.0, 1.0), (1.0, 7.0)])
    found = fb.hereditary(given.relaxation, times=(1e-3, 100.0))
    np.testing.assert_allclose(found.branches, given.branches, rtol=1e-7)
    assert found.stiffness == pytest.approx(10.0, rel=1e-9)
    s = np.geomspace(1e-3, 100.0, 40)
    measured = fb.hereditary(given.relaxation(s), times=s)
    np.testing.assert_allclose(measured.branches, given.branches, rtol=1e-7)
    fluid = fb.hereditary(lambda s: 3.0 * np.exp(-s / 0.4), times=(1e-2, 10.0))
    assert fluid.stiffness == 0
    np.testing.assert_allclose(fluid.branches, [(3.0, 0.4)], rtol=1e-7)


@pytest.mark.parametrize(
    ("kernel", "times"),
    [
        (fung, (1e-3, 100.0)),
        (lambda s: s**-0.5, (1e-3, 10.0)),
        (lambda s: 2 + np.exp(-(s**0.5)), (1e-2, 10.0)),
        (lambda s: 1 / (1 + s), (1e-2, 100.0)),
    ],
    ids=["Fung", "power", "stretched exponential", "hyperbola"],
)
@pytest.mark.parametrize("tolerance", [1e-2, 1e-3])
def test_a_kernel_is_followed_to_the_tolerance(kernel, times, tolerance):
    law = fb.hereditary(kernel, times, tolerance=tolerance)
    s = np.geomspace(*times, 777)
    exact = np.array([kernel(one) for one in s])
    # between the places where the error is found it is a little larger
    assert np.abs(law.relaxation(s) / exact - 1).max() < 1.05 * tolerance
    # positive factors alone: the law takes work in every cycle
    assert np.min(law.branches) > 0
    assert law.stiffness >= 0


def test_the_force_is_the_integral():
    """A deformation that swings, through Fung's kernel, against quadrature; the variation bounds the error."""
    law = fb.hereditary(fung, times=(1e-3, 10.0))
    t, found = forces(law, 1.0, value=lambda t: 0.2 * np.sin(5 * t))
    expected = [integral(fung, lambda tau: np.cos(5 * tau), one) for one in t]
    np.testing.assert_allclose(found, expected, atol=1e-3 * 0.61)  # 0.2 (1 + 2 + 1 + sin 5)
    assert np.abs(found).max() > 0.1


def test_a_ramp_through_a_power_law():
    """``G = s^-a``: ``F = t^(1 - a) / (1 - a)``, a fractional derivative of order a times gamma(1 - a)."""
    law = fb.hereditary(lambda s: s**-0.3, times=(1e-3, 2.0))
    t, found = forces(law, 1.0, rate=1.0)
    # what the kernel lacks below a millisecond: less than its integral there
    np.testing.assert_allclose(found, t**0.7 / 0.7, rtol=1e-3, atol=1e-3**0.7 / 0.7)


def test_relaxation_and_creep_of_a_power_law():
    """A step of deformation gives G; a step of force the creep function ``J = t^a sin(pi a) / (pi a)``, from
    ``integral of G dJ = 1`` (R. M. Christensen, Theory of Viscoelasticity (1982) 1.2)."""
    a, k, load = 0.3, 200.0, 4.0
    law = fb.hereditary(lambda s: k * s**-a, times=(1e-3, 10.0))
    held = replace(law, start=np.zeros(len(law.branches)))
    result = fb.kinematics(driven(held, value=0.1), 1.0, output_step=0.05, show_progress=False)
    np.testing.assert_allclose(result.element("law").force[1:], 0.1 * k * result.t[1:] ** -a, rtol=2e-3)
    block = fb.RigidBody("block", 1e-4, (1e-4, 1e-4, 1e-4))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 0), axis="x")
    pull = fb.PointForce("pull", block, (load, 0, 0))
    machine = fb.System([block], [guide], [fb.ForceElement("law", fb.Along(guide), law), pull])
    crept = fb.simulate(machine, 4.0, output_step=0.5, show_progress=False)
    expected = load / k * crept.t**a * np.sin(np.pi * a) / (np.pi * a)
    # the kernel to 1e-3, what happens below a millisecond, and the tolerance of the run
    np.testing.assert_allclose(crept.coordinate(guide)[1:], expected[1:], rtol=5e-3)


def test_a_quasi_linear_law_is_fungs_integral(tmp_path):
    """``F = integral of G(t - tau) e'(x) dx``, with a response that stiffens; the same from its file."""
    law = fb.hereditary(fung, times=(1e-3, 10.0), response=TENDON)
    machine = driven(law, value=lambda t: 0.25 * np.sin(4 * t))
    result = fb.kinematics(machine, 1.5, output_step=0.1, show_progress=False)

    def rate(tau):
        return 160 * np.exp(4 * 0.25 * np.sin(4 * tau)) * np.cos(4 * tau)

    expected = [integral(fung, rate, one) for one in result.t]
    variation = scipy.integrate.quad(lambda tau: abs(rate(tau)), 0, 1.5, limit=200)[0]
    np.testing.assert_allclose(result.element("law").force, expected, atol=1e-3 * variation)
    assert np.ptp(expected) > 50  # N m
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5").element("law")
    np.testing.assert_allclose(again.force, result.element("law").force, rtol=1e-12)
    # at rest the branches have relaxed: the part that stays of the response
    hung = replace(machine, joints=machine.joints[:1], gravity=(0, -9.81, 0))
    angle = fb.equilibrium(hung).result.coordinate("hinge")[0]
    weight = 9.81 * 0.1 * np.cos(angle)
    assert 40 * (np.exp(4 * angle) - 1) * law.stiffness == pytest.approx(-weight, rel=1e-5)  # (of the spline)


def test_linear_laws_and_responses_agree():
    """A response that is a straight line of slope k is a spring k."""
    straight = fb.SpringTable((-1, 1), (-30.0, 30.0))
    laws = (
        fb.ViscoElastic(0.4, [(0.6, 0.1), (0.3, 1.0)], response=straight),
        fb.ViscoElastic(12.0, [(18.0, 0.1), (9.0, 1.0)]),
    )
    one, other = (forces(law, 1.0, value=lambda t: 0.2 * np.sin(3 * t))[1] for law in laws)
    np.testing.assert_allclose(one, other, atol=1e-7)


@pytest.mark.parametrize(
    ("kernel", "times", "words"),
    [
        (np.cos, (0.01, 10.0), "no sum of up to 16 decaying exponentials follows it to 0.001"),
        (lambda s: 1.0 + s, (0.01, 10.0), "no sum of up to 16"),
        (lambda s: 5.0, (0.01, 10.0), "it is constant, 5; give a Linear spring"),
        (lambda s: np.log(s - 1), (0.01, 10.0), "gives no finite number at s = 0.01 s"),
        (np.exp, (0.0, 10.0), "shortest and the longest time of a function, above zero"),
        (np.exp, (3.0, 1.0), "give increasing numbers"),
        ([1.0, 0.5], [0.1, 0.2], "one finite number for each of the 2 times, five at least"),
    ],
)
def test_what_is_no_relaxation_function_is_refused(kernel, times, words):
    with pytest.raises(fb.InputError, match=words):
        fb.hereditary(kernel, times)


def test_the_damping_of_a_response_is_refused():
    response = fb.SpringTable((-1, 1), (-1, 1), damping=2.0)
    with pytest.raises(fb.InputError, match="response has damping=2; give it to the law"):
        driven(fb.ViscoElastic(1.0, [(1.0, 0.1)], response=response), value=0.0)
