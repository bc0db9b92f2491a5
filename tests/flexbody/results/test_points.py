"""Any point in the same words for place, rates and displacement: by name, place or node, in any base, from any body."""

from dataclasses import replace

import numpy as np
import pytest
from support.every import STEEL, straight

import fem
import flexbody as fb
import modal

#: a node on the surface of the arm, with a set of its own
NODE = 9


@pytest.fixture(scope="module")
def run():
    """A flexible arm that swings on a carriage, which slides on the ground; gravity."""
    mesh = straight("hex8", 5)
    mesh = replace(mesh, node_sets={**mesh.node_sets, "node": [NODE]})
    structure = fem.assemble(mesh, fem.Solid(STEEL))
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=2)
    reduced = modal.reduce(structure, basis, frame=modal.MeanDisplacement(), markers=("node",))
    arm = fb.FlexibleBody("arm", reduced, place={"x0": (0, 0, 0), "x1": (1, 0, 0)}, damping_ratio=0.1)
    carriage = fb.RigidBody("carriage", 30.0, (1, 1, 1), center=(0, 0.1, 0), velocity=(1, 0, 0))
    guide = fb.Cylindrical("guide", fb.GROUND, carriage, point=(0, 0.1, 0), axis="x")
    hinge = fb.Revolute("hinge", carriage, arm["x0"], axis=(0, 1, 0.2))
    load = fb.PointForce("load", arm["x1"], (0, 2e5, 0))
    system = fb.System([carriage, arm], [guide, hinge], [load], gravity=(0, 0, -9.81))
    return fb.simulate(system, 0.02, step=2e-4)


METHODS = ("position", "velocity", "acceleration", "angular_velocity", "displacement")


@pytest.mark.parametrize("method", METHODS)
def test_one_point_in_many_words(run, method):
    """By frame, by pair, by point=, by objects and names: the same numbers."""
    arm = run.system.body("arm")
    read = getattr(run, method)
    expected = read(arm["x1"])
    assert np.abs(expected).max() > 0
    for what, options in ((("arm", "x1"), {}), ("arm", {"point": "x1"}), (arm, {"point": "x1"})):
        np.testing.assert_array_equal(read(what, **options), expected)
    np.testing.assert_array_equal(read(arm, "x1"), expected)
    np.testing.assert_array_equal(
        read(arm["x1"], frame="guide"), read("arm", point="x1", frame=run.system.joint("guide"))
    )
    state = fb.Stepper(run.system, start=run, horizon=1.0)
    np.testing.assert_array_equal(getattr(state, method)("arm", "x1"), getattr(state, method)(arm["x1"]))


def test_states_are_read_in_the_same_words(run):
    """A state of a run by itself, as the run at that time."""
    state, k = run.state(run.t[40]), 40
    for method in METHODS:
        for options in ({}, {"point": "x1"}, {"point": "x1", "frame": "hinge", "relative_to": "carriage"}):
            if method == "displacement" and not options:
                continue
            found = getattr(state, method)("arm", **options)
            np.testing.assert_allclose(
                found, getattr(run, method)("arm", **options)[k], rtol=1e-12, atol=1e-14
            )
    one, other = state.reaction("hinge", body="carriage"), run.reaction("hinge", body="carriage")
    np.testing.assert_array_equal(one.force, other.force[k])
    np.testing.assert_array_equal(one.moment, other.moment[k])
    assert state.coordinate_rate("hinge") == pytest.approx(run.coordinate_rate("hinge")[k], rel=1e-12)


@pytest.mark.parametrize("method", METHODS[:1] + METHODS[4:])
def test_nodes_and_points(run, method):
    """A node by its number, and by its place as drawn, is the marker of a set that holds this node alone.

    Markers know the second order of the deformation, points the first: it is some (deflection / length)^2 of it.
    """
    body = run.system.body("arm")
    place = body.start + body.marker("node")[0]
    read = getattr(run, method)
    by_name = read(body["node"])
    bent = np.abs(run.displacement(body["x1"])).max()
    assert 1e-3 < bent < 0.02  # of 1 m
    for point in (NODE, np.int64(NODE), place, tuple(place)):
        np.testing.assert_allclose(read("arm", point=point), by_name, rtol=0, atol=4 * bent**2)
        np.testing.assert_array_equal(read(("arm", point)), read("arm", point=point))
    # and no other node gives these numbers
    assert np.abs(read("arm", point=NODE + 4) - by_name).max() > 12 * bent**2


def test_displacement_in_another_base(run):
    """``r - c = Q (x + u)``: the displacement in the inertial base is what positions say."""
    body = run.system.body("arm")
    Q, x = run.rotation(body), body.marker("x1")[0]
    inertial = run.position(body["x1"]) - run.position(body) - np.einsum("tij,j->ti", Q, x)
    np.testing.assert_allclose(run.displacement(body["x1"], frame="ground"), inertial, atol=1e-15)
    assert np.abs(run.displacement(body["x1"]) - inertial).max() > 1e-3 * np.abs(inertial).max()
    in_hinge = run.displacement(body["x1"], frame="hinge")
    R = np.einsum("tij,jk->tik", run.rotation("carriage"), run.system.joint("hinge").frame_axes())
    np.testing.assert_allclose(np.einsum("tij,tj->ti", R, in_hinge), inertial, atol=1e-15)


def test_the_chord_by_points(run):
    """The ends of a chord as points, nodes, frames or names; in inertial components as long as in its own base."""
    body = run.system.body("arm")
    own = run.displacement("arm", "node", relative_to=fb.Chord("x0", "x1"))
    np.testing.assert_array_equal(
        run.displacement("arm", "node", relative_to=fb.Chord(body["x0"], body["x1"])), own
    )
    near = run.displacement(
        "arm", NODE, relative_to=fb.Chord(NODE - 5, body.start + body.marker("node")[0] + (0.2, 0, 0))
    )
    assert near.shape == own.shape
    other = run.displacement("arm", "node", relative_to=fb.Chord("x0", "x1"), frame="ground")
    np.testing.assert_allclose(np.linalg.norm(other, axis=1), np.linalg.norm(own, axis=1), rtol=1e-9)
    with pytest.raises(fb.InputError, match=r"both ends of the chord lie at \["):
        run.displacement("arm", "node", relative_to=fb.Chord("x0", "x0"))


@pytest.mark.parametrize("eye", ["carriage", ("arm", "x0"), "guide", "hinge"])
@pytest.mark.parametrize("what", ["carriage", ("arm", "node"), ("arm", NODE), "hinge"])
def test_displacement_as_an_observer_sees_it(run, eye, what):
    """In the observer's own components: his view of the place now, less his view of it as drawn."""
    seen = run.position(what, relative_to=eye, frame=eye)
    drawn = fb.simulate(replace(run.system, forces=[]), 1e-9, step=1e-9)  # it does not get far
    before = drawn.position(what, relative_to=eye, frame=eye)[0]
    found = run.displacement(what, relative_to=eye, frame=eye)
    np.testing.assert_allclose(found, seen - before, atol=1e-8)


def test_displacement_from_the_ground_is_that_from_the_drawn_place(run):
    for what in ("carriage", "hinge", ("arm", "x1")):
        whole = run.displacement(what, relative_to=fb.GROUND)
        np.testing.assert_array_equal(run.displacement(what, relative_to="ground"), whole)
        np.testing.assert_allclose(whole, run.position(what) - run.position(what)[0], atol=1e-4)


def test_a_joint_looks_from_its_first_body(run):
    """As base and as observer: then what it sees of its own second frame is its coordinates."""
    seen = run.position("guide", relative_to="guide", frame="guide")
    np.testing.assert_allclose(seen[:, 2], run.coordinate("guide", "slide"), atol=1e-15)
    np.testing.assert_allclose(seen[:, :2], 0, atol=1e-9)
    rate = run.velocity("guide", relative_to="guide", frame="guide")
    np.testing.assert_allclose(rate[:, 2], run.coordinate_rate("guide", "slide"), atol=1e-12)
    turn = run.rotation("hinge", relative_to="hinge")
    angle = run.coordinate("hinge")
    np.testing.assert_allclose(turn[:, 1, 0], np.sin(angle), atol=1e-9)
    assert np.abs(angle).max() > 1e-4


def test_what_is_no_place(run):
    for what in (None, 3.0, fb.Linear, np.zeros(3), ("arm", "x1", 3)):
        for method in METHODS:
            with pytest.raises(fb.InputError, match="is not a place; give a body, a frame"):
                getattr(run, method)(what)
    with pytest.raises(fb.InputError, match=r"point='x1' belongs to a body, and arm\['x0'\] is not a body"):
        run.position(run.system.body("arm")["x0"], point="x1")
    with pytest.raises(fb.InputError, match="point='x1' belongs to a body, and 'hinge' is not a body"):
        run.velocity("hinge", point="x1")
    with pytest.raises(
        fb.InputError, match="node 999 of body 'arm' is not kept; kept are those on the surface"
    ):
        run.position("arm", point=999)
    with pytest.raises(
        fb.InputError, match="node 3 of body 'carriage': nodes are known of flexible bodies with"
    ):
        run.position("carriage", point=3)
    with pytest.raises(
        fb.InputError, match=r"displacement of body 'arm' by its deformation: name a point of it"
    ):
        run.displacement("arm")
    with pytest.raises(fb.InputError, match="no joint 'arm'; it has 'guide', 'hinge'"):
        run.reaction(run.system.body("arm"))
    with pytest.raises(fb.InputError, match=r"no joint 7; it has"):
        run.reaction(7)
    with pytest.raises(fb.InputError, match=r"PointForce 'load' is not a joint.*result\.table\(load\)"):
        run.reaction("load")
