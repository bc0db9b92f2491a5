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


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNS, ids=[path.name for path in NOTEBOOKS])
def test_notebook_runs(path):
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    )
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
