"""Compiled functions with a cache that notices every edit.

Numba's own cache looks at the file of the compiled function only, not at the files of the functions that it
calls. Here the cache folder is named after a hash of all sources that hold compiled functions, so a changed
callee can never be served stale code.
"""

from __future__ import annotations

import getpass
import hashlib
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

logger = logging.getLogger("flexbody.compile")

_config: Any = numba.config
_ROOT = Path(__file__).resolve().parents[2]
#: for each package, where functions are that other files' compiled functions call, and constants that they use;
#: relative to the packages' folder. (Numba itself notices an edit of a compiled function's own file.)
SOURCES: dict[str, tuple[str, ...]] = {
    "fem": ("fem/common/jit.py", "fem/elements"),
    "flexbody": ("fem/common/jit.py", "flexbody/kernels", "flexbody/integrators"),
}


def source_hash(root: Path, sources: tuple[str, ...]) -> str:
    """Return 16 hexadecimal digits that change with Python, numba and any edit of the sources."""
    digest = hashlib.sha256(f"{sys.version} {numba.__version__}".encode())
    for entry in sources:
        place = root / entry
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if file.is_file():
                digest.update(file.relative_to(root).as_posix().encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_folder(package: str = "flexbody") -> Path:
    """Return the folder of a package's compiled code, ``<base>/<hash of its sources>``; it exists and is writable.

    The base is ``$FLEXBODY_CACHE``, else ``flexbody`` in the user's cache folder, else (where that can't be
    written) a folder of the user's own in the folder for temporary files.
    """
    places = [os.environ.get("FLEXBODY_CACHE")]
    for variable in ("LOCALAPPDATA", "XDG_CACHE_HOME"):
        if os.environ.get(variable):
            places.append(os.path.join(os.environ[variable], "flexbody"))
    places.append(os.path.join(os.path.expanduser("~"), ".cache", "flexbody"))
    places.append(os.path.join(tempfile.gettempdir(), f"flexbody-{_user()}"))
    everything = tuple(entry for entries in SOURCES.values() for entry in entries)
    name = source_hash(_ROOT, SOURCES.get(package, everything))
    for place in filter(None, places):
        folder = Path(place) / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="flexbody-"))


def jit(function: Callable | None = None, **options):
    """Compile ``function`` with numba, without fast-math, cached by the hash of all kernel sources.

    Options go to ``numba.njit`` (``inline="always"``, ``parallel=True``...).
    """
    if function is None:
        return lambda f: jit(f, **options)
    # reference counts (_nrt) are said to be on, or a function would take its first caller's word for it
    settings: dict[str, Any] = {
        "cache": True,
        "error_model": "numpy",
        "nogil": True,
        "no_cfunc_wrapper": True,
    }
    settings |= {"_nrt": True} | options
    before = _config.CACHE_DIR
    try:
        _config.CACHE_DIR = str(cache_folder(function.__module__.partition(".")[0]))
        return numba.njit(**settings)(function)
    finally:
        _config.CACHE_DIR = before


def inner(function: Callable | None = None, **options):
    """Compile as :func:`jit` does, for calls from other compiled functions only.

    Without the wrapper for calls from Python, functions of many arrays compile in two thirds of the time.
    Calling one from Python crashes.
    """
    return jit(function, no_cpython_wrapper=True, **options)


def direct(function, *arguments) -> Callable:
    """Return the compiled code of ``function`` (of :func:`jit`) for arguments of the same types as these.

    Called with such, it skips the look at their types, which takes longer than many a call where the arguments hold
    a hundred arrays.
    """
    types = tuple(numba.typeof(argument) for argument in arguments)
    function.compile(types)
    return function.overloads[types].entry_point


def c_function(signature, function: Callable):
    """Compile ``function`` as a C function of a numba ``signature``; its ``address`` is what compiled code calls.

    Cached as :func:`jit` does, for functions in files that lie in :data:`SOURCES`.
    """
    before = _config.CACHE_DIR
    try:
        _config.CACHE_DIR = str(cache_folder(function.__module__.partition(".")[0]))
        return numba.cfunc(signature, cache=True, error_model="numpy")(function)
    finally:
        _config.CACHE_DIR = before


def is_compiled(function) -> bool:
    """Return whether ``function`` (of :func:`jit`) was compiled in this process or lies in the cache."""
    if function.signatures:
        return True
    try:
        return bool(function._cache._cache_file._load_index())  # what numba itself asks; it has no public way
    except (AttributeError, OSError):
        return False


def announce_compilation(what: str, function, seconds: int = 160) -> bool:
    """Log one line if ``function`` (of :func:`jit`) will be compiled at its first call.

    Returns True if it will be compiled.
    """
    if is_compiled(function):
        return False
    logger.warning(
        "compiling %s once for this machine (about %d s; kept in %s)", what, seconds, cache_folder().parent
    )
    return True


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user without a name
        return "user"
