"""Reading a run from its file: one that is complete, or one that was cut short."""

from __future__ import annotations

import os

from fem.common.errors import FileError, FlexbodyError
from fem.common.files import path_of
from fem.common.hdf5 import reading

from ..results.record import Record
from .result_file import KIND, VERSION, read_finished
from .unfinished_file import read_states, unfinished


def load_record(path: str | os.PathLike) -> Record:
    """Read the numbers of a result that :meth:`flexbody.Result.save` wrote, with its whole system.

    A run that was cut short, or still goes on, has left ``NAME.unfinished.h5``: its states so far are read from there,
    with a :class:`fem.FlexbodyWarning` that says how far it got.

    Surfaces of flexible bodies are read when they are asked for (pictures). Functions of time are the stored
    values, with interpolation in between. FileError if there is no such file, or it is damaged, foreign, or
    of a newer program.
    """
    path = path_of(path).resolve()
    rest = unfinished(path)
    if not path.exists() and rest.exists():
        raise FileError(
            f"there is no file {path}: its run was cut short, or goes on; load what there is of it from {rest.name}"
        )
    with reading(path, KIND, VERSION) as file:
        try:
            if "states" in file:
                return read_states(file, path)
            return read_finished(file, path)
        except FileError:
            raise
        except (FlexbodyError, ValueError, TypeError, AttributeError) as error:
            raise FileError(f"{path} is damaged: {error}") from None
