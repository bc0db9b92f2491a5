"""Compiled functions with a cache that notices every edit.

Numba's own cache looks at the file of the compiled function only, not at the files of the functions that it
calls. Here the cache folder is named after a hash of all sources that hold compiled functions, so a changed
callee can never be served stale code.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numba

logger = logging.getLogger("flexbody.compile")

_ROOT = Path(__file__).resolve().parents[2]
#: folders whose modules hold compiled functions, relative to the folder that holds the packages
_SOURCES = ("fem/common/jit.py", "fem/elements", "modal/inertia.py", "flexbody/kernels", "flexbody/integrators")


@cache
def cache_folder() -> Path:
    """Return the folder of compiled code: ``<user cache>/flexbody/<hash of the sources>``."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__}".encode())
    for entry in _SOURCES:
        place = _ROOT / entry
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        for file in files:
            if file.is_file():
                digest.update(file.name.encode())
                digest.update(file.read_bytes())
    base = os.environ.get("FLEXBODY_CACHE") or (
        Path(os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        / "flexbody"
    )
    return Path(base) / digest.hexdigest()[:16]


def jit(function: Callable | None = None, **options):
    """Compile ``function`` with numba, without fast-math, cached by the hash of all kernel sources.

    Options go to ``numba.njit`` (``inline="always"``, ``parallel=True``...).
    """
    if function is None:
        return lambda f: jit(f, **options)
    settings = {"cache": True, "error_model": "numpy", "nogil": True, **options}
    before = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(cache_folder())
        return numba.njit(**settings)(function)
    finally:
        numba.config.CACHE_DIR = before


def announce_compilation(what: str, function) -> bool:
    """Log one line if ``function`` (compiled by :func:`jit`) is not in the cache yet, and say how long it takes.

    Returns True if it will be compiled now.
    """
    if function.signatures:
        return False
    folder = cache_folder()
    name = getattr(function, "__name__", "")
    if folder.is_dir() and any(name in entry.name for entry in folder.rglob("*.nbi")):
        return False
    logger.warning("compiling %s once for this machine (about 20 s; kept in %s)", what, folder)
    return True
