"""Check that ``fem`` and ``modal`` are the packages of this project.

Both names exist on the package index as other projects, and a user's own script may be called ``modal.py``. The
packages of this project contain a marker line. Without this check, an import of the wrong package would fail later
with a message that does not name the cause.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

NAMES = ("fem", "modal")


def check_own_packages() -> None:
    """Raise :class:`ImportError` if ``import fem`` or ``import modal`` gives something that is not ours.

    Nothing is imported: the source that would be imported is found and read. The message names that file, the
    distribution that it belongs to, and the mend.
    """
    for name in NAMES:
        loaded = sys.modules.get(name)
        if loaded is not None:
            if getattr(loaded, "__flexbody__", None) != name:
                raise ImportError(_message(name, getattr(loaded, "__file__", None)))
            continue
        spec = importlib.util.find_spec(name)
        source = spec.origin if spec is not None else None
        if source is None or not _has_marker(Path(source), name):
            raise ImportError(_message(name, source))


def _has_marker(source: Path, name: str) -> bool:
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.startswith(f'__flexbody__ = "{name}"') for line in lines)


def _message(name: str, source: str | None) -> str:
    if source is None:
        return (
            f"flexbody's own package '{name}' is not installed; "
            "mend it with: pip install --force-reinstall --no-deps flexbody"
        )
    what = f"'import {name}' gives {source}, which is not flexbody's own package '{name}'. "
    others = [d for d in _distributions(name) if d != "flexbody"]
    if others and "site-packages" in source:
        return what + (
            f"It belongs to the distribution {' and '.join(map(repr, others))}, which uses the same name. "
            f"Give flexbody an environment of its own, or: pip uninstall {' '.join(others)}; "
            "pip install --force-reinstall --no-deps flexbody"
        )
    return what + (
        "If that file is yours, rename it; otherwise mend the installation with: "
        "pip install --force-reinstall --no-deps flexbody"
    )


def _distributions(name: str) -> list[str]:
    from importlib import metadata

    return sorted(set(metadata.packages_distributions().get(name, [])))
