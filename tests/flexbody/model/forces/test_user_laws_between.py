"""User laws of six components between two frames, Sol (1983) 3.4-3.5."""

from dataclasses import replace

import numpy as np
import pytest

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.functions.with_numba import has_numba

EXACT = fb.Explicit(1e-10)
K = np.diag([400.0, 300.0, 500.0, 20.0, 30.0, 25.0])
K[0, 4] = K[4, 0] = -30.0
D = 0.01 * K

bar = fb.RigidBody("bar", 1.0, (0.02, 0.03, 0.04), center=(0.3, 0, 0), angular_velocity=(2.0, 1.0, -1.5))
swing = fb.Revolute("swing", fb.GROUND, bar, point=(0, 0.1, 0), axis="y")
ends = fb.Between(fb.GROUND, bar, first_point=(0.1, 0, 0), second_point=(0.1, 0, 0))


def machine(law, *joints) -> fb.System:
    return fb.System([bar], joints, [fb.ForceElement("mount", ends, law)], gravity=(0, 0, -9.81))


def run(system: fb.System, t_end: float, integrator=EXACT, **options) -> fb.Result:
    return fb.simulate(system, t_end, integrator=integrator, show_progress=False, **options)


def way(law) -> str:
    """Return how a law runs."""
    pointer = make_plan(machine(law), 1.0).elements.pointers[0]
    own = pointer.numbers[1:]  # behind the address of its jumps in time
    return "called back" if not pointer.compiled else "recorded" if own else "numba"


def recorded(t, x, rate):
    y = x + 0.01 * rate
    return [400 * y[0] - 30 * y[4], 300 * y[1], 500 * y[2], 20 * y[3], 30 * (y[4] - y[0]), 25 * y[5]]


def branched(t, x, rate):
    return K @ x + D @ rate if t >= 0 else x


def listed(t, x, rate):
    return (
        sorted([(k, K[k] @ x + D[k] @ rate) for k in range(6)], key=str) and K @ x + D @ rate if t >= 0 else x
    )


LAWS = {"recorded": recorded, "called back": listed} | ({"numba": branched} if has_numba() else {})


@pytest.mark.parametrize(
    ("description", "integrator", "tolerance"),
    [
        (fb.Absolute(), EXACT, 1e-10),
        (fb.Relative(), EXACT, 1e-10),
        (
            fb.Absolute(),
            fb.GeneralizedAlpha(step=2e-3),
            2e-9,
        ),  # the same steps, differences instead of a formula
    ],
)
@pytest.mark.parametrize("law", LAWS)
def test_a_linear_law_is_a_bushing(law, description, integrator, tolerance):
    found = fb.UserLaw(LAWS[law], components=6)
    assert way(found) == law
    mount = fb.Bushing("mount", fb.GROUND, bar, stiffness=K, damping=D, point=(0.1, 0, 0))
    results = [
        run(system, 0.2, integrator, description=description, output_step=0.02)
        for system in (machine(found), replace(machine(found), forces=[mount]))
    ]
    one, other = (result.element("mount") for result in results)
    np.testing.assert_allclose(results[0].position(bar), results[1].position(bar), atol=tolerance)
    for name in ("force", "deformation", "second"):
        values = getattr(other, name)
        assert values.shape == (11, 6)
        np.testing.assert_allclose(getattr(one, name), values, atol=100 * tolerance * np.abs(values).max())
    # a user's law says nothing of what is stored and lost: both are work that is put in
    work = one.input, other.dissipated + np.gradient(other.stored, other.t, edge_order=2)
    np.testing.assert_allclose(work[0][3:-3], -work[1][3:-3], atol=0.1 * np.abs(work[1]).max())


def potential(x):
    """Return an energy that couples displacements and rotations."""
    turned = x[3:] @ x[3:]
    return 40 * x[:3] @ x[:3] + 0.1 * turned + 30 * (x[:3] @ x[3:]) ** 2 + 0.05 * turned**2


def gradient(t, x, rate):
    both, turned = 60 * (x[:3] @ x[3:]), x[3:] @ x[3:]
    return [*(80 * x[:3] + both * x[3:]), *(both * x[:3] + (0.2 + 0.2 * turned) * x[3:])]


def test_a_law_from_an_energy_conserves_it():
    """The free bar rotates by more than half a radian: the sum of its energies and the law's stays."""
    result = run(machine(fb.UserLaw(gradient, components=6)), 0.5, output_step=0.05)
    x = result.element("mount").deformation
    assert np.abs(x[:, 3:]).max() > 0.5
    stored = np.array([potential(one) for one in x])
    whole = result.energy.kinetic + result.energy.potential + stored
    np.testing.assert_allclose(whole, whole[0], atol=1e-9 * np.ptp(result.energy.kinetic))


def test_states_are_those_of_a_maxwell_element():
    """A hinge that leaves one rotation: the law of six with a state is the visco-elastic one along its angle."""
    law = fb.UserLaw(
        lambda t, x, rate, z: [0.0, 0.0, 0.0, 0.0, 5.0 * x[4] + 30.0 * (x[4] - z[0]), 0.0],
        lambda t, x, rate, z: (x[4] - z[0]) / 0.05,
        start=[0.0],
        components=6,
    )
    along = fb.ForceElement("mount", fb.Along(swing), fb.ViscoElastic(5.0, [(30.0, 0.05)], start=[0.0]))
    systems = machine(law, swing), replace(machine(law, swing), forces=[along])
    for description in (fb.Absolute(), fb.Relative()):
        one, other = (run(system, 0.4, description=description) for system in systems)
        np.testing.assert_allclose(one.coordinate(swing), other.coordinate(swing), atol=1e-11)
        states = [result.element("mount").state[-1] for result in (one, other)]
        np.testing.assert_allclose(*states, atol=1e-10)
    angles = [fb.equilibrium(system).result.coordinate(swing)[0] for system in systems]
    assert angles[0] == pytest.approx(angles[1], abs=1e-9)
    damping = [np.sort_complex(fb.linearize(system).eigenvalues) for system in systems]
    np.testing.assert_allclose(*damping, rtol=1e-5)


def test_forces_of_a_result_in_a_file_are_those_of_the_run(tmp_path):
    result = run(
        machine(fb.UserLaw(recorded, components=6)), 0.05, output_step=0.01, save=tmp_path / "run.h5"
    )
    loaded = fb.load_result(tmp_path / "run.h5")
    for name in ("force", "deformation", "second"):
        found, expected = (getattr(one.element("mount"), name) for one in (loaded, result))
        np.testing.assert_allclose(found, expected, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda t, x, rate: x[:5], "ValueError: force= gives 5 values for 6 components"),
        # (numba keeps no exceptions)
        (
            lambda t, x, rate: x / 0 if t > 0.01 else x,
            r"(the law (gives|fails)|its force is not finite).* at t = 0.0",
        ),
        (
            lambda t, x, rate: [1 / (t < 0.01)] * 6,
            r"(fails at t = 0.0\d+ s, deformation \(.*ZeroDivision|is not finite at t = 0.0)",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_laws_that_fail_are_named(function, words):
    with pytest.raises(fb.InputError, match=f"ForceElement 'mount'.*{words}"):
        run(machine(fb.UserLaw(function, components=6)), 0.1)


def test_laws_fit_their_place():
    line = fb.Line(fb.GROUND, bar, first_point=(0, 0, 1))
    with pytest.raises(
        fb.InputError, match=r"Line has one deformation, but a UserLaw is a law of 6.*Between"
    ):
        fb.System([bar], [], [fb.ForceElement("e", line, fb.UserLaw(recorded, components=6))])
    with pytest.raises(fb.InputError, match="components is 3; give 1, or 6 between two frames"):
        machine(fb.UserLaw(recorded, components=3))
