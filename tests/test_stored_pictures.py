"""The pictures of the README: each is drawn by the script beside them, and small."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks" / "pictures"
MOST_BYTES = 120_000  # a clone holds every version that there ever was


def test_every_stored_picture_is_shown_and_drawn_by_the_script():
    stored = {path.stem for path in FOLDER.glob("*.png")}
    shown = set(
        re.findall(r"notebooks/pictures/(\w+)\.png", (ROOT / "README.md").read_text(encoding="utf-8"))
    )
    drawn = set(runpy.run_path(str(FOLDER / "draw.py"))["PICTURES"])
    assert stored == shown == drawn
    assert max(path.stat().st_size for path in FOLDER.glob("*.png")) < MOST_BYTES


def test_its_scripts_are_in_the_readme():
    """Each sign picks one script of the README."""
    text = (FOLDER / "draw.py").read_text(encoding="utf-8")
    scripts = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    signs = [sign.strip("'\"") for sign in re.findall(r"readme_script\(('[^']*'|\"[^\"]*\")\)", text)]
    assert len(signs) >= 2
    for sign in signs:
        assert sum(sign in script for script in scripts) == 1, sign
