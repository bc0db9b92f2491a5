"""What is slow begins first, so that no worker waits at the end; two workers don't share a core's threads."""

import os
import sys
from pathlib import Path

import pytest

FIRST = ("test_wheel", "test_notebooks", "test_build", "test_arguments", "test_words")
#: folders of whole machines and whole models against papers and independent programs: all of them are validations
VALIDATIONS = ("flexbody/machines", "fem/structures", "modal/structures")


def pytest_configure(config):
    """One thread per worker in libraries of linear algebra: as many as cores in each would wait for each other.

    These libraries read the number when they are loaded, so the process that starts the workers sets it for them.
    """
    _share_compiled_files(config)
    if getattr(config.option, "numprocesses", None):
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")


def _share_compiled_files(config):
    """Keep Python's compiled files beside the tests' cache where the environment forbids them beside the sources.

    Otherwise each worker, and each of the many processes that tests start, compiles all sources anew.
    """
    if not sys.dont_write_bytecode:
        return
    folder = str(config.rootpath / ".pytest_cache" / "compiled")
    os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = folder
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


@pytest.hookimpl(tryfirst=True)  # before the choice by markers
def pytest_collection_modifyitems(items):
    validations = {Path(__file__).parent / folder for folder in VALIDATIONS}
    for item in items:
        if item.path.parent in validations:
            item.add_marker(pytest.mark.slow)

    def place(item):
        found = [k for k, name in enumerate(FIRST) if name in item.nodeid]
        return found[0] if found else len(FIRST) + (item.get_closest_marker("slow") is None)

    items.sort(key=place)
