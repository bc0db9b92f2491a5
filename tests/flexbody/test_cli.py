"""The command line: the main job on small settings, and one clear line for everything that is wrong."""

import functools
import inspect
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import meshio
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.images import picture, shows_something

import fem
import flexbody as fb
from flexbody import __main__ as cli
from flexbody.demo import conrod
from flexbody.demo import slider_crank as demo

ROOT = Path(__file__).resolve().parents[2]
ROD = ROOT / "meshes" / "conrod.msh"
SHORT = ["--t-end", "2e-4", "--modes", "0", "--no-film"]


@pytest.fixture(scope="module")
def rod_mesh():
    return fem.read_mesh(ROD)


@pytest.fixture(scope="module")
def made_once(rod_mesh):
    """Return functions that give the rod and its reduced bodies, which take seconds, as demo.run would make them."""
    rod = functools.cache(lambda: conrod.rod_of(rod_mesh))
    reduced = demo.reduced  # before anything stands in its place
    body = functools.cache(lambda *how, **others: reduced(rod(), *how, **others))
    return {"rod_of": lambda *_: rod(), "reduced": lambda _, *how, **others: body(*how, **others)}


@pytest.fixture
def known_rod(made_once, monkeypatch):
    for name, function in made_once.items():
        monkeypatch.setattr(demo, name, function)


# ---- what works


def test_version_and_help(capsys):
    with pytest.raises(SystemExit, match=r"^0$") as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"flexbody {fb.__version__}\n"
    assert cli.main([]) == 0
    assert "demo" in capsys.readouterr().out


def test_mesh_tells_what_a_file_holds(capsys, tmp_path):
    assert cli.main(["mesh", str(ROD), "--picture", str(tmp_path / "rod.png")]) == 0
    told = capsys.readouterr().out
    for words in ("tet10", "big_end", "small_end", "middle", "radius 0.0275 m", "radius 0.0125 m"):
        assert words in told
    assert shows_something(picture(tmp_path / "rod.png"))


@pytest.mark.slow
@pytest.mark.usefixtures("known_rod")
def test_demo_tells_its_numbers_before_it_draws_and_each_file_when_it_is_there(tmp_path, monkeypatch):
    heard = []

    def draws(name):
        drawing = inspect.signature(getattr(demo, name))

        def draw(*arguments, **options):
            heard.append(name)
            drawing.bind(*arguments, **options)
            arguments[1].touch()

        monkeypatch.setattr(demo, name, draw)

    def tell(what, words):
        heard.append(what)
        assert what != "written" or Path(words).exists()

    for name in ("plot", "plot_stress", "picture", "animate"):
        draws(name)
    report = demo.run(demo.Settings(out=tmp_path, t_end=2e-4, modes=0), tell, show_progress=False)
    assert heard[heard.index("energy balance") + 1 :] == [
        "written", "written", "plot", "written", "plot_stress", "written", "picture", "written", "animate", "written",
        "time taken",
    ]  # fmt: skip
    assert [path.name for path in report.files][-1] == "slider_crank.mp4"


@pytest.mark.slow
def test_demo_takes_a_mesh_of_another_program_without_sets(rod_mesh, capsys, tmp_path):
    """The corners of the rod's tetrahedra, in millimetres along y, as another program may write them."""
    tetrahedra = np.concatenate([block.nodes[:, :4] for block in rod_mesh.blocks])
    corners, cells = np.unique(tetrahedra, return_inverse=True)
    points = 1e3 * rod_mesh.points[corners][:, [1, 0, 2]] * (1, 1, -1)
    file = tmp_path / "link.vtu"
    meshio.Mesh(points, [("tetra", cells.reshape(-1, 4))]).write(file)
    assert cli.main(["demo", "--mesh", str(file), "--units", "mm", "--out", str(tmp_path), *SHORT]) == 0
    told = capsys.readouterr().out
    assert f"link.vtu: {len(corners)} nodes, {len(tetrahedra)} tet4" in told
    assert "300 mm between the eyes" in told  # meshes/README.md


# ---- the eyes of a rod


@pytest.mark.parametrize(
    "eyes",
    [{}, {"big_end": "0.01,0,0", "small_end": "0.29,0,0.01"}, {"big_end": "one", "small_end": "other"}],
)
def test_eyes_are_found_by_shape_by_point_and_by_name(rod_mesh, eyes):
    R = Rotation.from_rotvec([0.5, 1.5, -0.3]).as_matrix()
    sets = {"one": rod_mesh.node_sets["big_end"], "other": rod_mesh.node_sets["small_end"]}
    bare = replace(rod_mesh, node_sets=sets if "one" in eyes.values() else {}, faces={})
    if "," not in eyes.get("big_end", ""):
        bare = replace(bare, points=rod_mesh.points @ R.T)
    else:
        R = np.eye(3)
    rod = conrod.rod_of(bare, **eyes)
    big, small = (fem.interface(rod.structure, name).point for name in conrod.EYES)
    np.testing.assert_allclose(big, 0, atol=1e-6)  # meshes/README.md
    np.testing.assert_allclose(small, R @ [0.3, 0, 0], atol=1e-6)
    assert abs(rod.axis @ R @ [0, 1, 0]) == pytest.approx(1, abs=1e-6)
    middle = fem.interface(rod.structure, "middle").point
    assert (middle - R @ [0.15, 0, 0]) @ (R @ [1, 0, 0]) == pytest.approx(0, abs=0.012)


@pytest.mark.slow
def test_the_machine_is_the_same_however_the_mesh_lies(rod_mesh):
    R = Rotation.from_rotvec([0.5, 1.5, -0.3]).as_matrix()
    turned = replace(rod_mesh, points=rod_mesh.points @ R.T + [1, 2, 3])
    here, there = (demo.machine(r, demo.reduced(r, 0), 150.0) for r in map(conrod.rod_of, (rod_mesh, turned)))
    for name in conrod.EYES:
        a, b = (system.body("rod").start + system.body("rod").marker(name)[0] for system in (here, there))
        np.testing.assert_allclose(a, b, atol=1e-9)
    a, b = (system.body("rod").turned.C3 for system in (here, there))
    np.testing.assert_allclose(a, b, atol=1e-8 * np.abs(a).max())
    np.testing.assert_allclose(here.body("slider").center, [0.45, 0, 0], atol=1e-6)  # crank 0.15 m, rod 0.3 m


@pytest.mark.parametrize(
    ("eyes", "words"),
    [
        ({"big_end": "0,0,0"}, "the small_end is not given"),
        ({"big_end": "0,0,0", "small_end": "0.01,0,0"}, "the same eye"),
        ({"big_end": "left", "small_end": "0.3,0,0"}, "'left' is neither a node set"),
        ({"big_end": "big_end", "small_end": "0.3,0,0"}, "'big_end' is neither a node set"),
        ({"big_end": "0,0", "small_end": "0.3,0,0"}, "nor a point x,y,z"),
    ],
)
def test_eyes_that_are_not_there(rod_mesh, eyes, words):
    with pytest.raises(fb.InputError, match=words):
        conrod.rod_of(replace(rod_mesh, node_sets={}, faces={}), **eyes)


def test_a_block_is_no_connecting_rod():
    with pytest.raises(fb.MeshError, match=r"no two parallel round holes.*0 round holes.*'x0'"):
        conrod.rod_of(fem.box((1, 0.1, 0.1), (4, 1, 1)))


# ---- what is wrong


def _refused(capsys, arguments):
    """Run, expect exit code 2 and one line on standard error only; return that line."""
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("flexbody: ")
    assert "Traceback" not in captured.err
    return captured.err


def test_bad_meshes_get_one_line(capsys, tmp_path):
    (tmp_path / "rod.msh").write_text("not a mesh")
    assert "no file" in _refused(capsys, ["mesh", str(tmp_path / "none.msh")])
    assert str(tmp_path / "rod.msh") in _refused(capsys, ["mesh", str(tmp_path / "rod.msh")])
    assert "folder" in _refused(capsys, ["mesh", str(tmp_path)])
    assert "units" in _refused(capsys, ["mesh", str(ROD), "--units", "furlong"])
    assert "skin" in _refused(capsys, ["mesh", str(ROD), "--elements", "skin"])
    assert "ending" in _refused(capsys, ["mesh", str(ROD), "--picture", str(tmp_path / "a.mp4")])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--mesh", "none.msh"], "no file none.msh"),
        (["--t-end", "0"], "t_end is 0.0"),
        (["--rate", "nan", "--modes", "-1"], "rate is nan; it must be above zero; modes is -1"),
        (["--material", "steel"], "--material is 'steel'; give E,NU,RHO"),
        (["--material", "210e9,0.3,-1"], "rho"),
        (["--big-end", "nowhere"], "'nowhere' is neither"),
    ],
)
def test_a_bad_demo_gets_one_line_and_makes_no_folder(capsys, tmp_path, monkeypatch, options, words):
    monkeypatch.chdir(tmp_path)
    assert words in _refused(capsys, ["demo", *options])
    assert os.listdir(tmp_path) == []


def test_a_folder_that_can_not_be_is_refused_before_the_work(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "rod_of", lambda *_: pytest.fail("work has begun"))
    (tmp_path / "file").touch()
    assert "is a file" in _refused(capsys, ["demo", "--out", str(tmp_path / "file")])
    missing = tmp_path / "missing"
    assert f"the folder {missing} does not exist; make it first" in _refused(
        capsys, ["demo", "--out", str(missing)]
    )
    assert "does not exist" in _refused(capsys, ["demo", "--out", str(tmp_path / "file" / "deeper")])
    assert "--out takes a folder" in _refused(capsys, ["demo", "--out", "film.mp4"])
    assert not missing.exists()
    with pytest.raises(SystemExit, match=r"^2$") as stop:
        cli.main(["demo", "--film", "avi"])
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("x.txt", "ending must be one of"),
        ("missing/x.png", "ending must be one of|the folder missing does not exist; make it first"),
        ("missing/x.h5", "ending must be one of|the folder missing does not exist; make it first"),
        (".", "it is a folder; give the name of a file"),
    ],
)
@pytest.mark.parametrize(
    ("option", "command"),
    [
        ("--picture", ["mesh", "no.msh"]),
        ("--out", ["reduce", "no.msh", "--interfaces", "a", "--f-max", "100"]),
        ("--save", ["run", "no.py", "--t-end", "1"]),
    ],
)
def test_a_file_that_can_not_be_written_is_refused_before_the_input_is_read(
    capsys, option, command, target, says
):
    told = _refused(capsys, [*command, option, target])  # not that the input is missing
    assert told.startswith(f"flexbody: {option}: can't write {target}: ")
    assert re.search(says, told)


@pytest.mark.parametrize(
    ("words", "meant"),
    [(["mehs", "x"], "mesh"), (["Demo"], "demo"), (["mesh", "x", "--pictrue=y.png"], "--picture")],
)
def test_a_slip_in_a_command_or_an_option_is_told(capsys, words, meant):
    with pytest.raises(SystemExit, match=r"^2$"):
        cli.main(words)
    assert f"(did you mean '{meant}'?)" in capsys.readouterr().err


def test_several_lines_of_an_error_become_one(capsys, monkeypatch):
    def fail(chosen):
        raise fb.InputError("this system can't be built:\n  - one\n  - two")

    monkeypatch.setattr(cli, "_mesh", fail)
    assert _refused(capsys, ["mesh", "x"]) == "flexbody: this system can't be built: one; two\n"


@pytest.mark.slow
@pytest.mark.usefixtures("known_rod")
def test_a_full_disk_gets_one_line(capsys, tmp_path, monkeypatch):
    def full(self, path):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fb.Result, "save", full)
    assert "No space left" in _refused_after_work(capsys, ["demo", "--out", str(tmp_path), *SHORT])
    assert os.listdir(tmp_path) == []


def _refused_after_work(capsys, arguments):
    assert cli.main(arguments) == 2
    return capsys.readouterr().err


# ---- interrupts


@pytest.mark.slow
@pytest.mark.usefixtures("known_rod")
def test_an_interrupted_film_keeps_the_result(capsys, tmp_path, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    for name in ("plot", "plot_stress", "picture"):
        monkeypatch.setattr(demo, name, lambda result, path, **_: path.touch())
    monkeypatch.setattr(demo, "animate", interrupted)
    out = tmp_path / "out"
    out.mkdir()
    assert cli.main(["demo", "--out", str(out), "--t-end", "2e-4", "--modes", "0"]) == 130
    assert "interrupted" in capsys.readouterr().err
    assert sorted(os.listdir(out)) == [
        "rod.h5",
        "slider_crank.h5",
        "slider_crank.png",
        "slider_crank_plot.png",
        "slider_crank_stress.png",
    ]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no such signals")
def test_an_interrupted_run_keeps_what_was_computed(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    command = ["-m", "flexbody", "demo", "--modes", "0", "--no-film", "--t-end", "5000", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # not ignored, as it is by whatever a shell has started in the background
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    for line in process.stdout:
        if line.startswith("with rigid eyes"):  # the run comes next
            break
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    told, complaints = process.communicate(timeout=120)
    assert process.returncode == 130, complaints
    assert "(interrupted)" in told
    assert "Traceback" not in complaints
    result = fb.load_result(out / "slider_crank.h5")
    assert 0 < result.t[-1] < 5000


def test_the_command_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "flexbody", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()[-1]) == (0, fb.__version__), done.stderr
