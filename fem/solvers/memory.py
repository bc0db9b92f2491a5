"""The memory that this process can still allocate."""

from __future__ import annotations

import os
from pathlib import Path


def available_memory(root: Path = Path("/")) -> int | None:
    """Return the bytes of memory that this process can still take without swapping, or None if unknown.

    The smallest of three amounts: the free memory of the kernel (``MemAvailable``), that of the control groups of this
    process and above (containers, batch systems; versions 1 and 2; file caches count as free), and the rest of the
    address space (``ulimit -v``). Without /proc, the machine's whole memory. ``root`` is where
    /proc and /sys are.
    """
    known = [_meminfo(root), _address_space(), *_groups(root)]
    amounts = [amount for amount in known if amount is not None]
    return max(min(amounts), 0) if amounts else _whole()


def _meminfo(root: Path) -> int | None:
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return None


def _address_space() -> int | None:
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        return limit - int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return None


def _groups(root: Path) -> list[int]:
    """Return the free bytes of each control group that limits the memory of this process."""
    left = []
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            base, limit, used, cache = "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            base, cache = "sys/fs/cgroup/memory", "total_inactive_file"
            limit, used = "memory.limit_in_bytes", "memory.usage_in_bytes"
        else:
            continue
        folder = (root / base / path.lstrip("/")).absolute()
        # inside a container the path is often the host's and not there: then the group is the mounted root
        for group in (folder, *folder.parents):
            if group == (root / base).absolute().parent:
                break
            bound, taken = _number(group / limit), _number(group / used)
            if bound is not None and taken is not None:
                left.append(bound - taken + _statistic(group / "memory.stat", cache))
    return left


def _number(file: Path) -> int | None:
    text = _read(file).strip()
    return int(text) if text.isdigit() else None  # "max" is no limit


def _statistic(file: Path, name: str) -> int:
    for line in _read(file).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.isdigit():
            return int(value)
    return 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""


def _whole() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def gigabytes(amount: float) -> str:
    """Return bytes for a message: ``"4.8 GB"``, ``"120 MB"``."""
    return f"{amount / 1e9:.3g} GB" if amount >= 1e9 else f"{max(amount / 1e6, 1):.0f} MB"
