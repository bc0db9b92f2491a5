"""Series for ParaView: read back by VTK's own readers, every number against the result's."""

import os

import numpy as np
import pytest
import pyvista as vtk
from support.every import STEEL, straight

import fem
import flexbody as fb
import modal
from flexbody.view import paraview


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


def blocks_of(path, number):
    reader = vtk.get_reader(str(path))
    reader.set_active_time_point(number)
    state = reader.read()[0]
    return {name: state[name] for name in state.keys()}  # noqa: SIM118 (no mapping)


def test_what_is_written(machine, tmp_path):
    times = [0.0, machine.t[100], machine.t[-1]]
    path = fb.write_paraview(machine, tmp_path / "run.pvd", times=times, scale=1000.0, show_progress=False)
    assert sorted(os.listdir(tmp_path)) == ["run", "run.pvd"]
    np.testing.assert_allclose(vtk.get_reader(str(path)).time_values, times, rtol=1e-11)
    names = set(blocks_of(path, 0))
    assert {"crank / a", "arm", "ground"} <= names
    k = 100
    arm, body = blocks_of(path, 1)["arm"], machine.system.body("arm")
    c, Q, alpha = machine.position("arm")[k], machine.rotation("arm")[k], machine.alpha("arm")[k]
    recovery = body.turned.recovery
    # the points that the file holds twice along sharp edges, by their deformed places in the body's base
    true = c + (recovery.points + recovery.Phi @ alpha) @ Q.T
    drawn = body.start + recovery.points
    moved = true - drawn
    stress = machine.stress("arm", times=machine.t[k])
    tensors = stress.tensors[0]
    full = np.array([[[s[0], s[5], s[4]], [s[5], s[1], s[3]], [s[4], s[3], s[2]]] for s in tensors])
    full = Q @ full @ Q.T
    expected = np.stack([full[:, i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))], axis=1)
    row = np.array([np.abs(moved - u).sum(axis=1).argmin() for u in arm["displacement"]])
    np.testing.assert_allclose(arm["displacement"], moved[row], atol=1e-12)
    nodes = np.array([np.linalg.norm(stress.points - x, axis=1).argmin() for x in recovery.points])
    size = stress.von_mises.max()
    np.testing.assert_allclose(arm["von_mises"], stress.von_mises[0, nodes[row]], atol=1e-9 * size)
    np.testing.assert_allclose(arm["principal_1"], stress.principal[0, nodes[row], 0], atol=1e-9 * size)
    np.testing.assert_allclose(arm["stress"], expected[nodes[row]], atol=1e-9 * size)
    # what is drawn is enlarged, but for what the joint does
    difference = arm.points - (drawn[row] + arm["displacement"])
    np.testing.assert_allclose(difference, 999.0 * arm["deformation"], atol=1e-9)
    assert np.abs(difference).max() > 1e-4


def test_rigid_bodies_and_the_ground(machine, tmp_path):
    path = fb.write_paraview(machine, tmp_path / "run.pvd", times=[0.0, 0.1], show_progress=False)
    first, last = (blocks_of(path, k) for k in (0, 1))
    crank = last["crank / a"]
    np.testing.assert_allclose(crank.points, first["crank / a"].points + crank["displacement"], atol=1e-12)
    assert np.abs(crank["displacement"]).max() > 0.01
    np.testing.assert_array_equal(first["ground"].points, last["ground"].points)
    assert len([file for file in os.listdir(tmp_path / "run") if "ground" in file]) == 1


def test_at_most_two_hundred_states_of_their_own_accord(machine, tmp_path, monkeypatch):
    monkeypatch.setattr(paraview, "MAX_STATES", 4)
    path = fb.write_paraview(machine, tmp_path / "run.pvd", show_progress=False)
    found = vtk.get_reader(str(path)).time_values
    assert len(found) == 4
    assert (found[0], found[-1]) == (0.0, machine.t[-1])
    again = fb.write_paraview(machine, path, times=0.05, show_progress=False)  # in place of the old one
    assert len(vtk.get_reader(str(again)).time_values) == 1
    assert sorted(os.listdir(tmp_path)) == ["run", "run.pvd"]
    assert all("00001" not in file for file in os.listdir(tmp_path / "run"))


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError("no space left")])
def test_an_interrupted_series_leaves_nothing(machine, tmp_path, monkeypatch, failure):
    write, calls = paraview._Block.write, []

    def stop(self, path, poses):
        calls.append(path)
        if len(calls) > 5:
            raise failure
        write(self, path, poses)

    monkeypatch.setattr(paraview._Block, "write", stop)
    # an interrupt says nothing, the other names what went wrong
    kind, words = (
        (KeyboardInterrupt, "^$") if failure is KeyboardInterrupt else (fb.FileError, "no space left")
    )
    with pytest.raises(kind, match=words):
        fb.write_paraview(machine, tmp_path / "run.pvd", show_progress=False)
    assert os.listdir(tmp_path) == []


def test_what_can_not_be_written(machine, tmp_path):
    for options, words in (
        ({"path": "run.vtu"}, "must be .pvd"),
        ({"times": [0.2]}, "times of the run"),
        ({"times": "late"}, "give one or several times in s"),
        ({"scale": -1}, "the factor on the deformation"),
    ):
        with pytest.raises(fb.InputError, match=words):
            fb.write_paraview(
                machine, tmp_path / options.pop("path", "run.pvd"), **options, show_progress=False
            )
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").touch()
    with pytest.raises(fb.FileError, match="contains other files"):
        fb.write_paraview(machine, tmp_path / "run.pvd", show_progress=False)
    with pytest.raises(fb.FileError, match="can't write"):
        fb.write_paraview(machine, tmp_path / "nowhere" / "run.pvd", show_progress=False)
    assert os.listdir(tmp_path) == ["run"]


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
    path = fb.write_paraview(run, tmp_path / "run.pvd", times=[0.0, 0.1], show_progress=False)
    blocks = blocks_of(path, 1)
    assert set(blocks) == {"block", "other", "rod", "spring", "other (between bodies)", "strut", "ground"}
    places = {
        "rod": ((0, 0, 1), (1, 0, 1)),
        "spring": ((0, 0, 2), (0, 0, 1)),
        "strut": ((-1, 0, 1), (0, 0, 1)),
    }
    start = blocks_of(path, 0)
    for name, ends in places.items():
        low, high = np.min(ends, axis=0), np.max(ends, axis=0)
        points = np.asarray(start[name].points)
        assert (points > low - 0.2).all()
        assert (points < high + 0.2).all()
