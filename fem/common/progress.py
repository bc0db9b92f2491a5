"""Progress bars on long work: text in a terminal, widgets in a notebook that has them, and none elsewhere."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .errors import collecting

if TYPE_CHECKING:
    from tqdm import tqdm


def progress(total: float, what: str, unit: str = "it", show: bool | None = None) -> tqdm:
    """Return a progress bar to be used as a context manager; ``bar.update(n)`` moves it on.

    ``show=None`` shows it when standard error is a terminal, and as a widget in a notebook where ipywidgets is
    installed; not for one of many runs whose warnings are collected.
    """
    if show is None and collecting() is not None:
        show = False
    widget = _in_notebook() and find_spec("ipywidgets") is not None
    if show is None:
        show = widget or (sys.stderr is not None and sys.stderr.isatty())
    if widget and show:
        from tqdm.notebook import tqdm
    else:
        from tqdm import tqdm
    layout = "{l_bar}{bar}| {n:.4g}/{total:.4g} {unit} [{elapsed}<{remaining}]"
    return tqdm(total=total, desc=what, unit=unit, disable=not show, leave=False, bar_format=layout)


def _in_notebook() -> bool:
    """Return whether the program runs in the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    return shell is not None and hasattr(shell.get_ipython(), "kernel")
