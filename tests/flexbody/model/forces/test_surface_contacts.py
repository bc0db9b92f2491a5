"""Surfaces of meshes that touch planes, spheres, cylinders and boxes."""

import numpy as np
import pytest

import fem
import flexbody as fb
import modal
from flexbody.view.geometry.colours import ELEMENT

G = 9.81


def block(**motion):
    """A block of 2 kg with edges of 0.1 m that stands at z = 0, and its surface."""
    body = fb.RigidBody("block", 2.0, (5e-3, 4e-3, 3e-3), center=(0, 0, 0.05), **motion)
    return body, fb.Surface.of(body, fem.box((0.1, 0.1, 0.1), (4, 4, 4), origin=(-0.05, -0.05, 0)))


def on_floor(body, surface, **law):
    floor = fb.SurfaceContact("floor", surface, fb.Plane(fb.GROUND), **law)
    return fb.System([body], forces=[floor], gravity=(0, 0, -G))


def cap(body, radius, n=40_000):
    """Points on a sphere about the centre of a body, evenly spread on a spiral."""
    z = 1 - (2 * np.arange(n) + 1) / n
    turn = np.pi * (1 + np.sqrt(5)) * np.arange(n)
    across = np.sqrt(1 - z**2)
    e = np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)[z < -0.9]
    return fb.Surface(body, np.asarray(body.center) + radius * e, 4 * np.pi * radius**2 / n * e)


def disc(body, radius, rings=40, around=64):
    """Points of a disc at z = 0, in rings."""
    r, angle = (
        radius * (np.arange(rings) + 0.5) / rings,
        2 * np.pi * np.arange(around) / around,
    )
    points = np.stack(
        [np.outer(r, np.cos(angle)), np.outer(r, np.sin(angle)), np.zeros((rings, around))], axis=-1
    )
    areas = np.repeat(2 * np.pi * r * radius / rings / around, around)
    return fb.Surface(body, points.reshape(-1, 3), np.outer(areas, (0, 0, -1)))


@pytest.mark.parametrize("n", [1, 3])
def test_a_block_sinks_by_its_weight_over_stiffness_and_area(n):
    body = block()[0]
    surface = fb.Surface.of(body, fem.box((0.1, 0.1, 0.1), (n, n, n), origin=(-0.05, -0.05, 0)))
    state = fb.equilibrium(on_floor(body, surface, stiffness=1e9))
    assert 0.05 - state.position(body)[2] == pytest.approx(2 * G / (1e9 * 0.01), rel=1e-7)


def test_a_sphere_on_an_elastic_foundation():
    # K. L. Johnson, Contact Mechanics, (4.65): F = pi k R delta^2
    R, k = 0.1, 1e9
    body = fb.RigidBody("ball", 50.0, (0.2, 0.2, 0.2), center=(0, 0, R))
    floor = fb.SurfaceContact("floor", cap(body, R), fb.Plane(fb.GROUND), stiffness=k)
    guide = fb.Prismatic("guide", fb.GROUND, body, axis="z", point=(0, 0, R))
    state = fb.equilibrium(fb.System([body], [guide], [floor], gravity=(0, 0, -G)))
    depth = np.sqrt(50 * G / (np.pi * k * R))
    # some hundred points lie in the contact
    assert R - state.position(body)[2] == pytest.approx(depth, rel=0.01)


def test_friction_brakes_a_spinning_disc():
    # torque 2/3 mu N a of a uniform pressure, inertia m a^2 / 2
    a, mu, k = 0.2, 0.3, 1e8
    rest = 1.0 * G / (k * np.pi * a**2)
    body = fb.RigidBody("disc", 1.0, (0.01, 0.01, 0.02), center=(0, 0, -rest), angular_velocity=(0, 0, 30.0))
    surface = disc(body, a)
    surface = fb.Surface(body, np.asarray(surface.points) - (0, 0, rest), surface.areas)
    machine = on_floor(body, surface, stiffness=k, mu=mu, regularisation_velocity=1e-3)
    result = fb.simulate(machine, 0.2, output_step=0.05, show_progress=False)
    fall = 4 * mu * G / (3 * a)
    spin = result.angular_velocity(body)[:, 2]
    # rings of finite width: 1/(4 rings^2) of the moment, and the slip below which friction falls near the centre
    np.testing.assert_allclose(spin, 30.0 - fall * result.t, rtol=1e-3)


def plane(points):
    return points[:, 2], np.tile([0.0, 0.0, 1.0], (len(points), 1))


def ball(points):
    apart = points - np.array([0.12, 0.02, 0.03])
    length = np.linalg.norm(apart, axis=1)
    return length - 0.04, apart / length[:, None]


def drum(points):
    apart = (points - np.array([0.0, 0.1, 0.02])) * (0, 1, 1)
    length = np.linalg.norm(apart, axis=1)
    return length - 0.05, apart / length[:, None]


def energy(surface, center, k, distance, c, Q):
    """Brute force: the energy of the foundation of a body with the place c and the rotation Q."""
    gap, n = distance(c + (np.asarray(surface.points) - center) @ Q.T)
    area = np.abs(np.einsum("ij,ij->i", n, np.asarray(surface.areas) @ Q.T))
    return np.sum(0.5 * k * area * np.minimum(gap, 0.0) ** 2)


def load(of, c, Q, h=1e-7):
    """Minus the derivatives of an energy by a motion and by a rotation."""
    force, moment = np.zeros(3), np.zeros(3)
    for i, e in enumerate(np.eye(3)):
        turn = np.cos(h) * np.eye(3) + (1 - np.cos(h)) * np.outer(e, e) + np.sin(h) * np.cross(np.eye(3), e)
        force[i] = (of(c - h * e, Q) - of(c + h * e, Q)) / (2 * h)
        moment[i] = (of(c, turn.T @ Q) - of(c, turn @ Q)) / (2 * h)
    return force, moment


def test_loads_of_a_tumbling_block_are_the_derivatives_of_the_energy():
    body, surface = block(velocity=(0.8, 0.5, 0), angular_velocity=(6.0, 9.0, 2.0))
    shapes = {
        plane: fb.Plane(fb.GROUND),
        ball: fb.Sphere(fb.GROUND, 0.04, point=(0.12, 0.02, 0.03)),
        drum: fb.Cylinder(fb.GROUND, 0.05, 2.0, axis="x", point=(0, 0.1, 0.02)),
    }
    k, center = 1e8, np.array([0, 0, 0.05])
    touches = [
        fb.SurfaceContact(f"touch {shape.__name__}", surface, other, stiffness=k)
        for shape, other in shapes.items()
    ]
    machine = fb.System([body], forces=touches, gravity=(0, 0, -G))
    results = [
        fb.simulate(
            machine, 0.15, integrator=fb.Explicit(), output_step=5e-4, description=way, show_progress=False
        )
        for way in (fb.Absolute(), fb.Relative())
    ]
    result = results[0]
    np.testing.assert_allclose(results[1].position(body)[:40], result.position(body)[:40], atol=1e-6)
    c, Q = result.position(body)[1:], result.rotation(body)[1:]  # without the first touch, a kink
    for shape, touch in zip(shapes, touches, strict=True):
        history = result.element(touch)
        found = [
            load(lambda *at, s=shape: energy(surface, center, k, s, *at), *at)
            for at in zip(c, Q, strict=True)
        ]
        force, moment = np.array(found).swapaxes(0, 1)
        assert np.abs(force).max() > 10.0  # each was touched
        # round-off of the differences, and points that begin to touch within them
        np.testing.assert_allclose(history.force_on[1:, 0], force, atol=1e-5 * np.abs(force).max())
        np.testing.assert_allclose(history.force_on[1:, 1], -force, atol=1e-5 * np.abs(force).max())
        np.testing.assert_allclose(history.moment_on[1:, 0], moment, atol=1e-5 * np.abs(moment).max())
    assert result.energy.balance_error < 1e-3


FEET = {"a": (0, 0, 0), "b": (0.4, 0, 0), "c": (0.2, 0.05, 0)}


def beam():
    """A soft bar, 0.4 m long, with its lower face at z = 0 and markers at three nodes of this."""
    rubber = fem.Isotropic(E=2e7, nu=0.3, rho=1200.0)
    mesh = fem.box((0.4, 0.05, 0.04), (8, 1, 1))
    for name, at in FEET.items():
        mesh = mesh.select(name, nearest=at)
    structure = fem.assemble(mesh, rubber)
    basis = modal.eigenmodes(structure, n=4)
    return modal.reduce(structure, basis, name="bar", markers=tuple(FEET), stiffening=False)


def test_a_flexible_body_is_pressed_as_by_single_contacts():
    reduced = beam()
    body = fb.FlexibleBody("bar", reduced, place={"a": FEET["a"], "b": FEET["b"]}, velocity=(0.1, 0, -0.5))
    area, law = 2e-3, {"exponent": 1.0, "dissipation": 0.5, "mu": 0.3}
    surface = fb.Surface(body, list(FEET.values()), [(0, 0, -area)] * 3)
    floor = fb.SurfaceContact("floor", surface, fb.Plane(fb.GROUND), stiffness=1e8, **law)
    single = [
        fb.Contact(name, fb.Plane(fb.GROUND), fb.Sphere(body[name], 0.0), stiffness=1e8 * area, **law)
        for name in FEET
    ]
    results = [
        fb.simulate(
            fb.System([body], forces=forces, gravity=(0, 0, -G)),
            0.02,
            integrator=fb.Explicit(rtol=1e-9),
            show_progress=False,
        )
        for forces in ([floor], single)
    ]
    # the plane sees less of the areas when the bar tilts, by the square of 0.01 rad
    for quantity in ("position", "alpha"):
        one, other = (getattr(result, quantity)(body) for result in results)
        np.testing.assert_allclose(one, other, atol=1e-3 * np.abs(other).max())
    history = results[0].element("floor")
    total = sum(results[1].element(one).second[:, :3] for one in single)
    assert np.abs(total).max() > 10.0
    np.testing.assert_allclose(history.force_on[:, 0], total, atol=1e-3 * np.abs(total).max())
    np.testing.assert_allclose(history.force_on[:, 1], -total, atol=1e-3 * np.abs(total).max())
    assert results[0].energy.balance_error < 1e-6


def test_bad_input_is_named():
    body, surface = block()
    flexible = fb.FlexibleBody("bar", beam())
    with pytest.raises(fem.InputError, match="is rigid; give the mesh of its surface"):
        fb.Surface.of(body)
    with pytest.raises(fem.InputError, match="has its own surface; leave mesh out"):
        fb.Surface.of(flexible, fem.box((1, 1, 1), (1, 1, 1)))
    with pytest.raises(fem.InputError, match="has no point of its surface in the box"):
        fb.Surface.of(flexible, box=((5, 5, 5), (6, 6, 6)))
    with pytest.raises(fem.InputError, match="a corner of box must be three finite numbers"):
        fb.Surface.of(flexible, box=((0, 0), (6, 6)))
    with pytest.raises(fem.InputError, match="areas must be 1 vectors"):
        fb.Surface(body, [(0, 0, 0)], [(1.0, 0.0)])
    for triangles in ([(0, 1, 2)], (float("nan"), 0, 0), [(0, float("nan"), 0)]):
        with pytest.raises(
            fem.InputError, match=r"triangles must be numbers of its 1 points, \(nt, 3\), not"
        ):
            fb.Surface(body, [(0, 0, 0)], [(0, 0, 1)], triangles=triangles)
    floor = fb.Plane(fb.GROUND)
    said = {
        "other is a Wheel": fb.SurfaceContact("c", surface, fb.Wheel(fb.GROUND, 0.1), stiffness=1.0),
        "surface and other are both on": fb.SurfaceContact("c", surface, fb.Sphere(body, 0.1), stiffness=1.0),
    }
    for words, force in said.items():
        with pytest.raises(fem.InputError, match=words):
            fb.simulate(fb.System([body], forces=[force]), 1.0)
    beside = fb.SurfaceContact("c", fb.Surface(flexible, [(0, 0, 1.0)], [(0, 0, 1.0)]), floor, stiffness=1.0)
    with pytest.raises(fem.InputError, match="point 0 of the surface"):
        fb.simulate(fb.System([flexible], forces=[beside]), 1.0)


def test_a_picture_shows_the_surface_and_its_force(tmp_path):
    body, surface = block()
    state = fb.equilibrium(on_floor(body, surface, stiffness=1e8))
    assert state.result.element("floor").point[0] == pytest.approx(
        [0, 0, -0.5 * 2 * G / (1e8 * 0.01)], abs=1e-9
    )
    bare, shown = (np.asarray(fb.picture(state.result, forces=f, size=(320, 180))) for f in (False, True))
    colour = 255 * np.array(ELEMENT)
    arrow = [(np.abs(image - colour) < 40).all(axis=-1).sum() for image in (bare, shown)]
    assert arrow[1] > arrow[0] + 20  # pixels in the colour of force elements


def test_a_stored_run_has_its_surface(tmp_path):
    body, surface = block()
    machine = on_floor(body, surface, stiffness=1e8)
    fb.simulate(machine, 0.01, show_progress=False).save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5").system.forces[0]
    np.testing.assert_array_equal(again.surface.points, surface.points)
    assert again.surface.size == surface.size
