"""Spanning trees and loops: Sol's matrices, the fewest closing constraints by trying all trees, what is told."""

import itertools

import numpy as np
import pytest
from support.lattices import lattice

import flexbody as fb

INERTIA = (1e-3, 1e-3, 1e-3)


def bodies(*names):
    return [fb.RigidBody(name, 1.0, INERTIA, center=(0.1 * k, 0.0, 0.0)) for k, name in enumerate(names)]


def sol_five():
    """Sol (1983), figures 4.1 to 4.6: a ball joint, two pins, two prismatic joints, and a body that nothing holds."""
    parts = bodies("V1", "V2", "V3", "V4", "V5")
    v1, v2, v3, v4 = parts[:4]
    return fb.System(
        parts,
        [
            fb.Spherical("A1", fb.GROUND, v1, point=(0, 0, 0)),
            fb.Revolute("A2", v1, v2, point=(0.1, 0, 0)),
            fb.Revolute("A3", v3, v2, point=(0.2, 0, 0)),
            fb.Prismatic("A4", v3, v4, point=(0.3, 0, 0)),
            fb.Prismatic("A5", fb.GROUND, v3, point=(0, 0.1, 0)),
        ],
    )


def test_sols_system_of_five_bodies():
    # Sol (1983), (4.3.4) to (4.3.7): his tree cuts the ball joint and hangs the isolated body on six coordinates.
    # The cut joint joins the ground and new body 3; the printed column has one number too many.
    found = fb.topology(sol_five())
    L = [
        [-1, 0, 0, 0, -1],
        [1, -1, 0, -1, 0],
        [0, 1, -1, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
    ]
    np.testing.assert_array_equal(found.L, L)
    np.testing.assert_array_equal(found.T[:4, :4], [[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    np.testing.assert_array_equal(found.T[4], [0, 0, 0, 0, 1])
    np.testing.assert_array_equal(found.predecessors, [0, 1, 2, 1, 0])
    np.testing.assert_array_equal(found.L_cut[:, 0], [-1, 0, 0, 1, 0, 0])
    assert found.bodies == ("V3", "V2", "V1", "V4", "V5")
    assert found.joint_coordinates == 10
    assert found.closing_rows == 3
    assert found.path("V1") == ("prismatic joint 'A5'", "revolute joint 'A3'", "revolute joint 'A2'")
    assert "free joint of 'V5', 6 coordinates" in found.report()
    assert "cut at spherical joint 'A1',\n  3 closing constraints (3 of position)" in found.report()


def pump():
    """Sol (1983), 9.1 and (9.2.1): shaft, roller, plunger; his hinge 2 has three coordinates, chord 2 is the pin."""
    shaft, roller, plunger = parts = bodies("shaft", "roller", "plunger")
    return fb.System(
        parts,
        [
            fb.Revolute("H1", fb.GROUND, shaft, point=(0, 0, 0), axis="y"),
            fb.Planar("H2", shaft, roller, point=(0, 0, 0.03), axis="y"),
            fb.Prismatic("H3", fb.GROUND, plunger, point=(0, 0, 0.1), axis="z"),
            fb.Revolute("C2", roller, plunger, point=(0, 0, 0.03), axis="y"),
        ],
    )


def test_sols_pump():
    found = fb.topology(pump(), cut=["C2"])
    np.testing.assert_array_equal(found.S_ground, [-1, 0, -1])
    np.testing.assert_array_equal(found.S, [[1, -1, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found.T, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(found.L_cut[1:, 0], [0, -1, 1])
    assert found.joint_coordinates == 5  # his (9.2.2)
    assert "cut= contains it" in found.report()


def test_the_program_cuts_the_joint_with_the_most_freedom():
    found = fb.topology(pump())
    assert [cut.joint.name for cut in found.cut_joints] == ["H2"]
    assert found.closing_rows == 3
    assert found.cut_joints[0].bodies == ("shaft", "ground", "plunger", "roller")


def random_machine(rng):
    n = int(rng.integers(2, 6))
    parts = bodies(*(f"b{k}" for k in range(n)))
    kinds = (fb.Fixed, fb.Revolute, fb.Cylindrical, fb.Spherical, fb.PointOnPlane)
    joints = []
    for k in range(int(rng.integers(1, 8))):
        one, other = rng.choice(n + 1, 2, replace=False)
        sides = [fb.GROUND if s == n else parts[s] for s in (one, other)]
        joints.append(kinds[rng.integers(len(kinds))](f"j{k}", *sides, point=(0, 0, 0)))
    return fb.System(parts, joints)


def components(machine, joints):
    """The number of connected parts of the graph, and whether the joints form no loop."""
    leader = {name: name for name in ("ground", *(body.name for body in machine.bodies))}

    def top(name):
        while leader[name] != name:
            name = leader[name]
        return name

    loops = False
    for joint in joints:
        a, b = (top(side.body.name) for side in joint.sides())
        loops |= a == b
        leader[a] = b
    return len({top(name) for name in leader}), not loops


@pytest.mark.parametrize("seed", range(40))
def test_no_other_tree_has_fewer_closing_constraints(seed):
    machine = random_machine(np.random.default_rng(seed))
    found = fb.topology(machine)
    joints, parts = machine.proper_joints, components(machine, machine.proper_joints)[0]
    size = len(machine.bodies) + 1 - parts  # of a spanning forest
    fewest = min(
        sum(len(joint.rows) for joint in joints if joint not in chosen)
        for chosen in itertools.combinations(joints, size)
        if components(machine, chosen)[1]
    )
    assert found.closing_rows == fewest
    assert sum(hinge.joint is None for hinge in found.hinges) == parts - 1
    n = len(machine.bodies)
    np.testing.assert_array_equal(found.S @ found.T, np.eye(n))  # Sol (4.3.8)
    np.testing.assert_array_equal(found.S_ground @ found.T, -np.ones(n))
    assert np.all(found.predecessors <= np.arange(n))  # regular numbers


def ring(n):
    parts = bodies(*(f"b{k}" for k in range(n)))
    sides = [fb.GROUND, *parts, fb.GROUND]
    return fb.System(
        parts, [fb.Revolute(f"j{k}", sides[k], sides[k + 1], point=(0, 0, 0)) for k in range(n + 1)]
    )


def test_a_ring_is_cut_in_its_middle():
    found = fb.topology(ring(9))
    assert [cut.joint.name for cut in found.cut_joints] in (["j4"], ["j5"])
    assert max(len(found.path(body)) for body in found.bodies) == 5


def test_a_free_chain_hangs_at_its_middle():
    parts = bodies(*(f"b{k}" for k in range(7)))
    joints = [fb.Spherical(f"j{k}", parts[k], parts[k + 1], point=(0, 0, 0)) for k in range(6)]
    machine = fb.System(parts, joints)
    assert fb.topology(machine).bodies[0] == "b3"
    told = fb.topology(machine, base=["b0"])
    assert told.bodies == tuple(f"b{k}" for k in range(7))
    assert told.joint_coordinates == 6 + 18


def test_what_is_told_is_kept():
    machine = sol_five()
    found = fb.topology(machine, keep=["A1", "A2", "A3"])
    assert [cut.joint.name for cut in found.cut_joints] == ["A5"]
    assert found.closing_rows == 5
    assert "keep= contains the joints" in found.report()
    found = fb.topology(machine, base=["V1"])
    cut = [cut.joint.name for cut in found.cut_joints]
    assert len(cut) == 2
    assert "A1" in cut
    assert "its loop contains the free joint of a body in base=" in found.report()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"keep": ["A1", "A2", "A3", "A5"]},
            r"form a loop: [a-z]+ joint 'A\d' can't be in the tree.*leave one joint",
        ),
        ({"keep": ["A1"], "cut": ["A1"]}, r"both contain 'A1'"),
        ({"cut": ["A9"]}, r"no joint 'A9'"),
        ({"cut": "A1"}, r"cut= is 'A1'; give a list"),
        ({"base": ["V9"]}, r"no body 'V9'"),
    ],
)
def test_what_cannot_be_done_is_said(given, message):
    with pytest.raises(fb.InputError, match=message):
        fb.topology(sol_five(), **given)


def test_a_drive_is_no_joint_of_the_tree():
    machine = pump()
    drive = fb.Drive("shaft speed", machine.joints[0], rate=10.0)
    machine = fb.System(machine.bodies, [*machine.joints, drive])
    with pytest.raises(fb.InputError, match="drive 'shaft speed'"):
        fb.topology(machine, cut=["shaft speed"])
    found = fb.topology(machine)
    assert "closing constraints - 1 of drive 'shaft speed' = -1 by count" in found.report()
    assert "drive 'shaft speed'" in found.plot().get_suptitle()


def test_the_picture_shows_every_body_and_joint(tmp_path):
    figure = fb.topology(sol_five()).plot(tmp_path / "tree.png")
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"ground", "V1", "V2", "V3", "V4", "V5"} <= texts
    assert {"A1 (3)", "A2 (1)", "A3 (1)", "A4 (1)", "A5 (1)", "free (6)"} <= texts
    assert (tmp_path / "tree.png").stat().st_size > 5000
    with pytest.raises(fb.InputError, match="ending must be one of"):
        fb.topology(sol_five()).plot(tmp_path / "tree.gif")


def test_the_title_of_a_small_picture_fits():
    figure = fb.topology(fb.System(bodies("a"), [])).plot()
    figure.draw_without_rendering()
    assert figure._suptitle.get_window_extent().x1 < figure.bbox.x1


@pytest.mark.parametrize("turned", [False, True])
def test_loops_of_a_long_lattice_stay_short(turned):
    """Trees that run along a lattice in parallel have loops as long as it; others are as good in all else."""
    sizes = [(3, n)[:: -1 if turned else 1] for n in (8, 16)]
    short, long = (max(len(cut.loop) for cut in fb.topology(lattice(*size)).cut_joints) for size in sizes)
    assert short == long
