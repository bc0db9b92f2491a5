"""Machines whose joints leave no motion, and drives of coordinates that joints lock."""

import warnings

import numpy as np
import pytest
from support.beams import quintic_beam

import flexbody as fb

pytestmark = pytest.mark.slow  # together a second or more

INERTIA = (0.01, 0.02, 0.02)


def loop(*axes) -> fb.System:
    """A closed loop of rigid bodies with revolute joints in the corners of a regular polygon, with these axes."""
    n = len(axes)
    corners = [0.3 * np.array([np.cos(a), np.sin(a), 0]) for a in 2 * np.pi * np.arange(n) / n]
    bodies = [
        fb.RigidBody(f"link{k}", 1.0, INERTIA, center=(corners[k] + corners[k + 1]) / 2) for k in range(n - 1)
    ]
    sides = [fb.GROUND, *bodies, fb.GROUND]
    joints = [
        fb.Revolute(f"corner{k}", sides[k], sides[k + 1], point=corners[k], axis=axis)
        for k, axis in enumerate(axes)
    ]
    return fb.System(bodies, joints, gravity=(0, -9.81, 0))


def slider_crank(guide="x") -> fb.System:
    """Three revolute joints and a slide along ``guide``; in the plane of the machine it has one degree of freedom."""
    crank = fb.RigidBody("crank", 1.0, INERTIA, center=(0, 0.1, 0))
    rod = fb.RigidBody("rod", 1.0, INERTIA, center=(0.25, 0.1, 0))
    slider = fb.RigidBody("slider", 1.0, INERTIA, center=(0.5, 0, 0))
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0)), fb.Revolute("pin", crank, rod, point=(0, 0.2, 0)),
        fb.Revolute("wrist", rod, slider, point=(0.5, 0, 0)),
        fb.Prismatic("guide", fb.GROUND, slider, point=(0.5, 0, 0), axis=guide),
    ]  # fmt: skip
    return fb.System([crank, rod, slider], joints)


def truss() -> fb.System:
    """A triangle of bars on a hinge and a roller: 3 * 3 - 9 = 0 degrees of freedom in the plane."""
    corners = {"a": (0, 0, 0), "b": (1.0, 0, 0), "c": (0.5, 0.8, 0)}
    bars = {
        pair: fb.RigidBody(pair, 1.0, INERTIA, center=np.mean([corners[end] for end in pair], axis=0))
        for pair in ("ab", "bc", "ca")
    }
    joints = [
        fb.Revolute("hinge", fb.GROUND, bars["ab"], point=corners["a"]),
        fb.Revolute("a", bars["ab"], bars["ca"], point=corners["a"]),
        fb.Revolute("b", bars["ab"], bars["bc"], point=corners["b"]),
        fb.Revolute("c", bars["bc"], bars["ca"], point=corners["c"]),
        fb.PointOnPlane("roller", fb.GROUND, bars["ab"], point=corners["b"], axis="y"),
    ]
    return fb.System(list(bars.values()), joints, gravity=(0, -9.81, 0))


#: machines that are locked, by Gruebler in space or in the plane, and the joints that lock the first one
LOCKED = {
    "three revolutes": (loop((0, 0, 1), (0.3, 0, 1), (0, 0.4, 1)), ["corner0", "corner1", "corner2"]),
    "four-bar with a skew axis": (
        loop((0, 0, 1), (0, 0, 1), (0, 0, 1), (0.2, 0, 1)), ["corner0", "corner1", "corner2", "corner3"],
    ),
    "slider-crank with a skew guide": (slider_crank((1, 0, 0.1)), ["main", "pin", "wrist", "guide"]),
    "truss": (truss(), ["hinge", "roller"]),
}  # fmt: skip


def with_drive(machine: fb.System, **motion) -> fb.System:
    joints = [*machine.joints, fb.Drive("motor", machine.joints[0], **motion)]
    return fb.System(machine.bodies, joints, gravity=machine.gravity)


@pytest.fixture(autouse=True)
def quiet_redundancy():
    """These loops have redundant constraints; their warning has tests of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        yield


@pytest.mark.parametrize("name", LOCKED)
class TestLocked:
    @pytest.mark.parametrize("motion", [{"rate": 10.0}, {"value": 0.1}, {"value": lambda t: 0.1 + t}])
    def test_a_drive_is_refused(self, name, motion):
        """Whether the drive asks for a rate or for another angle: which joints lock it, and what would help."""
        machine, joints = LOCKED[name]
        driven = with_drive(machine, **motion)
        for analysis in (fb.simulate, fb.kinematics):
            with pytest.raises(
                fb.ConstraintError, match="this machine is locked: its joints leave no degree"
            ) as caught:
                analysis(driven, 0.1)
            text = str(caught.value)
            assert "drive 'motor' can't move what it drives" in text
            assert [joint.name for joint in machine.joints if f"'{joint.name}'" in text] == joints
            assert "Flexible bodies or another joint would let it move" in text

    def test_a_drive_that_begins_at_rest(self, name):
        """It asks for a motion after the start only: the run ends at once, and says why."""
        driven = with_drive(LOCKED[name][0], value=lambda t: 5.0 * t * t)
        with pytest.raises(fb.ConvergenceError, match=r"this machine is locked.*drive 'motor' can't move"):
            fb.kinematics(driven, 0.1)
        with pytest.raises(fb.ConvergenceError, match=r"this machine is locked.*drive 'motor' can't move"):
            fb.simulate(driven, 0.1)

    def test_without_a_drive(self, name):
        """It stands, with a warning; its mobility says that it is locked."""
        machine, _ = LOCKED[name]
        with pytest.warns(fb.FlexbodyWarning, match="this machine is locked"):
            result = fb.simulate(machine, 0.01, step=0.01)
        for body in machine.bodies:
            np.testing.assert_allclose(result.position(body)[-1], body.start, atol=1e-12)
        found = fb.mobility(machine)
        assert found.locked
        assert "locked: its joints leave no degree of freedom" in found.report()


def test_a_machine_that_moves_is_not_called_locked():
    """A planar slider-crank, driven and free; two drives that contradict each other have their own error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        fb.simulate(slider_crank(), 1e-3, step=1e-3)
        driven = with_drive(slider_crank(), rate=1.0)
        fb.kinematics(driven, 1e-3, output_step=1e-3)
    assert not fb.mobility(driven).locked
    both = fb.System(driven.bodies, [*driven.joints, fb.Drive("push", driven.joint("guide"), rate=1.0)])
    with pytest.raises(fb.ConstraintError, match="contradict each other"):
        fb.kinematics(both, 0.1)


def test_a_locked_part():
    """A driven truss beside a free body: the machine has six degrees of freedom, none of them in the truss."""
    driven = with_drive(truss(), rate=1.0)
    stone = fb.RigidBody("stone", 1.0, INERTIA, center=(3, 0, 0))
    machine = fb.System([*driven.bodies, stone], driven.joints)
    with pytest.raises(fb.ConstraintError, match=r"a part of this machine is locked.*drive 'motor'"):
        fb.simulate(machine, 0.1)


def test_flexible_bodies_let_it_move():
    """A beam between two clamps that a drive turns against each other: it is bent, and not locked."""
    beam = fb.FlexibleBody("beam", quintic_beam(), place={"start": (0, 0, 0)})
    hinge = fb.Revolute("hinge", fb.GROUND, beam["start"], axis="y")
    clamp = fb.Fixed("clamp", fb.GROUND, beam["end"])
    machine = fb.System([beam], [hinge, clamp, fb.Drive("motor", hinge, value=1e-3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        result = fb.simulate(machine, 1e-5, step=1e-5)
    # the beam's end follows the drive
    assert result.coordinate("hinge")[-1] == pytest.approx(1e-3, rel=1e-9)
