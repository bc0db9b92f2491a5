"""Every joint on rigid and flexible frames: Jacobian and bias by differences, G H = 0, reaction power."""

from dataclasses import replace

import numpy as np
import pytest
from support.joints import (
    AXIS,
    CAMS,
    CASES,
    FIRST,
    GUIDEWAYS,
    JOINTS,
    SECOND,
    flexible,
    joint,
    rigid,
    sides,
    stiffened,
)
from support.pairs import pairwise
from support.state import evaluated, machine_state, moved, random_state, two_bodies

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.equations import biases, dense, velocity_residual
from flexbody.equations.consistent_start import consistent_start
from flexbody.model.joints.base import Joint


def drives(target: Joint):
    """All coordinates of the joint, and their sum, driven by functions with all derivatives."""
    motion = {"value": Wave(0), "velocity": Wave(1), "acceleration": Wave(2)}
    names = [name for name in target.coordinates if name != "distance"]  # which a bar holds
    out = [fb.Drive(f"drive {name}", target, which=name, **motion) for name in names]
    terms = [(target, name, 0.4 + k) for k, name in enumerate(target.coordinates)]
    return [*out, fb.Coupler("sum", terms, **motion)] if terms else out


def test_every_joint_is_among_the_cases():
    """A new joint belongs into ``support.joints.JOINTS``; each stands between rigid, flexible and stiffened bodies."""
    kinds = {value for name in fb.__all__ if isinstance(value := getattr(fb, name), type)}
    assert {kind for kind in kinds if issubclass(kind, Joint)} == {*JOINTS, *GUIDEWAYS, *CAMS}


class Wave:
    """A derivative of 0.3 + sin(2 t); an object is called back, which saves the time to compile it."""

    def __init__(self, order: int) -> None:
        self.order = order

    def __call__(self, t: float) -> float:
        return (0.3 + np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t))[self.order]


WHEN = {"motion": True, "rest": False}
MOVED = [
    pytest.param(kind, first + second, moving, id=f"{kind.__name__}-{first}{second}-{when}")
    for kind, first, second, (when, moving) in pairwise(JOINTS, FIRST, SECOND, WHEN.items())
]


def rates(plan, state, t, dt):
    """Residuals at t - dt, t, t + dt along the motion with constant vdot."""
    return [evaluated(plan, moved(plan, state, s * dt), t + s * dt).phi.copy() for s in (-2, -1, 0, 1, 2)]


@pytest.mark.parametrize(("kind", "between", "moving"), MOVED)
def test_jacobian_and_bias_are_derivatives_of_the_residual(kind, between, moving):
    """Five-point differences in time; truncation dt^4 and round-off eps/dt^2 leave 1e-7 of values near 10."""
    first, second = sides(between)
    target = joint(kind, first, second)
    check_derivatives(two_bodies(target, first, second, drives(target)), moving)


def check_derivatives(plan, moving):
    """Rates and accelerations of all rows along a motion, or from rest, against differences of their residuals."""
    # far from closed, but no angle near where its axis is lost
    c, q, alpha, v, vdot = random_state(plan, np.random.default_rng(11), turn=0.3)
    state = c, q, alpha, v if moving else 0 * v, vdot
    t, dt = 0.4, 1e-3
    a, b, c, d, e = rates(plan, state, t, dt)
    W = evaluated(plan, state, t)
    v, vdot = state[3], state[4]
    phi_dot, bias = np.empty(plan.n_rows), np.empty(plan.n_rows)
    velocity_residual(plan.layout, W, v, phi_dot)
    biases(plan.layout, W, t, bias)
    M, G = np.empty((len(v), len(v))), np.empty((plan.n_rows, len(v)))
    dense(plan.layout, W, M, G)
    np.testing.assert_allclose(phi_dot, (a - 8 * b + 8 * d - e) / (12 * dt), atol=2e-8)
    second_rate = (-a + 16 * b - 30 * c + 16 * d - e) / (12 * dt**2)
    np.testing.assert_allclose(G @ vdot + bias, second_rate, atol=2e-6)
    return G


#: of two joints in a row
COUPLINGS = {
    "gear": lambda one, two: fb.Gear("g", one, two, ratio=1.7, pressure_angle=None),
    "internal gear": lambda one, two: fb.Gear("g", one, two, ratio=0.6, internal=True, pressure_angle=None),
    "rack": lambda one, two: fb.Rack("g", one, two, radius=-0.3, pressure_angle=None),
    "rack of one joint": lambda one, two: fb.Rack("g", two, two, radius=0.4),
    "coupler": lambda one, two: fb.Coupler(
        "g", [(one, "slide", 0.7), (two, "angle", -0.2), (one, "angle", 1.5), (two, "slide", 2.0)],
        value=Wave(0), velocity=Wave(1), acceleration=Wave(2),
    ),
}  # fmt: skip
#: the first body, the middle one that carries both joints, the last one; in motion or at rest
COUPLED = [
    pytest.param(name, first + middle + last, moving, id=f"{name}-{first}{middle}{last}-{when}")
    for name, first, middle, last, (when, moving) in pairwise(COUPLINGS, FIRST, SECOND, SECOND, WHEN.items())
]


@pytest.mark.parametrize(("name", "bodies", "moving"), COUPLED)
def test_couplings_across_three_bodies(name, bodies, moving):
    """As for joints; and no leg is left out: every body that a joint of the coupling moves has its part."""
    make = {"r": rigid, "f": flexible, "s": stiffened}
    chain = [
        fb.GROUND if kind == "g" else make[kind](letter, 0.6 * k)
        for k, (kind, letter) in enumerate(zip(bodies, "abc", strict=True))
    ]
    # a body's first joint at p, its second at q: at a rigid body's points
    one, two = (
        fb.Cylindrical(
            label,
            *(end[mark] if isinstance(end, fb.FlexibleBody) else end for end, mark in zip(ends, marks, strict=True)),
            point=None if all(isinstance(end, fb.FlexibleBody) for end in ends) else (0.4 + k, 0.3, 0.2),
            axis=(AXIS, (0.1, 1.0, 0.3))[k],
        )
        for k, (label, ends, marks) in enumerate((("one", chain[:2], "pq"), ("two", chain[1:], "pq")))
    )  # fmt: skip
    moved_bodies = [body for body in chain if body is not fb.GROUND]
    plan = make_plan(fb.System(moved_bodies, [one, two, COUPLINGS[name](one, two)]))
    row = check_derivatives(plan, moving)[-1]
    for body in moved_bodies[1 if name == "rack of one joint" and bodies[0] != "g" else 0 :]:
        first = plan.layout.v_at[plan.body_index[body.name]]
        last = plan.layout.v_at[plan.body_index[body.name] + 1]
        assert np.linalg.norm(row[first + 3 : last]) > 1e-2


#: teeth on two joints of one carrier
TEETH = {
    "helical": lambda one, two: fb.Gear("g", one, two, ratio=1.7, helix_angle=0.3, flank=1),
    "ring": lambda one, two: fb.Gear("g", one, two, ratio=1.7, internal=True),
    "rack": lambda one, two: fb.Rack("g", one, two, radius=0.3),
}


@pytest.mark.parametrize(
    ("name", "bodies", "moving"),
    [
        pytest.param(name, carrier + wheel + other, moving, id=f"{name}-{carrier}{wheel}{other}-{when}")
        for name, carrier, wheel, other, (when, moving) in pairwise(
            TEETH, FIRST, SECOND, SECOND, WHEN.items()
        )
    ],
)
def test_teeth_between_two_bodies_on_a_carrier(name, bodies, moving):
    """Rates and bias by differences; the tooth force acts on both wheels, and the carrier is in balance."""
    make = {"r": rigid, "f": flexible, "s": stiffened}
    carrier, *wheels = (
        fb.GROUND if kind == "g" else make[kind](letter, 0.6 * k)
        for k, (kind, letter) in enumerate(zip(bodies, "abc", strict=True))
    )
    joints = []
    for label, mark, wheel in zip(("one", "two"), "pq", wheels, strict=True):
        ends = [body[mark] if isinstance(body, fb.FlexibleBody) else body for body in (carrier, wheel)]
        named = all(isinstance(end, fb.BodyFrame) for end in ends)
        kind, axis = (
            (fb.Prismatic, (0, 1, 0)) if (name, label) == ("rack", "two") else (fb.Cylindrical, AXIS_OF_TEETH)
        )
        joints.append(
            kind(label, *ends, point=None if named else (0.4 + wheels.index(wheel), 0.3, 0.2), axis=axis)
        )
    moved_bodies = [body for body in (carrier, *wheels) if body is not fb.GROUND]
    plan = make_plan(fb.System(moved_bodies, [*joints, TEETH[name](*joints)]))
    row = check_derivatives(plan, moving)[-1]
    for wheel in wheels:
        first = plan.layout.v_at[plan.body_index[wheel.name]]
        assert np.linalg.norm(row[first : first + 6]) > 1e-2
    # as drawn, action and reaction are in balance between the wheels alone
    W = evaluated(plan, (*plan.start(), np.zeros(plan.n_velocities)))
    legs = plan.row_legs(plan.rows["g"].start)
    frames = plan.layout.leg_frame[legs]
    total = np.zeros((2, 2, 3))
    for f, load in zip(frames, W.leg_slope[legs], strict=True):
        about = load[1] + np.cross(W.frame_r[f], load[0])
        total[0 if plan.layout.frame_body[f] in _on(plan, wheels) else 1] += [load[0], about]
    np.testing.assert_allclose(total, 0, atol=1e-9)


#: the axis of the wheels, perpendicular to the way of the rack
AXIS_OF_TEETH = (0.6, 0.0, 0.8)


def _on(plan, bodies):
    return [plan.body_index[body.name] for body in bodies]


@pytest.mark.parametrize(("kind", "between"), CASES)
def test_free_motions_are_what_the_constraints_leave(kind, between):
    """Contract of a joint: G H = 0 and [G^T H] spans all six relative motions, at a closed, moved position."""
    first, second = sides(between)
    target = joint(kind, first, second)
    plan = two_bodies(target, first, second)
    rng = np.random.default_rng(5)
    c, q, alpha, v, _ = random_state(plan, rng, turn=0.2)
    start = consistent_start(plan, machine_state(plan, c, q, alpha, v))
    counted = replace(plan, counted_coordinates=start.revolutions[:, 1])
    W = evaluated(counted, (start.c, start.q, start.all_alpha, start.v, start.vdot))
    assert np.abs(W.phi).max(initial=0.0) < 1e-10
    i, j = plan.frames["j"]
    H = target.motions(W.frame_R[i], W.frame_R[j], W.frame_r[j] - W.frame_r[i])
    scale = np.concatenate([np.ones(3), np.full(3, plan.layout.length)])
    G = W.direction[: plan.n_rows, 2:].reshape(-1, 6)
    np.testing.assert_allclose(G @ H, 0, atol=1e-9)
    assert G.shape[0] + H.shape[1] == 6
    assert np.linalg.svd(np.hstack([(G / scale).T, H]), compute_uv=False)[-1] > 0.05


@pytest.mark.parametrize(("kind", "between"), [case for case in CASES if case.values[0] is not fb.Floating])
def test_reactions_do_no_work(kind, between):
    """Action and reaction at one point: no power in any motion that the joint allows, deformation included."""
    first, second = sides(between)
    target = joint(kind, first, second)
    twist = fb.PointMoment("twist", target.second, (2.0, 1.0, -3.0))  # for joints that hold rotations only
    plan = two_bodies(target, first, second, gravity=(3.0, -9.0, 5.0), forces=[twist])
    c, q, alpha, v, _ = random_state(plan, np.random.default_rng(6), turn=0.2)
    start = consistent_start(plan, machine_state(plan, c, q, alpha, v))
    W = evaluated(plan, (start.c, start.q, start.all_alpha, start.v, start.vdot))
    loads = -start.multipliers[:, None, None] * W.direction[: plan.n_rows, 2:]
    force, moment = loads.sum(axis=0)
    i, j = plan.frames["j"]
    arm = W.frame_r[j] - W.frame_r[i]
    power = force @ W.frame_v[j] + moment @ W.frame_w[j]
    power -= force @ (W.frame_v[i] + np.cross(W.frame_w[i], arm)) + moment @ W.frame_w[i]
    assert max(np.linalg.norm(force), np.linalg.norm(moment)) > 1e-3
    # the speeds of the random state are of the order of 1 m/s and 1 rad/s, even where the joint leaves none
    size = np.linalg.norm(force) * (1 + np.linalg.norm(W.frame_v[j])) + np.linalg.norm(moment)
    assert abs(power) < 1e-10 * size


@pytest.mark.parametrize(("kind", "between"), CASES)
def test_coordinates_are_what_the_free_motions_change(kind, between):
    """As many rates as free motions, independent of each other (a bar's five motions count its three angles only)."""
    first, second = sides(between)
    target = joint(kind, first, second)
    plan = two_bodies(target, first, second, drives(target))
    c, q, alpha, v, _ = random_state(plan, np.random.default_rng(5), turn=0.2)
    free = two_bodies(target, first, second)
    start = consistent_start(free, machine_state(free, c, q, alpha, v))
    W = evaluated(plan, (start.c, start.q, start.all_alpha, start.v, start.vdot))
    i, j = plan.frames["j"]
    H = target.motions(W.frame_R[i], W.frame_R[j], W.frame_r[j] - W.frame_r[i])
    rates = W.coordinate_slope[:, 2:].reshape(-1, 6)
    used = [k for k, (_, which) in enumerate(plan.coordinates) if which != "distance"]
    motions = len(used) if kind in (fb.Distance, fb.Screw) else H.shape[1]
    moved_by = np.linalg.matrix_rank(rates[used] @ H, tol=1e-6) if used else 0
    assert moved_by == min(motions, H.shape[1])


@pytest.mark.parametrize("which", ["angle_x", "angle_y", "angle_z"])
def test_bryant_angles_are_turns_about_new_axes(which):
    """R = Rx(a) Ry(b) Rz(c), Sol (2.2.18) with the columns as new axes, recovered one by one."""
    a, b, c = 0.7, -0.4, 2.1
    turn = {"angle_x": a, "angle_y": b, "angle_z": c}
    R = rotation(0, a) @ rotation(1, b) @ rotation(2, c)
    found = fb.Spherical.coordinates[which].value(
        np.eye(3)[None], np.zeros((1, 3)), R[None], np.zeros((1, 3))
    )
    assert found[0] == pytest.approx(turn[which], abs=1e-14)


def rotation(axis: int, angle: float) -> np.ndarray:
    out = np.eye(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[i, i] = out[j, j] = np.cos(angle)
    out[j, i] = np.sin(angle)
    out[i, j] = -np.sin(angle)
    return out
