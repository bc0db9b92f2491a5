"""Contacts among many spheres: the same loads as one contact for each pair, energy, momentum, and bad input."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from support.elements import generalized_loads
from support.state import random_state

import fem
import flexbody as fb
from flexbody.compile.plan import make_plan

pytestmark = pytest.mark.slow
LAW = dict(stiffness=2e4, dissipation=0.3, mu=0.3, regularisation_velocity=0.5)


def balls(n, radius=0.1, seed=0):
    """Spheres that overlap each other, none of the same size."""
    rng = np.random.default_rng(seed)
    bodies = [
        fb.RigidBody(f"b{k}", 1.0 + k, (0.01, 0.02, 0.02), center=x)
        for k, x in enumerate(rng.random((n, 3)) / 3)
    ]
    return bodies, [fb.Sphere(b, radius * (1 + 0.05 * k)) for k, b in enumerate(bodies)]


def test_the_loads_are_those_of_single_contacts():
    bodies, spheres = balls(12)
    others = [
        fb.Plane(fb.GROUND, (0.1, 0.2, 1.0), point=(0, 0, 0.05)),
        fb.Box(fb.GROUND, (0.1, 0.2, 0.3), point=(0.3, 0.3, 0.3)),
        fb.Cylinder(fb.GROUND, 0.05, 0.3, axis="x", point=(0.1, 0.2, 0.1)),
    ]
    pairs = [*combinations(spheres, 2), *((other, one) for other in others for one in spheres)]
    singles = [fb.Contact(f"c{k}", *pair, **LAW) for k, pair in enumerate(pairs)]
    bare = make_plan(fb.System(bodies))
    one, many = (
        make_plan(fb.System(bodies, forces=f)) for f in ([fb.Contacts("c", spheres, others, **LAW)], singles)
    )
    c, q, alpha, v, vdot = random_state(one, np.random.default_rng(2))
    state = (one.start()[0] + 0.02 * c, q, alpha, v, vdot)
    found, wanted = (generalized_loads(plan, bare, state, np.zeros(0), 0.0) for plan in (one, many))
    assert np.abs(wanted).max() > 100.0
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10 * np.abs(wanted).max())


def test_both_descriptions_and_momentum():
    """Without gravity and walls, momentum and moment of momentum stay; energies balance."""
    bodies, spheres = balls(8, 0.07)
    bodies = [
        fb.RigidBody(b.name, b.mass, (0.01,) * 3, center=b.center, velocity=-np.array(b.center))
        for b in bodies
    ]
    spheres = [fb.Sphere(b, s.radius) for b, s in zip(bodies, spheres, strict=True)]
    machine = fb.System(bodies, forces=[fb.Contacts("c", spheres, **LAW)])
    results = [
        fb.simulate(machine, 0.2, description=way, show_progress=False)
        for way in (fb.Absolute(), fb.Relative())
    ]
    places = [np.array([r.position(b) for b in bodies]) for r in results]
    np.testing.assert_allclose(places[0], places[1], atol=1e-5)
    result = results[0]
    m = np.array([b.mass for b in bodies])
    v = np.array([result.velocity(b) for b in bodies])
    w = np.array([result.angular_velocity(b) for b in bodies])
    momentum = np.einsum("b,bti->ti", m, v)
    moment = np.einsum("b,bti->ti", m, np.cross(places[0], v)) + 0.01 * w.sum(axis=0)
    np.testing.assert_allclose(momentum - momentum[0], 0, atol=1e-9)
    np.testing.assert_allclose(moment - moment[0], 0, atol=1e-5)  # the tolerance of the run, 1e-5
    assert result.energy.balance_error < 1e-4
    history = result.element("c")
    assert history.dissipated.max() > 0.0
    assert set(history.units) == {"stored", "dissipated", "input", "force_on", "moment_on", "place", "point"}
    a = np.array([result.acceleration(b) for b in bodies])
    np.testing.assert_allclose(history.force_on, np.einsum("b,bti->tbi", m, a), atol=1e-6 * np.abs(a).max())


def test_spheres_fall_into_a_box():
    n, R, side = 24, 0.02, 0.1
    grid = [(x, y, z) for z in range(6) for x in range(2) for y in range(2)]
    places = [((x - 0.5) * 0.045 + 1e-3 * z, (y - 0.5) * 0.045, 0.03 + 0.045 * z) for x, y, z in grid]
    bodies = [fb.RigidBody(f"b{k}", 0.1, (1.6e-5,) * 3, center=at) for k, at in enumerate(places)]
    walls = [fb.Plane(fb.GROUND)]
    walls += [
        fb.Plane(fb.GROUND, e, point=-side / 2 * np.array(e))
        for e in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
    ]
    touch = fb.Contacts("touch", [fb.Sphere(b, R) for b in bodies], walls, stiffness=1e5, dissipation=1.0, mu=0.2,
                        regularisation_velocity=0.05)  # fmt: skip
    machine = fb.System(bodies, forces=[touch], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, 0.2, output_step=0.01, show_progress=False)
    assert result.energy.balance_error < 1e-4
    last = np.array([result.position(b)[-1] for b in bodies])
    assert len(last) == n
    assert last[:, 2].min() > 0.9 * R
    assert np.abs(last[:, :2]).max() < side / 2 - 0.9 * R
    assert result.element("touch").dissipated.max() > 0.0


def test_spheres_that_give_one_body_its_form_do_not_press_on_each_other():
    """A dumbbell of three spheres that overlap, and a box of its own, fall as with one contact for each sphere."""
    body = fb.RigidBody("dumbbell", 2.0, (0.01, 0.02, 0.02), center=(0, 0, 0.2), angular_velocity=(0, 1, 0))
    spheres = [fb.Sphere(body, 0.1, point=(x, 0, 0.2)) for x in (-0.1, 0.0, 0.1)]
    floor, law = fb.Plane(fb.GROUND), dict(stiffness=1e6, mu=0.3)
    many = fb.Contacts("floor", spheres, [floor, fb.Box(body, (0.2, 0.1, 0.1))], **law)
    single = [fb.Contact(f"c{k}", floor, sphere, **law) for k, sphere in enumerate(spheres)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, other = (
            fb.simulate(
                fb.System([body], forces=f, gravity=(0, 0, -9.81)), 0.2, step=1e-4, show_progress=False
            )
            for f in ([many], single)
        )
    np.testing.assert_allclose(
        one.position(body), other.position(body), atol=1e-9
    )  # tolerance of Newton's method
    assert one.energy.strain[0] == 0.0


def test_bad_input_is_named():
    body = fb.RigidBody("ball", 1.0, (1, 1, 1))
    plane, ball, box = fb.Plane(fb.GROUND), fb.Sphere(body, 0.1), fb.Box(body, (1, 1, 1))
    said = {
        "contact of Box and Box is not available": fb.Contact(
            "c", fb.Box(fb.GROUND, (1, 1, 1)), box, stiffness=1.0
        ),
        "restitution is 0": fb.Contact("c", plane, ball, stiffness=1.0, restitution=0.0, impact_speed=1.0),
        "impact_speed is None": fb.Contact("c", plane, ball, stiffness=1.0, restitution=0.5),
        "stiffness is -1": fb.Contact("c", plane, ball, stiffness=-1.0),
        "radius is -0.1": fb.Contact("c", plane, fb.Sphere(body, -0.1), stiffness=1.0),
        "mu_static is 0.1": fb.Contact("c", plane, ball, stiffness=1.0, mu=0.2, mu_static=0.1),
        "give either dissipation= or restitution=": fb.Contact(
            "c", plane, ball, stiffness=1.0, dissipation=1.0, restitution=0.5, impact_speed=1.0
        ),
        "has both shapes on 'ball'": fb.Contact("c", box, ball, stiffness=1.0),
        "has both shapes on 'ground'": fb.Contact("c", plane, fb.Sphere(fb.GROUND, 0.1), stiffness=1.0),
        "spheres has": fb.Contacts("c", [plane, ball], stiffness=1.0),
        "give a sphere and another shape": fb.Contacts("c", [ball], stiffness=1.0),
    }
    for words, force in said.items():
        with pytest.raises(fem.InputError, match=words):
            fb.simulate(fb.System([body], forces=[force]), 1.0)
