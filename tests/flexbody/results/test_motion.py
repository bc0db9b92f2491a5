"""Motion of any point, seen from any frame, in any components; energies of bodies."""

import numpy as np
import pytest
from support.cloud import Cloud

import flexbody as fb
import modal


@pytest.fixture(scope="module")
def tumbling():
    """A rigid body on a ball joint, a stiffened flexible one hinged to it, and a free one; everything turns."""
    top = fb.RigidBody(
        "top", 2.0, (0.2, 0.3, 0.4), center=(0.2, 0, 0), markers={"tip": (0.4, 0.1, 0.0)}, angular_velocity=(1, 2, -1)
    )  # fmt: skip
    reduced = Cloud.random(np.random.default_rng(11), modes=3).body()
    rod = fb.FlexibleBody(
        "rod", reduced, origin=(0.4, 0.1, 0), angular_velocity=(0, 3, 1), alpha=(0.02, 0, -0.01), damping_ratio=0.02
    )  # fmt: skip
    free = fb.RigidBody("free", 1.0, (0.1, 0.2, 0.25), velocity=(0.3, 0, 0), angular_velocity=(2, -1, 3))
    foot = fb.Spherical("foot", fb.GROUND, top, point=(0, 0, 0))
    hinge = fb.Revolute("hinge", top, rod["p"], axis=(1, 1, 0))
    system = fb.System([top, rod, free], [foot, hinge], gravity=(0, 0, -9.81))
    return fb.simulate(system, 0.03, integrator=fb.Explicit(rtol=1e-12), output_step=1e-5)


def rate_of(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Central differences of fourth order, for the times without the first and last two."""
    h = t[1] - t[0]
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * h)


def close(got: np.ndarray, expected: np.ndarray, digits: float = 1e-6) -> None:
    """Differences over 10 us of motions below 300 rad/s: (omega h)^4 / 30 and round-off / h are below 1e-6."""
    np.testing.assert_allclose(got, expected, atol=digits * np.abs(expected).max())


#: places to look at, and from where
PLACES = {
    "body": "top",
    "marker": ("top", "tip"),
    "point": ("top", (0.1, 0.3, -0.2)),
    "flexible": "rod",
    "flexible marker": ("rod", "s"),
    "joint": "hinge",
}
OBSERVERS = {"inertial": None, "body": "free", "deforming": ("rod", "p"), "joint": "hinge"}
#: fixed to each other: a joint is seen on its second body, and looks from its first
FIXED = {("joint", "deforming"), ("body", "joint"), ("marker", "joint"), ("point", "joint")}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("observer", OBSERVERS)
class TestRates:
    """What an observer sees is the rate of what he sees, in his own components."""

    def test_of_positions(self, tumbling, place, observer):
        what, eye = PLACES[place], OBSERVERS[observer]
        if eye == what or ((place, observer) in FIXED and observer == "joint"):
            pytest.skip("an observer is at rest for himself, and so is what is fixed to him")
        options = {"relative_to": eye, "frame": eye}
        r, v, a = (getattr(tumbling, n)(what, **options) for n in ("position", "velocity", "acceleration"))
        close(rate_of(r, tumbling.t), v[2:-2])
        close(rate_of(v, tumbling.t), a[2:-2])

    def test_of_rotations(self, tumbling, place, observer):
        """``w~ = R. R^T``, and its rate."""
        what, eye = PLACES[place], OBSERVERS[observer]
        if (eye == what and observer != "joint") or (place, observer) in FIXED:
            pytest.skip("they are fixed to each other")
        R = tumbling.rotation(what, relative_to=eye)
        w = tumbling.angular_velocity(what, frame=eye, relative_to=eye)
        spin = np.einsum("tij,tkj->tik", rate_of(R, tumbling.t), R[2:-2])
        close(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), w[2:-2])
        close(rate_of(w, tumbling.t), tumbling.angular_acceleration(what, frame=eye, relative_to=eye)[2:-2])


def test_stiffened_bodies(tmp_path):
    """Their markers move by terms of second order too."""
    beam = modal.assumed.beam(
        length=1.0, mass=0.5, EI=2.0, polar_inertia=1e-3, y=modal.assumed.sines(2), z=modal.assumed.sines(1)
    )
    rng = np.random.default_rng(3)
    G = rng.normal(size=(6, beam.N, beam.N))
    G += G.transpose(0, 2, 1)
    from dataclasses import replace

    markers = {n: replace(m, GF=G[:3], GM=G[3:]) for n, m in beam.markers.items()}
    beam = replace(beam, markers=markers, C5_stiffening=np.zeros_like(beam.C5))
    body = fb.FlexibleBody(
        "beam", beam, angular_velocity=(1, 2, 3), alpha=(0.05, 0.02, -0.04), alpha_dot=(1, 0, 2)
    )
    assert body.stiffened
    result = fb.simulate(fb.System([body]), 0.02, integrator=fb.Explicit(rtol=1e-12), output_step=1e-5)
    end = body["end"]
    for one, two in (("position", "velocity"), ("velocity", "acceleration")):
        close(rate_of(getattr(result, one)(end), result.t), getattr(result, two)(end)[2:-2])
    R, w = result.rotation(end), result.angular_velocity(end)
    spin = np.einsum("tij,tkj->tik", rate_of(R, result.t), R[2:-2])
    close(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), w[2:-2])
    close(rate_of(w, result.t), result.angular_acceleration(end)[2:-2])


def test_newton_and_euler(tumbling):
    """m a = forces, I w. + w x I w = moments about the centre, for the rigid body between two joints."""
    top = tumbling.system.body("top")
    foot, hinge = tumbling.reaction("foot"), tumbling.reaction("hinge")
    weight = top.mass * np.array([0, 0, -9.81])
    force = foot.force - hinge.force + weight
    np.testing.assert_allclose(
        top.mass * tumbling.acceleration("top"), force, atol=1e-8 * np.abs(force).max()
    )
    heel = tumbling.position((top, (0, 0, 0))) - tumbling.position(top)
    pin = tumbling.position("hinge") - tumbling.position(top)
    moment = foot.moment - hinge.moment + np.cross(heel, foot.force) - np.cross(pin, hinge.force)
    w = tumbling.angular_velocity(top, frame=top)
    I = np.asarray(top.inertia_tensor)
    turn = tumbling.angular_acceleration(top, frame=top) @ I + np.cross(w, w @ I)
    Q = tumbling.rotation(top)
    np.testing.assert_allclose(
        np.einsum("tij,tj->ti", Q, turn), moment, atol=1e-7 * np.abs(hinge.moment).max()
    )


def test_names_and_objects_are_the_same(tumbling):
    top = tumbling.system.body("top")
    for other in (top["tip"], (top, "tip"), ("top", "tip"), ("top", (0.4, 0.1, 0.0))):
        np.testing.assert_allclose(tumbling.velocity(other), tumbling.velocity(top["tip"]), atol=1e-14)
    np.testing.assert_array_equal(
        tumbling.position("hinge"), tumbling.position(tumbling.system.joint("hinge"))
    )
    np.testing.assert_array_equal(
        tumbling.position("top", relative_to="ground"), tumbling.position("top", relative_to=fb.GROUND)
    )


def test_components_in_a_joints_base(tumbling):
    """A hinge gives no moment about its own axis, the z axis of its base."""
    wrench = tumbling.reaction("hinge", frame="hinge")
    assert np.abs(wrench.moment[:, 2]).max() < 1e-9 * np.abs(wrench.moment).max()
    spin = tumbling.angular_velocity(("rod", "p"), frame="hinge", relative_to="top")
    assert np.abs(spin[:, :2]).max() < 1e-9 * np.abs(spin[:, 2]).max()


def test_points_of_a_flexible_body():
    """The surface's nearest point, to first order: there it is where the film shows it."""
    beam = modal.assumed.beam(length=1.0, mass=0.5, EI=2.0, polar_inertia=1e-3, y=modal.assumed.sines(1))
    body = fb.FlexibleBody("beam", beam, origin=(0, 2, 0), alpha=(0.01,))
    result = fb.simulate(fb.System([body]), 1e-3, step=1e-3)
    surface = body.turned.recovery
    point = body.start + surface.points[7] + 1e-4
    expected = body.start + surface.points[7] + surface.Phi[7] @ (0.01,)
    np.testing.assert_allclose(result.position((body, point))[0], expected, atol=1e-12)
    with pytest.raises(
        fb.InputError, match=r"lies 1 m from body 'beam'.*the nearest point of its surface is"
    ):
        result.position((body, (2.0, 2.0, 0)))


def test_whole_displacement(tumbling):
    top = tumbling.system.body("top")
    moved = tumbling.displacement("top", "tip", relative_to=fb.GROUND)
    np.testing.assert_allclose(moved, tumbling.position(top["tip"]) - (0.4, 0.1, 0.0), atol=1e-15)
    np.testing.assert_array_equal(tumbling.displacement(top, (0.4, 0.1, 0), relative_to=fb.GROUND), moved)


def test_energies_of_bodies_add_up(tumbling):
    total = tumbling.energy
    parts = [tumbling.body_energy(body) for body in tumbling.system.bodies]
    for name in ("kinetic", "strain", "potential"):
        whole = getattr(total, name)
        np.testing.assert_allclose(
            sum(getattr(part, name) for part in parts), whole, atol=1e-12 * np.abs(whole).max()
        )
    # the free body: kinetic energy of its centre and its spin
    v, w = tumbling.velocity("free"), tumbling.angular_velocity("free", frame="free")
    by_hand = 0.5 * (v**2).sum(axis=1) + 0.5 * (w**2 * (0.1, 0.2, 0.25)).sum(axis=1)
    np.testing.assert_allclose(tumbling.body_energy("free").kinetic, by_hand, rtol=1e-12)
    assert not tumbling.body_energy("free").strain.any()


def test_what_is_not_there(tumbling):
    with pytest.raises(
        fb.InputError, match=r"no body or joint 'leg'; it has the bodies 'top', 'rod', 'free' and the"
    ):
        tumbling.position("leg")
    with pytest.raises(fb.InputError, match=r"no marker 'toe'; it has 'tip'"):
        tumbling.position(("top", "toe"))
    with pytest.raises(
        fb.InputError, match=r"\('top', 'tip', 3\) is not a place; give a body, .* or the number of a node"
    ):
        tumbling.position(("top", "tip", 3))
    with pytest.raises(fb.InputError, match="a point on body 'top' must be three"):
        tumbling.velocity(("top", (1, 2)))


class TestJointCoordinates:
    """Rates and accelerations of joint coordinates against differences."""

    @pytest.fixture(scope="class")
    @staticmethod
    def swinging():
        """A turntable with a sleeve that slides and turns on a tilted rod, gravity, and a hinge on the sleeve."""
        table = fb.RigidBody("table", 2.0, (0.3, 0.3, 0.4), angular_velocity=(0, 0, 3))
        sleeve = fb.RigidBody("sleeve", 1.0, (0.02, 0.03, 0.04), center=(0.3, 0.1, 0.2), velocity=(0.4, 0, 1))
        reduced = Cloud.random(np.random.default_rng(4), modes=2).body()
        flag = fb.FlexibleBody("flag", reduced, origin=(0.5, 0, 0), alpha=(0.01, 0.02), damping_ratio=0.05)
        joints = [
            fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0), axis="z"),
            fb.Cylindrical("rod", table, sleeve, point=(0.3, 0.1, 0.2), axis=(1, 0.2, 0.5)),
            fb.Revolute("pivot", sleeve, flag["p"], axis=(0.3, 1, 0)),
        ]
        system = fb.System([table, sleeve, flag], joints, gravity=(0, -2, -9.81))
        return fb.simulate(system, 0.02, integrator=fb.Explicit(rtol=1e-12), output_step=1e-5)

    @pytest.mark.parametrize(
        ("joint", "which"), [("axle", "angle"), ("rod", "angle"), ("rod", "slide"), ("pivot", "angle")]
    )
    def test_rates(self, swinging, joint, which):
        x = swinging.coordinate(joint, which)
        v, a = swinging.coordinate_rate(joint, which), swinging.coordinate_acceleration(joint, which)
        close(rate_of(x, swinging.t), v[2:-2])
        close(rate_of(v, swinging.t), a[2:-2])

    def test_of_a_drive(self):
        wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1))
        hinge = fb.Revolute("hinge", fb.GROUND, wheel, point=(0, 0, 0))
        drive = fb.Drive("motor", hinge, value=lambda t: 5 * np.sin(3 * t))
        result = fb.simulate(fb.System([wheel], [hinge, drive]), 1.0, step=0.01)
        np.testing.assert_allclose(result.coordinate_rate("motor"), 15 * np.cos(3 * result.t), atol=1e-7)

    def test_none(self, swinging):
        with pytest.raises(fb.InputError, match="has no coordinate 'slide'"):
            swinging.coordinate_rate("axle", "slide")
