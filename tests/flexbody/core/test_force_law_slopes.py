"""The slopes that laws bring are the derivatives of their forces, by differences."""

import numpy as np
import pytest

import flexbody as fb
from flexbody.core import force_laws
from flexbody.core.kinds import TANGENT_NUMBERS
from flexbody.model.forces import ForceLaw

U = (4.0, 0.15)  # of reaction_friction and separation: normal force, rate of the other coordinate
#: numbers of each law with a slope, with equal static and sliding friction: slopes leave out what mu changes
NUMBERS = {
    "linear": [800.0, 3.0],
    "stop": [-0.2, 0.3, 500.0, 1.5, 0.4],
    "friction": [3.0, 3.0, 0.4, 0.7, 0.3],
    "reaction_friction": [0.3, 0.3, 0.4, 0.7, 0.3, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    "separation": [0.7, 0.1, 0.2, 0.3],
    "belt": [*[0.0] * TANGENT_NUMBERS, 500.0, 30.0, 70.0],
}


def force(name, x, rate):
    out = np.empty(4)
    force_laws.law(name)(0.0, U, (x,), (rate,), (), NUMBERS[name], out)
    return out[0]


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("x", [-0.5, 0.1, 0.6])
@pytest.mark.parametrize("rate", [-0.3, 0.2])
def test_slopes_are_derivatives(name, x, rate):
    out, h = np.empty(2), 1e-6
    force_laws.slope(name)(U, (x,), (rate,), NUMBERS[name], out)
    by_x = (force(name, x + h, rate) - force(name, x - h, rate)) / (2 * h)
    by_rate = (force(name, x, rate + h) - force(name, x, rate - h)) / (2 * h)
    np.testing.assert_allclose(out, [by_x, by_rate], rtol=1e-6, atol=1e-6)


#: numbers of the law of contact with two points, one of which touches
TOUCHING = [0.0] * 9 + [900.0, 1.5, 0.2, 0.3, 0.3, 0.4, 0.0, 0.3, 2.0, 0.0]
GAPS = np.array([-0.2, 0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0])
SLIPS = np.array([-0.4, 0.1, 0.3, -0.2, 0.3, 0.2, -0.1, 0.1])


def test_slopes_of_contact_are_derivatives():
    """By gaps and slips; that friction follows the normal force is left out."""

    def forces(x, rate):
        out = np.empty(11)
        force_laws.law("contact")(0.0, U, x, rate, (), TOUCHING, out)
        return out[:8]

    found, h = np.empty((2, 8, 8)), 1e-6
    force_laws.slope("contact")(U, GAPS, SLIPS, TOUCHING, found)
    unit = h * np.eye(8)
    by_x = np.array([forces(GAPS + e, SLIPS) - forces(GAPS - e, SLIPS) for e in unit]).T / (2 * h)
    by_rate = np.array([forces(GAPS, SLIPS + e) - forces(GAPS, SLIPS - e) for e in unit]).T / (2 * h)
    by_x[1:, 0] = by_rate[1:, 0] = 0.0
    assert np.abs(by_rate[1:4, 1:4]).max() > 1.0
    np.testing.assert_allclose(found, [by_x, by_rate], rtol=1e-6, atol=1e-5)


def test_slopes_of_flanks_are_derivatives():
    """Of both gaps, one of which is closed."""
    numbers = [*[0.0] * TANGENT_NUMBERS, 900.0, 1.5, 0.2]

    def forces(x, rate):
        out = np.empty(5)
        force_laws.law("flanks")(0.0, U, x, rate, (), numbers, out)
        return out[:2]

    gaps, rates = np.array([-0.2, 0.1]), np.array([-0.4, 0.4])
    found, h = np.empty((2, 2, 2)), 1e-6
    force_laws.slope("flanks")(U, gaps, rates, numbers, found)
    unit = h * np.eye(2)
    by_x = np.array([forces(gaps + e, rates) - forces(gaps - e, rates) for e in unit]).T / (2 * h)
    by_rate = np.array([forces(gaps, rates + e) - forces(gaps, rates - e) for e in unit]).T / (2 * h)
    np.testing.assert_allclose(found, [by_x, by_rate], rtol=1e-6, atol=1e-6)


def _functions(kind=ForceLaw):
    """Names of the compiled laws of all classes of the package."""
    own = {kind.function} if "function" in vars(kind) and kind.__module__.startswith("flexbody.") else set()
    return own.union(*(_functions(part) for part in kind.__subclasses__()))


def test_laws_are_found_by_their_names():
    names = {name for name in _functions() if isinstance(name, str)}  # (controllers have those of others)
    names |= {"recorded", "called_back"}  # laws of users
    names |= {"held", *(law.compiled for law in (fb.PID, fb.LinearControl))}
    assert len(names) == 25
    for name in names:
        assert force_laws.law_address(name) != 0
        assert (force_laws.slope_address(name) != 0) == (name in {*NUMBERS, "contact", "flanks"})
