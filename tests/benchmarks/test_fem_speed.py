"""The measuring script measures the same thing in all its ways."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).with_name("fem_speed.py")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("fem_speed", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("thousands", [1, 30, 100, 300])
def test_meshes_are_of_the_size_that_was_asked_for(script, thousands):
    nx, ny, nz = script.divisions(thousands)
    assert 3 * (2 * nx + 1) * (2 * ny + 1) * (2 * nz + 1) == pytest.approx(1000 * thousands, rel=0.12)


@pytest.mark.slow
def test_all_measurements_are_of_the_same_structure(script):
    found = {name: task(2.0, None) for name, task in script.TASKS.items()}
    assert found["assembly"]["dofs"] == found["scikit_fem"]["dofs"]
    assert found["assembly"]["elements"] == found["scikit_fem"]["elements"]
    assert found["modes"]["frequencies"] == pytest.approx(found["bare_modes"]["frequencies"], rel=1e-8)
    assert found["loads"]["residual"] < 1e-9  # condition of K + s M, about 1e5
    for name in ("factorisation", "modes", "bare_modes", "loads"):
        assert found[name]["factor"] > 1e6
        assert found[name]["cpu"] > 0
    assert "| 20 modes |" in script.row("20 modes", found["modes"])
    assert "out of memory" in script.row("20 modes", {"failed": "out of memory"})
