"""Progress bars on long work, quiet when the output is not a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(total: float, what: str, unit: str = "it", show: bool | None = None) -> tqdm:
    """Return a progress bar to be used as a context manager; ``bar.update(n)`` moves it on.

    ``show=None`` shows it only when standard error is a terminal.
    """
    from tqdm import tqdm

    if show is None:
        show = sys.stderr.isatty()
    layout = "{l_bar}{bar}| {n:.4g}/{total:.4g} {unit} [{elapsed}<{remaining}]"
    return tqdm(total=total, desc=what, unit=unit, disable=not show, leave=False, bar_format=layout)
