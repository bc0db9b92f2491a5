"""Bushings without stiffness about an axis: bearings of shafts that turn without limit."""

import warnings

import numpy as np
import pytest
import scipy.integrate
from scipy.spatial.transform import Rotation

import flexbody as fb

#: across and along the axis, N/m, and about the axes across, Nm/rad
ACROSS, ALONG, TILTING = 300.0, 500.0, 4.0


def stiffness(k: int) -> np.ndarray:
    """Six values of a bearing about axis ``k``."""
    values = np.array([ACROSS] * 3 + [TILTING] * 3)
    values[[k, 3 + k]] = ALONG, 0.0
    return values


def wobbling() -> fb.RigidBody:
    """A body beside the axes that turns about all three of them."""
    return fb.RigidBody(
        "body", 2.0, (0.05, 0.06, 0.09), center=(0.1, 0.05, 0.02),
        angular_velocity=(4.0, 3.0, 9.0), velocity=(0.3, -0.2, 0.1),
    )  # fmt: skip


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["global", "relative"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_its_forces_have_a_potential(axis, description):
    """Tilts up to 1.3 rad over some turns: only forces that fit the stored energy keep it."""
    body = wobbling()
    bearing = fb.Bushing("bearing", fb.GROUND, body, stiffness=stiffness(axis), point=(0, 0, 0))
    run = fb.simulate(
        fb.System([body], forces=[bearing]), 6.0,
        integrator=fb.Explicit(rtol=1e-11), description=description, show_progress=False,
    )  # fmt: skip
    history = run.element("bearing")
    energy = 0.5 * np.square(history.deformation) @ stiffness(axis)
    np.testing.assert_allclose(history.stored, energy, rtol=1e-12, atol=1e-12)
    assert run.energy.balance_error < 1e-9
    assert np.abs(history.deformation[:, 3:]).max() > 0.6
    assert not history.deformation[:, 3 + axis].any()
    # the tilt alone is measured: the angle between the axis of the body and that of the ground
    cosine = run.rotation("body")[:, axis, axis]
    np.testing.assert_allclose(np.cos(np.linalg.norm(history.deformation[:, 3:], axis=1)), cosine, atol=1e-12)
    # more than a turn about it
    one, two = (axis + 1) % 3, (axis + 2) % 3
    turned = np.unwrap(np.arctan2(run.rotation("body")[:, two, one], run.rotation("body")[:, one, one]))
    assert np.ptp(turned) > 2 * np.pi


@pytest.mark.parametrize("values", [stiffness(2), [ACROSS] * 3 + [0.0] * 3], ids=["bearing", "ball joint"])
def test_both_ends_are_alike(values):
    runs = []
    for turned_round in (False, True):
        first = fb.RigidBody("first", 1.0, (0.02, 0.03, 0.04))
        ends = (first, wobbling())
        bearing = fb.Bushing(
            "bearing", *(ends[::-1] if turned_round else ends), stiffness=values, point=(0, 0, 0)
        )
        system = fb.System(list(ends), forces=[bearing])
        runs.append(fb.simulate(system, 3.0, integrator=fb.Explicit(rtol=1e-11), show_progress=False))
    np.testing.assert_allclose(runs[0].position("body"), runs[1].position("body"), atol=1e-9)


def test_a_stiff_one_is_a_revolute_joint():
    """A bar that swings over the top, three turns in all: its angle nears that on a joint as one over the stiffness."""
    bar = fb.RigidBody(
        "bar",
        1.0,
        (1e-3, 0.03, 0.03),
        center=(0.3, 0, 0),
        velocity=(0, 0, -3.0),
        angular_velocity=(0, 10.0, 0),
    )
    options = dict(t_end=2.0, output_step=0.01, integrator=fb.Explicit(rtol=1e-9), show_progress=False)
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    exact = fb.simulate(fb.System([bar], [hinge], gravity=(0, 0, -9.81)), **options)
    assert np.ptp(exact.coordinate("hinge")) > 4 * np.pi
    errors = []
    for k in (1e4, 1e5):
        values = np.array([k, k, k, 0.1 * k, 0.0, 0.1 * k])
        mount = fb.Bushing("mount", fb.GROUND, bar, stiffness=values, damping=1e-4 * values, point=(0, 0, 0))
        run = fb.simulate(fb.System([bar], forces=[mount], gravity=(0, 0, -9.81)), **options)
        errors.append(np.abs(run.position("bar") - exact.position("bar")).max())
    assert errors[1] < 0.01
    assert errors[1] == pytest.approx(0.1 * errors[0], rel=0.3)


def test_damping_about_the_axis_brakes():
    """A disc turns freely but for damping: w = w0 exp(-d t / I)."""
    inertia, damping, speed = 0.15, 0.3, 40.0
    disc = fb.RigidBody("disc", 10.0, (0.1, 0.1, inertia), angular_velocity=(0, 0, speed))
    values = dict(stiffness=(1e5, 1e5, 1e5, 1e3, 1e3, 0), damping=(0, 0, 0, 0, 0, damping))
    system = fb.System([disc], forces=[fb.Bushing("bearing", fb.GROUND, disc, point=(0, 0, 0), **values)])
    run = fb.simulate(system, 1.0, integrator=fb.Explicit(rtol=1e-9), show_progress=False)
    np.testing.assert_allclose(
        run.angular_velocity("disc")[:, 2], speed * np.exp(-damping * run.t / inertia), rtol=1e-7
    )
    assert run.element("bearing").dissipated[0] == pytest.approx(damping * speed**2, rel=1e-12)


@pytest.mark.parametrize("integrator", [None, fb.GeneralizedAlpha(step=1e-3), fb.Explicit()])
@pytest.mark.parametrize("about", [[1e3, 1e3, 0.0], [0.0, 0.0, 0.0]], ids=["bearing", "ball joint"])
def test_what_damping_about_a_free_axis_dissipates(about, integrator):
    """A rotor spins down: I w0^2 / 2 (1 - exp(-2 d t / I)), and the method has lost nothing."""
    inertia, damping, speed = 1e-2, 1e-3, 10.0
    rotor = fb.RigidBody("rotor", 1.0, (inertia,) * 3, angular_velocity=(0, 0, speed))
    values = dict(stiffness=[1e6, 1e6, 1e6, *about], damping=[0, 0, 0, 0, 0, damping])
    if not any(about):
        values["damping"] = [0, 0, 0, damping, damping, damping]
    system = fb.System([rotor], forces=[fb.Bushing("bearing", fb.GROUND, rotor, point=(0, 0, 0), **values)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", fb.FlexbodyWarning)
        energy = fb.simulate(system, 1.0, integrator=integrator, show_progress=False).energy
    exact = 0.5 * inertia * speed**2 * (1.0 - np.exp(-2.0 * damping / inertia))
    assert energy.dissipated[-1] == pytest.approx(exact, rel=1e-6)
    assert abs(energy.residual[-1]) < 1e-6 * exact


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["global", "relative"])
@pytest.mark.parametrize("integrator", [fb.Explicit(rtol=1e-10), fb.GeneralizedAlpha(step=5e-4)])
def test_without_stiffness_about_its_axes_it_is_a_ball_joint(integrator, description):
    """A body beside it turns some times about all axes, held by a force k d + c d. on a point of it: Newton and Euler.

    The point stands still but for d, so the axes of the ground see the rate d. of the damper.
    """
    k, c, m = 300.0, 0.5, 2.0
    inertia, arm = np.array([0.05, 0.06, 0.09]), -np.array([0.1, 0.05, 0.02])
    body = wobbling()
    mount = fb.Bushing(
        "mount", fb.GROUND, body, stiffness=[k] * 3 + [0] * 3, damping=[c] * 3 + [0] * 3, point=(0, 0, 0)
    )
    run = fb.simulate(
        fb.System([body], forces=[mount]), 1.0, integrator=integrator, description=description, show_progress=False
    )  # fmt: skip

    def rates(t, y):
        turned, w = Rotation.from_quat(y[3:7]), y[10:]
        s = turned.apply(arm)
        outer = turned.apply(w)
        force = -k * (y[:3] + s) - c * (y[7:10] + np.cross(outer, s))
        moment = turned.inv().apply(np.cross(s, force))
        x, y_, z, q = y[3:7]
        spin = 0.5 * np.array([
            q * w[0] + y_ * w[2] - z * w[1], q * w[1] + z * w[0] - x * w[2],
            q * w[2] + x * w[1] - y_ * w[0], -x * w[0] - y_ * w[1] - z * w[2],
        ])  # fmt: skip
        return [*y[7:10], *spin, *(force / m), *((moment - np.cross(w, inertia * w)) / inertia)]

    start = [*(-arm), 0, 0, 0, 1, 0.3, -0.2, 0.1, 4.0, 3.0, 9.0]
    exact = scipy.integrate.solve_ivp(
        rates, (0, 1.0), start, "DOP853", t_eval=run.t, rtol=1e-10, atol=1e-11
    ).y.T
    # a step h turns by 12 rad/s h: of 10 rad the part (12 rad/s h)^2 / 12 is wrong, 3e-5 rad on 0.11 m
    near = 1e-7 if isinstance(integrator, fb.Explicit) else 1e-5
    np.testing.assert_allclose(run.position("body"), exact[:, :3], atol=near)
    assert not run.element("mount").deformation[:, 3:].any()
    assert run.energy.balance_error < (1e-8 if isinstance(integrator, fb.Explicit) else 1e-3)


@pytest.mark.parametrize(
    "change", [{"stiffness": (1e5, 2e5, 1e5, 1e3, 1e3, 0)}, {"damping": (0, 0, 0, 1.0, 2.0, 0)}]
)
def test_one_that_differs_around_its_axis_ends_at_half_a_turn(change):
    disc = fb.RigidBody("disc", 10.0, (0.1, 0.1, 0.15), angular_velocity=(0, 0, 40.0))
    values = {"stiffness": (1e5, 1e5, 1e5, 1e3, 1e3, 0)} | change
    bearing = fb.Bushing("bearing", fb.GROUND, disc, point=(0, 0, 0), **values)
    assert bearing.free_axis == -1
    with pytest.raises(fb.FlexbodyError, match=r"half a turn.*equal stiffness and equal damping across it"):
        fb.simulate(fb.System([disc], forces=[bearing]), 1.0, show_progress=False)


def test_the_ring_that_the_message_names_does_the_same():
    """A light ring on the bushing, and the shaft in a joint on the ring: a rotor out of balance, 1.6 turns."""
    values = dict(damping=(30.0, 30.0, 30.0, 0.2, 0.2, 0.0), point=(0, 0, 0))
    shaft = fb.RigidBody(
        "shaft",
        5.0,
        (0.2, 0.2, 0.05),
        center=(0.002, 0, 0),
        angular_velocity=(0, 0, 20.0),
        velocity=(0, 0.04, 0),
    )
    ring = fb.RigidBody("ring", 1e-4, (1e-7,) * 3)
    own = fb.Bushing("bearing", fb.GROUND, shaft, stiffness=(1e5, 1e5, 1e5, 2e3, 2e3, 0), **values)
    held = fb.Bushing("bearing", fb.GROUND, ring, stiffness=(1e5, 1e5, 1e5, 2e3, 2e3, 50.0), **values)
    pin = fb.Revolute("pin", ring, shaft, point=(0, 0, 0), axis="z")
    options = dict(t_end=0.5, integrator=fb.Explicit(rtol=1e-8), show_progress=False, output_step=0.01)
    one = fb.simulate(fb.System([shaft], forces=[own], gravity=(0, -9.81, 0)), **options)
    other = fb.simulate(fb.System([shaft, ring], [pin], [held], gravity=(0, -9.81, 0)), **options)
    way = np.ptp(other.position("shaft"), axis=0).max()
    # the ring has 2e-5 of the mass: the phase of 141 rad/s is off by 1e-5 of 70 rad
    assert np.abs(one.position("shaft") - other.position("shaft")).max() < 1e-3 * way


@pytest.mark.parametrize("order", ["from the ground", "to the ground", "two"])
def test_ball_joints_on_a_massless_body_turn_without_limit(order):
    """Two springs of 2 k in series are one of k: more than a turn of a thrown pendulum on one elastic ball joint."""
    bar = fb.RigidBody("bar", 1.0, (0.02,) * 3, center=(0.5, 0, 0), angular_velocity=(1.0, -8.0, 4.0))
    eye, soft, stiff = fb.MasslessBody("eye"), [1e4] * 3 + [0.0] * 3, [2e4] * 3 + [0.0] * 3
    ends = (eye, fb.GROUND) if order == "to the ground" else (fb.GROUND, eye)
    last = stiff if order == "two" else [2e4] * 3 + [50.0] * 3
    both = [
        fb.Bushing("first", *ends, stiffness=stiff, point=(0, 0, 0)),
        fb.Bushing("last", eye, bar, stiffness=last, point=(0, 0, 0)),
    ]
    one = [fb.Bushing("one", fb.GROUND, bar, stiffness=soft, point=(0, 0, 0))]
    result, expected = (
        fb.simulate(
            fb.System([bar], forces=forces, gravity=(0, 0, -9.81)), 2.0,
            integrator=fb.Explicit(rtol=1e-9), show_progress=False,
        )
        for forces in (both, one)
    )  # fmt: skip
    along = expected.rotation("bar")[:, :, 0]
    assert along[:, 0].min() < -0.9  # half a turn and more
    # the stiffness of 50 Nm/rad gives way by the moment of a displacement, 1e-3 m, that each end takes half of
    np.testing.assert_allclose(result.rotation("bar")[:, :, 0], along, atol=1e-6 if order == "two" else 1e-3)
