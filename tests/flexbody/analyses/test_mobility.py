"""Freedoms, redundancy, dead points and singular positions of machines whose answers are known."""

from dataclasses import replace

import numpy as np
import pytest
from reference import machines
from support import chains

import fem
import flexbody as fb
import modal
from flexbody.equations.free_motions import more


def test_a_free_body_and_a_pendulum():
    body = fb.RigidBody("body", 1.0, (1.0, 1.0, 1.0), center=(1, 0, 0))
    found = fb.mobility(fb.System([body]))
    assert (found.degrees_of_freedom, found.rank, len(found.free)) == (6, 0, 6)
    found = fb.mobility(fb.System([body], [fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0))]))
    assert (found.degrees_of_freedom, found.rank, found.redundant, found.singular) == (1, 5, (), ())
    assert "turns about (0, 0, 1)" in found.free[0]


def slider_crank(angle=0.3, rods=(1.0, 2.0), drive="crank", hinges=False):
    """A planar slider-crank; ``hinges``: four joints that hold the plane too often."""
    crank_end = rods[0] * np.array([np.cos(angle), np.sin(angle), 0])
    slide = crank_end[0] + np.sqrt(rods[1] ** 2 - crank_end[1] ** 2)
    end = np.array([slide, 0, 0])
    inertia = (0.1, 0.1, 0.1)
    across = np.array([crank_end[1], end[0] - crank_end[0], 0])  # to the rod
    crank = fb.RigidBody("crank", 1.0, inertia, center=crank_end / 2)
    rod = fb.RigidBody("rod", 1.0, inertia, center=(crank_end + end) / 2)
    slider = fb.RigidBody("slider", 1.0, inertia, center=end)
    main = fb.Revolute("main", fb.GROUND, crank, point=(0, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=end, axis="x")
    if hinges:
        pins = [fb.Revolute("pin", crank, rod, point=crank_end), fb.Revolute("wrist", rod, slider, point=end)]
    else:
        pins = [
            fb.Spherical("pin", crank, rod, point=crank_end),
            fb.Universal("wrist", rod, slider, point=end, axes=(across, "z")),
        ]
    drives = {
        "crank": [fb.Drive("drive", main, rate=1.0)],
        "slider": [fb.Drive("drive", guide, value=0.0)],
        "none": [],
    }
    return fb.System([crank, rod, slider], [main, *pins, guide, *drives[drive]])


def test_a_slider_crank_has_one_freedom_and_its_drive_takes_it():
    for drive in ("crank", "slider"):
        found = fb.mobility(slider_crank(drive=drive))
        assert (found.degrees_of_freedom, found.driven, found.free, found.dead) == (1, 1, (), ())
    assert len(fb.mobility(slider_crank(drive="none")).free) == 1


def test_redundant_hinges_are_named():
    """Gruebler: 3 * 6 - 4 * 5 = -2, three constraints more than the one freedom allows."""
    found = fb.mobility(slider_crank(hinges=True))
    assert (found.degrees_of_freedom, found.rows - found.rank) == (1, 3)
    assert {"revolute joint 'main'", "revolute joint 'pin'", "prismatic joint 'guide'"} <= set(
        found.redundant
    )
    assert "drive 'drive'" not in found.redundant


def test_a_dead_point_is_one_of_the_drive_and_no_singularity():
    """Crank and rod in line: the slider can't move the crank; the crank can move all."""
    found = fb.mobility(slider_crank(angle=0.0, drive="slider"))
    assert (found.degrees_of_freedom, found.driven) == (1, 1)
    assert (found.dead, found.singular) == (("drive 'drive'",), ())
    found = fb.mobility(slider_crank(angle=0.0, drive="crank"))
    assert (found.dead, found.singular) == ((), ())
    assert "dead point" in fb.mobility(slider_crank(angle=0.0, drive="slider")).report()


def test_a_slider_crank_of_equal_rods_is_singular_where_it_folds():
    """Crank and rod along each other, the slider on the bearing: rod and crank may turn as one, the slider at rest."""
    found = fb.mobility(slider_crank(angle=np.pi / 2, rods=(1.0, 1.0), drive="none"))
    assert found.degrees_of_freedom == 1
    assert len(found.singular) == 1


def test_four_bars_lying_flat_are_singular_and_only_there():
    """IFToMM A02 with two windows has one freedom, and three where its bars lie in line (Gonzalez et al. 2006)."""
    system, _ = machines.four_bar_machine()
    upright = fb.mobility(system)
    assert (upright.degrees_of_freedom, upright.rows - upright.rank, upright.singular) == (1, 0, ())
    # a quarter of a turn on
    flat = []
    for body in system.bodies:
        if body.name.startswith("crank"):
            k = float(body.name[-1])
            flat.append(replace(body, center=(k + 0.5, 0, 0), markers={"top": (k + 1, 0, 0)}))
        else:
            flat.append(replace(body, center=(body.center[0] + 1, 0, 0)))
    joints = []
    for joint in system.joints:
        x, y, z = joint.point
        joints.append(replace(joint, point=(x + y, 0, z)))
    found = fb.mobility(replace(system, bodies=flat, joints=joints))
    assert (found.degrees_of_freedom, len(found.singular)) == (1, 2)


def test_modal_coordinates_count():
    system, _ = machines.koppens_slider_crank("quintic")
    found = fb.mobility(system)
    assert found.modes == 4
    # drawn in line: no dead point of the crank
    assert (found.degrees_of_freedom, found.driven, found.free) == (5, 1, ())
    assert found.deformations == (("rod", 4),)
    assert "free: 4 deformations: rod 4" in found.report()


def test_deformation_supplies_what_redundant_rows_hold():
    """Gruebler in space: 3 * 6 - 4 * 5 = -2 for one freedom; the coupler's deflections supply the three."""
    bar = fem.assemble(fem.box((1.0, 0.05, 0.05), (6, 1, 1)), fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))
    reduced = modal.reduce(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=4))
    coupler = fb.FlexibleBody("coupler", reduced, place={"x0": (0, 0, 0.5), "x1": (1, 0, 0.5)})
    crank, rocker = (
        fb.RigidBody(name, 1.0, (0.1,) * 3, center=(x, 0, 0.25)) for name, x in (("crank", 0), ("rocker", 1))
    )
    joints = [
        fb.Revolute("foot", fb.GROUND, crank, point=(0, 0, 0), axis="y"),
        fb.Revolute("pin", crank, coupler["x0"], axis="y"),
        fb.Revolute("knee", coupler["x1"], rocker, axis="y"),
        fb.Revolute("base", fb.GROUND, rocker, point=(1, 0, 0), axis="y"),
    ]
    found = fb.mobility(fb.System([crank, coupler, rocker], joints))
    N = coupler.n_modes
    assert (found.degrees_of_freedom, found.modes, found.supplied) == (1 + N - 3, N - 3, 3)
    assert len(found.free) == 1
    text = found.report()
    assert text.startswith(f"{N - 2} degrees of freedom: 1 rigid, {N - 3} of deformation; 0 driven")
    assert "deformation satisfies 3 constraints that would be redundant for rigid bodies" in text
    assert text.endswith(f"and {N - 3} deformations of {N}: coupler {N}")
    assert "deforms" not in text


def test_more_motions_in_english():
    """A free machine of three bodies has more motions than are named: one more motion, two more motions."""
    assert [more(n, "motion") for n in (0, 1, 2)] == ["", " and 1 more motion", " and 2 more motions"]


@pytest.mark.parametrize("loops", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_loops_side_by_side(loops):
    """Windows of revolutes: one motion for all, and three redundant constraints each."""
    system, _ = machines.four_bar_machine(loops, redundant=True)
    found = fb.mobility(system)
    assert (found.degrees_of_freedom, found.rows - found.rank, len(found.free)) == (1, 3 * loops, 1)
    assert len(found.redundant) == 3 * loops + 1
    assert not found.singular


def test_a_chain_has_a_motion_for_each_hinge():
    """More coordinates than singular values are computed for: the free motions meet the constraints."""
    found = fb.mobility(chains.chain(24))
    assert found.degrees_of_freedom == len(found.free) == 24


def test_parts_that_share_no_joint_move_by_themselves():
    # a pin leaves its body the rotation about its axis; the center moves by 0.5 m a radian, too little beside the
    # machine's 19 m to be named
    n = 20
    bars = [fb.RigidBody(f"bar {k}", 1.0, (0.1, 0.1, 0.1), center=(k, 0.5, 0)) for k in range(n)]
    pins = [
        fb.Revolute(f"pin {k}", fb.GROUND, bar, point=(k, 0, 0), axis="z") for k, bar in enumerate(bars[:-1])
    ]
    found = fb.mobility(fb.System(bars, pins))
    assert found.degrees_of_freedom == len(found.free) == n - 1 + 6  # the last one floats
    assert {text for text in found.free if "bar 19" not in text} == {
        f"body 'bar {k}' turns about (0, 0, 1)" for k in range(n - 1)
    }
