"""flexbody refuses packages of other people that are called fem or modal."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _import_flexbody(first, code="import flexbody"):
    """Import flexbody in a fresh Python that looks in ``first`` first; return its last line."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(first), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=first, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stderr.strip().splitlines()[-1:]


@pytest.mark.parametrize("name", ["fem", "modal"])
def test_another_package_of_that_name_is_named_and_not_run(tmp_path, name):
    (tmp_path / name).mkdir()
    source = tmp_path / name / "__init__.py"
    source.write_text("raise SystemExit('the foreign package ran')\n")
    code, last = _import_flexbody(tmp_path)
    assert code == 1
    assert last[0].startswith("ImportError")
    assert str(source) in last[0]
    assert "pip install --force-reinstall" in last[0]


def test_a_script_of_that_name_is_to_be_renamed(tmp_path):
    (tmp_path / "modal.py").write_text("x = 1\n")
    code, last = _import_flexbody(tmp_path)
    assert code == 1
    assert "modal.py" in last[0]
    assert "rename it" in last[0]


def test_one_that_was_imported_before_is_found_too(tmp_path):
    (tmp_path / "fem.py").write_text("x = 1\n")
    code, last = _import_flexbody(tmp_path, "import fem, flexbody")
    assert code == 1
    assert "fem.py" in last[0]


def test_a_distribution_that_overwrote_ours_is_named(tmp_path):
    site = tmp_path / "site-packages"
    (site / "modal").mkdir(parents=True)
    (site / "modal" / "__init__.py").write_text("x = 1\n")
    info = site / "modal_client-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: modal-client\nVersion: 1.0\n")
    (info / "RECORD").write_text("modal/__init__.py,,\n")
    (info / "top_level.txt").write_text("modal\n")
    code, last = _import_flexbody(site)
    assert code == 1
    assert "pip uninstall modal-client" in last[0]


def test_ours_are_the_same_modules(tmp_path):
    code = "import fem, modal; import flexbody as fb; assert fb.fem is fem; assert fb.modal is modal"
    assert _import_flexbody(tmp_path, code) == (0, [])
