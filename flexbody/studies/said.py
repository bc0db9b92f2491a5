"""Errors of a user's functions, in words for a row or a message."""

from __future__ import annotations

import os
import sysconfig
import traceback
from pathlib import Path

from fem.common.errors import FlexbodyError, InputError

#: folders of code that the user has not written: these packages, Python's library, and installed packages
_FOREIGN = tuple(
    f"{path}{os.sep}"
    for path in (
        *(Path(__file__).parents[2] / name for name in ("fem", "modal", "flexbody")),
        *(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib")),
    )
)


def is_foreign(file: str) -> bool:
    """Return whether a file of code is not the user's own."""
    return file.startswith((*_FOREIGN, "<frozen"))


def said(error: BaseException) -> str:
    """Return an error in words: wrong input as it is, others after their kind, with the line of the user's code."""
    if isinstance(error, InputError):
        return str(error)
    words = f"{type(error).__name__}: {error}".removesuffix(": ")
    return words if isinstance(error, FlexbodyError) else words + _place(error)


def _place(error: BaseException) -> str:
    """Return the last line of the user's own code that an error passed through; "" if there is none.

    A function that was sent to a worker as code may have lost the name of its file (cloudpickle 3.1.3 drops it).
    """
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_foreign(frame.filename)]
    if not own:
        return ""
    last = own[-1]
    file = "" if last.filename.startswith("<") else f"{Path(last.filename).name}, "
    return f" ({file}line {last.lineno}, in {last.name})"
