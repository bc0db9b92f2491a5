"""Number of frames of a film, and how slowly it shows the motion."""

from __future__ import annotations

import numpy as np

from fem.common.errors import InputError, called
from fem.common.numbers import is_count, is_number


def frames_of(
    t: np.ndarray, fps: float, slow_motion: float | None, n_frames: int | None
) -> tuple[int, float]:
    """Return the number of frames of a film and the duration (s) of the motion that they show."""
    if slow_motion is not None and not (is_number(slow_motion) and slow_motion > 0):
        raise InputError(
            f"slow_motion is {called(slow_motion)}; it must be above zero: seconds of film for one second of the run"
        )
    if n_frames is not None and not (is_count(n_frames) and n_frames > 1):
        raise InputError(f"n_frames is {called(n_frames)}; give a whole number, two or more")
    span = float(t[-1] - t[0]) if len(t) else 0.0
    if span <= 0:
        raise InputError(
            "the result has only one instant, so there is no motion to film; use picture() instead"
        )
    slow = slow_motion or (1.0 if 2 <= span <= 30 else 6.0 / span)
    return n_frames or max(2, round(span * slow * fps) + 1), span
