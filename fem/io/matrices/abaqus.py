"""Matrices of Abaqus and CalculiX: three forms of ``.mtx``, and ``.sti`` with ``.mas``.

``COORDINATE``: row, column, value. ``MATRIX INPUT``: node, component, node, component, value. The third form is that of
``*SUBSTRUCTURE MATRIX OUTPUT``: a ``*USER ELEMENT`` with the lower triangles of its matrices. Abaqus Analysis User's
Guide, "Generating matrices" and "Defining substructures".
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy

from ...common.errors import FileError
from .content import MatrixFile, labelled, mirrored, sparse


def read_entries(path: Path, text: str) -> MatrixFile:
    """Read rows of three or five numbers, separated by spaces or commas; one triangle stands for both."""
    try:
        first = text.split("\n", 1)[0].replace(",", " ").split()
        numbers = np.array(text.replace(",", " ").replace("D", "E").split(), dtype=float)
        if len(first) not in (3, 5) or numbers.size % len(first):
            raise ValueError(f"the rows have {len(first)} numbers, the file has {numbers.size} in all")
    except ValueError as error:
        raise _damaged(path, text, error) from None
    table = numbers.reshape(-1, len(first))
    whole = table[:, :-1]
    wrong = np.flatnonzero(((whole != np.floor(whole)) | (np.abs(whole) > 2**31)).any(axis=1))
    if len(wrong):
        raise FileError(
            f"{path}, entry {wrong[0] + 1}: {table[wrong[0]].tolist()} does not begin with whole numbers"
        )
    at = whole.astype(np.int64)
    if len(first) == 5:
        matrix, labels = labelled(at[:, :2], at[:, 2:], table[:, 4])
        return MatrixFile({path.stem: mirrored(matrix)}, labels)
    if at.min() < 1 or at.max() > len(at):
        far = int(np.argwhere((at < 1) | (at == at.max()))[0, 0])
        raise FileError(
            f"{path}, entry {far + 1}: row {at[far, 0]} and column {at[far, 1]} do not fit a matrix of {len(at)} "
            "entries: the file is damaged or has another format"
        )
    matrix = mirrored(sparse(at[:, 0] - 1, at[:, 1] - 1, table[:, 2], int(at.max())))
    return MatrixFile({path.stem: matrix}, _beside(path))


def _damaged(path: Path, text: str, error: ValueError) -> FileError:
    """Return an error that names the first line that can't be read."""
    lines = text.splitlines()
    width = len(lines[0].replace(",", " ").split()) if lines else 0
    for k, line in enumerate(lines, start=1):
        words = line.replace(",", " ").replace("D", "E").split()
        try:
            if len(words) not in (0, width):
                raise ValueError
            [float(word) for word in words]
        except ValueError:
            return FileError(
                f"{path}, line {k}: {line[:60]!r} is not a row of {width} numbers, as the first line is"
            )
    return FileError(f"{path} is not a file of matrices: {error}")


def _beside(path: Path) -> np.ndarray | None:
    """Return the labels (rows, 2) of CalculiX' ``.dof`` file of the same name: lines ``node.direction``."""
    other = path.with_suffix(".dof")
    if path.suffix.lower() not in (".sti", ".mas") or not other.is_file():
        return None
    try:
        return np.array([[int(part) for part in word.split(".")] for word in other.read_text().split()])
    except ValueError as error:
        raise FileError(f"{other} does not list node.direction for each row: {error}") from None


def read_user_element(path: Path, text: str) -> MatrixFile:
    """Read the matrices of a substructure."""
    nodes: list[int] = []
    components: list[tuple[int, list[int]]] = []
    matrices: dict[str, list[float]] = {}
    points: dict[int, tuple[list[float], str]] = {}
    current, unsymmetric, listing_nodes, count = "", False, False, 0
    number, line = 0, ""
    try:
        for number, line in enumerate(text.splitlines(), start=1):  # noqa: B007 (the message needs it)
            words = [word.strip() for word in line.lstrip("*").split(",") if word.strip()]
            if line.startswith("**"):
                if words[:1] == ["ELEMENT NODES"]:
                    listing_nodes = True
                elif words and words[0].startswith("NODE ") and len(words) >= 5:
                    points[int(words[0][5:])] = [float(x) for x in words[1:4]], line.split(",", 4)[4].strip()
                elif listing_nodes and words:
                    nodes += [int(word) for word in words]
            elif line.startswith("*"):
                current, listing_nodes = words[0].upper(), False
                options = dict(word.upper().replace(" ", "").partition("=")[::2] for word in words[1:])
                if current == "USER ELEMENT":
                    count, unsymmetric = int(options["NODES"]), "UNSYM" in options
                elif current == "MATRIX":
                    matrices[kind := options["TYPE"]] = []
            elif current == "USER ELEMENT" and words:
                numbers = [int(word) for word in words]
                components.append((1, numbers) if not components else (numbers[0], numbers[1:]))
                listing_nodes = False
            elif current == "MATRIX" and words:
                matrices[kind] += [float(word.replace("D", "E")) for word in words]
    except (ValueError, KeyError, IndexError) as error:
        raise FileError(f"{path}, line {number}: {line[:60]!r} can't be read ({error})") from None
    if len(nodes) != count or not components or not matrices:
        raise FileError(
            f"{path} lists {len(nodes)} of {count} nodes and {len(matrices)} matrices: it is damaged"
        )
    labels = np.array(_labels(nodes, components))
    found = {name: _filled(path, name, values, len(labels), unsymmetric) for name, values in matrices.items()}
    ids = sorted(points)
    return MatrixFile(
        found,
        labels,
        np.array([points[i][0] for i in ids]) if ids else None,
        np.array(ids) if ids else None,
        {points[i][1]: i for i in ids},
    )


def _labels(nodes: list[int], components: list[tuple[int, list[int]]]) -> list[tuple[int, int]]:
    """Return (node, component) of each row; a list of components holds from its position to the next."""
    found, at = [], -1
    for position, node in enumerate(nodes, start=1):
        while at + 1 < len(components) and components[at + 1][0] <= position:
            at += 1
        found += [(node, component) for component in components[at][1]]
    return found


def _filled(path: Path, name: str, values: list[float], n: int, unsymmetric: bool):
    A = np.zeros((n, n))
    if unsymmetric and len(values) == n * n:
        return scipy.sparse.csr_array(np.reshape(values, (n, n)))
    if len(values) != n * (n + 1) // 2:
        raise FileError(f"{path}: the matrix {name} has {len(values)} numbers; for {n} unknowns there must be "
                        f"{n * (n + 1) // 2}: the file was cut off or damaged")  # fmt: skip
    A[np.tril_indices(n)] = values
    return mirrored(scipy.sparse.csr_array(A))
