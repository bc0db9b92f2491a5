"""What a result gives: velocities, joint coordinates, reactions in other bases, displacements."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.cloud import Cloud

import flexbody as fb
import modal
from flexbody.results import force_elements

TURN = Rotation.from_rotvec([0.5, 1.1, -0.4]).as_matrix()


def cloud_rod(**options) -> fb.FlexibleBody:
    reduced = Cloud.random(np.random.default_rng(11), modes=3).body()
    return fb.FlexibleBody("rod", reduced, origin=(0.4, 0.1, 0), damping_ratio=0.02, **options)


@pytest.fixture(scope="module")
def swinging():
    """A rigid body on a ball joint and a flexible one hung on it, tumbling under gravity."""
    top = fb.RigidBody(
        "top",
        2.0,
        (0.2, 0.3, 0.4),
        center=(0.2, 0, 0),
        markers={"tip": (0.4, 0.1, 0.0)},
        angular_velocity=(1, 2, -1),
    )
    rod = cloud_rod(angular_velocity=(0, 3, 1), alpha=(0.02, 0, -0.01))
    joints = [
        fb.Spherical("foot", fb.GROUND, top, point=(0, 0, 0)),
        fb.Revolute("hinge", top, rod["p"], axis=(1, 1, 0)),
    ]
    return fb.simulate(fb.System([top, rod], joints, gravity=(0, 0, -9.81)), 0.4, step=2e-4, output_step=2e-4)


def rate_of(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Central differences of fourth order, for the times without the first and last two."""
    h = t[1] - t[0]
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * h)


@pytest.mark.parametrize("frame", [("top", None), ("top", "tip"), ("rod", None), ("rod", "p"), ("rod", "s")])
def test_velocities_are_the_rates_of_positions(swinging, frame):
    body, marker = frame
    what = swinging.system.body(body)[marker] if marker else body
    v = swinging.velocity(what)
    size = np.abs(v).max()
    # the integrator's own error, (omega h)^2 / 6 for the fastest oscillation: omega < 150 rad/s, h = 2e-4 s
    np.testing.assert_allclose(rate_of(swinging.position(what), swinging.t), v[2:-2], atol=2e-4 * size)


@pytest.mark.parametrize("body", ["top", "rod"])
def test_angular_velocity_is_the_rate_of_the_rotation(swinging, body):
    """w~ = Q. Q^T in inertial components."""
    Q, w = swinging.rotation(body), swinging.angular_velocity(body)
    spin = np.einsum("tij,tkj->tik", rate_of(Q, swinging.t), Q[2:-2])
    got = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
    np.testing.assert_allclose(got, w[2:-2], atol=2e-4 * np.abs(w).max())


def test_rates_of_modal_coordinates(swinging):
    rate = swinging.alpha_dot("rod")
    got = rate_of(swinging.alpha("rod"), swinging.t)
    np.testing.assert_allclose(got, rate[2:-2], atol=1e-3 * np.abs(rate).max())


def test_joints_stay_closed(swinging):
    hinge = swinging.position(swinging.system.body("rod")["p"])
    start, Q = swinging.position("top"), swinging.rotation("top")
    arm = Q[0].T @ (hinge[0] - start[0])
    np.testing.assert_allclose(hinge, start + Q @ arm, atol=1e-10)


def test_reaction_in_a_bodys_base(swinging):
    inertial, own = swinging.reaction("hinge"), swinging.reaction("hinge", frame="rod")
    Q = swinging.rotation("rod")
    np.testing.assert_allclose(np.einsum("tij,tj->ti", Q, own.force), inertial.force, atol=1e-10)
    np.testing.assert_allclose(np.einsum("tij,tj->ti", Q, own.moment), inertial.moment, atol=1e-10)
    ground = swinging.reaction("hinge", frame=fb.GROUND)
    np.testing.assert_array_equal(ground.force, inertial.force)
    # a hinge without friction: no moment about its axis, which is drawn along (1, 1, 0) and rides on the top
    axis = swinging.rotation("top") @ np.array([1, 1, 0]) / np.sqrt(2)
    assert np.abs(np.einsum("ti,ti->t", axis, inertial.moment)).max() < 1e-9 * np.abs(inertial.moment).max()


def test_reaction_carries_the_weight():
    """A body at rest on a fixed joint: force m g up, moment m g times the lever, on the second body."""
    block = fb.RigidBody("block", 3.0, (1, 1, 1), center=(0.5, 0, 0))
    joint = fb.Fixed("foot", fb.GROUND, block, point=(0, 0, 0))
    result = fb.simulate(fb.System([block], [joint], gravity=(0, 0, -10)), 0.1, step=0.05)
    wrench = result.reaction("foot")
    np.testing.assert_allclose(wrench.force, np.tile([0, 0, 30.0], (len(result.t), 1)), atol=1e-9)
    np.testing.assert_allclose(wrench.moment, np.tile([0, -15.0, 0], (len(result.t), 1)), atol=1e-9)


class TestCoordinate:
    @staticmethod
    def wheel(**options):
        body = fb.RigidBody("wheel", 1.0, (1, 1, 1), **options)
        return body, fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0), axis="z")

    def test_many_turns_between_stored_times(self):
        """At 40 rad/s a tenth of a second is less than a turn, half a second more than three."""
        body, hinge = self.wheel(angular_velocity=(0, 0, -40.0))
        system = fb.System([body], [hinge])
        for output in (0.1, 0.5):
            result = fb.simulate(system, 2.0, step=0.01, output_step=output)
            np.testing.assert_allclose(result.coordinate("hinge"), -40.0 * result.t, atol=1e-9)

    def test_a_drive_over_many_turns(self):
        body, hinge = self.wheel()
        system = fb.System([body], [hinge, fb.Drive("motor", hinge, value=lambda t: 30 * t * t)])
        result = fb.simulate(system, 2.0, step=0.01, output_step=0.25)
        np.testing.assert_allclose(result.coordinate("motor"), 30 * result.t**2, atol=1e-8)

    @pytest.mark.parametrize("angle", [1.0, -1.4, np.pi / 2, 2.5, -3.0, np.pi, 4.0, 20.0])
    def test_it_starts_where_the_drive_is(self, angle):
        """Also from far off, where the sine of what is missing would lead to the opposite angle."""
        body, hinge = self.wheel()
        slider = fb.RigidBody("slider", 1.0, (1, 1, 1))
        guide = fb.Prismatic("guide", body, slider, point=(0, 0, 0), axis="x")
        push = fb.Drive("push", guide, value=lambda t: 0.3 + t)
        system = fb.System([body, slider], [hinge, guide, push, fb.Drive("motor", hinge, value=angle)])
        result = fb.simulate(system, 0.1, step=0.05)
        np.testing.assert_allclose(result.coordinate(hinge), angle, atol=1e-12)
        along = np.array([np.cos(angle), np.sin(angle), 0])
        np.testing.assert_allclose(result.position("slider"), np.outer(0.3 + result.t, along), atol=1e-10)

    def test_slides(self):
        body = fb.RigidBody("slider", 1.0, (1, 1, 1), velocity=(0, 2.0, 0))
        guide = fb.Cylindrical("guide", fb.GROUND, body, point=(0, 0, 0), axis="y")
        result = fb.simulate(fb.System([body], [guide]), 0.5, step=0.1)
        np.testing.assert_allclose(result.coordinate("guide", "slide"), 2 * result.t, atol=1e-12)
        np.testing.assert_allclose(result.coordinate("guide"), 0, atol=1e-12)

    def test_what_is_not_there(self, swinging):
        with pytest.raises(
            fb.InputError,
            match=r"'angle' \(did you mean 'angle_x' or 'angle_y' or 'angle_z'\?\); it has 'angle_x'",
        ):
            swinging.coordinate("foot", "angle")
        with pytest.raises(
            fb.InputError, match="revolute joint 'hinge' has no coordinate 'slide'; it has 'angle'"
        ):
            swinging.coordinate("hinge", "slide")
        with pytest.raises(fb.InputError, match="no joint 'hip'; it has 'foot', 'hinge'"):
            swinging.coordinate("hip")
        with pytest.raises(
            fb.InputError,
            match="no body or joint 'leg'; it has the bodies 'top', 'rod' and the joints 'foot'",
        ):
            swinging.position("leg")
        with pytest.raises(fb.InputError, match="body 'top' is rigid"):
            swinging.displacement("top", "tip")
        with pytest.raises(
            fb.InputError, match=r"'rod' has no interface or marker 'x'; it has 'p', 'q', 's'"
        ):
            swinging.displacement("rod", "x")
        with pytest.raises(fb.InputError, match=r"fb.Chord\(a, b\), two of 'p', 'q', 's'"):
            swinging.displacement("rod", "s", relative_to=fb.Chord())
        with pytest.raises(fb.InputError, match="relative_to is 'rope'; give a body, frame or joint"):
            swinging.displacement("rod", "s", relative_to="rope")
        for word, mend in (("chord", "fb.Chord"), ("drawn", "fb.GROUND"), ("body", "nothing for the frame")):
            with pytest.raises(fb.InputError, match=f"relative_to is '{word}'; give .*{mend}"):
                swinging.displacement("rod", "s", relative_to=word)


# ---- displacement from the chord ---------------------------------------------------------------------------

LENGTH = 0.6
FRAMES = {
    "as given": modal.Unchanged(),
    "chord": modal.Chord("start", "end"),
    "mean": modal.MeanDisplacement(),
}


def bent_beam(frame, alpha, turn=None, shift=(0, 0, 0)):
    """A free beam with three bending shapes and given modal coordinates, at its first instant."""
    shapes = modal.assumed.sines(2)
    reduced = modal.assumed.beam(
        length=LENGTH, mass=0.5, EI=20.0, polar_inertia=1e-4, y=shapes, z=shapes[:1], frame=frame, name="beam"
    )
    beam = fb.FlexibleBody("beam", reduced, origin=shift, rotation=turn, alpha=alpha)
    return fb.simulate(fb.System([beam]), 1e-6, step=1e-6)


SIZE = 0.01 * LENGTH
ALPHA = SIZE * np.array([1.0, -0.4, 0.7])


def middle(result) -> np.ndarray:
    return result.displacement("beam", "middle", relative_to=fb.Chord("start", "end"))[0]


def test_displacement_from_the_chord_is_the_shape_between_pinned_ends():
    """Sine shapes vanish at both ends: y = a1 sin(pi/2) + a2 sin(pi), z = a3 in the middle."""
    got = middle(bent_beam(FRAMES["as given"], ALPHA))
    np.testing.assert_allclose(got, [0, ALPHA[0], ALPHA[2]], atol=1e-12)


@pytest.mark.parametrize("frame", ["chord", "mean"])
def test_displacement_from_the_chord_does_not_depend_on_the_frame(frame):
    """The same shapes, less rigid motions, of which linear theory knows the first order.

    Slopes s are at most pi a / l: a rotation by s shortens the beam by s^2 / 2 of its length, and turns a
    deflection by s^2 of itself.
    """
    slope = np.pi * SIZE / LENGTH
    shape = bent_beam(FRAMES[frame], ALPHA)
    got = middle(shape)
    difference = np.abs(got - middle(bent_beam(FRAMES["as given"], ALPHA)))
    assert difference[0] < slope**2 / 2 * LENGTH
    assert difference[1:].max() < slope**2 * SIZE
    body = shape.displacement("beam", "middle")[0]
    if frame == "mean":
        assert (
            np.abs(body - got).max() > 0.3 * SIZE
        )  # which relative to the body's base is quite another thing


@pytest.mark.parametrize("frame", FRAMES)
def test_displacement_from_the_chord_does_not_see_how_the_scene_is_turned(frame):
    """Components turn as the beam's axes do: they are those of the base as drawn."""
    plain = middle(bent_beam(FRAMES[frame], ALPHA))
    turned = middle(bent_beam(FRAMES[frame], ALPHA, TURN, (3, -2, 1)))
    np.testing.assert_allclose(TURN.T @ turned, plain, atol=1e-14)


def test_displacement_from_the_chord_does_not_see_the_motion():
    """A rigid motion of the whole body, fast: the deformation held by a stiff body stays what it is."""
    beam = dataclasses.replace(
        bent_beam(FRAMES["chord"], ALPHA).system.bodies[0], velocity=(5, 0, 0), angular_velocity=(0, 0, 1e-3)
    )
    result = fb.simulate(fb.System([beam]), 1e-6, step=1e-6)
    np.testing.assert_allclose(middle(result), [0, ALPHA[0], ALPHA[2]], atol=1e-12)


def test_chord_ends_of_a_body_placed_by_two_interfaces():
    reduced = bent_beam(FRAMES["chord"], ALPHA).system.bodies[0].reduced
    beam = fb.FlexibleBody("beam", reduced, place={"start": (0, 0, 0), "end": (LENGTH, 0, 0)}, alpha=ALPHA)
    result = fb.simulate(fb.System([beam]), 1e-6, step=1e-6)
    got = result.displacement("beam", "middle", relative_to=fb.Chord())[0]
    np.testing.assert_allclose(got, [0, ALPHA[0], ALPHA[2]], atol=1e-12)


def test_an_element_is_read_alone(monkeypatch):
    """An event asks for the force of one element in each step: those of the others are not computed."""
    carts = [fb.RigidBody(f"cart {k}", 2.0, (1e-3, 1e-3, 1e-3)) for k in range(3)]
    rails = [
        fb.Prismatic(f"rail {k}", fb.GROUND, cart, point=(0, 0, 0), axis="x") for k, cart in enumerate(carts)
    ]
    springs = [
        fb.ForceElement(f"spring {k}", fb.Along(rail), fb.Linear(stiffness=9.0))
        for k, rail in enumerate(rails)
    ]
    state = fb.equilibrium(fb.System(carts, rails, springs))
    read, compute = [], force_elements._history
    monkeypatch.setattr(force_elements, "_history", lambda *given: read.append(given[5]) or compute(*given))
    first = state.result.element("spring 1")
    assert state.result.element(springs[1]) is first
    assert read == ["spring 1"]
