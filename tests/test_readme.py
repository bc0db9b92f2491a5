"""What the README shows is what works: its script runs, its commands are the ones that CI runs."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_script_runs_and_writes_its_files(tmp_path):
    (script,) = _blocks("python")
    (tmp_path / "meshes").mkdir()
    shutil.copy(ROOT / "meshes" / "conrod.msh", tmp_path / "meshes")
    (tmp_path / "script.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{script}", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"\d+ N, 0\.\d+ mm, balance \d\.\de-\d+\n", done.stdout)
    for name in ("slider_crank.h5", "slider_crank_plot.png", "slider_crank.mp4"):
        assert (tmp_path / name).stat().st_size > 20_000


def test_the_two_commands_are_copied_from_one_place():
    run, test = _blocks("sh")
    assert run == "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/flexbody demo\n"
    assert (
        test
        == 'python3 -m venv .venv && .venv/bin/pip install -e ".[test]" && .venv/bin/python -m pytest -n 2\n'
    )
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 'install --quiet -e ".[test,lint]"' in ci  # the same, and the tools for lint and types
    assert "-m pytest -n 2\n" in ci


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", TEXT) if "://" not in link]
    assert len(links) >= 4
    assert not [link for link in links if not (ROOT / link).exists()]
