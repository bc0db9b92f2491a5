"""Every kind of body, joint and mesh can be drawn, by our own renderer (the parts are the same with OpenGL)."""

from dataclasses import replace

import numpy as np
import pytest

import fem
import flexbody as fb
import modal
from fem.model.outer_surface import outer_surfaces
from flexbody.view.geometry import colours
from flexbody.view.geometry.motion import Motion
from flexbody.view.render import opengl
from flexbody.view.scenes import machine
from flexbody.view.symbols.gears import train
from flexbody.view.symbols.sketch import Sketch

SIZE = (320, 180)


@pytest.fixture(autouse=True)
def own_renderer(monkeypatch):
    monkeypatch.setattr(opengl, "available", lambda: False)


def _drawn(image):
    return (image < 250).any(axis=2).mean()


def _run(bodies, joints, forces=(), gravity=(0, 0, -9.81)):
    return fb.simulate(fb.System(bodies, joints, forces, gravity=gravity), t_end=0.05, show_progress=False)


@pytest.mark.parametrize(
    ("kind", "axis"),
    [
        (fb.Revolute, "x"), (fb.Spherical, "y"), (fb.Universal, "z"),
        (fb.Cylindrical, "x"), (fb.Prismatic, "y"), (fb.Planar, "z"),
    ],
)  # fmt: skip
def test_every_joint_to_the_ground_is_drawn(kind, axis):
    body = fb.RigidBody("body", 1.0, (0.01, 0.02, 0.02), center=(0.3, 0.1, 0.2), angular_velocity=(1, 2, 3))
    second = {"x": "y", "y": "z", "z": "x"}[axis]
    options = {fb.Universal: {"axes": (axis, second)}, fb.Spherical: {}}.get(kind, {"axis": axis})
    joint = kind("joint", fb.GROUND, body, point=(0, 0, 0), **options)
    result = _run([body], [joint], gravity=(1.0, -3.0, -9.81))
    assert 0.005 < _drawn(fb.picture(result, size=SIZE)) < 0.6


def test_bodies_that_nothing_holds_are_blocks_of_their_inertia():
    bodies = [
        fb.RigidBody(
            f"body {k}", 1.0, (0.4, 1.0, 1.2), center=(3.0 * k, 0, 0), angular_velocity=(0.1, k, 0.2)
        )
        for k in range(3)
    ]
    parts = machine.scene_of(_run(bodies, [])).parts
    sides = np.ptp(parts[0].solid[0], axis=0)
    inertia = (sides @ sides - sides**2) / 12
    np.testing.assert_allclose(inertia, (0.4, 1.0, 1.2), rtol=1e-9)
    assert len(parts) == 3


def test_a_clamped_beam_bends_about_its_clamp():
    beam = modal.assumed.beam(length=1.0, mass=1.0, EI=50.0, polar_inertia=1e-4, y=modal.assumed.quintic())
    blade = fb.FlexibleBody("blade", beam, place={"start": (0, 0, 0), "end": (1, 0, 0)})
    clamp = fb.Fixed("clamp", fb.GROUND, blade["start"])
    result = _run([blade], [clamp], gravity=(0, -9.81, 0))
    (part,) = machine.scene_of(result, scale=100.0).flexible
    poses = machine.scene_of(result).motion.at(0.05)
    drawn = part.points(poses)
    root = part.x[part.surface.source][:, 0] == part.x[:, 0].min()
    np.testing.assert_allclose(drawn[root].mean(axis=0), [0, 0, 0], atol=1e-3)
    tip = result.position(blade["end"])[-1]
    end = part.x[part.surface.source][:, 0] == part.x[:, 0].max()
    assert drawn[end][:, 1].mean() == pytest.approx(100 * tip[1], rel=0.02)  # the clamp holds, the tip sinks


def test_a_flexible_body_without_a_surface_is_a_bar():
    beam = modal.assumed.beam(length=1.0, mass=1.0, EI=50.0, polar_inertia=1e-4, y=modal.assumed.quintic())
    bare = fb.FlexibleBody("rod", replace(beam, surface=None), place={"start": (0, 0, 0), "end": (1, 0, 0)})
    result = _run([bare], [fb.Spherical("hinge", fb.GROUND, bare["start"])])
    assert not machine.scene_of(result).flexible
    assert 0.005 < _drawn(fb.picture(result, size=SIZE, scale=None)) < 0.6


@pytest.mark.parametrize(("rate", "plane"), [(1.0, True), (20.0, False)])
def test_shafts_side_by_side_are_drawn_in_space_if_they_turn(rate, plane):
    """All points stay in the plane z = 0, in which a slider moves: the shafts turn by 0.05 rad and 1 rad about x."""
    shafts = [fb.RigidBody(n, 1.0, (0.01, 0.1, 0.1), center=(0.5, y, 0)) for n, y in (("a", 0.0), ("b", 0.4))]
    slider = fb.RigidBody("slider", 1.0, (0.01, 0.01, 0.01), center=(0.5, 0.2, 0))
    joints = [fb.Revolute(f"at {b.name}", fb.GROUND, b, point=(0, b.center[1], 0), axis="x") for b in shafts]
    joints.append(fb.Prismatic("guide", fb.GROUND, slider, point=slider.center, axis="x"))
    drives = [fb.Drive(f"motor {joint.name}", joint, rate=rate) for joint in joints]
    scene = machine.scene_of(_run([*shafts, slider], [*joints, *drives]))
    assert (scene.normal is not None) == plane


def test_bars_of_a_plane_machine_lie_behind_each_other():
    left, right = (
        fb.RigidBody(n, 1.0, (0.01, 0.1, 0.1), center=(x, 0, 0)) for n, x in (("left", 0.5), ("right", 1.5))
    )
    joints = [
        fb.Revolute("first", fb.GROUND, left, point=(0, 0, 0), axis="y"),
        fb.Revolute("second", left, right, point=(1, 0, 0), axis="y"),
    ]
    scene = machine.scene_of(_run([left, right], joints))
    np.testing.assert_allclose(np.abs(scene.normal), [0, 1, 0], atol=1e-9)
    (low, high), (low2, high2) = (
        (part.solid[0][:, 1].min(), part.solid[0][:, 1].max()) for part in scene.parts[:2]
    )
    assert high < low2 or high2 < low


# ---- meshes


@pytest.fixture(scope="module")
def block():
    return fem.box((3, 1, 0.5), (6, 2, 2), element="hex20")


def test_a_mesh_shows_its_sets_in_their_colours(block):
    image = fb.picture_mesh(block, sets=("x1", "z1"), size=SIZE)
    one, other = (np.array(c) for c in colours.SETS[:2])
    # the legend shows the pure colours
    assert (np.abs(image / 255 - one).max(axis=2) < 0.01).sum() > 9
    assert (np.abs(image / 255 - other).max(axis=2) < 0.01).sum() > 9
    plain = fb.picture_mesh(fem.assemble(block, fem.Isotropic(E=1e9, nu=0.3, rho=1e3)), sets=(), size=SIZE)
    assert np.abs(plain.astype(int) - image).max() > 50
    with pytest.raises(fb.InputError, match=r"no node set 'top'; it has 'x0'"):
        fb.picture_mesh(block, sets=("top",))


def test_element_edges_are_drawn_without_the_lines_that_split_faces(block):
    # a block of 6 x 2 x 2 elements shows 2 (6 2 + 6 2 + 2 2) = 56 faces with 4 edges of 2 pieces each, each shared
    # by two faces
    assert len(outer_surfaces(block)[0].edges) == 56 * 4 * 2 // 2


def test_a_base_function_is_drawn(block, tmp_path):
    structure = fem.assemble(block, fem.Isotropic(E=1e9, nu=0.3, rho=1e3))
    body = modal.reduce(structure, modal.eigenmodes(structure, n=3))
    still = fb.picture_mesh(body, size=SIZE)
    bent = fb.picture_mesh(body, tmp_path / "mode.png", mode=0, size=SIZE)
    assert (tmp_path / "mode.png").exists()
    assert (still != bent).any(axis=2).mean() > 0.02
    with pytest.raises(fb.InputError, match=r"mode is 3, but .* of the indices 0 to 2"):
        fb.picture_mesh(body, mode=3)
    with pytest.raises(fb.InputError, match="ending must be one of"):
        fb.picture_mesh(body, tmp_path / "mode.mp4")


def test_wheels_in_a_row_are_seen_along_their_axes_and_have_teeth_of_one_size():
    """Pitch radii 0.1, 0.2 and 0.25 m: 12, 24 and 30 teeth."""
    bodies = [
        fb.RigidBody(f"wheel {k}", 1.0, (1e-3,) * 3, center=(x, 0, 0)) for k, x in enumerate((0.0, 0.3, 0.75))
    ]
    shafts = [fb.Revolute(f"shaft {b.name}", fb.GROUND, b, point=b.center, axis="y") for b in bodies]
    gears = [
        fb.Gear(f"gear {k}", shafts[k], shafts[k + 1], ratio=ratio) for k, ratio in enumerate((2.0, 1.25))
    ]
    motor = fb.PointMoment("motor", bodies[0], (0, 0.01, 0))
    sketch = Sketch(result := _run(bodies, [*shafts, *gears], [motor]), Motion(result), 1.0)
    np.testing.assert_allclose(np.abs(sketch.normal), [0, 1, 0], atol=1e-9)
    assert [wheel.teeth for _, wheel in train(sketch)[0]] == [12, 24, 30]
