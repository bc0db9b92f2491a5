"""Files of matrices: the ending, and in ``.mtx`` the first character, determine the format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError, listing
from ...common.files import path_of
from .abaqus import read_entries, read_user_element
from .ansys_sub import read_sub
from .content import MatrixFile, mirrored
from .grids import with_punch
from .harwell_boeing import read_harwell_boeing
from .matrix_market import read_matrix_market
from .nastran import read_dmig
from .output4 import read_op4

#: components of nodes in files of ANSYS
_COMPONENTS = {"UX": 1, "UY": 2, "UZ": 3, "ROTX": 4, "ROTY": 5, "ROTZ": 6}


def read_matrices(path: str | os.PathLike) -> MatrixFile:
    """Read a file of matrices; :class:`FileError` for a missing or damaged file, and for other formats."""
    path = path_of(path)
    if not path.is_file():
        raise FileError(f"there is no file {path}")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FileError(
            f"{path}: matrices are read from {', '.join(_READERS)}, not from {path.suffix or 'this file'}"
        )
    return reader(path)


def _text(path: Path) -> str:
    return path.read_text(encoding="latin-1")


def _mtx(path: Path) -> MatrixFile:
    text = _text(path).lstrip()
    if text.startswith("%%MatrixMarket"):
        return _matrix_market(path)
    if text.startswith("*"):
        return read_user_element(path, text)
    if not text:
        raise FileError(f"{path} is empty")
    return read_entries(path, text)


def _matrix_market(path: Path) -> MatrixFile:
    return MatrixFile({path.stem: read_matrix_market(path, _text(path).lstrip())}, _mapping(path))


def _harwell_boeing(path: Path) -> MatrixFile:
    return MatrixFile({path.stem: read_harwell_boeing(path, _text(path))}, _mapping(path))


def _mapping(path: Path) -> np.ndarray | None:
    """Return the labels (rows, 2) of ANSYS' ``.mapping`` file beside a matrix: row, node, name of the component."""
    other = path.with_suffix(".mapping")
    if not other.is_file():
        return None
    found = []
    for number, line in enumerate(_text(other).splitlines(), start=1):
        words = line.split()
        if not words or not words[0].isdecimal():
            continue
        if len(words) < 3 or not words[1].isdecimal() or words[2].upper() not in _COMPONENTS:
            raise FileError(
                f"{other}, line {number}: {line.strip()[:60]!r} does not give row, node and component"
            )
        found.append((int(words[1]), _COMPONENTS[words[2].upper()]))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _numpy(path: Path) -> MatrixFile:
    """Read an archive of K, M and, if it has them, points (n, 3), node_ids and ``dofs`` (rows, 2); or one of SciPy."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            if {"format", "shape", "data"} <= set(archive.files):
                return MatrixFile({path.stem: scipy.sparse.csr_array(scipy.sparse.load_npz(path))})
            arrays = {name: archive[name] for name in archive.files}
    except Exception as error:
        raise FileError(f"{path} is not a NumPy archive of matrices: {error}") from None
    if "superelement_K" in arrays:  # a reduced body
        arrays = {
            k.removeprefix("superelement_"): v for k, v in arrays.items() if k.startswith("superelement_")
        }
    elif {"C5", "C8"} <= set(arrays):
        raise FileError(f"{path} holds a reduced body without markers that turn, and so no superelement")
    square = {
        k: v
        for k, v in arrays.items()
        if v.ndim == 2 and v.shape[0] == v.shape[1] and k not in ("points", "dofs")
    }
    names = arrays.get("names", np.empty(0)).tolist()
    ids = arrays.get("node_ids", np.arange(1, len(arrays.get("points", ())) + 1))
    return MatrixFile(
        {name: scipy.sparse.csr_array(np.asarray(A, dtype=float)) for name, A in square.items()},
        arrays.get("dofs"),
        arrays.get("points"),
        ids if "points" in arrays else None,
        dict(zip(names, ids.tolist(), strict=False)),
    )


def _full(path: Path) -> MatrixFile:
    """Read ANSYS' ``.full`` by ansys-mapdl-reader."""
    try:
        from ansys.mapdl import reader
    except ImportError:
        raise FileError(
            f"{path}: files of ANSYS are read by ansys-mapdl-reader, which is not installed: pip install "
            "ansys-mapdl-reader; or write the matrices as text: *EXPORT,K,MMF,K.mtx"
        ) from None
    try:
        file = reader.read_binary(str(path))
        labels, K, M = file.load_km(sort=True)
    except Exception as error:
        raise FileError(f"{path} can't be read by ansys-mapdl-reader: {error}") from None
    held = np.array(file.const, dtype=np.int64)
    if len(held):
        node, component = int(held[0, 0]), list(_COMPONENTS)[int(held[0, 1])]
        raise FileError(
            f"{path} was written with supports: its matrices have no numbers for {len(held)} held motions of "
            f"{len(np.unique(held[:, 0]))} nodes (the first is {component} of node {node}); write it without: "
            "DDELE,ALL,ALL above WRFULL"
        )
    labels = np.array(labels, dtype=np.int64)
    labels[:, 1] += 1  # components from 0
    return MatrixFile({key: mirrored(scipy.sparse.csr_array(A)) for key, A in (("K", K), ("M", M))}, labels)


def _op2(path: Path) -> MatrixFile:
    """Read the real square matrices of an OUTPUT2 file by pyyeti."""
    try:
        from pyyeti.nastran.op2 import OP2
    except ImportError:
        raise FileError(
            f"{path}: OUTPUT2 files are read by pyyeti, which is not installed: pip install pyyeti; or write the "
            "matrices by OUTPUT4, or as text: PARAM,EXTOUT,DMIGPCH"
        ) from None
    try:
        with OP2(str(path)) as file:
            found = {name: np.asarray(one) for name, one in file.rdop2mats().items()}
    except Exception as error:
        raise FileError(f"{path} can't be read by pyyeti: {error}") from None
    square = {name: A for name, A in found.items() if A.shape[0] == A.shape[1] and np.isrealobj(A)}
    if not square:
        raise FileError(f"{path} holds no real square matrix, only {listing(found) if found else 'tables'}")
    return MatrixFile({name: mirrored(scipy.sparse.csr_array(A)) for name, A in square.items()})


_READERS: dict[str, Callable[[Path], MatrixFile]] = {
    ".mtx": _mtx,
    ".mm": _matrix_market,
    ".mmf": _matrix_market,
    **dict.fromkeys((".hb", ".rb", ".rsa", ".rua"), _harwell_boeing),
    **dict.fromkeys((".sti", ".mas"), lambda path: read_entries(path, _text(path))),
    **dict.fromkeys((".pch", ".bdf", ".dat", ".nas", ".dmig"), lambda path: read_dmig(path, _text(path))),
    ".op4": lambda path: with_punch(path, read_op4(path)),
    ".op2": _op2,
    ".npz": _numpy,
    ".full": _full,
    ".sub": read_sub,
}
