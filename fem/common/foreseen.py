"""Work that is foreseen to be endless, or too large for the memory, is refused before it begins."""

from __future__ import annotations

import os

from .errors import InputError

#: steps that a run may have; at 1 µs each they take a quarter of an hour, at 10 µs three hours
MAX_STEPS = 1e9

#: longest work that is begun, seconds
LONGEST_WORK = 24 * 3600.0


def check_steps(span: float, step: float, what: str) -> None:
    """Raise :class:`InputError` if a run over ``span`` (s) by steps of ``step`` (s) would not end."""
    count = float(span) / float(step) if step > span / 1e300 else float("inf")
    if not count <= MAX_STEPS:
        raise InputError(
            f"{what} is {step:g} s and the run {span:g} s long: {count:.3g} steps, and {MAX_STEPS:.0e} take hours; "
            "give a longer step"
        )


def check_work(count: float, each: float, what: str) -> None:
    """Raise :class:`InputError` if ``count`` pieces of work that each take ``each`` seconds at least are endless."""
    if not count * each <= LONGEST_WORK:
        raise InputError(
            f"{what} is {count:.3g}; at {each:g} s each at least, that takes {count * each / 3600:.3g} hours; "
            "give fewer"
        )


def check_memory(count: float, each: float, what: str, mend: str = "make them fewer") -> None:
    """Raise :class:`InputError` if ``count`` items of ``each`` bytes don't fit into the memory of this machine.

    ``mend`` says how the user gets fewer.
    """
    there = _physical_memory()
    if not count * each <= there:
        raise InputError(
            f"{what} would be {count:.3g} and need {count * each / 1e9:.3g} GB; this machine has {there / 1e9:.3g} GB; "
            f"{mend}"
        )


def _physical_memory() -> float:
    """Return the bytes of memory of this machine; 64 GB where the system does not tell."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 64e9
