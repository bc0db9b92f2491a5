"""What an import of the packages costs, and what it gives."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("fem", "modal", "flexbody")
#: Slow to import, and not needed by every script: pictures, files, and SciPy's parts. Any part of SciPy brings in
#: numpy.testing, numpy.f2py and more, as much as numpy itself: it is named in full where it is used, for SciPy imports
#: its parts when they are first asked for.
HEAVY = {
    "matplotlib", "pyvista", "vtkmodules", "PIL", "imageio", "imageio_ffmpeg", "meshio", "h5py", "tqdm", "numba",
    "pypardiso", "xarray", "zarr", "dask", "distributed", "pandas", "sksundae", "urllib.request", "xml",
    "numpy.testing", "numpy.f2py",
    "scipy.linalg", "scipy.sparse", "scipy.optimize", "scipy.interpolate", "scipy.spatial", "scipy.special",
    "scipy.integrate", "scipy.stats", "scipy.constants", "scipy.fft",
}  # fmt: skip


def _run(code):
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_an_import_brings_nothing_heavy():
    """Flexbody imports the others, so that their own imports are among its."""
    loaded = set(_run("import sys, flexbody; print(*sys.modules)"))
    assert loaded >= set(PACKAGES)
    assert not loaded & HEAVY
    assert "flexbody.view" not in loaded


def test_help_brings_nothing_heavy():
    assert not HEAVY & set(
        _run("import sys; from flexbody.__main__ import main; main([]); print(*sys.modules)")
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_public_can_be_had_and_is_listed(package):
    module, space = importlib.import_module(package), {}
    exec(f"from {package} import *", space)
    assert set(module.__all__) - set(space) == set()
    names = {*module.__all__, *module.RESULT_TYPES}
    assert {name for name in names if not hasattr(module, name)} == set()
    assert names - set(dir(module)) == set()
    assert len(names) == len(module.__all__) + len(module.RESULT_TYPES)


def test_help_of_flexbody_names_all_that_scripts_use():
    import flexbody

    named = set(re.findall(r"\w+", flexbody.__doc__))
    assert set(flexbody.__all__) - named == set()


def test_a_name_that_is_imported_later_stays_the_function():
    """Also where its module came first, and whatever module was imported in between."""
    code = (
        "import flexbody.view, flexbody.view.paraview, flexbody as fb; "
        "print(fb.plot is flexbody.view.plot, fb.plot is fb.plot, callable(fb.write_paraview))"
    )
    assert _run(code) == ["True"] * 3


def test_no_module_has_a_name_that_is_imported_later():
    flexbody = importlib.import_module("flexbody")
    for name in flexbody._LATER:
        assert name in (*flexbody.__all__, *flexbody.RESULT_TYPES)
        assert importlib.util.find_spec(f"flexbody.{name}") is None


def test_other_names_are_refused_as_ever():
    flexbody = importlib.import_module("flexbody")
    with pytest.raises(AttributeError, match="module 'flexbody' has no attribute 'plott'"):
        _ = flexbody.plott
