"""Newton's tolerances follow the forces that occur: neither heavy nor stiff machines take more iterations."""

from dataclasses import replace

import numpy as np
import pytest
from support.cloud import Cloud
from support.rods import rod
from support.varied import spatial

import flexbody as fb
import modal


def run(system, t_end, **options):
    integrator = fb.GeneralizedAlpha(**options)
    return fb.simulate(system, t_end, integrator=integrator, output_step=t_end / 20, show_progress=False)


@pytest.mark.parametrize(
    "options", [{}, {"step": 1e-3}, {"step": 1e-3, "index": 3}], ids=["chosen", "fixed", "index 3"]
)
@pytest.mark.parametrize("factor", [1e-9, 1e9])
def test_masses_and_forces_times_a_factor(factor, options):
    """The motion is the same, and so must be the way to it: no more than a few iterations of 1500 by round-off."""
    system, t_end = spatial()
    bodies = [replace(b, mass=factor * b.mass, inertia=factor * np.asarray(b.inertia)) for b in system.bodies]
    forces = [replace(f, stiffness=factor * f.stiffness, damping=factor * f.damping) for f in system.forces]
    scaled = fb.System(bodies, system.joints, forces, gravity=system.gravity)
    one, two = run(system, t_end, **options), run(scaled, t_end, **options)
    assert one.statistics.steps == pytest.approx(two.statistics.steps, abs=2)
    assert one.statistics.iterations == pytest.approx(two.statistics.iterations, rel=0.01)
    np.testing.assert_allclose(two.v, one.v, atol=1e-4 * np.abs(one.v).max())


def swinging_rod(stiffer):
    """A rod on a hinge, its axial stiffness ``stiffer`` times that of steel: round-off of axial forces likewise."""
    structure = rod(6, stiffer=stiffer)
    body = fb.FlexibleBody(
        "rod", modal.reduce(structure, modal.craig_bampton(structure, ("start", "end"), n_normal=1))
    )
    return fb.System(
        [body], [fb.Revolute("hinge", fb.GROUND, body["start"], axis="z")], gravity=(0, -9.81, 0)
    )


def test_axial_stiffness_costs_nothing():
    """Axial forces a million times those that bend: iterations per step of the stiff rod are those of the steel one.

    An absolute tolerance below their round-off would never be met.
    """
    per_step = []
    for stiffer in (1.0, 1e4):
        result = run(swinging_rod(stiffer), 0.2, step=2e-4)
        per_step.append(result.statistics.iterations / result.statistics.steps)
        assert result.statistics.rejected == 0
    assert per_step[1] < 1.1 * per_step[0]
    # nine digits at two or so each, by matrices of earlier steps; one that stalls at round-off goes on to the limit, 12
    assert per_step[0] < 8


def test_forces_in_balance_are_a_measure_too():
    """At rest all accelerations are round-off: the iteration still ends, at the size of the forces that balance."""
    body = Cloud.random(np.random.default_rng(3), modes=3).body()
    hanging = fb.FlexibleBody("part", body)
    system = fb.System([hanging], [fb.Fixed("root", fb.GROUND, hanging["p"])], gravity=(0, 0, -9.81))
    result = fb.simulate(system, 0.1, start=fb.Equilibrium(), step=1e-3, show_progress=False)
    assert result.statistics.iterations <= 3 * result.statistics.steps


@pytest.mark.parametrize("options", [{}, {"step": 2e-3}], ids=["chosen", "fixed"])
def test_reactions_of_balanced_rotors_are_round_off(options):
    """Two balanced rotors on gears run up by 5 N m, and turn by up to 1 rad in a step: their hinges carry no moment.

    Reactions across a hinge move nothing, however wrong they are: once they grew to 3e4 N m. The default iteration
    leaves 1e-7 of the accelerations, and no more than a hundred times that of the moment that the teeth give.
    """
    rotor = fb.RigidBody("rotor", 2.0, (2e-3, 2e-3, 3e-3))
    wheel = fb.RigidBody("wheel", 8.0, (0.03, 0.03, 0.06), center=(0.2, 0, 0))
    shafts = [fb.Revolute(body.name, fb.GROUND, body, point=body.center, axis="z") for body in (rotor, wheel)]
    gear = fb.Gear("gear", *shafts, ratio=3.0)
    machine = fb.System([rotor, wheel], [*shafts, gear], [fb.PointMoment("motor", rotor, (0, 0, 5.0))])
    method = fb.GeneralizedAlpha(**options)
    found = fb.simulate(machine, 1.0, integrator=method, output_step=2e-3, show_progress=False)
    rate = 5.0 / (3e-3 + 0.06 / 9)
    assert found.coordinate_rate("rotor")[-1] == pytest.approx(rate, rel=1e-6)
    for shaft in ("rotor", "wheel"):
        assert np.linalg.norm(found.reaction(shaft).moment, axis=1).max() < 1e-5 * 5.0


def test_a_fast_top_with_fixed_steps():
    """A top of 100 rad/s turns by 0.2 rad in a step: reactions and motion contract each in its way, and both do."""
    spin = np.array([0.3, 0.0, 100.0])
    top = fb.RigidBody("top", 1.0, (1e-3, 1e-3, 2e-3), center=(0.02, 0, 0.1), angular_velocity=spin,
                       velocity=np.cross(spin, (0.02, 0, 0.1)))  # fmt: skip
    machine = fb.System([top], [fb.Spherical("foot", fb.GROUND, top, point=(0, 0, 0))], gravity=(0, 0, -9.81))
    places = [
        fb.simulate(machine, 0.3, output_step=0.01, show_progress=False, **options).position("top")
        for options in ({"step": 2e-3}, {"integrator": fb.Explicit(rtol=1e-9)})
    ]
    assert np.abs(places[0] - places[1]).max() < 0.05 * 0.1  # h w = 0.2: 12 % of a radian a second
