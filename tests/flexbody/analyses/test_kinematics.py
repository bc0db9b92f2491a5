"""Kinematics and inverse dynamics against closed forms, and against the dynamics of the same machine."""

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from reference import machines, slider_crank

import fem
import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more


def crank_slider(**options):
    """Koppens' slider-crank (appendix D), the rod flexible in its description."""
    system, read = machines.koppens_slider_crank(**options)
    return system, read


def test_slider_crank_is_appendix_d():
    system, _ = crank_slider()
    result = fb.kinematics(system, 0.06, show_progress=False)
    wt, ratio, length = slider_crank.SPEED * result.t, slider_crank.RATIO, slider_crank.LENGTH
    cosine = np.sqrt(1 - (ratio * np.sin(wt)) ** 2)  # (D.2)
    slide = length * (ratio * np.cos(wt) + cosine)
    assert np.abs(result.position("slider")[:, 0] - slide).max() < 1e-13
    theta_rate = ratio * slider_crank.SPEED * np.cos(wt) / cosine  # (D.3), clockwise
    assert np.abs(result.angular_velocity("rod")[:, 2] + theta_rate).max() < 1e-10 * np.abs(theta_rate).max()
    # (D.8) at the ends: the reference point is the rod's middle
    at = result.plan.layout.v_at[result.plan.body_index["rod"]]
    normal = [slider_crank.normal_acceleration(np.array([length / 2]), t)[0] for t in result.t]
    theta = np.arcsin(ratio * np.sin(wt))
    across = result.vdot[:, at] * np.sin(theta) + result.vdot[:, at + 1] * np.cos(theta)
    assert np.abs(across - normal).max() < 1e-9 * np.abs(normal).max()


def test_loads_balance_the_power():
    system, _ = crank_slider()
    result = fb.kinematics(system, 0.06, output_step=1e-4, show_progress=False)
    torque = result.reaction("drive").moment[:, 2]
    kinetic = result.energy.kinetic
    rate = np.gradient(kinetic, result.t, edge_order=2)
    # central differences with step h: an error of (h w)^2 / 6 for the third harmonic, w = 450 rad/s
    assert np.abs(torque * slider_crank.SPEED - rate)[2:-2].max() < (1e-4 * 450) ** 2 * np.abs(rate).max()
    assert result.energy.balance_error < 1e-4  # Simpson's rule over 600 intervals


def four_bar(lengths, angle, rate=10.0):
    """Crank, coupler, rocker on a base of lengths[3], the crank at ``angle``; the coupler's joint lies above."""
    a, b, c, d = lengths
    A = a * np.array([np.cos(angle), np.sin(angle), 0])
    D = np.array([d, 0, 0])
    span = D - A
    s = np.linalg.norm(span)
    along = (s * s + b * b - c * c) / (2 * s)
    height = np.sqrt(b * b - along**2)
    B = A + along * span / s + height * np.array([-span[1], span[0], 0]) / s
    ends = {"crank": (np.zeros(3), A), "coupler": (A, B), "rocker": (B, D)}
    bodies = {
        name: fb.RigidBody(name, 1.0, (0.1, 0.1, 0.1), center=(p + q) / 2, markers={"b": tuple(q)})
        for name, (p, q) in ends.items()
    }
    crank, coupler, rocker = bodies["crank"], bodies["coupler"], bodies["rocker"]
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    joints = [
        main,
        fb.Revolute("A", crank, coupler, point=A),
        fb.PointOnLine("B", coupler, rocker, point=B, axis="z"),
        fb.Revolute("D", fb.GROUND, rocker, point=D),
        fb.Drive("drive", main, rate=rate),
    ]
    return fb.System(list(bodies.values()), joints, gravity=(0, -9.81, 0))


def coupler_joint(lengths, angle):
    """Closed form of the joint B, above the line from A to D."""
    a, b, c, d = lengths
    A = a * np.column_stack([np.cos(angle), np.sin(angle)])
    span = np.array([d, 0]) - A
    s = np.linalg.norm(span, axis=1)
    along = (s * s + b * b - c * c) / (2 * s)
    height = np.sqrt(b * b - along**2)
    return (
        A + (along / s)[:, None] * span + (height / s)[:, None] * np.column_stack([-span[:, 1], span[:, 0]])
    )


#: nearly a change-point linkage (a + d = b + c): twice a turn the two ways of assembly come close to each other
CLOSE = (1.0, 2.0, 2.0, 2.995)


@pytest.mark.parametrize("states", [40, 7])
def test_a_coarse_output_does_not_jump_to_the_mirrored_assembly(states):
    t_end = 4 * np.pi / 10
    result = fb.kinematics(four_bar(CLOSE, 0.5), t_end, output_step=t_end / states, show_progress=False)
    expected = coupler_joint(CLOSE, 0.5 + 10 * result.t)
    found = result.position(result.system.body("coupler")["b"])[:, :2]
    assert np.abs(found - expected).max() < 1e-9
    assert result.statistics.steps > states  # as many as it takes in between


def test_kinematics_is_the_limit_of_dynamics():
    system = four_bar((0.5, 2.0, 1.5, 2.2), 0.5)
    slow = fb.kinematics(system, 0.7, output_step=0.07, show_progress=False)
    run = fb.simulate(system, 0.7, output_step=0.07, integrator=fb.Explicit(rtol=1e-10), show_progress=False)
    for body in ("crank", "coupler", "rocker"):
        assert np.abs(slow.position(body) - run.position(body)).max() < 1e-8
    for joint in ("main", "A", "B", "D", "drive"):
        load, other = slow.reaction(joint), run.reaction(joint)
        scale = max(np.abs(other.force).max(), np.abs(other.moment).max())
        assert np.abs(load.force - other.force).max() < 1e-6 * scale
        assert np.abs(load.moment - other.moment).max() < 1e-6 * scale


def test_a_linkage_that_locks_is_named_and_the_motion_so_far_is_kept():
    lengths = (1.5, 1.0, 1.0, 2.0)  # s^2 = 1.5^2 + 2^2 - 6 cos(angle) is at most (1 + 1)^2
    with pytest.raises(fem.ConvergenceError, match=r"joint '[AB]'|joint 'D'|drive") as caught:
        fb.kinematics(four_bar(lengths, 0.3), 1.0, output_step=0.001, show_progress=False)
    limit = (np.arccos(1.5**2 / 6) - 0.3) / 10
    assert caught.value.result.t[-1] == pytest.approx(limit, abs=0.0011)


def test_a_freedom_that_is_left_is_named():
    system = four_bar((0.5, 2.0, 1.5, 2.2), 0.5)
    free = fb.System(system.bodies, system.joints[:-1], gravity=system.gravity)
    with pytest.raises(fem.InputError, match=r"1 degree of freedom left.*crank.*simulate"):
        fb.kinematics(free, 1.0)


def test_dead_points_are_passed():
    """A folding slider-crank (equal lengths) can stand still at 90 degrees; it goes on as it came."""
    crank = fb.RigidBody("crank", 1.0, (0.1, 0.1, 0.1), center=(0.5, 0, 0))
    rod = fb.RigidBody("rod", 1.0, (0.1, 0.1, 0.1), center=(1.5, 0, 0))
    slider = fb.RigidBody("slider", 1.0, (0.1, 0.1, 0.1), center=(2, 0, 0))
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    joints = [
        main,
        fb.Spherical("pin", crank, rod, point=(1, 0, 0)),
        fb.Universal("wrist", rod, slider, point=(2, 0, 0), axes=("y", "z")),
        fb.Prismatic("guide", fb.GROUND, slider, point=(2, 0, 0), axis="x"),
        fb.Drive("drive", main, rate=2.0),
    ]
    result = fb.kinematics(
        fb.System([crank, rod, slider], joints), 2.0, output_step=0.02, show_progress=False
    )
    assert np.abs(result.position("slider")[:, 0] - 2 * np.cos(2 * result.t)).max() < 1e-9


def test_a_body_whose_reference_point_is_not_its_centre():
    """A rod clamped to its frame at one end swings with the crank: reaction by Newton's law for its centre."""
    import modal

    rod_data = modal.assumed.beam(
        length=1.0,
        mass=2.0,
        EI=100.0,
        polar_inertia=1e-3,
        y=(Polynomial([0, 0, 1]), Polynomial([0, 0, 0, 1])),
        frame=modal.Unchanged(),
    )
    rod = fb.FlexibleBody("rod", rod_data)
    hinge = fb.Revolute("hinge", fb.GROUND, rod["start"], axis="z")
    drive = fb.Drive("drive", hinge, value=lambda t: 0.5 * t * t)
    result = fb.kinematics(fb.System([rod], [hinge, drive]), 1.0, output_step=0.1, show_progress=False)
    angle, rate = 0.5 * result.t**2, result.t
    along = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    across = np.column_stack([-np.sin(angle), np.cos(angle), 0 * angle])
    force = 2.0 * 0.5 * (across - rate[:, None] ** 2 * along)
    assert np.abs(result.reaction("hinge").force - force).max() < 1e-6
    assert result.reaction("drive").moment[:, 2] == pytest.approx(np.full(11, 2.0 / 3), rel=1e-6)
