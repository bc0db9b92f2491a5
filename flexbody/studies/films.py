"""Films of several variants side by side."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fem.common.errors import InputError
from fem.common.files import new_file, path_of
from fem.common.names import with_match
from fem.common.progress import progress

from ..view.displayed import Film
from ..view.film_times import frames_of
from ..view.render import films
from ..view.scenes.check import checked_result
from ..view.scenes.colouring import colouring_of
from ..view.scenes.machine import scene_of
from ..view.stage import Stage
from .numbers import Numbers, caption

#: options of a film of one machine that a film of several has too, with their defaults
OPTIONS: dict[str, Any] = dict(
    scale=1.0, colour=None, limits=None, fps=25.0, slow_motion=None, n_frames=None, view="motion", size=(1280, 720),
    trace=(), forces=(), show_progress=None,
)  # fmt: skip
#: largest number of machines in a film
MACHINES_PER_FILM = 4
#: grey level and width (pixels) of the lines between the machines
LINE_GREY, LINE_WIDTH = 222, 2


def film_of(
    found: Numbers,
    path: str | os.PathLike,
    quantity: str,
    chosen: Sequence[int],
    options: Mapping[str, Any],
) -> Film:
    """Write a film of variants side by side; see :meth:`flexbody.StudyResult.animate`."""
    if unknown := [name for name in options if name not in OPTIONS]:
        raise InputError(f"animate has no option {with_match(unknown, OPTIONS)}; it has {', '.join(OPTIONS)}")
    if not 1 <= len(chosen) <= MACHINES_PER_FILM:
        raise InputError(
            f"variants has {len(chosen)} numbers; a film shows 1 to {MACHINES_PER_FILM} machines"
        )
    used = {**OPTIONS, **options}
    path = Film(path_of(path))
    films.check(path, used["fps"])
    results = [checked_result(found.result(k), "animate") for k in chosen]
    titles = [caption(found, k, quantity) for k in chosen]
    n_frames, span = frames_of(results[0].t, used["fps"], used["slow_motion"], used["n_frames"])
    stages = stages_of(results, titles, used, n_frames, (n_frames - 1) / used["fps"] / span)
    moments = [stage.moments for stage in stages]
    with contextlib.ExitStack() as opened:
        partial = opened.enter_context(new_file(path))
        renderers = [opened.enter_context(stage.renderer()) for stage in stages]
        write = opened.enter_context(films.writer(partial, used["size"], used["fps"]))
        bar = opened.enter_context(progress(n_frames, "filming", "frames", used["show_progress"]))
        for each in zip(*moments, strict=True):
            images = [np.array(s.frame(r, float(t))) for s, r, t in zip(stages, renderers, each, strict=True)]
            for image in images[1:]:
                image[:, :LINE_WIDTH] = LINE_GREY
            write(np.hstack(images))
            bar.update(1)
    return path


def stages_of(
    results: Sequence[Any], titles: Sequence[str], used: Mapping[str, Any], n_frames: int, slow: float
) -> list[Stage]:
    """Return the stages of all machines, with one scale of colours and one of lengths."""
    width, height = used["size"]
    widths = np.diff(np.linspace(0, width, len(results) + 1).round().astype(int))
    limits = used["limits"]
    if limits is None:
        limits = _common_limits(results, used["colour"])
    stages = [
        Stage(
            result, used["scale"], used["view"], (int(w), height), used["trace"], title, slow, colour=used["colour"],
            limits=limits, forces=used["forces"], n_frames=n_frames,
        )
        for result, title, w in zip(results, titles, widths, strict=True)
    ]  # fmt: skip
    Stage.alike(stages)
    return stages


def _common_limits(results: Sequence[Any], colour: str | None) -> tuple[float, float] | None:
    """Return the ends of a scale of colours that suits all results; None if they have no scale."""
    scales = [colouring_of(result, scene_of(result).flexible, colour, None).scale for result in results]
    known = [scale for scale in scales if scale is not None]
    return (min(s.low for s in known), max(s.high for s in known)) if known else None
