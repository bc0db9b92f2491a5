"""Bodies put where they stand: place=, up=, origin= and rotation=, and bodies replaced by others of their name."""

import dataclasses

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.cloud import Cloud

import flexbody as fb
import modal
from flexbody.compile.plan import make_plan
from flexbody.core.rotation import smallest_rotation

R = Rotation.from_rotvec([0.4, -1.2, 0.7]).as_matrix()
SHIFT = np.array([0.3, -0.2, 0.9])


def cloud(points: dict[str, tuple]) -> modal.ReducedBody:
    """A body with markers at given points (of the mesh, whose origin is not the body's)."""
    body = Cloud.random(np.random.default_rng(2)).body()
    origin = np.array([0.5, -0.1, 0.2])
    N = body.N
    rng = np.random.default_rng(4)
    markers = {
        name: modal.Marker(np.array(p) - origin, rng.normal(size=(3, N)), rng.normal(size=(3, N)))
        for name, p in points.items()
    }
    return dataclasses.replace(body, origin=origin, markers=markers)


ABC = {"a": (0.1, 0.2, 0.3), "b": (0.7, 0.1, 0.3), "c": (0.2, 0.8, -0.4), "middle": (0.4, 0.15, 0.3)}


def global_point(body: fb.FlexibleBody, name: str) -> np.ndarray:
    return body.start + body.marker(name)[0]


def moved(name: str) -> np.ndarray:
    return R @ np.array(ABC[name]) + SHIFT


def mesh_rotation(body: fb.FlexibleBody) -> np.ndarray:
    """How the mesh's axes were turned, from three markers."""
    before = np.array([np.subtract(ABC[n], ABC["a"]) for n in "bc"])
    after = np.array([global_point(body, n) - global_point(body, "a") for n in "bc"])
    before, after = (np.vstack([x, np.cross(*x)]) for x in (before, after))
    return np.linalg.solve(before, after).T


class TestFlexible:
    def test_origin_and_rotation(self):
        body = fb.FlexibleBody("rod", cloud(ABC), origin=SHIFT, rotation=R)
        for name in ABC:
            np.testing.assert_allclose(global_point(body, name), moved(name), atol=1e-14)

    def test_everything_turns(self):
        """Inertia and base functions as those of the mesh turned beforehand."""
        body = fb.FlexibleBody("rod", cloud(ABC), origin=SHIFT, rotation=R)
        expected = cloud(ABC).turned(R)
        np.testing.assert_allclose(body.turned.C3, expected.C3, atol=1e-14)
        np.testing.assert_allclose(body.marker("a")[1], R @ cloud(ABC).markers["a"].Phi, atol=1e-14)

    def test_one_point_moves_without_turning(self):
        body = fb.FlexibleBody("rod", cloud(ABC), place={"b": (1, 2, 3)})
        np.testing.assert_allclose(global_point(body, "b"), (1, 2, 3), atol=1e-14)
        np.testing.assert_allclose(mesh_rotation(body), np.eye(3), atol=1e-13)

    def test_one_point_with_up(self):
        """The mesh's z axis to ``up`` by the smallest rotation."""
        body = fb.FlexibleBody("rod", cloud(ABC), place={"b": (1, 2, 3)}, up=(0, 1, 1))
        np.testing.assert_allclose(mesh_rotation(body)[:, 2], np.array([0, 1, 1]) / np.sqrt(2), atol=1e-13)
        np.testing.assert_allclose(global_point(body, "b"), (1, 2, 3), atol=1e-14)

    def test_two_points_by_the_smallest_rotation(self):
        body = fb.FlexibleBody("rod", cloud(ABC), place={"a": moved("a"), "b": moved("b")})
        for name in ("a", "b", "middle"):
            np.testing.assert_allclose(global_point(body, name), moved(name), atol=1e-14)
        turned = mesh_rotation(body)
        line, goal = np.subtract(ABC["b"], ABC["a"]), moved("b") - moved("a")
        cosine = line @ goal / np.linalg.norm(line) / np.linalg.norm(goal)
        # the smallest angle of a rotation is that between the two directions
        assert Rotation.from_matrix(turned).magnitude() == pytest.approx(np.arccos(cosine), abs=1e-12)

    @pytest.mark.parametrize("up", [(0, 0, 1), (1, 2, 0.5)])
    def test_two_points_with_up(self, up):
        place = {"a": moved("a"), "b": moved("b")}
        body = fb.FlexibleBody("rod", cloud(ABC), place=place, up=up)
        np.testing.assert_allclose(global_point(body, "middle"), moved("middle"), atol=1e-14)
        z = mesh_rotation(body)[:, 2]
        line = (moved("b") - moved("a")) / np.linalg.norm(moved("b") - moved("a"))
        # nearest to up of all spins about the line
        spins = [Rotation.from_rotvec(angle * line).apply(z) @ up for angle in np.linspace(-3, 3, 601)]
        assert z @ up == pytest.approx(max(spins), abs=1e-12)

    def test_three_points_leave_nothing_open(self):
        body = fb.FlexibleBody("rod", cloud(ABC), place={n: moved(n) for n in "abc"})
        np.testing.assert_allclose(mesh_rotation(body), R, atol=1e-13)
        np.testing.assert_allclose(global_point(body, "middle"), moved("middle"), atol=1e-13)

    def test_three_points_on_a_line_are_as_good_as_two(self):
        order = ("a", "middle", "b")
        three = fb.FlexibleBody("rod", cloud(ABC), place={n: moved(n) for n in order})
        two = fb.FlexibleBody("rod", cloud(ABC), place={n: moved(n) for n in "ab"})
        np.testing.assert_allclose(mesh_rotation(three), mesh_rotation(two), atol=1e-12)

    def test_a_turn_right_around(self):
        """Opposite directions, to the last bit and nearly: a rotation by 180 degrees."""
        for tilt in (0.0, 1e-16, 3e-9, 1e-7, 1e-5):
            turned = smallest_rotation(np.array([1.0, 0, 0]), np.array([-1.0, tilt, 0]))
            np.testing.assert_allclose(turned @ turned.T, np.eye(3), atol=1e-14)
            assert np.linalg.det(turned) == pytest.approx(1)
            np.testing.assert_allclose(turned @ [1, 0, 0], [-1, tilt, 0], atol=1e-14)

    def test_a_little_off_is_spread_evenly(self):
        place = {"a": moved("a") - 1e-5, "b": moved("b") + 1e-5}
        body = fb.FlexibleBody("rod", cloud(ABC), place=place)
        for name in "ab":
            assert np.linalg.norm(global_point(body, name) - moved(name)) < 1.8e-5


class TestRefused:
    def test_millimetres(self):
        with pytest.raises(
            fb.InputError,
            match=r"body 'rod' does not fit.*'a', 'b'.*0.608276 m in the mesh.*608.276 m.*milli",
        ):
            fb.FlexibleBody("rod", cloud(ABC), place={n: 1000 * moved(n) for n in "ab"})

    def test_wrong_distance(self):
        with pytest.raises(fb.InputError, match=r"by 0\.05 m.*check the units of the mesh and the points"):
            fb.FlexibleBody(
                "rod", cloud({"a": (0, 0, 0), "b": (1, 0, 0)}), place={"a": (0, 0, 0), "b": (0, 1.1, 0)}
            )

    def test_unknown_interface(self):
        with pytest.raises(
            fb.InputError, match=r"place= names 'eye', but the body has 'a', 'b', 'c', 'middle'"
        ):
            fb.FlexibleBody("rod", cloud(ABC), place={"eye": (0, 0, 0)})

    @pytest.mark.parametrize(
        ("options", "says"),
        [
            ({"place": {"a": (0, 0, 0)}, "rotation": R}, "either place= or origin= and rotation="),
            ({"place": {"a": (0, 0, 0)}, "origin": (1, 0, 0)}, "either place= or origin= and rotation="),
            ({"up": (0, 0, 1)}, "up= belongs to place="),
            ({"rotation": np.diag([1, 1, -1])}, "mirrors the body"),
            ({"rotation": 1.1 * np.eye(3)}, r"differs from the unit matrix by 0.21"),
            ({"rotation": (0, 0, 1)}, "3 x 3 rotation matrix"),
            ({"origin": (1, 2)}, "origin must be three finite numbers"),
            ({"place": {"a": (0, 0, np.nan)}}, r"place\['a'\] must be three finite numbers"),
            ({"place": {"a": (1, 1, 1), "b": (1, 1, 1)}}, "points at different positions"),
            ({"place": {n: ABC[n] for n in "abc"}, "up": (0, 0, 1)}, "leave up= out"),
            (
                {"place": {"a": ABC["a"], "b": ABC["b"]}, "up": np.subtract(ABC["b"], ABC["a"])},
                "parallel to the line",
            ),
            ({"place": {}}, "place= names none"),
        ],
    )
    def test_placements_that_say_two_things_or_none(self, options, says):
        with pytest.raises(fb.InputError, match=rf"body 'rod'.*{says}"):
            fb.FlexibleBody("rod", cloud(ABC), **options)


class TestReplaced:
    """Joints know bodies by name: a body replaced by one of its name takes its place, wherever that is."""

    def test_a_joint_follows_a_body_that_is_placed_anew(self):
        rod = fb.FlexibleBody("rod", cloud(ABC))
        crank = fb.RigidBody("crank", 1.0, (1, 1, 1), markers={"pin": ABC["a"]})
        # none of these has a point of its own: it is where the rod's marker is
        joints = [
            fb.Revolute("to ground", fb.GROUND, rod["a"], axis="y"),
            fb.Spherical("to body", crank, rod["b"]),
        ]
        other = dataclasses.replace(rod, origin=SHIFT, rotation=R)
        plan = make_plan(fb.System([crank, other], joints))
        W = plan.work()
        c, q, alpha, _ = plan.start()
        from flexbody.core.equations import place

        place(plan.layout, W, 0.0, c, q, alpha)
        for joint, name in (("to ground", "a"), ("to body", "b")):
            i, j = plan.frames[joint]
            np.testing.assert_allclose(W.frame_r[j], moved(name), atol=1e-14)
            np.testing.assert_allclose(W.frame_r[i], moved(name), atol=1e-14)

    def test_another_mesh_under_the_same_name(self):
        rod = fb.FlexibleBody("rod", cloud(ABC))
        joint = fb.Revolute("j", fb.GROUND, rod["a"])
        finer = dataclasses.replace(rod, reduced=cloud({**ABC, "a": (0.11, 0.2, 0.3)}))
        plan = make_plan(fb.System([finer], [joint]))
        np.testing.assert_allclose(plan.layout.frame_x[plan.frames["j"][0]], (0.11, 0.2, 0.3), atol=1e-15)

    def test_a_body_without_the_marker(self):
        rod = fb.FlexibleBody("rod", cloud(ABC))
        joint = fb.Revolute("j", fb.GROUND, rod["c"])
        other = dataclasses.replace(rod, reduced=cloud({"a": (0, 0, 0), "b": (1, 0, 0)}))
        with pytest.raises(
            fb.InputError, match=r"revolute joint 'j': body 'rod' has no interface .*'c'; it has 'a', 'b'"
        ):
            fb.System([other], [joint])

    def test_a_study_over_mass(self):
        bar = fb.RigidBody("bar", 1.0, (1, 1, 1))
        joint = fb.Revolute("j", fb.GROUND, bar, point=(0, 0, 0))
        heavy = fb.System([dataclasses.replace(bar, mass=5.0)], [joint])
        assert make_plan(heavy).layout.body_mass[0] == 5.0
        assert heavy.body(bar).mass == 5.0

    def test_a_drive_of_a_joint_replaced_by_another_kind(self):
        bar = fb.RigidBody("bar", 1.0, (1, 1, 1))
        joint = fb.Revolute("j", fb.GROUND, bar, point=(0, 0, 0))
        drive = fb.Drive("d", joint, rate=1.0)
        with pytest.raises(
            fb.InputError, match=r"drive 'd': spherical joint 'j' has the coordinates 'angle_x'"
        ):
            fb.System([bar], [fb.Spherical("j", fb.GROUND, bar, point=(0, 0, 0)), drive])
