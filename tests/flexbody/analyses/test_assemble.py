"""Machines that are drawn with gaps: warnings and errors of all analyses, and assembly from rough drawings."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support import zoo
from support.beams import quintic_beam
from support.joints import CASES, joint, sides

import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.equations.consistent_start import consistent_start
from flexbody.model.rigid_motion import RigidMotion

pytestmark = pytest.mark.slow  # together a second or more

INERTIA = (0.01, 0.02, 0.02)
#: crank 0.2 m, coupler 0.5 m, rocker 0.4 m in the plane z = 0, drawn closed
ENDS = {
    "crank": {"foot": (0, 0, 0), "pin": (0, 0.2, 0)},
    "coupler": {"pin": (0, 0.2, 0), "knee": (0.4, 0.5, 0)},
    "rocker": {"knee": (0.4, 0.5, 0), "foot": (0.4, 0.1, 0)},
}


def bar(name: str, shift=(0, 0, 0), turn=(0, 0, 0)) -> fb.RigidBody:
    """A bar between its two ends, moved from there by a shift (m) and a rotation vector about its middle."""
    points = {end: np.array(x, float) for end, x in ENDS[name].items()}
    middle, R = np.mean(list(points.values()), axis=0), Rotation.from_rotvec(turn).as_matrix()
    return fb.RigidBody(
        name, 1.0, R @ np.diag(INERTIA) @ R.T, center=middle + shift,
        markers={end: middle + shift + R @ (x - middle) for end, x in points.items()},
    )  # fmt: skip


def four_bar(crank=None, coupler=None, rocker=None, base=(0.4, 0.1, 0), driven=False) -> fb.System:
    """A four-bar linkage without redundant constraints, all joints between named frames."""
    crank, coupler, rocker = crank or bar("crank"), coupler or bar("coupler"), rocker or bar("rocker")
    bed = fb.RigidBody("bed", 1.0, INERTIA, markers={"left": (0, 0, 0), "right": base})
    main = fb.Revolute("main", bed["left"], crank["foot"])
    joints = [
        fb.Fixed("base", fb.GROUND, bed, point=(0, 0, 0)), main,
        fb.Spherical("pin", crank["pin"], coupler["pin"]),
        fb.Universal("knee", coupler["knee"], rocker["knee"], axes=("x", "z")),
        fb.Revolute("foot", bed["right"], rocker["foot"]),
    ]  # fmt: skip
    joints += [fb.Drive("motor", main, rate=3.0)] if driven else []
    return fb.System([crank, coupler, rocker, bed], joints, gravity=(0, -9.81, 0))


ANALYSES = {
    "simulate": lambda machine: fb.simulate(machine, 1e-3, step=1e-3),
    "Stepper": fb.Stepper,
    "kinematics": lambda machine: fb.kinematics(machine, 1e-3, output_step=1e-3),
    "equilibrium": fb.equilibrium,
    "mobility": fb.mobility,
    "linearize": lambda machine: fb.linearize(machine, fb.AsDrawn()),
}


@pytest.mark.parametrize("analysis", ANALYSES)
class TestGaps:
    """The bed's right bearing is drawn elsewhere; bed and rocker have two radii of gyration, 2 sqrt(0.05) = 0.447 m."""

    def machine(self, gap: float) -> fb.System:
        return four_bar(base=(0.4 + gap, 0.1, 0), driven=True)

    def test_none(self, analysis):
        """Below a thousandth, 0.45 mm, nothing is said."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ANALYSES[analysis](self.machine(3e-4))

    def test_small(self, analysis):
        with pytest.warns(fb.FlexbodyWarning, match=r"'foot' has a gap of 0.01 m, 2.2 % of") as caught:
            ANALYSES[analysis](self.machine(0.01))
        assert "fb.assemble(machine)" in str(caught[0].message)

    def test_large(self, analysis):
        with pytest.raises(
            fb.ConstraintError, match=r"'foot' has a gap of 0.05 m, 1[0-9] % of .*fb.assemble\(machine\)"
        ):
            ANALYSES[analysis](self.machine(0.05))


def test_elastodynamics_says_the_same():
    beam = fb.FlexibleBody("beam", quintic_beam(), place={"start": (0, 0, 0.01)})
    anchor = fb.RigidBody("anchor", 1.0, INERTIA, markers={"eye": (0, 0, 0)})
    joints = [
        fb.Fixed("base", fb.GROUND, anchor, point=(0, 0, 0)),
        fb.Fixed("eye", anchor["eye"], beam["start"]),
    ]
    with pytest.warns(fb.FlexbodyWarning, match="'eye' has a gap of 0.01 m"):
        fb.elastodynamics(fb.System([beam, anchor], joints), 1.0, output_step=0.5)


def test_what_is_prescribed_is_no_gap():
    """A drive, a driven rod, and a rod of a given length that begin elsewhere than drawn move the machine: no gap."""
    block = fb.RigidBody("block", 1.0, INERTIA, center=(0.5, 0, 0))
    other = fb.RigidBody("other", 1.0, INERTIA, center=(0.5, 1, 0))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0.5, 0, 0), axis="x")
    rail = fb.Prismatic("rail", fb.GROUND, other, point=(0.5, 1, 0), axis="x")
    ends = {"first_point": (0, 1, 0), "second_point": (0.5, 1, 0)}
    for length in (0.9, lambda t: 0.9 + 0.1 * t):
        rod = fb.Distance("rod", fb.GROUND, other, length=length, **ends)
        drive = fb.Drive("drive", guide, value=lambda t: 0.4 + t)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = fb.simulate(fb.System([block, other], [guide, rail, rod, drive]), 1e-3, step=1e-3)
        assert result.position(block)[0, 0] == pytest.approx(0.9, abs=1e-12)
        assert result.position(other)[0, 0] == pytest.approx(0.9, abs=1e-12)


class TestAssembly:
    @pytest.mark.parametrize("seed", range(8))
    def test_rough_drawing(self, seed):
        """Bars drawn 0.3 m and 40 degrees off: the crank stays, as its drive says, and the rest comes together.

        With the crank's angle the closed machine is known, but for the mirror image of coupler and rocker. It is taken
        if it is nearer to the drawing.
        """
        rng = np.random.default_rng(seed)
        off = []
        for _ in range(2):
            shift = rng.normal(size=3) * [1, 1, 0]
            turn = [0, 0, np.radians(40) * rng.choice([-1, 1])]
            off.append((0.3 * shift / np.linalg.norm(shift), turn))
        drawn = four_bar(None, bar("coupler", *off[0]), bar("rocker", *off[1]), driven=True)
        found = fb.assemble(drawn)
        closed = fb.assemble(found.machine)
        assert max(gap.distance for gap in closed.gaps) < 1e-10
        assert max(gap.remaining_distance for gap in found.gaps) < 1e-10
        assert max(gap.remaining_angle for gap in found.gaps) < 1e-7
        crank, coupler, rocker, _ = found.machine.bodies
        np.testing.assert_allclose(crank.markers["pin"], (0, 0.2, 0), atol=1e-9)
        knee = coupler.markers["knee"]
        np.testing.assert_allclose(rocker.markers["knee"], knee, atol=1e-9)
        assert np.linalg.norm(knee - (0, 0.2, 0)) == pytest.approx(0.5, abs=1e-9)
        assert np.linalg.norm(knee - (0.4, 0.1, 0)) == pytest.approx(0.4, abs=1e-9)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fb.kinematics(found.machine, 1e-2, output_step=1e-2)

    def test_the_closed_machine_moves_like_one_drawn_closed(self):
        """Inertia, markers, axes, gravity: coupler and rocker are drawn 5 cm and 6 degrees off and come back."""
        off = four_bar(
            None, bar("coupler", (0.05, 0.02, 0.01), (0, 0, 0.1)), bar("rocker", (-0.04, 0.03, 0), (0, 0, -0.1)),
            driven=True,
        )  # fmt: skip
        closed, right = fb.assemble(off).machine, four_bar(driven=True)
        one, other = fb.simulate(closed, 0.3, step=1e-3), fb.simulate(right, 0.3, step=1e-3)
        np.testing.assert_allclose(one.position("rocker"), other.position("rocker"), atol=1e-9)
        np.testing.assert_allclose(
            one.reaction("foot").force,
            other.reaction("foot").force,
            atol=1e-7 * np.abs(other.reaction("foot").force).max(),
        )

    def test_it_moves_as_little_as_possible(self):
        """Two equal free bars joined at a gap of 0.2 m across them come half way each, and turn.

        A bar of length l = 0.5 m moves at its end by x + l/2 theta = d/2; the least of x^2 + (l/2 theta)^2 has
        x = l/2 theta = d/4 to first order.
        """
        ends = {"a": (0.0, 0, 0), "b": (0.5, 0, 0)}
        gap = 1e-3
        one = fb.RigidBody("one", 1.0, (1e-6, 1e-6, 1e-6), center=(0.25, 0, 0), markers=ends)
        other = fb.RigidBody(
            "other",
            5.0,
            (1e-6, 1e-6, 1e-6),
            center=(0.75, gap, 0),
            markers={"a": (0.5, gap, 0), "b": (1.0, gap, 0)},
        )
        found = fb.assemble(fb.System([one, other], [fb.Spherical("ball", one["b"], other["a"])]))
        moved = {move.body: move for move in found.moves}
        assert found.gaps[0].distance == pytest.approx(gap, rel=1e-12)
        for move in moved.values():
            assert move.distance == pytest.approx(gap / 4, rel=1e-3)
            assert move.angle * 0.25 == pytest.approx(gap / 4, rel=1e-3)

    def test_loops_that_cannot_close(self):
        """0.2 + 0.5 + 0.4 m do not reach a bearing at 1.3 m: the joints that stay open share 0.2 m."""
        with pytest.raises(fb.ConstraintError, match="can't be closed together") as caught:
            fb.assemble(four_bar(base=(1.3, 0, 0)))
        text = str(caught.value)
        left = [float(part.split(" m")[0]) for part in text.split("best position")[0].split("(")[1:]]
        assert sum(left) == pytest.approx(0.2, rel=0.05)

    def test_a_drive_gives_way_if_it_must(self):
        """The crank stands where coupler and rocker do not reach its pin: it turns, although its drive says zero."""
        drawn = four_bar(bar("crank", (0, 0, 0), (0, 0, 0)), base=(0.65, -0.35, 0), driven=True)
        assert np.hypot(0.65, 0.55) < 0.9  # reachable as drawn
        far = four_bar(base=(0.7, -0.45, 0), driven=True)
        assert np.hypot(0.7, 0.65) > 0.9  # of coupler and rocker in line
        for machine, moves in ((drawn, False), (far, True)):
            found = {move.body: move for move in fb.assemble(machine).moves}
            assert (found["crank"].angle > 1e-6) == moves

    def test_words(self):
        found = fb.assemble(four_bar(base=(0.45, 0.1, 0)))
        assert repr(found).startswith("<Assembly: gaps up to 0.05 m closed, bodies moved by up to")
        assert "revolute joint 'foot': 0.05 m; closed to" in str(found)
        assert str(fb.assemble(four_bar())) == "all joints are closed as drawn"

    def test_millimetres_for_metres(self):
        """A gap of 2000 m at a bar of 1 m, at most; a gap of two bars is no more than a rough drawing."""
        near = fb.RigidBody("near", 1.0, INERTIA, center=(0.5, 0, 0), markers={"end": (1, 0, 0)})
        base = fb.Fixed("base", fb.GROUND, near, point=(0, 0, 0))

        def machine(unit):
            markers = {"start": (2 * unit, 0, 0), "end": (unit, 0, 0)}
            far = fb.RigidBody("far", 1.0, INERTIA, center=(1.5 * unit, 0, 0), markers=markers)
            return fb.System([near, far], [base, fb.Revolute("knee", near["end"], far["start"], axis="z")])

        with pytest.warns(fb.FlexbodyWarning, match=r"gaps: revolute joint 'knee' by 2e\+03 m.*units"):
            assert fb.assemble(machine(1000.0)).moves[0].distance == pytest.approx(1999.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert fb.assemble(machine(1.5)).moves[0].distance == pytest.approx(2.0)
        with pytest.raises(fb.ConstraintError, match=r"gap of 2 m, \d{3} % of 'near'"):
            fb.simulate(machine(1.5), 0.1)

    def test_a_flexible_body(self):
        """A beam placed 20 degrees off is closed; its data turn with it, and it keeps its modes."""
        off = Rotation.from_rotvec((0, np.radians(20), 0)).as_matrix()
        beam = fb.FlexibleBody("beam", quintic_beam(), origin=(0.1, 0, 0.05), rotation=off)
        ends = [beam.start + beam.marker(name)[0] for name in ("start", "end")]
        length = np.linalg.norm(ends[1] - ends[0])
        anchor = fb.RigidBody("anchor", 1.0, INERTIA, markers={"eye": (0, 0, 0), "far": (length, 0, 0)})
        joints = [
            fb.Fixed("base", fb.GROUND, anchor, point=(0, 0, 0)),
            fb.Spherical("eye", anchor["eye"], beam["start"]),
            fb.PointOnLine("far", anchor["far"], beam["end"], axis="x"),
        ]  # fmt: skip
        machine = fb.assemble(fb.System([beam, anchor], joints)).machine
        found = machine.body("beam")
        np.testing.assert_allclose(found.start + found.marker("start")[0], 0, atol=1e-9)
        np.testing.assert_allclose(found.start + found.marker("end")[0], (length, 0, 0), atol=1e-9)
        np.testing.assert_allclose(found.turned.K, beam.reduced.K, atol=1e-12 * np.abs(beam.reduced.K).max())


def moved_with_ground(machine: fb.System):
    """Return a rigid motion, and motions by name with it for all bodies and the ground."""
    R = Rotation.from_rotvec((0.4, -0.7, 0.5)).as_matrix()
    motion = lambda x: RigidMotion(x, np.array([0.3, -0.2, 0.1]) + R @ x, R)  # noqa: E731
    motions = {body.name: motion(body.start) for body in machine.bodies}
    return motion(np.zeros(3)), motions | {"ground": motion(np.zeros(3))}


@pytest.mark.parametrize(("kind", "ends"), CASES)
def test_joints_move_with_their_bodies(kind, ends):
    """After one rigid motion of everything, the ground too, the frames of every joint have had this motion."""
    first, second = sides(ends)
    item = joint(kind, first, second)
    machine = fb.System([body for body in (first, second) if body is not fb.GROUND], [item])
    motion, motions = moved_with_ground(machine)
    old = machine.bodies_by_name()
    new = {name: body.redrawn(motions[name]) for name, body in old.items()}
    before, after = item.frames(old), item.redrawn(old, motions).frames(new)
    turned = isinstance(item, fb.Universal) or hasattr(item, "axis")
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(other.drawn(new), motion.point(one.drawn(old)), atol=1e-12)
        if turned:
            axes = motion.R @ one.A
            own = slice(None) if hasattr(item, "along") or isinstance(item, fb.Universal) else slice(2, 3)
            np.testing.assert_allclose(other.A[:, own], axes[:, own], atol=1e-12)


def test_a_whole_machine_moves_with_its_bodies():
    """The machine with everything, redrawn after one rigid motion of all bodies, has the same accelerations, turned."""
    machine = zoo.rigid(grounded=False)
    machine = replace(
        machine, bodies=[replace(b, velocity=(0, 0, 0), angular_velocity=(0, 0, 0)) for b in machine.bodies]
    )
    motion, motions = moved_with_ground(machine)
    old = machine.bodies_by_name()
    other = replace(
        machine,
        bodies=[body.redrawn(motions[body.name]) for body in machine.bodies],
        joints=[item.redrawn(old, motions) for item in machine.joints],
        forces=[item.redrawn(old, motions) for item in machine.forces],
    )
    one, two = (consistent_start(make_plan(m), quiet=True) for m in (machine, other))
    for b in range(len(machine.bodies)):
        for k, start in ((6 * b, "translation"), (6 * b + 3, "rotation")):
            a, c = (
                one.vdot[k : k + 3],
                two.vdot[k : k + 3],
            )  # omega' in the base of the body, which is drawn inertial
            np.testing.assert_allclose(c, motion.R @ a, atol=1e-9 * np.abs(one.vdot).max(), err_msg=start)
