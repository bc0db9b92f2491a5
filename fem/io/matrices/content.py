"""What a file of matrices holds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import scipy

from ...common.errors import InputError, listing
from ...common.names import with_match

#: names of stiffness and mass matrices in files begin with one of these
BEGINNINGS = {"stiffness": ("K", "STIF"), "mass": ("M", "MASS")}

#: names of damping matrices: of NumPy archives, substructures of Abaqus, and Nastran (viscous and structural)
DAMPING = re.compile(r".*DAMPING.*|C|D|(B|B2|K4)(AA|XX|GG|PP|HH|JJ)?")


@dataclass(eq=False)
class MatrixFile:
    """The matrices of a file by their names.

    ``labels`` (rows, 2): node number and component (1 to 6, 0 for a scalar unknown) of each row, None where the file
    does not say. ``points`` (n, 3), ``node_ids`` (n,) and ``node_sets`` {name: node number} where it holds nodes too.
    """

    matrices: dict[str, scipy.sparse.csr_array]
    labels: np.ndarray | None = None
    points: np.ndarray | None = None
    node_ids: np.ndarray | None = None
    node_sets: dict[str, int] = field(default_factory=dict)

    def pick(self, path: object, what: str, name: str | None) -> scipy.sparse.csr_array:
        """Return the matrix of a name, or the only one, or the only stiffness or mass matrix; else InputError."""
        if name is not None:
            if name not in self.matrices:
                raise InputError(
                    f"{path} has no matrix {with_match(name, self.matrices)}; it has {listing(self.matrices)}"
                )
            return self.matrices[name]
        if len(self.matrices) == 1:
            return next(iter(self.matrices.values()))
        largest = max((A.shape[0] for A in self.matrices.values()), default=0)  # others are tables beside it
        found = [
            key
            for key, A in self.matrices.items()
            if A.shape[0] == largest
            and key.upper().startswith(BEGINNINGS[what])
            and not DAMPING.fullmatch(key.upper())
        ]
        if len(found) != 1:
            raise InputError(
                f"{path} has {len(found)} matrices that could be the {what} ({listing(found)}) among "
                f"{listing(self.matrices)}; give (path, name)"
            )
        return self.matrices[found[0]]


def sparse(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, n: int) -> scipy.sparse.csr_array:
    """Return a sparse matrix (n, n) of entries, of which repeated ones are added."""
    entries = (np.asarray(values, dtype=float), (np.asarray(rows), np.asarray(columns)))
    return scipy.sparse.csr_array(scipy.sparse.coo_array(entries, shape=(n, n)))


def labelled(
    rows: np.ndarray, columns: np.ndarray, values: np.ndarray, known: np.ndarray | None = None
) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Return a matrix of entries between labels (k, 2), and its labels (n, 2), sorted; ``known`` are labels too."""
    every = [rows, columns] if known is None else [known, rows, columns]
    labels, number = np.unique(np.concatenate(every), axis=0, return_inverse=True)
    number = number.ravel()[len(every[0]) if known is not None else 0 :]
    k = len(values)
    return sparse(number[:k], number[k : 2 * k], values, len(labels)), labels


def mirrored(A: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    """Return a symmetric A of which each pair of entries is given once; A itself where both are given."""
    diagonal = scipy.sparse.csr_array(scipy.sparse.diags_array(A.diagonal()))
    other = scipy.sparse.csr_array(A - diagonal)
    other.eliminate_zeros()
    twice = abs(other).sign().multiply(abs(other.T).sign())
    return A if twice.nnz else scipy.sparse.csr_array(A + other.T)
