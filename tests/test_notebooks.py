"""Notebooks run from top to bottom, end in checked numbers, and hold no outputs."""

import ast
import os
from pathlib import Path

import nbclient
import nbformat
import pytest
from support.gmsh import needs_gmsh

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
#: each with what it needs besides the package
RUNS = [pytest.param(path, marks=needs_gmsh if "your_own_part" in path.name else ()) for path in NOTEBOOKS]

#: what a kernel that ran another notebook forgets
ANEW = """
import matplotlib.pyplot
matplotlib.pyplot.close("all")
matplotlib.pyplot.rcdefaults()
%reset -f
"""


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_stripped_and_ends_in_asserts(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in cells)
    last = ast.parse(cells[-1].source)
    assert sum(isinstance(node, ast.Assert) for node in ast.walk(last)) >= 3


@pytest.fixture(scope="module")
def client():
    """A kernel in the folder of the notebooks, which has the packages loaded from the second notebook on."""
    resources = {"metadata": {"path": str(FOLDER)}}
    empty = nbformat.v4.new_notebook()
    client = nbclient.NotebookClient(empty, timeout=600, kernel_name="python3", resources=resources)
    with client.setup_kernel(env={**os.environ, "PYTHONPATH": str(ROOT)}):
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNS, ids=[path.name for path in NOTEBOOKS])
def test_notebook_runs(path, client):
    """From a state without names, pictures and settings, as in a new kernel."""
    client.nb = nbformat.read(path, as_version=4)
    client.nb.cells.insert(0, nbformat.v4.new_code_cell(ANEW))
    client.reset_execution_trackers()
    for k, cell in enumerate(client.nb.cells):
        client.execute_cell(cell, k)
