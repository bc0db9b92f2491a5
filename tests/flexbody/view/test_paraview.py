"""Files for ParaView: read back by VTK's own readers, every number against the result's."""

import os

import h5py
import numpy as np
import pytest
import pyvista as vtk
from support.every import STEEL, straight

import fem
import flexbody as fb
import modal
from flexbody.view import paraview, vtkhdf
from flexbody.view.vtkhdf import rounded


@pytest.fixture(scope="module")
def machine():
    """A rigid crank with a flexible arm of solids on it, in motion."""
    structure = fem.assemble(straight("hex8", 5), fem.Solid(STEEL))
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2))
    crank = fb.RigidBody("crank / a", 5.0, (0.1, 0.2, 0.2), center=(-0.3, 0, 0), markers={"end": (0, 0, 0)})
    arm = fb.FlexibleBody("arm", reduced, place={"x0": (0, 0, 0), "x1": (1, 0, 0)}, damping_ratio=0.02)
    joints = [
        fb.Revolute("main", fb.GROUND, crank, point=(-0.6, 0, 0), axis="y"),
        fb.Revolute("pin", crank, arm["x0"], axis="y"),
    ]
    return fb.simulate(fb.System([crank, arm], joints, gravity=(0, 0, -9.81)), 0.1, show_progress=False)


def times_of(path):
    reader = vtk.get_reader(str(path)).reader
    reader.UpdateInformation()
    steps = reader.GetExecutive().TIME_STEPS()
    return reader.GetOutputInformation(0).Get(steps) or ()


def blocks_of(path, time):
    reader = vtk.get_reader(str(path))
    reader.reader.UpdateInformation()
    reader.reader.UpdateTimeStep(time)
    state = reader.read()
    return {name: state[name] for name in state.keys()}  # noqa: SIM118 (no mapping)


def largest(values):
    return np.abs(values).max()


def test_what_is_written(machine, tmp_path):
    times = [0.0, machine.t[100], machine.t[-1]]
    path = fb.write_paraview(machine, tmp_path / "run.vtkhdf", times=times, scale=1000.0, show_progress=False)
    assert os.listdir(tmp_path) == ["run.vtkhdf"]
    assert times_of(path) == tuple(times)
    names = set(blocks_of(path, 0.0))
    assert {"crank | a", "arm", "ground"} <= names
    k = 100
    arm, body = blocks_of(path, times[1])["arm"], machine.system.body("arm")
    c, Q, alpha = machine.position("arm")[k], machine.rotation("arm")[k], machine.alpha("arm")[k]
    recovery = body.turned.recovery
    true = c + (recovery.points + recovery.Phi @ alpha) @ Q.T
    drawn = body.start + recovery.points
    moved = true - drawn
    stress = machine.stress("arm", times=machine.t[k])
    tensors = stress.tensors[0]
    full = np.array([[[s[0], s[5], s[4]], [s[5], s[1], s[3]], [s[4], s[3], s[2]]] for s in tensors])
    full = Q @ full @ Q.T
    expected = np.stack([full[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))], axis=1)
    assert arm.n_points == len(recovery.points)  # each once, in the order of the body
    np.testing.assert_array_equal(arm.regular_faces, recovery.triangles)
    near = {name: paraview.FIELD_ACCURACY * largest(arm[name]) for name in arm.point_data}
    np.testing.assert_allclose(arm["displacement"], moved, atol=near["displacement"])
    nodes = np.array([np.linalg.norm(stress.points - x, axis=1).argmin() for x in recovery.points])
    np.testing.assert_allclose(arm["von_mises"], stress.von_mises[0, nodes], atol=near["von_mises"])
    np.testing.assert_allclose(arm["stress"], expected[nodes], atol=near["stress"])
    # what is drawn is enlarged, but for what the joint does
    difference = arm.points - true
    atol = 999 * near["deformation"] + paraview.POSITION_ACCURACY * largest(arm.points)
    np.testing.assert_allclose(difference, 999.0 * arm["deformation"], atol=atol)
    assert largest(difference) > 1e-4 > 10 * atol


def test_rigid_bodies_and_the_ground(machine, tmp_path):
    path = fb.write_paraview(machine, tmp_path / "run.vtkhdf", times=[0.0, 0.1], show_progress=False)
    first, last = (blocks_of(path, time) for time in (0.0, 0.1))
    crank, before = last["crank | a"], first["crank | a"]
    atol = paraview.FIELD_ACCURACY * largest(
        crank["displacement"]
    ) + 2 * paraview.POSITION_ACCURACY * largest(crank.points)
    np.testing.assert_allclose(crank.points, before.points + crank["displacement"], atol=atol)
    assert largest(crank["displacement"]) > 0.01 > 100 * atol
    np.testing.assert_array_equal(first["ground"].points, last["ground"].points)


def test_the_middle_of_the_rounding():
    """Half a unit at most, and the unit is at most twice the accuracy of the largest value."""
    values = np.concatenate([np.random.default_rng(3).normal(0, 7.0, 1000), [np.nan, 0.0]])
    found = rounded(values, 1e-3)
    np.testing.assert_allclose(found, values, atol=1e-3 * np.nanmax(np.abs(values)))
    assert np.isnan(found[-2])
    assert len(np.unique(found)) < 1000
    np.testing.assert_array_equal(rounded(np.array([0.0, 1e-40, -1e-320]), 1e-3), 0.0)


def test_at_most_one_hundred_states_of_their_own_accord(machine, tmp_path, monkeypatch):
    monkeypatch.setattr(paraview, "MAX_STATES", 4)
    path = fb.write_paraview(machine, tmp_path / "run.vtkhdf", show_progress=False)
    found = times_of(path)
    assert len(found) == 4
    assert (found[0], found[-1]) == (0.0, machine.t[-1])
    again = fb.write_paraview(machine, path, times=0.05, show_progress=False)  # in place of the old one
    assert times_of(again) == ()  # a file of one step is static
    assert os.listdir(tmp_path) == ["run.vtkhdf"]


def test_nothing_is_stored_twice_and_fields_take_little_space(machine, tmp_path):
    """Triangles and what is at rest are there once; fields take at most half of what float32 takes."""
    path = fb.write_paraview(machine, tmp_path / "run.vtkhdf", show_progress=False)
    shown = blocks_of(path, 0.0)
    with h5py.File(path) as file:
        for name, link in file["VTKHDF/Assembly"].items():
            block = file["VTKHDF"][link.name]
            states = 1 if name == "ground" else len(times_of(path))
            assert block["Points"].shape == (states * shown[name].n_points, 3)
            assert block["Polygons/Connectivity"].shape == (3 * shown[name].n_cells,)
        fields = file["VTKHDF/Assembly/arm/PointData"]
        assert set(fields) == {"displacement", "deformation", "von_mises", "stress"}
        for field in fields.values():
            assert field.id.get_storage_size() < field.nbytes / 2


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError("no space left")])
def test_an_interrupted_series_leaves_nothing(machine, tmp_path, monkeypatch, failure):
    write, calls = vtkhdf.Surface.write, []

    def stop(self, step, *values):
        calls.append(step)
        if len(calls) > 5:
            raise failure
        write(self, step, *values)

    monkeypatch.setattr(vtkhdf.Surface, "write", stop)
    # an interrupt says nothing, the other names what went wrong
    kind, words = (
        (KeyboardInterrupt, "^$") if failure is KeyboardInterrupt else (fb.FileError, "no space left")
    )
    with pytest.raises(kind, match=words):
        fb.write_paraview(machine, tmp_path / "run.vtkhdf", show_progress=False)
    assert os.listdir(tmp_path) == []


def test_what_can_not_be_written(machine, tmp_path):
    for options, words in (
        ({"path": "run.vtu"}, "must be .vtkhdf"),
        ({"times": [0.2]}, "times of the run"),
        ({"times": "late"}, "give one or several times in s"),
        ({"scale": -1}, "the factor on the deformation"),
    ):
        with pytest.raises(fb.InputError, match=words):
            fb.write_paraview(
                machine, tmp_path / options.pop("path", "run.vtkhdf"), **options, show_progress=False
            )
    with pytest.raises(fb.FileError, match="can't write"):
        fb.write_paraview(machine, tmp_path / "nowhere" / "run.vtkhdf", show_progress=False)
    assert os.listdir(tmp_path) == []


def test_what_lies_between_bodies_has_its_own_name(tmp_path):
    """Springs, rods and cylinders are blocks of their names, which a body may have too."""
    block = fb.RigidBody("block", 1.0, (0.1, 0.1, 0.1), center=(0, 0, 1))
    other = fb.RigidBody("other", 1.0, (0.1, 0.1, 0.1), center=(1, 0, 1))
    rod = fb.Distance("rod", block, other, first_point=(0, 0, 1), second_point=(1, 0, 1))
    springs = [
        fb.SpringDamper("spring", fb.GROUND, block, stiffness=10.0, first_point=(0, 0, 2)),
        fb.SpringDamper("other", fb.GROUND, other, stiffness=10.0, first_point=(1, 0, 2)),
        fb.ForceElement(
            "strut", fb.Line(fb.GROUND, block, first_point=(-1, 0, 1)), fb.ViscoElastic(1.0, [(2.0, 0.1)])
        ),
    ]
    run = fb.simulate(fb.System([block, other], [rod], springs), 0.1, step=0.01)
    path = fb.write_paraview(run, tmp_path / "run.vtkhdf", times=[0.0, 0.1], show_progress=False)
    blocks = blocks_of(path, 0.1)
    assert set(blocks) == {"block", "other", "rod", "spring", "other (between bodies)", "strut", "ground"}
    places = {
        "rod": ((0, 0, 1), (1, 0, 1)),
        "spring": ((0, 0, 2), (0, 0, 1)),
        "strut": ((-1, 0, 1), (0, 0, 1)),
    }
    start = blocks_of(path, 0.0)
    for name, ends in places.items():
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        points = np.asarray(start[name].points)
        assert (points > low - 0.2).all()
        assert (points < high + 0.2).all()
