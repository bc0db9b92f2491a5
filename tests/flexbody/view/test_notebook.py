"""What a notebook shows of pictures, films, figures and long work: each once, and nothing else."""

import base64
import io
import os
from pathlib import Path
from types import SimpleNamespace

import IPython
import nbclient
import nbformat
import numpy as np
import pytest
from PIL import Image

import flexbody as fb
from fem.common import progress as progress_bars
from flexbody.view import displayed

ROOT = Path(__file__).resolve().parents[3]
START = """
import matplotlib.font_manager  # it finds the fonts now, and says so where it is slow
import fem, modal
import flexbody as fb
bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
machine = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
hub = fb.RigidBody("hub", mass=1.0, inertia=(1, 1, 1), markers={"rim": (1, 0, 0)})
block = fb.RigidBody("block", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.2, 0, 0))
bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
slot = fb.Prismatic("slot", hub, block, point=(0.2, 0, 0), axis="x")
spring = fb.SpringDamper("spring", hub["rim"], block, stiffness=100.0)
def rotor(rate):
    return fb.System([hub, block], [bearing, slot, fb.Drive("motor", bearing, rate=rate)], [spring])
"""
SIZE = "size=(160, 90)"
CELLS = {
    "run": "result = fb.simulate(machine, t_end=0.5)",
    "picture": f"fb.picture(result, {SIZE})",
    "mesh": f"fb.picture_mesh(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), {SIZE})",
    "figure": "fb.plot(result)",
    "campbell": "fb.campbell(rotor, [0.0, 6.0]).plot()",
    "page": "fb.animate(result, 'a.html', n_frames=4)",
    "mp4": f"fb.animate(result, 'a.mp4', n_frames=4, {SIZE})",
    "gif": f"fb.animate(result, 'a.gif', n_frames=4, {SIZE})",
    "pyplot": "import matplotlib.pyplot",
    "figure again": "fb.plot(result)",
    "energy": "result.energy",
}


def _executed(folder, start):
    """Return the outputs of each cell, run in a notebook of its own."""
    cells = [nbformat.v4.new_code_cell(source) for source in (start, *CELLS.values())]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    return dict(zip(CELLS, (cell.outputs for cell in notebook.cells[1:]), strict=True))


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    return _executed(tmp_path_factory.mktemp("notebook"), START)


def _data(outputs):
    """Return what the one result of a cell is shown by; nothing else may be shown but bars of progress."""
    shown = [
        entry for entry in outputs if "application/vnd.jupyter.widget-view+json" not in entry.get("data", {})
    ]
    assert len(shown) == 1, shown
    assert shown[0].output_type == "execute_result"
    return shown[0].data


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["picture", "mesh"])
def test_a_picture_is_shown_as_a_picture(outputs, cell):
    data = _data(outputs[cell])
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(data["image/png"]))))
    assert image.shape == (90, 160, 3)
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 10
    assert data["text/plain"] == "<Picture of 160 x 90 pixels>"


@pytest.mark.slow
@pytest.mark.parametrize("cell", ["figure", "campbell", "figure again"])
def test_a_figure_is_shown_once_with_and_without_pyplot(outputs, cell):
    image = Image.open(io.BytesIO(base64.b64decode(_data(outputs[cell])["image/png"])))
    assert min(image.size) > 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "start"), [("mp4", "<video controls"), ("gif", "<img"), ("page", "<iframe srcdoc=")]
)
def test_a_film_is_shown_as_a_film(outputs, cell, start):
    assert _data(outputs[cell])["text/html"].startswith(start)


@pytest.mark.slow
def test_bars_are_widgets_where_ipywidgets_is_installed(outputs):
    for cell in ("run", "mp4"):
        kinds = [entry.get("data", {}).keys() for entry in outputs[cell]]
        assert any("application/vnd.jupyter.widget-view+json" in kind for kind in kinds)
        assert not [entry for entry in outputs[cell] if entry.output_type == "stream"]


@pytest.mark.slow
def test_nothing_is_shown_of_progress_without_ipywidgets(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "CELLS", {"run": CELLS["run"]})
    hidden = "import sys; sys.modules['ipywidgets'] = None\n"
    assert _executed(tmp_path, hidden + START)["run"] == []


@pytest.mark.parametrize(
    ("shell", "kernel"), [(None, False), (object(), False), (SimpleNamespace(kernel=1), True)]
)
def test_a_terminal_with_ipython_is_no_notebook(monkeypatch, shell, kernel):
    """Of IPython's shells only that of a notebook has a kernel; without a shell it returns None."""
    monkeypatch.setattr(IPython, "get_ipython", lambda: shell)
    assert progress_bars._in_notebook() is kernel


@pytest.fixture(scope="module")
def image():
    bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    result = fb.simulate(fb.System([bar]), t_end=0.1, show_progress=False)
    return fb.picture(result, size=(160, 90))


def test_a_picture_gives_its_pixels_as_an_array(image, tmp_path):
    assert isinstance(image, np.ndarray)
    assert image.shape == (90, 160, 3)
    assert image.dtype == np.uint8
    assert np.array_equal(np.asarray(Image.open(image.save(tmp_path / "a.png"))), image)
    with pytest.raises(fb.InputError, match=r"ending must be one of \.png"):
        image.save(tmp_path / "a.xyz")


@pytest.mark.parametrize(
    "of",
    [lambda x: x[10:20], lambda x: x[0, 0], lambda x: x != 0, lambda x: abs(x - x.mean()), lambda x: x.max()],
)
def test_what_comes_of_a_picture_is_no_picture(image, of):
    assert not isinstance(of(image), displayed.Picture)


def test_what_numpy_keeps_as_a_picture_is_not_shown_as_one(image):
    for other in (image.reshape(-1, 3), image.astype(float)):
        assert other._repr_png_() is None
        assert repr(other).startswith("array(")


def test_a_film_that_is_gone_or_too_large_is_shown_by_its_path(tmp_path, monkeypatch):
    film = displayed.Film(tmp_path / "a.gif")
    assert film._repr_html_() is None
    film.write_bytes(b"GIF89a")
    assert film._repr_html_().startswith("<img")
    monkeypatch.setattr(displayed, "LARGEST_SHOWN", 3)
    assert film._repr_html_() is None
