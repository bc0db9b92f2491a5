"""A run that starts from a result goes on in the description of the result, and as if it had not been interrupted."""

from dataclasses import replace

import numpy as np
import pytest

import flexbody as fb

OPTIONS = dict(integrator=fb.Explicit(step=2e-3), output_step=0.2, show_progress=False)


@pytest.fixture
def machine():
    """A crank with a rod and a slider (a loop), and a bar at the slider; a spring is wound up by over two turns."""
    crank = fb.RigidBody("crank", 1.0, (1e-3, 5e-3, 5e-3), center=(0.05, 0, 0), angular_velocity=(0, 25.0, 0))
    rod = fb.RigidBody("rod", 0.4, (1e-4, 3e-3, 3e-3), center=(0.25, 0, 0))
    slider = fb.RigidBody("slider", 0.5, (1e-4, 1e-4, 1e-4), center=(0.4, 0, 0))
    bar = fb.RigidBody("bar", 0.3, (1e-4, 2e-3, 2e-3), center=(0.5, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0), axis="y")
    joints = [
        main,
        fb.Spherical("pin", crank, rod, point=(0.1, 0, 0)),
        fb.Universal("wrist", rod, slider, point=(0.4, 0, 0), axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.4, 0, 0), axis="x"),
        fb.Revolute("swing", slider, bar, point=(0.4, 0, 0), axis="y"),
    ]
    spring = fb.torsion_spring("spring", main, stiffness=0.05, moment=1.5)
    return fb.System([crank, rod, slider, bar], joints, [spring], gravity=(0, 0, -9.81))


def check_same(found, expected):
    """Fixed steps are the same steps: only round-off differs, which grows with the motion (some 1e3 operations)."""
    assert found.plan.formulation == expected.plan.formulation
    assert found.coordinate("main")[-1] == pytest.approx(expected.coordinate("main")[-1], abs=1e-10)
    for name in ("c", "q", "v", "vdot", "multipliers"):
        one, other = getattr(found, name)[-1], getattr(expected, name)[-1]
        np.testing.assert_allclose(one, other, atol=1e-10 * (1 + np.abs(other).max()), err_msg=name)


@pytest.mark.parametrize(
    "description", [fb.Absolute(), fb.Relative(), fb.Relative(base=["rod"], cut=["wrist"])]
)
def test_a_continued_run_equals_an_uninterrupted_one(machine, description, tmp_path):
    whole = fb.simulate(machine, 0.8, description=description, **OPTIONS)
    assert abs(whole.coordinate("main")[-1]) > 4 * np.pi
    half = fb.simulate(machine, 0.6, description=description, **OPTIONS)
    half.save(tmp_path / "half.h5")
    read = fb.load_result(tmp_path / "half.h5")
    assert read.plan.formulation == half.plan.formulation
    for earlier in (half, half.state(), read):
        check_same(fb.simulate(machine, 0.8, start=earlier, **OPTIONS), whole)


def test_all_that_starts_from_a_state_goes_on_in_its_description(machine):
    machine = replace(machine, forces=[])
    state = fb.equilibrium(machine, description=fb.Relative())
    for found in (
        fb.equilibrium(machine, start=state),
        fb.Stepper(machine, start=state).now,
        fb.simulate(machine, 0.2, start=state, **OPTIONS),
    ):
        assert found.plan.formulation == state.plan.formulation
    other = fb.simulate(machine, 0.2, start=state, description=fb.Absolute(), **OPTIONS)
    assert other.plan.formulation == fb.Absolute()


def test_a_file_keeps_every_description(machine, tmp_path):
    short = OPTIONS | {"output_step": 0.01}
    for description in (fb.AutomaticDescription(), fb.Relative(keep=["pin"], base=["rod"])):
        fb.simulate(machine, 0.01, description=description, save=tmp_path / "run.h5", **short)
        read = fb.load_result(tmp_path / "run.h5")
        assert read.state().plan.formulation.unbound() in (description, fb.Relative())
