"""Machines and studies in Python scripts, for the command line."""

from __future__ import annotations

import os
import runpy
import sys
import traceback
from pathlib import Path
from typing import Any, TypeVar

from fem.common.errors import FileError, FlexbodyError, InputError, listing
from fem.common.files import path_of

Wanted = TypeVar("Wanted")

#: name of the module that a script runs as: what stands below ``if __name__ == "__main__"`` does not run
MODULE = "__flexbody__"


def object_in(script: str | os.PathLike, kind: type[Wanted], name: str) -> Wanted:
    """Run a script, and return the object of a class that it defines.

    Parameters
    ----------
    script : path_like
        The script.
    kind : type
        The class.
    name : str
        Name of the variable that is taken if there are several such objects.

    Returns
    -------
    object
        The object.

    Raises
    ------
    fem.FileError
        There is no such file.
    fem.InputError
        The script fails, or defines no such object, or several under other names.
    """
    path = path_of(script)
    if not path.is_file():
        raise FileError(f"there is no file {path}")
    found = {key: value for key, value in _run(path).items() if isinstance(value, kind)}
    if name in found:
        return found[name]
    distinct = {id(value): value for value in found.values()}
    if len(distinct) != 1:
        there = f"several, {listing(found)}" if found else "none"
        raise InputError(f"{path} must define one {kind.__name__}, such as {name} = ...; it has {there}")
    return next(iter(distinct.values()))


def _run(path: Path) -> dict[str, Any]:
    """Return what a script defines; its folder is where it finds its own modules."""
    sys.path.insert(0, str(path.absolute().parent))
    try:
        return runpy.run_path(str(path), run_name=MODULE)
    except FlexbodyError:
        raise
    except (Exception, SystemExit) as error:
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
        ]
        where = f", line {lines[-1]}" if lines else ""
        raise InputError(f"{path}{where}: {type(error).__name__}: {error}") from error
