"""Matrices in the format Matrix Market: coordinates or columns, general or symmetric.

Reference: R. F. Boisvert, R. Pozo, K. Remington, The Matrix Market exchange formats: initial design, NISTIR 5935
(1996). Why not SciPy: its reader ends the process at zero bytes in a damaged file.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError
from .content import mirrored, sparse

#: Rows for each entry, beyond which a file is damaged: it holds hardly any of its matrix.
ROWS_PER_ENTRY = 100


def read_matrix_market(path: Path, text: str) -> scipy.sparse.csr_array:
    """Return the matrix of a file; :class:`FileError` names the first line that can't be read."""
    head, _, rest = text.partition("\n")
    skipped = 2
    while rest.lstrip(" \t\r").startswith(("%", "\n")):
        rest = rest.partition("\n")[2]
        skipped += 1
    size, _, body = rest.partition("\n")
    words = head.lower().split()
    if (
        len(words) != 5
        or words[:2] != ["%%matrixmarket", "matrix"]
        or words[2] not in ("coordinate", "array")
    ):
        raise FileError(
            f"{path}, line 1: {head[:60]!r} does not say that coordinates or columns of a matrix follow"
        )
    if words[3] not in ("real", "double", "integer") or words[4] not in ("general", "symmetric"):
        raise FileError(
            f"{path}, line 1: the matrix is {words[3]} and {words[4]}; stiffness and mass are real, and general or "
            "symmetric"
        )
    width = 3 if words[2] == "coordinate" else 1
    try:
        rows, columns, *count = (int(word) for word in size.split())
        if len(count) != (width == 3) or rows < 1 or columns != rows:
            raise ValueError
    except ValueError:
        wanted = "rows, the same number of columns, and entries" if width == 3 else "rows and as many columns"
        raise FileError(
            f"{path}, line {skipped}: {size[:60]!r} does not give the numbers of {wanted}"
        ) from None
    symmetric = words[4] == "symmetric"
    n = (count[0] if count else rows * (rows + 1) // 2 if symmetric else rows * rows) * width
    numbers = _numbers(path, body, width, skipped)
    if numbers.size != n:
        raise FileError(
            f"{path}, line {skipped}: {n // width} entries are announced, and {numbers.size / width:g} follow: the "
            "file was cut off or damaged"
        )
    table = numbers.reshape(-1, width)
    return mirrored(
        _columns(numbers, rows, symmetric) if width == 1 else _entries(path, table, rows, symmetric)
    )


def _columns(numbers: np.ndarray, n: int, symmetric: bool) -> scipy.sparse.csr_array:
    """Return a dense matrix that is stored column by column, a symmetric one from its diagonal downward."""
    if not symmetric:
        return scipy.sparse.csr_array(numbers.reshape(n, n).T)
    column, row = np.triu_indices(n)
    return sparse(row, column, numbers, n)


def _entries(path: Path, table: np.ndarray, n: int, symmetric: bool) -> scipy.sparse.csr_array:
    """Return a matrix of rows, columns and values, (k, 3); rows and columns count from 1."""
    at = table[:, :2]
    wrong = np.flatnonzero(((at != np.floor(at)) | (at < 1) | (at > n)).any(axis=1))
    if len(wrong):
        raise FileError(
            f"{path}, entry {wrong[0] + 1}: {at[wrong[0]].tolist()} is not a row and a column of {n}; the file is "
            "damaged"
        )
    if n > ROWS_PER_ENTRY * (len(table) + 1):
        raise FileError(f"{path} holds {len(table)} entries for {n} rows: it is damaged")
    row, column = at.T.astype(np.int64) - 1
    if symmetric and (row < column).any() and (row > column).any():
        one = int(np.flatnonzero(row < column)[0])
        raise FileError(
            f"{path}, entry {one + 1}: row {row[one] + 1} and column {column[one] + 1} lie in the upper triangle, and "
            "others in the lower one; the first line says that the matrix is symmetric; it is damaged"
        )
    return sparse(row, column, table[:, 2], n)


def _numbers(path: Path, body: str, width: int, skipped: int) -> np.ndarray:
    """Return all numbers of a text; an error names the first line that does not hold ``width`` of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            if "\0" not in body:
                return np.fromstring(body, sep=" ")
        except (ValueError, Warning):
            pass
    for k, line in enumerate(body.split("\n"), start=skipped + 1):
        words = line.split()
        try:
            if len(words) not in (0, width):
                raise ValueError
            [float(word) for word in words]
        except ValueError:
            raise FileError(f"{path}, line {k}: {line[:60]!r} is not a row of {width} numbers") from None
    raise FileError(f"{path} does not hold rows of {width} numbers; it is damaged")
