"""A joint and a coupling that only this file defines: a run, its file, its picture, its plots and its messages."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np
import pytest

import flexbody as fb
from flexbody.model.joints import Coupling, DirectedJoint, Free, Joint, Term
from flexbody.model.joints.coordinates import SLIDE_X, TURN_Z, X, Y, Z
from flexbody.model.joints.rows import PARALLEL, points
from flexbody.view.scenes import machine

PRECISE = fb.Explicit(rtol=1e-10)
CENTRES = {"one": (0, 0, 0), "two": (1, 0, 0), "frame": (0.5, 0, 0)}


@dataclass(frozen=True, eq=False)
class PinInSlot(DirectedJoint):
    """A pin of the second body in a slot of the first: it slides along ``along`` and turns about ``axis``."""

    _: KW_ONLY
    width: float = 0.01

    rows: ClassVar = points(Y, Z) + PARALLEL
    free: ClassVar = (Free(False, X), Free(True, Z))
    coordinates: ClassVar = {"slide": SLIDE_X, "angle": TURN_Z}

    def problems(self) -> list[str]:
        """The problem of a slot without width."""
        return super().problems() if self.width > 0 else [f"{self.label}: width is {self.width!r}"]


@dataclass(frozen=True, eq=False)
class Differential(Coupling):
    """Two shafts and a carrier whose angle is the mean of theirs, with a share of the first shaft."""

    name: str
    first: Joint
    second: Joint
    carrier: Joint
    _: KW_ONLY
    share: float = 0.5

    def uses(self) -> tuple[Term, ...]:
        """The angles of both shafts and of the carrier."""
        shares = (self.share, 1 - self.share, -1.0)
        joints = (self.first, self.second, self.carrier)
        return tuple(Term(joint, "angle", share) for joint, share in zip(joints, shares, strict=True))

    def problems(self) -> list[str]:
        """The problem of a share outside its range."""
        return (
            [] if 0 < self.share < 1 else [f"{self.label}: share is {self.share!r}; give one between 0 and 1"]
        )


def machine_with(slot: type | None = PinInSlot, share: float = 0.4) -> fb.System:
    """Three wheels with a differential, and a bar with its pin in a slot; without a slot the same of other parts."""
    wheels = [
        fb.RigidBody(name, 1.0, (0.1, 0.1, 0.2), center=c, angular_velocity=(0, 0, k))
        for k, (name, c) in enumerate(CENTRES.items())
    ]
    axles = [fb.Revolute(f"axle of {w.name}", fb.GROUND, w, point=w.center) for w in wheels]
    bar = fb.RigidBody("bar", 2.0, (0.01, 0.2, 0.2), center=(0.3, 1.0, 0))
    place = {"point": (0, 1, 0), "axis": "z", "along": (0.8, 0.6, 0)}
    if slot is not None:
        pin = slot("pin", fb.GROUND, bar, **place, width=0.02)
        parts = [pin, Differential("mean", *axles, share=share)]
    else:
        pin = fb.Planar("pin", fb.GROUND, bar, **place)
        terms = [(axles[0], share), (axles[1], 1 - share), (axles[2], -1.0)]
        parts = [pin, fb.Drive("held", pin, value=0.0, which="y"), fb.Coupler("mean", terms)]
    turn = fb.PointMoment("turn", wheels[0], (0, 0, 0.3))
    return fb.System([*wheels, bar], [*axles, *parts], [turn], gravity=(0, -9.81, 0))


def run(system: fb.System) -> fb.Result:
    return fb.simulate(system, 0.5, integrator=PRECISE, show_progress=False)


@pytest.fixture(scope="module")
def result():
    return run(machine_with())


def test_they_move_as_the_same_machine_of_other_parts(result):
    other = run(machine_with(None))
    for body in (*CENTRES, "bar"):
        np.testing.assert_allclose(result.position(body), other.position(body), atol=1e-8)
        np.testing.assert_allclose(result.rotation(body), other.rotation(body), atol=1e-8)
    np.testing.assert_allclose(result.coordinate("pin", "slide"), other.coordinate("pin", "x"), atol=1e-8)
    np.testing.assert_allclose(result.reaction("mean").moment, other.reaction("mean").moment, atol=1e-7)
    force = other.reaction("pin").force + other.reaction("held").force
    np.testing.assert_allclose(result.reaction("pin").force, force, atol=1e-6)


def test_they_are_saved_and_loaded(result, tmp_path):
    """By the names of their module and classes, with all fields."""
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    pin, mean = again.system.joint("pin"), again.system.joint("mean")
    assert (type(pin), pin.width, tuple(pin.along)) == (PinInSlot, 0.02, (0.8, 0.6, 0))
    assert (type(mean), mean.share) == (Differential, 0.4)
    assert [joint.name for joint in (mean.first, mean.second, mean.carrier)] == [
        "axle of one", "axle of two", "axle of frame",
    ]  # fmt: skip
    np.testing.assert_array_equal(again.reaction("mean").moment, result.reaction("mean").moment)
    np.testing.assert_array_equal(run(again.system).position("bar"), result.position("bar"))


def test_they_are_drawn_and_plotted(result):
    """The joint by its free motions, the reactions of both as arrows; a plot shows coordinates or the reaction."""
    scene = machine.scene_of(result, forces=True)
    assert "pin" in scene.owners
    names = {getattr(part, "name", "") for part in scene.parts}
    assert {"reaction pin", "reaction mean, moment"} <= names
    assert fb.picture(result, size=(160, 120)).shape == (120, 160, 3)
    assert set(result.table("pin").columns) == {
        "time (s)",
        "coordinate pin slide (m)",
        "coordinate pin angle (rad)",
    }
    assert "reaction moment mean z (N m)" in result.table("mean").columns


def test_drives_forces_and_analyses_take_them(result):
    system = machine_with()
    pin = system.joint("pin")
    stop = fb.Limit("stop", pin, which="slide", upper=0.5, stiffness=1e4)
    drive = fb.Drive("drive", pin, value=lambda t: 0.2 * t, which="slide")
    driven = run(fb.System(system.bodies, [*system.joints, drive], [stop]))
    np.testing.assert_allclose(driven.coordinate("pin", "slide"), 0.2 * driven.t, atol=1e-9)
    assert fb.mobility(system).degrees_of_freedom == 4


def test_their_problems_and_their_labels():
    wheel = fb.RigidBody("wheel", 1.0, (1, 1, 1))
    with pytest.raises(fb.InputError, match="pin-in-slot joint 'pin': width is 0"):
        fb.System([wheel], [PinInSlot("pin", fb.GROUND, wheel, point=(0, 0, 0), width=0)])
    with pytest.raises(fb.InputError, match=r"differential 'mean': share is 1\.5; give one between 0 and 1"):
        machine_with(share=1.5)
    with pytest.raises(TypeError, match="there is no argument 'pitch'"):
        PinInSlot("pin", fb.GROUND, wheel, pitch=1.0)
