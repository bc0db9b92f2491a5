"""A missing folder is an error that names it, before any work; it is never made."""

import importlib
import re

import pytest

import fem
import flexbody as fb
import modal

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


@pytest.fixture(scope="module")
def made():
    """Return a structure, its modes, a reduced body, a machine, its run and a Campbell diagram."""
    structure = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), STEEL)
    body = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2))
    bar = fb.FlexibleBody("bar", body)
    clamp = fb.Fixed("clamp", fb.GROUND, bar["x0"])
    machine = fb.System([bar], [clamp])
    result = fb.simulate(machine, 1e-3, output_step=5e-4, show_progress=False)
    modes = fem.vibration(structure, n=1, supports="x0")
    return {"body": body, "machine": machine, "result": result, "modes": modes, "table": result.table("bar")}


#: each function that writes a file, with an argument that it would refuse as soon as it looked at it
BEFORE_ALL = {
    "picture": lambda path, made: fb.picture(None, path),
    "picture of mesh": lambda path, made: fb.picture_mesh(None, path),
    "film": lambda path, made: fb.animate(None, path.with_suffix(".mp4")),
    "page": lambda path, made: fb.animate(None, path.with_suffix(".html")),
    "film of mode": lambda path, made: fb.animate_mode(None, path.with_suffix(".gif")),
    "plot": lambda path, made: fb.plot(None, path),
    "plot of stress": lambda path, made: fb.plot_stress(None, path),
    "ParaView": lambda path, made: fb.write_paraview(None, path.with_suffix(".vtkhdf")),
    "Campbell": lambda path, made: fb.campbell(made["machine"], [0.0]).plot(path),
    "topology": lambda path, made: fb.topology(made["machine"]).plot(path),
    "result": lambda path, made: made["result"].save(path.with_suffix(".h5")),
    "table": lambda path, made: made["table"].save(path.with_suffix(".csv")),
    "reduced body": lambda path, made: made["body"].save(path.with_suffix(".h5")),
}


@pytest.mark.parametrize("what", BEFORE_ALL)
def test_a_missing_folder_is_refused_and_not_made(made, tmp_path, what):
    missing = tmp_path / "missing"
    with pytest.raises(fb.FileError, match=r"folder .*missing does not exist; make it first"):
        BEFORE_ALL[what](missing / "a.png", made)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", ["result", "table", "reduced body", "exported body"])
def test_another_ending_is_refused_with_those_that_are_written(made, tmp_path, what):
    writers = {
        "result": (made["result"].save, ".h5, .hdf5, as in r.h5"),
        "table": (made["table"].save, ".csv, .txt, as in r.csv"),
        "reduced body": (made["body"].save, ".h5, .hdf5, as in r.h5"),
        "exported body": (made["body"].export, ".sid, .sid_fem, .npz, .mtx, as in r.sid"),
    }
    write, endings = writers[what]
    for name in ("r.mat", "r"):
        with pytest.raises(fb.InputError, match=re.escape(f"the ending must be one of {endings}")):
            write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", [fb.simulate, fb.elastodynamics])
def test_a_run_refuses_another_ending_before_it_begins(made, tmp_path, verb):
    with pytest.raises(
        fb.InputError, match=r"can't write the result to .*r\.mat: the ending must be one of \.h5"
    ):
        verb(made["machine"], 1e9, save=tmp_path / "r.mat")


@pytest.mark.parametrize(
    ("module", "work", "verb"),
    [("simulate", "compiled", fb.simulate), ("elastodynamics", "followed", fb.elastodynamics)],
)
def test_a_run_looks_for_its_folder_before_it_begins(made, tmp_path, monkeypatch, module, work, verb):
    # the package holds the function of the same name, importlib the module
    where = importlib.import_module(f"flexbody.analyses.{module}")
    monkeypatch.setattr(where, work, lambda *_: pytest.fail("work has begun"))
    with pytest.raises(fb.FileError, match="missing does not exist; make it first"):
        verb(made["machine"], 1e-3, save=tmp_path / "missing" / "run.h5")
    assert list(tmp_path.iterdir()) == []


def test_an_older_file_stays_where_the_picture_is_refused(tmp_path):
    older = tmp_path / "a.png"
    older.write_bytes(b"older")
    with pytest.raises(fb.InputError, match="picture needs the result of a run"):
        fb.picture(None, older)
    assert older.read_bytes() == b"older"
    assert list(tmp_path.iterdir()) == [older]
