"""Bevel gears in pictures: cones that roll on each other, teeth in gaps, only where there are any."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexbody as fb
from flexbody.view.geometry.motion import Motion
from flexbody.view.symbols.bevels import bevels_of, pairs
from flexbody.view.symbols.sketch import Sketch

INERTIA = (0.02, 0.02, 0.02)


def sketch_of(axes=("x", "z"), places=((0.2, 0, 0), (0, 0, 0.12)), **gear) -> Sketch:
    """Two wheels on the ground, the first of them driven."""
    one, two = (
        fb.RigidBody(name, 1.0, INERTIA, center=place)
        for name, place in zip(("one", "two"), places, strict=True)
    )
    first = fb.Revolute("first", fb.GROUND, one, point=places[0], axis=axes[0])
    second = fb.Revolute("second", fb.GROUND, two, point=places[1], axis=axes[1])
    pair = fb.Gear("pair", first, second, **{"ratio": 2.0, **gear})
    joints = [first, second, pair, fb.Drive("drive", first, rate=3.0)]
    result = fb.simulate(fb.System([one, two], joints), 1.0, step=0.02)
    return Sketch(result, Motion(result), 1.0)


OBLIQUE = (np.sin(1.9), 0.0, np.cos(1.9))  # a shaft angle of 1.9 rad


@pytest.mark.parametrize(
    ("axes", "places"),
    [
        (("x", "z"), ((0.2, 0, 0), (0, 0, 0.12))),
        (("z", OBLIQUE), ((0, 0, 0.3), tuple(0.2 * np.array(OBLIQUE)))),
        (("x", "z"), ((0, 0, 0), (0, 0, 0.1))),  # one drawn where the axes cross
    ],
)
@pytest.mark.parametrize("ratio", [1.0, 2.0, 0.4])
def test_cones_roll_on_each_other(axes, places, ratio):
    """Their tips are one, their angles fill that between the shafts, their radii and teeth have the ratio."""
    sketch = sketch_of(axes, places, ratio=ratio)
    (_, a), (_, b) = pairs(sketch)
    starts = [sketch.start(name) for name in ("one", "two")]
    np.testing.assert_allclose(a.tip + starts[0], b.tip + starts[1], atol=1e-12)
    np.testing.assert_allclose(a.tip + starts[0], 0, atol=1e-12)
    assert a.angle + b.angle == pytest.approx(np.arccos(a.axis @ b.axis))
    assert b.radius / a.radius == pytest.approx(ratio)
    assert b.teeth / a.teeth == pytest.approx(ratio)
    assert a.reach == b.reach
    # the line where they touch is one
    lines = [np.cos(w.angle) * w.axis + np.sin(w.angle) * w.toward for w in (a, b)]
    np.testing.assert_allclose(*lines, atol=1e-12)


def test_teeth_stand_in_gaps_at_any_time():
    """How far both are after a tooth, each as it turns, adds to half a pitch: they run past each other."""
    sketch = sketch_of()
    (_, a), (_, b) = pairs(sketch)
    result, contact = sketch.result, (a.toward, b.toward)
    turned = 0.0
    for k in (0, 13, 50):
        phases = []
        for wheel, joint, line in ((a, "first", contact[0]), (b, "second", contact[1])):
            angle = result.coordinate(joint)[k]
            phases.append(wheel.phase(Rotation.from_rotvec(-angle * wheel.axis).apply(line)))
            turned = max(turned, abs(angle))
        assert (sum(phases) - 0.5 + 0.25) % 1 == pytest.approx(0.25, abs=1e-6)
    assert turned > 1.0


def test_a_planet_has_one_wheel_for_both_suns():
    cage = fb.RigidBody("cage", 2.0, INERTIA)
    left, right = (
        fb.RigidBody(n, 1.0, INERTIA, center=(x, 0, 0)) for n, x in (("left", -0.3), ("right", 0.3))
    )
    planet = fb.RigidBody("planet", 0.3, INERTIA, center=(0, 0.12, 0))
    carrier = fb.Revolute("carrier", fb.GROUND, cage, point=(0, 0, 0), axis="x")
    suns = [
        fb.Revolute("jl", cage, left, point=(-0.12, 0, 0), axis="-x"),
        fb.Revolute("jr", cage, right, point=(0.12, 0, 0), axis="x"),
    ]
    pin = fb.Revolute("pin", cage, planet, point=(0, 0.1, 0), axis="y")
    gears = [fb.Gear(f"g{k}", sun, pin, ratio=0.8) for k, sun in enumerate(suns)]
    result = fb.simulate(
        fb.System([cage, left, right, planet], [carrier, *suns, pin, *gears]), 0.1, step=0.01
    )
    found = pairs(Sketch(result, Motion(result), 1.0))
    assert sorted(joint.name for joint, _ in found) == ["jl", "jr", "pin"]
    for _, wheel in found:
        assert wheel.reach == pytest.approx(found[0][1].reach)


@pytest.mark.parametrize(
    "options",
    [
        {"axes": ("x", "x"), "places": ((0, 0, 0), (0, 0.3, 0))},  # parallel: spur gears
        {"places": ((0.2, 0.1, 0), (0, 0, 0.12)), "pressure_angle": None},  # past each other: hypoid gears
        {"axes": ("-x", "z")},  # toward the crossing
        {"internal": True},
    ],
)
def test_what_is_no_bevel_gear(options):
    sketch = sketch_of(**options)
    assert pairs(sketch) == []


def test_they_are_closed_and_face_outward():
    sketch = sketch_of()
    for name in ("one", "two"):
        ((points, triangles),) = bevels_of(sketch, name)
        edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
        assert {tuple(e) for e in edges} == {tuple(e[::-1]) for e in edges}
        x, y, z = points[triangles].transpose(1, 0, 2)
        assert np.einsum("ij,ij->", x, np.cross(y, z)) > 0
