"""Where the elements of a mesh stand in its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

#: the number of a line is stored with that of its file: file * FILE_FACTOR + line
FILE_FACTOR = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Places:
    """Lines of elements: ``numbers`` (ne,), each with the number of its file; ``files`` names these.

    File 0 is that of the mesh; the others are included in it. A line 0 is not known.
    """

    numbers: np.ndarray
    files: tuple[str, ...] = ("",)

    def __getitem__(self, rows: Any) -> Places:
        """Return the places of some elements."""
        return Places(self.numbers[rows], self.files)

    def words(self, k: int) -> str:
        """Return the line of an element for a message, such as " (line 12)"; nothing if it is not known."""
        file, line = divmod(int(self.numbers[k]), FILE_FACTOR)
        if not line:
            return ""
        return f" (line {line})" if file == 0 else f" (line {line} of {self.files[file]})"
