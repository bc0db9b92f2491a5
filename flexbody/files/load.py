"""Reader of a run from its file, complete or cut short."""

from __future__ import annotations

import os

from fem.common.errors import FileError, FlexbodyError
from fem.common.files import path_of
from fem.common.hdf5 import reading

from ..results.record import Record
from .result_reader import KIND, OLDEST, VERSION, read_finished
from .unfinished_states import read_states, unfinished


def load_record(path: str | os.PathLike) -> Record:
    """Read the numbers and the whole system of a result that :meth:`flexbody.Result.save` wrote.

    Parameters
    ----------
    path : path_like
        The HDF5 file.

    Returns
    -------
    Record
        The run.

    Raises
    ------
    fem.FileError
        There is no such file, or it is damaged, of another program, or of another version; or a class of yours that it
        needs is not defined.

    Warns
    -----
    fem.FlexbodyWarning
        The run was cut short or still goes on: ``NAME.unfinished.h5`` holds the states up to a time that the warning
        gives.

    Notes
    -----
    Surfaces of flexible bodies are read when pictures need them. Functions of time are the stored values with
    interpolation between them, and have the corners and jumps that the run knew.
    """
    path = path_of(path).resolve()
    rest = unfinished(path)
    if not path.exists() and rest.exists():
        raise FileError(
            f"there is no file {path}: its run was cut short, or goes on; load what there is of it from {rest.name}"
        )
    with reading(path, KIND, VERSION, OLDEST) as file:
        try:
            if "states" in file:
                return read_states(file, path)
            return read_finished(file, path)
        except FileError:
            raise
        except (FlexbodyError, ValueError, TypeError, AttributeError) as error:
            raise FileError(f"{path} is damaged: {error}") from None
