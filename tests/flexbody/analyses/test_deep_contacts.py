"""Contacts whose shapes go through each other are told, with the stiffness that would hold them."""

import re
import warnings

import numpy as np
import pytest
import scipy.optimize

import fem
import flexbody as fb

MASS, RADIUS, HEIGHT, GRAVITY = 1.0, 0.1, 0.2, 9.81


def body(name: str = "ball", z: float = RADIUS + HEIGHT, x: float = 0.0) -> fb.RigidBody:
    return fb.RigidBody(name, MASS, (4e-3,) * 3, center=(x, 0, z))


def told(bodies, contact, duration=1.5, **options) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        machine = fb.System(bodies, forces=[contact], gravity=(0, 0, -GRAVITY))
        fb.simulate(machine, duration, show_progress=False, **options)
    return [str(one.message) for one in found if "inside each other at t" in str(one.message)]


def on_floor(stiffness: float, **options) -> list[str]:
    ball = body()
    return told(
        [ball],
        fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, RADIUS), stiffness=stiffness),
        **options,
    )


def depth(stiffness: float) -> float:
    """The deepest place d of the fall: m g (h + d) = k d^2.5 / 2.5."""

    def left(d: float) -> float:
        return MASS * GRAVITY * (HEIGHT + d) - stiffness * d**2.5 / 2.5

    return scipy.optimize.brentq(left, 1e-6, 100.0)


@pytest.mark.parametrize("options", [{}, {"integrator": fb.Explicit()}, {"output_step": 1.5}, {"step": 1e-3}])
def test_a_ball_that_falls_through_a_soft_floor(options):
    """Told from all steps, so from runs that store two states too; three digits are told."""
    (said,) = on_floor(10.0, **options)
    assert said.startswith("Contact 'floor': its shapes were up to ")
    assert float(re.search(r"up to ([\d.]+) m", said)[1]) == pytest.approx(depth(10.0), rel=5e-3)
    stiffness = float(re.search(r"stiffness=([\de.+]+)", said)[1])
    assert depth(stiffness) < 0.1 * RADIUS  # as it says
    assert on_floor(stiffness) == []


@pytest.mark.parametrize("part", [0.9, 1.1])
def test_half_the_size_is_the_limit(part):
    """The stiffness at which the ball goes in by 0.9 and 1.1 of its radius."""
    d = part * RADIUS
    stiffness = 2.5 * MASS * GRAVITY * (HEIGHT + d) / d**2.5
    assert len(on_floor(stiffness)) == (part > 1.0)


def test_other_contacts():
    """A box by half its height, spheres of a heap, and the surface of a body."""
    box = body("box")
    plane = fb.Plane(fb.GROUND)
    assert (
        len(told([box], fb.Contact("floor", plane, fb.Box(box, (0.2, 0.2, 0.2)), stiffness=10.0), 1.0)) == 1
    )
    one, other = body("one"), body("other", z=0.9)
    spheres = [fb.Sphere(one, RADIUS), fb.Sphere(other, RADIUS)]
    assert len(told([one, other], fb.Contacts("heap", spheres, [plane], stiffness=10.0), 1.0)) == 1
    assert (
        told([one, other], fb.Contacts("heap", spheres, [plane], stiffness=1e6, dissipation=0.5), 1.0) == []
    )
    block = fb.RigidBody("block", mass=2.0, inertia=(5e-3, 5e-3, 5e-3), center=(0, 0, 0.05))
    surface = fb.Surface.of(block, fem.box((0.1, 0.1, 0.1), (2, 2, 2), origin=(-0.05, -0.05, 0)))
    for stiffness, times in ((1e3, 1), (1e9, 0)):
        assert (
            len(told([block], fb.SurfaceContact("floor", surface, plane, stiffness=stiffness), 0.5)) == times
        )


THIN = {"wheel": (0.35, 0.03), "plate": (0.5, 0.01)}  # half its height, and how thin it is, m


@pytest.mark.parametrize("turned", [False, True], ids=["level", "tilted"])
@pytest.mark.parametrize("kind", THIN)
@pytest.mark.parametrize("part", [0.1, 0.9, 1.1])
def test_what_stands_on_a_plane_counts_by_its_height(kind, part, turned):
    """A wheel on its tyre and a plate on its edge, which fall into a soft plane by a part of half their height.

    Points fall by 2 m g / K with K the sum of their stiffness: of two or four corners that touch. Both planes are
    seen from the bodies in the same way.
    """
    half, thin = THIN[kind]
    turn = np.array([[0.8, 0, 0.6], [0, 1, 0], [-0.6, 0, 0.8]]) if turned else np.eye(3)
    n = turn[:, 2]
    it = fb.RigidBody("it", 20.0, (2, 4, 2), center=half * n)
    if kind == "wheel":
        shape, points = fb.Cylinder(it, half, thin, axis="y"), 2
    else:
        shape, points = fb.Box(it, (2 * half, thin, 2 * half), orientation=turn.T), 4
    K = 2.0 * 20.0 * GRAVITY / (part * half) / points
    floor = fb.Contact("floor", fb.Plane(fb.GROUND, normal=n), shape, stiffness=K, exponent=1.0)
    machine = fb.System([it], forces=[floor], gravity=-GRAVITY * n)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", fb.FlexbodyWarning)
        run = fb.simulate(machine, 1.0, step=1e-3, show_progress=False)
    lowest = (run.position("it") @ n).min()
    said = [str(one.message) for one in found if "inside each other at t" in str(one.message)]
    assert len(said) == (lowest < 0.0) == (part > 1.0)
    assert all(f"half the size of the smaller one is {half:.3g} m" in one for one in said)


def test_a_ball_on_a_thin_plate_is_not_told():
    """1.5 mm into a plate of 2 mm, more than half of it; the ball is 100 times as large."""
    ball = body()
    plate = fb.Box(fb.GROUND, (1.0, 1.0, 2e-3), point=(0, 0, -1e-3))
    d = 1.5e-3
    stiffness = 2.5 * MASS * GRAVITY * (HEIGHT + d) / d**2.5
    assert told([ball], fb.Contact("plate", plate, fb.Sphere(ball, RADIUS), stiffness=stiffness), 0.5) == []


def test_behind_an_event_it_is_told_too():
    late = fb.Event("late", lambda state: state.t - 1.2)
    assert len(on_floor(10.0, events=[late])) == 1


def test_points_have_no_size():
    """A sphere of radius zero is a point: it has nothing that could go through."""
    foot = body("foot")
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(foot, 0.0), stiffness=1e3)
    assert told([foot], floor, 0.5) == []
