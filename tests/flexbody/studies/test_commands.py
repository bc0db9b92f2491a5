"""``flexbody run`` and ``flexbody study``: what they write, and one clear line for everything that is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

import flexbody as fb
from flexbody import __main__ as cli

pytest.importorskip("zarr", reason="the extra studies is not installed")
pytestmark = pytest.mark.slow

MACHINE = """
import flexbody as fb

def build(rate=2.0):
    body = fb.RigidBody("rotor", 1.0, (1.0, 1.0, 1.0), angular_velocity=(0, 0, rate))
    return fb.System([body])

machine = build()
"""
STUDY = (
    MACHINE
    + """
study = fb.Study(
    build, fb.Grid({"rate": [1.0, 2.0]}), {"energy": lambda r: r.energy.kinetic[-1]},
    analysis=lambda machine: fb.simulate(machine, 0.1, step=0.05), store="s.zarr",
)
if __name__ == "__main__":
    raise SystemExit("not for the command line")
"""
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("machine.py").write_text(MACHINE)
    Path("study.py").write_text(STUDY)
    return tmp_path


def test_run_saves_the_motion(folder, capsys):
    assert cli.main(["run", "machine.py", "--t-end", "0.1", "--save", "run.h5"]) == 0
    assert "written to run.h5" in capsys.readouterr().out
    assert fb.load_result("run.h5").energy.kinetic[-1] == pytest.approx(2.0, rel=1e-12)  # J w^2 / 2


def test_study_fills_its_store(folder, capsys):
    assert cli.main(["study", "study.py", "--workers", "1"]) == 0
    assert capsys.readouterr().out == "2 variants done, 0 failed\nwritten to s.zarr\n"
    assert Path("s.zarr", "energy").is_dir()
    assert cli.main(["study", "study.py"]) == 0


WRONG = {
    "no file": (["run", "none.py", "--t-end", "1"], "there is no file none.py"),
    "no study": (["study", "machine.py"], "machine.py must define one Study, such as study = ...; it has none"),
    "fails": (["run", "bad.py", "--t-end", "1"], "bad.py, line 2: ZeroDivisionError: division by zero"),
    "ending": (["run", "machine.py", "--t-end", "1", "--save", "a.txt"], "--save: can't write a.txt: the ending"),
    "cluster": (["study", "study.py", "--cluster", "nowhere"], "there is no scheduler at 'nowhere'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_one_line_and_code_2(name, folder, capsys):
    Path("bad.py").write_text("x = 1\ny = x / 0\n")
    arguments, words = WRONG[name]
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not Path("s.zarr").exists(), "it is found before anything is written"


def test_without_the_extra_one_error_says_how_to_install_it(folder):
    code = (
        "import sys; sys.modules['zarr'] = None\n"
        "from flexbody.__main__ import main; sys.exit(main(['study', 'study.py']))"
    )
    root = str(Path(__file__).resolve().parents[3])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{code}"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install flexbody[studies]" in done.stderr
    assert done.stderr.count("\n") == 1
