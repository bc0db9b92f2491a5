"""Published benchmarks of shells on quadratic elements; problems and sources as in ``test_shell_benchmarks.py``.

Half as many elements a side as there: the same number of nodes.
"""

import numpy as np
import pytest
from support.shell_cases import (
    TWISTED,
    cook,
    curved,
    cylinder,
    hemisphere,
    hook,
    lateral_buckling,
    plate_buckling,
    plate_deflection,
    plate_frequencies,
    roof,
    straight,
    twisted,
)

KINDS = ("tri6", "quad8", "quad9")
each = pytest.mark.parametrize("kind", KINDS)


@each
def test_scordelis_lo_roof(kind):
    """0.3024 (MacNeal and Harder); shells without the shallow-shell error 0.3006, 0.994 of it."""
    coarse, fine, finest = (roof(kind, n) for n in (2, 4, 8))
    assert abs(coarse / 0.994 - 1) < 0.19
    assert abs(fine / 0.994 - 1) < 0.017
    assert abs(finest / 0.994 - 1) < 0.002


@each
def test_pinched_cylinder(kind):
    """1.8248e-5 (Lindberg, Olson, Cowper 1969) of thin shells; with transverse shear 1 % more under the load."""
    coarse, fine, finest = (cylinder(kind, n) for n in (4, 8, 16))
    assert coarse > {"tri6": 0.6, "quad8": 0.89, "quad9": 0.94}[kind]
    assert coarse < fine < finest
    assert 0.98 < finest < 1.02


@each
def test_hemisphere_with_a_hole(kind):
    """0.0940 (MacNeal and Harder), later 0.0930 (Simo, Fox, Rifai 1989): between them on 16 x 16, or 0.5 % below."""
    assert hemisphere(kind, 8) > 0.97
    assert 0.995 * 0.0930 < 0.0940 * hemisphere(kind, 16) < 0.0940


@each
@pytest.mark.parametrize("thickness", list(TWISTED))
def test_twisted_beam(kind, thickness):
    """6 x 1 elements, then 12 x 2. Thickness 0.0032 is 1/340 of the width: without locking on quadrilaterals."""
    coarse, fine = ([value for value in twisted(kind, *n, thickness)] for n in ((6, 1), (12, 2)))
    least = {0.32: 0.99, 0.05: 0.98, 0.0032: 0.63 if kind == "tri6" else 0.87}[thickness]
    assert all(least < value < 1.005 for value in coarse)
    least = {0.32: 0.995, 0.05: 0.99, 0.0032: 0.95 if kind == "tri6" else 0.979}[thickness]
    assert all(least < value < 1.005 for value in fine)


@each
@pytest.mark.parametrize("shape", ["rectangles", "parallelograms", "trapezoids"])
def test_straight_beam(kind, shape):
    """Extension, in-plane and out-of-plane shear of six elements: A (2 %), in-plane on trapezoids B (10 %)."""
    extension, within, across = straight(kind, shape)
    assert abs(extension - 1) < (0.035 if kind == "tri6" else 0.003)
    assert abs(across - 1) < (0.05 if kind == "tri6" else 0.012)
    assert abs(within - 1) < {"tri6": 0.25, "quad8": 0.10, "quad9": 0.02}[kind]


@each
def test_curved_beam(kind):
    """Six elements along a quarter circle: in-plane A (2 %), out-of-plane B (10 %; Poisson's ratio at the root)."""
    within, across = curved(kind)
    assert abs(within - 1) < 0.02
    assert abs(across - 1) < 0.06


@each
def test_cooks_membrane(kind):
    """23.96 (Simo, Fox, Rifai 1989, a fine mesh)."""
    got = [cook(kind, n) for n in (2, 4, 8)]
    least = {"tri6": (0.89, 0.97, 0.99), "quad8": (0.95, 0.985, 0.995), "quad9": (0.98, 0.99, 0.995)}[kind]
    assert all(value > low for value, low in zip(got, least, strict=True))
    assert max(got) < 1.005


@each
def test_raaschs_hook_converges(kind):
    """To the solid's 5.027 (20 wide, 2 thick; ``test_shell_benchmarks.py`` computes it to 1 %), refined without end."""
    fine, finer = hook(kind, 36, 5), hook(kind, 72, 10)
    assert fine == pytest.approx(5.027, rel=0.02)
    assert finer == pytest.approx(
        fine, rel=0.012
    )  # a soft rotation about the normal: 2 % and more with every halving


@each
def test_buckling(kind):
    """A square plate, simply supported: k = 4 and 9.34 (Timoshenko and Gere, table 9-10); a cantilever that tips."""
    assert plate_buckling(kind, 4, "compression") == pytest.approx(4, rel=0.035)
    assert plate_buckling(kind, 8, "compression") == pytest.approx(4, rel=0.003)
    assert plate_buckling(kind, 8, "shear") == pytest.approx(9.34, rel=0.01)
    assert lateral_buckling(kind, 10, 1) == pytest.approx(1, rel=0.05)
    assert lateral_buckling(kind, 20, 2) == pytest.approx(1, rel=0.02)


@each
def test_plate_in_bending(kind):
    """A clamped square plate under pressure, w D / q L^4 = 0.00126532 (Taylor, Govindjee 2004), thin."""
    errors = [plate_deflection(kind, n, 1e-3, "cccc") / 0.00126532 - 1 for n in (2, 4, 8)]
    assert np.abs(errors) == pytest.approx(0, abs=0.04)
    assert np.abs(errors[1:]) == pytest.approx(0, abs=0.004)
    assert abs(errors[2]) < 5e-4


@each
def test_plate_frequencies(kind):
    """Simply supported, thin: omega L^2 sqrt(rho h / D) = pi^2 (m^2 + n^2), shear and rotary inertia take 1e-4."""
    exact = np.pi**2 * np.array([2, 5, 5, 8])
    coarse, fine = (np.abs(plate_frequencies(kind, n, 0.002, "ssss") / exact - 1).max() for n in (6, 12))
    assert coarse < 0.011
    assert fine < coarse / 8
