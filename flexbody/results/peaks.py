"""The largest forces of force elements at all steps of a run, also between its stored states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from ..core.kinds import PEAK_FORCE, PEAK_MOMENT
from ..integrators.peaks_inside import larger_forces
from .contacts_history import ContactsHistory
from .element_history import ElementHistory, Peak

#: Row of ``Work.peak`` by name of the element, see :func:`peaks_by_name`.
Peaks = Mapping[str, tuple[float, ...]]


def together(before: np.ndarray, later: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return the largest forces of two parts of a run.

    Parameters
    ----------
    before : numpy.ndarray
        Those of the first part, (ne, 4), as ``Work.peak``.
    later : numpy.ndarray
        Those of the second part, (m, 4).
    rows : numpy.ndarray or slice, optional
        The elements of the second part among those of the first, (m,); by default all.

    Returns
    -------
    numpy.ndarray
        The larger ones, (ne, 4), with their times.
    """
    out = before.copy()
    out[rows] = larger_forces(out[rows], later)
    return out


def peaks_by_name(names: Iterable[str], peaks: np.ndarray) -> dict[str, tuple[float, ...]]:
    """Return the largest forces, (ne, 4), as ``Work.peak``, by the names of their elements."""
    return {name: tuple(row) for name, row in zip(names, peaks.tolist(), strict=True)}


def forces_with_peaks(history: ElementHistory) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return the force and the moment, (nt,), of which peaks are the largest values; None where there is none.

    Of many contacts it is the size of the largest force on one of the shapes, of an element between two frames the
    sizes of force and moment, otherwise the force of the element alone.
    """
    if isinstance(history, ContactsHistory):
        return np.linalg.norm(history.force_on, axis=2).max(axis=1, initial=0.0), None
    if history.force.ndim == 1:
        return history.force, None
    if history.force.shape[1] == 0:
        return None, None
    return np.linalg.norm(history.force[:, :3], axis=1), np.linalg.norm(history.force[:, 3:], axis=1)


def with_peaks(history: ElementHistory, peaks: Peaks) -> ElementHistory:
    """Return the history with the peaks of the run; those of stored states, where none between them is larger."""
    kept = peaks.get(history.name)
    if kept is None:
        return history
    force, moment = forces_with_peaks(history)
    return replace(
        history,
        peak=_larger(history.t, force, Peak(*kept[PEAK_FORCE:PEAK_MOMENT])),
        peak_moment=_larger(history.t, moment, Peak(*kept[PEAK_MOMENT:])),
    )


def _larger(t: np.ndarray, stored: np.ndarray | None, peak: Peak) -> Peak | None:
    """Return the largest of the stored values (nt,) at the times t (nt,), or the peak if that is larger."""
    if stored is None:
        return None
    k = int(np.argmax(np.abs(stored)))
    return peak if abs(peak.force) > abs(stored[k]) else Peak(float(stored[k]), float(t[k]))
