"""Cams in pictures: plates with the outline of the line, where it is; rollers, faces, and where they are pressed."""

import numpy as np
import pytest
from support.drawn import volume

import flexbody as fb
from flexbody.view.geometry import shapes
from flexbody.view.geometry.motion import Motion
from flexbody.view.scenes import machine
from flexbody.view.scenes.forces import Arc, Arrow
from flexbody.view.symbols import cams
from flexbody.view.symbols.sketch import Sketch

ANGLE = np.linspace(0, 2 * np.pi, 72, endpoint=False)


def star(n=3, radius=0.03, depth=0.006, centre=(0.0, 0.0)):
    """A hollow outline in the plane y = 0, and its area: the integral of r^2 / 2."""
    r = radius + depth * np.cos(n * ANGLE)
    points = np.stack([centre[0] + r * np.cos(ANGLE), 0 * r, centre[1] + r * np.sin(ANGLE)], axis=1)
    return points, np.pi * (radius**2 + depth**2 / 2)


def run(points, point, radius, **options):
    """A cam that turns about y under a roller of a body that slides along z."""
    middle = points.mean(axis=0)
    disc = fb.RigidBody("cam", 1.0, (1e-3,) * 3, center=tuple(middle + [0.005, 0, 0.002]))
    tappet = fb.RigidBody("tappet", 0.2, (1e-5,) * 3, center=(middle[0], 0, middle[2] + 0.1))
    contact = fb.RollerOnGuideway(
        "contact", disc, tappet, points=points, closed=True, point=point, radius=radius, **options
    )
    shaft = fb.Revolute("shaft", fb.GROUND, disc, point=middle, axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, tappet, point=tappet.center, axis="z")
    system = fb.System([disc, tappet], [shaft, guide, contact, fb.Drive("turn", shaft, rate=20.0)])
    return fb.simulate(system, 0.02, step=1e-3, show_progress=False)


@pytest.mark.parametrize("axis", [(0, 1, 0), (0, -1, 0)])
def test_a_slab_of_a_hollow_outline_has_its_volume(axis):
    points, area = star()
    solid = shapes.slab(points, axis, 0.01)
    assert volume(*solid) == pytest.approx(0.01 * area, rel=5e-3)  # chords of 1/12 rad are inside
    edges = np.sort(np.concatenate([solid[1][:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2)  # closed


@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.3, -0.2)])
def test_the_plate_of_a_cam_has_its_outline(centre):
    points, area = star(centre=centre)
    result = run(points, (centre[0], 0, centre[1] + 0.0395), 0.0095 - 0.0)
    sketch = Sketch(result, Motion(result), 1.0)
    (plate,) = cams.cams_of(sketch, "cam")
    assert volume(*plate) == pytest.approx(sketch.thick * area, rel=5e-3)
    at = plate[0] + sketch.start("cam") - sketch.depth("cam")
    assert np.linalg.norm(at[:, None, ::2] - points[None, :, ::2], axis=2).min(axis=0).max() < 5e-4
    assert not cams.cams_of(sketch, "tappet")


def test_a_cam_about_its_roller_is_a_ring():
    points = np.stack([0.05 * np.cos(ANGLE), 0 * ANGLE, 0.04 * np.sin(ANGLE)], axis=1)
    sketch = Sketch((result := run(points, (0, 0, 0.032), 0.008)), Motion(result), 1.0)
    (ring,) = cams.cams_of(sketch, "cam")
    away = np.abs(ring[0][:, ::2] / [0.05, 0.04] + sketch.start("cam")[::2] / [0.05, 0.04])
    assert np.linalg.norm(away, axis=1).min() > 0.999  # nothing where the roller runs
    assert volume(*ring) > 0


def test_a_flat_face_is_pressed_where_it_touches():
    """The force acts at the highest point of the eccentric, and has no moment there."""
    e, rate = 0.01, 40.0
    disc = fb.RigidBody("disc", 1.0, (1e-3,) * 3, center=(0.003, 0, 0))
    tappet = fb.RigidBody("tappet", 0.2, (1e-5,) * 3, center=(0, 0, 0.1))
    circle = fb.profile(lambda a: (e + 0.03 * np.cos(a), 0.03 * np.sin(a)), axis="y", along="z")
    cam = fb.FaceOnGuideway("cam", disc, tappet, points=circle, closed=True, point=(0, 0, 0.04))
    shaft = fb.Revolute("shaft", fb.GROUND, disc, point=(0, 0, 0), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, tappet, point=tappet.center, axis="z")
    drive = fb.Drive("turn", shaft, rate=rate)
    system = fb.System([disc, tappet], [shaft, guide, cam, drive], gravity=(0, 0, -9.81))
    result = fb.simulate(system, 0.02, step=1e-3, show_progress=False)
    scene = machine.scene_of(result, forces=(cam,))
    (arrow,) = (part for part in scene.parts if isinstance(part, Arrow | Arc))
    assert isinstance(arrow, Arrow)
    turned = rate * result.t[-1]
    start = arrow.start(scene.motion.at(result.t[-1])) - arrow.offset
    np.testing.assert_allclose(start[::2], [e * np.sin(turned), e * np.cos(turned) + 0.03], atol=1e-6)
