"""Shapes of contacts in pictures: solids of their bodies, plates under planes."""

import numpy as np
import pytest

import flexbody as fb
import modal
from flexbody.core.kinds import PLANE
from flexbody.view.geometry.parts import Rigid
from flexbody.view.scenes.machine import scene_of
from flexbody.view.symbols.arrows import Arc, Arrow

pytestmark = pytest.mark.slow


def test_shapes_are_drawn_with_their_sizes():
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1), velocity=(1.0, 0, 0))
    block = fb.RigidBody("block", 1.0, (4e-3,) * 3, center=(1.0, 0.4, 0.15))
    log = fb.RigidBody("log", 1.0, (4e-3,) * 3, center=(0.0, 0.6, 0.1))
    floor = fb.Plane(fb.GROUND)
    shapes = [fb.Sphere(ball, 0.1), fb.Box(block, (0.2, 0.1, 0.3)), fb.Cylinder(log, 0.1, 0.5, axis="x")]
    assert floor.kind == PLANE
    forces = [fb.Contact(f"c{k}", floor, shape, stiffness=1e6) for k, shape in enumerate(shapes)]
    result = fb.simulate(
        fb.System([ball, block, log], forces=forces), 0.5, output_step=0.1, show_progress=False
    )
    scene = scene_of(result)
    found = {}
    for owner, part in zip(scene.owners, scene.parts, strict=True):
        if isinstance(part, Rigid):
            found.setdefault((owner, part.body), part.solid[0])
    for name, size in (("ball", (0.2, 0.2, 0.2)), ("block", (0.2, 0.1, 0.3)), ("log", (0.5, 0.2, 0.2))):
        # polygons around circles
        np.testing.assert_allclose(np.ptp(found[name, name], axis=0), size, rtol=0.03)
    plate = found["c0", "ground"]
    assert plate[:, 2].max() == pytest.approx(0.0, abs=1e-12)
    low, high = plate[:, :2].min(axis=0), plate[:, :2].max(axis=0)
    assert (low < [-0.25, -0.1]).all()
    assert (high > [1.1, 0.7]).all()
    assert ("c1", "ground") not in found  # one plate under all


def test_a_plane_on_a_flexible_body_hides_nothing():
    """The surface of the beam shows where the plane is; a plate would lie before it."""
    ends = {"start": (0, 0, 0), "end": (1, 0, 0)}
    reduced = modal.assumed.beam(1.0, mass=1.0, EI=10.0, polar_inertia=1e-4, y=modal.assumed.quintic())
    beam = fb.FlexibleBody("beam", reduced, place=ends)
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0.5, 0, 0.3))
    planes = [
        fb.Plane(side, point=point) for side, point in ((beam["middle"], None), (fb.GROUND, (0, 0, -1)))
    ]
    forces = [
        fb.Contact(f"c{k}", plane, fb.Sphere(ball, 0.1), stiffness=1e3) for k, plane in enumerate(planes)
    ]
    machine = fb.System([beam, ball], [fb.Fixed("root", fb.GROUND, beam["start"])], forces)
    scene = scene_of(fb.simulate(machine, 0.01, output_step=0.005, show_progress=False))
    bodies = {(owner, part.body) for owner, part in zip(scene.owners, scene.parts, strict=True)}
    assert ("c1", "ground") in bodies
    assert ("c0", "beam") not in bodies


def test_an_arrow_starts_where_the_bodies_touch():
    """The force on a sliding ball starts under its centre, on the floor; about that point it has no moment."""
    mu = 0.3
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1), velocity=(2.0, 0, 0))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e6, mu=mu)
    machine = fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, 0.04, output_step=0.01, show_progress=False)
    scene, k = scene_of(result, forces=True), int(np.argmax(result.element("floor").force))
    poses = scene.motion.at(result.t[k])
    (part,) = (part for part in scene.parts if isinstance(part, (Arrow, Arc)))
    force = poses[part.name].alpha
    assert isinstance(part, Arrow)
    assert force[2] > 1.0
    np.testing.assert_allclose(force, (-mu * force[2], 0, force[2]), rtol=1e-6, atol=1e-9)
    place = part.start(poses) - part.offset
    np.testing.assert_allclose(place, (result.position(ball)[k, 0], 0, 0), atol=1e-3)  # as deep as 0.5 mm


def test_marks_of_a_ball_are_on_it_not_in_front_of_all(monkeypatch):
    """More than a third of the rings lies inside the ball on its bar: no reason to show them through the floor."""
    monkeypatch.setattr("flexbody.view.scenes.machine.BURIED", 0.33)
    ball = fb.RigidBody("ball", 1.0, (4e-4,) * 3, center=(0, 0, 0.05), markers={"end": (0.3, 0, 0.05)})
    floor = fb.Contact("floor", fb.Plane(fb.GROUND, "z"), fb.Sphere(ball, 0.05), stiffness=1e6)
    system = fb.System([ball], [], [floor], gravity=(0, 0, -9.81))
    scene = scene_of(fb.simulate(system, 0.01, step=1e-3, show_progress=False))
    marks = [p for p, owner in zip(scene.parts, scene.owners, strict=True) if owner == "floor"]
    assert len(marks) == 2  # the plate of the plane and the rings
    assert {part.layer for part in marks} == {0}
