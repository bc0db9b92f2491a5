"""States of force laws in kinematics and elastodynamics: closed forms, and the dynamics of the same driven machine."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more


def driven(law, **drive):
    crank = fb.RigidBody("crank", 1.0, (0.01, 0.02, 0.02), center=(0.1, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    return fb.System(
        [crank], [hinge, fb.Drive("drive", hinge, **drive)], [fb.ForceElement("law", fb.Along(hinge), law)]
    )


@pytest.mark.parametrize("inductance", [1e-2, 1e-6], ids=["slow", "stiff"])
def test_current_of_a_motor_at_constant_speed(inductance):
    """L i. + R i = U - c W from i = 0: i = (U - c W)/R (1 - exp(-R t / L)), over 10 and over 1e5 time constants."""
    c, R, U, W = 0.1, 1.0, 1.0, 3.0
    machine = driven(fb.ElectricMotor(c, R, inductance, voltage=U), rate=W)
    result = fb.kinematics(machine, 0.1, output_step=1e-3, show_progress=False)
    current = (U - c * W) / R * (1 - np.exp(-R * result.t / inductance))
    # of each step 1e-8 of the current; each output interval is a few of them
    np.testing.assert_allclose(result.element("law")["current"], current, atol=1e-7)
    np.testing.assert_allclose(result.law_states[:, 0], current, atol=1e-7)
    # the drive holds the speed against gravity's absence: it takes the motor's torque
    np.testing.assert_allclose(result.reaction("drive").moment[:, 2], -c * current, atol=1e-7)


@pytest.mark.parametrize("tau", [0.2, 1e-5], ids=["slow", "stiff"])
def test_a_maxwell_branch_under_a_ramp(tau):
    """x = w t on k beside (k1, tau), relaxed at first: F = k w t + k1 tau w (1 - exp(-t / tau))."""
    k, k1, w = 10.0, 50.0, 0.4
    machine = driven(fb.ViscoElastic(k, [(k1, tau)]), rate=w)
    result = fb.kinematics(machine, 1.0, output_step=0.02, show_progress=False)
    force = k * w * result.t + k1 * tau * w * (1 - np.exp(-result.t / tau))
    # the stroke's error is 1e-8 of 0.4; the force takes k1 of it
    np.testing.assert_allclose(result.element("law").force, force, atol=50 * 0.4 * 1e-7)


def test_a_current_that_alternates_has_its_phase():
    """U sin(w t) into a stalled motor: the current's steady part is U / |Z| sin(w t - atan(w L / R))."""
    R, L, w = 2.0, 5e-3, 400.0
    machine = driven(fb.ElectricMotor(0.1, R, L, voltage=lambda t: 3.0 * np.sin(w * t)), value=0.2)
    result = fb.kinematics(machine, 0.05, output_step=1e-3, show_progress=False)
    z, phase = np.hypot(R, w * L), np.arctan2(w * L, R)
    exact = 3.0 / z * (np.sin(w * result.t - phase) + np.sin(phase) * np.exp(-R / L * result.t))
    np.testing.assert_allclose(result.law_states[:, 0], exact, atol=1e-7)


LAWS = {
    "visco-elastic": fb.ViscoElastic(10.0, [(50.0, 0.3), (20.0, 1e-3)], start=[0.1, 0.0]),
    "servo": fb.PositionServo(0.3, 1.0, 1e-3, gain=20.0, target=lambda t: 0.5 * np.sin(2 * t), limit=4.0),
    "cylinder": fb.HydraulicCylinder(1e-3, 1e-4, flow=lambda t: 1e-6 * np.cos(5 * t), leakage=1e-12, start=2e4),
    "user": fb.UserLaw(
        lambda t, x, rate, z: 3.0 * z[0], lambda t, x, rate, z: [z[1], 9.0 * (x - z[0]) - z[1] ** 3], start=[0.2, 0]
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_it_is_the_dynamics_of_the_driven_machine(name):
    """Where all is driven the equations of motion add nothing: states, loads, start as in a run."""
    machine = driven(LAWS[name], value=lambda t: 0.8 * np.sin(3 * t))
    result = fb.kinematics(machine, 0.6, output_step=0.02, show_progress=False)
    run = fb.simulate(
        machine, 0.6, output_step=0.02, integrator=fb.GeneralizedAlpha(rtol=1e-7), show_progress=False
    )
    size = np.abs(run.law_states).max(axis=0)
    np.testing.assert_array_equal(result.law_states[0], run.law_states[0])
    # the run's own error: some thousand steps of 1e-7 each, of which most die out
    assert (np.abs(result.law_states - run.law_states) / size).max() < 2e-5
    for what in ("force", "stored", "dissipated", "input"):
        one, other = (getattr(r.element("law"), what) for r in (result, run))
        assert np.abs(one - other).max() <= 4e-5 * np.abs(other).max()
    moment, other = (r.reaction("drive").moment[:, 2] for r in (result, run))
    assert np.abs(moment - other).max() < 4e-5 * np.abs(other).max()


def test_many_turns_are_felt():
    """A spring wound up through a rotary law, over three turns between two outputs: k x + the branch, all counted."""
    machine = driven(fb.ViscoElastic(2.0, [(1.0, 0.5)]), rate=20.0)
    result = fb.kinematics(machine, 2.0, output_step=0.05, show_progress=False)
    exact = 2.0 * 20 * result.t + 0.5 * 20 * (1 - np.exp(-result.t / 0.5))
    np.testing.assert_allclose(result.element("law").force, exact, atol=40 * 1e-7)
    np.testing.assert_allclose(result.reaction("drive").moment[:, 2], exact, atol=40 * 1e-7)


def test_a_law_that_fails_ends_it_in_its_name():
    def fails(t, x, rate, z):
        if t > 0.5:
            raise ValueError("worn out")
        return [0.0]

    law = fb.UserLaw(lambda t, x, rate, z: z[0], fails, start=[1.0])
    with pytest.raises(fb.InputError, match=r"ForceElement 'law': the law fails at .* worn out"):
        fb.kinematics(driven(law, rate=1.0), 1.0, output_step=0.1, show_progress=False)


def test_a_state_that_runs_away_is_said_and_what_was_found_is_kept():
    """z. = z^2 from 1 is 1 / (1 - t): there is nothing after t = 1."""
    law = fb.UserLaw(lambda t, x, rate, z: z[0], lambda t, x, rate, z: [z[0] ** 2], start=[1.0])
    with pytest.raises(fb.ConvergenceError, match="grow without bounds") as caught:
        fb.kinematics(driven(law, rate=1.0), 2.0, output_step=0.1, show_progress=False)
    found = caught.value.result
    assert 0.85 < found.t[-1] < 1.05
    np.testing.assert_allclose(found.law_states[:10, 0], 1 / (1 - found.t[:10]), rtol=1e-6)


@pytest.mark.parametrize("rtol", [0.0, 1.0, np.nan, "small"])
def test_tolerances_that_are_none(rtol):
    with pytest.raises(fb.InputError, match="rtol is"):
        fb.kinematics(driven(fb.Linear(1.0), rate=1.0), 1.0, rtol=rtol)


def test_a_beam_on_an_old_mount_sags_as_it_creeps():
    """A cantilever whose tip a driven slide pushes through a Maxwell mount: the mount's force bends it.

    The slide moves as s t; with the beam's stiffness K = 3 EI/l^3 far above k1, F = k1 tau s (1 - exp(-t/tau)) to
    k1/K, and the tip goes up by F / K.
    """
    import modal

    EI, k1, tau, s = 1e4, 30.0, 0.2, 0.01
    data = modal.assumed.beam(
        length=1.0, mass=1.0, EI=EI, polar_inertia=1e-4,
        z=tuple(Polynomial([0] * k + [1]) for k in (2, 3, 4)), frame=modal.Unchanged(),
    )  # fmt: skip
    beam = fb.FlexibleBody("beam", data)
    post = fb.RigidBody("post", 1.0, (1, 1, 1), center=(1, 0, -0.5), markers={"top": (1.0, 0, -0.5)})
    guide = fb.Prismatic("guide", fb.GROUND, post, point=(1, 0, -0.5), axis="z")
    joints = [
        fb.Fixed("clamp", fb.GROUND, beam["start"]), guide,
        fb.Drive("push", guide, rate=s),
    ]  # fmt: skip
    mount = fb.ForceElement("mount", fb.Line(post["top"], beam["end"]), fb.ViscoElastic(0.0, [(k1, tau)]))
    result = fb.elastodynamics(
        fb.System([beam, post], joints, [mount]), 0.5, output_step=0.05, show_progress=False
    )
    force = k1 * tau * s * (1 - np.exp(-result.t / tau))
    np.testing.assert_allclose(
        result.reaction("push").force[:, 2], force, atol=2 * k1 / (3 * EI) * force.max()
    )
    tip = result.displacement("beam", "end")[:, 2]
    np.testing.assert_allclose(tip, force / (3 * EI), atol=3 * k1 / (3 * EI) * force.max() / (3 * EI))


@pytest.mark.parametrize("share", [0.3, pytest.param(30.0, marks=pytest.mark.slow)])
def test_a_beam_sags_as_its_mount_creeps(share):
    """A clamped beam under its weight, its tip on a Maxwell mount, k1 = share K with K = 3 EI/l^3:

    w = (K w0 + k1 z)/(K + k1), z. = (w - z)/tau, so that w = w0 (1 - share/(1 + share) exp(-t/(tau (1 + share)))).
    """
    import modal

    EI, tau, mass = 100.0, 0.2, 1.0
    data = modal.assumed.beam(
        length=1.0, mass=mass, EI=EI, polar_inertia=1e-4,
        z=tuple(Polynomial([0] * k + [1]) for k in (2, 3, 4)), frame=modal.Unchanged(),
    )  # fmt: skip
    beam = fb.FlexibleBody("beam", data)
    mount = fb.ForceElement(
        "mount", fb.Line(fb.GROUND, beam["end"], first_point=(1.0, 0, -1.0)),
        fb.ViscoElastic(0.0, [(share * 3 * EI, tau)]),
    )  # fmt: skip
    machine = fb.System([beam], [fb.Fixed("clamp", fb.GROUND, beam["start"])], [mount], gravity=(0, 0, -9.81))
    result = fb.elastodynamics(machine, 0.5, output_step=0.05, show_progress=False)
    sag = mass * 9.81 / (8 * EI)
    exact = sag * (1 - share / (1 + share) * np.exp(-result.t / (tau * (1 + share))))
    # the stiffness of the mount's line, 1 m long, turned by what it carries
    np.testing.assert_allclose(-result.displacement("beam", "end")[:, 2], exact, atol=1e-6 * sag)


def test_a_law_that_is_not_a_number_is_said_at_the_first_such_time():
    law = fb.UserLaw(lambda t, x, rate: np.sqrt(1.0 - t))
    with pytest.raises(fb.InputError, match=r"the law gives nan at t = 1\.1 s"):
        fb.kinematics(driven(law, rate=1.0), 2.0, output_step=0.1, show_progress=False)
