"""SciPy's SuperLU in symmetric mode, which is always installed."""

from __future__ import annotations

import numpy as np
import scipy

from .base import DirectFactor, Report, nothing
from .fill import FILL_UNCERTAINTY, estimated_fill

#: bytes for each entry of L + U: a value, and an index, of which supernodes share a part
BYTES_PER_ENTRY = 12


def installed() -> bool:
    """Return whether it can be used here."""
    return True


class SuperLUFactor(DirectFactor):
    """Factor by scipy's SuperLU: minimum degree on A + A', diagonal pivots where large enough."""

    name = "SuperLU"

    def __init__(
        self, A: scipy.sparse.sparray | scipy.sparse.spmatrix, definite: bool = True, report: Report = nothing
    ) -> None:
        """Factorise; raises InputError, of which SingularError is a kind."""
        super().__init__(A, definite)
        report("analysis", None)
        rows = scipy.sparse.csr_array(A)
        # L and U; refused only if it can't fit even where the estimate is far too high
        report(
            "factorisation",
            int(2 * BYTES_PER_ENTRY * estimated_fill(rows, dissection=False) / FILL_UNCERTAINTY),
        )
        columns = scipy.sparse.csc_array(
            (rows.data, rows.indices, rows.indptr), shape=rows.shape
        )  # the same: A = A'
        try:
            self._lu = scipy.sparse.linalg.splu(
                columns,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0 if definite else 0.1,
                options={"SymmetricMode": True},
            )
        except RuntimeError as error:
            if "singular" in str(error):
                raise self.singular() from None
            raise self.failed(str(error)) from None
        except MemoryError:
            raise self.failed(
                "it does not fit into memory; use a coarser mesh or a machine with more memory"
            ) from None
        self.memory = BYTES_PER_ENTRY * int(self._lu.nnz)
        if definite:
            if not (self._lu.U.diagonal() > 0).all():
                raise self.singular()
            self.negative = 0
        elif np.array_equal(self._lu.perm_r, self._lu.perm_c):
            # all pivots were taken from the diagonal, so that A = L D L': the signs of D are those of A
            self.negative = int((self._lu.U.diagonal() < 0).sum())

    def _solve(self, B: np.ndarray) -> np.ndarray:
        return self._lu.solve(B)
