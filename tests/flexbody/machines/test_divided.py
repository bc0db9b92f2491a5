"""Bodies divided into parts (Koppens 5.5.1): linear theory comes near the nonlinear answer, with their number.

And a curved and an unsymmetric rod in the slider-crank, in one piece and in parts.
"""

import functools

import numpy as np
import pytest
from reference import nonlinear_rod, slider_crank
from support.parts import arch, bent, joined, parts

import flexbody as fb

p = slider_crank
A, B = (p.CRANK, 0.0, 0.0), (p.CRANK + p.LENGTH, 0.0, 0.0)


def deflection(n, stiffening=False, whole=None, step=2e-5):
    """Of the middle of the slider-crank's rod in n parts; it starts undeformed with the speeds of a rigid one."""
    modes = (2 if n < 3 else 1) if whole is None else 6 // n
    reduced = parts(n, modes, stiffening, whole)
    bodies, cuts = joined(reduced, -p.SPEED * p.CRANK / p.LENGTH, A, (0, p.SPEED * p.CRANK, 0))
    turning = {"velocity": (0, p.SPEED * p.CRANK / 2, 0), "angular_velocity": (0, 0, p.SPEED)}
    crank = fb.RigidBody("crank", 0.1, (1e-4, 1e-4, 1e-4), center=(p.CRANK / 2, 0, 0), **turning)
    slider = fb.RigidBody("slider", p.MASS / 2, (1e-6, 1e-6, 1e-6), center=B)
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    joints = [
        main,
        fb.Spherical("pin", crank, bodies[0]["start"]),
        *cuts,
        fb.Universal("wrist", bodies[-1]["end"], slider, axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=B, axis="x"),
        fb.Drive("drive", main, rate=p.SPEED),
    ]
    system = fb.System([crank, *bodies, slider], joints)
    integrator = fb.GeneralizedAlpha(step=step)
    result = fb.simulate(
        system, p.T_END, integrator=integrator, output_step=p.OUTPUT_STEP, show_progress=False
    )
    holds = next(body["middle"] for body in bodies if "middle" in body.reduced.markers)
    first, middle, last = (result.position(m)[:, :2] for m in (bodies[0]["start"], holds, bodies[-1]["end"]))
    chord, reach = last - first, middle - first
    across = (chord[:, 0] * reach[:, 1] - chord[:, 1] * reach[:, 0]) / np.linalg.norm(chord, axis=1)
    return across, result


SHAPES = {"straight": None, "arch": arch(0.01), "bent": bent(0.008)}
EXACT = {"straight": None, "arch": nonlinear_rod.arch(0.01), "bent": nonlinear_rod.bend(0.008)}


STEPS = {"straight": 1e-5, "arch": 2e-5, "bent": 2e-5}


@functools.cache
def nonlinear(shape="straight"):
    """Twelve elements, less the shape as drawn. Straight, 10 microseconds: 3e-4 from 24 elements or half the step, a
    tenth of what is asked for below; see the classes for the others, of 20 microseconds."""
    found = nonlinear_rod.deflection(12, STEPS[shape], shape=EXACT[shape])
    return found - found[0]


@functools.cache
def error(n, stiffening=False, shape="straight"):
    """Rms against the nonlinear rod, over 0.06 s, of the deflection from the shape as drawn."""
    found, exact = deflection(n, stiffening, SHAPES[shape])[0], nonlinear(shape)
    return float(np.sqrt(np.mean((found - found[0] - exact) ** 2) / np.mean(exact**2)))


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "apart"), [("straight", 1e-3), ("arch", 4e-3), ("bent", 6e-3)])
def test_the_reference_is_converged(shape, apart):
    """Half the elements with twice the step: a quarter or less is left. Half of the time shows it."""
    fine = nonlinear(shape)
    found = nonlinear_rod.deflection(6, 2 * STEPS[shape], p.T_END / 2, EXACT[shape])
    part = fine[: len(found)]
    assert np.sqrt(np.mean((found - found[0] - part) ** 2) / np.mean(part**2)) < apart


@pytest.mark.slow
def test_linear_parts_converge_to_the_nonlinear_rod():
    """One rod is 26 % wrong, two are "close to the nonlinear solution" (5.5.1), and then the deformation of each part,
    and with it the error, falls with the square of their number."""
    assert 0.2 < error(1) < 0.3
    assert error(2) < 0.05
    assert error(4) < 0.01
    assert abs(np.log2(error(2) / error(4)) - 2) < 0.2


@pytest.mark.slow
def test_parts_with_the_terms_of_second_order():
    """What these leave, terms of third order, 0.5 % of the rod in one piece, falls faster still."""
    assert error(1, True) < 5e-3
    assert error(2, True) < 0.4 * error(1, True)


def test_energy_balance():
    """A fixed step of 20 microseconds damps the fastest modes of the start: 2e-5 of the largest energy."""
    _, result = deflection(3)
    assert result.energy.balance_error < 1e-4


@pytest.mark.slow
class TestCurvedRod:
    """The rod as an arc 10 mm high: the pins' forces bend it too, to 7 mm, and geometric stiffening is not that of a
    straight beam under its axial force. The reference is 1.4e-3 from 24 elements or a quarter of the step."""

    def test_with_the_terms_of_second_order(self):
        """0.36 % of the straight rod at 4.5 mm are terms of third order: 0.9 % at 7 mm; half of it in two parts."""
        assert error(1, True, "arch") < 0.012
        assert error(2, True, "arch") < 0.006

    def test_linear_theory(self):
        assert error(1, False, "arch") > 0.2


@pytest.mark.slow
class TestUnsymmetricRod:
    """A rod with a corner 8 mm beside its chord, at two thirds of it. Its sudden start rings along the rod, where the
    reference's step is felt: 5e-3 from the one of 5 microseconds, by which the errors below change by 1e-3."""

    def test_with_the_terms_of_second_order(self):
        """Terms of third order at 5.3 mm, 0.36 % (5.3 / 4.5)^2, and the reference's 0.4 %."""
        assert error(1, True, "bent") < 0.01

    def test_linear_theory(self):
        """In one piece 23 % wrong; the error of parts falls with the square of their number here too."""
        assert error(1, False, "bent") > 0.2
        assert error(3, False, "bent") < 0.025
