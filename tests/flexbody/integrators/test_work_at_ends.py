"""Work of contacts of clouds and surfaces, and of users' constraints that depend on time, in long and short steps.

Closed forms as in ``test_work_in_step.py``: the trapezoidal rule changes the energy of a linear system by the work of
dampers and constraints alone, in each step, however long. Friction is a linear damper where slip is slow beside the
regularisation velocity V: mu N / V.
"""

import numpy as np
import pytest

import fem
import flexbody as fb

W, MU, V, DEPTH, STIFFNESS = 100.0, 0.5, 1.0, 1e-3, 1e4
SPEED = 1e-6  # so that tanh(s / V) is s / V to 1e-12
TURNS = 0.1, 2.0, 20.0
DESCRIPTIONS = {"absolute": fb.Absolute(), "relative": fb.Relative()}
LAW = {"exponent": 1.0, "mu": MU, "mu_static": MU, "regularisation_velocity": V}


def contact(kind: str, body: fb.RigidBody) -> fb.ForceElement:
    """A contact of the body, of 0.2 m, whose lower side is at -DEPTH, with a normal force STIFFNESS DEPTH."""
    floor = fb.Plane(fb.GROUND)
    if kind == "cloud":
        return fb.Contacts("floor", [fb.Sphere(body, 0.1)], [floor], stiffness=STIFFNESS, **LAW)
    box = fem.box((0.2, 0.2, 0.2), (2, 2, 2), origin=(-0.1, -0.1, -DEPTH))
    return fb.SurfaceContact("floor", fb.Surface.of(body, box), floor, stiffness=STIFFNESS / 0.04, **LAW)


def sliding(kind: str) -> fb.System:
    """1 kg on a spring along a rail that presses it on the floor."""
    body = fb.RigidBody("body", 1.0, (1e-3,) * 3, center=(0, 0, 0.1 - DEPTH), velocity=(SPEED, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    spring = fb.ForceElement("spring", fb.Along(rail), fb.Linear(stiffness=W**2))
    return fb.System([body], [rail], [spring, contact(kind, body)])


def run(machine, turn: float, rho_inf: float = 1.0, n: int = 40, description=None) -> fb.Result:
    step = turn / W
    return fb.simulate(
        machine, n * step, integrator=fb.GeneralizedAlpha(rho_inf, step=step, newton_rtol=1e-12),
        output_step=step, description=description or fb.Absolute(), show_progress=False,
    )  # fmt: skip


def unbalanced(energy: fb.Energy) -> float:
    """The largest energy that a step behind the first one has added."""
    return float(np.abs(np.diff(energy.residual[1:])).max())


@pytest.mark.parametrize("description", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("kind", ["cloud", "surface"])
def test_friction_of_clouds_and_surfaces_in_balance(kind, turn, description):
    """1e-9 of the kinetic energy as for dampers, and round-off of the energy of the pressed contact."""
    energy = run(sliding(kind), turn, description=description).energy
    pressed = 0.5 * STIFFNESS * DEPTH**2
    assert unbalanced(energy) < 1e-9 * energy.kinetic[0] + 1e-15 * pressed
    assert energy.dissipated[-1] > 0.0


@pytest.mark.parametrize("kind", ["cloud", "surface"])
def test_what_friction_dissipates_against_the_free_vibration(kind):
    """The damper mu N / V: energies of x'' + 2 d x' + W^2 x = 0 from the speed SPEED; second order in the step."""
    d = 0.5 * MU * STIFFNESS * DEPTH / V
    wd, errors = np.sqrt(W**2 - d**2), []
    for turn in (0.2, 0.1, 0.05):
        result = run(sliding(kind), turn, n=round(20 / turn))
        t = result.t
        x = SPEED * np.exp(-d * t) * np.sin(wd * t) / wd
        v = SPEED * np.exp(-d * t) * (np.cos(wd * t) - d / wd * np.sin(wd * t))
        lost = 0.5 * (SPEED**2 - v**2 - (W * x) ** 2)
        errors.append(np.abs(result.energy.dissipated - lost).max() / lost[-1])
    assert errors[-1] < 2e-3
    assert np.log2(errors[0] / errors[1]) > 1.7
    assert np.log2(errors[1] / errors[2]) > 1.7


def bouncing(one: bool, **law) -> fb.System:
    """A ball that bounces and slips, on a contact or a cloud of one sphere."""
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.15), velocity=(0.5, 0, 0))
    plane, sphere = fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1)
    law = {"stiffness": 1e5, "dissipation": 0.3, "mu": 0.3} | law
    floor = (
        fb.Contact("floor", plane, sphere, **law) if one else fb.Contacts("floor", [sphere], [plane], **law)
    )
    return fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))


@pytest.mark.parametrize("law", [{}, {"presliding": 1e-4}], ids=["regularised", "sticking"])
def test_a_cloud_is_as_well_in_balance_as_a_contact(law):
    """1 %: the mean velocity of a sphere's middle is not quite the change of its gap over the step."""
    errors = [
        fb.simulate(bouncing(one, **law), 0.3, step=1e-3, show_progress=False).energy.balance_error
        for one in (True, False)
    ]
    assert errors[1] == pytest.approx(errors[0], rel=0.01)


# ---- users' constraints


def driven(of_user: bool, rate: float = 30.0) -> fb.System:
    """A body on a rail that follows 0.1 sin(rate t), by a drive or a user's constraint, and pulls another one."""
    body = fb.RigidBody("body", 1.0, (0.1,) * 3)
    other = fb.RigidBody("other", 1.0, (0.1,) * 3, center=(0.5, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    second = fb.Prismatic("second", fb.GROUND, other, point=(0.5, 0, 0), axis="x")
    if of_user:
        drive = fb.Constraint("drive", [body], position=lambda t, a: a.r[0] - 0.1 * np.sin(rate * t))
    else:
        drive = fb.Drive("drive", rail, value=lambda t: 0.1 * np.sin(rate * t))
    spring = fb.SpringDamper("spring", body, other, stiffness=W**2, damping=1.0)
    return fb.System([body, other], [rail, second, drive], [spring])


@pytest.mark.parametrize("turn", [*TURNS, 200.0])
def test_a_users_constraint_puts_in_what_a_drive_does(turn):
    """The work of drives has closed forms in ``test_work_in_step.py``; here the same motion by a function."""
    one, other = (run(driven(of_user), turn, 0.8).energy.input for of_user in (True, False))
    assert one == pytest.approx(other, rel=1e-9, abs=1e-9 * np.abs(other).max())


def test_a_users_constraint_of_velocities_in_balance():
    """The trapezoidal rule moves by the means of the velocities, so that the mean rate is what the force acts along."""
    body = fb.RigidBody("body", 1.0, (0.1,) * 3, velocity=(1.0, 0, 0))
    other = fb.RigidBody("other", 1.0, (0.1,) * 3, center=(0.5, 0, 0))
    rail = fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")
    second = fb.Prismatic("second", fb.GROUND, other, point=(0.5, 0, 0), axis="x")
    drive = fb.Constraint("drive", [body], velocity=lambda t, a: a.v[0] - np.cos(30.0 * t))
    spring = fb.SpringDamper("spring", body, other, stiffness=W**2, damping=1.0)
    energy = run(fb.System([body, other], [rail, second, drive], [spring]), 0.5).energy
    assert unbalanced(energy) < 1e-9 * np.abs(energy.input).max()
